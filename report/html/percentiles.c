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

struct table {
    const struct lauka_html *html;
    struct lauka_prose *prose;
    size_t metric;
    struct lauka_percentiles percentiles;
    bool has_room; /* two commands: intervals have columns of their own */
};

/* ---- one percentile -------------------------------------------------------------------------- */

static struct lauka_mark mark_of(const struct table *table, const struct lauka_percentile *of)
{
    if (of->limit)
        return lauka_mark_of_limit(table->html->result, of->limit);
    return (struct lauka_mark){of->side == 0  ? LAUKA_TONE_PLAIN
                               : of->good > 0 ? LAUKA_TONE_BETTER
                               : of->good < 0 ? LAUKA_TONE_WORSE
                                              : LAUKA_TONE_CHANGED,
                               of->side > 0};
}

static void put_change(const struct table *table, size_t command, size_t index)
{
    struct lauka_prose *prose = table->prose;
    const struct lauka_percentile of = lauka_percentile_of(&table->percentiles, command, index);
    const struct lauka_mark mark = mark_of(table, &of);
    if (table->has_room)
        lauka_put(prose,
                  "<td class=\"c\">%s</td><td class=\"e i\">%s</td><td class=\"v e\">%s</td>",
                  lauka_html_prose(prose, of.change.estimate),
                  lauka_html_prose(prose, of.change.interval),
                  lauka_html_marked(prose, mark, of.verdict));
    else
        lauka_put(prose, "<td>%s</td>", lauka_html_marked(prose, mark, of.change.estimate));
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
        if (lauka_rank_has_values(rank, table->percentiles.of[c].count))
            value = lauka_quantile_value(prose, result, table->metric, &view,
                                         (double)table->percentiles.of[c].values[index]);
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
        if (lauka_percentile_is_shown(&table->percentiles, i))
            put_rank(table, i);
    lauka_put(prose, "</tbody>\n</table>\n</div>\n");
}

void lauka_html_percentiles(const struct lauka_html *html, size_t metric)
{
    struct lauka_prose *prose = html->prose;
    const struct lauka_result *result = html->result;
    struct table table = {.html = html, .prose = prose, .metric = metric};
    table.has_room = result->command_count == 2;
    if (!lauka_percentiles_of(prose, result, metric, &table.percentiles))
        return;
    if (lauka_percentile_is_shown(&table.percentiles, 0))
        put_table(&table);
    lauka_picture_done(&table.percentiles.picture);
}
