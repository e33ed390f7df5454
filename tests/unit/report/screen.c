/* The screen and the table of --full, compared with files in tests/goldens byte by byte: see tests/unit/goldens.h. */
#include "report/analysis/analysis.h"
#include "report/result/result.h"
#include "report/text/prose.h"
#include "report/text/text.h"
#include "report/words/words.h"
#include "stats/histogram.h"
#include "stats/stats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "tests/unit/expect.h"
#include "tests/unit/goldens.h"

/* ---- the screen -------------------------------------------------------------------------------------- */

static void the_screen_groups_by_metric_at_three_widths(void)
{
    expect_document("screen-two-60.txt", pretend_two(), SCREEN,
                    (struct lauka_terminal){.width = 60, .utf8 = true});
    expect_document("screen-two-80.txt", pretend_two(), SCREEN, utf8);
    expect_document("screen-two-120.txt", pretend_two(), SCREEN,
                    (struct lauka_terminal){.width = 120, .utf8 = true});
    expect_document("screen-two-color.txt", pretend_two(), SCREEN,
                    (struct lauka_terminal){.width = 80, .utf8 = true, .color = true});
}

static void on_a_terminal_the_answer_comes_last(void)
{
    expect_document("screen-two-last.txt", pretend_two(), SCREEN,
                    (struct lauka_terminal){.width = 80, .is_screen = true});
}

static void a_command_alone_has_a_row_a_metric_on_the_screen(void)
{
    expect_document("screen-one.txt", pretend(&(struct wish){.rounds = 20, .labels = {"./a"}}),
                    SCREEN, utf8);
}

static void memory_below_the_floor_is_no_change_on_the_screen(void)
{
    struct lauka_result result = pretend_two();
    result.run.rss_floor = 1320000;
    expect_document("screen-floor.txt", result, SCREEN, utf8);
}

static void estimates_say_for_how_long_they_were_counted_on_the_screen(void)
{
    struct wish wish = {.rounds = 20, .labels = {"./a", "./b"}, .shared_counters = true};
    struct lauka_result result = pretend(&wish);
    for (size_t m = 0; m < result.metric_count; m++)
        result.metrics[m].primary |= strcmp(result.metrics[m].name, "instructions") == 0;
    expect_document("screen-estimates.txt", result, SCREEN, ascii);
}

/* ---- the table --------------------------------------------------------------------------------------- */

static void two_commands_are_compared_at_eighty_columns(void)
{
    expect_document("table-two.txt", pretend_two(), TABLE, utf8);
}

static void two_commands_are_compared_in_ascii(void)
{
    expect_document("table-two-ascii.txt", pretend_two(), TABLE, ascii);
}

static void the_answer_has_the_colour_of_its_verdict(void)
{
    expect_document("table-two-color.txt", pretend_two(), TABLE,
                    (struct lauka_terminal){.width = 80, .utf8 = true, .color = true});
}

static void a_table_of_forty_columns_keeps_means_and_changes(void)
{
    expect_document("table-two-40.txt", pretend_two(), TABLE,
                    (struct lauka_terminal){.width = 40, .utf8 = true});
}

static void a_table_of_twenty_columns_keeps_means(void)
{
    expect_document("table-two-20.txt", pretend_two(), TABLE,
                    (struct lauka_terminal){.width = 20, .utf8 = true});
}

static void three_commands_share_their_scales(void)
{
    struct lauka_result result =
        pretend(&(struct wish){.rounds = 20, .labels = {"./a", "./b", "./c"}});
    for (size_t i = 0; i < 20; i++)
        lauka_series_widen(&result.commands[2].series[WALL_TIME])[i] *=
            120; /* 1.5 s beside 12 ms */
    expect_document("table-three.txt", result, TABLE, utf8);
}

static void one_command_has_no_change(void)
{
    expect_document("table-one.txt", pretend(&(struct wish){.rounds = 20, .labels = {"./a"}}),
                    TABLE, utf8);
}

static void what_was_not_counted_is_a_dash_and_said_once(void)
{
    struct wish wish = {.rounds = 20, .labels = {"./a", "./b"}, .without_counters = true};
    expect_document("table-missing.txt", pretend(&wish), TABLE, utf8);
}

static void estimates_are_marked(void)
{
    struct wish wish = {.rounds = 20, .labels = {"./a", "./b"}, .shared_counters = true};
    expect_document("table-estimates.txt", pretend(&wish), TABLE, ascii);
}

static void memory_below_the_floor_is_at_most_the_floor(void)
{
    struct lauka_result result = pretend_two();
    result.run.rss_floor = 1320000; /* above all values of ./a and most of ./b */
    expect_document("table-floor.txt", result, TABLE, utf8);
}

