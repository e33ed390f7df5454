/* Which system calls a command makes more or less often than the reference. */
#ifndef LAUKA_REPORT_RESULT_CALLS_H
#define LAUKA_REPORT_RESULT_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/result/why.h"

struct lauka_calls_row {
    char *name; /* owned; "read" */
    struct lauka_why_cost calls;
    uint64_t spread; /* between two runs of the same; 0: exact */
};

struct lauka_calls { /* one command against the reference, the first one */
    size_t command;
    char *reason; /* owned; why they are not known; NULL: they are */
    bool traced;  /* strace counted them; otherwise tracepoints did */
    struct lauka_why_cost calls;
    uint64_t spread;
    struct lauka_calls_row *rows; /* owned; whose number changed; the largest change first */
    size_t row_count;
};

struct lauka_result_calls {
    struct lauka_calls *commands; /* owned; one each */
    size_t count;
};

/* Room for one more, zeroed. NULL if there is no memory. */
struct lauka_calls *lauka_calls_add(struct lauka_result_calls *calls);
struct lauka_calls_row *lauka_calls_add_row(struct lauka_calls *calls);

#endif
