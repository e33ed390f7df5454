/* How pytest-benchmark is asked, and what it writes: one file of JSON about all tests that were run. lauka's plugin
 * names those that failed, of which that file may have times. */
#include "runner/suite/suite.h"
#include "report/load/foreign.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- its folder ------------------------------------------------------------------------------------- */

/* pytest runs tests in the order of their files; the first one may warm up the others. A project's settings may
 * switch benchmarks off where its tests are run. */
static const char plugin[] =
    "import os, random\n"
    "FAILED = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'failed')\n"
    "def pytest_configure(config):\n"
    "    for name in 'benchmark_disable', 'benchmark_skip':\n"
    "        if getattr(config.option, name, None):\n"
    "            setattr(config.option, name, False)\n"
    "def pytest_collection_modifyitems(items):\n"
    "    random.Random(%" PRIu64 ").shuffle(items)\n"
    "def pytest_runtest_logreport(report):\n"
    "    if report.failed:\n"
    "        with open(FAILED, 'a', encoding='utf-8', errors='replace') as file:\n"
    "            file.write(report.nodeid.replace('\\n', ' ') + '\\n')\n";

static int furnish(const struct lauka_inner_request *request)
{
    char path[400];

    snprintf(path, sizeof path, "%s/lauka_shuffle.py", request->folder);
    FILE *file = fopen(path, "w");
    if (!file)
        return errno;
    fprintf(file, plugin, request->seed);
    return fclose(file) == 0 ? 0 : errno;
}

/* The JSON as one line, and then a line for each test that failed. */
static char *gather(const char *folder, char *why, size_t size)
{
    char *json = lauka_adapter_read_file(folder, "benchmarks.json", why, size);
    char *failed = json ? lauka_adapter_read_file(folder, "failed", why, size) : NULL;
    char *text = json ? NULL : strdup("");

    for (char *end = json; end && (end = strchr(end, '\n'));)
        *end = ' ';
    if (json && asprintf(&text, "%s\n%s", json, failed ? failed : "") < 0)
        text = NULL;
    free(json);
    free(failed);
    return text;
}

/* ---- its names: "FOLDERS/FILE.py::TEST[PARAMETERS]" ------------------------------------------------- */

/* The JSON, owned, and what it says of benchmarks; NULL on errors. */
static int parse(const char *text, cJSON **json, const cJSON **entries)
{
    int error = lauka_foreign_parse(text, strlen(text), json);

    *entries = cJSON_GetObjectItemCaseSensitive(*json, "benchmarks");
    if (!error && !cJSON_IsArray(*entries))
        error = EINVAL;
    if (error)
        *entries = NULL;
    return error;
}

static int read_list(const char *text, struct lauka_inner_names *names)
{
    cJSON *json;
    const cJSON *entries, *entry;
    int error = parse(text, &json, &entries);

    cJSON_ArrayForEach(entry, entries)
    {
        const char *name = lauka_entry_text(entry, "fullname");
        if (!error && *name)
            error = lauka_inner_names_add(names, name, strlen(name));
    }
    cJSON_Delete(json);
    return error;
}

/* ---- the folders in which two sides differ ------------------------------------------------------------ */

/* Of all names: the folders that they begin with. */
static size_t common_folders(const struct lauka_inner_names *names)
{
    const char *first = names->count > 0 ? names->names[0] : "", *end = strstr(first, "::");
    size_t common = end ? (size_t)(end - first) : 0;

    for (size_t i = 1; i < names->count; i++) {
        size_t same = 0;
        while (same < common && names->names[i][same] == first[same])
            same++;
        common = same;
    }
    while (common > 0 && first[common - 1] != '/')
        common--;
    return common;
}

/* Names without their first bytes, sorted; they belong to the list, the array to the caller. */
static const char **sort_cut(const struct lauka_inner_names *names, size_t cut)
{
    const char **sorted = calloc(names->count + 1, sizeof *sorted);

    for (size_t i = 0; sorted && i < names->count; i++)
        sorted[i] = names->names[i] + cut;
    if (sorted)
        qsort(sorted, names->count, sizeof *sorted, lauka_words_compare);
    return sorted;
}

static size_t count_common(const char **a, size_t count, const char **b, size_t other)
{
    size_t common = 0;

    for (size_t i = 0, k = 0; i < count && k < other;) {
        int order = strcmp(a[i], b[k]);
        common += order == 0;
        i += order <= 0;
        k += order >= 0;
    }
    return common;
}

