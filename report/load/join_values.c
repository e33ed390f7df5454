/* The values of a benchmark that several jobs measured, one after the other in the order of their hosts. Histograms
 * are added: none of them loses anything. */
#include "report/load/jobs.h"
#include "report/load/loader.h"
#include "report/result/result.h"
#include "stats/stats.h"
#include "stats/units.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct join {
    struct lauka_job_file *jobs; /* borrowed */
    size_t count, benchmark;
    const size_t *hosts; /* borrowed */
    struct lauka_result *to;
    struct lauka_load_error *error;
};

static struct lauka_result *result_of(const struct join *join, size_t j)
{
    return &join->jobs[j].session.benchmarks[join->benchmark];
}

/* ---- metrics ------------------------------------------------------------------------------------------ */

static int add_metrics(const struct join *join)
{
    int failure = 0;
    for (size_t j = 0; j < join->count && !failure; j++)
        failure = lauka_metrics_add(result_of(join, j), join->jobs[j].name, join->to, join->error);
    for (size_t j = 0; j < join->count && !failure; j++)
        lauka_metrics_make_room(join->to, result_of(join, j));
    return failure;
}

/* ---- single values -------------------------------------------------------------------------------------- */

/* What the job did not measure is missing in its rounds. */
static int append(const struct join *join, size_t j, size_t command, size_t metric,
                  struct lauka_series *to)
{
    struct lauka_result *from = result_of(join, j);
    const struct lauka_result_metric *about = &join->to->metrics[metric];
    size_t own = lauka_result_metric_index(from, about->name);
    bool there = own < from->metric_count;
    struct lauka_series *series = there ? &from->commands[command].series[own] : NULL;
    bool rounded = false;
    if (there &&
        lauka_series_rescale(series, from->metrics[own].decimals, about->decimals, &rounded) != 0)
        return lauka_jobs_fail(&join->jobs[j], join->error,
                               "the values of `%.60s` are too far from those of the other jobs",
                               about->name);
    for (size_t i = 0; i < from->run.rounds; i++)
        lauka_series_add(to, there ? lauka_series_at(series, i) : LAUKA_MISSING);
    if (there)
        lauka_series_done(series);
    return 0;
}

static int join_series(const struct join *join, size_t command)
{
    struct lauka_result_command *to = &join->to->commands[command];
    int failure = 0;
    for (size_t m = 0; m < join->to->metric_count && !failure; m++) {
        failure = lauka_series_reserve(&to->series[m], join->to->run.rounds);
        for (size_t j = 0; j < join->count && !failure; j++)
            failure = append(join, j, command, m, &to->series[m]);
    }
    return failure;
}

/* ---- histograms ------------------------------------------------------------------------------------------- */

static int add_stream(struct lauka_result_stream *to, const struct lauka_result_stream *from)
{
    int failure = lauka_stream_widen(to, from->histogram.digits);
    failure = failure ? failure : lauka_histogram_merge(&to->histogram, &from->histogram);
    lauka_moments_merge(&to->moments, &from->moments);
    to->missing += from->missing;
    if (to->paired && from->paired)
        lauka_paired_log_merge(to->paired, from->paired);
    else
        lauka_stream_unpair(to);
    return failure;
}

static int join_stream(const struct join *join, size_t j, size_t command, size_t metric,
                       struct lauka_result_stream *to)
{
    const struct lauka_result *from = result_of(join, j);
    const struct lauka_result_metric *about = &join->to->metrics[metric];
    size_t own = lauka_result_metric_index(from, about->name);
    struct lauka_result_stream *stream;
    if (own == from->metric_count) {
        to->missing += from->run.rounds;
        return 0;
    }
    stream = &from->commands[command].streams[own];
    int failure = lauka_stream_rescale(stream, from->metrics[own].decimals, about->decimals);
    if (failure == ERANGE)
        return lauka_jobs_fail(&join->jobs[j], join->error,
                               "histograms of `%.60s` cannot be added: the values of the jobs are "
                               "too far apart",
                               about->name);
    return failure ? failure : add_stream(to, stream);
}

/* Of all, and of each host. */
static int join_streams(const struct join *join, size_t c)
{
    struct lauka_result *to = join->to;
    const size_t metrics = to->metric_count;
    int failure = 0;
    to->commands[c].streams = lauka_streams_make(metrics, c > 0);
    for (size_t h = 0; h < to->merged.host_count; h++)
        if (!(to->merged.hosts[h].streams[c] = lauka_streams_make(metrics, c > 0)))
            return ENOMEM;
    for (size_t j = 0; j < join->count && to->commands[c].streams && !failure; j++)
        for (size_t m = 0; m < metrics && !failure; m++)
            failure = join_stream(join, j, c, m, &to->merged.hosts[join->hosts[j]].streams[c][m]);
    for (size_t h = 0; h < to->merged.host_count && to->commands[c].streams && !failure; h++)
        for (size_t m = 0; m < metrics && !failure; m++)
            failure = add_stream(&to->commands[c].streams[m], &to->merged.hosts[h].streams[c][m]);
    return to->commands[c].streams ? failure : ENOMEM;
}

