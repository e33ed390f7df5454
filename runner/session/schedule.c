/* Which command runs when. By default rounds come in blocks in which every command has every place equally
 * often, and whose rounds are in random order: then drift, and whatever a place in the round costs, affects
 * every command alike, and a load with a period of a few runs cannot keep step with the order. A round and
 * its reverse side by side would: with a period of four runs, both see the same difference. */
#include "runner/session/session.h"
#include "pmu/counters/counters.h"
#include "runner/options.h"
#include "stats/stats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* In rounds. Blocks of one square are too few: where all rounds but one have been seen, the last is known,
 * and what is left of chance makes a block of n rounds claim as if noise were n / (n - 1) times as much. */
static size_t block_rounds(size_t commands)
{
    size_t least = commands == 2 ? 10 : 20;
    return (least + commands - 1) / commands * commands;
}

int lauka_schedule_init(struct lauka_schedule *schedule, size_t commands, uint64_t seed)
{
    size_t block = block_rounds(commands);
    *schedule = (struct lauka_schedule){.kind = LAUKA_ORDER_SHUFFLE, .count = commands};
    schedule->order = malloc((commands + 3 * block) * sizeof *schedule->order);
    if (!schedule->order)
        return ENOMEM;
    for (size_t i = 0; i < commands; i++)
        schedule->order[i] = (uint32_t)i;
    schedule->block = (struct lauka_block){.rounds = schedule->order + commands,
                                           .names = schedule->order + commands + block,
                                           .places = schedule->order + commands + 2 * block,
                                           .length = block,
                                           .next = block};
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

/* Cyclic Latin squares, one after the other, each with its commands and places renamed at random. Their rows
 * need no renaming, as the rounds of all squares are shuffled together. */
static void draw_block(struct lauka_schedule *schedule)
{
    const size_t count = schedule->count;
    struct lauka_block *block = &schedule->block;

    block->before = schedule->random;
    for (size_t i = 0; i < block->length; i++) {
        block->rounds[i] = (uint32_t)i;
        block->names[i] = block->places[i] = (uint32_t)(i % count);
    }
    for (size_t at = 0; at < block->length; at += count) {
        lauka_random_shuffle(&schedule->random, block->names + at, count);
        lauka_random_shuffle(&schedule->random, block->places + at, count);
    }
    lauka_random_shuffle(&schedule->random, block->rounds, block->length);
    block->next = 0;
}

static void shuffle(struct lauka_schedule *schedule)
{
    const size_t count = schedule->count;
    struct lauka_block *block = &schedule->block;

    if (block->next == block->length)
        draw_block(schedule);
    size_t round = block->rounds[block->next++], square = round / count * count;
    for (size_t i = 0; i < count; i++)
        schedule->order[i] = block->names[square + (round + block->places[square + i]) % count];
}

static const uint32_t *draw(struct lauka_schedule *schedule)
{
    bool first = !schedule->begun,
         repeats = schedule->repeats; /* all but the shuffled begin as typed */

    schedule->begun = true;
    schedule->repeats = false;
    if (schedule->kind == LAUKA_ORDER_SHUFFLE && !repeats)
        shuffle(schedule);
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
    const struct lauka_block *block = &schedule->block;

    return (struct lauka_schedule_mark){
        .held = schedule->held,
        .hold = schedule->hold,
        .begun = schedule->begun,
        .repeats = schedule->repeats,
        .next = block->next,
        .random = block->next < block->length ? block->before : schedule->random,
    };
}

void lauka_schedule_rewind(struct lauka_schedule *schedule, const struct lauka_schedule_mark *mark,
                           const uint32_t *order)
{
    schedule->held = mark->held;
    schedule->hold = mark->hold;
    schedule->begun = mark->begun;
    schedule->repeats = mark->repeats;
    schedule->random = mark->random;
    if (mark->next < schedule->block.length)
        draw_block(schedule);
    schedule->block.next = mark->next;
    memcpy(schedule->order, order, schedule->count * sizeof *order);
}

void lauka_schedule_drop(struct lauka_schedule *schedule)
{
    schedule->held = 0;
    schedule->repeats = schedule->kind == LAUKA_ORDER_SHUFFLE;
}

void lauka_schedule_restart(struct lauka_schedule *schedule)
{
    schedule->held = 0;
    schedule->begun = false;
    schedule->block.next = schedule->block.length;
    if (schedule->kind == LAUKA_ORDER_SHUFFLE)
        return;
    for (size_t i = 0; i < schedule->count; i++)
        schedule->order[i] = (uint32_t)(schedule->first + i);
}

void lauka_schedule_turn_to(struct lauka_schedule *schedule, size_t command)
{
    schedule->first = command;
    lauka_schedule_restart(schedule);
}

void lauka_schedule_done(struct lauka_schedule *schedule)
{
    free(schedule->order);
    schedule->order = NULL;
}

/* ---- sets of events that take turns: which one a round counts ---------------------------------- */

/* A set that had fewer rounds than others is next, so that all have the same number at any end; of those that
 * had as few, it is drawn by lot, and the next lot is the other way around: what goes to and fro from round to
 * round, such as who is first, meets every set alike. */

bool lauka_turns_are_taken(const struct lauka_counters *counters,
                           const struct lauka_options *options)
{
    return counters->set_count > 1 && options->measure.multiplex == LAUKA_MULTIPLEX_ROUNDS;
}

/* A round of each layout is what counts: one set for all of them. */
static uint64_t whole_turns(const struct lauka_options *options, uint64_t rounds)
{
    return options->run.layouts > 0 ? rounds / options->run.layouts : rounds;
}

static bool is_under_way(const struct lauka_options *options, uint64_t rounds)
{
    return options->run.layouts > 0 && rounds % options->run.layouts > 0;
}

static uint64_t lot(uint64_t seed, uint64_t cycle, unsigned set)
{
    struct lauka_random random;

    lauka_random_seed(&random, seed ^ (cycle / 2 * 256 + set + 1));
    uint64_t drawn = lauka_random_below(&random, UINT32_MAX) * 256 + set; /* no two are the same */
    return cycle % 2 == 0 ? drawn : UINT64_MAX - drawn;
}

unsigned lauka_turns_next(const struct lauka_counters *counters, const uint64_t *turns,
                          const struct lauka_options *options)
{
    uint64_t least = UINT64_MAX, first = 0;
    unsigned next = 0;

    for (unsigned set = 0; set < counters->set_count; set++) {
        if (is_under_way(options, turns[set]))
            return set;
        uint64_t had = whole_turns(options, turns[set]), own = lot(options->measure.seed, had, set);
        if (had < least || (had == least && own < first)) {
            least = had;
            first = own;
            next = set;
        }
    }
    return next;
}

size_t lauka_turns_at_once(const struct lauka_counters *counters, const uint64_t *turns,
                           const struct lauka_options *options, uint64_t ahead)
{
    uint64_t done = 0, had = turns[lauka_turns_next(counters, turns, options)];

    for (unsigned set = 0; set < counters->set_count; set++)
        done += turns[set];
    if (ahead > SIZE_MAX - done - counters->set_count)
        return SIZE_MAX;
    uint64_t share = (done + ahead) / counters->set_count;
    uint64_t left = share > had ? share - had : 1;
    return (size_t)(left < ahead ? left : ahead);
}

uint64_t lauka_turns_needed(const struct lauka_counters *counters,
                            const struct lauka_options *options)
{
    uint64_t each = LAUKA_FEWEST_ROUNDS, layouts = options->run.layouts;

    if (!lauka_turns_are_taken(counters, options))
        return 0;
    if (layouts > 0) /* whole turns of them */
        each = (each + layouts - 1) / layouts * layouts;
    return each * counters->set_count;
}
