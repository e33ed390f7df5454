/* budget: whether one command costs at most what it may. First, how many independent values give
 * the same certainty as the mean of consecutive runs, if runs resemble their neighbours. */
#include "stats/stats.h"
#include "stats/units.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FEWEST_BATCHES = 10 };

/* An upper bound of the correlation of neighbours: the estimate without its bias (Kendall & Stuart), and two
 * and a half standard errors more on Fisher's scale. With two, real runs that were held to their own median failed in
 * up to 3.6 of 100 windows of 50; with three, runs at twice the deviation are found half as often. */
static double correlation_at_most(const double *values, size_t count, double mean, double squares)
{
    double products = 0, n = (double)count;
    for (size_t i = 1; i < count; i++)
        products += (values[i] - mean) * (values[i - 1] - mean);
    double r = squares > 0 ? (products / squares * n + 1) / (n - 3) : 0;
    r = tanh(atanh(fmin(0.995, fmax(-0.99, r))) + 2.5 / sqrt(n - 3));
    return fmin(0.999, fmax(0, r));
}

/* The variance of the mean of all values, from means of batches that are taken for an autoregressive process. */
static double variance_by_batches(const double *values, size_t count, size_t length, double *room)
{
    size_t batches = count / length, from = count - batches * length;
    for (size_t b = 0; b < batches; b++) {
        const struct lauka_differences batch = {.values = values + from + b * length,
                                                .length = length};
        room[b] = lauka_differences_mean(&batch);
    }
    const struct lauka_differences means = {.values = room, .length = batches};
    double mean = lauka_differences_mean(&means), squares = lauka_differences_squares(&means, mean);
    double r = correlation_at_most(room, batches, mean, squares), n = (double)batches;
    return squares / (n - 1) / n * (1 + r) / (1 - r);
}

double lauka_effective_number(const double *values, size_t count, double *room)
{
    if (count < FEWEST_BATCHES)
        return 0;
    const struct lauka_differences all = {.values = values, .length = count};
    double n = (double)count, least = n;
    double variance = lauka_differences_squares(&all, lauka_differences_mean(&all)) / (n - 1);
    for (size_t length = 1; variance > 0 && count / length >= FEWEST_BATCHES; length *= 2) {
        double of_mean = variance_by_batches(values, count, length, room);
        if (of_mean > 0 && variance / of_mean < least)
            least = variance / of_mean;
    }
    return least;
}

/* The budget itself. With no second side whose noise would make
 * differences symmetrical, nothing is assumed about the distribution, except for the mean: the typical
 * value is the median, and quantiles are enclosed by order statistics. There is no second side to take slow load
 * out either, so runs that resemble their neighbours count as fewer. */
static double share_of(const struct lauka_limit *limit)
{
    bool quantile = limit->statistic == LAUKA_STATISTIC_QUANTILE;
    return quantile ? (double)limit->rank / LAUKA_RANK_WHOLE : 0.5;
}

uint64_t lauka_budget_rounds_needed(const struct lauka_limit *limit, double alpha)
{
    if (limit->counts)
        return 1;
    uint64_t needed = limit->statistic == LAUKA_STATISTIC_MEAN
                          ? LAUKA_FEWEST_ROUNDS
                          : lauka_quantile_values_needed(share_of(limit), alpha / 2);
    return limit->units || needed > LAUKA_FEWEST_BUDGET ? needed : LAUKA_FEWEST_BUDGET;
}

static double middle_of(const double *sorted, size_t count)
{
    return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
}

struct sample { /* the values that were measured; of units that share rounds, one value each */
    double *sorted, *course; /* owned; course: in the order of runs, with far values drawn in */
    size_t count;
    double effective;       /* independent values that these are worth */
    double mean, deviation; /* of those drawn in */
};

static void sample_done(struct sample *sample)
{
    free(sample->sorted);
    free(sample->course);
}

static int take_values(const struct lauka_limit *limit, const struct lauka_series *series,
                       struct sample *sample)
{
    struct lauka_spread spread;
    for (size_t i = 0; i < series->count; i++)
        if (lauka_series_at(series, i) != LAUKA_MISSING)
            sample->course[sample->count++] = (double)lauka_series_at(series, i);
    if (!limit->units)
        return 0;
    uint32_t *units = lauka_series_marks(series, series, limit->units->of, 1);
    int error = units ? lauka_units_collapse(sample->course, units, false, &sample->count, &spread)
                      : ENOMEM;
    free(units);
    return error;
}

