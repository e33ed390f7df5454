/* How the launcher begins and ends: a tiny process that starts, times and reaps the commands. It exists because a
 * child's peak RSS begins at its parent's (exec keeps the old memory's high-water mark), so the parent must stay
 * small, however much lauka itself has grown. Both processes share memory at the same address, so arguments and
 * environments need no copying. */
#include "runner/launch/launch.h"
#include "runner/launch/launcher.h"
#include "runner/base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- its begin ------------------------------------------------------------------------------------ */

/* A descriptor among 0, 1 and 2 that the caller left closed would be taken by a pipe, and then be
 * overwritten in the child. */
static void occupy_standard_descriptors(void)
{
    int descriptor;

    do
        descriptor = open("/dev/null", O_RDWR);
    while (descriptor >= 0 && descriptor <= 2);
    if (descriptor > 2)
        close(descriptor);
}

struct pipes {
    int reported[2]; /* the first of all: no shell writes to a number above 9 */
    int request[2], reply[2], error[2], output[2], written[2], lifeline[2], loans[2];
};

static bool make_pipes(struct pipes *pipes)
{
    int *const all[] = {pipes->reported, pipes->request, pipes->reply,   pipes->error,
                        pipes->output,   pipes->written, pipes->lifeline};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if ((errno = lauka_pipe_open(all[i])) != 0)
            return false;
    return launcher_make_socket(pipes->loans);
}

static struct launcher_ends ends_of(const struct pipes *pipes)
{
    return (struct launcher_ends){
        .request = pipes->request[0],
        .reply = pipes->reply[1],
        .error = pipes->error[1],
        .output = pipes->output[1],
        .lifeline = pipes->lifeline[0],
        .loans = pipes->loans[1],
        .written = pipes->written[1],
        .reported = pipes->reported[1],
    };
}

/* Does not return in the child. */
static pid_t fork_copy(const struct lauka_launcher *launcher, const struct pipes *pipes)
{
    pid_t pid = fork();

    if (pid != 0)
        return pid;
    close(pipes->request[1]);
    close(pipes->reply[0]);
    close(pipes->error[0]);
    close(pipes->output[0]);
    close(pipes->written[0]);
    close(pipes->reported[0]);
    close(pipes->lifeline[1]);
    close(pipes->loans[0]);
    launcher_begin(launcher->shared, false);
}

/* file: see launcher_map. */
static void start_launcher(struct lauka_launcher *launcher, const struct pipes *pipes,
                           const struct lauka_program *program, int file)
{
    launcher->shared->ends = ends_of(pipes);
    pid_t pid =
        file >= 0 ? launcher_execute(program, file, LAUKA_SHARED_SIZE, launcher->shared) : -1;
    if (pid < 0)
        pid = fork_copy(launcher, pipes);
    launcher->pid = pid; /* in memory that both share: the child's own 0 must not get there */
    close(pipes->request[0]);
    close(pipes->reply[1]);
    close(pipes->error[1]);
    close(pipes->output[1]);
    close(pipes->written[1]);
    close(pipes->reported[1]);
    close(pipes->lifeline[0]);
    close(pipes->loans[1]);
    launcher->loans = pipes->loans[0];
    launcher->lifeline = pipes->lifeline[1];
    launcher->request = pipes->request[1];
    launcher->reply = pipes->reply[0];
    launcher->error = pipes->error[0];
    launcher->output = pipes->output[0];
    launcher->written = pipes->written[0];
    launcher->reported = pipes->reported[0];
    launcher->report_number = pipes->reported[1];
    fcntl(launcher->error, F_SETFL, O_NONBLOCK);
    fcntl(launcher->output, F_SETFL, O_NONBLOCK);
    fcntl(launcher->written, F_SETFL, O_NONBLOCK);
    fcntl(launcher->reported, F_SETFL, O_NONBLOCK);
}

bool lauka_launcher_open(const struct lauka_program *program, struct lauka_launcher **launcher,
                         struct lauka_error *error)
{
    struct pipes pipes;
    int file;

    occupy_standard_descriptors();
    bool piped = make_pipes(&pipes);
    void *region =
        piped ? launcher_map(program && program->size > 0, LAUKA_SHARED_SIZE, &file) : MAP_FAILED;
    if (region == MAP_FAILED)
        return lauka_fail(error, LAUKA_EXIT_INTERNAL, "cannot set up the launcher: %s",
                          lauka_own_file_error(errno));
    struct lauka_launcher *own = (void *)((struct shared *)region + 1);
    own->shared = region;
    own->arena = (char *)(own + 1);
    own->arena_end = (char *)region + LAUKA_SHARED_SIZE - LAUKA_RECORDS_SIZE;
    own->shared->records = own->arena_end;
    start_launcher(own, &pipes, program, file);
    if (file >= 0)
        close(file);
    if (own->pid < 0)
        return lauka_fail(error, LAUKA_EXIT_INTERNAL, "cannot fork the launcher: %s",
                          strerror(errno));
    *launcher = own;
    return true;
}

/* ---- its end -------------------------------------------------------------------------------------- */

/* Does not wait for a process that is stopped and may not be continued. */
static void reap(const struct lauka_launcher *launcher)
{
    int status = 0;
    pid_t got = 0;

    while (launcher->pid > 0) {
        got = lauka_await_process(launcher->pid, &status, WUNTRACED, NULL);
        if (got < 0 || !WIFSTOPPED(status) || lauka_signal_process(launcher->pid, SIGCONT) != 0)
            return;
    }
}

void lauka_launcher_dismiss(struct lauka_launcher *launcher)
{
    if (launcher->dismissed)
        return;
    launcher->dismissed = true;
    close(launcher->request);
    close(launcher->reply);
    close(launcher->error);
    close(launcher->output);
    close(launcher->written);
    close(launcher->reported);
    close(launcher->loans);
    close(launcher->lifeline); /* whatever it is at, it ends */
}

void lauka_launcher_close(struct lauka_launcher *launcher)
{
    if (!launcher)
        return;
    lauka_launcher_dismiss(launcher);
    reap(launcher);
    free(launcher->commands);
    munmap(launcher->shared, LAUKA_SHARED_SIZE);
}
