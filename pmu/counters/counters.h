/* What one run of a command cost: an open set of events, the kernel's own accounting, and the cores it ran
 * on. Functions that can fail return 0 or an errno; nothing here prints or exits. */
#ifndef LAUKA_PMU_COUNTERS_COUNTERS_H
#define LAUKA_PMU_COUNTERS_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "pmu/events/events.h"

struct lauka_counters;
struct rusage;

/* ---- topology.c: sets of CPUs ----------------------------------------------------------------- */

#define LAUKA_CPUS_MAX 1024 /* CPUs beyond are left out */

/* Zeroed, it is empty. */
struct lauka_cpu_set {
    uint64_t words[LAUKA_CPUS_MAX / 64];
};

void lauka_cpu_set_add(struct lauka_cpu_set *set, unsigned cpu);
bool lauka_cpu_set_has(const struct lauka_cpu_set *set, unsigned cpu);
unsigned lauka_cpu_set_count(const struct lauka_cpu_set *set);

/* Adds everything in the other set, or removes it. */
void lauka_cpu_set_join(struct lauka_cpu_set *set, const struct lauka_cpu_set *other);
void lauka_cpu_set_remove(struct lauka_cpu_set *set, const struct lauka_cpu_set *other);

/* Parses "0-3,8", as taskset(1) and sysfs write it. For anything else returns false and leaves *set alone. */
bool lauka_cpu_set_parse(const char *list, struct lauka_cpu_set *set);
void lauka_cpu_set_format(const struct lauka_cpu_set *set, char *text, size_t size);

/* ---- linux/native.c, macos/native.c: on which CPUs a process may run --------------------- */

/* Of a process, or of the caller if pid is 0. Returns 0 or an errno: ENOTSUP on macOS, EINVAL if no CPU of
 * the set is online. Children inherit what is set. Async-signal-safe. */
int lauka_affinity_get(pid_t pid, struct lauka_cpu_set *set);
int lauka_affinity_set(pid_t pid, const struct lauka_cpu_set *set);

/* ---- topology.c: the kinds of core ----------------------------------------------------------- */

enum { LAUKA_CORE_TYPES_MAX = 4, LAUKA_CORE_LABEL_SIZE = 48 };

struct lauka_core_type {
    /* "P", "E", "LP-E", and "M" between them; equally fast kinds are called by how their PMUs' names end:
     * "cortex_a53". No two kinds have the same label. */
    char label[LAUKA_CORE_LABEL_SIZE];
    /* Its PMU; on macOS the level's name; empty where the kinds share one. */
    char pmu[LAUKA_CORE_LABEL_SIZE];
    uint32_t pmu_type; /* attr.type of that PMU; 0: the kinds share one */
    unsigned cpu_count;
    struct lauka_cpu_set cpus; /* empty where the system does not say which (macOS) */
};

/* The fastest kind comes first. With one kind only, its label is empty. */
struct lauka_topology {
    size_t type_count;  /* at least 1 */
    unsigned cpu_count; /* online */
    struct lauka_core_type types[LAUKA_CORE_TYPES_MAX];
};

/* Of this machine. */
void lauka_topology_detect(struct lauka_topology *topology);

/* From a sysfs; root: "/sys", unless in a test. */
void lauka_topology_read(const char *root, struct lauka_topology *topology);

/* How many kinds of core have a PMU of their own. */
size_t lauka_topology_count_pmus(const struct lauka_topology *topology);

/* The upper half of attr.config names the PMU: perf_event.h, PERF_PMU_TYPE_SHIFT. */
enum { LAUKA_PMU_TYPE_SHIFT = 32 };

/* The index of the CPU's kind; type_count if it has none. */
size_t lauka_topology_type(const struct lauka_topology *topology, unsigned cpu);

/* Whether "P", "E" ... means that kind; "E" means all efficiency cores, including LP-E. */
bool lauka_core_type_is(const struct lauka_core_type *type, const char *label);

/* The CPUs of the kinds with that label. False if there is none, or all cores are of one kind. */
bool lauka_topology_find(const struct lauka_topology *topology, const char *label,
                         struct lauka_cpu_set *cpus);

/* ---- rusage.c: the kernel's own accounting --------------------------------------------------- */

/* wall_ns comes from the caller's two stamps. cpu_time is user plus system time: on a tick kernel their
 * sum is exact, while the split is scaled from ticks. */
