/* What is run: the options about commands, and the commands themselves. */
#include "runner/options/options.h"
#include "runner/options/table.h"
#include "runner/options/values.h"
#include "report/result/result.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/gate/gate.h"
#include "runner/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool parse_codes(const char *text, struct lauka_options *options, struct lauka_error *error)
{
    if (!text || strcmp(text, "all-non-zero") == 0) {
        options->accept_all_failures = true;
        return true;
    }
    size_t code;
    for (const char *next; *text; text = next) {
        next = option_next_code(text, &code);
        if (!next)
            return lauka_fail(
                error, LAUKA_EXIT_USAGE,
                "--ignore-failure=%.100s: expected exit codes from 0 to 255, separated by commas",
                text);
        options->accept_exit_code[code] = true;
    }
    return true;
}

static bool parse_shell(const char *text, struct lauka_options *options, struct lauka_error *error)
{
    options->shell = strcmp(text, "none") == 0      ? NULL
                     : strcmp(text, "default") == 0 ? LAUKA_SHELL
                                                    : text;
    return *text ||
           lauka_fail(error, LAUKA_EXIT_USAGE,
                      "--shell is empty: 'default' is " LAUKA_SHELL ", 'none' is no shell");
}

bool option_take_command(int id, const char *text, char *const *rest, struct lauka_options *options,
                         struct lauka_error *error)
{
    switch (id) {
    case OPTION_PARAMETER_SCAN:
    case OPTION_PARAMETER_LIST:
        return option_take_parameter(id, text, rest, options, error);
    case OPTION_IGNORE:
    case OPTION_ALLOW:
        return parse_codes(text, options, error);
    default: /* OPTION_SHELL, OPTION_SHELL_MODE, OPTION_NO_SHELL: the group has no other */
        return parse_shell(text, options, error);
    }
}

/* ---- the commands ------------------------------------------------------------------------------- */

static bool make_of_text(const struct lauka_options *options, const char *text,
                         struct lauka_command *command, struct lauka_error *error)
{
    struct lauka_command made = {0};
    char *filled = lauka_command_substitute(command, text);

    if (!filled)
        return lauka_fail_memory(error);
    bool good = options->shell ? lauka_command_for_shell(options->shell, filled, &made, error)
                               : lauka_command_parse(filled, &made, error);
    free(filled);
    command->argv = made.argv;
    command->label = made.label;
    return good;
}

static bool make_of_vector(char *const *words, size_t count, struct lauka_command *command,
                           struct lauka_error *error)
{
    struct lauka_command made = {0};
    char **filled = calloc(count + 1, sizeof *filled);
    bool good = filled != NULL;

    for (size_t i = 0; good && i < count; i++)
        good = (filled[i] = lauka_command_substitute(command, words[i])) != NULL;
    good = good ? lauka_command_from_argv(filled, count, &made, error) : lauka_fail_memory(error);
    for (size_t i = 0; filled && filled[i]; i++)
        free(filled[i]);
    free(filled);
    command->argv = made.argv;
    command->label = made.label;
    return good;
}

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
static bool show_unused(const struct source *source, const char *name,
                        struct lauka_command *command, struct lauka_error *error)
{
    bool opened = false;

    for (size_t i = 0; i < command->parameter_count; i++) {
        const struct lauka_parameter_value *parameter = &command->parameters[i];
        char *placeholder = NULL, *longer = NULL;
        if (asprintf(&placeholder, "{%s}", parameter->name) < 0)
            return lauka_fail_memory(error);
        bool shown = occurs(source, placeholder) || (name && strstr(name, placeholder));
        free(placeholder);
        if (shown)
            continue;
        command->label[strlen(command->label) - opened] = '\0'; /* the bracket closes later */
        if (asprintf(&longer, "%s%s%s = %s)", command->label, opened ? ", " : " (", parameter->name,
                     parameter->value) < 0)
            return lauka_fail_memory(error);
        free(command->label);
        command->label = longer;
        opened = true;
    }
    return true;
}

static bool name_command(const struct source *source, const char *name,
                         struct lauka_command *command, struct lauka_error *error)
{
    if (name) {
        free(command->label);
        command->label = lauka_command_substitute(command, name);
        if (!command->label)
            return lauka_fail_memory(error);
    }
    return show_unused(source, name, command, error);
}

