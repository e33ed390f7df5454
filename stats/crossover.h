/* Two commands that take turns: what the first place of a round costs is estimated from their own values. */
#ifndef LAUKA_STATS_CROSSOVER_H
#define LAUKA_STATS_CROSSOVER_H

#include "stats/stats.h"

/* Which run came first in a round. */
struct lauka_turns {
    const uint32_t *first; /* entry i * stride is of round i; borrowed */
    size_t stride;
    uint32_t reference, other; /* what stands for them; others are third commands */
    double cost;               /* cost of being first, a logarithm, if known from all commands
                                * (lauka_places_cost); 0: estimate it from the two */
};

enum lauka_turn { LAUKA_TURN_OTHER, LAUKA_TURN_REFERENCE, LAUKA_TURN_THIRD };

/* For each round that was measured on both sides, an enum lauka_turn. The caller frees it; NULL if there
 * is no memory. */
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

/* With more rounds it would take too long, and the orders are balanced well enough. */
enum { LAUKA_CROSSOVER_MOST = 100000 };

/* values: in the order of the rounds. alpha: the comparison's, half of which is used here. Returns
 * 0 or ENOMEM. */
int lauka_crossover_open(struct lauka_crossover *crossover, const double *values,
                         const uint32_t *reference_first, size_t count, double alpha);

/* Combines the results with and without the cost of a place in `location`, which holds the signed-rank
 * interval of alpha. The interval becomes the intersection of the two; p becomes the lesser of p and twice
 * the other p, so p <= alpha still means that the interval excludes 0. Returns 0 or ENOMEM; does nothing
 * if the cost is not known. */
int lauka_crossover_share(struct lauka_crossover *crossover, struct lauka_location *location);

/* The same for the one-sided p of "they lie at `limit` at most". Call it after lauka_crossover_share. */
double lauka_crossover_above(const struct lauka_crossover *crossover, double limit, double p);

void lauka_crossover_done(struct lauka_crossover *crossover);

/* ---- contrast.c -------------------------------------------------------------------------------- */

/* Uses ranks if there are enough pairs for them to reach alpha / family, otherwise Student's t with that
 * alpha. The choice follows from these two numbers, never from the values. Where t says nothing, because
 * all differ by the same amount, ranks are used and the family takes their verdict back. crossover: of the
 * same differences, for ranks; NULL: not known. Returns 0 or ENOMEM. */
int lauka_contrast_pairs(const struct lauka_differences *differences,
                         struct lauka_crossover *crossover, bool as_ratio,
                         const struct lauka_comparison_options *options,
                         struct lauka_comparison *comparison);

/* several commands in a round: the cost of the first place, estimated from all */

/* With more commands each is so rarely the first that it hides little. */
enum { LAUKA_PLACES_MOST = 16 };

/* The natural logarithm of how many times as long the first of a round takes; 0 where that is not clear (a
 * signed-rank test at 5 %), and where rounds are too few (below 8, of three or four commands below 10). order: whose
 * runs they were, `commands` of each round. All series are equally long. Returns 0 or ENOMEM. */
int lauka_places_cost(const struct lauka_series *const *series, size_t commands,
                      const uint32_t *order, double *cost);

#endif
