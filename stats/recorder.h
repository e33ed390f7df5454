/* Histograms into which many threads record. */
#ifndef LAUKA_STATS_RECORDER_H
#define LAUKA_STATS_RECORDER_H

#include "stats/histogram.h"

/* ---- recorder.c: a histogram that many threads record into --------------------------------------
 *
 * Every thread counts in counters of its own, of which it is the only writer; readers add them up.
 * They are never set to 0, as a writer could be between reading `old` and writing `old + 1`: a
 * reset only notes what there was. */

struct lauka_writer { /* one thread's counters */
    struct lauka_histogram histogram;
};

struct lauka_recorder {
    uint64_t id;                            /* unique in the process */
    struct lauka_writer *shared;            /* borrowed from `threads`: shared by all */
    struct lauka_recorder_threads *threads; /* owned */
};

/* Full range, 64-bit counters. Returns 0, EINVAL (digits), ENOMEM or an errno of the system. */
int lauka_recorder_init(struct lauka_recorder *recorder, unsigned digits);

/* Call it when no thread records any more. Accepts a zeroed recorder. */
void lauka_recorder_done(struct lauka_recorder *recorder);

/* A thread's own counters, made at its first call; NULL without memory. They outlive the thread,
 * until a later thread has its id. */
struct lauka_writer *lauka_recorder_writer(struct lauka_recorder *recorder);

/* Only for the thread that owns the writer. */
static inline void lauka_writer_record(struct lauka_writer *writer, uint64_t value)
{
    const struct lauka_histogram *h = &writer->histogram;
    uint64_t *counter = &h->counts[lauka_histogram_place(h->low, h->sub_bits, value)];
    __atomic_store_n(counter, __atomic_load_n(counter, __ATOMIC_RELAXED) + 1, __ATOMIC_RELAXED);
}

/* A thread's last lookups; recorders with equal ids modulo 16 replace each other. */
struct lauka_writer_cache {
    uint64_t id;
    struct lauka_writer *writer;
};
extern _Thread_local struct lauka_writer_cache lauka_writer_cache[16];

/* The slow half of lauka_recorder_record. */
void lauka_recorder_record_first(struct lauka_recorder *recorder, uint64_t value);

/* For any thread, without a writer. If there is no memory for its counters, a thread uses the
 * shared ones. */
static inline void lauka_recorder_record(struct lauka_recorder *recorder, uint64_t value)
{
    const struct lauka_writer_cache *cache = &lauka_writer_cache[recorder->id % 16];
    if (cache->id == recorder->id)
        lauka_writer_record(cache->writer, value);
    else
        lauka_recorder_record_first(recorder, value);
}

/* For any thread, into shared counters: less memory, several times slower, and much slower under
 * contention. */
static inline void lauka_recorder_record_shared(struct lauka_recorder *recorder, uint64_t value)
{
    const struct lauka_histogram *h = &recorder->shared->histogram;
    __atomic_fetch_add(&h->counts[lauka_histogram_place(h->low, h->sub_bits, value)], 1,
                       __ATOMIC_RELAXED);
}

/* Replaces the content of a histogram, with the same digits and no other options, by everything
 * since the last reset. Values recorded meanwhile are either in it or in the next reading. */
int lauka_recorder_read(struct lauka_recorder *recorder, struct lauka_histogram *histogram);

/* The same with a reset: the results of successive calls add up to everything recorded. */
int lauka_recorder_take(struct lauka_recorder *recorder, struct lauka_histogram *histogram);

void lauka_recorder_reset(struct lauka_recorder *recorder);

#endif
