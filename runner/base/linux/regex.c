/* Regular expressions in the static release: the extended ones of POSIX, for --read. The C library's would be 24 kB,
 * this is an eighth of it. A pattern becomes a program for a machine that follows all possibilities at once, so that
 * time is at most that of the text by that of the pattern (Thompson 1968; Pike). The match is the leftmost one, and of
 * those the longest. Of the groups, only the first is told. A character is a byte, as in letters.c. Escapes are those
 * of the C library that this replaces: \w \W \s \S \d \D \b \B \< \> \xHH and those of C. Part of no other build: see
 * build/compile.zig. */
#include <ctype.h>
#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum operation { SET, ASSERT, FORK, JUMP, SAVE, END };
enum limit { LONGEST_PROGRAM = 1 << 14, DEEPEST = 500, MOST_REPETITIONS = 255, UNBOUNDED = -1 };

struct instruction {
    uint8_t operation;
    char what; /* of ASSERT: ^ $ b B < >; of SAVE: 0 where the group begins, 1 where it ends */
    int first, second;    /* of FORK and JUMP: distances; the first is preferred */
    uint8_t set[256 / 8]; /* of SET: bytes, as bits */
};

struct program {
    size_t length, capacity;
    struct instruction code[];
};

/* ---- from a pattern to a program ------------------------------------------------------------------------- */

struct parser {
    const char *at;
    struct program *program; /* owned */
    size_t groups;
    int depth, unions, error;
};

static void fail(struct parser *parser, int error)
{
    parser->error = parser->error ? parser->error : error;
}

static bool grow(struct parser *parser)
{
    struct program *program = parser->program;
    size_t capacity = program ? 2 * program->capacity : 16;

    if (capacity <= LONGEST_PROGRAM)
        program = realloc(program, sizeof *program + capacity * sizeof *program->code);
    if (capacity > LONGEST_PROGRAM || !program)
        return false;
    program->length = parser->program ? program->length : 0;
    program->capacity = capacity;
    parser->program = program;
    return true;
}

static size_t length_of(const struct parser *parser)
{
    return parser->program ? parser->program->length : 0;
}

static void emit(struct parser *parser, struct instruction instruction)
{
    if (parser->error)
        return;
    if ((!parser->program || length_of(parser) == parser->program->capacity) && !grow(parser))
        fail(parser, REG_ESPACE);
    else
        parser->program->code[parser->program->length++] = instruction;
}

static void emit_plain(struct parser *parser, enum operation operation, int first, int second)
{
    emit(parser,
         (struct instruction){.operation = (uint8_t)operation, .first = first, .second = second});
}

/* In front of what begins at `place`: distances within that stay right. */
static void insert_fork(struct parser *parser, size_t place, int second)
{
    size_t behind = length_of(parser) - place;

    emit_plain(parser, FORK, 1, second);
    if (parser->error)
        return;
    struct instruction *code = parser->program->code + place, fork = code[behind];
    memmove(code + 1, code, behind * sizeof *code);
    *code = fork;
}

static void copy(struct parser *parser, size_t first, size_t count)
{
    for (size_t i = first; i < first + count && !parser->error; i++)
        emit(parser, parser->program->code[i]);
}

/* What was emitted from `first` on becomes its repetition. */
static void repeat(struct parser *parser, size_t first, int least, int most)
{
    size_t size = length_of(parser) - first;

    for (int i = 1; i < least; i++)
        copy(parser, first, size);
    if (most == 0 && !parser->error && parser->program) {
        parser->program->length = first;
    } else if (most == UNBOUNDED && least > 0) {
        emit_plain(parser, FORK, -(int)size, 1);
    } else if (least == 0) {
        insert_fork(parser, first, (int)size + (most == UNBOUNDED ? 2 : 1));
        if (most == UNBOUNDED)
            emit_plain(parser, JUMP, -(int)size - 1, 0);
        for (int i = 1; i < most; i++)
            copy(parser, first, size + 1);
    } else {
        for (int i = least; i < most; i++) {
            emit_plain(parser, FORK, 1, (int)size + 1);
            copy(parser, first, size);
        }
    }
}

static void set_range(struct instruction *set, unsigned first, unsigned last)
{
    for (unsigned byte = first; byte <= last; byte++)
        set->set[byte / 8] |= (uint8_t)(1u << byte % 8);
}

