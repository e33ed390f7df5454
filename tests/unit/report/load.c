/* Tests of report/load/: what was stored is read back, damaged data is refused with its position, and no
 * input does harm. The directory of the goldens may be given as the first argument. */
#include "report/analysis/analysis.h"
#include "report/hdr/hdr.h"
#include "report/json/json.h"
#include "report/load/load.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "stats/histogram.h"
#include "stats/stats.h"

#include <errno.h>
#include <stdlib.h>

#include "tests/unit/expect.h"

static const char *goldens = "tests/goldens";

/* ---- helpers --------------------------------------------------------------------------------- */

struct load_outcome {
    int failure;
    struct lauka_result result;
    struct lauka_load_error error;
};

/* Loads a copy of exactly that many bytes, so that a sanitizer catches a read beyond the end. */
static struct load_outcome load_bytes(const char *bytes, size_t size, const char *column)
{
    struct load_outcome outcome;
    char *copy = malloc(size > 0 ? size : 1);
    memcpy(copy, bytes, size);
    const struct lauka_stored stored = {.name = "f", .bytes = copy, .size = size, .column = column};
    outcome.failure = lauka_load(&stored, &outcome.result, &outcome.error);
    free(copy);
    return outcome;
}

static struct load_outcome load_text(const char *text, const char *column)
{
    return load_bytes(text, strlen(text), column);
}

static void expect_loads(const struct load_outcome *outcome)
{
    EXPECT(outcome->failure == 0);
    EXPECT_TEXT(outcome->error.text, "");
}

static void expect_refusal(const char *text, const char *column, const char *error)
{
    struct load_outcome outcome = load_text(text, column);
    EXPECT(outcome.failure == EINVAL);
    EXPECT_TEXT(outcome.error.text, error);
    EXPECT(outcome.result.metrics == NULL && outcome.result.commands == NULL);
    lauka_result_done(&outcome.result);
}

static void expect_values(const struct lauka_result *result, size_t command, const char *metric,
                          const uint64_t *values, size_t count)
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
static char *read_golden(const char *name, size_t *size)
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
static char *json_of(struct lauka_result *result)
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

/* ---- encodings ------------------------------------------------------------------------------- */

/* ASCII in UTF-16 with a byte order mark. Owned by the caller. */
static char *widen(const char *text, size_t size, bool little, size_t *wide_size)
{
    char *wide = calloc(2 * size + 2, 1);
    EXPECT(wide != NULL);
    memcpy(wide, little ? "\xff\xfe" : "\xfe\xff", 2);
    for (size_t i = 0; i < size; i++)
        wide[2 + 2 * i + !little] = text[i];
    *wide_size = 2 * size + 2;
    return wide;
}

static void expect_the_same_in_utf16(const char *text, const char *column)
{
    struct load_outcome outcome = load_text(text, column);
    expect_loads(&outcome);
    char *expected = json_of(&outcome.result);
    lauka_result_done(&outcome.result);
    for (int little = 0; little < 2; little++) {
        size_t size;
        char *wide = widen(text, strlen(text), little, &size);
        outcome = load_bytes(wide, size, column);
        expect_loads(&outcome);
        char *json = json_of(&outcome.result);
        EXPECT_TEXT(json, expected);
        lauka_result_done(&outcome.result);
        outcome = load_bytes(wide, size - 1, column);
        EXPECT_TEXT(outcome.error.text, "f: is UTF-16, and cut off within a character");
        outcome = load_bytes(wide + 2, size - 2, column);
        EXPECT_TEXT(outcome.error.text, "f: is UTF-16 without a byte order mark: save it as UTF-8");
        free(json);
        free(wide);
    }
    free(expected);
}

static void what_powershell_writes_is_read(void)
{
    char *log = make_hlog();
    expect_the_same_in_utf16("12\r\n7.5\r\n100\r\n", NULL);
    expect_the_same_in_utf16("run,ms\r\n1,2\r\n2,3\r\n", "ms");
    expect_the_same_in_utf16("{\"results\": [{\"command\": \"a\", \"times\": [1, 2]}]}", NULL);
    expect_the_same_in_utf16(log, NULL);
    free(log);
}

/* U+00E9, U+20AC and U+1F600 as a title; then half a pair. */
static void all_characters_of_utf16_become_utf8(void)
{
    static const char titled[] = "\xff\xfe"
                                 "a\0,\0\xe9\0\xac\x20\x3d\xd8\x00\xde\n\0001\0,\0002\0";
    static const char half[] = "\xfe\xff\xd8\x3d\0\n\0"
                               "1";
    struct load_outcome outcome = load_bytes(titled, sizeof titled - 1, "\u00e9\u20ac\U0001f600");
    expect_loads(&outcome);
    VALUES(&outcome.result, 0, "\u00e9\u20ac\U0001f600", 2);
    lauka_result_done(&outcome.result);
    outcome = load_bytes(half, sizeof half - 1, NULL);
    EXPECT_TEXT(outcome.error.text,
                "f:1: `\uFFFD` is not a number; is this file CSV? Then say --column NAME");
    outcome = load_bytes("\xff\xfe\0\0", 4, NULL);
    EXPECT_TEXT(outcome.error.text, "f: is UTF-32: save it as UTF-8");
    outcome = load_bytes("\xff\xfe", 2, NULL);
    EXPECT_TEXT(outcome.error.text, "f: holds no values");
}

/* ---- plain numbers --------------------------------------------------------------------------- */

static void plain_numbers_are_read_with_comments_blanks_and_any_line_end(void)
{
    struct load_outcome outcome = load_text("# of a machine\n\n 12\r\n\t7 # warm\n100", NULL);
    expect_loads(&outcome);
    VALUES(&outcome.result, 0, "value", 12, 7, 100);
    EXPECT_TEXT(outcome.result.commands[0].label, "f");
    EXPECT(outcome.result.run.stopped == LAUKA_STOPPED_STORED);
    EXPECT_UINT(outcome.result.run.rounds, 3);
    lauka_result_done(&outcome.result);
}

static void a_power_of_ten_makes_decimals_exact(void)
{
    struct load_outcome outcome = load_text("1.5\n.25\n+3\n2e-3\n1.0E2\n0.10\n-0\n", NULL);
    expect_loads(&outcome);
    VALUES(&outcome.result, 0, "value", 1500, 250, 3000, 2, 100000, 100, 0);
    EXPECT(outcome.result.metrics[0].decimals == 3);
    EXPECT_UINT(outcome.result.warning_count, 0);
    lauka_result_done(&outcome.result);
}

static void more_than_nine_decimals_are_rounded_and_that_is_said(void)
{
    struct load_outcome outcome = load_text("0.12345678949\n0.12345678950\n1\n", NULL);
    expect_loads(&outcome);
    VALUES(&outcome.result, 0, "value", 123456789, 123456790, 1000000000);
    EXPECT(outcome.result.metrics[0].decimals == 9);
    EXPECT_UINT(outcome.result.warning_count, 1);
    EXPECT_TEXT(outcome.result.warnings[0], "numbers were rounded to 9 decimals");
    lauka_result_done(&outcome.result);
}

static void of_small_numbers_nine_digits_are_kept(void)
{
    struct load_outcome outcome = load_text("1.23456789012e-12\n4e-12\n0.05\n", NULL);
    expect_loads(&outcome);
    VALUES(&outcome.result, 0, "value", 123456789, 400000000, UINT64_C(5000000000000000000));
    EXPECT(outcome.result.metrics[0].decimals == 20);
    lauka_result_done(&outcome.result);
}

static void of_large_numbers_multiples_of_a_power_of_ten_are_kept(void)
{
    struct load_outcome outcome = load_text("1e25\n123456789012345678901234567\n", NULL);
    expect_loads(&outcome);
    VALUES(&outcome.result, 0, "value", UINT64_C(1000000000000000000),
           UINT64_C(12345678901234567890));
    EXPECT(outcome.result.metrics[0].decimals == -7);
    EXPECT_TEXT(outcome.result.warnings[0], "numbers were rounded to multiples of 1e7");
    lauka_result_done(&outcome.result);
}

