/* How the values of a command lie beside those of the reference: distribution functions, in which nothing is binned or
 * smoothed; and histograms back to back, with equal bins and one scale of shares, so that shapes are compared and not
 * areas. */
#include "report/html/html.h"
#include "report/html/svg.h"
#include "report/plot/plot.h"
#include "stats/histogram.h"

#include <math.h>

enum { WIDTH = 420, HEIGHT = 250, BINS = 60, NAME_WIDTH = 24 };

static const struct lauka_frame frame = {46, 14, 408, 212};

/* ---- the share of runs up to each value: the further right a curve, the more its command costs -- */

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

/* A letter's box beside the curve, at this share: to the left of where it rises and above that, or to the right and below. */
static struct lauka_frame letter_box(const struct lauka_axis *across, const struct lauka_axis *up,
                                     const struct lauka_distribution *own, double share, bool left)
{
    const double wide = 8, high = 9, away = 7;
    const uint32_t rank = (uint32_t)(share * LAUKA_RANK_WHOLE);
    const double x = limited(lauka_axis_place(across, lauka_distribution_quantile(own, rank)));
    const double begin = left ? x - away - wide : x + away;
    const double bottom = lauka_axis_place(up, share) + (left ? -3 : 12);
    return (struct lauka_frame){begin, bottom - high, begin + wide, bottom};
}

/* Whether the curve goes through the box. */
static bool is_crossed(const struct lauka_axis *across, const struct lauka_axis *up,
                       const struct lauka_distribution *curve, const struct lauka_frame *box)
{
    const double first = lauka_axis_value(across, box->left - 1),
                 last = nextafter(lauka_axis_value(across, box->right + 1), INFINITY);
    const double low = lauka_distribution_below(curve, first) / (double)curve->total;
    const double high = lauka_distribution_below(curve, last) / (double)curve->total;
    return high > 0 && low < 1 && lauka_axis_place(up, high) < box->bottom + 1 &&
           lauka_axis_place(up, low) > box->top - 1;
}

static bool is_apart(const struct lauka_frame *box, const struct lauka_frame *other)
{
    return box->right < other->left || other->right < box->left || box->bottom < other->top ||
           other->bottom < box->top;
}

/* About half way up, where neither a curve nor the other letter is: the lower command's to the left if it can be. */
static void draw_letters(const struct lauka_axis *across, const struct lauka_axis *up,
                         const struct lauka_distribution pair[2], size_t command,
                         struct lauka_svg *svg)
{
    static const double shares[] = {.5, .42, .58, .34, .66, .25, .75, .15, .85};
    enum { PLACES = 2 * sizeof shares / sizeof *shares };
    const uint32_t half = LAUKA_RANK_WHOLE / 2;
    const bool first_is_lower =
        lauka_distribution_quantile(&pair[0], half) <= lauka_distribution_quantile(&pair[1], half);
    struct lauka_frame taken = {-1, -1, -1, -1};
    for (size_t i = 0; i < 2; i++) {
        bool left = false, done = false;
        struct lauka_frame box = taken;
        for (size_t p = 0; p < PLACES && !done; p++) {
            left = (p % 2 == 0) == ((i == 0) == first_is_lower);
            box = letter_box(across, up, &pair[i], shares[p / 2], left);
            done = box.left > frame.left && box.right < frame.right && is_apart(&box, &taken) &&
                   !is_crossed(across, up, &pair[0], &box) &&
                   !is_crossed(across, up, &pair[1], &box);
        }
        lauka_svg_text(svg, left ? box.right : box.left, box.bottom, left ? 'e' : 's',
                       i == 0 ? "ta" : "tb", lauka_letter(svg->prose, i == 0 ? 0 : command));
        taken = box;
    }
}

