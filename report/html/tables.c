/* The numbers of the page as tables: the same cells that the terminal and the pull request get. */
#include "report/html/html.h"
#include "report/html/svg.h"
#include "report/plot/plot.h"
#include "report/result/merged.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "report/words/words.h"
#include "stats/histogram.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_WIDTH = 40, SESSION_WIDTH = 1000, HEADING_WIDTH = 60 };

void lauka_html_open_table(const struct lauka_html *html, const char *label, const char *caption,
                           const struct lauka_html_title *titles, size_t count)
{
    fputs("<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"", html->out);
    lauka_html_text(label, html->out);
    fputs("\">\n<table>\n<caption>", html->out);
    lauka_html_text(caption, html->out);
    fputs("</caption>\n", html->out);
    for (size_t i = 0; i < count; i++) {
        fputs(i > 0 ? "" : "<thead><tr>", html->out);
        lauka_html_cell(html, titles[i].left ? "th scope=\"col\" class=\"v\"" : "th scope=\"col\"",
                        titles[i].text);
        fputs(i + 1 < count ? "" : "</tr></thead>\n<tbody>\n", html->out);
    }
}

void lauka_html_close_table(const struct lauka_html *html)
{
    fputs("</table>\n</div>\n", html->out);
}

void lauka_html_cell(const struct lauka_html *html, const char *element, const char *text)
{
    fprintf(html->out, "<%s>", element);
    lauka_html_text(text, html->out);
    fprintf(html->out, "</%.2s>", element); /* td or th, without what else stands there */
}

static void put_letter(const struct lauka_html *html, size_t command, const char *element)
{
    char letter[8];
    fprintf(html->out, "<%s><b class=\"%c\">%s</b></%.2s>", element, command == 0 ? 'a' : 'b',
            lauka_letter(command, letter), element);
}

/* ---- summaries ------------------------------------------------------------------------------- */

static void put_mean(const struct lauka_html *html, const struct lauka_cells *cells)
{
    const char *deviation = cells->text[LAUKA_CELL_DEVIATION];
    const char *unit = cells->text[LAUKA_CELL_UNIT];
    fprintf(html->out, "<td>%s", cells->text[LAUKA_CELL_MEAN]);
    if (*deviation)
        fprintf(html->out, " ± %s", deviation);
    if (*unit)
        fprintf(html->out, " %s", unit);
    if (*cells->text[LAUKA_CELL_SHARE])
        fprintf(html->out, " (%s)", cells->text[LAUKA_CELL_SHARE]);
    fputs("</td>", html->out);
}

static void put_range(const struct lauka_html *html, const struct lauka_cells *cells)
{
    fputs("<td>", html->out);
    if (*cells->text[LAUKA_CELL_LEAST])
        fprintf(html->out, "%s … %s", cells->text[LAUKA_CELL_LEAST], cells->text[LAUKA_CELL_MOST]);
    fputs("</td>", html->out);
}

/* Changes that are certain and matter are bold. */
static void put_comparison(const struct lauka_html *html, const struct lauka_cells *cells)
{
    bool weighty = cells->better || cells->worse;
    lauka_html_cell(html, "td", cells->text[LAUKA_CELL_CHANGE]);
    lauka_html_cell(html, "td", cells->text[LAUKA_CELL_INTERVAL]);
    lauka_html_cell(html, weighty ? "td class=\"v w\"" : "td class=\"v\"",
                    cells->text[LAUKA_CELL_VERDICT]);
    lauka_html_cell(html, "td", cells->text[LAUKA_CELL_EFFECT]);
}

static void put_row(const struct lauka_html *html, size_t command, size_t metric)
{
    const size_t commands = html->result->command_count;
    struct lauka_cells cells;
    lauka_result_cells(html->result, command, metric, true, &cells);
    fputs("<tr>", html->out);
    if (command == 0) {
        fprintf(html->out, "<th scope=\"rowgroup\" rowspan=\"%zu\">", commands);
        lauka_html_name(html->result->metrics[metric].name, NAME_WIDTH, html->out);
        fputs("</th>", html->out);
    }
    if (commands > 1)
        put_letter(html, command, "th scope=\"row\"");
    put_mean(html, &cells);
    put_range(html, &cells);
    lauka_html_cell(html, "td", cells.text[LAUKA_CELL_OUTLIERS]);
    if (commands > 1)
        put_comparison(html, &cells);
    fputs("</tr>\n", html->out);
}

static void put_titles(const struct lauka_html *html)
{
    char interval[48];
    snprintf(interval, sizeof interval, "%.3g %% interval",
             100 * lauka_result_confidence(html->result));
    fputs("<thead><tr><th scope=\"col\">Metric</th>", html->out);
    if (html->result->command_count > 1)
        fputs("<th scope=\"col\" aria-label=\"Command\"></th>", html->out);
    fputs("<th scope=\"col\">Mean ± σ</th><th scope=\"col\">Min … max</th>"
          "<th scope=\"col\">Outliers</th>",
          html->out);
    if (html->result->command_count > 1) {
        fputs("<th scope=\"col\">Change</th>", html->out);
        lauka_html_cell(html, "th scope=\"col\"", interval);
        fputs("<th scope=\"col\" class=\"v\">Verdict</th><th scope=\"col\">d</th>", html->out);
    }
    fputs("</tr></thead>\n", html->out);
}

/* Metrics that decide, then the others. */
void lauka_html_summaries(const struct lauka_html *html)
{
    const struct lauka_result *result = html->result;
    const char *caption =
        result->command_count > 1 ? "All metrics; changes are against A" : "All metrics";
    lauka_html_open_table(html, caption, caption, NULL, 0);
    put_titles(html);
    for (size_t place = 0, m; lauka_next_metric(result, &place, &m);) {
        bool decides = result->metrics[m].primary || result->command_count < 2;
        fprintf(html->out, "<tbody%s>\n", decides ? "" : " class=\"explored\"");
        for (size_t c = 0; c < result->command_count; c++)
            put_row(html, c, m);
        fputs("</tbody>\n", html->out);
    }
    lauka_html_close_table(html);
    if (result->command_count > 1)
        fputs("<p class=\"aside\">Metrics in grey are explored: of many, some move by chance. d is "
              "Cohen’s: the difference of the means in standard deviations.</p>\n",
              html->out);
}

static void put_rank(const struct lauka_html *html, size_t metric,
                     const struct lauka_result_quantiles *quantiles, size_t rank)
{
    const struct lauka_result *result = html->result;
    struct lauka_result_view views[2] = {lauka_result_view(result, 0, metric)};
    double values[2] = {(double)quantiles[0].values[rank]};
    char text[LAUKA_QUANTILE_SIZE];
    fputs("<tr>", html->out);
    lauka_html_cell(html, "th scope=\"row\"",
                    lauka_format_rank(lauka_summary_ranks[rank], text, sizeof text));
    for (size_t c = 0; c < result->command_count; c++) {
        bool shown = lauka_rank_has_values(lauka_summary_ranks[rank], quantiles[c].count);
        bool both = shown && lauka_rank_has_values(lauka_summary_ranks[rank], quantiles[0].count);
        views[1] = lauka_result_view(result, c, metric);
        values[1] = (double)quantiles[c].values[rank];
        lauka_html_cell(html, "td",
                        shown
                            ? lauka_quantile_value(result, metric, &views[1], values[1], true, text)
                            : lauka_dash(true));
        if (c > 0)
            lauka_html_cell(html, "td",
                            both ? lauka_quantile_change(views, values, true, text)
                                 : lauka_dash(true));
    }
    fputs("</tr>\n", html->out);
}

static void put_rank_titles(const struct lauka_html *html)
{
    fputs("<thead><tr><th scope=\"col\">%</th>", html->out);
    for (size_t c = 0; c < html->result->command_count; c++) {
        put_letter(html, c, "th scope=\"col\"");
        if (c > 0)
            fputs("<th scope=\"col\">change</th>", html->out);
    }
    fputs("</tr></thead>\n<tbody>\n", html->out);
}

static bool any_has(const struct lauka_result *result,
                    const struct lauka_result_quantiles *quantiles, size_t rank)
{
    bool found = false;
    for (size_t c = 0; c < result->command_count; c++)
        found |= lauka_rank_has_values(lauka_summary_ranks[rank], quantiles[c].count);
    return found;
}

int lauka_html_percentiles(const struct lauka_html *html, size_t metric)
{
    const struct lauka_result *result = html->result;
    const struct lauka_scale scale = lauka_result_scale(result, metric, true);
    const char *noun = lauka_metric_noun(result->metrics[metric].name);
    char caption[128];
    struct lauka_result_quantiles *quantiles = calloc(result->command_count, sizeof *quantiles);
    int error = quantiles ? 0 : ENOMEM;
    for (size_t c = 0; c < result->command_count && !error; c++)
        error = lauka_result_quantiles(result, c, metric, &quantiles[c]);
    if (!error && any_has(result, quantiles, 0)) {
        snprintf(caption, sizeof caption, "Percentiles of %.60s%s%s", *noun ? noun : "the values",
                 *scale.suffix ? ", " : "", scale.suffix);
        lauka_html_open_table(html, caption, caption, NULL, 0);
        put_rank_titles(html);
        for (size_t i = 0; i < LAUKA_SUMMARY_RANKS; i++)
            if (any_has(result, quantiles, i))
                put_rank(html, metric, quantiles, i);
        fputs("</tbody>\n", html->out);
        lauka_html_close_table(html);
    }
    free(quantiles);
    return error;
}

/* ---- the session ----------------------------------------------------------------------------- */

static void put_fact(const struct lauka_html *html, const char *name, const char *text)
{
    if (!text || !*text)
        return;
    fputs("<tr>", html->out);
    lauka_html_cell(html, "th scope=\"row\"", name);
    fputs("<td>", html->out);
    lauka_html_name(text, SESSION_WIDTH, html->out);
    fputs("</td></tr>\n", html->out);
}

static void put_hosts(const struct lauka_html *html)
{
    const struct lauka_result_merged *merged = &html->result->merged;
    for (size_t h = 0; h < merged->host_count; h++) {
        char name[200], text[600];
        snprintf(name, sizeof name, "Host %.180s", merged->hosts[h].name);
        lauka_machine_facts(merged->hosts[h].about, true, text, sizeof text);
        put_fact(html, name, text);
    }
}

static void put_host(const struct lauka_html *html)
{
    const struct lauka_result_host *host = &html->result->host;
    char text[256], number[48];
    snprintf(text, sizeof text, "%.60s %.80s %.40s", host->os ? host->os : "",
             host->kernel ? host->kernel : "", host->arch ? host->arch : "");
    put_fact(html, "System", host->os ? text : NULL);
    put_fact(html, "Processor", host->cpu_model);
    snprintf(text, sizeof text, "%" PRIu64, host->cpu_count);
    put_fact(html, "CPUs it may use", host->cpu_count > 0 ? text : NULL);
    struct lauka_scale scale = lauka_scale_for((double)host->memory_bytes, "B", true);
    snprintf(text, sizeof text, "%s %s",
             lauka_format_scaled((double)host->memory_bytes, scale, number, sizeof number),
             scale.suffix);
    put_fact(html, "Memory", host->memory_bytes > 0 ? text : NULL);
}

void lauka_html_session(const struct lauka_html *html)
{
    const struct lauka_result *result = html->result;
    fputs("<h4>Session</h4>\n<div class=\"scroll\"><table class=\"facts\">\n", html->out);
    for (size_t c = 0; c < result->command_count; c++) {
        char letter[8];
        if (lauka_display_width(result->commands[c].label) <= HEADING_WIDTH)
            continue; /* the key has it in full */
        put_fact(html, lauka_letter(c, letter),
                 *result->commands[c].label ? result->commands[c].label : "\"\"");
    }
    if (lauka_result_has_hosts(html->result))
        put_hosts(html);
    else
        put_host(html);
    put_fact(html, "lauka", LAUKA_VERSION);
    fputs("</table></div>\n", html->out);
}
