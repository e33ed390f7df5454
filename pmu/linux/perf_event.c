/* perf_event: counting on Linux by perf_event_open(2).
 *
 * The command's process opens its own events just before execve (arm), because to open them on
 * another task interrupts that task's CPU (17 us instead of 1); or several runs inherit those of the
 * launcher (batches, below). Events stand alone, but for those whose ratio is wanted
 * (lauka_counters_pair): a group either gets onto the counters as a whole or not at all. What fits is
 * found out in placement.c. */
#include "pmu/linux/perf_event.h"
#include "pmu/counters/counters.h"
#include "pmu/events/events.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/* ---- clocks: how long a run was on each CPU ---------------------------------------------------- */

/* The kernel keeps a task clock for every CPU, exact to the nanosecond, without a PMU and for every user. The
 * time on a kind of core is the sum over its CPUs. */

/* Opening, reading and closing an event costs about 2 us a run. If all cores are of one kind, that is too
 * much for knowing how many of a great many CPUs the run used. */
enum { CLOCKS_OF_ONE_KIND = 64 };

enum { CLOSED = -1, OFFLINE = -2 };

/* User mode only: the clock also runs in the kernel all the same, and every user may read it. */
static const struct lauka_event clock_event = {
    .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK, .modes = LAUKA_MODES_USER};
static const struct lauka_event migrations_event = {.type = PERF_TYPE_SOFTWARE,
                                                    .config = PERF_COUNT_SW_CPU_MIGRATIONS};

/* Of an event that is armed for a run: with --delay it waits to be switched on. */
static enum lauka_perf_purpose purpose_of(const struct lauka_counters *counters,
                                          enum lauka_perf_purpose purpose)
{
    bool later = counters->begin_after_ns > 0;
    return later ? (enum lauka_perf_purpose)(purpose | LAUKA_PERF_LATER) : purpose;
}

static int close_one(int fd)
{
    if (fd >= 0)
        close(fd);
    return CLOSED;
}

static void close_all(int *fds, size_t count)
{
    for (size_t i = 0; i < count; i++)
        fds[i] = close_one(fds[i]);
}

static void choose_cpus(struct lauka_counters *counters)
{
    const struct lauka_topology *topology = &counters->topology;
    unsigned most = topology->type_count > 1 ? (unsigned)LAUKA_CLOCKS_MAX : CLOCKS_OF_ONE_KIND;
    counters->clock_count = 0;
    for (unsigned cpu = 0; cpu < LAUKA_CPUS_MAX; cpu++) {
        if (lauka_topology_type(topology, cpu) == topology->type_count)
            continue;
        if (counters->clock_count == most) {
            counters->clock_count = 0;
            counters->clock_error = ENOBUFS;
            return;
        }
        counters->clock_cpus[counters->clock_count++] = (uint16_t)cpu;
    }
}

/* Decides which CPUs' times are kept apart, and holds the events that should not be switched on and off in
 * every run. */
static void clocks_open(struct lauka_counters *counters)
{
    counters->held_clock = lauka_perf_event_open(&clock_event, true, LAUKA_PERF_HOLD, -1);
    if (counters->held_clock >= 0)
        choose_cpus(counters);
    else
        counters->clock_error = errno;
    counters->held_migrations =
        lauka_perf_event_open(&migrations_event, false, LAUKA_PERF_HOLD, -1);
    counters->told = (counters->clock_count > 0 ? LAUKA_TOLD_CPU_TIME : 0) |
                     (counters->held_migrations >= 0 ? LAUKA_TOLD_MIGRATIONS : 0);
}

/* In the child. Async-signal-safe. */
static void clocks_arm(struct lauka_counters *counters)
{
    enum lauka_perf_purpose purpose = purpose_of(counters, LAUKA_PERF_COUNT);
    for (size_t i = 0; i < counters->clock_count; i++) {
        int fd =
            lauka_perf_event_open_on(&clock_event, true, purpose, -1, 0, counters->clock_cpus[i]);
        counters->clocks[i] = fd < 0 && errno == ENODEV ? OFFLINE : fd;
        if (counters->clocks[i] == CLOSED)
            counters->clock_error = errno;
    }
    if (counters->held_migrations >= 0)
        counters->migrations = lauka_perf_event_open(&migrations_event, false, purpose, -1);
}

