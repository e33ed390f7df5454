/* The table on the terminal. A row is a metric; its numbers share one scale, so that they compare at
 * a glance and the unit stands once. All commands' rows share their columns and scales. */
#include "report/report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What a narrow terminal does without, first to last; names of metrics are cut after that. */
static const enum lauka_cell expendable[] = {LAUKA_CELL_OUTLIERS, LAUKA_CELL_EFFECT,
                                             LAUKA_CELL_LEAST, LAUKA_CELL_DEVIATION,
                                             LAUKA_CELL_CHANGE};

enum { NARROW = 40 };

struct table {
    const struct lauka_result *result;
    struct lauka_terminal terminal;
    FILE *out;
    struct lauka_cells *rows; /* owned; command-major, then metric */
    int widths[LAUKA_CELLS];
    bool hidden[LAUKA_CELLS];
};

/* ---- how wide it gets ---------------------------------------------------------------------------- */

static bool narrow(const struct table *table)
{
    return table->terminal.width < NARROW;
}

static const char *lead(const struct table *table, enum lauka_cell column)
{
    bool utf8 = table->terminal.utf8;
    if (column == LAUKA_CELL_NAME)
        return narrow(table) ? "" : "  ";
    if (column == LAUKA_CELL_DEVIATION)
        return utf8 ? " ± " : " +- ";
    if (column == LAUKA_CELL_MOST)
        return utf8 ? " … " : " ... ";
    return column == LAUKA_CELL_UNIT || narrow(table) ? " " : "  ";
}

static int total_width(const struct table *table)
{
    int total = 0;
    for (enum lauka_cell c = 0; c < LAUKA_CELLS; c++)
        if (!table->hidden[c] && table->widths[c] > 0)
            total += lauka_display_width(lead(table, c)) + table->widths[c];
    return total;
}

static size_t row_count(const struct table *table)
{
    return table->result->command_count * table->result->metric_count;
}

static void measure(struct table *table)
{
    for (enum lauka_cell c = 0; c < LAUKA_CELLS; c++) {
        int widest = 0;
        for (size_t r = 0; r < row_count(table); r++) {
            int width = lauka_display_width(table->rows[r].text[c]);
            widest = width > widest ? width : widest;
        }
        int least = widest > 0 ? lauka_display_width(lauka_cell_title(c, table->terminal.utf8)) : 0;
        table->widths[c] = widest > least ? widest : least;
    }
}

static void hide(struct table *table, enum lauka_cell column)
{
    table->hidden[column] = true;
    if (column == LAUKA_CELL_LEAST)
        table->hidden[LAUKA_CELL_MOST] = true;
}

static void fit(struct table *table)
{
    measure(table);
    int width = table->terminal.width;
    for (size_t i = 0; i < sizeof expendable / sizeof *expendable; i++)
        if (total_width(table) > width)
            hide(table, expendable[i]);
    int excess = total_width(table) - width;
    if (excess > 0)
        table->widths[LAUKA_CELL_NAME] -= excess < table->widths[LAUKA_CELL_NAME] ? excess : table->widths[LAUKA_CELL_NAME] - 1;
}

/* ---- how it is drawn ----------------------------------------------------------------------------- */

static void style(const struct table *table, const char *codes)
{
    if (table->terminal.color)
        fprintf(table->out, "\x1b[%sm", codes);
}

static void styled(const struct table *table, const char *codes, const char *text)
{
    style(table, codes);
    fputs(text, table->out);
    style(table, "0");
}

/* Blanks are kept back until text follows, so that no line ends in them. */
struct pen {
    const struct table *table;
    int blanks;
};

static void draw(struct pen *pen, const char *codes, const char *text)
{
    if (!*text)
        return;
    fprintf(pen->table->out, "%*s", pen->blanks, "");
    pen->blanks = 0;
    if (*codes)
        styled(pen->table, codes, text);
    else
        fputs(text, pen->table->out);
}

static void draw_cell(struct pen *pen, enum lauka_cell column, const char *text, bool to_left,
                      const char *codes)
{
    int padding = pen->table->widths[column] - lauka_display_width(text);
    padding = padding > 0 ? padding : 0;
    pen->blanks += to_left ? 0 : padding;
    draw(pen, codes, text);
    pen->blanks += to_left ? padding : 0;
}

/* The sign between two numbers is drawn only where both are. */
static void draw_lead(struct pen *pen, enum lauka_cell column, const char *next)
{
    const char *text = lead(pen->table, column);
    bool sign = column == LAUKA_CELL_DEVIATION || column == LAUKA_CELL_MOST;
    if (!sign || !*next) {
        pen->blanks += lauka_display_width(text);
        return;
    }
    char bare[8];
    size_t length = strlen(text);
    snprintf(bare, sizeof bare, "%.*s", (int)length - 2, text + 1);
    pen->blanks++;
    draw(pen, "2", bare);
    pen->blanks++;
}

static const char *codes_for(const struct lauka_cells *row, enum lauka_cell column)
{
    if (!row->counted)
        return "2";
    if (column == LAUKA_CELL_MEAN)
        return "1";
    if (column == LAUKA_CELL_OUTLIERS && row->many_outliers)
        return "33";
    bool minor = column == LAUKA_CELL_LEAST || column == LAUKA_CELL_MOST;
    return minor || column == LAUKA_CELL_OUTLIERS ? "2" : "";
}

