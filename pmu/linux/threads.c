/* threads on Linux: times from /proc, counts from events that are opened on every thread.
 *
 * Files stay open, for a read of an open one costs a fifth (0.35 us of schedstat, 1.2 us of stat; both
 * several times that where other programs had the caches meanwhile, which is the usual case: every
 * other call that can be left out is). stat, which has the name and how the time divides into user and
 * system, is only read of threads that have run since, or that nobody looked at for a second. What
 * threads used that are gone is the process's clock, which forgets none, less what the living ones
 * have used. */
#include "pmu/linux/perf_event.h"
#include "pmu/counters/counters.h"
#include "pmu/events/events.h"
#include "pmu/threads/threads.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* thread counts on Linux: cycles and instructions of single threads, each pair a group. Where several types of
 * core have counters of their own, there is a group for each of them: it is enabled wherever the thread runs,
 * and running while that is on cores of its type. */

/* ---- opening --------------------------------------------------------------------------------- */

static void close_if_open(int *descriptor)
{
    if (*descriptor >= 0)
        close(*descriptor);
    *descriptor = -1;
}

static void choose_events(struct lauka_thread_counts *counts, const struct lauka_topology *topology)
{
    static const struct lauka_event pair[] = {
        {.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES},
        {.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_INSTRUCTIONS}};
    const bool several = lauka_topology_count_pmus(topology) > 1;
    *counts = (struct lauka_thread_counts){.type_count = several ? topology->type_count : 1};
    for (size_t t = 0; t < counts->type_count; t++) {
        uint32_t pmu_type = several ? topology->types[t].pmu_type : 0;
        counts->has_type[t] = !several || pmu_type != 0;
        for (size_t e = 0; e < 2; e++) {
            counts->events[t][e] = pair[e];
            lauka_event_take_pmu(&counts->events[t][e], pmu_type);
        }
    }
}

/* Cycles, with instructions in their group; both must stay open as long. 0 or an errno. */
static int open_pair(const struct lauka_event events[2], pid_t thread, bool user_only, int *leader,
                     int *member)
{
    int error = 0;
    *leader =
        lauka_perf_event_open_on(&events[0], user_only, LAUKA_PERF_HOLD_GROUP, -1, thread, -1);
    *member = *leader < 0 ? -1
                          : lauka_perf_event_open_on(&events[1], user_only, LAUKA_PERF_HOLD_GROUP,
                                                     *leader, thread, -1);
    if (*member < 0)
        error = errno;
    if (error)
        close_if_open(leader);
    else
        ioctl(*leader, PERF_EVENT_IOC_ENABLE, 0);
    return error;
}

static int try_pair(const struct lauka_event events[2], pid_t pid, bool user_only)
{
    int leader, member, error = open_pair(events, pid, user_only, &leader, &member);
    close_if_open(&member);
    close_if_open(&leader);
    return error;
}

static int try_all(struct lauka_thread_counts *counts, const struct lauka_topology *topology,
                   pid_t pid)
{
    int error = 0;
    for (size_t t = 0; t < counts->type_count && !error; t++) {
        struct lauka_event *events = counts->events[t];
        const char *pmu = counts->type_count > 1 ? topology->types[t].pmu : "";
        if (!counts->has_type[t])
            continue;
        error = try_pair(events, pid, counts->user_only);
        if (lauka_perf_event_describe(&events[0], pmu, error) &&
            lauka_perf_event_describe(&events[1], pmu, error))
            error = try_pair(events, pid, counts->user_only);
    }
    return error;
}

/* Tries them on the process, and fills the types of core, labels, counts, count_error and user_only. */
static void thread_counts_open(struct lauka_thread_counts *counts, struct lauka_threads *shown,
                               pid_t pid)
{
    struct lauka_topology topology;
    lauka_topology_detect(&topology);
    choose_events(counts, &topology);
    int error = try_all(counts, &topology, pid);
    if (error == EACCES || error == EPERM) {
        counts->user_only = true;
        error = try_all(counts, &topology, pid);
    }
    shown->counts = error == 0;
    shown->count_error = error;
    shown->user_only = !error && counts->user_only;
    if (error)
        return;
    shown->type_count = counts->type_count;
    for (size_t t = 0; t < counts->type_count && counts->type_count > 1; t++)
        snprintf(shown->labels[t], sizeof shown->labels[t], "%s", topology.types[t].label);
}

