/* The one table of a comment: a row for each limit, then for each other comparison that matters. Beside it stands why a
 * limit is undecided. */
#include "report/ci/pr_comment.h"
#include "report/analysis/analysis.h"
#include "report/markdown/markdown.h"
#include "report/result/result.h"
#include "report/text/prose.h"
#include "report/words/words.h"
#include "stats/stats.h"

#include <string.h>

/* ---- which rows -------------------------------------------------------------------------------- */

/* The gate's own table has them, either with made-up values or against namesakes. */
static bool has_own_table(const struct lauka_result *result)
{
    return result->gate.tried || result->gate.halves > 0;
}

/* A budget that is kept says nothing about a change. */
static bool has_limit(const struct lauka_result *result, size_t command, size_t metric)
{
    const struct lauka_gate_row *row = lauka_gate_row_of(result, command, metric);
    return row && !(lauka_gate_is_budget(result, row) &&
                    row->judgement.verdict == LAUKA_GATE_PASS && command > 0);
}

static void add(struct lauka_comment_rows *rows, const struct lauka_gate_row *limit, size_t command,
                size_t metric)
{
    rows->rows[rows->count++] = (struct lauka_comment_row){limit, command, metric};
}

/* The worst first, as in the heading. */
static void add_limits(struct lauka_prose *prose, const struct lauka_result *result,
                       enum lauka_comment_extent extent, struct lauka_comment_rows *rows)
{
    const struct lauka_exceeded exceeded = lauka_exceeded_limits(prose, result, LAUKA_EACH_COMMAND);
    for (size_t i = 0; i < exceeded.count; i++)
        add(rows, exceeded.rows[i], exceeded.rows[i]->command, exceeded.rows[i]->metric);
    for (int concern = LAUKA_CONCERN_UNCLEAR; concern >= LAUKA_CONCERN_NONE; concern--)
        for (size_t i = 0; i < result->gate.row_count; i++) {
            const struct lauka_gate_row *row = &result->gate.rows[i];
            if (lauka_concern_of_row(result, row) == (enum lauka_concern)concern &&
                (extent > LAUKA_COMMENT_QUIET || concern > LAUKA_CONCERN_NONE))
                add(rows, row, row->command, row->metric);
        }
}

/* What decides comes before what is exploratory, and worse before better. */
static void add_comparisons(const struct lauka_result *result, enum lauka_comment_extent extent,
                            struct lauka_comment_rows *rows)
{
    const int least = extent == LAUKA_COMMENT_ALL ? LAUKA_CONCERN_NONE : LAUKA_CONCERN_NONE + 1;
    for (int primary = 1; primary >= 0; primary--)
        for (int concern = LAUKA_CONCERN_WORSE; concern >= least; concern--)
            for (size_t c = 1; c < result->command_count; c++)
                for (size_t m = 0; m < result->metric_count; m++)
                    if (result->metrics[m].primary == primary && lauka_result_is_shown(result, m) &&
                        lauka_markdown_is_counted(result, m) && !has_limit(result, c, m) &&
                        lauka_concern_of(result, c, m) == (enum lauka_concern)concern)
                        add(rows, NULL, c, m);
}

struct lauka_comment_rows lauka_comment_rows(struct lauka_prose *prose,
                                             const struct lauka_result *result,
                                             enum lauka_comment_extent extent)
{
    const size_t most = result->gate.row_count + result->command_count * result->metric_count;
    struct lauka_comment_rows rows = {lauka_prose_room(prose, most + 1, sizeof *rows.rows), 0};
    if (!rows.rows || has_own_table(result))
        return rows;
    add_limits(prose, result, extent, &rows);
    add_comparisons(result, extent, &rows);
    return rows;
}

/* ---- a row ------------------------------------------------------------------------------------- */

/* By the interval in its row. */
static const char *say_verdict(struct lauka_prose *prose, const struct lauka_result *result,
                               const struct lauka_comment_row *row, const struct lauka_cells *cells)
{
    enum lauka_concern concern = row->limit ? lauka_concern_of_row(result, row->limit)
                                            : lauka_concern_of(result, row->command, row->metric);
    if (concern < LAUKA_CONCERN_UNCLEAR && !lauka_result_ended_well(result))
        concern = LAUKA_CONCERN_UNCLEAR; /* nothing of such a session is green */
    const char *word =
        row->limit ? lauka_gate_row_verdict(result, row->limit) : cells->text[LAUKA_CELL_VERDICT];
    word = lauka_markdown_unbroken(prose, *word ? word : "not compared");
    if (!row->limit && concern == LAUKA_CONCERN_NONE) /* nothing to act on: it has no mark */
        return word;
    bool decides = row->limit || result->metrics[row->metric].primary;
    return lauka_say(prose, "%s\u00A0%s%s", lauka_concern_symbol(concern), word,
                     decides ? "" : ", exploratory");
}

