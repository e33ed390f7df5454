/* Histograms of one thread: counters in buckets, and exact moments beside them. */
#include "liblauka/hdr.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum { RANKS = 16, CORRECTIONS_MAX = 10000000 };

void *lauka_hdr_refuse(int error)
{
    errno = error;
    return NULL;
}

/* ---- making them ------------------------------------------------------------------------------- */

struct lauka_hdr *lauka_hdr_new(unsigned digits, uint64_t least, uint64_t greatest)
{
    const struct lauka_histogram_options options = {
        .digits = digits, .min = least, .max = greatest};
    struct lauka_hdr *histogram = calloc(1, sizeof *histogram);
    if (!histogram)
        return lauka_hdr_refuse(ENOMEM);
    int error = lauka_histogram_init(&histogram->counts, &options);
    if (error) {
        free(histogram);
        return lauka_hdr_refuse(error);
    }
    lauka_moments_init(&histogram->moments);
    histogram->exact = true;
    return histogram;
}

void lauka_hdr_free(struct lauka_hdr *histogram)
{
    if (histogram)
        lauka_histogram_done(&histogram->counts);
    free(histogram);
}

struct lauka_hdr *lauka_hdr_adopt(struct lauka_histogram *counts)
{
    struct lauka_hdr *histogram = calloc(1, sizeof *histogram);
    if (!histogram) {
        lauka_histogram_done(counts);
        return lauka_hdr_refuse(ENOMEM);
    }
    lauka_moments_init(&histogram->moments);
    histogram->counts = *counts;
    return histogram;
}

struct lauka_hdr *lauka_hdr_copy(const struct lauka_hdr *histogram)
{
    struct lauka_histogram counts;
    int error = lauka_histogram_init_like(&counts, &histogram->counts);
    if (error)
        return lauka_hdr_refuse(error);
    error = lauka_histogram_merge(&counts, &histogram->counts);
    counts.overflow = histogram->counts.overflow;
    if (error) {
        lauka_histogram_done(&counts);
        return lauka_hdr_refuse(error);
    }
    struct lauka_hdr *copy = lauka_hdr_adopt(&counts);
    if (copy) {
        copy->moments = histogram->moments;
        copy->exact = histogram->exact;
    }
    return copy;
}

unsigned lauka_hdr_digits(double error)
{
    return lauka_histogram_digits(error);
}

double lauka_hdr_error(const struct lauka_hdr *histogram)
{
    return lauka_histogram_error(&histogram->counts);
}

/* ---- recording --------------------------------------------------------------------------------- */

int lauka_hdr_record(struct lauka_hdr *histogram, uint64_t value)
{
    struct lauka_histogram *counts = &histogram->counts;
    if (__builtin_expect(!counts->counts, 0)) /* it came from a file: its counters are sparse */
        return lauka_hdr_record_count(histogram, value, 1);
    size_t place = lauka_histogram_place(counts->low, counts->sub_bits, value);
    if (__builtin_expect(place < counts->begin || place >= counts->end, 0)) {
        counts->overflow++;
        return 0;
    }
    counts->counts[place]++;
    lauka_moments_add(&histogram->moments, value);
    return 1;
}

int lauka_hdr_record_count(struct lauka_hdr *histogram, uint64_t value, uint64_t count)
{
    if (!lauka_histogram_record_count(&histogram->counts, value, count))
        return 0;
    lauka_moments_add_count(&histogram->moments, value, count);
    return 1;
}

size_t lauka_hdr_record_all(struct lauka_hdr *histogram, const uint64_t *values, size_t count)
{
    size_t counted = 0;
    for (size_t i = 0; i < count; i++)
        counted += (size_t)lauka_hdr_record(histogram, values[i]);
    return counted;
}

int lauka_hdr_record_corrected(struct lauka_hdr *histogram, uint64_t value, uint64_t interval)
{
    if (interval > 0 && value / interval > CORRECTIONS_MAX) {
        errno = ERANGE;
        return 0;
    }
    int counted = lauka_hdr_record(histogram, value);
    for (uint64_t more = value; interval > 0 && more >= 2 * (lauka_uint128)interval;) {
        more -= interval;
        lauka_hdr_record(histogram, more);
    }
    return counted;
}

void lauka_hdr_reset(struct lauka_hdr *histogram)
{
    lauka_histogram_reset(&histogram->counts);
    lauka_moments_init(&histogram->moments);
    histogram->exact = true;
}

static bool is_empty(const struct lauka_hdr *histogram)
{
    return histogram->exact ? histogram->moments.count == 0
                            : lauka_histogram_total(&histogram->counts) == 0;
}

