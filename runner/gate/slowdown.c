/* A regression made on purpose, to see whether a gate notices it: the last command spends some CPU time
 * before it begins, within what is measured. */
#include "runner/gate/gate.h"
#include "pmu/events/events.h"
#include "report/analysis/analysis.h"
#include "report/result/result.h"
#include "runner/launch/launch.h"
#include "runner/launch/process.h"
#include "runner/options.h"
#include "stats/histogram.h"
#include "stats/stats.h"

#include <string.h>

/* A gate must catch twice what it lets through, and half a per cent if it lets nothing through. */
static double worse_than(const struct lauka_limit *limit, double typical)
{
    double share = limit->share.known ? limit->share.value * typical : 0;
    double limit_ns =
        limit->absolute.known && limit->absolute.value > share ? limit->absolute.value : share;

    return limit_ns > 0.005 * typical ? 2 * limit_ns : limit_ns + 0.005 * typical;
}

void lauka_slowdown_note(struct lauka_slowdown *slowdown, const struct lauka_sample *sample)
{
    if (slowdown->count == LAUKA_SLOWDOWN_ROUNDS)
        return;
    for (size_t m = 0; m < LAUKA_USAGE_METRICS; m++)
        slowdown->values[m][slowdown->count] = sample->usage.values[m];
    slowdown->count++;
}

/* The median of the warm-up rounds; their maximum if a high quantile is judged. */
static double expected(struct lauka_slowdown *slowdown, size_t metric,
                       const struct lauka_limit *limit)
{
    uint64_t *values = slowdown->values[metric];
    bool tail = limit->statistic == LAUKA_STATISTIC_QUANTILE && limit->rank > LAUKA_RANK_WHOLE / 2;

    if (slowdown->count == 0 || lauka_sort_integers(values, slowdown->count) != 0)
        return 0;
    return tail ? (double)values[slowdown->count - 1]
                : lauka_sorted_median(values, slowdown->count);
}

bool lauka_slowdown_is_real(const struct lauka_options *options)
{
    char names[][sizeof "wall_time"] = {"wall_time", "cpu_time", "user_time"};
    struct lauka_result_metric times[] = {
        {.name = names[0]}, {.name = names[1]}, {.name = names[2]}};
    const struct lauka_result result = {.metrics = times, .metric_count = 3};

    if (options->pretended || !lauka_process_can_delay())
        return false;
    for (size_t r = 0; r < options->gate.rule_count; r++) {
        const char *metric = options->gate.rules[r].metric;
        if (lauka_result_find_metric(&result, metric, strlen(metric)) < result.metric_count)
            return true;
    }
    return false;
}

uint64_t lauka_slowdown_ns(struct lauka_slowdown *slowdown, const struct lauka_result *result)
{
    double most = 0;

    for (size_t r = 0; r < result->gate.rule_count; r++) {
        const struct lauka_gate_rule *rule = &result->gate.rules[r];
        size_t metric = lauka_result_find_metric(result, rule->metric, strlen(rule->metric));
        if (!lauka_gate_slows(result, metric))
            continue;
        struct lauka_limit limit = lauka_gate_limit(result, rule, metric);
        double worse = worse_than(&limit, expected(slowdown, metric, &limit));
        most = worse > most ? worse : most;
    }
    return (uint64_t)most;
}
