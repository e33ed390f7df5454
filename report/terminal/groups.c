/* What is shown in full: under each metric one line for each command, and its change: beside it if there
 * is room, otherwise below. A single command has one row for each metric; of many commands, each has a row
 * in the main metric. */
#include "report/terminal/screen.h"
#include "report/result/result.h"
#include "report/terminal/grid.h"
#include "report/text/text.h"
#include "report/words/words.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum layout {
    BELOW,  /* the change is on a line of its own */
    BESIDE, /* on its command's */
    MANY,   /* the same, of one metric, whose name is the title */
    ALONE,  /* there is none, and a row is a metric */
};

enum { BESIDE_FROM = 100, NAME_MOST = 32, NAME_USUAL = 12, NAME_SHORT = 8, NAME_LEAST = 5 };

struct groups {
    const struct lauka_screen *screen;
    const struct lauka_result *result;
    struct lauka_grid grid;
    struct lauka_cells *cells; /* owned; metric-major */
    size_t *metrics;           /* owned: those in full */
    size_t metric_count;
    enum layout layout;
};

static size_t command_count(const struct groups *groups)
{
    return groups->result->command_count;
}

static size_t row_count(const struct groups *groups)
{
    return groups->metric_count * command_count(groups);
}

/* ---- names ----------------------------------------------------------------------------------- */

static const char *label_of(const struct lauka_result *result, size_t command)
{
    return lauka_result_side(result, command);
}

/* Columns of the number behind names that are alike: "true (1)". */
#define NUMBER_WIDTH 4

/* Of many it is not looked for: room that is not needed is given back when names are known. */
static bool may_be_alike(const struct lauka_result *result, size_t command)
{
    if (result->command_count > 100)
        return true;
    for (size_t c = 0; c < result->command_count; c++)
        if (c != command && strcmp(label_of(result, c), label_of(result, command)) == 0)
            return true;
    return false;
}

static int widest_name(const struct lauka_result *result)
{
    int widest = 0;
    for (size_t c = 0; c < result->command_count; c++) {
        int width = lauka_display_width(label_of(result, c));
        width += may_be_alike(result, c) ? NUMBER_WIDTH : 0;
        widest = width > widest ? width : widest;
    }
    return widest;
}

/* Returns 0 or ENOMEM. */
static int begin_names(const struct lauka_result *result, int width, bool utf8, char **texts)
{
    const size_t count = result->command_count;
    const char **sides = calloc(count + 1, sizeof *sides);
    size_t *begins = calloc(count + 1, sizeof *begins);
    for (size_t c = 0; sides && c < count; c++)
        sides[c] = label_of(result, c);
    int error = sides && begins
                    ? lauka_find_beginnings(sides, count, width, utf8, LAUKA_BEGIN_WORDS, begins)
                    : ENOMEM;
    for (size_t c = 0; !error && c < count; c++) {
        texts[c] = lauka_text_from(sides[c], begins[c], width, utf8);
        error = texts[c] ? 0 : ENOMEM;
    }
    free(sides);
    free(begins);
    return error;
}

char **lauka_screen_names(const struct lauka_result *result, int width, bool utf8)
{
    char **texts = calloc(result->command_count + 1, sizeof *texts), **names = NULL;
    if (texts && begin_names(result, width, utf8, texts) == 0)
        names = lauka_unique_texts(texts, result->command_count, width, "", utf8);
    lauka_strings_free(texts);
    return names;
}

/* ---- what stands in the cells ---------------------------------------------------------------- */

static size_t digits_after_point(const char *text)
{
    const char *point = strchr(text, '.');
    return point ? strspn(point + 1, "0123456789") + 1 : 0;
}

/* Aligns decimal points: adds blanks behind numbers with fewer decimals. */
static void align_points(struct lauka_cells *rows, size_t count, enum lauka_cell column)
{
    size_t most = 0;
    for (size_t r = 0; r < count; r++) {
        size_t digits = digits_after_point(rows[r].text[column]);
        most = digits > most ? digits : most;
    }
    for (size_t r = 0; r < count; r++) {
        char *text = rows[r].text[column];
        size_t length = strlen(text), missing = most - digits_after_point(text);
        if (length > 0 && length + missing < LAUKA_CELL_SIZE)
            snprintf(text + length, LAUKA_CELL_SIZE - length, "%*s", (int)missing, "");
    }
}

