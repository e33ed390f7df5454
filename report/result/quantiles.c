/* The quantiles of a command's metric: of the values themselves if they are kept, otherwise of the
 * histogram that counted them. */
#include "report/result/result.h"
#include "report/hdr/hdr.h"
#include "report/text/text.h"
#include "stats/histogram.h"
#include "stats/stats.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* The values that were measured. Owned by the caller; NULL if there is no memory. */
static uint64_t *sorted(const struct lauka_series *series, uint64_t *count)
{
    uint64_t *values = malloc((series->count + 1) * sizeof *values);
    *count = values ? lauka_series_measured(series, values) : 0;
    if (values && lauka_sort_integers(values, *count) == 0)
        return values;
    free(values);
    return NULL;
}

static int of_values(const struct lauka_series *series, struct lauka_result_quantiles *quantiles)
{
    uint64_t *values = sorted(series, &quantiles->count);
    if (!values)
        return ENOMEM;
    for (size_t i = 0; i < LAUKA_SUMMARY_RANKS && quantiles->count > 0; i++)
        quantiles->values[i] =
            values[lauka_rank_count(lauka_summary_ranks[i], quantiles->count) - 1];
    quantiles->from_values = true; /* which may themselves be middles */
    free(values);
    return 0;
}

/* The outer values are known exactly, and the others lie between them. */
static void of_stream(const struct lauka_result_stream *stream,
                      struct lauka_result_quantiles *quantiles)
{
    struct lauka_quantile found[LAUKA_SUMMARY_RANKS];
    if (!lauka_histogram_quantiles(&stream->histogram, lauka_summary_ranks, LAUKA_SUMMARY_RANKS,
                                   found))
        return;
    quantiles->count = stream->moments.count;
    quantiles->error = lauka_histogram_error(&stream->histogram);
    for (size_t i = 0; i < LAUKA_SUMMARY_RANKS; i++) {
        uint64_t lowest = found[i].bucket.lowest, highest = found[i].bucket.highest;
        uint64_t value = lowest + (highest - lowest) / 2;
        value = value < stream->moments.min ? stream->moments.min : value;
        quantiles->values[i] = value > stream->moments.max ? stream->moments.max : value;
    }
    quantiles->values[0] = stream->moments.min;
    quantiles->values[LAUKA_SUMMARY_RANKS - 1] = stream->moments.max;
}

int lauka_result_quantiles(const struct lauka_result *result, size_t command, size_t metric,
                           struct lauka_result_quantiles *quantiles)
{
    const struct lauka_result_command *about = &result->commands[command];
    *quantiles = (struct lauka_result_quantiles){0};
    if (!result->metrics[metric].counted)
        return 0;
    if (about->streams) {
        of_stream(&about->streams[metric], quantiles);
        return 0;
    }
    int error = of_values(&about->series[metric], quantiles);
    quantiles->from_values = !(result->metrics[metric].bins > 0);
    quantiles->error = result->metrics[metric].bins;
    return error;
}

bool lauka_rank_has_values(uint32_t rank, uint64_t count)
{
    uint64_t number = lauka_rank_count(rank, count);
    bool outermost = rank == 0 || rank == LAUKA_RANK_WHOLE;
    return count > 0 && (outermost || (number > 1 && number < count));
}

char *lauka_format_rank(uint32_t rank, char *text, size_t size)
{
    char exact[32];
    lauka_format_decimal(rank, 7, exact, sizeof exact);
    snprintf(text, size, "%s", exact);
    return text;
}

/* So that the buckets beyond them are not even looked at. */
static struct lauka_histogram_options extremes(const struct lauka_series *series)
{
    struct lauka_moments moments;
    lauka_moments_of(series, &moments);
    return (struct lauka_histogram_options){
        .sparse = true,
        .min = moments.count > 0 ? moments.min : 0,
        .max = moments.max > 1 ? moments.max : 1,
    };
}

int lauka_result_collect(const struct lauka_result *result, size_t command, size_t metric,
                         struct lauka_histogram *own, struct lauka_histogram *histogram)
{
    const struct lauka_result_command *about = &result->commands[command];
    *own = (struct lauka_histogram){0};
    if (about->streams) {
        *histogram = about->streams[metric].histogram;
        return 0;
    }
    struct lauka_histogram_options options = extremes(&about->series[metric]);
    int error = lauka_histogram_init(own, &options);
    if (error)
        return error;
    uint64_t last = LAUKA_MISSING, *counter = NULL; /* many values equal the one before them */
    for (size_t i = 0; i < about->series[metric].count && !error; i++) {
        uint64_t value = lauka_series_at(&about->series[metric], i);
        if (value == LAUKA_MISSING)
            continue;
        if (value != last)
            error = lauka_histogram_reach(own, value, &counter);
        if (!error)
            ++*counter;
        last = value;
    }
    *histogram = *own;
    return error;
}

int lauka_result_histogram(const struct lauka_result *result, size_t command, size_t metric,
                           char **text)
{
    struct lauka_histogram own, histogram;
    uint64_t left_out;
    int error = lauka_result_collect(result, command, metric, &own, &histogram);
    if (!error)
        error = lauka_hdr_text_encode(&histogram, text, &left_out);
    lauka_histogram_done(&own);
    return error;
}
