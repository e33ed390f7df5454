/* affinity: the CPUs on which a process may run, and where it ran, on Linux. It uses the system calls themselves, because
 * they are async-signal-safe and the C libraries' sets have sizes of their own. */
#include "pmu/counters/counters.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
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

/* A file of /proc/PID. False if it cannot be read. */
static bool read_about(pid_t pid, const char *name, char *text, size_t size)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = file >= 0 ? read(file, text, size - 1) : -1;
    if (file >= 0)
        close(file);
    text[got > 0 ? got : 0] = '\0';
    return got > 0;
}

/* CPU time of its first thread, in ns; 0 if it is not told. */
static uint64_t first_thread_ns(pid_t pid)
{
    char text[100];

    return read_about(pid, "schedstat", text, sizeof text) ? strtoull(text, NULL, 10) : 0;
}

/* Of all threads that it ever had. */
static uint64_t all_threads_ns(pid_t pid)
{
    struct timespec spent;
    clockid_t clock;

    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &spent) != 0)
        return 0;
    return (uint64_t)spent.tv_sec * 1000000000u + (uint64_t)spent.tv_nsec;
}

/* The number `field` of /proc/PID/stat, from 3 on: those behind the name, which may hold anything. */
static long long field_of(const char *stat, int field)
{
    const char *at = strrchr(stat, ')');

    for (int i = 2; at && i < field; i++)
        at = strchr(at + 1, ' ');
    return at ? strtoll(at, NULL, 10) : -1;
}

/* A thread that has ended is seen by its CPU time, a process that was reaped by its page faults: nobody does without. */
bool lauka_affinity_is_lone(pid_t pid, unsigned *cpu)
{
    enum { FAULTS_OF_CHILDREN = 11, THREADS = 20, CPU = 39 };
    char text[1024];
    uint64_t before_ns = first_thread_ns(pid), all_ns = all_threads_ns(pid);

    if (before_ns == 0 || all_ns != before_ns || first_thread_ns(pid) != before_ns ||
        !read_about(pid, "stat", text, sizeof text))
        return false;
    long long last = field_of(text, CPU);
    if (field_of(text, FAULTS_OF_CHILDREN) != 0 || field_of(text, THREADS) != 1 || last < 0 ||
        last >= LAUKA_CPUS_MAX)
        return false;
    *cpu = (unsigned)last;
    return true;
}
