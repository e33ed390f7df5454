/* What a program leaves behind, on Linux: a subreaper (prctl(2)) becomes the parent of orphans, whatever group
 * or session they went to. */
#include "runner/base/base.h"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

void lauka_orphans_adopt(void)
{
    prctl(PR_SET_CHILD_SUBREAPER, 1);
}

bool lauka_orphans_bind(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    return getppid() == parent; /* otherwise it ended before */
}

static void kill_one(void *context, pid_t pid)
{
    (void)context;
    lauka_signal_process(pid, SIGKILL);
}

void lauka_orphans_kill(void)
{
    lauka_children_visit(0, kill_one, NULL);
}
