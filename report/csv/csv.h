/* A result as CSV. Writers return 0, ENOMEM or an errno of the output. */
#ifndef LAUKA_REPORT_CSV_CSV_H
#define LAUKA_REPORT_CSV_CSV_H

#include <stdio.h>

#include "report/result/result.h"

/* ---- csv.c: one row per command -------------------------------------------------------------- */

int lauka_write_csv(const struct lauka_result *result, FILE *out);

/* ---- percentiles.c: percentiles in long form ------------------------------------------------- */

int lauka_write_csv_percentiles(const struct lauka_result *result, FILE *out);

/* ---- samples.c: one row per value ------------------------------------------------------------ */

int lauka_write_csv_samples(const struct lauka_result *result, FILE *out); /* or ENODATA */

#endif
