/* The session in lauka's own JSON: how it ran and ended, with which options, on which host. */
#include "report/load/json.h"
#include "report/load/loader.h"
#include "report/result/record.h"
#include "report/result/result.h"
#include "stats/stats.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WARNINGS_MAX = 1000 };

/* ---- numbers of commands and units -------------------------------------------------------------- */

/* What an array of them must be. */
struct indices {
    const char *path, *key, *reason; /* path: of its object */
    uint64_t first, end;             /* each is from first on and below end */
    uint64_t count;
    bool may_be_empty; /* then there are none */
};

/* *read is owned by the result. */
static bool read_indices(struct lauka_json *json, const cJSON *object,
                         const struct indices *indices, uint32_t **read)
{
    struct lauka_column column = {.whole = true};
    char place[LAUKA_PATH_SIZE];
    snprintf(place, sizeof place, "%s.%s", indices->path, indices->key);
    bool good = lauka_json_runs(json, indices->path, object, indices->key, &column);
    const size_t count = column.series.count;
    const bool none = count == 0 && indices->may_be_empty;
    if (good && !none) {
        *read = malloc((count + 1) * sizeof **read);
        good = lauka_json_has(json, *read);
    }
    bool known = none || (count == indices->count && (count == 0 || column.most < indices->end));
    for (size_t i = 0; i < count && good && known; i++) {
        const uint64_t index = lauka_series_at(&column.series, i);
        (*read)[i] = (uint32_t)(index - indices->first);
        known = index != LAUKA_MISSING && index >= indices->first;
    }
    lauka_series_done(&column.series);
    return good && (known || lauka_json_fail(json, place, "%s", indices->reason));
}

static bool has_runs(const cJSON *object, const char *key, const char *packed)
{
    return lauka_json_get(object, key) || lauka_json_get(object, packed);
}

/* ---- the course --------------------------------------------------------------------------------- */

/* In a document of one benchmark it is in `run`. */
static const char *course_path(const struct lauka_json *json)
{
    return json->course == json->own ? "" : "run";
}

static bool fail_course(struct lauka_json *json, const char *key, const char *reason)
{
    char path[LAUKA_PATH_SIZE];
    snprintf(path, sizeof path, "%s.%s", course_path(json), key);
    return lauka_json_fail(json, path, "%s", reason);
}

static bool read_order(struct lauka_json *json, const cJSON *object)
{
    struct lauka_result *result = json->result;
    const struct indices order = {.path = course_path(json),
                                  .key = "order",
                                  .reason = "is not the order of these runs",
                                  .first = json->first,
                                  .end = json->first + result->command_count,
                                  .count = result->run.rounds * result->command_count,
                                  .may_be_empty = true};
    return read_indices(json, object, &order, &result->run.order);
}

static bool read_layout(struct lauka_json *json, const cJSON *object)
{
    struct lauka_result_run *run = &json->result->run;
    struct lauka_column column = {.whole = true};
    const bool there = has_runs(object, "layout", "layout_packed");
    bool good = lauka_json_runs(json, course_path(json), object, "layout", &column);
    const size_t count = column.series.count;
    if (good && count > 0 && (count != run->rounds || column.most > UINT16_MAX))
        good = fail_course(json, "layout", "is not the layout of these rounds");
    if (good && there && count == run->rounds) {
        run->layout = malloc((count + 1) * sizeof *run->layout);
        good = lauka_json_has(json, run->layout);
    }
    for (size_t i = 0; run->layout && i < count; i++)
        run->layout[i] = (uint16_t)lauka_series_at(&column.series, i); /* missing: 65535 */
    lauka_series_done(&column.series);
    return good;
}

/* Values that are there say how many rounds there are, and whether they are paired. */
static bool read_course(struct lauka_json *json, const cJSON *object, bool streamed)
{
    struct lauka_result_run *run = &json->result->run;
    const uint64_t rounds = run->rounds;
    const bool unpaired = run->unpaired;
    run->stopped = LAUKA_STOPPED_STORED;
    if (object &&
        !lauka_json_fields(json, course_path(json), object, &lauka_course_record, json->result))
        return false;
    run->unpaired |= unpaired;
    run->samples_left_out = streamed;
    if (!streamed && rounds != run->rounds)
        return fail_course(json, "rounds", "there are fewer values");
    return read_layout(json, object) && read_order(json, object);
}

/* ---- what holds for all benchmarks, or for one ----------------------------------------------------- */

static bool read_warnings(struct lauka_json *json, const cJSON *array)
{
    int count = 0;
    for (const cJSON *item = array ? array->child : NULL; item; item = item->next) {
        const char *text = cJSON_GetStringValue(item);
        if (!text || ++count > WARNINGS_MAX)
            return lauka_json_fail(json, "warnings", "is not a short array of texts");
        if (!lauka_json_check(json, lauka_result_warn(json->result, text)))
            return false;
    }
    return true;
}

static bool read_options(struct lauka_json *json, const char *path, const cJSON *array)
{
    return !array || lauka_json_list(json, path, array, lauka_options_record.fields, json->result);
}

/* What is written once, whatever the number of benchmarks. */
static bool read_shared(struct lauka_json *json, const cJSON *run)
{
    struct lauka_result *result = json->result;
    const cJSON *host = lauka_json_get(json->root, "host");
    return (!run || (lauka_json_fields(json, "run", run, &lauka_words_record, result) &&
                     lauka_json_fields(json, "run", run, &lauka_seed_record, result))) &&
           read_options(json, "run.options", lauka_json_get(run, "options")) &&
           (!host || lauka_json_record(json, "host", host, &lauka_host_record, &result->host)) &&
           read_warnings(json, lauka_json_get(json->root, "warnings"));
}

