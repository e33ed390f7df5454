/* The result before anything is measured: its metrics and commands, with empty series. */
#include "runner/session/session.h"
#include "pmu/counters/counters.h"
#include "pmu/events/events.h"
#include "pmu/valgrind/valgrind.h"
#include "report/result/result.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/gate/gate.h"
#include "runner/metrics/metrics.h"
#include "runner/options.h"
#include "runner/options/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool describe_metric(struct lauka_result_metric *metric, const char *name,
                            const struct lauka_event *event, bool simulated)
{
    static const char *const better[] = {"lower", "higher", "neither"};

    metric->name = strdup(name);
    metric->unit = strdup(event->unit);
    metric->source = strdup(simulated ? "simulated" : event->source);
    metric->better = better[event->better];
    metric->counted = true;
    metric->share = 1;
    return metric->name && metric->unit && metric->source;
}

static bool describe_counters(struct lauka_result_metric *metrics,
                              const struct lauka_counters *counters, bool simulated)
{
    bool good = true;

    for (size_t i = 0; i < counters->count; i++) {
        char name[LAUKA_EVENT_NAME_SIZE];
        lauka_counters_name(counters, i, name, sizeof name);
        good = describe_metric(&metrics[i], name, counters->events[i], simulated) && good;
        metrics[i].counted = counters->errors[i] == 0;
        metrics[i].detail = i >= counters->asked;
    }
    return good;
}

static bool describe_derived(struct lauka_result_metric *metrics,
                             const struct lauka_derived *derived, size_t count,
                             const struct lauka_counters *counters, bool simulated)
{
    bool good = true;

    for (size_t i = 0; i < count; i++) {
        const struct lauka_event event = {
            .unit = derived[i].unit, .source = "derived", .better = derived[i].better};
        bool user = counters->user_only ||
                    (derived[i].of < counters->asked && counters->user[derived[i].of]) ||
                    counters->events[derived[i].of]->modes == LAUKA_MODES_USER;
        bool part = derived[i].core > 0;
        char name[LAUKA_EVENT_NAME_SIZE];
        snprintf(name, sizeof name, "%s%s%s%s", derived[i].name, user ? ":u" : "", part ? "@" : "",
                 part ? counters->topology.types[derived[i].core - 1].label : "");
        metrics[i].detail = part;
        good = describe_metric(&metrics[i], name, &event, simulated) && good;
        metrics[i].decimals = derived[i].decimals;
    }
    return good;
}

static bool describe_cores(struct lauka_result_metric *metrics,
                           const struct lauka_core_metric *cores, size_t count, bool simulated)
{
    bool good = true;

    for (size_t i = 0; i < count; i++) {
        const struct lauka_event event = {
            .unit = cores[i].unit, .source = "residency", .better = cores[i].better};
        good = describe_metric(&metrics[i], cores[i].name, &event, simulated) && good;
        metrics[i].decimals = cores[i].decimals;
        metrics[i].counted = cores[i].told;
        metrics[i].detail = cores[i].detail;
    }
    return good;
}

/* What a run suffered from others. Told to machines; people see it who ask for it. */
static bool describe_disturbance(struct lauka_result_metric *metric)
{
    const struct lauka_event event = {
        .unit = "ns", .source = "schedstat", .better = LAUKA_BETTER_LOWER};

    metric->detail = true;
    return describe_metric(metric, "run_delay", &event, false);
}

static bool describe_tree(struct lauka_result_metric *metric)
{
    const struct lauka_event event = {
        .unit = "B", .source = "cgroup", .better = LAUKA_BETTER_LOWER};

    return describe_metric(metric, "tree_memory", &event, false);
}

static bool describe_valgrind(struct lauka_result_metric *metrics)
{
    bool good = true;

    for (size_t i = 0; i < LAUKA_VALGRIND_COUNTS; i++) {
        const struct lauka_event *event = &lauka_valgrind_events()[i];
        good = describe_metric(&metrics[i], event->name, event, false) && good;
    }
    return good;
}

