/* Results for other tools: benchmark trackers, benchstat, readers of HdrHistogram. */
#ifndef LAUKA_REPORT_EXPORTS_EXPORTS_H
#define LAUKA_REPORT_EXPORTS_EXPORTS_H

#include <stddef.h>
#include <stdio.h>

#include "report/result/result.h"

/* ---- bmf.c ----------------------------------------------------------------------------------- */

/* For other people's tools. bmf.c: Bencher; github_benchmark.c: github-action-benchmark,
 * customSmallerIsBetter; go_benchmark.c: benchstat. */
int lauka_write_bmf(const struct lauka_result *result, FILE *out);
int lauka_write_github_benchmark(const struct lauka_result *result, FILE *out);
int lauka_write_go_benchmark(const struct lauka_result *result, FILE *out);

/* ---- hdr.c ----------------------------------------------------------------------------------- */

/* hdr.c: of the main metric, a log of HdrHistogram's with a tag for each command, none where
 * there is one only; and one command's percentiles as plotters read them, or ERANGE where there is no
 * such command. What values are in is said in a comment. */
int lauka_write_hlog(const struct lauka_result *result, FILE *out);
int lauka_write_percentile_file(const struct lauka_result *result, size_t command, FILE *out);

#endif
