/* Tests of report/. Most compare whole documents with files in tests/goldens, byte by byte. After an
 * intended change, run them with LAUKA_UPDATE_GOLDENS=1 and read the difference. The directory of the
 * goldens may be given as the first argument. */
#include "report/analysis/analysis.h"
#include "report/csv/csv.h"
#include "report/hdr/hdr.h"
#include "report/json/json.h"
#include "report/markdown/markdown.h"
#include "report/result/result.h"
#include "report/terminal/terminal.h"
#include "report/text/text.h"
#include "report/words/said.h"
#include "report/words/words.h"
#include "stats/histogram.h"
#include "stats/stats.h"

#include <cjson/cJSON.h>
#include <csv.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/unit/expect.h"

static const char *goldens = "tests/goldens";

/* ---- results made by hand ---------------------------------------------------------------------- */

struct pretence { /* one metric */
    const char *name, *unit, *source, *better;
    /* A value of command c: base + 5 % per c + swing * wave, where c shuffles the wave. */
    uint64_t base, swing;
};

static const struct pretence pretences[] = {
    {"wall_time", "ns", "clock", "lower", 12080000, 100000},
    {"user_time", "ns", "rusage", "lower", 8010000, 70000},
    {"system_time", "ns", "rusage", "lower", 1900000, 90000},
    {"peak_rss", "B", "rusage", "lower", 1232896, 4096},
    {"minor_faults", "1", "rusage", "lower", 74, 1},
    {"major_faults", "1", "rusage", "lower", 0, 0},
    {"instructions", "1", "perf_event", "neither", 91234567, 31},
    {"cache_misses", "1", "perf_event", "lower", 12345, 800},
};
enum { PRETENCES = sizeof pretences / sizeof *pretences, WALL_TIME = 0, PEAK_RSS = 3 };
enum { INSTRUCTIONS = 6 };

/* One value is far above the others, so there are outliers. */
static const uint64_t wave[] = {3, 1, 4, 1, 5, 2, 2, 3, 0, 2, 3, 2, 4, 19, 3, 2, 1, 4, 2, 3};
enum { WAVE = sizeof wave / sizeof *wave };

struct wish {
    size_t rounds;
    const char *labels[5];
    bool without_counters, shared_counters;
};

static const size_t strides[] = {1, 3, 7, 9, 11}; /* coprime with WAVE, so each value occurs once */

static uint64_t pretended(const struct pretence *pretence, size_t command, size_t round)
{
    return pretence->base + pretence->base / 20 * command +
           pretence->swing * wave[round * strides[command] % WAVE];
}

static void pretend_command(struct lauka_result *result, size_t c, const struct wish *wish)
{
    struct lauka_result_command *command = &result->commands[c];
    command->label = strdup(wish->labels[c]);
    command->argv = calloc(3, sizeof *command->argv);
    command->argv[0] = strdup(wish->labels[c]);
    command->argv[1] = strdup("--fast");
    command->series = calloc(PRETENCES, sizeof *command->series);
    command->exit_codes = calloc(wish->rounds + 1, sizeof *command->exit_codes);
    for (size_t m = 0; m < PRETENCES; m++) {
        lauka_series_reserve(&command->series[m], wish->rounds);
        for (size_t i = 0; i < wish->rounds; i++)
            lauka_series_add(&command->series[m], result->metrics[m].counted
                                                      ? pretended(&pretences[m], c, i)
                                                      : LAUKA_MISSING);
    }
}

/* Returns a result that is not analysed yet, so a test can change it. */
static struct lauka_result pretend(const struct wish *wish)
{
    struct lauka_result result = {.metric_count = PRETENCES};
    result.metrics = calloc(PRETENCES, sizeof *result.metrics);
    for (size_t m = 0; m < PRETENCES; m++) {
        bool counter = m >= INSTRUCTIONS;
        result.metrics[m] = (struct lauka_result_metric){
            .name = strdup(pretences[m].name),
            .unit = strdup(pretences[m].unit),
            .source = strdup(pretences[m].source),
            .better = pretences[m].better,
            .counted = !counter || !wish->without_counters,
            .share = counter && wish->shared_counters ? 0.625 : 1,
            .primary = m == WALL_TIME,
        };
    }
    while (wish->labels[result.command_count])
        result.command_count++;
    result.commands = calloc(result.command_count, sizeof *result.commands);
    for (size_t c = 0; c < result.command_count; c++)
        pretend_command(&result, c, wish);
    result.run = (struct lauka_result_run){.seed = 42,
                                           .rounds = wish->rounds,
                                           .warmup = 1,
                                           .seconds = 1.25,
                                           .stopped = LAUKA_STOPPED_TIME};
    result.run.order = calloc(wish->rounds * result.command_count + 1, sizeof(uint32_t));
    for (size_t i = 0; i < wish->rounds * result.command_count; i++)
        result.run.order[i] = (uint32_t)((i + i / result.command_count) % result.command_count);
    result.host = (struct lauka_result_host){.os = strdup("Linux"),
                                             .kernel = strdup("6.1.0"),
                                             .arch = strdup("x86_64"),
                                             .cpu_model = NULL,
                                             .cpu_count = 2,
                                             .memory_bytes = 8589934592};
    if (wish->without_counters)
        lauka_result_warn(&result, "instructions and cache_misses were not counted: this machine "
                                   "offers no hardware counters; try outside of a virtual machine");
    return result;
}

static struct lauka_result pretend_two(void)
{
    return pretend(&(struct wish){.rounds = 20, .labels = {"./a --fast", "./b --fast"}});
}

static const char nasty[] = "a|b `c` \\| @me <b>&amp; *x* \x1b[31mred\x7f\r\n\xff\xc0\xaf "
                            "\xe2\x80\xae"
                            "evil 你好 \"q\", 'r'";

static struct lauka_result pretend_nasty(void)
{
    struct lauka_result result =
        pretend(&(struct wish){.rounds = 20, .labels = {nasty, "=cmd()|' /C calc'!A0", "", "`"}});
    lauka_result_warn(&result, nasty);
    lauka_result_warn(&result, "1. @octocat saw #12: `x|y` $a$ [l](http://x) <script>");
    return result;
}

/* ---- comparing with goldens -------------------------------------------------------------------- */

static char *read_all(FILE *file)
{
    char *text = NULL;
    size_t size = 0;
    FILE *copy = open_memstream(&text, &size);
    for (int c = fgetc(file); c != EOF; c = fgetc(file))
        fputc(c, copy);
    fclose(copy);
    return text;
}

static void tell_difference(const char *path, const char *actual, const char *expected)
{
    size_t line = 1, same = 0, start = 0;
    for (; actual[same] && actual[same] == expected[same]; same++)
        if (actual[same] == '\n') {
            line++;
            start = same + 1;
        }
    printf("%s:%zu: is\n  %.*s\nnot\n  %.*s\nIf the change is wanted: LAUKA_UPDATE_GOLDENS=1\n",
           path, line, (int)strcspn(actual + start, "\n"), actual + start,
           (int)strcspn(expected + start, "\n"), expected + start);
    expect_ok = false;
}

/* Copies a number with fewer digits, because the last ones depend on libm; returns its end. */
static const char *copy_number(const char *text, FILE *out)
{
    size_t length = strspn(text, "0123456789.eE+-");
    bool whole = !memchr(text, '.', length) && !memchr(text, 'e', length);
    if (whole || length < 14)
        fprintf(out, "%.*s", (int)length, text);
    else
        fprintf(out, "%.11g", strtod(text, NULL));
    return text + length;
}

/* The part of a document that is the same on every machine: without the last digits of numbers, and
 * without the bytes of compressed histograms, which depend on zlib. Owned by the caller. */
static char *canonical(const char *text)
{
    char *copy = NULL, before = ' ';
    size_t size = 0;
    FILE *out = open_memstream(&copy, &size);
    while (*text) {
        bool begins = strchr(" ,[\n", before) && *text >= '0' && *text <= '9';
        if (strncmp(text, "HISTF", 5) == 0)
            text += strcspn(text, "\"");
        before = *text;
        if (begins)
            text = copy_number(text, out);
        else
            fputc(*text++, out);
    }
    fclose(out);
    return copy;
}

static void expect_golden_text(const char *name, const char *actual)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", goldens, name);
    bool update = getenv("LAUKA_UPDATE_GOLDENS") != NULL;
    FILE *file = fopen(path, update ? "wb" : "rb");
    if (!file) {
        printf("%s: %s; LAUKA_UPDATE_GOLDENS=1 writes it\n", path, strerror(errno));
        expect_ok = false;
        return;
    }
    if (update) {
        fputs(actual, file);
    } else {
        char *expected = read_all(file);
        if (strcmp(actual, expected) != 0)
            tell_difference(path, actual, expected);
        free(expected);
    }
    fclose(file);
}

