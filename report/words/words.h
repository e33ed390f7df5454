/* A result in words, and its figures for people. */
#ifndef LAUKA_REPORT_WORDS_WORDS_H
#define LAUKA_REPORT_WORDS_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/analysis/distribution.h"
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
    LAUKA_CELL_SHARE, /* share of time in which an estimate was counted; empty if exact */
    LAUKA_CELL_LEAST,
    LAUKA_CELL_MOST,
    LAUKA_CELL_OUTLIERS,
    LAUKA_CELL_CHANGE, /* empty for the reference, like all that follow */
    LAUKA_CELL_INTERVAL,
    LAUKA_CELL_VERDICT,
    LAUKA_CELL_EFFECT,
    LAUKA_CELLS /* number of cells */
};

/* One metric of one command. Empty cells do not apply; a dash means not known. */
struct lauka_cells {
    const char *text[LAUKA_CELLS];
    bool counted, estimated;
    bool many_outliers; /* a tenth or more: the mean is doubtful */
    bool primary;
    int goodness; /* as from lauka_goodness */
};

struct lauka_cells lauka_result_cells(struct lauka_prose *prose, const struct lauka_result *result,
                                      size_t command, size_t metric);

/* "12.08 ± 0.10 ms (41 %)": the mean, its deviation, unit and share, with these blanks. */
const char *lauka_cells_mean(struct lauka_prose *prose, const struct lauka_cells *cells,
                             const char *blank);

/* "5.01 ± 0.02 → 9.72 ± 0.04 MiB": the means of two commands, with a unit that both have once; after the first is an
 * ordinary blank, where the line may break. spread: with their deviations. */
const char *lauka_say_means(struct lauka_prose *prose, const struct lauka_result *result,
                            size_t reference, size_t command, size_t metric, bool spread,
                            const char *blank);

/* 1: the command is better than the reference, -1: worse; significantly, by more than the precision, in a primary metric
 * with a known good direction. Otherwise 0. */
int lauka_goodness(const struct lauka_result *result, size_t command, size_t metric);

/* The next metric for people, in the order of all tables: deciding ones first. Begin with a place
 * of 0; false at the end. */
bool lauka_next_metric(const struct lauka_result *result, size_t *place, size_t *metric);

/* The title of the column: "mean", "σ"; empty for names and units. Static. */
const char *lauka_cell_title(const struct lauka_prose *prose, enum lauka_cell cell);

/* A value in the metric's scale, lauka_result_scale, or with its unit if it has a scale of its own. */
const char *lauka_quantile_value(struct lauka_prose *prose, const struct lauka_result *result,
                                 size_t metric, const struct lauka_result_view *view, double value);

/* The change from the first of two such values to the second, roughly: "+4.9 %"; a dash if there is no ratio. */
const char *lauka_quantile_change(struct lauka_prose *prose,
                                  const struct lauka_result_view views[2], const double values[2]);

/* "99.9" for a rank as in lauka_summary_ranks. */
const char *lauka_say_rank(struct lauka_prose *prose, uint32_t rank);

/* ---- course.c: how the session went, and how far units of its rounds lie apart --------------- */

/* The interval width of fewer rounds is no basis for a forecast. */
enum { LAUKA_FEWEST_FORECAST = 10 };

/* Whether commands mostly wait: CPU time is below a tenth of wall time in all of them. Reads all
 * values; also works during a session. */
bool lauka_result_mostly_waits(const struct lauka_result *result);

/* Whether the metric is used to decide when enough is known: counted primary metrics are. But if
 * commands mostly wait (`waits`), wall time replaces CPU time, of which there is too little to be
 * precise. */
bool lauka_result_decides_end(const struct lauka_result *result, size_t metric, bool waits);

/* "120 rounds after 1 warm-up in 12.34 s; time budget used up: about --max-time=25s for each command
 * would reach ±1 % in wall time; seed 42" */
const char *lauka_result_course(struct lauka_prose *prose, const struct lauka_result *result);

/* What failed of the command in result->failure: "failed with exit code 1 in warm-up round 3"; empty if none did. May quote
 * others. */
