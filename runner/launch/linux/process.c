/* Starting, timing and reaping one command on Linux: clone(2) in the launcher's memory, so that the cost does not
 * grow with anybody's memory, and so that the child can leave its errors, its counters' descriptors and its
 * last stamp where the launcher sees them. The launcher's program does not wait for exec as vfork(2) does, but for
 * the command's end at once: to be woken in between would cost every run, and lie within its measured time. */
#include "runner/launch/process.h"
#include "runner/launch/linux/bare_call.h"
#include "pmu/counters/counters.h"
#include "runner/base/base.h"
#include "runner/command/command.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- the launcher withstands signals, which its commands may send to their parent -------------- */

/* It handles them, where it could block them: exec resets handlers, so that no child has to, but it keeps the
 * mask. */

/* A handler can only communicate through file-scope variables. */
static pid_t launcher;
static sigset_t mask_at_start;
static bool mask_differs, ignored_children;

/* Of the process's own making, if the kernel sends it. */
static bool is_fault(int number)
{
    return number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL ||
           number == SIGTRAP || number == SIGSYS;
}

/* Once the handler returns. A child has handlers of its own, even though the memory is the launcher's. */
static void take(int number)
{
    signal(number, SIG_DFL);
    lauka_signal_process(getpid(), number);
}

bool lauka_process_takes_signal(int number)
{
    if (getpid() == launcher)
        return false;
    take(number);
    return true;
}

static void withstand(int number, siginfo_t *about, void *context)
{
    (void)context;
    if (!lauka_process_takes_signal(number) && about->si_code > 0 && is_fault(number))
        take(number);
}

/* Those that do nothing, or cannot be handled. */
static bool is_harmless(int number)
{
    return number == SIGKILL || number == SIGSTOP || number == SIGCHLD || number == SIGCONT ||
           number == SIGURG || number == SIGWINCH;
}

/* From here on, no signal ends or stops the calling process, except those that always do, and faults of its own. What
 * was ignored stays ignored. Programs that it executes find the handlers and the mask that it has now. */
static void signals_withstand(void)
{
    const struct sigaction action = {.sa_sigaction = withstand,
                                     .sa_flags = SA_SIGINFO | SA_RESTART};
    struct sigaction before;

    launcher = getpid();
    for (int number = 1; number <= SIGRTMAX; number++)
        if (!is_harmless(number) && sigaction(number, &action, &before) == 0 &&
            before.sa_handler == SIG_IGN)
            sigaction(number, &before, NULL);
    sigaction(SIGCHLD, NULL, &before);
    ignored_children = before.sa_handler == SIG_IGN;
    signal(SIGCHLD, SIG_DFL); /* who ignores it is not told how its children ended */
    sigprocmask(SIG_BLOCK, NULL, &mask_at_start);
    /* The lifeline's come through in any case. */
    mask_differs = sigismember(&mask_at_start, SIGIO) || sigismember(&mask_at_start, SIGALRM);
}

/* To be called in a child just before it executes a program: the mask as it was then, and whether SIGCHLD was ignored.
 * Mostly all is as it was, and that costs nothing. */
static void signals_hand_over(void)
{
    if (ignored_children)
        signal(SIGCHLD, SIG_IGN);
    if (mask_differs)
        sigprocmask(SIG_SETMASK, &mask_at_start, NULL);
}

/* ---- process ----------------------------------------------------------------------------------- */

struct child { /* what the child needs; lives on the launcher's stack while that waits */
    const struct lauka_process *process;
    bool counts;
    bool leaves_files; /* those above 2 do not come along */
    /* Unshare(2) was refused, as in containers: its 0 ... 2 were the launcher's. */
    bool shares_files;
    int error;
    bool no_directory;
    struct rusage before; /* what it has used up to exec */
};

static int
    standard[3]; /* copies of the launcher's 0 ... 2 where unshare(2) is refused; otherwise -1 */

