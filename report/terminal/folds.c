/* What is not shown in full: a line each for what else changed, what did not, what is inconclusive, and
 * what was not counted, by name. */
#include "report/terminal/screen.h"
#include "report/result/result.h"
#include "report/text/sheet.h"
#include "report/text/text.h"
#include "report/words/words.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INDENT = 14, NARROW = 48, LIST = 1600, NAMES_MOST = 12 };

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
    char text[LIST];
    size_t count, left_out;
};

/* Appends to what is not empty with ", " in between. */
static void add_name(struct list *list, const char *name)
{
    size_t used = strlen(list->text);
    if (list->count >= NAMES_MOST || used + strlen(name) + 4 >= sizeof list->text) {
        list->left_out++;
        return;
    }
    snprintf(list->text + used, sizeof list->text - used, "%s%s", used > 0 ? ", " : "", name);
    list->count++;
}

static int put_line(const struct lauka_screen *screen, const char *title, const char *text)
{
    int indent = screen->terminal.width >= NARROW ? INDENT : 2, width = (int)strlen(title);
    lauka_put_styled(title, LAUKA_STYLE_SECONDARY, screen->terminal, screen->out);
    if (indent == INDENT && width < INDENT)
        fprintf(screen->out, "%*s", INDENT - width, "");
    else
        fprintf(screen->out, indent == INDENT ? " " : "\n  ");
    return lauka_print_wrapped(text, indent, screen->terminal.width, screen->terminal.utf8,
                               screen->out);
}

