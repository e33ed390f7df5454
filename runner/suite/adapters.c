/* The frameworks: how each is asked, and what it writes. */
#include "runner/suite/suite.h"
#include "runner/base/base.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- words ------------------------------------------------------------------------------------------ */

/* A regular expression that matches exactly the text; owned. NULL if there is no memory. POSIX has no escapes for
 * the second of brackets, so that there any character may stand for it. */
static char *escape(const char *before, const char *text, const char *after)
{
    char *escaped = malloc(strlen(before) + 2 * strlen(text) + strlen(after) + 1), *end = escaped;

    if (!escaped)
        return NULL;
    end = stpcpy(end, before);
    for (; *text; text++) {
        bool closes = *text == ']' || *text == '}';
        if (strchr("\\^$.|?*+()[{", *text))
            *end++ = '\\';
        *end++ = closes ? '.' : *text;
    }
    strcpy(end, after);
    return escaped;
}

/* Takes over the words; the last is followed by NULL. NULL if one of them is NULL. */
static char **collect(char **words, size_t count)
{
    bool good = true;

    for (size_t i = 0; i < count; i++)
        good = good && words[i];
    char **copy = good ? calloc(count + 1, sizeof *copy) : NULL;
    for (size_t i = 0; i < count; i++) {
        if (copy)
            copy[i] = words[i];
        else
            free(words[i]);
    }
    return copy;
}

static char *print(const char *format, ...) __attribute__((format(printf, 1, 2)));

static char *print(const char *format, ...)
{
    char *text = NULL;
    va_list values;

    va_start(values, format);
    if (vasprintf(&text, format, values) < 0)
        text = NULL;
    va_end(values);
    return text;
}

/* ---- google-benchmark ------------------------------------------------------------------------------- */

static char **list_gbench(const struct lauka_inner_request *request)
{
    (void)request;

    char *words[] = {print("--benchmark_list_tests=true")};

    return collect(words, 1);
}

/* What the program writes beside names, before them or behind them. */
static char **list_none_gbench(const struct lauka_inner_request *request)
{
    (void)request;

    char *words[] = {print("--benchmark_list_tests=true"), print("--benchmark_filter=^$")};

    return collect(words, sizeof words / sizeof *words);
}

/* It chooses iterations itself; 1.7 takes the time without a unit, and no number of iterations. */
static char **run_gbench(const struct lauka_inner_request *request)
{
    char *words[] = {
        request->name ? escape("--benchmark_filter=^", request->name, "$")
                      : print("--benchmark_enable_random_interleaving=true"),
        print("--benchmark_format=json"),
        print("--benchmark_min_time=%.6f", (double)request->round_ns / 1e9),
        print("--benchmark_repetitions=%" PRIu64, request->rounds),
        print("--benchmark_report_aggregates_only=false"),
        print("--benchmark_display_aggregates_only=false"),
        print("--benchmark_out=%s/benchmarks.json", request->folder),
        print("--benchmark_out_format=json"),
    };

    return collect(words, sizeof words / sizeof *words);
}

/* ---- Go --------------------------------------------------------------------------------------------- */

/* `-test.list` omits benchmarks that are run within others. */
static char **list_go(const struct lauka_inner_request *request)
{
    (void)request;

    char *words[] = {print("-test.run=^$"), print("-test.bench=."), print("-test.benchtime=1x")};

    return collect(words, sizeof words / sizeof *words);
}

static char **start_go(const struct lauka_inner_request *request)
{
    char *words[] = {print("-test.run=^$")};

    (void)request;
    return collect(words, 1);
}

