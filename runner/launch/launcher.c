/* What lauka asks of the launcher (its process: launcher_process.c): commands are added, runs are asked for, one after
 * the other or many at once. Requests and samples lie in memory that both processes share; two pipes pass the turn.
 * While a command runs, the launcher only waits, and lauka only drains the command's stderr. */
#include "runner/launch/launch.h"
#include "runner/launch/launcher.h"
#include "runner/launch/process.h"
#include "pmu/counters/counters.h"
#include "pmu/events/events.h"
#include "runner/base/base.h"
#include "runner/command/command.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* No pipe holds more chunks than this; a command that keeps writing is read later. */
#define DRAIN_CHUNKS 16
/* A command that was told to stop gets this long before it is killed. */
#define GRACE_NS 1000000000u
/* If a command cannot be signalled yet, because it is only just being started, try again after this time. */
#define RETRY_NS 5000000u

/* ---- what it is told ------------------------------------------------------------------------------- */

/* A process that executes a program with another user's rights, or an unreadable one, may not watch it:
 * the kernel silently removes the events. */
static bool is_uncountable(const char *path)
{
    struct stat about;

    if (geteuid() == 0 || stat(path, &about) != 0)
        return false;
    return access(path, R_OK) != 0 || (about.st_mode & S_ISUID && about.st_uid != geteuid()) ||
           (about.st_mode & S_ISGID && about.st_gid != getegid());
}

/* NULL if there is none; false if there is no room. */
static bool share_optional(struct lauka_launcher *launcher, const char *text, char **copy)
{
    *copy = text ? launcher_share_text(launcher, text) : NULL;
    return !text || *copy;
}

static bool share_command(struct lauka_launcher *launcher, const struct lauka_command *command,
                          struct shared_command *shared)
{
    *shared = (struct shared_command){
        .path = launcher_share_text(launcher, command->path),
        .argv = launcher_share_vector(launcher, command->argv),
        .environment = launcher_share_environment(launcher, command),
        .output = command->output,
        .reports = command->reports,
        .uncountable = is_uncountable(command->path),
        .is_hook = command->is_hook,
        .is_load = command->is_load,
        .timeout_ns = command->timeout_ns,
    };
    return shared->path && shared->argv && shared->environment &&
           share_optional(launcher, command->directory, &shared->directory) &&
           share_optional(launcher, command->input_file, &shared->input_file) &&
           share_optional(launcher, command->output_file, &shared->output_file);
}

bool lauka_launcher_add(struct lauka_launcher *launcher, const struct lauka_command *command,
                        struct lauka_error *error)
{
    size_t size = (launcher->command_count + 1) * sizeof *launcher->commands;
    struct shared_command **grown = realloc(launcher->commands, size);
    struct shared_command *shared = launcher_take(launcher, sizeof *shared);

    if (grown)
        launcher->commands = grown;
    if (!grown || !shared || !share_command(launcher, command, shared))
        return lauka_fail(error, LAUKA_EXIT_INTERNAL,
                          "no room for the commands: their arguments and the environment take more "
                          "than %zu MiB",
                          LAUKA_SHARED_SIZE >> 20);
    launcher->commands[launcher->command_count++] = shared;
    return true;
}

bool lauka_launcher_add_under(struct lauka_launcher *launcher, const struct lauka_tool *tool,
                              const struct lauka_command *command, struct lauka_error *error)
{
    struct lauka_command wrapped = *command; /* borrows */
    uint64_t longest_ns = UINT64_MAX / tool->slower;

    wrapped.argv = lauka_words_join(tool->words, (const char *const *)command->argv);
    if (!wrapped.argv)
        return lauka_fail_memory(error);
    wrapped.path = (char *)(uintptr_t)tool->path;
    wrapped.timeout_ns = command->timeout_ns < longest_ns ? command->timeout_ns * tool->slower : 0;
    bool good = lauka_launcher_add(launcher, &wrapped, error);
    free(wrapped.argv);
    return good;
}

