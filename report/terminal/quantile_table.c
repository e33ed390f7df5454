/* --percentiles: what the mean does not show, as tables on the terminal. */
#include "report/terminal/terminal.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "report/words/words.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LABEL = LAUKA_QUANTILE_LABEL,
    REFERENCE = LAUKA_QUANTILE_REFERENCE,
    COMMAND = LAUKA_QUANTILE_COMMAND,
    CHANGE = LAUKA_QUANTILE_CHANGE,
    COLUMNS = LAUKA_QUANTILE_COLUMNS,
    LABEL_WIDTH = 10,
};

struct sheet {
    const struct lauka_result *result;
    struct lauka_terminal terminal;
    FILE *out;
    size_t command, metric;
    struct lauka_quantile_cells of;
    int widths[COLUMNS]; /* 0: not shown */
};

/* ---- how it is drawn ------------------------------------------------------------------------- */

static int width_of(const struct sheet *sheet, enum lauka_quantile_column column)
{
    int widest = 0;
    for (size_t r = 0; r < sheet->of.rows; r++) {
        int width = lauka_display_width(sheet->of.cells[r][column]);
        widest = width > widest ? width : widest;
    }
    if (column == CHANGE && widest > 0 && widest < (int)sizeof "change" - 1)
        return (int)sizeof "change" - 1;
    return widest;
}

static int total_width(const struct sheet *sheet)
{
    int total = 0;
    for (size_t c = 0; c < COLUMNS; c++)
        total += sheet->widths[c] > 0 ? sheet->widths[c] + (c > 0 ? 2 : 0) : 0;
    return total;
}

/* A narrow terminal drops the change, then the reference. */
static void fit(struct sheet *sheet)
{
    bool alone = sheet->command == 0;
    for (size_t c = 0; c < COLUMNS; c++)
        sheet->widths[c] = width_of(sheet, (enum lauka_quantile_column)c);
    sheet->widths[LABEL] = LABEL_WIDTH;
    if (alone)
        sheet->widths[REFERENCE] = sheet->widths[CHANGE] = 0;
    if (total_width(sheet) > sheet->terminal.width)
        sheet->widths[CHANGE] = 0;
    if (total_width(sheet) > sheet->terminal.width)
        sheet->widths[REFERENCE] = 0;
    int excess = total_width(sheet) - sheet->terminal.width;
    if (excess > 0)
        sheet->widths[LABEL] = LABEL_WIDTH > excess ? LABEL_WIDTH - excess : 1;
}

static void draw_row(const struct sheet *sheet, const char *const cells[COLUMNS])
{
    int blanks = 0;
    for (size_t c = 0; c < COLUMNS; c++) {
        if (sheet->widths[c] == 0)
            continue;
        blanks += (c > 0 ? 2 : 0) + sheet->widths[c] - lauka_display_width(cells[c]);
        if (!*cells[c])
            continue;
        fprintf(sheet->out, "%*s%s", blanks > 0 ? blanks : 0, "", cells[c]);
        blanks = 0;
    }
    fputc('\n', sheet->out);
}

/* Names of commands take what room there is: 30 columns each at most. */
static char *fit_name(struct sheet *sheet, size_t command, enum lauka_quantile_column column)
{
    enum { LONGEST = 30 };
    const char *label = sheet->result->commands[command].label;
    int room = (sheet->terminal.width - total_width(sheet)) / (column == REFERENCE ? 2 : 1);
    int wanted = lauka_display_width(label) < LONGEST ? lauka_display_width(label) : LONGEST;
    if (sheet->widths[column] == 0)
        return strdup("");
    if (wanted > sheet->widths[column])
        sheet->widths[column] += wanted - sheet->widths[column] < room
                                     ? wanted - sheet->widths[column]
                                     : (room > 0 ? room : 0);
    char *fitted = lauka_fit_text(label, sheet->widths[column], sheet->terminal.utf8);
    int width = fitted ? lauka_display_width(fitted) : 0;
    sheet->widths[column] = width > sheet->widths[column] ? width : sheet->widths[column];
    return fitted;
}

static void draw_heading(const struct sheet *sheet)
{
    char title[256];
    const char *name = sheet->result->metrics[sheet->metric].name;
    const char *unit =
        lauka_result_scale(sheet->result, sheet->metric, sheet->terminal.utf8).suffix;
    snprintf(title, sizeof title, "%s%s%s", name, *unit ? " in " : "", unit);
    char *fitted = lauka_fit_text(title, sheet->terminal.width, sheet->terminal.utf8);
    lauka_put_styled(fitted ? fitted : "?", LAUKA_STYLE_HEADING, sheet->terminal, sheet->out);
    fputc('\n', sheet->out);
    free(fitted);
}

static void draw(struct sheet *sheet)
{
    fit(sheet);
    char *reference = fit_name(sheet, 0, REFERENCE);
    char *command = fit_name(sheet, sheet->command, COMMAND);
    const char *label = sheet->widths[LABEL] < LABEL_WIDTH ? "%" : "percentile";
    const char *titles[COLUMNS] = {label, reference ? reference : "?", command ? command : "?",
                                   sheet->widths[CHANGE] > 0 ? "change" : ""};
    draw_heading(sheet);
    lauka_style_begin(LAUKA_STYLE_SECONDARY, sheet->terminal, sheet->out);
    draw_row(sheet, titles);
    lauka_style_end(LAUKA_STYLE_SECONDARY, sheet->terminal, sheet->out);
    for (size_t r = 0; r < sheet->of.rows; r++) {
        char(*row)[LAUKA_QUANTILE_SIZE] = sheet->of.cells[r];
        lauka_cut_text(row[LABEL], sheet->widths[LABEL]);
        const char *cells[COLUMNS] = {row[LABEL], row[REFERENCE], row[COMMAND], row[CHANGE]};
        draw_row(sheet, cells);
    }
    fputc('\n', sheet->out);
    free(reference);
    free(command);
}

/* Nothing is drawn where one of the two was not counted. */
static int write_sheet(struct sheet *sheet)
{
    int error = lauka_result_quantile_cells(sheet->result, sheet->command, sheet->metric,
                                            sheet->terminal.utf8, &sheet->of);
    if (!error && sheet->of.rows > 0)
        draw(sheet);
    return error;
}

int lauka_write_percentiles(const struct lauka_result *result, struct lauka_terminal terminal,
                            FILE *out)
{
    struct sheet *sheet = calloc(1, sizeof *sheet);
    int error = sheet ? 0 : ENOMEM;
    errno = 0;
    for (int primary = 1; primary >= 0; primary--)
        for (size_t m = 0; m < result->metric_count && !error; m++) {
            if (result->metrics[m].primary != primary || !lauka_result_is_shown(result, m))
                continue;
            for (size_t c = result->command_count > 1; c < result->command_count && !error; c++) {
                *sheet = (struct sheet){result, terminal, out, .command = c, .metric = m};
                error = write_sheet(sheet);
            }
        }
    free(sheet);
    return error ? error : lauka_finish(out);
}
