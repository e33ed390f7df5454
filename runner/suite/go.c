/* What Go's testing package writes: "BenchmarkSum/10-8  1000  123.4 ns/op  16 B/op  1 allocs/op". */
#include "runner/suite/suite.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t blanks(const char *text)
{
    return strspn(text, " \t");
}

/* Without "-8", the number of CPUs, which is omitted if it is 1. */
static size_t name_length(const char *line, size_t length)
{
    size_t end = length;

    while (end > 0 && isdigit((unsigned char)line[end - 1]))
        end--;
    return end < length && end > 1 && line[end - 1] == '-' ? end - 1 : length;
}

/* Where the name ends, if the line is about a benchmark, and the number of its iterations follows. */
static bool find_name(const char *line, size_t *length, const char **rest)
{
    char *end;

    *length = strcspn(line, " \t\r\n");
    if (strncmp(line, "Benchmark", strlen("Benchmark")) != 0 || *length == 0)
        return false;
    *rest = line + *length;
    *rest += blanks(*rest);
    if (!isdigit((unsigned char)**rest))
        return false;
    (void)strtoull(*rest, &end, 10);
    *rest = end;
    return *end == ' ' || *end == '\t';
}

static const char *next_line(const char *text)
{
    text += strcspn(text, "\n");
    return text + (*text == '\n');
}

int lauka_go_read_list(const char *text, struct lauka_inner_names *names)
{
    size_t length;
    const char *rest;
    int error = 0;

    for (; *text && !error; text = next_line(text))
        if (find_name(text, &length, &rest))
            error = lauka_inner_names_add(names, text, name_length(text, length));
    return error;
}

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

static void add_figure(const char *theirs, size_t length, double value,
                       struct lauka_inner_answer *answer)
{
    struct lauka_inner_figure *figure = &answer->figures[answer->figure_count];

    if (answer->figure_count == LAUKA_INNER_FIGURES || !isfinite(value) || value < 0)
        return;
    *figure = (struct lauka_inner_figure){.value = value, .unit = "1"};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strlen(units[i].theirs) == length && strncmp(theirs, units[i].theirs, length) == 0) {
            strcpy(figure->name, units[i].name);
            strcpy(figure->unit, units[i].unit);
            figure->value = value * units[i].factor;
        }
    if (!*figure->name) {
        if (!fits_name(theirs, length))
            return;
        memcpy(figure->name, theirs, length);
        if (length > 2 && strncmp(theirs + length - 2, "/s", 2) == 0)
            strcpy(figure->unit, "/s");
    }
    answer->figure_count++;
}

/* Pairs of a value and its unit. */
static int read_pairs(const char *rest, struct lauka_inner_answer *answer)
{
    *answer = (struct lauka_inner_answer){.wall_ns = -1, .cpu_ns = -1};
    for (rest += blanks(rest); *rest && *rest != '\n' && *rest != '\r'; rest += blanks(rest)) {
        char *end;
        double value = strtod(rest, &end);
        if (end == rest || (*end != ' ' && *end != '\t'))
            return EINVAL;
        rest = end + blanks(end);
        size_t length = strcspn(rest, " \t\r\n");
        if (length == strlen("ns/op") && strncmp(rest, "ns/op", length) == 0)
            answer->wall_ns = value;
        else
            add_figure(rest, length, value, answer);
        rest += length;
    }
    return isfinite(answer->wall_ns) && answer->wall_ns >= 0 ? 0 : EINVAL;
}

int lauka_go_read(const char *text, const char *name, struct lauka_inner_answers *answers,
                  uint64_t *iterations)
{
    size_t length;
    const char *rest;
    int error = 0;

    for (; *text && !error; text = next_line(text)) {
        struct lauka_inner_answer answer;
        if (!find_name(text, &length, &rest))
            continue;
        size_t own = name_length(text, length);
        if (strlen(name) != own || strncmp(text, name, own) != 0)
            continue;
        const char *number = text + length;
        *iterations = strtoull(number + blanks(number), NULL, 10);
        error = read_pairs(rest, &answer);
        if (!error)
            error = lauka_inner_answers_add(answers, &answer);
    }
    return error;
}
