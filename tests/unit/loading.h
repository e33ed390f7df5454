/* Bytes that are loaded as results, or refused. */
#ifndef LAUKA_TESTS_LOADING_H
#define LAUKA_TESTS_LOADING_H

#include "report/analysis/analysis.h"
#include "report/hdr/hdr.h"
#include "report/json/json.h"
#include "report/load/load.h"
#include "report/result/result.h"
#include "stats/histogram.h"
#include "stats/stats.h"

#include <errno.h>
#include <stdlib.h>

#include "tests/unit/expect.h"

static const char *goldens = "tests/goldens";

struct load_outcome {
    int failure;
    struct lauka_result result;
    struct lauka_load_error error;
};

/* Loads a copy of exactly that many bytes, so that a sanitizer catches a read beyond the end. */
static inline struct load_outcome load_bytes(const char *bytes, size_t size, const char *column)
{
    struct load_outcome outcome;
    char *copy = malloc(size > 0 ? size : 1);
    memcpy(copy, bytes, size);
    const struct lauka_stored stored = {.name = "f", .bytes = copy, .size = size, .column = column};
    outcome.failure = lauka_load(&stored, &outcome.result, &outcome.error);
    free(copy);
    return outcome;
}

static inline struct load_outcome load_text(const char *text, const char *column)
{
    return load_bytes(text, strlen(text), column);
}

static inline void expect_loads(const struct load_outcome *outcome)
{
    EXPECT(outcome->failure == 0);
    EXPECT_TEXT(outcome->error.text, "");
}

static inline void expect_refusal(const char *text, const char *column, const char *error)
{
    struct load_outcome outcome = load_text(text, column);
    EXPECT(outcome.failure == EINVAL);
    EXPECT_TEXT(outcome.error.text, error);
    EXPECT(outcome.result.metrics == NULL && outcome.result.commands == NULL);
    lauka_result_done(&outcome.result);
}

static inline void expect_values(const struct lauka_result *result, size_t command,
                                 const char *metric, const uint64_t *values, size_t count)
{
    size_t m = lauka_result_metric_index(result, metric);
    EXPECT(m < result->metric_count && command < result->command_count);
    if (!expect_ok)
        return;
    const struct lauka_series *series = &result->commands[command].series[m];
    EXPECT_UINT(series->count, count);
    for (size_t i = 0; i < count && i < series->count; i++)
        EXPECT_UINT(lauka_series_at(series, i), values[i]);
}

#define VALUES(result, command, metric, ...)                                                       \
    expect_values(result, command, metric, (const uint64_t[]){__VA_ARGS__},                        \
                  sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

/* Owned by the caller. */
static inline char *read_golden(const char *name, size_t *size)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", goldens, name);
    FILE *file = fopen(path, "rb");
    char *text = calloc(1, 1 << 20);
    EXPECT(file != NULL && text != NULL);
    *size = file ? fread(text, 1, (1 << 20) - 1, file) : 0;
    if (file)
        fclose(file);
    return text;
}

/* Owned by the caller. */
static inline char *json_of(struct lauka_result *result)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    EXPECT(lauka_result_analyse(result) == 0);
    EXPECT(lauka_write_json(result, out) == 0);
    fclose(out);
    return text;
}

static char *make_hlog(void);

#define METRIC(values) "\"metrics\": {\"wall_time\": {\"unit\": \"ns\", \"values\": " values "}}"

/* What each `run` has to say, beside its seed, rounds and seconds. */
#define RUN(SEED, ROUNDS, SECONDS)                                                                 \
    "\"run\": {\"seed\": " SEED ", \"rounds\": " ROUNDS ", \"seconds\": " SECONDS                  \
    ", \"noise\": false, \"unpaired\": false, \"warmup\": 0, \"stopped\": \"time\", "              \
    "\"alpha\": 0.05, \"precision\": 0.01, \"samples\": "

#define LAUKA(rest) "{\"schema\": \"lauka-result/1.0\", " rest "}"

