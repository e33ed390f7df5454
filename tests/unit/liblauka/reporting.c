/* liblauka as its users see it: comparisons, limits, and reports that lauka reads again. */
#include "tests/unit/expect.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "include/lauka_report.h"
#include "report/load/load.h"
#include "stats/stats.h"

enum { ROUNDS = 60 };

static struct lauka_random dice;

/* Values around `level`, with a standard deviation of 1 %. */
static void draw(uint64_t *values, size_t count, double level)
{
    for (size_t i = 0; i < count; i++)
        values[i] = (uint64_t)llround(level * (1 + 0.01 * lauka_random_normal(&dice)));
}

/* ---- comparisons ---- */

static void a_difference_is_found_and_swaps_with_its_sides(void)
{
    uint64_t a[ROUNDS], b[ROUNDS];
    struct lauka_compare_result there, back;
    draw(a, ROUNDS, 1e6);
    draw(b, ROUNDS, 1.05e6);
    EXPECT(lauka_compare_values(a, ROUNDS, b, ROUNDS, NULL, &there) == 0);
    EXPECT(lauka_compare_values(b, ROUNDS, a, ROUNDS, NULL, &back) == 0);
    EXPECT(there.verdict == LAUKA_COMPARE_HIGHER && back.verdict == LAUKA_COMPARE_LOWER);
    EXPECT_NEAR(there.ratio.value, 1.05, 0.01);
    EXPECT_NEAR(there.ratio.value * back.ratio.value, 1, 1e-12);
    EXPECT(there.ratio_low.value < there.ratio.value && there.ratio.value < there.ratio_high.value);
    EXPECT(there.confidence == 0.95 && there.pairs == ROUNDS && there.p.value < 1e-6);
    EXPECT_TEXT(there.method, "hodges_lehmann");
    EXPECT_TEXT(lauka_compare_verdict_name(there.verdict), "higher");
}

static void no_difference_is_equivalent_and_few_values_are_inconclusive(void)
{
    uint64_t a[ROUNDS], b[ROUNDS];
    struct lauka_compare_result result;
    struct lauka_compare_options wide = {0, 0.05, 1};
    draw(a, ROUNDS, 1e6);
    draw(b, ROUNDS, 1e6);
    lauka_compare_values(a, ROUNDS, b, ROUNDS - 7, &wide, &result);
    EXPECT(result.verdict == LAUKA_COMPARE_EQUIVALENT && result.pairs == ROUNDS - 7);
    lauka_compare_values(a, 2, b, 2, NULL, &result);
    EXPECT(result.verdict == LAUKA_COMPARE_INCONCLUSIVE);
    lauka_compare_values(a, 0, b, 0, NULL, &result);
    EXPECT(result.verdict == LAUKA_COMPARE_NONE && result.method[0] == 0);
}

/* As docs/statistics.md says of rounds, constants and limits. */
static void the_least_numbers_of_the_library_are_those_of_the_program(void)
{
    static const uint64_t a[] = {1000, 1010, 1005, 1002, 1007, 1001, 1003, 1008},
                          b[] = {2000, 2010, 2020, 2015, 2004, 2031, 2006, 2013},
                          same[] = {7, 7, 7, 7};
    const struct lauka_compare_options loose = {0.7, 0, 0};
    const struct lauka_compare_limit limit = {.share = 0.02};
    struct lauka_compare_result result;
    enum lauka_compare_judgement verdict;
    uint64_t needed;
    for (size_t rounds = 4; rounds <= 6; rounds++) {
        lauka_compare_values(a, rounds, b, rounds, &loose, &result);
        EXPECT(result.ratio_low.known && (result.verdict == LAUKA_COMPARE_HIGHER) == (rounds == 6));
    }
    for (size_t rounds = 3; rounds <= 4; rounds++) {
        lauka_compare_values(same, rounds, same, rounds, NULL, &result);
        EXPECT((result.verdict == LAUKA_COMPARE_IDENTICAL) == (rounds == 4));
    }
    for (size_t rounds = 7; rounds <= 8; rounds++) {
        lauka_compare_gate(a, rounds, b, rounds, NULL, &limit, &verdict, &needed);
        EXPECT((verdict == LAUKA_COMPARE_FAIL) == (rounds == 8) && needed == 8);
    }
}

