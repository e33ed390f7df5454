/* The parts of the program that know all rooms: what main.c calls once it knows what is asked. */
#ifndef LAUKA_RUNNER_PROGRAM_PROGRAM_H
#define LAUKA_RUNNER_PROGRAM_PROGRAM_H

#include <stdbool.h>

#include "report/result/result.h"
#include "report/result/session.h"
#include "runner/base/base.h"
#include "runner/launch/launch.h"
#include "runner/options.h"
#include "runner/revisions/revisions.h"
#include "runner/session/session.h"
#include "runner/subcommands/subcommands.h"
#include "runner/suite/suite.h"

struct lauka_program_state { /* owned, all of it, but for the launcher */
    struct lauka_options options;
    struct lauka_launcher *launcher;
    struct lauka_session results;
    struct lauka_benchmarks benchmarks;
    struct lauka_suite suite; /* where the options are a suite's */
    struct lauka_outputs outputs;
    struct lauka_result_provenance provenance; /* owned */
    struct lauka_revisions revisions;          /* of LAUKA_VERB_REVISIONS */
    bool judged;   /* the results are complete, and so is what the gate says of them */
    bool has_kept; /* documents of what was known so far */
};

/* ---- sessions.c: the exit code --------------------------------------------------------------- */

/* The first benchmark that failed; NULL: none did. */
const struct lauka_measurement *
lauka_conclusion_find_failed(const struct lauka_program_state *program);

/* Prints what failed, or the error where !good, and the gate's conclusion. Returns the exit code. */
int lauka_conclusion_reach(struct lauka_program_state *program, struct lauka_error *error,
                           bool good);

/* ---- sessions.c: measured, of revisions, or read ------------------------------------------------ */

/* Each opens the documents, fills the results and writes them. False with the error; what was measured
 * until then is written. */
bool lauka_sessions_run(struct lauka_program_state *program, struct lauka_error *error);
bool lauka_sessions_run_revisions(struct lauka_program_state *program, struct lauka_error *error);

/* Where an error ends a session before its documents are opened: those that report failures do, and of others it is
 * said that they are of an earlier session. If a signal was the cause, the error becomes one that says so. Always
 * false. */
bool lauka_sessions_report_early(struct lauka_program_state *program, struct lauka_error *error);

bool lauka_sessions_compare(struct lauka_program_state *program, struct lauka_error *error);

/* Always false: if waiting for a file was given up, the message is not "interrupted system call". */
bool lauka_sessions_stop_reading(struct lauka_error *error);

#endif
