/* The words of a gate: "wall_time.p99=5%,+50us" or "cpu_time<=5ms" of --gate, the same a line in a file; and
 * allowances. */
#include "report/result/result.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "stats/stats.h"
#include "runner/options/options.h"
#include "runner/options/table.h"
#include "report/text/text.h"
#include "runner/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A piece of text that does not end with a NUL. */
struct piece {
    const char *text;
    size_t length;
};

static bool is_word(struct piece piece, const char *word)
{
    return piece.length == strlen(word) && strncmp(piece.text, word, piece.length) == 0;
}

static struct piece trimmed(struct piece piece)
{
    while (piece.length > 0 && strchr(" \t\r", piece.text[0]))
        piece.text++, piece.length--;
    while (piece.length > 0 && strchr(" \t\r", piece.text[piece.length - 1]))
        piece.length--;
    return piece;
}

/* ---- limits ------------------------------------------------------------------------------------- */

static bool parse_amount(struct piece piece, struct lauka_optional *amount,
                         struct lauka_gate_rule *rule)
{
    double value;
    const struct lauka_figure_unit *unit = lauka_quantity_parse(piece.text, piece.length, &value);

    if (!unit || strcmp(unit->unit, "%") == 0)
        return false;
    *amount = lauka_known(value);
    rule->unit = unit->unit;
    return true;
}

static bool parse_share(struct piece piece, struct lauka_gate_rule *rule)
{
    double value;
    const struct lauka_figure_unit *unit = lauka_quantity_parse(piece.text, piece.length, &value);

    if (!unit || strcmp(unit->unit, "%") != 0 || value > 1e6)
        return false;
    rule->share = lauka_known(value / 100);
    return true;
}

/* "2%", "2%,+50us" or "+50us" */
static bool parse_limit(struct piece piece, struct lauka_gate_rule *rule)
{
    const char *comma = memchr(piece.text, ',', piece.length);
    size_t first = comma ? (size_t)(comma - piece.text) : piece.length;
    struct piece share = trimmed((struct piece){piece.text, first});
    struct piece absolute = share;

    if (comma)
        absolute = trimmed((struct piece){comma + 1, piece.length - first - 1});
    bool has_absolute = absolute.length > 0 && absolute.text[0] == '+';
    if (comma ? !has_absolute || !parse_share(share, rule)
              : !has_absolute && !parse_share(share, rule))
        return false;
    return !has_absolute ||
           parse_amount(trimmed((struct piece){absolute.text + 1, absolute.length - 1}),
                        &rule->absolute, rule);
}

/* ---- metrics ------------------------------------------------------------------------------------- */

/* Where the statistic begins, including its point: the first place where the rest makes sense, because
 * "p99.9" has a point, too. length if there is none. */
static size_t find_statistic(struct piece piece, struct lauka_gate_rule *rule)
{
    for (size_t i = 1; i + 1 < piece.length; i++)
        if (piece.text[i] == '.' && lauka_statistic_parse(piece.text + i + 1, piece.length - i - 1,
                                                          &rule->statistic, &rule->rank))
            return i;
    rule->statistic = LAUKA_STATISTIC_TYPICAL;
    rule->rank = 0;
    return piece.length;
}

static bool ends_with(struct piece piece, const char *end)
{
    size_t length = strlen(end);

    return piece.length > length && strncmp(piece.text + piece.length - length, end, length) == 0;
}

static bool refuse_extremes(const char *text, struct piece metric, struct lauka_error *error)
{
    bool least = ends_with(metric, ".min");

    if (!least && !ends_with(metric, ".max"))
        return true;
    return lauka_misuse(error,
                        least
                            ? "--gate %.200s: the minimum cannot be gated: it falls with every "
                              "further run, has no interval, and is up to three times less precise "
                              "than the typical value; leave .min out, or use .p10"
                            : "--gate %.200s: the maximum cannot be gated: it grows with every "
                              "further run and has no interval; use .p99, or .p90 if runs are few",
                        text);
}

bool gate_rule_parse(struct lauka_arena *arena, const char *text, struct lauka_gate_rule *rule,
                     struct lauka_error *error)
{
    const char *equals = strrchr(text, '=');

