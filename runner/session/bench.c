/* The loop: schedule x run -> series. A round counts only when every command has finished it, so that
 * all series stay paired; whatever ends the session, the finished rounds are reported. */
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

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct loop { /* the state of one session */
    struct lauka_bench *bench;
    const struct lauka_options *options;
    struct lauka_result *result;
    struct lauka_schedule schedule;
    const struct lauka_counters *counters;
    struct lauka_counters simulated_counters;
    struct lauka_progress progress;
    struct lauka_hooks hooks;     /* unused when simulated */
    struct lauka_sample *samples; /* owned; the round under way, by command */
    struct lauka_rounds rounds;
    struct lauka_enough enough;
    struct lauka_slowdown slowdown;      /* of a gate that is tried out */
    uint64_t opened_ns;                  /* when the session began */
    uint64_t kept_ns;                    /* when what was known was kept last */
    uint64_t started_ns;                 /* when the measured rounds began */
    struct lauka_batches batches;
    struct lauka_core_times *core_times; /* owned; by command */
    uint64_t *repeats;                   /* owned; by command: runs repeated for --require-core */
    uint64_t *iterations;       /* owned; by command: how often it was run, warm-up included */
    struct lauka_random layout; /* of the environment's size */
    size_t padding, place;      /* of the round under way, and in it of the run */
    struct lauka_mishaps mishaps;
    struct lauka_miscounts miscounts;
    struct lauka_valgrind_runs valgrind;
    uint64_t turns[LAUKA_ALL_SETS + 1]; /* rounds in which each set of events was counted */
    bool hook_failed;      /* then the session ends */
    bool unstartable;      /* a command is, which is all there will be to report */
    uint64_t simulated_ns; /* simulated sessions have a clock of their own */
};

static bool no_memory(struct lauka_error *error)
{
    return lauka_fail(error, LAUKA_EXIT_INTERNAL,
                      "out of memory; use fewer rounds (-r) or less time (--max-time)");
}

static uint64_t now_ns(const struct loop *loop)
{
    return loop->options->simulated ? loop->simulated_ns : lauka_now_ns();
}

/* ---- before the first round ------------------------------------------------------------------------- */

static bool open_counters(struct loop *loop, struct lauka_error *error)
{
    size_t count;
    const struct lauka_event *events =
        loop->options->simulated ? lauka_default_events(&count) : lauka_native_events(&count);

    if (loop->options->events_given) {
        events = loop->options->events.events;
        count = loop->options->events.count;
    }
    if (!loop->options->simulated) {
        bool good =
            lauka_launcher_count(loop->bench->launcher, events, count, &loop->counters, error);
        if (good)
            lauka_launcher_sample(loop->bench->launcher, loop->options->period_ns);
        return good;
    }
    lauka_simulated_open(&loop->simulated_counters, loop->options->scenario, events, count);
    loop->counters = &loop->simulated_counters;
    return true;
}

/* What is asked of the counters beyond doing their best. */
static bool counters_suffice(const struct loop *loop, struct lauka_error *error)
{
    char text[800];
    const char *taken = lauka_counters_taken(loop->counters);

    if (loop->options->require_counters && lauka_counters_advice(loop->counters, text, sizeof text))
        return lauka_fail(error, LAUKA_EXIT_HOST, "--require-counters: %s", text);
    if (!lauka_counters_get_turns(loop->counters, loop->options, error))
        return false;
    if (loop->counters->whole_runs && loop->counters->set_count > 1 &&
        loop->options->multiplex != LAUKA_MULTIPLEX_ROUNDS)
        return lauka_fail(error, LAUKA_EXIT_HOST,
                          "--events: %s; or let rounds take turns with --multiplex=rounds",
                          loop->counters->conflict);
    if (loop->options->multiplex != LAUKA_MULTIPLEX_NEVER || loop->counters->set_count == 1)
        return true;
    lauka_counters_list_set(loop->counters, 0, text, sizeof text);
    return lauka_fail(error, LAUKA_EXIT_HOST,
                      "--no-multiplex: the events do not fit onto the counters together; these "
                      "do: %s%s%s; or let rounds take turns with --multiplex=rounds",
                      text, taken ? "; " : "", taken ? taken : "");
}

