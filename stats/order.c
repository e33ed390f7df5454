/* order: sorting, and single ranks without sorting, because a long session ends with a million values of
 * ten metrics. Integers are sorted by digits, seven times faster than qsort. Doubles, which differ in all
 * of their digits, are sorted by their position between the least and the greatest. */
#include "stats/loops.h"
#include "stats/stats.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS = 8, RADIX = 256, FEW = 48, SOME = 1024, SORTED_RUN = 12 };

/* So many values are sorted with as much scratch memory; a million values need no more. */
enum { SCRATCH = 1 << 17 };

static void insert_sorted(uint64_t *values, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        uint64_t value = values[i];
        size_t place = i;
        for (; place > 0 && values[place - 1] > value; place--)
            values[place] = values[place - 1];
        values[place] = value;
    }
}

static void merge(const uint64_t *left, size_t left_count, const uint64_t *right,
                  size_t right_count, uint64_t *to)
{
    size_t i = 0, j = 0;
    while (i < left_count && j < right_count)
        *to++ = right[j] < left[i] ? right[j++] : left[i++];
    memcpy(to, left + i, (left_count - i) * sizeof *to);
    memcpy(to + left_count - i, right + j, (right_count - j) * sizeof *to);
}

/* For a few hundred values, counting digits would take longer than merging. */
static void sort_by_merging(uint64_t *values, uint64_t *scratch, size_t count)
{
    uint64_t *from = values, *to = scratch;
    for (size_t i = 0; i < count; i += SORTED_RUN)
        insert_sorted(values + i, count - i < SORTED_RUN ? count - i : SORTED_RUN);
    for (size_t width = SORTED_RUN; width < count; width *= 2) {
        for (size_t i = 0; i < count; i += 2 * width) {
            size_t left = count - i < width ? count - i : width;
            size_t right = count - i - left < width ? count - i - left : width;
            merge(from + i, left, from + i + left, right, to + i);
        }
        uint64_t *merged = to;
        to = from;
        from = merged;
    }
    if (from != values)
        memcpy(values, from, count * sizeof *values);
}

static unsigned digit_of(uint64_t value, unsigned digit)
{
    return (unsigned)(value >> (8 * digit)) % RADIX;
}

/* places[r]: where the next value whose digit is r goes. */
static void deal(const uint64_t *from, uint64_t *to, size_t count, unsigned digit, size_t *places)
{
    for (size_t i = 0; i < count; i++)
        to[places[digit_of(from[i], digit)]++] = from[i];
}

/* Where the first value of each digit goes. */
static void find_places(const uint64_t *values, size_t count, unsigned digit, size_t *places)
{
    size_t counts[RADIX] = {0}, place = 0;
    for (size_t i = 0; i < count; i++)
        counts[digit_of(values[i], digit)]++;
    for (unsigned r = 0; r < RADIX; r++) {
        places[r] = place;
        place += counts[r];
    }
}

/* The bits in which any two of the values differ. */
static uint64_t differences_of(const uint64_t *values, size_t count)
{
    uint64_t differences = 0;
    for (size_t i = 1; i < count; i++)
        differences |= values[i] ^ values[0];
    return differences;
}

/* From the last digit to the first; each pass keeps the order of the earlier ones. A digit that all values
 * share needs no pass. */
static void sort_by_digits(uint64_t *values, uint64_t *scratch, size_t count)
{
    uint64_t differences = differences_of(values, count);
    uint64_t *from = values, *to = scratch;
    for (unsigned digit = 0; digit < DIGITS; digit++) {
        if (digit_of(differences, digit) == 0)
            continue;
        size_t places[RADIX];
        find_places(from, count, digit, places);
        deal(from, to, count, digit, places);
        uint64_t *dealt = to;
        to = from;
        from = dealt;
    }
    if (from != values)
        memcpy(values, from, count * sizeof *values);
}