const char *lauka_say_failure(struct lauka_prose *prose, const struct lauka_result *result);

/* How it ended, without a full stop: "the session was interrupted". A known failure is reported
 * with its command, so this concerns an additional error; empty if there is none. */
const char *lauka_say_ending(struct lauka_prose *prose, const struct lauka_result *result);

/* Seconds of measuring after which all deciding metrics would have the precision; *metric needs the
 * most. Not known if the precision is reached, if time would not help, or if there are too few
 * rounds for a forecast. */
struct lauka_optional lauka_result_seconds_missing(const struct lauka_result *result,
                                                   size_t *metric);

/* Whether the result's rounds use drawn pairs of layouts. */
bool lauka_result_has_layouts(const struct lauka_result *result);

/* ---- limits.c: times that people wait ---------------------------------------------------------- */

#define LAUKA_LONGEST_WAIT 259200.0 /* s: three days; beyond it nobody waits */
/* Of a time that is to be enough: a forecast from few rounds is not exact. */
#define LAUKA_WAIT_SLACK 1.1

/* "40 s", "3 min", "2 h", rounded up; "days" from three on. The second: "12.34 s", not rounded. The third: "25s", "3m",
 * rounded up, as --max-time takes it. */
const char *lauka_say_wait(struct lauka_prose *prose, double seconds);
const char *lauka_say_seconds(struct lauka_prose *prose, double seconds);
const char *lauka_say_duration(struct lauka_prose *prose, double seconds);

struct lauka_time_limit {
    const char *
        text; /* "--max-time 2s": it ended the rounds; empty: none did. Before the first round, all that
                         * were given: "--max-time 2s and --budget 10m" */
    const char *option; /* "--max-time"; static */
    const char *
        enough; /* "5s": with it there would have been enough rounds; empty if there were, or if it is not
                         * known */
};

/* needed: rounds, or units of several rounds; 0: any number is enough. */
struct lauka_time_limit lauka_time_limit(struct lauka_prose *prose,
                                         const struct lauka_result *result, uint64_t needed);

/* The time limit with which there would be this many times as many rounds, in `option` and `enough`: the budget if that
 * ended the rounds, otherwise --max-time. */
struct lauka_time_limit lauka_time_for(struct lauka_prose *prose, const struct lauka_result *result,
                                       double factor);

/* ---- nouns.c: what metrics and commands are called in sentences ------------------------------ */

/* " (2)" for a command that shares its name with another; otherwise "". */
const char *lauka_namesake_number(struct lauka_prose *prose, const struct lauka_result *result,
                                  size_t command);

/* The one name of a command in all of a document, from lauka_result_short_names: in tables and charts "./a (2)", with a
 * number if others have the same; without it; and as sentences have it, "`./a` (2)". A name has at most 40 columns, or
 * half of the terminal's, or 3/8 with more than three commands; a number has more. */
const char *lauka_say_name(struct lauka_prose *prose, const struct lauka_result *result,
                           size_t command);
const char *lauka_say_bare_name(struct lauka_prose *prose, const struct lauka_result *result,
                                size_t command);
const char *lauka_say_subject(struct lauka_prose *prose, const struct lauka_result *result,
                              size_t command);

/* The whole label of the command, safe, up to 1000 columns; and as sentences have it, where they stand alone: in stored data, in an
 * annotation. */
const char *lauka_say_whole(struct lauka_prose *prose, const struct lauka_result *result,
                            size_t command);
const char *lauka_say_whole_subject(struct lauka_prose *prose, const struct lauka_result *result,
                                    size_t command);

/* Whether the command's name is not its whole label. The second: whether it is a letter, which a document must
 * explain. */
bool lauka_is_shortened(struct lauka_prose *prose, const struct lauka_result *result,
                        size_t command);
bool lauka_is_lettered(struct lauka_prose *prose, const struct lauka_result *result,
                       size_t command);

/* The texts from lauka_unique_texts, and the names from lauka_session_unique_names; NULL without memory. */
const char **lauka_say_unique(struct lauka_prose *prose, const char **texts, size_t count,
                              int width, const char *replaced);
