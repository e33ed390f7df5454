/* A comment on a pull request, for the person who must decide: the verdict first, then what changed,
 * failed or is inconclusive, and everything else folded. Of many benchmarks it has a table with the worst first, one
 * line each for what is inconclusive and what did not change, and each benchmark's own tables folded. A comment on
 * GitHub may have 65,536 characters, and the tool that posts it may count bytes; this one has at most 60,000 characters
 * and 65,000 bytes, and says what it left out. */
#include "report/ci/pr_comment.h"
#include "report/analysis/analysis.h"
#include "report/ci/ci.h"
#include "report/json/json.h"
#include "report/markdown/markdown.h"
#include "report/result/result.h"
#include "report/result/session.h"
#include "report/text/prose.h"
#include "report/words/words.h"
#include "stats/stats.h"

#include <inttypes.h>
#include <string.h>

enum { CHARACTERS_MOST = 60000, BYTES_MOST = 65000 };

/* ---- what both have ------------------------------------------------------------------------------ */

/* The share of CHARACTERS_MOST that the text uses, such that both limits hold if the sum stays below it. */
static size_t size_of(const char *text)
{
    size_t characters = 0, bytes = 0;
    for (; text[bytes]; bytes++)
        characters += ((unsigned char)text[bytes] & 0xC0) != 0x80;
    size_t scaled = (bytes * CHARACTERS_MOST + BYTES_MOST - 1) / BYTES_MOST;
    return scaled > characters ? scaled : characters;
}

/* Identifies the comment that this one replaces: the comment's first line. */
static void put_marker(struct lauka_prose *prose, uint64_t hash)
{
    lauka_put(prose, "<!-- lauka:comment:v1 id=%016" PRIx64 " -->\n", hash);
}

/* The last line, invisible, for programs that read comments. */
static void put_data(struct lauka_prose *prose, enum lauka_concern worst)
{
    lauka_put(prose, "<!-- lauka:data ");
    if (prose->out) {
        struct lauka_json_document document = lauka_document_begin(LAUKA_JSON_LINE, prose->out);
        lauka_document_object(&document, NULL);
        lauka_document_text(&document, "schema", "lauka-comment/1");
        lauka_document_text(&document, "verdict", lauka_concern_name(worst));
        lauka_document_end(&document);
    }
    lauka_put(prose, " -->\n");
}

/* ---- one benchmark ------------------------------------------------------------------------------- */

/* Left out in this order, then rows from the last; what has no name stays. */
enum part { PERCENTILES, ALL_METRICS, ENVIRONMENT, HOSTS, WHY, STDERR, GATE, TOP, BOTTOM, PARTS };
static const struct {
    const char *name;
    void (*write)(struct lauka_prose *prose, const struct lauka_result *result);
} parts[PARTS] = {
    [PERCENTILES] = {"percentiles", lauka_markdown_percentiles},
    [ALL_METRICS] = {"the table of all metrics", lauka_markdown_all_metrics},
    [ENVIRONMENT] = {"commands, host and settings", lauka_comment_environment},
    [HOSTS] = {"the hosts", lauka_markdown_hosts},
    [WHY] = {"the functions", lauka_markdown_why},
    [STDERR] = {"stderr", lauka_markdown_stderr},
    [GATE] = {"the gate's limits", NULL},
};

struct comment {
    struct lauka_prose *prose;
    const struct lauka_result *result;
    const char *id; /* borrowed; NULL: it has none */
    const struct lauka_session *session;
    struct lauka_concerns concerns;
    bool quiet; /* all is well: three lines */
    struct lauka_comment_rows rows;
    struct lauka_pieces pieces; /* the parts, then the table's rows, the most urgent first */
};

/* The comment replaces the previous one with this id, or with the same commands. */
static uint64_t hash_of_commands(const struct comment *comment)
{
    const struct lauka_result *result = comment->result;
    uint64_t hash = LAUKA_HASH;
    if (comment->id)
        return lauka_hash_text(LAUKA_HASH, comment->id);
    for (size_t c = 0; c < result->command_count; c++)
        hash = lauka_hash_text(hash, result->commands[c].label);
    return hash;
}

