/* The parts of a comment on a pull request. */
#ifndef LAUKA_REPORT_CI_PR_COMMENT_H
#define LAUKA_REPORT_CI_PR_COMMENT_H

#include "report/result/result.h"
#include "report/text/prose.h"
#include "report/words/words.h"

/* ---- pr_comment_parts.c: what comes before the table, and what is folded --------------------- */

/* How to reproduce the session, with its host and settings; folded. */
void lauka_comment_session(struct lauka_prose *prose, const struct lauka_result *result);

/* The heading's text without its marks, "lauka: memory **+94.1 %** [+93.4, +94.8], limit 5 %", or
 * "lauka: worse. `b` wall time **+2.1 %** [+1.2, +3.0]". */
const char *lauka_comment_heading(struct lauka_prose *prose, const struct lauka_result *result,
                                  const struct lauka_concerns *concerns);

/* What to do now, and how to reproduce it. */
void lauka_comment_next_step(struct lauka_prose *prose, const struct lauka_result *result,
                             const struct lauka_concerns *concerns);

/* One paragraph: rounds, host, confidence, the smallest visible change. */
void lauka_comment_setting(struct lauka_prose *prose, const struct lauka_result *result);

/* Commands, host, options, notes; folded. */
void lauka_comment_environment(struct lauka_prose *prose, const struct lauka_result *result);

/* ---- pr_comment_table.c: the table ----------------------------------------------------------- */

struct lauka_comment_row {
    const struct lauka_gate_row *limit; /* borrowed; NULL: a comparison without a limit */
    size_t command, metric;
};

struct lauka_comment_rows {
    struct lauka_comment_row *rows; /* owned by the prose */
    size_t count;
};

/* How much a table has: limits and comparisons to act on or to know; the same with limits that are held; and with
 * everything that was compared. */
enum lauka_comment_extent { LAUKA_COMMENT_QUIET, LAUKA_COMMENT_TOLD, LAUKA_COMMENT_ALL };

/* The limits, the worst first, then other comparisons. None for a gate that has a table of its own: one that is tried out, or of halves. */
struct lauka_comment_rows lauka_comment_rows(struct lauka_prose *prose,
                                             const struct lauka_result *result,
                                             enum lauka_comment_extent extent);

/* The table's titles, and one of its rows; with a deviation beside each mean, or not, so that it is as wide as a comment. */
void lauka_comment_titles(struct lauka_prose *prose, const struct lauka_result *result,
                          bool spread);
void lauka_comment_row(struct lauka_prose *prose, const struct lauka_result *result,
                       const struct lauka_comment_row *row, bool spread);

/* Why limits are undecided, and what else is said about them: a list, then the gate's notes. */
void lauka_comment_remarks(struct lauka_prose *prose, const struct lauka_result *result);

#endif
