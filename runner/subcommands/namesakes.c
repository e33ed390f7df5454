/* Commands of several files without benchmarks: those with the same name are compared with each other, as if
 * each name were a benchmark. */
#include "runner/subcommands/subcommands.h"
#include "report/load/load.h"
#include "report/result/result.h"
#include "report/result/session.h"
#include "runner/base/base.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct lauka_result *result_of(const struct lauka_stored_file *file)
{
    return &file->session.benchmarks[0];
}

/* How many commands before this one have its label. */
static size_t count_before(const struct lauka_result *result, size_t command)
{
    size_t count = 0;

    for (size_t c = 0; c < command; c++)
        count += strcmp(result->commands[c].label, result->commands[command].label) == 0;
    return count;
}

/* Whether the file has a command with that label, and as many more of them. */
static bool has(const struct lauka_result *result, const char *label, size_t more)
{
    for (size_t c = 0; c < result->command_count; c++)
        if (strcmp(result->commands[c].label, label) == 0 && more-- == 0)
            return true;
    return false;
}

bool lauka_namesakes_are_there(const struct lauka_stored_file *files, size_t count)
{
    const struct lauka_result *first = result_of(&files[0]);
    bool several = false, common = false;

    for (size_t f = 0; f < count; f++)
        several |= result_of(&files[f])->command_count > 1;
    for (size_t f = 1; f < count && several; f++)
        for (size_t c = 0; c < first->command_count && !common; c++)
            common = has(result_of(&files[f]), first->commands[c].label, 0);
    return common;
}

/* Names a command that the file has and the other has not. */
static bool check(const struct lauka_stored_file *file, const struct lauka_stored_file *other,
                  struct lauka_error *error)
{
    const struct lauka_result *result = result_of(file);

    for (size_t c = 0; c < result->command_count; c++)
        if (!has(result_of(other), result->commands[c].label, count_before(result, c)))
            return lauka_fail(error, LAUKA_EXIT_USAGE,
                              "`%.200s` of %.200s is not in %.200s: a gate needs the same commands "
                              "in both",
                              result->commands[c].label, file->name, other->name);
    return true;
}

bool lauka_namesakes_check(const struct lauka_stored_file *files, size_t count,
                           struct lauka_error *error)
{
    for (size_t f = 1; f < count; f++)
        if (!check(&files[0], &files[f], error) || !check(&files[f], &files[0], error))
            return false;
    return true;
}

/* The first with a label has its name, the others "NAME (2)" and so on. */
static char *name_of(const struct lauka_result *result, size_t command)
{
    const char *label = result->commands[command].label;
    const size_t before = count_before(result, command);
    char *name = NULL;

    if (before == 0)
        return strdup(label);
    return asprintf(&name, "%s (%zu)", label, before + 1) < 0 ? NULL : name;
}

static int split(struct lauka_stored_file *file)
{
    struct lauka_session session;
    struct lauka_result *result = &file->session.benchmarks[0];
    const size_t count = result->command_count;
    int failure = lauka_session_init(&session, count);

    if (failure)
        return failure;
    for (size_t c = 0; c < count && !failure; c++) { /* names are made of labels, which then move */
        session.benchmarks[c].benchmark.name = name_of(result, c);
        failure = session.benchmarks[c].benchmark.name ? 0 : ENOMEM;
    }
    for (size_t c = 0; c < count && !failure; c++) {
        char *name = session.benchmarks[c].benchmark.name;
        failure = lauka_result_take_command(result, c, &session.benchmarks[c]);
        session.benchmarks[c].benchmark.name = name;
    }
    lauka_session_done(&file->session);
    file->session = session;
    return failure;
}

int lauka_namesakes_split(struct lauka_stored_file *files, size_t count)
{
    int failure = 0;

    for (size_t f = 0; f < count && !failure; f++)
        failure = split(&files[f]);
    return failure;
}
