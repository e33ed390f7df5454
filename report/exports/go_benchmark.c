/* Go's benchmark format, which benchstat reads: a line per run, or one of means where single values
 * are not kept. Compare by `benchstat -col /cmd FILE`; where benchmarks have names, by `benchstat -col
 * /side FILE`, which gives a row each.
 * https://golang.org/design/14313-benchmark-format */
#include "report/exports/exports.h"
#include "report/result/result.h"
#include "report/result/session.h"
#include "report/text/text.h"
#include "stats/stats.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ------------------------------------------------------------------------------------- */

/* Between names of metrics and the rest of a unit. */
static void put_slug(const char *name, size_t length, FILE *out)
{
    for (size_t i = 0; i < length; i++) {
        bool plain = (name[i] >= '0' && name[i] <= '9') || (name[i] >= 'a' && name[i] <= 'z') ||
                     (name[i] >= 'A' && name[i] <= 'Z') || strchr(":.+=,", name[i]);
        fputc(plain ? name[i] : '-', out);
    }
}

static bool has_zero(const struct lauka_result *result, size_t metric)
{
    for (size_t c = 0; c < result->command_count; c++) {
        const struct lauka_summary *summary = lauka_result_summary(result, c, metric);
        if (summary && summary->min == 0)
            return true;
    }
    return false;
}

/* benchstat turns nanoseconds into seconds, except for 0, which it shows in a separate table. ns/op is
 * Go's own unit, and a run takes some time; but the kernel's accounts may well be 0. All benchmarks share
 * one unit. */
static bool is_in_seconds(const struct lauka_session *session,
                          const struct lauka_result_metric *about)
{
    bool zero = strcmp(about->name, "wall_time") != 0;
    for (size_t b = 0; b < session->benchmark_count && !zero; b++) {
        const struct lauka_result *result = &session->benchmarks[b];
        size_t m = lauka_result_metric_index(result, about->name);
        zero = m < result->metric_count && has_zero(result, m);
    }
    return zero && strcmp(about->unit, "ns") == 0;
}

/* What must hold for all commands of a benchmark, computed once. */
struct columns {
    const struct lauka_result *result;
    bool *shown, *seconds; /* owned; per metric */
    char *name;            /* owned; without what would end it; NULL: the benchmark has none */
    char **sides;          /* owned; the same of commands */
};

/* Of a run, however long it is. */
static bool is_ratio(const struct lauka_result_metric *metric)
{
    return metric->decimals != 0 || strcmp(metric->source, "reported") == 0;
}

/* "ns/op", "cpu-sec/op", "peak-rss-bytes", "instructions/op", "ipc": benchstat scales them. */
static void put_unit(const struct columns *columns, size_t metric, FILE *out)
{
    const struct lauka_result_metric *about = &columns->result->metrics[metric];
    const char *name = about->name;
    size_t length = strlen(name), suffix = strlen("_time");
    bool time = strcmp(about->unit, "ns") == 0;
    bool ends_in_time = time && length > suffix && strcmp(name + length - suffix, "_time") == 0;
    if (strcmp(name, "wall_time") != 0) {
        put_slug(name, length - (ends_in_time ? suffix : 0), out);
        fputs(time ? "-" : "", out);
    }
    bool bytes = strcmp(about->unit, "B") == 0, ratio = is_ratio(about);
    if (time)
        fputs(columns->seconds[metric] ? "sec/op" : "ns/op", out);
    else
        fputs(bytes ? "-bytes" : ratio ? "" : "/op", out);
}

/* A part that looks like the key of the sides would be taken for one. */
static void put_benchmark(const char *name, FILE *out)
{
    static const char key[] = "side=";
    for (const char *c = name; *c; c++) {
        bool begins = (c == name || c[-1] == '/') && strncmp(c, key, sizeof key - 1) == 0;
        fputs(begins ? "_" : "", out);
        fputc(*c, out);
    }
}

