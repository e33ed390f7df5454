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

struct plan { /* of a round that is asked for with others */
    size_t padding;
    struct lauka_random layout; /* and the schedule: where they stand behind it */
    struct lauka_schedule_mark schedule;
};

struct loop { /* the state of one session */
    struct lauka_bench *bench;
    const struct lauka_options *options;
    struct lauka_result *result;
    struct lauka_schedule schedule;
    const struct lauka_executor_kind *kind; /* the executor's */
    struct lauka_executor executor;
    const struct lauka_counters *counters; /* the executor's */
    struct lauka_progress progress;
    struct lauka_run *runs;       /* owned; of the rounds under way, in their order */
    struct lauka_sample *samples; /* owned; of the same, by round and command */
    uint32_t *orders;             /* owned; of the same: which command runs when */
    struct plan *plans;           /* owned; by round of them */
    size_t rounds_most;           /* so many may be under way */
    struct lauka_sources sources;
    struct lauka_rounds rounds;
    struct lauka_poured poured; /* of what was kept meanwhile */
    struct lauka_enough enough;
    struct lauka_slowdown slowdown; /* of a gate that is tried out */
    uint64_t opened_ns;             /* when the session began */
    uint64_t kept_ns;               /* when what was known was kept last */
    uint64_t started_ns;            /* when the measured rounds began */
    struct lauka_batches batches;
    struct lauka_core_times *core_times; /* owned; by command */
    uint64_t *repeats;                   /* owned; by command: runs repeated for --require-core */
    bool pads;                           /* the environment's size varies; by this: */
    struct lauka_random layout;
    struct lauka_mishaps mishaps;
    struct lauka_miscounts miscounts;
    struct lauka_valgrind_runs valgrind;
    uint64_t turns[LAUKA_ALL_SETS + 1]; /* rounds in which each set of events was counted */
    bool unstartable;                   /* a command is, which is all there will be to report */
};

static bool no_memory(struct lauka_error *error)
{
    return lauka_fail(error, LAUKA_EXIT_INTERNAL,
                      "out of memory; use fewer rounds (-r) or less time (--max-time)");
}

static uint64_t now_ns(const struct loop *loop)
{
    return loop->kind->now_ns(&loop->executor);
}

/* ---- before the first round ------------------------------------------------------------------------- */

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
    loop->kind->turn(&loop->executor, loop->options->multiplex == LAUKA_MULTIPLEX_ROUNDS
                                          ? (unsigned)(round % loop->counters->set_count)
                                          : LAUKA_ALL_SETS);
}

static bool open_counters(struct loop *loop, struct lauka_error *error)
{
    const struct lauka_event_list *asked = &loop->options->events;

    if (!loop->kind->count(&loop->executor, loop->options->events_given ? asked->events : NULL,
                           asked->count, error))
        return false;
    loop->counters = loop->executor.counters;
    return true;
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
           loop->kind->pin(&loop->executor, &cpus, loop->result, error);
}

static bool make_plans(struct loop *loop)
{
    size_t count = loop->options->command_count;

    loop->rounds_most = count < LAUKA_BATCH_MAX ? LAUKA_BATCH_MAX / count : 1;
    loop->runs = calloc(loop->rounds_most * count, sizeof *loop->runs);
    loop->samples = calloc(loop->rounds_most * count, sizeof *loop->samples);
    loop->orders = calloc(loop->rounds_most * count, sizeof *loop->orders);
    loop->plans = calloc(loop->rounds_most, sizeof *loop->plans);
    return loop->runs && loop->samples && loop->orders && loop->plans;
}

