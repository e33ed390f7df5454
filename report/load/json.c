/* JSON of lauka and of hyperfine. cJSON makes the tree; what it is lenient about is checked here. */
#include "report/load/json.h"
#include "report/load/foreign.h"
#include "report/load/loader.h"
#include "report/pack/pack.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "stats/stats.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARAMETERS_MAX = 1000 };

const char *lauka_json_library(void)
{
    return cJSON_Version();
}

/* ---- what goes wrong --------------------------------------------------------------------------- */

/* "place.path". Returns where, of LAUKA_PATH_SIZE bytes. */
static char *where_is(const struct lauka_json *json, const char *path, char *where)
{
    const bool inside = path[0] == '.'; /* of what the place is */
    snprintf(where, LAUKA_PATH_SIZE, "%s%s%.110s", json->place,
             inside || !json->place[0] || !path[0] ? "" : ".",
             inside && !json->place[0] ? path + 1 : path);
    return where;
}

char *lauka_json_name(const struct lauka_json *json, size_t command, const char *rest, char *path)
{
    snprintf(path, LAUKA_PATH_SIZE, "results[%zu]%.110s", json->first + command, rest);
    return path;
}

bool lauka_json_check(struct lauka_json *json, int error)
{
    json->failure = error ? error : json->failure;
    return !error;
}

bool lauka_json_has(struct lauka_json *json, const void *memory)
{
    return lauka_json_check(json, memory ? 0 : ENOMEM);
}

