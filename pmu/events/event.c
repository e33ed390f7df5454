/* event: names, units and descriptions of everything that can be counted. The tables are static, so that
 * memory shared by two processes can point to an event. */
#include "pmu/events/events.h"

#include <ctype.h>
#include <string.h>

#define USAGE(name_, unit_, source_, description_)                                                 \
    {                                                                                              \
        .name = name_, .unit = unit_, .source = source_, .description = description_,              \
        .better = LAUKA_BETTER_LOWER                                                               \
    }

/* In the order of enum lauka_usage_metric. */
static const struct lauka_event usage_events[LAUKA_USAGE_METRICS] = {
    USAGE("wall_time", "ns", "clock", "time from the start of the command to its end"),
    USAGE("user_time", "ns", "rusage",
          "CPU time in user mode, of the command and its waited-for descendants"),
    USAGE("system_time", "ns", "rusage",
          "CPU time in the kernel, of the command and its waited-for descendants"),
    USAGE("cpu_time", "ns", "rusage", "user time plus system time"),
    USAGE("peak_rss", "B", "rusage", "largest resident memory of any one process of the command"),
    USAGE("minor_faults", "1", "rusage", "page faults that needed no reading from a disk"),
    USAGE("major_faults", "1", "rusage", "page faults that waited for a disk"),
    USAGE("context_switches", "1", "rusage", "times the CPU was given up or taken away"),
};

/* attr.config of the kernel's hardware and software events: its ABI, so they never change. They are
 * written out because this file is also built without <linux/perf_event.h>. */
#define HARDWARE(name_, config_, better_, description_)                                            \
    {                                                                                              \
        .name = name_, .unit = "1", .source = "perf_event", .description = description_,           \
        .better = LAUKA_BETTER_##better_, .type = LAUKA_TYPE_HARDWARE, .config = config_           \
    }
#define SOFTWARE(name_, config_, unit_, description_)                                              \
    {                                                                                              \
        .name = name_, .unit = unit_, .source = "perf_event", .description = description_,         \
        .better = LAUKA_BETTER_LOWER, .type = LAUKA_TYPE_SOFTWARE, .config = config_               \
    }

enum { DEFAULT_EVENTS = 5 }; /* the first ones of the table */

static const struct lauka_event portable_events[] = {
    HARDWARE("cycles", 0, LOWER, "CPU cycles while the command was running"),
    HARDWARE("instructions", 1, LOWER, "instructions retired"),
    HARDWARE(
        "cache_references", 2, LOWER,
        "accesses to the last-level cache on Intel's CPUs, the second-level cache on AMD's, the "
        "first-level data cache on Arm's"),
    HARDWARE("cache_misses", 3, LOWER,
             "misses in the last-level cache on Intel's CPUs, the second-level cache on AMD's, the "
             "first-level data cache on Arm's"),
    HARDWARE("branch_misses", 5, LOWER, "branches that were predicted wrongly"),
    HARDWARE("branches", 4, LOWER, "branch instructions retired"),
    HARDWARE("bus_cycles", 6, LOWER, "cycles of the bus, which do not follow the CPU's frequency"),
    HARDWARE("stalled_cycles_frontend", 7, LOWER, "cycles in which no instruction was delivered"),
    HARDWARE("stalled_cycles_backend", 8, LOWER, "cycles in which instructions had to wait"),
    HARDWARE("ref_cycles", 9, LOWER, "cycles of a clock that does not follow the frequency"),
    SOFTWARE("cpu_clock", 0, "ns", "time on a CPU, by the kernel's high-resolution timer"),
    SOFTWARE("task_clock", 1, "ns", "time on a CPU, of the command and all its descendants"),
    SOFTWARE("page_faults", 2, "1", "page faults of the command and all its descendants"),
    SOFTWARE("cpu_migrations", 4, "1", "times the command was moved to another CPU"),
    SOFTWARE("alignment_faults", 7, "1", "unaligned accesses that the kernel had to serve"),
    SOFTWARE("emulation_faults", 8, "1", "instructions that the kernel had to emulate"),
    SOFTWARE("cgroup_switches", 11, "1", "switches to a task of another control group"),
    {
        .name = "syscalls", /* raw_syscalls:sys_enter: sysfs.c finds its number */
        .unit = "1",
        .source = "perf_event",
        .description = "system calls of the command and all its descendants",
        .better = LAUKA_BETTER_LOWER,
        .type = LAUKA_TYPE_TRACEPOINT,
    },
};

