/* The history as a page: the steps, then a chart for each series. One file that loads nothing. */
#include "report/history/history.h"
#include "report/html/html.h"
#include "report/html/svg.h"
#include "report/plot/plot.h"
#include "report/text/prose.h"
#include "report/words/words.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 560, HEIGHT = 200 };

static const struct lauka_frame outer = {50, 22, 548, 164};

struct page {
    struct lauka_prose *prose;
    const struct lauka_history *history;
    const char *commit_url; /* NULL: none */
    struct lauka_svg svg;
};

/* ---- commits ----------------------------------------------------------------------------------- */

/* The commit as HTML, with a link if there is an address for it. */
static const char *link_commit(const struct page *page, const struct lauka_history_session *session)
{
    struct lauka_prose *prose = page->prose;
    const char *text = lauka_say_xml(prose, lauka_history_commit(prose, session));
    const char *url = page->commit_url, *place = url ? strstr(url, "{commit}") : NULL;

    if (!url || !lauka_text_is_address(url) || !session->commit)
        return text;
    const char *address = place ? lauka_say(prose, "%.*s%s%s", (int)(place - url), url,
                                            session->commit, place + strlen("{commit}"))
                                : lauka_say(prose, "%s%s", url, session->commit);
    return lauka_say(prose, "<a href=\"%s\">%s</a>", lauka_say_xml(prose, address), text);
}

/* ---- the steps --------------------------------------------------------------------------------- */

static struct lauka_mark mark_of(const struct lauka_history_step *step)
{
    const bool known = step->certainty <= LAUKA_STEP_CONFIRMED;

    return (struct lauka_mark){!known            ? LAUKA_TONE_UNCLEAR
                               : step->is_worse  ? LAUKA_TONE_WORSE
                               : step->is_better ? LAUKA_TONE_BETTER
                                                 : LAUKA_TONE_CHANGED,
                               step->after > step->before};
}

static void put_step(const struct page *page, const struct lauka_history_step *step)
{
    struct lauka_prose *prose = page->prose;

    lauka_put(prose,
              "<tr><th scope=\"row\"><a href=\"#s%zu\">%s</a></th><td class=\"v e\">%s</td>"
              "<td class=\"v c\">%s</td><td class=\"v\">%s</td><td class=\"v e\">%s</td>"
              "<td class=\"v e\">%s</td></tr>\n",
              (size_t)(step->series - page->history->series),
              lauka_html_name(prose, step->series->name, LAUKA_HTML_NAME_WIDTH),
              lauka_say_xml(prose, lauka_say_safely(prose, step->series->metric)),
              lauka_html_prose(prose, lauka_change_text(prose, lauka_history_change(prose, step))),
              lauka_html_marked(prose, mark_of(step), lauka_history_certainty(prose, step)),
              link_commit(page, lauka_history_after(page->history, step)),
              lauka_html_prose(prose, lauka_history_levels(prose, step)));
}

