/* quantile: what a histogram tells. Ranks are whole numbers, so that a rank of 99.9 % of a
 * million values is value 999000, and not the next one because of some double. All counters are
 * summed once, by octaves; then only octaves in which a rank lies are looked at again. */
#include "stats.h"

#include <assert.h>
#include <math.h>

enum { OCTAVES = 64, BLOCK = LAUKA_SPARSE_BLOCK };

const uint32_t lauka_summary_ranks[LAUKA_SUMMARY_RANKS] = {
    0,         10000000,  50000000,  100000000, 250000000, 500000000, 750000000, 900000000,
    925000000, 950000000, 975000000, 990000000, 999000000, 999900000, 999990000, 1000000000,
};

uint64_t lauka_bucket_middle(const struct lauka_bucket *bucket)
{
    return bucket->lowest + lauka_bucket_error(bucket);
}

uint64_t lauka_bucket_error(const struct lauka_bucket *bucket)
{
    /* Half of the width, which is highest - lowest + 1, a power of two. */
    uint64_t rest = bucket->highest - bucket->lowest;
    return rest - rest / 2;
}

static size_t first_place(const struct lauka_histogram *histogram)
{
    return (size_t)histogram->unit_bits << histogram->sub_bits;
}

static uint64_t count_at(const struct lauka_histogram *histogram, size_t place)
{
    if (histogram->counts)
        return histogram->counts[place];
    return histogram->narrow ? histogram->narrow[place]
                             : lauka_sparse_at(&histogram->sparse, place);
}

/* Inverts lauka_histogram_place. */
static struct lauka_bucket bucket_at(const struct lauka_histogram *histogram, size_t place)
{
    uint32_t sub_bits = histogram->sub_bits;
    uint64_t octave = place >> sub_bits;
    uint64_t shift = octave > histogram->unit_bits ? octave - 1 : histogram->unit_bits;
    uint64_t lowest = (place - (shift << sub_bits)) << shift;
    return (struct lauka_bucket){
        .index = place - first_place(histogram),
        .lowest = lowest,
        .highest = lowest + (((uint64_t)1 << shift) - 1),
        .count = count_at(histogram, place),
    };
}

size_t lauka_histogram_size(const struct lauka_histogram *histogram)
{
    return histogram->end - first_place(histogram);
}

struct lauka_bucket lauka_histogram_bucket(const struct lauka_histogram *histogram, size_t index)
{
    assert(index < lauka_histogram_size(histogram));
    return bucket_at(histogram, first_place(histogram) + index);
}

/* ---- sums ---- */

static uint64_t sum_wide(const uint64_t *counts, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += counts[i];
    return sum;
}

