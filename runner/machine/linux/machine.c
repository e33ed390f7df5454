/* What machine this is, as Linux tells it. */
#include "runner/machine/machine.h"
#include "pmu/counters/counters.h"
#include "pmu/events/events.h"
#include "report/result/result.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/xattr.h>
#include <unistd.h>

/* The first "model name" of /proc/cpuinfo; arm64 kernels have none. */
static char *read_cpu_model(void)
{
    char line[512];
    bool found = lauka_cpuinfo_line("/proc", "model name", line, sizeof line);
    const char *colon = found ? strchr(line, ':') : NULL;

    return colon ? strdup(colon + 1 + strspn(colon + 1, " \t")) : NULL;
}

/* Of the first CPU. Virtual machines have none. */
static char *read_governor(void)
{
    char name[64];
    bool known = lauka_sysfs_read("/sys/devices/system/cpu", "cpu0/cpufreq/scaling_governor", name,
                                  sizeof name);

    return known && *name ? strdup(name) : NULL;
}

static uint64_t count_cpus(void)
{
    cpu_set_t set;
    long online = sysconf(_SC_NPROCESSORS_ONLN);

    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return (uint64_t)CPU_COUNT(&set);
    return online > 0 ? (uint64_t)online : 0; /* more CPUs than a cpu_set_t holds */
}

int lauka_machine_describe(struct lauka_result_host *host)
{
    struct utsname name;
    long pages = sysconf(_SC_PHYS_PAGES), page_size = sysconf(_SC_PAGESIZE);

    if (uname(&name) == 0) {
        host->os = strdup(name.sysname);
        host->kernel = strdup(name.release);
        host->arch = strdup(name.machine);
        if (!host->os || !host->kernel || !host->arch)
            return ENOMEM;
    }
    host->cpu_model = read_cpu_model();
    host->governor = read_governor();
    host->cpu_count = count_cpus();
    if (pages > 0 && page_size > 0)
        host->memory_bytes = (uint64_t)pages * (uint64_t)page_size;
    return 0;
}

uint64_t lauka_modified_ns(const struct stat *about)
{
    return (uint64_t)about->st_mtim.tv_sec * 1000000000u + (uint64_t)about->st_mtim.tv_nsec;
}

void lauka_cpu_siblings(unsigned cpu, struct lauka_cpu_set *siblings)
{
    char path[60], list[200];
    struct lauka_cpu_set found;

    lauka_cpu_set_add(siblings, cpu);
    snprintf(path, sizeof path, "cpu%u/topology/thread_siblings_list", cpu);
    if (lauka_sysfs_read("/sys/devices/system/cpu", path, list, sizeof list) &&
        lauka_cpu_set_parse(list, &found))
        lauka_cpu_set_join(siblings, &found);
}

int lauka_own_path(char *path, size_t size)
{
    ssize_t length = readlink("/proc/self/exe", path, size - 1);

    if (length < 0)
        return errno;
    path[length] = '\0';
    return 0;
}

/* ---- valgrind ----------------------------------------------------------------------------------- */

const char *lauka_valgrind_advice(void)
{
    return "install it (apt install valgrind, dnf install valgrind)";
}

/* capabilities(7): "File capabilities" */
bool lauka_has_file_capabilities(const char *path)
{
    return getxattr(path, "security.capability", NULL, 0) > 0;
}
