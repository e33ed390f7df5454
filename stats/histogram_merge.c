/* histogram_merge: adds, subtracts and empties histograms. All of these walk the counters in blocks and
 * skip blocks of zeros: reading untouched memory costs nothing, but writing would make the operating
 * system provide it. */
#include "stats.h"

#include <errno.h>
#include <string.h>

enum { BLOCK = LAUKA_SPARSE_BLOCK };

static const uint64_t nothing[BLOCK];

/* Where the block of counters is: in the histogram, or widened into the buffer. */
static const uint64_t *block_at(const struct lauka_histogram *histogram, size_t begin, size_t count,
                                uint64_t buffer[BLOCK])
{
    if (histogram->counts)
        return histogram->counts + begin;
    if (!histogram->narrow) {
        const uint64_t *block = lauka_sparse_block(&histogram->sparse, begin);
        return block ? block : nothing;
    }
    for (size_t i = 0; i < count; i++)
        buffer[i] = histogram->narrow[begin + i];
    return buffer;
}

/* Blocks begin at multiples of their size: everything before the first counted place is 0. */
static size_t first_block(const struct lauka_histogram *histogram)
{
    return histogram->begin - histogram->begin % BLOCK;
}

/* Counters that may be written; of sparse ones, only those that exist. */
static uint64_t *wide_at(struct lauka_histogram *histogram, size_t begin)
{
    return histogram->counts ? histogram->counts + begin
                             : lauka_sparse_reach(&histogram->sparse, begin);
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
    for (size_t begin = first_block(histogram); begin < histogram->end; begin += BLOCK) {
        uint64_t buffer[BLOCK];
        size_t count = block_size(histogram, begin);
        if (is_empty(block_at(histogram, begin, count, buffer), count))
            continue;
        if (histogram->narrow)
            memset(histogram->narrow + begin, 0, count * sizeof *histogram->narrow);
        else
            memset(wide_at(histogram, begin), 0, count * sizeof *histogram->counts);
    }
    histogram->overflow = 0;
    histogram->resets++;
}

/* into += from, or -=. Returns nonzero if a counter wrapped. Carry and borrow are the highest bit of a
 * bitwise expression, which compilers turn into vector code. */
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

/* Allocates sparse counters wherever `from` has some. Returns 0 or ENOMEM. */
static int reach_all(struct lauka_histogram *into, const struct lauka_histogram *from)
{
    for (size_t begin = first_block(from); into->sparse.count > 0 && begin < from->end;
         begin += BLOCK) {
        uint64_t buffer[BLOCK];
        size_t count = block_size(from, begin);
        if (!is_empty(block_at(from, begin, count, buffer), count) &&
            !lauka_sparse_reach(&into->sparse, begin))
            return ENOMEM;
    }
    return 0;
}

/* Adds or subtracts what lies within the limits of both; returns whether no counter wrapped. */
static bool combine(struct lauka_histogram *into, const struct lauka_histogram *from, bool subtract)
{
    uint64_t wrapped = 0;
    for (size_t begin = first_block(from); begin < from->end; begin += BLOCK) {
        uint64_t buffer[BLOCK];
        size_t count = block_size(from, begin);
        const uint64_t *block = block_at(from, begin, count, buffer);
        if (is_empty(block, count))
            continue;
        if (into->narrow)
            wrapped |= (subtract ? subtract_block_narrow : add_block_narrow)(into->narrow + begin,
                                                                             block, count);
        else
            wrapped |= (subtract ? subtract_block : add_block)(wide_at(into, begin), block, count);
    }
    return wrapped == 0;
}

/* Integers are taken modulo 2^n, so a counter that wrapped is restored by the opposite operation. Returns
 * 0, ENOMEM, or this error if a counter would wrap. */
static int combine_or_undo(struct lauka_histogram *into, const struct lauka_histogram *from,
                           bool subtract, int wrapping)
{
    if (reach_all(into, from) != 0)
        return ENOMEM;
    if (combine(into, from, subtract))
        return 0;
    combine(into, from, !subtract);
    return wrapping;
}

static bool same_layout(const struct lauka_histogram *a, const struct lauka_histogram *b)
{
    return a->sub_bits == b->sub_bits && a->unit_bits == b->unit_bits;
}

/* A bucket of a coarser layout is a union of finer ones, so any of a fine bucket's values leads to the
 * right place. */
static int coarsen(struct lauka_histogram *coarse, const struct lauka_histogram *from)
{
    struct lauka_bucket bucket = {0};
    while (lauka_histogram_next(from, &bucket)) {
        uint64_t *counter;
        if (lauka_histogram_reach(coarse, bucket.lowest, &counter) != 0)
            return ENOMEM;
        lauka_histogram_record_count(coarse, bucket.lowest, bucket.count);
    }
    return 0;
}

static int merge_otherwise(struct lauka_histogram *into, const struct lauka_histogram *from)
{
    struct lauka_histogram like = *into, coarse;
    like.narrow = NULL;
    if (lauka_histogram_init_like(&coarse, &like) != 0)
        return ENOMEM;
    int error = coarsen(&coarse, from);
    if (error == 0)
        error = lauka_histogram_merge(into, &coarse);
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
    int error = combine_or_undo(into, from, false, EOVERFLOW);
    if (error == 0)
        into->overflow += from->overflow;
    return error;
}

int lauka_histogram_subtract(struct lauka_histogram *into, const struct lauka_histogram *from)
{
    if (!same_layout(into, from) || from->begin < into->begin || from->end > into->end)
        return EINVAL;
    if (from->overflow > into->overflow)
        return ERANGE;
    int error = combine_or_undo(into, from, true, ERANGE);
    if (error == 0)
        into->overflow -= from->overflow;
    return error;
}