static size_t count_hidden(const struct lauka_comment_rows *rows, const struct lauka_result *result,
                           size_t *all, size_t *unclear)
{
    size_t shown = 0;
    for (size_t i = 0; i < rows->count; i++)
        shown += rows->rows[i].command > 0 &&
                 (i == 0 || !rows->rows[i].limit ||
                  lauka_gate_row_of(result, rows->rows[i].command, rows->rows[i].metric) ==
                      rows->rows[i].limit);
    *all = 0;
    *unclear = 0;
    for (size_t c = 1; c < result->command_count; c++)
        for (size_t m = 0; m < result->metric_count; m++) {
            struct lauka_result_view view = lauka_result_view(result, c, m);
            if (!lauka_result_is_shown(result, m) || !view.counted)
                continue;
            ++*all;
            *unclear += view.comparison->verdict == LAUKA_VERDICT_INCONCLUSIVE &&
                        !lauka_gate_row_of(result, c, m) &&
                        lauka_concern_of(result, c, m) == LAUKA_CONCERN_NONE;
        }
    return *all > shown ? *all - shown : 0;
}

static void put_rest(struct lauka_prose *prose, const struct lauka_result *result,
                     const struct lauka_comment_rows *rows)
{
    size_t all, unclear, rest = count_hidden(rows, result, &all, &unclear);
    if (rest == 0 || rows->count == 0)
        return;
    lauka_put(prose, "The other %zu comparison%s of %zu show%s nothing to act on", rest,
              lauka_plural(rest), all, rest == 1 ? "s" : "");
    if (unclear > 0)
        lauka_put(prose, "; %zu of them %s inconclusive (exploratory)", unclear,
                  unclear == 1 ? "is" : "are");
    lauka_put(prose, ". ");
}

static void write_row(const void *context, size_t index)
{
    const struct comment *comment = context;
    lauka_comment_row(comment->prose, comment->result, &comment->rows.rows[index], false);
}

static void put_rows(const struct comment *comment)
{
    struct lauka_prose *prose = comment->prose;
    size_t rows = comment->pieces.count - PARTS, shown = rows;
    while (shown > 0 && comment->pieces.pieces[PARTS + shown - 1].left_out)
        shown--;
    if (shown > 0) {
        lauka_comment_titles(prose, comment->result, false);
        for (size_t i = 0; i < shown; i++)
            lauka_piece_put(&comment->pieces, PARTS + i);
        lauka_put(prose, "\n");
    }
    if (shown < rows)
        lauka_put(prose, "%zu more rows are in the report. ", rows - shown);
}

static void write_setting(const struct comment *comment)
{
    lauka_markdown_same(comment->prose, comment->result);
    put_rest(comment->prose, comment->result, &comment->rows);
    if (comment->result->run.rounds > 0) {
        lauka_comment_setting(comment->prose, comment->result);
        lauka_put(comment->prose, "\n");
    }
    if (!comment->quiet)
        lauka_comment_next_step(comment->prose, comment->result, &comment->concerns);
}

/* How a gate did that is tried out is what was asked. */
static bool is_wanted(const struct comment *comment, enum part part)
{
    bool measured = comment->result->run.rounds > 0 && comment->result->metric_count > 0;
    if (comment->quiet && (part == PERCENTILES || (part == GATE && !comment->result->gate.tried)))
        return false;
    return measured || part == STDERR || part == ENVIRONMENT || part >= TOP;
}

static void write_part(const void *context, size_t part)
{
    const struct comment *comment = context;
    struct lauka_prose *prose = comment->prose;
    const struct lauka_result *result = comment->result;
    if (!is_wanted(comment, (enum part)part))
        return;
    if (parts[part].write) {
        parts[part].write(prose, result);
    } else if (part == BOTTOM) {
        write_setting(comment);
    } else if (part == TOP) {
        put_marker(prose, hash_of_commands(comment));
        lauka_put(prose, "### %s %s\n\n", lauka_concern_symbol(comment->concerns.worst),
                  lauka_comment_heading(prose, result, &comment->concerns));
        lauka_markdown_facts(prose, comment->session);
        lauka_markdown_legend(prose, result, true);
    } else if (comment->rows.count > 0) {
        lauka_comment_remarks(prose, result);
    } else if (lauka_result_has_gate(result)) {
        lauka_markdown_gate(prose, result, true);
    }
}