static void arguments_that_cannot_be_compared_are_refused(void)
{
    const uint64_t a[] = {1, 2, 3};
    const double bad[] = {1, -2, 3};
    struct lauka_compare_options no_share = {1.5, 0, 0};
    struct lauka_compare_result result;
    EXPECT(lauka_compare_values(a, 3, a, 2, NULL, &result) == EINVAL);
    EXPECT(lauka_compare_values(a, 3, a, 3, &no_share, &result) == EINVAL);
    EXPECT(lauka_compare_doubles(bad, 3, bad, 3, NULL, &result) == EINVAL);
}

static void doubles_are_compared_in_their_own_unit(void)
{
    uint64_t a[ROUNDS], b[ROUNDS];
    double x[ROUNDS + 1], y[ROUNDS + 1];
    struct lauka_compare_result of_integers, of_doubles;
    draw(a, ROUNDS, 1e6);
    draw(b, ROUNDS, 1.1e6);
    for (size_t i = 0; i < ROUNDS; i++) {
        x[i] = (double)a[i] / 1e9;
        y[i] = (double)b[i] / 1e9;
    }
    x[ROUNDS] = NAN; /* not measured */
    y[ROUNDS] = 1;
    lauka_compare_values(a, ROUNDS, b, ROUNDS, NULL, &of_integers);
    EXPECT(lauka_compare_doubles(x, ROUNDS + 1, y, ROUNDS + 1, NULL, &of_doubles) == 0);
    EXPECT_NEAR(of_doubles.ratio.value, of_integers.ratio.value, 1e-9);
    EXPECT_NEAR(of_doubles.other_mean, of_integers.other_mean / 1e9, 1e-9);
    EXPECT(of_doubles.pairs == ROUNDS && of_doubles.verdict == of_integers.verdict);
    const double zeros[] = {0, 0, 0, 0, 0};
    lauka_compare_doubles(zeros, 5, zeros, 5, NULL, &of_doubles);
    EXPECT(of_doubles.verdict == LAUKA_COMPARE_IDENTICAL);
}

static struct lauka_hdr *histogram_of(size_t count, double level)
{
    struct lauka_hdr *histogram = lauka_hdr_new(3, 0, 0);
    for (size_t i = 0; i < count; i++)
        lauka_hdr_record(histogram,
                         (uint64_t)llround(level * exp(0.2 * lauka_random_normal(&dice))));
    return histogram;
}

static void percentiles_of_histograms_have_intervals(void)
{
    struct lauka_hdr *a = histogram_of(20000, 1e6), *b = histogram_of(20000, 1.2e6);
    struct lauka_hdr *few = histogram_of(20, 1e6), *empty = lauka_hdr_new(3, 0, 0);
    struct lauka_compare_tail tail;
    EXPECT(lauka_compare_percentile(a, b, 99, NULL, &tail) == 0);
    EXPECT(tail.verdict == LAUKA_COMPARE_HIGHER);
    EXPECT_NEAR(tail.reference.value.value, 1e6 * exp(0.2 * 2.326), 0.02);
    EXPECT(tail.difference.low.value > 0 &&
           tail.difference.low.value < tail.difference.value.value &&
           tail.difference.value.value < tail.difference.high.value);
    lauka_compare_percentile(a, few, 99.9, NULL, &tail);
    EXPECT(tail.verdict == LAUKA_COMPARE_INCONCLUSIVE && !tail.difference.low.known);
    lauka_compare_percentile(a, empty, 50, NULL, &tail);
    EXPECT(tail.verdict == LAUKA_COMPARE_NONE && !tail.other.value.known);
    EXPECT(lauka_compare_percentile(a, b, 100, NULL, &tail) == EINVAL);
    struct lauka_hdr *all[] = {a, b, few, empty};
    for (size_t i = 0; i < 4; i++)
        lauka_hdr_free(all[i]);
}

