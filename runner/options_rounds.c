/* Options of how often, how long and in which order commands run. */
#include "runner/option_table.h"
#include "runner/option_values.h"

bool option_take_rounds(int id, const char *text, struct lauka_options *options,
                        struct lauka_error *error)
{
    switch (id) {
    case OPTION_WARMUP:
        return option_parse_count("warmup", text, 0, &options->warmup, error);
    case OPTION_RUNS:
        return option_parse_count("runs", text, 1, &options->rounds, error);
    case OPTION_MAX_TIME:
        options->min_rounds = 3;
        return option_parse_duration("max-time", text, &options->max_time_ns, error);
    case OPTION_MIN_TIME:
        return option_parse_duration("min-time", text, &options->min_time_ns, error);
    case OPTION_UNTIL:
        return option_parse_percent("until", text, &options->until, error);
    case OPTION_PRIMARY:
        options->primary = text;
        return true;
    default: /* OPTION_SEED: the group has no other */
        return option_parse_count("seed", text, 0, &options->seed, error);
    }
}
