/* The parts of the page. */
#ifndef LAUKA_REPORT_HTML_H
#define LAUKA_REPORT_HTML_H

#include "report/svg.h"

/* html_style.c: what stands between <style> and </style>, and its SHA-256 in base64: the page's
 * policy lets in this style and nothing else. */
extern const char lauka_html_style[];
extern const char lauka_html_style_hash[];

struct lauka_html {
    const struct lauka_result *result;
    FILE *out;
    struct lauka_svg svg;
};

/* "<b>B</b> <code>./b</code>", cut to `width` columns. */
void lauka_html_command(const struct lauka_html *html, size_t command, int width);

/* html_gate.c */
void lauka_html_gate(const struct lauka_html *html);

/* html_tables.c */
void lauka_html_summaries(const struct lauka_html *html);
int lauka_html_percentiles(const struct lauka_html *html, size_t metric); /* 0 or ENOMEM */
void lauka_html_session(const struct lauka_html *html);

#endif
