/* Makes a result of what a report holds, as lauka makes one of what it measured. */
#include "liblauka/hdr.h"
#include "liblauka/report.h"
#include "report/analysis/analysis.h"
#include "report/load/load.h"
#include "report/load/loader.h"
#include "report/text/text.h"
#include "report/result/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/* ---- names ------------------------------------------------------------------------------------- */

static int copy_notes(const struct lauka_result *frame, struct lauka_result *result)
{
    int error =
        lauka_record_copy(&lauka_provenance_record, &frame->provenance, &result->provenance);
    for (size_t w = 0; w < frame->warning_count && !error; w++)
        error = lauka_result_warn(result, frame->warnings[w]);
    return error ? error : lauka_text_copy(frame->benchmark.name, &result->benchmark.name);
}

/* As of now. */
static int stamp(struct lauka_result_provenance *provenance)
{
    char text[LAUKA_DATE_SIZE];
    free(provenance->end);
    provenance->end = NULL;
    if (lauka_format_time(time(NULL), text))
        provenance->end = strdup(text);
    return provenance->end ? 0 : ENOMEM;
}

/* What POSIX says about the host. */
static int describe_host(struct lauka_result_host *host)
{
    struct utsname system;
    long cpus = sysconf(_SC_NPROCESSORS_ONLN), pages = sysconf(_SC_PHYS_PAGES);
    if (uname(&system) != 0)
        return 0;
    host->os = strdup(system.sysname);
    host->kernel = strdup(system.release);
    host->arch = strdup(system.machine);
    host->cpu_count = cpus > 0 ? (uint64_t)cpus : 0;
    host->memory_bytes = pages > 0 ? (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
    return host->os && host->kernel && host->arch ? 0 : ENOMEM;
}

/* ---- values ------------------------------------------------------------------------------------ */

/* The largest number of values in a cell. */
static uint64_t rounds_of(const struct lauka_report *report)
{
    uint64_t most = 0;
    for (size_t i = 0; i < report->frame.command_count * report->frame.metric_count; i++) {
        const struct lauka_report_cell *cell = &report->cells[i];
        uint64_t count = cell->counts ? lauka_hdr_total(cell->counts) : cell->values.count;
        most = count > most ? count : most;
    }
    return most;
}

/* Whether all cells that were measured have that many values. */
static bool is_even(const struct lauka_report *report, uint64_t rounds)
{
    for (size_t i = 0; i < report->frame.command_count * report->frame.metric_count; i++)
        if (report->cells[i].values.count > 0 && report->cells[i].values.count != rounds)
            return false;
    return true;
}

static int copy_values(const struct lauka_series *from, uint64_t rounds, struct lauka_series *to)
{
    int error = lauka_series_reserve(to, (size_t)rounds);
    for (size_t i = 0; i < rounds && !error; i++)
        lauka_series_add(to, i < from->count ? lauka_series_at(from, i) : LAUKA_MISSING);
    return error;
}

/* Each value becomes the middle of its bucket, in random order. */
static int spread_counts(const struct lauka_hdr *from, uint64_t rounds, struct lauka_series *to)
{
    struct lauka_bucket bucket = {0};
    int error = lauka_series_reserve(to, (size_t)rounds);
    while (!error && from && lauka_histogram_next(&from->counts, &bucket))
        for (uint64_t i = 0; i < bucket.count; i++)
            lauka_series_add(to, lauka_bucket_middle(&bucket));
    lauka_series_mix(to);
    while (!error && to->count < rounds)
        lauka_series_add(to, LAUKA_MISSING);
    return error;
}

static int pour_counts(const struct lauka_hdr *from, struct lauka_result_stream *to)
{
    struct lauka_bucket bucket = {0};
    int error = lauka_stream_widen(to, from ? from->counts.digits : LAUKA_DIGITS_DEFAULT);
    while (!error && from && lauka_histogram_next(&from->counts, &bucket)) {
        uint64_t middle = lauka_bucket_middle(&bucket);
        uint64_t *counter;
        error = lauka_histogram_reach(&to->histogram, middle, &counter);
        if (error)
            break;
        *counter += bucket.count;
        lauka_moments_add_count(&to->moments, middle, bucket.count);
    }
    if (!error && from && from->exact)
        to->moments = from->moments;
    return error;
}

static int fill_streams(const struct lauka_report *report, size_t side, uint64_t rounds,
                        struct lauka_result_command *command)
{
    size_t metrics = report->frame.metric_count;
    int error = 0;
    command->streams = calloc(metrics + 1, sizeof *command->streams);
    if (!command->streams)
        return ENOMEM;
    for (size_t m = 0; m < metrics && !error; m++) {
        error = pour_counts(lauka_report_cell_of(report, side, m)->counts, &command->streams[m]);
        command->streams[m].missing = rounds - command->streams[m].moments.count;
    }
    return error;
}

static int fill_series(const struct lauka_report *report, size_t side, uint64_t rounds,
                       struct lauka_result_command *command)
{
    int error = 0;
    for (size_t m = 0; m < report->frame.metric_count && !error; m++) {
        const struct lauka_report_cell *cell = lauka_report_cell_of(report, side, m);
        error = report->has_histograms ? spread_counts(cell->counts, rounds, &command->series[m])
                                       : copy_values(&cell->values, rounds, &command->series[m]);
    }
    return error;
}

static int fill_commands(const struct lauka_report *report, uint64_t rounds, bool streams,
                         struct lauka_result *result)
{
    const struct lauka_result *frame = &report->frame;
    int error = 0;
    for (size_t c = 0; c < frame->command_count && !error; c++) {
        struct lauka_result_command *command =
            lauka_result_add_command(result, frame->commands[c].label);
        if (!command)
            return ENOMEM;
        error = streams ? fill_streams(report, c, rounds, command)
                        : fill_series(report, c, rounds, command);
    }
    return error;
}

/* Whether anything was measured in the metric. */
static bool is_counted(const struct lauka_report *report, size_t metric)
{
    for (size_t c = 0; c < report->frame.command_count; c++) {
        const struct lauka_report_cell *cell = lauka_report_cell_of(report, c, metric);
        if (cell->values.count > 0 || (cell->counts && lauka_hdr_total(cell->counts) > 0))
            return true;
    }
    return false;
}

static int note_precision(const struct lauka_report *report, struct lauka_result *result)
{
    double error = 0;
    char note[160];
    for (size_t i = 0; i < report->frame.command_count * report->frame.metric_count; i++)
        if (report->cells[i].counts && lauka_hdr_error(report->cells[i].counts) > error)
            error = lauka_hdr_error(report->cells[i].counts);
    snprintf(
        note, sizeof note,
        "values come from a histogram: each can be off by %.2g %%, and their order is not known",
        100 * error);
    return lauka_result_warn(result, note);
}

int lauka_report_make(const struct lauka_report *report, struct lauka_result *result)
{
    const struct lauka_result *frame = &report->frame;
    const uint64_t rounds = rounds_of(report), cells = frame->command_count * frame->metric_count;
    *result = (struct lauka_result){0};
    if (rounds == 0)
        return EINVAL;
    bool streams = report->has_histograms && rounds > LAUKA_LOAD_VALUES / cells;
    result->run = (struct lauka_result_run){
        .rounds = rounds,
        .stopped = LAUKA_STOPPED_STORED,
        .unpaired = !report->paired || report->has_histograms || !is_even(report, rounds),
        .samples_left_out = streams,
        .apart = report->has_histograms ? LAUKA_APART_LOGS : LAUKA_APART_NOT,
    };
    int error = lauka_result_copy_metrics(frame, result);
    for (size_t m = 0; m < result->metric_count; m++)
        result->metrics[m].counted = is_counted(report, m);
    if (!error)
        error = copy_notes(frame, result);
    if (!error)
        error = stamp(&result->provenance);
    if (!error)
        error = describe_host(&result->host);
    if (!error)
        error = fill_commands(report, rounds, streams, result);
    if (!error && report->has_histograms)
        error = note_precision(report, result);
    return error ? error : lauka_result_analyse(result);
}
