/* Units: what was drawn anew and is independent of all others. Rounds of one process, or of one layout of
 * an executable, share what was drawn for it: intervals made of such rounds are too narrow, and more rounds
 * make that worse (Kalibera & Jones 2013, "Rigorous benchmarking in reasonable time"). */
#ifndef LAUKA_STATS_UNITS_H
#define LAUKA_STATS_UNITS_H

#include "stats/stats.h"

struct lauka_units {
    const uint32_t *of; /* borrowed; the unit of each round */
    uint64_t least;     /* fewer units have no interval */
};

/* The number of different units. Returns 0 or ENOMEM. */
int lauka_units_count(const uint32_t *unit, size_t count, uint64_t *units);

/* The spread of units, and of rounds within a unit: standard deviations of the rounds' values. */
struct lauka_spread {
    struct lauka_optional within;  /* if a unit has more than one round */
    struct lauka_optional between; /* if there is also more than one unit */
};

/* Replaces each unit's values, at the front, by the median of its rounds, or by their mean. unit: of
 * each value. *count: number of values, then of units. spread: of the rounds' values, by the analysis of
 * variance with one random effect (Searle, Casella & McCulloch 1992, chapter 3). Returns 0 or ENOMEM. */
int lauka_units_collapse(double *values, const uint32_t *unit, bool by_mean, size_t *count,
                         struct lauka_spread *spread);

/* ---- shares of a whole, measured round by round on two sides ---- */

struct lauka_shares_side {
    const double *part, *whole; /* borrowed; by round, in the same unit */
};

struct lauka_share {
    double estimate, low, high; /* of 1; for a difference from -1 to 1 */
};

struct lauka_share_change {
    struct lauka_share before, after, difference; /* difference: after - before */
    double p;                                     /* two-sided, of no difference */
};

/* The ratio of sums, with Student's interval from the rounds' residuals (Cochran 1977, "Sampling Techniques",
 * chapter 6); the difference has an interval that takes the rounds as pairs. p is the larger one of Student's
 * and the signed ranks' p-values for the rounds' differences, whose order was drawn, so that few rare events
 * do not pass for many. If there are too many tests for ranks to succeed (lauka_family_rounds), it is
 * Student's. The difference's interval excludes 0 wherever p is at most alpha. Rounds in which a whole is 0
 * do not count. Returns 0, EDOM if fewer than three rounds count, or ENOMEM. */
int lauka_shares_compare(const struct lauka_shares_side sides[2], size_t rounds, uint64_t family,
                         double alpha, struct lauka_share_change *change);

/* ---- hosts: several machines that measured the same, as one answer. Every machine is one draw: how often it
 * repeated itself says nothing about the next one ---- */

/* The unweighted mean of the hosts' estimates, with Student's interval over them: it is valid for hosts
 * with any noise and bias (Ibragimov & Müller 2010, "t-statistic based correlation and heterogeneity
 * robust inference", JBES 28). Ignores hosts without an interval. Replaces estimate, interval and
 * verdict of *pooled, but not its counts and means. With too few hosts there is only the mean. */
void lauka_hosts_pool(const struct lauka_comparison *const *hosts, size_t count, double alpha,
                      double precision, struct lauka_comparison *pooled);

/* A gate's verdict over hosts: held by two thirds of them (of two: both), and opposed by none. */
enum lauka_gate lauka_hosts_vote(size_t hosts, size_t failed, size_t passed);

#endif
