/* --layouts: every command becomes as many programs as there are layouts, which do the same and lie differently
 * in memory: {layout} in its words, hooks, files and environment is a number from 1 on. */
#include "runner/options/options.h"
#include "runner/options/table.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/launch/launch.h"
#include "runner/options.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define PLACE "{layout}"
enum { LAYOUTS_MAX = 1000 };

char *lauka_layout_fill(struct lauka_arena *arena, const char *text, uint64_t layout)
{
    char name[] = "layout", number[24];
    struct lauka_parameter_value value = {name, number};
    const struct lauka_command filled = {
        .arena = arena, .parameters = &value, .parameter_count = 1};

    snprintf(number, sizeof number, "%" PRIu64, layout);
    return lauka_command_substitute(&filled, text);
}

/* ---- one program --------------------------------------------------------------------------------- */

static void fill(struct lauka_command *command, uint64_t layout, char **text)
{
    if (*text)
        *text = lauka_layout_fill(command->arena, *text, layout);
}

static void fill_all(struct lauka_command *command, uint64_t layout, char ***texts)
{
    size_t count = lauka_words_count((const char *const *)*texts);

    if (!*texts)
        return;
    char **own = lauka_arena_take(command->arena, (count + 1) * sizeof *own);
    memcpy(own, *texts, count * sizeof *own);
    for (size_t i = 0; i < count; i++)
        fill(command, layout, &own[i]);
    *texts = own;
}

static void make_layout(struct lauka_command *command, uint64_t layout)
{
    command->side = command->link = NULL;
    command->parameter_count = 0;
    fill_all(command, layout, &command->argv);
    fill_all(command, layout, &command->environment);
    fill(command, layout, &command->directory);
    fill(command, layout, &command->output_file);
    fill(command, layout, &command->input_file);
    for (int hook = 0; hook < LAUKA_HOOKS; hook++)
        fill(command, layout, &command->hooks[hook]);
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
    if (options->run.layouts > LAYOUTS_MAX || options->run.layouts < 2)
        return lauka_misuse(error, "--layouts: expected a number from 2 to %d", LAYOUTS_MAX);
    if (options->measure.order == LAUKA_ORDER_SEQUENTIAL || options->measure.no_samples ||
        options->measure.valgrind)
        return lauka_misuse(error, "--layouts cannot be combined with %s",
                            options->measure.no_samples ? "--no-samples, as units need single runs"
                            : options->measure.valgrind
                                ? "--counters=valgrind, as layouts do not change counts"
                                : "--order=sequential, as layouts are drawn in pairs");
    for (size_t c = 0; c < options->run.command_count; c++)
        if (!has_place(&options->run.commands[c]))
            return lauka_misuse(error,
                                "--layouts: `%.200s` has no {layout}, which stands for the number "
                                "of a layout: ./a-{layout} for ./a-1, ./a-2 ...",
                                options->run.commands[c].label);
    return true;
}

/* A file that a shell finds along PATH is nobody's to build. */
static bool attach_link(int ignored, const char *text, struct lauka_command *command,
                        struct lauka_error *error)
{
    (void)ignored;
    command->link = lauka_command_substitute(command, text);
    return (strstr(text, "{out}") && strchr(command->argv[0], '/') &&
            strstr(command->argv[0], PLACE)) ||
           lauka_misuse(error,
                        "--link builds {out}, the file that `%.200s` executes: name both, as in "
                        "--link 'cc -o {out} ...' ./a-{layout}",
                        command->label);
}

bool option_make_layouts(struct lauka_options *options, struct lauka_error *error)
{
    if (options->run.layouts == 0)
        return options->run.links.count == 0 ||
               lauka_misuse(error, "--link goes with --layouts N: it builds each layout");
    if (!check(options, error) ||
        !option_spread(options, "link", &options->run.links, 0, attach_link, error))
        return false;
    size_t count = options->run.command_count * options->run.layouts;
    options->run.variants = lauka_arena_take(options->arena, count * sizeof *options->run.variants);
    options->run.variant_count = count;
    for (size_t v = 0; v < count; v++) {
        options->run.variants[v] = options->run.commands[v / options->run.layouts];
        make_layout(&options->run.variants[v], v % options->run.layouts + 1);
    }
    struct lauka_options acting;
    lauka_layouts_act(options, &acting);
    return options->verb == LAUKA_VERB_REVISIONS || /* no directories yet */
           lauka_pretence_read_all(&acting, error);
}

void lauka_layouts_act(const struct lauka_options *options, struct lauka_options *acting)
{
    *acting = *options;
    if (options->run.layouts > 0) {
        acting->run.commands = options->run.variants;
        acting->run.command_count = options->run.command_count * options->run.layouts;
    }
}
