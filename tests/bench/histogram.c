/* What recording, reading and merging histograms costs: against the limit, which is an increment of
 * counters whose places are known, and against HdrHistogram_c where this program was built with it.
 *
 * Everything is measured in one process, in turns of a fraction of a millisecond, so that a
 * disturbance or a change of clock speed meets all alike; what counts are medians, of times and of
 * the ratios within a turn. See tests/bench/README.md. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "stats/histogram.h"
#include "stats/recorder.h"
#include "stats/stats.h"
#include "tests/bench/equal_work.h"
#ifdef LAUKA_BENCH_HDR
#include <hdr_histogram.h>
#endif

enum { CHUNK = 62500, CHUNKS = 8, VALUES = CHUNK * CHUNKS, ROUNDS = 30, TURNS = ROUNDS * CHUNKS };
enum { THREADS = 2, STEPS = 100, THREAD_TURNS_MAX = 100, SAMPLES = 2000 };

static uint64_t now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* ---- workloads ---- */

static uint64_t values[VALUES];
static uint32_t places[VALUES];

static uint64_t cubed(struct lauka_random *random)
{
    double u = lauka_random_unit(random);
    return (uint64_t)(u * u * u * 7716549600.0);
}

static uint64_t lognormal(struct lauka_random *random)
{
    return (uint64_t)exp(log(1e5) + 0.5 * lauka_random_normal(random));
}

static uint64_t tight(struct lauka_random *random)
{
    return (uint64_t)(25e6 * exp(0.01 * lauka_random_normal(random)));
}

static uint64_t same(struct lauka_random *random)
{
    (void)random;
    return 25000000;
}

static const struct workload {
    const char *name;
    uint64_t (*draw)(struct lauka_random *);
} workloads[] = {{"cubed", cubed}, {"lognormal", lognormal}, {"tight", tight}, {"same", same}};
enum { WORKLOADS = 4, GOALS = 3 /* the first ones; "same" measures a chain through memory */ };

/* ---- what is measured ---- */

static struct lauka_histogram wide, narrow, other;
static struct lauka_moments moments;
static struct lauka_tally tally;
static uint64_t *limit_counts;
static volatile uint64_t sink;

static void limit(size_t from)
{
    for (size_t i = from; i < from + CHUNK; i++)
        limit_counts[places[i]]++;
}

static void record(size_t from)
{
    for (size_t i = from; i < from + CHUNK; i++)
        lauka_histogram_record(&wide, values[i]);
}

static void record_with_moments(size_t from)
{
    for (size_t i = from; i < from + CHUNK; i++) {
        lauka_histogram_record(&wide, values[i]);
        lauka_moments_add(&moments, values[i]);
    }
}

static void record_tallied(size_t from)
{
    equal_work_lauka(&wide, &tally, values + from, CHUNK);
}

static void array_wide(size_t from)
{
    lauka_histogram_record_array(&wide, values + from, CHUNK);
}

static void array_narrow(size_t from)
{
    lauka_histogram_record_array(&narrow, values + from, CHUNK);
}

static void summarize(size_t from)
{
    struct lauka_histogram_summary summary;
    (void)from;
    lauka_histogram_summarize(&wide, &moments, &summary);
    sink += summary.quantiles[9].bucket.highest;
}

static void summarize_counters_only(size_t from)
{
    struct lauka_quantile quantiles[LAUKA_SUMMARY_RANKS];
    (void)from;
    lauka_histogram_quantiles(&wide, lauka_summary_ranks, LAUKA_SUMMARY_RANKS, quantiles);
    sink += quantiles[9].bucket.highest;
}

static void merge(size_t from)
{
    (void)from;
    lauka_histogram_merge(&other, &wide);
}

#ifdef LAUKA_BENCH_HDR
static struct hdr_histogram *hdr, *hdr_other;

static void hdr_record(size_t from)
{
    for (size_t i = from; i < from + CHUNK; i++)
        hdr_record_value(hdr, (int64_t)values[i]);
}

