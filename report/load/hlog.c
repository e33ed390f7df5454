/* The values of an HdrHistogram log: as many as were recorded, each the middle of its bucket. Every tag is
 * a metric, intervals without a tag are `value`; intervals are added up. A histogram does not keep the
 * order of its values, so they are shuffled, to show no trend, and are never paired. If there are more
 * than memory should hold, the histograms are kept as they are: the log is read once to count, and again
 * for the values if they are few enough. */
#include "report/load/load.h"
#include "report/load/loader.h"
#include "report/hdr/hdr.h"
#include "report/result/result.h"
#include "stats/histogram.h"
#include "stats/stats.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TAGS_MAX = LAUKA_LOAD_COMMANDS }; /* --hlog has one for each command */

struct reader {
    const struct lauka_stored *stored;
    struct lauka_load_error *error;
    struct lauka_result *result;
    struct lauka_result_stream streams[TAGS_MAX]; /* owned; of the result's metrics */
    struct lauka_series series[TAGS_MAX];         /* owned */
    bool expands;                                 /* it is read for the values */
    size_t line;
    double precision; /* the coarsest histogram's */
};

static int add_metric(struct reader *reader, const char *name)
{
    struct lauka_result *result = reader->result;
    if (result->metric_count == TAGS_MAX)
        return lauka_load_fail(reader->stored, reader->line, reader->error, "too many tags");
    struct lauka_result_metric *metric = &result->metrics[result->metric_count++];
    *metric = (struct lauka_result_metric){
        .name = strdup(name),
        .unit = strdup("1"),
        .source = strdup("hlog"),
        .better = "neither",
        .counted = true,
        .share = 1,
    };
    return metric->name && metric->unit && metric->source ? 0 : ENOMEM;
}

static int add_counts(struct reader *reader, const struct lauka_histogram *histogram,
                      struct lauka_result_stream *stream)
{
    struct lauka_bucket bucket = {0};
    double precision = lauka_histogram_error(histogram);
    int failure = lauka_stream_widen(stream, histogram->digits);
    if (!failure && lauka_histogram_total(histogram) > LAUKA_LOAD_COUNTS - stream->moments.count)
        return lauka_load_fail(reader->stored, reader->line, reader->error, "too many counts");
    while (!failure && lauka_histogram_next(histogram, &bucket)) {
        uint64_t middle = lauka_bucket_middle(&bucket);
        uint64_t *counter;
        failure = lauka_histogram_reach(&stream->histogram, middle, &counter);
        lauka_moments_add_count(&stream->moments, middle, bucket.count);
        lauka_histogram_record_count(&stream->histogram, middle, bucket.count);
    }
    reader->precision = precision > reader->precision ? precision : reader->precision;
    return failure;
}

static int add_values(const struct lauka_histogram *histogram, struct lauka_series *series)
{
    struct lauka_bucket bucket = {0};
    while (lauka_histogram_next(histogram, &bucket))
        for (uint64_t i = 0; i < bucket.count; i++)
            lauka_series_add(series, lauka_bucket_middle(&bucket));
    return 0;
}

static int add_interval(struct reader *reader, const struct lauka_hlog_interval *interval)
{
    const char *name = interval->tag[0] ? interval->tag : "value";
    size_t metric = lauka_result_metric_index(reader->result, name);
    int failure = metric == reader->result->metric_count ? add_metric(reader, name) : 0;
    if (!failure && reader->expands)
        return add_values(&interval->histogram, &reader->series[metric]);
    return failure ? failure : add_counts(reader, &interval->histogram, &reader->streams[metric]);
}

static int read_intervals(struct reader *reader, FILE *in)
{
    struct lauka_hlog log;
    struct lauka_hlog_interval interval;
    enum lauka_hlog_status status = LAUKA_HLOG_INTERVAL;
    int failure = 0;
    lauka_hlog_open(&log, in, reader->stored->name);
    while (!failure && status == LAUKA_HLOG_INTERVAL) {
        status = lauka_hlog_read(&log, &interval, reader->error->text, sizeof reader->error->text);
        reader->line = log.line;
        if (status == LAUKA_HLOG_ERROR)
            failure = EINVAL;
        else if (status == LAUKA_HLOG_INTERVAL)
            failure = add_interval(reader, &interval);
        lauka_histogram_done(&interval.histogram);
    }
    lauka_hlog_close(&log);
    return failure;
}

/* The count of the tag that has most. */
static uint64_t most_values(const struct reader *reader)
{
    uint64_t most = 0;
    for (size_t m = 0; m < reader->result->metric_count; m++) {
        uint64_t count = reader->streams[m].moments.count;
        most = count > most ? count : most;
    }
    return most;
}

