/* The cost of one run of a command: an open set of events, the kernel's own accounting, and the
 * cores it ran on. Functions that can fail return 0 or an errno; nothing here prints or exits. */
#ifndef LAUKA_PMU_COUNTERS_COUNTERS_H
#define LAUKA_PMU_COUNTERS_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "pmu/events/events.h"

struct lauka_counters;

/* ---- topology.c: sets of CPUs ----------------------------------------------------------------- */

#define LAUKA_CPUS_MAX 1024 /* CPUs with higher numbers are ignored */

/* Empty when zeroed. */
struct lauka_cpu_set {
    uint64_t words[LAUKA_CPUS_MAX / 64];
};

void lauka_cpu_set_add(struct lauka_cpu_set *set, unsigned cpu);
bool lauka_cpu_set_has(const struct lauka_cpu_set *set, unsigned cpu);
unsigned lauka_cpu_set_count(const struct lauka_cpu_set *set);

/* Adds everything in the other set, or removes it. */
void lauka_cpu_set_join(struct lauka_cpu_set *set, const struct lauka_cpu_set *other);
void lauka_cpu_set_remove(struct lauka_cpu_set *set, const struct lauka_cpu_set *other);

/* Parses "0-3,8", as written by taskset(1) and sysfs. Otherwise returns false and leaves *set unchanged. */
bool lauka_cpu_set_parse(const char *list, struct lauka_cpu_set *set);
void lauka_cpu_set_format(const struct lauka_cpu_set *set, char *text, size_t size);

/* ---- linux/native.c, macos/native.c: on which CPUs a process may run --------------------- */

/* For a process, or for the caller if pid is 0. Returns 0 or an errno: ENOTSUP on macOS, EINVAL if
 * no CPU of the set is online. Children inherit the setting. Async-signal-safe. */
int lauka_affinity_get(pid_t pid, struct lauka_cpu_set *set);
int lauka_affinity_set(pid_t pid, const struct lauka_cpu_set *set);

/* ---- topology.c: the kinds of core ----------------------------------------------------------- */

enum { LAUKA_CORE_TYPES_MAX = 4, LAUKA_CORE_LABEL_SIZE = 48 };

struct lauka_core_type {
    /* "P", "E", "LP-E", and "M" in between; equally fast kinds are named after the ends of their
     * PMUs' names: "cortex_a53". Labels are unique. */
    char label[LAUKA_CORE_LABEL_SIZE];
    /* Its PMU; on macOS the name of the level; empty if the kinds share one. */
    char pmu[LAUKA_CORE_LABEL_SIZE];
    uint32_t pmu_type; /* attr.type of that PMU; 0: the kinds share one */
    unsigned cpu_count;
    struct lauka_cpu_set cpus; /* empty if the system does not list them (macOS) */
};

/* The fastest kind comes first. If there is only one kind, its label is empty. */
struct lauka_topology {
    size_t type_count;  /* at least 1 */
    unsigned cpu_count; /* online */
    struct lauka_core_type types[LAUKA_CORE_TYPES_MAX];
};

/* For this machine. */
void lauka_topology_detect(struct lauka_topology *topology);

/* From a sysfs; root: "/sys", except in tests. */
void lauka_topology_read(const char *root, struct lauka_topology *topology);

/* The number of kinds of core with their own PMU. */
size_t lauka_topology_count_pmus(const struct lauka_topology *topology);

/* The index of the CPU's kind; type_count if it has none. */
size_t lauka_topology_type(const struct lauka_topology *topology, unsigned cpu);

/* Whether "P", "E" ... means this kind; "E" means all efficiency cores, including LP-E. */
bool lauka_core_type_is(const struct lauka_core_type *type, const char *label);

/* The CPUs of the kinds with this label. False if there are none, or all cores are of one kind. */
bool lauka_topology_find(const struct lauka_topology *topology, const char *label,
                         struct lauka_cpu_set *cpus);

/* ---- rusage.c: the kernel's own accounting --------------------------------------------------- */

/* wall_ns comes from the caller's two stamps. cpu_time is user plus system time: on a kernel with
 * ticks their sum is exact, while the split is scaled from ticks. */