static bool prepare(struct loop *loop, struct lauka_error *error)
{
    const struct lauka_options *options = loop->options;

    loop->unstartable = !loop->kind->open(&loop->executor, error);
    if (loop->unstartable && !lauka_failure_take_error(error, options, &loop->bench->failure))
        return false;
    if (!open_counters(loop, error) || !counters_suffice(loop, error) || !choose_cores(loop, error))
        return false;
    if (!make_plans(loop))
        return no_memory(error);
    loop->core_times = calloc(options->command_count, sizeof *loop->core_times);
    loop->repeats = calloc(options->command_count, sizeof *loop->repeats);
    if (!loop->core_times || !loop->repeats)
        return no_memory(error);
    loop->sources = (struct lauka_sources){.options = options, .counters = loop->counters};
    if (!lauka_outline_make(loop->result, &loop->sources, error))
        return false;
    if (options->tree_memory && !loop->kind->track_memory(&loop->executor, loop->result, error))
        return false;
    lauka_gate_announce(loop->result, options);
    if (lauka_counter_notes_opened(loop->counters, options->events_given, loop->result) != 0 ||
        lauka_machine_describe(&loop->result->host) != 0 ||
        lauka_cores_describe(&loop->counters->topology, &loop->result->host) != 0 ||
        lauka_schedule_init(&loop->schedule, options->command_count, options->seed) != 0 ||
        lauka_rounds_init(&loop->rounds, loop->result, &loop->sources,
                          options->no_samples ? 0 : LAUKA_ROUNDS_KEPT) != 0 ||
        lauka_enough_init(&loop->enough, options, loop->result) != 0 ||
        lauka_mishaps_init(&loop->mishaps, options) != 0 ||
        lauka_miscounts_init(&loop->miscounts, options, loop->counters) != 0)
        return no_memory(error);
    loop->schedule.kind = options->order;
    loop->pads = loop->kind->pads(&loop->executor);
    lauka_random_seed(&loop->layout, ~options->seed); /* the order does not depend on the layout */
    lauka_progress_init(&loop->progress, !options->quiet && !options->no_progress &&
                                             loop->kind->real && !show_output(options));
    return true;
}

/* ---- one round -------------------------------------------------------------------------------------- */

/* Whether the run is to be repeated, as it was on other cores than are required. */
static bool was_elsewhere(struct loop *loop, const struct lauka_run *run, bool *elsewhere,
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

/* Again and again, until it was on the cores that are required. */
static bool run_where_required(struct loop *loop, const struct lauka_run *run, size_t *done,
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
                      "--require-core %.50s: `%.200s` was on other cores, %d times in a row; keep "
                      "it there with --pin %.50s",
                      core, loop->options->commands[run->command].label, REPEATS_MAX + 1, core);
}

enum round_end { ROUND_FINISHED, ROUND_DROPPED, ROUND_FAILED, ROUND_INTERRUPTED, ROUND_BROKEN };

static enum round_end lost_memory(struct lauka_error *error)
{
    no_memory(error);
    return ROUND_BROKEN;
}

static void plan_round(struct loop *loop, size_t k, uint64_t round, bool warmup)
{
    const size_t count = loop->options->command_count;
    struct plan *plan = &loop->plans[k];
    uint32_t *order = loop->orders + k * count;

    memcpy(order, lauka_schedule_next(&loop->schedule), count * sizeof *order);
    plan->padding = loop->pads ? lauka_random_below(&loop->layout, LAUKA_PADDING_MAX + 1) : 0;
    plan->layout = loop->layout;
    plan->schedule = lauka_schedule_mark(&loop->schedule);
    for (size_t i = 0; i < count; i++)
        loop->runs[k * count + i] = (struct lauka_run){
            .command = order[i],
            .round = round + k,
            .warmup = warmup,
            .place = i,
            .padding = plan->padding,
            .sample = &loop->samples[k * count + order[i]],
        };
}

/* The rounds behind this one were not begun. */
static void forget_plans(struct loop *loop, size_t k)
{
    loop->layout = loop->plans[k].layout;
    lauka_schedule_rewind(&loop->schedule, &loop->plans[k].schedule,
                          loop->orders + k * loop->options->command_count);
}

/* What a run that is over means for its round. */
static enum round_end judge_run(struct loop *loop, const struct lauka_run *run,
                                struct lauka_error *error)
{
    struct lauka_result_command *shown = &loop->result->commands[run->command];

