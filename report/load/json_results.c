/* Commands and metrics in lauka's own JSON, so that a stored result is reported as on the day it was measured: single
 * values, or what is kept instead of them, which cannot be computed again. */
#include "report/load/json.h"
#include "report/hdr/hdr.h"
#include "report/load/loader.h"
#include "report/result/record.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "stats/histogram.h"
#include "stats/stats.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "results[3].metrics.wall_time", and the key. Returns path, of LAUKA_PATH_SIZE bytes. */
static char *name_metric(const struct lauka_json *json, size_t command, const cJSON *metric,
                         const char *key, char *path)
{
    char rest[LAUKA_PATH_SIZE];
    snprintf(rest, sizeof rest, ".metrics.%.80s%s", metric->string, key);
    return lauka_json_name(json, command, rest, path);
}

/* ---- what is kept instead of single values: exact moments, a histogram, that of the paired log ratio ---- */

/* What a stream may take without any counts, in values. */
enum { STREAM_VALUES = 128 };

/* Empty ones take memory, too: a file may name many metrics. *streams is the result's own from then on. */
static bool make_streams(struct lauka_json *json, bool paired, struct lauka_result_stream **streams)
{
    const size_t count = json->result->metric_count;
    if (!lauka_json_spend(json, "results", STREAM_VALUES * count))
        return false;
    *streams = lauka_streams_make(count, paired);
    return lauka_json_has(json, *streams);
}

/* For all commands, and for each of all hosts. */
static bool open_streams(struct lauka_json *json)
{
    struct lauka_result *result = json->result;
    struct lauka_merged_host *hosts = result->merged.hosts;
    const size_t host_count = lauka_result_has_hosts(result) ? result->merged.host_count : 0;
    for (size_t h = 0; h < host_count; h++) {
        hosts[h].streams = calloc(result->command_count + 1, sizeof *hosts[h].streams);
        if (!lauka_json_has(json, hosts[h].streams))
            return false;
    }
    for (size_t c = 0; c < result->command_count; c++) {
        if (!make_streams(json, c > 0, &result->commands[c].streams))
            return false;
        for (size_t h = 0; h < host_count; h++)
            if (!make_streams(json, c > 0, &hosts[h].streams[c]))
                return false;
    }
    return true;
}

static bool check_moments(struct lauka_json *json, const char *path,
                          const struct lauka_moments *moments)
{
    return moments->count == 0 || moments->min <= moments->max ||
           lauka_json_fail(json, path, "its minimum is above its maximum");
}

/* As json/session.c writes it. False if it is malformed, or goes beyond `most`. */
static bool get_number(const uint8_t **bytes, const uint8_t *end, uint64_t most, uint64_t *number)
{
    *number = 0;
    for (unsigned shift = 0; *bytes < end && shift < 63; shift += 7) {
        uint8_t byte = *(*bytes)++;
        *number |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return *number <= most;
    }
    return false;
}

/* Returns whether they are complete, with as many pairs as the log says, and there is memory. */
static bool unpack_bins(const uint8_t *bytes, size_t size, struct lauka_paired_log *log)
{
    const uint8_t *end = bytes + size;
    uint64_t most = log->bins.count, bin = 0, total = 0;
    while (bytes < end) {
        uint64_t step, count = 1;
        if (!get_number(&bytes, end, 2 * most, &step) || bin + step / 2 >= most ||
            (step % 2 && !get_number(&bytes, end, UINT32_MAX, &count)))
            return false;
        bin += step / 2;
        uint64_t *pairs = lauka_sparse_reach(&log->bins, (size_t)bin++);
        if (!pairs)
            return false;
        *pairs = count;
        total += count;
    }
    return total == log->count;
}

static bool read_bins(struct lauka_json *json, const char *path, const cJSON *item,
                      struct lauka_paired_log *log)
{
    const char *text = cJSON_GetStringValue(item);
    size_t length = text ? strlen(text) : 0, size;
    uint8_t *bytes = malloc(length / 4 * 3 + 3);
    if (!lauka_json_has(json, bytes))
        return false;
    bool good =
        text && lauka_base64_decode(text, length, bytes, &size) && unpack_bins(bytes, size, log);
    free(bytes);
    return good ? lauka_json_spend(json, path, lauka_sparse_used(&log->bins))
                : lauka_json_fail(json, path, "its bins are damaged");
}

static bool read_paired(struct lauka_json *json, const char *path, const cJSON *object,
                        struct lauka_paired_log *log)
{
    return lauka_json_record(json, path, object, &lauka_paired_record, log) &&
           check_moments(json, path, &log->reference) && check_moments(json, path, &log->other) &&
           read_bins(json, path, lauka_json_get(object, "bins"), log);
}

