/* What Criterion.rs writes: names on stdout, and JSON files for each benchmark, in the folder that
 * CRITERION_HOME names. */
#include "runner/suite/suite.h"
#include "report/load/foreign.h"

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

static double number_of(const cJSON *item)
{
    return cJSON_IsNumber(item) && isfinite(item->valuedouble) ? item->valuedouble : -1;
}

/* Its writer has null in place of NaN. */
static int refuse(const cJSON *item, struct lauka_inner_answers *answers)
{
    const char *word = cJSON_IsNull(item) ? "NaN" : lauka_foreign_not_finite(item);

    return word ? lauka_inner_answers_refuse(answers, "time", word) : EINVAL;
}

static int read_sample(const cJSON *sample, struct lauka_inner_answers *answers,
                       uint64_t *iterations)
{
    enum { MOST = 100000 };
    const cJSON *counts = cJSON_GetObjectItemCaseSensitive(sample, "iters");
    const cJSON *times = cJSON_GetObjectItemCaseSensitive(sample, "times");
    int size = cJSON_GetArraySize(times), error = 0;
    const cJSON *own_count = counts ? counts->child : NULL, *item;

    if (!cJSON_IsArray(counts) || !cJSON_IsArray(times) || cJSON_GetArraySize(counts) != size ||
        size > MOST)
        return EINVAL;
    for (item = times->child; item && !error; item = item->next, own_count = own_count->next) {
        struct lauka_inner_answer answer = {.cpu_ns = -1};
        double count = number_of(own_count), ns = number_of(item);
        if (ns < 0)
            return refuse(item, answers);
        if (count < 1 || count > 1e18)
            return EINVAL;
        answer.wall_ns = ns / count;
        *iterations = (uint64_t)count;
        error = lauka_inner_answers_add(answers, &answer);
    }
    return error;
}

static int check_name(const char *line, const char *name, bool *same)
{
    cJSON *benchmark;
    int error = lauka_foreign_parse(line, strcspn(line, "\n"), &benchmark);
    const char *id = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(benchmark, "full_id"));

    *same = id && strcmp(id, name) == 0;
    cJSON_Delete(benchmark);
    return error;
}

int lauka_criterion_read(const char *text, const char *name, struct lauka_inner_answers *answers,
                         uint64_t *iterations)
{
    int error = 0;

    while (*text && !error) {
        const char *second = text + strcspn(text, "\n");
        bool same = false;
        second += *second == '\n';
        error = check_name(text, name, &same);
        if (same && !error) {
            cJSON *sample;
            error = lauka_foreign_parse(second, strcspn(second, "\n"), &sample);
            if (!error)
                error = read_sample(sample, answers, iterations);
            cJSON_Delete(sample);
        }
        text = second + strcspn(second, "\n");
        text += *text == '\n';
    }
    return error;
}
