/* Where the level of a series of sessions changed. */
#include "stats/levels.h"
#include "stats/stats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The median of |x - y| of two independent normal values is 0.954 standard deviations of each. */
#define MEDIAN_DIFFERENCE 0.9538726
#define DISTANCE_MOST 2.0 /* scales; what lies further from its level counts as this far */
/* The correlation of neighbours: what the first search takes it for, and the usual one of sessions, which counts like
 * that of 20 values, as a short series does not show its own. */
#define FIRST_CORRELATION 0.2
#define USUAL_CORRELATION 0.4
#define USUAL_WEIGHT 20.0
#define CORRELATION_MOST 0.95
#define FRESH_SCALES 4.0 /* how far values must lie from the last level to look new */

/* ---- the noise --------------------------------------------------------------------------------- */

static double median_of(const double *sorted, size_t count)
{
    return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
}

static int copy_sorted(const double *values, size_t count, double *to)
{
    memcpy(to, values, count * sizeof *to);
    return lauka_sort_doubles(to, count);
}

static int find_level(const double *values, size_t count, double *level)
{
    double *room = malloc(count * sizeof *room);
    const int failure = room ? copy_sorted(values, count, room) : ENOMEM;

    *level = failure ? 0 : median_of(room, count);
    free(room);
    return failure;
}

/* Of independent values. Where they mostly repeat, the mean difference stands for the median one: of normal values it is
 * 2 / sqrt(pi) deviations. */
static int find_scale(const double *values, size_t count, double *scale)
{
    double *differences = malloc((count - 1) * sizeof *differences), sum = 0;

    if (!differences)
        return ENOMEM;
    for (size_t i = 0; i + 1 < count; i++)
        sum += differences[i] = fabs(values[i + 1] - values[i]);
    const int failure = find_level(differences, count - 1, scale);
    *scale /= MEDIAN_DIFFERENCE;
    if (*scale <= 0)
        *scale = sum / (double)(count - 1) * sqrt(acos(-1.0)) / 2;
    free(differences);
    return failure;
}

/* Adds the products of neighbours in one level, and the squares, of their distances from it. */
static int add_products(const double *values, size_t count, double most, double *products,
                        double *squares)
{
    double level, last = 0;
    const int failure = find_level(values, count, &level);

    for (size_t i = 0; i < count; i++) {
        const double distance = fmax(-most, fmin(values[i] - level, most));
        *products += last * distance;
        *squares += distance * distance;
        last = distance;
    }
    return failure;
}

/* Within the levels that are known so far, and one standard error more. What is measured from the level of m values is
 * (1 + 3 c) / m too small (Kendall 1954): about two values' worth for each level. */
static int find_correlation(const double *values, size_t count, double scale,
                            struct lauka_levels *found)
{
    const double weight = (double)count + USUAL_WEIGHT;
    double products = 0, squares = 0;
    int failure = 0;

    for (size_t s = 0, from = 0, to; s <= found->count && !failure; s++, from = to) {
        to = s < found->count ? found->steps[s].at : count;
        failure =
            add_products(values + from, to - from, DISTANCE_MOST * scale, &products, &squares);
    }
    const double own = squares > 0 ? products / squares * (double)count : 0;
    const double sum = own + 2.0 * (double)(found->count + 1) + USUAL_WEIGHT * USUAL_CORRELATION;
    found->correlation = fmin(fmax(sum / weight, 0) + 1 / sqrt(weight), CORRELATION_MOST);
    return failure;
}

/* ---- what a segment costs ---------------------------------------------------------------------- */

/* Its values in order, and the sum of the lower half, so that the cost is known after each value. */
struct segment {
    double *sorted;
    size_t count;
    double sum, low;
};

