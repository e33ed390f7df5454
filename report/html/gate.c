/* The gate on the page: what it comes to, and a row a limit. */
#include "report/html/html.h"
#include "report/html/svg.h"
#include "report/analysis/analysis.h"
#include "report/result/result.h"
#include "report/words/words.h"

#include <stdio.h>
#include <string.h>

static void put(const struct lauka_html *html, const char *element, const char *text)
{
    fprintf(html->out, "<%s>", element);
    lauka_html_prose(text, html->out);
    fprintf(html->out, "</%.2s>", element); /* without what else stands there */
}

static void put_row(const struct lauka_html *html, const struct lauka_gate_row *row)
{
    struct lauka_gate_cells cells;
    lauka_gate_row_cells(html->result, row, true, &cells);
    fputs("<tr>", html->out);
    bool failed = strcmp(lauka_gate_row_sign(html->result, row), "FAIL") == 0;
    put(html, failed ? "th scope=\"row\" class=\"w\"" : "th scope=\"row\"",
        cells.text[LAUKA_GATE_CELL_VERDICT]);
    put(html, "td class=\"v\"", cells.text[LAUKA_GATE_CELL_METRIC]);
    fputs("<td class=\"v\">", html->out);
    if (html->result->gate.tried)
        lauka_html_text(cells.text[LAUKA_GATE_CELL_COMMAND], html->out);
    else
        lauka_html_command(html, row->command, 40);
    fputs("</td>", html->out);
    put(html, "td", cells.text[LAUKA_GATE_CELL_CHANGE]);
    put(html, "td", cells.text[LAUKA_GATE_CELL_LIMIT]);
    put(html, "td class=\"v\"", cells.text[LAUKA_GATE_CELL_REMARK]);
    fputs("</tr>\n", html->out);
}

static void put_rows(const struct lauka_html *html)
{
    const struct lauka_result_gate *gate = &html->result->gate;
    char figures[80];
    snprintf(figures, sizeof figures, "%s, %.3g\u00A0%% interval", lauka_gate_figures(html->result),
             100 * (1 - lauka_gate_alpha(html->result)));
    const struct lauka_html_title titles[] = {{"Verdict", false}, {"Metric", true},
                                              {"Command", true},  {figures, false},
                                              {"Limit", false},   {"Remark", true}};
    lauka_html_open_table(html, "Limits", "Limits", titles, sizeof titles / sizeof *titles);
    for (size_t i = 0; i < gate->row_count; i++)
        put_row(html, &gate->rows[i]);
    fputs("</tbody>\n", html->out);
    lauka_html_close_table(html);
}

void lauka_html_gate(const struct lauka_html *html)
{
    char text[1024];
    fputs("<section>\n", html->out);
    lauka_gate_headline(html->result, true, text, sizeof text);
    put(html, html->within ? "h3" : "h2", text);
    if (html->result->gate.row_count > 0)
        put_rows(html);
    fputs("<ul class=\"notes\">\n", html->out);
    for (size_t place = 0; lauka_gate_next_note(html->result, true, &place, text, sizeof text);) {
        put(html, "li", text);
        fputc('\n', html->out);
    }
    fputs("</ul>\n</section>\n", html->out);
}