/* "alpha:]" and so on: adds the class. False: there is none of this name. */
static bool take_class(const char **at, struct instruction *set)
{
    static const struct {
        const char *name;
        int (*has)(int);
    } classes[] = {{"alnum:]", isalnum}, {"alpha:]", isalpha}, {"blank:]", isblank},
                   {"cntrl:]", iscntrl}, {"digit:]", isdigit}, {"graph:]", isgraph},
                   {"lower:]", islower}, {"print:]", isprint}, {"punct:]", ispunct},
                   {"space:]", isspace}, {"upper:]", isupper}, {"xdigit:]", isxdigit}};

    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        size_t length = strlen(classes[i].name);
        if (strncmp(*at, classes[i].name, length) != 0)
            continue;
        for (unsigned byte = 0; byte < 128; byte++)
            if (classes[i].has((int)byte))
                set_range(set, byte, byte);
        *at += length;
        return true;
    }
    return false;
}

/* One byte or a range of a bracket. Returns 0 or the error. */
static int take_bytes(const char **at, struct instruction *set)
{
    unsigned first = (uint8_t) * (*at)++, last = first;

    if ((*at)[0] == '-' && (*at)[1] != ']') {
        last = (uint8_t)(*at)[1];
        if (last == '\0' || first > last)
            return REG_ERANGE;
        *at += 2;
    }
    set_range(set, first, last);
    return 0;
}

/* Of a bracket, from behind "[" or "[^" on. */
static int take_list(const char **at, struct instruction *set)
{
    const char *start = *at;

    for (int error = 0; **at != ']' || *at == start;) {
        const char *s = *at;
        if (!*s)
            return REG_EBRACK;
        if (*s == '-' && s != start && s[1] != ']' && (s[1] != '-' || s[2] == ']'))
            return REG_ERANGE;
        if (*s == '[' && (s[1] == '.' || s[1] == '='))
            return REG_ECOLLATE;
        if (*s == '[' && s[1] == ':') {
            *at += 2;
            error = take_class(at, set) ? 0 : REG_ECTYPE;
        } else {
            error = take_bytes(at, set);
        }
        if (error)
            return error;
    }
    ++*at;
    return 0;
}

static void parse_bracket(struct parser *parser, const char **at)
{
    struct instruction set = {.operation = SET};
    bool negated = **at == '^';

    *at += negated;
    int error = take_list(at, &set);
    for (unsigned i = 0; negated && i < sizeof set.set; i++)
        set.set[i] = (uint8_t)~set.set[i];
    if (negated)
        set.set['\n' / 8] &= (uint8_t) ~(1u << '\n' % 8); /* REG_NEWLINE */
    if (error)
        fail(parser, error);
    emit(parser, set);
}

static void emit_byte(struct parser *parser, unsigned byte)
{
    struct instruction set = {.operation = SET};

    set_range(&set, byte, byte);
    emit(parser, set);
}

static void emit_assertion(struct parser *parser, char what)
{
    emit(parser, (struct instruction){.operation = ASSERT, .what = what});
}

/* "x41" or "x{41}". Other than a byte matches nothing. */
static void parse_hexadecimal(struct parser *parser)
{
    bool braces = *++parser->at == '{';
    unsigned value = 0;

    parser->at += braces;
    for (int i = 0; i < (braces ? 8 : 2) && isxdigit((uint8_t)*parser->at); i++) {
        int digit = (uint8_t)*parser->at++;
        value = 16 * value + (unsigned)(isdigit(digit) ? digit - '0' : (digit | 32) - 'a' + 10);
    }
    if (braces && *parser->at != '}') {
        fail(parser, REG_EBRACE);
        return;
    }
    parser->at += braces;
    if (value > 0 && value < 128)
        emit_byte(parser, value);
    else
        emit(parser, (struct instruction){.operation = SET});
}

/* What stands behind a backslash. */
static void parse_escape(struct parser *parser)
{
    static const char *const lists[] = {"w[:alnum:]_]", "W^[:alnum:]_]", "s[:space:]]",
                                        "S^[:space:]]", "d[:digit:]]",   "D^[:digit:]]"};
    static const char names[] = "tnrfae", bytes[] = "\t\n\r\f\a\033";
    char letter = *parser->at;

    if (letter == '\0') {
        fail(parser, REG_EESCAPE);
        return;
    }
    if (letter == 'x') {
        parse_hexadecimal(parser);
        return;
    }
    parser->at++;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (*lists[i] == letter) {
            const char *list = lists[i] + 1;
            parse_bracket(parser, &list);
            return;
        }
    const char *name = strchr(names, letter);
    if (strchr("bB<>", letter))
        emit_assertion(parser, letter);
    else
        emit_byte(parser, name ? (uint8_t)bytes[name - names] : (uint8_t)letter);
}

static void parse_union(struct parser *parser);

static void emit_save(struct parser *parser, size_t group, char what)
{
    if (group == 1)
        emit(parser, (struct instruction){.operation = SAVE, .what = what});
}

static void parse_group(struct parser *parser)
{
    size_t group = ++parser->groups;

    if (++parser->depth > DEEPEST)
        fail(parser, REG_ESPACE);
    emit_save(parser, group, 0);
    if (!parser->error)
        parse_union(parser);
    if (parser->error)
        return;
    if (*parser->at == ')')
        parser->at++;
    else
        fail(parser, REG_EPAREN);
    emit_save(parser, group, 1);
    parser->depth--;
}

