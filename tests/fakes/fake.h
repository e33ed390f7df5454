/* fake: a simulated Mac. Three shared libraries share one state: libfakemac.so (the kernel: counters,
 * trace, processes), and libfakekperf.so and libfakekperfdata.so, which stand for the frameworks and are
 * loaded like them. It models rules, not answers, and it is unkind: whatever a real kernel may refuse,
 * lose, reorder or clamp, this one does. */
#ifndef LAUKA_TESTS_FAKES_FAKE_H
#define LAUKA_TESTS_FAKES_FAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* clang-format off: a table */
enum {
    FAKE_THREADS_MAX = 8192,
    FAKE_PROCESSES_MAX = 64,
    FAKE_SLICES_MAX = 65536,
    FAKE_CPUS = 8,
    FAKE_COUNTERS = 16 /* at most */,
    FAKE_LEVELS = 4,
    FAKE_REFUSED = 4,
    FAKE_LOG_MAX = 20000,
    FAKE_PID = 4242
};
/* clang-format on */

/* ---- what the machine is like; set before anything is done -------------------------------------- */

/* clang-format off: a table */
enum fake_workload {
    FAKE_ONE_THREAD,
    FAKE_POOL /* of 64 */,
    FAKE_BURST /* of 3000 threads, 50 us each */,
    FAKE_FORK_EXEC /* a shell that starts others */,
    FAKE_EXEC /* in the main process */,
    FAKE_LARGE_IDS /* beyond 2^32 */,
    FAKE_KILLED /* all threads end at once */,
    FAKE_NEIGHBOURS /* other processes come and go */,
    FAKE_PID_REUSE,
    FAKE_DAEMON /* outlives it */,
    FAKE_MIGRATIONS,
    FAKE_WORKLOADS
};
/* clang-format on */

struct fake_options {
    const char *chip; /* of pmu/apple/chip.c; default "a14" */
    unsigned macos;   /* release: 13 ... 26; default 15 */
    unsigned euid;
    bool virtual_machine; /* forcing fails */
    bool forced_by_other, trace_owned, cpmu_busy;
    bool allow_nothing;                /* the kernel's list of events is empty: 14.4 on an M3 */
    unsigned stale_actions;            /* kperf actions that somebody has left */
    const char *refused[FAKE_REFUSED]; /* events that the kernel's list lacks */
    bool no_duplicates;                /* kpep takes an event only once */
    bool counts_all_words;  /* kpep tells of words where only fixed events are configured, too */
    unsigned configurable;  /* counters of the chip; 0: as its table says */
    bool forces_nothing;    /* forcing succeeds, and nothing comes of it */
    uint32_t counting_more; /* classes that the kernel says it counts, besides those asked for */
    bool old_readback;      /* the configuration reads as it was written; else without its modes */
    bool no_trigger;        /* no sample is taken when a thread ends */
    bool late_stub;         /* what was before exec ends when the trace is on already */
    bool no_thread_list;    /* proc_pidinfo does not tell of threads */
    unsigned levels;        /* of performance; default 2 */
    const char *level_names[FAKE_LEVELS];
    bool translated;      /* by Rosetta: ticks of one's own are nanoseconds, the kernel's are not */
    bool intel;           /* neither fixed events in the database nor levels of performance */
    bool packed_map;      /* without fixed events the map counts from 0 */
    bool old_layout;      /* of kpep's structures; poisoned, as lauka must not look */
    uint32_t user_flag;   /* 0x20000 or 0x30000 */
    bool exec_exits;      /* a thread that is replaced by exec tells of its end */
    unsigned units;       /* of 2048 records, of a CPU's trace; default 32 */
    bool exhausts;        /* reading a full trace turns it off, silently */
    unsigned short_reads; /* READTR gives at most this many records; 0: all */
    int foreign_config_run; /* runs until somebody sets the counters; 0: never */
    const char *hidden;     /* a symbol that dlsym does not find */
    bool no_library;
    bool left_over; /* a session was killed: its timer, its action and its counting are still set */
    bool
        other_owner; /* from 26 on: another program has the counters, and forcing them is granted all the same */
    bool busy_trace;       /* whenever the trace is read while it is on, there are new records */
    bool loses_beginning;  /* of the command's threads no beginning is in the trace */
    uint64_t account_more; /* instructions that only the kernel's account of the process has */
    uint64_t fail_call;    /* the call of that number fails ... */
    int fail_error;        /* ... with this errno */
    /* what macos/process.c starts, and how that goes */
    enum fake_workload workload;
    uint64_t workload_seed;
    int spawn_error;   /* posix_spawn fails with it */
    int status;        /* how the command ends: as wait(2) gives it */
    bool interrupts;   /* every other call that waits is interrupted */
    bool sigint;       /* ... by a SIGINT that is really sent */
    bool ends_at_once; /* the command ends before anybody watches it */
    bool no_queue;     /* kqueue fails */
    unsigned becomes;  /* the user whom a forked process has to have become */
    bool no_ktrace;    /* the system has no sysctl of that name */
    int background;    /* getpriority of PRIO_DARWIN_PROCESS */
};

