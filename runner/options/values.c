/* Values of options, read and refused in one way. */
#include "runner/options/table.h"
#include "report/text/text.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/options.h"
#include "runner/options/options.h"
#include "pmu/apple/apple.h"
#include "pmu/counters/counters.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- "B:" in front of a value that is for one command only --------------------------------------- */

const char *option_letter_end(const char *text, size_t *command)
{
    size_t number = 0;
    const char *c = text;

    for (; *c >= 'A' && *c <= 'Z' && c - text < 4; c++)
        number = 26 * number + (size_t)(*c - 'A') + 1;
    if (c == text || *c != ':')
        return text;
    *command = number - 1;
    return c + 1;
}

char *option_letter(size_t command, char letter[LETTER_SIZE])
{
    char reversed[LETTER_SIZE];
    size_t count = 0;

    for (size_t number = command + 1; number > 0 && count < LETTER_SIZE - 1;
         number = (number - 1) / 26)
        reversed[count++] = (char)('A' + (number - 1) % 26);
    for (size_t i = 0; i < count; i++)
        letter[i] = reversed[count - 1 - i];
    letter[count] = '\0';
    return letter;
}

bool option_check_letter(const char *option, const char *text, size_t count,
                         struct lauka_error *error)
{
    size_t command = 0;
    char last[LETTER_SIZE];

    if (option_letter_end(text, &command) == text || command < count)
        return true;
    return lauka_misuse(error, "--%s %.100s: there is no such command; the commands are %s%s",
                        option, text, count > 1 ? "A to " : "", option_letter(count - 1, last));
}

/* A whole number from `least` on. */
static bool parse_count(const char *option, const char *text, uint64_t least, uint64_t *count,
                        struct lauka_error *error)
{
    char *end;

    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno || value < least)
        return lauka_misuse(error, "--%s %.100s: expected a whole number of at least %llu", option,
                            text, (unsigned long long)least);
    *count = value;
    return true;
}

bool option_parse_amount(const char *option, const char *text, bool bytes, uint64_t *amount,
                         struct lauka_error *error)
{
    double value;
    const struct lauka_figure_unit *unit = lauka_quantity_parse(text, strlen(text), &value);

    if (unit && (!*unit->typed || strcmp(unit->unit, bytes ? "B" : "1") == 0) && value >= 1 &&
        value < 0x1p63 && value == (double)(uint64_t)value) {
        *amount = (uint64_t)value;
        return true;
    }
    return lauka_misuse(error, "--%s %.100s: expected %s", option, text,
                        bytes ? "a size of at least 1 byte, such as 4096, 64KiB or 1.5GB"
                              : "a number of at least 1, such as 500, 10k or 1.5M");
}

const char *option_next_code(const char *text, size_t *code)
{
    char *end;
    long value = strtol(text, &end, 10);

    if (end == text || (*end && *end != ',') || value < 0 || value > 255)
        return NULL;
    *code = (size_t)value;
    return end + (*end == ',');
}

bool option_parse_duration(const char *option, const char *text, uint64_t *ns,
                           struct lauka_error *error)
{
    return lauka_parse_duration(text, ns) ||
           lauka_misuse(error, "--%s %.100s: expected a duration, such as 5, 500ms, 30s or 5m30s",
                        option, text);
}

/* A time above 0, in ns, where bare numbers are milliseconds, as they are poop's. */
static bool parse_milliseconds(const char *option, const char *text, uint64_t *ns,
                               struct lauka_error *error)
{
    char with_unit[40];
    bool bare = text[strspn(text, "0123456789.")] == '\0';

    snprintf(with_unit, sizeof with_unit, "%.36s%s", text, bare ? "ms" : "");
    return (lauka_parse_duration(with_unit, ns) && *ns > 0) ||
           lauka_misuse(error,
                        "--%s %.100s: expected a time above 0, such as 100 (milliseconds) or 2s",
                        option, text);
}

/* "1", "1%", "0.5 %": per cent, as a ratio. */
static bool parse_percent(const char *option, const char *text, double *ratio,
                          struct lauka_error *error)
{
    double percent;
    const struct lauka_figure_unit *unit = lauka_quantity_parse(text, strlen(text), &percent);

