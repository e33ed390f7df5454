/* Regions of known work within a program, read without a system call and with one: `regions` prints
 * for each way what it counted and how: `NAME COUNT QUALITY WAY WHY`. */
#include <stdio.h>

#include "../../include/lauka_region.h"

enum { TURNS = 1000000 }; /* of two instructions */

static void execute(uint64_t turns)
{
#if defined(__aarch64__)
    __asm__ volatile("1: subs %0, %0, #1\n b.ne 1b" : "+r"(turns) : : "cc");
#else
    __asm__ volatile("1: dec %0\n jnz 1b" : "+r"(turns) : : "cc");
#endif
}

static void print_as(const struct lauka_region *region, const char *name, const char *prefix)
{
    for (size_t i = 0; i < region->count; i++) {
        uint64_t count;
        int quality = (int)lauka_region_count(region, i, &count);
        printf("%s%s:%s %llu %d %d %s\n", prefix, name, region->counters[i].event.name,
               (unsigned long long)count, quality, (int)lauka_region_way(region, i),
               lauka_region_why(region, i));
    }
}

static void print(const struct lauka_region *region, const char *name)
{
    print_as(region, name, "");
}

static void measure(const char *name, const struct lauka_region_event *events, size_t count,
                    struct lauka_region_options options)
{
    struct lauka_region region;

    if (lauka_region_open(&region, events, count, &options) != 0)
        return;
    for (int pass = 0; pass < 2; pass++) { /* the first one sees the code for the first time */
        if (options.asleep)
            lauka_region_wake(&region);
        lauka_region_begin(&region);
        execute(TURNS);
        lauka_region_end(&region);
        if (options.asleep)
            lauka_region_sleep(&region);
    }
    print(&region, name);
    if (!options.asleep)
        lauka_region_calibrate(&region);
    lauka_region_begin(&region);
    execute(options.asleep ? 1 : TURNS);
    lauka_region_end(&region);
    if (!options.asleep)
        print_as(&region, name, "net-");
    if (options.asleep) /* nothing is counted between sleep and wake */
        print(&region, "asleep");
    lauka_region_close(&region);
}

/* The least that ten reads cost, in ns of this machine. */
static void price(const char *name, const struct lauka_region_event *event,
                  struct lauka_region_options options)
{
    struct lauka_region region;
    uint64_t least = UINT64_MAX;

    if (lauka_region_open(&region, event, 1, &options) != 0)
        return;
    for (int i = 0; i < 1000; i++) {
        uint64_t begin = lauka_region_ns();
        for (int read = 0; read < 10; read++)
            lauka_region_counters_read(&region, &region.last);
        uint64_t ns = lauka_region_ns() - begin;
        least = ns < least ? ns : least;
    }
    printf("price:%s %llu\n", name, (unsigned long long)least);
    lauka_region_close(&region);
}

int main(void)
{
    const struct lauka_region_options plain = {0}, called = {.by_system_call = 1},
                                      whole = {.process = 1}, asleep = {.asleep = 1},
                                      pinned = {.pinned = 1}, kernel = {.mode = LAUKA_REGION_BOTH};
    struct lauka_region_event events[9] = {lauka_region_known(LAUKA_REGION_INSTRUCTIONS),
                                           lauka_region_known(LAUKA_REGION_CYCLES)};
    unsigned fixed, programmable;

    measure("user", events, 2, plain);
    measure("call", events, 2, called);
    measure("process", events, 2, whole);
    measure("woken", events, 1, asleep);
    measure("pinned", events, 2, pinned);
    measure("both", events, 1, kernel);
    price("user", events, plain);
    price("call", events, called);
    lauka_region_counters_there(&fixed, &programmable);
    printf("counters %u %u\n", fixed, programmable);
    events[1] = lauka_region_known(LAUKA_REGION_BRANCH_MISSES);
    measure("lacks", events, 2, plain);
    for (size_t i = 0; i < 9; i++) /* more than there are counters: they take turns */
        events[i] = lauka_region_encoded("inst_retired", 4, 8);
    measure("crowded", events, 9, plain);
    return 0;
}
