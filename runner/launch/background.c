/* In the launcher process: processes that go on while others are asked for. They are started as commands are, but
 * neither timed nor counted here, and reaped when lauka asks for it. */
#include "runner/launch/launcher.h"
#include "runner/launch/process.h"
#include "pmu/counters/counters.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

struct started {          /* at the place that it has among shared->started */
    struct rusage before; /* what it had used before its program began */
    bool ended;           /* with the orphans; then these are known: */
    int status;
    struct rusage usage;
};

/* Who reaps orphans meets these, too, and can only communicate through file-scope variables. */
static const struct shared *known;
static struct started all[LAUKA_STARTS_MAX];

/* LAUKA_STARTS_MAX: there is none. 0 finds a free place. */
static size_t place_of(const struct shared *shared, pid_t pid)
{
    size_t place = 0;

    while (place < LAUKA_STARTS_MAX && shared->started[place] != pid)
        place++;
    return place;
}

static bool keep_end(pid_t pid, int status, const struct rusage *usage)
{
    size_t place = place_of(known, pid);

    if (place == LAUKA_STARTS_MAX)
        return false;
    struct started *about = &all[place];
    about->ended = true;
    about->status = status;
    about->usage = *usage;
    return true;
}

/* Lauka, which knows by now that it exists, says when it may begin. */
static bool may_begin(void *context)
{
    const struct serving *serving = context;
    struct launcher_start *start = &serving->shared->start;
    char byte;
    ssize_t got;

    start->pid = serving->shared->started[start->place];
    start->held = true;
    if (write(serving->reply, "", 1) != 1)
        return false;
    do
        got = read(serving->request, &byte, 1);
    while (got < 0 && errno == EINTR);
    return got == 1 && byte == REQUEST_GO_ON;
}

/* None is one of the descriptors that the process gets: they are above those. */
static int receive(const struct serving *serving, int got[LAUNCHER_LOANS_MAX])
{
    enum { ABOVE = 5 };
    int passed[LAUNCHER_LOANS_MAX];
    int error = launcher_receive_descriptors(serving->loans, passed, LAUNCHER_LOANS_MAX);

    for (size_t i = 0; i < LAUNCHER_LOANS_MAX; i++)
        got[i] = -1;
    for (size_t i = 0; i < LAUNCHER_LOANS_MAX && !error; i++) {
        got[i] = fcntl(passed[i], F_DUPFD_CLOEXEC, ABOVE);
        close(passed[i]);
    }
    return error ? error : got[0] < 0 || got[1] < 0 || got[2] < 0 ? EMFILE : 0;
}

static int begin(const struct serving *serving, const int files[LAUNCHER_LOANS_MAX])
{
    struct shared *shared = serving->shared;
    const struct launcher_start *start = &shared->start;
    struct started *about = &all[start->place];
    const struct lauka_process process = {
        .path = start->path,
        .argv = start->words,
        .envp = start->environment,
        .directory = start->directory,
        .input = serving->input,
        .output = start->talks ? serving->nowhere : files[1],
        .error = files[2],
        .talks = start->talks || start->signals,
        .reads = files[0],
        .writes = files[start->signals ? 0 : 1],
        .cpus = lauka_cpu_set_count(&shared->cpus) > 0 ? &shared->cpus : NULL,
        .started_ns = &shared->start.begun_ns,
        .identity = &shared->identity,
        .pid = &shared->started[start->place],
        .may_begin = start->holds ? may_begin : NULL,
        .context = (void *)(uintptr_t)serving,
    };

    about->ended = false;
    about->status = SIGKILL; /* should anybody else reap it */
    int error = lauka_process_begin(&process, &about->before);
    if (error)
        shared->started[start->place] = 0;
    return error;
}

void launcher_serve_start(const struct serving *serving)
{
    struct shared *shared = serving->shared;
    struct launcher_start *start = &shared->start;
    int files[LAUNCHER_LOANS_MAX];

    known = shared;
    lauka_leftovers_reap(keep_end);
    start->place = place_of(shared, 0);
    start->error = receive(serving, files);
    if (!start->error && start->place == LAUKA_STARTS_MAX)
        start->error = EAGAIN;
    if (!start->error && serving->input < 0)
        start->error = -serving->input;
    if (!start->error)
        start->error = begin(serving, files);
    if (!start->error)
        start->pid = shared->started[start->place];
    for (size_t i = 0; i < LAUNCHER_LOANS_MAX; i++)
        if (files[i] >= 0)
            close(files[i]);
}

/* Whoever reaps orphans may have met it already. */
static bool has_ended(pid_t pid, bool waits, struct started *about)
{
    while (!about->ended && !launcher_is_orphaned()) {
        pid_t ended =
            lauka_wait_for_process(pid, &about->status, waits ? 0 : WNOHANG, &about->usage);
        about->ended = ended == pid || (ended < 0 && errno != EINTR);
        if (ended == 0)
            break;
    }
    return about->ended;
}

static bool any_is_left(const struct shared *shared)
{
    size_t places = 0;

    while (places < LAUKA_STARTS_MAX && shared->started[places] == 0)
        places++;
    return places < LAUKA_STARTS_MAX;
}

void launcher_end_leftovers(const struct shared *shared)
{
    struct lauka_leftovers ignored;

    if (known)
        lauka_leftovers_end(0, shared->keep_orphans, &ignored);
}

void launcher_serve_reap(struct shared *shared)
{
    struct launcher_reap *reap = &shared->reap;
    size_t place = place_of(shared, reap->pid);

    if (place == LAUKA_STARTS_MAX) { /* nothing is known of it */
        reap->ended = true;
        return;
    }
    struct started *about = &all[place];
    reap->ended = has_ended(reap->pid, reap->waits, about);
    if (!reap->ended)
        return;
    lauka_process_take_off(&about->usage, &about->before);
    reap->status = about->status;
    lauka_usage_read(&about->usage, 0, &reap->usage);
    shared->started[place] = 0;
    lauka_signal_group(reap->pid, SIGKILL); /* what stayed in its group is not asked first */
    if (!any_is_left(shared))               /* the others would be taken for what it left behind */
        launcher_end_leftovers(shared);
}
