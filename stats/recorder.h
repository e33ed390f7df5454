/* Histograms that many threads record into. */
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
    uint64_t id;                            /* never used twice in a process */
    struct lauka_writer *shared;            /* borrowed from `threads`: everybody's */
    struct lauka_recorder_threads *threads; /* owned */
};

/* Whole range, 64-bit counters. Returns 0, EINVAL (digits), ENOMEM or what the system says. */
int lauka_recorder_init(struct lauka_recorder *recorder, unsigned digits);

/* No thread may be recording any more. A zeroed recorder may be given here. */
void lauka_recorder_done(struct lauka_recorder *recorder);

/* A thread's own counters, made when it asks for the first time; NULL without memory. They stay
 * when the thread ends, until a later thread has its id. */
struct lauka_writer *lauka_recorder_writer(struct lauka_recorder *recorder);

/* Only by the thread that the writer belongs to. */
static inline void lauka_writer_record(struct lauka_writer *writer, uint64_t value)
{
    const struct lauka_histogram *h = &writer->histogram;
    uint64_t *counter = &h->counts[lauka_histogram_place(h->low, h->sub_bits, value)];
    __atomic_store_n(counter, __atomic_load_n(counter, __ATOMIC_RELAXED) + 1, __ATOMIC_RELAXED);
}

/* What a thread has looked up last; recorders push each other out whose ids agree modulo 16. */
struct lauka_writer_cache {
    uint64_t id;
    struct lauka_writer *writer;
};
extern _Thread_local struct lauka_writer_cache lauka_writer_cache[16];

/* The slow half of lauka_recorder_record. */
void lauka_recorder_record_first(struct lauka_recorder *recorder, uint64_t value);

/* By any thread, without a writer at hand. Where there is no memory for its counters, a thread
 * counts in the shared ones. */
static inline void lauka_recorder_record(struct lauka_recorder *recorder, uint64_t value)
{
    const struct lauka_writer_cache *cache = &lauka_writer_cache[recorder->id % 16];
    if (cache->id == recorder->id)
        lauka_writer_record(cache->writer, value);
    else
        lauka_recorder_record_first(recorder, value);
}

/* By any thread, into counters that all share: less memory, several times slower, much slower where
 * threads meet at a counter. */
static inline void lauka_recorder_record_shared(struct lauka_recorder *recorder, uint64_t value)
{
    const struct lauka_histogram *h = &recorder->shared->histogram;
    __atomic_fetch_add(&h->counts[lauka_histogram_place(h->low, h->sub_bits, value)], 1,
                       __ATOMIC_RELAXED);
}

/* Everything since the last reset, into a histogram of the same digits without other options, whose
 * content is replaced. While others record, each value is either in it or in the next reading. */
int lauka_recorder_read(struct lauka_recorder *recorder, struct lauka_histogram *histogram);

/* The same and a reset at once: what successive calls give adds up to all that was recorded. */
int lauka_recorder_take(struct lauka_recorder *recorder, struct lauka_histogram *histogram);

void lauka_recorder_reset(struct lauka_recorder *recorder);

#endif
