/* Intervals side by side on one axis of change: every command against the reference; or, where there
 * are only two, every metric, those that decide first. What does not matter is a grey band around no change. */
#include "report/html/html.h"
#include "report/html/svg.h"
#include "report/plot/plot.h"
#include "report/result/result.h"
#include "report/text/prose.h"
#include "report/words/words.h"
#include "stats/stats.h"

#include <math.h>
#include <string.h>

enum { NAME_WIDTH = 22, ROWS_MOST = 40 };

static const double width = 420, row_height = 40, top_edge = 6, left_edge = 8, right_edge = 256;

struct row {
    size_t command, metric, host; /* host: where they are shown */
    const struct lauka_comparison *comparison;
};

struct forest {
    struct lauka_prose *prose;
    const struct lauka_result *result;
    bool by_metric; /* of two commands */
    bool by_host;   /* of one command and metric */
    struct row rows[ROWS_MOST];
    size_t count, left_out;
    struct lauka_axis axis;
};

/* ---- what it is of --------------------------------------------------------------------------- */

/* Nothing where nothing was compared. */
static void add_row(struct forest *forest, struct row row)
{
    const struct lauka_comparison *c = row.comparison;
    if (!c || !(c->log_ratio.known || c->difference.known))
        return;
    if (forest->count == ROWS_MOST)
        forest->left_out++;
    else
        forest->rows[forest->count++] = row;
}

static void add(struct forest *forest, size_t command, size_t metric)
{
    const struct lauka_result_view view = lauka_result_view(forest->result, command, metric);
    if (view.counted)
        add_row(forest, (struct row){command, metric, 0, view.comparison});
}

/* Metrics of two commands: whose limit is exceeded, what else decides, and what is explored. */
enum { EXCEEDED, DECIDING, EXPLORED, GROUPS };

static int group_of(const struct lauka_result *result, size_t metric)
{
    const struct lauka_gate_row *limit = lauka_gate_row_of(result, 1, metric);
    return limit && lauka_mark_of_limit(result, limit).tone == LAUKA_TONE_FAIL ? EXCEEDED
           : lauka_html_decides(result, 1, metric)                             ? DECIDING
                                                                               : EXPLORED;
}

static void fill(struct forest *forest, size_t metric)
{
    const struct lauka_result *result = forest->result;
    for (size_t c = 1; c < result->command_count && !forest->by_metric; c++)
        add(forest, c, metric);
    for (int group = 0; group < GROUPS; group++)
        for (size_t place = 0, m; forest->by_metric && lauka_next_metric(result, &place, &m);)
            if (group_of(result, m) == group)
                add(forest, 1, m);
}

static double least(const struct lauka_comparison *c)
{
    return c->log_low.known ? c->log_low.value : c->log_ratio.value;
}

static double most(const struct lauka_comparison *c)
{
    return c->log_high.known ? c->log_high.value : c->log_ratio.value;
}

static bool is_main(const struct forest *forest, const struct row *row)
{
    return lauka_html_decides(forest->result, row->command, row->metric);
}

/* What lies wholly beyond the axis is an arrow head at its end. */
static bool is_cut(const struct forest *forest, const struct row *row)
{
    const struct lauka_comparison *c = row->comparison;
    return c->log_ratio.known && (!lauka_axis_holds(&forest->axis, least(c)) ||
                                  !lauka_axis_holds(&forest->axis, most(c)));
}

/* As wide as what decides asks for; what is explored may be cut off, as far again beyond that. */
static void set_axis(struct forest *forest)
{
    double precision = log1p(2 * lauka_result_precision(forest->result));
    double low = -precision, high = precision;
    for (int explored = 0; explored < 2; explored++) {
        double room = explored ? high - low : INFINITY;
        double lowest = low - room, highest = high + room;
        for (size_t i = 0; i < forest->count; i++) {
            const struct row *row = &forest->rows[i];
            if (!row->comparison->log_ratio.known || is_main(forest, row) == explored)
                continue;
            low = fmin(low, fmax(least(row->comparison), lowest));
            high = fmax(high, fmin(most(row->comparison), highest));
        }
    }
    forest->axis = lauka_axis_of_changes(low, high, true, (struct lauka_scale){1, "", 0}, true);
    forest->axis.begin = left_edge;
    forest->axis.end = right_edge;
}

