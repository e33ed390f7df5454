/* The quantile shift: how far the quantiles of one command lie from the reference's, each with its interval, and which of
 * them differ beyond doubt. */
#include "report/plot/plot.h"
#include "report/result/result.h"
#include "report/text/prose.h"
#include "report/words/words.h"
#include "stats/histogram.h"
#include "stats/stats.h"

#include <math.h>

static struct lauka_span in_logs(struct lauka_span span)
{
    return (struct lauka_span){log(span.estimate), log(span.low), log(span.high)};
}

/* The charts of a page share alpha, as the verdicts of a family do. */
static double margin_of(const struct lauka_shift *shift)
{
    const struct lauka_picture *picture = shift->picture;
    const struct lauka_comparison *comparison =
        lauka_result_view(picture->result, shift->command, picture->metric).comparison;
    double family = comparison && comparison->family > 1 ? (double)comparison->family : 1;
    return lauka_share_margin(shift->pair[0].total, shift->pair[1].total, shift->alpha / family);
}

bool lauka_shift_of(const struct lauka_picture *picture, size_t command, struct lauka_shift *shift)
{
    *shift = (struct lauka_shift){.picture = picture,
                                  .command = command,
                                  .alpha = 1 - lauka_result_confidence(picture->result)};
    if (command == 0 || lauka_picture_pair(picture, command, shift->pair) != 2 ||
        shift->pair[0].total == 0 || shift->pair[1].total == 0)
        return false;
    shift->margin = margin_of(shift);
    shift->as_ratio = shift->pair[0].steps[0].lowest > 0 && shift->pair[1].steps[0].lowest > 0;
    return true;
}

/* The interval is about each quantile by itself, and of 99 some leave it by chance: a side also holds for all of them
 * together. */
struct lauka_shift_point lauka_shift_at(const struct lauka_shift *shift, uint32_t rank)
{
    struct lauka_shift_point point = {.known = true};
    struct lauka_span spans[2];
    for (size_t i = 0; i < 2; i++) {
        double value = lauka_distribution_quantile(&shift->pair[i], rank);
        spans[i] = (struct lauka_span){value, value, value};
        point.known &= lauka_distribution_span(&shift->pair[i], rank, shift->alpha, &spans[i]);
        if (shift->as_ratio)
            spans[i] = in_logs(spans[i]);
    }
    point.span = lauka_span_difference(spans[0], spans[1]);
    int side = !point.known ? 0 : point.span.low > 0 ? 1 : point.span.high < 0 ? -1 : 0;
    if (side != 0 && side == lauka_distribution_side(shift->pair, rank, shift->margin))
        point.side = side;
    return point;
}

/* Without an interval, two digits: nobody knows more. */
static const char *say_roughly(const struct lauka_shift *shift, double value)
{
    struct lauka_prose *prose = shift->picture->prose;
    const double share = expm1(value);
    if (!shift->as_ratio)
        return lauka_say(prose, "%s%s", lauka_sign(value, prose->utf8),
                         lauka_quantity(shift->picture, fabs(value)));
    if (fabs(share) < 5e-4)
        return "0 %";
    return lauka_say(prose, "%s%s", lauka_sign(share, prose->utf8),
                     lauka_say_share_roughly(prose, fabs(share)));
}

struct lauka_change lauka_shift_change(const struct lauka_shift *shift,
                                       const struct lauka_shift_point *point)
{
    struct lauka_prose *prose = shift->picture->prose;
    const struct lauka_span *span = &point->span;
    const struct lauka_optional estimate = {true, span->estimate}, low = {true, span->low},
                                high = {true, span->high};
    struct lauka_comparison comparison = {.confidence = 1 - shift->alpha};
    if (!point->known)
        return (struct lauka_change){say_roughly(shift, span->estimate), ""};
    if (shift->as_ratio) {
        comparison.log_ratio = estimate;
        comparison.log_low = low;
        comparison.log_high = high;
    } else {
        comparison.difference = estimate;
        comparison.difference_low = low;
        comparison.difference_high = high;
    }
    return lauka_change(
        prose, &comparison,
        lauka_result_scale(shift->picture->result, shift->picture->metric, prose->utf8));
}
