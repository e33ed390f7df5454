/* Runs that no verdict uses, where --why asks why a command is slower: which system calls it makes more or less often,
 * and in which functions the kernel finds it. */
#include "runner/session/loop.h"
#include "runner/session/session.h"
#include "pmu/calls/calls.h"
#include "pmu/samples/samples.h"
#include "report/result/result.h"
#include "runner/attribution/attribution.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/launch/launch.h"
#include "runner/machine/machine.h"
#include "runner/options.h"
#include "stats/stats.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- traced runs ------------------------------------------------------------------------------- */

/* Runs that tell which system calls a command makes more or less often: two of each command, so that what
 * varies anyway is known. No verdict uses them. The kernel's tracepoints count where that is allowed, and
 * disturb nothing; otherwise strace does. */

enum { SLOWER = 200, FILE_MOST = 1 << 20 };

struct tracing {
    struct lauka_loop *loop;             /* borrowed */
    struct lauka_call_counters counters; /* open, where `counted` */
    bool counted;                        /* by tracepoints: nothing runs under strace */
    bool foreign;                        /* they do not tell these programs' calls */
    char *strace;                        /* owned; its path */
    char file[LAUKA_FOLDER_SIZE + 10];   /* that it writes its table to */
    size_t first;                     /* the launcher's number of the first command under strace */
    struct lauka_call_counts *counts; /* owned; by command and run */
    const char *reason;               /* static; why there are none; NULL: there are */
};

/* ---- strace in front of the commands ---------------------------------------------------------------- */

/* In a folder that nobody else may enter: its name is handed to a program that follows links. */
static bool make_file(struct tracing *tracing)
{
    if (lauka_folder_make("strace", tracing->file) != 0)
        return false;
    strcat(tracing->file, "/calls");
    return true;
}

static bool add_command(struct tracing *tracing, const struct lauka_command *command,
                        struct lauka_error *error)
{
    const char *const words[] = {"strace", "-f", "-c", "-o", tracing->file, "--", NULL};
    struct lauka_tool tool = {.path = tracing->strace, .words = words, .slower = SLOWER};

    return lauka_launcher_add_under(tracing->loop->bench->launcher, &tool, command, error);
}

/* ---- one run ---------------------------------------------------------------------------------------- */

/* All of the file, which is gone then. */
static int read_table(struct tracing *tracing, struct lauka_call_counts *counts)
{
    char *text = malloc(FILE_MOST);
    FILE *file = lauka_file_stream(tracing->file);
    size_t size = file && text ? fread(text, 1, FILE_MOST, file) : 0;
    int error = text ? lauka_calls_read(text, size, counts) : ENOMEM;

    if (file)
        fclose(file);
    unlink(tracing->file);
    free(text);
    return error;
}

/* What tracepoints have counted since they were read last. Returns 0 or an errno. */
static int take_counts(struct tracing *tracing, struct lauka_call_counts *counts)
{
    int error = lauka_call_counters_read(&tracing->counters);

    if (!error && tracing->counters.others > 0)
        error = lauka_call_counts_add(counts, "(others)", tracing->counters.others);
    for (size_t i = LAUKA_CALL_FIRST; i < tracing->counters.count && !error; i++) {
        const struct lauka_call_counter *counter = &tracing->counters.counters[i];
        if (counter->count > 0)
            error = lauka_call_counts_add(counts, counter->name, counter->count);
    }
    return error;
}

/* What a hook did before is not the command's. */
static bool launch_traced(struct tracing *tracing, size_t command, struct lauka_sample *sample,
                          struct lauka_error *error)
{
    struct lauka_loop *loop = tracing->loop;
    size_t number =
        tracing->counted ? loop->executor.hooks.command_numbers[command] : tracing->first + command;

    if (tracing->counted)
        (void)lauka_call_counters_read(&tracing->counters); /* it will fail again */
    return lauka_launcher_run(loop->bench->launcher, number, sample, error);
}

static const char *reason_of(const struct tracing *tracing, int failure)
{
    if (tracing->counted)
        return failure ? "the kernel's counts could not be read" : "the command failed";
    return failure ? "strace may not trace here (a container may forbid ptrace(2): docker run "
                     "--cap-add=SYS_PTRACE allows it)"
                   : "the command failed under strace";
}

