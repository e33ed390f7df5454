/* Progress: round and time left on a terminal's stderr. */
#ifndef LAUKA_RUNNER_SESSION_PROGRESS_H
#define LAUKA_RUNNER_SESSION_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/text/text.h"

struct lauka_progress {
    bool enabled;
    struct lauka_terminal terminal;
    uint64_t begun_ns;     /* when it was first drawn */
    uint64_t left_ns;      /* at drawn_ns; 0: not known */
    uint64_t run_began_ns; /* start of the current run, or the time before it */
    uint64_t number;       /* of the step that was shown last */
    uint64_t runs_done;    /* finished runs of the current batch */
    char head[160];        /* "round 12 of about 34" */
    char estimate[320];    /* "./after +5.0 % [+3.9, +6.2]"; empty: none yet */
    /* The same where the name has no room: the command is its number among several. */
    char figures[160];
    uint64_t estimated_ns; /* when it was made */
};

/* The current state. Everything is borrowed for the call only. */
struct lauka_progress_step {
    const char *phase;      /* "round", "warm-up" */
    uint64_t number, total; /* from 1; total 0: not known */
    bool is_forecast;       /* total is a forecast */
    uint64_t left_ns;       /* 0: not known */
    /* "this build": calls with the same number show its time; NULL: a new step each time */
    const char *lasting;
    const char *heading;   /* what the line begins with: "step 2 of about 4"; NULL: nothing */
    const char *benchmark; /* NULL: the only one */
    size_t place, count;   /* its number, from 1, and the number of benchmarks */
};

void lauka_progress_init(struct lauka_progress *progress, bool wanted);

/* Draws it, unless the last drawing was less than a tenth of a second ago. */
void lauka_progress_show(struct lauka_progress *progress, const struct lauka_progress_step *step);

/* Redraws during a long run, with the elapsed and remaining time. Call it every second with the
 * number of finished runs of the batch. */
void lauka_progress_tick(void *progress, uint64_t runs_done);

/* Removes the line that stands on the terminal, or the "^C" of an interruption: before anything else is written there. */
void lauka_progress_clear(void);

#endif
