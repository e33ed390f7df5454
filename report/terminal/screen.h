/* The screen of one benchmark: what its parts share. It is grouped by metric, so that compared
 * figures are close together; everything that does not decide is condensed to lines. */
#ifndef LAUKA_REPORT_TERMINAL_SCREEN_H
#define LAUKA_REPORT_TERMINAL_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

#include "report/result/result.h"
#include "report/terminal/blocks.h"
#include "report/text/prose.h"
#include "report/text/sheet.h"
#include "report/words/words.h"

enum { LAUKA_SCREEN_GROUPED = 3 }; /* with more commands, each has a row in the main metric */

struct lauka_screen {
    struct lauka_prose *prose;
    const struct lauka_result *result;
    bool *in_full;              /* by metric: it has a group, or a row for a single command */
    size_t most_rows;           /* rows of changes */
    size_t most_names;          /* in each line of names */
    enum lauka_brevity brevity; /* length of notes */
};

/* grid.c: the columns of figures. A sheet with a column for each enum lauka_cell, whose ranks say what a narrow terminal
 * hides first; and adds a row of these cells with their styles. */
void lauka_grid_make(struct lauka_sheet *sheet, struct lauka_prose *prose);
void lauka_grid_add(struct lauka_sheet *sheet, const struct lauka_cells *cells);

/* groups.c: the metrics shown in full. */
void lauka_screen_groups(const struct lauka_screen *screen);

#endif
