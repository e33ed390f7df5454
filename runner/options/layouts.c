/* --layouts: every command becomes as many programs as there are layouts, which do the same and lie differently
 * in memory: {layout} in its words, hooks, files and environment is a number from 1 on. */
#include "runner/options/options.h"
#include "runner/options/table.h"
#include "runner/options/values.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/launch/launch.h"
#include "runner/options.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLACE "{layout}"
enum { LAYOUTS_MAX = 1000 };

char *lauka_layout_fill(const char *text, const char *place, const char *value)
{
    size_t size = strlen(text) + 1, each = strlen(value);

    for (const char *at = text; (at = strstr(at, place)); at += strlen(place))
        size += each;
    char *filled = malloc(size), *end = filled;
    for (const char *at; filled && (at = strstr(text, place)); text = at + strlen(place)) {
        memcpy(end, text, (size_t)(at - text));
        end += at - text;
        memcpy(end, value, each);
        end += each;
    }
    if (filled)
        memcpy(end, text, strlen(text) + 1);
    return filled;
}

/* ---- one program --------------------------------------------------------------------------------- */

static bool fill(const char *from, const char *number, char **to)
{
    *to = from ? lauka_layout_fill(from, PLACE, number) : NULL;
    return *to || !from;
}

static bool fill_all(char *const *from, const char *number, char ***to)
{
    size_t count = lauka_words_count((const char *const *)from);

    *to = NULL;
    if (!from)
        return true;
    *to = calloc(count + 1, sizeof **to);
    for (size_t i = 0; *to && i < count; i++)
        if (!fill(from[i], number, &(*to)[i]))
            return false;
    return *to != NULL;
}

static bool copy_figures(const struct lauka_command *from, struct lauka_command *to)
{
    bool good = true;

    to->figures = calloc(from->figure_count + 1, sizeof *to->figures);
    for (size_t i = 0; to->figures && good && i < from->figure_count; i++) {
        struct lauka_figure *figure = &to->figures[to->figure_count++];
        *figure = from->figures[i];
        figure->name = strdup(from->figures[i].name);
        figure->pattern = from->figures[i].pattern ? strdup(from->figures[i].pattern) : NULL;
        good = figure->name && (figure->pattern || !from->figures[i].pattern);
    }
    return to->figures && good;
}

static bool copy_command(const struct lauka_command *from, uint64_t layout,
                         struct lauka_command *to)
{
    char number[24];
    bool good;

    snprintf(number, sizeof number, "%" PRIu64, layout);
    *to = *from;
    to->label = to->side = to->path = to->directory = to->output_file = to->input_file = NULL;
    to->argv = to->environment = NULL;
    to->parameters = NULL;
    to->parameter_count = 0;
    to->pretence = NULL;
    to->link = NULL;
    to->figures = NULL; /* nothing is owned twice */
    to->figure_count = 0;
    memset(to->hooks, 0, sizeof to->hooks);
    good = fill_all(from->argv, number, &to->argv) &&
           fill_all(from->environment, number, &to->environment) &&
           fill(from->directory, number, &to->directory) &&
           fill(from->output_file, number, &to->output_file) &&
           fill(from->input_file, number, &to->input_file) && copy_figures(from, to) &&
           (to->label = strdup(from->label)) != NULL;
    for (int hook = 0; hook < LAUKA_HOOKS; hook++)
        good = good && fill(from->hooks[hook], number, &to->hooks[hook]);
    return good;
}

/* ---- all of them --------------------------------------------------------------------------------- */

static bool has_place(const struct lauka_command *command)
{
    bool found = false;

    for (char **word = command->argv; *word; word++)
        found = found || strstr(*word, PLACE);
    return found;
}

static bool check(const struct lauka_options *options, struct lauka_error *error)
{
    if (options->layouts > LAYOUTS_MAX || options->layouts < 2)
        return lauka_fail(error, LAUKA_EXIT_USAGE, "--layouts: expected a number from 2 to %d",
                          LAYOUTS_MAX);
    if (options->order == LAUKA_ORDER_SEQUENTIAL || options->no_samples || options->valgrind)
        return lauka_fail(error, LAUKA_EXIT_USAGE, "--layouts cannot be combined with %s",
                          options->no_samples ? "--no-samples, as units need single runs"
                          : options->valgrind
                              ? "--counters=valgrind, as layouts do not change counts"
                              : "--order=sequential, as layouts are drawn in pairs");
    for (size_t c = 0; c < options->command_count; c++)
        if (!has_place(&options->commands[c]))
            return lauka_fail(error, LAUKA_EXIT_USAGE,
                              "--layouts: `%.200s` has no {layout}, which stands for the number of "
                              "a layout: ./a-{layout} for ./a-1, ./a-2 ...",
                              options->commands[c].label);
    return true;
}

/* A file that a shell finds along PATH is nobody's to build. */
static bool attach_links(struct lauka_options *options, struct lauka_error *error)
{
    struct option_sides among = option_sides_of(options);

    if (!option_check_texts("link", &options->links, among, error))
        return false;
    for (size_t c = 0; c < options->command_count; c++) {
        struct lauka_command *command = &options->commands[c];
        const char *text = option_text_for(&options->links, c, among);
        if (!text)
            continue;
        if (!strstr(text, "{out}") || !strchr(command->argv[0], '/') ||
            !strstr(command->argv[0], PLACE))
            return lauka_fail(error, LAUKA_EXIT_USAGE,
                              "--link builds {out}, the file that `%.200s` executes: name both, "
                              "as in --link 'cc -o {out} ...' ./a-{layout}",
                              command->label);
        command->link = lauka_command_substitute(command, text);
        if (!command->link)
            return lauka_fail_memory(error);
    }
    return true;
}

bool option_make_layouts(struct lauka_options *options, struct lauka_error *error)
{
    if (options->layouts == 0)
        return options->links.count == 0 ||
               lauka_fail(error, LAUKA_EXIT_USAGE,
                          "--link goes with --layouts N: it builds each layout");
    if (!check(options, error) || !attach_links(options, error))
        return false;
    size_t count = options->command_count * options->layouts;
    options->variants = calloc(count, sizeof *options->variants);
    options->variant_count = count;
    if (!options->variants)
        return lauka_fail_memory(error);
    for (size_t v = 0; v < count; v++)
        if (!copy_command(&options->commands[v / options->layouts], v % options->layouts + 1,
                          &options->variants[v]))
            return lauka_fail_memory(error);
    struct lauka_options acting;
    lauka_layouts_act(options, &acting);
    return options->verb == LAUKA_VERB_REVISIONS || /* no directories yet */
           lauka_pretence_read_all(&acting, error);
}

void lauka_layouts_act(const struct lauka_options *options, struct lauka_options *acting)
{
    *acting = *options;
    if (options->layouts > 0) {
        acting->commands = options->variants;
        acting->command_count = options->command_count * options->layouts;
    }
}

void option_layouts_done(struct lauka_options *options)
{
    for (size_t v = 0; options->variants && v < options->variant_count; v++)
        lauka_command_done(&options->variants[v]);
    free(options->variants);
    free(options->links.texts);
    options->links = (struct lauka_texts){0};
    options->variants = NULL;
    options->variant_count = 0;
}
