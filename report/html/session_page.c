/* The page of many benchmarks: an overview of all of them, the worst first, each with a link and its
 * interval on a common axis; then a section for each, in the same order. */
#include "report/html/html.h"
#include "report/html/svg.h"
#include "report/plot/plot.h"
#include "report/result/result.h"
#include "report/result/session.h"
#include "report/text/text.h"
#include "report/words/words.h"
#include "stats/stats.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_WIDTH = 60, PICTURED_MOST = 60 };

static const double mini_width = 220, mini_height = 16;

struct page {
    struct lauka_overview overview;
    char **anchors; /* owned; by benchmark */
    struct lauka_axis axis;
    struct lauka_html html; /* of the benchmark that is written */
    FILE *out;
};

/* ---- anchors --------------------------------------------------------------------------------------- */

/* The names, without characters that are special in an address or an attribute. */
static char **make_anchors(const struct lauka_session *session)
{
    char **names = calloc(session->benchmark_count + 1, sizeof *names), **anchors;
    static char none[] = "benchmark";
    for (size_t b = 0; names && b < session->benchmark_count; b++) {
        char *name = session->benchmarks[b].benchmark.name; /* borrowed */
        names[b] = name && *name ? name : none;
    }
    anchors = names ? lauka_unique_texts(names, session->benchmark_count, 200,
                                         " \"'<>&#%?`\\|{}[]^\u00A0", true)
                    : NULL;
    free(names);
    return anchors;
}

static void put_anchor(const struct page *page, size_t benchmark)
{
    lauka_html_text(page->anchors[benchmark], page->out);
}

/* ---- intervals on one axis --------------------------------------------------------------------------- */

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
    double *sizes = calloc(overview->count + 1, sizeof *sizes);
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
    free(sizes);
    return fmax(reach, fmin(clear, 3 * reach));
}

static void set_axis(struct page *page)
{
    double reach = reach_of(page);
    page->axis = lauka_axis_of_changes(-reach, reach, true, (struct lauka_scale){1, "", 0}, true);
    page->axis.begin = 4;
    page->axis.end = mini_width - 4;
}

static double limited(const struct page *page, double value)
{
    return fmin(fmax(lauka_axis_place(&page->axis, value), page->axis.begin), page->axis.end);
}

