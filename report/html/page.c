/* The page: the answers, what speaks against them, the pictures, the numbers, the session. It is one file
 * without scripts that loads nothing else, and nobody else's text can become part of its code. Of many benchmarks it
 * begins with an overview of all of them, the worst first, each with a link and its interval on a common axis; then a
 * section for each follows, in the same order. */
#include "report/html/html.h"
#include "report/html/svg.h"
#include "report/plot/plot.h"
#include "report/result/result.h"
#include "report/result/session.h"
#include "report/text/prose.h"
#include "report/words/measured.h"
#include "report/words/said.h"
#include "report/words/words.h"
#include "stats/histogram.h"
#include "stats/stats.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
    PICTURED_METRICS = 4,
    PICTURED_COMMANDS = 12,
    PICTURED_BENCHMARKS = 60,
    FOLDED_FROM = 6,
    REPRODUCTION_COLUMNS = 1000
};

/* ---- answers and notes ----------------------------------------------------------------------- */

static void put_said(const struct lauka_html *html, const char *element, const char *sign,
                     const struct lauka_said *said)
{
    lauka_put(html->prose, "<%s>%s%s</%s>\n", element, sign,
              said->kind == LAUKA_SAID_NOTE ? lauka_html_name(html->prose, said->text, 2000)
                                            : lauka_html_sentence(html, said->command, said->text),
              element);
}

static const char *say_fail(struct lauka_prose *prose)
{
    return lauka_html_marked(prose, (struct lauka_mark){LAUKA_TONE_FAIL, false}, "FAIL");
}

/* "FAIL memory of B HEAD: +93.3 % [+92.6, +94.0], limit 5 % and 1 MiB" */
static const char *say_limit(const struct lauka_html *html, const struct lauka_gate_row *row)
{
    struct lauka_prose *prose = html->prose;
    const struct lauka_result *result = html->result;
    const struct lauka_gate_cells cells = lauka_gate_row_cells(prose, result, row);
    const struct lauka_change change = lauka_gate_row_change(prose, result, row);
    const char *figures = lauka_join(prose, change.estimate, " ", change.interval);
    return lauka_say(prose, "%s %s of %s: %s, limit %s",
                     lauka_html_marked(prose, lauka_mark_of_limit(result, row),
                                       cells.text[LAUKA_GATE_CELL_VERDICT]),
                     lauka_html_prose(prose, lauka_limit_topic(prose, result, row)),
                     lauka_html_command(html, row->command),
                     lauka_html_prose(prose, *figures ? figures : prose->signs->dash),
                     lauka_html_prose(prose, cells.text[LAUKA_GATE_CELL_LIMIT]));
}

/* Limits that the page must begin with, the worst first: those that are exceeded; or undecided, where that counts as a
 * failure. How a gate that is tried out did is said by itself. */
static struct lauka_exceeded find_decisive(const struct lauka_html *html)
{
    const struct lauka_result *result = html->result;
    const struct lauka_result_gate *gate = &result->gate;
    struct lauka_exceeded found = lauka_exceeded_limits(html->prose, result, LAUKA_EACH_COMMAND);
    const bool undecided = gate->verdict == LAUKA_GATE_INCONCLUSIVE &&
                           gate->policy == LAUKA_POLICY_FAIL && found.count == 0;
    for (size_t i = 0; i < gate->row_count && undecided && found.rows; i++)
        if (lauka_mark_of_limit(result, &gate->rows[i]).tone == LAUKA_TONE_UNCLEAR)
            found.rows[found.count++] = &gate->rows[i];
    if (gate->tried)
        found.count = 0;
    return found;
}

/* As headlines; false if there are none. A single one is in the heading of its benchmark. */
static bool put_decisive(const struct lauka_html *html, const char *element)
{
    const struct lauka_exceeded found = find_decisive(html);
    if (html->within && found.count == 1)
        return true;
    for (size_t i = 0; i < found.count; i++) {
        lauka_put(html->prose, "<%s%s>%s</%s>\n", element,
                  strcmp(element, "p") == 0 ? " class=\"verdict\"" : "",
                  say_limit(html, found.rows[i]), element);
        element = "p";
    }
    return found.count > 0;
}

