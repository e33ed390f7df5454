/* --percentiles: what the mean does not show, as tables on the terminal. */
#include "report/terminal/terminal.h"
#include "report/result/result.h"
#include "report/text/sheet.h"
#include "report/text/text.h"
#include "report/words/words.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    LABEL = LAUKA_QUANTILE_LABEL,
    REFERENCE = LAUKA_QUANTILE_REFERENCE,
    COMMAND = LAUKA_QUANTILE_COMMAND,
    CHANGE = LAUKA_QUANTILE_CHANGE,
    COLUMNS = LAUKA_QUANTILE_COLUMNS,
    LABEL_WIDTH = 10,
};

struct page {
    const struct lauka_result *result;
    FILE *out;
    size_t command, metric;
    struct lauka_quantile_cells of;
    struct lauka_sheet sheet;
};

/* A narrow terminal drops the change, then the reference. */
static const struct lauka_sheet_column columns[COLUMNS] = {
    [LABEL] = {.title = "percentile", .align = LAUKA_ALIGN_RIGHT},
    [REFERENCE] = {.align = LAUKA_ALIGN_RIGHT, .rank = 2},
    [COMMAND] = {.align = LAUKA_ALIGN_RIGHT},
    [CHANGE] = {.title = "change", .align = LAUKA_ALIGN_RIGHT, .rank = 1},
};

static void fill(struct page *page)
{
    struct lauka_sheet *sheet = &page->sheet;
    for (size_t r = 0; r < page->of.rows; r++) {
        lauka_sheet_add(sheet);
        for (size_t c = 0; c < COLUMNS; c++)
            lauka_sheet_set(sheet, r, c, "%s", page->of.cells[r][c]);
    }
    if (page->command == 0)
        sheet->columns[REFERENCE].hidden = sheet->columns[CHANGE].hidden = true;
    lauka_sheet_measure(sheet);
    sheet->columns[LABEL].width = LABEL_WIDTH;
    lauka_sheet_fit(sheet);
    lauka_sheet_cut(sheet, LABEL, 1);
    if (sheet->columns[LABEL].width < LABEL_WIDTH)
        sheet->columns[LABEL].title = "%";
}

/* Names of commands take what room there is: 30 columns each at most. */
static char *fit_name(struct page *page, size_t command, enum lauka_quantile_column column)
{
    enum { LONGEST = 30 };
    const char *label = page->result->commands[command].label;
    struct lauka_sheet_column *about = &page->sheet.columns[column];
    int room = -lauka_sheet_excess(&page->sheet) / (column == REFERENCE ? 2 : 1);
    int wanted = lauka_display_width(label) < LONGEST ? lauka_display_width(label) : LONGEST;
    if (about->hidden)
        return NULL;
    if (wanted > about->width)
        about->width += wanted - about->width < room ? wanted - about->width : room > 0 ? room : 0;
    char *fitted = lauka_fit_text(label, about->width, page->sheet.terminal.utf8);
    int width = fitted ? lauka_display_width(fitted) : 0;
    about->width = width > about->width ? width : about->width;
    about->title = fitted ? fitted : "?";
    return fitted;
}

static void draw_heading(const struct page *page)
{
    const struct lauka_terminal terminal = page->sheet.terminal;
    char title[256];
    const char *name = page->result->metrics[page->metric].name;
    const char *unit = lauka_result_scale(page->result, page->metric, terminal.utf8).suffix;
    snprintf(title, sizeof title, "%s%s%s", name, *unit ? " in " : "", unit);
    char *fitted = lauka_fit_text(title, terminal.width, terminal.utf8);
    lauka_put_styled(fitted ? fitted : "?", LAUKA_STYLE_HEADING, terminal, page->out);
    fputc('\n', page->out);
    free(fitted);
}

/* Nothing is drawn where one of the two was not counted. */
static int write_page(struct page *page, struct lauka_terminal terminal)
{
    int error = lauka_result_quantile_cells(page->result, page->command, page->metric,
                                            terminal.utf8, &page->of);
    if (error || page->of.rows == 0)
        return error;
    lauka_sheet_make(&page->sheet, columns, COLUMNS, terminal);
    fill(page);
    char *reference = fit_name(page, 0, REFERENCE);
    char *command = fit_name(page, page->command, COMMAND);
    draw_heading(page);
    lauka_sheet_draw_titles(&page->sheet, COLUMNS, page->out);
    error = lauka_sheet_write(&page->sheet, page->out);
    fputc('\n', page->out);
    free(reference);
    free(command);
    lauka_sheet_done(&page->sheet);
    return error;
}

int lauka_write_percentiles(const struct lauka_result *result, struct lauka_terminal terminal,
                            FILE *out)
{
    struct page *page = calloc(1, sizeof *page);
    int error = page ? 0 : ENOMEM;
    errno = 0;
    for (size_t place = 0, m; !error && lauka_next_metric(result, &place, &m);)
        for (size_t c = result->command_count > 1; c < result->command_count && !error; c++) {
            *page = (struct page){.result = result, .out = out, .command = c, .metric = m};
            error = write_page(page, terminal);
        }
    free(page);
    return error ? error : lauka_finish(out);
}
