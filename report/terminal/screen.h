/* The screen of one benchmark: what its parts share. It is grouped by metric, so that compared figures are
 * close together; everything that does not decide is folded to lines. */
#ifndef LAUKA_REPORT_TERMINAL_SCREEN_H
#define LAUKA_REPORT_TERMINAL_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "report/result/result.h"
#include "report/terminal/terminal.h"
#include "report/text/text.h"
#include "report/words/words.h"

/* What became of a metric of a command. */
enum lauka_finding {
    LAUKA_FINDING_CHANGED,
    LAUKA_FINDING_WITHIN, /* the precision */
    LAUKA_FINDING_INCONCLUSIVE,
    LAUKA_FINDING_UNCOUNTED,
};

enum { LAUKA_SCREEN_GROUPED = 3 }; /* more commands have a row each, in the main metric */

struct lauka_screen {
    const struct lauka_result *result;
    struct lauka_terminal terminal;
    FILE *out;
    bool *in_full;              /* owned; by metric: it has a group, or of a single command a row */
    size_t most_rows;           /* of changes that are told in a line each */
    enum lauka_brevity brevity; /* of notes */
};

/* The finding of a comparison; command 0 is counted or not. */
enum lauka_finding lauka_screen_finding(const struct lauka_result *result, size_t command,
                                        size_t metric);

/* ---- groups.c: the metrics that are told in full --------------------------------------------- */

/* The names of commands, safe, of at most `width` columns, each another; what they all begin with goes first.
 * To be freed by lauka_strings_free; NULL without memory. */
char **lauka_screen_names(const struct lauka_result *result, int width, bool utf8);

/* Do not flush. Return 0 or ENOMEM. */
int lauka_screen_groups(const struct lauka_screen *screen);

/* ---- folds.c: all others, in a line each ----------------------------------------------------- */

int lauka_screen_folds(const struct lauka_screen *screen);

#endif
