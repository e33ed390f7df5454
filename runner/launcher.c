/* A tiny process that starts, times and reaps the commands. It exists because a child's peak RSS
 * begins at its parent's (exec keeps the old memory's high-water mark), so the parent must stay
 * small, however much lauka itself has grown. Requests and samples lie in memory that both processes
 * share at one address, so arguments and environments need no copying; two pipes say whose turn it
 * is. While a command runs, the launcher only waits, and lauka only drains the command's stderr. */
#include "runner/runner.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Reserved, not committed: only what is used takes memory. */
#define SHARED_SIZE ((size_t)256 << 20)
#define STDERR_TAIL 4096
/* No pipe holds more than so many chunks; who writes on without end is read on later. */
#define DRAIN_CHUNKS 16
/* A command that was told to stop gets this long before it is killed. */
#define GRACE_MS 1000
/* A command that cannot be told yet, because it is only just being started, is told after this. */
#define RETRY_MS 5

enum request { REQUEST_RUN = 'r', REQUEST_COUNT = 'c', REQUEST_FLOOR = 'f' };

struct shared_command { /* all pointers lead into the shared region */
    char *path;
    char **argv;
    enum lauka_output_way output;
    char *output_file, *input_file; /* NULL: none */
    bool uncountable; /* the kernel takes the events away when it is executed */
};

struct shared {         /* the beginning of the region; the rest is the arena of commands */
    volatile pid_t pid; /* of the command under way */
    volatile uint64_t started_ns;
    uint64_t rss_floor;
    const struct shared_command *command; /* to be run */
    struct lauka_cpu_set cpus;            /* where; empty: where the launcher is */
    char **environment;
    const struct lauka_event *events; /* to be tried */
    size_t event_count;
    struct lauka_counters counters;
    struct lauka_sample sample;
};

struct lauka_launcher { /* lies in the region too: nothing is allocated before the fork */
    struct shared *shared;
    char *arena, *arena_end;          /* free part of the region */
    struct shared_command **commands; /* owned */
    size_t command_count;
    pid_t pid;
    int request, reply, error; /* pipe ends: requests go out, replies and stderr come in */
    int output;                /* and stdout, of commands whose output is a pipe */
    char tail[STDERR_TAIL];    /* ring of the last run's stderr */
    uint64_t tail_written;
    char tail_straight[STDERR_TAIL]; /* the ring in order, made on demand */
};

struct serving { /* what the launcher process itself works with */
    struct shared *shared;
    int request, reply, error, output, null;
};

/* ---- in the launcher process ---------------------------------------------------------------------- */

static void fill_sample(struct shared *shared, const struct lauka_process_end *end)
{
    struct lauka_sample *sample = &shared->sample;

    if (end->error) {
        sample->outcome = LAUKA_NOT_STARTED;
        sample->code = end->error;
        return;
    }
    sample->outcome = WIFSIGNALED(end->status) ? LAUKA_SIGNALED : LAUKA_EXITED;
    sample->code = WIFSIGNALED(end->status) ? WTERMSIG(end->status) : WEXITSTATUS(end->status);
    lauka_usage_read(&end->rusage, end->ended_ns - shared->started_ns, &sample->usage);
}

static void collect_counts(struct shared *shared)
{
    struct lauka_sample *sample = &shared->sample;
    uint64_t cpu_ns = shared->command->uncountable ? UINT64_MAX
                                                   : sample->usage.values[LAUKA_CPU_TIME];

    lauka_counters_collect(&shared->counters, sample->readings);
    sample->uncounted = sample->outcome != LAUKA_NOT_STARTED &&
                        !lauka_counters_verify(&shared->counters, cpu_ns, sample->readings);
    sample->residency = shared->counters.residency;
    lauka_residency_verify(&sample->residency, shared->counters.topology.type_count, cpu_ns);
}

