/* Whole numbers and decimals, exactly, as people and JSON have them. */
#include "report/text/text.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Most readers of JSON know doubles only, and those hold every integer up to here (RFC 8259, 6). */
#define EXACT_IN_DOUBLE (UINT64_C(1) << 53)

/* Writes the digits before `end`, at least `least` of them; returns where they begin. */
char *lauka_digits_before(char *end, uint64_t value, int least)
{
    for (; value > UINT32_MAX; value /= 10, least--)
        *--end = (char)('0' + value % 10);
    uint32_t rest = (uint32_t)value; /* divided much sooner */
    do {
        *--end = (char)('0' + rest % 10);
        rest /= 10;
        least--;
    } while (rest > 0 || least > 0);
    return end;
}

/* Writes value / 10^decimals before `end`; returns where it begins. */
static char *decimal_before(char *end, uint64_t value, unsigned decimals)
{
    uint64_t unit = 1;
    for (unsigned i = 0; i < decimals; i++)
        unit *= 10;
    uint64_t fraction = value % unit;
    for (; decimals > 0 && fraction % 10 == 0; decimals--)
        fraction /= 10;
    if (decimals > 0) {
        end = lauka_digits_before(end, fraction, (int)decimals);
        *--end = '.';
    }
    return lauka_digits_before(end, value / unit, 1);
}

static char *copy_out(char *text, size_t size, const char *from)
{
    size_t length = strlen(from) + 1;
    assert(length <= size);
    (void)size;
    return memcpy(text, from, length);
}

char *lauka_format_json_decimal(uint64_t value, unsigned decimals, char *text, size_t size)
{
    char buffer[32], *end = buffer + sizeof buffer;
    bool quoted = value > EXACT_IN_DOUBLE;
    *--end = 0;
    if (quoted)
        *--end = '"';
    end = decimal_before(end, value, decimals);
    if (quoted)
        *--end = '"';
    return copy_out(text, size, end);
}

char *lauka_format_json_integer(uint64_t value, char *text, size_t size)
{
    return lauka_format_json_decimal(value, 0, text, size);
}

char *lauka_format_decimal(uint64_t value, unsigned decimals, char *text, size_t size)
{
    char buffer[32], *end = buffer + sizeof buffer;
    *--end = 0;
    return copy_out(text, size, decimal_before(end, value, decimals));
}
