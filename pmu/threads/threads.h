/* What the threads of a live process use. Functions that can fail return 0 or an errno. */
#ifndef LAUKA_PMU_THREADS_THREADS_H
#define LAUKA_PMU_THREADS_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "pmu/counters/counters.h"
#include "pmu/events/events.h"

/* ---- linux/threads.c, macos/threads.c: what the threads of a live process have used ---------- */

enum { LAUKA_THREAD_NAME_SIZE = 64 };

/* What was used on one type of core, or, of a thread, on all of them. Times in ns. */
struct lauka_use {
    uint64_t time_ns; /* user and system time together: more exact than either */
    uint64_t user_ns, system_ns;
    uint64_t cycles, instructions; /* user mode only where struct lauka_threads says so */
    uint64_t energy_nj;            /* means something where struct lauka_threads tells energy */
    bool estimated;                /* the counts: they shared their counters and were scaled */
};

struct lauka_thread {
    uint64_t id;
    char name[LAUKA_THREAD_NAME_SIZE]; /* as the process set it: not safe to print */
    bool is_new;                       /* it was not there at the read before */
    struct lauka_use total;            /* times: since it began; counts: see counts_since_start */
    struct lauka_use types[LAUKA_CORE_TYPES_MAX]; /* where there is more than one type */
    struct lauka_use total_before, types_before[LAUKA_CORE_TYPES_MAX]; /* at the read before */
};

/* The threads of one process. Read-only for callers. */
struct lauka_threads {
    /* `count` that live now, in the order in which they began. */
    const struct lauka_thread *threads;
    size_t count, capacity;
    size_t left_out;       /* live threads beyond the capacity */
    uint64_t begun, ended; /* threads since the read before, as far as they were seen */
    struct lauka_use gone, gone_before; /* by threads that no longer live, in all and up to the read
                                         * before; what is not known of some is LAUKA_UNKNOWN */
    uint64_t at_ns, before_ns;          /* CLOCK_MONOTONIC of this read and of the one before; 0:
                                         * there was none */
    size_t type_count;                  /* distinct types of core; 1: all of one type */
    char labels[LAUKA_CORE_TYPES_MAX][LAUKA_CORE_LABEL_SIZE]; /* as in struct lauka_topology */
    bool counts;             /* cycles and instructions can be counted */
    bool counts_since_start; /* they are the thread's since it began; otherwise since it was seen */
    bool user_only;          /* they leave the kernel out */
    bool energy;             /* energy of some thread was reported so far: macOS only */
    int count_error;         /* the errno that refused them, where counts is false */
    int descriptor;          /* poll(2) finds it readable once the process has ended; -1: none */
};

/* ---- threads.c: the table of threads --------------------------------------------------------- */

/* Sets *threads, which the caller must close, with nothing read yet. ESRCH: there is no such process;
 * EACCES: the system hides it from this user; EPERM: it is another user's; EINVAL: it is a thread, not a process;
 * ENOTSUP, ENOMEM, or an errno of the system. */
int lauka_threads_open(pid_t pid, struct lauka_threads **threads);

/* Reads all threads once. Allocates nothing. ESRCH: the process has ended, and the last values stay.
 * Threads beyond the capacity are counted but not read: reserve makes room. */
int lauka_threads_read(struct lauka_threads *threads);

/* Makes room for this many threads; call it between reads. Returns 0 or ENOMEM. */
int lauka_threads_reserve(struct lauka_threads *threads, size_t capacity);

void lauka_threads_close(struct lauka_threads *threads);

/* ---- uses.c: what threads have used, summed and by type -------------------------------------- */

/* `now` less `before`: what was used in between. Unknown if either is unknown. */
struct lauka_use lauka_use_since(const struct lauka_use *now, const struct lauka_use *before);

/* The sum; unknown if either is unknown. */
struct lauka_use lauka_use_plus(const struct lauka_use *a, const struct lauka_use *b);

/* ---- what threads.c, which keeps the table of threads, shares with each system's file, which fills it */

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

/* ---- linux/threads.c: cycles and instructions of single threads ---- */

/* The events: a pair for every type of core with counters of its own, otherwise one pair for all. */
struct lauka_thread_counts {
    size_t type_count;
    bool has_type[LAUKA_CORE_TYPES_MAX];
    struct lauka_event events[LAUKA_CORE_TYPES_MAX][2];
    bool user_only;
};

#endif
