/* Rounds that share units, in files that are compared: those of two sessions do not pair, their units do. */
#include "report/load/loader.h"
#include "report/result/result.h"
#include "stats/stats.h"
#include "stats/units.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* Scratch of as many as there are rounds. */
struct values {
    double *values;
    uint32_t *of;
    size_t room;
};

/* Those that are there, each with its unit; how many. */
static size_t gather(const struct lauka_series *series, const uint32_t *of, struct values *into)
{
    size_t count = 0;
    for (size_t i = 0; i < series->count && i < into->room; i++) {
        uint64_t value = lauka_series_at(series, i);
        if (value == LAUKA_MISSING)
            continue;
        into->values[count] = (double)value;
        into->of[count++] = of[i];
    }
    return count;
}

/* Medians come in the order of their units; a unit of which nothing is there has none. */
static int collapse_series(struct lauka_series *series, const struct lauka_result_units *units,
                           struct values *scratch)
{
    struct lauka_series medians = {0};
    struct lauka_spread ignored;
    bool *present = calloc(units->count + 1, sizeof *present);
    size_t count = gather(series, units->of, scratch), next = 0;
    if (!present)
        return ENOMEM;
    for (size_t i = 0; i < count; i++)
        present[scratch->of[i]] = true;
    int failure = lauka_units_collapse(scratch->values, scratch->of, false, &count, &ignored);
    if (!failure)
        failure = lauka_series_reserve(&medians, units->count);
    for (uint64_t u = 0; u < units->count && !failure; u++)
        lauka_series_add(&medians,
                         present[u] ? (uint64_t)llround(scratch->values[next++]) : LAUKA_MISSING);
    free(present);
    if (failure)
        return failure;
    lauka_series_done(series);
    *series = medians;
    return 0;
}

static int collapse_all(struct lauka_result *result, struct values *scratch)
{
    int failure = 0;
    for (size_t c = 0; c < result->command_count && !failure; c++) {
        struct lauka_result_command *command = &result->commands[c];
        for (size_t m = 0; m < result->metric_count && !failure; m++)
            if (command->series && command->series[m].count > 0)
                failure = collapse_series(&command->series[m], &result->benchmark.units, scratch);
        free(command->exit_codes);
        command->exit_codes = NULL;
    }
    return failure;
}

int lauka_result_collapse_units(struct lauka_result *result)
{
    struct lauka_result_units *units = &result->benchmark.units;
    struct lauka_units ignored;
    const uint64_t rounds = result->run.rounds;
    if (!lauka_result_units(result, &ignored) || units->count >= rounds)
        return 0; /* each is one */
    struct values scratch = {calloc(rounds + 1, sizeof *scratch.values),
                             calloc(rounds + 1, sizeof *scratch.of), rounds};
    int failure = scratch.values && scratch.of ? collapse_all(result, &scratch) : ENOMEM;
    free(scratch.values);
    free(scratch.of);
    free(result->run.order);
    free(result->run.layout);
    result->run.order = NULL;
    result->run.layout = NULL;
    result->run.rounds = units->count;
    for (uint32_t u = 0; u < units->count; u++)
        units->of[u] = u;
    return failure;
}

int lauka_result_copy_units(const struct lauka_result *from, struct lauka_result *to)
{
    const struct lauka_result_units *units = &from->benchmark.units;
    struct lauka_units ignored;
    to->benchmark.units = (struct lauka_result_units){.kind = units->kind, .count = units->count};
    if (!lauka_result_units(from, &ignored))
        return 0;
    to->benchmark.units.of = calloc(from->run.rounds + 1, sizeof *units->of);
    for (uint64_t i = 0; to->benchmark.units.of && i < from->run.rounds; i++)
        to->benchmark.units.of[i] = units->of[i];
    return to->benchmark.units.of ? 0 : ENOMEM;
}
