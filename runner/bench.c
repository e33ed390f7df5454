/* The loop: schedule x run -> series. A round counts only when every command has finished it, so that
 * all series stay paired; whatever ends the session, the finished rounds are reported. */
#include "runner/runner.h"

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
    struct lauka_sample *samples; /* owned; the round under way, by command */
    size_t capacity;              /* rounds that fit into the result without growing it */
    uint64_t started_ns;          /* when the measured rounds began */
    uint64_t simulated_ns;        /* simulated sessions have a clock of their own */
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

static bool describe_metric(struct lauka_result_metric *metric, const struct lauka_event *event,
                            bool counted, const char *suffix, bool simulated)
{
    static const char *const better[] = {"lower", "higher", "neither"};
    size_t size = strlen(event->name) + strlen(suffix) + 1;

    metric->name = malloc(size);
    metric->unit = strdup(event->unit);
    metric->source = strdup(simulated ? "simulated" : event->source);
    metric->better = better[event->better];
    metric->counted = counted;
    metric->share = 1;
    if (!metric->name || !metric->unit || !metric->source)
        return false;
    snprintf(metric->name, size, "%s%s", event->name, suffix);
    return true;
}

static bool describe_metrics(struct loop *loop)
{
    struct lauka_result *result = loop->result;
    const struct lauka_counters *counters = loop->counters;
    bool simulated = loop->options->simulated, good = true;

    result->metrics = calloc(LAUKA_USAGE_METRICS + counters->count, sizeof *result->metrics);
    if (!result->metrics)
        return false;
    result->metric_count = LAUKA_USAGE_METRICS + counters->count;
    for (size_t i = 0; i < LAUKA_USAGE_METRICS; i++)
        good =
            describe_metric(&result->metrics[i], &lauka_usage_events()[i], true, "", simulated) &&
            good;
    for (size_t i = 0; i < counters->count; i++)
        good =
            describe_metric(&result->metrics[LAUKA_USAGE_METRICS + i], counters->events[i],
                            counters->errors[i] == 0, counters->user_only ? ":u" : "", simulated) &&
            good;
    return good;
}

static bool describe_commands(struct loop *loop)
{
    struct lauka_result *result = loop->result;
    size_t count = loop->options->command_count;

    result->commands = calloc(count, sizeof *result->commands);
    if (!result->commands)
        return false;
    result->command_count = count;
    for (size_t i = 0; i < count; i++) {
        const struct lauka_command *from = &loop->options->commands[i];
        struct lauka_result_command *to = &result->commands[i];
        size_t words = 0;

        while (from->argv[words])
            words++;
        to->label = strdup(from->label);
        to->argv = calloc(words + 1, sizeof *to->argv);
        to->series = calloc(result->metric_count, sizeof *to->series);
        to->summaries = calloc(result->metric_count, sizeof *to->summaries);
        if (!to->label || !to->argv || !to->series || !to->summaries)
            return false;
        for (size_t k = 0; k < words; k++)
            if (!(to->argv[k] = strdup(from->argv[k])))
                return false;
    }
    return true;
}

static bool warn_about_counters(struct loop *loop)
{
    char advice[2048]; /* a sentence for each way in which events were refused */

    if (lauka_counters_advice(loop->counters, advice, sizeof advice) &&
        lauka_result_warn(loop->result, advice) != 0)
        return false;
    return !loop->counters->user_only ||
           lauka_result_warn(loop->result, "events marked :u are counted in user mode only: the "
                                           "kernel may not be counted here (as root, or with "
                                           "kernel.perf_event_paranoid at 1 or less, it may)") == 0;
}

static bool open_counters(struct loop *loop, struct lauka_error *error)
{
    size_t count;
    const struct lauka_event *events = lauka_default_events(&count);

    if (!loop->options->simulated)
        return lauka_launcher_count(loop->bench->launcher, events, count, &loop->counters, error);
    lauka_simulated_open(&loop->simulated_counters, loop->options->scenario, events, count);
    loop->counters = &loop->simulated_counters;
    return true;
}

static bool hand_over_commands(struct loop *loop, struct lauka_error *error)
{
    for (size_t i = 0; !loop->options->simulated && i < loop->options->command_count; i++) {
        struct lauka_command *command = &loop->options->commands[i];
        if (!lauka_command_locate(command, error) ||
            !lauka_launcher_add(loop->bench->launcher, command, error))
            return false;
    }
    return true;
}