void lauka_usage_read(const struct rusage *rusage, uint64_t wall_ns, struct lauka_usage *usage);

/* ---- linux/living.c, macos/living.c: the same of a process that goes on ----------------------- */

/* What it, and its descendants that live or were waited for, have used so far: CPU time, faults, and the largest
 * peak RSS of any of them. LAUKA_UNKNOWN: what the system does not report, and all else. macOS: of descendants only
 * those that were waited for. */
void lauka_usage_of_living(pid_t pid, struct lauka_usage *usage);

/* ---- linux/disturbance.c, macos/absent.c: what else the machine was busy with ----------- */

/* How long a process's main thread was ready without a CPU since it began; also for zombies.
 * LAUKA_UNKNOWN if the system does not report it. */
uint64_t lauka_run_delay_ns(pid_t pid);

/* For the whole machine, since some time in the past: only differences have a meaning.
 * LAUKA_UNKNOWN if the system does not report it. */
struct lauka_disturbance {
    uint64_t pressure_ns; /* time in which some task waited for a CPU */
    uint64_t steal_ns;    /* CPU time that the hypervisor gave to others; sum over all CPUs */
};
void lauka_disturbance_read(struct lauka_disturbance *disturbance);

/* ---- linux/cgroup.c, macos/absent.c: the memory of all processes of a run together ----------- */

enum { LAUKA_CGROUP_PATH_SIZE = 1024 };

/* Plain data; not open when zeroed. */
struct lauka_cgroup {
    bool open;
    bool joined;                         /* in the current run */
    bool occupied;                       /* some could not be removed */
    char folder[LAUKA_CGROUP_PATH_SIZE]; /* parent of the cgroups, one per run */
    pid_t owner;
    uint64_t runs;
    int own, procs; /* descriptors of the run and of its list of processes; -1: none */
};

/* Finds a place for cgroups by making one; does nothing once it is open. ENOTSUP: no cgroup of
 * version 2 above ours delegates the memory controller; ENOSYS: the kernel does not record the
 * peak; otherwise the errno of making one (EACCES, EROFS ...). root: "", except in tests. */
int lauka_cgroup_open(const char *root, struct lauka_cgroup *cgroup);

/* Before a run: makes its cgroup. Returns 0 or an errno; after an errno there is nothing to join. */
int lauka_cgroup_begin(struct lauka_cgroup *cgroup);

/* In the child: moves the caller, and everything it starts, into the cgroup. Async-signal-safe. */
void lauka_cgroup_join(struct lauka_cgroup *cgroup);

/* After the run: the peak memory in bytes of its processes together, including the page cache and
 * kernel memory that they needed first; LAUKA_UNKNOWN if not known. Removes the cgroup. */
uint64_t lauka_cgroup_end(struct lauka_cgroup *cgroup);
void lauka_cgroup_close(struct lauka_cgroup *cgroup);

/* ---- topology.c: how long a run was on which kind of core ----------------------------------- */

#define LAUKA_UNKNOWN UINT64_MAX

/* What one run did on cores of one kind; LAUKA_UNKNOWN if the system does not report it. */
struct lauka_core_usage {
    uint64_t cpu_ns, user_ns, system_ns; /* cpu_ns is exact; user and system time only on macOS */
    uint64_t cycles, instructions;       /* only on macOS: elsewhere from the counters */
};

/* For the command and all its descendants. */
struct lauka_residency {
    struct lauka_core_usage types[LAUKA_CORE_TYPES_MAX]; /* by struct lauka_topology's index */
    uint64_t switches;                                   /* between kinds of core */
    uint64_t cpus_used;  /* CPUs on which any time was spent; known with cpu_ns, except on macOS */
    uint64_t migrations; /* from one CPU to another */
};

/* The parts of it that some machines do not report. */
enum lauka_told {
    LAUKA_TOLD_CPU_TIME = 1, /* also the number of CPUs */
    LAUKA_TOLD_MODES = 2,    /* user and system time by kind of core */
    LAUKA_TOLD_COUNTS = 4,   /* cycles and instructions by kind of core */
    LAUKA_TOLD_SWITCHES = 8,
    LAUKA_TOLD_MIGRATIONS = 16,
};

