/* Which regular expressions are taken: POSIX extended ones (POSIX.1-2017, XBD 9.4). What means something else in another
 * dialect is refused with what to write instead: it would be accepted by regcomp(3), and find another number. */
#include "runner/command/pattern.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct scan {
    const char *at;
    enum { NOTHING, ATOM, REPETITION } before; /* what comes before, that could be repeated */
    size_t groups, open;
    char *why;
    size_t size;
};

__attribute__((format(printf, 2, 3))) static bool refuse(const struct scan *scan,
                                                         const char *format, ...)
{
    va_list values;

    va_start(values, format);
    vsnprintf(scan->why, scan->size, format, values);
    va_end(values);
    return false;
}

/* Behind a backslash: what it stands for elsewhere, and here. inside: within brackets. */
static const struct {
    char letter;
    const char *outside, *inside;
} letters[] = {
    {'d', "[0-9]", "0-9"},
    {'D', "[^0-9]", NULL},
    {'w', "[[:alnum:]_]", "[:alnum:]_"},
    {'W', "[^[:alnum:]_]", NULL},
    {'s', "[[:space:]]", "[:space:]"},
    {'S', "[^[:space:]]", NULL},
    {'h', "[[:blank:]]", "[:blank:]"},
    {'t', "[[:blank:]]", "[:blank:]"},
    {'n', "[[:space:]], or ^ and $ for the ends of a line", "[:space:]"},
    {'r', "[[:space:]]", "[:space:]"},
    {'R', "[[:space:]], or ^ and $ for the ends of a line", NULL},
    {'A', "^ for the begin of a line", NULL},
    {'z', "$ for the end of a line", NULL},
    {'Z', "$ for the end of a line", NULL},
    {'b', "what stands beside the word, as a blank or ^", NULL},
    {'B', "what stands beside it", NULL},
    {'<', "what stands before the word, as a blank or ^", NULL},
    {'>', "what stands behind the word, as a blank or $", NULL},
    {'Q', "a backslash before each special character: \\.", NULL},
    {'E', "a backslash before each special character: \\.", NULL},
};
enum { LETTERS = sizeof letters / sizeof *letters };

/* Whether some dialect gives the backslash before it a meaning. */
static bool has_meaning(char letter)
{
    return isalnum((unsigned char)letter) || (letter && strchr("<>`'", letter));
}

static bool refuse_escape(const struct scan *scan, bool inside)
{
    char letter = scan->at[1];
    const char *instead = NULL;

    for (size_t i = 0; i < LETTERS && !instead; i++)
        if (letters[i].letter == letter)
            instead = inside ? letters[i].inside : letters[i].outside;
    if (inside)
        return instead ? refuse(scan,
                                "inside [] a backslash is an ordinary character: for \\%c "
                                "write %s",
                                letter, instead)
                       : refuse(scan,
                                "inside [] a backslash is an ordinary character: for it and "
                                "for %c write \\\\%c",
                                letter, letter);
    if (isdigit((unsigned char)letter))
        return refuse(scan,
                      "POSIX extended regular expressions have no \\%c: what a group found cannot "
                      "be asked for again",
                      letter);
    return instead ? refuse(scan, "POSIX extended regular expressions have no \\%c: write %s",
                            letter, instead)
                   : refuse(scan,
                            "POSIX extended regular expressions have no \\%c: a backslash "
                            "only makes special characters ordinary, as \\.",
                            letter);
}

/* ---- brackets ---------------------------------------------------------------------------------------- */

/* A backslash inside stands for itself; where that would hardly be meant, it is refused. */
static bool check_inner_backslash(struct scan *scan)
{
    char next = scan->at[1];

    if (next == ']')
        return refuse(scan, "inside [] a backslash is an ordinary character: put a ] first, as in "
                            "[]x] and [^]x], and write a backslash as \\\\");
    if (next == '-')
        return refuse(scan, "inside [] a backslash is an ordinary character, and \\- a range: put "
                            "a - last, as in [0-9.-]");
    if (next != '\\' && has_meaning(next))
        return refuse_escape(scan, true);
    scan->at += next == '\\';
    return true;
}

/* "[:digit:]" and its like, whose end need not be the next bracket. */
static bool skip_class(struct scan *scan)
{
    const char end[] = {scan->at[1], ']', '\0'};
    const char *found = strstr(scan->at + 2, end);

    if (!found)
        return refuse(scan, "invalid regular expression: [%c without %s", *end, end);
    scan->at = found + 1;
    return true;
}

