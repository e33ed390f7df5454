/* What the threads of a live process use, as a table: a row for each, one for ended threads, and the sum;
 * with several types of core, a group of columns for each. All times share one unit, which is in the
 * titles, and so do all counts. */
#include "report/terminal/terminal.h"
#include "report/result/threads.h"
#include "report/text/prose.h"
#include "report/text/sheet.h"
#include "report/words/words.h"
#include "stats/stats.h"

#include <assert.h>
#include <inttypes.h>

enum figure {
    ID,
    TIME,
    SHARE,
    USER,
    SYSTEM,
    CYCLES,
    INSTRUCTIONS,
    IPC,
    GHZ,
    ENERGY,
    POWER,
    FIGURES,        /* how many there are */
    EVENT = FIGURES /* any that was asked for */
};

/* The lower the rank, the sooner a narrow terminal drops it. */
static const struct {
    const char *title;
    int rank;
} kinds[] = {
    [ID] = {"thread", 0},          [TIME] = {"cpu", 0},      [SHARE] = {"load", 8},
    [USER] = {"user", 3},          [SYSTEM] = {"system", 2}, [CYCLES] = {"cycles", 7},
    [INSTRUCTIONS] = {"instr", 1}, [IPC] = {"IPC", 9},       [GHZ] = {"GHz", 5},
    [ENERGY] = {"J", 4},           [POWER] = {"W", 6},       [EVENT] = {"", 6},
};

enum {
    /* A type of core has no ID and no SHARE. */
    COLUMNS_MAX = FIGURES + LAUKA_THREAD_TYPES_MAX * (FIGURES - 2) + LAUKA_THREAD_COUNTS_MAX,
    NAME_LEAST = 12, /* columns that names keep */
    FURTHER_ROWS = 2 /* those that have ended, and the sum */
};
static_assert(COLUMNS_MAX < LAUKA_SHEET_COLUMNS, "and names have one more");

struct column {
    enum figure figure;
    size_t type;  /* of core; type_count: all of them together */
    size_t event; /* of EVENT: its number */
    struct lauka_scale scale;
    const char *title;
};

struct table {
    struct lauka_prose *prose;
    const struct lauka_thread_report *report;
    struct lauka_scale times, counts, energies, powers;
    struct column columns[COLUMNS_MAX];
    size_t count;
    struct lauka_sheet sheet; /* a column for each, and one for names */
};

/* ---- what stands in a cell ------------------------------------------------------------------- */

static const struct lauka_thread_figures *figures_of(const struct table *table, size_t row,
                                                     const struct column *column)
{
    const struct lauka_thread_report *report = table->report;
    bool of_type = column->type < report->type_count;
    if (row >= report->count && of_type)
        return NULL;
    if (row == report->count)
        return &report->gone;
    if (row > report->count)
        return &report->total;
    return of_type ? &report->rows[row].types[column->type] : &report->rows[row].total;
}

static struct lauka_optional quotient(struct lauka_optional a, struct lauka_optional b)
{
    bool known = a.known && b.known && b.value > 0;
    return (struct lauka_optional){known, known ? a.value / b.value : 0};
}

static struct lauka_optional in_ns(struct lauka_optional seconds)
{
    seconds.value *= 1e9;
    return seconds;
}

/* Times in ns, the load as a share. */
static struct lauka_optional value_of(const struct table *table, size_t row,
                                      const struct column *column)
{
    const struct lauka_thread_figures *figures = figures_of(table, row, column);
    const struct lauka_optional unknown = {0};
    if (!figures)
        return unknown;
    switch (column->figure) {
    case TIME:
        return in_ns(figures->time);
    case SHARE:
        return quotient(figures->time, lauka_known(table->report->seconds));
    case USER:
        return in_ns(figures->user);
    case SYSTEM:
        return in_ns(figures->system);
    case CYCLES:
        return figures->cycles;
    case INSTRUCTIONS:
        return figures->instructions;
    case IPC:
        return quotient(figures->instructions, figures->cycles);
    case GHZ:
        return figures->ghz;
    case ENERGY:
        return figures->energy;
    case POWER:
        return figures->power;
    case EVENT:
        return figures->counts[column->event];
    case ID:
        break;
    }
    return unknown;
}

static bool is_count(enum figure figure)
{
    return figure == CYCLES || figure == INSTRUCTIONS || figure == IPC;
}

/* Derived from a count, and so an estimate if the count is one. */
static bool is_of_counts(enum figure figure)
{
    return is_count(figure) || figure == GHZ || figure == EVENT;
}

/* Where there are several types of core, these are theirs. */
static bool is_of_types(enum figure figure)
{
    return is_of_counts(figure) || figure == ENERGY || figure == POWER;
}

static const char *id_of(const struct table *table, size_t row)
{
    const struct lauka_thread_report *report = table->report;
    return row < report->count    ? lauka_say(table->prose, "%" PRIu64, report->rows[row].id)
           : row == report->count ? "ended"
                                  : "all";
}

