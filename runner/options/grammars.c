/* Options whose values have a grammar of their own. */
#include "runner/options/options.h"
#include "runner/options/table.h"
#include "report/text/text.h"
#include "runner/base/base.h"
#include "runner/options.h"
#include "pmu/apple/apple.h"
#include "pmu/counters/counters.h"
#include "pmu/events/events.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static bool parse_color(const char *text, struct lauka_options *options, struct lauka_error *error)
{
    if (strcmp(text, "auto") == 0)
        options->color = LAUKA_COLOR_AUTO;
    else if (strcmp(text, "always") == 0 || strcmp(text, "ansi") == 0) /* poop's word */
        options->color = LAUKA_COLOR_ALWAYS;
    else if (strcmp(text, "never") == 0)
        options->color = LAUKA_COLOR_NEVER;
    else
        return lauka_fail(error, LAUKA_EXIT_USAGE, "--color %.100s: expected auto, always or never",
                          text);
    return true;
}

static bool parse_style(const char *text, struct lauka_options *options, struct lauka_error *error)
{
    static const struct {
        const char *name;
        enum lauka_color_choice color;
        bool no_progress, no_table;
    } styles[] = {
        {"auto", LAUKA_COLOR_AUTO, false, false},   {"basic", LAUKA_COLOR_NEVER, true, false},
        {"full", LAUKA_COLOR_ALWAYS, false, false}, {"nocolor", LAUKA_COLOR_NEVER, false, false},
        {"color", LAUKA_COLOR_ALWAYS, true, false}, {"none", LAUKA_COLOR_AUTO, true, true},
    };

    for (size_t i = 0; i < sizeof styles / sizeof *styles; i++)
        if (strcmp(text, styles[i].name) == 0) {
            options->color = styles[i].color;
            options->no_progress = styles[i].no_progress;
            options->no_table = styles[i].no_table;
            return true;
        }
    return lauka_fail(error, LAUKA_EXIT_USAGE,
                      "--style %.100s: expected auto, basic, full, nocolor, color or none", text);
}

static bool check_unit(const char *text, struct lauka_error *error)
{
    return lauka_scale_named(text, "ns") ||
           lauka_fail(error, LAUKA_EXIT_USAGE, "--time-unit %.100s: expected ns, us, ms or s",
                      text);
}

static bool parse_sort(const char *text, struct lauka_options *options, struct lauka_error *error)
{
    options->sorted = strcmp(text, "mean-time") == 0;
    return options->sorted || strcmp(text, "auto") == 0 || strcmp(text, "command") == 0 ||
           lauka_fail(error, LAUKA_EXIT_USAGE, "--sort %.100s: expected auto, command or mean-time",
                      text);
}

/* It is the last of the labels by now. */
static bool check_label(const char *text, const struct lauka_texts *labels,
                        struct lauka_error *error)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-";
    enum { KEY_MOST = 64 };
    size_t length = strcspn(text, "=");

    if (text[length] != '=' || length == 0 || length > KEY_MOST || strspn(text, letters) != length)
        return lauka_fail(error, LAUKA_EXIT_USAGE,
                          "--label %.200s: expected KEY=VALUE, with a KEY of letters, digits, '_', "
                          "'-' and '.', %d at most",
                          text, KEY_MOST);
    for (size_t i = 0; i + 1 < labels->count; i++)
        if (strncmp(labels->texts[i], text, length + 1) == 0)
            return lauka_fail(error, LAUKA_EXIT_USAGE, "--label %.200s: %.*s has a value already",
                              text, (int)length, text);
    return true;
}

bool lauka_outputs_take_stdout(const struct lauka_options *options)
{
    for (size_t i = 0; i < LAUKA_DOCUMENTS; i++)
        if (options->outputs[i].wanted && !options->outputs[i].path)
            return true;
    return false;
}

/* ---- what is counted ------------------------------------------------------------------------- */

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

/* ---- what is run ---------------------------------------------------------------------------------- */

static bool parse_codes(const char *text, struct lauka_options *options, struct lauka_error *error)
{
    if (!text || strcmp(text, "all-non-zero") == 0) {
        options->accept_all_failures = true;
        return true;
    }
    size_t code;
    for (const char *next; *text; text = next) {
        next = option_next_code(text, &code);
        if (!next)
            return lauka_fail(
                error, LAUKA_EXIT_USAGE,
                "--ignore-failure=%.100s: expected exit codes from 0 to 255, separated by commas",
                text);
        options->accept_exit_code[code] = true;
    }
    return true;
}

static bool parse_shell(const char *text, struct lauka_options *options, struct lauka_error *error)
{
    options->shell = strcmp(text, "none") == 0      ? NULL
                     : strcmp(text, "default") == 0 ? LAUKA_SHELL
                                                    : text;
    return *text ||
           lauka_fail(error, LAUKA_EXIT_USAGE,
                      "--shell is empty: 'default' is " LAUKA_SHELL ", 'none' is no shell");
}

/* ---- all of them ---------------------------------------------------------------------------------- */

bool option_take_own(int id, const char *text, char *const *rest, struct lauka_options *options,
                     struct lauka_error *error)
{
    switch (id) {
    case OPTION_PARAMETER_SCAN:
    case OPTION_PARAMETER_LIST:
        return option_take_parameter(id, text, rest, options, error);
    case OPTION_IGNORE:
    case OPTION_ALLOW:
        return parse_codes(text, options, error);
    case OPTION_SHELL:
    case OPTION_SHELL_MODE:
    case OPTION_NO_SHELL:
        return parse_shell(text, options, error);
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
    case OPTION_BACKEND:
        return parse_backend(text, options, error);
    case OPTION_PIN:
        return check_cores("pin", text, true, error);
    case OPTION_REQUIRE_CORE:
        return check_cores("require-core", text, false, error);
    case OPTION_TIME_UNIT:
        return check_unit(text, error);
    case OPTION_LABEL:
        return check_label(text, &options->labels, error);
    case OPTION_SORT:
        return parse_sort(text, options, error);
    case OPTION_STYLE:
        return parse_style(text, options, error);
    case OPTION_COLOR:
        return parse_color(text, options, error);
    case OPTION_LIST:
        options->verb = LAUKA_VERB_LIST;
        return true;
    case OPTION_VERSION:
        options->verb = LAUKA_VERB_VERSION;
        options->help_form = text;
        return true;
    default: /* OPTION_HELP, OPTION_HELP_BRIEF: the table has no other */
        options->verb = LAUKA_VERB_HELP;
        options->short_help = id == OPTION_HELP_BRIEF;
        options->help_form = text;
        return true;
    }
}