static uint64_t sum_narrow(const uint32_t *counts, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += counts[i];
    return sum;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static uint64_t sum_sparse(const struct lauka_sparse *sparse, size_t begin, size_t end)
{
    uint64_t sum = 0;
    for (size_t at = lauka_sparse_next(sparse, begin); at < end;) {
        size_t in_block = at % BLOCK, block_end = least(at - in_block + BLOCK, end);
        sum += sum_wide(lauka_sparse_block(sparse, at) + in_block, block_end - at);
        at = lauka_sparse_next(sparse, block_end);
    }
    return sum;
}

static uint64_t sum_of(const struct lauka_histogram *histogram, size_t begin, size_t end)
{
    if (histogram->counts)
        return sum_wide(histogram->counts + begin, end - begin);
    return histogram->narrow ? sum_narrow(histogram->narrow + begin, end - begin)
                             : sum_sparse(&histogram->sparse, begin, end);
}

bool lauka_histogram_next(const struct lauka_histogram *histogram, struct lauka_bucket *bucket)
{
    /* A zeroed bucket has not been anywhere; all others are not empty. */
    size_t place = first_place(histogram) + bucket->index + (bucket->count > 0);
    if (place < histogram->begin)
        place = histogram->begin;
    if (histogram->sparse.count > 0)
        place = lauka_sparse_find(&histogram->sparse, place);
    while (place < histogram->end && count_at(histogram, place) == 0) {
        size_t block_end = least(place + BLOCK, histogram->end);
        bool skip = place % BLOCK == 0 && sum_of(histogram, place, block_end) == 0;
        place = skip ? block_end : place + 1;
    }
    if (place >= histogram->end)
        return false;
    uint64_t below = bucket->cumulative;
    *bucket = bucket_at(histogram, place);
    bucket->cumulative = below + bucket->count;
    return true;
}

uint64_t lauka_histogram_total(const struct lauka_histogram *histogram)
{
    return sum_of(histogram, histogram->begin, histogram->end);
}

/* ---- quantiles ---- */

/* What lies below each octave's begin. Octaves are cut by the histogram's limits. */
struct octaves {
    size_t first, last;          /* those that were looked at; all others are empty */
    uint64_t below[OCTAVES + 2]; /* of first ... last + 1 */
};

static size_t octave_begin(const struct lauka_histogram *histogram, size_t octave)
{
    size_t begin = octave << histogram->sub_bits;
    return begin < histogram->begin ? histogram->begin : begin;
}

static uint64_t sum_octaves(const struct lauka_histogram *histogram, size_t begin, size_t end,
                            struct octaves *octaves)
{
    octaves->first = begin >> histogram->sub_bits;
    octaves->last = (end - 1) >> histogram->sub_bits;
    uint64_t total = 0;
    for (size_t octave = octaves->first; octave <= octaves->last; octave++) {
        octaves->below[octave] = total;
        total += sum_of(histogram, octave_begin(histogram, octave),
                        least((octave + 1) << histogram->sub_bits, histogram->end));
    }
    octaves->below[octaves->last + 1] = total;
    return total;
}

uint64_t lauka_rank_count(uint32_t rank, uint64_t total)
{
    lauka_uint128 parts = (lauka_uint128)total * rank;
    uint64_t count = (uint64_t)((parts + LAUKA_RANK_WHOLE - 1) / LAUKA_RANK_WHOLE);
    return count > 0 ? count : 1;
}

/* The begin of a block, and how many values lie below it. */
struct cursor {
    size_t octave, place;
    uint64_t below;
};

static void advance(const struct lauka_histogram *histogram, const struct octaves *octaves,
                    struct cursor *cursor, uint64_t count)
{
    size_t octave = cursor->octave;
    while (octaves->below[octave + 1] < count)
        octave++;
    if (octave != cursor->octave)
        *cursor = (struct cursor){octave, octave_begin(histogram, octave), octaves->below[octave]};
    for (;;) {
        size_t block_end = least(cursor->place + BLOCK, histogram->end);
        uint64_t sum = sum_of(histogram, cursor->place, block_end);
        if (cursor->below + sum >= count || block_end == histogram->end)
            return;
        cursor->below += sum;
        cursor->place = block_end;
    }
}

static struct lauka_bucket bucket_within(const struct lauka_histogram *histogram,
                                         const struct cursor *cursor, uint64_t count)
{
    size_t place = cursor->place;
    uint64_t cumulative = cursor->below + count_at(histogram, place);
    while (cumulative < count && place + 1 < histogram->end)
        cumulative += count_at(histogram, ++place);
    struct lauka_bucket bucket = bucket_at(histogram, place);
    bucket.cumulative = cumulative;
    return bucket;
}

/* Everything lies in [begin, end). */
static uint64_t quantiles_within(const struct lauka_histogram *histogram, size_t begin, size_t end,
                                 const uint32_t *ranks, size_t rank_count,
                                 struct lauka_quantile *quantiles)
{
    struct octaves octaves;
    uint64_t total = sum_octaves(histogram, begin, end, &octaves);
    struct cursor cursor = {octaves.first, octave_begin(histogram, octaves.first), 0};
    for (size_t i = 0; i < rank_count; i++) {
        assert(i == 0 || ranks[i - 1] <= ranks[i]);
        quantiles[i] = (struct lauka_quantile){.rank = ranks[i]};
        if (total == 0)
            continue;
        quantiles[i].count = lauka_rank_count(ranks[i], total);
        advance(histogram, &octaves, &cursor, quantiles[i].count);
        quantiles[i].bucket = bucket_within(histogram, &cursor, quantiles[i].count);
    }
    return total;
}

bool lauka_histogram_quantiles(const struct lauka_histogram *histogram, const uint32_t *ranks,
                               size_t rank_count, struct lauka_quantile *quantiles)
{
    return quantiles_within(histogram, histogram->begin, histogram->end, ranks, rank_count,
                            quantiles) > 0;
}

bool lauka_histogram_quantile(const struct lauka_histogram *histogram, uint32_t rank,
                              struct lauka_quantile *quantile)
{
    return lauka_histogram_quantiles(histogram, &rank, 1, quantile);
}

/* ---- summary ---- */

void lauka_histogram_estimate(const struct lauka_histogram *histogram, double *mean, double *stddev)
{
    /* In HdrHistogram's order of operations, so that its files come out alike to the last digit. */
    double total = 0, sum = 0, squares = 0;
    struct lauka_bucket bucket = {0};
    while (lauka_histogram_next(histogram, &bucket)) {
        sum += (double)lauka_bucket_middle(&bucket) * (double)bucket.count;
        total = (double)bucket.cumulative;
    }
    *mean = total > 0 ? sum / total : 0;
    bucket = (struct lauka_bucket){0};
    while (lauka_histogram_next(histogram, &bucket)) {
        double distance = (double)lauka_bucket_middle(&bucket) - *mean;
        squares += distance * distance * (double)bucket.count;
    }
    *stddev = total > 0 ? sqrt(squares / total) : 0;
}

static double mean_of_buckets(const struct lauka_histogram *histogram)
{
    double mean, stddev;
    lauka_histogram_estimate(histogram, &mean, &stddev);
    return mean;
}

static void take_moments(const struct lauka_moments *moments,
                         struct lauka_histogram_summary *summary)
{
    summary->exact = true;
    summary->min = moments->min;
    summary->max = moments->max;
    summary->mean = lauka_moments_mean(moments);
    summary->stddev = lauka_moments_variance(moments);
    summary->stddev.value = sqrt(summary->stddev.value);
}

/* Exact extremes tell which counters are worth a look. False where the moments are those of other
 * values than the histogram's: then they are of no use. */
static bool summarize_touched(const struct lauka_histogram *histogram,
                              const struct lauka_moments *moments,
                              struct lauka_histogram_summary *summary)
{
    size_t begin = lauka_histogram_place(histogram->low, histogram->sub_bits, moments->min);
    size_t end = lauka_histogram_place(histogram->low, histogram->sub_bits, moments->max) + 1;
    if (begin < histogram->begin || begin >= end || end > histogram->end)
        return false;
    summary->total = quantiles_within(histogram, begin, end, lauka_summary_ranks,
                                      LAUKA_SUMMARY_RANKS, summary->quantiles);
    return summary->total == moments->count;
}

bool lauka_histogram_summarize(const struct lauka_histogram *histogram,
                               const struct lauka_moments *moments,
                               struct lauka_histogram_summary *summary)
{
    *summary = (struct lauka_histogram_summary){
        .overflow = histogram->overflow,
        .error = lauka_histogram_error(histogram),
        .range_min = histogram->min,
        .range_max = histogram->max,
    };
    bool exact = moments && summarize_touched(histogram, moments, summary);
    if (!exact)
        summary->total =
            quantiles_within(histogram, histogram->begin, histogram->end, lauka_summary_ranks,
                             LAUKA_SUMMARY_RANKS, summary->quantiles);
    if (summary->total == 0)
        return false;
    if (exact) {
        take_moments(moments, summary);
    } else {
        summary->min = summary->quantiles[0].bucket.lowest;
        summary->max = summary->quantiles[LAUKA_SUMMARY_RANKS - 1].bucket.highest;
        summary->mean = mean_of_buckets(histogram);
    }
    return true;
}