/* Groups values with equal digits in place, by following each misplaced value to where it belongs
 * (McIlroy, Bostic & McIlroy 1993, "American flag sort"). */
static void gather(uint64_t *values, size_t count, unsigned digit, size_t *begins)
{
    size_t next[RADIX];
    find_places(values, count, digit, begins);
    begins[RADIX] = count;
    memcpy(next, begins, sizeof next);
    for (unsigned r = 0; r < RADIX; r++)
        while (next[r] < begins[r + 1]) {
            uint64_t *place = &values[next[r]], value = *place;
            unsigned home = digit_of(value, digit);
            *place = values[next[home]];
            values[next[home]++] = value;
        }
}

/* The most significant digit in which the values differ; digits above it need no pass. */
static unsigned first_difference(const uint64_t *values, size_t count)
{
    uint64_t differences = differences_of(values, count);
    unsigned digit = 0;
    while (differences >> 8) {
        differences >>= 8;
        digit++;
    }
    return digit;
}

/* Splits a part that is too large for the scratch by its first digits until it fits. */
static void sort_parts(uint64_t *values, uint64_t *scratch, size_t count)
{
    size_t begins[RADIX + 1];
    if (count <= FEW) {
        insert_sorted(values, count);
        return;
    }
    if (count <= SOME) {
        sort_by_merging(values, scratch, count);
        return;
    }
    if (count <= SCRATCH) {
        sort_by_digits(values, scratch, count);
        return;
    }
    unsigned digit = first_difference(values, count);
    gather(values, count, digit, begins);
    for (unsigned r = 0; digit > 0 && r < RADIX; r++)
        sort_parts(values + begins[r], scratch, begins[r + 1] - begins[r]);
}

int lauka_sort_integers(uint64_t *values, size_t count)
{
    size_t room = count < SCRATCH ? count : SCRATCH;
    uint64_t *scratch = NULL;
    if (count > FEW) {
        scratch = malloc(room * sizeof *scratch);
        if (!scratch)
            return ENOMEM;
    }
    sort_parts(values, scratch, count);
    free(scratch);
    return 0;
}

/* Integers in the order of the doubles: all bits of a negative one are flipped, only the sign of the
 * others. */
static uint64_t key_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

static double value_of(uint64_t key)
{
    uint64_t bits = key >> 63 ? key & ~((uint64_t)1 << 63) : ~key;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static int sort_by_keys(double *values, size_t count)
{
    uint64_t *keys = malloc(count * sizeof *keys);
    if (!keys)
        return ENOMEM;
    for (size_t i = 0; i < count; i++)
        keys[i] = key_of(values[i]);
    int error = lauka_sort_integers(keys, count);
    for (size_t i = 0; !error && i < count; i++)
        values[i] = value_of(keys[i]);
    free(keys);
    return error;
}

/* ---- doubles by where they lie ----------------------------------------------------------------- */

/* Stretches of equal width hold this many values on average; there are this many stretches at most. */
enum { IN_STRETCH = 8, STRETCHES_MAX = 1 << 17 };

struct stretches {
    double least, scale;
    size_t count;
    uint32_t *ends; /* owned */
};

static size_t stretch_of(const struct stretches *stretches, double value)
{
    return (size_t)((value - stretches->least) * stretches->scale);
}

/* False if such stretches would not separate anything. */
LAUKA_UNCHECKED static bool stretches_measure(struct stretches *stretches, const double *values,
                                              size_t count)
{
    double least = values[0], greatest = values[0];
    for (size_t i = 1; i < count; i++) {
        least = values[i] < least ? values[i] : least;
        greatest = values[i] > greatest ? values[i] : greatest;
    }
    size_t wanted = count / IN_STRETCH;
    stretches->least = least;
    stretches->count = wanted < STRETCHES_MAX ? wanted : STRETCHES_MAX;
    stretches->scale = (double)(stretches->count - 1) / (greatest - least);
    return greatest > least && isfinite(greatest - least) && isfinite(stretches->scale);
}

/* Where each stretch begins; once the values are in place, where it ends. */
LAUKA_UNCHECKED static void stretches_count(struct stretches *stretches, const double *values,
                                            size_t count)
{
    uint32_t begin = 0;
    for (size_t i = 0; i < count; i++)
        stretches->ends[stretch_of(stretches, values[i])]++;
    for (size_t s = 0; s < stretches->count; s++) {
        uint32_t here = stretches->ends[s];
        stretches->ends[s] = begin;
        begin += here;
    }
}

LAUKA_UNCHECKED static void insert_sorted_doubles(double *values, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        double value = values[i];
        size_t place = i;
        for (; place > 0 && values[place - 1] > value; place--)
            values[place] = values[place - 1];
        values[place] = value;
    }
}

