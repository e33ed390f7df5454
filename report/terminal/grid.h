/* The columns of figures that the tables of this room share. */
#ifndef LAUKA_REPORT_TERMINAL_GRID_H
#define LAUKA_REPORT_TERMINAL_GRID_H

#include "report/text/sheet.h"
#include "report/words/words.h"

/* A sheet with a column for each enum lauka_cell; their ranks say what a narrow terminal hides first. */
void lauka_grid_make(struct lauka_sheet *sheet, struct lauka_prose *prose);

/* Adds a row of these cells with their styles. */
void lauka_grid_add(struct lauka_sheet *sheet, const struct lauka_cells *cells);

#endif
