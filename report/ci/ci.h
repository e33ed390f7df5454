/* Documents for CI services and trackers of benchmarks. Writers return 0, ENOMEM or an errno of the
 * output. */
#ifndef LAUKA_REPORT_CI_CI_H
#define LAUKA_REPORT_CI_CI_H

#include <stddef.h>
#include <stdio.h>

#include "report/result/result.h"

/* ---- junit.c --------------------------------------------------------------------------------- */

/* junit.c: a test case a row. JUnit's XML, as CI systems show it: inconclusive is skipped, unless the
 * policy makes it a failure, a command that failed is an error, a regression a failure. */
int lauka_write_junit(const struct lauka_result *result, FILE *out);

/* ---- pr_comment.c: A comment on a pull request, for the person who has to decide ------------- */

/* pr_comment.c: at most 60,000 characters. Also where nothing but a failure is known. */
int lauka_write_pr_comment(const struct lauka_result *result, FILE *out);

/* ---- github.c: what GitHub's runner takes from a step ---------------------------------------- */

/* github.c: ten lines at most; a line of this level ("error", "warning"); and the summary of a step,
 * in at most `room` bytes, shorter where it has to be, or EFBIG. */
void lauka_write_annotations(const struct lauka_result *result, FILE *out);

void lauka_github_annotate(const char *level, const char *text, FILE *out);

int lauka_write_step_summary(const struct lauka_result *result, size_t room, FILE *out);

#endif