    lauka_mishaps_add_leftovers(&loop->mishaps, run->command, &run->sample->leftovers, shown);
    if (!lauka_mishaps_is_success(loop->options, run->command, run->sample)) {
        loop->bench->failure = loop->executor.failure;
        return lauka_mishaps_drop(&loop->mishaps, &loop->bench->failure) ? ROUND_DROPPED
                                                                         : ROUND_FAILED;
    }
    return lauka_miscounts_add(&loop->miscounts, run->command, run->sample, shown, error)
               ? ROUND_FINISHED
               : ROUND_BROKEN;
}

/* What those that are over mean, from run number `from` on. *finished: how many rounds are over. */
static enum round_end judge_runs(struct loop *loop, size_t from, size_t done, size_t *finished,
                                 struct lauka_error *error)
{
    const size_t count = loop->options->command_count;

    for (size_t i = from; i < from + done; i++) {
        enum round_end end = judge_run(loop, &loop->runs[i], error);
        *finished = (end == ROUND_FINISHED ? i + 1 : i) / count;
        if (end != ROUND_FINISHED)
            return end;
    }
    return ROUND_FINISHED;
}

static enum round_end end_early(struct loop *loop)
{
    if (!loop->executor.hook_failed)
        return ROUND_INTERRUPTED;
    loop->bench->failure = loop->executor.failure;
    return ROUND_FAILED;
}

/* All runs of so many rounds: of fewer, where that takes long. */
static enum round_end run_rounds(struct loop *loop, size_t rounds, size_t *finished,
                                 struct lauka_error *error)
{
    const size_t count = loop->options->command_count;
    const uint64_t begun_ns = now_ns(loop);

    for (size_t i = 0; i < rounds * count;) {
        const struct lauka_run *next = &loop->runs[i];
        size_t done = 0;
        bool good = loop->options->require_core
                        ? run_where_required(loop, next, &done, error)
                        : loop->kind->run(&loop->executor, next, rounds * count - i, &done, error);
        enum round_end end = judge_runs(loop, i, done, finished, error);
        if (!good || end != ROUND_FINISHED)
            return good ? end : ROUND_BROKEN;
        i += done;
        if (done == 0 || loop->executor.hook_failed || lauka_interrupt_signal())
            return i < rounds * count ? end_early(loop) : ROUND_FINISHED;
        if (now_ns(loop) - begun_ns >= LAUKA_BATCH_NS)
            rounds = (i + count - 1) / count; /* the one under way is the last */
    }
    return ROUND_FINISHED;
}

/* Plans them, and runs them; those that were not begun will be drawn again. */
static enum round_end run_some(struct loop *loop, size_t rounds, uint64_t first, bool warmup,
                               size_t *finished, struct lauka_error *error)
{
    *finished = 0;
    take_turn(loop, first);
    for (size_t k = 0; k < rounds; k++)
        plan_round(loop, k, first, warmup);
    enum round_end end = run_rounds(loop, rounds, finished, error);
    size_t begun = *finished + (end != ROUND_FINISHED);
    if (begun > 0 && begun < rounds)
        forget_plans(loop, begun - 1);
    return end;
}

/* ---- around the rounds ------------------------------------------------------------------------------ */

/* Outside of the rounds. */
static enum round_end end_by_hook(struct loop *loop)
{
    loop->bench->failure = loop->executor.failure;
    loop->bench->failure.outside_rounds = true;
    return ROUND_FAILED;
}

static enum round_end set_up(struct loop *loop, struct lauka_error *error)
{
    for (size_t c = 0; c < loop->options->command_count; c++) {
        if (lauka_interrupt_signal())
            return ROUND_INTERRUPTED;
        enum lauka_hook_end end = loop->kind->set_up(&loop->executor, c, error);
        if (end == LAUKA_HOOK_BROKEN)
            return ROUND_BROKEN;
        if (lauka_interrupt_signal())
            return ROUND_INTERRUPTED;
        if (end == LAUKA_HOOK_FAILED)
            return end_by_hook(loop);
    }
    if (!loop->kind->begin(&loop->executor, loop->result, error) ||
        !lauka_valgrind_runs_open(&loop->valgrind, loop->options, loop->bench->launcher, error))
        return ROUND_BROKEN;
    loop->sources.valgrind = &loop->valgrind;
    return lauka_outline_locate(loop->result, loop->options) == 0 ? ROUND_FINISHED
                                                                  : lost_memory(error);
}

