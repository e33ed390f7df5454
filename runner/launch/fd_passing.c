/* What connects lauka and the launcher's process beside the requests: descriptors that are passed, and the pipe whose end ends the launcher. */
#include "runner/launch/launcher.h"
#include "runner/launch/process.h"
#include "runner/base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- fd passing -------------------------------------------------------------------------------- */

/* Descriptors that the launcher and lauka hand to each other: events that lauka may not open, as under sudo
 * the launcher alone is root, and the pipes of a process that is to be started. They go through a socket
 * (SCM_RIGHTS; unix(7)), with one byte, because descriptors cannot be sent alone. */

bool launcher_make_socket(int ends[2])
{
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        return false;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    return true;
}

union control { /* what goes along with a byte; aligned for its head */
    struct cmsghdr head;
    char bytes[CMSG_SPACE(LAUNCHER_LOANS_MAX * sizeof(int))];
};

static struct msghdr message_of(struct iovec *piece, union control *control, size_t count)
{
    memset(control, 0, sizeof *control);
    return (struct msghdr){.msg_iov = piece,
                           .msg_iovlen = 1,
                           .msg_control = control->bytes,
                           .msg_controllen = (socklen_t)CMSG_SPACE(count * sizeof(int))};
}

int launcher_send_descriptors(int socket, const int *descriptors, size_t count)
{
    union control control;
    char byte = 0;
    struct iovec piece = {&byte, 1};
    struct msghdr message = message_of(&piece, &control, count);

    control.head.cmsg_level = SOL_SOCKET;
    control.head.cmsg_type = SCM_RIGHTS;
    control.head.cmsg_len = (socklen_t)CMSG_LEN(count * sizeof *descriptors);
    memcpy(CMSG_DATA(&control.head), descriptors, count * sizeof *descriptors);
    while (sendmsg(socket, &message, 0) < 0)
        if (errno != EINTR)
            return errno;
    return 0;
}

/* Of those that came, none stays open. */
static int refuse(const struct cmsghdr *head)
{
    int descriptor;

    for (size_t i = 0; head && head->cmsg_type == SCM_RIGHTS &&
                       CMSG_LEN((i + 1) * sizeof descriptor) <= head->cmsg_len;
         i++) {
        memcpy(&descriptor, CMSG_DATA(head) + i * sizeof descriptor, sizeof descriptor);
        close(descriptor);
    }
    return EMFILE;
}

/* There are fewer if the process has no room for another descriptor. */
int launcher_receive_descriptors(int socket, int *descriptors, size_t count)
{
    union control control;
    char byte;
    ssize_t got;
    struct iovec piece = {&byte, 1};
    struct msghdr message = message_of(&piece, &control, count);

    do
        got = recvmsg(socket, &message, 0);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return errno;
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    if (got == 0 || !head || head->cmsg_type != SCM_RIGHTS ||
        head->cmsg_len != CMSG_LEN(count * sizeof *descriptors))
        return refuse(head);
    memcpy(descriptors, CMSG_DATA(head), count * sizeof *descriptors);
    for (size_t i = 0; i < count; i++)
        fcntl(descriptors[i], F_SETFD, FD_CLOEXEC);
    return 0;
}

/* ---- lifeline ---------------------------------------------------------------------------------- */

/* The launcher ends when lauka does, whatever user lauka is by then, and ends the command, too. Only lauka can
 * write to a pipe whose end is announced by a signal; a byte in it merely interrupts what waits. (A death
 * signal, prctl(2), does not reach a launcher that is root if lauka no longer is.) This costs nothing while a
 * run is measured, not even a system call. */

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
