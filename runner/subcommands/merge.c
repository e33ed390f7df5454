/* lauka merge: the files of a session's jobs, read and put together. */
#include "runner/subcommands/subcommands.h"
#include "report/load/load.h"
#include "report/result/session.h"
#include "runner/base/base.h"
#include "runner/options.h"

#include <stdlib.h>

static bool read_jobs(const struct lauka_options *options, struct lauka_job_file *jobs,
                      struct lauka_error *error)
{
    struct lauka_stored_file file;

    for (size_t i = 0; i < options->file_count; i++) {
        if (!lauka_stored_file_read(options->files[i], NULL, &file, error))
            return false;
        jobs[i] = (struct lauka_job_file){file.name, file.session};
    }
    return true;
}

bool lauka_merge_jobs(const struct lauka_options *options, struct lauka_stored_file *merged,
                      struct lauka_error *error)
{
    struct lauka_job_file *jobs = calloc(options->file_count, sizeof *jobs);
    struct lauka_load_error reason;

    if (!jobs)
        return lauka_fail_memory(error);
    merged->name = options->files[0];
    bool good = read_jobs(options, jobs, error);
    int failure = good ? lauka_jobs_join(jobs, options->file_count, options->missing_allowed,
                                         &merged->session, &reason)
                       : 0;
    for (size_t i = 0; i < options->file_count; i++)
        lauka_session_done(&jobs[i].session);
    free(jobs);
    return good && (!failure || lauka_stored_file_refuse(failure, &reason, error));
}
