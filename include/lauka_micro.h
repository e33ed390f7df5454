/* lauka_micro.h: small functions against each other within one program, in C99 or C++11. No library.
 *
 *     #include "lauka_micro.h"
 *
 *     static const struct lauka_bench benches[] = {{"strtod", with_strtod}, {"own", with_own_parser}};
 *
 *     int main(void) { return lauka_micro_main(benches, 2); }
 *
 * The functions are those of lauka_bench.h. Run by itself the program measures them in rounds, each in an order that is
 * drawn anew, in batches that last long enough for the clock, and prints what an operation costs: ns, instructions,
 * cycles, branches, mispredicted branches, at least and in the mean; where both are near each other the figure can be
 * relied on. It claims nothing: there is no interval, no verdict and no least number of rounds. Under `lauka suite ./base
 * ./head` it speaks lauka-bench/1. An operation is an item (lauka_bench_items), or a pass where none are said.
 *
 * Both sides share one process here: its heap, its caches, the order of its code. To compare two builds
 * use `lauka suite`, which has fresh processes of both. Not for several threads at once. */
#ifndef LAUKA_MICRO_H
#define LAUKA_MICRO_H

#include "lauka_region.h"

#include "lauka_bench.h"

enum lauka_micro_metric {
    LAUKA_MICRO_NS,
    LAUKA_MICRO_CPU_NS, /* which others on the machine disturb less */
    LAUKA_MICRO_INSTRUCTIONS,
    LAUKA_MICRO_CYCLES,
    LAUKA_MICRO_BRANCHES,
    LAUKA_MICRO_BRANCH_MISSES,
    LAUKA_MICRO_METRICS
};

/* Per operation, over the rounds. */
struct lauka_micro_figure {
    double least, mean;
    uint64_t rounds; /* in which it was counted, all of it; 0: it is not known */
};

struct lauka_micro_result {
    const char *name;    /* borrowed */
    const char *error;   /* borrowed; NULL: none. Of one that cannot be run */
    uint64_t iterations; /* of a batch */
    struct lauka_micro_figure figures[LAUKA_MICRO_METRICS];
};

struct lauka_micro_options {
    uint64_t rounds;   /* 0: 50 */
    uint64_t batch_ns; /* how long a batch lasts at least; 0: a millisecond */
    uint64_t seed;     /* of the orders, and for the benchmarks; 0: 1 */
};

/* ---- a batch ----------------------------------------------------------------------------------- */

static inline void lauka_micro_watch(void *region, int ended)
{
    if (ended)
        lauka_region_end((struct lauka_region *)region);
    else
        lauka_region_begin((struct lauka_region *)region);
}

static inline struct lauka_bench_state lauka_micro_batch(const struct lauka_bench *bench,
                                                         uint64_t iterations, uint64_t seed,
                                                         struct lauka_region *region)
{
    struct lauka_bench_state state;

    memset(&state, 0, sizeof state);
    state.iterations = iterations;
    state.seed = seed;
    state.watch = region ? lauka_micro_watch : NULL;
    state.watcher = region;
    bench->run(&state);
    if (!state.done && !state.error)
        state.error = "the benchmark did not run its loop to the end";
    return state;
}

/* Finds by doubling how many passes last long enough, which warms up as well. */
static inline uint64_t lauka_micro_size(const struct lauka_bench *bench, uint64_t enough_ns,
                                        uint64_t seed, const char **error)
{
    uint64_t iterations = 1;

    for (;;) {
        struct lauka_bench_state state = lauka_micro_batch(bench, iterations, seed, NULL);
        *error = state.error;
        if (state.error || state.wall_ns >= enough_ns || iterations >= UINT64_C(1) << 40)
            return iterations;
        iterations *= 2;
    }
}

static inline void lauka_micro_add(struct lauka_micro_figure *figure, double value)
{
    figure->least = figure->rounds == 0 || value < figure->least ? value : figure->least;
    figure->rounds++;
    figure->mean += (value - figure->mean) / (double)figure->rounds;
}

/* A batch of one round; counts that are estimates are left out. */
static inline void lauka_micro_measure(const struct lauka_bench *bench, uint64_t seed,
                                       struct lauka_region *region,
                                       struct lauka_micro_result *result)
{
    struct lauka_bench_state state = lauka_micro_batch(bench, result->iterations, seed, region);
    double operations = (double)result->iterations * (state.items ? (double)state.items : 1);
    uint64_t count;

    result->error = state.error;
    if (state.error)
        return;
    lauka_micro_add(&result->figures[LAUKA_MICRO_NS], (double)state.wall_ns / operations);
    lauka_micro_add(&result->figures[LAUKA_MICRO_CPU_NS], (double)state.cpu_ns / operations);
    for (size_t i = 0; i < region->count; i++)
        if (lauka_region_count(region, i, &count) == LAUKA_REGION_EXACT)
            lauka_micro_add(&result->figures[LAUKA_MICRO_INSTRUCTIONS + i],
                            (double)count / operations);
}

/* ---- all of them ------------------------------------------------------------------------------- */

/* xorshift64: of a state that is not 0. */
static inline uint64_t lauka_micro_draw(uint64_t *state, uint64_t below)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state % below;
}

