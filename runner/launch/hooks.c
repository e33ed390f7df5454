/* What runs around the commands: setups, after which a command is handed to the launcher; preparations and
 * conclusions of its runs; and cleanups. The launcher runs them in a shell, and does not count them. */
#include "runner/launch/launch.h"
#include "runner/launch/launcher.h"
#include "report/result/result.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONE SIZE_MAX

static const char *const names[LAUKA_HOOKS] = {
    [LAUKA_HOOK_SETUP] = "setup command",
    [LAUKA_HOOK_PREPARE] = "preparation command",
    [LAUKA_HOOK_CONCLUDE] = "conclusion command",
    [LAUKA_HOOK_CLEANUP] = "cleanup command",
};

/* It runs where its command does, and with the same environment. */
static bool add_hook(struct lauka_hooks *hooks, size_t command, size_t hook,
                     struct lauka_error *error)
{
    const struct lauka_options *options = hooks->options;
    const struct lauka_command *around = &options->run.commands[command];
    struct lauka_command own;

    if (!lauka_command_for_shell(around->arena,
                                 options->run.shell ? options->run.shell : LAUKA_SHELL,
                                 around->hooks[hook], &own, error))
        return false;
    own.is_hook = true;
    own.output = around->output == LAUKA_OUTPUT_INHERIT ? LAUKA_OUTPUT_INHERIT : LAUKA_OUTPUT_NULL;
    own.environment = around->environment;
    own.directory = around->directory;
    hooks->numbers[command * LAUKA_HOOKS + hook] = lauka_launcher_count_commands(hooks->launcher);
    return lauka_command_locate(&own, error) && lauka_launcher_add(hooks->launcher, &own, error);
}

bool lauka_hooks_hand_over(struct lauka_hooks *hooks, size_t command, struct lauka_error *error)
{
    struct lauka_command *own = &hooks->options->run.commands[command];

    if (hooks->command_numbers[command] != NONE)
        return true;
    size_t number = lauka_launcher_count_commands(hooks->launcher);
    if (!lauka_command_locate(own, error) || !lauka_launcher_add(hooks->launcher, own, error))
        return false;
    hooks->command_numbers[command] = number;
    return true;
}

/* Whether the program may be made by its preparation: then it is looked up after that. */
static bool is_made_later(const struct lauka_hooks *hooks, size_t command)
{
    struct lauka_command *own = &hooks->options->run.commands[command];
    struct lauka_error ignored;

    return own->hooks[LAUKA_HOOK_PREPARE] && !lauka_command_locate(own, &ignored);
}

bool lauka_hooks_init(struct lauka_hooks *hooks, const struct lauka_options *options,
                      struct lauka_launcher *launcher, struct lauka_error *error)
{
    size_t commands = options->run.command_count, count = commands * LAUKA_HOOKS;
    bool good = true;

    *hooks = (struct lauka_hooks){
        .options = options,
        .launcher = launcher,
        .numbers = malloc(count * sizeof *hooks->numbers),
        .command_numbers = malloc(commands * sizeof *hooks->command_numbers),
        .begun = calloc(commands, sizeof *hooks->begun),
        .executables = calloc(commands, sizeof *hooks->executables),
    };
    if (!hooks->numbers || !hooks->command_numbers || !hooks->begun || !hooks->executables)
        return lauka_fail_memory(error);
    for (size_t i = 0; i < commands; i++)
        hooks->command_numbers[i] = NONE;
    for (size_t i = 0; i < count; i++)
        hooks->numbers[i] = NONE;
    for (size_t i = 0; good && i < count; i++)
        if (options->run.commands[i / LAUKA_HOOKS].hooks[i % LAUKA_HOOKS])
            good = add_hook(hooks, i / LAUKA_HOOKS, i % LAUKA_HOOKS, error);
    /* What cannot be started is known before setups. */
    for (size_t i = 0;
         good && i < (options->measure.order == LAUKA_ORDER_SEQUENTIAL ? 1 : commands); i++)
        if (!options->run.commands[i].hooks[LAUKA_HOOK_SETUP])
            good = is_made_later(hooks, i) || lauka_hooks_hand_over(hooks, i, error);
    return good;
}

enum lauka_hook_end lauka_hooks_run(struct lauka_hooks *hooks, size_t command, enum lauka_hook hook,
                                    struct lauka_failure *failure, struct lauka_error *error)
{
    size_t number = hooks->numbers[command * LAUKA_HOOKS + hook], size;

