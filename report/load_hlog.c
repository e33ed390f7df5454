/* The values of an HdrHistogram log: as many as were recorded, each the middle of its bucket. Every
 * tag is a metric, what has no tag is `value`; intervals are added up. A histogram has forgotten
 * the order of its values: they are shuffled, so that no one finds a course in them, and never
 * paired. */
#include "report/load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { TAGS_MAX = 64 };

struct reader {
    const struct lauka_stored *stored;
    struct lauka_load_error *error;
    struct lauka_result *result;
    struct lauka_series series[TAGS_MAX]; /* owned; of the result's metrics */
    size_t line;
    size_t values;    /* in all */
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

static int reserve(struct lauka_series *series, size_t more)
{
    if (series->capacity - series->count >= more)
        return 0;
    size_t doubled = 2 * series->capacity, needed = series->count + more;
    return lauka_series_reserve(series, needed > doubled ? needed : doubled);
}

static int add_values(struct reader *reader, const struct lauka_histogram *histogram,
                      struct lauka_series *series)
{
    uint64_t total = lauka_histogram_total(histogram);
    struct lauka_bucket bucket = {0};
    if (total > LAUKA_LOAD_VALUES - reader->values)
        return lauka_load_fail(reader->stored, reader->line, reader->error,
                               "too many values: %d are read at most", LAUKA_LOAD_VALUES);
    int failure = reserve(series, (size_t)total);
    while (!failure && lauka_histogram_next(histogram, &bucket))
        for (uint64_t i = 0; i < bucket.count; i++)
            lauka_series_add(series, lauka_bucket_middle(&bucket));
    reader->values += (size_t)total;
    double precision = lauka_histogram_error(histogram);
    reader->precision = precision > reader->precision ? precision : reader->precision;
    return failure;
}

static int add_interval(struct reader *reader, const struct lauka_hlog_interval *interval)
{
    const char *name = interval->tag[0] ? interval->tag : "value";
    size_t metric = lauka_result_metric_index(reader->result, name);
    int failure = metric == reader->result->metric_count ? add_metric(reader, name) : 0;
    return failure ? failure : add_values(reader, &interval->histogram, &reader->series[metric]);
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

static int complete_series(struct reader *reader, struct lauka_series *series, size_t count)
{
    if (count - series->count > LAUKA_LOAD_VALUES - reader->values)
        return lauka_load_fail(reader->stored, 0, reader->error, "too many values");
    reader->values += count - series->count;
    lauka_series_mix(series);
    int failure = lauka_series_reserve(series, count);
    while (!failure && series->count < count)
        lauka_series_add(series, LAUKA_MISSING);
    return failure;
}

static int make_command(struct reader *reader)
{
    struct lauka_result *result = reader->result;
    size_t count = 0;
    int failure = 0;
    for (size_t m = 0; m < result->metric_count; m++)
        count = reader->series[m].count > count ? reader->series[m].count : count;
    if (count == 0)
        return lauka_load_fail(reader->stored, 0, reader->error, "holds no values");
    result->commands = calloc(1, sizeof *result->commands);
    if (!result->commands)
        return ENOMEM;
    result->command_count = 1;
    struct lauka_result_command *command = &result->commands[0];
    command->label = strdup(reader->stored->name);
    command->series = calloc(result->metric_count, sizeof *command->series);
    if (!command->label || !command->series)
        return ENOMEM;
    for (size_t m = 0; m < result->metric_count && !failure; m++) {
        failure = complete_series(reader, &reader->series[m], count);
        command->series[m] = reader->series[m];
        reader->series[m] = (struct lauka_series){0};
    }
    result->run.rounds = count;
    result->run.unpaired = true;
    result->run.stopped = LAUKA_STOPPED_STORED;
    return failure;
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

int lauka_load_hlog(const struct lauka_stored *stored, struct lauka_result *result,
                    struct lauka_load_error *error)
{
    struct reader reader = {.stored = stored, .error = error, .result = result};
    /* Only read, whatever the prototype says. */
    FILE *in = fmemopen((void *)(uintptr_t)stored->bytes, stored->size, "rb");
    result->metrics = calloc(TAGS_MAX, sizeof *result->metrics);
    int failure = in && result->metrics ? read_intervals(&reader, in) : ENOMEM;
    if (!failure)
        failure = make_command(&reader);
    if (!failure)
        failure = note_precision(&reader);
    if (in)
        fclose(in);
    for (size_t m = 0; m < TAGS_MAX; m++)
        lauka_series_done(&reader.series[m]);
    return failure;
}
