/* A result in words, and its figures as people read them. */
#ifndef LAUKA_REPORT_WORDS_WORDS_H
#define LAUKA_REPORT_WORDS_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/result/result.h"
#include "report/result/session.h"
#include "report/text/prose.h"
#include "stats/histogram.h"
#include "stats/stats.h"

/* ---- cells.c: the numbers of a row as people read them --------------------------------------- */

enum lauka_cell {
    LAUKA_CELL_NAME,
    LAUKA_CELL_MEAN,
    LAUKA_CELL_DEVIATION,
    LAUKA_CELL_UNIT,
    LAUKA_CELL_SHARE, /* of its time in which an estimate was counted; empty for what is exact */
    LAUKA_CELL_LEAST,
    LAUKA_CELL_MOST,
    LAUKA_CELL_OUTLIERS,
    LAUKA_CELL_CHANGE, /* this and all that follow are empty for the reference */
    LAUKA_CELL_INTERVAL,
    LAUKA_CELL_VERDICT,
    LAUKA_CELL_EFFECT,
    LAUKA_CELLS /* how many there are */
};

/* One metric of one command. Empty where there is nothing to say, a dash where it is not known. */
struct lauka_cells {
    const char *text[LAUKA_CELLS];
    bool counted, estimated;
    bool many_outliers; /* a tenth and more: the mean is in doubt */
    bool primary;
    bool better, worse; /* as lauka_is_better and _worse say */
};

struct lauka_cells lauka_result_cells(struct lauka_prose *prose, const struct lauka_result *result,
                                      size_t command, size_t metric);

/* "12.08 ± 0.10 ms (41 %)": the mean, its deviation, unit and share, with these blanks. */
const char *lauka_cells_mean(struct lauka_prose *prose, const struct lauka_cells *cells,
                             const char *blank);

/* Whether the command is better or worse than the reference: significantly, in a primary metric of which one direction
 * is known to be good, and by more than what does not matter. */
bool lauka_is_better(const struct lauka_result_metric *metric,
                     const struct lauka_comparison *values);
bool lauka_is_worse(const struct lauka_result_metric *metric,
                    const struct lauka_comparison *values);

/* The next metric that people are shown, in the order of all tables: those that decide come first. Begin with a place
 * of 0; false at the end. */
bool lauka_next_metric(const struct lauka_result *result, size_t *place, size_t *metric);

/* The column's title: "mean", "σ"; empty for names and units. Static. */
const char *lauka_cell_title(const struct lauka_prose *prose, enum lauka_cell cell);

/* The same for percentiles of a command beside those of the reference. */
/* A row each; below them mean, deviation, precision, total, d, after an empty row. Command 0 stands
 * beside itself. */
enum lauka_quantile_column {
    LAUKA_QUANTILE_LABEL,
    LAUKA_QUANTILE_REFERENCE,
    LAUKA_QUANTILE_COMMAND,
    LAUKA_QUANTILE_CHANGE,
    LAUKA_QUANTILE_COLUMNS /* how many there are */
};
enum { LAUKA_QUANTILE_ROWS = LAUKA_SUMMARY_RANKS + 8 };

struct lauka_quantile_cells {
    const char *cells[LAUKA_QUANTILE_ROWS][LAUKA_QUANTILE_COLUMNS];
    size_t rows; /* 0: one of the two was not counted */
};

/* A value in the metric's scale, lauka_result_scale, or with its unit if it has a scale of its own. */
const char *lauka_quantile_value(struct lauka_prose *prose, const struct lauka_result *result,
                                 size_t metric, const struct lauka_result_view *view, double value);

/* How far the second is from the first; a dash if there is no ratio. */
const char *lauka_quantile_change(struct lauka_prose *prose,
                                  const struct lauka_result_view views[2], const double values[2]);

/* "99.9" of a rank as in lauka_summary_ranks. */
const char *lauka_say_rank(struct lauka_prose *prose, uint32_t rank);

struct lauka_quantile_cells lauka_result_quantile_cells(struct lauka_prose *prose,
                                                        const struct lauka_result *result,
                                                        size_t command, size_t metric);

/* ---- course.c: how the session went, and how far units of its rounds lie apart --------------- */

/* How wide an interval of fewer rounds is, says little of how wide one of many will be. */
enum { LAUKA_FEWEST_FORECAST = 10 };

