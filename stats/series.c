/* series: the values of one metric of one command, kept in run order, because pairing by round and
 * drift need the order. Room is made between runs, so that none is timed with it. */
#include "stats/loops.h"
#include "stats/stats.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
LAUKA_UNCHECKED static size_t add_narrow(struct lauka_series *series, const uint64_t *values,
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
    for (size_t i = series->wide ? 0 : add_narrow(series, values, count); i < count; i++)
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
