/* Documents for CI services. Writers return 0, ENOMEM or an errno of the output. */
#ifndef LAUKA_REPORT_CI_CI_H
#define LAUKA_REPORT_CI_CI_H

#include <stddef.h>
#include <stdio.h>

#include "report/result/result.h"
#include "report/result/session.h"

/* ---- junit.c: JUnit's XML -------------------------------------------------------------------- */

/* A test case a row, as CI systems show it: inconclusive is skipped, unless the
 * policy makes it a failure, a command that failed is an error, a regression a failure. */
int lauka_write_junit(const struct lauka_result *result, FILE *out);

/* A suite a benchmark; one without a result is an error. */
int lauka_write_junit_session(const struct lauka_session *session, FILE *out);

/* ---- pr_comment.c: a comment on a pull request, for the person who has to decide ------------- */

/* At most 60,000 characters. Also where nothing but a failure is known. */
int lauka_write_pr_comment(const struct lauka_result *result, FILE *out);

/* The same that calls itself `id`, so that it replaces the one before; NULL: by its commands. */
int lauka_write_pr_comment_as(const struct lauka_result *result, const char *id, FILE *out);

/* About many benchmarks. */
int lauka_write_pr_comment_session(const struct lauka_session *session, const char *id, FILE *out);

/* ---- github.c: what GitHub's runner takes from a step ---------------------------------------- */

/* Lines that become annotations of the run, ten at most. */
void lauka_write_annotations(const struct lauka_result *result, FILE *out);

/* The same of several benchmarks, each by its name: the worst first, ten at most of each level. */
void lauka_write_annotations_session(const struct lauka_session *session, FILE *out);

/* The summary of a step, in at most `room` bytes, shorter where it has to be, or EFBIG. */
int lauka_write_step_summary(const struct lauka_session *session, size_t room, FILE *out);

#endif
