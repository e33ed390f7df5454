/* stats: the arithmetic of lauka. Depends on libm only; pure: it never prints, never exits, never
 * looks at a clock. Functions that can fail return 0 or an errno. No NaN and no infinity leaves
 * this folder: what is not defined is an optional that is not known. */
#ifndef LAUKA_STATS_H
#define LAUKA_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sparse.h"

/* A number that may be undefined: a ratio to zero, a deviation of one value. */
struct lauka_optional {
    bool known;
    double value; /* 0 where not known */
};

static inline struct lauka_optional lauka_known(double value)
{
    return (struct lauka_optional){true, value};
}

/* ---- the least numbers: fewer give no verdict, or where it says so no interval; docs/statistics.md has them, too */

enum {
    LAUKA_FEWEST_INTERVAL = 3, /* values, rounds or logs a side: Student's interval of their mean */
    LAUKA_FEWEST_EXACT =
        4, /* equal values a side that pass for a constant: of three, chance does it in 1 of 10 */
    LAUKA_FEWEST_ROUNDS =
        6, /* no test by the order of r rounds claims in fewer than 1 of 2^(r - 1) equal pairs, and a
                              * load that keeps step makes Student's t claim in 11 of 100 where there are four; in a
                              * family more: lauka_family_rounds */
    LAUKA_FEWEST_LOGS = 4,      /* a side */
    LAUKA_FEWEST_PROCESSES = 4, /* as units of rounds: no interval */
    LAUKA_FEWEST_LAYOUTS = 8,   /* the same */
    LAUKA_FEWEST_HOSTS = 3,     /* no interval */
    LAUKA_FEWEST_POOLED = 10,   /* rounds: ranks among all values; with fewer it was not measured */
    LAUKA_FEWEST_BUDGET = 20,   /* rounds of one side: the runs' own correlation is not known */
};

/* ---- random.c: a seeded generator, xoshiro256** (Blackman & Vigna 2018), seeded by splitmix64 */

struct lauka_random {
    uint64_t state[4];
};

/* Equal seeds give equal sequences on every machine. */
void lauka_random_seed(struct lauka_random *random, uint64_t seed);

/* Uniform on 0 ... 2^64-1. */
uint64_t lauka_random_next(struct lauka_random *random);

/* Uniform on 0 ... bound-1 without modulo bias (Lemire 2019). bound must not be 0. */
uint64_t lauka_random_below(struct lauka_random *random, uint64_t bound);

/* Uniform on [0, 1), 53 bits. */
double lauka_random_unit(struct lauka_random *random);

/* Normal with mean 0 and standard deviation 1 (Box & Muller 1958). Its last bits are libm's: equal
 * seeds give equal numbers only with the same C library. */
double lauka_random_normal(struct lauka_random *random);

/* Shuffles the items in place; every order is equally likely (Durstenfeld 1964). */
void lauka_random_shuffle(struct lauka_random *random, uint32_t *items, size_t count);

/* ---- series.c: exact count, sum and sum of squares; merging is addition, in any order ------- */

__extension__ typedef unsigned __int128 lauka_uint128;

/* Of integers. 2^64 values of 64 bits have a sum below 2^128 and a sum of squares below 2^192. */
struct lauka_moments {
    uint64_t count;
    uint64_t min;           /* UINT64_MAX while count is 0 */
    uint64_t max;           /* 0 while count is 0 */
    uint64_t squares_carry; /* of the sum of squares, in 2^128 */
    lauka_uint128 sum;
    lauka_uint128 sum_of_squares; /* what is below 2^128 of it */
};

void lauka_moments_init(struct lauka_moments *moments);

/* As adding the value `count` times. */
void lauka_moments_add_count(struct lauka_moments *moments, uint64_t value, uint64_t count);

static inline void lauka_moments_add(struct lauka_moments *moments, uint64_t value)
{
    moments->count++;
    moments->sum += value;
    lauka_uint128 square = (lauka_uint128)value * value;
    moments->sum_of_squares += square;
    moments->squares_carry += moments->sum_of_squares < square;
    if (value < moments->min)
        moments->min = value;
    if (value > moments->max)
        moments->max = value;
}

/* As if every value of `from` had been added to `into`. The same bits in any order. */
void lauka_moments_merge(struct lauka_moments *into, const struct lauka_moments *from);

/* As if every value were that many times as large. The sums must have room: no value may reach 2^64. */
void lauka_moments_scale(struct lauka_moments *moments, uint64_t factor);

/* 0 for no values. */
double lauka_moments_mean(const struct lauka_moments *moments);

