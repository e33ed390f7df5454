/* How long comparing one metric takes: estimate, interval, p-value, effect sizes and ratios. The goals are
 * 15 ms for 10^4 pairs, and a second for 10^6. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "stats/stats.h"

enum { TIMES = 11 };

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

/* About 10 ms with a spread of 5 %, one in twenty far out; or counts with few levels. */
static uint64_t value(struct lauka_random *random, bool levels)
{
    if (levels)
        return 100000 + lauka_random_below(random, 50);
    double time = 1e7 * exp(0.05 * lauka_random_normal(random));
    return (uint64_t)(lauka_random_below(random, 20) ? time : 3 * time);
}

static struct lauka_series series_of(struct lauka_random *random, size_t count, bool levels)
{
    struct lauka_series series = {0};
    if (lauka_series_reserve(&series, count) != 0)
        abort();
    for (size_t i = 0; i < count; i++)
        lauka_series_add(&series, value(random, levels));
    return series;
}

static int ascending(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static bool measure(const char *what, size_t count, bool levels, bool unpaired, double goal_ms)
{
    const struct lauka_comparison_options options = {
        .alpha = 0.05, .precision = 0.01, .unpaired = unpaired};
    struct lauka_random random;
    struct lauka_comparison comparison;
    double took_ms[TIMES];
    lauka_random_seed(&random, count);
    struct lauka_series a = series_of(&random, count, levels);
    struct lauka_series b = series_of(&random, count, levels);
    for (size_t i = 0; i < TIMES; i++) {
        double start = now_ms();
        if (lauka_compare(&a, &b, &options, &comparison) != 0)
            abort();
        took_ms[i] = now_ms() - start;
    }
    qsort(took_ms, TIMES, sizeof *took_ms, ascending);
    double median = took_ms[TIMES / 2];
    printf("compare %-20s %8zu pairs  %8.2f ms  (goal %4.0f ms: %s)\n", what, count, median,
           goal_ms, median < goal_ms ? "met" : "MISSED");
    lauka_series_done(&a);
    lauka_series_done(&b);
    return median < goal_ms;
}

int main(void)
{
    bool met = measure("times", 10000, false, false, 15);
    met &= measure("few levels", 10000, true, false, 15);
    met &= measure("times, unpaired", 10000, false, true, 15);
    met &= measure("times", 1000000, false, false, 1000);
    met &= measure("few levels", 1000000, true, false, 1000);
    met &= measure("times, unpaired", 1000000, false, true, 1000);
    return !met;
}
