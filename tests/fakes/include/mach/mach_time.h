/* mach/mach_time.h, of macOS: as much of it as is used. In place of it on the simulated Mac. */
#ifndef LAUKA_TESTS_FAKES_MACH_TIME_H
#define LAUKA_TESTS_FAKES_MACH_TIME_H

#include <stdint.h>

typedef struct {
    uint32_t numer, denom;
} mach_timebase_info_data_t;

int mach_timebase_info(mach_timebase_info_data_t *tick);

#endif
