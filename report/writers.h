/* The part of report.h about documents: include that. Writers take one result, which has been
 * analysed, and return 0, ENOMEM or an errno of the output. */
#ifndef LAUKA_REPORT_WRITERS_H
#define LAUKA_REPORT_WRITERS_H

#include "report.h"

/* ---- writers --------------------------------------------------------------------------------- */

/* Flushes. Returns 0, or the errno of what failed since the caller set errno to 0. */
int lauka_finish(FILE *out);

/* table.c; begins with the answers and ends with the remarks. */
int lauka_write_table(const struct lauka_result *result, struct lauka_terminal terminal, FILE *out);
/* remarks.c: a sentence per command; the doubts, the notes and the course. They do not flush. */
int lauka_write_answers(const struct lauka_result *result, struct lauka_terminal terminal,
                        FILE *out);
int lauka_write_remarks(const struct lauka_result *result, struct lauka_terminal terminal,
                        FILE *out);

/* quantile_table.c: for each metric that was counted, the percentiles of every command beside those
 * of the reference; ranks without values beyond them are left out. */
int lauka_write_percentiles(const struct lauka_result *result, struct lauka_terminal terminal,
                            FILE *out);

/* plot.c: for each metric that was counted, histograms of all commands over one axis, and intervals
 * on it. */
int lauka_write_plot(const struct lauka_result *result, struct lauka_terminal terminal, FILE *out);

int lauka_write_markdown(const struct lauka_result *result, FILE *out);

/* pr_comment.c: at most 60,000 characters. Also where nothing but a failure is known. */
int lauka_write_pr_comment(const struct lauka_result *result, FILE *out);

/* github.c: ten lines at most; a line of this level ("error", "warning"); and the summary of a step,
 * in at most `room` bytes, shorter where it has to be, or EFBIG. */
void lauka_write_annotations(const struct lauka_result *result, FILE *out);
void lauka_github_annotate(const char *level, const char *text, FILE *out);
int lauka_write_step_summary(const struct lauka_result *result, size_t room, FILE *out);
int lauka_write_csv(const struct lauka_result *result, FILE *out);
int lauka_write_csv_percentiles(const struct lauka_result *result, FILE *out);
int lauka_write_csv_samples(const struct lauka_result *result, FILE *out); /* or ENODATA */
int lauka_write_json(const struct lauka_result *result, FILE *out);

/* html.c: one file with pictures, which asks for nothing else; of any number of runs, less than
 * 1 MB. */
int lauka_write_html(const struct lauka_result *result, FILE *out);

/* For other people's tools. json_bmf.c: Bencher; json_github_benchmark.c: github-action-benchmark,
 * customSmallerIsBetter; go_benchmark.c: benchstat. */
int lauka_write_bmf(const struct lauka_result *result, FILE *out);
int lauka_write_github_benchmark(const struct lauka_result *result, FILE *out);
int lauka_write_go_benchmark(const struct lauka_result *result, FILE *out);

/* hdr_documents.c: of the main metric, a log of HdrHistogram's with a tag for each command, none where
 * there is one only; and one command's percentiles as plotters read them, or ERANGE where there is no
 * such command. What values are in is said in a comment. */
int lauka_write_hlog(const struct lauka_result *result, FILE *out);
int lauka_write_percentile_file(const struct lauka_result *result, size_t command, FILE *out);

#endif