/* Beyond three robust deviations from the median; one pair of far values would look like a correlation. */
static int draw_in(struct sample *sample, double *room)
{
    double median = middle_of(sample->sorted, sample->count);
    for (size_t i = 0; i < sample->count; i++)
        room[i] = fabs(sample->sorted[i] - median);
    int error = lauka_sort_doubles(room, sample->count);
    double reach = 3 * 1.4826 * middle_of(room, sample->count);
    for (size_t i = 0; i < sample->count && reach > 0; i++)
        sample->course[i] = fmin(fmax(sample->course[i], median - reach), median + reach);
    return error;
}

static void measure(const struct lauka_limit *limit, struct sample *sample, double *room)
{
    size_t count = sample->count;
    sample->effective =
        limit->units ? (double)count : lauka_effective_number(sample->course, count, room);
    if (count < 2)
        return;
    const struct lauka_differences drawn_in = {.values = sample->course, .length = count};
    sample->mean = lauka_differences_mean(&drawn_in);
    sample->deviation =
        sqrt(lauka_differences_squares(&drawn_in, sample->mean) / (double)(count - 1));
}

static int sample_open(const struct lauka_limit *limit, const struct lauka_series *series,
                       struct sample *sample)
{
    double *room = malloc((series->count + 1) * sizeof *room);
    *sample = (struct sample){.sorted = malloc((series->count + 1) * sizeof *sample->sorted),
                              .course = malloc((series->count + 1) * sizeof *sample->course)};
    int error = room && sample->sorted && sample->course ? 0 : ENOMEM;
    if (!error)
        error = take_values(limit, series, sample);
    if (!error) {
        memcpy(sample->sorted, sample->course, sample->count * sizeof *sample->sorted);
        error = lauka_sort_doubles(sample->sorted, sample->count);
    }
    if (!error && sample->count > 0)
        error = draw_in(sample, room);
    if (!error)
        measure(limit, sample, room);
    free(room);
    return error;
}

static void put_value(double value, struct lauka_judgement *judgement)
{
    judgement->value = judgement->value_low = judgement->value_high = lauka_known(value);
    judgement->exact = true;
}

/* Enough equal values count as the constant that it always is; but a few say nothing about a tail. */
static bool is_exact(const struct lauka_limit *limit, const double *values, size_t count)
{
    bool few = limit->statistic == LAUKA_STATISTIC_QUANTILE && !limit->counts;
    return !few && values[0] == values[count - 1] &&
           count >= (size_t)(limit->counts ? 1 : LAUKA_FEWEST_EXACT);
}

static uint64_t degrees_of(const struct sample *sample)
{
    return sample->effective >= 3 ? (uint64_t)sample->effective - 1 : 1;
}

static void judge_mean(const struct lauka_limit *limit, const struct sample *sample, double alpha,
                       struct lauka_judgement *judgement)
{
    const struct lauka_differences all = {.values = sample->sorted, .length = sample->count};
    double n = (double)sample->count, mean = lauka_differences_mean(&all);
    uint64_t df = degrees_of(sample);
    judgement->value = lauka_known(mean);
    if (sample->effective <= 1)
        return;
    double error = sqrt(lauka_differences_squares(&all, mean) / (n - 1) / sample->effective);
    double reach = -lauka_student_quantile(alpha / 2, df) * error;
    judgement->value_low = lauka_known(mean - reach);
    judgement->value_high = lauka_known(mean + reach);
    judgement->p = lauka_known(lauka_student_cdf(-(mean - limit->most.value) / error, df));
}

static double quantile_of(const struct lauka_limit *limit, const double *values, size_t count)
{
    if (limit->statistic == LAUKA_STATISTIC_TYPICAL)
        return middle_of(values, count);
    uint64_t rank = lauka_rank_count(limit->rank, count);
    return values[rank > 0 ? rank - 1 : 0];
}

/* If the quantile were at most the limit, this few values would lie below it with probability p. The ranks are those
 * of the effective number of values, at the same share of all values. */