static void large_numbers_take_the_room_of_decimals(void)
{
    struct load_outcome outcome = load_text("0.25\n1000000000000000000\n0.5\n", NULL);
    expect_loads(&outcome);
    VALUES(&outcome.result, 0, "value", 3, UINT64_C(10000000000000000000), 5);
    EXPECT(outcome.result.metrics[0].decimals == 1);
    EXPECT_TEXT(outcome.result.warnings[0], "numbers were rounded to 1 decimal");
    lauka_result_done(&outcome.result);
}

static void integers_are_exact_up_to_the_largest(void)
{
    struct load_outcome outcome = load_text("18446744073709551614\n9007199254740993\n", NULL);
    expect_loads(&outcome);
    VALUES(&outcome.result, 0, "value", UINT64_MAX - 1, UINT64_C(9007199254740993));
    lauka_result_done(&outcome.result);
}

static void many_digits_are_rounded_at_the_last_one_kept(void)
{
    struct load_outcome outcome =
        load_text("1.00000000000000000000000000000000000000000000000000000000001\n"
                  "0.99999999999999999999999999999999\n",
                  NULL);
    expect_loads(&outcome);
    VALUES(&outcome.result, 0, "value", 1000000000, 1000000000);
    lauka_result_done(&outcome.result);
}

static void damaged_numbers_are_refused_with_their_line(void)
{
    expect_refusal("", NULL, "f: holds no values");
    expect_refusal("# nothing\n\n", NULL, "f: holds no values");
    expect_refusal("1\n2\n3x\n", NULL, "f:3: `3x` is not a number");
    expect_refusal("1\n# c\n2 3\n", NULL, "f:3: `2 3` is not a number");
    expect_refusal("1\n-2\n", NULL, "f:2: `-2` is negative");
    expect_refusal("1\nnan\n", NULL, "f:2: `nan` is not finite");
    expect_refusal("1\n-Infinity\n", NULL, "f:2: `-Infinity` is not finite");
    expect_refusal("1\n0x10\n", NULL, "f:2: `0x10` is not a number");
    expect_refusal("1\n1e\n", NULL, "f:2: `1e` is not a number");
    expect_refusal("1\n1.2.3\n", NULL, "f:2: `1.2.3` is not a number");
    expect_refusal("1\n.\n", NULL, "f:2: `.` is not a number");
    expect_refusal("1\n1e400\n", NULL, "f:2: `1e400` is too large beside the others");
    expect_refusal("1e400\n", NULL, "f:1: `1e400` is too large");
    expect_refusal("1e99999999999999999999\n", NULL, "f:1: `1e99999999999999999999` is too large");
    expect_refusal("1\n1e-40\n", NULL,
                   "f:2: `1e-40` is too small: below 1e-38, or beside the largest of the others");
    expect_refusal("1e9\n1e-12\n", NULL,
                   "f:2: `1e-12` is too small: below 1e-38, or beside the largest of the others");
    expect_refusal("0.1\n1e19\n", NULL, "f:2: `1e19` is too large beside the others");
    expect_refusal("time\n1\n", NULL,
                   "f:1: `time` is not a number; is this file CSV? Then say --column NAME");
    expect_refusal("1\n0123456789012345678901234567890123456789x\n", NULL,
                   "f:2: `0123456789012345678901234567890123456789...` is not a number");
}

/* ---- CSV ------------------------------------------------------------------------------------- */

static void a_column_is_chosen_by_its_title(void)
{
    struct load_outcome outcome = load_text(
        "\xEF\xBB\xBF\"name\",time,\"the, rest\"\r\na,1.5,x\r\n\"b\nb\", 2 ,\"\"\"y\"\r\n", "time");
    expect_loads(&outcome);
    VALUES(&outcome.result, 0, "time", 15, 20);
    EXPECT(outcome.result.metrics[0].decimals == 1);
    lauka_result_done(&outcome.result);
}

static void a_column_is_chosen_by_its_number_with_or_without_titles(void)
{
    struct load_outcome titled = load_text("a,b\n1,2\n3,4\n", "2");
    struct load_outcome untitled = load_text("1,2\n3,4\n", "2");
    expect_loads(&titled);
    expect_loads(&untitled);
    VALUES(&titled.result, 0, "b", 2, 4);
    VALUES(&untitled.result, 0, "value", 2, 4);
    lauka_result_done(&titled.result);
    lauka_result_done(&untitled.result);
}

static void a_number_without_such_a_place_can_be_a_title(void)
{
    struct load_outcome outcome = load_text("2025,2026\n10,20\n", "2026");
    expect_loads(&outcome);
    VALUES(&outcome.result, 0, "2026", 20);
    lauka_result_done(&outcome.result);
}

static void an_empty_field_is_missing_and_keeps_its_place(void)
{
    struct load_outcome outcome = load_text("a,b\n1,5\n2,\n3,\"\"\n4,6\n", "b");
    expect_loads(&outcome);
    VALUES(&outcome.result, 0, "b", 5, LAUKA_MISSING, LAUKA_MISSING, 6);
    lauka_result_done(&outcome.result);
}

/* Summaries of hyperfine and lauka, and lauka's samples. */
static void rows_of_different_commands_are_not_values_of_one(void)
{
    static const char *const instead = "take the JSON of lauka or hyperfine instead";
    char expected[256];
    snprintf(expected, sizeof expected,
             "f:3: has rows of `a` and `b`, which are not values of one of them: %s", instead);
    expect_refusal("command,mean,stddev\na,1,0.1\nb,2,0.1\n", "mean", expected);
    expect_refusal("round,position,command,ms\n1,1,\"a\",1\n1,2,\"b\",2\n", "ms", expected);
    snprintf(expected, sizeof expected,
             "f:3: has rows of `x, 4` and `x, 16`, which are not values of one of them: %s",
             instead);
    expect_refusal("command,mean,parameter_threads\nx,1,4\nx,2,16\n", "2", expected);
    snprintf(expected, sizeof expected,
             "f: is a summary, and holds no single runs, which a comparison needs: %s", instead);
    expect_refusal("command,mean,stddev\na,1,0.1\n", "mean", expected);
    struct load_outcome outcome = load_text("command,ms\na,1\na,2\n", "ms");
    expect_loads(&outcome);
    VALUES(&outcome.result, 0, "ms", 1, 2);
    lauka_result_done(&outcome.result);
}

static void decimal_commas_are_refused_with_what_to_do(void)
{
    expect_refusal("101,5\n102,5\n", NULL,
                   "f:1: has several columns, or decimal commas, which are not read: choose one by "
                   "--column, or write decimals with a point");
    expect_refusal("101\n-102,5\n", NULL,
                   "f:2: `-102,5` is not a number: decimals follow a point, not a comma");
    expect_refusal("a,b\n1,\"101,5\"\n", "b",
                   "f:2: `101,5` is not a number: decimals follow a point, not a comma");
    expect_refusal("a;b\n1;2\n", "b",
                   "f:1: `b` is not among the columns: a;b (only commas separate columns)");
}

static void damaged_csv_is_refused_with_its_line(void)
{
    expect_refusal("a,b\n1,2\n", NULL, "f:1: has several columns; choose one by --column: a, b");
    expect_refusal("a,b\n1,2\n", "c", "f:1: `c` is not among the columns: a, b");
    expect_refusal("a,b\n1,2\n", "3", "f:1: `3` is not among the columns: a, b");
    expect_refusal("a,b\n1,2\n", "0", "f:1: `0` is not among the columns: a, b");
    expect_refusal("a,a\n1,2\n", "a",
                   "f:1: `a` is the title of several columns: choose one by its number");
    expect_refusal("a,b\n1,2\n3\n", "b", "f:3: has 1 field, but the first row has 2");
    expect_refusal("a,b\n1,2\n3,4,5\n", "b", "f:3: has 3 fields, but the first row has 2");
    expect_refusal("a,b\n1,2\n3,x\n", "b", "f:3: `x` is not a number");
    expect_refusal("a,b\n1,-2\n", "b", "f:2: `-2` is negative");
    expect_refusal("-1,2\n3,4\n", "1", "f:1: `-1` is negative");
    expect_refusal("a,b\n1,2\n\"x\"y,4\n", "b",
                   "f:3: is not CSV: error parsing data while strict checking enabled");
    expect_refusal("a,b\n1,2\n3,\"4\n", "b",
                   "f:3: ends within a quoted field; error parsing data while strict checking "
                   "enabled");
    expect_refusal("a,b\n", "b", "f: holds no values");
    expect_refusal("", "b", "f: holds no values");
}

