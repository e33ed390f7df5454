/* mean_ratio: how far one mean lies from another, by Student's t. If the means differ by the share x, b -
 * a - x a is 0 on average; the x that are not rejected form an interval (Fieller 1954). Unlike the
 * difference divided by the reference's mean, it does not treat that mean as known. */
#include "stats/means.h"

#include <math.h>

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

double lauka_mean_difference_below(const struct lauka_mean_ratio *means, double limit)
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
