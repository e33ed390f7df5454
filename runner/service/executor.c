/* Rounds of services: each starts a fresh process of each side, waits until it is ready and, with --service, runs the
 * load against it. What the process has used is read while it goes on, so its end costs nothing. */
#include "runner/service/service.h"
#include "pmu/counters/counters.h"
#include "pmu/events/events.h"
#include "report/result/result.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/launch/launch.h"
#include "runner/options.h"
#include "runner/session/session.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct served {
    struct lauka_service service;
    size_t *
        loads; /* owned; by command: the load's number in the launcher; the warm-up's is the next; 0: none yet */
};

static struct served *served_of(const struct lauka_executor *executor)
{
    return executor->own;
}

static bool is_loaded(const struct lauka_executor *executor)
{
    return executor->options->service.services.count > 0;
}

/* ---- failures ---------------------------------------------------------------------------------------- */

/* The last lines of the service and, if it failed, of the load, each of which has half of the room. */
static void recall(struct lauka_executor *executor, bool by_load, struct lauka_failure *failure)
{
    enum { HALF = LAUKA_TAIL / 2 - 20 };
    const struct lauka_tail *own = &served_of(executor)->service.tail;
    const char *load = "";
    size_t size = 0;

    if (by_load)
        load = lauka_launcher_stderr(executor->launcher, &size);
    if (size == 0)
        memcpy(failure->stderr_tail, own->bytes, sizeof failure->stderr_tail);
    else
        snprintf(failure->stderr_tail, sizeof failure->stderr_tail,
                 "the load:\n%.*s\nthe service:\n%s", HALF, size > HALF ? load + size - HALF : load,
                 own->size > HALF ? own->bytes + own->size - HALF : own->bytes);
}