/* Of the calling thread, in user mode. */
static inline void lauka_micro_open(struct lauka_region *region)
{
    static const enum lauka_region_kind kinds[] = {LAUKA_REGION_INSTRUCTIONS, LAUKA_REGION_CYCLES,
                                                   LAUKA_REGION_BRANCHES,
                                                   LAUKA_REGION_BRANCH_MISSES};
    struct lauka_region_event events[4];

    for (size_t i = 0; i < 4; i++)
        events[i] = lauka_region_known(kinds[i]);
    (void)lauka_region_open(region, events, 4, NULL);
    lauka_region_calibrate(region);
}

/* Fills a result for each benchmark. options: NULL for all 0. why (may be NULL): set to the reason why
 * instructions are not counted, NULL if they are; static. Returns 0 or ENOMEM. */
static inline int lauka_micro_run(const struct lauka_bench *benches, size_t count,
                                  const struct lauka_micro_options *options,
                                  struct lauka_micro_result *results, const char **why)
{
    uint64_t rounds = options && options->rounds ? options->rounds : 50;
    uint64_t enough_ns = options && options->batch_ns ? options->batch_ns : 1000000;
    uint64_t seed = options && options->seed ? options->seed : 1, drawn = seed;
    size_t *order = (size_t *)malloc((count ? count : 1) * sizeof *order);
    struct lauka_region region;

    if (!order)
        return ENOMEM;
    lauka_micro_open(&region);
    for (size_t i = 0; i < count; i++) {
        memset(&results[i], 0, sizeof results[i]);
        results[i].name = benches[i].name;
        results[i].iterations = lauka_micro_size(&benches[i], enough_ns, seed, &results[i].error);
        order[i] = i;
    }
    for (uint64_t round = 0; round < rounds; round++) {
        for (size_t i = count; i-- > 1;) { /* Fisher and Yates */
            size_t other = (size_t)lauka_micro_draw(&drawn, i + 1), kept = order[i];
            order[i] = order[other];
            order[other] = kept;
        }
        for (size_t i = 0; i < count; i++)
            if (!results[order[i]].error)
                lauka_micro_measure(&benches[order[i]], seed + round, &region, &results[order[i]]);
    }
    if (why)
        *why = lauka_region_way(&region, 0) == LAUKA_REGION_ABSENT ? lauka_region_why(&region, 0)
                                                                   : NULL;
    lauka_region_close(&region);
    free(order);
    return 0;
}

/* ---- the table --------------------------------------------------------------------------------- */

static inline void lauka_micro_print_figure(const struct lauka_micro_figure *figure, FILE *to)
{
    if (figure->rounds == 0)
        fprintf(to, " %12s", "-");
    else
        fprintf(to, " %12.4g", figure->least);
}

/* The least of each, and how far the mean of the time lies above it. */
static inline void lauka_micro_print(const struct lauka_micro_result *results, size_t count,
                                     const char *why, FILE *to)
{
    fprintf(to, "%-28s %12s %8s %12s %12s %12s %8s %12s %12s\n", "an operation of", "ns", "mean",
            "CPU ns", "instructions", "cycles", "per cyc.", "branches", "mispredicted");
    for (size_t i = 0; i < count; i++) {
        const struct lauka_micro_figure *figures = results[i].figures;
        if (results[i].error) {
            fprintf(to, "%-28s %s\n", results[i].name, results[i].error);
            continue;
        }
        fprintf(to, "%-28s %12.4g %+7.1f%%", results[i].name, figures[LAUKA_MICRO_NS].least,
                100 * (figures[LAUKA_MICRO_NS].mean / figures[LAUKA_MICRO_NS].least - 1));
        lauka_micro_print_figure(&figures[LAUKA_MICRO_CPU_NS], to);
        lauka_micro_print_figure(&figures[LAUKA_MICRO_INSTRUCTIONS], to);
        lauka_micro_print_figure(&figures[LAUKA_MICRO_CYCLES], to);
        if (figures[LAUKA_MICRO_CYCLES].rounds && figures[LAUKA_MICRO_CYCLES].mean > 0)
            fprintf(to, " %8.2f",
                    figures[LAUKA_MICRO_INSTRUCTIONS].mean / figures[LAUKA_MICRO_CYCLES].mean);
        else
            fprintf(to, " %8s", "-");
        lauka_micro_print_figure(&figures[LAUKA_MICRO_BRANCHES], to);
        lauka_micro_print_figure(&figures[LAUKA_MICRO_BRANCH_MISSES], to);
        fputc('\n', to);
    }
    if (why)
        fprintf(to, "Instructions and cycles are not counted: %s.\n", why);
}

/* main returns its value: under lauka it does what lauka_bench_main does, otherwise it prints the table. 1
 * if a benchmark failed. */
static inline int lauka_micro_main(const struct lauka_bench *benches, size_t count)
{
    struct lauka_micro_result *results;
    const char *why = NULL;
    int failed = 0;

    if (getenv("LAUKA_BENCH_FDS"))
        return lauka_bench_main(benches, count);
    results = (struct lauka_micro_result *)calloc(count ? count : 1, sizeof *results);
    if (!results || lauka_micro_run(benches, count, NULL, results, &why) != 0) {
        fputs("lauka_micro: out of memory\n", stderr);
        free(results);
        return 1;
    }
    lauka_micro_print(results, count, why, stdout);
    for (size_t i = 0; i < count; i++)
        failed |= results[i].error != NULL;
    free(results);
    return failed;
}

#endif
