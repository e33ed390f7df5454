/* Three and more commands in the order of their speed, each compared with the fastest. */
#include "report/analysis/analysis.h"
#include "report/result/result.h"
#include "stats/stats.h"
#include "stats/units.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool lauka_result_does_work(const struct lauka_result *result, size_t command)
{
    bool all_fail = true;
    for (size_t c = 0; c < result->command_count; c++)
        all_fail &= result->commands[c].failures > 0;
    return all_fail || result->commands[command].failures == 0;
}

/* The command with the least median, of those that do their work; of equal ones the first. */
static size_t least_median(const struct lauka_result *result, size_t metric)
{
    size_t least = result->command_count;
    for (size_t c = 0; c < result->command_count; c++)
        if (lauka_result_does_work(result, c) &&
            (least == result->command_count ||
             result->commands[c].summaries[metric].median <
                 result->commands[least].summaries[metric].median))
            least = c;
    return least;
}

bool lauka_result_is_comparable(const struct lauka_result *result, size_t command, size_t metric)
{
    struct lauka_result_view view = lauka_result_view(result, command, metric);
    return view.counted && !view.at_floor && !view.at_least;
}

static bool is_known(const struct lauka_result *result, size_t command, size_t metric)
{
    return lauka_result_is_comparable(result, command, metric) &&
           !lauka_result_is_partial(result, command, metric);
}

/* Commands of several hosts, of an order that was not drawn, and those that are one and the same have no ranking;
 * values that were not kept are paired with the reference only. */
static bool can_be_ranked(const struct lauka_result *result, size_t metric)
{
    if (result->command_count < 3 || metric >= result->metric_count || result->run.noise ||
        !result->metrics[metric].counted || lauka_result_has_hosts(result) ||
        !lauka_result_is_drawn(result) || strcmp(result->metrics[metric].better, "lower") != 0)
        return false;
    for (size_t c = 0; c < result->command_count; c++)
        if (!is_known(result, c, metric))
            return false;
    return !result->run.samples_left_out || least_median(result, metric) == 0;
}

/* The fastest was chosen from all commands by looking at their values, so any pair may be the one that is shown: all
 * pairs share alpha (Bonferroni). The reference was not chosen. */
static int compare(const struct lauka_result *result, size_t fastest, size_t command, size_t metric,
                   struct lauka_comparison *values)
{
    struct lauka_units units;
    const double count = (double)result->command_count;
    const struct lauka_comparison_options options = {
        .alpha = lauka_result_alpha(result) / (count * (count - 1) / 2),
        .precision = lauka_result_precision(result),
        .unpaired = result->run.unpaired,
        .grain = lauka_result_grain(&result->metrics[metric]),
        .bins = result->metrics[metric].bins,
        .units = lauka_result_units(result, &units),
    };
    const struct lauka_comparison *known = lauka_result_comparison(result, command, metric);
    *values = (struct lauka_comparison){0};
    if (fastest > 0)
        return lauka_compare(&result->commands[fastest].series[metric],
                             &result->commands[command].series[metric], &options, values);
    if (known)
        *values = *known;
    return 0;
}

/* Without a ratio it comes last. */
static double size_of(const struct lauka_ranked *row)
{
    return row->values.log_ratio.known ? row->values.log_ratio.value : HUGE_VAL;
}

static int compare_sizes(const void *left, const void *right)
{
    const struct lauka_ranked *a = left, *b = right;
    const double own = size_of(a), other = size_of(b);
    return own != other ? (own < other ? -1 : 1)
                        : (a->command > b->command) - (a->command < b->command);
}

int lauka_result_rank(const struct lauka_result *result, struct lauka_ranking *ranking)
{
    const size_t metric = lauka_result_main_metric(result);
    *ranking = (struct lauka_ranking){0};
    if (!can_be_ranked(result, metric))
        return 0;
    const size_t fastest = least_median(result, metric);
    ranking->rows = calloc(result->command_count, sizeof *ranking->rows);
    if (!ranking->rows)
        return ENOMEM;
    ranking->rows[ranking->count++].command = fastest;
    ranking->clear = true;
    int error = 0;
    for (size_t c = 0; c < result->command_count && !error; c++) {
        struct lauka_ranked *row = &ranking->rows[ranking->count];
        if (c == fastest || !lauka_result_does_work(result, c))
            continue;
        row->command = c;
        error = compare(result, fastest, c, metric, &row->values);
        ranking->clear &= row->values.verdict == LAUKA_VERDICT_HIGHER;
        ranking->slower += row->values.verdict == LAUKA_VERDICT_HIGHER;
        ranking->count++;
    }
    ranking->clear &= ranking->count > 1;
    if (error)
        lauka_ranking_done(ranking);
    else
        qsort(ranking->rows + 1, ranking->count - 1, sizeof *ranking->rows, compare_sizes);
    return error;
}

void lauka_ranking_done(struct lauka_ranking *ranking)
{
    free(ranking->rows);
    *ranking = (struct lauka_ranking){0};
}
