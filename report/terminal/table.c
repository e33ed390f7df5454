/* The table on the terminal. A row is a metric; its numbers share one scale, so that they compare at a
 * glance and the unit is written once. All commands' rows share their columns and scales. */
#include "report/terminal/terminal.h"
#include "report/terminal/grid.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "report/words/words.h"
#include "stats/stats.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a narrow terminal drops, in this order; after that, names of metrics are cut. The answer stays
 * longest, and the verdict outlives its number: alone, a number would say too much, and "±" would claim
 * that its interval is symmetrical. */
static const enum lauka_cell expendable[] = {
    LAUKA_CELL_OUTLIERS, LAUKA_CELL_LEAST, LAUKA_CELL_EFFECT,   LAUKA_CELL_DEVIATION,
    LAUKA_CELL_SHARE,    LAUKA_CELL_MEAN,  LAUKA_CELL_INTERVAL, LAUKA_CELL_CHANGE,
};

enum { SHORTENED_NAME = 9 };

/* Before a column goes, the rows move together. */
struct spacing {
    int indent, gap;
};
static const struct spacing spacings[] = {{2, 2}, {0, 2}, {0, 1}};

struct table {
    const struct lauka_result *result;
    struct lauka_grid grid;
    struct lauka_cells *rows; /* owned; command-major, then primary metrics, then the others */
    size_t shown;             /* metrics that have a row */
    size_t primaries;         /* how many metrics are primary */
};

/* ---- how wide it gets ------------------------------------------------------------------------ */

static int total_width(const struct table *table)
{
    return lauka_grid_width(&table->grid, 0, LAUKA_CELLS);
}

static size_t row_count(const struct table *table)
{
    return table->result->command_count * table->shown;
}

static void measure(struct table *table)
{
    lauka_grid_reset(&table->grid);
    for (size_t r = 0; r < row_count(table); r++)
        lauka_grid_widen(&table->grid, &table->rows[r]);
    lauka_grid_widen_titles(&table->grid);
}

static void hide(struct table *table, enum lauka_cell column)
{
    lauka_grid_hide(&table->grid, column);
}

static bool fits(struct table *table)
{
    for (size_t i = 0; i < sizeof spacings / sizeof *spacings; i++) {
        table->grid.indent = spacings[i].indent;
        table->grid.gap = spacings[i].gap;
        if (total_width(table) <= table->grid.terminal.width)
            return true;
    }
    return false;
}

/* The name of another metric begins as this one does; then their ends tell them apart. */
static bool begins_like_another(const struct table *table, size_t metric, int width)
{
    const char *name = table->rows[metric].text[LAUKA_CELL_NAME];
    bool alike = false;
    for (const char *c = name; *c; c++)
        if (*c < ' ' || *c > '~') /* elsewhere a byte is no column */
            return false;
    for (size_t m = 0; m < table->shown && strlen(name) > (size_t)width; m++)
        alike |=
            m != metric && strncmp(name, table->rows[m].text[LAUKA_CELL_NAME], (size_t)width) == 0;
    return alike;
}

/* "cache_miss_percent" -> "cach…nt" */
static void cut_middle(const struct table *table, int width, char *name)
{
    int tail = (width - 1) / 2, head = width - 1 - tail;
    char cut[LAUKA_CELL_SIZE];
    snprintf(cut, sizeof cut, "%.*s%s%s", head, name, table->grid.terminal.utf8 ? "…" : ".",
             name + strlen(name) - (size_t)tail);
    memcpy(name, cut, sizeof cut);
}

/* At the end: most metrics differ in how they begin. */
static int shorten_names(struct table *table, int width)
{
    bool *alike = calloc(table->shown + 1, sizeof *alike);
    if (!alike)
        return ENOMEM;
    table->grid.widths[LAUKA_CELL_NAME] = width = width > 1 ? width : 1;
    for (size_t m = 0; m < table->shown; m++)
        alike[m] = begins_like_another(table, m, width);
    for (size_t r = 0; r < row_count(table); r++) {
        char *name = table->rows[r].text[LAUKA_CELL_NAME];
        if (alike[r % table->shown])
            cut_middle(table, width, name);
        else
            lauka_cut_text(name, width);
    }
    free(alike);
    return 0;
}

