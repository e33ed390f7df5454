/* The cells of a row, for every writer that people read. Machines get no cells. */
#include "report/words/words.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "stats/stats.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Columns of a metric's name; even of four bytes each they fit into a cell. */
enum { NAME_WIDTH = 24 };

static void put(char *cell, const char *text)
{
    snprintf(cell, LAUKA_CELL_SIZE, "%s", text);
}

static void put_name(const char *name, bool utf8, char *cell)
{
    char *fitted = lauka_fit_text(name, NAME_WIDTH, utf8);
    put(cell, fitted ? fitted : "?");
    free(fitted);
}

/* A value with a mark in front: "~91.23", "≤1.172", "≥3.4". With the digits that the deviation leaves. */
static void put_value(const struct lauka_result_view *view, double value, double deviation,
                      struct lauka_scale scale, bool utf8, char *cell)
{
    const char *mark = view->estimated ? "~" : "";
    if (view->floor > 0 && value <= (double)view->floor) {
        mark = utf8 ? "≤" : "<=";
        value = (double)view->floor;
    } else if (view->at_least)
        mark = utf8 ? "≥" : ">=";
    char number[LAUKA_CELL_SIZE - 8];
    lauka_format_uncertain(value, view->summary->mean, deviation, scale, number, sizeof number);
    snprintf(cell, LAUKA_CELL_SIZE, "%s%s", mark, number);
}

/* Rounded down: 100 % would not be an estimate. */
static void put_share(double share, char *cell)
{
    snprintf(cell, LAUKA_CELL_SIZE, share < 0.01 ? "<1 %%" : "%d %%", (int)(100 * share));
}

static void put_outliers(const struct lauka_summary *summary, char *cell)
{
    double percent = 100.0 * (double)summary->outliers / (double)summary->count;
    if (summary->outliers == 0)
        put(cell, "0");
    else if (percent < 1)
        snprintf(cell, LAUKA_CELL_SIZE, "%" PRIu64 " (<1 %%)", summary->outliers);
    else
        snprintf(cell, LAUKA_CELL_SIZE, "%" PRIu64 " (%.0f %%)", summary->outliers, percent);
}

static void put_spread(const struct lauka_result_view *view, double deviation,
                       struct lauka_scale scale, bool utf8, struct lauka_cells *cells)
{
    double whole = scale.divisor == 1 ? 0 : deviation; /* what is whole stays so */
    const struct lauka_summary *summary = view->summary;
    struct lauka_result_view exact = *view; /* the mark stands at the mean, once */
    exact.estimated = false;
    put(cells->text[LAUKA_CELL_DEVIATION], lauka_dash(utf8));
    if (summary->stddev.known && !view->at_floor && !view->at_least)
        lauka_format_uncertain(summary->stddev.value, summary->mean, deviation, scale,
                               cells->text[LAUKA_CELL_DEVIATION], LAUKA_CELL_SIZE);
    put_value(&exact, (double)summary->min, whole, scale, utf8, cells->text[LAUKA_CELL_LEAST]);
    put_value(&exact, (double)summary->max, whole, scale, utf8, cells->text[LAUKA_CELL_MOST]);
    put(cells->text[LAUKA_CELL_OUTLIERS], lauka_dash(utf8));
    if (view->outliers_known &&
        (summary->outliers == 0 || summary->third_quartile > summary->first_quartile))
        put_outliers(summary, cells->text[LAUKA_CELL_OUTLIERS]);
}

/* "slower", "slower, < 1 %", "inconclusive (1 of 4)"; commas and brackets may be left out. */
static void put_verdict(const struct lauka_result *result, size_t metric,
                        const struct lauka_comparison *comparison, char *cell)
{
    char share[32];
    /* A time that is neither good nor bad is more or less, not slower or faster. */
    bool judged = strcmp(result->metrics[metric].better, "neither") != 0;
    const char *word = lauka_verdict_word(comparison, judged ? result->metrics[metric].unit : "1");
    if (comparison->withdrawn && comparison->verdict == LAUKA_VERDICT_INCONCLUSIVE)
        snprintf(cell, LAUKA_CELL_SIZE, "%s (1 of %" PRIu64 ")", word, comparison->family);
    else if (comparison->below_precision)
        snprintf(cell, LAUKA_CELL_SIZE, "%s, < %s", word,
                 lauka_format_share(lauka_result_precision(result), share, sizeof share));
    else
        put(cell, word);
}

