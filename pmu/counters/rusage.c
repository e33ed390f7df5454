/* rusage: what the kernel accounted to a reaped process and its waited-for descendants. */
#include "pmu/counters/counters.h"
#include "pmu/events/events.h"

/* Bytes in one unit of ru_maxrss: 1024 on Linux, 1 on macOS. */
#ifndef LAUKA_MAXRSS_UNIT
#error "the build must define LAUKA_MAXRSS_UNIT"
#endif

static uint64_t nanoseconds(struct timeval time)
{
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_usec * 1000;
}

void lauka_usage_read(const struct rusage *rusage, uint64_t wall_ns, struct lauka_usage *usage)
{
    uint64_t user_ns = nanoseconds(rusage->ru_utime);
    uint64_t system_ns = nanoseconds(rusage->ru_stime);
    uint64_t *values = usage->values;

    values[LAUKA_WALL_TIME] = wall_ns;
    values[LAUKA_USER_TIME] = user_ns;
    values[LAUKA_SYSTEM_TIME] = system_ns;
    values[LAUKA_CPU_TIME] = user_ns + system_ns;
    values[LAUKA_PEAK_RSS] = (uint64_t)rusage->ru_maxrss * LAUKA_MAXRSS_UNIT;
    values[LAUKA_MINOR_FAULTS] = (uint64_t)rusage->ru_minflt;
    values[LAUKA_MAJOR_FAULTS] = (uint64_t)rusage->ru_majflt;
    values[LAUKA_CONTEXT_SWITCHES] = (uint64_t)rusage->ru_nvcsw + (uint64_t)rusage->ru_nivcsw;
}