static int put_list(const struct lauka_screen *screen, const char *title, struct list *list)
{
    size_t used = strlen(list->text);
    if (list->count == 0)
        return 0;
    if (list->left_out > 0)
        snprintf(list->text + used, sizeof list->text - used, " and %zu more", list->left_out);
    return put_line(screen, title, list->text);
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

/* What decides comes first, then the largest. Owned by the caller; NULL if there is no memory. */
static struct change_row *find_changes(const struct lauka_screen *screen, size_t *count)
{
    const struct lauka_result *result = screen->result;
    struct change_row *rows =
        calloc(result->command_count * result->metric_count + 1, sizeof *rows);
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

static void put_means(const struct lauka_result *result, const struct change_row *row, bool utf8,
                      char *text, size_t size)
{
    struct lauka_cells before, after;
    lauka_result_cells(result, 0, row->metric, utf8, &before);
    lauka_result_cells(result, row->command, row->metric, utf8, &after);
    const char *unit = after.text[LAUKA_CELL_UNIT], *other = before.text[LAUKA_CELL_UNIT];
    snprintf(text, size, "%s%s%s %s %s%s%s", before.text[LAUKA_CELL_MEAN],
             strcmp(unit, other) == 0 ? "" : " ", strcmp(unit, other) == 0 ? "" : other,
             utf8 ? "→" : "->", after.text[LAUKA_CELL_MEAN], *unit ? " " : "", unit);
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
    const bool utf8 = screen->terminal.utf8;
    const bool many = screen->result->command_count > LAUKA_SCREEN_GROUPED;
    const size_t r = lauka_sheet_add(sheet);
    char means[2 * LAUKA_CELL_SIZE];
    struct lauka_cells from;
    lauka_result_cells(screen->result, row->command, row->metric, utf8, &from);
    const char *effect = from.text[LAUKA_CELL_EFFECT], *verdict = from.text[LAUKA_CELL_VERDICT];
    put_means(screen->result, row, utf8, means, sizeof means);
    lauka_sheet_put(sheet, r, METRIC, LAUKA_STYLE_HEADING, "%s", from.text[LAUKA_CELL_NAME]);
    if (screen->result->command_count > 2)
        lauka_sheet_set(sheet, r, COMMAND, "%s", name);
    lauka_sheet_set(sheet, r, MEANS, "%s", means);
    lauka_sheet_set(sheet, r, ESTIMATE, "%s", from.text[LAUKA_CELL_CHANGE]);
    lauka_sheet_set(sheet, r, INTERVAL, "%s", from.text[LAUKA_CELL_INTERVAL]);
    lauka_sheet_set(sheet, r, VERDICT, "%.*s", (int)strcspn(verdict, " ,"), verdict);
    if (!many && strcmp(effect, lauka_dash(utf8)) != 0)
        lauka_sheet_set(sheet, r, EFFECT, "d %s", effect);
}

/* Names are cut before the verdict goes. It goes if they would vanish otherwise: the sign of the change says the same.
 * */
static void fit_changes(struct lauka_sheet *sheet)
{
    int *metric = &sheet->columns[METRIC].width, *command = &sheet->columns[COMMAND].width;
    lauka_sheet_measure(sheet);
    if (*metric < INDENT - 2 && sheet->terminal.width >= NARROW)
        *metric = INDENT - 2;
    lauka_sheet_fit(sheet);
    lauka_sheet_cut(sheet, COMMAND, 8);
    lauka_sheet_cut(sheet, METRIC, 8);
    if (lauka_sheet_excess(sheet) > *command + *metric - 1)
        sheet->columns[VERDICT].hidden = true;
    lauka_sheet_cut(sheet, COMMAND, 0);
    lauka_sheet_cut(sheet, METRIC, 1);
}

static int draw_changes(const struct lauka_screen *screen, const struct change_row *rows,
                        size_t count, char **names)
{
    size_t shown = count < screen->most_rows ? count : screen->most_rows;
    struct lauka_sheet sheet;
    lauka_sheet_make(&sheet, columns, COLUMNS, screen->terminal);
    for (size_t r = 0; r < shown; r++)
        add_change(screen, &rows[r], names[rows[r].command], &sheet);
    fit_changes(&sheet);
    int error = lauka_sheet_write(&sheet, screen->out);
    lauka_sheet_done(&sheet);
    return error ? error : lauka_write_more(count - shown, "change", screen->terminal, screen->out);
}

static int put_changes(const struct lauka_screen *screen)
{
    size_t count = 0;
    int width = screen->terminal.width / 5;
    struct change_row *rows = find_changes(screen, &count);
    char **names =
        rows ? lauka_screen_names(screen->result, width > 8 ? width : 8, screen->terminal.utf8)
             : NULL;
    int error = names ? 0 : ENOMEM;
    if (!error && count > 0)
        error = draw_changes(screen, rows, count, names);
    lauka_strings_free(names);
    free(rows);
    return error;
}

/* ---- what did not, or is not known ----------------------------------------------------------- */

/* "within 1 %": holds for all commands. With many commands, exceptions are shown elsewhere. */
static int put_within(const struct lauka_screen *screen)
{
    const struct lauka_result *result = screen->result;
    struct list list = {{0}, 0, 0};
    char title[40], share[24];
    for (size_t m = 0; m < result->metric_count && result->command_count > 1; m++)
        if (!screen->in_full[m] && lauka_result_is_shown(result, m) &&
            count_found(result, m, LAUKA_FINDING_WITHIN) == result->command_count - 1)
            add_name(&list, result->metrics[m].name);
    snprintf(title, sizeof title, "within %s",
             lauka_format_share(lauka_result_precision(result), share, sizeof share));
    return put_list(screen, title, &list);
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
static void name_inconclusive(const struct lauka_screen *screen, size_t metric, size_t found,
                              char *text, size_t size)
{
    const struct lauka_result *result = screen->result;
    size_t others = result->command_count - 1;
    const struct lauka_comparison *widest = widest_of(result, metric);
    char half[64] = "", share[40] = "";
    if (widest)
        lauka_change_half(widest, lauka_result_scale(result, metric, screen->terminal.utf8),
                          screen->terminal.utf8, half, sizeof half);
    if (found < others)
        snprintf(share, sizeof share, "%zu of %zu%s", found, others, *half ? ", " : "");
    bool told = *half || *share, most = *half && found > 1 && strncmp(half, "over", 4) != 0;
    snprintf(text, size, "%.90s%s%s%s%s%s", result->metrics[metric].name, told ? " (" : "", share,
             most ? "up to " : "", half, told ? ")" : "");
}

static int put_inconclusive(const struct lauka_screen *screen)
{
    const struct lauka_result *result = screen->result;
    struct list list = {{0}, 0, 0};
    for (size_t m = 0; m < result->metric_count && result->command_count > 1; m++) {
        char text[240];
        size_t found = count_found(result, m, LAUKA_FINDING_INCONCLUSIVE);
        if (screen->in_full[m] || !lauka_result_is_shown(result, m) || found == 0)
            continue;
        name_inconclusive(screen, m, found, text, sizeof text);
        add_name(&list, text);
    }
    return put_list(screen, "inconclusive", &list);
}

/* "cannot count cycles, instructions: no PMU": a note that has both is the line. */
static const char *why_not_counted(const struct lauka_result *result)
{
    for (size_t w = 0; w < result->warning_count; w++)
        if (lauka_is_counting_note(result->warnings[w]))
            return result->warnings[w] + strlen(LAUKA_COUNTING_NOTE);
    return NULL;
}

static int put_uncounted(const struct lauka_screen *screen)
{
    const struct lauka_result *result = screen->result;
    const char *why = why_not_counted(result);
    struct list list = {{0}, 0, 0};
    if (why)
        return put_line(screen, "not counted", why);
    for (size_t m = 0; m < result->metric_count; m++)
        if (lauka_result_is_shown(result, m) && !screen->in_full[m] &&
            count_found(result, m, LAUKA_FINDING_UNCOUNTED) > 0)
            add_name(&list, result->metrics[m].name);
    return put_list(screen, "not counted", &list);
}

/* ---- whose values are not like the others' --------------------------------------------------- */

static int put_failed(const struct lauka_screen *screen)
{
    const struct lauka_result *result = screen->result;
    struct list list = {{0}, 0, 0};
    for (size_t c = 0; c < result->command_count; c++) {
        char text[LAUKA_SUBJECT_SIZE + 80], name[LAUKA_SUBJECT_SIZE];
        if (result->commands[c].failures == 0)
            continue;
        lauka_result_subject(result, c, screen->terminal.utf8, name);
        snprintf(text, sizeof text, "%s in %" PRIu64 " of %" PRIu64 " runs", name,
                 result->commands[c].failures, lauka_result_rounds(result, c));
        add_name(&list, text);
    }
    return put_list(screen, "failed", &list);
}

static int put_values(const struct lauka_screen *screen)
{
    const struct lauka_result *result = screen->result;
    struct list list = {{0}, 0, 0};
    bool same = true;
    for (size_t c = 0; c < result->command_count; c++) {
        char text[LAUKA_SUBJECT_SIZE + 40], name[LAUKA_SUBJECT_SIZE];
        same &= lauka_result_rounds(result, c) == lauka_result_rounds(result, 0);
        lauka_result_subject(result, c, screen->terminal.utf8, name);
        snprintf(text, sizeof text, "%" PRIu64 " of %s", lauka_result_rounds(result, c), name);
        add_name(&list, text);
    }
    return same ? 0 : put_list(screen, "values", &list);
}

int lauka_screen_folds(const struct lauka_screen *screen)
{
    int error = put_changes(screen);
    error = error ? error : put_within(screen);
    error = error ? error : put_inconclusive(screen);
    error = error ? error : put_uncounted(screen);
    error = error ? error : put_failed(screen);
    return error ? error : put_values(screen);
}
