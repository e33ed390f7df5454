/* What is not shown in full: a line each for what else changed, what did not, what is inconclusive, and
 * what was not counted, by name. */
#include "report/terminal/screen.h"
#include "report/result/result.h"
#include "report/text/prose.h"
#include "report/text/sheet.h"
#include "report/words/said.h"
#include "report/words/words.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { INDENT = 14, NARROW = 48, NAMES_MOST = 12 };

/* ---- what became of it ----------------------------------------------------------------------- */

enum lauka_finding lauka_screen_finding(const struct lauka_result *result, size_t command,
                                        size_t metric)
{
    struct lauka_result_view view = lauka_result_view(result, command, metric);
    if (!view.counted)
        return LAUKA_FINDING_UNCOUNTED;
    if (!view.comparison)
        return LAUKA_FINDING_WITHIN;
    switch (view.comparison->verdict) {
    case LAUKA_VERDICT_HIGHER:
    case LAUKA_VERDICT_LOWER:
        return view.comparison->below_precision ? LAUKA_FINDING_WITHIN : LAUKA_FINDING_CHANGED;
    case LAUKA_VERDICT_EQUIVALENT:
    case LAUKA_VERDICT_IDENTICAL:
        return LAUKA_FINDING_WITHIN;
    case LAUKA_VERDICT_INCONCLUSIVE:
    case LAUKA_VERDICT_NONE:
        break;
    }
    return LAUKA_FINDING_INCONCLUSIVE;
}

/* The number of commands for which it holds. */
static size_t count_found(const struct lauka_result *result, size_t metric,
                          enum lauka_finding finding)
{
    size_t count = 0;
    for (size_t c = result->command_count > 1; c < result->command_count; c++)
        count += lauka_screen_finding(result, c, metric) == finding;
    return count;
}

/* ---- a line of names ------------------------------------------------------------------------- */

struct list {
    struct lauka_prose *prose;
    const char *text;
    size_t count;
};

static struct list list_of(const struct lauka_screen *screen)
{
    return (struct list){screen->prose, "", 0};
}

static void add_name(struct list *list, const char *name)
{
    if (list->count++ < NAMES_MOST)
        list->text = lauka_join(list->prose, list->text, ", ", name);
}

static void put_line(struct lauka_prose *prose, const char *title, const char *text)
{
    int indent = prose->terminal.width >= NARROW ? INDENT : 2, width = (int)strlen(title);
    lauka_put_text(prose, LAUKA_STYLE_SECONDARY, title);
    if (indent == INDENT && width < INDENT)
        lauka_put(prose, "%*s", INDENT - width, "");
    else
        lauka_put(prose, indent == INDENT ? " " : "\n  ");
    lauka_put_wrapped(prose, indent, text);
}

static void put_list(const char *title, const struct list *list)
{
    const char *text = list->text;
    if (list->count > NAMES_MOST)
        text = lauka_say(list->prose, "%s and %zu more", text, list->count - NAMES_MOST);
    if (list->count > 0)
        put_line(list->prose, title, text);
}

/* ---- what else changed ----------------------------------------------------------------------- */

struct change_row {
    size_t command, metric;
    bool primary;
    double size; /* of the change; what has no ratio comes first */
};

static int compare_sizes(const void *left, const void *right)
{
    const struct change_row *a = left, *b = right;
    if (a->primary != b->primary)
        return a->primary ? -1 : 1;
    if (a->size != b->size)
        return a->size < b->size ? 1 : -1;
    return a->metric != b->metric ? (a->metric > b->metric) - (a->metric < b->metric)
                                  : (a->command > b->command) - (a->command < b->command);
}

/* What decides comes first, then the largest. NULL if there is no memory. */
static struct change_row *find_changes(const struct lauka_screen *screen, size_t *count)
{
    const struct lauka_result *result = screen->result;
    struct change_row *rows =
        lauka_prose_room(screen->prose, result->command_count * result->metric_count, sizeof *rows);
    *count = 0;
    for (size_t m = 0; rows && m < result->metric_count; m++)
        for (size_t c = 1; c < result->command_count; c++) {
            if (screen->in_full[m] || !lauka_result_is_shown(result, m) ||
                lauka_screen_finding(result, c, m) != LAUKA_FINDING_CHANGED)
                continue;
            const struct lauka_comparison *values = lauka_result_comparison(result, c, m);
            double size = values->log_ratio.known ? fabs(values->log_ratio.value) : HUGE_VAL;
            rows[(*count)++] = (struct change_row){c, m, result->metrics[m].primary, size};
        }
    if (rows)
        qsort(rows, *count, sizeof *rows, compare_sizes);
    return rows;
}

