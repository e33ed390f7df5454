/* The table on the terminal. A row is a metric; its numbers share one scale, so that they compare at a
 * glance and the unit is written once. All commands' rows share their columns and scales. */
#include "report/terminal/terminal.h"
#include "report/result/result.h"
#include "report/terminal/blocks.h"
#include "report/terminal/screen.h"
#include "report/text/prose.h"
#include "report/text/sheet.h"
#include "report/words/words.h"
#include "stats/stats.h"

#include <inttypes.h>
#include <string.h>

enum { SHORTENED_NAME = 9 };

/* Before a column goes, the rows move together. */
struct spacing {
    int indent, gap;
};
static const struct spacing spacings[] = {{2, 2}, {0, 2}, {0, 1}};

struct table {
    struct lauka_prose *prose;
    const struct lauka_result *result;
    struct lauka_sheet sheet; /* command-major, then primary metrics, then the others */
    size_t shown;             /* metrics that have a row */
    size_t primaries;         /* how many metrics are primary */
};

/* ---- how wide it gets ------------------------------------------------------------------------ */

static bool fits(struct lauka_sheet *sheet)
{
    for (size_t i = 0; i < sizeof spacings / sizeof *spacings; i++) {
        sheet->indent = spacings[i].indent;
        sheet->gap = spacings[i].gap;
        if (lauka_sheet_excess(sheet) <= 0)
            return true;
    }
    return false;
}

static const char *name_of(const struct table *table, size_t row)
{
    return lauka_sheet_text(&table->sheet, row, LAUKA_CELL_NAME);
}

/* The name of another metric begins as this one does; then their ends tell them apart. */
static bool begins_like_another(const struct table *table, size_t metric, int width)
{
    const char *name = name_of(table, metric);
    bool alike = false;
    for (const char *c = name; *c; c++)
        if (*c < ' ' || *c > '~') /* elsewhere a byte is no column */
            return false;
    for (size_t m = 0; m < table->shown && strlen(name) > (size_t)width; m++)
        alike |= m != metric && strncmp(name, name_of(table, m), (size_t)width) == 0;
    return alike;
}

/* "cache_miss_percent" -> "cach…nt" where others begin like it; else at the end: most metrics differ in how they
 * begin. */
static const char *shortened(struct lauka_prose *prose, const char *name, bool alike, int width)
{
    int tail = (width - 1) / 2, head = width - 1 - tail;
    if (alike)
        return lauka_say(prose, "%.*s%s%s", head, name, prose->utf8 ? "…" : ".",
                         name + strlen(name) - (size_t)tail);
    char *copy = lauka_prose_copy(prose, name);
    if (copy)
        lauka_cut_text(copy, width);
    return copy ? copy : "";
}

static void shorten_names(struct table *table, int width)
{
    bool *alike = lauka_prose_room(table->prose, table->shown, sizeof *alike);
    table->sheet.columns[LAUKA_CELL_NAME].width = width = width > 1 ? width : 1;
    for (size_t m = 0; alike && m < table->shown; m++)
        alike[m] = begins_like_another(table, m, width);
    for (size_t r = 0; alike && r < table->sheet.row_count; r++)
        lauka_sheet_set(&table->sheet, r, LAUKA_CELL_NAME,
                        shortened(table->prose, name_of(table, r), alike[r % table->shown], width));
}

/* A part of a long name is enough, before a mean or a change is dropped. */
static bool fits_shortened(const struct lauka_sheet *sheet)
{
    return sheet->columns[LAUKA_CELL_NAME].width - lauka_sheet_excess(sheet) >= SHORTENED_NAME;
}

/* The reference is compared with nothing: it can use the room of the others' comparison for columns that
 * they drop. Its columns stay aligned with theirs. */
static struct lauka_sheet fit_reference(const struct table *table)
{
    struct lauka_sheet own = table->sheet;
    for (enum lauka_cell c = 0; c < LAUKA_CELLS; c++)
        own.columns[c].hidden = c >= LAUKA_CELL_CHANGE;
    own.columns[LAUKA_CELL_MEAN].rank = own.columns[LAUKA_CELL_UNIT].rank = 0;
    lauka_sheet_fit(&own);
    return own;
}

/* Drops columns by their ranks, and shortens "slower, < 1 %" and "may be chance (4 comparisons)" on the way. Means
 * go where there are changes instead; the reference has them still. At last, names of metrics are cut. */
