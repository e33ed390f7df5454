/* The launcher process: it opens what a command reads and writes; starts, times and reaps it; and handles
 * what it leaves behind. Nothing but the command's own work happens between the two stamps. */
#include "runner/launch/launch.h"
#include "runner/launch/launcher.h"
#include "runner/launch/process.h"
#include "pmu/counters/counters.h"
#include "pmu/events/events.h"
#include "runner/base/base.h"
#include "runner/command/command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- what a run is called ---------------------------------------------------------------------- */

/* Padded with zeros; too large a number loses its first digits. */
static void put_digits(uint64_t value, char *digits, size_t count)
{
    for (; count > 0 && value > 0; value /= 10)
        digits[--count] = (char)('0' + value % 10);
    memset(digits, '0', count);
}

/* The strings of the run in its environment are rewritten in place. */
static void name_run(struct run_variables *variables, const struct lauka_run_name *name)
{
    put_digits(name->round, variables->round, ROUND_DIGITS);
    put_digits(name->iteration, variables->iteration, ROUND_DIGITS);
    put_digits(name->iteration, variables->hyperfine, ROUND_DIGITS);
    put_digits(name->command + 1, variables->command, COMMAND_DIGITS);
    if (name->padding != variables->padding_length && name->padding <= LAUKA_PADDING_MAX) {
        variables->padding[variables->padding_length] = 'x';
        variables->padding[name->padding] = '\0';
        variables->padding_length = name->padding;
    }
}

/* ---- records ---------------------------------------------------------------------------------------- */

static char *record_of(const struct shared *shared, size_t run)
{
    return shared->records + run * LAUKA_RECORD_SIZE(shared->counters.count);
}

struct shared_run *launcher_run_of(const struct shared *shared, size_t run)
{
    return (void *)record_of(shared, run);
}

static char *sample_of(const struct shared *shared, size_t run)
{
    return record_of(shared, run) + sizeof(struct shared_run);
}

static size_t size_of_readings(const struct shared *shared)
{
    return shared->counters.count * sizeof *shared->readings;
}

void launcher_record_put(struct shared *shared, size_t run)
{
    char *sample = sample_of(shared, run);

    memcpy(sample, &shared->sample, sizeof shared->sample);
    memcpy(sample + sizeof shared->sample, shared->readings, size_of_readings(shared));
}

void launcher_record_get(const struct shared *shared, size_t run, struct lauka_sample *sample)
{
    char *kept = sample_of(shared, run);

    memcpy(sample, kept, sizeof *sample);
    sample->readings = (void *)(kept + sizeof *sample);
}

/* Full pages of records are let go of: they are the launcher's memory, too. */
static void release_records(const struct shared *shared, size_t done)
{
    lauka_process_release(record_of(shared, done - 1), record_of(shared, done));
}

static struct lauka_sample *clear_sample(struct shared *shared)
{
    memset(shared->readings, 0, size_of_readings(shared));
    return memset(&shared->sample, 0, sizeof shared->sample);
}

/* ---- what a run came to ----------------------------------------------------------------------------- */

static void fill_sample(struct shared *shared, const struct lauka_process_end *end)
{
    struct lauka_sample *sample = &shared->sample;

    if (end->error) {
        sample->outcome = end->no_directory ? LAUKA_NO_DIRECTORY : LAUKA_NOT_STARTED;
        sample->code = end->error;
        return;
    }
    sample->outcome = WIFSIGNALED(end->status) ? LAUKA_SIGNALED : LAUKA_EXITED;
    sample->code = WIFSIGNALED(end->status) ? WTERMSIG(end->status) : WEXITSTATUS(end->status);
    sample->run_delay_ns = end->run_delay_ns;
    lauka_usage_read(&end->rusage, end->ended_ns - shared->started_ns, &sample->usage);
}

/* The user whose programs the commands are. */
static uid_t runs_as(const struct serving *serving)
{
    const struct lauka_identity *identity = &serving->shared->identity;

    return identity->other ? identity->uid : serving->uid;
}