static void draw_row(const struct table *table, const struct lauka_cells *row)
{
    struct pen pen = {table, 0};
    for (enum lauka_cell c = 0; c < LAUKA_CELLS; c++) {
        const char *text = row->text[c];
        if (table->hidden[c] || table->widths[c] == 0)
            continue;
        draw_lead(&pen, c, text);
        char *name = c == LAUKA_CELL_NAME ? lauka_fit_text(text, table->widths[c], table->terminal.utf8) : NULL;
        draw_cell(&pen, c, name ? name : text, c == LAUKA_CELL_NAME || c == LAUKA_CELL_UNIT, codes_for(row, c));
        free(name);
    }
    fputc('\n', table->out);
}

/* Titles of columns that the command fills: the reference has no change. */
static void draw_titles(const struct table *table, size_t command)
{
    struct pen pen = {table, 0};
    for (enum lauka_cell c = 0; c < LAUKA_CELLS; c++) {
        bool compared = c == LAUKA_CELL_CHANGE || c == LAUKA_CELL_EFFECT;
        const char *text = compared && command == 0 ? "" : lauka_cell_title(c, table->terminal.utf8);
        if (table->hidden[c] || table->widths[c] == 0)
            continue;
        draw_lead(&pen, c, text);
        draw_cell(&pen, c, text, c == LAUKA_CELL_DEVIATION || c == LAUKA_CELL_MOST, "2");
    }
    fputc('\n', table->out);
}

static void draw_heading(const struct table *table, size_t command)
{
    uint64_t rounds = table->result->run.rounds;
    uint64_t failures = lauka_result_failures(table->result, command);
    char failed[40] = "", text[128];
    if (failures > 0)
        snprintf(failed, sizeof failed, " (%" PRIu64 " failed)", failures);
    snprintf(text, sizeof text, "%" PRIu64 " run%s%s of ", rounds, rounds == 1 ? "" : "s", failed);
    int room = table->terminal.width - (int)strlen(text);
    if (room < 8) /* the command matters more */
        text[0] = 0, room = table->terminal.width;
    char *label =
        lauka_fit_text(table->result->commands[command].label, room, table->terminal.utf8);
    fputs(text, table->out);
    styled(table, "1", label ? label : "?");
    fputc('\n', table->out);
    free(label);
}

static void draw_command(const struct table *table, size_t command)
{
    size_t metrics = table->result->metric_count;
    draw_heading(table, command);
    if (table->result->run.rounds > 0 && metrics > 0) {
        draw_titles(table, command);
        for (size_t m = 0; m < metrics; m++)
            draw_row(table, &table->rows[command * metrics + m]);
    }
    fputc('\n', table->out);
}

/* ---- what follows the table ---------------------------------------------------------------------- */

static int say(const struct table *table, int indent, const char *text)
{
    return lauka_print_wrapped(text, indent, table->terminal.width, table->terminal.utf8,
                               table->out);
}

static int say_note(const struct table *table, const char *text)
{
    styled(table, "1", "note:");
    fputc(' ', table->out);
    return say(table, 6, text);
}

static int say_notes(const struct table *table)
{
    const struct lauka_result *result = table->result;
    bool estimates = false;
    for (size_t r = 0; r < row_count(table); r++)
        estimates |= table->rows[r].estimated;
    int error = 0;
    if (estimates)
        error = say_note(table, "~ marks an estimate: the counter was shared, ran for a part of the "
                                "time and was scaled up.");
    for (size_t w = 0; w < result->warning_count && !error; w++)
        error = say_note(table, result->warnings[w]);
    if (estimates || result->warning_count > 0)
        fputc('\n', table->out);
    return error;
}

static int say_sentences(const struct table *table)
{
    int error = 0;
    for (size_t c = 0; c < table->result->command_count && !error; c++) {
        char text[1024];
        lauka_result_sentence(table->result, c, table->terminal.utf8, text, sizeof text);
        error = say(table, 0, text);
    }
    return error;
}

static int say_course(const struct table *table)
{
    char text[256];
    lauka_result_course(table->result, text, sizeof text);
    style(table, "2");
    int error = say(table, 0, text);
    style(table, "0");
    return error;
}

int lauka_write_table(const struct lauka_result *result, struct lauka_terminal terminal, FILE *out)
{
    struct table table = {.result = result, .terminal = terminal, .out = out};
    errno = 0;
    table.rows = calloc(row_count(&table) + 1, sizeof *table.rows);
    if (!table.rows)
        return ENOMEM;
    for (size_t r = 0; r < row_count(&table); r++)
        lauka_result_cells(result, r / result->metric_count, r % result->metric_count,
                           terminal.utf8, &table.rows[r]);
    fit(&table);
    for (size_t c = 0; c < result->command_count; c++)
        draw_command(&table, c);
    int error = say_notes(&table);
    error = error ? error : say_sentences(&table);
    error = error ? error : say_course(&table);
    free(table.rows);
    return error ? error : lauka_finish(out);
}
