/* Runs by the launcher: each between its hooks, each of an executable that is still the one that ran
 * before. */
#include "runner/session/session.h"
#include "pmu/counters/counters.h"
#include "pmu/events/events.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/launch/launch.h"
#include "runner/launch/launcher.h"
#include "runner/launch/process.h"
#include "runner/machine/machine.h"
#include "runner/options.h"
#include "stats/stats.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- shell cost -------------------------------------------------------------------------------- */

/* What the shell itself costs, if commands run in one: measured, shown, and never subtracted, because a
 * difference of two noisy times is not a time. */

enum { RUNS = 10 };

/* An empty command; false where it cannot be run, or was interrupted. */
static bool run_empty(struct lauka_launcher *launcher, size_t number, uint64_t *wall_ns,
                      struct lauka_error *error)
{
    struct lauka_sample sample;

    if (!lauka_launcher_run(launcher, number, &sample, error) || lauka_interrupt_signal() ||
        sample.outcome != LAUKA_EXITED)
        return false;
    *wall_ns = sample.usage.values[LAUKA_WALL_TIME];
    return true;
}

static int note(struct lauka_result *result, const char *shell, uint64_t ns)
{
    struct lauka_scale scale = lauka_scale_for((double)ns, "ns", true);
    char time[40];

    return lauka_result_note(result,
                             "commands run in a shell: `%.100s -c :` alone took %s %s (median of "
                             "%d runs), which is a part of every run and was not subtracted",
                             shell, lauka_format_scaled((double)ns, scale, time, sizeof time),
                             scale.suffix, RUNS);
}

/* Measures the shell without a command, and notes the result. Returns 0 or ENOMEM. */
static int shell_cost_note(const struct lauka_options *options, struct lauka_launcher *launcher,
                           struct lauka_result *result)
{
    size_t number = lauka_launcher_count_commands(launcher);
    struct lauka_command empty;
    struct lauka_error ignored; /* a shell that cannot do nothing is told of by its first command */
    uint64_t times[RUNS];

    if (!lauka_command_for_shell(options->arena, options->run.shell, ":", &empty, &ignored))
        return 0;
    empty.is_hook = true;
    bool good =
        lauka_command_locate(&empty, &ignored) && lauka_launcher_add(launcher, &empty, &ignored);
    for (int i = 0; good && i < RUNS; i++)
        good = run_empty(launcher, number, &times[i], &ignored);
    if (!good)
        return 0;
    if (lauka_sort_integers(times, RUNS) != 0)
        return ENOMEM;
    return note(result, options->run.shell, (uint64_t)lauka_sorted_median(times, RUNS));
}

/* ---- launched ---------------------------------------------------------------------------------- */

/* Whether something must be done, or watched, at every single run. */
static bool must_be_single(const struct lauka_options *options)
{
    bool single = false;

    for (size_t c = 0; c < options->run.command_count; c++) {
        const struct lauka_command *command = &options->run.commands[c];
        single = single || command->hooks[LAUKA_HOOK_PREPARE] ||
                 command->hooks[LAUKA_HOOK_CONCLUDE] || command->output == LAUKA_OUTPUT_INHERIT ||
                 command->figure_count > 0;
    }
    return single;
}

/* ---- before the first run --------------------------------------------------------------------------- */

static bool take_commands(struct lauka_executor *executor, struct lauka_error *error)
{
    const struct lauka_options *options = executor->options;
    struct lauka_launcher *launcher = executor->launcher;

    executor->iterations = calloc(options->run.command_count, sizeof *executor->iterations);
    executor->looked_at = calloc(options->run.command_count, sizeof *executor->looked_at);
    if (!executor->iterations || !executor->looked_at)
        return lauka_fail_memory(error);
    executor->singly = must_be_single(options);
    executor->figures = (struct lauka_figure_reader){.options = options, .launcher = launcher};
    if (options->run.keep_orphans)
        lauka_launcher_keep_orphans(launcher);
    return (!options->measure.fixed_layout || lauka_launcher_fix_layout(launcher, error)) &&
           lauka_hooks_init(&executor->hooks, options, launcher, error);
}

