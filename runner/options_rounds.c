/* Options of how often, how long and in which order commands run. */
#include "runner/option_table.h"
#include "runner/option_values.h"

#include <stdlib.h>
#include <string.h>

/* Bare numbers are milliseconds here. */
static bool parse_interval(const char *text, uint64_t *ns, struct lauka_error *error)
{
    bool bare = *text && strspn(text, "0123456789") == strlen(text) && strlen(text) < 10;
    bool good = bare || lauka_parse_duration(text, ns);

    if (bare)
        *ns = strtoull(text, NULL, 10) * 1000000;
    return (good && *ns > 0) ||
           lauka_fail(error, LAUKA_EXIT_USAGE,
                      "--interval %.100s: a time above 0 is needed, as in 100 (milliseconds) or 2s",
                      text);
}

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
    case OPTION_INTERVAL:
        return parse_interval(text, &options->interval_ns, error);
    default: /* OPTION_SEED: the group has no other */
        return option_parse_count("seed", text, 0, &options->seed, error);
    }
}