/* If most values lie in one stretch, because an outlier makes the stretches wide, they are sorted by their
 * digits. */
static int stretches_sort(const struct stretches *stretches, double *values)
{
    uint32_t begin = 0;
    int error = 0;
    for (size_t s = 0; s < stretches->count && !error; s++) {
        size_t count = stretches->ends[s] - begin;
        if (count <= FEW)
            insert_sorted_doubles(values + begin, count);
        else
            error = sort_by_keys(values + begin, count);
        begin = stretches->ends[s];
    }
    return error;
}

LAUKA_UNCHECKED static void stretches_deal(struct stretches *stretches, const double *values,
                                           size_t count, double *to)
{
    for (size_t i = 0; i < count; i++)
        to[stretches->ends[stretch_of(stretches, values[i])]++] = values[i];
}

static int sort_by_stretches(struct stretches *stretches, double *values, double *scratch,
                             size_t count)
{
    stretches_count(stretches, values, count);
    stretches_deal(stretches, values, count, scratch);
    memcpy(values, scratch, count * sizeof *values);
    return stretches_sort(stretches, values);
}

int lauka_sort_doubles(double *values, size_t count)
{
    struct stretches stretches = {0};
    if (count == 0)
        return 0;
    if (count <= SOME || count > UINT32_MAX || !stretches_measure(&stretches, values, count))
        return sort_by_keys(values, count);
    double *scratch = malloc(count * sizeof *scratch);
    stretches.ends = calloc(stretches.count, sizeof *stretches.ends);
    int error =
        scratch && stretches.ends ? sort_by_stretches(&stretches, values, scratch, count) : ENOMEM;
    free(scratch);
    free(stretches.ends);
    return error;
}

double lauka_double_between(double low, double high)
{
    uint64_t first = key_of(low), last = key_of(high);
    return value_of(first + (last - first) / 2);
}

double lauka_sorted_median(const uint64_t *sorted, size_t count)
{
    uint64_t low = sorted[(count - 1) / 2], high = sorted[count / 2];
    return (double)((lauka_uint128)low + high) / 2;
}

uint64_t lauka_sorted_quantile(const uint64_t *sorted, size_t count, uint32_t rank)
{
    return sorted[lauka_rank_count(rank, count) - 1];
}

/* ---- single ranks ------------------------------------------------------------------------------- */

enum { PARTS = 1 << 14 };

/* A series divided into parts of equal width, and the values of those parts that hold a wanted rank. */
struct parts {
    uint64_t least;
    unsigned shift;
    uint32_t counts[PARTS];
    bool wanted[PARTS];
};

static size_t part_of(const struct parts *parts, uint64_t value)
{
    return (size_t)((value - parts->least) >> parts->shift);
}

/* Narrow and wide values apart, as asking for each value which it is takes longer than counting it. */
LAUKA_UNCHECKED static void parts_count(struct parts *parts, const struct lauka_series *series)
{
    const uint64_t *wide = series->wide;
    const uint32_t *narrow = series->narrow;
    for (size_t i = 0; wide && i < series->count; i++)
        if (wide[i] != LAUKA_MISSING)
            parts->counts[part_of(parts, wide[i])]++;
    for (size_t i = 0; !wide && i < series->count; i++)
        if (narrow[i] != UINT32_MAX)
            parts->counts[part_of(parts, narrow[i])]++;
}