void lauka_usage_read(const struct rusage *rusage, uint64_t wall_ns, struct lauka_usage *usage);

/* ---- linux/disturbance.c, macos/disturbance.c: what else the machine was busy with ----------- */

/* How long the main thread of a process was ready to run without a CPU, since it began; also of a zombie.
 * LAUKA_UNKNOWN if the system does not say. */
uint64_t lauka_run_delay_ns(pid_t pid);

/* For the whole machine, since some moment in the past: only differences are meaningful. LAUKA_UNKNOWN if
 * the system does not say. */
struct lauka_disturbance {
    uint64_t pressure_ns; /* in which some task waited for a CPU */
    uint64_t steal_ns;    /* CPU time that the hypervisor gave to others; all CPUs together */
};
void lauka_disturbance_read(struct lauka_disturbance *disturbance);

/* ---- linux/cgroup.c, macos/cgroup.c: the memory of all processes of a run together ----------- */

enum { LAUKA_CGROUP_PATH_SIZE = 1024 };

/* Plain data; zeroed: not open. */
struct lauka_cgroup {
    bool open;
    bool joined;                         /* in this run */
    bool occupied;                       /* some could not be removed */
    char folder[LAUKA_CGROUP_PATH_SIZE]; /* in which a cgroup is made for every run */
    pid_t owner;
    uint64_t runs;
    int own, procs; /* descriptors of the run and of its list of processes; -1: none */
};

/* Finds where cgroups can be made, by making one; does nothing once it is open. ENOTSUP: no cgroup of
 * version 2 above ours delegates the memory controller; ENOSYS: the kernel does not keep the peak;
 * otherwise the errno of making one (EACCES, EROFS ...). root: "", unless in a test. */
int lauka_cgroup_open(const char *root, struct lauka_cgroup *cgroup);

/* Before a run: makes its cgroup. Returns 0 or an errno; after an errno there is nothing to join. */
int lauka_cgroup_begin(struct lauka_cgroup *cgroup);

/* In the child: moves the caller into the cgroup, with everything that it starts. Async-signal-safe. */
void lauka_cgroup_join(struct lauka_cgroup *cgroup);

/* After the run: the most memory in bytes that its processes used at one time, including the page cache
 * and the kernel memory that they were the first to need; LAUKA_UNKNOWN if it is not known. Removes the
 * cgroup. */
uint64_t lauka_cgroup_end(struct lauka_cgroup *cgroup);
void lauka_cgroup_close(struct lauka_cgroup *cgroup);

/* ---- topology.c: how long a run was on which kind of core ----------------------------------- */

#define LAUKA_UNKNOWN UINT64_MAX

/* What one run did on cores of one kind; LAUKA_UNKNOWN if the system does not say. */
struct lauka_core_usage {
    uint64_t cpu_ns, user_ns, system_ns; /* cpu_ns is exact; user and system time macOS only */
    uint64_t cycles, instructions;       /* macOS only: elsewhere from the counters */
};

/* Of the command and all its descendants. */
struct lauka_residency {
    struct lauka_core_usage types[LAUKA_CORE_TYPES_MAX]; /* by struct lauka_topology's index */
    uint64_t switches;                                   /* between kinds of core */
    uint64_t cpus_used;  /* CPUs on which any time was spent; known with cpu_ns, except on macOS */
    uint64_t migrations; /* from one CPU to another */
};

/* The parts of it that a machine may or may not tell. */
enum lauka_told {
    LAUKA_TOLD_CPU_TIME = 1, /* and on how many CPUs */
    LAUKA_TOLD_MODES = 2,    /* user and system time by kind of core */
    LAUKA_TOLD_COUNTS = 4,   /* cycles and instructions by kind of core */
    LAUKA_TOLD_SWITCHES = 8,
    LAUKA_TOLD_MIGRATIONS = 16,
};

/* Nothing is known. */
void lauka_residency_forget(struct lauka_residency *residency);

/* The CPU time on all kinds of core; LAUKA_UNKNOWN if one is not known. */
uint64_t lauka_residency_total_ns(const struct lauka_residency *residency, size_t type_count);

/* The share of the CPU time on cores of kind `type`, 0 ... 1; negative if it is not known. */
double lauka_residency_share(const struct lauka_residency *residency, size_t type_count,
                             size_t type);

/* The same for the clocks: discards their values if they ended long before the command. */
void lauka_residency_verify(struct lauka_residency *residency,
                            const struct lauka_counters *counters, uint64_t cpu_ns);