static bool make_command(const struct lauka_options *options, const struct source *source,
                         const char *name, struct lauka_command *command, struct lauka_error *error)
{
    bool good = source->text ? make_of_text(options, source->text, command, error)
                             : make_of_vector(source->words, source->count, command, error);

    return good && name_command(source, name, command, error);
}

/* One source for each text, and for each vector after "--", separated by --vs. False if one is empty. */
static bool find_sources(const struct option_words *words, struct source *sources, size_t *count,
                         struct lauka_error *error)
{
    size_t from = 0, end = words->vector_count;

    for (*count = 0; *count < words->text_count; (*count)++)
        sources[*count] = (struct source){.text = words->texts[*count]};
    for (size_t i = 0; words->vector && i <= end; i++) {
        if (i < end && strcmp(words->vector[i], "--vs") != 0)
            continue;
        if (i == from)
            return lauka_fail(error, LAUKA_EXIT_USAGE, "there is no command %s",
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
    size_t names = options->names.count, commands = plan->count;

    if (options->parameter_count > 0)
        return option_check_texts("command-name", &options->names, named_sides(plan), error);
    return names <= commands || lauka_fail(error, LAUKA_EXIT_USAGE,
                                           "--command-name is given %zu times for %zu command%s",
                                           names, commands, commands == 1 ? "" : "s");
}

/* Without parameters, names belong to the first commands; with them, a single name belongs to all. */
static const char *name_of(const struct lauka_options *options, const struct plan *plan,
                           size_t index)
{
    if (options->parameter_count > 0)
        return option_text_for(&options->names, index, named_sides(plan));
    return index < options->names.count ? options->names.texts[index] : NULL;
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

/* The name of a side of several benchmarks: its name, or its text; for a nameless side in a section,
 * whatever option_name_sides says. */
static bool call_side(const struct plan *plan, const struct source *source, const char *name,
                      struct lauka_command *command, struct lauka_error *error)
{
    if (!name && plan->section)
        return true;
    if (!plan->grouped)
        command->side = strdup(command->label);
    else if (name || source->text)
        command->side = strdup(name ? name : source->text);
    else
        command->side = lauka_quote_argv(source->words, source->count);
    return command->side || lauka_fail_memory(error);
}

static bool add_reference(struct lauka_options *options, const struct plan *plan,
                          size_t combination, struct lauka_error *error)
{
    const struct source source = {.text = options->reference};
    const char *name = options->reference_name;

    if (!source.text)
        return !name || lauka_fail(error, LAUKA_EXIT_USAGE,
                                   "--reference-name names what --reference COMMAND adds; -n names "
                                   "the other commands");
    if (!plan->grouped && combination > 0)
        return true;
    struct lauka_command *command = &options->commands[options->command_count++];
    return (!plan->grouped || option_set_parameters(options, combination, command, error)) &&
           make_command(options, &source, name, command, error) &&
           call_side(plan, &source, name, command, error);
}

static bool add_command(struct lauka_options *options, const struct plan *plan, size_t index,
                        struct lauka_error *error)
{
    size_t place = index % plan->count;
    const struct source *source = &plan->sources[place];
    const char *name = name_of(options, plan, index);
    struct lauka_command *command = &options->commands[options->command_count++];

    return option_set_parameters(options, index / plan->count, command, error) &&
           make_command(options, source, name, command, error) &&
           call_side(plan, source, plan->grouped ? side_name(options, plan, place) : name, command,
                     error);
}

static bool make_commands(struct lauka_options *options, const struct plan *plan,
                          struct lauka_error *error)
{
    enum { COPIES = 3 }; /* see option_double_commands */
    size_t sides = plan->count + (options->reference != NULL);

    if (plan->combinations == 0)
        return lauka_fail(error, LAUKA_EXIT_USAGE,
                          "the parameters have more than 100000 combinations");
    options->commands = calloc(COPIES * sides * plan->combinations, sizeof *options->commands);
    if (!options->commands)
        return lauka_fail_memory(error);
    if (!check_names(options, plan, error))
        return false;
    for (size_t combination = 0; combination < plan->combinations; combination++) {
        if (!add_reference(options, plan, combination, error))
            return false;
        for (size_t s = 0; s < plan->count; s++)
            if (!add_command(options, plan, combination * plan->count + s, error))
                return false;
    }
    return option_make_benchmarks(options, plan->section, plan->grouped ? plan->combinations : 0,
                                  error);
}

/* The command is the same for each revision; its side is named after the revision. */
static bool spread_revisions(struct lauka_options *options, struct source *sources, size_t *count,
                             struct lauka_error *error)
{
    if (*count != 1)
        return lauka_fail(error, LAUKA_EXIT_USAGE,
                          "lauka revisions takes one command: it is run by each revision");
    *count = options->revisions.count;
    for (size_t i = 0; i < *count; i++) {
        const char *name = options->revisions.texts[i];
        sources[i] = sources[0];
        if (options->names.count <= i &&
            !option_add_text(&options->names, strcmp(name, ".") == 0 ? "working tree" : name,
                             error))
            return false;
    }
    return true;
}

bool option_take_commands(const struct option_words *words, struct lauka_options *options,
                          struct lauka_error *error)
{
    struct source *sources = calloc(
        words->text_count + words->vector_count + options->revisions.count + 2, sizeof *sources);
    struct plan plan = {.sources = sources, .section = words->section};

    if (!sources)
        return lauka_fail_memory(error);
    bool good = option_finish_parameters(options, error) &&
                find_sources(words, sources, &plan.count, error) &&
                (options->verb != LAUKA_VERB_REVISIONS ||
                 spread_revisions(options, sources, &plan.count, error));
    if (good && plan.count == 0 && !options->reference)
        good = option_refuse_nothing(options, error);
    plan.combinations = option_combinations(options);
    plan.grouped =
        options->parameter_count > 0 && (plan.count > 1 || options->verb == LAUKA_VERB_NOISE);
    good = good && make_commands(options, &plan, error);
    free(sources);
    if (good)
        option_advise(words, options);
    return good;
}

/* ---- against itself ----------------------------------------------------------------------------- */

/* "NAME (WHICH)"; owned. */
static char *name_copy(const char *name, const char *which)
{
    char *text = NULL;

    return asprintf(&text, "%s (%s)", name, which) < 0 ? NULL : text;
}

static bool copy_command(const struct lauka_command *from, const char *which,
                         struct lauka_command *to, struct lauka_error *error)
{
    size_t words = lauka_words_count((const char *const *)from->argv);

    if (!lauka_command_from_argv(from->argv, words, to, error))
        return false;
    free(to->label); /* quoted anew */
    to->label = name_copy(from->label, which);
    to->side = from->side ? name_copy(from->side, which) : NULL;
    if (!to->label || (from->side && !to->side))
        return lauka_fail_memory(error);
    for (size_t p = 0; p < from->parameter_count; p++)
        if (lauka_parameters_add(&to->parameters, &to->parameter_count, from->parameters[p].name,
                                 from->parameters[p].value) != 0)
            return lauka_fail_memory(error);
    return true;
}

/* Makes room behind each for that many copies. */
static void spread_commands(struct lauka_options *options, size_t copies)
{
    for (size_t b = options->benchmark_count; b-- > 0;) {
        struct lauka_benchmark *benchmark = &options->benchmarks[b];
        size_t to = b * (copies + 1);
        struct lauka_command moved = options->commands[b];
        options->commands[b] = (struct lauka_command){0};
        options->commands[to] = moved;
        benchmark->first = to;
        benchmark->count = copies + 1;
    }
    options->command_count = options->benchmark_count * (copies + 1);
}

bool option_double_commands(struct lauka_options *options, struct lauka_error *error)
{
    size_t copies = options->gate.tried ? 2 : 1; /* the last one is to be slowed down */

    if (options->benchmarks[0].count != 1)
        return lauka_fail(error, LAUKA_EXIT_USAGE,
                          "lauka noise takes one command: it is run against itself");
    spread_commands(options, copies);
    for (size_t c = 0; c < options->command_count; c++) {
        size_t copy = c % (copies + 1);
        const char *which = copy == 1                         ? "again"
                            : lauka_slowdown_is_real(options) ? "slowed down"
                                                              : "a third time";
        if (copy > 0 &&
            !copy_command(&options->commands[c - copy], which, &options->commands[c], error))
            return false;
    }
    return true;
}
