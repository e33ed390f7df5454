/* A document of JSON in parts: each result becomes a tree when its turn comes. */
#include "report/load/json.h"
#include "report/load/load.h"
#include "report/load/loader.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

size_t lauka_json_line(const char *text, const char *place)
{
    size_t line = 1;
    for (; text < place; text++)
        line += *text == '\n';
    return line;
}

int lauka_json_parse(struct lauka_json *json, const struct lauka_json_array *part, bool outermost,
                     cJSON **tree)
{
    const char *end = NULL;
    int failure = lauka_json_text_make(json->stored, part, outermost, &json->text, json->error);
    if (failure)
        return failure;
    const char *text = json->text.text;
    *tree = cJSON_ParseWithLengthOpts(text, json->text.size + 1, &end, true);
    if (*tree)
        return 0;
    bool cut = end && !*end && part->end == json->stored->size;
    return lauka_load_fail(json->stored, part->line - 1 + lauka_json_line(text, end ? end : text),
                           json->error, "%s",
                           cut ? "this is not JSON: it ends too early" : "this is not JSON");
}

/* ---- results, one by one --------------------------------------------------------------------- */

static int check_entry(struct lauka_json *json)
{
    char path[LAUKA_PATH_SIZE];
    snprintf(path, sizeof path, "results[%zu]", json->entry_count);
    if (json->entry_count++ == LAUKA_LOAD_COMMANDS)
        return lauka_json_fail(json, path, "too many results");
    return cJSON_IsObject(json->entry) ? lauka_json_check_keys(json, path, json->entry)
                                       : lauka_json_fail(json, path, "is not an object");
}

int lauka_json_next(struct lauka_json *json)
{
    if (json->entry || !lauka_json_elements_next(json->stored, &json->entries, &json->part))
        return 0;
    int failure = lauka_json_parse(json, &json->part, false, &json->entry);
    return failure ? failure : check_entry(json);
}

void lauka_json_forget_entries(struct lauka_json *json)
{
    const struct lauka_stored *stored = json->stored;
    size_t end = json->entry ? json->part.begin : json->entries.rest.begin;
    json->text.nodes = 0;
    if (stored->forget && end > json->passed)
        stored->forget(stored->bytes + json->passed, end - json->passed);
    json->passed = end;
}
