/* compare: one series against another. They are paired by round, because only runs side by side saw the
 * same machine; or unpaired, when all that is left is two files of numbers. */
#include "stats/crossover.h"
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
    bool in_steps;             /* see is_in_steps */
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

static int select_measured(struct lauka_series *to, const struct lauka_series *from,
                           const struct lauka_series *partner)
{
    int error = lauka_series_reserve(to, from->count);
    for (size_t i = 0; i < from->count && !error; i++)
        if (lauka_series_at(from, i) != LAUKA_MISSING &&
            (!partner || lauka_series_at(partner, i) != LAUKA_MISSING))
            lauka_series_add(to, lauka_series_at(from, i));
    return error;
}

static int sides_copy(struct sides *sides, const struct lauka_series *reference,
                      const struct lauka_series *other, bool unpaired)
{
    sides->reference = sides->other = (struct lauka_series){0};
    sides->owned = true;
    int error = select_measured(&sides->reference, reference, unpaired ? NULL : other);
    if (!error)
        error = select_measured(&sides->other, other, unpaired ? NULL : reference);
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

/* ---- values in steps, as of a clock that ticks --------------------------------------------------- */

/* With more distinct values than this, no single step decides. */
enum { STEPS_MAX = 64 };

struct steps {
    uint64_t values[STEPS_MAX + 1]; /* ascending, each once */
    size_t count;
};

static void add_steps(struct steps *steps, const struct lauka_series *series)
{
    for (size_t i = 0; i < series->count && steps->count <= STEPS_MAX; i++) {
        uint64_t value = lauka_series_at(series, i);
        size_t at = steps->count;
        while (at > 0 && steps->values[at - 1] > value)
            at--;
        if (at > 0 && steps->values[at - 1] == value)
            continue;
        for (size_t j = steps->count; j > at; j--)
            steps->values[j] = steps->values[j - 1];
        steps->values[at] = value;
        steps->count++;
    }
}

static uint64_t least_above_zero(const struct lauka_series *series, uint64_t least)
{
    for (size_t i = 0; i < series->count; i++) {
        uint64_t value = lauka_series_at(series, i);
        least = value > 0 && value < least ? value : least;
    }
    return least;
}

/* Whether values are either 0 or large, with nothing between. The kernel divides CPU time between user and
 * system by the ticks that it saw, and a run in which it saw one or two has all of it on one side. If a
 * quarter of the differences are a whole value, their median tells neither how many there are nor how
 * large they are. */
static bool is_all_or_nothing(const struct sides *sides, double mean)
{
    uint64_t least = least_above_zero(&sides->reference, UINT64_MAX);
    return (double)least_above_zero(&sides->other, least) > mean / 8;
}

/* Whether the values form few steps, each larger than what matters, or are all or nothing. The median of
 * their differences is then 0, and so are both ends of its interval, although one side may take a step far
 * more often. The test looks at which values occur, not at which side they are on. */
static bool is_in_steps(const struct sides *sides, double precision)
{
    struct steps steps = {.count = 0};
    double mean = (lauka_moments_mean(&sides->reference_moments) +
                   lauka_moments_mean(&sides->other_moments)) /
                  2;
    if (is_all_or_nothing(sides, mean))
        return true;
    add_steps(&steps, &sides->reference);
    add_steps(&steps, &sides->other);
    if (steps.count > STEPS_MAX || 2 * steps.count > sides->reference.count + sides->other.count)
        return false;
    for (size_t i = 1; i < steps.count; i++)
        if ((double)(steps.values[i] - steps.values[i - 1]) <= precision * mean)
            return false;
    return true;
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
    if (!error && !(sides->in_steps && lauka_contrast_steps(&differences, options, comparison)))
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
    int error = lauka_units_collapse(values, sides->units, sides->in_steps, count, &spread);
    comparison->units = *count;
    comparison->within = spread.within;
    comparison->between = spread.between;
    return error;
}

static int locate_pairs(const struct sides *sides, const struct lauka_comparison_options *options,
                        struct lauka_comparison *comparison)
{
    size_t count = sides->reference.count;
    bool as_ratio = lauka_contrast_has_ratios(&sides->reference_moments, &sides->other_moments);
    double *values = malloc(count * sizeof *values);
    if (!values)
        return ENOMEM;
    lauka_contrast_distances(&sides->reference, &sides->other, as_ratio, values);
    if (as_ratio && sides->reference_first)
        lauka_turns_level(options->turns, sides->reference_first, count, values);
    int error = collapse(sides, values, &count, comparison);
    if (!error)
        error = locate_values(sides, values, count, as_ratio, options, comparison);
    free(values);
    return error;
}

/* Each value's distance from the same origin, sorted; no digit is lost where all values are large. The
 * caller frees it. */
static double *distances_from(uint64_t origin, const struct lauka_series *series, bool as_ratio)
{
    double *values = malloc(series->count * sizeof *values);
    for (size_t i = 0; values && i < series->count; i++)
        values[i] = lauka_contrast_distance(origin, lauka_series_at(series, i), as_ratio);
    if (values && lauka_sort_doubles(values, series->count) != 0) {
        free(values);
        return NULL;
    }
    return values;
}

static int locate_unpaired(const struct sides *sides,
                           const struct lauka_comparison_options *options,
                           struct lauka_comparison *comparison)
{
    uint64_t here = sides->reference_moments.min, there = sides->other_moments.min;
    uint64_t origin = here < there ? here : there;
    bool as_ratio = lauka_contrast_has_ratios(&sides->reference_moments, &sides->other_moments);
    double *reference = distances_from(origin, &sides->reference, as_ratio);
    double *other = distances_from(origin, &sides->other, as_ratio);

    struct lauka_location location;
    int error = reference && other ? 0 : ENOMEM;
    if (!error)
        error = lauka_locate_rank_sum(reference, sides->reference.count, other, sides->other.count,
                                      options->alpha, &location);
    if (!error)
        lauka_contrast_put(comparison, &location, LAUKA_METHOD_UNPAIRED, options->alpha, as_ratio);
    if (!error && options->limit.known) {
        double limit = lauka_contrast_limit(comparison, options->limit.value, as_ratio);
        comparison->p_above.known = true;
        error = lauka_rank_sum_above(reference, sides->reference.count, other, sides->other.count,
                                     limit, &comparison->p_above.value);
    }
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
        comparison->median_ratio = (struct lauka_optional){true, medians.other / medians.reference};
    return error;
}

static int compare_sides(struct sides *sides, const struct lauka_comparison_options *options,
                         struct lauka_comparison *comparison)
{
    const struct lauka_moments *reference = &sides->reference_moments;
    const struct lauka_moments *other = &sides->other_moments;
    lauka_contrast_moments(reference, other, comparison);
    if (comparison->pairs == 0)
        return 0;
    sides->in_steps = !options->unpaired && !lauka_contrast_has_ratios(reference, other) &&
                      is_in_steps(sides, options->precision);
    int error = sides->units
                    ? lauka_units_count(sides->units, sides->reference.count, &comparison->units)
                    : 0;
    if (error)
        return error;
    if (lauka_contrast_is_exact(reference, other))
        lauka_contrast_exact(reference, other, options, comparison);
    else
        error = options->unpaired ? locate_unpaired(sides, options, comparison)
                                  : locate_pairs(sides, options, comparison);
    if (!error)
        error = compare_medians(sides, options->medians, comparison);
    if (sides->units && comparison->units < options->units->least)
        lauka_contrast_unknow(comparison);
    lauka_contrast_withhold(comparison, options->precision);
    lauka_verdict_judge(comparison, options->precision);
    return error;
}

int lauka_compare(const struct lauka_series *reference, const struct lauka_series *other,
                  const struct lauka_comparison_options *options,
                  struct lauka_comparison *comparison)
{
    assert(options->unpaired || reference->count == other->count);
    assert(options->alpha > 0 && options->alpha < 1);

    *comparison = (struct lauka_comparison){.method = LAUKA_METHOD_NONE};
    struct sides sides = {0};
    int error = sides_select(&sides, reference, other, options);
    if (!error)
        error = compare_sides(&sides, options, comparison);
    if (error)
        *comparison = (struct lauka_comparison){.method = LAUKA_METHOD_NONE};
    sides_done(&sides);
    return error;
}
