/* compare: one series against another. They are paired by round, because only runs side by side saw the
 * same machine; or unpaired, when all that is left is two files of numbers. */
#include "stats/crossover.h"
#include "stats/means.h"
#include "stats/units.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* The values that are compared: rounds where both sides were measured. */
struct sides {
    struct lauka_series reference, other; /* owned, or the caller's */
    bool owned;
    struct lauka_moments reference_moments, other_moments;
    uint32_t *reference_first; /* owned; see lauka_turns_select; NULL: not known */
    uint32_t *units;           /* owned; see lauka_series_marks; NULL: each round is one */
    struct lauka_steps steps;
};

static void sides_done(struct sides *sides)
{
    if (sides->owned) {
        lauka_series_done(&sides->reference);
        lauka_series_done(&sides->other);
    }
    free(sides->reference_first);
    free(sides->units);
}

static int sides_copy(struct sides *sides, const struct lauka_series *reference,
                      const struct lauka_series *other, bool unpaired)
{
    sides->reference = sides->other = (struct lauka_series){0};
    sides->owned = true;
    int error = lauka_series_pick(&sides->reference, reference, unpaired ? NULL : other);
    if (!error)
        error = lauka_series_pick(&sides->other, other, unpaired ? NULL : reference);
    if (error)
        return error;
    lauka_moments_of(&sides->reference, &sides->reference_moments);
    lauka_moments_of(&sides->other, &sides->other_moments);
    return 0;
}

/* If every round was measured, nothing is copied: copying a million values of many metrics takes long. */
static int sides_select(struct sides *sides, const struct lauka_series *reference,
                        const struct lauka_series *other,
                        const struct lauka_comparison_options *options)
{
    sides->reference = *reference;
    sides->other = *other;
    lauka_moments_of(reference, &sides->reference_moments);
    lauka_moments_of(other, &sides->other_moments);
    bool whole = sides->reference_moments.count == reference->count &&
                 sides->other_moments.count == other->count;
    int error = whole ? 0 : sides_copy(sides, reference, other, options->unpaired);
    if (error || options->unpaired)
        return error;
    if (options->units)
        sides->units = lauka_series_marks(reference, other, options->units->of, 1);
    else if (options->turns && sides->reference.count <= LAUKA_CROSSOVER_MOST)
        sides->reference_first = lauka_turns_select(options->turns, reference, other);
    else
        return 0;
    return sides->units || sides->reference_first ? 0 : ENOMEM;
}

static bool has_ratios(const struct sides *sides, const struct lauka_comparison_options *options)
{
    return !options->differences &&
           lauka_contrast_has_ratios(&sides->reference_moments, &sides->other_moments);
}

static int locate_values(const struct sides *sides, double *values, size_t count, bool as_ratio,
                         const struct lauka_comparison_options *options,
                         struct lauka_comparison *comparison)
{
    struct lauka_differences differences = {.values = values, .length = count};
    struct lauka_crossover crossover;
    bool from_two = options->turns && options->turns->cost == 0;
    int error = lauka_crossover_open(&crossover, values, from_two ? sides->reference_first : NULL,
                                     count, options->alpha);
    if (!error)
        error = lauka_sort_doubles(values, count);
    if (!error)
        error = lauka_contrast_pairs(&differences, &crossover, as_ratio, options, comparison);
    lauka_crossover_done(&crossover);
    return error;
}

/* Where rounds share units, keeps one value per unit. */
static int collapse(const struct sides *sides, double *values, size_t *count,
                    struct lauka_comparison *comparison)
{
    struct lauka_spread spread;
    if (!sides->units)
        return 0;
    int error = lauka_units_collapse(values, sides->units, false, count, &spread);
    comparison->units = *count;
    comparison->within = spread.within;
    comparison->between = spread.between;
    return error;
}

/* The side whose values are less, in their order: a random number belongs to it, whatever it is called. */
static bool is_less(const struct lauka_series *series, const struct lauka_series *than)
{
    size_t i = 0;
    while (i + 1 < series->count && lauka_series_at(series, i) == lauka_series_at(than, i))
        i++;
    return lauka_series_at(series, i) < lauka_series_at(than, i);
}

/* Distances of values of which each was moved by up to half a step, so that equal ones have an order; and those values,
 * where there is room for them. */
