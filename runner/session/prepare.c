/* Before the first round of a benchmark: commands, counters, metrics, and room for what will be known. */
#include "runner/session/loop.h"
#include "runner/session/session.h"
#include "pmu/counters/counters.h"
#include "pmu/events/events.h"
#include "report/result/result.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/gate/gate.h"
#include "runner/launch/launch.h"
#include "runner/machine/machine.h"
#include "runner/metrics/metrics.h"
#include "runner/options.h"
#include "stats/stats.h"

#include <stdlib.h>

/* What is required of the counters beyond doing their best. */
static bool counters_suffice(const struct lauka_loop *loop, struct lauka_error *error)
{
    char text[800];
    const char *taken = lauka_counters_taken(loop->counters);

    if (loop->options->measure.require_counters &&
        lauka_counters_advice(loop->counters, text, sizeof text))
        return lauka_fail(error, LAUKA_EXIT_HOST, "--require-counters: %s", text);
    if (!lauka_counters_get_turns(loop->counters, loop->options, error))
        return false;
    if (loop->counters->whole_runs && loop->counters->set_count > 1 &&
        loop->options->measure.multiplex != LAUKA_MULTIPLEX_ROUNDS)
        return lauka_fail(
            error, LAUKA_EXIT_HOST,
            "--events: %s; or let rounds take turns (--multiplex=rounds, the default)",
            loop->counters->conflict);
    if (loop->options->measure.multiplex != LAUKA_MULTIPLEX_NEVER || loop->counters->set_count == 1)
        return true;
    lauka_counters_list_set(loop->counters, 0, text, sizeof text);
    return lauka_fail(error, LAUKA_EXIT_HOST,
                      "--no-multiplex: the events do not fit onto the counters together; these "
                      "do: %s%s%s; or leave it out, and rounds take turns",
                      text, taken ? "; " : "", taken ? taken : "");
}

static bool open_counters(struct lauka_loop *loop, struct lauka_error *error)
{
    const struct lauka_event_list *asked = &loop->options->measure.events;

    if (!loop->kind->count(&loop->executor,
                           loop->options->measure.events_given ? asked->events : NULL, asked->count,
                           error))
        return false;
    loop->counters = loop->executor.counters;
    return true;
}

/* Then the screen belongs to the commands. */
static bool show_output(const struct lauka_options *options)
{
    for (size_t i = 0; i < options->run.command_count; i++)
        if (options->run.commands[i].output == LAUKA_OUTPUT_INHERIT)
            return true;
    return false;
}

/* --require-core and --pin */
static bool choose_cores(struct lauka_loop *loop, struct lauka_error *error)
{
    const struct lauka_options *options = loop->options;
    struct lauka_cpu_set cpus;

    if (options->measure.require_core &&
        !lauka_can_require_core(loop->counters, options->measure.require_core, error))
        return false;
    if (!options->measure.pin)
        return true;
    return lauka_pin_find(options->measure.pin, &loop->counters->topology, &cpus, error) &&
           (!loop->kind->real ||
            lauka_pin(options->measure.pin, &cpus, loop->bench->launcher, loop->result, error));
}

/* Launched runs have readings of their own; other runs need room for them. */
static void lend_readings(struct lauka_loop *loop, size_t runs)
{
    for (size_t i = 0; i < runs; i++)
        loop->samples[i].readings = loop->readings + i * loop->counters->count;
}

static bool make_plans(struct lauka_loop *loop)
{
    size_t count = loop->options->run.command_count;
    bool batches = loop->kind->real && loop->together < LAUKA_BATCH_MAX;

    loop->rounds_most = batches ? LAUKA_BATCH_MAX / loop->together : 1;
    if (loop->options->measure.rounds > 0 && loop->options->measure.rounds < loop->rounds_most)
        loop->rounds_most = (size_t)loop->options->measure.rounds;
    loop->runs = calloc(loop->rounds_most * count, sizeof *loop->runs);
    loop->samples = calloc(loop->rounds_most * count, sizeof *loop->samples);
    loop->readings =
        calloc(loop->rounds_most * count * loop->counters->count + 1, sizeof *loop->readings);
    loop->figures = calloc(loop->rounds_most * count, LAUKA_FIGURES_MAX * sizeof *loop->figures);
    loop->orders = calloc(loop->rounds_most * count, sizeof *loop->orders);
    loop->plans = calloc(loop->rounds_most, sizeof *loop->plans);
    if (loop->samples && loop->readings)
        lend_readings(loop, loop->rounds_most * count);
    return loop->runs && loop->samples && loop->readings && loop->figures && loop->orders &&
           loop->plans;
}

