/* What was read about the threads of a live process. */
#ifndef LAUKA_REPORT_RESULT_THREADS_H
#define LAUKA_REPORT_RESULT_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/stats.h"

/* ---- thread_table.c, json/threads.c: what the threads of a live process use --------------------- */

enum { LAUKA_THREAD_TYPES_MAX = 4, LAUKA_THREAD_COUNTS_MAX = 8 };

struct lauka_thread_figures {                 /* unknown values are a dash or null */
    struct lauka_optional time, user, system; /* s; time is the sum of both */
    struct lauka_optional cycles, instructions;
    struct lauka_optional ghz;           /* cycles per nanosecond of the time, in all modes */
    struct lauka_optional energy, power; /* J; W, over the time */
    struct lauka_optional counts[LAUKA_THREAD_COUNTS_MAX]; /* of the events that were asked for */
    bool estimated;                                        /* the counts were scaled */
};

struct lauka_thread_row {
    uint64_t id;
    const char *name; /* borrowed; unescaped */
    bool is_new;      /* it did not exist at the previous read */
    struct lauka_thread_figures total;
    struct lauka_thread_figures types[LAUKA_THREAD_TYPES_MAX]; /* if there are several */
};

/* One read; everything is borrowed. */
struct lauka_thread_report {
    uint64_t pid;
    const char *name; /* of the process */
    double seconds;   /* the interval; 0: since the threads began */
    size_t type_count;
    const char *types[LAUKA_THREAD_TYPES_MAX];   /* names of the types of core: "P" */
    const char *counts[LAUKA_THREAD_COUNTS_MAX]; /* names of the events that were asked for */
    size_t count_count;
    const struct lauka_thread_row *rows;
    size_t count;
    uint64_t left_out, begun, ended;         /* threads: not read; since the previous read */
    struct lauka_thread_figures gone, total; /* of ended threads; of all */
    bool user_only;                          /* cycles and instructions exclude the kernel */
    const char *note;                        /* NULL: none */
};

#endif