/* Which events the round counts. */
static void take_turn(struct loop *loop, uint64_t round)
{
    unsigned turn = loop->options->multiplex == LAUKA_MULTIPLEX_ROUNDS
                        ? (unsigned)(round % loop->counters->set_count)
                        : LAUKA_ALL_SETS;

    if (loop->options->simulated)
        loop->simulated_counters.turn = (uint8_t)turn;
    else
        lauka_launcher_turn(loop->bench->launcher, turn);
}

static bool set_up_launcher(struct loop *loop, struct lauka_error *error)
{
    struct lauka_launcher *launcher = loop->bench->launcher;

    if (loop->options->simulated)
        return true;
    if (loop->options->keep_orphans)
        lauka_launcher_keep_orphans(launcher);
    return (!loop->options->fixed_layout || lauka_launcher_fix_layout(launcher, error)) &&
           lauka_hooks_init(&loop->hooks, loop->options, launcher, error);
}

/* Then the screen is the commands'. */
static bool show_output(const struct lauka_options *options)
{
    for (size_t i = 0; i < options->command_count; i++)
        if (options->commands[i].output == LAUKA_OUTPUT_INHERIT)
            return true;
    return false;
}

/* --require-core and --pin */
static bool choose_cores(struct loop *loop, struct lauka_error *error)
{
    const struct lauka_options *options = loop->options;
    struct lauka_cpu_set cpus;

    if (options->require_core &&
        !lauka_can_require_core(loop->counters, options->require_core, error))
        return false;
    if (!options->pin)
        return true;
    return lauka_pin_find(options->pin, &loop->counters->topology, &cpus, error) &&
           (options->simulated ||
            lauka_pin(options->pin, &cpus, loop->bench->launcher, loop->result, error));
}

static bool prepare(struct loop *loop, struct lauka_error *error)
{
    const struct lauka_options *options = loop->options;

    loop->unstartable = !set_up_launcher(loop, error);
    if (loop->unstartable && !lauka_failure_take_error(error, options, &loop->bench->failure))
        return false;
    if (!open_counters(loop, error) || !counters_suffice(loop, error) || !choose_cores(loop, error))
        return false;
    loop->samples = calloc(options->command_count, sizeof *loop->samples);
    loop->core_times = calloc(options->command_count, sizeof *loop->core_times);
    loop->repeats = calloc(options->command_count, sizeof *loop->repeats);
    loop->iterations = calloc(options->command_count, sizeof *loop->iterations);
    if (!loop->samples || !loop->core_times || !loop->repeats || !loop->iterations)
        return no_memory(error);
    if (!lauka_outline_make(loop->result, options, loop->counters, error))
        return false;
    if (options->tree_memory && !options->simulated &&
        !lauka_launcher_track_memory(loop->bench->launcher, loop->result, error))
        return false;
    lauka_gate_announce(loop->result, options);
    if (lauka_counter_notes_opened(loop->counters, options->events_given, loop->result) != 0 ||
        lauka_machine_describe(&loop->result->host) != 0 ||
        lauka_cores_describe(&loop->counters->topology, &loop->result->host) != 0 ||
        lauka_schedule_init(&loop->schedule, options->command_count, options->seed) != 0 ||
        lauka_rounds_init(&loop->rounds, loop->result, loop->counters,
                          options->no_samples ? 0 : LAUKA_ROUNDS_KEPT) != 0 ||
        lauka_enough_init(&loop->enough, options, loop->result) != 0 ||
        lauka_mishaps_init(&loop->mishaps, options) != 0 ||
        lauka_miscounts_init(&loop->miscounts, options, loop->counters) != 0)
        return no_memory(error);
    loop->schedule.kind = options->order;
    lauka_random_seed(&loop->layout, ~options->seed); /* the order does not depend on the layout */
    lauka_progress_init(&loop->progress, !options->quiet && !options->no_progress &&
                                             !options->simulated && !show_output(options));
    return true;
}

