/* Which benchmarks there are: both programs are asked, and what both have is compared. */
#include "runner/suite/suite.h"
#include "pmu/counters/counters.h"
#include "report/result/result.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/launch/launch.h"
#include "runner/options.h"
#include "runner/options/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDES = 2 };
#define LISTED_NS UINT64_C(60000000000)

/* ---- whose benchmarks ------------------------------------------------------------------------------- */

/* Of a program, or of the script that it runs. */
static const struct lauka_adapter *detect(const struct lauka_command *command)
{
    const struct lauka_adapter *adapter = lauka_adapter_of_file(command->path);

    for (size_t i = 1; !adapter && command->argv[i]; i++)
        if (command->argv[i][0] != '-')
            adapter = lauka_adapter_of_file(command->argv[i]);
    return adapter;
}

static bool choose_adapter(struct lauka_suite *suite, const struct lauka_options *options,
                           struct lauka_error *error)
{
    suite->adapter = lauka_adapter_of(options->adapter);
    if (!suite->adapter)
        suite->adapter = detect(&options->commands[0]);
    return suite->adapter ||
           lauka_fail(error, LAUKA_EXIT_USAGE,
                      "%.300s: it uses neither lauka_bench.h nor a framework that lauka knows; "
                      "name its framework by --adapter gbench, go, criterion, pytest or lauka",
                      options->commands[0].label);
}

/* What other frameworks run cannot be told from what is around it. */
static bool check_events(const struct lauka_suite *suite, const struct lauka_options *options,
                         struct lauka_error *error)
{
    if (!options->events_given || options->events.count == 0)
        return true;
    if (!lauka_counters_can_attach())
        return lauka_fail(error, LAUKA_EXIT_USAGE,
                          "--events: on this system counters count whole runs, not what is inside "
                          "one");
    return suite->adapter->talks ||
           lauka_fail(error, LAUKA_EXIT_USAGE,
                      "--events: benchmarks of --adapter %s are counted together with what is "
                      "around them; only those of lauka_bench.h and lauka-bench/1 can be counted",
                      suite->adapter->name);
}

/* ---- asking ------------------------------------------------------------------------------------------ */

static bool list_spoken(const struct lauka_suite *suite, struct lauka_process *process,
                        const struct lauka_command *command, uint64_t until_ns,
                        struct lauka_inner_names *names, char *why, size_t size)
{
    bool good = lauka_native_start(process, suite->launcher, command, NULL, until_ns, why, size) &&
                lauka_native_list(process, until_ns, names, why, size);

    if (good)
        lauka_process_say(process, "bye\n");
    return good;
}

static bool list_written(const struct lauka_suite *suite, struct lauka_process *process,
                         const struct lauka_command *command, uint64_t until_ns,
                         struct lauka_inner_names *names, char *why, size_t size)
{
    const struct lauka_adapter *adapter = suite->adapter;
    char *text = NULL;
    int error = 0;

    if (!lauka_written_run(process, suite->launcher, adapter, command, adapter->list,
                           (struct lauka_inner_request){.folder = ""}, until_ns, &text, why, size))
        return false;
    error = adapter->read_list(text, names);
    if (error)
        snprintf(why, size, "%s",
                 error == ENOMEM ? strerror(error) : "did not write a list of benchmarks");
    free(text);
    return !error;
}

/* How long starting a process takes; 0 if that fails. */
static uint64_t time_start(const struct lauka_suite *suite, const struct lauka_command *command,
                           uint64_t until_ns)
{
    const struct lauka_adapter *adapter = suite->adapter;
    struct lauka_process process = {.to = -1, .from = -1, .complaints = -1};
    uint64_t begun_ns = lauka_now_ns();
    char why[300], *text = NULL;
    bool good = lauka_written_run(&process, suite->launcher, adapter, command,
                                  adapter->start ? adapter->start : adapter->list,
                                  (struct lauka_inner_request){.folder = ""}, until_ns, &text, why,
                                  sizeof why);
    uint64_t took_ns = good ? lauka_now_ns() - begun_ns : 0;

    lauka_process_end(&process, 0);
    lauka_process_done(&process);
    free(text);
    return took_ns;
}

