/* Many benchmarks on a terminal: one line for each that changed, worst first, and the names of the others;
 * then the sentence, notes and the course. The tables of single benchmarks are shown on request. */
#include "report/terminal/terminal.h"
#include "report/result/result.h"
#include "report/result/session.h"
#include "report/text/sheet.h"
#include "report/text/text.h"
#include "report/words/words.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum column { NAME, SIDE, METRIC, ESTIMATE, INTERVAL, VERDICT, LIMIT, MEANS, COLUMNS };

static const struct lauka_sheet_column columns[COLUMNS] = {
    [SIDE] = {.rank = 3},         [ESTIMATE] = {.align = LAUKA_ALIGN_RIGHT},
    [INTERVAL] = {.close = true}, [LIMIT] = {.rank = 2},
    [MEANS] = {.rank = 1},
};

enum { SHORTENED_NAME = 9, NOTES_MOST = 2 };

struct overview_table {
    const struct lauka_overview *overview;
    struct lauka_terminal terminal;
    FILE *out;
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
    struct lauka_overview_cells cells;
    const size_t r = lauka_sheet_add(sheet);
    lauka_overview_row_cells(table->overview, row, table->terminal.utf8, &cells);
    const char *texts[COLUMNS] = {
        cells.name,     cells.side,     cells.metric,
        cells.estimate, cells.interval, cells.verdict ? cells.verdict : "",
        cells.limit,    cells.means,
    };
    for (enum column c = 0; c < COLUMNS; c++)
        lauka_sheet_put(sheet, r, c, style_of(row->standing, c), "%s%s",
                        c == LIMIT && *texts[c] ? "limit " : "", texts[c]);
}

/* Where names are cut, that is enough of them. */
static int draw_lines(const struct overview_table *table)
{
    struct lauka_sheet sheet;
    lauka_sheet_make(&sheet, columns, COLUMNS, table->terminal);
    sheet.indent = 2;
    for (size_t r = 0; r < table->overview->count; r++)
        if (has_line(table->overview->rows[r].standing))
            add_line(table, &table->overview->rows[r], &sheet);
    lauka_sheet_measure(&sheet);
    lauka_sheet_fit(&sheet);
    lauka_sheet_cut(&sheet, NAME, SHORTENED_NAME);
    int error = lauka_sheet_write(&sheet, table->out);
    lauka_sheet_done(&sheet);
    return error;
}

/* ---- what is folded -------------------------------------------------------------------------- */

enum { FOLDED_INDENT = 16, FOLDED_LINES = 2, FOLDED_REST = 16 /* " and 187 more" */ };

/* Where a list of names stands. */
struct fold {
    const struct overview_table *table;
    int column, line;
    size_t left;  /* of the names */
    bool follows; /* another one is before it */
};

/* Whether it fitted: the last line keeps room for the number of names that are left out. */
static bool put_folded(struct fold *fold, const char *text)
{
    int width = fold->table->terminal.width, own = lauka_display_width(text) + 2;
    bool is_last = fold->line + 1 == FOLDED_LINES;
    int rest = is_last && fold->left > 1 ? FOLDED_REST : 0;
    if (fold->column + own + rest > width && fold->column > FOLDED_INDENT) {
        if (is_last)
            return false;
        fold->line++;
        fold->column = FOLDED_INDENT;
        fprintf(fold->table->out, ",\n%*s", FOLDED_INDENT, "");
        fold->follows = false;
    }
    fold->left--;
    fprintf(fold->table->out, "%s%s", fold->follows ? ", " : "", text);
    fold->follows = true;
    fold->column += own;
    return true;
}

/* Names with commas between them, in at most two lines. */
static void draw_folded(const struct overview_table *table, enum lauka_standing standing,
                        const char *title)
{
    const struct lauka_overview *overview = table->overview;
    struct fold fold = {table, FOLDED_INDENT, 0, overview->standings[standing], false};
    bool room = true;
    if (fold.left == 0)
        return;
    fputs("  ", table->out);
    lauka_put_styled(title, LAUKA_STYLE_SECONDARY, table->terminal, table->out);
    fprintf(table->out, "%*s", FOLDED_INDENT - 2 - (int)strlen(title), "");
    for (size_t r = 0; r < overview->count && room; r++) {
        struct lauka_overview_cells cells;
        char text[sizeof cells.name + sizeof cells.half + 4];
        if (overview->rows[r].standing != standing)
            continue;
        lauka_overview_row_cells(overview, &overview->rows[r], table->terminal.utf8, &cells);
        bool half = standing == LAUKA_STANDING_INCONCLUSIVE && *cells.half;
        snprintf(text, sizeof text, "%s%s%s%s", cells.name, half ? " (" : "",
                 half ? cells.half : "", half ? ")" : "");
        room = put_folded(&fold, text);
    }
    if (fold.left > 0)
        fprintf(table->out, " and %zu more", fold.left);
    fputc('\n', table->out);
}

