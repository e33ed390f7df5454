/* The quantile shift: how much more the slow runs of one command take than the slow runs of the
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
    size_t command;
    bool as_ratio;
    size_t count;
    uint32_t ranks[POINTS];
    struct lauka_span spans[POINTS]; /* logarithms of ratios, or differences */
    bool known[POINTS];              /* whether there are values enough for the interval */
    int sides[POINTS];               /* as lauka_distribution_side has them */
    struct lauka_axis across, up;
    struct lauka_frame frame;
};

/* ---- what it is ------------------------------------------------------------------------------ */

static struct lauka_span in_logs(struct lauka_span span)
{
    return (struct lauka_span){log(span.estimate), log(span.low), log(span.high)};
}

static void take(struct shift *shift, const struct lauka_distribution pair[2], double alpha,
                 size_t i)
{
    struct lauka_span spans[2];
    shift->known[i] = true;
    for (size_t side = 0; side < 2; side++) {
        double value = lauka_distribution_quantile(&pair[side], shift->ranks[i]);
        spans[side] = (struct lauka_span){value, value, value};
        shift->known[i] &=
            lauka_distribution_span(&pair[side], shift->ranks[i], alpha, &spans[side]);
        if (shift->as_ratio)
            spans[side] = in_logs(spans[side]);
    }
    shift->spans[i] = lauka_span_difference(spans[0], spans[1]);
}

/* The charts of a page share alpha, as the verdicts of a family do. */
static double margin_of(const struct shift *shift, const struct lauka_distribution pair[2],
                        double alpha)
{
    const struct lauka_picture *picture = shift->picture;
    const struct lauka_comparison *comparison =
        lauka_result_view(picture->result, shift->command, picture->metric).comparison;
    double family = comparison && comparison->family > 1 ? (double)comparison->family : 1;
    return lauka_share_margin(pair[0].total, pair[1].total, alpha / family);
}

/* Every 1 % of many values, every 2.5 % of few. */
static bool fill(struct shift *shift)
{
    struct lauka_distribution pair[2];
    lauka_picture_pair(shift->picture, shift->command, pair);
    uint64_t fewest = pair[0].total < pair[1].total ? pair[0].total : pair[1].total;
    uint32_t step = LAUKA_RANK_WHOLE / (fewest >= MANY ? 100 : 40);
    double alpha = 1 - lauka_result_confidence(shift->picture->result);
    if (fewest < FEWEST)
        return false;
    double margin = margin_of(shift, pair, alpha);
    shift->as_ratio = pair[0].steps[0].lowest > 0 && pair[1].steps[0].lowest > 0;
    for (uint32_t rank = step; rank < LAUKA_RANK_WHOLE; rank += step) {
        shift->ranks[shift->count] = rank;
        shift->sides[shift->count] = lauka_distribution_side(pair, rank, margin);
        take(shift, pair, alpha, shift->count++);
    }
    return true;
}

/* The tails may go anywhere, and bands even further: as far again as the inner quantiles go is as
 * far as is shown. */
static void set_axes(struct shift *shift)
{
    double low = 0, high = 0, all_low = 0, all_high = 0;
    for (size_t i = 0; i < shift->count; i++) {
        const struct lauka_span *span = &shift->spans[i];
        bool inner = shift->ranks[i] >= LAUKA_RANK_WHOLE / 10 &&
                     shift->ranks[i] <= LAUKA_RANK_WHOLE / 10 * 9;
        low = inner ? fmin(low, span->estimate) : low;
        high = inner ? fmax(high, span->estimate) : high;
        all_low = fmin(all_low, span->low);
        all_high = fmax(all_high, span->high);
    }
    double room = fmax(high - low, shift->as_ratio ? 0.01 : 0);
    shift->up = lauka_axis_of_changes(
        fmax(all_low, low - room), fmin(all_high, high + room), shift->as_ratio,
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
    struct lauka_prose *prose = shift->picture->prose;
    double value = shift->spans[i].estimate;
    return shift->as_ratio ? lauka_say_change(prose, exp(value))
                           : lauka_say(prose, "%s%s", lauka_sign(value, true),
                                       lauka_quantity(shift->picture, fabs(value)));
}

/* 1: higher beyond doubt, -1: lower. The band is about each quantile by itself, and of 99 some leave
 * it by chance: what is said holds of all of them together, too. */
static int side_of(const struct shift *shift, size_t i)
{
    const struct lauka_span *span = &shift->spans[i];
    int side = !shift->known[i] ? 0 : span->low > 0 ? 1 : span->high < 0 ? -1 : 0;
    return side == shift->sides[i] ? side : 0;
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
        if (side_of(shift, i) != side)
            continue;
        first = count == 0 ? i : first;
        last = i;
        count++;
    }
    if (count == 0)
        return "";
    const char *clear =
        lauka_say(prose, "%s is %s beyond doubt", lauka_letter(prose, shift->command),
                  direction_of(shift, side > 0));
    const char *from = lauka_say_rank(prose, shift->ranks[first]);
    return count == 1 ? lauka_say(prose, "%s at the %s %% quantile only.", clear, from)
                      : lauka_say(prose, "%s %s the %s %% to the %s %% quantile.", clear,
                                  count == last - first + 1 ? "from" : "in parts from", from,
                                  lauka_say_rank(prose, shift->ranks[last]));
}

