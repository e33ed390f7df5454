/* From values to coordinates, with ticks at round numbers. An axis begins where values begin, not at a
 * rounded place before them; and at 0 only if 0 is near or is what is compared with. */
#include "report/plot/plot.h"
#include "report/result/result.h"
#include "report/text/prose.h"
#include "stats/histogram.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CANDIDATES = 64 };

static const double far_apart = 20;    /* a factor from which on commands need a logarithmic axis */
static const double percent_until = 3; /* a factor; beyond it, factors are easier than percent */

/* ---- the range ------------------------------------------------------------------------------- */

struct range {
    double low, high;
};

static struct range joined(struct range a, double low, double high)
{
    return (struct range){fmin(a.low, low), fmax(a.high, high)};
}

/* A twentieth of a dozen values is none: at least one on each side is left out. */
static uint32_t one_at_least(uint64_t total, uint32_t left_out)
{
    enum { FEW = 8, MANY = 20 };
    return left_out > 0 && total >= FEW && total < MANY ? LAUKA_RANK_WHOLE / (uint32_t)total + 1
                                                        : left_out;
}

/* The range of all values, or of all except so small a share on each side. */
static struct range range_of(const struct lauka_distribution *distributions, size_t count,
                             uint32_t left_out)
{
    struct range range = {INFINITY, -INFINITY};
    for (size_t i = 0; i < count; i++)
        if (distributions[i].total > 0) {
            uint32_t out = one_at_least(distributions[i].total, left_out);
            range = joined(range, lauka_distribution_quantile(&distributions[i], out),
                           lauka_distribution_quantile(&distributions[i], LAUKA_RANK_WHOLE - out));
        }
    return range;
}

/* A value that is farther from the others than half as much again as they are wide would squeeze them
 * together: it is cut off, and this is said. */
static struct range without_stray(struct range all, struct range core)
{
    double room = 1.5 * (core.high - core.low);
    if (room <= 0)
        return all;
    return (struct range){fmax(all.low, core.low - room), fmin(all.high, core.high + room)};
}

static struct range padded(struct range range)
{
    double width = range.high - range.low;
    double room = width > 0 ? 0.03 * width : range.high != 0 ? 0.01 * fabs(range.high) : 0.5;
    return (struct range){range.low - room, range.high + room};
}

static struct range in_logs(struct range range)
{
    return (struct range){log(range.low), log(range.high)};
}

/* If values agree in five or more leading digits, ticks show only what follows. */
static void count_from(struct lauka_axis *axis, double origin,
                       const struct lauka_result_metric *metric)
{
    double unit = lauka_result_unit(metric), width = axis->to - axis->from;
    if (width > 1e-5 * axis->to)
        return;
    axis->origin = origin;
    axis->unit_divisor = unit;
    axis->scale = lauka_scale_for(width / unit, metric->unit, axis->utf8);
    axis->scale.divisor *= unit;
}

struct lauka_axis lauka_axis_of_values(const struct lauka_result *result, size_t metric,
                                       const struct lauka_distribution *distributions, size_t count,
                                       bool utf8)
{
    struct range all = range_of(distributions, count, 0), core;
    struct lauka_axis axis = {.begin = 0, .end = 1, .utf8 = utf8};
    if (!(all.low <= all.high))
        all = (struct range){0, 1};
    core = all.low < all.high ? range_of(distributions, count, LAUKA_RANK_WHOLE / 20) : all;
    bool as_logs = all.low > 0 && core.high > far_apart * core.low;
    if (as_logs) {
        all = in_logs(all);
        core = in_logs(core);
    }
    struct range shown = padded(without_stray(all, core));
    if (!as_logs && all.low >= 0 && shown.low < 0.15 * shown.high)
        shown.low = 0;
    axis.kind = as_logs ? LAUKA_AXIS_LOG : LAUKA_AXIS_LINEAR;
    axis.unit = result->metrics[metric].unit;
    axis.scale = lauka_result_scale(result, metric, utf8);
    if (as_logs)
        axis.scale.divisor = lauka_result_unit(&result->metrics[metric]);
    axis.from = shown.low;
    axis.to = shown.high;
    if (!as_logs && all.low < all.high)
        count_from(&axis, all.low, &result->metrics[metric]);
    axis.cut_low = all.low < shown.low;
    axis.cut_high = all.high > shown.high;
    return axis;
}

