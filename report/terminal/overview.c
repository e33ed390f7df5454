/* Many benchmarks on a terminal: one line for each that changed, worst first, and the names of the others;
 * then the sentence, notes and the course. The tables of single benchmarks are shown on request. */
#include "report/terminal/terminal.h"
#include "report/result/result.h"
#include "report/result/session.h"
#include "report/terminal/blocks.h"
#include "report/text/prose.h"
#include "report/text/sheet.h"
#include "report/words/said.h"
#include "report/words/words.h"

#include <inttypes.h>
#include <string.h>

enum column { NAME, SIDE, METRIC, ESTIMATE, INTERVAL, VERDICT, LIMIT, MEANS, COLUMNS };

static const struct lauka_sheet_column columns[COLUMNS] = {
    [SIDE] = {.rank = 3},         [ESTIMATE] = {.align = LAUKA_ALIGN_RIGHT},
    [INTERVAL] = {.close = true}, [LIMIT] = {.rank = 2},
    [MEANS] = {.rank = 1},
};

enum { NAME_LEAST = 16, NOTES_MOST = 2 };

struct overview_table {
    struct lauka_prose *prose;
    struct lauka_overview overview;
};

/* ---- lines ----------------------------------------------------------------------------------- */

/* What neither changed nor failed is folded. */
static bool has_line(enum lauka_standing standing)
{
    return standing != LAUKA_STANDING_INCONCLUSIVE && standing != LAUKA_STANDING_EQUIVALENT;
}

static enum lauka_style style_of(enum lauka_standing standing, enum column column)
{
    bool told = column == ESTIMATE || column == VERDICT;
    if (column == NAME)
        return LAUKA_STYLE_MAIN;
    if (!told)
        return column == INTERVAL ? LAUKA_STYLE_PLAIN : LAUKA_STYLE_SECONDARY;
    switch (lauka_standing_concern(standing)) {
    case LAUKA_CONCERN_FAILED:
        return LAUKA_STYLE_FAILED;
    case LAUKA_CONCERN_WORSE:
        return LAUKA_STYLE_WORSE;
    case LAUKA_CONCERN_BETTER:
        return LAUKA_STYLE_BETTER;
    case LAUKA_CONCERN_CHANGED:
        return LAUKA_STYLE_DOUBTFUL;
    default:
        return LAUKA_STYLE_PLAIN;
    }
}

static void add_line(const struct overview_table *table, const struct lauka_overview_row *row,
                     struct lauka_sheet *sheet)
{
    struct lauka_prose *prose = table->prose;
    const struct lauka_overview_cells cells =
        lauka_overview_row_cells(prose, &table->overview, row);
    const char *texts[COLUMNS] = {cells.name,     cells.side,    cells.metric, cells.estimate,
                                  cells.interval, cells.verdict, cells.limit,  cells.means};
    const size_t r = lauka_sheet_add(sheet);
    if (*cells.limit)
        texts[LIMIT] = lauka_say(prose, "limit %s", cells.limit);
    for (enum column c = 0; c < COLUMNS; c++)
        lauka_sheet_put(sheet, r, c, style_of(row->standing, c), texts[c]);
}

/* One for each limit that its benchmark exceeds. */
static void add_lines(const struct overview_table *table, const struct lauka_overview_row *row,
                      struct lauka_sheet *sheet)
{
    size_t count;
    const struct lauka_overview_row *further =
        lauka_overview_further(table->prose, &table->overview, row, &count);
    add_line(table, row, sheet);
    for (size_t i = 0; i < count; i++)
        add_line(table, &further[i], sheet);
}

static void make_lines(const struct overview_table *table, struct lauka_sheet *sheet)
{
    lauka_sheet_make(sheet, columns, COLUMNS, table->prose);
    sheet->indent = 2;
    for (size_t r = 0; r < table->overview.count; r++)
        if (has_line(table->overview.rows[r].standing))
            add_lines(table, &table->overview.rows[r], sheet);
    lauka_sheet_measure(sheet);
    lauka_sheet_fit(sheet);
}

/* Each name above its line, where there is no room beside it. */
static void draw_stacked(struct lauka_sheet *sheet)
{
    const char *before = "";
    for (size_t r = 0; r < sheet->row_count; r++) {
        const char *name = lauka_sheet_text(sheet, r, NAME);
        if (strcmp(name, before) != 0)
            lauka_put_paragraph(sheet->prose, 2, LAUKA_STYLE_MAIN, name);
        before = name;
        lauka_sheet_draw(sheet, r, SIDE, COLUMNS, 4);
    }
}

