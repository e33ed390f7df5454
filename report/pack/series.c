/* Series of whole numbers as one short text: the bytes of one weight have much in common. */
#include "report/pack/pack.h"
#include "report/text/text.h"
#include "stats/loops.h"

#include <errno.h>
#include <stdlib.h>
#define ZLIB_CONST /* what is read is not written to */
#include <zlib.h>

enum {
    BLOCK = 1 << 12,      /* values at a time */
    ROOM = 3 * 4096,      /* B of what is compressed, whole groups of base64 */
    DEFLATE_RATIO = 1032, /* what a byte can become at most: zlib's technical notes */
    BYTES_MAX = 8,
};

/* ---- writing --------------------------------------------------------------------------------- */

struct packer {
    lauka_pack_source *source;
    const void *context;
    size_t count;
    bool based;    /* on `base`; otherwise differences */
    uint64_t base; /* the least value, and 1 */
    unsigned bytes;
    FILE *out;
    z_stream stream;
    size_t used; /* of `packed` */
    uint8_t packed[ROOM];
    uint64_t codes[BLOCK];
    uint8_t plane[BLOCK];
};

static size_t block_at(const struct packer *packer, size_t first)
{
    return packer->count - first < BLOCK ? packer->count - first : BLOCK;
}

/* The codes of a block whose last value before it is `before`. Returns the last one. */
static uint64_t encode(struct packer *packer, size_t first, size_t count, uint64_t before)
{
    packer->source(packer->context, first, count, packer->codes);
    for (size_t i = 0; i < count; i++) {
        uint64_t value = packer->codes[i] + 1, change = value - before;
        packer->codes[i] =
            packer->based ? value - packer->base : change << 1 ^ (0 - (change >> 63));
        before = value;
    }
    return before;
}

/* Sums for the deviations of values and of their steps, in one pass: for numbers that wander, differences
 * between neighbours vary less than the numbers themselves; for others, more. */
struct spread {
    double sum, squares, step_squares;
};

static void add_value(struct spread *spread, double value, double before)
{
    spread->sum += value;
    spread->squares += value * value;
    spread->step_squares += (value - before) * (value - before);
}

static void choose_base(struct packer *packer)
{
    struct spread spread = {0};
    double origin = 0, before = 0;
    packer->base = UINT64_MAX;
    for (size_t first = 0; first < packer->count; first += BLOCK) {
        size_t count = block_at(packer, first);
        packer->source(packer->context, first, count, packer->codes);
        for (size_t i = 0; i < count; i++) {
            uint64_t value = packer->codes[i] + 1;
            packer->base = value < packer->base ? value : packer->base;
            origin = first + i == 0 ? (double)value : origin; /* so that squares do not cancel */
            add_value(&spread, (double)value - origin, before);
            before = (double)value - origin;
        }
    }
    double variance = spread.squares - spread.sum * spread.sum / (double)packer->count;
    packer->based = variance <= spread.step_squares;
}

static unsigned bytes_needed(struct packer *packer)
{
    uint64_t all = 0, before = 0;
    unsigned bytes = 1;
    for (size_t first = 0; first < packer->count; first += BLOCK) {
        size_t count = block_at(packer, first);
        before = encode(packer, first, count, before);
        for (size_t i = 0; i < count; i++)
            all |= packer->codes[i];
    }
    while (bytes < BYTES_MAX && all >> 8 * bytes > 0)
        bytes++;
    return bytes;
}

static void put_packed(struct packer *packer)
{
    char text[ROOM / 3 * 4 + 1];
    lauka_base64_encode(packer->packed, packer->used, text);
    fwrite(text, 1, lauka_base64_size(packer->used), packer->out);
    packer->used = 0;
}

/* Whole groups only, but for the last ones. */
static void deflate_some(struct packer *packer, size_t size, int flush)
{
    z_stream *stream = &packer->stream;
    int status = Z_OK;
    stream->next_in = packer->plane;
    stream->avail_in = (uInt)size;
    do {
        stream->next_out = packer->packed + packer->used;
        stream->avail_out = (uInt)(ROOM - packer->used);
        status = deflate(stream, flush);
        packer->used = ROOM - stream->avail_out;
        if (packer->used == ROOM || status == Z_STREAM_END)
            put_packed(packer);
    } while (stream->avail_in > 0 || (flush == Z_FINISH && status != Z_STREAM_END));
}

static void put_planes(struct packer *packer)
{
    for (unsigned b = 0; b < packer->bytes; b++) {
        uint64_t before = 0;
        for (size_t first = 0; first < packer->count; first += BLOCK) {
            size_t count = block_at(packer, first);
            before = encode(packer, first, count, before);
            for (size_t i = 0; i < count; i++)
                packer->plane[i] = (uint8_t)(packer->codes[i] >> 8 * b);
            deflate_some(packer, count, Z_NO_FLUSH);
        }
    }
    deflate_some(packer, 0, Z_FINISH);
}

