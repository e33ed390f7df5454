/* GitHub's Markdown: the wall time of every command, then all metrics folded, then what else one should
 * know. Nothing that others wrote can end a cell, open a tag or mention a person. */
#include "report/markdown/markdown.h"
#include "report/result/result.h"
#include "report/text/prose.h"
#include "report/words/measured.h"
#include "report/words/said.h"
#include "report/words/words.h"

#include <inttypes.h>
#include <string.h>

/* Columns. If a command is longer, the folded table refers to it by number. */
enum { SHORT_NAME_WIDTH = 30 };

/* ---- tables ---------------------------------------------------------------------------------- */

struct page {
    struct lauka_prose *prose;
    const struct lauka_result *result;
    bool numbered; /* commands are numbered */
    bool narrow;   /* a comment's 780 pixels hold means, changes and verdicts */
};

/* The cells of a row after its names. Changes that are certain and matter are bold. */
static void put_cells(const struct page *page, size_t command, size_t metric)
{
    struct lauka_prose *prose = page->prose;
    struct lauka_cells cells = lauka_result_cells(prose, page->result, command, metric);
    const char *verdict = cells.text[LAUKA_CELL_VERDICT], *least = cells.text[LAUKA_CELL_LEAST];
    const char *change = cells.text[LAUKA_CELL_CHANGE], *interval = cells.text[LAUKA_CELL_INTERVAL];
    const bool compared = page->result->command_count > 1;
    if (cells.goodness != 0)
        verdict = lauka_say(prose, "**%s**", verdict);
    lauka_put(prose, "%s | ", lauka_cells_mean(prose, &cells, LAUKA_UNBROKEN));
    if (page->narrow && compared) {
        lauka_put(prose, "%s | %s |\n", lauka_markdown_change(prose, change, interval), verdict);
        return;
    }
    if (*least)
        lauka_put(prose, "%s\u00A0…\u00A0%s", least, cells.text[LAUKA_CELL_MOST]);
    lauka_put(prose, " | %s |", cells.text[LAUKA_CELL_OUTLIERS]);
    if (compared)
        lauka_put(prose, " %s | %s | %s |", lauka_join(prose, change, "\u00A0", interval), verdict,
                  cells.text[LAUKA_CELL_EFFECT]);
    lauka_put(prose, "\n");
}

static void put_titles(const struct page *page, const char *names, const char *dashes)
{
    bool compared = page->result->command_count > 1;
    if (page->narrow && compared) {
        lauka_put(page->prose, "|%s Mean ± σ | Change | Verdict |\n|%s--:|--:|:--|\n", names,
                  dashes);
        return;
    }
    lauka_put(page->prose, "|%s Mean ± σ | Min … max | Outliers |%s\n|%s--:|--:|--:|%s\n", names,
              compared ? " Change | Verdict | d |" : "", dashes, compared ? "--:|:--|--:|" : "");
}

static void put_overview(const struct page *page, size_t metric)
{
    if (page->numbered)
        put_titles(page, " # | Command |", "--:|:--|");
    else
        put_titles(page, " Command |", ":--|");
    for (size_t c = 0; c < page->result->command_count; c++) {
        if (page->numbered)
            lauka_put(page->prose, "| %zu ", c + 1);
        lauka_put(page->prose, "| %s | ", lauka_markdown_name(page->prose, page->result, c, true));
        put_cells(page, c, metric);
    }
}

static void put_metric(const struct page *page, size_t metric)
{
    struct lauka_prose *prose = page->prose;
    const struct lauka_result *result = page->result;
    for (size_t c = 0; c < result->command_count; c++) {
        lauka_put(prose, "| %s | ",
                  c == 0 ? lauka_markdown_code(prose, result->metrics[metric].name, true) : "");
        if (page->numbered)
            lauka_put(prose, "%zu | ", c + 1);
        else if (result->command_count > 1)
            lauka_put(prose, "%s | ", lauka_markdown_name(prose, result, c, true));
        put_cells(page, c, metric);
    }
}

/* Primary metrics come first. A comment names those that nothing counted, instead of rows of dashes. */
static void put_metrics(const struct page *page)
{
    const struct lauka_result *result = page->result;
    if (page->numbered)
        put_titles(page, " Metric | # |", ":--|--:|");
    else if (result->command_count > 1)
        put_titles(page, " Metric | Command |", ":--|:--|");
    else
        put_titles(page, " Metric |", ":--|");
    const char *uncounted = "";
    for (size_t place = 0, m; lauka_next_metric(result, &place, &m);)
        if (!page->narrow || lauka_markdown_is_counted(result, m))
            put_metric(page, m);
        else
            uncounted =
                lauka_join(page->prose, uncounted, ", ",
                           lauka_markdown_code(page->prose, result->metrics[m].name, false));
    if (*uncounted)
        lauka_put(page->prose, "\nNot counted here: %s.\n", uncounted);
}

static void put_details(const struct page *page)
{
    const struct lauka_result *result = page->result;
    size_t primaries = lauka_result_primaries(result, false),
           metrics = lauka_result_shown_count(result);
    lauka_put(page->prose,
              metrics == 1 ? "<details><summary>The metric" : "<details><summary>All %zu metrics",
              metrics);
    if (result->gate.row_count > 0)
        lauka_put(page->prose, "; those with a limit decide");
    else if (result->command_count > 1 && primaries > 0 && primaries < metrics)
        lauka_put(page->prose,
                  primaries == 1 ? "; the first decides, the others are exploratory"
                                 : "; the first %zu decide, the others are exploratory",
                  primaries);
    lauka_put(page->prose, "</summary>\n\n");
    put_metrics(page);
    lauka_put(page->prose, "\n</details>\n\n");
}