/* ---- lauka's JSON ---------------------------------------------------------------------------- */

/* Owned by the caller; empty if the bytes could not be loaded. */
static char *written_again(const char *json, size_t size)
{
    struct load_outcome outcome = load_bytes(json, size, NULL);
    expect_loads(&outcome);
    char *again = outcome.failure ? calloc(1, 1) : json_of(&outcome.result);
    lauka_result_done(&outcome.result);
    return again;
}

/* Comparisons are computed again; everything else must be the same text. Goldens lack last digits and
 * histograms, so the text that is written from a golden is the one to compare with. */
static void expect_round_trip(const char *name)
{
    size_t size;
    char *golden = read_golden(name, &size);
    char *complete = written_again(golden, size);
    char *again = written_again(complete, strlen(complete));
    char *comparisons[2] = {strstr(again, "\"comparisons\""), strstr(complete, "\"comparisons\"")};
    char *run[2] = {strstr(again, "\"run\""), strstr(complete, "\"run\"")};
    EXPECT(comparisons[0] && comparisons[1] && run[0] && run[1]);
    if (expect_ok) {
        EXPECT_TEXT(run[0], run[1]);
        EXPECT_TEXT(run[0], strstr(golden, "\"run\""));
        *comparisons[0] = *comparisons[1] = 0;
        EXPECT_TEXT(again, complete);
    }
    free(again);
    free(complete);
    free(golden);
}

static void a_stored_result_is_the_same_result(void)
{
    expect_round_trip("two.json");
    expect_round_trip("missing.json");
    expect_round_trip("nasty.json");
}

static void stored_columns_come_back_with_their_decimals(void)
{
    struct load_outcome first = load_text("0.125\n18014398509481.985\n7\n", NULL);
    expect_loads(&first);
    char *json = json_of(&first.result);
    struct load_outcome second = load_text(json, NULL);
    expect_loads(&second);
    VALUES(&second.result, 0, "value", 125, UINT64_C(18014398509481985), 7000);
    EXPECT(second.result.metrics[0].decimals == 3);
    char *again = json_of(&second.result);
    EXPECT_TEXT(again, json);
    free(json);
    free(again);
    lauka_result_done(&first.result);
    lauka_result_done(&second.result);
}

#define METRIC(values) "\"metrics\": {\"wall_time\": {\"unit\": \"ns\", \"values\": " values "}}"
#define ENTRY(values) "{\"command\": \"c\", " METRIC(values) "}"
/* What each `run` has to say, beside its seed, rounds and seconds. */
#define RUN(SEED, ROUNDS, SECONDS)                                                                 \
    "\"run\": {\"seed\": " SEED ", \"rounds\": " ROUNDS ", \"seconds\": " SECONDS                  \
    ", \"noise\": false, \"unpaired\": false, \"warmup\": 0, \"stopped\": \"time\", "              \
    "\"alpha\": 0.05, \"precision\": 0.01, \"samples\": "
#define LAUKA(rest) "{\"schema\": \"lauka-result/1.0\", " rest "}"
#define RESULT(values) LAUKA("\"results\": [" ENTRY(values) "]")

static void integers_beyond_two_to_the_53_come_back_exactly(void)
{
    struct load_outcome outcome =
        load_text(RESULT("[1, \"9007199254740993\", null, \"18446744073709551614\"]"), NULL);
    expect_loads(&outcome);
    VALUES(&outcome.result, 0, "wall_time", 1, UINT64_C(9007199254740993), LAUKA_MISSING,
           UINT64_MAX - 1);
    lauka_result_done(&outcome.result);
}

static void newer_minor_versions_and_unknown_keys_are_read(void)
{
    struct load_outcome outcome = load_text(
        "{\"schema\": \"lauka-result/1.99\", \"new\": [{\"values\": [[1]]}], \"results\": [{\"x\": "
        "\"]\", \"command\": \"c\", " METRIC("[1, 2]") "}], \"host\": null}",
        NULL);
    expect_loads(&outcome);
    VALUES(&outcome.result, 0, "wall_time", 1, 2);
    EXPECT(outcome.result.metrics[0].counted);
    lauka_result_done(&outcome.result);
}

/* Long arrays are skipped many bytes at a time, wherever a bracket, a brace or a quote is. */
static void ends_are_found_wherever_they_stand(void)
{
    static const char form[] =
        "{\"schema\": \"lauka-result/1.0\", \"x\": [%.*s%s%.*s], \"results\": "
        "[{\"command\": \"a\", \"exit_codes\": [0,%.*s0], \"metrics\": {\"value\": "
        "{\"unit\": \"\", \"values\": [%.*s12, 7]}}}]}";
    static const char *const marks[] = {"\"]\"", "[[]]", "{\"a\": \"}\"}", "\"\\\"]\"", "1"};
    char blanks[200], text[1200];
    memset(blanks, ' ', sizeof blanks);
    for (size_t m = 0; m < sizeof marks / sizeof *marks; m++)
        for (int before = 0; before < 140; before += before < 70 ? 1 : 13) {
            snprintf(text, sizeof text, form, before, blanks, marks[m], 139 - before, blanks,
                     before, blanks, before, blanks);
            struct load_outcome outcome = load_text(text, NULL);
            expect_loads(&outcome);
            VALUES(&outcome.result, 0, "value", 12, 7);
            lauka_result_done(&outcome.result);
        }
}

static void different_counts_make_a_result_unpaired(void)
{
    struct load_outcome outcome =
        load_text(LAUKA("\"results\": [" ENTRY("[1]") ", " ENTRY("[1, 2]") "]"), NULL);
    expect_loads(&outcome);
    EXPECT(outcome.result.run.unpaired);
    EXPECT_UINT(lauka_result_rounds(&outcome.result, 0), 1);
    EXPECT_UINT(lauka_result_rounds(&outcome.result, 1), 2);
    lauka_result_done(&outcome.result);
}

static void damaged_results_are_refused_with_their_place(void)
{
    static const char *const damaged[][2] = {
        {"{", "f:1: this is not JSON: it ends too early"},
        {"{\"results\":\n\n[1}", "f:3: this is not JSON"},
        {RESULT("[1]") "\n x", "f:2: this is not JSON"},
        {"[1, 2]", "f: is JSON, but no result of lauka or hyperfine"},
        {"{\"results\": 1}", "f: is JSON, but no result of lauka or hyperfine"},
        {"{\"results\": []}", "f: results: is empty"},
        {"{\"results\": [1]}", "f: results[0]: is not an object"},
        {"{\"results\": [{}], \"results\": []}",
         "f: the document: the key `results` is there twice"},
        {"{\"schema\": \"lauka-result/3.0\", \"results\": [{}]}",
         "f: schema: is newer than this lauka, which reads versions 1 and 2"},
        {"{\"schema\": \"other/1.0\", \"results\": [{}]}", "f: schema: is not lauka-result/1.0"},
        {"{\"schema\": 1, \"results\": [{}]}", "f: schema: is not lauka-result/1.0"},
        {"{\"schema_version\": 3, \"results\": [{}]}",
         "f: schema_version: only 2, hyperfine's, is known"},
        {LAUKA("\"results\": [{\"command\": \"c\"}]"), "f: results[0].metrics: is not an object"},
        {LAUKA("\"results\": [{" METRIC("[1]") "}]"),
         "f: results[0]: the text of `command` is missing"},
        {LAUKA("\"results\": [{\"command\": \"c\", \"metrics\": {}}]"),
         "f: results: there is no metric"},
        {RESULT("[]"), "f: results[0]: holds no single runs, which a comparison needs"},
        {RESULT("7"), "f: results[0].metrics.wall_time.values: is not an array of numbers"},
        {RESULT("[[1]]"), "f: results[0].metrics.wall_time.values: is not an array of numbers"},
        {RESULT("[1,\n2,\n true]"),
         "f:3: results[0].metrics.wall_time.values[2]: `true` is not a number"},
        {RESULT("[1, -2]"), "f:1: results[0].metrics.wall_time.values[1]: `-2` is negative"},
        {RESULT("[1.5]"),
         "f:1: results[0].metrics.wall_time.values[0]: `1.5` is not a whole number"},
        {RESULT("[NaN]"), "f:1: results[0].metrics.wall_time.values[0]: `NaN` is not finite"},
        {RESULT("[1e400]"), "f:1: results[0].metrics.wall_time.values[0]: `1e400` is too large"},
        {RESULT("[1,]"), "f:1: results[0].metrics.wall_time.values[1]: `` is not a number"},
        {RESULT("[\"18446744073709551615\"]"),
         "f:1: results[0].metrics.wall_time.values[0]: `\"18446744073709551615\"` is too large"},
        {LAUKA("\"results\": [{\"command\": \"c\", \"times\": [1], \"times\": [2], " METRIC(
             "[1]") "}]"),
         "f: results[0]: the key `times` is there twice"},
        {LAUKA("\"results\": [{\"command\": \"c\", \"exit_codes\": [0, 0], " METRIC("[1]") "}]"),
         "f: results[0].exit_codes: expected one for each run"},
        {LAUKA("\"results\": [{\"command\": \"c\", \"exit_codes\": [99999], " METRIC("[1]") "}]"),
         "f: results[0].exit_codes: is too large for an exit code"},
        {LAUKA("\"results\": [" ENTRY("[1]") "], " RUN("7", "2", "1") "true}"),
         "f: run.rounds: there are fewer values"},
        {LAUKA("\"results\": [" ENTRY("[1]") "], " RUN("1.5", "1", "1") "true}"),
         "f: run.seed: is not a whole number"},
        {LAUKA("\"results\": [" ENTRY("[1]") "], " RUN("1e300", "1", "1") "true}"),
         "f: run.seed: is not a whole number up to 2^53, or one as a string"},
        {LAUKA("\"results\": [" ENTRY("[1]") "], " RUN("7", "1", "-1") "true}"),
         "f: run.seconds: is out of its range"},
        {LAUKA("\"results\": [" ENTRY("[1]") "], " RUN("7", "1", "1") "true, \"order\": [1]}"),
         "f: run.order: is not the order of these runs"},
        {LAUKA("\"results\": [" ENTRY("[1]") "], \"warnings\": [1]"),
         "f: warnings: is not a short array of texts"},
        {LAUKA("\"results\": [" ENTRY("[1]") ", {\"command\": \"d\", \"metrics\": {\"wall_time\": "
                                             "{\"unit\": \"B\", \"values\": [1]}}}]"),
         "f: results[1].metrics.wall_time: this metric has different units in the results"},
    };
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++)
        expect_refusal(damaged[i][0], NULL, damaged[i][1]);
}