/* ---- one round -------------------------------------------------------------------------------------- */

static void note_failure(struct loop *loop, size_t command, uint64_t round, bool warmup)
{
    struct lauka_failure *failure = &loop->bench->failure;
    size_t size;
    const char *tail = lauka_launcher_stderr(loop->bench->launcher, &size);

    *failure = (struct lauka_failure){
        .command = command,
        .round = round,
        .warmup = warmup,
        .sample = loop->samples[command],
    };
    memcpy(failure->stderr_tail, tail, size);
    failure->stderr_tail[size] = '\0';
}

static void name_run(struct loop *loop, size_t command, uint64_t round, bool warmup)
{
    const struct lauka_run_name name = {
        .round = warmup ? 0 : round + 1,
        .iteration = ++loop->iterations[command],
        .command = loop->bench->first_command + command,
        .padding = loop->padding,
    };

    lauka_launcher_name_run(loop->bench->launcher, &name);
}

static bool run_hook(struct loop *loop, size_t command, enum lauka_hook hook, uint64_t round,
                     bool warmup, struct lauka_error *error)
{
    struct lauka_failure failure;
    enum lauka_hook_end end = lauka_hooks_run(&loop->hooks, command, hook, &failure, error);

    if (end == LAUKA_HOOK_FAILED && !lauka_interrupt_signal()) {
        failure.round = round;
        failure.warmup = warmup;
        loop->bench->failure = failure;
        loop->hook_failed = true;
    }
    return end != LAUKA_HOOK_BROKEN;
}

/* The command itself, where it still is what it was. */
static bool run_command(struct loop *loop, size_t command, struct lauka_error *error)
{
    struct lauka_sample *sample = &loop->samples[command];

    if (!lauka_hooks_hand_over(&loop->hooks, command, error))
        return false;
    if (!lauka_mishaps_is_same_file(&loop->mishaps, command, sample))
        return true; /* a failure of the command's */
    if (!lauka_launcher_run(loop->bench->launcher, loop->hooks.command_numbers[command], sample,
                            error))
        return false;
    lauka_mishaps_remember_file(&loop->mishaps, command);
    return true;
}

/* What was prepared is concluded, whatever the run came to; if both fail, the run is what is told. */
static bool run_between_hooks(struct loop *loop, size_t command, uint64_t round, bool warmup,
                              struct lauka_error *error)
{
    name_run(loop, command, round, warmup);
    if (!run_hook(loop, command, LAUKA_HOOK_PREPARE, round, warmup, error))
        return false;
    if (loop->hook_failed || lauka_interrupt_signal())
        return true;
    if (!run_command(loop, command, error))
        return false;
    if (lauka_interrupt_signal())
        lauka_launcher_forget_interruption(loop->bench->launcher);
    bool good = lauka_mishaps_is_success(loop->options, command, &loop->samples[command]);
    if (good)
        return run_hook(loop, command, LAUKA_HOOK_CONCLUDE, round, warmup, error);
    note_failure(loop, command, round, warmup);
    struct lauka_failure first = loop->bench->failure;
    bool concluded = run_hook(loop, command, LAUKA_HOOK_CONCLUDE, round, warmup, error);
    loop->bench->failure = first;
    loop->hook_failed = false;
    return concluded;
}

static bool run_one(struct loop *loop, size_t command, uint64_t round, bool warmup,
                    struct lauka_error *error)
{
    struct lauka_sample *sample = &loop->samples[command];

    if (!loop->options->simulated)
        return run_between_hooks(loop, command, round, warmup, error);
    const struct lauka_pretended_run run = {command, loop->bench->first_command + command, round,
                                            loop->place};
    lauka_pretence_run(loop->options, &run, &loop->simulated_counters, sample);
    loop->simulated_ns += sample->usage.values[LAUKA_WALL_TIME];
    if (!lauka_mishaps_is_success(loop->options, command, sample))
        note_failure(loop, command, round, warmup);
    return true;
}