/* Unbiased variance (n - 1 below). Known for two values and more. */
struct lauka_optional lauka_moments_variance(const struct lauka_moments *moments);

/* ---- series.c: the values of one metric of one command, in run order ------------------------- */

/* The place of a value that was not measured in its round. A value not measured is not a zero. */
#define LAUKA_MISSING UINT64_MAX

/* Values take 32 bits each until one of them needs more. There is always room for 64 bits, but pages
 * that were never written to are not resident. */
struct lauka_series {
    uint32_t *narrow; /* owned; NULL where wide; UINT32_MAX stands for LAUKA_MISSING */
    uint64_t *wide;   /* owned; NULL until a value does not fit */
    size_t count;
    size_t capacity;
};

/* Makes room for `capacity` values in all; never shrinks. ENOMEM leaves the series as it was. */
int lauka_series_reserve(struct lauka_series *series, size_t capacity);

/* Gives back what no value takes; without memory, nothing. */
void lauka_series_trim(struct lauka_series *series);

/* Appends; never allocates. There must be room: reserve first. */
void lauka_series_add(struct lauka_series *series, uint64_t value);

/* The same of several, in their order. */
void lauka_series_add_all(struct lauka_series *series, const uint64_t *values, size_t count);

/* Puts another value in the place of the i-th; never allocates. */
void lauka_series_set(struct lauka_series *series, size_t i, uint64_t value);

/* The value of round i, below count, in the metric's unit, or LAUKA_MISSING. */
static inline uint64_t lauka_series_at(const struct lauka_series *series, size_t i)
{
    if (series->wide)
        return series->wide[i];
    return series->narrow[i] == UINT32_MAX ? LAUKA_MISSING : series->narrow[i];
}

/* All values in the form described above, including LAUKA_MISSING, to be sorted or read; owned by the series. */
uint64_t *lauka_series_widen(struct lauka_series *series);

/* Copies those that are not missing, in their order, to where there is room for `count`; returns how
 * many they are. */
size_t lauka_series_measured(const struct lauka_series *series, uint64_t *values);

/* Appends to `to` what was measured, and in the same round of `partner`, too, unless that is NULL. 0 or ENOMEM. */
int lauka_series_pick(struct lauka_series *to, const struct lauka_series *from,
                      const struct lauka_series *partner);

/* marks[i * stride] of each round i that was measured in both, in their order; to be freed by the caller.
 * NULL: there is no memory. */
uint32_t *lauka_series_marks(const struct lauka_series *reference, const struct lauka_series *other,
                             const uint32_t *marks, size_t stride);

/* How many of them are not missing, their sums, least and greatest. */
void lauka_moments_of(const struct lauka_series *series, struct lauka_moments *moments);

/* Frees the values; a zeroed series is empty and may be given here. */
void lauka_series_done(struct lauka_series *series);

/* ---- order.c: what a series comes to ------------------------------------------------------- */

struct lauka_summary {
    uint64_t count; /* values measured; where 0, all below is 0 */
    uint64_t missing;
    uint64_t min, max;
    double mean;
    struct lauka_optional stddev; /* as lauka_moments_variance: n - 1 below, from two values on */
    double median;                /* mean of the middle two */
    double first_quartile, third_quartile; /* linear interpolation, type 7 (Hyndman & Fan 1996) */
    uint64_t outliers; /* beyond the quartiles by over 1.5 of their distance (Tukey 1977, 2D) */
};

/* Returns 0 or ENOMEM; the series keeps its order. */
int lauka_summarize(const struct lauka_series *series, struct lauka_summary *summary);

/* ---- order.c: sorting ------------------------------------------------------------------------ */

/* Ascending, in place. Return 0 or ENOMEM; then they stand in any order. NaN must not be among
 * them. */
int lauka_sort_integers(uint64_t *values, size_t count);
int lauka_sort_doubles(double *values, size_t count);

/* What would stand at these indices, ascending and from 0 on, if the values that are not missing were
 * sorted; at most LAUKA_SELECT_MAX of them. least, greatest: of all these values. Returns 0 or ENOMEM. */
enum { LAUKA_SELECT_MAX = 6 };
int lauka_series_select(const struct lauka_series *series, uint64_t least, uint64_t greatest,
                        const size_t *indices, size_t count, uint64_t *selected);

/* Of sorted values, at least one: the mean of the middle two. */
double lauka_sorted_median(const uint64_t *sorted, size_t count);

/* Of sorted values, at least one: the nearest rank, as lauka_rank_count has it; never
 * interpolated. */
uint64_t lauka_sorted_quantile(const uint64_t *sorted, size_t count, uint32_t rank);

