/* Descriptors that the launcher and lauka hand to each other: events that lauka may not open, as under sudo the
 * launcher alone is root, and the pipes of a process that is to be started. They go through a socket (SCM_RIGHTS;
 * unix(7)), with one byte, because descriptors cannot be sent alone. */
#include "runner/launch/launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

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
