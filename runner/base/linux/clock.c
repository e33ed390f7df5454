/* The clock of all durations. */
#include "runner/base/base.h"

#include <time.h>

uint64_t lauka_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t lauka_clock_resolution_ns(void)
{
    struct timespec step;

    return clock_getres(CLOCK_MONOTONIC, &step) == 0
               ? (uint64_t)step.tv_sec * 1000000000u + (uint64_t)step.tv_nsec
               : 0;
}