    if (!unit || (*unit->typed && strcmp(unit->unit, "%") != 0) || percent > 100)
        return lauka_misuse(error, "--%s %.100s: expected a percentage, such as 1%% or 0.5", option,
                            text);
    *ratio = percent / 100;
    return true;
}

void option_add_text(const struct lauka_options *options, struct lauka_texts *texts,
                     const char *text)
{
    const char **added =
        lauka_arena_add(options->arena, &texts->texts, &texts->count, sizeof *added);

    *added = text;
}

/* How many have no letter in front; the first of them is *first. */
static size_t count_plain(const struct lauka_texts *texts, const char **first)
{
    size_t count = 0, ignored;

    for (size_t i = 0; i < texts->count; i++)
        if (option_letter_end(texts->texts[i], &ignored) == texts->texts[i] && count++ == 0)
            *first = texts->texts[i];
    return count;
}

const char *option_text_for(const struct lauka_texts *texts, size_t index,
                            struct option_sides among)
{
    const char *found = NULL;
    size_t plain = 0, count = count_plain(texts, &found), side = index % among.sides;
    size_t place = count == among.sides ? side : index;

    for (size_t i = 0; i < texts->count && count > 1; i++) {
        size_t ignored;
        if (option_letter_end(texts->texts[i], &ignored) == texts->texts[i] && plain++ == place)
            found = texts->texts[i];
    }
    for (size_t i = 0; i < texts->count; i++) {
        size_t command = 0;
        const char *text = option_letter_end(texts->texts[i], &command);
        if (text != texts->texts[i] && command == side)
            found = text;
    }
    return found;
}

bool option_check_texts(const char *option, const struct lauka_texts *texts,
                        struct option_sides among, struct lauka_error *error)
{
    const char *ignored;
    size_t plain = count_plain(texts, &ignored), count = among.commands;

    for (size_t i = 0; i < texts->count; i++)
        if (!option_check_letter(option, texts->texts[i], among.sides, error))
            return false;
    if (plain <= 1 || plain == count || plain == among.sides)
        return true;
    if (among.sides < count)
        return lauka_misuse(error,
                            "--%s is given %zu times for %zu benchmarks with %zu side%s each: give "
                            "it once for all commands, once for each side, once for each of the "
                            "%zu commands, or with a letter in front for one side (B:...)",
                            option, plain, count / among.sides, among.sides,
                            among.sides == 1 ? "" : "s", count);
    return lauka_misuse(error,
                        "--%s is given %zu times for %zu command%s: give it once for all commands, "
                        "once for each, or with a letter in front for one (B:...)",
                        option, plain, count, count == 1 ? "" : "s");
}

/* ---- options that are fully described by their row ----------------------------------------------- */

/* "time or rounds", "a, b or c". */
static void list_words(const char *words, char *text, size_t size)
{
    size_t used = 0;

    for (*text = '\0'; *words && used < size; words += strcspn(words, " ")) {
        words += *words == ' ';
        size_t length = strcspn(words, " ");
        const char *between = used == 0 ? "" : words[length] ? ", " : " or ";
        used += (size_t)snprintf(text + used, size - used, "%s%.*s", between, (int)length, words);
    }
}

/* What an enum holds is an unsigned number. */
static bool set_choice(const struct option_row *row, const char *text, void *member,
                       struct lauka_error *error)
{
    size_t length = strlen(text);
    unsigned place = 0;
    char list[120];

    for (const char *word = row->words; *word; place++) {
        size_t own = strcspn(word, " ");
        if (own == length && strncmp(word, text, length) == 0) {
            memcpy(member, &place, sizeof place);
            return true;
        }
        word += own + (word[own] == ' ');
    }
    list_words(row->words, list, sizeof list);
    return lauka_misuse(error, "--%s %.100s: expected %s", row->name, text, list);
}

bool option_member_set(const struct option_row *row, const char *text,
                       struct lauka_options *options, struct lauka_error *error)
{
    void *member = (char *)options + row->member;

