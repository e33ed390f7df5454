/* --read: figures that commands report themselves, in what they write to stdout or to a descriptor. */
#include "runner/options/options.h"
#include "runner/options/table.h"
#include "runner/options/values.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/options.h"

#include <string.h>

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

/* NAME[:UNIT][=REGEX], taken apart; nothing is copied. */
struct parts {
    const char *name, *unit, *pattern; /* NULL: not given */
    size_t name_length, unit_length;
};

static struct parts take_apart(const char *text)
{
    struct parts parts = {.name = text, .name_length = strcspn(text, ":=")};
    const char *rest = text + parts.name_length;

    if (*rest == ':') {
        parts.unit = ++rest;
        parts.unit_length = strcspn(rest, "=");
        rest += parts.unit_length;
    }
    if (*rest == '=')
        parts.pattern = rest + 1;
    return parts;
}

static bool check_name(const char *text, const struct parts *parts, struct lauka_error *error)
{
    size_t good = strspn(parts->name, LETTERS "0123456789_-./");

    return (parts->name_length > 1 && good >= parts->name_length && strchr(LETTERS, *text)) ||
           lauka_fail(error, LAUKA_EXIT_USAGE,
                      "--read %.200s: expected NAME[:UNIT][=REGEX], with a NAME of two or more "
                      "letters, digits and _-./",
                      text);
}

static bool find_unit(const char *text, const struct parts *parts,
                      const struct lauka_figure_unit **unit, struct lauka_error *error)
{
    char list[300];

    *unit = parts->unit ? lauka_figure_unit_find(parts->unit, parts->unit_length)
                        : lauka_figure_unit_find("1", 1);
    if (*unit)
        return true;
    lauka_figure_units_list(list, sizeof list);
    return lauka_fail(error, LAUKA_EXIT_USAGE, "--read %.200s: unknown unit %.*s; the units are %s",
                      text, (int)(parts->unit_length < 40 ? parts->unit_length : 40), parts->unit,
                      list);
}

static bool check_pattern(const char *text, const char *pattern, struct lauka_error *error)
{
    char why[300];
    struct lauka_pattern *made = lauka_pattern_make(pattern, why, sizeof why);

    lauka_pattern_free(made);
    return made || lauka_fail(error, LAUKA_EXIT_USAGE, "--read %.200s: %s", text, why);
}

/* A later option for one command replaces what was given for all. */
static struct lauka_figure *place_for(struct lauka_command *command, const struct parts *parts)
{
    for (size_t i = 0; i < command->figure_count; i++) {
        struct lauka_figure *figure = &command->figures[i];
        if (strlen(figure->name) == parts->name_length &&
            strncmp(figure->name, parts->name, parts->name_length) == 0)
            return figure;
    }
    struct lauka_figure *figure =
        lauka_arena_add(command->arena, &command->figures, &command->figure_count, sizeof *figure);
    figure->name = lauka_arena_piece(command->arena, parts->name, parts->name_length);
    return figure;
}

bool option_give_figure(const char *text, struct lauka_command *command, struct lauka_error *error)
{
    const struct parts parts = take_apart(text);
    const struct lauka_figure_unit *unit;

    if (!check_name(text, &parts, error) || !find_unit(text, &parts, &unit, error) ||
        (parts.pattern && !check_pattern(text, parts.pattern, error)))
        return false;
    struct lauka_figure *figure = place_for(command, &parts);
    figure->unit = unit;
    figure->pattern = parts.pattern;
    return true;
}

/* ---- once all are given ----------------------------------------------------------------------------- */

static bool check_units(const struct lauka_options *options, const struct lauka_command *command,
                        struct lauka_error *error)
{
    const struct lauka_figure *figures[LAUKA_FIGURES_MAX];
    size_t count = lauka_figures_find(options->commands, options->command_count, figures);

    for (size_t i = 0; i < command->figure_count; i++)
        for (size_t f = 0; f < count; f++)
            if (strcmp(figures[f]->name, command->figures[i].name) == 0 &&
                strcmp(figures[f]->unit->unit, command->figures[i].unit->unit) != 0)
                return lauka_fail(error, LAUKA_EXIT_USAGE,
                                  "--read %.100s: one command has it in %s, and another in %s",
                                  figures[f]->name, figures[f]->unit->typed,
                                  command->figures[i].unit->typed);
    return count < LAUKA_FIGURES_MAX ||
           lauka_fail(error, LAUKA_EXIT_USAGE, "--read: up to %d figures can be read",
                      LAUKA_FIGURES_MAX - 1);
}

static bool lead_output(struct lauka_command *command, struct lauka_error *error)
{
    const struct lauka_figure *written = NULL;

    for (size_t i = 0; i < command->figure_count; i++) {
        const struct lauka_figure *figure = &command->figures[i];
        written = figure->pattern ? figure : written;
        command->reports = command->reports || !figure->pattern;
    }
    if (written && command->output != LAUKA_OUTPUT_NULL)
        return lauka_fail(error, LAUKA_EXIT_USAGE,
                          "--read %.100s=...: stdout is read, but --output sends it "
                          "elsewhere: leave --output out, or let the command write \"%.100s VALUE "
                          "UNIT\" to the descriptor $LAUKA_REPORT_FD, for --read %.100s",
                          written->name, written->name, written->name);
    if (written)
        command->output = LAUKA_OUTPUT_KEPT;
    return true;
}

bool option_check_figures(struct lauka_options *options, struct lauka_error *error)
{
    for (size_t c = 0; c < options->command_count; c++) {
        struct lauka_command *command = &options->commands[c];
        if (command->figure_count == 0)
            continue;
        if (options->pretended)
            return lauka_fail(error, LAUKA_EXIT_USAGE,
                              "--read reads what commands write; --backend=simulated runs nothing");
        if (!check_units(options, command, error) || !lead_output(command, error))
            return false;
    }
    return true;
}
