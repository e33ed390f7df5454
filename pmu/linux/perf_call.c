/* perf_event_open(2), and a count read. */
#include "pmu/linux/perf_event.h"
#include "pmu/counters/counters.h"
#include "pmu/events/events.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int open_attr(struct perf_event_attr *attr, pid_t pid, int cpu, int group)
{
    return (int)syscall(SYS_perf_event_open, attr, pid, cpu, group, PERF_FLAG_FD_CLOEXEC);
}

/* Whoever asks may be a user, and we root: no more is given away than where programs that we start were found, and how
 * many system calls they made. */
static bool may_be_lent(const struct perf_event_attr *attr)
{
    const uint64_t told = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD;
    if (attr->type == PERF_TYPE_TRACEPOINT)
        return attr->config == 0 && attr->sample_period == 0;
    return (attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_SOFTWARE) &&
           (attr->sample_type & ~told) == 0;
}

int lauka_event_open(const void *event, int cpu)
{
    struct perf_event_attr attr;
    memset(&attr, 0, sizeof attr);
    memcpy(&attr, event, LAUKA_LOAN_SIZE);
    if (!may_be_lent(&attr)) {
        errno = EPERM;
        return -1;
    }
    if (attr.type == PERF_TYPE_TRACEPOINT) {
        struct lauka_event all = {.name = "syscalls"};
        errno = lauka_tracepoint_find(NULL, &all);
        if (errno)
            return -1;
        attr.config = all.config;
    }
    return open_attr(&attr, 0, cpu, -1);
}

static void set_modes(struct perf_event_attr *attr, const struct lauka_event *event, bool user_only)
{
    const enum lauka_modes modes = event->modes;
    attr->exclude_user = modes == LAUKA_MODES_KERNEL || modes == LAUKA_MODES_HYPERVISOR;
    attr->exclude_kernel =
        user_only || modes == LAUKA_MODES_USER || modes == LAUKA_MODES_HYPERVISOR;
    attr->exclude_hv = user_only || event->without_hypervisor;
    attr->exclude_host = event->worlds == LAUKA_WORLDS_GUEST;
    attr->exclude_guest = event->worlds == LAUKA_WORLDS_HOST;
}

int lauka_perf_event_open(const struct lauka_event *event, bool user_only,
                          enum lauka_perf_purpose purpose, int group)
{
    return lauka_perf_event_open_on(event, user_only, purpose, group, 0, -1);
}

int lauka_perf_event_open_on(const struct lauka_event *event, bool user_only,
                             enum lauka_perf_purpose purpose, int group, pid_t pid, int cpu)
{
    const unsigned kind = purpose & ~(unsigned)LAUKA_PERF_LATER;
    bool leads = group < 0, later = purpose & LAUKA_PERF_LATER;
    bool holds = kind == LAUKA_PERF_HOLD || kind == LAUKA_PERF_HOLD_GROUP;
    struct perf_event_attr attr;
    memset(&attr, 0, sizeof attr);
    /* Everything used here was there from the start, or nearly: no kernel is too old. */
    attr.size = event->config2 ? PERF_ATTR_SIZE_VER1 : PERF_ATTR_SIZE_VER0;
    attr.type = event->type;
    attr.config = event->config;
    attr.config1 = event->config1;
    attr.config2 = event->config2;
    attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    attr.disabled = leads; /* a member follows its leader */
    attr.inherit = !holds;
    if (kind == LAUKA_PERF_COUNT_GROUP || kind == LAUKA_PERF_HOLD_GROUP)
        attr.read_format |= PERF_FORMAT_GROUP;
    /* Also where nothing is counted: arm_pmu ignores a leader that is merely disabled when it checks
     * whether a group fits. */
    attr.enable_on_exec = leads && pid == 0 && !later;
    set_modes(&attr, event, user_only);
    attr.pinned = leads && event->pinned && !holds;

    int fd = open_attr(&attr, pid, cpu, group);
    if (fd < 0 && (errno == EINVAL || errno == EOPNOTSUPP) && !attr.exclude_host) {
        int first = errno;
        attr.exclude_guest = 1; /* some PMUs insist on it: Apple's, which cannot count guests */
        fd = open_attr(&attr, pid, cpu, group);
        errno = fd < 0 ? first : 0;
    }
    return fd;
}

/* By attr.config of PERF_TYPE_HARDWARE. The numbers on Arm are those of the kernel's armv8_pmuv3_perf_map; that table
 * decides which of its events is meant. */
static const char *const generic_names[] = {
    "cpu_cycles",  "inst_retired", "l1d_cache",      "l1d_cache_refill", "pc_write_retired",
    "br_mis_pred", "bus_cycles",   "stall_frontend", "stall_backend"};

bool lauka_perf_event_describe(struct lauka_event *event, const char *pmu, int error)
{
    uint64_t number = event->config & UINT32_MAX;
    struct lauka_event described = *event;
    char ignored[600];
    if (error != ENOENT || event->type != LAUKA_TYPE_HARDWARE ||
        number >= sizeof generic_names / sizeof *generic_names)
        return false;
    described.config = 0;
    if (!lauka_sysfs_event(LAUKA_SYSFS, pmu, generic_names[number], &described, ignored,
                           sizeof ignored))
        return false;
    *event = described;
    return true;
}

struct lauka_reading lauka_perf_event_read(int fd)
{
    uint64_t numbers[3]; /* value, enabled, running: the order of read_format */
    if (fd < 0 || read(fd, numbers, sizeof numbers) != (ssize_t)sizeof numbers)
        return (struct lauka_reading){0};
    return (struct lauka_reading){numbers[0], numbers[1], numbers[2]};
}

struct lauka_reading lauka_perf_event_since(const struct lauka_reading *now,
                                            const struct lauka_reading *before)
{
    if (now->value < before->value || now->enabled < before->enabled ||
        now->running < before->running)
        return (struct lauka_reading){0};
    return (struct lauka_reading){now->value - before->value, now->enabled - before->enabled,
                                  now->running - before->running};
}
