/* derived: ratios of two counts. Both must cover the same time: they are in one group, which is counted as
 * a whole or not at all, or each is counted all the time. */
#include "pmu/counters/counters.h"
#include "pmu/events/events.h"

#include <stdio.h>
#include <string.h>

__extension__ typedef unsigned __int128 uint128;

#define RATIO(name_, better_, scale_, description_)                                                \
    {                                                                                              \
        .name = name_, .unit = "1", .better = LAUKA_BETTER_##better_, .decimals = 4,               \
        .scale = scale_, .description = description_                                               \
    }

/* By attr.config of the generic hardware events. per == of: the event's own time. */
static const struct rule {
    uint64_t of, per;
    struct lauka_derived derived;
} rules[] = {
    {1, 0, RATIO("ipc", HIGHER, 1, "instructions per cycle")},
    {0, 0, RATIO("ghz", NEITHER, 1, "cycles per nanosecond on a CPU: its frequency")},
    {5, 4,
     RATIO("branch_miss_percent", LOWER, 100, "share of the branches that were predicted wrongly")},
    {3, 2, RATIO("cache_miss_percent", LOWER, 100, "share of the cache references that missed")},
};

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

/* ---- the top-down method: which part of the slots for micro-operations was used for what ---------- */

/* Intel's Optimization Reference Manual, appendix B.1; the events: perf's Documentation/topdown.txt. Level 2 divides
 * level 1. A name with a "-" is subtracted. */
#define SLOTS_USED                                                                                 \
    {                                                                                              \
        "retiring", "bad-spec", "fe-bound", "be-bound"                                             \
    }
#define SHARE(name_, better_, description_) RATIO(name_, better_, 100, description_)
#define RETIRING SHARE("retiring_percent", HIGHER, "slots whose work was of use")
#define BAD_SPECULATION SHARE("bad_speculation_percent", LOWER, "slots lost to wrong predictions")
#define FRONTEND_BOUND                                                                             \
    SHARE("frontend_bound_percent", LOWER, "slots for which no instruction was delivered")
#define BACKEND_BOUND                                                                              \
    SHARE("backend_bound_percent", LOWER, "slots that waited for data or for execution")
static const struct shares {
    const char *parts[LAUKA_RATIO_TERMS], *whole[LAUKA_RATIO_TERMS];
    struct lauka_derived derived;
} shares[] = {
    {{"retiring"}, SLOTS_USED, RETIRING},
    {{"bad-spec"}, SLOTS_USED, BAD_SPECULATION},
    {{"fe-bound"}, SLOTS_USED, FRONTEND_BOUND},
    {{"be-bound"}, SLOTS_USED, BACKEND_BOUND},
    {{"heavy-ops"},
     SLOTS_USED,
     SHARE("heavy_operations_percent", NEITHER, "retiring: instructions of several operations")},
    {{"retiring", "-heavy-ops"},
     SLOTS_USED,
     SHARE("light_operations_percent", NEITHER, "retiring: instructions of one operation")},
    {{"br-mispredict"},
     SLOTS_USED,
     SHARE("branch_mispredicts_percent", LOWER, "bad speculation: branches")},
    {{"bad-spec", "-br-mispredict"},
     SLOTS_USED,
     SHARE("machine_clears_percent", LOWER, "bad speculation: machine clears")},
    {{"fetch-lat"},
     SLOTS_USED,
     SHARE("fetch_latency_percent", LOWER, "front end: it delivered nothing")},
    {{"fe-bound", "-fetch-lat"},
     SLOTS_USED,
     SHARE("fetch_bandwidth_percent", LOWER, "front end: it delivered too little")},
    {{"mem-bound"}, SLOTS_USED, SHARE("memory_bound_percent", LOWER, "back end: memory")},
    {{"be-bound", "-mem-bound"},
     SLOTS_USED,
     SHARE("core_bound_percent", LOWER, "back end: execution units")},
    {{"slots-retired"}, {"total-slots"}, RETIRING},
    {{"slots-issued", "-slots-retired", "recovery-bubbles"}, {"total-slots"}, BAD_SPECULATION},
    {{"fetch-bubbles"}, {"total-slots"}, FRONTEND_BOUND},
    {{"total-slots", "-fetch-bubbles", "-slots-issued", "-recovery-bubbles"},
     {"total-slots"},
     BACKEND_BOUND},
};

/* The PMU's event "topdown-NAME" in these modes, in the group of `beside`; count: there is none. */
static size_t find_topdown(const struct lauka_counters *counters, const char *name, size_t beside)
{
    char part[64];
    const struct lauka_event *other = counters->events[beside];
    snprintf(part, sizeof part, "/topdown-%s/", name);
    for (size_t i = 0; i < counters->asked; i++) {
        const struct lauka_event *event = counters->events[i];
        if (counters->errors[i] == 0 && strstr(event->name, part) && event->type == other->type &&
            event->modes == other->modes && counters->leaders[i] == counters->leaders[beside])
            return i;
    }
    return counters->count;
}