/* If listing was quick, starting is; otherwise it is measured again. */
static void judge_start(struct lauka_suite *suite, const struct lauka_command *command,
                        uint64_t listed_ns, uint64_t until_ns)
{
    const uint64_t slow_ns = UINT64_C(100000000);
    uint64_t start_ns = listed_ns;

    if (suite->adapter->talks)
        return;
    for (int i = 0; i < 2 && start_ns > slow_ns && !suite->adapter->shares; i++) {
        uint64_t again_ns = time_start(suite, command, until_ns);
        start_ns = again_ns < start_ns ? again_ns : start_ns;
    }
    if (start_ns > suite->whole->start_ns)
        suite->whole->start_ns = start_ns;
    suite->whole->on = suite->adapter->shares || suite->whole->start_ns > slow_ns;
}

/* The names of one side, in its order. */
static bool ask(struct lauka_suite *suite, struct lauka_command *command,
                struct lauka_inner_names *names, struct lauka_error *error)
{
    struct lauka_process process = {.to = -1, .from = -1, .complaints = -1};
    uint64_t allowed_ns = command->timeout_ns ? command->timeout_ns : LISTED_NS;
    uint64_t begun_ns = lauka_now_ns(), until_ns = begun_ns + allowed_ns;
    char why[300] = "";

    if (!lauka_command_locate(command, error))
        return false;
    bool good = suite->adapter->talks
                    ? list_spoken(suite, &process, command, until_ns, names, why, sizeof why)
                    : list_written(suite, &process, command, until_ns, names, why, sizeof why);
    lauka_process_end(&process, lauka_now_ns() + (good ? UINT64_C(1000000000) : 0));
    if (good && suite->adapter->talks)
        good = lauka_native_is_quiet(&process, why, sizeof why);
    if (good)
        judge_start(suite, command, lauka_now_ns() - begun_ns, until_ns);
    if (good || lauka_interrupt_signal())
        good = true;
    else if (!lauka_launcher_is_lost(suite->launcher, error))
        lauka_fail(error, LAUKA_EXIT_COMMAND_FAILED,
                   "%.200s was asked for its benchmarks, and %.300s%s%.300s", command->label, why,
                   *process.tail ? "; its stderr: " : "", process.tail);
    lauka_process_done(&process);
    return good;
}

/* ---- both -------------------------------------------------------------------------------------------- */

/* Benchmarks in one program only are reported only if --benchmark selects them. */
static bool pair(struct lauka_suite *suite, const struct lauka_options *options,
                 const struct lauka_inner_names *names, struct lauka_inner_names *both)
{
    int failure = 0;

    for (size_t s = 0; s < SIDES; s++)
        for (size_t i = 0; i < names[s].count && !failure; i++) {
            const char *name = names[s].names[i];
            bool shared = lauka_inner_names_have(&names[1 - s], name);
            if (shared || lauka_options_choose(options, name))
                failure =
                    lauka_inner_names_add(shared ? both : &suite->only[s], name, strlen(name));
        }
    return !failure;
}

static bool take(struct lauka_suite *suite, struct lauka_options *options,
                 const struct lauka_inner_names *names, struct lauka_error *error)
{
    struct lauka_inner_names both = {0};
    bool good = pair(suite, options, names, &both) || lauka_fail_memory(error);

    if (good && both.count == 0)
        good = lauka_fail(
            error, LAUKA_EXIT_USAGE, "%.200s (%zu benchmarks) and %.200s (%zu) have none in common",
            options->commands[0].label, names[0].count, options->commands[1].label, names[1].count);
    good = good && lauka_options_take_inner(options, both.names, both.count, error);
    lauka_inner_names_done(&both);
    return good;
}

