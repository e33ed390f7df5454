/* derived: ratios of two counts. Both must cover the same time: they are in one group, which is counted as
 * a whole or not at all, or each is counted all the time. */
#include "pmu/counters/counters.h"
#include "pmu/events/events.h"

__extension__ typedef unsigned __int128 uint128;

/* By attr.config of the generic hardware events. per == of: the event's own time. */
/* clang-format off: a table */
static const struct rule {
    uint64_t of, per;
    struct lauka_derived derived;
} rules[] = {
    {1,
     0,
     {.name = "ipc",
      .unit = "1",
      .better = LAUKA_BETTER_HIGHER,
      .decimals = 4,
      .scale = 1,
      .description = "instructions per cycle"}},
    {0,
     0,
     {.name = "ghz",
      .unit = "1",
      .better = LAUKA_BETTER_NEITHER,
      .decimals = 4,
      .scale = 1,
      .description = "cycles per nanosecond on a CPU: its frequency"}},
    {5,
     4,
     {.name = "branch_miss_percent",
      .unit = "1",
      .better = LAUKA_BETTER_LOWER,
      .decimals = 4,
      .scale = 100,
      .description = "share of the branches that were predicted wrongly"}},
    {3,
     2,
     {.name = "cache_miss_percent",
      .unit = "1",
      .better = LAUKA_BETTER_LOWER,
      .decimals = 4,
      .scale = 100,
      .description = "share of the cache references that missed"}},
};
/* clang-format on */

/* In one of the modes in which the ratio is asked for; the first that fits. core: as in an event. */
static size_t find(const struct lauka_counters *counters, uint64_t config, enum lauka_modes modes,
                   uint8_t core)
{
    for (size_t i = 0; i < counters->count; i++) {
        const struct lauka_event *event = lauka_counters_meant(counters, i);
        if (counters->errors[i] == 0 && event->type == LAUKA_TYPE_HARDWARE &&
            event->config == config && event->modes == modes && counters->events[i]->core == core)
            return i;
    }
    return counters->count;
}

static bool same_time(const struct lauka_counters *counters, size_t a, size_t b)
{
    return counters->leaders[a] == counters->leaders[b] || counters->set_count == 1;
}

/* Time passes in all modes: the cycles of a single mode say nothing about the frequency. */
static bool counts_all_modes(const struct lauka_counters *counters, enum lauka_modes modes)
{
    return modes == LAUKA_MODES_ALL && !counters->user_only;
}

/* Counted in user mode only, although all modes were asked for. */
static bool is_user(const struct lauka_counters *counters, size_t index)
{
    return index < counters->asked && counters->user[index];
}

static bool find_ratio(const struct lauka_counters *counters, const struct rule *rule, uint8_t core,
                       struct lauka_derived *derived)
{
    enum lauka_modes modes = LAUKA_MODES_ALL;
    size_t of = find(counters, rule->of, modes, core);
    if (of == counters->count)
        of = find(counters, rule->of, modes = LAUKA_MODES_USER, core);
    size_t per = find(counters, rule->per, modes, core);
    if (of == counters->count || per == counters->count || !same_time(counters, of, per) ||
        (of == per && !counts_all_modes(counters, modes)) ||
        is_user(counters, of) != is_user(counters, per))
        return false;
    *derived = rule->derived;
    derived->of = of;
    derived->per = per;
    derived->core = core;
    return true;
}

size_t lauka_derived_find(const struct lauka_counters *counters,
                          struct lauka_derived derived[LAUKA_DERIVED_MAX])
{
    size_t used = 0, kinds = counters->core_kinds ? counters->topology.type_count : 0;
    for (size_t core = 0; core <= kinds; core++)
        for (size_t r = 0; r < sizeof rules / sizeof rules[0]; r++)
            used += find_ratio(counters, &rules[r], (uint8_t)core, &derived[used]);
    return used;
}

bool lauka_derived_value(const struct lauka_derived *derived, const struct lauka_reading *readings,
                         uint64_t *value)
{
    const struct lauka_reading *of = &readings[derived->of], *per = &readings[derived->per];
    uint64_t divisor = of != per ? per->value : of->value > 0 ? of->running : 0;
    uint128 scaled = (uint128)of->value * derived->scale;

    for (int i = 0; i < derived->decimals; i++)
        scaled *= 10;
    *value = 0;
    if (of->running == 0 || per->running != of->running || per->enabled != of->enabled ||
        divisor == 0)
        return false;
    scaled = (scaled + divisor / 2) / divisor;
    *value = (uint64_t)scaled;
    return scaled < UINT64_MAX; /* the largest stands for what is missing */
}
