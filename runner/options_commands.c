/* What is run: the options about commands, and the commands themselves. */
#include "runner/option_table.h"
#include "runner/option_values.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool parse_codes(const char *text, struct lauka_options *options, struct lauka_error *error)
{
    if (!text) {
        options->accept_all_failures = true;
        return true;
    }
    for (char *end; *text; text = end + (*end == ',')) {
        long code = strtol(text, &end, 10);
        if (end == text || (*end && *end != ',') || code < 0 || code > 255)
            return lauka_fail(error, LAUKA_EXIT_USAGE,
                              "--ignore-failure=%.100s: exit codes from 0 to 255 are needed, with "
                              "commas between them",
                              text);
        options->accept_exit_code[code] = true;
    }
    return true;
}

static void parse_shell(const char *text, struct lauka_options *options)
{
    if (strcmp(text, "none") == 0)
        options->shell = NULL;
    else
        options->shell = strcmp(text, "default") == 0 ? "sh" : text;
}

bool option_take_command(int id, const char *text, struct lauka_options *options,
                         struct lauka_error *error)
{
    switch (id) {
    case OPTION_SHELL_MODE:
        options->shell = "sh";
        return true;
    case OPTION_SHELL:
        parse_shell(text, options);
        return true;
    case OPTION_IGNORE:
        return parse_codes(text, options, error);
    case OPTION_ENV:
    case OPTION_CWD:
        return true; /* given once the commands are known: options_each.c */
    case OPTION_INPUT:
    case OPTION_OUTPUT:
    case OPTION_SHOW_OUTPUT:
        return option_take_stream(id, text, options, error);
    default: /* OPTION_ALLOW: the group has no other */
        options->accept_all_failures = true;
        return true;
    }
}

/* ---- the commands ------------------------------------------------------------------------------- */

static bool take_texts(char **texts, size_t count, struct lauka_options *options,
                       struct lauka_error *error)
{
    for (size_t i = 0; i < count; i++) {
        struct lauka_command *command = &options->commands[options->command_count];
        bool good = options->shell
                        ? lauka_command_for_shell(options->shell, texts[i], command, error)
                        : lauka_command_parse(texts[i], command, error);
        if (!good)
            return false;
        options->command_count++;
    }
    return true;
}

/* Argument vectors after "--", with --vs between them. */
static bool take_vectors(char **words, size_t count, struct lauka_options *options,
                         struct lauka_error *error)
{
    size_t from = 0;

    for (size_t i = 0; i <= count; i++) {
        if (i < count && strcmp(words[i], "--vs") != 0)
            continue;
        if (i == from)
            return lauka_fail(error, LAUKA_EXIT_USAGE, "there is no command %s",
                              i < count ? "before --vs" : "after -- or --vs");
        if (!lauka_command_from_argv(words + from, i - from,
                                     &options->commands[options->command_count], error))
            return false;
        options->command_count++;
        from = i + 1;
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
    options->commands = calloc(text_count + word_count + 2, sizeof *options->commands);
    if (!options->commands)
        return lauka_fail(error, LAUKA_EXIT_INTERNAL, "out of memory");
    if (!take_texts(texts, text_count, options, error))
        return false;
    if (words && !take_vectors(words, word_count, options, error))
        return false;
    if (options->command_count == 0)
        return lauka_fail(error, LAUKA_EXIT_USAGE,
                          "no command to run: lauka COMMAND [COMMAND...]; see lauka --help");
    if (words && options->command_count == 1)
        hint_at_vs(words, word_count, options);
    return true;
}

static bool copy_command(struct lauka_command *commands, size_t to, struct lauka_error *error)
{
    size_t words = 0;

    while (commands[0].argv[words])
        words++;
    if (!lauka_command_from_argv(commands[0].argv, words, &commands[to], error))
        return false;
    free(commands[to].label); /* quoted anew; all are to be called the same */
    commands[to].label = strdup(commands[0].label);
    return commands[to].label || lauka_fail(error, LAUKA_EXIT_INTERNAL, "out of memory");
}

bool option_double_command(struct lauka_options *options, struct lauka_error *error)
{
    size_t copies = options->gate.tried ? 2 : 1; /* the last one is to be slowed down */

    if (options->command_count != 1)
        return lauka_fail(error, LAUKA_EXIT_USAGE,
                          "lauka noise takes one command: it is run against itself");
    for (size_t i = 1; i <= copies; i++) {
        if (!copy_command(options->commands, i, error))
            return false;
        options->command_count++;
    }
    return true;
}
