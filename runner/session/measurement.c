/* The loop of one benchmark: schedule x run -> series. A round counts only when every command has finished
 * it, so that all series stay paired. However the benchmark ends, its finished rounds are reported. */
#include "runner/session/session.h"
#include "runner/session/loop.h"
#include "pmu/counters/counters.h"
#include "pmu/events/events.h"
#include "report/result/result.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/gate/gate.h"
#include "runner/launch/launch.h"
#include "runner/metrics/metrics.h"
#include "runner/options.h"
#include "runner/options/options.h"
#include "stats/stats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- batches of rounds, and what the machine lacked in each ----------------------------------------- */

enum { SECOND_NS = 1000000000 };

/* The measured rounds begin. */
static void batches_begin(struct lauka_batches *batches, uint64_t now_ns, unsigned cpu_count)
{
    *batches = (struct lauka_batches){
        .start_ns = now_ns, .last_ns = now_ns, .interval_ns = SECOND_NS, .cpu_count = cpu_count};
    lauka_disturbance_read(&batches->at_start);
    batches->at_last = batches->at_start;
}

/* The part of so many CPUs' time that it comes to. */
static struct lauka_optional share_of(uint64_t now, uint64_t before, uint64_t spent_ns,
                                      uint64_t cpus)
{
    bool known = now != LAUKA_UNKNOWN && before != LAUKA_UNKNOWN && spent_ns > 0 && cpus > 0;
    double share =
        known && now > before ? (double)(now - before) / (double)spent_ns / (double)cpus : 0;

    return (struct lauka_optional){known, share < 1 ? share : 1};
}

/* Steal is counted in ticks of 10 ms: over less than a second it is meaningless. */
static struct lauka_optional steal_of(const struct lauka_batches *batches, uint64_t now,
                                      uint64_t before, uint64_t spent_ns)
{
    struct lauka_optional share = share_of(now, before, spent_ns, batches->cpu_count);

    return spent_ns >= SECOND_NS ? share : (struct lauka_optional){0};
}

/* The average of both, weighted by their times. Unknown if one is unknown. */
static struct lauka_optional mean_of(struct lauka_optional a, struct lauka_optional b,
                                     double share_of_a)
{
    bool known = a.known && b.known;

    return (struct lauka_optional){known,
                                   known ? share_of_a * a.value + (1 - share_of_a) * b.value : 0};
}

static struct lauka_batch joined(const struct lauka_batch *a, const struct lauka_batch *b)
{
    double seconds = a->seconds + b->seconds, share = seconds > 0 ? a->seconds / seconds : 0;

    return (struct lauka_batch){.rounds = a->rounds + b->rounds,
                                .seconds = seconds,
                                .pressure = mean_of(a->pressure, b->pressure, share),
                                .steal = mean_of(a->steal, b->steal, share)};
}

/* Joins batches in pairs; from here on each takes twice as long. */
static void make_room(struct lauka_batches *batches, struct lauka_result_run *run)
{
    if (run->batch_count < LAUKA_BATCHES_MAX)
        return;
    for (size_t i = 0; i < LAUKA_BATCHES_MAX / 2; i++)
        run->batches[i] = joined(&run->batches[2 * i], &run->batches[2 * i + 1]);
    run->batch_count = LAUKA_BATCHES_MAX / 2;
    batches->interval_ns *= 2;
}

static void end_batch(struct lauka_batches *batches, uint64_t now_ns, struct lauka_result_run *run)
{
    struct lauka_disturbance now, last = batches->at_last;
    uint64_t spent_ns = now_ns - batches->last_ns;

    lauka_disturbance_read(&now);
    make_room(batches, run);
    run->batches[run->batch_count++] = (struct lauka_batch){
        .rounds = run->rounds - batches->rounds,
        .seconds = (double)spent_ns / 1e9,
        .pressure = share_of(now.pressure_ns, last.pressure_ns, spent_ns, 1),
        .steal = steal_of(batches, now.steal_ns, last.steal_ns, spent_ns),
    };
    batches->at_last = now;
    batches->last_ns = now_ns;
    batches->rounds = run->rounds;
}

/* A round has ended, or the last one has: ends a batch if it has taken a second, or longer if there are
 * many. Costs nothing else. */
