/* perf_event: counting on Linux by perf_event_open(2).
 *
 * The command's process opens its own events just before execve (arm), because to open them on
 * another task interrupts that task's CPU (17 us instead of 1); or several runs inherit those of the
 * launcher (batch.c). Events stand alone, but for those whose ratio is wanted (lauka_counters_pair): a group either
 * gets onto the counters as a whole or not at all. What fits is found out in placement.c. */
#include "pmu/linux/perf_event.h"
#include "pmu/counters/backend.h"
#include "pmu/counters/counters.h"
#include "pmu/events/events.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* These happen in the kernel: opened for user mode only, they succeed and count nothing. */
static bool is_kernel_side(const struct lauka_event *event)
{
    if (event->type == PERF_TYPE_TRACEPOINT)
        return true;
    return event->type == PERF_TYPE_SOFTWARE && (event->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
                                                 event->config == PERF_COUNT_SW_CPU_MIGRATIONS ||
                                                 event->config == PERF_COUNT_SW_CGROUP_SWITCHES);
}

/* The errno with which the attempt to hold an event ended; sets *fd. */
static int hold(const struct lauka_event *event, bool user_only, int *fd)
{
    *fd = -1;
    if (event->type == PERF_TYPE_TRACEPOINT && event->config == 0) { /* its number is not known */
        struct lauka_event again = *event;
        return lauka_tracepoint_find(NULL, &again);
    }
    if (user_only && event->modes == LAUKA_MODES_KERNEL)
        return EACCES;
    if (is_kernel_side(event) && (user_only || event->modes == LAUKA_MODES_USER))
        return user_only ? EACCES : EINVAL;

    *fd = lauka_perf_event_open(event, user_only, LAUKA_PERF_HOLD, -1);
    if (*fd >= 0)
        return 0;
    if (errno != EINVAL && errno != EOPNOTSUPP)
        return errno;
    /* If a PMU cannot exclude the kernel, permission decides again. EOPNOTSUPP has the same number as
     * ENOTSUP, which lauka uses for itself. */
    return user_only ? EACCES : EINVAL;
}

/* On Arm, kernels before 6.6 do not know that the upper half of attr.config names a PMU; there, the event
 * that the PMU describes is used. */
static int hold_part(struct lauka_counters *counters, size_t index, bool user_only)
{
    struct lauka_event *part = &counters->parts[index - counters->asked];
    int error = hold(part, user_only, &counters->held[index]);
    const char *pmu = counters->topology.types[part->core - 1].pmu;
    if (error == ENOENT && lauka_sysfs_generic(LAUKA_SYSFS, pmu, part))
        error = hold(part, user_only, &counters->held[index]);
    return error;
}

/* Two events that have become the same: "instructions" and "instructions:u". */
static bool has_user_twin(const struct lauka_counters *counters, size_t index)
{
    const struct lauka_event *event = counters->events[index];
    for (size_t i = 0; i < counters->count; i++) {
        const struct lauka_event *other = counters->events[i];
        if (other->modes == LAUKA_MODES_USER && event->modes == LAUKA_MODES_ALL &&
            other->type == event->type && other->config == event->config &&
            other->config1 == event->config1 && other->config2 == event->config2)
            return true;
    }
    return false;
}

/* Holds the events that it can; returns how many. */
static size_t hold_all(struct lauka_counters *counters, bool user_only)
{
    size_t held = 0;
    for (size_t i = 0; i < counters->count; i++) {
        if (user_only && has_user_twin(counters, i))
            counters->errors[i] = EACCES;
        else if (counters->sums[i])
            counters->errors[i] = 0;
        else if (i >= counters->asked)
            counters->errors[i] = hold_part(counters, i, user_only);
        else
            counters->errors[i] = hold(counters->events[i], user_only, &counters->held[i]);
        held += counters->held[i] >= 0;
    }
    lauka_counters_settle(counters);
    counters->user_only = user_only && held > 0;
    return held;
}

static void close_all(int *fds, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (fds[i] >= 0)
            close(fds[i]);
        fds[i] = -1;
    }
}

static bool any_denied(const struct lauka_counters *counters)
{
    for (size_t i = 0; i < counters->count; i++)
        if (counters->errors[i] == EACCES || counters->errors[i] == EPERM)
            return true;
    return false;
}

