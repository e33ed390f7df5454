/* lauka doctor --selftest: work whose cost is known, in one thread and in eight, counted in every way
 * that there is. One JSON document, to be attached to a report; on a Mac it answers what could not be
 * seen without one. */
#include "runner/doctor.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 100000000, THREADS = 8, RUNS = 2 };

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

int lauka_selftest_loop(const char *threads, const char *steps)
{
    pthread_t others[THREADS];
    uint64_t each = strtoull(steps, NULL, 10);
    unsigned long count = strtoul(threads, NULL, 10);

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

static void print_run(const struct lauka_counters *counters, const struct lauka_sample *sample,
                      unsigned threads, FILE *out)
{
    fprintf(out,
            "\n    {\"threads\": %u, \"expected_instructions\": %llu, \"outcome\": %d, \"code\": %d, "
            "\"wall_ns\": %llu, \"user_ns\": %llu, \"system_ns\": %llu,\n     \"counts\": [",
            threads, 2ull * STEPS * threads, (int)sample->outcome, sample->code,
            (unsigned long long)sample->usage.values[LAUKA_WALL_TIME],
            (unsigned long long)sample->usage.values[LAUKA_USER_TIME],
            (unsigned long long)sample->usage.values[LAUKA_SYSTEM_TIME]);
    print_counts(counters, sample, out);
    fputs("],\n     \"residency\": [", out);
    print_residency(counters, sample, out);
    fputs("]}", out);
}

/* Command 0 has one thread, command 1 has eight. */
static bool add_loops(struct lauka_launcher *launcher, struct lauka_error *error)
{
    char path[4096], steps[32], count[8];
    char verb[] = LAUKA_SELFTEST_LOOP;

    if (lauka_own_path(path, sizeof path) != 0)
        return lauka_fail(error, LAUKA_EXIT_HOST, "cannot tell where the program lauka itself is");
    snprintf(steps, sizeof steps, "%d", (int)STEPS);
    for (unsigned threads = 1; threads <= THREADS; threads += THREADS - 1) {
        snprintf(count, sizeof count, "%u", threads);
        char *argv[] = {path, verb, count, steps, NULL};
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

static bool run_loops(struct lauka_launcher *launcher, const struct lauka_counters *counters,
                      FILE *out, struct lauka_error *error)
{
    struct lauka_sample sample;

    fputs(",\n  \"runs\": [", out);
    for (size_t run = 0; run < 2 * RUNS; run++) {
        if (!lauka_launcher_run(launcher, run % 2, &sample, error))
            return false;
        fputs(run ? "," : "", out);
        print_run(counters, &sample, run % 2 ? THREADS : 1, out);
    }
    fputs("\n  ]", out);
    return true;
}

static void print_host(FILE *out)
{
    struct lauka_result result = {0};

    (void)lauka_machine_describe(&result.host);
    fputs("{\n  \"schema\": \"lauka-selftest/1.0\",\n  ", out);
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
    static char probe[16384];
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
    if (!run_loops(launcher, counters, out, error))
        return false;
    fputs(",\n  ", out);
    print_text("trouble", counters->trouble, ",\n  ", out);
    fprintf(out, "\"partial_runs\": %llu\n}\n", (unsigned long long)counters->partial_runs);
    return fflush(out) == 0 ||
           lauka_fail(error, LAUKA_EXIT_INTERNAL, "cannot write to stdout: %s", strerror(errno));
}
