/* The part of runner.h about counts that went wrong: include that. */
#ifndef LAUKA_RUNNER_MISCOUNTS_H
#define LAUKA_RUNNER_MISCOUNTS_H

#include "runner/runner.h"

/* ---- miscounts.c: runs that were not counted, or not wholly ----------------------------------------- */

struct lauka_miscounts {
    const struct lauka_options *options;   /* borrowed */
    const struct lauka_counters *counters; /* borrowed */
    bool *uncounted;                       /* owned; by command: the kernel took its events away */
    bool *forked;                          /* owned; by command: some counts leave a part out */
    uint64_t runs;    /* in which an event was not counted that can be otherwise */
    int error;        /* why, in the first of them; and which one */
    uint8_t error_at;
};

/* Why a run has no counts though neither an event nor a clock was refused. */
extern const char lauka_miscounts_unwatched[];

/* Returns 0 or ENOMEM; done is right after either, and of zeros. */
int lauka_miscounts_init(struct lauka_miscounts *miscounts, const struct lauka_options *options,
                         const struct lauka_counters *counters);

/* After a run that counts; shown: the command in the result. False where --require-counters asks for
 * more. */
bool lauka_miscounts_add(struct lauka_miscounts *miscounts, size_t command,
                         const struct lauka_sample *sample, struct lauka_result_command *shown,
                         struct lauka_error *error);

/* Adds to the result's warnings what the rounds have shown. Returns 0 or ENOMEM. */
int lauka_miscounts_warn(const struct lauka_miscounts *miscounts, struct lauka_result *result);
void lauka_miscounts_done(struct lauka_miscounts *miscounts);

#endif