static void collect_counts(const struct serving *serving)
{
    struct shared *shared = serving->shared;
    struct lauka_sample *sample = &shared->sample;
    struct shared_command *command = shared->command;
    uint64_t cpu_ns = command->uncountable ? UINT64_MAX : sample->usage.values[LAUKA_CPU_TIME];

    lauka_counters_collect(&shared->counters, shared->readings);
    if (shared->counters.watching && sample->outcome != LAUKA_NOT_STARTED) {
        command->watched = true;
        command->trusted = shared->counters.watched && !shared->counters.unwatched;
        sample->unwatched = shared->counters.unwatched;
    }
    bool privileged = runs_as(serving) == 0 && shared->counters.clock_count > 0;
    bool late = shared->counters.begin_after_ns > 0; /* and then the CPU time is more */
    if ((command->trusted && !command->uncountable) || privileged || late)
        cpu_ns = 0; /* nothing can be missing */
    sample->uncounted = sample->outcome != LAUKA_NOT_STARTED &&
                        !lauka_counters_verify(&shared->counters, cpu_ns, shared->readings);
    sample->count_error = shared->counters.run_error;
    sample->count_error_at = shared->counters.run_error_at;
    sample->forked = shared->counters.forked && shared->counters.process_only;
    sample->contradicted = shared->counters.contradicted;
    sample->residency = shared->counters.residency;
    lauka_residency_verify(&sample->residency, &shared->counters, cpu_ns);
}

/* ---- what the command reads and writes ------------------------------------------------------------ */

/* The signals of the lifeline interrupt it; what another one interrupts goes on. */
static bool goes_on(const struct shared *shared)
{
    return errno == EINTR && shared->given_up != shared->done + 1 && !launcher_is_orphaned();
}

/* Each: the file, or the errno why it cannot be opened, below 0. */
static int open_input(const struct shared *shared)
{
    int descriptor;

    do
        descriptor = open(shared->command->input_file, O_RDONLY | O_CLOEXEC);
    while (descriptor < 0 && goes_on(shared));
    return descriptor >= 0 ? descriptor : -errno;
}

static int open_output_file(const struct shared *shared)
{
    int descriptor;

    do
        descriptor = lauka_own_file_open(shared->command->output_file, O_TRUNC);
    while (descriptor < 0 && goes_on(shared));
    return descriptor >= 0 ? descriptor : -errno;
}

/* A command may have made its end of the pipe non-blocking, which is everybody's. */
static int restore(int pipe)
{
    fcntl(pipe, F_SETFL, 0);
    return pipe;
}

/* Where there is none, process->output is the errno why, below 0. */
static void open_output(const struct serving *serving, struct lauka_process *process)
{
    const struct shared_command *command = serving->shared->command;

    if (command->output == LAUKA_OUTPUT_PIPE) {
        process->output = restore(serving->output);
    } else if (command->output == LAUKA_OUTPUT_INHERIT) {
        process->output = serving->own_error < 0 ? serving->own_error : serving->own_output;
        process->error = serving->own_error;
    } else if (command->output == LAUKA_OUTPUT_FILE) {
        process->output = open_output_file(serving->shared);
    } else if (command->output == LAUKA_OUTPUT_KEPT) {
        process->output = restore(serving->written);
    }
    if (command->reports)
        restore(serving->reported);
}

/* Opened anew for every run: each reads its file from the beginning, and writes into an empty one. On
 * failure returns false, and the sample says why. */
static bool open_files(const struct serving *serving, struct lauka_process *process)
{
    struct shared *shared = serving->shared;
    struct lauka_sample *sample = clear_sample(shared);

    shared->opening = true;
    if (shared->command->input_file)
        process->input = open_input(shared);
    bool reads = process->input >= 0;
    if (reads)
        open_output(serving, process);
    sample->outcome = reads ? LAUKA_NO_OUTPUT : LAUKA_NO_INPUT;
    sample->code = reads ? -process->output : -process->input;
    shared->opening = false;
    return reads && process->output >= 0;
}

