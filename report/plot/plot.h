/* What the charts of the page and of the terminal share. */
#ifndef LAUKA_REPORT_PLOT_PLOT_H
#define LAUKA_REPORT_PLOT_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "report/analysis/distribution.h"
#include "report/result/result.h"
#include "report/text/prose.h"
#include "report/words/words.h"
#include "stats/histogram.h"
#include "stats/stats.h"

/* ---- axis.c: from values to places, with ticks at round numbers ------------------------------ */

enum lauka_axis_kind {
    LAUKA_AXIS_LINEAR,
    LAUKA_AXIS_LOG,    /* for values above 0 */
    LAUKA_AXIS_RATIO,  /* for logarithms of ratios: "+5 %", "x2" */
    LAUKA_AXIS_CHANGE, /* for differences: "+5" */
    LAUKA_AXIS_SHARE,  /* for shares: "25 %" */
    LAUKA_AXIS_COUNT,  /* for whole numbers */
};

struct lauka_axis {
    enum lauka_axis_kind kind;
    double from, to;          /* the values at its ends; logarithms where LOG */
    double begin, end;        /* the coordinates of both; may descend */
    struct lauka_scale scale; /* for LINEAR, CHANGE */
    double origin;            /* for LINEAR: ticks show the distance from it; 0: they show values */
    double unit_divisor;      /* makes the origin one of `unit` */
    const char *unit;         /* "ns": for LOG, whose ticks have different units */
    bool utf8;
    bool cut_low, cut_high; /* values lie beyond this end */
};

enum { LAUKA_TICKS = 12, LAUKA_TICK_SIZE = 24 };

struct lauka_ticks {
    double place[LAUKA_TICKS];
    char text[LAUKA_TICKS][LAUKA_TICK_SIZE];
    size_t count;
};

/* For values of this metric with these distributions; cuts off outliers far beyond all others.
 * Logarithmic if commands differ by more than a factor of 20. The ends are 0 and 1. */
struct lauka_axis lauka_axis_of_values(const struct lauka_result *result, size_t metric,
                                       const struct lauka_distribution *distributions, size_t count,
                                       bool utf8);

/* For changes between low and high, including 0. */
struct lauka_axis lauka_axis_of_changes(double low, double high, bool as_ratio,
                                        struct lauka_scale scale, bool utf8);

/* Not limited to the axis; the second is, and gives the nearer end for values beyond it. */
double lauka_axis_place(const struct lauka_axis *axis, double value);
double lauka_axis_limited(const struct lauka_axis *axis, double value);

/* The value at a coordinate. */
double lauka_axis_value(const struct lauka_axis *axis, double place);

/* Whether it lies between the ends. */
bool lauka_axis_holds(const struct lauka_axis *axis, double value);

/* Places ticks at round values; as many as fit side by side if a label's character takes `room`, or
 * at most `most` if that is 0. */
void lauka_axis_ticks(const struct lauka_axis *axis, double room, size_t most,
                      struct lauka_ticks *ticks);

/* "ms", "logarithmic", "ns above 1000000000"; empty without a unit. */
const char *lauka_axis_unit(struct lauka_prose *prose, const struct lauka_axis *axis);

/* ---- bins.c: equal steps of an axis, and what lies in each ----------------------------------- */

enum { LAUKA_BINS = 120 };

struct lauka_bins {
    size_t count;
    double edges[LAUKA_BINS + 1]; /* values; for a LOG axis logarithms */
    double shares[2][LAUKA_BINS]; /* of each side's values */
    double beyond[2][2];          /* shares below and above all bins */
    double most;                  /* the largest share */
};

/* `most`: the largest number of bins. Freedman & Diaconis 1981, but never narrower than values can differ. */
void lauka_bins_of(const struct lauka_axis *axis, const struct lauka_distribution *distributions,
                   size_t count, size_t most, struct lauka_bins *bins);

/* Exactly this many bins: for terminals, one per column. */
void lauka_bins_fill(const struct lauka_axis *axis, const struct lauka_distribution *distributions,
                     size_t count, size_t bin_count, struct lauka_bins *bins);

/* ---- picture.c: what charts are given, and what they say ------------------------------------- */

