/* Units: what was drawn anew and is independent of all others. Rounds of one process, or of one layout of
 * an executable, share what was drawn for it: intervals made of such rounds are too narrow, and more rounds
 * make that worse (Kalibera & Jones 2013, "Rigorous benchmarking in reasonable time"). */
#ifndef LAUKA_STATS_UNITS_H
#define LAUKA_STATS_UNITS_H

#include "stats/stats.h"

struct lauka_units {
    const uint32_t *of; /* borrowed; one per round: which unit it belongs to */
    uint64_t least;     /* of fewer units there is no interval */
};

/* How many different units these are. Returns 0 or ENOMEM. */
int lauka_units_count(const uint32_t *unit, size_t count, uint64_t *units);

/* How far units, and rounds within a unit, lie apart: standard deviations of the rounds' values. */
struct lauka_spread {
    struct lauka_optional within;  /* where a unit has more than one round */
    struct lauka_optional between; /* where there is more than one unit as well */
};

/* Puts one value for each unit in front: the median of its rounds, or their mean. unit: of each of the
 * values. *count: of the values, then of the units. spread: of the rounds' values, by the analysis of
 * variance with one random effect (Searle, Casella & McCulloch 1992, chapter 3). Returns 0 or ENOMEM. */
int lauka_units_collapse(double *values, const uint32_t *unit, bool by_mean, size_t *count,
                         struct lauka_spread *spread);

#endif
