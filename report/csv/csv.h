/* CSV of a session; benchmarks with names have these in the first column. Writers return 0, ENOMEM or an errno of the
 * output. */
#ifndef LAUKA_REPORT_CSV_CSV_H
#define LAUKA_REPORT_CSV_CSV_H

#include <stdio.h>

#include "report/result/session.h"

/* One row per command. */
int lauka_write_csv_session(const struct lauka_session *session, FILE *out);

/* Percentiles in long form. */
int lauka_write_csv_percentiles_session(const struct lauka_session *session, FILE *out);

/* One row per run; ENODATA if single values were not kept. */
int lauka_write_csv_samples_session(const struct lauka_session *session, FILE *out);

/* The version of libcsv; static. */
const char *lauka_csv_library(void);

#endif
