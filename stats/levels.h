/* Steps: where the level of a series of sessions changed. */
#ifndef LAUKA_STATS_LEVELS_H
#define LAUKA_STATS_LEVELS_H

#include "stats/stats.h"

enum {
    LAUKA_LEVELS_SEGMENT = 3,  /* fewest values between two steps */
    LAUKA_LEVELS_WINDOW = 500, /* the newest values, in which steps are searched */
};

struct lauka_level_step {
    size_t at;                      /* index of the first value of the new level */
    size_t from, to;                /* both levels: [from, at) and [at, to) */
    double before, after;           /* their medians */
    struct lauka_location location; /* new - old level, in the unit of the values; p by ranks */
};

struct lauka_levels {
    struct lauka_level_step *steps; /* owned; in order */
    size_t count;
    double scale;       /* of the noise, as a standard deviation; 0: there is none */
    double correlation; /* of neighbours in a level: at most, as far as is known; 0 to 0.95 */
    /* The last two values, whose mean is `after`, if they lie elsewhere but are too few for a step; otherwise `at` is 0. */
    struct lauka_level_step fresh;
};

/* Finds steps by optimal partitioning (Jackson et al. 2005) with the pruning of PELT (Killick, Fearnhead & Eckley 2012).
 * A segment costs the sum of absolute deviations from its median; a step costs 2 ln n, more where neighbouring values
 * are correlated. Two searches: the second one knows the correlation within the levels that the first one found. A short
 * series is taken to have a correlation of about 0.4 to 0.6, as it does not show its own. The scale comes from the median
 * difference of neighbours, which few steps hardly change. alpha: of each interval. Returns 0 or ENOMEM; call _done in any
 * case. */
int lauka_levels_find(const double *values, size_t count, double alpha, struct lauka_levels *found);

/* The same for values without noise: each change is a step, of known size. Fills `location` without p. */
int lauka_levels_find_exact(const double *values, size_t count, struct lauka_levels *found);

void lauka_levels_done(struct lauka_levels *found);

#endif