static void put_parts_left_out(const struct comment *comment)
{
    const char *names = "";
    for (enum part part = 0; part < PARTS; part++)
        if (comment->pieces.pieces[part].left_out)
            names = lauka_join(comment->prose, names, ", ", parts[part].name);
    if (*names)
        lauka_put(comment->prose, "Left out to fit into a comment: %s.\n\n", names);
}

static void write_one(struct lauka_prose *prose, const struct lauka_session *session,
                      const char *id)
{
    const struct lauka_result *result = session->benchmarks;
    static const enum part below[] = {BOTTOM, HOSTS, WHY, ALL_METRICS, PERCENTILES, ENVIRONMENT};
    enum { SENTENCES = 1000 }; /* more than titles, markers and what is said of what was left out */
    struct comment comment = {.prose = prose,
                              .result = result,
                              .session = session,
                              .id = id,
                              .concerns = lauka_concerns_find(result)};
    comment.quiet = comment.concerns.worst == LAUKA_CONCERN_NONE && result->run.rounds > 0;
    comment.rows =
        lauka_comment_rows(prose, result, comment.quiet ? LAUKA_COMMENT_QUIET : LAUKA_COMMENT_TOLD);
    comment.pieces = lauka_pieces(prose, PARTS + comment.rows.count);
    for (enum part part = 0; part < PARTS; part++)
        lauka_pieces_add(&comment.pieces, part < TOP ? (int)part + 1 : 0, write_part, &comment,
                         part);
    for (size_t i = 0; i < comment.rows.count; i++)
        lauka_pieces_add(&comment.pieces, PARTS, write_row, &comment, i);
    if (prose->error)
        return;
    lauka_pieces_fit(&comment.pieces, size_of, CHARACTERS_MOST - SENTENCES);
    lauka_piece_put(&comment.pieces, TOP);
    lauka_piece_put(&comment.pieces, STDERR);
    put_rows(&comment);
    lauka_piece_put(&comment.pieces, GATE);
    for (size_t i = 0; i < sizeof below / sizeof *below; i++)
        lauka_piece_put(&comment.pieces, below[i]);
    put_parts_left_out(&comment);
    put_data(prose, comment.concerns.worst);
}

/* ---- many benchmarks ----------------------------------------------------------------------------- */

enum { NAMES_COLUMNS = 64 }; /* so that they stay in a line of 780 px */

struct comments {
    struct lauka_prose *prose;
    const struct lauka_session *session;
    struct lauka_overview overview;
    const char *id; /* borrowed */
    /* What comes before the rows, and after the details; then a row and details of each. */
    struct lauka_pieces pieces;
};

enum piece { HEAD, END, FIRST };

static const char *say_worst(const struct comments *comment)
{
    struct lauka_prose *prose = comment->prose;
    const struct lauka_overview *overview = &comment->overview;
    const size_t *standings = overview->standings;
    size_t broken = standings[LAUKA_STANDING_FAILED] + standings[LAUKA_STANDING_MISSING];
    bool alone = broken + standings[LAUKA_STANDING_WORSE] == 1;
    size_t worst = standings[LAUKA_STANDING_WORSE] > 0 ? broken : 0; /* a change says more */
    struct lauka_overview_cells cells =
        lauka_overview_row_cells(prose, overview, &overview->rows[worst]);
    return lauka_say(prose, "%s%s %s",
                     !alone && standings[LAUKA_STANDING_WORSE] > 0 ? ", worst " : ": ",
                     lauka_markdown_code(prose, cells.name, false),
                     lauka_markdown_overview_change(prose, overview, &overview->rows[worst], true));
}

static bool counts_as_failure(const struct lauka_overview *overview)
{
    for (size_t i = 0; i < overview->count; i++) {
        const struct lauka_overview_row *row = &overview->rows[i];
        if (row->gate && row->standing == LAUKA_STANDING_INCONCLUSIVE &&
            lauka_overview_result(overview, row)->gate.policy == LAUKA_POLICY_FAIL)
            return true;
    }
    return false;
}

