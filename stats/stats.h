/* stats: the arithmetic of lauka. Depends on libm only; pure: it never prints, never exits, never
 * looks at a clock. Functions that can fail return 0 or an errno. No NaN and no infinity leaves
 * this folder: what is not defined is an optional that is not known. */
#ifndef LAUKA_STATS_H
#define LAUKA_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A number that may be undefined: a ratio to zero, a deviation of one value. */
struct lauka_optional {
    bool known;
    double value; /* 0 where not known */
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

/* ---- moments.c: exact count, sum and sum of squares; merging is addition, in any order ------- */

__extension__ typedef unsigned __int128 lauka_uint128;

/* Of integers. The sums are modulo 2^128 and are centred only at the end, modulo 2^128 as well:
 * the variance is exact as long as sum((v - mean)^2) < 2^128, even where sum(v^2) has wrapped. */
struct lauka_moments {
    uint64_t count;
    uint64_t min; /* UINT64_MAX while count is 0 */
    uint64_t max; /* 0 while count is 0 */
    lauka_uint128 sum;
    lauka_uint128 sum_of_squares;
};

void lauka_moments_init(struct lauka_moments *moments);
void lauka_moments_add(struct lauka_moments *moments, uint64_t value);

/* As if every value of `from` had been added to `into`. The same bits in any order. */
void lauka_moments_merge(struct lauka_moments *into, const struct lauka_moments *from);

/* 0 for no values. */
double lauka_moments_mean(const struct lauka_moments *moments);

/* Unbiased variance (n - 1 below). Known for two values and more, unless the values lie so far
 * apart that sum((v - mean)^2) may have reached 2^128. */
struct lauka_optional lauka_moments_variance(const struct lauka_moments *moments);

/* ---- series.c: the values of one metric of one command, in run order ------------------------- */

/* The place of a value that was not measured in its round. A value not measured is not a zero. */
#define LAUKA_MISSING UINT64_MAX

struct lauka_series {
    uint64_t *values; /* owned; values[i] is of round i, in the metric's unit, or LAUKA_MISSING */
    size_t count;
    size_t capacity;
};

/* Makes room for `capacity` values in all; never shrinks. ENOMEM leaves the series as it was. */
int lauka_series_reserve(struct lauka_series *series, size_t capacity);

/* Appends; never allocates. There must be room: reserve first. */
void lauka_series_add(struct lauka_series *series, uint64_t value);

/* Frees the values; a zeroed series is empty and may be given here. */
void lauka_series_done(struct lauka_series *series);

/* ---- summary.c: what a series comes to ------------------------------------------------------- */

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

/* Returns 0 or ENOMEM (a sorted copy is needed; the series itself keeps its order). */
int lauka_summarize(const struct lauka_series *series, struct lauka_summary *summary);

/* ---- compare.c: two paired series ------------------------------------------------------------ */

/* What `ratio`, `low` and `high` of a comparison are. */
enum lauka_method {
    LAUKA_METHOD_NONE,
};

enum lauka_verdict {
    LAUKA_VERDICT_NONE, /* not judged */
};

/* Series `other` against `reference`, paired by round. Every ratio is other / reference. */
struct lauka_comparison {
    uint64_t pairs; /* rounds in which both were measured; the others are left out of everything */
    struct lauka_optional ratio, low, high; /* the estimate and its interval */
    struct lauka_optional p;
    double confidence; /* of the interval; 0 where there is none */
    enum lauka_method method;
    enum lauka_verdict verdict;
    struct lauka_optional mean_ratio, median_ratio, min_ratio; /* printed, never deciding */
    struct lauka_optional cohens_d; /* (mean other - mean reference) / pooled stddev. Cohen 1988 */
    struct lauka_optional hedges_g; /* cohens_d without its small-sample bias. Hedges 1981 */
};

/* Returns 0 or ENOMEM; then nothing in the comparison is known. The series must be equally long.
 * Two constant series that are equal have d = 0; two that differ have no d. */
int lauka_compare(const struct lauka_series *reference, const struct lauka_series *other,
                  struct lauka_comparison *comparison);

/* The field's word, as it stands in JSON: NULL for LAUKA_METHOD_NONE and LAUKA_VERDICT_NONE. */
const char *lauka_method_name(enum lauka_method method);
const char *lauka_verdict_name(enum lauka_verdict verdict);

#endif
