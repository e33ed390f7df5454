/* Rows of texts in aligned columns: every table on a terminal is such a sheet. It measures its columns, gives up
 * or cuts the ones that matter least where the terminal is narrow, and draws rows of which none ends in blanks. */
#ifndef LAUKA_REPORT_TEXT_SHEET_H
#define LAUKA_REPORT_TEXT_SHEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "report/text/prose.h"

enum { LAUKA_SHEET_COLUMNS = 64 }; /* at most */

enum lauka_align { LAUKA_ALIGN_LEFT, LAUKA_ALIGN_RIGHT };

struct lauka_sheet_column {
    const char *title; /* borrowed; NULL: none */
    const char
        *sign; /* borrowed; drawn in front of the column's texts, a blank on either side: "±" */
    enum lauka_style title_style; /* PLAIN: as titles are */
    enum lauka_align align;
    bool close; /* one blank is enough in front of it */
    int rank;   /* columns of the lowest rank are given up first, together; 0: never */
    int width;  /* in columns of the terminal; 0: it is empty and takes no room */
    bool hidden, cut;
};

struct lauka_sheet_cell {
    const char *text; /* the prose's; NULL: empty */
    enum lauka_style style;
};

/* Copies by assignment share the cells and have columns of their own. */
struct lauka_sheet {
    struct lauka_prose *prose; /* borrowed; cells and their texts live as long */
    int indent, gap;           /* blanks before the first column; between columns */
    struct lauka_sheet_column columns[LAUKA_SHEET_COLUMNS];
    size_t column_count, row_count;
    struct lauka_sheet_cell *cells; /* row by row */
};

/* An empty sheet with these columns, two blanks between them. */
void lauka_sheet_make(struct lauka_sheet *sheet, const struct lauka_sheet_column *columns,
                      size_t count, struct lauka_prose *prose);

/* Adds a row of empty cells and returns its number. Without memory, the row is not there, and its cells cannot be set. */
size_t lauka_sheet_add(struct lauka_sheet *sheet);

/* Sets the text of a cell, which must be safe to show and live as long as the prose; _set leaves the style as it is. */
void lauka_sheet_put(struct lauka_sheet *sheet, size_t row, size_t column, enum lauka_style style,
                     const char *text);
void lauka_sheet_set(struct lauka_sheet *sheet, size_t row, size_t column, const char *text);

/* The text of a cell, which is empty at first. */
const char *lauka_sheet_text(const struct lauka_sheet *sheet, size_t row, size_t column);

/* Keeps of a column's texts what stands before the first of these characters. */
void lauka_sheet_shorten(struct lauka_sheet *sheet, size_t column, const char *ends);

/* Aligns numbers of these rows, from `first` to before `end`, by their decimal points: blanks take the places of
 * missing decimals, and in front of what is aligned to the left those of missing digits. */
void lauka_sheet_align_points(struct lauka_sheet *sheet, size_t column, size_t first, size_t end);

/* Makes columns as wide as their widest text, and those that are not empty as wide as their titles. */
void lauka_sheet_measure(struct lauka_sheet *sheet);

/* How many columns of the terminal these columns take, from `first` to before `end`, with what leads to each. */
int lauka_sheet_width(const struct lauka_sheet *sheet, size_t first, size_t end);

/* By how much the whole sheet is wider than the terminal; negative: that much is free. */
int lauka_sheet_excess(const struct lauka_sheet *sheet);

/* Gives up columns in the order of their ranks until the sheet fits or no others may go. */
void lauka_sheet_fit(struct lauka_sheet *sheet);

/* Hides all columns of this rank. */
void lauka_sheet_give_up(struct lauka_sheet *sheet, int rank);

/* Makes the column narrower until the sheet fits, but not narrower than `least`. Its texts are then cut when they
 * are drawn. */
void lauka_sheet_cut(struct lauka_sheet *sheet, size_t column, int least);

/* Writes these columns of a row as a line that begins with `blanks` blanks; and a line of the titles of all columns
 * before `end`. */
void lauka_sheet_draw(const struct lauka_sheet *sheet, size_t row, size_t first, size_t end,
                      int blanks);
void lauka_sheet_draw_titles(const struct lauka_sheet *sheet, size_t end);

/* Draws all rows. */
void lauka_sheet_write(const struct lauka_sheet *sheet);

#endif