/* Each part between slashes is an expression of its own. numbered: what it ends in may be none of the name. */
static char *go_expression(const char *name, bool numbered)
{
    char *text = escape("", name, ""), *expression = NULL;
    size_t parts = 1, size,
           number = text && numbered ? lauka_go_suffix_at(text, strlen(text)) : SIZE_MAX;

    if (!text)
        return NULL;
    for (const char *c = text; *c; c++)
        parts += *c == '/';
    size = strlen(text) + 2 * parts + sizeof "-test.bench=()?";
    char *end = expression = malloc(size);
    if (end)
        end = stpcpy(end, "-test.bench=^");
    for (const char *c = text; end && *c; c++) {
        if ((size_t)(c - text) == number)
            *end++ = '(';
        if (*c == '/')
            end = stpcpy(end, "$/^");
        else
            *end++ = *c;
    }
    if (end)
        strcpy(end, number < strlen(text) ? ")?$" : "$");
    free(text);
    return expression;
}

static char **run_go(const struct lauka_inner_request *request)
{
    char *time = request->iterations > 0
                     ? print("-test.benchtime=%" PRIu64 "x", request->iterations)
                     : print("-test.benchtime=%" PRIu64 "ns", request->round_ns);
    char *words[] = {
        print("-test.run=^$"),
        request->name ? go_expression(request->name, request->numbered) : print("-test.bench=."),
        time,
        print("-test.count=%" PRIu64, request->rounds),
        print("-test.benchmem"),
        request->name ? print("-test.shuffle=off") : print("-test.shuffle=%" PRIu64, request->seed),
    };

    return collect(words, sizeof words / sizeof *words);
}

/* ---- Criterion.rs ----------------------------------------------------------------------------------- */

static char **list_criterion(const struct lauka_inner_request *request)
{
    char *words[] = {print("--bench"), print("--list")};

    (void)request;
    return collect(words, sizeof words / sizeof *words);
}

/* It takes at least ten samples, beginning with the number of iterations that takes the shortest time. */
static char **run_criterion(const struct lauka_inner_request *request)
{
    enum { LEAST = 10 };
    uint64_t samples = request->rounds < LEAST ? LEAST : request->rounds;
    double seconds = (double)samples * (double)request->round_ns / 1e9;
    bool looks_like_option = request->name && *request->name == '-';
    char *words[] = {
        print("--bench"),
        print("--noplot"),
        print("--warm-up-time=%.6f", (double)request->round_ns / 1e9),
        print("--measurement-time=%.6f", seconds),
        print("--sample-size=%" PRIu64, samples),
        print("--nresamples=1001"),
        request->name ? print("--exact") : print("--color=never"),
        print("%s", !request->name      ? "--verbose"
                    : looks_like_option ? "--"
                                        : request->name),
        looks_like_option ? print("%s", request->name) : NULL,
    };

    return collect(words, sizeof words / sizeof *words - !looks_like_option);
}

/* ---- pytest-benchmark ------------------------------------------------------------------------------- */

/* Rounds of so long, so many of them, however little time that takes. */
static char **ask_pytest(const struct lauka_inner_request *request, uint64_t rounds,
                         uint64_t round_ns)
{
    char *words[] = {
        print("-q"),
        print("-plauka_shuffle"),
        print("--benchmark-only"),
        print("--benchmark-json=%s/benchmarks.json", request->folder),
        print("--benchmark-min-rounds=%" PRIu64, rounds),
        print("--benchmark-min-time=%.9f", (double)round_ns / 1e9),
        print("--benchmark-max-time=0.000000001"),
        print("--benchmark-warmup=off"),
    };

    return collect(words, sizeof words / sizeof *words);
}

/* `--collect-only` also lists the other tests. */
static char **list_pytest(const struct lauka_inner_request *request)
{
    return ask_pytest(request, 1, 1000);
}

static char **run_pytest(const struct lauka_inner_request *request)
{
    return ask_pytest(request, request->rounds, request->round_ns);
}

/* ---- the table -------------------------------------------------------------------------------------- */

