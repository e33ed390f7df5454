/* The columns of figures, with their titles and styles. Numbers are aligned towards the sign between them. */
#include "report/terminal/screen.h"
#include "report/text/sheet.h"
#include "report/words/words.h"

/* The answer stays longest, and the verdict outlives its number: alone, a number would say too much, and "±"
 * would claim that its interval is symmetrical. A mean goes with its unit, the least value with the most. */
void lauka_grid_make(struct lauka_sheet *sheet, struct lauka_prose *prose)
{
    struct lauka_sheet_column columns[LAUKA_CELLS] = {
        [LAUKA_CELL_NAME] = {.align = LAUKA_ALIGN_LEFT},
        [LAUKA_CELL_MEAN] = {.align = LAUKA_ALIGN_RIGHT, .rank = 6},
        [LAUKA_CELL_DEVIATION] = {.sign = prose->signs->plus_minus, .rank = 4},
        [LAUKA_CELL_UNIT] = {.close = true, .rank = 6},
        [LAUKA_CELL_SHARE] = {.align = LAUKA_ALIGN_RIGHT, .rank = 5},
        [LAUKA_CELL_LEAST] = {.align = LAUKA_ALIGN_RIGHT, .rank = 2},
        [LAUKA_CELL_MOST] = {.sign = prose->signs->ellipsis, .rank = 2},
        [LAUKA_CELL_OUTLIERS] = {.align = LAUKA_ALIGN_RIGHT, .rank = 1},
        [LAUKA_CELL_CHANGE] = {.align = LAUKA_ALIGN_RIGHT, .rank = 8},
        [LAUKA_CELL_INTERVAL] = {.align = LAUKA_ALIGN_RIGHT, .close = true, .rank = 7},
        [LAUKA_CELL_VERDICT] = {.align = LAUKA_ALIGN_LEFT},
        [LAUKA_CELL_EFFECT] = {.align = LAUKA_ALIGN_RIGHT, .rank = 3},
    };
    for (enum lauka_cell c = 0; c < LAUKA_CELLS; c++)
        columns[c].title = lauka_cell_title(prose, c);
    lauka_sheet_make(sheet, columns, LAUKA_CELLS, prose);
}

static enum lauka_style style_of(const struct lauka_cells *row, enum lauka_cell column)
{
    bool compared = column >= LAUKA_CELL_CHANGE;
    if (!row->counted || (compared && !row->primary))
        return LAUKA_STYLE_SECONDARY;
    if (column == LAUKA_CELL_MEAN)
        return LAUKA_STYLE_MAIN;
    if (column == LAUKA_CELL_CHANGE || column == LAUKA_CELL_VERDICT)
        return row->goodness > 0   ? LAUKA_STYLE_BETTER
               : row->goodness < 0 ? LAUKA_STYLE_WORSE
                                   : LAUKA_STYLE_PLAIN;
    if (column == LAUKA_CELL_OUTLIERS && row->many_outliers)
        return LAUKA_STYLE_DOUBTFUL;
    bool minor = column == LAUKA_CELL_LEAST || column == LAUKA_CELL_MOST;
    return minor || column == LAUKA_CELL_OUTLIERS ? LAUKA_STYLE_SECONDARY : LAUKA_STYLE_PLAIN;
}

void lauka_grid_add(struct lauka_sheet *sheet, const struct lauka_cells *cells)
{
    const size_t row = lauka_sheet_add(sheet);
    for (enum lauka_cell c = 0; c < LAUKA_CELLS; c++)
        lauka_sheet_put(sheet, row, c, style_of(cells, c), cells->text[c]);
}
