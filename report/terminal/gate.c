/* The gate on the terminal: its verdict, one line for each limit, and why a limit is undecided. */
#include "report/terminal/terminal.h"
#include "report/result/result.h"
#include "report/text/sheet.h"
#include "report/text/text.h"
#include "report/words/words.h"

#include <stdio.h>
#include <string.h>

enum { INDENT = 2, COLUMNS = LAUKA_GATE_CELL_REMARK };

struct page {
    const struct lauka_result *result;
    struct lauka_terminal terminal;
    FILE *out;
    struct lauka_sheet sheet;
};

static enum lauka_style style_of(const char *word)
{
    return strcmp(word, "FAIL") == 0           ? LAUKA_STYLE_FAILED
           : strcmp(word, "pass") == 0         ? LAUKA_STYLE_BETTER
           : strcmp(word, "inconclusive") == 0 ? LAUKA_STYLE_DOUBTFUL
                                               : LAUKA_STYLE_MAIN;
}

/* Columns of the verdict, which remarks are below. */
static int indent_of(const struct page *page)
{
    return lauka_sheet_width(&page->sheet, 0, 1) + page->sheet.gap;
}

/* As a sentence of several lines. */
static int put_narrow_row(const struct page *page, size_t row)
{
    const char *command = lauka_sheet_text(&page->sheet, row, LAUKA_GATE_CELL_COMMAND);
    const char *verdict = lauka_sheet_text(&page->sheet, row, LAUKA_GATE_CELL_VERDICT);
    char text[4 * LAUKA_GATE_CELL_SIZE];
    snprintf(text, sizeof text, "%s%s%s: %s, %s",
             lauka_sheet_text(&page->sheet, row, LAUKA_GATE_CELL_METRIC), *command ? " of " : "",
             command, lauka_sheet_text(&page->sheet, row, LAUKA_GATE_CELL_CHANGE),
             lauka_sheet_text(&page->sheet, row, LAUKA_GATE_CELL_LIMIT));
    fprintf(page->out, "%*s", INDENT, "");
    lauka_put_styled(verdict, page->sheet.cells[row * COLUMNS].style, page->terminal, page->out);
    fprintf(page->out, "%*s", indent_of(page) - INDENT - lauka_display_width(verdict), "");
    return lauka_print_wrapped(text, indent_of(page), page->terminal.width, page->terminal.utf8,
                               page->out);
}

/* In columns, if there is room for them. */
static int put_rows(struct page *page)
{
    struct lauka_gate_cells cells;
    int error = page->sheet.error;
    bool fits = lauka_sheet_excess(&page->sheet) <= 0;
    for (size_t r = 0; r < page->result->gate.row_count && !error; r++) {
        if (fits)
            lauka_sheet_draw(&page->sheet, r, 0, COLUMNS, 0, page->out);
        else
            error = put_narrow_row(page, r);
        lauka_gate_row_cells(page->result, &page->result->gate.rows[r], page->terminal.utf8,
                             &cells);
        if (error || !*cells.text[LAUKA_GATE_CELL_REMARK])
            continue;
        error = lauka_put_paragraph(cells.text[LAUKA_GATE_CELL_REMARK], indent_of(page),
                                    LAUKA_STYLE_PLAIN, page->terminal, page->out);
    }
    return error;
}

static int put_headline(const struct page *page)
{
    char text[512];
    lauka_gate_headline(page->result, page->terminal.utf8, text, sizeof text);
    return lauka_put_paragraph(text, 0, style_of(lauka_gate_word(page->result)), page->terminal,
                               page->out);
}

static int put_notes(const struct page *page)
{
    char text[1024];
    int error = 0;
    for (size_t place = 0; !error && lauka_gate_next_note(page->result, page->terminal.utf8, &place,
                                                          text, sizeof text);)
        error = lauka_put_paragraph(text, INDENT, LAUKA_STYLE_PLAIN, page->terminal, page->out);
    return error;
}

static void add_row(struct page *page, const struct lauka_gate_row *row)
{
    const size_t r = lauka_sheet_add(&page->sheet);
    struct lauka_gate_cells cells;
    lauka_gate_row_cells(page->result, row, page->terminal.utf8, &cells);
    for (enum lauka_gate_cell c = 0; c < COLUMNS; c++)
        if (c != LAUKA_GATE_CELL_COMMAND || page->result->command_count > 2)
            lauka_sheet_set(&page->sheet, r, c, "%s%s", c == LAUKA_GATE_CELL_LIMIT ? "limit " : "",
                            cells.text[c]);
    lauka_sheet_put(&page->sheet, r, LAUKA_GATE_CELL_VERDICT,
                    style_of(lauka_gate_row_sign(page->result, row)), "%s",
                    cells.text[LAUKA_GATE_CELL_VERDICT]);
}

int lauka_write_gate(const struct lauka_result *result, struct lauka_terminal terminal, FILE *out)
{
    static const struct lauka_sheet_column columns[COLUMNS];
    struct page page = {.result = result, .terminal = terminal, .out = out};
    lauka_sheet_make(&page.sheet, columns, COLUMNS, terminal);
    page.sheet.indent = INDENT;
    for (size_t r = 0; r < result->gate.row_count; r++)
        add_row(&page, &result->gate.rows[r]);
    lauka_sheet_measure(&page.sheet);
    int error = put_headline(&page);
    error = error ? error : put_rows(&page);
    error = error ? error : put_notes(&page);
    lauka_sheet_done(&page.sheet);
    fputc('\n', out);
    return error;
}