static void batches_round(struct lauka_batches *batches, uint64_t now_ns,
                          struct lauka_result_run *run)
{
    if (now_ns - batches->last_ns >= batches->interval_ns)
        end_batch(batches, now_ns, run);
}

/* The rounds that follow are counted from 0 on. */
static void batches_restart(struct lauka_batches *batches, uint64_t now_ns,
                            struct lauka_result_run *run)
{
    if (batches->start_ns > 0 && run->rounds > batches->rounds)
        end_batch(batches, now_ns, run);
    batches->rounds = 0;
}

/* The last batch, and what they come to: run->pressure and run->steal. */
static void batches_end(struct lauka_batches *batches, uint64_t now_ns,
                        struct lauka_result_run *run)
{
    const struct lauka_disturbance *first = &batches->at_start, *last = &batches->at_last;
    uint64_t spent_ns = now_ns - batches->start_ns;

    if (batches->start_ns == 0)
        return;
    if (run->rounds > batches->rounds)
        end_batch(batches, now_ns, run);
    else
        lauka_disturbance_read(&batches->at_last);
    run->pressure = share_of(last->pressure_ns, first->pressure_ns, spent_ns, 1);
    run->steal = steal_of(batches, last->steal_ns, first->steal_ns, spent_ns);
}

/* ---- what short runs are spared ------------------------------------------------------------------ */

/* Extra measurements take some 40 us a run: nothing beside 10 ms, but half of what starting and reaping a
 * small program takes. */
#define SHORT_NS 1000000u

static const char *const in_passing[] = {"run_delay", "cpus_used", "cpu_migrations"};

static bool is_asked_for(const struct lauka_result *result)
{
    for (size_t i = 0; i < sizeof in_passing / sizeof *in_passing; i++) {
        size_t m = lauka_result_metric_index(result, in_passing[i]);
        if (m < result->metric_count && lauka_result_is_shown(result, m))
            return true;
    }
    return false;
}

/* The same for all commands: the shortest run decides. */
bool lauka_is_to_be_spared(const struct lauka_result *result, const struct lauka_sample *samples,
                           size_t first, size_t end)
{
    uint64_t shortest = UINT64_MAX;

    for (size_t c = first; c < end; c++)
        if (samples[c].usage.values[LAUKA_WALL_TIME] < shortest)
            shortest = samples[c].usage.values[LAUKA_WALL_TIME];
    return shortest < SHORT_NS && !is_asked_for(result);
}

/* ---- around the rounds ------------------------------------------------------------------------------ */

/* Whether that is the fault of a command that comes after others. */
static bool cannot_start(struct lauka_loop *loop, const struct lauka_error *error)
{
    if (loop->first == 0 || loop->options->run.commands[loop->first].hooks[LAUKA_HOOK_SETUP] ||
        !lauka_loop_take_error(loop, error))
        return false;
    loop->bench->failure.command = loop->first;
    return true;
}

static enum lauka_round_end set_up(struct lauka_loop *loop, struct lauka_error *error)
{
    for (size_t c = lauka_loop_first_acting(loop); c < lauka_loop_end_acting(loop); c++) {
        if (lauka_interrupt_signal())
            return ROUND_INTERRUPTED;
        enum lauka_hook_end end =
            loop->kind->set_up ? loop->kind->set_up(&loop->executor, c, error) : LAUKA_HOOK_DONE;
        if (end == LAUKA_HOOK_BROKEN)
            return cannot_start(loop, error) ? ROUND_FAILED : ROUND_BROKEN;
        if (lauka_interrupt_signal())
            return ROUND_INTERRUPTED;
        if (end == LAUKA_HOOK_FAILED)
            return lauka_loop_end_outside(loop);
    }
    const size_t end = loop->first + loop->together;
    if (loop->first == 0 && loop->kind->begin &&
        !loop->kind->begin(&loop->executor, loop->result, error))
        return ROUND_BROKEN;
    if (!lauka_valgrind_runs_open(&loop->valgrind, loop->options, loop->bench->launcher,
                                  loop->first, end, error))
        return ROUND_BROKEN;
    loop->sources.valgrind = &loop->valgrind;
    return lauka_outline_locate(loop->result, loop->options, loop->first, end) == 0
               ? ROUND_FINISHED
               : lauka_loop_lose_memory(error);
}