    *rule = (struct lauka_gate_rule){0};
    if (!equals)
        return lauka_misuse(
            error, "--gate %.200s: expected a metric and its limit, such as wall_time=2%%", text);
    bool budget = equals > text && equals[-1] == '<';
    struct piece metric = trimmed((struct piece){text, (size_t)(equals - text) - budget});
    struct piece limit = trimmed((struct piece){equals + 1, strlen(equals + 1)});
    if (!refuse_extremes(text, metric, error))
        return false;
    size_t length = find_statistic(metric, rule);
    struct lauka_gate_rule bare = {0};
    if (!budget && parse_amount(limit, &bare.most, &bare) && strcmp(bare.unit, "1") != 0)
        return lauka_misuse(
            error, "--gate %.200s: type %.*s=+%.*s for a difference, or %.*s<=%.*s for a budget",
            text, (int)metric.length, metric.text, (int)limit.length, limit.text,
            (int)metric.length, metric.text, (int)limit.length, limit.text);
    if (!budget && bare.unit && strcmp(bare.unit, "1") == 0)
        return lauka_misuse(error, "--gate %.200s: did you mean %.*s=%.*s%%? A limit has a unit",
                            text, (int)metric.length, metric.text, (int)limit.length, limit.text);
    if (length == 0 ||
        !(budget ? parse_amount(limit, &rule->most, rule) : parse_limit(limit, rule)))
        return lauka_misuse(
            error,
            "--gate %.200s: limits are METRIC=2%%, METRIC=2%%,+50us (both have to be exceeded) or "
            "METRIC=+50us, and METRIC<=5ms is a budget; METRIC may end in .mean or .p99",
            text);
    rule->metric = lauka_arena_piece(arena, metric.text, length);
    return true;
}

bool gate_rule_add(struct lauka_arena *arena, const char *text, const char *benchmark,
                   const char *where, struct lauka_result_gate *gate, struct lauka_error *error)
{
    struct lauka_gate_rule rule, *added;

    if (!gate_rule_parse(arena, text, &rule, error))
        return false;
    if (benchmark) {
        rule.benchmark = lauka_arena_text(arena, benchmark);
        rule.where = lauka_arena_text(arena, where);
    }
    added = lauka_arena_add(arena, &gate->rules, &gate->rule_count, sizeof *added);
    *added = rule;
    return true;
}

static char *keep(struct lauka_arena *arena, struct piece piece)
{
    return lauka_arena_piece(arena, piece.text, piece.length);
}

bool gate_option_add(struct lauka_arena *arena, const char *text, struct lauka_result_gate *gate,
                     struct lauka_error *error)
{
    const char *end = *text == '[' ? strchr(text, ']') : NULL;

    if (!end)
        return gate_rule_add(arena, text, NULL, NULL, gate, error);
    struct piece name = trimmed((struct piece){text + 1, (size_t)(end - text) - 1});
    struct piece rule = trimmed((struct piece){end + 1, strlen(end + 1)});
    if (name.length == 0)
        return lauka_misuse(error, "--gate %.200s: [] names no benchmark", text);
    return gate_rule_add(arena, keep(arena, rule), is_word(name, "*") ? NULL : keep(arena, name),
                         "--gate", gate, error);
}

/* ---- files of them ---------------------------------------------------------------------------- */

struct file {
    struct lauka_arena *arena;
    struct lauka_result_gate *gate;
    const char *today;     /* of allowances */
    const char *benchmark; /* of the section; NULL: all */
    char section[256];     /* where that begins: "FILE:3" */
    char where[256];       /* the line */
};

/* "[name]": the rules below are for the command with that name; "[*]": for all. */
static bool parse_section(struct piece line, struct file *file)
{
    struct piece name = trimmed((struct piece){line.text + 1, line.length - 2});

    memcpy(file->section, file->where, sizeof file->section);
    file->benchmark = is_word(name, "*") ? NULL : keep(file->arena, name);
    return name.length > 0;
}

static bool parse_line(struct piece line, struct file *file, struct lauka_error *error)
{
    if (line.length == 0 || line.text[0] == '#')
        return true;
    if (line.length > 400 || memchr(line.text, '\0', line.length))
        return lauka_misuse(error, "this is not a gate rule");
    if (line.text[0] == '[')
        return (line.length > 2 && line.text[line.length - 1] == ']' &&
                parse_section(line, file)) ||
               lauka_misuse(error, "expected a section [NAME OF A COMMAND] or [*]");
    return gate_rule_add(file->arena, keep(file->arena, line), file->benchmark, file->section,
                         file->gate, error);
}

typedef bool parse_of_line(struct piece line, struct file *file, struct lauka_error *error);

