/* What recording costs a program that calls the shared library, against the same work compiled into it. In turns within
 * one process, so that a disturbance or a change of clock speed meets all alike; what counts are the least time and
 * the median of the ratios within a turn. See tests/bench/README.md. */
#include <stdio.h>
#include <stdlib.h>

#include "include/lauka_histogram.h"
#include "include/lauka_region.h"
#include "stats/histogram.h"
#include "stats/stats.h"

enum { VALUES = 50000, TURNS = 301, WAYS = 5 };

static uint64_t values[VALUES];
static struct lauka_hdr *histogram;
static struct lauka_hdr_recorder *recorder;
static struct lauka_histogram counts;
static struct lauka_moments moments;

static void compiled_in(void)
{
    for (size_t i = 0; i < VALUES; i++) {
        lauka_histogram_record(&counts, values[i]);
        lauka_moments_add(&moments, values[i]);
    }
}

static void one_by_one(void)
{
    for (size_t i = 0; i < VALUES; i++)
        lauka_hdr_record(histogram, values[i]);
}

static void all_at_once(void)
{
    lauka_hdr_record_all(histogram, values, VALUES);
}

static void by_recorder(void)
{
    for (size_t i = 0; i < VALUES; i++)
        lauka_hdr_recorder_record(recorder, values[i]);
}

static void shared_counters(void)
{
    for (size_t i = 0; i < VALUES; i++)
        lauka_hdr_recorder_record_shared(recorder, values[i]);
}

static const struct way {
    const char *name;
    void (*run)(void);
} ways[WAYS] = {
    {"compiled in", compiled_in},
    {"lauka_hdr_record", one_by_one},
    {"lauka_hdr_record_all", all_at_once},
    {"lauka_hdr_recorder_record", by_recorder},
    {"lauka_hdr_recorder_record_shared", shared_counters},
};

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void take_turns(double ratios[WAYS][TURNS], double least[WAYS])
{
    for (size_t turn = 0; turn < TURNS; turn++) {
        double ns[WAYS];
        for (size_t w = 0; w < WAYS; w++) {
            uint64_t begin = lauka_region_ns();
            ways[w].run();
            ns[w] = (double)(lauka_region_ns() - begin) / (double)VALUES;
            least[w] = ns[w] < least[w] ? ns[w] : least[w];
        }
        for (size_t w = 0; w < WAYS; w++)
            ratios[w][turn] = ns[w] / ns[0];
    }
}

int main(void)
{
    static double ratios[WAYS][TURNS];
    double least[WAYS] = {1e9, 1e9, 1e9, 1e9, 1e9};
    struct lauka_random dice;

    lauka_random_seed(&dice, 1);
    lauka_moments_init(&moments);
    histogram = lauka_hdr_new(3, 0, 0);
    recorder = lauka_hdr_recorder_new(3);
    if (!histogram || !recorder || lauka_histogram_init(&counts, NULL) != 0)
        return 1;
    for (size_t i = 0; i < VALUES; i++)
        values[i] = lauka_random_next(&dice) >> (40 + lauka_random_below(&dice, 8));
    take_turns(ratios, least);
    printf("%-34s %8s %16s\n", "recording a value", "ns", "of compiled in");
    for (size_t w = 0; w < WAYS; w++) {
        qsort(ratios[w], TURNS, sizeof ratios[w][0], ascending);
        printf("%-34s %8.2f %16.2f\n", ways[w].name, least[w], ratios[w][TURNS / 2]);
    }
    lauka_hdr_free(histogram);
    lauka_hdr_recorder_free(recorder);
    lauka_histogram_done(&counts);
    return 0;
}
