/* The launcher: its memory, batches, records, the user that a command runs as. */
#include "pmu/counters/counters.h"
#include "pmu/events/events.h"
#include "report/result/result.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/launch/launch.h"
#include "runner/launch/launcher.h"
#include "runner/machine/machine.h"
#include "runner/session/session.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/unit/expect.h"

/* ---- processes.c ------------------------------------------------------------------------------------- */

/* Signal 0 is sent to nobody, but kill(2) succeeds wherever it would reach somebody. */
static void only_single_processes_are_signalled_or_waited_for(void)
{
    const pid_t refused[] = {1, 0, -1, -2, -getpgrp(), INT_MIN};

    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        EXPECT(!lauka_pid_is_another(refused[i]));
        errno = 0;
        EXPECT(lauka_signal_process(refused[i], 0) == -1 && errno == ESRCH);
        errno = 0;
        EXPECT(lauka_signal_group(refused[i], 0) == -1 && errno == ESRCH);
        errno = 0;
        EXPECT(lauka_await_process(refused[i], NULL, WNOHANG, NULL) == -1 && errno == ESRCH);
    }
    (void)setpgid(0, 0); /* in a container, ours may be init's */
    EXPECT(lauka_signal_process(getpid(), 0) == 0 && lauka_signal_group(getpgrp(), 0) == 0);
}

static struct lauka_arena arena; /* of commands and options */

/* ---- launcher.c -------------------------------------------------------------------------------------- */

static char *own_path; /* the launcher runs this program itself: see main */

static bool add_own(struct lauka_launcher *launcher, const char *verb, const char *number,
                    struct lauka_error *error)
{
    char *argv[] = {own_path, (char *)(uintptr_t)verb, (char *)(uintptr_t)number};
    struct lauka_command command;
    bool added = lauka_command_from_argv(&arena, argv, 3, &command, error) &&
                 lauka_command_locate(&command, error) &&
                 lauka_launcher_add(launcher, &command, error);

    lauka_arena_done(&arena);
    return added;
}

static void the_memory_of_lauka_does_not_show_in_a_command(void)
{
    struct lauka_launcher *launcher = NULL;
    struct lauka_sample sample = {.code = -1};
    struct lauka_error error = {.text = ""};
    const size_t grown = 200u << 20;

    EXPECT(lauka_launcher_open(NULL, &launcher, &error));
    char *memory = malloc(grown);
    EXPECT(memory != NULL);
    memset(memory, 1, grown);
    EXPECT(add_own(launcher, "touch", "16", &error));
    EXPECT(lauka_launcher_run(launcher, 0, &sample, &error));
    EXPECT(sample.outcome == LAUKA_EXITED && sample.code == 0);
    EXPECT(sample.usage.values[LAUKA_PEAK_RSS] > 15u << 20); /* the kernel counts in batches */
    EXPECT(sample.usage.values[LAUKA_PEAK_RSS] < 64u << 20); /* includes a sanitizer's memory */
    EXPECT(lauka_launcher_rss_floor(launcher) < 64u << 20);
    EXPECT(memory[grown / 2] == 1);
    free(memory);
    lauka_launcher_close(launcher);
}

static void the_end_of_stderr_is_kept(void)
{
    struct lauka_launcher *launcher = NULL;
    struct lauka_sample sample;
    struct lauka_error error = {.text = ""};
    size_t size = 0;

    EXPECT(lauka_launcher_open(NULL, &launcher, &error));
    EXPECT(add_own(launcher, "chatter", "100000", &error) &&
           add_own(launcher, "chatter", "2", &error));
    EXPECT(lauka_launcher_run(launcher, 0, &sample, &error));
    const char *tail = lauka_launcher_stderr(launcher, &size);
    EXPECT_UINT(size, 4096);
    EXPECT(memcmp(tail + size - 7, "\n99999\n", 7) == 0);
    EXPECT(lauka_launcher_run(launcher, 1, &sample, &error));
    tail = lauka_launcher_stderr(launcher, &size);
    EXPECT(size == 4 && memcmp(tail, "0\n1\n", 4) == 0);
    lauka_launcher_close(launcher);
}