static const char *cell_of(const struct table *table, size_t row, const struct column *column)
{
    struct lauka_prose *prose = table->prose;
    const struct lauka_thread_figures *figures = figures_of(table, row, column);
    if (column->figure == ID)
        return id_of(table, row);
    struct lauka_optional value = value_of(table, row, column);
    const char *mark = value.known && figures->estimated && is_of_counts(column->figure) ? "~" : "";
    if (!value.known)
        return figures ? prose->signs->dash : "";
    if (column->figure == IPC || column->figure == GHZ)
        return lauka_say(prose, "%s%.2f", mark, value.value);
    if (column->figure == SHARE)
        return lauka_say(prose, "%.1f %%", 100 * value.value);
    return lauka_say(prose, "%s%s", mark, lauka_say_scaled(prose, value.value, column->scale));
}

static const char *title_of(const struct table *table, const struct column *column)
{
    const char *suffix = column->scale.suffix ? column->scale.suffix : "";
    const char *name = column->figure == EVENT ? table->report->counts[column->event]
                                               : kinds[column->figure].title;
    if (column->figure == ENERGY || column->figure == POWER)
        return lauka_say(table->prose, "%s%s", suffix, name);
    if (table->report->user_only && is_count(column->figure))
        name = lauka_say(table->prose, "%s:u", name);
    return lauka_with_unit(table->prose, name, suffix);
}

/* ---- which columns there are ----------------------------------------------------------------- */

static bool has_gone(const struct lauka_thread_report *report)
{
    return report->ended > 0 || (report->gone.time.known && report->gone.time.value > 0);
}

static bool is_shown_row(const struct table *table, size_t row)
{
    const struct lauka_thread_report *report = table->report;
    return row != report->count || has_gone(report);
}

static size_t row_count(const struct table *table)
{
    return table->report->count + FURTHER_ROWS;
}

/* Of what times, or counts, have one scale in common. */
struct range {
    double least, most; /* least: above 0 */
};

/* Widens the range by the column's; false if nothing is known about any thread. */
static bool find_range(const struct table *table, const struct column *column, struct range *range)
{
    bool known = false;
    for (size_t row = 0; row < row_count(table); row++) {
        struct lauka_optional value = value_of(table, row, column);
        known = known || (value.known && row < table->report->count);
        if (!value.known || value.value <= 0)
            continue;
        range->least = range->least > 0 && range->least < value.value ? range->least : value.value;
        range->most = value.value > range->most ? value.value : range->most;
    }
    return known;
}

static bool has_scale(enum figure figure)
{
    return figure != ID && figure != SHARE && figure != IPC && figure != GHZ;
}

/* That of the figure's column. */
static struct lauka_scale *scale_of(struct table *table, enum figure figure)
{
    return figure == ENERGY   ? &table->energies
           : figure == POWER  ? &table->powers
           : is_count(figure) ? &table->counts
                              : &table->times;
}

static void find_scales(struct table *table)
{
    static const enum figure first[] = {TIME, CYCLES, ENERGY, POWER}; /* one of each scale */
    bool utf8 = table->prose->utf8;

    for (size_t s = 0; s < sizeof first / sizeof *first; s++) {
        struct lauka_scale *scale = scale_of(table, first[s]);
        struct range range = {0};
        for (size_t type = 0; type <= table->report->type_count; type++)
            for (enum figure f = TIME; f < FIGURES; f++) {
                struct column column = {.figure = f, .type = type};
                if (has_scale(f) && scale_of(table, f) == scale)
                    find_range(table, &column, &range);
            }
        *scale =
            lauka_scale_for_range(range.least, range.most, first[s] == TIME ? "ns" : "1", utf8);
    }
}

static void add_column(struct table *table, enum figure figure, size_t type)
{
    struct column column = {.figure = figure, .type = type, .scale = {1, "", 0}};
    struct range ignored = {0};
    if (figure != ID && !find_range(table, &column, &ignored))
        return;
    if (has_scale(figure))
        column.scale = *scale_of(table, figure);
    column.title = title_of(table, &column);
    table->columns[table->count++] = column;
}

/* Events differ by orders of magnitude, so each column has its own scale. */
static void add_event(struct table *table, size_t event)
{
    struct column column = {.figure = EVENT, .type = table->report->type_count, .event = event};
    struct range range = {0};

    if (!find_range(table, &column, &range))
        return;
    column.scale = lauka_scale_for_range(range.least, range.most, "1", table->prose->utf8);
    column.title = title_of(table, &column);
    table->columns[table->count++] = column;
}

