/* --percentiles: what the mean does not tell. Percentiles of a command beside those of the reference,
 * from the values or from the histogram, whichever there is. */
#include "report/report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum column { LABEL, REFERENCE, COMMAND, CHANGE, COLUMNS };
enum { CELL_SIZE = 256, ROWS_MOST = LAUKA_SUMMARY_RANKS + 8, LABEL_WIDTH = 10, NUMBER_WIDTH = 9 };

struct sheet {
    const struct lauka_result *result;
    struct lauka_terminal terminal;
    FILE *out;
    size_t command, metric;
    struct lauka_result_view views[2]; /* of the reference and of the command */
    struct lauka_result_quantiles quantiles[2];
    struct lauka_scale scale;
    char cells[ROWS_MOST][COLUMNS][CELL_SIZE];
    size_t rows;
    int widths[COLUMNS]; /* 0: not shown */
};

/* ---- what stands in it ----------------------------------------------------------------------- */

static char (*new_row(struct sheet *sheet, const char *label))[CELL_SIZE]
{
    char(*row)[CELL_SIZE] = sheet->cells[sheet->rows++];
    for (size_t c = 0; c < COLUMNS; c++)
        row[c][0] = 0;
    snprintf(row[LABEL], CELL_SIZE, "%s", label);
    return row;
}

static bool is_hidden(const struct lauka_result_view *view, double value)
{
    return view->floor > 0 && value <= (double)view->floor;
}

/* In the table's unit; "≤" where only the launcher's own memory was seen. */
static void put_value(const struct sheet *sheet, const struct lauka_result_view *view, double value,
                      char *cell)
{
    char number[64];
    bool hidden = is_hidden(view, value);
    lauka_format_scaled(hidden ? (double)view->floor : value, sheet->scale, number, sizeof number);
    snprintf(cell, CELL_SIZE, "%s%s", !hidden ? "" : sheet->terminal.utf8 ? "≤" : "<=", number);
}

/* A row of two values and how far they are apart. */
static void put_pair(struct sheet *sheet, const char *label, double reference, double command)
{
    char(*row)[CELL_SIZE] = new_row(sheet, label);
    put_value(sheet, &sheet->views[0], reference, row[REFERENCE]);
    put_value(sheet, &sheet->views[1], command, row[COMMAND]);
    bool comparable = reference > 0 && !is_hidden(&sheet->views[0], reference) &&
                      !is_hidden(&sheet->views[1], command);
    if (comparable)
        lauka_format_change(command / reference, sheet->terminal.utf8, row[CHANGE], CELL_SIZE);
    else
        snprintf(row[CHANGE], CELL_SIZE, "%s", lauka_dash(sheet->terminal.utf8));
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
    const char *label = sheet->terminal.utf8 ? "σ" : "sd";
    if (!reference.known || !command.known || sheet->views[0].at_floor || sheet->views[1].at_floor)
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
        snprintf(cell, CELL_SIZE, "exact");
    else
        snprintf(cell, CELL_SIZE, "%s%s", sheet->terminal.utf8 ? "±" : "+-",
                 lauka_format_share(quantiles->error, share, sizeof share));
}

static void put_footer(struct sheet *sheet)
{
    put_pair(sheet, "mean", sheet->views[0].summary->mean, sheet->views[1].summary->mean);
    put_deviation(sheet);
    char(*precision)[CELL_SIZE] = new_row(sheet, "precision");
    put_precision(sheet, &sheet->quantiles[0], precision[REFERENCE]);
    put_precision(sheet, &sheet->quantiles[1], precision[COMMAND]);
    char(*total)[CELL_SIZE] = new_row(sheet, "total");
    snprintf(total[REFERENCE], CELL_SIZE, "%" PRIu64, sheet->quantiles[0].count);
    snprintf(total[COMMAND], CELL_SIZE, "%" PRIu64, sheet->quantiles[1].count);
    const struct lauka_comparison *comparison = sheet->views[1].comparison;
    if (comparison && comparison->cohens_d.known)
        lauka_format_effect(comparison->cohens_d.value, sheet->terminal.utf8,
                            new_row(sheet, "d")[CHANGE], CELL_SIZE);
}

/* ---- how it is drawn ------------------------------------------------------------------------- */

static int width_of(const struct sheet *sheet, enum column column)
{
    int widest = 0;
    for (size_t r = 0; r < sheet->rows; r++) {
        int width = lauka_display_width(sheet->cells[r][column]);
        widest = width > widest ? width : widest;
    }
    return widest;
}

static int total_width(const struct sheet *sheet)
{
    int total = 0;
    for (size_t c = 0; c < COLUMNS; c++)
        total += sheet->widths[c] > 0 ? sheet->widths[c] + (c > 0 ? 2 : 0) : 0;
    return total;
}

/* A narrow terminal does without the change, then without the reference. */
static void fit(struct sheet *sheet)
{
    bool alone = sheet->command == 0;
    for (size_t c = 0; c < COLUMNS; c++)
        sheet->widths[c] = width_of(sheet, (enum column)c);
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

static void style(const struct sheet *sheet, const char *codes)
{
    if (sheet->terminal.color)
        fprintf(sheet->out, "\x1b[%sm", codes);
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
static char *fit_name(struct sheet *sheet, size_t command, enum column column)
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
    snprintf(title, sizeof title, "%s%s%s", name, *sheet->scale.suffix ? " in " : "",
             sheet->scale.suffix);
    char *fitted = lauka_fit_text(title, sheet->terminal.width, sheet->terminal.utf8);
    style(sheet, "1");
    fputs(fitted ? fitted : "?", sheet->out);
    style(sheet, "0");
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
    style(sheet, "2");
    draw_row(sheet, titles);
    style(sheet, "0");
    for (size_t r = 0; r < sheet->rows; r++) {
        char(*row)[CELL_SIZE] = sheet->cells[r];
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
    const size_t commands[2] = {0, sheet->command};
    for (size_t i = 0; i < 2; i++) {
        sheet->views[i] = lauka_result_view(sheet->result, commands[i], sheet->metric);
        if (!sheet->views[i].counted)
            return 0;
        int error =
            lauka_result_quantiles(sheet->result, commands[i], sheet->metric, &sheet->quantiles[i]);
        if (error)
            return error;
    }
    sheet->scale = lauka_result_scale(sheet->result, sheet->metric, sheet->terminal.utf8);
    sheet->rows = 0;
    put_ranks(sheet);
    put_footer(sheet);
    draw(sheet);
    return 0;
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
