/* All that was measured, as one plain value, and what there is to say about it. What is known and
 * what is not is decided here, once, so that a dash in the table is a null in the JSON. */
#include "report/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int summarize_command(struct lauka_result_command *command, size_t metric_count)
{
    if (!command->summaries) {
        command->summaries = calloc(metric_count, sizeof *command->summaries);
        if (!command->summaries && metric_count > 0)
            return ENOMEM;
    }
    for (size_t m = 0; m < metric_count; m++) {
        int error = lauka_summarize(&command->series[m], &command->summaries[m]);
        if (error)
            return error;
    }
    return 0;
}

static int compare_command(struct lauka_result *result, size_t command)
{
    const struct lauka_comparison_options options = {
        .alpha = LAUKA_ALPHA_FIXED,
        .precision = 0.01,
        .unpaired = result->run.unpaired,
    };
    for (size_t m = 0; m < result->metric_count; m++) {
        struct lauka_result_comparison *comparison =
            &result->comparisons[(command - 1) * result->metric_count + m];
        comparison->reference = 0;
        comparison->command = command;
        comparison->metric = m;
        int error =
            lauka_compare(&result->commands[0].series[m], &result->commands[command].series[m],
                          &options, &comparison->values);
        if (error)
            return error;
    }
    return 0;
}

int lauka_result_analyse(struct lauka_result *result)
{
    for (size_t c = 0; c < result->command_count; c++) {
        int error = summarize_command(&result->commands[c], result->metric_count);
        if (error)
            return error;
    }
    if (result->command_count < 2)
        return 0;
    if (!result->comparisons) {
        size_t count = (result->command_count - 1) * result->metric_count;
        result->comparisons = calloc(count, sizeof *result->comparisons);
        if (!result->comparisons && count > 0)
            return ENOMEM;
        result->comparison_count = count;
    }
    for (size_t c = 1; c < result->command_count; c++) {
        int error = compare_command(result, c);
        if (error)
            return error;
    }
    return 0;
}

int lauka_result_warn(struct lauka_result *result, const char *text)
{
    char **warnings =
        realloc(result->warnings, (result->warning_count + 1) * sizeof *result->warnings);
    if (!warnings)
        return ENOMEM;
    result->warnings = warnings;
    warnings[result->warning_count] = strdup(text);
    if (!warnings[result->warning_count])
        return ENOMEM;
    result->warning_count++;
    return 0;
}

static void command_done(struct lauka_result_command *command, size_t metric_count)
{
    free(command->label);
    for (char **argument = command->argv; argument && *argument; argument++)
        free(*argument);
    free(command->argv);
    for (size_t m = 0; command->series && m < metric_count; m++)
        lauka_series_done(&command->series[m]);
    free(command->series);
    free(command->summaries);
    free(command->exit_codes);
}

static void host_done(struct lauka_result_host *host)
{
    free(host->os);
    free(host->kernel);
    free(host->arch);
    free(host->cpu_model);
}

void lauka_result_done(struct lauka_result *result)
{
    for (size_t m = 0; result->metrics && m < result->metric_count; m++) {
        free(result->metrics[m].name);
        free(result->metrics[m].unit);
        free(result->metrics[m].source);
    }
    free(result->metrics);
    for (size_t c = 0; result->commands && c < result->command_count; c++)
        command_done(&result->commands[c], result->metric_count);
    free(result->commands);
    free(result->comparisons);
    free(result->run.order);
    host_done(&result->host);
    for (size_t w = 0; w < result->warning_count; w++)
        free(result->warnings[w]);
    free(result->warnings);
    *result = (struct lauka_result){0};
}

const struct lauka_comparison *lauka_result_comparison(const struct lauka_result *result,
                                                       size_t command, size_t metric)
{
    if (command == 0 || metric >= result->metric_count)
        return NULL;
    size_t index = (command - 1) * result->metric_count + metric;
    return index < result->comparison_count ? &result->comparisons[index].values : NULL;
}

size_t lauka_result_metric_index(const struct lauka_result *result, const char *name)
{
    size_t m = 0;
    while (m < result->metric_count && strcmp(result->metrics[m].name, name) != 0)
        m++;
    return m;
}

