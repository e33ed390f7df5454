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

enum { LAUKA_THREAD_NAME_SIZE = 64, LAUKA_THREAD_EVENTS_MAX = 8 };

/* Usage on one type of core or, for a thread, on all of them. Times in ns. */
struct lauka_use {
    uint64_t time_ns; /* user and system time together: more exact than either */
    uint64_t user_ns, system_ns;
    uint64_t cycles, instructions;            /* only user mode if struct lauka_threads says so */
    uint64_t energy_nj;                       /* valid only if struct lauka_threads has energy */
    uint64_t events[LAUKA_THREAD_EVENTS_MAX]; /* of lauka_threads_open, in its order */
    bool estimated;                           /* the counts shared their counters and were scaled */
};

struct lauka_thread {
    uint64_t id;
    char name[LAUKA_THREAD_NAME_SIZE]; /* as set by the process: not safe to print */
    bool is_new;                       /* it did not exist at the previous read */
    struct lauka_use total;            /* times: since it began; counts: see counts_since_start */
    struct lauka_use types[LAUKA_CORE_TYPES_MAX]; /* if there are several types */
    struct lauka_use total_before, types_before[LAUKA_CORE_TYPES_MAX]; /* at the previous read */
};

/* The threads of one process. Read-only for callers. */
struct lauka_threads {
    /* The `count` live threads in order of their start. */
    const struct lauka_thread *threads;
    size_t count, capacity;
    size_t left_out;                    /* live threads beyond the capacity */
    uint64_t begun, ended;              /* threads since the previous read, as far as seen */
    struct lauka_use gone, gone_before; /* usage of ended threads, in total and until the previous
                                         * read; LAUKA_UNKNOWN if not known for some */
    uint64_t at_ns, before_ns;          /* CLOCK_MONOTONIC of this read and of the previous one; 0:
                                         * none */
    size_t type_count;                  /* distinct types of core; 1: all of one type */
    char labels[LAUKA_CORE_TYPES_MAX][LAUKA_CORE_LABEL_SIZE]; /* as in struct lauka_topology */
    bool counts;             /* cycles and instructions can be counted */
    bool counts_since_start; /* they cover the thread since it began; otherwise since it was seen */
    bool user_only;          /* they exclude the kernel */
    bool energy;             /* energy of some thread was reported so far: macOS only */
    int count_error;         /* the errno that refused them if counts is false */
    size_t event_count; /* of lauka_threads_open; then cycles and instructions are not counted */
    int event_errors[LAUKA_THREAD_EVENTS_MAX]; /* the errno that refused it; 0: it is counted */
    bool events_user[LAUKA_THREAD_EVENTS_MAX]; /* it excludes the kernel, against what was asked */
    int descriptor; /* poll(2) reports it readable when the process has ended; -1: none */
};

/* ---- threads.c: the table of threads --------------------------------------------------------- */

/* Sets *threads, which the caller must close; nothing is read yet. events: counted of every thread from when it is first
 * seen, in place of cycles and instructions; copied, and at most LAUKA_THREAD_EVENTS_MAX. ESRCH: no such process; EACCES:
 * the system hides it from this user; EPERM: it belongs to another user; EINVAL: it is a thread,
 * not a process; ENOTSUP: this system cannot count chosen events; ENOMEM, or an errno of the system. */
int lauka_threads_open(pid_t pid, const struct lauka_event *events, size_t count,
                       struct lauka_threads **threads);

/* Reads all threads once. Allocates nothing. ESRCH: the process has ended, and the last values stay.
 * Threads beyond the capacity are counted but not read: reserve makes room. */
int lauka_threads_read(struct lauka_threads *threads);

/* Makes room for this many threads; call it between reads. Returns 0 or ENOMEM. */
int lauka_threads_reserve(struct lauka_threads *threads, size_t capacity);

void lauka_threads_close(struct lauka_threads *threads);

/* ---- uses.c: what threads have used, summed and by type -------------------------------------- */

/* `now` minus `before`: the usage in between. Not known if either is not known. */
struct lauka_use lauka_use_since(const struct lauka_use *now, const struct lauka_use *before);

