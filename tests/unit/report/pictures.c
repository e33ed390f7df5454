/* Tests of what charts consist of: distributions, axes, ticks and bins; and of the page and the plot for
 * results of every kind. tests/page/run.py tests what only a browser can show. */
#include "report/analysis/analysis.h"
#include "report/html/html.h"
#include "report/plot/plot.h"
#include "report/result/result.h"
#include "report/terminal/terminal.h"
#include "report/text/text.h"
#include "stats/histogram.h"
#include "stats/stats.h"

#include <errno.h>
#include <stdlib.h>

#include "tests/unit/bound.h"
#include "tests/unit/expect.h"

static struct lauka_random dice;

/* ---- results made by hand ---------------------------------------------------------------------- */

struct wish {
    size_t commands, rounds;
    const char *unit;
    int decimals;
    uint64_t (*value)(size_t command, size_t round); /* LAUKA_MISSING: not measured */
    bool streamed, unpaired, without_order;
};

static void stream(struct lauka_result *result, size_t c)
{
    struct lauka_result_command *command = &result->commands[c];
    struct lauka_result_stream *stream = calloc(1, sizeof *stream);
    EXPECT(lauka_histogram_init(&stream->histogram, NULL) == 0);
    lauka_moments_init(&stream->moments);
    stream->paired = c > 0 ? malloc(sizeof *stream->paired) : NULL;
    if (c > 0)
        lauka_paired_log_init(stream->paired);
    for (size_t i = 0; i < command->series[0].count; i++) {
        uint64_t value = lauka_series_at(&command->series[0], i);
        if (value == LAUKA_MISSING)
            continue;
        lauka_histogram_record(&stream->histogram, value);
        lauka_moments_add(&stream->moments, value);
        if (c > 0 && lauka_series_at(&result->commands[0].series[0], i) != LAUKA_MISSING)
            lauka_paired_log_add(stream->paired, lauka_series_at(&result->commands[0].series[0], i),
                                 value);
    }
    command->streams = stream;
}

static void add_command(struct lauka_result *result, size_t c, const struct wish *wish)
{
    struct lauka_result_command *command = &result->commands[c];
    char label[16];
    snprintf(label, sizeof label, "./%c", (char)('a' + c % 26));
    command->label = strdup(label);
    command->argv = calloc(2, sizeof *command->argv);
    command->argv[0] = strdup(label);
    command->series = calloc(1, sizeof *command->series);
    size_t count = wish->unpaired ? wish->rounds / (c + 1) : wish->rounds;
    command->exit_codes = calloc(count + 1, sizeof *command->exit_codes);
    EXPECT(lauka_series_reserve(&command->series[0], count + 1) == 0);
    for (size_t i = 0; i < count; i++)
        lauka_series_add(&command->series[0], wish->value(c, i));
}

/* Returns an analysed result with one metric. */
static struct lauka_result make(const struct wish *wish)
{
    struct lauka_result result = {.metric_count = 1, .command_count = wish->commands};
    result.metrics = calloc(1, sizeof *result.metrics);
    result.metrics[0] = (struct lauka_result_metric){
        .name = strdup(strcmp(wish->unit, "ns") == 0 ? "wall_time" : "value"),
        .unit = strdup(wish->unit),
        .source = strdup("clock"),
        .better = "lower",
        .counted = true,
        .share = 1,
        .decimals = wish->decimals,
        .primary = true,
    };
    result.commands = calloc(wish->commands, sizeof *result.commands);
    result.run = (struct lauka_result_run){.seed = 42,
                                           .rounds = wish->rounds,
                                           .seconds = 1.25,
                                           .unpaired = wish->unpaired,
                                           .samples_left_out = wish->streamed,
                                           .stopped = LAUKA_STOPPED_ROUNDS};
    for (size_t c = 0; c < wish->commands; c++)
        add_command(&result, c, wish);
    for (size_t c = 0; c < wish->commands && wish->streamed; c++)
        stream(&result, c);
    if (!wish->without_order)
        result.run.order = calloc(wish->rounds * wish->commands + 1, sizeof(uint32_t));
    for (size_t i = 0; result.run.order && i < wish->rounds * wish->commands; i++)
        result.run.order[i] = (uint32_t)((i + i / wish->commands) % wish->commands);
    EXPECT(lauka_result_analyse(&result) == 0);
    return result;
}

