/* A result as Markdown, and text of others in Markdown. */
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

/* A command as code. A bar must be escaped in a table, but not elsewhere. */
const char *lauka_markdown_code(struct lauka_prose *prose, const char *label, bool in_table);

/* A command's label in this form, with its number if others have the same label. */
const char *lauka_markdown_name(struct lauka_prose *prose, const struct lauka_result *result,
                                size_t command, bool in_table);

/* The whole command as code; and a list of the names that are letters, or of all that are not the whole commands, with what
 * they stand for: nothing if there are none. */
const char *lauka_markdown_whole(struct lauka_prose *prose, const struct lauka_result *result,
                                 size_t command, bool in_table);
void lauka_markdown_legend(struct lauka_prose *prose, const struct lauka_result *result,
                           bool letters_only);

/* A command as an HTML element, for places without Markdown: <summary>. */
const char *lauka_markdown_element(struct lauka_prose *prose, const char *label);

/* Prose that may quote others: it has no markup and mentions nobody. */
const char *lauka_markdown_prose(struct lauka_prose *prose, const char *text);

/* For a cell or a heading: a figure that no line break can split. */
const char *lauka_markdown_unbroken(struct lauka_prose *prose, const char *text);

/* A no-break space keeps a number and its unit on one line of a narrow cell. */
#define LAUKA_UNBROKEN "\u00A0"

/* "+2.1 % [+1.2, +3.0]", unbroken. */
const char *lauka_markdown_change(struct lauka_prose *prose, const char *estimate,
                                  const char *interval);

/* ---- markdown.c: GitHub's Markdown ----------------------------------------------------------- */

/* The table of all metrics shown to people, primary ones first; the first function folds it. */
void lauka_markdown_all_metrics(struct lauka_prose *prose, const struct lauka_result *result);
void lauka_markdown_metrics(struct lauka_prose *prose, const struct lauka_result *result);

/* The commands that execute the same bytes as the reference, a paragraph each. */
void lauka_markdown_same(struct lauka_prose *prose, const struct lauka_result *result);

/* The doubts, the notes and the legend, each as a quotation. */
void lauka_markdown_notes(struct lauka_prose *prose, const struct lauka_result *result);

/* How a session ended if it ended badly: what failed and how, "`b` failed with exit code 1 in round
 * 3", or another cause, as a sentence with a capital letter; and the end of the command's stderr, as a paragraph, or
 * nothing. */
const char *lauka_markdown_ending(struct lauka_prose *prose, const struct lauka_result *result,
                                  bool is_sentence);
void lauka_markdown_stderr(struct lauka_prose *prose, const struct lauka_result *result);

/* One line about what was measured, from which commits, when and where, if that is known. */
void lauka_markdown_facts(struct lauka_prose *prose, const struct lauka_session *session);

/* Everything about one benchmark. */
void lauka_markdown_benchmark(struct lauka_prose *prose, const struct lauka_result *result);

/* ---- blocks.c: what stands beside the main table --------------------------------------------- */

/* The gate's verdict as a heading, or below one, and a table of its limits. */
void lauka_markdown_gate(struct lauka_prose *prose, const struct lauka_result *result, bool within);

/* What each of several machines found in the main metric, folded, with a table per command; nothing
 * for a result of one machine. */
void lauka_markdown_hosts(struct lauka_prose *prose, const struct lauka_result *result);

/* Whether some command's values in the metric are known. */
bool lauka_markdown_is_counted(const struct lauka_result *result, size_t metric);

/* Percentiles, folded, one table per counted primary metric. */
void lauka_markdown_percentiles(struct lauka_prose *prose, const struct lauka_result *result);

/* The five functions that made the difference, folded; nothing if nothing is known. */
void lauka_markdown_why(struct lauka_prose *prose, const struct lauka_result *result);

/* ---- overview.c: many benchmarks in Markdown ------------------------------------------------- */

/* As lauka_overview; its sentences have the names of benchmarks as code. */
struct lauka_overview lauka_markdown_overview(struct lauka_prose *prose,
                                              const struct lauka_session *session);

/* "**+5.1 %** [+4.7, +5.6]" for a row; how it failed; a dash if nothing is known. `plain`: not bold. */
const char *lauka_markdown_overview_change(struct lauka_prose *prose,
                                           const struct lauka_overview *overview,
                                           const struct lauka_overview_row *row, bool plain);

/* For a cell: "mostly `parse_numbers`", the function that made the difference; empty if it is not
 * known, and for memory, which no function's instructions explain. */
const char *lauka_markdown_function(struct lauka_prose *prose, const struct lauka_result *result,
                                    size_t command, size_t metric);

/* A benchmark's row of the table: verdict, benchmark, change, limit (if there are any), means; and a
 * row for each further limit that it exceeds. A failure's reason replaces the change. */
void lauka_markdown_overview_row(struct lauka_prose *prose, const struct lauka_overview *overview,
                                 size_t row);

/* The table of the rows with this standing, or with LAUKA_STANDINGS of all that are not folded,
 * without rows in left_out (NULL: none), and a newline; _fold folds them after a mark and their
 * number, with names in about this many columns. Nothing if there are no rows. */
void lauka_markdown_overview_rows(struct lauka_prose *prose, const struct lauka_overview *overview,
                                  enum lauka_standing standing, const bool *left_out);
void lauka_markdown_overview_fold(struct lauka_prose *prose, const struct lauka_overview *overview,
                                  enum lauka_standing standing, const char *mark, int columns,
                                  const bool *left_out);

/* "<details><summary>❌ <code>parse</code>: peak_rss higher</summary>"; the caller closes the element. */
void lauka_markdown_overview_summary(struct lauka_prose *prose,
                                     const struct lauka_overview *overview, size_t row);

/* For several benchmarks: the sentence, the table, each one folded. Returns 0, ENOMEM or an errno of the output. */
int lauka_write_markdown(const struct lauka_session *session, FILE *out);

/* The same for several in at most `room` bytes: it drops details, from the last benchmark on, then
 * everything except the sentence. Also returns EFBIG if not even that fits. */
int lauka_write_markdown_within(const struct lauka_session *session, size_t room, FILE *out);

/* ---- pieces.c: a document that must fit into a limited room drops the least important pieces ----- */

struct lauka_piece {
    const char *text; /* owned by the prose */
    int rank;         /* the lowest rank is dropped first, its last piece first; 0: never */
    bool left_out;
};

struct lauka_pieces {
    struct lauka_prose *prose; /* borrowed */
    struct lauka_piece *pieces;
    size_t count, room;
};

/* Writes the piece with this index from `context`. */
typedef void lauka_piece_writer(const void *context, size_t index);

/* Makes room for at most `most` pieces. */
struct lauka_pieces lauka_pieces(struct lauka_prose *prose, size_t most);

/* Captures what write(context, index) writes to the prose, so that its output gets nothing of it. */
void lauka_pieces_add(struct lauka_pieces *pieces, int rank, lauka_piece_writer *write,
                      const void *context, size_t index);

/* Drops pieces until the sum of their sizes is at most `room`. Returns false if even those that
 * must stay are too large. */
bool lauka_pieces_fit(struct lauka_pieces *pieces, size_t (*size_of)(const char *text),
                      size_t room);

/* Writes the piece, unless it was dropped. */
void lauka_piece_put(const struct lauka_pieces *pieces, size_t index);

#endif
