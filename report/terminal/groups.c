/* What is shown in full: under each metric one line for each command, and its change: beside it if there
 * is room, otherwise below. A single command has one row for each metric; of many commands, each has a row
 * in the main metric. */
#include "report/terminal/screen.h"
#include "report/result/result.h"
#include "report/text/prose.h"
#include "report/text/sheet.h"
#include "report/words/words.h"

#include <errno.h>
#include <string.h>

enum layout {
    BELOW,  /* the change is on a line of its own */
    BESIDE, /* on its command's */
    MANY,   /* the same, of one metric, whose name is the title */
    ALONE,  /* there is none, and a row is a metric */
};

enum { BESIDE_FROM = 100 };

struct groups {
    const struct lauka_screen *screen;
    struct lauka_prose *prose;
    const struct lauka_result *result;
    struct lauka_sheet sheet; /* metric-major */
    size_t *metrics;          /* those in full */
    size_t metric_count;
    enum layout layout;
};

static size_t command_count(const struct groups *groups)
{
    return groups->result->command_count;
}

/* ---- what stands in the cells ---------------------------------------------------------------- */

/* An unknown figure has no dash here: the line shows what there is. */
static void drop_dashes(struct lauka_cells *cells, const char *dash)
{
    static const enum lauka_cell dropped[] = {LAUKA_CELL_DEVIATION, LAUKA_CELL_OUTLIERS,
                                              LAUKA_CELL_CHANGE, LAUKA_CELL_EFFECT};
    for (size_t i = 0; i < sizeof dropped / sizeof *dropped; i++)
        if (strcmp(cells->text[dropped[i]], dash) == 0)
            cells->text[dropped[i]] = "";
}

/* A single value is its own least, and there is nothing that it could lie apart from. */
static void drop_spread(const struct lauka_result_view *view, struct lauka_cells *cells)
{
    if (!view->counted || view->summary->count != 1)
        return;
    for (enum lauka_cell c = LAUKA_CELL_LEAST; c <= LAUKA_CELL_OUTLIERS; c++)
        cells->text[c] = "";
}

static void make_rows(struct groups *groups, size_t group)
{
    static const enum lauka_cell numbers[] = {LAUKA_CELL_MEAN, LAUKA_CELL_DEVIATION,
                                              LAUKA_CELL_LEAST, LAUKA_CELL_MOST};
    const size_t first = groups->sheet.row_count, metric = groups->metrics[group];
    for (size_t c = 0; c < command_count(groups); c++) {
        struct lauka_cells cells = lauka_result_cells(groups->prose, groups->result, c, metric);
        drop_dashes(&cells, groups->prose->signs->dash);
        struct lauka_result_view view = lauka_result_view(groups->result, c, metric);
        drop_spread(&view, &cells);
        if (groups->layout != ALONE) {
            cells.text[LAUKA_CELL_NAME] = "";
            cells.text[LAUKA_CELL_SHARE] = ""; /* stands beside the metric's name */
        }
        lauka_grid_add(&groups->sheet, &cells);
    }
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        lauka_sheet_align_points(&groups->sheet, numbers[i], first, groups->sheet.row_count);
}

/* ---- how it fits ----------------------------------------------------------------------------- */

static int *name_width(struct groups *groups)
{
    return &groups->sheet.columns[LAUKA_CELL_NAME].width;
}

static void measure(struct groups *groups)
{
    int names = *name_width(groups);
    lauka_sheet_measure(&groups->sheet);
    if (groups->layout != ALONE)
        *name_width(groups) = names;
}

/* "slower, < 1 %" and "may be chance (4 comparisons)", short. */
static void shorten_verdicts(struct groups *groups)
{
    lauka_sheet_shorten(&groups->sheet, LAUKA_CELL_VERDICT, "(,");
    measure(groups);
}

static enum lauka_cell end_of_line(const struct groups *groups)
{
    return groups->layout == BESIDE || groups->layout == MANY ? LAUKA_CELLS : LAUKA_CELL_CHANGE;
}

static bool fits(const struct groups *groups)
{
    return lauka_sheet_width(&groups->sheet, 0, end_of_line(groups)) <=
           groups->prose->terminal.width;
}

