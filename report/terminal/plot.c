/* --plot: each metric as histograms of all commands over one axis and, on the same axis, where the
 * reference's typical value would lie if it changed as was found, with the interval. If the terminal lacks
 * characters, ASCII is used. */
#include "report/terminal/terminal.h"
#include "report/plot/plot.h"
#include "report/result/result.h"
#include "report/terminal/blocks.h"
#include "report/text/prose.h"
#include "report/words/words.h"
#include "stats/histogram.h"
#include "stats/stats.h"

#include <math.h>
#include <string.h>

enum { WIDEST = 100, SIDE_BY_SIDE = 60, NAME_MOST = 26, TALL = 3, LEVELS = 8 };

struct plot {
    struct lauka_prose *prose;
    struct lauka_picture picture;
    int names, width;        /* columns: of names beside the plot, 0 for above it; of the plot */
    int height;              /* lines of a histogram */
    double most;             /* the largest share of all commands in a column */
    struct lauka_bins *bins; /* of each command */
    const char *cells[WIDEST];
};

/* ---- lines ----------------------------------------------------------------------------------- */

static const char *name_of(const struct plot *plot, size_t command)
{
    return lauka_say_name(plot->prose, plot->picture.result, command);
}

static void clear(struct plot *plot)
{
    for (int i = 0; i < plot->width; i++)
        plot->cells[i] = " ";
}

/* Of the plot; without the blanks at its end. */
static void put_cells(const struct plot *plot)
{
    int end = plot->width;
    while (end > 0 && strcmp(plot->cells[end - 1], " ") == 0)
        end--;
    for (int i = 0; i < end; i++)
        lauka_put(plot->prose, "%s", plot->cells[i]);
}

static bool is_empty(const struct plot *plot)
{
    for (int i = 0; i < plot->width; i++)
        if (strcmp(plot->cells[i], " ") != 0)
            return false;
    return true;
}

/* name: the text beside the cells; escaped and short. */
static void put_line(struct plot *plot, const char *name, enum lauka_style style)
{
    bool beside = plot->names > 0, empty = is_empty(plot);
    if (beside && *name)
        lauka_put_text(plot->prose, style, name);
    if (beside && !empty)
        lauka_put(plot->prose, "%*s", plot->names - lauka_display_width(name), "");
    if (!empty)
        put_cells(plot);
    lauka_put(plot->prose, "\n");
}

static int column_of(const struct plot *plot, double value)
{
    double place = lauka_axis_place(&plot->picture.axis, value); /* 0 ... 1 */
    return (int)fmin(fmax(floor(place * plot->width), -1), plot->width);
}

/* ---- histograms ------------------------------------------------------------------------------ */

/* How much of the line's cell is full: of `line` lines below, each has so many levels. */
static const char *block(const struct plot *plot, double share, int line)
{
    static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const marks[] = {" ", ".", ":", "#"};
    int levels = plot->prose->utf8 ? LEVELS : 3;
    double full = share / plot->most * plot->height * levels;
    int level = (int)ceil(full - 1e-9) - line * levels;
    level = level < 0 ? 0 : level > levels ? levels : level;
    return plot->prose->utf8 ? blocks[level] : marks[level];
}

static void draw_histogram(struct plot *plot, size_t command, const char *name)
{
    const struct lauka_bins *bins = &plot->bins[command];
    for (int line = plot->height; line-- > 0;) {
        clear(plot);
        for (int i = 0; i < plot->width; i++)
            plot->cells[i] = block(plot, bins->shares[0][i], line);
        if (line == 0 && bins->beyond[0][1] > 0)
            plot->cells[plot->width - 1] = plot->prose->utf8 ? "›" : ">";
        if (line == 0 && bins->beyond[0][0] > 0)
            plot->cells[0] = plot->prose->utf8 ? "‹" : "<";
        if (line == 0 || !is_empty(plot))
            put_line(plot, line == 0 ? name : "", LAUKA_STYLE_PLAIN);
    }
}

/* ---- intervals ------------------------------------------------------------------------------- */