/* Documents for machines contain numbers to the last digit. */
static void expect_golden(const char *name, const char *actual)
{
    bool exact = strstr(name, ".json") || strstr(name, ".csv");
    char *text = exact ? canonical(actual) : strdup(actual);
    expect_golden_text(name, text);
    free(text);
}

/* Whose texts the tests look at. */
static struct lauka_prose prose, ascii_prose;

enum writer { SCREEN, TABLE, MARKDOWN, CSV, JSON, PERCENTILES, PLOT };

/* Owned by the caller. */
static char *written(const struct lauka_result *result, enum writer writer,
                     struct lauka_terminal terminal)
{
    char *text = NULL;
    size_t size = 0;
    struct lauka_result one = *result;
    const struct lauka_session session = {&one, 1};
    FILE *out = open_memstream(&text, &size);
    int error = writer == SCREEN     ? lauka_write_screen(result, terminal, out)
                : writer == TABLE    ? lauka_write_table(result, terminal, out)
                : writer == MARKDOWN ? lauka_write_markdown(&session, out)
                : writer == CSV      ? lauka_write_csv_session(&session, out)
                : writer == JSON     ? lauka_write_json(result, out)
                : writer == PLOT     ? lauka_write_plot(result, terminal, out)
                                     : lauka_write_percentiles(result, terminal, out);
    EXPECT(error == 0);
    fclose(out);
    return text;
}

/* Analyses the result, writes it, compares it with the golden, and frees it. */
static void expect_document(const char *golden, struct lauka_result result, enum writer writer,
                            struct lauka_terminal terminal)
{
    EXPECT(lauka_result_analyse(&result) == 0);
    char *text = written(&result, writer, terminal);
    expect_golden(golden, text);
    free(text);
    lauka_result_done(&result);
}

static const struct lauka_terminal utf8 = {.width = 80, .utf8 = true};
static const struct lauka_terminal ascii = {.width = 80};

/* ---- the screen --------------------------------------------------------------------------------- */

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

/* ---- the table --------------------------------------------------------------------------------- */

static void two_commands_are_compared_at_eighty_columns(void)
{
    expect_document("table-two.txt", pretend_two(), TABLE, utf8);
}

static void two_commands_are_compared_in_ascii(void)
{
    expect_document("table-two-ascii.txt", pretend_two(), TABLE, ascii);
}

static void colours_only_weigh_and_never_judge(void)
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

/* ---- percentiles, and results without single values -------------------------------------------- */

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

/* ---- Markdown, CSV, JSON ----------------------------------------------------------------------- */

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

/* ---- reading back ------------------------------------------------------------------------------ */

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

/* ---- writing that fails ------------------------------------------------------------------------ */

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

/* ---- results and sentences --------------------------------------------------------------------- */

static void an_empty_result_is_freed_and_written(void)
{
    struct lauka_result result = {0};
    EXPECT(lauka_result_analyse(&result) == 0);
    for (enum writer writer = SCREEN; writer <= PERCENTILES; writer++)
        free(written(&result, writer, utf8));
    lauka_result_done(&result);
    lauka_result_done(&result);
}

static void a_result_can_be_analysed_again(void)
{
    struct lauka_result result = pretend_two();
    EXPECT(lauka_result_analyse(&result) == 0);
    lauka_series_set(&result.commands[1].series[WALL_TIME], 0, 1);
    EXPECT(lauka_result_analyse(&result) == 0);
    EXPECT_UINT(result.commands[1].summaries[WALL_TIME].min, 1);
    EXPECT_UINT(result.comparison_count, PRETENCES);
    EXPECT(lauka_result_comparison(&result, 0, WALL_TIME) == NULL);
    EXPECT(lauka_result_comparison(&result, 2, WALL_TIME) == NULL);
    EXPECT(lauka_result_comparison(&result, 1, PRETENCES) == NULL);
    EXPECT_UINT(lauka_result_metric_index(&result, "peak_rss"), PEAK_RSS);
    EXPECT_UINT(lauka_result_metric_index(&result, "wishes"), PRETENCES);
    lauka_result_done(&result);
}

/* Checks the sentence about ./b if every round of ./a took `a` ns and every round of ./b took `b` ns. */
static void expect_sentence(uint64_t a, uint64_t b, const char *expected)
{
    struct lauka_result result = pretend(&(struct wish){.rounds = 4, .labels = {"./a", "./b"}});
    for (size_t i = 0; i < 4; i++) {
        lauka_series_set(&result.commands[0].series[WALL_TIME], i, a);
        lauka_series_set(&result.commands[1].series[WALL_TIME], i, b);
    }
    char text[512];
    EXPECT(lauka_result_analyse(&result) == 0);
    snprintf(text, sizeof text, "%s", lauka_result_sentence(&prose, &result, 1));
    EXPECT_TEXT(text, expected);
    lauka_result_done(&result);
}

static void sentences_about_constants_are_exact(void)
{
    expect_sentence(10000000, 10210000,
                    "`./b` is 2.10 % slower than `./a`: always 10.21 ms against 10.00 ms wall "
                    "time.");
    expect_sentence(10000000, 6666667,
                    "`./b` is 33.3 % faster than `./a`: always 6.667 ms against 10.00 ms wall "
                    "time.");
    expect_sentence(10000000, 35000000,
                    "`./b` takes 3.50 times as long as `./a`: always 35.00 ms against 10.00 ms "
                    "wall time.");
    expect_sentence(35000000, 10000000,
                    "`./b` is 3.50 times as fast as `./a`: always 10.00 ms against 35.00 ms wall "
                    "time.");
    expect_sentence(10000000, 10000000, "`./b` is identical to `./a`: always 10.00 ms wall time.");
    expect_sentence(10000000, 10000001,
                    "`./b` is <0.001 % slower than `./a`, less than the 1 % that matters here: "
                    "always 10.00 ms against 10.00 ms wall time.");
    expect_sentence(0, 1000,
                    "`./b` is 1.00 µs slower than `./a`: always 1.000 µs against 0 µs wall time.");
}

/* Ticks of 4 ms in 2 of 20 rounds and in 10 of 20: 0.4 ms against 2 ms. */
static void changes_of_ticks_are_in_per_cent_as_others_are(void)
{
    enum { USER_TIME = 1 };
    struct lauka_result result = pretend_two();
    for (size_t i = 0; i < 20; i++) {
        lauka_series_set(&result.commands[0].series[USER_TIME], i, i % 10 == 0 ? 4000000 : 0);
        lauka_series_set(&result.commands[1].series[USER_TIME], i, i % 2 == 0 ? 4000000 : 0);
    }
    EXPECT(lauka_result_analyse(&result) == 0);
    const struct lauka_comparison *comparison = lauka_result_comparison(&result, 1, USER_TIME);
    struct lauka_change change;
    change = lauka_change(&prose, comparison, (struct lauka_scale){1e6, "ms", 3});
    EXPECT(comparison->method == LAUKA_METHOD_MEAN);
    EXPECT_TEXT(change.estimate, "+400 %");
    EXPECT_TEXT(change.interval, "[+165, +635]");
    EXPECT_TEXT(lauka_say_steps(&prose, &result),
                "user_time comes in steps here; it is compared by its mean.");
    for (size_t i = 0; i < 20; i++) { /* nothing falls by more than 100 % */
        lauka_series_set(&result.commands[0].series[USER_TIME], i, i % 3 == 0 ? 4000000 : 0);
        lauka_series_set(&result.commands[1].series[USER_TIME], i, i == 0 ? 4000000 : 0);
    }
    EXPECT(lauka_result_analyse(&result) == 0);
    comparison = lauka_result_comparison(&result, 1, USER_TIME);
    EXPECT(comparison->difference_low.value < -comparison->reference_mean);
    change = lauka_change(&prose, comparison, (struct lauka_scale){1e6, "ms", 3});
    EXPECT_TEXT(change.estimate, "−86 %");
    EXPECT_TEXT(change.interval, "[−100, −23]");
    lauka_result_done(&result);
}

static struct lauka_comparison of_percents(double low, double estimate, double high)
{
    return (struct lauka_comparison){
        .method = LAUKA_METHOD_HODGES_LEHMANN,
        .confidence = 0.95,
        .log_ratio = {true, log1p(estimate / 100)},
        .log_low = {true, log1p(low / 100)},
        .log_high = {true, log1p(high / 100)},
    };
}