static void a_limit_is_held_exceeded_or_neither(void)
{
    uint64_t a[ROUNDS], b[ROUNDS], needed;
    const struct lauka_compare_limit small = {0.02, 0, 0, 0}, large = {0.2, 0, 0, 0};
    const struct lauka_compare_limit absolute = {0, 10000, 0, 0}, tail = {0.02, 0, 99.9, 0};
    const struct lauka_compare_limit falls = {0.02, 0, 0, 1}, none = {0, 0, 0, 0};
    enum lauka_compare_judgement gate;
    draw(a, ROUNDS, 1e6);
    draw(b, ROUNDS, 1.05e6);
    EXPECT(lauka_compare_gate(a, ROUNDS, b, ROUNDS, NULL, &small, &gate, &needed) == 0);
    EXPECT(gate == LAUKA_COMPARE_FAIL && needed > 0);
    lauka_compare_gate(a, ROUNDS, b, ROUNDS, NULL, &large, &gate, NULL);
    EXPECT(gate == LAUKA_COMPARE_PASS);
    lauka_compare_gate(a, ROUNDS, b, ROUNDS, NULL, &absolute, &gate, NULL);
    EXPECT(gate == LAUKA_COMPARE_FAIL);
    lauka_compare_gate(a, ROUNDS, b, ROUNDS, NULL, &falls, &gate, NULL);
    EXPECT(gate == LAUKA_COMPARE_PASS);
    lauka_compare_gate(a, ROUNDS, b, ROUNDS, NULL, &tail, &gate, &needed);
    EXPECT(gate == LAUKA_COMPARE_UNDECIDED && needed > ROUNDS);
    EXPECT(lauka_compare_gate(a, ROUNDS, b, ROUNDS, NULL, &none, &gate, NULL) == EINVAL);
    lauka_compare_gate(a, 0, b, 0, NULL, &small, &gate, &needed);
    EXPECT(gate == LAUKA_COMPARE_UNDECIDED && needed > 0);
}

/* ---- reports ---- */

static struct lauka_report *report_of_values(bool paired)
{
    uint64_t values[ROUNDS];
    struct lauka_report *report = lauka_report_new("parse");
    lauka_report_add_metric(report, "parse_time", "ns", LAUKA_REPORT_LOWER);
    lauka_report_add_side(report, "old");
    lauka_report_add_side(report, "new");
    /* This metric is added after the sides. */
    lauka_report_add_metric(report, "allocations", "1", LAUKA_REPORT_LOWER);
    for (int side = 0; side < 2; side++) {
        draw(values, ROUNDS, side ? 1.1e6 : 1e6);
        for (size_t i = 0; i < ROUNDS; i++)
            lauka_report_add_values(report, side, 0, &values[i], 1);
        for (size_t i = 0; i < ROUNDS; i++)
            values[i] = 7;
        lauka_report_add_values(report, side, 1, values, ROUNDS);
    }
    if (paired)
        lauka_report_pair(report);
    return report;
}

/* Returns what the function writes, owned by the caller. */
static char *written(const struct lauka_report *report,
                     int (*write)(const struct lauka_report *, FILE *))
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    EXPECT(write(report, out) == 0);
    fclose(out);
    return text;
}

static void a_report_says_what_differs(void)
{
    struct lauka_report *report = report_of_values(true);
    struct lauka_compare_result result;
    char sentence[400];
    EXPECT(lauka_report_sentence(report, 1, sentence, sizeof sentence) == 0);
    EXPECT(strstr(sentence, "`new` is ") == sentence && strstr(sentence, "slower than `old`"));
    EXPECT(lauka_report_compare(report, 1, 0, &result) == 0);
    EXPECT(result.verdict == LAUKA_COMPARE_HIGHER && result.pairs == ROUNDS);
    lauka_report_compare(report, 1, 1, &result);
    EXPECT(result.verdict == LAUKA_COMPARE_IDENTICAL);
    char *screen = written(report, lauka_report_write_screen);
    char *table = written(report, lauka_report_write_table);
    char *percentiles = written(report, lauka_report_write_percentiles);
    EXPECT(strstr(screen, "60 values, measured by the program itself; paired by position"));
    EXPECT(strstr(table, "parse_time") && strstr(percentiles, "percentile"));
    free(screen);
    free(table);
    free(percentiles);
    lauka_report_free(report);
}

