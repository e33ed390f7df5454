/* series: values, and what they come to. First exact sums of integers, from which mean and variance follow at the end. Integer sums
 * commute, so shards merge to the same bits in any order; a running mean (Welford) would not. */
#include "stats/loops.h"
#include "stats/stats.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- whole numbers of 192 bits, modulo 2^192 ---------------------------------------------------- */

struct wide {
    uint64_t high; /* in 2^128 */
    lauka_uint128 low;
};

static struct wide multiply(lauka_uint128 left, uint64_t right)
{
    lauka_uint128 lower = (lauka_uint128)(uint64_t)left * right;
    lauka_uint128 upper = (left >> 64) * right;
    lauka_uint128 low = lower + (upper << 64);
    return (struct wide){(uint64_t)(upper >> 64) + (low < lower), low};
}

static struct wide add(struct wide left, struct wide right)
{
    lauka_uint128 low = left.low + right.low;
    return (struct wide){left.high + right.high + (low < left.low), low};
}

static struct wide subtract(struct wide left, struct wide right)
{
    return (struct wide){left.high - right.high - (left.low < right.low), left.low - right.low};
}

/* ---- moments ------------------------------------------------------------------------------------ */

void lauka_moments_init(struct lauka_moments *moments)
{
    *moments = (struct lauka_moments){.min = UINT64_MAX};
}

void lauka_moments_add_count(struct lauka_moments *moments, uint64_t value, uint64_t count)
{
    if (count == 0)
        return;
    struct lauka_moments values = {
        .count = count,
        .min = value,
        .max = value,
        .sum = (lauka_uint128)value * count,
    };
    struct wide squares = multiply((lauka_uint128)value * value, count);
    values.squares_carry = squares.high;
    values.sum_of_squares = squares.low;
    lauka_moments_merge(moments, &values);
}

void lauka_moments_merge(struct lauka_moments *into, const struct lauka_moments *from)
{
    into->count += from->count;
    into->sum += from->sum;
    struct wide squares = add((struct wide){into->squares_carry, into->sum_of_squares},
                              (struct wide){from->squares_carry, from->sum_of_squares});
    into->squares_carry = squares.high;
    into->sum_of_squares = squares.low;
    if (from->min < into->min)
        into->min = from->min;
    if (from->max > into->max)
        into->max = from->max;
}

void lauka_moments_scale(struct lauka_moments *moments, uint64_t factor)
{
    struct wide squares = {moments->squares_carry, moments->sum_of_squares};
    for (int i = 0; i < 2; i++) {
        struct wide low = multiply(squares.low, factor);
        squares = (struct wide){squares.high * factor + low.high, low.low};
    }
    moments->squares_carry = squares.high;
    moments->sum_of_squares = squares.low;
    moments->sum *= factor;
    if (moments->count == 0)
        return; /* the smallest of none */
    moments->min *= factor;
    moments->max *= factor;
}

double lauka_moments_mean(const struct lauka_moments *moments)
{
    if (moments->count == 0)
        return 0;

    /* The whole part and the rest are divided separately, so the mean of a constant is that constant, even
     * if the sum has no exact double. */
    lauka_uint128 whole = moments->sum / moments->count;
    lauka_uint128 rest = moments->sum % moments->count;
    return (double)whole + (double)rest / (double)moments->count;
}

/* sum((v - m)^2), m the whole number next to the mean: n m^2 - 2 m sum(v) + sum(v^2). It is below
 * 2^192, as each square is below 2^128. */
static struct wide squares_around(const struct lauka_moments *moments, uint64_t m)
{
    struct wide product = multiply(moments->sum, m);
    struct wide squares = {moments->squares_carry, moments->sum_of_squares};
    squares = add(squares, multiply((lauka_uint128)m * m, moments->count));
    return subtract(subtract(squares, product), product);
}

struct lauka_optional lauka_moments_variance(const struct lauka_moments *moments)
{
    if (moments->count < 2)
        return (struct lauka_optional){0};

    /* All is exact up to here. The rest then takes m to the true mean:
     * sum((v - mean)^2) = sum((v - m)^2) - rest^2 / n. */
    lauka_uint128 n = moments->count;
    lauka_uint128 rest = moments->sum % n;
    struct wide around = squares_around(moments, (uint64_t)(moments->sum / n));
    struct wide whole = subtract(around, (struct wide){.low = rest * rest / n});
    double part = (double)(rest * rest % n) / (double)n;
    double squares = (double)whole.high * 0x1p128 + (double)whole.low;
    return lauka_known((squares - part) / (double)(n - 1));
}

/* With fewer than 2^32 values of 32 bits, neither sum needs the higher words. */
LAUKA_UNCHECKED static void add_narrow(const uint32_t *values, size_t count,
                                       struct lauka_moments *moments)
{
    uint64_t sum = 0, missing = 0;
    uint32_t least = UINT32_MAX, greatest = 0;
    lauka_uint128 squares = 0;
    for (size_t i = 0; i < count; i++) {
        bool measured = values[i] != UINT32_MAX;
        uint32_t value = measured ? values[i] : 0;
        missing += !measured;
        sum += value;
        squares += (uint64_t)value * value;
        least = values[i] < least ? values[i] : least;
        greatest = value > greatest ? value : greatest;
    }
    moments->count = count - missing;
    moments->sum = sum;
    moments->sum_of_squares = squares;
    moments->min = moments->count > 0 ? least : UINT64_MAX;
    moments->max = greatest;
}

