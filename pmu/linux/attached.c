/* attached: events on another process, which count between begin_stretch and its end. */
#include "pmu/linux/perf_event.h"
#include "pmu/counters/counters.h"

#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>

bool lauka_counters_can_attach(void)
{
    return true;
}

void lauka_counters_attach(struct lauka_counters *counters, pid_t pid)
{
    lauka_counters_detach(counters);
    memset(counters->before, 0, sizeof counters->before);
    lauka_perf_event_arm_on(counters, pid);
}

/* Members of a group follow their leader. */
static void switch_all(const struct lauka_counters *counters, bool on)
{
    for (size_t i = 0; i < counters->count; i++) {
        int fd = counters->armed[i];
        bool leads = counters->leaders[i] == i || counters->armed[counters->leaders[i]] < 0;
        if (fd >= 0 && leads && on)
            ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
        else if (fd >= 0 && leads)
            ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
    }
}

void lauka_counters_begin_stretch(struct lauka_counters *counters)
{
    switch_all(counters, true);
}

void lauka_counters_end_stretch(struct lauka_counters *counters, struct lauka_reading *readings)
{
    size_t failed = 0;

    switch_all(counters, false);
    int error = lauka_perf_event_read_all(counters, readings, &failed);
    if (error) {
        counters->run_error = error;
        counters->run_error_at = (uint8_t)failed;
    }
    for (size_t i = 0; i < counters->count; i++) {
        struct lauka_reading now = readings[i];
        readings[i] = lauka_perf_event_since(&now, &counters->before[i]);
        counters->before[i] = now;
    }
    lauka_residency_forget(&counters->residency);
    lauka_counters_add_up(counters, readings);
}

void lauka_counters_detach(struct lauka_counters *counters)
{
    lauka_perf_event_disarm(counters);
}