/* In a batch, before a run: reads the clocks. False if one cannot be read. */
static bool clocks_note(struct lauka_counters *counters)
{
    bool good = true;
    for (size_t i = 0; i < counters->clock_count; i++) {
        errno = 0;
        counters->clocks_before[i] = lauka_perf_event_read(counters->clocks[i]).value;
        good = good && (counters->clocks[i] < 0 || errno == 0);
    }
    errno = 0;
    counters->migrations_before = lauka_perf_event_read(counters->migrations);
    return good && (counters->migrations < 0 || errno == 0);
}

/* False if the clock could not be opened. A clock of a CPU that the run never used has no time at all. */
static bool add_clock(struct lauka_counters *counters, size_t index)
{
    struct lauka_residency *residency = &counters->residency;
    size_t type = lauka_topology_type(&counters->topology, counters->clock_cpus[index]);
    uint64_t before = counters->in_batch ? counters->clocks_before[index] : 0;
    struct lauka_reading reading = lauka_perf_event_read(counters->clocks[index]);
    if (counters->clocks[index] == OFFLINE)
        return true;
    if (counters->clocks[index] < 0 || reading.value < before) {
        counters->noted = false;
        return false;
    }
    counters->clocks_before[index] = reading.value;
    residency->types[type].cpu_ns += reading.value - before;
    residency->cpus_used += reading.value > before;
    return true;
}

/* Reads what arm opened, and sets counters->residency. */
static void clocks_collect(struct lauka_counters *counters)
{
    struct lauka_residency *residency = &counters->residency;
    bool known = counters->clock_count > 0;
    lauka_residency_forget(residency);
    for (size_t t = 0; t < counters->topology.type_count; t++)
        residency->types[t].cpu_ns = 0;
    residency->cpus_used = 0;
    for (size_t i = 0; i < counters->clock_count; i++)
        known = add_clock(counters, i) && known;
    if (!known)
        lauka_residency_forget(residency);
    struct lauka_reading moved = lauka_perf_event_read(counters->migrations);
    if (counters->in_batch) {
        struct lauka_reading now = moved;
        moved = lauka_perf_event_since(&now, &counters->migrations_before);
        counters->migrations_before = now;
    }
    if (moved.running > 0)
        residency->migrations = moved.value;
}

static void switch_on(int fd)
{
    if (fd >= 0)
        ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
}

static void clocks_switch_on(const struct lauka_counters *counters)
{
    for (size_t i = 0; i < counters->clock_count; i++)
        switch_on(counters->clocks[i]);
    switch_on(counters->migrations);
}

static void clocks_disarm(struct lauka_counters *counters)
{
    close_all(counters->clocks, counters->clock_count);
    counters->migrations = close_one(counters->migrations);
}

static void clocks_close(struct lauka_counters *counters)
{
    counters->held_clock = close_one(counters->held_clock);
    counters->held_migrations = close_one(counters->held_migrations);
    counters->clock_count = 0;
}

/* ---- groups: events that one read(2) reports --------------------------------------------------- */

/* Events that take no counter are always counted, so they can form one group. Hardware events are grouped only
 * as lauka_counters_pair joined them, because a group gets onto the counters as a whole or not at all. */

static bool is_free(const struct lauka_counters *counters, size_t index)
{
    return counters->errors[index] == 0 && !counters->sums[index] &&
           counters->leaders[index] == index && counters->events[index]->type == PERF_TYPE_SOFTWARE;
}

