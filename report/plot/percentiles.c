/* Percentiles of a command beside the reference's: each change with its interval and, where that holds for all
 * percentiles together, a verdict. Where a gate has a limit on a percentile, the figures are the gate's. */
#include "report/plot/plot.h"
#include "report/result/result.h"
#include "report/text/prose.h"
#include "report/words/words.h"
#include "stats/histogram.h"
#include "stats/stats.h"

#include <inttypes.h>
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

bool lauka_percentile_is_shown(const struct lauka_percentiles *percentiles, size_t index)
{
    bool found = false;
    for (size_t c = 0; c < percentiles->picture.result->command_count; c++)
        found |= lauka_rank_has_values(lauka_summary_ranks[index], percentiles->of[c].count);
    return found;
}

static size_t count_shown(const struct lauka_percentiles *percentiles)
{
    size_t count = 0;
    for (size_t i = 0; i < LAUKA_SUMMARY_RANKS; i++)
        count += lauka_percentile_is_shown(percentiles, i);
    return count;
}

bool lauka_percentiles_of(struct lauka_prose *prose, const struct lauka_result *result,
                          size_t metric, struct lauka_percentiles *percentiles)
{
    percentiles->of = lauka_prose_room(prose, result->command_count, sizeof *percentiles->of);
    for (size_t c = 0; c < result->command_count && !prose->error; c++)
        lauka_prose_fail(prose, lauka_result_quantiles(result, c, metric, &percentiles->of[c]));
    if (prose->error || !lauka_picture_of(prose, result, metric, &percentiles->picture))
        return false;
    percentiles->shown = count_shown(percentiles);
    return true;
}

/* What lies at a floor has a value, but no change. */
static bool is_comparable(const struct lauka_percentiles *percentiles, size_t command,
                          uint32_t rank)
{
    const struct lauka_picture *picture = &percentiles->picture;
    bool comparable = true;
    for (size_t i = 0; i < 2; i++) {
        const size_t c = i == 0 ? 0 : command;
        comparable &= lauka_rank_has_values(rank, percentiles->of[c].count) &&
                      !lauka_result_view(picture->result, c, picture->metric).at_floor;
    }
    return comparable;
}

