/* A comment on a pull request, for the person who must decide: the verdict first, then what changed,
 * failed or is inconclusive, and everything else folded. A comment on GitHub may have 65,536 characters,
 * and the tool that posts it may count bytes; this one has at most 60,000 characters and 65,000 bytes, and
 * says what it left out. */
#include "report/ci/pr_comment.h"
#include "report/json/json.h"
#include "report/markdown/markdown.h"
#include "report/markdown/pieces.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "report/words/words.h"
#include "stats/stats.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Left out in this order, then rows from the last; what has no name stays. */
enum part { PERCENTILES, ALL_METRICS, ENVIRONMENT, HOSTS, WHY, STDERR, GATE, TOP, BOTTOM, PARTS };
static const char *const part_names[PARTS] = {"percentiles",
                                              "the table of all metrics",
                                              "commands, host and settings",
                                              "the hosts",
                                              "the functions",
                                              "stderr",
                                              "the gate's limits"};

struct comment {
    const struct lauka_result *result;
    const char *id; /* borrowed; NULL: it has none */
    struct lauka_concerns concerns;
    bool quiet;                 /* all is well: three lines */
    struct lauka_pieces pieces; /* the parts, then the table's rows, the most urgent first */
};

/* ---- pieces of text ----------------------------------------------------------------------------- */

size_t lauka_comment_size(const char *text)
{
    enum { MOST = LAUKA_COMMENT_BYTES_MOST };
    size_t characters = 0, bytes = 0;
    for (; text && text[bytes]; bytes++)
        characters += ((unsigned char)text[bytes] & 0xC0) != 0x80;
    size_t scaled = (bytes * LAUKA_COMMENT_MOST + MOST - 1) / MOST;
    return scaled > characters ? scaled : characters;
}

/* ---- before the table --------------------------------------------------------------------------- */

void lauka_comment_put_marker(uint64_t hash, FILE *out)
{
    fprintf(out, "<!-- lauka:comment:v1 id=%016" PRIx64 " -->\n", hash);
}

/* The comment replaces the previous one with this id, or with the same commands. */
static uint64_t hash_comment(const struct comment *comment)
{
    const struct lauka_result *result = comment->result;
    uint64_t hash = LAUKA_HASH;
    if (comment->id)
        return lauka_hash_text(LAUKA_HASH, comment->id);
    for (size_t c = 0; c < result->command_count; c++)
        hash = lauka_hash_text(hash, result->commands[c].label);
    return hash;
}

static void write_top(const struct comment *comment, FILE *out)
{
    lauka_comment_put_marker(hash_comment(comment), out);
    fprintf(out, "### %s ", lauka_concern_symbol(comment->concerns.worst));
    lauka_comment_heading(comment->result, &comment->concerns, out);
    fputs("\n\n", out);
}

/* ---- rows --------------------------------------------------------------------------------------- */

/* The limit whose figures are in the row. A budget that is kept says nothing about a change. */
static const struct lauka_gate_row *limit_of(const struct lauka_result *result, size_t command,
                                             size_t metric)
{
    const struct lauka_gate_row *row = lauka_gate_row_of(result, command, metric);
    bool kept = lauka_gate_is_budget(result, row) && row->judgement.verdict == LAUKA_GATE_PASS;
    return kept ? NULL : row;
}

/* By the interval in its row. */
static void put_verdict(const struct comment *comment, size_t command, size_t metric,
                        const struct lauka_cells *cells, FILE *out)
{
    const struct lauka_result *result = comment->result;
    enum lauka_concern concern = lauka_concern_of(result, command, metric);
    if (concern < LAUKA_CONCERN_UNCLEAR && !lauka_result_ended_well(result))
        concern = LAUKA_CONCERN_UNCLEAR; /* nothing of such a session is green */
    const struct lauka_gate_row *row = limit_of(result, command, metric);
    const char *word = row ? lauka_gate_row_verdict(result, row) : cells->text[LAUKA_CELL_VERDICT];
    fprintf(out, "%s\u00A0", lauka_concern_symbol(concern));
    lauka_markdown_unbroken(*word ? word : "not compared", out);
    if (!result->metrics[metric].primary && !lauka_gate_row_of(result, command, metric))
        fputs(", exploratory", out);
}