/* Where names are too wide, those of all lines become shorter by words, before they are cut. */
static void draw_lines(struct overview_table *table)
{
    struct lauka_sheet sheet;
    make_lines(table, &sheet);
    const int excess = lauka_sheet_excess(&sheet), room = sheet.columns[NAME].width - excess;
    if (excess > 0) {
        const char **names = table->overview.names;
        const bool beside =
            room >= NAME_LEAST && lauka_overview_shorten(table->prose, &table->overview, room);
        if (!beside)
            lauka_overview_shorten(table->prose, &table->overview,
                                   table->prose->terminal.width - 2);
        make_lines(table, &sheet);
        if (!beside) {
            table->overview.names = names;
            draw_stacked(&sheet);
            return;
        }
    }
    lauka_sheet_write(&sheet);
}

/* ---- what is folded -------------------------------------------------------------------------- */

enum { FOLDED_INDENT = 16, FOLDED_LINES = 2, FOLDED_REST = 16 /* " and 187 more" */ };

/* Where a list of names stands. */
struct fold {
    struct lauka_prose *prose;
    int column, line;
    size_t left;  /* of the names */
    bool follows; /* another one is before it */
};

/* Whether it fitted: the last line keeps room for the number of names that are left out. */
static bool put_folded(struct fold *fold, const char *text)
{
    int width = fold->prose->terminal.width, own = lauka_display_width(text) + 2;
    bool is_last = fold->line + 1 == FOLDED_LINES;
    int rest = is_last && fold->left > 1 ? FOLDED_REST : 0;
    if (fold->column + own + rest > width && fold->column > FOLDED_INDENT) {
        if (is_last)
            return false;
        fold->line++;
        fold->column = FOLDED_INDENT;
        lauka_put(fold->prose, ",\n%*s", FOLDED_INDENT, "");
        fold->follows = false;
    }
    fold->left--;
    lauka_put(fold->prose, "%s%s", fold->follows ? ", " : "", text);
    fold->follows = true;
    fold->column += own;
    return true;
}

/* Names with commas between them, in at most two lines. */
static void draw_folded(const struct overview_table *table, enum lauka_standing standing,
                        const char *title)
{
    struct lauka_prose *prose = table->prose;
    const struct lauka_overview *overview = &table->overview;
    struct fold fold = {prose, FOLDED_INDENT, 0, overview->standings[standing], false};
    bool room = true;
    if (fold.left == 0)
        return;
    lauka_put(prose, "  ");
    lauka_put_text(prose, LAUKA_STYLE_SECONDARY, title);
    lauka_put(prose, "%*s", FOLDED_INDENT - 2 - (int)strlen(title), "");
    for (size_t r = 0; r < overview->count && room; r++) {
        if (overview->rows[r].standing != standing)
            continue;
        const struct lauka_overview_cells cells =
            lauka_overview_row_cells(prose, overview, &overview->rows[r]);
        room = put_folded(&fold, *cells.reach ? lauka_say(prose, "%s (%s)", cells.name, cells.reach)
                                              : cells.name);
    }
    if (fold.left > 0)
        lauka_put(prose, " and %zu more", fold.left);
    lauka_put(prose, "\n");
}

static void draw_table(struct overview_table *table)
{
    bool limits = table->overview.gated == table->overview.count;
    draw_lines(table);
    draw_folded(table, LAUKA_STANDING_INCONCLUSIVE, "inconclusive");
    draw_folded(table, LAUKA_STANDING_EQUIVALENT, limits ? "within limit" : "equivalent");
    lauka_put(table->prose, "\n");
}

/* ---- what is said below ---------------------------------------------------------------------- */

static bool is_repeated(const struct lauka_session *session, size_t benchmark, size_t warning)
{
    const char *text = session->benchmarks[benchmark].warnings[warning];
    bool before = lauka_result_find_warning(&session->benchmarks[benchmark], text) < warning;
    for (size_t b = 0; b < benchmark && !before; b++)
        before = lauka_result_has_warning(&session->benchmarks[b], text);
    return before;
}