/* Again and again, until it was on the cores that are required. */
static bool run_where_required(struct loop *loop, size_t command, uint64_t round, bool warmup,
                               struct lauka_error *error)
{
    enum { REPEATS_MAX = 10 };
    const char *core = loop->options->require_core;
    const char *label = loop->options->commands[command].label;
    const struct lauka_sample *sample = &loop->samples[command];

    for (int repeat = 0; repeat <= REPEATS_MAX; repeat++) {
        if (!run_one(loop, command, round, warmup, error))
            return false;
        if (!core || warmup || lauka_interrupt_signal() || loop->hook_failed ||
            !lauka_mishaps_is_success(loop->options, command, sample))
            return true;
        if (!lauka_is_known_where(loop->counters, &sample->residency, core, label,
                                  lauka_miscounts_unwatched, error))
            return false;
        if (!lauka_was_elsewhere(&sample->residency, &loop->counters->topology, core))
            return true;
        loop->repeats[command]++;
    }
    return lauka_fail(error, LAUKA_EXIT_HOST,
                      "--require-core %.50s: `%.200s` was on other cores, %d times in a row; keep "
                      "it there with --pin %.50s",
                      core, label, REPEATS_MAX + 1, core);
}

enum round_end { ROUND_FINISHED, ROUND_DROPPED, ROUND_FAILED, ROUND_INTERRUPTED, ROUND_BROKEN };

static enum round_end lost_memory(struct lauka_error *error)
{
    no_memory(error);
    return ROUND_BROKEN;
}

static enum round_end run_round(struct loop *loop, const uint32_t *order, uint64_t round,
                                bool warmup, struct lauka_error *error)
{
    take_turn(loop, round);
    if (!loop->options->fixed_layout)
        loop->padding = lauka_random_below(&loop->layout, LAUKA_PADDING_MAX + 1);
    for (size_t i = 0; i < loop->options->command_count; i++) {
        size_t command = order[i];
        loop->place = i;
        if (lauka_interrupt_signal())
            return ROUND_INTERRUPTED;
        if (!run_where_required(loop, command, round, warmup, error))
            return ROUND_BROKEN;
        if (lauka_interrupt_signal()) /* whatever the run came to, it was disturbed */
            return ROUND_INTERRUPTED;
        if (loop->hook_failed)
            return ROUND_FAILED;
        const struct lauka_sample *sample = &loop->samples[command];
        lauka_mishaps_add_leftovers(&loop->mishaps, command, &sample->leftovers,
                                    &loop->result->commands[command]);
        if (!lauka_mishaps_is_success(loop->options, command, sample))
            return lauka_mishaps_drop(&loop->mishaps, &loop->bench->failure) ? ROUND_DROPPED
                                                                             : ROUND_FAILED;
        if (!lauka_miscounts_add(&loop->miscounts, command, sample,
                                 &loop->result->commands[command], error))
            return ROUND_BROKEN;
    }
    return ROUND_FINISHED;
}

/* ---- around the rounds ------------------------------------------------------------------------------ */

static void note_hook(struct loop *loop, const struct lauka_failure *failure)
{
    loop->bench->failure = *failure;
    loop->bench->failure.outside_rounds = true;
}

static enum round_end set_up(struct loop *loop, struct lauka_error *error)
{
    struct lauka_failure failure;

