/* The cost of a region that only reads the clock, relative to the bare pair of clock reads; and of one
 * with the system's accounting. Turn by turn, the least of each. */
#include "include/lauka_region.h"

#include <stdio.h>

enum { TURNS = 400, REGIONS = 1000 };

static volatile uint64_t sink;

static uint64_t bare_pairs(struct lauka_region *unused)
{
    uint64_t begin = lauka_region_ns();

    (void)unused;
    for (int i = 0; i < REGIONS; i++) {
        uint64_t first = lauka_region_ns();
        sink = lauka_region_ns() - first;
    }
    return lauka_region_ns() - begin;
}

static uint64_t regions(struct lauka_region *region)
{
    uint64_t begin = lauka_region_ns();

    for (int i = 0; i < REGIONS; i++) {
        lauka_region_begin(region);
        lauka_region_end(region);
        sink = lauka_region_elapsed_ns(region);
    }
    return lauka_region_ns() - begin;
}

static uint64_t scopes_of_ticks(struct lauka_region *unused)
{
    uint64_t begin = lauka_region_ns(), took;

    (void)unused;
    for (int i = 0; i < REGIONS; i++) {
        LAUKA_REGION_SCOPE(LAUKA_REGION_TICKS, took)
        {
        }
        sink = took;
    }
    return lauka_region_ns() - begin;
}

int main(void)
{
    static const enum lauka_region_kind kinds[] = {LAUKA_REGION_CPU_NS, LAUKA_REGION_INSTRUCTIONS};
    struct lauka_region region[3]; /* of the clock, of CPU time, of instructions */
    struct {
        const char *name;
        uint64_t (*run)(struct lauka_region *);
        struct lauka_region *region;
        uint64_t least;
    } cases[] = {{"a bare pair of clock reads", bare_pairs, NULL, UINT64_MAX},
                 {"a region of the clock", regions, &region[0], UINT64_MAX},
                 {"a scope of ticks", scopes_of_ticks, NULL, UINT64_MAX},
                 {"a region of CPU time", regions, &region[1], UINT64_MAX},
                 {"a region of instructions", regions, &region[2], UINT64_MAX}};
    enum { CASES = sizeof cases / sizeof *cases };

    lauka_region_open(&region[0], NULL, 0, NULL);
    for (int i = 0; i < 2; i++) {
        struct lauka_region_event event = lauka_region_known(kinds[i]);
        lauka_region_open(&region[i + 1], &event, 1, NULL);
    }
    for (int turn = 0; turn < TURNS; turn++)
        for (size_t i = 0; i < CASES; i++) {
            uint64_t ns = cases[i].run(cases[i].region);
            cases[i].least = ns < cases[i].least ? ns : cases[i].least;
        }
    for (size_t i = 0; i < CASES; i++)
        printf("%-28s %8.1f ns  %6.2f x\n", cases[i].name, (double)cases[i].least / (double)REGIONS,
               (double)cases[i].least / (double)cases[0].least);
    printf("instructions: %s (%s)\n", lauka_region_way_name(lauka_region_way(&region[2], 0)),
           lauka_region_why(&region[2], 0));
    return 0;
}