/* The sign of the verdict, in its colour, before an answer that no limit precedes. */
static const char *sign_of(const struct lauka_html *html, const struct lauka_said *said)
{
    const struct lauka_result *result = html->result;
    const size_t main = lauka_result_main_metric(result);
    if (said->kind != LAUKA_SAID_ANSWER || said->command == 0 || main >= result->metric_count)
        return "";
    const struct lauka_mark mark = lauka_mark_of(result, said->command, main);
    return mark.tone == LAUKA_TONE_PLAIN
               ? ""
               : lauka_say(html->prose, "%s ", lauka_html_marked(html->prose, mark, ""));
}

/* Without one that is best, the number of commands is the headline. Returns the element of what follows. */
static const char *put_number(const struct lauka_html *html, const char *element)
{
    size_t best;
    if (lauka_result_best(html->result, &best))
        return element;
    lauka_put(html->prose, "<%s>%zu commands against %s</%s>\n", element,
              html->result->command_count - 1, lauka_html_command(html, 0), element);
    return "p";
}

/* Which run ended the session, and what it wrote to stderr last; false if none did. */
static bool put_failure(const struct lauka_html *html, const char *element)
{
    struct lauka_prose *prose = html->prose;
    const struct lauka_result_failure *failure = &html->result->failure;
    const char *tail = failure->stderr_tail ? failure->stderr_tail : "";
    if (!failure->known)
        return false;
    lauka_put(prose, "<%s>%s %s %s</%s>\n", element,
              lauka_html_marked(prose, (struct lauka_mark){LAUKA_TONE_FAIL, false}, ""),
              lauka_html_command(html, failure->command),
              lauka_html_prose(prose, lauka_say_failure(prose, html->result)), element);
    if (*tail)
        lauka_put(prose, "<pre>%s</pre>\n", lauka_say_xml_lines(prose, tail));
    return true;
}

/* The first answer is the headline, but below a failure, exceeded limits, and within a page of many benchmarks, where that
 * is the benchmark's name. Of several commands the best comes first. */
static void put_answers(const struct lauka_html *html)
{
    const struct lauka_result *result = html->result;
    const bool several = result->command_count > 2 && !lauka_result_has_noise(result);
    const char *element = html->within ? "p" : "h1";
    const bool failed = put_failure(html, element);
    const bool decided = put_decisive(html, failed ? "p" : element) || failed;
    element = decided ? "p" : element;
    if (several)
        element = put_number(html, element);
    for (int is_best = several; is_best >= 0; is_best--)
        for (struct lauka_said said = {0}; lauka_said_next_answer(html->prose, result, &said);) {
            if ((said.kind == LAUKA_SAID_BEST) != is_best)
                continue;
            put_said(html, element, decided ? "" : sign_of(html, &said), &said);
            element = "p";
        }
}

/* What speaks against the answer comes before everything that supports it. */
static void put_notes(const struct lauka_html *html, const struct lauka_notes *notes)
{
    lauka_put(html->prose, "<div>\n<h4>Notes</h4>\n<ul class=\"notes\">\n");
    for (size_t i = 0; i < notes->count; i++)
        put_said(html, "li", "", &notes->all[i]);
    lauka_put(html->prose, "</ul>\n");
}

/* ---- the head -------------------------------------------------------------------------------- */

/* Of a title, which has no legend. */
static const char *title_name(struct lauka_prose *prose, const struct lauka_result *result,
                              size_t command)
{
    return lauka_is_lettered(prose, result, command)
               ? lauka_html_name(prose, result->commands[command].label, LAUKA_HTML_NAME_WIDTH)
               : lauka_say_xml(prose, lauka_say_bare_name(prose, result, command));
}

static const char *title_of(struct lauka_prose *prose, const struct lauka_result *result)
{
    if (result->command_count == 0)
        return "nothing was measured";
    const char *first = title_name(prose, result, result->command_count == 2);
    if (result->command_count == 2)
        return lauka_say(prose, "%s against %s", first, title_name(prose, result, 0));
    return result->command_count == 1
               ? first
               : lauka_say(prose, "%s and %zu others", first, result->command_count - 1);
}

void lauka_html_begin(struct lauka_prose *prose, const char *title)
{
    lauka_put(prose,
              "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
              "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
              "style-src 'sha256-%s' 'sha256-%s'; base-uri 'none'; form-action 'none'\">\n"
              "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
              "<meta name=\"referrer\" content=\"no-referrer\">\n"
              "<meta name=\"color-scheme\" content=\"light dark\">\n"
              "<meta name=\"generator\" content=\"lauka " LAUKA_VERSION "\">\n"
              "<title>lauka: %s</title>\n<style>%s</style>\n<style>%s</style>\n</head>\n<body>\n",
              lauka_html_style_hash, lauka_html_tables_style_hash, title, lauka_html_style,
              lauka_html_tables_style);
}