static void scatter(const struct sides *sides, bool as_ratio, double *values, double *reference,
                    double *other)
{
    struct lauka_random random;
    bool swap = is_less(&sides->other, &sides->reference);
    double width = sides->steps.width;
    lauka_random_seed(&random, 1);
    for (size_t i = 0; i < sides->reference.count; i++) {
        double first = width * (lauka_random_unit(&random) - 0.5);
        double second = width * (lauka_random_unit(&random) - 0.5);
        double a = (double)lauka_series_at(&sides->reference, i) + (swap ? second : first);
        double b = (double)lauka_series_at(&sides->other, i) + (swap ? first : second);
        a = as_ratio ? log(a) : a;
        b = as_ratio ? log(b) : b;
        values[i] = b - a;
        if (reference) {
            reference[i] = a;
            other[i] = b;
        }
    }
}

static uint64_t least_of(const struct sides *sides)
{
    uint64_t here = sides->reference_moments.min, there = sides->other_moments.min;
    return here < there ? here : there;
}

/* Each value's distance from the least one; no digit is lost where all values are large. */
static void place(const struct sides *sides, bool as_ratio, double *reference, double *other)
{
    uint64_t origin = least_of(sides);
    for (size_t i = 0; i < sides->reference.count; i++) {
        uint64_t a = lauka_series_at(&sides->reference, i), b = lauka_series_at(&sides->other, i);
        reference[i] = lauka_contrast_distance(origin, a, as_ratio);
        other[i] = lauka_contrast_distance(origin, b, as_ratio);
    }
}

/* The order of every round was drawn, which ranks among all values rest on. With more rounds it would take too long. */
enum { MOST_POOLED = 10000 };

static bool may_pool(const struct sides *sides, const struct lauka_comparison_options *options)
{
    size_t count = sides->reference.count;
    bool drawn = options->turns && options->turns->cost == 0;
    return drawn && !sides->units && count >= LAUKA_FEWEST_POOLED && count <= MOST_POOLED &&
           count >= (size_t)lauka_location_needed(options->alpha, false);
}

/* By ranks among all values, if rounds have little in common. */
static int pool(const struct sides *sides, const double *reference, const double *other,
                bool as_ratio, const struct lauka_comparison_options *options,
                struct lauka_comparison *comparison)
{
    struct lauka_location location;
    struct lauka_optional limit = options->limit, above = {0};
    limit.value = lauka_contrast_limit(comparison, options, as_ratio);
    int error = lauka_locate_pooled(reference, other, sides->reference.count, options->alpha, limit,
                                    &location, &above);
    if (error || !location.low.known)
        return error;
    lauka_contrast_put(comparison, &location, LAUKA_METHOD_POOLED, options->alpha, as_ratio);
    comparison->p_above = above;
    return 0;
}

static int locate_pairs(const struct sides *sides, const struct lauka_comparison_options *options,
                        struct lauka_comparison *comparison)
{
    size_t count = sides->reference.count, units = count;
    bool as_ratio = has_ratios(sides, options);
    bool spread = sides->steps.zone == LAUKA_ZONE_SPREAD, pooled = may_pool(sides, options);
    double *values = malloc((pooled ? 3 : 1) * count * sizeof *values);
    if (!values)
        return ENOMEM;
    double *reference = pooled ? values + count : NULL, *other = pooled ? reference + count : NULL;
    if (spread)
        scatter(sides, as_ratio, values, reference, other);
    else
        lauka_contrast_distances(&sides->reference, &sides->other, as_ratio, values);
    if (pooled && !spread)
        place(sides, as_ratio, reference, other);
    if (as_ratio && sides->reference_first)
        lauka_turns_level(options->turns, sides->reference_first, count, values);
    int error = collapse(sides, values, &units, comparison);
    if (!error)
        error = locate_values(sides, values, units, as_ratio, options, comparison);
    if (!error && pooled)
        error = pool(sides, reference, other, as_ratio, options, comparison);
    free(values);
    return error;
}

/* Each value's distance from the same origin, sorted; no digit is lost where all values are large. Those in
 * steps are spread first. The caller frees it. */
