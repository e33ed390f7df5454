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

/* Below so many rounds a budget has no verdict: their own correlation is not known. */
enum { LAUKA_FEWEST_BUDGET = 20 };

/* The fewest rounds that allow a verdict. */
uint64_t lauka_budget_rounds_needed(const struct lauka_limit *limit, double alpha);

/* ---- effective.c ---- */

/* How many independent values have a mean as certain as that of these consecutive ones has: at most count, and 0 of
 * fewer than 10. By means of batches of 1, 2, 4, ... values while there are ten, each taken for an autoregressive
 * process with an upper bound of its correlation; the least counts. values: without far ones, which would look like
 * correlation. room: for count values. What changes more slowly than a tenth of them cannot be seen. */
double lauka_effective_number(const double *values, size_t count, double *room);

#endif