const char **lauka_say_session_names(struct lauka_prose *prose, const struct lauka_session *session,
                                     int width, const char *replaced);

/* "s" for all numbers except 1. */
const char *lauka_plural(uint64_t count);

/* The metric's name in sentences: "wall time", "CPU time", its own name if that is a plain word;
 * empty for "value". Static or borrowed. */
const char *lauka_metric_noun(const char *name);

/* How a sentence says that a command has some of it: it "uses" CPU time and memory, and "has" instructions. Static. */
const char *lauka_metric_verb(const char *name);

/* Whether this metric is CPU time, or a part of it. */
bool lauka_is_cpu_time(const char *name);

/* ---- change.c: an estimate and its interval, as people read them ----------------------------- */

/* All have the decimals that suit the width of the interval. Empty if not known. */
struct lauka_change {
    /* "+2.1 %"; from a factor of two on "×2.5", and "÷2.5" of a fall; without a ratio, a difference: "+12.5 ms" */
    const char *estimate;
    /* "[+1.2, +3.0]", in the same unit; "[2.4, 2.6]" of a factor, where 1 is no change; or "exact"; empty if both
     * ends, and so the estimate, are out of the displayed range: "×>99999" */
    const char *interval;
};

struct lauka_change lauka_change(struct lauka_prose *prose,
                                 const struct lauka_comparison *comparison,
                                 struct lauka_scale scale);

/* Both, separated by a blank: "+2.1 % [+1.2, +3.0]". */
const char *lauka_change_text(struct lauka_prose *prose, struct lauka_change change);

/* The value compared with a budget, unsigned: "4.87 ms" and "[4.81, 4.95]", or "exact"; empty if
 * not known. */
struct lauka_change lauka_value_change(struct lauka_prose *prose,
                                       const struct lauka_judgement *judgement,
                                       struct lauka_scale scale);

/* "±3 %": how far the interval reaches from no change; "±0.5 ms" without a ratio; "over ±999 %" above that. Empty
 * without an interval. */
const char *lauka_change_reach(struct lauka_prose *prose, const struct lauka_comparison *comparison,
                               struct lauka_scale scale);

/* The same for use with a word for the direction: "2.1 %" and "[1.2, 3.0]" both ways; "more than
 * 99999 %". Exact ones have no interval here. */
struct lauka_change lauka_change_size(struct lauka_prose *prose,
                                      const struct lauka_comparison *comparison,
                                      struct lauka_scale scale);

/* The same with the direction and the interval: "4.0 times as high [3.7, 4.1]", "2.1 % lower [1.2, 3.0]". */
const char *lauka_say_higher(struct lauka_prose *prose, const struct lauka_comparison *comparison,
                             struct lauka_scale scale);

/* As a factor above 1: "2.5" and "[2.4, 2.6]"; inverted if it is below. */
struct lauka_change lauka_change_factor(struct lauka_prose *prose,
                                        const struct lauka_comparison *comparison);

/* Whether people read this change as a factor: the ratio is 2, rounded, or more, or one half or less. */
bool lauka_change_is_factor(const struct lauka_comparison *comparison);

/* Whether the metric is a time; the second: and less is better, so that more is slower and not just higher. */
bool lauka_is_time(const struct lauka_result *result, size_t metric);
bool lauka_is_speed(const struct lauka_result *result, size_t metric);

/* "slower" and "faster" for a speed, "higher" and "lower" for others. Static. */
const char *lauka_direction_word(bool more, bool speed);

/* The same for a comparison; or "equivalent", "identical", "inconclusive"; empty without a judgement. Static. */
const char *lauka_verdict_word(const struct lauka_comparison *comparison, bool speed);

/* ---- tails.c: quantiles beside the reference's ------------------------------------------------ */

/* "+5.1 %" and "[+4.2, +6.0]" with the digits that suit the interval; without one, two digits. */
struct lauka_change lauka_shift_change(struct lauka_prose *prose, const struct lauka_shift *shift,
                                       const struct lauka_shift_point *point);

