/* An estimate and its interval, as people read them: with a sign in tables, without one in sentences where
 * a word gives the direction. All writers for people use these. */
#include "report/words/words.h"
#include "report/result/result.h"
#include "report/text/prose.h"
#include "stats/stats.h"

#include <math.h>
#include <string.h>

/* Of per cent, and of differences, which may be in a unit much larger than they are. */
enum {
    TABLE_DECIMALS = 2,
    TABLE_FINEST = 4,
    MOST_DECIMALS = 3,
    MOST_OF_SENTENCES = 6,
    MOST_OF_DIFFERENCES = 9
};

/* Of an estimate: an interval that is narrower, as of constant values, says no more than the estimate's first digits. */
#define SHARPEST 2e-5

/* The three numbers, in the unit that follows them. */
struct numbers {
    double estimate, low, high;
    bool has_interval;
    bool as_share;          /* per cent, of which no fall comes to 100 */
    bool as_factor;         /* of which 1 is no change */
    int most;               /* decimals */
    int finest;             /* decimals of per cent, where the interval is that narrow */
    const char *gap, *unit; /* " " and "%" */
};

static double percent(double log_ratio)
{
    return 100 * expm1(log_ratio);
}

/* Means are compared in per cent of the reference's. False if there is no estimate. */
static bool find_shares(const struct lauka_comparison *comparison, struct lauka_scale scale,
                        struct numbers *numbers)
{
    const struct lauka_comparison *c = comparison;
    *numbers = (struct numbers){
        .has_interval = c->confidence > 0, .most = MOST_DECIMALS, .finest = MOST_DECIMALS};
    if (c->log_ratio.known) {
        numbers->estimate = percent(c->log_ratio.value);
        numbers->low = percent(c->log_low.value);
        numbers->high = percent(c->log_high.value);
        numbers->as_share = true;
        numbers->gap = " ";
        numbers->unit = "%";
        return true;
    }
    bool of_mean = c->method == LAUKA_METHOD_MEAN && c->reference_mean > 0;
    double divisor = of_mean ? c->reference_mean / 100 : scale.divisor;
    numbers->estimate = c->difference.value / divisor;
    numbers->low = c->difference_low.value / divisor;
    if (of_mean) /* Student's interval does not know that no mean is below 0 */
        numbers->low = fmax(numbers->low, -100);
    numbers->high = c->difference_high.value / divisor;
    numbers->gap = of_mean || *scale.suffix ? " " : "";
    numbers->unit = of_mean ? "%" : scale.suffix;
    numbers->most = of_mean ? MOST_DECIMALS : MOST_OF_DIFFERENCES;
    return c->difference.known;
}

static bool looks_like_zero(double value, int decimals)
{
    return value != 0 && fabs(value) < 0.5 * lauka_power_of_ten(-decimals);
}

/* A thousandth of the old value, or less, is not nothing. */
static bool looks_like_all(const struct numbers *numbers, double value, int decimals)
{
    return numbers->as_share && value < 0 && value > -100 &&
           100 + value < 0.5 * lauka_power_of_ten(-decimals);
}

/* If an interval is wider than the value itself, the small end of it is of no interest. */
static bool misleads(const struct numbers *numbers, double value, int decimals)
{
    return looks_like_zero(value, decimals) ||
           (numbers->high - numbers->low < 100 && looks_like_all(numbers, value, decimals));
}

/* Whether an interval that has a width would look as if it had none. Per cent without an interval never
 * have more than two decimals, unless that misleads. */
static bool is_coarse(const struct numbers *numbers, double half, int decimals)
{
    bool in_per_cent = numbers->most == MOST_DECIMALS;
    double size = numbers->has_interval ? half : in_per_cent ? 0 : fabs(numbers->estimate);
    int most = in_per_cent ? numbers->finest : numbers->most;
    return decimals < most && size > 0 && size < 0.95 * lauka_power_of_ten(-decimals);
}

static bool misleads_somewhere(const struct numbers *numbers, int decimals)
{
    return decimals < numbers->most &&
           (looks_like_all(numbers, numbers->estimate, decimals) ||
            (numbers->has_interval && (misleads(numbers, numbers->low, decimals) ||
                                       misleads(numbers, numbers->high, decimals))));
}

/* One and a half digits of the half-width, three digits if there is none; and an end of the interval that
 * is not zero, or 100 % less, must not look like it. */
