/* Options of what is run around the commands. */
#include "runner/options/options.h"
#include "runner/options/table.h"
#include "runner/options/values.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/options.h"

#include <stdlib.h>
#include <string.h>

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