/* ---- counters.c: an open set of events, armed before a run and collected after it ------------ */

/* A reading is three numbers, so that nobody forgets to scale: an event that shared its counter was
 * counted for `running` of the `enabled` nanoseconds. running == 0: not counted at all. */
struct lauka_reading {
    uint64_t value;
    uint64_t enabled;
    uint64_t running;
};

/* The value scaled to the whole time, rounded. Sets it to 0 and returns false if nothing was counted or
 * the result would not fit. */
bool lauka_reading_scaled(const struct lauka_reading *reading, uint64_t *value);

/* The share of its time in which the event was counted, 0 ... 1. */
double lauka_reading_share(const struct lauka_reading *reading);

enum {
    LAUKA_EVERY_SET = 255, /* of an event: it takes no counter, and is counted in every turn */
    LAUKA_ALL_SETS = 255   /* of a turn: everything is counted, if need be in a part of the time */
};

/* The requested events and, if several kinds of core have their own counters, one part for each kind. */
enum {
    LAUKA_PARTS_MAX = LAUKA_EVENTS_MAX * LAUKA_CORE_TYPES_MAX,
    LAUKA_COUNTERS_MAX = LAUKA_EVENTS_MAX + LAUKA_PARTS_MAX,
    LAUKA_CLOCKS_MAX = 256 /* CPUs whose time is kept apart; on larger machines it is not known */
};

/* Sampling that stands in for threads whose end was not seen: macOS only. */
#define LAUKA_PERIOD_WHEN_NEEDED 0 /* from the first such thread on, every millisecond */
#define LAUKA_PERIOD_NEVER UINT64_MAX

/* What a run's counts were checked against, for a report: the accounts of the command's own process, and
 * what the trace said. Zeros if nothing was counted or accounted. */
struct lauka_counter_check {
    uint64_t counted_cycles, counted_instructions;     /* by the counters */
    uint64_t accounted_cycles, accounted_instructions; /* by the kernel, to any user */
    uint64_t threads, unfinished, replaced, strangers; /* see pmu/macos/kdebug.h */
    uint64_t records[6];                               /* by enum lauka_kd_kind */
    /* For each counter, of the command and all descendants: see pmu/macos/kdebug.h. */
    uint64_t sums[16];
};

/* Plain data without pointers to the heap, so that the asking and the counting process can share it. With
 * several kinds of core, each with its own counters, a requested event is not opened itself: its parts
 * are, and it is their sum. */
