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

static size_t line_of(const char *text, const char *place)
{
    size_t line = 1;
    for (; text < place; text++)
        line += *text == '\n';
    return line;
}

static int parse(struct lauka_json *json)
{
    const struct lauka_stored *stored = json->stored;
    const char *nul = memchr(stored->bytes, 0, stored->size), *end = NULL;
    if (nul)
        return lauka_load_fail(stored, line_of(stored->bytes, nul), json->error,
                               "a zero byte is no part of JSON");
    int failure = lauka_json_text_make(stored, &json->text, json->error);
    if (failure)
        return failure;
    const char *text = json->text.text;
    json->root = cJSON_ParseWithLengthOpts(text, json->text.size + 1, &end, true);
    if (json->root)
        return 0;
    return lauka_load_fail(stored, line_of(text, end ? end : text), json->error, "%s",
                           end && !*end ? "this is not JSON: it ends too early"
                                        : "this is not JSON");
}

/* What --config makes of several suites. */
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
                               "holds the results of several suites, of which one is needed: "
                               "jq '.suites[0].result' takes out the first");
    json->results = lauka_json_get(json->root, "results");
    json->own = json->root;
    json->course = lauka_json_get(json->root, "run");
    if (!cJSON_IsObject(json->root) || !cJSON_IsArray(json->results))
        return lauka_load_fail(json->stored, 0, json->error, nothing);
    int failure = lauka_json_check_keys(json, "the document", json->root);
    if (!failure && !json->results->child)
        failure = lauka_json_fail(json, "results", "is empty");
    size_t count = 0;
    for (const cJSON *entry = json->results->child; entry && !failure; entry = entry->next) {
        char path[LAUKA_PATH_SIZE];
        snprintf(path, sizeof path, "results[%zu]", count++);
        failure = count > LAUKA_LOAD_COMMANDS ? lauka_json_fail(json, path, "too many results")
                  : cJSON_IsObject(entry)     ? lauka_json_check_keys(json, path, entry)
                                              : lauka_json_fail(json, path, "is not an object");
    }
    return failure;
}

static int load_kind(struct lauka_json *json)
{
    const cJSON *version = lauka_json_get(json->root, "schema_version");
    if (lauka_json_get(json->root, "schema"))
        return lauka_load_lauka(json);
    if (lauka_session_init(json->session, 1) != 0)
        return ENOMEM;
    json->result = &json->session->benchmarks[0];
    if (!version)
        return lauka_load_hyperfine_1(json);
    return cJSON_IsNumber(version) && version->valuedouble == 2
               ? lauka_load_hyperfine_2(json)
               : lauka_json_fail(json, "schema_version", "only 2, hyperfine's, is known");
}

int lauka_load_json(const struct lauka_stored *stored, struct lauka_session *session,
                    struct lauka_load_error *error)
{
    struct lauka_json json = {
        .stored = stored, .error = error, .session = session, .values_left = LAUKA_LOAD_ROOM};
    int failure = parse(&json);
    if (!failure)
        failure = check_results(&json);
    if (!failure)
        failure = load_kind(&json);
    cJSON_Delete(json.root);
    lauka_json_text_done(&json.text);
    return failure;
}
