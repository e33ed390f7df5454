/* moments: exact sums of integers, from which mean and variance follow at the end. Integer sums
 * commute, so shards merge to the same bits in any order; a running mean (Welford) would not. */
#include "stats.h"

void lauka_moments_init(struct lauka_moments *moments)
{
    *moments = (struct lauka_moments){.min = UINT64_MAX};
}

void lauka_moments_add_count(struct lauka_moments *moments, uint64_t value, uint64_t count)
{
    if (count == 0)
        return;
    struct lauka_moments values = {
        .count = count,
        .min = value,
        .max = value,
        .sum = (lauka_uint128)value * count,
        .sum_of_squares = (lauka_uint128)value * value * count,
    };
    lauka_moments_merge(moments, &values);
}

void lauka_moments_merge(struct lauka_moments *into, const struct lauka_moments *from)
{
    into->count += from->count;
    into->sum += from->sum;
    into->sum_of_squares += from->sum_of_squares;
    if (from->min < into->min)
        into->min = from->min;
    if (from->max > into->max)
        into->max = from->max;
}

double lauka_moments_mean(const struct lauka_moments *moments)
{
    if (moments->count == 0)
        return 0;

    /* Whole part and rest apart: the mean of a constant is that constant, also where the sum itself
     * has no exact double. */
    lauka_uint128 whole = moments->sum / moments->count;
    lauka_uint128 rest = moments->sum % moments->count;
    return (double)whole + (double)rest / (double)moments->count;
}

/* Whether sum((v - mean)^2) is certain to be below 2^128: it is at most
 * n (max - mean) (mean - min). Bhatia & Davis 2000. The margin is for the rounding here. */
static bool squares_fit(const struct lauka_moments *moments)
{
    lauka_uint128 n = moments->count;
    double above_min = (double)(moments->sum - n * moments->min);
    double below_max = (double)(n * moments->max - moments->sum);
    return above_min * below_max / (double)n < 0x1p128 * (1 - 1e-9);
}

struct lauka_optional lauka_moments_variance(const struct lauka_moments *moments)
{
    if (moments->count < 2 || !squares_fit(moments))
        return (struct lauka_optional){0};

    /* Squares around an integer m next to the mean, modulo 2^128: sum(v^2) may have wrapped, but it
     * is congruent, and what is left after centring is small again. The sum of 2^64 values of 64
     * bits cannot wrap, so m and the rest are exact. The rest then takes m to the true mean:
     * sum((v - mean)^2) = sum((v - m)^2) - rest^2 / n. */
    lauka_uint128 n = moments->count;
    lauka_uint128 m = moments->sum / n;
    lauka_uint128 rest = moments->sum % n;
    lauka_uint128 around_m = moments->sum_of_squares - 2 * m * moments->sum + n * m * m;
    lauka_uint128 whole = around_m - rest * rest / n;
    double part = (double)(rest * rest % n) / (double)n;
    return (struct lauka_optional){true, ((double)whole - part) / (double)(n - 1)};
}
