/* Stored results, of lauka and of others. lauka recognises a file by its content, not its name. */
#include "report/load/loader.h"
#include "report/load/load.h"
#include "report/pack/pack.h"
#include "report/result/result.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- text as PowerShell writes it ------------------------------------------------------------- */

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

/* Makes UTF-8 of UTF-16 with a byte order mark: text->bytes is to be freed, and NULL where it is something else.
 * Returns 0, ENOMEM, or EINVAL and the error for what cannot be told for sure. */
static int load_utf16(const struct lauka_stored *stored, struct lauka_stored *text,
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

/* ---- what a file is -------------------------------------------------------------------------- */

static bool begins_with(const struct lauka_stored *stored, const char *text)
{
    size_t length = strlen(text);
    return stored->size >= length && memcmp(stored->bytes, text, length) == 0;
}

/* The first line that is neither blank nor a comment. */
static struct lauka_stored first_line(const struct lauka_stored *stored)
{
    const char *at = stored->bytes, *end = at + stored->size;
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline ? newline : end;
        while (at < stop && strchr(" \t\r", *at))
            at++;
        if (at < stop && *at != '#')
            return (struct lauka_stored){.bytes = at, .size = (size_t)(stop - at)};
        at = stop + (newline != NULL);
    }
    return (struct lauka_stored){.bytes = end};
}

/* Whether the line has a histogram as its fourth field, or as the fifth behind a tag. Every encoding begins
 * alike in base64. */
static bool is_interval(const struct lauka_stored *line)
{
    static const char separators[] = " ,\t";
    const char *at = line->bytes, *end = at + line->size;
    size_t fields = begins_with(line, "Tag=") ? 5 : 4;
    while (at < end && --fields > 0) {
        while (at < end && !strchr(separators, *at))
            at++;
        while (at < end && strchr(separators, *at))
            at++;
    }
    const struct lauka_stored last = {.bytes = at, .size = (size_t)(end - at)};
    return begins_with(&last, "HIST") || begins_with(&last, "DHIST");
}

/* A kind that knows nothing of benchmarks is a single one, without a name. */
static int load_one(const struct lauka_stored *stored, struct lauka_session *session,
                    struct lauka_load_error *error)
{
    struct lauka_stored first = first_line(stored);
    if (lauka_session_init(session, 1) != 0)
        return ENOMEM;
    struct lauka_result *result = &session->benchmarks[0];
    if (begins_with(&first, "\"StartTimestamp\"") || is_interval(&first))
        return lauka_load_hlog(stored, result, error);
    if (stored->column || memchr(first.bytes, ',', first.size))
        return lauka_load_csv(stored, result, error);
    return lauka_load_text(stored, result, error);
}

static int load_utf8(const struct lauka_stored *stored, struct lauka_session *session,
                     struct lauka_load_error *error)
{
    static const char byte_order_mark[] = "\xEF\xBB\xBF";
    struct lauka_stored content = *stored;
    if (begins_with(&content, byte_order_mark)) {
        content.bytes += strlen(byte_order_mark);
        content.size -= strlen(byte_order_mark);
    }
    struct lauka_stored first = first_line(&content);
    return first.size > 0 && (*first.bytes == '{' || *first.bytes == '[')
               ? lauka_load_json(&content, session, error)
               : load_one(&content, session, error);
}

static int load_content(const struct lauka_stored *stored, struct lauka_session *session,
                        struct lauka_load_error *error)
{
    struct lauka_stored text;
    int failure = load_utf16(stored, &text, error);
    if (!failure)
        failure = load_utf8(text.bytes ? &text : stored, session, error);
    free((void *)(uintptr_t)text.bytes);
    return failure;
}

static int load_gzip(const struct lauka_stored *stored, struct lauka_session *session,
                     struct lauka_load_error *error)
{
    struct lauka_stored content = *stored;
    char *text = NULL;
    int failure =
        lauka_gunzip(stored->bytes, stored->size, LAUKA_UNPACKED_MAX, &text, &content.size);
    content.bytes = text;
    if (failure == EFBIG)
        return lauka_load_fail(stored, 0, error, "is more than %d MiB when it is unpacked",
                               LAUKA_UNPACKED_MAX >> 20);
    if (failure == EINVAL)
        return lauka_load_fail(stored, 0, error, "is damaged or cut off, as gzip");
    if (!failure && stored->forget)
        stored->forget(stored->bytes, stored->size);
    if (!failure)
        failure = load_content(&content, session, error);
    free(text);
    return failure;
}

int lauka_load_session(const struct lauka_stored *stored, struct lauka_session *session,
                       struct lauka_load_error *error)
{
    *session = (struct lauka_session){0};
    error->text[0] = 0;
    int failure = lauka_is_gzip(stored->bytes, stored->size) ? load_gzip(stored, session, error)
                                                             : load_content(stored, session, error);
    if (failure)
        lauka_session_done(session);
    return failure;
}

int lauka_load(const struct lauka_stored *stored, struct lauka_result *result,
               struct lauka_load_error *error)
{
    struct lauka_session session;
    *result = (struct lauka_result){0};
    int failure = lauka_load_session(stored, &session, error);
    if (!failure && session.benchmark_count > 1)
        failure = lauka_load_fail(stored, 0, error, "holds %zu benchmarks, but one is expected",
                                  session.benchmark_count);
    if (!failure) {
        *result = session.benchmarks[0];
        session.benchmarks[0] = (struct lauka_result){0};
    }
    lauka_session_done(&session);
    return failure;
}