/* The command line of a side that has a name of its own; the page of one benchmark has it above. */
static const char *say_line(const struct lauka_html *html, size_t command)
{
    struct lauka_prose *prose = html->prose;
    const char *line = lauka_say_command_line(prose, html->result, command);
    return html->within && *line
               ? lauka_say(prose, "<code>%s</code>, ",
                           lauka_html_name(prose, line, 2 * LAUKA_HTML_NAME_WIDTH))
               : "";
}

/* What a letter stands for, too. */
static const char *key_name(const struct lauka_html *html, size_t command)
{
    struct lauka_prose *prose = html->prose;
    const char *name = lauka_html_command(html, command);
    return lauka_is_lettered(prose, html->result, command)
               ? lauka_say(prose, "%s\u00A0<code>%s</code>", name,
                           lauka_say_xml(prose, lauka_say_whole(prose, html->result, command)))
               : name;
}

static void put_key(const struct lauka_html *html)
{
    struct lauka_prose *prose = html->prose;
    const struct lauka_result *result = html->result;
    const char *what = result->run.stopped == LAUKA_STOPPED_STORED ? "value" : "run";
    lauka_put(prose, "<ul class=\"key\">\n");
    for (size_t c = 0; c < result->command_count; c++) {
        uint64_t rounds = lauka_result_rounds(result, c);
        uint64_t failures = result->commands[c].failures;
        lauka_put(prose, "<li>%s <span>%s%s%" PRIu64 " %s%s", key_name(html, c), say_line(html, c),
                  c == 0 && result->command_count > 1 ? "reference, " : "", rounds, what,
                  lauka_plural(rounds));
        if (failures > 0)
            lauka_put(prose, ", %" PRIu64 " failed", failures);
        lauka_put(prose, "</span></li>\n");
    }
    lauka_put(prose, "</ul>\n");
}

static void put_ending(struct lauka_prose *prose, const struct lauka_result *result)
{
    const char *text = lauka_say_ending(prose, result);
    if (!*text)
        return;
    lauka_put(prose, "<p>%s</p>\n", lauka_html_prose(prose, lauka_say_capital(prose, text)));
}

/* What was measured, from which commits, when and where. */
static void put_facts(struct lauka_prose *prose, const struct lauka_session *session)
{
    lauka_put(prose, "<p class=\"measured\">");
    for (struct lauka_fact fact = {0}; lauka_next_fact(prose, session, &fact);) {
        const char *text = lauka_html_prose(prose, fact.text);
        if (*fact.address)
            text =
                lauka_say(prose, "<a href=\"%s\">%s</a>", lauka_say_xml(prose, fact.address), text);
        if (*fact.code)
            text = lauka_join(prose,
                              lauka_say(prose, "<code>%s</code>", lauka_say_xml(prose, fact.code)),
                              " ", text);
        text = lauka_join(prose, lauka_say_xml(prose, fact.name), " ", text);
        lauka_put(prose, "%s%s<span>%s</span>", *fact.before ? " " : "",
                  *fact.before ? lauka_say(prose, "%s ", fact.before) : "", text);
    }
    lauka_put(prose, "</p>\n");
}

static void put_header(const struct lauka_html *html)
{
    struct lauka_prose *prose = html->prose;
    lauka_put(prose, "<header>\n");
    put_answers(html);
    if (!html->within)
        put_facts(prose, html->session);
    put_ending(prose, html->result);
    lauka_put(prose, "<p class=\"course\">%s</p>\n",
              lauka_html_prose(prose, lauka_result_course(prose, html->result)));
    put_key(html);
    lauka_put(prose, "</header>\n");
}

/* ---- pictures -------------------------------------------------------------------------------- */

/* Sections of a page with many benchmarks may be folded. */
static void open_section(const struct lauka_html *html, const char *text, bool folded)
{
    const char *element = html->within ? "h3" : "h2";
    const char *heading =
        lauka_say(html->prose, "<%s>%s</%s>", element, lauka_say_xml(html->prose, text), element);
    if (folded)
        lauka_put(html->prose, "<details>\n<summary>%s</summary>\n", heading);
    else
        lauka_put(html->prose, "<section>\n%s\n", heading);
}

static void close_section(const struct lauka_html *html, bool folded)
{
    lauka_put(html->prose, folded ? "</details>\n" : "</section>\n");
}

