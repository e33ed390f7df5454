/* What is compared with what: commands are the sides of benchmarks. */
#include "report/result/result.h"
#include "report/text/text.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/options.h"
#include "runner/options/options.h"
#include "runner/options/table.h"
#include "runner/options/values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- of the commands ------------------------------------------------------------------------------ */

char *option_name_by_parameters(const char *section, const struct lauka_command *command)
{
    char *text =
        lauka_arena_print(command->arena, "%s%s", section ? section : "", section ? "/" : "");

    for (size_t p = 0; p < command->parameter_count; p++)
        text = lauka_arena_print(command->arena, "%s%s%s=%s", text, p > 0 ? "," : "",
                                 command->parameters[p].name, command->parameters[p].value);
    return text;
}

void option_make_benchmarks(struct lauka_options *options, const char *section, size_t groups)
{
    size_t count = groups > 0 ? groups : 1, sides = options->command_count / count;

    options->benchmarks = lauka_arena_take(options->arena, count * sizeof *options->benchmarks);
    options->benchmark_count = count;
    for (size_t b = 0; b < count; b++) {
        struct lauka_benchmark *benchmark = &options->benchmarks[b];
        const struct lauka_command *command = &options->commands[b * sides];
        benchmark->first = b * sides;
        benchmark->count = sides;
        if (groups > 0) {
            benchmark->name = option_name_by_parameters(section, command);
            benchmark->parameters = command->parameters;
            benchmark->parameter_count = command->parameter_count;
        } else if (section) {
            benchmark->name = lauka_arena_text(options->arena, section);
        }
    }
}

struct option_sides option_sides_of(const struct lauka_options *options)
{
    return (struct option_sides){options->command_count, options->benchmarks[0].count};
}

void option_drop_benchmarks(struct lauka_options *options, const bool *kept)
{
    size_t benchmarks = 0, commands = 0;

    for (size_t b = 0; b < options->benchmark_count; b++) {
        struct lauka_benchmark moved = options->benchmarks[b];
        if (!kept[b])
            continue;
        memmove(&options->commands[commands], &options->commands[moved.first],
                moved.count * sizeof *options->commands);
        moved.first = commands;
        commands += moved.count;
        options->benchmarks[benchmarks++] = moved;
    }
    options->benchmark_count = benchmarks;
    options->command_count = commands;
}

/* ---- their names ---------------------------------------------------------------------------------- */

static int compare_names(const void *left, const void *right)
{
    const struct lauka_benchmark *a = *(const struct lauka_benchmark *const *)left;
    const struct lauka_benchmark *b = *(const struct lauka_benchmark *const *)right;
    int order = strcmp(a->name, b->name);

    return order ? order : a < b ? -1 : a > b;
}

size_t option_find_twin(const struct lauka_options *options)
{
    size_t count = options->benchmark_count, twin = count;
    const struct lauka_benchmark **sorted =
        lauka_arena_take(options->arena, count * sizeof sorted[0]);

    if (count < 2)
        return twin;
    for (size_t b = 0; b < count; b++)
        sorted[b] = &options->benchmarks[b];
    qsort(sorted, count, sizeof sorted[0], compare_names);
    for (size_t b = 1; b < count; b++) {
        size_t later = (size_t)(sorted[b] - options->benchmarks);
        if (later < twin && strcmp(sorted[b - 1]->name, sorted[b]->name) == 0)
            twin = later;
    }
    return twin;
}

char *option_list_benchmarks(const struct lauka_options *options, char *text, size_t size)
{
    enum { SHOWN = 5 };
    size_t used = 0, count = options->benchmark_count;
    size_t shown = count <= SHOWN + 1 ? count : SHOWN;

    *text = '\0';
    for (size_t b = 0; b < shown && used < size; b++)
        used += (size_t)snprintf(text + used, size - used, "%s`%.60s`",
                                 b == 0                             ? ""
                                 : b + 1 == shown && shown == count ? " and "
                                                                    : ", ",
                                 options->benchmarks[b].name);
    if (shown < count && used < size)
        snprintf(text + used, size - used, " and %zu more", count - shown);
    return text;
}

void lauka_benchmarks_list(const struct lauka_options *options, FILE *out)
{
    for (size_t b = 0; b < options->benchmark_count; b++) {
        if (!options->benchmarks[b].name)
            continue;
        lauka_print_safely(options->benchmarks[b].name, true, out);
        fputc('\n', out);
    }
    if (!options->benchmarks[0].name && !options->quiet)
        fputs("lauka: there is one benchmark, and it has no name\n", stderr);
}
