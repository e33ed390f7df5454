/* How values are spread, as steps: each is a value with its repetitions, or a bucket of a histogram if
 * single values were not kept. Charts need not know which. And how far the quantiles of one command lie from the
 * reference's, each with its interval, and which of them differ beyond doubt. */
#include "report/analysis/distribution.h"
#include "report/result/result.h"
#include "stats/histogram.h"
#include "stats/stats.h"
#include "stats/units.h"

#include <errno.h>
#include <math.h>
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

/* Compares their quantiles at this rank: 1 if the second is higher, -1 if lower, 0 if they differ by no more than the margin,
 * lauka_share_margin of both. It is valid for any number of ranks at once. */
static int side_at(const struct lauka_distribution pair[2], uint32_t rank, double margin)
{
    return lies_below(&pair[0], &pair[1], rank, margin)   ? 1
           : lies_below(&pair[1], &pair[0], rank, margin) ? -1
                                                          : 0;
}

/* ---- the quantile shift ---------------------------------------------------------------------- */

static struct lauka_span in_logs(struct lauka_span span)
{
    return (struct lauka_span){log(span.estimate), log(span.low), log(span.high)};
}

static const struct lauka_comparison *comparison_of(const struct lauka_shift *shift)
{
    return lauka_result_view(shift->result, shift->command, shift->metric).comparison;
}

/* How many comparisons share alpha, as the verdicts of a family do. */
static double family_of(const struct lauka_shift *shift)
{
    const struct lauka_comparison *comparison = comparison_of(shift);
    return comparison && comparison->family > 1 ? (double)comparison->family : 1;
}

bool lauka_shift_of(const struct lauka_result *result, size_t command, size_t metric,
                    const struct lauka_distribution pair[2], struct lauka_shift *shift)
{
    *shift = (struct lauka_shift){.result = result,
                                  .command = command,
                                  .metric = metric,
                                  .pair = {pair[0], pair[1]},
                                  .alpha = 1 - lauka_result_confidence(result)};
    if (command == 0 || pair[0].total == 0 || pair[1].total == 0)
        return false;
    shift->margin =
        lauka_share_margin(pair[0].total, pair[1].total, shift->alpha / family_of(shift));
    shift->as_ratio = pair[0].steps[0].lowest > 0 && pair[1].steps[0].lowest > 0;
    return true;
}

/* By the interval of the quantile alone. */
static int side_of(const struct lauka_shift_point *point)
{
    return !point->known ? 0 : point->span.low > 0 ? 1 : point->span.high < 0 ? -1 : 0;
}

/* The interval is about each quantile by itself, and of 99 some leave it by chance: a side also holds for all of them
 * together. */
struct lauka_shift_point lauka_shift_at(const struct lauka_shift *shift, uint32_t rank)
{
    struct lauka_shift_point point = {.known = true};
    struct lauka_span spans[2];
    for (size_t i = 0; i < 2; i++) {
        double value = lauka_distribution_quantile(&shift->pair[i], rank);
        spans[i] = (struct lauka_span){value, value, value};
        point.known &= lauka_distribution_span(&shift->pair[i], rank, shift->alpha, &spans[i]);
        if (shift->as_ratio)
            spans[i] = in_logs(spans[i]);
    }
    point.span = lauka_span_difference(spans[0], spans[1]);
    const int side = side_of(&point);
    if (side != 0 && side == side_at(shift->pair, rank, shift->margin))
        point.side = side;
    return point;
}

int lauka_shift_side(const struct lauka_shift *shift, uint32_t rank, size_t shown)
{
    struct lauka_units units;
    struct lauka_shift together = *shift;
    const struct lauka_comparison *comparison = comparison_of(shift);
    if (!comparison || comparison->verdict == LAUKA_VERDICT_NONE ||
        lauka_result_units(shift->result, &units))
        return 0;
    together.alpha /= family_of(shift) * (double)shown;
    const struct lauka_shift_point point = lauka_shift_at(&together, rank);
    return side_of(&point);
}

bool lauka_shift_is_small(const struct lauka_shift *shift, const struct lauka_shift_point *point)
{
    return shift->as_ratio &&
           fabs(expm1(point->span.estimate)) < lauka_result_precision(shift->result);
}