/* A metric of all commands for which it was measured. */
struct lauka_picture {
    struct lauka_prose *prose; /* borrowed; owns its texts */
    const struct lauka_result *result;
    size_t metric;
    struct lauka_distribution *distributions; /* owned; command_count */
    struct lauka_axis axis;                   /* for all of them */
};

/* False without memory; the prose then has the error, and nothing is owned. */
bool lauka_picture_of(struct lauka_prose *prose, const struct lauka_result *result, size_t metric,
                      struct lauka_picture *picture);
void lauka_picture_done(struct lauka_picture *picture);

/* The distributions of the reference and the command, or of the reference alone; returns how many. */
size_t lauka_picture_pair(const struct lauka_picture *picture, size_t command,
                          struct lauka_distribution pair[2]);

/* Letters stand for commands: "A" is the reference. */
const char *lauka_letter(struct lauka_prose *prose, size_t command);

/* "B  ./b": the letter and the name; the letter alone if the name is wider than this. */
const char *lauka_lettered_name(struct lauka_prose *prose, const struct lauka_result *result,
                                size_t command, int width);

/* The letters of the commands, for people who only hear the description: "A is `./a`, B is `./b`.
 * "; only the reference for `command` 0, otherwise both. */
const char *lauka_picture_names(struct lauka_prose *prose, const struct lauka_result *result,
                                size_t command);

/* How many of their runs are beyond the ends of the axis: " Beyond the upper end: 2 runs, up to 40 ms.", or nothing. */
const char *lauka_picture_cut(const struct lauka_picture *picture, const size_t *commands,
                              size_t count);

/* The name of values: "runs", or "values" if they come from files. */
const char *lauka_picture_runs(const struct lauka_picture *picture);

/* "wall time", or the metric's name. */
const char *lauka_picture_noun(const struct lauka_picture *picture);

/* "12.28 ms" */
const char *lauka_quantity(const struct lauka_picture *picture, double value);

/* ---- percentiles.c: how far each percentile lies from the reference's ------------------------------- */

/* The quantiles of all commands in one metric. */
struct lauka_percentiles {
    struct lauka_picture picture;
    struct lauka_result_quantiles *of; /* command_count; owned by the prose */
    size_t shown;                      /* how many ranks are, of all commands */
};

/* False without memory; the prose then has the error, and nothing is owned. */
bool lauka_percentiles_of(struct lauka_prose *prose, const struct lauka_result *result,
                          size_t metric, struct lauka_percentiles *percentiles);

struct lauka_percentile {
    struct lauka_change change; /* a dash where the two cannot be compared */
    int side; /* 1: higher beyond doubt, for all percentiles together; -1: lower; 0 also where it is by less
                          * than matters */
    int good;            /* 1: that is better, -1: worse, 0: not known */
    const char *verdict; /* "slower", "slower, < 1 %", "FAIL, limit 4 %"; empty without one */
    const struct lauka_gate_row *limit; /* that the gate has on it; borrowed; NULL: none */
};

/* Whether any command has values enough for the rank, an index into lauka_summary_ranks. */
bool lauka_percentile_is_shown(const struct lauka_percentiles *percentiles, size_t index);

/* Of a command other than the reference. */
struct lauka_percentile lauka_percentile_of(const struct lauka_percentiles *percentiles,
                                            size_t command, size_t index);

/* A command's percentiles beside the reference's: a row each; then, after an empty row, mean, deviation, precision,
 * total, d. Command 0 is compared with itself. */
enum lauka_percentile_cell {
    LAUKA_PERCENTILE_LABEL,
    LAUKA_PERCENTILE_REFERENCE,
    LAUKA_PERCENTILE_COMMAND,
    LAUKA_PERCENTILE_CHANGE,
    LAUKA_PERCENTILE_INTERVAL,
    LAUKA_PERCENTILE_VERDICT,
    LAUKA_PERCENTILE_CELLS /* number of cells */
};

struct lauka_percentile_row {
    const char *text[LAUKA_PERCENTILE_CELLS];
    struct lauka_percentile judged; /* zeroed for the last rows */
};

struct lauka_percentile_table {
    struct lauka_percentile_row rows[LAUKA_SUMMARY_RANKS + 8];
    size_t count; /* 0: one of the two has no counts */
};

struct lauka_percentile_table lauka_percentile_table(const struct lauka_percentiles *percentiles,
                                                     size_t command);

#endif
