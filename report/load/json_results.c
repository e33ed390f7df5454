/* Commands and metrics in lauka's own JSON, so that a stored result is reported as on the day it was measured: single
 * values, or what is kept instead of them, which cannot be computed again. */
#include "report/load/json.h"
#include "report/hdr/hdr.h"
#include "report/load/load.h"
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

/* What a stream may take without any counts, in values. */
enum { STREAM_VALUES = 128 };

/* Empty ones take memory, too: a file may name many metrics. *streams is the result's own from then on. */
static int make_streams(struct lauka_json *json, bool paired, struct lauka_result_stream **streams)
{
    const size_t count = json->result->metric_count;
    int failure = 0;
    *streams = calloc(count, sizeof **streams);
    for (size_t m = 0; *streams && m < count && !failure; m++) {
        failure = lauka_json_spend(json, "results", STREAM_VALUES);
        if (!failure)
            failure = lauka_stream_init(&(*streams)[m], paired);
    }
    return *streams ? failure : ENOMEM;
}

/* json_streams.c: makes empty ones for all commands; fills one from the item of its metric. */
static int open_streams(struct lauka_json *json)
{
    struct lauka_result *result = json->result;
    const size_t hosts = lauka_result_has_hosts(result) ? result->merged.host_count : 0;
    int failure = 0;
    for (size_t h = 0; h < hosts; h++)
        if (!(result->merged.hosts[h].streams =
                  calloc(result->command_count + 1, sizeof(struct lauka_result_stream *))))
            return ENOMEM;
    for (size_t c = 0; c < result->command_count && !failure; c++) {
        failure = make_streams(json, c > 0, &result->commands[c].streams);
        for (size_t h = 0; h < hosts && !failure; h++)
            failure = make_streams(json, c > 0, &result->merged.hosts[h].streams[c]);
    }
    return failure;
}

/* ---- moments ---------------------------------------------------------------------------------- */

static int check_moments(struct lauka_json *json, const char *path,
                         const struct lauka_moments *moments)
{
    return moments->count > 0 && moments->min > moments->max
               ? lauka_json_fail(json, path, "its minimum is above its maximum")
               : 0;
}

/* ---- the paired log ratio --------------------------------------------------------------------- */

/* As json/streams.c writes it. False if it is malformed, or goes beyond `most`. */
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

static int read_bins(struct lauka_json *json, const char *path, const cJSON *item,
                     struct lauka_paired_log *log)
{
    const char *text = cJSON_GetStringValue(item);
    size_t length = text ? strlen(text) : 0, size;
    uint8_t *bytes = malloc(length / 4 * 3 + 3);
    if (!bytes)
        return ENOMEM;
    bool good =
        text && lauka_base64_decode(text, length, bytes, &size) && unpack_bins(bytes, size, log);
    free(bytes);
    return good ? lauka_json_spend(json, path, lauka_sparse_used(&log->bins))
                : lauka_json_fail(json, path, "its bins are damaged");
}

static int read_paired(struct lauka_json *json, const char *path, const cJSON *object,
                       struct lauka_paired_log *log)
{
    int failure = lauka_json_record(json, path, object, &lauka_paired_record, log);
    if (!failure)
        failure = check_moments(json, path, &log->reference);
    if (!failure)
        failure = check_moments(json, path, &log->other);
    return failure ? failure : read_bins(json, path, lauka_json_get(object, "bins"), log);
}

/* ---- the stream ------------------------------------------------------------------------------- */

/* Merged into one of ours, so that its layout is known. */
static int read_histogram(struct lauka_json *json, const char *path, const cJSON *item,
                          struct lauka_result_stream *stream)
{
    const char *text = cJSON_GetStringValue(item), *reason = NULL;
    struct lauka_histogram found = {0};
    if (!text)
        return stream->moments.count == 0 ? 0
                                          : lauka_json_fail(json, path, "its histogram is missing");
    int failure = lauka_hdr_text_decode(text, strlen(text), &found, NULL, &reason);
    if (failure == EINVAL)
        return lauka_json_fail(json, path, reason);
    if (!failure && lauka_histogram_total(&found) != stream->moments.count)
        failure = lauka_json_fail(json, path, "its histogram holds another number of values");
    if (!failure)
        failure = lauka_json_spend(json, path, lauka_sparse_used(&found.sparse));
    if (!failure) /* a log's may have fewer digits than ours */
        failure = lauka_stream_widen(stream, found.digits);
    if (!failure)
        failure = lauka_histogram_merge(&stream->histogram, &found);
    if (failure == EINVAL && !json->error->text[0])
        failure = lauka_json_fail(json, path, "its histogram is too coarse");
    lauka_histogram_done(&found);
    return failure;
}

