/* The part of stats.h about limits: include that. */
#ifndef LAUKA_STATS_LIMIT_H
#define LAUKA_STATS_LIMIT_H

#include "stats.h"

/* ---- limit.c: whether something got worse by more than a limit --------------------------------- */

enum lauka_statistic {
    /* of what is judged */
    LAUKA_STATISTIC_TYPICAL, /* what a typical round costs: Hodges-Lehmann, as lauka_compare */
    LAUKA_STATISTIC_MEAN,
    LAUKA_STATISTIC_QUANTILE,
};

struct lauka_limit {
    enum lauka_statistic statistic;
    uint32_t rank; /* of LAUKA_STATISTIC_QUANTILE: a part of LAUKA_RANK_WHOLE, neither 0 nor it */
    /* What is too much; where both are known, both have to be exceeded. */
    struct lauka_optional share;    /* of the reference; below 1 where `falls` */
    struct lauka_optional absolute; /* in the unit of the values */
    struct lauka_optional most;     /* in place of both: what it may be; see budget.h */
    bool falls;                     /* less is worse: judged is how far it fell */
    bool counts; /* the same in every run by nature: one value is enough where all are equal */
    enum lauka_grain grain;          /* see lauka_comparison_options */
    double bins;                     /* the same */
    const struct lauka_turns *turns; /* the same */
    const struct lauka_units *units; /* the same; then only the typical value can be judged */
};

enum lauka_undecided {
    /* why a judgement is inconclusive */
    LAUKA_UNDECIDED_NOT,      /* it is not */
    LAUKA_UNDECIDED_AROUND,   /* the limit lies within the interval */
    LAUKA_UNDECIDED_FAMILY,   /* it would have failed alone, but not among this many */
    LAUKA_UNDECIDED_FEW,      /* `needed` rounds at least give a verdict */
    LAUKA_UNDECIDED_VALUES,   /* single values are needed, and were not kept */
    LAUKA_UNDECIDED_UNKNOWN,  /* there is nothing to compare */
    LAUKA_UNDECIDED_HOSTS,    /* it was measured on different hosts */
    LAUKA_UNDECIDED_BROKEN,   /* the session was ended by an error */
    LAUKA_UNDECIDED_CUT,      /* by a signal */
    LAUKA_UNDECIDED_UNITS,    /* rounds share units, and it is not the typical value */
    LAUKA_UNDECIDED_ORDER,    /* rounds were not in an order drawn by lot */
    LAUKA_UNDECIDED_VOTES,    /* of several hosts too few say the same, or one the opposite */
    LAUKA_UNDECIDED_STEPS,    /* values are in steps, and too few of them differ */
    LAUKA_UNDECIDED_MEAN,     /* a typical round holds the limit, the mean does not */
    LAUKA_UNDECIDED_SESSIONS, /* of two sessions, whose difference nobody knows */
    LAUKA_UNDECIDED_LOGS,     /* of one log a side, which is one unit */
};

struct lauka_judgement {
    enum lauka_gate verdict;
    enum lauka_undecided undecided;
    uint64_t
        pairs; /* rounds, or units that they share; unpaired: values of the side that has fewer */
    uint64_t needed; /* of them, without which there is no verdict */
    /* How many tests it was judged among; 0: it is no test, or not yet judged so. */
    uint64_t family;
    double effective;  /* of budgets: independent values that `pairs` are worth; 0: not known */
    bool exact;        /* both sides are constant: there is no interval but the one value */
    bool mean_doubted; /* it would pass, if the mean did */
    double confidence;
    struct lauka_optional change, change_low, change_high;             /* other / reference - 1 */
    struct lauka_optional difference, difference_low, difference_high; /* in the values' unit */
    struct lauka_optional value, value_low, value_high; /* of budgets, in place of both */
    struct lauka_optional p; /* one-sided, of "not worse by more than the limit"; at most alpha / 2
                              * where all by itself it fails */
};

/* The interval has confidence 1 - alpha. It fails if it lies wholly beyond the limit and passes if it lies
 * wholly within. Otherwise like lauka_compare. Returns 0 or ENOMEM. */
int lauka_limit_judge(const struct lauka_limit *limit, const struct lauka_series *reference,
                      const struct lauka_series *other, double alpha, bool unpaired,
                      struct lauka_judgement *judgement);

/* The same if single values were not kept: only the typical rise is known, as a share. */
int lauka_limit_judge_streamed(const struct lauka_limit *limit, const struct lauka_paired_log *log,
                               double alpha, struct lauka_judgement *judgement);

/* Judgements of one family, all made with this alpha. Failures that do not stand together become inconclusive
 * (Holm 1979, among those whose estimates are beyond their limits: limit.c). For a pass all must pass, which
 * needs no correction. Returns 0 or ENOMEM. */
int lauka_limit_judge_family(struct lauka_judgement *const *judgements, size_t count, double alpha);

/* The fewest rounds that allow a verdict. */
uint64_t lauka_limit_rounds_needed(const struct lauka_limit *limit, double alpha);

/* ---- budget.c: what one command may cost at most, whatever others cost ------------------------ */

/* Holds one command's values to limit->most. The interval of the limit's statistic has confidence 1 -
 * alpha: it passes if it lies wholly at or below the limit, and fails if it lies wholly above. The typical
 * value is the median here, because one side's values need not be symmetrical. Returns 0 or ENOMEM. */
int lauka_budget_judge(const struct lauka_limit *limit, const struct lauka_series *series,
                       double alpha, struct lauka_judgement *judgement);

/* The fewest rounds that allow a verdict. */
uint64_t lauka_budget_rounds_needed(const struct lauka_limit *limit, double alpha);

/* How many independent values have an equally certain mean as these consecutive ones: at most count, and 0 for fewer
 * than 10. It uses batches of 1, 2, 4, ... values while there are at least ten, treats each as an autoregressive
 * process with an upper bound for its correlation, and takes the smallest number. values: without outliers, which would
 * look like correlation. room: for count values. It cannot see changes that are slower than a tenth of the values. */
double lauka_effective_number(const double *values, size_t count, double *room);

#endif
