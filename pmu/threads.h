/* threads: what threads.c, which keeps the table, and the file of each system, which fills it, share.
 * One of threads_linux.c and threads_macos.c is built. */
#ifndef LAUKA_PMU_THREADS_H
#define LAUKA_PMU_THREADS_H

#include "pmu/pmu.h"

#include <sys/types.h>

/* What a system keeps of a thread between two reads; threads.c only moves it along. */
struct lauka_thread_source {
    int times, names;                 /* descriptors; -1: none */
    /* one of each for every type of core: the leader that is read, and its member */
    int counts[LAUKA_CORE_TYPES_MAX], members[LAUKA_CORE_TYPES_MAX];
    uint64_t looked_ns;               /* when what costs more was read last */
    uint64_t user_ticks, system_ticks; /* what it said of how the time divides */
    bool gone;                        /* the thread no longer answers */
};

struct lauka_thread_table {
    struct lauka_threads shown; /* the caller's pointer leads here */
    pid_t pid;
    struct lauka_thread *threads; /* owned, as all arrays here, `shown.capacity` long */
    struct lauka_thread_source *sources;
    bool *seen;     /* by the list under way */
    int folder;     /* descriptor, the system file's: it has a link for each thread, and two more;
                     * -1: there is none */
    size_t cursor;  /* where the next thread of the list should be */
    void *system;   /* owned by the system's file */
};

/* The next living thread of the process. To be called for all of them by lauka_threads_list. */
void lauka_threads_see(struct lauka_thread_table *table, uint64_t id);

/* ---- by the system's file; all return 0 or an errno ---- */

/* Looks the process up and fills shown.labels, counts and descriptor. Errors as lauka_threads_open. */
int lauka_threads_attach(struct lauka_thread_table *table);
void lauka_threads_detach(struct lauka_thread_table *table);

/* The beginning of a read; ESRCH: the process has ended. */
int lauka_threads_begin(struct lauka_thread_table *table);

int lauka_threads_list(struct lauka_thread_table *table);

/* A thread that was not there before, with its id: fills its source. */
void lauka_thread_attach(struct lauka_thread_table *table, size_t index);
void lauka_thread_detach(struct lauka_thread_table *table, size_t index);

/* Fills name, total and types; what cannot be read stays as it was. */
void lauka_thread_read(struct lauka_thread_table *table, size_t index);

/* The end of a read: fills shown.gone. */
void lauka_threads_finish(struct lauka_thread_table *table);

#endif