    if (number == NONE)
        return LAUKA_HOOK_DONE;
    *failure = (struct lauka_failure){.command = command, .hook = names[hook]};
    if (!lauka_launcher_run(hooks->launcher, number, &failure->sample, error))
        return LAUKA_HOOK_BROKEN;
    if (failure->sample.outcome == LAUKA_EXITED && failure->sample.code == 0)
        return LAUKA_HOOK_DONE;
    const char *tail = lauka_launcher_stderr(hooks->launcher, &size);
    memcpy(failure->stderr_tail, tail, size);
    failure->stderr_tail[size] = '\0';
    return LAUKA_HOOK_FAILED;
}

/* ---- setups ----------------------------------------------------------------------------------------- */

/* The file whose change would matter: the program or, in a shell, the first word if that names a file.
 * Owned by the caller; NULL if there is none. */
static char *watched_file(const struct lauka_options *options, const struct lauka_command *command)
{
    size_t last = 0;

    if (!options->run.shell)
        return strdup(command->path);
    while (command->argv[last + 1])
        last++;
    const char *text = command->argv[last] + strspn(command->argv[last], " \t\n");
    size_t length = strcspn(text, " \t\n;|&<>()'\"\\$`*?[#~=");
    return memchr(text, '/', length) ? strndup(text, length) : NULL;
}

enum lauka_hook_end lauka_hooks_set_up(struct lauka_hooks *hooks, size_t command,
                                       struct lauka_failure *failure, struct lauka_error *error)
{
    const struct lauka_command *own = &hooks->options->run.commands[command];
    struct lauka_executable *executable = &hooks->executables[command];

    hooks->begun[command] = true;
    enum lauka_hook_end end = lauka_hooks_run(hooks, command, LAUKA_HOOK_SETUP, failure, error);
    if (end != LAUKA_HOOK_DONE)
        return end;
    if (is_made_later(hooks, command))
        return LAUKA_HOOK_DONE;
    if (!lauka_hooks_hand_over(hooks, command, error))
        return LAUKA_HOOK_BROKEN;
    char *path = own->hooks[LAUKA_HOOK_SETUP] ? watched_file(hooks->options, own) : NULL;
    executable->known = path && lauka_executable_read(path, executable) == 0;
    free(path);
    return LAUKA_HOOK_DONE;
}

/* A file of its own for each command: PATH-{v}, with the names that the user gave. */
static void suggest_path(const char *path, const struct lauka_command *last, char *text,
                         size_t size)
{
    size_t used = (size_t)snprintf(text, size, "%.200s", path);

    for (size_t i = 0; i < last->parameter_count && used + 110 < size; i++)
        used += (size_t)snprintf(text + used, size - used, "-{%.100s}", last->parameters[i].name);
    if (last->parameter_count == 0)
        snprintf(text + used, size - used, "-1 and %.200s-2", path);
}

bool lauka_hooks_check(const struct lauka_hooks *hooks, struct lauka_error *error)
{
    const struct lauka_command *last =
        &hooks->options->run.commands[hooks->options->run.command_count - 1];
    char own_path[600];

    if (hooks->options->measure.order == LAUKA_ORDER_SEQUENTIAL)
        return true;
    for (size_t c = 0; c + 1 < hooks->options->run.command_count; c++) {
        const struct lauka_command *own = &hooks->options->run.commands[c];
        if (!hooks->executables[c].known)
            continue;
        char *path = watched_file(hooks->options, own);
        bool same = !path || lauka_executable_is_same(path, &hooks->executables[c]);
        if (!same) {
            suggest_path(path, last, own_path, sizeof own_path);
            lauka_fail(error, LAUKA_EXIT_USAGE,
                       "%.200s: the --setup of a later command changed %.200s, which interleaved "
                       "rounds would then run for both: give each command a file of its own (such "
                       "as %s), or use --order sequential, which runs one command after the "
                       "other",
                       own->label, path, own_path);
        }
        free(path);
        if (!same)
            return false;
    }
    return true;
}

/* ---- the end ---------------------------------------------------------------------------------------- */

enum lauka_hook_end lauka_hooks_clean_up(struct lauka_hooks *hooks, size_t command,
                                         struct lauka_failure *failure, struct lauka_error *error)
{
    if (!hooks->begun || !hooks->begun[command])
        return LAUKA_HOOK_DONE;
    hooks->begun[command] = false;
    lauka_launcher_forget_interruption(hooks->launcher);
    return lauka_hooks_run(hooks, command, LAUKA_HOOK_CLEANUP, failure, error);
}

void lauka_hooks_done(struct lauka_hooks *hooks)
{
    free(hooks->numbers);
    free(hooks->command_numbers);
    free(hooks->begun);
    free(hooks->executables);
    *hooks = (struct lauka_hooks){0};
}
