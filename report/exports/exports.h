/* Results for other tools: benchmark trackers, benchstat, readers of HdrHistogram. Writers return 0,
 * ENOMEM or an errno of the output. */
#ifndef LAUKA_REPORT_EXPORTS_EXPORTS_H
#define LAUKA_REPORT_EXPORTS_EXPORTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "report/result/result.h"
#include "report/result/session.h"

/* ---- answer.c: one line of JSON for each comparison of the main metric; all: of every primary one ------------ */

int lauka_write_answers(const struct lauka_session *session, bool all, FILE *out);

/* ---- bmf.c: Bencher's metric format ---------------------------------------------------------- */

int lauka_write_bmf(const struct lauka_session *session, FILE *out);

/* ---- github_benchmark.c: customSmallerIsBetter of github-action-benchmark -------------------- */

int lauka_write_github_benchmark(const struct lauka_session *session, FILE *out);

/* ---- go_benchmark.c: what benchstat reads ---------------------------------------------------- */

int lauka_write_go_benchmark(const struct lauka_session *session, FILE *out);

/* ---- hdr.c: the main metric for readers of HdrHistogram; a comment says what values are in --- */

/* A log with a tag per command, or without tags if there is only one. */
int lauka_write_hlog(const struct lauka_session *session, FILE *out);

/* One command's percentiles in the format for plotters, or ERANGE if there is no such command. */
int lauka_write_percentile_file(const struct lauka_result *result, size_t command, FILE *out);

/* ---- tables.c: a table of the main metric in AsciiDoc and in Org -------------------------------- */

int lauka_write_asciidoc(const struct lauka_session *session, FILE *out);
int lauka_write_org(const struct lauka_session *session, FILE *out);

#endif
