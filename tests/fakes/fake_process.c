/* fake_process: starting, watching and reaping a command of the simulated Mac, by the calls that
 * macos/process.c makes. As unkind as the real ones: every call that waits may be interrupted, a
 * command may end before anybody watches it, and what was never continued never ends. */
#define LAUKA_TESTS_FAKES_ITSELF
#include "pmu/macos/darwin.h"

#include "tests/fakes/process.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <mach/mach_time.h>
#include <string.h>
#include <sys/event.h>

#include "tests/fakes/machine.h"

struct fake_spawned fake_spawned;

static pid_t real_child; /* of fake_fork */
static bool watched;     /* the queue tells of its end */
static unsigned looks;   /* at a process that does not stand still yet */
static unsigned waits;   /* that were not interrupted, in a row */

/* Every other waiting call is interrupted, if that was requested. */
static bool is_interrupted(void)
{
    if (!fake_options.interrupts || ++waits % 2 == 0)
        return false;
    if (fake_options.sigint)
        raise(SIGINT);
    errno = EINTR;
    return true;
}

/* ---- posix_spawn ---- */

int fake_files_init(struct fake_files *files)
{
    *files = (struct fake_files){{-1, -1, -1}, NULL};
    return 0;
}

int fake_files_destroy(struct fake_files *files)
{
    (void)files;
    return 0;
}

int fake_files_copy(struct fake_files *files, int from, int to)
{
    if (to < 0 || to > 2 || from < 0)
        return EBADF;
    files->targets[to] = from;
    return 0;
}

int fake_files_directory(struct fake_files *files, const char *directory)
{
    files->directory = directory;
    return 0;
}

int fake_attributes_init(struct fake_attributes *attributes)
{
    *attributes = (struct fake_attributes){.flags = 0};
    return 0;
}

int fake_attributes_destroy(struct fake_attributes *attributes)
{
    (void)attributes;
    return 0;
}

int fake_attributes_group(struct fake_attributes *attributes, pid_t group)
{
    attributes->group = group;
    return 0;
}

int fake_attributes_mask(struct fake_attributes *attributes, const sigset_t *mask)
{
    attributes->mask = *mask;
    return 0;
}

int fake_attributes_flags(struct fake_attributes *attributes, short flags)
{
    attributes->flags = flags;
    return 0;
}

/* The new program, suspended before its first instruction. Where the caller itself was to become it
 * this is a process that fake_fork has made: it has nothing more to do, and says by its end whether
 * it had given root up. */
int fake_posix_spawn(pid_t *pid, const char *path, const struct fake_files *files,
                     const struct fake_attributes *attributes, char *const *argv, char *const *envp)
{
    fake_spawned = (struct fake_spawned){*files, *attributes, path, argv, envp, 0};
    if (fake_options.spawn_error)
        return fake_options.spawn_error;
    if (files->directory && access(files->directory, X_OK) != 0)
        return errno;
    if (attributes->flags & POSIX_SPAWN_SETEXEC)
        _exit(setuid(0) == 0 || seteuid(0) == 0 || getuid() != fake_options.becomes ||
              !(attributes->flags & POSIX_SPAWN_START_SUSPENDED));
    *pid = fake_spawn(fake_options.workload, fake_options.workload_seed);
    if (!(attributes->flags & POSIX_SPAWN_START_SUSPENDED))
        fake_continue();
    return 0;
}

/* A real process, which becomes the command in the end: from then on the simulated Mac's. */
pid_t fake_fork(void)
{
    looks = 0;
    real_child = fork();
    if (real_child <= 0)
        return real_child;
    return fake_spawn(fake_options.workload, fake_options.workload_seed);
}

int fake_kill(pid_t pid, int number)
{
    if (pid < 0 || pid != FAKE_PID || !(mac.alive || mac.zombie)) {
        errno = ESRCH;
        return -1;
    }
    if (number == SIGCONT && mac.alive && !mac.in_run)
        fake_continue();
    if (fake_options.ends_at_once)
        fake_pass(UINT64_MAX);
    return 0;
}

int fake_setpriority(int which, id_t who, int value)
{
    if (which != PRIO_PROCESS || who != FAKE_PID || !mac.alive) {
        errno = ESRCH;
        return -1;
    }
    fake_spawned.nice_value = value;
    return 0;
}

int fake_getpriority(int which, id_t who)
{
    errno = EINVAL;
    return which == PRIO_DARWIN_PROCESS && who == 0 ? fake_options.background : -1;
}

/* ---- waiting ---- */

uint64_t fake_clock(int clock)
{
    return clock == CLOCK_UPTIME_RAW ? lauka_darwin_ns(mac.ticks) : 0;
}

