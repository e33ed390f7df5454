/* lauka threads: reads a live process's threads, once or repeatedly, and reports them. */
#include "runner/subcommands/subcommands.h"
#include "pmu/counters/counters.h"
#include "pmu/threads/threads.h"
#include "report/json/json.h"
#include "report/result/threads.h"
#include "report/terminal/terminal.h"
#include "report/text/text.h"
#include "runner/base/base.h"
#include "runner/options.h"
#include "stats/stats.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

struct watching {
    const struct lauka_options *options; /* borrowed */
    struct lauka_threads *threads;
    struct lauka_thread_row *rows; /* owned; of the report under way */
    uint64_t reports;
    FILE *out;
    char names[LAUKA_THREAD_EVENTS_MAX][LAUKA_EVENT_NAME_SIZE + 2]; /* of the events */
    char note[500];
};

/* ---- from what was read to what is reported ------------------------------------------------------- */

static struct lauka_optional known_if(bool known, double value)
{
    return known ? lauka_known(value) : (struct lauka_optional){0};
}

static struct lauka_optional seconds_of(uint64_t ns)
{
    return known_if(ns != LAUKA_UNKNOWN, (double)ns / 1e9);
}

/* Counts that begin with lauka's first look are only shown for intervals. */
static bool tells_counts(const struct watching *watching)
{
    return watching->threads->counts &&
           (watching->threads->counts_since_start || watching->options->run.interval_ns > 0);
}

/* In the time on a CPU the kernel's is, too: cycles of user mode only say nothing about the frequency. */
static struct lauka_optional ghz_of(const struct watching *watching, const struct lauka_use *use)
{
    bool known = tells_counts(watching) && !watching->threads->user_only &&
                 use->cycles != LAUKA_UNKNOWN && use->time_ns != LAUKA_UNKNOWN && use->time_ns > 0;

    return known_if(known, (double)use->cycles / (double)use->time_ns);
}

static struct lauka_thread_figures figures_of(const struct watching *watching,
                                              const struct lauka_use *use)
{
    bool counts = tells_counts(watching);
    bool energy = watching->threads->energy && use->energy_nj != LAUKA_UNKNOWN;
    bool power = energy && use->time_ns != LAUKA_UNKNOWN && use->time_ns > 0;

    struct lauka_thread_figures figures = {
        .time = seconds_of(use->time_ns),
        .user = seconds_of(use->user_ns),
        .system = seconds_of(use->system_ns),
        .cycles = known_if(counts && use->cycles != LAUKA_UNKNOWN, (double)use->cycles),
        .instructions =
            known_if(counts && use->instructions != LAUKA_UNKNOWN, (double)use->instructions),
        .ghz = ghz_of(watching, use),
        .energy = known_if(energy, (double)use->energy_nj / 1e9),
        .power = known_if(power, (double)use->energy_nj / (double)use->time_ns),
        .estimated = use->estimated,
    };
    for (size_t e = 0; e < watching->threads->event_count; e++)
        figures.counts[e] = known_if(use->events[e] != LAUKA_UNKNOWN, (double)use->events[e]);
    return figures;
}

/* For the interval; or for all the time if none was asked for. */
static struct lauka_use use_of(const struct watching *watching, const struct lauka_use *now,
                               const struct lauka_use *before)
{
    return watching->options->run.interval_ns > 0 ? lauka_use_since(now, before) : *now;
}

static void fill_row(const struct watching *watching, const struct lauka_thread *thread,
                     struct lauka_thread_row *row)
{
    struct lauka_use total = use_of(watching, &thread->total, &thread->total_before);

    *row = (struct lauka_thread_row){.id = thread->id, .name = thread->name};
    row->is_new = thread->is_new && watching->threads->before_ns > 0;
    row->total = figures_of(watching, &total);
    for (size_t t = 0; t < watching->threads->type_count && t < LAUKA_THREAD_TYPES_MAX; t++) {
        struct lauka_use use = use_of(watching, &thread->types[t], &thread->types_before[t]);
        row->types[t] = figures_of(watching, &use);
        if (watching->threads->counts && !tells_counts(watching))
            row->types[t].time.known = false; /* it began with the counts */
    }
}

/* What was used by threads that nobody sees any more counts where there were some. */
static struct lauka_use sum_of(const struct watching *watching, const struct lauka_use *gone)
{
    const struct lauka_threads *threads = watching->threads;
    struct lauka_use sum = {0};

    for (size_t i = 0; i < threads->count; i++) {
        const struct lauka_thread *thread = &threads->threads[i];
        struct lauka_use use = use_of(watching, &thread->total, &thread->total_before);
        sum = lauka_use_plus(&sum, &use);
    }
    return gone->time_ns == 0 && threads->ended == 0 ? sum : lauka_use_plus(&sum, gone);
}