static void the_json_is_read_as_it_was_measured(void)
{
    struct lauka_report *report = report_of_values(true);
    lauka_report_add_note(report, "the fan was loud");
    lauka_report_add_label(report, "branch", "fast");
    char *json = written(report, lauka_report_write_json);
    struct lauka_stored stored = {.name = "r.json", .bytes = json, .size = strlen(json)};
    struct lauka_result result;
    struct lauka_load_error error = {{0}};
    EXPECT(lauka_load(&stored, &result, &error) == 0);
    EXPECT_TEXT(error.text, "");
    EXPECT(result.command_count == 2 && result.metric_count == 2 && result.run.rounds == ROUNDS &&
           !result.run.unpaired);
    EXPECT_TEXT(result.commands[1].label, "new");
    EXPECT_TEXT(result.metrics[0].name, "parse_time");
    EXPECT_TEXT(result.benchmark.name, "parse");
    EXPECT_TEXT(result.provenance.labels[0].value, "fast");
    EXPECT_TEXT(result.warnings[0], "the fan was loud");
    EXPECT(result.host.os && result.provenance.begin && result.provenance.end);
    EXPECT_UINT(lauka_series_at(&result.commands[0].series[1], 0), 7);
    lauka_result_done(&result);
    free(json);
    lauka_report_free(report);
}

static void sides_may_have_other_numbers_of_values(void)
{
    struct lauka_report *report = report_of_values(true);
    const uint64_t more[] = {1000000, UINT64_MAX, 1000001};
    struct lauka_compare_result result;
    EXPECT(lauka_report_add_values(report, 0, 0, more, 3) == 0);
    EXPECT(lauka_report_compare(report, 1, 0, &result) == 0);
    EXPECT(result.verdict == LAUKA_COMPARE_HIGHER && result.pairs == ROUNDS);
    EXPECT_TEXT(result.method, "hodges_lehmann_unpaired");
    lauka_report_free(report);
}

static void histograms_are_compared_and_stored(void)
{
    struct lauka_report *report = lauka_report_new(NULL);
    struct lauka_hdr *a = histogram_of(3000, 1e6), *b = histogram_of(3000, 1.2e6);
    struct lauka_compare_result result;
    int metric = lauka_report_add_metric(report, "latency", "ns", LAUKA_REPORT_LOWER);
    int old = lauka_report_add_side(report, "old"), new = lauka_report_add_side(report, "new");
    EXPECT(lauka_report_add_histogram(report, old, metric, a) == 0);
    EXPECT(lauka_report_add_histogram(report, new, metric, b) == 0);
    EXPECT(lauka_report_compare(report, new, metric, &result) == 0);
    /* Each is one unit, however many values it has. */
    EXPECT(result.verdict == LAUKA_COMPARE_INCONCLUSIVE && result.pairs == 3000);
    EXPECT(result.ratio.known && result.ratio.value > 1.15 && !result.ratio_low.known);
    for (int i = 0; i < 40; i++) { /* 3000 * 2^40 values: too many to store singly */
        EXPECT(lauka_report_add_histogram(report, old, metric, a) == 0);
        lauka_hdr_merge(a, a);
    }
    EXPECT(lauka_report_compare(report, new, metric, &result) == 0);
    EXPECT(result.verdict == LAUKA_COMPARE_NONE);
    char *json = written(report, lauka_report_write_json);
    struct lauka_stored stored = {.name = "r.json", .bytes = json, .size = strlen(json)};
    struct lauka_result loaded;
    struct lauka_load_error error = {{0}};
    EXPECT(lauka_load(&stored, &loaded, &error) == 0);
    EXPECT_TEXT(error.text, "");
    EXPECT(loaded.run.samples_left_out && loaded.run.rounds == 3000 * (UINT64_C(1) << 40));
    lauka_result_done(&loaded);
    free(json);
    char *percentiles = written(report, lauka_report_write_percentiles);
    EXPECT(strstr(percentiles, "99.9"));
    free(percentiles);
    lauka_hdr_free(a);
    lauka_hdr_free(b);
    lauka_report_free(report);
}