static const char *means_of(struct lauka_prose *prose, const struct lauka_cells *before,
                            const struct lauka_cells *after)
{
    const char *unit = after->text[LAUKA_CELL_UNIT], *other = before->text[LAUKA_CELL_UNIT];
    const char *mean = before->text[LAUKA_CELL_MEAN];
    return lauka_say(
        prose, "%s %s %s", strcmp(unit, other) == 0 ? mean : lauka_say(prose, "%s %s", mean, other),
        prose->signs->arrow, lauka_with_unit(prose, after->text[LAUKA_CELL_MEAN], unit));
}

enum column { METRIC, COMMAND, MEANS, ESTIMATE, INTERVAL, VERDICT, EFFECT, COLUMNS };

static const struct lauka_sheet_column columns[COLUMNS] = {
    [MEANS] = {.align = LAUKA_ALIGN_RIGHT, .rank = 2},
    [ESTIMATE] = {.align = LAUKA_ALIGN_RIGHT},
    [INTERVAL] = {.close = true, .rank = 3},
    [EFFECT] = {.align = LAUKA_ALIGN_RIGHT, .rank = 1},
};

static void add_change(const struct lauka_screen *screen, const struct change_row *row,
                       const char *name, struct lauka_sheet *sheet)
{
    struct lauka_prose *prose = screen->prose;
    const struct lauka_result *result = screen->result;
    const struct lauka_cells before = lauka_result_cells(prose, result, 0, row->metric);
    const struct lauka_cells cells = lauka_result_cells(prose, result, row->command, row->metric);
    const char *effect = cells.text[LAUKA_CELL_EFFECT], *verdict = cells.text[LAUKA_CELL_VERDICT];
    const size_t r = lauka_sheet_add(sheet);
    lauka_sheet_put(sheet, r, METRIC, LAUKA_STYLE_HEADING, cells.text[LAUKA_CELL_NAME]);
    if (result->command_count > 2)
        lauka_sheet_set(sheet, r, COMMAND, name);
    lauka_sheet_set(sheet, r, MEANS, means_of(prose, &before, &cells));
    lauka_sheet_set(sheet, r, ESTIMATE, cells.text[LAUKA_CELL_CHANGE]);
    lauka_sheet_set(sheet, r, INTERVAL, cells.text[LAUKA_CELL_INTERVAL]);
    lauka_sheet_set(sheet, r, VERDICT,
                    lauka_say(prose, "%.*s", (int)strcspn(verdict, " ,"), verdict));
    if (result->command_count <= LAUKA_SCREEN_GROUPED && strcmp(effect, prose->signs->dash) != 0)
        lauka_sheet_set(sheet, r, EFFECT, lauka_say(prose, "d %s", effect));
}

/* Names are cut before the verdict goes. It goes if they would vanish otherwise: the sign of the change says the same.
 * */
static void fit_changes(struct lauka_sheet *sheet)
{
    int *metric = &sheet->columns[METRIC].width, *command = &sheet->columns[COMMAND].width;
    lauka_sheet_measure(sheet);
    if (*metric < INDENT - 2 && sheet->prose->terminal.width >= NARROW)
        *metric = INDENT - 2;
    lauka_sheet_fit(sheet);
    lauka_sheet_cut(sheet, COMMAND, 8);
    lauka_sheet_cut(sheet, METRIC, 8);
    if (lauka_sheet_excess(sheet) > *command + *metric - 1)
        sheet->columns[VERDICT].hidden = true;
    lauka_sheet_cut(sheet, COMMAND, 0);
    lauka_sheet_cut(sheet, METRIC, 1);
}

static void put_changes(const struct lauka_screen *screen)
{
    struct lauka_prose *prose = screen->prose;
    const int width = prose->terminal.width / 5;
    size_t count = 0;
    const struct change_row *rows = find_changes(screen, &count);
    size_t shown = count < screen->most_rows ? count : screen->most_rows;
    const char **names = lauka_screen_names(prose, screen->result, width > 8 ? width : 8);
    struct lauka_sheet sheet;
    lauka_sheet_make(&sheet, columns, COLUMNS, prose);
    for (size_t r = 0; names && r < shown; r++)
        add_change(screen, &rows[r], names[rows[r].command], &sheet);
    fit_changes(&sheet);
    lauka_sheet_write(&sheet);
    lauka_put_more(prose, count - shown, "change");
}

/* ---- what did not, or is not known ----------------------------------------------------------- */

/* "within 1 %": holds for all commands. With many commands, exceptions are shown elsewhere. */
static void put_within(const struct lauka_screen *screen)
{
    const struct lauka_result *result = screen->result;
    struct list list = list_of(screen);
    for (size_t m = 0; m < result->metric_count && result->command_count > 1; m++)
        if (!screen->in_full[m] && lauka_result_is_shown(result, m) &&
            count_found(result, m, LAUKA_FINDING_WITHIN) == result->command_count - 1)
            add_name(&list, result->metrics[m].name);
    put_list(lauka_say(screen->prose, "within %s",
                       lauka_say_share(screen->prose, lauka_result_precision(result))),
             &list);
}