/* The upper percentile that moved most, " (p99: 26.9 ms and 108 ms)"; certain: beyond doubt, and at least twice as far as
 * a typical value, "; its p99 is 4.0 times as high [3.7, 4.1]: 108 ms against 26.9 ms". Empty if there is none. */
const char *lauka_say_percentile(struct lauka_prose *prose, const struct lauka_result *result,
                                 size_t command, size_t metric, bool certain);

/* ---- gate_text.c: a gate in words ------------------------------------------------------------ */

enum lauka_gate_cell {
    LAUKA_GATE_CELL_VERDICT, /* "FAIL", "pass", "inconclusive", "allowed"; in a trial "caught", "missed" */
    LAUKA_GATE_CELL_METRIC,  /* "wall_time p99" */
    LAUKA_GATE_CELL_COMMAND, /* the label, safe, in few columns */
    LAUKA_GATE_CELL_CHANGE,  /* "+5.1 % [+4.2, +6.0]" */
    LAUKA_GATE_CELL_LIMIT,   /* "limit 2 %, 50 µs" */
    LAUKA_GATE_CELL_REMARK,  /* why it is inconclusive, and what to do; or the allowance */
    LAUKA_GATE_CELLS
};

struct lauka_gate_cells {
    const char *text[LAUKA_GATE_CELLS];
};

struct lauka_gate_cells lauka_gate_row_cells(struct lauka_prose *prose,
                                             const struct lauka_result *result,
                                             const struct lauka_gate_row *row);

/* The change as a share, or as a difference if the gate has no share; like lauka_change. */
struct lauka_change lauka_gate_row_change(struct lauka_prose *prose,
                                          const struct lauka_result *result,
                                          const struct lauka_gate_row *row);

/* The heading of its rows: "Change", or for budgets "Value", or "Change or value"; static. */
const char *lauka_gate_figures(const struct lauka_result *result);

/* The word for the verdict: "pass", "FAIL", "inconclusive"; static. */
const char *lauka_gate_word(const struct lauka_result *result);

/* The word that sets a row's mark and colour: its own; in a trial of the gate, "pass" for the
 * expected verdict, and "FAIL" for any other. Static. */
const char *lauka_gate_row_sign(const struct lauka_result *result,
                                const struct lauka_gate_row *row);

/* Remarks on the rows, one sentence each: hosts and, in a trial, what the gate can detect. Start
 * with a zeroed `place`; NULL at the end. */
const char *lauka_gate_next_note(struct lauka_prose *prose, const struct lauka_result *result,
                                 size_t *place);

/* As a ratio, with the gate's interval, in the form of a comparison without a verdict. */
struct lauka_comparison lauka_gate_row_comparison(const struct lauka_gate_row *row);

/* ---- concern.c: what a comparison means for somebody who has to act on it -------------------- */

/* What one comparison, or all together, mean for the reader; greater values are more urgent. */
enum lauka_concern {
    LAUKA_CONCERN_NONE,    /* no change, or no relevant one */
    LAUKA_CONCERN_CHANGED, /* not known whether for the better */
    LAUKA_CONCERN_BETTER,
    LAUKA_CONCERN_UNCLEAR, /* primary and inconclusive */
    LAUKA_CONCERN_WORSE,
    LAUKA_CONCERN_FAILED, /* the session ended badly */
};

struct lauka_concerns {
    enum lauka_concern worst; /* for what decides: primary metrics and limits; or FAILED */
    size_t command, metric;   /* its place, unless NONE or FAILED */
    size_t count;             /* number of deciding comparisons with this concern */
    size_t judged;            /* number of deciding comparisons */
};

/* Whether nothing was compared because there are histograms without pairs. */
bool lauka_concern_lacks_values(const struct lauka_result *result);

/* For one limit, by the gate's own interval. */
enum lauka_concern lauka_concern_of_row(const struct lauka_result *result,
                                        const struct lauka_gate_row *row);

/* One command's change against the reference in one metric. */
enum lauka_concern lauka_concern_of(const struct lauka_result *result, size_t command,
                                    size_t metric);
/* The first command with a concern: the reference if it is alone and has a limit. */
size_t lauka_concern_first(const struct lauka_result *result);
struct lauka_concerns lauka_concerns_find(const struct lauka_result *result);

