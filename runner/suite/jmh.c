/* How JMH is asked, by its own command line in a jar, and what it writes: names on stdout, and one file of JSON. */
#include "runner/suite/suite.h"
#include "report/load/foreign.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define FILE_NAME "jmh.json"

/* "Benchmarks:", and a name on each line after it. */
static int read_list(const char *text, struct lauka_inner_names *names)
{
    const char *begin = strstr(text, "Benchmarks:");
    int error = begin ? 0 : EINVAL;

    for (text = begin ? begin + strcspn(begin, "\n") : ""; *text && !error;) {
        text += strspn(text, " \t\r\n");
        size_t length = strcspn(text, " \t\r\n");
        if (length > 0)
            error = lauka_inner_names_add(names, text, length);
        text += length;
    }
    return error;
}

/* "" where it only listed names: then what it wrote to stdout is taken. */
static char *gather(const char *folder, char *why, size_t size)
{
    char *text = lauka_adapter_read_file(folder, FILE_NAME, why, size);

    return text || *why ? text : strdup("");
}

/* Nanoseconds of an operation, a round each; of all forks. */
static int read_rounds(const cJSON *entry, struct lauka_inner_answers *answers)
{
    const cJSON *metric = cJSON_GetObjectItemCaseSensitive(entry, "primaryMetric");
    const cJSON *forks = cJSON_GetObjectItemCaseSensitive(metric, "rawData"), *fork, *item;
    const char *unit = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(metric, "scoreUnit"));
    int error = cJSON_IsArray(forks) && unit && strcmp(unit, "ns/op") == 0 ? 0 : EINVAL;

    for (fork = error ? NULL : forks->child; fork && !error; fork = fork->next)
        for (item = fork->child; item && !error; item = item->next) {
            struct lauka_inner_answer answer = {.cpu_ns = -1, .wall_ns = item->valuedouble};
            const char *fault = cJSON_IsNumber(item) ? lauka_inner_fault(answer.wall_ns, 0) : "NaN";
            error = fault ? lauka_inner_answers_refuse(answers, "time", fault)
                          : lauka_inner_answers_add(answers, &answer);
        }
    return error;
}

static int read_entries(const cJSON *entries, const char *name, struct lauka_inner_answers *answers)
{
    const cJSON *entry, *found = NULL;

    for (entry = entries->child; entry; entry = entry->next) {
        const char *own =
            cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(entry, "benchmark"));
        if (!own || strcmp(own, name) != 0)
            continue;
        if (found) {
            snprintf(
                answers->why, sizeof answers->why,
                "has several values of its @Param: choose one behind the jar, as in `-p size=10`");
            return EINVAL;
        }
        found = entry;
    }
    if (!found)
        snprintf(answers->why, sizeof answers->why, "failed: JMH wrote no result of it");
    return found ? read_rounds(found, answers) : EINVAL;
}

static int read_run(const char *text, const char *name, struct lauka_inner_answers *answers,
                    uint64_t *iterations)
{
    cJSON *entries;
    int error = lauka_foreign_parse(text, strlen(text), &entries);

    *iterations = 1;
    if (!error)
        error = cJSON_IsArray(entries) ? read_entries(entries, name, answers) : EINVAL;
    cJSON_Delete(entries);
    return error;
}

static char **list_jmh(const struct lauka_inner_request *request)
{
    char *words[] = {lauka_word_print("-l")};

    (void)request;
    return lauka_words_collect(words, sizeof words / sizeof *words);
}

/* One fork, which warms up for half a second. Its rounds are longer than those of others: a JVM takes long to start. */
static char **run_jmh(const struct lauka_inner_request *request)
{
    enum { LEAST_US = 50000 };
    uint64_t round_us = request->round_ns / 1000;
    char *words[] = {
        lauka_word_print("-rf"),
        lauka_word_print("json"),
        lauka_word_print("-rff"),
        lauka_word_print("%s/" FILE_NAME, request->folder),
        lauka_word_print("-bm"),
        lauka_word_print("avgt"),
        lauka_word_print("-tu"),
        lauka_word_print("ns"),
        lauka_word_print("-f"),
        lauka_word_print("1"),
        lauka_word_print("-wi"),
        lauka_word_print("1"),
        lauka_word_print("-w"),
        lauka_word_print("500ms"),
        lauka_word_print("-i"),
        lauka_word_print("%" PRIu64, request->rounds),
        lauka_word_print("-r"),
        lauka_word_print("%" PRIu64 "us", round_us > LEAST_US ? round_us : LEAST_US),
        request->name ? lauka_word_escape("^", request->name, "$") : lauka_word_print(".*"),
    };

    return lauka_words_collect(words, sizeof words / sizeof *words);
}

const struct lauka_adapter lauka_jmh_adapter = {.framework = LAUKA_FRAMEWORK_JMH,
                                                .name = "jmh",
                                                .marks = {"META-INF/BenchmarkList"},
                                                .shares = true,
                                                .telling = LAUKA_TELLS_BOTH,
                                                .folder_in = "LAUKA_JMH_FOLDER",
                                                .list = list_jmh,
                                                .run = run_jmh,
                                                .gather = gather,
                                                .read_list = read_list,
                                                .read_run = read_run};
