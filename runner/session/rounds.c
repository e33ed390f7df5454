/* What is kept of the finished rounds: every value in run order, up to so many rounds; beyond them,
 * or where nobody wants single values, exact moments, a histogram and the histogram of the paired log
 * ratio, so that memory no longer grows. Room is made between rounds; adding one never allocates. */
#include "runner/session/session.h"
#include "report/result/result.h"
#include "runner/launch/launch.h"
#include "runner/options.h"
#include "stats/histogram.h"
#include "stats/stats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- every value ------------------------------------------------------------------------------ */

/* What cannot be counted here takes no room either. */
static int grow_command(struct lauka_result_command *command, const struct lauka_result *result,
                        size_t capacity)
{
    int16_t *codes = realloc(command->exit_codes, capacity * sizeof *codes);
    int error = codes ? 0 : ENOMEM;

    if (codes)
        command->exit_codes = codes;
    for (size_t m = 0; !error && m < result->metric_count; m++)
        if (result->metrics[m].counted)
            error = lauka_series_reserve(&command->series[m], capacity);
    return error;
}

static int grow(struct lauka_rounds *rounds)
{
    struct lauka_result *result = rounds->result;
    size_t capacity = rounds->capacity ? 2 * rounds->capacity : 64;

    if (capacity > rounds->kept)
        capacity = (size_t)rounds->kept;
    uint32_t *order = realloc(result->run.order, capacity * result->command_count * sizeof *order);
    int error = order ? 0 : ENOMEM;
    if (order)
        result->run.order = order;
    uint16_t *layout = realloc(result->run.layout, capacity * sizeof *layout);
    if (layout)
        result->run.layout = layout;
    else
        error = ENOMEM;
    for (size_t c = 0; !error && c < result->command_count; c++)
        error = grow_command(&result->commands[c], result, capacity);
    if (!error)
        rounds->capacity = capacity;
    return error;
}

/* ---- streams ---------------------------------------------------------------------------------- */

static int open_stream(struct lauka_result_stream *stream, bool is_reference)
{
    int error = lauka_histogram_init(&stream->histogram, NULL);

    lauka_moments_init(&stream->moments);
    if (error || is_reference)
        return error;
    stream->paired = malloc(sizeof *stream->paired);
    if (!stream->paired)
        return ENOMEM;
    lauka_paired_log_init(stream->paired);
    return 0;
}

static int open_streams(struct lauka_result *result)
{
    for (size_t c = 0; c < result->command_count; c++) {
        struct lauka_result_command *command = &result->commands[c];
        command->streams = calloc(result->metric_count, sizeof *command->streams);
        if (!command->streams)
            return ENOMEM;
        for (size_t m = 0; m < result->metric_count; m++) {
            int error = open_stream(&command->streams[m], c == 0);
            if (error)
                return error;
        }
    }
    return 0;
}

static void stream_value(struct lauka_result_stream *stream, uint64_t reference, uint64_t value)
{
    if (value == LAUKA_MISSING) {
        stream->missing++;
        return;
    }
    lauka_moments_add(&stream->moments, value);
    lauka_histogram_record(&stream->histogram, value);
    if (stream->paired && reference != LAUKA_MISSING)
        lauka_paired_log_add(stream->paired, reference, value);
}

static void stream_round(struct lauka_result *result, const uint64_t *values)
{
    for (size_t c = 0; c < result->command_count; c++)
        for (size_t m = 0; m < result->metric_count; m++)
            stream_value(&result->commands[c].streams[m], values[m],
                         values[c * result->metric_count + m]);
}

int lauka_rounds_pour(const struct lauka_result *result, struct lauka_result *into)
{
    uint64_t *values = calloc(result->command_count * result->metric_count, sizeof *values);
    int error = values ? open_streams(into) : ENOMEM;

    for (uint64_t round = 0; !error && round < result->run.rounds; round++) {
        for (size_t c = 0; c < result->command_count; c++)
            for (size_t m = 0; m < result->metric_count; m++)
                values[c * result->metric_count + m] =
                    result->metrics[m].counted
                        ? lauka_series_at(&result->commands[c].series[m], round)
                        : LAUKA_MISSING;
        stream_round(into, values);
    }
    free(values);
    return error;
}

/* Lets go of what is in the streams now. */
static void drop_values(struct lauka_rounds *rounds)
{
    struct lauka_result *result = rounds->result;

    for (size_t c = 0; c < result->command_count; c++) {
        for (size_t m = 0; m < result->metric_count; m++)
            lauka_series_done(&result->commands[c].series[m]);
        free(result->commands[c].exit_codes);
        result->commands[c].exit_codes = NULL;
    }
    free(result->run.order);
    free(result->run.layout);
    result->run.order = NULL;
    result->run.layout = NULL;
}

static int leave_samples_out(struct lauka_rounds *rounds)
{
    int error = lauka_rounds_pour(rounds->result, rounds->result);

    if (error)
        return error;
    drop_values(rounds);
    rounds->result->run.samples_left_out = true;
    return 0;
}

/* ---- one round -------------------------------------------------------------------------------- */

int lauka_rounds_init(struct lauka_rounds *rounds, struct lauka_result *result,
                      const struct lauka_sources *sources, uint64_t kept)
{
    *rounds = (struct lauka_rounds){.result = result, .sources = sources, .kept = kept};
    rounds->values = calloc(result->command_count * result->metric_count, sizeof *rounds->values);
    return rounds->values ? 0 : ENOMEM;
}

int lauka_rounds_make_room(struct lauka_rounds *rounds)
{
    uint64_t count = rounds->result->run.rounds;

    if (rounds->result->run.samples_left_out || count < rounds->capacity)
        return 0;
    return count >= rounds->kept ? leave_samples_out(rounds) : grow(rounds);
}

static void keep_values(struct lauka_result *result, const uint64_t *values)
{
    for (size_t c = 0; c < result->command_count; c++)
        for (size_t m = 0; m < result->metric_count; m++)
            if (result->metrics[m].counted)
                lauka_series_add(&result->commands[c].series[m],
                                 values[c * result->metric_count + m]);
}

static void keep_course(const struct lauka_rounds *rounds, const struct lauka_sample *samples,
                        const uint32_t *order)
{
    struct lauka_result *result = rounds->result;
    size_t count = result->command_count;
    uint64_t round = result->run.rounds;

    for (size_t c = 0; c < count; c++) {
        const struct lauka_sample *sample = &samples[c];
        result->commands[c].exit_codes[round] = (int16_t)lauka_mishaps_exit_code(sample);
    }
    result->run.layout[round] = rounds->padding;
    memcpy(result->run.order + round * count, order, count * sizeof *order);
}

void lauka_rounds_add(struct lauka_rounds *rounds, const struct lauka_sample *samples,
                      const uint32_t *order)
{
    struct lauka_result *result = rounds->result;

    for (size_t c = 0; c < result->command_count; c++)
        lauka_sources_read(rounds->sources, result, c, &samples[c],
                           rounds->values + c * result->metric_count);
    if (result->run.samples_left_out) {
        stream_round(result, rounds->values);
    } else {
        keep_values(result, rounds->values);
        keep_course(rounds, samples, order);
    }
    for (size_t c = 0; c < result->command_count; c++)
        result->commands[c].failures +=
            lauka_mishaps_has_failed(&rounds->sources->options->commands[c], &samples[c]);
    result->run.rounds++;
}

void lauka_rounds_done(struct lauka_rounds *rounds)
{
    free(rounds->values);
    rounds->values = NULL;
}