/* The sum; not known if either is not known. */
struct lauka_use lauka_use_plus(const struct lauka_use *a, const struct lauka_use *b);

/* ---- what threads.c, which keeps the table of threads, shares with each system's file, which fills it */

/* A system's data about a thread between two reads; threads.c only moves it. */
struct lauka_thread_source {
    int times, names; /* descriptors; -1: none */
    /* one of each per type of core: the leader that is read, and its member */
    int counts[LAUKA_CORE_TYPES_MAX], members[LAUKA_CORE_TYPES_MAX];
    int events[LAUKA_THREAD_EVENTS_MAX][LAUKA_CORE_TYPES_MAX]; /* descriptors; -1: none */
    uint64_t looked_ns;                /* when more expensive data was last read */
    uint64_t user_ticks, system_ticks; /* the split of the time at that read */
    bool gone;                         /* the thread no longer responds */
};

struct lauka_thread_table {
    struct lauka_threads shown; /* the caller's pointer points here */
    pid_t pid;
    struct lauka_thread *threads; /* owned, like all arrays here, with length `shown.capacity` */
    struct lauka_thread_source *sources;
    bool *seen;    /* during the current listing */
    int folder;    /* a descriptor of the system's file: it has a link per thread, plus two; -1:
                    * none */
    size_t cursor; /* expected position of the next listed thread */
    void *system;  /* owned by the system's file */
};

/* Called for the next live thread of the process. */
typedef void lauka_thread_seen(struct lauka_thread_table *table, uint64_t id);

/* ---- by the system's file; all return 0 or an errno ---- */

/* Finds the process, tries what is to be counted, and sets what `shown` says of that and of the process. Parameters and
 * errors as in lauka_threads_open. */
int lauka_threads_attach(struct lauka_thread_table *table, const struct lauka_event *events,
                         size_t count);
void lauka_threads_detach(struct lauka_thread_table *table);

/* Begins a read at now_ns; ESRCH: the process has ended. changed: there may be other threads than
 * at the last read. Otherwise it may skip costly steps, and notices the end of the process when its
 * threads no longer respond. */
int lauka_threads_begin(struct lauka_thread_table *table, uint64_t now_ns, bool changed);

/* Calls `see` for each living thread. */
int lauka_threads_list(struct lauka_thread_table *table, lauka_thread_seen *see);

/* Fills in the source of a new thread with this id. */
void lauka_thread_attach(struct lauka_thread_table *table, size_t index);
void lauka_thread_detach(struct lauka_thread_table *table, size_t index);

/* Fills name, total and types; what cannot be read keeps its value. */
void lauka_thread_read(struct lauka_thread_table *table, size_t index);

/* Ends a read: fills in shown.gone. */
void lauka_threads_finish(struct lauka_thread_table *table);

/* ---- linux/threads.c: cycles and instructions of single threads ---- */

/* The events: a pair for each type of core with its own counters, otherwise one pair for all. */
struct lauka_thread_counts {
    size_t type_count;
    bool has_type[LAUKA_CORE_TYPES_MAX];
    struct lauka_event events[LAUKA_CORE_TYPES_MAX][2];
    bool user_only;
};

/* ---- linux/thread_events.c: other events of single threads ---- */

/* For each event one for all types of core, or one for each type that has counters of its own. */
struct lauka_thread_events {
    size_t count;
    size_t part_counts[LAUKA_THREAD_EVENTS_MAX]; /* 0: it is refused */
    struct lauka_event parts[LAUKA_THREAD_EVENTS_MAX][LAUKA_CORE_TYPES_MAX];
};

/* Tries the events on the process, and fills shown's event_count, event_errors and events_user. */
void lauka_thread_events_open(struct lauka_thread_events *events, const struct lauka_event *asked,
                              size_t count, struct lauka_threads *shown, pid_t pid);

/* Opens a thread's, into source->events; returns how many descriptors that took. */
size_t lauka_thread_events_attach(const struct lauka_thread_events *events, pid_t thread,
                                  struct lauka_thread_source *source);

/* Fills use->events, and sets use->estimated if one was scaled. */
void lauka_thread_events_read(const struct lauka_thread_events *events,
                              const struct lauka_thread_source *source, struct lauka_use *use);

#endif
