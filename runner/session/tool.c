/* Commands with a tool in front of them. */
#include "runner/session/tool.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/launch/launch.h"

#include <stdint.h>
#include <stdlib.h>

bool lauka_tool_add(const struct lauka_tool *tool, const struct lauka_command *command,
                    struct lauka_launcher *launcher, struct lauka_error *error)
{
    struct lauka_command wrapped = *command; /* borrows */
    uint64_t longest_ns = UINT64_MAX / tool->slower;

    wrapped.argv = lauka_words_join(tool->words, (const char *const *)command->argv);
    if (!wrapped.argv)
        return lauka_fail_memory(error);
    wrapped.path = (char *)(uintptr_t)tool->path;
    wrapped.timeout_ns = command->timeout_ns < longest_ns ? command->timeout_ns * tool->slower : 0;
    bool good = lauka_launcher_add(launcher, &wrapped, error);
    free(wrapped.argv);
    return good;
}
