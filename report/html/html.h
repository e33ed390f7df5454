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

/* A page being written. */
struct lauka_html {
    struct lauka_prose *prose;
    const struct lauka_result *result;
    struct lauka_svg svg;
    bool within;     /* it shows one benchmark of many: headings are a level lower */
    bool unpictured; /* some of the benchmarks have no pictures */
};

/* ---- style.c: how the page looks ------------------------------------------------------------- */

/* The content between <style> and </style>, and its SHA-256 in base64: the page's policy permits
 * this style and nothing else. */
extern const char lauka_html_style[];
extern const char lauka_html_style_hash[];

/* The same for the additional style of a page with many benchmarks. */
extern const char lauka_html_many_style[];
extern const char lauka_html_many_style_hash[];

/* ---- blocks.c: what has words and numbers ---------------------------------------------------- */

/* "<b>B</b> <code>./b</code>", or the letter alone for a command that has no other name. */
const char *lauka_html_command(const struct lauka_html *html, size_t command);

enum { LAUKA_HTML_NAME_WIDTH = 60 }; /* for a benchmark in a heading, in columns */

/* A sentence about the command and the reference; marks stand for their names as in words/said.h. */
const char *lauka_html_sentence(const struct lauka_html *html, size_t command, const char *text);

void lauka_html_gate(const struct lauka_html *html);

/* A section with a table per command; nothing if nothing is known. */
void lauka_html_why(const struct lauka_html *html);

void lauka_html_summaries(const struct lauka_html *html);
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

/* ---- page.c: the page ------------------------------------------------------------------------ */

/* Writes one file with pictures that loads nothing else; for one benchmark it has less than 1 MB,
 * for any number of runs. For several it begins with a table with links, the worst first, then has
 * a section for each, with its name as anchor. Returns 0, ENOMEM or an errno of the output. */
int lauka_write_html(const struct lauka_session *session, FILE *out);

#endif
