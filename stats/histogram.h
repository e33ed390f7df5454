/* The part of stats.h about histograms: include that. */
#ifndef LAUKA_STATS_HISTOGRAM_H
#define LAUKA_STATS_HISTOGRAM_H

#include "stats.h"

/* ---- histogram.c: values counted in buckets of bounded relative width ---------------------------
 *
 * HdrHistogram's layout with unit magnitude 0: octaves of 2^s buckets each, where s follows from
 * the significant digits. Counters for all of 0 ... 2^64-1 are reserved, half a megabyte of them by
 * default, so that recording needs no check; sparse ones are there only where values are recorded, some
 * kilobytes mostly, for histograms that are many and not in a hurry. Moments and tests never come from
 * buckets: keep a struct lauka_moments beside it. */

enum { LAUKA_DIGITS_MIN = 1, LAUKA_DIGITS_DEFAULT = 3, LAUKA_DIGITS_MAX = 5 };

struct lauka_histogram_options {
    unsigned digits;   /* 1 ... 5; 0: LAUKA_DIGITS_DEFAULT */
    bool narrow;       /* counters of 32 bits, which silently wrap when they overflow */
    bool sparse;       /* allocates counters when needed; not together with narrow */
    uint64_t min, max; /* values outside their buckets are overflow; max 0: no limit */
};

struct lauka_histogram {
    uint64_t *counts;           /* owned; NULL if narrow or sparse */
    uint32_t *narrow;           /* owned; NULL if not narrow */
    struct lauka_sparse sparse; /* owned; zeroed if not sparse */
    /* Values up to this one share the finest octaves: 2^(s+1+unit_bits) - 1. Where this is another type than
     * uint64_t, as on Linux, compilers know that counting does not change it, and read it once. */
    unsigned long long low;
    uint32_t sub_bits;  /* s: an octave has 2^s buckets */
    uint32_t unit_bits; /* of what others wrote: the finest buckets are 2^unit_bits wide; ours: 0 */
    uint32_t digits;
    bool limited;             /* whether [begin, end) is less than everything */
    size_t begin, end;        /* the counted places; place = index + (unit_bits << sub_bits) */
    uint64_t overflow;        /* number of values outside of them */
    uint64_t min, max;        /* as in the options */
    uint64_t lowest, highest; /* as in the interchange format; highest 0: chosen on writing */
    uint64_t resets;          /* number of resets, for snapshots */
};

/* The fewest digits whose buckets are at most 2 * error wide relative to their values; 5 if none
 * are fine enough. error 0.0005, 0.05 %, gives 3. */
unsigned lauka_histogram_digits(double error);

/* The largest half-width of a bucket relative to its value: 0.5 / 2^s. */
double lauka_histogram_error(const struct lauka_histogram *histogram);

/* options NULL: all defaults. Returns 0, EINVAL (digits, min > max, narrow and sparse) or ENOMEM. */
int lauka_histogram_init(struct lauka_histogram *histogram,
                         const struct lauka_histogram_options *options);

/* Like HdrHistogram with the same arguments: 2 * lowest <= highest < 2^63; counts values as long as
 * there is a place for them, possibly a little above `highest`. Returns 0, EINVAL, ENOMEM. */
int lauka_histogram_init_hdr(struct lauka_histogram *histogram, uint64_t lowest, uint64_t highest,
                             unsigned digits);

/* The same without counters: only the layout. Returns 0 or EINVAL. */
int lauka_histogram_layout_hdr(struct lauka_histogram *histogram, uint64_t lowest, uint64_t highest,
                               unsigned digits);

/* Makes it empty, with the layout, limits and kind of counters of `like`. Returns 0 or ENOMEM. */
int lauka_histogram_init_like(struct lauka_histogram *histogram,
                              const struct lauka_histogram *like);

/* Frees the counters; accepts a zeroed histogram. */
void lauka_histogram_done(struct lauka_histogram *histogram);