/* All of them, whatever the others came to. */
static bool clean_up(struct loop *loop, struct lauka_error *error)
{
    bool good = true;

    for (size_t c = 0; c < loop->options->command_count; c++) {
        struct lauka_error further;
        const bool was_interrupted = lauka_interrupt_signal() != 0;
        enum lauka_hook_end end = loop->kind->clean_up(&loop->executor, c, good ? error : &further);
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

static enum round_end run_valgrind_once(struct loop *loop, size_t command, size_t number,
                                        struct lauka_error *error)
{
    const struct lauka_run run = {.command = command, .round = number, .warmup = true};
    struct lauka_executor *executor = &loop->executor;

    if (!lauka_launched_run_hook(executor, &run, LAUKA_HOOK_PREPARE, error))
        return ROUND_BROKEN;
    if (!executor->hook_failed && !lauka_interrupt_signal() &&
        !lauka_valgrind_runs_run(&loop->valgrind, command, number, error))
        return ROUND_BROKEN;
    if (!executor->hook_failed && !lauka_interrupt_signal() &&
        !lauka_launched_run_hook(executor, &run, LAUKA_HOOK_CONCLUDE, error))
        return ROUND_BROKEN;
    if (lauka_interrupt_signal())
        return ROUND_INTERRUPTED;
    if (!executor->hook_failed)
        return ROUND_FINISHED;
    loop->bench->failed = true;
    return end_by_hook(loop);
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
        size_t finished;
        end = run_some(loop, 1, round, true, &finished, error);
        if (goes_on(end))
            lauka_slowdown_note(&loop->slowdown, &loop->samples[0]);
        if (end == ROUND_FINISHED && lauka_is_to_be_spared(loop->result, loop->samples))
            loop->kind->spare(&loop->executor);
    }
    return end;
}

/* Where a gate is tried out, the last command gets slower by what the gate has to notice. */
static void slow_down(struct loop *loop)
{
    struct lauka_result_gate *gate = &loop->result->gate;
    size_t last = loop->options->command_count - 1;

    if (!gate->tried)
        return;
    uint64_t delay_ns = lauka_slowdown_ns(&loop->slowdown, loop->result);
    if (delay_ns > 0 && loop->kind->delay(&loop->executor, last, delay_ns))
        gate->injected = (double)delay_ns;
}

static bool keep_round(struct loop *loop, size_t k)
{
    const size_t count = loop->options->command_count;
    const struct lauka_sample *samples = loop->samples + k * count;

    loop->turns[loop->counters->turn]++;
    loop->rounds.padding = (uint16_t)loop->plans[k].padding;
    if (lauka_rounds_add(&loop->rounds, samples, loop->orders + k * count) != 0)
        return false;
    for (size_t c = 0; c < count; c++)
        lauka_core_times_add(&loop->core_times[c], &samples[c].residency,
                             loop->counters->topology.type_count);
    return true;
}

/* Room is made while nothing runs. */
static bool keep_rounds(struct loop *loop, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        if (lauka_rounds_make_room(&loop->rounds) != 0 || !keep_round(loop, k))
            return false;
        if (loop->kind->real)
            lauka_batches_round(&loop->batches, now_ns(loop), &loop->result->run);
    }
    return true;
}

