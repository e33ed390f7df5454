/* The gate on the terminal: its verdict, one line for each limit, and why a limit is undecided. */
#include "report/terminal/terminal.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "report/words/words.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct page {
    const struct lauka_result *result;
    struct lauka_terminal terminal;
    FILE *out;
    struct lauka_gate_cells *rows; /* owned */
    int widths[LAUKA_GATE_CELLS];
    bool names_commands;
};

static const enum lauka_gate_cell columns[] = {LAUKA_GATE_CELL_VERDICT, LAUKA_GATE_CELL_METRIC,
                                               LAUKA_GATE_CELL_COMMAND, LAUKA_GATE_CELL_CHANGE,
                                               LAUKA_GATE_CELL_LIMIT};
enum { COLUMNS = sizeof columns / sizeof *columns, INDENT = 2, GAP = 2 };

static enum lauka_style style_of(const char *word)
{
    return strcmp(word, "FAIL") == 0           ? LAUKA_STYLE_FAILED
           : strcmp(word, "pass") == 0         ? LAUKA_STYLE_BETTER
           : strcmp(word, "inconclusive") == 0 ? LAUKA_STYLE_DOUBTFUL
                                               : LAUKA_STYLE_MAIN;
}

static bool is_shown(const struct page *page, enum lauka_gate_cell column)
{
    return column != LAUKA_GATE_CELL_COMMAND || page->names_commands;
}

static void measure(struct page *page)
{
    for (size_t r = 0; r < page->result->gate.row_count; r++)
        for (size_t c = 0; c < COLUMNS; c++) {
            int width = lauka_display_width(page->rows[r].text[columns[c]]);
            if (width > page->widths[columns[c]])
                page->widths[columns[c]] = width;
        }
}

static const char *lead(enum lauka_gate_cell column)
{
    return column == LAUKA_GATE_CELL_LIMIT ? "limit " : "";
}

static int total_width(const struct page *page)
{
    int total = INDENT - GAP;
    for (size_t c = 0; c < COLUMNS; c++)
        if (is_shown(page, columns[c]))
            total += GAP + (int)strlen(lead(columns[c])) + page->widths[columns[c]];
    return total;
}

static void put_verdict(const struct page *page, const struct lauka_gate_cells *cells)
{
    const struct lauka_gate_row *row = &page->result->gate.rows[cells - page->rows];
    fprintf(page->out, "%*s", INDENT, "");
    lauka_put_styled(cells->text[LAUKA_GATE_CELL_VERDICT],
                     style_of(lauka_gate_row_sign(page->result, row)), page->terminal, page->out);
}

static int indent_of(const struct page *page)
{
    return INDENT + page->widths[LAUKA_GATE_CELL_VERDICT] + GAP;
}

/* In columns, as there is room for them. */
static void put_row(const struct page *page, const struct lauka_gate_cells *cells)
{
    int blanks = 0;
    put_verdict(page, cells);
    for (size_t c = 0; c < COLUMNS; c++) {
        const char *text = cells->text[columns[c]];
        if (!is_shown(page, columns[c]))
            continue;
        if (columns[c] != LAUKA_GATE_CELL_VERDICT)
            fprintf(page->out, "%*s%s%s", blanks + GAP, "", lead(columns[c]), text);
        blanks = page->widths[columns[c]] - lauka_display_width(text);
    }
    fputc('\n', page->out);
}

/* As a sentence of several lines. */
static int put_narrow_row(const struct page *page, const struct lauka_gate_cells *cells)
{
    char text[4 * LAUKA_GATE_CELL_SIZE];
    snprintf(text, sizeof text, "%s%s%s: %s, limit %s", cells->text[LAUKA_GATE_CELL_METRIC],
             page->names_commands ? " of " : "",
             page->names_commands ? cells->text[LAUKA_GATE_CELL_COMMAND] : "",
             cells->text[LAUKA_GATE_CELL_CHANGE], cells->text[LAUKA_GATE_CELL_LIMIT]);
    put_verdict(page, cells);
    fprintf(page->out, "%*s",
            indent_of(page) - INDENT - lauka_display_width(cells->text[LAUKA_GATE_CELL_VERDICT]),
            "");
    return lauka_print_wrapped(text, indent_of(page), page->terminal.width, page->terminal.utf8,
                               page->out);
}

static int put_remark(const struct page *page, const struct lauka_gate_cells *cells)
{
    const char *remark = cells->text[LAUKA_GATE_CELL_REMARK];
    if (!*remark)
        return 0;
    fprintf(page->out, "%*s", indent_of(page), "");
    return lauka_print_wrapped(remark, indent_of(page), page->terminal.width, page->terminal.utf8,
                               page->out);
}

static int put_rows(struct page *page)
{
    int error = 0;
    measure(page);
    bool fits = total_width(page) <= page->terminal.width;
    for (size_t r = 0; r < page->result->gate.row_count && !error; r++) {
        if (fits)
            put_row(page, &page->rows[r]);
        else
            error = put_narrow_row(page, &page->rows[r]);
        error = error ? error : put_remark(page, &page->rows[r]);
    }
    return error;
}

static int put_headline(const struct page *page)
{
    char text[512];
    lauka_gate_headline(page->result, page->terminal.utf8, text, sizeof text);
    enum lauka_style style = style_of(lauka_gate_word(page->result));
    lauka_style_begin(style, page->terminal, page->out);
    int error = lauka_print_wrapped(text, 0, page->terminal.width, page->terminal.utf8, page->out);
    lauka_style_end(style, page->terminal, page->out);
    return error;
}

static int put_notes(const struct page *page)
{
    char text[1024];
    int error = 0;
    for (size_t place = 0; !error && lauka_gate_next_note(page->result, page->terminal.utf8, &place,
                                                          text, sizeof text);) {
        fprintf(page->out, "%*s", INDENT, "");
        error =
            lauka_print_wrapped(text, INDENT, page->terminal.width, page->terminal.utf8, page->out);
    }
    return error;
}

int lauka_write_gate(const struct lauka_result *result, struct lauka_terminal terminal, FILE *out)
{
    struct page page = {.result = result, .terminal = terminal, .out = out};
    size_t count = result->gate.row_count;
    page.names_commands = result->command_count > 2;
    page.rows = calloc(count + 1, sizeof *page.rows);
    if (!page.rows)
        return ENOMEM;
    for (size_t r = 0; r < count; r++)
        lauka_gate_row_cells(result, &result->gate.rows[r], terminal.utf8, &page.rows[r]);
    int error = put_headline(&page);
    error = error ? error : put_rows(&page);
    error = error ? error : put_notes(&page);
    free(page.rows);
    fputc('\n', out);
    return error;
}