/* "\u274c" and so on, always followed by its word. Static. */
const char *lauka_concern_symbol(enum lauka_concern concern);

/* "pass", "fail", "inconclusive", "changed", "failed": for machines. Static. */
const char *lauka_concern_name(enum lauka_concern concern);

/* Whether it limits the cost of the command itself. row: NULL means no. */
bool lauka_gate_is_budget(const struct lauka_result *result, const struct lauka_gate_row *row);

/* The gate's row for this comparison, the worst of several; NULL if there is none. */
const struct lauka_gate_row *lauka_gate_row_of(const struct lauka_result *result, size_t command,
                                               size_t metric);

/* ---- gate_headline.c: what all limits come to --------------------------------------------------- */

/* "gate: FAIL: 1 of 3 limits exceeded: memory +94.1 %", without newline. */
const char *lauka_gate_headline(struct lauka_prose *prose, const struct lauka_result *result);

/* ---- decided.c: the limits that are exceeded, which decided -------------------------------------- */

/* In the order of how far they are exceeded, the worst first. */
struct lauka_exceeded {
    const struct lauka_gate_row **rows; /* owned by the prose; borrowed rows of the gate */
    size_t count;
};

/* How many a sentence or a headline names. */
enum { LAUKA_LIMITS_LISTED = 3 };

/* How far a limit is exceeded: the logarithm of the change as a factor, or for a budget of what is too much, without a
 * sign. Infinite if there is no ratio. */
double lauka_limit_excess(const struct lauka_result *result, const struct lauka_gate_row *row);

/* Those of one command, or of each. An allowed one is not among them. */
#define LAUKA_EACH_COMMAND SIZE_MAX
struct lauka_exceeded lauka_exceeded_limits(struct lauka_prose *prose,
                                            const struct lauka_result *result, size_t command);

/* The subject of a headline: "memory" for peak_rss, "instructions" for simulated ones, otherwise the metric's noun
 * or its name, safe; of a limit with its statistic: "wall time p99". */
const char *lauka_metric_topic(struct lauka_prose *prose, const char *name);
const char *lauka_limit_topic(struct lauka_prose *prose, const struct lauka_result *result,
                              const struct lauka_gate_row *row);

/* "memory +94.1 %, instructions +4.4 %": the first three limits with this concern, the worst first, and how many more;
 * without figures where they are undecided; with the commands where there are several. Empty if there are none. */
const char *lauka_limits_list(struct lauka_prose *prose, const struct lauka_result *result,
                              enum lauka_concern concern);

/* The function that made the largest difference, safe, with its place, "parse.c:5" or empty; empty: none is known. */
const char *lauka_why_function(struct lauka_prose *prose, const struct lauka_result *result,
                               size_t command, const char **place);

/* "`b` uses 94.1 % more memory than `a` [93.4, 94.8] (5.0 → 9.7 MiB): over the limit. ", with given names, which are
 * used unchanged. Empty where no limit is exceeded, except one on the typical value of the main metric, which the
 * sentence about the command gives. */
const char *lauka_exceeded_sentence(struct lauka_prose *prose, const struct lauka_result *result,
                                    size_t command, const char *name, const char *reference_name);

/* "; it uses 94 % more memory (5.0 → 9.8 MiB)" where peak_rss changed clearly, by 5 % and by 1 MiB at least, and the
 * sentence above does not say so; otherwise empty. */
const char *lauka_memory_clause(struct lauka_prose *prose, const struct lauka_result *result,
                                size_t command);

/* ---- overview.c: many benchmarks at a glance ------------------------------------------------- */

/* The outcome of a benchmark, in the order in which people want to read them. */
enum lauka_standing {
    LAUKA_STANDING_FAILED,  /* a command failed, or lauka itself could not continue */
    LAUKA_STANDING_MISSING, /* no round was finished */
    LAUKA_STANDING_WORSE,   /* beyond a limit; worse, in a session without a gate */
    LAUKA_STANDING_CHANGED, /* worse within its limit, without one, or allowed; or not known whether
                             * for the better */
    LAUKA_STANDING_BETTER,
    LAUKA_STANDING_INCONCLUSIVE,
    LAUKA_STANDING_EQUIVALENT, /* or within its limit, and no change is reported */
    LAUKA_STANDING_ALONE,      /* nothing to compare it with */
    LAUKA_STANDINGS
};

