/* The values of an HdrHistogram log: as many as were recorded, each the middle of its bucket. In a log of
 * lauka's, a comment says which metric it is about, and every tag is a command. In others every tag is a
 * metric of one command, and intervals without a tag are `value`. Intervals are added up. A histogram does
 * not keep the order of its values, so they are shuffled, to show no trend, and are never paired. If there
 * are more than memory should hold, the histograms are kept as they are. The log is read twice: to see what
 * there is, and for the values. */
#include "report/load/load.h"
#include "report/load/loader.h"
#include "report/hdr/hdr.h"
#include "report/result/result.h"
#include "stats/histogram.h"
#include "stats/stats.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TAGS_MAX = LAUKA_LOAD_COMMANDS }; /* --hlog has one for each command */

/* What there is of one command in one metric. */
struct cell {
    size_t command, metric;
    uint64_t count;
    struct lauka_series series;        /* owned */
    struct lauka_result_stream stream; /* owned */
};

/* Of the values of a metric, in its own unit. */
struct range {
    double least, most; /* least: above 0 */
    double finest;      /* half the width of the narrowest bucket */
    int decimals;       /* as the log says */
    bool scaled;        /* some come from double histograms */
};

enum look { SURVEY, VALUES, STREAMS };

struct reader {
    const struct lauka_stored *stored;
    struct lauka_load_error *error;
    struct lauka_result *result;
    struct lauka_hlog_about about; /* of the intervals that are read now; no metric: not lauka's */
    struct cell *cells;            /* owned */
    size_t cell_count;
    struct range *ranges; /* owned; of the result's metrics */
    enum look look;
    size_t line;
    double precision; /* the coarsest histogram's */
    char *bad_end;    /* owned; NULL: none is known */
};

static int fail(const struct reader *reader, const char *reason)
{
    return lauka_load_fail(reader->stored, reader->line, reader->error, "%s", reason);
}

/* ---- where an interval belongs ---------------------------------------------------------------- */

static int add_metric(struct reader *reader, const char *name)
{
    struct lauka_result *result = reader->result;
    const struct lauka_hlog_about *about = &reader->about;
    if (result->metric_count == TAGS_MAX)
        return fail(reader, "too many tags");
    reader->ranges[result->metric_count] =
        (struct range){.least = DBL_MAX, .finest = DBL_MAX, .decimals = about->decimals};
    const struct lauka_result_metric metric = {
        .name = (char *)name,
        .unit = (char *)about->unit,
        .source = (char *)LAUKA_SOURCE_HLOG,
        .better = about->better,
        .decimals = about->decimals,
        .counted = true,
        .share = 1,
    };
    return lauka_result_add_metric(result, &metric);
}

static int find_metric(struct reader *reader, const char *name, size_t *metric)
{
    *metric = lauka_result_metric_index(reader->result, name);
    if (*metric == reader->result->metric_count)
        return add_metric(reader, name);
    const bool same = strcmp(reader->result->metrics[*metric].unit, reader->about.unit) == 0 &&
                      reader->ranges[*metric].decimals == reader->about.decimals;
    return same ? 0 : fail(reader, "the metric has another unit than before");
}

static int find_command(struct reader *reader, const char *label, size_t *command)
{
    struct lauka_result *result = reader->result;
    for (*command = 0; *command < result->command_count; ++*command)
        if (strcmp(result->commands[*command].label, label) == 0)
            return 0;
    if (result->command_count == TAGS_MAX)
        return fail(reader, "too many tags");
    result->commands[result->command_count].label = strdup(label);
    return result->commands[result->command_count++].label ? 0 : ENOMEM;
}

static int find_cell(struct reader *reader, size_t command, size_t metric, struct cell **cell)
{
    for (size_t i = 0; i < reader->cell_count; i++) {
        *cell = &reader->cells[i];
        if ((*cell)->command == command && (*cell)->metric == metric)
            return 0;
    }
    if (reader->cell_count == TAGS_MAX)
        return fail(reader, "too many tags");
    *cell = &reader->cells[reader->cell_count++];
    **cell = (struct cell){.command = command, .metric = metric};
    return 0;
}

