/* event: names, units and descriptions of all that can be counted. Static tables, so that an event
 * can be pointed to from memory that two processes share. */
#include "pmu.h"

/* attr.type and attr.config of perf_event_open(2), which are kernel ABI and so never change. They
 * are written out because this file is also built where there is no <linux/perf_event.h>. */
enum { TYPE_HARDWARE = 0 };
enum {
    HARDWARE_CYCLES = 0,
    HARDWARE_INSTRUCTIONS = 1,
    HARDWARE_CACHE_REFERENCES = 2,
    HARDWARE_CACHE_MISSES = 3,
    HARDWARE_BRANCH_MISSES = 5
};

/* In the order of enum lauka_usage_metric. */
static const struct lauka_event usage_events[LAUKA_USAGE_METRICS] = {
    {
        .name = "wall_time",
        .unit = "ns",
        .source = "clock",
        .description = "time from the start of the command until it was reaped",
        .better = LAUKA_BETTER_LOWER,
    },
    {
        .name = "user_time",
        .unit = "ns",
        .source = "rusage",
        .description = "CPU time in user mode, of the command and its waited-for descendants",
        .better = LAUKA_BETTER_LOWER,
    },
    {
        .name = "system_time",
        .unit = "ns",
        .source = "rusage",
        .description = "CPU time in the kernel, of the command and its waited-for descendants",
        .better = LAUKA_BETTER_LOWER,
    },
    {
        .name = "cpu_time",
        .unit = "ns",
        .source = "rusage",
        .description = "user time plus system time",
        .better = LAUKA_BETTER_LOWER,
    },
    {
        .name = "peak_rss",
        .unit = "B",
        .source = "rusage",
        .description = "largest resident memory of any one process of the command",
        .better = LAUKA_BETTER_LOWER,
    },
    {
        .name = "minor_faults",
        .unit = "1",
        .source = "rusage",
        .description = "page faults that needed no reading from a disk",
        .better = LAUKA_BETTER_LOWER,
    },
    {
        .name = "major_faults",
        .unit = "1",
        .source = "rusage",
        .description = "page faults that waited for a disk",
        .better = LAUKA_BETTER_LOWER,
    },
    {
        .name = "context_switches",
        .unit = "1",
        .source = "rusage",
        .description = "times the CPU was given up or taken away",
        .better = LAUKA_BETTER_LOWER,
    },
};

static const struct lauka_event default_events[] = {
    {
        .name = "cycles",
        .unit = "1",
        .source = "perf_event",
        .description = "CPU cycles while the command was running",
        .better = LAUKA_BETTER_LOWER,
        .type = TYPE_HARDWARE,
        .config = HARDWARE_CYCLES,
    },
    {
        .name = "instructions",
        .unit = "1",
        .source = "perf_event",
        .description = "instructions retired",
        .better = LAUKA_BETTER_LOWER,
        .type = TYPE_HARDWARE,
        .config = HARDWARE_INSTRUCTIONS,
    },
    {
        .name = "cache_references",
        .unit = "1",
        .source = "perf_event",
        .description = "accesses that reached a shared cache, on most CPUs the last level",
        .better = LAUKA_BETTER_LOWER,
        .type = TYPE_HARDWARE,
        .config = HARDWARE_CACHE_REFERENCES,
    },
    {
        .name = "cache_misses",
        .unit = "1",
        .source = "perf_event",
        .description = "accesses that the same cache could not serve",
        .better = LAUKA_BETTER_LOWER,
        .type = TYPE_HARDWARE,
        .config = HARDWARE_CACHE_MISSES,
    },
    {
        .name = "branch_misses",
        .unit = "1",
        .source = "perf_event",
        .description = "branches that were predicted wrongly",
        .better = LAUKA_BETTER_LOWER,
        .type = TYPE_HARDWARE,
        .config = HARDWARE_BRANCH_MISSES,
    },
};

const struct lauka_event *lauka_usage_events(void)
{
    return usage_events;
}

const struct lauka_event *lauka_default_events(size_t *count)
{
    *count = sizeof default_events / sizeof default_events[0];
    return default_events;
}
