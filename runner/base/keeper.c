/* Between lauka and each program that it runs for itself stands a keeper. It ends the program and what that
 * has started once lauka asks for it, or has ended itself. Somebody who is killed cannot do that, and a death
 * signal (prctl(2)) would reach the program only. A keeper knows of lauka's end by a pipe whose other end
 * nobody else has. It keeps lauka's descriptors open meanwhile, so a lock lasts until nothing runs any more. */
#include "runner/base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_NS UINT64_C(3000000000) /* with processes that the kernel does not let go */

/* A handler can only communicate through file-scope variables. */
static volatile sig_atomic_t asked;

static void on_signal(int number)
{
    if (number == SIGTERM)
        asked = 1;
}

/* Signals come only while the keeper waits. */
static void take_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigset_t all;

    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    sigemptyset(&action.sa_mask);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGCHLD, &action, NULL);
}

/* ---- the program ------------------------------------------------------------------------------------- */

/* As a program expects them at its start. */
static void restore_signals(void)
{
    static const int others[] = {SIGCHLD, SIGPIPE, SIGXFSZ};
    struct sigaction standard = {.sa_handler = SIG_DFL};
    sigset_t none;
    size_t count;
    const int *numbers = lauka_interrupt_numbers(&count);

    sigemptyset(&standard.sa_mask);
    for (size_t i = 0; i < count; i++)
        sigaction(numbers[i], &standard, NULL);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        sigaction(others[i], &standard, NULL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static void tell(int told, int failure)
{
    (void)!write(told, &failure, sizeof failure);
}

/* It has a group of its own: what signals that, as a shell script may do, must not reach the keeper. */
_Noreturn static void become(const struct lauka_child *child, pid_t keeper, int told)
{
    int null = open("/dev/null", O_RDWR), input = child->input > 0 ? child->input : null,
        output = child->output >= 0 ? child->output : null,
        error = child->error >= 0 ? child->error : null;

    setpgid(0, 0);
    restore_signals();
    bool bound = lauka_orphans_bind(keeper);
    if (bound && null >= 0 && dup2(input, STDIN_FILENO) >= 0 && dup2(output, STDOUT_FILENO) >= 0 &&
        dup2(error, STDERR_FILENO) >= 0 && (!child->directory || chdir(child->directory) == 0)) {
        if (null > STDERR_FILENO)
            close(null);
        /* Neither is changed. */
        execve(child->path, (char *const *)child->arguments, (char *const *)child->environment);
    }
    tell(told, errno);
    _exit(127);
}

/* Reaps the program, and what it left behind. Returns the program's status, -1 while it runs; *any: whether
 * anything is left. */
static int reap(pid_t program, bool *any)
{
    int status, its_own = -1;
    pid_t pid;

    while ((pid = lauka_reap_any(&status, NULL)) > 0)
        its_own = pid == program ? status : its_own;
    *any = pid == 0;
    return its_own;
}

/* Ends it with everything that it has started, in whatever group that is. */
_Noreturn static void end(pid_t program)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    uint64_t until_ns = lauka_now_ns() + PATIENCE_NS;
    bool any = true;

    lauka_signal_group(program, SIGKILL);
    for (reap(program, &any); any && lauka_now_ns() < until_ns; reap(program, &any)) {
        lauka_orphans_kill();
        nanosleep(&moment, NULL);
    }
    _exit(128 + SIGKILL);
}

/* With the same status. What it left in its group is ended; a server in a group of its own lives on. */
_Noreturn static void end_as(pid_t program, int status)
{
    const struct rlimit none = {0, 0};
    sigset_t all;

    lauka_signal_group(program, SIGKILL);
    if (WIFSIGNALED(status)) {
        setrlimit(RLIMIT_CORE, &none); /* it is the program's end that may leave one */
        signal(WTERMSIG(status), SIG_DFL);
        sigfillset(&all);
        sigprocmask(SIG_UNBLOCK, &all, NULL);
        raise(WTERMSIG(status));
    }
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

/* ---- the keeper ---------------------------------------------------------------------------------------- */

/* Of lauka's descriptors only those that nobody waits for the end of. */
static void let_go(const struct lauka_child *child, int lifeline)
{
    int null = open("/dev/null", O_RDWR);

    if (child->output > STDERR_FILENO)
        close(child->output);
    if (child->error > STDERR_FILENO && child->error != child->output)
        close(child->error);
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    dup2(lifeline, STDIN_FILENO); /* select(2) knows low numbers only */
    if (null > STDERR_FILENO)
        close(null);
}

/* Whether the program is to go on once something has happened. */
static bool await_event(void)
{
    sigset_t heard;
    fd_set lifeline;

    sigfillset(&heard);
    sigdelset(&heard, SIGTERM);
    sigdelset(&heard, SIGCHLD);
    FD_ZERO(&lifeline);
    FD_SET(STDIN_FILENO, &lifeline);
    return pselect(STDIN_FILENO + 1, &lifeline, NULL, NULL, NULL, &heard) <= 0 && !asked;
}

_Noreturn void lauka_keeper_serve(const struct lauka_child *child, int lifeline, int told)
{
    pid_t keeper = getpid();
    bool any;

    setsid();
    take_signals();
    lauka_orphans_adopt();
    pid_t program = fork();
    if (program == 0)
        become(child, keeper, told);
    if (program < 0) {
        tell(told, errno);
        _exit(127);
    }
    setpgid(program, program); /* whoever comes first */
    close(told);
    let_go(child, lifeline);
    do {
        int status = reap(program, &any);
        if (status != -1)
            end_as(program, status);
    } while (await_event());
    end(program);
}
