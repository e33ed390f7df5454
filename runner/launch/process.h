/* What each system must provide to run a command and to end what it left behind: linux/ or macos/. */
#ifndef LAUKA_RUNNER_LAUNCH_PROCESS_H
#define LAUKA_RUNNER_LAUNCH_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "pmu/counters/counters.h"
#include "runner/command/command.h"
#include "runner/launch/launch.h"

/* ---- linux/, macos/process.c: a command from its start to its end ---------------------------- */

struct lauka_process { /* a command ready to run; everything is borrowed */
    const char *path;
    char *const *argv;
    char *const *envp;
    const char *directory;    /* to run in; NULL: the launcher's own */
    int nice_value;           /* 0: the launcher's own */
    int input, output, error; /* descriptors that become 0, 1 and 2 */
    bool talks;               /* reads and writes, which are above 4, become 3 and 4 */
    int reads, writes;
    /* Called once it exists: whether its program is to begin. In the process itself, or before that begins. NULL: it
     * is. */
    bool (*may_begin)(void *context);
    void *context;
    struct lauka_counters *counters;       /* armed in the child; NULL: nothing is counted */
    const struct lauka_cpu_set *cpus;      /* NULL: those of the launcher */
    struct lauka_cgroup *cgroup;           /* that it joins; NULL: it stays in the launcher's */
    const struct lauka_identity *identity; /* whom it becomes before exec, where that is another */
    volatile pid_t *pid; /* set as soon as the process exists, which then leads its own group */
    volatile uint64_t *started_ns; /* its last act before exec; memory that survives exec */
    bool tells_delay;  /* the run's own wait for a CPU is asked for, which costs some 10 us */
    uint64_t delay_ns; /* of CPU time, spent between that and exec; see lauka_process_can_delay */
};

struct lauka_process_end {
    int error;             /* errno that kept it from starting; 0: it ran */
    bool no_directory;     /* the errno is about the directory */
    int status;            /* as wait(2) gives it */
    uint64_t ended_ns;     /* right after its end */
    uint64_t run_delay_ns; /* waited for a CPU between the two stamps, at least; LAUKA_UNKNOWN */
    struct rusage rusage;
};

/* Makes the calling process, the launcher, one that has no terminal, inherits what its commands leave
 * behind, and continues when lauka dies. is_program: not a copy of lauka, of which tools know no child that shares
 * its memory, vfork's aside. passed: a descriptor that commands may get; -1: there is none. All others are open by
 * now. */
void lauka_process_prepare(bool is_program, int passed);

/* Whether programs that the calling process starts get other addresses each time. */
bool lauka_process_has_random_layout(void);

/* From now on, programs that the calling process starts get the same addresses every time. Returns 0
 * or an errno. */
int lauka_process_fix_layout(void);

/* ---- linux/process.c, macos/process.c: signals ---- */

/* In a handler of the launcher's: whether the process is a child whose program has not begun. Then the signal will do
 * to it what it does to programs. */
bool lauka_process_takes_signal(int number);

/* ---- linux/memory.c, macos/process.c ---- */

/* Makes the calling process's peak RSS, at which the commands' begin, as small as possible: returns the
 * pages used for setting up, and forgets the peak. Call it when everything is set up. shared: memory of
 * `size` bytes that others also use; its content comes back when it is read. */
void lauka_process_slim(const void *shared, size_t size);

/* The whole pages from `from`, and some before it, up to `to` of such memory are not needed here any more. */
void lauka_process_release(const void *from, const void *to);

/* Bytes: no command's peak RSS can be seen below. */
uint64_t lauka_process_rss_floor(void);

/* Starts the command, waits for it, reaps it. Between the two stamps the caller does nothing else. The
 * command gets the signal mask that lauka was started with, default handlers, its own process group, and
 * dies with the launcher. */
void lauka_process_run(const struct lauka_process *process, struct lauka_process_end *end);

/* Starts a process, of which no time is stamped, and does not wait for it. Returns 0, or the errno that kept it from
 * starting. *before: what it had used before its program began. */
int lauka_process_begin(const struct lauka_process *process, struct rusage *before);

/* Takes that off what it had used when it ended. */
void lauka_process_take_off(struct rusage *usage, const struct rusage *before);

/* Whether a command can be made to spend CPU time of its own before it begins. */
bool lauka_process_can_delay(void);

/* ---- linux/, macos/leftovers.c: what a reaped command has left behind ------------------------ */

/* Reaps what has ended; ends what lives, asked first and killed a moment later, unless `keep`. group: the
 * process group of the command; 0 if it did not start. If nothing is left, it costs one system call. */
void lauka_leftovers_end(pid_t group, bool keep, struct lauka_leftovers *leftovers);

/* Whatever lives now was left behind by a hook, or is kept already: from here on it is nobody's leftover. */
void lauka_leftovers_host(void);

/* Reaps what has ended and was left behind. From the first call on, is_other is asked of everything that is reaped,
 * here or above, whether it is another's, which it then keeps. */
void lauka_leftovers_reap(bool (*is_other)(pid_t pid, int status, const struct rusage *usage));

/* ---- what signals do to the launcher on Linux, and to a command's process before its program begins */

#endif
