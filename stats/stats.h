/* stats: the arithmetic of lauka. It only depends on libm and is pure: it never prints, exits or
 * reads a clock. Functions that can fail return 0 or an errno. No NaN and no infinity leaves this
 * folder: undefined results are optionals that are not known. */
#ifndef LAUKA_STATS_H
#define LAUKA_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sparse.h"

/* A number that may be undefined: a ratio to zero, a deviation of one value. */
struct lauka_optional {
    bool known;
    double value; /* 0 if not known */
};

static inline struct lauka_optional lauka_known(double value)
{
    return (struct lauka_optional){true, value};
}

/* ---- the least numbers: fewer give no verdict, or where it says so no interval; docs/statistics.md has them, too */

enum {
    LAUKA_FEWEST_INTERVAL = 3, /* values, rounds or logs per side: interval by Student's t */
    LAUKA_FEWEST_EXACT =
        4, /* equal values per side that count as a constant: three are chance in 1 of 10 */
    LAUKA_FEWEST_ROUNDS =
        6, /* a test by the order of r rounds makes a claim in at least 1 of 2^(r - 1) equal pairs,
            * and under periodic load Student's t makes one in 11 of 100 with four; more for a
            * family: lauka_family_rounds */
    LAUKA_FEWEST_LOGS = 4,      /* per side */
    LAUKA_FEWEST_PROCESSES = 4, /* as units of rounds; fewer have no interval */
    LAUKA_FEWEST_LAYOUTS = 8,   /* the same */
    LAUKA_FEWEST_HOSTS = 3,     /* fewer have no interval */
    LAUKA_FEWEST_POOLED = 10,   /* rounds: ranks among all values; not measured for fewer */
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

/* Moments of integers. 2^64 values of 64 bits have a sum below 2^128 and a sum of squares below 2^192. */
struct lauka_moments {
    uint64_t count;
    uint64_t min;           /* UINT64_MAX while count is 0 */
    uint64_t max;           /* 0 while count is 0 */
    uint64_t squares_carry; /* the part of the sum of squares above 2^128 */
    lauka_uint128 sum;
    lauka_uint128 sum_of_squares; /* the part below 2^128 */
};

void lauka_moments_init(struct lauka_moments *moments);

/* Adds the value `count` times. */
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

/* Adds every value of `from` to `into`. Gives the same bits in any order. */
void lauka_moments_merge(struct lauka_moments *into, const struct lauka_moments *from);

/* Multiplies every value by the factor. The sums must have room: no value may reach 2^64. */
void lauka_moments_scale(struct lauka_moments *moments, uint64_t factor);

/* 0 for no values. */
double lauka_moments_mean(const struct lauka_moments *moments);

/* Unbiased variance, divided by n - 1. Known for two or more values. */
struct lauka_optional lauka_moments_variance(const struct lauka_moments *moments);

/* ---- series.c: the values of one metric of one command, in run order ------------------------- */

/* Stands for a value that was not measured in its round, which is not a zero. */
#define LAUKA_MISSING UINT64_MAX

/* Values take 32 bits each until one of them needs more. There is always room for 64 bits, but
 * pages without data are not resident. */
struct lauka_series {
    uint32_t *narrow; /* owned; NULL if wide; UINT32_MAX means LAUKA_MISSING */
    uint64_t *wide;   /* owned; NULL until a value needs it */
    size_t count;
    size_t capacity;
};

/* Makes room for `capacity` values in total; never shrinks. On ENOMEM the series is unchanged. */
int lauka_series_reserve(struct lauka_series *series, size_t capacity);

/* Releases unused room; does nothing without memory. */
void lauka_series_trim(struct lauka_series *series);

/* Appends a value; never allocates, so reserve room first. */
void lauka_series_add(struct lauka_series *series, uint64_t value);

/* The same for several values, in order. */
void lauka_series_add_all(struct lauka_series *series, const uint64_t *values, size_t count);

/* Replaces the i-th value; never allocates. */
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

/* Copies the values that are not missing, in order, to room for `count`; returns their number. */
size_t lauka_series_measured(const struct lauka_series *series, uint64_t *values);

/* Appends to `to` the values measured in this series and, unless `partner` is NULL, also there. 0 or ENOMEM. */
int lauka_series_pick(struct lauka_series *to, const struct lauka_series *from,
                      const struct lauka_series *partner);

/* marks[i * stride] for each round i measured in both, in order; to be freed by the caller. NULL
 * without memory. */
uint32_t *lauka_series_marks(const struct lauka_series *reference, const struct lauka_series *other,
                             const uint32_t *marks, size_t stride);

/* The number of values that are not missing, their sums, least and greatest. */
void lauka_moments_of(const struct lauka_series *series, struct lauka_moments *moments);

/* Frees the values; accepts a zeroed series, which is empty. */
void lauka_series_done(struct lauka_series *series);

/* ---- order.c: what a series comes to ------------------------------------------------------- */

struct lauka_summary {
    uint64_t count; /* number of measured values; if 0, everything below is 0 */
    uint64_t missing;
    uint64_t min, max;
    double mean;
    struct lauka_optional stddev;          /* as lauka_moments_variance; from two values on */
    double median;                         /* mean of the two middle values */
    double first_quartile, third_quartile; /* linear interpolation, type 7 (Hyndman & Fan 1996) */
    uint64_t outliers; /* beyond the quartiles by over 1.5 times their distance (Tukey 1977, 2D) */
};

/* Returns 0 or ENOMEM; the series keeps its order. */
int lauka_summarize(const struct lauka_series *series, struct lauka_summary *summary);

/* ---- order.c: sorting ------------------------------------------------------------------------ */

/* Sorts in place, ascending. Return 0, or ENOMEM with values in any order. NaN is not allowed. */
int lauka_sort_integers(uint64_t *values, size_t count);
int lauka_sort_doubles(double *values, size_t count);

/* The values at these indices, which ascend from 0, of the sorted values that are not missing; at
 * most LAUKA_SELECT_MAX. least, greatest: of all these values. Returns 0 or ENOMEM. */
enum { LAUKA_SELECT_MAX = 6 };
int lauka_series_select(const struct lauka_series *series, uint64_t least, uint64_t greatest,
                        const size_t *indices, size_t count, uint64_t *selected);

/* For sorted values, at least one: the mean of the two middle ones. */
double lauka_sorted_median(const uint64_t *sorted, size_t count);

/* For sorted values, at least one: the nearest rank, as in lauka_rank_count; never interpolated. */
uint64_t lauka_sorted_quantile(const uint64_t *sorted, size_t count, uint32_t rank);

/* A double half-way between the two in the order of all doubles: high only if low is high. */
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

/* P(T <= t) for the signed-rank statistic of `count` differences without ties: exact up to 200,
 * then normal with continuity correction. Fewer than 2^32. */
double lauka_signed_rank_cdf(uint64_t count, uint64_t t);

/* The largest c with P(T <= c - 1) <= alpha / 2; 0 if there is none. The interval then ends at the
 * c-th smallest and c-th largest average of two differences. */
uint64_t lauka_signed_rank_critical(uint64_t count, double alpha);

/* The same for the rank-sum statistic U: exact if left * right <= 2500. */
double lauka_rank_sum_cdf(uint64_t left, uint64_t right, uint64_t u);
uint64_t lauka_rank_sum_critical(uint64_t left, uint64_t right, double alpha);

/* Two samples, in any order of time. Mann & Whitney 1947. */
struct lauka_mann_whitney {
    double u;                       /* pairs in which `right` is larger, ties for one half */
    bool ties;                      /* two values are equal, on any side */
    struct lauka_optional p_exact;  /* two-sided; without ties, and for few enough values */
    struct lauka_optional p_normal; /* corrected for ties and continuity; not if all are equal */
    double p;                       /* p_exact, or p_normal, or 1 */
};

/* Both sorted ascending. */
void lauka_mann_whitney(const double *left, size_t left_count, const double *right,
                        size_t right_count, struct lauka_mann_whitney *test);

/* ---- pair_sums.c: sums of two values, counted and never written down ------------------------- */

/* left[i] + right[j] for all i and j; or, for one sample with itself, for all i <= j. All borrowed. */
struct lauka_pair_sums {
    const double *left, *right; /* ascending */
    size_t left_count, right_count;
    bool with_itself;       /* right is left */
    const uint64_t *before; /* with_itself only: entry i stands for before[i + 1] - before[i] equal
                             * values; NULL: for one */
};

enum { LAUKA_PAIR_SUMS_RANKS = 4 };

uint64_t lauka_pair_sums_count(const struct lauka_pair_sums *sums);

/* The number of sums <= x; for several x, at most LAUKA_PAIR_SUMS_RANKS, in hardly more time. */
uint64_t lauka_pair_sums_up_to(const struct lauka_pair_sums *sums, double x);
void lauka_pair_sums_up_to_each(const struct lauka_pair_sums *sums, const double *x, size_t count,
                                uint64_t *up_to);

/* The sums at these ranks, which begin at 1; at most LAUKA_PAIR_SUMS_RANKS. A million values take a
 * few dozen passes, and room for half as many values. Returns 0 or ENOMEM. */
int lauka_pair_sums_select(const struct lauka_pair_sums *sums, const uint64_t *ranks,
                           size_t rank_count, double *selected);

/* ---- location.c: where differences lie ------------------------------------------------------- */

/* Ascending; entry i stands for before[i + 1] - before[i] equal ones; NULL: for one. Borrowed. */
struct lauka_differences {
    const double *values;
    const uint64_t *before; /* length + 1 */
    size_t length;
};

struct lauka_location {
    double estimate;
    struct lauka_optional low, high;      /* both known, or neither with too few values */
    struct lauka_optional p;              /* two-sided, of no difference */
    uint64_t at_most_zero, at_least_zero; /* averages of two, or differences across the samples */
    uint64_t critical;                    /* c from lauka_..._critical */
};

/* Hodges-Lehmann: the median of the averages of all pairs, including each value with itself. The
 * interval is from the signed-rank test, and p <= alpha exactly if it excludes 0. At least one
 * value. Returns 0 or ENOMEM. */
int lauka_locate_signed_rank(const struct lauka_differences *differences, double alpha,
                             struct lauka_location *location);

/* With this many values there is always an interval of ranks; without pairs, this many of each are needed. */
int lauka_location_needed(double alpha, bool unpaired);

/* One-sided p of "they lie at `limit` at most": at most alpha / 2 if the interval lies above it. */
double lauka_signed_rank_above(const struct lauka_differences *differences, double limit);

/* The median of other - reference over all pairs, with the rank-sum test's interval and Mann &
 * Whitney's p. Both sorted, at least one value each. Returns 0 or ENOMEM. */
int lauka_locate_rank_sum(const double *reference, size_t reference_count, const double *other,
                          size_t other_count, double alpha, struct lauka_location *location);

/* One-sided p of "other lies above reference by `limit` at most". Sorted. Returns 0 or ENOMEM. */
int lauka_rank_sum_above(const double *reference, size_t reference_count, const double *other,
                         size_t other_count, double limit, double *p);

/* For values of rounds, by ranks among all of them: estimate and interval are from lauka_locate_rank_sum, but
 * U has its distribution when the two values of each round are exchanged at random, whatever rounds have in
 * common. If ranks within rounds are similar (intraclass correlation above 1/4), signed ranks detect more,
 * and nothing is set. Neither this nor the distribution depends on the sides of the values. limit: *p_above
 * is one-sided, of "other lies above by `limit` at most". At least one round. Returns 0 or ENOMEM. */
int lauka_locate_pooled(const double *reference, const double *other, size_t count, double alpha,
                        struct lauka_optional limit, struct lauka_location *location,
                        struct lauka_optional *p_above);

/* The mean with Student's interval. False if it has none: one value, or all equal. */
bool lauka_locate_paired_t(const struct lauka_differences *differences, double alpha,
                           struct lauka_location *location);
double lauka_paired_t_above(const struct lauka_differences *differences, double limit);
double lauka_differences_mean(const struct lauka_differences *differences);
/* The sum of squared distances from `center`. */
double lauka_differences_squares(const struct lauka_differences *differences, double center);

/* ---- contrast.c --------------------------------------------------------------------------- */

/* (mean other - mean reference) / pooled stddev. Cohen 1988. Two equal constants have d = 0; two
 * different ones have none. */
struct lauka_optional lauka_cohens_d(const struct lauka_moments *reference,
                                     const struct lauka_moments *other);

/* ---- compare.c: two series, paired by round or not ------------------------------------------- */

/* Of all values in each of two series. */
struct lauka_medians {
    double reference, other;
};

/* How a metric's values were recorded, and so what equal ones mean. */
enum lauka_grain {
    LAUKA_GRAIN_COUNT, /* integers by nature: a constant is exact */
    LAUKA_GRAIN_CLOCK, /* steps of a clock with a random phase */
    LAUKA_GRAIN_TEXT,  /* rounded to the decimals of a text */
    LAUKA_GRAIN_BINS,  /* the middles of a histogram's buckets; unpaired only */
    LAUKA_GRAIN_LOGS,  /* each is a figure of one log, such as its median: compares means of logs */
};

struct lauka_comparison_options {
    double alpha;     /* 1 - confidence, above 0 and below 1: LAUKA_ALPHA_... of verdict.c */
    double precision; /* w, a share: differences up to it do not matter; 0.01 */
    bool unpaired;    /* the lengths may differ; skips missing values on each side */
    bool repeatable;  /* the values are known to be constant: one pair is enough */
    enum lauka_grain grain;
    double bins;      /* for the last two grains: half a bucket as a share of its values, at most */
    bool differences; /* of rounds, in the metric's unit, even if there are ratios */
    struct lauka_optional
        limit; /* tau of a gate: judges a rise by more than this share, or difference */
    const struct lauka_turns *turns;     /* of two commands (crossover.h); NULL: not known */
    const struct lauka_units *units;     /* (units.h); NULL: each round is one. Paired only */
    const struct lauka_medians *medians; /* NULL: to be computed, as also if values are missing */
};

/* What `ratio`, `low` and `high` of a comparison mean. */
enum lauka_method {
    LAUKA_METHOD_NONE,           /* at most an estimate; no interval */
    LAUKA_METHOD_HODGES_LEHMANN, /* of the rounds' log ratios, with the signed-rank interval */
    LAUKA_METHOD_POOLED,   /* Hodges-Lehmann over all pairs; interval by exchanges within rounds */
    LAUKA_METHOD_PAIRED_T, /* the same estimate, but the mean's interval: too few rounds for ranks
                            * and for a verdict */
    LAUKA_METHOD_EXACT,    /* both sides constant: exact, apart from rounding */
    LAUKA_METHOD_UNPAIRED, /* Hodges-Lehmann over all pairs, with the rank-sum interval */
    LAUKA_METHOD_MEAN,     /* the ratio of means, or their difference if there are zeros, with
                         * Student's interval (means.h): values come in coarse steps */
    LAUKA_METHOD_HOSTS, /* the mean of the hosts' estimates, with Student's interval: see units.h */
};

enum lauka_verdict {
    LAUKA_VERDICT_NONE, /* not judged: nothing to compare */
    LAUKA_VERDICT_IDENTICAL,
    LAUKA_VERDICT_HIGHER, /* the interval lies above no change */
    LAUKA_VERDICT_LOWER,
    LAUKA_VERDICT_EQUIVALENT, /* it contains no change, and nothing beyond the precision */
    LAUKA_VERDICT_INCONCLUSIVE,
};

/* Series `other` compared with `reference`. Every ratio is other / reference, every difference is
 * other - reference. If a value is zero there is no ratio; `difference` and its ends are known
 * instead, in the metric's unit. Swapping the series mirrors log_ratio, log_low and log_high, the
 * differences, cohens_d and hedges_g, and keeps p and the verdict, with lower for higher: bit for
 * bit, except for ratios of means. */
struct lauka_comparison {
    uint64_t pairs; /* rounds measured in both; all other rounds are ignored. Unpaired: the smaller
                     * of the two counts */
    uint64_t
        units; /* independent values that the interval is made of: `pairs`, if they share none */
    struct lauka_optional within,
        between; /* standard deviations of what is estimated, of rounds of one unit and of units */
    uint64_t reference_count, other_count;  /* values compared; if paired, both are `pairs` */
    struct lauka_optional ratio, low, high; /* the estimate and its interval: exp of these: */
    struct lauka_optional log_ratio, log_low, log_high;
    struct lauka_optional difference, difference_low, difference_high;
    struct lauka_optional half_width; /* of the interval, as a share of the reference */
    struct lauka_optional p;          /* two-sided; if paired, at most 1 - confidence exactly if the
                                       * interval excludes no change */
    struct lauka_optional p_above;    /* one-sided, of "risen by `limit` at most"; at most alpha / 2
                                       * if the interval lies above */
    double confidence;                /* of the interval; 0 if there is none */
    enum lauka_method method;
    bool paired; /* compares values of the same round */
    enum lauka_verdict verdict;
    bool below_precision; /* higher or lower, but the interval has nothing beyond the precision */
    bool withdrawn;       /* `verdict` was higher or lower, but not significant in its family */
    uint64_t family;      /* number of tests in its family; 0: no family */
    double reference_mean, other_mean;
    struct lauka_optional mean_ratio, median_ratio, min_ratio; /* printed; but see mean_doubted */
    struct lauka_optional mean_low, mean_high; /* of mean_ratio, by Fieller: see means.h */
    bool means_differ; /* by more than the precision, by that interval or by far values */
    struct lauka_optional run_to_run;    /* half_width of a withdrawn one: the sides differ */
    bool mean_doubted;                   /* it would be equivalent if the means did not differ */
    struct lauka_optional geomean_ratio; /* of the rounds' ratios; paired only */
    struct lauka_optional cohens_d; /* (mean other - mean reference) / pooled stddev. Cohen 1988 */
    struct lauka_optional hedges_g; /* cohens_d, corrected for small-sample bias. Hedges 1981 */
};

/* Returns 0, or ENOMEM with nothing in the comparison known. The series must have the same length,
 * unless unpaired. Two equal constant series have d = 0; two different ones have none. */
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

/* log(other / reference) or other - reference; mirrored bit for bit when swapped. */
double lauka_contrast_distance(uint64_t reference, uint64_t other, bool as_ratio);
/* For each pair of two series of the same length without missing values. */
void lauka_contrast_distances(const struct lauka_series *reference,
                              const struct lauka_series *other, bool as_ratio, double *distances);

/* Whether both sides are constant, and the result in that case, without any test: from four pairs
 * on, or from one if repeatable values have no more. */
bool lauka_contrast_is_exact(const struct lauka_moments *reference,
                             const struct lauka_moments *other);
void lauka_contrast_exact(const struct lauka_moments *reference, const struct lauka_moments *other,
                          const struct lauka_comparison_options *options,
                          struct lauka_comparison *comparison);

/* Moves both ends of the interval outwards by this much, on the scale on which it was made. */
void lauka_contrast_widen(struct lauka_comparison *comparison, double by);

/* Keeps the estimate, but clears its interval. */
void lauka_contrast_unknow(struct lauka_comparison *comparison);

/* A rise by the limit of the options, on the scale of the comparison. */
double lauka_contrast_limit(const struct lauka_comparison *comparison,
                            const struct lauka_comparison_options *options, bool as_ratio);

void lauka_contrast_put(struct lauka_comparison *comparison, const struct lauka_location *location,
                        enum lauka_method method, double alpha, bool as_ratio);

/* ---- verdict.c ------------------------------------------------------------------------------- */

/* Sets verdict and below_precision from the interval; means_differ, which it never clears, and mean_doubted. */
void lauka_verdict_judge(struct lauka_comparison *comparison, double precision);

/* Whether the interval has too few rounds for a claim. */
bool lauka_verdict_needs_more(const struct lauka_comparison *comparison);

/* Whether an interval lies above a limit (FAIL), below it, or around it: see limit.c. */
enum lauka_gate {
    LAUKA_GATE_INCONCLUSIVE,
    LAUKA_GATE_PASS,
    LAUKA_GATE_FAIL,
};

/* The field's word in JSON: NULL for LAUKA_METHOD_NONE and LAUKA_VERDICT_NONE. */
const char *lauka_method_name(enum lauka_method method);
const char *lauka_verdict_name(enum lauka_verdict verdict);
const char *lauka_gate_name(enum lauka_gate gate);

/* ---- verdict.c: many tests at once ------------------------------------------------------------ */

/* Which tests are significant while the chance of any false one stays below alpha (Holm 1979,
 * section 5: tests with larger weights get more of alpha; NULL: all weigh 1). An unknown p is no
 * test and is not counted: stands[i] is false. Returns the number of tests. */
uint64_t lauka_family_holm(const struct lauka_optional *p, const double *weights, size_t count,
                           double alpha, bool *stands);

/* The fewest rounds that allow a claim at this alpha: ranks must be able to reach it, and at least
 * LAUKA_FEWEST_ROUNDS. */
uint64_t lauka_family_rounds(double alpha);

/* Withdraws a claim of higher or lower and sets `withdrawn`: inconclusive, or equivalent if the interval
 * lies within the precision, because its smallness was never one of the family's claims. */
void lauka_comparison_withdraw(struct lauka_comparison *comparison);

/* The same for comparisons with this alpha: withdraws insignificant claims of higher and lower; each p
 * counts as at least the smallest that ranks of its rounds can reach. weights: as above. `exact` ones
 * always stand, and are not counted. Call it once for all primary metrics of all commands, and once for
 * all others, the exploratory ones. Returns 0, or ENOMEM without any judgement. */
int lauka_family_judge(struct lauka_comparison *const *comparisons, const double *weights,
                       size_t count, double alpha);

/* ---- verdict.c: when enough is known -------------------------------------------------------- */

/* Looks are at n = 10, 12, 15, 18, 22, 27 ... rounds (n <- ceil(1.2 n)). Stopping at a look costs
 * confidence, so each has 97 %: all together then keep the promise of 95 %. */
#define LAUKA_ALPHA_FIXED 0.05       /* -r N, or the whole budget: no look chose n */
#define LAUKA_ALPHA_LOOK 0.03        /* at every look, and in the result of a run with looks */
#define LAUKA_ALPHA_INTERRUPTED 0.01 /* the user chose n */

/* A gate may wrongly fail in at most 1 of 200 cases, with any noise: one side of its interval. For
 * one look 99 % ensure this; with looks until a decision, 99.9 % at each of them ensure it for 400
 * rounds (simulated: 0.41 % at 200, 0.61 % at 1000), while 99 % would fail 3.4 % at 200. */
#define LAUKA_ALPHA_GATE 0.01
#define LAUKA_ALPHA_GATE_LOOK 0.001

enum { LAUKA_FIRST_LOOK = 10 };

/* The first look at more than `rounds` rounds: 10 for 0, 12 for 10 and 11. */
uint64_t lauka_stopping_next_look(uint64_t rounds);

/* The reason to stop, from one comparison or all together. */
enum lauka_stopping {
    LAUKA_STOPPING_NOT,       /* not precise enough */
    LAUKA_STOPPING_EXACT,     /* constant on both sides: more rounds would add nothing */
    LAUKA_STOPPING_PRECISION, /* half-width <= precision */
    LAUKA_STOPPING_EFFECT,    /* the estimate is at least two half-widths away from no change */
};

/* precision: --until, a share; 0 always gives LAUKA_STOPPING_NOT. Call it only at looks, for
 * comparisons with LAUKA_ALPHA_LOOK. It never depends on significance. */
enum lauka_stopping lauka_stopping_reason(const struct lauka_comparison *comparison,
                                          double precision);

/* For the primary metrics of all commands: NOT if one is not settled; otherwise EFFECT, PRECISION
 * or EXACT, the first of these that occurred. NOT for none. */
enum lauka_stopping lauka_stopping_reason_all(const struct lauka_comparison *const *comparisons,
                                              size_t count, double precision);

/* The factor by which rounds, and so time, would have to grow for all to have the precision: the
 * largest (half-width / precision)^2, at least 1. Not known without an interval, or if precision is
 * 0. */
struct lauka_optional lauka_stopping_factor(const struct lauka_comparison *const *comparisons,
                                            size_t count, double precision);

/* ---- paired_log.c: a long session's log ratios in bounded memory ----------------------------- */

/* Counts d = log(other / reference) in bins: |d| < 1/4 in steps of 2^-14, beyond that 512 steps per
 * octave, up to the largest possible distance of two 64-bit values, so every pair has a bin. A pair
 * stands for its bin's middle, at most half a step away. Zero is a middle; swapping mirrors all. */
enum { LAUKA_PAIRED_LOG_HALF = 8192 };

struct lauka_paired_log {
    uint64_t count;           /* pairs in bins */
    uint64_t zeros;           /* pairs with a zero, which have no ratio and no bin */
    uint64_t lost;            /* pairs that exceeded their bin's 32 bits, or found no memory */
    struct lauka_sparse bins; /* 2 * HALF; negative ones first, mirrored; up to UINT32_MAX each */
    struct lauka_moments reference, other; /* of the values of all pairs, exact */
};

void lauka_paired_log_init(struct lauka_paired_log *log);
void lauka_paired_log_done(struct lauka_paired_log *log);

/* Adds one round measured in both. */
void lauka_paired_log_add(struct lauka_paired_log *log, uint64_t reference, uint64_t other);

/* In two steps, only the first of which allocates. *bin: its counter; NULL: it has no ratio. 0 or ENOMEM. */
int lauka_paired_log_reach(struct lauka_paired_log *log, uint64_t reference, uint64_t other,
                           uint64_t **bin);
void lauka_paired_log_add_to(struct lauka_paired_log *log, uint64_t reference, uint64_t other,
                             uint64_t *bin);

/* Adds every pair of `from` to `into`. */
void lauka_paired_log_merge(struct lauka_paired_log *into, const struct lauka_paired_log *from);

/* Like lauka_compare for the same rounds: log_ratio, log_low and log_high are off by at most half a
 * step; means, minima and effect sizes are exact; there is no median_ratio. With a zero among the
 * values there is no estimate (LAUKA_METHOD_NONE), unless both are constant. 0 or ENOMEM. */
int lauka_compare_streamed(const struct lauka_paired_log *log,
                           const struct lauka_comparison_options *options,
                           struct lauka_comparison *comparison);

/* ---- doubts.c: the middle, whatever a few values do ------------------------------------------ */

struct lauka_robust {
    double median;
    double mad;   /* median absolute deviation from it, unscaled */
    double scale; /* mad; if that is 0, the smallest step between two values; 0 for a constant */
};

/* For sorted values, at least one. */
struct lauka_robust lauka_robust_of(const uint64_t *sorted, size_t count);

/* More than 14.826 `scale` (mad or scale) from the median: 10 deviations of a normal distribution. */
bool lauka_robust_is_outlier(const struct lauka_robust *robust, double scale, uint64_t value);

/* ---- doubts.c: what speaks against trusting the numbers -------------------------------------- */

enum lauka_doubt {
    /* for one series */
    LAUKA_DOUBT_OUTLIERS,        /* share of values over 10 robust deviations from the median */
    LAUKA_DOUBT_FIRST_ROUND,     /* the first value is one of these; its ratio to the median */
    LAUKA_DOUBT_ABOVE_MINIMUM,   /* mean / minimum */
    LAUKA_DOUBT_DRIFT,           /* median of the last third / median of the first */
    LAUKA_DOUBT_AUTOCORRELATION, /* between neighbouring rounds, 0 ... 1 */
    LAUKA_DOUBT_TWO_MODES,       /* upper mode / lower mode */
    /* for wall time, from other data of the system */
    LAUKA_DOUBT_WAITED, /* share of the time in which the main thread waited for a CPU */
    LAUKA_DOUBT_STOLEN, /* share of the CPUs' time that a hypervisor gave to others */
    /* for counts, from what the command did */
    LAUKA_DOUBT_LEFT_BEHIND, /* share of the runs that left processes behind */
    LAUKA_DOUBT_UNWATCHED,   /* 1: a program that it starts cannot be counted */
    /* for a comparison */
    LAUKA_DOUBT_TAILS,    /* mean ratio, which lies outside the interval */
    LAUKA_DOUBT_POSITION, /* how much longer `other` takes after the reference; a ratio */
    /* for a comparison in wall time and the same in CPU time */
    LAUKA_DOUBT_BUSY, /* how many times wider the interval in wall time is */
    /* for a comparison in time with equal instructions, from other counts */
    LAUKA_DOUBT_PLACEMENT, /* ratio of minor faults: files may lie differently in the page cache */
    LAUKA_DOUBT_LAYOUT,    /* ratio of times: code may lie elsewhere in the program */
    LAUKA_DOUBT_COUNT
};

/* The number of each doubt that has one: known means raised. */
struct lauka_doubts {
    struct lauka_optional raised[LAUKA_DOUBT_COUNT];
};

/* For one series in run order; sets the first six and clears no others. precision: a share that is
 * no difference, so no drift. Returns 0 or ENOMEM. */
int lauka_doubts_of_series(const struct lauka_series *series, double precision,
                           struct lauka_doubts *doubts);

/* For two series paired by round. order: command indices in running order, `commands` per round;
 * NULL if not known. Sets the doubt on position. Returns 0 or ENOMEM. */
int lauka_doubts_of_order(const struct lauka_series *reference, const struct lauka_series *other,
                          const uint32_t *order, size_t commands, uint32_t reference_index,
                          uint32_t other_index, struct lauka_doubts *doubts);

/* precision: as in the comparison's options. The compared series, or NULL if their values were not
 * kept; sets the doubt on tails. */
void lauka_doubts_of_comparison(const struct lauka_comparison *comparison,
                                const struct lauka_series *reference,
                                const struct lauka_series *other, double precision,
                                struct lauka_doubts *doubts);

/* For the same two commands in wall time and in CPU time; sets the doubt on a busy machine. */
void lauka_doubts_of_times(const struct lauka_comparison *wall, const struct lauka_comparison *cpu,
                           double precision, struct lauka_doubts *doubts);

/* ---- quantile_interval.c: which of n sorted values enclose a quantile ---------------------------------- */

/* X is the number of `count` values up to the quantile p. */
struct lauka_binomial {
    uint64_t count;
    double *up_to; /* owned; P(X <= k) for k = 0 ... count */
    double *from;  /* owned; P(X >= k) */
};

/* 0 < p < 1. Returns 0 or ENOMEM. */
int lauka_binomial_init(struct lauka_binomial *binomial, uint64_t count, double p);
void lauka_binomial_done(struct lauka_binomial *binomial);

/* The largest rank, from 1 on, whose value lies above the quantile with at most this risk; 0: none.
 * The smallest whose value lies below it with at most this risk; count + 1: none. */
uint64_t lauka_binomial_lower(const struct lauka_binomial *binomial, double risk);
uint64_t lauka_binomial_upper(const struct lauka_binomial *binomial, double risk);

/* The fewest values for which both exist. 0 < p < 1. */
uint64_t lauka_quantile_values_needed(double p, double risk);

/* ---- random.c: few bits that stand for a text ----------------------------------------------------- */

/* FNV-1a of the bytes, 64 bits (Fowler, Noll, Vo and Eastlake, RFC 9923). `hash` is LAUKA_HASH, or
 * the hash of what comes before. An attacker who chooses the bytes can make two that collide. */
#define LAUKA_HASH UINT64_C(0xcbf29ce484222325)
uint64_t lauka_hash(uint64_t hash, const void *bytes, size_t size);

/* The same for a text, which is not NULL, and its final 0, so that "a", "bc" differs from "ab", "c". */
uint64_t lauka_hash_text(uint64_t hash, const char *text);

#include "limit.h"     /* limits; needs the above */
#include "histogram.h" /* histograms; needs the above */

#endif
