/* A command of a session as JSON: hyperfine's keys, then lauka's own. Of each metric the values; or, where they were not
 * kept, exact moments and histograms, so that they can be read back. */
#include "report/json/parts.h"
#include "report/result/record.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "stats/histogram.h"
#include "stats/stats.h"

#include <stdlib.h>
#include <string.h>

static struct lauka_optional known(const void *known, double value)
{
    return (struct lauka_optional){.known = known, .value = known ? value : 0};
}

/* ---- hyperfine's keys -------------------------------------------------------------------------- */

static const struct lauka_summary *summary_of(const struct lauka_result *result, size_t command,
                                              const char *metric)
{
    return lauka_result_summary(result, command, lauka_result_metric_index(result, metric));
}

static void put_seconds(struct lauka_json_document *document, const char *key,
                        const struct lauka_summary *summary, double ns)
{
    lauka_document_optional(document, key, known(summary, ns / 1e9));
}

static void put_hyperfine(struct lauka_json_document *document, size_t command)
{
    static const struct lauka_summary none;
    const struct lauka_result *result = document->result;
    const struct lauka_result_command *about = &result->commands[command];
    const size_t wall_time = lauka_result_metric_index(result, "wall_time");
    const size_t peak_rss = lauka_result_metric_index(result, "peak_rss");
    const struct lauka_summary *wall = lauka_result_summary(result, command, wall_time);
    const struct lauka_summary *user = summary_of(result, command, "user_time");
    const struct lauka_summary *system = summary_of(result, command, "system_time");
    const struct lauka_summary *shown = wall ? wall : &none;
    double unit = wall ? lauka_result_unit(&result->metrics[wall_time]) : 1;
    lauka_document_bytes(document, "command", about->label);
    put_seconds(document, "mean", wall, shown->mean / unit);
    put_seconds(document, "stddev", shown->stddev.known ? wall : NULL, shown->stddev.value / unit);
    put_seconds(document, "median", wall, shown->median / unit);
    put_seconds(document, "user", user, user ? user->mean : 0);
    put_seconds(document, "system", system, system ? system->mean : 0);
    put_seconds(document, "min", wall, (double)shown->min / unit);
    put_seconds(document, "max", wall, (double)shown->max / unit);
    if (!result->run.samples_left_out) {
        lauka_document_runs(document, "times", LAUKA_JSON_TIMES, command, wall_time);
        lauka_document_runs(document, "memory_usage_byte", LAUKA_JSON_MEMORY, command, peak_rss);
    }
    /* hyperfine never leaves this array out, and Bencher requires it. */
    lauka_document_runs(document, "exit_codes", LAUKA_JSON_EXIT_CODES, command, 0);
    lauka_document_parameters(document, "parameters", about->parameters, about->parameter_count);
}

/* ---- what is kept instead of single values ------------------------------------------------------- */

/* Seven bits a byte, the lowest first; the eighth says that more follow (LEB128). */
static size_t put_number(uint8_t *bytes, uint64_t number)
{
    size_t size = 0;
    for (; number > 127; number >>= 7)
        bytes[size++] = (uint8_t)(number | 128);
    bytes[size++] = (uint8_t)number;
    return size;
}

/* Bins that are not empty, in order: the distance from the previous one, doubled; plus one if a count
 * follows, which otherwise is 1, as it mostly is. Returns the size. */
static size_t pack_bins(const struct lauka_paired_log *log, uint8_t *bytes)
{
    const struct lauka_sparse *bins = &log->bins;
    size_t next = 0, size = 0;
    for (size_t i = lauka_sparse_find(bins, 0); i < bins->count;
         i = lauka_sparse_find(bins, i + 1)) {
        uint64_t pairs = lauka_sparse_at(bins, i);
        bool counted = pairs > 1;
        size += put_number(bytes + size, (uint64_t)(i - next) << 1 | counted);
        if (counted)
            size += put_number(bytes + size, pairs);
        next = i + 1;
    }
    return size;
}

