/* summary: what a series comes to. Quartiles and fences are computed in integers, so that a value
 * on a fence falls on the same side on every machine. */
#include "stats/loops.h"
#include "stats/stats.h"

#include <math.h>

__extension__ typedef __int128 int128;

/* Quartiles 1, 2 and 3 lie at or after the value of rank below[i], by a fourth of `share` of the way to
 * the next one: type 7 of Hyndman & Fan, at (count - 1) * quartile / 4. */
struct quartiles {
    size_t indices[6];
    unsigned share[3];
    uint64_t values[6];
};

static void find_indices(struct quartiles *quartiles, size_t count)
{
    for (size_t i = 0; i < 3; i++) {
        size_t steps = (count - 1) % 4 * (i + 1), index = (count - 1) / 4 * (i + 1) + steps / 4;
        quartiles->share[i] = steps % 4;
        quartiles->indices[2 * i] = index;
        quartiles->indices[2 * i + 1] = steps % 4 ? index + 1 : index;
    }
}

/* Four times the quartile, which is an integer; the second is the median. */
static int128 four_times(const struct quartiles *quartiles, size_t i)
{
    int128 share = (int128)quartiles->share[i];
    return (int128)quartiles->values[2 * i] * (4 - share) +
           (int128)quartiles->values[2 * i + 1] * share;
}

/* Rounded down, and what no value can be is the least or the greatest that one can. */
static uint64_t an_eighth(int128 number)
{
    if (number < 0)
        return 0;
    return number / 8 > (int128)UINT64_MAX ? UINT64_MAX : (uint64_t)(number / 8);
}

/* Tukey's fences: 1.5 quartile distances beyond the quartiles (Exploratory Data Analysis
 * 1977, 2D). All is times eight here. */
LAUKA_UNCHECKED static uint64_t count_outliers(const struct lauka_series *series, int128 first,
                                               int128 third)
{
    int128 low = 2 * first - 3 * (third - first), high = 2 * third + 3 * (third - first);
    uint64_t least = an_eighth(low + 7), greatest = an_eighth(high), outliers = 0;
    for (size_t i = 0; i < series->count; i++) {
        uint64_t value = lauka_series_at(series, i);
        outliers += value != LAUKA_MISSING && (value < least || value > greatest);
    }
    return outliers;
}

static int summarize_order(const struct lauka_series *series, struct lauka_summary *summary)
{
    struct quartiles quartiles;
    find_indices(&quartiles, summary->count);
    int error = lauka_series_select(series, summary->min, summary->max, quartiles.indices, 6,
                                    quartiles.values);
    if (error)
        return error;
    int128 first = four_times(&quartiles, 0), third = four_times(&quartiles, 2);
    summary->first_quartile = (double)first / 4;
    summary->median = (double)four_times(&quartiles, 1) / 4;
    summary->third_quartile = (double)third / 4;
    summary->outliers = count_outliers(series, first, third);
    return 0;
}

static void summarize_moments(const struct lauka_series *series, struct lauka_summary *summary)
{
    struct lauka_moments moments;
    lauka_moments_of(series, &moments);
    summary->count = moments.count;
    summary->missing = series->count - moments.count;
    if (moments.count == 0)
        return;
    struct lauka_optional variance = lauka_moments_variance(&moments);
    summary->min = moments.min;
    summary->max = moments.max;
    summary->mean = lauka_moments_mean(&moments);
    summary->stddev = (struct lauka_optional){variance.known, sqrt(variance.value)};
}

int lauka_summarize(const struct lauka_series *series, struct lauka_summary *summary)
{
    *summary = (struct lauka_summary){0};
    summarize_moments(series, summary);
    int error = summary->count > 0 ? summarize_order(series, summary) : 0;
    if (error)
        *summary = (struct lauka_summary){0};
    return error;
}