extern struct fake_options fake_options;

/* A Mac just started. */
void fake_reset(void);

/* Takes the paths of the other two libraries, which are a test's arguments. False if it has none. */
bool fake_find_libraries(int argc, char **argv);

/* ---- workloads ---------------------------------------------------------------------------------- */

/* A command, suspended before its first instruction. Same seed, same truth. */
int fake_spawn(enum fake_workload workload, uint64_t seed);

/* Lets it continue. Its time passes by fake_pass only: true as soon as it has ended, and is a zombie. */
void fake_continue(void);
bool fake_pass(uint64_t ticks);

/* Runs it to its end; calls `watch` about every 20 ms of its time, as long as that returns more than 0.
 * Then it is a zombie. */
void fake_run(unsigned (*watch)(void *context), void *context);

/* From here on it is unknown. */
void fake_reap(void);

/* What the command and its descendants have cost since the command began: by event of a database, or
 * FIXED_CYCLES ... user: in user mode only. */
uint64_t fake_truth(const char *event, bool user);

/* The same for the command's own process. */
uint64_t fake_truth_of_process(const char *event, bool user);

/* ---- what happened ------------------------------------------------------------------------------ */

struct fake_call {
    const char *name;
    int64_t value; /* the argument that matters */
    int result;
    uint64_t ticks;
};
extern struct fake_call fake_log[FAKE_LOG_MAX];
extern uint64_t fake_calls;

size_t fake_count_calls(const char *name, int64_t value); /* -1: any value */

/* NULL, or the rule that was broken: an order, or something that was left set. */
const char *fake_broken_rule(void);

/* The kernel's present settings, as text; empty if there are none. */
const char *fake_left_set(void);

/* Whether no rule was broken, and nothing is left set. Prints what is. */
bool fake_is_clean(void);

/* ---- the kernel, for the other two libraries ----------------------------------------------------- */

/* Logs a call. If nonzero, the call must fail; errno is set. */
int fake_call(const char *name, int64_t value);
int fake_done(int result); /* notes the result of the last call */

/* For the calling thread: in the counters that count anything, fake_own_rate of them each tick. event: of a database, or FIXED_CYCLES ... */
void fake_own_counters(uint32_t count, uint64_t *values);
uint64_t fake_own_rate(const char *event);
int thread_selfcounts(int kind, void *counts, size_t size);
int proc_pid_rusage(int pid, int flavor, void *usage);
int sysctlbyname(const char *name, void *old, size_t *old_size, void *new_value, size_t new_size);

/* The calling thread works for that long. */
void fake_work(uint64_t ticks);

int fake_kpc(const char *name, int64_t value, uint64_t *words);
uint32_t fake_kpc_count(const char *name, uint32_t classes);
int fake_kperf(const char *name, int64_t a, uint64_t b);
uint64_t fake_kperf_get(const char *name);
void fake_set_filter(const uint32_t *debugids, unsigned count);

#endif
