/* Starting, watching and reaping commands on macOS, on a simulated Mac (tests/fakes). The code of
 * runner/ is the one that a Mac runs, from lauka's request to the launcher process. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pmu/counters/counters.h"
#include "pmu/events/events.h"
#include "pmu/macos/darwin.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/launch/launch.h"
#include "runner/launch/launcher.h"
#include "runner/launch/process.h"
#include "runner/subcommands/subcommands.h"
#include "tests/unit/expect.h"
#include "tests/fakes/fake.h"
#define LAUKA_TESTS_FAKES_ITSELF
#include "tests/fakes/process.h"

static struct lauka_event_list list;
static struct lauka_counters none;
static struct lauka_identity nobody_else;
static pid_t pid;
static uint64_t started_ns;
static sigset_t mask_of_lauka;

bool lauka_fail(struct lauka_error *error, enum lauka_exit code, const char *format, ...)
{
    (void)format;
    error->code = code;
    return false;
}

bool lauka_fail_stdout(struct lauka_error *error, int failure)
{
    return lauka_fail(error, LAUKA_EXIT_INTERNAL, "%s", strerror(failure));
}

/* Replaces the rest of runner/, which these tests do not need. */
int lauka_interrupt_descriptor(void)
{
    return -1;
}

void lauka_error_print(const struct lauka_error *error)
{
    (void)error;
}

/* Starts a Mac with a command to run. */
static void power_on(enum fake_workload workload)
{
    fake_options =
        (struct fake_options){.exec_exits = true, .workload = workload, .workload_seed = 7};
    fake_reset();
}

static void ask(const char *names)
{
    char why[400];
    memset(&list, 0, sizeof list);
    EXPECT(lauka_event_list_add(&list, names, "/nonexistent", why, sizeof why));
}

static char path[] = "/bin/command", word[] = "of", variable[] = "K=V";
static char *argv[] = {path, word, NULL}, *envp[] = {variable, NULL};

static struct lauka_process_end run(struct lauka_process process)
{
    struct lauka_process_end end = {0};
    process.path = path;
    process.argv = argv;
    process.envp = envp;
    process.counters = process.counters ? process.counters : &none;
    process.identity = process.identity ? process.identity : &nobody_else;
    process.pid = &pid;
    process.started_ns = &started_ns;
    pid = 0;
    lauka_process_run(&process, &end);
    return end;
}

static uint64_t at(const char *name, int64_t value)
{
    for (uint64_t i = 0; i < fake_calls; i++)
        if (strcmp(fake_log[i].name, name) == 0 && (value < 0 || fake_log[i].value == value))
            return i;
    return UINT64_MAX;
}

static uint64_t last_continued(void)
{
    uint64_t ticks = 0;
    for (uint64_t i = 0; i < fake_calls; i++)
        ticks = strcmp(fake_log[i].name, "continue") == 0 ? fake_log[i].ticks : ticks;
    return ticks;
}

static bool is_clean(void)
{
    if (fake_count_calls("waits forever", -1))
        puts("the launcher waited for a command that was never continued");
    return fake_is_clean() && !fake_count_calls("waits forever", -1);
}

/* The lowest free descriptor: it is the same before and after if none was left open. */
static int next_descriptor(void)
{
    int descriptor = open("/dev/null", O_RDONLY);
    close(descriptor);
    return descriptor;
}

/* ---- One command ---- */

static void a_command_gets_what_it_was_promised(void)
{
    power_on(FAKE_ONE_THREAD);
    struct lauka_process_end end = run((struct lauka_process){
        .input = 11, .output = 12, .error = 13, .directory = "/", .nice_value = -3});
    const struct fake_attributes *attributes = &fake_spawned.attributes;
    EXPECT(end.error == 0 && !end.no_directory && end.status == 0);
    EXPECT(pid == FAKE_PID);
    EXPECT(attributes->flags ==
           (POSIX_SPAWN_START_SUSPENDED | POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK));
    EXPECT(attributes->group == 0);
    for (int number = 1; number < 32; number++)
        EXPECT(sigismember(&attributes->mask, number) == sigismember(&mask_of_lauka, number));
    EXPECT(fake_spawned.files.targets[0] == 11 && fake_spawned.files.targets[1] == 12 &&
           fake_spawned.files.targets[2] == 13);
    EXPECT_TEXT(fake_spawned.files.directory, "/");
    EXPECT_TEXT(fake_spawned.path, "/bin/command");
    EXPECT(fake_spawned.argv == argv && fake_spawned.envp == envp);
    EXPECT(fake_spawned.nice_value == -3);
    EXPECT(is_clean());
}

