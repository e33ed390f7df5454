/* Reasons for the difference in words: functions by valgrind's counts and by samples, system calls, page faults. */
#ifndef LAUKA_REPORT_WORDS_WHY_H
#define LAUKA_REPORT_WORDS_WHY_H

#include <stdbool.h>
#include <stddef.h>

#include "report/result/result.h"
#include "report/text/prose.h"

enum lauka_why_cell {
    LAUKA_WHY_CHANGE, /* "+450,000", "+4.1 points" */
    LAUKA_WHY_NAME,   /* "parse_number", "37 other functions"; safe */
    LAUKA_WHY_PLACE,  /* "src/parse.c:120", "libc"; safe; may be empty */
    LAUKA_WHY_SIDES,  /* "1.5 M → 1.95 M", "gone", "21 % [19, 23] → 25 % [23, 27]"; safe */
    LAUKA_WHY_CELLS
};

enum { LAUKA_WHY_ROWS_MOST = 22 };

struct lauka_why_row {
    const char *text[LAUKA_WHY_CELLS];
    const char *brief; /* the name without arguments, and without what is in templates; safe */
    const char *
        remark; /* "with parse_value, inlined now", "inlined into parse_value?"; safe; may be empty */
    const struct lauka_why_function *function; /* borrowed; NULL: several functions, or samples */
    bool is_name;                              /* the name belongs to one function */
};

/* A part of the report on a command. */
enum lauka_why_kind {
    LAUKA_WHY_COUNTED, /* "\1 executes 4.7 % more instructions than \2 (+450,000 of 9.6 M, exact)",
                        * with marks for names as in said.h; and a row per function */
    LAUKA_WHY_REASON,  /* why nothing was counted; quotes a command without escapes */
    LAUKA_WHY_SAMPLED, /* "time: +5.1 % [+4.7, +5.6]; samples point to parse_number, too: 21 % [19,
                        * 23] → 25 % [23, 27]", and a row per claim */
    LAUKA_WHY_SETTING, /* "2,410 and 2,530 samples (cpu-clock, 24 rounds, in user mode)" */
    LAUKA_WHY_LINE,    /* cycles, advice, system calls and page faults */
};

struct lauka_why_part {
    enum lauka_why_kind kind;
    bool beside; /* about samples, although something was counted */
    const char *text;
    struct lauka_why_row rows[LAUKA_WHY_ROWS_MOST];
    size_t row_count;
};

/* A function's name, safe, in this many columns: whole if it fits; otherwise without a C++ name's arguments, then
 * without what its templates were made with, then without the namespaces in front, then cut in the middle. */
const char *lauka_say_function(struct lauka_prose *prose, const char *name, int width);

/* Of a safe name that is too long, the last ones of its chain that fit, because the end says most: "…::serializer::dump".
 * Too long is also what has only one left. */
const char *lauka_say_last_names(struct lauka_prose *prose, const char *name, int width);

/* Columns where little room is left for it. */
enum { LAUKA_FUNCTION_WIDTH = 40 };

/* What is before and after with the remark: "1.5 M → 1.95 M, with parse_value, inlined now". */
const char *lauka_why_sides(struct lauka_prose *prose, const struct lauka_why_row *row);

/* Whether to show it: the user asked, or a gate failed on what valgrind counted. */
bool lauka_result_tells_why(const struct lauka_result *result);

/* The next part of what is known about a command, with at most this many functions per table. Begin
 * with place 0; returns false at the end. Texts are escaped, except for the reason. */
bool lauka_why_next(struct lauka_prose *prose, const struct lauka_result *result, size_t command,
                    size_t most, size_t *place, struct lauka_why_part *part);

#endif