/* The gate's figures if it judged: the verdict and the heading are about them. */
static void put_change(const struct lauka_result *result, size_t command, size_t metric,
                       const struct lauka_cells *cells, FILE *out)
{
    const struct lauka_gate_row *row = limit_of(result, command, metric);
    struct lauka_change change = {{0}, {0}};
    if (row)
        lauka_gate_row_change(result, row, true, &change);
    const char *estimate = row ? change.estimate : cells->text[LAUKA_CELL_CHANGE];
    const char *interval = row ? change.interval : cells->text[LAUKA_CELL_INTERVAL];
    bool known = *estimate && strcmp(estimate, lauka_dash(true)) != 0;
    fputs(known ? "**" : "", out);
    lauka_markdown_unbroken(known ? estimate : lauka_dash(true), out);
    fputs(known ? "**" : "", out);
    fputs(*interval ? "\u00A0" : "", out);
    lauka_markdown_unbroken(interval, out);
}

/* With two commands there is only one that it can be about. */
static bool names_commands(const struct lauka_result *result)
{
    return result->command_count > 2;
}

/* The row of a command and a metric: the index counts the metrics of all commands. */
static int write_row(const void *context, size_t index, FILE *out)
{
    const struct comment *comment = context;
    const struct lauka_result *result = comment->result;
    const size_t command = index / result->metric_count, metric = index % result->metric_count;
    struct lauka_cells reference, cells;
    lauka_result_cells(result, 0, metric, true, &reference);
    lauka_result_cells(result, command, metric, true, &cells);
    fputs("| ", out);
    put_verdict(comment, command, metric, &cells, out);
    if (names_commands(result)) {
        fputs(" | ", out);
        lauka_markdown_put_name(result, command, true, out);
    }
    fputs(" | ", out);
    lauka_markdown_put_code(result->metrics[metric].name, true, out);
    fputs(" | ", out);
    put_change(result, command, metric, &cells, out);
    fputs(" | ", out);
    lauka_markdown_mean(&reference, out);
    fputs(" | ", out);
    lauka_markdown_mean(&cells, out);
    fputs(" |\n", out);
    return 0;
}

/* What decides comes before what is exploratory, and worse before better. */
static void add_rows(struct comment *comment)
{
    const struct lauka_result *result = comment->result;
    /* The gate's own table has them, either with made-up values or against namesakes. */
    if (result->gate.tried || result->gate.halves > 0)
        return;
    for (int primary = 1; primary >= 0; primary--)
        for (int concern = LAUKA_CONCERN_WORSE; concern > LAUKA_CONCERN_NONE; concern--)
            for (size_t c = 1; c < result->command_count; c++)
                for (size_t m = 0; m < result->metric_count; m++)
                    if (result->metrics[m].primary == primary && lauka_result_is_shown(result, m) &&
                        lauka_concern_of(result, c, m) == (enum lauka_concern)concern)
                        lauka_pieces_add(&comment->pieces, PARTS, write_row, comment,
                                         c * result->metric_count + m);
}

/* The number of comparisons, and hence of those that are not in the table. */
static size_t count_comparisons(const struct lauka_result *result)
{
    size_t count = 0;
    for (size_t c = 1; c < result->command_count; c++)
        for (size_t m = 0; m < result->metric_count; m++)
            count += lauka_result_is_shown(result, m) && lauka_result_view(result, c, m).counted;
    return count;
}

/* Includes exploratory ones that are inconclusive. */
static size_t count_unclear(const struct comment *comment)
{
    const struct lauka_result *result = comment->result;
    size_t count = 0;
    for (size_t c = 1; c < result->command_count; c++)
        for (size_t m = 0; m < result->metric_count; m++) {
            struct lauka_result_view view = lauka_result_view(result, c, m);
            count += lauka_result_is_shown(result, m) && view.counted &&
                     view.comparison->verdict == LAUKA_VERDICT_INCONCLUSIVE &&
                     lauka_concern_of(result, c, m) == LAUKA_CONCERN_NONE;
        }
    return count;
}

static size_t row_count(const struct comment *comment)
{
    return comment->pieces.count - PARTS;
}

static void put_rest(const struct comment *comment, size_t all, FILE *out)
{
    size_t rest = all - row_count(comment), unclear = count_unclear(comment);
    fprintf(out, "The other %zu comparison%s of %zu show%s nothing to act on", rest,
            rest == 1 ? "" : "s", all, rest == 1 ? "s" : "");
    if (unclear > 0)
        fprintf(out, "; %zu of them %s inconclusive (exploratory)", unclear,
                unclear == 1 ? "is" : "are");
    fputs(". ", out);
}

static void put_rows(const struct comment *comment, FILE *out)
{
    size_t all = count_comparisons(comment->result), rows = row_count(comment), shown = rows;
    while (shown > 0 && comment->pieces.pieces[PARTS + shown - 1].left_out)
        shown--;
    if (shown > 0) {
        bool named = names_commands(comment->result);
        fprintf(out,
                "| Verdict |%s Metric | Change | Reference | This |\n|:--|%s:--|:--|--:|--:|\n",
                named ? " Command |" : "", named ? ":--|" : "");
        for (size_t i = 0; i < shown; i++)
            lauka_piece_put(&comment->pieces, PARTS + i, out);
        fputc('\n', out);
    }
    if (shown < rows)
        fprintf(out, "%zu more rows are in the report. ", rows - shown);
    if (all > rows && rows > 0)
        put_rest(comment, all, out);
}

