/* What a process that goes on, and its descendants, have used so far, on Linux: proc(5), clock_getcpuclockid(3). The
 * CPU time of living processes is exact; of children that were waited for the kernel tells ticks, mostly of 10 ms. */
#include "pmu/linux/perf_event.h"
#include "pmu/counters/counters.h"
#include "pmu/events/events.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Deeper trees, and what would be a circle, are cut off. */
enum { DEPTH_MAX = 32 };

static uint64_t clock_of(pid_t pid)
{
    struct timespec time;
    clockid_t clock;

    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &time) != 0)
        return 0;
    return (uint64_t)time.tv_sec * UINT64_C(1000000000) + (uint64_t)time.tv_nsec;
}

/* /proc/PID/stat, from the fields behind the name in parentheses, which may hold anything: the tenth to the thirteenth
 * are faults, with those of children that were waited for, the sixteenth and seventeenth the ticks of these. */
static void add_stat(const char *folder, struct lauka_usage *usage)
{
    enum { MINOR = 10, MAJOR = 12, CHILD_USER = 16, CHILD_SYSTEM = 17 };
    char file[64], text[1024];

    snprintf(file, sizeof file, "%s/stat", folder);
    lauka_sysfs_take("/proc", file, text, sizeof text);
    const char *at = strrchr(text, ')');
    for (int field = 3; at && (at = strchr(at, ' ')) != NULL && field <= CHILD_SYSTEM; field++) {
        const uint64_t value = strtoull(++at, NULL, 10);
        if (field == MINOR || field == MINOR + 1)
            usage->values[LAUKA_MINOR_FAULTS] += value;
        else if (field == MAJOR || field == MAJOR + 1)
            usage->values[LAUKA_MAJOR_FAULTS] += value;
        else if (field >= CHILD_USER)
            usage->values[LAUKA_CPU_TIME] +=
                value * (UINT64_C(1000000000) / (uint64_t)sysconf(_SC_CLK_TCK));
    }
}

/* As ru_maxrss, the largest of all. */
static void add_peak(const char *folder, struct lauka_usage *usage)
{
    static const char name[] = "\nVmHWM:";
    char file[64], text[4096];

    snprintf(file, sizeof file, "%s/status", folder);
    lauka_sysfs_take("/proc", file, text, sizeof text);
    const char *line = strstr(text, name);
    const uint64_t peak = line ? strtoull(line + strlen(name), NULL, 10) * 1024 : 0;
    if (peak > usage->values[LAUKA_PEAK_RSS])
        usage->values[LAUKA_PEAK_RSS] = peak;
}

static void add_process(pid_t pid, int depth, struct lauka_usage *usage);

static void add_children(const char *folder, const char *thread, int depth,
                         struct lauka_usage *usage)
{
    char file[128], text[4096], *end;

    snprintf(file, sizeof file, "%.40s/task/%.20s/children", folder, thread);
    lauka_sysfs_take("/proc", file, text, sizeof text);
    for (char *at = text; *at; at = end) {
        const long pid = strtol(at, &end, 10);
        if (end == at || *end != ' ') /* the text may have been cut there */
            break;
        add_process((pid_t)pid, depth + 1, usage);
        end += strspn(end, " ");
    }
}

static void add_process(pid_t pid, int depth, struct lauka_usage *usage)
{
    char folder[24], path[64];
    struct dirent *entry;

    if (depth > DEPTH_MAX || pid <= 1)
        return;
    snprintf(folder, sizeof folder, "%ld", (long)pid);
    snprintf(path, sizeof path, "/proc/%s/task", folder);
    usage->values[LAUKA_CPU_TIME] += clock_of(pid);
    add_stat(folder, usage);
    add_peak(folder, usage);
    DIR *threads = opendir(path);
    while (threads && (entry = readdir(threads)))
        if (entry->d_name[0] != '.')
            add_children(folder, entry->d_name, depth, usage);
    if (threads)
        closedir(threads);
}

void lauka_usage_of_living(pid_t pid, struct lauka_usage *usage)
{
    *usage = (struct lauka_usage){0};
    if (lauka_is_own_proc()) {
        add_process(pid, 0, usage);
    } else {
        usage->values[LAUKA_CPU_TIME] = clock_of(pid);
        usage->values[LAUKA_MINOR_FAULTS] = usage->values[LAUKA_MAJOR_FAULTS] = LAUKA_UNKNOWN;
    }
    if (usage->values[LAUKA_PEAK_RSS] == 0)
        usage->values[LAUKA_PEAK_RSS] = LAUKA_UNKNOWN;
    usage->values[LAUKA_USER_TIME] = usage->values[LAUKA_SYSTEM_TIME] = LAUKA_UNKNOWN;
    usage->values[LAUKA_CONTEXT_SWITCHES] = LAUKA_UNKNOWN;
}
