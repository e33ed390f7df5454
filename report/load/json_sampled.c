/* What samples point to, as a stored result has it. */
#include "report/load/json.h"
#include "report/result/result.h"

#include <cjson/cJSON.h>
#include <errno.h>

enum { ROWS_MOST = 1000 };

static const char path[] = "sampled.commands";

static int read_share(struct lauka_json *json, const cJSON *object, const char *key,
                      struct lauka_sampled_share *share)
{
    const cJSON *item = lauka_json_get(object, key);
    int failure = lauka_json_number(json, path, item, "estimate", -1, 1, &share->estimate);
    if (!failure)
        failure = lauka_json_number(json, path, item, "low", -1e6, 1e6, &share->low);
    return failure ? failure : lauka_json_number(json, path, item, "high", -1e6, 1e6, &share->high);
}

/* A text that must be there. */
static int read_text(struct lauka_json *json, const cJSON *object, const char *key, char **text)
{
    int failure = lauka_json_bytes(json, path, object, key, text);
    return failure || *text ? failure : lauka_json_fail(json, path, "lacks a text");
}

static int read_names(struct lauka_json *json, const cJSON *item, struct lauka_sampled_row *row)
{
    int failure = read_text(json, item, "name", &row->name);
    if (!failure)
        failure = read_text(json, item, "object", &row->object);
    if (!failure && !lauka_sampled_place_named(cJSON_GetStringValue(lauka_json_get(item, "place")),
                                               &row->place))
        failure =
            lauka_json_fail(json, path, "has a place that is unknown to this version of lauka");
    return failure;
}

static int read_row(struct lauka_json *json, const cJSON *item, struct lauka_sampled *sampled)
{
    struct lauka_sampled_row *row = lauka_sampled_add_row(sampled);
    if (!row)
        return ENOMEM;
    int failure = read_names(json, item, row);
    if (!failure)
        failure = read_share(json, item, "before", &row->before);
    if (!failure)
        failure = read_share(json, item, "after", &row->after);
    if (!failure)
        failure = read_share(json, item, "difference", &row->difference);
    if (!failure)
        failure = lauka_json_number(json, path, item, "p", 0, 1, &row->p);
    row->claimed = cJSON_IsTrue(lauka_json_get(item, "claimed"));
    return failure;
}

static int read_rows(struct lauka_json *json, const cJSON *array, struct lauka_sampled *sampled)
{
    int failure = 0;
    if (cJSON_GetArraySize(array) > ROWS_MOST)
        return lauka_json_fail(json, path, "has too many rows");
    for (const cJSON *item = array ? array->child : NULL; item && !failure; item = item->next)
        failure = read_row(json, item, sampled);
    return failure;
}

static int read_side(struct lauka_json *json, const cJSON *object, const char *key,
                     struct lauka_sampled_side *side)
{
    const cJSON *item = lauka_json_get(object, key);
    int failure = lauka_json_integer(json, path, item, "samples", &side->samples);
    if (!failure)
        failure = lauka_json_integer(json, path, item, "lost", &side->lost);
    return failure ? failure : lauka_json_integer(json, path, item, "throttled", &side->throttled);
}

static int read_standing(struct lauka_json *json, const cJSON *item, struct lauka_sampled *sampled)
{
    uint64_t command = UINT64_MAX;
    int failure = lauka_json_integer(json, path, item, "command", &command);
    sampled->command = (size_t)(command - json->first);
    if (!failure && (command <= json->first || sampled->command >= json->result->command_count))
        failure = lauka_json_fail(json, path, "there is no such command");
    if (!failure && !lauka_sampled_standing_named(
                        cJSON_GetStringValue(lauka_json_get(item, "standing")), &sampled->standing))
        failure =
            lauka_json_fail(json, path, "has a standing that is unknown to this version of lauka");
    return failure ? failure
                   : lauka_json_copy_text(lauka_json_get(item, "reason"), &sampled->reason);
}

static int read_command(struct lauka_json *json, const cJSON *item)
{
    struct lauka_sampled *sampled = lauka_sampled_add(&json->result->sampled);
    if (!sampled)
        return ENOMEM;
    int failure = read_standing(json, item, sampled);
    if (!failure)
        failure = read_side(json, item, "before", &sampled->before);
    if (!failure)
        failure = read_side(json, item, "after", &sampled->after);
    if (!failure)
        failure = read_rows(json, lauka_json_get(item, "rows"), sampled);
    if (!failure)
        failure =
            lauka_json_number(json, path, item, "others_before", 0, 1, &sampled->others_before);
    return failure
               ? failure
               : lauka_json_number(json, path, item, "others_after", 0, 1, &sampled->others_after);
}

static int read_setting(struct lauka_json *json, const cJSON *object)
{
    struct lauka_result_sampled *sampled = &json->result->sampled;
    int failure = lauka_json_copy_text(lauka_json_get(object, "event"), &sampled->event);
    if (!failure)
        failure = lauka_json_integer(json, "sampled", object, "period_ns", &sampled->period_ns);
    if (!failure)
        failure = lauka_json_integer(json, "sampled", object, "rounds", &sampled->rounds);
    if (!failure)
        failure = lauka_json_integer(json, "sampled", object, "family", &sampled->family);
    sampled->kernel = cJSON_IsTrue(lauka_json_get(object, "kernel"));
    return failure;
}

int lauka_json_sampled(struct lauka_json *json)
{
    const cJSON *object = lauka_json_get(json->own, "sampled"),
                *array = lauka_json_get(object, "commands");
    int failure = object ? read_setting(json, object) : 0;
    if (!failure && array && (size_t)cJSON_GetArraySize(array) >= json->result->command_count)
        return lauka_json_fail(json, path, "there are fewer commands");
    for (const cJSON *item = array ? array->child : NULL; item && !failure; item = item->next)
        failure = read_command(json, item);
    return failure;
}
