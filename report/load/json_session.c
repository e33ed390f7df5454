/* The session in lauka's own JSON: how it ran and ended, with which options, on which host. */
#include "report/load/json.h"
#include "report/load/loader.h"
#include "report/result/record.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "stats/stats.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WARNINGS_MAX = 1000 };

static const char *course_path(const struct lauka_json *json)
{
    return json->course == json->own ? "" : "run";
}

/* A key of the course: in a document of one benchmark it is in `run`. */
static char *name_course(const struct lauka_json *json, const char *key, char *path)
{
    snprintf(path, LAUKA_PATH_SIZE, "%s%s%s", course_path(json), *key ? "." : "", key);
    return path;
}

static int read_order(struct lauka_json *json, const cJSON *object)
{
    struct lauka_result *result = json->result;
    struct lauka_column column = {.whole = true};
    char path[LAUKA_PATH_SIZE];
    name_course(json, "order", path);
    int failure = lauka_json_runs(json, course_path(json), object, "order", &column);
    size_t count = column.series.count, end = json->first + result->command_count;
    if (!failure && count > 0 &&
        (count != result->run.rounds * result->command_count || column.most >= end))
        failure = lauka_json_fail(json, path, "is not the order of these runs");
    uint32_t *order = !failure && count > 0 ? malloc(count * sizeof *order) : NULL;
    if (!failure && count > 0 && !order)
        failure = ENOMEM;
    for (size_t i = 0; order && !failure && i < count; i++) {
        uint64_t command = lauka_series_at(&column.series, i);
        order[i] = (uint32_t)(command - json->first);
        if (command == LAUKA_MISSING || command < json->first)
            failure = lauka_json_fail(json, path, "is not the order of these runs");
    }
    result->run.order = order;
    lauka_series_done(&column.series);
    return failure;
}

