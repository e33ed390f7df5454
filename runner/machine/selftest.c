/* lauka doctor --selftest: work of known cost, in one thread and in eight, in a child and after exec,
 * ended by a signal, sampled, and by the fixed counters alone; counted in every way that there is. It
 * writes one JSON document, to be attached to a report. On a Mac it answers what could not be tried
 * without one: if two numbers for the same thing differ, both are shown. */
#include "runner/machine/machine.h"
#include "pmu/counters/counters.h"
#include "pmu/events/events.h"
#include "report/json/json.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/launch/launch.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STEPS = 100000000, FEW = STEPS / 10, THREADS = 8, SAMPLE_NS = 1000000 };

/* What is run; `loops` of `steps` each, of which the command's own process does `own`. */
static const struct work {
    const char *way; /* the first word of lauka selftest-loop: threads, or a name */
    unsigned loops, own, steps;
} works[] = {
    {"1", 1, 1, STEPS},    {"8", THREADS, THREADS, STEPS}, {"exec", 3, 2, FEW},
    {"killed", 1, 1, FEW}, {"8", THREADS, THREADS, FEW},   {"1", 1, 1, FEW},
};
enum { ONE, EIGHT, EXEC, KILLED, FEW_EIGHT, FEW_ONE };

/* Two instructions a step, each depending on the previous one. */
static void *spin(void *argument)
{
    uint64_t left = *(const uint64_t *)argument;
#if defined __x86_64__
    __asm__ volatile("1: sub $1, %0\n jne 1b" : "+r"(left) : : "cc");
#elif defined __aarch64__
    __asm__ volatile("1: subs %0, %0, #1\n b.ne 1b" : "+r"(left) : : "cc");
#else
    while (left-- > 0)
        __asm__ volatile("");
#endif
    return NULL;
}

/* First a child works, then this process, and then the program that it becomes. */
static int loop_and_exec(uint64_t each, const char *steps)
{
    char path[4096], verb[] = LAUKA_SELFTEST_LOOP, one[] = "1", count[32];
    char *argv[] = {path, verb, one, count, NULL};
    pid_t child = fork();

    if (child == 0) {
        spin(&each);
        _exit(0);
    }
    spin(&each);
    snprintf(count, sizeof count, "%s", steps);
    if (lauka_await_process(child, NULL, 0, NULL) == child &&
        lauka_own_path(path, sizeof path) == 0)
        execv(path, argv);
    return LAUKA_EXIT_INTERNAL;
}

/* Another thread is far from done. */
static int loop_and_die(uint64_t each)
{
    pthread_t other;
    uint64_t forever = UINT64_MAX;

    if (pthread_create(&other, NULL, spin, &forever) != 0)
        return LAUKA_EXIT_INTERNAL;
    spin(&each);
    raise(SIGKILL);
    return LAUKA_EXIT_INTERNAL;
}

int lauka_selftest_loop(const char *way, const char *steps)
{
    pthread_t others[THREADS];
    uint64_t each = strtoull(steps, NULL, 10);
    unsigned long count = strtoul(way, NULL, 10);

    if (strcmp(way, "exec") == 0)
        return loop_and_exec(each, steps);
    if (strcmp(way, "killed") == 0)
        return loop_and_die(each);
    for (unsigned long i = 1; i < count && i < THREADS; i++)
        if (pthread_create(&others[i], NULL, spin, &each) != 0)
            return LAUKA_EXIT_INTERNAL;
    spin(&each);
    for (unsigned long i = 1; i < count && i < THREADS; i++)
        pthread_join(others[i], NULL);
    return LAUKA_EXIT_DONE;
}

/* The report under way, and what is counted now. */
struct report {
    struct lauka_json_document document;
    struct lauka_json_value *root, *runs;
    struct lauka_launcher *launcher;       /* borrowed */
    const struct lauka_counters *counters; /* borrowed */
};

/* null if there is nothing to say. */
static void add_remark(struct report *report, struct lauka_json_value *object, const char *key,
                       const char *text)
{
    lauka_document_add_text(&report->document, object, key, text && *text ? text : NULL);
}

static void add_null(struct report *report, struct lauka_json_value *object, const char *key)
{
    lauka_document_add(&report->document, object, key, lauka_document_null(&report->document));
}