/* The gate's figures if it judged: the verdict and the heading are about them. */
static const char *say_change(struct lauka_prose *prose, const struct lauka_result *result,
                              const struct lauka_comment_row *row, const struct lauka_cells *cells)
{
    struct lauka_change change = {cells->text[LAUKA_CELL_CHANGE], cells->text[LAUKA_CELL_INTERVAL]};
    if (row->limit)
        change = lauka_gate_row_change(prose, result, row->limit);
    bool known = *change.estimate && strcmp(change.estimate, prose->signs->dash) != 0;
    bool matters =
        row->limit || lauka_concern_of(result, row->command, row->metric) > LAUKA_CONCERN_NONE;
    const char *estimate = prose->signs->dash;
    if (known)
        estimate = lauka_say(prose, matters ? "**%s**" : "%s",
                             lauka_markdown_unbroken(prose, change.estimate));
    return lauka_join(prose, estimate, "\u00A0", lauka_markdown_unbroken(prose, change.interval));
}

/* "`wall_time` p99", and of an exceeded limit the function that costs most. */
static const char *say_metric(struct lauka_prose *prose, const struct lauka_result *result,
                              const struct lauka_comment_row *row,
                              const struct lauka_gate_cells *limit)
{
    const char *name = lauka_markdown_code(
        prose, row->limit ? limit->text[LAUKA_GATE_CELL_METRIC] : result->metrics[row->metric].name,
        true);
    bool exceeded = row->limit && lauka_concern_of_row(result, row->limit) == LAUKA_CONCERN_WORSE;
    return lauka_join(prose, name, "<br>",
                      exceeded ? lauka_markdown_function(prose, result, row->command, row->metric)
                               : "");
}

/* "5.01 ± 0.02 → 9.72 ± 0.04 MiB", which may break before the arrow; of a budget only what it is about. */
static const char *say_means(struct lauka_prose *prose, const struct lauka_result *result,
                             const struct lauka_comment_row *row, bool spread)
{
    const size_t before = row->limit ? row->limit->reference : 0;
    struct lauka_cells alone;
    if (before != row->command)
        return lauka_say_means(prose, result, before, row->command, row->metric, spread,
                               LAUKA_UNBROKEN);
    alone = lauka_result_cells(prose, result, row->command, row->metric);
    if (!spread)
        alone.text[LAUKA_CELL_DEVIATION] = "";
    return lauka_cells_mean(prose, &alone, LAUKA_UNBROKEN);
}

void lauka_comment_row(struct lauka_prose *prose, const struct lauka_result *result,
                       const struct lauka_comment_row *row, bool spread)
{
    struct lauka_cells cells = lauka_result_cells(prose, result, row->command, row->metric);
    struct lauka_gate_cells limit = {{NULL}};
    if (row->limit)
        limit = lauka_gate_row_cells(prose, result, row->limit);
    lauka_put(prose, "| %s | ", say_verdict(prose, result, row, &cells));
    if (result->command_count > 2)
        lauka_put(prose, "%s | ", lauka_markdown_name(prose, result, row->command, true));
    lauka_put(prose, "%s | %s | ", say_metric(prose, result, row, &limit),
              say_change(prose, result, row, &cells));
    if (result->gate.row_count > 0)
        lauka_put(prose, "%s | ",
                  row->limit ? lauka_markdown_unbroken(prose, limit.text[LAUKA_GATE_CELL_LIMIT])
                             : "");
    lauka_put(prose, "%s |\n", say_means(prose, result, row, spread));
}

void lauka_comment_titles(struct lauka_prose *prose, const struct lauka_result *result, bool spread)
{
    const bool named = result->command_count > 2, limits = result->gate.row_count > 0;
    lauka_put(prose, "| Verdict |%s Metric | %s |%s Mean%s |\n|:--|%s:--|:--|%s--:|\n",
              named ? " Command |" : "", limits ? lauka_gate_figures(result) : "Change",
              limits ? " Limit |" : "", spread ? " ± σ" : "", named ? ":--|" : "",
              limits ? ":--|" : "");
}

/* ---- below it ---------------------------------------------------------------------------------- */

/* The command is named where there are several. */
static void put_remark(struct lauka_prose *prose, const struct lauka_result *result,
                       const struct lauka_gate_row *row)
{
    const struct lauka_gate_cells cells = lauka_gate_row_cells(prose, result, row);
    const char *remark = cells.text[LAUKA_GATE_CELL_REMARK], *of = "";
    if (!*remark)
        return;
    if (result->command_count > 2)
        of = lauka_say(prose, " of %s", lauka_markdown_name(prose, result, row->command, false));
    lauka_put(prose, "- %s%s: %s\n",
              lauka_markdown_code(prose, cells.text[LAUKA_GATE_CELL_METRIC], false), of,
              lauka_markdown_prose(prose, remark));
}

void lauka_comment_remarks(struct lauka_prose *prose, const struct lauka_result *result)
{
    const char *note;
    if (result->gate.verdict == LAUKA_GATE_INCONCLUSIVE && result->gate.row_count > 0)
        lauka_put(prose, "%s\n\n", lauka_markdown_prose(prose, lauka_gate_headline(prose, result)));
    lauka_prose_capture(prose);
    for (size_t i = 0; i < result->gate.row_count; i++)
        put_remark(prose, result, &result->gate.rows[i]);
    const char *remarks = lauka_prose_captured(prose);
    lauka_put(prose, "%s%s", remarks, *remarks ? "\n" : "");
    for (size_t place = 0; (note = lauka_gate_next_note(prose, result, &place));)
        lauka_put(prose, "> note: %s\n\n", lauka_markdown_prose(prose, note));
}
