/* The gate: limits bound to metrics, and their outcome. */
#ifndef LAUKA_RUNNER_GATE_GATE_H
#define LAUKA_RUNNER_GATE_GATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmu/events/events.h"
#include "report/result/result.h"
#include "report/result/session.h"
#include "runner/base/base.h"
#include "runner/launch/launch.h"
#include "runner/options.h"

/* ---- gate.c: a result held to the limits that the options name ------------------------------- */

/* Copies the gate of the options into the result, whose metrics and commands are known. A limit
 * that can never be judged is a usage error. */
bool lauka_gate_bind(struct lauka_result *result, const struct lauka_options *options,
                     struct lauka_error *error);

/* Notes on stderr that there is no `what` ("metric", "benchmark") of this name, so that the allowance
 * has no effect. */
void lauka_gate_note_unused(const struct lauka_gate_allowance *allowance, const char *what,
                            const char *name);

/* Warns on stderr about allowances that match nothing in the result. This is no error, because a
 * file may serve several benchmarks. */
void lauka_gate_check_allowances(const struct lauka_result *result,
                                 const struct lauka_options *options);

/* Warns on stderr before the session, unless options->quiet, about rules that cannot be decided in this number of
 * rounds. Returns the fewest rounds in which all can be that a number of rounds matters to; 0 if there are none. */
uint64_t lauka_gate_announce(const struct lauka_result *result,
                             const struct lauka_options *options);

/* The exit code for the gates of all benchmarks; 0 if there is none. Prints on stderr what did not pass. */
int lauka_gate_conclude(const struct lauka_session *session, const struct lauka_options *options);

/* The exit code for `git bisect run`: 1 is bad, 125 skips, 255 ends the search. */
int lauka_bisect_code(int code);

/* ---- gate.c: a regression brought about on purpose --------------------------------------- */

enum { LAUKA_SLOWDOWN_ROUNDS = 64 };

struct lauka_slowdown { /* how long the reference took in the first warm-up rounds */
    uint64_t values[LAUKA_USAGE_METRICS][LAUKA_SLOWDOWN_ROUNDS];
    size_t count;
};

/* When a gate is tried out: whether the last command is really slowed down; otherwise only its
 * values are increased, and only for the gate. */
bool lauka_slowdown_is_real(const struct lauka_options *options);

void lauka_slowdown_note(struct lauka_slowdown *slowdown, const struct lauka_sample *sample);

/* The CPU time that exceeds every time limit by a factor of two; 0 if there are none. Sorts the
 * values. */
uint64_t lauka_slowdown_ns(struct lauka_slowdown *slowdown, const struct lauka_result *result);

#endif