struct lauka_counters {
    size_t count;
    size_t asked; /* the first ones; the parts follow */
    /* Borrowed, or in parts[]; valid in both. */
    const struct lauka_event *events[LAUKA_COUNTERS_MAX];
    int errors[LAUKA_COUNTERS_MAX]; /* 0: can be counted; otherwise the errno that refused it */
    int held[LAUKA_COUNTERS_MAX];   /* descriptors of the counting process: see open; -1 for none */
    int armed[LAUKA_COUNTERS_MAX];  /* descriptors of the current run; -1 for none */
    uint8_t wholes[LAUKA_COUNTERS_MAX];  /* what a part is a part of; itself where it is none */
    bool sums[LAUKA_COUNTERS_MAX];       /* it is the sum of its parts */
    uint8_t leaders[LAUKA_COUNTERS_MAX]; /* who leads the event's group; itself where it is alone */
    uint8_t order[LAUKA_COUNTERS_MAX];   /* in which the events get their counters */
    uint8_t sets[LAUKA_COUNTERS_MAX];    /* events of one set fit onto the counters together */
    uint8_t set_count;                   /* 1: all fit at once */
    bool taken;                          /* a counter that the PMU has could not be had */
    uint8_t turn;                /* the set that the next run counts; LAUKA_ALL_SETS after open */
    bool user_only;              /* kernel mode may not be counted here, so no event counts it */
    bool user[LAUKA_EVENTS_MAX]; /* the same of one event, where that differs (macOS) */
    bool whole_runs;     /* events cannot share a counter: each is counted in a whole run (macOS) */
    char conflict[1200]; /* where more than one set is needed there: why; and a set that fits */
    char trouble[500];   /* why nothing more can be counted, or was: "reason; advice" (macOS) */
    uint64_t period_ns;  /* asked for; see LAUKA_PERIOD_WHEN_NEEDED */
    uint64_t sampled_ns; /* the period at which running threads are sampled; 0: they are not */
    uint64_t partial_runs;  /* whose counts were incomplete: what is wrong of them is not shown */
    uint64_t doubtful_runs; /* whose counts are marked as estimates, for a doubt about them */
    char doubt[400];        /* the last one: "reason; advice" */
    bool contradicted;      /* in the run collected last, by what the kernel itself says (macOS) */
    struct lauka_counter_check check; /* of the run collected last (macOS) */
    bool process_only;                /* the counts are those of the command's own process */
    bool forked;          /* in the run collected last, that process had others started */
    bool core_kinds;      /* more than one kind of core, each with counters of its own */
    bool virtual_machine; /* and it says so */
    struct lauka_topology topology;
    unsigned told; /* which parts of residency this machine tells: enum lauka_told as bits */
    struct lauka_residency residency; /* of the run that was collected last */
    int run_error;        /* errno by which an event that can be counted was not in this run; 0 */
    uint8_t run_error_at; /* which one: the last */
    uint64_t started_cpu_ns; /* CPU time that the run's process had spent until exec */
    int clock_error;         /* errno by which the time on a CPU was refused last, if ever; 0 */
    size_t clock_count;      /* CPUs whose time is kept apart; 0: none is */
    uint16_t clock_cpus[LAUKA_CLOCKS_MAX];
    int clocks[LAUKA_CLOCKS_MAX];                /* descriptors of the current run; -1 for none */
    int migrations, held_clock, held_migrations; /* descriptors too */
    bool in_batch;     /* what counts the next runs is open already: Linux only */
    bool batches_fail; /* this kernel does not count so */
    bool noted;        /* before[] and its like hold what has been counted before the next run */
    bool reads_groups; /* one read(2) tells of a group (Linux) */
    bool watching;  /* the next run is watched for programs that take the events away: Linux only */
    bool watched;   /* the run that was collected last was, from its beginning to its end */
    bool unwatched; /* and there was one: a part of what was done is not counted */
    void *rings[LAUKA_CLOCKS_MAX]; /* of the current run, mapped; NULL for none */
    /* In a batch: what had been counted before the current run. */
    struct lauka_reading before[LAUKA_COUNTERS_MAX], migrations_before;
    uint64_t clocks_before[LAUKA_CLOCKS_MAX];
    struct lauka_event parts[LAUKA_PARTS_MAX]; /* events[asked + i] is parts[i] */
    char part_names[LAUKA_PARTS_MAX][LAUKA_EVENT_NAME_SIZE];
};

/* Tries every event on the calling process. Keeps one disabled event of each kind open, because the first
 * and the last event of a kind patch kernel code (about 0.1 ms each). Never fails as a whole: see
 * errors[]. If only user mode may be counted, all events count user mode only, so that figures stay
 * comparable, and user_only is set. */
void lauka_counters_open(struct lauka_counters *counters, const struct lauka_event *events,
                         size_t count);

/* Whether the event is counted in this turn. */
bool lauka_counters_has_turn(const struct lauka_counters *counters, size_t index);

/* The name of the event's figures: marked with :u if only user mode could be counted, and with the kind of
 * core if it is a part: "instructions:u@P". */
void lauka_counters_name(const struct lauka_counters *counters, size_t index, char *name,
                         size_t size);

/* Runs that follow each other can share events. batch_begin opens them in the calling process instead of
 * arm in each run, and its children inherit them. Call batch_run before each run, because what was counted
 * before is not the run's, and batch_disturb if something that a run started outlived it. Nothing may live
 * on into the next run, and no other child may execute anything meanwhile. If batches are impossible, each
 * run has its own events. Linux only; elsewhere these do nothing. */
void lauka_counters_batch_begin(struct lauka_counters *counters);
void lauka_counters_batch_run(struct lauka_counters *counters);
void lauka_counters_batch_disturb(struct lauka_counters *counters);
void lauka_counters_batch_end(struct lauka_counters *counters);

/* Whether arm opens anything for the next run. */
bool lauka_counters_arms(const struct lauka_counters *counters);

/* Call it in the child between clone(CLONE_VM | CLONE_FILES) and execve, while the parent waits: opens the events on
 * the caller, disabled, inherited, enabled by exec. Async-signal-safe, no allocation. Failures show as
 * readings that were not counted. */
void lauka_counters_arm(struct lauka_counters *counters);

