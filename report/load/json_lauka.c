/* lauka's own JSON, so that a stored result is reported as on the day it was measured. Whatever can be
 * computed from the values is computed again, not read. */
#include "report/load/load.h"
#include "report/load/json.h"
#include "report/load/loader.h"
#include "report/result/record.h"
#include "report/result/result.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    int failure = lauka_json_record(json, path, entry, &lauka_command_record, command);
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
            failure = streamed ? lauka_json_stream(json, c, item) : read_metric(json, c, item);
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
        failure = streamed ? lauka_json_open_streams(json) : 0;
    if (!failure)
        failure = read_commands(json, streamed);
    return failure ? failure : lauka_json_session(json, streamed);
}
