/* Warm-up inside a process: which of its rounds are steady. The classes are those of Barrett et al. 2017, "Virtual
 * machine warmup blows hot and cold". */
#ifndef LAUKA_STATS_WARMING_H
#define LAUKA_STATS_WARMING_H

#include <stddef.h>
#include <stdint.h>

enum lauka_steady {
    LAUKA_STEADY_UNKNOWN, /* too few rounds to judge */
    LAUKA_STEADY_FLAT,
    LAUKA_STEADY_WARMS_UP,   /* its last level is the fastest */
    LAUKA_STEADY_SLOWS_DOWN, /* an earlier level was faster */
    LAUKA_STEADY_NONE,       /* the level still changes in the last rounds */
};

struct lauka_warming {
    enum lauka_steady steady;
    size_t from; /* index of the first value of the last level */
};

enum { LAUKA_WARMING_MOST = 2000 };

/* Judges the rounds of one process, in their order. count: at most LAUKA_WARMING_MOST. last: how many rounds at the
 * end must share a level. Levels are separated by steps of more than 2 % of the median, found by binary segmentation
 * (Scott & Knott 1974) with the largest standardized rank sum of all splits of the rounds, their halves and quarters:
 * of flat ones, at most 2 % have such a step. */
struct lauka_warming lauka_warming_judge(const double *values, size_t count, size_t last);

struct lauka_warmings { /* of several processes; zeroed: none */
    /* As most of at least three; NONE if half of them have no steady state. */
    enum lauka_steady class;
    uint64_t flat, warms_up, slows_down, unsteady; /* processes */
    double rounds, seconds; /* mean time before the last level, over all these processes */
};

/* Adds a process; one of an unknown class does not count. */
void lauka_warmings_add(struct lauka_warmings *all, enum lauka_steady steady, double rounds,
                        double seconds);

/* Adds other processes, as of another job. */
void lauka_warmings_join(struct lauka_warmings *all, const struct lauka_warmings *more);

/* How many processes have a class. */
static inline uint64_t lauka_warmings_count(const struct lauka_warmings *all)
{
    return all->flat + all->warms_up + all->slows_down + all->unsteady;
}

#endif
