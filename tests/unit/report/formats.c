/* Markdown, CSV and JSON, compared with files in tests/goldens byte by byte (see tests/unit/goldens.h) and read back. */
#include "report/analysis/analysis.h"
#include "report/csv/csv.h"
#include "report/hdr/hdr.h"
#include "report/json/json.h"
#include "report/markdown/markdown.h"
#include "report/result/result.h"
#include "report/terminal/terminal.h"
#include "stats/histogram.h"
#include "stats/stats.h"

#include <cjson/cJSON.h>
#include <csv.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/unit/expect.h"
#include "tests/unit/goldens.h"

/* ---- Markdown, CSV, JSON ----------------------------------------------------------------------------- */

static void markdown_has_an_overview_and_all_metrics(void)
{
    expect_document("two.md", pretend_two(), MARKDOWN, utf8);
}

static void markdown_of_one_command_has_no_change(void)
{
    expect_document("one.md", pretend(&(struct wish){.rounds = 1, .labels = {"./a"}}), MARKDOWN,
                    utf8);
}

static void markdown_says_what_is_missing(void)
{
    struct wish wish = {.rounds = 20, .labels = {"./a", "./b"}, .without_counters = true};
    expect_document("missing.md", pretend(&wish), MARKDOWN, utf8);
}

static void markdown_of_nasty_labels_stays_a_table(void)
{
    expect_document("nasty.md", pretend_nasty(), MARKDOWN, utf8);
}

static void csv_begins_with_the_columns_of_hyperfine(void)
{
    expect_document("two.csv", pretend_two(), CSV, utf8);
}

static void csv_leaves_unknown_fields_empty(void)
{
    struct wish wish = {.rounds = 1, .labels = {"./a", "./b"}, .without_counters = true};
    expect_document("missing.csv", pretend(&wish), CSV, utf8);
}

static void csv_of_nasty_labels_keeps_its_rows(void)
{
    expect_document("nasty.csv", pretend_nasty(), CSV, utf8);
}

static void json_has_the_keys_of_hyperfine_and_ours(void)
{
    expect_document("two.json", pretend_two(), JSON, utf8);
}

static void json_says_null_for_what_is_unknown(void)
{
    struct wish wish = {.rounds = 1, .labels = {"./a", "./b"}, .without_counters = true};
    struct lauka_result result = pretend(&wish);
    lauka_series_set(&result.commands[1].series[WALL_TIME], 0, LAUKA_MISSING);
    expect_document("missing.json", result, JSON, utf8);
}

static void json_of_nasty_labels_is_valid(void)
{
    expect_document("nasty.json", pretend_nasty(), JSON, utf8);
}

/* ---- reading back ------------------------------------------------------------------------------------ */

static cJSON *parsed(const struct lauka_result *result)
{
    char *text = written(result, JSON, utf8);
    cJSON *root = cJSON_ParseWithOpts(text, NULL, true);
    EXPECT(root != NULL);
    free(text);
    return root;
}

static const cJSON *get(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    if (!item)
        printf("no key %s\n", key);
    EXPECT(item != NULL);
    return item;
}

static const cJSON *result_of(const cJSON *root, int command)
{
    return cJSON_GetArrayItem(get(root, "results"), command);
}

static void numbers_come_back_from_json(void)
{
    struct lauka_result result = pretend_two();
    EXPECT(lauka_result_analyse(&result) == 0);
    cJSON *root = parsed(&result);
    const struct lauka_summary *wall = &result.commands[1].summaries[WALL_TIME];
    const cJSON *entry = result_of(root, 1);
    const cJSON *metric = get(get(entry, "metrics"), "wall_time");
    EXPECT(cJSON_GetNumberValue(get(entry, "mean")) == wall->mean / 1e9);
    EXPECT(cJSON_GetNumberValue(get(entry, "stddev")) == wall->stddev.value / 1e9);
    EXPECT(cJSON_GetNumberValue(get(metric, "mean")) == wall->mean);
    EXPECT(cJSON_GetNumberValue(get(metric, "stddev")) == wall->stddev.value);
    EXPECT(cJSON_GetArraySize(get(entry, "times")) == 20);
    for (int i = 0; i < 20; i++) {
        uint64_t value = lauka_series_at(&result.commands[1].series[WALL_TIME], (size_t)i);
        double seconds = cJSON_GetNumberValue(cJSON_GetArrayItem(get(entry, "times"), i));
        EXPECT(seconds == (double)value / 1e9);
        double raw = cJSON_GetNumberValue(cJSON_GetArrayItem(get(metric, "values"), i));
        EXPECT(raw == (double)value);
    }
    const cJSON *comparison = cJSON_GetArrayItem(get(root, "comparisons"), WALL_TIME);
    EXPECT_TEXT(cJSON_GetStringValue(get(comparison, "metric")), "wall_time");
    EXPECT(cJSON_GetNumberValue(get(comparison, "mean_ratio")) ==
           lauka_result_comparison(&result, 1, WALL_TIME)->mean_ratio.value);
    cJSON_Delete(root);
    lauka_result_done(&result);
}

