/* steps: values in coarse steps, as of a clock that ticks, of a text with two decimals, or of a histogram. The
 * median of their differences is 0 as long as most are equal, and so are both ends of its interval, although
 * one side may take a step far more often. */
#include "stats/means.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* Shares of equal pairs: where spreading them begins (times the root of the number of values), and means. */
static const double share_to_spread = 0.8, share_to_average = 0.15;

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a < b ? b - a : a - b;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b > 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The greatest common divisor of all distances from `origin` and of *divisor; ends where it is fine. */
static void add_distances(const struct lauka_series *series, uint64_t origin, double fine,
                          uint64_t *divisor)
{
    for (size_t i = 0; i < series->count; i++) {
        uint64_t away = distance(lauka_series_at(series, i), origin);
        if (*divisor == 0 || away % *divisor != 0)
            *divisor = common_divisor(away, *divisor);
        if (*divisor > 0 && (double)*divisor < fine)
            return;
    }
}

uint64_t *lauka_steps_pool(const struct lauka_series *first, const struct lauka_series *second,
                           size_t *count)
{
    uint64_t *values = malloc((first->count + second->count + 1) * sizeof *values);
    if (!values)
        return NULL;
    *count = lauka_series_measured(first, values);
    *count += lauka_series_measured(second, values + *count);
    if (lauka_sort_integers(values, *count) == 0)
        return values;
    free(values);
    return NULL;
}

/* How probable it is that two of the values are equal, and how many are not the most frequent one. */
static double tied_share(const uint64_t *sorted, size_t count, uint64_t *changed)
{
    double pairs = 0;
    size_t most = 0;
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i; end < count && sorted[end] == sorted[i]; end++)
            ;
        pairs += (double)(end - i) * (double)(end - i - 1);
        most = end - i > most ? end - i : most;
    }
    *changed = count - most;
    return count > 1 ? pairs / ((double)count * (double)(count - 1)) : 0;
}

/* Whether values are either 0 or large, with nothing between. The kernel divides CPU time between user and
 * system by the ticks that it saw, and a run in which it saw one or two has all of it on one side. */
static bool is_all_or_nothing(const uint64_t *sorted, size_t count, double mean)
{
    size_t i = 0;
    while (i < count && sorted[i] == 0)
        i++;
    return i > 0 && i < count && (double)sorted[i] > mean / 8;
}

/* An octave has 1 / (2 bins) of them; the finest hold one whole number each. */
static double width_of_bin(double value, double bins)
{
    int exponent;
    frexp(value, &exponent);
    return value > 0 ? fmax(1, ldexp(2 * bins, exponent - 1)) : 1;
}

double lauka_steps_rounding(const uint64_t *sorted, size_t count, double width)
{
    struct lauka_robust robust = lauka_robust_of(sorted, count);
    double near = fmax(3 * 1.4826 * robust.mad, 1.5 * width), mean = 0, squares = 0;
    size_t levels = 0, upper = 0, from = 0, end = count;
    while (robust.median - (double)sorted[from] > near)
        from++;
    while ((double)sorted[end - 1] - robust.median > near)
        end--;
    for (size_t i = from; i < end; i++) {
        bool next = i == from || sorted[i] != sorted[i - 1];
        levels += next;
        upper = next ? 1 : upper + 1;
        mean += (double)sorted[i] / (double)(end - from);
    }
    if (levels == 1)
        return width / 2;
    if (levels == 2)
        return width * fabs((double)upper / (double)(end - from) - 0.5);
    for (size_t i = from; i < end; i++)
        squares += ((double)sorted[i] - mean) * ((double)sorted[i] - mean);
    double variance = fmax(0, squares / (double)(end - from - 1) - width * width / 12);
    const double pi = 3.14159265358979323846;
    return width / 2 * exp(-2 * pi * pi * variance / (width * width));
}

static int find_off(const struct lauka_series *series, double width, double bins, double *off)
{
    const struct lauka_series none = {0};
    size_t count;
    uint64_t *sorted = lauka_steps_pool(series, &none, &count);
    if (!sorted)
        return ENOMEM;
    if (bins > 0)
        width = width_of_bin(lauka_sorted_median(sorted, count), bins);
    *off = lauka_steps_rounding(sorted, count, width);
    free(sorted);
    return 0;
}

void lauka_steps_spread(double *sorted, size_t count, double width, double bins)
{
    for (size_t i = 0, end; i < count; i = end) {
        double middle = sorted[i], wide = bins > 0 ? width_of_bin(middle, bins) : width;
        for (end = i; end < count && sorted[end] == middle; end++)
            ;
        for (size_t k = i; k < end; k++)
            sorted[k] = middle + wide * (((double)(k - i) + 0.5) / (double)(end - i) - 0.5);
    }
}

static enum lauka_zone zone_of(double tied, size_t count)
{
    if (tied >= share_to_average)
        return LAUKA_ZONE_COARSE;
    return tied * sqrt((double)count / 2) >= share_to_spread ? LAUKA_ZONE_SPREAD : LAUKA_ZONE_FINE;
}

/* Sorts all values, which tells the zone. */
static int find_zone(const struct lauka_series *reference, const struct lauka_series *other,
                     double mean, struct lauka_steps *steps)
{
    size_t count;
    uint64_t *sorted = lauka_steps_pool(reference, other, &count);
    if (!sorted)
        return ENOMEM;
    steps->zone = zone_of(tied_share(sorted, count, &steps->changed), count);
    if (is_all_or_nothing(sorted, count, mean))
        steps->zone = LAUKA_ZONE_COARSE;
    free(sorted);
    return 0;
}

int lauka_steps_find(const struct lauka_series *reference, const struct lauka_series *other,
                     const struct lauka_comparison_options *options, struct lauka_steps *steps)
{
    const enum lauka_grain grain = options->grain;
    struct lauka_moments all, others;
    uint64_t origin = lauka_series_at(reference, 0), divisor = 0;
    int error = 0;
    lauka_moments_of(reference, &all);
    lauka_moments_of(other, &others);
    bool constant = lauka_contrast_is_exact(&all, &others);
    lauka_moments_merge(&all, &others);
    double mean = lauka_moments_mean(&all), fine = all.min > 0 ? options->precision * mean / 10 : 0;
    add_distances(reference, origin, fine, &divisor);
    add_distances(other, origin, fine, &divisor);
    *steps = (struct lauka_steps){.width = constant && grain == LAUKA_GRAIN_TEXT
                                               ? 1 /* of the decimals that all have */
                                               : (double)divisor};
    if (grain == LAUKA_GRAIN_BINS || grain == LAUKA_GRAIN_LOGS) {
        steps->zone = grain == LAUKA_GRAIN_BINS ? LAUKA_ZONE_SPREAD : LAUKA_ZONE_COARSE;
        steps->changed = UINT64_MAX;
    } else if (divisor > 0 && (double)divisor < fine)
        steps->width = fine; /* at most: the search ended there */
    else
        error = find_zone(reference, other, mean, steps);
    bool rounded = options->bins > 0 || (constant && grain == LAUKA_GRAIN_CLOCK) ||
                   (grain == LAUKA_GRAIN_TEXT && steps->zone == LAUKA_ZONE_COARSE);
    if (error || !rounded || !(steps->width > 0 || options->bins > 0))
        return error;
    error = find_off(reference, steps->width, options->bins, &steps->reference_off);
    return error ? error : find_off(other, steps->width, options->bins, &steps->other_off);
}
