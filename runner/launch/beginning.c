/* What the launcher process does first, whether it is a copy of lauka or a program of its own. */
#include "runner/launch/launcher.h"
#include "runner/launch/process.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* A copy above 2, or the errno by which there is none, below 0. */
static int keep(int descriptor)
{
    int copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);

    return copy >= 0 ? copy : -errno;
}

static struct serving prepare(struct shared *shared)
{
    const struct launcher_ends *ends = &shared->ends;
    int null = open("/dev/null", O_RDWR | O_CLOEXEC), null_error = errno;
    struct serving serving = {
        .shared = shared,
        .request = ends->request,
        .reply = ends->reply,
        .error = STDERR_FILENO,
        .output = ends->output,
        .loans = ends->loans,
        .own_output = keep(STDOUT_FILENO),
        .own_error = keep(STDERR_FILENO),
        .uid = geteuid(),
        .written = ends->written,
        .reported = ends->reported,
    };

    errno = null_error; /* by which there is none */
    bool good = null >= 0 && dup2(null, STDIN_FILENO) >= 0 && dup2(null, STDOUT_FILENO) >= 0 &&
                dup2(ends->error, STDERR_FILENO) >= 0;
    serving.input = good ? STDIN_FILENO : -errno;
    serving.nowhere = good ? STDOUT_FILENO : -errno;
    close(ends->error);
    close(null);
    return serving;
}

void launcher_begin(struct shared *shared, bool is_program)
{
    const struct serving serving = prepare(shared);

    lauka_process_prepare(is_program, serving.reported);
    launcher_hold_on(shared->ends.lifeline, shared);
    launcher_serve(&serving);
    _exit(0);
}
