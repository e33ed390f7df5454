/* Sets of events that take turns: which one a round counts. A set that had fewer rounds than others is next, so that
 * all have the same number at any end; of those that had as few, it is drawn by lot, and the next lot is the
 * other way around: what goes to and fro from round to round, such as who is first, meets every set alike. */
#include "runner/session/session.h"
#include "runner/session/turns.h"
#include "pmu/counters/counters.h"
#include "runner/options.h"
#include "stats/stats.h"

bool lauka_turns_are_taken(const struct lauka_counters *counters,
                           const struct lauka_options *options)
{
    return counters->set_count > 1 && options->multiplex == LAUKA_MULTIPLEX_ROUNDS;
}

/* A round of each layout is what counts: one set for all of them. */
static uint64_t whole_turns(const struct lauka_options *options, uint64_t rounds)
{
    return options->layouts > 0 ? rounds / options->layouts : rounds;
}

static bool is_under_way(const struct lauka_options *options, uint64_t rounds)
{
    return options->layouts > 0 && rounds % options->layouts > 0;
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
        uint64_t had = whole_turns(options, turns[set]), own = lot(options->seed, had, set);
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
    uint64_t each = LAUKA_FEWEST_ROUNDS, layouts = options->layouts;

    if (!lauka_turns_are_taken(counters, options))
        return 0;
    if (layouts > 0) /* whole turns of them */
        each = (each + layouts - 1) / layouts * layouts;
    return each * counters->set_count;
}
