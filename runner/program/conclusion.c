/* What the exit code says once everything is written, and what stderr says with it. */
#include "runner/program/program.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "runner/base/base.h"
#include "runner/gate/gate.h"
#include "runner/session/session.h"
#include "runner/suite/suite.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

const struct lauka_measurement *
lauka_conclusion_find_failed(const struct lauka_program_state *program)
{
    const struct lauka_benchmarks *all = &program->benchmarks;

    for (size_t b = 0; all->benches && b < program->results.benchmark_count; b++)
        if (all->benches[b].failed)
            return &all->benches[b];
    return NULL;
}

static void print_stderr_tail(const struct lauka_failure *failure)
{
    if (*failure->stderr_tail)
        fputs("its stderr ended with:\n", stderr);
    lauka_helper_show_lines(failure->stderr_tail);
}

static void print_failures(const struct lauka_program_state *program, struct lauka_error *error)
{
    for (size_t b = 0; b < program->results.benchmark_count; b++) {
        const struct lauka_measurement *bench = &program->benchmarks.benches[b];
        if (!bench->failed)
            continue;
        lauka_failure_describe(&bench->failure, bench->options, error);
        lauka_error_print(error);
        print_stderr_tail(&bench->failure);
    }
}

/* Each failure; of benchmarks that something else ended, which is mostly the same for all, the first. */
static void print_stored_endings(const struct lauka_program_state *program)
{
    size_t others = 0;

    for (size_t b = 0; b < program->results.benchmark_count; b++) {
        const struct lauka_result *result = &program->results.benchmarks[b];
        struct lauka_error ended;
        if (lauka_result_ended_well(result) || (!result->failure.known && others++ > 0))
            continue;
        lauka_failure_describe_stored(result, &ended);
        lauka_error_print(&ended);
    }
    if (others > 1)
        fprintf(stderr, "lauka: %zu more benchmark%s did not end well\n", others - 1,
                others == 2 ? "" : "s");
}

static bool has_error(const struct lauka_program_state *program)
{
    for (size_t b = 0; b < program->results.benchmark_count; b++)
        if (program->results.benchmarks[b].error.known)
            return true;
    return false;
}

int lauka_conclusion_reach(struct lauka_program_state *program, struct lauka_error *error,
                           bool good)
{
    if (lauka_conclusion_find_failed(program)) {
        if (!good)
            lauka_error_print(error);
        print_failures(program, error);
        return LAUKA_EXIT_COMMAND_FAILED;
    }
    if (!good)
        lauka_error_print(error);
    if (lauka_interrupt_signal() && good) {
        if (lauka_session_rounds(&program->results) == 0 && program->results.benchmark_count > 0 &&
            program->results.benchmarks[0].command_count > 0)
            fputs("lauka: interrupted before a round was finished: nothing was measured\n", stderr);
        return (int)lauka_interrupt_exit();
    }
    if (!good && has_error(program)) /* what is known tells of no command that it is good */
        return (int)error->code;
    if (program->judged)
        print_stored_endings(program);
    int gate = program->judged ? lauka_gate_conclude(&program->results, &program->options)
                               : LAUKA_EXIT_DONE;
    if (good && program->options.verb == LAUKA_VERB_SUITE && !program->options.list_benchmarks &&
        !lauka_suite_is_whole(&program->suite, &program->options, error)) {
        lauka_error_print(error);
        return LAUKA_EXIT_COMMAND_FAILED;
    }
    /* A report that could not be written does not make a regression undone. */
    return gate != LAUKA_EXIT_DONE || good ? gate : (int)error->code;
}
