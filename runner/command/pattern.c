/* Regular expressions become steps. A repetition that is counted is written out, by reading what is repeated again. */
#include "runner/command/pattern.h"
#include "runner/command/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct compiler {
    const char *at; /* pattern_check has passed it */
    struct lauka_pattern *pattern;
    char *why; /* "" as long as all is well */
    size_t size;
    bool inside; /* the group */
};

enum { PENDING = UINT16_MAX }; /* a way whose end is not known yet */

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
        snprintf(compiler->why, compiler->size,
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
    size_t last = pattern->set_count - 1;
    struct pattern_set *grown;

    if (pattern->set_count == 0 || memcmp(&pattern->sets[last], set, sizeof *set) != 0) {
        grown = realloc(pattern->sets, (pattern->set_count + 1) * sizeof *grown);
        if (!grown) {
            snprintf(compiler->why, compiler->size, "out of memory");
            return;
        }
        pattern->sets = grown;
        grown[last = pattern->set_count++] = *set;
    }
    emit(compiler, (struct pattern_step){.kind = PATTERN_SET, .set = (uint16_t)last});
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
    else if (!pattern_bracket(&compiler->at, &set, compiler->why, compiler->size))
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
        snprintf(compiler->why, compiler->size,
                 "invalid regular expression: a repetition {m,n} ends before it begins");
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
    if (!pattern_check(text, why, size))
        return NULL;
    compiler.pattern = calloc(1, sizeof *compiler.pattern);
    if (!compiler.pattern) {
        snprintf(why, size, "out of memory");
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
        free(pattern->sets);
    free(pattern);
}
