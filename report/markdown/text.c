/* What others wrote, in Markdown: it is shown as it is, and has no effect. */
#include "report/markdown/markdown.h"
#include "report/result/result.h"
#include "report/text/prose.h"
#include "report/words/words.h"

#include <string.h>

enum { NAME_WIDTH = 80 }; /* columns; a longer command is cut in the middle */

/* Each character as `put` writes it, which takes at most `most` bytes. */
static const char *each(struct lauka_prose *prose, const char *text, size_t most,
                        char *(*put)(char *end, char c))
{
    char *whole = lauka_prose_room(prose, strlen(text) + 1, most), *end = whole;
    for (; whole && *text; text++)
        end = put(end, *text);
    return whole ? whole : "";
}

static char *put_character(char *end, char c)
{
    *end++ = c;
    return end;
}

static char *put_reference(char *end, char c)
{
    bool plain = (unsigned char)c >= 0x80 || c == ' ' || c == '/' || (c >= '0' && c <= '9') ||
                 (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    return plain ? put_character(end, c) : end + sprintf(end, "&#%d;", c);
}

/* Within a table a bar is escaped, even in code; elsewhere it must not be. */
static char *put_in_table(char *end, char c)
{
    return put_character(c == '|' ? put_character(end, '\\') : end, c);
}

static char *put_prose(char *end, char c)
{
    end = put_character(strchr("\\`*_[]<>#|~&@$", c) ? put_character(end, '\\') : end, c);
    /* A word joiner: neither a person nor an issue is named so. */
    return strchr("@#", c) ? end + sprintf(end, "\u2060") : end;
}

static char *put_unbroken(char *end, char c)
{
    return c == ' ' ? end + sprintf(end, "\u00A0") : put_character(end, c);
}

/* A backslash before a bar cannot be written in a code span within a table: the table removes both before
 * the span is parsed. So it becomes HTML, with every mark of Markdown as an entity. */
static const char *code_element(struct lauka_prose *prose, const char *text)
{
    return lauka_say(prose, "<code>%s</code>", each(prose, text, sizeof "&#127;", put_reference));
}

static const char *fence_for(struct lauka_prose *prose, const char *text)
{
    const char *fence = "`";
    for (; *text; text++)
        if (strspn(text, "`") >= strlen(fence))
            fence = lauka_say(prose, "%s`", fence);
    return fence;
}

static const char *code_span(struct lauka_prose *prose, const char *text, bool in_table)
{
    const char *fence = fence_for(prose, text);
    /* Markdown removes one blank on each side; without it, outer backquotes would join the fence and outer
     * blanks would be lost. */
    bool padded = !*text || strchr("` ", text[0]) || strchr("` ", text[strlen(text) - 1]);
    const char *blank = padded ? " " : "";
    return lauka_say(prose, "%s%s%s%s%s", fence, blank,
                     in_table ? each(prose, text, 2, put_in_table) : text, blank, fence);
}

static const char *fitted(struct lauka_prose *prose, const char *label)
{
    return lauka_say_fitted(prose, *label ? label : "\"\"", NAME_WIDTH);
}

static const char *code_of(struct lauka_prose *prose, const char *text, bool in_table)
{
    return in_table && strstr(text, "\\|") ? code_element(prose, text)
                                           : code_span(prose, text, in_table);
}

const char *lauka_markdown_code(struct lauka_prose *prose, const char *label, bool in_table)
{
    return code_of(prose, fitted(prose, label), in_table);
}

const char *lauka_markdown_element(struct lauka_prose *prose, const char *label)
{
    return code_element(prose, fitted(prose, label));
}

const char *lauka_markdown_name(struct lauka_prose *prose, const struct lauka_result *result,
                                size_t command, bool in_table)
{
    const char *name = lauka_say_bare_name(prose, result, command);
    return lauka_say(prose, "%s%s", lauka_markdown_code(prose, name, in_table),
                     lauka_namesake_number(prose, result, command));
}

const char *lauka_markdown_whole(struct lauka_prose *prose, const struct lauka_result *result,
                                 size_t command, bool in_table)
{
    return code_of(prose, lauka_say_whole(prose, result, command), in_table);
}

/* A letter is explained wherever it is; another short name where there is room. */
void lauka_markdown_legend(struct lauka_prose *prose, const struct lauka_result *result,
                           bool letters_only)
{
    bool any = false;
    for (size_t c = 0; c < result->command_count; c++) {
        if (result->commands[c].name_number > 1 ||
            !(letters_only ? lauka_is_lettered(prose, result, c)
                           : lauka_is_shortened(prose, result, c)))
            continue;
        lauka_put(prose, "- %s is %s\n",
                  lauka_markdown_code(prose, lauka_say_bare_name(prose, result, c), false),
                  lauka_markdown_whole(prose, result, c, false));
        any = true;
    }
    lauka_put(prose, any ? "\n" : "");
}

const char *lauka_markdown_prose(struct lauka_prose *prose, const char *text)
{
    return each(prose, lauka_say_safely(prose, text), 5, put_prose);
}

const char *lauka_markdown_unbroken(struct lauka_prose *prose, const char *text)
{
    return each(prose, text, 2, put_unbroken);
}

const char *lauka_markdown_change(struct lauka_prose *prose, const char *estimate,
                                  const char *interval)
{
    return lauka_join(prose, lauka_markdown_unbroken(prose, estimate), LAUKA_UNBROKEN,
                      lauka_markdown_unbroken(prose, interval));
}
