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
#include <unistd.h>

enum { STEPS = 100000000, FEW = STEPS / 10, THREADS = 8, SAMPLE_NS = 1000000, REPEATS = 20 };

/* What is run; `loops` of `steps` each, of which the command's own process does `own`. */
static const struct work {
    const char *way; /* the first word of lauka selftest-loop: threads, or a name */
    unsigned loops, own, steps;
} works[] = {
    {"1", 1, 1, STEPS},    {"8", THREADS, THREADS, STEPS}, {"exec", 3, 2, FEW},
    {"killed", 1, 1, FEW}, {"8", THREADS, THREADS, FEW},   {"1", 1, 1, FEW},
    {"1", 1, 1, 1},
};
enum { ONE, EIGHT, EXEC, KILLED, FEW_EIGHT, FEW_ONE, NEXT_TO_NOTHING };

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
    struct lauka_launcher *launcher;       /* borrowed */
    const struct lauka_counters *counters; /* borrowed */
};

/* null if there is nothing to say. */
static void put_remark(struct lauka_json_document *document, const char *key, const char *text)
{
    lauka_document_text(document, key, text && *text ? text : NULL);
}

static void put_counts(struct lauka_json_document *document, const struct lauka_counters *counters,
                       const struct lauka_sample *sample)
{
    lauka_document_array(document, "counts");
    for (size_t i = 0; i < counters->asked; i++) {
        const struct lauka_reading *reading = &sample->readings[i];
        char name[LAUKA_EVENT_NAME_SIZE];
        lauka_counters_name(counters, i, name, sizeof name);
        lauka_document_object(document, NULL);
        lauka_document_text(document, "event", name);
        put_remark(document, "refused", counters->errors[i] ? strerror(counters->errors[i]) : NULL);
        if (reading->running == 0) {
            lauka_document_null(document, "value");
        } else {
            lauka_document_integer(document, "value", reading->value);
            lauka_document_integer(document, "enabled_ns", reading->enabled);
            lauka_document_integer(document, "running_ns", reading->running);
        }
        lauka_document_end(document);
    }
    lauka_document_end(document);
}

static void put_residency(struct lauka_json_document *document,
                          const struct lauka_counters *counters, const struct lauka_sample *sample)
{
    lauka_document_array(document, "residency");
    for (size_t t = 0; t < counters->topology.type_count; t++) {
        const struct lauka_core_usage *usage = &sample->residency.types[t];
        lauka_document_object(document, NULL);
        put_remark(document, "cores", counters->topology.types[t].label);
        if (usage->cpu_ns == LAUKA_UNKNOWN)
            lauka_document_null(document, "cpu_ns");
        else
            lauka_document_integer(document, "cpu_ns", usage->cpu_ns);
        lauka_document_end(document);
    }
    lauka_document_end(document);
}

/* As the kernel wrote it: its debugid, its four arguments, and the thread that wrote it. */
static void put_record(struct lauka_json_document *document, const char *kind,
                       const struct lauka_raw_record *record)
{
    lauka_document_array(document, kind);
    lauka_document_integer(document, NULL, record->debugid);
    for (size_t i = 0; i < sizeof record->arguments / sizeof *record->arguments; i++)
        lauka_document_integer(document, NULL, record->arguments[i]);
    lauka_document_integer(document, NULL, record->thread);
    lauka_document_end(document);
}

