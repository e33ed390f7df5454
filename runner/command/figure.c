/* Figures that commands report themselves, and the units in which people write them. */
#include "runner/command/command.h"
#include "pmu/events/events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More is better for rates, less for times and sizes; what a plain number means is not known. */
static const struct lauka_figure_unit units[] = {
    {"1", "1", 1, 6, LAUKA_BETTER_NEITHER},
    {"ns", "ns", 1, 3, LAUKA_BETTER_LOWER},
    {"us", "ns", 1e3, 3, LAUKA_BETTER_LOWER},
    {"\302\265s", "ns", 1e3, 3, LAUKA_BETTER_LOWER}, /* micro sign */
    {"\316\274s", "ns", 1e3, 3, LAUKA_BETTER_LOWER}, /* Greek mu */
    {"ms", "ns", 1e6, 3, LAUKA_BETTER_LOWER},
    {"s", "ns", 1e9, 3, LAUKA_BETTER_LOWER},
    {"B", "B", 1, 3, LAUKA_BETTER_LOWER},
    {"kB", "B", 1e3, 3, LAUKA_BETTER_LOWER},
    {"MB", "B", 1e6, 3, LAUKA_BETTER_LOWER},
    {"GB", "B", 1e9, 3, LAUKA_BETTER_LOWER},
    {"KiB", "B", 1024, 3, LAUKA_BETTER_LOWER},
    {"MiB", "B", 1048576, 3, LAUKA_BETTER_LOWER},
    {"GiB", "B", 1073741824, 3, LAUKA_BETTER_LOWER},
    {"/s", "1/s", 1, 3, LAUKA_BETTER_HIGHER},
    {"1/s", "1/s", 1, 3, LAUKA_BETTER_HIGHER},
    {"ops/s", "1/s", 1, 3, LAUKA_BETTER_HIGHER},
    {"B/s", "MB/s", 1e-6, 6, LAUKA_BETTER_HIGHER},
    {"kB/s", "MB/s", 1e-3, 6, LAUKA_BETTER_HIGHER},
    {"MB/s", "MB/s", 1, 6, LAUKA_BETTER_HIGHER},
    {"GB/s", "MB/s", 1e3, 6, LAUKA_BETTER_HIGHER},
    {"MiB/s", "MB/s", 1.048576, 6, LAUKA_BETTER_HIGHER},
    {"GiB/s", "MB/s", 1073.741824, 6, LAUKA_BETTER_HIGHER},
};
enum { UNITS = sizeof units / sizeof *units };

const struct lauka_figure_unit *lauka_figure_unit_find(const char *text, size_t length)
{
    for (size_t i = 0; i < UNITS; i++)
        if (strlen(units[i].typed) == length && strncmp(units[i].typed, text, length) == 0)
            return &units[i];
    return NULL;
}

/* Beside times and sizes: how people shorten numbers, how some write kB, and shares. */
static const struct lauka_figure_unit others[] = {
    {.typed = "", .unit = "1", .factor = 1},    {.typed = "k", .unit = "1", .factor = 1e3},
    {.typed = "K", .unit = "1", .factor = 1e3}, {.typed = "M", .unit = "1", .factor = 1e6},
    {.typed = "G", .unit = "1", .factor = 1e9}, {.typed = "KB", .unit = "B", .factor = 1e3},
    {.typed = "%", .unit = "%", .factor = 1},
};

/* The unit of a quantity; of a rate there is none. */
static const struct lauka_figure_unit *quantity_unit(const char *text, size_t length)
{
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strlen(others[i].typed) == length && strncmp(others[i].typed, text, length) == 0)
            return &others[i];
    const struct lauka_figure_unit *unit = lauka_figure_unit_find(text, length);
    return unit && (strcmp(unit->unit, "ns") == 0 || strcmp(unit->unit, "B") == 0) ? unit : NULL;
}

static size_t count_digits(const char *text, size_t length)
{
    size_t count = 0;

    while (count < length && text[count] >= '0' && text[count] <= '9')
        count++;
    return count;
}

