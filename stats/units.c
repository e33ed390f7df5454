/* units: one value for all that share what was drawn once. */
#include "stats/units.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

int lauka_units_count(const uint32_t *unit, size_t count, uint64_t *units)
{
    *units = 0;
    uint64_t *sorted = malloc((count + 1) * sizeof *sorted);
    if (!sorted)
        return ENOMEM;
    for (size_t i = 0; i < count; i++)
        sorted[i] = unit[i];
    int error = lauka_sort_integers(sorted, count);
    for (size_t i = 0; i < count && !error; i++)
        *units += i == 0 || sorted[i] != sorted[i - 1];
    free(sorted);
    return error;
}

struct entry {
    uint32_t unit;
    double value;
};

static int by_unit_and_value(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    if (a->unit != b->unit)
        return a->unit < b->unit ? -1 : 1;
    return (a->value > b->value) - (a->value < b->value);
}

static double mean_of(const struct entry *entries, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += entries[i].value;
    return sum / (double)count;
}

static double median_of(const struct entry *entries, size_t count)
{
    double upper = entries[count / 2].value;
    return count % 2 ? upper : (entries[count / 2 - 1].value + upper) / 2;
}

/* Sums of squares, as they grow unit by unit. */
struct variance {
    double within, between, squares; /* squares: of the units' numbers of rounds */
    double grand;                    /* mean of all rounds */
};

static void add_unit(struct variance *variance, const struct entry *entries, size_t count)
{
    double mean = mean_of(entries, count), size = (double)count;
    for (size_t i = 0; i < count; i++)
        variance->within += (entries[i].value - mean) * (entries[i].value - mean);
    variance->between += size * (mean - variance->grand) * (mean - variance->grand);
    variance->squares += size * size;
}

static struct lauka_spread spread_of(const struct variance *variance, size_t rounds, size_t units)
{
    struct lauka_spread spread = {0};
    double total = (double)rounds, groups = (double)units;
    if (rounds == units)
        return spread;
    double within = variance->within / (total - groups);
    spread.within = lauka_known(sqrt(within));
    if (units < 2)
        return spread;
    double typical = (total - variance->squares / total) / (groups - 1); /* rounds of a unit */
    double between = (variance->between / (groups - 1) - within) / typical;
    spread.between = lauka_known(sqrt(fmax(0, between)));
    return spread;
}

static size_t collapse(double *values, const struct entry *entries, size_t count, bool by_mean,
                       struct lauka_spread *spread)
{
    struct variance variance = {.grand = mean_of(entries, count)};
    size_t units = 0, from = 0;
    while (from < count) {
        size_t end = from + 1;
        while (end < count && entries[end].unit == entries[from].unit)
            end++;
        add_unit(&variance, entries + from, end - from);
        values[units++] =
            by_mean ? mean_of(entries + from, end - from) : median_of(entries + from, end - from);
        from = end;
    }
    *spread = spread_of(&variance, count, units);
    return units;
}

int lauka_units_collapse(double *values, const uint32_t *unit, bool by_mean, size_t *count,
                         struct lauka_spread *spread)
{
    *spread = (struct lauka_spread){0};
    if (*count == 0)
        return 0;
    struct entry *entries = malloc(*count * sizeof *entries);
    if (!entries)
        return ENOMEM;
    for (size_t i = 0; i < *count; i++)
        entries[i] = (struct entry){unit[i], values[i]};
    qsort(entries, *count, sizeof *entries, by_unit_and_value);
    *count = collapse(values, entries, *count, by_mean, spread);
    free(entries);
    return 0;
}