/* An interval without a tag is the whole file's. */
static int place(struct reader *reader, const struct lauka_hlog_interval *interval,
                 struct cell **cell)
{
    const struct lauka_hlog_about *about = &reader->about;
    const char *tag = interval->tag[0] ? interval->tag : NULL, *file = reader->stored->name;
    const bool is_command = about->metric[0] && !about->by_benchmark;
    const char *own = about->metric[0] ? about->metric : "value";
    size_t command, metric;
    int failure = find_command(reader, is_command && tag ? tag : file, &command);
    if (!failure)
        failure = find_metric(reader, !is_command && tag ? tag : own, &metric);
    return failure ? failure : find_cell(reader, command, metric, cell);
}

/* ---- what is in it ------------------------------------------------------------------------------ */

static int survey(struct reader *reader, const struct lauka_hlog_interval *interval,
                  struct cell *cell)
{
    const struct lauka_histogram *histogram = &interval->histogram;
    struct range *range = &reader->ranges[cell->metric];
    struct lauka_bucket bucket = {0};
    const double precision = lauka_histogram_error(histogram);
    while (lauka_histogram_next(histogram, &bucket)) {
        const double middle = (double)lauka_bucket_middle(&bucket) * interval->unit;
        const double half = ((double)(bucket.highest - bucket.lowest) + 1) / 2 * interval->unit;
        range->most = fmax(range->most, middle);
        if (bucket.lowest > 0) {
            range->least = fmin(range->least, middle);
            range->finest = fmin(range->finest, half);
        }
        if (bucket.count > LAUKA_LOAD_COUNTS - cell->count)
            return fail(reader, "too many counts");
        cell->count += bucket.count;
    }
    range->scaled |= interval->unit != 1;
    reader->precision = fmax(reader->precision, precision);
    return 0;
}

/* The middle of the bucket in the units of the metric's values. */
static uint64_t value_of(const struct reader *reader, const struct cell *cell, double unit,
                         const struct lauka_bucket *bucket)
{
    const uint64_t middle = lauka_bucket_middle(bucket);
    const struct range *range = &reader->ranges[cell->metric];
    const int decimals = reader->result->metrics[cell->metric].decimals;
    if (!range->scaled)
        return middle;
    return lauka_decimals_value((double)middle * unit, decimals - range->decimals);
}

/* Values of a double histogram do not fall into the same buckets again: finer ones keep the precision. */
static int add_counts(struct reader *reader, const struct lauka_hlog_interval *interval,
                      struct cell *cell)
{
    const struct lauka_histogram *histogram = &interval->histogram;
    struct lauka_result_stream *stream = &cell->stream;
    struct lauka_bucket bucket = {0};
    const bool finer = reader->ranges[cell->metric].scaled && histogram->digits < LAUKA_DIGITS_MAX;
    int failure = lauka_stream_widen(stream, histogram->digits + finer);
    while (!failure && lauka_histogram_next(histogram, &bucket)) {
        const uint64_t value = value_of(reader, cell, interval->unit, &bucket);
        uint64_t *counter;
        failure = lauka_histogram_reach(&stream->histogram, value, &counter);
        lauka_moments_add_count(&stream->moments, value, bucket.count);
        lauka_histogram_record_count(&stream->histogram, value, bucket.count);
    }
    return failure;
}

static int add_values(struct reader *reader, const struct lauka_hlog_interval *interval,
                      struct cell *cell)
{
    struct lauka_bucket bucket = {0};
    while (lauka_histogram_next(&interval->histogram, &bucket))
        for (uint64_t i = 0; i < bucket.count; i++)
            lauka_series_add(&cell->series, value_of(reader, cell, interval->unit, &bucket));
    return 0;
}

static int add_interval(struct reader *reader, const struct lauka_hlog_interval *interval)
{
    struct cell *cell;
    int failure = place(reader, interval, &cell);
    if (failure)
        return failure;
    switch (reader->look) {
    case SURVEY:
        return survey(reader, interval, cell);
    case VALUES:
        return add_values(reader, interval, cell);
    case STREAMS:
        break;
    }
    return add_counts(reader, interval, cell);
}

