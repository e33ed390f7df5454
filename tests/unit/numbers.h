/* Series, and helpers that compare numbers, for the tests of stats. */
#ifndef LAUKA_TESTS_NUMBERS_H
#define LAUKA_TESTS_NUMBERS_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/stats.h"
#include "tests/unit/expect.h"

/* For a fixed number of rounds: 95 % confidence, and changes within 1 % do not matter. */
static const struct lauka_comparison_options fixed = {.alpha = 0.05, .precision = 0.01};

static inline struct lauka_series series_of(const uint64_t *values, size_t count)
{
    struct lauka_series series = {0};
    if (lauka_series_reserve(&series, count) != 0)
        abort();
    for (size_t i = 0; i < count; i++)
        lauka_series_add(&series, values[i]);
    return series;
}

static inline struct lauka_summary summary_of(const uint64_t *values, size_t count)
{
    struct lauka_summary summary;
    struct lauka_series series = series_of(values, count);
    EXPECT(lauka_summarize(&series, &summary) == 0);
    lauka_series_done(&series);
    return summary;
}

static inline struct lauka_comparison comparison_of(const uint64_t *reference,
                                                    const uint64_t *other, size_t count)
{
    struct lauka_comparison comparison;
    struct lauka_series a = series_of(reference, count), b = series_of(other, count);
    EXPECT(lauka_compare(&a, &b, &fixed, &comparison) == 0);
    lauka_series_done(&a);
    lauka_series_done(&b);
    return comparison;
}

static inline struct lauka_comparison compared(const uint64_t *reference, size_t reference_count,
                                               const uint64_t *other, size_t other_count,
                                               const struct lauka_comparison_options *options)
{
    struct lauka_comparison comparison;
    struct lauka_series a = series_of(reference, reference_count);
    struct lauka_series b = series_of(other, other_count);
    EXPECT(lauka_compare(&a, &b, options, &comparison) == 0);
    lauka_series_done(&a);
    lauka_series_done(&b);
    return comparison;
}

static inline struct lauka_moments moments_of(const uint64_t *values, size_t count)
{
    struct lauka_moments moments;
    lauka_moments_init(&moments);
    for (size_t i = 0; i < count; i++)
        lauka_moments_add(&moments, values[i]);
    return moments;
}

/* Compares field by field: the struct may have padding, whose bytes mean nothing. */
static inline bool same_moments(const struct lauka_moments *a, const struct lauka_moments *b)
{
    return a->count == b->count && a->min == b->min && a->max == b->max && a->sum == b->sum &&
           a->sum_of_squares == b->sum_of_squares && a->squares_carry == b->squares_carry;
}

/* Whether two numbers and their signs are equal: 0 and -0 differ here. */
static inline bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static inline bool same_optional(struct lauka_optional a, struct lauka_optional b)
{
    return a.known == b.known && same_bits(a.value, b.value);
}

static inline bool unknown(struct lauka_optional optional)
{
    return !optional.known && same_bits(optional.value, 0);
}

static inline bool exactly(struct lauka_optional optional, double value)
{
    return optional.known && same_bits(optional.value, value);
}

static inline bool near(double actual, double expected, double relative)
{
    return fabs(actual - expected) <= relative * fabs(expected);
}

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* Compares two doubles, for qsort. */
static inline int ascending(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Values like a command's times: about 10 ms, spread by a few per cent, with occasional outliers. */
static inline void fill_with_times(struct lauka_random *random, uint64_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        values[i] = 10000000 + lauka_random_below(random, 300000);
        if (lauka_random_below(random, 20) == 0)
            values[i] *= 2;
    }
}

#endif
