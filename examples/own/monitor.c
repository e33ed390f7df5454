/* A program that reports in each interval what it is doing: monitor [SECONDS [MILLISECONDS]]
 *
 *     cc -O2 -I/usr/local/include monitor.c -o monitor && ./monitor 10 */
#include "lauka_region.h"

#include <stdio.h>

static double work(double value)
{
    for (int i = 0; i < 100000; i++)
        value = value * 1.0000001 + 1;
    return value;
}

static void print_line(struct lauka_region *region)
{
    double ms = (double)lauka_region_elapsed_ns(region) / 1e6;

    printf("%8.1f ms", ms);
    for (size_t i = 0; i < region->count; i++) {
        uint64_t count;
        enum lauka_region_quality quality = lauka_region_count(region, i, &count);
        printf("  %s ", region->counters[i].event.name);
        if (quality == LAUKA_REGION_UNKNOWN)
            printf("-");
        else
            printf("%s%llu", quality == LAUKA_REGION_ESTIMATE ? "~" : "",
                   (unsigned long long)count);
    }
    printf("\n");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    static const enum lauka_region_kind kinds[] = {LAUKA_REGION_INSTRUCTIONS, LAUKA_REGION_CYCLES,
                                                   LAUKA_REGION_CPU_NS,
                                                   LAUKA_REGION_CONTEXT_SWITCHES};
    double seconds = argc > 1 ? atof(argv[1]) : 10, interval_ms = argc > 2 ? atof(argv[2]) : 1000;
    struct lauka_region_event events[4];
    struct lauka_region_options options = {1, LAUKA_REGION_USER, 0, 0, 0}; /* the whole process */
    struct lauka_region region;
    volatile double value = 1;

    for (size_t i = 0; i < 4; i++)
        events[i] = lauka_region_known(kinds[i]);
    if (lauka_region_open(&region, events, 4, &options) != 0)
        return 1;
    for (uint64_t begin = lauka_region_ns(); (double)(lauka_region_ns() - begin) < seconds * 1e9;) {
        lauka_region_begin(&region);
        while ((double)(lauka_region_ns() - region.first.ns) < interval_ms * 1e6)
            value = work(value);
        lauka_region_end(&region);
        print_line(&region);
    }
    lauka_region_close(&region);
    return 0;
}
