/* histogram: values counted in buckets of bounded relative width. Counters are reserved for the
 * whole range by one calloc: the operating system provides their pages, zeroed, when they are
 * first written, so that an unused octave costs nothing and recording needs no check. Whoever
 * goes over all counters here reads before writing, which leaves untouched pages untouched. */
#include "stats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Counters looked at together: what is all zero is passed over. */
enum { BLOCK = 64 };

/* Half of the smallest power of two that is at least 2 * 10^digits, as a power of two. */
static const uint32_t sub_bits_of[] = {0, 4, 7, 10, 14, 17};

unsigned lauka_histogram_digits(double error)
{
    unsigned digits = LAUKA_DIGITS_MIN;
    while (digits < LAUKA_DIGITS_MAX && !(0.5 / (double)(1u << sub_bits_of[digits]) <= error))
        digits++;
    return digits;
}

double lauka_histogram_error(const struct lauka_histogram *histogram)
{
    return 0.5 / (double)((uint64_t)1 << histogram->sub_bits);
}

/* One more than the place of UINT64_MAX: 64 - s octaves, and the one below the first. */
static size_t places(uint32_t sub_bits)
{
    return (size_t)(65 - sub_bits) << sub_bits;
}

static size_t place_of(const struct lauka_histogram *histogram, uint64_t value)
{
    return lauka_histogram_place(histogram->low, histogram->sub_bits, value);
}

static int reserve(struct lauka_histogram *histogram, bool narrow)
{
    size_t count = places(histogram->sub_bits);
    if (narrow)
        histogram->narrow = calloc(count, sizeof *histogram->narrow);
    else
        histogram->counts = calloc(count, sizeof *histogram->counts);
    return histogram->narrow || histogram->counts ? 0 : ENOMEM;
}

static struct lauka_histogram layout(unsigned digits, uint32_t unit_bits)
{
    uint32_t sub_bits = sub_bits_of[digits];
    return (struct lauka_histogram){
        .low = ((uint64_t)2 << (sub_bits + unit_bits)) - 1,
        .sub_bits = sub_bits,
        .unit_bits = unit_bits,
        .digits = digits,
        .begin = (size_t)unit_bits << sub_bits,
        .end = places(sub_bits),
        .lowest = 1,
    };
}

int lauka_histogram_init(struct lauka_histogram *histogram,
                         const struct lauka_histogram_options *options)
{
    struct lauka_histogram_options asked = options ? *options : (struct lauka_histogram_options){0};
    unsigned digits = asked.digits ? asked.digits : LAUKA_DIGITS_DEFAULT;
    uint64_t max = asked.max ? asked.max : UINT64_MAX;
    if (digits > LAUKA_DIGITS_MAX || asked.min > max)
        return EINVAL;

    *histogram = layout(digits, 0);
    histogram->begin = place_of(histogram, asked.min);
    histogram->end = place_of(histogram, max) + 1;
    histogram->limited = asked.min > 0 || max < UINT64_MAX;
    histogram->min = asked.min;
    histogram->max = asked.max;
    return reserve(histogram, asked.narrow);
}

static uint32_t log2_of(uint64_t value)
{
    return 63 ^ (uint32_t)__builtin_clzll(value);
}

int lauka_histogram_layout_hdr(struct lauka_histogram *histogram, uint64_t lowest, uint64_t highest,
                               unsigned digits)
{
    if (digits < LAUKA_DIGITS_MIN || digits > LAUKA_DIGITS_MAX || lowest < 1 ||
        highest > INT64_MAX || lowest > highest / 2)
        return EINVAL;
    uint32_t unit_bits = log2_of(lowest);
    if (unit_bits + sub_bits_of[digits] > 61) /* as HdrHistogram: two octaves end below 2^63 */
        return EINVAL;

    *histogram = layout(digits, unit_bits);
    /* Whole octaves, up to the one that holds `highest`. */
    size_t last = place_of(histogram, highest) >> histogram->sub_bits;
    size_t first = (size_t)unit_bits + 2;
    histogram->end = (last + 1 < first ? first : last + 1) << histogram->sub_bits;
    histogram->limited = true;
    histogram->lowest = lowest;
    histogram->highest = highest;
    return 0;
}

int lauka_histogram_init_hdr(struct lauka_histogram *histogram, uint64_t lowest, uint64_t highest,
                             unsigned digits)
{
    int error = lauka_histogram_layout_hdr(histogram, lowest, highest, digits);
    return error == 0 ? reserve(histogram, false) : error;
}

