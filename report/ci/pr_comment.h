/* The parts of a comment on a pull request. */
#ifndef LAUKA_REPORT_CI_PR_COMMENT_H
#define LAUKA_REPORT_CI_PR_COMMENT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "report/result/result.h"
#include "report/words/words.h"

/* GitHub takes 65,536 characters, and whoever posts a comment may count bytes. */
enum { LAUKA_COMMENT_MOST = 60000, LAUKA_COMMENT_BYTES_MOST = 65000 };

/* A comment on one benchmark, which is identified by `id` or by its commands. Returns 0, ENOMEM or an errno. */
int lauka_comment_write_one(const struct lauka_result *result, const char *id, FILE *out);

/* The share of LAUKA_COMMENT_MOST that the text uses, such that both limits hold if the sum stays below
 * it. NULL uses none. */
size_t lauka_comment_size(const char *text);

/* Identifies the comment that this one replaces: the
 * comment's first line. */
void lauka_comment_put_marker(uint64_t hash, FILE *out);

/* Its last line, for programs. Returns 0 or ENOMEM. */
int lauka_comment_put_data(enum lauka_concern worst, FILE *out);

/* One line about what was measured where: commits, job, date and machine, as far as they are known. */
void lauka_comment_origin(const struct lauka_result *result, FILE *out);

/* How to reproduce it, with the host and settings of the session; folded. */
void lauka_comment_session(const struct lauka_result *result, FILE *out);

/* The heading's text without its marks, "lauka: slower. `b` wall time **+2.1 %** [+1.2, +3.0]". */
void lauka_comment_heading(const struct lauka_result *result, const struct lauka_concerns *concerns,
                           FILE *out);

/* What to do now, and how to reproduce it. */
void lauka_comment_next_step(const struct lauka_result *result,
                             const struct lauka_concerns *concerns, FILE *out);

/* One paragraph: rounds, host, confidence, the smallest visible change. */
void lauka_comment_setting(const struct lauka_result *result, FILE *out);

/* Commands, host, options, notes; folded. */
void lauka_comment_environment(const struct lauka_result *result, FILE *out);

#endif