/* ---- the other parts ------------------------------------------------------------------------------ */

static void write_setting(const struct comment *comment, FILE *out)
{
    lauka_markdown_same(comment->result, out);
    if (comment->result->run.rounds > 0) {
        lauka_comment_setting(comment->result, out);
        fputc('\n', out);
    }
    if (!comment->quiet)
        lauka_comment_next_step(comment->result, &comment->concerns, out);
}

/* The last line, invisible, for programs that read comments. */
int lauka_comment_put_data(enum lauka_concern worst, FILE *out)
{
    fputs("<!-- lauka:data ", out);
    struct lauka_json_document document = lauka_document_begin(LAUKA_JSON_LINE, out);
    lauka_document_object(&document, NULL);
    lauka_document_text(&document, "schema", "lauka-comment/1");
    lauka_document_text(&document, "verdict", lauka_concern_name(worst));
    lauka_document_end(&document);
    fputs(" -->\n", out);
    return 0;
}

/* How a gate did that is tried out is what was asked. */
static bool is_wanted(const struct comment *comment, enum part part)
{
    bool measured = comment->result->run.rounds > 0 && comment->result->metric_count > 0;
    if (comment->quiet && (part == PERCENTILES || (part == GATE && !comment->result->gate.tried)))
        return false;
    return measured || part == STDERR || part == ENVIRONMENT || part >= TOP;
}

static int write_part(const void *context, size_t part, FILE *out)
{
    const struct comment *comment = context;
    if (!is_wanted(comment, (enum part)part))
        return 0;
    switch ((enum part)part) {
    case PERCENTILES:
        return lauka_markdown_fold_percentiles(comment->result, out);
    case ALL_METRICS:
        return lauka_markdown_all_metrics(comment->result, out);
    case ENVIRONMENT:
        lauka_comment_environment(comment->result, out);
        break;
    case HOSTS:
        lauka_markdown_hosts(comment->result, out);
        break;
    case WHY:
        return lauka_markdown_why(comment->result, out);
    case STDERR:
        lauka_markdown_stderr(comment->result, out);
        break;
    case GATE:
        if (lauka_result_has_gate(comment->result))
            lauka_markdown_gate(comment->result, true, out);
        break;
    case TOP:
        write_top(comment, out);
        break;
    case BOTTOM:
        write_setting(comment, out);
        break;
    case PARTS:
        break;
    }
    return 0;
}

static void put_left_out(const struct comment *comment, FILE *out)
{
    bool any = false;
    for (enum part part = 0; part < PARTS; part++) {
        if (!comment->pieces.pieces[part].left_out)
            continue;
        fprintf(out, "%s%s", any ? ", " : "Left out to fit into a comment: ", part_names[part]);
        any = true;
    }
    fputs(any ? ".\n\n" : "", out);
}

static int put_comment(struct comment *comment, FILE *out)
{
    static const enum part below[] = {BOTTOM, HOSTS, WHY, ALL_METRICS, PERCENTILES, ENVIRONMENT};
    enum { SENTENCES = 1000 }; /* more than titles, markers and what is said of what was left out */
    lauka_pieces_fit(&comment->pieces, lauka_comment_size, LAUKA_COMMENT_MOST - SENTENCES);
    lauka_piece_put(&comment->pieces, TOP, out);
    lauka_piece_put(&comment->pieces, STDERR, out);
    lauka_piece_put(&comment->pieces, GATE, out);
    put_rows(comment, out);
    for (size_t i = 0; i < sizeof below / sizeof *below; i++)
        lauka_piece_put(&comment->pieces, below[i], out);
    put_left_out(comment, out);
    return lauka_comment_put_data(comment->concerns.worst, out);
}

int lauka_comment_write_one(const struct lauka_result *result, const char *id, FILE *out)
{
    struct comment comment = {.result = result, .id = id, .concerns = lauka_concerns_find(result)};
    comment.quiet = comment.concerns.worst == LAUKA_CONCERN_NONE && result->run.rounds > 0;
    errno = 0;
    for (enum part part = 0; part < PARTS; part++)
        lauka_pieces_add(&comment.pieces, part < TOP ? (int)part + 1 : 0, write_part, &comment,
                         part);
    add_rows(&comment);
    int error = comment.pieces.error ? comment.pieces.error : put_comment(&comment, out);
    lauka_pieces_done(&comment.pieces);
    return error ? error : lauka_finish(out);
}
