/* What is run: the options about commands, and the commands themselves. */
#include "runner/options/options.h"
#include "runner/options/table.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/gate/gate.h"
#include "runner/options.h"
#include "report/text/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- parameters ------------------------------------------------------------------------------ */

/* With more values the table would be useless. */
#define VALUES_MAX 100000
#define DECIMALS_MAX 9

/* ---- values with commas between them ------------------------------------------------------------ */

static void push_value(struct lauka_arena *arena, struct lauka_parameter *parameter, char *value)
{
    char **added = lauka_arena_add(arena, &parameter->values, &parameter->count, sizeof *added);

    *added = value;
}

/* A backslash protects a comma, or another backslash. */
static void split_list(struct lauka_arena *arena, struct lauka_parameter *parameter,
                       const char *text)
{
    char *end = lauka_arena_take(arena, strlen(text) + 1), *value = end;

    for (;; text++) {
        bool last = !*text;
        if (last || *text == ',') {
            *end++ = '\0';
            push_value(arena, parameter, value);
            value = end;
        } else {
            text += *text == '\\' && (text[1] == ',' || text[1] == '\\');
            *end++ = *text;
        }
        if (last)
            return;
    }
}

/* ---- values from MIN to MAX ----------------------------------------------------------------------- */

struct decimal { /* number / 10^decimals */
    int64_t number;
    int decimals;
};

static bool parse_decimal(const char *text, struct decimal *decimal)
{
    char digits[40];
    size_t used = 0, length = strlen(text), dot = strcspn(text, ".");
    char *end;

    if (length >= sizeof digits || length == 0)
        return false;
    for (const char *c = text; *c; c++)
        if (c != text + dot)
            digits[used++] = *c;
    digits[used] = '\0';
    decimal->decimals = dot < length ? (int)(length - dot - 1) : 0;
    errno = 0;
    decimal->number = strtoll(digits, &end, 10);
    bool begins = digits[0] == '-' || (digits[0] >= '0' && digits[0] <= '9');
    return begins && end > digits && !*end && errno == 0 && decimal->decimals <= DECIMALS_MAX &&
           decimal->number < INT64_MAX / 1000000000 && decimal->number > INT64_MIN / 1000000000;
}

/* False if the number becomes too large. */
static bool widen(struct decimal *decimal, int decimals)
{
    for (; decimal->decimals < decimals; decimal->decimals++)
        if (__builtin_mul_overflow(decimal->number, 10, &decimal->number))
            return false;
    return true;
}

static char *format_decimal(struct lauka_arena *arena, int64_t number, int decimals)
{
    char digits[24];
    uint64_t magnitude = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    int length =
        snprintf(digits, sizeof digits, "%0*llu", decimals + 1, (unsigned long long)magnitude);

    return lauka_arena_print(arena, "%s%.*s%s%s", number < 0 ? "-" : "", length - decimals, digits,
                             decimals ? "." : "", digits + length - decimals);
}

static bool refuse_scan(const struct lauka_parameter *parameter, const char *why,
                        struct lauka_error *error)
{
    return lauka_misuse(error, "--parameter-scan %.100s %.40s %.40s: %s", parameter->name,
                        parameter->scan[0], parameter->scan[1], why);
}

static bool scan(struct lauka_arena *arena, struct lauka_parameter *parameter,
                 const char *step_text, struct lauka_error *error)
{
    struct decimal from, to, step;

    if (!parse_decimal(parameter->scan[0], &from) || !parse_decimal(parameter->scan[1], &to))
        return refuse_scan(parameter, "MIN and MAX must be numbers, such as 1 or 0.25", error);
    if (!step_text && (from.decimals || to.decimals))
        return refuse_scan(parameter, "numbers with decimals need a step: -D 0.1", error);
    if (!parse_decimal(step_text ? step_text : "1", &step) || step.number <= 0)
        return refuse_scan(parameter, "the step (-D) must be a number above 0", error);
    int own_decimals = from.decimals;
    int decimals = step.decimals > own_decimals ? step.decimals : own_decimals;
    int most = to.decimals > decimals ? to.decimals : decimals;
    if (!widen(&from, most) || !widen(&to, most) || !widen(&step, most))
        return refuse_scan(parameter, "the numbers are too large", error);
    if (to.number < from.number)
        return refuse_scan(parameter, "no value lies between MIN and MAX", error);
    int64_t span;
    if (__builtin_sub_overflow(to.number, from.number, &span) || span / step.number >= VALUES_MAX)
        return refuse_scan(parameter, "this makes more than 100000 values", error);
    for (int64_t i = 0; i <= span / step.number; i++) {
        int shown = i > 0 ? decimals : own_decimals; /* 0, 0.5, 1.0, as in hyperfine */
        int64_t number =
            (from.number + i * step.number) / (int64_t)lauka_power_of_ten(most - shown);
        push_value(arena, parameter, format_decimal(arena, number, shown));
    }
    return true;
}