/* Marks everything as not known. */
void lauka_residency_forget(struct lauka_residency *residency);

/* The CPU time on all kinds of core; LAUKA_UNKNOWN if one is not known. */
uint64_t lauka_residency_total_ns(const struct lauka_residency *residency, size_t type_count);

/* The share of CPU time on cores of this kind, 0 ... 1; negative if not known. */
double lauka_residency_share(const struct lauka_residency *residency, size_t type_count,
                             size_t type);

/* For the clocks: discards their values if they ended long before the command. */
void lauka_residency_verify(struct lauka_residency *residency,
                            const struct lauka_counters *counters, uint64_t cpu_ns);

/* ---- counters.c: an open set of events, armed before a run and collected after it ------------ */

/* A reading has three numbers, so that nobody forgets to scale: an event that shared its counter
 * was counted for `running` of the `enabled` nanoseconds. running == 0: not counted at all. */
struct lauka_reading {
    uint64_t value;
    uint64_t enabled;
    uint64_t running;
};

/* The value scaled to the whole time, rounded. Sets it to 0 and returns false if nothing was counted or
 * the result would not fit. */
bool lauka_reading_scaled(const struct lauka_reading *reading, uint64_t *value);

/* The share of the time in which the event was counted, 0 ... 1. */
double lauka_reading_share(const struct lauka_reading *reading);

enum {
    LAUKA_EVERY_SET = 255, /* for an event: it needs no counter and is counted in every turn */
    LAUKA_ALL_SETS = 255   /* for a turn: all events are counted, some for a part of the time */
};

/* The requested events and, if several kinds of core have their own counters, a part for each kind. */
enum {
    LAUKA_PARTS_MAX = LAUKA_EVENTS_MAX * LAUKA_CORE_TYPES_MAX,
    LAUKA_COUNTERS_MAX = LAUKA_EVENTS_MAX + LAUKA_PARTS_MAX,
    LAUKA_CLOCKS_MAX = 256, /* CPUs with separate times; on larger machines these are not known */
    LAUKA_MACHINE_MAX = 64  /* open events of the machine: CPUs, or sockets, times events */
};

/* Sampling that replaces unseen ends of threads: only on macOS. */
#define LAUKA_PERIOD_WHEN_NEEDED 0 /* every millisecond from the first such thread on */
#define LAUKA_PERIOD_NEVER UINT64_MAX

/* How macOS traces the runs. The self-test tries what the others cost. */
enum lauka_trace_way {
    LAUKA_TRACE_QUIETLY, /* programs see that nobody wants their tracepoints; coprocessors sleep */
    LAUKA_TRACE_WAKES_COPROCESSORS,
    LAUKA_TRACE_BY_VALUE, /* each tracepoint of a program is a system call */
    LAUKA_TRACE_WAYS
};

/* What a run's counts were compared with, for a report: the accounts of the command's own process,
 * and the contents of the trace. Zeros if nothing was counted or accounted. */
struct lauka_counter_check {
    uint64_t counted_cycles, counted_instructions;     /* from the counters */
    uint64_t accounted_cycles, accounted_instructions; /* from the kernel, available to any user */
    uint64_t threads, unfinished, replaced, strangers; /* see pmu/macos/kdebug.h */
    uint64_t records[6];                               /* by enum lauka_kd_kind */
    struct lauka_raw_record {                          /* the first of each kind */
        uint64_t debugid, arguments[4], thread;
    } first[6];
    uint64_t on_ns, off_ns, read_ns; /* what it took to turn the trace on and off, and to read it */
    /* For each counter, of the command and all descendants: see pmu/macos/kdebug.h. */
    uint64_t sums[16];
};

/* An open event of the whole machine, on one CPU; or a file of powercap. */
struct lauka_machine_count {
    int fd;
    uint8_t event;
    uint64_t range; /* where the file's value begins again at 0; 0: it is an event */
    struct lauka_reading before;
};

/* Plain data without heap pointers, so that the requesting and the counting process can share it.
 * If several kinds of core have their own counters, a requested event is not opened itself: its
 * parts are, and it is their sum. */
