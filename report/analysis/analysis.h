/* Turns values into comparisons, verdicts and the gate's judgement. Functions that can fail return 0 or ENOMEM. */
#ifndef LAUKA_REPORT_ANALYSIS_ANALYSIS_H
#define LAUKA_REPORT_ANALYSIS_ANALYSIS_H

#include <stdbool.h>
#include <stddef.h>

#include "report/result/result.h"
#include "report/result/session.h"
#include "stats/stats.h"

/* ---- gate.c: a gate, judged ------------------------------------------------------------------ */

/* Whether the name means the command: it is its label, or the label without the file's name before it. */
bool lauka_gate_is_named(const struct lauka_result *result, size_t command, const char *name);

/* The metric that the allowance names: "wall_time" covers all its statistics, "wall_time.p99" only
 * one. *about receives that statistic with a borrowed metric; otherwise its metric is NULL.
 * metric_count if there is no such metric. */
size_t lauka_gate_allowed_metric(const struct lauka_result *result,
                                 const struct lauka_gate_allowance *allowance,
                                 struct lauka_gate_rule *about);

/* The mean of the command's values; not known if there are none. */
struct lauka_optional lauka_gate_mean(const struct lauka_result *result, size_t command,
                                      size_t metric);

/* 1 - confidence of the gate's intervals; as elsewhere, every look costs some of it. */
double lauka_gate_alpha(const struct lauka_result *result);

/* The limit that a rule sets for the metric's values. */
struct lauka_limit lauka_gate_limit(const struct lauka_result *result,
                                    const struct lauka_gate_rule *rule, size_t metric);

/* Fills rows and verdict, with this alpha, as if there were no other benchmark. Needs values, but
 * no analysis. Returns 0 or ENOMEM. */
int lauka_gate_judge_result(struct lauka_result *result, double alpha);

/* The same for all benchmarks of a session, whose rows form one family, each with lauka_gate_alpha. */
int lauka_gate_judge_session(struct lauka_result *results, size_t count);

/* Whether further rounds could change nothing: every limit is known to be held or exceeded, or can
 * never be known. */
bool lauka_gate_is_decided(const struct lauka_result *result);

/* Whether something was not judged because the hosts differ. */
bool lauka_gate_refuses_hosts(const struct lauka_result *result);

/* Whether CPU time spent on purpose makes the metric worse. */
bool lauka_gate_slows(const struct lauka_result *result, size_t metric);

/* The verdict that the row should get: a pass, unless the gate is tried out on it. */
enum lauka_gate lauka_gate_expected(const struct lauka_result *result,
                                    const struct lauka_gate_row *row);
bool lauka_gate_is_as_expected(const struct lauka_result *result, const struct lauka_gate_row *row);

/* What the printed interval of a held limit shows besides. */
enum lauka_gate_shift {
    LAUKA_SHIFT_NONE, /* no change, no relevant one, or none that is reported */
    LAUKA_SHIFT_BETTER,
    LAUKA_SHIFT_WORSE, /* but within the limit */
    LAUKA_SHIFT_OTHER, /* changed, but not known whether for the better */
};

enum lauka_gate_shift lauka_gate_shift_of(const struct lauka_result *result,
                                          const struct lauka_gate_row *row);

/* ---- analysis.c: from values to what is said about them -------------------------------------- */

/* Fills summaries, comparisons and doubts from the series, or from the streams if samples are left
 * out, with run.alpha and run.precision. The primary metrics of all commands form one family, the
 * others another. Returns 0 or ENOMEM. May be called again after more rounds. */
int lauka_result_analyse(struct lauka_result *result);

/* The same for all benchmarks of a session, with the comparisons of all judged together. */
int lauka_session_analyse(struct lauka_session *session);

/* Compares a command with the first one in `count` rounds from number `first` on, as if there were no others. Series
 * are kept, rounds are no units, and all of these are measured. Returns 0 or ENOMEM. */
int lauka_result_compare_rounds(const struct lauka_result *result, size_t command, size_t metric,
                                size_t first, size_t count, struct lauka_comparison *comparison);

/* Whether the verdict is that the values are higher, or lower. NULL: no. */
bool lauka_is_clear(const struct lauka_comparison *comparison);

/* ---- hosts.c: several machines that measured the same ------------------------------------------ */

/* Whether the host's claim is the opposite of the verdict on all hosts, or of most hosts' verdict. */
bool lauka_hosts_disagrees(const struct lauka_result *result, size_t host, size_t command,
                           size_t metric);

/* The verdict that each host alone gives; LAUKA_VERDICT_NONE: they differ, or one has none. */
enum lauka_verdict lauka_hosts_agree(const struct lauka_result *result, size_t command,
                                     size_t metric);

/* Replaces the comparison's claim by the hosts' findings. Returns 0 or ENOMEM. */
int lauka_hosts_compare(const struct lauka_result *result, size_t command, size_t metric,
                        struct lauka_comparison *comparison);

/* The hosts' verdict on the gate's row with this index. */
void lauka_hosts_judge(const struct lauka_result *result, size_t row_index,
                       struct lauka_gate_row *row);

/* ---- noise.c: which change would have been visible -------------------------------------------- */

/* The smallest change, as a share, that nine of ten sessions with such an interval would have shown. */
struct lauka_optional lauka_smallest_change(const struct lauka_comparison *comparison);

/* For lauka noise: the smallest change in the metric that nine of ten sessions of `lauka A B` with
 * the same options would claim; whole: with --until=0, which take as many rounds as this one. */
struct lauka_optional lauka_visible_change(const struct lauka_result *result, size_t metric,
                                           bool whole);

/* ---- ranking.c: three and more commands, and by how much each is slower than the fastest --------- */

struct lauka_ranked {
    size_t command;
    struct lauka_comparison values; /* with the fastest as its reference; zeroed for the fastest */
};

struct lauka_ranking {
    struct lauka_ranked *rows; /* owned; the fastest first, by medians, then by ratio */
    size_t count;  /* without those that fail while others do not; 0: none can be ranked */
    size_t slower; /* number of commands that are significantly slower than the fastest */
    bool clear;    /* there are others, and each is significantly slower than the fastest */
};

/* Whether it does the work of the others. A command that fails does not; but if all fail, as commands may that -i accepts,
 * that says nothing. */
bool lauka_result_does_work(const struct lauka_result *result, size_t command);

/* Ranks by the main metric, of which less must be better, the commands of an analysed result. Nothing is ranked if a
 * command's values are not known in full, or if no interval can be had. Returns 0 or ENOMEM with nothing ranked. */
int lauka_result_rank(const struct lauka_result *result, struct lauka_ranking *ranking);
void lauka_ranking_done(struct lauka_ranking *ranking);

/* Whether the command's values in the metric may be compared at all. */
bool lauka_result_is_comparable(const struct lauka_result *result, size_t command, size_t metric);

/* ---- sort.c: commands in the order of their speed -------------------------------------------- */

/* Sorts the commands after the reference by mean, in wall time or the main metric. Analyse the
 * result again afterwards. Returns 0 or ENOMEM. */
int lauka_result_sort(struct lauka_result *result);

#endif
