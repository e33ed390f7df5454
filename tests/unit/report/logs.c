/* Logs of histograms, read back. */
#include "report/analysis/analysis.h"
#include "report/hdr/hdr.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "stats/histogram.h"
#include "stats/stats.h"

#include <errno.h>
#include <stdlib.h>

#include "tests/unit/expect.h"
#include "tests/unit/loading.h"

/* ---- logs of histograms ------------------------------------------------------------------------------ */

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
    FILE *out = open_hlog(&text, "lauka: wall_time in ns, Interval_Max in ms");
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
    FILE *out =
        open_hlog(&text, "lauka: wall_time in ns, Interval_Max in ms, tags are BENCHMARK/SIDE");
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

int main(void)
{
    TEST(a_log_holds_the_values_of_all_its_intervals);
    TEST(a_log_of_lauka_comes_back_with_its_metrics_and_commands);
    TEST(a_log_of_several_benchmarks_has_a_metric_for_each_of_their_sides);
    TEST(values_of_double_histograms_have_their_own_size);
    TEST(double_histograms_may_have_values_of_any_size);
    TEST(a_log_of_very_many_values_stays_a_histogram);
    TEST(a_coarse_histogram_comes_back_from_json);
    TEST(a_damaged_log_is_refused_with_its_line);
    return expect_report("logs");
}
