/* lauka doctor --selftest: work whose cost is known, in one thread and in eight, in a child and after
 * exec, ended by a signal, sampled, and by the fixed counters alone; counted in every way that there is.
 * One JSON document, to be attached to a report; on a Mac it answers what could not be seen without
 * one: where two numbers of the same thing differ, both are told. */
#include "runner/machine/machine.h"
#include "pmu/counters/counters.h"
#include "pmu/events/events.h"
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
    {"1", 1, 1, STEPS}, {"8", THREADS, THREADS, STEPS}, {"exec", 3, 2, FEW}, {"killed", 1, 1, FEW},
    {"8", THREADS, THREADS, FEW}, {"1", 1, 1, FEW},
};
enum { ONE, EIGHT, EXEC, KILLED, FEW_EIGHT, FEW_ONE };

/* Two instructions a step, each needing the one before. */
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

/* A child does it, then this process does, and then the program that it becomes. */
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
    if (child > 0 && waitpid(child, NULL, 0) == child && lauka_own_path(path, sizeof path) == 0)
        execv(path, argv);
    return LAUKA_EXIT_INTERNAL;
}

/* Another thread is not done by far. */
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

static void print_text(const char *key, const char *text, const char *end, FILE *out)
{
    fprintf(out, "\"%s\": ", key);
    if (text && *text)
        lauka_print_json_text(text, out);
    else
        fputs("null", out);
    fputs(end, out);
}

static void print_counts(const struct lauka_counters *counters, const struct lauka_sample *sample,
                         FILE *out)
{
    for (size_t i = 0; i < counters->asked; i++) {
        const struct lauka_reading *reading = &sample->readings[i];
        char name[LAUKA_EVENT_NAME_SIZE];
        lauka_counters_name(counters, i, name, sizeof name);
        fprintf(out, "%s{", i ? ", " : "");
        print_text("event", name, ", ", out);
        print_text("refused", counters->errors[i] ? strerror(counters->errors[i]) : NULL, ", ", out);
        if (reading->running == 0)
            fputs("\"value\": null}", out);
        else
            fprintf(out, "\"value\": %llu, \"enabled_ns\": %llu, \"running_ns\": %llu}",
                (unsigned long long)reading->value, (unsigned long long)reading->enabled,
                (unsigned long long)reading->running);
    }
}

static void print_residency(const struct lauka_counters *counters,
                            const struct lauka_sample *sample, FILE *out)
{
    for (size_t t = 0; t < counters->topology.type_count; t++) {
        const struct lauka_core_usage *usage = &sample->residency.types[t];
        fprintf(out, "%s{", t ? ", " : "");
        print_text("cores", counters->topology.types[t].label, ", ", out);
        if (usage->cpu_ns == LAUKA_UNKNOWN)
            fputs("\"cpu_ns\": null}", out);
        else
            fprintf(out, "\"cpu_ns\": %llu}", (unsigned long long)usage->cpu_ns);
    }
}

/* macOS: what was seen of the run, whether it is shown or not. */
static void print_check(const struct lauka_counters *counters, FILE *out)
{
    const struct lauka_counter_check *check = &counters->check;
    const uint64_t numbers[] = {
        check->counted_cycles, check->accounted_cycles, check->counted_instructions,
        check->accounted_instructions, check->threads, check->unfinished, check->replaced,
        check->strangers, counters->sampled_ns, counters->partial_runs, counters->doubtful_runs};
    static const char *const names[] = {
        "counted_cycles", "accounted_cycles", "counted_instructions", "accounted_instructions", "threads",
        "unfinished", "replaced", "strangers", "sampled_ns", "partial_runs", "doubtful_runs"};
    static const char *const kinds[] = {"new", "exec", "exit", "sample", "lost", "other"};

    fputs(",\n     \"check\": {", out);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        fprintf(out, "\"%s\": %llu, ", names[i], (unsigned long long)numbers[i]);
    fputs("\"records\": {", out);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        fprintf(out, "%s\"%s\": %llu", i ? ", " : "", kinds[i], (unsigned long long)check->records[i]);
    fputs("}, \"sums\": [", out);
    for (size_t i = 0; i < sizeof check->sums / sizeof *check->sums; i++)
        fprintf(out, "%s%llu", i ? ", " : "", (unsigned long long)check->sums[i]);
    fputs("],\n     ", out);
    print_text("trouble", counters->trouble, ", ", out);
    print_text("doubt", counters->doubt, "}", out);
}

