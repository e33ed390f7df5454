/* What a gate must know about stored results: whether they come from one host, and which commands belong
 * together. */
#include "runner/gate/gate.h"
#include "report/load/load.h"
#include "report/result/result.h"
#include "runner/base/base.h"
#include "runner/options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- hosts --------------------------------------------------------------------------------------- */

/* A text that grows. */
struct list {
    char *text; /* owned */
    bool failed;
};

static void add_difference(struct list *list, const char *what, const char *here, const char *there)
{
    const char *unknown = "not known";
    size_t used = list->text ? strlen(list->text) : 0;
    here = here ? here : unknown;
    there = there ? there : unknown;
    if (strcmp(here, there) == 0)
        return;
    size_t size = used + strlen(what) + strlen(here) + strlen(there) + sizeof ",  (; )";
    char *grown = realloc(list->text, size);

    list->failed |= !grown;
    if (!grown)
        return;
    list->text = grown;
    snprintf(grown + used, size - used, "%s%s (%s; %s)", used > 0 ? ", " : "", what, here, there);
}

/* Which events were counted: kernels and virtual machines differ in what they show. */
static const char *counter_mode(const struct lauka_result *result)
{
    const char *mode = "no counters";

    for (size_t m = 0; m < result->metric_count; m++) {
        const struct lauka_result_metric *metric = &result->metrics[m];
        size_t length = strlen(metric->name);
        if (!metric->counted || strncmp(metric->source, "perf_event", 10) != 0)
            continue;
        bool user = length > 2 && strcmp(metric->name + length - 2, ":u") == 0;
        mode = user ? "counters of user mode" : "counters of all modes";
    }
    return mode;
}

static void compare_hosts(struct list *list, const struct lauka_result *here,
                          const struct lauka_result *there)
{
    const struct lauka_result_host *a = &here->host, *b = &there->host;
    char cpus[2][32];

    snprintf(cpus[0], sizeof cpus[0], "%" PRIu64, a->cpu_count);
    snprintf(cpus[1], sizeof cpus[1], "%" PRIu64, b->cpu_count);
    add_difference(list, "system", a->os, b->os);
    add_difference(list, "architecture", a->arch, b->arch);
    add_difference(list, "CPU model", a->cpu_model, b->cpu_model);
    add_difference(list, "CPUs", cpus[0], cpus[1]);
    add_difference(list, "kernel", a->kernel, b->kernel);
    add_difference(list, "governor", a->governor, b->governor);
    add_difference(list, "counting", counter_mode(here), counter_mode(there));
}

/* A result that does not say where it was measured is trusted. */
static int find_hosts(const struct lauka_part *parts, size_t count, char **hosts)
{
    struct list list = {0};

    for (size_t p = 1; p < count && !list.text; p++)
        if (parts[0].result.host.os && parts[p].result.host.os)
            compare_hosts(&list, &parts[0].result, &parts[p].result);
    *hosts = list.text;
    return list.failed ? ENOMEM : 0;
}

/* ---- commands ------------------------------------------------------------------------------------ */

/* Files with several commands were split before. */
static bool check_commands(const struct lauka_part *parts, size_t count, struct lauka_error *error)
{
    if (count == 1 ||
        (count == 2 && parts[0].result.command_count == 1 && parts[1].result.command_count == 1))
        return true;
    return lauka_fail(error, LAUKA_EXIT_USAGE,
                      "a gate takes one result, or two with the same commands: the base, then the "
                      "head");
}

/* Numbers without a known session are named after their file. */
static bool is_plain(const struct lauka_part *part)
{
    const struct lauka_result *result = &part->result;

    return !result->host.os && result->command_count == 1 && result->metric_count == 1 &&
           strcmp(result->metrics[0].source, LAUKA_SOURCE_FILE) == 0 &&
           strcmp(result->commands[0].label, part->name) == 0;
}

/* Whether nothing is known of them but the numbers. */
static bool is_numbers(const struct lauka_result *result)
{
    bool numbers = !result->host.os;

    for (size_t m = 0; m < result->metric_count && numbers; m++)
        numbers = strcmp(result->metrics[m].source, LAUKA_SOURCE_FILE) == 0 ||
                  strcmp(result->metrics[m].source, LAUKA_SOURCE_HLOG) == 0;
    return numbers;
}

