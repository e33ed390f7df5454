/* What a terminal shows while rounds are under way. */
#ifndef LAUKA_RUNNER_SESSION_PROGRESS_H
#define LAUKA_RUNNER_SESSION_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/text/text.h"

/* ---- progress.c: round and time left on a terminal's stderr ---------------------------------- */

struct lauka_progress {
    bool enabled;
    struct lauka_terminal terminal;
    uint64_t begun_ns;     /* when it was first shown */
    uint64_t left_ns;      /* at drawn_ns; 0: not known */
    uint64_t run_began_ns; /* the run under way, or before it */
    uint64_t runs_done;    /* of those that are under way together */
    char head[160];        /* "round 12 of about 34" */
    char estimate[160];    /* "./after +5.0 % [+3.9, +6.2]"; empty: not known */
    uint64_t estimated_ns; /* when */
};

/* The current state: all borrowed, for the call only. */
struct lauka_progress_step {
    const char *phase;      /* "round", "warm-up" */
    uint64_t number, total; /* from 1; 0: nobody knows how many */
    bool is_forecast;       /* how many is one */
    uint64_t left_ns;       /* 0: not known */
    const char *benchmark;  /* NULL: there is just one */
    size_t place, count;    /* of it, from 1 */
};

void lauka_progress_init(struct lauka_progress *progress, bool wanted);

/* Draws it, unless something was drawn less than a tenth of a second ago. */
void lauka_progress_show(struct lauka_progress *progress, const struct lauka_progress_step *step);

/* Redraws during a long run: the time that has passed, and what is left. Call it every second, with the
 * number of finished runs of the batch. */
void lauka_progress_tick(void *progress, uint64_t runs_done);

void lauka_progress_clear(struct lauka_progress *progress);

/* ---- of a benchmark's loop ------------------------------------------------------------------ */

struct lauka_loop;

/* A step of something, whose benchmark is filled in; the next round; the warm-up, of which so much is done. */
void lauka_showing_step(struct lauka_loop *loop, struct lauka_progress_step step);
void lauka_showing_round(struct lauka_loop *loop);
void lauka_showing_warmup(struct lauka_loop *loop, uint64_t done, uint64_t spent_ns);

#endif
