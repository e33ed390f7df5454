/* Text in XML and HTML. XML 1.0, 2.2: control characters, U+FFFE and U+FFFF cannot be said at all,
 * whatever they are written as; of HTML the pictures are XML, too. */
#include "report/text/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *reference(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

size_t lauka_xml_put(const char *text, FILE *out)
{
    const char *instead = reference(*text);
    if (strncmp(text, "\xEF\xBF\xBE", 3) == 0 || strncmp(text, "\xEF\xBF\xBF", 3) == 0) {
        fputc('?', out);
        return 3;
    }
    if (instead)
        fputs(instead, out);
    else
        fputc(*text, out);
    return 1;
}

void lauka_xml_text(const char *text, FILE *out)
{
    char *safe = lauka_safe_text(text, true);
    for (const char *c = safe ? safe : "?"; *c;)
        c += lauka_xml_put(c, out);
    free(safe);
}

void lauka_xml_lines(const char *text, FILE *out)
{
    while (*text) {
        size_t length = strcspn(text, "\n");
        char *line = strndup(text, length);
        lauka_xml_text(line ? line : "?", out);
        free(line);
        text += length;
        if (*text == '\n') {
            fputc('\n', out);
            text++;
        }
    }
}