static void the_time_is_that_between_the_continue_and_the_end(void)
{
    power_on(FAKE_ONE_THREAD);
    struct lauka_process_end end = run((struct lauka_process){.input = 0});
    uint64_t continued = lauka_darwin_ns(last_continued());
    EXPECT(started_ns <= continued && continued - started_ns < 10000);
    EXPECT_NEAR((double)(end.ended_ns - started_ns), 20e6, 0.001);
    EXPECT(end.rusage.ru_utime.tv_usec > 0);
    EXPECT(end.run_delay_ns == LAUKA_UNKNOWN);
}

static void the_clock_ticks_as_the_machine_says(void)
{
    power_on(FAKE_ONE_THREAD);
    EXPECT_UINT(lauka_clock_resolution_ns(), 42); /* 125/3 */
}

static void how_it_ended_is_told(void)
{
    power_on(FAKE_ONE_THREAD);
    fake_options.status = 7 << 8; /* exit(7) */
    struct lauka_process_end end = run((struct lauka_process){.input = 0});
    EXPECT(WIFEXITED(end.status) && WEXITSTATUS(end.status) == 7);
    fake_options.status = SIGKILL;
    end = run((struct lauka_process){.input = 0});
    EXPECT(WIFSIGNALED(end.status) && WTERMSIG(end.status) == SIGKILL);
}

static void what_does_not_start_says_why(void)
{
    static const int errors[] = {ENOENT, EACCES, ENOEXEC, E2BIG, EAGAIN, ENOMEM};
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        power_on(FAKE_ONE_THREAD);
        fake_options.spawn_error = errors[i];
        struct lauka_process_end end = run((struct lauka_process){.directory = "/"});
        EXPECT(end.error == errors[i] && !end.no_directory);
        EXPECT(pid == 0);
        EXPECT(fake_count_calls("continue", -1) == 0);
    }
    power_on(FAKE_ONE_THREAD);
    struct lauka_process_end end = run((struct lauka_process){.directory = "/no/such/place"});
    EXPECT(end.error == ENOENT && end.no_directory);
}

static void calls_that_are_interrupted_are_made_again(void)
{
    int before = next_descriptor();
    power_on(FAKE_ONE_THREAD);
    fake_options.interrupts = true;
    struct lauka_process_end end = run((struct lauka_process){.input = 0});
    EXPECT(end.error == 0);
    EXPECT_UINT(fake_count_calls("reap", -1), 1);
    EXPECT_NEAR((double)(end.ended_ns - started_ns), 20e6, 0.001);
    EXPECT(next_descriptor() == before);
}

static void addresses_are_fixed_on_request(void)
{
    power_on(FAKE_ONE_THREAD);
    EXPECT(lauka_process_fix_layout() == 0);
    run((struct lauka_process){.input = 0});
    EXPECT(fake_spawned.attributes.flags & 0x0100); /* _POSIX_SPAWN_DISABLE_ASLR */
    EXPECT(!lauka_process_can_delay());
}

/* ---- As another user ---- */

static struct lauka_process_end run_as(unsigned uid)
{
    struct lauka_identity identity = {.other = true, .uid = uid, .gid = uid, .name = "nobody"};
    return run((struct lauka_process){.identity = &identity});
}

static void a_command_of_another_user_has_given_root_up(void)
{
    bool root = geteuid() == 0;
    int before = next_descriptor();
    power_on(FAKE_ONE_THREAD);
    fake_options.becomes = 65534;
    struct lauka_process_end end = run_as(65534);
    EXPECT(end.error == (root ? 0 : EPERM));
    EXPECT_UINT(fake_count_calls("stopped", -1), root);
    EXPECT(!root || at("stopped", -1) < at("continue", -1));
    EXPECT_UINT(fake_count_calls("not as it should be", -1), 0);
    EXPECT(is_clean());
    EXPECT(next_descriptor() == before);
}

/* Only root can become another user. The process that it forks for this may end only after the command
 * has started. */
