/* Other programs that lauka runs for itself and does not measure. Each leads a session of its own, so it
 * has no terminal on which it could ask, and everything that it starts can be ended as one group. */
#include "runner/base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

bool lauka_child_can_be(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 && S_ISREG(about.st_mode) && access(path, X_OK) == 0;
}

bool lauka_child_find(const char *name, char *path, size_t size)
{
    const char *places = getenv("PATH");

    for (size_t length; places && *places; places += length + (places[length] == ':')) {
        length = strcspn(places, ":");
        int written = snprintf(path, size, "%.*s/%s", (int)length, places, name);
        if (*places == '/' && written > 0 && (size_t)written < size && lauka_child_can_be(path))
            return true;
    }
    return false;
}

void lauka_child_restore_signals(void)
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

static void become(const struct lauka_child *child)
{
    int null = open("/dev/null", O_RDWR);
    int output = child->output >= 0 ? child->output : null,
        error = child->error >= 0 ? child->error : null;

    setsid();
    lauka_child_restore_signals();
    if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0 ||
        dup2(error, STDERR_FILENO) < 0 || (child->directory && chdir(child->directory) != 0))
        _exit(127);
    if (null > STDERR_FILENO)
        close(null);
    /* Neither is changed. */
    execve(child->path, (char *const *)child->arguments, (char *const *)child->environment);
    _exit(127);
}

pid_t lauka_child_start(const struct lauka_child *child)
{
    pid_t pid = fork();

    if (pid == 0)
        become(child);
    return pid;
}

bool lauka_child_has_ended(pid_t pid, int *status)
{
    if (!lauka_look_at_process(pid, WEXITED | WNOHANG))
        return false;
    lauka_signal_group(pid, SIGKILL); /* the number is its own until it is reaped */
    if (lauka_await_process(pid, status, 0, NULL) != pid)
        *status = 127 << 8; /* nobody knows */
    return true;
}

void lauka_child_end(pid_t pid)
{
    uint64_t until_ns = lauka_now_ns() + UINT64_C(500000000);

    lauka_signal_group(pid, SIGKILL);
    lauka_signal_process(pid, SIGKILL); /* it may not have had the time to lead a group */
    while (lauka_await_process(pid, NULL, WNOHANG, NULL) == 0 && lauka_now_ns() < until_ns)
        poll(NULL, 0, 1);
}

bool lauka_child_await(pid_t pid, int *status)
{
    while (!lauka_child_has_ended(pid, status)) {
        struct pollfd ended = {.fd = lauka_interrupt_descriptor(), .events = POLLIN};
        if (lauka_interrupt_signal()) {
            lauka_child_end(pid);
            return false;
        }
        poll(&ended, 1, 1);
    }
    return true;
}