/* It becomes a key of JSON and a title of CSV. */
static bool is_name(const char *text)
{
    uint32_t code;

    if (!*text || strpbrk(text, "{}\n"))
        return false;
    for (size_t length; *text; text += length)
        if ((length = lauka_utf8_decode(text, &code)) == 0)
            return false;
    return true;
}

/* ---- the options ---------------------------------------------------------------------------------- */

bool option_take_parameter(int id, const char *name, char *const *rest,
                           struct lauka_options *options, struct lauka_error *error)
{
    struct lauka_parameter *parameter = lauka_arena_add(
        options->arena, &options->run.parameters, &options->run.parameter_count, sizeof *parameter);

    parameter->name = name;
    if (!is_name(name))
        return lauka_misuse(error, "the name of a parameter must be a word, not \"%.100s\"", name);
    if (id == OPTION_PARAMETER_LIST) {
        split_list(options->arena, parameter, rest[0]);
        return true;
    }
    parameter->scan[0] = rest[0];
    parameter->scan[1] = rest[1];
    return true;
}

static bool refuse_duplicates(const struct lauka_options *options, struct lauka_error *error)
{
    for (size_t i = 0; i < options->run.parameter_count; i++)
        for (size_t j = 0; j < i; j++)
            if (strcmp(options->run.parameters[i].name, options->run.parameters[j].name) == 0)
                return lauka_misuse(error,
                                    "the parameter %.100s is given twice: each needs its own name",
                                    options->run.parameters[i].name);
    return true;
}

/* When all options are read: the values of a scan, and whether names differ. */
static bool finish_parameters(struct lauka_options *options, struct lauka_error *error)
{
    bool scanned = false;

    for (size_t i = 0; i < options->run.parameter_count; i++) {
        struct lauka_parameter *parameter = &options->run.parameters[i];
        if (!parameter->scan[0])
            continue;
        scanned = true;
        if (!scan(options->arena, parameter, options->run.scan_step, error))
            return false;
    }
    if (options->run.scan_step && !scanned)
        return lauka_misuse(error, "--parameter-step-size needs a scan: -P NAME MIN MAX -D STEP");
    return refuse_duplicates(options, error);
}

/* How many commands one becomes; 0: too many. */
static size_t count_combinations(const struct lauka_options *options)
{
    size_t count = 1;

    for (size_t i = 0; i < options->run.parameter_count && count <= VALUES_MAX; i++)
        count *= options->run.parameters[i].count;
    return count <= VALUES_MAX ? count : 0;
}

/* ---- what commands get of them -------------------------------------------------------------------- */

/* Of the combinations, the first parameter changes fastest. */
static void set_parameters(const struct lauka_options *options, size_t combination,
                           struct lauka_command *command)
{
    size_t count = options->run.parameter_count;

    command->parameters = lauka_arena_take(options->arena, count * sizeof *command->parameters);
    command->parameter_count = count;
    for (size_t i = 0; i < count; i++) {
        const struct lauka_parameter *from = &options->run.parameters[i];
        command->parameters[i] =
            (struct lauka_parameter_value){(char *)(uintptr_t)from->name, /* nobody writes there */
                                           from->values[combination % from->count]};
        combination /= from->count;
    }
}

/* The parameter whose {NAME} begins the text, or NULL. */
static const struct lauka_parameter_value *parameter_at(const struct lauka_command *command,
                                                        const char *text)
{
    size_t length = strcspn(text, "}");

    if (*text != '{' || text[length] != '}')
        return NULL;
    for (size_t i = 0; i < command->parameter_count; i++)
        if (strlen(command->parameters[i].name) == length - 1 &&
            strncmp(command->parameters[i].name, text + 1, length - 1) == 0)
            return &command->parameters[i];
    return NULL;
}