/* macOS: what was seen of the run, whether it is shown or not. */
static void put_check(struct lauka_json_document *document, const struct lauka_counters *counters)
{
    static const char *const kinds[] = {"new", "exec", "exit", "sample", "lost", "other"};
    const struct lauka_counter_check *check = &counters->check;

    lauka_document_object(document, "check");
    lauka_document_integer(document, "counted_cycles", check->counted_cycles);
    lauka_document_integer(document, "accounted_cycles", check->accounted_cycles);
    lauka_document_integer(document, "counted_instructions", check->counted_instructions);
    lauka_document_integer(document, "accounted_instructions", check->accounted_instructions);
    lauka_document_integer(document, "threads", check->threads);
    lauka_document_integer(document, "unfinished", check->unfinished);
    lauka_document_integer(document, "replaced", check->replaced);
    lauka_document_integer(document, "strangers", check->strangers);
    lauka_document_integer(document, "sampled_ns", counters->sampled_ns);
    lauka_document_integer(document, "partial_runs", counters->partial_runs);
    lauka_document_integer(document, "doubtful_runs", counters->doubtful_runs);
    lauka_document_object(document, "records");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        lauka_document_integer(document, kinds[i], check->records[i]);
    lauka_document_end(document);
    lauka_document_object(document, "first_records");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (check->records[i])
            put_record(document, kinds[i], &check->first[i]);
    lauka_document_end(document);
    lauka_document_array(document, "sums");
    for (size_t i = 0; i < sizeof check->sums / sizeof *check->sums; i++)
        lauka_document_integer(document, NULL, check->sums[i]);
    lauka_document_end(document);
    put_remark(document, "trouble", counters->trouble);
    put_remark(document, "doubt", counters->doubt);
    lauka_document_end(document);
}

static void put_run(struct report *report, const struct lauka_sample *sample, const char *kind,
                    const struct work *work)
{
    struct lauka_json_document *document = &report->document;
    const uint64_t *usage = sample->usage.values;

    lauka_document_object(document, NULL);
    lauka_document_text(document, "kind", kind);
    lauka_document_integer(document, "threads", work->own);
    lauka_document_integer(document, "expected_instructions", 2ull * work->steps * work->loops);
    lauka_document_integer(document, "expected_of_process", 2ull * work->steps * work->own);
    lauka_document_number(document, "outcome", (int)sample->outcome);
    lauka_document_number(document, "code", sample->code);
    lauka_document_integer(document, "wall_ns", usage[LAUKA_WALL_TIME]);
    lauka_document_integer(document, "user_ns", usage[LAUKA_USER_TIME]);
    lauka_document_integer(document, "system_ns", usage[LAUKA_SYSTEM_TIME]);
    put_counts(document, report->counters, sample);
    put_residency(document, report->counters, sample);
    if (report->counters->whole_runs)
        put_check(document, report->counters);
    lauka_document_end(document);
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
    put_run(report, &sample, kind, &works[work]);
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
    lauka_launcher_time_counts(report->launcher, SAMPLE_NS, 0);
    return run_loop(report, "sampled", FEW_EIGHT, error);
}

/* A session of its own: without configurable events the library says other things. */
static bool run_fixed(struct report *report, struct lauka_error *error)
{
    struct lauka_event events[] = {*lauka_event_find("cycles"), *lauka_event_find("instructions")};

    return lauka_launcher_count(report->launcher, events, 2, &report->counters, error) &&
           run_loop(report, "fixed_only", FEW_ONE, error);
}

/* ---- macOS: what tracing costs, and sets that take turns ---- */

static int by_size(const void *a, const void *b)
{
    const uint64_t *first = a, *second = b;
    return (*first > *second) - (*first < *second);
}

static uint64_t median(uint64_t values[REPEATS])
{
    qsort(values, REPEATS, sizeof *values, by_size);
    return values[REPEATS / 2];
}

/* Medians of a program that does next to nothing, started again and again. */
static bool run_briefly(struct report *report, const char *way, struct lauka_error *error)
{
    struct lauka_json_document *document = &report->document;
    const struct lauka_counter_check *check = &report->counters->check;
    enum { WALL, INSTRUCTIONS, ON, OFF, READ, FIGURES };
    static const char *const names[] = {"wall_ns", "accounted_instructions", "on_ns", "off_ns",
                                        "read_ns"};
    uint64_t values[FIGURES][REPEATS];
    struct lauka_sample sample;

    for (size_t i = 0; i < REPEATS; i++) {
        if (!lauka_launcher_run(report->launcher, NEXT_TO_NOTHING, &sample, error))
            return false;
        values[WALL][i] = sample.usage.values[LAUKA_WALL_TIME];
        values[INSTRUCTIONS][i] = check->accounted_instructions;
        values[ON][i] = check->on_ns;
        values[OFF][i] = check->off_ns;
        values[READ][i] = check->read_ns;
    }
    lauka_document_object(document, NULL);
    lauka_document_text(document, "way", way);
    for (size_t i = 0; i < FIGURES; i++)
        lauka_document_integer(document, names[i], median(values[i]));
    put_remark(document, "trouble", report->counters->trouble);
    lauka_document_end(document);
    return true;
}