/* ---- words ----------------------------------------------------------------------------------- */

static size_t count_verdicts(const struct forest *forest, enum lauka_verdict verdict, bool primary)
{
    size_t count = 0;
    for (size_t i = 0; i < forest->count; i++)
        count += forest->rows[i].comparison->verdict == verdict &&
                 is_main(forest, &forest->rows[i]) == primary;
    return count;
}

/* "slower" where all of them are times. */
static bool are_times(const struct forest *forest, enum lauka_verdict verdict, bool primary)
{
    bool times = true;
    for (size_t i = 0; i < forest->count; i++) {
        const struct row *row = &forest->rows[i];
        if (row->comparison->verdict == verdict && is_main(forest, row) == primary)
            times &= lauka_is_time(forest->result, row->metric);
    }
    return times;
}

/* "2 slower, 1 inconclusive" */
static const char *find_counts(const struct forest *forest, bool primary)
{
    const char *text = "";
    for (int verdict = LAUKA_VERDICT_IDENTICAL; verdict <= LAUKA_VERDICT_INCONCLUSIVE; verdict++) {
        struct lauka_comparison like = {.verdict = (enum lauka_verdict)verdict};
        size_t count = count_verdicts(forest, like.verdict, primary);
        const char *word = lauka_verdict_word(&like, are_times(forest, like.verdict, primary));
        if (count > 0)
            text = lauka_join(forest->prose, text, ", ",
                              lauka_say(forest->prose, "%zu %s", count, word));
    }
    return text;
}

/* Where the gate fails, on the axis. */
static bool find_limit(const struct forest *forest, const struct row *row, double *value)
{
    const struct lauka_result *result = forest->result;
    const struct lauka_gate_row *limit = lauka_gate_row_of(result, row->command, row->metric);
    const struct lauka_gate_rule *rule = limit ? &result->gate.rules[limit->rule] : NULL;
    if (!rule || !rule->share.known || !row->comparison->log_ratio.known || forest->by_host)
        return false;
    bool falls = strcmp(result->metrics[row->metric].better, "higher") == 0;
    *value = log1p(falls ? -fmin(rule->share.value, 0.99) : rule->share.value);
    return lauka_axis_holds(&forest->axis, *value);
}

static bool has_limit(const struct forest *forest, const struct row *row)
{
    double value;
    return find_limit(forest, row, &value);
}

static bool any(const struct forest *forest,
                bool (*is_so)(const struct forest *, const struct row *))
{
    bool found = false;
    for (size_t i = 0; i < forest->count; i++)
        found |= is_so(forest, &forest->rows[i]);
    return found;
}

static const char *find(const struct forest *forest)
{
    struct lauka_prose *prose = forest->prose;
    size_t primaries = 0;
    const char *text = "", *more = "";
    for (size_t i = 0; i < forest->count; i++)
        primaries += is_main(forest, &forest->rows[i]);
    if (!forest->by_metric)
        text = lauka_say(prose, "Against A: %s. ",
                         find_counts(forest, is_main(forest, &forest->rows[0])));
    else if (primaries > 0)
        text = lauka_say(prose, "Metrics that decide: %s. ", find_counts(forest, true));
    if (forest->by_metric && primaries < forest->count)
        text = lauka_say(prose, "%sExplored beside them: %s. ", text, find_counts(forest, false));
    if (forest->left_out > 0)
        more = lauka_say(prose, " %zu more are in the table.", forest->left_out);
    return lauka_say(prose, "%sGrey: up to %s, which does not matter here.%s%s%s", text,
                     lauka_say_share(prose, lauka_result_precision(forest->result)),
                     any(forest, has_limit) ? " Dashed: the limit." : "",
                     any(forest, is_cut) ? " An arrow: it goes on beyond the picture." : "", more);
}

/* ---- drawing --------------------------------------------------------------------------------- */

