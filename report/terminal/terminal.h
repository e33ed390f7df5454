/* A result as people read it on a terminal. Writers return 0, ENOMEM or an errno of the output. */
#ifndef LAUKA_REPORT_TERMINAL_TERMINAL_H
#define LAUKA_REPORT_TERMINAL_TERMINAL_H

#include <stdio.h>

#include "report/result/result.h"
#include "report/result/session.h"
#include "report/result/threads.h"
#include "report/text/text.h"

/* ---- gate.c: the gate on the terminal -------------------------------------------------------- */

/* A headline and a line a row. Does not flush. Returns 0 or ENOMEM. */
int lauka_write_gate(const struct lauka_result *result, struct lauka_terminal terminal, FILE *out);

/* ---- thread_table.c: what the threads of a live process use, as a table ---------------------- */

/* Does not flush. Leaves out columns that do not fit, or in which nothing is known. */
int lauka_write_threads(const struct lauka_thread_report *report, struct lauka_terminal terminal,
                        FILE *out);

/* ---- screen.c: one benchmark at a glance ----------------------------------------------------- */

/* Grouped by metric; what does not decide is folded to lines. The answer comes first, but on a terminal last,
 * where it is seen. */
int lauka_write_screen(const struct lauka_result *result, struct lauka_terminal terminal,
                       FILE *out);

/* ---- table.c: all of one benchmark: --full --------------------------------------------------- */

/* Begins with the answers and ends with the remarks. */
int lauka_write_table(const struct lauka_result *result, struct lauka_terminal terminal, FILE *out);

/* ---- overview.c: many benchmarks at a glance ------------------------------------------------- */

/* The sentence, a line for each benchmark that changed, the names of the others, and what is said about
 * the session. The session must have been analysed. */
int lauka_write_overview(const struct lauka_session *session, struct lauka_terminal terminal,
                         FILE *out);

/* ---- remarks.c: what is said above and below the table --------------------------------------- */

/* The one sentence about many commands, or noise. */
int lauka_write_answer(const struct lauka_result *result, struct lauka_terminal terminal,
                       FILE *out);

enum lauka_brevity {
    LAUKA_NOTES_WHOLE,
    LAUKA_NOTES_SHORT, /* of each what fits into two lines */
    LAUKA_NOTES_TIGHT, /* and after the first one only what fits into one */
};

/* "2 more notes with --full" of two further ones that are called "note"; nothing of none. Returns 0 or ENOMEM. */
int lauka_write_more(size_t count, const char *what, struct lauka_terminal terminal, FILE *out);

/* The most important notes, at most so many, and the number of further ones. And how the session went. */
int lauka_write_notes(const struct lauka_result *result, size_t most, enum lauka_brevity brevity,
                      struct lauka_terminal terminal, FILE *out);
int lauka_write_course(const struct lauka_result *result, struct lauka_terminal terminal,
                       FILE *out);

/* A sentence per command; and the doubts, the notes and the course. They do not flush. */
int lauka_write_answers(const struct lauka_result *result, struct lauka_terminal terminal,
                        FILE *out);
int lauka_write_remarks(const struct lauka_result *result, struct lauka_terminal terminal,
                        FILE *out);

/* ---- why.c: which functions made the difference ---------------------------------------------- */

/* For each command a blank line, a sentence, and a line for each function; nothing if nothing is known.
 * in_full: all known functions. Does not flush. */
int lauka_write_why(const struct lauka_result *result, bool in_full, struct lauka_terminal terminal,
                    FILE *out);

/* ---- hosts.c: what each of several hosts found -------------------------------------------------- */

/* A blank line, and for each command a line a host over one axis of change; nothing where one host measured. */
int lauka_write_hosts(const struct lauka_result *result, struct lauka_terminal terminal, FILE *out);

/* ---- quantile_table.c: --percentiles --------------------------------------------------------- */

/* For each counted metric, the percentiles of every command beside the reference's; leaves out ranks
 * without values beyond them. */
int lauka_write_percentiles(const struct lauka_result *result, struct lauka_terminal terminal,
                            FILE *out);

/* ---- plot.c: --plot -------------------------------------------------------------------------- */

/* For each metric that was counted, histograms of all commands over one axis, and intervals
 * on it. */
int lauka_write_plot(const struct lauka_result *result, struct lauka_terminal terminal, FILE *out);

#endif
