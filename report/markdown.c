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

/* What is better or worse beyond doubt, and matters, is bold. */
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
        put_comparison(&cells, page->out);
    else
        fputc('\n', page->out);
}

static void put_titles(const struct page *page, const char *names, const char *dashes)
{
    bool compared = page->result->command_count > 1;
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

static size_t count_primaries(const struct lauka_result *result)
{
    size_t count = 0;
    for (size_t m = 0; m < result->metric_count; m++)
        count += result->metrics[m].primary;
    return count;
}

/* Primary metrics come first. */
static void put_details(const struct page *page)
{
    const struct lauka_result *result = page->result;
    size_t primaries = count_primaries(result), metrics = result->metric_count;
    fprintf(page->out, "<details><summary>All %zu metrics", metrics);
    if (result->command_count > 1 && primaries > 0 && primaries < metrics)
        fprintf(page->out,
                primaries == 1 ? "; the first decides, the others are exploratory"
                               : "; the first %zu decide, the others are exploratory",
                primaries);
    fputs("</summary>\n\n", page->out);
    if (page->numbered)
        put_titles(page, " Metric | # |", ":--|--:|");
    else if (result->command_count > 1)
        put_titles(page, " Metric | Command |", ":--|:--|");
    else
        put_titles(page, " Metric |", ":--|");
    for (int primary = 1; primary >= 0; primary--)
        for (size_t m = 0; m < metrics; m++)
            if (result->metrics[m].primary == primary)
                put_metric(page, m);
    fputs("\n</details>\n\n", page->out);
}

/* ---- prose ----------------------------------------------------------------------------------- */

/* Commands as code, to be freed; "?" stands for what there is no memory for. */
struct names {
    char *own, *reference;
};

static struct names names_of(const struct lauka_result *result, size_t command)
{
    return (struct names){code(result->commands[command].label, false),
                          code(result->commands[0].label, false)};
}

static void names_done(struct names *names)
{
    free(names->own);
    free(names->reference);
}

static const char *or_unknown(const char *name)
{
    return name ? name : "?";
}

static void put_line(const struct page *page, const char *text, bool *first)
{
    fprintf(page->out, "%s%s", *first ? "" : "<br>\n", text);
    *first = false;
}

/* Of the reference alone nothing is said where the others are compared with it. */
static void put_answers(const struct page *page, bool *first)
{
    const struct lauka_result *result = page->result;
    char text[4096];
    for (size_t c = result->command_count > 1; c < result->command_count; c++) {
        struct names names = names_of(result, c);
        lauka_result_sentence_about(result, c, or_unknown(names.own), or_unknown(names.reference),
                                    true, text, sizeof text);
        put_line(page, text, first);
        names_done(&names);
    }
    if (lauka_result_reference_is_best(result)) {
        struct names names = names_of(result, 0);
        lauka_best_sentence(result, or_unknown(names.own), text, sizeof text);
        put_line(page, text, first);
        names_done(&names);
    }
}

static void put_noise(const struct page *page, bool *first)
{
    const struct lauka_result *result = page->result;
    struct names names = names_of(result, 0);
    for (size_t m = 0; m < result->metric_count; m++) {
        char text[4096];
        if (!lauka_is_noise_told(result, m))
            continue;
        lauka_noise_sentence(result, m, or_unknown(names.own), true, text, sizeof text);
        put_line(page, text, first);
    }
    names_done(&names);
}

static void put_sentences(const struct page *page)
{
    bool first = true;
    if (lauka_result_has_noise(page->result))
        put_noise(page, &first);
    else
        put_answers(page, &first);
    fputs("\n\n", page->out);
}

/* The word in front keeps a note from beginning as a list or a heading. */
static void put_note(const char *text, FILE *out)
{
    fputs("> note: ", out);
    put_prose(text, out);
    fputs("\n\n", out);
}

/* Doubts name commands as code; all else in them is ours. */
static void put_doubts(const struct page *page)
{
    for (size_t doubt = 0; doubt < LAUKA_DOUBT_COUNT; doubt++) {
        struct lauka_doubt_said said;
        char text[4096];
        if (!lauka_result_worst_doubt(page->result, (enum lauka_doubt)doubt, &said))
            continue;
        struct names names = names_of(page->result, said.command);
        lauka_doubt_sentence_about(page->result, &said, or_unknown(names.own),
                                   or_unknown(names.reference), true, text, sizeof text);
        fprintf(page->out, "> note: %s\n\n", text);
        names_done(&names);
    }
}

static void put_notes(const struct page *page)
{
    put_doubts(page);
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
