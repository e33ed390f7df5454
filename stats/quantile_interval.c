/* quantile_interval: where a quantile lies. First the number of values, out of n, that lie up to a quantile; hence the order statistics that
 * enclose it. */
#include "stats.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* Weights relative to the most likely count, filled outwards from it. This needs no logarithm, so every C
 * library gives the same bits; what underflows is as good as 0. */
static double fill_weights(double *weight, uint64_t count, double p)
{
    uint64_t mode = (uint64_t)fmin((double)(count + 1) * p, (double)count);
    double odds = p / (1 - p), total = 1;
    weight[mode] = 1;
    for (uint64_t k = mode; k < count; k++)
        total += weight[k + 1] = weight[k] * odds * ((double)(count - k) / (double)(k + 1));
    for (uint64_t k = mode; k > 0; k--)
        total += weight[k - 1] = weight[k] / odds * ((double)k / (double)(count - k + 1));
    return total;
}

int lauka_binomial_init(struct lauka_binomial *binomial, uint64_t count, double p)
{
    *binomial = (struct lauka_binomial){.count = count};
    binomial->up_to = calloc((size_t)count + 1, sizeof *binomial->up_to);
    binomial->from = calloc((size_t)count + 1, sizeof *binomial->from);
    if (!binomial->up_to || !binomial->from) {
        lauka_binomial_done(binomial);
        return ENOMEM;
    }
    double total = fill_weights(binomial->up_to, count, p), sum = 0;
    for (uint64_t k = count + 1; k-- > 0;)
        binomial->from[k] = fmin(1, (sum += binomial->up_to[k]) / total);
    sum = 0;
    for (uint64_t k = 0; k <= count; k++)
        binomial->up_to[k] = fmin(1, (sum += binomial->up_to[k]) / total);
    return 0;
}

void lauka_binomial_done(struct lauka_binomial *binomial)
{
    free(binomial->up_to);
    free(binomial->from);
    *binomial = (struct lauka_binomial){0};
}

uint64_t lauka_binomial_lower(const struct lauka_binomial *binomial, double risk)
{
    uint64_t rank = 0;
    while (rank < binomial->count && binomial->up_to[rank] <= risk)
        rank++;
    return rank;
}

uint64_t lauka_binomial_upper(const struct lauka_binomial *binomial, double risk)
{
    uint64_t rank = binomial->count + 1;
    while (rank > 1 && binomial->from[rank - 1] <= risk)
        rank--;
    return rank;
}

uint64_t lauka_quantile_values_needed(double p, double risk)
{
    double rarer = fmax(p, 1 - p); /* all values on one side of the quantile */
    return (uint64_t)ceil(log(risk) / log(rarer) - 1e-9);
}

/* quantile_interval: where quantiles lie, by nothing but the order of the values: whatever they are
 * distributed like, the interval holds. */
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
