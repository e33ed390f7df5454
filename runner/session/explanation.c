/* Which functions made the difference, according to valgrind's counts; or why that is not known. */
#include "runner/session/valgrind_runs.h"
#include "pmu/valgrind/valgrind.h"
#include "report/result/result.h"
#include "runner/attribution/attribution.h"
#include "runner/command/command.h"
#include "runner/options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Whether all that the command did is known by function. */
static bool is_whole(const struct lauka_valgrind_command *command)
{
    bool whole = true;

    for (size_t run = 0; run < LAUKA_VALGRIND_RUNS; run++)
        whole = whole && command->runs[run].gap == LAUKA_VALGRIND_NO_GAP &&
                !command->profiles[run].damaged;
    return whole;
}

static struct lauka_attribution_side side_of(const struct lauka_valgrind_runs *runs, size_t c)
{
    const struct lauka_valgrind_command *command = &runs->commands[c];
    struct lauka_attribution_side side = {.program = runs->options->commands[c].path};

    for (size_t run = 0; run < LAUKA_VALGRIND_RUNS; run++) {
        side.runs[run] = &command->profiles[run];
        side.totals[run] = command->runs[run].counts[LAUKA_VALGRIND_INSTRUCTIONS];
    }
    return side;
}

static int refuse(const char *label, struct lauka_why *why)
{
    char reason[300];

    snprintf(reason, sizeof reason,
             "valgrind could not follow all of `%.200s`, so its functions are not compared", label);
    why->standing = LAUKA_WHY_UNKNOWN;
    why->reason = strdup(reason);
    return why->reason ? 0 : ENOMEM;
}

static int explain(const struct lauka_valgrind_runs *runs, size_t c, struct lauka_result *result)
{
    struct lauka_why *why = lauka_whys_add(&result->whys);
    const struct lauka_attribution_side sides[2] = {side_of(runs, 0), side_of(runs, c)};

    if (!why)
        return ENOMEM;
    why->command = c;
    if (!is_whole(&runs->commands[0]) || !is_whole(&runs->commands[c]))
        return refuse(result->commands[is_whole(&runs->commands[0]) ? c : 0].label, why);
    return lauka_attribution_make(sides, why);
}

int lauka_valgrind_runs_explain(const struct lauka_valgrind_runs *runs, struct lauka_result *result)
{
    int error = 0;

    result->whys.asked = runs->options->why;
    for (size_t c = 1; c < result->command_count && !error; c++)
        error = explain(runs, c, result);
    return error;
}
