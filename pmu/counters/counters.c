/* counters: what every system does with a set of events: scale what was read, and say why something could
 * not be counted. */
#include "pmu/counters/counters.h"
#include "pmu/events/events.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

__extension__ typedef unsigned __int128 uint128;

bool lauka_reading_scaled(const struct lauka_reading *reading, uint64_t *value)
{
    *value = 0;
    if (reading->running == 0)
        return false;

    uint128 scaled = reading->value;
    if (reading->running < reading->enabled)
        scaled = (scaled * reading->enabled + reading->running / 2) / reading->running;
    if (scaled > UINT64_MAX)
        return false;
    *value = (uint64_t)scaled;
    return true;
}

double lauka_reading_share(const struct lauka_reading *reading)
{
    if (reading->running == 0)
        return 0;
    if (reading->running >= reading->enabled)
        return 1;
    return (double)reading->running / (double)reading->enabled;
}

void lauka_counters_prepare(struct lauka_counters *counters, const struct lauka_event *events,
                            size_t count)
{
    assert(count <= LAUKA_EVENTS_MAX);

    memset(counters, 0, sizeof *counters);
    counters->count = counters->asked = count;
    counters->set_count = 1;
    counters->turn = LAUKA_ALL_SETS;
    counters->topology.type_count = 1;
    counters->migrations = counters->held_clock = counters->held_migrations = -1;
    lauka_residency_forget(&counters->residency);
    for (size_t i = 0; i < count; i++)
        counters->events[i] = &events[i];
    for (size_t i = 0; i < LAUKA_COUNTERS_MAX; i++) {
        counters->held[i] = counters->armed[i] = -1;
        counters->leaders[i] = counters->order[i] = counters->wholes[i] = (uint8_t)i;
        counters->sets[i] = LAUKA_EVERY_SET;
    }
    for (size_t i = 0; i < LAUKA_CLOCKS_MAX; i++)
        counters->clocks[i] = -1;
}

bool lauka_counters_has_turn(const struct lauka_counters *counters, size_t index)
{
    return counters->turn == LAUKA_ALL_SETS || counters->sets[index] == LAUKA_EVERY_SET ||
           counters->sets[index] == counters->turn;
}

void lauka_counters_name(const struct lauka_counters *counters, size_t index, char *name,
                         size_t size)
{
    const struct lauka_event *event = counters->events[index];
    bool part = index >= counters->asked;
    bool marked = (counters->user_only || (!part && counters->user[index])) &&
                  counters->errors[index] == 0 && event->modes == LAUKA_MODES_ALL;
    snprintf(name, size, "%s%s%s%s", lauka_counters_meant(counters, index)->name,
             marked ? ":u" : "", part ? "@" : "",
             part ? counters->topology.types[event->core - 1].label : "");
}

bool lauka_counters_verify(const struct lauka_counters *counters, uint64_t cpu_ns,
                           struct lauka_reading *readings)
{
    enum { SLACK_NS = 500000 }; /* CPU time before exec and after the events' end */
    /* An event of one PMU is enabled on its own cores only; the clocks vanish together with the events. */
    uint64_t on_cores =
        lauka_residency_total_ns(&counters->residency, counters->topology.type_count);
    uint64_t longest = counters->started_cpu_ns + (on_cores == LAUKA_UNKNOWN ? 0 : on_cores);
    bool any = false;

    for (size_t i = 0; i < counters->count; i++) {
        if (counters->events[i]->of_machine) /* nothing takes them away */
            continue;
        uint64_t until = counters->started_cpu_ns + readings[i].enabled;
        longest = until > longest ? until : longest;
        any = any || readings[i].running > 0;
    }
    /* Events end before their process does: with many short ones a third of the time can be missing. */
    if (!any || counters->whole_runs || longest + longest + SLACK_NS >= cpu_ns)
        return true;
    for (size_t i = 0; i < counters->count; i++)
        if (!counters->events[i]->of_machine)
            readings[i] = (struct lauka_reading){0};
    return false;
}

