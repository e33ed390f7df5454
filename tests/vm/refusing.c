/* Runs a command to which the kernel refuses one call of a kind: `refusing open 3 13 COUNT COMMAND...`
 * lets the third perf_event_open of all its processes fail with errno 13, `refusing ioctl ...` the
 * third ioctl on an event, `refusing read ...` the third read of a count. The file COUNT gets how many
 * such calls there were; number 0 refuses none. Ends as the command does.
 *
 * As strace's inject does, but in one static program, and by position among all processes: the
 * system calls wait for an answer of ours (seccomp_unotify(2)). Needs root, and kernel 5.9. */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    COUNT_SIZE = 24
}; /* value, enabled, running; of a group how many, enabled, running and the values */

#define LOAD(field)                                                                                \
    {                                                                                              \
        BPF_LD | BPF_W | BPF_ABS, 0, 0, (uint32_t)offsetof(struct seccomp_data, field)             \
    }
#define UNLESS(value, skip)                                                                        \
    {                                                                                              \
        BPF_JMP | BPF_JEQ | BPF_K, 0, skip, value                                                  \
    }
#define RETURN(what)                                                                               \
    {                                                                                              \
        BPF_RET | BPF_K, 0, 0, what                                                                \
    }

/* perf_event_open; the ioctls of linux/perf_event.h, which are all '$'; reads of a count's size.
 * The lower halves of arguments are first: both of our processors are little-endian. */
static struct sock_filter opens[] = {LOAD(nr), UNLESS(SYS_perf_event_open, 1),
                                     RETURN(SECCOMP_RET_USER_NOTIF), RETURN(SECCOMP_RET_ALLOW)};
static struct sock_filter ioctls[] = {LOAD(nr),
                                      UNLESS(SYS_ioctl, 4),
                                      LOAD(args[1]),
                                      {BPF_ALU | BPF_AND | BPF_K, 0, 0, 0xff00},
                                      UNLESS('$' << 8, 1),
                                      RETURN(SECCOMP_RET_USER_NOTIF),
                                      RETURN(SECCOMP_RET_ALLOW)};
static struct sock_filter reads[] = {LOAD(nr),
                                     UNLESS(SYS_read, 5),
                                     LOAD(args[2]),
                                     {BPF_JMP | BPF_JEQ | BPF_K, 2, 0, COUNT_SIZE},
                                     {BPF_JMP | BPF_JEQ | BPF_K, 1, 0, COUNT_SIZE + 8},
                                     UNLESS(COUNT_SIZE + 16, 1),
                                     RETURN(SECCOMP_RET_USER_NOTIF),
                                     RETURN(SECCOMP_RET_ALLOW)};

static const struct sock_fprog programs[] = {
    {sizeof opens / sizeof opens[0], opens},
    {sizeof ioctls / sizeof ioctls[0], ioctls},
    {sizeof reads / sizeof reads[0], reads},
};
static const char *const kinds[] = {"open", "ioctl", "read"};

static void fail(const char *what)
{
    perror(what);
    _exit(125);
}

/* The table of descriptors is the parent's, too, until it knows the number. */
static void become(const struct sock_fprog *program, int tell, char **command)
{
    long listener =
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, program);
    int number = (int)listener;
    if (listener < 0)
        fail("seccomp");
    if (write(tell, &number, sizeof number) != (ssize_t)sizeof number || unshare(CLONE_FILES) != 0)
        fail("unshare");
    execvp(command[0], command);
    fail(command[0]);
}

/* How many calls there were; the one of that number, from 1, is refused. */
static unsigned long answer_all(int listener, unsigned long number, int error)
{
    struct pollfd ready = {.fd = listener, .events = POLLIN};
    unsigned long count = 0;
    while (poll(&ready, 1, -1) > 0 && ready.revents & POLLIN) {
        struct seccomp_notif call;
        memset(&call, 0, sizeof call);
        if (syscall(SYS_ioctl, listener, SECCOMP_IOCTL_NOTIF_RECV, &call) != 0)
            continue; /* who called has died meanwhile */
        struct seccomp_notif_resp answer = {.id = call.id};
        if (++count == number)
            answer.error = -error;
        else
            answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
        syscall(SYS_ioctl, listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
    }
    return count;
}

static void tell_count(const char *path, unsigned long count)
{
    FILE *file = fopen(path, "w");
    if (!file || fprintf(file, "%lu\n", count) < 0 || fclose(file) != 0)
        fail(path);
}

int main(int argc, char **argv)
{
    int ends[2], listener, status = 0;
    size_t kind = 0;
    while (argc > 5 && kind < 3 && strcmp(argv[1], kinds[kind]) != 0)
        kind++;
    if (argc < 6 || kind == 3)
        return 2;
    if (pipe(ends) != 0)
        fail("pipe");
    pid_t pid = (pid_t)syscall(SYS_clone, CLONE_FILES | SIGCHLD, 0, 0, 0, 0);
    if (pid < 0)
        fail("clone");
    if (pid == 0)
        become(&programs[kind], ends[1], argv + 5);
    if (read(ends[0], &listener, sizeof listener) != (ssize_t)sizeof listener)
        fail("read");
    tell_count(argv[4], answer_all(listener, strtoul(argv[2], NULL, 10), atoi(argv[3])));
    waitpid(pid, &status, 0);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
