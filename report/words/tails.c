/* How far the quantiles of a command lie from the reference's, in words; and the percentile that changed although a
 * typical value did not, or by less: an answer about logs of latencies would be wrong without it. */
#include "report/analysis/distribution.h"
#include "report/result/result.h"
#include "report/text/prose.h"
#include "report/words/words.h"
#include "stats/histogram.h"
#include "stats/stats.h"

#include <math.h>

/* "12.17 ms", in a unit of its own. */
static const char *quantity(struct lauka_prose *prose, const struct lauka_shift *shift,
                            double value)
{
    return lauka_say_quantity(
        prose, value, lauka_result_scale_of(shift->result, shift->metric, value, prose->utf8));
}

/* Without an interval. */
static const char *say_roughly(struct lauka_prose *prose, const struct lauka_shift *shift,
                               double value)
{
    return shift->as_ratio ? lauka_say_change_roughly(prose, exp(value))
                           : lauka_say(prose, "%s%s", lauka_sign(value, prose->utf8),
                                       quantity(prose, shift, fabs(value)));
}

static struct lauka_comparison comparison_at(const struct lauka_shift *shift,
                                             const struct lauka_shift_point *point)
{
    const struct lauka_optional estimate = lauka_known(point->span.estimate),
                                low = lauka_known(point->span.low),
                                high = lauka_known(point->span.high);
    struct lauka_comparison comparison = {.confidence = 1 - shift->alpha};
    if (shift->as_ratio) {
        comparison.log_ratio = estimate;
        comparison.log_low = low;
        comparison.log_high = high;
    } else {
        comparison.difference = estimate;
        comparison.difference_low = low;
        comparison.difference_high = high;
    }
    return comparison;
}

struct lauka_change lauka_shift_change(struct lauka_prose *prose, const struct lauka_shift *shift,
                                       const struct lauka_shift_point *point)
{
    const struct lauka_comparison comparison = comparison_at(shift, point);
    if (!point->known)
        return (struct lauka_change){say_roughly(prose, shift, point->span.estimate), ""};
    return lauka_change(prose, &comparison,
                        lauka_result_scale(shift->result, shift->metric, prose->utf8));
}

/* ---- the percentile that moved most --------------------------------------------------------------- */

enum { UPPER = 900000000 }; /* p90, as in lauka_summary_ranks */

static size_t count_shown(const struct lauka_shift *shift)
{
    const uint64_t a = shift->pair[0].total, b = shift->pair[1].total;
    size_t count = 0;
    for (size_t i = 0; i < LAUKA_SUMMARY_RANKS; i++)
        count += lauka_rank_has_values(lauka_summary_ranks[i], a > b ? a : b);
    return count;
}

/* Of the upper percentiles but the last, the one that moved most; certain: of those that differ beyond doubt. 0 where there
 * is none. */
static uint32_t find_farthest(const struct lauka_shift *shift, bool certain)
{
    const uint64_t a = shift->pair[0].total, b = shift->pair[1].total;
    const size_t shown = count_shown(shift);
    uint32_t farthest = 0;
    double distance = 0;
    for (size_t i = 0; i + 1 < LAUKA_SUMMARY_RANKS; i++) {
        const uint32_t rank = lauka_summary_ranks[i];
        if (rank < UPPER || !lauka_rank_has_values(rank, a < b ? a : b))
            continue;
        const double far = fabs(lauka_shift_at(shift, rank).span.estimate);
        if (far > distance && (!certain || lauka_shift_side(shift, rank, shown) != 0)) {
            farthest = rank;
            distance = far;
        }
    }
    return farthest;
}

/* "p99"; the values of both sides, the reference's first. */
static const char *sides_at(struct lauka_prose *prose, const struct lauka_shift *shift,
                            uint32_t rank, const char *values[2])
{
    for (size_t i = 0; i < 2; i++)
        values[i] = quantity(prose, shift, lauka_distribution_quantile(&shift->pair[i], rank));
    return lauka_say(prose, "p%s", lauka_say_rank(prose, rank));
}

static const char *say_values(struct lauka_prose *prose, const struct lauka_shift *shift)
{
    const char *values[2];
    const uint32_t rank = find_farthest(shift, false);
    if (rank == 0)
        return "";
    const char *name = sides_at(prose, shift, rank, values);
    return lauka_say(prose, " (%s: %s and %s)", name, values[0], values[1]);
}

/* Where a typical value moved at most half as far. */
static const char *say_clause(struct lauka_prose *prose, const struct lauka_shift *shift)
{
    const char *values[2];
    const uint32_t rank = find_farthest(shift, true);
    const struct lauka_comparison *all =
        lauka_result_view(shift->result, shift->command, shift->metric).comparison;
    const struct lauka_optional typical = shift->as_ratio ? all->log_ratio : all->difference;
    const struct lauka_shift_point point = lauka_shift_at(shift, rank);
    if (rank == 0 || lauka_shift_is_small(shift, &point) ||
        (typical.known && fabs(point.span.estimate) < 2 * fabs(typical.value)))
        return "";
    const char *name = sides_at(prose, shift, rank, values);
    const struct lauka_comparison comparison = comparison_at(shift, &point);
    const char *how = lauka_say_higher(
        prose, &comparison, lauka_result_scale(shift->result, shift->metric, prose->utf8));
    return lauka_say(prose, "; its %s is %s: %s against %s", name, how, values[1], values[0]);
}

const char *lauka_say_percentile(struct lauka_prose *prose, const struct lauka_result *result,
                                 size_t command, size_t metric, bool certain)
{
    struct lauka_distribution pair[2] = {{0}};
    struct lauka_shift shift;
    const char *text = "";
    for (size_t i = 0; i < 2; i++)
        lauka_prose_fail(prose,
                         lauka_distribution_of(result, i == 0 ? 0 : command, metric, &pair[i]));
    if (!prose->error && lauka_shift_of(result, command, metric, pair, &shift))
        text = certain ? say_clause(prose, &shift) : say_values(prose, &shift);
    for (size_t i = 0; i < 2; i++)
        lauka_distribution_done(&pair[i]);
    return text;
}