static bool prepare(struct loop *loop, struct lauka_error *error)
{
    const struct lauka_options *options = loop->options;

    if (!hand_over_commands(loop, error) || !open_counters(loop, error))
        return false;
    loop->samples = calloc(options->command_count, sizeof *loop->samples);
    if (!loop->samples || !describe_metrics(loop) || !describe_commands(loop) ||
        !warn_about_counters(loop) || lauka_machine_describe(&loop->result->host) != 0 ||
        lauka_schedule_init(&loop->schedule, options->command_count, options->seed) != 0)
        return no_memory(error);
    loop->result->run.seed = options->seed;
    loop->result->run.warmup = options->warmup;
    lauka_progress_init(&loop->progress, !options->quiet && !options->simulated);
    return true;
}

/* ---- one round -------------------------------------------------------------------------------------- */

static bool accepted(const struct lauka_options *options, const struct lauka_sample *sample)
{
    if (sample->outcome == LAUKA_NOT_STARTED)
        return false;
    if (options->accept_all_failures)
        return true;
    return sample->outcome == LAUKA_EXITED && options->accept_exit_code[sample->code & 0xff];
}

static void note_failure(struct loop *loop, size_t command, uint64_t round, bool warmup)
{
    struct lauka_failure *failure = &loop->bench->failure;
    size_t size;
    const char *tail = lauka_launcher_stderr(loop->bench->launcher, &size);

    loop->bench->failed = true;
    failure->command = command;
    failure->round = round;
    failure->warmup = warmup;
    failure->sample = loop->samples[command];
    memcpy(failure->stderr_tail, tail, size);
    failure->stderr_tail[size] = '\0';
}

static bool run_one(struct loop *loop, size_t command, uint64_t round, struct lauka_error *error)
{
    struct lauka_sample *sample = &loop->samples[command];

    if (!loop->options->simulated)
        return lauka_launcher_run(loop->bench->launcher, command, sample, error);
    sample->outcome = LAUKA_EXITED;
    sample->code = 0;
    lauka_simulated_run(loop->counters, loop->options->scenario, loop->options->seed, command,
                        round, &sample->usage, sample->readings);
    loop->simulated_ns += sample->usage.values[LAUKA_WALL_TIME];
    return true;
}

enum round_end { ROUND_FINISHED, ROUND_FAILED, ROUND_INTERRUPTED, ROUND_BROKEN };

static enum round_end run_round(struct loop *loop, const uint32_t *order, uint64_t round,
                                bool warmup, struct lauka_error *error)
{
    for (size_t i = 0; i < loop->options->command_count; i++) {
        size_t command = order[i];
        if (lauka_interrupt_signal())
            return ROUND_INTERRUPTED;
        if (!run_one(loop, command, round, error))
            return ROUND_BROKEN;
        if (lauka_interrupt_signal()) /* whatever the run came to, it was disturbed */
            return ROUND_INTERRUPTED;
        if (!accepted(loop->options, &loop->samples[command])) {
            note_failure(loop, command, round, warmup);
            return ROUND_FAILED;
        }
    }
    return ROUND_FINISHED;
}

/* ---- keeping a round -------------------------------------------------------------------------------- */

/* Between rounds, never during one. */
static bool make_room(struct loop *loop)
{
    struct lauka_result *result = loop->result;
    size_t capacity = loop->capacity ? 2 * loop->capacity : 64;

    if (result->run.rounds < loop->capacity)
        return true;
    uint32_t *order = realloc(result->run.order, capacity * result->command_count * sizeof *order);
    if (!order)
        return false;
    result->run.order = order;
    for (size_t c = 0; c < result->command_count; c++) {
        struct lauka_result_command *command = &result->commands[c];
        int16_t *codes = realloc(command->exit_codes, capacity * sizeof *codes);
        if (!codes)
            return false;
        command->exit_codes = codes;
        for (size_t m = 0; m < result->metric_count; m++)
            if (lauka_series_reserve(&command->series[m], capacity) != 0)
                return false;
    }
    loop->capacity = capacity;
    return true;
}

static void keep_reading(struct lauka_result *result, struct lauka_series *series, size_t metric,
                         const struct lauka_reading *reading)
{
    uint64_t value;

    if (!lauka_reading_scaled(reading, &value)) {
        lauka_series_add(series, LAUKA_MISSING);
        return;
    }
    lauka_series_add(series, value);
    if (lauka_reading_share(reading) < result->metrics[metric].share)
        result->metrics[metric].share = lauka_reading_share(reading);
}