static bool read_failure(struct lauka_json *json, const cJSON *object)
{
    struct lauka_result_failure *failed = &json->result->failure;
    failed->known = object;
    return !object || lauka_json_record(json, "failure", object, &lauka_failure_record, failed);
}

/* Where the file has no text for it: the word of a later version, or no reason. */
static bool name_end(struct lauka_json *json, const char *stopped, struct lauka_result_error *error)
{
    char quoted[LAUKA_QUOTE_SIZE], text[LAUKA_QUOTE_SIZE + 80] = LAUKA_UNKNOWN_ERROR;
    if (stopped && strcmp(stopped, lauka_stopped_name(LAUKA_STOPPED_ERROR)) != 0)
        snprintf(text, sizeof text, "it ended as %s, which this version of lauka does not know",
                 lauka_load_quote(stopped, strlen(stopped), quoted));
    error->text = strdup(text);
    return lauka_json_has(json, error->text);
}

/* A session that ended so stays one, whether or not the reason is known. */
static bool read_error(struct lauka_json *json, const cJSON *object)
{
    struct lauka_result_error *error = &json->result->error;
    const cJSON *item = lauka_json_get(object, "error");
    if (item && !cJSON_IsString(item))
        return fail_course(json, "error", "is not a text");
    if (!lauka_json_copy_text(json, item, &error->text))
        return false;
    error->known = json->result->run.stopped == LAUKA_STOPPED_ERROR || error->text;
    return !error->known || error->text ||
           name_end(json, cJSON_GetStringValue(lauka_json_get(object, "stopped")), error);
}

/* Each is about one command that is not the reference. */
static bool read_findings(struct lauka_json *json)
{
    const struct lauka_result *result = json->result;
    const size_t most = result->command_count - 1;
    if (!lauka_json_fields(json, "", json->own, &lauka_findings_record, json->result))
        return false;
    return (result->whys.count <= most && result->sampled.count <= most &&
            result->calls.count <= most) ||
           lauka_json_fail(json, "results", "are fewer than what was found about them");
}

/* ---- the gate, which is judged again from the values, with the same outcome ------------------- */

/* A budget, or one or two limits of a change. */
static bool check_rule(struct lauka_json *json, const struct lauka_gate_rule *rule, size_t index)
{
    const bool has_limit = rule->share.known || rule->absolute.known;
    char path[LAUKA_PATH_SIZE];
    snprintf(path, sizeof path, "gate.rules[%zu]", index);
    if (rule->most.known && has_limit)
        return lauka_json_fail(json, path, "is not a rule: a budget has no other limit");
    return rule->most.known || has_limit ||
           lauka_json_fail(json, path, "is not a rule: it has no limit");
}

static bool read_gate(struct lauka_json *json)
{
    struct lauka_result_gate *gate = &json->result->gate;
    const cJSON *object = lauka_json_get(json->own, "gate");
    if (object && !lauka_json_record(json, "gate", object, &lauka_gate_record, gate))
        return false;
    for (size_t i = 0; i < gate->rule_count; i++)
        if (!check_rule(json, &gate->rules[i], i))
            return false;
    if (object && gate->rule_count == 0)
        return lauka_json_fail(json, "gate.rules", "is empty");
    return gate->halves == 0 || gate->halves == json->result->command_count / 2 ||
           lauka_json_fail(json, "gate.halves", "is not half of the commands");
}

/* ---- all of it --------------------------------------------------------------------------------- */

bool lauka_json_session(struct lauka_json *json, bool streamed)
{
    const bool inside = json->own != json->root; /* what differs between benchmarks */
    if (!read_shared(json, lauka_json_get(json->root, "run")))
        return false;
    if (inside)
        snprintf(json->place, sizeof json->place, "benchmarks[%td]",
                 json->result - json->session->benchmarks);
    if (inside && (!read_options(json, "options", lauka_json_get(json->own, "options")) ||
                   !read_warnings(json, lauka_json_get(json->own, "warnings"))))
        return false;
    return read_course(json, json->course, streamed) &&
           read_failure(json, lauka_json_get(json->own, "failure")) &&
           read_error(json, json->course) && read_findings(json) && read_gate(json);
}

/* ---- units ----------------------------------------------------------------------------------- */

static bool unit_of(const cJSON *item, enum lauka_unit *kind)
{
    const char *text = cJSON_GetStringValue(item);
    for (*kind = LAUKA_UNIT_ROUND; text && *kind <= LAUKA_UNIT_HOST; ++*kind)
        if (strcmp(text, lauka_unit_name(*kind)) == 0)
            return true;
    return false;
}

/* `of` has the unit of each round. */
static bool read_units(struct lauka_json *json, const cJSON *object,
                       struct lauka_result_units *units)
{
    if (!unit_of(lauka_json_get(object, "kind"), &units->kind))
        return lauka_json_fail(json, "units.kind", "is unknown to this version of lauka");
    if (units->kind == LAUKA_UNIT_ROUND)
        return true;
    if (!lauka_json_integer(json, "units", object, "count", &units->count))
        return false;
    if (units->count > UINT32_MAX)
        return lauka_json_fail(json, "units.count", "too many units");
    const struct indices of = {.path = "units",
                               .key = "of",
                               .reason = "is not a unit for each of these rounds",
                               .end = units->count,
                               .count = json->result->run.rounds};
    return !has_runs(object, "of", "of_packed") || read_indices(json, object, &of, &units->of);
}

bool lauka_json_units(struct lauka_json *json, const cJSON *object)
{
    struct lauka_result_benchmark *about = &json->result->benchmark;
    const cJSON *within = lauka_json_get(object, "within");
    return (!object || read_units(json, object, &about->units)) &&
           (!within || read_units(json, within, &about->inner));
}
