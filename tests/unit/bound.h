/* How many false claims are still what 5 % comes to. */
#ifndef LAUKA_TESTS_BOUND_H
#define LAUKA_TESTS_BOUND_H

#include <stdlib.h>

#include "stats/stats.h"

/* So many claims in as many sessions are not exceeded in 99 of 100 cases: the binomial distribution's. */
static unsigned bound_of(unsigned sessions)
{
    struct lauka_binomial binomial;
    unsigned bound = 0;

    if (lauka_binomial_init(&binomial, sessions, LAUKA_ALPHA_FIXED) != 0)
        abort();
    while (binomial.up_to[bound] < 0.99)
        bound++;
    lauka_binomial_done(&binomial);
    return bound;
}

#endif
