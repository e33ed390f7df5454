/* histogram_codec: HdrHistogram's encodings, not compressed. Big-endian. Version 2, which is what is
 * written, has 40 bytes of header, then the counters from index 0 to the last that is not 0, as ZigZag
 * LEB128 numbers of at most 9 bytes, the ninth of which carries 8 bits: a count, or minus the length of
 * a run of zeros. Version 1 has the same header, and counters of 2, 4 or 8 bytes; so has version 0,
 * whose header is shorter and does not tell how many there are. A double histogram is 16 bytes and one
 * of these. What is read may come from anywhere: nothing is believed before it has been compared with
 * what is there. */
#include "stats.h"

#include <errno.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>

/* Bits 4 ... 7 tell the size of a counter in bytes in the versions 0 and 1. */
#define COOKIE_0 UINT32_C(0x1c849308)
#define COOKIE_1 UINT32_C(0x1c849301)
#define COOKIE UINT32_C(0x1c849303)
/* Of double histograms: the last bit is set where what follows is compressed, the other one since version 2.1. */
#define COOKIE_DOUBLE UINT32_C(0x0c72124c)
#define COOKIE_WORD_BITS UINT32_C(0xf0)
#define COOKIE_WORD_SIZE UINT32_C(0x10)
#define RATIO_ONE UINT64_C(0x3ff0000000000000) /* 1.0: counted values are the values themselves */

enum { NUMBER_SIZE = 9 };

/* Doubles, and so JavaScript, are exact up to here; the format goes up to INT64_MAX. */
#define USUAL_HIGHEST ((UINT64_C(1) << 53) - 1)

static void put(uint8_t *bytes, uint64_t value, int size)
{
    for (int i = 0; i < size; i++)
        bytes[i] = (uint8_t)(value >> 8 * (size - 1 - i));
}

static uint64_t get(const uint8_t *bytes, int size)
{
    uint64_t value = 0;
    for (int i = 0; i < size; i++)
        value = value << 8 | bytes[i];
    return value;
}

/* ---- writing ---- */

/* Where bytes go; with `bytes` NULL they are only counted. */
struct sink {
    uint8_t *bytes;
    size_t size;
};

static void put_number(struct sink *sink, int64_t number)
{
    uint64_t rest = number < 0 ? ~((uint64_t)number << 1) : (uint64_t)number << 1; /* ZigZag */
    for (int i = 1;; i++) {
        bool last = i == NUMBER_SIZE || rest < 0x80;
        if (sink->bytes)
            sink->bytes[sink->size] = (uint8_t)(last ? rest : rest | 0x80);
        sink->size++;
        if (last)
            return;
        rest >>= 7;
    }
}

/* A run of one zero is a 0, as HdrHistogram for Java has it. */
static void put_zeros(struct sink *sink, size_t count)
{
    if (count > 0)
        put_number(sink, count == 1 ? 0 : -(int64_t)count);
}

/* The counters of the buckets up to `highest`. */
static void put_counts(struct sink *sink, const struct lauka_histogram *histogram, uint64_t highest)
{
    size_t next = 0;
    struct lauka_bucket bucket = {0};
    while (lauka_histogram_next(histogram, &bucket) && bucket.lowest <= highest) {
        put_zeros(sink, bucket.index - next);
        put_number(sink, (int64_t)bucket.count);
        next = bucket.index + 1;
    }
    if (next == 0)
        put_number(sink, 0); /* no values: the others write a counter of zero, too */
}

/* What there is for the format, and up to which value. */
struct extent {
    uint64_t highest; /* of the last bucket that has values in it */
    uint64_t total, left_out;
};

static struct extent extent_of(const struct lauka_histogram *histogram)
{
    struct extent extent = {0};
    struct lauka_bucket bucket = {0};
    while (lauka_histogram_next(histogram, &bucket)) {
        if (bucket.highest > INT64_MAX) {
            extent.left_out += bucket.count;
        } else {
            extent.highest = bucket.highest;
            extent.total = bucket.cumulative;
        }
    }
    return extent;
}

static uint64_t highest_written(const struct lauka_histogram *histogram, uint64_t highest)
{
    if (histogram->highest)
        return histogram->highest;
    return highest <= USUAL_HIGHEST ? USUAL_HIGHEST : INT64_MAX;
}

static void put_header(uint8_t *bytes, const struct lauka_histogram *histogram, size_t payload_size,
                       uint64_t highest)
{
    put(bytes, COOKIE | COOKIE_WORD_SIZE, 4);
    put(bytes + 4, payload_size, 4);
    put(bytes + 8, 0, 4); /* offset by which counters are rotated */
    put(bytes + 12, histogram->digits, 4);
    put(bytes + 16, histogram->lowest, 8);
    put(bytes + 24, highest_written(histogram, highest), 8);
    put(bytes + 32, RATIO_ONE, 8);
}

