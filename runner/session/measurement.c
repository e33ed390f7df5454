/* The loop of one benchmark: schedule x run -> series. A round counts only when every command has finished
 * it, so that all series stay paired. However the benchmark ends, its finished rounds are reported. */
#include "runner/session/loop.h"
#include "runner/session/session.h"
#include "runner/session/turns.h"
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
#include "runner/options/options.h"
#include "stats/stats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- one round -------------------------------------------------------------------------------------- */

/* Whether the run must be repeated, because it was not on the required cores. */
static bool was_elsewhere(struct lauka_loop *loop, const struct lauka_run *run, bool *elsewhere,
                          struct lauka_error *error)
{
    const char *core = loop->options->require_core;
    const struct lauka_residency *where = &run->sample->residency;

    *elsewhere = false;
    if (run->warmup || !lauka_mishaps_is_success(loop->options, run->command, run->sample))
        return true;
    if (!lauka_is_known_where(loop->counters, where, core,
                              loop->options->commands[run->command].label,
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
    const char *core = loop->options->require_core;

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
                      core, loop->options->commands[run->command].label, REPEATS_MAX + 1, core);
}

static enum lauka_round_end lost_memory(struct lauka_error *error)
{
    lauka_loop_fail_memory(error);
    return ROUND_BROKEN;
}

/* Which events the rounds count. */
static void take_turn(struct lauka_loop *loop)
{
    loop->kind->turn(&loop->executor,
                     lauka_turns_are_taken(loop->counters, loop->options)
                         ? lauka_turns_next(loop->counters, loop->turns, loop->options)
                         : LAUKA_ALL_SETS);
}

/* What is executed for the command in a round with this pair of layouts. */
static size_t variant_of(const struct lauka_loop *loop, size_t command, uint32_t unit)
{
    const size_t layouts = loop->options->layouts;

    return layouts > 0 ? command * layouts + loop->pairs[command * layouts + unit] : command;
}

static void plan_round(struct lauka_loop *loop, size_t k, uint64_t round, bool warmup)
{
    const size_t count = loop->options->command_count, together = loop->together;
    struct lauka_plan *plan = &loop->plans[k];
    uint32_t *order = loop->orders + k * count;

    memcpy(order, lauka_schedule_next(&loop->schedule), together * sizeof *order);
    plan->padding = loop->pads ? lauka_random_below(&loop->layout, LAUKA_PADDING_MAX + 1) : 0;
    plan->layout = loop->layout;
    plan->unit = loop->options->layouts > 0 ? (uint32_t)((round + k) % loop->options->layouts) : 0;
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
                          loop->orders + k * loop->options->command_count);
}

/* What a finished run means for its round. */
static enum lauka_round_end judge_run(struct lauka_loop *loop, const struct lauka_run *run,
                                      struct lauka_error *error)
{
    struct lauka_result_command *shown = &loop->result->commands[run->command];