struct lauka_axis lauka_axis_of_changes(double low, double high, bool as_ratio,
                                        struct lauka_scale scale, bool utf8)
{
    struct range range = joined((struct range){low, high}, 0, 0);
    if (range.low == range.high)
        range =
            as_ratio ? (struct range){-0.01, 0.01} : (struct range){-scale.divisor, scale.divisor};
    if (as_ratio && range.high - range.low < 2e-6) /* less than labels can tell */
        range = (struct range){fmin(range.low, -1e-6), fmax(range.high, 1e-6)};
    range = padded(range);
    if (as_ratio) /* two values of 64 bits, each with an interval: exp() stays finite */
        range = (struct range){fmax(range.low, -100), fmin(range.high, 100)};
    return (struct lauka_axis){
        .kind = as_ratio ? LAUKA_AXIS_RATIO : LAUKA_AXIS_CHANGE,
        .from = range.low,
        .to = range.high,
        .begin = 0,
        .end = 1,
        .scale = scale,
        .utf8 = utf8,
    };
}

double lauka_axis_place(const struct lauka_axis *axis, double value)
{
    double along = axis->kind == LAUKA_AXIS_LOG ? log(value) : value;
    return axis->begin + (along - axis->from) / (axis->to - axis->from) * (axis->end - axis->begin);
}

double lauka_axis_value(const struct lauka_axis *axis, double place)
{
    double along =
        axis->from + (place - axis->begin) / (axis->end - axis->begin) * (axis->to - axis->from);
    return axis->kind == LAUKA_AXIS_LOG ? exp(along) : along;
}

double lauka_axis_limited(const struct lauka_axis *axis, double value)
{
    const double least = fmin(axis->begin, axis->end), most = fmax(axis->begin, axis->end);
    return fmin(fmax(lauka_axis_place(axis, value), least), most);
}

bool lauka_axis_holds(const struct lauka_axis *axis, double value)
{
    double along = axis->kind == LAUKA_AXIS_LOG ? log(value) : value;
    return along >= axis->from && along <= axis->to;
}

/* ---- ticks ----------------------------------------------------------------------------------- */

/* 1, 2, 5, 10, 20 ... times the power of ten. */
static double round_step(int index, int power)
{
    static const double steps[] = {1, 2, 5};
    return steps[index % 3] * lauka_power_of_ten(power + index / 3);
}

static bool add_tick(const struct lauka_axis *axis, double value, struct lauka_ticks *ticks)
{
    if (ticks->count == LAUKA_TICKS)
        return false;
    ticks->place[ticks->count++] = lauka_axis_place(axis, value);
    return true;
}

static char *last_text(struct lauka_ticks *ticks)
{
    return ticks->text[ticks->count - 1];
}

static int decimals_of(double step)
{
    double decimals = ceil(-log10(step) - 1e-9);
    return decimals < 0 ? 0 : decimals > 9 ? 9 : (int)decimals;
}

static void put_signed(const struct lauka_axis *axis, double value, int decimals,
                       const char *suffix, char *text)
{
    if (fabs(value) < 1e-12)
        snprintf(text, LAUKA_TICK_SIZE, "0%s", suffix);
    else
        snprintf(text, LAUKA_TICK_SIZE, "%s%.*f%s", lauka_sign(value, axis->utf8), decimals,
                 fabs(value), suffix);
}

/* "200 K", "1.5 M" */
static void put_count(double count, double step, char *text)
{
    bool millions = step >= 1e5 || count >= 1e7;
    double scaled = count / (millions ? 1e6 : 1e3);
    snprintf(text, LAUKA_TICK_SIZE, count > 0 ? "%.6g %s" : "0", scaled, millions ? "M" : "K");
}