/* Opens a thread's, into source->counts and members; returns how many descriptors that took. */
static size_t thread_counts_attach(const struct lauka_thread_counts *counts, pid_t thread,
                                   struct lauka_thread_source *source)
{
    size_t taken = 0;
    for (size_t t = 0; t < counts->type_count; t++)
        if (counts->has_type[t] && open_pair(counts->events[t], thread, counts->user_only,
                                             &source->counts[t], &source->members[t]) == 0)
            taken += 2;
    return taken;
}

/* ---- reading --------------------------------------------------------------------------------- */

struct pair {
    uint64_t count, enabled, running, cycles, instructions; /* as the kernel gives a group of two */
};

static bool read_pair(int descriptor, struct pair *pair)
{
    return descriptor >= 0 && read(descriptor, pair, sizeof *pair) == (ssize_t)sizeof *pair;
}

static uint64_t scaled(uint64_t value, uint64_t enabled, uint64_t running)
{
    struct lauka_reading reading = {value, enabled, running};
    uint64_t whole;
    return lauka_reading_scaled(&reading, &whole) ? whole : LAUKA_UNKNOWN;
}

static void forget(struct lauka_use *use)
{
    use->cycles = use->instructions = LAUKA_UNKNOWN;
    use->estimated = false;
}

/* enabled, running: of all types of core together. Time that others took from the counters is distributed
 * by what was counted, because nobody knows where it was; the whole is an estimate then. */
static void fill_use(const struct pair *pair, uint64_t enabled, uint64_t running,
                     struct lauka_use *use)
{
    enum { SLACK_NS = 20000 }; /* kernels start the time of a context before its counters */
    bool whole = running + running / 100 + SLACK_NS >= enabled;
    use->estimated = !whole;
    use->cycles = whole ? pair->cycles : scaled(pair->cycles, enabled, running);
    use->instructions = whole ? pair->instructions : scaled(pair->instructions, enabled, running);
}

/* On each type of core, and on all together. */
static void read_types(const struct lauka_thread_counts *counts,
                       const struct lauka_thread_source *source, struct lauka_thread *thread)
{
    struct pair pairs[LAUKA_CORE_TYPES_MAX] = {0}, sum = {0};
    for (size_t t = 0; t < counts->type_count; t++) {
        struct pair *pair = &pairs[t];
        if (!counts->has_type[t])
            continue;
        if (!read_pair(source->counts[t], pair)) {
            forget(&thread->total);
            for (size_t u = 0; u < counts->type_count; u++) {
                thread->types[u].time_ns = LAUKA_UNKNOWN;
                forget(&thread->types[u]);
            }
            return;
        }
        sum.enabled = pair->enabled > sum.enabled ? pair->enabled : sum.enabled;
        sum.running += pair->running;
        sum.cycles += pair->cycles;
        sum.instructions += pair->instructions;
    }
    fill_use(&sum, sum.enabled, sum.running, &thread->total);
    for (size_t t = 0; t < counts->type_count; t++) {
        struct lauka_use *use = &thread->types[t];
        fill_use(&pairs[t], sum.enabled, sum.running, use);
        use->time_ns =
            use->estimated ? scaled(pairs[t].running, sum.enabled, sum.running) : pairs[t].running;
        if (!counts->has_type[t]) {
            use->time_ns = LAUKA_UNKNOWN;
            forget(use);
        }
    }
}

