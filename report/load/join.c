/* Jobs that belong together, as one session: what holds for all of it. The values are joined beside. */
#include "report/load/jobs.h"
#include "report/load/loader.h"
#include "report/result/record.h"
#include "report/result/result.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct jobs {
    struct lauka_job_file *files; /* borrowed; in the order of their hosts */
    size_t count, *hosts;         /* owned; of each job the index of its host */
    size_t host_count;
};

static const struct lauka_result *result_of(const struct jobs *jobs, size_t j, size_t benchmark)
{
    return &jobs->files[j].session.benchmarks[benchmark];
}

/* ---- hosts and jobs -------------------------------------------------------------------------------- */

static int number_hosts(struct jobs *jobs)
{
    jobs->hosts = calloc(jobs->count + 1, sizeof *jobs->hosts);
    if (!jobs->hosts)
        return ENOMEM;
    for (size_t j = 0; j < jobs->count; j++) {
        bool new = j == 0 || strcmp(lauka_job_of(&jobs->files[j - 1])->host,
                                    lauka_job_of(&jobs->files[j])->host) != 0;
        jobs->host_count += new;
        jobs->hosts[j] = jobs->host_count - 1;
    }
    return 0;
}

static int add_host(const struct lauka_result *from, struct lauka_merged_host *host)
{
    int failure = lauka_text_copy(from->provenance.part.host, &host->name);
    return failure ? failure : lauka_record_copy(&lauka_host_record, &from->host, host->about);
}

/* Of several jobs on one host one that looked at values, which is paid for. */
static void count_rounds(const struct lauka_result *from, struct lauka_merged_host *host)
{
    if (host->rounds == 0 || host->stopped == LAUKA_STOPPED_ROUNDS)
        host->stopped = (int)from->run.stopped;
    host->rounds += from->run.rounds;
}

static int add_job(const struct lauka_result *from, size_t host, struct lauka_merged_job *job)
{
    const struct lauka_result_job *part = &from->provenance.part;
    *job = (struct lauka_merged_job){
        .number = part->number, .attempt = part->attempt, .host = host, .seed = from->run.seed};
    int failure = lauka_text_copy(from->provenance.begin, &job->begin);
    return failure ? failure : lauka_text_copy(from->provenance.end, &job->end);
}

static int by_number(const void *left, const void *right)
{
    const struct lauka_merged_job *a = left, *b = right;
    return a->number < b->number ? -1 : a->number > b->number;
}

static int tell_jobs(const struct jobs *jobs, size_t benchmark, struct lauka_result_merged *merged)
{
    const struct lauka_result_job *first = lauka_job_of(&jobs->files[0]);
    merged->of = first->of;
    merged->hosts = calloc(jobs->host_count, sizeof *merged->hosts);
    merged->jobs = calloc(jobs->count, sizeof *merged->jobs);
    int failure =
        merged->hosts && merged->jobs ? lauka_text_copy(first->session, &merged->session) : ENOMEM;
    merged->host_count = merged->hosts ? jobs->host_count : 0;
    merged->job_count = merged->jobs ? jobs->count : 0;
    for (size_t j = 0; j < jobs->count && !failure; j++) {
        const struct lauka_result *from = result_of(jobs, j, benchmark);
        struct lauka_merged_host *host = &merged->hosts[jobs->hosts[j]];
        failure = host->name ? 0 : add_host(from, host);
        count_rounds(from, host);
        failure = failure ? failure : add_job(from, jobs->hosts[j], &merged->jobs[j]);
    }
    if (!failure)
        qsort(merged->jobs, merged->job_count, sizeof *merged->jobs, by_number);
    return failure;
}

/* ---- what all have in common --------------------------------------------------------------------------- */

/* A session lasts from the first job's beginning to the last one's end; texts of RFC 3339 in UTC have the order of
 * their times. */
static int join_times(const struct jobs *jobs, size_t benchmark, struct lauka_result_provenance *to)
{
    const char *begin = NULL, *end = NULL;
    for (size_t j = 0; j < jobs->count; j++) {
        const struct lauka_result_provenance *own = &result_of(jobs, j, benchmark)->provenance;
        begin = own->begin && (!begin || strcmp(own->begin, begin) < 0) ? own->begin : begin;
        end = own->end && (!end || strcmp(own->end, end) > 0) ? own->end : end;
    }
    free(to->begin);
    free(to->end);
    to->begin = to->end = NULL;
    int failure = lauka_text_copy(begin, &to->begin);
    return failure ? failure : lauka_text_copy(end, &to->end);
}

/* The sources differ from the commit if those of one job do. */
static struct lauka_optional join_dirty(const struct jobs *jobs, size_t benchmark)
{
    struct lauka_optional dirty = {.known = true};
    for (size_t j = 0; j < jobs->count; j++) {
        const struct lauka_optional own = result_of(jobs, j, benchmark)->provenance.dirty;
        dirty.known &= own.known;
        dirty.value = own.value != 0 ? 1 : dirty.value;
    }
    return dirty;
}