/* A metric that needs no counter: then nothing is traced. */
static bool count_account_only(struct report *report, struct lauka_error *error)
{
    size_t count;
    const struct lauka_event *events = lauka_native_events(&count);
    const struct lauka_event last = events[count - 1];

    return lauka_launcher_count(report->launcher, &last, 1, &report->counters, error);
}

static bool run_traced(struct report *report, struct lauka_error *error)
{
    static const char *const ways[LAUKA_TRACE_WAYS] = {"quietly", "waking coprocessors",
                                                       "filtered by value"};
    struct lauka_event events[] = {*lauka_event_find("cycles"), *lauka_event_find("instructions")};
    bool good = lauka_launcher_count(report->launcher, events, 2, &report->counters, error);

    lauka_document_array(&report->document, "tracing");
    bool traces = report->counters->whole_runs; /* macOS */
    for (size_t way = 0; traces && good && way < LAUKA_TRACE_WAYS; way++) {
        lauka_launcher_trace(report->launcher, (enum lauka_trace_way)way);
        good = run_briefly(report, ways[way], error);
    }
    if (traces && good)
        good = count_account_only(report, error) && run_briefly(report, "not traced", error);
    lauka_document_end(&report->document);
    return good;
}

/* Of each event the least and the most that any run had. */
static void put_extremes(struct report *report, const uint64_t *least, const uint64_t *most,
                         const uint64_t *runs)
{
    struct lauka_json_document *document = &report->document;

    for (size_t i = 0; i < report->counters->asked; i++) {
        char name[LAUKA_EVENT_NAME_SIZE];
        lauka_counters_name(report->counters, i, name, sizeof name);
        lauka_document_object(document, NULL);
        lauka_document_text(document, "event", name);
        lauka_document_integer(document, "set", report->counters->sets[i]);
        lauka_document_integer(document, "runs", runs[i]);
        if (runs[i]) {
            lauka_document_integer(document, "least", least[i]);
            lauka_document_integer(document, "most", most[i]);
        }
        lauka_document_end(document);
    }
}

/* On each of Apple's chips since the M1, two of them suit one counter only. A step of the loop has one branch, and one
 * operation on integers. */
