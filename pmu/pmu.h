/* pmu: everything that can be counted about one run of a command. Depends on the operating system
 * only. Functions that can fail return 0 or an errno; nothing here prints or exits. */
#ifndef LAUKA_PMU_H
#define LAUKA_PMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

/* ---- event.c: names, units and descriptions of all that can be counted ----------------------- */

enum lauka_better { LAUKA_BETTER_LOWER, LAUKA_BETTER_HIGHER, LAUKA_BETTER_NEITHER };

/* In which modes of the CPU an event is counted. */
enum lauka_modes { LAUKA_MODES_ALL, LAUKA_MODES_USER, LAUKA_MODES_KERNEL };

/* A quantity with a name. Units are plain strings: "ns", "B", or "1" for a count. */
struct lauka_event {
    const char *name;        /* as in the table and the JSON: "branch_misses", "instructions:u" */
    const char *unit;        /* static */
    const char *source;      /* static: "clock", "rusage" or "perf_event" */
    const char *description; /* static; one line */
    enum lauka_better better;
    uint32_t type; /* attr.type, .config ... of perf_event_open(2); 0 for the other sources */
    uint64_t config, config1, config2;
    enum lauka_modes modes;
    bool of_one_pmu; /* type is that of the PMU that was asked for by name */
    bool of_cores;   /* and that is one of the cores' own: not msr's, power's ... */
    uint8_t core;    /* 0: of any core; k: of cores of kind k - 1 only, by their PMU */
};

/* attr.type, which is kernel ABI; every other number is some PMU's, and stands in its sysfs. */
enum {
    LAUKA_TYPE_HARDWARE = 0,
    LAUKA_TYPE_SOFTWARE = 1,
    LAUKA_TYPE_TRACEPOINT = 2,
    LAUKA_TYPE_CACHE = 3,
    LAUKA_TYPE_RAW = 4,
    LAUKA_TYPE_BREAKPOINT = 5
};

/* The metrics that need no counter, in the order of `struct lauka_usage`'s values[]. */
enum lauka_usage_metric {
    LAUKA_WALL_TIME,
    LAUKA_USER_TIME,
    LAUKA_SYSTEM_TIME,
    LAUKA_CPU_TIME,
    LAUKA_PEAK_RSS,
    LAUKA_MINOR_FAULTS,
    LAUKA_MAJOR_FAULTS,
    LAUKA_CONTEXT_SWITCHES,
    LAUKA_USAGE_METRICS /* how many there are */
};

/* The table of those metrics: LAUKA_USAGE_METRICS entries, indexed by the enum. */
const struct lauka_event *lauka_usage_events(void);

/* The counters that are tried by default: cycles, instructions, cache_references, cache_misses,
 * branch_misses. Sets *count. */
const struct lauka_event *lauka_default_events(size_t *count);

/* All events that have the same name on every machine; the default ones come first. Sets *count. */
const struct lauka_event *lauka_portable_events(size_t *count);

/* The portable event or the usage metric of that name or alias; NULL: there is none. '-' and '_'
 * and the case of letters do not matter. */
const struct lauka_event *lauka_event_find(const char *name);

/* What the event is on this machine: which cache "cache_misses" are of, is told by the PMU of the cores.
 * pmus: LAUKA_SYSFS, and proc: "/proc", unless in a test. Static, or the event's own. */
const char *lauka_event_description(const struct lauka_event *event, const char *pmus,
                                    const char *proc);

/* Another name of a portable event, by number; NULL beyond the last. *name: what it means. */
const char *lauka_event_alias(size_t index, const char **name);

/* True where two names differ in case, or in '-' for '_', only. */
bool lauka_same_name(const char *a, const char *b);

/* ---- cache_event.c: cache x operation x result ----------------------------------------------- */

/* Enough for every name that lauka makes up. */
#define LAUKA_EVENT_NAME_SIZE 128

/* "l1d_load_misses", and what perf calls it ("L1-dcache-load-misses") or people may. */
bool lauka_cache_event_parse(const char *name, uint64_t *config);

/* Lauka's own name for it, and what it counts. */
void lauka_cache_event_name(uint64_t config, char *name, size_t size);
void lauka_cache_event_describe(uint64_t config, char *text, size_t size);

/* All combinations, by number; false beyond the last. */
bool lauka_cache_event(size_t index, uint64_t *config);

/* ---- sysfs.c: the PMUs that the kernel describes, with their formats and events -------------- */

#define LAUKA_SYSFS "/sys/bus/event_source/devices"