/* Values of every magnitude, some of them outliers. */
static uint64_t any_value(size_t command, size_t round)
{
    static uint64_t base[32];
    if (round == 0)
        base[command % 32] = lauka_random_next(&dice) >> (1 + lauka_random_below(&dice, 62));
    uint64_t width = base[command % 32] >> lauka_random_below(&dice, 30);
    uint64_t value = base[command % 32] + lauka_random_below(&dice, width + 1);
    if (lauka_random_below(&dice, 50) == 0)
        value *= 3;
    return lauka_random_below(&dice, 40) == 0 ? LAUKA_MISSING : value;
}

static uint64_t around_a_million(size_t command, size_t round)
{
    return 1000000 + 50000 * command + round * 7919 % 10007;
}

static uint64_t constant(size_t command, size_t round)
{
    (void)command, (void)round;
    return 4096;
}

static uint64_t pages(size_t command, size_t round)
{
    return 4096 * (100 + command + round % 5);
}

static uint64_t far_apart(size_t command, size_t round)
{
    return command == 0 ? 1000 + round : 1000000000 + round;
}

/* ---- distribution.c ---------------------------------------------------------------------------- */

static void values_and_their_histogram_are_spread_alike(void)
{
    struct wish wish = {.commands = 1, .rounds = 1000, .unit = "ns", .value = around_a_million};
    struct lauka_result kept = make(&wish);
    wish.streamed = true;
    struct lauka_result streamed = make(&wish);
    struct lauka_distribution exact, buckets;
    EXPECT(lauka_distribution_of(&kept, 0, 0, &exact) == 0 && exact.exact);
    EXPECT(lauka_distribution_of(&streamed, 0, 0, &buckets) == 0 && !buckets.exact);
    EXPECT_UINT(exact.total, 1000);
    EXPECT_UINT(buckets.total, 1000);
    for (uint64_t number = 1; number <= 1000; number += 37) {
        double value = lauka_distribution_value(&exact, number);
        EXPECT_NEAR(lauka_distribution_value(&buckets, number), value, 1e-3);
        EXPECT(fabs(lauka_distribution_below(&exact, value) - (double)(number - 1)) < 0.5);
        EXPECT(fabs(lauka_distribution_below(&buckets, value) - (double)(number - 1)) < 60);
    }
    EXPECT(lauka_distribution_value(&exact, 1) == lauka_distribution_value(&buckets, 1));
    EXPECT(lauka_distribution_value(&exact, 1000) == lauka_distribution_value(&buckets, 1000));
    lauka_distribution_done(&exact);
    lauka_distribution_done(&buckets);
    lauka_result_done(&kept);
    lauka_result_done(&streamed);
}

/* Both use nearest ranks, so the picture shows the same numbers as the table. */
static void quantiles_are_those_of_the_table(void)
{
    for (int streamed = 0; streamed < 2; streamed++) {
        struct lauka_result result = make(&(struct wish){.commands = 1,
                                                         .rounds = 500,
                                                         .unit = "ns",
                                                         .value = around_a_million,
                                                         .streamed = streamed});
        struct lauka_distribution distribution;
        struct lauka_result_quantiles quantiles;
        EXPECT(lauka_distribution_of(&result, 0, 0, &distribution) == 0);
        EXPECT(lauka_result_quantiles(&result, 0, 0, &quantiles) == 0);
        for (size_t i = 1; i + 1 < LAUKA_SUMMARY_RANKS; i++)
            EXPECT(fabs(lauka_distribution_quantile(&distribution, lauka_summary_ranks[i]) -
                        (double)quantiles.values[i]) <= (streamed ? 512 : 0));
        lauka_distribution_done(&distribution);
        lauka_result_done(&result);
    }
}