static void set(struct plot *plot, int column, const char *utf8, const char *ascii)
{
    if (column >= 0 && column < plot->width)
        plot->cells[column] = plot->prose->utf8 ? utf8 : ascii;
}

/* What continues beyond the plot ends in an arrow. */
static void draw_span(struct plot *plot, struct lauka_span span, bool has_interval)
{
    int low = column_of(plot, span.low), high = column_of(plot, span.high);
    int middle = column_of(plot, span.estimate);
    for (int i = low; i <= high && has_interval; i++)
        set(plot, i, "─", "-");
    if (has_interval && low < high) {
        set(plot, low, "├", "|");
        set(plot, high, "┤", "|");
    }
    set(plot, middle, "●", "o");
    if (low < 0)
        set(plot, 0, "◂", "<");
    if (high >= plot->width)
        set(plot, plot->width - 1, "▸", ">");
}

static double changed(double middle, struct lauka_optional log_ratio,
                      struct lauka_optional difference)
{
    return log_ratio.known ? middle * exp(log_ratio.value) : middle + difference.value;
}

/* The reference's median, changed as the comparison says. False if it says nothing. */
static bool find_span(const struct plot *plot, const struct lauka_comparison *comparison,
                      struct lauka_span *span)
{
    const struct lauka_comparison *c = comparison;
    const struct lauka_distribution *reference = &plot->picture.distributions[0];
    if (!c || reference->total == 0 || !(c->log_ratio.known || c->difference.known))
        return false;
    double middle = lauka_distribution_quantile(reference, LAUKA_RANK_WHOLE / 2);
    bool has_interval = c->confidence > 0;
    span->estimate = changed(middle, c->log_ratio, c->difference);
    span->low = has_interval ? changed(middle, c->log_low, c->difference_low) : span->estimate;
    span->high = has_interval ? changed(middle, c->log_high, c->difference_high) : span->estimate;
    return true;
}

static enum lauka_style style_for(const struct lauka_cells *cells)
{
    return cells->goodness > 0   ? LAUKA_STYLE_BETTER
           : cells->goodness < 0 ? LAUKA_STYLE_WORSE
           : cells->primary      ? LAUKA_STYLE_PLAIN
                                 : LAUKA_STYLE_SECONDARY;
}

/* "  +4.9 % slower" */
static const char *change_of(const struct plot *plot, const struct lauka_cells *cells)
{
    const char *change = cells->text[LAUKA_CELL_CHANGE], *verdict = cells->text[LAUKA_CELL_VERDICT];
    return lauka_say(plot->prose, "%s%s%s%s", *change ? "  " : "", change, *verdict ? " " : "",
                     verdict);
}

static void draw_change(struct plot *plot, size_t command, const struct lauka_cells *cells)
{
    struct lauka_result_view view =
        lauka_result_view(plot->picture.result, command, plot->picture.metric);
    struct lauka_span span;
    clear(plot);
    if (find_span(plot, view.comparison, &span)) {
        double middle =
            lauka_distribution_quantile(&plot->picture.distributions[0], LAUKA_RANK_WHOLE / 2);
        draw_span(plot, span, view.comparison->confidence > 0);
        if (column_of(plot, middle) != column_of(plot, span.estimate))
            set(plot, column_of(plot, middle), "┊", ":");
    }
    char *text = lauka_prose_copy(plot->prose, change_of(plot, cells));
    if (text)
        lauka_cut_text(text, plot->names > 0 ? plot->names - 2 : 0);
    put_line(plot, text ? text : "", style_for(cells));
}

/* Of a command alone: where its median lies. */
static void draw_median(struct plot *plot)
{
    const struct lauka_distribution *own = &plot->picture.distributions[0];
    double alpha = 1 - lauka_result_confidence(plot->picture.result);
    double middle = lauka_distribution_quantile(own, LAUKA_RANK_WHOLE / 2);
    struct lauka_span span = {middle, middle, middle};
    bool known = lauka_distribution_span(own, LAUKA_RANK_WHOLE / 2, alpha, &span);
    clear(plot);
    draw_span(plot, span, known);
    put_line(plot, "  median", LAUKA_STYLE_SECONDARY);
}

