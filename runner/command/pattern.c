/* Regular expressions of --read: POSIX extended ones (POSIX.1-2017, XBD 9.4). What means something else in another
 * dialect is refused with what to write instead: it would be accepted by regcomp(3), and find another number. They
 * become steps. A repetition that is counted is written out, by reading what is repeated again. */
#include "runner/command/pattern.h"
#include "runner/command/command.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct compiler {
    const char *at;
    struct lauka_pattern *pattern; /* made once the dialect was checked */
    char *why;                     /* "" as long as all is well */
    size_t size;
    bool inside;                               /* the group */
    enum { NOTHING, ATOM, REPETITION } before; /* what comes before, that could be repeated */
    size_t groups, open;
};

enum { PENDING = UINT16_MAX }; /* a way whose end is not known yet */

/* Always false. */
__attribute__((format(printf, 2, 3))) static bool refuse(const struct compiler *compiler,
                                                         const char *format, ...)
{
    va_list values;

    va_start(values, format);
    vsnprintf(compiler->why, compiler->size, format, values);
    va_end(values);
    return false;
}

/* ---- bracket expressions: which bytes they stand for --------------------------------------------- */

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
static bool take_character(struct compiler *compiler, unsigned char *byte)
{
    const char *at = compiler->at;
    bool named = *at == '[' && (at[1] == '.' || at[1] == '=');

    if (!*at || (*at == '[' && at[1] == ':') ||
        (named && (!at[2] || at[3] != at[1] || at[4] != ']')))
        return refuse(compiler, "invalid regular expression: [. .] and [= =] enclose one "
                                "character, and a range has two");
    *byte = (unsigned char)at[named ? 2 : 0];
    compiler->at += named ? 5 : 1;
    return true;
}

static bool take_class(struct compiler *compiler, struct pattern_set *set)
{
    const char *name = compiler->at + 2, *end = strstr(name, ":]");

    if (!add_class(name, (size_t)(end - name), set))
        return refuse(compiler, "invalid regular expression: [: :] encloses an unknown name; there "
                                "are alpha, digit, alnum, space, blank, punct and others");
    compiler->at = end + 2;
    return true;
}

/* "[:digit:]" and its like have an end, which need not be the next bracket. */
static bool check_end_of_class(const struct compiler *compiler)
{
    const char end[] = {compiler->at[1], ']', '\0'};

    return *compiler->at != '[' || !*end || !strchr(":.=", *end) || strstr(compiler->at + 2, end) ||
           refuse(compiler, "invalid regular expression: [%c without %s", *end, end);
}

/* What is not listed, but for the end of a line: as regcomp(3) with REG_NEWLINE. */
static void invert(struct pattern_set *set)
{
    pattern_set_add(set, '\n');
    for (size_t i = 0; i < sizeof set->bits; i++)
        set->bits[i] = (uint8_t)~set->bits[i];
}

/* ---- which expressions are taken ----------------------------------------------------------------- */

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

static bool refuse_escape(const struct compiler *compiler, bool inside)
{
    char letter = compiler->at[1];
    const char *instead = NULL;

    for (size_t i = 0; i < LETTERS && !instead; i++)
        if (letters[i].letter == letter)
            instead = inside ? letters[i].inside : letters[i].outside;
    if (inside)
        return instead ? refuse(compiler,
                                "inside [] a backslash is an ordinary character: for \\%c "
                                "write %s",
                                letter, instead)
                       : refuse(compiler,
                                "inside [] a backslash is an ordinary character: for it and "
                                "for %c write \\\\%c",
                                letter, letter);
    if (isdigit((unsigned char)letter))
        return refuse(compiler,
                      "POSIX extended regular expressions have no \\%c: what a group found cannot "
                      "be asked for again",
                      letter);
    return instead ? refuse(compiler, "POSIX extended regular expressions have no \\%c: write %s",
                            letter, instead)
                   : refuse(compiler,
                            "POSIX extended regular expressions have no \\%c: a backslash "
                            "only makes special characters ordinary, as \\.",
                            letter);
}

/* ---- brackets ---------------------------------------------------------------------------------------- */

/* A backslash inside stands for itself; where that would hardly be meant, it is refused. The second of two
 * is skipped. */
static bool check_inner_backslash(struct compiler *compiler)
{
    char next = compiler->at[1];

    if (*compiler->at != '\\')
        return true;
    if (next == ']')
        return refuse(compiler,
                      "inside [] a backslash is an ordinary character: put a ] first, as in "
                      "[]x] and [^]x], and write a backslash as \\\\");
    if (next == '-')
        return refuse(compiler,
                      "inside [] a backslash is an ordinary character, and \\- a range: put "
                      "a - last, as in [0-9.-]");
    if (next != '\\' && has_meaning(next))
        return refuse_escape(compiler, true);
    compiler->at += next == '\\';
    return true;
}