/* A double half way between the two in the order of all doubles: high only where low is. */
double lauka_double_between(double low, double high);

/* ---- distributions.c ------------------------------------------------------------------------- */

/* P(Z <= z) of the standard normal, and its inverse for 0 < p < 1. Relative error below 1e-13. */
double lauka_normal_cdf(double z);
double lauka_normal_quantile(double p);

/* P(T <= t) of Student's t with df >= 1 degrees of freedom, and its inverse for 0 < p < 1. The
 * relative error is below 1e-10 for t <= 0 and p <= 1/2; for the upper tail use -t. */
double lauka_student_cdf(double t, uint64_t df);
double lauka_student_quantile(double p, uint64_t df);

/* Gamma((df + 1) / 2) / Gamma(df / 2), df >= 1. */
double lauka_gamma_step(uint64_t df);

/* ---- distributions.c: how rank statistics are distributed where nothing differs ---------------------- */

/* P(T <= t) of the signed-rank statistic of `count` differences without ties: exact up to 200, then
 * normal with continuity correction. Fewer than 2^32. */
double lauka_signed_rank_cdf(uint64_t count, uint64_t t);

/* The largest c with P(T <= c - 1) <= alpha / 2; 0 where there is none: the interval then ends at
 * the c-th smallest and the c-th largest average of two differences. */
uint64_t lauka_signed_rank_critical(uint64_t count, double alpha);

/* The same of the rank-sum statistic U: exact where left * right <= 2500. */
double lauka_rank_sum_cdf(uint64_t left, uint64_t right, uint64_t u);
uint64_t lauka_rank_sum_critical(uint64_t left, uint64_t right, double alpha);

/* Two samples, whatever their order in time. Mann & Whitney 1947. */
struct lauka_mann_whitney {
    double u;                       /* pairs in which `right` is larger, ties for one half */
    bool ties;                      /* two values are equal, on whichever side */
    struct lauka_optional p_exact;  /* two-sided; without ties, and few enough values */
    struct lauka_optional p_normal; /* corrected for ties and continuity; not where all are equal */
    double p;                       /* p_exact, or p_normal, or 1 */
};

/* Both sorted ascending. */
void lauka_mann_whitney(const double *left, size_t left_count, const double *right,
                        size_t right_count, struct lauka_mann_whitney *test);

/* ---- pair_sums.c: sums of two values, counted and never written down ------------------------- */

/* left[i] + right[j] of all i and j; or, of one sample with itself, of all i <= j. All borrowed. */
struct lauka_pair_sums {
    const double *left, *right; /* ascending */
    size_t left_count, right_count;
    bool with_itself;       /* right is left */
    const uint64_t *before; /* with_itself only: entry i stands for before[i + 1] - before[i] equal
                             * values; NULL: for one */
};

enum { LAUKA_PAIR_SUMS_RANKS = 4 };

uint64_t lauka_pair_sums_count(const struct lauka_pair_sums *sums);

/* How many are <= x; of several x, at most LAUKA_PAIR_SUMS_RANKS, in hardly more time. */
uint64_t lauka_pair_sums_up_to(const struct lauka_pair_sums *sums, double x);
void lauka_pair_sums_up_to_each(const struct lauka_pair_sums *sums, const double *x, size_t count,
                                uint64_t *up_to);

/* The sums of these ranks, from 1 on, at most LAUKA_PAIR_SUMS_RANKS of them. A million values take
 * a few dozen walks through them, and room for half as many. Returns 0 or ENOMEM. */
int lauka_pair_sums_select(const struct lauka_pair_sums *sums, const uint64_t *ranks,
                           size_t rank_count, double *selected);

/* ---- location.c: where differences lie ------------------------------------------------------- */

/* Ascending; entry i stands for before[i + 1] - before[i] equal ones, NULL: for one. Borrowed. */
struct lauka_differences {
    const double *values;
    const uint64_t *before; /* length + 1 */
    size_t length;
};

struct lauka_location {
    double estimate;
    struct lauka_optional low, high;      /* known together, where there are values enough */
    struct lauka_optional p;              /* two-sided, of no difference */
    uint64_t at_most_zero, at_least_zero; /* averages of two, or differences across the samples */
    uint64_t critical;                    /* c of lauka_..._critical */
};

/* Hodges-Lehmann: the median of the averages of all pairs, including each value with itself. The
 * interval is from the signed-rank test, and p <= alpha exactly if it excludes 0. At least one
 * value. Returns 0 or ENOMEM. */
int lauka_locate_signed_rank(const struct lauka_differences *differences, double alpha,
                             struct lauka_location *location);

/* With this many values there is always an interval of ranks; without pairs, this many of each are needed. */
int lauka_location_needed(double alpha, bool unpaired);