/* Fills the counts of thread->total, and thread->types if there are several. */
static void thread_counts_read(const struct lauka_thread_counts *counts,
                               const struct lauka_thread_source *source,
                               struct lauka_thread *thread)
{
    struct lauka_use *use = &thread->total;
    struct pair pair;
    for (size_t t = 0; t < counts->type_count; t++)
        thread->types[t].user_ns = thread->types[t].system_ns = LAUKA_UNKNOWN;
    if (counts->type_count > 1) {
        read_types(counts, source, thread);
        return;
    }
    forget(use);
    if (!read_pair(source->counts[0], &pair))
        return;
    bool idle = pair.enabled == 0; /* it did not run at all since */
    use->cycles = idle ? 0 : scaled(pair.cycles, pair.enabled, pair.running);
    use->instructions = idle ? 0 : scaled(pair.instructions, pair.enabled, pair.running);
    use->estimated = pair.running < pair.enabled;
}

/* ---- threads ----------------------------------------------------------------------------------- */

struct process {
    int tasks;       /* descriptor of /proc/PID/task */
    int stat;        /* of /proc/PID/stat; -1: none */
    clockid_t clock; /* of all its threads, the ended ones too */
    bool has_clock;
    uint64_t time_ns;  /* by that clock, at the beginning of the read; LAUKA_UNKNOWN: not known */
    uint64_t asked_ns; /* when it was asked last */
    bool asked;        /* in this read */
    uint64_t tick_ns;  /* the unit of stat */
    struct lauka_thread_counts counts;
    struct lauka_thread_events events;
    size_t held, held_most; /* descriptors of threads; what is beyond is opened for every read */
};

static struct process *process_of(const struct lauka_thread_table *table)
{
    return table->system;
}

/* ---- files ----------------------------------------------------------------------------------- */

/* The text from the beginning of a file. Empty if it cannot be read. */
static size_t read_again(int descriptor, char *text, size_t size)
{
    ssize_t got = descriptor >= 0 ? pread(descriptor, text, size - 1, 0) : -1;
    size_t length = got > 0 ? (size_t)got : 0;
    text[length] = '\0';
    return length;
}

static int open_of_thread(const struct process *process, uint64_t id, const char *file)
{
    char path[64];
    snprintf(path, sizeof path, "%llu/%s", (unsigned long long)id, file);
    return openat(process->tasks, path, O_RDONLY | O_CLOEXEC);
}

/* For a file that could not be kept open because there were too many. */
static void read_of_thread(const struct process *process, uint64_t id, const char *file, int held,
                           char *text, size_t size)
{
    int descriptor = held >= 0 ? held : open_of_thread(process, id, file);
    read_again(descriptor, text, size);
    if (held < 0)
        close_if_open(&descriptor);
}

/* ---- stat and schedstat, proc(5) ------------------------------------------------------------- */

struct parts { /* of a time, in ticks */
    uint64_t user, system;
};

/* "PID (NAME) S 1 2 ...": a name may hold brackets and blanks itself. False for anything else. */
static bool parse_stat(char *text, char name[LAUKA_THREAD_NAME_SIZE], struct parts *parts)
{
    enum { FIELDS_BETWEEN = 11 }; /* after the state comes field 4; utime is field 14 */
    char *open = strchr(text, '('), *close = strrchr(text, ')');
    if (!open || !close || close < open || close[1] != ' ')
        return false;
    char *at = close + 2;
    for (int i = 0; i < FIELDS_BETWEEN && at; i++) {
        at = strchr(at, ' ');
        at = at ? at + 1 : NULL;
    }
    if (!at)
        return false;
    char *end;
    parts->user = strtoull(at, &end, 10);
    parts->system = strtoull(end, &end, 10);
    *close = '\0';
    snprintf(name, LAUKA_THREAD_NAME_SIZE, "%s", open + 1);
    return true;
}

/* The sum is exact, but the parts are counted in ticks. As the kernel does for a whole process, they are
 * scaled to the sum, and neither ever decreases. */