static const char *find_above(const struct lauka_picture *picture, size_t command,
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
        find_above(picture, command, pair),
        lauka_picture_names(svg->prose, picture->result, command));
    lauka_svg_axis_beside(svg, &up, &frame);
    lauka_svg_axis_below(svg, &across, &frame, lauka_svg_axis_title(svg, picture, &across));
    lauka_svg_clip(svg, &clip);
    for (size_t i = 0; i < count; i++)
        draw_curve(&across, &up, &pair[i], i == 0 ? "la" : "lb", svg);
    lauka_svg_unclip(svg);
    if (count == 2)
        draw_letters(&across, &up, pair, command, svg);
    lauka_svg_close(svg);
}

/* ---- the share of runs in each step: the reference above the line, the other below it ----------- */

static void draw_bars(const struct lauka_bins *bins, const struct lauka_axis *across,
                      const struct lauka_axis *up, size_t side, struct lauka_svg *svg)
{
    struct lauka_axis plain = *across; /* edges are logarithms already */
    plain.kind = LAUKA_AXIS_LINEAR;
    double zero = lauka_axis_place(up, 0);
    lauka_svg_path(svg, side == 0 ? "ba" : "bb");
    for (size_t i = 0; i < bins->count; i++) {
        double left = fmax(lauka_axis_place(&plain, bins->edges[i]), frame.left);
        double right = fmin(lauka_axis_place(&plain, bins->edges[i + 1]), frame.right);
        double height = lauka_axis_place(up, bins->shares[side][i]) - zero;
        if (bins->shares[side][i] <= 0 || right <= left)
            continue;
        if (fabs(height) < 0.6) /* one run in a million is there to be seen */
            height = height < 0 ? -0.6 : 0.6;
        lauka_svg_move(svg, left, zero);
        lauka_svg_along(svg, zero + height);
        lauka_svg_across(svg, right - (right - left > 3 ? 0.7 : 0));
        lauka_svg_along(svg, zero);
    }
    lauka_svg_end(svg);
}

/* "12.10 ms to 12.15 ms: A 5 %, B 12 %" of each step with values in it. */
static void draw_hovers(const struct lauka_picture *picture, const struct lauka_bins *bins,
                        const struct lauka_axis *across, size_t command, size_t sides,
                        struct lauka_svg *svg)
{
    struct lauka_axis plain = *across;
    plain.kind = LAUKA_AXIS_LINEAR;
    for (size_t i = 0; i < bins->count; i++) {
        double from = bins->edges[i], to = bins->edges[i + 1];
        double left = fmax(lauka_axis_place(&plain, from), frame.left);
        double right = fmin(lauka_axis_place(&plain, to), frame.right);
        bool logs = across->kind == LAUKA_AXIS_LOG;
        if (right <= left || (bins->shares[0][i] <= 0 && (sides == 1 || bins->shares[1][i] <= 0)))
            continue;
        const char *share = lauka_say_share(svg->prose, bins->shares[0][i]);
        if (sides == 2)
            share = lauka_say(svg->prose, "A %s, %s %s", share, lauka_letter(svg->prose, command),
                              lauka_say_share(svg->prose, bins->shares[1][i]));
        const char *text =
            lauka_say(svg->prose, "%s to %s: %s", lauka_quantity(picture, logs ? exp(from) : from),
                      lauka_quantity(picture, logs ? exp(to) : to), share);
        lauka_svg_hover(svg, left, frame.top, right - left, frame.bottom - frame.top, text);
    }
}

static void draw_name(const struct lauka_picture *picture, size_t command, double y,
                      const char *style, struct lauka_svg *svg)
{
    lauka_svg_text(svg, frame.right, y, 'e', style,
                   lauka_lettered_name(svg->prose, picture->result, command, NAME_WIDTH));
}

