/* calls on macOS: nothing counts them by name without root and dtrace, which System Integrity Protection restricts. */
#include "pmu/calls/calls.h"

#include <errno.h>

int lauka_event_open(const void *event, int cpu)
{
    (void)event;
    (void)cpu;
    errno = ENOTSUP;
    return -1;
}

int lauka_call_counters_open(const struct lauka_event_lender *lender,
                             struct lauka_call_counters *counters)
{
    (void)lender;
    (void)counters;
    return ENOTSUP;
}

int lauka_call_counters_read(struct lauka_call_counters *counters)
{
    (void)counters;
    return ENOTSUP;
}

void lauka_call_counters_close(struct lauka_call_counters *counters)
{
    (void)counters;
}
