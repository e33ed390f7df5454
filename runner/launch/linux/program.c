/* The launcher as a program of its own, on Linux: a static executable that lauka contains as bytes and
 * executes from memory. If a kernel refuses that, the launcher continues as a copy of lauka. Then lauka's
 * libraries make it larger, and with it the smallest peak RSS that can be seen of a command. */
#include "runner/launch/launch.h"
#include "runner/launch/launcher.h"
#include "runner/base/base.h"

#include <fcntl.h>
#include <linux/memfd.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MFD_EXEC /* of Linux 6.3 */
#define MFD_EXEC 0x0010U
#endif

/* An address where nothing lies in a freshly executed program, whatever the randomization: far above the
 * program and its heap, far below stacks and libraries, even with addresses of 39 bits. */
#define PLACE ((uintptr_t)1 << 36)

/* A limit on the size of files also applies here, and would end lauka by a signal. */
static bool fits_limit(size_t size)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur >= size;
}

/* Takes no memory before it is used. */
static int open_region(size_t size)
{
    int file = fits_limit(size) ? memfd_create("lauka-shared", MFD_CLOEXEC) : -1;

    if (file >= 0 && ftruncate(file, (off_t)size) == 0)
        return file;
    if (file >= 0)
        close(file);
    return -1;
}

void *launcher_map(bool for_program, size_t size, int *file)
{
    const int access = PROT_READ | PROT_WRITE, flags = MAP_SHARED | MAP_NORESERVE;

    *file = for_program ? open_region(size) : -1;
    if (*file >= 0) {
        void *region =
            mmap((void *)PLACE, size, access, flags, *file, 0); /* there, if it is free */
        if (region == (void *)PLACE)
            return region;
        if (region != MAP_FAILED)
            munmap(region, size);
        close(*file);
        *file = -1;
    }
    return mmap(NULL, size, access, flags | MAP_ANONYMOUS, -1, 0);
}

/* So that a command seldom waits until lauka has read; a refusal only costs time. */
void launcher_widen(int pipe)
{
    enum { ROOM = 1 << 20 }; /* B: what is allowed to everybody */

    fcntl(pipe, F_SETPIPE_SZ, ROOM);
}

static bool write_all(int file, const struct lauka_program *program)
{
    size_t done = 0;
    ssize_t written = 0;

    while (done < program->size &&
           (written = write(file, program->bytes + done, program->size - done)) > 0)
        done += (size_t)written;
    return done == program->size;
}

/* Before 6.3, kernels have no files in memory other than executable ones. */
static int open_program(const struct lauka_program *program)
{
    int file = memfd_create("lauka-launcher", MFD_CLOEXEC | MFD_EXEC);

    if (file < 0)
        file = memfd_create("lauka-launcher", MFD_CLOEXEC);
    if (file >= 0 && write_all(file, program))
        return file;
    if (file >= 0)
        close(file);
    return -1;
}

/* flag: FD_CLOEXEC, or 0: the program gets them. */
static void set_flag(const struct shared *shared, int file, int flag)
{
    const struct launcher_ends *ends = &shared->ends;
    const int passed[] = {ends->request, ends->reply,    ends->error,
                          ends->output,  ends->lifeline, ends->loans,
                          ends->written, ends->reported, file};

    for (size_t i = 0; i < sizeof passed / sizeof *passed; i++)
        if (passed[i] >= 0)
            fcntl(passed[i], F_SETFD, flag);
}

/* In the child, which lives in lauka's memory until it executes; see vfork(2). */
_Noreturn static void become(int executable, char *const arguments[], struct shared *shared,
                             int file)
{
    set_flag(shared, file, 0);
    syscall(SYS_execveat, executable, "", arguments, environ, AT_EMPTY_PATH);
    shared->refused = true;
    _exit(0);
}

/* The environment is lauka's, so that tools that find all processes of a job by a variable also find this
 * one. */
pid_t launcher_execute(const struct lauka_program *program, int file, size_t size,
                       struct shared *shared)
{
    int executable = open_program(program);
    char number[12], address[20], length[20];
    char *const arguments[] = {(char *)(uintptr_t) "lauka-launcher", number, address, length, NULL};

    if (executable < 0)
        return -1;
    snprintf(number, sizeof number, "%d", file);
    snprintf(address, sizeof address, "%llx", (unsigned long long)(uintptr_t)shared);
    snprintf(length, sizeof length, "%llx", (unsigned long long)size);
    pid_t pid = vfork();
    if (pid == 0)
        become(executable, arguments, shared, file);
    close(executable);
    if (pid > 0 && shared->refused)
        lauka_await_process(pid, NULL, 0, NULL);
    return shared->refused ? -1 : pid;
}