/* A benchmark and the one comparison to show for it: the gate's if it judged, otherwise the main
 * metric's, or of another primary metric with more to report; of several sides the worst. */
struct lauka_overview_row {
    size_t benchmark; /* index */
    enum lauka_standing standing;
    size_t command, metric;            /* indices; command 0: no comparison */
    const struct lauka_gate_row *gate; /* borrowed: the source of its figures; NULL: the session */
    double size;                       /* the order within a standing, descending */
};

struct lauka_overview {
    const struct lauka_session *session; /* borrowed */
    struct lauka_overview_row *rows;     /* owned by the prose; a row per benchmark, in order */
    size_t count;
    const char **names;                /* by benchmark: short, safe, and none like another */
    size_t standings[LAUKA_STANDINGS]; /* number of rows with each standing */
    size_t gated;                      /* number of benchmarks with a gate */
    /* One of these names in a sentence; in backquotes, unless a document sets its own. */
    const char *(*name_of)(struct lauka_prose *prose, const char *name);
    size_t interrupted, complete; /* number of benchmarks interrupted by a signal, which keep the
                                   * standing known so far; and of those that ended well */
};

/* The session must have been analysed. Without memory there are no rows. */
struct lauka_overview lauka_overview(struct lauka_prose *prose,
                                     const struct lauka_session *session);

/* Names of at most `width` columns: the words in which the benchmarks differ. False where that is not enough, so that
 * names are cut in their middles. */
bool lauka_overview_shorten(struct lauka_prose *prose, struct lauka_overview *overview, int width);

/* The rows of all further limits that the row's benchmark exceeds, the worst first, at most LAUKA_FURTHER_LIMITS.
 * Owned by the prose. */
enum { LAUKA_FURTHER_LIMITS = 8 };
const struct lauka_overview_row *lauka_overview_further(struct lauka_prose *prose,
                                                        const struct lauka_overview *overview,
                                                        const struct lauka_overview_row *row,
                                                        size_t *count);

/* "the session was interrupted: 3 of 24 benchmarks are complete"; empty if no signal ended it. */
const char *lauka_overview_interruption(struct lauka_prose *prose,
                                        const struct lauka_overview *overview);

/* "2 of 24 benchmarks are slower, 1 faster, 3 inconclusive; 18 equivalent (within 1 %)", without
 * newline; after an interruption it begins with that. Where not wall time alone is worse, it names what
 * is, as lauka_overview_decided does. */
const char *lauka_overview_headline(struct lauka_prose *prose,
                                    const struct lauka_overview *overview);

/* The same for benchmarks that failed, were not measured or are worse: "1 of 24 benchmarks failed,
 * 2 are slower". Empty if there are none. */
const char *lauka_overview_worst(struct lauka_prose *prose, const struct lauka_overview *overview);

/* The words for unchanged ones: "equivalent (within 1 %)", "within the limits". */
const char *lauka_overview_rest(struct lauka_prose *prose, const struct lauka_overview *overview);

/* The urgency of the session: the worst concern among what decides. */
enum lauka_concern lauka_overview_concern(const struct lauka_overview *overview);

/* The word for the gate's interval: "FAIL", "faster", "within limit", "inconclusive", "allowed". Static. */
const char *lauka_gate_row_verdict(const struct lauka_result *result,
                                   const struct lauka_gate_row *limit);

/* A row for people; cells that do not apply are empty. */
struct lauka_overview_cells {
    const char *name;   /* of the benchmark, as in struct lauka_overview */
    const char *side;   /* its side, if there are more than two */
    const char *metric; /* "peak_rss", "wall_time p99"; empty for wall_time */
    const char
        *verdict; /* "FAIL", "slower", "failed", "inconclusive", "equivalent", "within limit" */
    const char *
        found; /* the verdict with its metric: "peak_rss higher", "within limit", "FAIL: memory +94.1 %" */
    const char *estimate; /* "+5.1 %" */
    const char *interval; /* "[+4.7, +5.6]", or "exact" */
    const char *reach;    /* "±3 %": how far the interval reaches, if inconclusive */
    const char *limit;    /* "2 %" */
    const char *means;    /* "12.40 → 13.03 ms" */
};

