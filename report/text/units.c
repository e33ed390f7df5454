/* Numbers with units, written and read. One table per unit serves both directions. */
#include "report/text/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct unit {
    double divisor;
    const char *suffix;
    const char *ascii; /* where the suffix is not */
};

static const struct unit times[] = {
    {1, "ns", "ns"},
    {1e3, "µs", "us"},
    {1e6, "ms", "ms"},
    {1e9, "s", "s"},
    /* Only read, never written: 90 s compares better with 70 s than 1.5 m with 1.167 m. */
    {60e9, "m", "m"},
    {3600e9, "h", "h"},
};
enum { TIMES_WRITTEN = 4, TIMES_READ = sizeof times / sizeof *times };

static const struct unit sizes[] = {
    {1, "B", "B"},          {0x1p10, "KiB", "KiB"}, {0x1p20, "MiB", "MiB"}, {0x1p30, "GiB", "GiB"},
    {0x1p40, "TiB", "TiB"}, {0x1p50, "PiB", "PiB"}, {0x1p60, "EiB", "EiB"},
};

static const struct unit counts[] = {
    {1, "", ""},      {1e3, "K", "K"},  {1e6, "M", "M"},  {1e9, "G", "G"},
    {1e12, "T", "T"}, {1e15, "P", "P"}, {1e18, "E", "E"}, {1e21, "Z", "Z"},
    {1e24, "Y", "Y"}, {1e27, "R", "R"}, {1e30, "Q", "Q"},
};

struct units {
    const struct unit *table;
    size_t count;
};

/* Of what others measured in units too large for it; never chosen by name. */
static const struct unit fractions[] = {
    {1e-30, "q", "q"}, {1e-27, "r", "r"}, {1e-24, "y", "y"}, {1e-21, "z", "z"}, {1e-18, "a", "a"},
    {1e-15, "f", "f"}, {1e-12, "p", "p"}, {1e-9, "n", "n"},  {1e-6, "µ", "u"},  {1e-3, "m", "m"},
};

static struct units units_of(const char *unit)
{
    if (strcmp(unit, "ns") == 0)
        return (struct units){times, TIMES_WRITTEN};
    if (strcmp(unit, "B") == 0)
        return (struct units){sizes, sizeof sizes / sizeof *sizes};
    return (struct units){counts, sizeof counts / sizeof *counts};
}

/* What would be rounded up to a full next unit is written in that unit: 1.000 ms, not 1000 µs. Counts are
 * plain up to 9,999: "1234" says more than "1.234 K". */
static size_t unit_index(struct units units, double magnitude)
{
    size_t index = 0;
    while (index + 1 < units.count) {
        double next = units.table[index + 1].divisor;
        double step = next / units.table[index].divisor;
        if (units.table == counts && index == 0)
            next = 10 * next;
        if (magnitude < next - (step > 1000 ? 0.5 : 0.05) * units.table[index].divisor)
            break;
        index++;
    }
    return index;
}

static struct lauka_scale scale_of(struct unit unit, bool utf8)
{
    return (struct lauka_scale){unit.divisor, utf8 ? unit.suffix : unit.ascii, 0};
}

/* What three decimals would not show, where it is no time and no size. */
static bool is_fraction(double magnitude, const char *unit)
{
    return units_of(unit).table == counts && magnitude > 0 && magnitude < 0.0009995;
}

struct lauka_scale lauka_scale_for(double largest, const char *unit, bool utf8)
{
    struct units units = units_of(unit);
    if (is_fraction(fabs(largest), unit))
        units = (struct units){fractions, sizeof fractions / sizeof *fractions};
    return scale_of(units.table[unit_index(units, fabs(largest))], utf8);
}

struct lauka_scale lauka_scale_for_range(double smallest, double largest, const char *unit,
                                         bool utf8)
{
    struct units units = units_of(unit);
    /* Beside what gets a prefix, less than one gets the same. */
    if (is_fraction(largest, unit) || (is_fraction(smallest, unit) && largest < 0.9995))
        units = (struct units){fractions, sizeof fractions / sizeof *fractions};
    size_t index = unit_index(units, largest);
    while (index > 0 && smallest / units.table[index].divisor < 0.1 &&
           largest / units.table[index - 1].divisor < 99999.5)
        index--;
    return scale_of(units.table[index], utf8);
}

/* Also as hyperfine's two series of versions call them. */
static bool is_called(const struct unit *unit, const char *name)
{
    static const char *const others[][2] = {
        {"ns", "nanosecond"}, {"us", "microsecond"}, {"ms", "millisecond"}, {"s", "second"},
        {"m", "min"},         {"h", "hour"},         {"", "count"},         {"K", "k"},
        {"G", "B"},
    };
    if (strcmp(name, unit->suffix) == 0 || strcmp(name, unit->ascii) == 0)
        return true;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(others[i][0], unit->ascii) == 0 && strcmp(others[i][1], name) == 0)
            return true;
    return false;
}

