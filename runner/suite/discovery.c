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

/* ---- the frameworks, and by what their programs are known -------------------------------------- */

static const struct lauka_adapter native = {
    .framework = LAUKA_FRAMEWORK_LAUKA,
    .name = "lauka",
    .marks = {"LAUKA_BENCH_FDS", "@lauka/bench", "lauka.bench"},
    .talks = true,
    .tells_cpu_time = true};

const struct lauka_adapter *const lauka_adapters[] = {
    &native,
    &lauka_gbench_adapter,
    &lauka_go_adapter,
    &lauka_criterion_adapter,
    &lauka_pytest_adapter,
    &lauka_jmh_adapter,
    &lauka_divan_adapter,
};
const size_t lauka_adapter_count = sizeof lauka_adapters / sizeof *lauka_adapters;

const struct lauka_adapter *lauka_adapter_of(enum lauka_framework framework)
{
    for (size_t i = 0; i < lauka_adapter_count; i++)
        if (lauka_adapters[i]->framework == framework)
            return lauka_adapters[i];
    return NULL;
}

/* ---- by what is in a file --------------------------------------------------------------------------- */

/* Marks of each that are in these bytes. */
static void note_marks(const char *bytes, size_t size, bool *found)
{
    for (size_t i = 0; i < lauka_adapter_count; i++)
        for (size_t m = 0; m < 3 && lauka_adapters[i]->marks[m]; m++)
            found[i] = found[i] || memmem(bytes, size, lauka_adapters[i]->marks[m],
                                          strlen(lauka_adapters[i]->marks[m])) != NULL;
}

/* By the content of the file; NULL if none is known. */
static const struct lauka_adapter *adapter_of_file(const char *path)
{
    enum { BLOCK = 1 << 16, OVERLAP = 64, MOST = 1 << 14 /* 1 GiB */ };
    static char bytes[OVERLAP + BLOCK];
    bool found[16] = {false};
    size_t kept = 0, count, blocks = 0;
    FILE *file = lauka_file_stream(path); /* a program's argument may be anything */

    while (file && blocks++ < MOST && !lauka_interrupt_signal() &&
           (count = fread(bytes + kept, 1, BLOCK, file)) > 0) {
        note_marks(bytes, kept + count, found);
        size_t all = kept + count;
        kept = all < OVERLAP ? all : OVERLAP;
        memmove(bytes, bytes + all - kept, kept);
    }
    if (file)
        fclose(file);
    for (size_t i = 0; i < lauka_adapter_count; i++)
        if (found[i])
            return lauka_adapters[i];
    return NULL;
}

/* ---- what a list is not right about -------------------------------------------------------------- */

enum { ASKED_MOST = 64 }; /* of each list; beyond that, names are believed */

/* What the program writes to these words; owned, NULL if it fails, unless any end will do. */
static char *hear(const struct lauka_suite *suite, const struct lauka_command *command,
                  const char *const *words, const struct lauka_inner_request *request, bool any_end,
                  uint64_t until_ns)
{
    struct lauka_process process = {.to = -1, .from = -1, .complaints = -1};
    char *text = NULL;
    bool good = lauka_written_run(&process, suite->launcher, suite->adapter, command, words,
                                  request, until_ns, &text);

    lauka_process_end(&process, 0);
    if (!good || (process.status != 0 && !any_end)) {
        free(text);
        text = NULL;
    }
    lauka_process_done(&process);
    return text;
}

/* Whether the program runs nothing of this name. It does where it fails: others will see why. */
static bool is_nothing(const struct lauka_suite *suite, const struct lauka_command *command,
                       const char *name, uint64_t until_ns)
{
    const struct lauka_inner_request request = {
        .name = name, .folder = "", .rounds = 1, .round_ns = 1000, .iterations = 1, .seed = 1};
    struct lauka_inner_answers answers = {0};
    uint64_t iterations = 0;
    char *text = hear(suite, command, suite->adapter->run, &request, false, until_ns);

    if (!text)
        return false;
    int error = suite->adapter->read_run(text, name, &answers, &iterations);
    bool nothing = (!error || !*text) && answers.count == 0 && !*answers.why;
    lauka_inner_answers_done(&answers);
    free(text);
    return nothing;
}

/* ---- lines that are no names ------------------------------------------------------------------------- */

/* Whether all of what the program writes beside names stands in the list, which has more. */
static bool explain(const struct lauka_inner_names *noise, const struct lauka_inner_names *names)
{
    bool all = noise->count < names->count;

    for (size_t i = 0; i < noise->count && all; i++)
        all = lauka_inner_names_have(names, noise->names[i]);
    return all;
}

