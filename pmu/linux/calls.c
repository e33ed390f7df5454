/* calls on Linux: one tracepoint for all system calls (raw_syscalls:sys_enter), as a plain counter per
 * call number, which all processes of a command inherit. Nothing is recorded, so nothing can be lost.
 * The tracepoints of single calls (syscalls:sys_enter_NAME) would need no numbers, but the kernel waits
 * for all CPUs whenever the last event of a tracepoint is closed: ten seconds for all of them. */
#include "pmu/linux/call_names.h"
#include "pmu/calls/calls.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* ---- call names -------------------------------------------------------------------------------- */

/* call_names: what system calls are called, by number: an ABI that only grows (Linux 6.19, <asm/unistd_64.h>).
 * "-": no call has the number. The kernel tells numbers; tracefs has names, but not which number each has. */

static const struct run { /* of numbers, one after the other */
    unsigned first;
    const char *names;
} runs[] = {
#if defined(__x86_64__)
    {0, "read write open close stat fstat lstat poll lseek mmap mprotect munmap brk rt_sigaction "
        "rt_sigprocmask rt_sigreturn ioctl pread64 pwrite64 readv writev access pipe select "
        "sched_yield mremap msync mincore madvise shmget shmat shmctl dup dup2 pause nanosleep "
        "getitimer alarm setitimer getpid sendfile socket connect accept sendto recvfrom sendmsg "
        "recvmsg shutdown bind listen getsockname getpeername socketpair setsockopt getsockopt "
        "clone fork vfork execve exit wait4 kill uname semget semop semctl shmdt msgget msgsnd "
        "msgrcv msgctl fcntl flock fsync fdatasync truncate ftruncate getdents getcwd chdir "
        "fchdir rename mkdir rmdir creat link unlink symlink readlink chmod fchmod chown fchown "
        "lchown umask gettimeofday getrlimit getrusage sysinfo times ptrace getuid syslog getgid "
        "setuid setgid geteuid getegid setpgid getppid getpgrp setsid setreuid setregid getgroups "
        "setgroups setresuid getresuid setresgid getresgid getpgid setfsuid setfsgid getsid "
        "capget capset rt_sigpending rt_sigtimedwait rt_sigqueueinfo rt_sigsuspend sigaltstack "
        "utime mknod uselib personality ustat statfs fstatfs sysfs getpriority setpriority "
        "sched_setparam sched_getparam sched_setscheduler sched_getscheduler "
        "sched_get_priority_max sched_get_priority_min sched_rr_get_interval mlock munlock "
        "mlockall munlockall vhangup modify_ldt pivot_root _sysctl prctl arch_prctl adjtimex "
        "setrlimit chroot sync acct settimeofday mount umount2 swapon swapoff reboot sethostname "
        "setdomainname iopl ioperm create_module init_module delete_module get_kernel_syms "
        "query_module quotactl nfsservctl getpmsg putpmsg afs_syscall tuxcall security gettid "
        "readahead setxattr lsetxattr fsetxattr getxattr lgetxattr fgetxattr listxattr llistxattr "
        "flistxattr removexattr lremovexattr fremovexattr tkill time futex sched_setaffinity "
        "sched_getaffinity set_thread_area io_setup io_destroy io_getevents io_submit io_cancel "
        "get_thread_area lookup_dcookie epoll_create epoll_ctl_old epoll_wait_old "
        "remap_file_pages getdents64 set_tid_address restart_syscall semtimedop fadvise64 "
        "timer_create timer_settime timer_gettime timer_getoverrun timer_delete clock_settime "
        "clock_gettime clock_getres clock_nanosleep exit_group epoll_wait epoll_ctl tgkill utimes "
        "vserver mbind set_mempolicy get_mempolicy mq_open mq_unlink mq_timedsend mq_timedreceive "
        "mq_notify mq_getsetattr kexec_load waitid add_key request_key keyctl ioprio_set "
        "ioprio_get inotify_init inotify_add_watch inotify_rm_watch migrate_pages openat mkdirat "
        "mknodat fchownat futimesat newfstatat unlinkat renameat linkat symlinkat readlinkat "
        "fchmodat faccessat pselect6 ppoll unshare set_robust_list get_robust_list splice tee "
        "sync_file_range vmsplice move_pages utimensat epoll_pwait signalfd timerfd_create "
        "eventfd fallocate timerfd_settime timerfd_gettime accept4 signalfd4 eventfd2 "
        "epoll_create1 dup3 pipe2 inotify_init1 preadv pwritev rt_tgsigqueueinfo perf_event_open "
        "recvmmsg fanotify_init fanotify_mark prlimit64 name_to_handle_at open_by_handle_at "
        "clock_adjtime syncfs sendmmsg setns getcpu process_vm_readv process_vm_writev kcmp "
        "finit_module sched_setattr sched_getattr renameat2 seccomp getrandom memfd_create "
        "kexec_file_load bpf execveat userfaultfd membarrier mlock2 copy_file_range preadv2 "
        "pwritev2 pkey_mprotect pkey_alloc pkey_free statx io_pgetevents rseq uretprobe uprobe"},
#elif defined(__aarch64__)
    {0, "io_setup io_destroy io_submit io_cancel io_getevents setxattr lsetxattr fsetxattr "
        "getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr removexattr lremovexattr "
        "fremovexattr getcwd lookup_dcookie eventfd2 epoll_create1 epoll_ctl epoll_pwait dup dup3 "
        "fcntl inotify_init1 inotify_add_watch inotify_rm_watch ioctl ioprio_set ioprio_get flock "
        "mknodat mkdirat unlinkat symlinkat linkat renameat umount2 mount pivot_root nfsservctl "
        "statfs fstatfs truncate ftruncate fallocate faccessat chdir fchdir chroot fchmod "
        "fchmodat fchownat fchown openat close vhangup pipe2 quotactl getdents64 lseek read write "
        "readv writev pread64 pwrite64 preadv pwritev sendfile pselect6 ppoll signalfd4 vmsplice "
        "splice tee readlinkat newfstatat fstat sync fsync fdatasync sync_file_range "
        "timerfd_create timerfd_settime timerfd_gettime utimensat acct capget capset personality "
        "exit exit_group waitid set_tid_address unshare futex set_robust_list get_robust_list "
        "nanosleep getitimer setitimer kexec_load init_module delete_module timer_create "
        "timer_gettime timer_getoverrun timer_settime timer_delete clock_settime clock_gettime "
        "clock_getres clock_nanosleep syslog ptrace sched_setparam sched_setscheduler "
        "sched_getscheduler sched_getparam sched_setaffinity sched_getaffinity sched_yield "
        "sched_get_priority_max sched_get_priority_min sched_rr_get_interval restart_syscall kill "
        "tkill tgkill sigaltstack rt_sigsuspend rt_sigaction rt_sigprocmask rt_sigpending "
        "rt_sigtimedwait rt_sigqueueinfo rt_sigreturn setpriority getpriority reboot setregid "
        "setgid setreuid setuid setresuid getresuid setresgid getresgid setfsuid setfsgid times "
        "setpgid getpgid getsid setsid getgroups setgroups uname sethostname setdomainname "
        "getrlimit setrlimit getrusage umask prctl getcpu gettimeofday settimeofday adjtimex "
        "getpid getppid getuid geteuid getgid getegid gettid sysinfo mq_open mq_unlink "
        "mq_timedsend mq_timedreceive mq_notify mq_getsetattr msgget msgctl msgrcv msgsnd semget "
        "semctl semtimedop semop shmget shmctl shmat shmdt socket socketpair bind listen accept "
        "connect getsockname getpeername sendto recvfrom setsockopt getsockopt shutdown sendmsg "
        "recvmsg readahead brk munmap mremap add_key request_key keyctl clone execve mmap "
        "fadvise64 swapon swapoff mprotect msync mlock munlock mlockall munlockall mincore "
        "madvise remap_file_pages mbind get_mempolicy set_mempolicy migrate_pages move_pages "
        "rt_tgsigqueueinfo perf_event_open accept4 recvmmsg"},
    {260,
     "wait4 prlimit64 fanotify_init fanotify_mark name_to_handle_at open_by_handle_at "
     "clock_adjtime syncfs setns sendmmsg process_vm_readv process_vm_writev kcmp finit_module "
     "sched_setattr sched_getattr renameat2 seccomp getrandom memfd_create bpf execveat "
     "userfaultfd membarrier mlock2 copy_file_range preadv2 pwritev2 pkey_mprotect pkey_alloc "
     "pkey_free statx io_pgetevents rseq kexec_file_load"},
#endif
    /* From here on, numbers are the same on all architectures. */
    {424, "pidfd_send_signal io_uring_setup io_uring_enter io_uring_register open_tree move_mount "
          "fsopen fsconfig fsmount fspick pidfd_open clone3 close_range openat2 pidfd_getfd "
          "faccessat2 process_madvise epoll_pwait2 mount_setattr quotactl_fd "
          "landlock_create_ruleset landlock_add_rule landlock_restrict_self memfd_secret "
          "process_mrelease futex_waitv set_mempolicy_home_node cachestat fchmodat2 "
          "map_shadow_stack futex_wake futex_wait futex_requeue statmount listmount "
          "lsm_get_self_attr lsm_set_self_attr lsm_list_modules mseal setxattrat getxattrat "
          "listxattrat removexattrat open_tree_attr file_getattr file_setattr listns"},
};