static void one_round_has_no_deviation(void)
{
    struct lauka_result result = pretend(&(struct wish){.rounds = 1, .labels = {"./a", "./b"}});
    result.run.stopped = LAUKA_STOPPED_INTERRUPTED;
    expect_document("table-one-round.txt", result, TABLE, utf8);
}

static void no_round_has_no_numbers(void)
{
    struct lauka_result result = pretend(&(struct wish){.rounds = 0, .labels = {"./a", "./b"}});
    result.run.stopped = LAUKA_STOPPED_FAILURE;
    expect_document("table-no-round.txt", result, TABLE, utf8);
}

static void accepted_failures_are_counted(void)
{
    struct lauka_result result = pretend_two();
    result.commands[1].exit_codes[3] = 1;
    result.commands[1].exit_codes[7] = 139;
    result.commands[1].failures = 2;
    expect_document("table-failures.txt", result, TABLE, utf8);
}

static void nasty_labels_can_not_drive_the_terminal(void)
{
    expect_document("table-nasty.txt", pretend_nasty(), TABLE, utf8);
    expect_document("table-nasty-ascii.txt", pretend_nasty(), TABLE, ascii);
}

static int widest_line(char *text)
{
    int widest = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        int width = lauka_display_width(line);
        widest = width > widest ? width : widest;
    }
    return widest;
}

static void no_table_is_wider_than_its_terminal(void)
{
    struct lauka_result result = pretend_nasty();
    EXPECT(lauka_result_analyse(&result) == 0);
    for (int width = 20; width <= 130; width += width < 50 ? 1 : 3) {
        for (int choice = 0; choice < 8; choice++) {
            struct lauka_terminal terminal = {width, choice & 1, choice & 2, choice & 4};
            char *text = written(&result, choice & 4 ? SCREEN : TABLE, terminal);
            EXPECT(widest_line(text) <= width);
            free(text);
        }
    }
    lauka_result_done(&result);
}

static void extreme_values_keep_the_table_within_its_width(void)
{
    struct lauka_result result = pretend_two();
    for (size_t m = 0; m < PRETENCES; m++)
        for (size_t i = 0; i < 20; i++)
            lauka_series_set(&result.commands[1].series[m], i, UINT64_MAX - 1 - i);
    EXPECT(lauka_result_analyse(&result) == 0);
    for (int width = 20; width <= 130; width += width < 50 ? 1 : 3) {
        char *text = written(&result, TABLE, (struct lauka_terminal){.width = width});
        EXPECT(widest_line(text) <= width);
        free(text);
    }
    lauka_result_done(&result);
}

/* ---- percentiles, and results without single values -------------------------------------------------- */

/* Moves all values into streams and drops them, as the runner does. */
static void pour(struct lauka_result *result)
{
    for (size_t c = 0; c < result->command_count; c++) {
        struct lauka_result_command *command = &result->commands[c];
        command->streams = calloc(result->metric_count, sizeof *command->streams);
        for (size_t m = 0; m < result->metric_count; m++) {
            struct lauka_result_stream *stream = &command->streams[m];
            EXPECT(lauka_histogram_init(&stream->histogram, NULL) == 0);
            lauka_moments_init(&stream->moments);
            stream->paired = c > 0 ? malloc(sizeof *stream->paired) : NULL;
            if (stream->paired)
                lauka_paired_log_init(stream->paired);
            for (size_t i = 0; i < result->run.rounds; i++) {
                uint64_t value = pretended(&pretences[m], c, i);
                lauka_moments_add(&stream->moments, value);
                lauka_histogram_record(&stream->histogram, value);
                if (stream->paired)
                    lauka_paired_log_add(stream->paired, pretended(&pretences[m], 0, i), value);
            }
        }
    }
    for (size_t c = 0; c < result->command_count; c++) {
        for (size_t m = 0; m < result->metric_count; m++)
            lauka_series_done(&result->commands[c].series[m]);
        free(result->commands[c].exit_codes);
        result->commands[c].exit_codes = NULL;
    }
    free(result->run.order);
    result->run.order = NULL;
    result->run.samples_left_out = true;
}

static struct lauka_result pretend_poured(void)
{
    struct lauka_result result = pretend_two();
    pour(&result);
    return result;
}