static void put_comparison(const struct lauka_result *result, size_t metric,
                           const struct lauka_comparison *comparison, bool utf8,
                           struct lauka_cells *cells)
{
    struct lauka_change change;
    lauka_change_format(comparison, lauka_result_scale(result, metric, utf8), utf8, &change);
    put(cells->text[LAUKA_CELL_CHANGE], *change.estimate ? change.estimate : lauka_dash(utf8));
    put(cells->text[LAUKA_CELL_INTERVAL], change.interval);
    put_verdict(result, metric, comparison, cells->text[LAUKA_CELL_VERDICT]);
    put(cells->text[LAUKA_CELL_EFFECT], lauka_dash(utf8));
    if (comparison->cohens_d.known)
        lauka_format_effect(comparison->cohens_d.value, utf8, cells->text[LAUKA_CELL_EFFECT],
                            LAUKA_CELL_SIZE);
}

/* What may be marked as good or bad: significant, primary, and larger than what does not matter. */
static void mark(const struct lauka_result_metric *metric,
                 const struct lauka_comparison *comparison, struct lauka_cells *cells)
{
    bool higher = comparison->verdict == LAUKA_VERDICT_HIGHER;
    bool lower = comparison->verdict == LAUKA_VERDICT_LOWER;
    if (!metric->primary || comparison->below_precision)
        return;
    bool wants_lower = strcmp(metric->better, "lower") == 0;
    bool wants_higher = strcmp(metric->better, "higher") == 0;
    cells->better = (lower && wants_lower) || (higher && wants_higher);
    cells->worse = (higher && wants_lower) || (lower && wants_higher);
}

void lauka_result_cells(const struct lauka_result *result, size_t command, size_t metric, bool utf8,
                        struct lauka_cells *cells)
{
    struct lauka_result_view view = lauka_result_view(result, command, metric);
    double shown = view.at_floor ? (double)view.floor : view.counted ? view.summary->mean : 0;
    struct lauka_scale scale = lauka_result_scale_of(result, metric, shown, utf8);
    double deviation = lauka_result_deviation(result, command, metric);
    *cells = (struct lauka_cells){.counted = view.counted,
                                  .estimated = view.estimated,
                                  .primary = result->metrics[metric].primary};
    put_name(result->metrics[metric].name, utf8, cells->text[LAUKA_CELL_NAME]);
    put(cells->text[LAUKA_CELL_MEAN], lauka_dash(utf8));
    if (!view.counted)
        return;
    cells->many_outliers = view.outliers_known &&
                           view.summary->third_quartile > view.summary->first_quartile &&
                           view.summary->outliers * 10 >= view.summary->count;
    put_value(&view, view.summary->mean, deviation, scale, utf8, cells->text[LAUKA_CELL_MEAN]);
    put(cells->text[LAUKA_CELL_UNIT], scale.suffix);
    if (view.estimated)
        put_share(result->metrics[metric].share, cells->text[LAUKA_CELL_SHARE]);
    if (view.summary->max > view.floor || view.floor == 0)
        put_spread(&view, deviation, scale, utf8, cells);
    if (!view.comparison)
        return;
    put_comparison(result, metric, view.comparison, utf8, cells);
    mark(&result->metrics[metric], view.comparison, cells);
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

const char *lauka_cell_title(enum lauka_cell cell, bool utf8)
{
    switch (cell) {
    case LAUKA_CELL_MEAN:
        return "mean";
    case LAUKA_CELL_DEVIATION:
        return utf8 ? "σ" : "sd";
    case LAUKA_CELL_SHARE:
        return "counted";
    case LAUKA_CELL_LEAST:
        return "min";
    case LAUKA_CELL_MOST:
        return "max";
    case LAUKA_CELL_OUTLIERS:
        return "outliers";
    case LAUKA_CELL_CHANGE:
        return "change";
    case LAUKA_CELL_VERDICT:
        return "verdict";
    case LAUKA_CELL_EFFECT:
        return "d";
    case LAUKA_CELL_NAME:
    case LAUKA_CELL_UNIT:
    case LAUKA_CELL_INTERVAL:
    case LAUKA_CELLS:
        break;
    }
    return "";
}

const char *lauka_dash(bool utf8)
{
    return utf8 ? "–" : "-";
}
