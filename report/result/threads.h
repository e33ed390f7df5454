/* What was read of the threads of a live process. */
#ifndef LAUKA_REPORT_RESULT_THREADS_H
#define LAUKA_REPORT_RESULT_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/stats.h"

/* ---- thread_table.c, json/threads.c: what the threads of a live process use --------------------- */

enum { LAUKA_THREAD_TYPES_MAX = 4 };

struct lauka_thread_figures {                 /* not known: a dash, null */
    struct lauka_optional time, user, system; /* s; time is both together */
    struct lauka_optional cycles, instructions;
    struct lauka_optional ghz;           /* cycles a nanosecond of the time, of all modes */
    struct lauka_optional energy, power; /* J; W, of the time */
    bool estimated;                      /* the counts were scaled */
};

struct lauka_thread_row {
    uint64_t id;
    const char *name; /* borrowed; as others wrote it */
    bool is_new;      /* it was not there at the read before */
    struct lauka_thread_figures total;
    struct lauka_thread_figures types[LAUKA_THREAD_TYPES_MAX]; /* where there are several */
};

/* One read, all of it borrowed. */
struct lauka_thread_report {
    uint64_t pid;
    const char *name; /* of the process */
    double seconds;   /* what was used in these; 0: since the threads began */
    size_t type_count;
    const char *types[LAUKA_THREAD_TYPES_MAX]; /* labels of the types of core: "P" */
    const struct lauka_thread_row *rows;
    size_t count;
    uint64_t left_out, begun, ended;         /* threads: not read; since the read before */
    struct lauka_thread_figures gone, total; /* of those that no longer live; of all */
    bool user_only;                          /* cycles and instructions leave the kernel out */
    const char *note;                        /* NULL: nothing more to say */
};

#endif
