/* GitHub's Markdown: the wall time of every command, then all metrics folded, then what else one should
 * know. Nothing that others wrote can end a cell, open a tag or mention a person. */
#include "report/markdown/markdown.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "report/words/said.h"
#include "report/words/words.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Columns. If a command is longer, the folded table refers to it by number. */
enum { SHORT_NAME_WIDTH = 30 };

/* ---- tables ---------------------------------------------------------------------------------- */

struct page {
    const struct lauka_result *result;
    char **names;  /* owned: each command as code, for tables */
    bool numbered; /* commands are numbered */
    bool narrow;   /* a comment's 780 pixels hold means, changes and verdicts */
    FILE *out;
};

/* A no-break space keeps a number and its unit on one line of a narrow cell. */
void lauka_markdown_mean(const struct lauka_cells *cells, FILE *out)
{
    const char *deviation = cells->text[LAUKA_CELL_DEVIATION];
    const char *unit = cells->text[LAUKA_CELL_UNIT];
    fputs(cells->text[LAUKA_CELL_MEAN], out);
    if (*deviation)
        fprintf(out, "\u00A0±\u00A0%s", deviation);
    if (*unit)
        fprintf(out, "\u00A0%s", unit);
    if (*cells->text[LAUKA_CELL_SHARE])
        fprintf(out, " (%s)", cells->text[LAUKA_CELL_SHARE]);
}

static void put_range(const struct lauka_cells *cells, FILE *out)
{
    if (*cells->text[LAUKA_CELL_LEAST])
        fprintf(out, "%s\u00A0…\u00A0%s", cells->text[LAUKA_CELL_LEAST],
                cells->text[LAUKA_CELL_MOST]);
}

/* Changes that are certain and matter are bold. */
static void put_comparison(const struct lauka_cells *cells, FILE *out)
{
    const char *interval = cells->text[LAUKA_CELL_INTERVAL];
    const char *weight = cells->better || cells->worse ? "**" : "";
    const char *verdict = cells->text[LAUKA_CELL_VERDICT];
    fprintf(out, " %s", cells->text[LAUKA_CELL_CHANGE]);
    if (*interval)
        fprintf(out, "\u00A0%s", interval);
    if (*verdict)
        fprintf(out, " | %s%s%s", weight, verdict, weight);
    else
        fputs(" | ", out);
    fprintf(out, " | %s |\n", cells->text[LAUKA_CELL_EFFECT]);
}

/* "change | verdict |": what fits into a comment's width. */
static void put_short_comparison(const struct lauka_cells *cells, FILE *out)
{
    const char *interval = cells->text[LAUKA_CELL_INTERVAL];
    const char *weight = cells->better || cells->worse ? "**" : "";
    const char *verdict = cells->text[LAUKA_CELL_VERDICT];
    fputs(" | ", out);
    lauka_markdown_unbroken(cells->text[LAUKA_CELL_CHANGE], out);
    fputs(*interval ? "\u00A0" : "", out);
    lauka_markdown_unbroken(interval, out);
    fprintf(out, " | %s%s%s |\n", *verdict ? weight : "", verdict, *verdict ? weight : "");
}

/* The cells of a row after its names. */
static void put_cells(const struct page *page, size_t command, size_t metric)
{
    struct lauka_cells cells;
    lauka_result_cells(page->result, command, metric, true, &cells);
    lauka_markdown_mean(&cells, page->out);
    if (page->narrow && page->result->command_count > 1) {
        put_short_comparison(&cells, page->out);
        return;
    }
    fputs(" | ", page->out);
    put_range(&cells, page->out);
    fprintf(page->out, " | %s |", cells.text[LAUKA_CELL_OUTLIERS]);
    if (page->result->command_count > 1)
        put_comparison(&cells, page->out);
    else
        fputc('\n', page->out);
}

static void put_titles(const struct page *page, const char *names, const char *dashes)
{
    bool compared = page->result->command_count > 1;
    if (page->narrow && compared) {
        fprintf(page->out, "|%s Mean ± σ | Change | Verdict |\n|%s--:|--:|:--|\n", names, dashes);
        return;
    }
    fprintf(page->out, "|%s Mean ± σ | Min … max | Outliers |%s\n", names,
            compared ? " Change | Verdict | d |" : "");
    fprintf(page->out, "|%s--:|--:|--:|%s\n", dashes, compared ? "--:|:--|--:|" : "");
}

static void put_overview(const struct page *page, size_t metric)
{
    if (page->numbered)
        put_titles(page, " # | Command |", "--:|:--|");
    else
        put_titles(page, " Command |", ":--|");
    for (size_t c = 0; c < page->result->command_count; c++) {
        if (page->numbered)
            fprintf(page->out, "| %zu ", c + 1);
        fprintf(page->out, "| %s | ", page->names[c]);
        put_cells(page, c, metric);
    }
}

static void put_metric(const struct page *page, size_t metric)
{
    for (size_t c = 0; c < page->result->command_count; c++) {
        char *name = c == 0 ? lauka_markdown_code(page->result->metrics[metric].name, true) : NULL;
        fprintf(page->out, "| %s | ", name ? name : "");
        free(name);
        if (page->numbered)
            fprintf(page->out, "%zu | ", c + 1);
        else if (page->result->command_count > 1)
            fprintf(page->out, "%s | ", page->names[c]);
        put_cells(page, c, metric);
    }
}