bool lauka_event_is_hardware(const struct lauka_event *event)
{
    if (event->of_one_pmu)
        return event->of_cores;
    return event->type != LAUKA_TYPE_SOFTWARE && event->type != LAUKA_TYPE_TRACEPOINT &&
           event->type != LAUKA_TYPE_BREAKPOINT;
}

/* ---- Groups ---- */

/* Generic hardware events whose ratio is worth knowing, by attr.config. */
static const struct {
    uint64_t of, per;
} pairs[] = {
    {1, 0}, /* instructions, cycles */
    {5, 4}, /* branch misses, branches */
    {3, 2}, /* cache misses, cache references */
};

static bool is_generic(const struct lauka_counters *counters, size_t index, uint64_t config)
{
    const struct lauka_event *event = lauka_counters_meant(counters, index);
    return counters->errors[index] == 0 && event->type == LAUKA_TYPE_HARDWARE &&
           event->group == 0 && event->config == config;
}

static void pair(struct lauka_counters *counters, uint64_t of, uint64_t per)
{
    for (size_t i = 0; i < counters->count; i++)
        for (size_t j = 0; j < counters->count; j++)
            if (is_generic(counters, i, of) && is_generic(counters, j, per) &&
                counters->events[i]->modes == counters->events[j]->modes &&
                counters->events[i]->core == counters->events[j]->core)
                counters->leaders[i] = (uint8_t)j;
}

/* Whether two events that were requested as one group can be one: they need one kind of core and one PMU. */
static bool go_together(const struct lauka_counters *counters, size_t a, size_t b)
{
    const struct lauka_event *left = counters->events[a], *right = counters->events[b];
    return left->group != 0 && left->group == right->group && counters->errors[a] == 0 &&
           counters->errors[b] == 0 && !counters->sums[a] && !counters->sums[b] &&
           lauka_event_is_hardware(left) && lauka_event_is_hardware(right) &&
           left->core == right->core && left->of_one_pmu == right->of_one_pmu &&
           (!left->of_one_pmu || left->type == right->type);
}

static bool goes_before(const struct lauka_counters *counters, size_t a, size_t b)
{
    bool leads = counters->events[a]->leads;
    return leads == counters->events[b]->leads ? a < b : leads;
}

/* The one that has to lead, or else the first one. */
static void join_asked(struct lauka_counters *counters)
{
    for (size_t i = 0; i < counters->count; i++) {
        size_t leader = i;
        for (size_t j = 0; j < counters->count; j++)
            if (go_together(counters, i, j) && goes_before(counters, j, leader))
                leader = j;
        counters->leaders[i] = (uint8_t)leader;
    }
}

void lauka_counters_pair(struct lauka_counters *counters)
{
    join_asked(counters);
    for (size_t p = 0; p < sizeof pairs / sizeof pairs[0]; p++)
        pair(counters, pairs[p].of, pairs[p].per);
}

/* ---- The advice: "cannot count NAMES: REASON; WHAT TO DO" ---- */

#define REFUSAL(error_) error_, #error_

