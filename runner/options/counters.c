/* Options of what is counted. */
#include "runner/options/table.h"
#include "runner/options/values.h"
#include "pmu/apple/apple.h"
#include "pmu/counters/counters.h"
#include "pmu/events/events.h"
#include "runner/base/base.h"
#include "runner/options.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static bool parse_backend(const char *text, struct lauka_options *options,
                          struct lauka_error *error)
{
    const char *scenario = strchr(text, ':');
    size_t length = scenario ? (size_t)(scenario - text) : strlen(text);

    options->pretended = strncmp(text, "simulated", length) == 0 && length == strlen("simulated");
    if (!options->pretended)
        return lauka_fail(error, LAUKA_EXIT_USAGE,
                          "--backend %.100s: expected simulated or simulated:SCENARIO", text);
    if (scenario && !lauka_scenario_parse(scenario + 1, &options->scenario))
        return lauka_fail(
            error, LAUKA_EXIT_USAGE,
            "--backend %.100s: scenarios are full, no-pmu, denied, multiplexed[-COUNTERS], "
            "user-only, hybrid, hybrid-apart, hybrid-alike, effects and fail-ERRNO[-POSITION]",
            text);
    return true;
}

/* What the names mean depends on the machine that they are for: --chip may follow. */
static bool keep_events(const char *text, struct lauka_options *options, struct lauka_error *error)
{
    options->events_given = true;
    if (strcmp(text, "none") == 0)
        return true;
    if (options->event_text_count == LAUKA_COUNTERS_MAX)
        return lauka_fail(error, LAUKA_EXIT_USAGE, "--events: too many; 48 is the limit");
    options->event_texts[options->event_text_count++] = text;
    return true;
}

static bool choose_chip(const char *text, struct lauka_options *options, struct lauka_error *error)
{
    options->chip = lauka_apple_chip_find(text);
    if (options->chip)
        return true;
    char known[400] = "";
    size_t count, used = 0;
    const struct lauka_apple_chip *chips = lauka_apple_chips(&count);
    for (size_t i = 0; i < count && used < sizeof known; i++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "",
                                 chips[i].name);
    return lauka_fail(error, LAUKA_EXIT_USAGE,
                      "--chip %.100s: unknown chip; expected a product (M1 ... M5) or one of %s",
                      text, known);
}

static bool parse_period(const char *text, struct lauka_options *options, struct lauka_error *error)
{
    if (strcmp(text, "0") == 0) {
        options->period_ns = LAUKA_PERIOD_NEVER;
        return true;
    }
    return option_parse_duration("period", text, &options->period_ns, error);
}

/* The names of cores are known only once the machine was examined: names other than the usual ones are
 * PMUs', such as "cortex_a53". */
static bool may_be_cores(const char *text)
{
    static const char *const names[] = {"P", "E", "M", "M2", "LP-E"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(text, names[i]) == 0)
            return true;
    return isalpha((unsigned char)*text) && strchr(text, '_');
}

static bool check_cores(const char *option, const char *text, bool list, struct lauka_error *error)
{
    struct lauka_cpu_set ignored;

    return may_be_cores(text) || (list && lauka_cpu_set_parse(text, &ignored)) ||
           lauka_fail(error, LAUKA_EXIT_USAGE, "--%s %.100s: expected %sP or E", option, text,
                      list ? "a list of CPUs such as 0-3,6, or " : "");
}

static bool parse_counters(const char *text, struct lauka_options *options,
                           struct lauka_error *error)
{
    options->valgrind = strcmp(text, "valgrind") == 0;
    if (strcmp(text, "none") == 0)
        return keep_events("none", options, error);
    return options->valgrind || strcmp(text, "pmu") == 0 ||
           lauka_fail(error, LAUKA_EXIT_USAGE, "--counters %.100s: expected pmu, valgrind or none",
                      text);
}

/* How long each command is sampled; by default long enough for changes of a few per cent. */
static bool parse_sampled(const char *text, struct lauka_options *options,
                          struct lauka_error *error)
{
    options->sampled_given = true;
    options->sampled_ns = text ? 0 : LAUKA_SAMPLED_NS;
    return !text || strcmp(text, "0") == 0 || strcmp(text, "0s") == 0 ||
           option_parse_duration("sampled", text, &options->sampled_ns, error);
}

bool option_take_counter(int id, const char *text, struct lauka_options *options,
                         struct lauka_error *error)
{
    switch (id) {
    case OPTION_PERIOD:
        return parse_period(text, options, error);
    case OPTION_EVENTS:
        return keep_events(text, options, error);
    case OPTION_COUNTERS:
        return parse_counters(text, options, error);
    case OPTION_SAMPLED:
        return parse_sampled(text, options, error);
    case OPTION_CHIP:
        return choose_chip(text, options, error);
    case OPTION_LIST:
        options->verb = LAUKA_VERB_LIST;
        return true;
    case OPTION_BACKEND:
        return parse_backend(text, options, error);
    case OPTION_PIN:
        return check_cores("pin", text, true, error);
    default: /* OPTION_REQUIRE_CORE: the group has no other */
        return check_cores("require-core", text, false, error);
    }
}