static const char hyperfine_1[] =
    "{\n  \"results\": [\n    {\n      \"command\": \"sleep 0.01\",\n      \"mean\": 0.0115,\n"
    "      \"times\": [\n        0.01114268526,\n        0.01146172426,\n        0.011918\n      "
    "],\n"
    "      \"memory_usage_byte\": [3870720, 3874816, 3874816],\n"
    "      \"exit_codes\": [0, 1, null]\n    },\n"
    "    {\"command\": \"true\", \"times\": [0.0005, 1e-3, 0.0007], \"exit_codes\": [0, 0, 0],\n"
    "     \"memory_usage_byte\": [1, 2, 3], \"parameters\": {\"n\": \"2\"}}\n  ]\n}\n";

#define SECONDS(name, value) "\"" name "\": {\"value\": " value ", \"unit\": \"second\"}"

#define MEASUREMENT(time)                                                                          \
    "{" SECONDS("time_wall_clock", time) ", " SECONDS("time_cpu", "0.002") ", " SECONDS(           \
        "time_user",                                                                               \
        "0.0015") ", " SECONDS("time_system",                                                      \
                               "0.0005") ", \"memory_peak_resident\": {\"value\": 3858432, "       \
                                         "\"unit\": \"byte\"}, \"instructions\": "                 \
                                         "{\"value\": 1234567, \"unit\": \"count\"}, "             \
                                         "\"exit_code\": 0}"

#define HYPERFINE_2(measurements)                                                                  \
    "{\"schema_version\": 2, \"metadata\": {\"hyperfine_version\": \"2.0.0\"}, "                   \
    "\"primary_metric\": \"time_wall_clock\", \"results\": [{\"command\": \"sleep 0.01\", "        \
    "\"measurements\": [" measurements                                                             \
    "], \"summary\": {\"time_wall_clock\": {\"unit\": \"second\", \"count\": 2}}}]}"

static const char hyperfine_2[] = HYPERFINE_2(MEASUREMENT("0.0112345678") ", " MEASUREMENT("0.5"));

static inline void write_interval(const char *tag, uint64_t from, uint64_t to, FILE *out)
{
    struct lauka_hlog_interval interval = {.length = 1};
    snprintf(interval.tag, sizeof interval.tag, "%s", tag);
    EXPECT(lauka_histogram_init(&interval.histogram, NULL) == 0);
    for (uint64_t value = from; value <= to; value++)
        lauka_histogram_record(&interval.histogram, value);
    EXPECT(lauka_hlog_write(&interval, 1, out) == 0);
    lauka_histogram_done(&interval.histogram);
}

/* Begins a log of histograms with this header; closed, it is the text, which the caller owns. */
static inline FILE *open_hlog(char **text, const char *header)
{
    static size_t size;
    FILE *out = open_memstream(text, &size);
    EXPECT(lauka_hlog_write_header(header, 0, out) == 0);
    return out;
}

/* Two intervals with the values 1 to 30, and 5 to 14 under the tag "b". Owned by the caller. */
static inline char *make_hlog(void)
{
    char *text = NULL;
    FILE *out = open_hlog(&text, "made by a test");
    write_interval("", 1, 10, out);
    write_interval("b", 5, 14, out);
    write_interval("", 11, 30, out);
    fclose(out);
    return text;
}

/* 9 * 10^9 times the value 1000 and 10^9 times `rest`, under a tag, and ten values without one. Owned by
 * the caller. */
static inline char *make_huge_hlog(uint64_t rest, unsigned digits)
{
    struct lauka_hlog_interval interval = {.length = 1, .tag = "big"};
    const struct lauka_histogram_options options = {.digits = digits};
    char *text = NULL;
    FILE *out = open_hlog(&text, "made by a test");
    write_interval("", 1, 10, out);
    EXPECT(lauka_histogram_init(&interval.histogram, &options) == 0);
    EXPECT(lauka_histogram_record_count(&interval.histogram, 1000, UINT64_C(4500000000)));
    EXPECT(lauka_hlog_write(&interval, 1, out) == 0);
    EXPECT(lauka_histogram_record_count(&interval.histogram, rest, UINT64_C(1000000000)));
    EXPECT(lauka_hlog_write(&interval, 1, out) == 0);
    lauka_histogram_done(&interval.histogram);
    fclose(out);
    return text;
}

#endif
