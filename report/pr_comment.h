/* The parts of a comment on a pull request. */
#ifndef LAUKA_REPORT_PR_COMMENT_H
#define LAUKA_REPORT_PR_COMMENT_H

#include "report/markdown.h"

/* What a comparison, or all of them together, mean for the reader; the more urgent, the higher. */
enum lauka_concern {
    LAUKA_CONCERN_NONE,    /* no change, or none that matters */
    LAUKA_CONCERN_CHANGED, /* of which nobody can say whether it is good */
    LAUKA_CONCERN_BETTER,
    LAUKA_CONCERN_UNCLEAR, /* primary, and inconclusive */
    LAUKA_CONCERN_WORSE,
    LAUKA_CONCERN_FAILED, /* a command did, or lauka itself */
};

struct lauka_concerns {
    enum lauka_concern worst; /* of what decides: primary metrics and limits; or FAILED */
    size_t command, metric;   /* where, unless NONE or FAILED */
    size_t count;             /* how many comparisons of that concern decide */
    size_t judged;            /* how many decide in all */
};

/* Whether nothing was compared, as there are histograms that belong to no pairs. */
bool lauka_concern_lacks_values(const struct lauka_result *result);

/* Of one metric of one command against the reference. */
enum lauka_concern lauka_concern_of(const struct lauka_result *result, size_t command,
                                    size_t metric);
struct lauka_concerns lauka_concerns_find(const struct lauka_result *result);

/* "\u274c" and so on, always with the word that follows it. Static. */
const char *lauka_concern_symbol(enum lauka_concern concern);

/* "pass", "fail", "inconclusive", "changed", "failed": for machines. Static. */
const char *lauka_concern_name(enum lauka_concern concern);

/* The gate's row about this comparison, the worst of several; NULL: none. */
const struct lauka_gate_row *lauka_gate_row_of(const struct lauka_result *result, size_t command,
                                               size_t metric);

/* The heading's text without its marks, "lauka: slower. `b` wall time **+2.1 %** [+1.2, +3.0]". */
void lauka_comment_heading(const struct lauka_result *result, const struct lauka_concerns *concerns,
                           FILE *out);

/* Rounds, host, confidence, what could be seen: a paragraph. */
void lauka_comment_setting(const struct lauka_result *result, FILE *out);

/* What to do now, and how to see it again. */
void lauka_comment_next_step(const struct lauka_result *result,
                             const struct lauka_concerns *concerns, FILE *out);

/* Commands, host, options, notes, as folded away. */
void lauka_comment_environment(const struct lauka_result *result, FILE *out);

#endif
