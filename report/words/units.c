/* Rounds that share units: how far the units lie apart, or that there are too few. */
#include "report/words/words.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "stats/stats.h"
#include "stats/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* Among the main metric's comparisons, the one whose units lie furthest apart; NULL if it is known for
 * none. */
static const struct lauka_comparison *furthest_apart(const struct lauka_result *result,
                                                     size_t metric)
{
    const struct lauka_comparison *furthest = NULL;
    for (size_t c = 1; c < result->command_count; c++) {
        const struct lauka_comparison *one = lauka_result_comparison(result, c, metric);
        if (one && one->log_ratio.known && one->within.known && one->between.known &&
            (!furthest || one->between.value > furthest->between.value))
            furthest = one;
    }
    return furthest;
}

static void say_spread(const struct lauka_result *result, char *text, size_t size)
{
    size_t metric = lauka_result_main_metric(result);
    const struct lauka_comparison *values = furthest_apart(result, metric);
    const enum lauka_unit kind = result->benchmark.units.kind;
    char between[32], within[32];
    if (!values)
        return;
    const char *noun = lauka_metric_noun(result->metrics[metric].name);
    lauka_format_share(expm1(values->between.value), between, sizeof between);
    lauka_format_share(expm1(values->within.value), within, sizeof within);
    snprintf(text, size,
             "; %" PRIu64
             " %s: the change in %s varies by %s from one to the next, by %s from round "
             "to round within one",
             values->units, lauka_units_name(kind), *noun ? noun : result->metrics[metric].name,
             between, within);
}

void lauka_units_clause(const struct lauka_result *result, bool utf8, char *text, size_t size)
{
    struct lauka_units units;
    const enum lauka_unit kind = result->benchmark.units.kind;
    text[0] = '\0';
    if (!lauka_result_units(result, &units))
        return;
    if (lauka_result_has_layouts(result)) {
        lauka_layouts_clause(result, utf8, text, size);
        return;
    }
    uint64_t count = lauka_result_unit_count(result);
    if (count >= units.least)
        say_spread(result, text, size);
    else
        snprintf(text, size, "; %" PRIu64 " %s: too few for an interval, which takes %" PRIu64,
                 count, count == 1 ? lauka_unit_name(kind) : lauka_units_name(kind), units.least);
}