/* The same in front of what leans to the left. */
static void align_wholes(struct lauka_cells *rows, size_t count, enum lauka_cell column)
{
    int widest = 0;
    for (size_t r = 0; r < count; r++) {
        int width = lauka_display_width(rows[r].text[column]);
        widest = width > widest ? width : widest;
    }
    for (size_t r = 0; r < count; r++) {
        char *text = rows[r].text[column], copy[LAUKA_CELL_SIZE];
        int missing = widest - lauka_display_width(text);
        if (!*text || missing <= 0)
            continue;
        memcpy(copy, text, sizeof copy);
        snprintf(text, LAUKA_CELL_SIZE, "%*s%.90s", missing, "", copy);
    }
}

/* An unknown figure has no dash here: the line shows what there is. */
static void drop_dashes(struct lauka_cells *cells, bool utf8)
{
    static const enum lauka_cell dropped[] = {LAUKA_CELL_DEVIATION, LAUKA_CELL_OUTLIERS,
                                              LAUKA_CELL_CHANGE, LAUKA_CELL_EFFECT};
    for (size_t i = 0; i < sizeof dropped / sizeof *dropped; i++)
        if (strcmp(cells->text[dropped[i]], lauka_dash(utf8)) == 0)
            cells->text[dropped[i]][0] = 0;
}

/* A single value is its own least, and there is nothing that it could lie apart from. */
static void drop_spread(const struct lauka_result_view *view, struct lauka_cells *cells)
{
    if (!view->counted || view->summary->count != 1)
        return;
    for (enum lauka_cell c = LAUKA_CELL_LEAST; c <= LAUKA_CELL_OUTLIERS; c++)
        cells->text[c][0] = 0;
}

static bool has_change(const struct lauka_cells *cells)
{
    return *cells->text[LAUKA_CELL_CHANGE] || *cells->text[LAUKA_CELL_VERDICT];
}

static void make_cells(struct groups *groups, size_t group)
{
    bool utf8 = groups->grid.terminal.utf8;
    size_t count = command_count(groups), metric = groups->metrics[group];
    struct lauka_cells *rows = &groups->cells[group * count];
    for (size_t c = 0; c < count; c++) {
        lauka_result_cells(groups->result, c, metric, utf8, &rows[c]);
        drop_dashes(&rows[c], utf8);
        struct lauka_result_view view = lauka_result_view(groups->result, c, metric);
        drop_spread(&view, &rows[c]);
        if (groups->layout == ALONE)
            continue;
        rows[c].text[LAUKA_CELL_NAME][0] = 0;
        rows[c].text[LAUKA_CELL_SHARE][0] = 0; /* stands beside the metric's name */
    }
    align_points(rows, count, LAUKA_CELL_MEAN);
    align_points(rows, count, LAUKA_CELL_LEAST);
    align_points(rows, count, LAUKA_CELL_DEVIATION);
    align_wholes(rows, count, LAUKA_CELL_DEVIATION);
    align_points(rows, count, LAUKA_CELL_MOST);
    align_wholes(rows, count, LAUKA_CELL_MOST);
}

/* "slower, < 1 %" and "inconclusive (1 of 4)" in a word. */
static void shorten_verdicts(struct groups *groups)
{
    for (size_t r = 0; r < row_count(groups); r++) {
        char *verdict = groups->cells[r].text[LAUKA_CELL_VERDICT];
        verdict[strcspn(verdict, " ,")] = 0;
    }
}

/* ---- how it fits ----------------------------------------------------------------------------- */

static void measure(struct groups *groups)
{
    int names = groups->grid.widths[LAUKA_CELL_NAME];
    lauka_grid_reset(&groups->grid);
    for (size_t r = 0; r < row_count(groups); r++)
        lauka_grid_widen(&groups->grid, &groups->cells[r]);
    lauka_grid_widen_titles(&groups->grid);
    if (groups->layout != ALONE)
        groups->grid.widths[LAUKA_CELL_NAME] = names;
}