/* What this program does when it is run as a command. */
static int be_a_command(const char *verb, long number)
{
    if (strcmp(verb, "touch") == 0) { /* NUMBER MiB of memory */
        char *memory = malloc((size_t)number << 20);
        for (long i = 0; memory && i < number << 20; i += 4096)
            ((volatile char *)memory)[i] = 1;
        free(memory);
        return memory == NULL;
    }
    if (strcmp(verb, "exit") == 0)
        return (int)number;
    if (strcmp(verb, "sleep") == 0) { /* NUMBER ms */
        nanosleep(&(struct timespec){.tv_nsec = number * 1000000}, NULL);
        return 0;
    }
    for (long i = 0; i < number; i++) /* writes lines to stderr */
        fprintf(stderr, "%ld\n", i);
    return 0;
}

/* ---- batches ----------------------------------------------------------------------------------------- */

enum { QUIET, SPEAKS, FAILS, SLEEPS, LATE };

static struct lauka_launcher *open_for_batches(void)
{
    struct lauka_launcher *launcher = NULL;
    struct lauka_error error = {.text = ""};

    EXPECT(lauka_launcher_open(NULL, &launcher, &error) && add_own(launcher, "exit", "0", &error) &&
           add_own(launcher, "chatter", "1", &error) && add_own(launcher, "exit", "3", &error) &&
           add_own(launcher, "sleep", "60", &error) && add_own(launcher, "sleep", "900", &error));
    return launcher;
}

/* The number of runs that are finished after one batch, or, if `again`, after as many batches as it
 * takes. */
static size_t run_batch(struct lauka_launcher *launcher, const size_t *commands, size_t count,
                        struct lauka_sample *samples, bool again)
{
    struct lauka_launch launches[LAUKA_BATCH_MAX];
    struct lauka_error error = {.text = ""};
    size_t over = 0, done = 0;

    for (size_t i = 0; i < count; i++) {
        launches[i] = (struct lauka_launch){.command = commands[i], .sample = &samples[i]};
        samples[i].code = -1;
    }
    do {
        EXPECT(lauka_launcher_run_all(launcher, launches + over, count - over, &done, &error));
        over += done;
    } while (again && over < count && samples[over - 1].code == 0);
    return over;
}

static void a_batch_ends_with_a_failure(void)
{
    static const size_t commands[] = {QUIET, QUIET, FAILS, QUIET};
    struct lauka_launcher *launcher = open_for_batches();
    struct lauka_sample samples[4];

    EXPECT_UINT(run_batch(launcher, commands, 4, samples, true), 3);
    EXPECT(samples[0].code == 0 && samples[1].code == 0 && samples[2].code == 3);
    EXPECT(samples[0].usage.values[LAUKA_WALL_TIME] > 0 && samples[3].code == -1);
    lauka_launcher_close(launcher);
}

static void a_batch_ends_with_a_run_that_wrote_to_stderr(void)
{
    static const size_t commands[] = {SPEAKS, SPEAKS, QUIET};
    struct lauka_launcher *launcher = open_for_batches();
    struct lauka_sample samples[3];
    size_t size;

    EXPECT_UINT(run_batch(launcher, commands, 3, samples, false), 1);
    lauka_launcher_stderr(launcher, &size);
    EXPECT_UINT(size, 2);
    EXPECT_UINT(run_batch(launcher, commands + 2, 1, samples, false), 1);
    lauka_launcher_stderr(launcher, &size);
    EXPECT_UINT(size, 0);
    lauka_launcher_close(launcher);
}

static void a_batch_ends_when_it_has_taken_long(void)
{
    static const size_t commands[] = {SLEEPS, QUIET};
    struct lauka_launcher *launcher = open_for_batches();
    struct lauka_sample samples[2];

    EXPECT_UINT(run_batch(launcher, commands, 2, samples, false), 1);
    EXPECT_UINT(run_batch(launcher, commands, 2, samples, true), 2);
    lauka_launcher_close(launcher);
}

