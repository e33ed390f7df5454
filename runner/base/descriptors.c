/* The three descriptors that every program expects to be open, and pipes that no program inherits. */
#include "runner/base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

void lauka_guard_descriptors(void)
{
    static const int modes[] = {O_RDONLY, O_RDONLY, O_WRONLY}; /* stdout: writing has to fail */

    for (int descriptor = 0; descriptor < 3; descriptor++)
        if (fcntl(descriptor, F_GETFD) < 0 && errno == EBADF)
            (void)!open("/dev/null", modes[descriptor]); /* gets the lowest number that is free */
}

int lauka_pipe_open(int ends[2])
{
    int failure = pipe(ends) == 0 ? 0 : errno;

    if (!failure && fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0 &&
        fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0)
        return 0;
    if (!failure) {
        failure = errno;
        close(ends[0]);
        close(ends[1]);
    }
    ends[0] = ends[1] = -1;
    return failure;
}

void lauka_pipe_close(int *end)
{
    if (*end >= 0)
        close(*end);
    *end = -1;
}
