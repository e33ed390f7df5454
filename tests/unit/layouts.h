/* Made-up sessions whose rounds share drawn pairs of layouts: how often the interval contains the truth. */
#ifndef LAUKA_TESTS_LAYOUTS_H
#define LAUKA_TESTS_LAYOUTS_H

#include <math.h>
#include <stdlib.h>

#include "stats/stats.h"
#include "stats/units.h"
#include "tests/unit/noise.h"

enum { PAIRS_MAX = 64, EACH_MAX = 16 };

struct layouts_cell {
    size_t pairs, each; /* rounds per pair */
    double within,
        between;      /* standard deviations of a value: between rounds, and between layouts */
    bool heavy_tails; /* of rounds: Student's t with 4 degrees of freedom */
};

struct layouts_counts {
    unsigned held, held_by_rounds; /* sessions; the latter with rounds as units */
};

static void layouts_fill(const struct layouts_cell *cell, struct lauka_random *random,
                         struct lauka_series sides[2], uint32_t *units)
{
    double layouts[2][PAIRS_MAX];
    for (size_t s = 0; s < 2; s++)
        for (size_t p = 0; p < cell->pairs; p++)
            layouts[s][p] = cell->between * lauka_random_normal(random);
    for (size_t i = 0; i < cell->pairs * cell->each; i++) {
        units[i] = (uint32_t)(i % cell->pairs);
        for (size_t s = 0; s < 2; s++)
            lauka_series_add(
                &sides[s],
                (uint64_t)(1e7 * exp(layouts[s][units[i]] +
                                     cell->within * made_up_noise(random, cell->heavy_tails))));
    }
}

static bool layouts_hold(const struct lauka_series sides[2], const struct lauka_units *units)
{
    const struct lauka_comparison_options options = {
        .alpha = 0.05, .precision = 0.01, .units = units};
    struct lauka_comparison comparison;
    if (lauka_compare(&sides[0], &sides[1], &options, &comparison) != 0 ||
        !comparison.log_low.known || !comparison.log_high.known)
        abort();
    return comparison.log_low.value <= 0 && comparison.log_high.value >= 0;
}

static struct layouts_counts layouts_simulate(const struct layouts_cell *cell, unsigned sessions)
{
    struct layouts_counts counts = {0};
    struct lauka_random random;
    lauka_random_seed(&random, 20261122 + cell->pairs);
    for (unsigned i = 0; i < sessions; i++) {
        static uint32_t of[PAIRS_MAX * EACH_MAX];
        struct lauka_series sides[2] = {{0}};
        const struct lauka_units units = {of, 8};
        for (size_t s = 0; s < 2; s++)
            if (lauka_series_reserve(&sides[s], cell->pairs * cell->each) != 0)
                abort();
        layouts_fill(cell, &random, sides, of);
        counts.held += layouts_hold(sides, &units);
        counts.held_by_rounds += layouts_hold(sides, NULL);
        lauka_series_done(&sides[0]);
        lauka_series_done(&sides[1]);
    }
    return counts;
}

#endif
