/* What lauka uses of macOS that its public headers do not declare, and the only interface to it:
 * all calls to the system go through `struct lauka_darwin`, so that the same code runs on Linux
 * with a simulated Mac (tests/fakes). ABI: xnu's bsd/sys/kdebug_private.h,
 * bsd/sys/resource_private.h, bsd/sys/proc_info_private.h; /usr/include/libproc.h. */
#ifndef LAUKA_PMU_MACOS_DARWIN_H
#define LAUKA_PMU_MACOS_DARWIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "pmu/counters/counters.h"
#include "pmu/events/events.h"

/* ---- the seam: darwin_system.c, or tests/fakes ------------------------------------------------ */

struct lauka_darwin {
    void *(*open_library)(const char *path); /* dlopen(3); NULL: see library_error */
    char *(*library_error)(void);
    void *(*find_symbol)(void *library, const char *name); /* returns NULL if there is none */
    int (*sysctlbyname)(const char *name, void *old, size_t *old_size, const void *new,
                        size_t new_size);
    int (*sysctl)(const int *mib, unsigned count, void *old, size_t *old_size);
    int (*proc_pid_rusage)(int pid, int flavor, void *usage); /* pid 0: one's own; as below */
    int (*proc_pidinfo)(int pid, int flavor, uint64_t argument, void *buffer, int size);
    /* Does the work in a process of its own, which SIGKILL then ends. Returns the work's answer; -1: there is none. */
    int (*apart)(int (*work)(void *context), void *context);
    unsigned (*euid)(void);
    uint64_t (*ticks)(void);                                      /* mach_absolute_time */
    void (*timebase)(uint32_t *numerator, uint32_t *denominator); /* for these ticks */
};

const struct lauka_darwin *lauka_darwin(void);

/* darwin_usage.c: a number of sysctl(3); 0 if the system does not report it. And a text, or an empty one with an errno. */
uint64_t lauka_darwin_number(const char *name);
int lauka_darwin_text(const char *name, char *text, size_t size);

/* darwin_usage.c: the kernel's ticks, which its accounts and its trace use; they are not
 * nanoseconds on Apple silicon (125/3). A program translated by Rosetta sees a clock in
 * nanoseconds, while the kernel's ticks are unchanged. */
bool lauka_darwin_is_translated(void);
void lauka_darwin_timebase(uint32_t *numerator, uint32_t *denominator); /* ns = ticks * n / d */
uint64_t lauka_darwin_ns(uint64_t ticks);

/* ---- kdebug, on 64-bit Arm ------------------------------------------------------------------- */

struct lauka_kd_buf {   /* kd_buf: a record */
    uint64_t timestamp; /* ticks */
    uint64_t arguments[4];
    uint64_t thread;  /* arg5: the thread that wrote it */
    uint32_t debugid; /* class << 24 | subclass << 16 | code << 2 | function */
    uint32_t cpu;
    uint64_t unused;
};
_Static_assert(sizeof(struct lauka_kd_buf) == 64, "kd_buf");
_Static_assert(offsetof(struct lauka_kd_buf, thread) == 40, "kd_buf.arg5");
_Static_assert(offsetof(struct lauka_kd_buf, debugid) == 48, "kd_buf.debugid");
_Static_assert(offsetof(struct lauka_kd_buf, cpu) == 52, "kd_buf.cpuid");

struct lauka_kd_regtype { /* which records are written */
    uint32_t type, values[4];
};
_Static_assert(sizeof(struct lauka_kd_regtype) == 20, "kd_regtype");

struct lauka_kbufinfo {
    int32_t nkdbufs, nolog;
    uint32_t flags;
    int32_t nkdthreads, bufid; /* bufid: the owner's pid, or -1 */
};
_Static_assert(sizeof(struct lauka_kbufinfo) == 20, "kbufinfo_t");