/* Readers take what follows the last hyphen for the number of CPUs, so that is what stands there. */
static void put_name(const struct columns *columns, size_t command, FILE *out)
{
    uint64_t cpus = columns->result->host.cpu_count;
    fputs("BenchmarkLauka/", out);
    if (columns->name)
        put_benchmark(columns->name, out);
    fprintf(out, "%s=%s-%" PRIu64, columns->name ? "/side" : "cmd", columns->sides[command],
            cpus > 0 ? cpus : 1);
}

/* ---- lines ------------------------------------------------------------------------------------- */

static void put_key(const char *key, const char *value, FILE *out)
{
    if (!value || !*value)
        return;
    fprintf(out, "%s: ", key);
    lauka_print_safely(value, true, out);
    fputc('\n', out);
}

/* Go's words for systems and processors. */
static void put_host(const struct lauka_result_host *host, FILE *out)
{
    const char *os = !host->os                         ? NULL
                     : strcmp(host->os, "Linux") == 0  ? "linux"
                     : strcmp(host->os, "Darwin") == 0 ? "darwin"
                                                       : host->os;
    const char *arch = !host->arch                          ? NULL
                       : strcmp(host->arch, "x86_64") == 0  ? "amd64"
                       : strcmp(host->arch, "aarch64") == 0 ? "arm64"
                                                            : host->arch;
    put_key("goos", os, out);
    put_key("goarch", arch, out);
    put_key("cpu", host->cpu_model, out);
}

static bool is_shown(const struct lauka_result *result, size_t metric)
{
    bool shown = false;
    for (size_t c = 0; c < result->command_count && lauka_result_is_shown(result, metric); c++) {
        struct lauka_result_view view = lauka_result_view(result, c, metric);
        shown |= view.counted && !view.at_floor && !view.at_least;
    }
    return shown;
}

/* Whether an earlier benchmark has shown the metric. */
static bool is_known(const struct columns *all, size_t before, const char *metric)
{
    for (size_t b = 0; b < before; b++) {
        size_t m = lauka_result_metric_index(all[b].result, metric);
        if (m < all[b].result->metric_count && all[b].shown[m])
            return true;
    }
    return false;
}

/* benchstat knows ns/op itself, and rejects another definition. */
static void put_units(const struct columns *all, size_t index, FILE *out)
{
    const struct lauka_result *result = all[index].result;
    for (size_t m = 0; m < result->metric_count; m++) {
        const struct lauka_result_metric *metric = &result->metrics[m];
        if (!all[index].shown[m] || strcmp(metric->better, "neither") == 0 ||
            is_known(all, index, metric->name))
            continue;
        fputs("Unit ", out);
        put_unit(&all[index], m, out);
        fprintf(out, " better=%s\n", metric->better);
    }
}

static void put_measurement(const struct columns *columns, size_t metric, const char *value,
                            FILE *out)
{
    fprintf(out, " %s ", value);
    put_unit(columns, metric, out);
}

static void put_run(const struct columns *columns, size_t command, uint64_t round, FILE *out)
{
    const struct lauka_result *result = columns->result;
    put_name(columns, command, out);
    fputs(" 1", out);
    for (size_t m = 0; m < result->metric_count; m++) {
        const struct lauka_series *series = &result->commands[command].series[m];
        int decimals = result->metrics[m].decimals + (columns->seconds[m] ? 9 : 0);
        char number[40];
        if (columns->shown[m] && round < series->count &&
            lauka_series_at(series, round) != LAUKA_MISSING)
            put_measurement(columns, m,
                            lauka_format_decimal(lauka_series_at(series, round), decimals, number,
                                                 sizeof number),
                            out);
    }
    fputc('\n', out);
}

static void put_means(const struct columns *columns, size_t command, FILE *out)
{
    const struct lauka_result *result = columns->result;
    put_name(columns, command, out);
    fprintf(out, " %" PRIu64, result->run.rounds);
    for (size_t m = 0; m < result->metric_count; m++) {
        const struct lauka_summary *summary = lauka_result_summary(result, command, m);
        double unit = lauka_result_unit(&result->metrics[m]) * (columns->seconds[m] ? 1e9 : 1);
        char number[40];
        if (columns->shown[m] && summary)
            put_measurement(columns, m,
                            lauka_format_exact(summary->mean / unit, number, sizeof number), out);
    }
    fputc('\n', out);
}

