/* How Go's testing package is asked, and what it writes: "BenchmarkSum/10-8  1000  123.4 ns/op  16 B/op  1 allocs/op".
 * What a benchmark itself prints may stand before its name, or between that and its number of iterations. */
#include "runner/suite/suite.h"
#include "runner/command/command.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t blanks(const char *text)
{
    return strspn(text, " \t");
}

static const char *next_line(const char *text)
{
    text += strcspn(text, "\n");
    return text + (*text == '\n');
}

/* ---- lines ------------------------------------------------------------------------------------------ */

struct line {         /* of a benchmark */
    const char *name; /* in the text; NULL: there is none */
    size_t length;
    const char *count; /* the number of iterations; NULL: it has not been found yet */
    const char *pairs; /* what follows it */
};

/* A number, then blanks, a value, a blank and its unit, which is no number. */
static bool is_result(const char *text, const char **pairs)
{
    const char *rest = text + strspn(text, "0123456789");
    char *end;

    *pairs = rest;
    if (rest == text || blanks(rest) == 0)
        return false;
    (void)strtod(rest + blanks(rest), &end);
    return end != rest + blanks(rest) && (*end == ' ' || *end == '\t') &&
           !strchr("\r\n+-.0123456789", end[blanks(end)]);
}

/* The name at this place, and the result if it follows. */
static bool take_name(const char *text, struct line *line)
{
    size_t length = strcspn(text, " \t\r\n");
    const char *rest = text + length + blanks(text + length);

    if (strncmp(text, "Benchmark", strlen("Benchmark")) != 0 || rest == text + length)
        return false;
    *line = (struct line){.name = text, .length = length};
    if (is_result(rest, &line->pairs))
        line->count = rest;
    return true;
}

/* Finds the name in a line: at its beginning, or behind what was printed without a line feed; then a tab follows. */
static bool find_name(const char *text, struct line *line)
{
    const char *end = text + strcspn(text, "\n"), *at = text;

    if (take_name(text, line))
        return true;
    for (; (at = memchr(at, 'B', (size_t)(end - at))); at++) {
        if (!take_name(at, line))
            continue;
        const char *behind = at + line->length;
        if (line->count || memchr(behind, '\t', blanks(behind)))
            return true;
    }
    return false;
}

/* Finds what belongs to a name that stands before what was printed: a tab follows its number of iterations. */
static bool find_result(const char *text, struct line *line)
{
    const char *end = text + strcspn(text, "\n"), *tab = text;

    while ((tab = memchr(tab, '\t', (size_t)(end - tab)))) {
        const char *digits = tab;
        while (digits > text && isdigit((unsigned char)digits[-1]))
            digits--;
        bool fraction = digits > text && digits[-1] == '.';
        if (digits < tab && !fraction && is_result(digits, &line->pairs)) {
            line->count = digits;
            return true;
        }
        tab++;
    }
    return false;
}

/* The next benchmark with a result. *text is where to go on. */
static bool next_result(const char **text, struct line *line)
{
    struct line found;

    for (; **text; *text = next_line(*text)) {
        const char *rest = *text;
        if (find_name(*text, &found)) {
            *line = found;
            rest = found.name + found.length;
        }
        if (line->name && (line->count || find_result(rest, line))) {
            *text = next_line(*text);
            return true;
        }
    }
    return false;
}

/* ---- lists ------------------------------------------------------------------------------------------ */

/* All names end in "-8", the number of CPUs, unless that is 1, or there are several by -test.cpu. */
static bool has_suffix(const char *text, bool *sure)
{
    struct line line = {0};
    const char *first = NULL;
    size_t size = 0;

    *sure = false;
    while (next_result(&text, &line)) {
        size_t at = lauka_inner_name_number(line.name, line.length), length = line.length - at;
        if (length == 0 || (first && (size != length || memcmp(first, line.name + at, size) != 0)))
            return false;
        first = line.name + at;
        size = length;
        *sure = *sure || !memchr(line.name, '/', at); /* no function has a hyphen in its name */
        line = (struct line){0};
    }
    return first != NULL;
}