static void hdr_inlined(size_t from)
{
    equal_work_hdr(hdr, values + from, CHUNK);
}

static void hdr_summarize(size_t from)
{
    (void)from;
    for (size_t i = 0; i < LAUKA_SUMMARY_RANKS; i++)
        sink += (uint64_t)hdr_value_at_percentile(hdr, lauka_summary_ranks[i] / 1e7);
    sink += (uint64_t)(hdr_mean(hdr) + hdr_stddev(hdr));
    sink += (uint64_t)(hdr_min(hdr) + hdr_max(hdr));
}

static void hdr_merge(size_t from)
{
    (void)from;
    hdr_add(hdr_other, hdr);
}

static void hdr_open(void)
{
    if (hdr_init(1, INT64_MAX, 3, &hdr) != 0 || hdr_init(1, INT64_MAX, 3, &hdr_other) != 0)
        exit(1);
}

static void hdr_clear(void)
{
    hdr_reset(hdr);
    hdr_reset(hdr_other);
}
#else
#define hdr_record NULL
#define hdr_inlined NULL
#define hdr_summarize NULL
#define hdr_merge NULL
static void hdr_open(void)
{
}
static void hdr_clear(void)
{
}
#endif

/* Only if eight values find their places at once. */
#ifdef __AVX512CD__
#define ARRAY_GOAL 4
#else
#define ARRAY_GOAL 0
#endif

/* The others are compared with the first one; NULL: it does not exist here. */
struct contest {
    const char *title, *unit;
    double per; /* how many units a call does */
    struct entry {
        const char *name;
        void (*run)(size_t from);
        double goal; /* how many times as fast as the first it should be; 0: none */
        double ratios[WORKLOADS];
    } entries[8];
};

static struct contest recording = {"recording",
                                   "ns per record",
                                   CHUNK,
                                   {{"HdrHistogram_c", hdr_record, 0, {0}},
                                    {"limit: places known", limit, 0, {0}},
                                    {"record", record, 2, {0}},
                                    {"record + exact moments", record_with_moments, 1, {0}},
                                    {"array, 64-bit counters", array_wide, 0, {0}},
                                    {"array, 32-bit counters", array_narrow, ARRAY_GOAL, {0}}}};

static struct contest equal_work = {
    "recording, equal work",
    "ns per record",
    CHUNK,
    {{"HdrHistogram_c, inlined", hdr_inlined, 0, {0}},
     {"record + count, least, most, range", record_tallied, 2, {0}}}};

static struct contest reading = {"reading",
                                 "ns per call",
                                 1,
                                 {{"HdrHistogram_c, 16 ranks and moments", hdr_summarize, 0, {0}},
                                  {"summary: 16 ranks, with moments", summarize, 20, {0}},
                                  {"16 ranks, without moments", summarize_counters_only, 0, {0}}}};

static struct contest merging = {
    "merging", "ns per call", 1, {{"HdrHistogram_c", hdr_merge, 0, {0}}, {"merge", merge, 4, {0}}}};

/* ---- how it is measured ---- */

static double times[8][TURNS];

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(const double *numbers, size_t count)
{
    static double sorted[SAMPLES]; /* of which there are more than turns */
    memcpy(sorted, numbers, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, ascending);
    return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
}

static double median_ratio(const double *above, const double *below, size_t count)
{
    double ratios[TURNS];
    for (size_t i = 0; i < count; i++)
        ratios[i] = above[i] / below[i];
    return median(ratios, count);
}

static void measure_turns(const struct contest *contest)
{
    for (size_t turn = 0; turn < TURNS; turn++)
        for (size_t e = 0; contest->entries[e].name; e++) {
            if (!contest->entries[e].run)
                continue;
            uint64_t begin = now_ns();
            contest->entries[e].run(turn % CHUNKS * CHUNK);
            times[e][turn] = (double)(now_ns() - begin) / contest->per;
        }
}

