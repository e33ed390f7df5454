/* Runs in the order in which they ran: whether commands took turns, whether the machine drifted,
 * which runs stand out and when. Two commands share a panel; of more, each has a strip with its runs
 * against its own median. */
#include "report/html/html.h"
#include "report/html/svg.h"
#include "report/plot/plot.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "stats/histogram.h"
#include "stats/stats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static const double width = 420, panel_height = 190, strip_height = 44, top_edge = 18,
                    right_edge = 408;
enum { POINTS_MOST = 2000, COLUMNS = 110, BLOCKS = 12, BLOCK_LEAST = 5 };

/* One command's runs. */
struct runs {
    size_t *positions; /* owned: of each in the session, ascending */
    uint64_t *values;  /* owned */
    size_t count;
};

struct order {
    const struct lauka_picture *picture;
    struct runs *runs; /* owned, of each command */
    size_t length;     /* of the session in runs; of unpaired values: of the longest */
    bool strips;       /* one for each command */
    bool relative;     /* to the median of the command */
    struct lauka_axis across, up;
    double left; /* where the frame begins */
};

/* ---- collecting ------------------------------------------------------------------------------ */

static void add(struct order *order, size_t command, size_t position, size_t round)
{
    const struct lauka_series *series =
        &order->picture->result->commands[command].series[order->picture->metric];
    struct runs *runs = &order->runs[command];
    if (round >= series->count || lauka_series_at(series, round) == LAUKA_MISSING)
        return;
    runs->positions[runs->count] = position;
    runs->values[runs->count++] = lauka_series_at(series, round);
}

static bool make_room(struct order *order)
{
    const struct lauka_result *result = order->picture->result;
    bool complete = true;
    for (size_t c = 0; c < result->command_count; c++) {
        size_t room = result->commands[c].series[order->picture->metric].count + 1;
        order->runs[c].positions = malloc(room * sizeof *order->runs[c].positions);
        order->runs[c].values = malloc(room * sizeof *order->runs[c].values);
        complete &= order->runs[c].positions && order->runs[c].values;
    }
    return complete;
}

static bool has_order(const struct lauka_result *result)
{
    return result->run.order && !result->run.unpaired;
}

/* Without an order a round's runs stand at one place. */
static void collect(struct order *order)
{
    const struct lauka_result *result = order->picture->result;
    const size_t commands = result->command_count;
    if (has_order(result)) {
        order->length = result->run.rounds * commands;
        for (size_t i = 0; i < order->length; i++)
            if (result->run.order[i] < commands)
                add(order, result->run.order[i], i, i / commands);
        return;
    }
    for (size_t c = 0; c < commands; c++) {
        size_t count = result->commands[c].series[order->picture->metric].count;
        order->length = count > order->length ? count : order->length;
        for (size_t i = 0; i < count; i++)
            add(order, c, i, i);
    }
}

static void done(struct order *order)
{
    for (size_t c = 0; order->runs && c < order->picture->result->command_count; c++) {
        free(order->runs[c].positions);
        free(order->runs[c].values);
    }
    free(order->runs);
}

/* ---- axes ------------------------------------------------------------------------------------ */

static double median_of(const struct order *order, size_t command)
{
    return lauka_distribution_quantile(&order->picture->distributions[command],
                                       LAUKA_RANK_WHOLE / 2);
}

static double shown(const struct order *order, size_t command, double value)
{
    return order->relative ? log(value / median_of(order, command)) : value;
}

/* Shared by all strips, so that they can be told apart by how unsteady they are. */
static struct lauka_axis relative_axis(const struct order *order)
{
    double low = 0, high = 0;
    for (size_t c = 0; c < order->picture->result->command_count; c++) {
        const struct lauka_distribution *d = &order->picture->distributions[c];
        if (d->total == 0)
            continue;
        uint32_t tail = LAUKA_RANK_WHOLE / 20;
        low = fmin(low, shown(order, c, lauka_distribution_quantile(d, tail)));
        high = fmax(high, shown(order, c, lauka_distribution_quantile(d, LAUKA_RANK_WHOLE - tail)));
    }
    return lauka_axis_of_changes(low, high, true, (struct lauka_scale){1, "", 0}, true);
}

static void set_axes(struct order *order)
{
    const size_t commands = order->picture->result->command_count;
    order->strips = commands > 2;
    order->relative = order->strips;
    for (size_t c = 0; c < commands; c++) {
        const struct lauka_distribution *d = &order->picture->distributions[c];
        order->relative &= d->total == 0 || d->steps[0].lowest > 0;
    }
    order->up = order->relative ? relative_axis(order) : order->picture->axis;
    const struct lauka_frame panel = {0, 0, right_edge,
                                      order->strips ? strip_height : panel_height};
    order->left = lauka_svg_left(&order->up, &panel, order->strips ? 62 : 46);
    order->across = (struct lauka_axis){
        .kind = LAUKA_AXIS_COUNT,
        .from = 0.5,
        .to = (double)order->length + 0.5,
        .begin = order->left + 4,
        .end = right_edge,
        .utf8 = true,
    };
}