static void a_zero_byte_ends_nothing(void)
{
    static const char document[] = RESULT("[1]") "\n\0{";
    struct load_outcome outcome = load_bytes(document, sizeof document - 1, NULL);
    EXPECT(outcome.failure == EINVAL);
    EXPECT_TEXT(outcome.error.text, "f:2: a zero byte is no part of JSON");
    lauka_result_done(&outcome.result);
}

/* The file is as lauka writes it. Most of it is computed again and takes no memory. */
static void results_of_very_many_commands_are_read(void)
{
    enum { COMMANDS = 10000, COMPARISONS = 3000000 };
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fputs("{\"schema\": \"lauka-result/1.0\", \"results\": [", out);
    for (size_t c = 0; c < COMMANDS; c++)
        fprintf(out,
                "%s{\"command\": \"%zu\", \"metrics\": {\"quantiles\": {\"unit\": \"ns\", "
                "\"quantiles\": {\"0\": 1}, \"values\": [1, %zu]}}}",
                c > 0 ? ", " : "", c, c);
    fputs("], \"comparisons\": [{\"low\": [1, {}]}", out);
    for (size_t i = 0; i < COMPARISONS; i++)
        fputs(",{}", out);
    fputs("]}", out);
    fclose(out);
    struct load_outcome outcome = load_bytes(text, size, NULL);
    EXPECT(outcome.failure == 0);
    EXPECT_UINT(outcome.result.command_count, COMMANDS);
    EXPECT_TEXT(outcome.result.metrics[0].name, "quantiles");
    EXPECT_UINT(lauka_series_at(&outcome.result.commands[4321].series[0], 1), 4321);
    lauka_result_done(&outcome.result);
    free(text);
}

static void documents_that_only_cost_memory_are_refused(void)
{
    enum { SIZE = 9000000 };
    char *text = malloc(SIZE);
    for (size_t i = 0; i < SIZE; i++)
        text[i] = "{},"[i % 3];
    memcpy(text, "[[", 2);
    struct load_outcome outcome = load_bytes(text, SIZE, NULL);
    EXPECT(outcome.failure == EINVAL);
    EXPECT_TEXT(outcome.error.text, "f:1: is too large: more than 1611076 parts");
    outcome = load_bytes(text, 100000, NULL);
    EXPECT(outcome.failure == EINVAL);
    memset(text, '[', SIZE);
    outcome = load_bytes(text, SIZE, NULL);
    EXPECT(outcome.failure == EINVAL);
    free(text);
}

/* ---- hyperfine's JSON ------------------------------------------------------------------------ */

static const char hyperfine_1[] =
    "{\n  \"results\": [\n    {\n      \"command\": \"sleep 0.01\",\n      \"mean\": 0.0115,\n"
    "      \"times\": [\n        0.01114268526,\n        0.01146172426,\n        0.011918\n      "
    "],\n"
    "      \"memory_usage_byte\": [3870720, 3874816, 3874816],\n"
    "      \"exit_codes\": [0, 1, null]\n    },\n"
    "    {\"command\": \"true\", \"times\": [0.0005, 1e-3, 0.0007], \"exit_codes\": [0, 0, 0],\n"
    "     \"memory_usage_byte\": [1, 2, 3], \"parameters\": {\"n\": \"2\"}}\n  ]\n}\n";

static void seconds_of_hyperfine_1_become_nanoseconds(void)
{
    struct load_outcome outcome = load_text(hyperfine_1, NULL);
    expect_loads(&outcome);
    VALUES(&outcome.result, 0, "wall_time", 11142685, 11461724, 11918000);
    VALUES(&outcome.result, 1, "wall_time", 500000, 1000000, 700000);
    VALUES(&outcome.result, 0, "peak_rss", 3870720, 3874816, 3874816);
    EXPECT_TEXT(outcome.result.commands[0].label, "sleep 0.01");
    EXPECT(outcome.result.commands[0].exit_codes[1] == 1);
    EXPECT_UINT(outcome.result.commands[0].failures, 2);
    EXPECT(outcome.result.run.stopped == LAUKA_STOPPED_STORED && outcome.result.run.unpaired);
    lauka_result_done(&outcome.result);
}

static void old_files_of_hyperfine_hold_no_memory(void)
{
    struct load_outcome outcome =
        load_text("{\"results\": [{\"command\": \"a\", \"times\": [0.5, 0.25]}]}", NULL);
    expect_loads(&outcome);
    EXPECT_UINT(outcome.result.metric_count, 1);
    VALUES(&outcome.result, 0, "wall_time", 500000000, 250000000);
    lauka_result_done(&outcome.result);
}

/* Python writes NaN, and others do: nobody needs most of them, and a run can be done without. */
static void numbers_of_others_that_are_not_finite_are_left_out(void)
{
    static const char *const words[] = {"NaN",      "nan",       "-nan",     "inf",    "-inf",
                                        "Infinity", "-Infinity", "nan(ind)", "-1.#IND"};
    char text[400];

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        snprintf(
            text, sizeof text,
            "{\"results\": [{\"stddev\": %s, \"command\": \"NaN, -inf\",\n\"times\": [0.5, %s], "
            "\"x\":[ %s]}]}",
            words[i], words[i], words[i]);
        struct load_outcome outcome = load_text(text, NULL);
        expect_loads(&outcome);
        EXPECT_TEXT(outcome.result.commands[0].label, "NaN, -inf");
        VALUES(&outcome.result, 0, "wall_time", 500000000, LAUKA_MISSING);
        EXPECT_UINT(outcome.result.warning_count, 1);
        EXPECT_TEXT(outcome.result.warnings[0],
                    "results[0].times: 1 of 2 values is NaN or infinite, and left out");
        lauka_result_done(&outcome.result);
    }
    expect_refusal("{\"results\": [{\"command\": \"a\", \"times\": [NaN, null]}]}", NULL,
                   "f: results[0]: holds no time that is a number, but null or NaN");
    expect_refusal("{\"results\": [NaNs]}", NULL, "f:1: this is not JSON");
}

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

