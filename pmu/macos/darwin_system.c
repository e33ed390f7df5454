/* darwin_system: the system itself, behind the seam. Functions that only newer systems have are looked up
 * at run time, so that the program starts on older ones. */
#include <dlfcn.h>
#include <libproc.h>
#include <mach/mach_time.h>
#include <signal.h>
#include <sys/sysctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pmu/macos/darwin.h"

static void *open_library(const char *path)
{
    return dlopen(path, RTLD_LAZY);
}

static int sysctl_by_name(const char *name, void *old, size_t *old_size, const void *new,
                          size_t new_size)
{
    return sysctlbyname(name, old, old_size, (void *)(uintptr_t) new, new_size);
}

static int sysctl_by_number(const int *mib, unsigned count, void *old, size_t *old_size)
{
    return sysctl((int *)(uintptr_t)mib, count, old, old_size, NULL, 0);
}

static int pid_rusage(int pid, int flavor, void *usage)
{
    return proc_pid_rusage(pid ? pid : getpid(), flavor, usage);
}

static int pid_info(int pid, int flavor, uint64_t argument, void *buffer, int size)
{
    return proc_pidinfo(pid ? pid : getpid(), flavor, argument, buffer, size);
}

/* It has no time to undo anything. */
static int apart(int (*work)(void *context), void *context)
{
    int ends[2], answer = -1;
    if (pipe(ends) != 0)
        return -1;
    pid_t child = fork();
    if (child == 0) {
        answer = work(context);
        ssize_t written = write(ends[1], &answer, sizeof answer);
        (void)written;
        kill(getpid(), SIGKILL);
    }
    close(ends[1]);
    if (read(ends[0], &answer, sizeof answer) != (ssize_t)sizeof answer)
        answer = -1;
    close(ends[0]);
    if (child > 0)
        waitpid(child, NULL, 0);
    return answer;
}

static void timebase(uint32_t *numerator, uint32_t *denominator)
{
    mach_timebase_info_data_t base = {1, 1};
    mach_timebase_info(&base);
    *numerator = base.numer;
    *denominator = base.denom;
}

const struct lauka_darwin *lauka_darwin(void)
{
    static const struct lauka_darwin darwin = {
        open_library, dlerror, dlsym,   sysctl_by_name,     sysctl_by_number, pid_rusage,
        pid_info,     apart,   geteuid, mach_absolute_time, timebase};
    return &darwin;
}