static struct lauka_change change_of(double low, double estimate, double high)
{
    const struct lauka_comparison comparison = of_percents(low, estimate, high);
    struct lauka_change change;
    change = lauka_change(&prose, &comparison, (struct lauka_scale){1e6, "ms", 3});
    return change;
}

static void a_change_of_two_or_more_is_a_factor_both_ways(void)
{
    struct lauka_change less = change_of(97, 99, 101), twice = change_of(90, 99.6, 110);
    struct lauka_change much = change_of(488, 577, 721), fall = change_of(-88.6, -87.3, -85.9);
    struct lauka_change open = change_of(-40, 150, 900), none = change_of(-100, -100, -100);
    EXPECT_TEXT(less.estimate, "+99.0 %");
    EXPECT_TEXT(twice.estimate, "×2.0");
    EXPECT_TEXT(twice.interval, "[1.9, 2.1]");
    EXPECT_TEXT(much.estimate, "×6.8");
    EXPECT_TEXT(much.interval, "[5.9, 8.2]");
    EXPECT_TEXT(fall.estimate, "÷7.9");
    EXPECT_TEXT(fall.interval, "[7.1, 8.8]");
    EXPECT_TEXT(open.estimate, "×2.5");
    EXPECT_TEXT(open.interval, "[0.6, 10.0]");
    EXPECT_TEXT(none.estimate, "−100.0 %"); /* no factor has this */
}

static void no_interval_that_has_a_width_looks_as_if_it_had_none(void)
{
    struct lauka_change usual = change_of(4.98, 5.001, 5.02),
                        narrow = change_of(4.995, 4.999, 5.002);
    struct lauka_change finer = change_of(-5.00004, -5, -4.99996),
                        zero = change_of(0.001, 0.003, 0.005);
    EXPECT_TEXT(usual.estimate, "+5.00 %");
    EXPECT_TEXT(usual.interval, "[+4.98, +5.02]");
    EXPECT_TEXT(narrow.estimate, "+4.999 %");
    EXPECT_TEXT(narrow.interval, "[±0.004]");
    EXPECT_TEXT(finer.estimate, "−5.0000 %");
    EXPECT_TEXT(finer.interval, "[±0.0001]");
    EXPECT_TEXT(zero.estimate, "+0.003 %"); /* the end nearer to 0 decides the digits */
    EXPECT_TEXT(zero.interval, "[+0.001, +0.005]");
}

/* With three rounds of many commands, almost any change is possible. */
static void an_interval_of_everything_has_few_digits(void)
{
    const struct lauka_scale scale = {1, "", 0};
    struct lauka_change wide = change_of(-99.9999, -24, 4e30),
                        narrow = change_of(-99.97, -99.96, -99.95);
    struct lauka_comparison everything = of_percents(-99.9999, -24, 4e30),
                            some = of_percents(-80, 5, 400);
    EXPECT_TEXT(wide.estimate, "−24 %");
    EXPECT_TEXT(wide.interval, "[−>99, +>99999]");
    EXPECT_TEXT(narrow.estimate, "÷2500");
    EXPECT_TEXT(narrow.interval, "[2000, 3333]");
    EXPECT_TEXT(lauka_change_half(&prose, &everything, scale), "over ±999 %");
    EXPECT_TEXT(lauka_change_half(&prose, &some, scale), "±240 %");
}

/* ---- sentences about judgements made by hand --------------------------------------------------- */

struct judgement { /* in per cent; no interval if low equals high */
    double change, low, high;
    enum lauka_verdict verdict;
    bool below_precision;
    uint64_t withdrawn_from; /* the size of the family; 0: not withdrawn */
};

static struct lauka_optional log_of(double percents)
{
    return (struct lauka_optional){true, log1p(percents / 100)};
}

static void judge(struct lauka_result *result, size_t command, size_t metric, struct judgement is)
{
    struct lauka_comparison *c =
        &result->comparisons[(command - 1) * result->metric_count + metric].values;
    bool interval = is.low < is.high;
    c->method = interval ? LAUKA_METHOD_HODGES_LEHMANN : LAUKA_METHOD_NONE;
    c->confidence = interval ? 0.95 : 0;
    c->log_ratio = log_of(is.change);
    c->log_low = interval ? log_of(is.low) : (struct lauka_optional){0};
    c->log_high = interval ? log_of(is.high) : (struct lauka_optional){0};
    c->ratio = (struct lauka_optional){true, 1 + is.change / 100};
    c->low = (struct lauka_optional){interval, interval ? 1 + is.low / 100 : 0};
    c->high = (struct lauka_optional){interval, interval ? 1 + is.high / 100 : 0};
    c->half_width = (struct lauka_optional){interval, (is.high - is.low) / 200};
    c->verdict = is.verdict;
    c->below_precision = is.below_precision;
    c->withdrawn = is.withdrawn_from > 0;
    c->family = is.withdrawn_from;
    result->metrics[metric].primary = true;
}

enum { CPU_TIME = 1 }; /* user_time, renamed */

/* The wall times of ./a and ./b are 10 ms and 10.21 ms; their judgements are given. */
static struct lauka_result pretend_judged(struct judgement wall, struct judgement cpu)
{
    struct lauka_result result = pretend(&(struct wish){.rounds = 38, .labels = {"./a", "./b"}});
    free(result.metrics[CPU_TIME].name);
    result.metrics[CPU_TIME].name = strdup("cpu_time");
    for (size_t i = 0; i < 38; i++) {
        lauka_series_set(&result.commands[0].series[WALL_TIME], i, 10000000 + i % 2 * 1000);
        lauka_series_set(&result.commands[1].series[WALL_TIME], i, 10210000);
    }
    result.run.measured = 4;
    EXPECT(lauka_result_analyse(&result) == 0);
    for (size_t i = 0; i < result.comparison_count; i++) /* which say something else here */
        result.comparisons[i].values.mean_low = (struct lauka_optional){0};
    judge(&result, 1, WALL_TIME, wall);
    if (cpu.verdict != LAUKA_VERDICT_NONE)
        judge(&result, 1, CPU_TIME, cpu);
    return result;
}

static void expect_judged(struct judgement wall, struct judgement cpu, const char *expected)
{
    struct lauka_result result = pretend_judged(wall, cpu);
    char text[512];
    snprintf(text, sizeof text, "%s", lauka_result_sentence(&prose, &result, 1));
    EXPECT_TEXT(text, expected);
    lauka_result_done(&result);
}

static const struct judgement unjudged,
    slower = {2.1, 1.2, 3.0, LAUKA_VERDICT_HIGHER, false, 0},
    faster = {-2.1, -3.0, -1.2, LAUKA_VERDICT_LOWER, false, 0},
    same = {0.1, -0.4, 0.6, LAUKA_VERDICT_EQUIVALENT, false, 0},
    unclear = {1, -2.4, 4.4, LAUKA_VERDICT_INCONCLUSIVE, false, 0},
    little = {0.4, 0.2, 0.6, LAUKA_VERDICT_HIGHER, true, 0};

static void a_difference_has_its_direction_and_interval(void)
{
    expect_judged(slower, unjudged,
                  "`./b` is 2.1 % slower than `./a` [1.2, 3.0] (95 % confidence): mean 10.21 ms "
                  "against 10.00 ms wall time.");
    expect_judged(faster, unjudged, /* the means say the opposite */
                  "`./b` is 2.1 % faster than `./a` [1.2, 3.0] (95 % confidence): typically 9.998 "
                  "ms against 10.21 ms wall time.");
    expect_judged((struct judgement){149, 140, 160, LAUKA_VERDICT_HIGHER, false, 0}, unjudged,
                  "`./b` takes 2.5 times as long as `./a` [2.4, 2.6] (95 % confidence): "
                  "typically 15.94 ms against 6.404 ms wall time.");
    expect_judged((struct judgement){-58, -82, -4, LAUKA_VERDICT_LOWER, false, 0}, unjudged,
                  "`./b` is 2.4 times as fast as `./a` [1.04, 5.6] (95 % confidence): "
                  "typically 6.549 ms against 15.59 ms wall time.");
    expect_judged(little, unjudged,
                  "`./b` is 0.4 % slower than `./a` [0.2, 0.6] (95 % confidence), less than the "
                  "1 % that matters here: typically 10.125 ms against 10.085 ms wall time.");
}

