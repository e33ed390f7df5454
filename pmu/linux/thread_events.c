/* thread events on Linux: what the user asked to be counted of every thread. Each event stands alone: it is scaled where
 * it shared its counter. Where kinds of core have counters of their own, a portable event is opened for each of them. */
#include "pmu/linux/perf_event.h"
#include "pmu/counters/counters.h"
#include "pmu/events/events.h"
#include "pmu/threads/threads.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Counts the thread alone: what it starts is a thread, or a process, of its own. */
static int open_of(const struct lauka_event *event, pid_t thread)
{
    return lauka_perf_event_open_on(event, false, LAUKA_PERF_HOLD, -1, thread, -1);
}

static int try_one(const struct lauka_event *event, pid_t pid)
{
    int fd = open_of(event, pid);
    if (fd < 0)
        return errno;
    close(fd);
    return 0;
}

/* Adds the event for one kind of core, described as the kernel knows it. */
static int add_part(struct lauka_thread_events *events, size_t e, const struct lauka_event *asked,
                    const struct lauka_core_type *type, pid_t pid)
{
    struct lauka_event *part = &events->parts[e][events->part_counts[e]];
    *part = *asked;
    lauka_event_take_pmu(part, type->pmu_type);
    int error = try_one(part, pid);
    if (lauka_perf_event_describe(part, type->pmu, error))
        error = try_one(part, pid);
    events->part_counts[e] += error == 0;
    return error;
}

static int try_parts(struct lauka_thread_events *events, size_t e, const struct lauka_event *asked,
                     const struct lauka_topology *topology, pid_t pid)
{
    struct lauka_event whole = *asked;
    bool split = lauka_topology_count_pmus(topology) > 1 && lauka_event_take_pmu(&whole, 0);
    int error = 0;
    events->part_counts[e] = 0;
    for (size_t t = 0; split && t < topology->type_count && !error; t++)
        if (topology->types[t].pmu_type != 0)
            error = add_part(events, e, asked, &topology->types[t], pid);
    if (!split) {
        events->parts[e][0] = *asked;
        error = try_one(asked, pid);
        events->part_counts[e] = error == 0;
    }
    return error;
}

static int try_event(struct lauka_thread_events *events, size_t e, const struct lauka_event *asked,
                     const struct lauka_topology *topology, pid_t pid, bool *user)
{
    struct lauka_event event = *asked;
    int error = event.type == LAUKA_TYPE_TRACEPOINT ? lauka_tracepoint_find(NULL, &event) : 0;
    error = error ? error : try_parts(events, e, &event, topology, pid);
    *user = (error == EACCES || error == EPERM) && event.modes == LAUKA_MODES_ALL &&
            lauka_event_is_hardware(&event);
    if (*user) {
        event.modes = LAUKA_MODES_USER;
        event.without_hypervisor = true;
        error = try_parts(events, e, &event, topology, pid);
        *user = error == 0;
    }
    if (error)
        events->part_counts[e] = 0;
    return error;
}

void lauka_thread_events_open(struct lauka_thread_events *events, const struct lauka_event *asked,
                              size_t count, struct lauka_threads *shown, pid_t pid)
{
    struct lauka_topology topology;
    lauka_topology_detect(&topology);
    events->count = shown->event_count = count;
    for (size_t e = 0; e < count; e++)
        shown->event_errors[e] =
            try_event(events, e, &asked[e], &topology, pid, &shown->events_user[e]);
}

size_t lauka_thread_events_attach(const struct lauka_thread_events *events, pid_t thread,
                                  struct lauka_thread_source *source)
{
    size_t taken = 0;
    for (size_t e = 0; e < events->count; e++)
        for (size_t p = 0; p < events->part_counts[e]; p++) {
            source->events[e][p] = open_of(&events->parts[e][p], thread);
            taken += source->events[e][p] >= 0;
            if (source->events[e][p] >= 0)
                ioctl(source->events[e][p], PERF_EVENT_IOC_ENABLE, 0);
        }
    return taken;
}

/* LAUKA_UNKNOWN if it is not known. A thread that did not run since has counted nothing, in no time. */
static uint64_t read_event(const struct lauka_thread_events *events,
                           const struct lauka_thread_source *source, size_t e, bool *scaled)
{
    struct lauka_reading sum = {0};
    uint64_t value;
    for (size_t p = 0; p < events->part_counts[e]; p++) {
        errno = 0;
        struct lauka_reading part = lauka_perf_event_read(source->events[e][p]);
        if (source->events[e][p] < 0 || errno)
            return LAUKA_UNKNOWN;
        sum.value += part.value;
        sum.running += part.running;
        sum.enabled = part.enabled > sum.enabled ? part.enabled : sum.enabled;
    }
    if (events->part_counts[e] == 0)
        return LAUKA_UNKNOWN;
    if (sum.enabled == 0)
        return 0;
    *scaled = *scaled || sum.running < sum.enabled;
    return lauka_reading_scaled(&sum, &value) ? value : LAUKA_UNKNOWN;
}

void lauka_thread_events_read(const struct lauka_thread_events *events,
                              const struct lauka_thread_source *source, struct lauka_use *use)
{
    for (size_t e = 0; e < LAUKA_THREAD_EVENTS_MAX; e++)
        use->events[e] =
            e < events->count ? read_event(events, source, e, &use->estimated) : LAUKA_UNKNOWN;
}
