/* A signal sets a number and makes a pipe readable (the self-pipe trick), so that no wait misses
 * one that arrives just before it. */
#include "runner/runner.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

/* A handler has no other way to be told anything than through file-scope variables. */
static volatile sig_atomic_t first_signal, signals;
static int wake[2] = {-1, -1};

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

int lauka_interrupt_install(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    int error = 0;

    if (pipe(wake) != 0)
        return errno;
    for (int i = 0; i < 2; i++) {
        fcntl(wake[i], F_SETFD, FD_CLOEXEC);
        fcntl(wake[i], F_SETFL, O_NONBLOCK);
    }
    for (size_t i = 0; !error && i < sizeof numbers / sizeof *numbers; i++)
        error = install(numbers[i]);
    return error;
}

int lauka_interrupt_signal(void)
{
    return (int)first_signal;
}

int lauka_interrupt_count(void)
{
    return (int)signals;
}

int lauka_interrupt_descriptor(void)
{
    return wake[0];
}
