/* histogram: values counted in buckets. First counters of which most are never used. They lie in blocks, and blocks in groups; each comes into
 * being where something is counted, so that memory follows what was counted and not what could be. A
 * calloc of all of them would do on systems that provide a page when it is first written; but some C
 * libraries write the zeros themselves, and a page is large beside the counters of a few values. */
#include "stats.h"

#include <errno.h>
#include <stdlib.h>

enum { BLOCKS = 32 /* of a group */, GROUP = BLOCKS * LAUKA_SPARSE_BLOCK };

static size_t group_count(const struct lauka_sparse *sparse)
{
    return (sparse->count + GROUP - 1) / GROUP;
}

void lauka_sparse_done(struct lauka_sparse *sparse)
{
    for (size_t g = 0; sparse->groups && g < group_count(sparse); g++) {
        for (size_t b = 0; sparse->groups[g] && b < BLOCKS; b++)
            free(sparse->groups[g][b]);
        free(sparse->groups[g]);
    }
    free(sparse->groups);
    *sparse = (struct lauka_sparse){0};
}

const uint64_t *lauka_sparse_block(const struct lauka_sparse *sparse, size_t place)
{
    uint64_t **group = sparse->groups ? sparse->groups[place / GROUP] : NULL;
    return group ? group[place % GROUP / LAUKA_SPARSE_BLOCK] : NULL;
}

uint64_t lauka_sparse_at(const struct lauka_sparse *sparse, size_t place)
{
    const uint64_t *block = lauka_sparse_block(sparse, place);
    return block ? block[place % LAUKA_SPARSE_BLOCK] : 0;
}

uint64_t *lauka_sparse_reach(struct lauka_sparse *sparse, size_t place)
{
    if (!sparse->groups)
        sparse->groups = calloc(group_count(sparse), sizeof *sparse->groups);
    if (!sparse->groups)
        return NULL;
    uint64_t ***group = &sparse->groups[place / GROUP];
    if (!*group)
        *group = calloc(BLOCKS, sizeof **group);
    if (!*group)
        return NULL;
    uint64_t **block = &(*group)[place % GROUP / LAUKA_SPARSE_BLOCK];
    if (!*block)
        *block = calloc(LAUKA_SPARSE_BLOCK, sizeof **block);
    return *block ? *block + place % LAUKA_SPARSE_BLOCK : NULL;
}

size_t lauka_sparse_next(const struct lauka_sparse *sparse, size_t place)
{
    if (!sparse->groups)
        return sparse->count;
    while (place < sparse->count && !lauka_sparse_block(sparse, place))
        place = sparse->groups[place / GROUP]
                    ? (place / LAUKA_SPARSE_BLOCK + 1) * LAUKA_SPARSE_BLOCK
                    : (place / GROUP + 1) * GROUP;
    return place < sparse->count ? place : sparse->count;
}

size_t lauka_sparse_find(const struct lauka_sparse *sparse, size_t place)
{
    for (place = lauka_sparse_next(sparse, place); place < sparse->count;
         place = lauka_sparse_next(sparse, place)) {
        const uint64_t *block = lauka_sparse_block(sparse, place);
        do {
            if (block[place % LAUKA_SPARSE_BLOCK] > 0)
                return place < sparse->count ? place : sparse->count;
        } while (++place % LAUKA_SPARSE_BLOCK != 0);
    }
    return sparse->count;
}

size_t lauka_sparse_used(const struct lauka_sparse *sparse)
{
    size_t used = 0;
    for (size_t place = lauka_sparse_next(sparse, 0); place < sparse->count;
         place = lauka_sparse_next(sparse, place + LAUKA_SPARSE_BLOCK))
        used += LAUKA_SPARSE_BLOCK;
    return used;
}

/* histogram: values counted in buckets of bounded relative width. One calloc reserves counters for the
 * whole range, so recording needs no check. Most systems provide zeroed pages on the first write, so an
 * unused octave costs nothing. Sparse counters never cost more. */
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

static int reserve(struct lauka_histogram *histogram, bool narrow, bool sparse)
{
    size_t count = histogram->end; /* the places before `begin` stay empty */
    if (sparse)
        histogram->sparse.count = count;
    else if (narrow)
        histogram->narrow = calloc(count, sizeof *histogram->narrow);
    else
        histogram->counts = calloc(count, sizeof *histogram->counts);
    return sparse || histogram->narrow || histogram->counts ? 0 : ENOMEM;
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
    if (digits > LAUKA_DIGITS_MAX || asked.min > max || (asked.narrow && asked.sparse))
        return EINVAL;

    *histogram = layout(digits, 0);
    histogram->begin = place_of(histogram, asked.min);
    histogram->end = place_of(histogram, max) + 1;
    histogram->limited = asked.min > 0 || max < UINT64_MAX;
    histogram->min = asked.min;
    histogram->max = asked.max;
    return reserve(histogram, asked.narrow, asked.sparse);
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
    /* Whole octaves, up to and including the one that holds `highest`. */
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
    return error == 0 ? reserve(histogram, false, false) : error;
}

int lauka_histogram_init_like(struct lauka_histogram *histogram, const struct lauka_histogram *like)
{
    *histogram = *like;
    histogram->counts = NULL;
    histogram->narrow = NULL;
    histogram->sparse = (struct lauka_sparse){0};
    histogram->overflow = 0;
    histogram->resets = 0;
    return reserve(histogram, like->narrow, like->sparse.count > 0);
}

void lauka_histogram_done(struct lauka_histogram *histogram)
{
    free(histogram->counts);
    free(histogram->narrow);
    lauka_sparse_done(&histogram->sparse);
    *histogram = (struct lauka_histogram){0};
}

static bool has_place(const struct lauka_histogram *histogram, size_t place)
{
    return place >= histogram->begin && place < histogram->end;
}

/* The counter of an existing place. NULL if counters have 32 bits or there is no memory. */
static uint64_t *wide_counter(struct lauka_histogram *histogram, size_t place)
{
    if (histogram->counts)
        return &histogram->counts[place];
    return histogram->narrow ? NULL : lauka_sparse_reach(&histogram->sparse, place);
}

int lauka_histogram_reach(struct lauka_histogram *histogram, uint64_t value, uint64_t **counter)
{
    size_t place = place_of(histogram, value);
    bool here = has_place(histogram, place);
    *counter = here ? wide_counter(histogram, place) : NULL;
    return here && !*counter && !histogram->narrow ? ENOMEM : 0;
}

/* False if the counter would wrap, or there is no memory for it. */
static bool add_at(struct lauka_histogram *histogram, size_t place, uint64_t count)
{
    if (histogram->narrow) {
        if (count > UINT32_MAX - histogram->narrow[place])
            return false;
        histogram->narrow[place] += (uint32_t)count;
    } else {
        uint64_t *counter = wide_counter(histogram, place);
        if (!counter || count > UINT64_MAX - *counter)
            return false;
        *counter += count;
    }
    return true;
}

bool lauka_histogram_record_count(struct lauka_histogram *histogram, uint64_t value, uint64_t count)
{
    size_t place = place_of(histogram, value);
    if (has_place(histogram, place) && add_at(histogram, place, count))
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
    if (histogram->limited || histogram->sparse.count > 0) {
        for (size_t i = 0; i < count; i++)
            lauka_histogram_record_count(histogram, values[i], 1);
    } else if (histogram->narrow) {
        record_narrow(histogram, values, count);
    } else {
        record_wide(histogram, values, count);
    }
}
