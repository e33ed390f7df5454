/* The words of a gate, read: rules of --gate and --gate-file, allowances of --allow. They fail with
 * LAUKA_EXIT_USAGE. */
#ifndef LAUKA_RUNNER_OPTIONS_GATE_RULE_H
#define LAUKA_RUNNER_OPTIONS_GATE_RULE_H

#include <stdbool.h>
#include <stddef.h>

#include "report/result/result.h"
#include "runner/base/base.h"

/* The rule's strings are owned by the caller; none are where it fails. */
bool gate_rule_parse(const char *text, struct lauka_gate_rule *rule, struct lauka_error *error);

/* The same, added to the gate's. benchmark: of the command that it is about; NULL: all. */
bool gate_rule_add(const char *text, const char *benchmark, struct lauka_result_gate *gate,
                   struct lauka_error *error);

/* As --gate has it: a rule, with [NAME] or [GLOB] in front about these benchmarks, or commands, alone. */
bool gate_option_add(const char *text, struct lauka_result_gate *gate, struct lauka_error *error);

/* A rule a line, below [name of a command] about that one only; # begins a comment. */
bool gate_file_parse(const char *name, const char *bytes, size_t size,
                     struct lauka_result_gate *gate, struct lauka_error *error);

/* gate_allowance.c: "benchmark metric until=YYYY-MM-DD reason" a line, added to the gate's. What ended
 * before `today`, of the same form, has expired. */
bool gate_allowances_parse(const char *name, const char *bytes, size_t size, const char *today,
                           struct lauka_result_gate *gate, struct lauka_error *error);

#endif
