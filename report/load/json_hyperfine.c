/* hyperfine's JSON: in version 1, an array of seconds for each command; in version 2, an object of metrics
 * for each run. */
#include "report/load/json.h"
#include "report/load/foreign.h"
#include "report/load/loader.h"
#include "report/result/result.h"
#include "stats/stats.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* hyperfine 2's names of the metrics that lauka measures too, in lauka's order. */
static const struct alias {
    const char *theirs, *ours;
} aliases[] = {
    {"time_wall_clock", "wall_time"},     {"time_user", "user_time"},
    {"time_system", "system_time"},       {"time_cpu", "cpu_time"},
    {"memory_peak_resident", "peak_rss"}, {"cpu_cycles", "cycles"},
    {"instructions", "instructions"},     {"cache_references", "cache_references"},
    {"cache_misses", "cache_misses"},     {"branch_misses", "branch_misses"},
};
enum { ALIASES = sizeof aliases / sizeof *aliases };

static const struct unit {
    const char *theirs, *ours;
    double factor;
} units[] = {
    {"second", "ns", 1e9},     {"millisecond", "ns", 1e6}, {"microsecond", "ns", 1e3},
    {"nanosecond", "ns", 1},   {"byte", "B", 1},           {"kilobyte", "B", 1e3},
    {"megabyte", "B", 1e6},    {"gigabyte", "B", 1e9},     {"kibibyte", "B", 0x1p10},
    {"mebibyte", "B", 0x1p20}, {"gibibyte", "B", 0x1p30},  {"count", "1", 1},
};

static struct lauka_result_metric about(const char *name, const char *unit)
{
    bool is_count = strcmp(unit, "1") == 0;
    return (struct lauka_result_metric){
        .name = (char *)name, /* copied by whoever gets it */
        .unit = (char *)unit,
        .source = (char *)"hyperfine",
        .better = is_count ? "neither" : "lower",
        .share = 1,
    };
}

/* ---- version 1 ------------------------------------------------------------------------------- */

static bool read_times(struct lauka_json *json, size_t command, const cJSON *entry)
{
    struct lauka_column times = {.decimals = 9}, memory = {.whole = true};
    struct lauka_series *series = json->result->commands[command].series;
    char path[LAUKA_PATH_SIZE];
    lauka_json_name(json, command, ".times", path);
    bool good = lauka_json_values(json, path, lauka_json_get(entry, "times"), &times);
    lauka_json_name(json, command, ".memory_usage_byte", path);
    good =
        good && lauka_json_values(json, path, lauka_json_get(entry, "memory_usage_byte"), &memory);
    series[0] = times.series;
    series[1] = memory.series;
    return good;
}

/* Its version 1.15 does not measure memory, and its JSON has no such key. */
static void drop_unmeasured_memory(struct lauka_result *result)
{
    if (result->metrics[1].counted)
        return;
    for (size_t c = 0; c < result->command_count; c++)
        lauka_series_done(&result->commands[c].series[1]);
    free(result->metrics[1].name);
    free(result->metrics[1].unit);
    free(result->metrics[1].source);
    result->metric_count = 1;
}

bool lauka_load_hyperfine_1(struct lauka_json *json)
{
    const struct lauka_result_metric wall_time = about("wall_time", "ns");
    const struct lauka_result_metric peak_rss = about("peak_rss", "B");
    size_t c = 0;
    json->result->run.stopped = LAUKA_STOPPED_STORED;
    if (!lauka_json_metric(json, "results", &wall_time) ||
        !lauka_json_metric(json, "results", &peak_rss) || !lauka_json_commands(json))
        return false;
    for (const cJSON *entry = json->results->child; entry; entry = entry->next)
        if (!read_times(json, c++, entry))
            return false;
    if (!lauka_json_complete(json))
        return false;
    c = 0;
    for (const cJSON *entry = json->results->child; entry; entry = entry->next)
        if (!lauka_json_exit_codes(json, c++, lauka_json_get(entry, "exit_codes")))
            return false;
    drop_unmeasured_memory(json->result);
    return true;
}

/* ---- version 2 ------------------------------------------------------------------------------- */

static const char *our_name(const char *theirs)
{
    for (size_t i = 0; i < ALIASES; i++)
        if (strcmp(aliases[i].theirs, theirs) == 0)
            return aliases[i].ours;
    return theirs;
}

static const struct unit *unit_of(const cJSON *item)
{
    const char *name = cJSON_GetStringValue(lauka_json_get(item, "unit"));
    for (size_t i = 0; name && i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i].theirs, name) == 0)
            return &units[i];
    return NULL;
}

/* All objects of a measurement are metrics. */
static bool add_metric(struct lauka_json *json, const char *path, const cJSON *item)
{
    const struct unit *unit = unit_of(item);
    char place[LAUKA_PATH_SIZE];
    snprintf(place, sizeof place, "%.90s.%.60s", path, item->string);
    if (!unit)
        return lauka_json_fail(json, place, "its unit is not known");
    const struct lauka_result_metric metric = about(our_name(item->string), unit->ours);
    return lauka_json_metric(json, path, &metric);
}

/* Values of a command, and those of them that are not finite. */
struct taken {
    size_t values, left_out;
};

