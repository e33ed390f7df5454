/* The cells of a row, for every writer that people read. Machines get no cells. */
#include "report/words/words.h"
#include "report/analysis/analysis.h"
#include "report/result/result.h"
#include "report/text/prose.h"
#include "stats/histogram.h"
#include "stats/stats.h"

#include <inttypes.h>
#include <string.h>

enum { NAME_WIDTH = 24 }; /* columns of a metric's name */

/* ---- marks: what is known of a value that is not seen in full -------------------------------- */

/* Only the launcher's own memory was seen, whose size is then shown instead of the value. */
static bool is_hidden(const struct lauka_result_view *view, double value)
{
    return view->floor > 0 && value <= (double)view->floor;
}

static double shown_value(const struct lauka_result_view *view, double value)
{
    return is_hidden(view, value) ? (double)view->floor : value;
}

/* "≤" of what is hidden, "≥" if runs were cut; otherwise nothing. */
static const char *mark_of(const struct lauka_prose *prose, const struct lauka_result_view *view,
                           double value)
{
    return is_hidden(view, value) ? prose->signs->at_most
           : view->at_least       ? prose->signs->at_least
                                  : "";
}

/* ---- values ---------------------------------------------------------------------------------- */

/* "~91.23", "≤1.172", "≥3.4": with the digits that the deviation leaves. */
static const char *value_of(struct lauka_prose *prose, const struct lauka_result_view *view,
                            double value, double deviation, struct lauka_scale scale)
{
    const char *mark = mark_of(prose, view, value);
    return lauka_say(prose, "%s%s",
                     *mark             ? mark
                     : view->estimated ? "~"
                                       : "",
                     lauka_say_uncertain(prose, shown_value(view, value), view->summary->mean,
                                         deviation, scale));
}

static const char *outliers_of(struct lauka_prose *prose, const struct lauka_summary *summary)
{
    double percent = 100.0 * (double)summary->outliers / (double)summary->count;
    if (summary->outliers == 0)
        return "0";
    return percent < 1 ? lauka_say(prose, "%" PRIu64 " (<1 %%)", summary->outliers)
                       : lauka_say(prose, "%" PRIu64 " (%.0f %%)", summary->outliers, percent);
}

/* Whether outliers are told from a spread that is there. */
static bool has_spread(const struct lauka_result_view *view)
{
    return view->summary->third_quartile > view->summary->first_quartile;
}

static void put_spread(struct lauka_prose *prose, const struct lauka_result_view *view,
                       double deviation, struct lauka_scale scale, struct lauka_cells *cells)
{
    double whole = scale.divisor == 1 ? 0 : deviation; /* what is whole stays so */
    const struct lauka_summary *summary = view->summary;
    struct lauka_result_view exact = *view; /* the mark stands at the mean, once */
    exact.estimated = false;
    bool known = summary->stddev.known && !view->at_floor && !view->at_least;
    cells->text[LAUKA_CELL_DEVIATION] =
        known ? lauka_say_uncertain(prose, summary->stddev.value, summary->mean, deviation, scale)
              : prose->signs->dash;
    cells->text[LAUKA_CELL_LEAST] = value_of(prose, &exact, (double)summary->min, whole, scale);
    cells->text[LAUKA_CELL_MOST] = value_of(prose, &exact, (double)summary->max, whole, scale);
    cells->text[LAUKA_CELL_OUTLIERS] =
        view->outliers_known && (summary->outliers == 0 || has_spread(view))
            ? outliers_of(prose, summary)
            : prose->signs->dash;
}

/* ---- comparisons ----------------------------------------------------------------------------- */

/* Of values beyond the precision, 1 where they are better, -1 where they are worse. */
static int direction_of(const struct lauka_result *result, size_t metric,
                        const struct lauka_comparison *values)
{
    const bool decides = result->metrics[metric].primary && !values->below_precision;
    return decides && lauka_is_clear(values)
               ? lauka_direction_goodness(result->metrics[metric].better,
                                          values->verdict == LAUKA_VERDICT_HIGHER)
               : 0;
}

/* Whether it only seems better, as it does not do the work. */
static bool cheats(const struct lauka_result *result, size_t command, size_t metric,
                   const struct lauka_comparison *values)
{
    return direction_of(result, metric, values) > 0 && !lauka_result_does_work(result, command);
}