static int enclose_quantile(const struct lauka_limit *limit, const struct sample *sample,
                            double alpha, struct lauka_judgement *judgement)
{
    const double *values = sample->sorted;
    uint64_t count = sample->count, worth = (uint64_t)sample->effective, within = 0;
    struct lauka_binomial ranks;
    int error = lauka_binomial_init(&ranks, worth, share_of(limit));
    if (error)
        return error;
    uint64_t low = lauka_binomial_lower(&ranks, alpha / 2);
    uint64_t high = lauka_binomial_upper(&ranks, alpha / 2);
    while (within < count && values[within] <= limit->most.value)
        within++;
    if (low > 0 && high <= worth) {
        low = count * low / worth;
        high = count + 1 - count * (worth + 1 - high) / worth;
        judgement->value_low = lauka_known(values[low - 1]);
        judgement->value_high = lauka_known(values[high - 1]);
        judgement->p = lauka_known(ranks.up_to[((within + 1) * worth + count - 1) / count - 1]);
    }
    lauka_binomial_done(&ranks);
    return 0;
}

/* The median is no further from the mean than one deviation, whatever the distribution is: that encloses it where the
 * limit is far, and effective values are too few for ranks. */
static void enclose_far(const struct lauka_limit *limit, const struct sample *sample, double alpha,
                        struct lauka_judgement *judgement)
{
    uint64_t df = degrees_of(sample);
    double error = sample->deviation / sqrt(sample->effective);
    double reach = -lauka_student_quantile(alpha / 2, df) * error + sample->deviation;
    double low = sample->mean - reach, high = sample->mean + reach;
    double above = sample->mean - sample->deviation - limit->most.value;
    bool ranks = judgement->value_low.known;
    if (!(error > 0))
        return;
    double p = lauka_student_cdf(-above / error, df);
    judgement->value_low = lauka_known(ranks ? fmax(low, judgement->value_low.value) : low);
    judgement->value_high = lauka_known(ranks ? fmin(high, judgement->value_high.value) : high);
    judgement->p = lauka_known(ranks ? fmin(p, judgement->p.value) : p);
}

static int judge_quantile(const struct lauka_limit *limit, const struct sample *sample,
                          double alpha, struct lauka_judgement *judgement)
{
    judgement->value = lauka_known(quantile_of(limit, sample->sorted, sample->count));
    if (sample->effective <= 1)
        return 0;
    int error = enclose_quantile(limit, sample, alpha, judgement);
    if (!error && limit->statistic == LAUKA_STATISTIC_TYPICAL && !limit->units)
        enclose_far(limit, sample, alpha, judgement);
    return error;
}

static int judge_values(const struct lauka_limit *limit, const struct sample *sample, double alpha,
                        struct lauka_judgement *judgement)
{
    if (sample->count == 0)
        return 0;
    if (is_exact(limit, sample->sorted, sample->count))
        put_value(sample->sorted[0], judgement);
    else if (limit->units && limit->statistic != LAUKA_STATISTIC_TYPICAL)
        return 0; /* as in limit.c */
    else if (limit->statistic == LAUKA_STATISTIC_MEAN)
        judge_mean(limit, sample, alpha, judgement);
    else
        return judge_quantile(limit, sample, alpha, judgement);
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
    return judgement->value.known ? LAUKA_UNDECIDED_AROUND : LAUKA_UNDECIDED_UNKNOWN;
}

int lauka_budget_judge(const struct lauka_limit *limit, const struct lauka_series *series,
                       double alpha, struct lauka_judgement *judgement)
{
    assert(alpha > 0 && alpha < 1 && limit->most.known);
    struct sample sample;
    *judgement = (struct lauka_judgement){0};
    int error = sample_open(limit, series, &sample);
    if (!error)
        error = judge_values(limit, &sample, alpha, judgement);
    judgement->pairs = error ? 0 : sample.count;
    judgement->effective = error || judgement->exact ? 0 : sample.effective;
    sample_done(&sample);
    judgement->needed = lauka_budget_rounds_needed(limit, alpha);
    if (limit->units && judgement->needed < limit->units->least)
        judgement->needed = limit->units->least;
    judgement->confidence = judgement->value_low.known ? 1 - alpha : 0;
    judgement->verdict = verdict_of(limit, judgement);
    judgement->undecided = reason_of(limit, judgement);
    return error;
}