    lauka_mishaps_add_leftovers(&loop->mishaps, run->command, &run->sample->leftovers, shown);
    if (!lauka_loop_has_succeeded(loop, run)) {
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
        bool good = loop->options->require_core
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

/* Plans the rounds and runs them; rounds that were not begun will be drawn again. */
static enum lauka_round_end run_some(struct lauka_loop *loop, size_t rounds, uint64_t first,
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

/* ---- around the rounds ------------------------------------------------------------------------------ */

/* Outside of the rounds. */
static enum lauka_round_end end_by_hook(struct lauka_loop *loop)
{
    loop->bench->failure = loop->executor.failure;
    loop->bench->failure.outside_rounds = true;
    return ROUND_FAILED;
}

/* Of what is executed, that of the commands whose rounds come next: from the first up to the end. */
static size_t first_acting(const struct lauka_loop *loop)
{
    return loop->acting.command_count / loop->options->command_count * loop->first;
}

static size_t end_acting(const struct lauka_loop *loop)
{
    return loop->acting.command_count / loop->options->command_count *
           (loop->first + loop->together);
}

static enum lauka_round_end set_up(struct lauka_loop *loop, struct lauka_error *error)
{
    for (size_t c = first_acting(loop); c < end_acting(loop); c++) {
        if (lauka_interrupt_signal())
            return ROUND_INTERRUPTED;
        enum lauka_hook_end end =
            loop->kind->set_up ? loop->kind->set_up(&loop->executor, c, error) : LAUKA_HOOK_DONE;
        if (end == LAUKA_HOOK_BROKEN)
            return ROUND_BROKEN;
        if (lauka_interrupt_signal())
            return ROUND_INTERRUPTED;
        if (end == LAUKA_HOOK_FAILED)
            return end_by_hook(loop);
    }
    if (loop->first == 0 &&
        ((loop->kind->begin && !loop->kind->begin(&loop->executor, loop->result, error)) ||
         !lauka_valgrind_runs_open(&loop->valgrind, loop->options, loop->bench->launcher, error)))
        return ROUND_BROKEN;
    loop->sources.valgrind = &loop->valgrind;
    return lauka_outline_locate(loop->result, loop->options, loop->first,
                                loop->first + loop->together) == 0
               ? ROUND_FINISHED
               : lost_memory(error);
}

/* Runs all of them, however the others ended. */
static bool clean_up(struct lauka_loop *loop, struct lauka_error *error)
{
    bool good = true;

    for (size_t c = 0; c < loop->acting.command_count; c++) {
        struct lauka_error further;
        const bool was_interrupted = lauka_interrupt_signal() != 0;
        enum lauka_hook_end end =
            loop->kind->clean_up ? loop->kind->clean_up(&loop->executor, c, good ? error : &further)
                                 : LAUKA_HOOK_DONE;
        const bool is_ended = !was_interrupted && lauka_interrupt_signal() != 0;
        if (end == LAUKA_HOOK_FAILED && !loop->bench->failed && !is_ended) {
            end_by_hook(loop);
            loop->bench->failed = true;
            loop->result->run.stopped = LAUKA_STOPPED_FAILURE;
        }
        good = good && end != LAUKA_HOOK_BROKEN;
    }
    return good;
}

/* ---- the session ------------------------------------------------------------------------------------ */

static bool goes_on(enum lauka_round_end end)
{
    return end == ROUND_FINISHED || end == ROUND_DROPPED;
}

static enum lauka_round_end warm_up(struct lauka_loop *loop, struct lauka_error *error)
{
    enum lauka_round_end end = ROUND_FINISHED;
    uint64_t begun_ns = lauka_loop_now_ns(loop);

    for (uint64_t round = 0; goes_on(end) && round < loop->warmup; round++) {
        lauka_showing_warmup(loop, round, lauka_loop_now_ns(loop) - begun_ns);
        size_t finished;
        end = run_some(loop, 1, round, true, &finished, error);
        if (goes_on(end))
            lauka_slowdown_note(&loop->slowdown, &loop->samples[0]);
        loop->spares =
            loop->spares || (end == ROUND_FINISHED &&
                             lauka_is_to_be_spared(loop->result, loop->samples, loop->first,
                                                   loop->first + loop->together));
        if (loop->spares && (loop->sequential || !loop->bench->together))
            lauka_measurement_spare(loop->bench);
        loop->guess_ns = (lauka_loop_now_ns(loop) - begun_ns) / (round + 1);
    }
    return end;
}

/* When a gate is tried out, the last command is slowed down by what the gate must notice. */
static void slow_down(struct lauka_loop *loop)
{
    struct lauka_result_gate *gate = &loop->result->gate;
    size_t last = loop->options->command_count - 1;

    if (!gate->tried)
        return;
    uint64_t delay_ns = lauka_slowdown_ns(&loop->slowdown, loop->result);
    size_t each = loop->options->layouts ? loop->options->layouts : 1;
    for (size_t v = last * each; delay_ns > 0 && v < (last + 1) * each; v++)
        if (lauka_loop_delay(loop, v, delay_ns))
            gate->injected = (double)delay_ns;
}

static bool keep_round(struct lauka_loop *loop, size_t k)
{
    const size_t count = loop->options->command_count;
    const struct lauka_sample *samples = loop->samples + k * count;

    loop->turns[loop->counters->turn]++;
    loop->rounds.padding = (uint16_t)loop->plans[k].padding;
    loop->rounds.unit = loop->plans[k].unit;
    if (lauka_rounds_add(&loop->rounds, samples, loop->orders + k * count) != 0)
        return false;
    for (size_t c = loop->first; c < loop->first + loop->together; c++)
        lauka_core_times_add(&loop->core_times[c], &samples[c].residency,
                             loop->counters->topology.type_count);
    return true;
}

/* Room is made while nothing runs. */
static bool keep_rounds(struct lauka_loop *loop, size_t count)
{
    const uint64_t units = loop->result->benchmark.units.count, now = lauka_loop_now_ns(loop);

    for (size_t k = 0; k < count; k++) {
        if (loop->executor.inner) /* all of them are of one process of each side */
            loop->plans[k].unit = (uint32_t)units;
        if (lauka_rounds_make_room(&loop->rounds) != 0 || !keep_round(loop, k))
            return false;
        if (loop->kind->real)
            lauka_batches_round(&loop->batches, now, &loop->result->run);
    }
    return true;
}

/* Those of a fresh process of each side; fewer where so many are not wanted any more. */
static size_t rounds_of_unit(const struct lauka_loop *loop, uint64_t rounds)
{
    const struct lauka_options *options = loop->options;
    uint64_t most = options->rounds ? options->rounds : options->max_rounds;
    uint64_t unit = loop->executor.unit_rounds;

    unit = unit < loop->rounds_most ? unit : loop->rounds_most;
    return (size_t)(most > rounds && most - rounds < unit ? most - rounds : unit);
}

/* How many rounds to ask for at once. */
static size_t rounds_at_once(const struct lauka_loop *loop)
{
    uint64_t spent_ns = loop->spent_ns, rounds = loop->result->run.rounds;

    if (loop->executor.inner)
        return rounds_of_unit(loop, rounds);
    if (!loop->kind->real || rounds == 0 || loop->options->require_core)
        return 1;
    uint64_t most = LAUKA_BATCH_NS / (spent_ns / rounds + 1);
    uint64_t ahead = lauka_enough_ahead(&loop->enough, spent_ns);
    if (lauka_turns_are_taken(loop->counters, loop->options))
        ahead = lauka_turns_at_once(loop->counters, loop->turns, loop->options, ahead);
    most = most < ahead ? most : ahead;
    most = most < loop->rounds_most ? most : loop->rounds_most;
    return most > 0 ? (size_t)most : 1;
}

static enum lauka_round_end measure_some(struct lauka_loop *loop, struct lauka_error *error)
{
    uint64_t dropped = loop->mishaps.dropped_rounds - loop->dropped_before;
    uint64_t round = loop->result->run.rounds + dropped;
    size_t finished;

    lauka_showing_round(loop);
    enum lauka_round_end end = run_some(loop, rounds_at_once(loop), round, false, &finished, error);
    if (!keep_rounds(loop, finished))
        return lost_memory(error);
    if (end == ROUND_DROPPED)
        lauka_schedule_drop(&loop->schedule);
    return end;
}

static void note_course(struct lauka_loop *loop)
{
    struct lauka_result_run *run = &loop->result->run;

    lauka_loop_note_so_far(loop);
    run->stopped = loop->end == ROUND_FAILED        ? LAUKA_STOPPED_FAILURE
                   : loop->end == ROUND_INTERRUPTED ? LAUKA_STOPPED_INTERRUPTED
                   : loop->end == ROUND_BROKEN      ? LAUKA_STOPPED_ERROR
                                                    : loop->why;
    run->dropped = loop->mishaps.dropped_rounds;
    loop->bench->failed = loop->end == ROUND_FAILED;
    run->alpha = lauka_enough_alpha(&loop->enough, run->stopped);
    run->rss_floor = loop->kind->rss_floor ? loop->kind->rss_floor(&loop->executor) : 0;
}

/* What the rounds have shown about the counters. */
static bool warn_about_counts(struct lauka_loop *loop)
{
    return lauka_miscounts_warn(&loop->miscounts, loop->result) == 0 &&
           lauka_counter_notes_shared(loop->counters, loop->turns, loop->options, loop->result) ==
               0;
}

static bool warn_about_cores(struct lauka_loop *loop)
{
    struct lauka_result *result = loop->result;

    for (size_t c = 0; c < result->command_count; c++) {
        char text[500];
        snprintf(text, sizeof text,
                 "--require-core %.50s: %llu run%s of `%.200s` on other cores had to be repeated",
                 loop->options->require_core ? loop->options->require_core : "",
                 (unsigned long long)loop->repeats[c], loop->repeats[c] == 1 ? "" : "s",
                 result->commands[c].label);
        if (loop->repeats[c] > 0 && lauka_result_warn(result, text) != 0)
            return false;
    }
    return lauka_core_times_judge(loop->core_times, loop->counters, result) == 0;
}

/* ---- one step after the other ----------------------------------------------------------------------- */

/* What --budget leaves to a command that has its rounds alone; 0: there is none. */
static uint64_t own_budget(const struct lauka_options *options)
{
    return options->budget_ns > 0
               ? options->budget_ns / options->command_count / options->benchmark_count + 1
               : 0;
}

/* Everything before the measured rounds. */
static enum lauka_round_end begin(struct lauka_loop *loop, struct lauka_error *error)
{
    const uint64_t begun_ns = lauka_loop_now_ns(loop);
    if (loop->unstartable && loop->sequential) /* it will have been the last one */
        loop->first = loop->bench->failure.command;
    enum lauka_round_end end = lauka_interrupt_signal() ? ROUND_INTERRUPTED
                               : loop->unstartable      ? ROUND_FAILED
                                                        : set_up(loop, error);

    if (end == ROUND_FINISHED)
        end = lauka_valgrind_runs_all(loop, error);
    if (end == ROUND_FINISHED && loop->kind->real &&
        lauka_placement_make(lauka_loop_executables(loop), &loop->acting) != 0)
        end = lost_memory(error);
    if (end == ROUND_FINISHED)
        end = warm_up(loop, error);
    lauka_schedule_restart(&loop->schedule);
    if (goes_on(end))
        slow_down(loop);
    uint64_t gone_ns = lauka_loop_now_ns(loop) - begun_ns, own_ns = own_budget(loop->options);
    loop->before_ns += gone_ns;
    if (loop->sequential && own_ns > 0)
        loop->enough.allowed_ns = own_ns > gone_ns ? own_ns - gone_ns : 1;
    return end;
}

/* --order sequential: after the last round of a command come its cleanup and the setup of the next one. */
static enum lauka_round_end take_next_command(struct lauka_loop *loop, struct lauka_error *error)
{
    struct lauka_result_run *run = &loop->result->run;

    if (loop->first == 0) /* whatever comes, it is known of the first command then */
        loop->kept_ns = 0;
    lauka_loop_keep(loop);
    if (!lauka_counters_had_turns(loop->counters, loop->turns, loop->options, error) ||
        !clean_up(loop, error))
        return ROUND_BROKEN;
    if (loop->bench->failed || lauka_interrupt_signal())
        return loop->bench->failed ? ROUND_FAILED : ROUND_INTERRUPTED;
    lauka_loop_note_rounds(loop, run);
    loop->most_rounds = run->rounds;
    loop->dropped_before = loop->mishaps.dropped_rounds;
    loop->earlier_ns += loop->spent_ns;
    loop->spent_ns = loop->guess_ns = 0;
    memset(loop->turns, 0, sizeof loop->turns);
    if (loop->kind->real)
        lauka_batches_restart(&loop->batches, lauka_loop_now_ns(loop), run);
    loop->first++;
    lauka_schedule_turn_to(&loop->schedule, loop->first);
    lauka_rounds_turn_to(&loop->rounds, loop->first);
    loop->enough_known = false;
    return begin(loop, error);
}

bool lauka_measurement_open(struct lauka_measurement *bench, struct lauka_error *error)
{
    struct lauka_loop *loop = bench->loop = calloc(1, sizeof *loop);

    if (!loop)
        return lauka_loop_fail_memory(error);
    loop->bench = bench;
    loop->options = bench->options;
    loop->result = bench->result;
    loop->kind = bench->kind                 ? bench->kind
                 : bench->options->pretended ? &lauka_pretended
                                             : &lauka_launched;
    lauka_layouts_act(bench->options, &loop->acting);
    loop->sequential = bench->options->order == LAUKA_ORDER_SEQUENTIAL;
    loop->together = loop->sequential ? 1 : bench->options->command_count;
    loop->warmup = bench->options->warmup * (bench->options->layouts ? bench->options->layouts : 1);
    loop->executor = (struct lauka_executor){.options = &loop->acting,
                                             .mishaps = &loop->mishaps,
                                             .together = loop->together,
                                             .seed = bench->options->seed + bench->lot,
                                             .context = bench->kind_context,
                                             .launcher = bench->launcher};
    loop->end = ROUND_BROKEN;
    loop->why = LAUKA_STOPPED_ROUNDS;
    uint64_t opened_ns = lauka_loop_now_ns(loop);
    loop->prepared = lauka_loop_prepare(loop, error);
    loop->before_ns = lauka_loop_now_ns(loop) - opened_ns;
    if (loop->prepared)
        loop->end = begin(loop, error);
    loop->kept_ns = lauka_loop_now_ns(loop);
    if (loop->prepared && loop->kind->real)
        lauka_batches_begin(&loop->batches, lauka_loop_now_ns(loop),
                            loop->counters->topology.cpu_count);
    return loop->end != ROUND_BROKEN;
}

bool lauka_measurement_goes_on(const struct lauka_measurement *bench)
{
    return bench->loop && !bench->loop->enough_known && goes_on(bench->loop->end);
}

uint64_t lauka_measurement_left_ns(const struct lauka_measurement *bench)
{
    const struct lauka_loop *loop = bench->loop;

    return lauka_measurement_goes_on(bench)
               ? lauka_enough_left_ns(&loop->enough, loop->spent_ns, loop->guess_ns)
               : 0;
}

bool lauka_measurement_step(struct lauka_measurement *bench, struct lauka_error *error)
{
    struct lauka_loop *loop = bench->loop;
    uint64_t begun_ns = lauka_loop_now_ns(loop);

    loop->enough_known = lauka_enough(&loop->enough, loop->spent_ns, &loop->why);
    if (!loop->enough_known) {
        loop->end = measure_some(loop, error);
        lauka_loop_keep(loop);
    }
    loop->spent_ns += lauka_loop_now_ns(loop) - begun_ns;
    if (loop->enough_known && loop->first + loop->together < loop->options->command_count)
        loop->end = take_next_command(loop, error);
    return loop->end != ROUND_BROKEN;
}

/* What is said about the rounds once they are over. */
static enum lauka_round_end conclude(struct lauka_loop *loop, struct lauka_error *error)
{
    enum lauka_round_end end = loop->end;
    struct lauka_error further;

    lauka_progress_clear(&loop->progress);
    if (loop->progress.enabled)
        lauka_launcher_tick(loop->bench->launcher, 0, NULL, NULL);
    lauka_batches_end(&loop->batches, lauka_loop_now_ns(loop), &loop->result->run);
    note_course(loop);
    if (goes_on(end) &&
        !lauka_counters_had_turns(loop->counters, loop->turns, loop->options, error))
        end = ROUND_BROKEN;
    if (!warn_about_counts(loop) || !warn_about_cores(loop) ||
        lauka_mishaps_warn(&loop->mishaps, loop->result) != 0 ||
        (loop->sequential && loop->options->command_count > 1 &&
         lauka_loop_conclude_sequence(loop) != 0))
        end = lost_memory(end == ROUND_BROKEN ? &further : error);
    return end;
}

static void release(struct lauka_loop *loop)
{
    loop->kind->close(&loop->executor);
    lauka_enough_done(&loop->enough);
    lauka_rounds_done(&loop->rounds);
    lauka_schedule_done(&loop->schedule);
    free(loop->runs);
    free(loop->figures);
    free(loop->pairs);
    free(loop->orders);
    free(loop->plans);
    free(loop->samples);
    free(loop->readings);
    free(loop->core_times);
    free(loop->repeats);
    lauka_mishaps_done(&loop->mishaps);
    lauka_executables_done(&loop->executables);
    lauka_miscounts_done(&loop->miscounts);
    free(loop);
}

bool lauka_measurement_close(struct lauka_measurement *bench, struct lauka_error *error)
{
    struct lauka_loop *loop = bench->loop;
    struct lauka_error further;
    enum lauka_round_end end;

    if (!loop) /* there was no memory for it */
        return false;
    if (lauka_measurement_goes_on(bench)) /* others go no further */
        loop->end = lauka_interrupt_signal() ? ROUND_INTERRUPTED : ROUND_BROKEN;
    end = loop->end;
    bench->gone_ns = loop->before_ns + loop->earlier_ns + loop->spent_ns;
    if (loop->prepared)
        end = conclude(loop, end == ROUND_BROKEN ? &further : error);
    if (goes_on(end) && !loop->sequential &&
        !(lauka_traced_runs_run(loop, error) && lauka_sampled_rounds_run(loop, error)))
        end = ROUND_BROKEN;
    lauka_valgrind_runs_close(&loop->valgrind);
    if (!clean_up(loop, end == ROUND_BROKEN ? &further : error))
        end = ROUND_BROKEN;
    if (goes_on(end) && !bench->failed && lauka_interrupt_signal()) /* what follows is missing */
        bench->result->run.stopped = LAUKA_STOPPED_INTERRUPTED;
    if (bench->failed && lauka_failure_note(&bench->failure, bench->result) != 0)
        end = lost_memory(end == ROUND_BROKEN ? &further : error);
    release(loop);
    bench->loop = NULL;
    if (!bench->together)
        lauka_poured_done(&bench->poured);
    return end != ROUND_BROKEN;
}

/* ---- beside others ---------------------------------------------------------------------------------- */

bool lauka_measurement_would_spare(const struct lauka_measurement *bench)
{
    return bench->loop && bench->loop->spares;
}

void lauka_measurement_spare(struct lauka_measurement *bench)
{
    if (bench->loop->kind->spare)
        bench->loop->kind->spare(&bench->loop->executor);
}

uint64_t lauka_measurement_gone_ns(const struct lauka_measurement *bench)
{
    return bench->loop ? bench->loop->before_ns : bench->gone_ns;
}

void lauka_measurement_allow(struct lauka_measurement *bench, uint64_t allowed_ns)
{
    if (bench->loop)
        bench->loop->enough.allowed_ns = allowed_ns;
}

bool lauka_measurement_run(struct lauka_measurement *bench, struct lauka_error *error)
{
    struct lauka_error further;
    bool good = lauka_measurement_open(bench, error);
    uint64_t budget_ns = bench->options->budget_ns, gone_ns = lauka_measurement_gone_ns(bench);

    if (budget_ns > 0 && bench->options->order != LAUKA_ORDER_SEQUENTIAL)
        lauka_measurement_allow(bench, budget_ns > gone_ns ? budget_ns - gone_ns : 1);
    while (good && lauka_measurement_goes_on(bench))
        good = lauka_measurement_step(bench, error);
    return lauka_measurement_close(bench, good ? error : &further) && good;
}