static int decimals_for(const struct numbers *numbers)
{
    double half = fabs(numbers->high - numbers->low) / 2;
    if (numbers->estimate == 0 && half == 0)
        return 0;
    double size = fabs(numbers->estimate);
    bool coarse = half == 0 && size >= 9.995;
    int decimals = half >= 9.95 ? 0 : half >= 0.095 || coarse ? 1 : 2;
    if (!numbers->has_interval)
        decimals = size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;
    while (is_coarse(numbers, half, decimals) || misleads_somewhere(numbers, decimals))
        decimals++;
    if (numbers->has_interval && half < SHARPEST * size)
        while (decimals > 0 && lauka_power_of_ten(-decimals) < SHARPEST * size)
            decimals--;
    return decimals;
}

/* sign: "", "+" ... as it stands before the number. */
static const char *magnitude_of(struct lauka_prose *prose, const struct numbers *numbers,
                                double magnitude, int decimals, const char *sign)
{
    if (decimals >= numbers->most && looks_like_zero(magnitude, decimals))
        return lauka_say(prose, "%s<%.*f", sign, decimals, lauka_power_of_ten(-decimals));
    if (magnitude >= 99999.5)
        return lauka_say(prose, "%s>99999", sign);
    return lauka_say(prose, "%s%.*f", sign, magnitude >= 999.5 ? 0 : decimals, magnitude);
}

static const char *number_of(struct lauka_prose *prose, const struct numbers *numbers, double value,
                             int decimals, const char *sign)
{
    if (!looks_like_all(numbers, value, decimals))
        return magnitude_of(prose, numbers, fabs(value), decimals, sign);
    return lauka_say(prose, "%s>%.*f", sign, decimals, 100 - lauka_power_of_ten(-decimals));
}

/* What rounds to zero is "0", whatever digits its neighbours have. */
static const char *signed_number(struct lauka_prose *prose, const struct numbers *numbers,
                                 double value, int decimals)
{
    bool zero = looks_like_zero(value, decimals) && decimals < numbers->most;
    return value == 0 || zero
               ? "0"
               : number_of(prose, numbers, value, decimals, lauka_sign(value, prose->utf8));
}

static const char *with_unit(struct lauka_prose *prose, const struct numbers *numbers,
                             const char *number)
{
    return lauka_say(prose, "%s%s%s", number, numbers->gap, numbers->unit);
}

/* Empty where both ends, like the estimate, exceed what is shown, or lie closer to it than its digits tell. */
static const char *interval_of(struct lauka_prose *prose, const struct numbers *numbers,
                               const char *low, const char *high)
{
    const double half = fabs(numbers->high - numbers->low) / 2;
    const bool beyond = strchr(low, '>') != NULL, sharp = half < SHARPEST * fabs(numbers->estimate);
    return (beyond || sharp) && strcmp(low, high) == 0 ? ""
                                                       : lauka_say(prose, "[%s, %s]", low, high);
}

/* In tables an interval that would need more than two decimals becomes the distance of its further end
 * from the estimate, rounded up: both ends would repeat the same digits. Not close to no change, where it
 * matters which end is which. */
static bool becomes_distance(const struct numbers *numbers, double distance)
{
    double nearest = fmin(fabs(numbers->low), fabs(numbers->high));
    return numbers->most == MOST_DECIMALS && numbers->high > numbers->low &&
           numbers->high - numbers->low < 2 * 0.95 * lauka_power_of_ten(-TABLE_DECIMALS) &&
           nearest >= 2 * distance;
}

static struct lauka_change with_distance(struct lauka_prose *prose, const struct numbers *numbers,
                                         double distance)
{
    int decimals = TABLE_DECIMALS;
    while (decimals < TABLE_FINEST && distance < lauka_power_of_ten(-decimals))
        decimals++;
    double step = lauka_power_of_ten(decimals);
    return (struct lauka_change){
        with_unit(prose, numbers, signed_number(prose, numbers, numbers->estimate, decimals)),
        lauka_say(prose, "[%s%.*f]", prose->signs->plus_minus, decimals,
                  ceil(distance * step - 1e-6) / step)};
}

/* Ratios of means are known as differences; where one is no ratio, as a mean may be below nothing, it is minus
 * infinity. */
static struct lauka_comparison with_ratio(const struct lauka_comparison *comparison)
{
    struct lauka_comparison c = *comparison;
    if (c.log_ratio.known || !c.difference.known || c.method != LAUKA_METHOD_MEAN ||
        !(c.reference_mean > 0))
        return c;
    c.log_ratio = lauka_known(log1p(fmax(-1, c.difference.value / c.reference_mean)));
    c.log_low = lauka_known(log1p(fmax(-1, c.difference_low.value / c.reference_mean)));
    c.log_high = lauka_known(log1p(fmax(-1, c.difference_high.value / c.reference_mean)));
    return c;
}

/* ---- factors ----------------------------------------------------------------------------------- */

