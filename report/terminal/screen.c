/* The screen of one benchmark, which should be visible at once. As long as there is room, what else
 * changed has its own groups, and notes are complete. What is not shown in full has a line each: what else changed, what
 * did not, what is inconclusive, and what was not counted, by name. */
#include "report/terminal/screen.h"
#include "report/analysis/analysis.h"
#include "report/result/result.h"
#include "report/terminal/terminal.h"
#include "report/text/prose.h"
#include "report/text/sheet.h"
#include "report/words/said.h"
#include "report/words/words.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NOTES_MOST = 2, LINES = 24, LINES_OF_FIVE = 30 };
enum { INDENT = 14, NARROW = 48 }; /* of what is not shown in full */

/* ---- what became of it ----------------------------------------------------------------------- */

/* What became of a metric of a command; command 0 is counted or not. */
enum finding {
    CHANGED,
    WITHIN, /* the precision */
    INCONCLUSIVE,
    UNCOUNTED,
};

static enum finding finding_of(const struct lauka_result *result, size_t command, size_t metric)
{
    struct lauka_result_view view = lauka_result_view(result, command, metric);
    if (!view.counted)
        return UNCOUNTED;
    if (!view.comparison)
        return WITHIN;
    switch (view.comparison->verdict) {
    case LAUKA_VERDICT_HIGHER:
    case LAUKA_VERDICT_LOWER:
        return view.comparison->below_precision ? WITHIN : CHANGED;
    case LAUKA_VERDICT_EQUIVALENT:
    case LAUKA_VERDICT_IDENTICAL:
        return WITHIN;
    case LAUKA_VERDICT_INCONCLUSIVE:
    case LAUKA_VERDICT_NONE:
        break;
    }
    return INCONCLUSIVE;
}

/* The number of commands for which it holds. */
static size_t count_found(const struct lauka_result *result, size_t metric, enum finding finding)
{
    size_t count = 0;
    for (size_t c = result->command_count > 1; c < result->command_count; c++)
        count += finding_of(result, c, metric) == finding;
    return count;
}

/* ---- a line of names ------------------------------------------------------------------------- */

struct list {
    struct lauka_prose *prose;
    const char *text;
    size_t count, most;
};

static struct list list_of(const struct lauka_screen *screen)
{
    return (struct list){screen->prose, "", 0, screen->most_names};
}

static void add_name(struct list *list, const char *name)
{
    if (list->count++ < list->most)
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
    if (list->count > list->most)
        text = lauka_say(list->prose, "%s and %zu more", text, list->count - list->most);
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
                finding_of(result, c, m) != CHANGED)
                continue;
            const struct lauka_comparison *values = lauka_result_comparison(result, c, m);
            double size = values->log_ratio.known ? fabs(values->log_ratio.value) : HUGE_VAL;
            rows[(*count)++] = (struct change_row){c, m, result->metrics[m].primary, size};
        }
    if (rows)
        qsort(rows, *count, sizeof *rows, compare_sizes);
    return rows;
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
    const struct lauka_cells cells = lauka_result_cells(prose, result, row->command, row->metric);
    const char *effect = cells.text[LAUKA_CELL_EFFECT];
    const size_t r = lauka_sheet_add(sheet);
    lauka_sheet_put(sheet, r, METRIC, LAUKA_STYLE_HEADING, cells.text[LAUKA_CELL_NAME]);
    if (result->command_count > 2)
        lauka_sheet_set(sheet, r, COMMAND, name);
    lauka_sheet_set(sheet, r, MEANS,
                    lauka_say_means(prose, result, 0, row->command, row->metric, false, " "));
    lauka_sheet_set(sheet, r, ESTIMATE, cells.text[LAUKA_CELL_CHANGE]);
    lauka_sheet_set(sheet, r, INTERVAL, cells.text[LAUKA_CELL_INTERVAL]);
    lauka_sheet_set(sheet, r, VERDICT, cells.text[LAUKA_CELL_VERDICT]);
    if (result->command_count <= LAUKA_SCREEN_GROUPED && strcmp(effect, prose->signs->dash) != 0)
        lauka_sheet_set(sheet, r, EFFECT, lauka_say(prose, "d %s", effect));
}

