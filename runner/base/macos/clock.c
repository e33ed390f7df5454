/* The clock of all durations: it stands still while the machine sleeps. */
#include "runner/base/base.h"

#include <time.h>

uint64_t lauka_now_ns(void)
{
    return clock_gettime_nsec_np(CLOCK_UPTIME_RAW);
}