/* Checks the sentence if it is about another metric than the wall time. */
static void expect_judged_as(const char *name, const char *unit, struct judgement is,
                             const char *expected)
{
    struct lauka_result result = pretend_judged(unjudged, is);
    struct lauka_result_metric *metric = &result.metrics[CPU_TIME];
    char text[512];
    result.metrics[WALL_TIME].primary = false;
    free(metric->name);
    free(metric->unit);
    metric->name = strdup(name);
    metric->unit = strdup(unit);
    snprintf(text, sizeof text, "%s", lauka_result_sentence(&prose, &result, 1));
    EXPECT_TEXT(text, expected);
    lauka_result_done(&result);
}

static void faster_and_slower_are_said_of_times_only(void)
{
    struct judgement more = {3.0, 2.8, 3.2, LAUKA_VERDICT_HIGHER, false, 0};
    struct judgement thrice = {200, 190, 210, LAUKA_VERDICT_HIGHER, false, 0};
    struct judgement third = {-66, -68, -64, LAUKA_VERDICT_LOWER, false, 0};
    expect_judged_as("cpu_time", "ns", more,
                     "`./b` uses 3.0 % more CPU time than `./a` [2.8, 3.2] (95 % confidence): "
                     "typically 8.49 ms against 8.24 ms CPU time.");
    expect_judged_as("peak_rss", "1", more,
                     "`./b` uses 3.0 % more memory than `./a` [2.8, 3.2] (95 % confidence): "
                     "typically 8.49 M against 8.24 M memory.");
    expect_judged_as("value", "1", more,
                     "`./b` is 3.0 % higher than `./a` [2.8, 3.2] (95 % confidence): typically "
                     "8.49 M against 8.24 M.");
    expect_judged_as("latency", "ns", third,
                     "`./b` is 2.9 times as fast as `./a` [2.8, 3.1] (95 % confidence): "
                     "typically 4.88 ms against 14.35 ms latency.");
    expect_judged_as("instructions:u", "1", thrice,
                     "`./b` has 3.0 times the instructions:u of `./a` [2.9, 3.1] (95 % "
                     "confidence): typically 14.49 M against 4.83 M instructions:u.");
    expect_judged_as(
        "<b>|x", "1", third,
        "`./b` has less of this metric than `./a` by a factor of 2.9 [2.8, 3.1] (95 % confidence): "
        "typically 4.88 M against 14.35 M of this metric.");
}

static void no_difference_is_said_only_with_its_proof(void)
{
    expect_judged(same, unjudged,
                  "`./b` shows no difference larger than 1 % from `./a` [−0.4, +0.6] (95 % "
                  "confidence): mean 10.21 ms against 10.00 ms wall time.");
    expect_judged(unclear, unjudged,
                  "`./b` against `./a` is inconclusive: +1.0 % [−2.4, +4.4] (95 % confidence) "
                  "after 38 rounds; about 440 would reach ±1 %.");
    expect_judged((struct judgement){0.7, -0.1, 1.5, LAUKA_VERDICT_INCONCLUSIVE, false, 0},
                  unjudged,
                  "`./b` against `./a` is inconclusive: +0.7 % [−0.1, +1.5] (95 % confidence) "
                  "after 38 rounds.");
    expect_judged((struct judgement){2.1, 0.1, 4.2, LAUKA_VERDICT_INCONCLUSIVE, false, 6}, unjudged,
                  "`./b` against `./a` is inconclusive: +2.1 % [+0.1, +4.2] (95 % confidence) "
                  "may be chance, as one of 6 comparisons.");
}

/* The smallest p of 6 pairs is 2/64, and of 7 pairs 1/64. With 2 comparisons only the latter is below 5
 * %. */
static void where_so_few_rounds_cannot_tell_it_is_said_how_many_can(void)
{
    struct judgement withdrawn = {2.1, 0.1, 4.2, LAUKA_VERDICT_INCONCLUSIVE, false, 2};
    struct lauka_result result = pretend_judged(withdrawn, unjudged);
    char text[512];
    result.comparisons[WALL_TIME].values.pairs = 6;
    snprintf(text, sizeof text, "%s", lauka_result_sentence(&prose, &result, 1));
    EXPECT(strstr(text, " may be chance, as one of 2 comparisons; 7 rounds could exclude that."));
    result.comparisons[WALL_TIME].values.pairs = 7;
    snprintf(text, sizeof text, "%s", lauka_result_sentence(&prose, &result, 1));
    EXPECT(strstr(text, " may be chance, as one of 2 comparisons."));
    lauka_result_done(&result);
}

static void what_more_rounds_would_reach_is_told_in_rounds(void)
{
    struct lauka_result result = pretend_judged(unclear, unjudged);
    struct lauka_comparison *comparison = &result.comparisons[WALL_TIME].values;
    char text[512];
    result.run.stopped = LAUKA_STOPPED_ROUNDS;
    snprintf(text, sizeof text, "%s", lauka_result_sentence(&prose, &result, 1));
    EXPECT(strstr(text, " after 38 rounds; about --runs=440 would reach ±1 %."));
    comparison->pairs = comparison->reference_count = comparison->other_count = 9;
    snprintf(text, sizeof text, "%s", lauka_result_sentence(&prose, &result, 1));
    EXPECT(strstr(text, " after 9 rounds; more rounds would narrow that."));
    result.run.stopped = LAUKA_STOPPED_STORED;
    snprintf(text, sizeof text, "%s", lauka_result_sentence(&prose, &result, 1));
    EXPECT(strstr(text, " after 9 values, mean 10.21 ms against 10 ms wall time; more values would "
                        "narrow that.") ||
           strstr(text, " after 9 values, mean 10.21 ms against 10.00 ms wall time; more values "
                        "would narrow that."));
    lauka_result_done(&result);
}

static void cpu_time_is_told_where_it_says_something_else(void)
{
    struct judgement more = {3.0, 2.8, 3.2, LAUKA_VERDICT_HIGHER, false, 0};
    struct judgement less = {-3.0, -3.2, -2.8, LAUKA_VERDICT_LOWER, false, 0};
    expect_judged(slower, more,
                  "`./b` is 2.1 % slower than `./a` [1.2, 3.0] (95 % confidence): mean 10.21 ms "
                  "against 10.00 ms wall time.");
    expect_judged(slower, less,
                  "`./b` is 2.1 % slower than `./a` [1.2, 3.0] (95 % confidence): mean 10.21 ms "
                  "against 10.00 ms wall time; but it uses 3.0 % less CPU time [2.8, 3.2].");
    expect_judged(slower, same,
                  "`./b` is 2.1 % slower than `./a` [1.2, 3.0] (95 % confidence): mean 10.21 ms "
                  "against 10.00 ms wall time; CPU time differs by less than 1 %.");
    expect_judged(same, more,
                  "`./b` shows no difference larger than 1 % from `./a` [−0.4, +0.6] (95 % "
                  "confidence): mean 10.21 ms against 10.00 ms wall time; but it uses 3.0 % more "
                  "CPU time [2.8, 3.2].");
    expect_judged(unclear, more,
                  "`./b` uses 3.0 % more CPU time than `./a` [2.8, 3.2] (95 % confidence); wall "
                  "time is inconclusive: +1.0 % [−2.4, +4.4] after 38 rounds; about 440 would "
                  "reach ±1 %.");
    expect_judged(unclear, same,
                  "`./b` against `./a` is inconclusive: +1.0 % [−2.4, +4.4] (95 % confidence) "
                  "after 38 rounds; about 440 would reach ±1 %; CPU time differs by less than 1 "
                  "%.");
    expect_judged(unclear, unclear,
                  "`./b` against `./a` is inconclusive: +1.0 % [−2.4, +4.4] (95 % confidence) "
                  "after 38 rounds; about 440 would reach ±1 %.");
}