/* Up to its last character. */
static bool check_bracket(struct scan *scan)
{
    scan->at += 1 + (scan->at[1] == '^');
    for (bool first = true; *scan->at && (first || *scan->at != ']'); first = false, scan->at++) {
        bool good = true;
        if (*scan->at == '\\')
            good = check_inner_backslash(scan);
        else if (*scan->at == '[' && scan->at[1] && strchr(":.=", scan->at[1]))
            good = skip_class(scan);
        if (!good)
            return false;
    }
    scan->before = ATOM;
    return *scan->at || refuse(scan, "invalid regular expression: [ without ]");
}

/* ---- repetitions -------------------------------------------------------------------------------------- */

/* "{2,5}"; its length, or 0. */
static size_t interval_length(const char *text)
{
    static const char digits[] = "0123456789";
    size_t first = strspn(text + 1, digits), length = 1 + first;

    if (text[length] == ',')
        length += 1 + strspn(text + length + 1, digits);
    else if (first == 0)
        return 0;
    return text[length] == '}' ? length + 1 : 0;
}

static bool refuse_second(const struct scan *scan)
{
    char next = *scan->at;

    if (next == '?')
        return refuse(scan,
                      "POSIX extended regular expressions have no lazy %c?: repetitions take "
                      "as much as they can; say what is repeated, as [^ ]* or [^0-9]* in "
                      "place of .*?",
                      scan->at[-1]);
    if (next == '+')
        return refuse(scan,
                      "POSIX extended regular expressions have no possessive %c+: leave the "
                      "second sign out",
                      scan->at[-1]);
    return refuse(scan, "invalid regular expression: %c%c repeats a repetition", scan->at[-1],
                  next);
}

/* Up to its last character. */
static bool check_repetition(struct scan *scan)
{
    size_t length = *scan->at == '{' ? interval_length(scan->at) : 1;

    if (length == 0 || (scan->before == NOTHING && *scan->at == '{'))
        return refuse(scan, "invalid regular expression: a { that begins no repetition, as x{2,5}, "
                            "is written \\{");
    if (scan->before == NOTHING)
        return refuse(scan,
                      "invalid regular expression: there is nothing that %c could repeat; "
                      "the character itself is \\%c",
                      *scan->at, *scan->at);
    if (scan->before == REPETITION)
        return refuse_second(scan);
    scan->before = REPETITION;
    scan->at += length - 1;
    return true;
}

/* ---- all of it ------------------------------------------------------------------------------------------ */

static bool check_group(struct scan *scan)
{
    if (scan->at[1] == '?')
        return refuse(scan,
                      "POSIX extended regular expressions have no %.3s: the one group, in plain "
                      "parentheses, is around the number",
                      scan->at);
    scan->groups++;
    scan->open++;
    scan->before = NOTHING;
    return true;
}

static bool check_end(struct scan *scan)
{
    if (scan->open == 0)
        return refuse(scan, "invalid regular expression: ) without (; the character itself is \\)");
    scan->open--;
    scan->before = ATOM;
    return true;
}

static bool check_escape(struct scan *scan)
{
    if (!scan->at[1])
        return refuse(scan, "invalid regular expression: nothing follows the last backslash");
    if (has_meaning(scan->at[1]))
        return refuse_escape(scan, false);
    scan->at++;
    scan->before = ATOM;
    return true;
}

static bool check_next(struct scan *scan)
{
    switch (*scan->at) {
    case '\\':
        return check_escape(scan);
    case '[':
        return check_bracket(scan);
    case '(':
        return check_group(scan);
    case ')':
        return check_end(scan);
    case '*':
    case '+':
    case '?':
    case '{':
        return check_repetition(scan);
    case '|':
    case '^':
    case '$':
        scan->before = NOTHING;
        return true;
    default:
        scan->before = ATOM;
        return true;
    }
}

bool pattern_check(const char *text, char *why, size_t size)
{
    struct scan scan = {.at = text, .why = why, .size = size};

    for (; *scan.at; scan.at++)
        if (!check_next(&scan))
            return false;
    if (scan.open > 0)
        return refuse(&scan, "invalid regular expression: ( without )");
    return scan.groups == 1 ||
           refuse(&scan, "expected one group in parentheses around the number; there are %zu",
                  scan.groups);
}