static int make_room_for_streams(const struct join *join)
{
    struct lauka_result_merged *merged = &join->to->merged;
    for (size_t h = 0; h < merged->host_count; h++)
        if (!(merged->hosts[h].streams =
                  calloc(join->to->command_count + 1, sizeof *merged->hosts[h].streams)))
            return ENOMEM;
    return 0;
}

/* ---- commands --------------------------------------------------------------------------------------------- */

/* From the first job, but for what is counted. */
static void take_command(struct lauka_result_command *from, struct lauka_result_command *to)
{
    *to = *from;
    *from = (struct lauka_result_command){.series = from->series, .streams = from->streams};
    to->series = NULL;
    to->streams = NULL;
    from->exit_codes = to->exit_codes;
    from->failures = to->failures;
    from->left_behind = to->left_behind;
    from->contradicted = to->contradicted;
    from->steady = to->steady;
    from->at_least = to->at_least;
    to->exit_codes = NULL;
    to->at_least = NULL;
    to->summaries = NULL;
    to->doubts = NULL;
    to->failures = to->left_behind = to->contradicted = 0;
    to->steady = (struct lauka_warmings){0};
}

static int add_counts(const struct join *join, size_t j, size_t c)
{
    const struct lauka_result *from = result_of(join, j);
    const struct lauka_result_command *own = &from->commands[c];
    struct lauka_result_command *to = &join->to->commands[c];
    int failure = 0;
    to->failures += own->failures;
    to->left_behind += own->left_behind;
    to->contradicted += own->contradicted;
    lauka_warmings_join(&to->steady, &own->steady);
    to->unwatched |= own->unwatched;
    to->is_same &= j == 0 || own->is_same;
    for (size_t m = 0; own->at_least && m < from->metric_count && !failure; m++)
        if (own->at_least[m])
            failure = lauka_result_set_at_least(
                join->to, c, lauka_result_metric_index(join->to, from->metrics[m].name));
    return failure;
}

/* Where all jobs have them. */
static int join_exit_codes(const struct join *join, size_t c)
{
    int16_t *codes = calloc(join->to->run.rounds + 1, sizeof *codes);
    size_t at = 0;
    if (!codes)
        return ENOMEM;
    for (size_t j = 0; j < join->count; j++) {
        const struct lauka_result *from = result_of(join, j);
        if (!from->commands[c].exit_codes) {
            free(codes);
            return 0;
        }
        memcpy(codes + at, from->commands[c].exit_codes, from->run.rounds * sizeof *codes);
        at += from->run.rounds;
    }
    join->to->commands[c].exit_codes = codes;
    return 0;
}

static int join_command(const struct join *join, size_t c, bool streamed)
{
    struct lauka_result_command *to = &join->to->commands[c];
    int failure = 0;
    take_command(&result_of(join, 0)->commands[c], to);
    join->to->command_count++;
    to->series = calloc(join->to->metric_count + 1, sizeof *to->series);
    if (!to->series)
        return ENOMEM;
    for (size_t j = 0; j < join->count && !failure; j++)
        failure = add_counts(join, j, c);
    if (!failure && !streamed)
        failure = join_exit_codes(join, c);
    return failure ? failure : streamed ? join_streams(join, c) : join_series(join, c);
}

/* ---- the course --------------------------------------------------------------------------------------------- */

static void join_runs(const struct join *join)
{
    const struct lauka_result_run *first = &result_of(join, 0)->run;
    struct lauka_result_run *run = &join->to->run;
    *run = (struct lauka_result_run){.stopped = LAUKA_STOPPED_STORED,
                                     .warmup = first->warmup,
                                     .alpha = first->alpha,
                                     .precision = first->precision,
                                     .noise = first->noise,
                                     .samples_left_out = first->samples_left_out};
    for (size_t j = 0; j < join->count; j++) {
        const struct lauka_result_run *own = &result_of(join, j)->run;
        run->rounds += own->rounds;
        run->dropped += own->dropped;
        run->alpha = own->alpha < run->alpha ? own->alpha : run->alpha;
        run->rss_floor = own->rss_floor > run->rss_floor ? own->rss_floor : run->rss_floor;
    }
}

