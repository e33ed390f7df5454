/* What the files of the analysis need from each other. */
#ifndef LAUKA_REPORT_ANALYSIS_STEPS_H
#define LAUKA_REPORT_ANALYSIS_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/result/result.h"
#include "stats/stats.h"

/* ---- compare.c: which values are compared, and by which rules -------------------------------- */

/* Whether the command's values in the metric may be compared at all. */
bool lauka_analysis_is_comparable(const struct lauka_result *result, size_t command, size_t metric);

/* The command against the first one. Returns 0 or ENOMEM. */
int lauka_analysis_compare(const struct lauka_result *result, size_t command, size_t metric,
                           struct lauka_comparison *comparison);

/* All commands in all metrics, into result->comparisons. Returns 0 or ENOMEM. */
int lauka_analysis_compare_all(struct lauka_result *result);

/* ---- families.c: comparisons that are judged together ---------------------------------------- */

/* Finds comparisons that repeat others in other words. Call it before anything is judged. */
void lauka_families_find_restated(struct lauka_result *result);

/* Judges each family of comparisons over all the results. Returns 0 or ENOMEM. */
int lauka_families_judge(struct lauka_result *results, size_t count);

/* Gives the comparisons of find_restated the verdicts of those that they repeat. */
void lauka_families_judge_restated(struct lauka_result *result);

/* ---- levels.c: what may be behind a difference beside the program ------------------------------ */

/* Raises doubts about a comparison of times that the instructions do not explain. Call it once all are
 * judged. */
void lauka_levels_doubt(const struct lauka_result *result,
                        struct lauka_result_comparison *comparison);

/* ---- hosts.c: several machines that measured the same ------------------------------------------ */

/* Replaces what the comparison claims by what the hosts have found. Returns 0 or ENOMEM. */
int lauka_hosts_compare(const struct lauka_result *result, size_t command, size_t metric,
                        struct lauka_comparison *comparison);

/* The hosts' verdict about the gate's row of that index. */
void lauka_hosts_judge(const struct lauka_result *result, size_t row_index,
                       struct lauka_gate_row *row);

#endif