static void print_run(const struct lauka_counters *counters, const struct lauka_sample *sample,
                      const char *kind, const struct work *work, FILE *out)
{
    fprintf(out,
            "\n    {\"kind\": \"%s\", \"threads\": %u, \"expected_instructions\": %llu, "
            "\"expected_of_process\": %llu, \"outcome\": %d, \"code\": %d, "
            "\"wall_ns\": %llu, \"user_ns\": %llu, \"system_ns\": %llu,\n     \"counts\": [",
            kind, work->own, 2ull * work->steps * work->loops, 2ull * work->steps * work->own,
            (int)sample->outcome, sample->code,
            (unsigned long long)sample->usage.values[LAUKA_WALL_TIME],
            (unsigned long long)sample->usage.values[LAUKA_USER_TIME],
            (unsigned long long)sample->usage.values[LAUKA_SYSTEM_TIME]);
    print_counts(counters, sample, out);
    fputs("],\n     \"residency\": [", out);
    print_residency(counters, sample, out);
    fputs("]", out);
    if (counters->whole_runs)
        print_check(counters, out);
    fputs("}", out);
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
        struct lauka_command command = {0};
        bool good = lauka_command_from_argv(argv, 4, &command, error) &&
                    lauka_command_locate(&command, error) &&
                    lauka_launcher_add(launcher, &command, error);
        lauka_command_done(&command);
        if (!good)
            return false;
    }
    return true;
}

static bool run_loop(struct lauka_launcher *launcher, const struct lauka_counters *counters,
                     const char *kind, size_t work, FILE *out, struct lauka_error *error)
{
    struct lauka_sample sample;

    if (!lauka_launcher_run(launcher, work, &sample, error))
        return false;
    print_run(counters, &sample, kind, &works[work], out);
    return true;
}

static bool run_loops(struct lauka_launcher *launcher, const struct lauka_counters *counters,
                      FILE *out, struct lauka_error *error)
{
    static const struct {
        const char *kind;
        size_t work;
    } runs[] = {{"loop", ONE}, {"loop", EIGHT}, {"loop", ONE}, {"loop", EIGHT}, {"exec", EXEC},
                {"killed", KILLED}};

    fputs(",\n  \"runs\": [", out);
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        fputs(i ? "," : "", out);
        if (!run_loop(launcher, counters, runs[i].kind, runs[i].work, out, error))
            return false;
    }
    lauka_launcher_sample(launcher, SAMPLE_NS);
    fputs(",", out);
    return run_loop(launcher, counters, "sampled", FEW_EIGHT, out, error);
}

/* A session of its own: without configurable events the library says other things. */
static bool run_fixed(struct lauka_launcher *launcher, FILE *out, struct lauka_error *error)
{
    const struct lauka_counters *counters;
    struct lauka_event events[] = {*lauka_event_find("cycles"), *lauka_event_find("instructions")};

    fputs(",", out);
    return lauka_launcher_count(launcher, events, 2, &counters, error) &&
           run_loop(launcher, counters, "fixed_only", FEW_ONE, out, error);
}

static void print_host(FILE *out)
{
    struct lauka_result result = {0};

    (void)lauka_machine_describe(&result.host);
    fputs("{\n  \"schema\": \"lauka-selftest/1.1\",\n  ", out);
    print_text("lauka", LAUKA_VERSION, ",\n  ", out);
    print_text("os", result.host.os, ", ", out);
    print_text("kernel", result.host.kernel, ", ", out);
    print_text("arch", result.host.arch, ", ", out);
    print_text("cpu_model", result.host.cpu_model, ",\n  ", out);
    fprintf(out, "\"root\": %s", lauka_is_root() ? "true" : "false");
    lauka_result_done(&result);
}

bool lauka_selftest(struct lauka_launcher *launcher, FILE *out, struct lauka_error *error)
{
    static char probe[32768];
    const struct lauka_counters *counters;
    size_t count;
    const struct lauka_event *events = lauka_native_events(&count);
    char advice[2048];

    lauka_native_probe(probe, sizeof probe); /* before the session takes the counters */
    if (!add_loops(launcher, error) ||
        !lauka_launcher_count(launcher, events, count, &counters, error))
        return false;
    print_host(out);
    fprintf(out, ",\n  \"probe\": %s,\n  ", *probe ? probe : "null");
    lauka_counters_advice(counters, advice, sizeof advice);
    print_text("refusals", advice, "", out);
    if (!run_loops(launcher, counters, out, error) || !run_fixed(launcher, out, error))
        return false;
    fputs("\n  ]\n}\n", out);
    return fflush(out) == 0 ||
           lauka_fail(error, LAUKA_EXIT_INTERNAL, "cannot write to stdout: %s", strerror(errno));
}