/* User and system time mean nothing if the time is not divided; the load is that of an interval. */
static void add_columns(struct table *table)
{
    const struct lauka_thread_report *report = table->report;
    size_t types = report->type_count > 1 ? report->type_count : 0;
    add_column(table, ID, report->type_count);
    for (enum figure f = TIME; f < FIGURES; f++)
        if ((f != SHARE || report->seconds > 0) && (types == 0 || !is_of_types(f)))
            add_column(table, f, report->type_count);
    for (size_t e = 0; e < report->count_count; e++)
        add_event(table, e);
    for (size_t type = 0; type < types; type++)
        for (enum figure f = TIME; f < FIGURES; f++)
            if (f != SHARE)
                add_column(table, f, type);
}

/* Names take what the figures leave of the line. */
static void make_sheet(struct table *table)
{
    struct lauka_sheet_column columns[LAUKA_SHEET_COLUMNS] = {0};
    struct lauka_sheet *sheet = &table->sheet;
    const size_t names = table->count;
    for (size_t c = 0; c < table->count; c++)
        columns[c] = (struct lauka_sheet_column){.title = table->columns[c].title,
                                                 .align = LAUKA_ALIGN_RIGHT,
                                                 .rank = kinds[table->columns[c].figure].rank};
    columns[names].title = "name";
    lauka_sheet_make(sheet, columns, names + 1, table->prose);
    for (size_t row = 0; row < row_count(table); row++) {
        if (!is_shown_row(table, row))
            continue;
        size_t r = lauka_sheet_add(sheet);
        for (size_t c = 0; c < table->count; c++)
            lauka_sheet_set(sheet, r, c, cell_of(table, row, &table->columns[c]));
    }
    lauka_sheet_measure(sheet);
    sheet->columns[names].width = NAME_LEAST;
    lauka_sheet_fit(sheet);
    sheet->columns[names].width = 1;
    int room = 1 - lauka_sheet_excess(sheet);
    sheet->columns[names].width = room > 4 ? room : 4;
}

static void put_names(struct table *table)
{
    const struct lauka_thread_report *report = table->report;
    const size_t names = table->count;
    for (size_t row = 0; row < report->count; row++)
        lauka_sheet_set(&table->sheet, row, names,
                        lauka_say_fitted(table->prose, report->rows[row].name,
                                         table->sheet.columns[names].width));
    if (report->ended > 0)
        lauka_sheet_set(&table->sheet, report->count, names,
                        lauka_say(table->prose, "%" PRIu64 " thread%s", report->ended,
                                  lauka_plural(report->ended)));
}

/* ---- how it is drawn ------------------------------------------------------------------------- */

/* "P", above the columns of this type. */
static void draw_types(const struct table *table)
{
    const struct lauka_sheet *sheet = &table->sheet;
    size_t shown = table->report->type_count;
    int blanks = 0;
    if (shown < 2)
        return;
    lauka_put(table->prose, "%s", lauka_style_begin(LAUKA_STYLE_SECONDARY, table->prose->terminal));
    for (size_t c = 0; c < table->count; c++) {
        const struct column *column = &table->columns[c];
        int width = lauka_sheet_width(sheet, c, c + 1);
        if (width > 0 && column->type < table->report->type_count && column->type != shown) {
            const char *label = table->report->types[column->type];
            shown = column->type;
            blanks += sheet->gap;
            lauka_put(table->prose, "%*s|%s", blanks > 0 ? blanks : 0, "", label);
            blanks = width - sheet->gap - 1 - lauka_display_width(label);
            continue;
        }
        blanks += width;
    }
    lauka_put(table->prose, "%s\n", lauka_style_end(LAUKA_STYLE_SECONDARY, table->prose->terminal));
}

/* "postgres (1234): 5 threads, in 1.000 s" */
static void draw_heading(const struct table *table)
{
    const struct lauka_thread_report *report = table->report;
    struct lauka_prose *prose = table->prose;
    uint64_t count = report->count + report->left_out;
    lauka_put_text(prose, LAUKA_STYLE_HEADING, lauka_say_fitted(prose, report->name, 32));
    lauka_put(prose, " (%" PRIu64 "): %" PRIu64 " thread%s, ", report->pid, count,
              lauka_plural(count));
    if (report->seconds > 0)
        lauka_put(prose, "in %.3f s\n", report->seconds);
    else
        lauka_put(prose, "since %s began\n", count == 1 ? "it" : "each");
}

void lauka_put_threads(struct lauka_prose *prose, const struct lauka_thread_report *report)
{
    struct table table = {.prose = prose, .report = report};
    lauka_prose_capture(prose);
    find_scales(&table);
    add_columns(&table);
    make_sheet(&table);
    put_names(&table);
    draw_heading(&table);
    draw_types(&table);
    lauka_sheet_draw_titles(&table.sheet, table.sheet.column_count);
    lauka_sheet_write(&table.sheet);
    if (report->note)
        lauka_put_note(prose, report->note);
    lauka_put_folded(prose, lauka_prose_captured(prose));
}
