/* levels: possible causes of a difference other than the program itself: how its file lies in the page
 * cache, and where the linker put its code. Neither changes the instructions. */
#include "report/analysis/steps.h"
#include "report/result/result.h"
#include "stats/stats.h"

#include <math.h>
#include <string.h>

/* Instructions that differ by less count as equal: the kernel's own work in a run varies as much. */
static const double same_instructions = 0.001;
/* Beyond this, a layout is an unlikely cause: paddings of one source differed by 28 % at most. */
static const double most_of_layout = 0.5;

static bool differs(const struct lauka_comparison *comparison)
{
    return comparison && (comparison->verdict == LAUKA_VERDICT_HIGHER ||
                          comparison->verdict == LAUKA_VERDICT_LOWER);
}

static const struct lauka_comparison *find(const struct lauka_result *result, size_t command,
                                           const char *metric)
{
    return lauka_result_comparison(result, command, lauka_result_metric_index(result, metric));
}

/* The whole interval must say so; if none were counted, nothing does. */
static bool has_same_instructions(const struct lauka_result *result, size_t command)
{
    static const char *const names[] = {"instructions:u", "instructions", "sim_instructions"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct lauka_comparison *counts = find(result, command, names[i]);
        if (counts && counts->log_low.known && counts->log_high.known)
            return counts->log_low.value > -same_instructions &&
                   counts->log_high.value < same_instructions;
    }
    return false;
}

static bool share_a_file(const struct lauka_result *result)
{
    return result->commands[0].executable.placement == LAUKA_PLACEMENT_SHARED;
}

void lauka_levels_doubt(const struct lauka_result *result,
                        struct lauka_result_comparison *comparison)
{
    struct lauka_optional *raised = comparison->doubts.raised;
    const size_t command = comparison->command;
    const struct lauka_comparison *faults = find(result, command, "minor_faults");
    bool is_time = strcmp(result->metrics[comparison->metric].unit, "ns") == 0;

    raised[LAUKA_DOUBT_PLACEMENT] = raised[LAUKA_DOUBT_LAYOUT] = (struct lauka_optional){0};
    if (!is_time || result->run.noise || share_a_file(result) || !differs(&comparison->values) ||
        !has_same_instructions(result, command))
        return;
    if (differs(faults) && faults->mean_ratio.known && faults->mean_ratio.value > 0)
        raised[LAUKA_DOUBT_PLACEMENT] = faults->mean_ratio;
    else if (!result->commands[command].is_same &&
             result->benchmark.units.kind != LAUKA_UNIT_LAYOUT && comparison->values.ratio.known &&
             fabs(comparison->values.ratio.value - 1) < most_of_layout &&
             differs(find(result, command, "cpu_time")))
        raised[LAUKA_DOUBT_LAYOUT] = comparison->values.ratio;
}
