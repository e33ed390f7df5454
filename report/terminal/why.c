/* Which functions made the difference, on the terminal: a sentence, and a line for each of them. */
#include "report/terminal/terminal.h"
#include "report/result/result.h"
#include "report/text/sheet.h"
#include "report/text/text.h"
#include "report/words/calls.h"
#include "report/words/sampled.h"
#include "report/words/why.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { INDENT = 2, NARROWEST = 12, FEW = 8 };

struct page {
    const struct lauka_result *result;
    struct lauka_terminal terminal;
    FILE *out;
    struct lauka_why_row *rows; /* borrowed */
    size_t count;
};

static int put_line(const struct page *page, const char *text)
{
    return lauka_put_paragraph(text, INDENT, LAUKA_STYLE_PLAIN, page->terminal, page->out);
}

static int put_rows(const struct page *page)
{
    static const struct lauka_sheet_column columns[LAUKA_WHY_CELLS] = {
        [LAUKA_WHY_CHANGE] = {.align = LAUKA_ALIGN_RIGHT}};
    struct lauka_sheet sheet;
    lauka_sheet_make(&sheet, columns, LAUKA_WHY_CELLS, page->terminal);
    sheet.indent = INDENT;
    for (size_t r = 0; r < page->count; r++) {
        lauka_sheet_add(&sheet);
        for (enum lauka_why_cell c = 0; c < LAUKA_WHY_CELLS; c++)
            lauka_sheet_put(&sheet, r, c,
                            c == LAUKA_WHY_NAME && page->rows[r].is_name ? LAUKA_STYLE_MAIN
                                                                         : LAUKA_STYLE_PLAIN,
                            "%s", page->rows[r].text[c]);
    }
    lauka_sheet_measure(&sheet);
    lauka_sheet_cut(&sheet, LAUKA_WHY_NAME, NARROWEST);
    lauka_sheet_cut(&sheet, LAUKA_WHY_PLACE, NARROWEST);
    lauka_sheet_cut(&sheet, LAUKA_WHY_SIDES, NARROWEST);
    int error = lauka_sheet_write(&sheet, page->out);
    lauka_sheet_done(&sheet);
    return error;
}

static int put_why(struct page *page, const struct lauka_why *why, bool in_full)
{
    char name[LAUKA_SUBJECT_SIZE], reference[LAUKA_SUBJECT_SIZE], text[2048];
    lauka_result_subject(page->result, why->command, page->terminal.utf8, name);
    lauka_result_subject(page->result, 0, page->terminal.utf8, reference);
    lauka_why_sentence(why, name, reference, page->terminal.utf8, text, sizeof text);
    int error = lauka_put_paragraph(text, 0, LAUKA_STYLE_PLAIN, page->terminal, page->out);
    page->count =
        lauka_why_rows(why, in_full ? LAUKA_WHY_ROWS_MOST : FEW, page->terminal.utf8, page->rows);
    if (!error)
        error = put_rows(page);
    if (!error && lauka_why_cycles(why, page->terminal.utf8, text, sizeof text))
        error = put_line(page, text);
    if (!error && lauka_why_advice(why, page->terminal.utf8, text, sizeof text))
        error = put_line(page, text);
    return error;
}

/* A line below what was counted; rows, if there is nothing else. */
static int put_sampled(struct page *page, const struct lauka_sampled *sampled, bool in_full)
{
    const struct lauka_result *result = page->result;
    bool alone = !lauka_counted_of(result, sampled->command), utf8 = page->terminal.utf8;
    char text[2048], name[LAUKA_SUBJECT_SIZE], line[2048 + LAUKA_SUBJECT_SIZE];
    lauka_sampled_sentence(result, sampled, utf8, text, sizeof text);
    lauka_result_subject(result, sampled->command, utf8, name);
    snprintf(line, sizeof line, "%s: %s", name, text);
    int error = alone ? lauka_put_paragraph(line, 0, LAUKA_STYLE_PLAIN, page->terminal, page->out)
                      : put_line(page, text);
    page->count =
        lauka_sampled_rows(sampled, in_full ? LAUKA_WHY_ROWS_MOST : FEW, utf8, page->rows);
    if (!error && (alone || in_full))
        error = put_rows(page);
    if (!error && (alone || in_full) && sampled->standing != LAUKA_SAMPLED_NOT_KNOWN)
        error = put_line(page, lauka_sampled_setting(result, sampled, text, sizeof text));
    if (!error && lauka_sampled_advice(sampled, utf8, text, sizeof text))
        error = put_line(page, text);
    return error;
}

/* What was counted of the command, and what its samples point to. */
static int put_command(struct page *page, size_t command, bool in_full)
{
    const struct lauka_why *why = lauka_counted_of(page->result, command);
    const struct lauka_sampled *sampled = lauka_sampled_of(page->result, command);
    char text[2048];
    int error = 0;
    if (!why && !sampled)
        return 0;
    fputc('\n', page->out);
    if (why)
        error = put_why(page, why, in_full);
    if (!error &&
        lauka_calls_sentence(page->result, command, page->terminal.utf8, text, sizeof text))
        error = put_line(page, text);
    return sampled && !error ? put_sampled(page, sampled, in_full) : error;
}

int lauka_write_why(const struct lauka_result *result, bool in_full, struct lauka_terminal terminal,
                    FILE *out)
{
    struct page page = {.result = result, .terminal = terminal, .out = out};
    int error = 0;
    if (!lauka_result_tells_why(result))
        return 0;
    page.rows = calloc(LAUKA_WHY_ROWS_MOST, sizeof *page.rows);
    error = page.rows ? 0 : ENOMEM;
    for (size_t c = 1; c < result->command_count && !error; c++)
        error = put_command(&page, c, in_full);
    free(page.rows);
    return error;
}
