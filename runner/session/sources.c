/* Where the metrics of a session come from: a table of sources, each of which lists its metrics and reads
 * them from a run. The result has metrics in the table's order. */
#include "runner/session/session.h"
#include "runner/session/valgrind_runs.h"
#include "pmu/counters/counters.h"
#include "pmu/events/events.h"
#include "pmu/valgrind/valgrind.h"
#include "report/result/result.h"
#include "runner/launch/launch.h"
#include "runner/metrics/metrics.h"
#include "runner/options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INNER_DECIMALS = 3 }; /* of what is told of an iteration */

struct run { /* one that is being read */
    const struct lauka_sources *sources;
    const struct lauka_sample *sample;
    size_t command;
    uint64_t round;
    const uint64_t *values;                    /* of the sources before this one */
    const struct lauka_result_metric *metrics; /* of all */
    size_t first;                              /* metric of this source */
};

/* A value that is not known for a run. */
static uint64_t known(uint64_t value)
{
    return value == LAUKA_UNKNOWN ? LAUKA_MISSING : value;
}

static bool describe(struct lauka_result_metric *metric, const char *name,
                     const struct lauka_event *event, bool pretended)
{
    static const char *const better[] = {"lower", "higher", "neither"};

    *metric = (struct lauka_result_metric){
        .name = strdup(name),
        .unit = strdup(event->unit),
        .source = strdup(pretended ? "simulated" : event->source),
        .better = better[event->better],
        .counted = true,
        .share = 1,
    };
    return metric->name && metric->unit && metric->source;
}

/* ---- what the kernel accounts ----------------------------------------------------------------------- */

static size_t find_usage(struct lauka_sources *sources, const struct lauka_result *result)
{
    (void)sources;
    (void)result;
    return LAUKA_USAGE_METRICS;
}

/* Times of an iteration, and what the whole process used. */
static void describe_inner(const struct lauka_sources *sources, size_t i,
                           struct lauka_result_metric *metric)
{
    bool cpu = i == LAUKA_CPU_TIME, split = i == LAUKA_USER_TIME || i == LAUKA_SYSTEM_TIME;

    metric->counted = !split && (!cpu || sources->inner->cpu_time);
    metric->detail = i != LAUKA_WALL_TIME && !cpu && (split || !sources->options->full);
    metric->decimals = i == LAUKA_WALL_TIME || cpu ? INNER_DECIMALS : 0;
}

static bool describe_usage(const struct lauka_sources *sources, size_t i,
                           struct lauka_result_metric *metric)
{
    const struct lauka_event *event = &lauka_usage_events()[i];
    bool good = describe(metric, event->name, event, sources->options->pretended);

    if (sources->inner)
        describe_inner(sources, i, metric);
    return good;
}

static uint64_t read_usage(const struct run *run, size_t i, double *share)
{
    (void)share;
    return run->sample->usage.values[i];
}

/* In thousandths. */
static uint64_t of_an_iteration(uint64_t value, uint64_t iterations)
{
    double each = 1e3 * (double)value / (double)iterations;

    return each < 1e18 ? (uint64_t)llround(each) : LAUKA_MISSING;
}

/* ---- counters --------------------------------------------------------------------------------------- */

static size_t find_counters(struct lauka_sources *sources, const struct lauka_result *result)
{
    (void)result;
    return sources->counters->count;
}

static bool describe_counter(const struct lauka_sources *sources, size_t i,
                             struct lauka_result_metric *metric)
{
    const struct lauka_counters *counters = sources->counters;
    char name[LAUKA_EVENT_NAME_SIZE];

    lauka_counters_name(counters, i, name, sizeof name);
    bool good = describe(metric, name, counters->events[i], sources->options->pretended);
    metric->counted = counters->errors[i] == 0;
    metric->detail = i >= counters->asked;
    metric->decimals = sources->inner ? INNER_DECIMALS : 0;
    return good;
}

static uint64_t read_counter(const struct run *run, size_t i, double *share)
{
    const struct lauka_reading *reading = &run->sample->readings[i];
    uint64_t value;

    if (!lauka_reading_scaled(reading, &value))
        return LAUKA_MISSING;
    *share = lauka_reading_share(reading);
    value = lauka_event_scaled(run->sources->counters->events[i], value);
    return run->sample->iterations > 0 ? of_an_iteration(value, run->sample->iterations) : value;
}

/* ---- ratios of counters ----------------------------------------------------------------------------- */

static size_t find_derived(struct lauka_sources *sources, const struct lauka_result *result)
{
    (void)result;
    return lauka_derived_find(sources->counters, sources->derived);
}

