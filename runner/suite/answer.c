/* What a process says about a benchmark: the answers of a program that speaks lauka-bench/1 (docs/suite.md has the
 * protocol), the figures in them that both sides report, and the answers of all rounds of a process. */
#include "runner/suite/suite.h"
#include "pmu/events/events.h"
#include "runner/command/command.h"
#include "runner/session/session.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- figures that both sides report -------------------------------------------------------------- */

/* Whether no metric has this name. */
static bool can_name_figure(const char *name)
{
    for (size_t i = 0; i < LAUKA_USAGE_METRICS; i++)
        if (strcmp(lauka_usage_events()[i].name, name) == 0)
            return false;
    return !lauka_event_find(name);
}

static size_t find(const struct lauka_inner_figures *figures, const char *name)
{
    size_t f = 0;

    while (f < figures->tells.figure_count && strcmp(figures->tells.figures[f].name, name) != 0)
        f++;
    return f;
}

int lauka_inner_figures_note(struct lauka_inner_figures *figures, size_t side,
                             const struct lauka_inner_answer *answer)
{
    for (size_t i = 0; i < answer->figure_count; i++) {
        const struct lauka_inner_figure *told = &answer->figures[i];
        const struct lauka_figure_unit *unit =
            lauka_figure_unit_find(told->unit, strlen(told->unit));
        size_t f = find(figures, told->name);
        struct lauka_figure *figure = &figures->tells.figures[f];
        if (!unit || !can_name_figure(told->name) || f == LAUKA_FIGURES_MAX)
            continue;
        if (f == figures->tells.figure_count) {
            *figure = (struct lauka_figure){.name = strdup(told->name), .unit = unit};
            if (!figure->name)
                return ENOMEM;
            figures->tells.figure_count++;
        }
        figures->told[side][f] = true;
    }
    return 0;
}

/* In the unit of the metric; NaN if it is not among them. */
static double value_of(const struct lauka_figure *figure, const struct lauka_inner_answer *answer)
{
    for (size_t i = 0; i < answer->figure_count; i++) {
        const struct lauka_inner_figure *told = &answer->figures[i];
        const struct lauka_figure_unit *unit =
            lauka_figure_unit_find(told->unit, strlen(told->unit));
        if (strcmp(told->name, figure->name) == 0 && unit &&
            strcmp(unit->unit, figure->unit->unit) == 0)
            return told->value * unit->factor;
    }
    return NAN;
}

const char *lauka_inner_figures_fill(const struct lauka_inner_figures *figures, size_t side,
                                     const struct lauka_inner_answer *answer, double *values)
{
    const char *missing = NULL;

    for (size_t f = 0; f < figures->tells.figure_count; f++) {
        values[f] = value_of(&figures->tells.figures[f], answer);
        if (isnan(values[f]) && figures->told[side][f])
            missing = figures->tells.figures[f].name;
    }
    return missing;
}

void lauka_inner_figures_done(struct lauka_inner_figures *figures)
{
    for (size_t f = 0; f < figures->tells.figure_count; f++)
        free(figures->tells.figures[f].name);
    figures->tells.figure_count = 0;
}

/* ---- answers of a program that speaks lauka-bench/1 ---------------------------------------------- */

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
    if (!can_name_figure(word))
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