int lauka_hdr_merge(struct lauka_hdr *into, const struct lauka_hdr *from)
{
    uint64_t lost = into->counts.overflow + from->counts.overflow;
    bool exact = (into->exact || is_empty(into)) && (from->exact || is_empty(from));
    int error = lauka_histogram_merge(&into->counts, &from->counts);
    if (error)
        return error;
    if (from->exact)
        lauka_moments_merge(&into->moments, &from->moments);
    into->exact = exact && into->counts.overflow == lost;
    return 0;
}

int lauka_hdr_subtract(struct lauka_hdr *into, const struct lauka_hdr *from)
{
    int error = lauka_histogram_subtract(&into->counts, &from->counts);
    if (!error && !is_empty(from)) {
        lauka_moments_init(&into->moments);
        into->exact = false;
    }
    return error;
}

/* ---- what they tell ---------------------------------------------------------------------------- */

const struct lauka_moments *lauka_hdr_moments(const struct lauka_hdr *histogram)
{
    return histogram->exact ? &histogram->moments : NULL;
}

uint64_t lauka_hdr_total(const struct lauka_hdr *histogram)
{
    return histogram->exact ? histogram->moments.count : lauka_histogram_total(&histogram->counts);
}

uint64_t lauka_hdr_overflow(const struct lauka_hdr *histogram)
{
    return histogram->counts.overflow;
}

static uint64_t outermost(const struct lauka_hdr *histogram, bool greatest)
{
    struct lauka_histogram_summary summary;
    bool is_there = lauka_histogram_summarize(&histogram->counts, NULL, &summary);
    return !is_there ? 0 : greatest ? summary.max : summary.min;
}

uint64_t lauka_hdr_min(const struct lauka_hdr *histogram)
{
    if (!histogram->exact)
        return outermost(histogram, false);
    return histogram->moments.count > 0 ? histogram->moments.min : 0;
}

uint64_t lauka_hdr_max(const struct lauka_hdr *histogram)
{
    return histogram->exact ? histogram->moments.max : outermost(histogram, true);
}

double lauka_hdr_mean(const struct lauka_hdr *histogram)
{
    double mean, deviation;
    if (histogram->exact)
        return lauka_moments_mean(&histogram->moments);
    lauka_histogram_estimate(&histogram->counts, &mean, &deviation);
    return mean;
}

double lauka_hdr_deviation(const struct lauka_hdr *histogram)
{
    double mean, deviation;
    if (histogram->exact)
        return sqrt(lauka_moments_variance(&histogram->moments).value);
    lauka_histogram_estimate(&histogram->counts, &mean, &deviation);
    return deviation;
}

int lauka_hdr_is_exact(const struct lauka_hdr *histogram)
{
    return histogram->exact;
}

uint32_t lauka_hdr_rank(double percent)
{
    if (!(percent > 0))
        return 0;
    return percent >= 100 ? LAUKA_RANK_WHOLE
                          : (uint32_t)llround(percent / 100 * (double)LAUKA_RANK_WHOLE);
}

static uint64_t value_of(const struct lauka_hdr *histogram, const struct lauka_quantile *quantile)
{
    uint64_t value = lauka_bucket_middle(&quantile->bucket);
    if (!histogram->exact)
        return value;
    value = value < histogram->moments.min ? histogram->moments.min : value;
    return value > histogram->moments.max ? histogram->moments.max : value;
}

void lauka_hdr_percentiles(const struct lauka_hdr *histogram, const double *percents, size_t count,
                           uint64_t *values)
{
    for (size_t done = 0; done < count; done += RANKS) {
        struct lauka_quantile quantiles[RANKS];
        uint32_t ranks[RANKS];
        size_t some = count - done < RANKS ? count - done : RANKS;
        for (size_t i = 0; i < some; i++)
            ranks[i] = lauka_hdr_rank(percents[done + i]);
        bool is_there = lauka_histogram_quantiles(&histogram->counts, ranks, some, quantiles);
        for (size_t i = 0; i < some; i++)
            values[done + i] = is_there ? value_of(histogram, &quantiles[i]) : 0;
    }
}

uint64_t lauka_hdr_percentile(const struct lauka_hdr *histogram, double percent)
{
    uint64_t value;
    lauka_hdr_percentiles(histogram, &percent, 1, &value);
    return value;
}

int lauka_hdr_next(const struct lauka_hdr *histogram, struct lauka_hdr_bucket *bucket)
{
    struct lauka_bucket place = {
        .index = bucket->next,
        .lowest = bucket->lowest,
        .highest = bucket->highest,
        .count = bucket->count,
        .cumulative = bucket->cumulative,
    };
    bool is_there = lauka_histogram_next(&histogram->counts, &place);
    *bucket = (struct lauka_hdr_bucket){
        .lowest = place.lowest,
        .highest = place.highest,
        .count = place.count,
        .cumulative = place.cumulative,
        .next = place.index,
    };
    return is_there;
}
