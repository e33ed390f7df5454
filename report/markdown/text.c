/* What others wrote, in Markdown: it is shown as it is, and has no effect. */
#include "report/markdown/markdown.h"
#include "report/result/result.h"
#include "report/text/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_WIDTH = 80 }; /* columns; a longer command is cut in the middle */

static size_t longest_run_of_backquotes(const char *text)
{
    size_t longest = 0;
    for (; *text; text++) {
        size_t run = strspn(text, "`");
        longest = run > longest ? run : longest;
    }
    return longest;
}

static char *put_text(char *end, const char *text)
{
    size_t length = strlen(text);
    memcpy(end, text, length + 1);
    return end + length;
}

static char *put_fence(char *end, size_t length)
{
    memset(end, '`', length);
    end[length] = 0;
    return end + length;
}

/* A backslash before a bar cannot be written in a code span within a table: the table removes both before
 * the span is parsed. So it becomes HTML, with every mark of Markdown as an entity. */
static char *code_element(const char *text)
{
    char *element = malloc(6 * strlen(text) + sizeof "<code></code>"), *end = element;
    if (!element)
        return NULL;
    end = put_text(end, "<code>");
    for (; *text; text++) {
        bool plain = (unsigned char)*text >= 0x80 || *text == ' ' || *text == '/' ||
                     strchr("0123456789", *text) || (*text >= 'A' && *text <= 'Z') ||
                     (*text >= 'a' && *text <= 'z');
        end += plain ? sprintf(end, "%c", *text) : sprintf(end, "&#%d;", *text);
    }
    put_text(end, "</code>");
    return element;
}

/* Within a table a bar is escaped, even in code; elsewhere it must not be. */
static char *code_span(const char *text, bool in_table)
{
    size_t fence = longest_run_of_backquotes(text) + 1, length = strlen(text);
    char *span = malloc(2 * length + 2 * fence + 3), *end = span;
    if (!span)
        return NULL;
    /* Markdown removes one blank on each side; without it, outer backquotes would join the fence and outer
     * blanks would be lost. */
    bool padded = length == 0 || strchr("` ", text[0]) || strchr("` ", text[length - 1]);
    end = put_fence(end, fence);
    end = put_text(end, padded ? " " : "");
    for (; *text; text++) {
        if (in_table && *text == '|')
            *end++ = '\\';
        *end++ = *text;
    }
    end = put_text(end, padded ? " " : "");
    put_fence(end, fence);
    return span;
}

char *lauka_markdown_code(const char *label, bool in_table)
{
    char *fitted = lauka_fit_text(*label ? label : "\"\"", NAME_WIDTH, true);
    bool unspeakable = fitted && in_table && strstr(fitted, "\\|");
    char *text = !fitted ? NULL : unspeakable ? code_element(fitted) : code_span(fitted, in_table);
    free(fitted);
    return text;
}

static char *element_of(const char *label)
{
    char *fitted = lauka_fit_text(*label ? label : "\"\"", NAME_WIDTH, true);
    char *element = fitted ? code_element(fitted) : NULL;
    free(fitted);
    return element;
}

char *lauka_markdown_name(const struct lauka_result *result, size_t command, bool in_table)
{
    char *code = lauka_markdown_code(result->commands[command].label, in_table);
    size_t number = lauka_result_name_number(result, command);
    if (!code || number == 0)
        return code;
    char *numbered = realloc(code, strlen(code) + 32);
    if (!numbered) {
        free(code);
        return NULL;
    }
    sprintf(numbered + strlen(numbered), " (%zu)", number);
    return numbered;
}

static void put_owned(char *text, FILE *out)
{
    fputs(text ? text : "?", out);
    free(text);
}

void lauka_markdown_put_code(const char *label, bool in_table, FILE *out)
{
    put_owned(lauka_markdown_code(label, in_table), out);
}

void lauka_markdown_put_element(const char *label, FILE *out)
{
    put_owned(element_of(label), out);
}

void lauka_markdown_put_name(const struct lauka_result *result, size_t command, bool in_table,
                             FILE *out)
{
    put_owned(lauka_markdown_name(result, command, in_table), out);
}

void lauka_markdown_prose(const char *text, FILE *out)
{
    char *safe = lauka_safe_text(text, true);
    for (const char *c = safe; c && *c; c++) {
        if (strchr("\\`*_[]<>#|~&@$", *c))
            fputc('\\', out);
        fputc(*c, out);
        if (strchr("@#", *c)) /* a word joiner: neither a person nor an issue is named so */
            fputs("\u2060", out);
    }
    free(safe);
}

void lauka_markdown_unbroken(const char *text, FILE *out)
{
    for (; *text; text++)
        if (*text == ' ')
            fputs("\u00A0", out);
        else
            fputc(*text, out);
}
