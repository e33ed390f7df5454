/* Go's benchmark format, which benchstat reads: a line per run, or one of means where single values
 * are not kept. Compare by `benchstat -col /cmd FILE`.
 * https://golang.org/design/14313-benchmark-format */
#include "report/exports/exports.h"
#include "report/result/result.h"
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

/* benchstat makes seconds of nanoseconds, except where the value is 0, which it then shows in a table of
 * its own. ns/op is Go's own unit, and a run takes some time; the kernel's accounts may well be 0. */
static bool is_in_seconds(const struct lauka_result *result, size_t metric)
{
    const struct lauka_result_metric *about = &result->metrics[metric];
    bool zero = strcmp(about->name, "wall_time") != 0;
    for (size_t c = 0; c < result->command_count && !zero; c++) {
        const struct lauka_summary *summary = lauka_result_summary(result, c, metric);
        zero = summary && summary->min == 0;
    }
    return zero && strcmp(about->unit, "ns") == 0;
}

/* What is asked of all commands, once. */
struct columns {
    const struct lauka_result *result;
    bool *shown, *seconds; /* owned; per metric */
};

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
    bool bytes = strcmp(about->unit, "B") == 0, ratio = about->decimals > 0; /* of any length */
    if (time)
        fputs(columns->seconds[metric] ? "sec/op" : "ns/op", out);
    else
        fputs(bytes ? "-bytes" : ratio ? "" : "/op", out);
}

/* What follows the last hyphen would be taken for the number of CPUs; so it is that. */
static void put_name(const struct lauka_result *result, const char *label, FILE *out)
{
    uint64_t cpus = result->host.cpu_count;
    fprintf(out, "BenchmarkLauka/cmd=%s-%" PRIu64, label, cpus > 0 ? cpus : 1);
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

/* benchstat knows ns/op itself, and would not be contradicted. */
static void put_units(const struct columns *columns, FILE *out)
{
    const struct lauka_result *result = columns->result;
    for (size_t m = 0; m < result->metric_count; m++) {
        const struct lauka_result_metric *metric = &result->metrics[m];
        if (!columns->shown[m] || strcmp(metric->better, "neither") == 0)
            continue;
        fputs("Unit ", out);
        put_unit(columns, m, out);
        fprintf(out, " better=%s\n", metric->better);
    }
}

static void put_measurement(const struct columns *columns, size_t metric, const char *value,
                            FILE *out)
{
    fprintf(out, " %s ", value);
    put_unit(columns, metric, out);
}

static void put_run(const struct columns *columns, size_t command, const char *label,
                    uint64_t round, FILE *out)
{
    const struct lauka_result *result = columns->result;
    put_name(result, label, out);
    fputs(" 1", out);
    for (size_t m = 0; m < result->metric_count; m++) {
        const struct lauka_series *series = &result->commands[command].series[m];
        unsigned decimals = result->metrics[m].decimals + (columns->seconds[m] ? 9 : 0);
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

static void put_means(const struct columns *columns, size_t command, const char *label, FILE *out)
{
    const struct lauka_result *result = columns->result;
    put_name(result, label, out);
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

/* As `go test` ends where something failed; readers of benchmarks skip what they do not know. */
static void put_end(const struct lauka_result *result, FILE *out)
{
    const char *end = lauka_result_bad_end(result);
    if (!end)
        return;
    fputs("FAIL\tlauka: ", out);
    lauka_print_safely(end, true, out);
    fputc('\n', out);
}

static void put_lines(const struct columns *columns, char *const *labels, FILE *out)
{
    const struct lauka_result *result = columns->result;
    put_host(&result->host, out);
    put_units(columns, out);
    for (size_t c = 0; c < result->command_count && result->run.samples_left_out; c++)
        put_means(columns, c, labels[c], out);
    for (uint64_t round = 0; round < result->run.rounds && !result->run.samples_left_out; round++)
        for (size_t c = 0; c < result->command_count && !ferror(out); c++)
            if (round < lauka_result_rounds(result, c))
                put_run(columns, c, labels[c], round, out);
    put_end(result, out);
}

int lauka_write_go_benchmark(const struct lauka_result *result, FILE *out)
{
    /* A slash would begin the next part of a name, a blank would end it. */
    char **labels = lauka_result_unique_labels(result, 200, " /");
    struct columns columns = {
        .result = result,
        .shown = calloc(result->metric_count + 1, sizeof *columns.shown),
        .seconds = calloc(result->metric_count + 1, sizeof *columns.seconds),
    };
    bool good = labels && columns.shown && columns.seconds;
    for (size_t m = 0; good && m < result->metric_count; m++) {
        columns.shown[m] = is_shown(result, m);
        columns.seconds[m] = is_in_seconds(result, m);
    }
    errno = 0;
    if (good)
        put_lines(&columns, labels, out);
    lauka_strings_free(labels);
    free(columns.shown);
    free(columns.seconds);
    return good ? lauka_finish(out) : ENOMEM;
}
