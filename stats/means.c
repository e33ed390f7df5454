/* means: two sides compared by them. First how far one mean lies from another, by Student's t. If the means differ by the share x, b -
 * a - x a is 0 on average; the x that are not rejected form an interval (Fieller 1954). Unlike the
 * difference divided by the reference's mean, it does not treat that mean as known. */
#include "stats/means.h"
#include "stats/units.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* No digit is lost where all values are large. */
static double mean_of(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 1; i < count; i++)
        sum += values[i] - values[0];
    return values[0] + sum / (double)count;
}

/* Of the mean: sum((x - mean)(y - mean)) / (n - 1) / n. */
static double covariance(const double *left, double left_mean, const double *right,
                         double right_mean, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (left[i] - left_mean) * (right[i] - right_mean);
    return sum / (double)(count - 1) / (double)count;
}

void lauka_mean_ratio_paired(const double *reference, const double *other, size_t count,
                             struct lauka_mean_ratio *means)
{
    double a = mean_of(reference, count), b = mean_of(other, count);
    double var_a = covariance(reference, a, reference, a, count);
    double cov = covariance(reference, a, other, b, count), var_d = 0;
    for (size_t i = 0; i < count; i++) { /* not from the others: digits would be lost */
        double distance = (other[i] - reference[i]) - (b - a);
        var_d += distance * distance;
    }
    *means = (struct lauka_mean_ratio){
        .mean = a,
        .difference = b - a,
        .variance = var_a,
        .difference_variance = var_d / (double)(count - 1) / (double)count,
        .covariance = cov - var_a,
        .df = count - 1,
    };
}

void lauka_mean_ratio_unpaired(const double *reference, size_t reference_count, const double *other,
                               size_t other_count, struct lauka_mean_ratio *means)
{
    double a = mean_of(reference, reference_count), b = mean_of(other, other_count);
    double var_a = covariance(reference, a, reference, a, reference_count);
    double var_b = covariance(other, b, other, b, other_count);
    double sum = var_a + var_b;
    double df = sum > 0 ? sum * sum /
                              (var_a * var_a / (double)(reference_count - 1) +
                               var_b * var_b / (double)(other_count - 1))
                        : 1; /* Welch 1947 */
    *means = (struct lauka_mean_ratio){
        .mean = a,
        .difference = b - a,
        .variance = var_a,
        .difference_variance = sum,
        .covariance = -var_a,
        .df = (uint64_t)fmax(1, floor(df)),
    };
}

static double p_above(double distance, double variance, uint64_t df)
{
    if (!(variance > 0))
        return distance > 0 ? 0 : 1;
    return lauka_student_cdf(-distance / sqrt(variance), df);
}

static double variance_at(const struct lauka_mean_ratio *means, double share)
{
    return means->difference_variance - 2 * share * means->covariance +
           share * share * means->variance;
}

double lauka_mean_ratio_above(const struct lauka_mean_ratio *means, double share)
{
    return p_above(means->difference - share * means->mean, variance_at(means, share), means->df);
}

double lauka_mean_ratio_below(const struct lauka_mean_ratio *means, double share)
{
    return p_above(share * means->mean - means->difference, variance_at(means, share), means->df);
}

double lauka_mean_difference_above(const struct lauka_mean_ratio *means, double limit)
{
    return p_above(means->difference - limit, means->difference_variance, means->df);
}

static double mean_difference_below(const struct lauka_mean_ratio *means, double limit)
{
    return p_above(limit - means->difference, means->difference_variance, means->df);
}

bool lauka_mean_ratio_interval(const struct lauka_mean_ratio *means, double alpha, double *low,
                               double *high)
{
    double t = lauka_student_quantile(alpha / 2, means->df), k = t * t;
    double a = means->mean, d = means->difference, va = means->variance;
    double vd = means->difference_variance, c = means->covariance;
    double square = a * a - k * va; /* of x^2; not above 0: the reference itself may be 0 */
    if (!(square > 0))
        return false;
    double root =
        sqrt(fmax(0, k * (a * a * vd - 2 * a * d * c + d * d * va - k * (va * vd - c * c))));
    double middle = a * d - k * c;
    *low = (middle - root) / square;
    *high = (middle + root) / square;
    return true;
}

