/* The parts of a comment on a pull request. */
#ifndef LAUKA_REPORT_CI_PR_COMMENT_H
#define LAUKA_REPORT_CI_PR_COMMENT_H

#include <stdio.h>

#include "report/result/result.h"

/* Rounds, host, confidence, what could be seen: a paragraph. */
void lauka_comment_setting(const struct lauka_result *result, FILE *out);

/* Commands, host, options, notes, as folded away. */
void lauka_comment_environment(const struct lauka_result *result, FILE *out);

#endif