/* One-sided p of "they lie at `limit` at most": at most alpha / 2 where the interval lies above
 * it. */
double lauka_signed_rank_above(const struct lauka_differences *differences, double limit);

/* The median of other - reference over all pairs, with the interval of the rank-sum test and Mann &
 * Whitney's p. Both sorted, at least one value each. Returns 0 or ENOMEM. */
int lauka_locate_rank_sum(const double *reference, size_t reference_count, const double *other,
                          size_t other_count, double alpha, struct lauka_location *location);

/* One-sided p of "other lies above reference by `limit` at most". Sorted. Returns 0 or ENOMEM. */
int lauka_rank_sum_above(const double *reference, size_t reference_count, const double *other,
                         size_t other_count, double limit, double *p);

/* Values of rounds, by ranks among all of them: estimate and interval are those of lauka_locate_rank_sum, but U is
 * distributed as where the two values of each round are exchanged by lot, whatever rounds have in common. If ranks of
 * one round resemble each other (intraclass correlation beyond 1/4), signed ranks see more, and nothing is set.
 * Neither that nor the distribution depends on which side has which value. limit: *p_above is one-sided, of "other
 * lies above by `limit` at most". At least one round. Returns 0 or ENOMEM. */
int lauka_locate_pooled(const double *reference, const double *other, size_t count, double alpha,
                        struct lauka_optional limit, struct lauka_location *location,
                        struct lauka_optional *p_above);

/* The mean with Student's interval. False where nothing can be said: one value, or all equal. */
bool lauka_locate_paired_t(const struct lauka_differences *differences, double alpha,
                           struct lauka_location *location);
double lauka_paired_t_above(const struct lauka_differences *differences, double limit);
double lauka_differences_mean(const struct lauka_differences *differences);
/* The sum of the squares of their distances from `center`. */
double lauka_differences_squares(const struct lauka_differences *differences, double center);

/* ---- contrast.c --------------------------------------------------------------------------- */

/* (mean other - mean reference) / pooled stddev. Cohen 1988. Two constants that are equal have d =
 * 0; two that differ have none. */
struct lauka_optional lauka_cohens_d(const struct lauka_moments *reference,
                                     const struct lauka_moments *other);

/* ---- compare.c: two series, paired by round or not ------------------------------------------- */

/* Of all values of each of two series. */
struct lauka_medians {
    double reference, other;
};

/* How the values of a metric were recorded: what equal ones mean. */
enum lauka_grain {
    LAUKA_GRAIN_COUNT, /* whole numbers by nature: a constant is exact */
    LAUKA_GRAIN_CLOCK, /* steps of a clock, whose phase is random */
    LAUKA_GRAIN_TEXT,  /* rounded to the decimals of a text */
    LAUKA_GRAIN_BINS,  /* the middles of a histogram's buckets; unpaired only */
    LAUKA_GRAIN_LOGS, /* each is one figure of a log, such as its median: means of logs are compared */
};

struct lauka_comparison_options {
    double alpha;     /* 1 - confidence, above 0 and below 1: LAUKA_ALPHA_... of verdict.c */
    double precision; /* w, a share: no difference up to it matters; 0.01 */
    bool unpaired;    /* the lengths may differ; what is missing is left out of each */
    bool repeatable;  /* it was seen that values do not vary: one constant pair is enough */
    enum lauka_grain grain;
    double bins;      /* of the last two grains: half a bucket as a share of its values, at most */
    bool differences; /* of rounds in the metric's unit, although there are ratios */
    struct lauka_optional
        limit; /* tau of a gate: judges a rise by more than this share, or difference */
    const struct lauka_turns *turns;     /* of two commands (crossover.h); NULL: not known */
    const struct lauka_units *units;     /* (units.h); NULL: each round is one. Paired only */
    const struct lauka_medians *medians; /* NULL: to be found; so they are if values are missing */
};

/* What `ratio`, `low` and `high` of a comparison are. */
enum lauka_method {
    LAUKA_METHOD_NONE,           /* an estimate at most; no interval */
    LAUKA_METHOD_HODGES_LEHMANN, /* of the rounds' log ratios, with the signed-rank interval */
    LAUKA_METHOD_POOLED, /* Hodges-Lehmann over all pairs, with an interval by exchanges within rounds */
    LAUKA_METHOD_PAIRED_T, /* the same estimate; interval of the mean: rounds are too few for ranks,
                            * and for a verdict */
    LAUKA_METHOD_EXACT,    /* both sides constant: nothing is uncertain but what rounding hides */
    LAUKA_METHOD_UNPAIRED, /* Hodges-Lehmann over all pairs, with the rank-sum interval */
    LAUKA_METHOD_MEAN,  /* the ratio of the means, or their difference where there are zeros, with
                        * Student's interval (means.h): values are in coarse steps */
    LAUKA_METHOD_HOSTS, /* the mean of the hosts' estimates, with Student's interval: see units.h */
};