/* Bytes of one weight hardly ever repeat in the same order: searching for repetitions costs eight times as
 * much, and finds nothing. That needs no window, either: where there are few values, zlib gets 80 kB instead of
 * 268, which would be a tenth of lauka's memory, for 0.3 % of the text. */
static bool begin_deflating(z_stream *stream, size_t count)
{
    enum { FEW = 1 << 16, SMALL_WINDOW = 12, SMALL_MEMORY = 7, MEMORY = 8 };
    bool few = count <= FEW;

    return deflateInit2(stream, Z_BEST_SPEED, Z_DEFLATED, few ? SMALL_WINDOW : MAX_WBITS,
                        few ? SMALL_MEMORY : MEMORY, Z_RLE) == Z_OK;
}

static void put_beginning(const struct packer *packer)
{
    char base[32];
    fprintf(packer->out, "{\"count\": %zu, ", packer->count);
    if (packer->based)
        fprintf(packer->out, "\"base\": %s, ",
                lauka_format_json_integer(packer->base, base, sizeof base));
    fprintf(packer->out, "\"bytes\": %u, \"zlib\": \"", packer->bytes);
}

int lauka_pack_print(lauka_pack_source *source, const void *context, size_t count, FILE *out)
{
    struct packer *packer = malloc(sizeof *packer);
    if (!packer)
        return ENOMEM;
    *packer = (struct packer){.source = source, .context = context, .count = count, .out = out};
    bool good = begin_deflating(&packer->stream, count);
    if (good) {
        choose_base(packer);
        packer->bytes = bytes_needed(packer);
        put_beginning(packer);
        put_planes(packer);
        deflateEnd(&packer->stream);
        fputs("\"}", out);
    }
    free(packer);
    return good ? 0 : ENOMEM;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* The text's next groups as bytes; 0 at its end or where it is none. */
static size_t decode_some(const char **text, size_t *length, uint8_t *bytes)
{
    size_t take = *length < ROOM / 3 * 4 ? *length : ROOM / 3 * 4, size;
    if (!lauka_base64_decode(*text, take, bytes, &size))
        return 0;
    *text += take;
    *length -= take;
    return size;
}

/* Exactly `size` bytes, and then the end. */
static int inflate_all(z_stream *stream, const char *text, size_t length, uint8_t *out, size_t size)
{
    uint8_t bytes[ROOM], beyond;
    int status = Z_OK;
    while (status == Z_OK) {
        if (stream->avail_in == 0) {
            stream->avail_in = (uInt)decode_some(&text, &length, bytes);
            stream->next_in = bytes;
            if (stream->avail_in == 0)
                return EINVAL;
        }
        size_t done = stream->total_out, left = size - done;
        stream->next_out = left > 0 ? out + done : &beyond;
        stream->avail_out = left == 0 ? 1 : left > 1 << 30 ? 1 << 30 : (uInt)left;
        status = inflate(stream, Z_NO_FLUSH);
        if (stream->total_out > size)
            return EINVAL;
    }
    bool whole = status == Z_STREAM_END && stream->total_out == size;
    return whole && stream->avail_in == 0 && length == 0 ? 0
           : status == Z_MEM_ERROR                       ? ENOMEM
                                                         : EINVAL;
}

int lauka_unpack(const char *text, size_t length, size_t count, unsigned bytes,
                 const uint64_t *base, struct lauka_unpacked *unpacked)
{
    *unpacked = (struct lauka_unpacked){
        .count = count, .bytes = bytes, .based = base, .value = base ? *base : 0};
    if (bytes == 0 || bytes > BYTES_MAX || count > SIZE_MAX / BYTES_MAX - 1 ||
        count * bytes / DEFLATE_RATIO > length)
        return EINVAL;
    unpacked->planes = malloc(count * bytes + 1);
    z_stream stream = {0};
    if (!unpacked->planes || inflateInit(&stream) != Z_OK)
        return ENOMEM;
    int error = inflate_all(&stream, text, length, unpacked->planes, count * bytes);
    inflateEnd(&stream);
    return error;
}

LAUKA_UNCHECKED void lauka_unpack_next(struct lauka_unpacked *unpacked, uint64_t *values,
                                       size_t count)
{
    const uint8_t *plane = unpacked->planes + unpacked->at;
    for (size_t i = 0; i < count; i++)
        values[i] = plane[i];
    for (unsigned b = 1; b < unpacked->bytes; b++) {
        plane += unpacked->count;
        for (size_t i = 0; i < count; i++)
            values[i] |= (uint64_t)plane[i] << 8 * b;
    }
    unpacked->at += count;
    for (size_t i = 0; i < count && unpacked->based; i++)
        values[i] = unpacked->value + values[i] - 1;
    for (size_t i = 0; i < count && !unpacked->based; i++) {
        unpacked->value += (values[i] >> 1) ^ (0 - (values[i] & 1));
        values[i] = unpacked->value - 1;
    }
}

void lauka_unpacked_done(struct lauka_unpacked *unpacked)
{
    free(unpacked->planes);
    *unpacked = (struct lauka_unpacked){0};
}