static bool find_terms(const struct lauka_counters *counters,
                       const char *const names[LAUKA_RATIO_TERMS], size_t beside,
                       struct lauka_ratio_term terms[LAUKA_RATIO_TERMS])
{
    for (size_t t = 0; t < LAUKA_RATIO_TERMS && names[t]; t++) {
        bool less = names[t][0] == '-';
        size_t i = find_topdown(counters, names[t] + less, beside);
        if (i == counters->count)
            return false;
        double scale = counters->events[i]->scale > 0 ? counters->events[i]->scale : 1;
        terms[t] = (struct lauka_ratio_term){i, less ? -scale : scale};
    }
    return true;
}

/* The kind of core whose PMU the event names, from 1; 0 if there is one kind. */
static uint8_t core_of(const struct lauka_counters *counters, const struct lauka_event *event)
{
    for (size_t t = 0; counters->core_kinds && t < counters->topology.type_count; t++)
        if (counters->topology.types[t].pmu_type == event->type)
            return (uint8_t)(t + 1);
    return 0;
}

/* Shares of the group of which the event is the first. Returns how many. */
static size_t find_shares(const struct lauka_counters *counters, size_t first,
                          struct lauka_derived *derived)
{
    size_t used = 0;
    for (size_t s = 0; s < sizeof shares / sizeof *shares && used < LAUKA_TOPDOWN_RATIOS; s++) {
        struct lauka_derived *own = &derived[used];
        *own = shares[s].derived;
        own->core = core_of(counters, counters->events[first]);
        bool good = find_terms(counters, shares[s].parts, first, own->parts) &&
                    find_terms(counters, shares[s].whole, first, own->whole);
        for (size_t d = 0; d < used; d++) /* metrics and counts of slots have the same shares */
            good = good && strcmp(derived[d].name, own->name) != 0;
        own->of = own->parts[0].index;
        own->per = own->whole[0].index;
        used += good;
    }
    return used;
}

/* Each group once: events of another group, PMU or mode have shares of their own. */
static bool opens_group(const struct lauka_counters *counters, size_t index)
{
    if (counters->errors[index] != 0 || !strstr(counters->events[index]->name, "/topdown-"))
        return false;
    for (size_t i = 0; i < index; i++)
        if (counters->leaders[i] == counters->leaders[index] &&
            strstr(counters->events[i]->name, "/topdown-"))
            return false;
    return true;
}

/* False if one of them was not counted in this run, or not all the time. */
static bool add_terms(const struct lauka_ratio_term terms[LAUKA_RATIO_TERMS],
                      const struct lauka_reading *readings, uint64_t running, double *sum)
{
    *sum = 0;
    for (size_t t = 0; t < LAUKA_RATIO_TERMS && terms[t].factor != 0; t++) {
        const struct lauka_reading *term = &readings[terms[t].index];
        if (term->running != running)
            return false;
        *sum += terms[t].factor * (double)term->value;
    }
    return running > 0;
}

/* Counts of the same slots can differ by a few: a share is never below 0. */
static bool share_value(const struct lauka_derived *derived, const struct lauka_reading *readings,
                        uint64_t *value)
{
    const uint64_t running = readings[derived->of].running;
    double whole, part;
    bool counted = add_terms(derived->whole, readings, running, &whole) &&
                   add_terms(derived->parts, readings, running, &part);
    if (!counted || whole <= 0)
        return false;
    double share = (double)derived->scale * (part > 0 ? part : 0);
    for (int i = 0; i < derived->decimals; i++)
        share *= 10;
    *value = (uint64_t)(share / whole + 0.5);
    return true;
}

size_t lauka_derived_find(const struct lauka_counters *counters,
                          struct lauka_derived derived[LAUKA_DERIVED_MAX])
{
    size_t used = 0, kinds = counters->core_kinds ? counters->topology.type_count : 0;
    for (size_t core = 0; core <= kinds; core++)
        for (size_t r = 0; r < sizeof rules / sizeof rules[0]; r++)
            used += find_ratio(counters, &rules[r], (uint8_t)core, &derived[used]);
    for (size_t i = 0, groups = 0; i < counters->asked && groups < LAUKA_CORE_TYPES_MAX; i++)
        if (opens_group(counters, i)) {
            used += find_shares(counters, i, &derived[used]);
            groups++;
        }
    return used;
}

bool lauka_derived_value(const struct lauka_derived *derived, const struct lauka_reading *readings,
                         uint64_t *value)
{
    if (derived->whole[0].factor != 0)
        return share_value(derived, readings, value);
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
