/* Go's benchmark format, which benchstat reads: a line per run, or one of means where single values
 * are not kept. Compare by `benchstat -col /cmd FILE`; where benchmarks have names, by `benchstat -col
 * /side FILE`, which gives a row each.
 * https://golang.org/design/14313-benchmark-format */
#include "report/exports/exports.h"
#include "report/result/result.h"
#include "report/result/session.h"
#include "report/text/prose.h"
#include "report/words/words.h"
#include "stats/stats.h"

#include <inttypes.h>
#include <string.h>

/* What holds for all runs of a benchmark, made once. */
struct columns {
    const struct lauka_result *result;
    const char **names; /* of commands, as they begin a line */
    const char **units; /* of metrics; NULL: it is not shown */
    bool *seconds;      /* whether they are in seconds instead of ns */
};

/* ---- units ------------------------------------------------------------------------------------- */

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

/* The first `length` characters, as they may stand in a unit. */
static const char *slug_of(struct lauka_prose *prose, const char *name, size_t length)
{
    char *slug = lauka_prose_room(prose, length + 1, 1);
    for (size_t i = 0; slug && i < length; i++) {
        bool plain = (name[i] >= '0' && name[i] <= '9') || (name[i] >= 'a' && name[i] <= 'z') ||
                     (name[i] >= 'A' && name[i] <= 'Z') || strchr(":.+=,", name[i]);
        slug[i] = plain ? name[i] : '-';
    }
    return slug ? slug : "";
}

/* "ns/op", "cpu-sec/op", "peak-rss-bytes", "instructions/op", "ipc": benchstat scales them. A ratio is of a run, however
 * long it is. */
