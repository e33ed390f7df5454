/* A service's process: it leads a group of its own, and lauka reads all that it writes, so that it never waits for
 * that, and so that its last lines are known. */
#include "runner/service/service.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/launch/launch.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How long it gets to end when it is asked to; less where lauka itself was asked. */
#define GRACE_NS UINT64_C(5000000000)
#define HURRIED_NS UINT64_C(1000000000)
/* Its connections break a moment before the process that held them has ended. */
#define SOON_NS UINT64_C(500000000)
/* How often it is looked at whether it still runs, which costs a message to the launcher. */
#define LOOK_NS UINT64_C(10000000)
/* Its first free descriptor: see lauka_start.signals. */
#define READY_VARIABLE "LAUKA_READY_FD=3"

enum { PIECE = 65536 };

/* ---- its start ---------------------------------------------------------------------------------------- */

/* Both ends; -1 where there is none. */
static int open_pipes(bool signals, int output[2], int signal[2])
{
    int failure = lauka_pipe_open(output);

    signal[0] = signal[1] = -1;
    return failure || !signals ? failure : lauka_pipe_open(signal);
}

int lauka_service_start(struct lauka_service *service, struct lauka_launcher *launcher,
                        const struct lauka_command *command, const struct lauka_ready *ready)
{
    const bool signals = ready->way == LAUKA_READY_FD;
    const char *const variables[] = {signals ? READY_VARIABLE : NULL, NULL};
    int output[2], signal[2], failure = open_pipes(signals, output, signal);
    char **environment = lauka_command_environment(command, variables);
    const struct lauka_start start = {.path = command->path,
                                      .directory = command->directory,
                                      .words = command->argv,
                                      .environment = environment,
                                      .in = signals ? signal[1] : output[1],
                                      .out = output[1],
                                      .complaints = output[1],
                                      .signals = signals};

    *service = (struct lauka_service){
        .launcher = launcher, .ready = ready, .output = output[0], .signal = signal[0]};
    service->line = malloc(PIECE + (ready->text ? strlen(ready->text) : 0));
    if (!environment || !service->line)
        failure = ENOMEM;
    if (!failure)
        failure = lauka_launcher_start(launcher, &start, &service->pid);
    service->begun_ns = lauka_launcher_begun_ns(launcher);
    free(environment);
    lauka_pipe_close(&output[1]);
    lauka_pipe_close(&signal[1]);
    return failure;
}

/* ---- what it writes ----------------------------------------------------------------------------------- */

/* The text lies within one line, so it is looked for in what comes, behind the end of what came before. */
static void look_for_text(struct lauka_service *service, size_t size)
{
    const char *text = service->ready->text;
    const size_t length = strlen(text), all = service->line_size + size;

    service->has_told |= memmem(service->line, all, text, length) != NULL;
    service->line_size = all < length - 1 ? all : length - 1;
    memmove(service->line, service->line + all - service->line_size, service->line_size);
}

/* Takes what is there. False once there is no more. */
static bool take_output(void *context)
{
    struct lauka_service *service = context;
    char *piece = service->line + service->line_size;
    ssize_t got = read(service->output, piece, PIECE);

    if (got < 0 && (errno == EINTR || errno == EAGAIN))
        return true;
    if (got <= 0) {
        lauka_pipe_close(&service->output);
        return false;
    }
    lauka_tail_add(&service->tail, piece, (size_t)got);
    if (service->ready->way == LAUKA_READY_TEXT && !service->has_told)
        look_for_text(service, (size_t)got);
    return true;
}

static void take_signal(struct lauka_service *service)
{
    char byte;
    ssize_t got = read(service->signal, &byte, 1);

    service->has_told |= got > 0;
    if (got == 0)
        lauka_pipe_close(&service->signal);
}

/* Waits until it writes something, that many ms at most; and reads that. */
static void hear(struct lauka_service *service, int ms, bool interrupts)
{
    struct pollfd waited[] = {
        {.fd = service->output, .events = POLLIN},
        {.fd = service->signal, .events = POLLIN},
        {.fd = interrupts ? lauka_interrupt_descriptor() : -1, .events = POLLIN}};

    if (lauka_launcher_poll(service->launcher, waited, 3, ms) <= 0)
        return;
    if (waited[1].revents)
        take_signal(service);
    if (waited[0].revents)
        take_output(service);
}