static struct lauka_mark mark_of(const struct forest *forest, const struct row *row)
{
    struct lauka_mark mark = lauka_mark_of(forest->result, row->command, row->metric);
    if (forest->by_host)
        mark = (struct lauka_mark){LAUKA_TONE_PLAIN, false};
    return mark;
}

static void draw_interval(const struct forest *forest, const struct row *row, double y,
                          struct lauka_svg *svg)
{
    const struct lauka_comparison *c = row->comparison;
    const struct lauka_span span = {c->log_ratio.value, least(c), most(c)};
    lauka_svg_interval(svg, &forest->axis, &span, y, c->log_low.known,
                       is_main(forest, row) ? lauka_svg_tone(mark_of(forest, row)) : 'x');
}

static void draw_name(const struct forest *forest, const struct row *row, double y,
                      struct lauka_svg *svg)
{
    const struct lauka_result *result = forest->result;
    const char *text =
        forest->by_metric
            ? lauka_say_fitted(forest->prose, result->metrics[row->metric].name, NAME_WIDTH)
            : lauka_lettered_name(forest->prose, result, row->command, NAME_WIDTH);
    lauka_svg_text(svg, left_edge, y, 's', is_main(forest, row) ? "n" : "t", text);
}

static void draw_host(const struct forest *forest, const struct row *row, double top,
                      struct lauka_svg *svg)
{
    const struct lauka_host_line line =
        lauka_host_line(forest->prose, forest->result, row->host, row->command, row->metric);
    lauka_svg_text(svg, left_edge, top + 13, 's', "n", line.name);
    lauka_svg_text(svg, width - 4, top + 13, 'e', "n",
                   lauka_say(forest->prose, "%s %s", line.change.estimate, line.change.interval));
    lauka_svg_text(svg, width - 4, top + 30, 'e', "n", line.verdict);
    if (row->comparison->log_ratio.known)
        draw_interval(forest, row, top + 26, svg);
}

static void draw_limit(const struct forest *forest, const struct row *row, double top,
                       struct lauka_svg *svg)
{
    double value;
    if (!find_limit(forest, row, &value))
        return;
    double x = lauka_axis_place(&forest->axis, value);
    lauka_svg_line(svg, x, top + 17, x, top + 36, "lm");
}

/* The verdict in its colour; with a limit, the gate's, too: it may be about another interval. */
static const char *say_verdict(const struct forest *forest, const struct row *row,
                               const char *verdict)
{
    const struct lauka_gate_row *limit =
        lauka_gate_row_of(forest->result, row->command, row->metric);
    verdict = lauka_marked(forest->prose, mark_of(forest, row), verdict);
    if (limit)
        verdict = lauka_say(
            forest->prose, "%s, %s", verdict,
            lauka_marked(forest->prose, lauka_mark_of_limit(forest->result, limit), "limit"));
    return verdict;
}

static const char *verdict_style(const struct forest *forest, const struct row *row)
{
    const struct lauka_gate_row *limit =
        lauka_gate_row_of(forest->result, row->command, row->metric);
    char tone = lauka_svg_tone(mark_of(forest, row));
    if (limit && lauka_mark_of_limit(forest->result, limit).tone == LAUKA_TONE_FAIL)
        tone = 'r';
    return tone == 'r' ? "nr" : tone == 'l' ? "nl" : is_main(forest, row) ? "n" : "t";
}

