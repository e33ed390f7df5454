/* recorder: a histogram of many threads. First what a histogram held when last looked at, and what has come since the time before.
 * Both live in memory that is there from the beginning, for monitors that must not allocate. */
#include "stats/recorder.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

/* Counters looked at together: where nothing ever was, nothing is written. */
enum { BLOCK = 64 };

int lauka_snapshot_init(struct lauka_snapshot *snapshot, const struct lauka_histogram *like)
{
    int error = like->sparse.count > 0 ? EINVAL : lauka_histogram_init_like(&snapshot->all, like);
    if (error != 0)
        return error;
    error = lauka_histogram_init_like(&snapshot->delta, like);
    if (error != 0)
        lauka_histogram_done(&snapshot->all);
    return error;
}

void lauka_snapshot_done(struct lauka_snapshot *snapshot)
{
    lauka_histogram_done(&snapshot->all);
    lauka_histogram_done(&snapshot->delta);
}

static void update_wide(uint64_t *all, uint64_t *delta, const uint64_t *now, size_t count)
{
    uint64_t any = 0;
    for (size_t i = 0; i < count; i++)
        any |= now[i] | delta[i];
    if (any == 0)
        return;
    for (size_t i = 0; i < count; i++) {
        delta[i] = now[i] - all[i];
        all[i] = now[i];
    }
}

static void update_narrow(uint32_t *all, uint32_t *delta, const uint32_t *now, size_t count)
{
    uint32_t any = 0;
    for (size_t i = 0; i < count; i++)
        any |= now[i] | delta[i];
    if (any == 0)
        return;
    for (size_t i = 0; i < count; i++) {
        delta[i] = now[i] - all[i];
        all[i] = now[i];
    }
}

void lauka_snapshot_update(struct lauka_snapshot *snapshot, const struct lauka_histogram *histogram)
{
    struct lauka_histogram *all = &snapshot->all, *delta = &snapshot->delta;
    if (all->resets != histogram->resets) {
        lauka_histogram_reset(all);
        all->resets = histogram->resets;
    }
    for (size_t at = histogram->begin; at < histogram->end; at += BLOCK) {
        size_t count = histogram->end - at < BLOCK ? histogram->end - at : BLOCK;
        if (histogram->narrow)
            update_narrow(all->narrow + at, delta->narrow + at, histogram->narrow + at, count);
        else
            update_wide(all->counts + at, delta->counts + at, histogram->counts + at, count);
    }
    delta->overflow = histogram->overflow - all->overflow;
    all->overflow = histogram->overflow;
}

/* recorder: a histogram that many threads record into. Each thread is the only writer of
 * counters of its own, so that adding one needs no locked instruction: a relaxed load and a
 * relaxed store are what a plain increment is, and yet no data race for whoever reads meanwhile.
 * A reader that set such a counter to 0 could do so between the writer's load of `old` and its
 * store of `old + 1`, and all that was counted would be back. So nobody but the writer ever
 * writes: a reset notes the counts of now, and readings are what has come on top. */
enum { CACHED = sizeof lauka_writer_cache / sizeof *lauka_writer_cache };

struct member {
    struct lauka_writer writer;
    pthread_t owner; /* of the shared counters: nobody */
    struct member *next;
};

struct lauka_recorder_threads {
    pthread_mutex_t mutex;       /* for all below; not for counting */
    struct member *members;      /* owned; the last one is shared */
    struct lauka_histogram base; /* the sum of all when last reset */
};

_Thread_local struct lauka_writer_cache lauka_writer_cache[CACHED];

static struct member *new_member(unsigned digits)
{
    const struct lauka_histogram_options options = {.digits = digits};
    struct member *member = calloc(1, sizeof *member);
    if (member && lauka_histogram_init(&member->writer.histogram, &options) == 0)
        return member;
    free(member);
    return NULL;
}

static void free_threads(struct lauka_recorder_threads *threads)
{
    while (threads->members) {
        struct member *member = threads->members;
        threads->members = member->next;
        lauka_histogram_done(&member->writer.histogram);
        free(member);
    }
    lauka_histogram_done(&threads->base);
    free(threads);
}

