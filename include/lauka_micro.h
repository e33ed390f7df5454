/* lauka_micro.h: small functions against each other within one program, in C99 or C++11. No library.
 *
 *     #include "lauka_micro.h"
 *
 *     static const struct lauka_bench benches[] = {{"strtod", with_strtod}, {"own", with_own_parser}};
 *
 *     int main(void) { return lauka_micro_main(benches, 2); }
 *
 * The functions have the form of lauka_bench.h. Alone, the program measures them in rounds of random order, in batches
 * that last long enough for the clock. It prints the cost of an operation: ns, CPU time, instructions, cycles,
 * branches, mispredicted branches (medians over the rounds), and whether it takes longer than one of the first
 * function, for which it needs six rounds. None of lauka's other rules apply. Under `lauka suite ./base ./head` it
 * speaks lauka-bench/1. An operation is an item (lauka_bench_items), or a pass if no items are set.
 *
 * Here both sides share one process: its heap, its caches, the order of its code. To compare two builds
 * use `lauka suite`, which starts fresh processes of both. Not for several threads at once. */
#ifndef LAUKA_MICRO_H
#define LAUKA_MICRO_H

#include "lauka_region.h"

#include "lauka_bench.h"

enum lauka_micro_metric {
    LAUKA_MICRO_NS,
    LAUKA_MICRO_CPU_NS, /* less affected by other load on the machine */
    LAUKA_MICRO_INSTRUCTIONS,
    LAUKA_MICRO_CYCLES,
    LAUKA_MICRO_BRANCHES,
    LAUKA_MICRO_BRANCH_MISSES,
    LAUKA_MICRO_METRICS
};

/* Per operation, over all rounds. */
struct lauka_micro_figure {
    double least, mean, median;
    uint64_t rounds; /* rounds with exact values; 0: not known */
};

enum lauka_micro_verdict {
    LAUKA_MICRO_TOO_FEW,   /* too few rounds for an interval: two functions need six, five need 8 */
    LAUKA_MICRO_UNDECIDED, /* the interval contains no change */
    LAUKA_MICRO_FASTER,
    LAUKA_MICRO_SLOWER
};

/* The ratio of an operation's time to the first function's: the median of the per-round ratios and, with a
 * verdict, a simultaneous 95 % interval for all functions, by the sign test (Hettmansperger and McKean,
 * Robust Nonparametric Statistical Methods, 1.3), which assumes nothing about the distribution of times. */
struct lauka_micro_ratio {
    double low, median, high;
    enum lauka_micro_verdict verdict;
};

struct lauka_micro_result {
    const char *name;    /* borrowed */
    const char *error;   /* borrowed; why it cannot run; NULL: no error */
    uint64_t iterations; /* per batch */
    struct lauka_micro_figure figures[LAUKA_MICRO_METRICS];
    struct lauka_micro_ratio time; /* all 0 for the first function */
};