static void keep_sample(struct loop *loop, size_t index)
{
    struct lauka_result *result = loop->result;
    struct lauka_result_command *command = &result->commands[index];
    const struct lauka_sample *sample = &loop->samples[index];
    int code = sample->outcome == LAUKA_SIGNALED ? 128 + sample->code : sample->code;

    command->exit_codes[result->run.rounds] = (int16_t)code;
    for (size_t m = 0; m < LAUKA_USAGE_METRICS; m++)
        lauka_series_add(&command->series[m], sample->usage.values[m]);
    for (size_t i = 0; i < loop->counters->count; i++)
        keep_reading(result, &command->series[LAUKA_USAGE_METRICS + i], LAUKA_USAGE_METRICS + i,
                     &sample->readings[i]);
}

static void keep_round(struct loop *loop, const uint32_t *order)
{
    struct lauka_result *result = loop->result;
    size_t count = result->command_count;

    for (size_t i = 0; i < count; i++)
        keep_sample(loop, i);
    memcpy(result->run.order + result->run.rounds * count, order, count * sizeof *order);
    result->run.rounds++;
}

/* ---- the session ------------------------------------------------------------------------------------ */

static uint64_t budget_ns(const struct loop *loop)
{
    uint64_t each = loop->options->max_time_ns, count = loop->options->command_count;

    return each > UINT64_MAX / 4 / count ? UINT64_MAX / 4 : each * count;
}

static bool enough(const struct loop *loop)
{
    const struct lauka_options *options = loop->options;
    uint64_t rounds = loop->result->run.rounds;

    if (options->rounds)
        return rounds >= options->rounds;
    return rounds >= options->min_rounds && now_ns(loop) - loop->started_ns >= budget_ns(loop);
}

static void show_progress(struct loop *loop, const char *phase, uint64_t round, uint64_t total)
{
    uint64_t spent = now_ns(loop) - loop->started_ns, left = 0, rounds = loop->result->run.rounds;

    if (!loop->progress.enabled)
        return;
    if (loop->options->rounds && rounds)
        left = spent / rounds * (loop->options->rounds - rounds);
    else if (!loop->options->rounds && spent < budget_ns(loop))
        left = budget_ns(loop) - spent;
    lauka_progress_show(&loop->progress, phase, round, total, left);
}

static enum round_end warm_up(struct loop *loop, struct lauka_error *error)
{
    enum round_end end = ROUND_FINISHED;

    for (uint64_t round = 0; end == ROUND_FINISHED && round < loop->options->warmup; round++) {
        lauka_progress_show(&loop->progress, "warm-up", round + 1, loop->options->warmup, 0);
        end = run_round(loop, lauka_schedule_next(&loop->schedule), round, true, error);
    }
    return end;
}

static enum round_end measure(struct loop *loop, struct lauka_error *error)
{
    enum round_end end = ROUND_FINISHED;

    while (end == ROUND_FINISHED && !enough(loop)) {
        uint64_t round = loop->result->run.rounds;
        if (!make_room(loop)) {
            no_memory(error);
            return ROUND_BROKEN;
        }
        show_progress(loop, "round", round + 1, loop->options->rounds);
        const uint32_t *order = lauka_schedule_next(&loop->schedule);
        end = run_round(loop, order, round, false, error);
        if (end == ROUND_FINISHED)
            keep_round(loop, order);
    }
    return end;
}

static enum lauka_stopped why_stopped(const struct loop *loop, enum round_end end)
{
    if (end == ROUND_FAILED)
        return LAUKA_STOPPED_FAILURE;
    if (end == ROUND_INTERRUPTED)
        return LAUKA_STOPPED_INTERRUPTED;
    return loop->options->rounds ? LAUKA_STOPPED_ROUNDS : LAUKA_STOPPED_TIME;
}

bool lauka_bench_run(struct lauka_bench *bench, struct lauka_error *error)
{
    struct loop loop = {.bench = bench, .options = bench->options, .result = bench->result};
    enum round_end end = ROUND_BROKEN;
    uint64_t opened_ns = now_ns(&loop);

    if (prepare(&loop, error)) {
        end = warm_up(&loop, error);
        loop.started_ns = now_ns(&loop);
        if (end == ROUND_FINISHED)
            end = measure(&loop, error);
        lauka_progress_clear(&loop.progress);
        bench->result->run.stopped = why_stopped(&loop, end);
        bench->result->run.seconds = (double)(now_ns(&loop) - opened_ns) / 1e9;
        if (!loop.options->simulated)
            bench->result->run.rss_floor = lauka_launcher_rss_floor(bench->launcher);
    }
    lauka_schedule_done(&loop.schedule);
    free(loop.samples);
    return end != ROUND_BROKEN;
}