/* Kernels before 4.13 cannot read groups that are inherited. */
static bool can_read_groups(const struct lauka_counters *counters, size_t index)
{
    int fd = lauka_perf_event_open(counters->events[index], counters->user_only,
                                   LAUKA_PERF_COUNT_GROUP, -1);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

/* Puts events that take no counter into one group, and finds out whether groups can be read at once. Call
 * it once all events have their order. */
static void groups_join(struct lauka_counters *counters)
{
    size_t leader = counters->count;
    for (size_t k = 0; k < counters->count; k++) {
        size_t i = counters->order[k];
        if (!is_free(counters, i))
            continue;
        if (leader == counters->count) {
            leader = i;
            counters->reads_groups = can_read_groups(counters, i);
        }
        if (counters->reads_groups)
            counters->leaders[i] = (uint8_t)leader;
    }
}

static bool is_member(const struct lauka_counters *counters, size_t index, size_t leader)
{
    return counters->armed[index] >= 0 && (index == leader || counters->leaders[index] == leader);
}

/* The group's members, in the order in which they were opened. */
static void take_group(const struct lauka_counters *counters, size_t leader, size_t position,
                       const uint64_t *numbers, struct lauka_reading *readings)
{
    const uint64_t *value = numbers + 3;
    uint64_t left = numbers[0];
    for (size_t k = position; k < counters->count && left > 0; k++) {
        size_t i = counters->order[k];
        if (!is_member(counters, i, leader))
            continue;
        readings[i] = (struct lauka_reading){*value++, numbers[1], numbers[2]};
        left--;
    }
}

/* 0 or an errno. position: the leader's, in the order. */
static int read_group(const struct lauka_counters *counters, size_t position,
                      struct lauka_reading *readings)
{
    uint64_t numbers[3 + LAUKA_COUNTERS_MAX]; /* how many, enabled, running, and the values */
    size_t leader = counters->order[position];
    size_t wanted = 3;
    for (size_t i = 0; i < counters->count; i++)
        wanted += is_member(counters, i, leader);
    ssize_t size = read(counters->armed[leader], numbers, wanted * sizeof *numbers);
    if (size < 0)
        return errno;
    /* Nothing is reported about events that could not be put onto their counters. */
    if (size >= (ssize_t)(4 * sizeof *numbers) && numbers[0] <= (size_t)size / sizeof *numbers - 3)
        take_group(counters, leader, position, numbers, readings);
    return 0;
}

static int read_one(const struct lauka_counters *counters, size_t index,
                    struct lauka_reading *readings)
{
    errno = 0;
    readings[index] = lauka_perf_event_read(counters->armed[index]);
    return errno;
}

int lauka_perf_event_read_all(const struct lauka_counters *counters, struct lauka_reading *readings,
                              size_t *failed)
{
    int error = 0;
    for (size_t i = 0; i < counters->count; i++)
        readings[i] = (struct lauka_reading){0};
    for (size_t k = 0; k < counters->count; k++) {
        size_t i = counters->order[k], leader = counters->leaders[i];
        if (counters->armed[i] < 0 ||
            (counters->reads_groups && leader != i && counters->armed[leader] >= 0))
            continue;
        int own = counters->reads_groups ? read_group(counters, k, readings)
                                         : read_one(counters, i, readings);
        if (own != 0) {
            error = own;
            *failed = i;
        }
    }
    return error;
}

/* ---- batch: events that several runs share ----------------------------------------------------- */

/* They are open in the launcher, disabled, and every process that it starts inherits them. They count from
 * execve on, and what they had counted before a run is subtracted. At a context switch the kernel may exchange
 * the events of two processes, instead of stopping and starting them, if both inherited all their events from
 * the same ancestor (perf_event_context_sched_out). The launcher is such an ancestor: its own events would end
 * with a command. The kernel does not do so if one of the ancestor's events is not inherited. Every held event
 * is like that (struct lauka_counters); there is one of each kind, because kernels before 6.2 keep software
 * and hardware events apart. */

/* If kinds of core have their own counters, kernels before 6.2 were not tried. */
static bool is_tried(const struct lauka_counters *counters)
{
    struct utsname about;
    char *end;
    if (!counters->core_kinds)
        return true;
    if (uname(&about) != 0)
        return false;
    unsigned long major = strtoul(about.release, &end, 10);
    return major > 6 || (major == 6 && *end == '.' && strtoul(end + 1, NULL, 10) >= 2);
}

static bool is_complete(const struct lauka_counters *counters)
{
    for (size_t i = 0; i < counters->clock_count; i++)
        if (counters->clocks[i] == CLOSED)
            return false;
    return counters->run_error == 0 && (counters->held_migrations < 0 || counters->migrations >= 0);
}

void lauka_counters_batch_begin(struct lauka_counters *counters)
{
    if (counters->in_batch || counters->batches_fail || counters->begin_after_ns > 0 ||
        !lauka_counters_arms(counters) || !is_tried(counters))
        return;
    lauka_perf_event_arm(counters);
    counters->noted = false;
    if (is_complete(counters))
        counters->in_batch = true;
    else
        lauka_perf_event_disarm(counters); /* each run tells what is wrong */
}

/* What every event has counted so far. After a run that left no process behind, this equals what was read
 * at its end. False if one cannot be read. */
static bool note(struct lauka_counters *counters)
{
    size_t failed;
    counters->noted = clocks_note(counters) &&
                      lauka_perf_event_read_all(counters, counters->before, &failed) == 0;
    return counters->noted;
}

void lauka_counters_batch_run(struct lauka_counters *counters)
{
    if (!counters->in_batch)
        return;
    counters->run_error = 0;
    counters->started_cpu_ns = 0;
    if (!counters->noted && !note(counters))
        lauka_counters_batch_end(counters);
}

void lauka_counters_batch_disturb(struct lauka_counters *counters)
{
    counters->noted = false;
}

void lauka_counters_batch_end(struct lauka_counters *counters)
{
    if (counters->in_batch)
        lauka_perf_event_disarm(counters);
}

/* ---- perf event -------------------------------------------------------------------------------- */

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
static int hold(const struct lauka_event *event, bool user_only, int group, int *fd)
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

    *fd = lauka_perf_event_open(event, user_only, LAUKA_PERF_HOLD, group);
    if (*fd >= 0)
        return 0;
    if (errno != EINVAL && errno != EOPNOTSUPP)
        return errno;
    /* If a PMU cannot exclude the kernel, permission decides again. EOPNOTSUPP has the same number as
     * ENOTSUP, which lauka uses for itself. */
    return user_only ? EACCES : EINVAL;
}

