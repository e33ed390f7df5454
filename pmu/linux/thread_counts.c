/* thread counts on Linux: cycles and instructions of single threads, each pair a group. Where several
 * types of core have counters of their own, there is a group for each of them: it is enabled wherever
 * the thread runs, and running while that is on cores of its type. */
#include "pmu/counters/counters.h"
#include "pmu/events/events.h"
#include "pmu/threads/source.h"
#include "pmu/threads/threads.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- which events ---------------------------------------------------------------------------- */

static struct lauka_event generic(uint64_t number, uint32_t pmu_type)
{
    return (struct lauka_event){.type = PERF_TYPE_HARDWARE,
                                .config = number | (uint64_t)pmu_type << LAUKA_PMU_TYPE_SHIFT};
}

static void choose_pair(struct lauka_thread_counts *counts, size_t type, uint32_t pmu_type)
{
    counts->has_type[type] = true;
    counts->events[type][0] = generic(PERF_COUNT_HW_CPU_CYCLES, pmu_type);
    counts->events[type][1] = generic(PERF_COUNT_HW_INSTRUCTIONS, pmu_type);
}

static void choose_events(struct lauka_thread_counts *counts, struct lauka_topology *topology)
{
    lauka_topology_detect(topology);
    memset(counts, 0, sizeof *counts);
    counts->type_count = 1;
    choose_pair(counts, 0, 0);
    if (lauka_topology_count_pmus(topology) < 2)
        return;
    counts->has_type[0] = false;
    counts->type_count = topology->type_count;
    for (size_t t = 0; t < topology->type_count; t++)
        if (topology->types[t].pmu_type != 0)
            choose_pair(counts, t, topology->types[t].pmu_type);
}

/* ---- opening --------------------------------------------------------------------------------- */

static int open_count(const struct lauka_event *event, pid_t thread, int group, bool user_only)
{
    struct perf_event_attr attr;
    memset(&attr, 0, sizeof attr);
    attr.size = PERF_ATTR_SIZE_VER0;
    attr.type = event->type;
    attr.config = event->config;
    attr.read_format =
        PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    attr.exclude_kernel = attr.exclude_hv = user_only;
    int fd = (int)syscall(SYS_perf_event_open, &attr, thread, -1, group, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0 && (errno == EINVAL || errno == EOPNOTSUPP)) {
        attr.exclude_guest = 1; /* see perf_event.c */
        fd = (int)syscall(SYS_perf_event_open, &attr, thread, -1, group, PERF_FLAG_FD_CLOEXEC);
    }
    return fd;
}

/* Cycles, with instructions in their group; *member must stay open as long. -1 and errno on failure. */
static int open_pair(const struct lauka_event events[2], pid_t thread, bool user_only, int *member)
{
    int leader = open_count(&events[0], thread, -1, user_only);
    *member = -1;
    if (leader < 0)
        return -1;
    *member = open_count(&events[1], thread, leader, user_only);
    if (*member >= 0)
        return leader;
    int error = errno;
    close(leader);
    errno = error;
    return -1;
}

static int try_pair(const struct lauka_event events[2], pid_t pid, bool user_only)
{
    int member, leader = open_pair(events, pid, user_only, &member);
    if (leader < 0)
        return errno;
    close(member);
    close(leader);
    return 0;
}

/* On Arm, kernels before 6.6 do not know that the upper half of attr.config names a PMU; there, the events
 * that the PMU describes are used. */
static int try_type(struct lauka_thread_counts *counts, size_t type, const char *pmu, pid_t pid)
{
    struct lauka_event *events = counts->events[type];
    int error = try_pair(events, pid, counts->user_only);
    if (error == ENOENT && *pmu && lauka_sysfs_generic(LAUKA_SYSFS, pmu, &events[0]) &&
        lauka_sysfs_generic(LAUKA_SYSFS, pmu, &events[1]))
        error = try_pair(events, pid, counts->user_only);
    return error;
}

static int try_all(struct lauka_thread_counts *counts, const struct lauka_topology *topology,
                   pid_t pid)
{
    int error = 0;
    for (size_t t = 0; t < counts->type_count && !error; t++)
        if (counts->has_type[t])
            error = try_type(counts, t, counts->type_count > 1 ? topology->types[t].pmu : "", pid);
    return error;
}

