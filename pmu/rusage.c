/* rusage: what the kernel accounted to a reaped process and its waited-for descendants. */
#include "pmu.h"

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
    uint64_t user = nanoseconds(rusage->ru_utime);
    uint64_t system = nanoseconds(rusage->ru_stime);

    *usage = (struct lauka_usage){
        .values = {
            [LAUKA_WALL_TIME] = wall_ns,
            [LAUKA_USER_TIME] = user,
            [LAUKA_SYSTEM_TIME] = system,
            [LAUKA_CPU_TIME] = user + system,
            [LAUKA_PEAK_RSS] = (uint64_t)rusage->ru_maxrss * LAUKA_MAXRSS_UNIT,
            [LAUKA_MINOR_FAULTS] = (uint64_t)rusage->ru_minflt,
            [LAUKA_MAJOR_FAULTS] = (uint64_t)rusage->ru_majflt,
            [LAUKA_CONTEXT_SWITCHES] = (uint64_t)rusage->ru_nvcsw + (uint64_t)rusage->ru_nivcsw,
        },
    };
}
