/* Options of how often, how long and in which order commands run. */
#include "runner/options/table.h"
#include "runner/options/values.h"
#include "report/text/text.h"
#include "runner/base/base.h"
#include "runner/options.h"
#include "stats/stats.h"

#include <stdio.h>
#include <string.h>

/* Bare numbers are milliseconds here, as they are poop's. */
static bool parse_milliseconds(const char *option, const char *text, uint64_t *ns,
                               struct lauka_error *error)
{
    char with_unit[40];
    bool bare = text[strspn(text, "0123456789.")] == '\0';

    snprintf(with_unit, sizeof with_unit, "%.36s%s", text, bare ? "ms" : "");
    return (lauka_parse_duration(with_unit, ns) && *ns > 0) ||
           lauka_fail(error, LAUKA_EXIT_USAGE,
                      "--%s %.100s: a time above 0 is needed, as in 100 (milliseconds) or 2s", option,
                      text);
}

static bool parse_order(const char *text, enum lauka_order *order, struct lauka_error *error)
{
    static const char *const names[] = {
        [LAUKA_ORDER_SHUFFLE] = "shuffle",
        [LAUKA_ORDER_ABBA] = "abba",
        [LAUKA_ORDER_ROTATE] = "rotate",
        [LAUKA_ORDER_SEQUENTIAL] = "sequential",
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(text, names[i]) == 0) {
            *order = (enum lauka_order)i;
            return true;
        }
    return lauka_fail(error, LAUKA_EXIT_USAGE,
                      "--order %.100s: shuffle, abba, rotate or sequential is needed", text);
}

bool option_take_rounds(int id, const char *text, struct lauka_options *options,
                        struct lauka_error *error)
{
    switch (id) {
    case OPTION_WARMUP:
        return option_parse_count("warmup", text, 0, &options->warmup, error);
    case OPTION_RUNS:
        return option_parse_count("runs", text, 1, &options->rounds, error);
    case OPTION_MIN_RUNS:
        return option_parse_count("min-runs", text, 1, &options->min_rounds, error);
    case OPTION_MAX_RUNS:
        return option_parse_count("max-runs", text, 1, &options->max_rounds, error);
    case OPTION_DURATION:
        options->has_max_time = true;
        return parse_milliseconds("duration", text, &options->max_time_ns, error);
    case OPTION_MAX_TIME:
        options->has_max_time = true;
        return option_parse_duration("max-time", text, &options->max_time_ns, error);
    case OPTION_MIN_TIME:
        return option_parse_duration("min-time", text, &options->min_time_ns, error);
    case OPTION_UNTIL:
        return option_parse_percent("until", text, &options->until, error);
    case OPTION_PRIMARY:
        options->primary = text;
        return true;
    case OPTION_ORDER:
        return parse_order(text, &options->order, error);
    case OPTION_INTERVAL:
        return parse_milliseconds("interval", text, &options->interval_ns, error);
    default: /* OPTION_SEED: the group has no other */
        return option_parse_count("seed", text, 0, &options->seed, error);
    }
}

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
    options->min_rounds_given = options->min_rounds > 0;
    if (!options->min_rounds) {
        options->min_rounds = options->has_max_time ? 3 : LAUKA_FIRST_LOOK;
        if (options->max_rounds && options->max_rounds < options->min_rounds)
            options->min_rounds = options->max_rounds;
    }
    return true;
}