/* Whether commands mostly wait: CPU time is below a tenth of wall time in all of them. Goes through all
 * values; also during a session. */
bool lauka_result_mostly_waits(const struct lauka_result *result);

/* Whether the metric takes part in deciding when enough is known: counted primary metrics do. But if
 * commands mostly wait (`waits`), wall time stands for their CPU time, of which there is so little that
 * nothing would be precise. */
bool lauka_result_decides_end(const struct lauka_result *result, size_t metric, bool waits);

/* "120 rounds after 1 warm-up in 12.34 s; time budget used up: about --max-time=25s for each command
 * would reach ±1 % in wall time; seed 42" */
const char *lauka_result_course(struct lauka_prose *prose, const struct lauka_result *result);

/* How it ended, without a full stop: "the session was interrupted". A known failure is reported
 * with its command, so this concerns an additional error; empty if there is none. */
const char *lauka_say_ending(struct lauka_prose *prose, const struct lauka_result *result);

/* Seconds of measuring after which what decides the end would have the precision; *metric needs them. Not
 * known if the precision is reached, if time is not what is missing, or if there are too few rounds for a
 * forecast. */
struct lauka_optional lauka_result_seconds_missing(const struct lauka_result *result,
                                                   size_t *metric);

/* "40 s", "3 min", "2 h", rounded up; "days" from three on. And "12.34 s", as it was. */
const char *lauka_say_wait(struct lauka_prose *prose, double seconds);
const char *lauka_say_seconds(struct lauka_prose *prose, double seconds);

/* Whether the result's rounds belong to drawn pairs of layouts. */
bool lauka_result_has_layouts(const struct lauka_result *result);

/* ---- nouns.c: what metrics and commands are called in sentences ------------------------------ */

/* " (2)" of a command of which another one has the name, which it then has behind it; of others "". */
const char *lauka_namesake_number(struct lauka_prose *prose, const struct lauka_result *result,
                                  size_t command);

/* "`./a`", with a number behind it where others are called the same: as sentences name a command. And its label, safe,
 * of at most `width` columns. */
const char *lauka_say_subject(struct lauka_prose *prose, const struct lauka_result *result,
                              size_t command);
const char *lauka_say_label(struct lauka_prose *prose, const struct lauka_result *result,
                            size_t command, int width);

/* What lauka_unique_texts makes of texts, and lauka_session_unique_names of a session; NULL if there is no memory. */
const char **lauka_say_unique(struct lauka_prose *prose, const char **texts, size_t count,
                              int width, const char *replaced);
const char **lauka_say_session_names(struct lauka_prose *prose, const struct lauka_session *session,
                                     int width, const char *replaced);

/* "s" of all numbers but 1. */
const char *lauka_plural(uint64_t count);

/* How sentences call the metric: "wall time", "CPU time", its name where that is a plain
 * word; empty for "value". Static or borrowed. */
const char *lauka_metric_noun(const char *name);

/* Whether the metric of this name is CPU time, or a part of it. */
bool lauka_is_cpu_time(const char *name);

/* ---- change.c: an estimate and its interval, as people read them ----------------------------- */

/* All with the same decimals, which the width of the interval asks for. Empty where not known. */
struct lauka_change {
    const char *estimate; /* "+2.1 %"; where there is no ratio, a difference: "+12.5 ms" */
    const char *
        interval; /* "[+1.2, +3.0]", in the same unit; or "exact"; empty where both ends are beyond what is
                           * shown, as is then the estimate: "+>99999 %" */
};

struct lauka_change lauka_change(struct lauka_prose *prose,
                                 const struct lauka_comparison *comparison,
                                 struct lauka_scale scale);

/* Both, with a blank between them: "+2.1 % [+1.2, +3.0]". */
const char *lauka_change_text(struct lauka_prose *prose, struct lauka_change change);

/* The value that is held to a budget, without a sign: "4.87 ms" and "[4.81, 4.95]", or "exact"; empty if
 * it is not known. */
struct lauka_change lauka_value_change(struct lauka_prose *prose,
                                       const struct lauka_judgement *judgement,
                                       struct lauka_scale scale);

/* "±3 %", half of the interval; "±0.5 ms" if there is no ratio; "over ±999 %" above that. Empty if there
 * is none. */
const char *lauka_change_half(struct lauka_prose *prose, const struct lauka_comparison *comparison,
                              struct lauka_scale scale);

