/* Percentiles of all commands, side by side with the reference's: each change with its interval and, where that holds
 * for all percentiles together, a verdict. Where a gate has a limit on a percentile, the figures are the gate's. */
#include "report/html/html.h"
#include "report/html/svg.h"
#include "report/plot/plot.h"
#include "report/result/result.h"
#include "report/text/prose.h"
#include "report/words/words.h"
#include "stats/histogram.h"
#include "stats/stats.h"
#include "stats/units.h"

#include <math.h>
#include <string.h>

struct table {
    const struct lauka_html *html;
    struct lauka_prose *prose;
    const struct lauka_picture *picture;
    size_t metric;
    struct lauka_result_quantiles *quantiles; /* of each command */
    bool has_room; /* two commands: intervals have columns of their own */
};

/* ---- one percentile -------------------------------------------------------------------------- */

static const struct lauka_gate_row *limit_of(const struct lauka_result *result, size_t command,
                                             size_t metric, uint32_t rank)
{
    for (size_t i = 0; i < result->gate.row_count; i++) {
        const struct lauka_gate_row *row = &result->gate.rows[i];
        const struct lauka_gate_rule *rule = &result->gate.rules[row->rule];
        if (row->command == command && row->metric == metric && row->reference == 0 &&
            rule->statistic == LAUKA_STATISTIC_QUANTILE && rule->rank == rank && !rule->most.known)
            return row;
    }
    return NULL;
}

static struct lauka_mark mark_of(const struct table *table, int side)
{
    const char *better = table->html->result->metrics[table->metric].better;
    struct lauka_mark mark = {side == 0                        ? LAUKA_TONE_PLAIN
                              : strcmp(better, "neither") == 0 ? LAUKA_TONE_CHANGED
                                                               : LAUKA_TONE_WORSE,
                              side > 0};
    if (mark.tone == LAUKA_TONE_WORSE && strcmp(better, side > 0 ? "higher" : "lower") == 0)
        mark.tone = LAUKA_TONE_BETTER;
    return mark;
}

static const char *word_of(const struct table *table, int side)
{
    const bool speed = lauka_is_speed(table->html->result, table->metric);
    return side == 0 ? "" : lauka_direction_word(side > 0, speed);
}

/* What a command's cells after its value say. */
struct cells {
    struct lauka_change change;
    struct lauka_mark mark;
    const char *verdict; /* "slower", "FAIL: limit 4 %" */
};

/* The gate's interval where there is one; the verdict in any case. */
static struct cells judged(const struct table *table, const struct lauka_gate_row *row,
                           struct cells cells)
{
    struct lauka_prose *prose = table->prose;
    const struct lauka_result *result = table->html->result;
    const struct lauka_gate_cells limit = lauka_gate_row_cells(prose, result, row);
    const struct lauka_change change = lauka_gate_row_change(prose, result, row);
    if (*change.interval)
        cells.change = change;
    cells.mark = lauka_mark_of_limit(result, row);
    cells.verdict = lauka_say(prose, "%s, limit %s", limit.text[LAUKA_GATE_CELL_VERDICT],
                              limit.text[LAUKA_GATE_CELL_LIMIT]);
    return cells;
}

static bool any_has(const struct table *table, size_t index)
{
    bool found = false;
    for (size_t c = 0; c < table->html->result->command_count; c++)
        found |= lauka_rank_has_values(lauka_summary_ranks[index], table->quantiles[c].count);
    return found;
}

static size_t count_shown(const struct table *table)
{
    size_t count = 0;
    for (size_t i = 0; i < LAUKA_SUMMARY_RANKS; i++)
        count += any_has(table, i);
    return count;
}

/* 1: higher beyond doubt, -1: lower. By an interval wide enough to hold for all percentiles of the table, and for all
 * comparisons of the session, together (Bonferroni). Rounds that share units say less than their number. */
static int side_of(const struct table *table, struct lauka_shift shift, uint32_t rank)
{
    struct lauka_units units;
    const struct lauka_result *result = table->html->result;
    const struct lauka_comparison *comparison =
        lauka_result_view(result, shift.command, table->metric).comparison;
    if (!comparison || comparison->verdict == LAUKA_VERDICT_NONE ||
        lauka_result_units(result, &units))
        return 0;
    const double family = comparison->family > 1 ? (double)comparison->family : 1;
    shift.alpha /= family * (double)count_shown(table);
    const struct lauka_shift_point point = lauka_shift_at(&shift, rank);
    return !point.known ? 0 : point.span.low > 0 ? 1 : point.span.high < 0 ? -1 : 0;
}

/* What lies at a floor has a value, but no change. */
static bool is_comparable(const struct table *table, size_t command, uint32_t rank)
{
    const struct lauka_result *result = table->html->result;
    bool comparable = true;
    for (size_t i = 0; i < 2; i++) {
        const size_t c = i == 0 ? 0 : command;
        comparable &= lauka_rank_has_values(rank, table->quantiles[c].count) &&
                      !lauka_result_view(result, c, table->metric).at_floor;
    }
    return comparable;
}