struct lauka_counters {
    size_t count;
    size_t asked; /* number of first events, which were requested; the parts follow */
    /* Borrowed, or in parts[]; valid in both processes. */
    const struct lauka_event *events[LAUKA_COUNTERS_MAX];
    int errors[LAUKA_COUNTERS_MAX]; /* 0: can be counted; otherwise the errno that refused it */
    int held[LAUKA_COUNTERS_MAX];   /* descriptors of the counting process: see open; -1 for none */
    int armed[LAUKA_COUNTERS_MAX];  /* descriptors of the current run; -1 for none */
    uint8_t wholes[LAUKA_COUNTERS_MAX];  /* the event of which it is a part; otherwise itself */
    bool sums[LAUKA_COUNTERS_MAX];       /* it is the sum of its parts */
    uint8_t leaders[LAUKA_COUNTERS_MAX]; /* who leads the event's group; itself where it is alone */
    uint8_t order[LAUKA_COUNTERS_MAX];   /* the order in which the events get counters */
    uint8_t sets[LAUKA_COUNTERS_MAX];    /* events of one set fit together on the counters */
    uint8_t set_count;                   /* 1: all fit at once */
    bool taken;                          /* a counter of the PMU was not available */
    uint8_t turn;                /* the set that the next run counts; LAUKA_ALL_SETS after open */
    bool user_only;              /* kernel mode may not be counted, so no event includes it */
    bool user[LAUKA_EVENTS_MAX]; /* the same per event, if it differs (macOS) */
    bool whole_runs;     /* events cannot share a counter: each is counted in a whole run (macOS) */
    char conflict[1200]; /* if more than one set is needed there: why; and a set that fits */
    char trouble[500];   /* why nothing (more) can be counted: "reason; advice" (macOS) */
    uint64_t period_ns;  /* the request; see LAUKA_PERIOD_WHEN_NEEDED */
    uint64_t sampled_ns; /* sampling period of running threads; 0: no sampling */
    enum lauka_trace_way trace_way; /* of the next runs (macOS) */
    uint64_t partial_runs;          /* runs with incomplete counts; wrong ones are not shown */
    uint64_t doubtful_runs; /* runs whose counts are marked as estimates because of a doubt */
    char doubt[400];        /* the last one: "reason; advice" */
    bool contradicted;      /* in the last collected run, by the kernel's own numbers (macOS) */
    struct lauka_counter_check check; /* for the last collected run (macOS) */
    bool process_only;                /* counts only include the command's own process */
    bool forked;                      /* that process started others in the last collected run */
    bool core_kinds;                  /* several kinds of core with their own counters */
    bool virtual_machine;             /* and it announces this */
    struct lauka_topology topology;
    unsigned told; /* parts of residency that this machine reports: enum lauka_told bits */
    struct lauka_residency residency; /* for the last collected run */
    int run_error;           /* errno of a countable event that was not counted in this run; 0 */
    uint8_t run_error_at;    /* the last such event */
    uint64_t started_cpu_ns; /* CPU time of the run's process before exec */
    int clock_error;         /* last errno that refused the time on a CPU; 0: none */
    size_t clock_count;      /* CPUs with separate times; 0: none */
    uint16_t clock_cpus[LAUKA_CLOCKS_MAX];
    int clocks[LAUKA_CLOCKS_MAX];                /* descriptors of the current run; -1 for none */
    int migrations, held_clock, held_migrations; /* descriptors too */
    uint64_t begin_after_ns; /* runs are counted from this time after their start on; 0: from their
                              * start. Set it between open and the first run (Linux) */
    size_t machine_count;    /* open events of the whole machine (Linux) */
    struct lauka_machine_count machine[LAUKA_MACHINE_MAX];
    bool in_batch;     /* the counters of the next runs are already open: only Linux */
    bool batches_fail; /* this kernel cannot count like this */
    bool noted;        /* before[] and similar have what was counted before the next run */
    bool reads_groups; /* one read(2) returns a group (Linux) */
    bool watching;     /* watch the next run for programs that remove the events: only Linux */
    bool watched;      /* the last collected run was watched, from beginning to end */
    bool unwatched;    /* and it had one: a part of its work is not counted */
    void *rings[LAUKA_CLOCKS_MAX]; /* for the current run, mapped; NULL: none */
    /* In a batch: what had been counted before the current run. */
    struct lauka_reading before[LAUKA_COUNTERS_MAX], migrations_before;
    uint64_t clocks_before[LAUKA_CLOCKS_MAX];
    struct lauka_event parts[LAUKA_PARTS_MAX]; /* events[asked + i] is parts[i] */
    char part_names[LAUKA_PARTS_MAX][LAUKA_EVENT_NAME_SIZE];
};