static void decide(const struct lauka_picture *picture, int side, bool is_small,
                   struct lauka_percentile *percentile)
{
    const struct lauka_result *result = picture->result;
    const char *word = lauka_direction_word(side > 0, lauka_is_speed(result, picture->metric));
    if (side == 0)
        return;
    percentile->verdict = word;
    if (is_small) {
        percentile->verdict =
            lauka_say(picture->prose, "%s, < %s", word,
                      lauka_say_share(picture->prose, lauka_result_precision(result)));
        return;
    }
    percentile->side = side;
    percentile->good = lauka_direction_goodness(result->metrics[picture->metric].better, side > 0);
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

struct lauka_percentile lauka_percentile_of(const struct lauka_percentiles *percentiles,
                                            size_t command, size_t index)
{
    const struct lauka_picture *picture = &percentiles->picture;
    const uint32_t rank = lauka_summary_ranks[index];
    struct lauka_percentile of = {
        .change = {picture->prose->signs->dash, ""},
        .verdict = "",
        .limit = limit_of(picture->result, command, picture->metric, rank),
    };
    struct lauka_shift shift;
    struct lauka_distribution pair[2];
    lauka_picture_pair(picture, command, pair);
    if (is_comparable(percentiles, command, rank) &&
        lauka_shift_of(picture->result, command, picture->metric, pair, &shift)) {
        const struct lauka_shift_point point = lauka_shift_at(&shift, rank);
        of.change = lauka_shift_change(picture->prose, &shift, &point);
        decide(picture, lauka_shift_side(&shift, rank, percentiles->shown),
               lauka_shift_is_small(&shift, &point), &of);
    }
    if (of.limit)
        judge(picture, &of);
    return of;
}

/* ---- as a table ------------------------------------------------------------------------------------ */

struct pair {
    const struct lauka_percentiles *percentiles;
    size_t command;
    struct lauka_result_view views[2]; /* of the reference and of the command */
    struct lauka_percentile_table *to;
};

static struct lauka_percentile_row *add_row(const struct pair *pair, const char *label,
                                            const char *reference, const char *command,
                                            const char *change)
{
    struct lauka_percentile_row *row = &pair->to->rows[pair->to->count++];
    *row = (struct lauka_percentile_row){.text = {label, reference, command, change, "", ""}};
    return row;
}

/* A row of two values and how far they are apart. */
static struct lauka_percentile_row *add_pair(const struct pair *pair, const char *label,
                                             double reference, double command)
{
    const struct lauka_picture *picture = &pair->percentiles->picture;
    const double values[2] = {reference, command};
    const char *texts[2];
    for (size_t i = 0; i < 2; i++)
        texts[i] = lauka_quantile_value(picture->prose, picture->result, picture->metric,
                                        &pair->views[i], values[i]);
    return add_row(pair, label, texts[0], texts[1],
                   lauka_quantile_change(picture->prose, pair->views, values));
}

/* Ranks have rows where both commands have values enough for them. */
static void add_ranks(const struct pair *pair)
{
    const struct lauka_result_quantiles *a = &pair->percentiles->of[0],
                                        *b = &pair->percentiles->of[pair->command];
    for (size_t i = 0; i < LAUKA_SUMMARY_RANKS; i++) {
        const uint32_t rank = lauka_summary_ranks[i];
        if (!lauka_rank_has_values(rank, a->count < b->count ? a->count : b->count))
            continue;
        struct lauka_percentile_row *row =
            add_pair(pair, lauka_say_rank(pair->percentiles->picture.prose, rank),
                     (double)a->values[i], (double)b->values[i]);
        if (pair->command == 0)
            continue;
        row->judged = lauka_percentile_of(pair->percentiles, pair->command, i);
        row->text[LAUKA_PERCENTILE_CHANGE] = row->judged.change.estimate;
        row->text[LAUKA_PERCENTILE_INTERVAL] = row->judged.change.interval;
        row->text[LAUKA_PERCENTILE_VERDICT] = row->judged.verdict;
    }
    add_row(pair, "", "", "", "");
}

/* A deviation can be small where no value is: no floor here. */
static void add_deviation(const struct pair *pair)
{
    struct pair unbounded = *pair;
    for (size_t i = 0; i < 2; i++) {
        const struct lauka_result_view *view = &pair->views[i];
        if (!view->summary->stddev.known || view->at_floor || view->at_least)
            return;
        unbounded.views[i].floor = 0;
    }
    add_pair(&unbounded, pair->percentiles->picture.prose->signs->sigma,
             pair->views[0].summary->stddev.value, pair->views[1].summary->stddev.value);
}

static const char *precision_of(struct lauka_prose *prose,
                                const struct lauka_result_quantiles *quantiles)
{
    return quantiles->from_values ? "exact"
                                  : lauka_say(prose, "%s%s", prose->signs->plus_minus,
                                              lauka_say_share(prose, quantiles->error));
}

static void add_footer(const struct pair *pair)
{
    struct lauka_prose *prose = pair->percentiles->picture.prose;
    const struct lauka_result_quantiles *a = &pair->percentiles->of[0],
                                        *b = &pair->percentiles->of[pair->command];
    add_pair(pair, "mean", pair->views[0].summary->mean, pair->views[1].summary->mean);
    add_deviation(pair);
    add_row(pair, "precision", precision_of(prose, a), precision_of(prose, b), "");
    add_row(pair, "total", lauka_say(prose, "%" PRIu64, a->count),
            lauka_say(prose, "%" PRIu64, b->count), "");
    const struct lauka_comparison *comparison = pair->views[1].comparison;
    if (comparison && comparison->cohens_d.known)
        add_row(pair, "d", "", "", lauka_say_effect(prose, comparison->cohens_d.value));
}

struct lauka_percentile_table lauka_percentile_table(const struct lauka_percentiles *percentiles,
                                                     size_t command)
{
    const struct lauka_picture *picture = &percentiles->picture;
    struct lauka_percentile_table table = {.count = 0};
    const struct pair pair = {
        .percentiles = percentiles,
        .command = command,
        .views = {lauka_result_view(picture->result, 0, picture->metric),
                  lauka_result_view(picture->result, command, picture->metric)},
        .to = &table,
    };
    if (pair.views[0].counted && pair.views[1].counted) {
        add_ranks(&pair);
        add_footer(&pair);
    }
    return table;
}
