/* Equal steps of an axis, and the share of each command's values that lies in them. */
#include "report/plot/plot.h"
#include "stats/histogram.h"

#include <math.h>

static double along(const struct lauka_axis *axis, double value)
{
    return axis->kind == LAUKA_AXIS_LOG ? log(value) : value;
}

/* 2 * IQR / n^(1/3), along the axis; 0 where half of all values are one. */
static double freedman_diaconis(const struct lauka_axis *axis,
                                const struct lauka_distribution *distribution)
{
    double low = lauka_distribution_quantile(distribution, LAUKA_RANK_WHOLE / 4);
    double high = lauka_distribution_quantile(distribution, LAUKA_RANK_WHOLE / 4 * 3);
    return 2 * (along(axis, high) - along(axis, low)) / cbrt((double)distribution->total);
}

/* The smallest step between two values if many are equal (pages, faults); 0 if they are not. */
static double grain_of(const struct lauka_distribution *distribution)
{
    double least = INFINITY;
    if (!distribution->exact || 2 * distribution->count > distribution->total)
        return 0;
    for (size_t i = 1; i < distribution->count; i++)
        least = fmin(least, (double)distribution->steps[i].lowest -
                                (double)distribution->steps[i - 1].lowest);
    return isinf(least) ? 0 : least;
}

/* Buckets of a histogram should not be distinguishable. */
static double bucket_width(const struct lauka_axis *axis,
                           const struct lauka_distribution *distribution)
{
    double widest = 0;
    for (size_t i = 0; !distribution->exact && i < distribution->count; i++) {
        const struct lauka_step *step = &distribution->steps[i];
        double width = (double)step->highest - (double)step->lowest;
        if (lauka_axis_holds(axis, (double)step->lowest))
            widest =
                fmax(widest, axis->kind == LAUKA_AXIS_LOG ? width / (double)step->lowest : width);
    }
    return widest;
}

static void count_in(const struct lauka_axis *axis, const struct lauka_distribution *distribution,
                     size_t which, struct lauka_bins *bins)
{
    const double total = (double)distribution->total;
    double below = 0;
    for (size_t i = 0; i <= bins->count && total > 0; i++) {
        double edge = axis->kind == LAUKA_AXIS_LOG ? exp(bins->edges[i]) : bins->edges[i];
        double upto = lauka_distribution_below(distribution, edge) / total;
        if (i == 0)
            bins->beyond[which][0] = upto;
        else
            bins->shares[which][i - 1] = upto - below;
        if (i > 0)
            bins->most = fmax(bins->most, upto - below);
        below = upto;
    }
    bins->beyond[which][1] = total > 0 ? 1 - below : 0;
}

static void fill(const struct lauka_axis *axis, const struct lauka_distribution *distributions,
                 size_t count, double from, double width, struct lauka_bins *bins)
{
    for (size_t i = 0; i <= bins->count; i++)
        bins->edges[i] = from + width * (double)i;
    for (size_t d = 0; d < count && d < 2; d++)
        count_in(axis, &distributions[d], d, bins);
}

void lauka_bins_fill(const struct lauka_axis *axis, const struct lauka_distribution *distributions,
                     size_t count, size_t bin_count, struct lauka_bins *bins)
{
    *bins = (struct lauka_bins){.count = bin_count < LAUKA_BINS ? bin_count : LAUKA_BINS};
    fill(axis, distributions, count, axis->from, (axis->to - axis->from) / (double)bins->count,
         bins);
}

void lauka_bins_of(const struct lauka_axis *axis, const struct lauka_distribution *distributions,
                   size_t count, size_t most, struct lauka_bins *bins)
{
    const double width = axis->to - axis->from;
    double step = INFINITY, grain = INFINITY, coarsest = 0;
    for (size_t d = 0; d < count; d++) {
        if (distributions[d].total == 0)
            continue;
        double own = freedman_diaconis(axis, &distributions[d]);
        step = own > 0 ? fmin(step, own) : step;
        grain = fmin(grain, grain_of(&distributions[d]));
        coarsest = fmax(coarsest, bucket_width(axis, &distributions[d]));
    }
    *bins = (struct lauka_bins){.count = most / 2};
    if (grain > 0 && axis->kind == LAUKA_AXIS_LINEAR && width / grain < (double)most - 1) {
        double value = lauka_distribution_value(&distributions[0], 1); /* values lie amidst */
        double first = value - ceil((value - axis->from) / grain) * grain - grain / 2;
        bins->count = (size_t)ceil((axis->to - first) / grain);
        bins->count = bins->count > 0 ? bins->count : 1;
        fill(axis, distributions, count, first, grain, bins);
        return;
    }
    if (!isinf(step))
        bins->count = (size_t)fmin(fmax(ceil(width / step), 8), (double)most);
    if (coarsest > 0 && width / (double)bins->count < coarsest)
        bins->count = (size_t)fmax(floor(width / coarsest), 1);
    fill(axis, distributions, count, axis->from, width / (double)bins->count, bins);
}
