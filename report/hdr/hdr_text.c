/* hdr_text: a histogram as one word, "HISTFAAAA...", the form in which HdrHistograms of all languages
 * exchange theirs: the V2 encoding, compressed by zlib behind a header of its own, in base64. Older
 * versions, double histograms and what is not compressed are read, too. Input is inflated only to its
 * declared size, and never beyond the possible one. */
#include "report/hdr/hdr.h"
#include "report/text/text.h"
#include "stats/histogram.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#define ZLIB_CONST /* what is read is not written to */
#include <zlib.h>

/* The cookies of compressed versions; bits 4 ... 7 as in the uncompressed ones. */
#define COOKIE_0 UINT32_C(0x1c849309)
#define COOKIE_1 UINT32_C(0x1c849302)
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

/* Where a histogram goes that is being read: as lauka_histogram_decode has it. */
struct target {
    struct lauka_histogram *histogram;
    double *unit;
    const char **reason;
};

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

/* The rest of the stream, behind what is already in `bytes`: `most` in all, and room for one more, which
 * shows whether there is more. */
static int inflate_rest(z_stream *stream, uint8_t *bytes, size_t most, const char **reason)
{
    bool ended;
    int error = inflate_some(stream, bytes + stream->total_out, most + 1 - stream->total_out,
                             &ended, reason);
    if (error == 0 && (!ended || stream->total_out > most))
        return refuse(reason, "not as many bytes as the header says");
    if (error == 0 && stream->avail_in > 0)
        return refuse(reason, "something follows the compressed data");
    return error;
}

/* What can be in the stream at most, from its first bytes; 0 and an error where it cannot be right. */
static size_t most_of(const uint8_t *start, size_t compressed_size, const char **reason)
{
    struct lauka_hdr_header header;
    if (lauka_hdr_header_decode(start, &header, reason) != 0)
        return 0;
    if (header.payload_size / DEFLATE_RATIO <= compressed_size)
        return header.size + header.payload_size;
    if (header.is_open)
        return header.size + (compressed_size + 1) * DEFLATE_RATIO;
    *reason = "more bytes than the compressed data could hold";
    return 0;
}

/* before: what stands in front of the compressed bytes of a double histogram; it is kept there. */
static int decode_stream(z_stream *stream, const uint8_t *before, size_t before_size,
                         const struct target *target)
{
    uint8_t start[LAUKA_HDR_HEADER_LEAST];
    const size_t compressed_size = stream->avail_in;
    bool ended;
    int error = inflate_some(stream, start, sizeof start, &ended, target->reason);
    if (error != 0)
        return error;
    if (stream->total_out < sizeof start)
        return refuse(target->reason, "too short for an encoded histogram");
    const size_t most = most_of(start, compressed_size, target->reason);
    if (most == 0)
        return EINVAL;
    uint8_t *bytes = malloc(before_size + most + 1);
    if (!bytes)
        return ENOMEM;
    memcpy(bytes, before, before_size);
    memcpy(bytes + before_size, start, sizeof start);
    error = inflate_rest(stream, bytes + before_size, most, target->reason);
    if (error == 0)
        error = lauka_histogram_decode(bytes, before_size + stream->total_out, target->histogram,
                                       target->unit, target->reason);
    free(bytes);
    return error;
}

static bool is_compressed(const uint8_t *bytes, size_t size)
{
    const uint32_t cookie = size >= OUTER_SIZE ? get_u32(bytes) & ~COOKIE_WORD_BITS : 0;
    return cookie == COOKIE || cookie == COOKIE_1 || cookie == COOKIE_0;
}

/* Ignores bytes after the compressed ones: other writers' buffers are sometimes larger. */
static int decode_outer(const uint8_t *bytes, size_t size, const struct target *target)
{
    const size_t before = lauka_hdr_is_double(bytes, size) ? LAUKA_HDR_DOUBLE_SIZE : 0;
    const uint8_t *outer = bytes + before;
    if (size < before + OUTER_SIZE)
        return refuse(target->reason, "too short for a histogram");
    if (!is_compressed(outer, size - before))
        return lauka_histogram_decode(bytes, size, target->histogram, target->unit, target->reason);
    uint32_t length = get_u32(outer + 4);
    if (length > size - before - OUTER_SIZE)
        return refuse(target->reason, "the compressed data is cut off");

    /* zlib only reads through next_in, which is not const for historical reasons. */
    z_stream stream = {.next_in = (Bytef *)(uintptr_t)(outer + OUTER_SIZE), .avail_in = length};
    if (inflateInit(&stream) != Z_OK)
        return ENOMEM;
    int error = decode_stream(&stream, bytes, before, target);
    inflateEnd(&stream);
    return error;
}

/* Some writers leave out the padding, and Java takes that. */
static bool decode_base64(const char *text, size_t length, uint8_t *bytes, size_t *size)
{
    const size_t rest = length % 4;
    char last[] = "====";
    size_t more = 0;
    memcpy(last, text + length - rest, rest);
    if (!lauka_base64_decode(text, length - rest, bytes, size))
        return false;
    if (rest > 0 &&
        (*size != length / 4 * 3 || !lauka_base64_decode(last, 4, bytes + *size, &more)))
        return false;
    *size += more;
    return true;
}

int lauka_hdr_text_decode(const char *text, size_t length, struct lauka_histogram *histogram,
                          double *unit, const char **reason)
{
    const struct target target = {histogram, unit, reason};
    *histogram = (struct lauka_histogram){0};
    *reason = NULL;
    if (length == 0)
        return refuse(reason, "there is no histogram");
    if (length > SIZE_MAX_READ)
        return refuse(reason, "too long for a histogram");
    uint8_t *bytes = malloc(length / 4 * 3 + 6);
    if (!bytes)
        return ENOMEM;
    size_t size;
    int error = decode_base64(text, length, bytes, &size) ? decode_outer(bytes, size, &target)
                                                          : refuse(reason, "not base64");
    free(bytes);
    return error;
}