static void sets_take_turns_before_the_command_exists(void)
{
    static const char *const names[] = {"INST_LDST", "INST_INT_ALU"};
    static struct lauka_counters counters;
    struct lauka_reading readings[LAUKA_COUNTERS_MAX];

    power_on(FAKE_POOL);
    ask("INST_LDST,INST_INT_ALU"); /* counter 7 alone has each of them */
    lauka_counters_open(&counters, list.events, list.count);
    for (uint8_t turn = 0; turn < 2; turn++) {
        counters.turn = turn;
        EXPECT(run((struct lauka_process){.counters = &counters}).error == 0);
        lauka_counters_collect(&counters, readings);
        EXPECT(readings[turn].value == fake_truth(names[turn], true) &&
               readings[1 - turn].running == 0);
    }
    lauka_counters_close(&counters);
    EXPECT(is_clean());
}

static void what_becomes_the_command_is_not_counted_with_it(void)
{
    struct lauka_identity identity = {.other = true, .uid = 65534, .gid = 65534, .name = "nobody"};
    static struct lauka_counters counters;
    static struct lauka_reading readings[LAUKA_COUNTERS_MAX];
    if (geteuid() != 0)
        return;
    power_on(FAKE_POOL);
    fake_options.becomes = 65534;
    fake_options.late_stub = true;
    ask("cycles,INST_LDST");
    lauka_counters_open(&counters, list.events, list.count);
    lauka_identity_borrow(&identity, true); /* as the launcher does to open files */
    lauka_identity_borrow(&identity, false);
    fake_knows_no_groups = true;
    EXPECT(run((struct lauka_process){.identity = &identity, .counters = &counters}).error == 0);
    fake_knows_no_groups = false;
    lauka_counters_collect(&counters, readings);
    EXPECT_UINT(readings[0].value, fake_truth("FIXED_CYCLES", false));
    EXPECT_UINT(readings[1].value, fake_truth("INST_LDST", true));
    lauka_counters_close(&counters);
    EXPECT(is_clean());
}

static void a_command_that_another_user_cannot_start_says_why(void)
{
    power_on(FAKE_ONE_THREAD);
    fake_options.spawn_error = EACCES;
    fake_options.becomes = 65534;
    EXPECT(run_as(65534).error == (geteuid() == 0 ? EACCES : EPERM));
    EXPECT_UINT(fake_count_calls("continue", -1), 0);
    EXPECT_UINT(fake_count_calls("reap", -1), 1);
}

/* A command that would still be root is never started, so nobody becomes user 0 this way. */
static void a_command_that_would_stay_root_is_refused(void)
{
    power_on(FAKE_ONE_THREAD);
    EXPECT(run_as(0).error == EPERM);
    EXPECT_UINT(fake_count_calls("continue", -1), 0);
}

/* ---- The launcher process ---- */

static struct shared shared;
static _Alignas(struct lauka_sample) char records[LAUKA_RECORDS_SIZE];
static char digits[16];
static struct shared_command command = {.path = path, .argv = argv, .environment = envp};

/* Serves the requests until lauka closes its end of the pipe, or, if `gone`, has disappeared. */
static void serve(const char *requests, bool gone)
{
    int in[2], out[2];
    char replies[64];
    EXPECT(pipe(in) == 0 && pipe(out) == 0);
    int null = open("/dev/null", O_RDWR);
    struct serving serving = {
        .shared = &shared,
        .request = in[0],
        .reply = out[1],
        .error = 2,
        .output = 1,
        .input = null,
        .nowhere = null,
        .own_output = 1,
    };
    ssize_t length = (ssize_t)strlen(requests);
    EXPECT(write(in[1], requests, (size_t)length) == length);
    close(in[1]);
    if (gone)
        close(out[0]);
    launcher_serve(&serving);
    if (!gone) {
        EXPECT(read(out[0], replies, sizeof replies) == length);
        close(out[0]);
    }
    close(in[0]);
    close(out[1]);
    close(null);
}

static void begin_session(enum fake_workload workload, const char *events)
{
    power_on(workload);
    memset(&shared, 0, sizeof shared);
    shared.records = records;
    ask(events);
    launcher_run_of(&shared, 0)->command = &command;
    shared.asked = 1;
    shared.variables = (struct run_variables){digits, digits, digits, digits, digits, 0};
    shared.events = list.events;
    shared.event_count = list.count;
}

