/* Parses the words of a gate: rules of --gate and --gate-file, allowances of --allow. Failures are
 * LAUKA_EXIT_USAGE. */
#ifndef LAUKA_RUNNER_OPTIONS_GATE_RULE_H
#define LAUKA_RUNNER_OPTIONS_GATE_RULE_H

#include <stdbool.h>
#include <stddef.h>

#include "report/result/result.h"
#include "runner/base/arena.h"
#include "runner/base/base.h"

/* The rule's strings are the arena's. */
bool gate_rule_parse(struct lauka_arena *arena, const char *text, struct lauka_gate_rule *rule,
                     struct lauka_error *error);

/* The same, added to the gate, whose arrays are the arena's, too. benchmark: the command that it is for, and where that
 * is said; NULL: all. */
bool gate_rule_add(struct lauka_arena *arena, const char *text, const char *benchmark,
                   const char *where, struct lauka_result_gate *gate, struct lauka_error *error);

/* In the form of --gate: a rule, with [NAME] or [GLOB] in front if it is only for these benchmarks, or
 * commands. */
bool gate_option_add(struct lauka_arena *arena, const char *text, struct lauka_result_gate *gate,
                     struct lauka_error *error);

/* One rule a line; rules below [name of a command] are only for that one; # begins a comment. */
bool gate_file_parse(struct lauka_arena *arena, const char *name, const char *bytes, size_t size,
                     struct lauka_result_gate *gate, struct lauka_error *error);

/* One "benchmark metric until=YYYY-MM-DD reason" a line, added to the gate. One that
 * ended before `today`, in the same form, has expired. */
bool gate_allowances_parse(struct lauka_arena *arena, const char *name, const char *bytes,
                           size_t size, const char *today, struct lauka_result_gate *gate,
                           struct lauka_error *error);

#endif