static void without_samples_the_answer_is_the_same(void)
{
    struct lauka_result kept = pretend_two(), poured = pretend_poured();
    EXPECT(lauka_result_analyse(&kept) == 0 && lauka_result_analyse(&poured) == 0);
    for (size_t m = 0; m < PRETENCES; m++) {
        const struct lauka_summary *a = &kept.commands[1].summaries[m];
        const struct lauka_summary *b = &poured.commands[1].summaries[m];
        EXPECT(a->count == b->count && a->min == b->min && a->max == b->max);
        EXPECT(a->mean == b->mean && a->stddev.value == b->stddev.value);
        EXPECT(fabs(a->median - b->median) <= 0.05 * a->median); /* the ranks differ slightly */
    }
    const struct lauka_comparison *a = lauka_result_comparison(&kept, 1, WALL_TIME);
    const struct lauka_comparison *b = lauka_result_comparison(&poured, 1, WALL_TIME);
    EXPECT(a->verdict == b->verdict);
    EXPECT(fabs(a->log_low.value - b->log_low.value) < 1e-4);
    EXPECT(a->cohens_d.value == b->cohens_d.value);
    lauka_result_done(&kept);
    lauka_result_done(&poured);
}

static void without_samples_outliers_are_a_dash(void)
{
    expect_document("table-poured.txt", pretend_poured(), TABLE,
                    (struct lauka_terminal){.width = 120, .utf8 = true});
}

static void json_without_samples_has_no_key_for_them(void)
{
    expect_document("poured.json", pretend_poured(), JSON, utf8);
}

static void percentiles_are_shown_side_by_side(void)
{
    expect_document("percentiles.txt", pretend_two(), PERCENTILES, utf8);
    expect_document("percentiles-poured.txt", pretend_poured(), PERCENTILES, ascii);
    struct lauka_result result = pretend_two();
    result.run.rss_floor = 1240000; /* between the values of ./a */
    expect_document("percentiles-floor.txt", result, PERCENTILES,
                    (struct lauka_terminal){.width = 40, .utf8 = true, .color = true});
    expect_document(
        "percentiles-one.txt",
        pretend(&(struct wish){.rounds = 1, .labels = {"./a"}, .without_counters = true}),
        PERCENTILES, (struct lauka_terminal){.width = 20, .utf8 = true});
}

static void metrics_are_drawn_over_one_axis(void)
{
    expect_document("plot.txt", pretend_two(), PLOT, utf8);
    expect_document("plot-ascii-40.txt", pretend_poured(), PLOT,
                    (struct lauka_terminal){.width = 40});
    expect_document("plot-20.txt", pretend_nasty(), PLOT,
                    (struct lauka_terminal){.width = 20, .utf8 = true});
    expect_document("plot-one.txt", pretend(&(struct wish){.rounds = 20, .labels = {"./a"}}), PLOT,
                    (struct lauka_terminal){.width = 80, .utf8 = true, .color = true});
}

/* Lines of a screen of 80 columns about so many commands, all of which fail now and then, beside many notes. */
static size_t lines_of_screen(size_t commands)
{
    static const char *const labels[] = {
        "/home/me/projects/parser/zig-out/old/bin/parser --input numbers.json --threads 1",
        "/home/me/projects/parser/zig-out/new/bin/parser --input numbers.json --threads 2",
        "SerializeManySmallDocumentsQuicklyAndWithoutAnyDefaultValues",
        "ParseLargeDocumentsWithoutAnyDefaultValuesInFewBytes", "./short"};
    struct wish wish = {.rounds = 20};
    for (size_t c = 0; c < commands; c++)
        wish.labels[c] = labels[c];
    struct lauka_result result = pretend(&wish);
    for (size_t c = 0; c < commands; c++) {
        result.commands[c].failures = c + 1;
        for (size_t m = 0; m < PRETENCES; m++)
            for (uint64_t r = 0; r < wish.rounds; r++)
                lauka_series_set(&result.commands[c].series[m], r,
                                 (1 + c * (m % 3)) * 10000000 + r * r * 10000 +
                                     (r == 19) * 90000000);
    }
    for (size_t w = 0; w < 6; w++) {
        char note[240];
        snprintf(note, sizeof note,
                 "note %zu has so many words that it takes a line and more of a screen of eighty "
                 "columns; it goes on for a second one, and then for a third",
                 w);
        EXPECT(lauka_result_warn(&result, note) == 0);
    }
    EXPECT(lauka_result_analyse(&result) == 0);
    char *text = written(&result, SCREEN,
                         (struct lauka_terminal){.width = 80, .utf8 = true, .is_screen = true});
    size_t lines = 0;
    for (const char *c = text; *c; c++)
        lines += *c == '\n';
    free(text);
    lauka_result_done(&result);
    return lines;
}

static void quantiles_of_nothing_have_no_change(void)
{
    struct lauka_result result = pretend_two();
    EXPECT(lauka_result_analyse(&result) == 0);
    struct lauka_prose said = lauka_prose_begin(NULL, LAUKA_PLAIN_UTF8);
    const struct lauka_result_view views[2] = {lauka_result_view(&result, 0, WALL_TIME),
                                               lauka_result_view(&result, 1, WALL_TIME)};
    EXPECT_TEXT(lauka_quantile_change(&said, views, (double[]){10, 11}), "+10 %");
    EXPECT_TEXT(lauka_quantile_change(&said, views, (double[]){0, 11}), "–");
    EXPECT(lauka_prose_done(&said) == 0);
    lauka_result_done(&result);
}