static void divide(struct lauka_use *use, const struct parts *parts, uint64_t tick_ns)
{
    uint64_t ticks = parts->user + parts->system;
    uint64_t user = use->user_ns, system = use->system_ns; /* at the last look */
    if (use->time_ns == LAUKA_UNKNOWN) {
        use->user_ns = parts->user * tick_ns;
        use->system_ns = parts->system * tick_ns;
        use->time_ns = use->user_ns + use->system_ns;
        return;
    }
    double share = ticks > 0 ? (double)parts->system / (double)ticks : 0;
    uint64_t scaled = (uint64_t)((double)use->time_ns * share);
    use->system_ns = scaled > system ? scaled : system;
    if (use->system_ns + user > use->time_ns)
        use->system_ns = use->time_ns > user ? use->time_ns - user : 0;
    use->user_ns = use->time_ns - use->system_ns;
}

static bool parse_schedstat(const char *text, uint64_t *time_ns)
{
    char *end;
    *time_ns = strtoull(text, &end, 10);
    return end != text;
}

/* ---- one thread ------------------------------------------------------------------------------ */

static bool has_room(const struct process *process, size_t count)
{
    return process->held + count <= process->held_most;
}

void lauka_thread_attach(struct lauka_thread_table *table, size_t index)
{
    struct lauka_thread_source *source = &table->sources[index];
    struct process *process = process_of(table);
    uint64_t id = table->threads[index].id;
    if (table->shown.counts && has_room(process, 2 * table->shown.type_count))
        process->held += thread_counts_attach(&process->counts, (pid_t)id, source);
    if (has_room(process, process->events.count * table->shown.type_count))
        process->held += lauka_thread_events_attach(&process->events, (pid_t)id, source);
    if (!has_room(process, 2))
        return;
    source->times = open_of_thread(process, id, "schedstat");
    source->names = open_of_thread(process, id, "stat");
    process->held += (source->times >= 0) + (source->names >= 0);
}

static void release(struct process *process, int *descriptor)
{
    process->held -= *descriptor >= 0;
    close_if_open(descriptor);
}

void lauka_thread_detach(struct lauka_thread_table *table, size_t index)
{
    struct lauka_thread_source *source = &table->sources[index];
    struct process *process = process_of(table);
    release(process, &source->times);
    release(process, &source->names);
    for (size_t k = 0; k < LAUKA_CORE_TYPES_MAX; k++) {
        release(process, &source->counts[k]);
        release(process, &source->members[k]);
        for (size_t e = 0; e < LAUKA_THREAD_EVENTS_MAX; e++)
            release(process, &source->events[e][k]);
    }
}

/* How old the division into user and system time may be. Ticks do not move more often; someone who reads
 * more often than that gets a new division at every fourth read. */
static uint64_t patience_ns(const struct lauka_thread_table *table)
{
    uint64_t tick_ns = process_of(table)->tick_ns;
    return table->shown.at_ns - table->shown.before_ns < tick_ns ? 4 * tick_ns : tick_ns;
}

void lauka_thread_read(struct lauka_thread_table *table, size_t index)
{
    enum { LONG_AGO_NS = 1000000000 };
    struct lauka_thread *thread = &table->threads[index];
    struct lauka_thread_source *source = &table->sources[index];
    struct lauka_use *use = &thread->total;
    char text[1024];
    uint64_t before_ns = use->time_ns;

    read_of_thread(process_of(table), thread->id, "schedstat", source->times, text, sizeof text);
    bool known = parse_schedstat(text, &use->time_ns);
    source->gone = !known;
    if (!known)
        use->time_ns = thread->is_new ? LAUKA_UNKNOWN : before_ns;
    thread_counts_read(&process_of(table)->counts, source, thread);
    lauka_thread_events_read(&process_of(table)->events, source, use);
    if (known && !thread->is_new && use->time_ns == before_ns &&
        table->shown.at_ns - source->looked_ns < LONG_AGO_NS)
        return;
    struct parts parts = {source->user_ticks, source->system_ticks};
    uint64_t tick_ns = process_of(table)->tick_ns;
    bool fresh = !thread->is_new && table->shown.at_ns - source->looked_ns < patience_ns(table);
    if (!fresh) {
        read_of_thread(process_of(table), thread->id, "stat", source->names, text, sizeof text);
        fresh = parse_stat(text, thread->name, &parts);
        source->user_ticks = parts.user;
        source->system_ticks = parts.system;
        source->looked_ns = table->shown.at_ns;
    }
    if (fresh)
        divide(use, &parts, tick_ns);
    else if (thread->is_new)
        use->user_ns = use->system_ns = LAUKA_UNKNOWN;
}

