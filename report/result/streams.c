/* What is kept of a command's metric instead of single values. */
#include "report/result/record.h"
#include "report/result/result.h"
#include "stats/histogram.h"
#include "stats/stats.h"

#include <errno.h>
#include <stdlib.h>

struct lauka_moments lauka_result_moments(const struct lauka_result_command *command, size_t metric)
{
    struct lauka_moments moments;
    if (command->streams)
        return command->streams[metric].moments;
    lauka_moments_of(&command->series[metric], &moments);
    return moments;
}

/* Returns 0 or ENOMEM. */
static int begin(struct lauka_result_stream *stream, bool paired)
{
    const struct lauka_histogram_options options = {.sparse = true};
    lauka_moments_init(&stream->moments);
    int error = lauka_histogram_init(&stream->histogram, &options);
    if (error || !paired)
        return error;
    stream->paired = malloc(sizeof *stream->paired);
    if (!stream->paired)
        return ENOMEM;
    lauka_paired_log_init(stream->paired);
    return 0;
}

struct lauka_result_stream *lauka_streams_make(size_t metric_count, bool paired)
{
    struct lauka_result_stream *streams = calloc(metric_count + 1, sizeof *streams);
    for (size_t m = 0; streams && m < metric_count; m++)
        if (begin(&streams[m], paired) != 0) {
            lauka_streams_free(streams, metric_count);
            return NULL;
        }
    return streams;
}

static bool makes_pair(const struct lauka_result_stream *stream, uint64_t reference)
{
    return stream->paired && reference != LAUKA_MISSING;
}

int lauka_stream_reach(struct lauka_result_stream *stream, uint64_t reference, uint64_t value,
                       struct lauka_stream_place *place)
{
    *place = (struct lauka_stream_place){0};
    if (value == LAUKA_MISSING)
        return 0;
    int error = lauka_histogram_reach(&stream->histogram, value, &place->bucket);
    if (!error && makes_pair(stream, reference))
        error = lauka_paired_log_reach(stream->paired, reference, value, &place->bin);
    return error;
}

void lauka_stream_add(struct lauka_result_stream *stream, uint64_t reference, uint64_t value,
                      const struct lauka_stream_place *place)
{
    if (value == LAUKA_MISSING) {
        stream->missing++;
        return;
    }
    lauka_moments_add(&stream->moments, value);
    ++*place->bucket;
    if (makes_pair(stream, reference))
        lauka_paired_log_add_to(stream->paired, reference, value, place->bin);
}

void lauka_stream_unpair(struct lauka_result_stream *stream)
{
    if (stream->paired)
        lauka_paired_log_done(stream->paired);
    free(stream->paired);
    stream->paired = NULL;
}

static void stream_done(struct lauka_result_stream *stream)
{
    lauka_histogram_done(&stream->histogram);
    lauka_stream_unpair(stream);
}

void lauka_streams_free(struct lauka_result_stream *streams, size_t metric_count)
{
    for (size_t m = 0; streams && m < metric_count; m++)
        stream_done(&streams[m]);
    free(streams);
}

/* ---- as it is stored --------------------------------------------------------------------------- */

static bool has_values(const void *moments)
{
    return ((const struct lauka_moments *)moments)->count > 0;
}

static const struct lauka_field moments_fields[] = {
    {LAUKA_FIELD(INTEGER, lauka_moments, count)},
    {LAUKA_FIELD(INTEGER, lauka_moments, min), .known = has_values, LAUKA_IF_KNOWN},
    {LAUKA_FIELD(INTEGER, lauka_moments, max), .known = has_values, LAUKA_IF_KNOWN},
    {LAUKA_FIELD(WIDE, lauka_moments, sum)},
    {LAUKA_FIELD(WIDE, lauka_moments, sum_of_squares)},
    {LAUKA_FIELD(INTEGER, lauka_moments, squares_carry), LAUKA_IF_KNOWN},
};
const struct lauka_record_table lauka_moments_record = {
    LAUKA_RECORD(lauka_moments, moments_fields)};

static const struct lauka_field paired_fields[] = {
    {LAUKA_FIELD(INTEGER, lauka_paired_log, count)},
    {LAUKA_FIELD(INTEGER, lauka_paired_log, zeros)},
    {LAUKA_FIELD(INTEGER, lauka_paired_log, lost)},
    {LAUKA_FIELD(RECORD, lauka_paired_log, reference), .of = &lauka_moments_record},
    {LAUKA_FIELD_AS(RECORD, lauka_paired_log, other, "command"), .of = &lauka_moments_record},
};
const struct lauka_record_table lauka_paired_record = {
    LAUKA_RECORD(lauka_paired_log, paired_fields)};
