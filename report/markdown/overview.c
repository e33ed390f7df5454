/* Many benchmarks in GitHub's Markdown: a table, the worst first, one folded line for what did not change,
 * and each benchmark's own tables folded. */
#include "report/markdown/markdown.h"
#include "report/result/result.h"
#include "report/result/session.h"
#include "report/text/prose.h"
#include "report/words/words.h"

#include <errno.h>
#include <string.h>

enum { NAMES_COLUMNS = 80 };

static const char *code_name(struct lauka_prose *prose, const char *name)
{
    return lauka_markdown_code(prose, name, false);
}

struct lauka_overview lauka_markdown_overview(struct lauka_prose *prose,
                                              const struct lauka_session *session)
{
    struct lauka_overview overview = lauka_overview(prose, session);
    overview.name_of = code_name;
    return overview;
}

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

const char *lauka_markdown_overview_change(struct lauka_prose *prose,
                                           const struct lauka_overview *overview,
                                           const struct lauka_overview_row *row, bool plain)
{
    const char *weight = !plain && row->standing < LAUKA_STANDING_INCONCLUSIVE ? "**" : "";
    const struct lauka_result *result = lauka_overview_result(overview, row);
    struct lauka_overview_cells cells = lauka_overview_row_cells(prose, overview, row);
    if (row->standing <= LAUKA_STANDING_MISSING)
        return lauka_markdown_prose(prose, lauka_result_ending(result) == LAUKA_ENDED_UNMEASURED
                                               ? "has no finished round"
                                               : lauka_result_bad_end(result));
    if (!*cells.estimate)
        return prose->signs->dash;
    const char *estimate = lauka_markdown_unbroken(prose, cells.estimate);
    return lauka_join(prose, lauka_say(prose, "%s%s%s", weight, estimate, weight), "\u00A0",
                      lauka_markdown_unbroken(prose, cells.interval));
}

/* It may break before the arrow. */
static const char *means_of(struct lauka_prose *prose, const char *means)
{
    const char *arrow = strstr(means, " →");
    if (!arrow)
        return lauka_markdown_unbroken(prose, means);
    const char *before = lauka_say(prose, "%.*s", (int)(arrow - means), means);
    return lauka_say(prose, "%s %s", lauka_markdown_unbroken(prose, before),
                     lauka_markdown_unbroken(prose, arrow + 1));
}

static bool is_compared(const struct lauka_overview *overview)
{
    return overview->standings[LAUKA_STANDING_ALONE] < overview->count;
}

static void put_titles(struct lauka_prose *prose, const struct lauka_overview *overview)
{
    bool compared = is_compared(overview), limits = overview->gated > 0;
    lauka_put(prose, "|%s Benchmark |%s%s Mean |\n|%s:--|%s%s--:|\n", compared ? " Verdict |" : "",
              compared ? " Change |" : "", limits ? " Limit |" : "", compared ? ":--|" : "",
              compared ? ":--|" : "", limits ? "--:|" : "");
}

const char *lauka_markdown_function(struct lauka_prose *prose, const struct lauka_result *result,
                                    size_t command, size_t metric)
{
    const char *place = "", *name = "";
    if (strcmp(result->metrics[metric].name, "peak_rss") != 0)
        name = lauka_why_function(prose, result, command, &place);
    if (!*name)
        return "";
    return lauka_say(prose, "mostly %s", lauka_markdown_code(prose, name, true));
}

