/* perf_event: counting on Linux by perf_event_open(2).
 *
 * The command's process opens its own events just before execve (arm), because to open them on
 * another task interrupts that task's CPU (17 us instead of 1). Every run needs new ones: inherited
 * events move between tasks at a context switch and die with the task they ended up in. Events
 * stand alone, but for those whose ratio is wanted (lauka_counters_pair): a group either gets onto
 * the counters as a whole or not at all. What fits is found out in placement.c. */
#include "pmu/perf_event.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int open_attr(struct perf_event_attr *attr, int group)
{
    return (int)syscall(SYS_perf_event_open, attr, 0, -1, group, PERF_FLAG_FD_CLOEXEC);
}

int lauka_perf_event_open(const struct lauka_event *event, bool user_only,
                          enum lauka_perf_purpose purpose, int group)
{
    bool leads = group < 0;
    struct perf_event_attr attr;
    memset(&attr, 0, sizeof attr);
    /* All we use was there from the start, or nearly: no kernel is too old. */
    attr.size = event->config2 ? PERF_ATTR_SIZE_VER1 : PERF_ATTR_SIZE_VER0;
    attr.type = event->type;
    attr.config = event->config;
    attr.config1 = event->config1;
    attr.config2 = event->config2;
    attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    attr.disabled = leads; /* a member follows its leader */
    attr.inherit = purpose == LAUKA_PERF_COUNT;
    /* Where nothing is counted, too: a leader that is only disabled is not reckoned with when the
     * kernel looks whether its group fits (arm_pmu). */
    attr.enable_on_exec = leads;
    attr.exclude_user = event->modes == LAUKA_MODES_KERNEL;
    attr.exclude_kernel = user_only || event->modes == LAUKA_MODES_USER;
    attr.exclude_hv = attr.exclude_kernel;

    int fd = open_attr(&attr, group);
    if (fd < 0 && (errno == EINVAL || errno == EOPNOTSUPP)) {
        int first = errno;
        attr.exclude_guest = 1; /* some PMUs insist on it: Apple's, which cannot count guests */
        fd = open_attr(&attr, group);
        errno = fd < 0 ? first : 0;
    }
    return fd;
}

/* Of the CPUs themselves: their directories have a file `cpus` where there is more than one. */
static size_t count_core_pmus(void)
{
    char **pmus = lauka_sysfs_list(LAUKA_SYSFS, ".");
    size_t count = 0;
    for (char **pmu = pmus; pmu && *pmu; pmu++) {
        char file[300], cpus[256];
        snprintf(file, sizeof file, "%s/cpus", *pmu);
        count += lauka_sysfs_read(LAUKA_SYSFS, file, cpus, sizeof cpus);
    }
    lauka_sysfs_free(pmus);
    return count;
}

/* Generic events mean one of several PMUs, whichever was registered last, and count nothing on the
 * cores of the others. */
static bool is_ambiguous(const struct lauka_event *event)
{
    return event->type == PERF_TYPE_HARDWARE || event->type == PERF_TYPE_HW_CACHE ||
           event->type == PERF_TYPE_RAW;
}

/* These happen in the kernel: opened for user mode only, they succeed and count zero. */
static bool is_kernel_side(const struct lauka_event *event)
{
    return event->type == PERF_TYPE_SOFTWARE && (event->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
                                                 event->config == PERF_COUNT_SW_CPU_MIGRATIONS ||
                                                 event->config == PERF_COUNT_SW_CGROUP_SWITCHES);
}

/* The errno that the attempt to hold an event ends with; sets *fd. */
static int hold(const struct lauka_event *event, bool core_kinds, bool user_only, int *fd)
{
    *fd = -1;
    if (core_kinds && is_ambiguous(event))
        return ENOTSUP;
    if (user_only && event->modes == LAUKA_MODES_KERNEL)
        return EACCES;
    if (is_kernel_side(event) && (user_only || event->modes == LAUKA_MODES_USER))
        return user_only ? EACCES : EINVAL;

    *fd = lauka_perf_event_open(event, user_only, LAUKA_PERF_HOLD, -1);
    if (*fd >= 0)
        return 0;
    if (errno != EINVAL && errno != EOPNOTSUPP)
        return errno;
    /* A PMU that cannot leave the kernel out is a matter of permission again. EOPNOTSUPP is the
     * same number as ENOTSUP, by which lauka means itself. */
    return user_only ? EACCES : EINVAL;
}