/* Errors name the line. */
static bool parse_lines(struct file *file, const char *name, const char *bytes, size_t size,
                        parse_of_line *parse, struct lauka_error *error)
{
    size_t number = 1;

    for (size_t from = lauka_file_mark(bytes, size); from < size; number++) {
        const char *end = memchr(bytes + from, '\n', size - from);
        size_t length = end ? (size_t)(end - bytes) - from : size - from;
        struct lauka_error reason = {0};
        snprintf(file->where, sizeof file->where, "%.200s:%zu", name, number);
        if (!parse(trimmed((struct piece){bytes + from, length}), file, &reason))
            return lauka_fail(error, reason.code, "%s: %.700s", file->where, reason.text);
        from += length + 1;
    }
    return true;
}

bool gate_file_parse(struct lauka_arena *arena, const char *name, const char *bytes, size_t size,
                     struct lauka_result_gate *gate, struct lauka_error *error)
{
    struct file file = {.arena = arena, .gate = gate};

    return parse_lines(&file, name, bytes, size, parse_line, error);
}

/* ---- allowances ---------------------------------------------------------------------------------- */

static const char needed[] = "expected BENCHMARK METRIC until=YYYY-MM-DD REASON; quote a BENCHMARK "
                             "that contains blanks; * is any benchmark";

/* The next word, in quotes or up to a blank. NULL at the end, or for an open quote. *at moves behind it. */
static char *next_word(struct lauka_arena *arena, const char **at)
{
    const char *from = *at + strspn(*at, " \t");
    char quote = *from == '"' || *from == '\'' ? *from : '\0';

    from += quote != '\0';
    const char *end = quote ? strchr(from, quote) : from + strcspn(from, " \t");
    if (!end || (!quote && end == from))
        return NULL;
    *at = end + (quote != '\0');
    return lauka_arena_piece(arena, from, (size_t)(end - from));
}

static int number_of(const char *digits, size_t count)
{
    int number = 0;

    for (size_t i = 0; i < count; i++) {
        if (digits[i] < '0' || digits[i] > '9')
            return -1;
        number = 10 * number + digits[i] - '0';
    }
    return number;
}

/* A day that exists in the calendar. */
static bool is_date(const char *text)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

    if (strlen(text) != 10 || text[4] != '-' || text[7] != '-')
        return false;
    int year = number_of(text, 4), month = number_of(text + 5, 2), day = number_of(text + 8, 2);
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return year > 0 && month >= 1 && month <= 12 && day >= 1 &&
           day <= days[month - 1] + (leap && month == 2);
}

static bool parse_words(struct lauka_arena *arena, const char *line,
                        struct lauka_gate_allowance *allowance)
{
    static const char until[] = "until=";

    allowance->benchmark = next_word(arena, &line);
    allowance->metric = allowance->benchmark ? next_word(arena, &line) : NULL;
    char *date = allowance->metric ? next_word(arena, &line) : NULL;
    if (!date || strncmp(date, until, strlen(until)) != 0)
        return false;
    allowance->until = date + strlen(until);
    allowance->reason = lauka_arena_text(arena, line + strspn(line, " \t"));
    return is_date(allowance->until) && *allowance->reason;
}

static bool parse_allowance(struct piece line, struct file *file, struct lauka_error *error)
{
    const char *text = keep(file->arena, line);
    struct lauka_gate_allowance allowance = {0}, *added;

    if (*text == '\0' || *text == '#')
        return true;
    if (!parse_words(file->arena, text, &allowance))
        return lauka_misuse(error, "%s", needed);
    allowance.expired = strcmp(allowance.until, file->today) < 0;
    allowance.where = lauka_arena_text(file->arena, file->where);
    added = lauka_arena_add(file->arena, &file->gate->allowances, &file->gate->allowance_count,
                            sizeof *added);
    *added = allowance;
    return true;
}

bool gate_allowances_parse(struct lauka_arena *arena, const char *name, const char *bytes,
                           size_t size, const char *today, struct lauka_result_gate *gate,
                           struct lauka_error *error)
{
    struct file file = {.arena = arena, .gate = gate, .today = today};

    return parse_lines(&file, name, bytes, size, parse_allowance, error);
}

/* ---- options of the gate, and what follows from them ------------------------------------------ */

/* A slowdown is a share of the command's time, which warm-up rounds measure. */
enum { WARMUP_ROUNDS = 5 };

/* NULL if it cannot be read. */
static const char *read_file(struct lauka_arena *arena, const char *option, const char *name,
                             size_t *size, struct lauka_error *error)
{
    struct lauka_error reason;
    char *bytes = lauka_file_read(name, size, &reason), *kept = NULL;

    if (bytes)
        kept = lauka_arena_piece(arena, bytes, *size);
    else
        lauka_fail(error, reason.code, "--%s %.900s", option, reason.text);
    free(bytes);
    return kept;
}