int lauka_histogram_init_like(struct lauka_histogram *histogram, const struct lauka_histogram *like)
{
    *histogram = *like;
    histogram->counts = NULL;
    histogram->narrow = NULL;
    histogram->overflow = 0;
    histogram->resets = 0;
    return reserve(histogram, like->narrow);
}

void lauka_histogram_done(struct lauka_histogram *histogram)
{
    free(histogram->counts);
    free(histogram->narrow);
    *histogram = (struct lauka_histogram){0};
}

/* False where the counter would wrap. */
static bool add_at(struct lauka_histogram *histogram, size_t place, uint64_t count)
{
    if (histogram->narrow) {
        if (count > UINT32_MAX - histogram->narrow[place])
            return false;
        histogram->narrow[place] += (uint32_t)count;
    } else {
        if (count > UINT64_MAX - histogram->counts[place])
            return false;
        histogram->counts[place] += count;
    }
    return true;
}

bool lauka_histogram_record_count(struct lauka_histogram *histogram, uint64_t value, uint64_t count)
{
    size_t place = place_of(histogram, value);
    if (place >= histogram->begin && place < histogram->end && add_at(histogram, place, count))
        return true;
    histogram->overflow += count;
    return false;
}

/* ---- many at once: places first, as vectors, then the counters one by one ---- */

/* Leading zeros of eight values at once pay for going through memory; one by one they do not. */
#ifdef __AVX512CD__
enum { BATCH = 64 };
#else
enum { BATCH = 1 };
#endif

static inline void find_places(uint64_t low, uint64_t sub_bits, const uint64_t *values,
                               uint32_t *found)
{
    for (size_t i = 0; i < BATCH; i++) {
        uint64_t shift = (63 ^ (uint64_t)__builtin_clzll(values[i] | low)) - sub_bits;
        found[i] = (uint32_t)((shift << sub_bits) + (values[i] >> shift));
    }
}

static void record_wide(struct lauka_histogram *histogram, const uint64_t *values, size_t count)
{
    uint64_t *counts = histogram->counts, low = histogram->low;
    uint32_t sub_bits = histogram->sub_bits;
    size_t done = 0;
    for (; done + BATCH <= count; done += BATCH) {
        uint32_t found[BATCH];
        find_places(low, sub_bits, values + done, found);
        for (size_t i = 0; i < BATCH; i++)
            counts[found[i]]++;
    }
    for (; done < count; done++)
        counts[lauka_histogram_place(low, sub_bits, values[done])]++;
}

static void record_narrow(struct lauka_histogram *histogram, const uint64_t *values, size_t count)
{
    uint32_t *counts = histogram->narrow, sub_bits = histogram->sub_bits;
    uint64_t low = histogram->low;
    size_t done = 0;
    for (; done + BATCH <= count; done += BATCH) {
        uint32_t found[BATCH];
        find_places(low, sub_bits, values + done, found);
        for (size_t i = 0; i < BATCH; i++)
            counts[found[i]]++;
    }
    for (; done < count; done++)
        counts[lauka_histogram_place(low, sub_bits, values[done])]++;
}

void lauka_histogram_record_array(struct lauka_histogram *histogram, const uint64_t *values,
                                  size_t count)
{
    if (histogram->limited) {
        for (size_t i = 0; i < count; i++)
            lauka_histogram_record_count(histogram, values[i], 1);
    } else if (histogram->narrow) {
        record_narrow(histogram, values, count);
    } else {
        record_wide(histogram, values, count);
    }
}

/* ---- over all counters, in blocks ---- */

/* Where the block of counters is: in the histogram, or widened into the buffer. */
static const uint64_t *block_at(const struct lauka_histogram *histogram, size_t begin, size_t count,
                                uint64_t buffer[BLOCK])
{
    if (!histogram->narrow)
        return histogram->counts + begin;
    for (size_t i = 0; i < count; i++)
        buffer[i] = histogram->narrow[begin + i];
    return buffer;
}

static size_t block_size(const struct lauka_histogram *histogram, size_t begin)
{
    return histogram->end - begin < BLOCK ? histogram->end - begin : BLOCK;
}

static bool is_empty(const uint64_t *counts, size_t count)
{
    uint64_t any = 0;
    for (size_t i = 0; i < count; i++)
        any |= counts[i];
    return any == 0;
}

void lauka_histogram_reset(struct lauka_histogram *histogram)
{
    for (size_t begin = histogram->begin; begin < histogram->end; begin += BLOCK) {
        uint64_t buffer[BLOCK];
        size_t count = block_size(histogram, begin);
        if (is_empty(block_at(histogram, begin, count, buffer), count))
            continue;
        if (histogram->narrow)
            memset(histogram->narrow + begin, 0, count * sizeof *histogram->narrow);
        else
            memset(histogram->counts + begin, 0, count * sizeof *histogram->counts);
    }
    histogram->overflow = 0;
    histogram->resets++;
}