/* Half of all runs, from the first quartile to the third. */
static const char *find_middle(const struct lauka_picture *picture, size_t command,
                               const struct lauka_distribution pair[2])
{
    struct lauka_prose *prose = picture->prose;
    const size_t commands[2] = {0, command}, count = command == 0 ? 1 : 2;
    const char *runs = lauka_picture_runs(picture), *finding = "";
    for (size_t i = 0; i < count; i++) {
        uint32_t quarter = LAUKA_RANK_WHOLE / 4;
        double first = lauka_distribution_quantile(&pair[i], quarter);
        double third = lauka_distribution_quantile(&pair[i], 3 * quarter);
        const char *letter = lauka_letter(prose, commands[i]),
                   *low = lauka_quantity(picture, first);
        const char *said =
            pair[i].count == 1 ? lauka_say(prose, "%s is always %s.", letter, low)
            : first == third
                ? lauka_say(prose, "Half of %s’s %s and more are %s.", letter, runs, low)
                : lauka_say(prose, "The middle half of %s’s %s lies between %s and %s.", letter,
                            runs, low, lauka_quantity(picture, third));
        finding = lauka_join(prose, finding, " ", said);
    }
    return lauka_say(prose, "%s%s", finding, lauka_picture_cut(picture, commands, count));
}

static struct lauka_axis shares_axis(const struct lauka_bins *bins, size_t sides)
{
    double middle = sides == 2 ? (frame.top + frame.bottom) / 2 : frame.bottom;
    return (struct lauka_axis){.kind = LAUKA_AXIS_SHARE,
                               .to = bins->most > 0 ? (sides == 2 ? 1.2 : 1.1) * bins->most
                                                    : 1, /* names */
                               .begin = middle,
                               .end = frame.top,
                               .utf8 = true};
}

/* The same below the line as above it. */
static struct lauka_axis mirrored(struct lauka_axis axis)
{
    axis.end = 2 * axis.begin - axis.end;
    return axis;
}

static void draw_shares(const struct lauka_axis *up, bool twice, struct lauka_svg *svg)
{
    struct lauka_ticks ticks;
    lauka_axis_ticks(up, 0, twice ? 3 : 5, &ticks);
    for (size_t i = 0; i < ticks.count; i++)
        for (int side = 0; side <= (twice && i > 0); side++) {
            double y = side == 0 ? ticks.place[i] : 2 * up->begin - ticks.place[i];
            lauka_svg_line(svg, frame.left, y, frame.right, y, "g");
            lauka_svg_text(svg, frame.left - 6, y + 4, 'e', "t", ticks.text[i]);
        }
}

void lauka_chart_histogram(const struct lauka_picture *picture, size_t command,
                           struct lauka_svg *svg)
{
    struct lauka_distribution pair[2];
    struct lauka_axis across = picture->axis;
    struct lauka_bins bins;
    size_t count = lauka_picture_pair(picture, command, pair);
    if (pair[0].total == 0 || (count == 2 && pair[1].total == 0))
        return;
    lauka_bins_of(&across, pair, count, BINS, &bins);
    across.begin = frame.left;
    across.end = frame.right;
    struct lauka_axis up = shares_axis(&bins, count), down = mirrored(up);
    lauka_svg_open(svg, WIDTH, HEIGHT,
                   lauka_say(svg->prose, "Share of %s in each step", lauka_picture_runs(picture)),
                   find_middle(picture, command, pair),
                   lauka_picture_names(svg->prose, picture->result, command));
    draw_shares(&up, count == 2, svg);
    draw_bars(&bins, &across, &up, 0, svg);
    if (count == 2)
        draw_bars(&bins, &across, &down, 1, svg);
    lauka_svg_line(svg, frame.left, up.begin, frame.right, up.begin, "x");
    lauka_svg_axis_below(svg, &across, &frame, lauka_svg_axis_title(svg, picture, &across));
    draw_name(picture, 0, frame.top + 10, "ta", svg);
    if (count == 2)
        draw_name(picture, command, frame.bottom - 6, "tb", svg);
    draw_hovers(picture, &bins, &across, command, count, svg);
    lauka_svg_close(svg);
}