/* Call it in the child, last before execve: what it has spent until then is not the command's.
 * Async-signal-safe. Linux only. */
void lauka_counters_mark_start(struct lauka_counters *counters);

/* After the child was reaped: reads what arm opened, and closes it unless in a batch. readings[] has
 * `count` places. Sets counters->residency. A part is scaled to the time that the run spent on its kind of
 * core; if that is 0, its value is 0. */
void lauka_counters_collect(struct lauka_counters *counters, struct lauka_reading *readings);

/* When a set-uid or unreadable program is executed, the kernel silently removes the events, and only what
 * was counted until then is left. False, with empty readings, if the events and the clocks of
 * counters->residency were enabled for much less than the command's CPU time by the kernel's account, less
 * what was spent before exec. */
bool lauka_counters_verify(const struct lauka_counters *counters, uint64_t cpu_ns,
                           struct lauka_reading *readings);

/* ---- linux/attached.c, macos/attached.c: a process of which stretches are counted ---------------- */

/* Whether this system can do that; otherwise the others do nothing, and nothing is counted. */
bool lauka_counters_can_attach(void);

/* Opens the events on a process that has not begun yet, with all that it will start; they do not count. counters: a
 * copy of open ones, by a process that did not open them itself: it holds no event. What could not be opened is
 * counters->run_error, and not counted. */
void lauka_counters_attach(struct lauka_counters *counters, pid_t pid);

/* From here on they count; until here, since then. readings[] has `count` places. */
void lauka_counters_begin_stretch(struct lauka_counters *counters);
void lauka_counters_end_stretch(struct lauka_counters *counters, struct lauka_reading *readings);

/* Closes what attach opened. */
void lauka_counters_detach(struct lauka_counters *counters);

/* ---- what is not there, and why ---------------------------------------------------------------------- */

/* True for an event that occupies a counter of the CPU; false for one that the kernel counts in software. */
bool lauka_event_is_hardware(const struct lauka_event *event);

/* What an errno means for the events here, and what to do: "REASON; WHAT TO DO". */
void lauka_counters_explain(const struct lauka_counters *counters, int error, char *text,
                            size_t size);

/* If all cores are of one kind: stops measuring residency and releases what it took, until the counters
 * are opened anew. */
void lauka_counters_spare(struct lauka_counters *counters);

/* Closes the held events. */
void lauka_counters_close(struct lauka_counters *counters);

/* If a counter is taken: by what, and how to get it back. Otherwise NULL. Static. */
const char *lauka_counters_taken(const struct lauka_counters *counters);

/* Who may have taken a counter, if one is taken. root: "/proc/sys/kernel", unless in a test. */
const char *lauka_counter_holder(const char *root);

/* Whether a hypervisor makes itself known to the kernel (on x86). root: "/proc", unless in a test. */
bool lauka_machine_is_virtual(const char *root);

/* The names of the events of a set, and of those that are in every set: "a, b". */
void lauka_counters_list_set(const struct lauka_counters *counters, unsigned set, char *text,
                             size_t size);

/* Says which events are missing, why, and what to do: "cannot count NAMES: REASON; WHAT TO DO", once per
 * reason, in lower case and without a full stop. Cut to `size`; 500 is plenty for one reason. False, with
 * an empty text, if nothing is missing. Does not mention user_only. */
bool lauka_counters_advice(const struct lauka_counters *counters, char *text, size_t size);

/* ---- linux/, macos/native.c, macos/darwin_probe.c: what this system counts with -------------- */

/* What is counted by default. Sets *count. */
const struct lauka_event *lauka_native_events(size_t *count);

/* How the system answers the calls that counting relies on, as a JSON object for a report. Leaves no
 * lasting change, but must not be called during a session. */
void lauka_native_probe(char *json, size_t size);

/* ---- derived.c: ratios of two counts of the same time ---------------------------------------- */

#define LAUKA_DERIVED_MAX (4 + 4 * LAUKA_CORE_TYPES_MAX)

/* value = 10^decimals * scale * of / per; per == of: per nanosecond of its own counted time. */
struct lauka_derived {
    const char *name, *unit, *description; /* static */
    enum lauka_better better;
    int decimals;
    uint64_t scale;
    size_t of, per; /* indices of the counters */
    uint8_t core;   /* as in the two events */
};

/* Which of IPC, GHz, branch-miss % and cache-miss % can be derived from the counted events: first for the
 * whole, then for each kind of core. */