/* Writes to `out`, or measures if that is NULL. Inserted text is not searched again. */
static size_t substitute(const struct lauka_command *command, const char *text, char *out)
{
    size_t length = 0;

    while (*text) {
        const struct lauka_parameter_value *parameter = parameter_at(command, text);
        const char *from = parameter ? parameter->value : text;
        size_t count = parameter ? strlen(from) : 1;
        if (out)
            memcpy(out + length, from, count);
        length += count;
        text += parameter ? strlen(parameter->name) + 2 : 1;
    }
    if (out)
        out[length] = '\0';
    return length;
}

char *lauka_command_substitute(const struct lauka_command *command, const char *text)
{
    char *result = lauka_arena_take(command->arena, substitute(command, text, NULL) + 1);

    substitute(command, text, result);
    return result;
}

/* ---- the commands ------------------------------------------------------------------------------- */

/* What a command is made of: one text, or a vector. */
struct source {
    const char *text;   /* NULL: it is a vector */
    char *const *words; /* of a vector */
    size_t count;
};

static bool occurs(const struct source *source, const char *placeholder)
{
    if (source->text)
        return strstr(source->text, placeholder) != NULL;
    for (size_t i = 0; i < source->count; i++)
        if (strstr(source->words[i], placeholder))
            return true;
    return false;
}

/* Appends to the label the parameters that neither the command nor its name shows. */
static void show_unused(const struct source *source, const char *name,
                        struct lauka_command *command)
{
    struct lauka_arena *arena = command->arena;
    bool any = false;

    for (size_t i = 0; i < command->parameter_count; i++) {
        const struct lauka_parameter_value *parameter = &command->parameters[i];
        const char *placeholder = lauka_arena_print(arena, "{%s}", parameter->name);
        if (occurs(source, placeholder) || (name && strstr(name, placeholder)))
            continue;
        command->label = lauka_arena_print(arena, "%s%s%s = %s", command->label, any ? ", " : " (",
                                           parameter->name, parameter->value);
        any = true;
    }
    if (any)
        command->label = lauka_arena_print(arena, "%s)", command->label);
}

static bool fill(const struct lauka_options *options, const struct source *source,
                 struct lauka_command *command, struct lauka_error *error)
{
    struct lauka_arena *arena = options->arena;

    if (source->text) {
        const char *text = lauka_command_substitute(command, source->text);
        return options->run.shell
                   ? lauka_command_for_shell(arena, options->run.shell, text, command, error)
                   : lauka_command_parse(arena, text, command, error);
    }
    char **words = lauka_arena_take(arena, source->count * sizeof *words);
    for (size_t i = 0; i < source->count; i++)
        words[i] = lauka_command_substitute(command, source->words[i]);
    return lauka_command_from_argv(arena, words, source->count, command, error);
}

/* command: its parameters are known. */
static bool make_command(const struct lauka_options *options, const struct source *source,
                         const char *name, struct lauka_command *command, struct lauka_error *error)
{
    const struct lauka_command known = *command;

    if (!fill(options, source, command, error))
        return false;
    command->parameters = known.parameters;
    command->parameter_count = known.parameter_count;
    if (name)
        command->label = lauka_command_substitute(command, name);
    show_unused(source, name, command);
    return true;
}

/* One source for each text, and for each vector after "--", separated by --vs. False if one is empty. */
static bool find_sources(const struct lauka_arguments *words, struct source *sources, size_t *count,
                         struct lauka_error *error)
{
    size_t from = 0, end = words->vector_count;

    for (*count = 0; *count < words->text_count; (*count)++)
        sources[*count] = (struct source){.text = words->texts[*count]};
    for (size_t i = 0; words->vector && i <= end; i++) {
        if (i < end && strcmp(words->vector[i], "--vs") != 0)
            continue;
        if (i == from)
            return lauka_misuse(error, "there is no command %s",
                                i < end ? "before --vs" : "after -- or --vs");
        sources[(*count)++] = (struct source){.words = words->vector + from, .count = i - from};
        from = i + 1;
    }
    return true;
}

/* ---- what they are called, and what is compared ------------------------------------------------- */

/* How words become commands: either each combination of parameters is a benchmark with all sources as its
 * sides, or there is one benchmark and each combination makes sides of its own. */
struct plan {
    const struct source *sources;
    size_t count, combinations;
    bool grouped;
    const char *section; /* borrowed; NULL: none */
};

/* The number of things that names are for: the reference has its own. */
static struct option_sides named_sides(const struct plan *plan)
{
    size_t commands = plan->count * plan->combinations;

