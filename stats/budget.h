/* Budgets: what one command may cost at most, whatever others cost. */
#ifndef LAUKA_STATS_BUDGET_H
#define LAUKA_STATS_BUDGET_H

#include <stdint.h>

#include "stats/stats.h"

/* Holds one command's values to limit->most. The interval of the limit's statistic has confidence 1 -
 * alpha: it passes if it lies wholly at or below the limit, and fails if it lies wholly above. The typical
 * value is the median here, because one side's values need not be symmetrical. Returns 0 or ENOMEM. */
int lauka_budget_judge(const struct lauka_limit *limit, const struct lauka_series *series,
                       double alpha, struct lauka_judgement *judgement);

/* The fewest rounds that allow a verdict. */
uint64_t lauka_budget_rounds_needed(const struct lauka_limit *limit, double alpha);

#endif