static void put_paired(struct lauka_json_document *document, const struct lauka_paired_log *log)
{
    enum { BIN_SIZE = 3 + 5 };
    uint8_t *bytes = malloc(BIN_SIZE * lauka_sparse_used(&log->bins) + 1);
    lauka_document_object(document, "paired");
    lauka_document_fields(document, &lauka_paired_record, log);
    lauka_document_base64(document, "bins", bytes, bytes ? pack_bins(log, bytes) : 0);
    lauka_document_end(document);
    document->incomplete |= !bytes;
    free(bytes);
}

static void put_stream(struct lauka_json_document *document,
                       const struct lauka_result_stream *stream)
{
    lauka_document_integer(document, "missing", stream->missing);
    lauka_document_record(document, "moments", &lauka_moments_record, &stream->moments);
    if (stream->paired)
        put_paired(document, stream->paired);
    else
        lauka_document_null(document, "paired");
}

/* Of each host there is what its comparison is made of; the histogram is of all together. */
static void put_streams(struct lauka_json_document *document, size_t command, size_t metric)
{
    const struct lauka_result *result = document->result;
    if (!result->commands[command].streams)
        return;
    lauka_document_object_line(document, "stream");
    put_stream(document, &result->commands[command].streams[metric]);
    if (lauka_result_has_hosts(result)) {
        lauka_document_array(document, "hosts");
        for (size_t h = 0; h < result->merged.host_count; h++) {
            lauka_document_object(document, NULL);
            put_stream(document, &result->merged.hosts[h].streams[command][metric]);
            lauka_document_end(document);
        }
        lauka_document_end(document);
    }
    lauka_document_end(document);
}

/* ---- metrics ------------------------------------------------------------------------------------- */

static void put_decimal(struct lauka_json_document *document, const char *key, uint64_t value,
                        int decimals)
{
    char text[32];
    lauka_document_raw(document, key,
                       lauka_format_json_decimal(value, decimals, text, sizeof text));
}

/* If nothing was counted there are no quantiles, and no histogram. */
static void put_quantiles(struct lauka_json_document *document, size_t command, size_t metric)
{
    struct lauka_result_quantiles quantiles;
    char key[32], *text = NULL;
    if (lauka_result_quantiles(document->result, command, metric, &quantiles) != 0)
        document->incomplete = true;
    const bool any = quantiles.count > 0;
    if (any && lauka_result_histogram(document->result, command, metric, &text) != 0)
        document->incomplete = true;
    lauka_document_object_line(document, "quantiles");
    for (size_t i = 0; i < LAUKA_SUMMARY_RANKS && any; i++)
        put_decimal(document, lauka_format_rank(lauka_summary_ranks[i], key, sizeof key),
                    quantiles.values[i], document->result->metrics[metric].decimals);
    lauka_document_end(document);
    lauka_document_text(document, "quantile_source",
                        !any                    ? NULL
                        : quantiles.from_values ? "values"
                                                : "histogram");
    lauka_document_text(document, "histogram", text);
    free(text);
}

static void put_extreme(struct lauka_json_document *document, const char *key,
                        const struct lauka_result_metric *about, const uint64_t *value)
{
    if (value)
        put_decimal(document, key, *value, about->decimals);
    else
        lauka_document_null(document, key);
}

static void put_about(struct lauka_json_document *document, const struct lauka_result_metric *about,
                      bool is_at_least)
{
    lauka_document_text(document, "unit", about->unit);
    if (about->decimals != 0) /* so many are kept */
        lauka_document_number(document, "decimals", about->decimals);
    lauka_document_text(document, "better", about->better);
    lauka_document_text(document, "source", about->source);
    lauka_document_bool(document, "primary", about->primary);
    if (about->repeatable) /* measured outside of the rounds */
        lauka_document_bool(document, "repeatable", true);
    if (about->bins > 0) /* values are the middles of buckets */
        lauka_document_number(document, "histogram_error", about->bins);
    if (is_at_least)
        lauka_document_bool(document, "partial", true);
    if (about->detail) /* not shown to people */
        lauka_document_bool(document, "detail", true);
}

