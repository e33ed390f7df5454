/* How many false claims are compatible with a promised rate. */
#ifndef LAUKA_TESTS_BOUND_H
#define LAUKA_TESTS_BOUND_H

#include <stdlib.h>

#include "stats/stats.h"

/* By the binomial distribution: this many sessions stay within the returned number of claims in 99 of
 * 100 cases. */
static inline unsigned bound_at(unsigned sessions, double rate)
{
    struct lauka_binomial binomial;
    unsigned bound = 0;

    if (lauka_binomial_init(&binomial, sessions, rate) != 0)
        abort();
    while (binomial.up_to[bound] < 0.99)
        bound++;
    lauka_binomial_done(&binomial);
    return bound;
}

static inline unsigned bound_of(unsigned sessions)
{
    return bound_at(sessions, LAUKA_ALPHA_FIXED);
}

#endif
