/* GitHub's Markdown: the wall time of every command, then all metrics folded, then what else is to
 * be known. Nothing that others wrote can end a cell, open a tag or call a person. */
#include "report/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Columns. A longer command is cut in the middle; where one is longer than short, the folded table
 * says numbers instead of repeating it. */
enum { NAME_WIDTH = 80, SHORT_NAME_WIDTH = 30 };

/* ---- text of others -------------------------------------------------------------------------- */

static size_t longest_run_of_backquotes(const char *text)
{
    size_t longest = 0;
    for (; *text; text++) {
        size_t run = strspn(text, "`");
        longest = run > longest ? run : longest;
    }
    return longest;
}

static char *put_text(char *end, const char *text)
{
    size_t length = strlen(text);
    memcpy(end, text, length + 1);
    return end + length;
}

static char *put_fence(char *end, size_t length)
{
    memset(end, '`', length);
    end[length] = 0;
    return end + length;
}

/* A backslash before a bar can not be said in the code span of a table: the table takes both away
 * before the span is looked at. Then it is HTML, with every mark of Markdown as an entity. */
static char *code_element(const char *text)
{
    char *element = malloc(6 * strlen(text) + sizeof "<code></code>"), *end = element;
    if (!element)
        return NULL;
    end = put_text(end, "<code>");
    for (; *text; text++) {
        bool plain = (unsigned char)*text >= 0x80 || *text == ' ' || *text == '/' ||
                     strchr("0123456789", *text) || (*text >= 'A' && *text <= 'Z') ||
                     (*text >= 'a' && *text <= 'z');
        end += plain ? sprintf(end, "%c", *text) : sprintf(end, "&#%d;", *text);
    }
    put_text(end, "</code>");
    return element;
}

/* Within a table a bar is escaped, even in code; elsewhere it must not be. */
static char *code_span(const char *text, bool in_table)
{
    size_t fence = longest_run_of_backquotes(text) + 1, length = strlen(text);
    char *span = malloc(2 * length + 2 * fence + 3), *end = span;
    if (!span)
        return NULL;
    /* One blank on each side is taken away again; without it, outer backquotes would join the
     * fence and outer blanks would be lost. */
    bool padded = length == 0 || strchr("` ", text[0]) || strchr("` ", text[length - 1]);
    end = put_fence(end, fence);
    end = put_text(end, padded ? " " : "");
    for (; *text; text++) {
        if (in_table && *text == '|')
            *end++ = '\\';
        *end++ = *text;
    }
    end = put_text(end, padded ? " " : "");
    put_fence(end, fence);
    return span;
}

/* A command as code. Owned by the caller; NULL without memory. */
static char *code(const char *label, bool in_table)
{
    char *fitted = lauka_fit_text(*label ? label : "\"\"", NAME_WIDTH, true);
    bool unspeakable = fitted && in_table && strstr(fitted, "\\|");
    char *text = !fitted ? NULL : unspeakable ? code_element(fitted) : code_span(fitted, in_table);
    free(fitted);
    return text;
}

/* Prose that may quote others: marks lose their meaning, names call nobody. */
static void put_prose(const char *text, FILE *out)
{
    char *safe = lauka_safe_text(text, true);
    for (const char *c = safe; c && *c; c++) {
        if (strchr("\\`*_[]<>#|~&@$", *c))
            fputc('\\', out);
        fputc(*c, out);
        if (strchr("@#", *c)) /* a word joiner: neither a person nor an issue is named so */
            fputs("\u2060", out);
    }
    free(safe);
}

/* ---- tables ---------------------------------------------------------------------------------- */

struct page {
    const struct lauka_result *result;
    char **names;  /* owned: each command as code, for tables */
    bool numbered; /* commands are numbered */
    FILE *out;
};

/* NBSP keeps a number and its unit on one line of a narrow cell. */
static void put_mean(const struct lauka_cells *cells, FILE *out)
{
    const char *deviation = cells->text[LAUKA_CELL_DEVIATION];
    const char *unit = cells->text[LAUKA_CELL_UNIT];
    fputs(cells->text[LAUKA_CELL_MEAN], out);
    if (*deviation)
        fprintf(out, "\u00A0±\u00A0%s", deviation);
    if (*unit)
        fprintf(out, "\u00A0%s", unit);
}

static void put_range(const struct lauka_cells *cells, FILE *out)
{
    if (*cells->text[LAUKA_CELL_LEAST])
        fprintf(out, "%s\u00A0…\u00A0%s", cells->text[LAUKA_CELL_LEAST],
                cells->text[LAUKA_CELL_MOST]);
}

