/* compare: one series against another, paired by round, because only what ran side by side saw the
 * same machine. */
#include "stats.h"

#include <assert.h>
#include <math.h>

/* The rounds in which both series were measured. */
struct pairs {
    struct lauka_series reference, other; /* owned */
};

static void pairs_done(struct pairs *pairs)
{
    lauka_series_done(&pairs->reference);
    lauka_series_done(&pairs->other);
}

static int pairs_select(struct pairs *pairs, const struct lauka_series *reference,
                        const struct lauka_series *other)
{
    int error = lauka_series_reserve(&pairs->reference, reference->count);
    if (!error)
        error = lauka_series_reserve(&pairs->other, reference->count);
    if (error)
        return error;

    for (size_t i = 0; i < reference->count; i++) {
        if (reference->values[i] == LAUKA_MISSING || other->values[i] == LAUKA_MISSING)
            continue;
        lauka_series_add(&pairs->reference, reference->values[i]);
        lauka_series_add(&pairs->other, other->values[i]);
    }
    return 0;
}

static struct lauka_moments moments_of(const struct lauka_series *series)
{
    struct lauka_moments moments;
    lauka_moments_init(&moments);
    for (size_t i = 0; i < series->count; i++)
        lauka_moments_add(&moments, series->values[i]);
    return moments;
}

static struct lauka_optional ratio(double other, double reference)
{
    if (reference == 0)
        return (struct lauka_optional){0};
    return (struct lauka_optional){true, other / reference};
}

/* From the exact sums: two means near 10^15 differ by less than their doubles can show. */
static double mean_difference(const struct lauka_moments *other,
                              const struct lauka_moments *reference)
{
    double count = (double)reference->count;
    if (other->sum >= reference->sum)
        return (double)(other->sum - reference->sum) / count;
    return -((double)(reference->sum - other->sum) / count);
}

/* Cohen's d with n - 1 below both deviations. Both series have equally many values, so the pooled
 * variance is the plain mean of the two. */
static struct lauka_optional cohens_d(const struct lauka_moments *other,
                                      const struct lauka_moments *reference)
{
    struct lauka_optional here = lauka_moments_variance(other);
    struct lauka_optional there = lauka_moments_variance(reference);
    if (!here.known || !there.known)
        return (struct lauka_optional){0};

    double difference = mean_difference(other, reference);
    double pooled = sqrt((here.value + there.value) / 2);
    if (difference == 0)
        return (struct lauka_optional){true, 0};
    if (pooled == 0)
        return (struct lauka_optional){0};
    return (struct lauka_optional){true, difference / pooled};
}

/* Hedges' exact J = Gamma(df/2) / (sqrt(df/2) Gamma((df-1)/2)) for df = 2 (pairs - 1). As df/2 is a
 * whole number, the quotient of the gammas is a product from Gamma(1) / Gamma(1/2) = 1/sqrt(pi) up:
 * the same bits with every C library, which lgamma would not give, and no loss for many pairs. */
static double hedges_correction(uint64_t pairs)
{
    static const double one_over_sqrt_pi = 0.56418958354775628695;
    double half_df = (double)(pairs - 1);
    double quotient = one_over_sqrt_pi;
    for (double k = 1; k < half_df; k++)
        quotient *= k / (k - 0.5);
    return quotient / sqrt(half_df);
}

static struct lauka_optional hedges_g(struct lauka_optional d, uint64_t pairs)
{
    if (!d.known)
        return d;
    return (struct lauka_optional){true, d.value * hedges_correction(pairs)};
}

static int compare_pairs(const struct pairs *pairs, struct lauka_comparison *comparison)
{
    struct lauka_summary reference, other;
    int error = lauka_summarize(&pairs->reference, &reference);
    if (!error)
        error = lauka_summarize(&pairs->other, &other);
    if (error)
        return error;

    struct lauka_moments reference_moments = moments_of(&pairs->reference);
    struct lauka_moments other_moments = moments_of(&pairs->other);
    comparison->pairs = reference.count;
    comparison->mean_ratio = ratio(other.mean, reference.mean);
    comparison->median_ratio = ratio(other.median, reference.median);
    comparison->min_ratio = ratio((double)other.min, (double)reference.min);
    comparison->cohens_d = cohens_d(&other_moments, &reference_moments);
    comparison->hedges_g = hedges_g(comparison->cohens_d, comparison->pairs);
    return 0;
}

int lauka_compare(const struct lauka_series *reference, const struct lauka_series *other,
                  const struct lauka_comparison_options *options,
                  struct lauka_comparison *comparison)
{
    assert(reference->count == other->count);
    (void)options;

    *comparison = (struct lauka_comparison){.method = LAUKA_METHOD_NONE};
    struct pairs pairs = {0};
    int error = pairs_select(&pairs, reference, other);
    if (!error)
        error = compare_pairs(&pairs, comparison);
    pairs_done(&pairs);
    return error;
}

const char *lauka_method_name(enum lauka_method method)
{
    switch (method) {
    default:
        break;
    }
    return NULL;
}

const char *lauka_verdict_name(enum lauka_verdict verdict)
{
    switch (verdict) {
    default:
        break;
    }
    return NULL;
}