/* 0, or why the command's own files cannot be opened; the outcome says which. */
static int open_files(const struct serving *serving, struct lauka_process *process)
{
    const struct shared_command *command = serving->shared->command;
    struct lauka_sample *sample = &serving->shared->sample;

    sample->outcome = LAUKA_NO_INPUT;
    if (command->input_file)
        process->input = open(command->input_file, O_RDONLY | O_CLOEXEC);
    if (process->input < 0)
        return errno;
    sample->outcome = LAUKA_NO_OUTPUT;
    if (command->output == LAUKA_OUTPUT_PIPE) {
        process->output = serving->output;
    } else if (command->output == LAUKA_OUTPUT_INHERIT) {
        process->output = 1;
        process->error = 2;
    } else if (command->output == LAUKA_OUTPUT_FILE) {
        process->output =
            open(command->output_file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    }
    return process->output < 0 ? errno : 0;
}

static void close_files(const struct serving *serving, const struct lauka_process *process)
{
    if (process->input >= 0 && process->input != serving->null)
        close(process->input);
    if (process->output >= 0 && serving->shared->command->output == LAUKA_OUTPUT_FILE)
        close(process->output);
}

static void serve_run(const struct serving *serving)
{
    struct shared *shared = serving->shared;
    struct lauka_process_end end = {0};
    struct lauka_process process = {
        .path = shared->command->path,
        .argv = shared->command->argv,
        .envp = shared->environment,
        .input = serving->null,
        .output = serving->null,
        .error = serving->error,
        .counters = &shared->counters,
        .cpus = lauka_cpu_set_count(&shared->cpus) > 0 ? &shared->cpus : NULL,
        .pid = &shared->pid,
        .started_ns = &shared->started_ns,
    };

    shared->sample.code = open_files(serving, &process);
    if (shared->sample.code == 0) {
        lauka_process_run(&process, &end);
        shared->pid = 0;
        fill_sample(shared, &end);
        collect_counts(shared);
    }
    close_files(serving, &process);
}

/* The last step of setting up. */
static void serve_count(struct shared *shared)
{
    lauka_counters_open(&shared->counters, shared->events, shared->event_count);
    lauka_process_slim();
}

static void serve_floor(struct shared *shared)
{
    struct rusage own;
    struct lauka_usage usage;

    getrusage(RUSAGE_SELF, &own);
    lauka_usage_read(&own, 0, &usage);
    shared->rss_floor = usage.values[LAUKA_PEAK_RSS];
}

/* Ends when lauka closes its end of the request pipe, or dies. */
static void serve(const struct serving *serving)
{
    char request;

    while (read(serving->request, &request, 1) == 1) {
        if (request == REQUEST_RUN)
            serve_run(serving);
        else if (request == REQUEST_COUNT)
            serve_count(serving->shared);
        else
            serve_floor(serving->shared);
        if (write(serving->reply, "", 1) != 1)
            break;
    }
}

/* ---- in lauka's own process ------------------------------------------------------------------------ */

/* A descriptor among 0, 1 and 2 that the caller left closed would be taken by a pipe, and then be
 * overwritten in the child. */
static void occupy_standard_descriptors(void)
{
    int descriptor;

    do
        descriptor = open("/dev/null", O_RDWR);
    while (descriptor >= 0 && descriptor <= 2);
    if (descriptor > 2)
        close(descriptor);
}

static bool make_pipe(int ends[2])
{
    if (pipe(ends) != 0)
        return false;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    return true;
}

static void fork_launcher(struct lauka_launcher *launcher, const int requests[2],
                          const int replies[2], const int errors[2], const int outputs[2])
{
    launcher->pid = fork();
    if (launcher->pid == 0) {
        struct serving serving = {launcher->shared, requests[0], replies[1], errors[1], outputs[1],
                                  open("/dev/null", O_RDWR | O_CLOEXEC)};
        close(requests[1]);
        close(replies[0]);
        close(errors[0]);
        close(outputs[0]);
        lauka_process_prepare();
        serve(&serving);
        _exit(0);
    }
    close(requests[0]);
    close(replies[1]);
    close(errors[1]);
    close(outputs[1]);
    launcher->request = requests[1];
    launcher->reply = replies[0];
    launcher->error = errors[0];
    launcher->output = outputs[0];
    fcntl(launcher->error, F_SETFL, O_NONBLOCK);
    fcntl(launcher->output, F_SETFL, O_NONBLOCK);
}

bool lauka_launcher_open(struct lauka_launcher **launcher, struct lauka_error *error)
{
    int requests[2], replies[2], errors[2], outputs[2];

    occupy_standard_descriptors();
    void *region = mmap(NULL, SHARED_SIZE, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (region == MAP_FAILED || !make_pipe(requests) || !make_pipe(replies) || !make_pipe(errors) ||
        !make_pipe(outputs))
        return lauka_fail(error, LAUKA_EXIT_INTERNAL, "cannot set up the launcher: %s",
                          strerror(errno));
    struct lauka_launcher *own = (void *)((struct shared *)region + 1);
    own->shared = region;
    own->arena = (char *)(own + 1);
    own->arena_end = (char *)region + SHARED_SIZE;
    fork_launcher(own, requests, replies, errors, outputs);
    if (own->pid < 0)
        return lauka_fail(error, LAUKA_EXIT_INTERNAL, "cannot fork the launcher: %s",
                          strerror(errno));
    *launcher = own;
    return true;
}

/* Room in the shared region, aligned for pointers; NULL where it is full. */
static void *take(struct lauka_launcher *launcher, size_t size)
{
    size_t rounded = (size + 15) & ~(size_t)15;
    char *from = (char *)(((uintptr_t)launcher->arena + 15) & ~(uintptr_t)15);

    if (rounded > (size_t)(launcher->arena_end - from))
        return NULL;
    launcher->arena = from + rounded;
    return from;
}

static char *share_text(struct lauka_launcher *launcher, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = take(launcher, size);

    return copy ? memcpy(copy, text, size) : NULL;
}

static bool share_file(struct lauka_launcher *launcher, const char *path, char **copy)
{
    *copy = path ? share_text(launcher, path) : NULL;
    return !path || *copy;
}

static char **share_vector(struct lauka_launcher *launcher, char *const *vector)
{
    size_t count = 0;

    while (vector[count])
        count++;
    char **copy = take(launcher, (count + 1) * sizeof *copy);
    for (size_t i = 0; copy && i < count; i++) {
        copy[i] = share_text(launcher, vector[i]);
        if (!copy[i])
            return NULL;
    }
    if (copy)
        copy[count] = NULL;
    return copy;
}

/* Who executes a program of another user's rights, or one that may not be read, may not watch it:
 * the kernel removes the events on the way, without an error. */
static bool is_uncountable(const char *path)
{
    struct stat about;

    if (geteuid() == 0 || stat(path, &about) != 0)
        return false;
    return access(path, R_OK) != 0 || (about.st_mode & S_ISUID && about.st_uid != geteuid()) ||
           (about.st_mode & S_ISGID && about.st_gid != getegid());
}

bool lauka_launcher_add(struct lauka_launcher *launcher, const struct lauka_command *command,
                        struct lauka_error *error)
{
    size_t size = (launcher->command_count + 1) * sizeof *launcher->commands;
    struct shared_command **grown = realloc(launcher->commands, size);
    struct shared_command *shared = take(launcher, sizeof *shared);
    bool room = false;

    if (grown)
        launcher->commands = grown;
    if (!launcher->shared->environment)
        launcher->shared->environment = share_vector(launcher, environ);
    if (shared) {
        shared->path = share_text(launcher, command->path);
        shared->argv = share_vector(launcher, command->argv);
        shared->uncountable = is_uncountable(command->path);
        shared->output = command->output;
        room = share_file(launcher, command->output_file, &shared->output_file) &&
               share_file(launcher, command->input_file, &shared->input_file);
    }
    if (!room || !grown || !shared->path || !shared->argv || !launcher->shared->environment)
        return lauka_fail(error, LAUKA_EXIT_INTERNAL,
                          "no room for the commands: their arguments and the environment take more "
                          "than %zu MiB",
                          SHARED_SIZE >> 20);
    launcher->commands[launcher->command_count++] = shared;
    return true;
}

static bool gone(struct lauka_error *error)
{
    return lauka_fail(error, LAUKA_EXIT_INTERNAL,
                      "the launcher process has ended unexpectedly (was it killed?)");
}

static bool ask(struct lauka_launcher *launcher, enum request request, struct lauka_error *error)
{
    char byte = (char)request;
    ssize_t written;

    do
        written = write(launcher->request, &byte, 1);
    while (written < 0 && errno == EINTR);
    return written == 1 || gone(error);
}

static bool await_reply(struct lauka_launcher *launcher, struct lauka_error *error)
{
    char byte;
    ssize_t got;

    do
        got = read(launcher->reply, &byte, 1);
    while (got < 0 && errno == EINTR);
    return got == 1 || gone(error);
}

/* Names may lie in lauka's own memory, where the launcher cannot read them. */
static struct lauka_event *share_events(struct lauka_launcher *launcher,
                                        const struct lauka_event *events, size_t count)
{
    struct lauka_event *copies = take(launcher, count * sizeof *copies);

    for (size_t i = 0; copies && i < count; i++) {
        copies[i] = events[i];
        copies[i].name = share_text(launcher, events[i].name);
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
    return ask(launcher, REQUEST_COUNT, error) && await_reply(launcher, error);
}

void lauka_launcher_turn(struct lauka_launcher *launcher, unsigned turn)
{
    launcher->shared->counters.turn = (uint8_t)turn;
}

void lauka_launcher_pin(struct lauka_launcher *launcher, const struct lauka_cpu_set *cpus,
                        const struct lauka_cpu_set *others)
{
    launcher->shared->cpus = *cpus;
    if (lauka_cpu_set_count(others) > 0)
        lauka_affinity_set(launcher->pid, others);
}

/* Takes what is in the stderr pipe now; never waits for its end, which a process left behind by the
 * command could put off. */
static void drain(struct lauka_launcher *launcher)
{
    char chunk[65536];
    ssize_t got;

    for (int i = 0; i < DRAIN_CHUNKS && (got = read(launcher->error, chunk, sizeof chunk)) > 0; i++) {
        size_t from = got > STDERR_TAIL ? (size_t)got - STDERR_TAIL : 0;
        launcher->tail_written += from;
        for (size_t c = from; c < (size_t)got; c++)
            launcher->tail[launcher->tail_written++ % STDERR_TAIL] = chunk[c];
        if ((size_t)got < sizeof chunk)
            break;
    }
}

/* Ends the command's process group: with the signal that lauka got, then by force. False where the
 * command has not come to life yet. */
static bool end_group(const struct lauka_launcher *launcher, bool by_force)
{
    pid_t pid = launcher->shared->pid;

    return pid > 0 && kill(-pid, by_force ? SIGKILL : lauka_interrupt_signal()) == 0;
}

/* Takes what is in the pipe of a command's stdout now, so that it never waits for us long. */
static void discard(struct lauka_launcher *launcher)
{
    char chunk[65536];

    for (int i = 0; i < DRAIN_CHUNKS; i++)
        if (read(launcher->output, chunk, sizeof chunk) < (ssize_t)sizeof chunk)
            break;
}

struct waiting { /* the state of one wait for the launcher's answer */
    int seen;    /* interruptions that were acted upon */
    int timeout_ms;
};

static void heed_interruption(const struct lauka_launcher *launcher, struct waiting *waiting,
                              bool timed_out)
{
    int count = lauka_interrupt_count();

    if (count > waiting->seen || timed_out) {
        bool by_force = count > 1 || (timed_out && waiting->timeout_ms == GRACE_MS);
        waiting->timeout_ms = end_group(launcher, by_force) ? GRACE_MS : RETRY_MS;
        waiting->seen = count;
    }
}

static bool wait_for_end(struct lauka_launcher *launcher, struct lauka_error *error)
{
    struct waiting waiting = {.timeout_ms = -1};
    struct pollfd files[] = {{.fd = launcher->reply, .events = POLLIN},
                             {.fd = launcher->error, .events = POLLIN},
                             {.fd = lauka_interrupt_descriptor(), .events = POLLIN},
                             {.fd = launcher->output, .events = POLLIN}};

    for (;;) {
        int ready = poll(files, 4, waiting.timeout_ms);
        if (ready < 0 && errno != EINTR)
            return lauka_fail(error, LAUKA_EXIT_INTERNAL, "poll: %s", strerror(errno));
        if (ready >= 0 && files[1].revents & POLLIN)
            drain(launcher);
        else if (ready > 0 && files[1].revents)
            files[1].fd = -1; /* the launcher is gone; its reply pipe says so too */
        if (ready >= 0 && files[3].revents & POLLIN)
            discard(launcher);
        else if (ready > 0 && files[3].revents)
            files[3].fd = -1;
        if (ready > 0 && files[0].revents)
            return await_reply(launcher, error);
        heed_interruption(launcher, &waiting, ready == 0);
        if (waiting.seen)
            files[2].fd = -1; /* stays readable; from here on the time-out looks for a second one */
    }
}

bool lauka_launcher_run(struct lauka_launcher *launcher, size_t command,
                        struct lauka_sample *sample, struct lauka_error *error)
{
    launcher->tail_written = 0;
    launcher->shared->command = launcher->commands[command];
    if (!ask(launcher, REQUEST_RUN, error) || !wait_for_end(launcher, error))
        return false;
    *sample = launcher->shared->sample;
    return true;
}

const char *lauka_launcher_stderr(struct lauka_launcher *launcher, size_t *size)
{
    uint64_t end = launcher->tail_written;

    *size = end < STDERR_TAIL ? (size_t)end : STDERR_TAIL;
    for (size_t i = 0; i < *size; i++)
        launcher->tail_straight[i] = launcher->tail[(end - *size + i) % STDERR_TAIL];
    return launcher->tail_straight;
}

uint64_t lauka_launcher_rss_floor(struct lauka_launcher *launcher)
{
    struct lauka_error ignored;

    if (!ask(launcher, REQUEST_FLOOR, &ignored) || !await_reply(launcher, &ignored))
        return 0;
    return launcher->shared->rss_floor;
}

void lauka_launcher_close(struct lauka_launcher *launcher)
{
    if (!launcher)
        return;
    close(launcher->request);
    close(launcher->reply);
    close(launcher->error);
    close(launcher->output);
    while (waitpid(launcher->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    free(launcher->commands);
    munmap(launcher->shared, SHARED_SIZE);
}
