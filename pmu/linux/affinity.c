/* affinity: the CPUs on which a process may run, on Linux. It uses the system calls themselves, because
 * they are async-signal-safe and the C libraries' sets have sizes of their own. */
#include "pmu/counters/counters.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

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