static bool waits_for_exec = true; /* as vfork(2) */
/* From here on all descriptors are the launcher's own; 0: what a command inherits is not known, or the kernel cannot
 * leave the others behind. */
static unsigned first_own;

/* Each descriptor of the launcher's has to be copied and closed in each run, which takes some 0.15 us. */
static void keep_standard(void)
{
    bool spared = unshare(CLONE_FILES) == 0;

    for (int i = 0; i < 3; i++)
        standard[i] = spared ? -1 : fcntl(i, F_DUPFD_CLOEXEC, 3);
}

/* In the child, whose descriptors are the launcher's: from now on it has a table of its own, with those of the
 * launcher's caller. */
static bool leave_files(void)
{
    return syscall(SYS_close_range, first_own, ~0U, CLOSE_RANGE_UNSHARE) == 0;
}

/* Commands inherit what lauka's caller left open for them: whatever is not closed on exec. How many descriptors there
 * are is told since Linux 6.2; to list them would take as long as a run does. */
static unsigned find_first_own(int passed)
{
    enum { LOOKED_AT = 4096 };
    int highest = passed > STDERR_FILENO ? passed : STDERR_FILENO;
    struct stat about;
    off_t left = stat("/proc/self/fd", &about) == 0 ? about.st_size : 0;

    if (left == 0 || syscall(SYS_close_range, ~0U, ~0U, CLOSE_RANGE_UNSHARE) != 0)
        return 0;
    for (int file = 0; left > 0 && file < LOOKED_AT; file++) {
        int flags = fcntl(file, F_GETFD);
        left -= flags >= 0;
        if (flags >= 0 && !(flags & FD_CLOEXEC) && file > highest)
            highest = file;
    }
    return left == 0 ? (unsigned)highest + 1 : 0;
}

void lauka_process_prepare(bool is_program, int passed)
{
    waits_for_exec = !is_program || !lauka_has_bare_calls;
    prctl(PR_SET_PDEATHSIG, SIGCONT); /* who is stopped hears nothing of lauka's end */
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    setsid(); /* a command that opens the terminal gets an error, where it would be stopped forever */
    keep_standard();
    first_own = is_program ? find_first_own(passed) : 0;
    signals_withstand();
}

bool lauka_process_has_random_layout(void)
{
    int now = personality(0xffffffff),
        file = open("/proc/sys/kernel/randomize_va_space", O_RDONLY | O_CLOEXEC);
    char digit = '0';
    bool known = file >= 0 && read(file, &digit, 1) == 1;

    if (file >= 0)
        close(file);
    return known && digit != '0' && now >= 0 && !((unsigned long)now & ADDR_NO_RANDOMIZE);
}

int lauka_process_fix_layout(void)
{
    int now = personality(0xffffffff); /* asks only */

    return now >= 0 && personality((unsigned long)now | ADDR_NO_RANDOMIZE) >= 0 ? 0 : errno;
}

bool lauka_process_can_delay(void)
{
    return true;
}

/* By the child's own clock, so that it is the child's CPU time, whatever else runs. */
static void spend(uint64_t delay_ns)
{
    struct timespec begin, now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
    do
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    while ((now.tv_sec - begin.tv_sec) * 1000000000 + now.tv_nsec - begin.tv_nsec <
           (int64_t)delay_ns);
}

/* The C library's functions would also change the launcher, because this is its memory. */
static int set_groups(const struct lauka_identity *identity)
{
    return (int)syscall(SYS_setgroups, (size_t)identity->group_count, identity->groups);
}

static int set_group(gid_t gid)
{
    return (int)syscall(SYS_setresgid, gid, gid, gid);
}

static int set_user(uid_t uid)
{
    return (int)syscall(SYS_setresuid, uid, uid, uid);
}

static const struct lauka_identity_calls own_calls = {set_groups, set_group, set_user};

static bool becomes(int descriptor, int number)
{
    return descriptor == number || dup2(descriptor, number) >= 0;
}

