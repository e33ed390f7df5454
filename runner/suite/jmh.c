/* How JMH is asked, by its own command line in a jar, and what it writes: names on stdout, and one file of JSON. */
#include "runner/suite/suite.h"
#include "report/load/foreign.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

/* "Benchmarks:", and a name on each line after it. */
static int read_list(const char *text, struct lauka_inner_names *names)
{
    const char *begin = strstr(text, "Benchmarks:");

    return begin ? lauka_inner_names_add_lines(names, begin + strcspn(begin, "\n"), "") : EINVAL;
}

/* Nanoseconds of an operation, a round each; of all forks. */
static int read_rounds(const cJSON *entry, struct lauka_inner_answers *answers)
{
    const cJSON *metric = cJSON_GetObjectItemCaseSensitive(entry, "primaryMetric");
    const cJSON *forks = cJSON_GetObjectItemCaseSensitive(metric, "rawData"), *fork;
    bool known =
        cJSON_IsArray(forks) && strcmp(lauka_entry_text(metric, "scoreUnit"), "ns/op") == 0;
    int error = known ? 0 : EINVAL;

    for (fork = known ? forks->child : NULL; fork && !error; fork = fork->next)
        error = lauka_times_read(fork, NULL, 1, answers);
    return error;
}

static int read_entries(const cJSON *entries, const char *name, struct lauka_inner_answers *answers)
{
    const cJSON *entry, *found = NULL;

    for (entry = entries->child; entry; entry = entry->next) {
        if (strcmp(lauka_entry_text(entry, "benchmark"), name) != 0)
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

/* One fork, which warms up for half a second. */
static const char *const run_words[] = {"-rf", "json",   "-rff", "{folder}/jmh.json",
                                        "-bm", "avgt",   "-tu",  "ns",
                                        "-f",  "1",      "-wi",  "1",
                                        "-w",  "500ms",  "-i",   "{rounds}",
                                        "-r",  "{ns}ns", ".*",   NULL};

const struct lauka_adapter lauka_jmh_adapter = {.framework = LAUKA_FRAMEWORK_JMH,
                                                .name = "jmh",
                                                .marks = {"META-INF/BenchmarkList"},
                                                .shares = true,
                                                .telling = LAUKA_TELLS_BOTH,
                                                .folder_in = "LAUKA_JMH_FOLDER",
                                                .list = (const char *const[]){"-l", NULL},
                                                .run = run_words,
                                                .least_round_ns =
                                                    50000000, /* a JVM starts slowly */
                                                .file = "jmh.json",
                                                .read_list = read_list,
                                                .read_run = read_run};