static void put_row(struct lauka_prose *prose, const struct lauka_overview *overview,
                    const struct lauka_overview_row *row)
{
    const struct lauka_result *result = lauka_overview_result(overview, row);
    struct lauka_overview_cells cells = lauka_overview_row_cells(prose, overview, row);
    const char *name = lauka_markdown_code(prose, cells.name, true);
    const bool compared = is_compared(overview);
    name = lauka_join(prose, name, " ", lauka_markdown_prose(prose, cells.side));
    name = lauka_join(prose, name, " ", lauka_markdown_prose(prose, cells.metric));
    if (row->gate && row->standing == LAUKA_STANDING_WORSE)
        name = lauka_join(prose, name, "<br>",
                          lauka_markdown_function(prose, result, row->command, row->metric));
    lauka_put(prose, "| ");
    if (compared)
        lauka_put(prose, "%s\u00A0%s | ", mark_of(overview, row),
                  lauka_markdown_unbroken(prose, cells.verdict));
    lauka_put(prose, "%s | ", name);
    if (compared)
        lauka_put(prose, "%s | ", lauka_markdown_overview_change(prose, overview, row, false));
    if (overview->gated > 0)
        lauka_put(prose, "%s | ", lauka_markdown_unbroken(prose, cells.limit));
    lauka_put(prose, "%s |\n", means_of(prose, cells.means));
}

void lauka_markdown_overview_row(struct lauka_prose *prose, const struct lauka_overview *overview,
                                 size_t index)
{
    size_t count;
    const struct lauka_overview_row *row = &overview->rows[index];
    const struct lauka_overview_row *further = lauka_overview_further(prose, overview, row, &count);
    put_row(prose, overview, row);
    for (size_t i = 0; i < count; i++)
        put_row(prose, overview, &further[i]);
}

/* ---- those that are folded ----------------------------------------------------------------------- */

/* ": `io/read` (±3 %), ... and 3 more": all of the standing, without newline, as HTML, for <summary>;
 * about that many columns. */
static const char *names_of(struct lauka_prose *prose, const struct lauka_overview *overview,
                            enum lauka_standing standing, int columns)
{
    size_t said = 0;
    const char *names = "";
    for (size_t i = 0; i < overview->count; i++) {
        if (overview->rows[i].standing != standing)
            continue;
        struct lauka_overview_cells cells =
            lauka_overview_row_cells(prose, overview, &overview->rows[i]);
        columns -= lauka_display_width(cells.name) + lauka_display_width(cells.reach) + 4;
        if (said > 0 && columns < 0)
            return lauka_say(prose, "%s and %zu more", names, overview->standings[standing] - said);
        const char *reach = lauka_markdown_unbroken(prose, cells.reach);
        names = lauka_say(prose, "%s%s%s%s%s%s", names, said++ > 0 ? ", " : ": ",
                          lauka_markdown_element(prose, cells.name), *reach ? " (" : "", reach,
                          *reach ? ")" : "");
    }
    return names;
}

static bool is_open(enum lauka_standing standing)
{
    return standing < LAUKA_STANDING_INCONCLUSIVE || standing == LAUKA_STANDING_ALONE;
}

void lauka_markdown_overview_rows(struct lauka_prose *prose, const struct lauka_overview *overview,
                                  enum lauka_standing standing, const bool *left_out)
{
    bool any = false;
    for (size_t i = 0; i < overview->count; i++) {
        const enum lauka_standing own = overview->rows[i].standing;
        if ((standing == LAUKA_STANDINGS ? !is_open(own) : own != standing) ||
            (left_out && left_out[i]))
            continue;
        if (!any)
            put_titles(prose, overview);
        any = true;
        lauka_markdown_overview_row(prose, overview, i);
    }
    lauka_put(prose, any ? "\n" : "");
}

void lauka_markdown_overview_fold(struct lauka_prose *prose, const struct lauka_overview *overview,
                                  enum lauka_standing standing, const char *mark, int columns,
                                  const bool *left_out)
{
    if (overview->standings[standing] == 0)
        return;
    lauka_put(prose, "<details><summary>%s%zu %s%s</summary>\n\n", mark,
              overview->standings[standing],
              standing == LAUKA_STANDING_EQUIVALENT ? lauka_overview_rest(prose, overview)
                                                    : "inconclusive",
              names_of(prose, overview, standing, columns));
    lauka_markdown_overview_rows(prose, overview, standing, left_out);
    lauka_put(prose, "</details>\n");
}

