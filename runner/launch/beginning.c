/* What the launcher process does first, whether it is a copy of lauka or a program of its own. */
#include "runner/launch/launcher.h"
#include "runner/launch/process.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static struct serving prepare(struct shared *shared)
{
    const struct launcher_ends *ends = &shared->ends;
    int null = open("/dev/null", O_RDWR | O_CLOEXEC), null_error = null < 0 ? errno : 0;
    struct serving serving = {
        .shared = shared,
        .request = ends->request,
        .reply = ends->reply,
        .error = STDERR_FILENO,
        .output = ends->output,
        .loans = ends->loans,
        .own_output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3),
        .own_error = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3),
        .nowhere_error = null_error,
        .uid = geteuid(),
        .written = ends->written,
        .reported = ends->reported,
    };

    serving.input = dup2(null, STDIN_FILENO);
    serving.nowhere = dup2(null, STDOUT_FILENO);
    dup2(ends->error, STDERR_FILENO);
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
