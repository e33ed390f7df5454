/* budget: whether one command costs at most what it may. With no second side whose noise would make
 * differences symmetrical, nothing is assumed about the distribution, except for the mean: the typical
 * value is the median, and quantiles are enclosed by order statistics. */
#include "stats/budget.h"
#include "stats/units.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum { FEWEST_T = 3 };

static struct lauka_optional known(double value)
{
    return (struct lauka_optional){true, value};
}

static double share_of(const struct lauka_limit *limit)
{
    bool quantile = limit->statistic == LAUKA_STATISTIC_QUANTILE;
    return quantile ? (double)limit->rank / LAUKA_RANK_WHOLE : 0.5;
}

uint64_t lauka_budget_rounds_needed(const struct lauka_limit *limit, double alpha)
{
    if (limit->counts)
        return 1;
    return limit->statistic == LAUKA_STATISTIC_MEAN
               ? LAUKA_FEWEST_ROUNDS
               : lauka_quantile_values_needed(share_of(limit), alpha / 2);
}

/* The values that were measured, sorted; of units that share rounds, one value each. The caller frees
 * them; NULL if there is no memory. */
static double *take_values(const struct lauka_limit *limit, const struct lauka_series *series,
                           size_t *count)
{
    double *values = malloc((series->count + 1) * sizeof *values);
    uint32_t *units = limit->units ? lauka_series_marks(series, series, limit->units->of, 1) : NULL;
    struct lauka_spread spread;
    bool good = values && (units || !limit->units);
    *count = 0;
    for (size_t i = 0; good && i < series->count; i++)
        if (lauka_series_at(series, i) != LAUKA_MISSING)
            values[(*count)++] = (double)lauka_series_at(series, i);
    if (good && units)
        good = lauka_units_collapse(values, units, false, count, &spread) == 0;
    good = good && lauka_sort_doubles(values, *count) == 0;
    free(units);
    if (good)
        return values;
    free(values);
    return NULL;
}

static void put_value(double value, struct lauka_judgement *judgement)
{
    judgement->value = judgement->value_low = judgement->value_high = known(value);
    judgement->exact = true;
}

/* Enough equal values count as the constant that it always is; but a few say nothing about a tail. */
static bool is_exact(const struct lauka_limit *limit, const double *values, size_t count)
{
    bool few = limit->statistic == LAUKA_STATISTIC_QUANTILE && !limit->counts;
    return !few && values[0] == values[count - 1] &&
           count >= (size_t)(limit->counts ? 1 : LAUKA_FEWEST_EXACT);
}

static void judge_mean(const struct lauka_limit *limit, const double *values, size_t count,
                       double alpha, struct lauka_judgement *judgement)
{
    const struct lauka_differences all = {.values = values, .length = count};
    struct lauka_location location;
    judgement->value = known(lauka_differences_mean(&all));
    if (count < FEWEST_T || !lauka_locate_paired_t(&all, alpha, &location))
        return;
    judgement->value_low = location.low;
    judgement->value_high = location.high;
    judgement->p = known(lauka_paired_t_above(&all, limit->most.value));
}

static double quantile_of(const struct lauka_limit *limit, const double *values, size_t count)
{
    if (limit->statistic == LAUKA_STATISTIC_TYPICAL)
        return (values[(count - 1) / 2] + values[count / 2]) / 2;
    uint64_t rank = lauka_rank_count(limit->rank, count);
    return values[rank > 0 ? rank - 1 : 0];
}

/* If the quantile were at most the limit, this few values would lie below it with probability p. */
static int judge_quantile(const struct lauka_limit *limit, const double *values, size_t count,
                          double alpha, struct lauka_judgement *judgement)
{
    struct lauka_binomial ranks;
    uint64_t within = 0;
    int error = lauka_binomial_init(&ranks, count, share_of(limit));
    if (error)
        return error;
    uint64_t low = lauka_binomial_lower(&ranks, alpha / 2);
    uint64_t high = lauka_binomial_upper(&ranks, alpha / 2);
    judgement->value = known(quantile_of(limit, values, count));
    while (within < count && values[within] <= limit->most.value)
        within++;
    if (low > 0 && high <= count) {
        judgement->value_low = known(values[low - 1]);
        judgement->value_high = known(values[high - 1]);
        judgement->p = known(ranks.up_to[within]);
    }
    lauka_binomial_done(&ranks);
    return 0;
}

static int judge_values(const struct lauka_limit *limit, const double *values, size_t count,
                        double alpha, struct lauka_judgement *judgement)
{
    if (count == 0)
        return 0;
    if (is_exact(limit, values, count))
        put_value(values[0], judgement);
    else if (limit->units && limit->statistic != LAUKA_STATISTIC_TYPICAL)
        return 0; /* as in limit.c */
    else if (limit->statistic == LAUKA_STATISTIC_MEAN)
        judge_mean(limit, values, count, alpha, judgement);
    else
        return judge_quantile(limit, values, count, alpha, judgement);
    return 0;
}

/* A value at the limit is within it. */
static enum lauka_gate verdict_of(const struct lauka_limit *limit,
                                  const struct lauka_judgement *judgement)
{
    bool held_back = !judgement->exact && judgement->pairs < judgement->needed;
    if (!judgement->value_low.known || held_back)
        return LAUKA_GATE_INCONCLUSIVE;
    if (judgement->value_low.value > limit->most.value)
        return LAUKA_GATE_FAIL;
    return judgement->value_high.value <= limit->most.value ? LAUKA_GATE_PASS
                                                            : LAUKA_GATE_INCONCLUSIVE;
}

static enum lauka_undecided reason_of(const struct lauka_limit *limit,
                                      const struct lauka_judgement *judgement)
{
    if (judgement->verdict != LAUKA_GATE_INCONCLUSIVE)
        return LAUKA_UNDECIDED_NOT;
    if (judgement->pairs == 0)
        return LAUKA_UNDECIDED_UNKNOWN;
    if (limit->units && limit->statistic != LAUKA_STATISTIC_TYPICAL)
        return LAUKA_UNDECIDED_UNITS;
    if (judgement->pairs < judgement->needed)
        return LAUKA_UNDECIDED_FEW;
    return judgement->value_low.known ? LAUKA_UNDECIDED_AROUND : LAUKA_UNDECIDED_UNKNOWN;
}

int lauka_budget_judge(const struct lauka_limit *limit, const struct lauka_series *series,
                       double alpha, struct lauka_judgement *judgement)
{
    assert(alpha > 0 && alpha < 1 && limit->most.known);
    size_t count;
    double *values = take_values(limit, series, &count);
    *judgement = (struct lauka_judgement){0};
    int error = values ? judge_values(limit, values, count, alpha, judgement) : ENOMEM;
    free(values);
    judgement->pairs = error ? 0 : count;
    judgement->needed = lauka_budget_rounds_needed(limit, alpha);
    if (limit->units && judgement->needed < limit->units->least)
        judgement->needed = limit->units->least;
    judgement->confidence = judgement->value_low.known ? 1 - alpha : 0;
    judgement->verdict = verdict_of(limit, judgement);
    judgement->undecided = reason_of(limit, judgement);
    return error;
}
