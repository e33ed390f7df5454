/* The part of report.h about figures as people read them: include that. */
#ifndef LAUKA_REPORT_CELLS_H
#define LAUKA_REPORT_CELLS_H

#include "report.h"

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

#define LAUKA_CELL_SIZE 104 /* bytes */

/* One metric of one command. Empty where there is nothing to say, a dash where it is not known. */
struct lauka_cells {
    char text[LAUKA_CELLS][LAUKA_CELL_SIZE];
    bool counted, estimated;
    bool many_outliers; /* a tenth and more: the mean is in doubt */
    bool primary;
    bool better, worse; /* significantly, in a primary metric of which one is known to be good */
};

void lauka_result_cells(const struct lauka_result *result, size_t command, size_t metric, bool utf8,
                        struct lauka_cells *cells);

/* The column's title: "mean", "σ"; empty for names and units. Static. */
const char *lauka_cell_title(enum lauka_cell cell, bool utf8);

/* quantile_cells.c: percentiles of a command beside those of the reference, a row each; below them
 * mean, deviation, precision, total, d, after an empty row. Command 0 stands beside itself. */
enum lauka_quantile_column {
    LAUKA_QUANTILE_LABEL,
    LAUKA_QUANTILE_REFERENCE,
    LAUKA_QUANTILE_COMMAND,
    LAUKA_QUANTILE_CHANGE,
    LAUKA_QUANTILE_COLUMNS /* how many there are */
};
enum { LAUKA_QUANTILE_SIZE = 256, LAUKA_QUANTILE_ROWS = LAUKA_SUMMARY_RANKS + 8 };

struct lauka_quantile_cells {
    char cells[LAUKA_QUANTILE_ROWS][LAUKA_QUANTILE_COLUMNS][LAUKA_QUANTILE_SIZE];
    size_t rows; /* 0: one of the two was not counted */
};

/* A value in the metric's scale, lauka_result_scale; where it has one of its own, with its unit. "≤"
 * where only the launcher's own memory was seen. Returns text. */
char *lauka_quantile_value(const struct lauka_result *result, size_t metric,
                           const struct lauka_result_view *view, double value, bool utf8,
                           char text[LAUKA_QUANTILE_SIZE]);

/* How far the second is from the first; a dash where there is no ratio. Returns text. */
char *lauka_quantile_change(const struct lauka_result_view views[2], const double values[2],
                            bool utf8, char text[LAUKA_QUANTILE_SIZE]);

/* Returns 0 or ENOMEM. */
int lauka_result_quantile_cells(const struct lauka_result *result, size_t command, size_t metric,
                                bool utf8, struct lauka_quantile_cells *cells);

/* What stands for a value that is not known; static. */
const char *lauka_dash(bool utf8);

#endif