/* Merged into one of ours, so that its layout is known. A log's may have fewer digits than ours. */
static int add_histogram(const struct lauka_histogram *found, struct lauka_result_stream *stream)
{
    int failure = lauka_stream_widen(stream, found->digits);
    return failure ? failure : lauka_histogram_merge(&stream->histogram, found);
}

static bool read_histogram(struct lauka_json *json, const char *path, const cJSON *item,
                           struct lauka_result_stream *stream)
{
    const char *text = cJSON_GetStringValue(item), *reason = NULL;
    struct lauka_histogram found = {0};
    if (!text)
        return stream->moments.count == 0 ||
               lauka_json_fail(json, path, "its histogram is missing");
    int failure = lauka_hdr_text_decode(text, strlen(text), &found, NULL, &reason);
    if (failure)
        return failure == EINVAL ? lauka_json_fail(json, path, "%s", reason)
                                 : lauka_json_check(json, failure);
    bool good = (lauka_histogram_total(&found) == stream->moments.count ||
                 lauka_json_fail(json, path, "its histogram holds another number of values")) &&
                lauka_json_spend(json, path, lauka_sparse_used(&found.sparse));
    failure = good ? add_histogram(&found, stream) : 0;
    if (failure)
        good = failure == EINVAL ? lauka_json_fail(json, path, "its histogram is too coarse")
                                 : lauka_json_check(json, failure);
    lauka_histogram_done(&found);
    return good;
}

static bool read_figures(struct lauka_json *json, const char *path, const cJSON *object,
                         struct lauka_result_stream *stream)
{
    const cJSON *paired = lauka_json_get(object, "paired");
    char inside[LAUKA_PATH_SIZE];
    snprintf(inside, sizeof inside, "%.140s.moments", path);
    if (!lauka_json_integer(json, path, object, "missing", &stream->missing) ||
        !lauka_json_record(json, inside, cJSON_GetObjectItemCaseSensitive(object, "moments"),
                           &lauka_moments_record, &stream->moments) ||
        !check_moments(json, inside, &stream->moments))
        return false;
    snprintf(inside, sizeof inside, "%.140s.paired", path);
    if (stream->paired && cJSON_IsObject(paired))
        return read_paired(json, inside, paired, stream->paired);
    lauka_stream_unpair(stream); /* histograms of different files have none */
    return true;
}

static bool read_hosts(struct lauka_json *json, const char *path, const cJSON *array,
                       size_t command, size_t metric)
{
    struct lauka_merged_host *host = json->result->merged.hosts;
    if (!cJSON_IsArray(array) ||
        (size_t)cJSON_GetArraySize(array) != json->result->merged.host_count)
        return lauka_json_fail(json, path, "has not what each host measured");
    for (const cJSON *item = array->child; item; item = item->next)
        if (!read_figures(json, path, item, &(host++)->streams[command][metric]))
            return false;
    return true;
}

static bool read_stream(struct lauka_json *json, size_t command, const cJSON *item)
{
    struct lauka_result *result = json->result;
    size_t m = lauka_result_metric_index(result, item->string);
    struct lauka_result_stream *stream = &result->commands[command].streams[m];
    const cJSON *object = lauka_json_get(item, "stream");
    char path[LAUKA_PATH_SIZE];
    name_metric(json, command, item, ".stream", path);
    if (!cJSON_IsObject(object))
        return lauka_json_fail(json, path, "is missing; without single runs it must be there");
    if (!read_figures(json, path, object, stream) ||
        !read_histogram(json, path, lauka_json_get(item, "histogram"), stream) ||
        (lauka_result_has_hosts(result) &&
         !read_hosts(json, path, lauka_json_get(object, "hosts"), command, m)))
        return false;
    result->metrics[m].counted |= stream->moments.count > 0;
    return true;
}

/* ---- metrics --------------------------------------------------------------------------------- */

static const char *better_of(const cJSON *item)
{
    static const char *const known[] = {"lower", "higher", "neither", NULL};
    const char *text = cJSON_GetStringValue(item);
    const char *better = text ? known[lauka_name_place(known, text)] : NULL;
    return better ? better : "neither";
}