static enum lauka_cell end_of_line(const struct groups *groups)
{
    return groups->layout == BESIDE || groups->layout == MANY ? LAUKA_CELLS : LAUKA_CELL_CHANGE;
}

/* Whether the line fits with names of at least so many columns, which they then get. */
static bool fits(struct groups *groups, int least)
{
    int *names = &groups->grid.widths[LAUKA_CELL_NAME];
    int excess =
        lauka_grid_width(&groups->grid, 0, end_of_line(groups)) - groups->grid.terminal.width;
    if (excess > 0 && (groups->layout == ALONE || *names - excess < least))
        return false;
    *names -= excess > 0 ? excess : 0;
    return true;
}

/* What a narrow line drops, in this order. */
static void fit_line(struct groups *groups)
{
    static const enum lauka_cell expendable[] = {LAUKA_CELL_OUTLIERS, LAUKA_CELL_LEAST,
                                                 LAUKA_CELL_DEVIATION, LAUKA_CELL_INTERVAL,
                                                 LAUKA_CELL_MEAN};
    bool done = fits(groups, NAME_USUAL);
    if (!done && groups->layout == MANY) {
        shorten_verdicts(groups);
        measure(groups);
        done = fits(groups, NAME_USUAL);
    }
    for (size_t i = 0; i < sizeof expendable / sizeof *expendable && !done; i++) {
        if (expendable[i] != LAUKA_CELL_MEAN || groups->layout == MANY)
            lauka_grid_hide(&groups->grid, expendable[i]);
        done = fits(groups, i == 0 ? NAME_SHORT : NAME_LEAST);
    }
    if (!done) {
        groups->grid.indent = 0;
        groups->grid.gap = 1;
        done = fits(groups, 1);
    }
    if (!done && groups->layout != ALONE)
        groups->grid.widths[LAUKA_CELL_NAME] = 1;
}

/* Everything on one line, without dropping much; false if there is no room. */
static bool fit_beside(struct groups *groups)
{
    groups->layout = BESIDE;
    bool done = fits(groups, NAME_USUAL);
    if (!done) {
        shorten_verdicts(groups);
        measure(groups);
        done = fits(groups, NAME_USUAL);
    }
    if (!done) {
        groups->grid.hidden[LAUKA_CELL_OUTLIERS] = true;
        done = fits(groups, NAME_SHORT);
    }
    if (!done) {
        groups->layout = BELOW;
        groups->grid.hidden[LAUKA_CELL_OUTLIERS] = false;
    }
    return done;
}

static void fit(struct groups *groups)
{
    int widest = widest_name(groups->result);
    int most = groups->grid.terminal.width >= 120 ? NAME_MOST + NAME_USUAL : NAME_MOST;
    groups->grid.indent = groups->layout == ALONE ? 0 : 2;
    groups->grid.gap = 2;
    groups->grid.widths[LAUKA_CELL_NAME] = widest < most ? widest : most;
    if (groups->layout == MANY)
        for (size_t i = 0; i < 2; i++)
            groups->grid.hidden[i ? LAUKA_CELL_OUTLIERS : LAUKA_CELL_EFFECT] = true;
    measure(groups);
    if (groups->layout == MANY) {
        int title = lauka_display_width(groups->result->metrics[groups->metrics[0]].name);
        int *names = &groups->grid.widths[LAUKA_CELL_NAME];
        *names = *names + groups->grid.indent < title ? title - groups->grid.indent : *names;
    }
    if (groups->layout == BELOW && groups->grid.terminal.width >= BESIDE_FROM && fit_beside(groups))
        return;
    fit_line(groups);
}

/* ---- how it is drawn ------------------------------------------------------------------------- */

static void put_title(const struct groups *groups, struct lauka_cells *heads, enum lauka_cell cell)
{
    snprintf(heads->text[cell], LAUKA_CELL_SIZE, "%s",
             lauka_cell_title(cell, groups->grid.terminal.utf8));
}

