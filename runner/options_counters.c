/* Options of what is counted. */
#include "runner/option_table.h"

#include <string.h>

static bool parse_backend(const char *text, struct lauka_options *options,
                          struct lauka_error *error)
{
    const char *scenario = strchr(text, ':');
    size_t length = scenario ? (size_t)(scenario - text) : strlen(text);

    options->simulated = strncmp(text, "simulated", length) == 0 && length == strlen("simulated");
    if (!options->simulated)
        return lauka_fail(
            error, LAUKA_EXIT_USAGE,
            "--backend %.100s: the only one that can be chosen is simulated[:SCENARIO]", text);
    if (scenario && !lauka_scenario_parse(scenario + 1, &options->scenario))
        return lauka_fail(error, LAUKA_EXIT_USAGE,
                          "--backend %.100s: scenarios are full, no-pmu, denied, multiplexed, "
                          "user-only, hybrid and fail-ERRNO[-POSITION]",
                          text);
    return true;
}

static bool parse_events(const char *text, struct lauka_options *options, struct lauka_error *error)
{
    char why[700];

    options->events_given = true;
    return lauka_event_list_add(&options->events, text, LAUKA_SYSFS, why, sizeof why) ||
           lauka_fail(error, LAUKA_EXIT_USAGE, "--events: %s", why);
}

static bool parse_multiplex(const char *text, struct lauka_options *options,
                            struct lauka_error *error)
{
    bool rounds = strcmp(text, "rounds") == 0;

    options->multiplex = rounds ? LAUKA_MULTIPLEX_ROUNDS : LAUKA_MULTIPLEX_TIME;
    return rounds || strcmp(text, "time") == 0 ||
           lauka_fail(error, LAUKA_EXIT_USAGE, "--multiplex %.100s: time or rounds is needed",
                      text);
}

bool option_take_counter(int id, const char *text, struct lauka_options *options,
                         struct lauka_error *error)
{
    switch (id) {
    case OPTION_EVENTS:
        return parse_events(text, options, error);
    case OPTION_MULTIPLEX:
        return parse_multiplex(text, options, error);
    case OPTION_LIST:
        options->verb = LAUKA_VERB_LIST;
        return true;
    case OPTION_BACKEND:
        return parse_backend(text, options, error);
    case OPTION_NO_MULTIPLEX:
        options->multiplex = LAUKA_MULTIPLEX_NEVER;
        return true;
    default: /* OPTION_REQUIRE_COUNTERS: the group has no other */
        options->require_counters = true;
        return true;
    }
}