static bool describe_metrics(struct lauka_result *result, const struct lauka_counters *counters,
                             const struct lauka_options *options)
{
    bool simulated = options->simulated;
    struct lauka_derived derived[LAUKA_DERIVED_MAX];
    size_t derived_count = lauka_derived_find(counters, derived);
    struct lauka_core_metric cores[LAUKA_CORE_METRICS_MAX];
    size_t core_count = lauka_core_metrics(counters, cores);
    size_t count = LAUKA_USAGE_METRICS + counters->count + derived_count + core_count +
                   (options->valgrind ? LAUKA_VALGRIND_COUNTS : 0) + (simulated ? 0 : 1 + options->tree_memory);
    bool good = true;

    result->metrics = calloc(count, sizeof *result->metrics);
    if (!result->metrics)
        return false;
    result->metric_count = count;
    for (size_t i = 0; i < LAUKA_USAGE_METRICS; i++) {
        const struct lauka_event *event = &lauka_usage_events()[i];
        good = describe_metric(&result->metrics[i], event->name, event, simulated) && good;
    }
    struct lauka_result_metric *counted = result->metrics + LAUKA_USAGE_METRICS;
    good = describe_counters(counted, counters, simulated) && good;
    struct lauka_result_metric *ratios = counted + counters->count;
    good = describe_derived(ratios, derived, derived_count, counters, simulated) && good;
    struct lauka_result_metric *places = ratios + derived_count;
    good = describe_cores(places, cores, core_count, simulated) && good;
    struct lauka_result_metric *own = places + core_count;
    if (!simulated)
        good = describe_disturbance(own++) && good;
    if (!simulated && options->tree_memory)
        good = describe_tree(own++) && good;
    return (!options->valgrind || describe_valgrind(own)) && good;
}

static bool copy_parameters(const struct lauka_command *from, struct lauka_result_command *to)
{
    for (size_t i = 0; i < from->parameter_count; i++)
        if (lauka_parameters_add(&to->parameters, &to->parameter_count, from->parameters[i].name,
                                 from->parameters[i].value) != 0)
            return false;
    return true;
}

static bool describe_commands(struct lauka_result *result, const struct lauka_options *options)
{
    size_t count = options->command_count;

    result->commands = calloc(count, sizeof *result->commands);
    if (!result->commands)
        return false;
    result->command_count = count;
    for (size_t i = 0; i < count; i++) {
        struct lauka_result_command *to = &result->commands[i];
        to->label = strdup(options->commands[i].label);
        to->series = calloc(result->metric_count, sizeof *to->series);
        to->summaries = calloc(result->metric_count, sizeof *to->summaries);
        to->argv = lauka_strings_copy(options->commands[i].argv);
        if (!copy_parameters(&options->commands[i], to))
            return false;
        if (!to->label || !to->series || !to->summaries || !to->argv)
            return false;
    }
    return true;
}

bool lauka_outline_choose(struct lauka_result *result, const char *primary,
                          struct lauka_error *error)
{
    for (const char *from = primary; *from; from += *from == ',') {
        size_t length = strcspn(from, ","), m = 0;
        while (m < result->metric_count &&
               !lauka_outline_same_name(result->metrics[m].name, from, length))
            m++;
        if (m == result->metric_count)
            return lauka_outline_refuse(result, "primary", from, length, "", error);
        result->metrics[m].primary = true;
        from += length;
    }
    return true;
}

/* Behind all others. */
static bool describe_throughput(struct lauka_result *result, const struct lauka_options *options)
{
    struct lauka_throughput found[LAUKA_THROUGHPUT_MAX];
    size_t count = lauka_throughput_find(result, result->metric_count, options, found);
    size_t size = (result->metric_count + count + 1) * sizeof *result->metrics;
    struct lauka_result_metric *grown = realloc(result->metrics, size);
    bool good = grown != NULL;

    if (grown)
        result->metrics = grown;
    for (size_t i = 0; good && i < count; i++) {
        const struct lauka_event event = {
            .unit = found[i].unit, .source = "derived", .better = found[i].better};
        struct lauka_result_metric *metric = &result->metrics[result->metric_count];
        *metric = (struct lauka_result_metric){0};
        good = describe_metric(metric, found[i].name, &event, options->simulated);
        metric->decimals = found[i].decimals;
        result->metric_count++;
    }
    return good;
}

bool lauka_outline_make(struct lauka_result *result, const struct lauka_options *options,
                        const struct lauka_counters *counters, struct lauka_error *error)
{
    if (!describe_metrics(result, counters, options) || !describe_throughput(result, options) ||
        !describe_commands(result, options) || lauka_settings_describe(result, options) != 0)
        return lauka_fail(error, LAUKA_EXIT_INTERNAL, "out of memory");
    for (size_t m = 0; options->per_core_type && m < result->metric_count; m++)
        result->metrics[m].detail = false;
    result->run.seed = options->seed;
    result->run.warmup = options->warmup;
    result->run.noise = options->verb == LAUKA_VERB_NOISE;
    result->run.precision = options->until > 0 ? options->until : LAUKA_PRECISION_DEFAULT;
    return lauka_outline_choose(result, options->primary, error) &&
           lauka_shown_choose(result, options, error) && lauka_gate_bind(result, options, error);
}

int lauka_outline_locate(struct lauka_result *result, const struct lauka_options *options)
{
    for (size_t i = 0; i < options->command_count; i++) {
        const char *path = options->commands[i].path; /* NULL where nothing is run */
        if (path && !(result->commands[i].path = strdup(path)))
            return ENOMEM;
    }
    return 0;
}
