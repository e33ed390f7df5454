/* The arrays with a value for each run, as JSON, written straight from memory: a million runs need no more
 * of it. Digits are made here instead of by printf, because there are so many. */
#include "report/pack/pack.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "stats/stats.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* ---- arrays ---- */

/* An array under way. stdio would be asked twice for each of many numbers. */
struct array {
    FILE *out;
    bool dense;   /* without blanks */
    bool failed;  /* to be written */
    size_t count; /* of entries */
    size_t used;
    uint64_t
        last; /* the number put last, whose digits are those from `begin` to the end of `text` */
    const char *begin; /* NULL: there was none */
    char text[32];
    char bytes[4096];
};

enum { ENTRY_MAX = 40 }; /* characters, ", " included */

static void flush(struct array *array)
{
    array->failed |= fwrite(array->bytes, 1, array->used, array->out) < array->used;
    array->used = 0;
}

static void put(struct array *array, const char *text, size_t length)
{
    assert(length + 2 <= ENTRY_MAX);
    if (array->used > sizeof array->bytes - ENTRY_MAX)
        flush(array);
    memcpy(array->bytes + array->used, array->count > 0 ? ", " : "[", 2);
    array->used += array->count++ > 0 && !array->dense ? 2 : 1;
    memcpy(array->bytes + array->used, text, length);
    array->used += length;
}

/* Many numbers equal the one before them: their digits are there already. */
static bool is_repeated(const struct array *array, uint64_t value)
{
    return array->begin && value == array->last;
}

static void put_number(struct array *array, uint64_t value, const char *begin)
{
    array->last = value;
    array->begin = begin;
    put(array, begin, (size_t)(array->text + sizeof array->text - begin));
}

static void put_integer(struct array *array, uint64_t value)
{
    char *end = array->text + sizeof array->text;

    put_number(array, value,
               is_repeated(array, value) ? array->begin : lauka_digits_before(end, value, 1));
}

static void put_value(struct array *array, uint64_t value, int decimals, bool seconds)
{
    char *end = array->text + sizeof array->text;

    if (value == LAUKA_MISSING)
        put(array, "null", 4);
    else if (is_repeated(array, value))
        put_number(array, value, array->begin);
    else
        put_number(array, value,
                   seconds ? lauka_decimal_before(end, value, 9 + decimals)
                           : lauka_json_decimal_before(end, value, decimals));
}

static void end_array(struct array *array)
{
    flush(array);
    fputs(array->count > 0 ? "]" : "[]", array->out);
}

void lauka_print_values(const struct lauka_result *result, size_t command, size_t metric,
                        bool seconds, FILE *out)
{
    bool counted = metric < result->metric_count && result->metrics[metric].counted;
    const struct lauka_series *series = counted ? &result->commands[command].series[metric] : NULL;
    struct array array = {.out = out,
                          .dense = series && lauka_result_is_packed(result, series->count)};
    int decimals = counted ? result->metrics[metric].decimals : 0;
    for (size_t i = 0; series && i < series->count && !array.failed; i++)
        put_value(&array, lauka_series_at(series, i), decimals, seconds);
    end_array(&array);
}

void lauka_print_exit_codes(const struct lauka_result *result, size_t command, FILE *out)
{
    const int16_t *codes = result->commands[command].exit_codes;
    bool kept = codes && !result->run.samples_left_out;
    uint64_t count = kept ? lauka_result_rounds(result, command) : 0;
    struct array array = {.out = out, .dense = lauka_result_is_packed(result, count)};
    for (uint64_t i = 0; i < count && !array.failed; i++) {
        if (codes[i] < 0) /* of stored data: killed by a signal, but not by which */
            put(&array, "null", 4);
        else
            put_integer(&array, (uint64_t)codes[i]);
    }
    end_array(&array);
}

void lauka_print_order(const struct lauka_result *result, size_t first, FILE *out)
{
    uint64_t count = result->run.order ? result->run.rounds * result->command_count : 0;
    struct array array = {.out = out};
    for (uint64_t i = 0; i < count && !array.failed; i++)
        put_integer(&array, first + result->run.order[i]);
    end_array(&array);
}

void lauka_print_layout(const struct lauka_result *result, FILE *out)
{
    uint64_t count = result->run.layout ? result->run.rounds : 0;
    struct array array = {.out = out};
    for (uint64_t i = 0; i < count && !array.failed; i++)
        put_integer(&array, result->run.layout[i]);
    end_array(&array);
}

void lauka_print_units(const struct lauka_result *result, const uint32_t *units, FILE *out)
{
    uint64_t count = units ? result->run.rounds : 0;
    struct array array = {.out = out};
    for (uint64_t i = 0; i < count && !array.failed; i++)
        put_integer(&array, units[i]);
    end_array(&array);
}

/* ---- the same in short ---- */

bool lauka_result_is_packed(const struct lauka_result *result, uint64_t count)
{
    enum { PLAIN_MAX = 10000 };
    return count > PLAIN_MAX && !result->run.samples_plain;
}

static void take_series(const void *context, size_t first, size_t count, uint64_t *values)
{
    const struct lauka_series *series = context;
    for (size_t i = 0; i < count; i++)
        values[i] = lauka_series_at(series, first + i);
}

int lauka_pack_values(const struct lauka_result *result, size_t command, size_t metric, FILE *out)
{
    const struct lauka_series *series = &result->commands[command].series[metric];
    return lauka_pack_print(take_series, series, series->count, out);
}

struct order {
    const uint32_t *order;
    size_t first;
};

static void take_order(const void *context, size_t first, size_t count, uint64_t *values)
{
    const struct order *about = context;
    for (size_t i = 0; i < count; i++)
        values[i] = about->first + about->order[first + i];
}

int lauka_pack_order(const struct lauka_result *result, size_t first, FILE *out)
{
    const struct order about = {result->run.order, first};
    return lauka_pack_print(take_order, &about, result->run.rounds * result->command_count, out);
}

static void take_layout(const void *context, size_t first, size_t count, uint64_t *values)
{
    const uint16_t *layout = context;
    for (size_t i = 0; i < count; i++)
        values[i] = layout[first + i];
}

int lauka_pack_layout(const struct lauka_result *result, FILE *out)
{
    return lauka_pack_print(take_layout, result->run.layout, result->run.rounds, out);
}

int lauka_pack_units(const struct lauka_result *result, const uint32_t *units, FILE *out)
{
    const struct order about = {units, 0};
    return lauka_pack_print(take_order, &about, result->run.rounds, out);
}