/* "against ./a", if that is short enough. */
static void put_against(const struct groups *groups, const char *reference,
                        struct lauka_cells *heads)
{
    int room =
        lauka_grid_width(&groups->grid, LAUKA_CELL_CHANGE, LAUKA_CELL_VERDICT) - groups->grid.gap;
    char text[LAUKA_CELL_SIZE];
    snprintf(text, sizeof text, "against %.90s", reference);
    if (groups->layout == MANY && lauka_display_width(text) <= room)
        snprintf(heads->text[LAUKA_CELL_CHANGE], LAUKA_CELL_SIZE, "%s", text);
}

static void draw_titles(const struct groups *groups, const char *reference)
{
    struct lauka_cells heads = {.counted = true};
    struct lauka_grid grid = groups->grid;
    for (enum lauka_cell c = 0; c < end_of_line(groups); c++)
        put_title(groups, &heads, c);
    put_against(groups, reference, &heads);
    if (groups->layout == MANY) {
        snprintf(heads.text[LAUKA_CELL_NAME], LAUKA_CELL_SIZE, "%s",
                 groups->result->metrics[groups->metrics[0]].name);
        lauka_cut_marked(heads.text[LAUKA_CELL_NAME], grid.widths[LAUKA_CELL_NAME] + grid.indent,
                         grid.terminal.utf8);
        grid.widths[LAUKA_CELL_NAME] += grid.indent;
        grid.indent = 0;
    }
    lauka_grid_draw_heads(&grid, &heads, end_of_line(groups));
}

/* "wall_time", and of an estimate for how much of the time it was counted. */
static void draw_metric(const struct groups *groups, size_t metric)
{
    const struct lauka_result_metric *about = &groups->result->metrics[metric];
    FILE *out = groups->grid.out;
    char *name =
        lauka_fit_text(about->name, groups->grid.terminal.width, groups->grid.terminal.utf8);
    lauka_put_styled(name ? name : "?", LAUKA_STYLE_HEADING, groups->grid.terminal, out);
    free(name);
    if (lauka_result_view(groups->result, 0, metric).estimated)
        fprintf(out, "  (counted for %.0f %% of the time)", 100 * about->share);
    fputc('\n', out);
}

/* Below its command's figures, or further to the left if it needs the room. */
static void draw_change(const struct groups *groups, const struct lauka_cells *row)
{
    struct lauka_grid grid = groups->grid;
    struct lauka_cells cells = *row;
    int blanks = grid.indent + grid.widths[LAUKA_CELL_NAME];
    grid.hidden[LAUKA_CELL_INTERVAL] = false;
    if (*row->text[LAUKA_CELL_EFFECT])
        snprintf(cells.text[LAUKA_CELL_EFFECT], LAUKA_CELL_SIZE, "d %.90s",
                 row->text[LAUKA_CELL_EFFECT]);
    grid.widths[LAUKA_CELL_EFFECT] += grid.widths[LAUKA_CELL_EFFECT] > 0 ? 2 : 0;
    int width = lauka_grid_width(&grid, LAUKA_CELL_CHANGE, LAUKA_CELLS);
    if (width > grid.terminal.width) {
        lauka_grid_hide(&grid, LAUKA_CELL_EFFECT);
        width = lauka_grid_width(&grid, LAUKA_CELL_CHANGE, LAUKA_CELLS);
    }
    if (width > grid.terminal.width) {
        lauka_grid_hide(&grid, LAUKA_CELL_INTERVAL);
        width = lauka_grid_width(&grid, LAUKA_CELL_CHANGE, LAUKA_CELLS);
    }
    if (width > grid.terminal.width) { /* it is not aligned to the others then */
        grid.widths[LAUKA_CELL_CHANGE] = lauka_display_width(row->text[LAUKA_CELL_CHANGE]);
        width = lauka_grid_width(&grid, LAUKA_CELL_CHANGE, LAUKA_CELL_VERDICT) +
                lauka_display_width(row->text[LAUKA_CELL_VERDICT]) + grid.gap;
    }
    int room = grid.terminal.width - width;
    blanks = blanks < room ? blanks : room > 0 ? room : 0;
    lauka_grid_draw(&grid, &cells, LAUKA_CELL_CHANGE, LAUKA_CELLS, blanks);
}

