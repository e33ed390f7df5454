/* Percentiles of a command beside those of the reference, from the values or from the histogram,
 * whichever there is, as people read them. */
#include "report/words/words.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "stats/histogram.h"
#include "stats/stats.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct sheet {
    struct lauka_quantile_cells *to;
    const struct lauka_result *result;
    size_t metric;
    bool utf8;
    struct lauka_result_view views[2]; /* of the reference and of the command */
    struct lauka_result_quantiles quantiles[2];
};

static char (*new_row(struct sheet *sheet, const char *label))[LAUKA_QUANTILE_SIZE]
{
    char(*row)[LAUKA_QUANTILE_SIZE] = sheet->to->cells[sheet->to->rows++];
    for (size_t c = 0; c < LAUKA_QUANTILE_COLUMNS; c++)
        row[c][0] = 0;
    snprintf(row[LAUKA_QUANTILE_LABEL], LAUKA_QUANTILE_SIZE, "%s", label);
    return row;
}

static bool is_hidden(const struct lauka_result_view *view, double value)
{
    return view->floor > 0 && value <= (double)view->floor;
}

char *lauka_quantile_value(const struct lauka_result *result, size_t metric,
                           const struct lauka_result_view *view, double value, bool utf8,
                           char text[LAUKA_QUANTILE_SIZE])
{
    char number[64];
    bool hidden = is_hidden(view, value);
    double shown = hidden ? (double)view->floor : value;
    const char *mark = hidden ? (utf8 ? "≤" : "<=") : !view->at_least ? "" : utf8 ? "≥" : ">=";
    struct lauka_scale table = lauka_result_scale(result, metric, utf8);
    struct lauka_scale scale = lauka_result_scale_of(result, metric, shown, utf8);
    bool other = scale.divisor != table.divisor;
    lauka_format_scaled(shown, scale, number, sizeof number);
    if (other && !*scale.suffix) /* a number alone is one in the table's unit */
        snprintf(text, LAUKA_QUANTILE_SIZE, "<0.001");
    else
        snprintf(text, LAUKA_QUANTILE_SIZE, "%s%s%s%s", mark, number, other ? " " : "",
                 other ? scale.suffix : "");
    return text;
}

char *lauka_quantile_change(const struct lauka_result_view views[2], const double values[2],
                            bool utf8, char text[LAUKA_QUANTILE_SIZE])
{
    bool comparable = values[0] > 0 && !is_hidden(&views[0], values[0]) &&
                      !is_hidden(&views[1], values[1]) && !views[0].at_least && !views[1].at_least;
    snprintf(text, LAUKA_QUANTILE_SIZE, "%s", lauka_dash(utf8));
    if (comparable)
        lauka_format_change(values[1] / values[0], utf8, text, LAUKA_QUANTILE_SIZE);
    return text;
}

/* A row of two values and how far they are apart. */
static void put_pair(struct sheet *sheet, const char *label, double reference, double command)
{
    const double values[2] = {reference, command};
    char(*row)[LAUKA_QUANTILE_SIZE] = new_row(sheet, label);
    for (size_t i = 0; i < 2; i++)
        lauka_quantile_value(sheet->result, sheet->metric, &sheet->views[i], values[i], sheet->utf8,
                             row[LAUKA_QUANTILE_REFERENCE + i]);
    lauka_quantile_change(sheet->views, values, sheet->utf8, row[LAUKA_QUANTILE_CHANGE]);
}

static void put_ranks(struct sheet *sheet)
{
    uint64_t counts[2] = {sheet->quantiles[0].count, sheet->quantiles[1].count};
    uint64_t fewest = counts[0] < counts[1] ? counts[0] : counts[1];
    for (size_t i = 0; i < LAUKA_SUMMARY_RANKS; i++) {
        char label[32];
        if (!lauka_rank_has_values(lauka_summary_ranks[i], fewest))
            continue;
        lauka_format_rank(lauka_summary_ranks[i], label, sizeof label);
        put_pair(sheet, label, (double)sheet->quantiles[0].values[i],
                 (double)sheet->quantiles[1].values[i]);
    }
    new_row(sheet, "");
}

static void put_deviation(struct sheet *sheet)
{
    const struct lauka_optional reference = sheet->views[0].summary->stddev;
    const struct lauka_optional command = sheet->views[1].summary->stddev;
    const char *label = sheet->utf8 ? "σ" : "sd";
    if (!reference.known || !command.known || sheet->views[0].at_floor ||
        sheet->views[1].at_floor || sheet->views[0].at_least || sheet->views[1].at_least)
        return;
    /* A deviation can be small where no value is: no floor here. */
    uint64_t floors[2] = {sheet->views[0].floor, sheet->views[1].floor};
    sheet->views[0].floor = sheet->views[1].floor = 0;
    put_pair(sheet, label, reference.value, command.value);
    sheet->views[0].floor = floors[0];
    sheet->views[1].floor = floors[1];
}

static void put_precision(const struct sheet *sheet, const struct lauka_result_quantiles *quantiles,
                          char *cell)
{
    char share[32];
    if (quantiles->from_values)
        snprintf(cell, LAUKA_QUANTILE_SIZE, "exact");
    else
        snprintf(cell, LAUKA_QUANTILE_SIZE, "%s%s", sheet->utf8 ? "±" : "+-",
                 lauka_format_share(quantiles->error, share, sizeof share));
}

static void put_footer(struct sheet *sheet)
{
    put_pair(sheet, "mean", sheet->views[0].summary->mean, sheet->views[1].summary->mean);
    put_deviation(sheet);
    char(*precision)[LAUKA_QUANTILE_SIZE] = new_row(sheet, "precision");
    put_precision(sheet, &sheet->quantiles[0], precision[LAUKA_QUANTILE_REFERENCE]);
    put_precision(sheet, &sheet->quantiles[1], precision[LAUKA_QUANTILE_COMMAND]);
    char(*total)[LAUKA_QUANTILE_SIZE] = new_row(sheet, "total");
    snprintf(total[LAUKA_QUANTILE_REFERENCE], LAUKA_QUANTILE_SIZE, "%" PRIu64,
             sheet->quantiles[0].count);
    snprintf(total[LAUKA_QUANTILE_COMMAND], LAUKA_QUANTILE_SIZE, "%" PRIu64,
             sheet->quantiles[1].count);
    const struct lauka_comparison *comparison = sheet->views[1].comparison;
    if (comparison && comparison->cohens_d.known)
        lauka_format_effect(comparison->cohens_d.value, sheet->utf8,
                            new_row(sheet, "d")[LAUKA_QUANTILE_CHANGE], LAUKA_QUANTILE_SIZE);
}

int lauka_result_quantile_cells(const struct lauka_result *result, size_t command, size_t metric,
                                bool utf8, struct lauka_quantile_cells *cells)
{
    struct sheet sheet = {.to = cells, .result = result, .metric = metric, .utf8 = utf8};
    const size_t commands[2] = {0, command};
    cells->rows = 0;
    for (size_t i = 0; i < 2; i++) {
        sheet.views[i] = lauka_result_view(result, commands[i], metric);
        if (!sheet.views[i].counted)
            return 0;
        int error = lauka_result_quantiles(result, commands[i], metric, &sheet.quantiles[i]);
        if (error)
            return error;
    }
    put_ranks(&sheet);
    put_footer(&sheet);
    return 0;
}