static void parse_any(struct parser *parser)
{
    const char *list = "^\n]";

    parse_bracket(parser, &list);
}

/* Moves on; where the branch ends, there is none. */
static void parse_atom(struct parser *parser)
{
    char character = *parser->at++;

    if (character == '(')
        parse_group(parser);
    else if (character == '[')
        parse_bracket(parser, &parser->at);
    else if (character == '\\')
        parse_escape(parser);
    else if (character == '.')
        parse_any(parser);
    else if (character == '^' || character == '$')
        emit_assertion(parser, character);
    else if (character == '*' || character == '+' || character == '?' || character == '{')
        fail(parser, REG_BADRPT);
    else
        emit_byte(parser, (uint8_t)character);
}

/* UNBOUNDED: there is none. */
static int take_count(const char **at)
{
    int count = isdigit((uint8_t) * *at) ? 0 : UNBOUNDED;

    for (; isdigit((uint8_t) * *at) && count <= MOST_REPETITIONS; ++*at)
        count = 10 * count + (**at - '0');
    return count;
}

/* "{2,3}", behind the brace. */
static void parse_bounds(struct parser *parser, size_t first)
{
    int least = take_count(&parser->at), most = least;

    if (*parser->at == ',') {
        parser->at++;
        most = take_count(&parser->at);
    }
    if (least < 0 || least > MOST_REPETITIONS || most > MOST_REPETITIONS ||
        (most >= 0 && most < least) || *parser->at != '}') {
        fail(parser, REG_BADBR);
        return;
    }
    parser->at++;
    repeat(parser, first, least, most);
}

static void parse_repetitions(struct parser *parser, size_t first)
{
    while (!parser->error && *parser->at && strchr("*+?{", *parser->at)) {
        char how = *parser->at++;
        if (how == '{')
            parse_bounds(parser, first);
        else
            repeat(parser, first, how == '+', how == '?' ? 1 : UNBOUNDED);
    }
}

static bool ends_branch(const struct parser *parser)
{
    char next = *parser->at;

    return next == '\0' || next == '|' || (next == ')' && parser->depth > 0);
}

static void parse_branch(struct parser *parser)
{
    while (!parser->error && !ends_branch(parser)) {
        size_t first = length_of(parser);
        parse_atom(parser);
        if (!parser->error)
            parse_repetitions(parser, first);
    }
}

static void parse_union(struct parser *parser)
{
    size_t first = length_of(parser);

    parse_branch(parser);
    if (parser->error || *parser->at != '|')
        return;
    parser->at++;
    insert_fork(parser, first, (int)(length_of(parser) - first) + 2);
    size_t jump = length_of(parser);
    emit_plain(parser, JUMP, 0, 0);
    if (++parser->unions > DEEPEST)
        fail(parser, REG_ESPACE);
    parse_union(parser);
    parser->unions--;
    if (!parser->error)
        parser->program->code[jump].first = (int)(length_of(parser) - jump);
}

int regcomp(regex_t *restrict regex, const char *restrict pattern, int flags)
{
    struct parser parser = {.at = pattern};

    if (flags != (REG_EXTENDED | REG_NEWLINE))
        return REG_BADPAT; /* what nobody asks for is not there */
    parse_union(&parser);
    emit_plain(&parser, END, 0, 0);
    if (parser.error) {
        free(parser.program);
        return parser.error;
    }
    regex->__opaque = (void *)parser.program;
    regex->re_nsub = parser.groups;
    return 0;
}

void regfree(regex_t *regex)
{
    free(regex->__opaque);
}

size_t regerror(int error, const regex_t *restrict regex, char *restrict text, size_t size)
{
    static const struct {
        int error;
        const char *text;
    } texts[] = {{REG_ECOLLATE, "Unknown collating element"},
                 {REG_ECTYPE, "Unknown character class name"},
                 {REG_EESCAPE, "Trailing backslash"},
                 {REG_EBRACK, "Missing ']'"},
                 {REG_EPAREN, "Missing ')'"},
                 {REG_EBRACE, "Missing '}'"},
                 {REG_BADBR, "Invalid contents of {}"},
                 {REG_ERANGE, "Invalid character range"},
                 {REG_ESPACE, "Out of memory"},
                 {REG_BADRPT, "Repetition not preceded by valid expression"}};
    const char *found = "Invalid regexp";

    (void)regex;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].error == error)
            found = texts[i].text;
    size_t length = strlen(found);
    if (size > 0) {
        size_t shown = length < size ? length : size - 1;
        memcpy(text, found, shown);
        text[shown] = '\0';
    }
    return length + 1;
}