/* Adds a value. Returns the sum of absolute deviations from the median. */
static double segment_add(struct segment *segment, double value)
{
    const size_t half = segment->count / 2;
    size_t at = 0, end = segment->count;

    while (at < end) {
        const size_t middle = (at + end) / 2;
        if (segment->sorted[middle] < value)
            at = middle + 1;
        else
            end = middle;
    }
    if (at < half)
        segment->low += value - segment->sorted[half - 1];
    memmove(&segment->sorted[at + 1], &segment->sorted[at],
            (segment->count - at) * sizeof *segment->sorted);
    segment->sorted[at] = value;
    segment->sum += value;
    segment->count++;
    if (segment->count / 2 > half)
        segment->low += segment->sorted[half];
    const double middle = segment->count % 2 ? segment->sorted[segment->count / 2] : 0;
    return segment->sum - middle - 2 * segment->low;
}

/* ---- the best partition ------------------------------------------------------------------------ */

struct partition {
    double *best;   /* least cost of the values before each index */
    size_t *last;   /* where its last segment begins */
    double *sorted; /* room */
};

static bool partition_make(struct partition *partition, size_t count)
{
    partition->best = malloc((count + 1) * sizeof *partition->best);
    partition->last = calloc(count + 1, sizeof *partition->last);
    partition->sorted = malloc((count + 1) * sizeof *partition->sorted);
    for (size_t i = 0; partition->best && i <= count; i++)
        partition->best[i] = i == 0 ? 0 : INFINITY;
    return partition->best && partition->last && partition->sorted;
}

/* Each beginning offers its segments to all ends. Where it is no better than what is known of an end, even without a
 * step, it loses against a segment that begins there, from the shortest segment on. */
static void partition_find(const double *values, size_t count, double scale, double penalty,
                           struct partition *partition)
{
    for (size_t begin = 0; begin + LAUKA_LEVELS_SEGMENT <= count; begin++) {
        struct segment segment = {.sorted = partition->sorted};
        const double before = partition->best[begin];
        size_t stop = count;
        for (size_t end = begin + 1; end <= stop && isfinite(before); end++) {
            const double cost = before + segment_add(&segment, values[end - 1]) / scale;
            if (end - begin < LAUKA_LEVELS_SEGMENT)
                continue;
            if (cost >= partition->best[end] && end + LAUKA_LEVELS_SEGMENT < stop)
                stop = end + LAUKA_LEVELS_SEGMENT;
            if (cost + penalty < partition->best[end]) {
                partition->best[end] = cost + penalty;
                partition->last[end] = begin;
            }
        }
    }
}

/* ---- what a step comes to ---------------------------------------------------------------------- */

static int measure(const double *values, double alpha, struct lauka_level_step *step)
{
    const size_t before = step->at - step->from, after = step->to - step->at;
    double *room = malloc((before + after) * sizeof *room);
    int failure = room ? copy_sorted(values + step->from, before, room) : ENOMEM;

    if (!failure)
        failure = copy_sorted(values + step->at, after, room + before);
    if (!failure)
        failure = lauka_locate_rank_sum(room, before, room + before, after, alpha, &step->location);
    step->before = failure ? 0 : median_of(room, before);
    step->after = failure ? 0 : median_of(room + before, after);
    free(room);
    return failure;
}

/* The partition leads from the last one back. Replaces what was found before. */
static int take_steps(const struct partition *partition, size_t count, struct lauka_levels *found)
{
    size_t place = 0;

    for (size_t end = count; partition->last[end] > 0; end = partition->last[end])
        place++;
    free(found->steps);
    found->count = 0;
    found->steps = calloc(place + 1, sizeof *found->steps);
    if (!found->steps)
        return ENOMEM;
    found->count = place;
    for (size_t end = count; place-- > 0; end = found->steps[place].at) {
        const size_t at = partition->last[end];
        found->steps[place] =
            (struct lauka_level_step){.at = at, .from = partition->last[at], .to = end};
    }
    return 0;
}

/* Correlated values need a higher penalty, as (1 + c) / (1 - c) of them show as much as one that is independent, and their
 * scale is larger than neighbours suggest. independent: the scale, if there were no correlation. */
