/* The session in lauka's own JSON: how it ran and ended, with which options, on which host. */
#include "report/load/json.h"
#include "report/load/loader.h"
#include "report/result/result.h"
#include "stats/stats.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { WARNINGS_MAX = 1000, OPTIONS_MAX = 100000 };

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
        uint64_t command = lauka_series_at(&column.series, i);
        order[i] = (uint32_t)command;
        if (command == LAUKA_MISSING)
            failure = lauka_json_fail(json, "run.order", "is not the order of these runs");
    }
    result->run.order = order;
    lauka_series_done(&column.series);
    return failure;
}

static int read_layout(struct lauka_json *json, const cJSON *item)
{
    struct lauka_result *result = json->result;
    struct lauka_column column = {.whole = true};
    int failure = item ? lauka_json_values(json, "run.layout", item, &column) : 0;
    size_t count = column.series.count;
    if (!failure && count > 0 && (count != result->run.rounds || column.most > UINT16_MAX))
        failure = lauka_json_fail(json, "run.layout", "is not the layout of these rounds");
    bool kept = !failure && item && count == result->run.rounds;
    uint16_t *layout = kept ? malloc((count + 1) * sizeof *layout) : NULL;
    if (kept && !layout)
        failure = ENOMEM;
    for (size_t i = 0; layout && i < count; i++)
        layout[i] = (uint16_t)lauka_series_at(&column.series, i); /* what is missing is 65535 */
    result->run.layout = layout;
    lauka_series_done(&column.series);
    return failure;
}

static int read_options(struct lauka_json *json, const cJSON *array)
{
    int failure = 0, count = 0;
    for (const cJSON *item = array ? array->child : NULL; item && !failure; item = item->next) {
        const char *name = cJSON_GetStringValue(lauka_json_get(item, "name"));
        char *value = NULL;
        if (!name || ++count > OPTIONS_MAX)
            return lauka_json_fail(json, "run.options", "is not a short array of options");
        failure = lauka_json_bytes(json, "run.options", item, "value", &value);
        if (!failure)
            failure = lauka_result_add_option(json->result, name, value,
                                              cJSON_IsTrue(lauka_json_get(item, "given")));
        free(value);
    }
    return failure;
}

/* null where it was not known. */
static int read_share(struct lauka_json *json, const cJSON *object, const char *key,
                      struct lauka_optional *share)
{
    share->known = cJSON_IsNumber(lauka_json_get(object, key));
    return lauka_json_number(json, "run", object, key, 0, 1, &share->value);
}

static int read_batches(struct lauka_json *json, const cJSON *array)
{
    struct lauka_result_run *run = &json->result->run;
    int failure = 0;
    for (const cJSON *item = array ? array->child : NULL; item && !failure; item = item->next) {
        struct lauka_batch *batch = &run->batches[run->batch_count];
        if (run->batch_count++ == LAUKA_BATCHES_MAX || !cJSON_IsObject(item)) {
            run->batch_count = 0;
            return lauka_json_fail(json, "run.batches", "is not a short array of batches");
        }
        failure = lauka_json_integer(json, "run.batches", item, "rounds", &batch->rounds);
        if (!failure)
            failure =
                lauka_json_number(json, "run.batches", item, "seconds", 0, 1e18, &batch->seconds);
        if (!failure)
            failure = read_share(json, item, "pressure", &batch->pressure);
        if (!failure)
            failure = read_share(json, item, "steal", &batch->steal);
    }
    return failure;
}

static int read_numbers(struct lauka_json *json, const cJSON *object)
{
    struct lauka_result_run *run = &json->result->run;
    int failure = lauka_json_integer(json, "run", object, "seed", &run->seed);
    if (!failure)
        failure = lauka_json_integer(json, "run", object, "warmup", &run->warmup);
    if (!failure)
        failure = read_share(json, object, "pressure", &run->pressure);
    if (!failure)
        failure = read_share(json, object, "steal", &run->steal);
    if (!failure)
        failure = read_batches(json, lauka_json_get(object, "batches"));
    if (!failure)
        failure = lauka_json_integer(json, "run", object, "rss_floor", &run->rss_floor);
    if (!failure)
        failure = lauka_json_number(json, "run", object, "seconds", 0, 1e18, &run->seconds);
    if (!failure)
        failure = lauka_json_number(json, "run", object, "measured", 0, 1e18, &run->measured);
    if (!failure)
        failure = lauka_json_number(json, "run", object, "alpha", 1e-9, 0.5, &run->alpha);
    return failure ? failure
                   : lauka_json_number(json, "run", object, "precision", 0, 1, &run->precision);
}