void lauka_mean_difference_interval(const struct lauka_mean_ratio *means, double alpha, double *low,
                                    double *high)
{
    double reach = -lauka_student_quantile(alpha / 2, means->df) * sqrt(means->difference_variance);
    *low = means->difference - reach;
    *high = means->difference + reach;
}

/* means: two sides compared by their means: where values come in steps, and beside every typical change. */
/* ---- finding them ------------------------------------------------------------------------------- */

static double *values_of(const struct lauka_series *series, const uint32_t *units, size_t *count)
{
    struct lauka_spread spread;
    double *values = malloc((series->count + 1) * sizeof *values);
    *count = series->count;
    for (size_t i = 0; values && i < series->count; i++)
        values[i] = (double)lauka_series_at(series, i);
    if (!values || !units || lauka_units_collapse(values, units, true, count, &spread) == 0)
        return values;
    free(values);
    return NULL;
}

int lauka_means_find(const struct lauka_series *reference, const struct lauka_series *other,
                     const uint32_t *units, bool unpaired, struct lauka_mean_ratio *means,
                     uint64_t *changed)
{
    size_t left, right;
    double *a = values_of(reference, units, &left), *b = values_of(other, units, &right);
    int error = a && b ? 0 : ENOMEM;
    *means = (struct lauka_mean_ratio){0};
    *changed = UINT64_MAX;
    if (!error && left >= LAUKA_FEWEST_INTERVAL && right >= LAUKA_FEWEST_INTERVAL && unpaired) {
        lauka_mean_ratio_unpaired(a, left, b, right, means);
    } else if (!error && left >= LAUKA_FEWEST_INTERVAL && !unpaired) {
        lauka_mean_ratio_paired(a, b, left, means);
        *changed = 0;
        for (size_t i = 0; i < left; i++)
            *changed += a[i] != b[i];
    }
    free(a);
    free(b);
    return error;
}

void lauka_means_enclose(const struct lauka_mean_ratio *means, struct lauka_comparison *comparison)
{
    double low, high;
    bool varies = means->variance > 0 || means->difference_variance > 0;
    if (means->df == 0 || !varies || !comparison->mean_ratio.known ||
        !lauka_mean_ratio_interval(means, LAUKA_ALPHA_FIXED, &low, &high))
        return;
    comparison->mean_low = lauka_known(1 + low);
    comparison->mean_high = lauka_known(1 + high);
}

/* ---- comparing by them ---------------------------------------------------------------------------- */

/* On the scale of logarithms, or of differences, without what rounding adds. */
static bool enclose(const struct lauka_mean_ratio *means, bool as_ratio, double alpha,
                    struct lauka_location *location)
{
    double low, high;
    location->estimate = as_ratio ? log1p(means->difference / means->mean) : means->difference;
    if (as_ratio && (!lauka_mean_ratio_interval(means, alpha, &low, &high) || low <= -1))
        return false;
    if (!as_ratio)
        lauka_mean_difference_interval(means, alpha, &low, &high);
    location->low = lauka_known(as_ratio ? log1p(low) : low);
    location->high = lauka_known(as_ratio ? log1p(high) : high);
    return true;
}

/* Two-sided, of "they differ by what rounding may have added at most". */
static double p_of(const struct lauka_mean_ratio *means, bool as_ratio, double off)
{
    double above = as_ratio ? lauka_mean_ratio_above(means, expm1(off))
                            : lauka_mean_difference_above(means, off);
    double below =
        as_ratio ? lauka_mean_ratio_below(means, expm1(-off)) : mean_difference_below(means, -off);
    return fmin(1, 2 * fmin(above, below));
}

static double p_beyond(const struct lauka_mean_ratio *means, bool as_ratio, double limit)
{
    return as_ratio ? lauka_mean_ratio_above(means, expm1(limit))
                    : lauka_mean_difference_above(means, limit);
}

