/* How the values of a command are spread, and how far its quantiles lie from the reference's. */
#ifndef LAUKA_REPORT_ANALYSIS_DISTRIBUTION_H
#define LAUKA_REPORT_ANALYSIS_DISTRIBUTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/result/result.h"
#include "stats/histogram.h"

/* Values from `lowest` to `highest`: one value and its repetitions, or a bucket. */
struct lauka_step {
    uint64_t lowest, highest;
    uint64_t cumulative; /* number of values up to this step */
};

struct lauka_distribution {
    struct lauka_step *steps; /* owned, ascending */
    size_t count;             /* number of steps; 0: nothing was measured */
    uint64_t total;           /* number of values */
    bool exact;               /* from the values themselves */
};

/* Returns 0 or ENOMEM. Empty if the metric was not counted. */
int lauka_distribution_of(const struct lauka_result *result, size_t command, size_t metric,
                          struct lauka_distribution *distribution);
void lauka_distribution_done(struct lauka_distribution *distribution);

/* The value with this number, from 1; for a bucket its middle, as in lauka_result_quantiles. */
double lauka_distribution_value(const struct lauka_distribution *distribution, uint64_t number);

/* The nearest rank. */
double lauka_distribution_quantile(const struct lauka_distribution *distribution, uint32_t rank);

/* The number of values below x; a bucket that contains x counts partially. */
double lauka_distribution_below(const struct lauka_distribution *distribution, double x);

/* The quantile with an interval from order statistics; false if there is none. For buckets it uses
 * the outer ends. */
bool lauka_distribution_span(const struct lauka_distribution *distribution, uint32_t rank,
                             double alpha, struct lauka_span *span);

/* ---- how far a command's quantiles lie from the reference's ---------------------------- */

struct lauka_shift {
    const struct lauka_result *result; /* borrowed */
    size_t command, metric;
    struct lauka_distribution pair[2]; /* borrowed; of the reference and of the command */
    bool as_ratio;        /* all values are above 0; otherwise it is about differences */
    double alpha, margin; /* of each interval; of all quantiles together, in shares */
};

struct lauka_shift_point {
    struct lauka_span span; /* logarithms of ratios, or differences */
    bool known;             /* whether there are values enough for the interval */
    int side;               /* 1: higher beyond doubt, -1: lower, 0: neither */
};

/* False if one of the two has no values, or for the reference itself. */
bool lauka_shift_of(const struct lauka_result *result, size_t command, size_t metric,
                    const struct lauka_distribution pair[2], struct lauka_shift *shift);

struct lauka_shift_point lauka_shift_at(const struct lauka_shift *shift, uint32_t rank);

/* 1: the quantile is higher beyond doubt, -1: lower. By an interval that is wide enough to hold for `shown` quantiles and
 * for all comparisons of the session together (Bonferroni). Rounds that share units have no side. */
int lauka_shift_side(const struct lauka_shift *shift, uint32_t rank, size_t shown);

/* Whether the estimate of a ratio is less than what matters in this session. */
bool lauka_shift_is_small(const struct lauka_shift *shift, const struct lauka_shift_point *point);

#endif