/* The shift for a value of this octave: the octave's width in bits minus the width of its buckets.
 * There are two ways to compute it, and the faster one depends on whether the processor counts
 * leading zeros or finds the highest bit. */
static inline uint32_t lauka_histogram_shift(uint64_t octave, uint32_t sub_bits)
{
    uint32_t zeros = (uint32_t)__builtin_clzll(octave);
#if defined __x86_64__ && !defined __LZCNT__
    return (63 ^ zeros) - sub_bits;
#else
    return 63 - sub_bits - zeros;
#endif
}

/* The place of the value's counter. HdrHistogram's formula: the width of the value's octave in bits by
 * counting leading zeros; the low bits that are set keep all small values in the finest octaves. */
static inline size_t lauka_histogram_place(uint64_t low, uint32_t sub_bits, uint64_t value)
{
    uint32_t shift = lauka_histogram_shift(value | low, sub_bits);
    return ((size_t)shift << sub_bits) + (size_t)(value >> shift);
}

/* Whether counters exist or can be made: false for a zeroed histogram. */
static inline bool lauka_histogram_is_there(const struct lauka_histogram *histogram)
{
    return histogram->end > 0;
}

/* Records in two steps, only the first of which allocates. *counter: the counter to increase; NULL
 * if there is none of 64 bits, or the value is outside the limits. Returns 0 or ENOMEM. */
int lauka_histogram_reach(struct lauka_histogram *histogram, uint64_t value, uint64_t **counter);

/* For histograms without options except digits: checks nothing. */
static inline void lauka_histogram_record(struct lauka_histogram *histogram, uint64_t value)
{
    histogram->counts[lauka_histogram_place(histogram->low, histogram->sub_bits, value)]++;
}

/* What is exactly known about recorded values at little cost. */
struct lauka_tally {
    unsigned long long count, min, max; /* not uint64_t: see struct lauka_histogram */
};

/* The initial value of a tally. */
#define LAUKA_TALLY_EMPTY ((struct lauka_tally){.min = UINT64_MAX})

/* For histograms that are neither narrow nor sparse, with any limits. False for overflow, which the
 * tally excludes. */
static inline bool lauka_histogram_record_tallied(struct lauka_histogram *histogram,
                                                  struct lauka_tally *tally, uint64_t value)
{
    size_t place = lauka_histogram_place(histogram->low, histogram->sub_bits, value);
    if (__builtin_expect(place < histogram->begin || place >= histogram->end, 0)) {
        histogram->overflow++;
        return false;
    }
    histogram->counts[place]++;
    tally->count++;
    if (__builtin_expect(value < tally->min, 0))
        tally->min = value;
    if (__builtin_expect(value > tally->max, 0))
        tally->max = value;
    return true;
}

/* For any histogram. False if the values were overflow. A counter that would wrap (usually one of
 * 32 bits), or without memory, stays unchanged, and the values become overflow. */
bool lauka_histogram_record_count(struct lauka_histogram *histogram, uint64_t value,
                                  uint64_t count);

/* For any histogram; faster than recording one by one. */
void lauka_histogram_record_array(struct lauka_histogram *histogram, const uint64_t *values,
                                  size_t count);

/* ---- histogram_merge.c ----------------------------------------------------------------------- */

/* Clears all counts; keeps the memory. */
void lauka_histogram_reset(struct lauka_histogram *histogram);

/* Adds the counts of `from`, whose buckets may be finer but not coarser. Values outside a limited `into`
 * become overflow. Returns 0; on EINVAL (coarser buckets), EOVERFLOW (a counter would wrap) or ENOMEM,
 * `into` is unchanged. */
int lauka_histogram_merge(struct lauka_histogram *into, const struct lauka_histogram *from);

/* Subtracts the counts of `from`. Returns 0; on EINVAL (layouts differ), ERANGE (`into` holds fewer) or
 * ENOMEM, `into` is unchanged. */
int lauka_histogram_subtract(struct lauka_histogram *into, const struct lauka_histogram *from);