/* Of 32-bit programs, whose other calls have other names, too: what ends them. */
#if defined(__x86_64__)
const unsigned lauka_call_foreign = 252;
#else
const unsigned lauka_call_foreign = 248;
#endif

bool lauka_call_names_next(struct lauka_call_names *at)
{
    const size_t count = sizeof runs / sizeof *runs;
    do {
        if (!at->rest || !*at->rest) {
            if (at->run == count)
                return false;
            at->number = runs[at->run].first;
            at->rest = runs[at->run++].names;
        } else {
            at->number++;
        }
        at->name = at->rest;
        at->length = strcspn(at->rest, " ");
        at->rest += at->length + (at->rest[at->length] == ' ');
    } while (at->length == 0 || *at->name == '-');
    return true;
}

/* ---- calls ------------------------------------------------------------------------------------- */

enum { EVERY = -1 }; /* in place of a call's number */

/* ---- opening --------------------------------------------------------------------------------- */

/* The tracepoint's number is for the lender to find: under sudo we may not read it. */
static struct perf_event_attr describe(void)
{
    struct perf_event_attr attr;
    memset(&attr, 0, sizeof attr);
    attr.size = PERF_ATTR_SIZE_VER0;
    attr.type = PERF_TYPE_TRACEPOINT;
    attr.disabled = 1;
    attr.inherit = 1;
    attr.enable_on_exec = 1; /* who starts the command is not counted */
    return attr;
}