static bool take_value(struct lauka_json *json, const char *path, const cJSON *item,
                       struct lauka_series *series, struct taken *taken)
{
    const cJSON *number = lauka_json_get(item, "value");
    double value = cJSON_IsNumber(number) ? number->valuedouble * unit_of(item)->factor : -1;
    bool left_out = cJSON_IsString(number) && lauka_foreign_not_finite(number);
    char place[LAUKA_PATH_SIZE];
    snprintf(place, sizeof place, "%.90s.%.60s", path, item->string);
    taken->values++;
    taken->left_out += left_out;
    if (!number || left_out)
        lauka_series_add(series, LAUKA_MISSING);
    else if (!(value >= 0 && value < 0x1p63))
        return lauka_json_fail(json, place,
                               "its value is not a number of at least 0, or is too large");
    else
        lauka_series_add(series, (uint64_t)llround(value));
    return true;
}

static char *name_measurement(char *path, size_t command, size_t run)
{
    snprintf(path, LAUKA_PATH_SIZE, "results[%zu].measurements[%zu]", command, run);
    return path;
}

/* null: it was killed by a signal. */
static void take_exit_code(const cJSON *measurement, size_t run, struct lauka_result_command *to)
{
    const cJSON *code = cJSON_GetObjectItemCaseSensitive(measurement, "exit_code");
    double number = cJSON_IsNumber(code) ? code->valuedouble : -1;
    to->exit_codes[run] = number >= 0 && number <= INT16_MAX ? (int16_t)number : -1;
    to->failures += code && to->exit_codes[run] != 0;
}

/* Every series gets a value for every run, so that what is missing keeps its place. */
static bool read_measurement(struct lauka_json *json, size_t command, size_t run,
                             const cJSON *measurement, struct taken *taken)
{
    struct lauka_result *result = json->result;
    struct lauka_series *series = result->commands[command].series;
    char path[LAUKA_PATH_SIZE];
    name_measurement(path, command, run);
    for (const cJSON *item = measurement->child; item; item = item->next) {
        size_t m = lauka_result_metric_index(result, our_name(item->string));
        if (cJSON_IsObject(item) && !take_value(json, path, item, &series[m], taken))
            return false;
    }
    for (size_t m = 0; m < result->metric_count; m++) {
        if (series[m].count > run + 1)
            return lauka_json_fail(json, path, "a metric is there twice");
        if (series[m].count == run)
            lauka_series_add(&series[m], LAUKA_MISSING);
    }
    take_exit_code(measurement, run, &result->commands[command]);
    return true;
}

static bool read_measurements(struct lauka_json *json, size_t command, const cJSON *measurements)
{
    struct lauka_result *result = json->result;
    struct lauka_result_command *to = &result->commands[command];
    size_t count = (size_t)cJSON_GetArraySize(measurements), run = 0;
    struct taken taken = {0};
    char path[LAUKA_PATH_SIZE];
    if (!lauka_json_spend(json, "results", count * result->metric_count))
        return false;
    for (size_t m = 0; m < result->metric_count; m++) /* one to spare for doubles */
        if (!lauka_json_check(json, lauka_series_reserve(&to->series[m], count + 1)))
            return false;
    to->exit_codes = calloc(count + 1, sizeof *to->exit_codes);
    bool good = lauka_json_has(json, to->exit_codes);
    for (const cJSON *item = measurements->child; item && good; item = item->next)
        good = read_measurement(json, command, run++, item, &taken);
    lauka_json_name(json, command, ".measurements", path);
    return good && lauka_json_note_left_out(json, path, taken.left_out, taken.values);
}

static bool add_metrics(struct lauka_json *json, size_t command, const cJSON *measurements)
{
    char path[LAUKA_PATH_SIZE];
    size_t run = 0;
    if (!cJSON_IsArray(measurements))
        return lauka_json_fail(json, lauka_json_name(json, command, ".measurements", path),
                               "is not an array");
    for (const cJSON *measurement = measurements->child; measurement;
         measurement = measurement->next) {
        if (!lauka_json_check_object(json, name_measurement(path, command, run++), measurement))
            return false;
        for (const cJSON *item = measurement->child; item; item = item->next)
            if (cJSON_IsObject(item) && !add_metric(json, path, item))
                return false;
    }
    return true;
}

static size_t rank(const struct lauka_result_metric *metric)
{
    size_t i = 0;
    while (i < ALIASES && strcmp(aliases[i].ours, metric->name) != 0)
        i++;
    return i;
}

/* The metrics that lauka knows come first, in its order. There are few. */
static void sort_metrics(struct lauka_result *result)
{
    for (size_t i = 1; i < result->metric_count; i++) {
        struct lauka_result_metric metric = result->metrics[i];
        size_t k = i;
        for (; k > 0 && rank(&result->metrics[k - 1]) > rank(&metric); k--)
            result->metrics[k] = result->metrics[k - 1];
        result->metrics[k] = metric;
    }
}

bool lauka_load_hyperfine_2(struct lauka_json *json)
{
    size_t c = 0;
    json->result->run.stopped = LAUKA_STOPPED_STORED;
    for (const cJSON *entry = json->results->child; entry; entry = entry->next)
        if (!add_metrics(json, c++, lauka_json_get(entry, "measurements")))
            return false;
    sort_metrics(json->result);
    if (!lauka_json_commands(json))
        return false;
    c = 0;
    for (const cJSON *entry = json->results->child; entry; entry = entry->next)
        if (!read_measurements(json, c++, lauka_json_get(entry, "measurements")))
            return false;
    return lauka_json_complete(json);
}