#define EVENTS "cycles,instructions,INST_LDST,branches"
static const char *const names[] = {"FIXED_CYCLES", "FIXED_INSTRUCTIONS", "INST_LDST",
                                    "INST_BRANCH"};

static void expect_exact(const char *what)
{
    for (size_t i = 0; i < 4; i++) {
        const struct lauka_reading *reading = &shared.readings[i];
        uint64_t truth = fake_truth(names[i], i >= 2);
        if (reading->running == 0 || reading->value != truth)
            printf("%s: %s is %" PRIu64 ", not %" PRIu64 "; %s\n", what, names[i], reading->value,
                   truth, shared.counters.trouble);
        EXPECT(reading->running > 0 && reading->value == truth);
    }
}

static void runs_are_counted_exactly_whatever_is_interrupted(void)
{
    static const enum fake_workload workloads[] = {FAKE_ONE_THREAD, FAKE_POOL, FAKE_BURST,
                                                   FAKE_FORK_EXEC,  FAKE_EXEC, FAKE_NEIGHBOURS,
                                                   FAKE_PID_REUSE};
    for (size_t w = 0; w < sizeof workloads / sizeof *workloads; w++)
        for (int interrupts = 0; interrupts < 2; interrupts++) {
            begin_session(workloads[w], EVENTS);
            fake_options.interrupts = interrupts;
            serve("crr", false);
            expect_exact(interrupts ? "interrupted" : "undisturbed");
            EXPECT_UINT(fake_count_calls("reap", -1), 2);
            EXPECT(at("KDENABLE", 1) < at("continue", -1));
            /* Nothing happens in between. */
            EXPECT_UINT(shared.started_ns, lauka_darwin_ns(last_continued()));
            EXPECT(is_clean());
        }
}

static void the_account_is_read_between_the_end_and_the_reaping(void)
{
    begin_session(FAKE_ONE_THREAD, "cycles,instructions,INST_LDST");
    fake_options.euid = 501; /* no counters: only the kernel's account is left */
    serve("cr", false);
    EXPECT(shared.readings[0].running > 0 && shared.readings[0].value > 0);
    EXPECT(shared.readings[2].running == 0);
    EXPECT(is_clean());
}

/* If threads are sampled, records are read while the command runs, at least every 20 ms. */
static void a_trace_is_read_while_the_command_runs(void)
{
    for (int unkind = 0; unkind < 2; unkind++) {
        begin_session(FAKE_BURST, EVENTS);
        fake_options.interrupts = unkind;
        lauka_counters_open(&shared.counters, list.events, list.count);
        shared.counters.period_ns = 1000000;
        serve("r", false);
        EXPECT(shared.counters.sampled_ns == 1000000);
        EXPECT(fake_count_calls("kevent", 20000000) >= 2);
        expect_exact(unkind ? "watched, interrupted" : "watched");
        EXPECT(is_clean());
    }
}

static void run_watched(void)
{
    int before = next_descriptor();
    lauka_counters_open(&shared.counters, list.events, list.count);
    shared.counters.period_ns = 1000000;
    serve("r", false);
    expect_exact("watched");
    EXPECT(is_clean());
    EXPECT(next_descriptor() == before);
}

static void a_command_may_end_before_it_is_watched(void)
{
    begin_session(FAKE_ONE_THREAD, EVENTS);
    fake_options.ends_at_once = true;
    run_watched();
    EXPECT_UINT(fake_count_calls("kevent", -1), 0);
}

static void without_a_queue_the_end_is_awaited(void)
{
    begin_session(FAKE_ONE_THREAD, EVENTS);
    fake_options.no_queue = true;
    run_watched();
}

static void everything_is_unset_when_lauka_has_gone(void)
{
    begin_session(FAKE_KILLED, EVENTS);
    fake_options.status = SIGKILL;
    serve("crrrr", true); /* nobody receives the first reply */
    EXPECT(fake_count_calls("kpc_set_counting", 3) > 0);
    EXPECT_UINT(fake_count_calls("reap", -1), 0);
    EXPECT(is_clean());
}

/* The terminal sends SIGINT to all processes. lauka kills the command and closes the pipe; the launcher,
 * which must reset the counters, ignores the signal. */
