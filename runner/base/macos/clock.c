/* The clock of all durations: it stands still while the machine sleeps. */
#include "runner/base/base.h"

#include <mach/mach_time.h>
#include <time.h>

uint64_t lauka_now_ns(void)
{
    return clock_gettime_nsec_np(CLOCK_UPTIME_RAW);
}

/* clock_getres(2) tells of other clocks there, which are coarser. */
uint64_t lauka_clock_resolution_ns(void)
{
    mach_timebase_info_data_t tick;

    return mach_timebase_info(&tick) == 0 && tick.denom ? (tick.numer + tick.denom - 1) / tick.denom
                                                        : 0;
}