static double off_of(const struct lauka_mean_ratio *means, const struct lauka_steps *steps,
                     bool as_ratio)
{
    double a = as_ratio ? means->mean : 1, b = as_ratio ? means->mean + means->difference : 1;
    return steps->reference_off / a + steps->other_off / b;
}

void lauka_means_put(const struct lauka_mean_ratio *means, uint64_t changed,
                     const struct lauka_steps *steps, bool as_ratio,
                     const struct lauka_comparison_options *options,
                     struct lauka_comparison *comparison)
{
    double a = comparison->reference_mean, b = comparison->other_mean;
    struct lauka_location location = {.estimate = as_ratio ? log(b) - log(a) : b - a};
    double off = means->df > 0 ? off_of(means, steps, as_ratio) : 0;
    uint64_t varying = changed < steps->changed ? changed : steps->changed;
    bool constant = !(means->variance > 0) && !(means->difference_variance > 0);
    bool enough =
        constant ? off > 0 && comparison->units >= LAUKA_FEWEST_EXACT
                 : off > 0 || varying >= (uint64_t)lauka_location_needed(options->alpha, false);
    if (means->df > 0 && enough && enclose(means, as_ratio, options->alpha, &location)) {
        location.low.value -= off;
        location.high.value += off;
        location.p = lauka_known(p_of(means, as_ratio, off));
        if (options->limit.known)
            comparison->p_above = lauka_known(p_beyond(
                means, as_ratio, lauka_contrast_limit(comparison, options, as_ratio) + off));
    } else if (as_ratio && options->grain == LAUKA_GRAIN_COUNT && !constant &&
               comparison->units >= (uint64_t)lauka_location_needed(options->alpha, false)) {
        double step =
            steps->width / fmin(a, b); /* a count that hardly ever changes does so by less */
        location.low = lauka_known(fmin(0, location.estimate) - step);
        location.high = lauka_known(fmax(0, location.estimate) + step);
        location.p = lauka_known(1);
    } else {
        location.low = location.high = (struct lauka_optional){0};
    }
    if (constant)
        location.p = comparison->p_above = (struct lauka_optional){0}; /* nothing is tested */
    lauka_contrast_put(comparison, &location, constant ? LAUKA_METHOD_EXACT : LAUKA_METHOD_MEAN,
                       options->alpha, as_ratio);
    if (means->df > 0 && !constant)
        comparison->method = LAUKA_METHOD_MEAN;
}

/* ---- far values ------------------------------------------------------------------------------------ */

static uint64_t count_above(const struct lauka_series *series, double limit)
{
    uint64_t above = 0;
    for (size_t i = 0; i < series->count; i++)
        above += (double)lauka_series_at(series, i) > limit;
    return above;
}

static int pooled_limit(const struct lauka_series *reference, const struct lauka_series *other,
                        double *limit)
{
    size_t count;
    uint64_t *sorted = lauka_steps_pool(reference, other, &count);
    if (!sorted)
        return ENOMEM;
    struct lauka_robust robust = lauka_robust_of(sorted, count);
    *limit = robust.median + 6 * 1.4826 * robust.scale;
    free(sorted);
    return 0;
}

int lauka_means_far(const struct lauka_series *reference, const struct lauka_series *other,
                    bool *differ)
{
    const double rare = 0.01;
    double limit = 0;
    int error = pooled_limit(reference, other, &limit);
    *differ = false;
    if (error)
        return error;
    uint64_t left = count_above(reference, limit), right = count_above(other, limit);
    struct lauka_moments a, b;
    lauka_moments_of(reference, &a);
    lauka_moments_of(other, &b);
    bool rises = lauka_moments_mean(&b) > lauka_moments_mean(&a);
    uint64_t more = rises ? right : left;
    double share =
        (double)(rises ? other : reference)->count / (double)(reference->count + other->count);
    struct lauka_binomial binomial;
    if (more == 0)
        return 0;
    error = lauka_binomial_init(&binomial, left + right, share);
    if (!error)
        *differ = 2 * binomial.from[more] <= rare;
    lauka_binomial_done(&binomial);
    return error;
}
