/* places: what being first in a round costs where rounds have more than two runs. One pair of commands has
 * few rounds in which either of them came first, but some command always did: all together tell the cost,
 * and it is taken off the pair's differences. That the cost is one for all is an assumption; where it fails,
 * what is left is noise as before.
 *
 * Orders are drawn, so that a pair's difference hardly depends on what is taken off: false claims stay
 * within 5 % (tests/bench/README.md). It is taken off only where it is clear. */
#include "stats/places.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* With fewer rounds, what is taken off is itself too uncertain: of equal commands, 6.2 % of sessions claimed a
 * difference with 8 rounds of three, 6.4 % with 8 of four, 5.8 % with 7 of five. */
static size_t fewest_rounds(size_t commands)
{
    return commands < 5 ? 10 : 8;
}

static int locate(double *values, size_t count, struct lauka_location *location)
{
    const struct lauka_differences differences = {.values = values, .length = count};
    int error = lauka_sort_doubles(values, count);
    return error ? error : lauka_locate_signed_rank(&differences, LAUKA_ALPHA_FIXED, location);
}

/* Logarithms less the round's mean. False if a value is missing or 0. */
static bool put_round(const struct lauka_series *const *series, size_t commands, size_t round,
                      double *to)
{
    double sum = 0;
    for (size_t c = 0; c < commands; c++) {
        uint64_t value = lauka_series_at(series[c], round);
        if (value == 0 || value == LAUKA_MISSING)
            return false;
        to[c] = log((double)value);
        sum += to[c];
    }
    for (size_t c = 0; c < commands; c++)
        to[c] -= sum / (double)commands;
    return true;
}

struct table {
    double *values;  /* commands of each round that is whole */
    uint32_t *first; /* of each such round */
    double *column;
    size_t commands, rounds;
};

static void fill(struct table *table, const struct lauka_series *const *series,
                 const uint32_t *order)
{
    for (size_t i = 0; i < series[0]->count; i++)
        if (put_round(series, table->commands, i, table->values + table->rounds * table->commands))
            table->first[table->rounds++] = order[i * table->commands];
}

/* Takes off each value of the command what it is where it is not the first. */
static int centre(struct table *table, size_t command)
{
    struct lauka_location location;
    size_t count = 0;
    for (size_t i = 0; i < table->rounds; i++)
        if (table->first[i] != command)
            table->column[count++] = table->values[i * table->commands + command];
    if (count == 0)
        return 0;
    int error = locate(table->column, count, &location);
    for (size_t i = 0; i < table->rounds && !error; i++)
        table->values[i * table->commands + command] -= location.estimate;
    return error;
}

static int cost_of(struct table *table, double *cost)
{
    struct lauka_location location;
    int error = 0;
    for (size_t c = 0; c < table->commands && !error; c++)
        error = centre(table, c);
    for (size_t i = 0; i < table->rounds; i++)
        table->column[i] = table->values[i * table->commands + table->first[i]];
    if (!error)
        error = locate(table->column, table->rounds, &location);
    if (!error && location.low.known && (location.low.value > 0 || location.high.value < 0))
        *cost = location.estimate;
    return error;
}

int lauka_places_cost(const struct lauka_series *const *series, size_t commands,
                      const uint32_t *order, double *cost)
{
    size_t rounds = series[0]->count;
    struct table table = {
        .values = malloc((rounds * commands + 1) * sizeof *table.values),
        .first = malloc((rounds + 1) * sizeof *table.first),
        .column = malloc((rounds + 1) * sizeof *table.column),
        .commands = commands,
    };
    int error = table.values && table.first && table.column ? 0 : ENOMEM;
    *cost = 0;
    if (!error)
        fill(&table, series, order);
    if (!error && table.rounds >= fewest_rounds(commands))
        error = cost_of(&table, cost);
    free(table.values);
    free(table.first);
    free(table.column);
    return error;
}
