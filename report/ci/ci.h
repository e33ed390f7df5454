/* Documents for CI services. Writers return 0, ENOMEM or an errno of the output. */
#ifndef LAUKA_REPORT_CI_CI_H
#define LAUKA_REPORT_CI_CI_H

#include <stddef.h>
#include <stdio.h>

#include "report/result/session.h"

/* ---- junit.c: JUnit's XML -------------------------------------------------------------------- */

/* A suite per benchmark with a test case per row, as CI systems show it. A regression is a failure;
 * a failed command and a benchmark without a result are errors; inconclusive is skipped, unless the
 * policy makes it a failure. */
int lauka_write_junit(const struct lauka_session *session, FILE *out);

/* ---- pr_comment.c: a comment on a pull request, for the person who has to decide -------- */

/* At most 60,000 characters, identified by `id`, so that it replaces the previous comment; NULL:
 * identified by its commands. Also works if only a failure is known. */
int lauka_write_pr_comment(const struct lauka_session *session, const char *id, FILE *out);

/* ---- github.c: what GitHub's runner takes from a step ---------------------------------------- */

/* Writes at most ten lines that become annotations of the run; for several benchmarks, each with
 * its name, the worst first, at most ten of each level. */
void lauka_write_annotations(const struct lauka_session *session, FILE *out);

/* The summary of a step in at most `room` bytes, shortened if needed, or EFBIG. */
int lauka_write_step_summary(const struct lauka_session *session, size_t room, FILE *out);

#endif