const struct lauka_adapter lauka_adapters[] = {
    {.framework = LAUKA_FRAMEWORK_LAUKA,
     .name = "lauka",
     .marks = {"LAUKA_BENCH_FDS"},
     .talks = true,
     .tells_cpu_time = true},
    {.framework = LAUKA_FRAMEWORK_GBENCH,
     .name = "gbench",
     .marks = {"benchmark_list_tests", "_ZN9benchmark"},
     .tells_cpu_time = true,
     .folder_in = "LAUKA_SUITE_FOLDER", /* which only its words tell it of */
     .list = list_gbench,
     .list_none = list_none_gbench,
     .run = run_gbench,
     .gather = lauka_gbench_gather,
     .read_list = lauka_gbench_read_list,
     .read_run = lauka_gbench_read,
     .own_rounds = lauka_gbench_own_rounds,
     .tells_own_time = lauka_gbench_tells_own_time},
    {.framework = LAUKA_FRAMEWORK_GO,
     .name = "go",
     .marks = {"test.benchtime"},
     .telling = LAUKA_TELLS_BOTH,
     .list = list_go,
     .start = start_go,
     .run = run_go,
     .read_list = lauka_go_read_list,
     .read_list_whole = lauka_go_read_list_whole,
     .read_run = lauka_go_read,
     .is_through = lauka_go_is_through},
    {.framework = LAUKA_FRAMEWORK_CRITERION,
     .name = "criterion",
     .marks = {"CRITERION_HOME"},
     .tells_more = true,
     .folder_in = "CRITERION_HOME",
     .list = list_criterion,
     .run = run_criterion,
     .gather = lauka_criterion_gather,
     .read_list = lauka_criterion_read_list,
     .read_run = lauka_criterion_read},
    {.framework = LAUKA_FRAMEWORK_PYTEST,
     .name = "pytest",
     .marks = {"from pytest import", "import pytest"},
     .shares = true,
     .tells_more = true,
     .telling = LAUKA_TELLS_STDOUT,
     .folder_in = "PYTHONPATH",
     .list = list_pytest,
     .run = run_pytest,
     .furnish = lauka_pytest_furnish,
     .gather = lauka_pytest_gather,
     .read_list = lauka_pytest_read_list,
     .read_run = lauka_pytest_read,
     .cut = lauka_pytest_cut},
};
const size_t lauka_adapter_count = sizeof lauka_adapters / sizeof *lauka_adapters;

const struct lauka_adapter *lauka_adapter_of(enum lauka_framework framework)
{
    for (size_t i = 0; i < lauka_adapter_count; i++)
        if (lauka_adapters[i].framework == framework)
            return &lauka_adapters[i];
    return NULL;
}

/* ---- by what is in a file --------------------------------------------------------------------------- */

static bool holds(const char *bytes, size_t size, const char *mark)
{
    size_t length = strlen(mark);

    for (const char *at = bytes; size >= length; at++) {
        const char *next = memchr(at, *mark, size - length + 1);
        if (!next)
            return false;
        size -= (size_t)(next - at);
        if (memcmp(next, mark, length) == 0)
            return true;
        at = next;
        size--;
    }
    return false;
}

/* Marks of each that are in these bytes. */
static void note_marks(const char *bytes, size_t size, bool *found)
{
    for (size_t i = 0; i < lauka_adapter_count; i++)
        for (size_t m = 0; m < 3 && lauka_adapters[i].marks[m]; m++)
            found[i] = found[i] || holds(bytes, size, lauka_adapters[i].marks[m]);
}

const struct lauka_adapter *lauka_adapter_of_file(const char *path)
{
    enum { BLOCK = 1 << 16, OVERLAP = 64, MOST = 1 << 14 /* 1 GiB */ };
    static char bytes[OVERLAP + BLOCK];
    bool found[16] = {false};
    size_t kept = 0, count, blocks = 0;
    FILE *file = lauka_file_stream(path); /* a program's argument may be anything */

    while (file && blocks++ < MOST && !lauka_interrupt_signal() &&
           (count = fread(bytes + kept, 1, BLOCK, file)) > 0) {
        note_marks(bytes, kept + count, found);
        size_t all = kept + count;
        kept = all < OVERLAP ? all : OVERLAP;
        memmove(bytes, bytes + all - kept, kept);
    }
    if (file)
        fclose(file);
    for (size_t i = 0; i < lauka_adapter_count; i++)
        if (found[i])
            return &lauka_adapters[i];
    return NULL;
}
