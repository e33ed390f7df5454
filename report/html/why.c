/* Which functions made the difference, as a table of the page. */
#include "report/html/html.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "report/words/calls.h"
#include "report/words/said.h"
#include "report/words/sampled.h"
#include "report/words/why.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void put_paragraph(const struct lauka_html *html, const char *text)
{
    fputs("<p>", html->out);
    lauka_html_prose(text, html->out);
    fputs("</p>\n", html->out);
}

/* Which of its lines changed most, where they are known. */
static void put_lines(const struct lauka_html *html, const struct lauka_why_function *function)
{
    fputs("<td class=\"v l\">", html->out);
    for (size_t l = 0; function && l < function->line_count; l++) {
        const struct lauka_why_line *line = &function->lines[l];
        int64_t change = lauka_why_change(line->instructions);
        char text[80];
        snprintf(text, sizeof text, ":%" PRIu64 "\u00A0%s%" PRIu64 "%s", line->line,
                 lauka_sign((double)change, true),
                 change < 0 ? (uint64_t)-change : (uint64_t)change,
                 l + 1 < function->line_count ? ", " : "");
        lauka_html_text(text, html->out);
    }
    fputs("</td>", html->out);
}

static void put_row(const struct lauka_html *html, const struct lauka_why_row *row, bool counted)
{
    fputs("<tr>", html->out);
    lauka_html_cell(html, "th scope=\"row\"", row->text[LAUKA_WHY_NAME]);
    lauka_html_cell(html, "td", row->text[LAUKA_WHY_CHANGE]);
    lauka_html_cell(html, "td class=\"v\"", row->text[LAUKA_WHY_PLACE]);
    lauka_html_cell(html, "td class=\"v\"", row->text[LAUKA_WHY_SIDES]);
    if (counted)
        put_lines(html, row->function);
    fputs("</tr>\n", html->out);
}

/* Of what was counted, lines are known, too. */
static void put_table(const struct lauka_html *html, const struct lauka_why_row *rows, size_t count,
                      bool counted)
{
    const struct lauka_html_title titles[] = {{"Function", false},
                                              {counted ? "Instructions" : "Share", false},
                                              {"Where", true},
                                              {"Before and after", true},
                                              {"Lines that changed most", true}};
    if (count == 0)
        return;
    lauka_html_open_table(html, counted ? "Functions" : "Samples",
                          counted ? "Functions that made the difference"
                                  : "Functions whose share of the time changed",
                          titles, counted ? 5 : 4);
    for (size_t r = 0; r < count; r++)
        put_row(html, &rows[r], counted);
    fputs("</tbody>\n", html->out);
    lauka_html_close_table(html);
}

static void put_why(const struct lauka_html *html, const struct lauka_why *why,
                    struct lauka_why_row *rows)
{
    char text[2048];
    size_t count = lauka_why_rows(why, LAUKA_WHY_ROWS_MOST, true, rows);
    fputs("<p>", html->out);
    lauka_html_sentence(
        html, why->command,
        lauka_why_sentence(why, LAUKA_SAID_OWN, LAUKA_SAID_REFERENCE, true, text, sizeof text));
    fputs(count > 0 ? ":</p>\n" : ".</p>\n", html->out);
    put_table(html, rows, count, true);
    if (lauka_why_cycles(why, true, text, sizeof text))
        put_paragraph(html, text);
    if (lauka_why_advice(why, true, text, sizeof text))
        put_paragraph(html, text);
}

static void put_sampled(const struct lauka_html *html, const struct lauka_sampled *sampled,
                        struct lauka_why_row *rows)
{
    char text[2048], name[LAUKA_SUBJECT_SIZE], line[2048 + LAUKA_SUBJECT_SIZE];
    size_t count = lauka_sampled_rows(sampled, LAUKA_WHY_ROWS_MOST, true, rows);
    lauka_result_subject(html->result, sampled->command, true, name);
    lauka_sampled_sentence(html->result, sampled, true, text, sizeof text);
    snprintf(line, sizeof line, "%s: %s", name, text);
    put_paragraph(html, line);
    put_table(html, rows, count, false);
    if (sampled->standing != LAUKA_SAMPLED_NOT_KNOWN)
        put_paragraph(html, lauka_sampled_setting(html->result, sampled, text, sizeof text));
    if (lauka_sampled_advice(sampled, true, text, sizeof text))
        put_paragraph(html, text);
}

int lauka_html_why(const struct lauka_html *html)
{
    if (!lauka_result_tells_why(html->result))
        return 0;
    struct lauka_why_row *rows = calloc(LAUKA_WHY_ROWS_MOST, sizeof *rows);
    if (!rows)
        return ENOMEM;
    fprintf(html->out, "<section>\n<%s>Why</%s>\n", html->within ? "h3" : "h2",
            html->within ? "h3" : "h2");
    for (size_t c = 1; c < html->result->command_count; c++) {
        char text[2048];
        const struct lauka_why *why = lauka_counted_of(html->result, c);
        const struct lauka_sampled *sampled = lauka_sampled_of(html->result, c);
        if (why)
            put_why(html, why, rows);
        if (lauka_calls_sentence(html->result, c, true, text, sizeof text))
            put_paragraph(html, text);
        if (sampled)
            put_sampled(html, sampled, rows);
    }
    fputs("</section>\n", html->out);
    free(rows);
    return 0;
}