size_t lauka_derived_find(const struct lauka_counters *counters,
                          struct lauka_derived derived[LAUKA_DERIVED_MAX]);

/* False if the two were not counted in the same time, or not at all. */
bool lauka_derived_value(const struct lauka_derived *derived, const struct lauka_reading *readings,
                         uint64_t *value);

/* ---- pretended.c: every event from a seed, for goldens and for machines without counters ----- */

/* The named pretence of what the machine can do. */
enum lauka_scenario {
    LAUKA_SCENARIO_FULL,        /* everything is counted */
    LAUKA_SCENARIO_NO_PMU,      /* every hardware event refuses with ENOENT, as in most VMs */
    LAUKA_SCENARIO_DENIED,      /* every hardware event refuses with EACCES */
    LAUKA_SCENARIO_MULTIPLEXED, /* three counters: hardware events share them */
    LAUKA_SCENARIO_USER_ONLY,   /* the kernel may not be counted */
    LAUKA_SCENARIO_HYBRID,      /* two kinds of core: the commands are on P for nine tenths */
    LAUKA_SCENARIO_APART,       /* two kinds of core: the first command is on P, the others on E */
    LAUKA_SCENARIO_ALIKE,       /* the same, and none is the faster one: they go by their PMUs */
    LAUKA_SCENARIO_EFFECTS,     /* full; what commands cost is said elsewhere, by their words */
    LAUKA_SCENARIO_COUNTERS = 0x800, /* + n: n counters, which hardware events share */
    LAUKA_SCENARIO_FAILING = 0x1000  /* from here on: see lauka_scenario_failing */
};

/* Counter number `position` (from 0; 63: every one) refuses with `error`; the others count. */
enum lauka_scenario lauka_scenario_failing(int error, unsigned position);

/* False for an unknown name. Names: full, no-pmu, denied, multiplexed, multiplexed-COUNTERS, user-only,
 * hybrid, hybrid-apart, hybrid-alike, effects, fail-ERRNO (as fail-EBUSY: every event) and
 * fail-ERRNO-POSITION (as fail-EBUSY-2). */
bool lauka_scenario_parse(const char *name, enum lauka_scenario *scenario);

/* As lauka_counters_open, but opens nothing. */
void lauka_pretended_open(struct lauka_counters *counters, enum lauka_scenario scenario,
                          const struct lauka_event *events, size_t count);

/* What run `round` of command `command` would have cost: a pure function of its arguments,
 * plausible (command k is about k * 5 % slower than command 0, with 1 % noise and a rare spike).
 * Sets counters->residency. */
void lauka_pretended_run(struct lauka_counters *counters, enum lauka_scenario scenario,
                         uint64_t seed, size_t command, uint64_t round, struct lauka_usage *usage,
                         struct lauka_reading *readings);

/* ---- what each system provides for counting, and what it may use for that. Either linux/ or macos/ is built; it implements open, arm, collect and close of counters.h, and the functions marked here */

/* Takes over the events: none refused, none open. count is at most LAUKA_COUNTERS_MAX. */
void lauka_counters_prepare(struct lauka_counters *counters, const struct lauka_event *events,
                            size_t count);

/* parts.c: if counters->topology has a PMU for each of several kinds of core, splits every event that is
 * not of one PMU only into its parts. Call it after prepare, before anything is opened. */
void lauka_counters_split(struct lauka_counters *counters);

/* An event is refused if one of its parts is, with ENXIO if only some kinds of core lack it. Call it once
 * the parts' errors are known. */
void lauka_counters_settle(struct lauka_counters *counters);

/* Scales the parts by counters->residency and adds them up. */
void lauka_counters_add_up(const struct lauka_counters *counters, struct lauka_reading *readings);

/* The event whose number means the same everywhere: for a part, the event that it is a part of. */
const struct lauka_event *lauka_counters_meant(const struct lauka_counters *counters, size_t index);

/* Groups counted events whose ratio is worth knowing; the divisor leads. */
void lauka_counters_pair(struct lauka_counters *counters);

/* Finds an errno by its name, "EBUSY"; 0 if perf_event_open(2) is not known to return it. */
int lauka_refusal_number(const char *name);

/* By the backend: what ENOTSUP for an event means on this system, and what to do: "reason; advice".
 * Static. */
const char *lauka_backend_unsupported(void);

#endif
