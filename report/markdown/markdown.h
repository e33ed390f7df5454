/* A result as Markdown, and the text of others in Markdown. */
#ifndef LAUKA_REPORT_MARKDOWN_MARKDOWN_H
#define LAUKA_REPORT_MARKDOWN_MARKDOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "report/result/result.h"
#include "report/result/session.h"
#include "report/text/prose.h"
#include "report/words/words.h"

/* ---- text.c: what others wrote, in Markdown -------------------------------------------------- */

/* A command as code. In a table a bar is escaped; elsewhere it must not be. */
const char *lauka_markdown_code(struct lauka_prose *prose, const char *label, bool in_table);

/* A command's label in that form, with its number if others have the same label. */
const char *lauka_markdown_name(struct lauka_prose *prose, const struct lauka_result *result,
                                size_t command, bool in_table);

/* A command as an element of HTML, for places where Markdown is not interpreted: <summary>. */
const char *lauka_markdown_element(struct lauka_prose *prose, const char *label);

/* Prose that may quote others: it contains no markup and mentions nobody. */
const char *lauka_markdown_prose(struct lauka_prose *prose, const char *text);

/* In a cell or a heading: a figure that no line break can split. */
const char *lauka_markdown_unbroken(struct lauka_prose *prose, const char *text);

/* A no-break space keeps a number and its unit on one line of a narrow cell. */
#define LAUKA_UNBROKEN "\u00A0"

/* "+2.1 % [+1.2, +3.0]", unbroken. */
const char *lauka_markdown_change(struct lauka_prose *prose, const char *estimate,
                                  const char *interval);

/* ---- markdown.c: GitHub's Markdown ----------------------------------------------------------- */

/* The table of all metrics that are shown to people, primary ones first; the first folds it away. */
void lauka_markdown_all_metrics(struct lauka_prose *prose, const struct lauka_result *result);
void lauka_markdown_metrics(struct lauka_prose *prose, const struct lauka_result *result);

/* Which commands execute the same bytes as the reference, a paragraph each. */
void lauka_markdown_same(struct lauka_prose *prose, const struct lauka_result *result);

/* The doubts, the notes and the meaning of marks, each as a quotation. */
void lauka_markdown_notes(struct lauka_prose *prose, const struct lauka_result *result);

/* How a session ended that did not end well: what failed and how, "`b` failed with exit code 1 in round 3", or what else
 * ended it; and the command's last words on stderr, as a paragraph, or nothing. */
const char *lauka_markdown_ending(struct lauka_prose *prose, const struct lauka_result *result);
void lauka_markdown_stderr(struct lauka_prose *prose, const struct lauka_result *result);

/* All about one benchmark. */
void lauka_markdown_benchmark(struct lauka_prose *prose, const struct lauka_result *result);

/* ---- blocks.c: what stands beside the main table --------------------------------------------- */

/* The gate's verdict as a heading, or in something that has one, and a table of its limits. */
void lauka_markdown_gate(struct lauka_prose *prose, const struct lauka_result *result, bool within);

/* What each of several machines found in the main metric, folded, a table for each command; nothing for a result of one
 * machine. */
void lauka_markdown_hosts(struct lauka_prose *prose, const struct lauka_result *result);

/* Percentiles, folded, one table for each primary metric that was counted. */
void lauka_markdown_percentiles(struct lauka_prose *prose, const struct lauka_result *result);

/* The five functions that made the difference, folded; nothing if nothing is known. */
void lauka_markdown_why(struct lauka_prose *prose, const struct lauka_result *result);

/* ---- overview.c: many benchmarks in Markdown ------------------------------------------------- */

/* "**+5.1 %** [+4.7, +5.6]" of a row; how it failed; a dash if nothing is known. `plain`: not bold. */
const char *lauka_markdown_overview_change(struct lauka_prose *prose,
                                           const struct lauka_overview *overview, size_t row,
                                           bool plain);

/* A row of the table: verdict, benchmark, change, limit (if there are any), means. A failure's reason takes the place of
 * a change. */
void lauka_markdown_overview_row(struct lauka_prose *prose, const struct lauka_overview *overview,
                                 size_t row);

/* The table of those of this standing, of LAUKA_STANDINGS of all that are not folded, but for rows that are left out
 * (NULL: none), and a newline; and the same folded behind their number, behind a mark, with names on about that many
 * columns. Nothing of none. */
void lauka_markdown_overview_rows(struct lauka_prose *prose, const struct lauka_overview *overview,
                                  enum lauka_standing standing, const bool *left_out);
void lauka_markdown_overview_fold(struct lauka_prose *prose, const struct lauka_overview *overview,
                                  enum lauka_standing standing, const char *mark, int columns,
                                  const bool *left_out);

/* "<details><summary>❌ <code>parse</code>: peak_rss higher</summary>"; the caller closes the element. */
void lauka_markdown_overview_summary(struct lauka_prose *prose,
                                     const struct lauka_overview *overview, size_t row);

/* Of several benchmarks: the sentence, the table, each benchmark folded. Returns 0, ENOMEM or an errno of the output. */
int lauka_write_markdown(const struct lauka_session *session, FILE *out);

/* The same of several in at most `room` bytes: it drops details, from the last benchmark on, then everything but the
 * sentence. Also returns EFBIG if not even that fits. */
int lauka_write_markdown_within(const struct lauka_session *session, size_t room, FILE *out);

#endif
