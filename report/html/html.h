/* A result as one HTML page with pictures. */
#ifndef LAUKA_REPORT_HTML_HTML_H
#define LAUKA_REPORT_HTML_HTML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "report/html/svg.h"
#include "report/plot/plot.h"
#include "report/result/result.h"
#include "report/result/session.h"
#include "report/text/prose.h"
#include "report/words/words.h"

/* A page being written. */
struct lauka_html {
    struct lauka_prose *prose;
    const struct lauka_session *session; /* borrowed */
    const struct lauka_result *result;   /* borrowed; the benchmark that is written */
    struct lauka_svg svg;
    bool within;     /* it shows one benchmark of many: headings are a level lower */
    bool folds;      /* of many, where parts of each are folded */
    bool unpictured; /* some of the benchmarks have no pictures */
};

/* ---- style.c: how the page looks ------------------------------------------------------------- */

/* The contents of both <style> elements, as C has no longer strings, and their SHA-256 in base64: the page's policy
 * permits these and nothing else. */
extern const char lauka_html_style[], lauka_html_tables_style[];
extern const char lauka_html_style_hash[], lauka_html_tables_style_hash[];

/* ---- verdict.c: verdicts with signs and colours ------------------------------------------------ */

enum lauka_tone {
    LAUKA_TONE_PLAIN, /* nothing changed, or nothing is judged */
    LAUKA_TONE_WORSE,
    LAUKA_TONE_BETTER,
    LAUKA_TONE_CHANGED, /* not known whether for the better */
    LAUKA_TONE_UNCLEAR, /* inconclusive */
    LAUKA_TONE_FAIL,    /* a limit is exceeded, or a benchmark failed */
    LAUKA_TONE_PASS,    /* a limit is held */
};

struct lauka_mark {
    enum lauka_tone tone;
    bool rises; /* of a change: the value is higher */
};

/* Whether verdicts about the metric count: it is primary, or has a limit. Others are explored. */
bool lauka_html_decides(const struct lauka_result *result, size_t command, size_t metric);

/* By the session's own interval, for any metric; and by the gate's. */
struct lauka_mark lauka_mark_of(const struct lauka_result *result, size_t command, size_t metric);
struct lauka_mark lauka_mark_of_limit(const struct lauka_result *result,
                                      const struct lauka_gate_row *row);

/* "▲ slower" with our words; as plain text for pictures, and as HTML in its colour. */
const char *lauka_marked(struct lauka_prose *prose, struct lauka_mark mark, const char *words);
const char *lauka_html_marked(struct lauka_prose *prose, struct lauka_mark mark, const char *words);

/* The last letter of the styles for intervals, estimates and texts in pictures: 'r' is worse, 'l' better, 'n' neither. */
char lauka_svg_tone(struct lauka_mark mark);

/* ---- blocks.c: what has words and numbers ---------------------------------------------------- */

/* "<b>B</b> <code>./b</code>", or only the letter, in its colour, for a command that has no other name. */
const char *lauka_html_command(const struct lauka_html *html, size_t command);

enum { LAUKA_HTML_NAME_WIDTH = 60 }; /* for a benchmark in a heading, in columns */

/* A sentence about the command and the reference; marks stand for their names as in words/said.h. */
const char *lauka_html_sentence(const struct lauka_html *html, size_t command, const char *text);

void lauka_html_gate(const struct lauka_html *html);

/* A section with a table per command; nothing if nothing is known. */
void lauka_html_why(const struct lauka_html *html);

void lauka_html_summaries(const struct lauka_html *html);

/* Of all commands in this metric, side by side with the reference's. */
void lauka_html_percentiles(const struct lauka_html *html, size_t metric);

void lauka_html_session(const struct lauka_html *html);

/* ---- chart_shift.c, chart_spread.c, chart_order.c, chart_forest.c ---------------------------- */

/* Each writes a <figure>, or nothing if there is nothing to show. `command` is compared with the
 * reference, or is alone. */
void lauka_chart_shift(const struct lauka_picture *picture, size_t command, struct lauka_svg *svg);
void lauka_chart_ecdf(const struct lauka_picture *picture, size_t command, struct lauka_svg *svg);
void lauka_chart_histogram(const struct lauka_picture *picture, size_t command,
                           struct lauka_svg *svg);
/* For all commands. */
void lauka_chart_order(const struct lauka_picture *picture, struct lauka_svg *svg);
/* Every command in one metric; for two commands, every metric. */
void lauka_chart_forest(const struct lauka_result *result, size_t metric, struct lauka_svg *svg);

/* What each of several hosts found about one command in the metric. */
void lauka_chart_hosts(const struct lauka_result *result, size_t command, size_t metric,
                       struct lauka_svg *svg);

/* ---- overview.c: many benchmarks at a glance ----------------------------------------------------- */

/* The benchmark's verdict with its sign: "▲ slower"; "✗ FAIL" beyond a limit. */
const char *lauka_html_standing(struct lauka_prose *prose, const struct lauka_overview *overview,
                                const struct lauka_overview_row *row);

/* A table of all benchmarks with links to their sections; anchors: by benchmark. */
void lauka_html_contents(struct lauka_prose *prose, const struct lauka_overview *overview,
                         const char *const *anchors);

/* ---- page.c: the page ------------------------------------------------------------------------ */

/* Writes everything up to <body>. title: safe in HTML. */
void lauka_html_begin(struct lauka_prose *prose, const char *title);

/* Writes one file with pictures that loads nothing else; for one benchmark it has less than 1 MB,
 * for any number of runs. For several it begins with a table with links, the worst first, then has
 * a section for each, with its name as anchor. Returns 0, ENOMEM or an errno of the output. */
int lauka_write_html(const struct lauka_session *session, FILE *out);

#endif