static void close_files(const struct serving *serving, const struct lauka_process *process)
{
    if (process->input >= 0 && process->input != serving->input)
        close(process->input);
    if (process->output >= 0 && serving->shared->command->output == LAUKA_OUTPUT_FILE)
        close(process->output);
}

/* ---- requests ------------------------------------------------------------------------------------- */

/* cpus: where the command is to be; NULL: where the launcher is. */
static void serve_run(const struct serving *serving, const struct lauka_cpu_set *cpus)
{
    struct shared *shared = serving->shared;
    bool is_load = shared->command->is_load, is_hook = shared->command->is_hook || is_load;
    struct lauka_process_end end = {0};
    struct lauka_process process = {
        .path = shared->command->path,
        .argv = shared->command->argv,
        .envp = shared->command->environment,
        .directory = shared->command->directory,
        .nice_value = shared->nice_value,
        .input = serving->input,
        .output = serving->nowhere,
        .error = STDERR_FILENO,
        .counters = is_hook ? NULL : &shared->counters,
        .cgroup = !is_hook && shared->cgroup.open ? &shared->cgroup : NULL,
        .identity = &shared->identity,
        .cpus = is_load ? NULL : cpus, /* those are the service's */
        .pid = &shared->pid,
        .started_ns = &shared->started_ns,
        .tells_delay = !is_hook && !shared->sparing,
        .delay_ns = shared->command->delay_ns,
    };

    /* From root's programs nothing is taken away. */
    shared->counters.watching = !is_hook && !shared->command->watched && runs_as(serving) != 0;
    lauka_identity_borrow(&shared->identity, true);
    bool opened = open_files(serving, &process);
    lauka_identity_borrow(&shared->identity, false);
    if (opened && !launcher_is_orphaned()) {
        if (shared->command->reports)
            fcntl(serving->reported, F_SETFD, 0); /* the command inherits it */
        if (process.cgroup)
            lauka_cgroup_begin(process.cgroup); /* where it fails, its peak is not known */
        if (!is_hook)
            lauka_counters_batch_run(&shared->counters);
        if (!is_hook)
            lauka_counters_look(&shared->counters);
        lauka_process_run(&process, &end);
        pid_t group = shared->pid;
        shared->pid = 0;
        if (shared->command->reports)
            fcntl(serving->reported, F_SETFD, FD_CLOEXEC);
        fill_sample(shared, &end);
        if (is_load) { /* its orphans are ended with the service's */
            lauka_signal_group(group, SIGKILL);
        } else if (is_hook) {
            lauka_leftovers_host();
        } else {
            collect_counts(serving);
            lauka_leftovers_end(group, shared->keep_orphans, &shared->sample.leftovers);
            if (shared->sample.leftovers.alive)
                lauka_counters_batch_end(&shared->counters); /* they count on */
            else if (shared->sample.leftovers.any)
                lauka_counters_batch_disturb(&shared->counters);
            shared->sample.tree_memory =
                process.cgroup ? lauka_cgroup_end(process.cgroup) : LAUKA_UNKNOWN;
        }
    }
    close_files(serving, &process);
}

/* Whether the next run of the batch should begin. What lauka reads cannot be attributed to runs, so
 * writing to stderr ends the batch, as does every run that may have failed. */
static bool is_followed(const struct serving *serving, uint64_t begun_ns, uint64_t now_ns)
{
    const struct shared *shared = serving->shared;
    const struct lauka_sample *sample = &shared->sample;
    int waiting = 0;

    /* Who reads from the pipe says so before. */
    return sample->outcome == LAUKA_EXITED && sample->code == 0 && !shared->enough &&
           ioctl(serving->error, FIONREAD, &waiting) == 0 && waiting == 0 && !shared->heard &&
           now_ns - begun_ns < LAUKA_BATCH_NS;
}

