/* native: what only this system counts. On Linux the portable events and those of sysfs are everything. */
#include "pmu/counters/counters.h"
#include "pmu/apple/apple.h"
#include "pmu/events/events.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- topology: the kinds of core of this machine, from sysfs ----------------------------------- */

void lauka_topology_detect(struct lauka_topology *topology)
{
    lauka_topology_read("/sys", topology);
}

/* ---- affinity: the CPUs on which a process may run, on Linux ----------------------------------- */

/* It uses the system calls themselves, because they are async-signal-safe and the C libraries' sets have sizes
 * of their own. */

_Static_assert(sizeof(struct lauka_cpu_set) % sizeof(long) == 0, "the kernel's masks are of longs");

int lauka_affinity_get(pid_t pid, struct lauka_cpu_set *set)
{
    memset(set, 0, sizeof *set);
    return syscall(SYS_sched_getaffinity, pid, sizeof set->words, set->words) < 0 ? errno : 0;
}

int lauka_affinity_set(pid_t pid, const struct lauka_cpu_set *set)
{
    return syscall(SYS_sched_setaffinity, pid, sizeof set->words, set->words) < 0 ? errno : 0;
}

/* ---- native ------------------------------------------------------------------------------------ */

const struct lauka_event *lauka_native_events(size_t *count)
{
    return lauka_default_events(count);
}

bool lauka_native_event(const char *asked, struct lauka_event *event, char *name, size_t size)
{
    (void)asked;
    (void)event;
    (void)name;
    (void)size;
    return false;
}

const struct lauka_apple_chip *lauka_native_chip(void)
{
    return NULL;
}

/* perf_event_open(2) shows in the counts how it does; this reports what may forbid it. */
void lauka_native_probe(FILE *out)
{
    char paranoid[64] = "", watchdog[64] = "";
    lauka_sysfs_read("/proc/sys/kernel", "perf_event_paranoid", paranoid, sizeof paranoid);
    lauka_sysfs_read("/proc/sys/kernel", "nmi_watchdog", watchdog, sizeof watchdog);
    fprintf(out, "{\"perf_event_paranoid\": \"%s\", \"nmi_watchdog\": \"%s\", \"pmus\": [",
            paranoid, watchdog);
    char **pmus = lauka_sysfs_list(LAUKA_SYSFS, ".");
    for (char **pmu = pmus; pmu && *pmu; pmu++)
        fprintf(out, "%s\"%s\"", pmu == pmus ? "" : ", ", *pmu);
    lauka_sysfs_free(pmus);
    fputs("]}", out);
}

const char *lauka_backend_unsupported(void)
{
    return "the counters cannot do what was asked, such as leaving the kernel out; choose another "
           "event";
}