    switch (row->kind) {
    case KIND_FLAG:
        *(bool *)member = true;
        return true;
    case KIND_COUNT:
        return parse_count(row->name, text, row->least, member, error);
    case KIND_DURATION:
        return option_parse_duration(row->name, text, member, error);
    case KIND_MILLISECONDS:
        return parse_milliseconds(row->name, text, member, error);
    case KIND_PERCENT:
        return parse_percent(row->name, text, member, error);
    case KIND_CHOICE:
        return set_choice(row, text, member, error);
    case KIND_TEXT:
        *(const char **)member = text ? text : "";
        return true;
    case KIND_TEXTS:
        option_add_text(options, member, text);
        return true;
    case KIND_FILE:
        *(struct lauka_output *)member =
            (struct lauka_output){true, text && strcmp(text, "-") != 0 ? text : NULL};
        return true;
    case KIND_ASKED:
    case KIND_EACH:
        break;
    }
    return true;
}

void option_member_format(const struct option_row *row, const struct lauka_options *options,
                          char *text, size_t size)
{
    const void *member = (const char *)options + row->member;

    text[0] = '\0';
    if (row->kind == KIND_COUNT)
        snprintf(text, size, "%" PRIu64, *(const uint64_t *)member);
    else if (row->kind == KIND_DURATION)
        snprintf(text, size, "%gs", (double)*(const uint64_t *)member / 1e9);
    else if (row->kind == KIND_PERCENT)
        snprintf(text, size, "%g%%", 100 * *(const double *)member);
    else if (row->kind == KIND_TEXT && *(const char *const *)member)
        snprintf(text, size, "%s", *(const char *const *)member);
}

/* ---- options whose values have a grammar of their own ---------------------------------------- */

static bool parse_color(const char *text, struct lauka_options *options, struct lauka_error *error)
{
    if (strcmp(text, "auto") == 0)
        options->write.color = LAUKA_COLOR_AUTO;
    else if (strcmp(text, "always") == 0 || strcmp(text, "ansi") == 0) /* poop's word */
        options->write.color = LAUKA_COLOR_ALWAYS;
    else if (strcmp(text, "never") == 0)
        options->write.color = LAUKA_COLOR_NEVER;
    else
        return lauka_misuse(error, "--color %.100s: expected auto, always or never", text);
    return true;
}

static bool parse_style(const char *text, struct lauka_options *options, struct lauka_error *error)
{
    static const struct {
        const char *name;
        enum lauka_color_choice color;
        bool no_progress, no_table;
    } styles[] = {
        {"auto", LAUKA_COLOR_AUTO, false, false},   {"basic", LAUKA_COLOR_NEVER, true, false},
        {"full", LAUKA_COLOR_ALWAYS, false, false}, {"nocolor", LAUKA_COLOR_NEVER, false, false},
        {"color", LAUKA_COLOR_ALWAYS, true, false}, {"none", LAUKA_COLOR_AUTO, true, true},
    };

    for (size_t i = 0; i < sizeof styles / sizeof *styles; i++)
        if (strcmp(text, styles[i].name) == 0) {
            options->write.color = styles[i].color;
            options->write.no_progress = styles[i].no_progress;
            options->write.no_table = styles[i].no_table;
            return true;
        }
    return lauka_misuse(error, "--style %.100s: expected auto, basic, full, nocolor, color or none",
                        text);
}

static bool check_unit(const char *text, struct lauka_error *error)
{
    return lauka_scale_named(text, "ns") ||
           lauka_misuse(error, "--time-unit %.100s: expected ns, us, ms or s", text);
}

static bool parse_sort(const char *text, struct lauka_options *options, struct lauka_error *error)
{
    options->write.sorted = strcmp(text, "mean-time") == 0;
    return options->write.sorted || strcmp(text, "auto") == 0 || strcmp(text, "command") == 0 ||
           lauka_misuse(error, "--sort %.100s: expected auto, command or mean-time", text);
}