    for (size_t c = 0; !loop->options->simulated && c < loop->options->command_count; c++) {
        if (lauka_interrupt_signal())
            return ROUND_INTERRUPTED;
        enum lauka_hook_end end = lauka_hooks_set_up(&loop->hooks, c, &failure, error);
        if (end == LAUKA_HOOK_BROKEN)
            return ROUND_BROKEN;
        if (lauka_interrupt_signal())
            return ROUND_INTERRUPTED;
        if (end == LAUKA_HOOK_FAILED) {
            note_hook(loop, &failure);
            return ROUND_FAILED;
        }
    }
    if (!loop->options->simulated && !lauka_hooks_check(&loop->hooks, error))
        return ROUND_BROKEN;
    if (!lauka_valgrind_runs_open(&loop->valgrind, loop->options, loop->bench->launcher, error))
        return ROUND_BROKEN;
    lauka_rounds_set_options(&loop->rounds, loop->options);
    loop->rounds.valgrind = loop->options->valgrind ? &loop->valgrind : NULL;
    bool in_shell = loop->options->shell && !loop->options->simulated;
    if (lauka_outline_locate(loop->result, loop->options) == 0 &&
        (!in_shell ||
         lauka_shell_cost_note(loop->options, loop->bench->launcher, loop->result) == 0))
        return ROUND_FINISHED;
    return lost_memory(error);
}

/* All of them, whatever the others came to. */
static bool clean_up(struct loop *loop, struct lauka_error *error)
{
    bool good = true;

    for (size_t c = 0; !loop->options->simulated && c < loop->options->command_count; c++) {
        struct lauka_failure failure;
        struct lauka_error further;
        const bool was_interrupted = lauka_interrupt_signal() != 0;
        enum lauka_hook_end end =
            lauka_hooks_clean_up(&loop->hooks, c, &failure, good ? error : &further);
        const bool is_ended = !was_interrupted && lauka_interrupt_signal() != 0;
        if (end == LAUKA_HOOK_FAILED && !loop->bench->failed && !is_ended) {
            note_hook(loop, &failure);
            loop->bench->failed = true;
            loop->result->run.stopped = LAUKA_STOPPED_FAILURE;
        }
        good = good && end != LAUKA_HOOK_BROKEN;
    }
    return good;
}

/* ---- the session ------------------------------------------------------------------------------------ */

static void show_progress(struct loop *loop, const char *phase, uint64_t round, uint64_t total)
{
    if (loop->progress.enabled)
        lauka_progress_show(&loop->progress, phase, round, total,
                            lauka_enough_left_ns(&loop->enough, now_ns(loop) - loop->started_ns));
}

static bool goes_on(enum round_end end)
{
    return end == ROUND_FINISHED || end == ROUND_DROPPED;
}

static enum round_end run_valgrind_once(struct loop *loop, size_t command, size_t run,
                                        struct lauka_error *error)
{
    if (!run_hook(loop, command, LAUKA_HOOK_PREPARE, run, true, error))
        return ROUND_BROKEN;
    if (!loop->hook_failed && !lauka_interrupt_signal() &&
        !lauka_valgrind_runs_run(&loop->valgrind, command, run, error))
        return ROUND_BROKEN;
    if (!loop->hook_failed && !lauka_interrupt_signal() &&
        !run_hook(loop, command, LAUKA_HOOK_CONCLUDE, run, true, error))
        return ROUND_BROKEN;
    if (lauka_interrupt_signal())
        return ROUND_INTERRUPTED;
    if (!loop->hook_failed)
        return ROUND_FINISHED;
    loop->bench->failed = loop->bench->failure.outside_rounds = true;
    return ROUND_FAILED;
}

/* Outside of the rounds, and before the warm-up, which brings everything back into the caches. */
static enum round_end run_valgrind(struct loop *loop, struct lauka_error *error)
{
    size_t count = loop->options->command_count, runs = count * LAUKA_VALGRIND_RUNS;

    for (size_t i = 0; loop->options->valgrind && i < runs;) {
        lauka_progress_show(&loop->progress, "valgrind run", i + 1, runs, 0);
        enum round_end end = run_valgrind_once(loop, i % count, i / count, error);
        if (end != ROUND_FINISHED)
            return end;
        i += lauka_valgrind_runs_is_done(&loop->valgrind, i % count, i / count);
    }
    if (loop->options->valgrind && lauka_valgrind_runs_judge(&loop->valgrind, loop->result) != 0)
        return lost_memory(error);
    return ROUND_FINISHED;
}

