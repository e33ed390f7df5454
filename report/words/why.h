/* Which functions made the difference, in words and cells. */
#ifndef LAUKA_REPORT_WORDS_WHY_H
#define LAUKA_REPORT_WORDS_WHY_H

#include <stdbool.h>
#include <stddef.h>

#include "report/result/result.h"

enum lauka_why_cell {
    LAUKA_WHY_CHANGE, /* "+450,000" */
    LAUKA_WHY_NAME,   /* "parse_number", "37 other functions"; safe */
    LAUKA_WHY_PLACE,  /* "src/parse.c:120", "libc"; safe; may be empty */
    LAUKA_WHY_SIDES,  /* "1.5 M → 1.95 M", "gone: inlined into parse_value?"; safe */
    LAUKA_WHY_CELLS
};

enum { LAUKA_WHY_CELL_SIZE = 600, LAUKA_WHY_ROWS_MOST = 22 };

struct lauka_why_row {
    char text[LAUKA_WHY_CELLS][LAUKA_WHY_CELL_SIZE];
    const struct lauka_why_function *function; /* borrowed; NULL: it is about several */
    bool is_name;                              /* the name is that of one function */
};

/* Whether people should see it: they asked, or a gate failed on what valgrind counted. */
bool lauka_result_tells_why(const struct lauka_result *result);

/* "`b` executes 4.7 % more instructions than `a` (+450,000 of 9.6 M, exact)". The names are safe.
 * Returns text. */
char *lauka_why_sentence(const struct lauka_why *why, const char *name, const char *reference,
                         bool utf8, char *text, size_t size);

/* The functions that changed most, at most `most`, then all others and what belongs to no function, so
 * that changes add up. Returns how many rows. */
size_t lauka_why_rows(const struct lauka_why *why, size_t most, bool utf8,
                      struct lauka_why_row rows[LAUKA_WHY_ROWS_MOST]);

/* "estimated cycles: +5.1 % (12.1 M → 12.7 M)"; false if no caches were simulated. */
bool lauka_why_cycles(const struct lauka_why *why, bool utf8, char *text, size_t size);

/* What to do about objects without symbols; false if none of those that changed lacks them. */
bool lauka_why_advice(const struct lauka_why *why, bool utf8, char *text, size_t size);

#endif
