/* Sets of events on the pretended machine. */
#ifndef LAUKA_TESTS_SCENARIOS_H
#define LAUKA_TESTS_SCENARIOS_H

#include "pmu/counters/counters.h"
#include "pmu/events/events.h"

#include "tests/unit/expect.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

enum { CYCLES, INSTRUCTIONS, CACHE_REFERENCES, CACHE_MISSES, BRANCH_MISSES, DEFAULTS };

static inline struct lauka_counters simulated(enum lauka_scenario scenario)
{
    struct lauka_counters counters;
    size_t count;
    const struct lauka_event *events = lauka_default_events(&count);
    lauka_pretended_open(&counters, scenario, events, count);
    return counters;
}

static inline bool scaled_is(struct lauka_reading reading, uint64_t expected)
{
    uint64_t value;
    return lauka_reading_scaled(&reading, &value) && value == expected;
}

static inline bool not_counted(struct lauka_reading reading)
{
    uint64_t value = 1;
    return !lauka_reading_scaled(&reading, &value) && value == 0;
}

struct run {
    struct lauka_usage usage;
    struct lauka_reading readings[DEFAULTS];
};

#endif
