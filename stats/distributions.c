/* distributions: of what is tested. First the normal one and Student's, computed instead of looked up, because two entries of a
 * typed-in table are easily swapped. */
#include "stats.h"

#include <assert.h>
#include <math.h>
#include <string.h>

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

/* ranks: how the signed-rank and the rank-sum statistic are distributed where there is no
 * difference, and no ties: exactly for few values, normal for many. */
enum {
    SIGNED_RANK_EXACT = 200,                                                 /* values */
    SIGNED_RANK_TABLE = SIGNED_RANK_EXACT * (SIGNED_RANK_EXACT + 1) / 4 + 1, /* its lower half */
    RANK_SUM_EXACT = 2500,                                                   /* pairs of values */
};

/* A statistic's mean and deviation, and what it is at most. */
struct shape {
    uint64_t largest;
    double mean, deviation;
};

/* With continuity correction: the step at t reaches half way to the next. */
static double normal_cdf(const struct shape *shape, uint64_t t)
{
    return lauka_normal_cdf(((double)t + 0.5 - shape->mean) / shape->deviation);
}

/* The largest c with P(<= c - 1) <= half_alpha. Rounded as lauka_normal_cdf rounds, so that an
 * interval from c agrees with a p-value from the cdf in the last bit. */
static uint64_t normal_critical(const struct shape *shape, double half_alpha)
{
    double last = floor(shape->mean - 0.5 + shape->deviation * lauka_normal_quantile(half_alpha));
    uint64_t critical = last < 0 ? 0 : (uint64_t)last + 1;
    while (critical <= shape->largest && normal_cdf(shape, critical) <= half_alpha)
        critical++;
    while (critical > 0 && normal_cdf(shape, critical - 1) > half_alpha)
        critical--;
    return critical;
}

/* ---- tables ---- */

enum { TABLE_MOST = SIGNED_RANK_TABLE }; /* the larger one */

/* Many comparisons in a row have as many values: the last table serves until another is asked for. */
struct memo {
    bool busy;
    uint64_t left, right, length; /* length 0: there is no table yet */
    double *cdf;                  /* of static size */
    lauka_uint128 *scratch;       /* the same; NULL: none is needed */
};

/* Fills the table, and tells its length; scratch is of no use to others. */
typedef uint64_t fill_table(uint64_t left, uint64_t right, double *cdf, lauka_uint128 *scratch);

/* What is asked of a table. */
typedef double ask_table(const double *cdf, uint64_t length, double about);

/* Who comes while another thread has the memo makes a table of its own. It is large, so no other call has it on its
 * stack. */
static __attribute__((noinline)) double ask_apart(fill_table *fill, uint64_t left, uint64_t right,
                                                  ask_table *ask, double about)
{
    double cdf[TABLE_MOST];
    lauka_uint128 scratch[RANK_SUM_EXACT + 1];
    return ask(cdf, fill(left, right, cdf, scratch), about);
}

static double ask_memo(struct memo *memo, fill_table *fill, uint64_t left, uint64_t right,
                       ask_table *ask, double about)
{
    if (__atomic_test_and_set(&memo->busy, __ATOMIC_ACQUIRE))
        return ask_apart(fill, left, right, ask, about);
    if (memo->length == 0 || memo->left != left || memo->right != right)
        memo->length = fill(left, right, memo->cdf, memo->scratch);
    memo->left = left;
    memo->right = right;
    double answer = ask(memo->cdf, memo->length, about);
    __atomic_clear(&memo->busy, __ATOMIC_RELEASE);
    return answer;
}

/* P(<= at). */
static double probability(const double *cdf, uint64_t length, double at)
{
    assert((uint64_t)at < length);
    (void)length;
    return cdf[(uint64_t)at];
}

/* As normal_critical, from exact probabilities P(<= 0), P(<= 1), ... */
static double exact_critical(const double *cdf, uint64_t length, double half_alpha)
{
    uint64_t critical = 0;
    while (critical < length && cdf[critical] <= half_alpha)
        critical++;
    return (double)critical;
}

