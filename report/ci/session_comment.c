/* A comment on a pull request about many benchmarks: the worst verdict and how many, a table with the
 * worst first, one line each for what is inconclusive and what did not change, and each benchmark's own
 * tables folded. If there is too little room, it drops details, from the last benchmark on, and then rows. */
#include "report/ci/ci.h"
#include "report/ci/pr_comment.h"
#include "report/analysis/analysis.h"
#include "report/markdown/markdown.h"
#include "report/markdown/pieces.h"
#include "report/result/result.h"
#include "report/result/session.h"
#include "report/text/text.h"
#include "report/words/words.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { NAMES_COLUMNS = 64 }; /* so that they stay in a line of 780 px */

/* In the order in which rows are dropped: those of the first part first. */
enum part { EQUIVALENT, INCONCLUSIVE, OPEN, PARTS };

struct comment {
    const struct lauka_session *session;
    struct lauka_overview overview;
    const char *id; /* borrowed */
    struct lauka_pieces
        pieces; /* before the rows, after the details, then a row and details of each */
};

enum piece { TOP, END, FIRST };

/* ---- before the table ---------------------------------------------------------------------------- */

static void put_worst(const struct comment *comment, FILE *out)
{
    const struct lauka_overview *overview = &comment->overview;
    const size_t *standings = overview->standings;
    size_t broken = standings[LAUKA_STANDING_FAILED] + standings[LAUKA_STANDING_MISSING];
    bool alone = broken + standings[LAUKA_STANDING_WORSE] == 1;
    size_t worst = standings[LAUKA_STANDING_WORSE] > 0 ? broken : 0; /* a change says more */
    const struct lauka_overview_row *row = &overview->rows[worst];
    struct lauka_overview_cells cells;
    lauka_overview_row_cells(overview, row, true, &cells);
    fputs(!alone && standings[LAUKA_STANDING_WORSE] > 0 ? ", worst " : ": ", out);
    lauka_markdown_put_code(cells.name, false, out);
    fputc(' ', out);
    lauka_markdown_overview_change(overview, worst, true, out);
}

static bool counts_as_failure(const struct comment *comment)
{
    for (size_t i = 0; i < comment->overview.count; i++) {
        const struct lauka_overview_row *row = &comment->overview.rows[i];
        const struct lauka_result *result = lauka_overview_result(&comment->overview, row);
        if (row->gate && row->standing == LAUKA_STANDING_INCONCLUSIVE &&
            result->gate.policy == LAUKA_POLICY_FAIL)
            return true;
    }
    return false;
}

static void put_heading(const struct comment *comment, FILE *out)
{
    char text[1024];
    enum lauka_concern concern = lauka_overview_concern(&comment->overview);
    fprintf(out, "### %s lauka: ", lauka_concern_symbol(concern));
    if (comment->overview.interrupted == 0 &&
        lauka_overview_worst(&comment->overview, text, sizeof text)) {
        fputs(text, out);
        put_worst(comment, out);
    } else {
        lauka_overview_headline(&comment->overview, text, sizeof text);
        fputs(text, out);
        if (concern == LAUKA_CONCERN_UNCLEAR && counts_as_failure(comment))
            fputs(", which counts as a failure", out);
    }
    fputs("\n\n", out);
}

/* Lets the comment on the same session replace the previous one; names alone do not identify a session. */
static uint64_t hash_session(const struct comment *comment)
{
    uint64_t hash = LAUKA_HASH;
    if (comment->id)
        return lauka_hash_text(hash, comment->id);
    for (size_t b = 0; b < comment->session->benchmark_count; b++) {
        const struct lauka_result *result = &comment->session->benchmarks[b];
        hash = lauka_hash_text(hash, result->benchmark.name ? result->benchmark.name : "");
        for (size_t c = 0; c < result->command_count; c++) {
            hash = lauka_hash_text(hash, result->commands[c].label);
            for (char **word = result->commands[c].argv; word && *word; word++)
                hash = lauka_hash_text(hash, *word);
        }
    }
    return hash;
}

static void write_top(const struct comment *comment, FILE *out)
{
    lauka_comment_put_marker(hash_session(comment), out);
    put_heading(comment, out);
}

/* ---- below ---------------------------------------------------------------------------------------- */