int lauka_goodness(const struct lauka_result *result, size_t command, size_t metric)
{
    const struct lauka_comparison *values = lauka_result_comparison(result, command, metric);
    return cheats(result, command, metric, values) ? 0 : direction_of(result, metric, values);
}

/* "slower", "slower, < 1 %", "faster, failed", "may be chance (4 comparisons)"; commas and brackets may be left out. */
static const char *verdict_of(struct lauka_prose *prose, const struct lauka_result *result,
                              size_t command, size_t metric,
                              const struct lauka_comparison *comparison)
{
    const char *word = lauka_verdict_word(comparison, lauka_is_speed(result, metric));
    if (comparison->withdrawn && comparison->verdict == LAUKA_VERDICT_INCONCLUSIVE)
        return lauka_say(prose, "may be chance (%" PRIu64 " comparisons)", comparison->family);
    if (cheats(result, command, metric, comparison))
        return lauka_say(prose, "%s, failed", word);
    if (comparison->below_precision)
        return lauka_say(prose, "%s, < %s", word,
                         lauka_say_share(prose, lauka_result_precision(result)));
    return word;
}

static void put_comparison(struct lauka_prose *prose, const struct lauka_result *result,
                           size_t command, size_t metric, const struct lauka_comparison *comparison,
                           struct lauka_cells *cells)
{
    struct lauka_change change =
        lauka_change(prose, comparison, lauka_result_scale(result, metric, prose->utf8));
    cells->text[LAUKA_CELL_CHANGE] = *change.estimate ? change.estimate : prose->signs->dash;
    cells->text[LAUKA_CELL_INTERVAL] = change.interval;
    cells->text[LAUKA_CELL_VERDICT] = verdict_of(prose, result, command, metric, comparison);
    cells->text[LAUKA_CELL_EFFECT] = comparison->cohens_d.known
                                         ? lauka_say_effect(prose, comparison->cohens_d.value)
                                         : prose->signs->dash;
}

/* ---- rows ------------------------------------------------------------------------------------ */

struct lauka_cells lauka_result_cells(struct lauka_prose *prose, const struct lauka_result *result,
                                      size_t command, size_t metric)
{
    const struct lauka_result_metric *about = &result->metrics[metric];
    struct lauka_result_view view = lauka_result_view(result, command, metric);
    double shown = view.at_floor ? (double)view.floor : view.counted ? view.summary->mean : 0;
    struct lauka_scale scale = lauka_result_scale_of(result, metric, shown, prose->utf8);
    double deviation = lauka_result_deviation(result, command, metric);
    struct lauka_cells cells = {
        .counted = view.counted, .estimated = view.estimated, .primary = about->primary};
    for (enum lauka_cell c = 0; c < LAUKA_CELLS; c++)
        cells.text[c] = "";
    cells.text[LAUKA_CELL_NAME] = lauka_say_fitted(prose, about->name, NAME_WIDTH);
    cells.text[LAUKA_CELL_MEAN] = prose->signs->dash;
    if (!view.counted)
        return cells;
    cells.many_outliers = view.outliers_known && has_spread(&view) &&
                          view.summary->outliers * 10 >= view.summary->count;
    cells.text[LAUKA_CELL_MEAN] = value_of(prose, &view, view.summary->mean, deviation, scale);
    cells.text[LAUKA_CELL_UNIT] = scale.suffix;
    if (view.estimated) /* rounded down: 100 % would not be an estimate */
        cells.text[LAUKA_CELL_SHARE] =
            about->share < 0.01 ? "<1 %" : lauka_say(prose, "%d %%", (int)(100 * about->share));
    if (view.summary->max > view.floor || view.floor == 0)
        put_spread(prose, &view, deviation, scale, &cells);
    if (!view.comparison)
        return cells;
    put_comparison(prose, result, command, metric, view.comparison, &cells);
    cells.goodness = lauka_goodness(result, command, metric);
    return cells;
}

const char *lauka_cells_mean(struct lauka_prose *prose, const struct lauka_cells *cells,
                             const char *blank)
{
    const char *share = cells->text[LAUKA_CELL_SHARE];
    const char *mean =
        lauka_join(prose, cells->text[LAUKA_CELL_MEAN],
                   lauka_say(prose, "%s%s%s", blank, prose->signs->plus_minus, blank),
                   cells->text[LAUKA_CELL_DEVIATION]);
    mean = lauka_join(prose, mean, blank, cells->text[LAUKA_CELL_UNIT]);
    return *share ? lauka_say(prose, "%s (%s)", mean, share) : mean;
}