static struct cells compared(const struct table *table, size_t command, uint32_t rank)
{
    struct lauka_prose *prose = table->prose;
    struct cells cells = {.change = {prose->signs->dash, ""}, .verdict = ""};
    struct lauka_shift shift;
    if (!is_comparable(table, command, rank) || !lauka_shift_of(table->picture, command, &shift))
        return cells;
    const struct lauka_shift_point point = lauka_shift_at(&shift, rank);
    const int side = side_of(table, shift, rank);
    const double precision = lauka_result_precision(table->html->result);
    cells.change = lauka_shift_change(&shift, &point);
    cells.verdict = word_of(table, side);
    if (side != 0 && shift.as_ratio && fabs(expm1(point.span.estimate)) < precision)
        cells.verdict =
            lauka_say(prose, "%s, < %s", cells.verdict, lauka_say_share(prose, precision));
    else
        cells.mark = mark_of(table, side);
    return cells;
}

static void put_change(const struct table *table, size_t command, size_t index)
{
    struct lauka_prose *prose = table->prose;
    const uint32_t rank = lauka_summary_ranks[index];
    const struct lauka_gate_row *row = limit_of(table->html->result, command, table->metric, rank);
    struct cells cells = compared(table, command, rank);
    if (row)
        cells = judged(table, row, cells);
    if (table->has_room)
        lauka_put(prose,
                  "<td class=\"c\">%s</td><td class=\"e i\">%s</td><td class=\"v e\">%s</td>",
                  lauka_html_prose(prose, cells.change.estimate),
                  lauka_html_prose(prose, cells.change.interval),
                  lauka_html_marked(prose, cells.mark, cells.verdict));
    else
        lauka_put(prose, "<td>%s</td>",
                  lauka_html_marked(prose, cells.mark, cells.change.estimate));
}

static void put_rank(const struct table *table, size_t index)
{
    struct lauka_prose *prose = table->prose;
    const struct lauka_result *result = table->html->result;
    const uint32_t rank = lauka_summary_ranks[index];
    lauka_put(prose, "<tr><th scope=\"row\">%s</th>", lauka_say_rank(prose, rank));
    for (size_t c = 0; c < result->command_count; c++) {
        const struct lauka_result_view view = lauka_result_view(result, c, table->metric);
        const char *value = prose->signs->dash;
        if (lauka_rank_has_values(rank, table->quantiles[c].count))
            value = lauka_quantile_value(prose, result, table->metric, &view,
                                         (double)table->quantiles[c].values[index]);
        lauka_put(prose, "<td>%s</td>", lauka_say_xml(prose, value));
        if (c > 0)
            put_change(table, c, index);
    }
    lauka_put(prose, "</tr>\n");
}

/* ---- all of them ----------------------------------------------------------------------------- */

static void put_titles(const struct table *table)
{
    struct lauka_prose *prose = table->prose;
    const struct lauka_result *result = table->html->result;
    lauka_put(prose, "<thead><tr><th scope=\"col\">%%</th>");
    for (size_t c = 0; c < result->command_count; c++)
        lauka_put(prose, "<th scope=\"col\">%s</th>%s", lauka_html_letter(table->html, c),
                  c > 0 && !table->has_room ? "<th scope=\"col\">change</th>" : "");
    if (table->has_room)
        lauka_put(prose,
                  "<th scope=\"col\">Change</th><th scope=\"col\">%.3g %% interval</th><th "
                  "scope=\"col\" class=\"v\">Verdict</th>",
                  100 * lauka_result_confidence(result));
    lauka_put(prose, "</tr></thead>\n<tbody>\n");
}

static const char *caption_of(const struct table *table)
{
    struct lauka_prose *prose = table->prose;
    const struct lauka_result *result = table->html->result;
    const char *noun = lauka_metric_noun(result->metrics[table->metric].name);
    return lauka_join(prose, lauka_say(prose, "Percentiles of %s", *noun ? noun : "the values"),
                      ", ", lauka_result_scale(result, table->metric, true).suffix);
}

static void put_table(const struct table *table)
{
    struct lauka_prose *prose = table->prose;
    const char *caption = lauka_say_xml(prose, caption_of(table));
    lauka_put(prose,
              "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"%s\">\n"
              "<table class=\"full%s\">\n<caption>%s</caption>\n",
              caption, table->has_room ? " pct" : "", caption);
    put_titles(table);
    for (size_t i = 0; i < LAUKA_SUMMARY_RANKS; i++)
        if (any_has(table, i))
            put_rank(table, i);
    lauka_put(prose, "</tbody>\n</table>\n</div>\n");
}

void lauka_html_percentiles(const struct lauka_html *html, size_t metric)
{
    struct lauka_prose *prose = html->prose;
    const struct lauka_result *result = html->result;
    struct lauka_picture picture;
    struct table table = {.html = html, .prose = prose, .picture = &picture, .metric = metric};
    table.quantiles = lauka_prose_room(prose, result->command_count, sizeof *table.quantiles);
    for (size_t c = 0; c < result->command_count && !prose->error; c++)
        lauka_prose_fail(prose, lauka_result_quantiles(result, c, metric, &table.quantiles[c]));
    table.has_room = result->command_count == 2;
    if (prose->error || !any_has(&table, 0) || !lauka_picture_of(prose, result, metric, &picture))
        return;
    put_table(&table);
    lauka_picture_done(&picture);
}
