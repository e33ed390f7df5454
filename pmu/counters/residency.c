/* residency: how long a run was on which kind of core. The backends collect what the systems say; this
 * evaluates it. */
#include "pmu/counters/counters.h"

#include <string.h>

_Static_assert(LAUKA_UNKNOWN == UINT64_MAX, "all bits set");

void lauka_residency_forget(struct lauka_residency *residency)
{
    memset(residency, 0xff, sizeof *residency);
}

uint64_t lauka_residency_total_ns(const struct lauka_residency *residency, size_t type_count)
{
    uint64_t total = 0;
    for (size_t t = 0; t < type_count; t++) {
        if (residency->types[t].cpu_ns == LAUKA_UNKNOWN)
            return LAUKA_UNKNOWN;
        total += residency->types[t].cpu_ns;
    }
    return total;
}

double lauka_residency_share(const struct lauka_residency *residency, size_t type_count,
                             size_t type)
{
    uint64_t total = lauka_residency_total_ns(residency, type_count);
    if (total == LAUKA_UNKNOWN || total == 0)
        return -1;
    return (double)residency->types[type].cpu_ns / (double)total;
}

void lauka_residency_verify(struct lauka_residency *residency,
                            const struct lauka_counters *counters, uint64_t cpu_ns)
{
    enum { SLACK_NS = 500000 }; /* CPU time before exec and after the clocks' end */
    uint64_t total = lauka_residency_total_ns(residency, counters->topology.type_count);
    if (total != LAUKA_UNKNOWN && counters->started_cpu_ns + total + total + SLACK_NS < cpu_ns)
        lauka_residency_forget(residency);
}
