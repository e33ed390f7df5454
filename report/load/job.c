/* One job of a session: which it is, and what is wrong with it. */
#include "report/load/jobs.h"
#include "report/load/loader.h"
#include "report/result/result.h"

#include <stdarg.h>
#include <stdio.h>

int lauka_jobs_fail(const struct lauka_job_file *job, struct lauka_load_error *error,
                    const char *format, ...)
{
    const struct lauka_stored named = {.name = job->name};
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return lauka_load_fail(&named, 0, error, "%s", text);
}

const struct lauka_result_job *lauka_job_of(const struct lauka_job_file *job)
{
    return &job->session.benchmarks[0].provenance.part;
}