static void what_makes_no_report_is_refused(void)
{
    struct lauka_report *report = lauka_report_new(NULL);
    const uint64_t value = 1;
    struct lauka_hdr *histogram = histogram_of(10, 100);
    char text[40];
    EXPECT(lauka_report_write_json(report, stdout) == EINVAL);
    EXPECT(lauka_report_add_values(report, 0, 0, &value, 1) == EINVAL);
    EXPECT(lauka_report_sentence(report, 0, text, sizeof text) == EINVAL);
    errno = 0;
    EXPECT(lauka_report_add_metric(report, "t", "hours", LAUKA_REPORT_LOWER) == -1 &&
           errno == EINVAL);
    EXPECT(lauka_report_add_metric(report, "t", "ns", LAUKA_REPORT_LOWER) == 0);
    EXPECT(lauka_report_add_metric(report, "t", "ns", LAUKA_REPORT_LOWER) == -1);
    lauka_report_add_side(report, "a");
    EXPECT(lauka_report_write_screen(report, stdout) == EINVAL); /* nothing has been measured */
    EXPECT(lauka_report_add_values(report, 0, 0, &value, 1) == 0);
    EXPECT(lauka_report_add_histogram(report, 0, 0, histogram) == EINVAL);
    EXPECT(lauka_report_save_json(report, "/nonexistent/r.json") == ENOENT);
    lauka_hdr_free(histogram);
    lauka_report_free(report);
    lauka_report_free(NULL);
}

static void a_file_is_replaced_as_a_whole(void)
{
    char folder[] = "/tmp/lauka-report-XXXXXX", path[64];
    struct lauka_report *report = report_of_values(false);
    if (!mkdtemp(folder))
        exit(1);
    snprintf(path, sizeof path, "%s/r.json", folder);
    EXPECT(lauka_report_save_json(report, path) == 0);
    EXPECT(lauka_report_save_json(report, path) == 0);
    EXPECT(unlink(path) == 0 && rmdir(folder) == 0); /* no other file is left */
    lauka_report_free(report);
}

/* ---- histograms at once ---- */

static void one_call_tells_a_histogram(void)
{
    struct lauka_hdr *a = histogram_of(1000, 1e6), *b = histogram_of(1000, 2e6);
    char line[400], small[10], *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    lauka_report_line(a, "parse", line, sizeof line);
    EXPECT(strstr(line, "parse: Total=1,000, Overflow=0, Mean=") == line && strstr(line, "P999="));
    EXPECT_UINT(strlen(lauka_report_line(a, "parse", small, sizeof small)), 9);
    EXPECT(lauka_report_write_histogram(a, "Parsing", out) == 0);
    EXPECT(lauka_report_write_difference("Parsing", "before", a, "after", b, out) == 0);
    fclose(out);
    EXPECT(strstr(text, "##### Parsing\n| Percentile ") == text && strstr(text, " before |"));
    EXPECT(strstr(text, "D-value:"));
    free(text);
    lauka_hdr_free(a);
    lauka_hdr_free(b);
}

int main(void)
{
    lauka_random_seed(&dice, 26);
    TEST(a_difference_is_found_and_swaps_with_its_sides);
    TEST(no_difference_is_equivalent_and_few_values_are_inconclusive);
    TEST(the_least_numbers_of_the_library_are_those_of_the_program);
    TEST(arguments_that_cannot_be_compared_are_refused);
    TEST(doubles_are_compared_in_their_own_unit);
    TEST(percentiles_of_histograms_have_intervals);
    TEST(a_limit_is_held_exceeded_or_neither);
    TEST(a_report_says_what_differs);
    TEST(the_json_is_read_as_it_was_measured);
    TEST(sides_may_have_other_numbers_of_values);
    TEST(histograms_are_compared_and_stored);
    TEST(what_makes_no_report_is_refused);
    TEST(a_file_is_replaced_as_a_whole);
    TEST(one_call_tells_a_histogram);
    return expect_report("reporting");
}
