/* Text in XML and HTML. XML 1.0, 2.2: control characters, U+FFFE and U+FFFF cannot be said at all,
 * whatever they are written as; of HTML the pictures are XML, too. */
#include "report/text/prose.h"

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

const char *lauka_say_xml(struct lauka_prose *prose, const char *text)
{
    const char *safe = lauka_say_safely(prose, text);
    char *whole = lauka_prose_room(prose, strlen(safe) + 1, sizeof "&quot;"), *end = whole;
    for (; whole && *safe; safe++) {
        const char *instead = reference(*safe);
        if (strncmp(safe, "\xEF\xBF\xBE", 3) == 0 || strncmp(safe, "\xEF\xBF\xBF", 3) == 0) {
            instead = "?";
            safe += 2;
        }
        if (!instead)
            *end++ = *safe;
        for (; instead && *instead; instead++)
            *end++ = *instead;
    }
    return whole ? whole : "";
}

const char *lauka_say_xml_lines(struct lauka_prose *prose, const char *text)
{
    lauka_prose_capture(prose);
    while (*text) {
        const size_t length = strcspn(text, "\n");
        const bool ends = text[length] == '\n';
        const char *line = lauka_say(prose, "%.*s", (int)length, text);
        lauka_put(prose, "%s%s", lauka_say_xml(prose, line), ends ? "\n" : "");
        text += length + ends;
    }
    return lauka_prose_captured(prose);
}
