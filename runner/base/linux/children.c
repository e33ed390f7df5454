/* The children of the calling process, on Linux. They are found in /proc: a process is one if we are its parent. Where
 * that is missing, or hides processes (hidepid), the kernel is asked of each number whether it is a child's. */
#include "runner/base/base.h"
#include "pmu/events/events.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct visits {
    bool (*visit)(pid_t pid, void *context);
    void *context;
    size_t children, visited;
};

/* Only the kernel knows for certain that it is a child, and that it lives: the /proc of another namespace has other
 * numbers. */
static void meet(struct visits *visits, pid_t pid)
{
    if (lauka_look_at_process(pid, WEXITED | WNOHANG))
        return;
    visits->children++;
    visits->visited += visits->visit(pid, visits->context);
}

/* The fourth field of /proc/PID/stat, behind the name in parentheses, which may hold anything. */
static pid_t parent_of(const char *pid)
{
    char file[64], text[512];

    snprintf(file, sizeof file, "%.20s/stat", pid);
    lauka_sysfs_take("/proc", file, text, sizeof text);
    const char *name_end = strrchr(text, ')');
    return name_end && strlen(name_end) > 4 ? (pid_t)atoi(name_end + 4) : -1;
}

/* Where processes are hidden from us, init is as a rule. */
static bool proc_tells_all(void)
{
    char text[512];

    lauka_sysfs_take("/proc", "1/stat", text, sizeof text);
    return *text != '\0';
}

static void visit_listed(struct visits *visits)
{
    DIR *processes = opendir("/proc");
    struct dirent *entry;

    while (processes && (entry = readdir(processes))) {
        pid_t pid = (pid_t)atoi(entry->d_name);
        if (pid > 0 && parent_of(entry->d_name) == getpid())
            meet(visits, pid);
    }
    if (processes)
        closedir(processes);
}

static void visit_from_to(struct visits *visits, pid_t first, pid_t last)
{
    for (pid_t pid = first; pid <= last; pid++)
        meet(visits, pid);
}

/* The number that a process gets now; 0 if there can be none. */
static pid_t newest_number(void)
{
    pid_t pid = vfork();

    if (pid == 0)
        _exit(0);
    if (pid > 0)
        lauka_await_process(pid, NULL, 0, NULL);
    return pid > 0 ? pid : 0;
}

/* Numbers are given one after the other, and again from the first once the last was given. */
static void visit_numbered(struct visits *visits, pid_t oldest)
{
    const pid_t last = 1 << 22; /* PID_MAX_LIMIT of the kernel */
    pid_t newest = newest_number();

    if (newest > oldest) {
        visit_from_to(visits, oldest, newest);
    } else {
        visit_from_to(visits, oldest, last);
        visit_from_to(visits, 2, newest > 0 ? newest : oldest);
    }
}

size_t lauka_children_visit(pid_t oldest, bool (*visit)(pid_t pid, void *context), void *context)
{
    struct visits visits = {.visit = visit, .context = context};
    bool listed = proc_tells_all();

    if (listed)
        visit_listed(&visits);
    if (!listed || visits.children == 0)
        visit_numbered(&visits, oldest > 1 ? oldest : getpid());
    return visits.visited;
}
