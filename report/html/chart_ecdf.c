/* Distribution functions: the share of runs up to each value. Nothing is binned or smoothed; the
 * further right a curve, the more its command costs. */
#include "report/html/html.h"
#include "report/html/svg.h"
#include "report/plot/plot.h"
#include "stats/histogram.h"

#include <math.h>

enum { WIDTH = 420, HEIGHT = 250 };

static const struct lauka_frame frame = {46, 14, 408, 212};
static const double finest = 0.8; /* what is less apart on both axes is not seen */

/* What goes on beyond the frame need not be exact. */
static double limited(double x)
{
    return fmin(fmax(x, frame.left - 100), frame.right + 100);
}

static void draw_curve(const struct lauka_axis *across, const struct lauka_axis *up,
                       const struct lauka_distribution *distribution, const char *style,
                       struct lauka_svg *svg)
{
    double last_x = frame.left, last_y = frame.bottom;
    lauka_svg_path(svg, style);
    lauka_svg_move(svg, limited(lauka_axis_place(across, (double)distribution->steps[0].lowest)),
                   frame.bottom);
    for (size_t i = 0; i < distribution->count; i++) {
        const struct lauka_step *step = &distribution->steps[i];
        double value = (double)step->lowest + (double)(step->highest - step->lowest) / 2;
        double share = (double)step->cumulative / (double)distribution->total;
        double x = limited(lauka_axis_place(across, value)), y = lauka_axis_place(up, share);
        bool ends = i + 1 == distribution->count;
        if (!ends && x - last_x < finest && last_y - y < finest)
            continue;
        lauka_svg_across(svg, x);
        lauka_svg_along(svg, y);
        last_x = x;
        last_y = y;
    }
    lauka_svg_end(svg);
}

/* Half way up, where curves that rise leave room: above to the left, below to the right. */
static void draw_letters(const struct lauka_axis *across, const struct lauka_distribution pair[2],
                         size_t count, size_t command, struct lauka_svg *svg)
{
    double x[2] = {0, 0};
    for (size_t i = 0; i < count; i++)
        x[i] = limited(
            lauka_axis_place(across, lauka_distribution_quantile(&pair[i], LAUKA_RANK_WHOLE / 2)));
    for (size_t i = 0; i < count && count == 2; i++) {
        bool left = (x[i] < x[1 - i] || (x[0] == x[1] && i == 0));
        double place = left ? x[i] - 7 : x[i] + 7;
        place = fmin(fmax(place, frame.left + 10), frame.right - 10);
        lauka_svg_text(svg, place, (frame.top + frame.bottom) / 2 + (left ? -3 : 12),
                       left ? 'e' : 's', i == 0 ? "ta" : "tb",
                       lauka_letter(svg->prose, i == 0 ? 0 : command));
    }
}

static const char *find(const struct lauka_picture *picture, size_t command,
                        const struct lauka_distribution pair[2])
{
    struct lauka_prose *prose = picture->prose;
    const size_t commands[2] = {0, command};
    const char *runs = lauka_picture_runs(picture), *finding;
    double median = lauka_distribution_quantile(&pair[0], LAUKA_RANK_WHOLE / 2);
    if (command == 0) {
        double ninety = lauka_distribution_quantile(&pair[0], LAUKA_RANK_WHOLE / 10 * 9);
        finding = lauka_say(prose, "Half of the %s are at most %s, nine of ten at most %s.", runs,
                            lauka_quantity(picture, median), lauka_quantity(picture, ninety));
    } else {
        double upto = lauka_distribution_below(&pair[1], nextafter(median, INFINITY));
        double above = 100 * (1 - upto / (double)pair[1].total);
        bool nearly = above < 100 && above >= 99.95; /* and nothing else looks like all */
        finding = lauka_say(prose, "%s%.3g %% of %s’s %s lie above A’s median of %s.",
                            nearly ? "More than " : "", nearly ? 99.9 : above,
                            lauka_letter(prose, command), runs, lauka_quantity(picture, median));
    }
    return lauka_say(prose, "%s%s", finding,
                     lauka_picture_cut(picture, commands, command == 0 ? 1 : 2));
}

void lauka_chart_ecdf(const struct lauka_picture *picture, size_t command, struct lauka_svg *svg)
{
    struct lauka_distribution pair[2];
    struct lauka_axis across = picture->axis;
    struct lauka_axis up = {.kind = LAUKA_AXIS_SHARE, .to = 1, .utf8 = true};
    const struct lauka_frame clip = {frame.left, frame.top - 1, frame.right, frame.bottom + 1};
    size_t count = lauka_picture_pair(picture, command, pair);
    if (pair[0].total == 0 || (count == 2 && pair[1].total == 0))
        return;
    across.begin = frame.left;
    across.end = frame.right;
    up.begin = frame.bottom;
    up.end = frame.top;
    lauka_svg_open(
        svg, WIDTH, HEIGHT,
        lauka_say(svg->prose, "Share of %s up to each value", lauka_picture_runs(picture)),
        find(picture, command, pair), lauka_picture_names(svg->prose, picture->result, command));
    lauka_svg_axis_beside(svg, &up, &frame);
    lauka_svg_axis_below(svg, &across, &frame, lauka_svg_axis_title(svg, picture, &across));
    lauka_svg_clip(svg, &clip);
    for (size_t i = 0; i < count; i++)
        draw_curve(&across, &up, &pair[i], i == 0 ? "la" : "lb", svg);
    lauka_svg_unclip(svg);
    draw_letters(&across, pair, count, command, svg);
    lauka_svg_close(svg);
}
