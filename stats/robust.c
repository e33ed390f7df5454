/* robust: the middle of values and how far they lie from it, whatever a few of them do. */
#include "stats.h"

#include <math.h>

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