static bool add_metric(struct lauka_json *json, const char *path, const cJSON *item)
{
    const char *source = cJSON_GetStringValue(lauka_json_get(item, "source"));
    double decimals = 0;
    struct lauka_result_metric about = {
        .name = item->string,
        .unit = cJSON_GetStringValue(lauka_json_get(item, "unit")),
        .source = (char *)(source ? source : LAUKA_SOURCE_FILE),
        .better = better_of(lauka_json_get(item, "better")),
        .share = 1,
        .primary = cJSON_IsTrue(lauka_json_get(item, "primary")),
        .repeatable = cJSON_IsTrue(lauka_json_get(item, "repeatable")),
        .detail = cJSON_IsTrue(lauka_json_get(item, "detail")),
    };
    if (!cJSON_IsObject(item) || !about.unit)
        return lauka_json_fail(json, path, "is not a metric: the text of `unit` is missing");
    if (!lauka_json_check_keys(json, path, item) ||
        !lauka_json_number(json, path, item, "share", 0, 1, &about.share) ||
        !lauka_json_number(json, path, item, "decimals", -LAUKA_DECIMALS_MAX, LAUKA_DECIMALS_MAX,
                           &decimals) ||
        !lauka_json_number(json, path, item, "histogram_error", 0, 1, &about.bins))
        return false;
    about.decimals = (int)decimals;
    return decimals == floor(decimals)
               ? lauka_json_metric(json, path, &about)
               : lauka_json_fail(json, path, "its decimals are no whole number");
}

static bool add_metrics(struct lauka_json *json)
{
    char path[LAUKA_PATH_SIZE];
    size_t c = 0;
    for (const cJSON *entry = json->results->child; entry; entry = entry->next, c++) {
        const cJSON *metrics = lauka_json_get(entry, "metrics");
        if (!lauka_json_check_object(json, lauka_json_name(json, c, ".metrics", path), metrics))
            return false;
        for (const cJSON *item = metrics->child; item; item = item->next)
            if (!add_metric(json, name_metric(json, c, item, "", path), item))
                return false;
    }
    return true;
}

/* ---- commands -------------------------------------------------------------------------------- */

static bool read_metric(struct lauka_json *json, size_t command, const cJSON *item)
{
    struct lauka_result *result = json->result;
    size_t m = lauka_result_metric_index(result, item->string);
    struct lauka_column column = {.whole = true, .decimals = result->metrics[m].decimals};
    char path[LAUKA_PATH_SIZE];
    bool good =
        lauka_json_runs(json, name_metric(json, command, item, "", path), item, "values", &column);
    lauka_series_trim(&column.series); /* of many short ones the room for more is most */
    result->commands[command].series[m] = column.series;
    return good;
}

/* The label has been read as text; its bytes are beside it. */
static bool read_label(struct lauka_json *json, size_t c, const cJSON *entry)
{
    struct lauka_result_command *command = &json->result->commands[c];
    char path[LAUKA_PATH_SIZE], *label = NULL;
    lauka_json_name(json, c, "", path);
    if (!lauka_json_bytes(json, path, entry, "command", &label))
        return false;
    free(command->label);
    command->label = label;
    return lauka_json_bytes(json, path, entry, "side", &command->side);
}

static bool read_command(struct lauka_json *json, size_t c, const cJSON *entry, bool streamed)
{
    lauka_json_forget(json, lauka_json_get(entry, "times")); /* they are values of metrics, too */
    lauka_json_forget(json, lauka_json_get(entry, "memory_usage_byte"));
    if (!read_label(json, c, entry))
        return false;
    for (const cJSON *item = lauka_json_get(entry, "metrics")->child; item; item = item->next) {
        size_t m = lauka_result_metric_index(json->result, item->string);
        if (!(streamed ? read_stream(json, c, item) : read_metric(json, c, item)))
            return false;
        if (cJSON_IsTrue(lauka_json_get(item, "partial")) &&
            !lauka_json_check(json, lauka_result_set_at_least(json->result, c, m)))
            return false;
    }
    return true;
}

/* Only the run itself knows which codes were expected, so its own number of failures counts. */
static bool read_facts(struct lauka_json *json, size_t c, const cJSON *entry)
{
    struct lauka_result_command *command = &json->result->commands[c];
    const cJSON *file = lauka_json_get(entry, "executable");
    char path[LAUKA_PATH_SIZE];
    lauka_json_name(json, c, "", path);
    if (!lauka_json_fields(json, path, entry, &lauka_command_record, command))
        return false;
    lauka_json_name(json, c, ".executable", path);
    return !file ||
           lauka_json_record(json, path, file, &lauka_executable_record, &command->executable);
}

bool lauka_json_results(struct lauka_json *json, bool streamed)
{
    size_t c = 0;
    if (!add_metrics(json) || !lauka_json_commands(json) || (streamed && !open_streams(json)))
        return false;
    for (const cJSON *entry = json->results->child; entry; entry = entry->next)
        if (!read_command(json, c++, entry, streamed))
            return false;
    if (!streamed && !lauka_json_complete(json))
        return false;
    c = 0;
    for (const cJSON *entry = json->results->child; entry; entry = entry->next, c++)
        if ((!streamed && !lauka_json_exit_codes(json, c, lauka_json_get(entry, "exit_codes"))) ||
            !read_facts(json, c, entry))
            return false;
    return lauka_json_check(json, lauka_result_tell_apart(json->result));
}