int lauka_histogram_encode(const struct lauka_histogram *histogram, uint8_t **bytes, size_t *size,
                           uint64_t *left_out)
{
    struct extent extent = extent_of(histogram);
    if (left_out)
        *left_out = extent.left_out;
    if (extent.total > INT64_MAX)
        return EOVERFLOW;

    struct sink sink = {.size = LAUKA_HDR_HEADER_SIZE};
    put_counts(&sink, histogram, extent.highest);
    *bytes = malloc(sink.size);
    if (!*bytes)
        return ENOMEM;
    *size = sink.size;
    put_header(*bytes, histogram, sink.size - LAUKA_HDR_HEADER_SIZE, extent.highest);
    sink = (struct sink){*bytes, LAUKA_HDR_HEADER_SIZE};
    put_counts(&sink, histogram, extent.highest);
    return 0;
}

/* ---- reading ---- */

static int refuse(const char **reason, const char *why)
{
    *reason = why;
    return EINVAL;
}

bool lauka_hdr_is_double(const uint8_t *bytes, size_t size)
{
    return size >= LAUKA_HDR_DOUBLE_SIZE && (get(bytes, 4) & ~UINT64_C(3)) == COOKIE_DOUBLE;
}

/* Counters of the layout that the header names; 0 where there is no such layout. */
static size_t counters_of(const struct lauka_hdr_header *header)
{
    struct lauka_histogram layout;
    if (lauka_histogram_layout_hdr(&layout, header->lowest, header->highest, header->digits) != 0)
        return 0;
    return lauka_histogram_size(&layout);
}

/* Where the versions keep what. The payload's size is 0 where the header does not have it. */
static int take_fields(const uint8_t *bytes, struct lauka_hdr_header *header, uint64_t *digits,
                       const char **reason)
{
    const uint32_t cookie = (uint32_t)get(bytes, 4);
    const size_t at = (cookie & ~COOKIE_WORD_BITS) == COOKIE_0 ? 8 : 16; /* the lowest value */
    *header = (struct lauka_hdr_header){
        .lowest = get(bytes + at, 8),
        .highest = get(bytes + at + 8, 8),
        .size = at == 8 ? LAUKA_HDR_HEADER_LEAST : LAUKA_HDR_HEADER_SIZE,
        .word_size = (unsigned)(cookie & COOKIE_WORD_BITS) >> 4 & ~1u,
        .payload_size = at == 8 ? 0 : (size_t)get(bytes + 4, 4),
        .is_open = at == 8,
    };
    *digits = get(bytes + at - 4, 4);
    switch (cookie & ~COOKIE_WORD_BITS) {
    case COOKIE:
        header->word_size = 0;
        return 0;
    case COOKIE_0:
    case COOKIE_1:
        return header->word_size == 2 || header->word_size == 4 || header->word_size == 8
                   ? 0
                   : refuse(reason, "counters that do not have 2, 4 or 8 bytes");
    case COOKIE - 1:
    case COOKIE + 1:
    case COOKIE_0 + 1:
        return refuse(reason, "a compressed histogram where one that is not compressed belongs");
    default:
        return refuse(reason, "not an encoded histogram");
    }
}

/* The counters stand in their own order, whatever the offset is by which the writer had them rotated in
 * memory. Some writers leave an offset there that means nothing; one beyond the counters is damage. */
static bool is_offset(uint64_t field, size_t counters)
{
    const int64_t offset = (int32_t)(uint32_t)field;
    return offset <= (int64_t)counters && offset >= -(int64_t)counters;
}

int lauka_hdr_header_decode(const uint8_t bytes[LAUKA_HDR_HEADER_LEAST],
                            struct lauka_hdr_header *header, const char **reason)
{
    uint64_t digits;
    if (take_fields(bytes, header, &digits, reason) != 0)
        return EINVAL;
    if (digits < LAUKA_DIGITS_MIN || digits > LAUKA_DIGITS_MAX)
        return refuse(reason, "significant digits are not 1 to 5");
    header->digits = (unsigned)digits;
    const size_t counters = counters_of(header);
    const size_t most = counters * (header->word_size > 0 ? header->word_size : NUMBER_SIZE);
    if (counters == 0)
        return refuse(reason, "no histogram has this lowest and highest value");
    if (!header->is_open && !is_offset(get(bytes + 8, 4), counters))
        return refuse(reason, "the normalizing index offset is larger than the histogram");
    if (header->is_open)
        header->payload_size = most;
    if (header->payload_size > most)
        return refuse(reason, "more bytes than counters could take");
    return 0;
}