/* indices[i] becomes the value's index among those to be collected. Returns how many these are. */
static size_t parts_want(struct parts *parts, size_t *indices, size_t count)
{
    size_t before = 0, collected = 0, i = 0;
    for (size_t p = 0; p < PARTS && i < count; p++) {
        size_t end = before + parts->counts[p];
        parts->wanted[p] = indices[i] < end;
        for (; i < count && indices[i] < end; i++)
            indices[i] = collected + indices[i] - before;
        collected += parts->wanted[p] ? parts->counts[p] : 0;
        before = end;
    }
    return collected;
}

LAUKA_UNCHECKED static void parts_collect(const struct parts *parts,
                                          const struct lauka_series *series, uint64_t *collected)
{
    for (size_t i = 0; i < series->count; i++) {
        uint64_t value = lauka_series_at(series, i);
        if (value != LAUKA_MISSING && parts->wanted[part_of(parts, value)])
            *collected++ = value;
    }
}

static void parts_read(const struct parts *parts, const size_t *indices, size_t count,
                       uint64_t *selected)
{
    size_t end = 0, i = 0;
    for (size_t p = 0; p < PARTS && i < count; p++) {
        end += parts->counts[p];
        for (; i < count && indices[i] < end; i++)
            selected[i] = parts->least + p;
    }
}

static int select_from(struct parts *parts, const struct lauka_series *series, size_t *indices,
                       size_t count, uint64_t *selected)
{
    parts_count(parts, series);
    if (parts->shift == 0) { /* a part is a value: of counts that hardly vary, many are the same */
        parts_read(parts, indices, count, selected);
        return 0;
    }
    size_t size = parts_want(parts, indices, count);
    uint64_t *collected = malloc(size * sizeof *collected);
    if (!collected)
        return ENOMEM;
    parts_collect(parts, series, collected);
    int error = lauka_sort_integers(collected, size);
    for (size_t i = 0; i < count && !error; i++)
        selected[i] = collected[indices[i]];
    free(collected);
    return error;
}

static int select_from_few(const struct lauka_series *series, const size_t *indices, size_t count,
                           uint64_t *selected)
{
    uint64_t *values = malloc((series->count + 1) * sizeof *values);
    if (!values)
        return ENOMEM;
    int error = lauka_sort_integers(values, lauka_series_measured(series, values));
    for (size_t i = 0; i < count && !error; i++)
        selected[i] = values[indices[i]];
    free(values);
    return error;
}

int lauka_series_select(const struct lauka_series *series, uint64_t least, uint64_t greatest,
                        const size_t *indices, size_t count, uint64_t *selected)
{
    size_t own[LAUKA_SELECT_MAX];
    if (series->count < PARTS)
        return select_from_few(series, indices, count, selected);
    struct parts *parts = calloc(1, sizeof *parts);
    if (!parts)
        return ENOMEM;
    assert(count <= LAUKA_SELECT_MAX);
    memcpy(own, indices, count * sizeof *own);
    parts->least = least;
    while ((greatest - least) >> parts->shift >= PARTS)
        parts->shift++;
    int error = select_from(parts, series, own, count, selected);
    free(parts);
    return error;
}

/* summary: what a series comes to. Quartiles and fences are computed in integers, so that a value
 * on a fence falls on the same side on every machine. */
__extension__ typedef __int128 int128;

/* Quartiles 1, 2 and 3 lie at or after the value of rank below[i], by a fourth of `share` of the way to
 * the next one: type 7 of Hyndman & Fan, at (count - 1) * quartile / 4. */
struct quartiles {
    size_t indices[6];
    unsigned share[3];
    uint64_t values[6];
};