int lauka_recorder_init(struct lauka_recorder *recorder, unsigned digits)
{
    static uint64_t last_id;
    const struct lauka_histogram_options options = {.digits = digits};
    *recorder = (struct lauka_recorder){0};
    struct lauka_recorder_threads *threads = calloc(1, sizeof *threads);
    if (!threads)
        return ENOMEM;
    int error = lauka_histogram_init(&threads->base, &options);
    threads->members = error == 0 ? new_member(digits) : NULL;
    if (error == 0)
        error = threads->members ? pthread_mutex_init(&threads->mutex, NULL) : ENOMEM;
    if (error != 0) {
        free_threads(threads);
        return error;
    }
    recorder->threads = threads;
    recorder->shared = &threads->members->writer;
    recorder->id = __atomic_add_fetch(&last_id, 1, __ATOMIC_RELAXED);
    return 0;
}

void lauka_recorder_done(struct lauka_recorder *recorder)
{
    if (recorder->threads) {
        pthread_mutex_destroy(&recorder->threads->mutex);
        free_threads(recorder->threads);
    }
    *recorder = (struct lauka_recorder){0};
}

/* Ids are unique among living threads: whose id is found here is the counters' owner, or its
 * heir. */
static struct member *find_member(const struct lauka_recorder *recorder, pthread_t owner)
{
    struct member *member = recorder->threads->members;
    while (&member->writer != recorder->shared && !pthread_equal(member->owner, owner))
        member = member->next;
    return &member->writer != recorder->shared ? member : NULL;
}

struct lauka_writer *lauka_recorder_writer(struct lauka_recorder *recorder)
{
    struct lauka_recorder_threads *threads = recorder->threads;
    pthread_mutex_lock(&threads->mutex);
    struct member *member = find_member(recorder, pthread_self());
    if (!member) {
        member = new_member(threads->base.digits);
        if (member) {
            member->owner = pthread_self();
            member->next = threads->members;
            threads->members = member;
        }
    }
    pthread_mutex_unlock(&threads->mutex);
    return member ? &member->writer : NULL;
}

void lauka_recorder_record_first(struct lauka_recorder *recorder, uint64_t value)
{
    struct lauka_writer *writer = lauka_recorder_writer(recorder);
    if (!writer) {
        lauka_recorder_record_shared(recorder, value);
        return;
    }
    lauka_writer_cache[recorder->id % CACHED] = (struct lauka_writer_cache){recorder->id, writer};
    lauka_writer_record(writer, value);
}

/* The sums of a block of counters over all threads; whether any is not 0. */
static bool sum_block(const struct member *member, size_t begin, size_t count, uint64_t *sums)
{
    uint64_t any = 0;
    for (size_t i = 0; i < count; i++)
        sums[i] = 0;
    for (; member; member = member->next)
        for (size_t i = 0; i < count; i++)
            sums[i] +=
                __atomic_load_n(&member->writer.histogram.counts[begin + i], __ATOMIC_RELAXED);
    for (size_t i = 0; i < count; i++)
        any |= sums[i];
    return any != 0;
}

/* Into `histogram`, which is empty, or NULL, whatever is on top of the base; then all is the
 * base. */
static void collect(struct lauka_recorder_threads *threads, struct lauka_histogram *histogram,
                    bool reset)
{
    uint64_t *base = threads->base.counts;
    for (size_t begin = 0; begin < threads->base.end; begin += BLOCK) {
        uint64_t sums[BLOCK];
        size_t rest = threads->base.end - begin, count = rest < BLOCK ? rest : BLOCK;
        if (!sum_block(threads->members, begin, count, sums))
            continue;
        for (size_t i = 0; i < count; i++) {
            if (histogram)
                histogram->counts[begin + i] = sums[i] - base[begin + i];
            if (reset)
                base[begin + i] = sums[i];
        }
    }
}

static int read_all(struct lauka_recorder *recorder, struct lauka_histogram *histogram, bool reset)
{
    struct lauka_recorder_threads *threads = recorder->threads;
    if (histogram && (!histogram->counts || histogram->limited || histogram->unit_bits > 0 ||
                      histogram->sub_bits != threads->base.sub_bits))
        return EINVAL;
    pthread_mutex_lock(&threads->mutex);
    if (histogram) {
        lauka_histogram_reset(histogram);
        histogram->resets = threads->base.resets; /* so that snapshots of readings know */
    }
    collect(threads, histogram, reset);
    threads->base.resets += reset;
    pthread_mutex_unlock(&threads->mutex);
    return 0;
}

int lauka_recorder_read(struct lauka_recorder *recorder, struct lauka_histogram *histogram)
{
    return read_all(recorder, histogram, false);
}

int lauka_recorder_take(struct lauka_recorder *recorder, struct lauka_histogram *histogram)
{
    return read_all(recorder, histogram, true);
}

void lauka_recorder_reset(struct lauka_recorder *recorder)
{
    read_all(recorder, NULL, true);
}
