/* Many benchmarks in GitHub's Markdown: a table, the worst first, one folded line for what did not change,
 * and each benchmark's own tables folded. */
#include "report/markdown/markdown.h"
#include "report/markdown/pieces.h"
#include "report/result/result.h"
#include "report/result/session.h"
#include "report/text/text.h"
#include "report/words/words.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { NAMES_COLUMNS = 80 };

/* ---- a row --------------------------------------------------------------------------------------- */

/* Nothing of a session that did not end well is green. */
static const char *mark_of(const struct lauka_overview *overview,
                           const struct lauka_overview_row *row)
{
    const enum lauka_concern concern = lauka_standing_concern(row->standing);
    if (concern < LAUKA_CONCERN_UNCLEAR &&
        !lauka_result_ended_well(lauka_overview_result(overview, row)))
        return lauka_concern_symbol(LAUKA_CONCERN_UNCLEAR);
    return row->standing == LAUKA_STANDING_BETTER ? "🎉" : lauka_concern_symbol(concern);
}

static void put_name(const struct lauka_overview_cells *cells, FILE *out)
{
    lauka_markdown_put_code(cells->name, true, out);
    fputs(*cells->side ? " " : "", out);
    lauka_markdown_prose(cells->side, out);
    fputs(*cells->metric ? " " : "", out);
    lauka_markdown_prose(cells->metric, out);
}

void lauka_markdown_overview_change(const struct lauka_overview *overview, size_t index, bool plain,
                                    FILE *out)
{
    const struct lauka_overview_row *row = &overview->rows[index];
    const char *weight = !plain && row->standing < LAUKA_STANDING_INCONCLUSIVE ? "**" : "";
    const struct lauka_result *result = lauka_overview_result(overview, row);
    const char *end = lauka_result_ending(result) == LAUKA_ENDED_UNMEASURED
                          ? "has no finished round"
                          : lauka_result_bad_end(result);
    struct lauka_overview_cells cells;
    lauka_overview_row_cells(overview, row, true, &cells);
    if (row->standing <= LAUKA_STANDING_MISSING) {
        lauka_markdown_prose(end, out);
        return;
    }
    if (!*cells.estimate) {
        fputs(lauka_dash(true), out);
        return;
    }
    fputs(weight, out);
    lauka_markdown_unbroken(cells.estimate, out);
    fputs(weight, out);
    fputs(*cells.interval ? "\u00A0" : "", out);
    lauka_markdown_unbroken(cells.interval, out);
}

/* It may break before the arrow. */
static void put_means(const char *means, FILE *out)
{
    const char *arrow = strstr(means, " →");
    char before[64];
    if (!arrow) {
        lauka_markdown_unbroken(means, out);
        return;
    }
    snprintf(before, sizeof before, "%.*s", (int)(arrow - means), means);
    lauka_markdown_unbroken(before, out);
    fputc(' ', out);
    lauka_markdown_unbroken(arrow + 1, out);
}

static bool is_compared(const struct lauka_overview *overview)
{
    return overview->standings[LAUKA_STANDING_ALONE] < overview->count;
}

void lauka_markdown_overview_titles(const struct lauka_overview *overview, FILE *out)
{
    bool compared = is_compared(overview), limits = overview->gated > 0;
    fprintf(out, "|%s Benchmark |%s%s Mean |\n", compared ? " Verdict |" : "",
            compared ? " Change |" : "", limits ? " Limit |" : "");
    fprintf(out, "|%s:--|%s%s--:|\n", compared ? ":--|" : "", compared ? ":--|" : "",
            limits ? "--:|" : "");
}

void lauka_markdown_overview_row(const struct lauka_overview *overview, size_t index, FILE *out)
{
    const struct lauka_overview_row *row = &overview->rows[index];
    struct lauka_overview_cells cells;
    lauka_overview_row_cells(overview, row, true, &cells);
    fputs("| ", out);
    if (is_compared(overview)) {
        fprintf(out, "%s\u00A0", mark_of(overview, row));
        lauka_markdown_unbroken(cells.verdict, out);
        fputs(" | ", out);
    }
    put_name(&cells, out);
    fputs(" | ", out);
    if (is_compared(overview)) {
        lauka_markdown_overview_change(overview, index, false, out);
        fputs(" | ", out);
    }
    if (overview->gated > 0) {
        lauka_markdown_unbroken(cells.limit, out);
        fputs(" | ", out);
    }
    put_means(cells.means, out);
    fputs(" |\n", out);
}

/* ---- those that are folded ----------------------------------------------------------------------- */

void lauka_markdown_overview_names(const struct lauka_overview *overview,
                                   enum lauka_standing standing, int columns, FILE *out)
{
    size_t said = 0;
    for (size_t i = 0; i < overview->count; i++) {
        struct lauka_overview_cells cells;
        if (overview->rows[i].standing != standing)
            continue;
        lauka_overview_row_cells(overview, &overview->rows[i], true, &cells);
        columns -= lauka_display_width(cells.name) + lauka_display_width(cells.half) + 4;
        if (said > 0 && columns < 0) {
            fprintf(out, " and %zu more", overview->standings[standing] - said);
            return;
        }
        fputs(said++ > 0 ? ", " : ": ", out);
        lauka_markdown_put_element(cells.name, out);
        if (*cells.half) {
            fputs(" (", out);
            lauka_markdown_unbroken(cells.half, out);
            fputs(")", out);
        }
    }
}

