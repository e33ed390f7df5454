/* How Criterion.rs is asked, and what it writes: names on stdout, and JSON files for each benchmark, in the folder that
 * CRITERION_HOME names. */
#include "runner/suite/suite.h"
#include "report/load/foreign.h"

#include <cjson/cJSON.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* "NAME: benchmark" */
static int read_list(const char *text, struct lauka_inner_names *names)
{
    return lauka_inner_names_add_lines(names, text, ": benchmark");
}

/* ---- its files, as one text: a line that names a benchmark, then one of its samples ----------------- */

struct gathering {
    char path[4096]; /* of the folder under way */
    char *text;      /* owned; NULL without memory */
    char *why;       /* what cannot be read */
    size_t size;
};

/* Appends another line of text. Owned; NULL without memory. */
static char *join(char *text, const char *more)
{
    size_t length = text ? strlen(text) : 0, added = strlen(more);
    char *joined = text ? realloc(text, length + added + 2) : NULL;

    if (!joined) {
        free(text);
        return NULL;
    }
    for (size_t i = 0; i < added; i++) /* one line stays one */
        joined[length + i] = more[i] == '\n' ? ' ' : more[i];
    strcpy(joined + length + added, "\n");
    return joined;
}

/* In a folder called "new", which has the files of the last run. */
static void take_benchmark(struct gathering *all)
{
    char *benchmark = lauka_adapter_read_file(all->path, "benchmark.json", all->why, all->size);
    char *sample =
        benchmark ? lauka_adapter_read_file(all->path, "sample.json", all->why, all->size) : NULL;

    if (benchmark && sample)
        all->text = join(join(all->text, benchmark), sample);
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

static int read_sample(const cJSON *sample, struct lauka_inner_answers *answers,
                       uint64_t *iterations)
{
    const cJSON *counts = cJSON_GetObjectItemCaseSensitive(sample, "iters");
    const cJSON *times = cJSON_GetObjectItemCaseSensitive(sample, "times");
    int error = cJSON_IsArray(counts) ? lauka_times_read(times, counts, 1, answers) : EINVAL;

    if (!error && counts->child)
        *iterations = (uint64_t)counts->child->valuedouble;
    return error;
}

static int check_name(const char *line, const char *name, bool *same)
{
    cJSON *benchmark;
    int error = lauka_foreign_parse(line, strcspn(line, "\n"), &benchmark);

    *same = strcmp(lauka_entry_text(benchmark, "full_id"), name) == 0;
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

static const char *const list_words[] = {"--bench", "--list", NULL};
/* It begins with the number of iterations that takes the shortest time. */
static const char *const run_words[] = {"--bench",
                                        "--noplot",
                                        "--warm-up-time={seconds}",
                                        "--measurement-time={all_seconds}",
                                        "--sample-size={rounds}",
                                        "--nresamples=1001",
                                        NULL};
static const char *const one_words[] = {"--exact", "--", "{name}", NULL};
static const char *const all_words[] = {"--color=never", "--verbose", NULL};

const struct lauka_adapter lauka_criterion_adapter = {.framework = LAUKA_FRAMEWORK_CRITERION,
                                                      .name = "criterion",
                                                      .marks = {"CRITERION_HOME"},
                                                      .tells_more = true,
                                                      .folder_in = "CRITERION_HOME",
                                                      .list = list_words,
                                                      .run = run_words,
                                                      .run_one = one_words,
                                                      .run_all = all_words,
                                                      .least_rounds = 10,
                                                      .gather = gather,
                                                      .read_list = read_list,
                                                      .read_run = read_run};