static bool is_of_user_mode(const struct lauka_counters *counters, size_t event)
{
    return counters->user_only || (event < counters->asked && counters->user[event]) ||
           counters->events[event]->modes == LAUKA_MODES_USER;
}

static bool describe_derived(const struct lauka_sources *sources, size_t i,
                             struct lauka_result_metric *metric)
{
    const struct lauka_derived *derived = &sources->derived[i];
    const struct lauka_counters *counters = sources->counters;
    const struct lauka_event event = {
        .unit = derived->unit, .source = "derived", .better = derived->better};
    bool part = derived->core > 0;
    char name[LAUKA_EVENT_NAME_SIZE];

    snprintf(name, sizeof name, "%s%s%s%s", derived->name,
             is_of_user_mode(counters, derived->of) ? ":u" : "", part ? "@" : "",
             part ? counters->topology.types[derived->core - 1].label : "");
    bool good = describe(metric, name, &event, sources->options->pretended);
    metric->detail = part;
    metric->decimals = derived->decimals;
    return good;
}

/* Both counts cover the same time, so the share of one is the ratio's. */
static uint64_t read_derived(const struct run *run, size_t i, double *share)
{
    const struct lauka_derived *derived = &run->sources->derived[i];
    uint64_t value;

    if (!lauka_derived_value(derived, run->sample->readings, &value))
        return LAUKA_MISSING;
    *share = lauka_reading_share(&run->sample->readings[derived->of]);
    return value;
}

/* ---- on which cores --------------------------------------------------------------------------------- */

static size_t find_cores(struct lauka_sources *sources, const struct lauka_result *result)
{
    (void)result;
    return lauka_core_metrics(sources->counters, sources->cores);
}

static bool describe_core(const struct lauka_sources *sources, size_t i,
                          struct lauka_result_metric *metric)
{
    const struct lauka_core_metric *core = &sources->cores[i];
    const struct lauka_event event = {
        .unit = core->unit, .source = "residency", .better = core->better};
    bool good = describe(metric, core->name, &event, sources->options->pretended);

    metric->decimals = core->decimals;
    metric->counted = core->told;
    metric->detail = core->detail;
    return good;
}

static uint64_t read_core(const struct run *run, size_t i, double *share)
{
    (void)share;
    return lauka_core_metric_value(&run->sources->cores[i], &run->sample->residency);
}

/* ---- what a run suffered from others ---------------------------------------------------------------- */

static size_t find_delay(struct lauka_sources *sources, const struct lauka_result *result)
{
    (void)result;
    return !sources->options->pretended && !sources->inner;
}

/* Interference by other processes: always in the JSON, shown only on request. */
static bool describe_delay(const struct lauka_sources *sources, size_t i,
                           struct lauka_result_metric *metric)
{
    const struct lauka_event event = {
        .unit = "ns", .source = "schedstat", .better = LAUKA_BETTER_LOWER};
    bool good = describe(metric, "run_delay", &event, false);

    (void)sources;
    (void)i;
    metric->detail = true;
    return good;
}

static uint64_t read_delay(const struct run *run, size_t i, double *share)
{
    (void)i;
    (void)share;
    return known(run->sample->run_delay_ns);
}

/* ---- the memory of all processes of a run ----------------------------------------------------------- */

static size_t find_tree(struct lauka_sources *sources, const struct lauka_result *result)
{
    (void)result;
    return sources->options->tree_memory && !sources->options->pretended;
}

static bool describe_tree(const struct lauka_sources *sources, size_t i,
                          struct lauka_result_metric *metric)
{
    const struct lauka_event event = {
        .unit = "B", .source = "cgroup", .better = LAUKA_BETTER_LOWER};

    (void)sources;
    (void)i;
    return describe(metric, "tree_memory", &event, false);
}

static uint64_t read_tree(const struct run *run, size_t i, double *share)
{
    (void)i;
    (void)share;
    return known(run->sample->tree_memory);
}

/* ---- a simulated processor -------------------------------------------------------------------------- */

static size_t find_valgrind(struct lauka_sources *sources, const struct lauka_result *result)
{
    (void)result;
    return sources->options->valgrind ? LAUKA_VALGRIND_COUNTS : 0;
}

static bool describe_valgrind(const struct lauka_sources *sources, size_t i,
                              struct lauka_result_metric *metric)
{
    const struct lauka_event *event = &lauka_valgrind_events()[i];

    (void)sources;
    return describe(metric, event->name, event, false);
}

static uint64_t read_valgrind(const struct run *run, size_t i, double *share)
{
    (void)share;
    return lauka_valgrind_runs_value(run->sources->valgrind, run->command, run->round, i);
}

/* ---- what a run got done ---------------------------------------------------------------------------- */