/* ---- axes ------------------------------------------------------------------------------------ */

/* Two lines: the axis, and what its ticks say. */
static void draw_axis(struct plot *plot)
{
    const char *begin = lauka_style_begin(LAUKA_STYLE_SECONDARY, plot->prose->terminal);
    struct lauka_axis axis = plot->picture.axis;
    struct lauka_ticks ticks;
    axis.end = plot->width;
    lauka_axis_ticks(&axis, 1, 10, &ticks);
    for (int i = 0; i < plot->width; i++)
        plot->cells[i] = plot->prose->utf8 ? "─" : "-";
    for (size_t i = 0; i < ticks.count; i++)
        set(plot, (int)fmin(ticks.place[i], plot->width - 1), "┼", "+");
    lauka_put(plot->prose, "%s", begin);
    put_line(plot, "", LAUKA_STYLE_PLAIN);
    clear(plot);
    for (size_t t = 0; t < ticks.count; t++) {
        int length = lauka_display_width(ticks.text[t]);
        int first = (int)fmin(ticks.place[t], plot->width - 1) - length / 2;
        first = first + length > plot->width ? plot->width - length : first;
        first = first < 0 ? 0 : first;
        const char *from = ticks.text[t];
        for (int i = first; *from && i < plot->width; i++) {
            uint32_t code;
            size_t bytes = lauka_utf8_decode(from, &code);
            plot->cells[i] = lauka_say(plot->prose, "%.*s", (int)bytes, from);
            from += bytes;
        }
    }
    lauka_put(plot->prose, "%s", begin);
    put_line(plot, "", LAUKA_STYLE_PLAIN);
    lauka_put(plot->prose, "%s", lauka_style_end(LAUKA_STYLE_SECONDARY, plot->prose->terminal));
}

/* ---- a metric -------------------------------------------------------------------------------- */

static void put_heading(const struct plot *plot)
{
    lauka_put_metric_heading(plot->prose, plot->picture.result->metrics[plot->picture.metric].name,
                             lauka_axis_unit(plot->prose, &plot->picture.axis));
}

/* "./b --fast  +4.9 % slower", above the plot; on two lines if it has to be. */
static void put_name(const struct plot *plot, size_t command, const struct lauka_cells *cells)
{
    const int width = plot->prose->terminal.width;
    const char *change = command > 0 ? change_of(plot, cells) : "";
    const char *name = name_of(plot, command);
    lauka_put(plot->prose, "%s", name);
    if (lauka_display_width(name) + lauka_display_width(change) > width)
        lauka_put(plot->prose, "\n");
    if (lauka_display_width(change) > width) /* "may be chance (24 comparisons)" on 20 columns */
        change = lauka_say(plot->prose, "  %s", cells->text[LAUKA_CELL_CHANGE]);
    if (*change)
        lauka_put_text(plot->prose, style_for(cells), change);
    lauka_put(plot->prose, "\n");
}

static void draw_command(struct plot *plot, size_t command)
{
    const struct lauka_result *result = plot->picture.result;
    const struct lauka_cells cells =
        lauka_result_cells(plot->prose, result, command, plot->picture.metric);
    if (plot->names == 0)
        put_name(plot, command, &cells);
    draw_histogram(plot, command, name_of(plot, command));
    if (command > 0)
        draw_change(plot, command, &cells);
    else if (result->command_count == 1)
        draw_median(plot);
}

/* What lies beyond the axis, in words. */
static void put_beyond(const struct plot *plot)
{
    const size_t commands = plot->picture.result->command_count;
    size_t *all = lauka_prose_room(plot->prose, commands, sizeof *all);
    for (size_t c = 0; all && c < commands; c++)
        all[c] = c;
    const char *beyond = all ? lauka_picture_cut(&plot->picture, all, commands) : "";
    if (*beyond)
        lauka_put_paragraph(plot->prose, 0, LAUKA_STYLE_PLAIN, beyond + 1);
}

