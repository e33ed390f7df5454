/* A report as the files of the library see it. */
#ifndef LAUKA_LIBLAUKA_REPORT_H
#define LAUKA_LIBLAUKA_REPORT_H

#include <stdbool.h>

#include "include/lauka_report.h"
#include "report/result/result.h"

/* One side in one metric: values, or a histogram. */
struct lauka_report_cell {
    struct lauka_series values; /* owned */
    struct lauka_hdr *counts;   /* owned; NULL: none */
};

struct lauka_report {
    /* Names and notes only: metrics, the sides' labels, provenance. The measured values are in the cells. */
    struct lauka_result frame;
    struct lauka_report_cell *cells; /* owned; side-major */
    bool paired, has_values, has_histograms;
};

struct lauka_report_cell *lauka_report_cell_of(const struct lauka_report *report, size_t side,
                                               size_t metric);

/* ---- result.c ---------------------------------------------------------------------------------- */

/* The whole report, analysed. Returns 0, EINVAL if nothing was measured, or ENOMEM; call lauka_result_done
 * in any case. */
int lauka_report_make(const struct lauka_report *report, struct lauka_result *result);

#endif
