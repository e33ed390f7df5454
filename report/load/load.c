/* Stored results, of lauka and of others. lauka recognises a file by its content, not its name. */
#include "report/load/load.h"
#include "report/load/loader.h"
#include "report/pack/pack.h"
#include "report/result/result.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

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
    int failure = lauka_load_utf16(stored, &text, error);
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
