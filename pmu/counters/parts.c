/* parts: an event that is counted on several kinds of core, each by a PMU of its own. The kernel
 * gives a generic event to one PMU only, and counts nothing on the cores of the others; so there is
 * an event for each of them, and what was asked for is their sum.
 *
 * The time that such an event is enabled includes the time on other cores, and so says nothing about
 * how long it could have counted. That is the time spent on its own cores, which the clocks of the
 * CPUs tell to the nanosecond. */
#include <errno.h>
#include <stdio.h>

#include "pmu/counters/counters.h"
#include "pmu/events/events.h"

__extension__ typedef unsigned __int128 uint128;

static bool is_generic(const struct lauka_event *event)
{
    return !event->of_one_pmu && (event->type == LAUKA_TYPE_HARDWARE ||
                                  event->type == LAUKA_TYPE_CACHE || event->type == LAUKA_TYPE_RAW);
}

bool lauka_event_take_pmu(struct lauka_event *event, uint32_t pmu_type)
{
    enum {
        PMU_TYPE_SHIFT = 32
    }; /* the upper half of attr.config: perf_event.h, PERF_PMU_TYPE_SHIFT */
    if (!is_generic(event))
        return false;
    if (event->type != LAUKA_TYPE_RAW)
        event->config |= (uint64_t)pmu_type << PMU_TYPE_SHIFT;
    else if (pmu_type)
        event->type = pmu_type;
    return true;
}

static void add_part(struct lauka_counters *counters, size_t whole, size_t type)
{
    size_t index = counters->count++, place = index - counters->asked;
    const struct lauka_core_type *about = &counters->topology.types[type];
    struct lauka_event *part = &counters->parts[place];
    *part = *counters->events[whole];
    part->core = (uint8_t)(type + 1);
    lauka_event_take_pmu(part, about->pmu_type);
    snprintf(counters->part_names[place], LAUKA_EVENT_NAME_SIZE, "%.70s@%s", part->name,
             about->label);
    part->name = counters->part_names[place];
    counters->events[index] = part;
    counters->wholes[index] = (uint8_t)whole;
    counters->sums[whole] = true;
}

void lauka_counters_split(struct lauka_counters *counters)
{
    const struct lauka_topology *topology = &counters->topology;
    counters->core_kinds = lauka_topology_count_pmus(topology) > 1;
    for (size_t i = 0; counters->core_kinds && i < counters->asked; i++)
        for (size_t t = 0; t < topology->type_count && is_generic(counters->events[i]); t++)
            if (topology->types[t].pmu_type != 0)
                add_part(counters, i, t);
}

static int error_of_parts(const struct lauka_counters *counters, size_t whole)
{
    int error = 0;
    bool any = false;
    for (size_t i = counters->asked; i < counters->count; i++) {
        if (counters->wholes[i] != whole)
            continue;
        any = any || counters->errors[i] == 0;
        error = error ? error : counters->errors[i];
    }
    return error == ENOENT && any ? ENXIO : error;
}

void lauka_counters_settle(struct lauka_counters *counters)
{
    for (size_t i = 0; i < counters->asked; i++)
        if (counters->sums[i] && counters->errors[i] == 0)
            counters->errors[i] = error_of_parts(counters, i);
}

/* ---- Readings ---- */

/* The kind of core on which the event is counted; type_count if on all of them. */
static size_t type_of(const struct lauka_counters *counters, const struct lauka_event *event)
{
    size_t t = 0;
    if (event->core > 0)
        return event->core - 1u;
    while (t < counters->topology.type_count && event->of_one_pmu &&
           counters->topology.types[t].pmu_type != event->type)
        t++;
    return event->of_one_pmu ? t : counters->topology.type_count;
}

/* Whether every event of this run is meant to be counted all the time. */
static bool shares(const struct lauka_counters *counters)
{
    return counters->turn == LAUKA_ALL_SETS && counters->set_count > 1;
}

/* The time in which the counters of one kind of core could count; LAUKA_UNKNOWN if it is not known.
 * Kernels before 6.2 keep clocks and counters in two lists and start one a little before the other at
 * every context switch. So if everything that was asked for fits, the counters' own time is more exact. */
static uint64_t time_of(const struct lauka_counters *counters, size_t type,
                        const struct lauka_reading *readings)
{
    enum { SLACK_NS = 5000 };
    uint64_t clock_ns = counters->residency.types[type].cpu_ns, longest = 0;
    for (size_t i = 0; i < counters->count; i++)
        if (!counters->sums[i] && type_of(counters, counters->events[i]) == type &&
            readings[i].running > longest)
            longest = readings[i].running;
    bool near = clock_ns != LAUKA_UNKNOWN && longest + clock_ns / 100 + SLACK_NS >= clock_ns;
    if (shares(counters))
        return clock_ns;
    return clock_ns == LAUKA_UNKNOWN || near ? longest : clock_ns;
}

/* Replaces the time that an event was enabled by the time on its own cores: an open event is enabled
 * wherever the run is. */
static void set_time(uint64_t time_ns, struct lauka_reading *reading)
{
    bool known = time_ns != LAUKA_UNKNOWN && reading->running <= time_ns;
    if (reading->enabled == 0 || !known) /* not counted, or nobody knows how long it should be */
        *reading = (struct lauka_reading){.enabled = 1};
    else if (time_ns == 0) /* there was nothing to miss */
        *reading = (struct lauka_reading){.enabled = 1, .running = 1};
    else
        reading->enabled = time_ns;
}

static void set_times(const struct lauka_counters *counters, struct lauka_reading *readings)
{
    uint64_t times[LAUKA_CORE_TYPES_MAX] = {0};
    for (size_t t = 0; t < counters->topology.type_count; t++)
        times[t] = time_of(counters, t, readings);
    for (size_t i = 0; i < counters->count; i++) {
        size_t type = type_of(counters, counters->events[i]);
        bool counted = counters->errors[i] == 0 && lauka_counters_has_turn(counters, i);
        if (!counters->sums[i] && counted && type < counters->topology.type_count)
            set_time(times[type], &readings[i]);
    }
}

static struct lauka_reading add_parts(const struct lauka_counters *counters, size_t whole,
                                      const struct lauka_reading *readings)
{
    struct lauka_reading sum = {0};
    uint128 scaled = 0;
    for (size_t i = counters->asked; i < counters->count; i++) {
        uint64_t value;
        if (counters->wholes[i] != whole)
            continue;
        if (!lauka_reading_scaled(&readings[i], &value))
            return (struct lauka_reading){0};
        scaled += value;
        sum.enabled += readings[i].enabled;
        sum.running += readings[i].running;
    }
    /* The value was scaled already; this undoes it, so that a reading stays a reading. */
    if (sum.running < sum.enabled)
        scaled = (scaled * sum.running + sum.enabled / 2) / sum.enabled;
    sum.value = (uint64_t)scaled;
    return sum;
}

void lauka_counters_add_up(const struct lauka_counters *counters, struct lauka_reading *readings)
{
    if (counters->core_kinds)
        set_times(counters, readings);
    for (size_t i = 0; i < counters->asked; i++)
        if (counters->sums[i])
            readings[i] = counters->errors[i] == 0 ? add_parts(counters, i, readings)
                                                   : (struct lauka_reading){0};
}