    return (struct option_sides){commands,
                                 plan->grouped && plan->count > 0 ? plan->count : commands};
}

static bool check_names(const struct lauka_options *options, const struct plan *plan,
                        struct lauka_error *error)
{
    size_t names = options->run.names.count, commands = plan->count;

    if (options->run.parameter_count > 0)
        return option_check_texts("command-name", &options->run.names, named_sides(plan), error);
    return names <= commands ||
           lauka_misuse(error, "--command-name is given %zu times for %zu command%s", names,
                        commands, commands == 1 ? "" : "s");
}

/* Without parameters, names belong to the first commands; with them, a single name belongs to all. */
static const char *name_of(const struct lauka_options *options, const struct plan *plan,
                           size_t index)
{
    if (options->run.parameter_count > 0)
        return option_text_for(&options->run.names, index, named_sides(plan));
    return index < options->run.names.count ? options->run.names.texts[index] : NULL;
}

/* The name that only this source has, the same in all benchmarks; or NULL. */
static const char *side_name(const struct lauka_options *options, const struct plan *plan,
                             size_t source)
{
    const char *name = name_of(options, plan, source);
    size_t last = (plan->combinations - 1) * plan->count;

    if (!name || name_of(options, plan, last + source) != name)
        return NULL;
    for (size_t s = 0; s < plan->count; s++)
        if (s != source && name_of(options, plan, s) == name)
            return NULL;
    return name;
}

/* The name of a side of several benchmarks: its name, or its text; a nameless side in a
 * section gets its name in sections.c. */
static void call_side(const struct plan *plan, const struct source *source, const char *name,
                      struct lauka_command *command)
{
    if (!name && plan->section)
        return;
    if (!plan->grouped)
        command->side = command->label;
    else if (name || source->text)
        command->side = lauka_arena_text(command->arena, name ? name : source->text);
    else
        command->side = lauka_quote_argv(command->arena, source->words, source->count);
}

static struct lauka_command *next_command(struct lauka_options *options)
{
    struct lauka_command *command = &options->run.commands[options->run.command_count++];

    command->arena = options->arena;
    return command;
}

static bool add_reference(struct lauka_options *options, const struct plan *plan,
                          size_t combination, struct lauka_error *error)
{
    const struct source source = {.text = options->run.reference};
    const char *name = options->run.reference_name;

    if (!source.text)
        return !name || lauka_misuse(error, "--reference-name names what --reference COMMAND adds; "
                                            "-n names the other commands");
    if (!plan->grouped && combination > 0)
        return true;
    struct lauka_command *command = next_command(options);
    if (plan->grouped)
        set_parameters(options, combination, command);
    if (!make_command(options, &source, name, command, error))
        return false;
    call_side(plan, &source, name, command);
    return true;
}

static bool add_command(struct lauka_options *options, const struct plan *plan, size_t index,
                        struct lauka_error *error)
{
    size_t place = index % plan->count;
    const struct source *source = &plan->sources[place];
    const char *name = name_of(options, plan, index);
    struct lauka_command *command = next_command(options);

    set_parameters(options, index / plan->count, command);
    if (!make_command(options, source, name, command, error))
        return false;
    call_side(plan, source, plan->grouped ? side_name(options, plan, place) : name, command);
    return true;
}

static bool make_commands(struct lauka_options *options, const struct plan *plan,
                          struct lauka_error *error)
{
    enum { COPIES = 3 }; /* see option_double_commands */
    size_t sides = plan->count + (options->run.reference != NULL);

    if (plan->combinations == 0)
        return lauka_misuse(error, "the parameters have more than 100000 combinations");
    options->run.commands = lauka_arena_take(options->arena, COPIES * sides * plan->combinations *
                                                                 sizeof *options->run.commands);
    if (!check_names(options, plan, error))
        return false;
    for (size_t combination = 0; combination < plan->combinations; combination++) {
        if (!add_reference(options, plan, combination, error))
            return false;
        for (size_t s = 0; s < plan->count; s++)
            if (!add_command(options, plan, combination * plan->count + s, error))
                return false;
    }
    option_make_benchmarks(options, plan->section, plan->grouped ? plan->combinations : 0);
    return true;
}

/* NAME:COMMAND; a command without a name is called as it is typed. */
static const char *split_service(const char *text, size_t *name_length)
{
    *name_length =
        strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-");
    if (text[*name_length] != ':')
        *name_length = 0;
    return text + *name_length + (*name_length > 0);
}