static double *distances_from(uint64_t origin, const struct sides *sides,
                              const struct lauka_series *series, bool as_ratio, double bins)
{
    bool spread = sides->steps.zone == LAUKA_ZONE_SPREAD;
    double *values = malloc(series->count * sizeof *values), from = (double)origin;
    for (size_t i = 0; values && i < series->count; i++)
        values[i] = spread ? (double)lauka_series_at(series, i)
                           : lauka_contrast_distance(origin, lauka_series_at(series, i), as_ratio);
    if (values && lauka_sort_doubles(values, series->count) != 0) {
        free(values);
        return NULL;
    }
    if (values && spread)
        lauka_steps_spread(values, series->count, sides->steps.width, bins);
    for (size_t i = 0; values && spread && i < series->count; i++)
        values[i] = as_ratio ? log(values[i] / from) : values[i] - from;
    return values;
}

/* Sorted distances of both sides. */
struct samples {
    const double *reference, *other;
    size_t reference_count, other_count;
};

/* Both ends move by what rounding may have added, and so do the p that belong to them. */
static int allow(const struct samples *samples, double off, struct lauka_location *location)
{
    double above, below;
    int error = lauka_rank_sum_above(samples->reference, samples->reference_count, samples->other,
                                     samples->other_count, off, &above);
    if (!error)
        error = lauka_rank_sum_above(samples->other, samples->other_count, samples->reference,
                                     samples->reference_count, off, &below);
    location->low.value -= off;
    location->high.value += off;
    if (location->p.known)
        location->p.value = fmin(1, 2 * fmin(above, below));
    return error;
}

static int locate_samples(const struct samples *samples, double off, bool as_ratio,
                          const struct lauka_comparison_options *options,
                          struct lauka_comparison *comparison)
{
    struct lauka_location location;
    int error = lauka_locate_rank_sum(samples->reference, samples->reference_count, samples->other,
                                      samples->other_count, options->alpha, &location);
    if (!error && off > 0 && location.low.known)
        error = allow(samples, off, &location);
    if (error)
        return error;
    lauka_contrast_put(comparison, &location, LAUKA_METHOD_UNPAIRED, options->alpha, as_ratio);
    if (!options->limit.known)
        return 0;
    double limit = lauka_contrast_limit(comparison, options, as_ratio) + off;
    comparison->p_above.known = true;
    return lauka_rank_sum_above(samples->reference, samples->reference_count, samples->other,
                                samples->other_count, limit, &comparison->p_above.value);
}

static int locate_unpaired(const struct sides *sides,
                           const struct lauka_comparison_options *options,
                           struct lauka_comparison *comparison)
{
    uint64_t origin = least_of(sides);
    bool as_ratio = has_ratios(sides, options);
    double *reference = distances_from(origin, sides, &sides->reference, as_ratio, options->bins);
    double *other = distances_from(origin, sides, &sides->other, as_ratio, options->bins);
    const struct samples samples = {reference, other, sides->reference.count, sides->other.count};
    double off = sides->steps.reference_off / (as_ratio ? comparison->reference_mean : 1) +
                 sides->steps.other_off / (as_ratio ? comparison->other_mean : 1);
    int error =
        reference && other ? locate_samples(&samples, off, as_ratio, options, comparison) : ENOMEM;
    free(reference);
    free(other);
    return error;
}

static int median_of(const struct lauka_series *series, const struct lauka_moments *moments,
                     double *median)
{
    const size_t middle[] = {(series->count - 1) / 2, series->count / 2};
    uint64_t values[2];
    int error = lauka_series_select(series, moments->min, moments->max, middle, 2, values);
    *median = error ? 0 : lauka_sorted_median(values, 2);
    return error;
}

static int find_medians(const struct sides *sides, struct lauka_medians *medians)
{
    int error = median_of(&sides->reference, &sides->reference_moments, &medians->reference);
    return error ? error : median_of(&sides->other, &sides->other_moments, &medians->other);
}

/* Those of whole series may be known. */
static int compare_medians(const struct sides *sides, const struct lauka_medians *known,
                           struct lauka_comparison *comparison)
{
    struct lauka_medians medians;
    int error = 0;
    if (known && !sides->owned)
        medians = *known;
    else
        error = find_medians(sides, &medians);
    if (!error && medians.reference > 0)
        comparison->median_ratio = lauka_known(medians.other / medians.reference);
    return error;
}

static double mean_of_ratios(const struct sides *sides)
{
    double sum = 0;
    for (size_t i = 0; i < sides->reference.count; i++)
        sum += lauka_contrast_distance(lauka_series_at(&sides->reference, i),
                                       lauka_series_at(&sides->other, i), true);
    return exp(sum / (double)sides->reference.count);
}

