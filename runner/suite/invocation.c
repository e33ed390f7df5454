/* Words for a framework: printed, escaped for a regular expression, put into a list. */
#include "runner/suite/suite.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* POSIX has no escapes for the second of brackets, so that there any character may stand for it. */
char *lauka_word_escape(const char *before, const char *text, const char *after)
{
    char *escaped = malloc(strlen(before) + 2 * strlen(text) + strlen(after) + 1), *end = escaped;

    if (!escaped)
        return NULL;
    end = stpcpy(end, before);
    for (; *text; text++) {
        bool closes = *text == ']' || *text == '}';
        if (strchr("\\^$.|?*+()[{", *text))
            *end++ = '\\';
        *end++ = closes ? '.' : *text;
    }
    strcpy(end, after);
    return escaped;
}

char **lauka_words_collect(char **words, size_t count)
{
    bool good = true;

    for (size_t i = 0; i < count; i++)
        good = good && words[i];
    char **copy = good ? calloc(count + 1, sizeof *copy) : NULL;
    for (size_t i = 0; i < count; i++) {
        if (copy)
            copy[i] = words[i];
        else
            free(words[i]);
    }
    return copy;
}

char *lauka_word_print(const char *format, ...)
{
    char *text = NULL;
    va_list values;

    va_start(values, format);
    if (vasprintf(&text, format, values) < 0)
        text = NULL;
    va_end(values);
    return text;
}
