/* What the charts of the page and of the terminal share. */
#ifndef LAUKA_REPORT_PLOT_PLOT_H
#define LAUKA_REPORT_PLOT_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "report/result/result.h"
#include "report/text/prose.h"
#include "report/words/words.h"
#include "stats/histogram.h"
#include "stats/stats.h"

/* ---- distribution.c: how values are spread, from themselves or from their histogram ---------- */

/* Values from `lowest` to `highest`: one value and its repetitions, or a bucket. */
struct lauka_step {
    uint64_t lowest, highest;
    uint64_t cumulative; /* number of values up to this step */
};

struct lauka_distribution {
    struct lauka_step *steps; /* owned, ascending */
    size_t count;             /* number of steps; 0: nothing was measured */
    uint64_t total;           /* number of values */
    bool exact;               /* from the values themselves */
};

/* Returns 0 or ENOMEM. Empty if the metric was not counted. */
int lauka_distribution_of(const struct lauka_result *result, size_t command, size_t metric,
                          struct lauka_distribution *distribution);
void lauka_distribution_done(struct lauka_distribution *distribution);

/* The value with this number, from 1; for a bucket its middle, as in lauka_result_quantiles. */
double lauka_distribution_value(const struct lauka_distribution *distribution, uint64_t number);

/* The nearest rank. */
double lauka_distribution_quantile(const struct lauka_distribution *distribution, uint32_t rank);

/* The number of values below x; a bucket that contains x counts partially. */
double lauka_distribution_below(const struct lauka_distribution *distribution, double x);

/* The quantile with an interval from order statistics; false if there is none. For buckets it uses
 * the outer ends. */
bool lauka_distribution_span(const struct lauka_distribution *distribution, uint32_t rank,
                             double alpha, struct lauka_span *span);

/* Compares their quantiles at this rank: 1 if the second is higher, -1 if lower, 0 if they differ by no
 * more than the margin, lauka_share_margin of both. It is valid for any number of ranks at once. */
int lauka_distribution_side(const struct lauka_distribution pair[2], uint32_t rank, double margin);

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

/* ---- shift.c: how far a command's quantiles lie from the reference's ---------------------------- */

struct lauka_shift {
    const struct lauka_picture *picture; /* borrowed */
    size_t command;
    struct lauka_distribution pair[2]; /* borrowed from the picture */
    bool as_ratio;        /* all values are above 0; otherwise it is about differences */
    double alpha, margin; /* of each interval; of all quantiles together, in shares */
};

struct lauka_shift_point {
    struct lauka_span span; /* logarithms of ratios, or differences */
    bool known;             /* whether there are values enough for the interval */
    int side;               /* 1: higher beyond doubt, -1: lower, 0: neither */
};

/* False if one of the two has no values, or for the reference itself. */
bool lauka_shift_of(const struct lauka_picture *picture, size_t command, struct lauka_shift *shift);

struct lauka_shift_point lauka_shift_at(const struct lauka_shift *shift, uint32_t rank);

/* "+5.1 %" and "[+4.2, +6.0]" with the digits that suit the interval; without one, two digits. */
struct lauka_change lauka_shift_change(const struct lauka_shift *shift,
                                       const struct lauka_shift_point *point);

/* ---- percentiles.c: how far each percentile lies from the reference's ------------------------------- */

struct lauka_percentile {
    struct lauka_change change; /* a dash where the two cannot be compared */
    int side;            /* 1: higher beyond doubt, for all percentiles together; -1: lower */
    bool is_small;       /* it is, by less than matters */
    const char *verdict; /* "slower", "FAIL, limit 4 %"; empty without one */
    const struct lauka_gate_row *limit; /* that the gate has on it; borrowed; NULL: none */
};

/* Whether any command has values enough for the rank, an index into lauka_summary_ranks. quantiles: of all commands. */
bool lauka_percentile_is_shown(const struct lauka_result *result,
                               const struct lauka_result_quantiles *quantiles, size_t index);

/* How many ranks are: a number for all commands, so it is asked for once. */
size_t lauka_percentiles_shown(const struct lauka_result *result,
                               const struct lauka_result_quantiles *quantiles);

/* Of a command other than the reference, in the picture's metric; shown: as in lauka_percentiles_shown. */
struct lauka_percentile lauka_percentile_of(const struct lauka_picture *picture,
                                            const struct lauka_result_quantiles *quantiles,
                                            size_t shown, size_t command, size_t index);

#endif
