/* The children of the calling process, on Linux. They are found in /proc: the kernel lists them there, or, where it
 * was built without that list, a process is one if we are its parent. */
#include "runner/base/base.h"
#include "pmu/events/events.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The fourth field of /proc/PID/stat, behind the name in parentheses, which may hold anything. */
static pid_t parent_of(const char *pid)
{
    char file[64], text[512];

    snprintf(file, sizeof file, "%.20s/stat", pid);
    lauka_sysfs_take("/proc", file, text, sizeof text);
    const char *name_end = strrchr(text, ')');
    return name_end && strlen(name_end) > 4 ? (pid_t)atoi(name_end + 4) : -1;
}

/* The kernel's own list also has children that hidepid hides in /proc: those that execute what may only be executed.
 * A number that the end of the text may have cut is left for the next pass. */
static size_t visit_listed(bool (*visit)(pid_t pid, void *context), void *context)
{
    char text[4096], *end;
    size_t visited = 0;

    lauka_sysfs_take("/proc", "thread-self/children", text, sizeof text);
    for (char *at = text; *at; at = end) {
        long pid = strtol(at, &end, 10);
        if (end == at || *end != ' ')
            break;
        visited += visit((pid_t)pid, context);
        end += strspn(end, " ");
    }
    return visited;
}

static size_t visit_found(bool (*visit)(pid_t pid, void *context), void *context)
{
    size_t visited = 0;
    DIR *processes = opendir("/proc");
    struct dirent *entry;

    while (processes && (entry = readdir(processes))) {
        pid_t pid = (pid_t)atoi(entry->d_name);
        if (pid > 0 && parent_of(entry->d_name) == getpid())
            visited += visit(pid, context);
    }
    if (processes)
        closedir(processes);
    return visited;
}

/* In a PID namespace whose /proc is still that of another one, all numbers there are of other processes. */
static bool has_own_proc(void)
{
    char text[64];

    lauka_sysfs_take("/proc", "self/stat", text, sizeof text);
    return atoi(text) == getpid();
}

size_t lauka_children_visit(bool (*visit)(pid_t pid, void *context), void *context)
{
    if (!has_own_proc())
        return 0;
    size_t visited = visit_listed(visit, context);
    return visited > 0 ? visited : visit_found(visit, context);
}