static void noise_says_what_would_be_seen(void)
{
    struct judgement quiet = {0.3, -0.5, 1.1, LAUKA_VERDICT_EQUIVALENT, false, 0};
    struct lauka_result result = pretend_judged(quiet, unclear);
    result.run.noise = true;
    char text[512];
    snprintf(text, sizeof text, "%s", lauka_noise_sentence(&prose, &result, WALL_TIME, "`./a`"));
    EXPECT_TEXT(text,
                "`./a` against itself moved by +0.3 % [−0.5, +1.1] in wall time (95 % "
                "confidence): the smallest change that 9 of 10 sessions would see here is 1.5 %, "
                "or 1.4 % with --until=0.");
    snprintf(text, sizeof text, "%s", lauka_noise_sentence(&prose, &result, CPU_TIME, "`./a`"));
    EXPECT_TEXT(text, "`./a` against itself moved by +1.0 % [−2.4, +4.4] in CPU time: the smallest "
                      "is 7.5 %, or 7.1 % with --until=0.");
    /* 0.8 % * (1 + 1.2816 / 1.9600) */
    double smallest = lauka_smallest_change(lauka_result_comparison(&result, 1, WALL_TIME)).value;
    EXPECT(fabs(smallest - 0.013231) < 1e-6);
    EXPECT(!lauka_smallest_change(lauka_result_comparison(&result, 0, WALL_TIME)).known);
    EXPECT(!lauka_visible_change(&result, result.metric_count, false).known);
    char *table = written(&result, TABLE, ascii);
    expect_golden("table-noise.txt", table);
    free(table);
    lauka_result_done(&result);
}

/* All kinds of doubts, on a machine so busy that wall time is inconclusive. */
static struct lauka_result pretend_doubted(void)
{
    static const double values[LAUKA_DOUBT_COUNT] = {
        0.09, 1.8, 1.42, 1.052, 0.62, 1.08, 0.12, 0.034, 0.25, 1, 1.03, 1.012, 12, 0.93, 1.03};
    struct judgement more = {3.0, 2.8, 3.2, LAUKA_VERDICT_HIGHER, false, 0};
    struct lauka_result result = pretend_judged(unclear, more);
    for (size_t d = 0; d < LAUKA_DOUBT_COUNT; d++) {
        struct lauka_optional raised = {true, values[d]};
        if (d < LAUKA_DOUBT_TAILS)
            result.commands[d % 2].doubts[WALL_TIME].raised[d] = raised;
        else
            result.comparisons[WALL_TIME].doubts.raised[d] = raised;
    }
    return result;
}

static void a_busy_machine_is_named(void)
{
    struct lauka_result result = pretend_doubted();
    char text[512];
    snprintf(text, sizeof text, "%s", lauka_result_sentence(&prose, &result, 1));
    EXPECT_TEXT(text,
                "`./b` uses 3.0 % more CPU time than `./a` [2.8, 3.2] (95 % confidence); wall "
                "time is inconclusive: +1.0 % [−2.4, +4.4] after 38 rounds; the machine is busy.");
    lauka_result_done(&result);
}

/* With three rounds, an interval may reach anywhere. */
static void what_is_beyond_all_measure_is_no_row_of_digits(void)
{
    struct judgement wild = {50, -99.999, 1e25, LAUKA_VERDICT_INCONCLUSIVE, false, 0};
    struct lauka_result result = pretend_judged(wild, unclear);
    struct lauka_doubt_said said = {LAUKA_DOUBT_BUSY, 1, WALL_TIME, 1e30};
    char text[512];
    snprintf(text, sizeof text, "%s", lauka_doubt_text(&prose, &result, &said));
    EXPECT(strstr(text, "are more than 1000 times as wide as"));
    EXPECT_TEXT(lauka_change_half(&prose, lauka_result_comparison(&result, 1, WALL_TIME),
                                  lauka_result_scale(&result, WALL_TIME, true)),
                "over ±999 %");
    EXPECT_TEXT(lauka_change_half(&prose, lauka_result_comparison(&result, 1, CPU_TIME),
                                  lauka_result_scale(&result, CPU_TIME, true)),
                "±3.4 %");
    EXPECT_TEXT(lauka_say_share_roughly(&prose, INFINITY), ">99999 %");
    lauka_result_done(&result);
}

static void doubts_are_said_once_and_in_plain_words(void)
{
    struct lauka_result result = pretend_doubted();
    char *text = written(&result, TABLE, utf8);
    expect_golden("table-doubts.txt", text);
    free(text);
    struct lauka_doubt_said said;
    EXPECT(!lauka_result_worst_doubt(&result, LAUKA_DOUBT_ABOVE_MINIMUM, &said));
    EXPECT(!lauka_result_worst_doubt(&result, LAUKA_DOUBT_WAITED, &said));
    result.comparisons[WALL_TIME].doubts.raised[LAUKA_DOUBT_BUSY].known = false;
    EXPECT(lauka_result_worst_doubt(&result, LAUKA_DOUBT_ABOVE_MINIMUM, &said));
    EXPECT(said.command == 0 && said.metric == WALL_TIME && said.value == 1.42);
    EXPECT(lauka_result_worst_doubt(&result, LAUKA_DOUBT_WAITED, &said));
    char sentence[1024];
    snprintf(sentence, sizeof sentence, "%s", lauka_doubt_text(&prose, &result, &said));
    EXPECT_TEXT(sentence, "`./a`: its main thread waited for a CPU for 12 % of its wall time, "
                          "while other programs had it; stop those.");
    text = written(&result, MARKDOWN, utf8);
    expect_golden("doubts.md", text);
    free(text);
    lauka_result_done(&result);
}

static void expect_course(struct lauka_result *result, enum lauka_stopped stopped,
                          const char *expected)
{
    char text[512];
    result->run.stopped = stopped;
    snprintf(text, sizeof text, "%s", lauka_result_course(&prose, result));
    EXPECT_TEXT(text, expected);
}

static void the_course_says_why_it_ended_and_what_more_would_bring(void)
{
    struct lauka_result result = pretend_judged(unclear, unjudged);
    expect_course(&result, LAUKA_STOPPED_TIME,
                  "38 rounds after 1 warm-up in 1.250 s; time budget used up: about --max-time=24s "
                  "for each command would reach ±1 % in wall time; seed 42");
    expect_course(&result, LAUKA_STOPPED_PRECISION,
                  "38 rounds after 1 warm-up in 1.250 s; precision of ±1 % reached; seed 42");
    expect_course(&result, LAUKA_STOPPED_EFFECT,
                  "38 rounds after 1 warm-up in 1.250 s; differences are clear; seed 42");
    expect_course(&result, LAUKA_STOPPED_EXACT,
                  "38 rounds after 1 warm-up in 1.250 s; values are constant: more rounds would "
                  "add nothing; seed 42");
    expect_course(&result, LAUKA_STOPPED_STORED, "38 values, read from files; paired by position");
    judge(&result, 1, WALL_TIME, slower);
    expect_course(&result, LAUKA_STOPPED_TIME,
                  "38 rounds after 1 warm-up in 1.250 s; time budget used up; seed 42");
    lauka_result_done(&result);
}

static void a_wait_is_rounded_up(void)
{
    EXPECT_TEXT(lauka_say_wait(&prose, 0.01), "1 s");
    EXPECT_TEXT(lauka_say_wait(&prose, 41.2), "42 s");
    EXPECT_TEXT(lauka_say_wait(&prose, 91), "2 min");
    EXPECT_TEXT(lauka_say_wait(&prose, 7000), "2 h");
    EXPECT_TEXT(lauka_say_wait(&prose, 1e9), "days");
}

static void the_reference_is_best_only_if_it_beats_all(void)
{
    size_t best = 9;
    struct lauka_result result =
        pretend(&(struct wish){.rounds = 20, .labels = {"./a", "./b", "./c"}});
    EXPECT(lauka_result_analyse(&result) == 0);
    EXPECT(lauka_result_best(&result, &best));
    EXPECT_UINT(best, 0);
    judge(&result, 2, WALL_TIME, same);
    EXPECT(!lauka_result_best(&result, &best));
    lauka_result_done(&result);
}

/* The commands are 5 % apart; here the second one is made a tenth faster. */
static void another_command_is_best_only_if_it_beats_all(void)
{
    struct lauka_result result =
        pretend(&(struct wish){.rounds = 20, .labels = {"./a", "./b", "./c", "./d"}});
    struct lauka_series *second = &result.commands[1].series[WALL_TIME];
    struct lauka_series *third = &result.commands[2].series[WALL_TIME];
    size_t best = 9;
    char text[256];
    for (size_t i = 0; i < second->count; i++)
        lauka_series_set(second, i, lauka_series_at(second, i) / 10 * 9);
    EXPECT(lauka_result_analyse(&result) == 0);
    EXPECT(lauka_result_best(&result, &best));
    EXPECT_UINT(best, 1);
    snprintf(text, sizeof text, "%s", lauka_best_sentence(&prose, &result, "`./b`"));
    EXPECT_TEXT(text, "`./b` is the fastest of the 4: the others are 5.9 % to 21.5 % slower.");
    for (size_t i = 0; i < second->count; i++)
        lauka_series_set(third, i, lauka_series_at(second, i));
    EXPECT(lauka_result_analyse(&result) == 0);
    EXPECT(!lauka_result_best(&result, &best));
    lauka_result_done(&result);
}

