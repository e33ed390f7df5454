/* Commands with a tool in front of them, such as valgrind or strace. */
#ifndef LAUKA_RUNNER_SESSION_TOOL_H
#define LAUKA_RUNNER_SESSION_TOOL_H

#include <stdbool.h>
#include <stddef.h>

struct lauka_command;
struct lauka_error;
struct lauka_launcher;

struct lauka_tool {           /* borrowed */
    const char *path;         /* of its program */
    const char *const *words; /* its own, NULL-terminated; the first is its name */
    unsigned slower;          /* no command takes more than so many times as long under it */
};

/* Adds the command under the tool to those that the launcher knows, and gives it time enough. */
bool lauka_tool_add(const struct lauka_tool *tool, const struct lauka_command *command,
                    struct lauka_launcher *launcher, struct lauka_error *error);

#endif
