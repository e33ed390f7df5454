/* Signals to other processes, and waiting for them. kill(2) takes 0, -1 and other negative numbers for whole groups,
 * and -1 for every process there is; a number that came from a fork(2) that failed must never get there. So nothing
 * else in the program calls kill, killpg, waitpid, wait4 or waitid; tests/house.py sees to it. */
#include "runner/base/base.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

bool lauka_pid_is_another(pid_t pid)
{
    if (pid > 1)
        return true;
    errno = ESRCH;
    return false;
}

int lauka_signal_process(pid_t pid, int number)
{
    return lauka_pid_is_another(pid) ? kill(pid, number) : -1;
}

int lauka_signal_group(pid_t leader, int number)
{
    return lauka_pid_is_another(leader) ? kill(-leader, number) : -1;
}

pid_t lauka_wait_for_process(pid_t pid, int *status, int options, struct rusage *usage)
{
    return lauka_pid_is_another(pid) ? wait4(pid, status, options, usage) : -1;
}

pid_t lauka_await_process(pid_t pid, int *status, int options, struct rusage *usage)
{
    pid_t ended;

    do
        ended = lauka_wait_for_process(pid, status, options, usage);
    while (ended < 0 && errno == EINTR);
    return ended;
}

pid_t lauka_reap_any(int *status, struct rusage *usage)
{
    pid_t ended;

    do
        ended = wait4(-1, status, WNOHANG, usage);
    while (ended < 0 && errno == EINTR);
    return ended;
}

bool lauka_look_at_process(pid_t pid, int options)
{
    siginfo_t about = {0};
    int failed;

    if (!lauka_pid_is_another(pid))
        return true;
    do
        failed = waitid(P_PID, (id_t)pid, &about, options | WNOWAIT);
    while (failed && errno == EINTR);
    return failed || about.si_pid != 0;
}
