/* Made-up sessions that several hosts measure: how often the interval over hosts contains the truth. */
#ifndef LAUKA_TESTS_HOSTS_H
#define LAUKA_TESTS_HOSTS_H

#include <math.h>
#include <stdlib.h>

#include "stats/units.h"
#include "stats/stats.h"
#include "tests/unit/noise.h"

enum { HOSTS_MAX = 10, HOST_ROUNDS = 20 };

struct hosts_cell {
    size_t hosts;
    double bias; /* standard deviation of a host's effect on the log ratio */
    bool alike;  /* all hosts have a noise of 2 %; otherwise each has its own, from 0.5 to 8 % */
    bool heavy_tails; /* of host effects and rounds: Student's t with 4 degrees of freedom */
};

struct hosts_counts {
    unsigned held,
        held_by_rounds; /* sessions; the latter treats the rounds of all hosts as one sample */
};

static const double hosts_truth = 0.02; /* the true log ratio */

/* Hosts differ in speed by a factor of up to 4. */
static void hosts_fill(const struct hosts_cell *cell, struct lauka_random *random,
                       struct lauka_series host[2], struct lauka_series all[2])
{
    double speed = exp(log(4) * lauka_random_unit(random));
    double noise = cell->alike ? 0.02 : 0.005 * exp(log(16) * lauka_random_unit(random));
    double change = hosts_truth + cell->bias * made_up_noise(random, cell->heavy_tails);
    for (size_t i = 0; i < HOST_ROUNDS; i++)
        for (size_t s = 0; s < 2; s++) {
            double value = 1e7 * speed *
                           exp((s > 0 ? change : 0) +
                               noise / sqrt(2) * made_up_noise(random, cell->heavy_tails));
            lauka_series_add(&host[s], (uint64_t)value);
            lauka_series_add(&all[s], (uint64_t)value);
        }
}

static void hosts_compare(const struct lauka_series sides[2], struct lauka_comparison *comparison)
{
    const struct lauka_comparison_options options = {.alpha = 0.05, .precision = 0.01};
    if (lauka_compare(&sides[0], &sides[1], &options, comparison) != 0)
        abort();
}

static bool hosts_hold(const struct lauka_comparison *comparison)
{
    if (!comparison->log_low.known)
        abort();
    return comparison->log_low.value <= hosts_truth && comparison->log_high.value >= hosts_truth;
}

static void hosts_reserve(struct lauka_series sides[2], size_t count)
{
    for (size_t s = 0; s < 2; s++)
        if (lauka_series_reserve(&sides[s], count) != 0)
            abort();
}

static struct hosts_counts hosts_simulate(const struct hosts_cell *cell, unsigned sessions)
{
    struct hosts_counts counts = {0};
    struct lauka_random random;
    lauka_random_seed(&random, 20261123 + cell->hosts);
    for (unsigned i = 0; i < sessions; i++) {
        struct lauka_comparison each[HOSTS_MAX], whole;
        const struct lauka_comparison *hosts[HOSTS_MAX];
        struct lauka_series all[2] = {{0}};
        hosts_reserve(all, cell->hosts * HOST_ROUNDS);
        for (size_t h = 0; h < cell->hosts; h++) {
            struct lauka_series host[2] = {{0}};
            hosts_reserve(host, HOST_ROUNDS);
            hosts_fill(cell, &random, host, all);
            hosts_compare(host, &each[h]);
            hosts[h] = &each[h];
            lauka_series_done(&host[0]);
            lauka_series_done(&host[1]);
        }
        hosts_compare(all, &whole);
        counts.held_by_rounds += hosts_hold(&whole);
        lauka_hosts_pool(hosts, cell->hosts, 0.05, 0.01, &whole);
        counts.held += hosts_hold(&whole);
        lauka_series_done(&all[0]);
        lauka_series_done(&all[1]);
    }
    return counts;
}

#endif