static enum round_end warm_up(struct loop *loop, struct lauka_error *error)
{
    enum round_end end = ROUND_FINISHED;

    for (uint64_t round = 0; goes_on(end) && round < loop->options->warmup; round++) {
        lauka_progress_show(&loop->progress, "warm-up", round + 1, loop->options->warmup, 0);
        end = run_round(loop, lauka_schedule_next(&loop->schedule), round, true, error);
        if (goes_on(end))
            lauka_slowdown_note(&loop->slowdown, &loop->samples[0]);
        if (!loop->options->simulated && end == ROUND_FINISHED &&
            lauka_is_to_be_spared(loop->result, loop->samples))
            lauka_launcher_spare(loop->bench->launcher);
    }
    return end;
}

/* Where a gate is tried out, the last command gets slower by what the gate has to notice. */
static void slow_down(struct loop *loop)
{
    struct lauka_result_gate *gate = &loop->result->gate;
    size_t last = loop->options->command_count - 1;

    if (!gate->tried || loop->options->simulated)
        return;
    uint64_t delay_ns = lauka_slowdown_ns(&loop->slowdown, loop->result);
    if (delay_ns > 0 &&
        lauka_launcher_delay(loop->bench->launcher, loop->hooks.command_numbers[last], delay_ns))
        gate->injected = (double)delay_ns;
}

static void keep_round(struct loop *loop, const uint32_t *order)
{
    loop->turns[loop->counters->turn]++;
    loop->rounds.padding = (uint16_t)loop->padding;
    lauka_rounds_add(&loop->rounds, loop->samples, order);
    for (size_t c = 0; c < loop->options->command_count; c++)
        lauka_core_times_add(&loop->core_times[c], &loop->samples[c].residency,
                             loop->counters->topology.type_count);
}

/* A crash must not lose more than some seconds of work. But each metric of each command takes half a
 * megabyte meanwhile: of very many, only the end is written. */
static void keep_so_far(struct loop *loop)
{
    enum { STREAMS_MAX = 1000 };
    const uint64_t interval_ns = 5000000000;
    uint64_t now = now_ns(loop);
    struct lauka_result so_far;

    if (!loop->bench->keep || loop->options->simulated || now - loop->kept_ns < interval_ns ||
        loop->result->command_count * loop->result->metric_count > STREAMS_MAX)
        return;
    struct lauka_result_run *run = &loop->result->run;
    run->stopped = LAUKA_STOPPED_INTERRUPTED; /* so it will look to who finds it */
    run->alpha = lauka_enough_alpha(&loop->enough, run->stopped);
    run->measured = (double)(now - loop->started_ns) / 1e9;
    run->seconds = (double)(now - loop->opened_ns) / 1e9;
    if (lauka_summary_make(loop->result, &so_far) == 0)
        loop->bench->keep(loop->bench->context, &so_far);
    lauka_summary_done(loop->result, &so_far);
    loop->kept_ns = now_ns(loop);
}

static enum round_end measure(struct loop *loop, enum lauka_stopped *why, struct lauka_error *error)
{
    enum round_end end = ROUND_FINISHED;

    while (goes_on(end) && !lauka_enough(&loop->enough, now_ns(loop) - loop->started_ns, why)) {
        uint64_t round = loop->result->run.rounds + loop->mishaps.dropped_rounds;
        if (lauka_rounds_make_room(&loop->rounds) != 0)
            return lost_memory(error);
        show_progress(loop, "round", loop->result->run.rounds + 1, loop->options->rounds);
        const uint32_t *order = lauka_schedule_next(&loop->schedule);
        end = run_round(loop, order, round, false, error);
        if (end == ROUND_DROPPED)
            lauka_schedule_drop(&loop->schedule);
        if (end == ROUND_FINISHED) {
            keep_round(loop, order);
            if (!loop->options->simulated)
                lauka_batches_round(&loop->batches, now_ns(loop), &loop->result->run);
            keep_so_far(loop);
        }
    }
    return end;
}