static bool take_range(struct compiler *compiler, struct pattern_set *set)
{
    unsigned char from, to;

    if (!take_character(compiler, &from))
        return false;
    to = from;
    if (*compiler->at == '-' && compiler->at[1] && compiler->at[1] != ']') {
        compiler->at++;
        if (!check_inner_backslash(compiler) || !take_character(compiler, &to))
            return false;
    }
    if (from > to)
        return refuse(compiler,
                      "invalid regular expression: a range inside [] ends before it begins");
    for (unsigned byte = from; byte <= to; byte++)
        pattern_set_add(set, (unsigned char)byte);
    return true;
}

/* What a bracket expression stands for; at: behind its '[', and then behind its ']'. */
static bool take_bracket(struct compiler *compiler, struct pattern_set *set)
{
    bool others = *compiler->at == '^';

    *set = (struct pattern_set){0};
    compiler->at += others;
    for (bool first = true; first || *compiler->at != ']'; first = false) {
        if (!*compiler->at)
            return refuse(compiler, "invalid regular expression: [ without ]");
        bool is_class = compiler->at[0] == '[' && compiler->at[1] == ':';
        if (!check_inner_backslash(compiler) || !check_end_of_class(compiler) ||
            !(is_class ? take_class : take_range)(compiler, set))
            return false;
    }
    compiler->at++;
    if (others)
        invert(set);
    return true;
}