static struct lauka_json_value *counts_item(struct report *report,
                                            const struct lauka_sample *sample)
{
    const struct lauka_counters *counters = report->counters;
    struct lauka_json_document *document = &report->document;
    struct lauka_json_value *array = lauka_document_array(document);

    for (size_t i = 0; i < counters->asked; i++) {
        const struct lauka_reading *reading = &sample->readings[i];
        struct lauka_json_value *object = lauka_document_object(document);
        char name[LAUKA_EVENT_NAME_SIZE];
        lauka_counters_name(counters, i, name, sizeof name);
        lauka_document_add_text(document, object, "event", name);
        add_remark(report, object, "refused",
                   counters->errors[i] ? strerror(counters->errors[i]) : NULL);
        if (reading->running == 0) {
            add_null(report, object, "value");
        } else {
            lauka_document_add_integer(document, object, "value", reading->value);
            lauka_document_add_integer(document, object, "enabled_ns", reading->enabled);
            lauka_document_add_integer(document, object, "running_ns", reading->running);
        }
        lauka_document_append(document, array, object);
    }
    return array;
}

static struct lauka_json_value *residency_item(struct report *report,
                                               const struct lauka_sample *sample)
{
    struct lauka_json_document *document = &report->document;
    struct lauka_json_value *array = lauka_document_array(document);

    for (size_t t = 0; t < report->counters->topology.type_count; t++) {
        const struct lauka_core_usage *usage = &sample->residency.types[t];
        struct lauka_json_value *object = lauka_document_object(document);
        add_remark(report, object, "cores", report->counters->topology.types[t].label);
        if (usage->cpu_ns == LAUKA_UNKNOWN)
            add_null(report, object, "cpu_ns");
        else
            lauka_document_add_integer(document, object, "cpu_ns", usage->cpu_ns);
        lauka_document_append(document, array, object);
    }
    return array;
}

/* macOS: what was seen of the run, whether it is shown or not. */
static struct lauka_json_value *check_item(struct report *report)
{
    const struct lauka_counters *counters = report->counters;
    const struct lauka_counter_check *check = &counters->check;
    const uint64_t numbers[] = {check->counted_cycles,
                                check->accounted_cycles,
                                check->counted_instructions,
                                check->accounted_instructions,
                                check->threads,
                                check->unfinished,
                                check->replaced,
                                check->strangers,
                                counters->sampled_ns,
                                counters->partial_runs,
                                counters->doubtful_runs};
    static const char *const names[] = {"counted_cycles",
                                        "accounted_cycles",
                                        "counted_instructions",
                                        "accounted_instructions",
                                        "threads",
                                        "unfinished",
                                        "replaced",
                                        "strangers",
                                        "sampled_ns",
                                        "partial_runs",
                                        "doubtful_runs"};
    static const char *const kinds[] = {"new", "exec", "exit", "sample", "lost", "other"};
    struct lauka_json_document *document = &report->document;
    struct lauka_json_value *object = lauka_document_object(document);
    struct lauka_json_value *records = lauka_document_object(document);
    struct lauka_json_value *sums = lauka_document_array(document);

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        lauka_document_add_integer(document, object, names[i], numbers[i]);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        lauka_document_add_integer(document, records, kinds[i], check->records[i]);
    for (size_t i = 0; i < sizeof check->sums / sizeof *check->sums; i++)
        lauka_document_append_integer(document, sums, check->sums[i]);
    lauka_document_add(document, object, "records", records);
    lauka_document_add(document, object, "sums", sums);
    add_remark(report, object, "trouble", counters->trouble);
    add_remark(report, object, "doubt", counters->doubt);
    return object;
}

static void add_run(struct report *report, const struct lauka_sample *sample, const char *kind,
                    const struct work *work)
{
    struct lauka_json_document *document = &report->document;
    struct lauka_json_value *object = lauka_document_object(document);
    const uint64_t *usage = sample->usage.values;

    lauka_document_add_text(document, object, "kind", kind);
    lauka_document_add_integer(document, object, "threads", work->own);
    lauka_document_add_integer(document, object, "expected_instructions",
                               2ull * work->steps * work->loops);
    lauka_document_add_integer(document, object, "expected_of_process",
                               2ull * work->steps * work->own);
    lauka_document_add_number(document, object, "outcome", (int)sample->outcome);
    lauka_document_add_number(document, object, "code", sample->code);
    lauka_document_add_integer(document, object, "wall_ns", usage[LAUKA_WALL_TIME]);
    lauka_document_add_integer(document, object, "user_ns", usage[LAUKA_USER_TIME]);
    lauka_document_add_integer(document, object, "system_ns", usage[LAUKA_SYSTEM_TIME]);
    lauka_document_add(document, object, "counts", counts_item(report, sample));
    lauka_document_add(document, object, "residency", residency_item(report, sample));
    if (report->counters->whole_runs)
        lauka_document_add(document, object, "check", check_item(report));
    lauka_document_append(document, report->runs, object);
}

