/* lauka's own JSON, so that a stored result is reported as on the day it was measured. What can be
 * computed from the values is not read, but computed again. */
#include "report/load_json.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAJOR = 1, WARNINGS_MAX = 1000 };

/* ---- single numbers and texts ---------------------------------------------------------------- */

/* A missing or null item leaves the value as it is. */
static int get_integer(struct lauka_json *json, const char *path, const cJSON *object,
                       const char *key, uint64_t *value)
{
    const cJSON *item = lauka_json_get(object, key);
    const char *text = cJSON_GetStringValue(item), *reason;
    struct lauka_column column = {.whole = true};
    char place[LAUKA_PATH_SIZE], number[40];
    snprintf(place, sizeof place, "%s.%s", path, key);
    if (!item)
        return 0;
    if (cJSON_IsNumber(item) && fabs(item->valuedouble) <= 0x1p53)
        text = lauka_format_exact(item->valuedouble, number, sizeof number);
    if (!text)
        return lauka_json_fail(json, place, "is not a whole number up to 2^53, or one as a string");
    int failure = lauka_column_add(&column, text, strlen(text), &reason);
    if (failure == EINVAL)
        failure = lauka_json_fail(json, place, reason);
    if (!failure)
        *value = column.series.values[0];
    lauka_series_done(&column.series);
    return failure;
}

static int get_number(struct lauka_json *json, const char *path, const cJSON *object,
                      const char *key, double least, double most, double *value)
{
    const cJSON *item = lauka_json_get(object, key);
    char place[LAUKA_PATH_SIZE];
    if (!item)
        return 0;
    snprintf(place, sizeof place, "%s.%s", path, key);
    if (!cJSON_IsNumber(item) || !(item->valuedouble >= least && item->valuedouble <= most))
        return lauka_json_fail(json, place, "is not a number, or out of its range");
    *value = item->valuedouble;
    return 0;
}

/* A copy, or NULL where there is none. */
static int copy_text(const cJSON *item, char **copy)
{
    const char *text = cJSON_GetStringValue(item);
    *copy = text ? strdup(text) : NULL;
    return text && !*copy ? ENOMEM : 0;
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
    uint64_t decimals = 0;
    size_t index;
    struct lauka_result_metric about = {
        .name = item->string,
        .unit = cJSON_GetStringValue(lauka_json_get(item, "unit")),
        .source = (char *)(source ? source : "file"),
        .better = better_of(lauka_json_get(item, "better")),
        .share = 1,
        .primary = cJSON_IsTrue(lauka_json_get(item, "primary")),
    };
    if (!cJSON_IsObject(item) || !about.unit)
        return lauka_json_fail(json, path, "is not a metric: the text of `unit` is missing");
    int failure = lauka_json_check_keys(json, path, item);
    if (!failure)
        failure = get_number(json, path, item, "share", 0, 1, &about.share);
    if (!failure)
        failure = get_integer(json, path, item, "decimals", &decimals);
    if (!failure && decimals > LAUKA_DECIMALS_MAX)
        failure = lauka_json_fail(json, path, "so many decimals are not kept");
    about.decimals = (unsigned)decimals;
    return failure ? failure : lauka_json_metric(json, path, &about, &index);
}

static void name_metric(char *path, size_t command, const cJSON *metric)
{
    snprintf(path, LAUKA_PATH_SIZE, "results[%zu].metrics.%.80s", command, metric->string);
}

