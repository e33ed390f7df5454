/* What stands around the tables of the terminal. */
#ifndef LAUKA_REPORT_TERMINAL_BLOCKS_H
#define LAUKA_REPORT_TERMINAL_BLOCKS_H

#include "report/result/result.h"
#include "report/text/prose.h"

/* A sentence per command; the one sentence about many commands, or noise. */
void lauka_put_answers(struct lauka_prose *prose, const struct lauka_result *result);
void lauka_put_answer(struct lauka_prose *prose, const struct lauka_result *result);

/* "2 more notes with --full" of two further ones that are called "note"; nothing of none. */
void lauka_put_more(struct lauka_prose *prose, size_t count, const char *what);

enum lauka_brevity {
    LAUKA_NOTES_WHOLE,
    LAUKA_NOTES_SHORT, /* of each what fits into two lines */
    LAUKA_NOTES_TIGHT, /* and after the first one only what fits into one */
};

/* A blank line, the most important notes, up to this number, and how many more there are; nothing
 * without notes. The second: how the session went. */
void lauka_put_notes(struct lauka_prose *prose, const struct lauka_result *result, size_t most,
                     enum lauka_brevity brevity);
void lauka_put_course(struct lauka_prose *prose, const struct lauka_result *result);

/* The doubts, the notes and the course. */
void lauka_put_remarks(struct lauka_prose *prose, const struct lauka_result *result);

/* The gate: a headline and a line a row. */
void lauka_put_gate(struct lauka_prose *prose, const struct lauka_result *result);

/* "wall_time in ms", as wide as the terminal at most. */
void lauka_put_metric_heading(struct lauka_prose *prose, const char *name, const char *unit);

#endif
