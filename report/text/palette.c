/* Which style each role has on a terminal. Only this file, and the one that measures their width, knows
 * escape sequences. Sixteen colours: the terminal's owner has chosen them to be legible. */
#include "report/text/text.h"

#include <stdio.h>

static const char *const codes[] = {
    [LAUKA_STYLE_PLAIN] = "",
    [LAUKA_STYLE_HEADING] = "\x1b[1m",
    [LAUKA_STYLE_MAIN] = "\x1b[1m",
    [LAUKA_STYLE_SECONDARY] = "\x1b[2m",
    [LAUKA_STYLE_BETTER] = "\x1b[32m",
    [LAUKA_STYLE_WORSE] = "\x1b[31m",
    [LAUKA_STYLE_DOUBTFUL] = "\x1b[33m",
    [LAUKA_STYLE_FAILED] = "\x1b[1;31m",
};

const char *lauka_style_begin(enum lauka_style style, struct lauka_terminal terminal)
{
    return terminal.color ? codes[style] : "";
}

const char *lauka_style_end(enum lauka_style style, struct lauka_terminal terminal)
{
    return terminal.color && style != LAUKA_STYLE_PLAIN ? "\x1b[0m" : "";
}

void lauka_put_styled(const char *text, enum lauka_style style, struct lauka_terminal terminal,
                      FILE *out)
{
    fprintf(out, "%s%s%s", lauka_style_begin(style, terminal), text,
            lauka_style_end(style, terminal));
}

const char lauka_clear_line[] = "\r\x1b[K";
const char lauka_clear_last_row[] = "\r\x1b[K\x1b[A";