/* How `go test` ends if something failed; readers of benchmarks skip lines that they do not know. */
static void put_end(const struct lauka_result *result, FILE *out)
{
    const char *end = lauka_result_bad_end(result);
    if (!end)
        return;
    fputs("FAIL\tlauka: ", out);
    if (result->benchmark.name)
        lauka_print_safely(result->benchmark.name, true, out);
    fputs(result->benchmark.name ? ": " : "", out);
    lauka_print_safely(end, true, out);
    fputc('\n', out);
}

static void put_lines(const struct columns *columns, FILE *out)
{
    const struct lauka_result *result = columns->result;
    for (size_t c = 0; c < result->command_count && result->run.samples_left_out; c++)
        put_means(columns, c, out);
    for (uint64_t round = 0; round < result->run.rounds && !result->run.samples_left_out; round++)
        for (size_t c = 0; c < result->command_count && !ferror(out); c++)
            if (round < lauka_result_rounds(result, c))
                put_run(columns, c, round, out);
    put_end(result, out);
}

/* ---- benchmarks -------------------------------------------------------------------------------- */

/* A slash would begin the next part of a name, and a blank would end it. */
static char **find_sides(const struct lauka_result *result)
{
    char **texts = calloc(result->command_count + 1, sizeof *texts), **sides;
    for (size_t c = 0; texts && c < result->command_count; c++)
        texts[c] = (char *)lauka_result_side(result, c); /* borrowed */
    sides = texts ? lauka_unique_texts(texts, result->command_count, 200, " /", true) : NULL;
    free(texts);
    return sides;
}

static int make_columns(const struct lauka_session *session, size_t benchmark,
                        struct columns *columns)
{
    const struct lauka_result *result = &session->benchmarks[benchmark];
    *columns = (struct columns){
        .result = result,
        .shown = calloc(result->metric_count + 1, sizeof *columns->shown),
        .seconds = calloc(result->metric_count + 1, sizeof *columns->seconds),
        .sides = find_sides(result),
    };
    if (!columns->shown || !columns->seconds || !columns->sides)
        return ENOMEM;
    for (size_t m = 0; m < result->metric_count; m++) {
        columns->shown[m] = is_shown(result, m);
        columns->seconds[m] = is_in_seconds(session, &result->metrics[m]);
    }
    return 0;
}

/* Names with slashes keep them, because their parts are parts for benchstat, too. */
static int name_columns(const struct lauka_session *session, struct columns *all)
{
    char **texts = calloc(session->benchmark_count + 1, sizeof *texts), **names;
    for (size_t b = 0; texts && b < session->benchmark_count; b++)
        texts[b] = session->benchmarks[b].benchmark.name; /* borrowed */
    names = texts ? lauka_unique_texts(texts, session->benchmark_count, 200, " ", true) : NULL;
    for (size_t b = 0; names && b < session->benchmark_count; b++)
        all[b].name = names[b];
    int error = names ? 0 : ENOMEM;
    free(names);
    free(texts);
    return error;
}

int lauka_write_go_benchmark(const struct lauka_session *session, FILE *out)
{
    size_t count = session->benchmark_count;
    struct columns *all = calloc(count + 1, sizeof *all);
    int error = all ? 0 : ENOMEM;
    for (size_t b = 0; b < count && !error; b++)
        error = make_columns(session, b, &all[b]);
    if (!error && lauka_session_is_named(session))
        error = name_columns(session, all);
    errno = 0;
    if (!error && count > 0)
        put_host(&session->benchmarks[0].host, out);
    for (size_t b = 0; b < count && !error; b++)
        put_units(all, b, out);
    for (size_t b = 0; b < count && !error; b++)
        put_lines(&all[b], out);
    for (size_t b = 0; all && b < count; b++) {
        free(all[b].shown);
        free(all[b].seconds);
        free(all[b].name);
        lauka_strings_free(all[b].sides);
    }
    free(all);
    return error ? error : lauka_finish(out);
}
