/* series: the values of one metric of one command, kept in run order, because pairing by round and
 * drift need the order. Room is made between runs, so that none is timed with it. */
#include "stats.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

int lauka_series_reserve(struct lauka_series *series, size_t capacity)
{
    if (capacity <= series->capacity)
        return 0;
    if (capacity > SIZE_MAX / sizeof *series->values)
        return ENOMEM;

    uint64_t *values = realloc(series->values, capacity * sizeof *values);
    if (!values)
        return ENOMEM;
    series->values = values;
    series->capacity = capacity;
    return 0;
}

void lauka_series_add(struct lauka_series *series, uint64_t value)
{
    assert(series->count < series->capacity);
    series->values[series->count++] = value;
}

void lauka_series_done(struct lauka_series *series)
{
    free(series->values);
    *series = (struct lauka_series){0};
}