static size_t find_throughput(struct lauka_sources *sources, const struct lauka_result *result)
{
    return lauka_throughput_find(result, result->metric_count, sources->options,
                                 sources->throughput);
}

static bool describe_throughput(const struct lauka_sources *sources, size_t i,
                                struct lauka_result_metric *metric)
{
    const struct lauka_throughput *throughput = &sources->throughput[i];
    const struct lauka_event event = {
        .unit = throughput->unit, .source = "derived", .better = throughput->better};
    bool good = describe(metric, throughput->name, &event, sources->options->pretended);

    metric->decimals = throughput->decimals;
    return good;
}

/* A figure derived from an estimate is an estimate, too. */
static uint64_t read_throughput(const struct run *run, size_t i, double *share)
{
    const struct lauka_throughput *throughput = &run->sources->throughput[i];

    *share = run->metrics[throughput->of].share;
    return lauka_throughput_value(throughput, &run->sources->options->commands[run->command],
                                  run->values);
}

/* ---- what it reports itself ------------------------------------------------------------------------- */

static size_t find_figures(struct lauka_sources *sources, const struct lauka_result *result)
{
    const struct lauka_inner *inner = sources->inner;

    (void)result;
    if (!inner)
        return lauka_figures_find(sources->options->commands, sources->options->command_count,
                                  sources->figures);
    for (size_t i = 0; i < inner->figure_count; i++)
        sources->figures[i] = &inner->figures[i];
    return inner->figure_count;
}

static bool describe_figure(const struct lauka_sources *sources, size_t i,
                            struct lauka_result_metric *metric)
{
    const struct lauka_figure *figure = sources->figures[i];
    const struct lauka_event event = {.unit = figure->unit->unit,
                                      .source = LAUKA_SOURCE_REPORTED,
                                      .better = figure->unit->better};
    bool good = describe(metric, figure->name, &event, false);

    metric->decimals = figure->unit->decimals;
    return good;
}

static uint64_t read_figure(const struct run *run, size_t i, double *share)
{
    (void)share;
    double value = run->sample->figures ? run->sample->figures[i] : NAN;

    return isnan(value) ? LAUKA_MISSING
                        : lauka_decimals_value(value, run->metrics[run->first + i].decimals);
}

/* ---- the table -------------------------------------------------------------------------------------- */

static const struct source {
    /* How many metrics it has in this session; the result has those of the sources before it. */
    size_t (*find)(struct lauka_sources *sources, const struct lauka_result *result);
    bool (*describe)(const struct lauka_sources *sources, size_t i,
                     struct lauka_result_metric *metric);             /* false: without memory */
    uint64_t (*read)(const struct run *run, size_t i, double *share); /* or LAUKA_MISSING */
} table[LAUKA_SOURCES] = {
    {find_usage, describe_usage, read_usage},
    {find_counters, describe_counter, read_counter},
    {find_derived, describe_derived, read_derived},
    {find_cores, describe_core, read_core},
    {find_delay, describe_delay, read_delay},
    {find_tree, describe_tree, read_tree},
    {find_valgrind, describe_valgrind, read_valgrind},
    {find_throughput, describe_throughput, read_throughput},
    {find_figures, describe_figure, read_figure},
};

static bool add_metrics(struct lauka_sources *sources, size_t s, struct lauka_result *result)
{
    size_t count = table[s].find(sources, result);
    size_t size = (result->metric_count + count + 1) * sizeof *result->metrics;
    struct lauka_result_metric *grown = realloc(result->metrics, size);
    bool good = grown != NULL;

    if (!grown)
        return false;
    result->metrics = grown;
    sources->counts[s] = count;
    for (size_t i = 0; i < count; i++)
        good = table[s].describe(sources, i, &grown[result->metric_count++]) && good;
    return good;
}

bool lauka_sources_describe(struct lauka_sources *sources, struct lauka_result *result)
{
    for (size_t s = 0; s < LAUKA_SOURCES; s++)
        if (!add_metrics(sources, s, result))
            return false;
    return true;
}

void lauka_sources_read(const struct lauka_sources *sources, struct lauka_result *result,
                        size_t command, const struct lauka_sample *sample, uint64_t *values)
{
    struct run run = {sources, sample, command, result->run.rounds, values, result->metrics, 0};
    size_t m = 0;

    for (size_t s = 0; s < LAUKA_SOURCES; s++) {
        run.first = m;
        for (size_t i = 0; i < sources->counts[s]; i++, m++) {
            double share = 1;
            values[m] = table[s].read(&run, i, &share);
            if (share < result->metrics[m].share)
                result->metrics[m].share = share;
        }
    }
}
