/* lauka_compare.h: whether two series of measurements differ, by how much, and with what certainty. For C99 and
 * C++11; part of liblauka (pkg-config lauka).
 *
 *     struct lauka_compare_result result;
 *     lauka_compare_values(before, 100, after, 100, NULL, &result);
 *     if (result.verdict == LAUKA_COMPARE_HIGHER && result.ratio.known)
 *         printf("%.1f %% more\n", 100 * (result.ratio.value - 1));
 *
 * It computes as `lauka compare` does (docs/statistics.md): signed ranks for paired values, rank sums for unpaired
 * ones, Student's t for few rounds. The same minimums apply to rounds, constants and limits, but not the minimums for
 * processes, layouts, hosts and logs: all values count as independent, whatever they share, and calls form no
 * family. Every ratio is other / reference; every difference is other - reference.
 *
 * All functions are pure: any thread may call them at any time. They return 0 or an errno: ENOMEM, or EINVAL if the
 * arguments cannot be compared; on errors nothing in the result is known. Arrays are borrowed. */
#ifndef LAUKA_COMPARE_H
#define LAUKA_COMPARE_H

#include "lauka_histogram.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* ---- two series -------------------------------------------------------------------------------- */

/* Marks a value that was not measured; its round is left out. It is not a zero. */
#define LAUKA_COMPARE_MISSING UINT64_MAX

/* A number that may be undefined, such as a ratio to zero or an interval of one value. */
struct lauka_compare_number {
    int known;
    double value; /* 0 if not known */
};

struct lauka_compare_options {
    double confidence; /* of the intervals, between 0 and 1; 0: 0.95 */
    double precision;  /* a share: differences up to it do not matter; 0: 0.01 */
    /* Values with the same index do not belong together; the sides may have different numbers of values. Pair
     * only values that were measured side by side, in turns. Arrays that were measured one after the other,
     * or sorted, are unpaired: if paired, equal ones would differ in up to two of three comparisons. */
    int unpaired;
};

enum lauka_compare_verdict {
    LAUKA_COMPARE_NONE,         /* there is nothing to compare */
    LAUKA_COMPARE_IDENTICAL,    /* both sides are one constant */
    LAUKA_COMPARE_HIGHER,       /* other is higher: the interval lies above no change */
    LAUKA_COMPARE_LOWER,        /* other is lower: the interval lies below no change */
    LAUKA_COMPARE_EQUIVALENT,   /* nothing beyond the precision lies in the interval */
    LAUKA_COMPARE_INCONCLUSIVE, /* a change and no change are both possible; measure longer */
};

struct lauka_compare_result {
    enum lauka_compare_verdict verdict;
    uint64_t pairs; /* rounds compared; if unpaired: values of the shorter side */
    struct lauka_compare_number ratio, ratio_low, ratio_high; /* the estimate and its interval */
    /* Given instead of the ratio if a value is zero. In the unit of the values. */
    struct lauka_compare_number difference, difference_low, difference_high;
    struct lauka_compare_number p; /* two-sided p-value of no change */
    double confidence;             /* of the interval; 0 if there is none */
    const char
        *method; /* static, as in JSON: "hodges_lehmann", "paired_t", "exact" ...; "": none */
    double reference_mean, other_mean;    /* in the unit of the values; the verdict ignores them */
    struct lauka_compare_number cohens_d; /* difference of the means in standard deviations */
    struct lauka_compare_number hedges_g; /* the same, corrected for the bias of small samples */
};

/* Values in any unit, in the order of measurement. Value i of each side was measured in round i, unless they are
 * unpaired. options NULL: all 0. EINVAL: paired sides with different numbers of values, or impossible options. */
LAUKA_API int lauka_compare_values(const uint64_t *reference, size_t reference_count,
                                   const uint64_t *other, size_t other_count,
                                   const struct lauka_compare_options *options,
                                   struct lauka_compare_result *result);

/* The same for doubles, which are finite and not negative; they are compared to fifteen digits of the largest
 * value. NaN marks a value that was not measured. EINVAL also for negative and infinite values. */
LAUKA_API int lauka_compare_doubles(const double *reference, size_t reference_count,
                                    const double *other, size_t other_count,
                                    const struct lauka_compare_options *options,
                                    struct lauka_compare_result *result);

/* "higher", "equivalent", "none" and so on. Static. */
LAUKA_API const char *lauka_compare_verdict_name(enum lauka_compare_verdict verdict);

/* ---- percentiles of two histograms ------------------------------------------------------------- */

struct lauka_compare_span {
    struct lauka_compare_number value, low, high; /* in the unit of the values */
};

struct lauka_compare_tail {
    enum lauka_compare_verdict verdict; /* from the interval of the difference */
    struct lauka_compare_span reference, other, difference;
};

/* Compares a percentile of both histograms, with intervals that include the width of the buckets. It
 * assumes that values are independent: for latencies that come in waves, the intervals are too narrow.
 * percent: above 0 and below 100, otherwise EINVAL. If too few values lie beyond the percentile, there
 * is no interval and the verdict is inconclusive. options->unpaired is ignored. */
LAUKA_API int lauka_compare_percentile(const struct lauka_hdr *reference,
                                       const struct lauka_hdr *other, double percent,
                                       const struct lauka_compare_options *options,
                                       struct lauka_compare_tail *tail);

/* ---- limits ------------------------------------------------------------------------------------ */

struct lauka_compare_limit {
    double share;    /* of the reference: 0.02 is a rise by 2 %; 0: no relative limit */
    double absolute; /* in the unit of the values; 0: none. With both, both must be exceeded */
    double percent;  /* the percentile to judge; 0: the cost of a typical round */
    int falls;       /* less is worse: judge the fall */
};

enum lauka_compare_judgement {
    LAUKA_COMPARE_UNDECIDED, /* the interval contains the limit, or there are too few values */
    LAUKA_COMPARE_PASS,      /* the limit is certainly held */
    LAUKA_COMPARE_FAIL,      /* the limit is certainly exceeded */
};

/* Whether other is worse than reference by more than the limit, as `lauka gate` judges: with a confidence
 * of 0.99 unless options give another. needed: the fewest rounds that allow a verdict; may be NULL.
 * EINVAL: neither a share nor an absolute limit, a negative limit, an impossible percentile, and as above. */
LAUKA_API int lauka_compare_gate(const uint64_t *reference, size_t reference_count,
                                 const uint64_t *other, size_t other_count,
                                 const struct lauka_compare_options *options,
                                 const struct lauka_compare_limit *limit,
                                 enum lauka_compare_judgement *verdict, uint64_t *needed);

#if defined(__cplusplus)
}
#endif

#endif
