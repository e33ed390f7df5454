/* The gate: limits bound to metrics, and what becomes of them. */
#ifndef LAUKA_RUNNER_GATE_GATE_H
#define LAUKA_RUNNER_GATE_GATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmu/events/events.h"
#include "report/load/load.h"
#include "report/result/result.h"
#include "report/result/session.h"
#include "runner/base/base.h"
#include "runner/launch/launch.h"
#include "runner/options.h"

/* ---- gate.c: a result held to the limits that the options name ------------------------------- */

/* Copies the options' gate into the result, of which metrics and commands are known. What cannot be
 * judged at all is a usage error. */
bool lauka_gate_bind(struct lauka_result *result, const struct lauka_options *options,
                     struct lauka_error *error);

/* Tells on stderr which of the options' allowances are about nothing in the result: a file may serve
 * several benchmarks, so that is no error. */
void lauka_gate_check_allowances(const struct lauka_result *result,
                                 const struct lauka_options *options);

/* What is to be said on stderr beforehand: rules that these rounds cannot decide. */
void lauka_gate_announce(const struct lauka_result *result, const struct lauka_options *options);

/* The exit code that the gates of all benchmarks ask for; 0 where there is none. Says on stderr what is
 * not a pass. */
int lauka_gate_conclude(const struct lauka_session *session, const struct lauka_options *options);

/* What `git bisect run` makes of it: 1 is bad, 125 skips, 255 ends the search. */
int lauka_bisect_code(int code);

/* ---- files.c: what a gate has to know of stored results -------------------------------------- */

struct lauka_survey {
    size_t files;
    size_t halves; /* as in struct lauka_result_gate */
    char *hosts;   /* owned; as there */
    bool nameless; /* not every part says on which host it was measured */
    bool plain;    /* all parts are plain numbers, or a column */
    /* A sentence where the one command has another name in the other file; or "". */
    char names[700];
};

/* Of parts that are to be merged. Fails where a gate could not tell which commands belong together. */
bool lauka_gate_survey(const struct lauka_part *parts, size_t count, struct lauka_survey *survey,
                       struct lauka_error *error);

/* Binds the options' gate, or where they have none that of the stored result, to what the parts were
 * merged to. Values of several files are not paired, as they were measured one after the other; plain
 * numbers are where `lauka compare` pairs them. */
bool lauka_gate_bind_files(struct lauka_result *result, const struct lauka_options *options,
                           struct lauka_survey *survey, struct lauka_error *error);

/* ---- slowdown.c: a regression brought about on purpose --------------------------------------- */

enum { LAUKA_SLOWDOWN_ROUNDS = 64 };

struct lauka_slowdown { /* what the reference took in the first warm-up rounds */
    uint64_t values[LAUKA_USAGE_METRICS][LAUKA_SLOWDOWN_ROUNDS];
    size_t count;
};

/* Whether the last command of a gate that is tried out is slowed down for real; otherwise only its
 * values are raised, and for the gate alone. */
bool lauka_slowdown_is_real(const struct lauka_options *options);

void lauka_slowdown_note(struct lauka_slowdown *slowdown, const struct lauka_sample *sample);

/* The CPU time that makes every limit on a time be exceeded twice over; 0: there is none. Sorts the
 * values. */
uint64_t lauka_slowdown_ns(struct lauka_slowdown *slowdown, const struct lauka_result *result);

#endif