/* What all have in common; which job it was is said elsewhere. */
static int join_provenance(const struct jobs *jobs, size_t benchmark, struct lauka_result *to)
{
    struct lauka_result_provenance *about = &to->provenance;
    const struct lauka_result *first = result_of(jobs, 0, benchmark);
    int failure = lauka_record_copy(&lauka_provenance_record, &first->provenance, about);
    failure |= lauka_record_copy(&lauka_host_record, &first->host, &to->host);
    lauka_record_done(&lauka_job_record, &about->part);
    for (size_t j = 1; j < jobs->count && !failure; j++) {
        const struct lauka_result *other = result_of(jobs, j, benchmark);
        lauka_record_keep_common(&lauka_provenance_record, about, &other->provenance);
        lauka_record_keep_common(&lauka_host_record, &to->host, &other->host);
    }
    about->dirty = join_dirty(jobs, benchmark);
    return failure ? failure : join_times(jobs, benchmark, about);
}

/* The seed, which is each job's own, is none of the session's. */
static int join_options(struct lauka_result *from, struct lauka_result *to)
{
    int failure = 0;
    for (size_t i = 0; i < from->option_count && !failure; i++) {
        const struct lauka_result_option *option = &from->options[i];
        if (option->given || strcmp(option->name, "seed") != 0)
            failure = lauka_result_add_option(to, option->name, option->value, option->given);
    }
    to->arguments = from->arguments;
    to->reproduce = from->reproduce;
    from->arguments = from->reproduce = NULL;
    to->gate = from->gate;
    from->gate = (struct lauka_result_gate){0};
    return failure;
}

/* ---- notes --------------------------------------------------------------------------------------------------- */

/* The hosts whose jobs have it: "n1, n2 and 3 more: "; nothing where all have. */
static void name_hosts(const struct jobs *jobs, size_t benchmark, const char *warning, char *text,
                       size_t size)
{
    enum { NAMED = 3 };
    size_t named = 0, last = jobs->host_count, with = 0, used = 0;
    *text = '\0';
    for (size_t j = 0; j < jobs->count; j++) {
        if (!lauka_result_has_warning(result_of(jobs, j, benchmark), warning))
            continue;
        with++;
        if (jobs->hosts[j] == last)
            continue;
        last = jobs->hosts[j];
        if (named++ < NAMED && used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%.60s", used > 0 ? ", " : "",
                                     lauka_job_of(&jobs->files[j])->host);
    }
    if (with == jobs->count)
        *text = '\0';
    else if (named > NAMED)
        snprintf(text + used, size - used, " and %zu more: ", named - NAMED);
    else
        snprintf(text + used, size - used, ": ");
}

static int join_warnings(const struct jobs *jobs, size_t benchmark, struct lauka_result *to)
{
    int failure = 0;
    for (size_t j = 0; j < jobs->count && !failure; j++) {
        const struct lauka_result *from = result_of(jobs, j, benchmark);
        for (size_t w = 0; w < from->warning_count && !failure; w++) {
            char hosts[300], *text = NULL;
            bool told = false;
            for (size_t before = 0; before < j && !told; before++)
                told =
                    lauka_result_has_warning(result_of(jobs, before, benchmark), from->warnings[w]);
            if (told)
                continue;
            name_hosts(jobs, benchmark, from->warnings[w], hosts, sizeof hosts);
            size_t size = strlen(hosts) + strlen(from->warnings[w]) + 1;
            if (!(text = malloc(size)))
                return ENOMEM;
            snprintf(text, size, "%s%s", hosts, from->warnings[w]);
            failure = lauka_result_warn(to, text);
            free(text);
        }
    }
    return failure;
}

/* One machine is one draw, and two are two. */
static int note_hosts(const struct jobs *jobs, struct lauka_result *to)
{
    char text[300];
    if (jobs->host_count > 1 || jobs->count == 1)
        return 0;
    snprintf(text, sizeof text,
             "all %zu jobs ran on %.100s: the intervals say nothing about other machines",
             jobs->count, lauka_job_of(&jobs->files[0])->host);
    return lauka_result_warn(to, text);
}

/* ---- all of it --------------------------------------------------------------------------------------------- */

static int join_benchmark(const struct jobs *jobs, size_t benchmark, struct lauka_result *to,
                          struct lauka_load_error *error)
{
    struct lauka_result *first = &jobs->files[0].session.benchmarks[benchmark];
    int failure = tell_jobs(jobs, benchmark, &to->merged);
    failure = failure ? failure : join_provenance(jobs, benchmark, to);
    failure = failure ? failure : join_warnings(jobs, benchmark, to);
    failure = failure ? failure : join_options(first, to);
    return failure ? failure
                   : lauka_jobs_join_values(jobs->files, jobs->count, benchmark, jobs->hosts, to,
                                            error);
}

int lauka_jobs_put_together(struct lauka_job_file *files, size_t count,
                            struct lauka_session *session, struct lauka_load_error *error)
{
    struct jobs jobs = {.files = files, .count = count};
    size_t benchmarks = files[0].session.benchmark_count;
    int failure = number_hosts(&jobs);
    failure = failure ? failure : lauka_session_init(session, benchmarks);
    for (size_t b = benchmarks; b-- > 0 && !failure;) {
        failure = join_benchmark(&jobs, b, &session->benchmarks[b], error);
        for (size_t j = 0; j < count && b > 0; j++) /* the first one tells which job it is */
            lauka_result_done(&files[j].session.benchmarks[b]);
    }
    failure = failure ? failure : note_hosts(&jobs, &session->benchmarks[0]);
    free(jobs.hosts);
    return failure;
}