static void find_indices(struct quartiles *quartiles, size_t count)
{
    for (size_t i = 0; i < 3; i++) {
        size_t steps = (count - 1) % 4 * (i + 1), index = (count - 1) / 4 * (i + 1) + steps / 4;
        quartiles->share[i] = steps % 4;
        quartiles->indices[2 * i] = index;
        quartiles->indices[2 * i + 1] = steps % 4 ? index + 1 : index;
    }
}

/* Four times the quartile, which is an integer; the second is the median. */
static int128 four_times(const struct quartiles *quartiles, size_t i)
{
    int128 share = (int128)quartiles->share[i];
    return (int128)quartiles->values[2 * i] * (4 - share) +
           (int128)quartiles->values[2 * i + 1] * share;
}

/* Rounded down, and what no value can be is the least or the greatest that one can. */
static uint64_t an_eighth(int128 number)
{
    if (number < 0)
        return 0;
    return number / 8 > (int128)UINT64_MAX ? UINT64_MAX : (uint64_t)(number / 8);
}

/* Of measured values, which have 32 bits, as the limits have here: so several are looked at in one instruction. */
LAUKA_UNCHECKED static uint64_t count_beyond(const uint32_t *values, size_t count, uint64_t least,
                                             uint64_t greatest)
{
    uint32_t low = least < UINT32_MAX ? (uint32_t)least : UINT32_MAX;
    uint32_t high = greatest < UINT32_MAX ? (uint32_t)greatest : UINT32_MAX - 1;
    uint64_t beyond = 0;
    for (size_t i = 0; i < count; i++)
        beyond += (values[i] != UINT32_MAX) & ((values[i] < low) | (values[i] > high));
    return beyond;
}

/* Tukey's fences: 1.5 quartile distances beyond the quartiles (Exploratory Data Analysis
 * 1977, 2D). All is times eight here. */
LAUKA_UNCHECKED static uint64_t count_outliers(const struct lauka_series *series, int128 first,
                                               int128 third)
{
    int128 low = 2 * first - 3 * (third - first), high = 2 * third + 3 * (third - first);
    uint64_t least = an_eighth(low + 7), greatest = an_eighth(high), outliers = 0;
    if (!series->wide)
        return count_beyond(series->narrow, series->count, least, greatest);
    for (size_t i = 0; i < series->count; i++) {
        uint64_t value = series->wide[i];
        outliers += value != LAUKA_MISSING && (value < least || value > greatest);
    }
    return outliers;
}

static int summarize_order(const struct lauka_series *series, struct lauka_summary *summary)
{
    struct quartiles quartiles;
    find_indices(&quartiles, summary->count);
    int error = lauka_series_select(series, summary->min, summary->max, quartiles.indices, 6,
                                    quartiles.values);
    if (error)
        return error;
    int128 first = four_times(&quartiles, 0), third = four_times(&quartiles, 2);
    summary->first_quartile = (double)first / 4;
    summary->median = (double)four_times(&quartiles, 1) / 4;
    summary->third_quartile = (double)third / 4;
    summary->outliers = count_outliers(series, first, third);
    return 0;
}

static void summarize_moments(const struct lauka_series *series, struct lauka_summary *summary)
{
    struct lauka_moments moments;
    lauka_moments_of(series, &moments);
    summary->count = moments.count;
    summary->missing = series->count - moments.count;
    if (moments.count == 0)
        return;
    struct lauka_optional variance = lauka_moments_variance(&moments);
    summary->min = moments.min;
    summary->max = moments.max;
    summary->mean = lauka_moments_mean(&moments);
    summary->stddev = (struct lauka_optional){variance.known, sqrt(variance.value)};
}

int lauka_summarize(const struct lauka_series *series, struct lauka_summary *summary)
{
    *summary = (struct lauka_summary){0};
    summarize_moments(series, summary);
    int error = summary->count > 0 ? summarize_order(series, summary) : 0;
    if (error)
        *summary = (struct lauka_summary){0};
    return error;
}