/* ---- all threads ----------------------------------------------------------------------------- */

/* As getdents64(2) gives them; glibc's readdir would allocate. */
struct entry {
    uint64_t inode;
    int64_t offset;
    uint16_t size;
    uint8_t type;
    char name[];
};

static void see_entries(struct lauka_thread_table *table, lauka_thread_seen *see,
                        const char *buffer, size_t size)
{
    for (size_t at = 0; at < size;) {
        const struct entry *entry = (const void *)(buffer + at);
        if (entry->name[0] >= '0' && entry->name[0] <= '9')
            see(table, strtoull(entry->name, NULL, 10));
        at += entry->size;
    }
}

int lauka_threads_list(struct lauka_thread_table *table, lauka_thread_seen *see)
{
    _Alignas(struct entry) char buffer[16384];
    int tasks = process_of(table)->tasks;
    long got;
    if (lseek(tasks, 0, SEEK_SET) < 0)
        return errno;
    while ((got = syscall(SYS_getdents64, tasks, buffer, sizeof buffer)) > 0)
        see_entries(table, see, buffer, (size_t)got);
    return got < 0 ? errno == ENOENT ? ESRCH : errno : 0;
}

/* ---- the process ----------------------------------------------------------------------------- */

/* 'Z' and 'X' are its end, but for a main thread that ended before the others. */
static bool has_ended(const struct lauka_thread_table *table)
{
    struct pollfd file = {.fd = table->shown.descriptor, .events = POLLIN};
    if (file.fd >= 0)
        return poll(&file, 1, 0) > 0;
    char text[1024];
    if (read_again(process_of(table)->stat, text, sizeof text) == 0)
        return true;
    const char *close = strrchr(text, ')');
    bool dead = close && (close[2] == 'Z' || close[2] == 'X');
    return dead && table->shown.count <= 1;
}

/* Threads that began and ended between two reads show only in the process's clock, at most a tick later;
 * and a process of several threads ends by losing some. */
