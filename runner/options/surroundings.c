/* What surrounds commands: what they read, where their output goes, and hooks. */
#include "runner/options/options.h"
#include "runner/options/table.h"
#include "runner/options/values.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/options.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool keep_path(const struct lauka_command *command, const char *text, char **path,
                      struct lauka_error *error)
{
    *path = lauka_command_substitute(command, text);
    return *path || lauka_fail_memory(error);
}

static bool direct_output(const char *where, struct lauka_command *command,
                          struct lauka_error *error)
{
    static const char *const ways[] = {
        [LAUKA_OUTPUT_NULL] = "null",
        [LAUKA_OUTPUT_PIPE] = "pipe",
        [LAUKA_OUTPUT_INHERIT] = "inherit",
    };

    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (strcmp(where, ways[i]) == 0) {
            command->output = (enum lauka_output_way)i;
            return true;
        }
    if (!strchr(where, '/')) /* a misspelt word must not become a file */
        return lauka_fail(error, LAUKA_EXIT_USAGE,
                          "--output %.200s: expected null, pipe, inherit or a file; for a file of "
                          "this name, type ./%.200s",
                          where, where);
    command->output = LAUKA_OUTPUT_FILE;
    return keep_path(command, where, &command->output_file, error);
}

static bool direct_input(const char *from, struct lauka_command *command, struct lauka_error *error)
{
    if (strcmp(from, "null") == 0)
        return true;
    if (!keep_path(command, from, &command->input_file, error))
        return false;
    if (command->hooks[LAUKA_HOOK_SETUP] || command->hooks[LAUKA_HOOK_PREPARE])
        return true; /* which may make the file */
    return faccessat(AT_FDCWD, command->input_file, R_OK, AT_EACCESS) == 0 ||
           lauka_fail(error, LAUKA_EXIT_USAGE, "--input %.300s: %s", command->input_file,
                      strerror(errno));
}

/* A document that commands write into is spoilt, and annotations that they could write would be anybody's. */
static bool check_stdout_is_ours(const struct lauka_options *options, struct lauka_error *error)
{
    bool ours = options->github || lauka_outputs_take_stdout(options);

    for (size_t i = 0; ours && i < options->command_count; i++)
        if (options->commands[i].output == LAUKA_OUTPUT_INHERIT)
            return lauka_fail(error, LAUKA_EXIT_USAGE,
                              "--show-output lets commands write to stdout, where %s",
                              options->github ? "--github writes its annotations"
                                              : "a document goes: name a file for it, as in "
                                                "--json=FILE");
    return true;
}

/* --show-output is like an --output that nobody would count. */
static bool check_output_options(const struct lauka_options *options, struct lauka_error *error)
{
    const char *to = NULL;

    for (size_t i = 0; i < options->arguments->given_count; i++) {
        const struct lauka_given *given = &options->arguments->given[i];
        size_t ignored;
        if (given->row->id == OPTION_OUTPUT &&
            option_letter_end(given->text, &ignored) == given->text)
            to = given->text;
    }
    return !to || !lauka_arguments_find(options->arguments, OPTION_SHOW_OUTPUT) ||
           lauka_fail(error, LAUKA_EXIT_USAGE,
                      "--show-output and --output %.200s exclude each other: both set the same "
                      "output (--output B:... is for one command)",
                      to);
}

bool option_direct_streams(struct lauka_options *options, struct lauka_error *error)
{
    size_t count = options->command_count;
    struct option_sides among = option_sides_of(options);

    if (!check_output_options(options, error))
        return false;
    if (!option_check_texts("input", &options->inputs_from, among, error) ||
        !option_check_texts("output", &options->outputs_to, among, error))
        return false;
    for (size_t i = 0; i < count; i++) {
        const char *from = option_text_for(&options->inputs_from, i, among);
        const char *to = option_text_for(&options->outputs_to, i, among);
        if ((from && !direct_input(from, &options->commands[i], error)) ||
            (to && !direct_output(to, &options->commands[i], error)))
            return false;
    }
    return check_stdout_is_ours(options, error);
}

/* ---- what is run around them --------------------------------------------------------------------- */

static const char *const names[LAUKA_HOOKS] = {
    [LAUKA_HOOK_SETUP] = "setup",
    [LAUKA_HOOK_PREPARE] = "prepare",
    [LAUKA_HOOK_CONCLUDE] = "conclude",
    [LAUKA_HOOK_CLEANUP] = "cleanup",
};

/* A blank text means nothing: so a single command can go without. */
static bool attach(const char *text, struct lauka_command *command, char **hook,
                   struct lauka_error *error)
{
    if (!text || text[strspn(text, " \t\n")] == '\0')
        return true;
    *hook = lauka_command_substitute(command, text);
    return *hook || lauka_fail_memory(error);
}

bool option_attach_hooks(struct lauka_options *options, struct lauka_error *error)
{
    struct option_sides among = option_sides_of(options);

    for (size_t h = 0; h < LAUKA_HOOKS; h++) {
        const struct lauka_texts *texts = &options->hooks[h];
        if (!option_check_texts(names[h], texts, among, error))
            return false;
        for (size_t c = 0; c < options->command_count; c++) {
            struct lauka_command *command = &options->commands[c];
            if (!attach(option_text_for(texts, c, among), command, &command->hooks[h], error))
                return false;
        }
    }
    return true;
}