/* A crash must not lose more than some seconds of work. */
static void keep_so_far(struct loop *loop)
{
    uint64_t now = now_ns(loop);
    struct lauka_result so_far;

    if (!loop->bench->keep || !loop->kind->real || now - loop->kept_ns < LAUKA_KEEP_INTERVAL_NS ||
        loop->result->command_count * loop->result->metric_count > LAUKA_KEEP_STREAMS_MAX)
        return;
    struct lauka_result_run *run = &loop->result->run;
    run->stopped = LAUKA_STOPPED_INTERRUPTED; /* so it will look to who finds it */
    run->alpha = lauka_enough_alpha(&loop->enough, run->stopped);
    run->measured = (double)(now - loop->started_ns) / 1e9;
    run->seconds = (double)(now - loop->opened_ns) / 1e9;
    if (lauka_summary_make(loop->result, &loop->poured, &so_far) == 0)
        loop->bench->keep(loop->bench->context, &so_far);
    lauka_summary_done(&so_far);
    loop->kept_ns = now_ns(loop);
}

/* How many rounds to ask for at once. */
static size_t rounds_at_once(const struct loop *loop)
{
    uint64_t spent_ns = now_ns(loop) - loop->started_ns, rounds = loop->result->run.rounds;

    if (!loop->kind->real || rounds == 0 || loop->options->require_core ||
        loop->options->multiplex == LAUKA_MULTIPLEX_ROUNDS)
        return 1;
    uint64_t most = LAUKA_BATCH_NS / (spent_ns / rounds + 1);
    uint64_t ahead = lauka_enough_ahead(&loop->enough, spent_ns);
    most = most < ahead ? most : ahead;
    most = most < loop->rounds_most ? most : loop->rounds_most;
    return most > 0 ? (size_t)most : 1;
}

static enum round_end measure(struct loop *loop, enum lauka_stopped *why, struct lauka_error *error)
{
    enum round_end end = ROUND_FINISHED;

    while (goes_on(end) && !lauka_enough(&loop->enough, now_ns(loop) - loop->started_ns, why)) {
        uint64_t round = loop->result->run.rounds + loop->mishaps.dropped_rounds;
        size_t finished;
        show_progress(loop, "round", loop->result->run.rounds + 1, loop->options->rounds);
        end = run_some(loop, rounds_at_once(loop), round, false, &finished, error);
        if (!keep_rounds(loop, finished))
            return lost_memory(error);
        if (end == ROUND_DROPPED)
            lauka_schedule_drop(&loop->schedule);
        if (finished > 0)
            keep_so_far(loop);
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
    run->rss_floor = loop->kind->rss_floor(&loop->executor);
}

/* What the rounds have shown of the counters. */
static bool warn_about_counts(struct loop *loop)
{
    return lauka_miscounts_warn(&loop->miscounts, loop->result) == 0 &&
           lauka_counter_notes_shared(loop->counters, loop->turns, loop->options, loop->result) ==
               0;
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
    loop.kind = bench->options->pretended ? &lauka_pretended : &lauka_launched;
    loop.executor = (struct lauka_executor){.options = bench->options,
                                            .mishaps = &loop.mishaps,
                                            .first_command = bench->first_command,
                                            .launcher = bench->launcher};
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
        if (loop.kind->real)
            lauka_batches_begin(&loop.batches, loop.started_ns, loop.counters->topology.cpu_count);
        if (goes_on(end))
            end = measure(&loop, &why, error);
        lauka_progress_clear(&loop.progress);
        lauka_batches_end(&loop.batches, now_ns(&loop), &loop.result->run);
        note_course(&loop, end, why);
        if (goes_on(end) &&
            !lauka_counters_had_turns(loop.counters, loop.turns, loop.options, error))
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
    loop.kind->close(&loop.executor);
    lauka_enough_done(&loop.enough);
    lauka_rounds_done(&loop.rounds);
    lauka_poured_done(&loop.poured);
    lauka_schedule_done(&loop.schedule);
    free(loop.runs);
    free(loop.orders);
    free(loop.plans);
    free(loop.samples);
    free(loop.core_times);
    free(loop.repeats);
    lauka_mishaps_done(&loop.mishaps);
    lauka_miscounts_done(&loop.miscounts);
    return end != ROUND_BROKEN;
}
