/* Rows of texts in aligned columns. */
#include "report/text/sheet.h"
#include "report/text/text.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- cells ----------------------------------------------------------------------------------- */

void lauka_sheet_make(struct lauka_sheet *sheet, const struct lauka_sheet_column *columns,
                      size_t count, struct lauka_terminal terminal)
{
    assert(count <= LAUKA_SHEET_COLUMNS);
    *sheet = (struct lauka_sheet){.terminal = terminal, .gap = 2, .column_count = count};
    memcpy(sheet->columns, columns, count * sizeof *columns);
}

void lauka_sheet_done(struct lauka_sheet *sheet)
{
    for (size_t i = 0; i < sheet->row_count * sheet->column_count; i++)
        free(sheet->cells[i].text);
    free(sheet->cells);
    sheet->cells = NULL;
    sheet->row_count = 0;
}

static struct lauka_sheet_cell *cell_of(const struct lauka_sheet *sheet, size_t row, size_t column)
{
    return &sheet->cells[row * sheet->column_count + column];
}

/* The room grows at each power of two. */
size_t lauka_sheet_add(struct lauka_sheet *sheet)
{
    const size_t row = sheet->row_count, size = sheet->column_count * sizeof *sheet->cells;
    if ((row & (row - 1)) == 0) {
        struct lauka_sheet_cell *cells = realloc(sheet->cells, (row ? 2 * row : 1) * size);
        if (!cells) {
            sheet->error = ENOMEM;
            return row;
        }
        sheet->cells = cells;
    }
    memset(cell_of(sheet, row, 0), 0, size);
    sheet->row_count++;
    return row;
}

/* Sets the text, and leaves the old one if there is no memory. */
static void set_text(struct lauka_sheet *sheet, struct lauka_sheet_cell *cell, const char *format,
                     va_list values)
{
    va_list again;
    va_copy(again, values);
    const int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = length >= 0 ? malloc((size_t)length + 1) : NULL;
    if (!text) {
        sheet->error = ENOMEM;
        return;
    }
    vsnprintf(text, (size_t)length + 1, format, values);
    free(cell->text);
    cell->text = text;
}

void lauka_sheet_put(struct lauka_sheet *sheet, size_t row, size_t column, enum lauka_style style,
                     const char *format, ...)
{
    va_list values;
    if (row >= sheet->row_count)
        return;
    va_start(values, format);
    set_text(sheet, cell_of(sheet, row, column), format, values);
    va_end(values);
    cell_of(sheet, row, column)->style = style;
}

void lauka_sheet_set(struct lauka_sheet *sheet, size_t row, size_t column, const char *format, ...)
{
    va_list values;
    if (row >= sheet->row_count)
        return;
    va_start(values, format);
    set_text(sheet, cell_of(sheet, row, column), format, values);
    va_end(values);
}

const char *lauka_sheet_text(const struct lauka_sheet *sheet, size_t row, size_t column)
{
    const char *text = row < sheet->row_count ? cell_of(sheet, row, column)->text : NULL;
    return text ? text : "";
}

void lauka_sheet_shorten(struct lauka_sheet *sheet, size_t column, const char *ends)
{
    for (size_t r = 0; r < sheet->row_count; r++) {
        char *text = cell_of(sheet, r, column)->text;
        if (text)
            text[strcspn(text, ends)] = 0;
    }
}

/* ---- numbers --------------------------------------------------------------------------------- */

static size_t decimals_of(const char *text)
{
    const char *point = strchr(text, '.');
    return point ? strspn(point + 1, "0123456789") + 1 : 0;
}

void lauka_sheet_align_points(struct lauka_sheet *sheet, size_t column, size_t first, size_t end)
{
    const bool to_left = sheet->columns[column].align == LAUKA_ALIGN_LEFT;
    size_t most = 0;
    int widest = 0;
    for (size_t r = first; r < end; r++) {
        size_t decimals = decimals_of(lauka_sheet_text(sheet, r, column));
        most = decimals > most ? decimals : most;
    }
    for (size_t r = first; r < end; r++) {
        const char *text = lauka_sheet_text(sheet, r, column);
        int width = lauka_display_width(text) + (int)(most - decimals_of(text));
        widest = *text && width > widest ? width : widest;
    }
    for (size_t r = first; r < end; r++) {
        const char *text = lauka_sheet_text(sheet, r, column);
        int missing = (int)(most - decimals_of(text));
        int digits = to_left ? widest - lauka_display_width(text) - missing : 0;
        if (*text)
            lauka_sheet_set(sheet, r, column, "%*s%s%*s", digits, "", text, missing, "");
    }
}

/* ---- how wide it gets ------------------------------------------------------------------------ */

void lauka_sheet_measure(struct lauka_sheet *sheet)
{
    for (size_t c = 0; c < sheet->column_count; c++) {
        struct lauka_sheet_column *column = &sheet->columns[c];
        int title = column->title ? lauka_display_width(column->title) : 0;
        column->width = 0;
        for (size_t r = 0; r < sheet->row_count; r++) {
            int width = lauka_display_width(lauka_sheet_text(sheet, r, c));
            column->width = width > column->width ? width : column->width;
        }
        if (column->width > 0 && column->width < title)
            column->width = title;
    }
}

static bool shows(const struct lauka_sheet *sheet, size_t column)
{
    return !sheet->columns[column].hidden && sheet->columns[column].width > 0;
}

