/* What another program answers. */
#include "runner/provenance/provenance.h"
#include "runner/base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the program's own process ------------------------------------------------------------------ */

/* -1: there is none. *output: what it writes. */
static pid_t start(const char *path, const char *const *arguments, const char *const *environment,
                   int *output)
{
    int ends[2];

    if (pipe(ends) != 0)
        return -1;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    pid_t pid = lauka_child_start(&(struct lauka_child){.path = path,
                                                        .arguments = arguments,
                                                        .environment = environment,
                                                        .output = ends[1],
                                                        .error = -1});
    close(ends[1]);
    *output = ends[0];
    if (pid < 0)
        close(ends[0]);
    return pid;
}

/* ---- waiting for it ----------------------------------------------------------------------------- */

static int left_ms(uint64_t until_ns)
{
    uint64_t now_ns = lauka_now_ns();

    return now_ns >= until_ns ? 0 : (int)((until_ns - now_ns) / 1000000 + 1);
}

/* Whether there is something to read, or the end, in time. */
static bool await_output(int output, uint64_t until_ns)
{
    struct pollfd waited[] = {{.fd = output, .events = POLLIN},
                              {.fd = lauka_interrupt_descriptor(), .events = POLLIN}};
    int ready;

    do
        ready = poll(waited, 2, left_ms(until_ns));
    while (ready < 0 && errno == EINTR && !lauka_interrupt_signal());
    return ready > 0 && !waited[1].revents && !lauka_interrupt_signal();
}

/* Whether all was read that it wrote. */
static bool read_answer(int output, uint64_t until_ns, struct lauka_answer *answer)
{
    ssize_t count = 1;

    while (count > 0 && answer->size < LAUKA_ANSWER_SIZE) {
        if (!await_output(output, until_ns))
            return false;
        count = read(output, answer->text + answer->size, LAUKA_ANSWER_SIZE - answer->size);
        answer->size += count > 0 ? (size_t)count : 0;
    }
    answer->cut = count > 0;
    return count == 0;
}

/* Its status, -1 where it goes on until then. */
static int await_end(pid_t pid, uint64_t until_ns)
{
    int status;

    while (!lauka_child_has_ended(pid, &status)) {
        if (lauka_now_ns() >= until_ns || lauka_interrupt_signal())
            return -1;
        poll(NULL, 0, 1);
    }
    return status;
}

void lauka_question_ask(const char *path, const char *const *arguments,
                        const char *const *environment, uint64_t until_ns,
                        struct lauka_answer *answer)
{
    int output, status = -1;

    answer->size = 0;
    answer->cut = false;
    answer->code = -1;
    answer->text[0] = 0;
    if (lauka_interrupt_signal() || lauka_now_ns() >= until_ns)
        return;
    pid_t pid = start(path, arguments, environment, &output);
    if (pid < 0)
        return;
    bool whole = read_answer(output, until_ns, answer);
    answer->text[answer->size] = 0;
    close(output);
    if (whole)
        status = await_end(pid, until_ns);
    if (status == -1)
        lauka_child_end(pid);
    if (status != -1 && WIFEXITED(status))
        answer->code = WEXITSTATUS(status);
}
