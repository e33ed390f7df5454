/* Where the metrics of a session come from: a table of sources, each of which lists its metrics and reads
 * them from a run. The result has metrics in the table's order. */
#include "runner/session/session.h"
#include "runner/session/loop.h"
#include "pmu/counters/counters.h"
#include "pmu/events/events.h"
#include "pmu/valgrind/valgrind.h"
#include "report/result/record.h"
#include "report/result/result.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/gate/gate.h"
#include "runner/launch/launch.h"
#include "runner/metrics/metrics.h"
#include "runner/options.h"
#include "runner/options/options.h"
#include "stats/stats.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- --items and --bytes: what a run achieved in its time, and what each item cost ------------- */

enum { DECIMALS = 3 }; /* also of what is told of an iteration */

/* Rates: how many a second, in units of `scale`; costs: the metric `of`, divided. */
static const struct quotient {
    const char *name, *unit;
    enum lauka_better better;
    bool bytes;     /* otherwise items */
    const char *of; /* of a cost; NULL: a rate */
    double scale;
} quotients[] = {
    {"items_per_second", "1/s", LAUKA_BETTER_HIGHER, false, NULL, 1},
    {"wall_time_per_item", "ns", LAUKA_BETTER_LOWER, false, "wall_time", 1},
    {"cpu_time_per_item", "ns", LAUKA_BETTER_LOWER, false, "cpu_time", 1},
    {"cycles_per_item", "1", LAUKA_BETTER_LOWER, false, "cycles", 1},
    {"instructions_per_item", "1", LAUKA_BETTER_LOWER, false, "instructions", 1},
    {"megabytes_per_second", "MB/s", LAUKA_BETTER_HIGHER, true, NULL, 1e6},
    {"cpu_time_per_byte", "ns", LAUKA_BETTER_LOWER, true, "cpu_time", 1},
};

static bool is_wanted(const struct quotient *quotient, const struct lauka_options *options)
{
    for (size_t c = 0; c < options->run.command_count; c++)
        if ((quotient->bytes ? options->run.commands[c].bytes : options->run.commands[c].items) > 0)
            return true;
    return false;
}

/* The mark of user mode does not matter. */
static size_t find_metric(const struct lauka_result *result, size_t count, const char *name)
{
    size_t length = strlen(name);

    for (size_t m = 0; m < count; m++)
        if (result->metrics[m].counted && strncmp(result->metrics[m].name, name, length) == 0 &&
            (result->metrics[m].name[length] == '\0' || result->metrics[m].name[length] == ':'))
            return m;
    return SIZE_MAX;
}

/* The metrics that follow from the commands' items and bytes and the first `count` metrics. Returns how
 * many. */
static size_t throughput_find(const struct lauka_result *result, size_t count,
                              const struct lauka_options *options,
                              struct lauka_throughput found[LAUKA_THROUGHPUT_MAX])
{
    size_t used = 0;

    for (size_t i = 0; i < sizeof quotients / sizeof *quotients; i++) {
        const struct quotient *quotient = &quotients[i];
        size_t of = find_metric(result, count, quotient->of ? quotient->of : "wall_time");
        if (is_wanted(quotient, options) && of != SIZE_MAX)
            found[used++] = (struct lauka_throughput){.kind = i, .of = of};
    }
    return used;
}

/* In units of 10^-decimals; values: of the run, by metric. */
static uint64_t throughput_value(const struct lauka_throughput *throughput,
                                 const struct lauka_command *command, const uint64_t *values)
{
    const struct quotient *quotient = &quotients[throughput->kind];
    uint64_t parts = quotient->bytes ? command->bytes : command->items;
    uint64_t cost = values[throughput->of];
    double value;

    if (parts == 0 || cost == LAUKA_MISSING || (!quotient->of && cost == 0))
        return LAUKA_MISSING;
    if (quotient->of)
        value = (double)cost / (double)parts;
    else
        value = (double)parts / quotient->scale / ((double)cost / 1e9);
    value = value * 1000 + 0.5; /* DECIMALS */
    return value < 1e18 ? (uint64_t)value : LAUKA_MISSING;
}

/* ---- sources ----------------------------------------------------------------------------------- */

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
    metric->detail = i != LAUKA_WALL_TIME && !cpu && (split || !sources->options->write.full);
    metric->decimals = i == LAUKA_WALL_TIME || cpu ? DECIMALS : 0;
}

