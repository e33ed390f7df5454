/* The arrays with a value per run, written straight from memory, so a million runs need no more of
 * it. It makes the many digits without printf. */
#include "report/json/parts.h"
#include "report/pack/pack.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "stats/stats.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* ---- what they hold -------------------------------------------------------------------------- */

struct runs { /* borrowed; one of these holds the values */
    const struct lauka_series *series;
    const int16_t *exit_codes;
    const uint16_t *layout;
    const uint32_t *indices;
    size_t first; /* is added to the indices */
    uint64_t count;
    int decimals;
    bool is_hyperfines; /* stays as its readers expect it */
};

static struct runs runs_of_series(const struct lauka_result *result, size_t command, size_t metric)
{
    if (metric >= result->metric_count || !result->metrics[metric].counted)
        return (struct runs){0};
    const struct lauka_series *series = &result->commands[command].series[metric];
    return (struct runs){
        .series = series, .count = series->count, .decimals = result->metrics[metric].decimals};
}

/* first: the name of the reference. */
static struct runs runs_of(const struct lauka_result *result, size_t first,
                           enum lauka_json_stream stream, size_t command, size_t metric)
{
    const struct lauka_result_benchmark *about = &result->benchmark;
    const uint64_t rounds = result->run.rounds;
    struct runs runs = {0};
    switch (stream) {
    case LAUKA_JSON_TIMES:
    case LAUKA_JSON_MEMORY:
    case LAUKA_JSON_VALUES:
        runs = runs_of_series(result, command, metric);
        break;
    case LAUKA_JSON_EXIT_CODES:
        runs.exit_codes = result->commands[command].exit_codes;
        if (runs.exit_codes && !result->run.samples_left_out)
            runs.count = lauka_result_rounds(result, command);
        break;
    case LAUKA_JSON_ORDER:
        runs = (struct runs){
            .indices = result->run.order, .first = first, .count = rounds * result->command_count};
        break;
    case LAUKA_JSON_LAYOUT:
        runs = (struct runs){.layout = result->run.layout, .count = rounds};
        break;
    case LAUKA_JSON_UNITS:
        runs = (struct runs){.indices = about->units.of, .count = rounds};
        break;
    case LAUKA_JSON_INNER_UNITS:
        runs = (struct runs){.indices = about->inner.of, .count = rounds};
        break;
    }
    if (!runs.series && !runs.exit_codes && !runs.layout && !runs.indices)
        runs.count = 0;
    runs.is_hyperfines = stream < LAUKA_JSON_VALUES;
    return runs;
}

static uint64_t value_at(const struct runs *runs, size_t i)
{
    if (runs->series)
        return lauka_series_at(runs->series, i);
    if (runs->indices)
        return runs->first + runs->indices[i];
    if (runs->layout)
        return runs->layout[i];
    /* Of stored data: killed by a signal, but it is not known which. */
    return runs->exit_codes[i] < 0 ? LAUKA_MISSING : (uint64_t)runs->exit_codes[i];
}

static void take_values(const void *context, size_t first, size_t count, uint64_t *values)
{
    for (size_t i = 0; i < count; i++)
        values[i] = value_at(context, first + i);
}

/* ---- arrays of numbers ----------------------------------------------------------------------- */

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
static void put_value(struct array *array, uint64_t value, int decimals, bool seconds)
{
    char *end = array->text + sizeof array->text;
    if (value == LAUKA_MISSING) {
        put(array, "null", 4);
        return;
    }
    if (!array->begin || value != array->last)
        array->begin = seconds ? lauka_decimal_before(end, value, 9 + decimals)
                               : lauka_json_decimal_before(end, value, decimals);
    array->last = value;
    put(array, array->begin, (size_t)(end - array->begin));
}

static void put_array(const struct runs *runs, bool dense, bool seconds, FILE *out)
{
    struct array array = {.out = out, .dense = dense};
    for (uint64_t i = 0; i < runs->count && !array.failed; i++)
        put_value(&array, value_at(runs, i), runs->decimals, seconds);
    flush(&array);
    fputs(array.count > 0 ? "]" : "[]", out);
}

/* Missing values are null; what was not counted at all is []. Long arrays that are not packed have no blanks. */
void lauka_document_runs(struct lauka_json_document *document, const char *key,
                         enum lauka_json_stream stream, size_t command, size_t metric)
{
    const struct lauka_result *result = document->result;
    const struct runs runs = runs_of(result, document->first, stream, command, metric);
    const bool is_long = lauka_result_is_packed(result, runs.count);
    const bool packed = is_long && !runs.is_hyperfines;
    char name[32];
    snprintf(name, sizeof name, "%s%s", key, packed ? "_packed" : "");
    lauka_document_raw(document, name, NULL);
    if (!packed)
        put_array(&runs, is_long, stream == LAUKA_JSON_TIMES, document->out);
    else if (lauka_pack_print(take_values, &runs, runs.count, document->out) != 0)
        document->incomplete = true;
}
