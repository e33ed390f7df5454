/* System calls that one side makes more often, as a stored result has them. */
#include "report/load/json.h"
#include "report/result/result.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <string.h>

enum { ROWS_MOST = 10000 };

static const char path[] = "system_calls";

static int read_cost(struct lauka_json *json, const cJSON *object, struct lauka_why_cost *cost)
{
    const cJSON *sides = lauka_json_get(object, "calls");
    int failure = lauka_json_integer(json, path, sides, "before", &cost->before);
    return failure ? failure : lauka_json_integer(json, path, sides, "after", &cost->after);
}

static int read_row(struct lauka_json *json, const cJSON *item, struct lauka_calls *calls)
{
    struct lauka_calls_row *row = lauka_calls_add_row(calls);
    if (!row)
        return ENOMEM;
    int failure = lauka_json_bytes(json, path, item, "name", &row->name);
    if (!failure && !row->name)
        failure = lauka_json_fail(json, path, "lacks a name");
    if (!failure)
        failure = lauka_json_integer(json, path, item, "spread", &row->spread);
    return failure ? failure : read_cost(json, item, &row->calls);
}

static int read_rows(struct lauka_json *json, const cJSON *array, struct lauka_calls *calls)
{
    int failure = 0;
    if (cJSON_GetArraySize(array) > ROWS_MOST)
        return lauka_json_fail(json, path, "has too many rows");
    for (const cJSON *item = array ? array->child : NULL; item && !failure; item = item->next)
        failure = read_row(json, item, calls);
    return failure;
}

static int read_command(struct lauka_json *json, const cJSON *item)
{
    struct lauka_calls *calls = lauka_calls_add(&json->result->calls);
    uint64_t command = UINT64_MAX;
    if (!calls)
        return ENOMEM;
    int failure = lauka_json_integer(json, path, item, "command", &command);
    calls->command = (size_t)(command - json->first);
    if (!failure && (command <= json->first || calls->command >= json->result->command_count))
        failure = lauka_json_fail(json, path, "there is no such command");
    if (!failure)
        failure = lauka_json_copy_text(lauka_json_get(item, "reason"), &calls->reason);
    const char *source = cJSON_GetStringValue(lauka_json_get(item, "source"));
    calls->traced = !source || strcmp(source, "tracepoints") != 0;
    if (!failure)
        failure = lauka_json_integer(json, path, item, "spread", &calls->spread);
    if (!failure)
        failure = read_cost(json, item, &calls->calls);
    return failure ? failure : read_rows(json, lauka_json_get(item, "rows"), calls);
}

int lauka_json_calls(struct lauka_json *json)
{
    const cJSON *array = lauka_json_get(json->own, "system_calls");
    int failure = 0;
    if (array && (size_t)cJSON_GetArraySize(array) >= json->result->command_count)
        return lauka_json_fail(json, path, "there are fewer commands");
    for (const cJSON *item = array ? array->child : NULL; item && !failure; item = item->next)
        failure = read_command(json, item);
    return failure;
}
