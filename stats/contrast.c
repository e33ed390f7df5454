/* contrast: the parts of a comparison. First a difference of means in units of the deviation. It describes; nothing is decided by
 * it, because drift widens the deviation and so shrinks it. */
#include "stats/crossover.h"
#include "stats/loops.h"

#include <math.h>

/* From the exact sums: two means near 10^15 differ by less than their doubles can show. */
static double mean_difference(const struct lauka_moments *other,
                              const struct lauka_moments *reference)
{
    double count = (double)reference->count;
    if (other->count == reference->count) {
        if (other->sum >= reference->sum)
            return (double)(other->sum - reference->sum) / count;
        return -((double)(reference->sum - other->sum) / count);
    }
    uint64_t here = (uint64_t)(other->sum / other->count);
    uint64_t there = (uint64_t)(reference->sum / reference->count);
    double whole = here >= there ? (double)(here - there) : -(double)(there - here);
    return whole + ((double)(other->sum % other->count) / (double)other->count -
                    (double)(reference->sum % reference->count) / count);
}

static double pooled_deviation(double here, double there, double here_df, double there_df)
{
    if (here_df == there_df)
        return sqrt((here + there) / 2);
    return sqrt((here_df * here + there_df * there) / (here_df + there_df));
}

struct lauka_optional lauka_cohens_d(const struct lauka_moments *reference,
                                     const struct lauka_moments *other)
{
    struct lauka_optional here = lauka_moments_variance(other);
    struct lauka_optional there = lauka_moments_variance(reference);
    if (!here.known || !there.known)
        return (struct lauka_optional){0};

    double difference = mean_difference(other, reference);
    double pooled = pooled_deviation(here.value, there.value, (double)(other->count - 1),
                                     (double)(reference->count - 1));
    if (difference == 0)
        return lauka_known(0);
    if (pooled == 0)
        return (struct lauka_optional){0};
    return lauka_known(difference / pooled);
}

/* d without its small-sample bias, by the exact factor Gamma(df/2) / (sqrt(df/2) Gamma((df-1)/2)); df = both counts - 2.
 * Hedges 1981. */
static struct lauka_optional hedges_g(struct lauka_optional d, uint64_t df)
{
    if (!d.known)
        return d;
    return lauka_known(d.value * lauka_gamma_step(df - 1) / sqrt((double)df / 2));
}

/* contrast: the parts of a comparison, for whole series and for the summaries that a long session keeps of
 * them. */
enum { BLOCK = 512 };

static struct lauka_optional ratio(double other, double reference)
{
    return reference == 0 ? (struct lauka_optional){0} : lauka_known(other / reference);
}

/* ---- what needs no order ---- */

void lauka_contrast_moments(const struct lauka_moments *reference,
                            const struct lauka_moments *other, struct lauka_comparison *comparison)
{
    comparison->reference_count = reference->count;
    comparison->other_count = other->count;
    comparison->pairs = reference->count < other->count ? reference->count : other->count;
    comparison->units = comparison->pairs;
    if (comparison->pairs == 0)
        return;
    comparison->reference_mean = lauka_moments_mean(reference);
    comparison->other_mean = lauka_moments_mean(other);
    comparison->mean_ratio = ratio(comparison->other_mean, comparison->reference_mean);
    comparison->min_ratio = ratio((double)other->min, (double)reference->min);
    comparison->cohens_d = lauka_cohens_d(reference, other);
    comparison->hedges_g = hedges_g(comparison->cohens_d, reference->count + other->count - 2);
}

/* ---- the scale ---- */

bool lauka_contrast_has_ratios(const struct lauka_moments *reference,
                               const struct lauka_moments *other)
{
    return reference->min > 0 && other->min > 0;
}

static const double near = 1.0 / 16;

/* 2 atanh(x) of |x| <= near, by its series, whose next term is below 2^-60 of it: within one unit of the last
 * place, with the same bits on every system, and several at once. */