/* A verdict is one word. It goes before a command's name is cut: the sign of the change says the same. */
static void fit_changes(struct lauka_sheet *sheet)
{
    int *metric = &sheet->columns[METRIC].width;
    lauka_sheet_shorten(sheet, VERDICT, "(,");
    lauka_sheet_measure(sheet);
    if (*metric < INDENT - 2 && sheet->prose->terminal.width >= NARROW)
        *metric = INDENT - 2;
    lauka_sheet_fit(sheet);
    lauka_sheet_cut(sheet, METRIC, 8);
    if (lauka_sheet_excess(sheet) > 0)
        sheet->columns[VERDICT].hidden = true;
    lauka_sheet_cut(sheet, METRIC, 1);
    lauka_sheet_cut(sheet, COMMAND, 1);
}

static void put_changes(const struct lauka_screen *screen)
{
    struct lauka_prose *prose = screen->prose;
    size_t count = 0;
    const struct change_row *rows = find_changes(screen, &count);
    size_t shown = count < screen->most_rows ? count : screen->most_rows;
    struct lauka_sheet sheet;
    lauka_sheet_make(&sheet, columns, COLUMNS, prose);
    for (size_t r = 0; rows && r < shown; r++)
        add_change(screen, &rows[r], lauka_say_name(prose, screen->result, rows[r].command),
                   &sheet);
    fit_changes(&sheet);
    lauka_sheet_write(&sheet);
    lauka_put_more(prose, count - shown, "change");
}

/* ---- what did not, or is not known ----------------------------------------------------------- */

static double reach_of(const struct lauka_comparison *values)
{
    return values->low.known ? fmax(1 - values->low.value, values->high.value - 1) : 0;
}

/* The one whose interval reaches furthest, of those that are inconclusive. */
static const struct lauka_comparison *furthest_of(const struct lauka_result *result, size_t metric)
{
    const struct lauka_comparison *furthest = NULL;
    for (size_t c = 1; c < result->command_count; c++) {
        const struct lauka_comparison *values = lauka_result_comparison(result, c, metric);
        if (finding_of(result, c, metric) == INCONCLUSIVE &&
            (!furthest || reach_of(values) > reach_of(furthest)))
            furthest = values;
    }
    return furthest;
}

/* "peak_rss (±4 %)"; of several commands "peak_rss (2 of 3, up to ±4 %)". */
static const char *name_inconclusive(const struct lauka_screen *screen, size_t metric, size_t found)
{
    struct lauka_prose *prose = screen->prose;
    const struct lauka_result *result = screen->result;
    size_t others = result->command_count - 1;
    const struct lauka_comparison *furthest = furthest_of(result, metric);
    const char *reach = "", *share = "", *name = result->metrics[metric].name;
    if (furthest)
        reach =
            lauka_change_reach(prose, furthest, lauka_result_scale(result, metric, prose->utf8));
    if (*reach && found > 1 && strncmp(reach, "over", 4) != 0)
        reach = lauka_say(prose, "up to %s", reach);
    if (found < others)
        share = lauka_say(prose, "%zu of %zu", found, others);
    const char *both = lauka_join(prose, share, ", ", reach);
    return *both ? lauka_say(prose, "%s (%s)", name, both) : name;
}

/* A line of the metrics that came to this for some of the commands, or "within 1 %" for all of them: with many commands,
 * exceptions are shown elsewhere. */
static void put_found(const struct lauka_screen *screen, const char *title, enum finding finding)
{
    const struct lauka_result *result = screen->result;
    const size_t least = finding == WITHIN ? result->command_count - 1 : 1;
    struct list list = list_of(screen);
    for (size_t m = 0; m < result->metric_count; m++) {
        const size_t found = count_found(result, m, finding);
        if (!screen->in_full[m] && lauka_result_is_shown(result, m) && found > 0 && found >= least)
            add_name(&list, finding == INCONCLUSIVE ? name_inconclusive(screen, m, found)
                                                    : result->metrics[m].name);
    }
    put_list(title, &list);
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
    const char *why = why_not_counted(screen->result);
    if (why)
        put_line(screen->prose, "not counted", why);
    else
        put_found(screen, "not counted", UNCOUNTED);
}

