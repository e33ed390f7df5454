/* An estimate and its interval, as people read them: with a sign in tables, without one in sentences where
 * a word gives the direction. All writers for people use these. */
#include "report/words/words.h"
#include "report/text/text.h"
#include "stats/stats.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Of per cent, and of differences, which may be in a unit much larger than they are. */
enum {
    TABLE_DECIMALS = 2,
    TABLE_FINEST = 4,
    MOST_DECIMALS = 3,
    MOST_OF_SENTENCES = 6,
    MOST_OF_DIFFERENCES = 9
};

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
static bool find_numbers(const struct lauka_comparison *comparison, struct lauka_scale scale,
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
    return numbers->as_share && value < 0 && 100 + value < 0.5 * lauka_power_of_ten(-decimals);
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
    return decimals;
}

/* sign: "", "+" ... as it stands before the number. */
static char *format_magnitude(const struct numbers *numbers, double magnitude, int decimals,
                              const char *sign, char *text, size_t size)
{
    if (decimals >= numbers->most && looks_like_zero(magnitude, decimals))
        snprintf(text, size, "%s<%.*f", sign, decimals, lauka_power_of_ten(-decimals));
    else if (magnitude >= 99999.5)
        snprintf(text, size, "%s>99999", sign);
    else
        snprintf(text, size, "%s%.*f", sign, magnitude >= 999.5 ? 0 : decimals, magnitude);
    return text;
}

static char *format_number(const struct numbers *numbers, double value, int decimals,
                           const char *sign, char *text, size_t size)
{
    if (!looks_like_all(numbers, value, decimals))
        return format_magnitude(numbers, fabs(value), decimals, sign, text, size);
    snprintf(text, size, "%s>%.*f", sign, decimals, 100 - lauka_power_of_ten(-decimals));
    return text;
}

/* What rounds to zero is "0", whatever digits its neighbours have. */
static char *format_signed(const struct numbers *numbers, double value, int decimals, bool utf8,
                           char *text, size_t size)
{
    bool zero = looks_like_zero(value, decimals) && decimals < numbers->most;
    const char *sign = lauka_sign(value, utf8);
    if (value == 0 || zero) {
        snprintf(text, size, "0");
        return text;
    }
    return format_number(numbers, value, decimals, sign, text, size);
}

/* Both ends, like the estimate, exceed what is shown. */
static bool is_beyond(const char *low, const char *high)
{
    return strchr(low, '>') && strcmp(low, high) == 0;
}

/* In tables an interval that would need more than two decimals becomes the distance of its further end
 * from the estimate, rounded up: both ends would repeat the same digits. Not close to no change, where it
 * matters which end is which. */
static bool format_distance(const struct numbers *numbers, bool utf8, struct lauka_change *change)
{
    double distance = fmax(numbers->high - numbers->estimate, numbers->estimate - numbers->low);
    double nearest = fmin(fabs(numbers->low), fabs(numbers->high));
    int decimals = TABLE_DECIMALS;
    char number[32];
    if (numbers->most != MOST_DECIMALS || numbers->high <= numbers->low ||
        numbers->high - numbers->low >= 2 * 0.95 * lauka_power_of_ten(-decimals) ||
        nearest < 2 * distance)
        return false;
    while (decimals < TABLE_FINEST && distance < lauka_power_of_ten(-decimals))
        decimals++;
    format_signed(numbers, numbers->estimate, decimals, utf8, number, sizeof number);
    snprintf(change->estimate, sizeof change->estimate, "%s%s%s", number, numbers->gap,
             numbers->unit);
    snprintf(change->interval, sizeof change->interval, "[%s%.*f]", utf8 ? "±" : "+-", decimals,
             ceil(distance * lauka_power_of_ten(decimals)) / lauka_power_of_ten(decimals));
    return true;
}

void lauka_change_format(const struct lauka_comparison *comparison, struct lauka_scale scale,
                         bool utf8, struct lauka_change *change)
{
    struct numbers numbers;
    char number[32], low[32], high[32];
    *change = (struct lauka_change){{0}, {0}};
    if (!find_numbers(comparison, scale, &numbers))
        return;
    if (numbers.has_interval && comparison->method != LAUKA_METHOD_EXACT &&
        format_distance(&numbers, utf8, change))
        return;
    int decimals = decimals_for(&numbers);
    format_signed(&numbers, numbers.estimate, decimals, utf8, number, sizeof number);
    snprintf(change->estimate, sizeof change->estimate, "%s%s%s", number, numbers.gap,
             numbers.unit);
    if (comparison->method == LAUKA_METHOD_EXACT && !(numbers.high > numbers.low)) {
        snprintf(change->interval, sizeof change->interval, "exact");
    } else if (numbers.has_interval) {
        format_signed(&numbers, numbers.low, decimals, utf8, low, sizeof low);
        format_signed(&numbers, numbers.high, decimals, utf8, high, sizeof high);
        if (!is_beyond(low, high))
            snprintf(change->interval, sizeof change->interval, "[%s, %s]", low, high);
    }
}

