/* A document of JSON: which kind it is; of lauka's own the version, the benchmarks and which results belong to which.
 * Each result becomes a tree when its turn comes. */
#include "report/load/json.h"
#include "report/load/load.h"
#include "report/load/loader.h"
#include "report/result/merged.h"
#include "report/result/record.h"
#include "report/result/result.h"
#include "report/result/session.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAJOR = 2 };

/* ---- parts of the document -------------------------------------------------------------------- */

/* The number of the line, from 1. */
static size_t line_of(const char *text, const char *place)
{
    size_t line = 1;
    for (; text < place; text++)
        line += *text == '\n';
    return line;
}

/* The tree of a part of the document, owned by the caller. outermost: as in lauka_json_text_make. */
static bool parse_part(struct lauka_json *json, const struct lauka_json_array *part, bool outermost,
                       cJSON **tree)
{
    const char *end = NULL;
    if (!lauka_json_check(
            json, lauka_json_text_make(json->stored, part, outermost, &json->text, json->error)))
        return false;
    const char *text = json->text.text;
    *tree = cJSON_ParseWithLengthOpts(text, json->text.size + 1, &end, true);
    if (*tree)
        return true;
    bool cut = end && !*end && part->end == json->stored->size;
    return lauka_json_check(
        json, lauka_load_fail(json->stored, part->line - 1 + line_of(text, end ? end : text),
                              json->error, "this is not JSON%s", cut ? ": it ends too early" : ""));
}

/* ---- results, one by one --------------------------------------------------------------------- */

static bool check_entry(struct lauka_json *json)
{
    char path[LAUKA_PATH_SIZE];
    snprintf(path, sizeof path, "results[%zu]", json->entry_count);
    return json->entry_count++ == LAUKA_LOAD_COMMANDS
               ? lauka_json_fail(json, path, "too many results")
               : lauka_json_check_object(json, path, json->entry);
}

/* Makes json->entry the next of `results`; whoever takes it sets it to NULL. At their end it stays NULL. */
static bool next_entry(struct lauka_json *json)
{
    return json->entry || !lauka_json_elements_next(json->stored, &json->entries, &json->part) ||
           (parse_part(json, &json->part, false, &json->entry) && check_entry(json));
}

/* The bytes and parts of the results already taken no longer count. */
static void forget_entries(struct lauka_json *json)
{
    const struct lauka_stored *stored = json->stored;
    size_t end = json->entry ? json->part.begin : json->entries.rest.begin;
    json->text.nodes = 0;
    if (stored->forget && end > json->passed)
        stored->forget(stored->bytes + json->passed, end - json->passed);
    json->passed = end;
}

/* ---- jobs and hosts, where it is merged of several -------------------------------------------- */

/* How many objects; 0: it is no array of 1 to LAUKA_JOBS_MAX of them. */
static size_t count_of(const cJSON *array)
{
    size_t count = cJSON_IsArray(array) ? (size_t)cJSON_GetArraySize(array) : 0;
    for (const cJSON *item = array ? array->child : NULL; item; item = item->next)
        if (!cJSON_IsObject(item))
            return 0;
    return count <= LAUKA_JOBS_MAX ? count : 0;
}

/* What the benchmark has of each host. */
static bool read_shares(struct lauka_json *json, const cJSON *array)
{
    struct lauka_merged_host *host = json->result->merged.hosts;
    if (count_of(array) != json->result->merged.host_count)
        return lauka_json_fail(json, "hosts", "are not those of the session");
    for (const cJSON *item = array->child; item; item = item->next, host++) {
        host->stopped = (int)lauka_json_stopped(lauka_json_get(item, "stopped"));
        if (!lauka_json_integer(json, "hosts", item, "rounds", &host->rounds))
            return false;
        if (host->rounds > LAUKA_LOAD_COUNTS / LAUKA_JOBS_MAX)
            return lauka_json_fail(json, "hosts", "have too many rounds");
    }
    return true;
}

static bool check_jobs(struct lauka_json *json, const struct lauka_result *result)
{
    const struct lauka_result_merged *merged = &result->merged;
    if (result->provenance.part.number > result->provenance.part.of)
        return lauka_json_fail(json, "run.job", "is not a job of a session");
    if (merged->session && (merged->host_count == 0 || merged->job_count == 0))
        return lauka_json_fail(json, "run.merged", "is no session with jobs and hosts");
    for (size_t j = 0; j < merged->job_count; j++)
        if (merged->jobs[j].host >= merged->host_count || merged->jobs[j].number > merged->of)
            return lauka_json_fail(json, "run.merged",
                                   "a job is none of the session, or on no host");
    return true;
}