static bool count(struct lauka_executor *executor, const struct lauka_event *events,
                  size_t event_count, struct lauka_error *error)
{
    if (!events)
        events = lauka_native_events(&event_count);
    if (executor->options->measure.delay_ns > 0 && !lauka_counters_begin_late(NULL))
        return lauka_fail(error, LAUKA_EXIT_HOST,
                          "--delay: this system counts runs from their start to their end");
    bool good =
        lauka_launcher_count(executor->launcher, events, event_count, &executor->counters, error);
    if (good)
        lauka_launcher_time_counts(executor->launcher, executor->options->measure.period_ns,
                                   executor->options->measure.delay_ns);
    return good;
}

static bool track_memory(struct lauka_executor *executor, struct lauka_result *result,
                         struct lauka_error *error)
{
    return lauka_launcher_track_memory(executor->launcher, result, error);
}

/* From 1; 0: there are none. */
static size_t layout_of(const struct lauka_executor *executor, size_t variant)
{
    const size_t layouts = executor->options->run.layouts;

    return layouts > 0 ? variant % layouts + 1 : 0;
}

/* The command whose hook failed, if it is the hook of a layout. */
static void call_by_command(struct lauka_executor *executor, size_t variant)
{
    executor->failure.layout = layout_of(executor, variant);
    if (executor->options->run.layouts > 0)
        executor->failure.command = variant / executor->options->run.layouts;
}

static enum lauka_hook_end set_up(struct lauka_executor *executor, size_t command,
                                  struct lauka_error *error)
{
    enum lauka_hook_end end =
        lauka_hooks_set_up(&executor->hooks, command, &executor->failure, error);

    call_by_command(executor, command);
    return end;
}

static bool begin(struct lauka_executor *executor, struct lauka_result *result,
                  struct lauka_error *error)
{
    return lauka_hooks_check(&executor->hooks, error) &&
           (!executor->options->run.shell ||
            shell_cost_note(executor->options, executor->launcher, result) == 0 ||
            lauka_fail_memory(error));
}

static enum lauka_hook_end clean_up(struct lauka_executor *executor, size_t command,
                                    struct lauka_error *error)
{
    enum lauka_hook_end end =
        lauka_hooks_clean_up(&executor->hooks, command, &executor->failure, error);

    call_by_command(executor, command);
    return end;
}

/* If addresses vary by themselves, padding would only cost time: 4 us a run. */
static bool pads(const struct lauka_executor *executor)
{
    return !executor->options->measure.fixed_layout && !lauka_process_has_random_layout();
}

static void turn(struct lauka_executor *executor, unsigned set)
{
    lauka_launcher_turn(executor->launcher, set);
}

/* ---- runs ------------------------------------------------------------------------------------------- */

static void note_failure(struct lauka_executor *executor, const struct lauka_run *run)
{
    struct lauka_failure *failure = &executor->failure;
    size_t size;
    const char *tail = lauka_launcher_stderr(executor->launcher, &size);

    *failure = (struct lauka_failure){
        .command = run->command,
        .layout = layout_of(executor, run->variant),
        .round = run->round,
        .warmup = run->warmup,
        .sample = *run->sample,
    };
    memcpy(failure->stderr_tail, tail, size);
    failure->stderr_tail[size] = '\0';
}

static struct lauka_run_name name_of(struct lauka_executor *executor, const struct lauka_run *run)
{
    return (struct lauka_run_name){
        .round = run->warmup ? 0 : run->round + 1,
        .iteration = ++executor->iterations[run->variant],
        .command = run->command,
        .padding = run->padding,
    };
}

bool lauka_launched_run_hook(struct lauka_executor *executor, const struct lauka_run *run,
                             enum lauka_hook hook, struct lauka_error *error)
{
    struct lauka_failure failure;
    enum lauka_hook_end end =
        lauka_hooks_run(&executor->hooks, run->variant, hook, &failure, error);

    if (end == LAUKA_HOOK_FAILED && !lauka_interrupt_signal()) {
        failure.command = run->command;
        failure.layout = layout_of(executor, run->variant);
        failure.round = run->round;
        failure.warmup = run->warmup;
        executor->failure = failure;
        executor->hook_failed = true;
    }
    return end != LAUKA_HOOK_BROKEN;
}

