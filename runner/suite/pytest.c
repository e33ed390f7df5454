/* What pytest-benchmark writes: one file of JSON about all tests that were run. */
#include "runner/suite/suite.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- its folder ------------------------------------------------------------------------------------- */

/* pytest runs tests in the order of their files; the first one may warm up the others. */
int lauka_pytest_furnish(const struct lauka_inner_request *request)
{
    char path[400];

    snprintf(path, sizeof path, "%s/lauka_shuffle.py", request->folder);
    FILE *file = fopen(path, "w");
    if (!file)
        return errno;
    fprintf(file,
            "import random\n"
            "def pytest_collection_modifyitems(items):\n"
            "    random.Random(%" PRIu64 ").shuffle(items)\n",
            request->seed);
    return fclose(file) == 0 ? 0 : errno;
}

char *lauka_pytest_gather(const char *folder, char *why, size_t size)
{
    char *text = lauka_adapter_read_file(folder, "benchmarks.json", why, size);

    return text ? text : strdup("");
}

/* ---- its names: "FOLDERS/FILE.py::TEST[PARAMETERS]" ------------------------------------------------- */

static const char *name_of(const cJSON *entry)
{
    const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(entry, "fullname"));

    return name ? name : "";
}

/* Of the name: the folders that all names begin with, in which the two sides differ. */
static size_t common_folders(const cJSON *entries)
{
    const char *first = NULL;
    size_t common = 0;
    const cJSON *entry;

    cJSON_ArrayForEach(entry, entries)
    {
        const char *name = name_of(entry);
        size_t same = 0;
        if (!first) {
            const char *end = strstr(name, "::");
            first = name;
            common = end ? (size_t)(end - name) : 0;
        }
        while (same < common && name[same] == first[same])
            same++;
        common = same;
    }
    while (common > 0 && first[common - 1] != '/')
        common--;
    return common;
}

static int read_list(const cJSON *entries, struct lauka_inner_names *names)
{
    size_t common = common_folders(entries);
    const cJSON *entry;
    int error = 0;

    cJSON_ArrayForEach(entry, entries)
    {
        const char *name = name_of(entry) + common;
        if (!error && *name)
            error = lauka_inner_names_add(names, name, strlen(name));
    }
    return error;
}

int lauka_pytest_read_list(const char *text, struct lauka_inner_names *names)
{
    cJSON *json = cJSON_Parse(text);
    const cJSON *entries = cJSON_GetObjectItemCaseSensitive(json, "benchmarks");
    int error = cJSON_IsArray(entries) ? read_list(entries, names) : EINVAL;

    cJSON_Delete(json);
    return error;
}

/* ---- its times: s, of an iteration each ------------------------------------------------------------- */

static int read_entry(const cJSON *entry, struct lauka_inner_answers *answers, uint64_t *iterations)
{
    const cJSON *stats = cJSON_GetObjectItemCaseSensitive(entry, "stats"), *item;
    const cJSON *times = cJSON_GetObjectItemCaseSensitive(stats, "data");
    const cJSON *count = cJSON_GetObjectItemCaseSensitive(stats, "iterations");
    int error = 0;

    if (!cJSON_IsArray(times) || !cJSON_IsNumber(count) ||
        !(count->valuedouble >= 1 && count->valuedouble < 1e18))
        return EINVAL;
    *iterations = (uint64_t)count->valuedouble;
    cJSON_ArrayForEach(item, times)
    {
        struct lauka_inner_answer answer = {.cpu_ns = -1, .wall_ns = item->valuedouble * 1e9};
        if (error || !cJSON_IsNumber(item) || !isfinite(answer.wall_ns) || answer.wall_ns < 0)
            return error ? error : EINVAL;
        error = lauka_inner_answers_add(answers, &answer);
    }
    return error;
}

int lauka_pytest_read(const char *text, const char *name, struct lauka_inner_answers *answers,
                      uint64_t *iterations)
{
    cJSON *json = cJSON_Parse(text);
    const cJSON *entries = cJSON_GetObjectItemCaseSensitive(json, "benchmarks"), *entry;
    size_t common = common_folders(entries);
    int error = cJSON_IsArray(entries) ? 0 : EINVAL;

    cJSON_ArrayForEach(entry, entries)
    {
        const char *own = name_of(entry);
        if (!error && strlen(own) >= common && strcmp(own + common, name) == 0)
            error = read_entry(entry, answers, iterations);
    }
    cJSON_Delete(json);
    return error;
}
