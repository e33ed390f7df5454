/* Where the numbers of lauka's own JSON come from: the machine, the time, the state of the sources. */
#include "report/load/json.h"
#include "report/load/loader.h"
#include "report/result/result.h"

#include <cjson/cJSON.h>

int lauka_json_machine(struct lauka_json *json, const cJSON *object, struct lauka_result_host *host)
{
    int failure = object ? lauka_json_check_keys(json, "host", object) : 0;
    if (!failure)
        failure = lauka_json_copy_text(lauka_json_get(object, "os"), &host->os);
    if (!failure)
        failure = lauka_json_copy_text(lauka_json_get(object, "kernel"), &host->kernel);
    if (!failure)
        failure = lauka_json_copy_text(lauka_json_get(object, "arch"), &host->arch);
    if (!failure)
        failure = lauka_json_copy_text(lauka_json_get(object, "cpu_model"), &host->cpu_model);
    if (!failure)
        failure = lauka_json_copy_text(lauka_json_get(object, "cores"), &host->cores);
    if (!failure)
        failure = lauka_json_copy_text(lauka_json_get(object, "governor"), &host->governor);
    if (!failure)
        failure = lauka_json_integer(json, "host", object, "cpu_count", &host->cpu_count);
    return failure ? failure
                   : lauka_json_integer(json, "host", object, "memory_bytes", &host->memory_bytes);
}

static int read_provenance(struct lauka_json *json, const cJSON *object)
{
    static const char path[] = "run.provenance";
    struct lauka_result_provenance *about = &json->result->provenance;
    const struct {
        const char *key;
        char **text;
    } texts[] = {
        {"begin", &about->begin},     {"end", &about->end},
        {"version", &about->version}, {"directory", &about->directory},
        {"commit", &about->commit},   {"branch", &about->branch},
        {"ci", &about->ci},           {"job", &about->job},
        {"url", &about->url},
    };
    int failure = object ? lauka_json_check_keys(json, path, object) : 0;
    for (size_t i = 0; i < sizeof texts / sizeof *texts && !failure; i++)
        failure = lauka_json_bytes(json, path, object, texts[i].key, texts[i].text);
    const cJSON *dirty = lauka_json_get(object, "dirty");
    about->dirty = (struct lauka_optional){cJSON_IsBool(dirty), cJSON_IsTrue(dirty)};
    return failure ? failure
                   : lauka_json_parameters(json, "run.provenance.labels",
                                           lauka_json_get(object, "labels"), &about->labels,
                                           &about->label_count);
}

/* A number from 1 on. */
static int read_number(struct lauka_json *json, const cJSON *object, const char *key,
                       uint64_t *number)
{
    int failure = lauka_json_integer(json, "run.job", object, key, number);
    if (!failure && (*number == 0 || *number > LAUKA_JOBS_MAX))
        failure = lauka_json_fail(json, "run.job", "is not a job of a session");
    return failure;
}

static int read_job(struct lauka_json *json, const cJSON *object)
{
    struct lauka_result_job *job = &json->result->provenance.part;
    if (!object)
        return 0;
    int failure = lauka_json_check_keys(json, "run.job", object);
    if (!failure)
        failure = lauka_json_copy_text(lauka_json_get(object, "session"), &job->session);
    if (!failure)
        failure = lauka_json_copy_text(lauka_json_get(object, "host"), &job->host);
    if (!failure && (!job->session || !job->host))
        failure = lauka_json_fail(json, "run.job", "has no session and host");
    if (!failure)
        failure = read_number(json, object, "number", &job->number);
    if (!failure)
        failure = read_number(json, object, "of", &job->of);
    if (!failure)
        failure = read_number(json, object, "attempt", &job->attempt);
    if (!failure && job->number > job->of)
        failure = lauka_json_fail(json, "run.job", "is not a job of a session");
    return failure;
}

int lauka_json_origin(struct lauka_json *json)
{
    const cJSON *run = lauka_json_get(json->root, "run");
    int failure = lauka_json_machine(json, lauka_json_get(json->root, "host"), &json->result->host);
    if (!failure)
        failure = read_provenance(json, lauka_json_get(run, "provenance"));
    return failure ? failure : read_job(json, lauka_json_get(run, "job"));
}
