/* Shares of a whole, measured round by round on two sides. */
#ifndef LAUKA_STATS_SHARES_H
#define LAUKA_STATS_SHARES_H

#include "stats/stats.h"

struct lauka_shares_side {
    const double *part, *whole; /* borrowed; by round, in the same unit */
};

struct lauka_share {
    double estimate, low, high; /* of 1; of a difference: from -1 to 1 */
};

struct lauka_share_change {
    struct lauka_share before, after, difference; /* difference: after - before */
    double p;                                     /* two-sided, of no difference */
};

/* The ratio of sums, with Student's interval of the rounds' residuals (Cochran 1977, "Sampling Techniques", chapter 6);
 * that of the difference takes the rounds as pairs. p is the larger one of Student's and the signed ranks' of the
 * rounds' differences, whose order was drawn: few rare events do not pass for many. Where so many tests would leave
 * ranks no chance (lauka_family_rounds), it is Student's. The interval of the difference excludes 0 wherever p is at
 * most alpha. A round in which a whole is 0 does not count. Returns 0, EDOM where fewer than three rounds count, or
 * ENOMEM. */
int lauka_shares_compare(const struct lauka_shares_side sides[2], size_t rounds, uint64_t family,
                         double alpha, struct lauka_share_change *change);

#endif