/* The same where a word says the direction: "2.1 %" and "[1.2, 3.0]" both ways; "more than 99999 %".
 * Exact ones have no interval here. */
struct lauka_change lauka_change_size(struct lauka_prose *prose,
                                      const struct lauka_comparison *comparison,
                                      struct lauka_scale scale);

/* As a factor above 1: "2.5" and "[2.4, 2.6]"; inverted where it is below. */
struct lauka_change lauka_change_factor(struct lauka_prose *prose,
                                        const struct lauka_comparison *comparison);

/* Whether the metric is a time; and one of which less is better, so that more of it is slower and not just higher. */
bool lauka_is_time(const struct lauka_result *result, size_t metric);
bool lauka_is_speed(const struct lauka_result *result, size_t metric);

/* "slower" and "faster" of a speed, "higher" and "lower" of others. Static. */
const char *lauka_direction_word(bool more, bool speed);

/* The same for a comparison; or "equivalent", "identical", "inconclusive"; empty if nothing was judged. Static. */
const char *lauka_verdict_word(const struct lauka_comparison *comparison, bool speed);

/* ---- gate_text.c: a gate in words ------------------------------------------------------------ */

enum lauka_gate_cell {
    LAUKA_GATE_CELL_VERDICT, /* "FAIL", "pass", "inconclusive", "allowed" */
    LAUKA_GATE_CELL_METRIC,  /* "wall_time p99" */
    LAUKA_GATE_CELL_COMMAND, /* the label, safe, in few columns */
    LAUKA_GATE_CELL_CHANGE,  /* "+5.1 % [+4.2, +6.0]" */
    LAUKA_GATE_CELL_LIMIT,   /* "limit 2 %, 50 µs" */
    LAUKA_GATE_CELL_REMARK,  /* why it is inconclusive, and what to do; who allows it */
    LAUKA_GATE_CELLS
};

struct lauka_gate_cells {
    const char *text[LAUKA_GATE_CELLS];
};

struct lauka_gate_cells lauka_gate_row_cells(struct lauka_prose *prose,
                                             const struct lauka_result *result,
                                             const struct lauka_gate_row *row);

/* The change as a share, or as a difference if the gate knows no share; like lauka_change. */
struct lauka_change lauka_gate_row_change(struct lauka_prose *prose,
                                          const struct lauka_result *result,
                                          const struct lauka_gate_row *row);

/* What its rows show: "Change", or for budgets "Value", or "Change or value"; static. */
const char *lauka_gate_figures(const struct lauka_result *result);

/* "gate: FAIL: 1 of 3 limits is exceeded", without newline. */
const char *lauka_gate_headline(struct lauka_prose *prose, const struct lauka_result *result);

/* The word for the verdict: "pass", "FAIL", "inconclusive"; static. */
const char *lauka_gate_word(const struct lauka_result *result);

/* The word that decides a row's mark and colour: its own; or, when the gate is tried out, "pass" for the
 * verdict that was expected, and "FAIL" for the other. Static. */
const char *lauka_gate_row_sign(const struct lauka_result *result,
                                const struct lauka_gate_row *row);

/* What one should know beside the rows, one sentence after the other: hosts, and what the gate can see when it is tried
 * out. Start with a zeroed `place`; NULL at the end. */
const char *lauka_gate_next_note(struct lauka_prose *prose, const struct lauka_result *result,
                                 size_t *place);

/* ---- concern.c: what a comparison means for somebody who has to act on it -------------------- */

/* What a comparison, or all of them together, mean for the reader; the more urgent, the higher. */
enum lauka_concern {
    LAUKA_CONCERN_NONE,    /* no change, or none that matters */
    LAUKA_CONCERN_CHANGED, /* of which nobody can say whether it is good */
    LAUKA_CONCERN_BETTER,
    LAUKA_CONCERN_UNCLEAR, /* primary, and inconclusive */
    LAUKA_CONCERN_WORSE,
    LAUKA_CONCERN_FAILED, /* the session did not end well */
};

struct lauka_concerns {
    enum lauka_concern worst; /* of what decides: primary metrics and limits; or FAILED */
    size_t command, metric;   /* where, unless NONE or FAILED */
    size_t count;             /* how many comparisons of that concern decide */
    size_t judged;            /* how many decide in all */
};