static void print_turns(struct contest *contest, size_t workload)
{
    for (size_t e = 0; contest->entries[e].name; e++) {
        struct entry *entry = &contest->entries[e];
        if (!entry->run)
            continue;
        printf("  %-38s %10.2f %s", entry->name, median(times[e], TURNS), contest->unit);
        if (e > 0 && contest->entries[0].run) {
            entry->ratios[workload] = median_ratio(times[0], times[e], TURNS);
            printf("  %8.2f x", entry->ratios[workload]);
        }
        printf("\n");
    }
}

static void print_goals(const struct contest *contest)
{
    for (size_t e = 1; contest->entries[e].name && contest->entries[0].run; e++) {
        const struct entry *entry = &contest->entries[e];
        double product = 1;
        for (size_t w = 0; w < GOALS; w++)
            product *= entry->ratios[w];
        printf("  %-38s %8.2f x as fast as HdrHistogram_c", entry->name,
               pow(product, 1 / (double)GOALS));
        if (entry->goal > 0)
            printf("; goal %.1f x", entry->goal);
        printf("\n");
    }
}

/* ---- threads ---- */

static struct lauka_recorder recorder;
static int waiting; /* threads that are not ready yet */

static void record_private(size_t from)
{
    struct lauka_writer *writer = lauka_recorder_writer(&recorder);
    for (size_t i = from; i < from + CHUNK; i++)
        lauka_writer_record(writer, values[i]);
}

static void record_local(size_t from)
{
    for (size_t i = from; i < from + CHUNK; i++)
        lauka_recorder_record(&recorder, values[i]);
}

static void record_shared(size_t from)
{
    for (size_t i = from; i < from + CHUNK; i++)
        lauka_recorder_record_shared(&recorder, values[i]);
}

/* A thread and when its chunks began; each ended when the next began. */
struct worker {
    pthread_t thread;
    void (*run)(size_t from);
    uint64_t begins[STEPS + 1];
};

static void *work(void *argument)
{
    struct worker *worker = argument;
    worker->run(0); /* now there are counters */
    __atomic_sub_fetch(&waiting, 1, __ATOMIC_ACQ_REL);
    while (__atomic_load_n(&waiting, __ATOMIC_ACQUIRE) > 0)
        ;
    for (size_t step = 0; step < STEPS; step++) {
        worker->begins[step] = now_ns();
        worker->run(step % CHUNKS * CHUNK);
    }
    worker->begins[STEPS] = now_ns();
    return NULL;
}

static uint64_t chunk_ns(const struct worker *worker, size_t step)
{
    return worker->begins[step + 1] - worker->begins[step];
}

static uint64_t fastest_chunk(const struct worker *worker)
{
    uint64_t fastest = UINT64_MAX;
    for (size_t step = 0; step < STEPS; step++)
        fastest = chunk_ns(worker, step) < fastest ? chunk_ns(worker, step) : fastest;
    return fastest;
}

/* Whether the other thread really ran during all of this chunk: it was in chunks that were not
 * interrupted. On a busy machine two threads often take turns instead. */
static bool was_met(const struct worker *worker, size_t step, const struct worker *rival)
{
    uint64_t begin = worker->begins[step], end = worker->begins[step + 1];
    uint64_t limit_ns = 3 * fastest_chunk(rival) / 2;
    if (begin < rival->begins[0] || end > rival->begins[STEPS])
        return false;
    for (size_t i = 0; i < STEPS; i++)
        if (rival->begins[i] < end && rival->begins[i + 1] > begin && chunk_ns(rival, i) > limit_ns)
            return false;
    return true;
}

struct sample {
    double ns[SAMPLES]; /* per record */
    size_t count;
};

static void run_workers(void (*run)(size_t from), int count, struct sample *sample)
{
    static struct worker workers[THREADS];
    waiting = count;
    for (int i = 0; i < count; i++) {
        workers[i].run = run;
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0)
            exit(1);
    }
    for (int i = 0; i < count; i++)
        pthread_join(workers[i].thread, NULL);
    for (size_t step = 0; step < STEPS && sample->count < SAMPLES; step++)
        if (count == 1 || was_met(&workers[0], step, &workers[1]))
            sample->ns[sample->count++] = (double)chunk_ns(&workers[0], step) / (double)CHUNK;
}