static int read_layout(struct lauka_json *json, const cJSON *object)
{
    struct lauka_result *result = json->result;
    struct lauka_column column = {.whole = true};
    char path[LAUKA_PATH_SIZE];
    bool there = lauka_json_get(object, "layout") || lauka_json_get(object, "layout_packed");
    name_course(json, "layout", path);
    int failure = lauka_json_runs(json, course_path(json), object, "layout", &column);
    size_t count = column.series.count;
    if (!failure && count > 0 && (count != result->run.rounds || column.most > UINT16_MAX))
        failure = lauka_json_fail(json, path, "is not the layout of these rounds");
    bool kept = !failure && there && count == result->run.rounds;
    uint16_t *layout = kept ? malloc((count + 1) * sizeof *layout) : NULL;
    if (kept && !layout)
        failure = ENOMEM;
    for (size_t i = 0; layout && i < count; i++)
        layout[i] = (uint16_t)lauka_series_at(&column.series, i); /* what is missing is 65535 */
    result->run.layout = layout;
    lauka_series_done(&column.series);
    return failure;
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

static int read_options(struct lauka_json *json, const char *path, const cJSON *array)
{
    return array ? lauka_json_list(json, path, array, lauka_options_record.fields, json->result)
                 : 0;
}

/* Values that are there say how many rounds there are, and whether they are paired. */
static int read_course(struct lauka_json *json, const cJSON *object, bool streamed)
{
    struct lauka_result_run *run = &json->result->run;
    const uint64_t rounds = run->rounds;
    const bool unpaired = run->unpaired;
    char path[LAUKA_PATH_SIZE];
    run->stopped = LAUKA_STOPPED_STORED;
    int failure = object ? lauka_json_fields(json, course_path(json), object, &lauka_course_record,
                                             json->result)
                         : 0;
    run->unpaired |= unpaired;
    run->samples_left_out = streamed;
    if (!failure && !streamed && rounds != run->rounds)
        failure =
            lauka_json_fail(json, name_course(json, "rounds", path), "there are fewer values");
    if (!failure)
        failure = read_layout(json, object);
    return failure ? failure : read_order(json, object);
}

/* What is written once, whatever the number of benchmarks. */
static int read_shared(struct lauka_json *json, const cJSON *object)
{
    struct lauka_result *result = json->result;
    const cJSON *host = lauka_json_get(json->root, "host");
    int failure = object ? lauka_json_fields(json, "run", object, &lauka_words_record, result) : 0;
    if (!failure && object)
        failure = lauka_json_fields(json, "run", object, &lauka_seed_record, result);
    if (!failure)
        failure = read_options(json, "run.options", lauka_json_get(object, "options"));
    if (!failure && host)
        failure = lauka_json_record(json, "host", host, &lauka_host_record, &result->host);
    return failure ? failure : read_warnings(json, lauka_json_get(json->root, "warnings"));
}

static int read_failure(struct lauka_json *json, const cJSON *object)
{
    struct lauka_result_failure *failed = &json->result->failure;
    failed->known = object;
    return object ? lauka_json_record(json, "failure", object, &lauka_failure_record, failed) : 0;
}

/* Where the file has no text for it: the word of a later version, or no reason. */
static int name_end(const char *stopped, struct lauka_result_error *error)
{
    char quoted[LAUKA_QUOTE_SIZE], text[LAUKA_QUOTE_SIZE + 80];
    if (!stopped || strcmp(stopped, lauka_stopped_name(LAUKA_STOPPED_ERROR)) == 0)
        snprintf(text, sizeof text, LAUKA_UNKNOWN_ERROR);
    else
        snprintf(text, sizeof text, "it ended as %s, which this version of lauka does not know",
                 lauka_load_quote(stopped, strlen(stopped), quoted));
    return lauka_text_copy(text, &error->text);
}

/* A session that ended so stays one, whether or not the reason is known. */
static int read_error(struct lauka_json *json, const cJSON *object)
{
    struct lauka_result_error *error = &json->result->error;
    const cJSON *item = lauka_json_get(object, "error");
    char path[LAUKA_PATH_SIZE];
    if (item && !cJSON_IsString(item))
        return lauka_json_fail(json, name_course(json, "error", path), "is not a text");
    int failure = lauka_json_copy_text(item, &error->text);
    error->known = json->result->run.stopped == LAUKA_STOPPED_ERROR || error->text;
    if (!failure && error->known && !error->text)
        failure = name_end(cJSON_GetStringValue(lauka_json_get(object, "stopped")), error);
    return failure;
}

/* Each is about one command that is not the reference. */
static int read_findings(struct lauka_json *json)
{
    const struct lauka_result *result = json->result;
    const size_t most = result->command_count - 1;
    int failure = lauka_json_fields(json, "", json->own, &lauka_findings_record, json->result);
    if (!failure &&
        (result->whys.count > most || result->sampled.count > most || result->calls.count > most))
        failure = lauka_json_fail(json, "results", "are fewer than what was found about them");
    return failure;
}

/* ---- the gate, which is judged again from the values, with the same outcome ------------------- */

/* A budget, or one or two limits of a change. */
static int check_rule(struct lauka_json *json, const struct lauka_gate_rule *rule, size_t index)
{
    const bool has_limit = rule->share.known || rule->absolute.known;
    char path[LAUKA_PATH_SIZE];
    snprintf(path, sizeof path, "gate.rules[%zu]", index);
    if (rule->most.known && has_limit)
        return lauka_json_fail(json, path, "is not a rule: a budget has no other limit");
    if (!rule->most.known && !has_limit)
        return lauka_json_fail(json, path, "is not a rule: it has no limit");
    return 0;
}

static int read_gate(struct lauka_json *json)
{
    struct lauka_result_gate *gate = &json->result->gate;
    const cJSON *object = lauka_json_get(json->own, "gate");
    int failure = object ? lauka_json_record(json, "gate", object, &lauka_gate_record, gate) : 0;
    for (size_t i = 0; i < gate->rule_count && !failure; i++)
        failure = check_rule(json, &gate->rules[i], i);
    if (!failure && object && gate->rule_count == 0)
        failure = lauka_json_fail(json, "gate.rules", "is empty");
    if (!failure && gate->halves > 0 && gate->halves != json->result->command_count / 2)
        failure = lauka_json_fail(json, "gate.halves", "is not half of the commands");
    return failure;
}

/* ---- all of it --------------------------------------------------------------------------------- */

/* What differs between benchmarks is written with each. */
static int read_own(struct lauka_json *json)
{
    int failure = read_options(json, "options", lauka_json_get(json->own, "options"));
    return failure ? failure : read_warnings(json, lauka_json_get(json->own, "warnings"));
}

int lauka_json_session(struct lauka_json *json, bool streamed)
{
    const bool inside = json->own != json->root;
    int failure = read_shared(json, lauka_json_get(json->root, "run"));
    if (inside)
        snprintf(json->place, sizeof json->place, "benchmarks[%td]",
                 json->result - json->session->benchmarks);
    if (!failure && inside)
        failure = read_own(json);
    if (!failure)
        failure = read_course(json, json->course, streamed);
    if (!failure)
        failure = read_failure(json, lauka_json_get(json->own, "failure"));
    if (!failure)
        failure = read_error(json, json->course);
    if (!failure)
        failure = read_findings(json);
    return failure ? failure : read_gate(json);
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

/* For each round, the unit that it belongs to. */
static int read_unit_numbers(struct lauka_json *json, const cJSON *object,
                             struct lauka_result_units *units)
{
    uint64_t rounds = json->result->run.rounds;
    struct lauka_column column = {.whole = true};
    int failure = lauka_json_runs(json, "units", object, "of", &column);
    if (!failure && (column.series.count != rounds || (rounds > 0 && column.most >= units->count)))
        failure = lauka_json_fail(json, "units.of", "is not a unit for each of these rounds");
    units->of = failure ? NULL : calloc(rounds + 1, sizeof *units->of);
    if (!failure && !units->of)
        failure = ENOMEM;
    for (size_t i = 0; i < rounds && !failure; i++) {
        units->of[i] = (uint32_t)lauka_series_at(&column.series, i);
        if (lauka_series_at(&column.series, i) == LAUKA_MISSING)
            failure = lauka_json_fail(json, "units.of", "is not a unit for each of these rounds");
    }
    lauka_series_done(&column.series);
    return failure;
}

static int read_units(struct lauka_json *json, const cJSON *object,
                      struct lauka_result_units *units)
{
    if (!unit_of(lauka_json_get(object, "kind"), &units->kind))
        return lauka_json_fail(json, "units.kind", "is unknown to this version of lauka");
    if (units->kind == LAUKA_UNIT_ROUND)
        return 0;
    int failure = lauka_json_integer(json, "units", object, "count", &units->count);
    if (!failure && units->count > UINT32_MAX)
        failure = lauka_json_fail(json, "units.count", "too many units");
    bool told = lauka_json_get(object, "of") || lauka_json_get(object, "of_packed");
    return failure || !told ? failure : read_unit_numbers(json, object, units);
}

int lauka_json_units(struct lauka_json *json, const cJSON *object)
{
    struct lauka_result_benchmark *about = &json->result->benchmark;
    const cJSON *within = lauka_json_get(object, "within");
    int failure = object ? read_units(json, object, &about->units) : 0;
    return failure || !within ? failure : read_units(json, within, &about->inner);
}
