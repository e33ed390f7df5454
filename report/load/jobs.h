/* What selecting jobs and combining them need of each other. */
#ifndef LAUKA_REPORT_LOAD_JOBS_H
#define LAUKA_REPORT_LOAD_JOBS_H

#include "report/load/load.h"
#include "report/result/result.h"
#include "report/result/session.h"

/* ---- same.c -------------------------------------------------------------------------------------- */

/* "FILE: reason". Always returns EINVAL. */
int lauka_jobs_fail(const struct lauka_job_file *job, struct lauka_load_error *error,
                    const char *format, ...) __attribute__((format(printf, 3, 4)));

const struct lauka_result_job *lauka_job_of(const struct lauka_job_file *job);

/* Checks that both have the same benchmarks, sides, limits and options, and executed the same files. Differences
 * are errors, but other files of the same commit are a warning to `notes`. Returns 0, ENOMEM or EINVAL. */
int lauka_jobs_compare(const struct lauka_job_file *first, const struct lauka_job_file *other,
                       struct lauka_result *notes, struct lauka_load_error *error);

/* ---- join_values.c --------------------------------------------------------------------------------- */

/* Combines one benchmark of all jobs: metrics, commands, values, course and units. hosts: the index per job. */
int lauka_jobs_join_values(struct lauka_job_file *jobs, size_t count, size_t benchmark,
                           const size_t *hosts, struct lauka_result *to,
                           struct lauka_load_error *error);

#endif