/* ---- the machine ------------------------------------------------------------------------------------------- */

/* A possibility: where in the program it is, where in the text its match and the group begin and end. */
struct thread {
    size_t at;
    ptrdiff_t begin, group[2];
};

struct machine {
    const struct program *program;
    const char *text;
    int flags;
    struct thread *now, *next; /* in the order of preference */
    size_t now_count, next_count;
    size_t
        *reached; /* for each instruction, the last place in the text where it was reached, and 1 */
    bool found;
    struct thread match;
    size_t end;
};

static bool is_word(char character)
{
    return isalnum((uint8_t)character) || character == '_';
}

static bool holds(const struct machine *machine, char what, size_t place)
{
    char before = place > 0 ? machine->text[place - 1] : '\0', behind = machine->text[place];
    bool left = is_word(before), right = is_word(behind);

    switch (what) {
    case '^':
        return place > 0 ? before == '\n' : !(machine->flags & REG_NOTBOL);
    case '$':
        return behind ? behind == '\n' : !(machine->flags & REG_NOTEOL);
    case 'b':
        return left != right;
    case 'B':
        return left == right;
    case '<':
        return !left && right;
    default:
        return left && !right;
    }
}

/* Equally long ones: the first was preferred. */
static void take_match(struct machine *machine, const struct thread *thread, size_t place)
{
    if (machine->found && (thread->begin > machine->match.begin ||
                           (thread->begin == machine->match.begin && place <= machine->end)))
        return;
    machine->found = true;
    machine->match = *thread;
    machine->end = place;
}

/* Follows what reads nothing. A possibility that comes later to the same instruction has the same future. */
static void follow(struct machine *machine, struct thread thread, size_t place)
{
    for (;;) {
        const struct instruction *instruction = &machine->program->code[thread.at];
        if (machine->reached[thread.at] == place + 1)
            return;
        machine->reached[thread.at] = place + 1;
        if (instruction->operation == SET) {
            machine->next[machine->next_count++] = thread;
            return;
        }
        if (instruction->operation == END) {
            take_match(machine, &thread, place);
            return;
        }
        if (instruction->operation == ASSERT && !holds(machine, instruction->what, place))
            return;
        if (instruction->operation == SAVE)
            thread.group[(int)instruction->what] = (ptrdiff_t)place;
        if (instruction->operation == FORK) {
            struct thread preferred = thread;
            preferred.at += (size_t)instruction->first;
            follow(machine, preferred, place);
        }
        thread.at += instruction->operation == FORK   ? (size_t)instruction->second
                     : instruction->operation == JUMP ? (size_t)instruction->first
                                                      : 1;
    }
}

/* All possibilities read the byte at `place`. */
static void step(struct machine *machine, size_t place)
{
    struct thread *threads = machine->next;
    uint8_t byte = (uint8_t)machine->text[place];

    machine->now_count = machine->next_count;
    machine->next = machine->now;
    machine->now = threads;
    machine->next_count = 0;
    for (size_t i = 0; i < machine->now_count; i++) {
        const uint8_t *set = machine->program->code[threads[i].at].set;
        if (!(set[byte / 8] >> byte % 8 & 1) ||
            (machine->found && threads[i].begin > machine->match.begin))
            continue;
        struct thread moved = threads[i];
        moved.at++;
        follow(machine, moved, place + 1);
    }
}

static void run(struct machine *machine)
{
    for (size_t place = 0;; place++) {
        if (!machine->found)
            follow(machine, (struct thread){.begin = (ptrdiff_t)place, .group = {-1, -1}}, place);
        if (!machine->text[place] || (machine->found && machine->next_count == 0))
            return;
        step(machine, place);
    }
}

int regexec(const regex_t *restrict regex, const char *restrict text, size_t count,
            regmatch_t matches[restrict], int flags)
{
    const struct program *program = (void *)regex->__opaque;
    size_t length = program->length;
    struct thread *threads = malloc(2 * length * sizeof *threads);
    size_t *reached = calloc(length, sizeof *reached);
    struct machine machine = {.program = program,
                              .text = text,
                              .flags = flags,
                              .now = threads,
                              .next = threads ? threads + length : NULL,
                              .reached = reached};

    if (threads && reached)
        run(&machine);
    free(reached);
    free(threads);
    if (!machine.found)
        return threads && reached ? REG_NOMATCH : REG_ESPACE;
    for (size_t i = 0; i < count; i++)
        matches[i] = (regmatch_t){-1, -1};
    if (count > 0)
        matches[0] = (regmatch_t){(regoff_t)machine.match.begin, (regoff_t)machine.end};
    if (count > 1 && machine.match.group[1] >= 0)
        matches[1] =
            (regmatch_t){(regoff_t)machine.match.group[0], (regoff_t)machine.match.group[1]};
    return 0;
}
