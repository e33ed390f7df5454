/* What commands leave behind, on macOS: there is no subreaper, so only what stayed in the command's
 * process group is found. */
#include "runner/launch/launch.h"
#include "runner/launch/process.h"
#include "runner/base/base.h"

#include <errno.h>
#include <signal.h>
#include <time.h>

/* How long a process that was asked to end gets before it is killed; and how long one that cannot be
 * killed gets in all. */
#define GRACE_NS 200000000u
#define PATIENCE_NS 3000000000u

static bool group_lives(pid_t group)
{
    return lauka_signal_group(group, 0) == 0 || errno == EPERM;
}

void lauka_leftovers_end(pid_t group, bool keep, struct lauka_leftovers *leftovers)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    uint64_t started, spent = 0;

    *leftovers = (struct lauka_leftovers){0};
    if (group <= 0 || !group_lives(group))
        return;
    leftovers->count = 1; /* at least */
    leftovers->any = leftovers->alive = true;
    if (keep)
        return;
    started = lauka_now_ns();
    lauka_signal_group(group, SIGTERM);
    lauka_signal_group(group, SIGCONT);
    while ((leftovers->alive = group_lives(group)) && spent < PATIENCE_NS) {
        if (spent > GRACE_NS)
            lauka_signal_group(group, SIGKILL);
        nanosleep(&moment, NULL);
        spent = lauka_now_ns() - started;
    }
}

/* Nothing is handed over to us here: only the command's own process group is ended. */
void lauka_leftovers_host(void)
{
}

void lauka_leftovers_reap(bool (*is_other)(pid_t pid, int status, const struct rusage *usage))
{
    (void)is_other;
}
