/* Other programs that lauka runs for itself and does not measure. Each is in a session of its own, so it has
 * no terminal on which it could ask. Its number is that of its keeper, which ends as the program did. */
#include "runner/base/base.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* A keeper ends within it, unless processes are left that the kernel does not let go. */
#define PATIENCE_NS UINT64_C(2000000000)

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

/* ---- its start and its end --------------------------------------------------------------------------- */

/* Why its program did not begin; 0 once it has. */
static int hear(int told)
{
    int failure = 0;
    ssize_t got;

    do
        got = read(told, &failure, sizeof failure);
    while (got < 0 && errno == EINTR);
    return got < 0 ? errno : failure;
}

pid_t lauka_child_start(const struct lauka_child *child)
{
    static int lifeline[2] = {-1, -1}; /* nobody but lauka has its second end */
    int told[2];

    int failure = lifeline[0] < 0 ? lauka_pipe_open(lifeline) : 0;
    if (failure || (failure = lauka_pipe_open(told)) != 0) {
        errno = failure;
        return -1;
    }
    pid_t pid = fork();
    if (pid == 0) {
        close(lifeline[1]);
        lauka_keeper_serve(child, lifeline[0], told[1]);
    }
    failure = pid < 0 ? errno : 0;
    close(told[1]);
    if (pid > 0 && (failure = hear(told[0])) != 0)
        lauka_child_end(pid);
    close(told[0]);
    errno = failure;
    return failure ? -1 : pid;
}

bool lauka_child_has_ended(pid_t pid, int *status)
{
    pid_t ended = lauka_await_process(pid, status, WNOHANG, NULL);

    if (ended < 0)
        *status = 127 << 8; /* nobody knows */
    return ended != 0;
}

void lauka_child_end(pid_t pid)
{
    uint64_t until_ns = lauka_now_ns() + PATIENCE_NS;

    lauka_signal_process(pid, SIGTERM);
    lauka_signal_process(pid, SIGCONT); /* the program may have stopped its keeper */
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