/* Below the launcher's own peak nothing can be told about a child's. */
static uint64_t floor_of(const struct lauka_result *result, size_t metric)
{
    bool has_floor = strcmp(result->metrics[metric].name, "peak_rss") == 0;
    return has_floor ? result->run.rss_floor : 0;
}

static bool above_floor(const struct lauka_summary *summary, uint64_t floor)
{
    return summary->count > 0 && (floor == 0 || summary->mean > (double)floor);
}

struct lauka_result_view lauka_result_view(const struct lauka_result *result, size_t command,
                                           size_t metric)
{
    const struct lauka_result_metric *about = &result->metrics[metric];
    struct lauka_result_view view = {.floor = floor_of(result, metric)};
    view.summary = &result->commands[command].summaries[metric];
    view.counted = about->counted && view.summary->count > 0;
    view.estimated = view.counted && about->share < 1;
    view.at_floor = view.counted && !above_floor(view.summary, view.floor);
    const struct lauka_comparison *comparison = lauka_result_comparison(result, command, metric);
    if (!comparison || !view.counted || view.at_floor ||
        !above_floor(&result->commands[0].summaries[metric], view.floor))
        return view;
    view.change = comparison->mean_ratio;
    view.cohens_d = comparison->cohens_d;
    return view;
}

uint64_t lauka_result_rounds(const struct lauka_result *result, size_t command)
{
    const struct lauka_result_command *about = &result->commands[command];
    return result->run.unpaired && result->metric_count > 0 ? about->series[0].count
                                                            : result->run.rounds;
}

size_t lauka_result_main_metric(const struct lauka_result *result)
{
    size_t wall_time = lauka_result_metric_index(result, "wall_time");
    return wall_time < result->metric_count ? wall_time : 0;
}

const struct lauka_summary *lauka_result_summary(const struct lauka_result *result, size_t command,
                                                 size_t metric)
{
    if (metric >= result->metric_count)
        return NULL;
    struct lauka_result_view view = lauka_result_view(result, command, metric);
    return view.counted ? view.summary : NULL;
}

struct lauka_scale lauka_result_scale(const struct lauka_result *result, size_t metric, bool utf8)
{
    double smallest = 0, largest = 0, unit = lauka_result_unit(&result->metrics[metric]);
    for (size_t c = 0; c < result->command_count; c++) {
        struct lauka_result_view view = lauka_result_view(result, c, metric);
        double mean = view.at_floor ? (double)view.floor : view.summary->mean;
        if (!view.counted || mean <= 0)
            continue;
        mean /= unit;
        smallest = smallest > 0 && smallest < mean ? smallest : mean;
        largest = largest > mean ? largest : mean;
    }
    struct lauka_scale scale =
        lauka_scale_for_range(smallest, largest, result->metrics[metric].unit, utf8);
    scale.divisor *= unit;
    return scale;
}

double lauka_result_unit(const struct lauka_result_metric *metric)
{
    double unit = 1;
    for (unsigned i = 0; i < metric->decimals; i++)
        unit *= 10;
    return unit;
}

bool lauka_result_has_estimates(const struct lauka_result *result)
{
    bool found = false;
    for (size_t c = 0; c < result->command_count; c++)
        for (size_t m = 0; m < result->metric_count; m++)
            found |= lauka_result_view(result, c, m).estimated;
    return found;
}

uint64_t lauka_result_failures(const struct lauka_result *result, size_t command)
{
    uint64_t failures = 0;
    const int16_t *codes = result->commands[command].exit_codes;
    for (uint64_t round = 0; codes && round < lauka_result_rounds(result, command); round++)
        failures += codes[round] != 0;
    return failures;
}

const char *lauka_stopped_name(enum lauka_stopped stopped)
{
    switch (stopped) {
    case LAUKA_STOPPED_ROUNDS:
        return "rounds";
    case LAUKA_STOPPED_TIME:
        return "time";
    case LAUKA_STOPPED_PRECISION:
        return "precision";
    case LAUKA_STOPPED_EFFECT:
        return "effect";
    case LAUKA_STOPPED_EXACT:
        return "exact";
    case LAUKA_STOPPED_STORED:
        return "stored";
    case LAUKA_STOPPED_FAILURE:
        return "failure";
    case LAUKA_STOPPED_INTERRUPTED:
        return "interrupted";
    }
    return "unknown";
}