/* Whether nothing was compared, because there are histograms that belong to no pairs. */
bool lauka_concern_lacks_values(const struct lauka_result *result);

/* For one limit, by the gate's own interval. */
enum lauka_concern lauka_concern_of_row(const struct lauka_result *result,
                                        const struct lauka_gate_row *row);

/* One command's change against the reference, in one metric. */
enum lauka_concern lauka_concern_of(const struct lauka_result *result, size_t command,
                                    size_t metric);
/* The first command that they are about: the reference too where it is alone and has a limit. */
size_t lauka_concern_first(const struct lauka_result *result);
struct lauka_concerns lauka_concerns_find(const struct lauka_result *result);

/* "\u274c" and so on, always with the word that follows it. Static. */
const char *lauka_concern_symbol(enum lauka_concern concern);

/* "pass", "fail", "inconclusive", "changed", "failed": for machines. Static. */
const char *lauka_concern_name(enum lauka_concern concern);

/* Whether it is about what the command itself may cost. row: NULL means no. */
bool lauka_gate_is_budget(const struct lauka_result *result, const struct lauka_gate_row *row);

/* The gate's row about this comparison, the worst of several; NULL if there is none. */
const struct lauka_gate_row *lauka_gate_row_of(const struct lauka_result *result, size_t command,
                                               size_t metric);

/* ---- overview.c: many benchmarks at a glance ------------------------------------------------- */

/* What a benchmark came to. They stand in the order in which people want to read them. */
enum lauka_standing {
    LAUKA_STANDING_FAILED,  /* a command failed, or lauka itself could not go on */
    LAUKA_STANDING_MISSING, /* no round was finished */
    LAUKA_STANDING_WORSE,   /* beyond a limit; in a session without a gate, worse */
    LAUKA_STANDING_CHANGED, /* worse within its limit, without one, or allowed; or nobody can say
                             * whether it is good */
    LAUKA_STANDING_BETTER,
    LAUKA_STANDING_INCONCLUSIVE,
    LAUKA_STANDING_EQUIVALENT, /* or within its limit, and no change is reported */
    LAUKA_STANDING_ALONE,      /* there was nothing to compare it with */
    LAUKA_STANDINGS
};

/* A benchmark and the one comparison to show for it: the gate's if it judged, otherwise the main
 * metric's, or of another primary metric with more to report; of several sides the worst. */
struct lauka_overview_row {
    size_t benchmark; /* index */
    enum lauka_standing standing;
    size_t command, metric;            /* indices; command 0: there is no comparison */
    const struct lauka_gate_row *gate; /* borrowed: whose figures they are; NULL: the session's */
    double size;                       /* by which those of one standing are sorted, descending */
};

struct lauka_overview {
    const struct lauka_session *session; /* borrowed */
    struct lauka_overview_row *rows; /* the prose's; a row each benchmark, in the reading order */
    size_t count;
    size_t standings[LAUKA_STANDINGS]; /* how many there are of each */
    size_t gated;                      /* how many benchmarks a gate judged */
    size_t interrupted, complete; /* how many a signal ended, which stand by what is known; and how
                                   * many ended well */
};

/* The session must have been analysed. Without memory there are no rows. */
struct lauka_overview lauka_overview(struct lauka_prose *prose,
                                     const struct lauka_session *session);

/* The result of a row. */
const struct lauka_result *lauka_overview_result(const struct lauka_overview *overview,
                                                 const struct lauka_overview_row *row);

/* "the session was interrupted: 3 of 24 benchmarks are complete"; empty if no signal ended it. */
const char *lauka_overview_interruption(struct lauka_prose *prose,
                                        const struct lauka_overview *overview);

/* "2 of 24 benchmarks are slower, 1 faster, 3 inconclusive; 18 equivalent (within 1 %)", without
 * newline; after an interruption that comes first. */
const char *lauka_overview_headline(struct lauka_prose *prose,
                                    const struct lauka_overview *overview);

/* The same for benchmarks that failed, were not measured or are worse: "1 of 24 benchmarks failed, 2 are
 * slower". Empty if there are none. */
const char *lauka_overview_worst(struct lauka_prose *prose, const struct lauka_overview *overview);

/* What is said of those that did not change: "equivalent (within 1 %)", "within the limits". */
const char *lauka_overview_rest(struct lauka_prose *prose, const struct lauka_overview *overview);

