/* Noise of made-up measurements. */
#ifndef LAUKA_TESTS_NOISE_H
#define LAUKA_TESTS_NOISE_H

#include <math.h>

#include "stats/stats.h"

/* Returns a value from a distribution with variance 1. */
static double made_up_noise(struct lauka_random *random, bool heavy_tails)
{
    double value = lauka_random_normal(random), square = 0;
    for (int i = 0; heavy_tails && i < 4; i++) {
        double part = lauka_random_normal(random);
        square += part * part;
    }
    return heavy_tails ? value / sqrt(square / 4) / sqrt(2) : value;
}

#endif