static void put_steps(const struct page *page)
{
    if (lauka_history_count(page->history, LAUKA_STEP_REFUTED) == page->history->step_count)
        return;
    lauka_put(page->prose,
              "<section>\n<h2>Steps</h2>\n<div class=\"scroll\" role=\"region\" tabindex=\"0\" "
              "aria-label=\"Steps\">\n<table class=\"rows\">\n<thead><tr><th>Benchmark</th>"
              "<th class=\"v\">Metric</th><th class=\"v\">Change</th><th class=\"v\">Certainty</th>"
              "<th class=\"v\">Since</th><th class=\"v\">Levels</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < page->history->step_count; i++)
        if (lauka_history_is_shown(&page->history->steps[i]))
            put_step(page, &page->history->steps[i]);
    lauka_put(page->prose, "</tbody>\n</table>\n</div>\n</section>\n");
}

/* ---- a chart ----------------------------------------------------------------------------------- */

struct chart {
    const struct page *page;
    const struct lauka_history_series *series;
    size_t first; /* of the points that are drawn */
    struct lauka_axis across, up;
    struct lauka_frame frame;
    bool taken[WIDTH]; /* where there are labels of steps */
};

static double low_of(const struct lauka_history_point *point)
{
    return point->value - (double)point->half;
}

static void set_axes(struct chart *chart)
{
    const struct lauka_history_series *series = chart->series;
    double low = series->points[chart->first].value, high = low;

    for (size_t i = chart->first; i < series->count; i++) {
        low = fmin(low, low_of(&series->points[i]));
        high = fmax(high, series->points[i].value + (double)series->points[i].half);
    }
    const double room = fmax((high - low) / 12, fabs(high) / 500 + 1e-12);
    const bool ratio = series->kind == LAUKA_HISTORY_RATIO;
    chart->up = (struct lauka_axis){.kind = ratio ? LAUKA_AXIS_SHARE : LAUKA_AXIS_LINEAR,
                                    .from = low - room,
                                    .to = high + room,
                                    .scale = lauka_scale_for(high, series->unit, true),
                                    .unit = series->unit,
                                    .utf8 = true};
    chart->frame = outer;
    chart->frame.left = lauka_svg_left(&chart->up, &outer, outer.left);
    chart->up.begin = chart->frame.bottom;
    chart->up.end = chart->frame.top;
    chart->across = (struct lauka_axis){.kind = LAUKA_AXIS_COUNT,
                                        .from = (double)chart->first + 0.5,
                                        .to = (double)series->count + 0.5,
                                        .begin = chart->frame.left + 4,
                                        .end = chart->frame.right,
                                        .utf8 = true};
}

static double x_of(const struct chart *chart, size_t point)
{
    return lauka_axis_place(&chart->across, (double)point + 1);
}

static double y_of(const struct chart *chart, double value)
{
    return lauka_axis_limited(&chart->up, value);
}

static void draw_points(const struct chart *chart, struct lauka_svg *svg)
{
    const struct lauka_history_series *series = chart->series;

    lauka_svg_path(svg, "va");
    for (size_t i = chart->first; i < series->count; i++)
        if (series->points[i].half > 0) {
            lauka_svg_move(svg, x_of(chart, i), y_of(chart, low_of(&series->points[i])));
            lauka_svg_along(svg,
                            y_of(chart, series->points[i].value + (double)series->points[i].half));
        }
    lauka_svg_end(svg);
    lauka_svg_path(svg, "pa");
    for (size_t i = chart->first; i < series->count; i++)
        lauka_svg_dot(svg, x_of(chart, i), y_of(chart, series->points[i].value));
    lauka_svg_end(svg);
    for (size_t i = chart->first; i < series->count; i++) {
        const struct lauka_history_session *session =
            &chart->page->history->sessions[series->points[i].session];
        lauka_svg_hover(svg, x_of(chart, i) - 3, chart->frame.top, 6,
                        chart->frame.bottom - chart->frame.top,
                        lauka_history_commit(svg->prose, session));
    }
}

/* Whether there is room for a text above the frame; then it is taken. */
static bool take_room(struct chart *chart, double from, double to)
{
    const size_t begin = (size_t)fmax(from, 0), end = (size_t)fmin(to, WIDTH);

    if (memchr(chart->taken + begin, true, end - begin))
        return false;
    memset(chart->taken + begin, true, end - begin);
    return true;
}

/* A line at the step: through, where it is certain or confirmed; dashed, where it is suspected. */
static void draw_step(struct chart *chart, const struct lauka_history_step *step,
                      struct lauka_svg *svg)
{
    const bool known = step->certainty <= LAUKA_STEP_CONFIRMED;
    const double x = (x_of(chart, step->at) + x_of(chart, step->at - 1)) / 2;
    const char *text = step->ratio.known ? lauka_history_change(svg->prose, step).estimate : "step";
    const double width = 7.0 * lauka_display_width(text);
    const double begin = fmin(x, chart->frame.right - width);

    lauka_svg_path(svg, !known ? "lm" : step->is_better ? "il" : step->is_worse ? "ir" : "in");
    lauka_svg_move(svg, x, chart->frame.top);
    lauka_svg_along(svg, chart->frame.bottom);
    lauka_svg_end(svg);
    if (take_room(chart, begin, begin + width))
        lauka_svg_text(svg, begin, chart->frame.top - 5, 's',
                       step->is_better  ? "nl"
                       : step->is_worse ? "nr"
                                        : "n",
                       text);
}

/* The worst first, so they have their labels. */
static void draw_steps(struct chart *chart, struct lauka_svg *svg)
{
    const struct lauka_history *history = chart->page->history;

    for (size_t i = 0; i < history->step_count; i++)
        if (history->steps[i].series == chart->series && history->steps[i].at > chart->first &&
            lauka_history_is_shown(&history->steps[i]))
            draw_step(chart, &history->steps[i], svg);
}

static const char *say_finding(const struct page *page, const struct lauka_history_series *series)
{
    struct lauka_prose *prose = page->prose;
    const char *text = "";

    for (size_t i = 0; i < page->history->step_count; i++) {
        const struct lauka_history_step *step = &page->history->steps[i];
        if (step->series == series && lauka_history_is_shown(step))
            text = lauka_join(
                prose, text, "; ",
                lauka_say(prose, "%s since %s: %s",
                          lauka_change_text(prose, lauka_history_change(prose, step)),
                          lauka_history_commit(prose, lauka_history_after(page->history, step)),
                          lauka_history_certainty(prose, step)));
    }
    return *text ? text : "No step.";
}

/* "ratio to commit 4f2a1c9": what an anchor is stands before its colon. */
static const char *say_kind(struct lauka_prose *prose, const struct lauka_history_series *series)
{
    const char *machine = lauka_say_safely(prose, series->machine),
               *anchor = lauka_say_safely(prose, series->anchor), *hash = strchr(anchor, ':');

    switch (series->kind) {
    case LAUKA_HISTORY_EXACT:
        return *machine ? lauka_say(prose, "exact counts, %s", machine) : "exact counts";
    case LAUKA_HISTORY_RATIO:
        return hash && strncmp(anchor, "kept", 4) == 0
                   ? lauka_say(prose, "ratio to the kept program %.7s", hash + 1)
               : hash ? lauka_say(prose, "ratio to commit %.7s", hash + 1)
                      : "ratio to the anchor";
    default:
        return *machine ? machine : "one machine";
    }
}

static void put_chart(struct page *page, const struct lauka_history_series *series)
{
    struct lauka_prose *prose = page->prose;
    struct chart chart = {.page = page, .series = series};

    chart.first = series->count > LAUKA_LEVELS_WINDOW ? series->count - LAUKA_LEVELS_WINDOW : 0;
    set_axes(&chart);
    const char *unit = lauka_axis_unit(prose, &chart.up);
    lauka_put(prose, "<div id=\"s%zu\">\n", (size_t)(series - page->history->series));
    lauka_svg_open(&page->svg, WIDTH, HEIGHT,
                   lauka_say(prose, "%s%s%s: %s", lauka_say_safely(prose, series->metric),
                             *unit ? ", " : "", unit, say_kind(prose, series)),
                   say_finding(page, series), "");
    lauka_svg_axis_beside(&page->svg, &chart.up, &chart.frame);
    lauka_svg_axis_below(&page->svg, &chart.across, &chart.frame,
                         "session, in the order of commits");
    draw_points(&chart, &page->svg);
    draw_steps(&chart, &page->svg);
    lauka_svg_close(&page->svg);
    lauka_put(prose, "</div>\n");
}

/* ---- the page ---------------------------------------------------------------------------------- */

/* All series of the benchmark whose first this is. */
static void put_benchmark(struct page *page, size_t first)
{
    const struct lauka_history *history = page->history;
    bool begun = false;

    for (size_t i = first; i < history->series_count; i++) {
        const struct lauka_history_series *series = &history->series[i];
        if (series->first != first || !series->is_searched || series->count < 2)
            continue;
        if (!begun)
            lauka_put(page->prose, "<article>\n<h2>“%s”</h2>\n<div class=\"charts\">\n",
                      lauka_html_name(page->prose, series->benchmark, LAUKA_HTML_NAME_WIDTH));
        begun = true;
        put_chart(page, series);
    }
    if (begun)
        lauka_put(page->prose, "</div>\n</article>\n");
}

static const char *say_heading(struct lauka_prose *prose, const struct lauka_history *history)
{
    const size_t certain = lauka_history_count(history, LAUKA_STEP_CERTAIN) +
                           lauka_history_count(history, LAUKA_STEP_CONFIRMED),
                 suspected = lauka_history_count(history, LAUKA_STEP_SUSPECTED);

    return certain + suspected == 0 ? "No step"
                                    : lauka_say(prose, "%zu certain step%s, %zu suspected", certain,
                                                lauka_plural(certain), suspected);
}

int lauka_history_write_html(const struct lauka_history *history, const char *commit_url, FILE *out)
{
    struct lauka_prose prose = lauka_prose_begin(out, LAUKA_PLAIN_UTF8);
    struct page page = {
        .prose = &prose, .history = history, .commit_url = commit_url, .svg = {.prose = &prose}};

    lauka_html_begin(&prose, "history");
    lauka_put(&prose, "<header>\n<h1>%s</h1>\n<p>%s</p>\n</header>\n<main>\n",
              say_heading(&prose, history),
              lauka_html_prose(&prose, lauka_history_sum(&prose, history)));
    put_steps(&page);
    for (size_t i = 0; i < history->series_count; i++)
        if (history->series[i].first == i)
            put_benchmark(&page, i);
    lauka_put(&prose, "</main>\n</body>\n</html>\n");
    return lauka_prose_end(&prose);
}