/* Runs all of them, however the others ended. */
static bool clean_up(struct lauka_loop *loop, struct lauka_error *error)
{
    bool good = true;

    for (size_t c = 0; c < loop->acting.run.command_count; c++) {
        struct lauka_error further;
        const bool was_interrupted = lauka_interrupt_signal() != 0;
        enum lauka_hook_end end =
            loop->kind->clean_up ? loop->kind->clean_up(&loop->executor, c, good ? error : &further)
                                 : LAUKA_HOOK_DONE;
        const bool is_ended = !was_interrupted && lauka_interrupt_signal() != 0;
        if (end == LAUKA_HOOK_FAILED && !loop->bench->failed && !is_ended) {
            lauka_loop_end_outside(loop);
            loop->bench->failed = true;
            loop->result->run.stopped = LAUKA_STOPPED_FAILURE;
        }
        good = good && end != LAUKA_HOOK_BROKEN;
    }
    return good;
}

/* ---- the session ------------------------------------------------------------------------------------ */

/* What passed since then, but for the part that other benchmarks pay of processes that run all of them. */
static uint64_t own_ns_since(struct lauka_loop *loop, uint64_t begun_ns)
{
    int64_t own_ns = (int64_t)(lauka_loop_now_ns(loop) - begun_ns) + loop->executor.owed_ns;

    loop->executor.owed_ns = 0;
    return own_ns > 0 ? (uint64_t)own_ns : 0;
}

static enum lauka_round_end warm_up(struct lauka_loop *loop, struct lauka_error *error)
{
    enum lauka_round_end end = ROUND_FINISHED;
    uint64_t begun_ns = lauka_loop_now_ns(loop);

    for (uint64_t round = 0; lauka_round_goes_on(end) && round < loop->warmup; round++) {
        lauka_showing_warmup(loop, round);
        size_t finished;
        end = lauka_loop_run_rounds(loop, 1, round, true, &finished, error);
        if (lauka_round_goes_on(end))
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
    size_t last = loop->options->run.command_count - 1;

    if (!gate->tried)
        return;
    uint64_t delay_ns = lauka_slowdown_ns(&loop->slowdown, loop->result);
    size_t each = loop->options->run.layouts ? loop->options->run.layouts : 1;
    for (size_t v = last * each; delay_ns > 0 && v < (last + 1) * each; v++)
        if (lauka_loop_delay(loop, v, delay_ns))
            gate->injected = (double)delay_ns;
}

static bool keep_round(struct lauka_loop *loop, size_t k)
{
    const size_t count = loop->options->run.command_count;
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
        if (loop->executor.shares_units) /* all of them are of one process of each side */
            loop->plans[k].unit = (uint32_t)units;
        if (lauka_rounds_make_room(&loop->rounds) != 0 || !keep_round(loop, k))
            return false;
        if (loop->kind->real)
            batches_round(&loop->batches, now, &loop->result->run);
    }
    return true;
}

/* Those of a fresh process of each side; fewer where so many are not wanted any more. */
static size_t rounds_of_unit(const struct lauka_loop *loop, uint64_t rounds)
{
    const struct lauka_options *options = loop->options;
    uint64_t most = options->measure.rounds ? options->measure.rounds : options->measure.max_rounds;
    uint64_t unit = loop->executor.unit_rounds;

    unit = unit < loop->rounds_most ? unit : loop->rounds_most;
    return (size_t)(most > rounds && most - rounds < unit ? most - rounds : unit);
}

/* How many rounds to ask for at once. */
static size_t rounds_at_once(const struct lauka_loop *loop)
{
    uint64_t spent_ns = loop->spent_ns, rounds = loop->result->run.rounds;

    if (loop->executor.shares_units)
        return rounds_of_unit(loop, rounds);
    if (!loop->kind->real || rounds == 0 || loop->options->measure.require_core)
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
    enum lauka_round_end end =
        lauka_loop_run_rounds(loop, rounds_at_once(loop), round, false, &finished, error);
    if (!keep_rounds(loop, finished))
        return lauka_loop_lose_memory(error);
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
                 loop->options->measure.require_core ? loop->options->measure.require_core : "",
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
    return options->measure.budget_ns > 0
               ? options->measure.budget_ns / options->run.command_count /
                         options->run.benchmark_count +
                     1
               : 0;
}

