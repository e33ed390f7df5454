/* --items and --bytes: what a run achieved in its time, and what each item cost. */
#include "runner/metrics/metrics.h"
#include "pmu/events/events.h"
#include "report/result/result.h"
#include "runner/command/command.h"
#include "runner/options.h"
#include "stats/stats.h"

#include <string.h>

enum { DECIMALS = 3 };

/* Rates: how many a second, in units of `scale`; costs: the metric `of`, divided. */
static const struct quotient {
    const char *name, *unit;
    enum lauka_better better;
    bool bytes;     /* otherwise items */
    const char *of; /* of a cost; NULL: a rate */
    double scale;
} quotients[] = {
    {"items_per_second", "1/s", LAUKA_BETTER_HIGHER, false, NULL, 1},
    {"wall_time_per_item", "ns", LAUKA_BETTER_LOWER, false, "wall_time", 1},
    {"cpu_time_per_item", "ns", LAUKA_BETTER_LOWER, false, "cpu_time", 1},
    {"cycles_per_item", "1", LAUKA_BETTER_LOWER, false, "cycles", 1},
    {"instructions_per_item", "1", LAUKA_BETTER_LOWER, false, "instructions", 1},
    {"megabytes_per_second", "MB/s", LAUKA_BETTER_HIGHER, true, NULL, 1e6},
    {"cpu_time_per_byte", "ns", LAUKA_BETTER_LOWER, true, "cpu_time", 1},
};

static bool is_wanted(const struct quotient *quotient, const struct lauka_options *options)
{
    for (size_t c = 0; c < options->command_count; c++)
        if ((quotient->bytes ? options->commands[c].bytes : options->commands[c].items) > 0)
            return true;
    return false;
}

/* The mark of user mode does not matter. */
static size_t find_metric(const struct lauka_result *result, size_t count, const char *name)
{
    size_t length = strlen(name);

    for (size_t m = 0; m < count; m++)
        if (result->metrics[m].counted && strncmp(result->metrics[m].name, name, length) == 0 &&
            (result->metrics[m].name[length] == '\0' || result->metrics[m].name[length] == ':'))
            return m;
    return SIZE_MAX;
}

size_t lauka_throughput_find(const struct lauka_result *result, size_t count,
                             const struct lauka_options *options,
                             struct lauka_throughput found[LAUKA_THROUGHPUT_MAX])
{
    size_t used = 0;

    for (size_t i = 0; i < sizeof quotients / sizeof *quotients; i++) {
        const struct quotient *quotient = &quotients[i];
        size_t of = find_metric(result, count, quotient->of ? quotient->of : "wall_time");
        if (is_wanted(quotient, options) && of != SIZE_MAX)
            found[used++] = (struct lauka_throughput){.name = quotient->name,
                                                      .unit = quotient->unit,
                                                      .better = quotient->better,
                                                      .decimals = DECIMALS,
                                                      .of = of,
                                                      .index = i};
    }
    return used;
}

uint64_t lauka_throughput_value(const struct lauka_throughput *throughput,
                                const struct lauka_command *command, const uint64_t *values)
{
    const struct quotient *quotient = &quotients[throughput->index];
    uint64_t parts = quotient->bytes ? command->bytes : command->items;
    uint64_t cost = values[throughput->of];
    double value;

    if (parts == 0 || cost == LAUKA_MISSING || (!quotient->of && cost == 0))
        return LAUKA_MISSING;
    if (quotient->of)
        value = (double)cost / (double)parts;
    else
        value = (double)parts / quotient->scale / ((double)cost / 1e9);
    value = value * 1000 + 0.5; /* DECIMALS */
    return value < 1e18 ? (uint64_t)value : LAUKA_MISSING;
}