/* ---- axis.c ------------------------------------------------------------------------------------ */

static void expect_ticks(const struct lauka_axis *axis, double room, size_t most)
{
    struct lauka_ticks ticks;
    lauka_axis_ticks(axis, room, most, &ticks);
    EXPECT(ticks.count <= most);
    for (size_t i = 0; i < ticks.count; i++) {
        double low = fmin(axis->begin, axis->end), high = fmax(axis->begin, axis->end);
        EXPECT(ticks.place[i] >= low - 1e-6 * (high - low));
        EXPECT(ticks.place[i] <= high + 1e-6 * (high - low));
        EXPECT(strlen(ticks.text[i]) > 0 && strcmp(ticks.text[i], "-0") != 0);
        EXPECT(!strstr(ticks.text[i], "nan") && !strstr(ticks.text[i], "inf"));
        if (i == 0)
            continue;
        EXPECT(ticks.place[i] != ticks.place[i - 1]);
        if (strcmp(ticks.text[i], ticks.text[i - 1]) == 0)
            printf("twice %s: %d from %g to %g, scale %g%s\n", ticks.text[i], (int)axis->kind,
                   axis->from, axis->to, axis->scale.divisor, axis->scale.suffix);
        EXPECT(strcmp(ticks.text[i], ticks.text[i - 1]) != 0);
    }
}

static void ticks_are_round_and_lie_on_their_axis(void)
{
    struct lauka_axis axis = {.from = 9.7, .to = 10.9, .begin = 0, .end = 60, .scale = {1, "", 0}};
    struct lauka_ticks ticks;
    axis.scale.divisor = 0.001; /* for whole numbers, like all values */
    lauka_axis_ticks(&axis, 1, 12, &ticks);
    EXPECT_UINT(ticks.count, 6);
    EXPECT_TEXT(ticks.text[0], "9800");
    EXPECT_TEXT(ticks.text[5], "10800");
    EXPECT_NEAR(ticks.place[0], 5, 1e-9);
    struct lauka_axis change =
        lauka_axis_of_changes(log1p(-0.02), log1p(0.05), true, axis.scale, true);
    lauka_axis_ticks(&change, 0, 6, &ticks);
    EXPECT_TEXT(ticks.text[0], "−2 %");
    EXPECT_TEXT(ticks.text[1], "0 %");
    EXPECT_TEXT(ticks.text[2], "+2 %");
    change = lauka_axis_of_changes(0, log(30), true, axis.scale, false);
    lauka_axis_ticks(&change, 0, 6, &ticks);
    EXPECT_TEXT(ticks.text[0], "x1");
    EXPECT_TEXT(ticks.text[1], "x2");
    EXPECT_TEXT(ticks.text[4], "x20");
}

static void no_range_whatever_has_ticks_twice_or_outside(void)
{
    for (int i = 0; i < 1000; i++) {
        double low = -exp(20 * lauka_random_unit(&dice) - 12),
               high = exp(20 * lauka_random_unit(&dice) - 12);
        double room = lauka_random_unit(&dice) * 0.02;
        struct lauka_axis axis = lauka_axis_of_changes(low, high, i % 2 == 0,
                                                       (struct lauka_scale){1, "", 0}, i % 3 != 0);
        expect_ticks(&axis, room, 12);
    }
    for (int i = 0; i < 400; i++) {
        struct lauka_result result = make(&(struct wish){.commands = 2,
                                                         .rounds = 1 + (size_t)i % 60,
                                                         .unit = i % 3 ? "ns" : "1",
                                                         .decimals = i % 7 ? 0 : 3,
                                                         .value = any_value});
        struct lauka_distribution pair[2];
        for (size_t c = 0; c < 2; c++)
            EXPECT(lauka_distribution_of(&result, c, 0, &pair[c]) == 0);
        struct lauka_axis axis = lauka_axis_of_values(&result, 0, pair, 2, i % 2);
        EXPECT(axis.from < axis.to);
        expect_ticks(&axis, lauka_random_unit(&dice) * 0.02, 12);
        for (size_t c = 0; c < 2; c++)
            lauka_distribution_done(&pair[c]);
        lauka_result_done(&result);
    }
}

