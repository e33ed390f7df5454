/* The runs of rounds: planned and asked for together, each judged when it is over, and repeated where it was on other
 * cores than were required. */
#include "runner/session/loop.h"
#include "runner/session/session.h"
#include "pmu/counters/counters.h"
#include "report/result/result.h"
#include "runner/base/base.h"
#include "runner/launch/launch.h"
#include "runner/metrics/metrics.h"
#include "runner/options.h"
#include "stats/stats.h"

#include <string.h>

/* Whether the run must be repeated, because it was not on the required cores. */
static bool was_elsewhere(struct lauka_loop *loop, const struct lauka_run *run, bool *elsewhere,
                          struct lauka_error *error)
{
    const char *core = loop->options->measure.require_core;
    const struct lauka_residency *where = &run->sample->residency;

    *elsewhere = false;
    if (run->warmup || !lauka_mishaps_is_success(loop->options, run->command, run->sample))
        return true;
    if (!lauka_is_known_where(loop->counters, where, core,
                              loop->options->run.commands[run->command].label,
                              lauka_miscounts_unwatched, error))
        return false;
    *elsewhere = lauka_was_elsewhere(where, &loop->counters->topology, core);
    loop->repeats[run->command] += *elsewhere;
    return true;
}

/* Repeats the run until it was on the required cores. */
static bool run_where_required(struct lauka_loop *loop, const struct lauka_run *run, size_t *done,
                               struct lauka_error *error)
{
    enum { REPEATS_MAX = 10 };
    const char *core = loop->options->measure.require_core;

    for (int repeat = 0; repeat <= REPEATS_MAX; repeat++) {
        bool elsewhere;
        if (!loop->kind->run(&loop->executor, run, 1, done, error))
            return false;
        if (*done == 0)
            return true;
        if (!was_elsewhere(loop, run, &elsewhere, error)) {
            *done = 0;
            return false;
        }
        if (!elsewhere)
            return true;
    }
    *done = 0;
    return lauka_fail(error, LAUKA_EXIT_HOST,
                      "--require-core %.50s: `%.200s` ran on other cores, %d times in a row; keep "
                      "it there with --pin %.50s",
                      core, loop->options->run.commands[run->command].label, REPEATS_MAX + 1, core);
}

/* Which events the rounds count. */
static void take_turn(struct lauka_loop *loop)
{
    if (loop->kind->turn)
        loop->kind->turn(&loop->executor,
                         lauka_turns_are_taken(loop->counters, loop->options)
                             ? lauka_turns_next(loop->counters, loop->turns, loop->options)
                             : LAUKA_ALL_SETS);
}

/* What is executed for the command in a round with this pair of layouts. */
static size_t variant_of(const struct lauka_loop *loop, size_t command, uint32_t unit)
{
    const size_t layouts = loop->options->run.layouts;

    return layouts > 0 ? command * layouts + loop->pairs[command * layouts + unit] : command;
}

static void plan_round(struct lauka_loop *loop, size_t k, uint64_t round, bool warmup)
{
    const size_t count = loop->options->run.command_count, together = loop->together;
    struct lauka_plan *plan = &loop->plans[k];
    uint32_t *order = loop->orders + k * count;

    memcpy(order, lauka_schedule_next(&loop->schedule), together * sizeof *order);
    plan->padding = loop->pads ? lauka_random_below(&loop->layout, LAUKA_PADDING_MAX + 1) : 0;
    plan->layout = loop->layout;
    plan->unit =
        loop->options->run.layouts > 0 ? (uint32_t)((round + k) % loop->options->run.layouts) : 0;
    plan->schedule = lauka_schedule_mark(&loop->schedule);
    for (size_t i = 0; i < together; i++)
        loop->runs[k * together + i] = (struct lauka_run){
            .command = order[i],
            .variant = variant_of(loop, order[i], plan->unit),
            .round = round + k,
            .warmup = warmup,
            .place = i,
            .padding = plan->padding,
            .sample = &loop->samples[k * count + order[i]],
            .figures = &loop->figures[(k * count + order[i]) * LAUKA_FIGURES_MAX],
        };
}

/* The rounds after this one were not begun. */
static void forget_plans(struct lauka_loop *loop, size_t k)
{
    loop->layout = loop->plans[k].layout;
    lauka_schedule_rewind(&loop->schedule, &loop->plans[k].schedule,
                          loop->orders + k * loop->options->run.command_count);
}

/* What a finished run means for its round. */
static enum lauka_round_end judge_run(struct lauka_loop *loop, const struct lauka_run *run,
                                      struct lauka_error *error)
{
    struct lauka_result_command *shown = &loop->result->commands[run->command];