static int drop_noise(const struct lauka_suite *suite, const struct lauka_command *command,
                      const struct lauka_inner_names *noise, uint64_t until_ns,
                      struct lauka_inner_names *names)
{
    struct lauka_inner_names kept = {0};
    bool known = explain(noise, names);
    int error = 0;

    if (!known && names->count > ASKED_MOST)
        return 0;
    for (size_t i = 0; i < names->count && !error; i++) {
        const char *name = names->names[i];
        bool drops = known ? lauka_inner_names_have(noise, name)
                           : is_nothing(suite, command, name, until_ns);
        if (!drops)
            error = lauka_inner_names_add(&kept, name, strlen(name));
    }
    lauka_inner_names_done(names);
    *names = kept;
    return error;
}

static int look_for_noise(const struct lauka_suite *suite, const struct lauka_command *command,
                          uint64_t until_ns, struct lauka_inner_names *names)
{
    struct lauka_inner_names noise = {0};
    char *text = hear(suite, command, suite->adapter->list_none, NULL, true, until_ns);
    int error = text ? suite->adapter->read_list(text, &noise) : 0;

    if (!error && noise.count > 0)
        error = drop_noise(suite, command, &noise, until_ns, names);
    lauka_inner_names_done(&noise);
    free(text);
    return error;
}

/* Drops lines that are no names, and reads names again that were cut wrongly; the program is asked for both: one of
 * google-benchmark may write lines of its own beside names, and with one CPU, names of Go's benchmarks may end as if
 * their number followed. Returns 0 or ENOMEM. */
static int narrow_list(const struct lauka_suite *suite, const struct lauka_command *command,
                       const char *text, uint64_t until_ns, struct lauka_inner_names *names)
{
    if (names->unsure && is_nothing(suite, command, names->names[0], until_ns)) {
        lauka_inner_names_done(names);
        return suite->adapter->read_list_whole(text, names);
    }
    return suite->adapter->list_none && names->count > 0
               ? look_for_noise(suite, command, until_ns, names)
               : 0;
}

#define LISTED_NS UINT64_C(60000000000)

/* ---- whose benchmarks ------------------------------------------------------------------------------- */

/* Of a program, or of the script that it runs. */
static const struct lauka_adapter *detect(const struct lauka_command *command)
{
    const struct lauka_adapter *adapter = adapter_of_file(command->path);

    for (size_t i = 1; !adapter && command->argv[i]; i++)
        if (command->argv[i][0] != '-')
            adapter = adapter_of_file(command->argv[i]);
    return adapter;
}

static bool choose_adapter(struct lauka_suite *suite, const struct lauka_options *options,
                           struct lauka_error *error)
{
    suite->adapter = lauka_adapter_of(options->run.adapter);
    if (!suite->adapter)
        suite->adapter = detect(&options->run.commands[0]);
    return suite->adapter ||
           lauka_fail(
               error, LAUKA_EXIT_USAGE,
               "%.300s: it uses neither lauka_bench.h nor a framework that lauka knows; "
               "name its framework by --adapter gbench, go, criterion, pytest, jmh, divan or lauka",
               options->run.commands[0].label);
}

/* What other frameworks run cannot be told from what is around it. */
static bool check_events(const struct lauka_suite *suite, const struct lauka_options *options,
                         struct lauka_error *error)
{
    if (!options->measure.events_given || options->measure.events.count == 0)
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

static void list_spoken(const struct lauka_suite *suite, struct lauka_process *process,
                        const struct lauka_command *command, uint64_t until_ns,
                        struct lauka_suite_list *list)
{
    if (lauka_native_start(process, suite->launcher, command, NULL, until_ns) &&
        lauka_native_list(process, until_ns, &list->names))
        lauka_process_say(process, "bye\n");
}

/* The names that it wrote are kept in any case. */
static void read_list(const struct lauka_suite *suite, struct lauka_process *process,
                      const struct lauka_command *command, const char *text, uint64_t until_ns,
                      struct lauka_suite_list *list)
{
    const struct lauka_adapter *adapter = suite->adapter;
    int error = adapter->read_list(text, &list->names);

    if (!error)
        error = narrow_list(suite, command, text, until_ns, &list->names);
    if (error && !*process->why)
        lauka_process_fail(process, "%s",
                           error == ENOMEM ? strerror(error)
                                           : "did not write a list of benchmarks");
}

static void list_written(const struct lauka_suite *suite, struct lauka_process *process,
                         const struct lauka_command *command, uint64_t until_ns,
                         struct lauka_suite_list *list)
{
    const struct lauka_adapter *adapter = suite->adapter;
    char *text = NULL;

