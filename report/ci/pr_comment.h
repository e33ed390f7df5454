/* The parts of a comment on a pull request. */
#ifndef LAUKA_REPORT_CI_PR_COMMENT_H
#define LAUKA_REPORT_CI_PR_COMMENT_H

#include <stdio.h>

#include "report/result/result.h"
#include "report/words/words.h"

/* The heading's text without its marks, "lauka: slower. `b` wall time **+2.1 %** [+1.2, +3.0]". */
void lauka_comment_heading(const struct lauka_result *result, const struct lauka_concerns *concerns,
                           FILE *out);

/* What to do now, and how to see it again. */
void lauka_comment_next_step(const struct lauka_result *result,
                             const struct lauka_concerns *concerns, FILE *out);

/* Rounds, host, confidence, what could be seen: a paragraph. */
void lauka_comment_setting(const struct lauka_result *result, FILE *out);

/* Commands, host, options, notes, as folded away. */
void lauka_comment_environment(const struct lauka_result *result, FILE *out);

#endif
