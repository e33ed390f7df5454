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
#include <errno.h>
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
static int parse_part(struct lauka_json *json, const struct lauka_json_array *part, bool outermost,
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
    return lauka_load_fail(json->stored, part->line - 1 + line_of(text, end ? end : text),
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

/* Makes json->entry the next of `results`; whoever takes it sets it to NULL. At their end it stays NULL. */
static int next_entry(struct lauka_json *json)
{
    if (json->entry || !lauka_json_elements_next(json->stored, &json->entries, &json->part))
        return 0;
    int failure = parse_part(json, &json->part, false, &json->entry);
    return failure ? failure : check_entry(json);
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
static int read_shares(struct lauka_json *json, const cJSON *array)
{
    struct lauka_result_merged *merged = &json->result->merged;
    struct lauka_merged_host *host = merged->hosts;
    int failure = 0;
    if (count_of(array) != merged->host_count)
        return lauka_json_fail(json, "hosts", "are not those of the session");
    for (const cJSON *item = array->child; item && !failure; item = item->next, host++) {
        host->stopped = (int)lauka_json_stopped(lauka_json_get(item, "stopped"));
        failure = lauka_json_integer(json, "hosts", item, "rounds", &host->rounds);
        if (!failure && host->rounds > LAUKA_LOAD_COUNTS / LAUKA_JOBS_MAX)
            failure = lauka_json_fail(json, "hosts", "have too many rounds");
    }
    return failure;
}

static int check_jobs(struct lauka_json *json, const struct lauka_result *result)
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
    return 0;
}

/* Where it comes from, and on which hosts it was measured, which all that follows depends on; item: the benchmark's, of
 * `benchmarks`. */
static int read_origin(struct lauka_json *json, const cJSON *item)
{
    const cJSON *run = lauka_json_get(json->root, "run");
    int failure = run ? lauka_json_record(json, "run", run, &lauka_origin_record, json->result) : 0;
    if (!failure)
        failure = check_jobs(json, json->result);
    return failure || !json->result->merged.session
               ? failure
               : read_shares(json, lauka_json_get(item, "hosts"));
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
static int check_merged(struct lauka_json *json)
{
    const struct lauka_result *result = json->result;
    const struct lauka_result_merged *merged = &result->merged;
    const bool kept = !result->run.samples_left_out;
    uint64_t rounds = 0;
    for (size_t h = 0; h < merged->host_count; h++)
        rounds += merged->hosts[h].rounds;
    if (!merged->session)
        return 0;
    if (rounds != result->run.rounds || result->run.unpaired)
        return lauka_json_fail(json, "hosts", "have other rounds than the benchmark");
    if (!lauka_result_has_hosts(result))
        return 0;
    if (result->benchmark.units.kind != LAUKA_UNIT_HOST ||
        (kept && (!result->benchmark.units.of || !are_in_order(result))))
        return lauka_json_fail(json, "units", "are not the hosts, one after the other");
    return 0;
}

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
        int failure = next_entry(json);
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
        failure = read_origin(json, item);
    if (!failure)
        failure = lauka_json_benchmark(json);
    if (!failure)
        failure = check_sides(json);
    if (!failure && item) {
        set_place(json, benchmark);
        failure = lauka_json_units(json, lauka_json_get(item, "units"));
        failure = failure ? failure : check_merged(json);
    }
    json->place[0] = 0;
    json->first += json->result->command_count;
    cJSON_Delete(own);
    forget_entries(json);
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

static int load_lauka(struct lauka_json *json)
{
    unsigned long major = 0;
    int failure = check_schema(json, &major);
    return failure ? failure : read_benchmarks(json, major > 1);
}

/* ---- which kind it is ------------------------------------------------------------------------- */

static int parse_document(struct lauka_json *json)
{
    const struct lauka_stored *stored = json->stored;
    const struct lauka_json_array all = {0, stored->size, 1};
    const char *nul = memchr(stored->bytes, 0, stored->size);
    if (nul)
        return lauka_load_fail(stored, line_of(stored->bytes, nul), json->error,
                               "a zero byte is no part of JSON");
    return parse_part(json, &all, true, &json->root);
}

static int take_all(struct lauka_json *json, cJSON **array)
{
    *array = cJSON_CreateArray();
    int failure = *array ? next_entry(json) : ENOMEM;
    while (!failure && json->entry) {
        cJSON_AddItemToArray(*array, json->entry);
        json->entry = NULL;
        failure = next_entry(json);
    }
    return failure;
}

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
        failure = lauka_json_get(json.root, "schema") ? load_lauka(&json) : load_hyperfine(&json);
    cJSON_Delete(json.root);
    cJSON_Delete(json.entry);
    lauka_json_text_done(&json.text);
    return failure;
}
