/* Values of several files, each in units of a power of ten of its own, in units of one. */
#include "report/load/loader.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "stats/histogram.h"
#include "stats/stats.h"

#include <errno.h>

/* ---- how much room they need ------------------------------------------------------------------ */

static uint64_t greatest_of(const struct lauka_result_command *command, size_t metric)
{
    const struct lauka_moments moments = lauka_result_moments(command, metric);
    return moments.count > 0 ? moments.max : 0;
}

static void make_room(struct lauka_result_metric *metric, const struct lauka_result *from)
{
    size_t own = lauka_result_metric_index(from, metric->name);
    double greatest = 0;
    if (own == from->metric_count || from->metrics[own].decimals == metric->decimals)
        return;
    for (size_t c = 0; c < from->command_count; c++) {
        double value = (double)greatest_of(&from->commands[c], own);
        greatest = value > greatest ? value : greatest;
    }
    greatest /= lauka_result_unit(&from->metrics[own]);
    while (metric->decimals > -LAUKA_DECIMALS_MAX &&
           lauka_decimals_fit(greatest, metric->decimals) == LAUKA_FIT_TOO_LARGE)
        metric->decimals--;
}

void lauka_metrics_make_room(struct lauka_result *to, const struct lauka_result *from)
{
    for (size_t m = 0; m < to->metric_count; m++)
        make_room(&to->metrics[m], from);
}

/* ---- single values ------------------------------------------------------------------------------ */

/* 10^exponent; 0 where that is beyond 64 bits. */
static uint64_t factor_of(int exponent)
{
    uint64_t factor = exponent <= 19;
    for (; factor > 0 && exponent > 0; exponent--)
        factor *= 10;
    return factor;
}

/* Halves go up. False where nothing would be left. */
static bool divide(uint64_t *value, uint64_t by, bool *rounded)
{
    uint64_t rest = by > 0 ? *value % by : *value, kept = by > 0 ? *value / by : 0;
    bool is_zero = *value == 0;
    *rounded |= rest > 0;
    *value = kept + (by > 0 && rest >= by - by / 2);
    return *value > 0 || is_zero;
}

static bool multiply(uint64_t *value, uint64_t by)
{
    if (*value > 0 && (by == 0 || *value > (LAUKA_MISSING - 1) / by))
        return false;
    *value *= by;
    return true;
}

int lauka_series_rescale(struct lauka_series *series, int from, int to, bool *rounded)
{
    const uint64_t factor = factor_of(to > from ? to - from : from - to);
    for (size_t i = 0; from != to && i < series->count; i++) {
        uint64_t value = lauka_series_at(series, i);
        if (value == LAUKA_MISSING)
            continue;
        if (!(to > from ? multiply(&value, factor) : divide(&value, factor, rounded)))
            return ERANGE;
        lauka_series_set(series, i, value);
    }
    return 0;
}

/* ---- what is kept in their place ------------------------------------------------------------------ */

static int rescale_histogram(struct lauka_histogram *histogram, uint64_t factor)
{
    const struct lauka_histogram_options options = {.digits = histogram->digits, .sparse = true};
    struct lauka_histogram scaled;
    struct lauka_bucket bucket = {0};
    int failure = lauka_histogram_init(&scaled, &options);
    while (!failure && lauka_histogram_next(histogram, &bucket)) {
        uint64_t value = lauka_bucket_middle(&bucket);
        if (!multiply(&value, factor))
            failure = ERANGE; /* its moments are not its own */
        else if (!lauka_histogram_record_count(&scaled, value, bucket.count))
            failure = ENOMEM;
    }
    if (failure) {
        lauka_histogram_done(&scaled);
        return failure;
    }
    lauka_histogram_done(histogram);
    *histogram = scaled;
    return 0;
}

int lauka_stream_rescale(struct lauka_result_stream *stream, int from, int to)
{
    const uint64_t factor = to > from ? factor_of(to - from) : 0;
    const double greatest = stream->moments.count > 0 ? (double)stream->moments.max : 0;
    if (from == to || greatest == 0)
        return 0;
    if (factor == 0 || greatest * (double)factor >= LAUKA_VALUE_END)
        return ERANGE;
    lauka_moments_scale(&stream->moments, factor);
    if (stream->paired) {
        lauka_moments_scale(&stream->paired->reference, factor);
        lauka_moments_scale(&stream->paired->other, factor);
    }
    return lauka_histogram_is_there(&stream->histogram)
               ? rescale_histogram(&stream->histogram, factor)
               : 0;
}
