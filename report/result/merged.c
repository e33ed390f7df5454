/* A session that several jobs measured, each on a machine. */
#include "report/result/merged.h"
#include "report/result/record.h"
#include "report/result/result.h"
#include "stats/stats.h"
#include "stats/units.h"

#include <errno.h>
#include <stdlib.h>

/* ---- as it is stored --------------------------------------------------------------------------- */

static const struct lauka_field host_fields[] = {
    {LAUKA_FIELD(TEXT, lauka_merged_host, name)},
    {LAUKA_FIELD_AS(RECORD, lauka_merged_host, about, "machine"), .of = &lauka_host_record},
};
static const struct lauka_record_table host_record = {LAUKA_RECORD(lauka_merged_host, host_fields)};

static const struct lauka_field job_fields[] = {
    {LAUKA_FIELD(INTEGER, lauka_merged_job, number), .least = 1, .most = LAUKA_JOBS_MAX},
    {LAUKA_FIELD(INTEGER, lauka_merged_job, attempt), .least = 1, .most = LAUKA_JOBS_MAX},
    {LAUKA_FIELD(COUNT, lauka_merged_job, host), .most = LAUKA_JOBS_MAX},
    {LAUKA_FIELD(INTEGER, lauka_merged_job, seed)},
    {LAUKA_FIELD(TEXT, lauka_merged_job, begin), LAUKA_NULLABLE, LAUKA_LATE},
    {LAUKA_FIELD(TEXT, lauka_merged_job, end), LAUKA_NULLABLE, LAUKA_LATE},
};
static const struct lauka_record_table job_record = {LAUKA_RECORD(lauka_merged_job, job_fields)};

static const struct lauka_field merged_fields[] = {
    {LAUKA_FIELD(TEXT, lauka_result_merged, session)},
    {LAUKA_FIELD(INTEGER, lauka_result_merged, of), .least = 1, .most = LAUKA_JOBS_MAX},
    {LAUKA_FIELD(LIST, lauka_result_merged, hosts),
     LAUKA_ELEMENTS(lauka_result_merged, host_count, LAUKA_JOBS_MAX, &host_record)},
    {LAUKA_FIELD(LIST, lauka_result_merged, jobs),
     LAUKA_ELEMENTS(lauka_result_merged, job_count, LAUKA_JOBS_MAX, &job_record)},
};
const struct lauka_record_table lauka_merged_record = {
    LAUKA_RECORD(lauka_result_merged, merged_fields)};

static void drop_found(struct lauka_merged_host *host, size_t commands, size_t metrics)
{
    for (size_t c = 0; host->streams && c < commands; c++)
        lauka_streams_free(host->streams[c], metrics);
    free(host->streams);
    free(host->comparisons);
    free(host->rows);
}

void lauka_merged_done(struct lauka_result_merged *merged, size_t commands, size_t metrics)
{
    for (size_t h = 0; h < merged->host_count; h++)
        drop_found(&merged->hosts[h], commands, metrics);
    lauka_record_done(&lauka_merged_record, merged);
}

/* ---- hosts ------------------------------------------------------------------------------------- */

bool lauka_result_has_hosts(const struct lauka_result *result)
{
    return result->merged.host_count > 1;
}

const struct lauka_comparison *lauka_merged_comparison(const struct lauka_result *result,
                                                       size_t host, size_t command, size_t metric)
{
    const struct lauka_comparison *comparisons = result->merged.hosts[host].comparisons;
    size_t place = (command - 1) * result->metric_count + metric;
    return comparisons && command > 0 && place < result->comparison_count ? &comparisons[place]
                                                                          : NULL;
}

/* ---- one of them as a result ------------------------------------------------------------------- */

/* Of all rounds those from one on; nothing is copied. */
static struct lauka_series part_of(const struct lauka_series *series, size_t first, size_t count)
{
    return (struct lauka_series){
        .narrow = series->narrow ? series->narrow + first : NULL,
        .wide = series->wide ? series->wide + first : NULL,
        .count = count,
        .capacity = count,
    };
}

static int view_command(const struct lauka_result *result, const struct lauka_merged_host *host,
                        size_t first, size_t c, struct lauka_result_command *view)
{
    const struct lauka_result_command *from = &result->commands[c];
    *view = *from;
    view->summaries = NULL;
    view->doubts = NULL;
    view->series = NULL;
    view->exit_codes = from->exit_codes ? from->exit_codes + first : NULL;
    view->streams = host->streams ? host->streams[c] : NULL;
    if (view->streams)
        return 0;
    view->series = calloc(result->metric_count + 1, sizeof *view->series);
    for (size_t m = 0; view->series && m < result->metric_count; m++)
        view->series[m] = part_of(&from->series[m], first, host->rounds);
    return view->series ? 0 : ENOMEM;
}

/* What it did not count is not counted in the view. */
static bool is_counted(const struct lauka_result *view, size_t metric)
{
    for (size_t c = 0; c < view->command_count; c++) {
        if (lauka_result_moments(&view->commands[c], metric).count > 0)
            return true;
    }
    return false;
}

static int view_units(const struct lauka_result *result, size_t first, struct lauka_result *view)
{
    const struct lauka_result_units *inner = &result->benchmark.inner;
    view->benchmark.units = *inner;
    view->benchmark.inner = (struct lauka_result_units){0};
    if (!inner->of)
        return 0;
    view->benchmark.units.of += first;
    return lauka_units_count(view->benchmark.units.of, view->run.rounds,
                             &view->benchmark.units.count);
}

static void view_run(const struct lauka_result *result, size_t h, size_t first,
                     struct lauka_result *view)
{
    const struct lauka_merged_host *host = &result->merged.hosts[h];
    view->run.rounds = host->rounds;
    view->run.stopped = (enum lauka_stopped)host->stopped;
    view->run.batch_count = 0;
    if (result->run.order)
        view->run.order = result->run.order + first * result->command_count;
    if (result->run.layout)
        view->run.layout = result->run.layout + first;
}

int lauka_merged_view(const struct lauka_result *result, size_t h, struct lauka_result *view)
{
    size_t first = 0;
    for (size_t before = 0; before < h; before++)
        first += result->merged.hosts[before].rounds;
    *view = *result;
    view->comparisons = NULL;
    view->comparison_count = 0;
    view->merged = (struct lauka_result_merged){0};
    view->gate.rows = NULL;
    view->gate.row_count = 0;
    view->error.known = view->failure.known = false;
    view_run(result, h, first, view);
    view->commands = calloc(result->command_count + 1, sizeof *view->commands);
    view->metrics = calloc(result->metric_count + 1, sizeof *view->metrics);
    int error = view->commands && view->metrics ? view_units(result, first, view) : ENOMEM;
    view->command_count = 0;
    for (size_t c = 0; c < result->command_count && !error; c++) {
        error = view_command(result, &result->merged.hosts[h], first, c, &view->commands[c]);
        view->command_count++;
    }
    for (size_t m = 0; m < result->metric_count && !error; m++) {
        view->metrics[m] = result->metrics[m];
        view->metrics[m].counted &= is_counted(view, m);
    }
    if (error)
        lauka_merged_view_done(view);
    return error;
}

void lauka_merged_view_done(struct lauka_result *view)
{
    for (size_t c = 0; view->commands && c < view->command_count; c++) {
        free(view->commands[c].series);
        free(view->commands[c].summaries);
        free(view->commands[c].doubts);
    }
    free(view->commands);
    free(view->metrics);
    free(view->comparisons);
    free(view->gate.rows);
    *view = (struct lauka_result){0};
}