static void measurements_of_hyperfine_2_have_our_names_and_units(void)
{
    struct load_outcome outcome = load_text(hyperfine_2, NULL);
    expect_loads(&outcome);
    VALUES(&outcome.result, 0, "wall_time", 11234568, 500000000);
    VALUES(&outcome.result, 0, "cpu_time", 2000000, 2000000);
    VALUES(&outcome.result, 0, "peak_rss", 3858432, 3858432);
    VALUES(&outcome.result, 0, "instructions", 1234567, 1234567);
    EXPECT_TEXT(outcome.result.metrics[0].name, "wall_time");
    EXPECT_TEXT(outcome.result.metrics[1].name, "user_time");
    EXPECT_TEXT(outcome.result.metrics[0].unit, "ns");
    EXPECT(outcome.result.commands[0].exit_codes[0] == 0);
    lauka_result_done(&outcome.result);
}

static void a_measurement_of_hyperfine_2_may_be_none(void)
{
    struct load_outcome outcome =
        load_text(HYPERFINE_2(MEASUREMENT("NaN") ", " MEASUREMENT("0.5")), NULL);
    expect_loads(&outcome);
    VALUES(&outcome.result, 0, "wall_time", LAUKA_MISSING, 500000000);
    EXPECT_TEXT(outcome.result.warnings[0],
                "results[0].measurements: 1 of 12 values is NaN or infinite, and left out");
    lauka_result_done(&outcome.result);
}

static void a_metric_missing_in_one_measurement_keeps_its_place(void)
{
    struct load_outcome outcome = load_text(
        HYPERFINE_2("{" SECONDS("time_wall_clock", "1") "}, {" SECONDS(
            "time_wall_clock", "null") ", " SECONDS("time_cpu", "2") ", \"exit_code\": null}"),
        NULL);
    expect_loads(&outcome);
    VALUES(&outcome.result, 0, "wall_time", 1000000000, LAUKA_MISSING);
    VALUES(&outcome.result, 0, "cpu_time", LAUKA_MISSING, 2000000000);
    EXPECT(outcome.result.commands[0].exit_codes[1] == -1);
    EXPECT(outcome.result.commands[0].failures == 1); /* nothing is known about the other one */
    lauka_result_done(&outcome.result);
}

/* As with --command-name and --parameter-list. */
static void parameters_tell_commands_of_one_name_apart(void)
{
    struct load_outcome outcome = load_text(
        "{\"results\": [{\"command\": \"x\", \"times\": [1], \"parameters\": {\"n\": \"4\", \"k\": "
        "\"1\"}},"
        "{\"command\": \"x\", \"times\": [2], \"parameters\": {\"n\": \"16\", \"k\": \"1\"}},"
        "{\"command\": \"y\", \"times\": [3], \"parameters\": {\"n\": \"16\"}},"
        "{\"command\": \"z\", \"times\": [4]}, {\"command\": \"z\", \"times\": [5]}]}",
        NULL);
    static const char *const labels[] = {"x (n=4)", "x (n=16)", "y", "z", "z"};
    expect_loads(&outcome);
    for (size_t c = 0; c < 5; c++)
        EXPECT_TEXT(outcome.result.commands[c].label, labels[c]);
    lauka_result_done(&outcome.result);
}

static void damaged_files_of_hyperfine_are_refused(void)
{
    expect_refusal("{\"results\": [{\"command\": \"a\"}]}", NULL,
                   "f: results[0]: holds no single runs, which a comparison needs");
    expect_refusal("{\"results\": [{\"command\": \"a\", \"times\": [-1]}]}", NULL,
                   "f:1: results[0].times[0]: `-1` is negative");
    expect_refusal("{\"results\": [{\"command\": \"a\", \"times\": [1], "
                   "\"memory_usage_byte\": [1, 2]}]}",
                   NULL, "f: results[0]: its metrics have different numbers of values");
    expect_refusal(HYPERFINE_2("7"), NULL, "f: results[0].measurements[0]: is not an object");
    expect_refusal(HYPERFINE_2("{" SECONDS("time_wall_clock", "-1") "}"), NULL,
                   "f: results[0].measurements[0].time_wall_clock: its value is not a number of "
                   "at least 0, or is too large");
    expect_refusal(HYPERFINE_2("{" SECONDS("time_wall_clock", "1e999") "}"), NULL,
                   "f: results[0].measurements[0].time_wall_clock: its value is not a number of "
                   "at least 0, or is too large");
    expect_refusal(HYPERFINE_2("{\"x\": {\"value\": 1, \"unit\": \"furlong\"}}"), NULL,
                   "f: results[0].measurements[0].x: its unit is not known");
    expect_refusal(
        HYPERFINE_2("{" SECONDS("time_wall_clock", "1") ", " SECONDS("wall_time", "1") "}"), NULL,
        "f: results[0].measurements[0]: a metric is there twice");
}

/* ---- logs of histograms ---------------------------------------------------------------------- */

static void write_interval(const char *tag, uint64_t from, uint64_t to, FILE *out)
{
    struct lauka_hlog_interval interval = {.length = 1};
    snprintf(interval.tag, sizeof interval.tag, "%s", tag);
    EXPECT(lauka_histogram_init(&interval.histogram, NULL) == 0);
    for (uint64_t value = from; value <= to; value++)
        lauka_histogram_record(&interval.histogram, value);
    EXPECT(lauka_hlog_write(&interval, 1, out) == 0);
    lauka_histogram_done(&interval.histogram);
}

/* Two intervals with the values 1 to 30, and 5 to 14 under the tag "b". Owned by the caller. */
static char *make_hlog(void)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    EXPECT(lauka_hlog_write_header("made by a test", 0, out) == 0);
    write_interval("", 1, 10, out);
    write_interval("b", 5, 14, out);
    write_interval("", 11, 30, out);
    fclose(out);
    return text;
}

static void a_log_holds_the_values_of_all_its_intervals(void)
{
    char *text = make_hlog();
    struct load_outcome outcome = load_text(text, NULL);
    expect_loads(&outcome);
    EXPECT_UINT(outcome.result.metric_count, 2);
    EXPECT(outcome.result.run.unpaired && outcome.result.run.rounds == 30);
    EXPECT(lauka_result_analyse(&outcome.result) == 0);
    const struct lauka_summary *value = lauka_result_summary(&outcome.result, 0, 0);
    const struct lauka_summary *tagged = lauka_result_summary(&outcome.result, 0, 1);
    EXPECT(value && value->count == 30 && value->mean == 15.5 && value->max == 30);
    EXPECT(tagged && tagged->count == 10 && tagged->mean == 9.5);
    EXPECT_TEXT(outcome.result.metrics[1].name, "b");
    EXPECT_UINT(outcome.result.warning_count, 1);
    lauka_result_done(&outcome.result);
    free(text);
}

static void expect_mean(const struct lauka_result *result, size_t command, size_t metric,
                        double mean)
{
    const struct lauka_summary *summary = lauka_result_summary(result, command, metric);
    EXPECT(summary != NULL);
    if (summary)
        EXPECT_NEAR(summary->mean / mean, 1, 1e-9);
}

/* Two logs of lauka's behind each other, as `cat` makes them. */
static void a_log_of_lauka_comes_back_with_its_metrics_and_commands(void)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    EXPECT(lauka_hlog_write_header("lauka: wall_time in ns, Interval_Max in ms", 0, out) == 0);
    write_interval("./a", 10, 20, out);
    write_interval("./b", 20, 40, out);
    EXPECT(lauka_hlog_write_header(
               "lauka: ipc, histograms hold the value times 100, higher is better", 0, out) == 0);
    write_interval("./a", 150, 160, out);
    fclose(out);
    struct load_outcome outcome = load_text(text, NULL);
    const struct lauka_result *result = &outcome.result;
    expect_loads(&outcome);
    EXPECT_UINT(result->command_count, 2);
    EXPECT_UINT(result->metric_count, 2);
    EXPECT_TEXT(result->commands[1].label, "./b");
    EXPECT_TEXT(result->metrics[0].name, "wall_time");
    EXPECT_TEXT(result->metrics[0].unit, "ns");
    EXPECT_TEXT(result->metrics[0].better, "lower");
    EXPECT_TEXT(result->metrics[1].name, "ipc");
    EXPECT_TEXT(result->metrics[1].better, "higher");
    EXPECT(result->metrics[1].decimals == 2);
    EXPECT(lauka_result_analyse(&outcome.result) == 0);
    expect_mean(result, 0, 0, 15);
    expect_mean(result, 1, 0, 30);
    expect_mean(result, 0, 1, 155);
    EXPECT(!lauka_result_summary(result, 1, 1));
    lauka_result_done(&outcome.result);
    free(text);
}

