/* A result as Markdown, and the text of others in Markdown. Writers return 0, ENOMEM or an errno of the
 * output. */
#ifndef LAUKA_REPORT_MARKDOWN_MARKDOWN_H
#define LAUKA_REPORT_MARKDOWN_MARKDOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "report/result/result.h"
#include "report/result/session.h"
#include "report/words/words.h"

/* ---- text.c: what others wrote, in Markdown -------------------------------------------------- */

/* A command as code. In a table a bar is escaped; elsewhere it must not be. Owned by the caller; NULL if
 * there is no memory. */
char *lauka_markdown_code(const char *label, bool in_table);

/* A command's label in that form, with its number if others have the same label. */
char *lauka_markdown_name(const struct lauka_result *result, size_t command, bool in_table);

/* Both, written, and a command as an element of HTML, for places where Markdown is not interpreted: <summary>. "?" if
 * there is no memory. */
void lauka_markdown_put_code(const char *label, bool in_table, FILE *out);
void lauka_markdown_put_element(const char *label, FILE *out);
void lauka_markdown_put_name(const struct lauka_result *result, size_t command, bool in_table,
                             FILE *out);

/* Prose that may quote others: it contains no markup and mentions nobody. */
void lauka_markdown_prose(const char *text, FILE *out);

/* In a cell or a heading: a figure that no line break can split. */
void lauka_markdown_unbroken(const char *text, FILE *out);

/* ---- markdown.c: GitHub's Markdown ----------------------------------------------------------- */

/* "12.08 ± 0.10 ms" of one metric of one command. */
void lauka_markdown_mean(const struct lauka_cells *cells, FILE *out);

/* The table of all metrics that are shown to people, primary ones first. Returns 0 or ENOMEM. */
int lauka_markdown_all_metrics(const struct lauka_result *result, FILE *out);
int lauka_markdown_metrics(const struct lauka_result *result, FILE *out); /* not folded away */

/* Which commands execute the same bytes as the reference, a paragraph each. */
void lauka_markdown_same(const struct lauka_result *result, FILE *out);

/* The doubts, the notes and the meaning of marks, each as a quotation. */
void lauka_markdown_notes(const struct lauka_result *result, FILE *out);

/* All about one benchmark. */
int lauka_markdown_benchmark(const struct lauka_result *result, FILE *out);

/* ---- overview.c: many benchmarks in Markdown ------------------------------------------------- */

/* "**+5.1 %** [+4.7, +5.6]" of a row; how it failed; a dash if nothing is known. `plain`: not bold. */
void lauka_markdown_overview_change(const struct lauka_overview *overview, size_t row, bool plain,
                                    FILE *out);

/* The titles of the table, and one of its rows: verdict, benchmark, change, limit (if there are any),
 * means. A failure's reason takes the place of a change. */
void lauka_markdown_overview_titles(const struct lauka_overview *overview, FILE *out);
void lauka_markdown_overview_row(const struct lauka_overview *overview, size_t row, FILE *out);

/* "<details><summary>❌ <code>parse</code>: peak_rss higher</summary>"; the caller closes the element. */
void lauka_markdown_overview_summary(const struct lauka_overview *overview,
                                     const struct lauka_overview_row *row, FILE *out);

/* ": `io/read` (±3 %), ... and 3 more": all of the standing, without newline, as HTML, for <summary>;
 * about that many columns. */
void lauka_markdown_overview_names(const struct lauka_overview *overview,
                                   enum lauka_standing standing, int columns, FILE *out);

/* Of several benchmarks: the sentence, the table, each benchmark folded. */
int lauka_write_markdown(const struct lauka_session *session, FILE *out);

/* The same of several in at most `room` bytes: it drops details, from the last benchmark on, then everything but the
 * sentence. Returns 0, ENOMEM, or EFBIG if not even that fits. */
int lauka_write_markdown_within(const struct lauka_session *session, size_t room, FILE *out);

/* ---- percentiles.c: percentiles in Markdown -------------------------------------------------- */

/* Folded, one for each primary metric that was counted. Returns 0 or ENOMEM. */
int lauka_markdown_fold_percentiles(const struct lauka_result *result, FILE *out);

/* ---- failure.c: how a session ended that did not end well, in Markdown ------------------------ */

/* What failed and how, "`b` failed with exit code 1 in round 3", or what else ended the session; and the
 * command's last words on stderr, as a paragraph, or nothing. */
void lauka_markdown_ending(const struct lauka_result *result, FILE *out);
void lauka_markdown_stderr(const struct lauka_result *result, FILE *out);

/* ---- why.c: which functions made the difference ---------------------------------------------- */

/* Five of them, folded; nothing if nothing is known. Returns 0 or ENOMEM. */
int lauka_markdown_why(const struct lauka_result *result, FILE *out);

/* ---- hosts.c: what each of several machines found -------------------------------------------- */

/* In the main metric, folded, a table for each command; nothing for a result of one machine. */
void lauka_markdown_hosts(const struct lauka_result *result, FILE *out);

/* ---- gate.c: the gate in GitHub's Markdown --------------------------------------------------- */

/* Its verdict as a heading, or in something that has one, and a table of its limits. */
void lauka_markdown_gate(const struct lauka_result *result, bool within, FILE *out);

#endif