static void serve_batch(const struct serving *serving)
{
    struct shared *shared = serving->shared;
    const uint64_t begun_ns = lauka_now_ns();
    const struct lauka_cpu_set *cpus =
        lauka_cpu_set_count(&shared->cpus) > 0 ? &shared->cpus : NULL;
    uint64_t now_ns = begun_ns;

    if (lauka_cpu_set_count(&shared->own_cpus) > 0)
        lauka_affinity_set(0, &shared->own_cpus);
    if (shared->sparing)
        lauka_counters_spare(&shared->counters);
    if (shared->asked > 1 && !shared->keep_orphans)
        lauka_counters_batch_begin(&shared->counters);
    for (size_t i = 0; i < shared->asked; i++) {
        struct shared_run *run = launcher_run_of(shared, i);
        run->begun_ns = now_ns;
        shared->command = run->command;
        name_run(&shared->variables, &run->name);
        serve_run(serving, cpus);
        launcher_record_put(shared, i);
        release_records(shared, i + 1);
        shared->done = i + 1;
        now_ns = lauka_now_ns();
        if (i + 1 < shared->asked && !is_followed(serving, begun_ns, now_ns))
            break;
    }
    lauka_counters_batch_end(&shared->counters);
}

/* Code that serves once is not part of its caller, whose stack would otherwise always be as large as this
 * needs. */
#define APART __attribute__((noinline))

APART static void serve_cgroup(struct shared *shared)
{
    shared->cgroup_error = lauka_cgroup_open("", &shared->cgroup);
}

/* The last step of setting up. */
APART static void serve_count(struct shared *shared)
{
    enum { SLIM_SIZE = sizeof *shared + sizeof(struct lauka_launcher) + 32768 };

    if (shared->counts) /* those of an earlier session */
        lauka_counters_close(&shared->counters);
    shared->counts = true;
    shared->sparing = false;
    for (size_t i = 0; i < shared->event_count; i++)
        if (shared->events[i].type ==
            LAUKA_TYPE_TRACEPOINT) /* root may read what the user may not */
            (void)lauka_tracepoint_find(NULL, &shared->events[i]);
    lauka_counters_open(&shared->counters, shared->events, shared->event_count);
    lauka_process_slim(shared, SLIM_SIZE); /* and most of the commands and their environment */
}

/* On ourselves: what we start inherits it. */
APART static void serve_loan(const struct serving *serving)
{
    struct launcher_loan *loan = &serving->shared->loan;
    int event = lauka_event_open(loan->event, loan->cpu);

    loan->error = event < 0 ? errno : launcher_send_descriptors(serving->loans, &event, 1);
    if (event >= 0)
        close(event);
}

static bool get_request(const struct serving *serving, char *request)
{
    ssize_t got;

    do
        got = read(serving->request, request, 1);
    while (got < 0 && errno == EINTR && !launcher_is_orphaned());
    return got == 1;
}

void launcher_serve(const struct serving *serving)
{
    char request;

    while (get_request(serving, &request)) {
        if (request == REQUEST_RUN)
            serve_batch(serving);
        else if (request == REQUEST_COUNT)
            serve_count(serving->shared);
        else if (request == REQUEST_LAYOUT)
            serving->shared->layout_error = lauka_process_fix_layout();
        else if (request == REQUEST_CGROUP)
            serve_cgroup(serving->shared);
        else if (request == REQUEST_LEND)
            serve_loan(serving);
        else if (request == REQUEST_START)
            launcher_serve_start(serving);
        else if (request == REQUEST_REAP)
            launcher_serve_reap(serving->shared);
        else
            serving->shared->rss_floor = lauka_process_rss_floor();
        if (write(serving->reply, "", 1) != 1)
            break;
    }
    launcher_end_leftovers(serving->shared); /* lauka may have been killed */
    lauka_cgroup_close(&serving->shared->cgroup);
    lauka_counters_close(&serving->shared->counters); /* nothing stays set in the kernel */
}

/* ---- its begin, as a copy of lauka or as a program of its own ------------------------------------ */

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