/* ---- all of it ----------------------------------------------------------------------------------- */

struct page {
    struct lauka_prose *prose;
    struct lauka_overview overview;
    bool facts; /* with what was measured, which a document beside others need not say */
};

void lauka_markdown_overview_summary(struct lauka_prose *prose,
                                     const struct lauka_overview *overview, size_t index)
{
    const struct lauka_overview_row *row = &overview->rows[index];
    struct lauka_overview_cells cells = lauka_overview_row_cells(prose, overview, row);
    lauka_put(prose, "<details><summary>%s %s%s%s</summary>\n\n", mark_of(overview, row),
              lauka_markdown_element(prose, cells.name), *cells.found ? ": " : "",
              lauka_say_xml(prose, cells.found));
}

/* Piece 0 is the overview; the details of each benchmark follow. */
static void write_piece(const void *context, size_t piece)
{
    static const enum lauka_standing folded[] = {LAUKA_STANDING_INCONCLUSIVE,
                                                 LAUKA_STANDING_EQUIVALENT};
    const struct page *page = context;
    const struct lauka_overview *overview = &page->overview;
    if (piece > 0) {
        lauka_markdown_overview_summary(page->prose, overview, piece - 1);
        lauka_markdown_benchmark(page->prose,
                                 lauka_overview_result(overview, &overview->rows[piece - 1]));
        lauka_put(page->prose, "\n</details>\n\n");
        return;
    }
    lauka_put(page->prose, "**%s**\n\n", lauka_overview_headline(page->prose, overview));
    if (page->facts)
        lauka_markdown_facts(page->prose, overview->session);
    lauka_markdown_overview_rows(page->prose, overview, LAUKA_STANDINGS, NULL);
    for (size_t i = 0; i < sizeof folded / sizeof *folded; i++) {
        lauka_markdown_overview_fold(page->prose, overview, folded[i], "", NAMES_COLUMNS, NULL);
        lauka_put(page->prose, overview->standings[folded[i]] > 0 ? "\n" : "");
    }
}

int lauka_write_markdown(const struct lauka_session *session, FILE *out)
{
    struct lauka_prose prose = lauka_prose_begin(out, LAUKA_PLAIN_UTF8);
    if (session->benchmark_count == 1) {
        lauka_markdown_benchmark(&prose, session->benchmarks);
        return lauka_prose_end(&prose);
    }
    const struct page page = {&prose, lauka_markdown_overview(&prose, session), false};
    for (size_t i = 0; i <= page.overview.count; i++)
        write_piece(&page, i);
    return lauka_prose_end(&prose);
}

static void put_pieces(struct lauka_prose *prose, const struct lauka_pieces *pieces)
{
    size_t left_out = 0, all = pieces->count - 1;
    for (size_t i = 0; i < pieces->count; i++) {
        lauka_piece_put(pieces, i);
        left_out += pieces->pieces[i].left_out;
    }
    if (left_out > 0)
        lauka_put(prose,
                  "The details of %s%zu benchmark%s are left out: there is no room for them.\n",
                  left_out < all ? "the other " : "", left_out, lauka_plural(left_out));
}

int lauka_write_markdown_within(const struct lauka_session *session, size_t room, FILE *out)
{
    enum { SENTENCE = 100 }; /* more than the one about what is left out */
    struct lauka_prose prose = lauka_prose_begin(out, LAUKA_PLAIN_UTF8);
    const struct page page = {&prose, lauka_markdown_overview(&prose, session), true};
    struct lauka_pieces pieces = lauka_pieces(&prose, page.overview.count + 1);
    for (size_t i = 0; i <= page.overview.count; i++)
        lauka_pieces_add(&pieces, i > 0, write_piece, &page, i);
    if (room < SENTENCE || !lauka_pieces_fit(&pieces, strlen, room - SENTENCE))
        lauka_prose_fail(&prose, EFBIG);
    if (!prose.error)
        put_pieces(&prose, &pieces);
    return lauka_prose_end(&prose);
}
