/* Rows of texts in aligned columns: every table on a terminal is such a sheet. It measures its columns,
 * hides or cuts the least important ones on narrow terminals, and draws rows without trailing blanks. */
#ifndef LAUKA_REPORT_TEXT_SHEET_H
#define LAUKA_REPORT_TEXT_SHEET_H

#include <stdbool.h>
#include <stddef.h>

#include "report/text/prose.h"

enum { LAUKA_SHEET_COLUMNS = 64 }; /* at most */

enum lauka_align { LAUKA_ALIGN_LEFT, LAUKA_ALIGN_RIGHT };

struct lauka_sheet_column {
    const char *title; /* borrowed; NULL: none */
    const char *sign;  /* borrowed; drawn before the column's texts, between blanks: "±" */
    enum lauka_style title_style; /* PLAIN: default for titles */
    enum lauka_align align;
    bool close; /* only one blank before it */
    int rank;   /* columns of the lowest rank are hidden first, together; 0: never */
    int width;  /* in columns of the terminal; 0: empty, takes no room */
    bool hidden, cut;
};

struct lauka_sheet_cell {
    const char *text; /* owned by the prose; NULL: empty */
    enum lauka_style style;
};

/* Copies by assignment share the cells, but have their own columns. */
struct lauka_sheet {
    struct lauka_prose *prose; /* borrowed; cells and their texts have its lifetime */
    int indent, gap;           /* blanks before the first column, and between columns */
    struct lauka_sheet_column columns[LAUKA_SHEET_COLUMNS];
    size_t column_count, row_count;
    struct lauka_sheet_cell *cells; /* in row order */
};

/* Makes an empty sheet with these columns, two blanks apart. */
void lauka_sheet_make(struct lauka_sheet *sheet, const struct lauka_sheet_column *columns,
                      size_t count, struct lauka_prose *prose);

/* Adds a row of empty cells and returns its number. Without memory there is no row, and its cells cannot be set. */
size_t lauka_sheet_add(struct lauka_sheet *sheet);

/* Sets the text of a cell, which must be safe to show and live as long as the prose; _set keeps the style. */
void lauka_sheet_put(struct lauka_sheet *sheet, size_t row, size_t column, enum lauka_style style,
                     const char *text);
void lauka_sheet_set(struct lauka_sheet *sheet, size_t row, size_t column, const char *text);

/* The text of a cell, initially empty. */
const char *lauka_sheet_text(const struct lauka_sheet *sheet, size_t row, size_t column);

/* Cuts a column's texts before the first of these characters. */
void lauka_sheet_shorten(struct lauka_sheet *sheet, size_t column, const char *ends);

/* Aligns numbers in the rows from `first` to before `end` by their decimal points: pads missing
 * decimals with blanks and, in columns aligned to the left, missing leading digits. */
void lauka_sheet_align_points(struct lauka_sheet *sheet, size_t column, size_t first, size_t end);

/* Makes columns as wide as their widest text, and nonempty ones at least as wide as their titles. */
void lauka_sheet_measure(struct lauka_sheet *sheet);

/* The width of the columns from `first` to before `end`, including what is drawn before each. */
int lauka_sheet_width(const struct lauka_sheet *sheet, size_t first, size_t end);

/* How much wider the sheet is than the terminal; negative: free columns. */
int lauka_sheet_excess(const struct lauka_sheet *sheet);

/* Hides columns in the order of their ranks until the sheet fits or no more may be hidden. */
void lauka_sheet_fit(struct lauka_sheet *sheet);

/* Hides all columns of this rank. */
void lauka_sheet_give_up(struct lauka_sheet *sheet, int rank);

/* Narrows the column until the sheet fits, but not below `least`. Its texts are cut when drawn. */
void lauka_sheet_cut(struct lauka_sheet *sheet, size_t column, int least);

/* Writes these columns of a row as a line with `blanks` leading blanks; and a line with the titles
 * of all columns before `end`. */
void lauka_sheet_draw(const struct lauka_sheet *sheet, size_t row, size_t first, size_t end,
                      int blanks);
void lauka_sheet_draw_titles(const struct lauka_sheet *sheet, size_t end);

/* Draws all rows. */
void lauka_sheet_write(const struct lauka_sheet *sheet);

#endif