static size_t choose_for_turns(struct lauka_event_list *list)
{
    static const char *const names[] = {"INST_BRANCH", "INST_INT_ALU", "INST_LDST",
                                        "CORE_ACTIVE_CYCLE"};
    char why[400];

    *list = (struct lauka_event_list){.count = 0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        (void)lauka_event_list_add(list, names[i], LAUKA_SYSFS, why, sizeof why);
    return list->count;
}

static bool run_in_turns(struct report *report, struct lauka_error *error)
{
    static struct lauka_event_list list;
    uint64_t least[LAUKA_EVENTS_MAX], most[LAUKA_EVENTS_MAX] = {0}, runs[LAUKA_EVENTS_MAX] = {0};
    struct lauka_sample sample;
    uint64_t value;

    if (choose_for_turns(&list) > 0 &&
        !lauka_launcher_count(report->launcher, list.events, list.count, &report->counters, error))
        return false;
    lauka_document_array(&report->document, "turns");
    for (unsigned run = 0; list.count > 0 && run < REPEATS; run++) {
        lauka_launcher_turn(report->launcher, run % report->counters->set_count);
        if (!lauka_launcher_run(report->launcher, FEW_ONE, &sample, error))
            return false;
        for (size_t i = 0; i < report->counters->asked; i++) {
            if (!lauka_reading_scaled(&sample.readings[i], &value))
                continue;
            least[i] = runs[i] == 0 || value < least[i] ? value : least[i];
            most[i] = value > most[i] ? value : most[i];
            runs[i]++;
        }
    }
    if (list.count > 0)
        put_extremes(report, least, most, runs);
    lauka_document_end(&report->document);
    return true;
}

/* ---- the report ---- */

static void put_findings(struct lauka_json_document *document)
{
    struct lauka_finding findings[LAUKA_FINDINGS_MAX];
    size_t count = lauka_findings_read("", 0, findings);

    lauka_document_object(document, "findings");
    for (size_t i = 0; i < count; i++)
        lauka_document_text(document, findings[i].subject, findings[i].found);
    lauka_document_end(document);
}

/* macOS: low power mode is not in any call that is public. */
static void put_power(struct lauka_json_document *document)
{
    static const char *const words[] = {"pmset", "-g", NULL}, *const none[] = {NULL};
    char path[4096], text[4096];
    struct lauka_answer answer = {.text = text, .room = sizeof text - 1, .code = -1};
    const struct lauka_child pmset = {.path = path, .arguments = words, .environment = none};

    if (lauka_child_find(words[0], path, sizeof path))
        lauka_helper_ask(&pmset, lauka_now_ns() + 5000000000u, &answer);
    put_remark(document, "power", answer.code == 0 ? text : NULL);
}

/* How the system answers. */
static bool put_probe(struct lauka_json_document *document, struct lauka_error *error)
{
    char *probe = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&probe, &size);

    if (memory)
        lauka_native_probe(memory);
    bool good = memory && fclose(memory) == 0;
    if (good)
        lauka_document_raw(document, "probe", probe);
    free(probe);
    return good || lauka_fail_memory(error);
}

static void put_host(struct lauka_json_document *document)
{
    struct lauka_result result = {0};

    (void)lauka_machine_describe(&result.host);
    lauka_document_text(document, "schema", "lauka-selftest/1.2");
    lauka_document_text(document, "lauka", LAUKA_VERSION);
    put_remark(document, "os", result.host.os);
    put_remark(document, "kernel", result.host.kernel);
    put_remark(document, "arch", result.host.arch);
    put_remark(document, "cpu_model", result.host.cpu_model);
    lauka_document_bool(document, "root", geteuid() == 0);
    lauka_result_done(&result);
}

static bool fill(struct report *report, struct lauka_error *error)
{
    char advice[2048];
    size_t count;
    const struct lauka_event *events = lauka_native_events(&count);
    struct lauka_json_document *document = &report->document;

    lauka_document_object(document, NULL);
    put_host(document);
    put_findings(document);
    put_power(document);
    if (!put_probe(document, error) || /* before the session takes the counters */
        !add_loops(report->launcher, error) ||
        !lauka_launcher_count(report->launcher, events, count, &report->counters, error))
        return false;
    lauka_counters_advice(report->counters, advice, sizeof advice);
    put_remark(document, "refusals", advice);
    lauka_document_array(document, "runs");
    if (!run_loops(report, error) || !run_fixed(report, error))
        return false;
    lauka_document_end(document);
    if (!run_traced(report, error) || !run_in_turns(report, error))
        return false;
    lauka_document_end(document);
    return true;
}

/* What was written before something failed is no report, so it is written to memory first. */
bool lauka_selftest(struct lauka_launcher *launcher, FILE *out, struct lauka_error *error)
{
    struct report report = {.launcher = launcher};
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);

    if (!memory)
        return lauka_fail_memory(error);
    report.document = lauka_document_begin(LAUKA_JSON_TABS, memory);
    bool good = fill(&report, error);
    int failure = good ? lauka_document_finish(&report.document) : 0;
    if (fclose(memory) != 0 && !failure)
        failure = errno;
    if (good && !failure) {
        errno = 0;
        fwrite(text, 1, size, out);
        failure = lauka_finish(out);
    }
    free(text);
    return good && (!failure || lauka_fail_stdout(error, failure));
}
