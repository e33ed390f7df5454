/* The part of stats.h about limits: include that. */
#ifndef LAUKA_STATS_LIMIT_H
#define LAUKA_STATS_LIMIT_H

#include "stats.h"

/* ---- limit.c: whether something got worse by more than a limit --------------------------------- */

enum lauka_statistic {
    /* the statistic to judge */
    LAUKA_STATISTIC_TYPICAL, /* cost of a typical round: Hodges-Lehmann, as lauka_compare */
    LAUKA_STATISTIC_MEAN,
    LAUKA_STATISTIC_QUANTILE,
};

struct lauka_limit {
    enum lauka_statistic statistic;
    uint32_t rank; /* for LAUKA_STATISTIC_QUANTILE: a part of LAUKA_RANK_WHOLE, between 0 and it */
    /* The limits; if both are known, both must be exceeded. */
    struct lauka_optional share;    /* of the reference; below 1 if `falls` */
    struct lauka_optional absolute; /* in the unit of the values */
    struct lauka_optional most;     /* instead of both: the highest allowed value; see budget.h */
    bool falls;                     /* less is worse: judge the fall */
    bool counts;            /* normally equal in every run: one value is enough if all are equal */
    enum lauka_grain grain; /* see lauka_comparison_options */
    double bins;            /* the same */
    const struct lauka_turns *turns; /* the same */
    const struct lauka_units *units; /* the same; only allows judging the typical value */
};

enum lauka_undecided {
    /* why a judgement is inconclusive */
    LAUKA_UNDECIDED_NOT,      /* it is not */
    LAUKA_UNDECIDED_AROUND,   /* the limit lies within the interval */
    LAUKA_UNDECIDED_FAMILY,   /* it would have failed alone, but not among this many */
    LAUKA_UNDECIDED_FEW,      /* `needed` rounds at least give a verdict */
    LAUKA_UNDECIDED_VALUES,   /* it needs single values, which were not kept */
    LAUKA_UNDECIDED_UNKNOWN,  /* nothing to compare */
    LAUKA_UNDECIDED_HOSTS,    /* it was measured on different hosts */
    LAUKA_UNDECIDED_BROKEN,   /* the session was ended by an error */
    LAUKA_UNDECIDED_CUT,      /* by a signal */
    LAUKA_UNDECIDED_UNITS,    /* rounds share units, and this is not the typical value */
    LAUKA_UNDECIDED_ORDER,    /* the order of rounds was not random */
    LAUKA_UNDECIDED_VOTES,    /* too few of several hosts agree, or one says the opposite */
    LAUKA_UNDECIDED_STEPS,    /* values come in steps, and too few differ */
    LAUKA_UNDECIDED_MEAN,     /* a typical round is within the limit, but not the mean */
    LAUKA_UNDECIDED_SESSIONS, /* the difference between two sessions is not known */
    LAUKA_UNDECIDED_LOGS,     /* one log per side, which is a single unit */
};

struct lauka_judgement {
    enum lauka_gate verdict;
    enum lauka_undecided undecided;
    uint64_t pairs;  /* rounds, or shared units; if unpaired: values of the smaller side */
    uint64_t needed; /* the fewest of them that allow a verdict */
    /* Number of tests in its family; 0: it is no test, or not yet judged in one. */
    uint64_t family;
    double effective;  /* for budgets: the independent values in `pairs`; 0: not known */
    bool exact;        /* both sides are constant: the interval is one value */
    bool mean_doubted; /* it would pass if the mean did */
    double confidence;
    struct lauka_optional change, change_low, change_high;             /* other / reference - 1 */
    struct lauka_optional difference, difference_low, difference_high; /* in the values' unit */
    struct lauka_optional value, value_low, value_high; /* for budgets, instead of both */
    struct lauka_optional p; /* one-sided p of "not worse by more than the limit"; at most alpha / 2
                              * if it fails on its own */
};

/* The interval has confidence 1 - alpha. It fails if it lies wholly beyond the limit and passes if it lies
 * wholly within. Otherwise like lauka_compare. Returns 0 or ENOMEM. */
int lauka_limit_judge(const struct lauka_limit *limit, const struct lauka_series *reference,
                      const struct lauka_series *other, double alpha, bool unpaired,
                      struct lauka_judgement *judgement);

/* The same if single values were not kept: it only knows the typical rise, as a share. */
int lauka_limit_judge_streamed(const struct lauka_limit *limit, const struct lauka_paired_log *log,
                               double alpha, struct lauka_judgement *judgement);

/* Judges a family of judgements made with this alpha. Failures that are not significant together
 * become inconclusive (Holm 1979, among those with estimates beyond their limits: limit.c). A pass
 * requires that all pass, which needs no correction. Returns 0 or ENOMEM. */
int lauka_limit_judge_family(struct lauka_judgement *const *judgements, size_t count, double alpha);

/* The fewest rounds that allow a verdict. */
uint64_t lauka_limit_rounds_needed(const struct lauka_limit *limit, double alpha);

/* ---- budget.c: what one command may cost at most, whatever others cost ------------------------ */

/* Judges one command's values by limit->most. The interval of the limit's statistic has confidence 1 -
 * alpha: it passes if it lies wholly at or below the limit, and fails if wholly above. Here the typical
 * value is the median, because one side's values need not be symmetrical. Returns 0 or ENOMEM. */
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