static void note_course(struct loop *loop, enum round_end end, enum lauka_stopped why)
{
    struct lauka_result_run *run = &loop->result->run;

    run->stopped = end == ROUND_FAILED        ? LAUKA_STOPPED_FAILURE
                   : end == ROUND_INTERRUPTED ? LAUKA_STOPPED_INTERRUPTED
                   : end == ROUND_BROKEN      ? LAUKA_STOPPED_ERROR
                                              : why;
    run->dropped = loop->mishaps.dropped_rounds;
    loop->bench->failed = end == ROUND_FAILED;
    run->alpha = lauka_enough_alpha(&loop->enough, run->stopped);
    run->measured = (double)(now_ns(loop) - loop->started_ns) / 1e9;
    run->seconds = (double)(now_ns(loop) - loop->opened_ns) / 1e9;
    if (!loop->options->simulated)
        run->rss_floor = lauka_launcher_rss_floor(loop->bench->launcher);
}

/* What the rounds have shown of the counters. */
static bool warn_about_counts(struct loop *loop)
{
    return lauka_miscounts_warn(&loop->miscounts, loop->result) == 0 &&
           lauka_counter_notes_shared(loop->counters, loop->turns, loop->options, loop->result) == 0;
}

static bool warn_about_cores(struct loop *loop)
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

bool lauka_bench_run(struct lauka_bench *bench, struct lauka_error *error)
{
    struct loop loop = {.bench = bench, .options = bench->options, .result = bench->result};
    enum round_end end = ROUND_BROKEN;
    enum lauka_stopped why = LAUKA_STOPPED_ROUNDS;
    struct lauka_error further;

    loop.opened_ns = now_ns(&loop);
    if (prepare(&loop, error)) {
        loop.started_ns = now_ns(&loop);
        end = loop.unstartable ? ROUND_FAILED : set_up(&loop, error);
        if (end == ROUND_FINISHED)
            end = run_valgrind(&loop, error);
        if (end == ROUND_FINISHED)
            end = warm_up(&loop, error);
        lauka_schedule_restart(&loop.schedule);
        loop.kept_ns = now_ns(&loop);
        if (goes_on(end))
            slow_down(&loop);
        loop.started_ns = now_ns(&loop);
        if (!loop.options->simulated)
            lauka_batches_begin(&loop.batches, loop.started_ns, loop.counters->topology.cpu_count);
        if (goes_on(end))
            end = measure(&loop, &why, error);
        lauka_progress_clear(&loop.progress);
        lauka_batches_end(&loop.batches, now_ns(&loop), &loop.result->run);
        note_course(&loop, end, why);
        if (goes_on(end) && !lauka_counters_had_turns(loop.counters, loop.turns, loop.options, error))
            end = ROUND_BROKEN;
        if (!warn_about_counts(&loop) || !warn_about_cores(&loop) ||
            lauka_mishaps_warn(&loop.mishaps, bench->result) != 0)
            end = lost_memory(end == ROUND_BROKEN ? &further : error);
    }
    lauka_valgrind_runs_close(&loop.valgrind);
    if (!clean_up(&loop, end == ROUND_BROKEN ? &further : error))
        end = ROUND_BROKEN;
    if (bench->failed && lauka_failure_note(&bench->failure, bench->result) != 0)
        end = lost_memory(end == ROUND_BROKEN ? &further : error);
    lauka_hooks_done(&loop.hooks);
    lauka_enough_done(&loop.enough);
    lauka_rounds_done(&loop.rounds);
    lauka_schedule_done(&loop.schedule);
    free(loop.samples);
    free(loop.core_times);
    free(loop.repeats);
    free(loop.iterations);
    lauka_mishaps_done(&loop.mishaps);
    lauka_miscounts_done(&loop.miscounts);
    return end != ROUND_BROKEN;
}