static void quantiles_and_histograms_come_back_from_json(void)
{
    struct lauka_result result = pretend_two();
    EXPECT(lauka_result_analyse(&result) == 0);
    cJSON *root = parsed(&result);
    const cJSON *metric = get(get(result_of(root, 1), "metrics"), "wall_time");
    const cJSON *quantiles = get(metric, "quantiles");
    EXPECT(cJSON_GetArraySize(quantiles) == LAUKA_SUMMARY_RANKS);
    EXPECT(cJSON_GetNumberValue(get(quantiles, "0")) == 12684000);
    EXPECT(cJSON_GetNumberValue(get(quantiles, "92.5")) == 13184000);
    EXPECT(cJSON_GetNumberValue(get(quantiles, "99.999")) == 14584000);
    const char *text = cJSON_GetStringValue(get(metric, "histogram")), *reason = NULL;
    struct lauka_histogram histogram;
    EXPECT(text && lauka_hdr_text_decode(text, strlen(text), &histogram, NULL, &reason) == 0);
    EXPECT_UINT(lauka_histogram_total(&histogram), 20);
    lauka_histogram_done(&histogram);
    cJSON_Delete(root);
    lauka_result_done(&result);
}

static void integers_beyond_two_to_the_53_are_exact_strings(void)
{
    struct lauka_result result = pretend(&(struct wish){.rounds = 3, .labels = {"./a"}});
    uint64_t *values = lauka_series_widen(&result.commands[0].series[INSTRUCTIONS]);
    values[0] = UINT64_C(9007199254740992);
    values[1] = UINT64_C(9007199254740993);
    values[2] = UINT64_MAX - 1;
    result.run.seed = UINT64_MAX;
    EXPECT(lauka_result_analyse(&result) == 0);
    cJSON *root = parsed(&result);
    const cJSON *metric = get(get(result_of(root, 0), "metrics"), "instructions");
    const cJSON *array = get(metric, "values");
    EXPECT(cJSON_GetNumberValue(cJSON_GetArrayItem(array, 0)) == 0x1p53);
    EXPECT_TEXT(cJSON_GetStringValue(cJSON_GetArrayItem(array, 1)), "9007199254740993");
    EXPECT_TEXT(cJSON_GetStringValue(cJSON_GetArrayItem(array, 2)), "18446744073709551614");
    EXPECT_TEXT(cJSON_GetStringValue(get(metric, "max")), "18446744073709551614");
    EXPECT_TEXT(cJSON_GetStringValue(get(get(root, "run"), "seed")), "18446744073709551615");
    cJSON_Delete(root);
    lauka_result_done(&result);
}

static void labels_come_back_from_json(void)
{
    /* The byte that begins a token in json.c, and what may follow it there, must be treated like any
     * other text. */
    const char *label = "\x01v 0 0\x01\t\"\\/\b\f\n\r\x7f é 你好 :\t";
    struct lauka_result result = pretend(&(struct wish){.rounds = 2, .labels = {label, nasty}});
    EXPECT(lauka_result_analyse(&result) == 0);
    cJSON *root = parsed(&result);
    EXPECT_TEXT(cJSON_GetStringValue(get(result_of(root, 0), "command")), label);
    const cJSON *argv = get(result_of(root, 0), "argv");
    EXPECT(cJSON_GetArraySize(argv) == 2);
    EXPECT_TEXT(cJSON_GetStringValue(cJSON_GetArrayItem(argv, 0)), label);
    const char *repaired = cJSON_GetStringValue(get(result_of(root, 1), "command"));
    EXPECT(repaired && strstr(repaired, "\n\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD ") != NULL);
    cJSON_Delete(root);
    lauka_result_done(&result);
}