static void everything_is_unset_after_an_interrupt(void)
{
    begin_session(FAKE_KILLED, EVENTS);
    fake_options.status = SIGKILL;
    fake_options.interrupts = fake_options.sigint = true;
    serve("cr", false);
    sigset_t pending;
    EXPECT(sigpending(&pending) == 0 &&
           sigismember(&pending, SIGINT) == 1); /* the signal was really sent */
    EXPECT(shared.sample.outcome == LAUKA_SIGNALED);
    EXPECT_UINT(fake_count_calls("reap", -1), 1);
    EXPECT(fake_count_calls("kpc_set_counting", 3) > 0);
    EXPECT(is_clean());
}

/* Every system call of a session fails once. */
static void everything_is_unset_whatever_fails(void)
{
    begin_session(FAKE_FORK_EXEC, EVENTS);
    serve("crr", false);
    uint64_t calls = fake_calls;
    EXPECT(calls > 50);
    for (uint64_t call = 1; call <= calls; call++) {
        begin_session(FAKE_FORK_EXEC, EVENTS);
        fake_options.fail_call = call;
        serve("crr", false);
        /* Whether the call that failed was one that resets a setting. */
        bool unset = call <= fake_calls && fake_log[call - 1].value == 0;
        if (*fake_left_set() && !unset)
            printf("call %" PRIu64 ", %s: left %s\n", call, fake_log[call - 1].name,
                   fake_left_set());
        EXPECT(!*fake_left_set() || unset);
        EXPECT_UINT(fake_count_calls("reap", -1), 2);
    }
}

/* ---- lauka list on this Mac ---- */

static size_t list_own_chip(const char *pattern, char *text, size_t size)
{
    memset(text, 0, size);
    FILE *out = fmemopen(text, size, "w");
    size_t shown = lauka_list_own_chip(pattern, out);
    fclose(out);
    return shown;
}

static void the_list_shows_what_excludes_what_on_this_mac(void)
{
    static char text[20000];
    power_on(FAKE_ONE_THREAD);
    fake_options.chip = "as4";
    EXPECT(list_own_chip("", text, sizeof text) > 50);
    EXPECT(strstr(text, "\nWhat excludes what on this Mac\nas4 (") != NULL);
    EXPECT(strstr(text, "\ncounter 0: fixed\n") != NULL);
    const char *one = strstr(text, "\ncounter 7: at most 1 of these, at once\n");
    EXPECT(one && strstr(one, "INST_LDST"));
    EXPECT(list_own_chip("inst-ldst", text, sizeof text) == 1 && strstr(text, "INST_LDST"));
    EXPECT(list_own_chip("no such event", text, sizeof text) == 0 && !*text);
    fake_options.fail_call = fake_calls + 1; /* the next call, which asks for the chip */
    EXPECT(list_own_chip("", text, sizeof text) == 0 && !*text);
}

int main(int argc, char **arguments)
{
    if (!fake_find_libraries(argc, arguments))
        return 2;
    sigprocmask(SIG_BLOCK, NULL, &mask_of_lauka);
    lauka_process_prepare(false, -1);
    TEST(a_command_gets_what_it_was_promised);
    TEST(the_time_is_that_between_the_continue_and_the_end);
    TEST(how_it_ended_is_told);
    TEST(the_clock_ticks_as_the_machine_says);
    TEST(what_does_not_start_says_why);
    TEST(calls_that_are_interrupted_are_made_again);
    TEST(a_command_of_another_user_has_given_root_up);
    TEST(what_becomes_the_command_is_not_counted_with_it);
    TEST(sets_take_turns_before_the_command_exists);
    TEST(a_command_that_another_user_cannot_start_says_why);
    TEST(a_command_that_would_stay_root_is_refused);
    TEST(runs_are_counted_exactly_whatever_is_interrupted);
    TEST(the_account_is_read_between_the_end_and_the_reaping);
    TEST(a_trace_is_read_while_the_command_runs);
    TEST(a_command_may_end_before_it_is_watched);
    TEST(without_a_queue_the_end_is_awaited);
    TEST(everything_is_unset_when_lauka_has_gone);
    TEST(everything_is_unset_after_an_interrupt);
    TEST(everything_is_unset_whatever_fails);
    TEST(addresses_are_fixed_on_request);
    TEST(the_list_shows_what_excludes_what_on_this_mac);
    return expect_report("mac_process");
}