/* So that files are placed before the first round. A setup will make those that are missing. */
static void locate_all(const struct lauka_options *options)
{
    struct lauka_error ignored;

    for (size_t c = 0; c < options->run.command_count; c++)
        (void)lauka_command_locate(&options->run.commands[c], &ignored);
}

/* Everything before the measured rounds. */
static enum lauka_round_end begin(struct lauka_loop *loop, struct lauka_error *error)
{
    const uint64_t begun_ns = lauka_loop_now_ns(loop);
    if (loop->sequential && loop->first == 0 && loop->kind->real)
        locate_all(loop->options);
    enum lauka_round_end end = lauka_interrupt_signal() ? ROUND_INTERRUPTED
                               : loop->unstartable      ? ROUND_FAILED
                                                        : set_up(loop, error);

    if (end == ROUND_FINISHED)
        end = lauka_same_output_before(loop, error);
    if (end == ROUND_FINISHED && loop->kind->real &&
        lauka_placement_make(lauka_loop_executables(loop), &loop->acting) != 0)
        end = lauka_loop_lose_memory(error);
    if (end == ROUND_FINISHED)
        end = warm_up(loop, error);
    if (lauka_round_goes_on(end)) /* the warm-up has shown how long these runs will take */
        end = lauka_valgrind_runs_all(loop, error);
    lauka_schedule_restart(&loop->schedule);
    if (lauka_round_goes_on(end))
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
    if (!lauka_counters_had_turns(loop->counters, loop->turns, loop->options, error))
        return ROUND_BROKEN;
    enum lauka_round_end same = lauka_same_output_after(loop, error);
    if (!clean_up(loop, error) || same == ROUND_BROKEN)
        return ROUND_BROKEN;
    if (same != ROUND_FINISHED)
        return same;
    if (loop->bench->failed || lauka_interrupt_signal())
        return loop->bench->failed ? ROUND_FAILED : ROUND_INTERRUPTED;
    lauka_loop_note_rounds(loop, run);
    loop->most_rounds = run->rounds;
    loop->dropped_before = loop->mishaps.dropped_rounds;
    loop->mishaps.earlier = loop->mishaps.failures;
    loop->earlier_ns += loop->spent_ns;
    loop->spent_ns = loop->guess_ns = 0;
    memset(loop->turns, 0, sizeof loop->turns);
    if (loop->kind->real)
        batches_restart(&loop->batches, lauka_loop_now_ns(loop), run);
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
    loop->kind = bench->kind                         ? bench->kind
                 : bench->options->measure.pretended ? &lauka_pretended
                                                     : &lauka_launched;
    lauka_layouts_act(bench->options, &loop->acting);
    loop->sequential = bench->options->measure.order == LAUKA_ORDER_SEQUENTIAL;
    loop->together = loop->sequential ? 1 : bench->options->run.command_count;
    loop->warmup = bench->options->measure.warmup *
                   (bench->options->run.layouts ? bench->options->run.layouts : 1);
    loop->executor =
        (struct lauka_executor){.options = &loop->acting,
                                .mishaps = &loop->mishaps,
                                .together = loop->sequential ? 1 : loop->acting.run.command_count,
                                .seed = bench->options->measure.seed + bench->lot,
                                .context = bench->kind_context,
                                .launcher = bench->launcher};
    loop->executor.sharing = bench->sharing;
    loop->end = ROUND_BROKEN;
    loop->why = LAUKA_STOPPED_ROUNDS;
    uint64_t opened_ns = lauka_loop_now_ns(loop);
    loop->prepared = lauka_loop_prepare(loop, error);
    loop->before_ns = own_ns_since(loop, opened_ns);
    loop->guess_ns = loop->executor.round_ns;
    if (loop->prepared)
        loop->end = begin(loop, error);
    loop->kept_ns = lauka_loop_now_ns(loop);
    if (loop->prepared && loop->kind->real)
        batches_begin(&loop->batches, lauka_loop_now_ns(loop), loop->counters->topology.cpu_count);
    return loop->end != ROUND_BROKEN;
}