/* Tags that are no commands stay metrics, and have the unit, too. */
static void a_log_of_several_benchmarks_has_a_metric_for_each_of_their_sides(void)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    EXPECT(lauka_hlog_write_header(
               "lauka: wall_time in ns, Interval_Max in ms, tags are BENCHMARK/SIDE", 0, out) == 0);
    write_interval("parse/./a", 10, 20, out);
    write_interval("parse/./b", 20, 40, out);
    fputs("#[FAILED: parse: ./b failed with exit code 1]\n", out);
    fclose(out);
    struct load_outcome outcome = load_text(text, NULL);
    expect_loads(&outcome);
    EXPECT_UINT(outcome.result.command_count, 1);
    EXPECT_UINT(outcome.result.metric_count, 2);
    EXPECT_TEXT(outcome.result.metrics[1].name, "parse/./b");
    EXPECT_TEXT(outcome.result.metrics[1].unit, "ns");
    EXPECT_TEXT(lauka_result_bad_end(&outcome.result), "parse: ./b failed with exit code 1");
    lauka_result_done(&outcome.result);
    free(text);
}

static char *read_file(const char *path)
{
    char *text = NULL;
    size_t size = 0;
    FILE *in = fopen(path, "rb"), *out = open_memstream(&text, &size);
    int c;
    while (in && (c = getc(in)) != EOF)
        putc(c, out);
    EXPECT(in && fclose(in) == 0);
    fclose(out);
    return text;
}

/* 80 values of 1 to 90 times a scale, and two zeros in most: tests/vectors/hdr/logs/README.md. */
static void values_of_double_histograms_have_their_own_size(void)
{
    static const double scales[] = {1e-3, 1, 1e3, 0x1p-20, 1e6};
    char *text = read_file("tests/vectors/hdr/logs/java-double.hlog");
    struct load_outcome outcome = load_text(text, NULL);
    struct lauka_result *result = &outcome.result;
    expect_loads(&outcome);
    EXPECT(lauka_result_analyse(result) == 0);
    for (unsigned d = 1; d <= 5; d++) {
        double sum = 0, count = d == 2 ? 0 : 2;
        char name[16];
        for (int k = 0; k < 40; k++) {
            sum += scales[d - 1] * (1 + (k * k * 37) % 900 / 10.0) * (1 + k % 3);
            count += 1 + k % 3;
        }
        snprintf(name, sizeof name, "double.%u", d);
        const size_t m = lauka_result_metric_index(result, name);
        const struct lauka_summary *summary = lauka_result_summary(result, 0, m);
        EXPECT(summary && (double)summary->count == count);
        if (summary)
            EXPECT_NEAR(summary->mean / lauka_result_unit(&result->metrics[m]) / (sum / count), 1,
                        pow(10, -(double)d));
    }
    lauka_result_done(result);
    free(text);
}

/* The values 1 to 30, in units of `unit`, as a double histogram that is not compressed. Owned by the caller. */
static char *make_double_log(double unit)
{
    uint8_t *bytes, all[1024] = {0x0c, 0x72, 0x12, 0x4e, 0, 0, 0, 3};
    struct lauka_histogram histogram;
    char word[2048], *text = calloc(1, 4096);
    size_t size;
    uint64_t bits;
    EXPECT(text && lauka_histogram_init(&histogram, NULL) == 0);
    for (uint64_t value = 1; value <= 30; value++)
        lauka_histogram_record(&histogram, value);
    EXPECT(lauka_histogram_encode(&histogram, &bytes, &size, NULL) == 0 && size < 900);
    memcpy(all + 16, bytes, size);
    memcpy(&bits, &unit, sizeof bits);
    for (int i = 0; i < 8; i++)
        all[16 + 32 + i] = (uint8_t)(bits >> (56 - 8 * i));
    lauka_base64_encode(all, 16 + size, word);
    snprintf(text, 4096, "0,1,30,%s\n", word);
    lauka_histogram_done(&histogram);
    free(bytes);
    return text;
}

static void double_histograms_may_have_values_of_any_size(void)
{
    static const double units[] = {1e-30, 0x1p-40, 0.1, 1, 12.5, 1e30};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        char *text = make_double_log(units[i]);
        struct load_outcome outcome = load_text(text, NULL);
        expect_loads(&outcome);
        EXPECT(lauka_result_analyse(&outcome.result) == 0);
        expect_mean(&outcome.result, 0, 0,
                    15.5 * units[i] * lauka_result_unit(&outcome.result.metrics[0]));
        EXPECT_UINT(outcome.result.warning_count, 1);
        lauka_result_done(&outcome.result);
        free(text);
    }
    char *text = make_double_log(1e-60);
    expect_refusal(text, NULL,
                   "f: the values of `value` are too large, too small, or too far apart");
    free(text);
}

/* 9 * 10^9 times the value 1000 and 10^9 times `rest`, under a tag, and ten values without one. Owned by
 * the caller. */
