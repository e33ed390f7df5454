/* compare: one series against another, paired by round, because only what ran side by side saw the
 * same machine; or unpaired, where all that is left is two files of numbers. */
#include "stats/crossover.h"
#include "stats/units.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* What is compared, without what was not measured. */
struct sides {
    struct lauka_series reference, other; /* owned */
    struct lauka_moments reference_moments, other_moments;
    uint32_t *reference_first; /* owned; see lauka_turns_select; NULL: not known */
    uint32_t *units;           /* owned; see lauka_units_select; NULL: each round is one */
};

static void sides_done(struct sides *sides)
{
    lauka_series_done(&sides->reference);
    lauka_series_done(&sides->other);
    free(sides->reference_first);
    free(sides->units);
}

static bool measured(const struct lauka_series *series, size_t i)
{
    return lauka_series_at(series, i) != LAUKA_MISSING;
}

static int sides_select(struct sides *sides, const struct lauka_series *reference,
                        const struct lauka_series *other,
                        const struct lauka_comparison_options *options)
{
    bool unpaired = options->unpaired;
    if (options->units && !unpaired) {
        sides->units = lauka_units_select(options->units, reference, other);
        if (!sides->units)
            return ENOMEM;
    } else if (options->turns && !unpaired) {
        sides->reference_first = lauka_turns_select(options->turns, reference, other);
        if (!sides->reference_first)
            return ENOMEM;
    }
    int error = lauka_series_reserve(&sides->reference, reference->count);
    if (!error)
        error = lauka_series_reserve(&sides->other, other->count);
    if (error)
        return error;

    for (size_t i = 0; i < reference->count; i++)
        if (measured(reference, i) && (unpaired || measured(other, i)))
            lauka_series_add(&sides->reference, lauka_series_at(reference, i));
    for (size_t i = 0; i < other->count; i++)
        if (measured(other, i) && (unpaired || measured(reference, i)))
            lauka_series_add(&sides->other, lauka_series_at(other, i));
    return 0;
}

static struct lauka_moments moments_of(const struct lauka_series *series)
{
    struct lauka_moments moments;
    lauka_moments_init(&moments);
    for (size_t i = 0; i < series->count; i++)
        lauka_moments_add(&moments, lauka_series_at(series, i));
    return moments;
}

/* ---- values in steps, as of a clock that ticks --------------------------------------------------- */

/* More than this many values are not steps of which one alone decides. */
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

/* Whether the values are few steps, each larger than what matters. The median of their differences
 * then is 0, and so are both ends of its interval, though one side may take a step far more often. It
 * looks at what values there are, not at which side has them. */
static bool is_in_steps(const struct sides *sides, double precision)
{
    struct steps steps = {.count = 0};
    double mean = (lauka_moments_mean(&sides->reference_moments) +
                   lauka_moments_mean(&sides->other_moments)) /
                  2;
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
    bool in_steps = !as_ratio && is_in_steps(sides, options->precision);
    int error =
        lauka_crossover_open(&crossover, values, sides->reference_first, count, options->alpha);
    if (!error)
        error = lauka_sort_doubles(values, count);
    if (!error && !(in_steps && lauka_contrast_steps(&differences, options, comparison)))
        error = lauka_contrast_pairs(&differences, &crossover, as_ratio, options, comparison);
    lauka_crossover_done(&crossover);
    return error;
}

/* Of rounds that share units, one value of each unit is left. */
static int collapse(const struct sides *sides, double *values, size_t *count, bool as_ratio,
                    const struct lauka_comparison_options *options,
                    struct lauka_comparison *comparison)
{
    struct lauka_spread spread;
    bool by_mean = !as_ratio && is_in_steps(sides, options->precision);
    if (!sides->units)
        return 0;
    int error = lauka_units_collapse(values, sides->units, by_mean, count, &spread);
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
    for (size_t i = 0; i < count; i++)
        values[i] = lauka_contrast_distance(lauka_series_at(&sides->reference, i),
                                            lauka_series_at(&sides->other, i), as_ratio);
    int error = collapse(sides, values, &count, as_ratio, options, comparison);
    if (!error)
        error = locate_values(sides, values, count, as_ratio, options, comparison);
    free(values);
    return error;
}

/* Every value's distance from the same one, so that no digit is lost where all are large; sorted.
 * To be freed by the caller. */
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

/* Sorts them: run order is not needed any more. */
static int compare_medians(struct sides *sides, struct lauka_comparison *comparison)
{
    size_t left = sides->reference.count, right = sides->other.count;
    uint64_t *reference = lauka_series_widen(&sides->reference);
    uint64_t *other = lauka_series_widen(&sides->other);
    int error = lauka_sort_integers(reference, left);
    if (!error)
        error = lauka_sort_integers(other, right);
    if (error)
        return error;
    double below = lauka_sorted_median(reference, left);
    double above = lauka_sorted_median(other, right);
    if (below > 0)
        comparison->median_ratio = (struct lauka_optional){true, above / below};
    return 0;
}

/* Before anything is made of them. */
static int count_units(const struct sides *sides, struct lauka_comparison *comparison)
{
    size_t count = sides->reference.count;
    struct lauka_spread spread;
    if (!sides->units)
        return 0;
    double *zeros = calloc(count + 1, sizeof *zeros);
    if (!zeros)
        return ENOMEM;
    int error = lauka_units_collapse(zeros, sides->units, true, &count, &spread);
    comparison->units = count;
    free(zeros);
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
    int error = count_units(sides, comparison);
    if (error)
        return error;
    if (lauka_contrast_is_exact(reference, other))
        lauka_contrast_exact(reference, other, options, comparison);
    else
        error = options->unpaired ? locate_unpaired(sides, options, comparison)
                                  : locate_pairs(sides, options, comparison);
    if (!error)
        error = compare_medians(sides, comparison);
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
    if (!error) {
        sides.reference_moments = moments_of(&sides.reference);
        sides.other_moments = moments_of(&sides.other);
        error = compare_sides(&sides, options, comparison);
    }
    if (error)
        *comparison = (struct lauka_comparison){.method = LAUKA_METHOD_NONE};
    sides_done(&sides);
    return error;
}