enum lauka_verdict {
    LAUKA_VERDICT_NONE, /* not judged: there is nothing to compare */
    LAUKA_VERDICT_IDENTICAL,
    LAUKA_VERDICT_HIGHER, /* the interval lies above no change */
    LAUKA_VERDICT_LOWER,
    LAUKA_VERDICT_EQUIVALENT, /* it holds no change, and nothing beyond the precision */
    LAUKA_VERDICT_INCONCLUSIVE,
};

/* Series `other` against `reference`. Every ratio is other / reference, every difference is
 * other - reference. Where a zero is among the values there is no ratio; `difference` and its ends
 * are known instead, in the metric's unit. Swapping the series mirrors log_ratio, log_low and
 * log_high, the differences, cohens_d and hedges_g, and leaves p and the verdict, with lower for
 * higher: bit for bit, but for ratios of means. */
struct lauka_comparison {
    uint64_t pairs; /* rounds in which both were measured; the others are left out of everything.
                     * Unpaired: the smaller of the two counts */
    uint64_t
        units; /* independent values that the interval is made of: `pairs`, if they share none */
    struct lauka_optional within,
        between; /* standard deviations of what is estimated, of rounds of one unit and of units */
    uint64_t reference_count, other_count;  /* values compared; paired: both are `pairs` */
    struct lauka_optional ratio, low, high; /* the estimate and its interval: exp of these: */
    struct lauka_optional log_ratio, log_low, log_high;
    struct lauka_optional difference, difference_low, difference_high;
    struct lauka_optional half_width; /* of the interval, as a share of the reference */
    struct lauka_optional p;          /* two-sided; where paired, at most 1 - confidence exactly
                                       * where the interval excludes no change */
    struct lauka_optional p_above;    /* one-sided, of "risen by `limit` at most", at most alpha / 2
                                       * where the interval lies above */
    double confidence;                /* of the interval; 0 where there is none */
    enum lauka_method method;
    bool paired; /* values of one round were compared */
    enum lauka_verdict verdict;
    bool below_precision; /* higher or lower, but the interval holds nothing beyond the precision */
    bool withdrawn;       /* `verdict` was higher or lower, and did not stand in its family */
    uint64_t family;      /* how many tests it was judged among; 0: not among others */
    double reference_mean, other_mean;
    struct lauka_optional mean_ratio, median_ratio, min_ratio; /* printed; but see mean_doubted */
    struct lauka_optional mean_low, mean_high; /* of mean_ratio, by Fieller: see means.h */
    bool means_differ; /* by more than the precision: that interval says so, or far values do */
    struct lauka_optional run_to_run;    /* half_width of what was taken back: sides are apart */
    bool mean_doubted;                   /* it would be equivalent, if the means did not differ */
    struct lauka_optional geomean_ratio; /* of the rounds' ratios; paired only */
    struct lauka_optional cohens_d; /* (mean other - mean reference) / pooled stddev. Cohen 1988 */
    struct lauka_optional hedges_g; /* cohens_d without its small-sample bias. Hedges 1981 */
};

/* Returns 0 or ENOMEM; then nothing in the comparison is known. The series must be equally long,
 * unless unpaired. Two constant series that are equal have d = 0; two that differ have no d. */
int lauka_compare(const struct lauka_series *reference, const struct lauka_series *other,
                  const struct lauka_comparison_options *options,
                  struct lauka_comparison *comparison);

/* ---- contrast.c: the parts of a comparison, for callers without series ----------------------- */

/* Counts, means, ratios of means and minima, effect sizes. */
void lauka_contrast_moments(const struct lauka_moments *reference,
                            const struct lauka_moments *other, struct lauka_comparison *comparison);

/* Ratios need values above zero on both sides. */
bool lauka_contrast_has_ratios(const struct lauka_moments *reference,
                               const struct lauka_moments *other);

/* log(other / reference) or other - reference; mirrored bit for bit when they are swapped. */
double lauka_contrast_distance(uint64_t reference, uint64_t other, bool as_ratio);
/* Of each pair of two series of one length in which nothing is missing. */
void lauka_contrast_distances(const struct lauka_series *reference,
                              const struct lauka_series *other, bool as_ratio, double *distances);

