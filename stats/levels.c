/* Where the level of a series of sessions changed. */
#include "stats/levels.h"
#include "stats/stats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The median of |x - y| of two independent normal values is 0.954 standard deviations of each. */
#define MEDIAN_DIFFERENCE 0.9538726
/* The correlation's own, of 100 values; without it, correlated series look like steps. */
#define CORRELATION_ERROR 0.18
#define CORRELATION_MOST 0.95
enum { FEWEST_CORRELATED = 40 };
/* Of fewer values: a step among them would look like correlation. */
#define CORRELATION_ASSUMED 0.45
#define FRESH_SCALES 4.0 /* how far values must lie from the last level to look new */

/* ---- the noise --------------------------------------------------------------------------------- */

static double median_of(double *values, size_t count)
{
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* From differences of this lag; room: for all of them. Returns 0 or ENOMEM. */
static int find_scale(const double *values, size_t count, size_t lag, double *room, double *scale)
{
    const size_t differences = count - lag;

    for (size_t i = 0; i < differences; i++)
        room[i] = fabs(values[i + lag] - values[i]);
    int failure = lauka_sort_doubles(room, differences);
    *scale = failure ? 0 : median_of(room, differences) / MEDIAN_DIFFERENCE;
    return failure;
}

/* The same from the mean difference, for values that mostly repeat: of normal ones it is 2 / sqrt(pi) deviations. */
static double rare_scale(const double *values, size_t count)
{
    double sum = 0;

    for (size_t i = 1; i < count; i++)
        sum += fabs(values[i] - values[i - 1]);
    return sum / (double)(count - 1) * sqrt(acos(-1.0)) / 2;
}

/* In a series whose neighbours have the correlation c, and values k apart c^k, the squared scales of lag 4 and 1 have
 * the ratio (1 - c^4) / (1 - c). */
static double correlation_of(double ratio)
{
    double low = 0, high = CORRELATION_MOST;

    for (int i = 0; i < 40; i++) {
        const double c = (low + high) / 2;
        if (1 + c + c * c + c * c * c < ratio)
            low = c;
        else
            high = c;
    }
    return low;
}

static int find_noise(const double *values, size_t count, struct lauka_levels *found)
{
    double *room = malloc(count * sizeof *room), near = 0, far = 0;
    int failure = room ? find_scale(values, count, 1, room, &near) : ENOMEM;

    const bool repeats = near <= 0;
    far = near = repeats ? rare_scale(values, count) : near;
    if (!failure && !repeats && count >= FEWEST_CORRELATED)
        failure = find_scale(values, count, 4, room, &far);
    free(room);
    if (failure)
        return failure;
    found->correlation = near > 0 ? correlation_of(far * far / (near * near)) : 0;
    found->scale = near / sqrt(1 - found->correlation);
    return 0;
}

/* How many correlated values tell as much as one that is independent, at most. */
static double values_for_one(const struct lauka_levels *found, size_t count)
{
    const double known = found->correlation + CORRELATION_ERROR;
    const double c =
        fmin(count < FEWEST_CORRELATED ? CORRELATION_ASSUMED : known, CORRELATION_MOST);

    return (1 + c) / (1 - c);
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

static void partition_done(struct partition *partition)
{
    free(partition->best);
    free(partition->last);
    free(partition->sorted);
}

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

static int copy_sorted(const double *values, size_t count, double *to)
{
    memcpy(to, values, count * sizeof *to);
    return lauka_sort_doubles(to, count);
}

static int measure(const double *values, double alpha, struct lauka_level_step *step)
{
    const size_t before = step->at - step->from, after = step->to - step->at;
    double *room = malloc((before + after) * sizeof *room);
    int failure = room ? copy_sorted(values + step->from, before, room) : ENOMEM;

    if (!failure)
        failure = copy_sorted(values + step->at, after, room + before);
    if (!failure)
        failure = lauka_locate_rank_sum(room, before, room + before, after, alpha, &step->location);
    free(room);
    return failure;
}

static int add(struct lauka_levels *found, struct lauka_level_step step)
{
    struct lauka_level_step *grown = realloc(found->steps, (found->count + 1) * sizeof *grown);

    if (!grown)
        return ENOMEM;
    found->steps = grown;
    grown[found->count++] = step;
    return 0;
}

/* From the last one back, then turned round. */
static int take_steps(const struct partition *partition, size_t count, struct lauka_levels *found)
{
    int failure = 0;

    for (size_t end = count; end > 0 && partition->last[end] > 0 && !failure;) {
        const size_t at = partition->last[end];
        failure =
            add(found, (struct lauka_level_step){.at = at, .from = partition->last[at], .to = end});
        end = at;
    }
    for (size_t i = 0; i < found->count / 2; i++) {
        const struct lauka_level_step other = found->steps[i];
        found->steps[i] = found->steps[found->count - 1 - i];
        found->steps[found->count - 1 - i] = other;
    }
    return failure;
}

static int find_level(const double *values, size_t count, double *level)
{
    double *room = malloc(count * sizeof *room);
    const int failure = room ? copy_sorted(values, count, room) : ENOMEM;

    *level = failure ? 0 : median_of(room, count);
    free(room);
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
    found->fresh = 2;
    found->fresh_distance = (one + other) / 2;
    return 0;
}

static void shift(struct lauka_levels *found, size_t by)
{
    for (size_t i = 0; i < found->count; i++) {
        found->steps[i].at += by;
        found->steps[i].from += by;
        found->steps[i].to += by;
    }
}

int lauka_levels_find(const double *values, size_t count, double alpha, struct lauka_levels *found)
{
    const size_t skipped = count > LAUKA_LEVELS_WINDOW ? count - LAUKA_LEVELS_WINDOW : 0;
    struct partition partition = {0};

    *found = (struct lauka_levels){0};
    values += skipped;
    count -= skipped;
    if (count < LAUKA_LEVELS_SEGMENT + 1)
        return 0;
    int failure = find_noise(values, count, found);
    if (failure || found->scale <= 0)
        return failure;
    const double one = values_for_one(found, count), penalty = 2 * log((double)count) * one;
    failure = partition_make(&partition, count) ? 0 : ENOMEM;
    if (!failure) {
        partition_find(values, count, found->scale, penalty, &partition);
        failure = take_steps(&partition, count, found);
        failure = failure ? failure : check_last(values, count, found);
    }
    partition_done(&partition);
    for (size_t i = 0; i < found->count && !failure; i++)
        failure = measure(values, alpha, &found->steps[i]);
    if (!failure)
        failure = find_fresh(values, count, found);
    shift(found, skipped);
    return failure;
}

int lauka_levels_find_exact(const double *values, size_t count, struct lauka_levels *found)
{
    int failure = 0;

    *found = (struct lauka_levels){0};
    for (size_t at = 1, from = 0; at < count && !failure; at++) {
        const double size = values[at] - values[at - 1];
        size_t to = at + 1;
        if (values[at] == values[at - 1])
            continue;
        while (to < count && values[to] == values[at])
            to++;
        failure = add(found, (struct lauka_level_step){.at = at,
                                                       .from = from,
                                                       .to = to,
                                                       .location = {.estimate = size,
                                                                    .low = lauka_known(size),
                                                                    .high = lauka_known(size)}});
        from = at;
    }
    return failure;
}

void lauka_levels_done(struct lauka_levels *found)
{
    free(found->steps);
    *found = (struct lauka_levels){0};
}