void lauka_launcher_listen(struct lauka_launcher *launcher,
                           void (*hear)(void *context, enum lauka_outlet outlet, const char *bytes,
                                        size_t size),
                           void *context)
{
    if (hear && !launcher->wide)
        launcher_widen(launcher->written);
    launcher->wide = launcher->wide || hear;
    launcher->hear = hear;
    launcher->hear_context = context;
}

void lauka_launcher_mind(struct lauka_launcher *launcher, int descriptor,
                         bool (*take_some)(void *context), void *context)
{
    launcher->minded = descriptor;
    launcher->mind = descriptor >= 0 ? take_some : NULL;
    launcher->mind_context = context;
}

/* ---- requests ------------------------------------------------------------------------------------- */

size_t lauka_launcher_count_commands(const struct lauka_launcher *launcher)
{
    return launcher->command_count;
}

/* The command dies with the launcher, but not what it has started. */
static bool lose(struct lauka_launcher *launcher)
{
    launcher->lost = true;
    lauka_signal_group(launcher->shared->pid, SIGKILL);
    return false;
}

static bool gone(struct lauka_launcher *launcher, struct lauka_error *error)
{
    lose(launcher);
    return lauka_fail(error, LAUKA_EXIT_INTERNAL,
                      "the launcher process has ended unexpectedly (was it killed?)");
}

static bool ask(struct lauka_launcher *launcher, enum request request, struct lauka_error *error)
{
    char byte = (char)request;
    ssize_t written;

    if (launcher->lost)
        return gone(launcher, error);
    do
        written = write(launcher->request, &byte, 1);
    while (written < 0 && errno == EINTR);
    return written == 1 || gone(launcher, error);
}

static bool take_reply(struct lauka_launcher *launcher, struct lauka_error *error)
{
    char byte;
    ssize_t got;

    do
        got = read(launcher->reply, &byte, 1);
    while (got < 0 && errno == EINTR);
    return got == 1 || gone(launcher, error);
}

bool lauka_launcher_rouse(struct lauka_launcher *launcher, struct lauka_error *error)
{
    int status;

    lauka_interrupt_forget_children();
    while (launcher->pid > 0 &&
           lauka_await_process(launcher->pid, &status, WUNTRACED | WNOHANG, NULL) > 0) {
        if (!WIFSTOPPED(status)) {
            launcher->pid = 0; /* it has ended; its reply pipe says so too */
        } else {
            launcher->stopped[launcher->shared->done] = true;
            if (lauka_signal_process(launcher->pid, SIGCONT) != 0)
                return lauka_fail(error, LAUKA_EXIT_INTERNAL,
                                  "the launcher process was stopped, and may not be continued: %s",
                                  strerror(errno));
        }
    }
    return true;
}

bool lauka_launcher_is_lost(struct lauka_launcher *launcher, struct lauka_error *error)
{
    return launcher->lost && !gone(launcher, error);
}

static bool await_reply(struct lauka_launcher *launcher, struct lauka_error *error)
{
    struct pollfd files[] = {{.fd = launcher->reply, .events = POLLIN},
                             {.fd = lauka_interrupt_children(), .events = POLLIN}};

    while (poll(files, 2, -1) < 0 ? errno == EINTR : !files[0].revents)
        if (!lauka_launcher_rouse(launcher, error))
            return lose(launcher);
    return take_reply(launcher, error);
}

bool launcher_ask(struct lauka_launcher *launcher, enum request request, struct lauka_error *error)
{
    return ask(launcher, request, error) && await_reply(launcher, error);
}

bool launcher_go_on(struct lauka_launcher *launcher, struct lauka_error *error)
{
    return ask(launcher, REQUEST_GO_ON, error) && await_reply(launcher, error);
}

/* Names may lie in lauka's own memory, where the launcher cannot read them. */
static struct lauka_event *share_events(struct lauka_launcher *launcher,
                                        const struct lauka_event *events, size_t count)
{
    struct lauka_event *copies = launcher_take(launcher, count * sizeof *copies);

    for (size_t i = 0; copies && i < count; i++) {
        copies[i] = events[i];
        copies[i].name = launcher_share_text(launcher, events[i].name);
        if (!copies[i].name)
            return NULL;
    }
    return copies;
}