/* It is the last of the labels by now. */
static bool check_label(const char *text, const struct lauka_texts *labels,
                        struct lauka_error *error)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-";
    enum { KEY_MOST = 64 };
    size_t length = strcspn(text, "=");

    if (text[length] != '=' || length == 0 || length > KEY_MOST || strspn(text, letters) != length)
        return lauka_misuse(error,
                            "--label %.200s: expected KEY=VALUE, with a KEY of letters, digits, "
                            "'_', '-' and '.', %d at most",
                            text, KEY_MOST);
    for (size_t i = 0; i + 1 < labels->count; i++)
        if (strncmp(labels->texts[i], text, length + 1) == 0)
            return lauka_misuse(error, "--label %.200s: %.*s has a value already", text,
                                (int)length, text);
    return true;
}

/* ---- what is counted ------------------------------------------------------------------------- */

static bool parse_backend(const char *text, struct lauka_options *options,
                          struct lauka_error *error)
{
    const char *scenario = strchr(text, ':');
    size_t length = scenario ? (size_t)(scenario - text) : strlen(text);

    options->measure.pretended =
        strncmp(text, "simulated", length) == 0 && length == strlen("simulated");
    if (!options->measure.pretended)
        return lauka_misuse(error, "--backend %.100s: expected simulated or simulated:SCENARIO",
                            text);
    if (scenario && !lauka_scenario_parse(scenario + 1, &options->measure.scenario))
        return lauka_misuse(
            error,
            "--backend %.100s: scenarios are full, no-pmu, denied, multiplexed[-COUNTERS], "
            "user-only, hybrid, hybrid-apart, hybrid-alike, effects and fail-ERRNO[-POSITION]",
            text);
    return true;
}

/* sim_allocations is an event for valgrind. Returns the list without it; "none" if nothing else is in it. */
static const char *take_allocations(const char *text, struct lauka_options *options)
{
    static const char name[] = "sim_allocations";
    const size_t length = strlen(name);
    char *rest = lauka_arena_text(options->arena, text), *at = strstr(rest, name);

    if (!at || (at > rest && at[-1] != ',') || (at[length] && at[length] != ','))
        return text;
    options->measure.allocations = true;
    memmove(at, at + length + (at[length] == ','), strlen(at + length + (at[length] == ',')) + 1);
    const size_t left = strlen(rest);
    if (left > 0 && rest[left - 1] == ',')
        rest[left - 1] = '\0';
    return left > 0 ? rest : "none";
}

/* What the names mean depends on the machine that they are for: --chip may follow. */
static bool keep_events(const char *text, struct lauka_options *options, struct lauka_error *error)
{
    options->measure.events_given = true;
    text = take_allocations(text, options);
    if (strcmp(text, "none") == 0)
        return true;
    if (options->measure.event_text_count == LAUKA_EVENTS_MAX)
        return lauka_misuse(error, "--events: too many; %d is the limit", LAUKA_EVENTS_MAX);
    options->measure.event_texts[options->measure.event_text_count++] = text;
    return true;
}

static bool choose_chip(const char *text, struct lauka_options *options, struct lauka_error *error)
{
    options->run.chip = lauka_apple_chip_find(text);
    if (options->run.chip)
        return true;
    char known[400] = "";
    size_t count, used = 0;
    const struct lauka_apple_chip *chips = lauka_apple_chips(&count);
    for (size_t i = 0; i < count && used < sizeof known; i++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "",
                                 chips[i].name);
    return lauka_misuse(error,
                        "--chip %.100s: unknown chip; expected a product (M1 ... M5) or one of %s",
                        text, known);
}

static bool parse_period(const char *text, struct lauka_options *options, struct lauka_error *error)
{
    if (strcmp(text, "0") == 0) {
        options->measure.period_ns = LAUKA_PERIOD_NEVER;
        return true;
    }
    return option_parse_duration("period", text, &options->measure.period_ns, error);
}

/* The names of cores are known only once the machine was examined: names other than the usual ones are
 * PMUs', such as "cortex_a53". */
static bool may_be_cores(const char *text)
{
    static const char *const names[] = {"P", "E", "M", "M2", "LP-E"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(text, names[i]) == 0)
            return true;
    return isalpha((unsigned char)*text) && strchr(text, '_');
}

static bool check_cores(const char *option, const char *text, bool list, struct lauka_error *error)
{
    struct lauka_cpu_set ignored;

    return may_be_cores(text) || (list && lauka_cpu_set_parse(text, &ignored)) ||
           lauka_misuse(error, "--%s %.100s: expected %sP or E", option, text,
                        list ? "a list of CPUs such as 0-3,6, or " : "");
}