/* Two events that have become one: "instructions" and "instructions:u". */
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

/* Holds what it can; returns how many. */
static size_t hold_all(struct lauka_counters *counters, bool user_only)
{
    size_t held = 0;
    for (size_t i = 0; i < counters->count; i++) {
        bool twin = user_only && has_user_twin(counters, i);
        counters->errors[i] = twin ? EACCES
                                   : hold(counters->events[i], counters->core_kinds, user_only,
                                          &counters->held[i]);
        held += counters->errors[i] == 0;
    }
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

    /* Permission is asked before anything else, so where all was denied, what user mode was refused
     * with is the better reason: it may be that there is no PMU. */
    lauka_counters_close(counters);
    size_t user_only = hold_all(counters, true);
    if (user_only > with_kernel || with_kernel == 0)
        return;
    lauka_counters_close(counters);
    hold_all(counters, false);
}

void lauka_counters_open(struct lauka_counters *counters, const struct lauka_event *events,
                         size_t count)
{
    lauka_counters_prepare(counters, events, count);
    counters->core_kinds = count_core_pmus() > 1;
    hold_with_what_is_allowed(counters);
    lauka_counters_pair(counters);
    lauka_counters_place(counters);
}

void lauka_counters_arm(struct lauka_counters *counters)
{
    for (size_t k = 0; k < counters->count; k++) {
        size_t i = counters->order[k], leader = counters->leaders[i];
        if (counters->errors[i] != 0 || !lauka_counters_has_turn(counters, i))
            continue;
        int group = leader == i ? -1 : counters->armed[leader];
        counters->armed[i] = lauka_perf_event_open(counters->events[i], counters->user_only,
                                                   LAUKA_PERF_COUNT, group);
    }
}

struct lauka_reading lauka_perf_event_read(int fd)
{
    uint64_t numbers[3]; /* value, enabled, running: the order of read_format */
    if (fd < 0 || read(fd, numbers, sizeof numbers) != (ssize_t)sizeof numbers)
        return (struct lauka_reading){0};
    return (struct lauka_reading){numbers[0], numbers[1], numbers[2]};
}

static void close_all(int *fds, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (fds[i] >= 0)
            close(fds[i]);
        fds[i] = -1;
    }
}

void lauka_counters_collect(struct lauka_counters *counters, struct lauka_reading *readings)
{
    for (size_t i = 0; i < counters->count; i++) {
        readings[i] = lauka_perf_event_read(counters->armed[i]);
        /* One kind of core counts while the command is on it, and all that fits: what is enabled
         * beyond that was time on other cores, and not missed. */
        if (counters->core_kinds && lauka_event_is_hardware(counters->events[i]))
            readings[i].enabled = readings[i].running;
    }
    close_all(counters->armed, counters->count);
}

void lauka_counters_close(struct lauka_counters *counters)
{
    close_all(counters->held, counters->count);
}

const char *lauka_counters_taken(const struct lauka_counters *counters)
{
    char text[16] = "";
    if (!counters->taken)
        return NULL;
    lauka_sysfs_read("/proc/sys/kernel", "nmi_watchdog", text, sizeof text);
    return strcmp(text, "1") == 0
               ? "the NMI watchdog holds a counter, which kernel.nmi_watchdog = 0 (sysctl) frees"
               : "another profiler holds a counter";
}

const char *lauka_backend_unsupported(void)
{
    return "this machine has more than one kind of core, each with counters of its own, which "
           "lauka cannot add up yet; rely on the times, or ask for the events of one kind "
           "(lauka list)";
}
