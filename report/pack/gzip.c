/* Files as gzip(1) writes them (RFC 1952), without name and time, so that the same bytes make the same
 * file. */
#include "report/pack/pack.h"

#include <errno.h>
#include <stdlib.h>
#define ZLIB_CONST /* what is read is not written to */
#include <zlib.h>

enum { GZIP = 16 /* added to the window bits: zlib.h */, ROOM = 1 << 14, LEAST = 1 << 16 };

const char *lauka_pack_library(void)
{
    return zlibVersion();
}

bool lauka_is_gzip(const char *bytes, size_t size)
{
    return size >= 2 && (uint8_t)bytes[0] == 0x1f && (uint8_t)bytes[1] == 0x8b;
}

/* ---- reading --------------------------------------------------------------------------------- */

struct unzipped {
    char *text; /* owned */
    size_t size, capacity, most;
};

static int make_room(struct unzipped *to)
{
    size_t wanted = to->capacity > 0 ? 2 * to->capacity : LEAST;
    size_t capacity = wanted < to->most ? wanted : to->most;
    if (to->size == to->most)
        return EFBIG;
    char *text = realloc(to->text, capacity + 1);
    if (!text)
        return ENOMEM;
    to->text = text;
    to->capacity = capacity;
    return 0;
}

/* One member, or the next one that begins right behind it. */
static int inflate_members(z_stream *stream, const char *end, struct unzipped *to)
{
    int status = Z_OK, error = 0;
    while (!error && status == Z_OK) {
        if (to->size == to->capacity)
            error = make_room(to);
        if (error)
            break;
        size_t in = (size_t)(end - (const char *)stream->next_in), room = to->capacity - to->size;
        stream->avail_in = in > 1 << 30 ? 1 << 30 : (uInt)in;
        stream->next_out = (Bytef *)to->text + to->size;
        stream->avail_out = room > 1 << 30 ? 1 << 30 : (uInt)room;
        size_t offered = stream->avail_out;
        status = inflate(stream, Z_NO_FLUSH);
        to->size += offered - stream->avail_out;
        if (status == Z_STREAM_END && (const char *)stream->next_in < end)
            status = inflateReset(stream);
    }
    return error ? error : status == Z_STREAM_END ? 0 : status == Z_MEM_ERROR ? ENOMEM : EINVAL;
}

int lauka_gunzip(const char *bytes, size_t size, size_t most, char **text, size_t *text_size)
{
    struct unzipped to = {.most = most};
    z_stream stream = {.next_in = (const Bytef *)bytes};
    if (inflateInit2(&stream, MAX_WBITS + GZIP) != Z_OK)
        return ENOMEM;
    int error = inflate_members(&stream, bytes + size, &to);
    inflateEnd(&stream);
    if (error)
        free(to.text);
    *text = error ? NULL : to.text;
    *text_size = error ? 0 : to.size;
    return error;
}

/* ---- writing --------------------------------------------------------------------------------- */

struct gzip {
    FILE *to; /* borrowed */
    z_stream stream;
    uint8_t room[ROOM];
};

static int deflate_some(struct gzip *gzip, const char *bytes, size_t size, int flush)
{
    z_stream *stream = &gzip->stream;
    int status = Z_OK;
    stream->next_in = (const Bytef *)bytes;
    stream->avail_in = (uInt)size; /* of a buffer of stdio */
    errno = 0;
    do {
        stream->next_out = gzip->room;
        stream->avail_out = ROOM;
        status = deflate(stream, flush);
        size_t made = ROOM - stream->avail_out;
        if (fwrite(gzip->room, 1, made, gzip->to) != made)
            return errno ? errno : EIO;
    } while (stream->avail_in > 0 || (flush == Z_FINISH && status != Z_STREAM_END));
    return 0;
}

static int put(void *context, const char *bytes, size_t size)
{
    enum { MOST = 1 << 30 };
    int error = 0;
    for (size_t done = 0; done < size && !error; done += MOST)
        error = deflate_some(context, bytes + done, size - done < MOST ? size - done : MOST,
                             Z_NO_FLUSH);
    return error;
}

static int finish(void *context)
{
    struct gzip *gzip = context;
    int error = deflate_some(gzip, NULL, 0, Z_FINISH);
    if (!error && fflush(gzip->to) != 0)
        error = errno ? errno : EIO;
    deflateEnd(&gzip->stream);
    free(gzip);
    return error;
}

FILE *lauka_gzip_open(FILE *to)
{
    static const struct lauka_sink sink = {put, finish};
    struct gzip *gzip = calloc(1, sizeof *gzip);
    if (!gzip)
        return NULL;
    gzip->to = to;
    bool good = deflateInit2(&gzip->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + GZIP, 8,
                             Z_DEFAULT_STRATEGY) == Z_OK;
    FILE *stream = good ? lauka_sink_open(&sink, gzip) : NULL;
    if (!stream) {
        if (good)
            deflateEnd(&gzip->stream);
        free(gzip);
        errno = ENOMEM;
    }
    return stream;
}
