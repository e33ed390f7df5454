/* lauka_compare.h: whether two series of measurements differ, by how much, and how sure that is. For C99 and
 * C++11, of liblauka (pkg-config lauka).
 *
 *     struct lauka_compare_result result;
 *     lauka_compare_values(before, 100, after, 100, NULL, &result);
 *     if (result.verdict == LAUKA_COMPARE_HIGHER && result.ratio.known)
 *         printf("%.1f %% more\n", 100 * (result.ratio.value - 1));
 *
 * The arithmetic is that of `lauka compare` (docs/statistics.md): signed ranks where values are paired, rank sums where
 * they are not, Student's t where rounds are few. Its least numbers hold for rounds, constants and limits, but not those
 * of processes, layouts, hosts and logs: all values count as independent, whatever they share, and several calls are no
 * family. Every ratio is other / reference, every difference is other - reference.
 *
 * All functions are pure: any thread may call them at any time. They return 0 or an errno: EINVAL for
 * arguments that cannot be compared, ENOMEM; then nothing in the result is known. Arrays are borrowed. */
#ifndef LAUKA_COMPARE_H
#define LAUKA_COMPARE_H

#include "lauka_histogram.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* ---- two series -------------------------------------------------------------------------------- */

/* A value that was not measured in its round; the round is left out. It is not a zero. */
#define LAUKA_COMPARE_MISSING UINT64_MAX

/* What may be undefined: a ratio to zero, an interval of one value. */
struct lauka_compare_number {
    int known;
    double value; /* 0 where not known */
};

struct lauka_compare_options {
    double confidence; /* of the intervals, between 0 and 1; 0: 0.95 */
    double precision;  /* a share: no difference up to it matters; 0: 0.01 */
    /* Values of one index do not belong together; their numbers may differ. Pairing is right only for values
     * that were measured side by side, in turns. Two arrays that were measured one after the other, or sorted,
     * are unpaired: paired, equal ones would differ in up to two of three comparisons. */
    int unpaired;
};

enum lauka_compare_verdict {
    LAUKA_COMPARE_NONE,         /* there is nothing to compare */
    LAUKA_COMPARE_IDENTICAL,    /* both sides are one constant */
    LAUKA_COMPARE_HIGHER,       /* other is: the interval lies above no change */
    LAUKA_COMPARE_LOWER,        /* the same below */
    LAUKA_COMPARE_EQUIVALENT,   /* nothing beyond the precision lies in the interval */
    LAUKA_COMPARE_INCONCLUSIVE, /* both a change and none could be; measure longer */
};

struct lauka_compare_result {
    enum lauka_compare_verdict verdict;
    uint64_t pairs; /* rounds that were compared; unpaired: values of the side that has fewer */
    struct lauka_compare_number ratio, ratio_low, ratio_high; /* the estimate and its interval */
    /* Given instead of the ratio if a value is zero; in the unit of the values. */
    struct lauka_compare_number difference, difference_low, difference_high;
    struct lauka_compare_number p; /* two-sided, of no change */
    double confidence;             /* of the interval; 0 where there is none */
    const char
        *method; /* static, as in JSON: "hodges_lehmann", "paired_t", "exact" ...; "": none */
    double reference_mean, other_mean;    /* in the unit of the values; they decide nothing */
    struct lauka_compare_number cohens_d; /* difference of the means in standard deviations */
    struct lauka_compare_number hedges_g; /* the same without its bias for few values */
};

/* Values in any unit, in the order in which they were measured. Value i of both sides was measured in round i, unless they
 * are unpaired. options NULL: all of them 0. EINVAL: paired values whose numbers differ, or impossible options. */
LAUKA_API int lauka_compare_values(const uint64_t *reference, size_t reference_count,
                                   const uint64_t *other, size_t other_count,
                                   const struct lauka_compare_options *options,
                                   struct lauka_compare_result *result);

/* The same for doubles, finite and not negative; they are compared to fifteen digits of the greatest of
 * all. NaN is a value that was not measured. EINVAL also for negative and infinite values. */
LAUKA_API int lauka_compare_doubles(const double *reference, size_t reference_count,
                                    const double *other, size_t other_count,
                                    const struct lauka_compare_options *options,
                                    struct lauka_compare_result *result);

/* "higher", "equivalent"; "none". Static. */
LAUKA_API const char *lauka_compare_verdict_name(enum lauka_compare_verdict verdict);

/* ---- percentiles of two histograms ------------------------------------------------------------- */

struct lauka_compare_span {
    struct lauka_compare_number value, low, high; /* in the unit of the values */
};

struct lauka_compare_tail {
    enum lauka_compare_verdict verdict; /* from the interval of the difference */
    struct lauka_compare_span reference, other, difference;
};

/* The percentile of both, and how far they are apart, with intervals that include the width of buckets.
 * Values are assumed to be independent: for latencies that come in waves, the intervals are too narrow.
 * percent: above 0 and below 100, otherwise EINVAL. If too few values lie beyond the percentile, there is
 * no interval and the verdict is inconclusive. options->unpaired is ignored. */
LAUKA_API int lauka_compare_percentile(const struct lauka_hdr *reference,
                                       const struct lauka_hdr *other, double percent,
                                       const struct lauka_compare_options *options,
                                       struct lauka_compare_tail *tail);

/* ---- limits ------------------------------------------------------------------------------------ */

struct lauka_compare_limit {
    double share;    /* of the reference: 0.02 is a rise by 2 %; 0: not a share */
    double absolute; /* in the unit of the values; 0: no. With both, both have to be exceeded */
    double percent;  /* judges this percentile; 0: what a typical round costs */
    int falls;       /* less is worse: how far it fell is judged */
};

enum lauka_compare_judgement {
    LAUKA_COMPARE_UNDECIDED, /* the limit lies within the interval, or values are too few */
    LAUKA_COMPARE_PASS,      /* it is certain that the limit is held */
    LAUKA_COMPARE_FAIL,      /* it is certain that it is exceeded */
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
