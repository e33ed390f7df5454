/* Which functions made the difference, as a stored result has it. */
#include "report/load/json.h"
#include "report/result/result.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FUNCTIONS_MAX = 1000, LINES_MAX = 1000 };

static const char path[] = "why.commands";

/* Both sides must be there. */
static int read_cost(struct lauka_json *json, const cJSON *object, const char *key,
                     struct lauka_why_cost *cost)
{
    const cJSON *sides = lauka_json_get(object, key);
    if (!lauka_json_get(sides, "before") || !lauka_json_get(sides, "after"))
        return lauka_json_fail(json, path, "has a cost that is not of two sides");
    int failure = lauka_json_integer(json, path, sides, "before", &cost->before);
    return failure ? failure : lauka_json_integer(json, path, sides, "after", &cost->after);
}

/* A text that must be there. */
static int read_text(struct lauka_json *json, const cJSON *object, const char *key, char **text)
{
    int failure = lauka_json_bytes(json, path, object, key, text);
    return failure || *text ? failure : lauka_json_fail(json, path, "lacks a text");
}

static int read_line(struct lauka_json *json, const cJSON *item,
                     struct lauka_why_function *function)
{
    struct lauka_why_line *line = lauka_why_add_line(function);
    if (!line)
        return ENOMEM;
    int failure = read_text(json, item, "file", &line->file);
    if (!failure)
        failure = lauka_json_integer(json, path, item, "line", &line->line);
    return failure ? failure : read_cost(json, item, "instructions", &line->instructions);
}

static int read_lines(struct lauka_json *json, const cJSON *array,
                      struct lauka_why_function *function)
{
    int failure = 0;
    if (cJSON_GetArraySize(array) > LINES_MAX)
        return lauka_json_fail(json, path, "has too many lines");
    for (const cJSON *item = array ? array->child : NULL; item && !failure; item = item->next)
        failure = read_line(json, item, function);
    return failure;
}

static int read_names(struct lauka_json *json, const cJSON *item,
                      struct lauka_why_function *function)
{
    int failure = read_text(json, item, "name", &function->name);
    if (!failure)
        failure = read_text(json, item, "object", &function->object);
    if (!failure)
        failure = read_text(json, item, "file", &function->file);
    if (!failure)
        failure = lauka_json_bytes(json, path, item, "partner", &function->partner);
    if (!failure &&
        !lauka_why_fate_named(cJSON_GetStringValue(lauka_json_get(item, "fate")), &function->fate))
        failure =
            lauka_json_fail(json, path, "has a fate that is unknown to this version of lauka");
    return failure;
}

static int read_function(struct lauka_json *json, const cJSON *item, struct lauka_why *why)
{
    struct lauka_why_function *function = lauka_why_add_function(why);
    if (!function)
        return ENOMEM;
    int failure = read_names(json, item, function);
    if (!failure)
        failure = lauka_json_integer(json, path, item, "line", &function->line);
    if (!failure)
        failure = read_cost(json, item, "instructions", &function->instructions);
    if (!failure)
        failure = read_cost(json, item, "cycles", &function->cycles);
    if (!failure)
        failure = lauka_json_integer(json, path, item, "spread", &function->spread);
    return failure ? failure : read_lines(json, lauka_json_get(item, "lines"), function);
}

static int read_functions(struct lauka_json *json, const cJSON *array, struct lauka_why *why)
{
    int failure = 0;
    if (cJSON_GetArraySize(array) > FUNCTIONS_MAX)
        return lauka_json_fail(json, path, "has too many functions");
    for (const cJSON *item = array ? array->child : NULL; item && !failure; item = item->next)
        failure = read_function(json, item, why);
    return failure;
}

static int read_totals(struct lauka_json *json, const cJSON *item, struct lauka_why *why)
{
    uint64_t others = 0;
    int failure = read_cost(json, item, "instructions", &why->instructions);
    if (!failure)
        failure = read_cost(json, item, "cycles", &why->cycles);
    if (!failure)
        failure = read_cost(json, item, "others", &why->others);
    if (!failure)
        failure = read_cost(json, item, "beyond", &why->beyond);
    if (!failure)
        failure = lauka_json_integer(json, path, item, "spread", &why->spread);
    if (!failure)
        failure = lauka_json_integer(json, path, item, "other_count", &others);
    why->other_count = (size_t)others;
    return failure;
}

static int read_why(struct lauka_json *json, const cJSON *item)
{
    struct lauka_why *why = lauka_whys_add(&json->result->whys);
    uint64_t command = UINT64_MAX;
    if (!why)
        return ENOMEM;
    int failure = lauka_json_integer(json, path, item, "command", &command);
    why->command = (size_t)(command - json->first);
    if (!failure && (command <= json->first || why->command >= json->result->command_count))
        failure = lauka_json_fail(json, path, "there is no such command");
    if (!failure && !lauka_why_standing_named(
                        cJSON_GetStringValue(lauka_json_get(item, "standing")), &why->standing))
        failure =
            lauka_json_fail(json, path, "has a standing that is unknown to this version of lauka");
    if (!failure)
        failure = lauka_json_copy_text(lauka_json_get(item, "reason"), &why->reason);
    if (!failure)
        failure = read_totals(json, item, why);
    return failure ? failure : read_functions(json, lauka_json_get(item, "functions"), why);
}

int lauka_json_why(struct lauka_json *json)
{
    const cJSON *object = lauka_json_get(json->own, "why"),
                *array = lauka_json_get(object, "commands");
    int failure = 0;
    json->result->whys.asked = cJSON_IsTrue(lauka_json_get(object, "asked"));
    if (array && (size_t)cJSON_GetArraySize(array) >= json->result->command_count)
        return lauka_json_fail(json, path, "there are fewer commands");
    for (const cJSON *item = array ? array->child : NULL; item && !failure; item = item->next)
        failure = read_why(json, item);
    return failure;
}
