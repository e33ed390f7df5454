/* Plain numbers and CSV, read back in any encoding; damaged ones are refused with their position. */
#include "report/result/result.h"
#include "stats/stats.h"

#include <errno.h>
#include <stdlib.h>

#include "tests/unit/expect.h"
#include "tests/unit/loading.h"

/* ---- encodings --------------------------------------------------------------------------------------- */

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
    EXPECT_TEXT(
        outcome.error.text,
        "f:1: `\uFFFD` is not a number; is this file CSV? Then say lauka compare --column NAME");
    outcome = load_bytes("\xff\xfe\0\0", 4, NULL);
    EXPECT_TEXT(outcome.error.text, "f: is UTF-32: save it as UTF-8");
    outcome = load_bytes("\xff\xfe", 2, NULL);
    EXPECT_TEXT(outcome.error.text, "f: holds no values");
}

/* ---- plain numbers ----------------------------------------------------------------------------------- */

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
    expect_refusal(
        "time\n1\n", NULL,
        "f:1: `time` is not a number; is this file CSV? Then say lauka compare --column NAME");
    expect_refusal("1\n0123456789012345678901234567890123456789x\n", NULL,
                   "f:2: `0123456789012345678901234567890123456789...` is not a number");
}

/* ---- CSV --------------------------------------------------------------------------------------------- */

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

int main(void)
{
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
    return expect_report("columns");
}