/* One folder less; SIZE_MAX behind the last one. */
static size_t shorten(const char *name, size_t cut)
{
    if (cut == 0)
        return SIZE_MAX;
    cut--;
    while (cut > 0 && name[cut - 1] != '/')
        cut--;
    return cut;
}

/* Of the pairs of folders, finds those without which most names are the same; and the longest ones of these, so that
 * names are short. */
static void cut(const struct lauka_inner_names *names, size_t *cuts)
{
    enum { MOST = 12 }; /* folders that are tried on each side */
    size_t longest[2] = {common_folders(&names[0]), common_folders(&names[1])}, best = 0;
    size_t a = longest[0], b;

    cuts[0] = longest[0];
    cuts[1] = longest[1];
    if (names[0].count == 0 || names[1].count == 0)
        return;
    for (int i = 0; i < MOST && a != SIZE_MAX; i++, a = shorten(names[0].names[0], a)) {
        const char **one = sort_cut(&names[0], a);
        b = longest[1];
        for (int k = 0; one && k < MOST && b != SIZE_MAX; k++, b = shorten(names[1].names[0], b)) {
            const char **other = sort_cut(&names[1], b);
            size_t common = other ? count_common(one, names[0].count, other, names[1].count) : 0;
            if (common > best) {
                best = common;
                cuts[0] = a;
                cuts[1] = b;
            }
            free(other);
        }
        free(one);
    }
}

/* ---- its times: s, of an iteration each ------------------------------------------------------------- */

static int read_entry(const cJSON *entry, struct lauka_inner_answers *answers, uint64_t *iterations)
{
    const cJSON *stats = cJSON_GetObjectItemCaseSensitive(entry, "stats");
    const cJSON *count = cJSON_GetObjectItemCaseSensitive(stats, "iterations");

    if (!cJSON_IsNumber(count) || !(count->valuedouble >= 1 && count->valuedouble < 1e18))
        return EINVAL;
    *iterations = (uint64_t)count->valuedouble;
    return lauka_times_read(cJSON_GetObjectItemCaseSensitive(stats, "data"), NULL, 1e9, answers);
}

/* Whether it is one of the lines behind the JSON. */
static bool has_failed(const char *text, const char *name)
{
    const char *line = strchr(text, '\n');

    while (line) {
        size_t length = strcspn(++line, "\n");
        if (length == strlen(name) && strncmp(line, name, length) == 0)
            return true;
        line = strchr(line, '\n');
    }
    return false;
}

static int read_run(const char *text, const char *name, struct lauka_inner_answers *answers,
                    uint64_t *iterations)
{
    cJSON *json;
    const cJSON *entries, *entry;
    int error = parse(text, &json, &entries);

    if (!error && has_failed(text, name))
        snprintf(answers->why, sizeof answers->why, "is a test that failed");
    cJSON_ArrayForEach(entry, entries)
    {
        if (!error && strcmp(lauka_entry_text(entry, "fullname"), name) == 0)
            error = read_entry(entry, answers, iterations);
    }
    cJSON_Delete(json);
    return error;
}

/* ---- how it is asked ----------------------------------------------------------------------------- */

/* Rounds of so long, so many of them, however little time that takes. `--collect-only` also lists the other tests, so
 * these words are those of a list, too. */
static const char *const words[] = {"-q",
                                    "-plauka_shuffle",
                                    "--benchmark-only",
                                    "--benchmark-json={folder}/benchmarks.json",
                                    "--benchmark-min-rounds={rounds}",
                                    "--benchmark-min-time={seconds}",
                                    "--benchmark-max-time=0.000000001",
                                    "--benchmark-warmup=off",
                                    NULL};

const struct lauka_adapter lauka_pytest_adapter = {.framework = LAUKA_FRAMEWORK_PYTEST,
                                                   .name = "pytest",
                                                   .marks = {"from pytest import", "import pytest"},
                                                   .shares = true,
                                                   .tells_more = true,
                                                   .telling = LAUKA_TELLS_STDOUT,
                                                   .folder_in = "PYTHONPATH",
                                                   .list = words,
                                                   .run = words,
                                                   .furnish = furnish,
                                                   .gather = gather,
                                                   .read_list = read_list,
                                                   .read_run = read_run,
                                                   .cut = cut};