/* What lauka wrote about the intervals that follow; nothing is known of others' values. */
static void understand(struct reader *reader, const struct lauka_hlog *log)
{
    if (!lauka_hlog_about_parse(log->about, &reader->about))
        reader->about = (struct lauka_hlog_about){.unit = "1", .better = "neither"};
}

static int keep_end(struct reader *reader, const struct lauka_hlog *log)
{
    if (reader->bad_end || log->bad_end[0] == '\0')
        return 0;
    reader->bad_end = strdup(log->bad_end);
    return reader->bad_end ? 0 : ENOMEM;
}

static int read_intervals(struct reader *reader, FILE *in, enum look look)
{
    struct lauka_hlog log;
    struct lauka_hlog_interval interval;
    enum lauka_hlog_status status = LAUKA_HLOG_INTERVAL;
    int failure = 0;
    rewind(in);
    reader->look = look;
    lauka_hlog_open(&log, in, reader->stored->name);
    while (!failure && status == LAUKA_HLOG_INTERVAL) {
        status = lauka_hlog_read(&log, &interval, reader->error->text, sizeof reader->error->text);
        reader->line = log.line;
        understand(reader, &log);
        if (status == LAUKA_HLOG_ERROR)
            failure = EINVAL;
        else if (status == LAUKA_HLOG_INTERVAL)
            failure = add_interval(reader, &interval);
        lauka_histogram_done(&interval.histogram);
    }
    if (!failure)
        failure = keep_end(reader, &log);
    lauka_hlog_close(&log);
    return failure;
}

/* ---- double histograms ---------------------------------------------------------------------------- */

/* Of values above 0, which may have any size. */
static int decimals_for(const struct range *range)
{
    if (range->most <= 0)
        return 0;
    const int decimals = lauka_decimals_choose(range->least, range->most, 0);
    return decimals > LAUKA_DECIMALS_MAX    ? LAUKA_DECIMALS_MAX
           : decimals < -LAUKA_DECIMALS_MAX ? -LAUKA_DECIMALS_MAX
                                            : decimals;
}

static int scale_metric(struct reader *reader, size_t index)
{
    struct lauka_result_metric *metric = &reader->result->metrics[index];
    const struct range *range = &reader->ranges[index];
    if (!range->scaled)
        return 0;
    const int decimals = decimals_for(range);
    metric->decimals = range->decimals + decimals;
    if (range->most > 0 && (lauka_decimals_fit(range->least, decimals) != LAUKA_FIT_GOOD ||
                            lauka_decimals_fit(range->most, decimals) != LAUKA_FIT_GOOD))
        return lauka_load_fail(reader->stored, 0, reader->error,
                               "the values of `%.60s` are too large, too small, or too far apart",
                               metric->name);
    if (range->most <= 0 || lauka_decimals_fit(range->finest, decimals) == LAUKA_FIT_GOOD)
        return 0;
    return lauka_result_warn(reader->result,
                             "small values were rounded, because there are very large ones");
}

/* ---- the result ----------------------------------------------------------------------------------- */

/* The count of the tag that has most. */
static uint64_t most_values(const struct reader *reader)
{
    uint64_t most = 0;
    for (size_t i = 0; i < reader->cell_count; i++)
        most = reader->cells[i].count > most ? reader->cells[i].count : most;
    return most;
}