static void a_sentence_without_wall_time_says_so(void)
{
    struct lauka_result result = pretend(&(struct wish){.rounds = 1, .labels = {"./a", "./b"}});
    lauka_series_set(&result.commands[1].series[WALL_TIME], 0, LAUKA_MISSING);
    char text[512];
    EXPECT(lauka_result_analyse(&result) == 0);
    snprintf(text, sizeof text, "%s", lauka_result_sentence(&prose, &result, 1));
    EXPECT_TEXT(text, "`./b` ran in 1 round; its wall time was not measured.");
    snprintf(text, sizeof text, "%s", lauka_result_sentence(&prose, &result, 0));
    EXPECT_TEXT(text, "`./a` took 12.38 ms in the one round that was measured.");
    lauka_result_done(&result);
}

/* ---- units ------------------------------------------------------------------------------------- */

static void expect_scaled(double value, const char *unit, const char *number, const char *suffix)
{
    char text[64];
    struct lauka_scale scale = lauka_scale_for(value, unit, true);
    EXPECT_TEXT(lauka_format_scaled(value, scale, text, sizeof text), number);
    EXPECT_TEXT(scale.suffix, suffix);
}

static void numbers_have_four_significant_digits(void)
{
    expect_scaled(0, "ns", "0", "ns");
    expect_scaled(1, "ns", "1", "ns");
    expect_scaled(12.5, "ns", "12.50", "ns");
    expect_scaled(999.94, "ns", "999.9", "ns");
    expect_scaled(999.96, "ns", "1.000", "µs");
    expect_scaled(12345, "ns", "12.35", "µs");
    expect_scaled(99996, "ns", "100.0", "µs");
    expect_scaled(1e9, "ns", "1.000", "s");
    expect_scaled(12345e9, "ns", "12345", "s");
    expect_scaled(1023, "B", "1023", "B");
    expect_scaled(1024, "B", "1.000", "KiB");
    expect_scaled(1023.4 * 1024, "B", "1023", "KiB");
    expect_scaled(1023.6 * 1024, "B", "1.000", "MiB");
    expect_scaled(123456789, "1", "123.5", "M");
    expect_scaled(0x1p64, "1", "18.45", "E");
    expect_scaled(0x1p64, "B", "16.00", "EiB");
    EXPECT_TEXT(lauka_scale_for(5000, "ns", false).suffix, "us");
}

static void expect_digits(double mean, double value, const char *expected)
{
    char text[64];
    struct lauka_scale seconds = lauka_scale_chosen(lauka_scale_named("s", "ns"), "ns", true);
    struct lauka_scale scale = lauka_scale_with_digits(seconds, mean);
    EXPECT_TEXT(lauka_format_scaled(value, scale, text, sizeof text), expected);
}

static void what_is_below_one_keeps_four_digits(void)
{
    expect_digits(3755e3, 3755e3, "0.003755");
    expect_digits(3755e3, 24.49e3, "0.000024"); /* a standard deviation */
    expect_digits(3755e3, 0, "0");
    expect_digits(0.5e9, 0.5e9, "0.5000");
    expect_digits(0.99996e9, 0.99996e9, "1.000");
    expect_digits(3755e3, 12.345e9, "12.35");
    expect_digits(12, 12, "0.000000012");
}

static void a_common_scale_lets_the_small_be_seen(void)
{
    EXPECT_TEXT(lauka_scale_for_range(12e6, 13e6, "ns", true).suffix, "ms");
    EXPECT_TEXT(lauka_scale_for_range(5e5, 2e9, "ns", true).suffix, "ms");
    EXPECT_TEXT(lauka_scale_for_range(12e6, 1.2e9, "ns", true).suffix, "ms");
    EXPECT_TEXT(lauka_scale_for_range(0.3e9, 2e9, "ns", true).suffix, "s");
    EXPECT_TEXT(lauka_scale_for_range(1e3, 5e9, "ns", true).suffix, "ms");
    EXPECT_TEXT(lauka_scale_for_range(0, 0, "ns", true).suffix, "ns");
    EXPECT_TEXT(lauka_scale_for_range(0.004, 0.005, "1", true).suffix, "");
    EXPECT_TEXT(lauka_scale_for_range(0.000012, 0.004, "1", true).suffix, "µ");
    EXPECT_TEXT(lauka_scale_for_range(0.000012, 4, "1", true).suffix, "");
}

static void expect_change(double ratio, const char *expected)
{
    EXPECT_TEXT(lauka_say_change(&ascii_prose, ratio), expected);
}

static void changes_are_signed(void)
{
    expect_change(1, "0 %");
    expect_change(1.0234, "+2.34 %");
    expect_change(0.995, "-0.50 %");
    expect_change(0.99999, "0 %");
    expect_change(0, "-100 %");
    expect_change(1.99, "+99.00 %");
    expect_change(1.995, "x2.00"); /* from two on, rounded, factors both ways */
    expect_change(3.5, "x3.50");
    expect_change(13.34, "x13.3");
    expect_change(1e7, "x>99999");
    expect_change(0.51, "-49.00 %");
    expect_change(0.25, "/4.00");
    EXPECT_TEXT(lauka_say_change(&prose, 0.25), "÷4.00");
    EXPECT_TEXT(lauka_say_change(&prose, 250), "×250");
    EXPECT_TEXT(lauka_say_change(&prose, 0.995), "−0.50 %");
    EXPECT_TEXT(lauka_say_effect(&ascii_prose, -1.5), "-1.50");
    EXPECT_TEXT(lauka_say_effect(&ascii_prose, 19.74), "+19.7");
    EXPECT_TEXT(lauka_say_effect(&prose, -123456), "−>999");
}

static void numbers_for_machines_are_exact(void)
{
    char text[64];
    EXPECT_TEXT(lauka_format_exact(0.1, text, sizeof text), "0.1");
    EXPECT_TEXT(lauka_format_exact(0.1 + 0.2, text, sizeof text), "0.30000000000000004");
    EXPECT_TEXT(lauka_format_exact(0x1p53 - 1, text, sizeof text), "9007199254740991");
    EXPECT_TEXT(lauka_format_decimal(0, 9, text, sizeof text), "0");
    EXPECT_TEXT(lauka_format_decimal(1, 9, text, sizeof text), "0.000000001");
    EXPECT_TEXT(lauka_format_decimal(1500000000, 9, text, sizeof text), "1.5");
    EXPECT_TEXT(lauka_format_decimal(400000000, 15, text, sizeof text), "0.0000004");
    EXPECT_TEXT(lauka_format_decimal(100000000, 20, text, sizeof text), "0.000000000001");
    EXPECT_TEXT(lauka_format_decimal(123456789, 34, text, sizeof text), "1.23456789e-26");
    EXPECT_TEXT(lauka_format_decimal(7, 38, text, sizeof text), "7e-38");
    EXPECT_TEXT(lauka_format_decimal(52, -11, text, sizeof text), "5200000000000");
    EXPECT_TEXT(lauka_format_decimal(52, -30, text, sizeof text), "5.2e31");
    EXPECT_TEXT(lauka_format_decimal(0, -30, text, sizeof text), "0");
    EXPECT_TEXT(lauka_format_decimal(0, 30, text, sizeof text), "0");
    EXPECT_TEXT(lauka_format_decimal(UINT64_MAX, -9, text, sizeof text),
                "1.8446744073709551615e28");
    EXPECT_TEXT(lauka_format_json_decimal(UINT64_C(100000000000000000), 17, text, sizeof text),
                "1");
    EXPECT_TEXT(lauka_format_json_decimal(UINT64_C(100000000000000001), 17, text, sizeof text),
                "\"1.00000000000000001\"");
    EXPECT_TEXT(lauka_format_json_decimal(UINT64_MAX, 47, text, sizeof text),
                "\"1.8446744073709551615e-28\"");
    EXPECT_TEXT(lauka_format_decimal(20000000000, 9, text, sizeof text), "20");
    EXPECT_TEXT(lauka_format_decimal(UINT64_MAX, 9, text, sizeof text), "18446744073.709551615");
    EXPECT_TEXT(lauka_format_json_integer(0, text, sizeof text), "0");
    EXPECT_TEXT(lauka_format_json_integer(UINT64_MAX, text, sizeof text),
                "\"18446744073709551615\"");
}

static void expect_duration(const char *text, uint64_t expected)
{
    uint64_t ns = 7;
    EXPECT(lauka_parse_duration(text, &ns));
    EXPECT_UINT(ns, expected);
}

