/* Whole numbers and decimals, exactly, as people and JSON have them. */
#include "report/text/text.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Most readers of JSON know doubles only, and those hold every integer up to here (RFC 8259, 6). */
#define EXACT_IN_DOUBLE (UINT64_C(1) << 53)

enum { PLAIN_DECIMALS = 18, PLAIN_DIGITS = 21 }; /* others have an exponent */

/* A multiplication is much faster than the division that a compiler prefers for a small program. The
 * constant is 2^35 / 10, rounded up, which is exact for 32 bits (Granlund & Montgomery 1994). */
static uint32_t tenth_of(uint32_t value)
{
    return (uint32_t)(value * UINT64_C(0xcccccccd) >> 35);
}

/* Not by pow(3): whole powers up to 22 are exact, and of two of them the product is rounded once. */
double lauka_power_of_ten(int exponent)
{
    double exact = 1, rest = 1;

    for (int i = abs(exponent); i > 0; i--)
        if (i > 22)
            rest *= 10;
        else
            exact *= 10;
    return exponent < 0 ? 1 / (exact * rest) : exact * rest;
}

/* Writes the digits before `end`, at least `least` of them; returns where they begin. */
static char *digits_before(char *end, uint64_t value, int least)
{
    for (; value > UINT32_MAX; value /= 10, least--)
        *--end = (char)('0' + value % 10);
    uint32_t rest = (uint32_t)value;
    do {
        uint32_t tenth = tenth_of(rest);
        *--end = (char)('0' + (rest - 10 * tenth));
        rest = tenth;
        least--;
    } while (rest > 0 || least > 0);
    return end;
}

/* "4.5e-23". */
static char *exponent_before(char *end, uint64_t value, int decimals)
{
    int digits = 0;
    for (uint64_t rest = value; rest > 0; rest /= 10)
        digits++;
    int exponent = digits - 1 - decimals;
    end = digits_before(end, (uint64_t)abs(exponent), 1);
    if (exponent < 0)
        *--end = '-';
    *--end = 'e';
    if (digits == 1)
        return digits_before(end, value, 1);
    for (; digits > 1; digits--, value /= 10)
        *--end = (char)('0' + value % 10);
    *--end = '.';
    return digits_before(end, value, 1);
}

/* What has too many decimals, or zeros in place of a point. */
static char *far_decimal_before(char *end, uint64_t value, int decimals)
{
    int digits = 0;
    if (value == 0)
        return digits_before(end, value, 1);
    for (; value % 10 == 0 && decimals != 0; value /= 10)
        decimals--;
    if (decimals >= 0 && decimals <= PLAIN_DECIMALS)
        return lauka_decimal_before(end, value, decimals);
    for (uint64_t rest = value; rest > 0; rest /= 10)
        digits++;
    if (decimals > 0 || digits - decimals > PLAIN_DIGITS)
        return exponent_before(end, value, decimals);
    for (; decimals < 0; decimals++)
        *--end = '0';
    return digits_before(end, value, 1);
}

char *lauka_decimal_before(char *end, uint64_t value, int decimals)
{
    uint64_t unit = 1;
    if (decimals == 0)
        return digits_before(end, value, 1);
    if (decimals < 0 || decimals > PLAIN_DECIMALS)
        return far_decimal_before(end, value, decimals);
    for (int i = 0; i < decimals; i++)
        unit *= 10;
    uint64_t fraction = value % unit;
    for (; decimals > 0 && fraction % 10 == 0; decimals--)
        fraction /= 10;
    if (decimals > 0) {
        end = digits_before(end, fraction, decimals);
        *--end = '.';
    }
    return digits_before(end, value / unit, 1);
}

static char *copy_out(char *text, size_t size, const char *from)
{
    size_t length = strlen(from) + 1;
    assert(length <= size);
    (void)size;
    return memcpy(text, from, length);
}

char *lauka_json_decimal_before(char *end, uint64_t value, int decimals)
{
    uint64_t digits = value;
    while (decimals != 0 && digits > EXACT_IN_DOUBLE && digits % 10 == 0)
        digits /= 10; /* they are not written, or do not matter */
    bool quoted = digits > EXACT_IN_DOUBLE;
    if (quoted)
        *--end = '"';
    end = lauka_decimal_before(end, value, decimals);
    if (quoted)
        *--end = '"';
    return end;
}

char *lauka_format_json_decimal(uint64_t value, int decimals, char *text, size_t size)
{
    char buffer[32], *end = buffer + sizeof buffer;
    *--end = 0;
    return copy_out(text, size, lauka_json_decimal_before(end, value, decimals));
}

char *lauka_format_json_integer(uint64_t value, char *text, size_t size)
{
    return lauka_format_json_decimal(value, 0, text, size);
}

char *lauka_format_decimal(uint64_t value, int decimals, char *text, size_t size)
{
    char buffer[32], *end = buffer + sizeof buffer;
    *--end = 0;
    return copy_out(text, size, lauka_decimal_before(end, value, decimals));
}