static int read_figures(struct lauka_json *json, const char *path, const cJSON *object,
                        struct lauka_result_stream *stream)
{
    const cJSON *paired = lauka_json_get(object, "paired");
    char inside[LAUKA_PATH_SIZE];
    int failure = lauka_json_integer(json, path, object, "missing", &stream->missing);
    snprintf(inside, sizeof inside, "%.140s.moments", path);
    if (!failure)
        failure =
            lauka_json_record(json, inside, cJSON_GetObjectItemCaseSensitive(object, "moments"),
                              &lauka_moments_record, &stream->moments);
    if (!failure)
        failure = check_moments(json, inside, &stream->moments);
    snprintf(inside, sizeof inside, "%.140s.paired", path);
    if (!failure && stream->paired && cJSON_IsObject(paired))
        failure = read_paired(json, inside, paired, stream->paired);
    else if (!failure) /* histograms of different files have none */
        lauka_stream_unpair(stream);
    return failure;
}

static int read_hosts(struct lauka_json *json, const char *path, const cJSON *array, size_t command,
                      size_t metric)
{
    struct lauka_result_merged *merged = &json->result->merged;
    size_t h = 0;
    int failure = 0;
    if (!cJSON_IsArray(array) || (size_t)cJSON_GetArraySize(array) != merged->host_count)
        return lauka_json_fail(json, path, "has not what each host measured");
    for (const cJSON *item = array->child; item && !failure; item = item->next)
        failure = read_figures(json, path, item, &merged->hosts[h++].streams[command][metric]);
    return failure;
}

/* json_streams.c: makes empty ones for all commands; fills one from the item of its metric. */
static int read_stream(struct lauka_json *json, size_t command, const cJSON *item)
{
    struct lauka_result *result = json->result;
    size_t m = lauka_result_metric_index(result, item->string);
    struct lauka_result_stream *stream = &result->commands[command].streams[m];
    const cJSON *object = lauka_json_get(item, "stream");
    char path[LAUKA_PATH_SIZE], rest[LAUKA_PATH_SIZE];
    snprintf(rest, sizeof rest, ".metrics.%.80s.stream", item->string);
    lauka_json_name(json, command, rest, path);
    if (!cJSON_IsObject(object))
        return lauka_json_fail(json, path, "is missing; without single runs it must be there");
    int failure = read_figures(json, path, object, stream);
    if (!failure)
        failure = read_histogram(json, path, lauka_json_get(item, "histogram"), stream);
    if (!failure && lauka_result_has_hosts(result))
        failure = read_hosts(json, path, lauka_json_get(object, "hosts"), command, m);
    result->metrics[m].counted |= stream->moments.count > 0;
    return failure;
}

/* ---- metrics --------------------------------------------------------------------------------- */

static const char *better_of(const cJSON *item)
{
    static const char *const known[] = {"lower", "higher", "neither"};
    const char *text = cJSON_GetStringValue(item);
    for (size_t i = 0; text && i < sizeof known / sizeof *known; i++)
        if (strcmp(text, known[i]) == 0)
            return known[i];
    return "neither";
}

static int add_metric(struct lauka_json *json, const char *path, const cJSON *item)
{
    const char *source = cJSON_GetStringValue(lauka_json_get(item, "source"));
    double decimals = 0, bins = 0;
    size_t index;
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
    int failure = lauka_json_check_keys(json, path, item);
    if (!failure)
        failure = lauka_json_number(json, path, item, "share", 0, 1, &about.share);
    if (!failure)
        failure = lauka_json_number(json, path, item, "decimals", -LAUKA_DECIMALS_MAX,
                                    LAUKA_DECIMALS_MAX, &decimals);
    if (!failure)
        failure = lauka_json_number(json, path, item, "histogram_error", 0, 1, &bins);
    about.bins = bins;
    if (!failure && decimals != floor(decimals))
        failure = lauka_json_fail(json, path, "its decimals are no whole number");
    about.decimals = (int)decimals;
    return failure ? failure : lauka_json_metric(json, path, &about, &index);
}

static void name_metric(const struct lauka_json *json, size_t command, const cJSON *metric,
                        const char *key, char *path)
{
    char rest[LAUKA_PATH_SIZE];
    snprintf(rest, sizeof rest, ".metrics.%.80s%s", metric->string, key);
    lauka_json_name(json, command, rest, path);
}

