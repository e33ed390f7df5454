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
#include "report/words/said.h"
#include "report/words/words.h"
#include "stats/histogram.h"
#include "stats/stats.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PICTURED_METRICS = 4, PICTURED_COMMANDS = 12, PICTURED_BENCHMARKS = 60 };

/* ---- answers and notes ----------------------------------------------------------------------- */

static void put_said(const struct lauka_html *html, const char *element,
                     const struct lauka_said *said)
{
    lauka_put(html->prose, "<%s>%s</%s>\n", element,
              said->kind == LAUKA_SAID_NOTE ? lauka_html_name(html->prose, said->text, 2000)
                                            : lauka_html_sentence(html, said->command, said->text),
              element);
}

/* The first answer is the headline, but within a page of many benchmarks, where that is the benchmark's name. Of
 * several commands their number is the headline, and the best comes next. */
static void put_answers(const struct lauka_html *html)
{
    const struct lauka_result *result = html->result;
    const bool several = result->command_count > 2 && !lauka_result_has_noise(result);
    const char *element = html->within ? "p" : "h1";
    if (several) {
        lauka_put(html->prose, "<%s>%zu commands against %s</%s>\n", element,
                  result->command_count - 1, lauka_html_command(html, 0), element);
        element = "p";
    }
    for (int best = several; best >= 0; best--)
        for (struct lauka_said said = {0}; lauka_said_next_answer(html->prose, result, &said);) {
            if ((said.kind == LAUKA_SAID_BEST) != best)
                continue;
            put_said(html, element, &said);
            element = "p";
        }
}

static bool has_notes(const struct lauka_html *html)
{
    struct lauka_said said = {0};
    return lauka_said_next_remark(html->prose, html->result, &said);
}

/* What speaks against the answer comes before everything that supports it. */
static void put_notes(const struct lauka_html *html)
{
    lauka_put(html->prose, "<ul class=\"notes\">\n");
    for (struct lauka_said said = {0}; lauka_said_next_remark(html->prose, html->result, &said);)
        put_said(html, "li", &said);
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

/* Everything up to <body>. */
static void put_head(struct lauka_prose *prose, const char *title, bool many)
{
    lauka_put(prose,
              "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
              "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
              "style-src 'sha256-%s'%s%s%s; base-uri 'none'; form-action 'none'\">\n"
              "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
              "<meta name=\"referrer\" content=\"no-referrer\">\n"
              "<meta name=\"color-scheme\" content=\"light dark\">\n"
              "<meta name=\"generator\" content=\"lauka " LAUKA_VERSION "\">\n"
              "<title>lauka: %s</title>\n<style>%s</style>\n",
              lauka_html_style_hash, many ? " 'sha256-" : "",
              many ? lauka_html_many_style_hash : "", many ? "'" : "", title, lauka_html_style);
    if (many)
        lauka_put(prose, "<style>%s</style>\n", lauka_html_many_style);
    lauka_put(prose, "</head>\n<body>\n");
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
        lauka_put(prose, "<li>%s <span>%s%" PRIu64 " %s%s", key_name(html, c),
                  c == 0 && result->command_count > 1 ? "reference, " : "", rounds, what,
                  lauka_plural(rounds));
        if (failures > 0)
            lauka_put(prose, ", %" PRIu64 " failed", failures);
        lauka_put(prose, "</span></li>\n");
    }
    lauka_put(prose, "</ul>\n");
}

/* Which run ended the session, and what it wrote to stderr last. */
static void put_failure(const struct lauka_html *html)
{
    struct lauka_prose *prose = html->prose;
    const struct lauka_result_failure *failure = &html->result->failure;
    const char *tail = failure->stderr_tail ? failure->stderr_tail : "";
    if (!failure->known)
        return;
    lauka_put(prose, "<p>%s %s", lauka_html_command(html, failure->command),
              lauka_html_prose(prose, failure->reason ? failure->reason : "failed"));
    if (!failure->outside_rounds)
        lauka_put(prose, " in %sround %" PRIu64, failure->warmup ? "warm-up " : "",
                  failure->round + 1);
    lauka_put(prose, "</p>\n");
    if (*tail)
        lauka_put(prose, "<pre>%s</pre>\n", lauka_say_xml_lines(prose, tail));
}