static int add_names(const char *text, bool cut, struct lauka_inner_names *names)
{
    struct line line = {0};
    int error = 0;

    for (; !error && next_result(&text, &line); line = (struct line){0}) {
        size_t at = lauka_inner_name_number(line.name, line.length);
        names->numbered = names->numbered || (!cut && at < line.length);
        error = lauka_inner_names_add(names, line.name, cut ? at : line.length);
    }
    return error;
}

static int read_list(const char *text, struct lauka_inner_names *names)
{
    bool sure, cut = has_suffix(text, &sure);

    names->unsure = cut && !sure;
    return add_names(text, cut, names);
}

static int read_list_whole(const char *text, struct lauka_inner_names *names)
{
    return add_names(text, false, names);
}

/* An exit with 0 in a benchmark ends all of them without a word. */
static bool is_through(const char *text)
{
    static const char mark[] = "PASS";

    for (const char *at = text; (at = strstr(at, mark)); at++)
        if (strchr("\r\n", at[strlen(mark)]))
            return true;
    return false;
}

/* ---- results ---------------------------------------------------------------------------------------- */

/* Its units, and what they are called here. */
static const struct {
    const char *theirs, *name, *unit;
    double factor;
} units[] = {
    {"B/op", "allocated", "B", 1},
    {"allocs/op", "allocations", "1", 1},
    {"MB/s", "bytes_per_second", "B/s", 1e6},
};

static bool fits_name(const char *theirs, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)theirs[i]) && !strchr("_-./", theirs[i]))
            return false;
    return length > 0 && length < LAUKA_INNER_NAME && isalpha((unsigned char)*theirs);
}

static int leave_out(const char *theirs, size_t length, const char *fault,
                     struct lauka_inner_answers *answers)
{
    char name[LAUKA_INNER_NAME];

    snprintf(name, sizeof name, "%.*s", length < sizeof name ? (int)length : 0, theirs);
    return *name ? lauka_inner_answers_leave_out(answers, name, fault) : 0;
}

static int add_figure(const char *theirs, size_t length, double value,
                      struct lauka_inner_answer *answer, struct lauka_inner_answers *answers)
{
    struct lauka_inner_figure *figure = &answer->figures[answer->figure_count];
    const char *fault = lauka_inner_fault(value, answer->figure_count), *unit = "1";

    if (fault)
        return leave_out(theirs, length, fault, answers);
    *figure = (struct lauka_inner_figure){.value = value};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strlen(units[i].theirs) == length && strncmp(theirs, units[i].theirs, length) == 0) {
            strcpy(figure->name, units[i].name);
            unit = units[i].unit;
            figure->value = value * units[i].factor;
        }
    if (!*figure->name) {
        if (!fits_name(theirs, length))
            return leave_out(theirs, length, "not a name", answers);
        memcpy(figure->name, theirs, length);
        if (length > 2 && strncmp(theirs + length - 2, "/s", 2) == 0)
            unit = "/s";
    }
    figure->unit = lauka_figure_unit_find(unit, strlen(unit));
    answer->figure_count += isfinite(figure->value) ? 1 : 0;
    return 0;
}

static int check_time(double ns, struct lauka_inner_answers *answers)
{
    const char *fault = lauka_inner_fault(ns, 0);

    return fault ? lauka_inner_answers_refuse(answers, "ns/op", fault) : 0;
}

/* Pairs of a value and its unit. */
static int read_pairs(const char *rest, struct lauka_inner_answer *answer,
                      struct lauka_inner_answers *answers)
{
    bool timed = false;
    int error = 0;

