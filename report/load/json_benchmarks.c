/* lauka's own JSON: its version, the names of its benchmarks, which results belong to which, and that all
 * of them are about the same sides. */
#include "report/load/json.h"
#include "report/load/loader.h"
#include "report/result/session.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAJOR = 2 };

/* ---- names ----------------------------------------------------------------------------------- */

static int read_description(struct lauka_json *json, const cJSON *item, bool several)
{
    struct lauka_result_benchmark *about = &json->result->benchmark;
    int failure = cJSON_IsObject(item) ? lauka_json_check_keys(json, "", item)
                                       : lauka_json_fail(json, "", "is not an object");
    if (!failure)
        failure = lauka_json_bytes(json, "", item, "name", &about->name);
    if (!failure && several && !about->name)
        failure = lauka_json_fail(json, "name", "is missing");
    return failure ? failure
                   : lauka_json_parameters(json, "parameters", lauka_json_get(item, "parameters"),
                                           &about->parameters, &about->parameter_count);
}

static int by_name(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static int check_names(struct lauka_json *json)
{
    const struct lauka_session *session = json->session;
    const char **names = calloc(session->benchmark_count, sizeof *names), *twice = NULL;
    char quoted[LAUKA_QUOTE_SIZE];
    if (!names)
        return ENOMEM;
    for (size_t b = 0; b < session->benchmark_count; b++)
        names[b] = session->benchmarks[b].benchmark.name;
    qsort(names, session->benchmark_count, sizeof *names, by_name);
    for (size_t b = 1; b < session->benchmark_count && !twice; b++)
        twice = strcmp(names[b - 1], names[b]) == 0 ? names[b] : NULL;
    free(names);
    return twice ? lauka_load_fail(json->stored, 0, json->error,
                                   "benchmarks: two of them are called %s",
                                   lauka_load_quote(twice, strlen(twice), quoted))
                 : 0;
}

static void set_place(struct lauka_json *json, size_t benchmark)
{
    snprintf(json->place, sizeof json->place, "benchmarks[%zu]", benchmark);
}

/* Files of version 1.0 have no such array. */
static int read_descriptions(struct lauka_json *json, const cJSON *array, bool several)
{
    size_t count = array ? (size_t)cJSON_GetArraySize(array) : 1, b = 0;
    int failure = 0;
    if ((array && !cJSON_IsArray(array)) || count == 0 || count > LAUKA_LOAD_COMMANDS ||
        (several ? !array : count > 1))
        return lauka_json_fail(json, "benchmarks",
                               several ? "is not an array of benchmarks"
                                       : "a file of version 1 holds one benchmark");
    if (lauka_session_init(json->session, count) != 0)
        return ENOMEM;
    for (const cJSON *item = array ? array->child : NULL; item && !failure; item = item->next) {
        json->result = &json->session->benchmarks[b];
        set_place(json, b++);
        failure = read_description(json, item, several);
        json->place[0] = 0;
    }
    return !failure && several ? check_names(json) : failure;
}

/* ---- whose results they are ------------------------------------------------------------------ */

/* Whether the entry belongs to this benchmark; an entry that does not say belongs to the only one. */
static int is_of(struct lauka_json *json, const cJSON *entry, size_t place, size_t benchmark,
                 bool *found)
{
    const char *wanted = json->session->benchmarks[benchmark].benchmark.name;
    char path[LAUKA_PATH_SIZE], *name = NULL;
    snprintf(path, sizeof path, "results[%zu]", place);
    int failure = lauka_json_bytes(json, path, entry, "benchmark", &name);
    *found =
        name && wanted ? strcmp(name, wanted) == 0 : !name && json->session->benchmark_count == 1;
    free(name);
    return failure;
}

/* Moves the entries of the benchmark, which come next, into an array of their own. */
static int take_results(struct lauka_json *json, size_t benchmark, cJSON *own)
{
    bool found = false;
    size_t count = 0;
    for (;;) {
        int failure = lauka_json_next(json);
        if (!failure && json->entry)
            failure = is_of(json, json->entry, json->first + count, benchmark, &found);
        if (failure || !json->entry || !found)
            return failure;
        cJSON_AddItemToArray(own, json->entry);
        json->entry = NULL;
        count++;
    }
}

/* What follows a benchmark's results belongs to the next one. */
static int refuse_entry(struct lauka_json *json, const cJSON *entry, size_t place)
{
    char path[LAUKA_PATH_SIZE], quoted[LAUKA_QUOTE_SIZE], *name = NULL;
    snprintf(path, sizeof path, "results[%zu]", place);
    int failure = lauka_json_bytes(json, path, entry, "benchmark", &name);
    if (!failure && !entry)
        failure = lauka_load_fail(json->stored, 0, json->error, "%s: is missing", path);
    else if (!failure && !name)
        failure = lauka_load_fail(json->stored, 0, json->error, "%s.benchmark: is missing", path);
    else if (!failure && lauka_session_find(json->session, name) < json->session->benchmark_count)
        failure = lauka_load_fail(json->stored, 0, json->error,
                                  "%s.benchmark: the results of a benchmark stand together, in the "
                                  "order of `benchmarks`",
                                  path);
    else if (!failure)
        failure =
            lauka_load_fail(json->stored, 0, json->error, "%s.benchmark: there is no benchmark %s",
                            path, lauka_load_quote(name, strlen(name), quoted));
    free(name);
    return failure;
}

/* ---- sides ----------------------------------------------------------------------------------- */

static const char *side_of(const struct lauka_result *result, size_t command)
{
    const struct lauka_result_command *about = &result->commands[command];
    return about->side ? about->side : about->label;
}

static int check_sides(struct lauka_json *json)
{
    const struct lauka_result *first = &json->session->benchmarks[0], *result = json->result;
    char path[LAUKA_PATH_SIZE];
    if (result->command_count != first->command_count)
        return lauka_load_fail(json->stored, 0, json->error,
                               "%s: has %zu sides where the first benchmark has %zu", json->place,
                               result->command_count, first->command_count);
    for (size_t c = 0; c < result->command_count; c++)
        if (strcmp(side_of(first, c), side_of(result, c)) != 0)
            return lauka_load_fail(json->stored, 0, json->error,
                                   "%s.side: differs from that of the first benchmark",
                                   lauka_json_name(json, c, "", path));
    return 0;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static int read_benchmark(struct lauka_json *json, size_t benchmark, const cJSON *item)
{
    cJSON *own = cJSON_CreateArray();
    int failure = own ? take_results(json, benchmark, own) : ENOMEM;
    json->result = &json->session->benchmarks[benchmark];
    json->results = own;
    if (!failure && !own->child)
        failure = refuse_entry(json, json->entry, json->first);
    if (!failure)
        failure = lauka_json_merged(json, item);
    if (!failure)
        failure = lauka_json_benchmark(json);
    if (!failure)
        failure = check_sides(json);
    if (!failure && item) {
        set_place(json, benchmark);
        failure = lauka_json_units(json, lauka_json_get(item, "units"));
        failure = failure ? failure : lauka_json_check_merged(json);
    }
    json->place[0] = 0;
    json->first += json->result->command_count;
    cJSON_Delete(own);
    lauka_json_forget_entries(json);
    return failure;
}

/* Counted in values: what every benchmark gets a copy of. */
static size_t room_of(const cJSON *item)
{
    enum { NODE = 8 };
    size_t room = 0;
    for (; item; item = item->next) {
        const char *text = cJSON_GetStringValue(item);
        room += NODE + (text ? strlen(text) / sizeof(uint64_t) : 0) + room_of(item->child);
    }
    return room;
}

static int spend_shared(struct lauka_json *json)
{
    static const char *const keys[] = {"run", "host", "warnings"};
    size_t room = 0;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const cJSON *item = lauka_json_get(json->root, keys[i]);
        room += item ? room_of(item->child) : 0;
    }
    if (room <= json->values_left / json->session->benchmark_count)
        return lauka_json_spend(json, "run", room * json->session->benchmark_count);
    return lauka_json_fail(json, "run", "is too long for so many benchmarks");
}

static int read_benchmarks(struct lauka_json *json, bool several)
{
    const cJSON *array = lauka_json_get(json->root, "benchmarks");
    int failure = read_descriptions(json, array, several);
    if (!failure)
        failure = spend_shared(json);
    const cJSON *item = array ? array->child : NULL;
    for (size_t b = 0; b < json->session->benchmark_count && !failure; b++) {
        if (several)
            json->own = json->course = item;
        failure = read_benchmark(json, b, item);
        item = item ? item->next : NULL;
    }
    return !failure && json->entry ? refuse_entry(json, json->entry, json->first) : failure;
}

/* "lauka-result/1.0": readers ignore unknown keys, and refuse a higher major number. */
static int check_schema(struct lauka_json *json, unsigned long *major)
{
    static const char name[] = "lauka-result/";
    const char *schema = cJSON_GetStringValue(lauka_json_get(json->root, "schema"));
    char *end = NULL;
    if (!schema || strncmp(schema, name, strlen(name)) != 0)
        return lauka_json_fail(json, "schema", "is not lauka-result/1.0");
    *major = strtoul(schema + strlen(name), &end, 10);
    if (end == schema + strlen(name) || *end != '.' || *major == 0)
        return lauka_json_fail(json, "schema", "is not lauka-result/1.0");
    return *major <= MAJOR
               ? 0
               : lauka_json_fail(json, "schema",
                                 "is newer than this lauka, which reads versions 1 and 2");
}

int lauka_load_lauka(struct lauka_json *json)
{
    unsigned long major = 0;
    int failure = check_schema(json, &major);
    return failure ? failure : read_benchmarks(json, major > 1);
}
