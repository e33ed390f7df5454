/* The launcher withstands signals, which its commands may send to their parent. It handles them, where it could block
 * them: exec resets handlers, so that no child has to, but it keeps the mask. */
#include "runner/launch/linux/signals.h"
#include "runner/launch/process.h"
#include "runner/base/base.h"

#include <signal.h>
#include <stdbool.h>
#include <unistd.h>

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

void lauka_signals_withstand(void)
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

void lauka_signals_hand_over(void)
{
    if (ignored_children)
        signal(SIGCHLD, SIG_IGN);
    if (mask_differs)
        sigprocmask(SIG_SETMASK, &mask_at_start, NULL);
}