static const struct {
    const char *alias, *name;
} aliases[] = {
    {"cpu_cycles", "cycles"},
    {"instrs", "instructions"},
    {"insns", "instructions"},
    {"branch_instructions", "branches"},
    {"branch_mispredictions", "branch_misses"},
    {"mispredicts", "branch_misses"},
    {"idle_cycles_frontend", "stalled_cycles_frontend"},
    {"frontend_stalls", "stalled_cycles_frontend"},
    {"idle_cycles_backend", "stalled_cycles_backend"},
    {"backend_stalls", "stalled_cycles_backend"},
    {"reference_cycles", "ref_cycles"},
    {"faults", "page_faults"},
    {"system_calls", "syscalls"},
    {"migrations", "cpu_migrations"},
    {"cs", "context_switches"},
    {"minor_page_faults", "minor_faults"},
    {"major_page_faults", "major_faults"},
    {"duration_time", "wall_time"},
    {"rss", "peak_rss"},
    {"max_rss", "peak_rss"},
};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

const struct lauka_event *lauka_usage_events(void)
{
    return usage_events;
}

const struct lauka_event *lauka_default_events(size_t *count)
{
    *count = DEFAULT_EVENTS;
    return portable_events;
}

const struct lauka_event *lauka_portable_events(size_t *count)
{
    *count = COUNT(portable_events);
    return portable_events;
}

static int plain(char c)
{
    return c == '-' ? '_' : tolower((unsigned char)c);
}

bool lauka_same_name(const char *a, const char *b)
{
    while (*a && plain(*a) == plain(*b)) {
        a++;
        b++;
    }
    return *a == *b;
}

static const struct lauka_event *find_in(const struct lauka_event *events, size_t count,
                                         const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (lauka_same_name(events[i].name, name))
            return &events[i];
    return NULL;
}

const struct lauka_event *lauka_event_find(const char *name)
{
    for (size_t i = 0; i < COUNT(aliases); i++)
        if (lauka_same_name(aliases[i].alias, name))
            name = aliases[i].name;
    const struct lauka_event *event = find_in(portable_events, COUNT(portable_events), name);
    return event ? event : find_in(usage_events, LAUKA_USAGE_METRICS, name);
}

const char *lauka_event_alias(size_t index, const char **name)
{
    if (index >= COUNT(aliases))
        return NULL;
    *name = aliases[index].name;
    return aliases[index].alias;
}

/* ---- which cache cache_references and cache_misses are about ---------------------------------- */

enum cache_level { ANY_CACHE, FIRST_LEVEL, SECOND_LEVEL, LAST_LEVEL };

/* On x86, by vendor: core.c of the kernel's arch/x86/events/amd gives both events the numbers of the
 * second level, on every family; intel/core.c gives them the architectural ones of the last level. */
static enum cache_level level_of_vendor(const char *proc)
{
    char vendor[64];
    lauka_cpuinfo(proc, "vendor_id", vendor, sizeof vendor);
    return strstr(vendor, "AuthenticAMD") || strstr(vendor, "HygonGenuine") ? SECOND_LEVEL
           : strstr(vendor, "GenuineIntel")                                 ? LAST_LEVEL
                                                                            : ANY_CACHE;
}

/* Arm's PMUs are armv8_pmuv3_0, armv8_cortex_a72, armv7_cortex_a9 ...: armv8_pmuv3_perf_map of the kernel
 * gives both the numbers of L1D_CACHE. */
static bool is_of_arm(const char *pmu)
{
    return strncmp(pmu, "armv", 4) == 0 && isdigit((unsigned char)pmu[4]);
}

static enum cache_level find_level(const char *pmus, const char *proc)
{
    bool arm = false, x86 = false;
    char **names = lauka_sysfs_list(pmus, ".");
    for (char **name = names; name && *name; name++) {
        arm = arm || is_of_arm(*name);
        x86 = x86 || strcmp(*name, "cpu") == 0 || strcmp(*name, "cpu_core") == 0;
    }
    lauka_sysfs_free(names);
    return arm ? FIRST_LEVEL : x86 ? level_of_vendor(proc) : ANY_CACHE;
}

const char *lauka_event_description(const struct lauka_event *event, const char *pmus,
                                    const char *proc)
{
    enum { REFERENCES = 2, MISSES = 3 };
    static const char *const texts[][2] = {
        [FIRST_LEVEL] = {"accesses to the first-level data cache",
                         "misses in the first-level data cache"},
        [SECOND_LEVEL] = {"accesses to the second-level cache", "misses in the second-level cache"},
        [LAST_LEVEL] = {"accesses to the last-level cache", "misses in the last-level cache"},
    };
    bool of_cache = event->type == LAUKA_TYPE_HARDWARE && !event->of_one_pmu &&
                    (event->config == REFERENCES || event->config == MISSES) &&
                    strcmp(event->source, "perf_event") == 0;
    enum cache_level level = of_cache ? find_level(pmus, proc) : ANY_CACHE;
    return level == ANY_CACHE ? event->description : texts[level][event->config - REFERENCES];
}