/* Primary metrics come first. */
static void put_metrics(const struct page *page)
{
    const struct lauka_result *result = page->result;
    if (page->numbered)
        put_titles(page, " Metric | # |", ":--|--:|");
    else if (result->command_count > 1)
        put_titles(page, " Metric | Command |", ":--|:--|");
    else
        put_titles(page, " Metric |", ":--|");
    for (size_t place = 0, m; lauka_next_metric(result, &place, &m);)
        put_metric(page, m);
}

static void put_details(const struct page *page)
{
    const struct lauka_result *result = page->result;
    size_t primaries = lauka_result_primaries(result, false),
           metrics = lauka_result_shown_count(result);
    fprintf(page->out,
            metrics == 1 ? "<details><summary>The metric" : "<details><summary>All %zu metrics",
            metrics);
    if (result->command_count > 1 && primaries > 0 && primaries < metrics)
        fprintf(page->out,
                primaries == 1 ? "; the first decides, the others are exploratory"
                               : "; the first %zu decide, the others are exploratory",
                primaries);
    fputs("</summary>\n\n", page->out);
    put_metrics(page);
    fputs("\n</details>\n\n", page->out);
}

/* ---- prose ----------------------------------------------------------------------------------- */

/* Names are code; all else in sentences is ours, but for notes. */
static void put_said(const struct page *page, const struct lauka_said *said)
{
    if (said->kind == LAUKA_SAID_NOTE) {
        lauka_markdown_prose(said->text, page->out);
        return;
    }
    char *own = lauka_markdown_name(page->result, said->command, false);
    char *reference = lauka_markdown_name(page->result, 0, false);
    char *text = lauka_said_text(said, own ? own : "?", reference ? reference : "?");
    fputs(text ? text : "?", page->out);
    free(text);
    free(reference);
    free(own);
}

static void put_answers(const struct page *page)
{
    struct lauka_said said = {0};
    for (bool first = true; lauka_said_next_answer(page->result, true, &said); first = false) {
        fputs(first ? "" : "<br>\n", page->out);
        put_said(page, &said);
    }
    fputs("\n\n", page->out);
}

/* The word in front prevents a note from being read as a list or a heading. */
static void put_notes(const struct page *page)
{
    struct lauka_said said = {0};
    while (lauka_said_next_remark(page->result, true, &said)) {
        fputs("> note: ", page->out);
        put_said(page, &said);
        fputs("\n\n", page->out);
    }
}

/* Which commands execute the same bytes as the reference. */
void lauka_markdown_same(const struct lauka_result *result, FILE *out)
{
    const struct page page = {.result = result, .out = out};
    struct lauka_said said = {0};
    while (lauka_said_next_answer(result, true, &said)) {
        if (said.kind != LAUKA_SAID_SAME)
            continue;
        put_said(&page, &said);
        fputs("\n\n", out);
    }
}

static int put_page(const struct page *page)
{
    size_t metric = lauka_result_main_metric(page->result);
    char course[512];
    if (!lauka_result_ended_well(page->result)) {
        lauka_markdown_ending(page->result, page->out);
        fputs(".\n\n", page->out);
        lauka_markdown_stderr(page->result, page->out);
    }
    if (lauka_result_has_gate(page->result))
        lauka_markdown_gate(page->result, false, page->out);
    put_answers(page);
    if (metric < page->result->metric_count)
        put_overview(page, metric);
    fputc('\n', page->out);
    lauka_markdown_hosts(page->result, page->out);
    if (lauka_result_shown_count(page->result) > 1)
        put_details(page);
    int error = lauka_markdown_fold_percentiles(page->result, page->out);
    put_notes(page);
    lauka_result_course(page->result, true, course, sizeof course);
    fprintf(page->out, "<sub>%s</sub>\n", course);
    return error;
}

/* ---- pages ------------------------------------------------------------------------------------ */

static int open_page(struct page *page, const struct lauka_result *result, FILE *out)
{
    *page = (struct page){.result = result, .out = out};
    page->names = calloc(result->command_count + 1, sizeof *page->names);
    if (!page->names)
        return ENOMEM;
    for (size_t c = 0; c < result->command_count; c++) {
        page->names[c] = lauka_markdown_name(result, c, true);
        if (!page->names[c])
            return ENOMEM;
        page->numbered |= result->command_count > 1 &&
                          lauka_display_width(result->commands[c].label) > SHORT_NAME_WIDTH;
    }
    return 0;
}

static void close_page(struct page *page)
{
    for (size_t c = 0; page->names && c < page->result->command_count; c++)
        free(page->names[c]);
    free(page->names);
}

int lauka_markdown_all_metrics(const struct lauka_result *result, FILE *out)
{
    struct page page;
    int error = open_page(&page, result, out);
    page.narrow = true;
    if (!error)
        put_details(&page);
    close_page(&page);
    return error;
}

int lauka_markdown_metrics(const struct lauka_result *result, FILE *out)
{
    struct page page;
    int error = open_page(&page, result, out);
    page.narrow = true;
    if (!error)
        put_metrics(&page);
    close_page(&page);
    return error;
}

void lauka_markdown_notes(const struct lauka_result *result, FILE *out)
{
    put_notes(&(struct page){.result = result, .out = out});
}

int lauka_markdown_benchmark(const struct lauka_result *result, FILE *out)
{
    struct page page;
    errno = 0;
    int error = open_page(&page, result, out);
    if (!error)
        error = put_page(&page);
    close_page(&page);
    return error ? error : lauka_finish(out);
}
