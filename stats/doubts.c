/* doubts: what speaks against trusting the numbers. First the middle of values and how far they lie from it,
 * whatever a few of them do. */
#include "stats.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* The median of |value - median|: to the left and to the right of the median the distances grow, so
 * they are merged from there on, and none is sorted. */
static double median_distance(const uint64_t *sorted, size_t count, double median)
{
    size_t left = count / 2, right = count / 2;
    double previous = 0, distance = 0;
    for (size_t taken = 0; taken <= count / 2; taken++) {
        double below = left > 0 ? median - (double)sorted[left - 1] : HUGE_VAL;
        double above = right < count ? (double)sorted[right] - median : HUGE_VAL;
        previous = distance;
        distance = below < above ? below : above;
        left -= below < above;
        right += !(below < above);
    }
    return count % 2 ? distance : (previous + distance) / 2;
}

/* The smallest step from one value to the next larger one; 0 where all are equal. */
static double smallest_step(const uint64_t *sorted, size_t count)
{
    uint64_t smallest = 0;
    for (size_t i = 1; i < count; i++) {
        uint64_t step = sorted[i] - sorted[i - 1];
        if (step > 0 && (smallest == 0 || step < smallest))
            smallest = step;
    }
    return (double)smallest;
}

struct lauka_robust lauka_robust_of(const uint64_t *sorted, size_t count)
{
    struct lauka_robust robust = {.median = lauka_sorted_median(sorted, count)};
    robust.mad = median_distance(sorted, count, robust.median);
    robust.scale = robust.mad > 0 ? robust.mad : smallest_step(sorted, count);
    return robust;
}

/* 10 deviations of a normal distribution, where the deviation is 1.4826 median distances (Hampel
 * 1974); the limit that hyperfine uses. */
bool lauka_robust_is_outlier(const struct lauka_robust *robust, double scale, uint64_t value)
{
    return fabs((double)value - robust->median) > 14.826 * scale;
}

/* modes: whether values fall into two groups. Between two groups lies a valley: a stretch with clearly
 * fewer values than the stretches of equal width on either side. In a single group, however skewed, one of
 * these lies farther out and holds fewer values. */
enum {
    FEWEST = 20, /* values in which groups are looked for */
    MOST = 300,  /* looked at; of more, so many at even ranks: ripples in many are no groups */
    SHARE = 10,  /* a tenth of the values at least is in the smaller group */
};

/* By how many standard deviations the valley must be too empty. Evenly spread values are the single group
 * most like two. Of 2,000 such series, 0.2 % had a valley as deep as 3.0 (25 values), 3.5 (50), 3.8 (100)
 * and 3.85 (200), because the deepest of all valleys is taken. */
static double clear_depth(size_t count)
{
    return 2 + 0.85 * log10((double)count);
}

struct valley {
    double depth;
    size_t left, right; /* indices of the values beside it */
};

/* The stretches on both sides of a valley: the first value of the left one, and the first value behind the
 * right one. While a valley's right end moves on, both only grow. */
struct beside {
    size_t begin, end;
};

/* For two stretches with m and v values, (m - v) / sqrt(m + v) is normal if they are alike. */
static double depth_of(const double *sorted, size_t count, size_t left, size_t right,
                       struct beside *stretches)
{
    double width = sorted[right] - sorted[left];
    while (stretches->begin > 0 && sorted[stretches->begin - 1] >= sorted[left] - width)
        stretches->begin--;
    while (stretches->end < count && sorted[stretches->end] <= sorted[right] + width)
        stretches->end++;
    size_t before = left + 1 - stretches->begin, after = stretches->end - right;
    size_t fewer = before < after ? before : after;
    if (fewer * SHARE < count)
        return 0;
    double beside = (double)fewer, inside = (double)(right - left - 1);
    return (beside - inside) / sqrt(beside + inside);
}

/* fewest: the values that both stretches need, at least, beside a valley with 0 ... count / 3 inside, if it is to be
 * deeper than `depth`, and the smaller group large enough. */