/* Each note once. If there are too many, the number of the rest is shown; notes that the terminal showed
 * before the first run count among them. */
static void draw_notes(struct lauka_prose *prose, const struct lauka_session *session)
{
    size_t told = 0, more = 0;
    for (size_t b = 0; b < session->benchmark_count; b++)
        for (size_t w = 0; w < session->benchmarks[b].warning_count; w++) {
            const char *text = session->benchmarks[b].warnings[w];
            bool pressing = lauka_is_left_out_note(text);
            if (is_repeated(session, b, w))
                continue;
            if ((prose->terminal.is_screen && lauka_is_circumstance_note(text)) ||
                (!pressing && told >= NOTES_MOST)) {
                more++;
                continue;
            }
            told += !pressing;
            lauka_put_note(prose, text);
        }
    lauka_put_more(prose, more, "note");
}

/* The first error that ended a session whose file was read; NULL: there is none. */
static const char *stored_error(const struct lauka_session *session)
{
    for (size_t b = 0; b < session->benchmark_count; b++) {
        const char *error = lauka_result_error_text(&session->benchmarks[b]);
        if (error && session->benchmarks[b].run.stopped == LAUKA_STOPPED_STORED)
            return error;
    }
    return NULL;
}

/* "12 benchmarks with 20 rounds each", "2 benchmarks with 12 to 34 rounds each" */
static const char *say_rounds(struct lauka_prose *prose, const struct lauka_session *session)
{
    uint64_t least = UINT64_MAX, most = 0;
    for (size_t b = 0; b < session->benchmark_count; b++) {
        const uint64_t rounds = session->benchmarks[b].run.rounds;
        least = rounds < least ? rounds : least;
        most = rounds > most ? rounds : most;
    }
    const char *range = least < most ? lauka_say(prose, "%" PRIu64 " to ", least) : "";
    return lauka_say(prose, "%zu benchmarks with %s%" PRIu64 " round%s each",
                     session->benchmark_count, range, most, lauka_plural(most));
}

static void draw_course(struct lauka_prose *prose, const struct lauka_session *session)
{
    const struct lauka_result_run *first = &session->benchmarks[0].run;
    bool stored = first->stopped == LAUKA_STOPPED_STORED;
    double seconds = 0;
    const char *ended = stored_error(session), *how = ", read from files";
    for (size_t b = 0; b < session->benchmark_count; b++)
        seconds += session->benchmarks[b].run.seconds;
    if (!stored)
        how = lauka_say(prose, " in %s; seed %" PRIu64, lauka_say_seconds(prose, seconds),
                        first->seed);
    lauka_put_paragraph(
        prose, 0, LAUKA_STYLE_SECONDARY,
        lauka_say(prose, "%s%s%s%s; --full=NAME shows one", say_rounds(prose, session), how,
                  ended ? "; a session was ended by an error: " : "", ended ? ended : ""));
}

static void draw_headline(const struct overview_table *table)
{
    lauka_put_paragraph(table->prose, 0, LAUKA_STYLE_PLAIN,
                        lauka_overview_headline(table->prose, &table->overview));
}

/* What is said beside the table; a line of its own parts it from what follows, where there is something. */
static void draw_remarks(const struct overview_table *table)
{
    struct lauka_prose *prose = table->prose;
    const struct lauka_session *session = table->overview.session;
    const char *same = lauka_same_overview(prose, session);
    bool some = *same;
    if (some)
        lauka_put_note(prose, same);
    for (size_t b = 0; b < session->benchmark_count && !some; b++)
        some = session->benchmarks[b].warning_count > 0;
    draw_notes(prose, session);
    lauka_put(prose, some && prose->terminal.is_screen ? "\n" : "");
}

/* On a terminal the sentence comes where it is seen first: at the end. */
int lauka_write_overview(const struct lauka_session *session, struct lauka_terminal terminal,
                         FILE *out)
{
    struct lauka_prose prose = lauka_prose_begin(out, terminal);
    struct overview_table table = {&prose, lauka_overview(&prose, session)};
    if (!terminal.is_screen) {
        draw_headline(&table);
        lauka_put(&prose, "\n");
    }
    draw_table(&table);
    draw_remarks(&table);
    if (terminal.is_screen)
        draw_headline(&table);
    draw_course(&prose, session);
    return lauka_prose_end(&prose);
}
