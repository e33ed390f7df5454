/* Runs that tell which system calls a command makes more or less often: two of each command, so that what varies anyway
 * is known. No verdict uses them. The kernel's tracepoints count where that is allowed, and disturb nothing; otherwise
 * strace does. */
#include "pmu/calls/calls.h"
#include "report/result/result.h"
#include "runner/attribution/calls.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/launch/launch.h"
#include "runner/options.h"
#include "runner/session/loop.h"
#include "runner/session/session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
static bool launch(struct tracing *tracing, size_t command, struct lauka_sample *sample,
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
static bool run_once(struct tracing *tracing, size_t command, size_t number,
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
        !launch(tracing, command, &sample, error))
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

static bool run_all(struct tracing *tracing, struct lauka_error *error)
{
    struct lauka_loop *loop = tracing->loop;
    size_t count = loop->options->command_count;
    bool good = true;

    tracing->first = lauka_launcher_count_commands(loop->bench->launcher);
    for (size_t c = 0; good && c < count && !tracing->counted; c++)
        good = add_command(tracing, &loop->options->commands[c], error);
    for (size_t i = 0; good && !tracing->reason && i < count * LAUKA_CALLS_RUNS; i++) {
        lauka_showing_step(loop, (struct lauka_progress_step){.phase = "system call run",
                                                              .number = i + 1,
                                                              .total = count * LAUKA_CALLS_RUNS});
        good = run_once(tracing, i % count, i / count, error);
    }
    lauka_launcher_tick(loop->bench->launcher, 0, NULL, NULL);
    lauka_progress_clear(&loop->progress);
    return good;
}

/* ---- what it came to -------------------------------------------------------------------------------- */

static int keep_one(const struct tracing *tracing, size_t c, struct lauka_calls *calls)
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

static int keep(const struct tracing *tracing)
{
    struct lauka_result *result = tracing->loop->result;
    int error = 0;

    for (size_t c = 1; c < result->command_count && !error; c++) {
        struct lauka_calls *calls =
            lauka_list_add(&result->calls.commands, &result->calls.count, sizeof *calls);
        error = calls ? keep_one(tracing, c, calls) : ENOMEM;
    }
    return error;
}

static void forget_counts(struct tracing *tracing)
{
    size_t runs = tracing->loop->options->command_count * LAUKA_CALLS_RUNS;

    for (size_t i = 0; tracing->counts && i < runs; i++)
        lauka_call_counts_done(&tracing->counts[i]);
    lauka_call_counters_close(&tracing->counters);
}

static void release(struct tracing *tracing)
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

    if (!loop->options->why || loop->kind != &lauka_launched || lauka_interrupt_signal())
        return true;
    tracing.counts =
        calloc(loop->options->command_count * LAUKA_CALLS_RUNS, sizeof *tracing.counts);
    if (!tracing.counts)
        good = lauka_loop_fail_memory(error);
    else
        find_way(&tracing);
    if (good && !tracing.reason)
        good = run_all(&tracing, error);
    if (good && tracing.foreign) { /* strace knows them */
        forget_counts(&tracing);
        find_way(&tracing);
        good = tracing.reason || run_all(&tracing, error);
    }
    if (good && keep(&tracing) != 0)
        good = lauka_loop_fail_memory(error);
    release(&tracing);
    return good;
}