static int draw_table(const struct overview_table *table)
{
    int error = draw_lines(table);
    draw_folded(table, LAUKA_STANDING_INCONCLUSIVE, "inconclusive");
    bool limits = table->overview->gated == table->overview->count;
    draw_folded(table, LAUKA_STANDING_EQUIVALENT, limits ? "within limit" : "equivalent");
    return error;
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
static int draw_notes(const struct lauka_session *session, struct lauka_terminal terminal,
                      FILE *out)
{
    size_t told = 0, more = 0;
    int error = 0;
    for (size_t b = 0; b < session->benchmark_count && !error; b++)
        for (size_t w = 0; w < session->benchmarks[b].warning_count && !error; w++) {
            bool pressing = lauka_is_left_out_note(session->benchmarks[b].warnings[w]);
            if (is_repeated(session, b, w))
                continue;
            bool waits = terminal.is_screen &&
                         lauka_is_circumstance_note(session->benchmarks[b].warnings[w]);
            waits = waits || (!pressing && told >= NOTES_MOST);
            more += waits;
            if (waits)
                continue;
            told += !pressing;
            error = lauka_put_note(session->benchmarks[b].warnings[w], terminal, out);
        }
    return error ? error : lauka_write_more(more, "note", terminal, out);
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

static int draw_course(const struct lauka_session *session, struct lauka_terminal terminal,
                       FILE *out)
{
    const struct lauka_result_run *first = &session->benchmarks[0].run;
    bool stored = first->stopped == LAUKA_STOPPED_STORED;
    double seconds = 0;
    const char *ended = stored_error(session);
    char text[500], took[32], seed[48] = "";
    for (size_t b = 0; b < session->benchmark_count; b++)
        seconds += session->benchmarks[b].run.seconds;
    struct lauka_scale scale = lauka_scale_for(seconds * 1e9, "ns", terminal.utf8);
    lauka_format_scaled(seconds * 1e9, scale, took, sizeof took);
    if (!stored)
        snprintf(seed, sizeof seed, "; seed %" PRIu64, first->seed);
    snprintf(text, sizeof text, "%" PRIu64 " rounds of %zu benchmarks%s%s%s%s%s%s%.200s%s",
             lauka_session_rounds(session), session->benchmark_count, stored ? "" : " in ",
             stored ? "" : took, stored ? "" : " ", stored ? ", read from files" : scale.suffix,
             seed, ended ? "; a session was ended by an error: " : "", ended ? ended : "",
             "; --full=NAME shows one");
    return lauka_put_paragraph(text, 0, LAUKA_STYLE_SECONDARY, terminal, out);
}

static int draw_headline(const struct overview_table *table)
{
    char headline[512];
    lauka_overview_headline(table->overview, headline, sizeof headline);
    return lauka_put_paragraph(headline, 0, LAUKA_STYLE_PLAIN, table->terminal, table->out);
}

/* What is said beside the table; a line of its own parts it from what follows, where there is something. */
static int draw_remarks(const struct overview_table *table)
{
    const struct lauka_session *session = table->overview->session;
    char same[800];
    bool some = lauka_same_overview(session, same, sizeof same);
    int error = some ? lauka_put_note(same, table->terminal, table->out) : 0;
    for (size_t b = 0; b < session->benchmark_count && !some; b++)
        some = session->benchmarks[b].warning_count > 0;
    error = error ? error : draw_notes(session, table->terminal, table->out);
    if (some && table->terminal.is_screen)
        fputc('\n', table->out);
    return error;
}

/* On a terminal the sentence comes where it is seen first: at the end. */
static int draw(const struct overview_table *table)
{
    bool last = table->terminal.is_screen;
    int error = last ? 0 : draw_headline(table);
    if (!last)
        fputc('\n', table->out);
    error = error ? error : draw_table(table);
    fputc('\n', table->out);
    error = error ? error : draw_remarks(table);
    return error || !last ? error : draw_headline(table);
}

int lauka_write_overview(const struct lauka_session *session, struct lauka_terminal terminal,
                         FILE *out)
{
    struct lauka_overview overview;
    errno = 0;
    int error = lauka_overview_make(session, &overview);
    struct overview_table table = {.overview = &overview, .terminal = terminal, .out = out};
    error = error ? error : draw(&table);
    error = error ? error : draw_course(session, terminal, out);
    lauka_overview_done(&overview);
    return error ? error : lauka_finish(out);
}