struct fields {
    char text[512][512];
    size_t count, rows;
};

static void take_field(void *text, size_t length, void *data)
{
    struct fields *fields = data;
    if (fields->count < 512)
        snprintf(fields->text[fields->count++], 512, "%.*s", (int)length, (const char *)text);
}

static void take_row(int terminator, void *data)
{
    (void)terminator;
    ((struct fields *)data)->rows++;
}

static void labels_and_numbers_come_back_from_csv(void)
{
    static struct fields fields;
    struct lauka_result result = pretend_nasty();
    EXPECT(lauka_result_analyse(&result) == 0);
    char *text = written(&result, CSV, utf8);
    struct csv_parser parser;
    EXPECT(csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI) == 0);
    EXPECT(csv_parse(&parser, text, strlen(text), take_field, take_row, &fields) == strlen(text));
    EXPECT(csv_fini(&parser, take_field, take_row, &fields) == 0);
    csv_free(&parser);
    size_t columns = 8 + 10 * PRETENCES;
    EXPECT_UINT(fields.rows, 5);
    EXPECT_UINT(fields.count, 5 * columns);
    EXPECT_TEXT(fields.text[0], "command");
    EXPECT_TEXT(fields.text[columns], nasty);
    EXPECT_TEXT(fields.text[2 * columns], "'=cmd()|' /C calc'!A0");
    EXPECT_TEXT(fields.text[3 * columns], "");
    EXPECT(strtod(fields.text[columns + 1], NULL) ==
           result.commands[0].summaries[WALL_TIME].mean / 1e9);
    free(text);
    lauka_result_done(&result);
}

static void no_document_says_nan_or_infinity(void)
{
    struct lauka_result result = pretend(&(struct wish){.rounds = 1, .labels = {"./a", "./b"}});
    for (size_t m = 0; m < PRETENCES; m++)
        lauka_series_set(&result.commands[0].series[m], 0, 0);
    EXPECT(lauka_result_analyse(&result) == 0);
    for (enum writer writer = TABLE; writer <= PERCENTILES; writer++) {
        char *text = written(&result, writer, utf8);
        EXPECT(!strstr(text, "nan") && !strstr(text, "inf") && !strstr(text, "NaN"));
        free(text);
    }
    lauka_result_done(&result);
}

/* ---- writing that fails ------------------------------------------------------------------------------ */

static void a_full_disk_is_told(void)
{
    if (access("/dev/full", W_OK) != 0)
        return;
    struct lauka_result result = pretend_two();
    EXPECT(lauka_result_analyse(&result) == 0);
    for (enum writer writer = SCREEN; writer <= PERCENTILES; writer++) {
        FILE *out = fopen("/dev/full", "w");
        int error =
            writer == SCREEN     ? lauka_write_screen(&result, utf8, out)
            : writer == TABLE    ? lauka_write_table(&result, utf8, out)
            : writer == MARKDOWN ? lauka_write_markdown(&(struct lauka_session){&result, 1}, out)
            : writer == CSV      ? lauka_write_csv_session(&(struct lauka_session){&result, 1}, out)
            : writer == JSON     ? lauka_write_json(&result, out)
                                 : lauka_write_percentiles(&result, utf8, out);
        EXPECT(error == ENOSPC);
        fclose(out);
    }
    lauka_result_done(&result);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        goldens = argv[1];
    TEST(markdown_has_an_overview_and_all_metrics);
    TEST(markdown_of_one_command_has_no_change);
    TEST(markdown_says_what_is_missing);
    TEST(markdown_of_nasty_labels_stays_a_table);
    TEST(csv_begins_with_the_columns_of_hyperfine);
    TEST(csv_leaves_unknown_fields_empty);
    TEST(csv_of_nasty_labels_keeps_its_rows);
    TEST(json_has_the_keys_of_hyperfine_and_ours);
    TEST(json_says_null_for_what_is_unknown);
    TEST(json_of_nasty_labels_is_valid);
    TEST(numbers_come_back_from_json);
    TEST(quantiles_and_histograms_come_back_from_json);
    TEST(integers_beyond_two_to_the_53_are_exact_strings);
    TEST(labels_come_back_from_json);
    TEST(labels_and_numbers_come_back_from_csv);
    TEST(no_document_says_nan_or_infinity);
    TEST(a_full_disk_is_told);
    return expect_report("formats");
}
