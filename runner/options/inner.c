/* The benchmarks inside two programs, once it is known what they are called. */
#include "runner/options/options.h"
#include "runner/options/table.h"
#include "runner/options/values.h"
#include "report/result/result.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/options.h"

#include <stdlib.h>
#include <string.h>

static bool copy_texts(char *const *from, char ***to)
{
    *to = from ? lauka_strings_copy(from) : NULL;
    return *to || !from;
}

/* All of it; there are no parameters here, no words of a pretence, and no --read. */
static bool copy_command(const struct lauka_command *from, struct lauka_command *to)
{
    *to = *from;
    to->parameters = NULL;
    to->parameter_count = 0;
    to->pretence = NULL;
    to->figures = NULL;
    to->figure_count = 0;
    bool good = lauka_text_copy(from->label, &to->label) == 0;
    good = lauka_text_copy(from->side ? from->side : from->label, &to->side) == 0 && good;
    good = lauka_text_copy(from->path, &to->path) == 0 && good;
    good = lauka_text_copy(from->directory, &to->directory) == 0 && good;
    good = lauka_text_copy(from->output_file, &to->output_file) == 0 && good;
    good = lauka_text_copy(from->input_file, &to->input_file) == 0 && good;
    good = copy_texts(from->argv, &to->argv) && good;
    good = copy_texts(from->environment, &to->environment) && good;
    for (size_t h = 0; h < LAUKA_HOOKS; h++)
        good = lauka_text_copy(from->hooks[h], &to->hooks[h]) == 0 && good;
    return good;
}

static void drop_all(struct lauka_options *options)
{
    for (size_t c = 0; c < options->command_count; c++)
        lauka_command_done(&options->commands[c]);
    free(options->commands);
    option_benchmarks_done(options);
}

bool lauka_options_take_inner(struct lauka_options *options, char *const *names, size_t count,
                              bool last_stays, struct lauka_error *error)
{
    size_t sides = options->command_count;
    struct lauka_benchmark *benchmarks = calloc(count, sizeof *benchmarks);
    struct lauka_command *commands = calloc(count * sides, sizeof *commands);
    bool good = benchmarks && commands;

    for (size_t b = 0; good && b < count; b++) {
        benchmarks[b] = (struct lauka_benchmark){
            .name = strdup(names[b]),
            .first = b * sides,
            .count = sides,
            .stays = last_stays && b + 1 == count,
        };
        good = benchmarks[b].name != NULL;
        for (size_t s = 0; s < sides; s++)
            good = copy_command(&options->commands[s], &commands[b * sides + s]) && good;
    }
    if (!good) {
        for (size_t b = 0; benchmarks && b < count; b++)
            free(benchmarks[b].name);
        free(benchmarks);
        for (size_t c = 0; commands && c < count * sides; c++)
            lauka_command_done(&commands[c]);
        free(commands);
        return lauka_fail_memory(error);
    }
    drop_all(options);
    options->commands = commands;
    options->command_count = count * sides;
    options->benchmarks = benchmarks;
    options->benchmark_count = count;
    return option_choose_benchmarks(options, error);
}
