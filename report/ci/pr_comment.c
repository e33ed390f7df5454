/* A comment on a pull request, for the person who must decide: the verdict first, then what changed,
 * failed or is inconclusive, and everything else folded. A comment on GitHub may have 65,536 characters,
 * and the tool that posts it may count bytes; this one has at most 60,000 characters and 65,000 bytes, and
 * says what it left out. */
#include "report/ci/ci.h"
#include "report/ci/pr_comment.h"
#include "report/json/json.h"
#include "report/markdown/markdown.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "report/words/words.h"
#include "stats/stats.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Left out in this order, then rows from the last. */
enum part { PERCENTILES, ALL_METRICS, ENVIRONMENT, HOSTS, WHY, STDERR, GATE, PARTS };
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
    bool quiet;                               /* all is well: three lines */
    char *top, *bottom, *data, *parts[PARTS]; /* owned */
    char **rows;                              /* owned; the table's, most urgent first */
    size_t row_count;
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

/* What the function writes, owned; NULL if there is no memory. */
static char *write_text(int (*write)(const struct comment *, FILE *), const struct comment *comment)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    int error = write(comment, out);
    if (fclose(out) == 0 && !error)
        return text;
    free(text);
    return NULL;
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

static int write_top(const struct comment *comment, FILE *out)
{
    lauka_comment_put_marker(hash_comment(comment), out);
    fprintf(out, "### %s ", lauka_concern_symbol(comment->concerns.worst));
    lauka_comment_heading(comment->result, &comment->concerns, out);
    fputs("\n\n", out);
    return 0;
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

static void write_row(const struct comment *comment, size_t command, size_t metric,
                      const char *name, const char *metric_name, FILE *out)
{
    const struct lauka_result *result = comment->result;
    struct lauka_cells reference, cells;
    lauka_result_cells(result, 0, metric, true, &reference);
    lauka_result_cells(result, command, metric, true, &cells);
    fputs("| ", out);
    put_verdict(comment, command, metric, &cells, out);
    if (names_commands(result))
        fprintf(out, " | %s", name);
    fprintf(out, " | %s | ", metric_name);
    put_change(result, command, metric, &cells, out);
    fputs(" | ", out);
    lauka_markdown_mean(&reference, out);
    fputs(" | ", out);
    lauka_markdown_mean(&cells, out);
    fputs(" |\n", out);
}

/* Owned; NULL if there is no memory. */
static char *make_row(const struct comment *comment, size_t command, size_t metric)
{
    const struct lauka_result *result = comment->result;
    char *text = NULL, *name = lauka_markdown_name(result, command, true);
    char *metric_name = lauka_markdown_code(result->metrics[metric].name, true);
    size_t size = 0;
    FILE *out = name && metric_name ? open_memstream(&text, &size) : NULL;
    if (out) {
        write_row(comment, command, metric, name, metric_name, out);
        fclose(out);
    }
    free(name);
    free(metric_name);
    return text;
}

/* What decides comes before what is exploratory, and worse before better. */
static int make_rows(struct comment *comment)
{
    const struct lauka_result *result = comment->result;
    size_t most = result->command_count * result->metric_count;
    comment->rows = calloc(most + 1, sizeof *comment->rows);
    if (!comment->rows)
        return ENOMEM;
    /* The gate's own table has them, either with made-up values or against namesakes. */
    if (result->gate.tried || result->gate.halves > 0)
        return 0;
    for (int primary = 1; primary >= 0; primary--)
        for (int concern = LAUKA_CONCERN_WORSE; concern > LAUKA_CONCERN_NONE; concern--)
            for (size_t c = 1; c < result->command_count; c++)
                for (size_t m = 0; m < result->metric_count; m++) {
                    if (result->metrics[m].primary != primary ||
                        !lauka_result_is_shown(result, m) ||
                        lauka_concern_of(result, c, m) != (enum lauka_concern)concern)
                        continue;
                    char *row = make_row(comment, c, m);
                    if (!row)
                        return ENOMEM;
                    comment->rows[comment->row_count++] = row;
                }
    return 0;
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

static void put_rest(const struct comment *comment, size_t all, FILE *out)
{
    size_t rest = all - comment->row_count, unclear = count_unclear(comment);
    fprintf(out, "The other %zu comparison%s of %zu show%s nothing to act on", rest,
            rest == 1 ? "" : "s", all, rest == 1 ? "s" : "");
    if (unclear > 0)
        fprintf(out, "; %zu of them %s inconclusive (exploratory)", unclear,
                unclear == 1 ? "is" : "are");
    fputs(". ", out);
}

static void put_rows(const struct comment *comment, size_t shown, FILE *out)
{
    size_t all = count_comparisons(comment->result), rows = comment->row_count;
    if (shown > 0) {
        bool named = names_commands(comment->result);
        fprintf(out,
                "| Verdict |%s Metric | Change | Reference | This |\n|:--|%s:--|:--|--:|--:|\n",
                named ? " Command |" : "", named ? ":--|" : "");
        for (size_t i = 0; i < shown; i++)
            fputs(comment->rows[i], out);
        fputc('\n', out);
    }
    if (shown < rows)
        fprintf(out, "%zu more rows are in the report. ", rows - shown);
    if (all > rows && rows > 0)
        put_rest(comment, all, out);
}

/* ---- what is folded away -------------------------------------------------------------------------- */

static int write_percentiles(const struct comment *comment, FILE *out)
{
    return lauka_markdown_fold_percentiles(comment->result, out);
}

static int write_why(const struct comment *comment, FILE *out)
{
    return lauka_markdown_why(comment->result, out);
}

static int write_all_metrics(const struct comment *comment, FILE *out)
{
    return lauka_markdown_all_metrics(comment->result, out);
}

static int write_environment(const struct comment *comment, FILE *out)
{
    lauka_comment_environment(comment->result, out);
    return 0;
}

static int write_hosts(const struct comment *comment, FILE *out)
{
    lauka_markdown_hosts(comment->result, out);
    return 0;
}

static int write_gate(const struct comment *comment, FILE *out)
{
    if (lauka_result_has_gate(comment->result))
        lauka_markdown_gate(comment->result, true, out);
    return 0;
}

static int write_stderr(const struct comment *comment, FILE *out)
{
    lauka_markdown_stderr(comment->result, out);
    return 0;
}

static void put_same(const struct lauka_result *result, FILE *out)
{
    for (size_t c = 1; c < result->command_count; c++) {
        char text[4096];
        char *own = lauka_markdown_name(result, c, false);
        char *reference = lauka_markdown_name(result, 0, false);
        if (lauka_same_sentence(result, c, own ? own : "?", reference ? reference : "?", text,
                                sizeof text))
            fprintf(out, "%s\n\n", text);
        free(own);
        free(reference);
    }
}

static int write_setting(const struct comment *comment, FILE *out)
{
    put_same(comment->result, out);
    if (comment->result->run.rounds > 0) {
        lauka_comment_setting(comment->result, out);
        fputc('\n', out);
    }
    if (!comment->quiet)
        lauka_comment_next_step(comment->result, &comment->concerns, out);
    return 0;
}

/* The last line, invisible, for programs that read comments. */
int lauka_comment_put_data(enum lauka_concern worst, FILE *out)
{
    struct lauka_json_document document = {0};
    struct lauka_json_value *root = lauka_document_object(&document);
    lauka_document_add_text(&document, root, "schema", "lauka-comment/1");
    lauka_document_add_text(&document, root, "verdict", lauka_concern_name(worst));
    fputs("<!-- lauka:data ", out);
    int error = lauka_document_print_line(&document, root, out);
    fputs(" -->\n", out);
    return error;
}

static int write_data(const struct comment *comment, FILE *out)
{
    return lauka_comment_put_data(comment->concerns.worst, out);
}

static int make_parts(struct comment *comment)
{
    static int (*const writers[PARTS])(const struct comment *, FILE *) = {
        [PERCENTILES] = write_percentiles,
        [ALL_METRICS] = write_all_metrics,
        [ENVIRONMENT] = write_environment,
        [HOSTS] = write_hosts,
        [WHY] = write_why,
        [STDERR] = write_stderr,
        [GATE] = write_gate,
    };
    comment->top = write_text(write_top, comment);
    comment->bottom = write_text(write_setting, comment);
    comment->data = write_text(write_data, comment);
    bool measured = comment->result->run.rounds > 0 && comment->result->metric_count > 0;
    for (int part = 0; part < PARTS; part++) {
        bool wanted = part == STDERR || part == ENVIRONMENT || measured;
        if (comment->quiet &&
            (part == PERCENTILES || (part == GATE && !comment->result->gate.tried)))
            wanted = false; /* how a gate did that is tried out is what was asked */
        comment->parts[part] = wanted ? write_text(writers[part], comment) : strdup("");
        if (!comment->parts[part])
            return ENOMEM;
    }
    return comment->top && comment->bottom && comment->data ? make_rows(comment) : ENOMEM;
}

/* ---- as much as there is room for ------------------------------------------------------------------ */

struct cut {
    bool dropped[PARTS];
    size_t rows;
};

static size_t size_of(const struct comment *comment, const struct cut *cut)
{
    enum { SENTENCES = 1000 }; /* more than titles, markers and what is said of what was left out */
    size_t size =
        SENTENCES + lauka_comment_size(comment->top) + lauka_comment_size(comment->bottom);
    for (int part = 0; part < PARTS; part++)
        size += cut->dropped[part] ? 0 : lauka_comment_size(comment->parts[part]);
    for (size_t i = 0; i < cut->rows; i++)
        size += lauka_comment_size(comment->rows[i]);
    return size;
}

static struct cut make_fit(const struct comment *comment)
{
    struct cut cut = {.rows = comment->row_count};
    for (int part = 0; part < PARTS && size_of(comment, &cut) > LAUKA_COMMENT_MOST; part++)
        cut.dropped[part] = *comment->parts[part] != 0;
    size_t size = size_of(comment, &cut);
    while (cut.rows > 0 && size > LAUKA_COMMENT_MOST)
        size -= lauka_comment_size(comment->rows[--cut.rows]);
    return cut;
}

static void put_dropped(const struct cut *cut, FILE *out)
{
    bool any = false;
    for (int part = 0; part < PARTS; part++) {
        if (cut->dropped[part])
            fprintf(out, "%s%s", any ? ", " : "Left out to fit into a comment: ", part_names[part]);
        any |= cut->dropped[part];
    }
    fputs(any ? ".\n\n" : "", out);
}

static void put_part(const struct comment *comment, const struct cut *cut, enum part part,
                     FILE *out)
{
    if (!cut->dropped[part])
        fputs(comment->parts[part], out);
}

static void put_comment(const struct comment *comment, FILE *out)
{
    struct cut cut = make_fit(comment);
    fputs(comment->top, out);
    put_part(comment, &cut, STDERR, out);
    put_part(comment, &cut, GATE, out);
    put_rows(comment, cut.rows, out);
    fputs(comment->bottom, out);
    put_part(comment, &cut, HOSTS, out);
    put_part(comment, &cut, WHY, out);
    put_part(comment, &cut, ALL_METRICS, out);
    put_part(comment, &cut, PERCENTILES, out);
    put_part(comment, &cut, ENVIRONMENT, out);
    put_dropped(&cut, out);
    fputs(comment->data, out);
}

int lauka_comment_write_one(const struct lauka_result *result, const char *id, FILE *out)
{
    struct comment comment = {.result = result, .id = id, .concerns = lauka_concerns_find(result)};
    comment.quiet = comment.concerns.worst == LAUKA_CONCERN_NONE && result->run.rounds > 0;
    errno = 0;
    int error = make_parts(&comment);
    if (!error)
        put_comment(&comment, out);
    free(comment.top);
    free(comment.bottom);
    free(comment.data);
    for (int part = 0; part < PARTS; part++)
        free(comment.parts[part]);
    for (size_t i = 0; i < comment.row_count; i++)
        free(comment.rows[i]);
    free(comment.rows);
    return error ? error : lauka_finish(out);
}
