/* The quantile shift as a picture: how much more the slow runs of one command take than the slow runs of the
 * other, the fast ones than the fast ones, and all between. A mean says none of it. */
#include "report/html/html.h"
#include "report/html/svg.h"
#include "report/plot/plot.h"
#include "report/result/result.h"
#include "report/text/prose.h"
#include "report/words/words.h"
#include "stats/histogram.h"
#include "stats/stats.h"

#include <math.h>

enum { POINTS = 99, FEWEST = 5, MANY = 200 };
enum { WIDTH = 420, HEIGHT = 250 };

static const struct lauka_frame outer = {58, 22, 408, 212}; /* more room for longer labels */

struct shift {
    const struct lauka_picture *picture;
    struct lauka_shift of;
    size_t count;
    uint32_t ranks[POINTS];
    struct lauka_shift_point points[POINTS];
    struct lauka_axis across, up;
    struct lauka_frame frame;
};

/* ---- what it is ------------------------------------------------------------------------------ */

/* Every 1 % of many values, every 2.5 % of few. */
static bool fill(struct shift *shift, size_t command)
{
    struct lauka_distribution pair[2];
    lauka_picture_pair(shift->picture, command, pair);
    if (!lauka_shift_of(shift->picture->result, command, shift->picture->metric, pair, &shift->of))
        return false;
    uint64_t fewest = pair[0].total < pair[1].total ? pair[0].total : pair[1].total;
    uint32_t step = LAUKA_RANK_WHOLE / (fewest >= MANY ? 100 : 40);
    if (fewest < FEWEST)
        return false;
    for (uint32_t rank = step; rank < LAUKA_RANK_WHOLE; rank += step) {
        shift->ranks[shift->count] = rank;
        shift->points[shift->count++] = lauka_shift_at(&shift->of, rank);
    }
    return true;
}

/* The tails may go anywhere, and bands even further: as far again as the inner quantiles go is as
 * far as is shown. */
static void set_axes(struct shift *shift)
{
    double low = 0, high = 0, all_low = 0, all_high = 0;
    for (size_t i = 0; i < shift->count; i++) {
        const struct lauka_span *span = &shift->points[i].span;
        bool inner = shift->ranks[i] >= LAUKA_RANK_WHOLE / 10 &&
                     shift->ranks[i] <= LAUKA_RANK_WHOLE / 10 * 9;
        low = inner ? fmin(low, span->estimate) : low;
        high = inner ? fmax(high, span->estimate) : high;
        all_low = fmin(all_low, span->low);
        all_high = fmax(all_high, span->high);
    }
    double room = fmax(high - low, shift->of.as_ratio ? 0.01 : 0);
    shift->up = lauka_axis_of_changes(
        fmax(all_low, low - room), fmin(all_high, high + room), shift->of.as_ratio,
        lauka_result_scale(shift->picture->result, shift->picture->metric, true), true);
    shift->frame = outer;
    shift->frame.left = lauka_svg_left(&shift->up, &outer, outer.left);
    const struct lauka_frame frame = shift->frame;
    shift->up.begin = frame.bottom;
    shift->up.end = frame.top;
    shift->across = (struct lauka_axis){.kind = LAUKA_AXIS_SHARE, .to = 1, .utf8 = true};
    shift->across.begin = frame.left;
    shift->across.end = frame.right;
}

/* ---- what it says ---------------------------------------------------------------------------- */

static const char *shift_at(const struct shift *shift, size_t i)
{
    return lauka_shift_change(shift->picture->prose, &shift->of, &shift->points[i]).estimate;
}

static const char *direction_of(const struct shift *shift, bool more)
{
    const struct lauka_picture *picture = shift->picture;
    return lauka_direction_word(more, lauka_is_time(picture->result, picture->metric));
}

/* "B is slower beyond doubt from the 10 % to the 90 % quantile.", or nothing. */
static const char *find_clear(const struct shift *shift, int side)
{
    struct lauka_prose *prose = shift->picture->prose;
    size_t first = shift->count, last = 0, count = 0;
    for (size_t i = 0; i < shift->count; i++) {
        if (shift->points[i].side != side)
            continue;
        first = count == 0 ? i : first;
        last = i;
        count++;
    }
    if (count == 0)
        return "";
    const char *clear =
        lauka_say(prose, "%s is %s beyond doubt", lauka_letter(prose, shift->of.command),
                  direction_of(shift, side > 0));
    const char *from = lauka_say_rank(prose, shift->ranks[first]);
    return count == 1 ? lauka_say(prose, "%s at the %s %% quantile only.", clear, from)
                      : lauka_say(prose, "%s %s the %s %% to the %s %% quantile.", clear,
                                  count == last - first + 1 ? "from" : "in parts from", from,
                                  lauka_say_rank(prose, shift->ranks[last]));
}