/* "slower, < 1 %" and "inconclusive (1 of 4)" in a word. */
static void shorten_verdicts(struct table *table)
{
    for (size_t r = 0; r < row_count(table); r++) {
        char *verdict = table->rows[r].text[LAUKA_CELL_VERDICT];
        verdict[strcspn(verdict, " ,")] = 0;
    }
    measure(table);
}

/* A part of a long name is enough, before a mean or a change is dropped. */
static bool fits_shortened(const struct table *table)
{
    int excess = total_width(table) - table->grid.terminal.width;
    return table->grid.widths[LAUKA_CELL_NAME] - excess >= SHORTENED_NAME;
}

/* Means go where there are changes instead; the reference has them still. */
static bool can_go(const struct table *table, enum lauka_cell column)
{
    return column != LAUKA_CELL_MEAN || table->grid.widths[LAUKA_CELL_VERDICT] > 0;
}

/* The reference is compared with nothing: it can use the room of the others' comparison for columns that
 * they drop. Its columns stay aligned with theirs. */
static struct table fit_reference(const struct table *table)
{
    struct table own = *table;
    for (enum lauka_cell c = 0; c < LAUKA_CELLS; c++)
        own.grid.hidden[c] = c >= LAUKA_CELL_CHANGE;
    for (size_t i = 0; i < sizeof expendable / sizeof *expendable; i++) {
        if (total_width(&own) <= own.grid.terminal.width)
            break;
        own.grid.hidden[expendable[i]] |= expendable[i] != LAUKA_CELL_MEAN;
        own.grid.hidden[LAUKA_CELL_MOST] = own.grid.hidden[LAUKA_CELL_LEAST];
    }
    return own;
}

static int fit(struct table *table)
{
    measure(table);
    bool done = fits(table);
    for (size_t i = 0; i < sizeof expendable / sizeof *expendable && !done; i++) {
        if (i > 3 && fits_shortened(table))
            break;
        if (can_go(table, expendable[i]))
            hide(table, expendable[i]);
        done = fits(table);
        if (!done && expendable[i] == LAUKA_CELL_LEAST) {
            shorten_verdicts(table);
            done = fits(table);
        }
    }
    struct table reference = fit_reference(table);
    int own = total_width(table), its = total_width(&reference);
    int excess = (own > its ? own : its) - table->grid.terminal.width;
    return excess > 0 ? shorten_names(table, table->grid.widths[LAUKA_CELL_NAME] - excess) : 0;
}

/* ---- how it is drawn ------------------------------------------------------------------------- */

/* "120 runs (2 failed) of ./a  (reference)"; if it is too long, the command is cut. */
static void draw_heading(const struct table *table, size_t command)
{
    const struct lauka_result *result = table->result;
    uint64_t rounds = lauka_result_rounds(result, command);
    uint64_t failures = result->commands[command].failures;
    const char *role = command == 0 && result->command_count > 1 ? "  (reference)" : "";
    char failed[40] = "", runs[80], number[32] = "";
    size_t alike = lauka_result_name_number(result, command);
    if (alike > 0)
        snprintf(number, sizeof number, " (%zu)", alike);
    if (failures > 0)
        snprintf(failed, sizeof failed, " (%" PRIu64 " failed)", failures);
    const char *what = result->run.stopped == LAUKA_STOPPED_STORED ? "value" : "run";
    snprintf(runs, sizeof runs, "%" PRIu64 " %s%s%s of ", rounds, what, rounds == 1 ? "" : "s",
             failed);
    int room = table->grid.terminal.width - (int)strlen(runs);
    if (room < 8) { /* the command matters more */
        runs[0] = 0;
        room = table->grid.terminal.width;
    }
    if (room < 40)
        role = "";
    room -= (int)strlen(role) + (int)strlen(number);
    char *label = lauka_result_fit_label(result, command, room, table->grid.terminal.utf8);
    fputs(runs, table->grid.out);
    lauka_put_styled(label ? label : "?", LAUKA_STYLE_HEADING, table->grid.terminal,
                     table->grid.out);
    fputs(number, table->grid.out);
    if (*role)
        lauka_put_styled(role, LAUKA_STYLE_SECONDARY, table->grid.terminal, table->grid.out);
    fputc('\n', table->grid.out);
    free(label);
}

