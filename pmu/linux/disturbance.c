/* disturbance on Linux: how long a command waited for a CPU, and what the machine as a whole lacked.
 * proc(5), and Documentation/accounting/psi.rst of the kernel. */
#include "pmu/linux/perf_event.h"
#include "pmu/counters/counters.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The beginning of a file; false if it cannot be read. */
static bool read_start(const char *path, char *text, size_t size)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = file >= 0 ? read(file, text, size - 1) : -1;
    if (file >= 0)
        close(file);
    text[got > 0 ? got : 0] = '\0';
    return got > 0;
}

enum { DIGITS_MAX = 10 };

/* "/proc/PID/schedstat". printf(3) would take eight kilobytes of the launcher's stack. */
static const char *name_account(pid_t pid, char path[40])
{
    char digits[DIGITS_MAX], *first = digits + sizeof digits;
    for (uint32_t rest = (uint32_t)pid; rest > 0; rest /= 10)
        *--first = (char)('0' + rest % 10);
    char *end = stpcpy(path, "/proc/");
    size_t length = (size_t)(digits + sizeof digits - first);
    memcpy(end, first, length);
    strcpy(end + length, "/schedstat");
    return path;
}

bool lauka_is_own_proc(void)
{
    static enum { UNKNOWN, OTHER, OWN } which;
    char number[20];

    if (which == UNKNOWN) {
        ssize_t length = readlink("/proc/self", number, sizeof number - 1);
        number[length > 0 ? length : 0] = '\0';
        which = atoi(number) == getpid() ? OWN : OTHER;
    }
    return which == OWN;
}

/* /proc/PID/schedstat: time on a CPU, time in a run queue, slices. */
uint64_t lauka_run_delay_ns(pid_t pid)
{
    char path[40], text[100], *end;
    if (!lauka_is_own_proc() || !read_start(name_account(pid, path), text, sizeof text))
        return LAUKA_UNKNOWN;
    (void)strtoull(text, &end, 10);
    char *delay = end;
    uint64_t delay_ns = strtoull(delay, &end, 10);
    return end != delay ? delay_ns : LAUKA_UNKNOWN;
}

/* "some avg10=0.00 avg60=0.00 avg300=0.00 total=12345", in microseconds. */
static uint64_t read_pressure(void)
{
    char text[200];
    if (!read_start("/proc/pressure/cpu", text, sizeof text) || strncmp(text, "some ", 5) != 0)
        return LAUKA_UNKNOWN;
    const char *total = strstr(text, "total=");
    return total ? strtoull(total + strlen("total="), NULL, 10) * 1000 : LAUKA_UNKNOWN;
}

/* "cpu  user nice system idle iowait irq softirq steal ...", in ticks. */
static uint64_t read_steal(void)
{
    char text[400], *at = text + 3;
    long ticks = sysconf(_SC_CLK_TCK);
    uint64_t steal = 0;
    if (!read_start("/proc/stat", text, sizeof text) || strncmp(text, "cpu ", 4) != 0)
        return LAUKA_UNKNOWN;
    for (int field = 0; field < 8; field++) {
        char *end;
        steal = strtoull(at, &end, 10);
        if (end == at)
            return LAUKA_UNKNOWN;
        at = end;
    }
    return steal * (1000000000u / (uint64_t)(ticks > 0 ? ticks : 100));
}

void lauka_disturbance_read(struct lauka_disturbance *disturbance)
{
    disturbance->pressure_ns = read_pressure();
    disturbance->steal_ns = read_steal();
}