/* Always false. sample: NULL: it is not known, or did not matter. */
static bool fail(struct lauka_executor *executor, const struct lauka_run *run,
                 const struct lauka_sample *sample, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static bool fail(struct lauka_executor *executor, const struct lauka_run *run,
                 const struct lauka_sample *sample, const char *format, ...)
{
    struct lauka_failure *failure = &executor->failure;
    va_list values;

    *run->sample = sample ? *sample : (struct lauka_sample){.unreported = true};
    *failure = (struct lauka_failure){.command = run->command,
                                      .round = run->round,
                                      .warmup = run->warmup,
                                      .sample = *run->sample,
                                      .tail_is_output = true};
    va_start(values, format);
    vsnprintf(failure->reason, sizeof failure->reason, format, values);
    va_end(values);
    recall(executor, sample != NULL, failure);
    return false;
}

/* A program that forks and ends looks as if it had ended well. */
static bool fail_ended(struct lauka_executor *executor, const struct lauka_run *run,
                       const char *when)
{
    struct lauka_service *service = &served_of(executor)->service;
    const int status = service->status;
    char how[200];

    lauka_service_stop(service); /* its last lines are complete then */
    return fail(executor, run, NULL, "%s %s%s", lauka_status_describe(status, how, sizeof how),
                when, status == 0 ? " (it must stay in the foreground)" : "");
}

/* With what the sample says. */
static bool fail_as(struct lauka_executor *executor, const struct lauka_run *run,
                    const struct lauka_sample *sample)
{
    char how[400];

    return fail(executor, run, sample, "%s", lauka_sample_describe(sample, how, sizeof how));
}

/* ---- until it is ready -------------------------------------------------------------------------------- */

enum { PLACE_SIZE = 220 };

/* "port 8080", or the path of a socket; otherwise the text that was looked for. */
static const char *name_place(const struct lauka_ready *ready, char text[PLACE_SIZE])
{
    if (ready->way == LAUKA_READY_TCP)
        snprintf(text, PLACE_SIZE, "port %u", ready->port);
    else
        snprintf(text, PLACE_SIZE, "%.200s", ready->text);
    return text;
}

static bool fail_late(struct lauka_executor *executor, const struct lauka_run *run,
                      uint64_t limit_ns)
{
    const struct lauka_ready *ready = &executor->options->service.ready;
    const bool writes = ready->way == LAUKA_READY_TEXT, signals = ready->way == LAUKA_READY_FD;
    char place[PLACE_SIZE];

    return fail(executor, run, NULL, "was not ready within its --timeout of %g s: %s%s%s",
                (double)limit_ns / 1e9,
                signals  ? "nothing was written to the descriptor $LAUKA_READY_FD"
                : writes ? "it did not write \""
                         : "nothing accepted a connection to ",
                signals ? "" : name_place(ready, place), writes ? "\"" : "");
}

/* False if lauka itself failed. Otherwise *good says whether it is ready. */
static bool start(struct lauka_executor *executor, const struct lauka_run *run, bool *good,
                  struct lauka_error *error)
{
    const struct lauka_command *command = &executor->options->run.commands[run->variant];
    const struct lauka_ready *ready = &executor->options->service.ready;
    const uint64_t limit_ns = command->timeout_ns ? command->timeout_ns : LAUKA_READY_NS;
    struct lauka_service *service = &served_of(executor)->service;
    char place[PLACE_SIZE];

    *good = false;
    service->tail = (struct lauka_tail){0};
    if (!lauka_hooks_hand_over(&executor->hooks, run->variant, error))
        return false;
    if (!lauka_mishaps_is_same_file(executor->mishaps, run->variant, run->sample))
        return !fail_as(executor, run, run->sample);
    if (lauka_probe(ready))
        return !fail(executor, run, NULL,
                     "was not started: something else accepts connections to %s already",
                     name_place(ready, place));
    const int failure = lauka_service_start(service, executor->launcher, command, ready);
    if (failure == ENOMEM)
        return lauka_fail_memory(error);
    if (failure) {
        const struct lauka_sample sample = {.outcome = LAUKA_NOT_STARTED, .code = failure};
        fail_as(executor, run, &sample);
        return !lauka_launcher_is_lost(executor->launcher, error);
    }
    lauka_mishaps_remember_file(executor->mishaps, run->variant);
    const enum lauka_service_end end = lauka_service_await(service, lauka_now_ns() + limit_ns);
    *good = end == LAUKA_SERVICE_GOES_ON;
    if (*good || end == LAUKA_SERVICE_INTERRUPTED)
        return true;
    if (lauka_launcher_is_lost(executor->launcher, error))
        return false;
    if (end == LAUKA_SERVICE_ENDED)
        return !fail_ended(executor, run, "before it was ready");
    lauka_service_stop(service);
    return !fail_late(executor, run, limit_ns);
}

static void fill_ready(const struct lauka_service *service, struct lauka_sample *sample)
{
    *sample = (struct lauka_sample){.outcome = LAUKA_EXITED,
                                    .run_delay_ns = LAUKA_UNKNOWN,
                                    .tree_memory = LAUKA_UNKNOWN,
                                    .readings = sample->readings};
    lauka_usage_of_living(service->pid, &sample->usage);
    sample->usage.values[LAUKA_WALL_TIME] = service->ready_ns - service->begun_ns;
}

/* ---- load --------------------------------------------------------------------------------------------- */

/* Once: the load itself, and the load that is cut short. */
static bool hand_over_load(struct lauka_executor *executor, size_t command,
                           struct lauka_error *error)
{
    struct lauka_command *load = executor->options->run.commands[command].load, cut;
    size_t *number = &served_of(executor)->loads[command];

    if (*number > 0)
        return true;
    if (!lauka_command_locate(load, error))
        return false;
    *number = lauka_launcher_count_commands(executor->launcher);
    cut = *load;
    cut.output = LAUKA_OUTPUT_NULL;
    cut.reports = false;
    cut.timeout_ns = executor->options->service.warmup_ns;
    return lauka_launcher_add(executor->launcher, load, error) &&
           lauka_launcher_add(executor->launcher, &cut, error);
}

/* The first load on a fresh process is not like the next ones; how it ends does not matter. */
static bool warm_up(struct lauka_executor *executor, const struct lauka_run *run,
                    struct lauka_error *error)
{
    struct served *served = served_of(executor);
    struct lauka_sample ignored;

    if (executor->options->service.warmup_ns == 0)
        return true;
    lauka_service_mind(&served->service);
    bool good =
        lauka_launcher_run(executor->launcher, served->loads[run->variant] + 1, &ignored, error);
    lauka_service_leave(&served->service);
    return good;
}

/* Of the session's figures, the place of that one. */
static double *figure_of(const struct lauka_executor *executor, const struct lauka_run *run,
                         const char *name)
{
    const struct lauka_figure *all[LAUKA_FIGURES_MAX];
    size_t count = lauka_figures_find(executor->options->run.commands,
                                      executor->options->run.command_count, all);

    for (size_t f = 0; f < count; f++)
        if (strcmp(all[f]->name, name) == 0)
            return &run->figures[f];
    return NULL;
}

static bool judge_figures(struct lauka_executor *executor, const struct lauka_run *run,
                          const struct lauka_sample *sample)
{
    char how[400] = "";
    const struct lauka_options *options = executor->options;
    const double *errors;

    if (!lauka_mishaps_is_success(options, run->command, sample))
        return fail(executor, run, sample, "its load %s",
                    lauka_sample_describe(sample, how, sizeof how));
    run->sample->figures = run->figures;
    if (!lauka_figures_read(&executor->figures, run->variant, run->figures, how, sizeof how)) {
        struct lauka_sample unread = *sample;
        unread.unreported = true;
        return fail(executor, run, &unread, "its load %s", how);
    }
    errors = figure_of(executor, run, LAUKA_LOAD_ERRORS);
    struct lauka_sample failed = *sample; /* with errors, as a command that failed: -i accepts it */
    failed.code = 1;
    return !errors || *errors <= 0 || lauka_mishaps_is_success(options, run->command, &failed) ||
           fail(executor, run, &failed, "its load counted %.9g error%s", *errors,
                *errors > 1 ? "s" : "");
}

/* Where the service has ended, that is the reason for whatever its load says. */
static bool judge_load(struct lauka_executor *executor, const struct lauka_run *run,
                       const struct lauka_sample *sample)
{
    struct lauka_service *service = &served_of(executor)->service;

    if (lauka_service_has_ended(service))
        return fail_ended(executor, run, "during its load");
    return judge_figures(executor, run, sample) ||
           (lauka_service_ends_soon(service) && fail_ended(executor, run, "during its load"));
}

static void put(double *figure, uint64_t value)
{
    if (figure)
        *figure = value == LAUKA_UNKNOWN ? NAN : (double)value;
}

/* What the service used meanwhile; its peak is that since its start. */
static void fill_figures(const struct lauka_executor *executor, const struct lauka_run *run,
                         const struct lauka_usage *before, const struct lauka_usage *after)
{
    const struct lauka_service *service = &served_of(executor)->service;
    const uint64_t cpu_ns = after->values[LAUKA_CPU_TIME], from_ns = before->values[LAUKA_CPU_TIME];

    put(figure_of(executor, run, LAUKA_SERVICE_CPU_TIME), cpu_ns == LAUKA_UNKNOWN ? cpu_ns
                                                          : cpu_ns > from_ns      ? cpu_ns - from_ns
                                                                                  : 0);
    put(figure_of(executor, run, LAUKA_SERVICE_PEAK_RSS), after->values[LAUKA_PEAK_RSS]);
    put(figure_of(executor, run, LAUKA_TIME_TO_READY), service->ready_ns - service->begun_ns);
}

/* One load, measured. False if lauka itself failed; *good: whether it counts. */
static bool run_load(struct lauka_executor *executor, const struct lauka_run *run, bool *good,
                     struct lauka_error *error)
{
    struct served *served = served_of(executor);
    struct lauka_reading *readings = run->sample->readings;
    struct lauka_usage before, after;
    struct lauka_sample sample;

    lauka_usage_of_living(served->service.pid, &before);
    if (lauka_figures_begin(&executor->figures, run->variant) != 0)
        return lauka_fail_memory(error);
    lauka_service_mind(&served->service);
    bool ran = lauka_launcher_run(executor->launcher, served->loads[run->variant], &sample, error);
    lauka_service_leave(&served->service);
    lauka_figures_end(&executor->figures);
    *good = false;
    if (!ran || lauka_interrupt_signal())
        return ran;
    lauka_usage_of_living(served->service.pid, &after);
    sample.readings = readings; /* their room stays */
    *run->sample = sample;
    *good = judge_load(executor, run, &sample);
    if (*good)
        fill_figures(executor, run, &before, &after);
    return !lauka_launcher_is_lost(executor->launcher, error);
}

/* ---- rounds ------------------------------------------------------------------------------------------- */

/* The runs of one side that share a start: every `step`th from the first, so many. */
static bool run_started(struct lauka_executor *executor, const struct lauka_run *runs, size_t step,
                        size_t count, bool *good, struct lauka_error *error)
{
    struct served *served = served_of(executor);

    if (!start(executor, runs, good, error))
        return false;
    if (!*good)
        return true;
    if (!is_loaded(executor)) {
        fill_ready(&served->service, runs->sample);
        return true;
    }
    if (!hand_over_load(executor, runs->variant, error) || !warm_up(executor, runs, error))
        return false;
    if (lauka_service_has_ended(&served->service))
        *good = fail_ended(executor, runs, "after it was ready");
    for (size_t i = 0; i < count && *good && !lauka_interrupt_signal(); i++)
        if (!run_load(executor, &runs[i * step], good, error))
            return false;
    return true;
}

/* What was started is ended, and what was prepared is concluded, in any case; what failed first is what is told. */
static bool run_side(struct lauka_executor *executor, const struct lauka_run *runs, size_t step,
                     size_t count, bool *good, struct lauka_error *error)
{
    struct lauka_service *service = &served_of(executor)->service;

    *good = false;
    if (!lauka_launched_run_hook(executor, runs, LAUKA_HOOK_PREPARE, error))
        return false;
    if (executor->hook_failed || lauka_interrupt_signal())
        return true;
    bool sound = run_started(executor, runs, step, count, good, error);
    lauka_service_stop(service);
    if (lauka_interrupt_signal())
        lauka_launcher_forget_interruption(executor->launcher);
    struct lauka_failure first = executor->failure;
    struct lauka_error further;
    bool concluded =
        lauka_launched_run_hook(executor, runs, LAUKA_HOOK_CONCLUDE, sound ? error : &further);
    if (!*good) {
        executor->failure = first;
        executor->hook_failed = false;
    }
    return sound && concluded;
}

/* One run or, where a start has several loads, all rounds of a unit, side by side in the order of the first. */
static bool run(struct lauka_executor *executor, const struct lauka_run *runs, size_t asked,
                size_t *done, struct lauka_error *error)
{
    const size_t sides = executor->shares_units ? executor->together : 1;
    const size_t rounds = executor->shares_units ? asked / sides : 1;

    *done = 0;
    lauka_mishaps_read_files(executor->mishaps);
    for (size_t s = 0; s < sides && !lauka_interrupt_signal(); s++) {
        const struct lauka_run_name name = {
            .round = runs[s].warmup ? 0 : runs[s].round + 1,
            .iteration = ++executor->iterations[runs[s].variant],
            .command = runs[s].command,
            .padding = runs[s].padding,
        };
        bool good;
        lauka_launcher_name_run(executor->launcher, &name);
        executor->failure = (struct lauka_failure){0};
        if (!run_side(executor, &runs[s], sides, rounds, &good, error))
            return false;
        if (executor->hook_failed || lauka_interrupt_signal())
            return true;
        if (!good) { /* the run that is judged first is the one that says so */
            *runs[0].sample = executor->failure.sample;
            *done = 1;
            return true;
        }
    }
    *done = lauka_interrupt_signal() ? 0 : sides * rounds;
    return true;
}

/* ---- before and after --------------------------------------------------------------------------------- */

static bool take_commands(struct lauka_executor *executor, struct lauka_error *error)
{
    const struct lauka_options *options = executor->options;
    const size_t count = options->run.command_count;
    struct served *served = executor->own = calloc(1, sizeof *served);

    executor->iterations = calloc(count, sizeof *executor->iterations);
    if (served)
        served->loads = calloc(count, sizeof *served->loads);
    if (!served || !served->loads || !executor->iterations)
        return lauka_fail_memory(error);
    executor->figures =
        (struct lauka_figure_reader){.options = options, .launcher = executor->launcher};
    if (options->service.keep > 1) {
        executor->shares_units = true;
        executor->holds_order = true;
        executor->unit_rounds = (size_t)options->service.keep;
    }
    return lauka_hooks_init(&executor->hooks, options, executor->launcher, error);
}

/* Nothing is counted: what is measured goes on. */
static bool count(struct lauka_executor *executor, const struct lauka_event *events, size_t asked,
                  struct lauka_error *error)
{
    (void)asked;
    return lauka_launcher_count(executor->launcher, events ? events : lauka_native_events(&asked),
                                0, &executor->counters, error);
}

static bool begin(struct lauka_executor *executor, struct lauka_result *result,
                  struct lauka_error *error)
{
    const char *closed = executor->options->service.closed_loop;

    if (!lauka_hooks_check(&executor->hooks, error))
        return false;
    return !closed ||
           lauka_result_note(
               result,
               "`%.100s` sends a request when the one before is answered: while the service stalls "
               "it asks for nothing, so its percentiles leave out what others would have waited "
               "(coordinated omission). wrk2, vegeta, and oha with -q and --latency-correction "
               "send at a constant rate",
               closed) == 0 ||
           lauka_fail_memory(error);
}

static void release(struct lauka_executor *executor)
{
    struct served *served = served_of(executor);

    if (served) {
        lauka_service_stop(&served->service);
        free(served->loads);
    }
    lauka_hooks_done(&executor->hooks);
    lauka_figures_done(&executor->figures);
    free(executor->iterations);
    free(served);
    executor->iterations = NULL;
    executor->own = NULL;
}

static enum lauka_hook_end set_up(struct lauka_executor *executor, size_t command,
                                  struct lauka_error *error)
{
    return lauka_launched.set_up(executor, command, error);
}

static enum lauka_hook_end clean_up(struct lauka_executor *executor, size_t command,
                                    struct lauka_error *error)
{
    return lauka_launched.clean_up(executor, command, error);
}

const struct lauka_executor_kind lauka_served = {
    .real = true,
    .open = take_commands,
    .count = count,
    .set_up = set_up,
    .begin = begin,
    .clean_up = clean_up,
    .run = run,
    .close = release,
};