static const struct {
    int error;
    const char *name;
    const char *text;
} advices[] = {
    {REFUSAL(EACCES),
     "permission denied; run as root, or set kernel.perf_event_paranoid to 1 or less "
     "(sysctl), or give lauka the capability (setcap cap_perfmon=ep)"},
    {REFUSAL(EPERM), "a security filter refused perf_event_open; in a container, start it with "
                     "--cap-add PERFMON or --security-opt seccomp=unconfined"},
    {REFUSAL(ENOSYS),
     "perf_event_open is hidden by a security filter or missing from this kernel; in a "
     "container, start it with --security-opt seccomp=unconfined"},
    {REFUSAL(EINVAL), "the kernel finds the event invalid on this CPU; choose another event"},
    {REFUSAL(ENODEV),
     "the counters have gone, perhaps with a CPU that was taken offline; bring it online "
     "or start lauka again"},
    {REFUSAL(EMFILE), "lauka has too many files open; raise the limit (ulimit -n)"},
    {REFUSAL(ENFILE), "the system has too many files open; raise fs.file-max (sysctl)"},
    {REFUSAL(ESRCH), "the process to be counted had already gone; start lauka again"},
    {REFUSAL(E2BIG),
     "this kernel does not understand the request; report it with the output of uname -r"},
    {REFUSAL(EBUSY), "another profiler or the NMI watchdog holds the counters; stop it, or set "
                     "kernel.nmi_watchdog to 0 (sysctl)"},
    {REFUSAL(ENOSPC), "this kind of core has too few counters; ask for fewer events"},
    {REFUSAL(ENXIO),
     "not every kind of core has the event; count it on one of them, by the name that "
     "its PMU gives it (lauka list)"},
    {REFUSAL(ENOENT), NULL}, /* these depend: see advice() */
    {REFUSAL(ENOTSUP), NULL},
    {REFUSAL(EOPNOTSUPP), "the counters cannot do what was asked, such as leaving the kernel out; "
                          "choose another event"},
};

int lauka_refusal_number(const char *name)
{
    for (size_t i = 0; i < sizeof advices / sizeof advices[0]; i++)
        if (strcmp(advices[i].name, name) == 0)
            return advices[i].error;
    return 0;
}

const char *lauka_counter_holder(const char *root)
{
    char text[16] = "";
    lauka_sysfs_read(root, "nmi_watchdog", text, sizeof text);
    return strcmp(text, "1") == 0 ? "a counter is taken, most likely by the NMI watchdog: "
                                    "kernel.nmi_watchdog = 0 (sysctl) "
                                    "frees it"
                                  : "another profiler holds a counter";
}

bool lauka_machine_is_virtual(const char *root)
{
    char flags[4096]; /* of all CPUs */

    return lauka_cpuinfo(root, "flags", flags, sizeof flags) && strstr(flags, " hypervisor");
}

static bool counts_hardware(const struct lauka_counters *counters)
{
    for (size_t i = 0; i < counters->count; i++)
        if (counters->errors[i] == 0 && lauka_event_is_hardware(counters->events[i]))
            return true;
    return false;
}

static const char *advice(const struct lauka_counters *counters, int error)
{
    if (error == ENOTSUP)
        return *counters->trouble ? counters->trouble : lauka_backend_unsupported();
    if (error == EPERM && counters->whole_runs) /* macOS: each was tried */
        return "this macOS does not allow the event on this chip; leave it out, or update macOS";
    if (error == ENOBUFS) /* lauka's own: LAUKA_CLOCKS_MAX */
        return "lauka keeps the time of no more than 64 CPUs of one kind of core, or 256 of "
               "several; each costs every run 2 us";
    if (error == ENOENT && counts_hardware(counters))
        return "this CPU does not have the event; leave it out or choose another";
    if (error == ENOENT && counters->virtual_machine)
        return "this VM has no PMU; try --counters=valgrind";
    if (error == ENOENT)
        return "this machine has no PMU; try --counters=valgrind";
    for (size_t i = 0; i < sizeof advices / sizeof advices[0]; i++)
        if (advices[i].error == error)
            return advices[i].text;
    return NULL;
}

/* What counting tracepoints needs, followed by what prevents it here. */
#define TRACEPOINTS                                                                                \
    "run lauka as root with tracefs mounted (mount -t tracefs tracefs /sys/kernel/tracing), or "   \
    "make tracefs readable and set kernel.perf_event_paranoid to 1 or less (sysctl); in a "        \
    "container, seccomp has to allow perf_event_open, too (--cap-add PERFMON)"