/* ---- whose values are not like the others' --------------------------------------------------- */

/* Of one or two commands the sentence says it. */
static void put_failed(const struct lauka_screen *screen)
{
    const struct lauka_result *result = screen->result;
    struct list list = list_of(screen);
    if (result->command_count < 3 && !result->run.noise)
        return;
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

static void put_folds(const struct lauka_screen *screen)
{
    put_changes(screen);
    if (screen->result->command_count > 1) {
        put_found(screen,
                  lauka_say(screen->prose, "within %s",
                            lauka_say_share(screen->prose, lauka_result_precision(screen->result))),
                  WITHIN);
        put_found(screen, "inconclusive", INCONCLUSIVE);
    }
    put_uncounted(screen);
    put_failed(screen);
    put_values(screen);
}

/* ---- the parts ------------------------------------------------------------------------------- */

/* "A = ./build-a/bin/parser ..." for each command whose name is a letter; of equal ones for the first. */
static void put_legend(const struct lauka_screen *screen)
{
    struct lauka_prose *prose = screen->prose;
    const struct lauka_result *result = screen->result;
    bool any = false;
    for (size_t c = 0; c < result->command_count; c++) {
        if (!lauka_is_lettered(prose, result, c) || result->commands[c].name_number > 1)
            continue;
        const char *letter = lauka_say(prose, "%s = ", lauka_say_bare_name(prose, result, c));
        lauka_put_text(prose, LAUKA_STYLE_HEADING, letter);
        lauka_put_wrapped(prose, lauka_display_width(letter), lauka_say_whole(prose, result, c));
        any = true;
    }
    lauka_put(prose, any ? "\n" : "");
}

static void put_body(const struct lauka_screen *screen)
{
    put_legend(screen);
    if (screen->result->run.rounds > 0)
        lauka_screen_groups(screen);
    put_folds(screen);
    lauka_put_notes(screen->prose, screen->result, NOTES_MOST, screen->brevity);
    lauka_put(screen->prose, "\n");
}

static void put_answers(const struct lauka_screen *screen)
{
    const struct lauka_result *result = screen->result;
    if (lauka_result_has_gate(result))
        lauka_put_gate(screen->prose, result);
    lauka_put_answer(screen->prose, result);
}

/* ---- which metrics are shown in full ---------------------------------------------------------- */

/* The size of its largest change; a change without a ratio counts as the largest; negative: nothing
 * changed. */
static double change_of(const struct lauka_result *result, size_t metric)
{
    double largest = -1;
    for (size_t c = 1; c < result->command_count; c++) {
        const struct lauka_comparison *values = lauka_result_comparison(result, c, metric);
        if (finding_of(result, c, metric) != CHANGED)
            continue;
        double size = values->log_ratio.known ? fabs(values->log_ratio.value) : HUGE_VAL;
        largest = size > largest ? size : largest;
    }
    return largest;
}

/* Whether a limit is about it: then it decides. */
static bool is_gated(const struct lauka_result *result, size_t metric)
{
    for (size_t i = 0; i < result->gate.row_count; i++)
        if (result->gate.rows[i].metric == metric)
            return true;
    return false;
}

/* What decides; of many commands the main metric, of one all that was counted. */
static void choose_metrics(struct lauka_screen *screen)
{
    const struct lauka_result *result = screen->result;
    for (size_t m = 0; m < result->metric_count; m++) {
        bool wanted = result->command_count == 1 ? lauka_result_is_shown(result, m)
                      : result->command_count > LAUKA_SCREEN_GROUPED
                          ? m == lauka_result_main_metric(result)
                          : result->metrics[m].primary || is_gated(result, m);
        screen->in_full[m] = wanted && lauka_result_view(result, 0, m).counted;
    }
}

/* Shows in full the largest change that is not shown so yet; false if there is none. */
static bool choose_next(struct lauka_screen *screen)
{
    const struct lauka_result *result = screen->result;
    size_t next = result->metric_count;
    double largest = -1;
    for (size_t m = 0; m < result->metric_count; m++) {
        if (screen->in_full[m] || !lauka_result_is_shown(result, m))
            continue;
        double size = change_of(result, m);
        if (size >= 0 && size > largest) {
            largest = size;
            next = m;
        }
    }
    if (next < result->metric_count)
        screen->in_full[next] = true;
    return next < result->metric_count;
}

/* ---- how much of it there is room for -------------------------------------------------------- */

static const char *written(struct lauka_screen *screen)
{
    struct lauka_prose *prose = screen->prose;
    lauka_prose_capture(prose);
    if (prose->terminal.is_screen) {
        put_body(screen);
        put_answers(screen);
    } else {
        put_answers(screen);
        lauka_put(prose, "\n");
        put_body(screen);
    }
    lauka_put_paragraph(prose, 0, LAUKA_STYLE_SECONDARY,
                        lauka_result_course(prose, screen->result));
    return lauka_prose_captured(prose);
}

/* Each of more than five commands has a row of its own. */
static bool has_room(const struct lauka_screen *screen, const char *text)
{
    const size_t commands = screen->result->command_count;
    size_t lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines <= (commands <= 2   ? LINES
                     : commands <= 5 ? LINES_OF_FIVE
                                     : LINES_OF_FIVE + commands - 5);
}

/* From long to short. */
static const struct {
    size_t rows, names;
    enum lauka_brevity brevity;
} steps[] = {
    {12, 12, LAUKA_NOTES_WHOLE}, {12, 12, LAUKA_NOTES_SHORT}, {5, 12, LAUKA_NOTES_SHORT},
    {5, 12, LAUKA_NOTES_TIGHT},  {3, 12, LAUKA_NOTES_TIGHT},  {1, 12, LAUKA_NOTES_TIGHT},
    {1, 4, LAUKA_NOTES_TIGHT},
};
enum { STEP_SHORT = 2, STEP_TIGHT, STEPS = sizeof steps / sizeof *steps };

/* The first of them that fits; or the shortest. Notes about files stay: they say which commands are compared. A file or
 * a pipe has more room than a screen. */
static const char *written_short(struct lauka_screen *screen)
{
    const bool many = screen->result->command_count > LAUKA_SCREEN_GROUPED;
    const size_t end = screen->result->run.stopped == LAUKA_STOPPED_STORED ? STEP_TIGHT
                       : screen->prose->terminal.is_screen                 ? STEPS
                                                                           : STEP_TIGHT + 1;
    const char *text = "";
    for (size_t s = many ? STEP_SHORT : 0; s < end; s++) {
        screen->most_rows = steps[s].rows;
        screen->most_names = steps[s].names;
        screen->brevity = steps[s].brevity;
        text = written(screen);
        if (has_room(screen, text))
            break;
    }
    return text;
}

/* As long as there is room, shows changes in full, the largest first. */
static const char *written_long(struct lauka_screen *screen, const char *text)
{
    while (screen->brevity == LAUKA_NOTES_WHOLE && has_room(screen, text) && choose_next(screen)) {
        const char *longer = written(screen);
        if (!has_room(screen, longer))
            return text;
        text = longer;
    }
    return text;
}

int lauka_write_screen(const struct lauka_result *result, struct lauka_terminal terminal, FILE *out)
{
    struct lauka_prose prose = lauka_prose_begin(out, terminal);
    struct lauka_screen screen = {.prose = &prose, .result = result};
    screen.in_full = lauka_prose_room(&prose, result->metric_count + 1, sizeof *screen.in_full);
    if (screen.in_full) {
        choose_metrics(&screen);
        const char *text = written_long(&screen, written_short(&screen));
        if (!prose.error)
            lauka_put_folded(&prose, text);
    }
    return lauka_prose_end(&prose);
}