static void put_aside(const struct lauka_html *html, const char *text)
{
    lauka_put(html->prose, "<p class=\"aside\">%s</p>\n", text);
}

/* What cannot be seen, and why. */
static void put_absences(const struct lauka_html *html, const struct lauka_picture *picture,
                         size_t command)
{
    const struct lauka_distribution *own = &picture->distributions[command];
    uint64_t fewest = picture->distributions[0].total;
    fewest = own->total < fewest ? own->total : fewest;
    if (own->total == 0)
        put_aside(html, "Not measured here.");
    else if (command > 0 && fewest < 5)
        put_aside(html, "Quantiles are not compared: that needs at least 5 runs of each.");
}

static bool is_at_floor(const struct lauka_picture *picture, size_t command)
{
    return lauka_result_view(picture->result, command, picture->metric).at_floor ||
           lauka_result_view(picture->result, 0, picture->metric).at_floor;
}

static void put_pair(struct lauka_html *html, const struct lauka_picture *picture, size_t command)
{
    if (html->result->command_count > 2)
        lauka_put(html->prose, "<h3>%s</h3>\n", lauka_html_command(html, command));
    put_absences(html, picture, command);
    if (is_at_floor(picture, command)) {
        put_aside(html, "Not more than lauka itself uses: it supports no conclusion.");
        return;
    }
    lauka_put(html->prose, "<div class=\"charts%s\">\n",
              html->result->command_count != 2 ? " three" : "");
    lauka_chart_shift(picture, command, &html->svg);
    lauka_chart_ecdf(picture, command, &html->svg);
    lauka_chart_histogram(picture, command, &html->svg);
    if (html->result->command_count <= 2)
        lauka_chart_order(picture, &html->svg);
    lauka_put(html->prose, "</div>\n");
}

static void put_from_streams(const struct lauka_html *html)
{
    double error = lauka_histogram_error(&html->result->commands[0].streams[0].histogram);
    put_aside(html, lauka_say(html->prose,
                              "Single runs were not kept, so their order cannot be shown; values "
                              "come from a histogram, good to ±%s.",
                              lauka_say_share(html->prose, error)));
}

/* Which metrics have pictures and percentiles, in this order: those whose limit is exceeded decided the session. */
enum rank { RANK_EXCEEDED, RANK_MAIN, RANK_LIMITED, RANK_PRIMARY, RANKS };

static enum rank rank_of(const struct lauka_result *result, size_t metric)
{
    enum rank rank = metric == lauka_result_main_metric(result) ? RANK_MAIN
                     : result->metrics[metric].primary          ? RANK_PRIMARY
                                                                : RANKS;
    for (size_t c = 0; c < result->command_count; c++) {
        const struct lauka_gate_row *row = lauka_gate_row_of(result, c, metric);
        if (row && lauka_mark_of_limit(result, row).tone == LAUKA_TONE_FAIL)
            rank = RANK_EXCEEDED;
        else if (row && rank > RANK_LIMITED)
            rank = RANK_LIMITED;
    }
    return rank;
}

/* The next of them; begin with a place of 0. False at the end. */
static bool next_pictured(const struct lauka_result *result, size_t *place, size_t *metric)
{
    while (*place < RANKS * result->metric_count) {
        const enum rank rank = (enum rank)(*place / result->metric_count);
        *metric = *place % result->metric_count;
        ++*place;
        if (rank_of(result, *metric) == rank)
            return true;
    }
    return false;
}

static void put_metric(struct lauka_html *html, size_t metric, bool folded)
{
    const struct lauka_result *result = html->result;
    struct lauka_picture picture;
    if (!lauka_picture_of(html->prose, result, metric, &picture))
        return;
    const char *noun = lauka_metric_noun(result->metrics[metric].name);
    open_section(html, *noun ? noun : "value", folded);
    if (result->command_count > 2) {
        lauka_put(html->prose, "<div class=\"charts\">\n");
        lauka_chart_forest(result, metric, &html->svg);
        lauka_chart_order(&picture, &html->svg);
        lauka_put(html->prose, "</div>\n");
    }
    if (result->commands[0].streams && metric < result->metric_count)
        put_from_streams(html);
    bool all = result->command_count <= 2 || metric == lauka_result_main_metric(result) ||
               rank_of(result, metric) == RANK_EXCEEDED;
    for (size_t c = result->command_count > 1; c < result->command_count && all; c++)
        if (c <= PICTURED_COMMANDS)
            put_pair(html, &picture, c);
    if (all && result->command_count > PICTURED_COMMANDS + 1)
        put_aside(html, "Further commands are in the tables.");
    close_section(html, folded);
    lauka_picture_done(&picture);
}

