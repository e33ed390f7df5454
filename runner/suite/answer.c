/* The answers of a program that speaks lauka-bench/1: docs/suite.md has the protocol. */
#include "runner/suite/suite.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool complain(char *why, size_t size, const char *what, const char *word)
{
    snprintf(why, size, "%s: %.60s", what, word);
    return false;
}

/* A finite number, and nothing behind it. */
static bool read_number(const char *text, double *value)
{
    char *end;

    if (isspace((unsigned char)*text))
        return false;
    *value = strtod(text, &end);
    return end != text && !*end && isfinite(*value);
}

/* The next word, which is terminated in place; "" if there is none. */
static char *next_word(char **text)
{
    char *word = *text + strspn(*text, " ");
    size_t length = strcspn(word, " ");

    *text = word + length;
    if (word[length])
        *(*text)++ = '\0';
    return word;
}

static bool is_name(const char *name)
{
    static const char others[] = "_-./";

    if (!isalpha((unsigned char)*name) || strlen(name) >= LAUKA_INNER_NAME)
        return false;
    for (; *name; name++)
        if (!isalnum((unsigned char)*name) && !strchr(others, *name))
            return false;
    return true;
}

static bool read_figure(char *word, const char *unit, struct lauka_inner_answer *answer, char *why,
                        size_t size)
{
    struct lauka_inner_figure *figure = &answer->figures[answer->figure_count];
    char *equals = strchr(word, '=');

    if (!equals || answer->figure_count == LAUKA_INNER_FIGURES)
        return complain(why, size,
                        equals ? "it reports more than eight figures" : "it answered more", word);
    *equals = '\0';
    if (!is_name(word))
        return complain(why, size, "a figure has an invalid name", word);
    for (size_t i = 0; i < answer->figure_count; i++)
        if (strcmp(answer->figures[i].name, word) == 0)
            return complain(why, size, "it reports a figure twice", word);
    if (!read_number(equals + 1, &figure->value) || figure->value < 0)
        return complain(why, size, "a figure is not a number of at least 0", equals + 1);
    if (!*unit || strlen(unit) >= LAUKA_INNER_UNIT)
        return complain(why, size, "a figure has no unit", word);
    if (!lauka_inner_figures_can_name(word))
        return complain(why, size, "a metric of this name exists already", word);
    if (!lauka_figure_unit_find(unit, strlen(unit)))
        return complain(why, size, "a figure has a unit that is not known", unit);
    strcpy(figure->name, word);
    strcpy(figure->unit, unit);
    answer->figure_count++;
    return true;
}

bool lauka_answer_read(const char *line, struct lauka_inner_answer *answer, char *why, size_t size)
{
    char own[2048], *rest = own;

    *answer = (struct lauka_inner_answer){.cpu_ns = -1};
    if (strncmp(line, "error", 5) == 0 && (line[5] == ' ' || !line[5]))
        return complain(why, size, "it answered with an error", line + 5 + strspn(line + 5, " "));
    if (strlen(line) >= sizeof own)
        return complain(why, size, "its answer is too long", line);
    strcpy(own, line);
    if (strcmp(next_word(&rest), "ok") != 0)
        return complain(why, size, "its answer is not understood", line);
    char *wall = next_word(&rest), *cpu = next_word(&rest);
    if (!read_number(wall, &answer->wall_ns) || answer->wall_ns < 0 || answer->wall_ns > 1e18)
        return complain(why, size, "its wall time is not a valid time", wall);
    if (strcmp(cpu, "-") != 0 &&
        (!read_number(cpu, &answer->cpu_ns) || answer->cpu_ns < 0 || answer->cpu_ns > 1e18))
        return complain(why, size, "its CPU time is not a valid time", cpu);
    for (char *word = next_word(&rest); *word; word = next_word(&rest)) {
        const char *unit = next_word(&rest);
        if (!read_figure(word, unit, answer, why, size))
            return false;
    }
    return true;
}

bool lauka_answer_can_name(const char *name)
{
    enum { LONGEST = 300 };
    size_t length = strlen(name);

    for (size_t i = 0; i < length; i++)
        if ((unsigned char)name[i] <= ' ' || name[i] == 0x7f)
            return false;
    return length > 0 && length <= LONGEST;
}

/* ---- the answers of a process ----------------------------------------------------------------------- */

static void *grow(void *array, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return array;
    size_t more = *capacity ? 2 * *capacity : 16;
    void *grown = realloc(array, more * size);
    if (grown)
        *capacity = more;
    return grown;
}

int lauka_inner_answers_add(struct lauka_inner_answers *answers,
                            const struct lauka_inner_answer *answer)
{
    struct lauka_inner_answer *grown =
        grow(answers->answers, answers->count, &answers->capacity, sizeof *grown);

    if (!grown)
        return ENOMEM;
    answers->answers = grown;
    grown[answers->count++] = *answer;
    return 0;
}

int lauka_inner_answers_refuse(struct lauka_inner_answers *answers, const char *what,
                               const char *fault)
{
    if (!*answers->why)
        snprintf(answers->why, sizeof answers->why, "says that its %s is %.30s", what, fault);
    return EINVAL;
}

int lauka_inner_answers_leave_out(struct lauka_inner_answers *answers, const char *name,
                                  const char *fault)
{
    char text[LAUKA_INNER_NAME + 50];

    snprintf(text, sizeof text, "`%.*s` is %.30s", LAUKA_INNER_NAME, name, fault);
    return lauka_inner_names_add(&answers->left_out, text, strlen(text));
}

void lauka_inner_answers_done(struct lauka_inner_answers *answers)
{
    lauka_inner_names_done(&answers->left_out);
    free(answers->answers);
    *answers = (struct lauka_inner_answers){0};
}

const char *lauka_inner_fault(double value, size_t figure_count)
{
    if (isnan(value))
        return "NaN";
    if (!isfinite(value))
        return "infinite";
    if (value < 0)
        return "negative";
    return figure_count >= LAUKA_INNER_FIGURES ? "one of more than eight" : NULL;
}