/* The command itself, where it still is what it was. */
static bool run_command(struct lauka_executor *executor, const struct lauka_run *run,
                        struct lauka_error *error)
{
    if (!lauka_hooks_hand_over(&executor->hooks, run->variant, error))
        return false;
    if (!lauka_mishaps_is_same_file(executor->mishaps, run->variant, run->sample))
        return true; /* a failure of the command's */
    if (run->watch)
        run->watch->begin(run->watch->context);
    if (lauka_figures_begin(&executor->figures, run->variant) != 0)
        return lauka_fail_memory(error);
    bool good = lauka_launcher_run(
        executor->launcher, executor->hooks.command_numbers[run->variant], run->sample, error);
    lauka_figures_end(&executor->figures);
    if (!good)
        return false;
    if (run->watch)
        run->watch->end(run->watch->context);
    lauka_mishaps_remember_file(executor->mishaps, run->variant);
    return true;
}

static bool has_succeeded(const struct lauka_executor *executor, const struct lauka_run *run)
{
    return lauka_mishaps_is_success(executor->options, run->variant, run->sample);
}

/* Whether it succeeded and reported everything that it should; otherwise why not, unless the sample says. */
static bool is_understood(struct lauka_executor *executor, const struct lauka_run *run,
                          char *reason, size_t size)
{
    if (run->sample->timed_out && lauka_figures_held_up(&executor->figures, run->variant))
        snprintf(
            reason, size,
            "wrote more than could be searched for --read within its --timeout, and was ended");
    if (!has_succeeded(executor, run))
        return false;
    run->sample->figures = run->figures;
    run->sample->unreported =
        !lauka_figures_read(&executor->figures, run->variant, run->figures, reason, size);
    return !run->sample->unreported;
}

/* What was prepared is concluded, however the run ended; if both fail, the run is reported. */
static bool run_between_hooks(struct lauka_executor *executor, const struct lauka_run *run,
                              struct lauka_error *error)
{
    const struct lauka_run_name name = name_of(executor, run);

    lauka_launcher_name_run(executor->launcher, &name);
    if (!lauka_launched_run_hook(executor, run, LAUKA_HOOK_PREPARE, error))
        return false;
    if (executor->hook_failed || lauka_interrupt_signal())
        return true;
    if (!run_command(executor, run, error))
        return false;
    if (lauka_interrupt_signal())
        lauka_launcher_forget_interruption(executor->launcher);
    char reason[500] = "";
    if (is_understood(executor, run, reason, sizeof reason))
        return lauka_launched_run_hook(executor, run, LAUKA_HOOK_CONCLUDE, error);
    note_failure(executor, run);
    memcpy(executor->failure.reason, reason, sizeof reason);
    struct lauka_failure first = executor->failure;
    bool concluded = lauka_launched_run_hook(executor, run, LAUKA_HOOK_CONCLUDE, error);
    executor->failure = first;
    executor->hook_failed = false;
    return concluded;
}

/* ---- batches ---------------------------------------------------------------------------------------- */

/* How many of the runs can be requested: up to the first whose executable has changed. *changed: there is
 * one, and its sample says so. */
static bool look_at_files(struct lauka_executor *executor, const struct lauka_run *runs,
                          size_t *count, bool *changed, struct lauka_error *error)
{
    *changed = false;
    executor->batch++;
    for (size_t i = 0; i < *count; i++) {
        size_t command = runs[i].variant;
        if (executor->looked_at[command] == executor->batch)
            continue;
        executor->looked_at[command] = executor->batch;
        if (!lauka_hooks_hand_over(&executor->hooks, command, error))
            return false;
        *changed = !lauka_mishaps_is_same_file(executor->mishaps, command, runs[i].sample);
        if (*changed)
            *count = i;
    }
    return true;
}

/* An executable that was replaced meanwhile is not what was asked for. Only the first run is known to have
 * begun before that, so the command's first other run counts as failed. */