static void commands_far_apart_are_shown_by_their_logarithms(void)
{
    struct lauka_result result =
        make(&(struct wish){.commands = 2, .rounds = 30, .unit = "ns", .value = far_apart});
    struct lauka_distribution pair[2];
    for (size_t c = 0; c < 2; c++)
        EXPECT(lauka_distribution_of(&result, c, 0, &pair[c]) == 0);
    struct lauka_axis axis = lauka_axis_of_values(&result, 0, pair, 2, true);
    struct lauka_ticks ticks;
    EXPECT(axis.kind == LAUKA_AXIS_LOG);
    lauka_axis_ticks(&axis, 0, 8, &ticks);
    EXPECT_TEXT(ticks.text[0], "1 µs");
    EXPECT_TEXT(ticks.text[ticks.count - 1], "1 s");
    EXPECT_NEAR(lauka_axis_value(&axis, lauka_axis_place(&axis, 123456)), 123456, 1e-9);
    for (size_t c = 0; c < 2; c++)
        lauka_distribution_done(&pair[c]);
    lauka_result_done(&result);
}

/* ---- bins.c ------------------------------------------------------------------------------------ */

static void expect_all_in_bins(const struct lauka_bins *bins, size_t count)
{
    EXPECT(bins->count > 0 && bins->count <= LAUKA_BINS);
    for (size_t d = 0; d < count; d++) {
        double sum = bins->beyond[d][0] + bins->beyond[d][1];
        for (size_t i = 0; i < bins->count; i++) {
            EXPECT(bins->shares[d][i] >= 0 && bins->shares[d][i] <= bins->most);
            sum += bins->shares[d][i];
        }
        EXPECT_NEAR(sum, 1, 1e-9);
    }
}

static void every_value_is_in_a_bin_or_beyond_them(void)
{
    uint64_t (*const all[])(size_t, size_t) = {around_a_million, constant, pages, far_apart,
                                               any_value};
    for (size_t i = 0; i < 2 * sizeof all / sizeof *all; i++) {
        struct lauka_result result = make(&(struct wish){
            .commands = 2, .rounds = 50, .unit = "ns", .value = all[i / 2], .streamed = i % 2});
        struct lauka_distribution pair[2];
        struct lauka_bins bins;
        for (size_t c = 0; c < 2; c++)
            EXPECT(lauka_distribution_of(&result, c, 0, &pair[c]) == 0);
        struct lauka_axis axis = lauka_axis_of_values(&result, 0, pair, 2, true);
        lauka_bins_of(&axis, pair, 2, 60, &bins);
        expect_all_in_bins(&bins, 2);
        lauka_bins_fill(&axis, pair, 2, 100, &bins);
        expect_all_in_bins(&bins, 2);
        for (size_t c = 0; c < 2; c++)
            lauka_distribution_done(&pair[c]);
        lauka_result_done(&result);
    }
}

static uint64_t one_stray(size_t command, size_t round)
{
    return round == 5 && command == 0 ? 400000 : 100000 + 100 * (round % 7);
}

static void one_outlier_of_a_dozen_does_not_flatten_the_others(void)
{
    struct lauka_result result =
        make(&(struct wish){.commands = 1, .rounds = 12, .unit = "ns", .value = one_stray});
    struct lauka_distribution own;
    EXPECT(lauka_distribution_of(&result, 0, 0, &own) == 0);
    struct lauka_axis axis = lauka_axis_of_values(&result, 0, &own, 1, true);
    EXPECT(axis.to < 110000);
    EXPECT(axis.cut_high && !axis.cut_low);
    lauka_distribution_done(&own);
    lauka_result_done(&result);
}