    *answer = (struct lauka_inner_answer){.wall_ns = -1, .cpu_ns = -1};
    for (rest += blanks(rest); !error && *rest && *rest != '\n' && *rest != '\r';
         rest += blanks(rest)) {
        char *end;
        double value = strtod(rest, &end);
        if (end == rest || (*end != ' ' && *end != '\t'))
            return EINVAL;
        rest = end + blanks(end);
        size_t length = strcspn(rest, " \t\r\n");
        timed = timed || (length == strlen("ns/op") && strncmp(rest, "ns/op", length) == 0);
        if (length == strlen("ns/op") && strncmp(rest, "ns/op", length) == 0)
            answer->wall_ns = value;
        else
            error = add_figure(rest, length, value, answer, answers);
        rest += length;
    }
    if (!error && !timed)
        snprintf(answers->why, sizeof answers->why,
                 "wrote no ns/op, which ReportMetric(0, \"ns/op\") hides: there is no time");
    return error ? error : timed ? check_time(answer->wall_ns, answers) : EINVAL;
}

static bool is_called(const struct line *line, const char *name, size_t length)
{
    return length == strlen(name) && strncmp(line->name, name, length) == 0;
}

/* Whether all names have a suffix, and one of them is this one without it. */
static bool is_cut(const char *text, const char *name)
{
    struct line line = {0};
    bool sure;

    if (!has_suffix(text, &sure))
        return false;
    for (; next_result(&text, &line); line = (struct line){0})
        if (is_called(&line, name, lauka_inner_name_number(line.name, line.length)))
            return true;
    return false;
}

/* "--- FAIL: NAME", with or without the suffix. */
static bool has_failed(const char *text, const char *name)
{
    static const char mark[] = "--- FAIL: ";

    for (const char *at = text; (at = strstr(at, mark)); at++) {
        const char *own = at + strlen(mark);
        size_t length = strcspn(own, " \t\r\n");
        if ((length == strlen(name) && strncmp(own, name, length) == 0) ||
            (lauka_inner_name_number(own, length) == strlen(name) &&
             strncmp(own, name, strlen(name)) == 0))
            return true;
    }
    return false;
}

static int read_run(const char *text, const char *name, struct lauka_inner_answers *answers,
                    uint64_t *iterations)
{
    bool cut = is_cut(text, name);
    struct line line = {0};
    int error = 0;

    if (has_failed(text, name))
        snprintf(answers->why, sizeof answers->why, "says that it failed (--- FAIL)");
    for (const char *rest = text; !error && next_result(&rest, &line); line = (struct line){0}) {
        struct lauka_inner_answer answer;
        if (!is_called(&line, name,
                       cut ? lauka_inner_name_number(line.name, line.length) : line.length))
            continue;
        *iterations = strtoull(line.count, NULL, 10);
        error = read_pairs(line.pairs, &answer, answers);
        if (!error)
            error = lauka_inner_answers_add(answers, &answer);
    }
    return error;
}

/* ---- how it is asked ----------------------------------------------------------------------------- */

/* `-test.list` omits benchmarks that are run within others. */
static const char *const list_words[] = {"-test.run=^$", "-test.bench=.", "-test.benchtime=1x",
                                         NULL};
static const char *const start_words[] = {"-test.run=^$", NULL};
static const char *const run_words[] = {"-test.run=^$", "-test.benchtime={iterations}",
                                        "-test.count={rounds}", "-test.benchmem", NULL};
static const char *const one_words[] = {"-test.bench=^{parts}$", "-test.shuffle=off", NULL};
static const char *const all_words[] = {"-test.bench=.", "-test.shuffle={seed}", NULL};

const struct lauka_adapter lauka_go_adapter = {.framework = LAUKA_FRAMEWORK_GO,
                                               .name = "go",
                                               .marks = {"test.benchtime"},
                                               .telling = LAUKA_TELLS_BOTH,
                                               .list = list_words,
                                               .start = start_words,
                                               .run = run_words,
                                               .run_one = one_words,
                                               .run_all = all_words,
                                               .read_list = read_list,
                                               .read_list_whole = read_list_whole,
                                               .read_run = read_run,
                                               .is_through = is_through};
