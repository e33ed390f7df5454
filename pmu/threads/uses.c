/* What threads have used, summed and by type of core. */
#include "pmu/threads/threads.h"
#include "pmu/counters/counters.h"

static uint64_t minus(uint64_t now, uint64_t before)
{
    if (now == LAUKA_UNKNOWN || before == LAUKA_UNKNOWN)
        return LAUKA_UNKNOWN;
    return now > before ? now - before : 0;
}

static uint64_t plus(uint64_t a, uint64_t b)
{
    return a == LAUKA_UNKNOWN || b == LAUKA_UNKNOWN ? LAUKA_UNKNOWN : a + b;
}

static struct lauka_use combine(const struct lauka_use *a, const struct lauka_use *b,
                                uint64_t (*rule)(uint64_t, uint64_t))
{
    struct lauka_use use = {
        .time_ns = rule(a->time_ns, b->time_ns),
        .user_ns = rule(a->user_ns, b->user_ns),
        .system_ns = rule(a->system_ns, b->system_ns),
        .cycles = rule(a->cycles, b->cycles),
        .instructions = rule(a->instructions, b->instructions),
        .energy_nj = rule(a->energy_nj, b->energy_nj),
        .estimated = a->estimated || b->estimated,
    };
    for (size_t e = 0; e < LAUKA_THREAD_EVENTS_MAX; e++)
        use.events[e] = rule(a->events[e], b->events[e]);
    return use;
}

struct lauka_use lauka_use_since(const struct lauka_use *now, const struct lauka_use *before)
{
    return combine(now, before, minus);
}

struct lauka_use lauka_use_plus(const struct lauka_use *a, const struct lauka_use *b)
{
    return combine(a, b, plus);
}
