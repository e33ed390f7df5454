/* Two commands that take turns: estimates from their own values the cost of the first place in a round. */
#ifndef LAUKA_STATS_CROSSOVER_H
#define LAUKA_STATS_CROSSOVER_H

#include "stats/stats.h"

/* Which run came first in a round. */
struct lauka_turns {
    const uint32_t *first; /* entry i * stride belongs to round i; borrowed */
    size_t stride;
    uint32_t reference, other; /* their numbers in it; others are third commands */
    double cost;               /* cost of being first, a logarithm, if known from all commands
                                * (lauka_places_cost); 0: estimate it from the two */
};

enum lauka_turn { LAUKA_TURN_OTHER, LAUKA_TURN_REFERENCE, LAUKA_TURN_THIRD };

/* An enum lauka_turn for each round measured on both sides. The caller frees it; NULL without
 * memory. */
uint32_t *lauka_turns_select(const struct lauka_turns *turns, const struct lauka_series *reference,
                             const struct lauka_series *other);

/* Subtracts the cost of being first from the logarithms of ratios other / reference. selected: from
 * lauka_turns_select. */
void lauka_turns_level(const struct lauka_turns *turns, const uint32_t *selected, size_t count,
                       double *log_ratios);

/* The rounds in which the reference ran first, and those in which it ran second. */
struct lauka_crossover {
    struct lauka_differences groups[2]; /* ascending; differences other - reference */
    struct lauka_differences aligned;   /* both groups without the cost of the place; ascending */
    double *values;                     /* owned; the arrays of the above */
    double alpha;
    bool by_ranks; /* for the aligned ones; otherwise Student's t */
    bool known;    /* there is a result */
    bool alone;    /* lauka_crossover_share discarded the other interval */
};

/* With more rounds it would take too long, and orders are balanced well enough. */
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

/* Uses ranks if there are enough units for them to reach alpha, otherwise Student's t with that alpha. The
 * choice follows from these two numbers, never from the values. If t gives no answer because all differ by
 * the same amount, ranks are used and the family withdraws their verdict. crossover: for the same
 * differences, for ranks; NULL: not known. Returns 0 or ENOMEM. */
int lauka_contrast_pairs(const struct lauka_differences *differences,
                         struct lauka_crossover *crossover, bool as_ratio,
                         const struct lauka_comparison_options *options,
                         struct lauka_comparison *comparison);

/* ---- several commands in a round: the cost of the first place, estimated from all ---- */

/* With more commands each is first so rarely that it hides little. */
enum { LAUKA_PLACES_MOST = 16 };

/* The natural logarithm of the factor by which the first run of a round takes longer; 0 if it is not significant
 * (a signed-rank test at 5 %), and for too few rounds (below 8, for three or four commands below 10). order: the
 * commands of the runs, `commands` per round. All series have the same length. Returns 0 or ENOMEM. */
int lauka_places_cost(const struct lauka_series *const *series, size_t commands,
                      const uint32_t *order, double *cost);

#endif
