/* How much the layout of a program alone changes its figures, according to a session with --layouts. */
#include "report/words/words.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "stats/stats.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

bool lauka_result_has_layouts(const struct lauka_result *result)
{
    return result->benchmark.units.kind == LAUKA_UNIT_LAYOUT && result->run.rounds > 0;
}

/* Of the values of pairs: both layouts of one move it, which are alike as a rule. A log ratio becomes a share. */
static struct lauka_optional spread_of(const struct lauka_result *result, size_t metric)
{
    struct lauka_optional most = {0};
    for (size_t c = 1; c < result->command_count; c++) {
        const struct lauka_comparison *values = lauka_result_comparison(result, c, metric);
        if (!values || !values->between.known || !values->log_ratio.known)
            continue;
        double share = expm1(values->between.value / sqrt(2));
        most = lauka_known(fmax(most.value, share));
    }
    return most;
}

void lauka_layouts_clause(const struct lauka_result *result, bool utf8, char *text, size_t size)
{
    size_t metric = lauka_result_main_metric(result);
    uint64_t count = result->benchmark.units.count;
    struct lauka_optional spread = {0};
    char share[32];
    if (metric < result->metric_count)
        spread = spread_of(result, metric);
    if (count < LAUKA_FEWEST_LAYOUTS)
        snprintf(text, size, "; %" PRIu64 " layouts each: a verdict needs at least %d", count,
                 LAUKA_FEWEST_LAYOUTS);
    else if (result->command_count == 1)
        snprintf(text, size, "; %" PRIu64 " layouts", count);
    else if (!spread.known && result->run.stopped == LAUKA_STOPPED_STORED)
        text[0] = '\0'; /* their rounds are no longer there */
    else if (!spread.known)
        snprintf(text, size,
                 "; %" PRIu64
                 " layouts each: the effect of layout alone takes two rounds of each pair",
                 count);
    else
        snprintf(text, size, "; %" PRIu64 " layouts each; layout alone moves %s by %s%s", count,
                 lauka_metric_noun(result->metrics[metric].name), utf8 ? "±" : "+-",
                 lauka_format_share(spread.value, share, sizeof share));
}