enum {
    LAUKA_CTL_KERN = 1,
    LAUKA_KERN_KDEBUG = 24,
    LAUKA_KDEFLAGS = 1,
    LAUKA_KDENABLE = 3,
    LAUKA_KDSETBUF = 4,
    LAUKA_KDGETBUF = 5,
    LAUKA_KDSETUP = 6,
    LAUKA_KDREMOVE = 7,
    LAUKA_KDSETREG = 8, /* chooses four kinds of records */
    LAUKA_KDREADTR = 10,
    LAUKA_KDSET_TYPEFILTER = 22,       /* a bit per class and subclass: the records to write */
    LAUKA_KD_TYPES = 1 << 13,          /* size in bytes */
    LAUKA_KDBG_DISABLE_COPROCS = 0x400 /* a flag */
};
#define LAUKA_KDBG_VALCHECK 0x00200000u /* kd_regtype.type: the values are debugids */
#define LAUKA_KDBG_WRAPPED 0x8u         /* in kbufinfo.flags: records were lost */

#define LAUKA_KD_FUNCTION 0x3u
#define LAUKA_KD_START 0x1u
#define LAUKA_KD_END 0x2u
#define LAUKA_KD_NEW_THREAD 0x07000004u  /* tid, pid, exec copy, unique pid; by the creator */
#define LAUKA_KD_EXEC 0x07000008u        /* pid, file system, file */
#define LAUKA_KD_THREAD_EXIT 0x07000010u /* pid, unique pid; by the thread itself, at its end */
#define LAUKA_KD_LOST 0x07020008u
#define LAUKA_KD_RETROGRADE 0x07020014u
#define LAUKA_KD_PAST 0x07020018u
#define LAUKA_KD_SAMPLE 0x25060020u /* four counters of a thread per record: START, NONE ..., END */

/* ---- rusage_info ----------------------------------------------------------------------------- */

struct lauka_rusage_info { /* rusage_info_v6, regardless of the system's header; times in ticks */
    uint8_t uuid[16];
    uint64_t user_time, system_time, pkg_idle_wkups, interrupt_wkups, pageins, wired_size,
        resident_size, phys_footprint, proc_start_abstime, proc_exit_abstime, child_user_time,
        child_system_time, child_pkg_idle_wkups, child_interrupt_wkups, child_pageins,
        child_elapsed_abstime, diskio_bytesread, diskio_byteswritten, qos[7], billed_system_time,
        serviced_system_time;
    /* since V4 */
    uint64_t logical_writes, lifetime_max_phys_footprint, instructions, cycles, billed_energy,
        serviced_energy, interval_max_phys_footprint, runnable_time;
    uint64_t flags; /* V5 */
    /* since V6 */
    uint64_t user_ptime, system_ptime, pinstructions, pcycles, energy_nj, penergy_nj, reserved[14];
};
_Static_assert(sizeof(struct lauka_rusage_info) == 464, "rusage_info_v6");
_Static_assert(offsetof(struct lauka_rusage_info, phys_footprint) == 72, "V0");
_Static_assert(offsetof(struct lauka_rusage_info, child_elapsed_abstime) == 136, "V1");
_Static_assert(offsetof(struct lauka_rusage_info, logical_writes) == 232, "the end of V3");
_Static_assert(offsetof(struct lauka_rusage_info, instructions) == 248, "V4");
_Static_assert(offsetof(struct lauka_rusage_info, flags) == 296, "the end of V4");
_Static_assert(offsetof(struct lauka_rusage_info, user_ptime) == 304, "the end of V5");
_Static_assert(offsetof(struct lauka_rusage_info, penergy_nj) == 344, "V6");

/* ---- proc_pidinfo ---------------------------------------------------------------------------- */

enum {
    LAUKA_PROC_PIDTHREADID64INFO = 15,
    LAUKA_PROC_PIDLISTTHREADIDS = 28, /* not PROC_PIDLISTTHREADS, which has no thread ids */
    LAUKA_PROC_PIDTHREADCOUNTS = 34
};