/* A pair is a layout of each command, and no layout is in two pairs. */
static bool draw_pairs(struct lauka_loop *loop, uint64_t seed)
{
    const size_t layouts = loop->options->run.layouts, count = loop->options->run.command_count;
    struct lauka_random random;

    if (layouts == 0)
        return true;
    loop->pairs = malloc(count * layouts * sizeof *loop->pairs);
    lauka_random_seed(&random, seed ^ UINT64_C(0x6c61796f757473));
    for (size_t c = 0; loop->pairs && c < count; c++) {
        for (uint32_t l = 0; l < layouts; l++)
            loop->pairs[c * layouts + l] = l;
        lauka_random_shuffle(&random, loop->pairs + c * layouts, layouts);
    }
    loop->result->benchmark.units.kind = LAUKA_UNIT_LAYOUT;
    return loop->pairs != NULL;
}

bool lauka_loop_take_error(struct lauka_loop *loop, const struct lauka_error *error)
{
    struct lauka_failure *failure = &loop->bench->failure;

    if (!lauka_failure_take_error(error, &loop->acting, failure))
        return false;
    if (loop->options->run.layouts > 0)
        failure->command /= loop->options->run.layouts;
    return true;
}

struct lauka_executables *lauka_loop_executables(struct lauka_loop *loop)
{
    return loop->bench->executables ? loop->bench->executables : &loop->executables;
}

/* A benchmark inside a program that failed at once may have a metric that it never came to report: its failure is what
 * is told. */
static bool may_lack(const struct lauka_loop *loop, const struct lauka_error *error)
{
    return loop->executor.refused && loop->executor.inner && error->code == LAUKA_EXIT_USAGE;
}

bool lauka_loop_prepare(struct lauka_loop *loop, struct lauka_error *error)
{
    const struct lauka_options *options = loop->options;
    const uint64_t seed = options->measure.seed + loop->bench->lot;
    const bool several =
        loop->together < options->run.command_count; /* unpaired values are compared */

    loop->unstartable = !loop->kind->open(&loop->executor, error);
    if (loop->executor.refused)
        lauka_loop_end_outside(loop);
    else if (loop->unstartable && !lauka_loop_take_error(loop, error))
        return false;
    if (!open_counters(loop, error) || !counters_suffice(loop, error) || !choose_cores(loop, error))
        return false;
    if (!make_plans(loop) || !draw_pairs(loop, seed))
        return lauka_loop_fail_memory(error);
    loop->core_times = calloc(options->run.command_count, sizeof *loop->core_times);
    loop->repeats = calloc(options->run.command_count, sizeof *loop->repeats);
    if (!loop->core_times || !loop->repeats)
        return lauka_loop_fail_memory(error);
    loop->sources = (struct lauka_sources){
        .options = options, .counters = loop->counters, .inner = loop->executor.inner};
    if (loop->executor.shares_units)
        loop->result->benchmark.units.kind = LAUKA_UNIT_PROCESS;
    if (!lauka_outline_make(loop->result, &loop->sources, error) && !may_lack(loop, error))
        return false;
    if (options->measure.tree_memory && loop->kind->track_memory &&
        !loop->kind->track_memory(&loop->executor, loop->result, error))
        return false;
    const uint64_t gate_needs = lauka_gate_announce(loop->result, options);
    if (lauka_counter_notes_opened(loop->counters, options->measure.events_given, loop->result) !=
            0 ||
        lauka_machine_describe(&loop->result->host) != 0 ||
        lauka_cores_describe(&loop->counters->topology, &loop->result->host) != 0 ||
        lauka_schedule_init(&loop->schedule, loop->together, seed) != 0 ||
        lauka_rounds_init(&loop->rounds, loop->result, &loop->sources,
                          options->measure.no_samples && !several ? 0 : LAUKA_ROUNDS_KEPT) != 0 ||
        lauka_enough_init(&loop->enough, options, loop->result, loop->bench->tests) != 0 ||
        lauka_mishaps_init(&loop->mishaps, options, &loop->acting, lauka_loop_executables(loop)) !=
            0 ||
        lauka_miscounts_init(&loop->miscounts, options, loop->counters) != 0)
        return lauka_loop_fail_memory(error);
    loop->enough.gate_needs = gate_needs;
    if (loop->executor.shares_units)
        loop->enough.at_once = loop->executor.unit_rounds;
    lauka_enough_share(&loop->enough, loop->counters->set_count,
                       lauka_turns_needed(loop->counters, options));
    loop->schedule.kind = options->measure.order;
    loop->pads = loop->kind->pads && loop->kind->pads(&loop->executor);
    lauka_random_seed(&loop->layout, ~seed); /* the order does not depend on the layout */
    lauka_progress_init(&loop->progress, (!options->quiet || loop->bench->heading) &&
                                             !options->write.no_progress && loop->kind->real &&
                                             !show_output(options));
    return true;
}
