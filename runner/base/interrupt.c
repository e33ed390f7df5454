/* A signal sets a number and makes a pipe readable (the self-pipe trick), so that no wait misses a signal
 * that arrives just before it. */
#include "runner/base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

/* A handler can only communicate through file-scope variables. */
static volatile sig_atomic_t first_signal, signals;
static int wake[2] = {-1, -1}, stir[2] = {-1, -1};

static void on_signal(int number)
{
    int saved = errno;

    if (!first_signal)
        first_signal = number;
    signals++;
    ssize_t ignored = write(wake[1], "", 1); /* full is as good as written */
    (void)ignored;
    errno = saved;
}

static void on_child(int number)
{
    int saved = errno;

    (void)number;
    ssize_t ignored = write(stir[1], "", 1);
    (void)ignored;
    errno = saved;
}

static int open_pipe(int ends[2])
{
    int failure = lauka_pipe_open(ends);

    for (int i = 0; i < 2 && !failure; i++)
        if (fcntl(ends[i], F_SETFL, O_NONBLOCK) < 0) /* a handler must never wait */
            failure = errno;
    return failure;
}

/* Also where the signal was blocked when lauka was started. */
static int install_for_children(void)
{
    struct sigaction action = {.sa_handler = on_child, .sa_flags = SA_RESTART};
    sigset_t heard;

    sigemptyset(&action.sa_mask);
    sigemptyset(&heard);
    sigaddset(&heard, SIGCHLD);
    return sigaction(SIGCHLD, &action, NULL) == 0 && sigprocmask(SIG_UNBLOCK, &heard, NULL) == 0
               ? 0
               : errno;
}

static int install(int number)
{
    struct sigaction action = {.sa_handler = on_signal}, old;

    sigemptyset(&action.sa_mask);
    if (sigaction(number, NULL, &old) != 0)
        return errno;
    if (old.sa_handler == SIG_IGN) /* nohup, or a job started in the background */
        return 0;
    return sigaction(number, &action, NULL) == 0 ? 0 : errno;
}

/* Signals that end a program by default, and that people, shells and batch systems send; the latter as a
 * warning before SIGKILL. */
const int *lauka_interrupt_numbers(size_t *count)
{
    static const int numbers[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT,
                                  SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU};

    *count = sizeof numbers / sizeof *numbers;
    return numbers;
}

int lauka_interrupt_install(void)
{
    size_t count;
    const int *numbers = lauka_interrupt_numbers(&count);
    int error = open_pipe(wake);

    if (!error)
        error = open_pipe(stir);
    if (!error)
        error = install_for_children();
    for (size_t i = 0; !error && i < count; i++)
        error = install(numbers[i]);
    return error;
}

/* Others than people send may come again and again, as SIGXCPU does each second. */
void lauka_interrupt_let_write(void)
{
    size_t count;
    const int *numbers = lauka_interrupt_numbers(&count);
    struct sigaction action;

    for (size_t i = 0; i < count; i++) {
        bool is_final = numbers[i] == SIGINT || numbers[i] == SIGTERM;
        if (sigaction(numbers[i], NULL, &action) != 0 || action.sa_handler != on_signal)
            continue;
        action.sa_flags = SA_RESTART | (is_final ? (int)SA_RESETHAND : 0);
        sigaction(numbers[i], &action, NULL);
    }
}

int lauka_interrupt_signal(void)
{
    return (int)first_signal;
}

enum lauka_exit lauka_interrupt_exit(void)
{
    return (enum lauka_exit)(LAUKA_EXIT_SIGNAL + (int)first_signal);
}

int lauka_interrupt_count(void)
{
    return (int)signals;
}

int lauka_interrupt_descriptor(void)
{
    return wake[0];
}

int lauka_interrupt_children(void)
{
    return stir[0];
}

void lauka_interrupt_forget_children(void)
{
    char bytes[64];

    while (read(stir[0], bytes, sizeof bytes) > 0)
        ;
}
