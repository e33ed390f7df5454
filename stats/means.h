/* Values in steps, whose median means little, and their means, which are compared instead. */
#ifndef LAUKA_STATS_MEANS_H
#define LAUKA_STATS_MEANS_H

#include "stats/stats.h"

/* ---- means.c: values in steps --------------------------------------------------------------------- */

/* What the share of equal pairs among all values of both sides implies, regardless of the side of each value. */
enum lauka_zone {
    LAUKA_ZONE_FINE,   /* ranks of the values */
    LAUKA_ZONE_SPREAD, /* ranks of values spread over their steps */
    LAUKA_ZONE_COARSE, /* means */
};

struct lauka_steps {
    enum lauka_zone zone;
    double width;     /* of a step, in the unit of the values; 0: not known because all are equal */
    uint64_t changed; /* values on either side other than the most frequent one */
    /* The largest effect of rounding on a side's location; 0 for clocks, whose phase is random. */
    double reference_off, other_off;
};

/* For the measured values of two sides, and their moments; neither is empty, and nothing is missing. 0 or ENOMEM. */
int lauka_steps_find(const struct lauka_series *reference, const struct lauka_moments *left,
                     const struct lauka_series *other, const struct lauka_moments *right,
                     const struct lauka_comparison_options *options, struct lauka_steps *steps);

/* How far rounding to steps of this width can move the location of sorted values, at least one:
 * half a step for one level; for two, what their shares leave open; for more, width / 2 exp(-2 pi^2
 * s^2 / width^2), the first term of the error's Fourier series, where s^2 is the variance minus
 * width^2 / 12 (Sheppard). Excludes values far from the median. */
double lauka_steps_rounding(const uint64_t *sorted, size_t count, double width);

/* Spreads equal values, in ascending order, evenly over their step: number i of m becomes value + width
 * ((i + 1/2) / m - 1/2). bins: see lauka_comparison_options; then the width is the bucket's. */
void lauka_steps_spread(double *sorted, size_t count, double width, double bins);

/* ---- means.c: how far a mean lies from another one ---------------------------------------- */

struct lauka_mean_ratio {
    double mean;                                      /* of the reference */
    double difference;                                /* mean of the other - mean */
    double variance, difference_variance, covariance; /* of the two above */
    uint64_t df;
    uint64_t changed; /* in how many pairs the sides differ; UINT64_MAX: values are not paired */
};

/* At least two values on each side. Paired: values with the same index belong together. */
void lauka_mean_ratio_paired(const double *reference, const double *other, size_t count,
                             struct lauka_mean_ratio *means);
void lauka_mean_ratio_unpaired(const double *reference, size_t reference_count, const double *other,
                               size_t other_count, struct lauka_mean_ratio *means);

/* The interval of the difference as a share of the reference's mean; false if that may be 0. */
bool lauka_mean_ratio_interval(const struct lauka_mean_ratio *means, double alpha, double *low,
                               double *high);
void lauka_mean_difference_interval(const struct lauka_mean_ratio *means, double alpha, double *low,
                                    double *high);

/* One-sided p of "it is `share` of the reference at most", or at least; the last: of "it is `limit` at most". */
double lauka_mean_ratio_above(const struct lauka_mean_ratio *means, double share);
double lauka_mean_ratio_below(const struct lauka_mean_ratio *means, double share);
double lauka_mean_difference_above(const struct lauka_mean_ratio *means, double limit);
/* ---- means.c: two sides compared by their means ------------------------------------------------ */

/* The means of two sides in which nothing is missing. units: one per round, see lauka_series_marks; then a
 * unit's mean is one value; NULL: each round is one. means->df is 0 where there are fewer than three values.
 * Returns 0 or ENOMEM. */
int lauka_means_find(const struct lauka_series *reference, const struct lauka_series *other,
                     const uint32_t *units, bool unpaired, struct lauka_mean_ratio *means);

/* Sets mean_low and mean_high, the ends of Fieller's interval with 95 %, if the values vary. */
void lauka_means_enclose(const struct lauka_mean_ratio *means, struct lauka_comparison *comparison);

/* Compares by the means: estimate, interval and p. Rounding widens the interval. Where it does not, and so few
 * values change that ranks could not reach alpha, t claims too much, and there is no interval; nor
 * where everything is constant and the width of a step is not known. */
void lauka_means_put(const struct lauka_mean_ratio *means, const struct lauka_steps *steps,
                     bool as_ratio, const struct lauka_comparison_options *options,
                     struct lauka_comparison *comparison);

/* Whether values beyond the pooled median + 6 * 1.4826 median distances are more frequent on the side with
 * the higher mean, by a two-sided binomial test at 1 %. Returns 0 or ENOMEM. */
int lauka_means_far(const struct lauka_series *reference, const struct lauka_series *other,
                    bool *differ);

#endif
