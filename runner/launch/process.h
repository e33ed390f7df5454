/* What each system implements to run a command and to end its leftovers: linux/ or macos/. */
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

struct lauka_process { /* a command that is ready to run; everything is borrowed */
    const char *path;
    char *const *argv;
    char *const *envp;
    const char *directory;    /* working directory; NULL: the launcher's */
    int nice_value;           /* 0: the launcher's */
    int input, output, error; /* descriptors that become 0, 1 and 2 */
    bool talks;               /* `reads` and `writes`, both above 4, become 3 and 4 */
    int reads, writes;
    /* Called when the process exists: whether its program should begin. It runs in the process
     * itself, or before that begins. NULL: it begins. */
    bool (*may_begin)(void *context);
    void *context;
    struct lauka_counters *counters;       /* armed in the child; NULL: no counting */
    const struct lauka_cpu_set *cpus;      /* NULL: the launcher's */
    struct lauka_cgroup *cgroup;           /* a group to join; NULL: the launcher's */
    const struct lauka_identity *identity; /* the user it becomes before exec, if not the same */
    volatile pid_t *pid;           /* set when the process exists; it then leads its own group */
    volatile uint64_t *started_ns; /* stamped right before exec; the memory survives it */
    bool tells_delay;  /* measure the run's own wait for a CPU, which costs some 10 us */
    uint64_t delay_ns; /* CPU time spent between that and exec; see lauka_process_can_delay */
};

struct lauka_process_end {
    int error;             /* errno that prevented its start; 0: it ran */
    bool no_directory;     /* the errno concerns the directory */
    int status;            /* as from wait(2) */
    uint64_t ended_ns;     /* immediately after its end */
    uint64_t run_delay_ns; /* least wait for a CPU between the two stamps; LAUKA_UNKNOWN */
    struct rusage rusage;
};

/* Prepares the calling process to be the launcher: it has no terminal, inherits what its commands
 * leave behind, and goes on when lauka dies. is_program: it is not a copy of lauka, so tools know
 * of no child that shares its memory, except vfork's. passed: a descriptor that commands may
 * inherit; -1: none. All others must be open. */
void lauka_process_prepare(bool is_program, int passed);

/* Whether programs started by the calling process get different addresses each time. */
bool lauka_process_has_random_layout(void);

/* From now on, programs started by the calling process get the same addresses every time. Returns 0
 * or an errno. */
int lauka_process_fix_layout(void);

/* ---- linux/process.c, macos/process.c: signals ---- */

/* For a handler in the launcher: whether the calling process is a child whose program has not
 * begun. If so, the signal will act as it does on programs. */
bool lauka_process_takes_signal(int number);

/* ---- linux/memory.c, macos/process.c ---- */

/* Minimises the calling process's peak RSS, at which the commands' begins: returns pages used for
 * setup, and resets the peak. Call it after all setup. shared: memory of `size` bytes that others
 * also use; reading it brings its content back. */
void lauka_process_slim(const void *shared, size_t size);

/* Releases whole pages of such memory from `from`, and some before it, up to `to`. */
void lauka_process_release(const void *from, const void *to);

/* In bytes: no command can show a smaller peak RSS. */
uint64_t lauka_process_rss_floor(void);

/* Starts the command, waits for it and reaps it. The caller does nothing else between the two
 * stamps. The command gets lauka's original signal mask, default handlers and its own process
 * group, and dies with the launcher. */
void lauka_process_run(const struct lauka_process *process, struct lauka_process_end *end);

/* Starts a process without time stamps and does not wait for it. Returns 0, or the errno that
 * prevented its start. *before: its resource usage before its program began. */
int lauka_process_begin(const struct lauka_process *process, struct rusage *before);

/* Subtracts that usage from the usage at its end. */
void lauka_process_take_off(struct rusage *usage, const struct rusage *before);

/* Whether commands can be made to spend CPU time before they begin. */
bool lauka_process_can_delay(void);

/* ---- linux/, macos/leftovers.c: what a reaped command has left behind ------------------------ */

/* Reaps ended processes and ends live ones, politely first and by SIGKILL a moment later, unless `keep`. group:
 * the process group of the command; 0 if it did not start. Without leftovers it costs one system call. */
void lauka_leftovers_end(pid_t group, bool keep, struct lauka_leftovers *leftovers);

/* Treats all current processes as left by a hook or already kept: from now on they are nobody's leftovers. */
void lauka_leftovers_host(void);

/* Reaps leftover processes that have ended. After the first call, everything that is reaped, here or
 * above, is passed to is_other, which returns true for a process of its own, and then keeps it. */
void lauka_leftovers_reap(bool (*is_other)(pid_t pid, int status, const struct rusage *usage));

#endif
