/* Starting, timing and reaping one command on macOS: posix_spawn of a suspended process; its start
 * is stamped just before it is allowed to continue. */
#include "runner/launch/process.h"
#include "runner/launch/launch.h"
#include "pmu/counters/counters.h"
#include "pmu/macos/darwin.h"
#include "runner/base/base.h"
#include "runner/command/command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/event.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static sigset_t mask_at_start; /* the launcher blocks everything; commands do not inherit that */
static short layout_flag;      /* of posix_spawn; see fix_layout */

void lauka_process_prepare(bool is_program, int passed)
{
    sigset_t all;

    (void)is_program;
    (void)passed;
    signal(SIGCHLD, SIG_DFL); /* who ignores it is not told how its children ended */
    setsid(); /* a command that opens the terminal gets an error, where it would be stopped forever */
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &mask_at_start);
}

/* No child lives in the launcher's memory. */
bool lauka_process_takes_signal(int number)
{
    (void)number;
    return false;
}

/* Of xnu's bsd/sys/spawn_internal.h; debuggers use it. */
#define SPAWN_DISABLE_ASLR 0x0100

bool lauka_process_has_random_layout(void)
{
    return true;
}

int lauka_process_fix_layout(void)
{
    layout_flag = SPAWN_DISABLE_ASLR;
    return 0;
}

/* posix_spawn makes a new memory map: the child's peak begins at nothing. */
void lauka_process_slim(const void *shared, size_t size)
{
    (void)shared;
    (void)size;
}

void lauka_process_release_program(void)
{
}

void lauka_process_release(const void *from, const void *to)
{
    (void)from;
    (void)to;
}

uint64_t lauka_process_rss_floor(void)
{
    struct rusage own;
    struct lauka_usage usage;

    getrusage(RUSAGE_SELF, &own);
    lauka_usage_read(&own, 0, &usage);
    return usage.values[LAUKA_PEAK_RSS];
}

/* The new program is all that a spawned process ever runs. */
bool lauka_process_can_delay(void)
{
    return false;
}

/* The function without _np came with macOS 26, which deprecates this one; lauka starts on 13, too. */
static void choose_directory(posix_spawn_file_actions_t *files, const char *directory)
{
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
    posix_spawn_file_actions_addchdir_np(files, directory);
#pragma clang diagnostic pop
}

/* What the command gets, and how it begins. replace: the calling process becomes it. */
static int spawn(const struct lauka_process *process, bool replace, pid_t *pid)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    int error = posix_spawn_file_actions_init(&files);
    int flags = POSIX_SPAWN_START_SUSPENDED | POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                layout_flag | (replace ? POSIX_SPAWN_SETEXEC : 0);

    if (error)
        return error;
    if ((error = posix_spawnattr_init(&attributes)) == 0) {
        posix_spawnattr_setpgroup(&attributes, 0);
        posix_spawnattr_setsigmask(&attributes, &mask_at_start);
        posix_spawnattr_setflags(&attributes, (short)flags);
        if (process->directory)
            choose_directory(&files, process->directory);
        posix_spawn_file_actions_adddup2(&files, process->input, 0);
        posix_spawn_file_actions_adddup2(&files, process->output, 1);
        posix_spawn_file_actions_adddup2(&files, process->error, 2);
        if (process->talks) {
            posix_spawn_file_actions_adddup2(&files, process->reads, 3);
            posix_spawn_file_actions_adddup2(&files, process->writes, 4);
        }
        error = posix_spawn(pid, process->path, &files, &attributes, process->argv, process->envp);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&files);
    return error;
}

/* ---- as another user ---------------------------------------------------------------------------- */

/* posix_spawn has no public way to become another user. So a fork gives up root, makes sure of it, and
 * becomes the command, which then waits before its first instruction. Its thread and its memory are new,
 * and what the fork did is subtracted. */
static void become_command(const struct lauka_process *process, int report)
{
    pid_t ignored;
    int error = lauka_identity_assume(process->identity, &lauka_identity_system);

    if (error == 0)
        error = spawn(process, true, &ignored);
    ssize_t written = write(report, &error, sizeof error);
    (void)written;
    _exit(127);
}

