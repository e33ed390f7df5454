/* Which command runs when. Pure. */
#ifndef LAUKA_RUNNER_SCHEDULE_H
#define LAUKA_RUNNER_SCHEDULE_H

#include "runner/options.h"
#include "stats/stats.h"

/* Of so many shuffled rounds, every second one runs the one before it backwards. */
enum { LAUKA_ROUNDS_MIRRORED = 10 };

struct lauka_schedule {
    enum lauka_order kind; /* SHUFFLE after init; to be set before the first round */
    uint64_t round;        /* so many were drawn */
    bool repeats;          /* the next one has the order of the last */
    struct lauka_random random;
    uint32_t *order; /* owned; the current round's commands, in the order they run */
    size_t count;
};

/* Returns 0 or ENOMEM. */
int lauka_schedule_init(struct lauka_schedule *schedule, size_t commands, uint64_t seed);

/* The next round's order. Shuffled, every order is equally likely, and equal seeds give equal rounds. */
const uint32_t *lauka_schedule_next(struct lauka_schedule *schedule);

/* The round did not count: among those that are mirrored the next one has its order. */
void lauka_schedule_drop(struct lauka_schedule *schedule);

/* After the warm-up: what is not shuffled begins with the commands as they were typed. */
void lauka_schedule_restart(struct lauka_schedule *schedule);
void lauka_schedule_done(struct lauka_schedule *schedule);

#endif