static struct page page_of(struct lauka_prose *prose, const struct lauka_result *result,
                           bool narrow)
{
    struct page page = {prose, result, false, narrow};
    for (size_t c = 0; c < result->command_count; c++)
        page.numbered |= result->command_count > 1 &&
                         lauka_display_width(lauka_say_name(prose, result, c)) > SHORT_NAME_WIDTH;
    return page;
}

void lauka_markdown_all_metrics(struct lauka_prose *prose, const struct lauka_result *result)
{
    const struct page page = page_of(prose, result, true);
    put_details(&page);
}

void lauka_markdown_metrics(struct lauka_prose *prose, const struct lauka_result *result)
{
    const struct page page = page_of(prose, result, true);
    put_metrics(&page);
}

/* ---- prose ----------------------------------------------------------------------------------- */

/* Names are code; all else in sentences is ours, but for notes. */
static const char *said_text(struct lauka_prose *prose, const struct lauka_result *result,
                             const struct lauka_said *said)
{
    return said->kind == LAUKA_SAID_NOTE
               ? lauka_markdown_prose(prose, said->text)
               : lauka_said_text(prose, said,
                                 lauka_markdown_name(prose, result, said->command, false),
                                 lauka_markdown_name(prose, result, 0, false));
}

/* The word in front prevents a note from being read as a list or a heading. */
void lauka_markdown_notes(struct lauka_prose *prose, const struct lauka_result *result)
{
    const struct lauka_notes notes = lauka_notes(prose, result);
    for (size_t i = 0; i < notes.count; i++)
        lauka_put(prose, "> note: %s\n\n", said_text(prose, result, &notes.all[i]));
}

void lauka_markdown_same(struct lauka_prose *prose, const struct lauka_result *result)
{
    for (struct lauka_said said = {0}; lauka_said_next_answer(prose, result, &said);)
        if (said.kind == LAUKA_SAID_SAME)
            lauka_put(prose, "%s\n\n", said_text(prose, result, &said));
}

static void put_answers(struct lauka_prose *prose, const struct lauka_result *result)
{
    const char *before = "";
    for (struct lauka_said said = {0}; lauka_said_next_answer(prose, result, &said);) {
        lauka_put(prose, "%s%s", before, said_text(prose, result, &said));
        before = "<br>\n";
    }
    lauka_put(prose, "\n\n");
}

/* ---- how it ended ---------------------------------------------------------------------------- */

const char *lauka_markdown_ending(struct lauka_prose *prose, const struct lauka_result *result,
                                  bool is_sentence)
{
    const char *failed = lauka_say_failure(prose, result);
    if (*failed)
        failed = lauka_say(prose, "%s %s",
                           lauka_markdown_name(prose, result, result->failure.command, false),
                           lauka_markdown_prose(prose, failed));
    const char *ended = lauka_markdown_prose(prose, lauka_say_ending(prose, result));
    if (is_sentence && !*failed)
        ended = lauka_say_capital(prose, ended);
    return lauka_join(prose, failed, "; ", ended);
}

/* Indented code: no fence can be closed from within. */
void lauka_markdown_stderr(struct lauka_prose *prose, const struct lauka_result *result)
{
    const char *line = result->failure.stderr_tail;
    if (!line || !*line)
        return;
    lauka_put(prose, "Its stderr ended with:\n\n");
    while (*line) {
        size_t length = strcspn(line, "\n");
        const char *alone = lauka_say(prose, "%.*s", (int)length, line);
        lauka_put(prose, "    %s\n", lauka_say_safely(prose, alone));
        line += length + (line[length] == '\n');
    }
    lauka_put(prose, "\n");
}

/* ---- what was measured ---------------------------------------------------------------------------- */

static const char *say_fact(struct lauka_prose *prose, const struct lauka_fact *fact)
{
    const char *text = lauka_markdown_prose(prose, fact->text);
    if (fact->kind == LAUKA_FACT_LINK)
        return lauka_say(prose, "[%s](%s)", text, fact->address);
    const char *code = *fact->code ? lauka_markdown_code(prose, fact->code, false) : "";
    const char *said = lauka_join(prose, lauka_markdown_prose(prose, fact->name), " ", code);
    return lauka_join(prose, said, " ", text);
}

/* Begins with a word of ours, so that no line begins with someone else's text. */
void lauka_markdown_facts(struct lauka_prose *prose, const struct lauka_session *session)
{
    const char *text = "Measured:";
    struct lauka_fact fact = {.place = 0};
    bool any = false;
    for (; lauka_next_fact(prose, session, &fact); any = true) {
        text = lauka_join(prose, text, " ", fact.before);
        text = lauka_join(prose, text, " ", say_fact(prose, &fact));
    }
    if (any)
        lauka_put(prose, "%s\n\n", text);
}

/* ---- pages ------------------------------------------------------------------------------------ */

void lauka_markdown_benchmark(struct lauka_prose *prose, const struct lauka_result *result)
{
    const struct page page = page_of(prose, result, false);
    const size_t metric = lauka_result_main_metric(result);
    if (!lauka_result_ended_well(result)) {
        lauka_put(prose, "%s.\n\n", lauka_markdown_ending(prose, result, true));
        lauka_markdown_stderr(prose, result);
    }
    if (lauka_result_has_gate(result))
        lauka_markdown_gate(prose, result, false);
    put_answers(prose, result);
    lauka_markdown_legend(prose, result, false);
    if (metric < result->metric_count)
        put_overview(&page, metric);
    lauka_put(prose, "\n");
    lauka_markdown_hosts(prose, result);
    if (lauka_result_shown_count(result) > 1)
        put_details(&page);
    lauka_markdown_percentiles(prose, result);
    lauka_markdown_notes(prose, result);
    lauka_put(prose, "<sub>%s</sub>\n", lauka_result_course(prose, result));
}