static char *make_huge_hlog(uint64_t rest, unsigned digits)
{
    struct lauka_hlog_interval interval = {.length = 1, .tag = "big"};
    const struct lauka_histogram_options options = {.digits = digits};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    EXPECT(lauka_hlog_write_header("made by a test", 0, out) == 0);
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

static void a_log_of_very_many_values_stays_a_histogram(void)
{
    char *text = make_huge_hlog(2000, 3);
    struct load_outcome outcome = load_text(text, NULL);
    struct lauka_result_quantiles quantiles;
    expect_loads(&outcome);
    EXPECT(outcome.result.run.samples_left_out && outcome.result.run.unpaired);
    EXPECT_UINT(outcome.result.run.rounds, UINT64_C(10000000000));
    EXPECT(lauka_result_analyse(&outcome.result) == 0);
    const struct lauka_summary *few = lauka_result_summary(&outcome.result, 0, 0);
    const struct lauka_summary *many = lauka_result_summary(&outcome.result, 0, 1);
    EXPECT(few && few->count == 10 && few->mean == 5.5);
    EXPECT(many && many->count == UINT64_C(10000000000));
    EXPECT_NEAR(many->mean, 1100, 1);
    EXPECT(lauka_result_quantiles(&outcome.result, 0, 1, &quantiles) == 0);
    EXPECT(quantiles.values[5] == 1000 && !quantiles.from_values && quantiles.error <= 0.0005);
    lauka_result_done(&outcome.result);
    free(text);
}

/* The histogram has two digits. What is stored from it can be read again, too. */
static void a_coarse_histogram_comes_back_from_json(void)
{
    char *text = make_huge_hlog(2000, 2);
    struct load_outcome first = load_text(text, NULL);
    expect_loads(&first);
    EXPECT(lauka_result_analyse(&first.result) == 0);
    char *json = json_of(&first.result);
    struct load_outcome second = load_text(json, NULL);
    expect_loads(&second);
    char *again = json_of(&second.result);
    EXPECT_TEXT(again, json);
    lauka_result_done(&first.result);
    lauka_result_done(&second.result);
    free(json);
    free(again);
    free(text);
}

static void a_damaged_log_is_refused_with_its_line(void)
{
    char *text = make_hlog();
    char *last = strstr(text, "Tag=b");
    EXPECT(last != NULL);
    strcpy(last, "Tag=b,0,1,2,HISTFAAAAAAA\n");
    struct load_outcome outcome = load_text(text, NULL);
    EXPECT(outcome.failure == EINVAL);
    EXPECT(strncmp(outcome.error.text, "f:7: ", 5) == 0);
    expect_refusal("\"StartTimestamp\",\"Interval_Length\"\n", NULL, "f: holds no values");
    free(text);
}

/* ---- several files --------------------------------------------------------------------------- */

struct merged {
    int failure;
    struct lauka_result result;
    struct lauka_load_error error;
};

static struct merged merge_two(const char *first, const char *second, const char *column)
{
    struct lauka_part parts[2] = {{.name = "a"}, {.name = "b"}};
    struct load_outcome loaded[2] = {load_text(first, column), load_text(second, column)};
    struct merged merged;
    for (size_t i = 0; i < 2; i++) {
        expect_loads(&loaded[i]);
        parts[i].result = loaded[i].result;
    }
    merged.failure = lauka_result_merge(parts, 2, &merged.result, &merged.error);
    return merged;
}

static void files_are_compared_under_their_names(void)
{
    struct merged merged = merge_two("1.5\n2\n", "3\n4.25\n", NULL);
    EXPECT(merged.failure == 0);
    VALUES(&merged.result, 0, "value", 150, 200);
    VALUES(&merged.result, 1, "value", 300, 425);
    EXPECT(merged.result.metrics[0].decimals == 2);
    EXPECT_TEXT(merged.result.commands[0].label, "a");
    EXPECT_TEXT(merged.result.commands[1].label, "b");
    EXPECT(!merged.result.run.unpaired);
    EXPECT(lauka_result_analyse(&merged.result) == 0);
    struct lauka_scale scale = lauka_result_scale(&merged.result, 0, true);
    EXPECT_NEAR(merged.result.commands[1].summaries[0].mean / scale.divisor, 3.625, 1e-15);
    EXPECT_NEAR(lauka_result_comparison(&merged.result, 1, 0)->mean_ratio.value, 7.25 / 3.5, 1e-15);
    lauka_result_done(&merged.result);
}

static void more_values_than_can_be_kept_are_compared_as_histograms(void)
{
    char *huge[2] = {make_huge_hlog(2000, 3), make_huge_hlog(4000, 2)};
    const char *others[] = {huge[1], "big\n7\n9\n"};
    for (size_t i = 0; i < 2; i++) {
        struct merged merged = merge_two(huge[0], others[i], i == 1 ? "big" : NULL);
        EXPECT(merged.failure == 0 && merged.result.run.samples_left_out);
        EXPECT(lauka_result_analyse(&merged.result) == 0);
        size_t big = lauka_result_metric_index(&merged.result, "big");
        EXPECT(!lauka_result_comparison(&merged.result, 1, big)->ratio.known);
        EXPECT_NEAR(lauka_result_summary(&merged.result, 1, big)->mean, i == 0 ? 1300 : 8, 10);
        EXPECT_UINT(lauka_result_rounds(&merged.result, 0), UINT64_C(10000000000));
        EXPECT(strstr(merged.result.warnings[merged.result.warning_count - 1], "too many values"));
        lauka_result_done(&merged.result);
    }
    free(huge[0]);
    free(huge[1]);
}

static void files_with_different_counts_are_not_paired(void)
{
    struct merged merged = merge_two("1\n2\n", "3\n4\n5\n", NULL);
    EXPECT(merged.failure == 0 && merged.result.run.unpaired);
    EXPECT_UINT(merged.result.run.rounds, 3);
    EXPECT_UINT(lauka_result_rounds(&merged.result, 0), 2);
    lauka_result_done(&merged.result);
}

static void results_with_several_commands_keep_their_labels_behind_the_file(void)
{
    struct merged merged = merge_two(hyperfine_1, hyperfine_2, NULL);
    EXPECT(merged.failure == 0);
    EXPECT_TEXT(merged.result.commands[0].label, "a: sleep 0.01");
    EXPECT_TEXT(merged.result.commands[2].label, "b");
    VALUES(&merged.result, 0, "instructions", LAUKA_MISSING, LAUKA_MISSING, LAUKA_MISSING);
    VALUES(&merged.result, 2, "instructions", 1234567, 1234567);
    EXPECT(merged.result.run.unpaired);
    lauka_result_done(&merged.result);
}

static void columns_of_other_titles_are_values(void)
{
    struct merged merged = merge_two("a,b\n1,2\n", "c,d\n3,4\n", "2");
    EXPECT(merged.failure == 0);
    VALUES(&merged.result, 1, "value", 4);
    lauka_result_done(&merged.result);
}

static void files_without_a_common_metric_are_refused(void)
{
    struct merged merged = merge_two(hyperfine_1, "1\n", NULL);
    EXPECT(merged.failure == EINVAL);
    EXPECT_TEXT(merged.error.text, "b: has no metric in common with a");
    EXPECT(merged.result.commands == NULL);
}

static void results_of_different_machines_are_marked(void)
{
    size_t size;
    char *golden = read_golden("two.json", &size), *other = strdup(golden);
    char *kernel = strstr(other, "6.1.0");
    EXPECT(kernel != NULL);
    kernel[0] = '7';
    struct merged same = merge_two(golden, golden, NULL), differ = merge_two(golden, other, NULL);
    EXPECT_UINT(same.result.warning_count, 0);
    EXPECT_TEXT(same.result.host.kernel, "6.1.0");
    EXPECT_UINT(differ.result.warning_count, 1);
    EXPECT(differ.result.host.kernel == NULL);
    EXPECT(differ.result.run.order == NULL && differ.result.run.stopped == LAUKA_STOPPED_STORED);
    lauka_result_done(&same.result);
    lauka_result_done(&differ.result);
    free(golden);
    free(other);
}

/* ---- arbitrary input ------------------------------------------------------------------------- */

enum { MUTATIONS = 2000, ROOM = 1 << 16 };

/* A result whose single values were not kept: four rounds of two commands. */
static const char streamed[] =
    "{\"schema\": \"lauka-result/1.0\", \"results\": [{\"command\": \"a\", \"failures\": 0, "
    "\"metrics\": {\"wall_time\": {\"unit\": \"ns\", \"better\": \"lower\", \"primary\": true"
    ", \"histogram\": \"HISTFAAAACp42pNpmSzMwMDAzQABzFCakUH+PxjYf4AIfH3EyCTOpMl0mIUJAPgjC4U="
    "\", \"stream\": {\"missing\": 0, \"moments\": {\"count\": 4, \"min\": 9927955, \"max\": "
    "12593358, \"sum\": \"42763237\", \"sum_of_squares\": \"462040751470215\"}, \"paired\": n"
    "ull}}}}, {\"command\": \"b\", \"failures\": 0, \"metrics\": {\"wall_time\": {\"unit\": "
    "\"ns\", \"better\": \"lower\", \"primary\": true, \"histogram\": \"HISTFAAAACl42pNpmSzMw"
    "MDAxQABzFCakUH+PxjYf4AIvH7MyMTNxMBkzgQA6hIKtg==\", \"stream\": {\"missing\": 0, \"moment"
    "s\": {\"count\": 4, \"min\": 10407070, \"max\": 10722024, \"sum\": \"42071088\", \"sum_o"
    "f_squares\": \"442552610946056\"}, \"paired\": {\"count\": 4, \"zeros\": 0, \"lost\": 0,"
    " \"reference\": {\"count\": 4, \"min\": 9927955, \"max\": 12593358, \"sum\": \"42763237"
    "\", \"sum_of_squares\": \"462040751470215\"}, \"command\": {\"count\": 4, \"min\": 10407"
    "070, \"max\": 10722024, \"sum\": \"42071088\", \"sum_of_squares\": \"442552610946056\"},"
    " \"bins\": \"xlCoNKYGwAg=\"}}}}}], " RUN("7", "4", "1") "false}}";

static const char *seeds[] = {
    NULL, /* an HdrHistogram log */
    "# a\n1.5\n2\n0.25e1\n1e3\n",
    "a,\"b\"\n1,2\n\"3\",4.5\n5,\n",
    hyperfine_1,
    hyperfine_2,
    LAUKA("\"results\": [{\"command\": \"c\", \"argv\": [\"c\", \"1\"], \"times\": [0.1, 0.2], "
          "\"exit_codes\": [0, 1], " METRIC(
              "[1, \"9007199254740993\"]") "}, {\"command\": \"d\", "
                                           "\"metrics\": {\"wall_time\": {\"unit\": \"ns\", "
                                           "\"share\": 0.5, \"better\": \"lower\", "
                                           "\"decimals\": 0, \"values\": [7, null]}}}], " RUN(
                                               "\"18446744073709551615\"", "2",
                                               "1.5") "true, \"order\": [0, 1, 1, 0]}, "
                                                      "\"host\": {\"os\": \"Linux\", \"kernel\": "
                                                      "null, \"arch\": null, "
                                                      "\"cpu_model\": null, \"cpu_count\": 2, "
                                                      "\"memory_bytes\": null}, "
                                                      "\"warnings\": [\"w\"]"),
    streamed,
};
enum { SEEDS = sizeof seeds / sizeof *seeds };

/* Flips, deletes, repeats or inserts bytes. Insertions are often words with a meaning. */
static size_t mutate(struct lauka_random *random, char *bytes, size_t size)
{
    static const char *const words[] = {"nan", "inf", "-",  "1e999", "null", "[",   "]",
                                        "{",   "}",   "\"", ",",     ":",    "\\",  "\n",
                                        "9",   "0",   ".",  "e",     "true", "\r\n"};
    uint64_t kind = lauka_random_below(random, 4);
    size_t at = (size_t)lauka_random_below(random, size + 1);
    size_t length = (size_t)lauka_random_below(random, 16);
    length = length < size - at ? length : size - at;
    if (kind == 0 && at < size) {
        bytes[at] = (char)(bytes[at] ^ (1 << lauka_random_below(random, 8)));
    } else if (kind == 1) {
        memmove(bytes + at, bytes + at + length, size - at - length);
        size -= length;
    } else if (kind == 2 && size + length < ROOM) {
        memmove(bytes + at + length, bytes + at, size - at);
        size += length;
    } else {
        const char *word = words[lauka_random_below(random, sizeof words / sizeof *words)];
        length = strlen(word);
        memmove(bytes + at + length, bytes + at, size - at);
        memcpy(bytes + at, word, length);
        size += length;
    }
    return size;
}

/* Whatever is accepted must be a result that every writer can write, without NaN. */
static void expect_sound(struct lauka_result *result)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    EXPECT(lauka_result_analyse(result) == 0);
    EXPECT(lauka_write_json(result, out) == 0);
    fclose(out);
    for (size_t c = 0; c < result->command_count; c++)
        for (size_t m = 0; m < result->metric_count; m++)
            EXPECT(isfinite(result->commands[c].summaries[m].mean));
    EXPECT(!strstr(text, ": nan") && !strstr(text, ": inf") && !strstr(text, "-nan"));
    EXPECT(!strstr(text, ":nan") && !strstr(text, ":inf")); /* written by lauka without spaces */
    struct load_outcome again = load_bytes(text, size, NULL);
    expect_loads(&again);
    lauka_result_done(&again.result);
    free(text);
}