static void put_heading(const struct comments *comment)
{
    struct lauka_prose *prose = comment->prose;
    const struct lauka_overview *overview = &comment->overview;
    enum lauka_concern concern = lauka_overview_concern(overview);
    const char *worst = overview->interrupted == 0 ? lauka_overview_worst(prose, overview) : "";
    lauka_put(prose, "### %s lauka: ", lauka_concern_symbol(concern));
    if (*worst)
        lauka_put(prose, "%s%s\n\n", worst,
                  *lauka_overview_decided(prose, overview) ? "" : say_worst(comment));
    else
        lauka_put(prose, "%s%s\n\n", lauka_overview_headline(prose, overview),
                  concern == LAUKA_CONCERN_UNCLEAR && counts_as_failure(overview)
                      ? ", which counts as a failure"
                      : "");
}

/* Lets the comment on the same session replace the previous one; names alone do not identify a session. */
static uint64_t hash_of_session(const struct comments *comment)
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

static void put_confidence(const struct comments *comment)
{
    const double limits = 100 * confidence_of_limits(comment->session);
    const double all = 100 * lauka_result_confidence(comment->session->benchmarks);
    bool everywhere = comment->overview.gated == comment->overview.count;
    if (limits > 0 && !everywhere)
        lauka_put(comment->prose,
                  "Intervals with %.3g\u00A0%% confidence, where there is a limit with "
                  "%.3g\u00A0%%.\n",
                  all, limits);
    else
        lauka_put(comment->prose, "Intervals with %.3g\u00A0%% confidence.\n",
                  limits > 0 ? limits : all);
}

static void write_end(const struct comments *comment)
{
    struct lauka_prose *prose = comment->prose;
    const struct lauka_result *first = comment->session->benchmarks;
    const char *same = lauka_same_overview(prose, comment->session);
    if (*same)
        lauka_put(prose, "%s\n\n", lauka_markdown_prose(prose, same));
    lauka_comment_session(prose, first);
    lauka_put(prose, "\n");
    put_confidence(comment);
    put_data(prose, lauka_overview_concern(&comment->overview));
}

/* Of all that was compared; of a command alone, of all that was counted. */
static void put_table(struct lauka_prose *prose, const struct lauka_result *result)
{
    const struct lauka_comment_rows rows = lauka_comment_rows(prose, result, LAUKA_COMMENT_ALL);
    if (rows.count == 0 && lauka_result_has_gate(result))
        lauka_markdown_gate(prose, result, true);
    if (rows.count == 0) {
        lauka_markdown_metrics(prose, result);
        lauka_put(prose, "\n");
        return;
    }
    lauka_comment_titles(prose, result, true);
    for (size_t i = 0; i < rows.count; i++)
        lauka_comment_row(prose, result, &rows.rows[i], true);
    lauka_put(prose, "\n");
    lauka_comment_remarks(prose, result);
}

static void write_details(const struct comments *comment, size_t index)
{
    struct lauka_prose *prose = comment->prose;
    const struct lauka_overview *overview = &comment->overview;
    const struct lauka_result *result = lauka_overview_result(overview, &overview->rows[index]);
    lauka_markdown_overview_summary(prose, overview, index);
    if (!lauka_result_ended_well(result)) {
        lauka_put(prose, "%s.\n\n", lauka_markdown_ending(prose, result, true));
        lauka_markdown_stderr(prose, result);
    }
    lauka_markdown_legend(prose, result, true);
    if (result->run.rounds > 0 && result->metric_count > 0)
        put_table(prose, result);
    lauka_markdown_why(prose, result);
    lauka_markdown_hosts(prose, result);
    if (result->run.rounds > 0 && result->metric_count > 0)
        lauka_markdown_notes(prose, result);
    lauka_put(prose, "</details>\n\n");
}

static bool is_unchanged(const struct comments *comment, size_t index)
{
    return comment->overview.rows[index].standing == LAUKA_STANDING_EQUIVALENT;
}

/* Details are dropped first, then rows: of what did not change, of what is inconclusive, and the others. */
static int rank_of_row(const struct comments *comment, size_t index)
{
    const enum lauka_standing standing = comment->overview.rows[index].standing;
    return standing == LAUKA_STANDING_EQUIVALENT     ? 2
           : standing == LAUKA_STANDING_INCONCLUSIVE ? 3
                                                     : 4;
}

static size_t row_of(size_t index)
{
    return FIRST + 2 * index;
}

static size_t details_of(size_t index)
{
    return row_of(index) + 1;
}

