/* Histograms of the metric that the answer is about, for tools that know HdrHistogram: a log of all
 * commands, with those of named benchmarks tagged BENCHMARK/SIDE, and one command's percentiles for
 * plotters. */
#include "report/exports/exports.h"
#include "report/hdr/hdr.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "stats/histogram.h"
#include "stats/stats.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { TAG_WIDTH = 50, COMMENT_SIZE = 1024, TICKS = 5 };

static bool is_time(const struct lauka_result_metric *metric)
{
    return strcmp(metric->unit, "ns") == 0 && metric->decimals == 0;
}

/* For the header of a log. */
static void describe_log(const struct lauka_result_metric *metric, bool by_benchmark, char *text,
                         size_t size)
{
    struct lauka_hlog_about about = {
        .decimals = metric->decimals, .better = metric->better, .by_benchmark = by_benchmark};
    snprintf(about.metric, sizeof about.metric, "%s", metric->name);
    snprintf(about.unit, sizeof about.unit, "%s", metric->unit);
    lauka_hlog_about_format(&about, text, size);
}

/* Readers of logs expect a maximum in milliseconds. */
static double log_divisor(const struct lauka_result_metric *metric)
{
    return is_time(metric) ? 1e6 : lauka_result_unit(metric);
}

/* Comments, so that no reader mistakes a broken session for a complete one. */
static void put_end(const struct lauka_result *result, FILE *out)
{
    const char *end = lauka_result_bad_end(result);
    if (!end)
        return;
    fputs("#[FAILED: ", out);
    if (result->benchmark.name)
        lauka_print_safely(result->benchmark.name, true, out);
    fputs(result->benchmark.name ? ": " : "", out);
    lauka_print_safely(end, true, out);
    fputs("]\n", out);
}

static bool has_values(const struct lauka_result *result, size_t command, size_t metric)
{
    const struct lauka_summary *summary = lauka_result_summary(result, command, metric);
    return summary && summary->count > 0;
}

static int put_interval(const struct lauka_result *result, size_t command, size_t metric,
                        const char *tag, FILE *out)
{
    struct lauka_histogram own = {0};
    struct lauka_hlog_interval interval = {.length = result->run.measured};
    int error = lauka_result_collect(result, command, metric, &own, &interval.histogram);
    snprintf(interval.tag, sizeof interval.tag, "%s", tag);
    if (!error)
        error = lauka_hlog_write(&interval, log_divisor(&result->metrics[metric]), out);
    lauka_histogram_done(&own);
    return error;
}

/* A single one needs no tag. Returns 0, ENOMEM or an errno of the output. */
static int put_result(const struct lauka_result *result, char *const *tags, FILE *out)
{
    const size_t metric = lauka_result_main_metric(result);
    bool tagged = result->command_count > 1 || result->benchmark.name;
    int error = 0;
    put_end(result, out);
    for (size_t c = 0; c < result->command_count && !error; c++)
        if (has_values(result, c, metric))
            error = put_interval(result, c, metric, tagged ? tags[c] : "", out);
    return error;
}

/* From the main metric of the first benchmark that has one: it is the same in all. */
static int put_header(const struct lauka_session *session, FILE *out)
{
    char comment[COMMENT_SIZE];
    for (size_t b = 0; b < session->benchmark_count; b++) {
        const struct lauka_result *result = &session->benchmarks[b];
        const size_t metric = lauka_result_main_metric(result);
        if (metric >= result->metric_count)
            continue;
        describe_log(&result->metrics[metric], result->benchmark.name, comment, sizeof comment);
        return lauka_hlog_write_header(comment, 0, out);
    }
    return 0;
}

int lauka_write_hlog(const struct lauka_session *session, FILE *out)
{
    char **tags = lauka_session_unique_names(session, TAG_WIDTH, " ,");
    int error = tags ? put_header(session, out) : ENOMEM;
    for (size_t b = 0, at = 0; b < session->benchmark_count && !error; b++) {
        error = put_result(&session->benchmarks[b], tags + at, out);
        at += session->benchmarks[b].command_count;
    }
    lauka_strings_free(tags);
    return error ? error : lauka_finish(out);
}

/* Runs of commands take thousands of microseconds; what has decimals is shorter than a nanosecond. */
static void describe_percentiles(const struct lauka_result *result, size_t command, size_t metric,
                                 FILE *out)
{
    const struct lauka_result_metric *about = &result->metrics[metric];
    const char *unit = is_time(about) ? "us" : about->unit;
    const bool plain = strcmp(unit, "1") == 0;
    fprintf(out, "#[lauka: %s%s%s of ", about->name, plain ? "" : " in ", plain ? "" : unit);
    lauka_print_safely(result->commands[command].label, true, out);
    fputs("]\n", out);
    put_end(result, out);
}

int lauka_write_percentile_file(const struct lauka_result *result, size_t command, FILE *out)
{
    const size_t metric = lauka_result_main_metric(result);
    struct lauka_histogram own = {0}, histogram;
    if (command >= result->command_count || metric >= result->metric_count)
        return ERANGE;
    const struct lauka_result_metric *about = &result->metrics[metric];
    int error = lauka_result_collect(result, command, metric, &own, &histogram);
    if (!error) {
        describe_percentiles(result, command, metric, out);
        error = lauka_write_hgrm(&histogram, TICKS, is_time(about) ? 1e3 : lauka_result_unit(about),
                                 out);
    }
    lauka_histogram_done(&own);
    return error;
}
