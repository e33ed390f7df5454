/* The children of this process that live, on Linux. The kernel lists them in /proc; where it was built without that
 * list, a process is a child if this is its parent. Where /proc is missing, hides processes (hidepid) or is another
 * namespace's, the kernel is asked of each number. It says in any case whether that is a child that lives. */
#include "pmu/events/events.h"
#include "runner/base/base.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct visits {
    void (*one)(void *context, pid_t pid);
    void *context;
    size_t met;
};

static void meet(struct visits *visits, pid_t pid)
{
    if (lauka_look_at_process(pid, WEXITED | WNOHANG))
        return;
    visits->met++;
    visits->one(visits->context, pid);
}

/* A number that the end of the text may have cut is left for the next time. */
static void visit_listed(struct visits *visits)
{
    char text[4096], *end;

    lauka_sysfs_take("/proc", "thread-self/children", text, sizeof text);
    for (char *at = text; *at; at = end) {
        long pid = strtol(at, &end, 10);
        if (end == at || *end != ' ')
            break;
        meet(visits, (pid_t)pid);
        end += strspn(end, " ");
    }
}

/* Where processes are hidden, init is as a rule. */
static bool proc_tells_all(void)
{
    char text[8];

    return lauka_sysfs_take("/proc", "1/stat", text, sizeof text) > 0;
}

/* The fourth field of /proc/PID/stat, behind the name in parentheses, which may hold anything. */
static pid_t parent_of(const char *pid)
{
    char file[32], text[512];

    if (strlen(pid) > 20)
        return -1;
    strcpy(stpcpy(file, pid), "/stat");
    lauka_sysfs_take("/proc", file, text, sizeof text);
    const char *end = strrchr(text, ')');
    return end && strlen(end) > 4 ? (pid_t)atoi(end + 4) : -1;
}

static void visit_found(struct visits *visits)
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

void lauka_children_visit(pid_t oldest, void (*one)(void *context, pid_t pid), void *context)
{
    struct visits visits = {.one = one, .context = context};

    visit_listed(&visits);
    if (visits.met == 0 && proc_tells_all())
        visit_found(&visits);
    if (visits.met == 0)
        visit_numbered(&visits, oldest > 1 ? oldest : getpid());
}
