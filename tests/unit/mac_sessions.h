/* Sessions on a simulated Mac (tests/fakes). */
#ifndef LAUKA_TESTS_MAC_SESSIONS_H
#define LAUKA_TESTS_MAC_SESSIONS_H

#include "pmu/counters/counters.h"
#include "pmu/events/events.h"
#include "pmu/macos/darwin.h"

#include <string.h>

#include "tests/unit/expect.h"
#include "tests/fakes/fake.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static struct lauka_event_list list;

static struct lauka_counters counters;

static struct lauka_reading readings[LAUKA_COUNTERS_MAX];

static inline void power_on(void)
{
    fake_options = (struct fake_options){.exec_exits = true};
    fake_reset();
}

static inline bool ask(const char *names)
{
    char why[400];
    memset(&list, 0, sizeof list);
    bool good = lauka_event_list_add(&list, names, "/nonexistent", why, sizeof why);
    if (!good)
        puts(why);
    return good;
}

static inline bool open_events(const char *names)
{
    if (!ask(names))
        return false;
    fake_reset();
    lauka_counters_open(&counters, list.events, list.count);
    return true;
}

static inline unsigned watch(void *context)
{
    return lauka_counters_watch(context);
}

static inline void run(enum fake_workload workload, uint64_t seed)
{
    lauka_counters_turn(&counters);
    int pid = fake_spawn(workload, seed);
    lauka_counters_start(&counters, pid);
    fake_run(watch, &counters);
    lauka_counters_stop(&counters, pid);
    fake_reap();
    lauka_counters_collect(&counters, readings);
}

static inline bool is_counted(size_t index)
{
    return readings[index].running > 0;
}

static inline bool closes_clean(void)
{
    lauka_counters_close(&counters);
    return fake_is_clean();
}

/* Whether all events of the list were counted, exactly. */
static inline bool all_exact(const char *const *database, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool fixed = strncmp(database[i], "FIXED", 5) == 0;
        uint64_t truth = fake_truth(database[i], !fixed);
        if (!is_counted(i) || readings[i].value != truth ||
            readings[i].running != readings[i].enabled) {
            printf("%s: %" PRIu64 ", not %" PRIu64 "; %s\n", database[i], readings[i].value, truth,
                   counters.trouble);
            return false;
        }
    }
    return true;
}

#define EIGHT                                                                                      \
    "cycles,instructions,INST_LDST,branches,branch-misses,L1D_TLB_ACCESS,l1d-tlb-misses,"          \
    "L1D_CACHE_MISS_ST,L1D_CACHE_MISS_LD,LD_UNIT_UOP"

static const char *const eight[] = {"FIXED_CYCLES", "FIXED_INSTRUCTIONS",     "INST_LDST",
                                    "INST_BRANCH",  "BRANCH_MISPRED_NONSPEC", "L1D_TLB_ACCESS",
                                    "L1D_TLB_MISS", "L1D_CACHE_MISS_ST",      "L1D_CACHE_MISS_LD",
                                    "LD_UNIT_UOP"};

static inline bool is_exact_of(enum fake_workload workload, uint64_t seed)
{
    run(workload, seed);
    bool exact = all_exact(eight, COUNT(eight));
    if (!exact)
        printf("workload %d, seed %" PRIu64 "\n", (int)workload, seed);
    return exact;
}

static inline size_t count_counted(void)
{
    size_t count = 0;
    for (size_t i = 0; i < list.count; i++)
        count += is_counted(i);
    return count;
}

#endif