/* Where it comes from, and on which hosts it was measured, which all that follows depends on; item: the benchmark's, of
 * `benchmarks`. */
static bool read_origin(struct lauka_json *json, const cJSON *item)
{
    const cJSON *run = lauka_json_get(json->root, "run");
    return (!run || lauka_json_record(json, "run", run, &lauka_origin_record, json->result)) &&
           check_jobs(json, json->result) &&
           (!json->result->merged.session || read_shares(json, lauka_json_get(item, "hosts")));
}

/* Whether the rounds are those of one host after the other. */
static bool are_in_order(const struct lauka_result *result)
{
    const struct lauka_result_units *units = &result->benchmark.units;
    uint64_t at = 0;
    for (size_t h = 0; h < result->merged.host_count; h++)
        for (uint64_t i = 0; i < result->merged.hosts[h].rounds; i++)
            if (units->of[at++] != h)
                return false;
    return true;
}

/* Whether hosts agree with rounds and units, when these are known. */
static bool check_merged(struct lauka_json *json)
{
    const struct lauka_result *result = json->result;
    const struct lauka_result_merged *merged = &result->merged;
    const bool kept = !result->run.samples_left_out;
    uint64_t rounds = 0;
    for (size_t h = 0; h < merged->host_count; h++)
        rounds += merged->hosts[h].rounds;
    if (!merged->session)
        return true;
    if (rounds != result->run.rounds || result->run.unpaired)
        return lauka_json_fail(json, "hosts", "have other rounds than the benchmark");
    if (lauka_result_has_hosts(result) &&
        (result->benchmark.units.kind != LAUKA_UNIT_HOST ||
         (kept && (!result->benchmark.units.of || !are_in_order(result)))))
        return lauka_json_fail(json, "units", "are not the hosts, one after the other");
    return true;
}

/* ---- names ----------------------------------------------------------------------------------- */

static bool read_description(struct lauka_json *json, const cJSON *item, bool several)
{
    struct lauka_result_benchmark *about = &json->result->benchmark;
    if (!lauka_json_check_object(json, "", item) ||
        !lauka_json_bytes(json, "", item, "name", &about->name))
        return false;
    if (several && !about->name)
        return lauka_json_fail(json, "name", "is missing");
    return lauka_json_parameters(json, "parameters", lauka_json_get(item, "parameters"),
                                 &about->parameters, &about->parameter_count);
}