bool lauka_launcher_count(struct lauka_launcher *launcher, const struct lauka_event *events,
                          size_t count, const struct lauka_counters **counters,
                          struct lauka_error *error)
{
    launcher->shared->events = share_events(launcher, events, count);
    if (!launcher->shared->events)
        return lauka_fail(error, LAUKA_EXIT_INTERNAL, "no room for the events");
    launcher->shared->event_count = count;
    *counters = &launcher->shared->counters;
    return launcher_ask(launcher, REQUEST_COUNT, error);
}

bool lauka_launcher_delay(struct lauka_launcher *launcher, size_t command, uint64_t delay_ns)
{
    if (!lauka_process_can_delay())
        return false;
    launcher->commands[command]->delay_ns = delay_ns;
    return true;
}

void lauka_launcher_turn(struct lauka_launcher *launcher, unsigned turn)
{
    launcher->shared->counters.turn = (uint8_t)turn;
}

void lauka_launcher_spare(struct lauka_launcher *launcher)
{
    launcher->shared->sparing = true;
}

void lauka_launcher_pin(struct lauka_launcher *launcher, const struct lauka_cpu_set *cpus,
                        const struct lauka_cpu_set *others)
{
    launcher->shared->cpus = *cpus;
    launcher->shared->own_cpus = *others; /* it moves itself: it may be root, where we are not */
}

void lauka_launcher_identify(struct lauka_launcher *launcher, const struct lauka_identity *identity)
{
    launcher->shared->identity = *identity;
}

void lauka_launcher_time_counts(struct lauka_launcher *launcher, uint64_t period_ns,
                                uint64_t begin_after_ns)
{
    launcher->shared->counters.period_ns = period_ns;
    launcher->shared->counters.begin_after_ns = begin_after_ns;
}

void lauka_launcher_trace(struct lauka_launcher *launcher, enum lauka_trace_way way)
{
    launcher->shared->counters.trace_way = way;
}

void lauka_launcher_prioritise(struct lauka_launcher *launcher, int nice_value)
{
    launcher->shared->nice_value = nice_value;
}

void lauka_launcher_keep_orphans(struct lauka_launcher *launcher)
{
    launcher->shared->keep_orphans = true;
}

bool lauka_launcher_fix_layout(struct lauka_launcher *launcher, struct lauka_error *error)
{
    if (!launcher_ask(launcher, REQUEST_LAYOUT, error))
        return false;
    int refused = launcher->shared->layout_error;
    return !refused ||
           lauka_fail(error, LAUKA_EXIT_HOST,
                      "--fixed-layout: addresses cannot be fixed here: %s (a container may forbid "
                      "personality(2); docker run --security-opt seccomp=unconfined allows it)",
                      strerror(refused));
}

/* ---- one run ---------------------------------------------------------------------------------------- */

/* Takes what is in the stderr pipe now. It never waits for the end of the pipe, which a process that the
 * command left behind could delay. */
static void drain(struct lauka_launcher *launcher)
{
    static char chunk[65536]; /* as much as a pipe holds, and too much for a small stack */
    ssize_t got;

    for (int i = 0; i < DRAIN_CHUNKS && (got = read(launcher->error, chunk, sizeof chunk)) > 0;
         i++) {
        lauka_tail_add(&launcher->tail, chunk, (size_t)got);
        if ((size_t)got < sizeof chunk)
            break;
    }
}

/* Takes what is in a pipe that a command writes to now, so that the command never waits long. */
static void take(const struct lauka_launcher *launcher, enum lauka_outlet outlet, bool hears)
{
    const int pipes[] = {launcher->output, launcher->written, launcher->reported};
    static char chunk[65536];
    ssize_t got = sizeof chunk;

    for (int i = 0; i < DRAIN_CHUNKS && got == sizeof chunk; i++) {
        got = read(pipes[outlet], chunk, sizeof chunk);
        if (got > 0 && hears && launcher->hear)
            launcher->hear(launcher->hear_context, outlet, chunk, (size_t)got);
    }
}

