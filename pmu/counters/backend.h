/* What each system provides for counting, and what it may use for that. Either linux/ or macos/ is built;
 * it implements open, arm, collect and close of counters.h, and the functions marked here. */
#ifndef LAUKA_PMU_COUNTERS_BACKEND_H
#define LAUKA_PMU_COUNTERS_BACKEND_H

#include <stdbool.h>
#include <stddef.h>

#include "pmu/counters/counters.h"
#include "pmu/events/events.h"

/* Takes over the events: none refused, none open. count is at most LAUKA_COUNTERS_MAX. */
void lauka_counters_prepare(struct lauka_counters *counters, const struct lauka_event *events,
                            size_t count);

/* parts.c: if counters->topology has a PMU for each of several kinds of core, splits every event that is
 * not of one PMU only into its parts. Call it after prepare, before anything is opened. */
void lauka_counters_split(struct lauka_counters *counters);

/* An event is refused if one of its parts is, with ENXIO if only some kinds of core lack it. Call it once
 * the parts' errors are known. */
void lauka_counters_settle(struct lauka_counters *counters);

/* Scales the parts by counters->residency and adds them up. */
void lauka_counters_add_up(const struct lauka_counters *counters, struct lauka_reading *readings);

/* The event whose number means the same everywhere: for a part, the event that it is a part of. */
const struct lauka_event *lauka_counters_meant(const struct lauka_counters *counters, size_t index);

/* Groups counted events whose ratio is worth knowing; the divisor leads. */
void lauka_counters_pair(struct lauka_counters *counters);

/* Finds an errno by its name, "EBUSY"; 0 if perf_event_open(2) is not known to return it. */
int lauka_refusal_number(const char *name);

/* By the backend: what ENOTSUP for an event means on this system, and what to do: "reason; advice".
 * Static. */
const char *lauka_backend_unsupported(void);

#endif
