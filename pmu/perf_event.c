/* perf_event: counting on Linux by perf_event_open(2).
 *
 * The command's process opens its own events just before execve (arm), because to open them on
 * another task interrupts that task's CPU (17 us instead of 1). Every run needs new ones: inherited
 * events move between tasks at a context switch and die with the task they ended up in. Every event
 * stands alone, as a group either gets onto the counters as a whole or not at all. */
#include "pmu.h"

#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pmu/backend.h"

/* What an event is opened for. */
enum purpose {
    TO_HOLD, /* to keep the kernel's code for it patched in; counts nothing */
    TO_COUNT /* to count the calling process from its execve on, with all it starts */
};

static int open_attr(struct perf_event_attr *attr)
{
    return (int)syscall(SYS_perf_event_open, attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* A descriptor, or -1 and errno. Async-signal-safe. */
static int open_event(const struct lauka_event *event, bool user_only, enum purpose purpose)
{
    struct perf_event_attr attr;
    memset(&attr, 0, sizeof attr);
    attr.size = PERF_ATTR_SIZE_VER0; /* all we use was there from the start: no kernel is too old */
    attr.type = event->type;
    attr.config = event->config;
    attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    attr.disabled = 1;
    attr.inherit = purpose == TO_COUNT;
    attr.enable_on_exec = purpose == TO_COUNT;
    attr.exclude_kernel = user_only;
    attr.exclude_hv = user_only;

    int fd = open_attr(&attr);
    if (fd < 0 && (errno == EINVAL || errno == EOPNOTSUPP)) {
        attr.exclude_guest = 1; /* some PMUs insist on it: Apple's, which cannot count guests */
        fd = open_attr(&attr);
    }
    return fd;
}

/* Of the CPUs themselves: their directories have a file `cpus` where there is more than one. */
static size_t count_core_pmus(void)
{
    static const char devices[] = "/sys/bus/event_source/devices";
    DIR *directory = opendir(devices);
    if (!directory)
        return 0;

    size_t count = 0;
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        char path[sizeof devices + sizeof entry->d_name + sizeof "//cpus"];
        snprintf(path, sizeof path, "%s/%s/cpus", devices, entry->d_name);
        count += access(path, F_OK) == 0;
    }
    closedir(directory);
    return count;
}

/* Generic events mean one of several PMUs, whichever was registered last, and count nothing on the
 * cores of the others. */
static bool is_ambiguous(const struct lauka_event *event, size_t core_pmus)
{
    bool generic = event->type == PERF_TYPE_HARDWARE || event->type == PERF_TYPE_HW_CACHE;
    return core_pmus > 1 && generic;
}

/* These happen in the kernel: opened for user mode only, they succeed and count zero. */
static bool is_kernel_side(const struct lauka_event *event)
{
    return event->type == PERF_TYPE_SOFTWARE && (event->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
                                                 event->config == PERF_COUNT_SW_CPU_MIGRATIONS);
}

/* The errno that the attempt to hold an event ends with; sets *fd. */
static int hold(const struct lauka_event *event, size_t core_pmus, bool user_only, int *fd)
{
    *fd = -1;
    if (is_ambiguous(event, core_pmus))
        return ENOTSUP;
    if (user_only && is_kernel_side(event))
        return EACCES;

    *fd = open_event(event, user_only, TO_HOLD);
    if (*fd >= 0)
        return 0;
    if (errno != EINVAL && errno != EOPNOTSUPP)
        return errno;
    /* A PMU that cannot leave the kernel out is a matter of permission again. EOPNOTSUPP is the
     * same number as ENOTSUP, by which lauka means itself. */
    return user_only ? EACCES : EINVAL;
}

/* Holds what it can; returns how many. */
static size_t hold_all(struct lauka_counters *counters, size_t core_pmus, bool user_only)
{
    size_t held = 0;
    for (size_t i = 0; i < counters->count; i++) {
        counters->errors[i] = hold(counters->events[i], core_pmus, user_only, &counters->held[i]);
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

void lauka_counters_open(struct lauka_counters *counters, const struct lauka_event *events,
                         size_t count)
{
    lauka_counters_prepare(counters, events, count);
    size_t core_pmus = count_core_pmus();
    size_t with_kernel = hold_all(counters, core_pmus, false);
    if (!any_denied(counters))
        return;

    /* Permission is asked before anything else, so where all was denied, what user mode was refused
     * with is the better reason: it may be that there is no PMU. */
    lauka_counters_close(counters);
    size_t user_only = hold_all(counters, core_pmus, true);
    if (user_only > with_kernel || with_kernel == 0)
        return;
    lauka_counters_close(counters);
    hold_all(counters, core_pmus, false);
}

void lauka_counters_arm(struct lauka_counters *counters)
{
    for (size_t i = 0; i < counters->count; i++)
        if (counters->errors[i] == 0)
            counters->armed[i] = open_event(counters->events[i], counters->user_only, TO_COUNT);
}

/* value, enabled, running: the order of read_format. Anything but a full read was not counted. */
static struct lauka_reading read_event(int fd)
{
    uint64_t numbers[3];
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
    for (size_t i = 0; i < counters->count; i++)
        readings[i] = read_event(counters->armed[i]);
    close_all(counters->armed, counters->count);
}

void lauka_counters_close(struct lauka_counters *counters)
{
    close_all(counters->held, counters->count);
}

const char *lauka_backend_unsupported(void)
{
    return "this machine has more than one kind of core, each with counters of its own, which "
           "lauka cannot add up yet; rely on the times";
}
