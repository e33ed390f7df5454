/* The overview of a page with many benchmarks: a row for each, the worst first, with a link and its interval on a common
 * axis. Every exceeded limit has a row. */
#include "report/html/html.h"
#include "report/html/svg.h"
#include "report/plot/plot.h"
#include "report/result/result.h"
#include "report/result/session.h"
#include "report/text/prose.h"
#include "report/words/words.h"
#include "stats/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double mini_width = 220, mini_height = 16;

struct contents {
    struct lauka_prose *prose;
    const struct lauka_overview *overview;
    const char *const *anchors; /* by benchmark */
    struct lauka_axis axis;
};

/* ---- verdicts ---------------------------------------------------------------------------------- */

/* By the figures in the row, where they are the gate's. */
static struct lauka_mark mark_of(const struct lauka_overview *overview,
                                 const struct lauka_overview_row *row)
{
    const struct lauka_result *result = lauka_overview_result(overview, row);
    if (row->standing <= LAUKA_STANDING_MISSING)
        return (struct lauka_mark){LAUKA_TONE_FAIL, false};
    if (row->standing == LAUKA_STANDING_ALONE || row->metric >= result->metric_count)
        return (struct lauka_mark){LAUKA_TONE_PLAIN, false};
    if (!row->gate)
        return row->command > 0 ? lauka_mark_of(result, row->command, row->metric)
                                : (struct lauka_mark){LAUKA_TONE_UNCLEAR, false};
    const struct lauka_judgement *judgement = &row->gate->judgement;
    const double change =
        judgement->change.known ? judgement->change.value : judgement->difference.value;
    if (row->standing == LAUKA_STANDING_BETTER || row->standing == LAUKA_STANDING_CHANGED)
        return (struct lauka_mark){row->standing == LAUKA_STANDING_BETTER ? LAUKA_TONE_BETTER
                                                                          : LAUKA_TONE_CHANGED,
                                   change > 0};
    return lauka_mark_of_limit(result, row->gate);
}

/* ---- intervals on one axis ------------------------------------------------------------------- */

/* As logarithms of ratios; false if there is none. */
static bool find_interval(const struct lauka_result *result, const struct lauka_overview_row *row,
                          struct lauka_span *span)
{
    const struct lauka_comparison *values =
        lauka_result_comparison(result, row->command, row->metric);
    if (row->gate) {
        const struct lauka_judgement *j = &row->gate->judgement;
        *span = (struct lauka_span){log1p(fmax(-1 + 1e-9, j->change.value)),
                                    log1p(fmax(-1 + 1e-9, j->change_low.value)),
                                    log1p(fmax(-1 + 1e-9, j->change_high.value))};
        return j->change.known && j->change_low.known;
    }
    if (!values || !values->log_ratio.known || !values->log_low.known)
        return false;
    *span =
        (struct lauka_span){values->log_ratio.value, values->log_low.value, values->log_high.value};
    return true;
}

