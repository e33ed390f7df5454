/* How Criterion.rs is asked, and what it writes: names on stdout, and JSON files for each benchmark, in the folder that
 * CRITERION_HOME names. */
#include "runner/suite/suite.h"
#include "report/load/foreign.h"

#include <cjson/cJSON.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* "NAME: benchmark" */
static int read_list(const char *text, struct lauka_inner_names *names)
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

struct gathering {
    char path[4096]; /* of the folder under way */
    char *text;      /* owned; NULL without memory */
    char *why;       /* what cannot be read */
    size_t size;
};

/* In a folder called "new", which has the files of the last run. */
static void take_benchmark(struct gathering *all)
{
    char *benchmark = lauka_adapter_read_file(all->path, "benchmark.json", all->why, all->size);
    char *sample =
        benchmark ? lauka_adapter_read_file(all->path, "sample.json", all->why, all->size) : NULL;

    if (benchmark && sample)
        all->text = lauka_adapter_join(lauka_adapter_join(all->text, benchmark), sample);
    free(benchmark);
    free(sample);
}

static bool is_folder(const char *path)
{
    struct stat about;

    return lstat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* length: of its path. What lies deeper than a benchmark's files can is not theirs. */
static void visit(struct gathering *all, size_t length, int depth)
{
    enum { DEEPEST = 8 };
    DIR *folder = is_folder(all->path) ? opendir(all->path) : NULL;
    struct dirent *entry;

    if (folder && length > 4 && strcmp(all->path + length - 4, "/new") == 0)
        take_benchmark(all);
    while (folder && depth < DEEPEST && all->text && !*all->why && (entry = readdir(folder))) {
        int more = snprintf(all->path + length, sizeof all->path - length, "/%s", entry->d_name);
        bool own = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
        if (!own && length + (size_t)more < sizeof all->path)
            visit(all, length + (size_t)more, depth + 1);
        all->path[length] = '\0';
    }
    if (folder)
        closedir(folder);
}

static char *gather(const char *folder, char *why, size_t size)
{
    struct gathering *all = calloc(1, sizeof *all);
    char *text = NULL;

    *why = '\0';
    if (!all)
        return NULL;
    all->text = strdup("");
    all->why = why;
    all->size = size;
    if (snprintf(all->path, sizeof all->path, "%s", folder) < (int)sizeof all->path)
        visit(all, strlen(all->path), 0);
    text = *why ? NULL : all->text;
    if (*why)
        free(all->text);
    free(all);
    return text;
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

static int read_run(const char *text, const char *name, struct lauka_inner_answers *answers,
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

/* ---- how it is asked ----------------------------------------------------------------------------- */

static char **list_criterion(const struct lauka_inner_request *request)
{
    char *words[] = {lauka_word_print("--bench"), lauka_word_print("--list")};

    (void)request;
    return lauka_words_collect(words, sizeof words / sizeof *words);
}

/* It takes at least ten samples, beginning with the number of iterations that takes the shortest time. */
static char **run_criterion(const struct lauka_inner_request *request)
{
    enum { LEAST = 10 };
    uint64_t samples = request->rounds < LEAST ? LEAST : request->rounds;
    double seconds = (double)samples * (double)request->round_ns / 1e9;
    bool looks_like_option = request->name && *request->name == '-';
    char *words[] = {
        lauka_word_print("--bench"),
        lauka_word_print("--noplot"),
        lauka_word_print("--warm-up-time=%.6f", (double)request->round_ns / 1e9),
        lauka_word_print("--measurement-time=%.6f", seconds),
        lauka_word_print("--sample-size=%" PRIu64, samples),
        lauka_word_print("--nresamples=1001"),
        request->name ? lauka_word_print("--exact") : lauka_word_print("--color=never"),
        lauka_word_print("%s", !request->name      ? "--verbose"
                               : looks_like_option ? "--"
                                                   : request->name),
        looks_like_option ? lauka_word_print("%s", request->name) : NULL,
    };

    return lauka_words_collect(words, sizeof words / sizeof *words - !looks_like_option);
}

const struct lauka_adapter lauka_criterion_adapter = {.framework = LAUKA_FRAMEWORK_CRITERION,
                                                      .name = "criterion",
                                                      .marks = {"CRITERION_HOME"},
                                                      .tells_more = true,
                                                      .folder_in = "CRITERION_HOME",
                                                      .list = list_criterion,
                                                      .run = run_criterion,
                                                      .gather = gather,
                                                      .read_list = read_list,
                                                      .read_run = read_run};