/* ---- recorder.c ------------------------------------------------------------------------------ */

/* The content of a histogram at the last update, and what was recorded between the last two. */
struct lauka_snapshot {
    struct lauka_histogram all;
    struct lauka_histogram delta;
};

/* Empty, for histograms like this one. Returns 0, EINVAL (sparse) or ENOMEM. */
int lauka_snapshot_init(struct lauka_snapshot *snapshot, const struct lauka_histogram *like);
void lauka_snapshot_done(struct lauka_snapshot *snapshot);

/* Never allocates. After a reset of the histogram, the delta is everything recorded since then. */
void lauka_snapshot_update(struct lauka_snapshot *snapshot,
                           const struct lauka_histogram *histogram);

/* ---- quantile.c: what a histogram tells ------------------------------------------------------ */

/* Ranks are parts of this: 99.9 % is 999000000. */
#define LAUKA_RANK_WHOLE UINT32_C(1000000000)

struct lauka_bucket {
    size_t index; /* HdrHistogram's index; at the end of an iteration, of the next place */
    uint64_t lowest, highest; /* its values */
    uint64_t count;
    uint64_t cumulative; /* sum of the counts up to this bucket */
};

/* The middle of a bucket, HdrHistogram's "median equivalent value", and its largest error. */
uint64_t lauka_bucket_middle(const struct lauka_bucket *bucket);
uint64_t lauka_bucket_error(const struct lauka_bucket *bucket);

/* The number of buckets, and one of them; `cumulative` is 0 here. */
size_t lauka_histogram_size(const struct lauka_histogram *histogram);
struct lauka_bucket lauka_histogram_bucket(const struct lauka_histogram *histogram, size_t index);

/* The next nonempty bucket, ascending: start with a zeroed one, end at false. */
bool lauka_histogram_next(const struct lauka_histogram *histogram, struct lauka_bucket *bucket);

/* The number of counted values, without overflow. */
uint64_t lauka_histogram_total(const struct lauka_histogram *histogram);

/* The number of values up to this rank: ceil(total * rank / LAUKA_RANK_WHOLE), at least 1. */
uint64_t lauka_rank_count(uint32_t rank, uint64_t total);

struct lauka_quantile {
    uint32_t rank;
    uint64_t count;             /* its lauka_rank_count; 0 without values */
    struct lauka_bucket bucket; /* holds the value number `count` */
};

/* Nearest ranks, ascending, in one pass over the counters. False without values. */
bool lauka_histogram_quantiles(const struct lauka_histogram *histogram, const uint32_t *ranks,
                               size_t rank_count, struct lauka_quantile *quantiles);

/* For a single rank. */
bool lauka_histogram_quantile(const struct lauka_histogram *histogram, uint32_t rank,
                              struct lauka_quantile *quantile);

/* Computed from bucket middles, like HdrHistogram; good enough for its file formats. The deviation
 * (divided by n) is noise unless it spans many buckets. 0 if there are no values. */
void lauka_histogram_estimate(const struct lauka_histogram *histogram, double *mean,
                              double *stddev);

/* 0 1 5 10 25 50 75 90 92.5 95 97.5 99 99.9 99.99 99.999 100 % */
enum { LAUKA_SUMMARY_RANKS = 16 };
extern const uint32_t lauka_summary_ranks[LAUKA_SUMMARY_RANKS];

struct lauka_histogram_summary {
    uint64_t total, overflow;
    uint64_t min, max; /* exact with moments, otherwise the outer ends of the outer buckets */
    double mean;       /* if `exact`; otherwise from bucket middles */
    struct lauka_optional stddev;  /* divided by n - 1; known only if `exact` */
    bool exact;                    /* moments were given */
    double error;                  /* lauka_histogram_error */
    uint64_t range_min, range_max; /* the range of counted values; range_max 0: no limit */
    struct lauka_quantile quantiles[LAUKA_SUMMARY_RANKS];
};

