/* Which values are compared, and by which rules. */
#include "report/analysis/analysis.h"
#include "report/analysis/steps.h"
#include "report/result/result.h"
#include "stats/crossover.h"
#include "stats/stats.h"
#include "stats/units.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum lauka_grain lauka_result_grain(const struct lauka_result_metric *metric)
{
    if (strcmp(metric->source, LAUKA_SOURCE_LOGS) == 0)
        return LAUKA_GRAIN_LOGS;
    if (metric->bins > 0)
        return LAUKA_GRAIN_BINS;
    if (strcmp(metric->source, LAUKA_SOURCE_FILE) == 0 ||
        strcmp(metric->source, LAUKA_SOURCE_REPORTED) == 0)
        return LAUKA_GRAIN_TEXT;
    bool ticks = strcmp(metric->source, "rusage") == 0 || strcmp(metric->source, "hyperfine") == 0;
    return strcmp(metric->unit, "ns") == 0 && ticks ? LAUKA_GRAIN_CLOCK : LAUKA_GRAIN_COUNT;
}

/* Interval and verdict, where sides are apart and it is not exact. */
static void take_back(const struct lauka_result *result, size_t metric,
                      struct lauka_comparison *comparison)
{
    if (result->run.apart == LAUKA_APART_NOT || comparison->pairs == 0 ||
        (comparison->method == LAUKA_METHOD_EXACT &&
         lauka_result_grain(&result->metrics[metric]) == LAUKA_GRAIN_COUNT))
        return;
    comparison->run_to_run = comparison->half_width;
    lauka_contrast_unknow(comparison);
    comparison->mean_low = comparison->mean_high = (struct lauka_optional){0};
    comparison->verdict = LAUKA_VERDICT_INCONCLUSIVE;
    comparison->below_precision = comparison->mean_doubted = false;
}

bool lauka_analysis_is_comparable(const struct lauka_result *result, size_t command, size_t metric)
{
    struct lauka_result_view view = lauka_result_view(result, command, metric);
    return view.counted && !view.at_floor && !view.at_least;
}

/* NULL if they were not summarized. */
static const struct lauka_medians *medians_of(const struct lauka_result *result, size_t command,
                                              size_t metric, struct lauka_medians *medians)
{
    const struct lauka_summary *reference = result->commands[0].summaries;
    const struct lauka_summary *other = result->commands[command].summaries;
    if (!reference || !other)
        return NULL;
    *medians = (struct lauka_medians){reference[metric].median, other[metric].median};
    return medians;
}

int lauka_analysis_compare(const struct lauka_result *result, size_t command, size_t metric,
                           struct lauka_comparison *comparison)
{
    const struct lauka_result_command *commands = result->commands;
    struct lauka_turns turns;
    struct lauka_units units;
    struct lauka_medians medians;
    int error = lauka_result_turns(result, 0, command, metric, &turns);
    const struct lauka_comparison_options options = {
        .alpha = lauka_result_alpha(result),
        .precision = lauka_result_precision(result),
        .unpaired = result->run.unpaired,
        .repeatable = result->metrics[metric].repeatable,
        .grain = lauka_result_grain(&result->metrics[metric]),
        .bins = result->metrics[metric].bins,
        .turns = turns.first ? &turns : NULL,
        .units = lauka_result_units(result, &units),
        .medians = medians_of(result, command, metric, &medians),
    };
    *comparison = (struct lauka_comparison){0};
    if (error || !lauka_analysis_is_comparable(result, 0, metric) ||
        !lauka_analysis_is_comparable(result, command, metric))
        return error;
    if (!commands[command].streams)
        error = lauka_compare(&commands[0].series[metric], &commands[command].series[metric],
                              &options, comparison);
    else if (!result->run.unpaired && commands[command].streams[metric].paired)
        error =
            lauka_compare_streamed(commands[command].streams[metric].paired, &options, comparison);
    take_back(result, metric, comparison);
    return error || !lauka_result_has_hosts(result)
               ? error
               : lauka_hosts_compare(result, command, metric, comparison);
}

static int make_room(struct lauka_result *result)
{
    size_t count = (result->command_count - 1) * result->metric_count;
    if (!result->comparisons)
        result->comparisons = calloc(count + 1, sizeof *result->comparisons);
    if (!result->comparisons)
        return ENOMEM;
    result->comparison_count = count;
    return 0;
}

int lauka_analysis_compare_all(struct lauka_result *result)
{
    int error = make_room(result);
    for (size_t i = 0; i < result->comparison_count && !error; i++) {
        struct lauka_result_comparison *comparison = &result->comparisons[i];
        *comparison = (struct lauka_result_comparison){
            .command = 1 + i / result->metric_count,
            .metric = i % result->metric_count,
        };
        error = lauka_analysis_compare(result, comparison->command, comparison->metric,
                                       &comparison->values);
    }
    return error;
}
