/* absent: what macOS has no counterpart of. Its counters count whole runs, whose processes the trace sees by itself; it has
 * no cgroups, and says nothing of run queues. System calls by name need dtrace, which System Integrity Protection restricts,
 * and its sampling (kperf) names no functions of other processes. */
#include "pmu/calls/calls.h"
#include "pmu/counters/counters.h"
#include "pmu/samples/samples.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wunused-parameter" /* nothing here uses what it gets */

/* A list of what does nothing. */
/* clang-format off */

bool lauka_counters_can_attach(void) { return false; }
void lauka_counters_look(struct lauka_counters *counters) {}
bool lauka_counters_begin_late(struct lauka_counters *counters) { return false; }
void lauka_counters_attach(struct lauka_counters *counters, pid_t pid) {}
void lauka_counters_begin_stretch(struct lauka_counters *counters) {}
void lauka_counters_end_stretch(struct lauka_counters *counters, struct lauka_reading *readings)
{
    memset(readings, 0, counters->count * sizeof *readings);
}
void lauka_counters_detach(struct lauka_counters *counters) {}
void lauka_counters_batch_begin(struct lauka_counters *counters) {}
void lauka_counters_batch_run(struct lauka_counters *counters) {}
void lauka_counters_batch_disturb(struct lauka_counters *counters) {}
void lauka_counters_batch_end(struct lauka_counters *counters) {}
void lauka_counters_arm(struct lauka_counters *counters) {}
const char *lauka_counters_taken(const struct lauka_counters *counters) { return NULL; }
void lauka_counters_spare(struct lauka_counters *counters) {} /* residency is read with the rest */
uint64_t lauka_run_delay_ns(pid_t pid) { return LAUKA_UNKNOWN; }
void lauka_disturbance_read(struct lauka_disturbance *disturbance)
{
    *disturbance = (struct lauka_disturbance){LAUKA_UNKNOWN, LAUKA_UNKNOWN};
}
int lauka_cgroup_open(const char *root, struct lauka_cgroup *cgroup) { cgroup->open = false; return ENOTSUP; }
int lauka_cgroup_begin(struct lauka_cgroup *cgroup) { return ENOTSUP; }
void lauka_cgroup_join(struct lauka_cgroup *cgroup) {}
uint64_t lauka_cgroup_end(struct lauka_cgroup *cgroup) { return LAUKA_UNKNOWN; }
void lauka_cgroup_close(struct lauka_cgroup *cgroup) {}

/* ---- affinity: nobody can choose the CPUs that a process runs on ---- */

int lauka_affinity_get(pid_t pid, struct lauka_cpu_set *set) { *set = (struct lauka_cpu_set){0}; return ENOTSUP; }
int lauka_affinity_set(pid_t pid, const struct lauka_cpu_set *set) { return ENOTSUP; }

/* ---- system calls by name, and samples by function ---- */

int lauka_event_open(const void *event, int cpu) { errno = ENOTSUP; return -1; }
int lauka_call_counters_open(const struct lauka_event_lender *lender, struct lauka_call_counters *counters) { return ENOTSUP; }
int lauka_call_counters_read(struct lauka_call_counters *counters) { return ENOTSUP; }
void lauka_call_counters_close(struct lauka_call_counters *counters) {}
int lauka_sampler_open(const struct lauka_event_lender *lender, struct lauka_sampler **sampler)
{
    *sampler = NULL;
    return ENOTSUP;
}
struct lauka_sampler_setting lauka_sampler_setting(const struct lauka_sampler *sampler)
{
    return (struct lauka_sampler_setting){"", 0, false};
}
int lauka_sampler_take(struct lauka_sampler *sampler) { return 0; }
const void *lauka_sampler_taken(const struct lauka_sampler *sampler, size_t *size) { *size = 0; return NULL; }
void lauka_sampler_forget(struct lauka_sampler *sampler) {}
void lauka_sampler_close(struct lauka_sampler *sampler) {}
void lauka_sampler_explain(int error, char *text, size_t size)
{
    snprintf(text, size,
             "lauka samples on Linux only: on macOS, compare profiles of Instruments or sample(1)");
}
bool lauka_sampler_find_file(const struct lauka_sampled_object *object, char *place, size_t size) { return true; }
