/* Percentiles of a command beside those of the reference, from the values or from the histogram,
 * whichever there is, as people read them. */
#include "report/words/words.h"
#include "report/result/result.h"
#include "report/text/prose.h"
#include "stats/histogram.h"
#include "stats/stats.h"

#include <inttypes.h>

struct quantiles {
    struct lauka_prose *prose;
    struct lauka_quantile_cells *to;
    const struct lauka_result *result;
    size_t metric;
    struct lauka_result_view views[2]; /* of the reference and of the command */
    struct lauka_result_quantiles quantiles[2];
};

const char *lauka_quantile_value(struct lauka_prose *prose, const struct lauka_result *result,
                                 size_t metric, const struct lauka_result_view *view, double value)
{
    double shown = lauka_shown_value(view, value);
    struct lauka_scale table = lauka_result_scale(result, metric, prose->utf8);
    struct lauka_scale scale = lauka_result_scale_of(result, metric, shown, prose->utf8);
    bool other = scale.divisor != table.divisor;
    if (other && !*scale.suffix) /* a number alone is one in the table's unit */
        return "<0.001";
    const char *number = lauka_say_scaled(prose, shown, scale);
    return lauka_say(prose, "%s%s", lauka_mark_of(prose, view, value),
                     other ? lauka_with_unit(prose, number, scale.suffix) : number);
}

const char *lauka_quantile_change(struct lauka_prose *prose,
                                  const struct lauka_result_view views[2], const double values[2])
{
    bool comparable = values[0] > 0 && !*lauka_mark_of(prose, &views[0], values[0]) &&
                      !*lauka_mark_of(prose, &views[1], values[1]);
    return comparable ? lauka_say_change(prose, values[1] / values[0]) : prose->signs->dash;
}

static void put_row(struct quantiles *of, const char *label, const char *reference,
                    const char *command, const char *change)
{
    const char **row = of->to->cells[of->to->rows++];
    row[LAUKA_QUANTILE_LABEL] = label;
    row[LAUKA_QUANTILE_REFERENCE] = reference;
    row[LAUKA_QUANTILE_COMMAND] = command;
    row[LAUKA_QUANTILE_CHANGE] = change;
}

/* A row of two values and how far they are apart. */
static void put_pair(struct quantiles *of, const char *label, double reference, double command)
{
    const double values[2] = {reference, command};
    const char *texts[2];
    for (size_t i = 0; i < 2; i++)
        texts[i] =
            lauka_quantile_value(of->prose, of->result, of->metric, &of->views[i], values[i]);
    put_row(of, label, texts[0], texts[1], lauka_quantile_change(of->prose, of->views, values));
}

const char *lauka_say_rank(struct lauka_prose *prose, uint32_t rank)
{
    char text[32];
    return lauka_say(prose, "%s", lauka_format_rank(rank, text, sizeof text));
}

static void put_ranks(struct quantiles *of)
{
    uint64_t counts[2] = {of->quantiles[0].count, of->quantiles[1].count};
    uint64_t fewest = counts[0] < counts[1] ? counts[0] : counts[1];
    for (size_t i = 0; i < LAUKA_SUMMARY_RANKS; i++)
        if (lauka_rank_has_values(lauka_summary_ranks[i], fewest))
            put_pair(of, lauka_say_rank(of->prose, lauka_summary_ranks[i]),
                     (double)of->quantiles[0].values[i], (double)of->quantiles[1].values[i]);
    put_row(of, "", "", "", "");
}

/* A deviation can be small where no value is: no floor here. */
static void put_deviation(struct quantiles *of)
{
    struct quantiles unbounded = *of;
    for (size_t i = 0; i < 2; i++) {
        const struct lauka_result_view *view = &of->views[i];
        if (!view->summary->stddev.known || view->at_floor || view->at_least)
            return;
        unbounded.views[i].floor = 0;
    }
    put_pair(&unbounded, of->prose->signs->sigma, of->views[0].summary->stddev.value,
             of->views[1].summary->stddev.value);
}

static const char *precision_of(struct lauka_prose *prose,
                                const struct lauka_result_quantiles *quantiles)
{
    return quantiles->from_values ? "exact"
                                  : lauka_say(prose, "%s%s", prose->signs->plus_minus,
                                              lauka_say_share(prose, quantiles->error));
}

static void put_footer(struct quantiles *of)
{
    struct lauka_prose *prose = of->prose;
    const struct lauka_result_quantiles *both = of->quantiles;
    put_pair(of, "mean", of->views[0].summary->mean, of->views[1].summary->mean);
    put_deviation(of);
    put_row(of, "precision", precision_of(prose, &both[0]), precision_of(prose, &both[1]), "");
    put_row(of, "total", lauka_say(prose, "%" PRIu64, both[0].count),
            lauka_say(prose, "%" PRIu64, both[1].count), "");
    const struct lauka_comparison *comparison = of->views[1].comparison;
    if (comparison && comparison->cohens_d.known)
        put_row(of, "d", "", "", lauka_say_effect(prose, comparison->cohens_d.value));
}

struct lauka_quantile_cells lauka_result_quantile_cells(struct lauka_prose *prose,
                                                        const struct lauka_result *result,
                                                        size_t command, size_t metric)
{
    struct lauka_quantile_cells cells = {.rows = 0};
    struct quantiles of = {.prose = prose, .to = &cells, .result = result, .metric = metric};
    const size_t commands[2] = {0, command};
    for (size_t i = 0; i < 2; i++) {
        of.views[i] = lauka_result_view(result, commands[i], metric);
        if (!of.views[i].counted)
            return cells;
        int error = lauka_result_quantiles(result, commands[i], metric, &of.quantiles[i]);
        lauka_prose_fail(prose, error);
        if (error)
            return cells;
    }
    put_ranks(&of);
    put_footer(&of);
    return cells;
}