static void put_metric(struct lauka_json_document *document, size_t command, size_t metric)
{
    static const struct lauka_summary none;
    const struct lauka_result *result = document->result;
    const struct lauka_result_metric *about = &result->metrics[metric];
    const struct lauka_summary *summary = lauka_result_summary(result, command, metric);
    const struct lauka_summary *shown = summary ? summary : &none;
    double unit = lauka_result_unit(about);
    lauka_document_object(document, about->name);
    put_about(document, about, lauka_result_is_at_least(result, command, metric));
    lauka_document_optional(document, "share", known(summary, about->share));
    lauka_document_integer(document, "count", shown->count);
    lauka_document_optional(document, "mean", known(summary, shown->mean / unit));
    lauka_document_optional(
        document, "stddev",
        (struct lauka_optional){shown->stddev.known, shown->stddev.value / unit});
    put_extreme(document, "min", about, summary ? &shown->min : NULL);
    put_extreme(document, "max", about, summary ? &shown->max : NULL);
    lauka_document_optional(document, "median", known(summary, shown->median / unit));
    put_quantiles(document, command, metric);
    if (result->run.samples_left_out)
        put_streams(document, command, metric);
    else
        lauka_document_runs(document, "values", LAUKA_JSON_VALUES, command, metric);
    lauka_document_end(document);
}

/* ---- the share of all runs' CPU time on each kind of core, by its label, from the metrics -------- */

#define OF_A_KIND "cpu_time@"

static const struct lauka_summary *time_of_kind(const struct lauka_result *result, size_t command,
                                                size_t metric)
{
    return strncmp(result->metrics[metric].name, OF_A_KIND, strlen(OF_A_KIND)) == 0
               ? lauka_result_summary(result, command, metric)
               : NULL;
}

static void put_residency(struct lauka_json_document *document, size_t command)
{
    const struct lauka_result *result = document->result;
    const struct lauka_summary *time;
    double total = 0;
    for (size_t m = 0; m < result->metric_count; m++)
        if ((time = time_of_kind(result, command, m)))
            total += time->mean;
    if (!(total > 0))
        return;
    lauka_document_object(document, "residency");
    for (size_t m = 0; m < result->metric_count; m++)
        if ((time = time_of_kind(result, command, m)))
            lauka_document_number(document, result->metrics[m].name + strlen(OF_A_KIND),
                                  time->mean / total);
    lauka_document_end(document);
}

/* ---- all of it ----------------------------------------------------------------------------------- */

/* A side has the same name in all benchmarks; in an unnamed benchmark it is mostly the command itself,
 * which is there already. */
static void put_side(struct lauka_json_document *document, size_t command)
{
    const struct lauka_result_command *first = &document->session->benchmarks[0].commands[command];
    const char *side = first->side ? first->side : first->label;
    if (document->result->benchmark.name || strcmp(side, first->label) != 0)
        lauka_document_bytes(document, "side", side);
}

void lauka_document_command(struct lauka_json_document *document, size_t command)
{
    const struct lauka_result *result = document->result;
    lauka_document_object(document, NULL);
    put_hyperfine(document, command);
    if (result->benchmark.name)
        lauka_document_bytes(document, "benchmark", result->benchmark.name);
    put_side(document, command);
    lauka_document_fields(document, &lauka_command_record, &result->commands[command]);
    lauka_document_object(document, "metrics");
    for (size_t m = 0; m < result->metric_count; m++)
        put_metric(document, command, m);
    lauka_document_end(document);
    put_residency(document, command);
    lauka_document_end(document);
}
