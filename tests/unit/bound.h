/* How many false claims are compatible with 5 %. */
#ifndef LAUKA_TESTS_BOUND_H
#define LAUKA_TESTS_BOUND_H

#include <stdlib.h>

#include "stats/stats.h"

/* In 99 of 100 cases, so many sessions do not exceed this number of claims: by the binomial distribution. */
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