static bool parse_counters(const char *text, struct lauka_options *options,
                           struct lauka_error *error)
{
    options->measure.without_caches = strcmp(text, "valgrind:instructions") == 0;
    options->measure.valgrind = options->measure.without_caches || strcmp(text, "valgrind") == 0;
    if (strcmp(text, "none") == 0)
        return keep_events("none", options, error);
    return options->measure.valgrind || strcmp(text, "pmu") == 0 ||
           lauka_misuse(error,
                        "--counters %.100s: expected pmu, valgrind, valgrind:instructions or none",
                        text);
}

/* How long each command is sampled; by default long enough for changes of a few per cent. */
static bool parse_sampled(const char *text, struct lauka_options *options,
                          struct lauka_error *error)
{
    options->measure.sampled_given = true;
    options->measure.sampled_ns = text ? 0 : LAUKA_SAMPLED_NS;
    return !text || strcmp(text, "0") == 0 || strcmp(text, "0s") == 0 ||
           option_parse_duration("sampled", text, &options->measure.sampled_ns, error);
}

/* ---- what is run ---------------------------------------------------------------------------------- */

static bool parse_codes(const char *text, struct lauka_options *options, struct lauka_error *error)
{
    if (!text || strcmp(text, "all-non-zero") == 0) {
        options->run.accept_all_failures = true;
        return true;
    }
    size_t code;
    for (const char *next; *text; text = next) {
        next = option_next_code(text, &code);
        if (!next)
            return lauka_misuse(
                error,
                "--ignore-failure=%.100s: expected exit codes from 0 to 255, separated by commas",
                text);
        options->run.accept_exit_code[code] = true;
    }
    return true;
}

static bool parse_shell(const char *text, struct lauka_options *options, struct lauka_error *error)
{
    options->run.shell = strcmp(text, "none") == 0      ? NULL
                         : strcmp(text, "default") == 0 ? LAUKA_SHELL
                                                        : text;
    return *text || lauka_misuse(error, "--shell is empty: 'default' is " LAUKA_SHELL
                                        ", 'none' is no shell");
}

/* ---- all of them ---------------------------------------------------------------------------------- */

bool option_take_own(int id, const char *text, struct lauka_options *options,
                     struct lauka_error *error)
{
    switch (id) {
    case OPTION_IGNORE_FAILURE:
    case OPTION_ALLOW_FAILURES:
        return parse_codes(text, options, error);
    case OPTION_SHELL:
    case OPTION_USE_SHELL:
    case OPTION_NO_SHELL:
        return parse_shell(text, options, error);
    case OPTION_PERIOD:
        return parse_period(text, options, error);
    case OPTION_EVENTS:
        return keep_events(text, options, error);
    case OPTION_COUNTERS:
        return parse_counters(text, options, error);
    case OPTION_SAMPLED:
        return parse_sampled(text, options, error);
    case OPTION_CHIP:
        return choose_chip(text, options, error);
    case OPTION_BACKEND:
        return parse_backend(text, options, error);
    case OPTION_PIN:
        return check_cores("pin", text, true, error);
    case OPTION_REQUIRE_CORE:
        return check_cores("require-core", text, false, error);
    case OPTION_TIME_UNIT:
        return check_unit(text, error);
    case OPTION_LABEL:
        return check_label(text, &options->write.labels, error);
    case OPTION_SORT:
        return parse_sort(text, options, error);
    case OPTION_STYLE:
        return parse_style(text, options, error);
    case OPTION_COLOR:
        return parse_color(text, options, error);
    case OPTION_LIST:
        options->verb = LAUKA_VERB_LIST;
        return true;
    case OPTION_VERSION:
        options->verb = LAUKA_VERB_VERSION;
        options->help_form = text;
        return true;
    default: /* OPTION_HELP, OPTION_BRIEF_HELP: the table has no other */
        options->verb = LAUKA_VERB_HELP;
        options->short_help = id == OPTION_BRIEF_HELP;
        options->help_form = text;
        return true;
    }
}