static const char *find(const struct shift *shift)
{
    struct lauka_prose *prose = shift->picture->prose;
    size_t half = (shift->count - 1) / 2; /* 50 % */
    /* The 10 % quantile, and from the end the 90 % one. */
    size_t tenth = shift->count == POINTS ? 9 : 3;
    const char *clear = lauka_join(prose, find_clear(shift, 1), " ", find_clear(shift, -1));
    return lauka_say(prose,
                     "%s At 10 %%: %s; at the median: %s; at 90 %%: %s. The band is the %.3g %% "
                     "interval of each quantile by itself; what is beyond doubt is so for all "
                     "together.",
                     *clear ? clear : "No quantile differs beyond doubt.", shift_at(shift, tenth),
                     shift_at(shift, half), shift_at(shift, shift->count - 1 - tenth),
                     100 * lauka_result_confidence(shift->picture->result));
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
        for (last = first; last < shift->count && shift->known[last]; last++)
            ;
        if (last - first < 2)
            continue;
        lauka_svg_path(svg, "s");
        lauka_svg_move(svg, x_of(shift, first), y_of(shift, shift->spans[first].high));
        for (size_t i = first + 1; i < last; i++)
            lauka_svg_to(svg, x_of(shift, i), y_of(shift, shift->spans[i].high));
        for (size_t i = last; i-- > first;)
            lauka_svg_to(svg, x_of(shift, i), y_of(shift, shift->spans[i].low));
        lauka_svg_end(svg);
    }
}

static void draw_line(const struct shift *shift, struct lauka_svg *svg)
{
    lauka_svg_path(svg, "lb");
    lauka_svg_move(svg, x_of(shift, 0), y_of(shift, shift->spans[0].estimate));
    for (size_t i = 1; i < shift->count; i++)
        lauka_svg_to(svg, x_of(shift, i), y_of(shift, shift->spans[i].estimate));
    lauka_svg_end(svg);
}

/* Above the line, or below it where the frame or the line of no change is in the way. */
static double label_place(const struct shift *shift, double y)
{
    const struct lauka_frame frame = shift->frame;
    double zero = lauka_axis_place(&shift->up, 0) - 4; /* of the letters' middle */
    double above = y - 10, below = y + 20;
    bool fits = above > frame.top + 10 && fabs(above - zero) > 10;
    return !fits && below < frame.bottom - 4 && fabs(below - zero) > 10 ? below
           : above > frame.top + 10                                     ? above
                                                                        : frame.top + 12;
}

static void draw_median(const struct shift *shift, struct lauka_svg *svg)
{
    size_t half = (shift->count - 1) / 2;
    double x = x_of(shift, half), y = y_of(shift, shift->spans[half].estimate);
    lauka_svg_path(svg, "d");
    lauka_svg_diamond(svg, x, y);
    lauka_svg_end(svg);
    lauka_svg_text(svg, x, label_place(shift, y), 'm', "n",
                   lauka_say(svg->prose, "median %s", shift_at(shift, half)));
}

void lauka_chart_shift(const struct lauka_picture *picture, size_t command, struct lauka_svg *svg)
{
    struct shift shift = {.picture = picture, .command = command};
    const char *letter = lauka_letter(svg->prose, command);
    if (command == 0 || !fill(&shift))
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
