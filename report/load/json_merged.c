/* A session of several jobs in lauka's own JSON: which jobs, on which hosts. What each host found is computed
 * again. */
#include "report/load/json.h"
#include "report/load/loader.h"
#include "report/result/merged.h"
#include "report/result/result.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdlib.h>

static const char path[] = "run.merged";

/* How many objects; 0: it is no array of 1 to LAUKA_JOBS_MAX of them. */
static size_t count_of(const cJSON *array)
{
    size_t count = cJSON_IsArray(array) ? (size_t)cJSON_GetArraySize(array) : 0;
    for (const cJSON *item = array ? array->child : NULL; item; item = item->next)
        if (!cJSON_IsObject(item))
            return 0;
    return count <= LAUKA_JOBS_MAX ? count : 0;
}

static int read_host(struct lauka_json *json, const cJSON *item, struct lauka_merged_host *host)
{
    int failure = lauka_json_copy_text(lauka_json_get(item, "name"), &host->name);
    if (!failure && !host->name)
        failure = lauka_json_fail(json, path, "a host has no name");
    host->about = failure ? NULL : calloc(1, sizeof *host->about);
    if (!failure && !host->about)
        failure = ENOMEM;
    return failure ? failure
                   : lauka_json_machine(json, lauka_json_get(item, "machine"), host->about);
}

static int read_job(struct lauka_json *json, const cJSON *item, struct lauka_merged_job *job)
{
    const struct lauka_result_merged *merged = &json->result->merged;
    uint64_t host = 0;
    int failure = lauka_json_integer(json, path, item, "number", &job->number);
    if (!failure)
        failure = lauka_json_integer(json, path, item, "attempt", &job->attempt);
    if (!failure)
        failure = lauka_json_integer(json, path, item, "host", &host);
    if (!failure)
        failure = lauka_json_integer(json, path, item, "seed", &job->seed);
    if (!failure && (host >= merged->host_count || job->number == 0 || job->number > merged->of))
        failure = lauka_json_fail(json, path, "a job is none of the session, or on no host");
    job->host = (size_t)host;
    if (!failure)
        failure = lauka_json_copy_text(lauka_json_get(item, "begin"), &job->begin);
    return failure ? failure : lauka_json_copy_text(lauka_json_get(item, "end"), &job->end);
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

static int read_session(struct lauka_json *json, const cJSON *object)
{
    struct lauka_result_merged *merged = &json->result->merged;
    const cJSON *hosts = lauka_json_get(object, "hosts"), *jobs = lauka_json_get(object, "jobs");
    int failure = lauka_json_check_keys(json, path, object);
    if (!failure)
        failure = lauka_json_copy_text(lauka_json_get(object, "session"), &merged->session);
    if (!failure)
        failure = lauka_json_integer(json, path, object, "of", &merged->of);
    if (failure)
        return failure;
    merged->host_count = count_of(hosts);
    merged->job_count = count_of(jobs);
    if (!merged->session || merged->host_count == 0 || merged->job_count == 0 ||
        merged->of > LAUKA_JOBS_MAX) {
        merged->host_count = merged->job_count = 0;
        return lauka_json_fail(json, path, "is no session with jobs and hosts");
    }
    merged->hosts = calloc(merged->host_count, sizeof *merged->hosts);
    merged->jobs = calloc(merged->job_count, sizeof *merged->jobs);
    if (!merged->hosts || !merged->jobs)
        return ENOMEM;
    size_t place = 0;
    for (const cJSON *item = hosts->child; item && !failure; item = item->next)
        failure = read_host(json, item, &merged->hosts[place++]);
    place = 0;
    for (const cJSON *item = jobs->child; item && !failure; item = item->next)
        failure = read_job(json, item, &merged->jobs[place++]);
    return failure;
}

int lauka_json_merged(struct lauka_json *json, const cJSON *item)
{
    const cJSON *object = lauka_json_get(lauka_json_get(json->root, "run"), "merged");
    int failure = object ? read_session(json, object) : 0;
    return failure || !object ? failure : read_shares(json, lauka_json_get(item, "hosts"));
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

int lauka_json_check_merged(struct lauka_json *json)
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
