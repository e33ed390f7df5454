/* Which of the kinds of JSON a document is. */
#include "report/load/load.h"
#include "report/load/json.h"
#include "report/load/loader.h"
#include "report/result/result.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int parse_document(struct lauka_json *json)
{
    const struct lauka_stored *stored = json->stored;
    const struct lauka_json_array all = {0, stored->size, 1};
    const char *nul = memchr(stored->bytes, 0, stored->size);
    if (nul)
        return lauka_load_fail(stored, lauka_json_line(stored->bytes, nul), json->error,
                               "a zero byte is no part of JSON");
    return lauka_json_parse(json, &all, true, &json->root);
}

static int take_all(struct lauka_json *json, cJSON **array)
{
    *array = cJSON_CreateArray();
    int failure = *array ? lauka_json_next(json) : ENOMEM;
    while (!failure && json->entry) {
        cJSON_AddItemToArray(*array, json->entry);
        json->entry = NULL;
        failure = lauka_json_next(json);
    }
    return failure;
}

/* ---- kinds ----------------------------------------------------------------------------------- */

/* What --config writes for several suites. */
static bool is_suites(const cJSON *root)
{
    const char *schema = cJSON_GetStringValue(lauka_json_get(root, "schema"));
    return schema && strncmp(schema, "lauka-suites/", strlen("lauka-suites/")) == 0;
}

static int check_results(struct lauka_json *json)
{
    static const char nothing[] = "is JSON, but no result of lauka or hyperfine";
    if (is_suites(json->root))
        return lauka_load_fail(json->stored, 0, json->error,
                               "holds the results of several suites, but one is expected: "
                               "jq '.suites[0].result' takes out the first");
    const cJSON *results = lauka_json_get(json->root, "results");
    const struct lauka_json_array *array =
        lauka_json_array(&json->text, cJSON_GetStringValue(results));
    json->own = json->root;
    json->course = lauka_json_get(json->root, "run");
    if (!cJSON_IsObject(json->root) || !array)
        return lauka_load_fail(json->stored, 0, json->error, nothing);
    int failure = lauka_json_check_keys(json, "the document", json->root);
    json->entries = lauka_json_elements_begin(json->stored, array);
    json->passed = json->entries.rest.begin;
    return !failure && !json->entries.more ? lauka_json_fail(json, "results", "is empty") : failure;
}

static int load_hyperfine(struct lauka_json *json)
{
    const cJSON *version = lauka_json_get(json->root, "schema_version");
    cJSON *results = NULL;
    if (version && !(cJSON_IsNumber(version) && version->valuedouble == 2))
        return lauka_json_fail(json, "schema_version", "only 2, hyperfine's, is known");
    if (lauka_session_init(json->session, 1) != 0)
        return ENOMEM;
    json->result = &json->session->benchmarks[0];
    int failure = take_all(json, &results);
    json->results = results;
    if (!failure)
        failure = version ? lauka_load_hyperfine_2(json) : lauka_load_hyperfine_1(json);
    if (!failure)
        failure = lauka_result_tell_apart(json->result);
    json->result->run.unpaired |= json->result->command_count > 1; /* one after the other */
    cJSON_Delete(results);
    return failure;
}

int lauka_load_json(const struct lauka_stored *stored, struct lauka_session *session,
                    struct lauka_load_error *error)
{
    struct lauka_json json = {
        .stored = stored, .error = error, .session = session, .values_left = LAUKA_LOAD_ROOM};
    int failure = parse_document(&json);
    if (!failure)
        failure = check_results(&json);
    if (!failure)
        failure =
            lauka_json_get(json.root, "schema") ? lauka_load_lauka(&json) : load_hyperfine(&json);
    cJSON_Delete(json.root);
    cJSON_Delete(json.entry);
    lauka_json_text_done(&json.text);
    return failure;
}
