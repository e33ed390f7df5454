/* counters: what is the same on every system about a set of events: scaling what was read, and
 * saying why something could not be counted. */
#include "pmu.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "pmu/backend.h"

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
    assert(count <= LAUKA_COUNTERS_MAX);

    *counters = (struct lauka_counters){.count = count};
    for (size_t i = 0; i < count; i++)
        counters->events[i] = &events[i];
    for (size_t i = 0; i < LAUKA_COUNTERS_MAX; i++)
        counters->held[i] = counters->armed[i] = -1;
}

bool lauka_event_is_hardware(const struct lauka_event *event)
{
    /* PERF_TYPE_SOFTWARE, _TRACEPOINT and _BREAKPOINT; every other type is some PMU's. */
    return event->type != 1 && event->type != 2 && event->type != 5;
}

/* ---- The advice: "cannot count NAMES: REASON; WHAT TO DO" ---- */

static const struct {
    int error;
    const char *text;
} advices[] = {
    {EACCES, "permission denied; run as root, or set kernel.perf_event_paranoid to 1 or less "
             "(sysctl), or give lauka the capability (setcap cap_perfmon=ep)"},
    {EPERM, "a security filter refused perf_event_open; in a container, start it with "
            "--cap-add PERFMON or --security-opt seccomp=unconfined"},
    {ENOSYS, "perf_event_open is hidden by a security filter or missing from this kernel; in a "
             "container, start it with --security-opt seccomp=unconfined"},
    {EINVAL, "the kernel finds the event invalid on this CPU; choose another event"},
    {ENODEV, "the counters have gone, perhaps with a CPU that was taken offline; bring it online "
             "or start lauka again"},
    {EMFILE, "lauka has too many files open; raise the limit (ulimit -n)"},
    {ENFILE, "the system has too many files open; raise fs.file-max (sysctl)"},
    {ESRCH, "the process to be counted had already gone; start lauka again"},
    {E2BIG, "this kernel does not understand the request; report it with the output of uname -r"},
    {EBUSY, "another profiler or the NMI watchdog holds the counters; stop it, or set "
            "kernel.nmi_watchdog to 0 (sysctl)"},
};

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
        return lauka_backend_unsupported();
    if (error == ENOENT && counts_hardware(counters))
        return "this CPU does not have the event; leave it out or choose another";
    if (error == ENOENT)
        return "no hardware counters in this machine (a virtual machine without a PMU?); run on "
               "the bare machine, or give the virtual one a PMU";
    for (size_t i = 0; i < sizeof advices / sizeof advices[0]; i++)
        if (advices[i].error == error)
            return advices[i].text;
    return NULL;
}

/* As much of a text as fits into the caller's room; always terminated. */
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

static void append_refusal(struct text *text, const struct lauka_counters *counters, int error)
{
    const char *between = text->used > 0 ? "; cannot count " : "cannot count ";
    for (size_t i = 0; i < counters->count; i++) {
        if (counters->errors[i] != error)
            continue;
        append(text, "%s%s", between, counters->events[i]->name);
        between = ", ";
    }

    const char *known = advice(counters, error);
    if (known)
        append(text, ": %s", known);
    else
        append(text, ": error %d (%s), which lauka has no advice for; please report it", error,
               strerror(error));
}

static bool said_before(const struct lauka_counters *counters, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (counters->errors[i] == counters->errors[index])
            return true;
    return false;
}

bool lauka_counters_advice(const struct lauka_counters *counters, char *text, size_t size)
{
    struct text all = {.start = text, .size = size};
    bool missing = false;
    if (size > 0)
        text[0] = '\0';

    for (size_t i = 0; i < counters->count; i++) {
        if (counters->errors[i] == 0)
            continue;
        missing = true;
        if (!said_before(counters, i))
            append_refusal(&all, counters, counters->errors[i]);
    }
    return missing;
}