struct waiting {       /* the state of one wait for the launcher's answer */
    int seen;          /* interruptions that were acted upon */
    bool interrupted;  /* then whatever runs is ended, late or not */
    size_t run;        /* the one that was under way when it was looked at last */
    uint64_t least_ns; /* the shortest timeout among the runs; UINT64_MAX: there is none */
    int signal;        /* that the command is to be ended with; 0: it may go on */
    bool told;         /* the command got it */
    uint64_t due_ns;   /* when to look, or to act, next; UINT64_MAX: never */
};

/* The launcher may wait in open(2) for the other end of a FIFO. It is interrupted repeatedly, because a
 * byte may be consumed before the wait begins. A signal would not reach a launcher that is root. */
static void give_up(const struct lauka_launcher *launcher)
{
    launcher->shared->given_up = launcher->shared->done + 1;
    if (launcher->shared->opening) {
        ssize_t ignored = write(launcher->lifeline, "", 1);
        (void)ignored; /* who is gone is told of by the reply pipe */
    }
}

/* Ends the command's process group, or the command alone if it has left that group. False if the command
 * has not started yet, or is over. */
static bool end_group(const struct lauka_launcher *launcher, const struct waiting *waiting,
                      int signal)
{
    pid_t pid = launcher->shared->pid;

    atomic_thread_fence(memory_order_acquire);
    if (!waiting->interrupted && launcher->shared->done != waiting->run)
        return false; /* the process may be that of the next run */
    if (pid <= 0) {
        give_up(launcher);
        return false;
    }
    bool told = lauka_signal_group(pid, signal) == 0 || lauka_signal_process(pid, signal) == 0;
    lauka_signal_group(pid, SIGCONT); /* who is stopped hears nothing */
    return told;
}

static void act(const struct lauka_launcher *launcher, struct waiting *waiting, bool by_force)
{
    bool told = end_group(launcher, waiting, by_force ? SIGKILL : waiting->signal);

    waiting->told |= told;
    waiting->due_ns = lauka_now_ns() + (told ? GRACE_NS : RETRY_NS);
}

/* The signal that asks the command to end: the one that lauka got, if it means "end" to everybody. A
 * program may answer others differently, or with a core dump. */
static int request_of(int signal)
{
    return signal == SIGINT || signal == SIGHUP ? signal : SIGTERM;
}

/* When a run must be over; UINT64_MAX: never. */
static uint64_t deadline_of(const struct shared *shared, size_t run, uint64_t now_ns)
{
    const struct shared_run *about = launcher_run_of(shared, run);
    uint64_t begun_ns = about->begun_ns, timeout_ns = about->command->timeout_ns;

    return timeout_ns ? (begun_ns ? begun_ns : now_ns) + timeout_ns : UINT64_MAX;
}

/* Checks which run is under way and whether it takes too long. The next check is due no later than the
 * deadline of any run that begins from now on. */
static void follow(struct lauka_launcher *launcher, struct waiting *waiting)
{
    struct shared *shared = launcher->shared;
    const uint64_t now_ns = lauka_now_ns();
    const size_t run = shared->done;

    if (run != waiting->run) {
        waiting->run = run;
        waiting->signal = 0;
        waiting->told = false;
    }
    waiting->due_ns = now_ns + RETRY_NS;
    if (waiting->signal || run >= shared->asked)
        return;
    uint64_t deadline_ns = deadline_of(shared, run, now_ns);
    waiting->due_ns =
        now_ns + waiting->least_ns < deadline_ns ? now_ns + waiting->least_ns : deadline_ns;
    if (now_ns < deadline_ns)
        return;
    shared->enough = true;
    launcher->late[run] = true;
    waiting->signal = SIGTERM;
}

static void heed(struct lauka_launcher *launcher, struct waiting *waiting)
{
    int count = lauka_interrupt_count();

    if (count > waiting->seen) {
        waiting->seen = count;
        waiting->interrupted = true;
        launcher->shared->enough = true;
        waiting->signal = request_of(lauka_interrupt_signal());
        act(launcher, waiting, count > 1);
    } else if (waiting->due_ns != UINT64_MAX && lauka_now_ns() >= waiting->due_ns) {
        if (!waiting->interrupted)
            follow(launcher, waiting);
        if (waiting->signal)
            act(launcher, waiting, waiting->told);
    }
}