static int locate(struct sides *sides, const struct lauka_mean_ratio *means,
                  const struct lauka_comparison_options *options,
                  struct lauka_comparison *comparison)
{
    const struct lauka_moments *reference = &sides->reference_moments;
    const struct lauka_moments *other = &sides->other_moments;
    bool constant = lauka_contrast_is_exact(reference, other);
    if (constant && (options->grain == LAUKA_GRAIN_COUNT || options->repeatable)) {
        lauka_contrast_exact(reference, other, options, comparison);
        return 0;
    }
    if (!constant && sides->steps.zone != LAUKA_ZONE_COARSE)
        return options->unpaired ? locate_unpaired(sides, options, comparison)
                                 : locate_pairs(sides, options, comparison);
    bool as_ratio = has_ratios(sides, options);
    lauka_means_put(means, &sides->steps, as_ratio, options, comparison);
    if (as_ratio && !options->unpaired)
        comparison->geomean_ratio = lauka_known(mean_of_ratios(sides));
    return 0;
}

/* Most values were equal, which is not exact: the change is less than the steps of both sides. */
static void widen_empty(const struct sides *sides, struct lauka_comparison *comparison)
{
    bool ratio = comparison->log_low.known;
    bool empty = ratio ? comparison->log_low.value == comparison->log_high.value
                       : comparison->difference_low.known &&
                             comparison->difference_low.value == comparison->difference_high.value;
    if (!empty || comparison->method == LAUKA_METHOD_EXACT)
        return;
    double least = fmin(comparison->reference_mean, comparison->other_mean);
    lauka_contrast_widen(comparison, sides->steps.width / (ratio ? least : 1));
}

/* The mean beside the typical change: values that are far more often on one side. */
static int look_far(const struct sides *sides, double precision,
                    struct lauka_comparison *comparison)
{
    double rise = comparison->other_mean - comparison->reference_mean;
    if (rise <= precision * comparison->reference_mean &&
        -rise <= precision * comparison->other_mean)
        return 0;
    return lauka_means_far(&sides->reference, &sides->other, &comparison->means_differ);
}

static int compare_sides(struct sides *sides, const struct lauka_comparison_options *options,
                         struct lauka_comparison *comparison)
{
    struct lauka_mean_ratio means;
    lauka_contrast_moments(&sides->reference_moments, &sides->other_moments, comparison);
    if (comparison->pairs == 0)
        return 0;
    int error = sides->units
                    ? lauka_units_count(sides->units, sides->reference.count, &comparison->units)
                    : 0;
    if (!error)
        error = lauka_steps_find(&sides->reference, &sides->reference_moments, &sides->other,
                                 &sides->other_moments, options, &sides->steps);
    if (!error)
        error = lauka_means_find(&sides->reference, &sides->other, sides->units, options->unpaired,
                                 &means);
    if (error)
        return error;
    lauka_means_enclose(&means, comparison);
    error = locate(sides, &means, options, comparison);
    if (!error)
        error = compare_medians(sides, options->medians, comparison);
    if (sides->units && comparison->units < options->units->least)
        lauka_contrast_unknow(comparison);
    widen_empty(sides, comparison);
    lauka_verdict_judge(comparison, options->precision);
    if (!error && (comparison->verdict == LAUKA_VERDICT_EQUIVALENT || comparison->below_precision))
        error = look_far(sides, options->precision, comparison);
    if (comparison->means_differ)
        lauka_verdict_judge(comparison, options->precision);
    return error;
}

int lauka_compare(const struct lauka_series *reference, const struct lauka_series *other,
                  const struct lauka_comparison_options *options,
                  struct lauka_comparison *comparison)
{
    assert(options->unpaired || reference->count == other->count);
    assert(options->alpha > 0 && options->alpha < 1);

    *comparison =
        (struct lauka_comparison){.method = LAUKA_METHOD_NONE, .paired = !options->unpaired};
    struct sides sides = {0};
    int error = sides_select(&sides, reference, other, options);
    if (!error)
        error = compare_sides(&sides, options, comparison);
    if (error)
        *comparison = (struct lauka_comparison){.method = LAUKA_METHOD_NONE};
    sides_done(&sides);
    return error;
}