/* Every `step` of the scaled value. */
static bool linear_ticks(const struct lauka_axis *axis, double step, struct lauka_ticks *ticks)
{
    const double divisor = axis->kind == LAUKA_AXIS_SHARE   ? 0.01
                           : axis->kind == LAUKA_AXIS_COUNT ? 1
                                                            : axis->scale.divisor;
    const int decimals = decimals_of(step);
    for (double k =
             ceil((axis->from - axis->origin) / divisor / step - 1e-9) + 0.0; /* -0 + 0 is 0 */
         k * step <= (axis->to - axis->origin) / divisor * (1 + 1e-12) + 1e-300; k++) {
        if (!add_tick(axis, axis->origin + k * step * divisor, ticks))
            return false;
        if (axis->kind == LAUKA_AXIS_CHANGE || axis->origin != 0)
            put_signed(axis, k * step, decimals, "", last_text(ticks));
        else if (axis->kind == LAUKA_AXIS_COUNT && step >= 1000)
            put_count(k * step, step, last_text(ticks));
        else
            snprintf(last_text(ticks), LAUKA_TICK_SIZE, "%.*f%s", decimals, k * step,
                     axis->kind == LAUKA_AXIS_SHARE ? " %" : "");
    }
    return true;
}

static bool percent_ticks(const struct lauka_axis *axis, double step, struct lauka_ticks *ticks)
{
    for (double k = ceil(100 * expm1(axis->from) / step - 1e-9); k * step <= 100 * expm1(axis->to);
         k++) {
        if (!add_tick(axis, log1p(k * step / 100), ticks))
            return false;
        put_signed(axis, k * step, decimals_of(step), " %", last_text(ticks));
    }
    return true;
}

/* "×10⁸", "×2·10⁸" */
static void put_power(double size, const char *sign, bool utf8, char *text)
{
    static const char *const raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    int power = (int)floor(log10(size) + 1e-9),
        first = (int)lround(size / lauka_power_of_ten(power));
    char digits[16] = "", leading[8] = "";
    if (!utf8) {
        snprintf(text, LAUKA_TICK_SIZE, "%s%de%d", sign, first, power % 1000);
        return;
    }
    if (first > 1)
        snprintf(leading, sizeof leading, "%d·", first % 10);
    for (int unit = power >= 100 ? 100 : power >= 10 ? 10 : 1; unit > 0; unit /= 10)
        strcat(digits, raised[power / unit % 10]);
    snprintf(text, LAUKA_TICK_SIZE, "%s%s10%s", sign, leading, digits);
}

static void put_factor(const struct lauka_axis *axis, double factor, char *text)
{
    bool up = factor >= 1 - 1e-9;
    const char *sign = !axis->utf8 ? (up ? "x" : "/") : up ? "×" : "÷";
    double size = up ? factor : 1 / factor;
    if (size < 1e5)
        snprintf(text, LAUKA_TICK_SIZE, "%s%.6g", sign, size);
    else
        put_power(size, sign, axis->utf8, text);
}

static void put_value(const struct lauka_axis *axis, double value, char *text)
{
    struct lauka_scale scale = lauka_scale_for(value / axis->scale.divisor, axis->unit, axis->utf8);
    snprintf(text, LAUKA_TICK_SIZE, "%.6g%s%s", value / axis->scale.divisor / scale.divisor,
             *scale.suffix ? " " : "", scale.suffix);
}

/* `level` 0: 1, 2, 5, 10 ...; 1: 1, 10, 100 ...; 2: every second power of ten, and so on. */
static bool power_ticks(const struct lauka_axis *axis, int level, struct lauka_ticks *ticks)
{
    const bool as_values = axis->kind == LAUKA_AXIS_LOG;
    const double unit = as_values ? axis->scale.divisor : 1;
    const int stride = level > 0 ? 3 * level : 1, per_decade = 3;
    const int first = per_decade * (int)floor((axis->from - log(unit)) / log(10)) - per_decade;
    for (int index = first - ((first % stride) + stride) % stride;; index += stride) {
        int power = (int)floor((double)index / per_decade);
        double value = round_step(index - per_decade * power, power) * unit;
        if (log(value) > axis->to)
            return true;
        if (log(value) < axis->from)
            continue;
        if (!add_tick(axis, as_values ? value : log(value), ticks))
            return false;
        if (as_values)
            put_value(axis, value, last_text(ticks));
        else
            put_factor(axis, value, last_text(ticks));
    }
}