/* A band takes two neighbours. */
static bool has_band(const struct shift *shift)
{
    bool found = false;
    for (size_t i = 1; i < shift->count; i++)
        found |= shift->points[i].known && shift->points[i - 1].known;
    return found;
}

static const char *find(const struct shift *shift)
{
    struct lauka_prose *prose = shift->picture->prose;
    size_t half = (shift->count - 1) / 2; /* 50 % */
    /* The 10 % quantile, and from the end the 90 % one. */
    size_t tenth = shift->count == POINTS ? 9 : 3;
    const char *clear = lauka_join(prose, find_clear(shift, 1), " ", find_clear(shift, -1));
    const char *band = "";
    if (has_band(shift))
        band = lauka_say(prose,
                         " The band is the %.3g %% interval of each quantile by itself; what is "
                         "beyond doubt is so for all together.",
                         100 * lauka_result_confidence(shift->picture->result));
    return lauka_say(prose, "%s At 10 %%: %s; at the median: %s; at 90 %%: %s.%s",
                     *clear ? clear : "No quantile differs beyond doubt.", shift_at(shift, tenth),
                     shift_at(shift, half), shift_at(shift, shift->count - 1 - tenth), band);
}

/* ---- how it is drawn ------------------------------------------------------------------------- */

static double x_of(const struct shift *shift, size_t i)
{
    return lauka_axis_place(&shift->across, shift->ranks[i] / (double)LAUKA_RANK_WHOLE);
}

static double y_of(const struct shift *shift, double value)
{
    const struct lauka_frame frame = shift->frame;
    double far = 4 * (frame.bottom - frame.top); /* what is cut off need not be exact */
    return fmin(fmax(lauka_axis_place(&shift->up, value), frame.top - far), frame.bottom + far);
}

static void draw_band(const struct shift *shift, struct lauka_svg *svg)
{
    for (size_t first = 0, last; first < shift->count; first = last + 1) {
        for (last = first; last < shift->count && shift->points[last].known; last++)
            ;
        if (last - first < 2)
            continue;
        lauka_svg_path(svg, "s");
        lauka_svg_move(svg, x_of(shift, first), y_of(shift, shift->points[first].span.high));
        for (size_t i = first + 1; i < last; i++)
            lauka_svg_to(svg, x_of(shift, i), y_of(shift, shift->points[i].span.high));
        for (size_t i = last; i-- > first;)
            lauka_svg_to(svg, x_of(shift, i), y_of(shift, shift->points[i].span.low));
        lauka_svg_end(svg);
    }
}

static void draw_line(const struct shift *shift, struct lauka_svg *svg)
{
    lauka_svg_path(svg, "lb");
    lauka_svg_move(svg, x_of(shift, 0), y_of(shift, shift->points[0].span.estimate));
    for (size_t i = 1; i < shift->count; i++)
        lauka_svg_to(svg, x_of(shift, i), y_of(shift, shift->points[i].span.estimate));
    lauka_svg_end(svg);
}

/* Its label stands above the frame, where no curve goes. */
static void draw_median(const struct shift *shift, struct lauka_svg *svg)
{
    size_t half = (shift->count - 1) / 2;
    lauka_svg_path(svg, "d");
    lauka_svg_diamond(svg, x_of(shift, half), y_of(shift, shift->points[half].span.estimate));
    lauka_svg_end(svg);
    lauka_svg_text(svg, shift->frame.right, 13, 'e', "n",
                   lauka_say(svg->prose, "◆ median %s", shift_at(shift, half)));
}

void lauka_chart_shift(const struct lauka_picture *picture, size_t command, struct lauka_svg *svg)
{
    struct shift shift = {.picture = picture};
    const char *letter = lauka_letter(svg->prose, command);
    if (!fill(&shift, command))
        return;
    set_axes(&shift);
    lauka_svg_open(svg, WIDTH, HEIGHT,
                   lauka_say(svg->prose, "%s against A, quantile by quantile", letter),
                   find(&shift), lauka_picture_names(svg->prose, picture->result, command));
    lauka_svg_text(svg, shift.frame.left, 13, 's', "t",
                   lauka_say(svg->prose, "↑ %s is %s", letter, direction_of(&shift, true)));
    lauka_svg_axis_beside(svg, &shift.up, &shift.frame);
    lauka_svg_axis_below(svg, &shift.across, &shift.frame,
                         lauka_is_time(picture->result, picture->metric)
                             ? "quantile: the fastest run is 0 %, the slowest 100 %"
                             : "quantile: the least is 0 %, the most 100 %");
    lauka_svg_clip(svg, &shift.frame);
    draw_band(&shift, svg);
    draw_line(&shift, svg);
    lauka_svg_unclip(svg);
    draw_median(&shift, svg);
    lauka_svg_close(svg);
}