void lauka_moments_of(const struct lauka_series *series, struct lauka_moments *moments)
{
    lauka_moments_init(moments);
    if (!series->wide && series->count <= UINT32_MAX) {
        add_narrow(series->narrow, series->count, moments);
        return;
    }
    for (size_t i = 0; i < series->count; i++) {
        uint64_t value = lauka_series_at(series, i);
        if (value != LAUKA_MISSING)
            lauka_moments_add(moments, value);
    }
}

/* series: the values of one metric of one command, kept in run order, because pairing by round and
 * drift need the order. Room is made between runs, so that none is timed with it. */
int lauka_series_reserve(struct lauka_series *series, size_t capacity)
{
    if (capacity <= series->capacity)
        return 0;
    if (capacity > SIZE_MAX / sizeof *series->wide)
        return ENOMEM;

    void *memory = series->wide ? (void *)series->wide : (void *)series->narrow;
    memory = realloc(memory, capacity * sizeof *series->wide);
    if (!memory)
        return ENOMEM;
    if (series->wide)
        series->wide = memory;
    else
        series->narrow = memory;
    series->capacity = capacity;
    return 0;
}

void lauka_series_trim(struct lauka_series *series)
{
    void *memory = series->wide ? (void *)series->wide : (void *)series->narrow;
    if (series->count == series->capacity || series->count == 0)
        return;
    memory = realloc(memory, series->count * sizeof *series->wide);
    if (!memory)
        return;
    if (series->wide)
        series->wide = memory;
    else
        series->narrow = memory;
    series->capacity = series->count;
}

static bool fits(uint64_t value)
{
    return value < UINT32_MAX || value == LAUKA_MISSING;
}

/* In place, from the back: what is written over was read before. By memcpy, as compilers may think
 * that integers of different types never lie in the same place, and change the order. */
uint64_t *lauka_series_widen(struct lauka_series *series)
{
    if (series->wide)
        return series->wide;
    uint64_t *wide = (uint64_t *)(void *)series->narrow;
    for (size_t i = series->count; i-- > 0;) {
        uint64_t value = lauka_series_at(series, i);
        memcpy(wide + i, &value, sizeof value);
    }
    series->narrow = NULL;
    series->wide = wide;
    return wide;
}

static void put(struct lauka_series *series, size_t i, uint64_t value)
{
    if (!fits(value))
        lauka_series_widen(series);
    if (series->wide)
        series->wide[i] = value;
    else
        series->narrow[i] = (uint32_t)value; /* LAUKA_MISSING becomes UINT32_MAX */
}

void lauka_series_set(struct lauka_series *series, size_t i, uint64_t value)
{
    assert(i < series->count);
    put(series, i, value);
}

void lauka_series_add(struct lauka_series *series, uint64_t value)
{
    assert(series->count < series->capacity);
    put(series, series->count, value);
    series->count++;
}

/* How many of the first ones fit into 32 bits, and are added. */
LAUKA_UNCHECKED static size_t add_fitting(struct lauka_series *series, const uint64_t *values,
                                          size_t count)
{
    uint32_t *to = series->narrow + series->count;
    size_t i = 0;
    for (; i < count && fits(values[i]); i++)
        to[i] = (uint32_t)values[i];
    series->count += i;
    return i;
}

void lauka_series_add_all(struct lauka_series *series, const uint64_t *values, size_t count)
{
    assert(count <= series->capacity - series->count);
    if (count == 0)
        return; /* an empty series has no address to count from */
    for (size_t i = series->wide ? 0 : add_fitting(series, values, count); i < count; i++)
        lauka_series_add(series, values[i]);
}

size_t lauka_series_measured(const struct lauka_series *series, uint64_t *values)
{
    size_t count = 0;

    for (size_t i = 0; i < series->count; i++) {
        uint64_t value = lauka_series_at(series, i);
        if (value != LAUKA_MISSING)
            values[count++] = value;
    }
    return count;
}

int lauka_series_pick(struct lauka_series *to, const struct lauka_series *from,
                      const struct lauka_series *partner)
{
    int error = lauka_series_reserve(to, from->count);
    for (size_t i = 0; !error && i < from->count; i++)
        if (lauka_series_at(from, i) != LAUKA_MISSING &&
            (!partner || lauka_series_at(partner, i) != LAUKA_MISSING))
            lauka_series_add(to, lauka_series_at(from, i));
    return error;
}

uint32_t *lauka_series_marks(const struct lauka_series *reference, const struct lauka_series *other,
                             const uint32_t *marks, size_t stride)
{
    uint32_t *selected = calloc(reference->count + 1, sizeof *selected);
    size_t count = 0;
    for (size_t i = 0; selected && i < reference->count; i++)
        if (lauka_series_at(reference, i) != LAUKA_MISSING &&
            lauka_series_at(other, i) != LAUKA_MISSING)
            selected[count++] = marks[i * stride];
    return selected;
}

void lauka_series_done(struct lauka_series *series)
{
    free(series->wide);
    free(series->narrow);
    *series = (struct lauka_series){0};
}