/* The widest of those that are inconclusive. */
static const struct lauka_comparison *widest_of(const struct lauka_result *result, size_t metric)
{
    const struct lauka_comparison *widest = NULL;
    for (size_t c = 1; c < result->command_count; c++) {
        const struct lauka_comparison *values = lauka_result_comparison(result, c, metric);
        if (lauka_screen_finding(result, c, metric) != LAUKA_FINDING_INCONCLUSIVE)
            continue;
        bool wider = widest && values->log_high.known && widest->log_high.known &&
                     values->log_high.value - values->log_low.value >
                         widest->log_high.value - widest->log_low.value;
        widest = !widest || wider ? values : widest;
    }
    return widest;
}

/* "peak_rss (±4 %)"; of several commands "peak_rss (2 of 3, up to ±4 %)". */
static const char *name_inconclusive(const struct lauka_screen *screen, size_t metric, size_t found)
{
    struct lauka_prose *prose = screen->prose;
    const struct lauka_result *result = screen->result;
    size_t others = result->command_count - 1;
    const struct lauka_comparison *widest = widest_of(result, metric);
    const char *half = "", *share = "", *name = result->metrics[metric].name;
    if (widest)
        half = lauka_change_half(prose, widest, lauka_result_scale(result, metric, prose->utf8));
    if (*half && found > 1 && strncmp(half, "over", 4) != 0)
        half = lauka_say(prose, "up to %s", half);
    if (found < others)
        share = lauka_say(prose, "%zu of %zu", found, others);
    const char *both = lauka_join(prose, share, ", ", half);
    return *both ? lauka_say(prose, "%s (%s)", name, both) : name;
}

static void put_inconclusive(const struct lauka_screen *screen)
{
    const struct lauka_result *result = screen->result;
    struct list list = list_of(screen);
    for (size_t m = 0; m < result->metric_count && result->command_count > 1; m++) {
        size_t found = count_found(result, m, LAUKA_FINDING_INCONCLUSIVE);
        if (!screen->in_full[m] && lauka_result_is_shown(result, m) && found > 0)
            add_name(&list, name_inconclusive(screen, m, found));
    }
    put_list("inconclusive", &list);
}

/* "cannot count cycles, instructions: no PMU": a note that has both is the line. */
static const char *why_not_counted(const struct lauka_result *result)
{
    for (size_t w = 0; w < result->warning_count; w++)
        if (lauka_is_counting_note(result->warnings[w]))
            return result->warnings[w] + strlen(LAUKA_COUNTING_NOTE);
    return NULL;
}

static void put_uncounted(const struct lauka_screen *screen)
{
    const struct lauka_result *result = screen->result;
    const char *why = why_not_counted(result);
    struct list list = list_of(screen);
    if (why) {
        put_line(screen->prose, "not counted", why);
        return;
    }
    for (size_t m = 0; m < result->metric_count; m++)
        if (lauka_result_is_shown(result, m) && !screen->in_full[m] &&
            count_found(result, m, LAUKA_FINDING_UNCOUNTED) > 0)
            add_name(&list, result->metrics[m].name);
    put_list("not counted", &list);
}

/* ---- whose values are not like the others' --------------------------------------------------- */

static void put_failed(const struct lauka_screen *screen)
{
    const struct lauka_result *result = screen->result;
    struct list list = list_of(screen);
    for (size_t c = 0; c < result->command_count; c++)
        if (result->commands[c].failures > 0)
            add_name(&list,
                     lauka_say(screen->prose, "%s in %" PRIu64 " of %" PRIu64 " runs",
                               lauka_say_subject(screen->prose, result, c),
                               result->commands[c].failures, lauka_result_rounds(result, c)));
    put_list("failed", &list);
}

static void put_values(const struct lauka_screen *screen)
{
    const struct lauka_result *result = screen->result;
    struct list list = list_of(screen);
    bool same = true;
    for (size_t c = 0; c < result->command_count; c++) {
        same &= lauka_result_rounds(result, c) == lauka_result_rounds(result, 0);
        add_name(&list,
                 lauka_say(screen->prose, "%" PRIu64 " of %s", lauka_result_rounds(result, c),
                           lauka_say_subject(screen->prose, result, c)));
    }
    if (!same)
        put_list("values", &list);
}

void lauka_screen_folds(const struct lauka_screen *screen)
{
    put_changes(screen);
    put_within(screen);
    put_inconclusive(screen);
    put_uncounted(screen);
    put_failed(screen);
    put_values(screen);
}
