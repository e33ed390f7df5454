/* Rows of figures in aligned columns. Numbers are aligned towards the sign between them. */
#include "report/terminal/grid.h"
#include "report/text/text.h"
#include "report/words/words.h"

#include <stdio.h>
#include <string.h>

/* ---- how wide it gets ------------------------------------------------------------------------ */

void lauka_grid_reset(struct lauka_grid *grid)
{
    memset(grid->widths, 0, sizeof grid->widths);
}

void lauka_grid_widen(struct lauka_grid *grid, const struct lauka_cells *row)
{
    for (enum lauka_cell c = 0; c < LAUKA_CELLS; c++) {
        int width = lauka_display_width(row->text[c]);
        grid->widths[c] = width > grid->widths[c] ? width : grid->widths[c];
    }
}

void lauka_grid_widen_titles(struct lauka_grid *grid)
{
    for (enum lauka_cell c = 0; c < LAUKA_CELLS; c++) {
        int least = lauka_display_width(lauka_cell_title(c, grid->terminal.utf8));
        if (grid->widths[c] > 0 && grid->widths[c] < least)
            grid->widths[c] = least;
    }
}

void lauka_grid_hide(struct lauka_grid *grid, enum lauka_cell column)
{
    grid->hidden[column] = true;
    if (column == LAUKA_CELL_LEAST)
        grid->hidden[LAUKA_CELL_MOST] = true;
    if (column == LAUKA_CELL_MEAN)
        grid->hidden[LAUKA_CELL_UNIT] = true;
}

static bool shows(const struct lauka_grid *grid, enum lauka_cell column)
{
    return !grid->hidden[column] && grid->widths[column] > 0;
}

/* What stands between a mean and its deviation, between the least and the most; NULL elsewhere. */
static const char *sign_of(const struct lauka_grid *grid, enum lauka_cell column)
{
    if (column == LAUKA_CELL_DEVIATION)
        return grid->terminal.utf8 ? "±" : "+-";
    if (column == LAUKA_CELL_MOST)
        return grid->terminal.utf8 ? "…" : "...";
    return NULL;
}

static int lead_width(const struct lauka_grid *grid, enum lauka_cell column)
{
    const char *sign = sign_of(grid, column);
    if (sign)
        return 2 + lauka_display_width(sign);
    if (column == LAUKA_CELL_NAME)
        return grid->indent;
    bool close = column == LAUKA_CELL_UNIT || column == LAUKA_CELL_INTERVAL;
    return close ? 1 : grid->gap;
}

int lauka_grid_width(const struct lauka_grid *grid, enum lauka_cell first, enum lauka_cell end)
{
    int total = 0;
    for (enum lauka_cell c = first; c < end; c++)
        if (shows(grid, c))
            total += lead_width(grid, c) + grid->widths[c];
    return total;
}

/* ---- how it is drawn ------------------------------------------------------------------------- */

/* Blanks are delayed until text follows, so that no line ends in them. */
struct pen {
    const struct lauka_grid *grid;
    int blanks;
    bool titles; /* which begin where their column does */
};

static void draw(struct pen *pen, enum lauka_style style, const char *text)
{
    if (!*text)
        return;
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == ' ')
        length--;
    fprintf(pen->grid->out, "%*s", pen->blanks > 0 ? pen->blanks : 0, "");
    lauka_style_begin(style, pen->grid->terminal, pen->grid->out);
    fprintf(pen->grid->out, "%.*s", (int)length, text);
    lauka_style_end(style, pen->grid->terminal, pen->grid->out);
    pen->blanks = (int)(strlen(text) - length);
}

static void draw_cell(struct pen *pen, enum lauka_cell column, const char *text,
                      enum lauka_style style)
{
    bool to_left = column == LAUKA_CELL_NAME || column == LAUKA_CELL_UNIT ||
                   column == LAUKA_CELL_VERDICT || sign_of(pen->grid, column) ||
                   (pen->titles && column == LAUKA_CELL_CHANGE);
    int padding = pen->grid->widths[column] - lauka_display_width(text);
    if (column == LAUKA_CELL_NAME && padding < 0) /* it moves the others */
        padding = 0;
    pen->blanks += to_left ? 0 : padding;
    draw(pen, style, text);
    pen->blanks += to_left ? padding : 0;
}

/* The sign between two numbers is drawn only if both are there. */
static void draw_lead(struct pen *pen, enum lauka_cell column, const char *next)
{
    const char *sign = sign_of(pen->grid, column);
    if (!sign || !*next) {
        pen->blanks += lead_width(pen->grid, column);
        return;
    }
    pen->blanks++;
    draw(pen, LAUKA_STYLE_SECONDARY, sign);
    pen->blanks++;
}

static enum lauka_style style_for(const struct lauka_cells *row, enum lauka_cell column)
{
    bool compared = column >= LAUKA_CELL_CHANGE;
    if (!row->counted || (compared && !row->primary))
        return LAUKA_STYLE_SECONDARY;
    if (column == LAUKA_CELL_MEAN)
        return LAUKA_STYLE_MAIN;
    if (column == LAUKA_CELL_CHANGE || column == LAUKA_CELL_VERDICT)
        return row->better  ? LAUKA_STYLE_BETTER
               : row->worse ? LAUKA_STYLE_WORSE
                            : LAUKA_STYLE_PLAIN;
    if (column == LAUKA_CELL_OUTLIERS && row->many_outliers)
        return LAUKA_STYLE_DOUBTFUL;
    bool minor = column == LAUKA_CELL_LEAST || column == LAUKA_CELL_MOST;
    return minor || column == LAUKA_CELL_OUTLIERS ? LAUKA_STYLE_SECONDARY : LAUKA_STYLE_PLAIN;
}

void lauka_grid_draw(const struct lauka_grid *grid, const struct lauka_cells *row,
                     enum lauka_cell first, enum lauka_cell end, int blanks)
{
    struct pen pen = {grid, blanks, false};
    for (enum lauka_cell c = first; c < end; c++) {
        if (!shows(grid, c))
            continue;
        draw_lead(&pen, c, row->text[c]);
        draw_cell(&pen, c, row->text[c], style_for(row, c));
    }
    fputc('\n', grid->out);
}

void lauka_grid_draw_titles(const struct lauka_grid *grid, enum lauka_cell end)
{
    struct pen pen = {grid, 0, false};
    for (enum lauka_cell c = 0; c < LAUKA_CELLS; c++) {
        const char *text = c < end ? lauka_cell_title(c, grid->terminal.utf8) : "";
        if (!shows(grid, c))
            continue;
        draw_lead(&pen, c, text);
        draw_cell(&pen, c, text, LAUKA_STYLE_SECONDARY);
    }
    fputc('\n', grid->out);
}

void lauka_grid_draw_heads(const struct lauka_grid *grid, const struct lauka_cells *heads,
                           enum lauka_cell end)
{
    struct pen pen = {grid, 0, true};
    for (enum lauka_cell c = 0; c < end; c++) {
        if (!shows(grid, c))
            continue;
        draw_lead(&pen, c, heads->text[c]);
        draw_cell(&pen, c, heads->text[c], c == 0 ? LAUKA_STYLE_HEADING : LAUKA_STYLE_SECONDARY);
    }
    fputc('\n', grid->out);
}
