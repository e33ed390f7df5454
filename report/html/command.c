/* A command in the text of the page. */
#include "report/html/html.h"
#include "report/html/svg.h"
#include "report/plot/plot.h"

#include <stdio.h>

static void put_letter(const struct lauka_html *html, size_t command)
{
    char letter[8];
    fprintf(html->out, "<b class=\"%c\">%s</b>", command == 0 ? 'a' : 'b',
            lauka_letter(command, letter));
}

void lauka_html_command(const struct lauka_html *html, size_t command, int width)
{
    put_letter(html, command);
    fputs("\u00A0<code>", html->out);
    lauka_html_name(html->result->commands[command].label, width, html->out);
    fputs("</code>", html->out);
}