/* The order in which commands ran, and how large the environment was, where all jobs tell. */
static int join_course(const struct join *join)
{
    struct lauka_result_run *run = &join->to->run;
    const size_t commands = join->to->command_count;
    bool ordered = true, laid_out = true;
    size_t at = 0;
    for (size_t j = 0; j < join->count; j++) {
        ordered &= result_of(join, j)->run.order != NULL;
        laid_out &= result_of(join, j)->run.layout != NULL;
    }
    run->order = ordered ? calloc(run->rounds * commands + 1, sizeof *run->order) : NULL;
    run->layout = laid_out ? calloc(run->rounds + 1, sizeof *run->layout) : NULL;
    if ((ordered && !run->order) || (laid_out && !run->layout))
        return ENOMEM;
    for (size_t j = 0; j < join->count; j++) {
        const struct lauka_result_run *own = &result_of(join, j)->run;
        if (ordered)
            memcpy(run->order + at * commands, own->order,
                   own->rounds * commands * sizeof *run->order);
        if (laid_out)
            memcpy(run->layout + at, own->layout, own->rounds * sizeof *run->layout);
        at += own->rounds;
    }
    return 0;
}

/* What is independent within a host: processes, layouts; of each job others. */
static int join_inner(const struct join *join)
{
    struct lauka_result_units *inner = &join->to->benchmark.inner;
    size_t at = 0;
    inner->kind = result_of(join, 0)->benchmark.units.kind;
    for (size_t j = 0; j < join->count; j++)
        if (!result_of(join, j)->benchmark.units.of)
            return 0;
    inner->of = calloc(join->to->run.rounds + 1, sizeof *inner->of);
    if (!inner->of)
        return ENOMEM;
    for (size_t j = 0; j < join->count; j++) {
        const struct lauka_result *from = result_of(join, j);
        for (size_t i = 0; i < from->run.rounds; i++)
            inner->of[at++] = (uint32_t)inner->count + from->benchmark.units.of[i];
        inner->count += from->benchmark.units.count;
    }
    return 0;
}

static int join_units(const struct join *join)
{
    struct lauka_result_benchmark *about = &join->to->benchmark;
    size_t at = 0;
    int failure = join_inner(join);
    if (failure || join->to->merged.host_count < 2) { /* one host alone is no unit */
        about->units = about->inner;
        about->inner = (struct lauka_result_units){0};
        return failure;
    }
    about->units =
        (struct lauka_result_units){.kind = LAUKA_UNIT_HOST, .count = join->to->merged.host_count};
    if (join->to->run.samples_left_out)
        return 0;
    about->units.of = calloc(join->to->run.rounds + 1, sizeof *about->units.of);
    for (size_t j = 0; about->units.of && j < join->count; j++)
        for (size_t i = 0; i < result_of(join, j)->run.rounds; i++)
            about->units.of[at++] = (uint32_t)join->hosts[j];
    return about->units.of ? 0 : ENOMEM;
}

/* ---- all of it ------------------------------------------------------------------------------------------------- */

static int check_room(const struct join *join)
{
    const struct lauka_result *first = result_of(join, 0);
    const uint64_t most = LAUKA_LOAD_VALUES / (first->command_count * join->to->metric_count + 1);
    if (join->to->run.samples_left_out || join->to->run.rounds <= most)
        return 0;
    return lauka_jobs_fail(&join->jobs[0], join->error,
                           "and the other jobs together hold too many values");
}

static int join_all(const struct join *join)
{
    struct lauka_result *first = result_of(join, 0), *to = join->to;
    const size_t commands = first->command_count;
    const bool streamed = first->run.samples_left_out;
    int failure = add_metrics(join);
    if (failure)
        return failure;
    join_runs(join);
    failure = check_room(join);
    to->commands = calloc(commands + 1, sizeof *to->commands);
    if (failure || !to->commands)
        return failure ? failure : ENOMEM;
    to->command_count = commands; /* for the room */
    failure = streamed ? make_room_for_streams(join) : 0;
    to->command_count = 0;
    for (size_t c = 0; c < commands && !failure; c++)
        failure = join_command(join, c, streamed);
    failure = failure ? failure : join_course(join);
    return failure ? failure : join_units(join);
}

int lauka_jobs_join_values(struct lauka_job_file *jobs, size_t count, size_t benchmark,
                           const size_t *hosts, struct lauka_result *to,
                           struct lauka_load_error *error)
{
    const struct join join = {jobs, count, benchmark, hosts, to, error};
    struct lauka_result *first = &jobs[0].session.benchmarks[benchmark];
    to->benchmark.name = first->benchmark.name;
    to->benchmark.parameters = first->benchmark.parameters;
    to->benchmark.parameter_count = first->benchmark.parameter_count;
    first->benchmark.name = NULL;
    first->benchmark.parameters = NULL;
    first->benchmark.parameter_count = 0;
    return join_all(&join);
}