int fake_nanosleep(const struct timespec *time, struct timespec *left)
{
    (void)left;
    mac.ticks += (uint64_t)time->tv_nsec * 3 / 125;
    return 0;
}

/* WSTOPPED: only the fourth look finds it suspended. */
static int await_stop(siginfo_t *about, int options)
{
    int status = 0;
    if (++looks < 4 && options & WNOHANG)
        return 0;
    if (real_child > 0)
        waitpid(real_child, &status, 0);
    real_child = 0;
    fake_call(status == 0 ? "stopped" : "not as it should be", FAKE_PID);
    about->si_pid = FAKE_PID;
    return 0;
}

int fake_waitid(idtype_t kind, id_t id, siginfo_t *about, int options)
{
    if (is_interrupted())
        return -1;
    *about = (siginfo_t){0};
    if (kind != P_PID || id != FAKE_PID || !(mac.alive || mac.zombie)) {
        errno = ECHILD;
        return -1;
    }
    if (options & WSTOPPED)
        return await_stop(about, options);
    if (!mac.zombie && !mac.in_run) {
        fake_call("waits forever", FAKE_PID);
        errno = EDEADLK;
        return -1;
    }
    if (!mac.zombie)
        fake_pass(UINT64_MAX);
    about->si_pid = FAKE_PID;
    if (!(options & WNOWAIT))
        fake_reap();
    return 0;
}

/* The real child is one that was forked and has not become the command. */
static pid_t reap_real(pid_t pid, int *status, int options)
{
    if (is_interrupted())
        return -1;
    if (pid != FAKE_PID) {
        errno = ECHILD;
        return -1;
    }
    waitpid(real_child, status, options);
    real_child = 0;
    mac.alive = false;
    fake_reap();
    return pid;
}

pid_t fake_wait4(pid_t pid, int *status, int options, struct rusage *rusage)
{
    siginfo_t about;
    struct lauka_rusage_info info = {.user_time = 0};
    if (real_child > 0)
        return reap_real(pid, status, options);
    if (fake_waitid(P_PID, (id_t)pid, &about, WEXITED | WNOWAIT | options) != 0)
        return -1;
    lauka_darwin()->proc_pid_rusage(pid, 4, &info);
    if (rusage) {
        memset(rusage, 0, sizeof *rusage);
        rusage->ru_utime.tv_usec = (suseconds_t)(lauka_darwin_ns(info.user_time) / 1000);
    }
    if (status)
        *status = fake_options.status;
    fake_reap();
    return pid;
}

/* ---- the clock's ticks, and groups ---- */

int mach_timebase_info(mach_timebase_info_data_t *tick)
{
    lauka_darwin()->timebase(&tick->numer, &tick->denom);
    return 0;
}

bool fake_knows_no_groups;

int initgroups(const char *name, gid_t gid)
{
    (void)name;
    errno = EPERM;
    if (fake_knows_no_groups)
        return -1; /* a directory service would be asked */
    return setgroups(1, &gid);
}

/* ---- kqueue ---- */

int kqueue(void)
{
    watched = false;
    if (fake_options.no_queue) {
        errno = EMFILE;
        return -1;
    }
    return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static int watch(const struct kevent *change)
{
    errno =
        change->filter != EVFILT_PROC || !(change->flags & EV_ADD) || change->fflags != NOTE_EXIT
            ? EINVAL
        : change->ident != FAKE_PID || !mac.alive ? ESRCH /* a zombie cannot be watched */
                                                  : 0;
    watched = errno == 0;
    return watched ? 0 : -1;
}

int kevent(int queue, const struct kevent *changes, int change_count, struct kevent *events,
           int event_count, const struct timespec *timeout)
{
    (void)queue;
    if (is_interrupted()) {
        if (mac.in_run && mac.alive)
            fake_pass(24000); /* a millisecond has passed */
        return -1;
    }
    if (change_count > 0 && watch(changes) != 0)
        return -1;
    if (event_count == 0)
        return 0;
    fake_call("kevent", timeout ? timeout->tv_nsec : -1);
    if (timeout && (timeout->tv_nsec < 0 || timeout->tv_nsec > 999999999)) {
        errno = EINVAL;
        return -1;
    }
    if (!watched || mac.zombie || !mac.in_run)
        return watched && mac.zombie;
    uint64_t ticks = timeout ? (uint64_t)timeout->tv_nsec * 3 / 125 : UINT64_MAX;
    if (!fake_pass(ticks))
        return 0;
    events[0] = (struct kevent){FAKE_PID, EVFILT_PROC, EV_ONESHOT, NOTE_EXIT, 0, NULL};
    return 1;
}