static int by_name(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static bool check_names(struct lauka_json *json)
{
    const struct lauka_session *session = json->session;
    const char **names = calloc(session->benchmark_count, sizeof *names), *twice = NULL;
    char quoted[LAUKA_QUOTE_SIZE];
    if (!lauka_json_has(json, names))
        return false;
    for (size_t b = 0; b < session->benchmark_count; b++)
        names[b] = session->benchmarks[b].benchmark.name;
    qsort(names, session->benchmark_count, sizeof *names, by_name);
    for (size_t b = 1; b < session->benchmark_count && !twice; b++)
        twice = strcmp(names[b - 1], names[b]) == 0 ? names[b] : NULL;
    free(names);
    return !twice || lauka_json_fail(json, "benchmarks", "two of them are called %s",
                                     lauka_load_quote(twice, strlen(twice), quoted));
}

static void set_place(struct lauka_json *json, size_t benchmark)
{
    snprintf(json->place, sizeof json->place, "benchmarks[%zu]", benchmark);
}

/* Files of version 1.0 have no such array. */
static bool read_descriptions(struct lauka_json *json, const cJSON *array, bool several)
{
    size_t count = array ? (size_t)cJSON_GetArraySize(array) : 1, b = 0;
    bool good = true;
    if ((array && !cJSON_IsArray(array)) || count == 0 || count > LAUKA_LOAD_COMMANDS ||
        (several ? !array : count > 1))
        return lauka_json_fail(json, "benchmarks",
                               several ? "is not an array of benchmarks"
                                       : "a file of version 1 holds one benchmark");
    if (!lauka_json_check(json, lauka_session_init(json->session, count)))
        return false;
    for (const cJSON *item = array ? array->child : NULL; item && good; item = item->next) {
        json->result = &json->session->benchmarks[b];
        set_place(json, b++);
        good = read_description(json, item, several);
        json->place[0] = 0;
    }
    return good && (!several || check_names(json));
}

/* ---- whose results they are ------------------------------------------------------------------ */

/* The name of the benchmark that the entry belongs to; owned by the caller, NULL: it does not say. */
static bool name_benchmark(struct lauka_json *json, const cJSON *entry, size_t place, char **name)
{
    char path[LAUKA_PATH_SIZE];
    *name = NULL;
    snprintf(path, sizeof path, "results[%zu]", place);
    return lauka_json_bytes(json, path, entry, "benchmark", name);
}

/* Moves the entries of the benchmark, which come next, into an array of their own. An entry that does not say belongs to
 * the only one. */
static bool take_results(struct lauka_json *json, size_t benchmark, cJSON *own)
{
    const char *wanted = json->session->benchmarks[benchmark].benchmark.name;
    char *name;
    for (size_t count = 0; next_entry(json) && json->entry; count++) {
        bool good = name_benchmark(json, json->entry, json->first + count, &name);
        bool found = name && wanted ? strcmp(name, wanted) == 0
                                    : !name && json->session->benchmark_count == 1;
        free(name);
        if (!good || !found)
            return good;
        cJSON_AddItemToArray(own, json->entry);
        json->entry = NULL;
    }
    return !json->failure;
}

/* What follows a benchmark's results belongs to the next one. Always returns false. */
static bool refuse_entry(struct lauka_json *json)
{
    char path[LAUKA_PATH_SIZE], quoted[LAUKA_QUOTE_SIZE], *name;
    snprintf(path, sizeof path, "results[%zu]%s", json->first, json->entry ? ".benchmark" : "");
    if (!name_benchmark(json, json->entry, json->first, &name))
        return false;
    if (!name)
        lauka_json_fail(json, path, "is missing");
    else if (lauka_session_find(json->session, name) < json->session->benchmark_count)
        lauka_json_fail(json, path,
                        "the results of a benchmark stand together, in the order of `benchmarks`");
    else
        lauka_json_fail(json, path, "there is no benchmark %s",
                        lauka_load_quote(name, strlen(name), quoted));
    free(name);
    return false;
}

/* ---- sides ----------------------------------------------------------------------------------- */

static const char *side_of(const struct lauka_result *result, size_t command)
{
    const struct lauka_result_command *about = &result->commands[command];
    return about->side ? about->side : about->label;
}

static bool check_sides(struct lauka_json *json)
{
    const struct lauka_result *first = &json->session->benchmarks[0], *result = json->result;
    char path[LAUKA_PATH_SIZE];
    if (result->command_count != first->command_count)
        return lauka_json_fail(json, "", "has %zu sides where the first benchmark has %zu",
                               result->command_count, first->command_count);
    json->place[0] = 0;
    for (size_t c = 0; c < result->command_count; c++)
        if (strcmp(side_of(first, c), side_of(result, c)) != 0)
            return lauka_json_fail(json, lauka_json_name(json, c, ".side", path),
                                   "differs from that of the first benchmark");
    return true;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* If single values were not kept, `samples` is false. */
static bool is_streamed(const struct lauka_json *json)
{
    return cJSON_IsObject(json->course) && cJSON_IsFalse(lauka_json_get(json->course, "samples"));
}

static bool read_parts(struct lauka_json *json, size_t benchmark, const cJSON *item)
{
    const bool streamed = is_streamed(json);
    if (!json->results->child)
        return refuse_entry(json);
    if (!read_origin(json, item) || !lauka_json_results(json, streamed) ||
        !lauka_json_session(json, streamed) || !check_sides(json))
        return false;
    if (!item)
        return true;
    set_place(json, benchmark);
    return lauka_json_units(json, lauka_json_get(item, "units")) && check_merged(json);
}

static bool read_benchmark(struct lauka_json *json, size_t benchmark, const cJSON *item)
{
    cJSON *own = cJSON_CreateArray();
    json->result = &json->session->benchmarks[benchmark];
    json->results = own;
    bool good = lauka_json_has(json, own) && take_results(json, benchmark, own) &&
                read_parts(json, benchmark, item);
    json->place[0] = 0;
    json->first += json->result->command_count;
    cJSON_Delete(own);
    forget_entries(json);
    return good;
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

static bool spend_shared(struct lauka_json *json)
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

static bool read_benchmarks(struct lauka_json *json, bool several)
{
    const cJSON *array = lauka_json_get(json->root, "benchmarks");
    if (!read_descriptions(json, array, several) || !spend_shared(json))
        return false;
    const cJSON *item = array ? array->child : NULL;
    for (size_t b = 0; b < json->session->benchmark_count; b++) {
        if (several)
            json->own = json->course = item;
        if (!read_benchmark(json, b, item))
            return false;
        item = item ? item->next : NULL;
    }
    return !json->entry || refuse_entry(json);
}

/* "lauka-result/1.0": readers ignore unknown keys, and refuse a higher major number. */
static bool load_lauka(struct lauka_json *json)
{
    static const char name[] = "lauka-result/";
    const char *schema = cJSON_GetStringValue(lauka_json_get(json->root, "schema"));
    const bool ours = schema && strncmp(schema, name, strlen(name)) == 0;
    const char *number = ours ? schema + strlen(name) : "";
    char *end = NULL;
    unsigned long major = strtoul(number, &end, 10);
    if (end == number || *end != '.' || major == 0)
        return lauka_json_fail(json, "schema", "is not lauka-result/1.0");
    if (major > MAJOR)
        return lauka_json_fail(json, "schema",
                               "is newer than this lauka, which reads versions 1 and 2");
    return read_benchmarks(json, major > 1);
}

/* ---- which kind it is ------------------------------------------------------------------------- */

static bool parse_document(struct lauka_json *json)
{
    const struct lauka_stored *stored = json->stored;
    const struct lauka_json_array all = {0, stored->size, 1};
    const char *nul = memchr(stored->bytes, 0, stored->size);
    if (nul)
        lauka_json_check(json, lauka_load_fail(stored, line_of(stored->bytes, nul), json->error,
                                               "a zero byte is no part of JSON"));
    return !nul && parse_part(json, &all, true, &json->root);
}

/* What --config writes for several suites. */
static bool is_suites(const cJSON *root)
{
    const char *schema = cJSON_GetStringValue(lauka_json_get(root, "schema"));
    return schema && strncmp(schema, "lauka-suites/", strlen("lauka-suites/")) == 0;
}

/* What is wrong with the document as a whole; NULL: nothing. */
static const char *refuse_document(const cJSON *root, const struct lauka_json_array *results)
{
    if (is_suites(root))
        return "holds the results of several suites, but one is expected: "
               "jq '.suites[0].result' takes out the first";
    return cJSON_IsObject(root) && results ? NULL : "is JSON, but no result of lauka or hyperfine";
}

static bool check_results(struct lauka_json *json)
{
    const struct lauka_json_array *array =
        lauka_json_array(&json->text, cJSON_GetStringValue(lauka_json_get(json->root, "results")));
    const char *reason = refuse_document(json->root, array);
    if (reason)
        return lauka_json_check(json, lauka_load_fail(json->stored, 0, json->error, "%s", reason));
    json->own = json->root;
    json->course = lauka_json_get(json->root, "run");
    json->entries = lauka_json_elements_begin(json->stored, array);
    json->passed = json->entries.rest.begin;
    return lauka_json_check_keys(json, "the document", json->root) &&
           (json->entries.more || lauka_json_fail(json, "results", "is empty"));
}

static bool read_hyperfine(struct lauka_json *json, bool second, cJSON *results)
{
    json->results = results;
    while (next_entry(json) && json->entry) {
        cJSON_AddItemToArray(results, json->entry);
        json->entry = NULL;
    }
    return !json->failure &&
           (second ? lauka_load_hyperfine_2(json) : lauka_load_hyperfine_1(json)) &&
           lauka_json_check(json, lauka_result_tell_apart(json->result));
}

static bool load_hyperfine(struct lauka_json *json)
{
    const cJSON *version = lauka_json_get(json->root, "schema_version");
    if (version && !(cJSON_IsNumber(version) && version->valuedouble == 2))
        return lauka_json_fail(json, "schema_version", "only 2, hyperfine's, is known");
    if (!lauka_json_check(json, lauka_session_init(json->session, 1)))
        return false;
    json->result = &json->session->benchmarks[0];
    cJSON *results = cJSON_CreateArray();
    bool good = lauka_json_has(json, results) && read_hyperfine(json, version, results);
    json->result->run.unpaired |= json->result->command_count > 1; /* one after the other */
    cJSON_Delete(results);
    return good;
}

int lauka_load_json(const struct lauka_stored *stored, struct lauka_session *session,
                    struct lauka_load_error *error)
{
    struct lauka_json json = {
        .stored = stored, .error = error, .session = session, .values_left = LAUKA_LOAD_ROOM};
    if (parse_document(&json) && check_results(&json))
        (void)(lauka_json_get(json.root, "schema") ? load_lauka(&json) : load_hyperfine(&json));
    cJSON_Delete(json.root);
    cJSON_Delete(json.entry);
    lauka_json_text_done(&json.text);
    return json.failure;
}