static int hold_part(struct lauka_counters *counters, size_t index, bool user_only)
{
    struct lauka_event *part = &counters->parts[index - counters->asked];
    int error = hold(part, user_only, -1, &counters->held[index]);
    if (lauka_perf_event_describe(part, counters->topology.types[part->core - 1].pmu, error))
        error = hold(part, user_only, -1, &counters->held[index]);
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

/* Some events are only valid in a group that a certain other one leads: tries it there. Returns whether it is held now. */
static bool hold_in_group(struct lauka_counters *counters, size_t index, bool user_only)
{
    const struct lauka_event *event = counters->events[index];
    if (counters->errors[index] != EINVAL || event->group == 0)
        return false;
    for (size_t i = 0; i < counters->asked; i++) {
        const struct lauka_event *leader = counters->events[i];
        if (!leader->leads || leader->group != event->group || leader->modes != event->modes ||
            counters->held[i] < 0)
            continue;
        counters->errors[index] = hold(event, user_only, counters->held[i], &counters->held[index]);
        return counters->held[index] >= 0;
    }
    return false;
}

/* Holds the events that it can; returns how many. */
static size_t hold_all(struct lauka_counters *counters, bool user_only)
{
    size_t held = 0;
    lauka_machine_release(counters);
    for (size_t i = 0; i < counters->count; i++) {
        if (counters->events[i]->of_machine)
            counters->errors[i] = lauka_machine_hold(counters, i, LAUKA_POWERCAP);
        else if (user_only && has_user_twin(counters, i))
            counters->errors[i] = EACCES;
        else if (counters->sums[i])
            counters->errors[i] = 0;
        else if (i >= counters->asked)
            counters->errors[i] = hold_part(counters, i, user_only);
        else
            counters->errors[i] = hold(counters->events[i], user_only, -1, &counters->held[i]);
        held += counters->held[i] >= 0;
    }
    for (size_t i = 0; i < counters->asked; i++)
        held += hold_in_group(counters, i, user_only);
    lauka_counters_settle(counters);
    counters->user_only = user_only && held > 0;
    return held;
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
    groups_join(counters);
    if (count > 0)
        clocks_open(counters);
}

static void note_failure(struct lauka_counters *counters, size_t index, int error)
{
    counters->run_error = error;
    counters->run_error_at = (uint8_t)index;
}

/* Others are sums of their parts, or open all the time. */
static bool is_armed_for_runs(const struct lauka_counters *counters, size_t index)
{
    return counters->errors[index] == 0 && !counters->sums[index] &&
           !counters->events[index]->of_machine;
}

bool lauka_counters_arms(const struct lauka_counters *counters)
{
    bool any = counters->clock_count > 0 || counters->held_migrations >= 0;
    if (counters->in_batch)
        return counters->watching;
    for (size_t i = 0; i < counters->count; i++)
        any = any || is_armed_for_runs(counters, i);
    return any;
}

void lauka_perf_event_arm_on(struct lauka_counters *counters, pid_t pid)
{
    enum lauka_perf_purpose purpose =
        purpose_of(counters, counters->reads_groups ? LAUKA_PERF_COUNT_GROUP : LAUKA_PERF_COUNT);
    counters->run_error = 0;
    for (size_t k = 0; k < counters->count; k++) {
        size_t i = counters->order[k], leader = counters->leaders[i];
        if (!is_armed_for_runs(counters, i) || !lauka_counters_has_turn(counters, i))
            continue;
        int group = leader == i ? -1 : counters->armed[leader];
        counters->armed[i] = lauka_perf_event_open_on(counters->events[i], counters->user_only,
                                                      purpose, group, pid, -1);
        if (counters->armed[i] < 0)
            note_failure(counters, i, errno);
    }
}

void lauka_perf_event_switch(const struct lauka_counters *counters, bool on)
{
    for (size_t i = 0; i < counters->count; i++) {
        int fd = counters->armed[i];
        bool leads = counters->leaders[i] == i || counters->armed[counters->leaders[i]] < 0;
        if (fd >= 0 && leads && on)
            switch_on(fd);
        else if (fd >= 0 && leads)
            ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
    }
}

bool lauka_counters_begin_late(struct lauka_counters *counters)
{
    if (counters) {
        lauka_counters_look(counters);
        clocks_switch_on(counters);
        lauka_perf_event_switch(counters, true);
    }
    return true;
}

void lauka_perf_event_arm(struct lauka_counters *counters)
{
    lauka_perf_event_arm_on(counters, 0);
    clocks_arm(counters);
}

void lauka_perf_event_disarm(struct lauka_counters *counters)
{
    close_all(counters->armed, counters->count);
    clocks_disarm(counters);
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
    clocks_collect(counters);
    lauka_watch_collect(counters);
    if (counters->in_batch && lacks_events(counters, readings))
        counters->batches_fail = true;
    if (!counters->in_batch || counters->batches_fail)
        lauka_perf_event_disarm(counters);
    lauka_counters_add_up(counters, readings);
    lauka_machine_end(counters, readings);
}

/* An event that is held costs something at every context switch. */
void lauka_counters_spare(struct lauka_counters *counters)
{
    if (counters->topology.type_count < 2)
        clocks_close(counters);
}

void lauka_counters_close(struct lauka_counters *counters)
{
    lauka_perf_event_disarm(counters);
    close_all(counters->held, counters->count);
    lauka_machine_release(counters);
    clocks_close(counters);
}

const char *lauka_counters_taken(const struct lauka_counters *counters)
{
    return counters->taken ? lauka_counter_holder("/proc/sys/kernel") : NULL;
}