static void hold_with_what_is_allowed(struct lauka_counters *counters)
{
    size_t with_kernel = hold_all(counters, false);
    if (!any_denied(counters))
        return;

    /* The kernel checks permission first, so if all were denied, the reason given for user mode is the
     * better one: there may be no PMU. */
    close_all(counters->held, counters->count);
    size_t user_only = hold_all(counters, true);
    if (user_only > with_kernel || with_kernel == 0)
        return;
    close_all(counters->held, counters->count);
    hold_all(counters, false);
}

void lauka_counters_open(struct lauka_counters *counters, const struct lauka_event *events,
                         size_t count)
{
    lauka_counters_prepare(counters, events, count);
    lauka_topology_detect(&counters->topology);
    counters->virtual_machine = lauka_machine_is_virtual("/proc");
    lauka_counters_split(counters);
    hold_with_what_is_allowed(counters);
    lauka_counters_pair(counters);
    lauka_counters_place(counters);
    lauka_groups_join(counters);
    if (count > 0)
        lauka_clocks_open(counters);
}

static void note_failure(struct lauka_counters *counters, size_t index, int error)
{
    counters->run_error = error;
    counters->run_error_at = (uint8_t)index;
}

bool lauka_counters_arms(const struct lauka_counters *counters)
{
    bool any = counters->clock_count > 0 || counters->held_migrations >= 0;
    if (counters->in_batch)
        return counters->watching;
    for (size_t i = 0; i < counters->count; i++)
        any = any || (counters->errors[i] == 0 && !counters->sums[i]);
    return any;
}

void lauka_perf_event_arm_on(struct lauka_counters *counters, pid_t pid)
{
    counters->run_error = 0;
    for (size_t k = 0; k < counters->count; k++) {
        size_t i = counters->order[k], leader = counters->leaders[i];
        if (counters->errors[i] != 0 || counters->sums[i] || !lauka_counters_has_turn(counters, i))
            continue;
        int group = leader == i ? -1 : counters->armed[leader];
        counters->armed[i] = lauka_perf_event_open_on(
            counters->events[i], counters->user_only,
            counters->reads_groups ? LAUKA_PERF_COUNT_GROUP : LAUKA_PERF_COUNT, group, pid, -1);
        if (counters->armed[i] < 0)
            note_failure(counters, i, errno);
    }
}

void lauka_perf_event_arm(struct lauka_counters *counters)
{
    lauka_perf_event_arm_on(counters, 0);
    lauka_clocks_arm(counters);
}

void lauka_perf_event_disarm(struct lauka_counters *counters)
{
    close_all(counters->armed, counters->count);
    lauka_clocks_disarm(counters);
    counters->in_batch = false;
}

void lauka_counters_arm(struct lauka_counters *counters)
{
    if (!counters->in_batch)
        lauka_perf_event_arm(counters);
    lauka_watch_arm(counters);
}

void lauka_counters_mark_start(struct lauka_counters *counters)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    counters->started_cpu_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Events that the kernel took away are no longer enabled. */
static bool lacks_events(const struct lauka_counters *counters,
                         const struct lauka_reading *readings)
{
    bool armed = false, enabled = false;
    for (size_t i = 0; i < counters->count; i++) {
        armed = armed || counters->armed[i] >= 0;
        enabled = enabled || readings[i].enabled > 0;
    }
    return armed && !enabled;
}

void lauka_counters_collect(struct lauka_counters *counters, struct lauka_reading *readings)
{
    size_t failed;
    int error = lauka_perf_event_read_all(counters, readings, &failed);
    if (error)
        note_failure(counters, failed, error);
    counters->noted = error == 0;
    for (size_t i = 0; i < counters->count && counters->in_batch; i++) {
        struct lauka_reading now = readings[i];
        readings[i] = lauka_perf_event_since(&now, &counters->before[i]);
        counters->before[i] = now;
    }
    lauka_clocks_collect(counters);
    lauka_watch_collect(counters);
    if (counters->in_batch && lacks_events(counters, readings))
        counters->batches_fail = true;
    if (!counters->in_batch || counters->batches_fail)
        lauka_perf_event_disarm(counters);
    lauka_counters_add_up(counters, readings);
}

/* An event that is held costs something at every context switch. */
void lauka_counters_spare(struct lauka_counters *counters)
{
    if (counters->topology.type_count < 2)
        lauka_clocks_close(counters);
}

void lauka_counters_close(struct lauka_counters *counters)
{
    lauka_perf_event_disarm(counters);
    close_all(counters->held, counters->count);
    lauka_clocks_close(counters);
}

const char *lauka_counters_taken(const struct lauka_counters *counters)
{
    return counters->taken ? lauka_counter_holder("/proc/sys/kernel") : NULL;
}