struct lauka_micro_options {
    uint64_t rounds;   /* 0: 50 */
    uint64_t batch_ns; /* least duration of a batch; 0: a millisecond */
    uint64_t seed;     /* for the orders and the benchmarks; 0: 1 */
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

/* Doubles the number of passes until a batch lasts long enough, which also warms up. It needs two
 * such batches in succession, because an interrupted batch seems long. */
static inline uint64_t lauka_micro_size(const struct lauka_bench *bench, uint64_t enough_ns,
                                        uint64_t seed, const char **error)
{
    uint64_t iterations = 1;

    for (int enough = 0;;) {
        struct lauka_bench_state state = lauka_micro_batch(bench, iterations, seed, NULL);
        *error = state.error;
        enough = state.wall_ns >= enough_ns ? enough + 1 : 0;
        if (state.error || enough == 2 || iterations >= UINT64_C(1) << 40)
            return iterations;
        iterations *= enough ? 1 : 2;
    }
}

/* values: for all metrics and rounds. */
static inline void lauka_micro_add(struct lauka_micro_result *result, int metric, double value,
                                   double *values, uint64_t rounds)
{
    struct lauka_micro_figure *figure = &result->figures[metric];

    values[(uint64_t)metric * rounds + figure->rounds] = value;
    figure->least = figure->rounds == 0 || value < figure->least ? value : figure->least;
    figure->rounds++;
    figure->mean += (value - figure->mean) / (double)figure->rounds;
}

/* Measures a batch of one round; leaves out counts that are estimates. */
static inline void lauka_micro_measure(const struct lauka_bench *bench, uint64_t seed,
                                       struct lauka_region *region,
                                       struct lauka_micro_result *result, double *values,
                                       uint64_t rounds)
{
    struct lauka_bench_state state = lauka_micro_batch(bench, result->iterations, seed, region);
    double operations = (double)result->iterations * (state.items ? (double)state.items : 1);
    uint64_t count;

    result->error = state.error;
    if (state.error)
        return;
    lauka_micro_add(result, LAUKA_MICRO_NS, (double)state.wall_ns / operations, values, rounds);
    lauka_micro_add(result, LAUKA_MICRO_CPU_NS, (double)state.cpu_ns / operations, values, rounds);
    for (size_t i = 0; i < region->count; i++)
        if (lauka_region_count(region, i, &count) == LAUKA_REGION_EXACT)
            lauka_micro_add(result, LAUKA_MICRO_INSTRUCTIONS + (int)i, (double)count / operations,
                            values, rounds);
}

/* ---- medians and intervals --------------------------------------------------------------------- */

static inline int lauka_micro_compare(const void *left, const void *right)
{
    const double *a = (const double *)left, *b = (const double *)right;
    return (*a > *b) - (*a < *b);
}

/* Sorts the values. */
static inline double lauka_micro_median(double *values, uint64_t count)
{
    qsort(values, (size_t)count, sizeof *values, lauka_micro_compare);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* The index, in sorted values, of the lower end of an interval for the median, which misses it with probability
 * alpha at most; the upper end is as far from the last value. -1 if there are too few values. Half of the values
 * lie below the median, so their number is binomial; the weights are relative to the middle one. */
static inline int64_t lauka_micro_rank(uint64_t count, double alpha)
{
    double weight = 1, total = count % 2 ? 2 : 1, inside = total;
    uint64_t low = count / 2;

    for (uint64_t k = low; k > 0; k--) {
        weight *= (double)k / (double)(count - k + 1);
        total += 2 * weight;
    }
    for (weight = 1; low > 0 && inside < (1 - alpha) * total; low--) {
        weight *= (double)low / (double)(count - low + 1);
        inside += 2 * weight;
    }
    return (int64_t)low - 1;
}

/* ratios: room for `rounds` of them. comparisons: number of comparisons made together (Bonferroni). */
static inline void lauka_micro_judge(struct lauka_micro_result *result, const double *times,
                                     const double *reference, uint64_t rounds, size_t comparisons,
                                     double *ratios)
{
    struct lauka_micro_ratio *time = &result->time;
    int64_t rank = lauka_micro_rank(rounds, 0.05 / (double)comparisons);

    for (uint64_t i = 0; i < rounds; i++)
        ratios[i] = reference[i] > 0 ? times[i] / reference[i] : 1;
    time->median = lauka_micro_median(ratios, rounds);
    if (rank < 0)
        return;
    time->low = ratios[rank];
    time->high = ratios[(int64_t)rounds - 1 - rank];
    time->verdict = time->low > 1    ? LAUKA_MICRO_SLOWER
                    : time->high < 1 ? LAUKA_MICRO_FASTER
                                     : LAUKA_MICRO_UNDECIDED;
}

/* values: for all functions, metrics and rounds, followed by room for `rounds` more. */
static inline void lauka_micro_finish(struct lauka_micro_result *results, size_t count,
                                      double *values, uint64_t rounds)
{
    const size_t each = (size_t)rounds * LAUKA_MICRO_METRICS;

    for (size_t i = 1; i < count; i++)
        if (!results[0].error && !results[i].error)
            lauka_micro_judge(&results[i], values + i * each, values, rounds, count - 1,
                              values + count * each);
    for (size_t i = 0; i < count; i++)
        for (size_t m = 0; m < LAUKA_MICRO_METRICS; m++)
            if (results[i].figures[m].rounds)
                results[i].figures[m].median = lauka_micro_median(
                    values + i * each + m * (size_t)rounds, results[i].figures[m].rounds);
}

/* ---- all of them ------------------------------------------------------------------------------- */

/* xorshift64. The state must not be 0. */
static inline uint64_t lauka_micro_draw(uint64_t *state, uint64_t below)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state % below;
}

static inline void lauka_micro_swap(size_t *order, size_t one, size_t other)
{
    size_t kept = order[one];

    order[one] = order[other];
    order[other] = kept;
}

/* Shuffles for every other round (Fisher and Yates) and reverses the order for the next, so that
 * each function comes before the first one as often as after it. */
static inline void lauka_micro_order(size_t *order, size_t count, uint64_t round, uint64_t *drawn)
{
    for (size_t i = count; round % 2 == 0 && i-- > 1;)
        lauka_micro_swap(order, i, (size_t)lauka_micro_draw(drawn, i + 1));
    for (size_t i = 0; round % 2 && i < count / 2; i++)
        lauka_micro_swap(order, i, count - 1 - i);
}

/* Functions about as fast as the first one run equally many passes per batch, because their times
 * include the cost of a batch. */
static inline void lauka_micro_even(struct lauka_micro_result *results, size_t count)
{
    uint64_t first = count ? results[0].iterations : 0, most = first;

    for (size_t i = 1; i < count; i++)
        if (results[i].iterations == 2 * first)
            most = 2 * first;
    for (size_t i = 0; i < count; i++)
        if (results[i].iterations >= first / 2 && results[i].iterations <= 2 * first)
            results[i].iterations = most;
}

/* Counts the calling thread in user mode. */
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

/* Fills a result for each benchmark. options: NULL for all 0. why (may be NULL): receives the
 * reason why instructions are not counted, or NULL if they are; static. Returns 0 or ENOMEM. */
static inline int lauka_micro_run(const struct lauka_bench *benches, size_t count,
                                  const struct lauka_micro_options *options,
                                  struct lauka_micro_result *results, const char **why)
{
    uint64_t rounds = options && options->rounds ? options->rounds : 50;
    uint64_t enough_ns = options && options->batch_ns ? options->batch_ns : 1000000;
    uint64_t seed = options && options->seed ? options->seed : 1, drawn = seed;
    size_t *order = (size_t *)malloc((count ? count : 1) * sizeof *order),
           each = (size_t)rounds * LAUKA_MICRO_METRICS;
    double *values = (double *)calloc(count * each + (size_t)rounds, sizeof *values);
    struct lauka_region region;