/* A blank or two between labels. */
static bool has_room(const struct lauka_ticks *ticks, double room)
{
    for (size_t i = 1; i < ticks->count; i++) {
        double half =
            (lauka_display_width(ticks->text[i - 1]) + lauka_display_width(ticks->text[i])) / 2.0;
        if (fabs(ticks->place[i] - ticks->place[i - 1]) < (half + 1.5) * room)
            return false;
    }
    return true;
}

static bool tick(const struct lauka_axis *axis, int candidate, struct lauka_ticks *ticks)
{
    const double width = axis->to - axis->from;
    ticks->count = 0;
    if (axis->kind == LAUKA_AXIS_LOG)
        return power_ticks(axis, candidate, ticks);
    if (axis->kind == LAUKA_AXIS_RATIO) {
        double most = fmax(fabs(axis->from), fabs(axis->to));
        if (most > log(percent_until))
            return power_ticks(axis, candidate, ticks);
        int power =
            (int)floor(log10(100 * (expm1(axis->to) - expm1(axis->from)) / (double)LAUKA_TICKS));
        return percent_ticks(axis, round_step(candidate, power), ticks);
    }
    double unit = axis->kind == LAUKA_AXIS_SHARE   ? 0.01
                  : axis->kind == LAUKA_AXIS_COUNT ? 1
                                                   : axis->scale.divisor;
    int power = (int)floor(log10(width / unit / (double)LAUKA_TICKS));
    bool whole =
        axis->kind == LAUKA_AXIS_COUNT || /* what is measured in its smallest unit is whole */
        (axis->kind == LAUKA_AXIS_LINEAR && axis->scale.divisor == 1);
    if (whole && power < 0)
        power = 0;
    return linear_ticks(axis, round_step(candidate, power), ticks);
}

/* A logarithmic axis that contains no two powers has its ends marked. */
static void mark_ends(const struct lauka_axis *axis, struct lauka_ticks *ticks)
{
    const double ends[] = {exp(axis->from), exp(axis->to)};
    ticks->count = 0;
    for (size_t i = 0; i < 2 && axis->kind == LAUKA_AXIS_LOG; i++) {
        struct lauka_scale scale =
            lauka_scale_for(ends[i] / axis->scale.divisor, axis->unit, axis->utf8);
        scale.divisor *= axis->scale.divisor;
        char number[16];
        add_tick(axis, ends[i], ticks);
        snprintf(last_text(ticks), LAUKA_TICK_SIZE, "%s%s%s",
                 lauka_format_scaled(ends[i], scale, number, sizeof number),
                 *scale.suffix ? " " : "", scale.suffix);
    }
}

void lauka_axis_ticks(const struct lauka_axis *axis, double room, size_t most,
                      struct lauka_ticks *ticks)
{
    for (int candidate = 0; candidate < CANDIDATES; candidate++) {
        if (!tick(axis, candidate, ticks) || ticks->count > most || !has_room(ticks, room))
            continue;
        if (ticks->count < 2 && axis->kind == LAUKA_AXIS_LOG)
            mark_ends(axis, ticks);
        return;
    }
    ticks->count = 0;
}

const char *lauka_axis_unit(struct lauka_prose *prose, const struct lauka_axis *axis)
{
    const bool has_unit = axis->kind == LAUKA_AXIS_LINEAR || axis->kind == LAUKA_AXIS_CHANGE;
    if (axis->origin == 0)
        return has_unit ? axis->scale.suffix : axis->kind == LAUKA_AXIS_LOG ? "logarithmic" : "";
    const char *above = lauka_say(prose, "above %.*f", decimals_of(1 / axis->unit_divisor),
                                  axis->origin / axis->unit_divisor);
    above = lauka_with_unit(prose, above, strcmp(axis->unit, "1") == 0 ? "" : axis->unit);
    return lauka_join(prose, axis->scale.suffix, " ", above);
}