static const char *unit_of(struct lauka_prose *prose, const struct lauka_result_metric *about,
                           bool seconds)
{
    const size_t length = strlen(about->name), suffix = strlen("_time");
    const bool time = strcmp(about->unit, "ns") == 0, bytes = strcmp(about->unit, "B") == 0;
    const bool ratio = about->decimals != 0 || strcmp(about->source, "reported") == 0;
    const bool named_time =
        time && length > suffix && strcmp(about->name + length - suffix, "_time") == 0;
    const char *unit = time ? seconds ? "sec/op" : "ns/op" : bytes ? "-bytes" : ratio ? "" : "/op";
    if (strcmp(about->name, "wall_time") == 0)
        return unit;
    return lauka_say(prose, "%s%s%s",
                     slug_of(prose, about->name, length - (named_time ? suffix : 0)),
                     time ? "-" : "", unit);
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

/* ---- names ------------------------------------------------------------------------------------- */

/* A part that looks like the key of the sides would be taken for one. */
static const char *benchmark_of(struct lauka_prose *prose, const char *name)
{
    static const char key[] = "side=";
    lauka_prose_capture(prose);
    for (const char *c = name; *c; c++) {
        bool begins = (c == name || c[-1] == '/') && strncmp(c, key, sizeof key - 1) == 0;
        lauka_put(prose, "%s%c", begins ? "_" : "", *c);
    }
    return lauka_prose_captured(prose);
}

/* Readers take what follows the last hyphen for the number of CPUs, so that is what stands there. A slash in a side
 * would begin the next part of a name, and a blank would end it. */
static void name_commands(struct lauka_prose *prose, const char *benchmark, struct columns *columns)
{
    const struct lauka_result *result = columns->result;
    const uint64_t cpus = result->host.cpu_count > 0 ? result->host.cpu_count : 1;
    const char **texts = lauka_prose_room(prose, result->command_count, sizeof *texts);
    for (size_t c = 0; texts && c < result->command_count; c++)
        texts[c] = lauka_result_side(result, c);
    const char **sides = lauka_say_unique(prose, texts, result->command_count, 200, " /");
    for (size_t c = 0; sides && c < result->command_count; c++)
        columns->names[c] = lauka_say(prose, "BenchmarkLauka/%s%s=%s-%" PRIu64,
                                      benchmark ? benchmark_of(prose, benchmark) : "",
                                      benchmark ? "/side" : "cmd", sides[c], cpus);
}

static struct columns columns_of(struct lauka_prose *prose, const struct lauka_session *session,
                                 size_t index, const char *benchmark)
{
    const struct lauka_result *result = &session->benchmarks[index];
    struct columns columns = {
        .result = result,
        .names = lauka_prose_room(prose, result->command_count, sizeof *columns.names),
        .units = lauka_prose_room(prose, result->metric_count, sizeof *columns.units),
        .seconds = lauka_prose_room(prose, result->metric_count, sizeof *columns.seconds)};
    if (!columns.names || !columns.units || !columns.seconds)
        return columns;
    name_commands(prose, benchmark, &columns);
    for (size_t m = 0; m < result->metric_count; m++) {
        columns.seconds[m] = is_in_seconds(session, &result->metrics[m]);
        if (is_shown(result, m))
            columns.units[m] = unit_of(prose, &result->metrics[m], columns.seconds[m]);
    }
    return columns;
}

/* ---- lines ------------------------------------------------------------------------------------- */

static void put_key(struct lauka_prose *prose, const char *key, const char *value)
{
    if (value && *value)
        lauka_put(prose, "%s: %s\n", key, lauka_say_safely(prose, value));
}

/* Go's words for systems and processors. */
static void put_host(struct lauka_prose *prose, const struct lauka_result_host *host)
{
    const char *os = !host->os                         ? NULL
                     : strcmp(host->os, "Linux") == 0  ? "linux"
                     : strcmp(host->os, "Darwin") == 0 ? "darwin"
                                                       : host->os;
    const char *arch = !host->arch                          ? NULL
                       : strcmp(host->arch, "x86_64") == 0  ? "amd64"
                       : strcmp(host->arch, "aarch64") == 0 ? "arm64"
                                                            : host->arch;
    put_key(prose, "goos", os);
    put_key(prose, "goarch", arch);
    put_key(prose, "cpu", host->cpu_model);
}

/* Whether an earlier benchmark has shown the metric. */
static bool is_known(const struct columns *all, size_t before, const char *metric)
{
    for (size_t b = 0; b < before; b++) {
        size_t m = lauka_result_metric_index(all[b].result, metric);
        if (m < all[b].result->metric_count && all[b].units[m])
            return true;
    }
    return false;
}

/* benchstat knows ns/op itself, and rejects another definition. */
static void put_units(struct lauka_prose *prose, const struct columns *all, size_t index)
{
    const struct lauka_result *result = all[index].result;
    for (size_t m = 0; m < result->metric_count; m++) {
        const struct lauka_result_metric *metric = &result->metrics[m];
        if (all[index].units[m] && strcmp(metric->better, "neither") != 0 &&
            !is_known(all, index, metric->name))
            lauka_put(prose, "Unit %s better=%s\n", all[index].units[m], metric->better);
    }
}

static void put_run(struct lauka_prose *prose, const struct columns *columns, size_t command,
                    uint64_t round)
{
    const struct lauka_result *result = columns->result;
    lauka_put(prose, "%s 1", columns->names[command]);
    for (size_t m = 0; m < result->metric_count; m++) {
        const struct lauka_series *series = &result->commands[command].series[m];
        int decimals = result->metrics[m].decimals + (columns->seconds[m] ? 9 : 0);
        char number[40];
        if (columns->units[m] && round < series->count &&
            lauka_series_at(series, round) != LAUKA_MISSING)
            lauka_put(prose, " %s %s",
                      lauka_format_decimal(lauka_series_at(series, round), decimals, number,
                                           sizeof number),
                      columns->units[m]);
    }
    lauka_put(prose, "\n");
}

static void put_means(struct lauka_prose *prose, const struct columns *columns, size_t command)
{
    const struct lauka_result *result = columns->result;
    lauka_put(prose, "%s %" PRIu64, columns->names[command], result->run.rounds);
    for (size_t m = 0; m < result->metric_count; m++) {
        const struct lauka_summary *summary = lauka_result_summary(result, command, m);
        double unit = lauka_result_unit(&result->metrics[m]) * (columns->seconds[m] ? 1e9 : 1);
        char number[40];
        if (columns->units[m] && summary)
            lauka_put(prose, " %s %s",
                      lauka_format_exact(summary->mean / unit, number, sizeof number),
                      columns->units[m]);
    }
    lauka_put(prose, "\n");
}

/* It ends as `go test` does if something failed; readers of benchmarks skip lines that they do not know. */
static void put_lines(struct lauka_prose *prose, const struct columns *columns)
{
    const struct lauka_result *result = columns->result;
    const char *end = lauka_result_bad_end(result), *name = result->benchmark.name;
    for (size_t c = 0; c < result->command_count && result->run.samples_left_out; c++)
        put_means(prose, columns, c);
    for (uint64_t round = 0; round < result->run.rounds && !result->run.samples_left_out; round++)
        for (size_t c = 0; c < result->command_count && !ferror(prose->out); c++)
            if (round < lauka_result_rounds(result, c))
                put_run(prose, columns, c, round);
    if (end)
        lauka_put(prose, "FAIL\tlauka: %s%s%s\n", name ? lauka_say_safely(prose, name) : "",
                  name ? ": " : "", lauka_say_safely(prose, end));
}

/* Names with slashes keep them, because their parts are parts for benchstat, too. */
static const char **names_of(struct lauka_prose *prose, const struct lauka_session *session)
{
    const char **texts = lauka_prose_room(prose, session->benchmark_count, sizeof *texts);
    for (size_t b = 0; texts && b < session->benchmark_count; b++)
        texts[b] = session->benchmarks[b].benchmark.name;
    return lauka_say_unique(prose, texts, session->benchmark_count, 200, " ");
}

int lauka_write_go_benchmark(const struct lauka_session *session, FILE *out)
{
    const size_t count = session->benchmark_count;
    struct lauka_prose prose = lauka_prose_begin(out, LAUKA_PLAIN_UTF8);
    struct columns *all = lauka_prose_room(&prose, count, sizeof *all);
    const char **names = lauka_session_is_named(session) ? names_of(&prose, session) : NULL;
    for (size_t b = 0; b < count && !prose.error; b++)
        all[b] = columns_of(&prose, session, b, names ? names[b] : NULL);
    if (!prose.error && count > 0)
        put_host(&prose, &session->benchmarks[0].host);
    for (size_t b = 0; b < count && !prose.error; b++)
        put_units(&prose, all, b);
    for (size_t b = 0; b < count && !prose.error; b++)
        put_lines(&prose, &all[b]);
    return lauka_prose_end(&prose);
}