/* False only where lauka itself failed. */
static bool trace_once(struct tracing *tracing, size_t command, size_t number,
                       struct lauka_error *error)
{
    struct lauka_loop *loop = tracing->loop;
    struct lauka_sample sample;
    const struct lauka_run run = {
        .command = command, .variant = command, .round = number, .warmup = true};
    struct lauka_run_name name = {.command = command};

    if (!lauka_launched_run_hook(&loop->executor, &run, LAUKA_HOOK_PREPARE, error))
        return false;
    lauka_launcher_name_run(loop->bench->launcher, &name);
    if (!loop->executor.hook_failed && !lauka_interrupt_signal() &&
        !launch_traced(tracing, command, &sample, error))
        return false;
    if (loop->executor.hook_failed || lauka_interrupt_signal()) {
        tracing->reason = "the runs that count them were ended";
        return true;
    }
    struct lauka_call_counts *counts = &tracing->counts[command * LAUKA_CALLS_RUNS + number];
    int failure = tracing->counted ? take_counts(tracing, counts) : read_table(tracing, counts);
    tracing->foreign = tracing->counted && failure == ENOTSUP;
    if (failure || !lauka_mishaps_is_success(loop->options, command, &sample))
        tracing->reason = reason_of(tracing, failure);
    return (failure != ENOMEM || lauka_loop_fail_memory(error)) &&
           lauka_launched_run_hook(&loop->executor, &run, LAUKA_HOOK_CONCLUDE, error);
}

static bool trace_all(struct tracing *tracing, struct lauka_error *error)
{
    struct lauka_loop *loop = tracing->loop;
    size_t count = loop->options->run.command_count;
    bool good = true;

    tracing->first = lauka_launcher_count_commands(loop->bench->launcher);
    for (size_t c = 0; good && c < count && !tracing->counted; c++)
        good = add_command(tracing, &loop->options->run.commands[c], error);
    for (size_t i = 0; good && !tracing->reason && i < count * LAUKA_CALLS_RUNS; i++) {
        lauka_showing_step(loop, (struct lauka_progress_step){.phase = "system call run",
                                                              .number = i + 1,
                                                              .total = count * LAUKA_CALLS_RUNS});
        good = trace_once(tracing, i % count, i / count, error);
    }
    lauka_launcher_tick(loop->bench->launcher, 0, NULL, NULL);
    lauka_progress_clear();
    return good;
}

/* ---- what it came to -------------------------------------------------------------------------------- */

static int keep_calls_of(const struct tracing *tracing, size_t c, struct lauka_calls *calls)
{
    struct lauka_call_counts sides[2][LAUKA_CALLS_RUNS]; /* borrow */

    calls->command = c;
    calls->traced = !tracing->counted;
    if (tracing->reason) {
        calls->reason = strdup(tracing->reason);
        return calls->reason ? 0 : ENOMEM;
    }
    for (size_t run = 0; run < LAUKA_CALLS_RUNS; run++) {
        sides[0][run] = tracing->counts[run];
        sides[1][run] = tracing->counts[c * LAUKA_CALLS_RUNS + run];
    }
    return lauka_calls_compare(sides, calls);
}

static int keep_calls(const struct tracing *tracing)
{
    struct lauka_result *result = tracing->loop->result;
    int error = 0;

    for (size_t c = 1; c < result->command_count && !error; c++) {
        struct lauka_calls *calls =
            lauka_list_add(&result->calls.commands, &result->calls.count, sizeof *calls);
        error = calls ? keep_calls_of(tracing, c, calls) : ENOMEM;
    }
    return error;
}

static void forget_counts(struct tracing *tracing)
{
    size_t runs = tracing->loop->options->run.command_count * LAUKA_CALLS_RUNS;

    for (size_t i = 0; tracing->counts && i < runs; i++)
        lauka_call_counts_done(&tracing->counts[i]);
    lauka_call_counters_close(&tracing->counters);
}

