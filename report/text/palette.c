/* Which style each role has on a terminal. Only this file, and the one that measures their width, knows
 * escape sequences. Sixteen colours: the terminal's owner has chosen them to be legible. */
#include "report/text/text.h"

#include <stdio.h>

static const char *const codes[] = {
    [LAUKA_STYLE_PLAIN] = "",      [LAUKA_STYLE_HEADING] = "1",   [LAUKA_STYLE_MAIN] = "1",
    [LAUKA_STYLE_SECONDARY] = "2", [LAUKA_STYLE_BETTER] = "32",   [LAUKA_STYLE_WORSE] = "31",
    [LAUKA_STYLE_DOUBTFUL] = "33", [LAUKA_STYLE_FAILED] = "1;31",
};

void lauka_style_begin(enum lauka_style style, struct lauka_terminal terminal, FILE *out)
{
    if (terminal.color && style != LAUKA_STYLE_PLAIN)
        fprintf(out, "\x1b[%sm", codes[style]);
}

void lauka_style_end(enum lauka_style style, struct lauka_terminal terminal, FILE *out)
{
    if (terminal.color && style != LAUKA_STYLE_PLAIN)
        fputs("\x1b[0m", out);
}

void lauka_put_styled(const char *text, enum lauka_style style, struct lauka_terminal terminal,
                      FILE *out)
{
    lauka_style_begin(style, terminal, out);
    fputs(text, out);
    lauka_style_end(style, terminal, out);
}

int lauka_put_paragraph(const char *text, int indent, enum lauka_style style,
                        struct lauka_terminal terminal, FILE *out)
{
    fprintf(out, "%*s", indent, "");
    lauka_style_begin(style, terminal, out);
    int error = lauka_print_wrapped(text, indent, terminal.width, terminal.utf8, out);
    lauka_style_end(style, terminal, out);
    return error;
}

int lauka_put_note(const char *text, struct lauka_terminal terminal, FILE *out)
{
    lauka_put_styled("note:", LAUKA_STYLE_HEADING, terminal, out);
    fputc(' ', out);
    return lauka_print_wrapped(text, LAUKA_NOTE_INDENT, terminal.width, terminal.utf8, out);
}

const char lauka_clear_line[] = "\r\x1b[K";