static void put_pictures(struct lauka_html *html)
{
    size_t pictured = 0;
    for (size_t place = 0, m;
         next_pictured(html->result, &place, &m) && pictured < PICTURED_METRICS; pictured++)
        put_metric(html, m, html->folds && pictured > 0);
}

/* Intervals of every metric, followed by the notes and by where and how it was measured. */
static void put_glance(struct lauka_html *html)
{
    const struct lauka_result *result = html->result;
    bool forest = result->command_count == 2 && result->run.rounds > 0 && result->metric_count > 1;
    open_section(html, "At a glance", false);
    lauka_put(html->prose, "<div class=\"charts\">\n");
    if (forest)
        lauka_chart_forest(result, lauka_result_main_metric(result), &html->svg);
    for (size_t c = 1; c < result->command_count && lauka_result_has_hosts(result); c++)
        lauka_chart_hosts(result, c, lauka_result_main_metric(result), &html->svg);
    const struct lauka_notes notes = lauka_notes(html->prose, result);
    if (notes.count > 0) {
        put_notes(html, &notes);
        lauka_put(html->prose, forest ? "" : "</div>\n");
    }
    lauka_put(html->prose, forest && notes.count > 0 ? "" : "<div>\n");
    lauka_html_session(html);
    lauka_put(html->prose, "</div>\n</div>\n</section>\n");
}

/* ---- one benchmark --------------------------------------------------------------------------- */

static void put_numbers(const struct lauka_html *html)
{
    const struct lauka_result *result = html->result;
    const bool beside = result->command_count <= 2; /* tables of percentiles are narrow then */
    open_section(html, "Numbers", html->folds);
    lauka_html_summaries(html);
    lauka_put(html->prose, beside ? "<div class=\"charts\">\n" : "");
    for (size_t place = 0, m; next_pictured(result, &place, &m);)
        lauka_html_percentiles(html, m);
    lauka_put(html->prose, beside ? "</div>\n" : "");
    if (result->command_count > 1)
        put_aside(html, "An interval is about its percentile alone; a verdict holds for all "
                        "percentiles of the table together.");
    close_section(html, html->folds);
}

static void put_body(struct lauka_html *html)
{
    const struct lauka_result *result = html->result;
    if (lauka_result_has_gate(result))
        lauka_html_gate(html);
    lauka_html_why(html);
    put_glance(html);
    if (result->run.rounds == 0 || result->metric_count == 0)
        return;
    if (!html->unpictured)
        put_pictures(html);
    put_numbers(html);
}

static void put_one(struct lauka_html *html)
{
    lauka_html_begin(html->prose, title_of(html->prose, html->result));
    put_header(html);
    lauka_put(html->prose, "<main>\n");
    put_body(html);
}

/* ---- many benchmarks ------------------------------------------------------------------------- */

struct page {
    struct lauka_prose *prose;
    struct lauka_overview overview;
    const char **anchors;   /* by benchmark */
    bool folds;             /* so many benchmarks that only those which changed are open */
    struct lauka_html html; /* of the benchmark that is written */
};

/* The names, without characters that are special in an address or an attribute. */
static const char **make_anchors(struct lauka_prose *prose, const struct lauka_session *session)
{
    const char **names = lauka_prose_room(prose, session->benchmark_count, sizeof *names);
    for (size_t b = 0; names && b < session->benchmark_count; b++) {
        const char *name = session->benchmarks[b].benchmark.name;
        names[b] = name && *name ? name : "benchmark";
    }
    return lauka_say_unique(prose, names, session->benchmark_count, 200,
                            " \"'<>&#%?`\\|{}[]^\u00A0");
}

static const char *anchor_of(const struct page *page, size_t benchmark)
{
    return lauka_say_xml(page->prose, page->anchors[benchmark]);
}