    lauka_mishaps_add_leftovers(&loop->mishaps, run->command, &run->sample->leftovers, shown);
    if (!lauka_mishaps_is_success(loop->options, run->command, run->sample) ||
        !lauka_figures_settle(loop, run)) {
        loop->bench->failure = loop->executor.failure;
        return lauka_mishaps_drop(&loop->mishaps, &loop->bench->failure) ? ROUND_DROPPED
                                                                         : ROUND_FAILED;
    }
    return lauka_miscounts_add(&loop->miscounts, run->command, run->sample, shown, error)
               ? ROUND_FINISHED
               : ROUND_BROKEN;
}

/* Evaluates the finished runs, from run number `from` on. *finished: how many rounds are over. */
static enum lauka_round_end judge_runs(struct lauka_loop *loop, size_t from, size_t done,
                                       size_t *finished, struct lauka_error *error)
{
    const size_t count = loop->together;

    for (size_t i = from; i < from + done; i++) {
        enum lauka_round_end end = judge_run(loop, &loop->runs[i], error);
        *finished = (end == ROUND_FINISHED ? i + 1 : i) / count;
        if (end != ROUND_FINISHED)
            return end;
    }
    return ROUND_FINISHED;
}

static enum lauka_round_end end_early(struct lauka_loop *loop)
{
    if (!loop->executor.hook_failed)
        return ROUND_INTERRUPTED;
    loop->bench->failure = loop->executor.failure;
    return ROUND_FAILED;
}

/* The launcher's own last until it runs something again, which may be before the round is over. */
static void take_readings(struct lauka_loop *loop, size_t from, size_t done)
{
    const size_t count = loop->counters->count;

    for (size_t i = from; i < from + done; i++) {
        struct lauka_sample *sample = loop->runs[i].sample;
        struct lauka_reading *own = loop->readings + (size_t)(sample - loop->samples) * count;
        if (sample->readings && sample->readings != own)
            memcpy(own, sample->readings, count * sizeof *own);
        sample->readings = own;
    }
}

/* All runs of that many rounds, or of fewer if that takes long. */
static enum lauka_round_end run_rounds(struct lauka_loop *loop, size_t rounds, size_t *finished,
                                       struct lauka_error *error)
{
    const size_t count = loop->together;
    const uint64_t begun_ns = lauka_loop_now_ns(loop);

    for (size_t i = 0; i < rounds * count;) {
        const struct lauka_run *next = &loop->runs[i];
        size_t done = 0;
        bool good = loop->options->measure.require_core
                        ? run_where_required(loop, next, &done, error)
                        : loop->kind->run(&loop->executor, next, rounds * count - i, &done, error);
        take_readings(loop, i, done);
        enum lauka_round_end end = judge_runs(loop, i, done, finished, error);
        if (!good || end != ROUND_FINISHED)
            return good ? end : ROUND_BROKEN;
        i += done;
        if (done == 0 || loop->executor.hook_failed || lauka_interrupt_signal())
            return i < rounds * count ? end_early(loop) : ROUND_FINISHED;
        if (lauka_loop_now_ns(loop) - begun_ns >= LAUKA_BATCH_NS)
            rounds = (i + count - 1) / count; /* the one under way is the last */
    }
    return ROUND_FINISHED;
}

enum lauka_round_end lauka_loop_run_rounds(struct lauka_loop *loop, size_t rounds, uint64_t first,
                                           bool warmup, size_t *finished, struct lauka_error *error)
{
    *finished = 0;
    take_turn(loop);
    if (loop->executor.holds_order)
        lauka_schedule_hold(&loop->schedule, rounds);
    for (size_t k = 0; k < rounds; k++)
        plan_round(loop, k, first, warmup);
    enum lauka_round_end end = run_rounds(loop, rounds, finished, error);
    size_t begun = *finished + (end != ROUND_FINISHED);
    if (begun > 0 && begun < rounds)
        forget_plans(loop, begun - 1);
    return end;
}

/* ---- runs outside of the rounds ------------------------------------------------------------------------ */

static enum lauka_round_end run_outside_hook(struct lauka_loop *loop, const struct lauka_run *run,
                                             enum lauka_hook hook, struct lauka_error *error)
{
    if (!lauka_launched_run_hook(&loop->executor, run, hook, error))
        return ROUND_BROKEN;
    if (loop->executor.hook_failed)
        return lauka_loop_end_outside(loop);
    return lauka_interrupt_signal() ? ROUND_INTERRUPTED : ROUND_FINISHED;
}

enum lauka_round_end lauka_outside_begin(struct lauka_loop *loop, const struct lauka_run *run,
                                         struct lauka_error *error)
{
    return run_outside_hook(loop, run, LAUKA_HOOK_PREPARE, error);
}

enum lauka_round_end lauka_outside_end(struct lauka_loop *loop, const struct lauka_run *run,
                                       enum lauka_round_end end, struct lauka_error *error)
{
    if (end == ROUND_FINISHED && lauka_interrupt_signal())
        end = ROUND_INTERRUPTED;
    return end == ROUND_FINISHED ? run_outside_hook(loop, run, LAUKA_HOOK_CONCLUDE, error) : end;
}
