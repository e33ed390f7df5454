/* What is run: the options about commands, and the commands themselves. */
#include "runner/options/options.h"
#include "runner/options/table.h"
#include "report/result/result.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/gate/gate.h"
#include "runner/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
        return options->shell ? lauka_command_for_shell(arena, options->shell, text, command, error)
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
    struct lauka_command *command = &options->commands[options->command_count++];

    command->arena = options->arena;
    return command;
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
    struct lauka_command *command = next_command(options);
    if (plan->grouped)
        option_set_parameters(options, combination, command);
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

    option_set_parameters(options, index / plan->count, command);
    if (!make_command(options, source, name, command, error))
        return false;
    call_side(plan, source, plan->grouped ? side_name(options, plan, place) : name, command);
    return true;
}

static bool make_commands(struct lauka_options *options, const struct plan *plan,
                          struct lauka_error *error)
{
    enum { COPIES = 3 }; /* see option_double_commands */
    size_t sides = plan->count + (options->reference != NULL);

    if (plan->combinations == 0)
        return lauka_fail(error, LAUKA_EXIT_USAGE,
                          "the parameters have more than 100000 combinations");
    options->commands = lauka_arena_take(options->arena, COPIES * sides * plan->combinations *
                                                             sizeof *options->commands);
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
        if (options->names.count <= i)
            option_add_text(options, &options->names,
                            strcmp(name, ".") == 0 ? "working tree" : name);
    }
    return true;
}

bool option_take_commands(const struct option_words *words, struct lauka_options *options,
                          struct lauka_error *error)
{
    size_t most = words->text_count + words->vector_count + options->revisions.count + 2;
    struct source *sources = lauka_arena_take(options->arena, most * sizeof *sources);
    struct plan plan = {.sources = sources, .section = words->section};

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
    if (good)
        option_advise(words, options);
    return good;
}

/* ---- against itself ----------------------------------------------------------------------------- */

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
        const struct lauka_command *from = &options->commands[c - copy];
        struct lauka_command *to = &options->commands[c];
        if (copy == 0)
            continue;
        *to = *from;
        to->label = lauka_arena_print(options->arena, "%s (%s)", from->label, which);
        if (from->side)
            to->side = lauka_arena_print(options->arena, "%s (%s)", from->side, which);
    }
    return true;
}
