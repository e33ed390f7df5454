/* What Criterion.rs writes: names on stdout, and JSON files for each benchmark, in the folder that
 * CRITERION_HOME names. */
#include "runner/suite/suite.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "NAME: benchmark" */
int lauka_criterion_read_list(const char *text, struct lauka_inner_names *names)
{
    static const char mark[] = ": benchmark";
    const size_t mark_length = strlen(mark);
    int error = 0;

    while (*text && !error) {
        size_t length = strcspn(text, "\r\n");
        if (length > mark_length && memcmp(text + length - mark_length, mark, mark_length) == 0)
            error = lauka_inner_names_add(names, text, length - mark_length);
        text += length;
        text += strspn(text, "\r\n");
    }
    return error;
}

/* ---- its files, as one text: a line that names a benchmark, then one of its samples ----------------- */

static char *gathered; /* nftw(3) hands nothing on */

static int gather_one(const char *path, const struct stat *about, int kind, struct FTW *walk)
{
    char folder[4096];

    (void)about;
    if (kind != FTW_F || strcmp(path + walk->base, "benchmark.json") != 0 || walk->base < 5 ||
        strncmp(path + walk->base - 5, "/new/", 5) != 0 || (size_t)walk->base > sizeof folder)
        return 0;
    snprintf(folder, sizeof folder, "%.*s", walk->base - 1, path);
    char *benchmark = lauka_adapter_read_file(folder, "benchmark.json");
    char *sample = lauka_adapter_read_file(folder, "sample.json");
    if (benchmark && sample)
        gathered = lauka_adapter_join(lauka_adapter_join(gathered, benchmark), sample);
    free(benchmark);
    free(sample);
    return gathered == NULL;
}

char *lauka_criterion_gather(const char *folder)
{
    enum { DEPTH = 20 };

    gathered = strdup("");
    if (gathered)
        (void)nftw(folder, gather_one, DEPTH, FTW_PHYS);
    return gathered;
}

/* ---- its samples ------------------------------------------------------------------------------------ */

static double number_at(const cJSON *array, int i)
{
    const cJSON *item = cJSON_GetArrayItem(array, i);

    return cJSON_IsNumber(item) && isfinite(item->valuedouble) ? item->valuedouble : -1;
}

static int read_sample(const cJSON *sample, struct lauka_inner_answers *answers,
                       uint64_t *iterations)
{
    enum { MOST = 100000 };
    const cJSON *counts = cJSON_GetObjectItemCaseSensitive(sample, "iters");
    const cJSON *times = cJSON_GetObjectItemCaseSensitive(sample, "times");
    int size = cJSON_GetArraySize(times), error = 0;

    if (!cJSON_IsArray(counts) || !cJSON_IsArray(times) || cJSON_GetArraySize(counts) != size ||
        size > MOST)
        return EINVAL;
    for (int i = 0; i < size && !error; i++) {
        struct lauka_inner_answer answer = {.cpu_ns = -1};
        double count = number_at(counts, i), ns = number_at(times, i);
        if (count < 1 || count > 1e18 || ns < 0)
            return EINVAL;
        answer.wall_ns = ns / count;
        *iterations = (uint64_t)count;
        error = lauka_inner_answers_add(answers, &answer);
    }
    return error;
}

static bool is_called(const char *line, const char *name)
{
    cJSON *benchmark = cJSON_Parse(line);
    const char *id = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(benchmark, "full_id"));
    bool same = id && strcmp(id, name) == 0;

    cJSON_Delete(benchmark);
    return same;
}

int lauka_criterion_read(const char *text, const char *name, struct lauka_inner_answers *answers,
                         uint64_t *iterations)
{
    int error = 0;

    while (*text && !error) {
        const char *second = text + strcspn(text, "\n");
        second += *second == '\n';
        if (is_called(text, name)) {
            cJSON *sample = cJSON_Parse(second);
            error = read_sample(sample, answers, iterations);
            cJSON_Delete(sample);
        }
        text = second + strcspn(second, "\n");
        text += *text == '\n';
    }
    return error;
}