void lauka_value_format(const struct lauka_judgement *judgement, struct lauka_scale scale,
                        struct lauka_change *change)
{
    struct numbers numbers = {
        .estimate = judgement->value.value / scale.divisor,
        .low = judgement->value_low.value / scale.divisor,
        .high = judgement->value_high.value / scale.divisor,
        .has_interval = judgement->value_low.known && !judgement->exact,
        .most = MOST_OF_DIFFERENCES,
    };
    char number[32], low[32], high[32];
    *change = (struct lauka_change){{0}, {0}};
    if (!judgement->value.known)
        return;
    int decimals = decimals_for(&numbers);
    format_number(&numbers, numbers.estimate, decimals, "", number, sizeof number);
    snprintf(change->estimate, sizeof change->estimate, "%s%s%s", number, *scale.suffix ? " " : "",
             scale.suffix);
    if (judgement->exact)
        snprintf(change->interval, sizeof change->interval, "exact");
    else if (numbers.has_interval)
        snprintf(change->interval, sizeof change->interval, "[%s, %s]",
                 format_number(&numbers, numbers.low, decimals, "", low, sizeof low),
                 format_number(&numbers, numbers.high, decimals, "", high, sizeof high));
}

char *lauka_change_half(const struct lauka_comparison *comparison, struct lauka_scale scale,
                        bool utf8, char *text, size_t size)
{
    struct numbers numbers;
    char share[32];
    const char *sign = utf8 ? "±" : "+-";
    const double beyond = 999.5; /* per cent; more digits would say no more */
    text[0] = 0;
    if (!find_numbers(comparison, scale, &numbers) || !numbers.has_interval)
        return text;
    double half = fabs(numbers.high - numbers.low) / 2;
    if (strcmp(numbers.unit, "%") == 0 && half >= beyond)
        snprintf(text, size, "over %s999 %%", sign);
    else if (strcmp(numbers.unit, "%") == 0)
        snprintf(text, size, "%s%s", sign,
                 lauka_format_share_roughly(half / 100, share, sizeof share));
    else
        snprintf(text, size, "%s%.2g%s%s", sign, half, numbers.gap, numbers.unit);
    return text;
}

/* An end of a factor's interval that is not 1 must not look like it. */
static int decimals_of_end(const struct numbers *numbers, double end, int decimals)
{
    while (numbers->as_factor && looks_like_zero(end - 1, decimals) &&
           decimals < MOST_OF_DIFFERENCES)
        decimals++;
    return decimals;
}

/* Both ends have the sign of the estimate if there is a direction. */
static void format_sizes(struct numbers numbers, struct lauka_change *change)
{
    char number[32], low[32], high[32];
    bool ascends = fabs(numbers.low) <= fabs(numbers.high);
    double nearer = ascends ? numbers.low : numbers.high;
    double farther = ascends ? numbers.high : numbers.low;
    int decimals = decimals_for(&numbers);
    *change = (struct lauka_change){{0}, {0}};
    format_number(&numbers, numbers.estimate, decimals, "", number, sizeof number);
    bool beyond = number[0] == '>';
    snprintf(change->estimate, sizeof change->estimate, "%s%s%s%s", beyond ? "more than " : "",
             number + beyond, numbers.gap, numbers.unit);
    if (!numbers.has_interval || fabs(nearer) == fabs(farther)) /* an exact one has no width */
        return;
    format_number(&numbers, nearer, decimals_of_end(&numbers, nearer, decimals), "", low,
                  sizeof low);
    format_number(&numbers, farther, decimals_of_end(&numbers, farther, decimals), "", high,
                  sizeof high);
    if (!is_beyond(low, high))
        snprintf(change->interval, sizeof change->interval, "[%s, %s]", low, high);
}

void lauka_change_format_size(const struct lauka_comparison *comparison, struct lauka_scale scale,
                              struct lauka_change *change)
{
    struct numbers numbers;
    *change = (struct lauka_change){{0}, {0}};
    if (!find_numbers(comparison, scale, &numbers))
        return;
    numbers.finest = MOST_OF_SENTENCES;
    format_sizes(numbers, change);
}

void lauka_change_format_factor(const struct lauka_comparison *comparison,
                                struct lauka_change *change)
{
    double direction = comparison->log_ratio.value < 0 ? -1 : 1;
    format_sizes(
        (struct numbers){
            .estimate = exp(direction * comparison->log_ratio.value),
            .low = exp(direction * comparison->log_low.value),
            .high = exp(direction * comparison->log_high.value),
            .has_interval = comparison->confidence > 0,
            .as_factor = true,
            .most = MOST_DECIMALS,
            .finest = MOST_DECIMALS,
            .gap = "",
            .unit = "",
        },
        change);
}

const char *lauka_verdict_word(const struct lauka_comparison *comparison, const char *unit)
{
    bool time = strcmp(unit, "ns") == 0;
    switch (comparison->verdict) {
    case LAUKA_VERDICT_HIGHER:
        return time ? "slower" : "higher";
    case LAUKA_VERDICT_LOWER:
        return time ? "faster" : "lower";
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

/* That many digits, but never an exponent for a large number, nor twenty digits. */
static char *format_percent(double percent, int digits, char *text, size_t size)
{
    if (percent >= 99999.5)
        snprintf(text, size, ">99999 %%");
    else if (percent >= lauka_power_of_ten(digits) - 0.5)
        snprintf(text, size, "%.0f %%", percent);
    else
        snprintf(text, size, "%.*g %%", digits, percent);
    return text;
}

char *lauka_format_share(double share, char *text, size_t size)
{
    return format_percent(100 * share, 3, text, size);
}

char *lauka_format_share_roughly(double share, char *text, size_t size)
{
    return format_percent(100 * share, 2, text, size);
}
