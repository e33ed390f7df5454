/* disturbance on macOS, which tells none of it. */
#include "pmu/counters/counters.h"

uint64_t lauka_run_delay_ns(pid_t pid)
{
    (void)pid;
    return LAUKA_UNKNOWN;
}

void lauka_disturbance_read(struct lauka_disturbance *disturbance)
{
    *disturbance = (struct lauka_disturbance){LAUKA_UNKNOWN, LAUKA_UNKNOWN};
}