    if (!order || !values) {
        free(order);
        free(values);
        return ENOMEM;
    }
    lauka_micro_open(&region);
    for (size_t i = 0; i < count; i++) {
        memset(&results[i], 0, sizeof results[i]);
        results[i].name = benches[i].name;
        results[i].iterations = lauka_micro_size(&benches[i], enough_ns, seed, &results[i].error);
        order[i] = i;
    }
    lauka_micro_even(results, count);
    for (uint64_t round = 0; round < rounds; round++) {
        lauka_micro_order(order, count, round, &drawn);
        for (size_t i = 0; i < count; i++)
            if (!results[order[i]].error)
                lauka_micro_measure(&benches[order[i]], seed + round, &region, &results[order[i]],
                                    values + order[i] * each, rounds);
    }
    lauka_micro_finish(results, count, values, rounds);
    if (why)
        *why = lauka_region_way(&region, 0) == LAUKA_REGION_ABSENT ? lauka_region_why(&region, 0)
                                                                   : NULL;
    lauka_region_close(&region);
    free(order);
    free(values);
    return 0;
}

/* ---- the table --------------------------------------------------------------------------------- */

static inline void lauka_micro_print_figure(const struct lauka_micro_figure *figure, FILE *to)
{
    if (figure->rounds == 0)
        fprintf(to, " %9s", "-");
    else
        fprintf(to, " %9.4g", figure->median);
}

/* "-48.7 % [-48.9, -48.4]  faster". */
static inline void lauka_micro_print_ratio(const struct lauka_micro_ratio *time, FILE *to)
{
    static const char *const verdicts[] = {"too few rounds", "undecided", "faster", "slower"};

    fprintf(to, "  %+.1f %%", 100 * (time->median - 1));
    if (time->verdict != LAUKA_MICRO_TOO_FEW)
        fprintf(to, " [%+.1f, %+.1f]", 100 * (time->low - 1), 100 * (time->high - 1));
    fprintf(to, "  %s", verdicts[time->verdict]);
}

static inline void lauka_micro_print_counts(const struct lauka_micro_result *results, size_t count,
                                            FILE *to)
{
    fprintf(to, "\n%-28.28s %9s %9s %9s %9s %9s\n", "", "instr.", "cycles", "per cycle", "branches",
            "mispred.");
    for (size_t i = 0; i < count; i++) {
        const struct lauka_micro_figure *figures = results[i].figures;
        if (results[i].error)
            continue;
        fprintf(to, "%-28.28s", results[i].name);
        lauka_micro_print_figure(&figures[LAUKA_MICRO_INSTRUCTIONS], to);
        lauka_micro_print_figure(&figures[LAUKA_MICRO_CYCLES], to);
        if (figures[LAUKA_MICRO_CYCLES].median > 0)
            fprintf(to, " %9.2f",
                    figures[LAUKA_MICRO_INSTRUCTIONS].median / figures[LAUKA_MICRO_CYCLES].median);
        else
            fprintf(to, " %9s", "-");
        lauka_micro_print_figure(&figures[LAUKA_MICRO_BRANCHES], to);
        lauka_micro_print_figure(&figures[LAUKA_MICRO_BRANCH_MISSES], to);
        fputc('\n', to);
    }
}

/* Prints medians over the rounds, in 80 columns. */
static inline void lauka_micro_print(const struct lauka_micro_result *results, size_t count,
                                     const char *why, FILE *to)
{
    fprintf(to, "%-28s %9s %9s", "an operation of", "ns", "CPU ns");
    fprintf(to, count > 1 ? "  against %s\n" : "\n", count ? results[0].name : "");
    for (size_t i = 0; i < count; i++) {
        fprintf(to, "%-28.28s", results[i].name);
        if (results[i].error) {
            fprintf(to, " %s\n", results[i].error);
            continue;
        }
        lauka_micro_print_figure(&results[i].figures[LAUKA_MICRO_NS], to);
        lauka_micro_print_figure(&results[i].figures[LAUKA_MICRO_CPU_NS], to);
        if (i > 0 && !results[0].error)
            lauka_micro_print_ratio(&results[i].time, to);
        fputc('\n', to);
    }
    if (why)
        fprintf(to, "Instructions and cycles are not counted:\n%s.\n", why);
    else
        lauka_micro_print_counts(results, count, to);
}

/* main should return its value. Under lauka it does what lauka_bench_main does; otherwise it prints
 * the table. Returns 1 if a benchmark failed. */
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