static bool is_open(const struct lauka_overview_row *row)
{
    return row->standing < LAUKA_STANDING_INCONCLUSIVE || row->standing == LAUKA_STANDING_ALONE;
}

static void put_open_rows(const struct lauka_overview *overview, FILE *out)
{
    bool any = false;
    for (size_t i = 0; i < overview->count; i++) {
        if (!is_open(&overview->rows[i]))
            continue;
        if (!any)
            lauka_markdown_overview_titles(overview, out);
        any = true;
        lauka_markdown_overview_row(overview, i, out);
    }
    fputs(any ? "\n" : "", out);
}

static void put_folded_rows(const struct lauka_overview *overview, enum lauka_standing standing,
                            FILE *out)
{
    char word[64] = "inconclusive";
    if (standing == LAUKA_STANDING_EQUIVALENT)
        lauka_overview_rest(overview, word, sizeof word);
    if (overview->standings[standing] == 0)
        return;
    fprintf(out, "<details><summary>%zu %s", overview->standings[standing], word);
    lauka_markdown_overview_names(overview, standing, NAMES_COLUMNS, out);
    fputs("</summary>\n\n", out);
    lauka_markdown_overview_titles(overview, out);
    for (size_t i = 0; i < overview->count; i++)
        if (overview->rows[i].standing == standing)
            lauka_markdown_overview_row(overview, i, out);
    fputs("\n</details>\n\n", out);
}

/* ---- all of it ----------------------------------------------------------------------------------- */

void lauka_markdown_overview_summary(const struct lauka_overview *overview,
                                     const struct lauka_overview_row *row, FILE *out)
{
    struct lauka_overview_cells cells;
    lauka_overview_row_cells(overview, row, true, &cells);
    fprintf(out, "<details><summary>%s ", mark_of(overview, row));
    lauka_markdown_put_element(cells.name, out);
    fputs(*cells.found ? ": " : "", out);
    lauka_xml_text(cells.found, out);
    fputs("</summary>\n\n", out);
}

static int put_details(const struct lauka_overview *overview, size_t index, FILE *out)
{
    const struct lauka_overview_row *row = &overview->rows[index];
    const struct lauka_result *result = lauka_overview_result(overview, row);
    lauka_markdown_overview_summary(overview, row, out);
    int error = lauka_markdown_benchmark(result, out);
    fputs("\n</details>\n\n", out);
    return error;
}

static void put_overview(const struct lauka_overview *overview, FILE *out)
{
    char text[1024];
    lauka_overview_headline(overview, text, sizeof text);
    fprintf(out, "**%s**\n\n", text);
    put_open_rows(overview, out);
    put_folded_rows(overview, LAUKA_STANDING_INCONCLUSIVE, out);
    put_folded_rows(overview, LAUKA_STANDING_EQUIVALENT, out);
}

int lauka_write_markdown(const struct lauka_session *session, FILE *out)
{
    struct lauka_overview overview;
    if (session->benchmark_count == 1)
        return lauka_markdown_benchmark(session->benchmarks, out);
    int error = lauka_overview_make(session, &overview);
    errno = 0;
    if (!error)
        put_overview(&overview, out);
    for (size_t i = 0; i < overview.count && !error; i++)
        error = put_details(&overview, i, out);
    lauka_overview_done(&overview);
    return error ? error : lauka_finish(out);
}

/* Piece 0 is the overview; the details follow. */
static int write_piece(const void *overview, size_t piece, FILE *out)
{
    if (piece > 0)
        return put_details(overview, piece - 1, out);
    put_overview(overview, out);
    return 0;
}

static void put_pieces(const struct lauka_pieces *pieces, FILE *out)
{
    size_t left_out = 0, all = pieces->count - 1;
    for (size_t i = 0; i < pieces->count; i++) {
        lauka_piece_put(pieces, i, out);
        left_out += pieces->pieces[i].left_out;
    }
    if (left_out > 0)
        fprintf(out, "The details of %s%zu benchmark%s are left out: there is no room for them.\n",
                left_out < all ? "the other " : "", left_out, left_out == 1 ? "" : "s");
}

int lauka_write_markdown_within(const struct lauka_session *session, size_t room, FILE *out)
{
    enum { SENTENCE = 100 }; /* more than the one about what is left out */
    struct lauka_pieces pieces = {0};
    struct lauka_overview overview;
    int error = lauka_overview_make(session, &overview);
    errno = 0;
    for (size_t i = 0; i <= overview.count && !error; i++) {
        lauka_pieces_add(&pieces, i > 0, write_piece, &overview, i);
        error = pieces.error;
    }
    if (!error && (room < SENTENCE || !lauka_pieces_fit(&pieces, strlen, room - SENTENCE)))
        error = EFBIG;
    if (!error)
        put_pieces(&pieces, out);
    lauka_pieces_done(&pieces);
    lauka_overview_done(&overview);
    return error ? error : lauka_finish(out);
}
