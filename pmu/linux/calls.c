/* calls on Linux: one tracepoint, that of all system calls (raw_syscalls:sys_enter), as a plain counter for each call's
 * number, which all processes of a command inherit. Nothing is recorded, so nothing can be lost. The tracepoints of
 * single calls (syscalls:sys_enter_NAME) would do without numbers, but the kernel waits for all CPUs whenever the last
 * event of a tracepoint is closed: ten seconds for all of them. */
#include "pmu/calls/calls.h"
#include "pmu/linux/call_names.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { EVERY = -1 }; /* in place of a call's number */

/* ---- opening --------------------------------------------------------------------------------- */

/* The tracepoint's number is for the lender to find: under sudo we may not read it. */
static struct perf_event_attr describe(void)
{
    struct perf_event_attr attr;
    memset(&attr, 0, sizeof attr);
    attr.size = PERF_ATTR_SIZE_VER0;
    attr.type = PERF_TYPE_TRACEPOINT;
    attr.disabled = 1;
    attr.inherit = 1;
    attr.enable_on_exec = 1; /* who starts the command is not counted */
    return attr;
}

/* A descriptor, or -1 and errno. */
static int open_one(const struct lauka_event_lender *lender, int number)
{
    struct perf_event_attr attr = describe();
    char filter[24];
    int file = lender->lend(lender->context, &attr, attr.size, -1);
    snprintf(filter, sizeof filter, "id == %d", number);
    if (file < 0 || number == EVERY || ioctl(file, PERF_EVENT_IOC_SET_FILTER, filter) == 0)
        return file;
    int error = errno;
    close(file);
    errno = error;
    return -1;
}

/* An event that nobody inherits: without it the kernel would exchange all events of the lender with those of a
 * command, at a switch from one to the other (see batch.c). */
static int hold(const struct lauka_event_lender *lender)
{
    struct perf_event_attr attr;
    memset(&attr, 0, sizeof attr);
    attr.size = PERF_ATTR_SIZE_VER0;
    attr.type = PERF_TYPE_SOFTWARE;
    attr.config = PERF_COUNT_SW_DUMMY;
    attr.disabled = 1;
    return lender->lend(lender->context, &attr, attr.size, -1);
}

static int add(const struct lauka_event_lender *lender, const char *name, size_t length, int number,
               struct lauka_call_counters *counters)
{
    struct lauka_call_counter *counter = &counters->counters[counters->count];
    *counter = (struct lauka_call_counter){.file = open_one(lender, number)};
    if (counter->file < 0)
        return errno;
    memcpy(counter->name, name, length);
    counters->count++;
    return 0;
}

static size_t count_names(void)
{
    struct lauka_call_names at = {0};
    size_t count = 0;
    while (lauka_call_names_next(&at))
        count++;
    return count;
}

/* That of all calls comes first, then that of foreign ones. */
static int open_all(const struct lauka_event_lender *lender, struct lauka_call_counters *counters)
{
    struct lauka_call_names at = {0};
    size_t names = count_names();
    if (names == 0)
        return ENOTSUP; /* nobody has looked what this processor's are called */
    counters->counters = calloc(names + LAUKA_CALL_FIRST, sizeof *counters->counters);
    if (!counters->counters)
        return ENOMEM;
    int error = add(lender, "", 0, EVERY, counters);
    if (!error)
        error = add(lender, "", 0, (int)lauka_call_foreign, counters);
    while (!error && lauka_call_names_next(&at))
        error = add(lender, at.name, at.length, (int)at.number, counters);
    return error;
}

int lauka_call_counters_open(const struct lauka_event_lender *lender,
                             struct lauka_call_counters *counters)
{
    *counters = (struct lauka_call_counters){.held = hold(lender)};
    int error = counters->held < 0 ? errno : open_all(lender, counters);
    if (error)
        lauka_call_counters_close(counters);
    return error;
}

/* ---- reading --------------------------------------------------------------------------------- */

static int read_one(struct lauka_call_counter *counter)
{
    uint64_t now;
    errno = 0;
    if (read(counter->file, &now, sizeof now) != (ssize_t)sizeof now)
        return errno ? errno : EIO;
    counter->count = now - counter->before;
    counter->before = now;
    return 0;
}

int lauka_call_counters_read(struct lauka_call_counters *counters)
{
    int error = 0;
    for (size_t i = 0; i < counters->count && !error; i++)
        error = read_one(&counters->counters[i]);
    counters->others = error ? 0 : counters->counters[0].count;
    for (size_t i = LAUKA_CALL_FIRST; i < counters->count && !error; i++)
        counters->others -= counters->counters[i].count;
    return error || counters->counters[1].count == 0 ? error : ENOTSUP;
}

void lauka_call_counters_close(struct lauka_call_counters *counters)
{
    for (size_t i = 0; i < counters->count; i++)
        close(counters->counters[i].file);
    if (counters->held > 0)
        close(counters->held);
    free(counters->counters);
    *counters = (struct lauka_call_counters){0};
}
