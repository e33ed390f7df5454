/* What lauka asks of the launcher beside runs: to start and reap processes of suites and services, to lend descriptors
 * of events, and to make a cgroup for each run. */
#include "runner/launch/launch.h"
#include "runner/launch/launcher.h"
#include "report/result/result.h"
#include "runner/base/base.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

/* ---- processes that lauka talks to, and ends, itself --------------------------------------------- */

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
        .signals = start->signals,
        .holds = start->counters != NULL,
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
    lauka_counters_attach(start->counters, shared->start.pid);
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

uint64_t lauka_launcher_begun_ns(const struct lauka_launcher *launcher)
{
    return launcher->shared->start.begun_ns;
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

/* ---- events that only the launcher may open ------------------------------------------------------ */

int lauka_launcher_lend(void *context, const void *event, size_t size, int cpu)
{
    struct lauka_launcher *launcher = context;
    struct launcher_loan *loan = &launcher->shared->loan;
    struct lauka_error ignored;

    *loan = (struct launcher_loan){.cpu = cpu, .error = EINVAL};
    if (size <= sizeof loan->event) {
        memcpy(loan->event, event, size);
        if (!launcher_ask(launcher, REQUEST_LEND, &ignored))
            loan->error = ESRCH;
    }
    int descriptor;
    if (loan->error == 0)
        loan->error = launcher_receive_descriptors(launcher->loans, &descriptor, 1);
    errno = loan->error;
    return loan->error ? -1 : descriptor;
}

/* ---- --tree-memory ------------------------------------------------------------------------------- */

/* The memory of all processes of a run together comes from a cgroup that the launcher makes for it. If it cannot be
 * had, this is said, and it is shown as missing. */
static void explain(int reason, char *text, size_t size)
{
    if (reason == ENOTSUP)
        snprintf(text, size,
                 "no cgroup (version 2) above this process delegates the memory controller; "
                 "systemd makes one: systemd-run --user --scope lauka ...");
    else if (reason == ENOSYS)
        snprintf(text, size, "this kernel does not keep the peak (Linux 5.19 or later does)");
    else if (reason == EACCES || reason == EPERM || reason == EROFS)
        snprintf(
            text, size,
            "no cgroup may be created here (%s); run lauka as root, or in a cgroup of your own: "
            "systemd-run --user --scope lauka ...",
            strerror(reason));
    else
        snprintf(text, size, "cannot create a cgroup: %s", strerror(reason));
}

bool lauka_launcher_track_memory(struct lauka_launcher *launcher, struct lauka_result *result,
                                 struct lauka_error *error)
{
    size_t index = lauka_result_metric_index(result, "tree_memory");
    char why[300];

    if (!launcher_ask(launcher, REQUEST_CGROUP, error))
        return false;
    int reason = launcher->shared->cgroup_error;
    if (!reason || index == result->metric_count)
        return true;
    result->metrics[index].counted = false;
    explain(reason, why, sizeof why);
    return lauka_result_note(result, "cannot measure tree_memory: %s", why) == 0 ||
           lauka_fail_memory(error);
}