/* Reads it again, now that the number of values is known. */
static int expand(struct reader *reader, FILE *in, size_t count)
{
    int failure = 0;
    reader->expands = true;
    rewind(in);
    for (size_t m = 0; m < reader->result->metric_count && !failure; m++)
        failure = lauka_series_reserve(&reader->series[m], count);
    if (!failure)
        failure = read_intervals(reader, in);
    for (size_t m = 0; m < reader->result->metric_count && !failure; m++) {
        lauka_series_mix(&reader->series[m]);
        while (reader->series[m].count < count)
            lauka_series_add(&reader->series[m], LAUKA_MISSING);
    }
    return failure;
}

static int make_command(struct reader *reader, bool expanded)
{
    struct lauka_result *result = reader->result;
    result->commands = calloc(1, sizeof *result->commands);
    if (!result->commands)
        return ENOMEM;
    result->command_count = 1;
    struct lauka_result_command *command = &result->commands[0];
    command->label = strdup(reader->stored->name);
    command->series = calloc(result->metric_count, sizeof *command->series);
    command->streams = expanded ? NULL : calloc(result->metric_count, sizeof *command->streams);
    if (!command->label || !command->series || (!expanded && !command->streams))
        return ENOMEM;
    for (size_t m = 0; m < result->metric_count; m++) {
        command->series[m] = reader->series[m];
        reader->series[m] = (struct lauka_series){0};
        if (expanded)
            continue;
        command->streams[m] = reader->streams[m];
        command->streams[m].missing = result->run.rounds - reader->streams[m].moments.count;
        reader->streams[m] = (struct lauka_result_stream){0};
    }
    return 0;
}

static int read_log(struct reader *reader, FILE *in)
{
    struct lauka_result_run *run = &reader->result->run;
    int failure = read_intervals(reader, in);
    uint64_t count = most_values(reader);
    if (!failure && count == 0)
        return lauka_load_fail(reader->stored, 0, reader->error, "holds no values");
    bool expands = !failure && count <= LAUKA_LOAD_VALUES / reader->result->metric_count;
    run->rounds = count;
    run->unpaired = true;
    run->samples_left_out = !expands;
    run->stopped = LAUKA_STOPPED_STORED;
    if (expands)
        failure = expand(reader, in, (size_t)count);
    return failure ? failure : make_command(reader, expands);
}

static int note_precision(struct reader *reader)
{
    char share[40], note[160];
    snprintf(share, sizeof share, "%.2g", 100 * reader->precision);
    snprintf(note, sizeof note,
             "values come from a histogram: each can be off by %s %%, and their order is not known",
             share);
    return lauka_result_warn(reader->result, note);
}

/* A log of lauka's own says in a comment that its session did not end well: see exports/hdr.c. */
static int note_end(const struct lauka_stored *stored, struct lauka_result *result)
{
    static const char mark[] = "\n#[FAILED: ";
    const char *from = memmem(stored->bytes, stored->size, mark, sizeof mark - 1);
    if (!from)
        return 0;
    from += sizeof mark - 1;
    const size_t left = stored->size - (size_t)(from - stored->bytes);
    const char *line = memchr(from, '\n', left);
    size_t length = line ? (size_t)(line - from) : left;
    while (length > 0 && strchr("]\r", from[length - 1]))
        length--;
    result->error.text = strndup(from, length);
    result->error.known = true;
    return result->error.text ? 0 : ENOMEM;
}

static void done(struct reader *reader)
{
    for (size_t m = 0; m < TAGS_MAX; m++) {
        lauka_series_done(&reader->series[m]);
        lauka_histogram_done(&reader->streams[m].histogram);
    }
    free(reader);
}

int lauka_load_hlog(const struct lauka_stored *stored, struct lauka_result *result,
                    struct lauka_load_error *error)
{
    /* It is only read, whatever the prototype says. */
    FILE *in = fmemopen((void *)(uintptr_t)stored->bytes, stored->size, "rb");
    struct reader *reader = calloc(1, sizeof *reader);
    result->metrics = calloc(TAGS_MAX, sizeof *result->metrics);
    int failure = in && reader && result->metrics ? 0 : ENOMEM;
    if (!failure) {
        reader->stored = stored;
        reader->error = error;
        reader->result = result;
        failure = read_log(reader, in);
    }
    if (!failure)
        failure = note_precision(reader);
    if (!failure)
        failure = note_end(stored, result);
    if (in)
        fclose(in);
    if (reader)
        done(reader);
    return failure;
}
