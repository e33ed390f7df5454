/* What the files that call perf_event_open(2) share. */
#ifndef LAUKA_PMU_LINUX_PERF_EVENT_H
#define LAUKA_PMU_LINUX_PERF_EVENT_H

#include <stdbool.h>

#include "pmu/counters/counters.h"
#include "pmu/events/events.h"

/* The purpose of opening an event. */
enum lauka_perf_purpose {
    LAUKA_PERF_HOLD,        /* disabled, only on the calling process: to keep or to try it */
    LAUKA_PERF_COUNT,       /* counts the calling process from its execve on, with all it starts */
    LAUKA_PERF_COUNT_GROUP, /* the same, read by group: see lauka_perf_event_read_all */
    LAUKA_PERF_HOLD_GROUP,  /* as LAUKA_PERF_HOLD, read by group */
    LAUKA_PERF_LATER = 4    /* added to the two that count: only once it is switched on */
};

/* Returns a descriptor, or -1 and errno. group: the leader's, or -1. Async-signal-safe. */
int lauka_perf_event_open(const struct lauka_event *event, bool user_only,
                          enum lauka_perf_purpose purpose, int group);

/* The same for another process, which waits for permission to start, or for one CPU only; pid 0:
 * the caller, cpu -1: all. */
int lauka_perf_event_open_on(const struct lauka_event *event, bool user_only,
                             enum lauka_perf_purpose purpose, int group, pid_t pid, int cpu);

/* On Arm, kernels before 6.6 do not know that the upper half of attr.config names a PMU, and answer ENOENT: then the event
 * becomes the one that the PMU describes. Returns whether it did. error: with which the kernel refused it, or 0; pmu: may
 * be empty. */
bool lauka_perf_event_describe(struct lauka_event *event, const char *pmu, int error);

/* Anything except a full read means "not counted". */
struct lauka_reading lauka_perf_event_read(int fd);

/* What was counted since then. Empty if that is not known. */
struct lauka_reading lauka_perf_event_since(const struct lauka_reading *now,
                                            const struct lauka_reading *before);

/* ---- perf_event.c ---- */

/* Reads all armed events; the others get empty readings. Returns 0, or the errno of the last
 * failure, and its number in *failed. */
int lauka_perf_event_read_all(const struct lauka_counters *counters, struct lauka_reading *readings,
                              size_t *failed);

/* Opens on the caller what the next run, or batch of runs, counts; failures are in
 * counters->run_error. Async-signal-safe. */
void lauka_perf_event_arm(struct lauka_counters *counters);

/* Only the events, without the clocks; pid: as in lauka_perf_event_open_on. */
void lauka_perf_event_arm_on(struct lauka_counters *counters, pid_t pid);

/* Switches the armed events on or off; members of a group follow their leader. */
void lauka_perf_event_switch(const struct lauka_counters *counters, bool on);

/* Closes all of these; this ends a batch. */
void lauka_perf_event_disarm(struct lauka_counters *counters);

/* ---- machine.c: events of the whole machine ---- */

/* Opens the event on each CPU of its PMU. powercap: LAUKA_POWERCAP, except in tests. Returns 0 or the errno that refused
 * it. */
int lauka_machine_hold(struct lauka_counters *counters, size_t index, const char *powercap);

/* Closes all of them. */
void lauka_machine_release(struct lauka_counters *counters);

/* After a run, sets the readings of such events to what they counted since lauka_counters_look. Works also while none is
 * open. */
void lauka_machine_end(const struct lauka_counters *counters, struct lauka_reading *readings);

/* ---- disturbance.c ---- */

/* Whether /proc belongs to our PID namespace; in a container it may not, and other processes have the numbers. */
bool lauka_is_own_proc(void);

/* ---- placement.c ---- */

/* Splits groups that do not fit, orders the events, and forms sets that fit. */
void lauka_counters_place(struct lauka_counters *counters);

/* ---- placement.c: whether the kernel takes the events away ---- */

/* Called in the child if counters->watching is set. Async-signal-safe. */
void lauka_watch_arm(struct lauka_counters *counters);

/* Sets counters->watched and unwatched, and releases what arm allocated. */
void lauka_watch_collect(struct lauka_counters *counters);

#endif
