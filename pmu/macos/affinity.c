/* affinity: on macOS nobody can choose the CPUs that a process runs on. */
#include "pmu/counters/counters.h"

#include <errno.h>

int lauka_affinity_get(pid_t pid, struct lauka_cpu_set *set)
{
    (void)pid;
    *set = (struct lauka_cpu_set){0};
    return ENOTSUP;
}

int lauka_affinity_set(pid_t pid, const struct lauka_cpu_set *set)
{
    (void)pid;
    (void)set;
    return ENOTSUP;
}
