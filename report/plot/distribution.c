/* How values are spread, as steps: each is a value with its repetitions, or a bucket of a histogram if
 * single values were not kept. Charts need not know which. */
#include "report/plot/plot.h"
#include "report/result/result.h"
#include "stats/histogram.h"
#include "stats/stats.h"

#include <errno.h>
#include <stdlib.h>

static bool add_step(struct lauka_distribution *distribution, struct lauka_step step)
{
    const size_t count = distribution->count;
    if ((count & (count - 1)) == 0) { /* room for the next power of two */
        struct lauka_step *steps =
            realloc(distribution->steps, (count ? 2 * count : 1) * sizeof *steps);
        if (!steps)
            return false;
        distribution->steps = steps;
    }
    distribution->steps[distribution->count++] = step;
    distribution->total = step.cumulative;
    return true;
}

static int of_series(const struct lauka_series *series, struct lauka_distribution *distribution)
{
    uint64_t *values = malloc((series->count + 1) * sizeof *values);
    bool complete = values != NULL;
    uint64_t total = values ? lauka_series_measured(series, values) : 0;
    complete = complete && lauka_sort_integers(values, total) == 0;
    distribution->exact = true;
    for (uint64_t i = 0; complete && i < total; i++)
        if (i + 1 == total || values[i + 1] != values[i])
            complete = add_step(distribution, (struct lauka_step){values[i], values[i], i + 1});
    free(values);
    return complete ? 0 : ENOMEM;
}

/* The outer buckets end where values do. */
static int of_stream(const struct lauka_result_stream *stream,
                     struct lauka_distribution *distribution)
{
    const uint64_t min = stream->moments.min, max = stream->moments.max;
    struct lauka_bucket bucket = {0};
    while (lauka_histogram_next(&stream->histogram, &bucket)) {
        struct lauka_step step = {bucket.lowest, bucket.highest, bucket.cumulative};
        if (step.lowest < min && min <= step.highest)
            step.lowest = min;
        if (step.highest > max && max >= step.lowest)
            step.highest = max;
        if (!add_step(distribution, step))
            return ENOMEM;
    }
    return 0;
}

int lauka_distribution_of(const struct lauka_result *result, size_t command, size_t metric,
                          struct lauka_distribution *distribution)
{
    const struct lauka_result_command *about = &result->commands[command];
    *distribution = (struct lauka_distribution){0};
    if (!result->metrics[metric].counted)
        return 0;
    int error = about->streams ? of_stream(&about->streams[metric], distribution)
                               : of_series(&about->series[metric], distribution);
    if (error)
        lauka_distribution_done(distribution);
    return error;
}

void lauka_distribution_done(struct lauka_distribution *distribution)
{
    free(distribution->steps);
    *distribution = (struct lauka_distribution){0};
}

static const struct lauka_step *step_of(const struct lauka_distribution *distribution,
                                        uint64_t number)
{
    size_t low = 0, high = distribution->count - 1;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (distribution->steps[middle].cumulative >= number)
            high = middle;
        else
            low = middle + 1;
    }
    return &distribution->steps[low];
}

/* The outermost values are known, even if there are only buckets. */
double lauka_distribution_value(const struct lauka_distribution *distribution, uint64_t number)
{
    const struct lauka_step *step = step_of(distribution, number);
    if (number <= 1)
        return (double)step->lowest;
    if (number >= distribution->total)
        return (double)step->highest;
    return (double)(step->lowest + (step->highest - step->lowest) / 2);
}

double lauka_distribution_quantile(const struct lauka_distribution *distribution, uint32_t rank)
{
    return lauka_distribution_value(distribution, lauka_rank_count(rank, distribution->total));
}

double lauka_distribution_below(const struct lauka_distribution *distribution, double x)
{
    size_t low = 0, high = distribution->count; /* the first step that does not end below x */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if ((double)distribution->steps[middle].highest < x)
            low = middle + 1;
        else
            high = middle;
    }
    double below = low > 0 ? (double)distribution->steps[low - 1].cumulative : 0;
    if (low == distribution->count || (double)distribution->steps[low].lowest >= x)
        return below;
    const struct lauka_step *step = &distribution->steps[low];
    double width = (double)step->highest - (double)step->lowest + 1;
    return below + ((double)step->cumulative - below) * (x - (double)step->lowest) / width;
}

bool lauka_distribution_span(const struct lauka_distribution *distribution, uint32_t rank,
                             double alpha, struct lauka_span *span)
{
    uint64_t low, high;
    if (!lauka_quantile_interval(distribution->total, rank, alpha, &low, &high))
        return false;
    *span = (struct lauka_span){
        .estimate = lauka_distribution_quantile(distribution, rank),
        .low = (double)step_of(distribution, low)->lowest,
        .high = (double)step_of(distribution, high)->highest,
    };
    return true;
}

/* The share of values that are at most x: certainly, or possibly, because a bucket may hide it. */
static double share_upto(const struct lauka_distribution *distribution, uint64_t x, bool surely)
{
    size_t low = 0, high = distribution->count; /* the first step that is not counted */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct lauka_step *step = &distribution->steps[middle];
        if ((surely ? step->highest : step->lowest) <= x)
            low = middle + 1;
        else
            high = middle;
    }
    return low == 0 ? 0
                    : (double)distribution->steps[low - 1].cumulative / (double)distribution->total;
}

/* Between the two quantiles, next to each of them. */
static bool lies_below(const struct lauka_distribution *one, const struct lauka_distribution *other,
                       uint32_t rank, double margin)
{
    const uint64_t from = step_of(one, lauka_rank_count(rank, one->total))->highest;
    const uint64_t to = step_of(other, lauka_rank_count(rank, other->total))->lowest;
    return from < to && (share_upto(one, from, true) - share_upto(other, from, false) > margin ||
                         share_upto(one, to - 1, true) - share_upto(other, to - 1, false) > margin);
}

int lauka_distribution_side(const struct lauka_distribution pair[2], uint32_t rank, double margin)
{
    return lies_below(&pair[0], &pair[1], rank, margin)   ? 1
           : lies_below(&pair[1], &pair[0], rank, margin) ? -1
                                                          : 0;
}
