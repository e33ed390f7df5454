/* kperf: counting on macOS. Apple gives no public interface to the counters, and the private one
 * (kperf.framework) is not used yet, so every event is refused with ENOTSUP. */
#include "pmu.h"

#include <errno.h>

#include "pmu/backend.h"

void lauka_counters_open(struct lauka_counters *counters, const struct lauka_event *events,
                         size_t count)
{
    lauka_counters_prepare(counters, events, count);
    for (size_t i = 0; i < count; i++)
        counters->errors[i] = ENOTSUP;
}

void lauka_counters_arm(struct lauka_counters *counters)
{
    (void)counters; /* nothing could be opened */
}

void lauka_counters_collect(struct lauka_counters *counters, struct lauka_reading *readings)
{
    for (size_t i = 0; i < counters->count; i++)
        readings[i] = (struct lauka_reading){0};
}

void lauka_counters_close(struct lauka_counters *counters)
{
    (void)counters;
}

const char *lauka_counters_taken(const struct lauka_counters *counters)
{
    (void)counters;
    return NULL;
}

const char *lauka_backend_unsupported(void)
{
    return "lauka cannot use the counters of macOS yet; rely on the times, or count on Linux";
}