/* For poll(2): rounded up, so that nothing is done too early. */
static int until(uint64_t due_ns)
{
    if (due_ns == UINT64_MAX)
        return -1;
    uint64_t now = lauka_now_ns();
    uint64_t left_ms = due_ns > now ? (due_ns - now + 999999) / 1000000 : 0;
    return left_ms < INT_MAX ? (int)left_ms : INT_MAX;
}

/* The same, but no longer than until the next tick. */
static int until_tick(const struct lauka_launcher *launcher, uint64_t due_ns)
{
    int ms = until(due_ns);

    return launcher->tick && (ms < 0 || ms > launcher->tick_ms) ? launcher->tick_ms : ms;
}

/* pipes: which of them the commands write to. */
static bool wait_for_end(struct lauka_launcher *launcher, const bool pipes[LAUKA_OUTLETS],
                         struct waiting *waiting, struct lauka_error *error)
{
    struct pollfd files[] = {{.fd = launcher->reply, .events = POLLIN},
                             {.fd = launcher->error, .events = POLLIN},
                             {.fd = lauka_interrupt_descriptor(), .events = POLLIN},
                             {.fd = lauka_interrupt_children(), .events = POLLIN},
                             {.fd = pipes[0] ? launcher->output : -1, .events = POLLIN},
                             {.fd = pipes[1] ? launcher->written : -1, .events = POLLIN},
                             {.fd = pipes[2] ? launcher->reported : -1, .events = POLLIN},
                             {.fd = launcher->mind ? launcher->minded : -1, .events = POLLIN}};
    enum { MINDED = 4 + LAUKA_OUTLETS, FILES };

    for (;;) {
        int ready = poll(files, FILES, until_tick(launcher, waiting->due_ns));
        if (ready < 0 && errno != EINTR)
            return lauka_fail(error, LAUKA_EXIT_INTERNAL, "poll: %s", strerror(errno));
        if (ready >= 0 && files[1].revents & POLLIN) {
            launcher->shared->heard = true; /* before it is read: the launcher looks at both */
            drain(launcher);
        } else if (ready > 0 && files[1].revents)
            files[1].fd = -1; /* the launcher is gone; its reply pipe says so too */
        for (int outlet = 0; ready > 0 && outlet < LAUKA_OUTLETS; outlet++)
            if (files[4 + outlet].revents & POLLIN)
                take(launcher, (enum lauka_outlet)outlet, true);
            else if (files[4 + outlet].revents)
                files[4 + outlet].fd = -1;
        if (ready > 0 && files[MINDED].revents && !launcher->mind(launcher->mind_context))
            files[MINDED].fd = -1;
        if (ready > 0 && files[3].revents && !lauka_launcher_rouse(launcher, error))
            return false;
        if (ready > 0 && files[0].revents)
            return take_reply(launcher, error);
        if (ready == 0 && launcher->tick)
            launcher->tick(launcher->tick_context, launcher->shared->done);
        heed(launcher, waiting);
        if (waiting->seen)
            files[2].fd = -1; /* stays readable; from here on the time-out looks for a second one */
    }
}

void lauka_launcher_tick(struct lauka_launcher *launcher, int every_ms,
                         void (*tick)(void *context, uint64_t runs_done), void *context)
{
    launcher->tick_ms = every_ms;
    launcher->tick = tick;
    launcher->tick_context = context;
    launcher->ticked_ns = lauka_now_ns();
}

int lauka_launcher_poll(struct lauka_launcher *launcher, struct pollfd *files, size_t count, int ms)
{
    const bool ticks = launcher->tick != NULL;
    int ready =
        poll(files, (nfds_t)count, ticks && ms > launcher->tick_ms ? launcher->tick_ms : ms);
    const uint64_t now_ns = ticks ? lauka_now_ns() : 0;

    if (ticks && now_ns - launcher->ticked_ns >= (uint64_t)launcher->tick_ms * UINT64_C(1000000)) {
        launcher->ticked_ns = now_ns;
        launcher->tick(launcher->tick_context, 0);
    }
    return ready;
}

