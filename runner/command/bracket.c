/* Bracket expressions of regular expressions: which bytes they stand for. */
#include "runner/command/pattern.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static bool refuse(char *why, size_t size, const char *reason)
{
    snprintf(why, size, "invalid regular expression: %s", reason);
    return false;
}

/* As of the C locale, which lauka never leaves. */
static const struct {
    const char *name;
    int (*has)(int byte);
} classes[] = {
    {"alnum", isalnum}, {"alpha", isalpha}, {"blank", isblank}, {"cntrl", iscntrl},
    {"digit", isdigit}, {"graph", isgraph}, {"lower", islower}, {"print", isprint},
    {"punct", ispunct}, {"space", isspace}, {"upper", isupper}, {"xdigit", isxdigit},
};

static bool add_class(const char *name, size_t length, struct pattern_set *set)
{
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        if (strlen(classes[i].name) != length || strncmp(classes[i].name, name, length) != 0)
            continue;
        for (int byte = 0; byte <= UCHAR_MAX; byte++)
            if (classes[i].has(byte))
                pattern_set_add(set, (unsigned char)byte);
        return true;
    }
    return false;
}

/* A character, or "[.x.]", "[=x=]". */
static bool take_character(const char **text, unsigned char *byte)
{
    const char *at = *text;
    bool named = *at == '[' && (at[1] == '.' || at[1] == '=');

    if (!*at || (*at == '[' && at[1] == ':') ||
        (named && (!at[2] || at[3] != at[1] || at[4] != ']')))
        return false;
    *byte = (unsigned char)at[named ? 2 : 0];
    *text += named ? 5 : 1;
    return true;
}

static bool take_range(const char **text, struct pattern_set *set, char *why, size_t size)
{
    unsigned char from, to;

    if (!take_character(text, &from))
        return refuse(why, size, "[. .] and [= =] enclose one character, and a range has two");
    to = from;
    if (**text == '-' && (*text)[1] && (*text)[1] != ']') {
        ++*text;
        if (!take_character(text, &to))
            return refuse(why, size, "[. .] and [= =] enclose one character, and a range has two");
    }
    if (from > to)
        return refuse(why, size, "a range inside [] ends before it begins");
    for (unsigned byte = from; byte <= to; byte++)
        pattern_set_add(set, (unsigned char)byte);
    return true;
}

static bool take_class(const char **text, struct pattern_set *set, char *why, size_t size)
{
    const char *name = *text + 2, *end = strstr(name, ":]");

    if (!end || !add_class(name, (size_t)(end - name), set))
        return refuse(why, size,
                      "[: :] encloses an unknown name; there are alpha, digit, alnum, "
                      "space, blank, punct and others");
    *text = end + 2;
    return true;
}

/* What is not listed, but for the end of a line: as regcomp(3) with REG_NEWLINE. */
static void invert(struct pattern_set *set)
{
    pattern_set_add(set, '\n');
    for (size_t i = 0; i < sizeof set->bits; i++)
        set->bits[i] = (uint8_t)~set->bits[i];
}

bool pattern_bracket(const char **text, struct pattern_set *set, char *why, size_t size)
{
    bool others = **text == '^';

    *set = (struct pattern_set){0};
    *text += others;
    for (bool first = true; first || **text != ']'; first = false)
        if (!((*text)[0] == '[' && (*text)[1] == ':' ? take_class : take_range)(text, set, why,
                                                                                size))
            return false;
    ++*text;
    if (others)
        invert(set);
    return true;
}