static void durations_are_read(void)
{
    expect_duration("0", 0);
    expect_duration("1.5", 1500000000);
    expect_duration(".5s", 500000000);
    expect_duration("30s", 30000000000);
    expect_duration("250ms", 250000000);
    expect_duration("2m", 120000000000);
    expect_duration("1h", 3600000000000);
    expect_duration("0.1", 100000000);
    expect_duration("100us", 100000);
    expect_duration("100µs", 100000);
    expect_duration("5ns", 5);
    expect_duration("9223372036.854775807", INT64_MAX);
    expect_duration("0.0000000001", 0);
    expect_duration("5m30s", 330000000000);
    expect_duration("1h2m3s4ms5us6ns", 3723004005006);
    expect_duration("1m0.5s", 60500000000);
    expect_duration("2562047h47m16s854ms775us807ns", INT64_MAX);
}

static void what_is_no_duration_is_refused(void)
{
    static const char *const wrong[] = {
        "",
        ".",
        "s",
        "-1",
        "+1",
        "1e3",
        "1 s",
        " 1",
        "1s ",
        "1.2.3",
        "1 min",
        "1d",
        "nan",
        "0x10",
        "inf",
        "1,5",
        "9223372036.854775808",
        "99999999999999999999999h",
        "2562048h",
        "30s5m",
        "1m1m",
        "5m30",
        "30m 5s",
        "2562047h47m16s854ms775us808ns",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        uint64_t ns = 7;
        EXPECT(!lauka_parse_duration(wrong[i], &ns));
        EXPECT_UINT(ns, 7);
    }
}

/* ---- text -------------------------------------------------------------------------------------- */

static void width_is_counted_in_columns(void)
{
    EXPECT(lauka_display_width("") == 0);
    EXPECT(lauka_display_width("abc") == 3);
    EXPECT(lauka_display_width("µs ± σ") == 6);
    EXPECT(lauka_display_width("你好") == 4);
    EXPECT(lauka_display_width("e\xCC\x81") == 1);
    EXPECT(lauka_display_width("\x1b[1;31mred\x1b[0m") == 3);
    EXPECT(lauka_display_width("⚡") == 2);
    EXPECT(lauka_display_width("\xff") == 1);
}

static void expect_safe(const char *text, bool in_utf8, const char *expected)
{
    char *printed = NULL, *safe = lauka_safe_text(text, in_utf8);
    size_t size = 0;
    FILE *out = open_memstream(&printed, &size);
    lauka_print_safely(text, in_utf8, out);
    fclose(out);
    EXPECT_TEXT(printed, expected);
    EXPECT_TEXT(safe, expected);
    free(printed);
    free(safe);
}

static void what_could_drive_a_terminal_is_made_visible(void)
{
    expect_safe("plain 'text' \\ ~", true, "plain 'text' \\ ~");
    expect_safe("\x1b[2J\a\b\t\r\n\x7f", true, "\\x1b[2J\\x07\\x08\\x09\\x0d\\x0a\\x7f");
    expect_safe("é 你", true, "é 你");
    expect_safe("é", false, "\\xc3\\xa9");
    expect_safe("\xc2\x9b"
                "31m",
                true, "\\xc2\\x9b31m");                   /* CSI as one byte */
    expect_safe("\xe2\x80\xae", true, "\\xe2\\x80\\xae"); /* right-to-left override */
    expect_safe("\xe2\x81\xa6", true, "\\xe2\\x81\\xa6"); /* left-to-right isolate */
    expect_safe("\xc0\xaf\xed\xa0\x80", true,
                "\\xc0\\xaf\\xed\\xa0\\x80"); /* overlong encoding, surrogate */
    expect_safe("\xf4\x90\x80\x80", true, "\\xf4\\x90\\x80\\x80"); /* above U+10FFFF */
    expect_safe("a\xe4\xbd", true, "a\\xe4\\xbd");                 /* truncated */
}

static void expect_fit(const char *text, int width, bool in_utf8, const char *expected)
{
    char *fitted = lauka_fit_text(text, width, in_utf8);
    EXPECT_TEXT(fitted, expected);
    free(fitted);
}

static void long_text_loses_its_middle(void)
{
    expect_fit("./program", 9, true, "./program");
    expect_fit("./program", 8, true, "./pr…ram");
    expect_fit("./program", 8, false, "./p...am");
    expect_fit("./program", 2, true, "./");
    expect_fit("你好你好你好", 7, true, "你…好");
    expect_fit("e\xCC\x81"
               "abcde\xCC\x81",
               3, true, "e\xCC\x81…e\xCC\x81");
}

static void marks_without_end_are_cut(void)
{
    char text[2001];
    text[0] = 'e';
    for (size_t i = 1; i < 1999; i += 2)
        memcpy(text + i, "\xCC\x81", 2);
    text[1999] = 0;
    char *fitted = lauka_fit_text(text, 10, true);
    EXPECT(strlen(fitted) <= 40);
    free(fitted);
}

static void expect_wrapped(const char *text, int indent, int width, const char *expected)
{
    char *wrapped = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&wrapped, &size);
    EXPECT(lauka_print_wrapped(text, indent, width, true, out) == 0);
    fclose(out);
    EXPECT_TEXT(wrapped, expected);
    free(wrapped);
}

static void expect_folded(const char *text, int width, const char *expected)
{
    char *folded = NULL, *spent = strdup(text);
    size_t size = 0;
    FILE *out = open_memstream(&folded, &size);
    lauka_print_folded(spent, width, out);
    fclose(out);
    EXPECT_TEXT(folded, expected);
    for (char *line = strtok(folded, "\n"); line; line = strtok(NULL, "\n"))
        EXPECT(lauka_display_width(line) <= width);
    free(folded);
    free(spent);
}

static void lines_of_tables_are_folded_where_they_are_too_wide(void)
{
    expect_folded("", 20, "");
    expect_folded("one\n\n  two  three\n", 20, "one\n\n  two  three\n");
    expect_folded("                       mean", 20, "                mean"); /* moved */
    expect_folded("wall_time            9.23 ms\nnext\n", 20, "wall_time\n  9.23 ms\nnext\n");
    expect_folded("    c1 (2)  +111.9 % slower\n", 20, "    c1 (2)  +111.9 %\n      slower\n");
    expect_folded("abcdefghijklmnopqrstuvwxyz\n", 20, "abcdefghijklmnopqrst\n  uvwxyz\n");
    expect_folded("\x1b[1mab\x1b[0m cdefgh ijklmno pqrs\n", 20,
                  "\x1b[1mab\x1b[0m cdefgh ijklmno\n  pqrs\n");
    expect_folded("äääääääääääääääääääää 名前名前名前名前名前名前\n", 20,
                  "ääääääääääääääääääää\n  ä\n  名前名前名前名前名\n  前名前\n");
}

static void expect_names(const char *const *texts, size_t count, enum lauka_beginning first,
                         const char *const *expected)
{
    size_t begins[8];
    EXPECT(lauka_find_beginnings(texts, count, 24, true, first, begins) == 0);
    for (size_t i = 0; i < count; i++) {
        char *name = lauka_text_from(texts[i], begins[i], 24, true);
        EXPECT_TEXT(name, expected[i]);
        free(name);
    }
}

/* Paths differ in their middle, which a cut would take away. */
static void short_names_keep_what_they_differ_in(void)
{
    static const char *const builds[] = {"/home/ci/workspace/build-a/bin/release/prog -n 1000",
                                         "/home/ci/workspace/build-b/bin/release/prog -n 1000",
                                         "/home/ci/workspace/build-b/bin/release/prog -n 2000",
                                         "/home/ci/workspace/build-b/bin/release/prog -n 2000"};
    static const char *const apart[] = {"…build-a/bin…rog -n 1000", "…build-b/bin…rog -n 1000",
                                        "…build-b/bin…rog -n 2000", "…build-b/bin…rog -n 2000"};
    static const char *const words[] = {"./with-a-long-name-of-variant-alpha-of-the-same-program",
                                        "./with-a-long-name-of-variant-beta--of-the-same-program"};
    static const char *const of_words[] = {"…ariant-alph…ame-program", "…ariant-beta…ame-program"};
    static const char *const plain[] = {"./prog --first --and-many-others 1",
                                        "./prog --first --and-many-others 2"};
    static const char *const cut[] = {"./prog --fir…ny-others 1", "./prog --fir…ny-others 2"};
    static const char *const without[] = {"…1", "…2"};
    expect_names(builds, 4, LAUKA_BEGIN_WHOLE, apart);
    expect_names(builds, 2, LAUKA_BEGIN_WORDS, apart);
    expect_names(builds, 1, LAUKA_BEGIN_WHOLE, (const char *[]){"/home/ci/wor…rog -n 1000"});
    expect_names(words, 2, LAUKA_BEGIN_WHOLE, of_words);
    expect_names(plain, 2, LAUKA_BEGIN_WHOLE, cut);
    expect_names(plain, 2, LAUKA_BEGIN_WORDS, without);
    expect_names((const char *[]){"", ""}, 2, LAUKA_BEGIN_WHOLE, (const char *[]){"", ""});
}