/* Whether both sides are constant, and what then is known, without any test: from four pairs on, or
 * from one where that is all that repeatable values can say. */
bool lauka_contrast_is_exact(const struct lauka_moments *reference,
                             const struct lauka_moments *other);
void lauka_contrast_exact(const struct lauka_moments *reference, const struct lauka_moments *other,
                          const struct lauka_comparison_options *options,
                          struct lauka_comparison *comparison);

/* Moves both ends of the interval outwards, by this on the scale on which it was made. */
void lauka_contrast_widen(struct lauka_comparison *comparison, double by);

/* Leaves the estimate, and nothing of its interval. */
void lauka_contrast_unknow(struct lauka_comparison *comparison);

/* What a rise by the limit of the options is on the scale of what is compared. */
double lauka_contrast_limit(const struct lauka_comparison *comparison,
                            const struct lauka_comparison_options *options, bool as_ratio);

void lauka_contrast_put(struct lauka_comparison *comparison, const struct lauka_location *location,
                        enum lauka_method method, double alpha, bool as_ratio);

/* ---- verdict.c ------------------------------------------------------------------------------- */

/* Sets verdict and below_precision from the interval. */
void lauka_verdict_judge(struct lauka_comparison *comparison, double precision);

/* Whether the interval is of so few rounds that nothing is claimed. */
bool lauka_verdict_needs_more(const struct lauka_comparison *comparison);

/* Whether an interval lies above a limit (FAIL), below it, or around it: see limit.c. */
enum lauka_gate {
    LAUKA_GATE_INCONCLUSIVE,
    LAUKA_GATE_PASS,
    LAUKA_GATE_FAIL,
};

/* The field's word, as it stands in JSON: NULL for LAUKA_METHOD_NONE and LAUKA_VERDICT_NONE. */
const char *lauka_method_name(enum lauka_method method);
const char *lauka_verdict_name(enum lauka_verdict verdict);
const char *lauka_gate_name(enum lauka_gate gate);

/* ---- verdict.c: many tests at once ------------------------------------------------------------ */

/* Which of the tests are significant so that the chance of any false one stays below alpha (Holm
 * 1979, section 5: those with a larger weight have more of alpha; NULL: all weigh 1). A p that is not known is no test
 * and is not counted: stands[i] is false. Returns how many tests there were. */
uint64_t lauka_family_holm(const struct lauka_optional *p, const double *weights, size_t count,
                           double alpha, bool *stands);

/* The fewest rounds with which something can be claimed at this alpha: those with which ranks reach it, and at least
 * LAUKA_FEWEST_ROUNDS. */
uint64_t lauka_family_rounds(double alpha);

/* Takes a claim of higher or lower back, which is `withdrawn` then: inconclusive, or equivalent where the
 * interval lies within the precision, as that it is small was never among what the family claims. */
void lauka_comparison_withdraw(struct lauka_comparison *comparison);

/* The same for comparisons, all made with this alpha: higher and lower that do not stand are withdrawn; a p counts
 * for no less than ranks of its rounds could reach. weights: as above. `exact` ones always stand, and are not
 * counted. Call it once, with all primary metrics of all commands; and once with all others, exploratory ones.
 * Returns 0 or ENOMEM; then nothing has been judged. */
int lauka_family_judge(struct lauka_comparison *const *comparisons, const double *weights,
                       size_t count, double alpha);

/* ---- verdict.c: when enough is known -------------------------------------------------------- */

/* Looks are at n = 10, 12, 15, 18, 22, 27 ... rounds (n <- ceil(1.2 n)); stopping at one of them
 * costs confidence, so each is made at 97 %: all together then hold what 95 % promise. */
#define LAUKA_ALPHA_FIXED 0.05       /* -r N, or the whole budget: n was not chosen by looking */
#define LAUKA_ALPHA_LOOK 0.03        /* at every look, and in the result of a run with looks */
#define LAUKA_ALPHA_INTERRUPTED 0.01 /* the user chose n */

/* A gate may fail 1 of 200 that it should not, at most, however much noise there is: one side of its
 * interval. At one look 99 % promise that; with looks until it is decided, 99.9 % at each of them hold
 * it for 400 rounds (simulated: 0.41 % at 200, 0.61 % at 1000), where 99 % would fail 3.4 % at 200. */
#define LAUKA_ALPHA_GATE 0.01
#define LAUKA_ALPHA_GATE_LOOK 0.001

enum { LAUKA_FIRST_LOOK = 10 };

/* The first look at more than `rounds` rounds: 10 for 0, 12 for 10 and 11. */
uint64_t lauka_stopping_next_look(uint64_t rounds);

