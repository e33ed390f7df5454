/* Sets of events that take turns by rounds. */
#ifndef LAUKA_RUNNER_SESSION_TURNS_H
#define LAUKA_RUNNER_SESSION_TURNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmu/counters/counters.h"
#include "runner/options.h"
#include "runner/session/session.h"

bool lauka_turns_are_taken(const struct lauka_counters *counters,
                           const struct lauka_options *options);

/* The set that the next round counts. turns: rounds that each set has had. */
unsigned lauka_turns_next(const struct lauka_counters *counters, const uint64_t *turns,
                          const struct lauka_options *options);

/* In how many consecutive rounds that set may be counted, at least 1, if so many are still to come. */
size_t lauka_turns_at_once(const struct lauka_counters *counters, const uint64_t *turns,
                           const struct lauka_options *options, uint64_t ahead);

/* The number of rounds in which each set is counted as often as a verdict needs; 0 if no turns are taken. */
uint64_t lauka_turns_needed(const struct lauka_counters *counters,
                            const struct lauka_options *options);

/* ---- enough.c ---- */

/* Where events take turns among so many sets: each gets as many rounds as a session had to have without that.
 * needed: see lauka_turns_needed. To be called after init. */
void lauka_enough_share(struct lauka_enough *enough, unsigned sets, uint64_t needed);

#endif
