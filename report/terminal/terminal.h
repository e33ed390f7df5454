/* A result for people at a terminal. Writers return 0, ENOMEM or an errno of the output. */
#ifndef LAUKA_REPORT_TERMINAL_TERMINAL_H
#define LAUKA_REPORT_TERMINAL_TERMINAL_H

#include <stdio.h>

#include "report/result/result.h"
#include "report/result/session.h"
#include "report/result/threads.h"
#include "report/text/prose.h"

/* thread_table.c: the resource usage of a live process's threads as a table. Hides columns that do
 * not fit or are unknown; no line is wider than the terminal. */
void lauka_put_threads(struct lauka_prose *prose, const struct lauka_thread_report *report);

/* screen.c: one benchmark at a glance, grouped by metric; what does not decide is condensed to
 * lines. The answer comes first, but on a terminal last, where people see it. */
int lauka_write_screen(const struct lauka_result *result, struct lauka_terminal terminal,
                       FILE *out);

/* table.c: everything about one benchmark, for --full. Begins with the answers and ends with the remarks. */
int lauka_write_table(const struct lauka_result *result, struct lauka_terminal terminal, FILE *out);

/* overview.c: many benchmarks at a glance: the sentence, a line for each benchmark that changed,
 * the names of the others, and remarks on the session. The session must have been analysed. */
int lauka_write_overview(const struct lauka_session *session, struct lauka_terminal terminal,
                         FILE *out);

/* blocks.c: which functions made the difference: for each command a blank line, a sentence, and a
 * line per function; nothing if nothing is known. in_full: all known functions. Does not flush. */
int lauka_write_why(const struct lauka_result *result, bool in_full, struct lauka_terminal terminal,
                    FILE *out);

/* What each of several hosts found: a blank line, and for each command one line per host on a
 * common axis of change; nothing for one host. */
int lauka_write_hosts(const struct lauka_result *result, struct lauka_terminal terminal, FILE *out);

/* --percentiles: for each counted metric, every command's percentiles beside the reference's; skips
 * ranks without values beyond them. */
int lauka_write_percentiles(const struct lauka_result *result, struct lauka_terminal terminal,
                            FILE *out);

/* plot.c: --plot: for each counted metric, histograms of all commands on one axis, with intervals. */
int lauka_write_plot(const struct lauka_result *result, struct lauka_terminal terminal, FILE *out);

#endif