static const char *means_of(struct lauka_prose *prose, const struct lauka_cells *before,
                            const struct lauka_cells *after, const char *blank)
{
    struct lauka_cells first = *before;
    const char *unit = before->text[LAUKA_CELL_UNIT], *other = after->text[LAUKA_CELL_UNIT];
    const bool same = strcmp(unit, other) == 0, apart = !same && (!*unit || !*other);
    if (same)
        first.text[LAUKA_CELL_UNIT] = "";
    const char *from = lauka_cells_mean(prose, &first, blank);
    const char *to = lauka_cells_mean(prose, after, blank);
    if (apart && *unit) /* whose unit it is */
        from = lauka_say(prose, "(%s)", from);
    else if (apart)
        to = lauka_say(prose, "(%s)", to);
    return lauka_say(prose, "%s %s%s%s", from, prose->signs->arrow, blank, to);
}

const char *lauka_say_means(struct lauka_prose *prose, const struct lauka_result *result,
                            size_t reference, size_t command, size_t metric, bool spread,
                            const char *blank)
{
    struct lauka_cells cells[2] = {lauka_result_cells(prose, result, reference, metric),
                                   lauka_result_cells(prose, result, command, metric)};
    for (size_t i = 0; i < 2 && !spread; i++)
        cells[i].text[LAUKA_CELL_DEVIATION] = cells[i].text[LAUKA_CELL_SHARE] = "";
    return means_of(prose, &cells[0], &cells[1], blank);
}

bool lauka_next_metric(const struct lauka_result *result, size_t *place, size_t *metric)
{
    const size_t count = result->metric_count;
    while (*place < 2 * count) {
        bool primary = *place < count;
        *metric = (*place)++ % count;
        if (result->metrics[*metric].primary == primary && lauka_result_is_shown(result, *metric))
            return true;
    }
    return false;
}

const char *lauka_cell_title(const struct lauka_prose *prose, enum lauka_cell cell)
{
    static const char *const titles[LAUKA_CELLS] = {
        [LAUKA_CELL_MEAN] = "mean",       [LAUKA_CELL_SHARE] = "counted",
        [LAUKA_CELL_LEAST] = "min",       [LAUKA_CELL_MOST] = "max",
        [LAUKA_CELL_CHANGE] = "change",   [LAUKA_CELL_OUTLIERS] = "outliers",
        [LAUKA_CELL_VERDICT] = "verdict", [LAUKA_CELL_EFFECT] = "d",
    };
    return cell == LAUKA_CELL_DEVIATION ? prose->signs->sigma : titles[cell] ? titles[cell] : "";
}

/* ---- quantiles ---------------------------------------------------------------------------------- */

const char *lauka_quantile_value(struct lauka_prose *prose, const struct lauka_result *result,
                                 size_t metric, const struct lauka_result_view *view, double value)
{
    double shown = shown_value(view, value);
    struct lauka_scale table = lauka_result_scale(result, metric, prose->utf8);
    struct lauka_scale scale = lauka_result_scale_of(result, metric, shown, prose->utf8);
    bool other = scale.divisor != table.divisor;
    if (other && !*scale.suffix) /* a number alone is one in the table's unit */
        return "<0.001";
    const char *number = lauka_say_scaled(prose, shown, scale);
    return lauka_say(prose, "%s%s", mark_of(prose, view, value),
                     other ? lauka_with_unit(prose, number, scale.suffix) : number);
}

const char *lauka_quantile_change(struct lauka_prose *prose,
                                  const struct lauka_result_view views[2], const double values[2])
{
    bool comparable = values[0] > 0 && !*mark_of(prose, &views[0], values[0]) &&
                      !*mark_of(prose, &views[1], values[1]);
    return comparable ? lauka_say_change_roughly(prose, values[1] / values[0]) : prose->signs->dash;
}

const char *lauka_say_rank(struct lauka_prose *prose, uint32_t rank)
{
    char text[32];
    return lauka_say(prose, "%s", lauka_format_rank(rank, text, sizeof text));
}
