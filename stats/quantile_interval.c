/* quantile_interval: where quantiles lie, by nothing but the order of the values: whatever they are
 * distributed like, the interval holds. */
#include "stats.h"

#include <assert.h>
#include <math.h>

/* How likely each number of `count` draws is, relative to the likeliest: no factorial is needed. */
struct binomial {
    uint64_t count;
    double odds; /* p / (1 - p) */
};

/* The weight of k + 1 where k has `weight`. */
static double above(const struct binomial *binomial, uint64_t k, double weight)
{
    return weight * binomial->odds * (double)(binomial->count - k) / (double)(k + 1);
}

/* The weight of k - 1 where k has `weight`. */
static double below(const struct binomial *binomial, uint64_t k, double weight)
{
    return weight / binomial->odds * (double)k / (double)(binomial->count - k + 1);
}

/* The largest l with P(X <= l - 1) <= alpha / 2, where X of `count` draws succeed with probability
 * p each; 0 where there is none. What is less than 1e-18 of the likeliest is left out. */
static uint64_t lower_rank(uint64_t count, double p, double alpha)
{
    const struct binomial binomial = {count, p / (1 - p)};
    const uint64_t mode = (uint64_t)(((double)count + 1) * p);
    double upper = 0, lower = 0, weight = 1;
    uint64_t k = mode < count ? mode : count;
    const uint64_t start = k;
    for (uint64_t i = k; i < count && weight > 1e-18; i++) {
        weight = above(&binomial, i, weight);
        upper += weight;
    }
    weight = 1;
    for (uint64_t i = k; weight > 1e-18; i--) {
        lower += weight;
        if (i == 0)
            break;
        weight = below(&binomial, i, weight);
    }
    const double allowed = alpha / 2 * (upper + lower);
    weight = 1;
    for (k = start; lower > allowed; k--) { /* `lower` is the weight of all up to k */
        lower -= weight;
        if (k == 0)
            return 0;
        weight = below(&binomial, k, weight);
    }
    return k + 1;
}

bool lauka_quantile_interval(uint64_t count, uint32_t rank, double alpha, uint64_t *low,
                             uint64_t *high)
{
    assert(alpha > 0 && alpha < 1 && rank <= LAUKA_RANK_WHOLE);
    *low = *high = 0;
    if (count == 0 || rank == 0 || rank == LAUKA_RANK_WHOLE)
        return false;
    uint64_t from_below = lower_rank(count, (double)rank / LAUKA_RANK_WHOLE, alpha);
    uint64_t from_above =
        lower_rank(count, (double)(LAUKA_RANK_WHOLE - rank) / LAUKA_RANK_WHOLE, alpha);
    if (from_below == 0 || from_above == 0)
        return false;
    *low = from_below;
    *high = count + 1 - from_above;
    return true;
}

double lauka_share_margin(uint64_t reference, uint64_t other, double alpha)
{
    assert(reference > 0 && other > 0 && alpha > 0 && alpha < 1);
    return sqrt(log(2 / alpha) / 2 * (1 / (double)reference + 1 / (double)other));
}

/* Each end is as far away as both variances together say that it is: Zou & Donner 2008,
 * "Construction of confidence limits about effect measures", Statistics in Medicine 27. */
struct lauka_span lauka_span_difference(struct lauka_span reference, struct lauka_span other)
{
    double estimate = other.estimate - reference.estimate;
    return (struct lauka_span){
        .estimate = estimate,
        .low = estimate - hypot(other.estimate - other.low, reference.high - reference.estimate),
        .high = estimate + hypot(other.high - other.estimate, reference.estimate - reference.low),
    };
}