/* The program may have been renamed, or the wrong file given. */
static void compare_names(const struct lauka_part *parts, size_t count, struct lauka_survey *survey)
{
    if (count != 2 || survey->plain)
        return;
    const char *base = parts[0].result.commands[0].label, *head = parts[1].result.commands[0].label;
    if (strcmp(base, head) != 0)
        snprintf(survey->names, sizeof survey->names,
                 "the names differ: the gate holds `%.150s` of %.150s against `%.150s` of %.150s",
                 head, parts[1].name, base, parts[0].name);
}

/* ---- both ---------------------------------------------------------------------------------------- */

bool lauka_gate_survey(const struct lauka_part *parts, size_t count, struct lauka_survey *survey,
                       struct lauka_error *error)
{
    *survey = (struct lauka_survey){.files = count, .plain = true, .numbers = true};
    if (!check_commands(parts, count, error))
        return false;
    for (size_t p = 0; p < count; p++) {
        survey->nameless |= !parts[p].result.host.os;
        survey->plain &= is_plain(&parts[p]);
        survey->numbers &= is_numbers(&parts[p].result);
    }
    compare_names(parts, count, survey);
    return find_hosts(parts, count, &survey->hosts) == 0 || lauka_fail_memory(error);
}

/* Of numbers from files nobody knows whether a host has to do with them. */
static int warn_about_hosts(struct lauka_result *result, const struct lauka_survey *survey)
{
    if (survey->numbers)
        return lauka_result_warn(result, "the files do not say where and when these numbers were "
                                         "measured: the gate compares them as they are");
    int failure = lauka_result_warn(
        result, "the results were measured one after the other, so the difference contains what "
                "changed on the host in between; run both in one session to avoid that");
    if (!failure && survey->nameless)
        failure = lauka_result_warn(
            result, "not every result names its host: the gate assumes that it is the same");
    return failure;
}

static int warn(struct lauka_result *result, const struct lauka_survey *survey)
{
    int failure = warn_about_hosts(result, survey);

    if (!failure && *survey->names)
        failure = lauka_result_warn(result, survey->names);
    return failure;
}

/* The result's own gate, with what is excused today. Returns 0 or ENOMEM. */
static int excuse(struct lauka_result *result, const struct lauka_options *options)
{
    struct lauka_result_gate old = result->gate, wanted = old;

    wanted.allowances = options->gate.allowances;
    wanted.allowance_count = options->gate.allowance_count;
    int failure = lauka_gate_copy(&wanted, &result->gate);
    lauka_gate_done(&old);
    return failure;
}

/* Settings on the command line override those of the stored gate. */
static bool bind_stored(struct lauka_result *result, const struct lauka_options *options,
                        struct lauka_error *error)
{
    result->gate.cross_host |= options->gate.cross_host;
    if (options->gate.allowance_count == 0)
        return true;
    lauka_gate_check_allowances(result, options);
    return excuse(result, options) == 0 || lauka_fail_memory(error);
}

bool lauka_gate_bind_files(struct lauka_result *result, const struct lauka_options *options,
                           struct lauka_survey *survey, struct lauka_error *error)
{
    struct lauka_result_gate *gate = &result->gate;
    bool several = survey->files > 1;

    if (several) {
        gate->halves = survey->halves; /* names in rules may be without the file's */
    } else { /* of several files, it may be: new limits change nothing about that */
        survey->halves = gate->halves;
        survey->hosts = gate->hosts;
        gate->hosts = NULL;
    }
    if (options->gate.rule_count == 0 && !lauka_result_has_gate(result))
        return lauka_fail(error, LAUKA_EXIT_USAGE,
                          "no limit was given: use --gate wall_time=2%% or --gate-file");
    if (options->gate.rule_count == 0 ? !bind_stored(result, options, error)
                                      : !lauka_gate_bind(result, options, error))
        return false;
    gate->halves = survey->halves;
    gate->hosts = survey->hosts;
    survey->hosts = NULL;
    if (several && result->run.unpaired && warn(result, survey) != 0)
        return lauka_fail_memory(error);
    if (options->policy_given || options->bisect)
        gate->policy = options->gate.policy;
    return true;
}
