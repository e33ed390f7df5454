/* Which command runs when. By default every round is shuffled: then drift, and whatever the second place
 * in a round costs, affects every command alike, which is what makes the paired tests exact. */
#include "runner/session/session.h"
#include "runner/options.h"
#include "stats/stats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int lauka_schedule_init(struct lauka_schedule *schedule, size_t commands, uint64_t seed)
{
    schedule->order = malloc(commands * sizeof *schedule->order);
    if (!schedule->order)
        return ENOMEM;
    for (size_t i = 0; i < commands; i++)
        schedule->order[i] = (uint32_t)i;
    schedule->count = commands;
    schedule->kind = LAUKA_ORDER_SHUFFLE;
    schedule->round = 0;
    schedule->held = schedule->hold = 0;
    schedule->repeats = false;
    lauka_random_seed(&schedule->random, seed);
    return 0;
}

static void reverse(uint32_t *order, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        uint32_t other = order[count - 1 - i];
        order[count - 1 - i] = order[i];
        order[i] = other;
    }
}

static void rotate(uint32_t *order, size_t count)
{
    uint32_t first = order[0];

    for (size_t i = 0; i + 1 < count; i++)
        order[i] = order[i + 1];
    order[count - 1] = first;
}

/* A few random orders are often alike: of three rounds of two commands, all are alike every fourth time.
 * The cost of the first place would then look like a difference. */
static void shuffle(struct lauka_schedule *schedule, uint64_t round)
{
    if (round < LAUKA_ROUNDS_MIRRORED && round % 2 == 1)
        reverse(schedule->order, schedule->count);
    else
        lauka_random_shuffle(&schedule->random, schedule->order, schedule->count);
}

static const uint32_t *draw(struct lauka_schedule *schedule)
{
    uint64_t round = schedule->round++;
    bool first = round == 0, repeats = schedule->repeats; /* all but the shuffled begin as typed */

    schedule->repeats = false;
    if (schedule->kind == LAUKA_ORDER_SHUFFLE && !repeats)
        shuffle(schedule, round);
    else if (schedule->kind == LAUKA_ORDER_ABBA && !first)
        reverse(schedule->order, schedule->count);
    else if (schedule->kind == LAUKA_ORDER_ROTATE && !first)
        rotate(schedule->order, schedule->count);
    return schedule->order;
}

void lauka_schedule_hold(struct lauka_schedule *schedule, uint64_t rounds)
{
    schedule->hold = rounds;
    schedule->held = 0;
}

const uint32_t *lauka_schedule_next(struct lauka_schedule *schedule)
{
    if (schedule->held > 0) {
        schedule->held--;
        return schedule->order;
    }
    schedule->held = schedule->hold > 0 ? schedule->hold - 1 : 0;
    schedule->hold = 0;
    return draw(schedule);
}

struct lauka_schedule_mark lauka_schedule_mark(const struct lauka_schedule *schedule)
{
    return (struct lauka_schedule_mark){schedule->round, schedule->held, schedule->hold,
                                        schedule->repeats, schedule->random};
}

void lauka_schedule_rewind(struct lauka_schedule *schedule, const struct lauka_schedule_mark *mark,
                           const uint32_t *order)
{
    schedule->round = mark->round;
    schedule->held = mark->held;
    schedule->hold = mark->hold;
    schedule->repeats = mark->repeats;
    schedule->random = mark->random;
    memcpy(schedule->order, order, schedule->count * sizeof *order);
}

void lauka_schedule_drop(struct lauka_schedule *schedule)
{
    if (schedule->kind != LAUKA_ORDER_SHUFFLE || schedule->round > LAUKA_ROUNDS_MIRRORED)
        return;
    schedule->round--;
    schedule->held = 0;
    schedule->repeats = true;
}

void lauka_schedule_restart(struct lauka_schedule *schedule)
{
    schedule->round = 0;
    schedule->held = 0;
    if (schedule->kind == LAUKA_ORDER_SHUFFLE)
        return;
    for (size_t i = 0; i < schedule->count; i++)
        schedule->order[i] = (uint32_t)i;
}

void lauka_schedule_done(struct lauka_schedule *schedule)
{
    free(schedule->order);
    schedule->order = NULL;
}
