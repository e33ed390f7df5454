/* paired_log: a long session's log ratios in bounded memory. Values may be counted in coarse
 * buckets, but pairs may not be rebuilt from them: so the ratio itself is counted, in bins that are
 * fine where ratios of two versions of a program lie, and relative where nobody asks for the fourth
 * digit. */
#include "stats/crossover.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum {
    ZERO = LAUKA_PAIRED_LOG_HALF, /* the bin of d = 0; those of d and -d are as far from it */
    LINEAR = 4096,                /* bins of 2^-14 from 0 on, up to 1/4 */
    STEPS = 512,                  /* to each octave of |d| above: 1/4 ... 1/2, ... 32 ... 64 */
    ALL = 2 * LAUKA_PAIRED_LOG_HALF,
};

void lauka_paired_log_init(struct lauka_paired_log *log)
{
    *log = (struct lauka_paired_log){.bins = {.count = ALL}};
    lauka_moments_init(&log->reference);
    lauka_moments_init(&log->other);
}

void lauka_paired_log_done(struct lauka_paired_log *log)
{
    lauka_sparse_done(&log->bins);
}

/* The bin with the nearest middle. |d| of two 64-bit values is at most 44.4. */
static unsigned bin_of_size(double size)
{
    if (size < 0.25)
        return (unsigned)(size * 0x1p14 + 0.5);
    int exponent;
    double fraction = frexp(size, &exponent); /* size = fraction 2^exponent, from 1/2 up; 1/4: -1 */
    unsigned octave = (unsigned)(exponent + 1);
    return LINEAR + octave * STEPS + (unsigned)((2 * fraction - 1) * (double)STEPS + 0.5);
}

static double middle_of_size(unsigned bin)
{
    if (bin < LINEAR)
        return bin * 0x1p-14;
    unsigned octave = (bin - LINEAR) / STEPS, step = (bin - LINEAR) % STEPS;
    return ldexp(STEPS + step, (int)octave - 11); /* 512 2^-11 is 1/4 */
}

static unsigned bin_of(double d)
{
    unsigned bin = bin_of_size(fabs(d));
    assert(bin < LAUKA_PAIRED_LOG_HALF);
    return d < 0 ? ZERO - bin : ZERO + bin;
}

static double middle_of(unsigned bin)
{
    return bin < ZERO ? -middle_of_size(ZERO - bin) : middle_of_size(bin - ZERO);
}

int lauka_paired_log_reach(struct lauka_paired_log *log, uint64_t reference, uint64_t other,
                           uint64_t **bin)
{
    bool has_ratio = reference > 0 && other > 0;
    *bin = NULL;
    if (has_ratio)
        *bin =
            lauka_sparse_reach(&log->bins, bin_of(lauka_contrast_distance(reference, other, true)));
    return has_ratio && !*bin ? ENOMEM : 0;
}

static void count_pair(struct lauka_paired_log *log, uint64_t *bin)
{
    if (*bin == UINT32_MAX) {
        log->lost++;
        return;
    }
    ++*bin;
    log->count++;
}

void lauka_paired_log_add_to(struct lauka_paired_log *log, uint64_t reference, uint64_t other,
                             uint64_t *bin)
{
    lauka_moments_add(&log->reference, reference);
    lauka_moments_add(&log->other, other);
    if (bin)
        count_pair(log, bin);
    else
        log->zeros++;
}

void lauka_paired_log_add(struct lauka_paired_log *log, uint64_t reference, uint64_t other)
{
    uint64_t *bin;
    bool lost = lauka_paired_log_reach(log, reference, other, &bin) != 0;
    lauka_paired_log_add_to(log, reference, other, bin);
    log->zeros -= lost;
    log->lost += lost;
}

void lauka_paired_log_merge(struct lauka_paired_log *into, const struct lauka_paired_log *from)
{
    lauka_moments_merge(&into->reference, &from->reference);
    lauka_moments_merge(&into->other, &from->other);
    into->zeros += from->zeros;
    into->lost += from->lost;
    for (size_t bin = lauka_sparse_find(&from->bins, 0); bin < ALL;
         bin = lauka_sparse_find(&from->bins, bin + 1)) {
        uint64_t pairs = lauka_sparse_at(&from->bins, bin);
        uint64_t *to = lauka_sparse_reach(&into->bins, bin);
        uint64_t room = to ? UINT32_MAX - *to : 0, taken = pairs < room ? pairs : room;
        if (to)
            *to += taken;
        into->count += taken;
        into->lost += pairs - taken;
    }
}

/* Middles of the bins that are not empty, ascending, and the number of pairs before each. */
static size_t list_bins(const struct lauka_paired_log *log, double *values, uint64_t *before)
{
    size_t length = 0;
    before[0] = 0;
    for (size_t bin = lauka_sparse_find(&log->bins, 0); bin < ALL;
         bin = lauka_sparse_find(&log->bins, bin + 1)) {
        values[length] = middle_of((unsigned)bin);
        before[length + 1] = before[length] + lauka_sparse_at(&log->bins, bin);
        length++;
    }
    return length;
}

static int compare_bins(const struct lauka_paired_log *log,
                        const struct lauka_comparison_options *options,
                        struct lauka_comparison *comparison)
{
    size_t most = lauka_sparse_used(&log->bins);
    double *values = malloc((most + 1) * sizeof *values);
    uint64_t *before = malloc((most + 1) * sizeof *before);
    int error = values && before ? 0 : ENOMEM;
    if (!error) {
        struct lauka_differences differences = {.values = values, .before = before};
        differences.length = list_bins(log, values, before);
        error = lauka_contrast_pairs(&differences, NULL, true, options, comparison);
    }
    free(values);
    free(before);
    return error;
}

/* Most rounds were equal, which tells nothing of the others: there is no interval where the means differ by
 * more than the precision. */
static void withhold(struct lauka_comparison *comparison, double precision)
{
    double rise = comparison->other_mean - comparison->reference_mean;
    bool alike = rise <= precision * comparison->reference_mean &&
                 -rise <= precision * comparison->other_mean;
    double at = comparison->log_low.value;
    if (!comparison->log_low.known || at != comparison->log_high.value ||
        comparison->method == LAUKA_METHOD_EXACT)
        return;
    if (at == 0 && !alike)
        lauka_contrast_unknow(comparison);
    else
        lauka_contrast_widen(comparison, fmax(0x1p-15, fabs(at) * 0x1p-9)); /* half a bin */
}

int lauka_compare_streamed(const struct lauka_paired_log *log,
                           const struct lauka_comparison_options *options,
                           struct lauka_comparison *comparison)
{
    assert(!options->unpaired && options->alpha > 0 && options->alpha < 1);

    *comparison = (struct lauka_comparison){.method = LAUKA_METHOD_NONE};
    lauka_contrast_moments(&log->reference, &log->other, comparison);
    int error = 0;
    if (comparison->pairs == 0)
        return 0;
    if (lauka_contrast_is_exact(&log->reference, &log->other))
        lauka_contrast_exact(&log->reference, &log->other, options, comparison);
    else if (log->zeros == 0)
        error = compare_bins(log, options, comparison);
    if (error)
        *comparison = (struct lauka_comparison){.method = LAUKA_METHOD_NONE};
    withhold(comparison, options->precision);
    lauka_verdict_judge(comparison, options->precision);
    return error;
}
