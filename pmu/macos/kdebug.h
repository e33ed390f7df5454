/* Computes the counts of a command's threads from a stream of trace records. Pure: it never queries
 * the system, and accepts any input. */
#ifndef LAUKA_PMU_MACOS_KDEBUG_H
#define LAUKA_PMU_MACOS_KDEBUG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmu/macos/darwin.h"

enum { LAUKA_KD_COUNTERS_MAX = 16 };

struct lauka_kd_thread {     /* any process's thread that the stream mentions */
    uint64_t id;             /* 64 bits, unique until the next boot */
    uint64_t process;        /* its unique pid; 0: not known */
    uint64_t creator;        /* the thread that created it; 0: not known */
    bool ours, ended, whole; /* whole: it was last sampled at its end */
    bool announced;          /* the stream has its creation */
    bool expected;           /* it belonged to the command before the stream began */
    bool replaced;           /* by the thread that exec made from it */
    bool stranger;           /* in the command's process, but not the command's: see sum */
    bool sampled;
    uint64_t counts[LAUKA_KD_COUNTERS_MAX];  /* from the last complete sample: since its creation */
    uint64_t partial[LAUKA_KD_COUNTERS_MAX]; /* from the current sample */
    size_t partial_count;                    /* number of its records; 0: no current sample */
};

enum lauka_kd_kind { /* of records */
                     LAUKA_KD_KIND_NEW,
                     LAUKA_KD_KIND_EXEC,
                     LAUKA_KD_KIND_EXIT,
                     LAUKA_KD_KIND_SAMPLE,
                     LAUKA_KD_KIND_LOST,
                     LAUKA_KD_KIND_OTHER,
                     LAUKA_KD_KINDS
};

struct lauka_kd_run {     /* zeroed and begun, then fed */
    size_t counter_count; /* values per sample; the first two are cycles and instructions */
    int pid;              /* the command's */
    uint64_t since;       /* ticks; older records belong to others */
    bool lost;            /* records were lost, or came too late to be sorted */
    int error;            /* ENOMEM */
    struct lauka_kd_thread *threads; /* owned; a hash table by id, `capacity` places */
    size_t count, capacity;
    uint64_t process;               /* the command's unique pid; 0: not seen yet */
    uint64_t kinds[LAUKA_KD_KINDS]; /* records so far */
    struct lauka_raw_record first[LAUKA_KD_KINDS];
};

struct lauka_kd_total {
    uint64_t counts[LAUKA_KD_COUNTERS_MAX];      /* for the command and its descendants */
    uint64_t main_counts[LAUKA_KD_COUNTERS_MAX]; /* for the command's own process */
    size_t threads, unfinished; /* those without a sample at their end: their counts are too low */
    size_t replaced,
        main_replaced; /* not among them: replaced by exec before they reported anything */
    size_t strangers;  /* in the command's process, but neither expected nor announced: ignored */
};

/* Prepares for the next run; keeps the table. */
void lauka_kd_begin(struct lauka_kd_run *run, int pid, size_t counter_count, uint64_t since);

/* A thread of the command that existed before the trace began. If one was named and seen, other
 * earlier threads are not the command's: they belong to the process it was forked from. */
void lauka_kd_expect(struct lauka_kd_run *run, uint64_t thread);

/* Processes records in order. */
void lauka_kd_feed(struct lauka_kd_run *run, const struct lauka_kd_buf *records, size_t count);

/* Call it after the last record; again if there were more. */
void lauka_kd_sum(struct lauka_kd_run *run, struct lauka_kd_total *total);

void lauka_kd_done(struct lauka_kd_run *run);

#endif
