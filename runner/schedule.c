/* Which command runs when. Shuffled in every round: whatever drifts, and whatever the second place
 * in a round costs, then hits every command alike, which is what makes the paired tests exact. */
#include "runner/runner.h"

#include <errno.h>
#include <stdlib.h>

int lauka_schedule_init(struct lauka_schedule *schedule, size_t commands, uint64_t seed)
{
    schedule->order = malloc(commands * sizeof *schedule->order);
    if (!schedule->order)
        return ENOMEM;
    for (size_t i = 0; i < commands; i++)
        schedule->order[i] = (uint32_t)i;
    schedule->count = commands;
    lauka_random_seed(&schedule->random, seed);
    return 0;
}

const uint32_t *lauka_schedule_next(struct lauka_schedule *schedule)
{
    lauka_random_shuffle(&schedule->random, schedule->order, schedule->count);
    return schedule->order;
}

void lauka_schedule_done(struct lauka_schedule *schedule)
{
    free(schedule->order);
    schedule->order = NULL;
}