static void two_commands_fit_one_screen_and_five_a_larger_one(void)
{
    EXPECT(lines_of_screen(2) <= 24);
    EXPECT(lines_of_screen(3) <= 30);
    EXPECT(lines_of_screen(4) <= 30);
    EXPECT(lines_of_screen(5) <= 30);
}

static void no_percentiles_are_wider_than_their_terminal(void)
{
    struct lauka_result result = pretend_nasty();
    for (size_t m = 0; m < PRETENCES; m++)
        lauka_series_set(&result.commands[1].series[m], 3, UINT64_MAX - 1);
    EXPECT(lauka_result_analyse(&result) == 0);
    for (int width = 20; width <= 130; width += width < 50 ? 1 : 3) {
        char *text = written(&result, PERCENTILES,
                             (struct lauka_terminal){.width = width, .utf8 = width % 2});
        int widest = widest_line(text);
        EXPECT(widest <= width);
        free(text);
    }
    lauka_result_done(&result);
}

static void ranks_without_runs_beyond_them_say_nothing(void)
{
    EXPECT(lauka_rank_has_values(0, 1));
    EXPECT(lauka_rank_has_values(LAUKA_RANK_WHOLE, 1));
    EXPECT(!lauka_rank_has_values(LAUKA_RANK_WHOLE / 2, 1));
    EXPECT(lauka_rank_has_values(LAUKA_RANK_WHOLE / 100 * 99, 100));
    EXPECT(!lauka_rank_has_values(LAUKA_RANK_WHOLE / 100 * 99, 99));
    EXPECT(lauka_rank_has_values(LAUKA_RANK_WHOLE / 1000 * 999, 1000));
    EXPECT(!lauka_rank_has_values(LAUKA_RANK_WHOLE / 2, 0));
    EXPECT(!lauka_rank_has_values(0, 0));
    EXPECT(!lauka_rank_has_values(LAUKA_RANK_WHOLE / 2, 2)); /* the lower one of two values */
    EXPECT(lauka_rank_has_values(LAUKA_RANK_WHOLE / 2, 3));
    EXPECT(!lauka_rank_has_values(LAUKA_RANK_WHOLE / 10, 10));
    EXPECT(lauka_rank_has_values(LAUKA_RANK_WHOLE / 10, 11));
    EXPECT(!lauka_rank_has_values(LAUKA_RANK_WHOLE / 100, 100));
    EXPECT(lauka_rank_has_values(LAUKA_RANK_WHOLE / 100, 101));
}

int main(int argc, char **argv)
{
    if (argc > 1)
        goldens = argv[1];
    TEST(the_screen_groups_by_metric_at_three_widths);
    TEST(on_a_terminal_the_answer_comes_last);
    TEST(a_command_alone_has_a_row_a_metric_on_the_screen);
    TEST(memory_below_the_floor_is_no_change_on_the_screen);
    TEST(estimates_say_for_how_long_they_were_counted_on_the_screen);
    TEST(two_commands_are_compared_at_eighty_columns);
    TEST(two_commands_are_compared_in_ascii);
    TEST(the_answer_has_the_colour_of_its_verdict);
    TEST(a_table_of_forty_columns_keeps_means_and_changes);
    TEST(a_table_of_twenty_columns_keeps_means);
    TEST(three_commands_share_their_scales);
    TEST(one_command_has_no_change);
    TEST(what_was_not_counted_is_a_dash_and_said_once);
    TEST(estimates_are_marked);
    TEST(memory_below_the_floor_is_at_most_the_floor);
    TEST(one_round_has_no_deviation);
    TEST(no_round_has_no_numbers);
    TEST(accepted_failures_are_counted);
    TEST(nasty_labels_can_not_drive_the_terminal);
    TEST(no_table_is_wider_than_its_terminal);
    TEST(extreme_values_keep_the_table_within_its_width);
    TEST(without_samples_the_answer_is_the_same);
    TEST(without_samples_outliers_are_a_dash);
    TEST(json_without_samples_has_no_key_for_them);
    TEST(percentiles_are_shown_side_by_side);
    TEST(metrics_are_drawn_over_one_axis);
    TEST(quantiles_of_nothing_have_no_change);
    TEST(two_commands_fit_one_screen_and_five_a_larger_one);
    TEST(no_percentiles_are_wider_than_their_terminal);
    TEST(ranks_without_runs_beyond_them_say_nothing);
    return expect_report("screen");
}
