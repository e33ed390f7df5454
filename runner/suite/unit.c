/* A unit is one process of each side: what it belongs to, how it fails, and what prepares it. */
#include "runner/suite/suite.h"
#include "pmu/counters/counters.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/launch/launch.h"
#include "runner/options.h"
#include "runner/session/session.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- unit -------------------------------------------------------------------------------------- */

/* How long lauka waits for a benchmark that has no --timeout. */
#define PATIENCE_NS UINT64_C(60000000000)

struct lauka_suite_unit *lauka_unit_of(const struct lauka_executor *executor)
{
    return executor->own;
}

struct lauka_suite *lauka_unit_suite(const struct lauka_executor *executor)
{
    return executor->context;
}

const struct lauka_adapter *lauka_unit_adapter(const struct lauka_executor *executor)
{
    return lauka_unit_suite(executor)->adapter;
}

uint64_t lauka_unit_own_rounds(const struct lauka_executor *executor)
{
    const struct lauka_adapter *adapter = lauka_unit_adapter(executor);

    return adapter->own_rounds ? adapter->own_rounds(lauka_unit_of(executor)->request.name) : 0;
}

/* What is counted in processes of the side; NULL: nothing. */
struct lauka_counters *lauka_unit_counters(const struct lauka_executor *executor, size_t side)
{
    struct lauka_counting *counting = &lauka_unit_suite(executor)->counting;

    return counting->open && counting->sides[0].asked > 0 ? &counting->sides[side] : NULL;
}

/* NULL: each process runs one benchmark. */
struct lauka_whole *lauka_unit_whole(const struct lauka_executor *executor)
{
    struct lauka_whole *whole = &lauka_unit_suite(executor)->whole;

    return whole->on ? whole : NULL;
}

/* ---- failures --------------------------------------------------------------------------------------- */

bool lauka_unit_fail(struct lauka_executor *executor, size_t c, const char *format, ...)
{
    struct lauka_suite_unit *unit = lauka_unit_of(executor);
    struct lauka_failure *failure = &executor->failure;
    const struct lauka_process *process = &unit->sides[c].process;
    va_list values;

    *failure = (struct lauka_failure){
        .command = c,
        .sample = {.outcome = LAUKA_NOT_STARTED, .timed_out = false},
    };
    va_start(values, format);
    vsnprintf(failure->reason, sizeof failure->reason, format, values);
    va_end(values);
    memcpy(failure->stderr_tail, process->tail.bytes, sizeof failure->stderr_tail);
    return false;
}

/* ---- the processes of a unit ------------------------------------------------------------------------ */

bool lauka_unit_prepare(struct lauka_executor *executor, size_t c, struct lauka_error *error)
{
    struct lauka_suite_side *side = &lauka_unit_of(executor)->sides[c];
    struct lauka_run run = {.command = c, .warmup = true};
    struct lauka_sample sample;
    char why[300];

    side->begun = true;
    if (!lauka_launched_run_hook(executor, &run, LAUKA_HOOK_PREPARE, error) ||
        executor->hook_failed)
        return false;
    if (!lauka_hooks_hand_over(&executor->hooks, c, error))
        return false;
    if (executor->mishaps->stamps && !lauka_mishaps_is_same_file(executor->mishaps, c, &sample)) {
        lauka_unit_fail(executor, c, "%s", lauka_sample_describe(&sample, why, sizeof why));
        executor->failure.sample = sample;
        return false;
    }
    uint64_t timeout_ns = executor->options->run.commands[c].timeout_ns;
    side->until_ns = lauka_now_ns() + (timeout_ns ? timeout_ns : PATIENCE_NS);
    return true;
}

/* ---- samples ---------------------------------------------------------------------------------------- */

static uint64_t picoseconds(double ns, double iterations)
{
    double ps = ns / iterations * 1000;

    return ps < 0 || ps > 1e18 ? LAUKA_MISSING : (uint64_t)llround(ps);
}

bool lauka_unit_fill(struct lauka_executor *executor, const struct lauka_run *run,
                     const struct lauka_inner_answer *answer, double iterations)
{
    struct lauka_sample *sample = run->sample;

    *sample = (struct lauka_sample){.outcome = LAUKA_EXITED,
                                    .run_delay_ns = LAUKA_UNKNOWN,
                                    .tree_memory = LAUKA_UNKNOWN,
                                    .readings = sample->readings};
    sample->usage.values[LAUKA_WALL_TIME] = picoseconds(answer->wall_ns, iterations);
    sample->usage.values[LAUKA_CPU_TIME] = picoseconds(answer->cpu_ns, iterations);
    sample->figures = run->figures;
    const char *missing = lauka_inner_figures_fill(&lauka_unit_of(executor)->figures, run->command,
                                                   answer, run->figures);
    double first_ns = lauka_unit_of(executor)->sides[run->command].first_ns;
    if (lauka_unit_adapter(executor)->talks && first_ns > 0)
        run->figures[0] = first_ns;
    if (missing && lauka_unit_adapter(executor)->talks)
        return lauka_unit_fail(executor, run->command, "did not report %s this time", missing);
    return sample->usage.values[LAUKA_WALL_TIME] > 0 ||
           lauka_unit_fail(executor, run->command, "says that it took no time");
}