/* Digits with at most one point among them, perhaps an exponent, and nothing else that strtod(3) would accept; 0 where
 * there is no digit. */
static size_t number_length(const char *text, size_t length)
{
    size_t digits = count_digits(text, length), end = digits, exponent;

    if (end < length && text[end] == '.') {
        digits += count_digits(text + end + 1, length - end - 1);
        end = digits + 1;
    }
    if (digits == 0 || end == length || (text[end] != 'e' && text[end] != 'E'))
        return digits > 0 ? end : 0;
    exponent = end + 1;
    exponent += exponent < length && (text[exponent] == '+' || text[exponent] == '-');
    digits = count_digits(text + exponent, length - exponent);
    return digits > 0 ? exponent + digits : end;
}

const struct lauka_figure_unit *lauka_quantity_parse(const char *text, size_t length, double *value)
{
    char number[40];
    size_t end = number_length(text, length);

    *value = 0;
    if (end == 0 || end >= sizeof number)
        return NULL;
    memcpy(number, text, end);
    number[end] = '\0';
    while (end < length && strchr(" \t", text[end]))
        end++;
    const struct lauka_figure_unit *unit = quantity_unit(text + end, length - end);
    if (unit)
        *value = strtod(number, NULL) * unit->factor;
    return unit && *value <= 1e40 ? unit : NULL;
}

void lauka_figure_units_list(char *text, size_t size)
{
    size_t used = 0;

    for (size_t i = 0; i < UNITS && used < size; i++)
        if ((unsigned char)units[i].typed[0] < 0x80)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "",
                                     units[i].typed);
}

/* Whether it is 0: strtod(3) has that, too, of what is too small for it. */
static bool is_zero(const char *number)
{
    return strcspn(number, "123456789") >= strcspn(number, "eE");
}

const char *lauka_figure_value(const char *text, size_t length,
                               const struct lauka_figure_unit *unit, double *value)
{
    enum { LONGEST = 60 };
    static const char expected[] = "a number of at least 0";
    char number[LONGEST + 1], *end;

    if (length == 0 || length > LONGEST)
        return expected;
    memcpy(number, text, length);
    number[length] = '\0';
    if (strspn(number, "+-.0123456789eE") != length) /* no hexadecimal digits, no NaN */
        return expected;
    *value = strtod(number, &end) * unit->factor;
    if (*end || *value < 0)
        return expected;
    if (*value == 0 ? is_zero(number) : *value >= LAUKA_FIGURE_LEAST && *value <= LAUKA_FIGURE_MOST)
        return NULL;
    return "a number from 1e-30 to 1e30";
}

const char *lauka_figure_quantity(const char *text, size_t length,
                                  const struct lauka_figure_unit *unit, double *value)
{
    static const char expected[] = "a number with a unit";
    static const char *const seconds[] = {" secs", " sec"};
    size_t end = length;

    for (size_t i = 0; i < 2; i++)
        if (length > strlen(seconds[i]) && end == length &&
            strncmp(text + length - strlen(seconds[i]), seconds[i], strlen(seconds[i])) == 0)
            end = length - strlen(seconds[i]) + strlen(" s");
    const struct lauka_figure_unit *own = lauka_quantity_parse(text, end, value);
    return own && strcmp(own->unit, unit->unit) == 0 ? NULL : expected;
}

size_t lauka_figures_find(const struct lauka_command *commands, size_t command_count,
                          const struct lauka_figure *figures[LAUKA_FIGURES_MAX])
{
    size_t count = 0;

    for (size_t c = 0; c < command_count; c++)
        for (size_t i = 0; i < commands[c].figure_count; i++) {
            const struct lauka_figure *figure = &commands[c].figures[i];
            size_t place = 0;
            while (place < count && strcmp(figures[place]->name, figure->name) != 0)
                place++;
            if (place == count && count < LAUKA_FIGURES_MAX)
                figures[count++] = figure;
        }
    return count;
}