static void release_tracing(struct tracing *tracing)
{
    char *slash = strrchr(tracing->file, '/');

    forget_counts(tracing);
    free(tracing->counts);
    free(tracing->strace);
    if (slash) {
        *slash = '\0';
        (void)lauka_tree_remove(tracing->file);
    }
}

/* Whoever it is that counts, or why nobody does. */
static void find_way(struct tracing *tracing)
{
    const struct lauka_event_lender lender = {lauka_launcher_lend, tracing->loop->bench->launcher};

    tracing->counted =
        !tracing->foreign && lauka_call_counters_open(&lender, &tracing->counters) == 0;
    tracing->reason = NULL;
    if (tracing->counted)
        return;
    tracing->strace = lauka_command_find("strace");
    if (!tracing->strace)
        tracing->reason = "strace is not installed";
    else if (!make_file(tracing))
        tracing->reason = "there is no folder for strace's file";
}

bool lauka_traced_runs_run(struct lauka_loop *loop, struct lauka_error *error)
{
    struct tracing tracing = {.loop = loop};
    bool good = true;

    if (!loop->options->measure.why || loop->kind != &lauka_launched || lauka_interrupt_signal())
        return true;
    tracing.counts =
        calloc(loop->options->run.command_count * LAUKA_CALLS_RUNS, sizeof *tracing.counts);
    if (!tracing.counts)
        good = lauka_loop_fail_memory(error);
    else
        find_way(&tracing);
    if (good && !tracing.reason)
        good = trace_all(&tracing, error);
    if (good && tracing.foreign) { /* strace knows them */
        forget_counts(&tracing);
        find_way(&tracing);
        good = tracing.reason || trace_all(&tracing, error);
    }
    if (good && keep_calls(&tracing) != 0)
        good = lauka_loop_fail_memory(error);
    release_tracing(&tracing);
    return good;
}

/* ---- sampled rounds ---------------------------------------------------------------------------- */

/* Rounds that no verdict uses: the kernel samples all processes of the commands, so that functions are told
 * whose share of the time is another one than in the reference. */

/* Ranks claim among hundred functions from 12 rounds on; of commands that take long there are fewer. */
enum { ROUNDS_MOST = 24, ROUNDS_LEAST = 8 };
/* What is asked for is CPU time; a command that waits, or a busy machine, gets so many times as much of the clock. */
enum { PATIENCE = 5 };
enum { TAKEN_MS = 100 }; /* how often what the kernel wrote is taken */

/* ---- names that are not in programs -------------------------------------------------------------- */

enum { PLACES = 4, PATH_SIZE = 1200 };

/* By number; false: the name would be too long. */
static bool name_place(int place, const char *path, const char *build, char text[PATH_SIZE])
{
    const char *slash = strrchr(path, '/');
    const int folder = slash ? (int)(slash - path) : 0;
    int length = PATH_SIZE;

    if (place == 0)
        length = snprintf(text, PATH_SIZE, "/usr/lib/debug/.build-id/%.2s/%s.debug", build,
                          build + strnlen(build, 2));
    else if (place == 1)
        length = snprintf(text, PATH_SIZE, "/usr/lib/debug%s.debug", path);
    else if (place == 2)
        length = snprintf(text, PATH_SIZE, "%s.debug", path);
    else if (slash)
        length = snprintf(text, PATH_SIZE, "%.*s/.debug%s.debug", folder, path, slash);
    return length < PATH_SIZE;
}

static bool find_build(const char *path, char build[LAUKA_BUILD_ID_SIZE])
{
    FILE *file = lauka_file_stream(path);
    bool found = file && lauka_build_id_find(file, build);

    if (file)
        fclose(file);
    return found;
}

/* As struct lauka_sample_set has it. The whole file is read instead of mapped: it may be rebuilt meanwhile, and a mapping
 * would then kill the program. */
static const void *read_file(const char *path, size_t *size)
{
    enum { PROGRAM_MOST = 1 << 30 }; /* bytes */
    return lauka_file_read_plain(path, PROGRAM_MOST, size);
}

static void give_back(const void *bytes, size_t size)
{
    (void)size;
    free((void *)(uintptr_t)bytes);
}

