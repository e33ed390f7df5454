/* Descriptors that the launcher hands to lauka, because it may open what lauka may not: under sudo it
 * alone is root. They go through a socket (SCM_RIGHTS; unix(7)), each with one byte, because a descriptor
 * cannot be sent alone. */
#include "runner/launch/launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>

bool launcher_make_socket(int ends[2])
{
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        return false;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    return true;
}

int launcher_send_descriptor(int socket, int descriptor)
{
    union launcher_control control;
    char byte = 0;
    struct iovec piece = {&byte, 1};
    struct msghdr message = {.msg_iov = &piece,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};

    memset(&control, 0, sizeof control);
    control.head.cmsg_level = SOL_SOCKET;
    control.head.cmsg_type = SCM_RIGHTS;
    control.head.cmsg_len = CMSG_LEN(sizeof descriptor);
    memcpy(CMSG_DATA(&control.head), &descriptor, sizeof descriptor);
    while (sendmsg(socket, &message, 0) < 0)
        if (errno != EINTR)
            return errno;
    return 0;
}