/* ---- signed ranks ---- */

static struct shape signed_rank_shape(uint64_t count)
{
    double n = (double)count;
    assert(count < (uint64_t)1 << 32);
    return (struct shape){
        .largest = count * (count + 1) / 2,
        .mean = n * (n + 1) / 4,
        .deviation = sqrt(n * (n + 1) * (2 * n + 1) / 24),
    };
}

static void add_to(double *restrict sums, const double *restrict values, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        sums[i] += values[i];
}

/* P(T <= t) for t up to half of the largest; how many there are. Each rank k is in the sum or is not, so
 * that c_k(t) = c_{k-1}(t) + c_{k-1}(t - k) of all 2^k sums are t. Wilcoxon 1945. Every k of them are
 * apart from what is added to them, so they are added at once. */
static uint64_t signed_rank_table(uint64_t count, uint64_t unused, double *cdf,
                                  lauka_uint128 *scratch)
{
    (void)unused;
    (void)scratch;
    uint64_t length = count * (count + 1) / 4 + 1, reached = 0;
    cdf[0] = 1;
    for (uint64_t t = 1; t < length; t++)
        cdf[t] = 0;
    for (uint64_t k = 1; k <= count; k++) {
        reached = reached + k < length - 1 ? reached + k : length - 1;
        for (uint64_t end = reached + 1, some; end > k; end -= some) {
            some = end - k < k ? end - k : k;
            add_to(cdf + end - some, cdf + end - some - k, some);
        }
    }
    double share =
        ldexp(1, -(int)count); /* of one of all sums; a power of 2, so nothing is rounded */
    cdf[0] *= share;
    for (uint64_t t = 1; t < length; t++)
        cdf[t] = cdf[t] * share + cdf[t - 1];
    return length;
}

static double signed_rank_cdf[SIGNED_RANK_TABLE];
static struct memo signed_rank_memo = {.cdf = signed_rank_cdf};

double lauka_signed_rank_cdf(uint64_t count, uint64_t t)
{
    struct shape shape = signed_rank_shape(count);
    if (t >= shape.largest)
        return 1;
    if (count > SIGNED_RANK_EXACT)
        return normal_cdf(&shape, t);

    bool upper = t > shape.largest / 2; /* it is symmetric */
    double at = (double)(upper ? shape.largest - t - 1 : t);
    double p = ask_memo(&signed_rank_memo, signed_rank_table, count, 0, probability, at);
    return upper ? 1 - p : p;
}

uint64_t lauka_signed_rank_critical(uint64_t count, double alpha)
{
    if (count > SIGNED_RANK_EXACT) {
        struct shape shape = signed_rank_shape(count);
        return normal_critical(&shape, alpha / 2);
    }
    if (count == 0)
        return 0;
    return (uint64_t)ask_memo(&signed_rank_memo, signed_rank_table, count, 0, exact_critical,
                              alpha / 2);
}

/* ---- rank sums ---- */

static struct shape rank_sum_shape(uint64_t left, uint64_t right)
{
    double product = (double)left * (double)right;
    return (struct shape){
        .largest = left * right,
        .mean = product / 2,
        .deviation = sqrt(product * ((double)left + (double)right + 1) / 12),
    };
}

/* P(U <= u) for all u; how many there are. How many orders of the values have each u is a Gaussian
 * binomial coefficient, the product of (1 - q^(right + k)) / (1 - q^k) for k = 1 ... left (Andrews
 * 1976, 3.3), in integers, of which the largest is below 2^128 here. */