static int add_metrics(struct lauka_json *json)
{
    char path[LAUKA_PATH_SIZE];
    size_t command = 0;
    int failure = 0;
    for (const cJSON *entry = json->results->child; entry && !failure; entry = entry->next) {
        const cJSON *metrics = lauka_json_get(entry, "metrics");
        lauka_json_name(json, command, ".metrics", path);
        failure = cJSON_IsObject(metrics) ? lauka_json_check_keys(json, path, metrics)
                                          : lauka_json_fail(json, path, "is not an object");
        for (const cJSON *item = failure ? NULL : metrics->child; item && !failure;
             item = item->next) {
            name_metric(json, command, item, "", path);
            failure = add_metric(json, path, item);
        }
        command++;
    }
    return failure;
}

/* ---- commands -------------------------------------------------------------------------------- */

static int read_metric(struct lauka_json *json, size_t command, const cJSON *item)
{
    struct lauka_result *result = json->result;
    size_t m = lauka_result_metric_index(result, item->string);
    struct lauka_column column = {.whole = true, .decimals = result->metrics[m].decimals};
    char path[LAUKA_PATH_SIZE];
    name_metric(json, command, item, "", path);
    int failure = lauka_json_runs(json, path, item, "values", &column);
    lauka_series_trim(&column.series); /* of many short ones the room for more is most */
    result->commands[command].series[m] = column.series;
    return failure;
}

static int read_partial(struct lauka_json *json, size_t command, const cJSON *metrics)
{
    int failure = 0;
    for (const cJSON *item = metrics->child; item && !failure; item = item->next)
        if (cJSON_IsTrue(lauka_json_get(item, "partial")))
            failure = lauka_result_set_at_least(
                json->result, command, lauka_result_metric_index(json->result, item->string));
    return failure;
}

/* The label has been read as text; its bytes are beside it. */
static int read_command(struct lauka_json *json, size_t c, const cJSON *entry)
{
    struct lauka_result_command *command = &json->result->commands[c];
    char path[LAUKA_PATH_SIZE], *label = NULL;
    lauka_json_name(json, c, "", path);
    lauka_json_forget(json, lauka_json_get(entry, "times")); /* they are values of metrics, too */
    lauka_json_forget(json, lauka_json_get(entry, "memory_usage_byte"));
    int failure = lauka_json_bytes(json, path, entry, "command", &label);
    if (!failure) {
        free(command->label);
        command->label = label;
        failure = lauka_json_bytes(json, path, entry, "side", &command->side);
    }
    return failure;
}

/* Only the run itself knows which codes were expected, so its own number of failures counts. */
static int read_facts(struct lauka_json *json, size_t c, const cJSON *entry)
{
    struct lauka_result_command *command = &json->result->commands[c];
    const cJSON *file = lauka_json_get(entry, "executable");
    char path[LAUKA_PATH_SIZE];
    lauka_json_name(json, c, "", path);
    int failure = lauka_json_fields(json, path, entry, &lauka_command_record, command);
    lauka_json_name(json, c, ".executable", path);
    if (!failure && file)
        failure =
            lauka_json_record(json, path, file, &lauka_executable_record, &command->executable);
    return failure;
}

static int read_commands(struct lauka_json *json, bool streamed)
{
    size_t c = 0;
    int failure = 0;
    for (const cJSON *entry = json->results->child; entry && !failure; entry = entry->next, c++) {
        failure = read_command(json, c, entry);
        for (const cJSON *item = lauka_json_get(entry, "metrics")->child; item && !failure;
             item = item->next)
            failure = streamed ? read_stream(json, c, item) : read_metric(json, c, item);
        failure = failure ? failure : read_partial(json, c, lauka_json_get(entry, "metrics"));
    }
    if (!failure && !streamed)
        failure = lauka_json_complete(json);
    c = 0;
    for (const cJSON *entry = json->results->child; entry && !failure; entry = entry->next, c++) {
        if (!streamed)
            failure = lauka_json_exit_codes(json, c, lauka_json_get(entry, "exit_codes"));
        if (!failure)
            failure = read_facts(json, c, entry);
    }
    return failure ? failure : lauka_result_tell_apart(json->result);
}

/* If single values were not kept, `samples` is false. */
static bool is_streamed(const struct lauka_json *json)
{
    return cJSON_IsObject(json->course) && cJSON_IsFalse(lauka_json_get(json->course, "samples"));
}

int lauka_json_benchmark(struct lauka_json *json)
{
    bool streamed = is_streamed(json);
    int failure = add_metrics(json);
    if (!failure)
        failure = lauka_json_commands(json);
    if (!failure)
        failure = streamed ? open_streams(json) : 0;
    if (!failure)
        failure = read_commands(json, streamed);
    return failure ? failure : lauka_json_session(json, streamed);
}