/* Those of a directory of `root`: "devices" (the PMUs), or of a PMU "PMU/events", "PMU/format", in
 * alphabetical order. Owned by the caller, see lauka_sysfs_free; NULL where there are none. */
char **lauka_sysfs_list(const char *root, const char *folder);
void lauka_sysfs_free(char **names);

/* The text of a file, without its newline. False where it cannot be read or does not fit. */
bool lauka_sysfs_read(const char *root, const char *file, char *text, size_t size);

/* Whether the PMU counts whole CPUs only (uncore, power): never one command. */
bool lauka_sysfs_is_system_wide(const char *root, const char *pmu);

/* True for the PMU of the cores, or of one kind of them; false for msr, power ... */
bool lauka_sysfs_is_of_cores(const char *root, const char *pmu);

/* Fills type and config from terms with commas between them: "event=0x3c,umask=1", or names from
 * events/. False, and why in text, where that cannot be. */
bool lauka_sysfs_event(const char *root, const char *pmu, const char *terms,
                       struct lauka_event *event, char *text, size_t size);

/* Where the PMU describes the event that has a generic number: makes it that one. False, and *event
 * untouched, where it does not. */
bool lauka_sysfs_generic(const char *root, const char *pmu, struct lauka_event *event);

/* ---- cpu_set.c: sets of CPUs ------------------------------------------------------------------ */

#define LAUKA_CPUS_MAX 1024 /* CPUs beyond are left out */

/* Zeroed, it is empty. */
struct lauka_cpu_set {
    uint64_t words[LAUKA_CPUS_MAX / 64];
};

void lauka_cpu_set_add(struct lauka_cpu_set *set, unsigned cpu);
bool lauka_cpu_set_has(const struct lauka_cpu_set *set, unsigned cpu);
unsigned lauka_cpu_set_count(const struct lauka_cpu_set *set);

/* All that is in the other set is added, or taken out. */
void lauka_cpu_set_join(struct lauka_cpu_set *set, const struct lauka_cpu_set *other);
void lauka_cpu_set_remove(struct lauka_cpu_set *set, const struct lauka_cpu_set *other);

/* "0-3,8", as taskset(1) and sysfs write it. False, and *set untouched, for anything else. */
bool lauka_cpu_set_parse(const char *list, struct lauka_cpu_set *set);
void lauka_cpu_set_format(const struct lauka_cpu_set *set, char *text, size_t size);

/* ---- affinity_linux.c, affinity_macos.c: on which CPUs a process may run ----------------------- */

/* Of a process, or of the caller where pid is 0. 0 or an errno: ENOTSUP on macOS, EINVAL where no
 * CPU of the set is online. What is set is inherited by children. Async-signal-safe. */
int lauka_affinity_get(pid_t pid, struct lauka_cpu_set *set);
int lauka_affinity_set(pid_t pid, const struct lauka_cpu_set *set);

/* ---- topology.c: the kinds of core ------------------------------------------------------------- */

enum { LAUKA_CORE_TYPES_MAX = 4, LAUKA_CORE_LABEL_SIZE = 48 };

struct lauka_core_type {
    /* "P", "E", "LP-E", "M" between them; of kinds that are equally fast what their PMUs' names end in:
     * "cortex_a53". No two kinds have the same. */
    char label[LAUKA_CORE_LABEL_SIZE];
    char pmu[LAUKA_CORE_LABEL_SIZE]; /* its PMU; on macOS the level's name; empty where the kinds share one */
    uint32_t pmu_type;  /* attr.type of that PMU; 0: the kinds share one */
    unsigned cpu_count;
    struct lauka_cpu_set cpus; /* empty where the system does not tell which (macOS) */
};

/* The fastest kind comes first. With one kind only, its label is empty. */
struct lauka_topology {
    size_t type_count; /* at least 1 */
    unsigned cpu_count; /* online */
    struct lauka_core_type types[LAUKA_CORE_TYPES_MAX];
};

/* Of this machine. */
void lauka_topology_detect(struct lauka_topology *topology);

/* From a sysfs; root: "/sys", unless in a test. */
void lauka_topology_read(const char *root, struct lauka_topology *topology);

/* The index of the CPU's kind; type_count where it has none. */
size_t lauka_topology_type(const struct lauka_topology *topology, unsigned cpu);

/* Whether "P", "E" ... means that kind; "E" means all efficiency cores, LP-E too. */
bool lauka_core_type_is(const struct lauka_core_type *type, const char *label);

/* The CPUs of the kinds with that label; False where there is none, or all cores are of one
 * kind. */
