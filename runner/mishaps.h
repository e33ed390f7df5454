/* The part of runner.h about runs that fail: include that. */
#ifndef LAUKA_RUNNER_MISHAPS_H
#define LAUKA_RUNNER_MISHAPS_H

#include "runner/runner.h"

/* ---- mishaps.c: what goes wrong with runs, and what follows ---------------------------------------- */

struct lauka_file_stamp { /* tells whether a file is still the same */
    bool known;
    uint64_t device, inode, size, modified_ns;
};

struct lauka_executable; /* see hooks.h */

struct lauka_left { /* what a command left behind, all in all */
    uint64_t runs, processes;
    bool alive;
};

struct lauka_mishaps {
    const struct lauka_options *options;  /* borrowed */
    struct lauka_file_stamp *stamps;      /* owned; by command: of its executable */
    struct lauka_executable *executables; /* owned; by command: what was in it in its first run */
    struct lauka_left *left;              /* owned; by command */
    uint64_t failures;                    /* that did not end the session */
    uint64_t dropped_rounds;              /* of them, in measured rounds */
    struct lauka_failure last;            /* of them */
};

/* Returns 0 or ENOMEM. */
int lauka_mishaps_init(struct lauka_mishaps *mishaps, const struct lauka_options *options);

/* Whether what is in the command's executable is the same as in its first run, though it may have been
 * built anew; otherwise fills the sample. */
bool lauka_mishaps_is_same_file(struct lauka_mishaps *mishaps, size_t command,
                                struct lauka_sample *sample);

/* After a run of the command: what was in its executable, once. */
void lauka_mishaps_remember_file(struct lauka_mishaps *mishaps, size_t command);

/* 128 + the number for a signal. */
int lauka_mishaps_exit_code(const struct lauka_sample *sample);

/* Whether it ended otherwise than --expect-exit says, or than with 0. -i may accept even that. */
bool lauka_mishaps_has_failed(const struct lauka_command *command,
                              const struct lauka_sample *sample);

/* Whether the run counts. */
bool lauka_mishaps_is_success(const struct lauka_options *options, size_t command,
                              const struct lauka_sample *sample);

/* shown: the command in the result, which is told of how many runs. */
void lauka_mishaps_add_leftovers(struct lauka_mishaps *mishaps, size_t command,
                                 const struct lauka_leftovers *leftovers,
                                 struct lauka_result_command *shown);

/* Whether the round of a run that failed so is to be dropped; otherwise the session is to end. */
bool lauka_mishaps_drop(struct lauka_mishaps *mishaps, const struct lauka_failure *failure);

/* Adds to the result's warnings what happened. Returns 0 or ENOMEM. */
int lauka_mishaps_warn(const struct lauka_mishaps *mishaps, struct lauka_result *result);
void lauka_mishaps_done(struct lauka_mishaps *mishaps);

#endif
