/* Stored results of lauka and of hyperfine, read back; damaged ones are refused with their position. The directory
 * of the goldens may be given as the first argument. */
#include "report/result/result.h"
#include "stats/stats.h"

#include <errno.h>
#include <stdlib.h>

#include "tests/unit/expect.h"
#include "tests/unit/loading.h"

/* ---- lauka's JSON ------------------------------------------------------------------------------------ */

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

#define ENTRY(values) "{\"command\": \"c\", " METRIC(values) "}"

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

/* ---- hyperfine's JSON -------------------------------------------------------------------------------- */

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

int main(int argc, char **argv)
{
    if (argc > 1)
        goldens = argv[1];
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
    return expect_report("json");
}