/* NULL if tracepoints are not the reason. */
static const char *tracepoint_advice(const struct lauka_counters *counters, size_t index)
{
    const struct lauka_event *event = counters->events[index];
    if (event->type != LAUKA_TYPE_TRACEPOINT)
        return NULL;
    switch (counters->errors[index]) {
    case ENOENT:
        return event->config == 0 ? "tracefs, which lists the tracepoints, is missing; " TRACEPOINTS
                                  : "this kernel cannot count tracepoints; leave it out";
    case ESRCH:
        return "the kernel has no such tracepoint; leave it out (lauka list shows them)";
    case EACCES:
        return event->config == 0 ? "tracefs, which lists the tracepoints, may not be read by this "
                                    "user; " TRACEPOINTS
                                  : "this user may not count in the kernel; " TRACEPOINTS;
    case EPERM:
    case ENOSYS:
        return "a security filter (seccomp) refused perf_event_open; " TRACEPOINTS;
    default:
        return NULL;
    }
}

/* As much of a text as fits into the caller's buffer; always terminated. */
struct text {
    char *start; /* borrowed */
    size_t size, used;
};

__attribute__((format(printf, 2, 3))) static void append(struct text *text, const char *format, ...)
{
    if (text->used + 1 >= text->size)
        return;

    va_list arguments;
    va_start(arguments, format);
    size_t room = text->size - text->used;
    int length = vsnprintf(text->start + text->used, room, format, arguments);
    va_end(arguments);
    if (length > 0)
        text->used += (size_t)length < room ? (size_t)length : room - 1;
}

static void append_reason(struct text *text, const char *known, int error)
{
    if (known)
        append(text, "%s", known);
    else
        append(text, "error %d (%s), which lauka has no advice for; please report it", error,
               strerror(error));
}

void lauka_counters_explain(const struct lauka_counters *counters, int error, char *text,
                            size_t size)
{
    struct text all = {.start = text, .size = size};
    if (size > 0)
        text[0] = '\0';
    append_reason(&all, advice(counters, error), error);
}

/* Static, or the counters'; NULL: unknown. */
static const char *reason_of(const struct lauka_counters *counters, size_t index)
{
    const char *own = tracepoint_advice(counters, index);
    bool denied = counters->errors[index] == EACCES || counters->errors[index] == EPERM;
    if (denied && counters->events[index]->of_machine)
        return "only root may count whole CPUs, or others with kernel.perf_event_paranoid at 0 or "
               "less (sysctl); run lauka as root";
    return own ? own : advice(counters, counters->errors[index]);
}

static bool is_same_refusal(const struct lauka_counters *counters, size_t a, size_t b)
{
    return counters->errors[a] == counters->errors[b] &&
           reason_of(counters, a) == reason_of(counters, b);
}

static void append_refusal(struct text *text, const struct lauka_counters *counters, size_t index)
{
    const char *between = text->used > 0 ? "; cannot count " : "cannot count ";
    for (size_t i = 0; i < counters->asked; i++) {
        if (!is_same_refusal(counters, i, index))
            continue;
        append(text, "%s%s", between, counters->events[i]->name);
        between = ", ";
    }

    append(text, ": ");
    append_reason(text, reason_of(counters, index), counters->errors[index]);
}

static bool said_before(const struct lauka_counters *counters, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (is_same_refusal(counters, i, index))
            return true;
    return false;
}

void lauka_counters_list_set(const struct lauka_counters *counters, unsigned set, char *text,
                             size_t size)
{
    struct text all = {.start = text, .size = size};
    const char *between = "";
    for (size_t i = 0; i < counters->asked; i++) {
        if (counters->errors[i] != 0 ||
            (counters->sets[i] != set && counters->sets[i] != LAUKA_EVERY_SET))
            continue;
        append(&all, "%s%s", between, counters->events[i]->name);
        between = ", ";
    }
}

bool lauka_counters_advice(const struct lauka_counters *counters, char *text, size_t size)
{
    struct text all = {.start = text, .size = size};
    bool missing = false;
    if (size > 0)
        text[0] = '\0';

    for (size_t i = 0; i < counters->asked; i++) {
        if (counters->errors[i] == 0)
            continue;
        missing = true;
        if (!said_before(counters, i))
            append_refusal(&all, counters, i);
    }
    return missing;
}

const struct lauka_event *lauka_counters_meant(const struct lauka_counters *counters, size_t index)
{
    return counters->events[counters->wholes[index]];
}