/* What a narrow line drops, in this order; names stay whole. */
static void fit_line(struct groups *groups)
{
    static const enum lauka_cell expendable[] = {LAUKA_CELL_OUTLIERS, LAUKA_CELL_LEAST,
                                                 LAUKA_CELL_DEVIATION, LAUKA_CELL_INTERVAL,
                                                 LAUKA_CELL_MEAN};
    bool done = fits(groups);
    if (!done && groups->layout == MANY) {
        shorten_verdicts(groups);
        done = fits(groups);
    }
    for (size_t i = 0; i < sizeof expendable / sizeof *expendable && !done; i++) {
        if (expendable[i] != LAUKA_CELL_MEAN || groups->layout == MANY)
            lauka_sheet_give_up(&groups->sheet, groups->sheet.columns[expendable[i]].rank);
        done = fits(groups);
    }
    if (!done) {
        groups->sheet.indent = 0;
        groups->sheet.gap = 1;
        done = fits(groups);
    }
    if (!done && groups->layout == MANY) /* the sign of the change says the same */
        groups->sheet.columns[LAUKA_CELL_VERDICT].hidden = true;
}

/* Everything on one line, without dropping much; false if there is no room. */
static bool fit_beside(struct groups *groups)
{
    groups->layout = BESIDE;
    bool done = fits(groups);
    if (!done) {
        shorten_verdicts(groups);
        done = fits(groups);
    }
    if (!done) {
        groups->sheet.columns[LAUKA_CELL_OUTLIERS].hidden = true;
        done = fits(groups);
    }
    if (!done) {
        groups->layout = BELOW;
        groups->sheet.columns[LAUKA_CELL_OUTLIERS].hidden = false;
    }
    return done;
}

static int widest_name(const struct groups *groups)
{
    int widest = 0;
    for (size_t c = 0; c < command_count(groups); c++) {
        const int width = lauka_display_width(lauka_say_name(groups->prose, groups->result, c));
        widest = width > widest ? width : widest;
    }
    return widest;
}

static void fit(struct groups *groups)
{
    groups->sheet.indent = groups->layout == ALONE ? 0 : 2;
    groups->sheet.gap = 2;
    *name_width(groups) = widest_name(groups);
    measure(groups);
    if (groups->layout == MANY) {
        groups->sheet.columns[LAUKA_CELL_OUTLIERS].hidden = true;
        groups->sheet.columns[LAUKA_CELL_EFFECT].hidden = true;
        int title = lauka_display_width(groups->result->metrics[groups->metrics[0]].name);
        int *names = name_width(groups), indent = groups->sheet.indent;
        *names = *names + indent < title ? title - indent : *names;
    }
    if (groups->layout == BELOW && groups->prose->terminal.width >= BESIDE_FROM &&
        fit_beside(groups))
        return;
    fit_line(groups);
}

/* ---- how it is drawn ------------------------------------------------------------------------- */

static void draw_titles(const struct groups *groups)
{
    struct lauka_sheet sheet = groups->sheet;
    struct lauka_sheet_column *name = &sheet.columns[LAUKA_CELL_NAME];
    sheet.columns[LAUKA_CELL_CHANGE].align = LAUKA_ALIGN_LEFT;
    if (groups->layout == MANY) {
        const char *against = lauka_say(groups->prose, "against %s",
                                        lauka_say_name(groups->prose, groups->result, 0));
        int room = lauka_sheet_width(&sheet, LAUKA_CELL_CHANGE, LAUKA_CELL_VERDICT) - sheet.gap;
        if (lauka_display_width(against) <= room)
            sheet.columns[LAUKA_CELL_CHANGE].title = against;
        name->title = groups->result->metrics[groups->metrics[0]].name;
        name->title_style = LAUKA_STYLE_HEADING;
        name->width += sheet.indent;
        name->cut = true;
        sheet.indent = 0;
    }
    lauka_sheet_draw_titles(&sheet, end_of_line(groups));
}

/* "wall_time", and of an estimate for how much of the time it was counted. */
static void draw_metric(const struct groups *groups, size_t metric)
{
    const struct lauka_result_metric *about = &groups->result->metrics[metric];
    struct lauka_prose *prose = groups->prose;
    lauka_put_text(prose, LAUKA_STYLE_HEADING,
                   lauka_say_fitted(prose, about->name, prose->terminal.width));
    if (lauka_result_view(groups->result, 0, metric).estimated)
        lauka_put(prose, "  (counted for %.0f %% of the time)", 100 * about->share);
    lauka_put(prose, "\n");
}

/* Hides the column if the change is wider than the terminal. Returns the width. */
static int fit_change(struct lauka_sheet *sheet, enum lauka_cell expendable)
{
    int width = lauka_sheet_width(sheet, LAUKA_CELL_CHANGE, LAUKA_CELLS);
    if (width <= sheet->prose->terminal.width)
        return width;
    sheet->columns[expendable].hidden = true;
    return lauka_sheet_width(sheet, LAUKA_CELL_CHANGE, LAUKA_CELLS);
}