static const char *say_refused(struct watching *watching, const char *what, int error)
{
    static struct lauka_counters none; /* what refused them depends on the machine, too */

    none.virtual_machine = lauka_machine_is_virtual("/proc");
    snprintf(watching->note, sizeof watching->note, "cannot count %s: ", what);
    const size_t used = strlen(watching->note);
    lauka_counters_explain(&none, error, watching->note + used, sizeof watching->note - used);
    lauka_leave_out_valgrind(watching->note);
    return watching->note;
}

/* Of events that were chosen, the first that is not counted. */
static const char *note_of(struct watching *watching)
{
    const struct lauka_threads *threads = watching->threads;

    if (watching->reports > 0 || tells_counts(watching))
        return NULL;
    for (size_t e = 0; e < threads->event_count; e++)
        if (threads->event_errors[e] != 0)
            return say_refused(watching, watching->names[e], threads->event_errors[e]);
    if (threads->event_count > 0)
        return NULL;
    if (threads->counts)
        return "cycles and instructions are counted only while lauka watches: --interval 1000 "
               "shows those of every second";
    return say_refused(watching, "cycles and instructions", threads->count_error);
}

static struct lauka_thread_report report_of(struct watching *watching)
{
    const struct lauka_threads *threads = watching->threads;
    struct lauka_use gone = use_of(watching, &threads->gone, &threads->gone_before);
    struct lauka_use sum = sum_of(watching, &gone);
    bool interval = watching->options->run.interval_ns > 0;
    struct lauka_thread_report report = {
        .pid = (uint64_t)watching->options->run.pid,
        .name = threads->count > 0 ? threads->threads[0].name : "",
        .seconds = interval ? (double)(threads->at_ns - threads->before_ns) / 1e9 : 0,
        .type_count = threads->type_count,
        .rows = watching->rows,
        .count = threads->count,
        .left_out = threads->left_out,
        .begun = interval ? threads->begun : 0,
        .ended = interval ? threads->ended : 0,
        .gone = figures_of(watching, &gone),
        .total = figures_of(watching, &sum),
        .user_only = threads->user_only,
        .note = note_of(watching),
    };

    for (size_t i = 0; i < threads->count; i++)
        fill_row(watching, &threads->threads[i], &watching->rows[i]);
    for (size_t t = 0; t < threads->type_count && t < LAUKA_THREAD_TYPES_MAX; t++)
        report.types[t] = threads->labels[t];
    for (size_t e = 0; e < threads->event_count; e++)
        report.counts[e] = watching->names[e];
    report.count_count = threads->event_count;
    return report;
}

/* Returns 0 or an errno. */
static int write_table(const struct lauka_thread_report *report, enum lauka_color_choice color,
                       FILE *out)
{
    const struct lauka_terminal terminal = lauka_terminal_detect(STDOUT_FILENO, color);
    struct lauka_prose prose = lauka_prose_begin(out, terminal);

    lauka_put_threads(&prose, report);
    return lauka_prose_end(&prose);
}

static bool write_report(struct watching *watching, struct lauka_error *error)
{
    const struct lauka_options *options = watching->options;
    struct lauka_thread_report report = report_of(watching);
    bool json = options->write.outputs[LAUKA_DOCUMENT_JSON].wanted;

    if (!json && watching->reports > 0)
        fputc('\n', watching->out);
    int failure = json ? lauka_write_threads_json(&report, watching->out)
                       : write_table(&report, options->write.color, watching->out);
    watching->reports++;
    if (!failure && fflush(watching->out) != 0)
        failure = errno;
    return !failure || lauka_fail_stdout(error, failure);
}

/* ---- reading -------------------------------------------------------------------------------------- */

static bool fail_to_open(int failure, long pid, struct lauka_error *error)
{
    if (failure == ESRCH)
        return lauka_misuse(error, "there is no process %ld", pid);
    if (failure == EACCES)
        return lauka_misuse(error,
                            "there is no process %ld, or this user may not see it (hidepid); run "
                            "lauka as that process's user or as root",
                            pid);
    if (failure == EPERM)
        return lauka_fail(error, LAUKA_EXIT_HOST,
                          "process %ld is another user's; run lauka as that user or as root", pid);
    if (failure == EINVAL)
        return lauka_misuse(error, "%ld is a thread; lauka threads takes its process ID", pid);
    if (failure == ENOTSUP)
        return lauka_fail(error, LAUKA_EXIT_HOST,
                          "--events: lauka threads cannot choose events on this system");
    return lauka_fail(error, LAUKA_EXIT_HOST, "cannot watch process %ld: %s", pid,
                      strerror(failure));
}