static void find_fewest(size_t count, double depth, size_t *fewest)
{
    size_t beside = (count + SHARE - 1) / SHARE;
    for (size_t inside = 0; inside <= count / 3; inside++) {
        double more = (double)beside - (double)inside;
        while (more <= 0 || more * more <= depth * depth * (double)(beside + inside)) {
            beside++;
            more++;
        }
        fewest[inside] = beside;
    }
}

/* Whether both stretches have so many values. It costs less than to count them. */
static bool has_beside(const double *sorted, size_t left, size_t right, size_t fewest)
{
    double width = sorted[right] - sorted[left];
    return sorted[left + 1 - fewest] >= sorted[left] - width &&
           sorted[right + fewest - 1] <= sorted[right] + width;
}

/* Each side holds a tenth of the values, and more than the valley does; so the valley holds a third at
 * most. depth: what is not deeper is none. */
static struct valley find_valley(const double *sorted, size_t count, double depth)
{
    struct valley deepest = {.depth = depth};
    size_t fewest[MOST / 3 + 1];
    find_fewest(count, depth, fewest);
    for (size_t left = fewest[0] - 1; left + fewest[0] < count; left++) {
        struct beside stretches = {left + 1, left + 1};
        for (size_t right = left + 1; right - left <= count / 3; right++) {
            size_t needed = fewest[right - left - 1];
            if (left + 1 < needed || count - right < needed)
                break; /* and all the more for wider ones */
            if (!has_beside(sorted, left, right, needed))
                continue;
            double found = depth_of(sorted, count, left, right, &stretches);
            if (found > deepest.depth)
                deepest = (struct valley){found, left, right};
        }
    }
    return deepest;
}

/* Of sorted values: where they fall into two groups, each of a tenth at least, the ratio of the upper
 * one's middle to the lower one's. Needs 20 values, and more for small groups; of more than 300 it
 * looks at 300. Values of few levels are all groups: do not ask of them. */
static struct lauka_optional modes_ratio(const uint64_t *sorted, size_t count)
{
    double values[MOST];
    size_t taken = count < MOST ? count : MOST;
    if (count < FEWEST)
        return (struct lauka_optional){0};
    for (size_t i = 0; i < taken; i++)
        values[i] = (double)sorted[(size_t)(((lauka_uint128)2 * i + 1) * count / (2 * taken))];
    struct valley valley = find_valley(values, taken, clear_depth(taken));
    double lower = values[valley.left / 2], upper = values[(valley.right + taken) / 2];
    if (valley.right == 0 || lower == 0)
        return (struct lauka_optional){0};
    return lauka_known(upper / lower);
}

/* doubts: reasons not to trust the numbers. Each is raised by at most one clean series in a hundred,
 * because ten metrics of several commands are tested; tests/unit/stats/doubts.c counts. */
/* Thresholds. Those of tests are two-sided p-values; see above. */
static const double share_of_outliers = 0.05;
static const double p_of_drift = 0.002, p_of_position = 0.002;
static const double smallest_position = 0.001; /* a ratio nearer to 1 is not worth a word */
static const double deviations_of_correlation = 3, smallest_correlation = 0.2;
static const double times_wider = 5;
enum { FEWEST_VALUES = 10, FEW_LEVELS = 30 };

/* One series without what was not measured. */
struct course {
    uint64_t *values; /* owned; in run order */
    uint64_t *sorted; /* owned */
    size_t count;
    struct lauka_robust robust;
    bool few_levels; /* a count of something: its values repeat, its levels are no groups */
};

static void course_done(struct course *course)
{
    free(course->values);
    free(course->sorted);
}

static bool repeats(const uint64_t *sorted, size_t count)
{
    size_t levels = 1;
    for (size_t i = 1; i < count; i++)
        levels += sorted[i] != sorted[i - 1];
    return levels < FEW_LEVELS && levels < count - count / 4;
}