struct lauka_proc_threadinfo {
    uint64_t user_time, system_time; /* ns */
    int32_t cpu_usage, policy, run_state, flags, sleep_time, curpri, priority, maxpriority;
    char name[64];
};
_Static_assert(sizeof(struct lauka_proc_threadinfo) == 112, "proc_threadinfo");

struct lauka_proc_threadcounts { /* by performance level; times in ticks */
    uint16_t length, reserved0;
    uint32_t reserved1;
    struct lauka_proc_levelcounts {
        uint64_t instructions, cycles, user_time, system_time, energy_nj;
    } levels[LAUKA_CORE_TYPES_MAX];
};
_Static_assert(sizeof(struct lauka_proc_threadcounts) == 8 + 40 * LAUKA_CORE_TYPES_MAX,
               "proc_threadcounts");

/* ---- darwin_usage.c: what any user may know of a process of his ------------------------------ */

struct lauka_darwin_usage {
    struct lauka_rusage_info info; /* zero after the end of the flavor */
    int flavor;                    /* 6, 5 or 4; 0: not known */
};

/* For a live process or a zombie; uses the newest flavor of the system. 0 or an errno. */
int lauka_darwin_usage_read(int pid, struct lauka_darwin_usage *usage);

/* The process's usage since `before`; peaks cover its whole life. */
void lauka_darwin_usage_since(struct lauka_darwin_usage *usage,
                              const struct lauka_darwin_usage *before);

/* Whether it waited for children: their usage is in none of the counts. */
bool lauka_darwin_usage_has_children(const struct lauka_darwin_usage *usage);

/* CPU time of the process alone, in ns. */
uint64_t lauka_darwin_usage_cpu_ns(const struct lauka_darwin_usage *usage);

/* By performance level, fastest first. The kernel separates only that level from all others: with
 * more than two, only the first is known. Nothing is known before V6. */
void lauka_darwin_usage_residency(const struct lauka_darwin_usage *usage, size_t levels,
                                  struct lauka_residency *residency);

/* The events that it has; LAUKA_TYPE_USAGE. Sets *count. */
const struct lauka_event *lauka_darwin_usage_events(size_t *count);
const struct lauka_event *lauka_darwin_usage_find(const char *name); /* NULL: there is none */

/* Values of these events, by event->config. False if the flavor or the machine does not report it. */
bool lauka_darwin_usage_value(const struct lauka_darwin_usage *usage, uint64_t config,
                              uint64_t *value);

/* The config of these events. */
enum lauka_usage_count {
    LAUKA_USAGE_CYCLES,
    LAUKA_USAGE_INSTRUCTIONS,
    LAUKA_USAGE_P_TIME,
    LAUKA_USAGE_P_CYCLES,
    LAUKA_USAGE_P_INSTRUCTIONS,
    LAUKA_USAGE_ENERGY,
    LAUKA_USAGE_PEAK_FOOTPRINT,
    LAUKA_USAGE_COUNTS /* number of counts */
};

/* ---- darwin_counters.c: one run of a command, for the launcher ----------------------------- */

/* event->type for events only macOS can count. */
enum { LAUKA_TYPE_USAGE = 0x4c55 /* config: see usage */, LAUKA_TYPE_KPEP = 0x4c4b /* by name */ };

/* Sets the counters to the events of the next run. Before there is a child: what runs while they change has wild counts. */
void lauka_counters_turn(struct lauka_counters *counters);

/* The child exists and is suspended. */
void lauka_counters_start(struct lauka_counters *counters, pid_t pid);

/* Call it in the launcher while the command runs, so that no record is lost. Returns the
 * milliseconds until the next call, or 0: never. */
unsigned lauka_counters_watch(struct lauka_counters *counters);

/* The child is a zombie and not yet reaped. */
void lauka_counters_stop(struct lauka_counters *counters, pid_t pid);

#endif
