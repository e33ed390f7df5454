/* How google-benchmark is asked, and what it writes: names, one a line, and JSON. */
#include "runner/suite/suite.h"
#include "report/load/foreign.h"
#include "runner/command/command.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int read_list(const char *text, struct lauka_inner_names *names)
{
    return lauka_inner_names_add_lines(names, text, "");
}

/* Repetitions(N) of its source holds whatever the flags say, and is in its name. */
static uint64_t own_rounds(const char *name)
{
    static const char mark[] = "/repeats:";
    const char *place = strstr(name, mark);

    return place ? strtoull(place + strlen(mark), NULL, 10) : 0;
}

/* Where an iteration takes as long as the source says, lauka cannot know better. */
static bool tells_own_time(const char *name)
{
    return strstr(name, "/manual_time") != NULL;
}

/* ---- JSON ------------------------------------------------------------------------------------------- */

static const cJSON *item_of(const cJSON *entry, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(entry, name);
}

static double unit_of(const cJSON *entry)
{
    const char *name = lauka_entry_text(entry, "time_unit");
    const struct lauka_figure_unit *unit = lauka_figure_unit_find(name, strlen(name));

    return unit && strcmp(unit->unit, "ns") == 0 ? unit->factor : -1;
}

/* The members of every entry; others are counters of the benchmark's own. */
static bool is_its_own(const char *name)
{
    static const char *const own[] = {
        "name",      "run_name",      "run_type",     "aggregate_name",
        "time_unit", "label",         "family_index", "per_family_instance_index",
        "threads",   "repetitions",   "iterations",   "repetition_index",
        "real_time", "cpu_time",      "big_o",        "aggregate_unit",
        "skipped",   "error_message", "skip_message", "error_occurred",
    };

    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(own[i], name) == 0)
            return true;
    return strlen(name) >= LAUKA_INNER_NAME;
}

static int read_figures(const cJSON *entry, struct lauka_inner_answer *answer,
                        struct lauka_inner_answers *answers)
{
    const cJSON *item;
    int error = 0;

    cJSON_ArrayForEach(item, entry)
    {
        struct lauka_inner_figure *figure = &answer->figures[answer->figure_count];
        if (error || !item->string || !*item->string || is_its_own(item->string))
            continue;
        const char *fault = lauka_foreign_not_finite(item); /* which may be a text */
        if (!fault && cJSON_IsNumber(item))
            fault = lauka_inner_fault(item->valuedouble, answer->figure_count);
        if (fault)
            error = lauka_inner_answers_leave_out(answers, item->string, fault);
        if (fault || !cJSON_IsNumber(item))
            continue;
        const char *unit = strcmp(item->string, "bytes_per_second") == 0 ? "B/s"
                           : strstr(item->string, "per_second")          ? "/s"
                                                                         : "1";
        figure->value = item->valuedouble;
        figure->unit = lauka_figure_unit_find(unit, strlen(unit));
        strcpy(figure->name, item->string);
        answer->figure_count++;
    }
    return error;
}

/* ---- entries ---------------------------------------------------------------------------------------- */

static int read_number(const cJSON *entry, const char *name, struct lauka_inner_answers *answers,
                       double *value)
{
    const cJSON *item = item_of(entry, name);
    const char *word = lauka_foreign_not_finite(item);

    *value = cJSON_IsNumber(item) ? item->valuedouble : -1;
    if (word || (cJSON_IsNumber(item) && *value < 0))
        return lauka_inner_answers_refuse(answers, name, word ? word : "negative");
    return *value >= 0 ? 0 : EINVAL;
}

static int take_times(const cJSON *entry, struct lauka_inner_answers *answers, uint64_t *iterations)
{
    struct lauka_inner_answer answer = {0};
    double unit = unit_of(entry), count = 0;
    int error = read_number(entry, "real_time", answers, &answer.wall_ns);

    if (!error)
        error = read_number(entry, "cpu_time", answers, &answer.cpu_ns);
    if (!error)
        error = read_number(entry, "iterations", answers, &count);
    if (error)
        return error;
    if (unit < 0 || count < 1 || count > 1e18)
        return EINVAL;
    answer.wall_ns *= unit;
    answer.cpu_ns *= unit;
    if (!isfinite(answer.wall_ns) || !isfinite(answer.cpu_ns))
        return lauka_inner_answers_refuse(
            answers, isfinite(answer.wall_ns) ? "cpu_time" : "real_time", "infinite");
    *iterations = (uint64_t)count;
    error = read_figures(entry, &answer, answers);
    return error ? error : lauka_inner_answers_add(answers, &answer);
}

