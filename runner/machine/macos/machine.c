/* What macOS tells of the machine, and what it cannot do of what Linux does for measuring. */
#include "runner/machine/machine.h"
#include "pmu/counters/counters.h"
#include "report/result/result.h"

#include <errno.h>
#include <libproc.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysctl.h>
#include <sys/utsname.h>
#include <unistd.h>

/* ---- how a file lies in the page cache: macOS has no call that drops a file's pages ------------ */

bool lauka_page_cache_is_all(int descriptor)
{
    (void)descriptor;
    return false;
}

int lauka_page_cache_write_back(int descriptor)
{
    (void)descriptor;
    return ENOTSUP;
}

int lauka_page_cache_reread(int descriptor, uint64_t bytes)
{
    (void)descriptor;
    (void)bytes;
    return ENOTSUP;
}

/* ---- the smallest program that every macOS has ------------------------------------------------- */

int lauka_floor_open(char *path, size_t size, int *handle)
{
    *handle = -1;
    snprintf(path, size, "/usr/bin/true");
    return 0;
}

void lauka_floor_close(int handle)
{
    (void)handle;
}

/* ---- what machine this is, as macOS tells it --------------------------------------------------- */

static uint64_t read_number(const char *name)
{
    uint64_t value = 0; /* the kernel fills four or eight bytes; both systems are little-endian */
    size_t size = sizeof value;

    return sysctlbyname(name, &value, &size, NULL, 0) == 0 ? value : 0;
}

int lauka_machine_describe(struct lauka_result_host *host)
{
    struct utsname name;
    char model[256];
    size_t size = sizeof model;

    if (uname(&name) == 0) {
        host->os = strdup(name.sysname);
        host->kernel = strdup(name.release);
        host->arch = strdup(name.machine);
        if (!host->os || !host->kernel || !host->arch)
            return ENOMEM;
    }
    if (sysctlbyname("machdep.cpu.brand_string", model, &size, NULL, 0) == 0)
        host->cpu_model = strdup(model);
    host->cpu_count = read_number("hw.activecpu");
    host->memory_bytes = read_number("hw.memsize");
    return 0;
}

uint64_t lauka_modified_ns(const struct stat *about)
{
    return (uint64_t)about->st_mtimespec.tv_sec * 1000000000u +
           (uint64_t)about->st_mtimespec.tv_nsec;
}

/* Apple's cores run one thread each; for Intel's, the system does not say. */
void lauka_cpu_siblings(unsigned cpu, struct lauka_cpu_set *siblings)
{
    lauka_cpu_set_add(siblings, cpu);
}

int lauka_own_path(char *path, size_t size)
{
    return proc_pidpath(getpid(), path, (uint32_t)size) > 0 ? 0 : errno;
}

/* ---- valgrind ----------------------------------------------------------------------------------- */

const char *lauka_valgrind_advice(void)
{
    return "it does not run on macOS; compare there what Linux counts";
}

bool lauka_has_file_capabilities(const char *path)
{
    (void)path;
    return false;
}
