/* Two commands that take turns: what the first place of a round costs is told from what they cost. */
#ifndef LAUKA_STATS_CROSSOVER_H
#define LAUKA_STATS_CROSSOVER_H

#include "stats/stats.h"

/* Whose run came first in a round. */
struct lauka_turns {
    const uint32_t *first; /* entry i * stride is of round i; borrowed */
    size_t stride;
    uint32_t reference, other; /* what stands for them; others are third commands */
    double cost;               /* of being first, a logarithm, where it is known from all commands
                                  (places.h); 0: it is to be told from the two */
};

enum lauka_turn { LAUKA_TURN_OTHER, LAUKA_TURN_REFERENCE, LAUKA_TURN_THIRD };

/* An enum lauka_turn for each round that was measured on both sides, as many as these; to be freed by
 * the caller. NULL: there is no memory. */
uint32_t *lauka_turns_select(const struct lauka_turns *turns, const struct lauka_series *reference,
                             const struct lauka_series *other);

/* Takes the cost of being first off the logarithms of ratios other / reference. selected: of
 * lauka_turns_select. */
void lauka_turns_level(const struct lauka_turns *turns, const uint32_t *selected, size_t count,
                       double *log_ratios);

/* The rounds in which the reference ran first, and those in which it ran second. */
struct lauka_crossover {
    struct lauka_differences groups[2]; /* ascending; of differences other - reference */
    struct lauka_differences aligned;   /* of both, without what the place costs; ascending */
    double *values;                     /* owned; what the above point into */
    double alpha;
    bool by_ranks; /* of the aligned ones; otherwise by Student's t */
    bool known;    /* there is something to say */
    bool alone;    /* lauka_crossover_share kept nothing of the other interval */
};

/* Of more rounds it would take too long, and they are balanced well enough. */
enum { LAUKA_CROSSOVER_MOST = 100000 };

/* values: in the order of the rounds. alpha: of the comparison, of which one half is taken here. Returns 0
 * or ENOMEM. */
int lauka_crossover_open(struct lauka_crossover *crossover, const double *values,
                         const uint32_t *reference_first, size_t count, double alpha);

/* Puts what holds with and without the cost of a place into `location`, which has the signed-rank interval
 * of alpha: of the two intervals what they have in common, of p and twice the other p the lesser. So
 * p <= alpha still says that the interval excludes 0. Returns 0 or ENOMEM; does nothing where not known. */
int lauka_crossover_share(struct lauka_crossover *crossover, struct lauka_location *location);

/* The same of the one-sided p of "they lie at `limit` at most". After lauka_crossover_share. */
double lauka_crossover_above(const struct lauka_crossover *crossover, double limit, double p);

void lauka_crossover_done(struct lauka_crossover *crossover);

/* ---- contrast.c -------------------------------------------------------------------------------- */

/* By ranks where there are pairs enough for the family's ranks to reach alpha / family, otherwise by
 * Student's t with that: what decides follows from the two numbers, never from the values. Where t says
 * nothing, as all differ alike, ranks do, and the family takes their verdict back. crossover: of the same
 * differences, for ranks; NULL: not known. 0 or ENOMEM. */
int lauka_contrast_pairs(const struct lauka_differences *differences,
                         struct lauka_crossover *crossover, bool as_ratio,
                         const struct lauka_comparison_options *options,
                         struct lauka_comparison *comparison);

#endif
