/* Percentiles of a command beside the reference's: each change with its interval and, where that holds for all
 * percentiles together, a verdict. Where a gate has a limit on a percentile, the figures are the gate's. */
#include "report/plot/plot.h"
#include "report/result/result.h"
#include "report/text/prose.h"
#include "report/words/words.h"
#include "stats/histogram.h"
#include "stats/stats.h"
#include "stats/units.h"

#include <math.h>

static const struct lauka_gate_row *limit_of(const struct lauka_result *result, size_t command,
                                             size_t metric, uint32_t rank)
{
    bool has_limits = false; /* there is a row for each command, but there are few rules */
    for (size_t i = 0; i < result->gate.rule_count; i++)
        has_limits |= result->gate.rules[i].statistic == LAUKA_STATISTIC_QUANTILE;
    if (!has_limits)
        return NULL;
    for (size_t i = 0; i < result->gate.row_count; i++) {
        const struct lauka_gate_row *row = &result->gate.rows[i];
        const struct lauka_gate_rule *rule = &result->gate.rules[row->rule];
        if (row->command == command && row->metric == metric && row->reference == 0 &&
            rule->statistic == LAUKA_STATISTIC_QUANTILE && rule->rank == rank && !rule->most.known)
            return row;
    }
    return NULL;
}

bool lauka_percentile_is_shown(const struct lauka_result *result,
                               const struct lauka_result_quantiles *quantiles, size_t index)
{
    bool found = false;
    for (size_t c = 0; c < result->command_count; c++)
        found |= lauka_rank_has_values(lauka_summary_ranks[index], quantiles[c].count);
    return found;
}

size_t lauka_percentiles_shown(const struct lauka_result *result,
                               const struct lauka_result_quantiles *quantiles)
{
    size_t count = 0;
    for (size_t i = 0; i < LAUKA_SUMMARY_RANKS; i++)
        count += lauka_percentile_is_shown(result, quantiles, i);
    return count;
}

/* 1: higher beyond doubt, -1: lower. By an interval wide enough to hold for all `shown` percentiles of the table, and for
 * all comparisons of the session, together (Bonferroni). Rounds that share units say less than their number. */
static int side_of(struct lauka_shift shift, uint32_t rank, size_t shown)
{
    struct lauka_units units;
    const struct lauka_result *result = shift.picture->result;
    const struct lauka_comparison *comparison =
        lauka_result_view(result, shift.command, shift.picture->metric).comparison;
    if (!comparison || comparison->verdict == LAUKA_VERDICT_NONE ||
        lauka_result_units(result, &units))
        return 0;
    const double family = comparison->family > 1 ? (double)comparison->family : 1;
    shift.alpha /= family * (double)shown;
    const struct lauka_shift_point point = lauka_shift_at(&shift, rank);
    return !point.known ? 0 : point.span.low > 0 ? 1 : point.span.high < 0 ? -1 : 0;
}

/* What lies at a floor has a value, but no change. */
static bool is_comparable(const struct lauka_picture *picture,
                          const struct lauka_result_quantiles *quantiles, size_t command,
                          uint32_t rank)
{
    bool comparable = true;
    for (size_t i = 0; i < 2; i++) {
        const size_t c = i == 0 ? 0 : command;
        comparable &= lauka_rank_has_values(rank, quantiles[c].count) &&
                      !lauka_result_view(picture->result, c, picture->metric).at_floor;
    }
    return comparable;
}

static const char *verdict_of(const struct lauka_picture *picture,
                              const struct lauka_percentile *percentile)
{
    struct lauka_prose *prose = picture->prose;
    const bool speed = lauka_is_speed(picture->result, picture->metric);
    if (percentile->side == 0)
        return "";
    const char *word = lauka_direction_word(percentile->side > 0, speed);
    const double precision = lauka_result_precision(picture->result);
    return percentile->is_small
               ? lauka_say(prose, "%s, < %s", word, lauka_say_share(prose, precision))
               : word;
}

/* The gate's interval where there is one; the verdict in any case. */
static void judge(const struct lauka_picture *picture, struct lauka_percentile *percentile)
{
    struct lauka_prose *prose = picture->prose;
    const struct lauka_gate_cells limit =
        lauka_gate_row_cells(prose, picture->result, percentile->limit);
    const struct lauka_change change =
        lauka_gate_row_change(prose, picture->result, percentile->limit);
    if (*change.interval)
        percentile->change = change;
    percentile->verdict = lauka_say(prose, "%s, limit %s", limit.text[LAUKA_GATE_CELL_VERDICT],
                                    limit.text[LAUKA_GATE_CELL_LIMIT]);
}

struct lauka_percentile lauka_percentile_of(const struct lauka_picture *picture,
                                            const struct lauka_result_quantiles *quantiles,
                                            size_t shown, size_t command, size_t index)
{
    const struct lauka_result *result = picture->result;
    const uint32_t rank = lauka_summary_ranks[index];
    struct lauka_percentile of = {
        .change = {picture->prose->signs->dash, ""},
        .verdict = "",
        .limit = limit_of(result, command, picture->metric, rank),
    };
    struct lauka_shift shift;
    if (is_comparable(picture, quantiles, command, rank) &&
        lauka_shift_of(picture, command, &shift)) {
        const struct lauka_shift_point point = lauka_shift_at(&shift, rank);
        of.side = side_of(shift, rank, shown);
        of.is_small = of.side != 0 && shift.as_ratio &&
                      fabs(expm1(point.span.estimate)) < lauka_result_precision(result);
        of.change = lauka_shift_change(&shift, &point);
        of.verdict = verdict_of(picture, &of);
    }
    if (of.limit)
        judge(picture, &of);
    return of;
}