static int course_init(struct course *course, const struct lauka_series *series)
{
    size_t size = (series->count + 1) * sizeof *course->values; /* never 0 */
    *course = (struct course){.sorted = malloc(size)};
    int error = course->sorted ? 0 : ENOMEM;
    if (!error)
        error = lauka_sort_integers(course->sorted, lauka_series_measured(series, course->sorted));
    /* Only now, as sorting takes as much again: lauka's memory has its peak here. */
    if (!error && !(course->values = malloc(size)))
        error = ENOMEM;
    if (!error)
        course->count = lauka_series_measured(series, course->values);
    if (!error && course->count > 0) {
        course->robust = lauka_robust_of(course->sorted, course->count);
        course->few_levels = repeats(course->sorted, course->count);
    }
    return error;
}

static struct lauka_optional raised(bool raise, double number)
{
    return raise ? lauka_known(number) : (struct lauka_optional){0};
}

/* ---- one series ---- */

static bool is_outlier(const struct course *course, size_t i)
{
    return lauka_robust_is_outlier(&course->robust, course->robust.scale, course->values[i]);
}

static struct lauka_optional doubt_first(const struct course *course)
{
    double usual = course->robust.median;
    return raised(usual > 0 && is_outlier(course, 0), (double)course->values[0] / usual);
}

/* Leaves out the first value, which has a doubt of its own. */
static struct lauka_optional doubt_outliers(const struct course *course)
{
    size_t outliers = 0;
    for (size_t i = 1; i < course->count; i++)
        outliers += is_outlier(course, i);
    double share = (double)outliers / (double)course->count;
    return raised(share > share_of_outliers, share);
}

static double mean_of(const struct course *course)
{
    struct lauka_moments moments;
    lauka_moments_init(&moments);
    for (size_t i = 0; i < course->count; i++)
        lauka_moments_add(&moments, course->values[i]);
    return lauka_moments_mean(&moments);
}

/* Looks at the lowest twentieth, because the minimum itself sinks the longer one measures. The doubt: a
 * spread that wide, or a mean pulled that far from where most values lie. */
static struct lauka_optional doubt_minimum(const struct course *course)
{
    double mean = mean_of(course), least = (double)course->sorted[0];
    double low = (double)course->sorted[course->count / 20];
    double deviation = 1.4826 * course->robust.scale;
    bool wide = mean > 1.5 * low && mean - low > deviation;
    bool pulled = mean > 1.1 * low && mean - low > 10 * deviation;
    return raised(least > 0 && !course->few_levels && (wide || pulled), mean / least);
}

/* The middle value, or the upper one of two. These values are part of the whole series. */
static int middle_of(const struct course *course, size_t begin, size_t count, double *middle)
{
    const struct lauka_series part = {.wide = course->values + begin, .count = count};
    const size_t index = count / 2;
    uint64_t value = 0;
    int error = lauka_series_select(&part, course->sorted[0], course->sorted[course->count - 1],
                                    &index, 1, &value);
    *middle = (double)value;
    return error;
}

static int test_drift(const struct course *course, size_t third, double *p)
{
    double *first = malloc(2 * third * sizeof *first), *last = first + third;
    struct lauka_mann_whitney test;
    if (!first)
        return ENOMEM;
    for (size_t i = 0; i < third; i++) {
        first[i] = (double)course->values[i];
        last[i] = (double)course->values[course->count - third + i];
    }
    int error = lauka_sort_doubles(first, third);
    if (!error)
        error = lauka_sort_doubles(last, third);
    if (!error)
        lauka_mann_whitney(first, third, last, third, &test);
    *p = error ? 1 : test.p;
    free(first);
    return error;
}

/* Compares the first third of the rounds with the last. Sorts only if they differ. */
static int doubt_drift(const struct course *course, double precision, struct lauka_optional *doubt)
{
    size_t third = course->count / 3;
    double before, after, p = 1;
    int error = middle_of(course, 0, third, &before);
    if (!error)
        error = middle_of(course, course->count - third, third, &after);
    if (error)
        return error;
    bool matters = before > 0 && fabs(after - before) > precision * before;
    if (matters)
        error = test_drift(course, third, &p);
    *doubt = raised(matters && p < p_of_drift, matters ? after / before : 0);
    return error;
}