static void look_at_files_again(struct lauka_executor *executor, const struct lauka_run *runs,
                                size_t *done)
{
    executor->batch++;
    if (*done > 0)
        lauka_mishaps_remember_file(executor->mishaps, runs[0].variant);
    for (size_t i = 1; i < *done; i++) {
        size_t command = runs[i].variant;
        if (executor->looked_at[command] == executor->batch)
            continue;
        executor->looked_at[command] = executor->batch;
        lauka_mishaps_remember_file(executor->mishaps, command);
        if (!lauka_mishaps_is_same_file(executor->mishaps, command, runs[i].sample))
            *done = i + 1;
    }
}

static bool launch_all(struct lauka_executor *executor, const struct lauka_run *runs, size_t count,
                       size_t *done, struct lauka_error *error)
{
    static struct lauka_launch launches[LAUKA_BATCH_MAX]; /* too many for a small stack */

    for (size_t i = 0; i < count; i++)
        launches[i] = (struct lauka_launch){executor->hooks.command_numbers[runs[i].variant],
                                            name_of(executor, &runs[i]), runs[i].sample};
    bool good = lauka_launcher_run_all(executor->launcher, launches, count, done, error);
    for (size_t i = *done; i < count; i++) /* they were not run */
        executor->iterations[runs[i].variant]--;
    return good;
}

/* A run in which lauka was interrupted was disturbed, however it ended. */
static bool run_batch(struct lauka_executor *executor, const struct lauka_run *runs, size_t count,
                      size_t *done, struct lauka_error *error)
{
    bool changed;

    if (!look_at_files(executor, runs, &count, &changed, error))
        return false;
    bool good = count == 0 || launch_all(executor, runs, count, done, error);
    if (lauka_interrupt_signal()) {
        lauka_launcher_forget_interruption(executor->launcher);
        *done -= *done > 0;
        return good;
    }
    look_at_files_again(executor, runs, done);
    if (*done == count && changed && (count == 0 || has_succeeded(executor, &runs[count - 1])))
        ++*done; /* the one that was not run */
    if (*done > 0 && !has_succeeded(executor, &runs[*done - 1]))
        note_failure(executor, &runs[*done - 1]);
    return good;
}

/* ---- runs, one by one or in batches ----------------------------------------------------------------- */

static bool run_one(struct lauka_executor *executor, const struct lauka_run *run, size_t *done,
                    struct lauka_error *error)
{
    bool good = run_between_hooks(executor, run, error);

    *done = good && !executor->hook_failed && !lauka_interrupt_signal();
    return good;
}

static bool run(struct lauka_executor *executor, const struct lauka_run *runs, size_t asked,
                size_t *done, struct lauka_error *error)
{
    *done = 0;
    if (lauka_interrupt_signal())
        return true;
    lauka_mishaps_read_files(executor->mishaps);
    if (executor->singly || runs->watch)
        return run_one(executor, runs, done, error);
    return run_batch(executor, runs, asked < LAUKA_BATCH_MAX ? asked : LAUKA_BATCH_MAX, done,
                     error);
}

static void spare(struct lauka_executor *executor)
{
    lauka_launcher_spare(executor->launcher);
}

static bool delay(struct lauka_executor *executor, size_t command, uint64_t delay_ns)
{
    return lauka_launcher_delay(executor->launcher, executor->hooks.command_numbers[command],
                                delay_ns);
}

static uint64_t rss_floor(const struct lauka_executor *executor)
{
    return lauka_launcher_rss_floor(executor->launcher);
}

static void release(struct lauka_executor *executor)
{
    lauka_hooks_done(&executor->hooks);
    lauka_figures_done(&executor->figures);
    free(executor->iterations);
    free(executor->looked_at);
    executor->iterations = executor->looked_at = NULL;
}

const struct lauka_executor_kind lauka_launched = {
    .real = true,
    .pads = pads,
    .open = take_commands,
    .count = count,
    .track_memory = track_memory,
    .set_up = set_up,
    .begin = begin,
    .clean_up = clean_up,
    .turn = turn,
    .run = run,
    .spare = spare,
    .delay = delay,
    .rss_floor = rss_floor,
    .close = release,
};
