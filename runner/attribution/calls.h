/* System calls by name, as the kernel or strace counts them, and what two sides differ in. */
#ifndef LAUKA_RUNNER_ATTRIBUTION_CALLS_H
#define LAUKA_RUNNER_ATTRIBUTION_CALLS_H

#include <stddef.h>
#include <stdint.h>

#include "report/result/why.h"

enum { LAUKA_CALLS_RUNS = 2, LAUKA_CALLS_NAME = 48 };

struct lauka_call_count {
    char name[LAUKA_CALLS_NAME];
    uint64_t calls;
};

struct lauka_call_counts {           /* of one run; zeroed, it is empty */
    struct lauka_call_count *counts; /* owned; each name once */
    size_t count;
};

/* Adds to the count of the name, which is shorter than LAUKA_CALLS_NAME. Returns 0 or ENOMEM. */
int lauka_call_counts_add(struct lauka_call_counts *counts, const char *name, uint64_t calls);

/* Reads the table that strace -c has written; several tables add up. Returns 0, EINVAL if it is not one,
 * or ENOMEM; what was read stays, and must be freed, in each case. */
int lauka_calls_read(const char *text, size_t size, struct lauka_call_counts *counts);
void lauka_call_counts_done(struct lauka_call_counts *counts);

/* Fills an empty one. sides: two runs of the reference, then two of the command. Returns 0 or ENOMEM. */
int lauka_calls_compare(const struct lauka_call_counts sides[2][LAUKA_CALLS_RUNS],
                        struct lauka_calls *calls);

#endif