void lauka_launcher_forget_interruption(struct lauka_launcher *launcher)
{
    launcher->forgotten = lauka_interrupt_count();
}

/* pipes: to which of them one writes. Returns the shortest timeout among them, in ns; UINT64_MAX if there is none. */
static uint64_t share_runs(struct lauka_launcher *launcher, const struct lauka_launch *launches,
                           size_t count, bool pipes[LAUKA_OUTLETS])
{
    struct shared *shared = launcher->shared;
    uint64_t least_ns = UINT64_MAX;

    for (size_t i = 0; i < count; i++) {
        struct shared_command *command = launcher->commands[launches[i].command];
        *launcher_run_of(shared, i) =
            (struct shared_run){.command = command, .name = launches[i].name};
        pipes[LAUKA_OUTLET_NOWHERE] |= command->output == LAUKA_OUTPUT_PIPE;
        pipes[LAUKA_OUTLET_STDOUT] |= command->output == LAUKA_OUTPUT_KEPT;
        pipes[LAUKA_OUTLET_REPORTS] |= command->reports;
        if (command->timeout_ns && command->timeout_ns < least_ns)
            least_ns = command->timeout_ns;
    }
    shared->asked = count;
    shared->done = 0;
    shared->enough = shared->heard = false;
    shared->given_up = 0;
    memset(launcher->stopped, 0, sizeof launcher->stopped);
    memset(launcher->late, 0, sizeof launcher->late);
    launcher->tail.size = 0;
    return least_ns;
}

/* What is still in the pipes once nothing runs. */
static void take_all(const struct lauka_launcher *launcher, const bool pipes[LAUKA_OUTLETS],
                     bool hears)
{
    for (int outlet = LAUKA_OUTLET_STDOUT; outlet < LAUKA_OUTLETS; outlet++)
        if (pipes[outlet])
            take(launcher, (enum lauka_outlet)outlet, hears);
}

bool lauka_launcher_run_all(struct lauka_launcher *launcher, const struct lauka_launch *launches,
                            size_t count, size_t *done, struct lauka_error *error)
{
    struct waiting waiting = {.due_ns = UINT64_MAX, .seen = launcher->forgotten};
    bool pipes[LAUKA_OUTLETS] = {false};

    waiting.least_ns = share_runs(launcher, launches, count, pipes);
    if (waiting.least_ns != UINT64_MAX)
        follow(launcher, &waiting);
    take_all(launcher, pipes, false); /* of processes that earlier runs left behind */
    bool good = ask(launcher, REQUEST_RUN, error) && wait_for_end(launcher, pipes, &waiting, error);
    take_all(launcher, pipes, true);
    *done = launcher->shared->done;
    for (size_t i = 0; i < *done; i++) {
        launcher_record_get(launcher->shared, i, launches[i].sample);
        launches[i].sample->timed_out = launcher->late[i];
        launches[i].sample->stopped = launcher->stopped[i];
        if (launcher->late[i] || launcher->stopped[i])
            *done = i + 1; /* the next ones may have begun; only the last that is told may fail */
    }
    return good || lose(launcher);
}

bool lauka_launcher_run(struct lauka_launcher *launcher, size_t command,
                        struct lauka_sample *sample, struct lauka_error *error)
{
    const struct lauka_launch launch = {command, launcher->name, sample};
    size_t done;

    return lauka_launcher_run_all(launcher, &launch, 1, &done, error);
}

const char *lauka_launcher_stderr(struct lauka_launcher *launcher, size_t *size)
{
    *size = launcher->tail.size;
    return launcher->tail.bytes;
}

uint64_t lauka_launcher_rss_floor(struct lauka_launcher *launcher)
{
    struct lauka_error ignored;

    if (!launcher_ask(launcher, REQUEST_FLOOR, &ignored))
        return 0;
    return launcher->shared->rss_floor;
}