static void put_overview(const struct page *page)
{
    struct lauka_prose *prose = page->prose;
    const double precision = lauka_result_precision(page->overview.session->benchmarks);
    const bool fails =
        lauka_overview_concern(&page->overview) >= LAUKA_CONCERN_WORSE && page->overview.gated > 0;
    const char *legend = lauka_say(
        prose, "Grey: up to %s, which does not matter here. An arrow: the interval goes on.%s%s",
        lauka_say_share(prose, precision), page->overview.gated > 0 ? " Dashed: the limit." : "",
        page->folds ? " Sections of what changed are open below; the others unfold." : "");
    lauka_put(prose, "<header>\n<h1>%s%s</h1>\n",
              fails ? lauka_say(prose, "%s ", say_fail(prose)) : "",
              lauka_html_prose(prose, lauka_overview_headline(prose, &page->overview)));
    put_facts(prose, page->overview.session);
    lauka_put(prose, "<p class=\"course\">%s</p>\n</header>\n", lauka_html_prose(prose, legend));
}

/* ---- a section each -------------------------------------------------------------------------- */

/* "parse large  ✗ FAIL peak_rss +94 %": enough for a section that is folded. */
static const char *heading_of(const struct page *page, const struct lauka_overview_row *row)
{
    struct lauka_prose *prose = page->prose;
    const struct lauka_overview_cells cells = lauka_overview_row_cells(prose, &page->overview, row);
    const char *change = lauka_join(prose, cells.metric, " ", cells.estimate);
    return lauka_say(
        prose, "<h2>%s <span class=\"found\">%s %s</span></h2>", lauka_say_xml(prose, cells.name),
        lauka_html_standing(prose, &page->overview, row), lauka_html_prose(prose, change));
}

/* A link to what is folded opens it, because the anchor is inside. */
static void open_article(const struct page *page, const struct lauka_overview_row *row)
{
    struct lauka_prose *prose = page->prose;
    const char *anchor = anchor_of(page, row->benchmark), *heading = heading_of(page, row);
    if (page->folds)
        lauka_put(prose, "<article>\n<details%s>\n<summary>%s</summary>\n<div id=\"%s\">\n",
                  row->standing < LAUKA_STANDING_INCONCLUSIVE ? " open" : "", heading, anchor);
    else
        lauka_put(prose, "<article id=\"%s\">\n%s\n", anchor, heading);
}

static void put_benchmark(struct page *page, size_t index)
{
    const struct lauka_overview_row *row = &page->overview.rows[index];
    page->html.result = lauka_overview_result(&page->overview, row);
    page->html.unpictured = index >= PICTURED_BENCHMARKS;
    open_article(page, row);
    put_header(&page->html);
    if (page->html.unpictured)
        put_aside(&page->html,
                  "Pictures are of the first benchmarks only: --benchmark draws this one.");
    put_body(&page->html);
    lauka_put(page->prose, page->folds ? "</div>\n</details>\n</article>\n" : "</article>\n");
}

static const char *quoted(struct lauka_prose *prose, const char *name)
{
    return lauka_say(prose, "“%s”", name);
}

static void put_many(struct page *page, const struct lauka_session *session)
{
    struct lauka_prose *prose = page->prose;
    page->overview = lauka_overview(prose, session);
    page->overview.name_of = quoted;
    page->anchors = make_anchors(prose, session);
    if (prose->error)
        return;
    page->folds = session->benchmark_count >= FOLDED_FROM;
    page->html.within = true;
    page->html.folds = page->folds;
    lauka_html_begin(prose, lauka_say(prose, "%zu benchmarks", page->overview.count));
    put_overview(page);
    lauka_put(prose, "<main>\n");
    lauka_html_contents(prose, &page->overview, page->anchors);
    for (size_t i = 0; i < page->overview.count; i++)
        put_benchmark(page, i);
}

/* How to repeat what was measured. */
static void put_footer(struct lauka_prose *prose, const struct lauka_session *session)
{
    const char *command = lauka_say_reproduction(prose, session->benchmarks);
    if (*command)
        lauka_put(prose,
                  "<footer>\n<p class=\"aside\">To reproduce: <code>%s</code></p>\n</footer>\n",
                  lauka_html_name(prose, command, REPRODUCTION_COLUMNS));
}

int lauka_write_html(const struct lauka_session *session, FILE *out)
{
    struct lauka_prose prose = lauka_prose_begin(out, LAUKA_PLAIN_UTF8);
    struct page page = {.prose = &prose};
    page.html = (struct lauka_html){.prose = &prose,
                                    .session = session,
                                    .result = session->benchmarks,
                                    .svg = {.prose = &prose}};
    if (session->benchmark_count == 1)
        put_one(&page.html);
    else
        put_many(&page, session);
    lauka_put(&prose, "</main>\n");
    put_footer(&prose, session);
    lauka_put(&prose, "</body>\n</html>\n");
    return lauka_prose_end(&prose);
}