/* It says that it did not run, and why. */
static bool is_skipped(const cJSON *entry, struct lauka_inner_answers *answers)
{
    bool failed = cJSON_IsTrue(item_of(entry, "error_occurred"));

    if (!failed && !cJSON_IsTrue(item_of(entry, "skipped")))
        return false;
    const char *text = lauka_entry_text(entry, failed ? "error_message" : "skip_message");
    if (!*answers->why)
        snprintf(answers->why, sizeof answers->why, "%s: %.150s",
                 failed ? "reports an error" : "skipped itself", *text ? text : "it says no more");
    return true;
}

static bool is_other(const cJSON *entry, const cJSON *first, const char *index)
{
    const cJSON *own = item_of(entry, index), *other = item_of(first, index);

    return cJSON_IsNumber(own) && cJSON_IsNumber(other) && own->valuedouble != other->valuedouble;
}

/* Of one name, what lauka has read: the first entry, and the median of all where only that is told. */
struct reading {
    const cJSON *first, *median;
};

static int read_entry(const cJSON *entry, const char *name, struct reading *reading,
                      struct lauka_inner_answers *answers, uint64_t *iterations)
{
    const char *run = lauka_entry_text(entry, "run_name");

    if (strcmp(*run ? run : lauka_entry_text(entry, "name"), name) != 0)
        return 0;
    if (strcmp(lauka_entry_text(entry, "run_type"), "aggregate") == 0) {
        if (strcmp(lauka_entry_text(entry, "aggregate_name"), "median") == 0)
            reading->median = entry;
        return 0;
    }
    if (!reading->first)
        reading->first = entry;
    if (is_other(entry, reading->first, "family_index") ||
        is_other(entry, reading->first, "per_family_instance_index")) {
        snprintf(answers->why, sizeof answers->why, "there are several benchmarks of this name");
        return EINVAL;
    }
    return is_skipped(entry, answers) ? 0 : take_times(entry, answers, iterations);
}

/* Where stdout is all there is, the program may have written before it. */
static int parse(const char *text, cJSON **json)
{
    enum { TRIES = 16 };
    const char *at = *text == '{' ? text : strstr(text, "{\n");
    int error = 0;

    *json = NULL;
    for (int i = 0; i < TRIES && at && !error; i++) {
        error = lauka_foreign_parse(at, strlen(at), json);
        if (cJSON_IsArray(item_of(*json, "benchmarks")))
            return 0;
        cJSON_Delete(*json);
        *json = NULL;
        at = strstr(at + 1, "{\n");
    }
    return error ? error : EINVAL;
}

static int read_run(const char *text, const char *name, struct lauka_inner_answers *answers,
                    uint64_t *iterations)
{
    struct reading reading = {NULL, NULL};
    cJSON *json;
    const cJSON *entry;
    int error = parse(text, &json);

    cJSON_ArrayForEach(entry, item_of(json, "benchmarks"))
    {
        if (!error)
            error = read_entry(entry, name, &reading, answers, iterations);
    }
    if (!error && answers->count == 0 && !*answers->why && reading.median) {
        answers->medians = true;
        error = take_times(reading.median, answers, iterations);
    }
    cJSON_Delete(json);
    return error;
}

/* ---- how it is asked ----------------------------------------------------------------------------- */

static const char *const list_words[] = {"--benchmark_list_tests=true", NULL};
/* What the program writes beside names, before them or behind them. */
static const char *const list_none_words[] = {"--benchmark_list_tests=true",
                                              "--benchmark_filter=^$", NULL};
/* It chooses iterations itself; 1.7 takes the time without a unit, and no number of iterations. */
static const char *const run_words[] = {"--benchmark_format=json",
                                        "--benchmark_min_time={seconds}",
                                        "--benchmark_repetitions={rounds}",
                                        "--benchmark_report_aggregates_only=false",
                                        "--benchmark_display_aggregates_only=false",
                                        "--benchmark_out={folder}/benchmarks.json",
                                        "--benchmark_out_format=json",
                                        NULL};
static const char *const one_words[] = {"--benchmark_filter=^{regex}$", NULL};
static const char *const all_words[] = {"--benchmark_enable_random_interleaving=true", NULL};

const struct lauka_adapter lauka_gbench_adapter = {
    .framework = LAUKA_FRAMEWORK_GBENCH,
    .name = "gbench",
    .marks = {"benchmark_list_tests", "_ZN9benchmark"},
    .tells_cpu_time = true,
    .folder_in = "LAUKA_SUITE_FOLDER", /* which only its words tell it of */
    .list = list_words,
    .list_none = list_none_words,
    .run = run_words,
    .run_one = one_words,
    .run_all = all_words,
    .file = "benchmarks.json",
    .read_list = read_list,
    .read_run = read_run,
    .own_rounds = own_rounds,
    .tells_own_time = tells_own_time};
