/* Whether something accepts connections: what is tried is the loopback only, and nothing is sent. */
#include "runner/service/service.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* A connection that takes a millisecond is tried again. */
static bool gets_through(int end)
{
    struct pollfd waited = {.fd = end, .events = POLLOUT};
    int failure = 0;
    socklen_t size = sizeof failure;

    return poll(&waited, 1, 1) > 0 && getsockopt(end, SOL_SOCKET, SO_ERROR, &failure, &size) == 0 &&
           failure == 0;
}

/* Where nobody listens, the system may choose the same port for this end, and connect the socket to itself. */
static bool is_itself(int end)
{
    struct sockaddr_storage own = {0}, other = {0};
    socklen_t size = sizeof own, other_size = sizeof other;

    return getsockname(end, (struct sockaddr *)&own, &size) == 0 &&
           getpeername(end, (struct sockaddr *)&other, &other_size) == 0 && size == other_size &&
           memcmp(&own, &other, size) == 0;
}

/* A socket whose queue is full is one that accepts. */
static bool accepts(int family, const void *address, size_t size)
{
    const int end = socket(family, SOCK_STREAM, 0), yes = 1;

    if (end < 0)
        return false;
    /* So that this end does not keep the service from its port, if it was given that. */
    setsockopt(end, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    fcntl(end, F_SETFD, FD_CLOEXEC);
    fcntl(end, F_SETFL, O_NONBLOCK);
    const bool is_open = connect(end, address, (socklen_t)size) == 0 || errno == EAGAIN ||
                         (errno == EINPROGRESS && gets_through(end));
    const bool own = is_open && is_itself(end);
    if (own) /* the port is free at once then */
        setsockopt(end, SOL_SOCKET, SO_LINGER, &(struct linger){.l_onoff = 1},
                   sizeof(struct linger));
    close(end);
    return is_open && !own;
}

static bool accepts_tcp(uint16_t port)
{
    const struct sockaddr_in v4 = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const struct sockaddr_in6 v6 = {
        .sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_addr = IN6ADDR_LOOPBACK_INIT};

    return accepts(AF_INET, &v4, sizeof v4) || accepts(AF_INET6, &v6, sizeof v6);
}

/* The path fits: the options were checked. */
static bool accepts_unix(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    return accepts(AF_UNIX, &address, sizeof address);
}

bool lauka_probe(const struct lauka_ready *ready)
{
    return ready->way == LAUKA_READY_TCP    ? accepts_tcp(ready->port)
           : ready->way == LAUKA_READY_UNIX ? accepts_unix(ready->text)
                                            : false;
}
