/* What each of several hosts found, over one axis of change: whether they agree is to be seen at once. */
#include "report/terminal/terminal.h"
#include "report/result/merged.h"
#include "report/result/result.h"
#include "report/text/sheet.h"
#include "report/text/text.h"
#include "report/words/words.h"
#include "stats/stats.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDEST = 36, NARROWEST = 12 };
enum column { NAME, AXIS, CHANGE, VERDICT, COLUMNS };

struct forest {
    const struct lauka_result *result;
    size_t command, metric;
    double low, high; /* of the axis, logarithms of ratios */
    int width;        /* of the axis; 0: there is no room */
    struct lauka_sheet sheet;
    const struct lauka_comparison *values[LAUKA_HOSTS_SHOWN + 1]; /* borrowed; by row */
};

static void widen(struct forest *forest, const struct lauka_comparison *values)
{
    if (!values || !values->log_ratio.known)
        return;
    forest->low =
        fmin(forest->low, values->log_low.known ? values->log_low.value : values->log_ratio.value);
    forest->high = fmax(forest->high,
                        values->log_high.known ? values->log_high.value : values->log_ratio.value);
}

static int place(const struct forest *forest, double value)
{
    double share = (value - forest->low) / (forest->high - forest->low);
    return (int)fmin(fmax(floor(share * forest->width), 0), forest->width - 1);
}

static void draw_axis(struct forest *forest, size_t row)
{
    const bool utf8 = forest->sheet.terminal.utf8;
    const struct lauka_comparison *values = forest->values[row];
    const char *cells[WIDEST];
    char text[WIDEST * sizeof "●"] = "";
    for (int i = 0; i < forest->width; i++)
        cells[i] = " ";
    cells[place(forest, 0)] = utf8 ? "┊" : ":";
    if (values && values->log_ratio.known && values->log_low.known)
        for (int i = place(forest, values->log_low.value);
             i <= place(forest, values->log_high.value); i++)
            cells[i] = utf8 ? "─" : "-";
    if (values && values->log_ratio.known)
        cells[place(forest, values->log_ratio.value)] = utf8 ? "●" : "o";
    for (int i = 0; i < forest->width; i++)
        strcat(text, cells[i]);
    lauka_sheet_set(&forest->sheet, row, AXIS, "%s", text);
}

static void add_row(struct forest *forest, const char *name, const struct lauka_comparison *values,
                    const struct lauka_change *change, const char *verdict)
{
    const size_t row = lauka_sheet_add(&forest->sheet);
    widen(forest, values);
    forest->values[row] = values;
    lauka_sheet_set(&forest->sheet, row, NAME, "%s", name);
    lauka_sheet_set(&forest->sheet, row, CHANGE, "%s%s%s", change->estimate,
                    *change->interval ? " " : "", change->interval);
    lauka_sheet_set(&forest->sheet, row, VERDICT, "%s", verdict);
}

static size_t shown_hosts(const struct forest *forest)
{
    size_t count = forest->result->merged.host_count;
    return count < LAUKA_HOSTS_SHOWN ? count : LAUKA_HOSTS_SHOWN;
}

/* What all hosts come to stands below them. */
static void add_rows(struct forest *forest)
{
    const struct lauka_result *result = forest->result;
    const bool utf8 = forest->sheet.terminal.utf8;
    const struct lauka_comparison *all =
        lauka_result_comparison(result, forest->command, forest->metric);
    struct lauka_host_line line;
    struct lauka_change change;
    forest->high = log1p(lauka_result_precision(result));
    forest->low = -forest->high;
    for (size_t h = 0; h < shown_hosts(forest); h++) {
        bool known = lauka_host_line_make(result, h, forest->command, forest->metric, utf8, &line);
        add_row(forest, line.name, line.comparison, &line.change,
                known ? line.verdict : "not measured");
    }
    if (!all || all->confidence <= 0)
        return;
    lauka_change_format(all, lauka_result_scale(result, forest->metric, utf8), utf8, &change);
    add_row(forest, "all", all, &change,
            lauka_verdict_word(all, result->metrics[forest->metric].unit));
}

/* The axis takes what room is left beside the longest of the usual verdicts. */
static void add_axes(struct forest *forest)
{
    struct lauka_sheet *sheet = &forest->sheet;
    lauka_sheet_measure(sheet);
    int room = sheet->terminal.width - sheet->columns[NAME].width - sheet->columns[CHANGE].width -
               (int)strlen("    inconclusive      ");
    forest->width = room > WIDEST ? WIDEST : room < NARROWEST ? 0 : room;
    for (size_t r = 0; r < sheet->row_count && forest->width > 0; r++)
        draw_axis(forest, r);
    sheet->columns[AXIS].width = forest->width;
}

static int write_command(struct forest *forest, FILE *out)
{
    const struct lauka_result *result = forest->result;
    const struct lauka_terminal terminal = forest->sheet.terminal;
    char subject[LAUKA_SUBJECT_SIZE], title[LAUKA_SUBJECT_SIZE + 80];
    add_rows(forest);
    add_axes(forest);
    lauka_result_subject(result, forest->command, terminal.utf8, subject);
    snprintf(title, sizeof title, "%s of %s on each host", result->metrics[forest->metric].name,
             subject);
    fputc('\n', out);
    lauka_put_styled(title, LAUKA_STYLE_HEADING, terminal, out);
    fputc('\n', out);
    for (size_t r = 0; r < forest->sheet.row_count; r++) {
        if (r == shown_hosts(forest) && result->merged.host_count > r)
            fprintf(out, "  and %zu more hosts in the JSON\n", result->merged.host_count - r);
        lauka_sheet_draw(&forest->sheet, r, 0, COLUMNS, 0, out);
    }
    return forest->sheet.error;
}

int lauka_write_hosts(const struct lauka_result *result, struct lauka_terminal terminal, FILE *out)
{
    static const struct lauka_sheet_column columns[COLUMNS];
    const size_t metric = lauka_result_main_metric(result);
    int error = 0;
    if (!lauka_result_has_hosts(result) || metric >= result->metric_count)
        return 0;
    errno = 0;
    for (size_t c = 1; c < result->command_count && !error; c++) {
        struct forest forest = {.result = result, .command = c, .metric = metric};
        if (!lauka_result_comparison(result, c, metric))
            continue;
        lauka_sheet_make(&forest.sheet, columns, COLUMNS, terminal);
        forest.sheet.indent = 2;
        error = write_command(&forest, out);
        lauka_sheet_done(&forest.sheet);
    }
    return error ? error : lauka_finish(out);
}
