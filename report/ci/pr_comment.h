/* The parts of a comment on a pull request. */
#ifndef LAUKA_REPORT_CI_PR_COMMENT_H
#define LAUKA_REPORT_CI_PR_COMMENT_H

#include "report/result/result.h"
#include "report/text/prose.h"
#include "report/words/words.h"

/* One line about what was measured where: commits, job, date and machine, if they are known. */
void lauka_comment_origin(struct lauka_prose *prose, const struct lauka_result *result);

/* How to reproduce the session, with its host and settings; folded. */
void lauka_comment_session(struct lauka_prose *prose, const struct lauka_result *result);

/* The heading's text without its marks, "lauka: slower. `b` wall time **+2.1 %** [+1.2, +3.0]". */
const char *lauka_comment_heading(struct lauka_prose *prose, const struct lauka_result *result,
                                  const struct lauka_concerns *concerns);

/* What to do now, and how to reproduce it. */
void lauka_comment_next_step(struct lauka_prose *prose, const struct lauka_result *result,
                             const struct lauka_concerns *concerns);

/* One paragraph: rounds, host, confidence, the smallest visible change. */
void lauka_comment_setting(struct lauka_prose *prose, const struct lauka_result *result);

/* Commands, host, options, notes; folded. */
void lauka_comment_environment(struct lauka_prose *prose, const struct lauka_result *result);

#endif
