/* System calls by name, counted by the kernel itself. */
#ifndef LAUKA_PMU_CALLS_CALLS_H
#define LAUKA_PMU_CALLS_CALLS_H

#include <stddef.h>
#include <stdint.h>

#include "pmu/events/events.h"

/* ---- linux/calls.c, macos/absent.c ------------------------------------------------------------ */

enum { LAUKA_CALL_NAME = 24, LAUKA_CALL_FIRST = 2 };

struct lauka_call_counter {
    char name[LAUKA_CALL_NAME]; /* "read" */
    int file;
    uint64_t count, before; /* since the last read; before it */
};

struct lauka_call_counters { /* empty when zeroed */
    struct lauka_call_counter
        *counters; /* owned; by name from LAUKA_CALL_FIRST on; internal ones before */
    size_t count;
    int held;        /* descriptors held while open */
    uint64_t others; /* unnamed calls since the last read */
};

/* Counts the calls of all programs that the lender's process starts from now on, each from its execve(2) on. Returns 0,
 * or the errno of the kernel's refusal: EACCES, ENOENT (no tracefs), EMFILE, ENOTSUP ... Close only after 0. */
int lauka_call_counters_open(const struct lauka_event_lender *lender,
                             struct lauka_call_counters *counters);

/* Fills in the counts of programs that ran and ended since the last read. Returns 0, ENOTSUP if one
 * was a 32-bit program, whose calls have other numbers, or another errno. */
int lauka_call_counters_read(struct lauka_call_counters *counters);
void lauka_call_counters_close(struct lauka_call_counters *counters);

#endif