/* The smallest value over all limits; 0 if there is none. */
static double confidence_of_limits(const struct lauka_session *session)
{
    double alpha = 0;
    for (size_t b = 0; b < session->benchmark_count; b++) {
        const struct lauka_result *result = &session->benchmarks[b];
        if (result->gate.row_count > 0 && lauka_gate_alpha(result) > alpha)
            alpha = lauka_gate_alpha(result);
    }
    return alpha > 0 ? 1 - alpha : 0;
}

static void put_confidence(const struct comment *comment, FILE *out)
{
    double limits = confidence_of_limits(comment->session);
    const struct lauka_result *first = comment->session->benchmarks;
    if (limits > 0 && comment->overview.gated == comment->overview.count)
        fprintf(out, "Intervals with %.3g\u00A0%% confidence.", 100 * limits);
    else if (limits > 0)
        fprintf(out,
                "Intervals with %.3g\u00A0%% confidence, where there is a limit with %.3g\u00A0%%.",
                100 * lauka_result_confidence(first), 100 * limits);
    else
        fprintf(out, "Intervals with %.3g\u00A0%% confidence.",
                100 * lauka_result_confidence(first));
}

static void put_same(const struct lauka_session *session, FILE *out)
{
    char text[1024];
    if (!lauka_same_overview(session, text, sizeof text))
        return;
    lauka_markdown_prose(text, out);
    fputs("\n\n", out);
}

static int write_end(const struct comment *comment, FILE *out)
{
    const struct lauka_result *first = comment->session->benchmarks;
    put_same(comment->session, out);
    lauka_comment_session(first, out);
    lauka_comment_origin(first, out);
    put_confidence(comment, out);
    fputc('\n', out);
    return lauka_comment_put_data(lauka_overview_concern(&comment->overview), out);
}

/* ---- details --------------------------------------------------------------------------------------- */

static int write_details(const struct comment *comment, size_t index, FILE *out)
{
    const struct lauka_overview_row *row = &comment->overview.rows[index];
    const struct lauka_result *result = lauka_overview_result(&comment->overview, row);
    int error = 0;
    lauka_markdown_overview_summary(&comment->overview, row, out);
    if (!lauka_result_ended_well(result)) {
        lauka_markdown_ending(result, out);
        fputs(".\n\n", out);
        lauka_markdown_stderr(result, out);
    }
    if (lauka_result_has_gate(result) && result->run.rounds > 0)
        lauka_markdown_gate(result, true, out);
    error = lauka_markdown_why(result, out);
    lauka_markdown_hosts(result, out);
    if (!error && result->run.rounds > 0 && result->metric_count > 0) {
        error = lauka_markdown_metrics(result, out);
        fputc('\n', out);
        lauka_markdown_notes(result, out);
    }
    fputs("</details>\n\n", out);
    return error;
}

/* ---- as much as there is room for ------------------------------------------------------------------- */

static enum part part_of(const struct comment *comment, size_t index)
{
    enum lauka_standing standing = comment->overview.rows[index].standing;
    return standing == LAUKA_STANDING_EQUIVALENT     ? EQUIVALENT
           : standing == LAUKA_STANDING_INCONCLUSIVE ? INCONCLUSIVE
                                                     : OPEN;
}

static size_t row_of(size_t index)
{
    return FIRST + 2 * index;
}

static size_t details_of(size_t index)
{
    return row_of(index) + 1;
}

static int write_piece(const void *context, size_t piece, FILE *out)
{
    const struct comment *comment = context;
    size_t index = (piece - FIRST) / 2;
    if (piece == TOP)
        write_top(comment, out);
    else if (piece == END)
        return write_end(comment, out);
    else if (piece == row_of(index))
        lauka_markdown_overview_row(&comment->overview, index, out);
    else
        return write_details(comment, index, out);
    return 0;
}

static void add_pieces(struct comment *comment)
{
    lauka_pieces_add(&comment->pieces, 0, write_piece, comment, TOP);
    lauka_pieces_add(&comment->pieces, 0, write_piece, comment, END);
    for (size_t i = 0; i < comment->overview.count; i++) {
        lauka_pieces_add(&comment->pieces, 2 + (int)part_of(comment, i), write_piece, comment,
                         row_of(i));
        lauka_pieces_add(&comment->pieces, 1, write_piece, comment, details_of(i));
    }
}