static inline double twice_atanh_near(double x)
{
    double z = x * x, tail = 1.0 / 15;
    tail = tail * z + 1.0 / 13;
    tail = tail * z + 1.0 / 11;
    tail = tail * z + 1.0 / 9;
    tail = tail * z + 1.0 / 7;
    tail = tail * z + 1.0 / 5;
    tail = tail * z + 1.0 / 3;
    return 2 * x + 2 * x * z * tail;
}

static double sum_of(uint64_t left, uint64_t right)
{
    uint64_t sum = left + right;
    return sum >= left ? (double)sum : (double)((lauka_uint128)left + right);
}

static double log_distance(uint64_t reference, uint64_t other)
{
    uint64_t low = reference < other ? reference : other;
    uint64_t high = reference < other ? other : reference;
    /* log(h / l) = 2 atanh((h - l) / (h + l)) keeps its digits where h is nearly l, and has the
     * same bits when both are scaled by a power of two. */
    double x = (double)(high - low) / sum_of(high, low);
    double size = x <= near           ? twice_atanh_near(x)
                  : high - low <= low ? 2 * atanh(x)
                                      : log((double)high) - log((double)low);
    return other < reference ? -size : size;
}

double lauka_contrast_distance(uint64_t reference, uint64_t other, bool as_ratio)
{
    if (as_ratio)
        return log_distance(reference, other);
    return other >= reference ? (double)(other - reference) : -(double)(reference - other);
}

/* Returns whether all ratios are near 1. Values of 32 bits and their sums are exact as doubles. */
LAUKA_UNCHECKED static bool log_distances_near(const uint32_t *reference, const uint32_t *other,
                                               size_t count, double *distances)
{
    double greatest = 0;
    for (size_t i = 0; i < count; i++) {
        double from = reference[i], to = other[i];
        double x = (to - from) / (to + from), size = fabs(x);
        greatest = size > greatest ? size : greatest;
        distances[i] = twice_atanh_near(x);
    }
    return greatest <= near;
}

void lauka_contrast_distances(const struct lauka_series *reference,
                              const struct lauka_series *other, bool as_ratio, double *distances)
{
    bool narrow = as_ratio && !reference->wide && !other->wide;
    for (size_t i = 0, end; i < reference->count; i = end) {
        end = reference->count - i < BLOCK ? reference->count : i + BLOCK;
        if (narrow &&
            log_distances_near(reference->narrow + i, other->narrow + i, end - i, distances + i))
            continue;
        for (size_t k = i; k < end; k++)
            distances[k] = lauka_contrast_distance(lauka_series_at(reference, k),
                                                   lauka_series_at(other, k), as_ratio);
    }
}

/* ---- where it lies ---- */

static void put_estimate(struct lauka_comparison *comparison, double estimate, bool as_ratio)
{
    if (as_ratio) {
        comparison->log_ratio = lauka_known(estimate);
        comparison->ratio = lauka_known(exp(estimate));
    } else {
        comparison->difference = lauka_known(estimate);
    }
}

static void put_interval(struct lauka_comparison *comparison, double low, double high,
                         bool as_ratio)
{
    if (as_ratio) {
        comparison->log_low = lauka_known(low);
        comparison->log_high = lauka_known(high);
        comparison->low = lauka_known(exp(low));
        comparison->high = lauka_known(exp(high));
        comparison->half_width = lauka_known((exp(high) - exp(low)) / 2);
    } else {
        comparison->difference_low = lauka_known(low);
        comparison->difference_high = lauka_known(high);
        comparison->half_width = ratio((high - low) / 2, comparison->reference_mean);
    }
}

void lauka_contrast_put(struct lauka_comparison *comparison, const struct lauka_location *location,
                        enum lauka_method method, double alpha, bool as_ratio)
{
    put_estimate(comparison, location->estimate, as_ratio);
    if (!location->low.known)
        return;
    comparison->method = method;
    comparison->confidence = 1 - alpha;
    comparison->p = location->p;
    put_interval(comparison, location->low.value, location->high.value, as_ratio);
}

