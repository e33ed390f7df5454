/* Three and more commands in the order of their speed: which one to take, and what the others cost. */
#include "report/terminal/blocks.h"
#include "report/analysis/analysis.h"
#include "report/result/result.h"
#include "report/text/prose.h"
#include "report/text/sheet.h"
#include "report/words/words.h"
#include "stats/stats.h"

#include <string.h>

enum column { NAME, MEDIAN, WORDS, INTERVAL, COLUMNS };

static const struct lauka_sheet_column columns[COLUMNS] = {
    [MEDIAN] = {.align = LAUKA_ALIGN_RIGHT, .rank = 2},
    [INTERVAL] = {.close = true, .rank = 1},
};

/* All of this many commands, or the first of more. */
enum { ROWS_MOST = 8, ROWS_FEW = 5, NAME_LEAST = 8 };

static const char *words_of_first(const struct lauka_ranking *ranking, bool time)
{
    if (ranking->clear)
        return time ? "fastest" : "lowest";
    return time ? "among the fastest" : "among the lowest";
}

/* Means would have another ratio than the changes. */
static const char *median_of(struct lauka_prose *prose, const struct lauka_result *result,
                             size_t command)
{
    const size_t metric = lauka_result_main_metric(result);
    const struct lauka_result_view view = lauka_result_view(result, command, metric);
    const struct lauka_scale scale = lauka_result_scale(result, metric, prose->utf8);
    const double deviation = lauka_result_deviation(result, command, metric);
    return lauka_with_unit(
        prose,
        lauka_say_uncertain(prose, view.summary->median, view.summary->mean, deviation, scale),
        scale.suffix);
}

/* "2.8 times as long" and "[2.4, 3.3]"; "5.1 % slower"; what is not known to be slower has the sign of its change. */
static const char *words_of(struct lauka_prose *prose, const struct lauka_comparison *values,
                            bool time, struct lauka_scale scale, struct lauka_change *change)
{
    const bool clear = values->verdict == LAUKA_VERDICT_HIGHER;
    *change = clear && lauka_change_is_factor(values) ? lauka_change_factor(prose, values)
              : clear                                 ? lauka_change_size(prose, values, scale)
                                                      : lauka_change(prose, values, scale);
    if (!clear)
        return lauka_say(prose, "%s, %s", change->estimate, lauka_verdict_word(values, time));
    if (lauka_change_is_factor(values))
        return lauka_say(prose, "%s times as %s", change->estimate, time ? "long" : "high");
    return lauka_say(prose, "%s %s", change->estimate, lauka_direction_word(true, time));
}

static enum lauka_style style_of(const struct lauka_ranking *ranking, size_t rank)
{
    return rank == 0 && ranking->clear ? LAUKA_STYLE_BETTER
           : rank > 0 && ranking->rows[rank].values.verdict == LAUKA_VERDICT_HIGHER
               ? LAUKA_STYLE_WORSE
               : LAUKA_STYLE_PLAIN;
}

static void add_row(struct lauka_sheet *sheet, const struct lauka_result *result,
                    const struct lauka_ranking *ranking, size_t rank, const char *name)
{
    struct lauka_prose *prose = sheet->prose;
    const size_t metric = lauka_result_main_metric(result), row = lauka_sheet_add(sheet);
    const struct lauka_ranked *ranked = &ranking->rows[rank];
    const bool time = lauka_is_time(result, metric);
    struct lauka_change change = {
        .interval = lauka_say(prose, "(medians; %.3g %%)", 100 * lauka_result_confidence(result))};
    const char *words = rank == 0
                            ? words_of_first(ranking, time)
                            : words_of(prose, &ranked->values, time,
                                       lauka_result_scale(result, metric, prose->utf8), &change);
    lauka_sheet_put(sheet, row, NAME, LAUKA_STYLE_MAIN, name);
    lauka_sheet_set(sheet, row, MEDIAN, median_of(prose, result, ranked->command));
    lauka_sheet_put(sheet, row, WORDS, style_of(ranking, rank), words);
    lauka_sheet_set(sheet, row, INTERVAL, change.interval);
}

/* They were left out of the ranking. */
static void add_failed(struct lauka_sheet *sheet, const struct lauka_result *result)
{
    for (size_t c = 0; c < result->command_count; c++) {
        const struct lauka_result_command *command = &result->commands[c];
        if (command->failures == 0)
            continue;
        const size_t row = lauka_sheet_add(sheet);
        lauka_sheet_put(sheet, row, NAME, LAUKA_STYLE_MAIN,
                        lauka_say_name(sheet->prose, result, c));
        lauka_sheet_put(sheet, row, WORDS, LAUKA_STYLE_WORSE, "failed");
    }
}

static void draw(struct lauka_prose *prose, const struct lauka_result *result,
                 const struct lauka_ranking *ranking)
{
    const size_t shown = ranking->count <= ROWS_MOST ? ranking->count : ROWS_FEW;
    struct lauka_sheet sheet;
    lauka_sheet_make(&sheet, columns, COLUMNS, prose);
    for (size_t rank = 0; rank < shown; rank++)
        add_row(&sheet, result, ranking, rank,
                lauka_say_name(prose, result, ranking->rows[rank].command));
    if (ranking->count < result->command_count)
        add_failed(&sheet, result);
    lauka_sheet_measure(&sheet);
    lauka_sheet_fit(&sheet);
    lauka_sheet_cut(&sheet, NAME, NAME_LEAST);
    lauka_sheet_cut(&sheet, NAME, 1);
    lauka_sheet_cut(&sheet, WORDS, 1);
    lauka_sheet_write(&sheet);
    if (ranking->count > shown)
        lauka_put_paragraph(prose, 0, LAUKA_STYLE_SECONDARY,
                            lauka_say(prose, "and %zu more", ranking->count - shown));
}

bool lauka_put_ranking(struct lauka_prose *prose, const struct lauka_result *result)
{
    struct lauka_ranking ranking;
    lauka_prose_fail(prose, lauka_result_rank(result, &ranking));
    const bool ranked = ranking.slower > 0;
    if (ranked)
        draw(prose, result, &ranking);
    lauka_ranking_done(&ranking);
    return ranked;
}
