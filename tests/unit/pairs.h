/* Pairs of series, and what a comparison says of them. */
#ifndef LAUKA_TESTS_PAIRS_H
#define LAUKA_TESTS_PAIRS_H

#include "stats/stats.h"

#include "tests/unit/numbers.h"

static const struct lauka_comparison_options unpaired = {
    .alpha = 0.05,
    .precision = 0.01,
    .unpaired = true,
};

static inline struct lauka_comparison streamed(const uint64_t *reference, const uint64_t *other,
                                               size_t count)
{
    struct lauka_paired_log log;
    struct lauka_comparison comparison;
    lauka_paired_log_init(&log);
    for (size_t i = 0; i < count; i++)
        lauka_paired_log_add(&log, reference[i], other[i]);
    EXPECT(lauka_compare_streamed(&log, &fixed, &comparison) == 0);
    lauka_paired_log_done(&log);
    return comparison;
}

/* What a series may consist of: times, few distinct levels, some zeros, or the ends of the range. */
enum kind { TIMES, LEVELS, ZEROS, EXTREMES, HUGE_JITTER, KINDS };

static inline uint64_t value_of(enum kind kind, struct lauka_random *random)
{
    switch (kind) {
    case TIMES:
        return (uint64_t)(1e7 * exp(0.05 * lauka_random_normal(random)));
    case LEVELS:
        return 1000 + 4 * lauka_random_below(random, 3);
    case ZEROS:
        return lauka_random_below(random, 4);
    case EXTREMES:
        return lauka_random_below(random, 2) ? 1 + lauka_random_below(random, 3)
                                             : UINT64_MAX - 1 - lauka_random_below(random, 3);
    case HUGE_JITTER:
        return 1000000000000000 + lauka_random_below(random, 10);
    case KINDS:
        break;
    }
    abort();
}

#endif