static void put_ending(struct lauka_prose *prose, const struct lauka_result *result)
{
    const char *text = lauka_say_ending(prose, result);
    if (!*text)
        return;
    text = lauka_say(prose, "%c%s", toupper((unsigned char)*text), text + 1);
    lauka_put(prose, "<p>%s</p>\n", lauka_html_prose(prose, text));
}

static void put_header(const struct lauka_html *html)
{
    struct lauka_prose *prose = html->prose;
    lauka_put(prose, "<header>\n");
    put_answers(html);
    put_failure(html);
    put_ending(prose, html->result);
    lauka_put(prose, "<p class=\"course\">%s</p>\n",
              lauka_html_prose(prose, lauka_result_course(prose, html->result)));
    put_key(html);
    lauka_put(prose, "</header>\n");
}

/* ---- pictures -------------------------------------------------------------------------------- */

static void open_section(const struct lauka_html *html, const char *text)
{
    const char *element = html->within ? "h3" : "h2";
    lauka_put(html->prose, "<section>\n<%s>%s</%s>\n", element, lauka_say_xml(html->prose, text),
              element);
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

static void put_metric(struct lauka_html *html, size_t metric)
{
    const struct lauka_result *result = html->result;
    struct lauka_picture picture;
    if (!lauka_picture_of(html->prose, result, metric, &picture))
        return;
    const char *noun = lauka_metric_noun(result->metrics[metric].name);
    open_section(html, *noun ? noun : "value");
    if (result->command_count > 2) {
        lauka_put(html->prose, "<div class=\"charts\">\n");
        lauka_chart_forest(result, metric, &html->svg);
        lauka_chart_order(&picture, &html->svg);
        lauka_put(html->prose, "</div>\n");
    }
    if (result->commands[0].streams && metric < result->metric_count)
        put_from_streams(html);
    bool all = result->command_count <= 2 || metric == lauka_result_main_metric(result);
    for (size_t c = result->command_count > 1; c < result->command_count && all; c++)
        if (c <= PICTURED_COMMANDS)
            put_pair(html, &picture, c);
    if (all && result->command_count > PICTURED_COMMANDS + 1)
        put_aside(html, "Further commands are in the tables.");
    lauka_put(html->prose, "</section>\n");
    lauka_picture_done(&picture);
}

/* For the primary metrics, or the one that the answer is about. */
static void put_pictures(struct lauka_html *html)
{
    const struct lauka_result *result = html->result;
    const size_t main = lauka_result_main_metric(result);
    size_t pictured = 0;
    for (size_t m = 0; m < result->metric_count; m++)
        if ((m == main || result->metrics[m].primary) && pictured++ < PICTURED_METRICS)
            put_metric(html, m);
}

/* Intervals of every metric, followed by the notes and by where and how it was measured. */
static void put_glance(struct lauka_html *html)
{
    const struct lauka_result *result = html->result;
    bool forest = result->command_count == 2 && result->run.rounds > 0 && result->metric_count > 1;
    open_section(html, "At a glance");
    lauka_put(html->prose, "<div class=\"charts\">\n");
    if (forest)
        lauka_chart_forest(result, lauka_result_main_metric(result), &html->svg);
    for (size_t c = 1; c < result->command_count && lauka_result_has_hosts(result); c++)
        lauka_chart_hosts(result, c, lauka_result_main_metric(result), &html->svg);
    if (has_notes(html)) {
        lauka_put(html->prose, "<div>\n<h4>Notes</h4>\n");
        put_notes(html);
        lauka_put(html->prose, forest ? "" : "</div>\n");
    }
    lauka_put(html->prose, forest && has_notes(html) ? "" : "<div>\n");
    lauka_html_session(html);
    lauka_put(html->prose, "</div>\n</div>\n</section>\n");
}

/* ---- one benchmark --------------------------------------------------------------------------- */

static void put_numbers(const struct lauka_html *html)
{
    const struct lauka_result *result = html->result;
    const size_t main = lauka_result_main_metric(result);
    open_section(html, "Numbers");
    lauka_html_summaries(html);
    for (size_t m = 0; m < result->metric_count; m++)
        if (m == main || result->metrics[m].primary)
            lauka_html_percentiles(html, m);
    lauka_put(html->prose, "</section>\n");
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
    put_head(html->prose, title_of(html->prose, html->result), false);
    put_header(html);
    lauka_put(html->prose, "<main>\n");
    put_body(html);
}

/* ---- many benchmarks ------------------------------------------------------------------------- */

static const double mini_width = 220, mini_height = 16;

struct page {
    struct lauka_prose *prose;
    struct lauka_overview overview;
    const char **anchors; /* by benchmark */
    struct lauka_axis axis;
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

/* ---- intervals on one axis ------------------------------------------------------------------- */

/* As logarithms of ratios; false if there is none. */
static bool find_interval(const struct lauka_result *result, const struct lauka_overview_row *row,
                          double place[3])
{
    const struct lauka_comparison *values =
        lauka_result_comparison(result, row->command, row->metric);
    if (row->gate) {
        const struct lauka_judgement *j = &row->gate->judgement;
        place[0] = log1p(fmax(-1 + 1e-9, j->change_low.value));
        place[1] = log1p(fmax(-1 + 1e-9, j->change.value));
        place[2] = log1p(fmax(-1 + 1e-9, j->change_high.value));
        return j->change.known && j->change_low.known;
    }
    if (!values || !values->log_ratio.known || !values->log_low.known)
        return false;
    place[0] = values->log_low.value;
    place[1] = values->log_ratio.value;
    place[2] = values->log_high.value;
    return true;
}

static int compare_sizes(const void *left, const void *right)
{
    const double *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

/* Wide enough for nine of ten benchmarks; clear changes may take three times as much. An outlier must not
 * squeeze the others together. */
static double reach_of(const struct page *page)
{
    double clear = 0;
    const struct lauka_overview *overview = &page->overview;
    double least = log1p(3 * lauka_result_precision(overview->session->benchmarks)), reach = least;
    double *sizes = lauka_prose_room(page->prose, overview->count, sizeof *sizes);
    size_t count = 0;
    for (size_t i = 0; sizes && i < overview->count; i++) {
        double place[3];
        const struct lauka_overview_row *row = &overview->rows[i];
        if (!find_interval(lauka_overview_result(overview, row), row, place))
            continue;
        sizes[count++] = fmax(fabs(place[0]), fabs(place[2]));
        if (row->standing < LAUKA_STANDING_INCONCLUSIVE)
            clear = fmax(clear, sizes[count - 1]);
    }
    if (count > 0) {
        qsort(sizes, count, sizeof *sizes, compare_sizes);
        reach = fmax(least, sizes[(count - 1) * 9 / 10]);
    }
    return fmax(reach, fmin(clear, 3 * reach));
}

static void set_axis(struct page *page)
{
    double reach = reach_of(page);
    page->axis = lauka_axis_of_changes(-reach, reach, true, (struct lauka_scale){1, "", 0}, true);
    page->axis.begin = 4;
    page->axis.end = mini_width - 4;
}

static void put_limit(const struct page *page, const struct lauka_overview_row *row,
                      struct lauka_svg *svg)
{
    const struct lauka_result *result = lauka_overview_result(&page->overview, row);
    if (!row->gate || !result->gate.rules[row->gate->rule].share.known)
        return;
    bool falls = strcmp(result->metrics[row->metric].better, "higher") == 0;
    double share = result->gate.rules[row->gate->rule].share.value;
    double limit = log1p(falls ? -fmin(share, 0.99) : share);
    if (lauka_axis_holds(&page->axis, limit)) {
        double x = lauka_axis_place(&page->axis, limit);
        lauka_svg_line(svg, x, 0, x, mini_height, "x");
    }
}

static const char *mini(struct page *page, const struct lauka_overview_row *row, const char *title)
{
    struct lauka_prose *prose = page->prose;
    const struct lauka_result *result = lauka_overview_result(&page->overview, row);
    const struct lauka_axis *axis = &page->axis;
    struct lauka_svg svg = {.prose = prose};
    double place[3], y = mini_height / 2, precision = lauka_result_precision(result);
    if (!find_interval(result, row, place))
        return "";
    lauka_prose_capture(prose);
    lauka_put(prose,
              "<svg viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\" role=\"img\"><title>"
              "%s</title>",
              mini_width, mini_height, mini_width, mini_height, lauka_html_prose(prose, title));
    double low = lauka_axis_limited(axis, log1p(-fmin(precision, 0.99)));
    double high = lauka_axis_limited(axis, log1p(precision)), zero = lauka_axis_limited(axis, 0);
    lauka_svg_rectangle(&svg, low, 0, high - low, mini_height, "w");
    lauka_svg_line(&svg, zero, 0, zero, mini_height, "z");
    put_limit(page, row, &svg);
    bool clear = row->standing < LAUKA_STANDING_INCONCLUSIVE;
    lauka_svg_path(&svg, clear ? "i" : "ix");
    lauka_svg_move(&svg, lauka_axis_limited(axis, place[0]), y);
    lauka_svg_across(&svg, lauka_axis_limited(axis, place[2]));
    if (place[0] <= axis->to) /* what lies beyond has one head */
        lauka_svg_whisker(&svg, axis, place[0], y, 5);
    if (place[2] >= axis->from)
        lauka_svg_whisker(&svg, axis, place[2], y, -5);
    lauka_svg_end(&svg);
    if (lauka_axis_holds(axis, place[1])) {
        lauka_svg_path(&svg, clear ? "d" : "dx");
        lauka_svg_diamond(&svg, lauka_axis_place(axis, place[1]), y);
        lauka_svg_end(&svg);
    }
    lauka_put(prose, "</svg>");
    return lauka_prose_captured(prose);
}

/* ---- contents -------------------------------------------------------------------------------- */

static void put_scale(const struct page *page)
{
    struct lauka_svg svg = {.prose = page->prose};
    struct lauka_ticks ticks;
    lauka_axis_ticks(&page->axis, 0, 5, &ticks);
    lauka_put(page->prose,
              "<svg viewBox=\"0 0 %.0f 14\" width=\"%.0f\" height=\"14\" font-size=\"11\" "
              "aria-hidden=\"true\">",
              mini_width, mini_width);
    for (size_t i = 0; i < ticks.count; i++)
        lauka_svg_text(&svg, ticks.place[i], 11,
                       ticks.place[i] < 20                ? 's'
                       : ticks.place[i] > mini_width - 20 ? 'e'
                                                          : 'm',
                       "t", ticks.text[i]);
    lauka_put(page->prose, "</svg>");
}

static void put_contents_row(struct page *page, const struct lauka_overview_row *row)
{
    struct lauka_prose *prose = page->prose;
    const struct lauka_result *result = lauka_overview_result(&page->overview, row);
    const struct lauka_overview_cells cells = lauka_overview_row_cells(prose, &page->overview, row);
    const char *change = lauka_join(prose, cells.estimate, " ", cells.interval), *end = NULL;
    if (row->standing <= LAUKA_STANDING_MISSING &&
        lauka_result_ending(result) != LAUKA_ENDED_UNMEASURED) /* then the verdict says so */
        end = lauka_result_bad_end(result);
    const char *aside = lauka_join(prose, cells.side, ", ", cells.metric);
    if (*aside)
        aside = lauka_say(prose, " <span class=\"aside\">%s</span>", lauka_say_xml(prose, aside));
    lauka_put(prose,
              "<tr><td class=\"v%s\">%s</td><th scope=\"row\" class=\"v\"><a "
              "href=\"#%s\">%s</a>%s</th><td class=\"v\">%s</td><td class=\"v\">%s</td>",
              row->standing <= LAUKA_STANDING_WORSE ? " w" : "",
              lauka_html_prose(prose, cells.verdict), anchor_of(page, row->benchmark),
              lauka_say_xml(prose, cells.name), aside, mini(page, row, change),
              lauka_html_prose(prose, end ? end : change));
    if (page->overview.gated > 0)
        lauka_put(prose, "<td>%s</td>", lauka_html_prose(prose, cells.limit));
    lauka_put(prose, "<td>%s</td></tr>\n", lauka_html_prose(prose, cells.means));
}

static void put_contents(struct page *page)
{
    lauka_put(page->prose, "<nav class=\"scroll\" role=\"region\" tabindex=\"0\" "
                           "aria-label=\"Benchmarks\">\n<table>\n"
                           "<caption>Benchmarks, the worst first</caption>\n<thead><tr>"
                           "<th scope=\"col\" class=\"v\">Verdict</th><th scope=\"col\" "
                           "class=\"v\">Benchmark</th><th scope=\"col\" class=\"v\">");
    put_scale(page);
    lauka_put(page->prose,
              "</th><th scope=\"col\" class=\"v\">Change</th>%s<th "
              "scope=\"col\">Mean</th></tr></thead>\n<tbody>\n",
              page->overview.gated > 0 ? "<th scope=\"col\">Limit</th>" : "");
    for (size_t i = 0; i < page->overview.count; i++)
        put_contents_row(page, &page->overview.rows[i]);
    lauka_put(page->prose, "</tbody>\n</table>\n</nav>\n");
}

static void put_overview(const struct page *page)
{
    struct lauka_prose *prose = page->prose;
    const double precision = lauka_result_precision(page->overview.session->benchmarks);
    const char *legend = lauka_say(
        prose, "Grey: up to %s, which does not matter here. An arrow: the interval goes on.%s",
        lauka_say_share(prose, precision),
        page->overview.gated > 0 ? " A thin line: the limit." : "");
    lauka_put(prose, "<header>\n<h1>%s</h1>\n<p class=\"course\">%s</p>\n</header>\n",
              lauka_html_prose(prose, lauka_overview_headline(prose, &page->overview)),
              lauka_html_prose(prose, legend));
}

/* ---- a section each -------------------------------------------------------------------------- */

static void put_benchmark(struct page *page, size_t index)
{
    struct lauka_prose *prose = page->prose;
    const struct lauka_overview_row *row = &page->overview.rows[index];
    const struct lauka_overview_cells cells = lauka_overview_row_cells(prose, &page->overview, row);
    page->html.result = lauka_overview_result(&page->overview, row);
    page->html.unpictured = index >= PICTURED_BENCHMARKS;
    const char *name = page->html.result->benchmark.name;
    lauka_put(prose, "<article id=\"%s\">\n<h2>%s%s%s</h2>\n", anchor_of(page, row->benchmark),
              lauka_html_name(prose, name ? name : "", LAUKA_HTML_NAME_WIDTH),
              *cells.found ? ": " : "", lauka_html_prose(prose, cells.found));
    put_header(&page->html);
    if (page->html.unpictured)
        put_aside(&page->html,
                  "Pictures are of the first benchmarks only: --benchmark draws this one.");
    put_body(&page->html);
    lauka_put(prose, "</article>\n");
}

static void put_many(struct page *page, const struct lauka_session *session)
{
    struct lauka_prose *prose = page->prose;
    page->overview = lauka_overview(prose, session);
    page->anchors = make_anchors(prose, session);
    if (prose->error)
        return;
    set_axis(page);
    page->html.within = true;
    put_head(prose, lauka_say(prose, "%zu benchmarks", page->overview.count), true);
    put_overview(page);
    lauka_put(prose, "<main>\n");
    put_contents(page);
    for (size_t i = 0; i < page->overview.count; i++)
        put_benchmark(page, i);
}

int lauka_write_html(const struct lauka_session *session, FILE *out)
{
    struct lauka_prose prose = lauka_prose_begin(out, LAUKA_PLAIN_UTF8);
    struct page page = {.prose = &prose};
    page.html = (struct lauka_html){
        .prose = &prose, .result = session->benchmarks, .svg = {.prose = &prose}};
    if (session->benchmark_count == 1)
        put_one(&page.html);
    else
        put_many(&page, session);
    lauka_put(&prose, "</main>\n</body>\n</html>\n");
    return lauka_prose_end(&prose);
}
