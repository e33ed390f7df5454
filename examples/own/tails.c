/* A sum over sorted and over unsorted bytes, repeated many times. For time and for each event that this
 * machine counts, a table shows the distribution instead of one number.
 *
 *     cc -O1 tails.c -o tails $(pkg-config --cflags --libs lauka) && ./tails */
#include "lauka_counts.h"

enum { BYTES = 20000, RUNS = 2000, WARM_UP = 200 };

static volatile double result;

static int ascending(const void *a, const void *b)
{
    return *(const unsigned char *)a - *(const unsigned char *)b;
}

static void sum(const unsigned char *bytes)
{
    double total = 0;
    for (int i = 0; i < BYTES; i++) {
        if (bytes[i] >= 128)
            total += 100;
        else
            total *= 0.9999;
    }
    result = total;
}

static void measure(struct lauka_region *region, struct lauka_counts *counts,
                    const unsigned char *bytes)
{
    for (int i = 0; i < RUNS; i++) {
        if (i == WARM_UP)
            lauka_counts_reset(counts);
        lauka_region_begin(region);
        sum(bytes);
        lauka_region_end(region);
        lauka_counts_record(counts, region);
    }
}

int main(void)
{
    static unsigned char bytes[BYTES];
    const struct lauka_region_event events[] = {lauka_region_known(LAUKA_REGION_CYCLES),
                                                lauka_region_known(LAUKA_REGION_BRANCH_MISSES)};
    struct lauka_region region;
    struct lauka_counts unsorted, sorted;

    for (unsigned i = 0, state = 1; i < BYTES; i++)
        bytes[i] = (unsigned char)((state = state * 1664525u + 1013904223u) >> 24);
    if (lauka_region_open(&region, events, 2, NULL) != 0 ||
        lauka_counts_open(&unsorted, &region, 3) != 0 ||
        lauka_counts_open(&sorted, &region, 3) != 0)
        return 1;
    measure(&region, &unsorted, bytes);
    qsort(bytes, BYTES, 1, ascending);
    measure(&region, &sorted, bytes);
    return lauka_counts_write_difference("unsorted", &unsorted, "sorted", &sorted, stdout) != 0;
}
