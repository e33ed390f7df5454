/* One metric of one command, from plain numbers or a column of CSV. */
#include "report/load/load.h"
#include "report/load/loader.h"
#include "report/result/result.h"
#include "stats/stats.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int describe_metric(struct lauka_result *result, const char *name,
                           const struct lauka_column *column)
{
    result->metrics = calloc(1, sizeof *result->metrics);
    if (!result->metrics)
        return ENOMEM;
    result->metric_count = 1;
    result->metrics[0] = (struct lauka_result_metric){
        .name = strdup(name),
        .unit = strdup("1"),
        .source = strdup(LAUKA_SOURCE_FILE),
        .better = "neither",
        .counted = true,
        .share = 1,
        .decimals = column->decimals,
    };
    const struct lauka_result_metric *metric = &result->metrics[0];
    return metric->name && metric->unit && metric->source ? 0 : ENOMEM;
}

static int describe_command(struct lauka_result *result, const char *label,
                            struct lauka_column *column)
{
    result->commands = calloc(1, sizeof *result->commands);
    if (!result->commands)
        return ENOMEM;
    result->command_count = 1;
    struct lauka_result_command *command = &result->commands[0];
    command->label = strdup(label);
    command->series = calloc(1, sizeof *command->series);
    if (!command->label || !command->series)
        return ENOMEM;
    command->series[0] = column->series;
    column->series = (struct lauka_series){0};
    return 0;
}

int lauka_load_column(const struct lauka_stored *stored, const char *metric,
                      struct lauka_column *column, struct lauka_result *result,
                      struct lauka_load_error *error)
{
    if (column->series.count == 0)
        return lauka_load_fail(stored, 0, error, "holds no values");
    int failure = describe_metric(result, metric, column);
    if (!failure)
        failure = describe_command(result, stored->name, column);
    if (failure)
        return failure;
    result->run.stopped = LAUKA_STOPPED_STORED;
    result->run.rounds = result->commands[0].series[0].count;
    if (!column->rounded)
        return 0;
    char note[96];
    if (column->decimals < 0)
        snprintf(note, sizeof note, "numbers were rounded to multiples of 1e%d", -column->decimals);
    else
        snprintf(note, sizeof note, "numbers were rounded to %d decimal%s", column->decimals,
                 column->decimals == 1 ? "" : "s");
    return lauka_result_warn(result, note);
}