/* Under the numbers of works[]. */
static bool add_loops(struct lauka_launcher *launcher, struct lauka_error *error)
{
    char path[4096], steps[32], way[16];
    char verb[] = LAUKA_SELFTEST_LOOP;

    if (lauka_own_path(path, sizeof path) != 0)
        return lauka_fail(error, LAUKA_EXIT_HOST, "cannot tell where the program lauka itself is");
    for (size_t i = 0; i < sizeof works / sizeof *works; i++) {
        snprintf(steps, sizeof steps, "%u", works[i].steps);
        snprintf(way, sizeof way, "%s", works[i].way);
        char *argv[] = {path, verb, way, steps, NULL};
        struct lauka_arena arena = {0};
        struct lauka_command command;
        bool good = lauka_command_from_argv(&arena, argv, 4, &command, error) &&
                    lauka_command_locate(&command, error) &&
                    lauka_launcher_add(launcher, &command, error);
        lauka_arena_done(&arena);
        if (!good)
            return false;
    }
    return true;
}

static bool run_loop(struct report *report, const char *kind, size_t work,
                     struct lauka_error *error)
{
    struct lauka_sample sample;

    if (!lauka_launcher_run(report->launcher, work, &sample, error))
        return false;
    add_run(report, &sample, kind, &works[work]);
    return true;
}

static bool run_loops(struct report *report, struct lauka_error *error)
{
    static const struct {
        const char *kind;
        size_t work;
    } runs[] = {{"loop", ONE},   {"loop", EIGHT}, {"loop", ONE},
                {"loop", EIGHT}, {"exec", EXEC},  {"killed", KILLED}};

    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
        if (!run_loop(report, runs[i].kind, runs[i].work, error))
            return false;
    lauka_launcher_sample(report->launcher, SAMPLE_NS);
    return run_loop(report, "sampled", FEW_EIGHT, error);
}

/* A session of its own: without configurable events the library says other things. */
static bool run_fixed(struct report *report, struct lauka_error *error)
{
    struct lauka_event events[] = {*lauka_event_find("cycles"), *lauka_event_find("instructions")};

    return lauka_launcher_count(report->launcher, events, 2, &report->counters, error) &&
           run_loop(report, "fixed_only", FEW_ONE, error);
}

static void add_host(struct report *report)
{
    struct lauka_json_document *document = &report->document;
    struct lauka_result result = {0};

    (void)lauka_machine_describe(&result.host);
    lauka_document_add_text(document, report->root, "schema", "lauka-selftest/1.1");
    lauka_document_add_text(document, report->root, "lauka", LAUKA_VERSION);
    add_remark(report, report->root, "os", result.host.os);
    add_remark(report, report->root, "kernel", result.host.kernel);
    add_remark(report, report->root, "arch", result.host.arch);
    add_remark(report, report->root, "cpu_model", result.host.cpu_model);
    lauka_document_add_bool(document, report->root, "root", lauka_is_root());
    lauka_result_done(&result);
}

static void add_refusals(struct report *report)
{
    char advice[2048];

    lauka_counters_advice(report->counters, advice, sizeof advice);
    add_remark(report, report->root, "refusals", advice);
}

/* Everything but the runs, which are added last. */
static bool fill(struct report *report, struct lauka_error *error)
{
    static char probe[32768];
    size_t count;
    const struct lauka_event *events = lauka_native_events(&count);

    lauka_native_probe(probe, sizeof probe); /* before the session takes the counters */
    if (!add_loops(report->launcher, error) ||
        !lauka_launcher_count(report->launcher, events, count, &report->counters, error))
        return false;
    add_host(report);
    lauka_document_add(&report->document, report->root, "probe",
                       lauka_document_raw(&report->document, *probe ? probe : "null"));
    add_refusals(report);
    return run_loops(report, error) && run_fixed(report, error);
}

bool lauka_selftest(struct lauka_launcher *launcher, FILE *out, struct lauka_error *error)
{
    struct report report = {.launcher = launcher};

    report.root = lauka_document_object(&report.document);
    report.runs = lauka_document_array(&report.document);
    bool good = fill(&report, error);
    lauka_document_add(&report.document, report.root, "runs", report.runs);
    if (!good) {
        lauka_document_drop(report.root);
        return false;
    }
    int failure = lauka_document_print(&report.document, report.root, out);
    return !failure || lauka_fail_stdout(error, failure);
}
