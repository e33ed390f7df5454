/* Decimal numbers become exact integers in units of a power of ten, so that they are added and
 * compared as exactly as what lauka measured itself. No double lies between the text and the value.
 */
#include "report/load/foreign.h"
#include "report/load/load.h"
#include "report/load/loader.h"
#include "stats/stats.h"

#include <errno.h>
#include <string.h>

struct decimal { /* digits * 10^exponent */
    uint64_t digits;
    int exponent;
    bool full; /* further digits are dropped; the first of them rounds the last one that is kept */
    bool cut;  /* some of the dropped digits are no zeros */
};

/* Larger exponents are all alike: far too large, or nothing. */
enum { EXPONENT_MAX = 100000, LEAST_CAPACITY = 256 };

static const uint64_t largest = UINT64_MAX - 1; /* one more is LAUKA_MISSING */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Takes one digit; digits that no longer fit only change the exponent. */
static void take_digit(struct decimal *decimal, unsigned digit, bool in_fraction)
{
    if (decimal->digits <= (UINT64_MAX - digit) / 10 && !decimal->full) {
        decimal->digits = 10 * decimal->digits + digit;
        decimal->exponent -= in_fraction;
        return;
    }
    if (!decimal->full && digit >= 5 && decimal->digits < UINT64_MAX)
        decimal->digits++;
    decimal->full = true;
    decimal->cut |= digit > 0;
    if (!in_fraction && decimal->exponent < EXPONENT_MAX)
        decimal->exponent++;
}

/* Digits with at most one point. Returns where they end, or NULL if there is no digit. */
static const char *take_digits(const char *text, const char *end, struct decimal *decimal)
{
    bool in_fraction = false, any = false;
    for (; text < end && (is_digit(*text) || (*text == '.' && !in_fraction)); text++) {
        if (*text == '.') {
            in_fraction = true;
            continue;
        }
        any = true;
        take_digit(decimal, (unsigned)(*text - '0'), in_fraction);
    }
    return any ? text : NULL;
}

/* "e-3". Returns where it ends, or NULL if it has no digits. */
static const char *take_exponent(const char *text, const char *end, struct decimal *decimal)
{
    if (text == end || (*text != 'e' && *text != 'E'))
        return text;
    text++;
    bool negative = text < end && *text == '-';
    if (text < end && (*text == '-' || *text == '+'))
        text++;
    if (text == end || !is_digit(*text))
        return NULL;
    int exponent = 0;
    for (; text < end && is_digit(*text); text++)
        if (exponent < EXPONENT_MAX)
            exponent = 10 * exponent + (*text - '0');
    decimal->exponent += negative ? -exponent : exponent;
    return text;
}

bool lauka_is_decimal_comma(const char *text, size_t length, const char *comma)
{
    const char *end = text + length;
    const size_t size = strlen(comma);
    text += length > 0 && (*text == '-' || *text == '+');
    const char *before = text;
    while (text < end && is_digit(*text))
        text++;
    if (text == before || (size_t)(end - text) <= size || memcmp(text, comma, size) != 0)
        return false;
    for (text += size; text < end && is_digit(*text);)
        text++;
    return text == end;
}

/* Returns NULL, or why the text is refused. */
static const char *parse(const char *text, size_t length, struct decimal *decimal)
{
    const char *end = text + length;
    bool negative = length > 0 && *text == '-';
    *decimal = (struct decimal){0};
    if (lauka_is_not_finite(text, length))
        return "is not finite";
    if (length > 0 && (*text == '-' || *text == '+'))
        text++;
    const char *digits = text;
    text = take_digits(text, end, decimal);
    text = text ? take_exponent(text, end, decimal) : NULL;
    if ((!text || text != end) && lauka_is_decimal_comma(digits, (size_t)(end - digits), ","))
        return "is not a number: decimals follow a point, not a comma";
    if (!text || text != end)
        return "is not a number";
    if (decimal->digits == 0)
        decimal->exponent = 0;
    for (; decimal->digits > 0 && decimal->digits % 10 == 0; decimal->digits /= 10)
        decimal->exponent++;
    return negative && decimal->digits > 0 ? "is negative" : NULL;
}

static uint64_t power_of_ten(unsigned exponent)
{
    uint64_t power = 1;
    while (exponent-- > 0)
        power *= 10;
    return power;
}

static uint64_t divided(uint64_t value, uint64_t by)
{
    return value / by + (value % by >= by - by / 2); /* halves go up */
}

