/* distributions: the normal one and Student's, computed instead of looked up, because two entries of a
 * typed-in table are easily swapped. */
#include "stats.h"

#include <assert.h>
#include <math.h>

static const double square_root_of_2 = 1.41421356237309504880;
static const double square_root_of_pi = 1.77245385090551602730;

double lauka_normal_cdf(double z)
{
    return erfc(-z / square_root_of_2) / 2;
}

/* Newton's method on log cdf(z) = log p, for p below one half. The logarithm is concave, and cdf(z) <=
 * exp(-z^2 / 2) / 2 for negative z gives a start left of the root. So every step moves right without
 * passing the root, and the loop ends when rounding no longer lets it rise. */
static double lower_normal_quantile(double p)
{
    double z = -sqrt(-2 * log(2 * p));
    for (int steps = 0; steps < 100; steps++) {
        double cdf = lauka_normal_cdf(z);
        double density = exp(-z * z / 2) / (square_root_of_2 * square_root_of_pi);
        double next = z + (log(p) - log(cdf)) * cdf / density;
        if (!(next > z))
            break;
        z = next;
    }
    return z;
}

double lauka_normal_quantile(double p)
{
    assert(p > 0 && p < 1);
    if (p < 0.5)
        return lower_normal_quantile(p);
    return p > 0.5 ? -lower_normal_quantile(1 - p) : 0;
}

double lauka_gamma_step(uint64_t df)
{
    assert(df > 0);
    double x = (double)df / 2;
    /* sqrt(x) (1 - 1/8x + 1/128x^2 + 5/1024x^3 - 21/32768x^4 ...): Graham, Knuth & Patashnik 1994,
     * exercise 9.60. What is left out is below 1e-16 here. */
    if (df > 1000) {
        double y = 1 / (8 * x);
        return sqrt(x) * (1 - y * (1 - y * (0.5 + y * (2.5 - y * 2.625))));
    }
    /* A product from Gamma(1) / Gamma(1/2) or Gamma(3/2) / Gamma(1) upwards, as Gamma(x + 1) = x Gamma(x).
     * It gives the same bits with every C library, which lgamma would not. */
    double step = df % 2 ? 1 / square_root_of_pi : square_root_of_pi / 2;
    for (uint64_t k = df % 2 ? 1 : 2; k < df; k += 2)
        step *= (double)(k + 1) / (double)k;
    return step;
}

/* Term k >= 1 of the continued fraction. */
static double fraction_term(double a, double b, double x, int k)
{
    double m = k / 2; /* rounded down */
    if (k % 2 == 0)
        return m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    return -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
}

/* The incomplete beta function's 1 / (1 + d1 / (1 + d2 / ...)), DLMF 8.17.22, by Lentz's method as
 * Thompson & Barnett 1986 have it. Converges fast for x < (a + 1) / (a + b + 2). */
static double beta_fraction(double a, double b, double x)
{
    static const double tiny = 1e-300;
    double c = 1, d = 0, fraction = 1;
    for (int k = 1; k < 100000; k++) {
        double term = fraction_term(a, b, x, k);
        d = 1 + term * d;
        d = 1 / (fabs(d) < tiny ? tiny : d);
        c = 1 + term / c;
        c = fabs(c) < tiny ? tiny : c;
        fraction *= c * d;
        if (fabs(c * d - 1) < 1e-16)
            break;
    }
    return 1 / fraction;
}

/* P(T > t) for t >= 0: half of the incomplete beta function I_x(df/2, 1/2) at x = df / (df + t^2).
 * DLMF 8.17.4 turns it round where t is small. */
static double student_tail(double t, uint64_t df)
{
    double a = (double)df / 2, b = 0.5;
    double square = t / (double)df * t; /* t^2 / df */
    double x = 1 / (1 + square), rest = 1 / (1 + 1 / square);
    double front = exp(-a * log1p(square)) * sqrt(rest) * lauka_gamma_step(df) / square_root_of_pi;
    if (x < (a + 1) / (a + b + 2))
        return front / a * beta_fraction(a, b, x) / 2;
    return 0.5 - front / b * beta_fraction(b, a, rest) / 2;
}

double lauka_student_cdf(double t, uint64_t df)
{
    if (t == 0)
        return 0.5;
    return t < 0 ? student_tail(-t, df) : 1 - student_tail(t, df);
}

/* By bisection: a comparison calls it so rarely that nothing faster is needed. */
static double lower_student_quantile(double p, uint64_t df)
{
    double low = -1, high = 0;
    while (lauka_student_cdf(low, df) > p)
        low *= 2;
    for (double middle = low / 2; middle > low && middle < high; middle = low / 2 + high / 2) {
        if (lauka_student_cdf(middle, df) < p)
            low = middle;
        else
            high = middle;
    }
    return low;
}

double lauka_student_quantile(double p, uint64_t df)
{
    assert(p > 0 && p < 1 && df > 0);
    if (p < 0.5)
        return lower_student_quantile(p, df);
    return p > 0.5 ? -lower_student_quantile(1 - p, df) : 0;
}