/* Below its command's figures, or further to the left if it needs the room. */
static void draw_change(const struct groups *groups, size_t row)
{
    struct lauka_sheet sheet = groups->sheet;
    int blanks = sheet.indent + sheet.columns[LAUKA_CELL_NAME].width;
    sheet.columns[LAUKA_CELL_INTERVAL].hidden = false;
    fit_change(&sheet, LAUKA_CELL_EFFECT);
    int width = fit_change(&sheet, LAUKA_CELL_INTERVAL);
    if (width > sheet.prose->terminal.width) { /* it is not aligned to the others then */
        sheet.columns[LAUKA_CELL_CHANGE].width =
            lauka_display_width(lauka_sheet_text(&sheet, row, LAUKA_CELL_CHANGE));
        width = lauka_sheet_width(&sheet, LAUKA_CELL_CHANGE, LAUKA_CELL_VERDICT) +
                lauka_display_width(lauka_sheet_text(&sheet, row, LAUKA_CELL_VERDICT)) + sheet.gap;
    }
    int room = sheet.prose->terminal.width - width;
    blanks = blanks < room ? blanks : room > 0 ? room : 0;
    lauka_sheet_draw(&sheet, row, LAUKA_CELL_CHANGE, LAUKA_CELLS, blanks);
}

static bool has_change(const struct lauka_sheet *sheet, size_t row)
{
    return *lauka_sheet_text(sheet, row, LAUKA_CELL_CHANGE) ||
           *lauka_sheet_text(sheet, row, LAUKA_CELL_VERDICT);
}

static void draw_group(const struct groups *groups, size_t group)
{
    const size_t count = command_count(groups);
    if (groups->layout == BELOW || groups->layout == BESIDE)
        draw_metric(groups, groups->metrics[group]);
    for (size_t c = 0; c < count; c++) {
        size_t row = group * count + c;
        lauka_sheet_draw(&groups->sheet, row, 0, end_of_line(groups), 0);
        if (groups->layout == BELOW && c > 0 && has_change(&groups->sheet, row))
            draw_change(groups, row);
    }
}

/* Names, and what tells the size of an effect from the figures above it. */
static void complete_rows(struct groups *groups)
{
    struct lauka_sheet *sheet = &groups->sheet;
    for (size_t r = 0; r < sheet->row_count && groups->layout != ALONE; r++) {
        const char *effect = lauka_sheet_text(sheet, r, LAUKA_CELL_EFFECT);
        const size_t command = r % command_count(groups);
        lauka_sheet_set(sheet, r, LAUKA_CELL_NAME,
                        lauka_say_name(groups->prose, groups->result, command));
        if (groups->layout == BELOW && *effect)
            lauka_sheet_set(sheet, r, LAUKA_CELL_EFFECT, lauka_say(groups->prose, "d %s", effect));
    }
    if (groups->layout == BELOW && sheet->columns[LAUKA_CELL_EFFECT].width > 0)
        sheet->columns[LAUKA_CELL_EFFECT].width += 2;
}

static void draw(struct groups *groups)
{
    complete_rows(groups);
    draw_titles(groups);
    for (size_t g = 0; g < groups->metric_count; g++)
        draw_group(groups, g);
}

/* Primary metrics come first in every table. */
static void find_metrics(struct groups *groups)
{
    for (int primary = 1; primary >= 0; primary--)
        for (size_t m = 0; m < groups->result->metric_count; m++)
            if (groups->screen->in_full[m] && groups->result->metrics[m].primary == primary)
                groups->metrics[groups->metric_count++] = m;
}

void lauka_screen_groups(const struct lauka_screen *screen)
{
    const struct lauka_result *result = screen->result;
    struct groups groups = {.screen = screen, .prose = screen->prose, .result = result};
    groups.layout = result->command_count == 1                      ? ALONE
                    : result->command_count <= LAUKA_SCREEN_GROUPED ? BELOW
                                                                    : MANY;
    groups.metrics = lauka_prose_room(screen->prose, result->metric_count, sizeof *groups.metrics);
    if (!groups.metrics)
        return;
    lauka_grid_make(&groups.sheet, screen->prose);
    find_metrics(&groups);
    for (size_t g = 0; g < groups.metric_count; g++)
        make_rows(&groups, g);
    if (groups.metric_count > 0 && !screen->prose->error) {
        fit(&groups);
        draw(&groups);
    }
}
