/* The gate: limits bound to metrics, and their outcome. */
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

/* Copies the options' gate into the result, whose metrics and commands are known. A limit that can never
 * be judged is a usage error. */
bool lauka_gate_bind(struct lauka_result *result, const struct lauka_options *options,
                     struct lauka_error *error);

/* What must be said on stderr beforehand: rules that so many rounds cannot decide. */
void lauka_gate_announce(const struct lauka_result *result, const struct lauka_options *options);

/* The exit code for the gates of all benchmarks; 0 if there is none. Says on stderr what is not a pass. */
int lauka_gate_conclude(const struct lauka_session *session, const struct lauka_options *options);

/* The exit code for `git bisect run`: 1 is bad, 125 skips, 255 ends the search. */
int lauka_bisect_code(int code);

/* ---- gate.c: what a gate has to know of stored results -------------------------------------- */

struct lauka_survey {
    size_t files;
    size_t halves; /* as in struct lauka_result_gate */
    char *hosts;   /* of the arena; as there */
    bool nameless; /* not every part says on which host it was measured */
    bool plain;    /* all parts are plain numbers, or a column */
    bool numbers;  /* of no part is more known than numbers */
    /* A sentence if the one command has another name in the other file; otherwise "". */
    char names[700];
};

/* For parts that are to be merged. The arena has to know where to go on without memory. Fails if a gate could not tell which commands belong together. */
bool lauka_gate_survey(struct lauka_arena *arena, const struct lauka_part *parts, size_t count,
                       struct lauka_survey *survey, struct lauka_error *error);

/* Binds the options' gate, or the stored result's if there is none, to the merged parts. Where
 * sides are not paired, what is known of their hosts and names is said. */
bool lauka_gate_bind_files(struct lauka_result *result, const struct lauka_options *options,
                           struct lauka_survey *survey, struct lauka_error *error);

/* ---- gate.c: a regression brought about on purpose --------------------------------------- */

enum { LAUKA_SLOWDOWN_ROUNDS = 64 };

struct lauka_slowdown { /* what the reference took in the first warm-up rounds */
    uint64_t values[LAUKA_USAGE_METRICS][LAUKA_SLOWDOWN_ROUNDS];
    size_t count;
};

/* When a gate is tried out: whether the last command is really slowed down; otherwise only its values are
 * raised, and for the gate alone. */
bool lauka_slowdown_is_real(const struct lauka_options *options);

void lauka_slowdown_note(struct lauka_slowdown *slowdown, const struct lauka_sample *sample);

/* The CPU time that makes every limit on a time be exceeded twice over; 0 if there is none. Sorts the
 * values. */
uint64_t lauka_slowdown_ns(struct lauka_slowdown *slowdown, const struct lauka_result *result);

#endif