static void streams_come_back_exactly(void)
{
    struct load_outcome first = load_text(streamed, NULL);
    expect_loads(&first);
    EXPECT(first.result.run.samples_left_out);
    EXPECT_UINT(first.result.commands[1].streams[0].paired->count, 4);
    EXPECT(lauka_result_analyse(&first.result) == 0);
    EXPECT(first.result.comparisons[0].values.ratio.known);
    char *json = json_of(&first.result);
    struct load_outcome second = load_text(json, NULL);
    expect_loads(&second);
    char *again = json_of(&second.result);
    EXPECT_TEXT(again, json);
    free(json);
    free(again);
    lauka_result_done(&first.result);
    lauka_result_done(&second.result);
}

static void no_bytes_do_harm(void)
{
    struct lauka_random random;
    char *bytes = malloc(ROOM + 64);
    size_t accepted = 0;
    lauka_random_seed(&random, 20261121);
    for (size_t i = 0; i < MUTATIONS && expect_ok; i++) {
        const char *seed = seeds[i % SEEDS];
        size_t size = strlen(seed);
        memcpy(bytes, seed, size);
        for (uint64_t steps = 1 + lauka_random_below(&random, 4); steps > 0; steps--)
            size = mutate(&random, bytes, size);
        struct load_outcome outcome = load_bytes(bytes, size, i % SEEDS == 2 ? "b" : NULL);
        EXPECT(outcome.failure == 0 || outcome.error.text[0]);
        if (!outcome.failure) {
            accepted++;
            expect_sound(&outcome.result);
        }
        if (!expect_ok)
            printf("mutation %zu of \"%.*s\"\n", i, (int)size, bytes);
        lauka_result_done(&outcome.result);
    }
    EXPECT(accepted > MUTATIONS / 20 && accepted < MUTATIONS);
    free(bytes);
}

static void every_beginning_of_a_file_is_read_or_refused(void)
{
    for (size_t s = 0; s < SEEDS; s++)
        for (size_t size = 0; size <= strlen(seeds[s]); size++) {
            struct load_outcome outcome = load_bytes(seeds[s], size, s == 2 ? "b" : NULL);
            EXPECT(outcome.failure == 0 || outcome.error.text[0]);
            lauka_result_done(&outcome.result);
        }
}

int main(int argc, char **argv)
{
    if (argc > 1)
        goldens = argv[1];
    TEST(what_powershell_writes_is_read);
    TEST(all_characters_of_utf16_become_utf8);
    TEST(plain_numbers_are_read_with_comments_blanks_and_any_line_end);
    TEST(a_power_of_ten_makes_decimals_exact);
    TEST(more_than_nine_decimals_are_rounded_and_that_is_said);
    TEST(of_small_numbers_nine_digits_are_kept);
    TEST(of_large_numbers_multiples_of_a_power_of_ten_are_kept);
    TEST(large_numbers_take_the_room_of_decimals);
    TEST(integers_are_exact_up_to_the_largest);
    TEST(many_digits_are_rounded_at_the_last_one_kept);
    TEST(damaged_numbers_are_refused_with_their_line);
    TEST(a_column_is_chosen_by_its_title);
    TEST(a_column_is_chosen_by_its_number_with_or_without_titles);
    TEST(a_number_without_such_a_place_can_be_a_title);
    TEST(an_empty_field_is_missing_and_keeps_its_place);
    TEST(rows_of_different_commands_are_not_values_of_one);
    TEST(decimal_commas_are_refused_with_what_to_do);
    TEST(damaged_csv_is_refused_with_its_line);
    TEST(a_stored_result_is_the_same_result);
    TEST(stored_columns_come_back_with_their_decimals);
    TEST(integers_beyond_two_to_the_53_come_back_exactly);
    TEST(newer_minor_versions_and_unknown_keys_are_read);
    TEST(ends_are_found_wherever_they_stand);
    TEST(different_counts_make_a_result_unpaired);
    TEST(damaged_results_are_refused_with_their_place);
    TEST(a_zero_byte_ends_nothing);
    TEST(results_of_very_many_commands_are_read);
    TEST(documents_that_only_cost_memory_are_refused);
    TEST(seconds_of_hyperfine_1_become_nanoseconds);
    TEST(numbers_of_others_that_are_not_finite_are_left_out);
    TEST(a_measurement_of_hyperfine_2_may_be_none);
    TEST(old_files_of_hyperfine_hold_no_memory);
    TEST(measurements_of_hyperfine_2_have_our_names_and_units);
    TEST(a_metric_missing_in_one_measurement_keeps_its_place);
    TEST(parameters_tell_commands_of_one_name_apart);
    TEST(damaged_files_of_hyperfine_are_refused);
    TEST(a_log_holds_the_values_of_all_its_intervals);
    TEST(a_log_of_lauka_comes_back_with_its_metrics_and_commands);
    TEST(a_log_of_several_benchmarks_has_a_metric_for_each_of_their_sides);
    TEST(values_of_double_histograms_have_their_own_size);
    TEST(double_histograms_may_have_values_of_any_size);
    TEST(a_log_of_very_many_values_stays_a_histogram);
    TEST(a_coarse_histogram_comes_back_from_json);
    TEST(more_values_than_can_be_kept_are_compared_as_histograms);
    TEST(a_damaged_log_is_refused_with_its_line);
    TEST(files_are_compared_under_their_names);
    TEST(files_with_different_counts_are_not_paired);
    TEST(results_with_several_commands_keep_their_labels_behind_the_file);
    TEST(columns_of_other_titles_are_values);
    TEST(files_without_a_common_metric_are_refused);
    TEST(results_of_different_machines_are_marked);
    TEST(streams_come_back_exactly);
    char *log = make_hlog();
    seeds[0] = log;
    TEST(no_bytes_do_harm);
    TEST(every_beginning_of_a_file_is_read_or_refused);
    free(log);
    return expect_report("load");
}