static void lines_break_between_words(void)
{
    expect_wrapped("", 0, 20, "\n");
    expect_wrapped("one two three", 0, 8, "one two\nthree\n");
    expect_wrapped("one two three", 2, 8, "one\n  two\n  three\n");
    expect_wrapped("abcdefghij", 0, 4, "abcd\nefgh\nij\n");
    /* Such a path must be easy to copy. */
    expect_wrapped("from /sys/bus/cpu/list", 0, 10, "from\n/sys/bus/\ncpu/list\n");
    expect_wrapped("/abcdefg", 0, 4, "/abc\ndefg\n");
    expect_wrapped("took 12.34 ms ± 0.20 ms", 0, 10, "took\n12.34 ms\n± 0.20 ms\n");
    expect_wrapped("slower [1.2, 3.0] so", 0, 13, "slower\n[1.2, 3.0] so\n");
}

/* ---- the terminal ------------------------------------------------------------------------------ */

static void forget_environment(void)
{
    static const char *const names[] = {"NO_COLOR", "CLICOLOR_FORCE", "FORCE_COLOR",
                                        "CLICOLOR", "TERM",           "COLUMNS",
                                        "LC_ALL",   "LC_CTYPE",       "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
}

static struct lauka_terminal detect(enum lauka_color_choice choice)
{
    int pipes[2];
    EXPECT(pipe(pipes) == 0);
    struct lauka_terminal terminal = lauka_terminal_detect(pipes[1], choice);
    close(pipes[0]);
    close(pipes[1]);
    return terminal;
}

static void colours_follow_the_option_and_then_the_environment(void)
{
    forget_environment();
    EXPECT(!detect(LAUKA_COLOR_AUTO).color); /* a pipe */
    setenv("CLICOLOR_FORCE", "0", 1);
    EXPECT(!detect(LAUKA_COLOR_AUTO).color);
    setenv("FORCE_COLOR", "1", 1);
    EXPECT(detect(LAUKA_COLOR_AUTO).color);
    setenv("TERM", "dumb", 1);
    EXPECT(detect(LAUKA_COLOR_AUTO).color);
    setenv("NO_COLOR", "", 1);
    EXPECT(detect(LAUKA_COLOR_AUTO).color);
    setenv("NO_COLOR", "1", 1);
    EXPECT(!detect(LAUKA_COLOR_AUTO).color);
    EXPECT(detect(LAUKA_COLOR_ALWAYS).color);
    EXPECT(!detect(LAUKA_COLOR_NEVER).color);
    forget_environment();
}

static void width_and_characters_follow_the_environment(void)
{
    forget_environment();
    EXPECT(detect(LAUKA_COLOR_AUTO).width == 80);
    EXPECT(!detect(LAUKA_COLOR_AUTO).utf8);
    setenv("COLUMNS", "132", 1);
    EXPECT(detect(LAUKA_COLOR_AUTO).width == 132);
    setenv("COLUMNS", "3", 1);
    EXPECT(detect(LAUKA_COLOR_AUTO).width == 20);
    setenv("COLUMNS", "wide", 1);
    EXPECT(detect(LAUKA_COLOR_AUTO).width == 80);
    setenv("LANG", "de_DE.utf8", 1);
    EXPECT(detect(LAUKA_COLOR_AUTO).utf8);
    setenv("LC_ALL", "C", 1);
    EXPECT(!detect(LAUKA_COLOR_AUTO).utf8);
    setenv("LC_ALL", "", 1);
    setenv("LC_CTYPE", "UTF-8", 1);
    setenv("LANG", "C", 1);
    EXPECT(detect(LAUKA_COLOR_AUTO).utf8);
    forget_environment();
}

static void test_documents(void)
{
    TEST(the_screen_groups_by_metric_at_three_widths);
    TEST(on_a_terminal_the_answer_comes_last);
    TEST(a_command_alone_has_a_row_a_metric_on_the_screen);
    TEST(memory_below_the_floor_is_no_change_on_the_screen);
    TEST(estimates_say_for_how_long_they_were_counted_on_the_screen);
    TEST(two_commands_are_compared_at_eighty_columns);
    TEST(two_commands_are_compared_in_ascii);
    TEST(colours_only_weigh_and_never_judge);
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
    TEST(a_change_of_two_or_more_is_a_factor_both_ways);
    TEST(no_interval_that_has_a_width_looks_as_if_it_had_none);
    TEST(an_interval_of_everything_has_few_digits);
    TEST(no_table_is_wider_than_its_terminal);
    TEST(extreme_values_keep_the_table_within_its_width);
    TEST(without_samples_the_answer_is_the_same);
    TEST(without_samples_outliers_are_a_dash);
    TEST(json_without_samples_has_no_key_for_them);
    TEST(percentiles_are_shown_side_by_side);
    TEST(metrics_are_drawn_over_one_axis);
    TEST(no_percentiles_are_wider_than_their_terminal);
    TEST(ranks_without_runs_beyond_them_say_nothing);
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
}

static void test_reading_back(void)
{
    TEST(numbers_come_back_from_json);
    TEST(quantiles_and_histograms_come_back_from_json);
    TEST(integers_beyond_two_to_the_53_are_exact_strings);
    TEST(labels_come_back_from_json);
    TEST(labels_and_numbers_come_back_from_csv);
    TEST(no_document_says_nan_or_infinity);
    TEST(a_full_disk_is_told);
    TEST(an_empty_result_is_freed_and_written);
    TEST(a_result_can_be_analysed_again);
}

static void test_words_and_numbers(void)
{
    TEST(sentences_about_constants_are_exact);
    TEST(changes_of_ticks_are_in_per_cent_as_others_are);
    TEST(a_sentence_without_wall_time_says_so);
    TEST(a_difference_has_its_direction_and_interval);
    TEST(faster_and_slower_are_said_of_times_only);
    TEST(no_difference_is_said_only_with_its_proof);
    TEST(where_so_few_rounds_cannot_tell_it_is_said_how_many_can);
    TEST(what_more_rounds_would_reach_is_told_in_rounds);
    TEST(cpu_time_is_told_where_it_says_something_else);
    TEST(noise_says_what_would_be_seen);
    TEST(a_busy_machine_is_named);
    TEST(what_is_beyond_all_measure_is_no_row_of_digits);
    TEST(doubts_are_said_once_and_in_plain_words);
    TEST(the_course_says_why_it_ended_and_what_more_would_bring);
    TEST(a_wait_is_rounded_up);
    TEST(the_reference_is_best_only_if_it_beats_all);
    TEST(another_command_is_best_only_if_it_beats_all);
    TEST(numbers_have_four_significant_digits);
    TEST(what_is_below_one_keeps_four_digits);
    TEST(a_common_scale_lets_the_small_be_seen);
    TEST(changes_are_signed);
    TEST(numbers_for_machines_are_exact);
    TEST(durations_are_read);
    TEST(what_is_no_duration_is_refused);
    TEST(width_is_counted_in_columns);
    TEST(what_could_drive_a_terminal_is_made_visible);
    TEST(long_text_loses_its_middle);
    TEST(marks_without_end_are_cut);
    TEST(lines_break_between_words);
    TEST(lines_of_tables_are_folded_where_they_are_too_wide);
    TEST(short_names_keep_what_they_differ_in);
    TEST(colours_follow_the_option_and_then_the_environment);
    TEST(width_and_characters_follow_the_environment);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        goldens = argv[1];
    prose = lauka_prose_begin(NULL, LAUKA_PLAIN_UTF8);
    ascii_prose = lauka_prose_begin(NULL, (struct lauka_terminal){.width = 80});
    test_documents();
    test_reading_back();
    test_words_and_numbers();
    EXPECT(lauka_prose_done(&prose) == 0 && lauka_prose_done(&ascii_prose) == 0);
    return expect_report("report");
}