static void draw_group(const struct groups *groups, size_t group, char **names)
{
    size_t count = command_count(groups);
    if (groups->layout == BELOW || groups->layout == BESIDE)
        draw_metric(groups, groups->metrics[group]);
    for (size_t c = 0; c < count; c++) {
        struct lauka_cells row = groups->cells[group * count + c];
        if (groups->layout != ALONE)
            snprintf(row.text[LAUKA_CELL_NAME], LAUKA_CELL_SIZE, "%s", names[c]);
        lauka_grid_draw(&groups->grid, &row, 0, end_of_line(groups), 0);
        if (groups->layout == BELOW && c > 0 && has_change(&row))
            draw_change(groups, &row);
    }
}

/* With a number behind those that are alike, which takes columns, too. */
static char **fitted_names(const struct groups *groups)
{
    int width = groups->grid.widths[LAUKA_CELL_NAME], widest = 0;
    char **names = lauka_screen_names(groups->result, width, groups->grid.terminal.utf8);
    for (size_t c = 0; names && c < command_count(groups); c++)
        widest = lauka_display_width(names[c]) > widest ? lauka_display_width(names[c]) : widest;
    if (!names || widest <= width)
        return names;
    lauka_strings_free(names);
    return lauka_screen_names(groups->result, width > NUMBER_WIDTH + 2 ? width - NUMBER_WIDTH : 2,
                              groups->grid.terminal.utf8);
}

/* Of the title, too, where that stands above them. */
static int width_of_names(const struct groups *groups, char *const *names)
{
    const char *title = groups->result->metrics[groups->metrics[0]].name;
    int widest = groups->layout == MANY ? lauka_display_width(title) - groups->grid.indent : 1;
    int most = groups->grid.widths[LAUKA_CELL_NAME];
    for (size_t c = 0; c < command_count(groups); c++)
        widest = lauka_display_width(names[c]) > widest ? lauka_display_width(names[c]) : widest;
    return widest < most ? widest : most;
}

static int draw(struct groups *groups)
{
    char **names = fitted_names(groups);
    if (!names)
        return ENOMEM;
    if (groups->layout != ALONE)
        groups->grid.widths[LAUKA_CELL_NAME] = width_of_names(groups, names);
    draw_titles(groups, names[0]);
    for (size_t g = 0; g < groups->metric_count; g++)
        draw_group(groups, g, names);
    lauka_strings_free(names);
    return 0;
}

/* Primary metrics come first in every table. */
static void find_metrics(struct groups *groups)
{
    for (int primary = 1; primary >= 0; primary--)
        for (size_t m = 0; m < groups->result->metric_count; m++)
            if (groups->screen->in_full[m] && groups->result->metrics[m].primary == primary)
                groups->metrics[groups->metric_count++] = m;
}

int lauka_screen_groups(const struct lauka_screen *screen)
{
    const struct lauka_result *result = screen->result;
    struct groups groups = {.screen = screen,
                            .result = result,
                            .grid = {.terminal = screen->terminal, .out = screen->out}};
    groups.layout = result->command_count == 1                      ? ALONE
                    : result->command_count <= LAUKA_SCREEN_GROUPED ? BELOW
                                                                    : MANY;
    groups.metrics = calloc(result->metric_count + 1, sizeof *groups.metrics);
    if (groups.metrics)
        find_metrics(&groups);
    groups.cells = groups.metrics ? calloc(row_count(&groups) + 1, sizeof *groups.cells) : NULL;
    int error = groups.cells ? 0 : ENOMEM;
    for (size_t g = 0; g < groups.metric_count && !error; g++)
        make_cells(&groups, g);
    if (!error && groups.metric_count > 0) {
        fit(&groups);
        error = draw(&groups);
    }
    free(groups.cells);
    free(groups.metrics);
    return error;
}