static void values_of_few_levels_have_a_bin_each(void)
{
    struct lauka_result result =
        make(&(struct wish){.commands = 1, .rounds = 50, .unit = "B", .value = pages});
    struct lauka_distribution own;
    struct lauka_bins bins;
    EXPECT(lauka_distribution_of(&result, 0, 0, &own) == 0);
    struct lauka_axis axis = lauka_axis_of_values(&result, 0, &own, 1, true);
    lauka_bins_of(&axis, &own, 1, 60, &bins);
    for (size_t i = 0; i < bins.count; i++)
        EXPECT(bins.shares[0][i] == 0 || fabs(bins.shares[0][i] - 0.2) < 1e-12);
    lauka_distribution_done(&own);
    lauka_result_done(&result);
}

/* ---- html/page.c, terminal/plot.c ---------------------------------------------------------------------------- */

static char *page_of(const struct lauka_result *result)
{
    char *text = NULL;
    size_t size = 0;
    struct lauka_result one = *result;
    FILE *out = open_memstream(&text, &size);
    EXPECT(lauka_write_html(&(struct lauka_session){&one, 1}, out) == 0);
    fclose(out);
    EXPECT(size < 1000000);
    return text;
}

static char *plot_of(const struct lauka_result *result, struct lauka_terminal terminal)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    EXPECT(lauka_write_plot(result, terminal, out) == 0);
    fclose(out);
    return text;
}

static void expect_plain_page(const char *text)
{
    const char *end = text + strlen(text);
    EXPECT(strstr(text, "<script") == NULL);
    EXPECT(strcmp(end - strlen("</body>\n</html>\n"), "</body>\n</html>\n") == 0);
    EXPECT(!strstr(text, "=\"nan") && !strstr(text, "=\"inf") && !strstr(text, "=\"-nan"));
}

static void expect_narrow(char *text, int width, bool ascii)
{
    for (char *line = text, *end; *line; line = end + 1) {
        end = line + strcspn(line, "\n");
        EXPECT(*end == '\n');
        *end = 0;
        if (lauka_display_width(line) > width)
            printf("%d columns, not %d: %s\n", lauka_display_width(line), width, line);
        EXPECT(lauka_display_width(line) <= width);
        EXPECT(end == line || end[-1] != ' ');
        for (const char *c = line; *c && ascii; c++)
            EXPECT((unsigned char)*c < 0x80);
    }
}

static void results_of_every_kind_have_pages_and_plots(void)
{
    static const int widths[] = {20, 40, 80, 120};
    for (int i = 0; i < 60; i++) {
        struct wish wish = {
            .commands = 1 + (size_t)i % 12,
            .rounds =
                (size_t)i % 4 == 0 ? lauka_random_below(&dice, 4) : lauka_random_below(&dice, 80),
            .unit = i % 3 == 0   ? "1"
                    : i % 3 == 1 ? "ns"
                                 : "B",
            .decimals = i % 6 == 0 ? 9 : 0,
            .value = i % 10 == 0   ? constant
                     : i % 10 == 1 ? far_apart
                                   : any_value,
            .streamed = i % 5 == 0,
            .unpaired = i % 5 == 1,
            .without_order = i % 7 == 0,
        };
        struct lauka_result result = make(&wish);
        char *page = page_of(&result);
        expect_plain_page(page);
        free(page);
        bool utf8 = i % 2 == 0;
        char *plot =
            plot_of(&result, (struct lauka_terminal){.width = widths[i % 4], .utf8 = utf8});
        expect_narrow(plot, widths[i % 4], !utf8);
        free(plot);
        lauka_result_done(&result);
    }
}

static void long_sessions_have_small_pages(void)
{
    struct lauka_result result = make(
        &(struct wish){.commands = 10, .rounds = 20000, .unit = "ns", .value = around_a_million});
    char *page = page_of(&result);
    EXPECT(strlen(page) < 400000);
    EXPECT(strstr(page, "medians of 110 parts") != NULL);
    free(page);
    lauka_result_done(&result);
}

