/* What is known about a session while it runs, so that documents can be written meanwhile: a result of
 * summaries and histograms, without single values unless its units need them. */
#include "runner/session/session.h"
#include "runner/session/loop.h"
#include "report/analysis/analysis.h"
#include "report/result/result.h"
#include "stats/histogram.h"
#include "stats/units.h"

#include <errno.h>
#include <stdlib.h>

void lauka_poured_done(struct lauka_poured *poured)
{
    for (size_t c = 0; poured->streams && c < poured->command_count; c++)
        lauka_streams_free(poured->streams[c], poured->metric_count);
    free(poured->streams);
    *poured = (struct lauka_poured){0};
}

/* Counts the rounds that were added, and lends the streams to the summary. */
static int pour(const struct lauka_result *result, struct lauka_poured *poured,
                struct lauka_result *summary)
{
    if (!poured->streams)
        *poured = (struct lauka_poured){
            .streams = calloc(result->command_count, sizeof *poured->streams),
            .command_count = result->command_count,
            .metric_count = result->metric_count,
        };
    if (!poured->streams)
        return ENOMEM;
    for (size_t c = 0; c < result->command_count; c++)
        summary->commands[c].streams = poured->streams[c];
    int error = lauka_rounds_pour(result, summary, &poured->rounds);
    for (size_t c = 0; c < result->command_count; c++)
        poured->streams[c] = summary->commands[c].streams;
    if (error) /* perhaps not all are open */
        lauka_poured_done(poured);
    return error;
}

/* Everything except what is said about the values stays borrowed. */
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
    }
    return 0;
}

static int leave_values_out(const struct lauka_result *result, struct lauka_poured *poured,
                            struct lauka_result *summary)
{
    summary->run.order = NULL;
    summary->run.layout = NULL;
    for (size_t c = 0; c < summary->command_count; c++)
        summary->commands[c].exit_codes = NULL;
    if (!result->run.samples_left_out) {
        int error = pour(result, poured, summary);
        summary->run.samples_left_out = true;
        return error;
    }
    lauka_poured_done(poured); /* it has streams of its own */
    return 0;
}

int lauka_summary_make(const struct lauka_result *result, struct lauka_poured *poured,
                       struct lauka_result *summary)
{
    *summary = *result;
    summary->comparisons = NULL;
    summary->comparison_count = 0;
    summary->gate.rows = NULL; /* it is judged by itself */
    summary->gate.row_count = 0;
    struct lauka_units units;
    int error = copy_commands(result, summary);
    if (!error && !lauka_result_units(result, &units))
        error = leave_values_out(result, poured, summary);
    return error ? error : lauka_result_analyse(summary);
}

bool lauka_summary_is_due(uint64_t told_ns, uint64_t cost_ns, uint64_t now_ns)
{
    enum { SHARE = 20 }; /* of the time, one part in so many */
    const uint64_t pause_ns = cost_ns * SHARE;

    return now_ns - told_ns >=
           (pause_ns > LAUKA_KEEP_INTERVAL_NS ? pause_ns : LAUKA_KEEP_INTERVAL_NS);
}

void lauka_summary_done(struct lauka_result *summary)
{
    for (size_t c = 0; summary->commands && c < summary->command_count; c++) {
        free(summary->commands[c].summaries);
        free(summary->commands[c].doubts);
    }
    free(summary->commands);
    free(summary->comparisons);
    free(summary->gate.rows);
    *summary = (struct lauka_result){0};
}

/* ---- of a loop under way ------------------------------------------------------------------------- */

void lauka_loop_note_so_far(struct lauka_loop *loop)
{
    struct lauka_result_run *run = &loop->result->run;

    run->stopped = LAUKA_STOPPED_INTERRUPTED;
    run->alpha = lauka_enough_alpha(&loop->enough, run->stopped);
    run->measured = (double)loop->spent_ns / 1e9;
    run->seconds = (double)(loop->before_ns + loop->spent_ns) / 1e9;
}

/* Returns 0 or ENOMEM; lauka_summary_done in either case. The session itself goes on. */
static int summarise(struct lauka_loop *loop, struct lauka_result *summary)
{
    lauka_loop_note_so_far(loop);
    int error = lauka_summary_make(loop->result, &loop->bench->poured, summary);
    loop->result->run.stopped = LAUKA_STOPPED_ROUNDS;
    return error;
}

void lauka_loop_keep(struct lauka_loop *loop)
{
    uint64_t now = lauka_loop_now_ns(loop);
    struct lauka_result so_far;

    if (!loop->bench->keep || !loop->kind->real ||
        !lauka_summary_is_due(loop->kept_ns, loop->keeping_ns, now) ||
        loop->result->command_count * loop->result->metric_count > LAUKA_KEEP_STREAMS_MAX)
        return;
    if (summarise(loop, &so_far) == 0)
        loop->bench->keep(loop->bench->context, &so_far);
    lauka_summary_done(&so_far);
    loop->kept_ns = lauka_loop_now_ns(loop);
    loop->keeping_ns = loop->kept_ns - now;
}

int lauka_measurement_summarise(struct lauka_measurement *bench, struct lauka_result *summary)
{
    return bench->loop ? summarise(bench->loop, summary)
                       : lauka_summary_make(bench->result, &bench->poured, summary);
}