/* Tries every event on the calling process. Keeps one disabled event of each kind open, because the
 * first and last event of a kind patch kernel code (about 0.1 ms each). Never fails as a whole: see
 * errors[]. If only user mode may be counted, all events count only user mode, so that figures stay
 * comparable, and user_only is set. */
void lauka_counters_open(struct lauka_counters *counters, const struct lauka_event *events,
                         size_t count);

/* Whether the event is counted in this turn. */
bool lauka_counters_has_turn(const struct lauka_counters *counters, size_t index);

/* The name of the event's figures, with :u if only user mode could be counted, and with the kind of
 * core for a part: "instructions:u@P". */
void lauka_counters_name(const struct lauka_counters *counters, size_t index, char *name,
                         size_t size);

/* Successive runs can share events. batch_begin opens them in the calling process instead of arm in
 * each run, and its children inherit them. Call batch_run before each run, because earlier counts
 * are not the run's, and batch_disturb if something that a run started outlived it. Nothing may
 * live on into the next run, and no other child may execute anything meanwhile. If batches are
 * impossible, each run has its own events. Linux only; elsewhere these do nothing. */
void lauka_counters_batch_begin(struct lauka_counters *counters);
void lauka_counters_batch_run(struct lauka_counters *counters);
void lauka_counters_batch_disturb(struct lauka_counters *counters);
void lauka_counters_batch_end(struct lauka_counters *counters);

/* Whether arm opens anything for the next run. */
bool lauka_counters_arms(const struct lauka_counters *counters);

/* Call it in the child between clone(CLONE_VM | CLONE_FILES) and execve, while the parent waits:
 * opens the events on the caller, disabled, inherited, enabled by exec. Async-signal-safe, no
 * allocation. Failures become readings that were not counted. */
void lauka_counters_arm(struct lauka_counters *counters);

/* Call it in the child, immediately before execve: what it used until then is not the command's.
 * Async-signal-safe. Linux only. */
void lauka_counters_mark_start(struct lauka_counters *counters);

/* If begin_after_ns is set: call it in the parent at that time, while the run goes on. What arm opened, the
 * clocks of residency included, counts from now on, in all processes that the run has started. Returns false where the
 * system cannot do that, and begin_after_ns is ignored; with NULL it does no more. */
bool lauka_counters_begin_late(struct lauka_counters *counters);

/* Call it immediately before a run: reads the events of the whole machine, which collect reads again. Linux only. */
void lauka_counters_look(struct lauka_counters *counters);

/* Call it after the child was reaped: reads what arm opened, and closes it unless in a batch.
 * readings[] has `count` places. Sets counters->residency. A part is scaled to the run's time on
 * its kind of core; if that is 0, its value is 0. */
void lauka_counters_collect(struct lauka_counters *counters, struct lauka_reading *readings);

/* Executing a set-uid or unreadable program makes the kernel silently remove the events, and only
 * earlier counts remain. Returns false, with empty readings, if the events and the clocks of
 * counters->residency were enabled for much less than the command's CPU time by the kernel's
 * account, minus the time before exec. */
bool lauka_counters_verify(const struct lauka_counters *counters, uint64_t cpu_ns,
                           struct lauka_reading *readings);

/* ---- linux/attached.c, macos/absent.c: a process of which stretches are counted ---------------- */

/* Whether this system supports it; otherwise the others do nothing, and nothing is counted. */
bool lauka_counters_can_attach(void);

/* Opens the events on a process that has not begun yet, including all it will start; they do not
 * count. counters: a copy of open ones, held by a process that did not open them: it holds no
 * event. Errors are in counters->run_error, and these events are not counted. */