static bool take_gate_file(const char *name, struct lauka_options *options,
                           struct lauka_error *error)
{
    size_t size, before = options->judge.gate.rule_count;
    const char *bytes = read_file(options->arena, "gate-file", name, &size, error);

    return bytes &&
           gate_file_parse(options->arena, name, bytes, size, &options->judge.gate, error) &&
           (options->judge.gate.rule_count > before ||
            lauka_misuse(error, "--gate-file %.300s: it holds no limit", name));
}

/* Days are in UTC: an allowance ends at the same time for everybody. */
static bool take_allowances(const char *name, struct lauka_options *options,
                            struct lauka_error *error)
{
    char today[LAUKA_DATE_SIZE] = "";
    size_t size;

    lauka_format_day(time(NULL), today);
    const char *bytes = read_file(options->arena, "allow", name, &size, error);
    return bytes && gate_allowances_parse(options->arena, name, bytes, size, today,
                                          &options->judge.gate, error);
}

/* In the order in which they were given. */
bool option_take_limits(struct lauka_options *options, struct lauka_error *error)
{
    bool good = true;

    for (size_t i = 0; good && i < options->arguments->given_count; i++) {
        const char *text = options->arguments->given[i].text;
        int id = options->arguments->given[i].row->id;
        if (id == OPTION_GATE)
            good = gate_option_add(options->arena, text, &options->judge.gate, error);
        else if (id == OPTION_GATE_FILE)
            good = take_gate_file(text, options, error);
        else if (id == OPTION_ALLOW)
            good = take_allowances(text, options, error);
    }
    return good;
}

static bool needs_values(const struct lauka_gate_rule *rule)
{
    return rule->statistic != LAUKA_STATISTIC_TYPICAL || rule->absolute.known || rule->most.known;
}

/* Against itself, a command is slowed down by a share of its own cost, not beyond a budget. */
static bool check_trial(const struct lauka_options *options, struct lauka_error *error)
{
    for (size_t i = 0; i < options->judge.gate.rule_count; i++)
        if (options->judge.gate.rules[i].most.known)
            return lauka_misuse(error,
                                "--gate %.100s: a budget (<=) compares nothing, and so cannot be "
                                "tried out by lauka noise: leave it out",
                                options->judge.gate.rules[i].metric);
    return true;
}

/* Unknown is neither good nor bad: a search skips it, and a trial of the gate has not succeeded. */
static void set_policy(struct lauka_options *options)
{
    bool strict = options->judge.bisect || options->verb == LAUKA_VERB_NOISE;

    options->judge.policy_given =
        lauka_arguments_find(options->arguments, OPTION_INCONCLUSIVE) != NULL;
    if (!options->judge.policy_given && strict)
        options->judge.gate.policy = LAUKA_POLICY_FAIL;
    options->judge.gate.tried =
        options->verb == LAUKA_VERB_NOISE && options->judge.gate.rule_count > 0;
    if (options->judge.gate.tried && options->measure.warmup < WARMUP_ROUNDS)
        options->measure.warmup = WARMUP_ROUNDS;
}

bool option_check_gate(struct lauka_options *options, struct lauka_error *error)
{
    const struct lauka_result_gate *gate = &options->judge.gate;

    set_policy(options);
    if (options->verb == LAUKA_VERB_NOISE && !check_trial(options, error))
        return false;
    if (options->verb == LAUKA_VERB_GATE || options->verb == LAUKA_VERB_MERGE ||
        options->verb == LAUKA_VERB_REPORT) /* the result may bring its own */
        return true;
    if (gate->rule_count == 0 && (gate->allowance_count > 0 || options->judge.policy_given ||
                                  options->judge.bisect || gate->cross_host))
        return lauka_misuse(error, "no limit was given: use --gate wall_time=2%% or --gate-file");
    if (gate->rule_count == 0 && options->write.outputs[LAUKA_DOCUMENT_JUNIT].wanted)
        return lauka_misuse(error, "--junit reports a gate's verdicts: add --gate");
    for (size_t i = 0; options->measure.no_samples && i < gate->rule_count; i++)
        if (needs_values(&gate->rules[i]))
            return lauka_misuse(error,
                                "--gate %.100s: without single runs (--no-samples) only the "
                                "typical value can be judged, as a percentage",
                                gate->rules[i].metric);
    return true;
}
