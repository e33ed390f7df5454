/* Commands with a tool in front of them. */
#include "runner/session/tool.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/launch/launch.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static size_t count_words(const char *const *words)
{
    size_t count = 0;

    while (words[count])
        count++;
    return count;
}

/* An owned array of borrowed words; NULL without memory. */
static char **join(const char *const *first, const char *const *second)
{
    size_t ahead = count_words(first), behind = count_words(second);
    char **words = calloc(ahead + behind + 1, sizeof *words);

    if (words) {
        memcpy(words, first, ahead * sizeof *words);
        memcpy(words + ahead, second, behind * sizeof *words);
    }
    return words;
}

bool lauka_tool_add(const struct lauka_tool *tool, const struct lauka_command *command,
                    struct lauka_launcher *launcher, struct lauka_error *error)
{
    struct lauka_command wrapped = *command; /* borrows */
    uint64_t longest_ns = UINT64_MAX / tool->slower;

    wrapped.argv = join(tool->words, (const char *const *)command->argv);
    if (!wrapped.argv)
        return lauka_fail_memory(error);
    wrapped.path = (char *)(uintptr_t)tool->path;
    wrapped.timeout_ns = command->timeout_ns < longest_ns ? command->timeout_ns * tool->slower : 0;
    bool good = lauka_launcher_add(launcher, &wrapped, error);
    free(wrapped.argv);
    return good;
}
