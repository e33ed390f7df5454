/* What else the machine was busy with while rounds were measured, in batches of some rounds: steal is told
 * in ticks of 10 ms, and says nothing of a single run. */
#ifndef LAUKA_RUNNER_BATCHES_H
#define LAUKA_RUNNER_BATCHES_H

#include "runner/runner.h"

struct lauka_batches {
    struct lauka_disturbance at_start, at_last; /* of the measured rounds; of the batch under way */
    uint64_t start_ns, last_ns, interval_ns;
    uint64_t rounds; /* that are in a batch already */
    unsigned cpu_count;
};

/* The measured rounds begin. */
void lauka_batches_begin(struct lauka_batches *batches, uint64_t now_ns, unsigned cpu_count);

/* A round has ended, or the last one has: ends a batch where it has taken a second, or longer where
 * there are many. Costs nothing else. */
void lauka_batches_round(struct lauka_batches *batches, uint64_t now_ns,
                         struct lauka_result_run *run);

/* The last batch, and what they come to: run->pressure and run->steal. */
void lauka_batches_end(struct lauka_batches *batches, uint64_t now_ns,
                       struct lauka_result_run *run);

#endif