/* Services take the place of commands, and have their names with them. */
static bool take_services(struct lauka_options *options, struct source *sources, size_t *count,
                          struct lauka_error *error)
{
    const struct lauka_texts *services = &options->service.services;

    if (*count > 0)
        return lauka_misuse(error,
                            "`%.200s` is a command beside --service: services are what is "
                            "compared; give it as one more --service",
                            sources[0].text ? sources[0].text : sources[0].words[0]);
    if (options->run.names.count > 0)
        return lauka_misuse(
            error, "-n names commands; a service has its name in front: --service NAME:COMMAND");
    for (*count = 0; *count < services->count; (*count)++) {
        const char *text = services->texts[*count];
        size_t length;
        sources[*count].text = split_service(text, &length);
        option_add_text(options, &options->run.names,
                        length > 0 ? lauka_arena_piece(options->arena, text, length) : text);
    }
    return true;
}

/* The command is the same for each revision; its side is named after the revision. */
static bool spread_revisions(struct lauka_options *options, struct source *sources, size_t *count,
                             struct lauka_error *error)
{
    if (*count != 1)
        return lauka_misuse(error, "lauka revisions takes one command: it is run by each revision");
    *count = options->run.revisions.count;
    for (size_t i = 0; i < *count; i++) {
        const char *name = options->run.revisions.texts[i];
        sources[i] = sources[0];
        if (options->run.names.count <= i)
            option_add_text(options, &options->run.names,
                            strcmp(name, ".") == 0 ? "working tree" : name);
    }
    return true;
}

bool option_take_commands(const struct lauka_arguments *words, struct lauka_options *options,
                          struct lauka_error *error)
{
    size_t most = words->text_count + words->vector_count + options->run.revisions.count +
                  options->service.services.count + 2;
    struct source *sources = lauka_arena_take(options->arena, most * sizeof *sources);
    struct plan plan = {.sources = sources, .section = words->section};

    bool good = finish_parameters(options, error) &&
                find_sources(words, sources, &plan.count, error) &&
                (options->service.services.count == 0 ||
                 take_services(options, sources, &plan.count, error)) &&
                (options->verb != LAUKA_VERB_REVISIONS ||
                 spread_revisions(options, sources, &plan.count, error));
    if (good && plan.count == 0 && !options->run.reference)
        good = option_refuse_nothing(options, error);
    plan.combinations = count_combinations(options);
    plan.grouped =
        options->run.parameter_count > 0 && (plan.count > 1 || options->verb == LAUKA_VERB_NOISE);
    good = good && make_commands(options, &plan, error);
    if (good)
        option_advise(words, options);
    return good;
}

/* ---- against itself ----------------------------------------------------------------------------- */

/* Makes room behind each for that many copies. */
static void spread_commands(struct lauka_options *options, size_t copies)
{
    for (size_t b = options->run.benchmark_count; b-- > 0;) {
        struct lauka_benchmark *benchmark = &options->run.benchmarks[b];
        size_t to = b * (copies + 1);
        struct lauka_command moved = options->run.commands[b];
        options->run.commands[b] = (struct lauka_command){0};
        options->run.commands[to] = moved;
        benchmark->first = to;
        benchmark->count = copies + 1;
    }
    options->run.command_count = options->run.benchmark_count * (copies + 1);
}

bool option_double_commands(struct lauka_options *options, struct lauka_error *error)
{
    size_t copies = options->judge.gate.tried ? 2 : 1; /* the last one is to be slowed down */

    if (options->run.benchmarks[0].count != 1)
        return lauka_misuse(error, "lauka noise takes one command: it is run against itself");
    spread_commands(options, copies);
    for (size_t c = 0; c < options->run.command_count; c++) {
        size_t copy = c % (copies + 1);
        const char *which = copy == 1                         ? "again"
                            : lauka_slowdown_is_real(options) ? "slowed down"
                                                              : "a third time";
        const struct lauka_command *from = &options->run.commands[c - copy];
        struct lauka_command *to = &options->run.commands[c];
        if (copy == 0)
            continue;
        *to = *from;
        to->label = lauka_arena_print(options->arena, "%s (%s)", from->label, which);
        if (from->side)
            to->side = lauka_arena_print(options->arena, "%s (%s)", from->side, which);
    }
    return true;
}
