/* cgroup on macOS, which has none. */
#include "pmu/counters/counters.h"

#include <errno.h>

int lauka_cgroup_open(const char *root, struct lauka_cgroup *cgroup)
{
    (void)root;
    cgroup->open = false;
    return ENOTSUP;
}

int lauka_cgroup_begin(struct lauka_cgroup *cgroup)
{
    (void)cgroup;
    return ENOTSUP;
}

void lauka_cgroup_join(struct lauka_cgroup *cgroup)
{
    (void)cgroup;
}

uint64_t lauka_cgroup_end(struct lauka_cgroup *cgroup)
{
    (void)cgroup;
    return LAUKA_UNKNOWN;
}

void lauka_cgroup_close(struct lauka_cgroup *cgroup)
{
    (void)cgroup;
}
