/* warming: the levels of a process's rounds, and what several processes have in common. */
#include "stats/warming.h"

#include <math.h>
#include <stdlib.h>

/* Rounds that are judged, rounds of a level, processes that have a class. */
enum { LEAST = 8, SEGMENT = 3, PROCESSES = 3 };

static const double material = 0.02; /* levels that differ by less count as one */

struct place {
    double value;
    size_t at;
};

struct search {
    const double *values;
    size_t count;
    struct place sorted[LAUKA_WARMING_MOST];
    double ranks[LAUKA_WARMING_MOST];
    double levels[LAUKA_WARMING_MOST / SEGMENT]; /* medians, in their order */
    size_t level_count, from;                    /* from: where the last one begins */
};

static int by_value(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    return (a->value > b->value) - (a->value < b->value);
}

static void sort(struct search *search, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++)
        search->sorted[i - begin] = (struct place){search->values[i], i - begin};
    qsort(search->sorted, end - begin, sizeof *search->sorted, by_value);
}

static double median(struct search *search, size_t begin, size_t end)
{
    size_t count = end - begin;
    sort(search, begin, end);
    return (search->sorted[(count - 1) / 2].value + search->sorted[count / 2].value) / 2;
}

/* From 1; equal values share the mean of theirs. */
static void rank(struct search *search, size_t begin, size_t end)
{
    size_t count = end - begin;
    sort(search, begin, end);
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && search->sorted[next].value == search->sorted[i].value;)
            next++;
        for (size_t k = i; k < next; k++)
            search->ranks[search->sorted[k].at] = (double)(i + next + 1) / 2;
    }
}

/* The 99th percentile of the largest score among all splits of equal rounds, found by simulation: from 2.6 of 11 rounds
 * to 3.6 of 500. */
static double critical(double count)
{
    return 3.6 - 11 / count;
}

/* Where the values' ranks differ most between what is before and after it; `end` if they do not differ enough. */
static size_t find_split(struct search *search, size_t begin, size_t end, double more)
{
    double count = (double)(end - begin), sum = 0, greatest = critical(count) + more;
    size_t step = end;
    if (end - begin < 2 * SEGMENT)
        return end;
    rank(search, begin, end);
    for (size_t k = 1; k + SEGMENT <= end - begin; k++) {
        double before = (double)k, mean = before * (count + 1) / 2;
        sum += search->ranks[k - 1];
        double score = fabs(sum - mean) / sqrt(mean * (count - before) / 6);
        if (k < SEGMENT || score <= greatest)
            continue;
        greatest = score;
        step = begin + k;
    }
    return step;
}

/* Where the fewest values lie on the other level's side of the middle between both. */
static size_t place_step(const double *values, size_t begin, size_t end, double before,
                         double after)
{
    const double middle = (before + after) / 2;
    long wrong = 0, least = 0;
    size_t step = begin + SEGMENT;
    for (size_t i = begin; i + SEGMENT < end; i++) {
        wrong += (values[i] > middle) == (before > after) ? -1 : 1;
        if (i + 1 < begin + SEGMENT || (i + 1 > begin + SEGMENT && wrong >= least))
            continue;
        least = wrong;
        step = i + 1;
    }
    return step;
}

/* Where a level ends; `end` if there is only one. A level between two that are alike is not seen in all of it, but in a
 * half, or a quarter; those have to differ by more, as there are several of them. */
static size_t find_step(struct search *search, size_t begin, size_t end, int depth)
{
    enum { DEEPEST = 2 };
    static const double more = 0.3;
    const size_t middle = begin + (end - begin) / 2;
    size_t step = find_split(search, begin, end, depth > 0 ? more : 0);
    double before = median(search, begin, step), after = before;
    if (step < end)
        after = median(search, step, end);
    if (fabs(after - before) > material * fmin(before, after))
        return place_step(search->values, begin, end, before, after);
    if (depth == DEEPEST || middle - begin < 2 * LEAST)
        return end;
    step = find_step(search, begin, middle, depth + 1);
    if (step == middle)
        step = find_step(search, middle, end, depth + 1);
    return step;
}

static void split(struct search *search, size_t begin, size_t end)
{
    size_t step = find_step(search, begin, end, 0);
    if (step < end) {
        split(search, begin, step);
        split(search, step, end);
        return;
    }
    search->levels[search->level_count++] = median(search, begin, end);
    search->from = begin;
}

/* A process that returns to its last level again and again, as in cycles, will leave it again. */
static enum lauka_steady class_of(const struct search *search, size_t last)
{
    enum { CYCLE = 2 };
    const size_t others = search->level_count - 1;
    const double level = search->levels[others];
    size_t returns = 0;
    double fastest = INFINITY;
    for (size_t i = 0; i < others; i++) {
        returns += fabs(search->levels[i] - level) <= material * level;
        fastest = fmin(fastest, search->levels[i]);
    }
    if (others == 0)
        return LAUKA_STEADY_FLAT;
    if (search->from + last > search->count || returns >= CYCLE)
        return LAUKA_STEADY_NONE;
    return level <= (1 + material) * fastest ? LAUKA_STEADY_WARMS_UP : LAUKA_STEADY_SLOWS_DOWN;
}

struct lauka_warming lauka_warming_judge(const double *values, size_t count, size_t last)
{
    struct search search = {.values = values, .count = count};
    if (count < LEAST || count > LAUKA_WARMING_MOST)
        return (struct lauka_warming){LAUKA_STEADY_UNKNOWN, 0};
    split(&search, 0, count);
    return (struct lauka_warming){class_of(&search, last), search.from};
}

void lauka_warmings_join(struct lauka_warmings *all, const struct lauka_warmings *more)
{
    const uint64_t added = lauka_warmings_count(more), count = lauka_warmings_count(all) + added;
    const double share = count > 0 ? (double)added / (double)count : 0;

    all->flat += more->flat;
    all->warms_up += more->warms_up;
    all->slows_down += more->slows_down;
    all->unsteady += more->unsteady;
    all->rounds += share * (more->rounds - all->rounds);
    all->seconds += share * (more->seconds - all->seconds);
    if (count >= PROCESSES)
        all->class = 2 * all->unsteady >= count                     ? LAUKA_STEADY_NONE
                     : all->flat >= all->warms_up + all->slows_down ? LAUKA_STEADY_FLAT
                     : all->warms_up >= all->slows_down             ? LAUKA_STEADY_WARMS_UP
                                                                    : LAUKA_STEADY_SLOWS_DOWN;
}

void lauka_warmings_add(struct lauka_warmings *all, enum lauka_steady steady, double rounds,
                        double seconds)
{
    const struct lauka_warmings one = {.flat = steady == LAUKA_STEADY_FLAT,
                                       .warms_up = steady == LAUKA_STEADY_WARMS_UP,
                                       .slows_down = steady == LAUKA_STEADY_SLOWS_DOWN,
                                       .unsteady = steady == LAUKA_STEADY_NONE,
                                       .rounds = rounds,
                                       .seconds = seconds};

    lauka_warmings_join(all, &one);
}