bool lauka_contrast_is_exact(const struct lauka_moments *reference,
                             const struct lauka_moments *other)
{
    return reference->min == reference->max && other->min == other->max;
}

void lauka_contrast_exact(const struct lauka_moments *reference, const struct lauka_moments *other,
                          const struct lauka_comparison_options *options,
                          struct lauka_comparison *comparison)
{
    bool as_ratio = lauka_contrast_has_ratios(reference, other);
    double always = lauka_contrast_distance(reference->min, other->min, as_ratio);
    struct lauka_location location = {.estimate = always};
    if (comparison->units >= LAUKA_FEWEST_EXACT || options->repeatable)
        location.low = location.high = lauka_known(always);
    lauka_contrast_put(comparison, &location, LAUKA_METHOD_EXACT, options->alpha, as_ratio);
    if (as_ratio)
        comparison->geomean_ratio = lauka_known(exp(always));
}

double lauka_contrast_limit(const struct lauka_comparison *comparison,
                            const struct lauka_comparison_options *options, bool as_ratio)
{
    double limit = options->limit.value;
    return as_ratio               ? log1p(limit)
           : options->differences ? limit
                                  : limit * comparison->reference_mean;
}

static bool put_t(const struct lauka_differences *differences, bool as_ratio,
                  const struct lauka_comparison_options *options, double estimate,
                  struct lauka_comparison *comparison)
{
    struct lauka_location location;
    if (comparison->units < LAUKA_FEWEST_INTERVAL ||
        !lauka_locate_paired_t(differences, options->alpha, &location))
        return false;
    location.estimate = estimate;
    lauka_contrast_put(comparison, &location, LAUKA_METHOD_PAIRED_T, options->alpha, as_ratio);
    if (options->limit.known)
        comparison->p_above = lauka_known(
            lauka_paired_t_above(differences, lauka_contrast_limit(comparison, options, as_ratio)));
    return true;
}

static double rank_above(const struct lauka_differences *differences,
                         const struct lauka_crossover *crossover, double limit)
{
    double p = lauka_signed_rank_above(differences, limit);
    return crossover ? lauka_crossover_above(crossover, limit, p) : p;
}

int lauka_contrast_pairs(const struct lauka_differences *differences,
                         struct lauka_crossover *crossover, bool as_ratio,
                         const struct lauka_comparison_options *options,
                         struct lauka_comparison *comparison)
{
    struct lauka_location location;
    int error = lauka_locate_signed_rank(differences, options->alpha, &location);
    if (error)
        return error;
    if (as_ratio)
        comparison->geomean_ratio = lauka_known(exp(lauka_differences_mean(differences)));
    if (comparison->units < (uint64_t)lauka_location_needed(options->alpha, false) &&
        put_t(differences, as_ratio, options, location.estimate, comparison))
        return 0;
    if (crossover)
        error = lauka_crossover_share(crossover, &location);
    if (error)
        return error;
    lauka_contrast_put(comparison, &location, LAUKA_METHOD_HODGES_LEHMANN, options->alpha,
                       as_ratio);
    if (location.low.known && options->limit.known)
        comparison->p_above = lauka_known(rank_above(
            differences, crossover, lauka_contrast_limit(comparison, options, as_ratio)));
    return 0;
}

void lauka_contrast_widen(struct lauka_comparison *comparison, double by)
{
    if (comparison->log_low.known)
        put_interval(comparison, comparison->log_low.value - by, comparison->log_high.value + by,
                     true);
    else if (comparison->difference_low.known)
        put_interval(comparison, comparison->difference_low.value - by,
                     comparison->difference_high.value + by, false);
}

void lauka_contrast_unknow(struct lauka_comparison *comparison)
{
    const struct lauka_optional none = {0};
    comparison->log_low = comparison->log_high = comparison->low = comparison->high = none;
    comparison->difference_low = comparison->difference_high = comparison->half_width = none;
    comparison->p = comparison->p_above = none;
    comparison->confidence = 0;
    comparison->method = LAUKA_METHOD_NONE;
}
