/* attached: events on another process, which count between begin_stretch and its end. */
#include "pmu/linux/perf_event.h"
#include "pmu/counters/counters.h"

#include <string.h>

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

void lauka_counters_begin_stretch(struct lauka_counters *counters)
{
    lauka_perf_event_switch(counters, true);
}

void lauka_counters_end_stretch(struct lauka_counters *counters, struct lauka_reading *readings)
{
    size_t failed = 0;

    lauka_perf_event_switch(counters, false);
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