static double thread_logs[3];
static int thread_logs_count[3];

static void measure_threads(size_t workload)
{
    static const struct {
        const char *name;
        void (*run)(size_t from);
    } ways[] = {{"own counters, by handle", record_private},
                {"own counters, thread-local", record_local},
                {"shared counters, atomic", record_shared}};
    for (size_t way = 0; way < 3; way++) {
        static struct sample one, two;
        one.count = two.count = 0;
        for (size_t turn = 0; turn < THREAD_TURNS_MAX && two.count < SAMPLES / 2; turn++) {
            run_workers(ways[way].run, 1, &one);
            run_workers(ways[way].run, THREADS, &two);
        }
        if (two.count < STEPS) {
            printf("  %-38s the threads hardly ever ran at once\n", ways[way].name);
            continue;
        }
        double alone = median(one.ns, one.count), together = median(two.ns, two.count);
        printf("  %-38s %10.2f ns per record  %8.2f ns with two threads: %.2f times\n",
               ways[way].name, alone, together, together / alone);
        if (workload < GOALS) {
            thread_logs[way] += log(together / alone);
            thread_logs_count[way]++;
        }
    }
}

static double limit_product = 1;

static void run_workload(size_t w)
{
    struct lauka_random random;
    lauka_random_seed(&random, 7);
    for (size_t i = 0; i < VALUES; i++) {
        values[i] = workloads[w].draw(&random);
        places[i] = (uint32_t)lauka_histogram_place(wide.low, wide.sub_bits, values[i]);
    }
    printf("%s\n", workloads[w].name);
    measure_turns(&recording);
    print_turns(&recording, w);
    double ratio = median_ratio(times[2], times[1], TURNS);
    printf("  record takes %.2f times the limit\n", ratio);
    limit_product *= w < GOALS ? ratio : 1;
    tally = LAUKA_TALLY_EMPTY;
    measure_turns(&equal_work);
    print_turns(&equal_work, w);

    /* Reading: every value once. */
    lauka_histogram_reset(&wide);
    lauka_moments_init(&moments);
    hdr_clear();
    for (size_t from = 0; from < VALUES; from += CHUNK) {
        record_with_moments(from);
        if (recording.entries[0].run)
            recording.entries[0].run(from);
    }
    measure_turns(&reading);
    print_turns(&reading, w);
    measure_turns(&merging);
    print_turns(&merging, w);
    measure_threads(w);
    lauka_histogram_reset(&wide);
    lauka_histogram_reset(&narrow);
    lauka_histogram_reset(&other);
    hdr_clear();
}

int main(void)
{
    const struct lauka_histogram_options options = {.narrow = true};
    if (lauka_histogram_init(&wide, NULL) != 0 || lauka_histogram_init(&narrow, &options) != 0 ||
        lauka_histogram_init(&other, NULL) != 0 || lauka_recorder_init(&recorder, 3) != 0)
        return 1;
    limit_counts = calloc(lauka_histogram_size(&wide), sizeof *limit_counts);
    hdr_open();
    for (size_t w = 0; w < WORKLOADS; w++)
        run_workload(w);
    printf("geometric means of cubed, lognormal and tight\n");
    printf("  record takes %.2f times the limit; goal 1.5\n",
           pow(limit_product, 1 / (double)GOALS));
    print_goals(&recording);
    print_goals(&equal_work);
    print_goals(&reading);
    print_goals(&merging);
    static const char *const ways[] = {"by handle; goal 1.4", "thread-local; goal 1.4", "shared"};
    for (size_t way = 0; way < 3; way++)
        if (thread_logs_count[way] > 0)
            printf("  two threads take %.2f times as long as one, counters %s\n",
                   exp(thread_logs[way] / thread_logs_count[way]), ways[way]);
    return 0;
}
