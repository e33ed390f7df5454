/* report/threads: what the threads of a live process use, as a table and as JSON. Included by
 * report.h. */
#ifndef LAUKA_REPORT_THREADS_H
#define LAUKA_REPORT_THREADS_H

#include "report.h"

/* ---- thread_table.c, json_threads.c: what the threads of a live process use --------------------- */

enum { LAUKA_THREAD_TYPES_MAX = 4 };

struct lauka_thread_figures { /* not known: a dash, null */
    struct lauka_optional time, user, system; /* s; time is both together */
    struct lauka_optional cycles, instructions;
    bool estimated; /* the counts were scaled */
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
    uint64_t left_out, begun, ended; /* threads: not read; since the read before */
    struct lauka_thread_figures gone, total; /* of those that no longer live; of all */
    bool user_only;                          /* cycles and instructions leave the kernel out */
    const char *note;                        /* NULL: nothing more to say */
};

/* Neither flushes. Columns that do not fit, or of which nothing is known, are left out. */
int lauka_write_threads(const struct lauka_thread_report *report, struct lauka_terminal terminal,
                        FILE *out);

/* One line. Returns 0, ENOMEM or an errno of the output. */
int lauka_write_threads_json(const struct lauka_thread_report *report, FILE *out);

#endif