static void fit(struct table *table)
{
    struct lauka_sheet *sheet = &table->sheet;
    const int least = sheet->columns[LAUKA_CELL_LEAST].rank;
    const int deviation = sheet->columns[LAUKA_CELL_DEVIATION].rank;
    const int mean = sheet->columns[LAUKA_CELL_MEAN].rank;
    lauka_sheet_measure(sheet);
    bool done = fits(sheet);
    for (int rank = 1; rank <= sheet->columns[LAUKA_CELL_CHANGE].rank && !done; rank++) {
        if (rank > deviation && fits_shortened(sheet))
            break;
        if (rank != mean || sheet->columns[LAUKA_CELL_VERDICT].width > 0)
            lauka_sheet_give_up(sheet, rank);
        done = fits(sheet);
        if (!done && rank == least) {
            lauka_sheet_shorten(sheet, LAUKA_CELL_VERDICT, "(,");
            lauka_sheet_measure(sheet);
            done = fits(sheet);
        }
    }
    struct lauka_sheet reference = fit_reference(table);
    int own = lauka_sheet_excess(sheet), its = lauka_sheet_excess(&reference);
    int excess = own > its ? own : its;
    if (excess > 0)
        shorten_names(table, sheet->columns[LAUKA_CELL_NAME].width - excess);
}

/* ---- how it is drawn ------------------------------------------------------------------------- */

/* "120 runs (2 failed) of ./a  (reference)"; the whole command is below if its name is another. */
static void draw_heading(const struct table *table, size_t command)
{
    struct lauka_prose *prose = table->prose;
    const struct lauka_result *result = table->result;
    uint64_t rounds = lauka_result_rounds(result, command);
    uint64_t failures = result->commands[command].failures;
    const char *role = command == 0 && result->command_count > 1 ? "  (reference)" : "";
    const char *failed = "";
    if (failures > 0)
        failed = lauka_say(prose, " (%" PRIu64 " failed)", failures);
    const char *runs = lauka_say(prose, "%" PRIu64 " %s%s%s of ", rounds,
                                 result->run.stopped == LAUKA_STOPPED_STORED ? "value" : "run",
                                 lauka_plural(rounds), failed);
    const char *name = lauka_say_name(prose, result, command);
    int room = prose->terminal.width - lauka_display_width(name) - (int)strlen(runs);
    if (room < 0) /* the command matters more */
        runs = "";
    lauka_put(prose, "%s", runs);
    lauka_put_text(prose, LAUKA_STYLE_HEADING, name);
    if (*role && room >= (int)strlen(role))
        lauka_put_text(prose, LAUKA_STYLE_SECONDARY, role);
    lauka_put(prose, "\n");
    if (lauka_is_shortened(prose, result, command))
        lauka_put_paragraph(prose, 2, LAUKA_STYLE_SECONDARY,
                            lauka_say_whole(prose, result, command));
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
    struct lauka_prose *prose = table->prose;
    const uint64_t family = family_felt(table->result, command);
    const char *text = "exploratory";
    if (command == 0)
        return;
    if (family > 0 && prose->terminal.width >= 80)
        text = lauka_say(prose,
                         "exploratory: of %" PRIu64
                         " judged together (Holm), no interval decides by itself",
                         family);
    lauka_put(prose, "%*s", table->sheet.indent, "");
    lauka_put_text(prose, LAUKA_STYLE_SECONDARY, text);
    lauka_put(prose, "\n");
}

static void draw_command(const struct table *table, const struct lauka_sheet *sheet, size_t command)
{
    size_t metrics = table->shown;
    draw_heading(table, command);
    if (table->result->run.rounds > 0 && metrics > 0) {
        lauka_sheet_draw_titles(sheet, command == 0 ? LAUKA_CELL_CHANGE : LAUKA_CELLS);
        for (size_t m = 0; m < metrics; m++) {
            if (m == table->primaries && m > 0)
                draw_label(table, command);
            lauka_sheet_draw(sheet, command * metrics + m, 0, LAUKA_CELLS, 0);
        }
    }
    lauka_put(table->prose, "\n");
}

/* Primary metrics come first in every table. */
static void fill(struct table *table)
{
    const struct lauka_result *result = table->result;
    table->primaries = lauka_result_primaries(result, false);
    for (size_t c = 0; c < result->command_count; c++)
        for (size_t place = 0, m; lauka_next_metric(result, &place, &m);) {
            const struct lauka_cells cells = lauka_result_cells(table->prose, result, c, m);
            lauka_grid_add(&table->sheet, &cells);
        }
}

int lauka_write_table(const struct lauka_result *result, struct lauka_terminal terminal, FILE *out)
{
    struct lauka_prose prose = lauka_prose_begin(out, terminal);
    struct table table = {
        .prose = &prose, .result = result, .shown = lauka_result_shown_count(result)};
    lauka_grid_make(&table.sheet, &prose);
    fill(&table);
    fit(&table);
    if (lauka_result_has_gate(result))
        lauka_put_gate(&prose, result);
    lauka_put_answers(&prose, result);
    lauka_put(&prose, result->command_count > 0 ? "\n" : "");
    const struct lauka_sheet reference = fit_reference(&table);
    for (size_t c = 0; c < result->command_count && !prose.error; c++)
        draw_command(&table, c == 0 ? &reference : &table.sheet, c);
    lauka_put_remarks(&prose, result);
    return lauka_prose_end(&prose);
}