/* Correlation of neighbours, with far values drawn in, because one pair of outliers would produce it
 * otherwise. For independent values it has mean -1/n and variance 1/n (Kendall & Stuart 1976). */
static struct lauka_optional doubt_correlation(const struct course *course)
{
    double median = course->robust.median, limit = 3 * 1.4826 * course->robust.mad;
    double previous = 0, products = 0, squares = 0, sum = 0, n = (double)course->count;
    for (size_t i = 0; i < course->count; i++)
        sum += fmax(-limit, fmin(limit, (double)course->values[i] - median));
    for (size_t i = 0; i < course->count; i++) {
        double value = fmax(-limit, fmin(limit, (double)course->values[i] - median)) - sum / n;
        products += i > 0 ? value * previous : 0;
        squares += value * value;
        previous = value;
    }
    double correlation = squares > 0 ? products / squares : 0;
    double deviations = (correlation + 1 / n) * sqrt(n);
    return raised(correlation > smallest_correlation && deviations > deviations_of_correlation,
                  correlation);
}

static int doubt_course(const struct course *course, double precision, struct lauka_doubts *doubts)
{
    doubts->raised[LAUKA_DOUBT_FIRST_ROUND] = doubt_first(course);
    doubts->raised[LAUKA_DOUBT_OUTLIERS] = doubt_outliers(course);
    doubts->raised[LAUKA_DOUBT_ABOVE_MINIMUM] = doubt_minimum(course);
    doubts->raised[LAUKA_DOUBT_AUTOCORRELATION] = doubt_correlation(course);
    if (!course->few_levels)
        doubts->raised[LAUKA_DOUBT_TWO_MODES] = modes_ratio(course->sorted, course->count);
    return doubt_drift(course, precision, &doubts->raised[LAUKA_DOUBT_DRIFT]);
}

int lauka_doubts_of_series(const struct lauka_series *series, double precision,
                           struct lauka_doubts *doubts)
{
    for (size_t i = 0; i <= LAUKA_DOUBT_TWO_MODES; i++)
        doubts->raised[i] = (struct lauka_optional){0};
    struct course course;
    int error = course_init(&course, series);
    if (!error && course.count >= FEWEST_VALUES)
        error = doubt_course(&course, precision, doubts);
    course_done(&course);
    return error;
}

/* ---- two series ---- */

/* Whether `other` ran after `reference` in this round. */
static bool ran_after(const uint32_t *order, size_t commands, uint32_t reference, uint32_t other)
{
    for (size_t i = 0; i < commands; i++) {
        if (order[i] == reference)
            return true;
        if (order[i] == other)
            return false;
    }
    return false;
}

/* Log ratios of the rounds: those where the other ran second from the front, those where it ran first from
 * the back. */
struct places {
    double *ratios; /* owned */
    size_t after, before, size;
    bool zeros; /* there is a value without a ratio */
};

static void places_fill(struct places *places, const struct lauka_series *reference,
                        const struct lauka_series *other, const uint32_t *order, size_t commands,
                        uint32_t reference_index, uint32_t other_index)
{
    for (size_t i = 0; i < reference->count; i++) {
        uint64_t a = lauka_series_at(reference, i), b = lauka_series_at(other, i);
        if (a == LAUKA_MISSING || b == LAUKA_MISSING)
            continue;
        places->zeros |= a == 0 || b == 0;
        if (places->zeros)
            return;
        double ratio = lauka_contrast_distance(a, b, true);
        if (ran_after(order + i * commands, commands, reference_index, other_index))
            places->ratios[places->after++] = ratio;
        else
            places->ratios[places->size - ++places->before] = ratio;
    }
}