static uint64_t rank_sum_table(uint64_t left, uint64_t right, double *cdf, lauka_uint128 *orders)
{
    if (left > right) /* it is the same, and less work */
        return rank_sum_table(right, left, cdf, orders);
    uint64_t largest = left * right;
    lauka_uint128 total = 0;
    memset(orders, 0, (largest + 1) * sizeof *orders);
    orders[0] = 1;
    for (uint64_t k = 1; k <= left; k++) {
        for (uint64_t u = largest; u >= right + k; u--)
            orders[u] -= orders[u - right - k];
        for (uint64_t u = k; u <= largest; u++)
            orders[u] += orders[u - k];
    }
    for (uint64_t u = 0; u <= largest; u++)
        total += orders[u];
    lauka_uint128 sum = 0;
    for (uint64_t u = 0; u <= largest; u++) {
        sum += orders[u];
        cdf[u] = (double)sum / (double)total;
    }
    return largest + 1;
}

static double rank_sum_cdf[RANK_SUM_EXACT + 1];
static lauka_uint128 rank_sum_orders[RANK_SUM_EXACT + 1];
static struct memo rank_sum_memo = {.cdf = rank_sum_cdf, .scratch = rank_sum_orders};

static bool rank_sum_is_exact(uint64_t left, uint64_t right)
{
    return left <= RANK_SUM_EXACT && right <= RANK_SUM_EXACT && left * right <= RANK_SUM_EXACT;
}

double lauka_rank_sum_cdf(uint64_t left, uint64_t right, uint64_t u)
{
    struct shape shape = rank_sum_shape(left, right);
    if (u >= shape.largest)
        return 1;
    if (!rank_sum_is_exact(left, right))
        return normal_cdf(&shape, u);
    return ask_memo(&rank_sum_memo, rank_sum_table, left, right, probability, (double)u);
}

uint64_t lauka_rank_sum_critical(uint64_t left, uint64_t right, double alpha)
{
    if (left == 0 || right == 0)
        return 0;
    if (!rank_sum_is_exact(left, right)) {
        struct shape shape = rank_sum_shape(left, right);
        return normal_critical(&shape, alpha / 2);
    }
    return (uint64_t)ask_memo(&rank_sum_memo, rank_sum_table, left, right, exact_critical,
                              alpha / 2);
}

/* ---- Mann-Whitney ---- */

/* Walks both in order; counts the pairs whose right value is larger, ties for a half, and adds up
 * t^3 - t over all groups of t equal values. */
static void count_wins(const double *left, size_t left_count, const double *right,
                       size_t right_count, struct lauka_mann_whitney *test, double *tie_sum)
{
    size_t i = 0, j = 0;
    while (i < left_count || j < right_count) {
        bool from_left = j == right_count || (i < left_count && left[i] <= right[j]);
        double value = from_left ? left[i] : right[j];
        size_t smaller = i, first = j;
        while (i < left_count && left[i] == value)
            i++;
        while (j < right_count && right[j] == value)
            j++;
        double here = (double)(i - smaller), there = (double)(j - first), group = here + there;
        test->u += there * ((double)smaller + here / 2);
        *tie_sum += group * group * group - group;
        test->ties |= group > 1;
    }
}

void lauka_mann_whitney(const double *left, size_t left_count, const double *right,
                        size_t right_count, struct lauka_mann_whitney *test)
{
    *test = (struct lauka_mann_whitney){.p = 1};
    if (left_count == 0 || right_count == 0)
        return;

    double tie_sum = 0;
    count_wins(left, left_count, right, right_count, test, &tie_sum);
    double n = (double)left_count + (double)right_count;
    double product = (double)left_count * (double)right_count;
    double off = fabs(test->u - product / 2);
    double variance = product / 12 * (n + 1 - tie_sum / (n * (n - 1)));
    if (variance > 0) /* Lehmann 1975, 1.4; with continuity correction */
        test->p_normal = (struct lauka_optional){
            true, fmin(1, 2 * lauka_normal_cdf(-fmax(0, off - 0.5) / sqrt(variance)))};
    if (!test->ties && rank_sum_is_exact(left_count, right_count))
        test->p_exact = (struct lauka_optional){
            true, fmin(1, 2 * lauka_rank_sum_cdf(left_count, right_count,
                                                 (uint64_t)(product / 2 - off)))};
    if (test->p_exact.known || test->p_normal.known)
        test->p = test->p_exact.known ? test->p_exact.value : test->p_normal.value;
}