bool lauka_suite_open(struct lauka_suite *suite, struct lauka_launcher *launcher,
                      struct lauka_options *options, struct lauka_error *error)
{
    struct lauka_inner_names names[SIDES] = {{0}, {0}};

    *suite = (struct lauka_suite){.launcher = launcher,
                                  .whole = calloc(1, sizeof *suite->whole),
                                  .counting = calloc(1, sizeof *suite->counting)};
    if (!suite->whole || !suite->counting)
        return lauka_fail_memory(error);
    for (size_t s = 0; s < SIDES; s++)
        if (!lauka_command_locate(&options->commands[s], error))
            return false;
    bool good = choose_adapter(suite, options, error) && check_events(suite, options, error);
    for (size_t s = 0; s < SIDES; s++)
        good = good && ask(suite, &options->commands[s], &names[s], error);
    if (good && !lauka_interrupt_signal())
        good = take(suite, options, names, error);
    for (size_t s = 0; s < SIDES; s++)
        lauka_inner_names_done(&names[s]);
    return good;
}

/* "`a`, `b` are in the base only". */
static void describe_missing(const struct lauka_inner_names *only, const char *side,
                             char text[1200])
{
    enum { SHOWN = 5, SIZE = 1200 };
    size_t used = 0;

    for (size_t i = 0; i < only->count && i < SHOWN; i++)
        used +=
            (size_t)snprintf(text + used, SIZE - used, "%s`%.100s`", i ? ", " : "", only->names[i]);
    if (only->count > SHOWN)
        used += (size_t)snprintf(text + used, SIZE - used, " and %zu more", only->count - SHOWN);
    snprintf(text + used, SIZE - used, " %s in %s only", only->count == 1 ? "is" : "are", side);
}

static int note_missing(const struct lauka_inner_names *only, struct lauka_result *result,
                        const char *side)
{
    char text[1200], note[1300];

    if (only->count == 0)
        return 0;
    describe_missing(only, side, text);
    snprintf(note, sizeof note, "%s: not compared", text);
    return lauka_result_warn(result, note);
}

bool lauka_suite_is_whole(const struct lauka_suite *suite, const struct lauka_options *options,
                          struct lauka_error *error)
{
    bool lost = suite->only[0].count > 0, new = suite->only[1].count > 0 && !options->allow_new;
    char base[1200] = "", head[1200] = "";

    if (lost)
        describe_missing(&suite->only[0], "the base", base);
    if (new)
        describe_missing(&suite->only[1], "the head", head);
    return (!lost && !new) ||
           lauka_fail(error, LAUKA_EXIT_COMMAND_FAILED,
                      "%.400s%s%.400s: not compared; --benchmark chooses others%s", base,
                      lost && new ? ", " : "", head, new ? ", --allow-new permits new ones" : "");
}

int lauka_suite_note(const struct lauka_suite *suite, const struct lauka_options *options,
                     struct lauka_result *result)
{
    static const char *const usual[SIDES] = {"the base", "the head"};
    int failure = 0;

    for (size_t s = 0; s < SIDES && !failure; s++)
        failure = note_missing(&suite->only[s], result,
                               options->suite ? options->commands[s].side : usual[s]);
    return failure;
}

int lauka_suite_note_counts(const struct lauka_suite *suite, struct lauka_result *result)
{
    return suite->counting && lauka_counting_counts(suite->counting)
               ? lauka_result_warn(result,
                                   "counts are those of an iteration; what a round's question "
                                   "and answer cost is in them (docs/suite.md)")
               : 0;
}

void lauka_suite_close(struct lauka_suite *suite)
{
    for (size_t s = 0; s < SIDES; s++)
        lauka_inner_names_done(&suite->only[s]);
    lauka_whole_done(suite->whole);
    free(suite->counting);
    suite->whole = NULL;
    suite->counting = NULL;
}
