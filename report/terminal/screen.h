/* The screen of one benchmark: what its parts share. It is grouped by metric, so that compared figures are
 * close together; everything that does not decide is folded to lines. */
#ifndef LAUKA_REPORT_TERMINAL_SCREEN_H
#define LAUKA_REPORT_TERMINAL_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

#include "report/result/result.h"
#include "report/terminal/blocks.h"
#include "report/text/prose.h"

enum { LAUKA_SCREEN_GROUPED = 3 }; /* more commands have a row each, in the main metric */

struct lauka_screen {
    struct lauka_prose *prose;
    const struct lauka_result *result;
    bool *in_full;              /* by metric: it has a group, or of a single command a row */
    size_t most_rows;           /* of changes that have a line each */
    enum lauka_brevity brevity; /* of notes */
};

/* groups.c: the names of commands, safe, of at most `width` columns, each another; what they all begin with goes first.
 * NULL without memory. */
const char **lauka_screen_names(struct lauka_prose *prose, const struct lauka_result *result,
                                int width);

/* The metrics that are shown in full. */
void lauka_screen_groups(const struct lauka_screen *screen);

#endif