/* How many comparisons were judged together, if that withdrew a verdict; otherwise 0. */
static uint64_t family_felt(const struct lauka_result *result, size_t command)
{
    for (size_t m = 0; m < result->metric_count; m++) {
        const struct lauka_comparison *one = lauka_result_comparison(result, command, m);
        if (one && one->withdrawn && one->verdict == LAUKA_VERDICT_INCONCLUSIVE &&
            !result->metrics[m].primary && lauka_result_is_shown(result, m))
            return one->family;
    }
    return 0;
}

/* A heading for the metrics below: they are explored beside those that decide, and judged among
 * themselves. */
static void draw_label(const struct table *table, size_t command)
{
    char text[120] = "exploratory";
    uint64_t family = family_felt(table->result, command);
    if (command == 0)
        return;
    if (family > 0 && table->grid.terminal.width >= 80)
        snprintf(text, sizeof text,
                 "exploratory: of %" PRIu64
                 " judged together (Holm), no interval decides by itself",
                 family);
    fprintf(table->grid.out, "%*s", table->grid.indent, "");
    lauka_put_styled(text, LAUKA_STYLE_SECONDARY, table->grid.terminal, table->grid.out);
    fputc('\n', table->grid.out);
}

static void draw_command(const struct table *table, size_t command)
{
    size_t metrics = table->shown;
    draw_heading(table, command);
    if (table->result->run.rounds > 0 && metrics > 0) {
        lauka_grid_draw_titles(&table->grid, command == 0 ? LAUKA_CELL_CHANGE : LAUKA_CELLS);
        for (size_t m = 0; m < metrics; m++) {
            if (m == table->primaries && m > 0)
                draw_label(table, command);
            lauka_grid_draw(&table->grid, &table->rows[command * metrics + m], 0, LAUKA_CELLS, 0);
        }
    }
    fputc('\n', table->grid.out);
}

/* Primary metrics come first in every table. */
static void fill(struct table *table)
{
    const struct lauka_result *result = table->result;
    size_t next = 0;
    for (size_t m = 0; m < result->metric_count; m++)
        table->primaries += result->metrics[m].primary;
    for (int primary = 1; primary >= 0; primary--)
        for (size_t m = 0; m < result->metric_count; m++) {
            if (result->metrics[m].primary != primary || !lauka_result_is_shown(result, m))
                continue;
            for (size_t c = 0; c < result->command_count; c++)
                lauka_result_cells(result, c, m, table->grid.terminal.utf8,
                                   &table->rows[c * table->shown + next]);
            next++;
        }
}

int lauka_write_table(const struct lauka_result *result, struct lauka_terminal terminal, FILE *out)
{
    struct table table = {.result = result,
                          .grid = {.terminal = terminal, .out = out},
                          .shown = lauka_result_shown_count(result)};
    errno = 0;
    table.rows = calloc(row_count(&table) + 1, sizeof *table.rows);
    if (!table.rows)
        return ENOMEM;
    fill(&table);
    int error = fit(&table);
    if (!error && lauka_result_has_gate(result))
        error = lauka_write_gate(result, terminal, out);
    error = error ? error : lauka_write_answers(result, terminal, out);
    if (!error && result->command_count > 0)
        fputc('\n', out);
    struct table reference = fit_reference(&table);
    for (size_t c = 0; c < result->command_count && !error; c++)
        draw_command(c == 0 ? &reference : &table, c);
    free(table.rows);
    error = error ? error : lauka_write_remarks(result, terminal, out);
    return error ? error : lauka_finish(out);
}