/* Up to its last character. */
static bool check_bracket(struct compiler *compiler)
{
    struct pattern_set set;

    compiler->at++;
    compiler->before = ATOM;
    if (!take_bracket(compiler, &set))
        return false;
    compiler->at--;
    return true;
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

static bool refuse_second(const struct compiler *compiler)
{
    char next = *compiler->at;

    if (next == '?')
        return refuse(compiler,
                      "POSIX extended regular expressions have no lazy %c?: repetitions take "
                      "as much as they can; say what is repeated, as [^ ]* or [^0-9]* in "
                      "place of .*?",
                      compiler->at[-1]);
    if (next == '+')
        return refuse(compiler,
                      "POSIX extended regular expressions have no possessive %c+: leave the "
                      "second sign out",
                      compiler->at[-1]);
    return refuse(compiler, "invalid regular expression: %c%c repeats a repetition",
                  compiler->at[-1], next);
}

/* Up to its last character. */
static bool check_repetition(struct compiler *compiler)
{
    size_t length = *compiler->at == '{' ? interval_length(compiler->at) : 1;

    if (length == 0 || (compiler->before == NOTHING && *compiler->at == '{'))
        return refuse(compiler,
                      "invalid regular expression: a { that begins no repetition, as x{2,5}, "
                      "is written \\{");
    if (compiler->before == NOTHING)
        return refuse(compiler,
                      "invalid regular expression: there is nothing that %c could repeat; "
                      "the character itself is \\%c",
                      *compiler->at, *compiler->at);
    if (compiler->before == REPETITION)
        return refuse_second(compiler);
    compiler->before = REPETITION;
    compiler->at += length - 1;
    return true;
}

/* ---- all of it ------------------------------------------------------------------------------------------ */

static bool check_group(struct compiler *compiler)
{
    if (compiler->at[1] == '?')
        return refuse(compiler,
                      "POSIX extended regular expressions have no %.3s: the one group, in plain "
                      "parentheses, is around the number",
                      compiler->at);
    compiler->groups++;
    compiler->open++;
    compiler->before = NOTHING;
    return true;
}

static bool check_end(struct compiler *compiler)
{
    if (compiler->open == 0)
        return refuse(compiler,
                      "invalid regular expression: ) without (; the character itself is \\)");
    compiler->open--;
    compiler->before = ATOM;
    return true;
}

static bool check_escape(struct compiler *compiler)
{
    if (!compiler->at[1])
        return refuse(compiler, "invalid regular expression: nothing follows the last backslash");
    if (has_meaning(compiler->at[1]))
        return refuse_escape(compiler, false);
    compiler->at++;
    compiler->before = ATOM;
    return true;
}

static bool check_next(struct compiler *compiler)
{
    switch (*compiler->at) {
    case '\\':
        return check_escape(compiler);
    case '[':
        return check_bracket(compiler);
    case '(':
        return check_group(compiler);
    case ')':
        return check_end(compiler);
    case '*':
    case '+':
    case '?':
    case '{':
        return check_repetition(compiler);
    case '|':
    case '^':
    case '$':
        compiler->before = NOTHING;
        return true;
    default:
        compiler->before = ATOM;
        return true;
    }
}

/* Whether it is a POSIX extended expression with one group. Leaves the compiler at its end. */
static bool check_dialect(struct compiler *compiler)
{
    for (; *compiler->at; compiler->at++)
        if (!check_next(compiler))
            return false;
    if (compiler->open > 0)
        return refuse(compiler, "invalid regular expression: ( without )");
    return compiler->groups == 1 ||
           refuse(compiler, "expected one group in parentheses around the number; there are %zu",
                  compiler->groups);
}

/* ---- steps --------------------------------------------------------------------------------------- */

static bool is_good(const struct compiler *compiler)
{
    return !*compiler->why;
}

static size_t count(const struct compiler *compiler)
{
    return compiler->pattern->count;
}

/* ---- steps ------------------------------------------------------------------------------------------- */

static void emit(struct compiler *compiler, struct pattern_step step)
{
    struct lauka_pattern *pattern = compiler->pattern;

    if (pattern->count == PATTERN_STEPS)
        refuse(compiler,
               "the regular expression is too large: a{1,50} counts as a hundred parts, and %d "
               "are possible",
               PATTERN_STEPS);
    else
        pattern->steps[pattern->count++] = step;
}

static void emit_split(struct compiler *compiler, size_t to, size_t other)
{
    emit(compiler, (struct pattern_step){
                       .kind = PATTERN_SPLIT, .to = (uint16_t)to, .other = (uint16_t)other});
}

static void emit_jump(struct compiler *compiler, size_t to)
{
    emit(compiler, (struct pattern_step){.kind = PATTERN_JUMP, .to = (uint16_t)to});
}

static uint16_t moved(uint16_t to, size_t from)
{
    return to != PENDING && to >= from ? (uint16_t)(to + 1) : to;
}

/* Makes room for a step before those from `at` on, and puts a split there. */
static void insert_split(struct compiler *compiler, size_t at, size_t other)
{
    struct lauka_pattern *pattern = compiler->pattern;

    emit_jump(compiler, 0);
    if (!is_good(compiler))
        return;
    for (size_t i = pattern->count - 1; i > at; i--) {
        pattern->steps[i] = pattern->steps[i - 1];
        pattern->steps[i].to = moved(pattern->steps[i].to, at);
        pattern->steps[i].other = moved(pattern->steps[i].other, at);
    }
    pattern->steps[at] = (struct pattern_step){
        .kind = PATTERN_SPLIT, .to = (uint16_t)(at + 1), .other = (uint16_t)other};
}

/* What is pending since `from` leads to what comes next. */
static void settle(struct compiler *compiler, size_t from)
{
    struct lauka_pattern *pattern = compiler->pattern;

    for (size_t i = from; i < pattern->count; i++)
        if (pattern->steps[i].kind == PATTERN_SPLIT && pattern->steps[i].other == PENDING)
            pattern->steps[i].other = (uint16_t)pattern->count;
}

static void emit_set(struct compiler *compiler, const struct pattern_set *set)
{
    struct lauka_pattern *pattern = compiler->pattern;
    const size_t count = pattern->set_count;
    struct pattern_set *added;

    if (count == 0 || memcmp(&pattern->sets[count - 1], set, sizeof *set) != 0) {
        added =
            lauka_arena_add(&pattern->arena, &pattern->sets, &pattern->set_count, sizeof *added);
        if (!added) {
            refuse(compiler, "out of memory");
            return;
        }
        *added = *set;
    }
    emit(compiler,
         (struct pattern_step){.kind = PATTERN_SET, .set = (uint16_t)(pattern->set_count - 1)});
}

/* ---- what is repeated -------------------------------------------------------------------------------- */

static void take_choice(struct compiler *compiler);

static void take_group(struct compiler *compiler)
{
    compiler->at++;
    compiler->inside = true;
    emit(compiler, (struct pattern_step){.kind = PATTERN_BEGIN});
    take_choice(compiler);
    emit(compiler, (struct pattern_step){.kind = PATTERN_END});
    compiler->inside = false;
    compiler->at += *compiler->at == ')';
}

static void take_set(struct compiler *compiler)
{
    struct pattern_set set = {0};

    if (*compiler->at++ == '.')
        for (unsigned byte = 0; byte <= UCHAR_MAX; byte++)
            byte == '\n' ? (void)0 : pattern_set_add(&set, (unsigned char)byte);
    else if (!take_bracket(compiler, &set))
        return;
    emit_set(compiler, &set);
}

static void take_atom(struct compiler *compiler)
{
    switch (*compiler->at) {
    case '(':
        take_group(compiler);
        return;
    case '.':
    case '[':
        take_set(compiler);
        return;
    case '^':
    case '$':
        emit(compiler, (struct pattern_step){.kind = *compiler->at++ == '^' ? PATTERN_LINE_BEGIN
                                                                            : PATTERN_LINE_END});
        return;
    case '\\':
        compiler->at++; /* what follows is ordinary */
        break;
    default:
        break;
    }
    emit(compiler,
         (struct pattern_step){.kind = PATTERN_BYTE, .byte = (unsigned char)*compiler->at++});
}

/* ---- repetitions --------------------------------------------------------------------------------------- */

enum { LIMITLESS = PATTERN_STEPS + 1 };

/* Up to what no expression can have. */
static size_t take_number(struct compiler *compiler)
{
    size_t number = 0;

    for (; *compiler->at >= '0' && *compiler->at <= '9'; compiler->at++)
        number = number < LIMITLESS ? 10 * number + (size_t)(*compiler->at - '0') : number;
    return number < LIMITLESS ? number : LIMITLESS;
}

static void take_interval(struct compiler *compiler, size_t *least, size_t *most)
{
    compiler->at++;
    *least = *most = take_number(compiler);
    if (*compiler->at == ',') {
        compiler->at++;
        *most = *compiler->at == '}' ? SIZE_MAX : take_number(compiler);
    }
    compiler->at += *compiler->at == '}';
    if (*least > *most)
        refuse(compiler, "invalid regular expression: a repetition {m,n} ends before it begins");
}

static void take_copy(struct compiler *compiler, const char *atom)
{
    compiler->at = atom;
    take_atom(compiler);
}

/* The atom was taken once, from `begin` on. */
static void repeat(struct compiler *compiler, const char *atom, size_t begin, size_t least,
                   size_t most)
{
    size_t last = begin;

    if (least == 0)
        compiler->pattern->count = begin;
    for (size_t i = 1; i < least && is_good(compiler); i++) {
        last = count(compiler);
        take_copy(compiler, atom);
    }
    if (most == SIZE_MAX && least > 0) {
        emit_split(compiler, last, count(compiler) + 1);
    } else if (most == SIZE_MAX) {
        emit_split(compiler, begin + 1, PENDING);
        take_copy(compiler, atom);
        emit_jump(compiler, begin);
    } else {
        for (size_t i = least; i < most && is_good(compiler); i++) {
            emit_split(compiler, count(compiler) + 1, PENDING);
            take_copy(compiler, atom);
        }
    }
    settle(compiler, begin);
}

static void take_piece(struct compiler *compiler)
{
    const char *atom = compiler->at, *rest;
    size_t begin = count(compiler), least = 1, most = 1;

    take_atom(compiler);
    if (*compiler->at == '*' || *compiler->at == '+' || *compiler->at == '?') {
        least = *compiler->at == '+';
        most = *compiler->at++ == '?' ? 1 : SIZE_MAX;
    } else if (*compiler->at == '{') {
        take_interval(compiler, &least, &most);
    }
    rest = compiler->at;
    if (is_good(compiler) && (least != 1 || most != 1))
        repeat(compiler, atom, begin, least, most);
    compiler->at = rest;
}

/* ---- all of it ------------------------------------------------------------------------------------------- */

static void take_choice(struct compiler *compiler)
{
    size_t begin = count(compiler);

    while (is_good(compiler) && *compiler->at && *compiler->at != '|' &&
           (*compiler->at != ')' || !compiler->inside))
        take_piece(compiler);
    if (!is_good(compiler) || *compiler->at != '|')
        return;
    compiler->pattern->has_choice |= compiler->inside;
    compiler->at++;
    insert_split(compiler, begin, count(compiler) + 2);
    size_t jump = count(compiler);
    emit_jump(compiler, 0);
    take_choice(compiler);
    if (is_good(compiler))
        compiler->pattern->steps[jump].to = (uint16_t)count(compiler);
}

struct lauka_pattern *lauka_pattern_make(const char *text, char *why, size_t size)
{
    struct compiler compiler = {.at = text, .why = why, .size = size};

    *why = '\0';
    if (!check_dialect(&compiler))
        return NULL;
    compiler.at = text;
    compiler.pattern = calloc(1, sizeof *compiler.pattern);
    if (!compiler.pattern) {
        refuse(&compiler, "out of memory");
        return NULL;
    }
    take_choice(&compiler);
    emit(&compiler, (struct pattern_step){.kind = PATTERN_MATCH});
    if (is_good(&compiler))
        return compiler.pattern;
    lauka_pattern_free(compiler.pattern);
    return NULL;
}

void lauka_pattern_free(struct lauka_pattern *pattern)
{
    if (pattern)
        lauka_arena_done(&pattern->arena);
    free(pattern);
}
