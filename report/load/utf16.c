/* UTF-16, as PowerShell's ">" and some spreadsheets write text: it becomes UTF-8. */
#include "report/load/loader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { REPLACEMENT = 0xfffd };

struct units { /* 16 bits each */
    const uint8_t *bytes;
    size_t count;
    bool little; /* the low byte comes first */
};

static uint32_t unit_at(const struct units *units, size_t i)
{
    const uint8_t *byte = units->bytes + 2 * i;
    return units->little ? (uint32_t)byte[1] << 8 | byte[0] : (uint32_t)byte[0] << 8 | byte[1];
}

static bool is_half(uint32_t unit, uint32_t first)
{
    return (unit & 0xfc00) == first;
}

/* Two halves make a character; one alone is no text, and is marked as such. */
static uint32_t take_character(const struct units *units, size_t *i)
{
    const uint32_t unit = unit_at(units, (*i)++);
    if (!is_half(unit, 0xd800))
        return is_half(unit, 0xdc00) ? REPLACEMENT : unit;
    if (*i == units->count || !is_half(unit_at(units, *i), 0xdc00))
        return REPLACEMENT;
    return 0x10000 + ((unit & 0x3ff) << 10 | (unit_at(units, (*i)++) & 0x3ff));
}

static size_t put_utf8(uint32_t character, char *text)
{
    const size_t more = character < 0x80 ? 0 : character < 0x800 ? 1 : character < 0x10000 ? 2 : 3;
    static const uint8_t lead[] = {0, 0xc0, 0xe0, 0xf0};
    text[0] = (char)(lead[more] | character >> 6 * more);
    for (size_t i = 1; i <= more; i++)
        text[i] = (char)(0x80 | (character >> 6 * (more - i) & 0x3f));
    return more + 1;
}

static int convert(const struct units *units, struct lauka_stored *text)
{
    char *utf8 = malloc(3 * units->count + 1); /* a pair of units takes 4 */
    size_t size = 0;
    if (!utf8)
        return ENOMEM;
    for (size_t i = 0; i < units->count;)
        size += put_utf8(take_character(units, &i), utf8 + size);
    text->bytes = utf8;
    text->size = size;
    return 0;
}

static bool begins(const struct lauka_stored *stored, const char *bytes, size_t size)
{
    return stored->size >= size && memcmp(stored->bytes, bytes, size) == 0;
}

int lauka_load_utf16(const struct lauka_stored *stored, struct lauka_stored *text,
                     struct lauka_load_error *error)
{
    const bool little = begins(stored, "\xff\xfe", 2), big = begins(stored, "\xfe\xff", 2);
    const bool marked = little || big;
    *text = (struct lauka_stored){0};
    if (begins(stored, "\xff\xfe\0\0", 4) || begins(stored, "\0\0\xfe\xff", 4))
        return lauka_load_fail(stored, 0, error, "is UTF-32: save it as UTF-8");
    if (!marked && stored->size >= 2 && !stored->bytes[0] != !stored->bytes[1])
        return lauka_load_fail(stored, 0, error,
                               "is UTF-16 without a byte order mark: save it as UTF-8");
    if (!marked)
        return 0;
    if (stored->size % 2 != 0)
        return lauka_load_fail(stored, 0, error, "is UTF-16, and cut off within a character");
    const struct units units = {(const uint8_t *)stored->bytes + 2, stored->size / 2 - 1, little};
    *text = *stored;
    text->bytes = NULL;
    return convert(&units, text);
}