struct lauka_overview_cells lauka_overview_row_cells(struct lauka_prose *prose,
                                                     const struct lauka_overview *overview,
                                                     const struct lauka_overview_row *row);

/* The urgency of a standing. */
enum lauka_concern lauka_standing_concern(enum lauka_standing standing);

/* ---- headline.c: what became worse, metric by metric --------------------------------------------- */

/* The result of a row. */
const struct lauka_result *lauka_overview_result(const struct lauka_overview *overview,
                                                 const struct lauka_overview_row *row);

/* What is worse, the worst first: "memory +94.1 % in `parse`, instructions up to +4.4 % in 2 of 24 benchmarks".
 * Empty if nothing is, or only the typical wall time. */
const char *lauka_overview_decided(struct lauka_prose *prose,
                                   const struct lauka_overview *overview);

/* ---- hosts.c: what several machines found ------------------------------------------------------- */

enum { LAUKA_HOSTS_SHOWN = 24 }; /* per page; the JSON has all */

struct lauka_host_line {                       /* one host's comparison */
    const char *name;                          /* safe and short */
    const struct lauka_comparison *comparison; /* borrowed; NULL: none */
    struct lauka_change change;
    const char *verdict; /* "not measured" if nothing is known */
    uint64_t rounds;
    bool known;     /* the host has data; otherwise only a name */
    bool disagrees; /* with the verdict of all */
};

struct lauka_host_line lauka_host_line(struct lauka_prose *prose, const struct lauka_result *result,
                                       size_t host, size_t command, size_t metric);

/* "; the hosts disagree: −5.0 % on n3"; empty if none disagrees. */
const char *lauka_hosts_clause(struct lauka_prose *prose, const struct lauka_result *result,
                               size_t command, size_t metric);

/* For exactly two hosts: what each of them found. */
const char *lauka_hosts_of_two(struct lauka_prose *prose, const struct lauka_result *result,
                               size_t command, size_t metric);

/* What is known about the machine, "Processor" and "AMD EPYC"; or about each of several hosts, "Host n1" and "AMD EPYC, 2
 * CPUs, 23.54 GiB, Linux 6.18.44 x86_64". Both may quote others. */
struct lauka_machine_fact {
    const char *name, *value;
    size_t place; /* of the next one */
};

/* Begin with a zeroed one; false at the end. */
bool lauka_next_machine(struct lauka_prose *prose, const struct lauka_result *result,
                        struct lauka_machine_fact *fact);

/* ---- doubts.c: what speaks against the numbers, in words ------------------------------------- */

/* One of the many doubts that a result may have. */
struct lauka_doubt_said {
    enum lauka_doubt doubt;
    size_t command, metric;
    double value; /* as in struct lauka_doubts */
};

/* The next one; start with a zeroed `place`. False at the end. */
bool lauka_result_next_doubt(const struct lauka_result *result, size_t *place,
                             struct lauka_doubt_said *said);

/* The field's word in JSON: "outliers", "busy". */
const char *lauka_doubt_name(enum lauka_doubt doubt);

/* A plain sentence: what, how much, what to do. The names of the command and the reference are used unchanged. */
const char *lauka_doubt_sentence(struct lauka_prose *prose, const struct lauka_result *result,
                                 const struct lauka_doubt_said *said, const char *name,
                                 const char *reference_name);

/* All of them, the most important first; the first few invalidate verdicts. */
extern const enum lauka_doubt lauka_doubts_by_weight[LAUKA_DOUBT_COUNT];
enum { LAUKA_GRAVE_DOUBTS = 2 };

/* The doubts to show: each kind once, for the command and metric in which it is worst. False if it
 * was not raised at all. */
