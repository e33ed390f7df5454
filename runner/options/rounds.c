/* Options of how often, how long and in which order commands run. */
#include "runner/options/options.h"
#include "runner/options/table.h"
#include "runner/base/base.h"
#include "runner/options.h"
#include "stats/stats.h"

/* Who counts the rounds and leaves no choice, and who limits it. */
static bool check_rounds(const struct lauka_options *options, struct lauka_error *error)
{
    if (options->rounds && (options->min_rounds || options->max_rounds))
        return lauka_fail(error, LAUKA_EXIT_USAGE,
                          "--runs is a number of rounds, exactly; it does not go with --%s-runs",
                          options->min_rounds ? "min" : "max");
    return !options->max_rounds || options->min_rounds <= options->max_rounds ||
           lauka_fail(error, LAUKA_EXIT_USAGE,
                      "--min-runs %llu is more than --max-runs %llu",
                      (unsigned long long)options->min_rounds,
                      (unsigned long long)options->max_rounds);
}

bool option_finish_rounds(struct lauka_options *options, struct lauka_error *error)
{
    if (!check_rounds(options, error))
        return false;
    options->has_max_time = lauka_arguments_find(options->arguments, OPTION_MAX_TIME) ||
                            lauka_arguments_find(options->arguments, OPTION_DURATION);
    options->min_rounds_given = options->min_rounds > 0;
    if (!options->min_rounds) {
        options->min_rounds = options->has_max_time ? 3 : LAUKA_FIRST_LOOK;
        if (options->max_rounds && options->max_rounds < options->min_rounds)
            options->min_rounds = options->max_rounds;
    }
    return true;
}
