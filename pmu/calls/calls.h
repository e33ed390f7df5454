/* System calls by name, counted by the kernel itself. */
#ifndef LAUKA_PMU_CALLS_CALLS_H
#define LAUKA_PMU_CALLS_CALLS_H

#include <stddef.h>
#include <stdint.h>

#include "pmu/events/events.h"

/* ---- linux/calls.c, macos/calls.c ------------------------------------------------------------ */

enum { LAUKA_CALL_NAME = 24, LAUKA_CALL_FIRST = 2 };

struct lauka_call_counter {
    char name[LAUKA_CALL_NAME]; /* "read" */
    int file;
    uint64_t count, before; /* since it was read last; until then */
};

struct lauka_call_counters { /* zeroed, it is empty */
    struct lauka_call_counter
        *counters; /* owned; by name from LAUKA_CALL_FIRST on; before them its own */
    size_t count;
    int held;        /* for as long as they are open */
    uint64_t others; /* calls of no name, since they were read last */
};

/* Counts all that the lender's process starts from now on, each from its execve(2) on. Returns 0, or the errno by which
 * the kernel does not let us: EACCES, ENOENT (no tracefs), EMFILE, ENOTSUP ... To be closed only after 0. */
int lauka_call_counters_open(const struct lauka_event_lender *lender,
                             struct lauka_call_counters *counters);

/* Fills the counts: of what was executed and has ended since the last time. Returns 0, ENOTSUP where a 32-bit program
 * was among it, whose calls have other numbers, or another errno. */
int lauka_call_counters_read(struct lauka_call_counters *counters);
void lauka_call_counters_close(struct lauka_call_counters *counters);

#endif