/* A descriptor, or -1 and errno. */
static int open_one(const struct lauka_event_lender *lender, int number)
{
    struct perf_event_attr attr = describe();
    char filter[24];
    int file = lender->lend(lender->context, &attr, attr.size, -1);
    snprintf(filter, sizeof filter, "id == %d", number);
    if (file < 0 || number == EVERY || ioctl(file, PERF_EVENT_IOC_SET_FILTER, filter) == 0)
        return file;
    int error = errno;
    close(file);
    errno = error;
    return -1;
}

/* An event that nobody inherits: without it the kernel would exchange all events of the lender with those of a
 * command, at a switch from one to the other (see perf_event.c). */
static int hold(const struct lauka_event_lender *lender)
{
    struct perf_event_attr attr;
    memset(&attr, 0, sizeof attr);
    attr.size = PERF_ATTR_SIZE_VER0;
    attr.type = PERF_TYPE_SOFTWARE;
    attr.config = PERF_COUNT_SW_DUMMY;
    attr.disabled = 1;
    return lender->lend(lender->context, &attr, attr.size, -1);
}

static int add(const struct lauka_event_lender *lender, const char *name, size_t length, int number,
               struct lauka_call_counters *counters)
{
    struct lauka_call_counter *counter = &counters->counters[counters->count];
    *counter = (struct lauka_call_counter){.file = open_one(lender, number)};
    if (counter->file < 0)
        return errno;
    memcpy(counter->name, name, length);
    counters->count++;
    return 0;
}

static size_t count_names(void)
{
    struct lauka_call_names at = {0};
    size_t count = 0;
    while (lauka_call_names_next(&at))
        count++;
    return count;
}

/* That of all calls comes first, then that of foreign ones. */
static int open_all(const struct lauka_event_lender *lender, struct lauka_call_counters *counters)
{
    struct lauka_call_names at = {0};
    size_t names = count_names();
    if (names == 0)
        return ENOTSUP; /* nobody has looked what this processor's are called */
    counters->counters = calloc(names + LAUKA_CALL_FIRST, sizeof *counters->counters);
    if (!counters->counters)
        return ENOMEM;
    int error = add(lender, "", 0, EVERY, counters);
    if (!error)
        error = add(lender, "", 0, (int)lauka_call_foreign, counters);
    while (!error && lauka_call_names_next(&at))
        error = add(lender, at.name, at.length, (int)at.number, counters);
    return error;
}

int lauka_call_counters_open(const struct lauka_event_lender *lender,
                             struct lauka_call_counters *counters)
{
    *counters = (struct lauka_call_counters){.held = hold(lender)};
    int error = counters->held < 0 ? errno : open_all(lender, counters);
    if (error)
        lauka_call_counters_close(counters);
    return error;
}

/* ---- reading --------------------------------------------------------------------------------- */

static int read_one(struct lauka_call_counter *counter)
{
    uint64_t now;
    errno = 0;
    if (read(counter->file, &now, sizeof now) != (ssize_t)sizeof now)
        return errno ? errno : EIO;
    counter->count = now - counter->before;
    counter->before = now;
    return 0;
}

int lauka_call_counters_read(struct lauka_call_counters *counters)
{
    int error = 0;
    for (size_t i = 0; i < counters->count && !error; i++)
        error = read_one(&counters->counters[i]);
    counters->others = error ? 0 : counters->counters[0].count;
    for (size_t i = LAUKA_CALL_FIRST; i < counters->count && !error; i++)
        counters->others -= counters->counters[i].count;
    return error || counters->counters[1].count == 0 ? error : ENOTSUP;
}

void lauka_call_counters_close(struct lauka_call_counters *counters)
{
    for (size_t i = 0; i < counters->count; i++)
        close(counters->counters[i].file);
    if (counters->held > 0)
        close(counters->held);
    free(counters->counters);
    *counters = (struct lauka_call_counters){0};
}