/* ---- words ----------------------------------------------------------------------------------- */

static size_t longest_turn(const struct lauka_result *result)
{
    size_t longest = 0, turn = 0;
    for (size_t i = 0; i < result->run.rounds * result->command_count; i++) {
        turn = i > 0 && result->run.order[i] == result->run.order[i - 1] ? turn + 1 : 1;
        longest = turn > longest ? turn : longest;
    }
    return longest;
}

static uint64_t *sorted(const uint64_t *values, size_t count)
{
    uint64_t *copy = malloc((count + 1) * sizeof *copy);
    for (size_t i = 0; copy && i < count; i++)
        copy[i] = values[i];
    if (copy && lauka_sort_integers(copy, count) == 0)
        return copy;
    free(copy);
    return NULL;
}

static int median_within(const uint64_t *values, size_t count, double *median)
{
    uint64_t *ascending = count > 0 ? sorted(values, count) : NULL;
    int error = ascending ? 0 : ENOMEM;
    if (ascending)
        *median = lauka_sorted_median(ascending, count);
    free(ascending);
    return error;
}

/* As the note about drift has it: the last third against the first. */
static const char *find_drift(const struct order *order)
{
    struct lauka_prose *prose = order->picture->prose;
    enum { SAID_MOST = 40 };
    const size_t commands = order->picture->result->command_count;
    const char *text = "";
    for (size_t c = 0; c < commands && c < SAID_MOST; c++) {
        const struct runs *runs = &order->runs[c];
        size_t third = runs->count / 3;
        double early = 0, late = 0;
        if (third < 2 || median_within(runs->values, third, &early) ||
            median_within(runs->values + runs->count - third, third, &late) || early <= 0)
            continue;
        text = lauka_join(prose, text, ", ",
                          lauka_say(prose, "%s %s", lauka_letter(prose, c),
                                    lauka_say_change_roughly(prose, late / early)));
    }
    return *text ? lauka_say(prose, " From the first third to the last: %s%s.", text,
                             commands > SAID_MOST ? " and so on" : "")
                 : "";
}

static const char *find(const struct order *order)
{
    struct lauka_prose *prose = order->picture->prose;
    const struct lauka_result *result = order->picture->result;
    const char *turns = "The order within rounds is not known.", *lines = "";
    if (result->command_count == 1)
        turns =
            lauka_say(prose, "%zu %s.", order->runs[0].count, lauka_picture_runs(order->picture));
    else if (result->run.unpaired)
        turns = "Values as they stand in their files; they are not paired.";
    else if (has_order(result))
        turns = lauka_say(prose, "Commands took turns: none ran more than %zu times in a row.",
                          longest_turn(result));
    if (order->length > POINTS_MOST)
        lines = lauka_say(prose, " Lines: medians of %d parts; bars: the middle 90 %% of each.",
                          COLUMNS);
    return lauka_say(prose, "%s%s%s%s", turns, find_drift(order),
                     order->relative ? " Each against its own median." : "", lines);
}

/* ---- drawing --------------------------------------------------------------------------------- */

static double x_of(const struct order *order, size_t position)
{
    return lauka_axis_place(&order->across, (double)position + 1);
}

static double y_of(const struct order *order, size_t command, double value)
{
    return lauka_axis_limited(&order->up, shown(order, command, value));
}

static bool is_beyond(const struct order *order, size_t command, size_t i)
{
    double value = (double)order->runs[command].values[i];
    return !lauka_axis_holds(&order->up, shown(order, command, value));
}

/* What lies beyond the axis is an arrow at its end. */
static void draw_points(const struct order *order, size_t command, struct lauka_svg *svg)
{
    const struct runs *runs = &order->runs[command];
    for (int beyond = 0; beyond < 2; beyond++) {
        lauka_svg_path(svg, command > 0 ? "pb" : beyond ? "ba" : "pa");
        for (size_t i = 0; i < runs->count; i++) {
            double x = x_of(order, runs->positions[i]);
            double y = y_of(order, command, (double)runs->values[i]);
            if (is_beyond(order, command, i) != beyond)
                continue;
            if (beyond)
                lauka_svg_arrow(svg, x, y, y < order->up.begin);
            else if (command == 0)
                lauka_svg_dot(svg, x, y);
            else
                lauka_svg_diamond(svg, x, y);
        }
        lauka_svg_end(svg);
    }
}

