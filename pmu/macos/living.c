/* What a process that goes on, and the children that it waited for, have used so far, on macOS: proc_pid_rusage. The
 * kernel does not account minor faults there. */
#include "pmu/counters/counters.h"
#include "pmu/events/events.h"
#include "pmu/macos/darwin.h"

void lauka_usage_of_living(pid_t pid, struct lauka_usage *usage)
{
    enum { V4 = 4 };
    struct lauka_rusage_info info = {0};

    for (int i = 0; i < LAUKA_USAGE_METRICS; i++)
        usage->values[i] = LAUKA_UNKNOWN;
    if (lauka_darwin()->proc_pid_rusage(pid, V4, &info) != 0)
        return;
    usage->values[LAUKA_CPU_TIME] = lauka_darwin_ns(info.user_time + info.system_time +
                                                    info.child_user_time + info.child_system_time);
    usage->values[LAUKA_PEAK_RSS] = info.lifetime_max_phys_footprint;
    usage->values[LAUKA_MAJOR_FAULTS] = info.pageins + info.child_pageins;
}
