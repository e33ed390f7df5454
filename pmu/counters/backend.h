/* What each system provides to count with, and what it may use for that. Of linux/ and macos/ one is
 * built; it implements open, arm, collect and close of counters.h, and what is marked so. */
#ifndef LAUKA_PMU_COUNTERS_BACKEND_H
#define LAUKA_PMU_COUNTERS_BACKEND_H

#include <stdbool.h>
#include <stddef.h>

#include "pmu/counters/counters.h"
#include "pmu/events/events.h"

/* Takes the events over, none of them refused, none open. count is at most LAUKA_COUNTERS_MAX. */
void lauka_counters_prepare(struct lauka_counters *counters, const struct lauka_event *events,
                            size_t count);

/* parts.c: where counters->topology has PMUs of its own for several kinds of core, a part of every
 * event that is not of one PMU only. To be called after prepare, before anything is opened. */
void lauka_counters_split(struct lauka_counters *counters);

/* What was asked for is refused where one of its parts is, with ENXIO where only some kinds of core
 * do not have the event; to be called once those are known. */
void lauka_counters_settle(struct lauka_counters *counters);

/* Scales the parts by counters->residency and adds them up. */
void lauka_counters_add_up(const struct lauka_counters *counters, struct lauka_reading *readings);

/* The event by the number that means the same everywhere: of a part, the one it is a part of. */
const struct lauka_event *lauka_counters_meant(const struct lauka_counters *counters, size_t index);

/* True for what occupies a counter of the CPU; false for what the kernel counts in software. */
bool lauka_event_is_hardware(const struct lauka_event *event);

/* Groups the counted events whose ratio is worth knowing: the divisor leads. */
void lauka_counters_pair(struct lauka_counters *counters);

/* The errnos by name: "EBUSY"; 0 for none that perf_event_open(2) is known to return. */
int lauka_refusal_number(const char *name);

/* By the backend: what it means here that an event is refused with ENOTSUP, and what to do:
 * "reason; advice". Static. */
const char *lauka_backend_unsupported(void);

#endif