/* What the session means for somebody who must act on it: the worst of what decides. */
enum lauka_concern lauka_overview_concern(const struct lauka_overview *overview);

/* The word that fits the gate's interval: "slower", "within limit", "inconclusive", "allowed". Static. */
const char *lauka_gate_row_verdict(const struct lauka_result *result,
                                   const struct lauka_gate_row *limit);

/* A row as people read it; what does not apply is empty. */
struct lauka_overview_cells {
    const char *name;    /* the benchmark's, safe, in few columns */
    const char *side;    /* which one it is, where there are more than two */
    const char *metric;  /* "peak_rss", "wall_time p99"; empty where it is wall_time */
    const char *verdict; /* "slower", "failed", "inconclusive", "equivalent", "within limit" */
    const char
        *found; /* the verdict with its metric: "peak_rss higher", "slower", "within limit" */
    const char *estimate; /* "+5.1 %" */
    const char *interval; /* "[+4.7, +5.6]", or "exact" */
    const char *half;     /* "±3 %": half of the interval, of what is inconclusive */
    const char *limit;    /* "2 %" */
    const char *means;    /* "12.40 → 13.03 ms" */
};

struct lauka_overview_cells lauka_overview_row_cells(struct lauka_prose *prose,
                                                     const struct lauka_overview *overview,
                                                     const struct lauka_overview_row *row);

/* What a standing means for somebody who must act on it. */
enum lauka_concern lauka_standing_concern(enum lauka_standing standing);

/* ---- hosts.c: what several machines found ------------------------------------------------------- */

enum { LAUKA_HOSTS_SHOWN = 24 }; /* on a page; the JSON has all */

struct lauka_host_line {                       /* one host's comparison */
    const char *name;                          /* safe, and short */
    const struct lauka_comparison *comparison; /* borrowed; NULL: there is none */
    struct lauka_change change;
    const char *verdict; /* "not measured" if nothing is known */
    uint64_t rounds;
    bool known;     /* the host knows something about it; otherwise it has a name only */
    bool disagrees; /* with what is said of all */
};

struct lauka_host_line lauka_host_line(struct lauka_prose *prose, const struct lauka_result *result,
                                       size_t host, size_t command, size_t metric);

/* "; the hosts disagree: −5.0 % on n3"; empty if none disagrees. */
const char *lauka_hosts_clause(struct lauka_prose *prose, const struct lauka_result *result,
                               size_t command, size_t metric);

/* What the only two hosts found, each for itself. */
const char *lauka_hosts_of_two(struct lauka_prose *prose, const struct lauka_result *result,
                               size_t command, size_t metric);

/* Whether all of several hosts are of one kind: the same processor, with as many CPUs. */
bool lauka_hosts_are_alike(const struct lauka_result *result);

/* "23.54 GiB", "Linux 6.18.44 x86_64", and "AMD EPYC, 2 CPUs, 23.54 GiB, Linux 6.18.44 x86_64", as far as they are
 * known. */
const char *lauka_memory_of(struct lauka_prose *prose, const struct lauka_result_host *host);
const char *lauka_system_of(struct lauka_prose *prose, const struct lauka_result_host *host);
const char *lauka_machine_facts(struct lauka_prose *prose, const struct lauka_result_host *host);

/* ---- doubts.c: what speaks against the numbers, in words ------------------------------------- */

/* One of them, of the many that a result holds. */
struct lauka_doubt_said {
    enum lauka_doubt doubt;
    size_t command, metric;
    double value; /* as in struct lauka_doubts */
};

/* The next one; start with a zeroed `place`. False at the end. */
bool lauka_result_next_doubt(const struct lauka_result *result, size_t *place,
                             struct lauka_doubt_said *said);

/* The field's word, as it stands in JSON: "outliers", "busy". */
const char *lauka_doubt_name(enum lauka_doubt doubt);

/* A plain sentence: what, how much, what to do. The names of the command and the reference appear as they are given. */
const char *lauka_doubt_sentence(struct lauka_prose *prose, const struct lauka_result *result,
                                 const struct lauka_doubt_said *said, const char *name,
                                 const char *reference_name);

/* The same with the names that lauka_say_subject gives them. */
const char *lauka_doubt_text(struct lauka_prose *prose, const struct lauka_result *result,
                             const struct lauka_doubt_said *said);