/* Room for all threads that there are, in the library's table and in ours. */
static bool make_room(struct watching *watching, struct lauka_error *error)
{
    struct lauka_threads *threads = watching->threads;
    size_t wanted = 2 * (threads->count + threads->left_out);
    int failure = threads->left_out > 0 ? lauka_threads_reserve(threads, wanted) : 0;
    struct lauka_thread_row *rows =
        realloc(watching->rows, threads->capacity * sizeof *watching->rows);

    if (rows)
        watching->rows = rows;
    return (rows && !failure) ||
           lauka_fail(error, LAUKA_EXIT_INTERNAL, "out of memory for %zu threads", wanted);
}

/* False where the process has ended: that is said, but no error. Threads that were left out for want
 * of room are read at once, so that an interval begins for all of them. */
static bool read_all(struct watching *watching, bool *ended, struct lauka_error *error)
{
    do {
        int failure = lauka_threads_read(watching->threads);
        *ended = failure == ESRCH;
        if (*ended)
            return true;
        if (failure)
            return lauka_fail(error, LAUKA_EXIT_INTERNAL, "cannot read the threads: %s",
                              strerror(failure));
        if (!make_room(watching, error))
            return false;
    } while (watching->threads->left_out > 0 && watching->threads->before_ns == 0);
    return true;
}

/* Until the time has come, the process has ended, or lauka is interrupted. */
static void wait_until(const struct watching *watching, uint64_t until_ns)
{
    struct pollfd files[] = {{.fd = lauka_interrupt_descriptor(), .events = POLLIN},
                             {.fd = watching->threads->descriptor, .events = POLLIN}};

    while (!lauka_interrupt_signal()) {
        uint64_t now = lauka_now_ns();
        if (now >= until_ns)
            return;
        uint64_t left_ms = (until_ns - now + 999999) / 1000000;
        if (poll(files, 2, left_ms > 3600000 ? 3600000 : (int)left_ms) > 0)
            return;
    }
}

/* Intervals begin when the first read was made: one that is late makes no later one late. */
static bool watch(struct watching *watching, struct lauka_error *error)
{
    const struct lauka_options *options = watching->options;
    bool ended = false;

    if (!read_all(watching, &ended, error))
        return false;
    if (options->run.interval_ns == 0)
        return !ended ? write_report(watching, error)
                      : fail_to_open(ESRCH, (long)options->run.pid, error);
    uint64_t next_ns = watching->threads->at_ns;
    while (!ended &&
           (options->measure.rounds == 0 || watching->reports < options->measure.rounds)) {
        uint64_t now = lauka_now_ns();
        while (next_ns <= now)
            next_ns += options->run.interval_ns;
        wait_until(watching, next_ns);
        if (lauka_interrupt_signal())
            return true;
        if (!read_all(watching, &ended, error) || (!ended && !write_report(watching, error)))
            return false;
    }
    if (ended && !options->quiet)
        fprintf(stderr, "lauka: process %ld has ended\n", (long)options->run.pid);
    return true;
}

/* Two to four descriptors a thread. */
static void allow_many_files(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

/* The kernel counts an event of a thread only from when lauka asked for it. */
static bool check_events(const struct lauka_options *options, struct lauka_error *error)
{
    const struct lauka_event_list *list = &options->measure.events;

    if (list->count == 0)
        return true;
    if (options->run.interval_ns == 0)
        return lauka_misuse(
            error, "lauka threads counts events only while it watches: give --interval, as "
                   "in --interval 1s");
    for (size_t e = 0; e < list->count; e++)
        if (list->events[e].of_machine)
            return lauka_misuse(error, "%s counts whole CPUs, never a thread alone",
                                list->events[e].name);
    return list->count <= LAUKA_THREAD_EVENTS_MAX ||
           lauka_misuse(error, "lauka threads counts %d events at most", LAUKA_THREAD_EVENTS_MAX);
}

bool lauka_watch_threads(const struct lauka_options *options, FILE *out, struct lauka_error *error)
{
    struct watching watching = {.options = options, .out = out};
    const struct lauka_event_list *list = &options->measure.events;

    if (!check_events(options, error))
        return false;
    allow_many_files();
    int failure =
        lauka_threads_open((pid_t)options->run.pid, list->events, list->count, &watching.threads);
    if (failure)
        return fail_to_open(failure, (long)options->run.pid, error);
    for (size_t e = 0; e < list->count; e++)
        snprintf(watching.names[e], sizeof watching.names[e], "%s%s", list->events[e].name,
                 watching.threads->events_user[e] ? ":u" : "");
    bool good = watch(&watching, error);
    lauka_threads_close(watching.threads);
    free(watching.rows);
    return good;
}
