/* Processes that the launcher starts and reaps for lauka, which talks to them, and ends them, itself. */
#include "runner/launch/launch.h"
#include "runner/launch/launcher.h"
#include "runner/base/base.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

/* False where there is no room. */
static bool share(struct lauka_launcher *launcher, const struct lauka_start *start)
{
    struct launcher_start *shared = &launcher->shared->start;

    *shared = (struct launcher_start){
        .path = launcher_share_text(launcher, start->path),
        .directory = start->directory ? launcher_share_text(launcher, start->directory) : NULL,
        .words = launcher_share_vector(launcher, start->words),
        .environment = launcher_share_vector(launcher, start->environment),
        .talks = start->talks,
        .holds = start->attach != NULL,
    };
    return shared->path && shared->words && shared->environment &&
           (shared->directory || !start->directory);
}

/* Between the two answers it exists, and its program has not begun. */
static bool ask(struct lauka_launcher *launcher, const struct lauka_start *start)
{
    struct lauka_error ignored;
    const struct shared *shared = launcher->shared;

    if (!launcher_ask(launcher, REQUEST_START, &ignored))
        return false;
    if (!shared->start.held)
        return true;
    start->attach(start->context, shared->start.pid);
    return launcher_go_on(launcher, &ignored);
}

int lauka_launcher_start(struct lauka_launcher *launcher, const struct lauka_start *start,
                         pid_t *pid)
{
    const int files[LAUNCHER_LOANS_MAX] = {start->in, start->out, start->complaints};
    char *arena = launcher->arena;
    bool shared = share(launcher, start);
    int error =
        shared ? launcher_send_descriptors(launcher->loans, files, LAUNCHER_LOANS_MAX) : ENOMEM;

    launcher->lost |= error == EPIPE || error == ECONNRESET;
    if (!error)
        error = ask(launcher, start) ? launcher->shared->start.error : ESRCH;
    launcher->arena = arena; /* its program has words of its own by now */
    *pid = error ? 0 : launcher->shared->start.pid;
    return error;
}

bool lauka_launcher_reap(struct lauka_launcher *launcher, pid_t pid, bool waits, int *status,
                         struct lauka_usage *usage)
{
    struct launcher_reap *reap = &launcher->shared->reap;
    struct lauka_error ignored;

    *reap = (struct launcher_reap){.pid = pid, .waits = waits, .status = SIGKILL};
    if (!launcher_ask(launcher, REQUEST_REAP, &ignored))
        *reap = (struct launcher_reap){.ended = true, .status = SIGKILL};
    if (!reap->ended)
        return false;
    *status = reap->status;
    *usage = reap->usage;
    return true;
}
