/* summary: what a series comes to. Quartiles and fences are computed in integers, so that a value
 * on a fence falls on the same side on every machine. */
#include "stats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

__extension__ typedef __int128 int128;

/* Four times the quartile 1, 2 or 3 of sorted values, which is an integer: type 7 of Hyndman & Fan
 * lies at (count - 1) * quartile / 4, interpolated linearly; the second is the median. */
static int128 four_times_quartile(const uint64_t *sorted, size_t count, unsigned quartile)
{
    size_t steps = (count - 1) % 4 * quartile;
    size_t index = (count - 1) / 4 * quartile + steps / 4;
    size_t share = steps % 4;
    if (share == 0)
        return (int128)sorted[index] * 4;
    return (int128)sorted[index] * (int128)(4 - share) + (int128)sorted[index + 1] * (int128)share;
}

/* Tukey's fences: 1.5 quartile distances beyond the quartiles (Exploratory Data Analysis
 * 1977, 2D). All is times eight here. */
static uint64_t count_outliers(const uint64_t *sorted, size_t count, int128 first, int128 third)
{
    int128 low = 2 * first - 3 * (third - first);
    int128 high = 2 * third + 3 * (third - first);
    uint64_t outliers = 0;
    for (size_t i = 0; i < count; i++) {
        int128 value = (int128)sorted[i] * 8;
        outliers += value < low || value > high;
    }
    return outliers;
}

static void summarize_order(const uint64_t *sorted, size_t count, struct lauka_summary *summary)
{
    int128 first = four_times_quartile(sorted, count, 1);
    int128 third = four_times_quartile(sorted, count, 3);
    summary->first_quartile = (double)first / 4;
    summary->median = (double)four_times_quartile(sorted, count, 2) / 4;
    summary->third_quartile = (double)third / 4;
    summary->outliers = count_outliers(sorted, count, first, third);
}

static void summarize_moments(const uint64_t *values, size_t count, struct lauka_summary *summary)
{
    struct lauka_moments moments;
    lauka_moments_init(&moments);
    for (size_t i = 0; i < count; i++)
        lauka_moments_add(&moments, values[i]);

    struct lauka_optional variance = lauka_moments_variance(&moments);
    summary->min = moments.min;
    summary->max = moments.max;
    summary->mean = lauka_moments_mean(&moments);
    summary->stddev = (struct lauka_optional){variance.known, sqrt(variance.value)};
}

int lauka_summarize(const struct lauka_series *series, struct lauka_summary *summary)
{
    *summary = (struct lauka_summary){0};
    if (series->count == 0)
        return 0;

    uint64_t *values = malloc(series->count * sizeof *values);
    if (!values)
        return ENOMEM;

    size_t count = lauka_series_measured(series, values);
    summary->count = count;
    summary->missing = series->count - count;
    int error = lauka_sort_integers(values, count);
    if (!error && count > 0) {
        summarize_moments(values, count, summary);
        summarize_order(values, count, summary);
    }
    if (error)
        *summary = (struct lauka_summary){0};
    free(values);
    return error;
}
