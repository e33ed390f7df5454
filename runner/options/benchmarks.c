/* What is compared with what: commands are the sides of benchmarks. */
#include "runner/options/options.h"
#include "runner/options/table.h"
#include "report/result/result.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- of the commands ------------------------------------------------------------------------------ */

bool option_make_benchmarks(struct lauka_options *options, struct lauka_error *error)
{
    options->benchmarks = calloc(1, sizeof *options->benchmarks);
    if (!options->benchmarks)
        return lauka_fail_memory(error);
    options->benchmark_count = 1;
    options->benchmarks[0].count = options->command_count;
    for (size_t c = 0; c < options->command_count; c++)
        if (!(options->commands[c].side = strdup(options->commands[c].label)))
            return lauka_fail_memory(error);
    return true;
}

void option_benchmarks_done(struct lauka_options *options)
{
    for (size_t b = 0; b < options->benchmark_count; b++) {
        struct lauka_benchmark *benchmark = &options->benchmarks[b];
        free(benchmark->name);
        lauka_parameters_free(benchmark->parameters, benchmark->parameter_count);
    }
    free(options->benchmarks);
    options->benchmarks = NULL;
    options->benchmark_count = 0;
}

/* ---- one of them alone ---------------------------------------------------------------------------- */

int lauka_options_of(const struct lauka_options *session, size_t benchmark,
                     struct lauka_options *own)
{
    struct lauka_benchmark *about = &session->benchmarks[benchmark];
    const struct lauka_result_gate *gate = &session->gate;

    *own = *session;
    own->commands = session->commands + about->first;
    own->command_count = about->count;
    own->benchmarks = about;
    own->benchmark_count = 1;
    own->gate.rules = calloc(gate->rule_count + 1, sizeof *own->gate.rules);
    own->gate.allowances = calloc(gate->allowance_count + 1, sizeof *own->gate.allowances);
    if (!own->gate.rules || !own->gate.allowances) {
        lauka_options_of_done(own);
        return ENOMEM;
    }
    for (size_t i = 0; i < gate->rule_count; i++)
        own->gate.rules[i] = gate->rules[i];
    for (size_t i = 0; i < gate->allowance_count; i++)
        own->gate.allowances[i] = gate->allowances[i];
    return 0;
}

void lauka_options_of_done(struct lauka_options *own)
{
    free(own->gate.rules);
    free(own->gate.allowances);
    *own = (struct lauka_options){0};
}