/* The means, which the chart does not show, are in the hint. */
static void draw_row(const struct forest *forest, const struct row *row, double top,
                     struct lauka_svg *svg)
{
    struct lauka_prose *prose = forest->prose;
    const struct lauka_cells reference = lauka_result_cells(prose, forest->result, 0, row->metric);
    const struct lauka_cells own =
        lauka_result_cells(prose, forest->result, row->command, row->metric);
    const char *style = is_main(forest, row) ? "n" : "t", *verdict = own.text[LAUKA_CELL_VERDICT];
    const char *marked = say_verdict(forest, row, verdict);
    const char *numbers =
        lauka_say(prose, "%s %s", own.text[LAUKA_CELL_CHANGE], own.text[LAUKA_CELL_INTERVAL]);
    draw_name(forest, row, top + 13, svg);
    lauka_svg_text(svg, width - 4, top + 13, 'e', style, numbers);
    lauka_svg_text(svg, width - 4, top + 30, 'e', verdict_style(forest, row), marked);
    if (row->comparison->log_ratio.known) {
        draw_limit(forest, row, top, svg);
        draw_interval(forest, row, top + 26, svg);
    } else {
        lauka_svg_text(svg, left_edge, top + 30, 's', "t", "a value is 0: no ratio");
    }
    lauka_svg_hover(svg, 0, top, width, row_height,
                    lauka_say(prose, "%s, %s; means: A %s %s, %s %s %s", numbers, verdict,
                              reference.text[LAUKA_CELL_MEAN], reference.text[LAUKA_CELL_UNIT],
                              lauka_letter(prose, row->command), own.text[LAUKA_CELL_MEAN],
                              own.text[LAUKA_CELL_UNIT]));
}

static void draw(const struct forest *forest, struct lauka_svg *svg)
{
    double bottom = top_edge + row_height * (double)forest->count + 2,
           zero = lauka_axis_place(&forest->axis, 0);
    double precision = lauka_result_precision(forest->result);
    double low = lauka_axis_limited(&forest->axis, log1p(-fmin(precision, 0.99)));
    double high = lauka_axis_limited(&forest->axis, log1p(precision));
    struct lauka_frame frame = {left_edge, top_edge, right_edge, bottom};
    for (size_t i = 0; i < forest->count; i++) {
        double top = top_edge + row_height * (double)i + 18; /* names stand above */
        if (!forest->rows[i].comparison->log_ratio.known)
            continue;
        lauka_svg_rectangle(svg, low, top, high - low, row_height - 20, "w");
        lauka_svg_line(svg, zero, top, zero, top + row_height - 20, "z");
    }
    for (size_t i = 0; i < forest->count; i++)
        (forest->by_host ? draw_host : draw_row)(forest, &forest->rows[i],
                                                 top_edge + row_height * (double)i, svg);
    lauka_svg_axis_below(svg, &forest->axis, &frame, "change against A");
}

static void draw_all(struct forest *forest, const char *title, const char *names,
                     struct lauka_svg *svg)
{
    set_axis(forest);
    lauka_svg_open(svg, width, top_edge + row_height * (double)forest->count + 38, title,
                   find(forest), names);
    draw(forest, svg);
    lauka_svg_close(svg);
}

void lauka_chart_forest(const struct lauka_result *result, size_t metric, struct lauka_svg *svg)
{
    struct lauka_prose *prose = svg->prose;
    struct forest forest = {
        .prose = prose, .result = result, .by_metric = result->command_count == 2};
    const char *noun = lauka_metric_noun(result->metrics[metric].name);
    fill(&forest, metric);
    if (forest.count > 0)
        draw_all(&forest,
                 forest.by_metric
                     ? "Every metric of B against A"
                     : lauka_say(prose, "Every command against A, %s", *noun ? noun : "value"),
                 lauka_picture_names(prose, result, forest.by_metric ? 1 : 0), svg);
}

/* Those that measured it; the finding counts what they say. */
static void fill_hosts(struct forest *forest, size_t command, size_t metric)
{
    const struct lauka_result *result = forest->result;
    for (size_t h = 0; h < result->merged.host_count; h++) {
        const struct lauka_comparison *own = lauka_merged_comparison(result, h, command, metric);
        if (own && own->pairs > 0)
            add_row(forest, (struct row){command, metric, h, own});
    }
}

void lauka_chart_hosts(const struct lauka_result *result, size_t command, size_t metric,
                       struct lauka_svg *svg)
{
    struct lauka_prose *prose = svg->prose;
    struct forest forest = {.prose = prose, .result = result, .by_host = true};
    fill_hosts(&forest, command, metric);
    if (forest.count > 0)
        draw_all(&forest,
                 lauka_say(prose, "%s against A on each host, %s", lauka_letter(prose, command),
                           result->metrics[metric].name),
                 lauka_picture_names(prose, result, 1), svg);
}