/* What one comparison, or all together, give as a reason to stop. */
enum lauka_stopping {
    LAUKA_STOPPING_NOT,       /* not precise enough */
    LAUKA_STOPPING_EXACT,     /* constant on both sides: more rounds would tell nothing */
    LAUKA_STOPPING_PRECISION, /* half-width <= precision */
    LAUKA_STOPPING_EFFECT,    /* the estimate is at least two half-widths away from no change */
};

/* precision: --until, a share; 0 gives LAUKA_STOPPING_NOT always. Only to be asked at looks, of
 * comparisons made with LAUKA_ALPHA_LOOK. It never asks for significance. */
enum lauka_stopping lauka_stopping_reason(const struct lauka_comparison *comparison,
                                          double precision);

/* Of the primary metrics of all commands: NOT where one is not settled; otherwise EFFECT, PRECISION
 * or EXACT, whichever came up first in this order. NOT for none. */
enum lauka_stopping lauka_stopping_reason_all(const struct lauka_comparison *const *comparisons,
                                              size_t count, double precision);

/* By which factor the rounds so far, and so the time, would have to grow for all to be so precise:
 * the largest (half-width / precision)^2, at least 1. Not known without an interval, or where
 * precision is 0. */
struct lauka_optional lauka_stopping_factor(const struct lauka_comparison *const *comparisons,
                                            size_t count, double precision);

/* ---- paired_log.c: a long session's log ratios in bounded memory ----------------------------- */

/* Counts of d = log(other / reference) in bins: |d| < 1/4 in steps of 2^-14, beyond that 512 steps
 * to an octave, as far as two values of 64 bits can lie apart: no pair lies outside. Each pair then
 * stands for its bin's middle, half a step away at most. Zero is a middle; swapping mirrors all. */
enum { LAUKA_PAIRED_LOG_HALF = 8192 };

struct lauka_paired_log {
    uint64_t count;           /* pairs in bins */
    uint64_t zeros;           /* pairs with a zero, which have no ratio and are in no bin */
    uint64_t lost;            /* pairs that had no room in their bin's 32 bits, or no memory */
    struct lauka_sparse bins; /* 2 * HALF; negative ones first, mirrored; up to UINT32_MAX each */
    struct lauka_moments reference, other; /* of the values of all pairs, exact */
};

void lauka_paired_log_init(struct lauka_paired_log *log);
void lauka_paired_log_done(struct lauka_paired_log *log);

/* One round in which both were measured. */
void lauka_paired_log_add(struct lauka_paired_log *log, uint64_t reference, uint64_t other);

/* In two steps, of which only the first allocates. *bin: where it is counted; NULL: it has no ratio. 0 or ENOMEM. */
int lauka_paired_log_reach(struct lauka_paired_log *log, uint64_t reference, uint64_t other,
                           uint64_t **bin);
void lauka_paired_log_add_to(struct lauka_paired_log *log, uint64_t reference, uint64_t other,
                             uint64_t *bin);

/* As if every pair of `from` had been added to `into`. */
void lauka_paired_log_merge(struct lauka_paired_log *into, const struct lauka_paired_log *from);

/* As lauka_compare of the same rounds: log_ratio, log_low and log_high are off by half a step at
 * most; means, minima and effect sizes are exact; there is no median_ratio. With a zero among the
 * values there is no estimate (LAUKA_METHOD_NONE), unless both are constant. 0 or ENOMEM. */
int lauka_compare_streamed(const struct lauka_paired_log *log,
                           const struct lauka_comparison_options *options,
                           struct lauka_comparison *comparison);

/* ---- doubts.c: the middle, whatever a few values do ------------------------------------------ */

struct lauka_robust {
    double median;
    double mad;   /* median absolute deviation from it, unscaled */
    double scale; /* mad; where that is 0 the smallest step between two values, 0 for a constant */
};

/* Of sorted values, at least one. */
struct lauka_robust lauka_robust_of(const uint64_t *sorted, size_t count);

/* Further than 14.826 of `scale` (mad or scale) from the median: 10 deviations of a normal. */
bool lauka_robust_is_outlier(const struct lauka_robust *robust, double scale, uint64_t value);

/* ---- doubts.c: what speaks against trusting the numbers -------------------------------------- */