static bool set_descriptors(const struct lauka_process *process)
{
    return becomes(process->input, 0) && becomes(process->output, 1) &&
           becomes(process->error, 2) &&
           (!process->talks || (becomes(process->reads, 3) && becomes(process->writes, 4)));
}

/* Runs in the launcher's memory until exec: nothing here may allocate or leave a trace behind. */
static int start(void *argument)
{
    struct child *child = argument;
    const struct lauka_process *process = child->process;

    if (child->counts)
        lauka_counters_arm(process->counters);
    if (process->cgroup)
        lauka_cgroup_join(process->cgroup); /* by a descriptor of the launcher's */
    if (child->counts || child->leaves_files) {
        /* The counters' descriptors are the launcher's too; 0 ... 2 must not be. */
        child->shares_files = !(child->leaves_files && leave_files()) && unshare(CLONE_FILES) != 0;
        if (child->shares_files && standard[0] < 0) {
            child->error = errno;
            _exit(127);
        }
    }
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (process->nice_value)
        setpriority(PRIO_PROCESS, 0, process->nice_value);
    if (process->cpus)
        lauka_affinity_set(0, process->cpus);
    if (process->identity->other) {
        child->error = lauka_identity_assume(process->identity, &own_calls);
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* forgotten with the user */
        if (child->error)
            _exit(127);
    }
    if (process->may_begin && !process->may_begin(process->context)) {
        errno = ECANCELED;
    } else if (process->directory && chdir(process->directory) != 0) {
        child->no_directory = true;
    } else if (set_descriptors(process)) {
        signals_hand_over();
        getrusage(RUSAGE_SELF, &child->before);
        if (child->counts)
            lauka_counters_mark_start(process->counters);
        if (process->started_ns)
            *process->started_ns = lauka_now_ns();
        if (process->delay_ns > 0)
            spend(process->delay_ns);
        execve(process->path, process->argv, process->envp);
    }
    child->error = errno;
    _exit(127);
}

/* Some of the delay may be from before the first stamp. All that there was by then is subtracted, because
 * asking at that moment would cost every run. */
static uint64_t since_start(uint64_t delay_ns, uint64_t before_ns)
{
    if (delay_ns == LAUKA_UNKNOWN)
        return LAUKA_UNKNOWN;
    return delay_ns > before_ns ? delay_ns - before_ns : 0;
}

static void take_off_time(struct timeval *time, const struct timeval *before)
{
    long difference = (time->tv_sec - before->tv_sec) * 1000000L + time->tv_usec - before->tv_usec;

    *time = (struct timeval){difference / 1000000, difference % 1000000};
}

/* What was spent until exec, most of it on events, is ours and not the command's. The kernel's figures
 * never decrease (cputime_adjust). */
void lauka_process_take_off(struct rusage *usage, const struct rusage *before)
{
    take_off_time(&usage->ru_utime, &before->ru_utime);
    take_off_time(&usage->ru_stime, &before->ru_stime);
    usage->ru_minflt -= before->ru_minflt;
    usage->ru_majflt -= before->ru_majflt;
    usage->ru_nvcsw -= before->ru_nvcsw;
    usage->ru_nivcsw -= before->ru_nivcsw;
}

/* The end is stamped while the child is a zombie, which still tells what it waited for. */
static void await_zombie(pid_t pid, const struct lauka_process *process, uint64_t cloned_ns,
                         struct lauka_process_end *end)
{
    siginfo_t ignored;

    while (lauka_bare_call(SYS_waitid, P_PID, pid, (long)&ignored, WEXITED | WNOWAIT, 0) == -EINTR)
        ;
    end->ended_ns = lauka_now_ns();
    end->run_delay_ns = since_start(lauka_run_delay_ns(pid), *process->started_ns - cloned_ns);
}

/* Waits until the command has run for as long as it is not to be counted, and begins to count unless it has ended. The
 * child has executed its program by now, so errno is ours. 0 or an errno. */