static int search(const double *values, size_t count, double independent,
                  struct lauka_levels *found)
{
    const double c = found->correlation, penalty = 2 * log((double)count) * (1 + c) / (1 - c);
    struct partition partition = {0};
    int failure = partition_make(&partition, count) ? 0 : ENOMEM;

    found->scale = independent / sqrt(1 - c);
    if (!failure) {
        partition_find(values, count, found->scale, penalty, &partition);
        failure = take_steps(&partition, count, found);
    }
    free(partition.best);
    free(partition.last);
    free(partition.sorted);
    return failure;
}

/* Two values at the end can make a step with the one before, if they lie far away: it is none if that value belongs to the
 * old level. */
static int check_last(const double *values, size_t count, struct lauka_levels *found)
{
    double old, new;
    if (found->count == 0 || count - found->steps[found->count - 1].at > LAUKA_LEVELS_SEGMENT)
        return 0;
    const struct lauka_level_step *last = &found->steps[found->count - 1];
    int failure = find_level(values + last->from, last->at - last->from, &old);
    if (!failure)
        failure = find_level(values + last->at, count - last->at, &new);
    if (!failure && fabs(values[last->at] - old) < fabs(values[last->at] - new))
        found->count--;
    return failure;
}

/* Two values beyond the noise on the same side of the last level would be a step if there were a third. */
static int find_fresh(const double *values, size_t count, struct lauka_levels *found)
{
    const size_t from = found->count > 0 ? found->steps[found->count - 1].at : 0;
    double level;
    if (count < from + 2 + LAUKA_LEVELS_SEGMENT)
        return 0;
    const int failure = find_level(values + from, count - 2 - from, &level);
    const double one = values[count - 2] - level, other = values[count - 1] - level;

    if (failure || one * other <= 0 || fmin(fabs(one), fabs(other)) <= FRESH_SCALES * found->scale)
        return failure;
    const double size = (one + other) / 2;
    found->fresh =
        (struct lauka_level_step){count - 2, from, count, level, level + size, {.estimate = size}};
    return 0;
}

static void shift(struct lauka_level_step *step, size_t by)
{
    step->at += by;
    step->from += by;
    step->to += by;
}

int lauka_levels_find(const double *values, size_t count, double alpha, struct lauka_levels *found)
{
    const size_t skipped = count > LAUKA_LEVELS_WINDOW ? count - LAUKA_LEVELS_WINDOW : 0;
    double independent;

    *found = (struct lauka_levels){.correlation = FIRST_CORRELATION};
    values += skipped;
    count -= skipped;
    if (count < LAUKA_LEVELS_SEGMENT + 1)
        return 0;
    int failure = find_scale(values, count, &independent);
    if (failure || independent <= 0)
        return failure;
    failure = search(values, count, independent, found);
    failure = failure ? failure : find_correlation(values, count, independent, found);
    failure = failure ? failure : search(values, count, independent, found);
    failure = failure ? failure : check_last(values, count, found);
    failure = failure ? failure : find_fresh(values, count, found);
    if (found->fresh.at > 0)
        shift(&found->fresh, skipped);
    for (size_t i = 0; i < found->count; i++) {
        failure = failure ? failure : measure(values, alpha, &found->steps[i]);
        shift(&found->steps[i], skipped);
    }
    return failure;
}

int lauka_levels_find_exact(const double *values, size_t count, struct lauka_levels *found)
{
    *found = (struct lauka_levels){.steps = calloc(count + 1, sizeof *found->steps)};
    if (!found->steps)
        return ENOMEM;
    for (size_t at = 1, from = 0; at < count; at++) {
        const struct lauka_optional size = lauka_known(values[at] - values[at - 1]);
        if (size.value == 0)
            continue;
        if (found->count > 0)
            found->steps[found->count - 1].to = at;
        found->steps[found->count++] = (struct lauka_level_step){
            at,         from,
            count,      values[at - 1],
            values[at], {.estimate = size.value, .low = size, .high = size}};
        from = at;
    }
    return 0;
}

void lauka_levels_done(struct lauka_levels *found)
{
    free(found->steps);
    *found = (struct lauka_levels){0};
}
