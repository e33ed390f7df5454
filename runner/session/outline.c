/* The result before anything is measured: its metrics and commands, with empty series. */
#include "runner/session/session.h"
#include "report/result/record.h"
#include "report/result/result.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/gate/gate.h"
#include "runner/metrics/metrics.h"
#include "runner/options.h"
#include "runner/options/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
        if (options->commands[i].side && !(to->side = strdup(options->commands[i].side)))
            return false;
        if (!copy_parameters(&options->commands[i], to))
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
    result->run.seed = options->seed;
    result->run.warmup = options->warmup;
    result->run.noise = options->verb == LAUKA_VERB_NOISE;
    result->run.samples_plain = options->samples == LAUKA_SAMPLES_PLAIN;
    result->run.precision = options->until > 0 ? options->until : LAUKA_PRECISION_DEFAULT;
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
        lauka_result_drop_commands(result);
        return ENOMEM;
    }
    describe_run(result, options);
    result->benchmark.units.kind = begun->benchmark.units.kind;
    failure = itself ? 0 : lauka_record_copy(&lauka_host_record, &begun->host, &result->host);
    return failure || options->gate.rule_count == 0 || result->gate.rule_count > 0
               ? failure
               : lauka_gate_copy(&options->gate, &result->gate);
}

bool lauka_outline_make(struct lauka_result *result, struct lauka_sources *sources,
                        struct lauka_error *error)
{
    const struct lauka_options *options = sources->options;

    if (!lauka_sources_describe(sources, result))
        return lauka_fail_memory(error);
    if (!describe_commands(result, options) || lauka_settings_describe(result, options) != 0) {
        lauka_result_drop_commands(result); /* nobody finds one without a label */
        return lauka_fail_memory(error);
    }
    for (size_t m = 0; options->per_core_type && m < result->metric_count; m++)
        result->metrics[m].detail = false;
    describe_run(result, options);
    return check_twins(result, error) && lauka_outline_choose(result, options->primary, error) &&
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
