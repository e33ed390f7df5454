/* Of commands that run one after the other, what is known of all of them so far. */
#ifndef LAUKA_RUNNER_INTERIM_H
#define LAUKA_RUNNER_INTERIM_H

#include "runner/runner.h"

/* ---- interim.c ------------------------------------------------------------------------------------ */

struct lauka_interim_text;
struct lauka_interim {
    struct lauka_bench *bench;        /* borrowed; its `keep` is told */
    struct lauka_interim_text *texts; /* owned; by command */
    size_t command;                   /* the one under way */
};

/* Returns 0 or ENOMEM. */
int lauka_interim_init(struct lauka_interim *interim, struct lauka_bench *bench);

/* A `keep` of the session under way; context: the interim. What fails leaves things as they were. */
void lauka_interim_tell(void *context, const struct lauka_result *so_far);

/* The session under way has ended so, and the next one follows. */
void lauka_interim_finish(struct lauka_interim *interim, const struct lauka_result *result);
void lauka_interim_done(struct lauka_interim *interim);

#endif