/* As struct lauka_sample_set has it: files with the symbols of stripped programs and libraries, where distributions and
 * objcopy(1) put them, and only if they belong to the same build. */
static const void *read_debug_file(const char *path, size_t *size)
{
    char build[LAUKA_BUILD_ID_SIZE], other[LAUKA_BUILD_ID_SIZE], place[PATH_SIZE];

    if (!find_build(path, build))
        return NULL;
    for (int i = 0; i < PLACES; i++)
        if (name_place(i, path, build, place) && find_build(place, other) &&
            strcmp(build, other) == 0)
            return read_file(place, size);
    return NULL;
}

/* As struct lauka_sample_set has it. The kernel shows addresses to root only. */
static char *read_names(uint32_t pid)
{
    enum { NAMES_MOST = 64 << 20 };
    char path[64] = "/proc/kallsyms", *text = NULL;
    size_t size = 0, room = 0, got = 1;

    if (pid != 0)
        snprintf(path, sizeof path, "/tmp/perf-%u.map", (unsigned)pid);
    FILE *file = lauka_file_stream(path);
    while (file && got > 0 && size < NAMES_MOST) {
        room = room ? 2 * room : 1 << 16;
        char *grown = realloc(text, room + 1);
        if (!grown)
            break;
        text = grown;
        got = fread(text + size, 1, room - size, file);
        size += got;
    }
    if (file)
        fclose(file);
    if (text)
        text[size] = '\0';
    return text;
}

/* ---- the rounds ---------------------------------------------------------------------------------- */

struct sampling {
    struct lauka_loop *loop; /* borrowed */
    struct lauka_sampler *sampler;
    struct lauka_sampler_setting setting;
    struct lauka_sample_set samples;
    struct lauka_schedule schedule;
    struct lauka_random random;
    size_t rounds;      /* that are over */
    int failure;        /* ENOMEM, in the run under way; 0 */
    size_t *command_of; /* owned; by part */
    uint64_t *runs;     /* owned; by part: how many it had */
};

enum part_end { PART_FINISHED, PART_ENDED, PART_BROKEN };

static enum part_end lose_memory(struct lauka_error *error)
{
    lauka_loop_fail_memory(error);
    return PART_BROKEN;
}

/* ---- one run ---------------------------------------------------------------------------------------- */

/* So often that the buffers do not fill: where a command starts thousands of processes a second, each tells what it
 * maps. */
static void tick(void *context, uint64_t runs_done)
{
    struct sampling *sampling = context;

    (void)lauka_sampler_take(
        sampling->sampler); /* without memory, the kernel will have lost some */
    if (sampling->loop->progress.enabled)
        lauka_progress_tick(&sampling->loop->progress, runs_done);
}

/* Of hooks, and of what was between runs, no record is wanted. */
static void begin_run(void *context)
{
    struct sampling *sampling = context;

    sampling->failure = lauka_sampler_take(sampling->sampler);
    lauka_sampler_forget(sampling->sampler);
}

/* What was written since, and is of this run. */
static void end_run(void *context)
{
    struct sampling *sampling = context;
    size_t size;
    int error = lauka_sampler_take(sampling->sampler);
    const void *bytes = lauka_sampler_taken(sampling->sampler, &size);

    lauka_samples_begin_run(&sampling->samples);
    if (!error)
        error = lauka_samples_feed_bytes(&sampling->samples, bytes, size);
    lauka_sampler_forget(sampling->sampler);
    sampling->failure = sampling->failure ? sampling->failure : error;
}

/* The clock of samples runs before the command begins: how long, is drawn, so that a short one is not always sampled at
 * the same points. */
static void draw_phase(struct sampling *sampling, size_t command)
{
    struct lauka_loop *loop = sampling->loop;
    uint64_t phase_ns = lauka_random_below(&sampling->random, sampling->setting.period_ns);

    lauka_loop_delay(loop, command, phase_ns + 1);
}

static enum part_end sample_once(struct sampling *sampling, size_t command,
                                 struct lauka_error *error)
{
    struct lauka_loop *loop = sampling->loop;
    const struct lauka_run_watch watch = {begin_run, end_run, sampling};
    const struct lauka_run run = {.command = command,
                                  .variant = command,
                                  .warmup = true,
                                  .watch = &watch,
                                  .sample = &loop->samples[command],
                                  .figures = &loop->figures[command * LAUKA_FIGURES_MAX]};
    size_t done = 0;