static bool is_left_out(const struct comment *comment, size_t piece)
{
    return comment->pieces.pieces[piece].left_out;
}

static void put_rows(const struct comment *comment, enum part part, FILE *out)
{
    bool any = false;
    for (size_t i = 0; i < comment->overview.count; i++) {
        if (part_of(comment, i) != part || is_left_out(comment, row_of(i)))
            continue;
        if (!any)
            lauka_markdown_overview_titles(&comment->overview, out);
        any = true;
        lauka_piece_put(&comment->pieces, row_of(i), out);
    }
    fputs(any ? "\n" : "", out);
}

/* A line with names, its rows folded. */
static void put_folded(const struct comment *comment, enum part part, FILE *out)
{
    const struct lauka_overview *overview = &comment->overview;
    enum lauka_standing standing =
        part == EQUIVALENT ? LAUKA_STANDING_EQUIVALENT : LAUKA_STANDING_INCONCLUSIVE;
    char rest[64];
    if (overview->standings[standing] == 0)
        return;
    lauka_overview_rest(overview, rest, sizeof rest);
    bool good = part == EQUIVALENT && overview->interrupted == 0;
    fprintf(out, "<details><summary>%s %zu %s", good ? "✅" : "⚠️",
            overview->standings[standing], part == EQUIVALENT ? rest : "inconclusive");
    lauka_markdown_overview_names(overview, standing, NAMES_COLUMNS, out);
    fputs("</summary>\n\n", out);
    put_rows(comment, part, out);
    fputs("</details>\n", out);
}

/* Returns how many there are. */
static size_t put_details(const struct comment *comment, FILE *out)
{
    const size_t count = comment->overview.count;
    size_t shown = count;
    while (shown > 0 && is_left_out(comment, details_of(shown - 1)))
        shown--;
    if (shown > 0)
        fprintf(out, "<details><summary>%s</summary>\n\n",
                shown < count ? "Benchmarks one by one, the worst first"
                              : "All benchmarks one by one");
    for (size_t i = 0; i < shown; i++)
        lauka_piece_put(&comment->pieces, details_of(i), out);
    fputs(shown > 0 ? "</details>\n" : "", out);
    return shown;
}

static void put_left_out(const struct comment *comment, size_t details, FILE *out)
{
    const size_t count = comment->overview.count;
    size_t rows = 0;
    bool changed = false;
    for (size_t i = 0; i < count; i++)
        if (is_left_out(comment, row_of(i))) {
            rows++;
            changed |= part_of(comment, i) != EQUIVALENT;
        }
    if (details == count)
        return;
    fprintf(out, "\nLeft out to fit into a comment: the details of %zu of %zu benchmarks",
            count - details, count);
    if (rows > 0)
        fprintf(out, ", and the rows of %zu%s", rows, changed ? "" : " that did not change");
    fputs(". The report has them.\n\n", out);
}

static void put_comment(struct comment *comment, FILE *out)
{
    enum { SENTENCES = 6000 }; /* more than titles, names of what is folded, what was left out */
    lauka_pieces_fit(&comment->pieces, lauka_comment_size, LAUKA_COMMENT_MOST - SENTENCES);
    lauka_piece_put(&comment->pieces, TOP, out);
    put_rows(comment, OPEN, out);
    put_folded(comment, INCONCLUSIVE, out);
    put_folded(comment, EQUIVALENT, out);
    put_left_out(comment, put_details(comment, out), out);
    lauka_piece_put(&comment->pieces, END, out);
}

static int write_several(const struct lauka_session *session, const char *id, FILE *out)
{
    struct comment comment = {.session = session, .id = id};
    errno = 0;
    int error = lauka_overview_make(session, &comment.overview);
    if (!error) {
        add_pieces(&comment);
        error = comment.pieces.error;
    }
    if (!error)
        put_comment(&comment, out);
    lauka_pieces_done(&comment.pieces);
    lauka_overview_done(&comment.overview);
    return error ? error : lauka_finish(out);
}

int lauka_write_pr_comment(const struct lauka_session *session, const char *id, FILE *out)
{
    return session->benchmark_count > 1 ? write_several(session, id, out)
                                        : lauka_comment_write_one(session->benchmarks, id, out);
}