/* moments: of the values in the histogram, or NULL; moments of other values are ignored. False if
 * there are no values: then only overflow, error and range are set. */
bool lauka_histogram_summarize(const struct lauka_histogram *histogram,
                               const struct lauka_moments *moments,
                               struct lauka_histogram_summary *summary);

/* ---- quantile_interval.c: how well quantiles are known ---------------------------------------- */

/* Of `count` independent values in ascending order, numbered from 1, the two that enclose the
 * quantile with confidence 1 - alpha or more, alpha / 2 on each side. False if too few values lie
 * beyond the rank. Takes about 17 sqrt(count) steps. David & Nagaraja 2003, 7.1 */
bool lauka_quantile_interval(uint64_t count, uint32_t rank, double alpha, uint64_t *low,
                             uint64_t *high);

/* How far the shares of values up to x are apart in two independent samples, at any x where those who
 * they were drawn from have the same share: with probability 1 - alpha no further, whatever the
 * distributions are and at all x at once. Kolmogorov & Smirnov's statistic, bounded as by Wei &
 * Dudley 2012, "Two-sample Dvoretzky-Kiefer-Wolfowitz inequalities", Statistics & Probability Letters
 * 82 (proved for large samples of one size; of small and of other sizes the test computes it exactly,
 * and the paper conjectures the rest); as a statement about quantiles: Doksum & Sievers 1976, Biometrika
 * 63. What the pairs of a round have in common makes the shares differ less still. */
double lauka_share_margin(uint64_t reference, uint64_t other, double alpha);

struct lauka_span {
    double estimate, low, high;
};

/* other - reference, from two independent estimates with intervals of the same confidence; the
 * interval of the difference then has about this confidence, too. Swapping mirrors it. */
struct lauka_span lauka_span_difference(struct lauka_span reference, struct lauka_span other);

/* ---- histogram_codec.c: HdrHistogram's encodings, without compression ----------------------- */

/* Encodes for any HdrHistogram. The caller owns *bytes. *left_out (may be NULL): number of values
 * of 2^63 and more, for which the format has no place; it also excludes overflow. Returns 0,
 * EOVERFLOW for 2^63 values or more, or ENOMEM. */
int lauka_histogram_encode(const struct lauka_histogram *histogram, uint8_t **bytes, size_t *size,
                           uint64_t *left_out);

enum {
    LAUKA_HDR_HEADER_SIZE = 40,  /* in versions 1 and 2 */
    LAUKA_HDR_HEADER_LEAST = 32, /* in version 0; in all others it contains all sizes */
    LAUKA_HDR_DOUBLE_SIZE = 16,  /* header before the histogram in a double histogram */
};

/* The contents of the first bytes. */
struct lauka_hdr_header {
    uint64_t lowest, highest;
    unsigned digits;
    unsigned word_size;  /* bytes per counter; 0: numbers of variable length */
    size_t size;         /* of the header itself */
    size_t payload_size; /* bytes that follow; at most as many as the counters could take */
    bool is_open;        /* there may be fewer: the header has no size */
};

/* Returns 0 or EINVAL; *reason (static) then says why. */
int lauka_hdr_header_decode(const uint8_t bytes[LAUKA_HDR_HEADER_LEAST],
                            struct lauka_hdr_header *header, const char **reason);

/* Whether the next LAUKA_HDR_DOUBLE_SIZE bytes precede a double histogram's counters, which may be
 * compressed. */
bool lauka_hdr_is_double(const uint8_t *bytes, size_t size);

#define LAUKA_HDR_IS_DOUBLE "a double histogram: its values are not whole numbers"

/* Makes a histogram from exactly these bytes, of any version; there is none on errors. *unit: factor of
 * the values, 1 except for double histograms; NULL: rejects those. The size bounds the time, the named
 * counters bound the memory. Returns 0, ENOMEM, or EINVAL with a reason (static). */
int lauka_histogram_decode(const uint8_t *bytes, size_t size, struct lauka_histogram *histogram,
                           double *unit, const char **reason);

#endif