int lauka_threads_begin(struct lauka_thread_table *table, uint64_t now_ns, bool changed)
{
    struct process *process = process_of(table);
    struct timespec time;
    if ((changed || table->shown.count < 2) && has_ended(table))
        return ESRCH;
    process->asked = changed || now_ns - process->asked_ns >= process->tick_ns;
    if (!process->asked)
        return 0;
    process->asked_ns = now_ns;
    process->time_ns = LAUKA_UNKNOWN;
    if (process->has_clock && clock_gettime(process->clock, &time) == 0)
        process->time_ns = (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
    return 0;
}

/* How the time of the threads that are gone is divided; it has grown since. Neither part ever decreases. */
static void divide_gone(const struct process *process, const struct lauka_use *living,
                        struct lauka_use *gone)
{
    char text[1024], ignored[LAUKA_THREAD_NAME_SIZE];
    struct parts parts;
    read_again(process->stat, text, sizeof text);
    if (!parse_stat(text, ignored, &parts))
        return;
    uint64_t user = living->user_ns / process->tick_ns;
    uint64_t system = living->system_ns / process->tick_ns;
    parts.user = parts.user > user ? parts.user - user : 0;
    parts.system = parts.system > system ? parts.system - system : 0;
    divide(gone, &parts, process->tick_ns);
}

/* The process's clock was read before its threads' clocks. So the rest is never too much, and 0 if no
 * thread has ended; but it is never less than what ended threads are known to have used. */
void lauka_threads_finish(struct lauka_thread_table *table)
{
    struct lauka_use *gone = &table->shown.gone, living = {0};
    const struct lauka_use *before = &table->shown.gone_before;
    if (!process_of(table)->asked)
        return;
    for (size_t i = 0; i < table->shown.count; i++)
        living = lauka_use_plus(&living, &table->threads[i].total);
    uint64_t whole_ns = process_of(table)->time_ns;
    *gone = (struct lauka_use){.cycles = LAUKA_UNKNOWN, .instructions = LAUKA_UNKNOWN};
    memset(gone->events, -1, sizeof gone->events); /* LAUKA_UNKNOWN */
    if (whole_ns == LAUKA_UNKNOWN || living.time_ns == LAUKA_UNKNOWN || table->shown.left_out > 0) {
        gone->time_ns = gone->user_ns = gone->system_ns = LAUKA_UNKNOWN;
        return;
    }
    if (before->time_ns != LAUKA_UNKNOWN && before->user_ns != LAUKA_UNKNOWN)
        *gone = *before;
    gone->cycles = gone->instructions = LAUKA_UNKNOWN;
    memset(gone->events, -1, sizeof gone->events);
    uint64_t rest_ns = whole_ns > living.time_ns ? whole_ns - living.time_ns : 0;
    if (rest_ns <= gone->time_ns)
        return;
    gone->time_ns = rest_ns;
    divide_gone(process_of(table), &living, gone);
}

/* Leaves some descriptors to the caller and for files that are opened for a moment. lowest: the last
 * descriptor that was opened, which shows about how many there are. */
static size_t descriptors_to_hold(int lowest)
{
    struct rlimit limit;
    if (lowest < 0 || getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur <= (rlim_t)lowest)
        return 0;
    rlim_t left = limit.rlim_cur - (rlim_t)lowest;
    return left > 1000000 ? 750000 : (size_t)left / 4 * 3;
}

/* Only its user and root may read a process's events and figures. EACCES: /proc hides it from us. */
static int check_process(pid_t pid)
{
    char path[64], text[2048];
    struct stat about;
    snprintf(path, sizeof path, "/proc/%d", (int)pid);
    if (pid <= 0)
        return ESRCH;
    if (stat(path, &about) != 0)
        return getpgid(pid) < 0 ? ESRCH : EACCES;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    read_again(file, text, sizeof text);
    close_if_open(&file);
    const char *leader = strstr(text, "\nTgid:");
    if (leader && strtol(leader + 6, NULL, 10) != (long)pid)
        return EINVAL;
    return geteuid() != 0 && about.st_uid != geteuid() ? EPERM : 0;
}

int lauka_threads_attach(struct lauka_thread_table *table, const struct lauka_event *events,
                         size_t count)
{
    char path[64];
    long ticks = sysconf(_SC_CLK_TCK);
    int error = check_process(table->pid);
    if (error)
        return error;
    struct process *process = calloc(1, sizeof *process);
    if (!process)
        return ENOMEM;
    table->system = process;
    snprintf(path, sizeof path, "/proc/%d/task", (int)table->pid);
    process->tasks = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    error = process->tasks < 0 ? errno : 0;
    table->folder = process->tasks;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)table->pid);
    process->stat = open(path, O_RDONLY | O_CLOEXEC);
    process->tick_ns = 1000000000u / (uint64_t)(ticks > 0 ? ticks : 100);
    process->held_most = descriptors_to_hold(process->stat);
    process->has_clock = clock_getcpuclockid(table->pid, &process->clock) == 0;
#ifdef SYS_pidfd_open
    table->shown.descriptor = (int)syscall(SYS_pidfd_open, table->pid, 0);
#endif
    if (!error && count > 0)
        lauka_thread_events_open(&process->events, events, count, &table->shown, table->pid);
    else if (!error)
        thread_counts_open(&process->counts, &table->shown, table->pid);
    return error == ENOENT ? ESRCH : error;
}

void lauka_threads_detach(struct lauka_thread_table *table)
{
    struct process *process = process_of(table);
    close_if_open(&table->shown.descriptor);
    if (!process)
        return;
    close_if_open(&process->tasks);
    close_if_open(&process->stat);
    free(process);
    table->system = NULL;
}