    if (!lauka_written_run(process, suite->launcher, adapter, command, adapter->list, NULL,
                           until_ns, &text))
        return;
    if (process->status != 0)
        lauka_process_describe_end(process, process->why, sizeof process->why);
    else if (adapter->is_through && !adapter->is_through(text))
        lauka_process_fail(process, "%s", LAUKA_SUITE_CUT);
    read_list(suite, process, command, text, until_ns, list);
    free(text);
}

/* How long starting a process takes; 0 if that fails. */
static uint64_t time_start(const struct lauka_suite *suite, const struct lauka_command *command,
                           uint64_t until_ns)
{
    const struct lauka_adapter *adapter = suite->adapter;
    struct lauka_process process = {.to = -1, .from = -1, .complaints = -1};
    uint64_t begun_ns = lauka_now_ns();
    char *text = NULL;
    bool good =
        lauka_written_run(&process, suite->launcher, adapter, command,
                          adapter->start ? adapter->start : adapter->list, NULL, until_ns, &text);
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
    if (start_ns > suite->whole.start_ns)
        suite->whole.start_ns = start_ns;
    suite->whole.on = suite->adapter->shares || suite->whole.start_ns > slow_ns;
}

/* What a process that has answered ended with tells whether that was all. */
static void judge_end(const struct lauka_suite *suite, struct lauka_process *process)
{
    const uint64_t parting_ns = UINT64_C(5000000000);
    char *const why = process->why;
    bool answered = !*why, vanished = strstr(why, "ended before") != NULL;
    char status[200];

    lauka_process_end(process, lauka_now_ns() + (answered   ? parting_ns
                                                 : vanished ? parting_ns / 10
                                                            : 0));
    lauka_process_describe_end(process, status, sizeof status);
    size_t used = strlen(why);
    if (vanished)
        snprintf(why + used, sizeof process->why - used, ": its process %s", status);
    else if (answered && process->status != 0)
        lauka_process_fail(process, "%s", status);
    else if (answered && suite->adapter->talks)
        (void)lauka_native_is_quiet(process);
}

/* The names of one side, in its order. False if lauka failed, or the side is nowhere. */
static bool ask(struct lauka_suite *suite, struct lauka_command *command,
                struct lauka_suite_list *list, struct lauka_error *error)
{
    struct lauka_process process = {.to = -1, .from = -1, .complaints = -1};
    uint64_t allowed_ns = command->timeout_ns ? command->timeout_ns : LISTED_NS;
    uint64_t begun_ns = lauka_now_ns(), until_ns = begun_ns + allowed_ns;

    if (!lauka_command_locate(command, error))
        return false;
    if (suite->adapter->talks)
        list_spoken(suite, &process, command, until_ns, list);
    else
        list_written(suite, &process, command, until_ns, list);
    uint64_t took_ns = lauka_now_ns() - begun_ns;
    judge_end(suite, &process);
    memcpy(list->why, process.why, sizeof list->why);
    list->tail = process.tail;
    if (list->names.count > 0 && !lauka_interrupt_signal())
        judge_start(suite, command, took_ns, until_ns);
    lauka_process_done(&process);
    return !lauka_launcher_is_lost(suite->launcher, error);
}

/* ---- both -------------------------------------------------------------------------------------------- */

/* Benchmarks in one program only are reported only if --benchmark selects them. */
static bool pair(struct lauka_suite *suite, const struct lauka_options *options,
                 struct lauka_inner_names *both)
{
    int failure = 0;

    for (size_t s = 0; s < LAUKA_SIDES; s++)
        for (size_t i = 0; i < suite->lists[s].names.count && !failure; i++) {
            const char *name = suite->lists[s].names.names[i];
            bool shared = lauka_inner_names_have(&suite->lists[1 - s].names, name);
            if (shared || lauka_options_choose(options, name))
                failure =
                    lauka_inner_names_add(shared ? both : &suite->only[s], name, strlen(name));
        }
    return !failure;
}

/* Takes off what only tells where the side has its benchmarks. */
static int cut_folders(struct lauka_suite *suite)
{
    struct lauka_inner_names names[LAUKA_SIDES] = {suite->lists[0].names, suite->lists[1].names};
    size_t cuts[LAUKA_SIDES] = {0};
    int failure = 0;

    if (suite->adapter->cut)
        suite->adapter->cut(names, cuts);
    for (size_t s = 0; s < LAUKA_SIDES; s++) {
        if (cuts[s] == 0)
            continue;
        suite->lists[s].names = (struct lauka_inner_names){0};
        suite->lists[s].folders = strndup(names[s].names[0], cuts[s]);
        failure = failure || !suite->lists[s].folders ? ENOMEM : 0;
        for (size_t i = 0; i < names[s].count && !failure; i++)
            failure = lauka_inner_names_add(&suite->lists[s].names, names[s].names[i] + cuts[s],
                                            strlen(names[s].names[i]) - cuts[s]);
        lauka_inner_names_done(&names[s]);
    }
    return failure;
}

/* The first side that failed when it was asked; NULL if none did. */
static const struct lauka_suite_list *find_failed(const struct lauka_suite *suite)
{
    for (size_t s = 0; s < LAUKA_SIDES; s++)
        if (*suite->lists[s].why)
            return &suite->lists[s];
    return NULL;
}

const struct lauka_suite_list *lauka_suite_failed_list(const struct lauka_suite *suite,
                                                       const char *benchmark)
{
    /* An interruption came before the benchmarks had names. */
    return benchmark && strcmp(benchmark, LAUKA_SUITE_LIST) == 0 ? find_failed(suite) : NULL;
}

static bool fail_list(const struct lauka_suite *suite, const struct lauka_options *options,
                      struct lauka_error *error)
{
    const struct lauka_suite_list *list = find_failed(suite);
    char last[400];

