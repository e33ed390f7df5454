/* A session of several jobs in lauka's own JSON: which jobs, on which hosts. What each host found is computed
 * again. */
#include "report/load/json.h"
#include "report/load/loader.h"
#include "report/result/merged.h"
#include "report/result/record.h"
#include "report/result/result.h"

#include <cjson/cJSON.h>

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
    int failure = lauka_json_record(json, path, object, &lauka_merged_record, merged);
    if (!failure && (merged->host_count == 0 || merged->job_count == 0))
        failure = lauka_json_fail(json, path, "is no session with jobs and hosts");
    for (size_t j = 0; j < merged->job_count && !failure; j++)
        if (merged->jobs[j].host >= merged->host_count || merged->jobs[j].number > merged->of)
            failure = lauka_json_fail(json, path, "a job is none of the session, or on no host");
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
