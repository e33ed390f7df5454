/* Values for a stored result that kept none: as many as there were, each the middle of its histogram's
 * bucket, in random order. So it can be compared with others, though without pairs. */
#include "report/load/loader.h"
#include "report/result/result.h"
#include "stats/histogram.h"
#include "stats/stats.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SHUFFLE_SEED = 1 };

/* Durstenfeld's, as lauka_random_shuffle. */
void lauka_series_mix(struct lauka_series *series)
{
    struct lauka_random random;
    lauka_random_seed(&random, SHUFFLE_SEED);
    for (size_t i = series->count; i > 1; i--) {
        size_t k = (size_t)lauka_random_below(&random, i);
        uint64_t value = lauka_series_at(series, i - 1);
        lauka_series_set(series, i - 1, lauka_series_at(series, k));
        lauka_series_set(series, k, value);
    }
}

static uint64_t within(const struct lauka_moments *moments, uint64_t value)
{
    return value < moments->min ? moments->min : value > moments->max ? moments->max : value;
}

static int expand_stream(const struct lauka_result_stream *stream, uint64_t rounds,
                         struct lauka_series *series)
{
    struct lauka_bucket bucket = {0};
    int failure = lauka_series_reserve(series, (size_t)rounds);
    while (!failure && lauka_histogram_next(&stream->histogram, &bucket))
        for (uint64_t i = 0; i < bucket.count && series->count < rounds; i++)
            lauka_series_add(series, within(&stream->moments, lauka_bucket_middle(&bucket)));
    lauka_series_mix(series);
    while (!failure && series->count < rounds)
        lauka_series_add(series, LAUKA_MISSING);
    return failure;
}

static int expand_command(struct lauka_result *result, struct lauka_result_command *command)
{
    int failure = 0;
    for (size_t m = 0; m < result->metric_count && !failure; m++) {
        const struct lauka_result_stream *stream = &command->streams[m];
        failure = expand_stream(stream, result->run.rounds, &command->series[m]);
        if (stream->moments.count > 0)
            result->metrics[m].bins =
                fmax(result->metrics[m].bins, lauka_histogram_error(&stream->histogram));
    }
    lauka_streams_free(command->streams, result->metric_count);
    command->streams = NULL;
    return failure;
}

static int warn(struct lauka_result *result)
{
    double off = 0;
    char text[200];
    for (size_t m = 0; m < result->metric_count; m++)
        off = fmax(off, result->metrics[m].bins);
    snprintf(text, sizeof text,
             "single values were not kept, so nothing is paired; each comes from a histogram and "
             "can be off by %.1g %%",
             100 * off);
    return lauka_result_warn(result, text);
}

int lauka_result_expand(struct lauka_result *result)
{
    int failure = 0;
    if (!result->run.samples_left_out)
        return 0;
    for (size_t c = 0; c < result->command_count && !failure; c++)
        if (result->commands[c].streams)
            failure = expand_command(result, &result->commands[c]);
    result->run.samples_left_out = false;
    result->run.unpaired = true;
    return failure ? failure : warn(result);
}