/* All of them, the weightiest first; the first few make verdicts void. */
extern const enum lauka_doubt lauka_doubts_by_weight[LAUKA_DOUBT_COUNT];
enum { LAUKA_GRAVE_DOUBTS = 2 };

/* What is shown: each kind once, of the command and metric in which it is worst. False where
 * it was not raised at all. */
bool lauka_result_worst_doubt(const struct lauka_result *result, enum lauka_doubt doubt,
                              struct lauka_doubt_said *said);

/* ---- sentence.c: what a result comes to, in words -------------------------------------------- */

/* Why rounds in an order that was not drawn have no verdict. */
extern const char lauka_order_reason[];

/* One plain sentence about a command, without newline: the reference alone, the others against it.
 * Commands appear in backquotes, made safe and short enough. */
const char *lauka_result_sentence(struct lauka_prose *prose, const struct lauka_result *result,
                                  size_t command);

/* The same with other names for the command and the reference, which appear as they are given.
 * Commands against the reference say what their comparison came to and its figures. */
const char *lauka_result_sentence_about(struct lauka_prose *prose,
                                        const struct lauka_result *result, size_t command,
                                        const char *name, const char *reference_name);

/* Whether there is one of three and more commands that each of the others is slower than. The
 * reference has been compared with all; another one is, at its own expense, by lauka_result_analyse. */
bool lauka_result_best(const struct lauka_result *result, size_t *command);

/* "`./a` is the fastest of the 3: each of the others is slower." */
const char *lauka_best_sentence(struct lauka_prose *prose, const struct lauka_result *result,
                                const char *name);

/* Of many commands how many there are of each kind: "Against `./a`, of 4 commands 1 is faster, 2 are
 * slower, 1 is inconclusive." */
const char *lauka_summary_sentence(struct lauka_prose *prose, const struct lauka_result *result);

/* ---- same.c: commands that execute the same bytes --------------------------------------------- */

/* Whether the command and the reference do, with the same arguments, environment, directory and input; not
 * where a command is held against itself on purpose. */
bool lauka_result_is_same(const struct lauka_result *result, size_t command);

/* What to do where the command's file may lie otherwise in the page cache than the reference's: a clause without
 * a stop; NULL: they execute the same file, or it is not known. */
const char *lauka_placement_advice(const struct lauka_result *result, size_t command);

/* "`./a` and `./b` are the same bytes with the same arguments.", and what a difference then is, where one
 * is shown. Empty where they are not. */
const char *lauka_same_sentence(struct lauka_prose *prose, const struct lauka_result *result,
                                size_t command, const char *name, const char *reference_name);

/* The same of many benchmarks: in how many, and in which. Names appear as they are. */
const char *lauka_same_overview(struct lauka_prose *prose, const struct lauka_session *session);

/* ---- noise.c: a command against itself ------------------------------------------------------- */

/* Whether lauka noise answers in this metric: times, and what is primary. */
bool lauka_is_noise_told(const struct lauka_result *result, size_t metric);

/* Whether there is an answer instead of the usual one. */
bool lauka_result_has_noise(const struct lauka_result *result);

/* The answer in this metric, about a command that is called `name`. */
const char *lauka_noise_sentence(struct lauka_prose *prose, const struct lauka_result *result,
                                 size_t metric, const char *name);

/* ---- percentiles.c: what a histogram tells, for people --------------------------------------- */

/* "NAME: Total=1,000, Overflow=0, Mean=21,443.7, P0=20,096, P25=... P999=..., P100=...", without
 * newline, for monitoring; quantiles are the middles of their buckets. */
const char *lauka_say_histogram(struct lauka_prose *prose,
                                const struct lauka_histogram_summary *summary, const char *name);

/* A table of all ranks, with the error of each value and how many values lie up to it. A mean that
 * comes from the buckets is marked with ~. */
void lauka_put_histogram(struct lauka_prose *prose, const struct lauka_histogram_summary *summary,
                         const char *title);

struct lauka_histogram_difference {
    const char *title, *reference_name, *other_name; /* borrowed */
    const struct lauka_histogram_summary *reference, *other;
    struct lauka_optional cohens_d; /* from the moments or the values */
};

/* A table of two: the ranks that both have values on either side of, then mean and deviation. */
void lauka_put_histogram_difference(struct lauka_prose *prose,
                                    const struct lauka_histogram_difference *difference);

#endif
