/* Histograms, where there are too many values to keep them one by one: several files together, or a log of
 * HdrHistogram's, which never had single values. Memory does not grow with the number of values. */
#include "report/load/loader.h"
#include "report/result/result.h"
#include "stats/histogram.h"
#include "stats/stats.h"

#include <errno.h>
#include <stdlib.h>

int lauka_stream_widen(struct lauka_result_stream *stream, unsigned digits)
{
    const struct lauka_histogram_options options = {.digits = digits, .sparse = true};
    struct lauka_histogram coarse, *old = &stream->histogram;
    bool is_there = lauka_histogram_is_there(old);
    if (is_there && old->digits <= digits)
        return 0;
    if (!is_there)
        lauka_moments_init(&stream->moments);
    int failure = lauka_histogram_init(&coarse, &options);
    if (!failure && is_there)
        failure = lauka_histogram_merge(&coarse, old);
    if (failure) {
        lauka_histogram_done(&coarse);
        return failure;
    }
    lauka_histogram_done(old);
    *old = coarse;
    return 0;
}

static int pour(const struct lauka_series *series, struct lauka_result_stream *stream)
{
    int failure = 0;
    for (size_t i = 0; i < series->count && !failure; i++) {
        uint64_t value = lauka_series_at(series, i);
        struct lauka_stream_place place;
        failure = lauka_stream_reach(stream, LAUKA_MISSING, value, &place);
        if (!failure)
            lauka_stream_add(stream, LAUKA_MISSING, value, &place);
    }
    return failure;
}

static int condense_command(struct lauka_result_command *command, size_t metric_count)
{
    int failure = 0;
    command->streams = calloc(metric_count + 1, sizeof *command->streams);
    if (!command->streams)
        return ENOMEM;
    for (size_t m = 0; m < metric_count && !failure; m++) {
        failure = lauka_stream_widen(&command->streams[m], LAUKA_DIGITS_DEFAULT);
        if (!failure)
            failure = pour(&command->series[m], &command->streams[m]);
        lauka_series_done(&command->series[m]);
        command->series[m] = (struct lauka_series){0};
    }
    return failure;
}

int lauka_result_condense(struct lauka_result *result)
{
    int failure = 0;
    for (size_t c = 0; c < result->command_count && !failure; c++) {
        struct lauka_result_command *command = &result->commands[c];
        if (!command->streams)
            failure = condense_command(command, result->metric_count);
        for (size_t m = 0; m < result->metric_count && !failure; m++)
            lauka_stream_unpair(&command->streams[m]); /* from what was the reference */
    }
    result->run.samples_left_out = true;
    result->run.unpaired = true;
    return failure;
}
