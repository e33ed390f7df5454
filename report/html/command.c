/* A command in the text of the page. */
#include "report/html/html.h"
#include "report/html/svg.h"
#include "report/plot/plot.h"
#include "report/words/said.h"

#include <stdio.h>
#include <string.h>

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

void lauka_html_sentence(const struct lauka_html *html, size_t command, char *text)
{
    while (*text) {
        size_t length = strcspn(text, LAUKA_SAID_OWN LAUKA_SAID_REFERENCE);
        char next = text[length];
        text[length] = 0;
        lauka_html_prose(text, html->out);
        if (!next)
            return;
        if (next == *LAUKA_SAID_REFERENCE && html->result->command_count > 2 && command > 0)
            put_letter(html, 0); /* its name stands in the headline */
        else
            lauka_html_command(html, next == *LAUKA_SAID_OWN ? command : 0, LAUKA_HTML_NAME_WIDTH);
        text += length + 1;
    }
}