bool lauka_result_worst_doubt(const struct lauka_result *result, enum lauka_doubt doubt,
                              struct lauka_doubt_said *said);

/* ---- sentence.c: what a result comes to, in words -------------------------------------------- */

/* Why rounds without a drawn order have no verdict. */
extern const char lauka_order_reason[];

/* One plain sentence about a command, without newline: the reference alone, or another against it.
 * Commands are in backquotes, safe and short. */
const char *lauka_result_sentence(struct lauka_prose *prose, const struct lauka_result *result,
                                  size_t command);

/* The same with given names for the command and the reference, which are used unchanged. Other
 * commands get the outcome of their comparison with its figures. */
const char *lauka_result_sentence_about(struct lauka_prose *prose,
                                        const struct lauka_result *result, size_t command,
                                        const char *name, const char *reference_name);

/* ---- best.c: all commands in one sentence ------------------------------------------------------- */

/* Whether there is one of three or more commands that is faster than each of the others. The reference
 * was compared with all; lauka_result_analyse compares another candidate, at that one's own expense. */
bool lauka_result_best(const struct lauka_result *result, size_t *command);

/* "`./a` is the fastest of the 3: the others are 2.1 % to 31 % slower.", "... take 2.8 times to 6.6 times as long." */
const char *lauka_best_sentence(struct lauka_prose *prose, const struct lauka_result *result,
                                const char *name);

/* How many commands there are of each kind: "Against `./a`, of 4 commands 1 is faster, 2 are
 * slower, 1 is inconclusive." */
const char *lauka_summary_sentence(struct lauka_prose *prose, const struct lauka_result *result);

/* ---- same.c: commands that execute the same bytes --------------------------------------------- */

/* Whether the command and the reference execute the same, with the same arguments, environment,
 * directory and input; not for a command compared with itself on purpose. */
bool lauka_result_is_same(const struct lauka_result *result, size_t command);

/* Advice if the command's file may lie differently in the page cache than the reference's: a clause
 * without full stop; NULL: they execute the same file, or it is not known. */
const char *lauka_placement_advice(const struct lauka_result *result, size_t command);

/* "`./a` and `./b` are the same bytes with the same arguments.", and the meaning of a difference,
 * if one is shown. Empty if they differ. */
const char *lauka_same_sentence(struct lauka_prose *prose, const struct lauka_result *result,
                                size_t command, const char *name, const char *reference_name);

/* The same for many benchmarks: how many, and which. Names are used unchanged. */
const char *lauka_same_overview(struct lauka_prose *prose, const struct lauka_session *session);

/* ---- noise.c: a command against itself ------------------------------------------------------- */

/* Whether lauka noise has an answer for this metric: times, and primary ones. */
bool lauka_is_noise_told(const struct lauka_result *result, size_t metric);

/* Whether such an answer replaces the usual one. */
bool lauka_result_has_noise(const struct lauka_result *result);

/* The answer for this metric, about a command with this name. */
const char *lauka_noise_sentence(struct lauka_prose *prose, const struct lauka_result *result,
                                 size_t metric, const char *name);

/* ---- histogram.c: what a histogram tells, for people ----------------------------------------- */

/* "NAME: Total=1,000, Overflow=0, Mean=21,443.7, P0=20,096, P25=... P999=..., P100=...", without
 * newline, for monitoring; quantiles are bucket middles. */
const char *lauka_say_histogram(struct lauka_prose *prose,
                                const struct lauka_histogram_summary *summary, const char *name);

/* A table of all ranks, with the error of each value and the number of values up to it. ~ marks a
 * mean computed from buckets. */
void lauka_put_histogram(struct lauka_prose *prose, const struct lauka_histogram_summary *summary,
                         const char *title);

struct lauka_histogram_difference {
    const char *title, *reference_name, *other_name; /* borrowed */
    const struct lauka_histogram_summary *reference, *other;
    struct lauka_optional cohens_d; /* from the moments or the values */
};

/* A table of two: the ranks with values on either side in both, then mean and deviation. */
void lauka_put_histogram_difference(struct lauka_prose *prose,
                                    const struct lauka_histogram_difference *difference);

#endif