/* into += from, or -=. Returns what is not 0 where a counter has wrapped. Carry and borrow of every
 * addition are its highest bits in bitwise terms, which compilers make vectors of. */
static uint64_t add_block(uint64_t *into, const uint64_t *from, size_t count)
{
    uint64_t carries = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t a = into[i], b = from[i], sum = a + b;
        carries |= (a & b) | ((a | b) & ~sum);
        into[i] = sum;
    }
    return carries >> 63;
}

static uint64_t subtract_block(uint64_t *into, const uint64_t *from, size_t count)
{
    uint64_t borrows = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t a = into[i], b = from[i], rest = a - b;
        borrows |= (~a & b) | (~(a ^ b) & rest);
        into[i] = rest;
    }
    return borrows >> 63;
}

static uint64_t add_block_narrow(uint32_t *into, const uint64_t *from, size_t count)
{
    uint64_t carries = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t sum = (uint64_t)into[i] + (from[i] & UINT32_MAX);
        carries |= from[i] | sum;
        into[i] = (uint32_t)sum;
    }
    return carries >> 32;
}

static uint64_t subtract_block_narrow(uint32_t *into, const uint64_t *from, size_t count)
{
    uint64_t borrows = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t rest = (uint64_t)into[i] - (from[i] & UINT32_MAX);
        borrows |= from[i] | rest;
        into[i] = (uint32_t)rest;
    }
    return borrows >> 32;
}

/* Adds or subtracts what lies in the limits of both; whether no counter has wrapped. */
static bool combine(struct lauka_histogram *into, const struct lauka_histogram *from, bool subtract)
{
    uint64_t wrapped = 0;
    for (size_t begin = from->begin; begin < from->end; begin += BLOCK) {
        uint64_t buffer[BLOCK];
        size_t count = block_size(from, begin);
        const uint64_t *block = block_at(from, begin, count, buffer);
        if (is_empty(block, count))
            continue;
        if (into->narrow)
            wrapped |= (subtract ? subtract_block_narrow : add_block_narrow)(into->narrow + begin,
                                                                             block, count);
        else
            wrapped |= (subtract ? subtract_block : add_block)(into->counts + begin, block, count);
    }
    return wrapped == 0;
}

/* Integers modulo 2^n: what has wrapped comes back when it is taken away again. */
static bool combine_or_undo(struct lauka_histogram *into, const struct lauka_histogram *from,
                            bool subtract)
{
    if (combine(into, from, subtract))
        return true;
    combine(into, from, !subtract);
    return false;
}

static bool same_layout(const struct lauka_histogram *a, const struct lauka_histogram *b)
{
    return a->sub_bits == b->sub_bits && a->unit_bits == b->unit_bits;
}

/* Buckets of coarser layouts are unions of those of finer ones: any of its values finds the
 * place. */
static int coarsen(struct lauka_histogram *coarse, const struct lauka_histogram *from)
{
    struct lauka_bucket bucket = {0};
    while (lauka_histogram_next(from, &bucket))
        lauka_histogram_record_count(coarse, bucket.lowest, bucket.count);
    return 0;
}

static int merge_otherwise(struct lauka_histogram *into, const struct lauka_histogram *from)
{
    struct lauka_histogram like = *into, coarse;
    like.narrow = NULL;
    if (lauka_histogram_init_like(&coarse, &like) != 0)
        return ENOMEM;
    coarsen(&coarse, from);
    int error = lauka_histogram_merge(into, &coarse);
    lauka_histogram_done(&coarse);
    return error;
}

int lauka_histogram_merge(struct lauka_histogram *into, const struct lauka_histogram *from)
{
    if (from->sub_bits < into->sub_bits || from->unit_bits > into->unit_bits)
        return EINVAL;
    if (!same_layout(into, from) || from->begin < into->begin || from->end > into->end) {
        int error = merge_otherwise(into, from);
        if (error == 0)
            into->overflow += from->overflow;
        return error;
    }
    if (!combine_or_undo(into, from, false))
        return EOVERFLOW;
    into->overflow += from->overflow;
    return 0;
}

int lauka_histogram_subtract(struct lauka_histogram *into, const struct lauka_histogram *from)
{
    if (!same_layout(into, from) || from->begin < into->begin || from->end > into->end)
        return EINVAL;
    if (from->overflow > into->overflow || !combine_or_undo(into, from, true))
        return ERANGE;
    into->overflow -= from->overflow;
    return 0;
}
