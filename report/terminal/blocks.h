/* What surrounds the tables on a terminal. */
#ifndef LAUKA_REPORT_TERMINAL_BLOCKS_H
#define LAUKA_REPORT_TERMINAL_BLOCKS_H

#include <stdbool.h>

#include "report/result/result.h"
#include "report/text/prose.h"

/* A sentence per command; and the short answer: a ranking of three and more commands, one sentence about many that
 * cannot be ranked, or about noise. */
void lauka_put_answers(struct lauka_prose *prose, const struct lauka_result *result);
void lauka_put_answer(struct lauka_prose *prose, const struct lauka_result *result);

/* ranking.c: a line for each command, the fastest first, and by how much each is slower than that, with an interval. Of many
 * the first ones. False, and nothing is written, if the commands cannot be ranked, or none is known to be slower: see
 * lauka_result_rank. */
bool lauka_put_ranking(struct lauka_prose *prose, const struct lauka_result *result);

/* "2 more notes with --full" for two more of what is called "note"; nothing for none. */
void lauka_put_more(struct lauka_prose *prose, size_t count, const char *what);

enum lauka_brevity {
    LAUKA_NOTES_WHOLE,
    LAUKA_NOTES_SHORT, /* notes that fit into two lines */
    LAUKA_NOTES_TIGHT, /* after the first one, only notes that fit into one line */
};

/* A blank line, the most important notes, up to this number, and how many more there are; nothing
 * without notes. */
void lauka_put_notes(struct lauka_prose *prose, const struct lauka_result *result, size_t most,
                     enum lauka_brevity brevity);

/* The doubts, the notes and the course. */
void lauka_put_remarks(struct lauka_prose *prose, const struct lauka_result *result);

/* The gate: a headline, and one line per row. */
void lauka_put_gate(struct lauka_prose *prose, const struct lauka_result *result);

/* "wall_time in ms", at most as wide as the terminal. */
void lauka_put_metric_heading(struct lauka_prose *prose, const char *name, const char *unit);

#endif