static int add_metrics(struct lauka_json *json)
{
    char path[LAUKA_PATH_SIZE];
    size_t command = 0;
    int failure = 0;
    for (const cJSON *entry = json->results->child; entry && !failure; entry = entry->next) {
        const cJSON *metrics = lauka_json_get(entry, "metrics");
        snprintf(path, sizeof path, "results[%zu].metrics", command);
        failure = cJSON_IsObject(metrics) ? lauka_json_check_keys(json, path, metrics)
                                          : lauka_json_fail(json, path, "is not an object");
        for (const cJSON *item = failure ? NULL : metrics->child; item && !failure;
             item = item->next) {
            name_metric(path, command, item);
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
    char path[LAUKA_PATH_SIZE + 8];
    name_metric(path, command, item);
    strcat(path, ".values");
    int failure = lauka_json_values(json, path, lauka_json_get(item, "values"), &column);
    result->commands[command].series[m] = column.series;
    return failure;
}

static int read_argv(struct lauka_json *json, size_t command, const cJSON *array)
{
    size_t count = 0;
    char path[LAUKA_PATH_SIZE];
    int failure = 0;
    if (!array)
        return 0;
    snprintf(path, sizeof path, "results[%zu].argv", command);
    char **argv = calloc((size_t)cJSON_GetArraySize(array) + 1, sizeof *argv);
    json->result->commands[command].argv = argv;
    if (!argv)
        return ENOMEM;
    for (const cJSON *item = array->child; item && !failure; item = item->next) {
        failure = copy_text(item, &argv[count]);
        if (!failure && !argv[count++])
            failure = lauka_json_fail(json, path, "is not an array of texts");
    }
    return failure;
}

static int read_commands(struct lauka_json *json)
{
    size_t c = 0;
    int failure = 0;
    for (const cJSON *entry = json->results->child; entry && !failure; entry = entry->next, c++) {
        failure = read_argv(json, c, lauka_json_get(entry, "argv"));
        for (const cJSON *item = lauka_json_get(entry, "metrics")->child; item && !failure;
             item = item->next)
            failure = read_metric(json, c, item);
    }
    if (!failure)
        failure = lauka_json_complete(json);
    c = 0;
    for (const cJSON *entry = json->results->child; entry && !failure; entry = entry->next, c++)
        failure = lauka_json_exit_codes(json, c, lauka_json_get(entry, "exit_codes"));
    return failure;
}

/* ---- the run and its host -------------------------------------------------------------------- */

static enum lauka_stopped stopped_of(const cJSON *item)
{
    const char *text = cJSON_GetStringValue(item);
    for (int i = 0; text && i <= LAUKA_STOPPED_STORED; i++)
        if (strcmp(lauka_stopped_name((enum lauka_stopped)i), text) == 0)
            return (enum lauka_stopped)i;
    return LAUKA_STOPPED_STORED;
}

static int read_order(struct lauka_json *json, const cJSON *item)
{
    struct lauka_result *result = json->result;
    struct lauka_column column = {.whole = true};
    int failure = lauka_json_values(json, "run.order", item, &column);
    size_t count = column.series.count;
    if (!failure && count > 0 &&
        (count != result->run.rounds * result->command_count ||
         column.most >= result->command_count))
        failure = lauka_json_fail(json, "run.order", "is not the order of these runs");
    uint32_t *order = !failure && count > 0 ? malloc(count * sizeof *order) : NULL;
    if (!failure && count > 0 && !order)
        failure = ENOMEM;
    for (size_t i = 0; order && !failure && i < count; i++) {
        uint64_t command = column.series.values[i];
        order[i] = (uint32_t)command;
        if (command == LAUKA_MISSING)
            failure = lauka_json_fail(json, "run.order", "is not the order of these runs");
    }
    result->run.order = order;
    lauka_series_done(&column.series);
    return failure;
}

static int read_run(struct lauka_json *json, const cJSON *object)
{
    struct lauka_result_run *run = &json->result->run;
    uint64_t rounds = run->rounds;
    run->stopped = stopped_of(lauka_json_get(object, "stopped"));
    run->unpaired |= cJSON_IsTrue(lauka_json_get(object, "unpaired"));
    run->noise = cJSON_IsTrue(lauka_json_get(object, "noise"));
    int failure = object ? lauka_json_check_keys(json, "run", object) : 0;
    if (!failure)
        failure = get_integer(json, "run", object, "rounds", &rounds);
    if (!failure && rounds != run->rounds)
        failure = lauka_json_fail(json, "run.rounds", "there are not so many values");
    if (!failure)
        failure = get_integer(json, "run", object, "seed", &run->seed);
    if (!failure)
        failure = get_integer(json, "run", object, "warmup", &run->warmup);
    if (!failure)
        failure = get_integer(json, "run", object, "rss_floor", &run->rss_floor);
    if (!failure)
        failure = get_number(json, "run", object, "seconds", 0, 1e18, &run->seconds);
    if (!failure)
        failure = get_number(json, "run", object, "measured", 0, 1e18, &run->measured);
    if (!failure)
        failure = get_number(json, "run", object, "alpha", 1e-9, 0.5, &run->alpha);
    if (!failure)
        failure = get_number(json, "run", object, "precision", 0, 1, &run->precision);
    return failure ? failure : read_order(json, lauka_json_get(object, "order"));
}

static int read_host(struct lauka_json *json, const cJSON *object)
{
    struct lauka_result_host *host = &json->result->host;
    int failure = object ? lauka_json_check_keys(json, "host", object) : 0;
    if (!failure)
        failure = copy_text(lauka_json_get(object, "os"), &host->os);
    if (!failure)
        failure = copy_text(lauka_json_get(object, "kernel"), &host->kernel);
    if (!failure)
        failure = copy_text(lauka_json_get(object, "arch"), &host->arch);
    if (!failure)
        failure = copy_text(lauka_json_get(object, "cpu_model"), &host->cpu_model);
    if (!failure)
        failure = get_integer(json, "host", object, "cpu_count", &host->cpu_count);
    return failure ? failure
                   : get_integer(json, "host", object, "memory_bytes", &host->memory_bytes);
}

static int read_warnings(struct lauka_json *json, const cJSON *array)
{
    int failure = 0, count = 0;
    for (const cJSON *item = array ? array->child : NULL; item && !failure; item = item->next) {
        const char *text = cJSON_GetStringValue(item);
        if (!text || ++count > WARNINGS_MAX)
            failure = lauka_json_fail(json, "warnings", "is not a short array of texts");
        else
            failure = lauka_result_warn(json->result, text);
    }
    return failure;
}

/* "lauka-result/1.0": readers ignore unknown keys, and refuse a higher major number. */
static int check_schema(struct lauka_json *json)
{
    static const char name[] = "lauka-result/";
    const char *schema = cJSON_GetStringValue(lauka_json_get(json->root, "schema"));
    char *end = NULL;
    if (!schema || strncmp(schema, name, strlen(name)) != 0)
        return lauka_json_fail(json, "schema", "is not lauka-result/1.0");
    unsigned long major = strtoul(schema + strlen(name), &end, 10);
    if (end == schema + strlen(name) || *end != '.' || major == 0)
        return lauka_json_fail(json, "schema", "is not lauka-result/1.0");
    return major <= MAJOR
               ? 0
               : lauka_json_fail(json, "schema", "is newer than this lauka, which reads version 1");
}

int lauka_load_lauka(struct lauka_json *json)
{
    int failure = check_schema(json);
    if (!failure)
        failure = add_metrics(json);
    if (!failure)
        failure = lauka_json_commands(json);
    if (!failure)
        failure = read_commands(json);
    if (!failure)
        failure = read_run(json, lauka_json_get(json->root, "run"));
    if (!failure)
        failure = read_host(json, lauka_json_get(json->root, "host"));
    return failure ? failure : read_warnings(json, lauka_json_get(json->root, "warnings"));
}