static void write_piece(const void *context, size_t piece)
{
    const struct comments *comment = context;
    size_t index = (piece - FIRST) / 2;
    if (piece == HEAD) {
        put_marker(comment->prose, hash_of_session(comment));
        put_heading(comment);
        lauka_markdown_facts(comment->prose, comment->session);
    } else if (piece == END)
        write_end(comment);
    else if (piece == row_of(index))
        lauka_markdown_overview_row(comment->prose, &comment->overview, index);
    else
        write_details(comment, index);
}

static bool is_left_out(const struct comments *comment, size_t piece)
{
    return comment->pieces.pieces[piece].left_out;
}

/* Returns how many there are. */
static size_t put_details(const struct comments *comment)
{
    const size_t count = comment->overview.count;
    size_t shown = count;
    while (shown > 0 && is_left_out(comment, details_of(shown - 1)))
        shown--;
    if (shown > 0)
        lauka_put(comment->prose, "<details><summary>%s</summary>\n\n",
                  shown < count ? "Benchmarks one by one, the worst first"
                                : "All benchmarks one by one");
    for (size_t i = 0; i < shown; i++)
        lauka_piece_put(&comment->pieces, details_of(i));
    lauka_put(comment->prose, shown > 0 ? "</details>\n" : "");
    return shown;
}

static void put_left_out(const struct comments *comment, size_t details)
{
    const size_t count = comment->overview.count;
    size_t rows = 0;
    bool changed = false;
    for (size_t i = 0; i < count; i++)
        if (is_left_out(comment, row_of(i))) {
            rows++;
            changed |= !is_unchanged(comment, i);
        }
    if (details == count)
        return;
    lauka_put(comment->prose,
              "\nLeft out to fit into a comment: the details of %zu of %zu benchmarks",
              count - details, count);
    if (rows > 0)
        lauka_put(comment->prose, ", and the rows of %zu%s", rows,
                  changed ? "" : " that did not change");
    lauka_put(comment->prose, ". The report has them.\n\n");
}

/* If there is too little room, details are dropped, from the last benchmark on, and then rows. */
static void write_several(struct lauka_prose *prose, const struct lauka_session *session,
                          const char *id)
{
    enum { SENTENCES = 6000 }; /* more than titles, names of what is folded, what was left out */
    struct comments comment = {prose, session, lauka_markdown_overview(prose, session), id, {0}};
    struct lauka_pieces *pieces = &comment.pieces;
    bool *left_out = lauka_prose_room(prose, comment.overview.count, sizeof *left_out);
    *pieces = lauka_pieces(prose, row_of(comment.overview.count));
    lauka_pieces_add(pieces, 0, write_piece, &comment, HEAD);
    lauka_pieces_add(pieces, 0, write_piece, &comment, END);
    for (size_t i = 0; i < comment.overview.count; i++) {
        lauka_pieces_add(pieces, rank_of_row(&comment, i), write_piece, &comment, row_of(i));
        lauka_pieces_add(pieces, 1, write_piece, &comment, details_of(i));
    }
    if (prose->error)
        return;
    lauka_pieces_fit(pieces, size_of, CHARACTERS_MOST - SENTENCES);
    lauka_piece_put(pieces, HEAD);
    for (size_t i = 0; left_out && i < comment.overview.count; i++)
        left_out[i] = is_left_out(&comment, row_of(i));
    lauka_markdown_overview_rows(prose, &comment.overview, LAUKA_STANDINGS, left_out);
    lauka_markdown_overview_fold(prose, &comment.overview, LAUKA_STANDING_INCONCLUSIVE, "⚠️ ",
                                 NAMES_COLUMNS, left_out);
    lauka_markdown_overview_fold(prose, &comment.overview, LAUKA_STANDING_EQUIVALENT,
                                 comment.overview.interrupted == 0 ? "✅ " : "⚠️ ",
                                 NAMES_COLUMNS, left_out);
    put_left_out(&comment, put_details(&comment));
    lauka_piece_put(pieces, END);
}

int lauka_write_pr_comment(const struct lauka_session *session, const char *id, FILE *out)
{
    struct lauka_prose prose = lauka_prose_begin(out, LAUKA_PLAIN_UTF8);
    if (session->benchmark_count > 1)
        write_several(&prose, session, id);
    else
        write_one(&prose, session, id);
    return lauka_prose_end(&prose);
}
