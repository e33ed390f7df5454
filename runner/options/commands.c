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
            return lauka_fail(error, LAUKA_EXIT_USAGE,
                              "--ignore-failure=%.100s: exit codes from 0 to 255 are needed, with "
                              "commas between them",
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

/* One source per text, and per vector after "--", with --vs between them. False where one is
 * empty. */
static bool find_sources(char *const *texts, size_t text_count, char *const *words,
                         size_t word_count, struct source *sources, size_t *count,
                         struct lauka_error *error)
{
    size_t from = 0;

    for (*count = 0; *count < text_count; (*count)++)
        sources[*count] = (struct source){.text = texts[*count]};
    for (size_t i = 0; words && i <= word_count; i++) {
        if (i < word_count && strcmp(words[i], "--vs") != 0)
            continue;
        if (i == from)
            return lauka_fail(error, LAUKA_EXIT_USAGE, "there is no command %s",
                              i < word_count ? "before --vs" : "after -- or --vs");
        sources[(*count)++] = (struct source){.words = words + from, .count = i - from};
        from = i + 1;
    }
    return true;
}

static bool check_names(const struct lauka_options *options, size_t commands,
                        struct lauka_error *error)
{
    size_t names = options->names.count;

    if (options->parameter_count > 0)
        return option_check_texts("command-name", &options->names, commands, error);
    return names <= commands || lauka_fail(error, LAUKA_EXIT_USAGE,
                                           "--command-name is given %zu times for %zu command%s",
                                           names, commands, commands == 1 ? "" : "s");
}

/* Without parameters, names belong to the first commands; with them, a single one to all. */
static const char *name_of(const struct lauka_options *options, size_t index)
{
    if (options->parameter_count > 0)
        return option_text_for(&options->names, index);
    return index < options->names.count ? options->names.texts[index] : NULL;
}

static bool make_reference(struct lauka_options *options, struct lauka_error *error)
{
    const struct source source = {.text = options->reference};

    if (!source.text)
        return !options->reference_name ||
               lauka_fail(error, LAUKA_EXIT_USAGE,
                          "--reference-name names what --reference COMMAND adds; -n names the "
                          "other commands");
    return make_command(options, &source, options->reference_name,
                        &options->commands[options->command_count++], error);
}

static bool make_commands(struct lauka_options *options, const struct source *sources, size_t count,
                          struct lauka_error *error)
{
    size_t combinations = option_combinations(options);

    if (combinations == 0)
        return lauka_fail(error, LAUKA_EXIT_USAGE,
                          "the parameters have more than 100000 combinations");
    options->commands = calloc(count * combinations + 3, sizeof *options->commands);
    if (!options->commands)
        return lauka_fail_memory(error);
    if (!check_names(options, count * combinations, error) || !make_reference(options, error))
        return false;
    for (size_t i = 0; i < count * combinations; i++) {
        struct lauka_command *command = &options->commands[options->command_count++];
        if (!option_set_parameters(options, i / count, command, error) ||
            !make_command(options, &sources[i % count], name_of(options, i), command, error))
            return false;
    }
    return true;
}

/* One vector of which every word can be run: somebody meant several commands. */
static void hint_at_vs(char *const *words, size_t count, struct lauka_options *options)
{
    bool programs = count > 1;

    for (size_t i = 0; i < count; i++)
        programs = programs && strchr(words[i], '/') && access(words[i], X_OK) == 0;
    options->hint_vs = programs;
}

bool option_take_commands(char **texts, size_t text_count, char **words, size_t word_count,
                          struct lauka_options *options, struct lauka_error *error)
{
    struct source *sources = calloc(text_count + word_count + 2, sizeof *sources);
    size_t count;

    if (!sources)
        return lauka_fail_memory(error);
    bool good = option_finish_parameters(options, error) &&
                find_sources(texts, text_count, words, word_count, sources, &count, error);
    if (good && count == 0 && !options->reference)
        good = lauka_fail(error, LAUKA_EXIT_USAGE,
                          "no command to run: lauka COMMAND [COMMAND...]; see lauka --help");
    good = good && make_commands(options, sources, count, error);
    free(sources);
    if (good && words && options->command_count == 1)
        hint_at_vs(words, word_count, options);
    return good;
}

static bool copy_command(struct lauka_command *commands, size_t to, const char *which,
                         struct lauka_error *error)
{
    size_t words = 0;

    while (commands[0].argv[words])
        words++;
    if (!lauka_command_from_argv(commands[0].argv, words, &commands[to], error))
        return false;
    free(commands[to].label); /* quoted anew */
    commands[to].label = NULL;
    if (asprintf(&commands[to].label, "%s (%s)", commands[0].label, which) >= 0)
        return true;
    commands[to].label = NULL;
    return lauka_fail_memory(error);
}

bool option_double_command(struct lauka_options *options, struct lauka_error *error)
{
    size_t copies = options->gate.tried ? 2 : 1; /* the last one is to be slowed down */

    if (options->command_count != 1)
        return lauka_fail(error, LAUKA_EXIT_USAGE,
                          "lauka noise takes one command: it is run against itself");
    for (size_t i = 1; i <= copies; i++) {
        const char *which = i == 1                            ? "again"
                            : lauka_slowdown_is_real(options) ? "slowed down"
                                                              : "a third time";
        if (!copy_command(options->commands, i, which, error) ||
            !option_set_parameters(options, 0, &options->commands[i], error))
            return false;
        options->command_count++;
    }
    return true;
}
