/* Rows of figures in aligned columns, for the tables of this room. */
#ifndef LAUKA_REPORT_TERMINAL_GRID_H
#define LAUKA_REPORT_TERMINAL_GRID_H

#include <stdbool.h>
#include <stdio.h>

#include "report/text/text.h"
#include "report/words/words.h"

struct lauka_grid {
    struct lauka_terminal terminal;
    FILE *out;
    int widths[LAUKA_CELLS]; /* 0: the column is empty, and takes nothing */
    bool hidden[LAUKA_CELLS];
    int indent, gap; /* before names; between columns */
};

/* All columns are empty. */
void lauka_grid_reset(struct lauka_grid *grid);

/* Makes columns as wide as the row's cells; columns that are not empty also as wide as their titles. */
void lauka_grid_widen(struct lauka_grid *grid, const struct lauka_cells *row);
void lauka_grid_widen_titles(struct lauka_grid *grid);

/* Hides a column, and what means nothing without it. */
void lauka_grid_hide(struct lauka_grid *grid, enum lauka_cell column);

/* Columns that these cells, from `first` to before `end`, take with what leads to each. */
int lauka_grid_width(const struct lauka_grid *grid, enum lauka_cell first, enum lauka_cell end);

/* A line of these cells, `blanks` in front; and the titles of those before `end`. */
void lauka_grid_draw(const struct lauka_grid *grid, const struct lauka_cells *row,
                     enum lauka_cell first, enum lauka_cell end, int blanks);
void lauka_grid_draw_titles(const struct lauka_grid *grid, enum lauka_cell end);

/* A line of titles of one's own, that of a change above it and its interval; the first is a heading. */
void lauka_grid_draw_heads(const struct lauka_grid *grid, const struct lauka_cells *heads,
                           enum lauka_cell end);

#endif