void lauka_thread_counts_open(struct lauka_thread_counts *counts, struct lauka_threads *shown,
                              pid_t pid)
{
    struct lauka_topology topology;
    choose_events(counts, &topology);
    int error = try_all(counts, &topology, pid);
    if (error == EACCES || error == EPERM) {
        counts->user_only = true;
        error = try_all(counts, &topology, pid);
    }
    shown->counts = error == 0;
    shown->count_error = error;
    shown->user_only = !error && counts->user_only;
    if (error)
        return;
    shown->type_count = counts->type_count;
    for (size_t t = 0; t < counts->type_count && counts->type_count > 1; t++)
        snprintf(shown->labels[t], sizeof shown->labels[t], "%s", topology.types[t].label);
}

size_t lauka_thread_counts_attach(const struct lauka_thread_counts *counts, pid_t thread,
                                  struct lauka_thread_source *source)
{
    size_t taken = 0;
    for (size_t t = 0; t < counts->type_count; t++) {
        if (counts->has_type[t])
            source->counts[t] =
                open_pair(counts->events[t], thread, counts->user_only, &source->members[t]);
        taken += source->counts[t] >= 0 ? 2 : 0;
    }
    return taken;
}

/* ---- reading --------------------------------------------------------------------------------- */

struct pair {
    uint64_t count, enabled, running, cycles, instructions; /* as the kernel gives a group of two */
};

static bool read_pair(int descriptor, struct pair *pair)
{
    return descriptor >= 0 && read(descriptor, pair, sizeof *pair) == (ssize_t)sizeof *pair;
}

static uint64_t scaled(uint64_t value, uint64_t enabled, uint64_t running)
{
    struct lauka_reading reading = {value, enabled, running};
    uint64_t whole;
    return lauka_reading_scaled(&reading, &whole) ? whole : LAUKA_UNKNOWN;
}

static void forget(struct lauka_use *use)
{
    use->cycles = use->instructions = LAUKA_UNKNOWN;
    use->estimated = false;
}

/* enabled, running: of all types of core together. Time that others took from the counters is distributed
 * by what was counted, because nobody knows where it was; the whole is an estimate then. */
static void fill_use(const struct pair *pair, uint64_t enabled, uint64_t running,
                     struct lauka_use *use)
{
    enum { SLACK_NS = 20000 }; /* kernels start the time of a context before its counters */
    bool whole = running + running / 100 + SLACK_NS >= enabled;
    use->estimated = !whole;
    use->cycles = whole ? pair->cycles : scaled(pair->cycles, enabled, running);
    use->instructions = whole ? pair->instructions : scaled(pair->instructions, enabled, running);
}

/* On each type of core, and on all together. */
static void read_types(const struct lauka_thread_counts *counts,
                       const struct lauka_thread_source *source, struct lauka_thread *thread)
{
    struct pair pairs[LAUKA_CORE_TYPES_MAX] = {0}, sum = {0};
    for (size_t t = 0; t < counts->type_count; t++) {
        struct pair *pair = &pairs[t];
        if (!counts->has_type[t])
            continue;
        if (!read_pair(source->counts[t], pair)) {
            forget(&thread->total);
            for (size_t u = 0; u < counts->type_count; u++) {
                thread->types[u].time_ns = LAUKA_UNKNOWN;
                forget(&thread->types[u]);
            }
            return;
        }
        sum.enabled = pair->enabled > sum.enabled ? pair->enabled : sum.enabled;
        sum.running += pair->running;
        sum.cycles += pair->cycles;
        sum.instructions += pair->instructions;
    }
    fill_use(&sum, sum.enabled, sum.running, &thread->total);
    for (size_t t = 0; t < counts->type_count; t++) {
        struct lauka_use *use = &thread->types[t];
        fill_use(&pairs[t], sum.enabled, sum.running, use);
        use->time_ns =
            use->estimated ? scaled(pairs[t].running, sum.enabled, sum.running) : pairs[t].running;
        if (!counts->has_type[t]) {
            use->time_ns = LAUKA_UNKNOWN;
            forget(use);
        }
    }
}

void lauka_thread_counts_read(const struct lauka_thread_counts *counts,
                              const struct lauka_thread_source *source, struct lauka_thread *thread)
{
    struct lauka_use *use = &thread->total;
    struct pair pair;
    for (size_t t = 0; t < counts->type_count; t++)
        thread->types[t].user_ns = thread->types[t].system_ns = LAUKA_UNKNOWN;
    if (counts->type_count > 1) {
        read_types(counts, source, thread);
        return;
    }
    forget(use);
    if (!read_pair(source->counts[0], &pair))
        return;
    bool idle = pair.enabled == 0; /* it did not run at all since */
    use->cycles = idle ? 0 : scaled(pair.cycles, pair.enabled, pair.running);
    use->instructions = idle ? 0 : scaled(pair.instructions, pair.enabled, pair.running);
    use->estimated = pair.running < pair.enabled;
}