/* In units of 10^-decimals, rounded to the nearest. False if it is too large. */
static bool to_integer(const struct decimal *decimal, int decimals, uint64_t *value)
{
    int shift = decimal->exponent + decimals;
    *value = decimal->digits;
    if (shift < 0) {
        *value = shift < -19 ? 0 : divided(*value, power_of_ten((unsigned)-shift));
        return *value <= largest;
    }
    for (; shift > 0 && *value > 0; shift--) {
        if (*value > largest / 10)
            return false;
        *value *= 10;
    }
    return *value <= largest;
}

static int append(struct lauka_column *column, uint64_t value)
{
    struct lauka_series *series = &column->series;
    if (series->count == series->capacity) {
        size_t capacity = series->capacity > 0 ? 2 * series->capacity : LEAST_CAPACITY;
        int error = lauka_series_reserve(series, capacity);
        if (error)
            return error;
    }
    lauka_series_add(series, value);
    return 0;
}

/* Multiplies all values by powers of ten until there are that many decimals, or no room for more. Returns whether
 * all could be had. */
static bool refine(struct lauka_column *column, int decimals)
{
    uint64_t factor = 1;
    for (; column->decimals < decimals && column->most <= largest / 10; column->decimals++) {
        column->most *= 10;
        factor *= 10;
    }
    for (size_t i = 0; i < column->series.count && factor > 1; i++) {
        uint64_t value = lauka_series_at(&column->series, i);
        if (value != LAUKA_MISSING)
            lauka_series_set(&column->series, i, value * factor);
    }
    return column->decimals >= decimals;
}

/* Drops one decimal everywhere, to make room for a large number. False if a value would vanish. */
static bool coarsen(struct lauka_column *column)
{
    for (size_t i = 0; i < column->series.count; i++) {
        uint64_t value = lauka_series_at(&column->series, i);
        if (value == LAUKA_MISSING || value == 0)
            continue;
        column->rounded |= value % 10 != 0;
        value = divided(value, 10);
        lauka_series_set(&column->series, i, value);
        if (value == 0)
            return false;
    }
    column->most = divided(column->most, 10);
    column->decimals--;
    column->full = true;
    return true;
}

/* Decimals with which nine digits are kept, or LAUKA_DECIMALS_PLAIN, if those are more. */
static int decimals_of(const struct decimal *decimal)
{
    int decimals = 9 - decimal->exponent;
    for (uint64_t rest = decimal->digits; rest > 0; rest /= 10)
        decimals--;
    decimals = decimals > LAUKA_DECIMALS_PLAIN ? decimals : LAUKA_DECIMALS_PLAIN;
    return decimals < LAUKA_DECIMALS_MAX ? decimals : LAUKA_DECIMALS_MAX;
}

/* As many decimals as the number has, up to those, if there is room. */
static void adapt(struct lauka_column *column, const struct decimal *decimal)
{
    int wanted = decimals_of(decimal);
    if (!decimal->cut && -decimal->exponent < wanted)
        wanted = decimal->exponent < 0 ? -decimal->exponent : 0;
    if (wanted > column->decimals && !column->full)
        column->full = !refine(column, wanted);
}

/* Whether nothing is lost with that many decimals, which may be below 0. */
static bool is_exact(struct decimal decimal, int decimals)
{
    for (; decimal.digits > 0 && decimal.digits % 10 == 0; decimal.digits /= 10)
        decimal.exponent++;
    return !decimal.cut && (decimal.digits == 0 || decimal.exponent + decimals >= 0);
}

int lauka_column_add(struct lauka_column *column, const char *text, size_t length,
                     const char **reason)
{
    struct decimal decimal;
    uint64_t value;
    *reason = parse(text, length, &decimal);
    if (*reason)
        return EINVAL;
    if (column->adapts)
        adapt(column, &decimal);
    while (!to_integer(&decimal, column->decimals, &value)) {
        *reason = "is too large";
        if (!column->adapts || column->decimals <= -LAUKA_DECIMALS_MAX)
            return EINVAL;
        *reason = "is too large beside the others";
        if (!coarsen(column))
            return EINVAL;
    }
    bool inexact = !is_exact(decimal, column->decimals);
    *reason = column->whole && inexact ? "is not a whole number"
              : column->adapts && value == 0 && decimal.digits > 0
                  ? "is too small: below 1e-38, or beside the largest of the others"
                  : NULL;
    if (*reason)
        return EINVAL;
    column->rounded |= inexact;
    column->most = value > column->most ? value : column->most;
    return append(column, value);
}

int lauka_column_add_missing(struct lauka_column *column)
{
    return append(column, LAUKA_MISSING);
}
