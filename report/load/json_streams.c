/* What is kept of a metric instead of single values: exact moments, a histogram, the histogram of the
 * paired log ratio. None of it can be computed again, so all of it is read. */
#include "report/load/json.h"
#include "report/load/loader.h"
#include "report/hdr/hdr.h"
#include "report/result/record.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "stats/histogram.h"
#include "stats/stats.h"

#include <cjson/cJSON.h>
#include <errno.h>
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

int lauka_json_open_streams(struct lauka_json *json)
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

int lauka_json_stream(struct lauka_json *json, size_t command, const cJSON *item)
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
