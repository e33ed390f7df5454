/* modes: whether values fall into two groups. Between two groups lies a valley: a stretch with clearly
 * fewer values than the stretches of equal width on either side. In a single group, however skewed, one of
 * these lies farther out and holds fewer values. */
#include "stats.h"

#include <math.h>

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

struct lauka_optional lauka_modes_ratio(const uint64_t *sorted, size_t count)
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