bool lauka_topology_find(const struct lauka_topology *topology, const char *label,
                         struct lauka_cpu_set *cpus);

/* ---- residency.c: how long a run was on which kind of core ------------------------------------- */

#define LAUKA_UNKNOWN UINT64_MAX

/* What one run did on cores of one kind; LAUKA_UNKNOWN for what the system does not tell. */
struct lauka_core_usage {
    uint64_t cpu_ns, user_ns, system_ns; /* cpu_ns is exact; user and system time macOS only */
    uint64_t cycles, instructions;       /* macOS only: elsewhere from the counters */
};

/* Of the command and all its descendants. */
struct lauka_residency {
    struct lauka_core_usage types[LAUKA_CORE_TYPES_MAX]; /* by struct lauka_topology's index */
    uint64_t switches;   /* between kinds of core */
    uint64_t cpus_used;  /* on which any time was spent; told with cpu_ns, but not on macOS */
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

/* The CPU time on all kinds of core; LAUKA_UNKNOWN where one is not known. */
uint64_t lauka_residency_total_ns(const struct lauka_residency *residency, size_t type_count);

/* The share of the CPU time on cores of kind `type`, 0 ... 1; negative where it is not known. */
double lauka_residency_share(const struct lauka_residency *residency, size_t type_count,
                             size_t type);

/* ---- event_list.c: what was asked for -------------------------------------------------------- */

#define LAUKA_EVENTS_MAX 32

/* Never copied: the events point to their names. Zeroed, it is empty. */
struct lauka_event_list {
    size_t count;
    struct lauka_event events[LAUKA_EVENTS_MAX];
    char names[LAUKA_EVENTS_MAX][LAUKA_EVENT_NAME_SIZE];
};

/* Appends the events of a list with commas between them: portable names, PMU/TERMS/, names of
 * sysfs, rHEX; each may end in :u or :k. What is listed already, and what is measured without a
 * counter, is left out. False, and why in text, in one line. root: LAUKA_SYSFS, unless in a test. */
bool lauka_event_list_add(struct lauka_event_list *list, const char *names, const char *root,
                          char *text, size_t size);

/* The known names that are nearest to what was typed: "a, b or c". Empty where none is near. */
void lauka_event_suggest(const char *typed, const char *root, char *text, size_t size);

/* Whether the part is in it, where case, and '-' for '_', do not matter. */
bool lauka_name_contains(const char *name, const char *part);

/* Letters to insert, to leave out or to replace (Levenshtein 1966), where case, and '-' for '_', do
 * not matter. SIZE_MAX for names longer than those of events. */
size_t lauka_name_distance(const char *a, const char *b);

/* ---- rusage.c: what the kernel accounted to a reaped process and its waited-for descendants -- */

struct lauka_usage {
    uint64_t values[LAUKA_USAGE_METRICS]; /* by enum lauka_usage_metric; times in ns, memory in B */
};

/* wall_ns comes from the caller's two stamps. cpu_time is user plus system: on a tick kernel their
 * sum is exact while the split is scaled from ticks. */
void lauka_usage_read(const struct rusage *rusage, uint64_t wall_ns, struct lauka_usage *usage);

/* ---- counters.c: an open set of events, armed before a run and collected after it ------------ */

/* A reading is three numbers, so that nobody forgets to scale: an event that shared its counter
 * was counted during `running` of the `enabled` nanoseconds. running == 0: not counted at all. */
struct lauka_reading {
    uint64_t value;
    uint64_t enabled;
    uint64_t running;
};

/* The value scaled to the whole time, rounded. False, and 0, where nothing was counted or the
 * result would not fit. */
bool lauka_reading_scaled(const struct lauka_reading *reading, uint64_t *value);

/* The share of its time in which the event was counted, 0 ... 1. */
double lauka_reading_share(const struct lauka_reading *reading);

enum {
    LAUKA_EVERY_SET = 255, /* of an event: it takes no counter, and is counted in every turn */
    LAUKA_ALL_SETS = 255   /* of a turn: everything is counted, if need be in a part of the time */
};

/* Those that were asked for and, where several kinds of core have counters of their own, a part of
 * each for every kind. */
enum {
    LAUKA_PARTS_MAX = LAUKA_EVENTS_MAX * LAUKA_CORE_TYPES_MAX,
    LAUKA_COUNTERS_MAX = LAUKA_EVENTS_MAX + LAUKA_PARTS_MAX,
    LAUKA_CLOCKS_MAX = 256 /* CPUs whose time is kept apart; on larger machines it is not known */
};

/* Of the samples that stand in for threads whose end was not seen: macOS only. */
#define LAUKA_PERIOD_WHEN_NEEDED 0 /* from the first such thread on, every millisecond */
#define LAUKA_PERIOD_NEVER UINT64_MAX

/* What a run's counts were held against, for a report: of the command's own process, and what the trace
 * told. Zeros where nothing was counted or accounted. */
struct lauka_counter_check {
    uint64_t counted_cycles, counted_instructions;     /* by the counters */
    uint64_t accounted_cycles, accounted_instructions; /* by the kernel, to any user */
    uint64_t threads, unfinished, replaced, strangers; /* see pmu/kdebug.h */
    uint64_t records[6];                               /* by enum lauka_kd_kind */
    uint64_t sums[16]; /* of each counter, the command's and all descendants': see pmu/kdebug.h */
};

/* Plain data without pointers to the heap, so that it can live in memory shared between the process
 * that asks and the process that counts. Where there are several kinds of core, each with counters
 * of its own, what was asked for is not opened itself: its parts are, and it is their sum. */
struct lauka_counters {
    size_t count;
    size_t asked; /* the first ones; the parts follow */
    const struct lauka_event *events[LAUKA_COUNTERS_MAX]; /* borrowed, or in parts[]; valid in both */
    int errors[LAUKA_COUNTERS_MAX]; /* 0: can be counted; otherwise the errno that refused it */
    int held[LAUKA_COUNTERS_MAX];   /* descriptors of the counting process: see open; -1 for none */
    int armed[LAUKA_COUNTERS_MAX];  /* descriptors of the current run; -1 for none */
    uint8_t wholes[LAUKA_COUNTERS_MAX];  /* what a part is a part of; itself where it is none */
    bool sums[LAUKA_COUNTERS_MAX];       /* it is the sum of its parts */
    uint8_t leaders[LAUKA_COUNTERS_MAX]; /* who leads the event's group; itself where it is alone */
    uint8_t order[LAUKA_COUNTERS_MAX];   /* in which the events get their counters */
    uint8_t sets[LAUKA_COUNTERS_MAX];    /* events of one set fit onto the counters together */
    uint8_t set_count;                   /* 1: all fit at once */
    bool taken;      /* a counter that the PMU has could not be had */
    uint8_t turn;    /* the set that the next run counts; LAUKA_ALL_SETS after open */
    bool user_only;  /* kernel mode may not be counted here, so no event counts it */
    bool user[LAUKA_EVENTS_MAX]; /* the same of one event, where that differs (macOS) */
    bool whole_runs; /* events cannot share a counter: each is counted in a whole run (macOS) */
    char conflict[1200];  /* where more than one set is needed there: why; and a set that fits */
    char trouble[500];    /* why nothing more can be counted, or was: "reason; advice" (macOS) */
    uint64_t period_ns;   /* asked for; see LAUKA_PERIOD_WHEN_NEEDED */
    uint64_t sampled_ns;  /* the period at which running threads are sampled; 0: they are not */
    uint64_t partial_runs; /* whose counts were incomplete: what is wrong of them is not shown */
    uint64_t doubtful_runs; /* whose counts are marked as estimates, for a doubt about them */
    char doubt[400];       /* the last one: "reason; advice" */
    bool contradicted;     /* in the run collected last, by what the kernel itself says (macOS) */
    struct lauka_counter_check check; /* of the run collected last (macOS) */
    bool process_only;    /* the counts are those of the command's own process */
    bool forked;          /* in the run collected last, that process had others started */
    bool core_kinds; /* more than one kind of core, each with counters of its own */
    bool virtual_machine; /* and it says so */
    struct lauka_topology topology;
    unsigned told;   /* which parts of residency this machine tells: enum lauka_told as bits */
    struct lauka_residency residency;      /* of the run that was collected last */
    int run_error;         /* errno by which an event that can be counted was not in this run; 0 */
    uint8_t run_error_at;  /* which one: the last */
    uint64_t started_cpu_ns; /* CPU time that the run's process had spent until exec */
    int clock_error;         /* errno by which the time on a CPU was refused last, if ever; 0 */
    size_t clock_count;                    /* CPUs whose time is kept apart; 0: none is */
    uint16_t clock_cpus[LAUKA_CLOCKS_MAX];
    int clocks[LAUKA_CLOCKS_MAX]; /* descriptors of the current run; -1 for none */
    int migrations, held_clock, held_migrations; /* descriptors too */
    bool watching;  /* the next run is watched for programs that take the events away: Linux only */
    bool watched;   /* the run that was collected last was, from its beginning to its end */
    bool unwatched; /* and there was one: a part of what was done is not counted */
    void *rings[LAUKA_CLOCKS_MAX]; /* of the current run, mapped; NULL for none */
    struct lauka_event parts[LAUKA_PARTS_MAX]; /* events[asked + i] is parts[i] */
    char part_names[LAUKA_PARTS_MAX][LAUKA_EVENT_NAME_SIZE];
};

/* Tries every event on the calling process and holds one disabled event of each kind open, because
 * the first and the last event of a kind patch kernel code (about 0.1 ms each). Never fails as a
 * whole: see errors[]. Where only user mode may be counted, all events count user mode only, so
 * that figures stay comparable, and user_only is set. */
void lauka_counters_open(struct lauka_counters *counters, const struct lauka_event *events,
                         size_t count);

/* What is counted where nobody says what. Sets *count. */
const struct lauka_event *lauka_native_events(size_t *count);

/* An event of this system only: fills it in, and its proper name. False: there is none. */
bool lauka_native_event(const char *asked, struct lauka_event *event, char *name, size_t size);

/* What the system does with the calls that counting relies on, as a JSON object; for a report. Changes
 * nothing for long, but must not be called during a session. */
void lauka_native_probe(char *json, size_t size);

/* Whether the event is counted in this turn. */
bool lauka_counters_has_turn(const struct lauka_counters *counters, size_t index);

/* The name the event's figures go by: marked with :u where only user mode could be counted, and with
 * the kind of core where it is a part: "instructions:u@P". */
void lauka_counters_name(const struct lauka_counters *counters, size_t index, char *name,
                         size_t size);

/* Whether arm opens anything for the next run. */
bool lauka_counters_arms(const struct lauka_counters *counters);

/* To be called in the child between clone(CLONE_VM | CLONE_VFORK | CLONE_FILES) and execve: opens
 * the events on the caller, disabled, inherited, enabled by exec. Async-signal-safe, no allocation.
 * Failures show as readings that were not counted. */
void lauka_counters_arm(struct lauka_counters *counters);

/* To be called in the child, last before execve: what it has spent until then is not the command's.
 * Async-signal-safe. Linux only. */
void lauka_counters_mark_start(struct lauka_counters *counters);

/* After the child was reaped: reads and closes what arm opened. readings[] has `count` places. Sets
 * counters->residency. What is a part, is scaled to the time that the run spent on its kind of core;
 * there is nothing to count where that is 0, and so its value is 0. */
void lauka_counters_collect(struct lauka_counters *counters, struct lauka_reading *readings);

/* Where a set-uid or unreadable program is executed, the kernel removes the events without an
 * error, and what was counted until then is left. False, and readings of nothing, where the events
 * and the clocks of counters->residency were enabled for much less than the CPU time that the kernel
 * accounted to the command, without what was spent before exec. */
bool lauka_counters_verify(const struct lauka_counters *counters, uint64_t cpu_ns,
                           struct lauka_reading *readings);

/* What an errno means of the events here, and what to do: "REASON; WHAT TO DO". */
void lauka_counters_explain(const struct lauka_counters *counters, int error, char *text,
                            size_t size);

/* The same of the clocks: forgets what they say where they ended long before the command. */
void lauka_residency_verify(struct lauka_residency *residency,
                            const struct lauka_counters *counters, uint64_t cpu_ns);

/* Where all cores are of one kind: no residency from now on, and what it took is let go of. Until the
 * counters are opened anew. */
void lauka_counters_spare(struct lauka_counters *counters);

/* Closes the held events. */
void lauka_counters_close(struct lauka_counters *counters);

/* Where a counter is taken: by what, and how to get it. NULL where none is. Static. */
const char *lauka_counters_taken(const struct lauka_counters *counters);

/* By whom a counter may be taken, where one is. root: "/proc/sys/kernel", unless in a test. */
const char *lauka_counter_holder(const char *root);

/* Whether a hypervisor makes itself known to the kernel (on x86). root: "/proc", unless in a test. */
bool lauka_machine_is_virtual(const char *root);

/* The names of the events of a set, and of those that are in every set: "a, b". */
void lauka_counters_list_set(const struct lauka_counters *counters, unsigned set, char *text,
                             size_t size);

/* Says which events are missing, why, and what to do: "cannot count NAMES: REASON; WHAT TO DO",
 * once per reason, in lower case and without a full stop. Cut to `size`; 500 is plenty for one
 * reason. False, and an empty text, where nothing is missing. Says nothing about user_only. */
bool lauka_counters_advice(const struct lauka_counters *counters, char *text, size_t size);

/* ---- derived.c: ratios of two counts of the same time ---------------------------------------- */

#define LAUKA_DERIVED_MAX (4 + 4 * LAUKA_CORE_TYPES_MAX)

/* value = 10^decimals * scale * of / per; per == of: per nanosecond of its own counted time. */
struct lauka_derived {
    const char *name, *unit, *description; /* static */
    enum lauka_better better;
    unsigned decimals;
    uint64_t scale;
    size_t of, per; /* indices of the counters */
    uint8_t core;   /* as that of the two events */
};

/* Which of IPC, GHz, branch-miss % and cache-miss % the counted events make up; first those of the
 * whole, then those of each kind of core. */
size_t lauka_derived_find(const struct lauka_counters *counters,
                          struct lauka_derived derived[LAUKA_DERIVED_MAX]);

/* False where the two were not counted in the same time, or not at all. */
bool lauka_derived_value(const struct lauka_derived *derived, const struct lauka_reading *readings,
                         uint64_t *value);

/* ---- disturbance_linux.c, disturbance_macos.c: what else the machine was busy with ------------- */

/* How long the main thread of a process was ready to run and had no CPU, from its first moment on;
 * of a zombie, too. LAUKA_UNKNOWN where the system does not tell. */
uint64_t lauka_run_delay_ns(pid_t pid);

/* Of the whole machine, since some moment in the past: differences mean something. LAUKA_UNKNOWN
 * where the system does not tell. */
struct lauka_disturbance {
    uint64_t pressure_ns; /* in which some task waited for a CPU */
    uint64_t steal_ns;    /* CPU time that the hypervisor gave to others; all CPUs together */
};
void lauka_disturbance_read(struct lauka_disturbance *disturbance);

/* ---- cgroup_linux.c, cgroup_macos.c: the memory of all processes of a run together ------------- */

enum { LAUKA_CGROUP_PATH_SIZE = 1024 };

/* Plain data; zeroed: not open. */
struct lauka_cgroup {
    bool open;
    bool joined;   /* in this run */
    bool occupied; /* some could not be removed */
    char folder[LAUKA_CGROUP_PATH_SIZE]; /* in which a cgroup is made for every run */
    pid_t owner;
    uint64_t runs;
    int own, procs; /* descriptors: that of the run, and its list of processes; -1: none */
};

/* Finds where cgroups can be made, by making one; once it is open, does nothing. ENOTSUP: there is no
 * cgroup of version 2 above ours that hands the memory controller down; ENOSYS: the kernel does not keep
 * the peak; otherwise the errno of making one (EACCES, EROFS ...). root: "", unless in a test. */
int lauka_cgroup_open(const char *root, struct lauka_cgroup *cgroup);

/* Before a run: makes its cgroup. 0 or an errno; then there is nothing to join. */
int lauka_cgroup_begin(struct lauka_cgroup *cgroup);

/* In the child: the caller goes into it, and all that it starts is in it. Async-signal-safe. */
void lauka_cgroup_join(struct lauka_cgroup *cgroup);

/* After the run: the most memory in bytes that all had at one time, with the page cache and the kernel
 * memory that they were the first to need; LAUKA_UNKNOWN where it is not known. Removes the cgroup. */
uint64_t lauka_cgroup_end(struct lauka_cgroup *cgroup);
void lauka_cgroup_close(struct lauka_cgroup *cgroup);

/* ---- threads_linux.c, threads_macos.c: what the threads of a live process have used ----------- */

enum { LAUKA_THREAD_NAME_SIZE = 64 };

/* What was used on one type of core, or, of a thread, on all of them. Times in ns. */
struct lauka_use {
    uint64_t time_ns; /* user and system time together: more exact than either */
    uint64_t user_ns, system_ns;
    uint64_t cycles, instructions; /* user mode only where struct lauka_threads says so */
    bool estimated; /* the counts: they shared their counters and were scaled */
};

struct lauka_thread {
    uint64_t id;
    char name[LAUKA_THREAD_NAME_SIZE]; /* as the process set it: not safe to print */
    bool is_new;                       /* it was not there at the read before */
    struct lauka_use total;            /* times: since it began; counts: see counts_since_start */
    struct lauka_use types[LAUKA_CORE_TYPES_MAX];        /* where there is more than one type */
    struct lauka_use total_before, types_before[LAUKA_CORE_TYPES_MAX]; /* at the read before */
};

/* The threads of one process. Read-only for callers. */
struct lauka_threads {
    const struct lauka_thread *threads; /* `count` that live now, in the order in which they began */
    size_t count, capacity;
    size_t left_out;                    /* live threads beyond the capacity */
    uint64_t begun, ended;              /* threads since the read before, as far as they were seen */
    struct lauka_use gone, gone_before; /* by threads that no longer live, in all and up to the read
                                         * before; what is not known of some is LAUKA_UNKNOWN */
    uint64_t at_ns, before_ns;          /* CLOCK_MONOTONIC of this read and of the one before; 0:
                                         * there was none */
    size_t type_count; /* types of core that are told apart; 1: all of one type */
    char labels[LAUKA_CORE_TYPES_MAX][LAUKA_CORE_LABEL_SIZE]; /* as in struct lauka_topology */
    bool counts;             /* cycles and instructions can be counted */
    bool counts_since_start; /* they are the thread's since it began; otherwise since it was seen */
    bool user_only;          /* they leave the kernel out */
    int count_error;         /* the errno that refused them, where counts is false */
    int descriptor;          /* poll(2) finds it readable once the process has ended; -1: none */
};

/* Sets *threads, to be closed by the caller, with nothing read yet. ESRCH: there is no such process;
 * EPERM: it is another user's; EINVAL: it is a thread and no process; ENOTSUP, ENOMEM, or an errno
 * of the system. */
int lauka_threads_open(pid_t pid, struct lauka_threads **threads);

/* Reads all threads once. Allocates nothing. ESRCH: the process has ended, and what was read last is
 * still there. Threads beyond the capacity are counted, and not read: reserve makes room. */
int lauka_threads_read(struct lauka_threads *threads);

/* Room for so many threads; to be called between reads. Returns 0 or ENOMEM. */
int lauka_threads_reserve(struct lauka_threads *threads, size_t capacity);

/* `now` less `before`: what was used in between. What is not known of either is not known. */
struct lauka_use lauka_use_since(const struct lauka_use *now, const struct lauka_use *before);

/* The sum; what is not known of either is not known. */
struct lauka_use lauka_use_plus(const struct lauka_use *a, const struct lauka_use *b);

void lauka_threads_close(struct lauka_threads *threads);

/* ---- valgrind.c: what valgrind counts of a program, with which options --------------------------- */

/* In user mode only, and nothing of waiting. */
enum lauka_valgrind_count {
    LAUKA_VALGRIND_INSTRUCTIONS,
    LAUKA_VALGRIND_BRANCHES,
    LAUKA_VALGRIND_BRANCH_MISSES,
    LAUKA_VALGRIND_L1D_MISSES,
    LAUKA_VALGRIND_CACHE_MISSES, /* of the last level */
    LAUKA_VALGRIND_COUNTS        /* how many there are */
};

/* The table of them, indexed by the enum. Their source is "valgrind". */
const struct lauka_event *lauka_valgrind_events(void);

/* Functions before which callgrind writes what was done until then. NULL-terminated. */
extern const char *const lauka_valgrind_forks[], *const lauka_valgrind_executions[];

/* Options that make valgrind write into the folder, of caches that are the same on every machine;
 * NULL-terminated. `follow`: with callgrind, which also counts what a process did before it forked or
 * executed another program, and is about four times slower; otherwise with cachegrind. Both count a
 * process that does neither alike. The folder's name is absolute, and shorter than 512 bytes. Filled
 * with static words and words made in `text`. */
enum { LAUKA_VALGRIND_OPTIONS_MAX = 64, LAUKA_VALGRIND_TEXT_SIZE = 4096 };
void lauka_valgrind_options(const char *folder, bool follow,
                            const char *words[LAUKA_VALGRIND_OPTIONS_MAX],
                            char text[LAUKA_VALGRIND_TEXT_SIZE]);

/* ---- valgrind_part.c: one file that valgrind wrote ----------------------------------------------- */

enum lauka_valgrind_end { /* what the process did next */
    LAUKA_VALGRIND_ENDS,
    LAUKA_VALGRIND_FORKS,
    LAUKA_VALGRIND_EXECUTES, /* or tried to */
    LAUKA_VALGRIND_GOES_ON,
};

struct lauka_valgrind_part {
    uint64_t counts[LAUKA_VALGRIND_COUNTS];
    uint64_t from, to; /* of the basic blocks since the program began, from one to before the other;
                        * a forked process goes on with its parent's numbers; cachegrind: 0 */
    enum lauka_valgrind_end end;
};

/* A file of cachegrind's or callgrind's, which need not end with a NUL. False where it is neither, or
 * incomplete, or lacks one of the events. */
bool lauka_valgrind_part_parse(const char *bytes, size_t size, struct lauka_valgrind_part *part);

/* ---- valgrind_log.c, valgrind_sum.c: all processes of a run -------------------------------------- */

enum lauka_valgrind_gap { /* why the counts are not known to be all */
    LAUKA_VALGRIND_NO_GAP,
    LAUKA_VALGRIND_NOT_FOLLOWED, /* several programs or processes, where cachegrind counted */
    LAUKA_VALGRIND_UNSEEN_FORK,
    LAUKA_VALGRIND_UNSEEN_EXECUTION,
    LAUKA_VALGRIND_UNSEEN_END, /* it was killed, or goes on */
    LAUKA_VALGRIND_DAMAGED     /* a file is missing, or cannot be read */
};

struct lauka_valgrind_sum {
    uint64_t counts[LAUKA_VALGRIND_COUNTS]; /* of all parts that are known; nothing counts twice, but
                                             * the few instructions from the name of a function that
                                             * forks to its system call */
    size_t programs;             /* that were executed, and processes that were forked */
    enum lauka_valgrind_gap gap; /* the first one, */
    char program[64];            /* and whose it is: the words of its command */
    char version[32];            /* "3.19.0"; empty where it is not told */
};

struct lauka_valgrind_log; /* what is heard of a run while it goes on */

/* Makes the pipe in the empty folder that valgrind's processes tell their beginnings to, and a thread
 * that reads it and takes what a process wrote when it executes a program, before that program can
 * write over it. Sets *log, to be ended by lauka_valgrind_collect. Returns 0 or an errno. */
int lauka_valgrind_listen(const char *folder, struct lauka_valgrind_log **log);

/* After the run: ends the thread, adds up, empties the folder and frees the log. Returns 0, ENOENT (no
 * process wrote its counts), ENOMEM or an errno of the thread's. */
int lauka_valgrind_collect(struct lauka_valgrind_log *log, bool follow,
                           struct lauka_valgrind_sum *sum);

/* ---- simulated.c: every event from a seed, for goldens and for machines without counters ----- */

/* The named pretence of what the machine can do. */
enum lauka_scenario {
    LAUKA_SCENARIO_FULL,       /* everything is counted */
    LAUKA_SCENARIO_NO_PMU,     /* every hardware event refuses with ENOENT, as in most VMs */
    LAUKA_SCENARIO_DENIED,     /* every hardware event refuses with EACCES */
    LAUKA_SCENARIO_MULTIPLEXED, /* three counters: hardware events share them */
    LAUKA_SCENARIO_USER_ONLY,   /* the kernel may not be counted */
    LAUKA_SCENARIO_HYBRID,      /* two kinds of core: the commands are on P for nine tenths */
    LAUKA_SCENARIO_APART,       /* two kinds of core: the first command is on P, the others on E */
    LAUKA_SCENARIO_ALIKE,       /* the same, and none is the faster one: they go by their PMUs */
    LAUKA_SCENARIO_EFFECTS,     /* full; what commands cost is said elsewhere, by their words */
    LAUKA_SCENARIO_FAILING = 0x1000 /* from here on: see lauka_scenario_failing */
};

/* Counter number `position` (from 0; 63: every one) refuses with `error`, the others count. */
enum lauka_scenario lauka_scenario_failing(int error, unsigned position);

/* False for an unknown name. Names: full, no-pmu, denied, multiplexed, user-only, hybrid,
 * hybrid-apart, hybrid-alike, effects, fail-ERRNO (as fail-EBUSY: every event) and
 * fail-ERRNO-POSITION (as fail-EBUSY-2). */
bool lauka_scenario_parse(const char *name, enum lauka_scenario *scenario);

/* As lauka_counters_open, but opens nothing. */
void lauka_simulated_open(struct lauka_counters *counters, enum lauka_scenario scenario,
                          const struct lauka_event *events, size_t count);

/* What run `round` of command `command` would have cost: a pure function of its arguments,
 * plausible (command k is about k * 5 % slower than command 0, with 1 % noise and a rare spike).
 * Sets counters->residency. */
void lauka_simulated_run(struct lauka_counters *counters, enum lauka_scenario scenario,
                         uint64_t seed, size_t command, uint64_t round, struct lauka_usage *usage,
                         struct lauka_reading *readings);

#endif
