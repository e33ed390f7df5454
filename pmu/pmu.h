/* pmu: everything that can be counted about one run of a command. Depends on the operating system
 * only. Functions that can fail return 0 or an errno; nothing here prints or exits. */
#ifndef LAUKA_PMU_H
#define LAUKA_PMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>

/* ---- event.c: names, units and descriptions of all that can be counted ----------------------- */

enum lauka_better { LAUKA_BETTER_LOWER, LAUKA_BETTER_HIGHER, LAUKA_BETTER_NEITHER };

/* A quantity with a name. Units are plain strings: "ns", "B", or "1" for a count. */
struct lauka_event {
    const char *name;        /* static; as in the table and the JSON: "branch_misses" */
    const char *unit;        /* static */
    const char *source;      /* static: "clock", "rusage" or "perf_event" */
    const char *description; /* static; one line */
    enum lauka_better better;
    uint32_t type; /* attr.type and attr.config of perf_event_open(2); 0 for the other sources */
    uint64_t config;
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

#define LAUKA_COUNTERS_MAX 32

/* Plain data without pointers to the heap, so that it can live in memory shared between the process
 * that asks and the process that counts. */
struct lauka_counters {
    size_t count;
    const struct lauka_event *events[LAUKA_COUNTERS_MAX]; /* borrowed; static tables */
    int errors[LAUKA_COUNTERS_MAX]; /* 0: can be counted; otherwise the errno that refused it */
    int held[LAUKA_COUNTERS_MAX];   /* descriptors of the counting process: see open; -1 for none */
    int armed[LAUKA_COUNTERS_MAX];  /* descriptors of the current run; -1 for none */
    bool user_only;                 /* kernel mode may not be counted here, so no event counts it */
};

/* Tries every event on the calling process and holds one disabled event of each kind open, because
 * the first and the last event of a kind patch kernel code (about 0.1 ms each). Never fails as a
 * whole: see errors[]. Where only user mode may be counted, all events count user mode only, so
 * that figures stay comparable, and user_only is set. */
void lauka_counters_open(struct lauka_counters *counters, const struct lauka_event *events,
                         size_t count);

/* To be called in the child between clone(CLONE_VM | CLONE_VFORK | CLONE_FILES) and execve: opens
 * the events on the caller, disabled, inherited, enabled by exec. Async-signal-safe, no allocation.
 * Failures show as readings that were not counted. */
void lauka_counters_arm(struct lauka_counters *counters);

/* After the child was reaped: reads and closes what arm opened. readings[] has `count` places. */
void lauka_counters_collect(struct lauka_counters *counters, struct lauka_reading *readings);

/* Closes the held events. */
void lauka_counters_close(struct lauka_counters *counters);

/* Says which events are missing, why, and what to do: "cannot count NAMES: REASON; WHAT TO DO",
 * once per reason, in lower case and without a full stop. Cut to `size`; 500 is plenty for one
 * reason. False, and an empty text, where nothing is missing. Says nothing about user_only. */
bool lauka_counters_advice(const struct lauka_counters *counters, char *text, size_t size);

/* ---- simulated.c: every event from a seed, for goldens and for machines without counters ----- */

/* The named pretence of what the machine can do. */
enum lauka_scenario {
    LAUKA_SCENARIO_FULL,       /* everything is counted */
    LAUKA_SCENARIO_NO_PMU,     /* every hardware event refuses with ENOENT, as in most VMs */
    LAUKA_SCENARIO_DENIED,     /* every hardware event refuses with EACCES */
    LAUKA_SCENARIO_MULTIPLEXED /* every hardware event is counted for part of its time */
};

/* False for an unknown name. Names: full, no-pmu, denied, multiplexed. */
bool lauka_scenario_parse(const char *name, enum lauka_scenario *scenario);

/* As lauka_counters_open, but opens nothing. */
void lauka_simulated_open(struct lauka_counters *counters, enum lauka_scenario scenario,
                          const struct lauka_event *events, size_t count);

/* What run `round` of command `command` would have cost: a pure function of its arguments,
 * plausible (command k is about k * 5 % slower than command 0, with 1 % noise and a rare spike). */
void lauka_simulated_run(const struct lauka_counters *counters, enum lauka_scenario scenario,
                         uint64_t seed, size_t command, uint64_t round, struct lauka_usage *usage,
                         struct lauka_reading *readings);

#endif