/* For every metric of a command, whether the log has values of it or not. */
static int make_command(struct reader *reader, struct lauka_result_command *command, bool expanded)
{
    const struct lauka_result *result = reader->result;
    const uint64_t rounds = result->run.rounds;
    int failure = 0;
    command->series = calloc(result->metric_count, sizeof *command->series);
    command->streams = expanded ? NULL : calloc(result->metric_count, sizeof *command->streams);
    if (!command->series || (!expanded && !command->streams))
        return ENOMEM;
    for (size_t i = 0; i < reader->cell_count; i++) {
        struct cell *cell = &reader->cells[i];
        if (&result->commands[cell->command] != command)
            continue;
        command->series[cell->metric] = cell->series;
        cell->series = (struct lauka_series){0};
        if (!expanded)
            command->streams[cell->metric] = cell->stream;
        cell->stream = (struct lauka_result_stream){0};
    }
    for (size_t m = 0; m < result->metric_count && !failure; m++) {
        if (!expanded) {
            if (!lauka_histogram_is_there(&command->streams[m].histogram))
                failure = lauka_stream_widen(&command->streams[m], LAUKA_DIGITS_DEFAULT);
            command->streams[m].missing = rounds - command->streams[m].moments.count;
            continue;
        }
        failure = lauka_series_reserve(&command->series[m], (size_t)rounds);
        if (!failure)
            lauka_series_mix(&command->series[m]);
        while (!failure && command->series[m].count < rounds)
            lauka_series_add(&command->series[m], LAUKA_MISSING);
    }
    return failure;
}

static int read_values(struct reader *reader, FILE *in)
{
    struct lauka_result *result = reader->result;
    const size_t cells = result->command_count * result->metric_count;
    const bool expands = result->run.rounds <= LAUKA_LOAD_VALUES / cells;
    int failure = 0;
    for (size_t i = 0; i < reader->cell_count && expands && !failure; i++)
        failure = lauka_series_reserve(&reader->cells[i].series, (size_t)reader->cells[i].count);
    result->run.samples_left_out = !expands;
    if (!failure)
        failure = read_intervals(reader, in, expands ? VALUES : STREAMS);
    for (size_t c = 0; c < result->command_count && !failure; c++)
        failure = make_command(reader, &result->commands[c], expands);
    return failure;
}

static int read_log(struct reader *reader, FILE *in)
{
    struct lauka_result *result = reader->result;
    int failure = read_intervals(reader, in, SURVEY);
    if (failure)
        return failure;
    result->run.rounds = most_values(reader);
    result->run.unpaired = true;
    result->run.stopped = LAUKA_STOPPED_STORED;
    if (result->run.rounds == 0)
        return lauka_load_fail(reader->stored, 0, reader->error, "holds no values");
    if (result->command_count * result->metric_count > TAGS_MAX)
        return lauka_load_fail(reader->stored, 0, reader->error, "too many tags");
    for (size_t m = 0; m < result->metric_count && !failure; m++)
        failure = scale_metric(reader, m);
    return failure ? failure : read_values(reader, in);
}

static int note_precision(struct reader *reader)
{
    return lauka_result_note(
        reader->result,
        "values come from a histogram: each can be off by %.2g %%, and their order is not known",
        100 * reader->precision);
}

static void done(struct reader *reader)
{
    for (size_t i = 0; i < reader->cell_count; i++) {
        lauka_series_done(&reader->cells[i].series);
        lauka_histogram_done(&reader->cells[i].stream.histogram);
    }
    free(reader->cells);
    free(reader->ranges);
    free(reader->bad_end);
}

int lauka_load_hlog(const struct lauka_stored *stored, struct lauka_result *result,
                    struct lauka_load_error *error)
{
    /* It is only read, whatever the prototype says. */
    FILE *in = fmemopen((void *)(uintptr_t)stored->bytes, stored->size, "rb");
    struct reader reader = {.stored = stored, .error = error, .result = result};
    reader.cells = calloc(TAGS_MAX, sizeof *reader.cells);
    reader.ranges = calloc(TAGS_MAX, sizeof *reader.ranges);
    result->commands = calloc(TAGS_MAX, sizeof *result->commands);
    int failure = in && reader.cells && reader.ranges && result->commands ? 0 : ENOMEM;
    if (!failure)
        failure = read_log(&reader, in);
    if (!failure)
        failure = note_precision(&reader);
    for (size_t m = 0; m < result->metric_count;
         m++) /* buckets of doubles do not begin where ours do */
        result->metrics[m].bins = (reader.ranges[m].scaled ? 2 : 1) * reader.precision;
    if (!failure && reader.bad_end) {
        result->error = (struct lauka_result_error){.known = true, .text = reader.bad_end};
        reader.bad_end = NULL;
    }
    if (in)
        fclose(in);
    done(&reader);
    return failure;
}
