/* What is known of a session that is still under way, without its single values: a result of summaries
 * and histograms, so that documents can be written meanwhile. */
#include "runner/session/session.h"
#include "report/analysis/analysis.h"
#include "report/result/result.h"
#include "stats/histogram.h"

#include <errno.h>
#include <stdlib.h>

static void drop_streams(struct lauka_result_command *command, size_t metric_count)
{
    for (size_t m = 0; command->streams && m < metric_count; m++) {
        lauka_histogram_done(&command->streams[m].histogram);
        free(command->streams[m].paired);
    }
    free(command->streams);
}

/* Everything but what is said of the values stays borrowed. */
static int copy_commands(const struct lauka_result *result, struct lauka_result *summary)
{
    summary->commands = calloc(result->command_count, sizeof *summary->commands);
    if (!summary->commands)
        return ENOMEM;
    for (size_t c = 0; c < result->command_count; c++) {
        struct lauka_result_command *command = &summary->commands[c];
        *command = result->commands[c];
        command->summaries = NULL;
        command->doubts = NULL;
        command->exit_codes = NULL;
    }
    return 0;
}

int lauka_summary_make(const struct lauka_result *result, struct lauka_result *summary)
{
    *summary = *result;
    summary->comparisons = NULL;
    summary->comparison_count = 0;
    summary->run.order = NULL;
    summary->run.layout = NULL;
    summary->gate.rows = NULL; /* it is judged by itself */
    summary->gate.row_count = 0;
    int error = copy_commands(result, summary);
    if (!error && !result->run.samples_left_out)
        error = lauka_rounds_pour(result, summary);
    summary->run.samples_left_out = true;
    return error ? error : lauka_result_analyse(summary);
}

void lauka_summary_done(const struct lauka_result *result, struct lauka_result *summary)
{
    for (size_t c = 0; summary->commands && c < summary->command_count; c++) {
        if (!result->run.samples_left_out)
            drop_streams(&summary->commands[c], summary->metric_count);
        free(summary->commands[c].summaries);
        free(summary->commands[c].doubts);
    }
    free(summary->commands);
    free(summary->comparisons);
    free(summary->gate.rows);
    *summary = (struct lauka_result){0};
}