/* What a living process has used; of a service under load only the load's own duration is left. */
static void describe_until_ready(bool is_loaded, size_t i, struct lauka_result_metric *metric)
{
    const bool split =
        i == LAUKA_USER_TIME || i == LAUKA_SYSTEM_TIME || i == LAUKA_CONTEXT_SWITCHES;

    metric->counted = is_loaded ? i == LAUKA_WALL_TIME : !split;
    metric->detail = is_loaded || split;
}

static bool describe_usage(const struct lauka_sources *sources, size_t i,
                           struct lauka_result_metric *metric)
{
    const struct lauka_service_options *service = &sources->options->service;
    const struct lauka_event *event = &lauka_usage_events()[i];
    const bool until_ready = i == LAUKA_WALL_TIME && service->ready.way != LAUKA_READY_NOT_ASKED &&
                             service->services.count == 0;
    bool good = describe(metric, until_ready ? LAUKA_TIME_TO_READY : event->name, event,
                         sources->options->measure.pretended);

    if (sources->inner)
        describe_inner(sources, i, metric);
    if (service->ready.way != LAUKA_READY_NOT_ASKED)
        describe_until_ready(service->services.count > 0, i, metric);
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
    bool good = describe(metric, name, counters->events[i], sources->options->measure.pretended);
    metric->counted = counters->errors[i] == 0;
    metric->detail = i >= counters->asked;
    metric->decimals = sources->inner ? DECIMALS : counters->events[i]->decimals;
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
    bool good = describe(metric, name, &event, sources->options->measure.pretended);
    metric->detail = part && derived->whole[0].factor == 0;
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
    bool good = describe(metric, core->name, &event, sources->options->measure.pretended);

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
    return !sources->options->measure.pretended && !sources->inner &&
           sources->options->service.ready.way == LAUKA_READY_NOT_ASKED;
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
    return sources->options->measure.tree_memory && !sources->options->measure.pretended;
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
    return sources->options->measure.valgrind
               ? lauka_valgrind_counts(!sources->options->measure.without_caches,
                                       sources->options->measure.allocations)
               : 0;
}

static bool describe_valgrind(const struct lauka_sources *sources, size_t i,
                              struct lauka_result_metric *metric)
{
    const struct lauka_event *event = &lauka_valgrind_events()[lauka_valgrind_count_at(
        !sources->options->measure.without_caches, i)];

    return describe(metric, event->name, event, false);
}

static uint64_t read_valgrind(const struct run *run, size_t i, double *share)
{
    (void)share;
    return lauka_valgrind_runs_value(
        run->sources->valgrind, run->command, run->round,
        lauka_valgrind_count_at(!run->sources->options->measure.without_caches, i));
}

/* ---- what a run got done ---------------------------------------------------------------------------- */

static size_t find_throughput(struct lauka_sources *sources, const struct lauka_result *result)
{
    return throughput_find(result, result->metric_count, sources->options, sources->throughput);
}

static bool describe_throughput(const struct lauka_sources *sources, size_t i,
                                struct lauka_result_metric *metric)
{
    const struct quotient *quotient = &quotients[sources->throughput[i].kind];
    const struct lauka_event event = {
        .unit = quotient->unit, .source = "derived", .better = quotient->better};
    bool good = describe(metric, quotient->name, &event, sources->options->measure.pretended);

    metric->decimals = DECIMALS;
    return good;
}

/* A figure derived from an estimate is an estimate, too. */
static uint64_t read_throughput(const struct run *run, size_t i, double *share)
{
    const struct lauka_throughput *throughput = &run->sources->throughput[i];

    *share = run->metrics[throughput->of].share;
    return throughput_value(throughput, &run->sources->options->run.commands[run->command],
                            run->values);
}

/* ---- what it reports itself ------------------------------------------------------------------------- */