static int doubt_places(struct places *places, struct lauka_optional *doubt)
{
    double *after = places->ratios, *before = places->ratios + places->size - places->before;
    int error = lauka_sort_doubles(after, places->after);
    if (!error)
        error = lauka_sort_doubles(before, places->before);
    if (error || places->after == 0 || places->before == 0)
        return error;
    struct lauka_mann_whitney test;
    lauka_mann_whitney(before, places->before, after, places->after, &test);
    /* The one who comes later takes more, whoever it is: so each takes half of what they differ
     * by. */
    double shift = (after[places->after / 2] - before[places->before / 2]) / 2;
    *doubt = raised(test.p < p_of_position && fabs(shift) > smallest_position, exp(shift));
    return 0;
}

int lauka_doubts_of_order(const struct lauka_series *reference, const struct lauka_series *other,
                          const uint32_t *order, size_t commands, uint32_t reference_index,
                          uint32_t other_index, struct lauka_doubts *doubts)
{
    assert(reference->count == other->count);

    doubts->raised[LAUKA_DOUBT_POSITION] = (struct lauka_optional){0};
    if (!order || reference->count < FEWEST_VALUES)
        return 0;
    struct places places = {.size = reference->count};
    places.ratios = malloc(places.size * sizeof *places.ratios);
    if (!places.ratios)
        return ENOMEM;
    places_fill(&places, reference, other, order, commands, reference_index, other_index);
    int error = 0;
    if (!places.zeros)
        error = doubt_places(&places, &doubts->raised[LAUKA_DOUBT_POSITION]);
    free(places.ratios);
    return error;
}

/* What is left of the mean without the two largest, which are no tail. 0 where nothing is. */
static double mean_without_two(const struct lauka_series *series)
{
    uint64_t largest[2] = {0, 0};
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < series->count; i++) {
        uint64_t value = lauka_series_at(series, i), kept = value;
        if (value == LAUKA_MISSING)
            continue;
        for (size_t k = 0; k < 2; k++)
            if (kept > largest[k]) {
                uint64_t smaller = largest[k];
                largest[k] = kept;
                kept = smaller;
            }
        sum += (double)kept;
        count++;
    }
    return count > 2 ? sum / (double)(count - 2) : 0;
}

/* Which side of the interval, by more than does not matter: -1, 0, 1. */
static int side_of(double ratio, const struct lauka_comparison *comparison, double precision)
{
    double margin = fmax(precision > 0 ? precision : 0.01, comparison->half_width.value / 2);
    return (ratio > comparison->high.value + margin) - (ratio < comparison->low.value - margin);
}

/* An interval of one point is that of a count that mostly stays what it was: its mean says nothing
 * about tails. */
void lauka_doubts_of_comparison(const struct lauka_comparison *comparison,
                                const struct lauka_series *reference,
                                const struct lauka_series *other, double precision,
                                struct lauka_doubts *doubts)
{
    bool ranks = comparison->method == LAUKA_METHOD_HODGES_LEHMANN ||
                 comparison->method == LAUKA_METHOD_POOLED ||
                 comparison->method == LAUKA_METHOD_UNPAIRED;
    bool wide = comparison->low.known && comparison->low.value < comparison->high.value;
    int side = side_of(comparison->mean_ratio.value, comparison, precision);
    bool raise = ranks && wide && comparison->mean_ratio.known && side != 0;
    if (raise && reference && other) {
        double before = mean_without_two(reference), after = mean_without_two(other);
        raise = before > 0 && side_of(after / before, comparison, precision) == side;
    }
    doubts->raised[LAUKA_DOUBT_TAILS] = raised(raise, comparison->mean_ratio.value);
}

void lauka_doubts_of_times(const struct lauka_comparison *wall, const struct lauka_comparison *cpu,
                           double precision, struct lauka_doubts *doubts)
{
    bool both = wall->half_width.known && cpu->half_width.known && cpu->half_width.value > 0;
    double wider = both ? wall->half_width.value / cpu->half_width.value : 0;
    bool matters = wall->half_width.value > precision / 2;
    doubts->raised[LAUKA_DOUBT_BUSY] = raised(matters && wider > times_wider, wider);
}