/* Nothing announces that the process is suspended, so it is polled; for a second at most, because a system
 * that does not tell must not be waited for forever. */
static void await_stop(pid_t pid)
{
    const struct timespec moment = {.tv_nsec = 50000};

    for (int looks = 0; looks < 20000 && !lauka_look_at_process(pid, WSTOPPED | WEXITED | WNOHANG);
         looks++)
        nanosleep(&moment, NULL);
}

static int spawn_as_user(const struct lauka_process *process, pid_t *pid)
{
    int ends[2], error = 0;

    if (pipe(ends) != 0)
        return errno;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    *pid = fork();
    if (*pid == 0)
        become_command(process, ends[1]);
    if (*pid < 0)
        error = errno;
    close(ends[1]);
    bool failed = *pid > 0 && read(ends[0], &error, sizeof error) == (ssize_t)sizeof error;
    close(ends[0]);
    if (failed)
        lauka_await_process(*pid, NULL, 0, NULL);
    else if (*pid > 0)
        await_stop(*pid);
    return error;
}

static int start(const struct lauka_process *process, pid_t *pid)
{
    return process->identity->other ? spawn_as_user(process, pid) : spawn(process, false, pid);
}

/* ---- one run ------------------------------------------------------------------------------------ */

/* While records have to be read, the wait has a time-out; otherwise nothing is done until the end. */
static void watch(struct lauka_counters *counters, pid_t pid)
{
    unsigned pause_ms = lauka_counters_watch(counters);
    struct kevent ended;
    int queue;

    if (pause_ms == 0 || (queue = kqueue()) < 0)
        return;
    EV_SET(&ended, (uintptr_t)pid, EVFILT_PROC, EV_ADD | EV_ONESHOT, NOTE_EXIT, 0, NULL);
    int count;
    while ((count = kevent(queue, &ended, 1, NULL, 0, NULL)) < 0 && errno == EINTR)
        ;
    while (count == 0 && pause_ms > 0) { /* ESRCH: it has ended already */
        const struct timespec pause = {.tv_nsec = (long)pause_ms * 1000000};
        count = kevent(queue, NULL, 0, &ended, 1, &pause);
        if (count < 0 && errno == EINTR)
            count = 0;
        if (count == 0)
            pause_ms = lauka_counters_watch(counters);
    }
    close(queue);
}

/* The zombie is asked for its account before it is reaped. */
void lauka_process_run(const struct lauka_process *process, struct lauka_process_end *end)
{
    pid_t pid = 0;
    const bool counted = process->counters && process->counters->count > 0;

    if (counted)
        lauka_counters_turn(process->counters);
    end->error = start(process, &pid);
    end->no_directory = end->error && process->directory && access(process->directory, X_OK) != 0;
    if (end->error)
        return;
    *process->pid = pid;
    if (process->nice_value)
        setpriority(PRIO_PROCESS, (id_t)pid, process->nice_value);
    if (counted)
        lauka_counters_start(process->counters, pid);
    *process->started_ns = lauka_now_ns();
    lauka_signal_process(pid, SIGCONT);
    if (counted)
        watch(process->counters, pid);
    lauka_look_at_process(pid, WEXITED);
    end->ended_ns = lauka_now_ns();
    if (counted)
        lauka_counters_stop(process->counters, pid);
    lauka_await_process(pid, &end->status, 0, &end->rusage);
    end->run_delay_ns = LAUKA_UNKNOWN;
}

/* Until it continues it has used nothing of its own. */
int lauka_process_begin(const struct lauka_process *process, struct rusage *before)
{
    pid_t pid = 0;
    int error = start(process, &pid);

    memset(before, 0, sizeof *before);
    if (error)
        return error;
    *process->pid = pid;
    if (!process->may_begin || process->may_begin(process->context)) {
        if (process->started_ns)
            *process->started_ns = lauka_now_ns();
        lauka_signal_process(pid, SIGCONT);
        return 0;
    }
    lauka_signal_process(pid, SIGKILL);
    lauka_await_process(pid, NULL, 0, NULL);
    return ECANCELED;
}

void lauka_process_take_off(struct rusage *usage, const struct rusage *before)
{
    (void)usage;
    (void)before;
}