static size_t find_figures(struct lauka_sources *sources, const struct lauka_result *result)
{
    const struct lauka_inner *inner = sources->inner;

    (void)result;
    if (!inner)
        return lauka_figures_find(sources->options->run.commands,
                                  sources->options->run.command_count, sources->figures);
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
    metric->detail = figure->is_detail && !sources->options->write.full;
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

/* Appends the metrics of all sources to the result; options and counters are set. False if there is no
 * memory. */
static bool sources_describe(struct lauka_sources *sources, struct lauka_result *result)
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

/* ---- the result before anything is measured: its metrics and commands, with empty series ------- */

static bool describe_commands(struct lauka_result *result, const struct lauka_options *options)
{
    size_t count = options->run.command_count;

    result->commands = calloc(count, sizeof *result->commands);
    if (!result->commands)
        return false;
    result->command_count = count;
    for (size_t i = 0; i < count; i++) {
        struct lauka_result_command *to = &result->commands[i];
        to->label = strdup(options->run.commands[i].label);
        to->series = calloc(result->metric_count, sizeof *to->series);
        to->summaries = calloc(result->metric_count, sizeof *to->summaries);
        to->argv = lauka_strings_copy(options->run.commands[i].argv);
        if (options->run.commands[i].side && !(to->side = strdup(options->run.commands[i].side)))
            return false;
        if (lauka_parameters_copy(options->run.commands[i].parameters,
                                  options->run.commands[i].parameter_count, &to->parameters,
                                  &to->parameter_count) != 0)
            return false;
        if (!to->label || !to->series || !to->summaries || !to->argv)
            return false;
    }
    return lauka_result_tell_apart(result) == 0;
}

bool lauka_outline_choose(struct lauka_result *result, const char *primary,
                          struct lauka_error *error)
{
    for (const char *from = primary; *from; from += *from == ',') {
        size_t length = strcspn(from, ","), m = lauka_result_find_metric(result, from, length);
        if (m == result->metric_count)
            return lauka_outline_refuse(result, "primary", from, length, "", error);
        result->metrics[m].primary = true;
        from += length;
    }
    return true;
}

/* What is called alike could not be asked for. The sources' metrics come before what is reported. */
static bool check_twins(const struct lauka_result *result, struct lauka_error *error)
{
    for (size_t m = 0; m < result->metric_count; m++)
        for (size_t other = 0; other < m; other++)
            if (strcmp(result->metrics[m].name, result->metrics[other].name) == 0)
                return lauka_fail(error, LAUKA_EXIT_USAGE,
                                  "--read %.100s: %.100s is a metric of lauka's own; choose "
                                  "another name",
                                  result->metrics[m].name, result->metrics[m].name);
    return true;
}

static void describe_run(struct lauka_result *result, const struct lauka_options *options)
{
    result->run.seed = options->measure.seed;
    result->run.warmup = options->measure.warmup;
    result->run.noise = options->verb == LAUKA_VERB_NOISE;
    result->run.samples_plain = options->write.samples == LAUKA_SAMPLES_PLAIN;
    result->run.precision =
        options->measure.until > 0 ? options->measure.until : LAUKA_PRECISION_DEFAULT;
}

static int copy_metrics(const struct lauka_result *from, struct lauka_result *to)
{
    int failure = lauka_result_copy_metrics(from, to);

    for (size_t m = 0; m < to->metric_count; m++)
        to->metrics[m].counted = false;
    return failure;
}

int lauka_outline_make_like(const struct lauka_result *begun, const struct lauka_options *options,
                            struct lauka_result *result)
{
    const bool itself = begun == result; /* it did not come far either */
    int failure = itself ? 0 : copy_metrics(begun, result);

    if (failure || !describe_commands(result, options) ||
        lauka_settings_describe(result, options) != 0) {
        lauka_result_drop_commands(result, 0);
        return ENOMEM;
    }
    describe_run(result, options);
    result->benchmark.units.kind = begun->benchmark.units.kind;
    failure = itself ? 0 : lauka_record_copy(&lauka_host_record, &begun->host, &result->host);
    return failure || options->judge.gate.rule_count == 0 || result->gate.rule_count > 0
               ? failure
               : lauka_gate_copy(&options->judge.gate, &result->gate);
}

bool lauka_outline_make(struct lauka_result *result, struct lauka_sources *sources,
                        struct lauka_error *error)
{
    const struct lauka_options *options = sources->options;

    if (!sources_describe(sources, result))
        return lauka_fail_memory(error);
    if (!describe_commands(result, options) || lauka_settings_describe(result, options) != 0) {
        lauka_result_drop_commands(result, 0); /* nobody finds one without a label */
        return lauka_fail_memory(error);
    }
    for (size_t m = 0; options->write.per_core_type && m < result->metric_count; m++)
        result->metrics[m].detail = false;
    describe_run(result, options);
    return check_twins(result, error) &&
           lauka_outline_choose(result, options->judge.primary, error) &&
           lauka_shown_choose(result, options, error) && lauka_gate_bind(result, options, error);
}

int lauka_outline_locate(struct lauka_result *result, const struct lauka_options *options,
                         size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        const char *path = options->run.commands[i].path; /* NULL where nothing is run */
        if (path && !(result->commands[i].path = strdup(path)))
            return ENOMEM;
    }
    return 0;
}