/* Names are above the plot if they are long. */
static void set_widths(struct plot *plot)
{
    const struct lauka_result *result = plot->picture.result;
    int widest = 2 + lauka_display_width("+99.9 % inconclusive");
    plot->names = 0;
    for (size_t c = 0; c < result->command_count; c++) {
        int width = lauka_display_width(name_of(plot, c));
        widest = width > widest ? width : widest;
    }
    if (plot->prose->terminal.width >= SIDE_BY_SIDE && widest <= NAME_MOST)
        plot->names = 2 + widest;
    plot->width = plot->prose->terminal.width - plot->names;
    plot->width = plot->width < WIDEST ? plot->width : WIDEST;
}

static void fill_bins(struct plot *plot)
{
    for (size_t c = 0; c < plot->picture.result->command_count; c++) {
        lauka_bins_fill(&plot->picture.axis, &plot->picture.distributions[c], 1,
                        (size_t)plot->width, &plot->bins[c]);
        plot->most = fmax(plot->most, plot->bins[c].most);
    }
}

/* Whether all values of all commands are the same one. */
static bool is_constant(const struct plot *plot)
{
    const struct lauka_distribution *first = NULL;
    for (size_t c = 0; c < plot->picture.result->command_count; c++) {
        const struct lauka_distribution *own = &plot->picture.distributions[c];
        if (own->total == 0)
            continue;
        first = first ? first : own;
        if (own->count != 1 || own->steps[0].lowest != first->steps[0].lowest ||
            own->steps[0].highest != own->steps[0].lowest)
            return false;
    }
    return first != NULL;
}

static void put_constant(const struct plot *plot)
{
    size_t c = 0;
    while (plot->picture.distributions[c].total == 0)
        c++;
    double value = (double)plot->picture.distributions[c].steps[0].lowest;
    lauka_put(plot->prose, "always %s\n\n", lauka_quantity(&plot->picture, value));
}

/* A metric that was measured in no command is not drawn. */
static void draw_metric(struct plot *plot, size_t metric)
{
    const struct lauka_result *result = plot->picture.result;
    bool primary = result->metrics[metric].primary;
    if (!lauka_picture_of(plot->prose, result, metric, &plot->picture))
        return;
    plot->picture.axis = lauka_axis_of_values(result, metric, plot->picture.distributions,
                                              result->command_count, plot->prose->utf8);
    plot->height = primary ? TALL : 1;
    plot->most = 0;
    set_widths(plot);
    fill_bins(plot);
    if (plot->most > 0)
        put_heading(plot);
    if (plot->most > 0 && is_constant(plot)) {
        put_constant(plot);
    } else if (plot->most > 0) {
        for (size_t c = 0; c < result->command_count; c++)
            draw_command(plot, c);
        draw_axis(plot);
        put_beyond(plot);
        lauka_put(plot->prose, "\n");
    }
    lauka_picture_done(&plot->picture);
}

static void put_legend(const struct plot *plot)
{
    struct lauka_prose *prose = plot->prose;
    const double confidence = 100 * lauka_result_confidence(plot->picture.result);
    const char *interval = prose->utf8 ? "├─●─┤" : "|-o-|";
    lauka_put_paragraph(
        prose, 0, LAUKA_STYLE_SECONDARY,
        plot->picture.result->command_count < 2
            ? lauka_say(prose, "%s the median with its %.3g %% interval", interval, confidence)
            : lauka_say(prose,
                        "%s the reference's median; %s the same, changed as found, with the %.3g "
                        "%% interval of the change",
                        prose->utf8 ? "┊" : ":", interval, confidence));
}

int lauka_write_plot(const struct lauka_result *result, struct lauka_terminal terminal, FILE *out)
{
    struct lauka_prose prose = lauka_prose_begin(out, terminal);
    struct plot plot = {.prose = &prose, .picture = {.result = result}};
    plot.bins = lauka_prose_room(&prose, result->command_count + 1, sizeof *plot.bins);
    lauka_put(&prose, "\n");
    for (size_t place = 0, m; !prose.error && lauka_next_metric(result, &place, &m);)
        draw_metric(&plot, m);
    if (!prose.error)
        put_legend(&plot);
    return lauka_prose_end(&prose);
}