unsigned lauka_scale_named(const char *name, const char *unit)
{
    struct units units = units_of(unit);
    size_t count = units.table == times ? TIMES_READ : units.count;
    for (size_t i = 0; *name && i < count; i++)
        if (is_called(&units.table[i], name))
            return (unsigned)i + 1;
    return 0;
}

struct lauka_scale lauka_scale_chosen(unsigned chosen, const char *unit, bool utf8)
{
    return scale_of(units_of(unit).table[chosen - 1], utf8);
}

/* How many decimals make four significant digits; rounding may add a digit in front: 99.996. What
 * is less than 1 gets `least`. */
static int decimals_for(double magnitude, int least)
{
    if (magnitude < 0.99995 && least > 3)
        return least;
    if (magnitude < 9.9995)
        return 3;
    if (magnitude < 99.995)
        return 2;
    return magnitude < 999.95 ? 1 : 0;
}

struct lauka_scale lauka_scale_with_digits(struct lauka_scale scale, double value)
{
    double scaled = fabs(value / scale.divisor);
    for (scale.decimals = 3; scaled > 0 && scaled < 0.99995 && scale.decimals < 9; scaled *= 10)
        scale.decimals++;
    return scale;
}

char *lauka_format_scaled(double value, struct lauka_scale scale, char *text, size_t size)
{
    double scaled = value / scale.divisor;
    bool whole = value == 0 || (scale.divisor == 1 && value == floor(value));
    snprintf(text, size, "%.*f", whole ? 0 : decimals_for(fabs(scaled), scale.decimals), scaled);
    return text;
}

const char *lauka_sign(double value, bool utf8)
{
    return value >= 0 ? "+" : utf8 ? "−" : "-";
}

/* Never an exponent for a large number, nor twenty digits. */
char *lauka_format_share(double share, int digits, char *text, size_t size)
{
    double percent = 100 * share;
    if (percent >= 99999.5)
        snprintf(text, size, ">99999 %%");
    else if (percent >= lauka_power_of_ten(digits) - 0.5)
        snprintf(text, size, "%.0f %%", percent);
    else
        snprintf(text, size, "%.*g %%", digits, percent);
    return text;
}

char *lauka_format_exact(double value, char *text, size_t size)
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, size, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    return text;
}

double lauka_in_seconds(double value, const char *unit)
{
    return strcmp(unit, "ns") == 0 ? value / 1e9 : value;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static const struct unit *unit_named(const char *name, size_t length)
{
    for (size_t i = 0; i < TIMES_READ; i++)
        if ((strlen(times[i].suffix) == length && strncmp(name, times[i].suffix, length) == 0) ||
            (strlen(times[i].ascii) == length && strncmp(name, times[i].ascii, length) == 0))
            return &times[i];
    return NULL;
}

/* Digits and at most one point. Returns what follows them, or NULL where there is no digit. */
static const char *number_end(const char *text)
{
    size_t whole = strspn(text, "0123456789");
    const char *end = text + whole;
    size_t fraction = 0;
    if (*end == '.') {
        fraction = strspn(end + 1, "0123456789");
        end += 1 + fraction;
    }
    return whole + fraction > 0 ? end : NULL;
}

/* A number of that many nanoseconds, in integers, so that 0.1 s is 100000000 ns and the longest duration
 * is read to its last digit. Adds to *ns. */
static bool add_number(const char *text, uint64_t divisor, uint64_t *ns)
{
    uint64_t total = 0, place = divisor, fraction = 0;

    for (; is_digit(*text); text++) {
        uint64_t digit = (uint64_t)(*text - '0') * divisor;
        if (total > ((uint64_t)INT64_MAX - digit) / 10)
            return false;
        total = 10 * total + digit;
    }
    for (text += *text == '.'; is_digit(*text); text++) {
        place /= 10;
        fraction += (uint64_t)(*text - '0') * place;
    }
    if (fraction > (uint64_t)INT64_MAX - total || *ns > (uint64_t)INT64_MAX - total - fraction)
        return false;
    *ns += total + fraction;
    return true;
}

/* Several parts go from the largest unit to the smallest, each with its own: 1h30m. */
bool lauka_parse_duration(const char *text, uint64_t *ns)
{
    double before = INFINITY;
    uint64_t sum = 0;

    do {
        const char *end = number_end(text);
        size_t length = end ? strcspn(end, "0123456789.") : 0;
        const struct unit *unit = length > 0             ? unit_named(end, length)
                                  : end && isinf(before) ? unit_named("s", 1)
                                                         : NULL;
        if (!unit || unit->divisor >= before || !add_number(text, (uint64_t)unit->divisor, &sum))
            return false;
        before = unit->divisor;
        text = end + length;
    } while (*text);
    *ns = sum;
    return true;
}
