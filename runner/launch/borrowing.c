/* Descriptors that lauka receives from the launcher: see lending.c. */
#include "runner/launch/launch.h"
#include "runner/launch/launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* There is none if lauka has no room for another descriptor. */
static int receive_descriptor(int socket)
{
    union launcher_control control;
    char byte;
    int descriptor = -1;
    ssize_t got;
    struct iovec piece = {&byte, 1};
    struct msghdr message = {.msg_iov = &piece,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};

    memset(&control, 0, sizeof control);
    do
        got = recvmsg(socket, &message, 0);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return -1;
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    if (got == 0 || !head || head->cmsg_type != SCM_RIGHTS ||
        head->cmsg_len != CMSG_LEN(sizeof descriptor)) {
        errno = EMFILE;
        return -1;
    }
    memcpy(&descriptor, CMSG_DATA(head), sizeof descriptor);
    fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    return descriptor;
}

int lauka_launcher_lend(void *context, const void *event, size_t size, int cpu)
{
    struct lauka_launcher *launcher = context;
    struct launcher_loan *loan = &launcher->shared->loan;
    struct lauka_error ignored;

    *loan = (struct launcher_loan){.cpu = cpu, .error = EINVAL};
    if (size <= sizeof loan->event) {
        memcpy(loan->event, event, size);
        if (!launcher_ask(launcher, REQUEST_LEND, &ignored))
            loan->error = ESRCH;
    }
    if (loan->error == 0)
        return receive_descriptor(launcher->loans);
    errno = loan->error;
    return -1;
}