static int begin_counting(pid_t pid, const struct lauka_process *process)
{
    uint64_t until_ns = *process->started_ns + process->counters->begin_after_ns;
    struct pollfd ended = {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN};
    int polled = 0;

    if (ended.fd < 0)
        return errno;
    for (uint64_t now_ns; polled <= 0 && (now_ns = lauka_now_ns()) < until_ns;) {
        uint64_t left_ns = until_ns - now_ns;
        struct timespec left = {.tv_sec = (time_t)(left_ns / 1000000000),
                                .tv_nsec = (long)(left_ns % 1000000000)};
        polled = ppoll(&ended, 1, &left, NULL); /* signals of the lifeline interrupt it */
    }
    close(ended.fd);
    if (polled <= 0)
        (void)lauka_counters_begin_late(process->counters);
    return 0;
}

/* Returns the child, or a negative errno. */
static long reap(pid_t pid, struct lauka_process_end *end)
{
    long reaped = -ESRCH;

    while (lauka_pid_is_another(pid) &&
           (reaped = lauka_bare_call(SYS_wait4, pid, (long)&end->status, 0, (long)&end->rusage,
                                     0)) == -EINTR)
        ;
    return reaped;
}

/* With CLONE_VFORK it returns once the child's program begins, or it has ended before. */
static pid_t start_child(struct child *child, int flags)
{
    static char stack[65536] __attribute__((aligned(64)));

    return clone(start, stack + sizeof stack, flags | CLONE_VM | CLONE_PARENT_SETTID | SIGCHLD,
                 child, child->process->pid);
}

static bool begins_late(const struct child *child)
{
    return child->counts && child->process->counters->begin_after_ns > 0;
}

static int flags_of(const struct child *child)
{
    bool waits = waits_for_exec || begins_late(child);

    return (child->counts || child->leaves_files ? CLONE_FILES : 0) | (waits ? CLONE_VFORK : 0);
}

/* Until its program begins, only the child may change errno. Emulators may know vfork(2) alone. */
static pid_t start_to_wait_for(struct child *child)
{
    pid_t pid = start_child(child, flags_of(child));

    if (pid >= 0 || errno != EINVAL || waits_for_exec)
        return pid;
    waits_for_exec = true;
    child->leaves_files = false;
    first_own = 0;
    return start_child(child, flags_of(child));
}

/* Its 0 ... 2 are the launcher's, and no command gets another one. */
static bool leaves_files(const struct lauka_process *process)
{
    return first_own > 0 && process->input == 0 && process->output == 1 && process->error == 2;
}

void lauka_process_run(const struct lauka_process *process, struct lauka_process_end *end)
{
    struct child child = {.process = process,
                          .counts = process->counters && lauka_counters_arms(process->counters),
                          .leaves_files = leaves_files(process)};
    uint64_t cloned_ns = lauka_now_ns();
    int late_error = 0;

    *process->started_ns = cloned_ns; /* should it end before its own stamp */
    pid_t pid = start_to_wait_for(&child);
    if (pid < 0) {
        end->error = errno;
        return;
    }
    end->run_delay_ns = LAUKA_UNKNOWN;
    if (begins_late(&child) && child.error == 0)
        late_error = begin_counting(pid, process);
    if (process->tells_delay)
        await_zombie(pid, process, cloned_ns, end);
    long reaped = reap(pid, end);
    if (!process->tells_delay)
        end->ended_ns = lauka_now_ns();
    if (reaped == pid)
        lauka_process_take_off(&end->rusage, &child.before);
    for (int i = 0; child.shares_files && standard[0] >= 0 && i < 3; i++)
        dup2(standard[i], i);
    end->error = reaped == pid ? child.error : (int)-reaped;
    end->no_directory = child.no_directory;
    if (late_error)
        process->counters->run_error = late_error;
}

int lauka_process_begin(const struct lauka_process *process, struct rusage *before)
{
    struct child child = {.process = process};
    pid_t pid = start_child(&child, CLONE_VFORK);

    if (pid < 0)
        return errno;
    *before = child.before;
    if (child.error)
        lauka_await_process(pid, NULL, 0, NULL);
    return child.error;
}
