/* --tree-memory: the memory of all processes of a run together, from a cgroup that the launcher makes for
 * it. If it cannot be had, this is said, and it is shown as missing. */
#include "runner/launch/launch.h"
#include "runner/launch/launcher.h"
#include "report/result/result.h"
#include "runner/base/base.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

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
    char why[300], text[400];
    int reason;

    if (!launcher_open_cgroup(launcher, &reason, error))
        return false;
    if (!reason || index == result->metric_count)
        return true;
    result->metrics[index].counted = false;
    explain(reason, why, sizeof why);
    snprintf(text, sizeof text, "cannot measure tree_memory: %s", why);
    return lauka_result_warn(result, text) == 0 || lauka_fail_memory(error);
}
