/* What the forms of a history share. */
#ifndef LAUKA_REPORT_HISTORY_PARTS_H
#define LAUKA_REPORT_HISTORY_PARTS_H

#include "report/history/history.h"
#include "report/text/prose.h"
#include "report/words/words.h"

/* ---- show.c -------------------------------------------------------------------------------------- */

/* Not if --confirm refuted it. */
bool lauka_history_is_shown(const struct lauka_history_step *step);

size_t lauka_history_count(const struct lauka_history *history, enum lauka_certainty certainty);

/* "+7.2 %" and "[+6.1, +8.4]", or "exact". */
struct lauka_change lauka_history_change(struct lauka_prose *prose,
                                         const struct lauka_history_step *step);

/* "9.4 → 10.1 ms", "4f2a1c9 (2026-11-03, "checks its input")", "suspected": safe to show. */
const char *lauka_history_levels(struct lauka_prose *prose, const struct lauka_history_step *step);
const char *lauka_history_commit(struct lauka_prose *prose,
                                 const struct lauka_history_session *session);
const char *lauka_history_certainty(struct lauka_prose *prose,
                                    const struct lauka_history_step *step);

/* "214 sessions of 200 commits, 12 benchmarks, 2 machines; 10 benchmarks without a step" */
const char *lauka_history_sum(struct lauka_prose *prose, const struct lauka_history *history);

#endif