    draw_phase(sampling, command);
    if (!loop->kind->run(&loop->executor, &run, 1, &done, error))
        return PART_BROKEN;
    if (done == 0 || loop->executor.hook_failed || lauka_interrupt_signal() ||
        !lauka_mishaps_is_success(loop->options, command, run.sample))
        return PART_ENDED;
    if (sampling->failure)
        return lose_memory(error);
    return PART_FINISHED;
}

/* ---- rounds ----------------------------------------------------------------------------------------- */

/* Whether the part has its time, or has waited long enough for it. */
static bool is_sampled(const struct sampling *sampling, uint64_t begun_ns)
{
    const uint64_t part_ns = sampling->loop->options->measure.sampled_ns / ROUNDS_MOST;

    return sampling->samples.now.samples * sampling->setting.period_ns >= part_ns ||
           lauka_now_ns() - begun_ns >= PATIENCE * part_ns;
}

/* A command's part of a round: as many runs as fill its time, so that there are samples enough. */
static enum part_end run_part(struct sampling *sampling, size_t command, struct lauka_error *error)
{
    const uint64_t begun_ns = lauka_now_ns();
    const size_t part = sampling->samples.part_count;
    enum part_end end = PART_FINISHED;

    sampling->command_of[part] = command;
    do {
        end = sample_once(sampling, command, error);
        sampling->runs[part]++;
    } while (end == PART_FINISHED && !is_sampled(sampling, begun_ns));
    if (end == PART_FINISHED && lauka_samples_end_part(&sampling->samples) != 0)
        return lose_memory(error);
    return end;
}

static enum part_end run_round(struct sampling *sampling, struct lauka_error *error)
{
    struct lauka_loop *loop = sampling->loop;
    const uint32_t *order = lauka_schedule_next(&sampling->schedule);
    enum part_end end = PART_FINISHED;

    const uint64_t round_ns =
        loop->options->measure.sampled_ns / ROUNDS_MOST * loop->options->run.command_count;
    lauka_showing_step(
        loop, (struct lauka_progress_step){.phase = "sampled round",
                                           .number = sampling->rounds + 1,
                                           .total = ROUNDS_MOST,
                                           .left_ns = round_ns * (ROUNDS_MOST - sampling->rounds)});
    lauka_launcher_tick(loop->bench->launcher, TAKEN_MS, tick, sampling);
    for (size_t i = 0; i < loop->options->run.command_count && end == PART_FINISHED; i++)
        end = run_part(sampling, order[i], error);
    sampling->rounds += end == PART_FINISHED;
    return end;
}

static enum part_end run_rounds(struct sampling *sampling, struct lauka_error *error)
{
    const struct lauka_options *options = sampling->loop->options;
    const uint64_t begun_ns = lauka_now_ns(),
                   allowed_ns = PATIENCE * options->measure.sampled_ns * options->run.command_count;
    enum part_end end = PART_FINISHED;

    while (end == PART_FINISHED && sampling->rounds < ROUNDS_MOST &&
           (sampling->rounds < ROUNDS_LEAST || lauka_now_ns() - begun_ns < allowed_ns))
        end = run_round(sampling, error);
    for (size_t c = 0; c < options->run.command_count; c++)
        lauka_loop_delay(sampling->loop, c, 0);
    return end;
}

/* ---- what it came to -------------------------------------------------------------------------------- */

static int keep_shares(struct sampling *sampling)
{
    const struct lauka_options *options = sampling->loop->options;
    struct lauka_result_sampled *sampled = &sampling->loop->result->sampled;
    const char **programs = calloc(options->run.command_count, sizeof *programs);
    const struct lauka_attribution_samples samples = {
        .samples = &sampling->samples,
        .commands = sampling->command_of,
        .runs = sampling->runs,
        .programs = programs,
        .command_count = options->run.command_count,
        .rounds = sampling->rounds,
        .whys = &sampling->loop->result->whys,
    };

    if (!programs)
        return ENOMEM;
    for (size_t c = 0; c < options->run.command_count; c++)
        programs[c] = options->run.commands[c].path;
    sampled->event = strdup(sampling->setting.event);
    sampled->period_ns = sampling->setting.period_ns;
    sampled->kernel = sampling->setting.kernel;
    sampled->rounds = sampling->rounds;
    int error = sampled->event ? lauka_attribution_shares(&samples, sampled) : ENOMEM;
    free(programs);
    return error;
}