/* The fourth run exceeds the limit by its own clock; the earlier ones may take any time. */
static void a_run_of_a_batch_is_ended_when_it_takes_too_long(void)
{
    static const size_t commands[] = {QUIET, QUIET, QUIET, LATE, QUIET};
    struct lauka_launcher *launcher = open_for_batches();
    struct lauka_sample samples[5];

    launcher->commands[LATE]->timeout_ns = 20000000;
    EXPECT_UINT(run_batch(launcher, commands, 5, samples, true), 4);
    for (size_t i = 0; i < 4; i++)
        EXPECT(samples[i].timed_out == (i == 3));
    EXPECT(samples[3].outcome == LAUKA_SIGNALED && samples[3].code == SIGTERM);
    EXPECT(samples[4].code == -1);
    launcher->commands[QUIET]->timeout_ns = 60000000000;
    EXPECT_UINT(run_batch(launcher, commands, 5, samples, true), 4);
    EXPECT(!samples[2].timed_out && samples[3].timed_out);
    lauka_launcher_close(launcher);
}

/* A record has as many readings as there are counters, and no more. */
static void records_come_back_as_they_were_put(void)
{
    static struct shared shared;
    static struct lauka_sample sample;
    static _Alignas(struct lauka_sample) char records[LAUKA_RECORDS_SIZE];
    const size_t size = LAUKA_RECORD_SIZE(2);

    shared.records = records;
    shared.counters.count = 2;
    for (size_t run = LAUKA_BATCH_MAX; run-- > 0;) {
        shared.sample = (struct lauka_sample){.code = (int)run, .tree_memory = 10 * run};
        shared.readings[1].running = 100 * run;
        shared.readings[2].value = 5;
        launcher_run_of(&shared, run)->name.round = 1000 * run;
        launcher_record_put(&shared, run);
    }
    for (size_t i = LAUKA_BATCH_MAX * size; i < sizeof records; i++)
        EXPECT(records[i] == 0);
    for (size_t run = 0; run < LAUKA_BATCH_MAX; run++) {
        launcher_record_get(&shared, run, &sample);
        EXPECT(sample.code == (int)run && sample.tree_memory == 10 * run);
        EXPECT(sample.readings[1].running == 100 * run);
        EXPECT(launcher_run_of(&shared, run)->name.round == 1000 * run);
    }
}

/* ---- Becoming another user --------------------------------------------------------------------------- */

static char becoming[64];

static bool can_return;

static int note_groups(const struct lauka_identity *identity)
{
    (void)identity;
    strcat(becoming, "groups ");
    return 0;
}

static int note_group(gid_t gid)
{
    strcat(becoming, gid ? "group " : "root's group? ");
    return gid ? 0 : -1;
}

static int note_user(uid_t uid)
{
    strcat(becoming, uid ? "user " : "root? ");
    return uid || can_return ? 0 : -1;
}

static void a_kind_of_core_means_those_that_may_be_used(void)
{
    struct lauka_error error = {.text = ""};
    struct lauka_cpu_set own, cpus = {0}, now;
    unsigned first = 0;

    if (lauka_affinity_get(0, &own) != 0)
        return; /* on macOS */
    while (!lauka_cpu_set_has(&own, first))
        first++;
    lauka_cpu_set_add(&cpus, first);
    lauka_cpu_set_add(&cpus, LAUKA_CPUS_MAX - 1); /* no real machine has so many */
    EXPECT(lauka_pin_limit("P", &cpus, &error));
    EXPECT(lauka_cpu_set_has(&cpus, first) && lauka_cpu_set_count(&cpus) == 1);
    EXPECT(lauka_affinity_get(0, &now) == 0 && memcmp(&now, &own, sizeof now) == 0);

    cpus = (struct lauka_cpu_set){0};
    lauka_cpu_set_add(&cpus, LAUKA_CPUS_MAX - 1);
    EXPECT(!lauka_pin_limit("cortex_a72", &cpus, &error) && error.code == LAUKA_EXIT_HOST);
    EXPECT_TEXT(error.text, "--pin cortex_a72: none of these cores (CPUs 1023) may be used here; "
                            "bring one online, or add it to the cpuset");
    EXPECT(lauka_pin_limit("1023", &cpus, &error) && lauka_cpu_set_count(&cpus) == 1);
    EXPECT(lauka_affinity_get(0, &now) == 0 && memcmp(&now, &own, sizeof now) == 0);
}