bool lauka_measurement_step(struct lauka_measurement *bench, struct lauka_error *error)
{
    struct lauka_loop *loop = bench->loop;
    uint64_t begun_ns = lauka_loop_now_ns(loop);

    loop->executor.sharing = bench->sharing;
    loop->enough_known = lauka_enough(&loop->enough, loop->spent_ns, &loop->why);
    if (!loop->enough_known) {
        loop->end = measure_some(loop, error);
        lauka_loop_keep(loop);
    }
    loop->spent_ns += own_ns_since(loop, begun_ns);
    if (loop->guess_ns == 0 && loop->result->run.rounds > 0) /* there was no warm-up */
        loop->guess_ns = loop->spent_ns / loop->result->run.rounds;
    if (loop->enough_known && loop->first + loop->together < loop->options->run.command_count)
        loop->end = take_next_command(loop, error);
    return loop->end != ROUND_BROKEN;
}

/* What is said about the rounds once they are over. */
static enum lauka_round_end conclude(struct lauka_loop *loop, struct lauka_error *error)
{
    enum lauka_round_end end = loop->end;
    struct lauka_error further;

    lauka_progress_clear();
    if (loop->progress.enabled)
        lauka_launcher_tick(loop->bench->launcher, 0, NULL, NULL);
    batches_end(&loop->batches, lauka_loop_now_ns(loop), &loop->result->run);
    note_course(loop);
    if (lauka_round_goes_on(end) &&
        !lauka_counters_had_turns(loop->counters, loop->turns, loop->options, error))
        end = ROUND_BROKEN;
    if (!warn_about_counts(loop) || !warn_about_cores(loop) ||
        lauka_mishaps_warn(&loop->mishaps, loop->result) != 0 ||
        (loop->sequential && loop->options->run.command_count > 1 &&
         lauka_loop_conclude_sequence(loop) != 0))
        end = lauka_loop_lose_memory(end == ROUND_BROKEN ? &further : error);
    return end;
}

/* A difference ends the session as a failed hook does that comes after the last round. */
static enum lauka_round_end compare_output_again(struct lauka_loop *loop, enum lauka_round_end end,
                                                 struct lauka_error *error)
{
    enum lauka_round_end same = lauka_same_output_after(loop, error);

    if (same == ROUND_FAILED) {
        loop->bench->failed = true;
        loop->result->run.stopped = LAUKA_STOPPED_FAILURE;
    }
    return same == ROUND_BROKEN ? ROUND_BROKEN : end;
}

static void release(struct lauka_loop *loop)
{
    lauka_same_output_done(loop);
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
    if (lauka_loop_goes_on(bench->loop)) /* others go no further */
        loop->end = lauka_interrupt_signal() ? ROUND_INTERRUPTED : ROUND_BROKEN;
    end = loop->end;
    bench->gone_ns = loop->before_ns + loop->earlier_ns + loop->spent_ns;
    if (loop->prepared)
        end = conclude(loop, end == ROUND_BROKEN ? &further : error);
    if (lauka_round_goes_on(end) && !bench->failed)
        end = compare_output_again(loop, end, error);
    if (lauka_round_goes_on(end) && !bench->failed && !loop->sequential &&
        !(lauka_traced_runs_run(loop, error) && lauka_sampled_rounds_run(loop, error)))
        end = ROUND_BROKEN;
    lauka_valgrind_runs_close(&loop->valgrind);
    if (!clean_up(loop, end == ROUND_BROKEN ? &further : error))
        end = ROUND_BROKEN;
    if (lauka_round_goes_on(end) && !bench->failed &&
        lauka_interrupt_signal()) /* what follows is missing */
        bench->result->run.stopped = LAUKA_STOPPED_INTERRUPTED;
    if (bench->failed && lauka_failure_note(&bench->failure, bench->result) != 0)
        end = lauka_loop_lose_memory(end == ROUND_BROKEN ? &further : error);
    release(loop);
    bench->loop = NULL;
    if (!bench->together)
        lauka_poured_done(&bench->poured);
    return end != ROUND_BROKEN;
}

/* ---- beside others ---------------------------------------------------------------------------------- */

void lauka_measurement_spare(struct lauka_measurement *bench)
{
    if (bench->loop->kind->spare)
        bench->loop->kind->spare(&bench->loop->executor);
}