static int compare_sizes(const void *left, const void *right)
{
    const double *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

/* Wide enough for nine of ten benchmarks; clear changes may take three times as much. An outlier must not
 * squeeze the others together. */
static double reach_of(const struct contents *contents)
{
    double clear = 0;
    const struct lauka_overview *overview = contents->overview;
    double least = log1p(3 * lauka_result_precision(overview->session->benchmarks)), reach = least;
    double *sizes = lauka_prose_room(contents->prose, overview->count, sizeof *sizes);
    size_t count = 0;
    for (size_t i = 0; sizes && i < overview->count; i++) {
        struct lauka_span span;
        const struct lauka_overview_row *row = &overview->rows[i];
        if (!find_interval(lauka_overview_result(overview, row), row, &span))
            continue;
        sizes[count++] = fmax(fabs(span.low), fabs(span.high));
        if (row->standing < LAUKA_STANDING_INCONCLUSIVE)
            clear = fmax(clear, sizes[count - 1]);
    }
    if (count > 0) {
        qsort(sizes, count, sizeof *sizes, compare_sizes);
        reach = fmax(least, sizes[(count - 1) * 9 / 10]);
    }
    return fmax(reach, fmin(clear, 3 * reach));
}

static void set_axis(struct contents *contents)
{
    double reach = reach_of(contents);
    contents->axis =
        lauka_axis_of_changes(-reach, reach, true, (struct lauka_scale){1, "", 0}, true);
    contents->axis.begin = 4;
    contents->axis.end = mini_width - 4;
}

static void put_limit(const struct contents *contents, const struct lauka_overview_row *row,
                      struct lauka_svg *svg)
{
    const struct lauka_result *result = lauka_overview_result(contents->overview, row);
    if (!row->gate || !result->gate.rules[row->gate->rule].share.known)
        return;
    bool falls = strcmp(result->metrics[row->metric].better, "higher") == 0;
    double share = result->gate.rules[row->gate->rule].share.value;
    double limit = log1p(falls ? -fmin(share, 0.99) : share);
    if (lauka_axis_holds(&contents->axis, limit)) {
        double x = lauka_axis_place(&contents->axis, limit);
        lauka_svg_line(svg, x, 0, x, mini_height, "lm");
    }
}

static const char *mini(const struct contents *contents, const struct lauka_overview_row *row,
                        const char *title)
{
    struct lauka_prose *prose = contents->prose;
    const struct lauka_result *result = lauka_overview_result(contents->overview, row);
    const struct lauka_axis *axis = &contents->axis;
    struct lauka_svg svg = {.prose = prose};
    struct lauka_span span;
    double y = mini_height / 2, precision = lauka_result_precision(result);
    if (!find_interval(result, row, &span))
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
    put_limit(contents, row, &svg);
    const char tone = lauka_svg_tone(mark_of(contents->overview, row));
    const bool clear = row->standing < LAUKA_STANDING_INCONCLUSIVE;
    lauka_svg_interval(&svg, axis, &span, y, true, clear ? tone : 'x');
    lauka_put(prose, "</svg>");
    return lauka_prose_captured(prose);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Labels keep their distance from each other and from the ends, as wide as any font makes them. */
static void put_scale(const struct contents *contents)
{
    enum { FONT = 11 };
    const double digit = 7.5;
    struct lauka_svg svg = {.prose = contents->prose};
    struct lauka_ticks ticks;
    lauka_axis_ticks(&contents->axis, digit, 5, &ticks);
    lauka_put(contents->prose,
              "<svg viewBox=\"0 0 %.0f 14\" width=\"%.0f\" height=\"14\" font-size=\"%d\" "
              "aria-hidden=\"true\">",
              mini_width, mini_width, FONT);
    for (size_t i = 0; i < ticks.count; i++) {
        const double half = digit * lauka_display_width(ticks.text[i]) / 2;
        if (ticks.place[i] >= half && ticks.place[i] <= mini_width - half)
            lauka_svg_text(&svg, ticks.place[i], 11, 'm', "t", ticks.text[i]);
    }
    lauka_put(contents->prose, "</svg>");
}

const char *lauka_html_standing(struct lauka_prose *prose, const struct lauka_overview *overview,
                                const struct lauka_overview_row *row)
{
    return lauka_html_marked(prose, mark_of(overview, row),
                             lauka_overview_row_cells(prose, overview, row).verdict);
}

static const char *say_end(const struct contents *contents, const struct lauka_overview_row *row)
{
    const struct lauka_result *result = lauka_overview_result(contents->overview, row);
    return row->standing <= LAUKA_STANDING_MISSING &&
                   lauka_result_ending(result) !=
                       LAUKA_ENDED_UNMEASURED /* then the verdict says so */
               ? lauka_result_bad_end(result)
               : NULL;
}

/* On a telephone: the verdict and the change, and below them the benchmark and its means. */
static void put_row(const struct contents *contents, const struct lauka_overview_row *row)
{
    struct lauka_prose *prose = contents->prose;
    const struct lauka_overview_cells cells =
        lauka_overview_row_cells(prose, contents->overview, row);
    const char *change = lauka_join(prose, cells.estimate, " ", cells.interval);
    const char *end = say_end(contents, row);
    const char *aside = lauka_join(prose, cells.side, ", ", cells.metric);
    if (*aside)
        aside = lauka_say(prose, " <span class=\"aside\">%s</span>", lauka_say_xml(prose, aside));
    lauka_put(prose,
              "<tr><th scope=\"row\" class=\"v l\"><a href=\"#%s\">%s</a>%s</th>"
              "<td class=\"v b\">%s</td><td class=\"v c\">%s</td><td class=\"v p\">%s</td>",
              lauka_say_xml(prose, contents->anchors[row->benchmark]),
              lauka_say_xml(prose, cells.name), aside,
              lauka_html_standing(prose, contents->overview, row),
              lauka_html_prose(prose, end ? end : change), mini(contents, row, change));
    if (contents->overview->gated > 0)
        lauka_put(prose, "<td class=\"e\" data-t=\"limit\">%s</td>",
                  lauka_html_prose(prose, cells.limit));
    lauka_put(prose, "<td class=\"e\">%s</td></tr>\n", lauka_html_prose(prose, cells.means));
}

/* The row of the benchmark, and of each other limit that it exceeds. */
static void put_rows(const struct contents *contents, const struct lauka_overview_row *row)
{
    size_t count;
    const struct lauka_overview_row *further =
        lauka_overview_further(contents->prose, contents->overview, row, &count);
    put_row(contents, row);
    for (size_t i = 0; i < count; i++)
        put_row(contents, &further[i]);
}

void lauka_html_contents(struct lauka_prose *prose, const struct lauka_overview *overview,
                         const char *const *anchors)
{
    struct contents contents = {.prose = prose, .overview = overview, .anchors = anchors};
    set_axis(&contents);
    lauka_put(prose, "<nav class=\"scroll\" role=\"region\" tabindex=\"0\" "
                     "aria-label=\"Benchmarks\">\n<table class=\"rows contents\">\n"
                     "<caption>Benchmarks, the worst first</caption>\n<thead><tr>"
                     "<th scope=\"col\" class=\"v\">Benchmark</th><th scope=\"col\" "
                     "class=\"v\">Verdict</th><th scope=\"col\" class=\"v\">Change</th>"
                     "<th scope=\"col\" class=\"v\">");
    put_scale(&contents);
    lauka_put(prose, "</th>%s<th scope=\"col\">Mean</th></tr></thead>\n<tbody>\n",
              overview->gated > 0 ? "<th scope=\"col\">Limit</th>" : "");
    for (size_t i = 0; i < overview->count; i++)
        put_rows(&contents, &overview->rows[i]);
    lauka_put(prose, "</tbody>\n</table>\n</nav>\n");
}