static int lead_width(const struct lauka_sheet *sheet, size_t column)
{
    const struct lauka_sheet_column *about = &sheet->columns[column];
    if (about->sign)
        return 2 + lauka_display_width(about->sign);
    if (column == 0)
        return sheet->indent;
    return about->close ? 1 : sheet->gap;
}

int lauka_sheet_width(const struct lauka_sheet *sheet, size_t first, size_t end)
{
    int total = 0;
    for (size_t c = first; c < end; c++)
        if (shows(sheet, c))
            total += lead_width(sheet, c) + sheet->columns[c].width;
    return total;
}

int lauka_sheet_excess(const struct lauka_sheet *sheet)
{
    return lauka_sheet_width(sheet, 0, sheet->column_count) - sheet->terminal.width;
}

void lauka_sheet_give_up(struct lauka_sheet *sheet, int rank)
{
    for (size_t c = 0; c < sheet->column_count; c++)
        sheet->columns[c].hidden |= sheet->columns[c].rank == rank;
}

/* The lowest rank above this one; 0: there is none. */
static int next_rank(const struct lauka_sheet *sheet, int rank)
{
    int next = 0;
    for (size_t c = 0; c < sheet->column_count; c++) {
        int own = sheet->columns[c].rank;
        if (own > rank && (next == 0 || own < next))
            next = own;
    }
    return next;
}

void lauka_sheet_fit(struct lauka_sheet *sheet)
{
    for (int rank = next_rank(sheet, 0); rank > 0 && lauka_sheet_excess(sheet) > 0;
         rank = next_rank(sheet, rank))
        lauka_sheet_give_up(sheet, rank);
}

void lauka_sheet_cut(struct lauka_sheet *sheet, size_t column, int least)
{
    struct lauka_sheet_column *about = &sheet->columns[column];
    int excess = lauka_sheet_excess(sheet), room = about->width - excess;
    if (!shows(sheet, column) || excess <= 0 || about->width <= least)
        return;
    about->width = room > least ? room : least;
    about->cut = true;
}

/* ---- how it is drawn ------------------------------------------------------------------------- */

/* Blanks are delayed until text follows, so that no line ends in them. */
struct pen {
    const struct lauka_sheet *sheet;
    FILE *out;
    int blanks;
};

static void draw_text(struct pen *pen, enum lauka_style style, const char *text)
{
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == ' ')
        length--;
    if (!*text)
        return;
    fprintf(pen->out, "%*s", pen->blanks > 0 ? pen->blanks : 0, "");
    lauka_style_begin(style, pen->sheet->terminal, pen->out);
    fprintf(pen->out, "%.*s", (int)length, text);
    lauka_style_end(style, pen->sheet->terminal, pen->out);
    pen->blanks = (int)(strlen(text) - length);
}

/* The sign between two numbers is drawn only if both are there. */
static void draw_lead(struct pen *pen, size_t column, const char *next)
{
    const char *sign = pen->sheet->columns[column].sign;
    if (!sign || !*next) {
        pen->blanks += lead_width(pen->sheet, column);
        return;
    }
    pen->blanks++;
    draw_text(pen, LAUKA_STYLE_SECONDARY, sign);
    pen->blanks++;
}

/* A text that is wider than its column takes the blanks beside it; one in the first column moves the others. */
static void draw_cell(struct pen *pen, size_t column, enum lauka_style style, const char *text)
{
    const struct lauka_sheet_column *about = &pen->sheet->columns[column];
    char *copy = NULL;
    if (about->cut && lauka_display_width(text) > about->width && (copy = strdup(text)))
        lauka_cut_marked(copy, about->width, pen->sheet->terminal.utf8);
    int padding = about->width - lauka_display_width(copy ? copy : text);
    if (column == 0 && padding < 0)
        padding = 0;
    pen->blanks += about->align == LAUKA_ALIGN_RIGHT ? padding : 0;
    draw_text(pen, style, copy ? copy : text);
    pen->blanks += about->align == LAUKA_ALIGN_LEFT ? padding : 0;
    free(copy);
}

void lauka_sheet_draw(const struct lauka_sheet *sheet, size_t row, size_t first, size_t end,
                      int blanks, FILE *out)
{
    struct pen pen = {sheet, out, blanks};
    for (size_t c = first; c < end; c++) {
        const char *text = lauka_sheet_text(sheet, row, c);
        if (!shows(sheet, c))
            continue;
        draw_lead(&pen, c, text);
        draw_cell(&pen, c, *text ? cell_of(sheet, row, c)->style : LAUKA_STYLE_PLAIN, text);
    }
    fputc('\n', out);
}

void lauka_sheet_draw_titles(const struct lauka_sheet *sheet, size_t end, FILE *out)
{
    struct pen pen = {sheet, out, 0};
    for (size_t c = 0; c < end; c++) {
        const char *title = sheet->columns[c].title ? sheet->columns[c].title : "";
        if (!shows(sheet, c))
            continue;
        draw_lead(&pen, c, title);
        enum lauka_style style = sheet->columns[c].title_style;
        draw_cell(&pen, c, style ? style : LAUKA_STYLE_SECONDARY, title);
    }
    fputc('\n', out);
}

int lauka_sheet_write(const struct lauka_sheet *sheet, FILE *out)
{
    for (size_t r = 0; r < sheet->row_count && !sheet->error; r++)
        lauka_sheet_draw(sheet, r, 0, sheet->column_count, 0, out);
    return sheet->error;
}
