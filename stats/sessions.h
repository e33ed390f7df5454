/* Two sessions measured apart: their interval comes from how far earlier sessions of the same program lay apart. */
#ifndef LAUKA_STATS_SESSIONS_H
#define LAUKA_STATS_SESSIONS_H

#include "stats/limit.h"
#include "stats/stats.h"

enum { LAUKA_FEWEST_SESSIONS = 5 }; /* earlier ones: fewer give no interval */

/* The spread of earlier sessions' typical values. */
struct lauka_sessions {
    double deviation; /* standard deviation of the logarithms */
    uint64_t count;   /* 0: not known */
};

/* Gives a comparison of two sessions the interval of Student's t with count - 1 degrees of freedom, t * deviation * sqrt(2),
 * at half of alpha, as sessions have heavier tails; unless its own is wider. And the verdict. False, with nothing changed, if
 * there are too few sessions, or no ratio. */
bool lauka_sessions_compare(const struct lauka_sessions *sessions, double alpha, double precision,
                            struct lauka_comparison *comparison);

/* The same for a limit of a share of the typical value. */
bool lauka_sessions_judge(const struct lauka_sessions *sessions, const struct lauka_limit *limit,
                          double alpha, struct lauka_judgement *judgement);

#endif
