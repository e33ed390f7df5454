/* hdr_text: a histogram as one word, "HISTFAAAA...", the form in which HdrHistograms of all languages
 * exchange theirs: the V2 encoding, compressed by zlib behind a header of its own, in base64. Input is
 * inflated only to its declared size, and never beyond the possible one. */
#include "report/hdr/hdr.h"
#include "report/text/text.h"
#include "stats/histogram.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#define ZLIB_CONST /* what is read is not written to */
#include <zlib.h>

/* The cookie of compressed version 2; bits 4 ... 7 as in the uncompressed one. */
#define COOKIE UINT32_C(0x1c849304)
#define COOKIE_WORD_BITS UINT32_C(0xf0)
#define COOKIE_WORD_SIZE UINT32_C(0x10)

enum {
    OUTER_SIZE = 8,          /* cookie, length of what follows */
    DEFLATE_RATIO = 1032,    /* what a byte can become at most: zlib's technical notes */
    SIZE_MAX_READ = 1 << 30, /* far more than any histogram has */
};

static void put_u32(uint8_t *bytes, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(value >> (24 - 8 * i));
}

static uint32_t get_u32(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* ---- writing ---- */

/* The smallest b >= least for which 2^b is at least `size`, but at most `most`. */
static int bits_for(size_t size, int least, int most)
{
    int bits = least;
    while (bits < most && (size_t)1 << bits < size)
        bits++;
    return bits;
}

/* zlib's default window and buffers, 256 kB, would be touched for every few hundred bytes, and the page
 * faults cost more than compressing. These sizes hold all of the bytes, too (deflateInit2 in zlib.h). */
static bool begin_deflating(z_stream *stream, size_t size)
{
    enum { LOOKAHEAD = 262, LEAST_WINDOW = 9, MOST_LEVEL = 8, LITERAL_BITS = 6 };
    int window = bits_for(size + LOOKAHEAD, LEAST_WINDOW, MAX_WBITS);
    int level = bits_for(size, LITERAL_BITS + 1, LITERAL_BITS + MOST_LEVEL) - LITERAL_BITS;

    return deflateInit2(stream, Z_BEST_COMPRESSION, Z_DEFLATED, window, level,
                        Z_DEFAULT_STRATEGY) == Z_OK;
}

/* The outer header and the compressed bytes, owned; NULL if there is no memory. */
static uint8_t *deflated(const uint8_t *bytes, size_t size, size_t *deflated_size)
{
    z_stream stream = {.next_in = bytes, .avail_in = (uInt)size};
    if (!begin_deflating(&stream, size))
        return NULL;
    size_t room = deflateBound(&stream, size);
    uint8_t *outer = malloc(OUTER_SIZE + room);
    bool complete = false;
    if (outer) {
        stream.next_out = outer + OUTER_SIZE;
        stream.avail_out = (uInt)room;
        complete = deflate(&stream, Z_FINISH) == Z_STREAM_END;
        put_u32(outer, COOKIE | COOKIE_WORD_SIZE);
        put_u32(outer + 4, (uint32_t)stream.total_out);
        *deflated_size = OUTER_SIZE + stream.total_out;
    }
    deflateEnd(&stream);
    if (complete)
        return outer;
    free(outer);
    return NULL;
}

int lauka_hdr_text_encode(const struct lauka_histogram *histogram, char **text, uint64_t *left_out)
{
    uint8_t *bytes;
    size_t size, outer_size;
    int error = lauka_histogram_encode(histogram, &bytes, &size, left_out);
    if (error != 0)
        return error;

    uint8_t *outer = deflated(bytes, size, &outer_size);
    free(bytes);
    *text = outer ? malloc(lauka_base64_size(outer_size) + 1) : NULL;
    if (*text)
        lauka_base64_encode(outer, outer_size, *text);
    free(outer);
    return *text ? 0 : ENOMEM;
}

/* ---- reading ---- */

static int refuse(const char **reason, const char *why)
{
    *reason = why;
    return EINVAL;
}

/* Inflates until `out` is full. Returns 0 then, or if the stream ended before: `ended`. */
static int inflate_some(z_stream *stream, uint8_t *out, size_t size, bool *ended,
                        const char **reason)
{
    stream->next_out = out;
    stream->avail_out = (uInt)size;
    int status = inflate(stream, Z_SYNC_FLUSH);
    *ended = status == Z_STREAM_END;
    if (status == Z_MEM_ERROR)
        return ENOMEM;
    if (!*ended && (status != Z_OK || stream->avail_out > 0))
        return refuse(reason, "the compressed data is damaged or cut off");
    return 0;
}

/* All of the stream, whose size the header gave. */
static int inflate_rest(z_stream *stream, const uint8_t *header, size_t payload_size,
                        struct lauka_histogram *histogram, const char **reason)
{
    size_t size = LAUKA_HDR_HEADER_SIZE + payload_size;
    uint8_t *bytes = malloc(size + 1); /* one more, to see whether there is more */
    if (!bytes)
        return ENOMEM;
    memcpy(bytes, header, LAUKA_HDR_HEADER_SIZE);
    bool ended;
    int error =
        inflate_some(stream, bytes + LAUKA_HDR_HEADER_SIZE, payload_size + 1, &ended, reason);
    if (error == 0 && (!ended || stream->total_out != size))
        error = refuse(reason, "not as many bytes as the header says");
    if (error == 0 && stream->avail_in > 0)
        error = refuse(reason, "something follows the compressed data");
    if (error == 0)
        error = lauka_histogram_decode(bytes, size, histogram, reason);
    free(bytes);
    return error;
}

static int inflate_all(z_stream *stream, struct lauka_histogram *histogram, const char **reason)
{
    uint8_t bytes[LAUKA_HDR_HEADER_SIZE];
    struct lauka_hdr_header header;
    bool ended;
    size_t compressed_size = stream->avail_in;
    int error = inflate_some(stream, bytes, sizeof bytes, &ended, reason);
    if (error != 0)
        return error;
    if (stream->total_out < sizeof bytes)
        return refuse(reason, "too short for an encoded histogram");
    if (lauka_hdr_header_decode(bytes, &header, reason) != 0)
        return EINVAL;
    if (header.payload_size / DEFLATE_RATIO > compressed_size)
        return refuse(reason, "more bytes than the compressed data could hold");
    return inflate_rest(stream, bytes, header.payload_size, histogram, reason);
}

/* Ignores bytes after the compressed ones: other writers' buffers are sometimes larger. */
static int decode_outer(const uint8_t *outer, size_t size, struct lauka_histogram *histogram,
                        const char **reason)
{
    if (size < OUTER_SIZE)
        return refuse(reason, "too short for a compressed histogram");
    if ((get_u32(outer) & ~COOKIE_WORD_BITS) != COOKIE)
        return refuse(reason, "not a compressed histogram in version 2 of the encoding");
    uint32_t length = get_u32(outer + 4);
    if (length > size - OUTER_SIZE)
        return refuse(reason, "the compressed data is cut off");

    /* zlib only reads through next_in, which is not const for historical reasons. */
    z_stream stream = {.next_in = (Bytef *)(uintptr_t)(outer + OUTER_SIZE), .avail_in = length};
    if (inflateInit(&stream) != Z_OK)
        return ENOMEM;
    int error = inflate_all(&stream, histogram, reason);
    inflateEnd(&stream);
    return error;
}

int lauka_hdr_text_decode(const char *text, size_t length, struct lauka_histogram *histogram,
                          const char **reason)
{
    *histogram = (struct lauka_histogram){0};
    *reason = NULL;
    if (length == 0)
        return refuse(reason, "there is no histogram");
    if (length > SIZE_MAX_READ)
        return refuse(reason, "too long for a histogram");
    uint8_t *outer = malloc(length / 4 * 3 + 3);
    if (!outer)
        return ENOMEM;
    size_t size;
    int error = lauka_base64_decode(text, length, outer, &size)
                    ? decode_outer(outer, size, histogram, reason)
                    : refuse(reason, "not base64");
    free(outer);
    return error;
}