/* The cells of a row after its names. */
static void put_cells(const struct page *page, size_t command, size_t metric)
{
    struct lauka_cells cells;
    lauka_result_cells(page->result, command, metric, true, &cells);
    put_mean(&cells, page->out);
    fputs(" | ", page->out);
    put_range(&cells, page->out);
    fprintf(page->out, " | %s |", cells.text[LAUKA_CELL_OUTLIERS]);
    if (page->result->command_count > 1)
        fprintf(page->out, " %s | %s |", cells.text[LAUKA_CELL_CHANGE],
                cells.text[LAUKA_CELL_EFFECT]);
    fputc('\n', page->out);
}

static void put_titles(const struct page *page, const char *names, const char *dashes)
{
    bool compared = page->result->command_count > 1;
    fprintf(page->out, "|%s Mean ± σ | Min … max | Outliers |%s\n", names,
            compared ? " Change | d |" : "");
    fprintf(page->out, "|%s--:|--:|--:|%s\n", dashes, compared ? "--:|--:|" : "");
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
        char *name = c == 0 ? code(page->result->metrics[metric].name, true) : NULL;
        fprintf(page->out, "| %s | ", name ? name : "");
        free(name);
        if (page->numbered)
            fprintf(page->out, "%zu | ", c + 1);
        else if (page->result->command_count > 1)
            fprintf(page->out, "%s | ", page->names[c]);
        put_cells(page, c, metric);
    }
}

static void put_details(const struct page *page)
{
    size_t metrics = page->result->metric_count;
    fprintf(page->out, "<details><summary>All %zu metrics</summary>\n\n", metrics);
    if (page->numbered)
        put_titles(page, " Metric | # |", ":--|--:|");
    else if (page->result->command_count > 1)
        put_titles(page, " Metric | Command |", ":--|:--|");
    else
        put_titles(page, " Metric |", ":--|");
    for (size_t m = 0; m < metrics; m++)
        put_metric(page, m);
    fputs("\n</details>\n\n", page->out);
}

static void put_sentences(const struct page *page)
{
    const struct lauka_result *result = page->result;
    for (size_t c = 0; c < result->command_count; c++) {
        char text[4096];
        char *name = code(result->commands[c].label, false);
        char *reference = code(result->commands[0].label, false);
        lauka_result_sentence_about(result, c, name ? name : "?", reference ? reference : "?", true,
                                    text, sizeof text);
        fprintf(page->out, "%s%s\n", text, c + 1 < result->command_count ? "<br>" : "");
        free(name);
        free(reference);
    }
    fputc('\n', page->out);
}

/* The word in front keeps a note from beginning as a list or a heading. */
static void put_note(const char *text, FILE *out)
{
    fputs("> note: ", out);
    put_prose(text, out);
    fputs("\n\n", out);
}

static void put_notes(const struct page *page)
{
    if (lauka_result_has_estimates(page->result))
        put_note(LAUKA_ESTIMATES_NOTE, page->out);
    for (size_t w = 0; w < page->result->warning_count; w++)
        put_note(page->result->warnings[w], page->out);
}

static void put_page(const struct page *page)
{
    size_t metric = lauka_result_main_metric(page->result);
    char course[512];
    put_sentences(page);
    if (metric < page->result->metric_count)
        put_overview(page, metric);
    fputc('\n', page->out);
    if (page->result->metric_count > 1)
        put_details(page);
    put_notes(page);
    lauka_result_course(page->result, true, course, sizeof course);
    fprintf(page->out, "<sub>%s</sub>\n", course);
}

int lauka_write_markdown(const struct lauka_result *result, FILE *out)
{
    struct page page = {.result = result, .out = out};
    bool complete = true;
    errno = 0;
    page.names = calloc(result->command_count + 1, sizeof *page.names);
    for (size_t c = 0; page.names && c < result->command_count; c++) {
        page.names[c] = code(result->commands[c].label, true);
        complete &= page.names[c] != NULL;
        page.numbered |= result->command_count > 1 &&
                         lauka_display_width(result->commands[c].label) > SHORT_NAME_WIDTH;
    }
    if (page.names && complete)
        put_page(&page);
    for (size_t c = 0; page.names && c < result->command_count; c++)
        free(page.names[c]);
    complete &= page.names != NULL;
    free(page.names);
    return complete ? lauka_finish(out) : ENOMEM;
}
