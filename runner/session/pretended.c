/* Runs of --backend=simulated: nothing is started, no hook runs, and the machine has no influence. Time
 * passes by the runs' pretended durations. */
#include "runner/session/session.h"
#include "pmu/counters/counters.h"
#include "pmu/events/events.h"
#include "runner/base/base.h"
#include "runner/launch/launch.h"
#include "runner/options.h"
#include "runner/session/loop.h"

#include <stdlib.h>

static bool take_commands(struct lauka_executor *executor, struct lauka_error *error)
{
    executor->pretended_counters = calloc(1, sizeof *executor->pretended_counters);
    return executor->pretended_counters || lauka_loop_fail_memory(error);
}

static bool count(struct lauka_executor *executor, const struct lauka_event *events,
                  size_t event_count, struct lauka_error *error)
{
    (void)error;
    if (!events)
        events = lauka_default_events(&event_count);
    lauka_pretended_open(executor->pretended_counters, executor->options->measure.scenario, events,
                         event_count);
    executor->counters = executor->pretended_counters;
    return true;
}

static bool pads(const struct lauka_executor *executor)
{
    return !executor->options->measure.fixed_layout;
}

static void turn(struct lauka_executor *executor, unsigned set)
{
    executor->pretended_counters->turn = (uint8_t)set;
}

static bool run(struct lauka_executor *executor, const struct lauka_run *runs, size_t asked,
                size_t *done, struct lauka_error *error)
{
    (void)error;
    for (*done = 0; *done < asked && !lauka_interrupt_signal(); ++*done) {
        const struct lauka_run *next = &runs[*done];
        const struct lauka_pretended_run made_up = {
            executor->seed, next->variant, next->command,
            next->round,    next->place,   next->place + 1 == executor->together};
        lauka_pretence_run(executor->options, &made_up, executor->pretended_counters, next->sample);
        executor->pretended_ns += next->sample->usage.values[LAUKA_WALL_TIME];
        if (!lauka_mishaps_is_success(executor->options, next->variant, next->sample)) {
            executor->failure = (struct lauka_failure){.command = next->command,
                                                       .round = next->round,
                                                       .warmup = next->warmup,
                                                       .sample = *next->sample};
            ++*done;
            break;
        }
    }
    return true;
}

static uint64_t now_ns(const struct lauka_executor *executor)
{
    return executor->pretended_ns;
}

static void release(struct lauka_executor *executor)
{
    free(executor->pretended_counters);
    executor->pretended_counters = NULL;
    executor->counters = NULL;
}

const struct lauka_executor_kind lauka_pretended = {
    .real = false,
    .pads = pads,
    .open = take_commands,
    .count = count,
    .turn = turn,
    .run = run,
    .now_ns = now_ns,
    .close = release,
};