bool lauka_json_fail(struct lauka_json *json, const char *path, const char *format, ...)
{
    char where[LAUKA_PATH_SIZE], reason[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    return lauka_json_check(json, lauka_load_fail(json->stored, 0, json->error, "%s: %s",
                                                  where_is(json, path, where), reason));
}

static int by_name(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

bool lauka_json_check_keys(struct lauka_json *json, const char *path, const cJSON *object)
{
    size_t count = (size_t)cJSON_GetArraySize(object), used = 0;
    const char **keys = malloc((count + 1) * sizeof *keys), *twice = NULL;
    char quoted[LAUKA_QUOTE_SIZE];
    if (!lauka_json_has(json, keys))
        return false;
    for (const cJSON *item = object->child; item && used < count; item = item->next)
        keys[used++] = item->string ? item->string : "";
    qsort(keys, used, sizeof *keys, by_name);
    for (size_t i = 1; i < used && !twice; i++)
        if (strcmp(keys[i - 1], keys[i]) == 0)
            twice = keys[i];
    free(keys);
    return !twice || lauka_json_fail(json, path, "the key %s is there twice",
                                     lauka_load_quote(twice, strlen(twice), quoted));
}

bool lauka_json_check_object(struct lauka_json *json, const char *path, const cJSON *item)
{
    return cJSON_IsObject(item) ? lauka_json_check_keys(json, path, item)
                                : lauka_json_fail(json, path, "is not an object");
}

const cJSON *lauka_json_get(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsNull(item) ? NULL : item;
}

/* ---- single numbers and texts ---------------------------------------------------------------- */

bool lauka_json_integer(struct lauka_json *json, const char *path, const cJSON *object,
                        const char *key, uint64_t *value)
{
    const cJSON *item = lauka_json_get(object, key);
    const char *text = cJSON_GetStringValue(item);
    const char *reason = "is not a whole number up to 2^53, or one as a string";
    struct lauka_column column = {.whole = true};
    char place[LAUKA_PATH_SIZE], number[40];
    snprintf(place, sizeof place, "%s.%s", path, key);
    if (!item)
        return true;
    if (cJSON_IsNumber(item) && fabs(item->valuedouble) <= 0x1p53)
        text = lauka_format_exact(item->valuedouble, number, sizeof number);
    int failure = text ? lauka_column_add(&column, text, strlen(text), &reason) : EINVAL;
    if (!failure)
        *value = lauka_series_at(&column.series, 0);
    lauka_series_done(&column.series);
    return failure == EINVAL ? lauka_json_fail(json, place, "%s", reason)
                             : lauka_json_check(json, failure);
}

bool lauka_json_number(struct lauka_json *json, const char *path, const cJSON *object,
                       const char *key, double least, double most, double *value)
{
    const cJSON *item = lauka_json_get(object, key);
    char place[LAUKA_PATH_SIZE];
    if (!item)
        return true;
    snprintf(place, sizeof place, "%s.%s", path, key);
    if (!cJSON_IsNumber(item) || !(item->valuedouble >= least && item->valuedouble <= most))
        return lauka_json_fail(json, place, "is not a number, or out of its range");
    *value = item->valuedouble;
    return true;
}

bool lauka_json_copy_text(struct lauka_json *json, const cJSON *item, char **copy)
{
    return lauka_json_check(json, lauka_text_copy(cJSON_GetStringValue(item), copy));
}

/* ---- bytes ------------------------------------------------------------------------------------ */

/* Owned. A text in base64 must not contain a zero byte, because no string in C does. */
static bool decode_bytes(struct lauka_json *json, const char *place, const cJSON *item,
                         char **bytes)
{
    const char *text = cJSON_GetStringValue(item);
    size_t length = text ? strlen(text) : 0, size = 0;
    *bytes = text ? malloc(length / 4 * 3 + 1) : NULL;
    if (text && !lauka_json_has(json, *bytes))
        return false;
    if (!text || !lauka_base64_decode(text, length, (uint8_t *)*bytes, &size) ||
        memchr(*bytes, 0, size)) {
        free(*bytes);
        *bytes = NULL;
        return lauka_json_fail(json, place, "is not the base64 of a text");
    }
    (*bytes)[size] = 0;
    return true;
}

bool lauka_json_bytes(struct lauka_json *json, const char *path, const cJSON *object,
                      const char *key, char **bytes)
{
    char name[64], place[LAUKA_PATH_SIZE];
    snprintf(name, sizeof name, "%s_base64", key);
    const cJSON *item = lauka_json_get(object, name);
    snprintf(place, sizeof place, "%.80s.%s", path, name);
    return item ? decode_bytes(json, place, item, bytes)
                : lauka_json_copy_text(json, lauka_json_get(object, key), bytes);
}

static bool read_string(struct lauka_json *json, const char *place, const cJSON *item, bool encoded,
                        char **string)
{
    if (encoded)
        return decode_bytes(json, place, item, string);
    return cJSON_IsString(item) ? lauka_json_copy_text(json, item, string)
                                : lauka_json_fail(json, place, "is not an array of texts");
}

bool lauka_json_strings(struct lauka_json *json, const char *path, const cJSON *object,
                        const char *key, char ***strings)
{
    char name[64], place[LAUKA_PATH_SIZE];
    snprintf(name, sizeof name, "%s_base64", key);
    const cJSON *encoded = lauka_json_get(object, name);
    const cJSON *array = encoded ? encoded : lauka_json_get(object, key);
    size_t count = 0;
    snprintf(place, sizeof place, "%.80s.%s", path, encoded ? name : key);
    if (!array)
        return true;
    *strings = calloc((size_t)cJSON_GetArraySize(array) + 1, sizeof **strings);
    if (!lauka_json_has(json, *strings))
        return false;
    for (const cJSON *item = array->child; item; item = item->next)
        if (!read_string(json, place, item, encoded != NULL, &(*strings)[count++]))
            return false;
    return true;
}

/* ---- metrics and commands -------------------------------------------------------------------- */

bool lauka_json_metric(struct lauka_json *json, const char *path,
                       const struct lauka_result_metric *about)
{
    struct lauka_result *result = json->result;
    const size_t index = lauka_result_metric_index(result, about->name);
    if (index == LAUKA_LOAD_METRICS)
        return lauka_json_fail(json, path, "too many metrics");
    if (index == result->metric_count)
        return lauka_json_check(json, lauka_result_add_metric(result, about));
    struct lauka_result_metric *metric = &result->metrics[index];
    if (strcmp(metric->unit, about->unit) != 0 || metric->decimals != about->decimals)
        return lauka_json_fail(json, path, "this metric has different units in the results");
    metric->share = about->share < metric->share ? about->share : metric->share;
    return true;
}

/* Texts, as both programs write them; anything else was not a parameter. */
bool lauka_json_parameters(struct lauka_json *json, const char *path, const cJSON *object,
                           struct lauka_parameter_value **parameters, size_t *parameter_count)
{
    bool good = true;
    for (const cJSON *item = object ? object->child : NULL; item && good; item = item->next) {
        char *value = NULL;
        const char *name = item->string ? item->string : "";
        if (!cJSON_IsString(item) || strstr(name, "_base64"))
            continue;
        if (*parameter_count == PARAMETERS_MAX)
            return lauka_json_fail(json, path, "too many parameters");
        good = lauka_json_bytes(json, path, object, name, &value) &&
               lauka_json_check(json, lauka_parameters_add(parameters, parameter_count, name,
                                                           value ? value : ""));
        free(value);
    }
    return good;
}

static bool add_command(struct lauka_json *json, const cJSON *entry, const char *path)
{
    const char *label = cJSON_GetStringValue(lauka_json_get(entry, "command"));
    if (!label)
        return lauka_json_fail(json, path, "the text of `command` is missing");
    struct lauka_result_command *command = lauka_result_add_command(json->result, label);
    return lauka_json_has(json, command) &&
           lauka_json_parameters(json, path, lauka_json_get(entry, "parameters"),
                                 &command->parameters, &command->parameter_count);
}

/* What a metric of a command costs without any value, and once it is analysed, counted in values. */
enum { METRIC_VALUES = 64 };

bool lauka_json_commands(struct lauka_json *json)
{
    struct lauka_result *result = json->result;
    char path[LAUKA_PATH_SIZE];
    bool good = true;
    if (result->metric_count == 0)
        return lauka_json_fail(json, "results", "there is no metric");
    for (const cJSON *entry = json->results->child; entry && good; entry = entry->next) {
        lauka_json_name(json, result->command_count, "", path);
        good = lauka_json_spend(json, path, METRIC_VALUES * result->metric_count) &&
               add_command(json, entry, path);
    }
    return good;
}

/* ---- values ---------------------------------------------------------------------------------- */

bool lauka_json_spend(struct lauka_json *json, const char *path, size_t values)
{
    if (values > json->values_left)
        return lauka_json_fail(json, path, "too many values");
    json->values_left -= values;
    return true;
}

/* What others wrote in place of a number that is not finite is missing; lauka writes nothing of the kind. */
static bool is_left_out(const struct lauka_json *json, const char *text, size_t length)
{
    return !lauka_json_get(json->root, "schema") && lauka_is_not_finite(text, length);
}

bool lauka_json_note_left_out(struct lauka_json *json, const char *path, size_t left_out,
                              size_t count)
{
    if (left_out == 0)
        return true;
    return lauka_json_check(
        json,
        lauka_result_note(json->result, "%s: %zu of %zu values %s NaN or infinite, and left out",
                          path, left_out, count, left_out == 1 ? "is" : "are"));
}

static bool take_value(struct lauka_json *json, const char *path, size_t index,
                       const struct lauka_json_cursor *cursor, struct lauka_column *column,
                       size_t *left_out)
{
    const char *text = cursor->item, *reason;
    size_t length = cursor->length;
    char quoted[LAUKA_QUOTE_SIZE], where[LAUKA_PATH_SIZE];
    const bool is_string = length >= 2 && text[0] == '"' && text[length - 1] == '"';
    if (!lauka_json_spend(json, path, 1))
        return false;
    const bool is_out = is_left_out(json, text + is_string, length - 2 * is_string);
    *left_out += is_out;
    if (is_out || (length == 4 && memcmp(text, "null", 4) == 0))
        return lauka_json_check(json, lauka_column_add_missing(column));
    int failure = lauka_column_add(column, text + is_string, length - 2 * is_string, &reason);
    if (failure == EINVAL)
        lauka_load_fail(json->stored, cursor->line, json->error, "%s[%zu]: %s %s",
                        where_is(json, path, where), index, lauka_load_quote(text, length, quoted),
                        reason);
    return lauka_json_check(json, failure);
}

/* NULL: the item is no such array. */
static const struct lauka_json_array *array_of(const struct lauka_json *json, const cJSON *item)
{
    return item ? lauka_json_array(&json->text, cJSON_GetStringValue(item)) : NULL;
}

bool lauka_json_values(struct lauka_json *json, const char *path, const cJSON *item,
                       struct lauka_column *column)
{
    const struct lauka_json_array *array = array_of(json, item);
    size_t index = 0, left_out = 0;
    bool good = true;
    if (!array)
        return !item || lauka_json_fail(json, path, "is not an array of numbers");
    struct lauka_json_cursor cursor = lauka_json_array_begin(json->stored, array);
    for (; good && lauka_json_array_next(&cursor); index++)
        good = take_value(json, path, index, &cursor, column, &left_out);
    return good && lauka_json_note_left_out(json, path, left_out, index);
}

void lauka_json_forget(struct lauka_json *json, const cJSON *item)
{
    const struct lauka_json_array *array = array_of(json, item);
    if (array && json->stored->forget)
        json->stored->forget(json->stored->bytes + array->begin, array->end - array->begin);
}

/* ---- packed ones ------------------------------------------------------------------------------- */

/* The greatest of them is needed only to read an array of indices. Returns 0 or ENOMEM. */
static int take_unpacked(struct lauka_unpacked *unpacked, struct lauka_column *column)
{
    uint64_t values[1024];
    int failure = lauka_series_reserve(&column->series, unpacked->count + 1);
    while (!failure && unpacked->at < unpacked->count) {
        size_t left = unpacked->count - unpacked->at, most = sizeof values / sizeof *values;
        size_t count = left < most ? left : most;
        lauka_unpack_next(unpacked, values, count);
        for (size_t i = 0; i < count; i++)
            if (values[i] != LAUKA_MISSING && values[i] > column->most)
                column->most = values[i];
        lauka_series_add_all(&column->series, values, count);
    }
    return failure;
}

static bool read_packed(struct lauka_json *json, const char *path, const cJSON *object,
                        struct lauka_column *column)
{
    const cJSON *item = lauka_json_get(object, "zlib"), *based = lauka_json_get(object, "base");
    const struct lauka_json_array *array = array_of(json, item);
    uint64_t count = 0, bytes = 0, base = 0;
    struct lauka_unpacked unpacked = {0};
    if (!cJSON_IsObject(object) || !array)
        return lauka_json_fail(json, path, "is not a packed series");
    if (!lauka_json_integer(json, path, object, "count", &count) ||
        !lauka_json_integer(json, path, object, "bytes", &bytes) ||
        !lauka_json_integer(json, path, object, "base", &base) ||
        !lauka_json_spend(json, path, count))
        return false;
    int failure = lauka_unpack(json->stored->bytes + array->begin, array->end - array->begin, count,
                               bytes > 8 ? 0 : (unsigned)bytes, based ? &base : NULL, &unpacked);
    const bool damaged = failure == EINVAL;
    if (!failure)
        failure = take_unpacked(&unpacked, column);
    lauka_unpacked_done(&unpacked);
    lauka_json_forget(json, item);
    return damaged ? lauka_json_fail(json, path, "is damaged, or not as long as it says")
                   : lauka_json_check(json, failure);
}

bool lauka_json_runs(struct lauka_json *json, const char *path, const cJSON *object,
                     const char *key, struct lauka_column *column)
{
    char name[40], place[LAUKA_PATH_SIZE];
    snprintf(name, sizeof name, "%s_packed", key);
    const cJSON *packed = lauka_json_get(object, name), *plain = lauka_json_get(object, key);
    snprintf(place, sizeof place, "%.100s.%s", path, packed ? name : key);
    if (packed && plain)
        return lauka_json_fail(json, place, "is also there as an array");
    if (packed)
        return read_packed(json, place, packed, column);
    bool good = lauka_json_values(json, place, plain, column);
    json->result->run.samples_plain |= lauka_result_is_packed(json->result, column->series.count);
    lauka_json_forget(json, plain);
    return good;
}

bool lauka_json_exit_codes(struct lauka_json *json, size_t c, const cJSON *item)
{
    struct lauka_result_command *command = &json->result->commands[c];
    struct lauka_column column = {.whole = true};
    char path[LAUKA_PATH_SIZE];
    lauka_json_name(json, c, ".exit_codes", path);
    bool good = lauka_json_values(json, path, item, &column);
    const size_t count = column.series.count;
    if (good && column.most > INT16_MAX)
        good = lauka_json_fail(json, path, "is too large for an exit code");
    if (good && count > 0 && count != command->series[0].count)
        good = lauka_json_fail(json, path, "expected one for each run");
    command->exit_codes = good && count > 0 ? malloc(count * sizeof *command->exit_codes) : NULL;
    if (good && count > 0)
        good = lauka_json_has(json, command->exit_codes);
    for (size_t i = 0; command->exit_codes && i < count; i++) {
        uint64_t value = lauka_series_at(&column.series, i);
        command->exit_codes[i] = value == LAUKA_MISSING ? -1 : (int16_t)value;
        command->failures += command->exit_codes[i] != 0;
    }
    lauka_series_done(&column.series);
    return good;
}

static bool fill(struct lauka_json *json, const char *path, struct lauka_series *series,
                 size_t count)
{
    if (!lauka_json_spend(json, path, count) ||
        !lauka_json_check(json, lauka_series_reserve(series, count)))
        return false;
    while (series->count < count)
        lauka_series_add(series, LAUKA_MISSING);
    return true;
}

enum lauka_stopped lauka_json_stopped(const cJSON *item)
{
    const char *text = cJSON_GetStringValue(item);
    return text ? lauka_stopped_named(text) : item ? LAUKA_STOPPED_ERROR : LAUKA_STOPPED_STORED;
}

/* A session of ours is a result even if a command failed at once, or if it was interrupted or ended by an
 * error at once; and one of several benchmarks may not have reached this one. */
static bool ended_before_a_round(const struct lauka_json *json)
{
    const enum lauka_stopped stopped = lauka_json_stopped(lauka_json_get(json->course, "stopped"));
    bool cut_short = (stopped == LAUKA_STOPPED_INTERRUPTED || stopped == LAUKA_STOPPED_ERROR) &&
                     cJSON_IsTrue(lauka_json_get(json->course, "samples"));
    return lauka_json_get(json->root, "schema") &&
           (cut_short || json->session->benchmark_count > 1 ||
            cJSON_IsObject(lauka_json_get(json->own, "failure")));
}

/* Others' first metric is the time, without which there is nothing to compare. */
static bool lacks_times(const struct lauka_json *json, const struct lauka_series *times)
{
    size_t missing = 0;
    while (missing < times->count && lauka_series_at(times, missing) == LAUKA_MISSING)
        missing++;
    return !lauka_json_get(json->root, "schema") && times->count > 0 && missing == times->count;
}

static bool complete_command(struct lauka_json *json, size_t c)
{
    struct lauka_result *result = json->result;
    struct lauka_series *series = result->commands[c].series;
    char path[LAUKA_PATH_SIZE];
    size_t rounds = 0;
    lauka_json_name(json, c, "", path);
    for (size_t m = 0; m < result->metric_count; m++)
        rounds = series[m].count > rounds ? series[m].count : rounds;
    if (rounds == 0 && !ended_before_a_round(json))
        return lauka_json_fail(json, path, "holds no single runs, which a comparison needs");
    if (lacks_times(json, &series[0]))
        return lauka_json_fail(json, path, "holds no time that is a number, but null or NaN");
    for (size_t m = 0; m < result->metric_count; m++) {
        result->metrics[m].counted |= series[m].count > 0;
        if (series[m].count > 0 && series[m].count != rounds)
            return lauka_json_fail(json, path, "its metrics have different numbers of values");
        if (series[m].count == 0 && !fill(json, path, &series[m], rounds))
            return false;
    }
    if (rounds > result->run.rounds)
        result->run.rounds = rounds;
    return true;
}

bool lauka_json_complete(struct lauka_json *json)
{
    struct lauka_result *result = json->result;
    for (size_t c = 0; c < result->command_count; c++)
        if (!complete_command(json, c))
            return false;
    for (size_t c = 0; c < result->command_count; c++)
        result->run.unpaired |= result->commands[c].series[0].count != result->run.rounds;
    return true;
}