void lauka_service_mind(struct lauka_service *service)
{
    lauka_launcher_mind(service->launcher, service->output, take_output, service);
}

void lauka_service_leave(struct lauka_service *service)
{
    lauka_launcher_mind(service->launcher, -1, NULL, NULL);
}

/* ---- until it is ready -------------------------------------------------------------------------------- */

bool lauka_service_has_ended(struct lauka_service *service)
{
    struct lauka_usage ignored;

    if (service->pid > 0 &&
        lauka_launcher_reap(service->launcher, service->pid, false, &service->status, &ignored))
        service->pid = 0;
    return service->pid == 0;
}

enum lauka_service_end lauka_service_await(struct lauka_service *service, uint64_t until_ns)
{
    enum { POLL_MS = 10 };
    const bool connects =
        service->ready->way == LAUKA_READY_TCP || service->ready->way == LAUKA_READY_UNIX;
    uint64_t looked_ns = service->begun_ns;

    while (!service->has_told && !lauka_probe(service->ready)) {
        const uint64_t now_ns = lauka_now_ns();
        const bool looks = now_ns - looked_ns >= LOOK_NS;
        if (lauka_interrupt_signal())
            return LAUKA_SERVICE_INTERRUPTED;
        if (looks && lauka_service_has_ended(service))
            return LAUKA_SERVICE_ENDED;
        looked_ns = looks ? now_ns : looked_ns;
        if (now_ns >= until_ns)
            return LAUKA_SERVICE_LATE;
        hear(service, connects ? 1 : POLL_MS, true);
    }
    service->ready_ns = lauka_now_ns();
    return LAUKA_SERVICE_GOES_ON;
}

/* ---- its end ------------------------------------------------------------------------------------------ */

static bool await_end(struct lauka_service *service, uint64_t most_ns)
{
    const uint64_t begun_ns = lauka_now_ns();
    const int asked = lauka_interrupt_count();

    while (!lauka_service_has_ended(service)) {
        const bool hurried = lauka_interrupt_signal() && HURRIED_NS < most_ns;
        if (lauka_now_ns() - begun_ns >= (hurried ? HURRIED_NS : most_ns) ||
            lauka_interrupt_count() > asked)
            return false;
        hear(service, 1, false);
    }
    return true;
}

bool lauka_service_ends_soon(struct lauka_service *service)
{
    return await_end(service, SOON_NS);
}

/* What was written before its end is still in the pipe. */
static void take_rest(struct lauka_service *service)
{
    enum { PIECES_MAX = 64 }; /* what it left behind may go on writing */
    struct pollfd waited = {.fd = service->output, .events = POLLIN};

    for (int i = 0; i < PIECES_MAX && service->output >= 0 && poll(&waited, 1, 0) > 0; i++)
        if (!take_output(service))
            return;
}

void lauka_service_stop(struct lauka_service *service)
{
    struct lauka_usage ignored;

    if (!service->launcher)
        return;
    if (service->pid > 0 && !lauka_service_has_ended(service)) {
        if (lauka_signal_group(service->pid, SIGTERM) != 0)
            lauka_signal_process(service->pid, SIGTERM);
        lauka_signal_group(service->pid, SIGCONT); /* a stopped process receives no signals */
        await_end(service, GRACE_NS);
    }
    if (service->pid > 0) {
        lauka_signal_group(service->pid, SIGKILL);
        lauka_signal_process(service->pid, SIGKILL);
    }
    while (service->pid > 0 &&
           !lauka_launcher_reap(service->launcher, service->pid, true, &service->status, &ignored))
        ;
    service->pid = 0;
    if (service->line)
        take_rest(service);
    lauka_pipe_close(&service->output);
    lauka_pipe_close(&service->signal);
    free(service->line);
    service->line = NULL;
    service->launcher = NULL;
}
