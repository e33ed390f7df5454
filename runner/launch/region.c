/* What lies in the region that the launcher shares with lauka: texts, lists of words, and the environment that commands
 * get: lauka's own, what the user adds, and which run this is. The variables of a run always have the same length,
 * because the size of the environment decides where a program's stack begins, and that alone can make it some per cent
 * slower or faster (Mytkowicz et al., Producing Wrong Data Without Doing Anything Obviously Wrong, 2009). Only the
 * padding varies, and it is the same for all commands of a round. */
#include "runner/launch/launcher.h"
#include "runner/launch/launch.h"
#include "runner/base/base.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

void *launcher_take(struct lauka_launcher *launcher, size_t size)
{
    size_t rounded = (size + 15) & ~(size_t)15;
    char *from = (char *)(((uintptr_t)launcher->arena + 15) & ~(uintptr_t)15);

    if (rounded > (size_t)(launcher->arena_end - from))
        return NULL;
    launcher->arena = from + rounded;
    return from;
}

char *launcher_share_text(struct lauka_launcher *launcher, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = launcher_take(launcher, size);

    return copy ? memcpy(copy, text, size) : NULL;
}

char **launcher_share_vector(struct lauka_launcher *launcher, char *const *vector)
{
    size_t count = lauka_words_count((const char *const *)vector);
    char **copy = launcher_take(launcher, (count + 1) * sizeof *copy);
    for (size_t i = 0; copy && i < count; i++) {
        copy[i] = launcher_share_text(launcher, vector[i]);
        if (!copy[i])
            return NULL;
    }
    if (copy)
        copy[count] = NULL;
    return copy;
}

/* ---- environments -------------------------------------------------------------------------------- */

extern char **environ;

static const char *const run_names[] = {
    "LAUKA_ROUND=", "LAUKA_ITERATION=", "LAUKA_COMMAND=", "LAUKA_LAYOUT=", "HYPERFINE_ITERATION="};
enum { RUN_VARIABLES = sizeof run_names / sizeof *run_names };

/* The length of "NAME=". */
static size_t name_length(const char *variable)
{
    const char *end = strchr(variable, '=');

    return end ? (size_t)(end - variable) + 1 : strlen(variable);
}

static bool same_variable(const char *a, const char *b)
{
    size_t length = name_length(a);

    return length == name_length(b) && strncmp(a, b, length) == 0;
}

static bool is_run_variable(const char *variable)
{
    for (size_t i = 0; i < RUN_VARIABLES; i++)
        if (same_variable(run_names[i], variable))
            return true;
    return false;
}

/* "NAME=" and room for the value, which is filled with `fill`. *value: where that begins. */
static char *take_variable(struct lauka_launcher *launcher, const char *name, size_t room,
                           char fill, char **value)
{
    size_t length = strlen(name);
    char *text = launcher_take(launcher, length + room + 1);

    if (!text)
        return NULL;
    memcpy(text, name, length);
    memset(text + length, fill, room);
    text[length + room] = '\0';
    *value = text + length;
    return text;
}

static bool take_run_variables(struct lauka_launcher *launcher, char **vector)
{
    struct run_variables *variables = &launcher->shared->variables;

    vector[0] = take_variable(launcher, run_names[0], ROUND_DIGITS, '0', &variables->round);
    vector[1] = take_variable(launcher, run_names[1], ROUND_DIGITS, '0', &variables->iteration);
    vector[2] = take_variable(launcher, run_names[2], COMMAND_DIGITS, '0', &variables->command);
    vector[3] = take_variable(launcher, run_names[3], LAUKA_PADDING_MAX, 'x', &variables->padding);
    vector[4] = take_variable(launcher, run_names[4], ROUND_DIGITS, '0', &variables->hyperfine);
    for (size_t i = 0; i < RUN_VARIABLES; i++)
        if (!vector[i])
            return false;
    *variables->padding = '\0';
    return true;
}

/* Shared by all commands that add nothing. */
static char **share_common(struct lauka_launcher *launcher)
{
    size_t count = 0, inherited = lauka_words_count((const char *const *)environ);
    char **vector = launcher_take(launcher, (inherited + RUN_VARIABLES + 1) * sizeof *vector);

    if (!vector || !take_run_variables(launcher, vector))
        return NULL;
    count = RUN_VARIABLES;
    for (size_t i = 0; i < inherited; i++) {
        if (is_run_variable(environ[i]))
            continue;
        vector[count] = launcher_share_text(launcher, environ[i]);
        if (!vector[count++])
            return NULL;
    }
    vector[count] = NULL;
    return vector;
}

/* Puts a variable into the vector of *count; the last one of a name wins. */
static bool put_variable(struct lauka_launcher *launcher, char **vector, size_t *count,
                         const char *variable)
{
    size_t i = 0;

    while (i < *count && !same_variable(vector[i], variable))
        i++;
    vector[i] = launcher_share_text(launcher, variable);
    *count += i == *count;
    return vector[i] != NULL;
}

char **launcher_share_environment(struct lauka_launcher *launcher,
                                  const struct lauka_command *command)
{
    char *const *own = command->environment;
    size_t count, added = lauka_words_count((const char *const *)own);
    char report[40];

    if (!launcher->environment)
        launcher->environment = share_common(launcher);
    if (!launcher->environment || (added == 0 && !command->reports))
        return launcher->environment;
    count = lauka_words_count((const char *const *)launcher->environment);
    char **vector = launcher_take(launcher, (count + added + 2) * sizeof *vector);
    if (!vector)
        return NULL;
    memcpy(vector, launcher->environment, count * sizeof *vector);
    for (size_t i = 0; i < added; i++)
        if (!is_run_variable(own[i]) && !put_variable(launcher, vector, &count, own[i]))
            return NULL;
    snprintf(report, sizeof report, "LAUKA_REPORT_FD=%d", launcher->report_number);
    if (command->reports && !put_variable(launcher, vector, &count, report))
        return NULL;
    vector[count] = NULL;
    return vector;
}

void lauka_launcher_name_run(struct lauka_launcher *launcher, const struct lauka_run_name *name)
{
    launcher->name = *name;
}
