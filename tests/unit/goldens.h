/* Results made by hand, and documents of them compared with files in tests/goldens, byte by byte. After an intended
 * change, run the tests with LAUKA_UPDATE_GOLDENS=1 and read the difference. */
#ifndef LAUKA_TESTS_GOLDENS_H
#define LAUKA_TESTS_GOLDENS_H

#include "report/analysis/analysis.h"
#include "report/csv/csv.h"
#include "report/json/json.h"
#include "report/markdown/markdown.h"
#include "report/result/result.h"
#include "report/terminal/terminal.h"
#include "report/text/text.h"
#include "stats/stats.h"

#include <errno.h>
#include <stdlib.h>

#include "tests/unit/expect.h"

static const char *goldens = "tests/goldens";

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
    const char *labels[6]; /* NULL after the last */
    bool without_counters, shared_counters;
};

static const size_t strides[] = {1, 3, 7, 9, 11}; /* coprime with WAVE, so each value occurs once */

static inline uint64_t pretended(const struct pretence *pretence, size_t command, size_t round)
{
    return pretence->base + pretence->base / 20 * command +
           pretence->swing * wave[round * strides[command] % WAVE];
}

static inline void pretend_command(struct lauka_result *result, size_t c, const struct wish *wish)
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
static inline struct lauka_result pretend(const struct wish *wish)
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

static inline struct lauka_result pretend_two(void)
{
    return pretend(&(struct wish){.rounds = 20, .labels = {"./a --fast", "./b --fast"}});
}

static const char nasty[] = "a|b `c` \\| @me <b>&amp; *x* \x1b[31mred\x7f\r\n\xff\xc0\xaf "
                            "\xe2\x80\xae"
                            "evil 你好 \"q\", 'r'";

static inline struct lauka_result pretend_nasty(void)
{
    struct lauka_result result =
        pretend(&(struct wish){.rounds = 20, .labels = {nasty, "=cmd()|' /C calc'!A0", "", "`"}});
    lauka_result_warn(&result, nasty);
    lauka_result_warn(&result, "1. @octocat saw #12: `x|y` $a$ [l](http://x) <script>");
    return result;
}

static inline char *read_all(FILE *file)
{
    char *text = NULL;
    size_t size = 0;
    FILE *copy = open_memstream(&text, &size);
    for (int c = fgetc(file); c != EOF; c = fgetc(file))
        fputc(c, copy);
    fclose(copy);
    return text;
}

static inline void tell_difference(const char *path, const char *actual, const char *expected)
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
static inline const char *copy_number(const char *text, FILE *out)
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
static inline char *canonical(const char *text)
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

static inline void expect_golden_text(const char *name, const char *actual)
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
static inline void expect_golden(const char *name, const char *actual)
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
static inline char *written(const struct lauka_result *result, enum writer writer,
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
static inline void expect_document(const char *golden, struct lauka_result result,
                                   enum writer writer, struct lauka_terminal terminal)
{
    EXPECT(lauka_result_analyse(&result) == 0);
    char *text = written(&result, writer, terminal);
    expect_golden(golden, text);
    free(text);
    lauka_result_done(&result);
}

static const struct lauka_terminal utf8 = {.width = 80, .utf8 = true};

static const struct lauka_terminal ascii = {.width = 80};

#endif
