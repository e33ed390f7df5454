/* Rows of texts in aligned columns. */
#include "report/text/sheet.h"
#include "report/text/text.h"

#include <assert.h>
#include <string.h>

/* ---- cells ----------------------------------------------------------------------------------- */

void lauka_sheet_make(struct lauka_sheet *sheet, const struct lauka_sheet_column *columns,
                      size_t count, struct lauka_prose *prose)
{
    assert(count <= LAUKA_SHEET_COLUMNS);
    *sheet = (struct lauka_sheet){.prose = prose, .gap = 2, .column_count = count};
    memcpy(sheet->columns, columns, count * sizeof *columns);
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
        struct lauka_sheet_cell *cells = lauka_prose_room(sheet->prose, row ? 2 * row : 1, size);
        if (!cells)
            return row;
        if (row > 0)
            memcpy(cells, sheet->cells, row * size);
        sheet->cells = cells;
    }
    return sheet->row_count++;
}

void lauka_sheet_put(struct lauka_sheet *sheet, size_t row, size_t column, enum lauka_style style,
                     const char *text)
{
    if (row < sheet->row_count)
        *cell_of(sheet, row, column) = (struct lauka_sheet_cell){text, style};
}

void lauka_sheet_set(struct lauka_sheet *sheet, size_t row, size_t column, const char *text)
{
    if (row < sheet->row_count)
        cell_of(sheet, row, column)->text = text;
}

const char *lauka_sheet_text(const struct lauka_sheet *sheet, size_t row, size_t column)
{
    const char *text = row < sheet->row_count ? cell_of(sheet, row, column)->text : NULL;
    return text ? text : "";
}

void lauka_sheet_shorten(struct lauka_sheet *sheet, size_t column, const char *ends)
{
    for (size_t r = 0; r < sheet->row_count; r++) {
        const char *text = lauka_sheet_text(sheet, r, column);
        int length = (int)strcspn(text, ends);
        while (length > 0 && text[length - 1] == ' ')
            length--;
        lauka_sheet_set(sheet, r, column, lauka_say(sheet->prose, "%.*s", length, text));
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
            lauka_sheet_set(sheet, r, column,
                            lauka_say(sheet->prose, "%*s%s%*s", digits, "", text, missing, ""));
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
    return lauka_sheet_width(sheet, 0, sheet->column_count) - sheet->prose->terminal.width;
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
    int blanks;
};

static void draw_text(struct pen *pen, enum lauka_style style, const char *text)
{
    struct lauka_prose *prose = pen->sheet->prose;
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == ' ')
        length--;
    if (!*text)
        return;
    lauka_put(prose, "%*s", pen->blanks > 0 ? pen->blanks : 0, "");
    lauka_put_text(prose, style, lauka_say(prose, "%.*s", (int)length, text));
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

/* Not wider than its column. */
static const char *cut(struct lauka_prose *prose, const char *text, int width)
{
    char *copy = lauka_prose_copy(prose, text);
    if (copy)
        lauka_cut_marked(copy, width, prose->utf8);
    return copy ? copy : "";
}

/* A text that is wider than its column takes the blanks beside it; one in the first column moves the others. */
static void draw_cell(struct pen *pen, size_t column, enum lauka_style style, const char *text)
{
    const struct lauka_sheet_column *about = &pen->sheet->columns[column];
    if (about->cut && lauka_display_width(text) > about->width)
        text = cut(pen->sheet->prose, text, about->width);
    int padding = about->width - lauka_display_width(text);
    if (column == 0 && padding < 0)
        padding = 0;
    pen->blanks += about->align == LAUKA_ALIGN_RIGHT ? padding : 0;
    draw_text(pen, style, text);
    pen->blanks += about->align == LAUKA_ALIGN_LEFT ? padding : 0;
}

void lauka_sheet_draw(const struct lauka_sheet *sheet, size_t row, size_t first, size_t end,
                      int blanks)
{
    struct pen pen = {sheet, blanks};
    for (size_t c = first; c < end && row < sheet->row_count; c++) {
        const char *text = lauka_sheet_text(sheet, row, c);
        if (!shows(sheet, c))
            continue;
        draw_lead(&pen, c, text);
        draw_cell(&pen, c, *text ? cell_of(sheet, row, c)->style : LAUKA_STYLE_PLAIN, text);
    }
    lauka_put(sheet->prose, "\n");
}

void lauka_sheet_draw_titles(const struct lauka_sheet *sheet, size_t end)
{
    struct pen pen = {sheet, 0};
    for (size_t c = 0; c < end; c++) {
        const char *title = sheet->columns[c].title ? sheet->columns[c].title : "";
        if (!shows(sheet, c))
            continue;
        draw_lead(&pen, c, title);
        enum lauka_style style = sheet->columns[c].title_style;
        draw_cell(&pen, c, style ? style : LAUKA_STYLE_SECONDARY, title);
    }
    lauka_put(sheet->prose, "\n");
}

void lauka_sheet_write(const struct lauka_sheet *sheet)
{
    for (size_t r = 0; r < sheet->row_count; r++)
        lauka_sheet_draw(sheet, r, 0, sheet->column_count, 0);
}