/* An arrow head if it continues beyond the axis. */
static void put_end(const struct page *page, struct lauka_svg *svg, double value, double y,
                    double inward)
{
    double x = limited(page, value);
    if (lauka_axis_holds(&page->axis, value)) {
        lauka_svg_move(svg, x, y - 4);
        lauka_svg_along(svg, y + 4);
    } else {
        lauka_svg_move(svg, x + inward, y - 4);
        lauka_svg_to(svg, x, y);
        lauka_svg_to(svg, x + inward, y + 4);
    }
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

static void put_mini(struct page *page, const struct lauka_overview_row *row, const char *title)
{
    const struct lauka_result *result = lauka_overview_result(&page->overview, row);
    struct lauka_svg svg = {.out = page->out};
    double place[3], y = mini_height / 2, precision = lauka_result_precision(result);
    if (!find_interval(result, row, place))
        return;
    fprintf(page->out,
            "<svg viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\" role=\"img\"><title>",
            mini_width, mini_height, mini_width, mini_height);
    lauka_html_prose(title, page->out);
    fputs("</title>", page->out);
    double low = limited(page, log1p(-fmin(precision, 0.99))),
           high = limited(page, log1p(precision));
    lauka_svg_rectangle(&svg, low, 0, high - low, mini_height, "w");
    lauka_svg_line(&svg, limited(page, 0), 0, limited(page, 0), mini_height, "z");
    put_limit(page, row, &svg);
    bool clear = row->standing < LAUKA_STANDING_INCONCLUSIVE;
    lauka_svg_path(&svg, clear ? "i" : "ix");
    lauka_svg_move(&svg, limited(page, place[0]), y);
    lauka_svg_across(&svg, limited(page, place[2]));
    if (place[0] <= page->axis.to) /* what lies beyond has one head */
        put_end(page, &svg, place[0], y, 5);
    if (place[2] >= page->axis.from)
        put_end(page, &svg, place[2], y, -5);
    lauka_svg_end(&svg);
    if (lauka_axis_holds(&page->axis, place[1])) {
        lauka_svg_path(&svg, clear ? "d" : "dx");
        lauka_svg_diamond(&svg, lauka_axis_place(&page->axis, place[1]), y);
        lauka_svg_end(&svg);
    }
    fputs("</svg>", page->out);
}

/* ---- contents --------------------------------------------------------------------------------------- */

static void put_scale(struct page *page)
{
    struct lauka_svg svg = {.out = page->out};
    struct lauka_ticks ticks;
    lauka_axis_ticks(&page->axis, 0, 5, &ticks);
    fprintf(page->out,
            "<svg viewBox=\"0 0 %.0f 14\" width=\"%.0f\" height=\"14\" font-size=\"11\" "
            "aria-hidden=\"true\">",
            mini_width, mini_width);
    for (size_t i = 0; i < ticks.count; i++)
        lauka_svg_text(&svg, ticks.place[i], 11,
                       ticks.place[i] < 20                ? 's'
                       : ticks.place[i] > mini_width - 20 ? 'e'
                                                          : 'm',
                       "t", ticks.text[i]);
    fputs("</svg>", page->out);
}

static void put_cell(struct page *page, const char *text, const char *attributes)
{
    fprintf(page->out, "<td%s>", attributes);
    lauka_html_prose(text, page->out);
    fputs("</td>", page->out);
}

static void put_row(struct page *page, const struct lauka_overview_row *row)
{
    struct lauka_overview_cells cells;
    char change[200];
    const struct lauka_result *result = lauka_overview_result(&page->overview, row);
    const char *end = lauka_result_ending(result) == LAUKA_ENDED_UNMEASURED
                          ? NULL /* the verdict says so */
                          : lauka_result_bad_end(result);
    lauka_overview_row_cells(&page->overview, row, true, &cells);
    snprintf(change, sizeof change, "%s%s%s", cells.estimate, *cells.interval ? " " : "",
             cells.interval);
    bool bold = row->standing <= LAUKA_STANDING_WORSE;
    fprintf(page->out, "<tr><td class=\"v%s\">", bold ? " w" : "");
    lauka_html_prose(cells.verdict, page->out);
    fputs("</td><th scope=\"row\" class=\"v\"><a href=\"#", page->out);
    put_anchor(page, row->benchmark);
    fputs("\">", page->out);
    lauka_html_text(cells.name, page->out);
    fputs("</a>", page->out);
    if (*cells.side || *cells.metric) {
        fputs(" <span class=\"aside\">", page->out);
        lauka_html_text(cells.side, page->out);
        fputs(*cells.side && *cells.metric ? ", " : "", page->out);
        lauka_html_text(cells.metric, page->out);
        fputs("</span>", page->out);
    }
    fputs("</th><td class=\"v\">", page->out);
    put_mini(page, row, change);
    fputs("</td>", page->out);
    put_cell(page, row->standing <= LAUKA_STANDING_MISSING && end ? end : change, " class=\"v\"");
    if (page->overview.gated > 0)
        put_cell(page, cells.limit, "");
    put_cell(page, cells.means, "");
    fputs("</tr>\n", page->out);
}

static void put_contents(struct page *page)
{
    fputs(
        "<nav class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"Benchmarks\">\n<table>\n"
        "<caption>Benchmarks, the worst first</caption>\n<thead><tr>"
        "<th scope=\"col\" class=\"v\">Verdict</th><th scope=\"col\" class=\"v\">Benchmark</th>"
        "<th scope=\"col\" class=\"v\">",
        page->out);
    put_scale(page);
    fprintf(page->out,
            "</th><th scope=\"col\" class=\"v\">Change</th>%s<th "
            "scope=\"col\">Mean</th></tr></thead>\n<tbody>\n",
            page->overview.gated > 0 ? "<th scope=\"col\">Limit</th>" : "");
    for (size_t i = 0; i < page->overview.count; i++)
        put_row(page, &page->overview.rows[i]);
    fputs("</tbody>\n</table>\n</nav>\n", page->out);
}

static void put_header(struct page *page)
{
    char text[1024], share[32];
    const struct lauka_result *first = page->overview.session->benchmarks;
    fputs("<header>\n<h1>", page->out);
    lauka_overview_headline(&page->overview, text, sizeof text);
    lauka_html_prose(text, page->out);
    fputs("</h1>\n<p class=\"course\">", page->out);
    snprintf(text, sizeof text,
             "Grey: up to %s, which does not matter here. An arrow: the interval goes on.%s",
             lauka_format_share(lauka_result_precision(first), share, sizeof share),
             page->overview.gated > 0 ? " A thin line: the limit." : "");
    lauka_html_prose(text, page->out);
    fputs("</p>\n</header>\n", page->out);
}

/* ---- a section each ----------------------------------------------------------------------------------- */

static int put_benchmark(struct page *page, size_t index)
{
    const struct lauka_overview_row *row = &page->overview.rows[index];
    struct lauka_overview_cells cells;
    lauka_overview_row_cells(&page->overview, row, true, &cells);
    page->html.result = lauka_overview_result(&page->overview, row);
    page->html.unpictured = index >= PICTURED_MOST;
    fputs("<article id=\"", page->out);
    put_anchor(page, row->benchmark);
    fputs("\">\n<h2>", page->out);
    lauka_html_name(page->html.result->benchmark.name ? page->html.result->benchmark.name : "",
                    NAME_WIDTH, page->out);
    if (*cells.found) {
        fputs(": ", page->out);
        lauka_html_prose(cells.found, page->out);
    }
    fputs("</h2>\n", page->out);
    int error = lauka_html_benchmark(&page->html);
    fputs("</article>\n", page->out);
    return error;
}

static int put_page(struct page *page)
{
    char title[64];
    int error = 0;
    snprintf(title, sizeof title, "%zu benchmarks", page->overview.count);
    page->html.within = true;
    lauka_html_head(&page->html, title);
    put_header(page);
    fputs("<main>\n", page->out);
    put_contents(page);
    for (size_t i = 0; i < page->overview.count && !error; i++)
        error = put_benchmark(page, i);
    fputs("</main>\n</body>\n</html>\n", page->out);
    return error;
}

int lauka_write_html(const struct lauka_session *session, FILE *out)
{
    struct page page = {.out = out, .html = {.out = out, .svg = {.out = out}}};
    if (session->benchmark_count == 1)
        return lauka_html_page(session->benchmarks, out);
    errno = 0;
    int error = lauka_overview_make(session, &page.overview);
    page.anchors = error ? NULL : make_anchors(session);
    if (!error && !page.anchors)
        error = ENOMEM;
    if (!error) {
        set_axis(&page);
        error = put_page(&page);
    }
    lauka_strings_free(page.anchors);
    lauka_overview_done(&page.overview);
    return error ? error : lauka_finish(out);
}
