/* Options of what is written, and how. */
#include "runner/options/options.h"
#include "runner/options/table.h"
#include "runner/options/values.h"
#include "report/text/text.h"
#include "runner/base/base.h"
#include "runner/options.h"

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

bool option_take_output(int id, const char *text, struct lauka_options *options,
                        struct lauka_error *error)
{
    switch (id) {
    case OPTION_TIME_UNIT:
        return check_unit(text, error);
    case OPTION_LABEL:
        return check_label(text, &options->labels, error);
    case OPTION_SORT:
        return parse_sort(text, options, error);
    case OPTION_STYLE:
        return parse_style(text, options, error);
    default: /* OPTION_COLOR: the group has no other */
        return parse_color(text, options, error);
    }
}

bool lauka_outputs_take_stdout(const struct lauka_options *options)
{
    for (size_t i = 0; i < LAUKA_DOCUMENTS; i++)
        if (options->outputs[i].wanted && !options->outputs[i].path)
            return true;
    return false;
}