static void rights_are_given_up_in_order_and_for_good(void)
{
    static const struct lauka_identity_calls calls = {note_groups, note_group, note_user};
    const struct lauka_identity identity = {.other = true, .uid = 501, .gid = 20};
    EXPECT(lauka_identity_assume(&identity, &calls) == 0);
    EXPECT_TEXT(becoming, "groups group user root? root's group? ");
    can_return = true; /* privileges that can be regained were not given up */
    EXPECT(lauka_identity_assume(&identity, &calls) == EPERM);
}

/* ---- economy.c --------------------------------------------------------------------------------------- */

static void short_runs_are_spared_what_nobody_sees(void)
{
    char name[] = "run_delay";
    struct lauka_result_metric metric = {.name = name, .detail = true};
    struct lauka_result result = {.metrics = &metric, .metric_count = 1, .command_count = 2};
    struct lauka_sample samples[2] = {0};

    samples[0].usage.values[LAUKA_WALL_TIME] = 5000000;
    samples[1].usage.values[LAUKA_WALL_TIME] = 1000000;
    EXPECT(!lauka_is_to_be_spared(&result, samples, 0, 2));
    /* The shortest command decides for all. */
    samples[1].usage.values[LAUKA_WALL_TIME] = 999999;
    EXPECT(lauka_is_to_be_spared(&result, samples, 0, 2));
    metric.detail = false; /* visible */
    EXPECT(!lauka_is_to_be_spared(&result, samples, 0, 2));
    metric.detail = metric.primary = true;
    EXPECT(!lauka_is_to_be_spared(&result, samples, 0, 2));
}

static void a_launcher_that_spares_tells_no_delay(void)
{
    struct lauka_launcher *launcher = NULL;
    struct lauka_sample sample;
    struct lauka_error error = {.text = ""};

    EXPECT(lauka_launcher_open(NULL, &launcher, &error) &&
           add_own(launcher, "chatter", "1", &error));
    lauka_launcher_spare(launcher);
    EXPECT(lauka_launcher_run(launcher, 0, &sample, &error));
    EXPECT(sample.outcome == LAUKA_EXITED && sample.usage.values[LAUKA_WALL_TIME] > 0);
    EXPECT(sample.run_delay_ns == LAUKA_UNKNOWN);
    EXPECT(sample.residency.cpus_used == LAUKA_UNKNOWN);
    lauka_launcher_close(launcher);
}

int main(int argc, char **argv)
{
    if (argc == 3)
        return be_a_command(argv[1], atol(argv[2]));
    own_path = argv[0];
    TEST(the_memory_of_lauka_does_not_show_in_a_command);
    TEST(only_single_processes_are_signalled_or_waited_for);
    TEST(the_end_of_stderr_is_kept);
    TEST(a_batch_ends_with_a_failure);
    TEST(a_batch_ends_with_a_run_that_wrote_to_stderr);
    TEST(a_batch_ends_when_it_has_taken_long);
    TEST(a_run_of_a_batch_is_ended_when_it_takes_too_long);
    TEST(records_come_back_as_they_were_put);
    TEST(a_kind_of_core_means_those_that_may_be_used);
    TEST(rights_are_given_up_in_order_and_for_good);
    TEST(short_runs_are_spared_what_nobody_sees);
    TEST(a_launcher_that_spares_tells_no_delay);
    return expect_report("launcher");
}
