/* Several commands in a round: what the first place costs, told from all of them. */
#ifndef LAUKA_STATS_PLACES_H
#define LAUKA_STATS_PLACES_H

#include "stats/stats.h"

/* With more commands each is so rarely the first that it hides little. */
enum { LAUKA_PLACES_MOST = 16 };

/* The natural logarithm of how many times as long the first of a round takes; 0 where that is not clear (a
 * signed-rank test at 5 %), and where rounds are too few (below 8, of three or four commands below 10). order: whose
 * runs they were, `commands` of each round. All series are equally long. Returns 0 or ENOMEM. */
int lauka_places_cost(const struct lauka_series *const *series, size_t commands,
                      const uint32_t *order, double *cost);

#endif