    lauka_process_last_lines(list->tail.bytes, last, sizeof last);
    return lauka_fail(error, LAUKA_EXIT_COMMAND_FAILED,
                      "%.200s was asked for its benchmarks, and %.300s%s%s",
                      options->run.commands[list - suite->lists].label, list->why,
                      *last ? "; it wrote last: " : "", last);
}

/* What only one of two has is not compared, and a list that is not whole is a benchmark that fails. */
static bool take(struct lauka_suite *suite, struct lauka_options *options,
                 struct lauka_error *error)
{
    const struct lauka_suite_list *failed = find_failed(suite);
    struct lauka_inner_names both = {0};
    bool good =
        (cut_folders(suite) == 0 && pair(suite, options, &both)) || lauka_fail_memory(error);

    if (good && failed && (both.count == 0 || options->run.list_benchmarks))
        good = fail_list(suite, options, error);
    else if (good && both.count == 0)
        good = lauka_fail(error, LAUKA_EXIT_USAGE,
                          "%.200s (%zu benchmarks) and %.200s (%zu) have none in common",
                          options->run.commands[0].label, suite->lists[0].names.count,
                          options->run.commands[1].label, suite->lists[1].names.count);
    if (good && failed &&
        lauka_inner_names_add(&both, LAUKA_SUITE_LIST, strlen(LAUKA_SUITE_LIST)) != 0)
        good = lauka_fail_memory(error);
    if (good && !lauka_options_take_inner(options, both.names, both.count, failed != NULL, error))
        good = failed && error->code == LAUKA_EXIT_USAGE && fail_list(suite, options, error);
    lauka_inner_names_done(&both);
    return good;
}

bool lauka_suite_open(struct lauka_suite *suite, struct lauka_launcher *launcher,
                      struct lauka_options *options, struct lauka_error *error)
{
    suite->launcher = launcher;
    for (size_t s = 0; s < LAUKA_SIDES; s++)
        if (!lauka_command_locate(&options->run.commands[s], error))
            return false;
    bool good = choose_adapter(suite, options, error) && check_events(suite, options, error);
    for (size_t s = 0; s < LAUKA_SIDES && !lauka_interrupt_signal(); s++)
        good = good && ask(suite, &options->run.commands[s], &suite->lists[s], error);
    return good && (lauka_interrupt_signal() || take(suite, options, error));
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
    char text[1200];

    if (only->count == 0)
        return 0;
    describe_missing(only, side, text);
    return lauka_result_note(result, "%s: not compared", text);
}

bool lauka_suite_is_whole(const struct lauka_suite *suite, const struct lauka_options *options,
                          struct lauka_error *error)
{
    bool lost = suite->only[0].count > 0, new = suite->only[1].count > 0 && !options->run.allow_new;
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
    static const char *const usual[LAUKA_SIDES] = {"the base", "the head"};
    int failure = 0;

    for (size_t s = 0; s < LAUKA_SIDES && !failure; s++)
        failure = note_missing(&suite->only[s], result,
                               options->run.suite ? options->run.commands[s].side : usual[s]);
    return failure;
}

int lauka_suite_note_counts(const struct lauka_suite *suite, struct lauka_result *result)
{
    int failure = 0;

    for (size_t i = 0; i < suite->notes.count && !failure; i++)
        failure = lauka_result_warn(result, suite->notes.names[i]);
    if (failure)
        return failure;
    return suite->counting.any
               ? lauka_result_warn(result,
                                   "counts are those of an iteration; what a round's question "
                                   "and answer cost is in them (docs/suite.md)")
               : 0;
}

void lauka_suite_close(struct lauka_suite *suite)
{
    for (size_t s = 0; s < LAUKA_SIDES; s++) {
        lauka_inner_names_done(&suite->only[s]);
        lauka_inner_names_done(&suite->lists[s].names);
        free(suite->lists[s].folders);
        suite->lists[s].folders = NULL;
    }
    lauka_inner_names_done(&suite->notes);
    lauka_whole_done(&suite->whole);
}