static void pages_say_what_they_cannot_show(void)
{
    struct wish wish = {
        .commands = 2, .rounds = 40, .unit = "ns", .value = around_a_million, .streamed = true};
    struct lauka_result result = make(&wish);
    char *page = page_of(&result);
    EXPECT(strstr(page, "Single runs were not kept") && !strstr(page, "in the order they ran"));
    EXPECT(strstr(page, "quantile by quantile") && strstr(page, "Share of runs in each step"));
    free(page);
    lauka_result_done(&result);
    wish = (struct wish){.commands = 2, .rounds = 3, .unit = "ns", .value = around_a_million};
    result = make(&wish);
    page = page_of(&result);
    EXPECT(strstr(page, "needs at least 5 runs") && !strstr(page, "quantile by quantile"));
    free(page);
    lauka_result_done(&result);
}

static struct lauka_random noise;
static double shift; /* of the second command, in standard deviations */

static uint64_t log_normal(size_t command, size_t round)
{
    (void)round;
    return (uint64_t)(1e6 * exp(0.2 * (lauka_random_normal(&noise) + shift * (double)command)));
}

/* Counts the pages with `words`, among those that claim a difference beyond doubt. */
static size_t count_pages(int pages, struct wish wish, const char *words)
{
    size_t count = 0;
    lauka_random_seed(&noise, 42);
    for (int i = 0; i < pages; i++) {
        struct lauka_result result = make(&wish);
        char *page = page_of(&result);
        bool clear = strstr(page, "beyond doubt from") || strstr(page, "beyond doubt at") ||
                     strstr(page, "beyond doubt in parts");
        EXPECT(clear || strstr(page, "No quantile differs beyond doubt."));
        count += clear && strstr(page, words);
        free(page);
        lauka_result_done(&result);
    }
    return count;
}

static void quantiles_are_judged_all_together(void)
{
    struct wish wish = {.commands = 2, .rounds = 500, .unit = "1", .value = log_normal};
    shift = 0;
    EXPECT(count_pages(20, wish, "") <= bound_of(20));
    wish.streamed = true;
    EXPECT(count_pages(20, wish, "") <= bound_of(20));
    wish = (struct wish){.commands = 4, .rounds = 200, .unit = "ns", .value = log_normal};
    EXPECT(count_pages(20, wish, "") <= bound_of(20));
    shift = 0.5;
    EXPECT(count_pages(6, wish, "D is slower beyond doubt") == 6);
    wish = (struct wish){.commands = 2, .rounds = 500, .unit = "1", .value = log_normal};
    EXPECT(count_pages(6, wish, "B is higher beyond doubt") == 6);
    wish.streamed = true;
    EXPECT(count_pages(6, wish, "B is higher beyond doubt") == 6);
    shift = -5; /* all values are lower, so few runs are enough */
    wish = (struct wish){.commands = 2, .rounds = 10, .unit = "ns", .value = log_normal};
    EXPECT(count_pages(6, wish, "B is faster beyond doubt") == 6);
}

static void full_disks_are_heard_of(void)
{
    struct lauka_result result =
        make(&(struct wish){.commands = 2, .rounds = 9, .unit = "ns", .value = around_a_million});
    FILE *full = fopen("/dev/full", "w");
    if (full) {
        EXPECT(lauka_write_html(&(struct lauka_session){&result, 1}, full) == ENOSPC);
        fclose(full);
    }
    lauka_result_done(&result);
}

int main(void)
{
    lauka_random_seed(&dice, 3);
    TEST(values_and_their_histogram_are_spread_alike);
    TEST(quantiles_are_those_of_the_table);
    TEST(ticks_are_round_and_lie_on_their_axis);
    TEST(no_range_whatever_has_ticks_twice_or_outside);
    TEST(commands_far_apart_are_shown_by_their_logarithms);
    TEST(every_value_is_in_a_bin_or_beyond_them);
    TEST(one_outlier_of_a_dozen_does_not_flatten_the_others);
    TEST(values_of_few_levels_have_a_bin_each);
    TEST(results_of_every_kind_have_pages_and_plots);
    TEST(long_sessions_have_small_pages);
    TEST(pages_say_what_they_cannot_show);
    TEST(quantiles_are_judged_all_together);
    TEST(full_disks_are_heard_of);
    return expect_report("pictures");
}
