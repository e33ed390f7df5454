/* binomial: the number of values, out of n, that lie up to a quantile; hence the order statistics that
 * enclose it. */
#include "stats.h"

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