enum lauka_doubt {
    /* of one series */
    LAUKA_DOUBT_OUTLIERS,        /* share of values over 10 robust deviations from the median */
    LAUKA_DOUBT_FIRST_ROUND,     /* the first value is one of these; its ratio to the median */
    LAUKA_DOUBT_ABOVE_MINIMUM,   /* mean / minimum */
    LAUKA_DOUBT_DRIFT,           /* median of the last third / median of the first */
    LAUKA_DOUBT_AUTOCORRELATION, /* of neighbouring rounds, 0 ... 1 */
    LAUKA_DOUBT_TWO_MODES,       /* upper mode / lower mode */
    /* of wall time, by what the system tells beside it */
    LAUKA_DOUBT_WAITED, /* share of it in which the main thread waited for a CPU */
    LAUKA_DOUBT_STOLEN, /* share of the CPUs' time that a hypervisor gave to others */
    /* of counts, by what the command did */
    LAUKA_DOUBT_LEFT_BEHIND, /* share of the runs that left processes behind */
    LAUKA_DOUBT_UNWATCHED,   /* 1: a program that it starts cannot be counted */
    /* of a comparison */
    LAUKA_DOUBT_TAILS,    /* mean ratio, which lies outside the interval */
    LAUKA_DOUBT_POSITION, /* how much more `other` takes when run after the reference; a ratio */
    /* of a comparison in wall time and the same in CPU time */
    LAUKA_DOUBT_BUSY, /* how many times wider the interval in wall time is */
    /* of a comparison in time, by what is counted beside it; the instructions are the same */
    LAUKA_DOUBT_PLACEMENT, /* ratio of the minor faults: files may lie differently in the page cache */
    LAUKA_DOUBT_LAYOUT,    /* ratio of the times: the code may lie elsewhere in the program */
    LAUKA_DOUBT_COUNT
};

/* The number that goes with each doubt, where there is one: known means raised. */
struct lauka_doubts {
    struct lauka_optional raised[LAUKA_DOUBT_COUNT];
};

/* Of one series in run order; sets the first six, and clears no others. precision: the share that
 * is no difference, so no drift. Returns 0 or ENOMEM. */
int lauka_doubts_of_series(const struct lauka_series *series, double precision,
                           struct lauka_doubts *doubts);

/* Two series paired by round. order: command indices in the order they ran, `commands` per round;
 * NULL where it is not known. Sets the position's. Returns 0 or ENOMEM. */
int lauka_doubts_of_order(const struct lauka_series *reference, const struct lauka_series *other,
                          const uint32_t *order, size_t commands, uint32_t reference_index,
                          uint32_t other_index, struct lauka_doubts *doubts);

/* precision as in the options of the comparison. The series that were compared, or NULL where their
 * values are not kept; sets the tails'. */
void lauka_doubts_of_comparison(const struct lauka_comparison *comparison,
                                const struct lauka_series *reference,
                                const struct lauka_series *other, double precision,
                                struct lauka_doubts *doubts);

/* The same two commands in wall time and in CPU time; sets the busy machine's. */
void lauka_doubts_of_times(const struct lauka_comparison *wall, const struct lauka_comparison *cpu,
                           double precision, struct lauka_doubts *doubts);

/* ---- quantile_interval.c: which of n sorted values enclose a quantile ---------------------------------- */

/* X is how many of `count` values lie up to the quantile p. */
struct lauka_binomial {
    uint64_t count;
    double *up_to; /* owned; P(X <= k) for k = 0 ... count */
    double *from;  /* owned; P(X >= k) */
};

/* 0 < p < 1. Returns 0 or ENOMEM. */
int lauka_binomial_init(struct lauka_binomial *binomial, uint64_t count, double p);
void lauka_binomial_done(struct lauka_binomial *binomial);

/* The largest rank, from 1 on, whose value lies above the quantile at most so often; 0: there is
 * none. The smallest whose value lies below it at most so often; count + 1: there is none. */
uint64_t lauka_binomial_lower(const struct lauka_binomial *binomial, double risk);
uint64_t lauka_binomial_upper(const struct lauka_binomial *binomial, double risk);

/* How many values it takes until both are there. 0 < p < 1. */
uint64_t lauka_quantile_values_needed(double p, double risk);

/* ---- random.c: few bits that stand for a text ----------------------------------------------------- */

/* FNV-1a of the bytes, 64 bits (Fowler, Noll, Vo and Eastlake, RFC 9923). `hash` is LAUKA_HASH, or
 * the hash of what comes before. An attacker who chooses the bytes can make two that collide. */
#define LAUKA_HASH UINT64_C(0xcbf29ce484222325)
uint64_t lauka_hash(uint64_t hash, const void *bytes, size_t size);

/* The same of a text, which is not NULL, and of the 0 at its end, so that "a", "bc" is not "ab", "c". */
uint64_t lauka_hash_text(uint64_t hash, const char *text);

#include "limit.h"     /* what is too much; needs what is above */
#include "histogram.h" /* counting values in buckets; needs what is above */

#endif