/* What is still to be read. */
struct source {
    const uint8_t *bytes;
    size_t size;
    unsigned word_size; /* of a counter; 0: LEB128 */
};

/* False where the bytes end within the number. */
static bool take_leb128(struct source *source, int64_t *number)
{
    uint64_t value = 0;
    for (int i = 0; i < NUMBER_SIZE; i++) {
        if (source->size == 0)
            return false;
        uint64_t byte = *source->bytes++;
        source->size--;
        bool last = i == NUMBER_SIZE - 1 || byte < 0x80;
        value |= (last ? byte : byte & 0x7f) << 7 * i;
        if (last)
            break;
    }
    *number = (int64_t)(value >> 1 ^ (0 - (value & 1)));
    return true;
}

/* Counters have a sign, because Java's have one. */
static bool take_word(struct source *source, int64_t *number)
{
    if (source->size < source->word_size)
        return false;
    const unsigned unused = 64 - 8 * source->word_size;
    const uint64_t value = get(source->bytes, (int)source->word_size) << unused;
    source->bytes += source->word_size;
    source->size -= source->word_size;
    *number = (int64_t)value < 0 ? -1 : (int64_t)(value >> unused);
    return true;
}

static int take_counts(struct source source, struct lauka_histogram *histogram, const char **reason)
{
    size_t place = histogram->begin;
    uint64_t total = 0;
    while (source.size > 0) {
        int64_t number;
        if (!(source.word_size > 0 ? take_word : take_leb128)(&source, &number))
            return refuse(reason, "the last number is cut off");
        if (number < 0 && source.word_size > 0)
            return refuse(reason, "a negative count");
        uint64_t places = number < 0 ? 0 - (uint64_t)number : 1;
        if (places > histogram->end - place)
            return refuse(reason, "more counters than the histogram has");
        if (number > 0) {
            uint64_t *counter = lauka_sparse_reach(&histogram->sparse, place);
            if (!counter)
                return ENOMEM;
            *counter = (uint64_t)number;
            total += (uint64_t)number;
        }
        if (total > INT64_MAX)
            return refuse(reason, "the counts add up to 2^63 or more");
        place += (size_t)places;
    }
    return 0;
}

/* Only double histograms use it: in others it is ignored, as HdrHistogram for Java does. */
static int take_ratio(const uint8_t *bytes, const struct lauka_hdr_header *header, double *unit,
                      const char **reason)
{
    const uint64_t bits = header->is_open ? RATIO_ONE : get(bytes + 32, 8);
    double ratio;
    memcpy(&ratio, &bits, sizeof ratio);
    if (!(ratio > 0 && ratio <= DBL_MAX))
        return refuse(reason, "a double histogram whose conversion ratio is not a positive number");
    *unit = ratio;
    return 0;
}

static int decode(const uint8_t *bytes, size_t size, bool is_double,
                  struct lauka_histogram *histogram, double *unit, const char **reason)
{
    struct lauka_hdr_header header;
    if (size < LAUKA_HDR_HEADER_LEAST)
        return refuse(reason, "too short for an encoded histogram");
    if (lauka_hdr_header_decode(bytes, &header, reason) != 0)
        return EINVAL;
    if (size < header.size || size - header.size > header.payload_size ||
        (!header.is_open && size - header.size < header.payload_size))
        return refuse(reason, "not as many bytes as the header says");
    if (is_double && take_ratio(bytes, &header, unit, reason) != 0)
        return EINVAL;

    int error = lauka_histogram_layout_hdr(histogram, header.lowest, header.highest, header.digits);
    if (error != 0)
        return error;
    histogram->sparse.count = histogram->end;
    struct source payload = {bytes + header.size, size - header.size, header.word_size};
    error = take_counts(payload, histogram, reason);
    if (error != 0)
        lauka_histogram_done(histogram);
    return error;
}

int lauka_histogram_decode(const uint8_t *bytes, size_t size, struct lauka_histogram *histogram,
                           double *unit, const char **reason)
{
    const bool is_double = lauka_hdr_is_double(bytes, size);
    *histogram = (struct lauka_histogram){0};
    *reason = NULL;
    if (unit)
        *unit = 1;
    if (is_double && !unit)
        return refuse(reason, LAUKA_HDR_IS_DOUBLE);
    const size_t outer = is_double ? LAUKA_HDR_DOUBLE_SIZE : 0;
    return decode(bytes + outer, size - outer, is_double, histogram, unit, reason);
}
