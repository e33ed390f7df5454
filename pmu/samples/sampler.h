/* Lets the kernel look, a thousand times a second, at what the commands execute. Each system has its own. */
#ifndef LAUKA_PMU_SAMPLES_SAMPLER_H
#define LAUKA_PMU_SAMPLES_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmu/events/events.h"

struct lauka_sampler; /* opaque */

struct lauka_sampler_setting {
    const char *event;  /* static: "cycles", "cpu-clock" */
    uint64_t period_ns; /* from one sample to the next, of CPU time; about that for cycles */
    bool kernel;        /* time in the kernel is sampled, too */
};

/* Samples the lender's process (of one thread) and everything that it starts from now on, on all CPUs. Returns 0,
 * ENOTSUP if the system has nothing of the kind, or another errno. To be closed. */
int lauka_sampler_open(const struct lauka_event_lender *lender, struct lauka_sampler **sampler);
struct lauka_sampler_setting lauka_sampler_setting(const struct lauka_sampler *sampler);

/* Copies what was written so far behind what was taken before. Returns 0 or ENOMEM. */
int lauka_sampler_take(struct lauka_sampler *sampler);

/* Everything taken, each CPU's records in order; borrowed until the next call. And: forgets it. */
const void *lauka_sampler_taken(const struct lauka_sampler *sampler, size_t *size);
void lauka_sampler_forget(struct lauka_sampler *sampler);
void lauka_sampler_close(struct lauka_sampler *sampler);

/* "sampling is not permitted; set kernel.perf_event_paranoid to 2 or less (sysctl)": the reason, and what to do. */
void lauka_sampler_explain(int error, char *text, size_t size);

/* A file's bytes, owned until they are given back; see struct lauka_sample_set. */
const void *lauka_sampler_read_file(const char *path, size_t *size);
void lauka_sampler_give_back(const void *bytes, size_t size);

#endif