bool lauka_change_is_factor(const struct lauka_comparison *comparison)
{
    const struct lauka_comparison c = with_ratio(comparison);
    bool endless = c.confidence > 0 && !(isfinite(c.log_low.value) && isfinite(c.log_high.value));
    return c.log_ratio.known && isfinite(c.log_ratio.value) && !endless &&
           fabs(c.log_ratio.value) >= log(LAUKA_FACTOR_FROM);
}

/* By how much the greater exceeds the smaller. */
static struct numbers factors_of(const struct lauka_comparison *comparison)
{
    const struct lauka_comparison c = with_ratio(comparison);
    double direction = c.log_ratio.value < 0 ? -1 : 1;
    double low = exp(direction * c.log_low.value), high = exp(direction * c.log_high.value);
    return (struct numbers){
        .estimate = exp(direction * c.log_ratio.value),
        .low = fmin(low, high),
        .high = fmax(low, high),
        .has_interval = comparison->confidence > 0,
        .as_factor = true,
        .most = MOST_DECIMALS,
        .finest = MOST_DECIMALS,
        .gap = "",
        .unit = "",
    };
}

/* An end of a factor's interval that is not 1 must not look like it. */
static int decimals_of_end(const struct numbers *numbers, double end, int decimals)
{
    while (numbers->as_factor && looks_like_zero(end - 1, decimals) &&
           decimals < MOST_OF_DIFFERENCES)
        decimals++;
    return decimals;
}

/* Unsigned, the nearer end first. */
static const char *sizes_between(struct lauka_prose *prose, const struct numbers *numbers,
                                 double near, double far, int decimals)
{
    return interval_of(
        prose, numbers,
        number_of(prose, numbers, near, decimals_of_end(numbers, near, decimals), ""),
        number_of(prose, numbers, far, decimals_of_end(numbers, far, decimals), ""));
}

/* "×6.8" and "[5.9, 8.2]"; of a fall "÷6.8": the interval has the sign of the estimate, too. */
static struct lauka_change signed_factor(struct lauka_prose *prose,
                                         const struct lauka_comparison *comparison)
{
    const struct numbers numbers = factors_of(comparison);
    const bool exact = comparison->method == LAUKA_METHOD_EXACT;
    const char *sign =
        with_ratio(comparison).log_ratio.value > 0 ? prose->signs->times : prose->signs->divided;
    int decimals = decimals_for(&numbers);
    struct lauka_change change = {number_of(prose, &numbers, numbers.estimate, decimals, sign), ""};
    if (exact && !(numbers.high > numbers.low))
        change.interval = "exact";
    else if (numbers.has_interval)
        change.interval = sizes_between(prose, &numbers, numbers.low, numbers.high, decimals);
    return change;
}

/* ---- changes ----------------------------------------------------------------------------------- */

struct lauka_change lauka_change(struct lauka_prose *prose,
                                 const struct lauka_comparison *comparison,
                                 struct lauka_scale scale)
{
    struct numbers numbers;
    const bool exact = comparison->method == LAUKA_METHOD_EXACT;
    if (lauka_change_is_factor(comparison))
        return signed_factor(prose, comparison);
    if (!find_shares(comparison, scale, &numbers))
        return (struct lauka_change){"", ""};
    double distance = fmax(numbers.high - numbers.estimate, numbers.estimate - numbers.low);
    if (numbers.has_interval && !exact && becomes_distance(&numbers, distance))
        return with_distance(prose, &numbers, distance);
    int decimals = decimals_for(&numbers);
    struct lauka_change change = {
        with_unit(prose, &numbers, signed_number(prose, &numbers, numbers.estimate, decimals)), ""};
    if (exact && !(numbers.high > numbers.low))
        change.interval = "exact";
    else if (numbers.has_interval)
        change.interval =
            interval_of(prose, &numbers, signed_number(prose, &numbers, numbers.low, decimals),
                        signed_number(prose, &numbers, numbers.high, decimals));
    return change;
}

const char *lauka_change_text(struct lauka_prose *prose, struct lauka_change change)
{
    return lauka_join(prose, change.estimate, " ", change.interval);
}

struct lauka_change lauka_value_change(struct lauka_prose *prose,
                                       const struct lauka_judgement *judgement,
                                       struct lauka_scale scale)
{
    struct numbers numbers = {
        .estimate = judgement->value.value / scale.divisor,
        .low = judgement->value_low.value / scale.divisor,
        .high = judgement->value_high.value / scale.divisor,
        .has_interval = judgement->value_low.known && !judgement->exact,
        .most = MOST_OF_DIFFERENCES,
    };
    if (!judgement->value.known)
        return (struct lauka_change){"", ""};
    int decimals = decimals_for(&numbers);
    struct lauka_change change = {
        lauka_with_unit(prose, number_of(prose, &numbers, numbers.estimate, decimals, ""),
                        scale.suffix),
        judgement->exact ? "exact" : ""};
    if (numbers.has_interval)
        change.interval =
            lauka_say(prose, "[%s, %s]", number_of(prose, &numbers, numbers.low, decimals, ""),
                      number_of(prose, &numbers, numbers.high, decimals, ""));
    return change;
}

