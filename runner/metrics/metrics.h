/* Which metrics a session has, their names, and which are shown. */
#ifndef LAUKA_RUNNER_METRICS_METRICS_H
#define LAUKA_RUNNER_METRICS_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmu/counters/counters.h"
#include "pmu/events/events.h"
#include "report/result/result.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/options.h"

/* ---- shown.c: metrics that are not there ------------------------------------------------------ */

/* Reports that no metric has this name; always fails. The error suggests the nearest name or lists
 * all, and gives advice. */
bool lauka_outline_refuse(const struct lauka_result *result, const char *option, const char *asked,
                          size_t length, const char *advice, struct lauka_error *error);

/* ---- shown.c: what people asked to see ------------------------------------------------------- */

/* Marks the metrics that the user asked to see, and their units. */
bool lauka_shown_choose(struct lauka_result *result, const struct lauka_options *options,
                        struct lauka_error *error);

/* ---- cores.c: on which cores the runs were --------------------------------------------------- */

enum { LAUKA_CORE_METRICS_MAX = 7 * LAUKA_CORE_TYPES_MAX + 3 };

struct lauka_core_metric {
    char name[LAUKA_EVENT_NAME_SIZE]; /* "cpu_time@P", "cpus_used" */
    const char *unit;                 /* static */
    enum lauka_better better;
    int decimals; /* values are in units of 10^-decimals */
    bool detail;  /* not of general interest */
    bool told;    /* this machine reports it */
    int quantity; /* for cores.c */
    size_t type;  /* index of the kind of core */
};

/* Lists the metrics from this machine's kinds of core, counted or not. */
size_t lauka_core_metrics(const struct lauka_counters *counters,
                          struct lauka_core_metric metrics[LAUKA_CORE_METRICS_MAX]);

/* LAUKA_MISSING if not known for this run. */
uint64_t lauka_core_metric_value(const struct lauka_core_metric *metric,
                                 const struct lauka_residency *residency);

struct lauka_core_times { /* summed over all runs of a command */
    uint64_t ns[LAUKA_CORE_TYPES_MAX];
    bool incomplete; /* not known for some run */
};

void lauka_core_times_add(struct lauka_core_times *times, const struct lauka_residency *residency,
                          size_t type_count);

/* If there are several kinds of core, lists them in host->cores. Returns 0 or ENOMEM. */
int lauka_cores_describe(const struct lauka_topology *topology, struct lauka_result_host *host);

/* Adds a warning to the result if a command's shares differ from the reference's, or are not known.
 * times: one per command. Returns 0 or ENOMEM. */
int lauka_core_times_judge(const struct lauka_core_times *times,
                           const struct lauka_counters *counters, struct lauka_result *result);

/* Whether it is known on which cores a run executed. Otherwise fails with LAUKA_EXIT_HOST. label:
 * the required cores; uncounted: the reason if no clock was refused. */
bool lauka_is_known_where(const struct lauka_counters *counters,
                          const struct lauka_residency *residency, const char *label,
                          const char *command, const char *uncounted, struct lauka_error *error);

/* Whether a run with known cores spent more than a hundredth of its time on other cores. */
bool lauka_was_elsewhere(const struct lauka_residency *residency,
                         const struct lauka_topology *topology, const char *label);

/* Finds the CPUs of one kind; option: the option that needs them. Fails with LAUKA_EXIT_HOST if there are none. */
bool lauka_find_cores(const struct lauka_topology *topology, const char *option, const char *label,
                      struct lauka_cpu_set *cpus, struct lauka_error *error);
bool lauka_can_require_core(const struct lauka_counters *counters, const char *label,
                            struct lauka_error *error);

#endif
