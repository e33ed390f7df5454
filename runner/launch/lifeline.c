/* The launcher ends when lauka does, whatever user lauka is by then, and ends the command, too. Only lauka
 * can write to a pipe whose end is announced by a signal; a byte in it merely interrupts what waits. (A
 * death signal, prctl(2), does not reach a launcher that is root if lauka no longer is.) This costs
 * nothing while a run is measured, not even a system call. */
#include "runner/launch/launcher.h"
#include "runner/launch/process.h"
#include "runner/base/base.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

/* After a command's end the launcher needs less than this, and does not wait longer. */
enum { BEATS_MOST = 10 };

/* A handler can only communicate through file-scope variables. */
static int lifeline = -1;
static const struct shared *known; /* tells what is under way */
static volatile sig_atomic_t orphaned, beats;

/* Whether the other end is closed, because anybody can send a signal. Consumes the bytes in front of it. */
static bool is_cut(void)
{
    struct pollfd end = {.fd = lifeline, .events = POLLIN};
    char byte;

    while (poll(&end, 1, 0) > 0)
        if (read(lifeline, &byte, 1) != 1)
            return true;
    return false;
}

static void end(pid_t pid)
{
    if (lauka_signal_group(pid, SIGKILL) != 0)
        lauka_signal_process(pid, SIGKILL); /* it has made itself another group */
}

/* Comes back every second, in case a command was just about to start. A command that has ended is reaped,
 * and what it left behind is ended, as after every run. */
static void on_signal(int number)
{
    if (lauka_process_takes_signal(number))
        return;
    if (is_cut()) { /* otherwise nothing here fails, and errno, which a child may be using, stays what it is */
        orphaned = 1;
        end(known->pid);
        for (size_t i = 0; i < LAUKA_STARTS_MAX; i++)
            end(known->started[i]);
        if (++beats > BEATS_MOST)
            _exit(1);
        alarm(1);
    }
}

void launcher_hold_on(int other_end, const struct shared *shared)
{
    struct sigaction action = {.sa_handler = on_signal}; /* interrupts whatever waits */
    sigset_t heard;

    lifeline = other_end;
    known = shared;
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGIO);
    sigaddset(&action.sa_mask, SIGALRM);
    sigaction(SIGIO, &action, NULL);
    sigaction(SIGALRM, &action, NULL);
    sigemptyset(&heard);
    sigaddset(&heard, SIGIO);
    sigaddset(&heard, SIGALRM);
    sigprocmask(SIG_UNBLOCK, &heard, NULL);
    fcntl(other_end, F_SETOWN, getpid());
    fcntl(other_end, F_SETFL, O_ASYNC);
    if (is_cut()) /* before anybody was told of it */
        _exit(1);
}

bool launcher_is_orphaned(void)
{
    return orphaned;
}