/* Of many runs: the middle nine tenths of each column. */
static void draw_ranges(const struct order *order, size_t command, size_t columns,
                        struct lauka_svg *svg)
{
    const struct runs *runs = &order->runs[command];
    lauka_svg_path(svg, command == 0 ? "va" : "vb");
    for (size_t column = 0; column < columns; column++) {
        size_t first = runs->count * column / columns, last = runs->count * (column + 1) / columns;
        uint64_t *values = sorted(runs->values + first, last - first);
        if (values && first < last) {
            uint32_t twentieth = LAUKA_RANK_WHOLE / 20;
            double x = x_of(order, runs->positions[first + (last - first) / 2]);
            uint64_t low = lauka_sorted_quantile(values, last - first, twentieth);
            uint64_t high =
                lauka_sorted_quantile(values, last - first, LAUKA_RANK_WHOLE - twentieth);
            lauka_svg_move(svg, x, y_of(order, command, (double)low));
            lauka_svg_along(svg, y_of(order, command, (double)high));
        }
        free(values);
    }
    lauka_svg_end(svg);
}

/* Medians of equal parts. */
static void draw_course(const struct order *order, size_t command, size_t parts,
                        struct lauka_svg *svg)
{
    const struct runs *runs = &order->runs[command];
    bool begun = false;
    lauka_svg_path(svg, command == 0 ? "la" : "lb");
    for (size_t part = 0; part < parts; part++) {
        size_t first = runs->count * part / parts, last = runs->count * (part + 1) / parts;
        double median;
        if (first == last || median_within(runs->values + first, last - first, &median))
            continue;
        double x = x_of(order, runs->positions[first + (last - first) / 2]);
        double y = y_of(order, command, median);
        if (begun)
            lauka_svg_to(svg, x, y);
        else
            lauka_svg_move(svg, x, y);
        begun = true;
    }
    lauka_svg_end(svg);
}

static void draw_command(const struct order *order, size_t command, struct lauka_svg *svg)
{
    const size_t count = order->runs[command].count;
    size_t blocks = count / BLOCK_LEAST;
    if (count == 0)
        return;
    if (order->length > POINTS_MOST) {
        draw_ranges(order, command, COLUMNS, svg);
        blocks = COLUMNS;
    } else {
        draw_points(order, command, svg);
        blocks = blocks < BLOCKS ? blocks : BLOCKS;
    }
    if (blocks > 2)
        draw_course(order, command, blocks, svg);
}

static void draw_panels(struct order *order, struct lauka_svg *svg)
{
    const size_t commands = order->picture->result->command_count;
    const double height = order->strips ? strip_height : panel_height;
    for (size_t panel = 0; panel < (order->strips ? commands : 1); panel++) {
        struct lauka_frame frame = {order->left,
                                    top_edge + height * (double)panel + (order->strips ? 6 : 0),
                                    right_edge, top_edge + height * (double)(panel + 1)};
        order->up.begin = frame.bottom;
        order->up.end = frame.top;
        lauka_svg_axis_beside(svg, &order->up, &frame);
        for (size_t c = panel; c < (order->strips ? panel + 1 : commands); c++)
            draw_command(order, c, svg);
        if (order->strips)
            lauka_svg_text(svg, 2, (frame.top + frame.bottom) / 2 + 4, 's',
                           panel == 0 ? "ta" : "tb", lauka_letter(svg->prose, panel));
    }
}

/* Above the panel: the strips have their letters beside them. */
static void draw_key(const struct order *order, struct lauka_svg *svg)
{
    if (order->strips || order->picture->result->command_count < 2)
        return;
    lauka_svg_path(svg, "pa");
    lauka_svg_dot(svg, order->left + 6, 8);
    lauka_svg_end(svg);
    lauka_svg_text(svg, order->left + 12, 13, 's', "ta", "A");
    lauka_svg_path(svg, "pb");
    lauka_svg_diamond(svg, order->left + 40, 8);
    lauka_svg_end(svg);
    lauka_svg_text(svg, order->left + 47, 13, 's', "tb", "B");
}

static void draw(struct order *order, struct lauka_svg *svg)
{
    const struct lauka_result *result = order->picture->result;
    double height;
    set_axes(order);
    height = order->strips ? strip_height * (double)result->command_count : panel_height;
    lauka_svg_open(svg, width, top_edge + height + 36, "Runs in the order they ran", find(order),
                   lauka_picture_names(svg->prose, result, result->command_count == 2 ? 1 : 0));
    draw_key(order, svg);
    draw_panels(order, svg);
    struct lauka_frame frame = {order->left, top_edge, right_edge, top_edge + height};
    lauka_svg_axis_below(svg, &order->across, &frame,
                         lauka_say(svg->prose, "%s; upwards: %s",
                                   has_order(result) ? "run" : "round",
                                   lauka_svg_axis_title(svg, order->picture, &order->up)));
    lauka_svg_close(svg);
}

void lauka_chart_order(const struct lauka_picture *picture, struct lauka_svg *svg)
{
    struct order order = {.picture = picture};
    if (picture->result->commands[0].streams)
        return;
    order.runs = calloc(picture->result->command_count + 1, sizeof *order.runs);
    if (order.runs && make_room(&order)) {
        collect(&order);
        if (order.length > 0)
            draw(&order, svg);
    }
    done(&order);
}
