/* Counters around what a program is asked to run: lauka opens the events on each process and lets them count from
 * the question to the answer. The launcher finds out what can be counted, and how it fits onto the counters. */
#include "runner/suite/suite.h"
#include "pmu/counters/counters.h"
#include "pmu/events/events.h"
#include "runner/launch/launch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* What is not asked for is counted where that can be, and not mentioned otherwise. */
static bool counts_any(const struct lauka_counters *counters)
{
    bool any = false;

    for (size_t i = 0; i < counters->asked; i++)
        any = any || counters->errors[i] == 0;
    return any;
}

/* Neither the clocks of the CPUs nor what the launcher holds. */
static void copy(const struct lauka_counters *opened, struct lauka_counters *own)
{
    *own = *opened;
    own->told = 0;
    own->clock_count = 0;
    own->clock_error = 0;
    own->held_clock = own->held_migrations = -1;
    for (size_t i = 0; i < own->count; i++)
        own->held[i] = -1;
}

/* Elsewhere there is valgrind; not here. */
static void explain_missing_pmu(struct lauka_counters *counters)
{
    bool missing = true;

    for (size_t i = 0; i < counters->asked; i++)
        missing = missing &&
                  (counters->errors[i] == ENOENT || !lauka_event_is_hardware(counters->events[i]));
    for (size_t i = 0; missing && i < counters->asked; i++)
        if (counters->errors[i] == ENOENT && lauka_event_is_hardware(counters->events[i]))
            counters->errors[i] = ENOTSUP;
    snprintf(counters->trouble, sizeof counters->trouble, "this %s has no PMU",
             counters->virtual_machine ? "VM" : "machine");
}

bool lauka_counting_open(struct lauka_counting *counting, struct lauka_launcher *launcher,
                         const struct lauka_event *events, size_t count, bool asked,
                         struct lauka_error *error)
{
    const struct lauka_counters *opened;

    if (counting->open)
        return true;
    if (!lauka_launcher_count(launcher, events, count, &opened, error) ||
        (!asked && !counts_any(opened) && !lauka_launcher_count(launcher, NULL, 0, &opened, error)))
        return false;
    for (size_t c = 0; c < 2; c++)
        copy(opened, &counting->sides[c]);
    explain_missing_pmu(&counting->sides[0]);
    counting->open = true;
    return true;
}

struct lauka_counters *lauka_counting_of(struct lauka_counting *counting, size_t side)
{
    return counting->open && counting->sides[0].asked > 0 ? &counting->sides[side] : NULL;
}

void lauka_counting_turn(struct lauka_counting *counting, unsigned turn)
{
    for (size_t c = 0; c < 2; c++)
        counting->sides[c].turn = (uint8_t)turn;
}

bool lauka_counting_counts(const struct lauka_counting *counting)
{
    return counting->open && counts_any(&counting->sides[0]);
}