void lauka_counters_attach(struct lauka_counters *counters, pid_t pid);

/* Starts counting; the second stops and reads the counts since then. readings[] has `count` places. */
void lauka_counters_begin_stretch(struct lauka_counters *counters);
void lauka_counters_end_stretch(struct lauka_counters *counters, struct lauka_reading *readings);

/* Closes what attach opened. */
void lauka_counters_detach(struct lauka_counters *counters);

/* ---- what is not there, and why ---------------------------------------------------------------------- */

/* True if the event needs a counter of the CPU; false if the kernel counts it in software. */
bool lauka_event_is_hardware(const struct lauka_event *event);

/* The meaning of an errno for the events here, with advice: "REASON; WHAT TO DO". */
void lauka_counters_explain(const struct lauka_counters *counters, int error, char *text,
                            size_t size);

/* If all cores are of one kind: stops measuring residency and releases its resources, until the
 * counters are opened again. */
void lauka_counters_spare(struct lauka_counters *counters);

/* Closes the held events. */
void lauka_counters_close(struct lauka_counters *counters);

/* If a counter is taken: who has it, and how to get it back. Otherwise NULL. Static. */
const char *lauka_counters_taken(const struct lauka_counters *counters);

/* Who may have taken a counter, if one is taken. root: "/proc/sys/kernel", except in tests. */
const char *lauka_counter_holder(const char *root);

/* Whether a hypervisor announces itself to the kernel (on x86). root: "/proc", except in tests. */
bool lauka_machine_is_virtual(const char *root);

/* The names of a set's events, and of those in every set: "a, b". */
void lauka_counters_list_set(const struct lauka_counters *counters, unsigned set, char *text,
                             size_t size);

/* Reports missing events, the reason, and advice: "cannot count NAMES: REASON; WHAT TO DO", once
 * per reason, in lower case and without a full stop. Cut to `size`; 500 is plenty for one reason.
 * False, with an empty text, if nothing is missing. Does not mention user_only. */
bool lauka_counters_advice(const struct lauka_counters *counters, char *text, size_t size);

/* ---- linux/, macos/native.c, macos/darwin_probe.c: what this system counts with -------------- */

/* The events that are counted by default. Sets *count. */
const struct lauka_event *lauka_native_events(size_t *count);

/* Writes the system's answers to the calls that counting needs, as a JSON object for a report. Leaves no
 * lasting change, but must not be called during a session. Check `out` for errors afterwards. */
void lauka_native_probe(FILE *out);

/* ---- derived.c: ratios of two counts of the same time ---------------------------------------- */

enum { LAUKA_TOPDOWN_RATIOS = 12, LAUKA_RATIO_TERMS = 4 };
#define LAUKA_DERIVED_MAX                                                                          \
    (4 + 4 * LAUKA_CORE_TYPES_MAX + LAUKA_TOPDOWN_RATIOS * LAUKA_CORE_TYPES_MAX)

/* A count as a part of a sum: its factor is below 0 if it is subtracted. */
struct lauka_ratio_term {
    size_t index;
    double factor; /* 0: there are no more terms */
};

/* value = 10^decimals * scale * of / per; per == of: per nanosecond of its own counted time. */
struct lauka_derived {
    const char *name, *unit, *description; /* static */
    enum lauka_better better;
    int decimals;
    uint64_t scale;
    size_t of, per; /* indices of counters */
    uint8_t core;   /* as in the two events */
    /* If the first factor is not 0: sums of counts in place of the two events, all of one group. */
    struct lauka_ratio_term parts[LAUKA_RATIO_TERMS], whole[LAUKA_RATIO_TERMS];
};

/* Which of IPC, GHz, branch-miss % and cache-miss % can be derived from the counted events: first for the
 * whole, then for each kind of core; and the shares of the top-down method, for each PMU. */
size_t lauka_derived_find(const struct lauka_counters *counters,
                          struct lauka_derived derived[LAUKA_DERIVED_MAX]);

/* False if the two were not counted at the same time, or not at all. */
bool lauka_derived_value(const struct lauka_derived *derived, const struct lauka_reading *readings,
                         uint64_t *value);

/* ---- pretended.c: every event from a seed, for goldens and for machines without counters ----- */