const char *lauka_change_reach(struct lauka_prose *prose, const struct lauka_comparison *comparison,
                               struct lauka_scale scale)
{
    struct numbers numbers;
    const char *sign = prose->signs->plus_minus;
    const double beyond = 999.5; /* per cent; more digits would say no more */
    if (!find_shares(comparison, scale, &numbers) || !numbers.has_interval)
        return "";
    const double reach = fmax(fabs(numbers.low), fabs(numbers.high));
    if (strcmp(numbers.unit, "%") != 0)
        return lauka_say(prose, "%s%.2g%s%s", sign, reach, numbers.gap, numbers.unit);
    return reach >= beyond
               ? lauka_say(prose, "over %s999 %%", sign)
               : lauka_say(prose, "%s%s", sign, lauka_say_share_roughly(prose, reach / 100));
}

/* Both ends have the sign of the estimate if there is a direction. */
static struct lauka_change sizes_of(struct lauka_prose *prose, const struct numbers *numbers)
{
    bool ascends = fabs(numbers->low) <= fabs(numbers->high);
    double near = ascends ? numbers->low : numbers->high;
    double far = ascends ? numbers->high : numbers->low;
    int decimals = decimals_for(numbers);
    const char *number = number_of(prose, numbers, numbers->estimate, decimals, "");
    bool beyond = number[0] == '>';
    struct lauka_change change = {lauka_say(prose, "%s%s", beyond ? "more than " : "",
                                            with_unit(prose, numbers, number + beyond)),
                                  ""};
    if (!numbers->has_interval || fabs(near) == fabs(far)) /* an exact one has no width */
        return change;
    change.interval = sizes_between(prose, numbers, near, far, decimals);
    return change;
}

struct lauka_change lauka_change_size(struct lauka_prose *prose,
                                      const struct lauka_comparison *comparison,
                                      struct lauka_scale scale)
{
    struct numbers numbers;
    if (!find_shares(comparison, scale, &numbers))
        return (struct lauka_change){"", ""};
    numbers.finest = MOST_OF_SENTENCES;
    return sizes_of(prose, &numbers);
}

struct lauka_change lauka_change_factor(struct lauka_prose *prose,
                                        const struct lauka_comparison *comparison)
{
    const struct numbers numbers = factors_of(comparison);
    return sizes_of(prose, &numbers);
}

const char *lauka_say_higher(struct lauka_prose *prose, const struct lauka_comparison *comparison,
                             struct lauka_scale scale)
{
    const struct lauka_comparison known = with_ratio(comparison);
    const bool factor = lauka_change_is_factor(comparison);
    const bool rises = (known.log_ratio.known ? known.log_ratio : known.difference).value > 0;
    const struct lauka_change size = factor ? lauka_change_factor(prose, comparison)
                                            : lauka_change_size(prose, comparison, scale);
    const char *how =
        factor && rises ? lauka_say(prose, "%s times as high", size.estimate)
        : factor        ? lauka_say(prose, "lower by a factor of %s", size.estimate)
                 : lauka_say(prose, "%s %s", size.estimate, lauka_direction_word(rises, false));
    return lauka_join(prose, how, " ", size.interval);
}

/* ---- words ----------------------------------------------------------------------------------- */

bool lauka_is_time(const struct lauka_result *result, size_t metric)
{
    return strcmp(result->metrics[metric].unit, "ns") == 0;
}

bool lauka_is_speed(const struct lauka_result *result, size_t metric)
{
    return lauka_is_time(result, metric) && strcmp(result->metrics[metric].better, "neither") != 0;
}

const char *lauka_direction_word(bool more, bool speed)
{
    return more ? speed ? "slower" : "higher" : speed ? "faster" : "lower";
}

const char *lauka_verdict_word(const struct lauka_comparison *comparison, bool speed)
{
    switch (comparison->verdict) {
    case LAUKA_VERDICT_HIGHER:
    case LAUKA_VERDICT_LOWER:
        return lauka_direction_word(comparison->verdict == LAUKA_VERDICT_HIGHER, speed);
    case LAUKA_VERDICT_IDENTICAL:
        return "identical";
    case LAUKA_VERDICT_EQUIVALENT:
        return "equivalent";
    case LAUKA_VERDICT_INCONCLUSIVE:
        return "inconclusive";
    case LAUKA_VERDICT_NONE:
        break;
    }
    return "";
}