static int read_run(struct lauka_json *json, const cJSON *object, bool streamed)
{
    struct lauka_result_run *run = &json->result->run;
    uint64_t rounds = run->rounds;
    run->stopped = stopped_of(lauka_json_get(object, "stopped"));
    run->unpaired |= cJSON_IsTrue(lauka_json_get(object, "unpaired"));
    run->noise = cJSON_IsTrue(lauka_json_get(object, "noise"));
    run->samples_left_out = streamed;
    int failure = object ? lauka_json_check_keys(json, "run", object) : 0;
    if (!failure)
        failure = lauka_json_integer(json, "run", object, "rounds", &rounds);
    if (!failure && !streamed && rounds != run->rounds)
        failure = lauka_json_fail(json, "run.rounds", "there are not so many values");
    run->rounds = rounds;
    if (!failure)
        failure = read_numbers(json, object);
    if (!failure)
        failure = lauka_json_strings(json, "run", object, "arguments", &json->result->arguments);
    if (!failure)
        failure = lauka_json_strings(json, "run", object, "reproduce", &json->result->reproduce);
    if (!failure)
        failure = read_options(json, lauka_json_get(object, "options"));
    if (!failure)
        failure = lauka_json_integer(json, "run", object, "dropped", &run->dropped);
    if (!failure)
        failure = read_layout(json, lauka_json_get(object, "layout"));
    return failure ? failure : read_order(json, lauka_json_get(object, "order"));
}

static int read_failure(struct lauka_json *json, const cJSON *object)
{
    struct lauka_result_failure *failed = &json->result->failure;
    uint64_t command = 0;
    if (!object)
        return 0;
    failed->known = true;
    failed->warmup = cJSON_IsTrue(lauka_json_get(object, "warmup"));
    failed->outside_rounds = cJSON_IsTrue(lauka_json_get(object, "outside_rounds"));
    int failure = lauka_json_integer(json, "failure", object, "command", &command);
    failed->command = (size_t)command;
    if (!failure && command >= json->result->command_count)
        failure = lauka_json_fail(json, "failure.command", "there is no such command");
    if (!failure)
        failure = lauka_json_integer(json, "failure", object, "round", &failed->round);
    if (!failure)
        failure = lauka_json_copy_text(lauka_json_get(object, "reason"), &failed->reason);
    return failure ? failure
                   : lauka_json_bytes(json, "failure", object, "stderr", &failed->stderr_tail);
}

/* A session that ended so stays one, whether or not it is known how that came. */
static int read_error(struct lauka_json *json, const cJSON *object)
{
    struct lauka_result_error *error = &json->result->error;
    int failure = lauka_json_copy_text(lauka_json_get(object, "error"), &error->text);
    error->known = json->result->run.stopped == LAUKA_STOPPED_ERROR || error->text;
    return failure;
}

static int read_host(struct lauka_json *json, const cJSON *object)
{
    struct lauka_result_host *host = &json->result->host;
    int failure = object ? lauka_json_check_keys(json, "host", object) : 0;
    if (!failure)
        failure = lauka_json_copy_text(lauka_json_get(object, "os"), &host->os);
    if (!failure)
        failure = lauka_json_copy_text(lauka_json_get(object, "kernel"), &host->kernel);
    if (!failure)
        failure = lauka_json_copy_text(lauka_json_get(object, "arch"), &host->arch);
    if (!failure)
        failure = lauka_json_copy_text(lauka_json_get(object, "cpu_model"), &host->cpu_model);
    if (!failure)
        failure = lauka_json_copy_text(lauka_json_get(object, "cores"), &host->cores);
    if (!failure)
        failure = lauka_json_copy_text(lauka_json_get(object, "governor"), &host->governor);
    if (!failure)
        failure = lauka_json_integer(json, "host", object, "cpu_count", &host->cpu_count);
    return failure ? failure
                   : lauka_json_integer(json, "host", object, "memory_bytes", &host->memory_bytes);
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

int lauka_json_session(struct lauka_json *json, bool streamed)
{
    int failure = read_run(json, lauka_json_get(json->root, "run"), streamed);
    if (!failure)
        failure = read_failure(json, lauka_json_get(json->root, "failure"));
    if (!failure)
        failure = read_error(json, lauka_json_get(json->root, "run"));
    if (!failure)
        failure = read_host(json, lauka_json_get(json->root, "host"));
    if (!failure)
        failure = lauka_json_gate(json);
    return failure ? failure : read_warnings(json, lauka_json_get(json->root, "warnings"));
}