/* A named simulation of a machine's abilities. */
enum lauka_scenario {
    LAUKA_SCENARIO_FULL,        /* counts everything */
    LAUKA_SCENARIO_NO_PMU,      /* every hardware event refuses with ENOENT, as in most VMs */
    LAUKA_SCENARIO_DENIED,      /* every hardware event refuses with EACCES */
    LAUKA_SCENARIO_MULTIPLEXED, /* three counters: hardware events share them */
    LAUKA_SCENARIO_USER_ONLY,   /* the kernel may not be counted */
    LAUKA_SCENARIO_HYBRID,      /* two kinds of core: the commands are on P for nine tenths */
    LAUKA_SCENARIO_APART,       /* two kinds of core: the first command is on P, the others on E */
    LAUKA_SCENARIO_ALIKE,       /* the same, and none is the faster one: they go by their PMUs */
    LAUKA_SCENARIO_EFFECTS,     /* full; the commands' words set their costs */
    LAUKA_SCENARIO_COUNTERS = 0x800, /* + n: hardware events share n counters */
    LAUKA_SCENARIO_FAILING = 0x1000  /* from here on: see lauka_scenario_failing */
};

/* Counter number `position` (from 0; 63: every one) refuses with `error`; the others count. */
enum lauka_scenario lauka_scenario_failing(int error, unsigned position);

/* False for an unknown name. Names: full, no-pmu, denied, multiplexed, multiplexed-COUNTERS,
 * user-only, hybrid, hybrid-apart, hybrid-alike, effects, fail-ERRNO (fail-EBUSY: every event) and
 * fail-ERRNO-POSITION (fail-EBUSY-2). */
bool lauka_scenario_parse(const char *name, enum lauka_scenario *scenario);

/* Like lauka_counters_open, but opens nothing. */
void lauka_pretended_open(struct lauka_counters *counters, enum lauka_scenario scenario,
                          const struct lauka_event *events, size_t count);

/* The simulated cost of run `round` of command `command`: a pure function of its arguments,
 * plausible (command k is about k * 5 % slower than command 0, with 1 % noise and a rare spike).
 * Sets counters->residency. */
void lauka_pretended_run(struct lauka_counters *counters, enum lauka_scenario scenario,
                         uint64_t seed, size_t command, uint64_t round, struct lauka_usage *usage,
                         struct lauka_reading *readings);

/* ---- what each system provides for counting, and what it may use for that. Either linux/ or macos/ is built; it implements open, arm, collect and close of counters.h, and the functions marked here */

/* Copies the events, with none refused and none open. count is at most LAUKA_COUNTERS_MAX. */
void lauka_counters_prepare(struct lauka_counters *counters, const struct lauka_event *events,
                            size_t count);

/* parts.c: makes it the event of one kind of core, by its PMU's attr.type; 0 changes nothing. False if it does not name
 * the PMU of cores without saying which kind. */
bool lauka_event_take_pmu(struct lauka_event *event, uint32_t pmu_type);

/* parts.c: if several kinds of core in counters->topology have their own PMUs, splits every event
 * that is not of one PMU only into parts. Call it after prepare, before anything is opened. */
void lauka_counters_split(struct lauka_counters *counters);

/* Refuses an event if one of its parts is refused, with ENXIO if only some kinds of core lack it.
 * Call it when the parts' errors are known. */
void lauka_counters_settle(struct lauka_counters *counters);

/* Scales the parts by counters->residency and sums them. */
void lauka_counters_add_up(const struct lauka_counters *counters, struct lauka_reading *readings);

/* The event whose number means the same everywhere: for a part, the whole event. */
const struct lauka_event *lauka_counters_meant(const struct lauka_counters *counters, size_t index);

/* Groups counted events that have a useful ratio; the divisor leads. */
void lauka_counters_pair(struct lauka_counters *counters);

/* Finds an errno by its name, "EBUSY"; 0 if perf_event_open(2) is not known to return it. */
int lauka_refusal_number(const char *name);

/* By the backend: what ENOTSUP for an event means on this system, and what to do: "reason; advice".
 * Static. */
const char *lauka_backend_unsupported(void);

#endif
