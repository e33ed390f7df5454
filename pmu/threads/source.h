/* What threads.c, which keeps the table of threads, shares with each system's file, which fills it. */
#ifndef LAUKA_PMU_THREADS_SOURCE_H
#define LAUKA_PMU_THREADS_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "pmu/counters/counters.h"
#include "pmu/events/events.h"
#include "pmu/threads/threads.h"

/* What a system keeps about a thread between two reads; threads.c only moves it along. */
struct lauka_thread_source {
    int times, names; /* descriptors; -1: none */
    /* one of each for every type of core: the leader that is read, and its member */
    int counts[LAUKA_CORE_TYPES_MAX], members[LAUKA_CORE_TYPES_MAX];
    uint64_t looked_ns;                /* when what costs more was read last */
    uint64_t user_ticks, system_ticks; /* what it said of how the time divides */
    bool gone;                         /* the thread no longer answers */
};

struct lauka_thread_table {
    struct lauka_threads shown; /* the caller's pointer leads here */
    pid_t pid;
    struct lauka_thread *threads; /* owned, as all arrays here, `shown.capacity` long */
    struct lauka_thread_source *sources;
    bool *seen;    /* by the list under way */
    int folder;    /* descriptor, the system file's: it has a link for each thread, and two more;
                     * -1: there is none */
    size_t cursor; /* where the next thread of the list should be */
    void *system;  /* owned by the system's file */
};

/* The next living thread of the process. */
typedef void lauka_thread_seen(struct lauka_thread_table *table, uint64_t id);

/* ---- by the system's file; all return 0 or an errno ---- */

/* Looks the process up and fills shown.labels, counts and descriptor. Errors as lauka_threads_open. */
int lauka_threads_attach(struct lauka_thread_table *table);
void lauka_threads_detach(struct lauka_thread_table *table);

/* The beginning of a read, at now_ns; ESRCH: the process has ended. changed: there may be other threads
 * than at the last read. Otherwise costly steps may be skipped, and a process that has ended is noticed by
 * its threads, which no longer answer. */
int lauka_threads_begin(struct lauka_thread_table *table, uint64_t now_ns, bool changed);

/* Calls `see` for each living thread. */
int lauka_threads_list(struct lauka_thread_table *table, lauka_thread_seen *see);

/* A new thread, with its id: fills its source. */
void lauka_thread_attach(struct lauka_thread_table *table, size_t index);
void lauka_thread_detach(struct lauka_thread_table *table, size_t index);

/* Fills name, total and types; what cannot be read keeps its value. */
void lauka_thread_read(struct lauka_thread_table *table, size_t index);

/* The end of a read: fills shown.gone. */
void lauka_threads_finish(struct lauka_thread_table *table);

/* ---- linux/thread_counts.c: cycles and instructions of single threads ---- */

/* The events: a pair for every type of core with counters of its own, otherwise one pair for all. */
struct lauka_thread_counts {
    size_t type_count;
    bool has_type[LAUKA_CORE_TYPES_MAX];
    struct lauka_event events[LAUKA_CORE_TYPES_MAX][2];
    bool user_only;
};

#endif