/* For each command the same reason. */
static int refuse(struct lauka_result *result, const char *reason)
{
    for (size_t c = 1; c < result->command_count; c++) {
        struct lauka_sampled *sampled =
            lauka_list_add(&result->sampled.commands, &result->sampled.count, sizeof *sampled);
        if (!sampled)
            return ENOMEM;
        sampled->command = c;
        sampled->standing = LAUKA_SAMPLED_NOT_KNOWN;
        sampled->reason = strdup(reason);
        if (!sampled->reason)
            return ENOMEM;
    }
    return 0;
}

static bool explain(struct lauka_loop *loop, int failure, struct lauka_error *error)
{
    char reason[300];

    lauka_sampler_explain(failure, reason, sizeof reason);
    if (loop->options->measure.lacks_valgrind)
        return lauka_fail(error, LAUKA_EXIT_HOST, "--why: valgrind is not installed; %s. And %s",
                          lauka_valgrind_advice(), reason);
    return refuse(loop->result, reason) == 0 || lauka_loop_fail_memory(error);
}

/* Whoever asked for counts is told why there are none. */
static int warn(struct lauka_loop *loop)
{
    char text[400];

    snprintf(text, sizeof text,
             "valgrind is not installed, so no instructions were counted; %s. Samples tell the "
             "functions instead",
             lauka_valgrind_advice());
    return loop->options->measure.lacks_valgrind ? lauka_result_warn(loop->result, text) : 0;
}

/* ---- all of it -------------------------------------------------------------------------------------- */

static bool sample(struct sampling *sampling, struct lauka_error *error)
{
    struct lauka_loop *loop = sampling->loop;
    const size_t count = loop->options->run.command_count;

    sampling->samples.read_file = read_file;
    sampling->samples.give_back = give_back;
    sampling->samples.find_file = lauka_sampler_find_file;
    sampling->samples.read_names = read_names;
    sampling->samples.read_debug_file = read_debug_file;
    sampling->setting = lauka_sampler_setting(sampling->sampler);
    sampling->command_of = calloc(ROUNDS_MOST * count, sizeof *sampling->command_of);
    sampling->runs = calloc(ROUNDS_MOST * count, sizeof *sampling->runs);
    if (!sampling->command_of || !sampling->runs ||
        lauka_schedule_init(&sampling->schedule, count, ~loop->executor.seed) != 0)
        return lauka_loop_fail_memory(error);
    lauka_random_seed(&sampling->random, loop->executor.seed);
    enum part_end end = run_rounds(sampling, error);
    lauka_launcher_tick(loop->bench->launcher, 0, NULL, NULL);
    lauka_progress_clear();
    return end != PART_BROKEN &&
           ((keep_shares(sampling) == 0 && warn(loop) == 0) || lauka_loop_fail_memory(error));
}

bool lauka_sampled_rounds_run(struct lauka_loop *loop, struct lauka_error *error)
{
    struct sampling sampling = {.loop = loop};

    if (loop->options->measure.sampled_ns == 0 || loop->kind != &lauka_launched ||
        lauka_interrupt_signal())
        return true;
    const struct lauka_event_lender lender = {lauka_launcher_lend, loop->bench->launcher};
    int failure = lauka_sampler_open(&lender, &sampling.sampler);
    if (failure == ENOMEM)
        return lauka_loop_fail_memory(error);
    if (failure)
        return explain(loop, failure, error);
    bool good = sample(&sampling, error);
    lauka_sampler_close(sampling.sampler);
    lauka_samples_done(&sampling.samples);
    lauka_schedule_done(&sampling.schedule);
    free(sampling.command_of);
    free(sampling.runs);
    return good;
}
