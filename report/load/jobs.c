/* Jobs of one session: which of them count, which are missing, that they belong together, and what holds for all of them.
 * Nothing depends on the order in which they are given. Their values are joined beside. */
#include "report/load/jobs.h"
#include "report/load/load.h"
#include "report/load/loader.h"
#include "report/result/record.h"
#include "report/result/result.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- one session of those that belong together ------------------------------------------------ */

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

static int by_merged_number(const void *left, const void *right)
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
        qsort(merged->jobs, merged->job_count, sizeof *merged->jobs, by_merged_number);
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
            char hosts[300];
            bool told = false;
            for (size_t before = 0; before < j && !told; before++)
                told =
                    lauka_result_has_warning(result_of(jobs, before, benchmark), from->warnings[w]);
            if (told)
                continue;
            name_hosts(jobs, benchmark, from->warnings[w], hosts, sizeof hosts);
            failure = lauka_result_note(to, "%s%s", hosts, from->warnings[w]);
        }
    }
    return failure;
}

/* One machine is one draw, and two are two. */
static int note_hosts(const struct jobs *jobs, struct lauka_result *to)
{
    if (jobs->host_count > 1 || jobs->count == 1)
        return 0;
    return lauka_result_note(
        to, "all %zu jobs ran on %.100s: the intervals say nothing about other machines",
        jobs->count, lauka_job_of(&jobs->files[0])->host);
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

/* Makes one session of the jobs, which stand in the order of their hosts and belong together; takes from them
 * what it needs. Returns 0, ENOMEM or EINVAL and the error. */
static int put_together(struct lauka_job_file *files, size_t count, struct lauka_session *session,
                        struct lauka_load_error *error)
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

/* ---- one job ------------------------------------------------------------------------------------- */

static int check_job(const struct lauka_job_file *job, const struct lauka_job_file *first,
                     struct lauka_load_error *error)
{
    const struct lauka_result_job *own = lauka_job_of(job), *other = lauka_job_of(first);
    if (job->session.benchmarks[0].merged.session)
        return lauka_jobs_fail(job, error, "is merged already: merge the files of its jobs");
    if (!own->session)
        return lauka_jobs_fail(job, error,
                               "is no job of a session: jobs are measured with --job=I/N "
                               "--session=ID");
    if (!other->session) /* which is told when it is looked at itself */
        return 0;
    if (strcmp(own->session, other->session) != 0)
        return lauka_jobs_fail(job, error, "is of session %.60s, but %.200s is of %.60s",
                               own->session, first->name, other->session);
    if (own->of != other->of)
        return lauka_jobs_fail(job, error, "is one of %" PRIu64 " jobs, but %.200s of %" PRIu64,
                               own->of, first->name, other->of);
    return 0;
}

/* The benchmark that ended worst; NULL: all ended well. */
static const struct lauka_result *bad_end(const struct lauka_job_file *job)
{
    const struct lauka_result *worst = NULL;
    for (size_t b = 0; b < job->session.benchmark_count; b++) {
        const struct lauka_result *result = &job->session.benchmarks[b];
        if (!lauka_result_ended_well(result) &&
            (!worst || lauka_result_ending(result) > lauka_result_ending(worst)))
            worst = result;
    }
    return worst;
}

static bool is_worse(const struct lauka_job_file *job, const struct lauka_job_file *other)
{
    return !other || lauka_result_ending(bad_end(job)) > lauka_result_ending(bad_end(other));
}

static int compare_texts(const char *left, const char *right)
{
    return strcmp(left ? left : "", right ? right : "");
}

/* By number; of one number that comes first that counts: one that ended well, the last attempt. */
static int by_number(const void *left, const void *right)
{
    const struct lauka_job_file *a = left, *b = right;
    const struct lauka_result_job *one = lauka_job_of(a), *other = lauka_job_of(b);
    bool bad = bad_end(a), bad_too = bad_end(b);
    if (one->number != other->number)
        return one->number < other->number ? -1 : 1;
    if (bad != bad_too)
        return bad ? 1 : -1;
    if (one->attempt != other->attempt)
        return one->attempt > other->attempt ? -1 : 1;
    int order = compare_texts(b->session.benchmarks[0].provenance.end,
                              a->session.benchmarks[0].provenance.end);
    return order ? order : strcmp(a->name, b->name);
}

/* "n2" before "n10". */
static int by_host(const void *left, const void *right)
{
    const struct lauka_result_job *a = lauka_job_of(left), *b = lauka_job_of(right);
    const char *one = a->host, *other = b->host;
    while (*one && *one == *other)
        one++, other++;
    size_t digits = strspn(one, "0123456789"), others = strspn(other, "0123456789");
    if (digits != others && digits > 0 && others > 0)
        return digits < others ? -1 : 1;
    if (*one != *other)
        return (unsigned char)*one < (unsigned char)*other ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* ---- those that count ------------------------------------------------------------------------------ */

struct choice {
    struct lauka_job_file *files; /* borrowed; those that count first */
    size_t count, counting;
    uint64_t of;
    char missing[400]; /* "2, 5 and 6 more" */
    uint64_t missing_count;
    const struct lauka_job_file *failed; /* borrowed; which ended worst, the first of several */
};

static void name_missing(struct choice *choice, uint64_t number)
{
    enum { NAMED = 12 };
    size_t used = strlen(choice->missing);
    if (choice->missing_count++ < NAMED)
        snprintf(choice->missing + used, sizeof choice->missing - used, "%s%" PRIu64,
                 used > 0 ? ", " : "", number);
}

static int warn_twice(struct lauka_result *result, const struct lauka_job_file *counts,
                      const struct lauka_job_file *other)
{
    const struct lauka_result_job *one = lauka_job_of(counts), *two = lauka_job_of(other);
    return lauka_result_note(result,
                             "job %" PRIu64 " of %" PRIu64 " is there twice: attempt %" PRIu64
                             " on %.60s counts, attempt %" PRIu64 " on %.60s does not",
                             one->number, one->of, one->attempt, one->host, two->attempt,
                             two->host);
}

/* Moves those that count to the front; their warnings go to `notes`. */
static int choose(struct choice *choice, struct lauka_result *notes)
{
    uint64_t next = 1;
    int failure = 0;
    for (size_t i = 0; i < choice->count && !failure; i++) {
        struct lauka_job_file *file = &choice->files[i];
        const uint64_t number = lauka_job_of(file)->number;
        if (i > 0 && choice->counting > 0 &&
            lauka_job_of(&choice->files[choice->counting - 1])->number == number) {
            failure = warn_twice(notes, &choice->files[choice->counting - 1], file);
            continue;
        }
        if (next > number) /* a further one that did not end well */
            continue;
        while (next < number)
            name_missing(choice, next++);
        next++;
        if (bad_end(file)) {
            name_missing(choice, number);
            choice->failed = is_worse(file, choice->failed) ? file : choice->failed;
            continue;
        }
        struct lauka_job_file moved = choice->files[choice->counting];
        choice->files[choice->counting++] = *file;
        *file = moved;
        if (choice->failed == &choice->files[choice->counting - 1])
            choice->failed = file;
    }
    while (next <= choice->of)
        name_missing(choice, next++);
    return failure;
}

/* ---- what is missing ------------------------------------------------------------------------------- */

static void say_missing(const struct choice *choice, char *text, size_t size)
{
    const bool one = choice->missing_count == 1;
    snprintf(text, size, "of session %.60s, job%s %s of %" PRIu64 " %s missing or did not end well",
             lauka_job_of(&choice->files[0])->session, one ? "" : "s", choice->missing, choice->of,
             one ? "is" : "are");
}

static char *tell_failure(const struct lauka_job_file *file, const struct lauka_result *of)
{
    const struct lauka_result_job *job = lauka_job_of(file);
    const char *reason = of->failure.reason ? of->failure.reason : "failed";
    return lauka_text_format("%s (job %" PRIu64 " of %" PRIu64 ", on %s)", reason, job->number,
                             job->of, job->host);
}

/* A command that failed on one machine has failed. */
static int take_failure(struct lauka_session *session, const struct lauka_job_file *file)
{
    const struct lauka_result *of = bad_end(file);
    size_t b = (size_t)(of - file->session.benchmarks);
    struct lauka_result *to = &session->benchmarks[b < session->benchmark_count ? b : 0];
    if (!of->failure.known || to->failure.known || of->failure.command >= to->command_count)
        return 0;
    to->failure = of->failure;
    to->failure.reason = tell_failure(file, of);
    to->failure.stderr_tail = of->failure.stderr_tail ? strdup(of->failure.stderr_tail) : NULL;
    to->run.stopped = LAUKA_STOPPED_FAILURE;
    return to->failure.reason ? 0 : ENOMEM;
}

/* What was measured is a result, but no proof that all is well. */
static int take_error(struct lauka_session *session, const char *text)
{
    for (size_t b = 0; b < session->benchmark_count; b++) {
        struct lauka_result *result = &session->benchmarks[b];
        if (result->error.known)
            continue;
        result->error = (struct lauka_result_error){.known = true, .text = strdup(text)};
        if (!result->failure.known)
            result->run.stopped = LAUKA_STOPPED_ERROR;
        if (!result->error.text)
            return ENOMEM;
    }
    return 0;
}

static int tell_missing(const struct choice *choice, uint64_t allowed,
                        struct lauka_session *session)
{
    char text[700];
    if (choice->missing_count == 0)
        return 0;
    say_missing(choice, text, sizeof text);
    if (choice->missing_count <= allowed)
        return lauka_result_warn(&session->benchmarks[0], text);
    int failure = choice->failed ? take_failure(session, choice->failed) : 0;
    return failure ? failure : take_error(session, text);
}

/* ---- all of it --------------------------------------------------------------------------------------- */

static int check(struct lauka_job_file *files, size_t count, struct lauka_load_error *error)
{
    int failure = 0;
    for (size_t i = 0; i < count && !failure; i++)
        failure = check_job(&files[i], &files[0], error);
    return failure;
}

static int move_warnings(struct lauka_result *from, struct lauka_result *to)
{
    int failure = 0;
    for (size_t w = 0; w < from->warning_count && !failure; w++)
        failure = lauka_result_warn(to, from->warnings[w]);
    return failure;
}

/* Where none ended well, what there is is told of those that did not. */
static int join(struct choice *choice, uint64_t allowed, struct lauka_result *notes,
                struct lauka_session *session, struct lauka_load_error *error)
{
    struct lauka_job_file *files = choice->files;
    int failure = choose(choice, notes);
    size_t counting = choice->counting > 0 ? choice->counting : choice->count;
    for (size_t i = 1; i < counting && !failure; i++)
        failure = lauka_jobs_compare(&files[0], &files[i], notes, error);
    if (failure)
        return failure;
    if (choice->counting > 0) /* `failed` lies behind those */
        qsort(files, counting, sizeof *files, by_host);
    failure = put_together(files, choice->counting > 0 ? counting : 1, session, error);
    failure = failure ? failure : tell_missing(choice, allowed, session);
    return failure ? failure : move_warnings(notes, &session->benchmarks[0]);
}

int lauka_jobs_join(struct lauka_job_file *files, size_t count, uint64_t missing_allowed,
                    struct lauka_session *session, struct lauka_load_error *error)
{
    struct lauka_result notes = {0};
    struct choice choice = {.files = files, .count = count};
    *session = (struct lauka_session){0};
    error->text[0] = 0;
    qsort(files, count, sizeof *files, by_number);
    int failure = check(files, count, error);
    if (failure)
        return failure;
    choice.of = lauka_job_of(&files[0])->of;
    failure = join(&choice, missing_allowed, &notes, session, error);
    lauka_result_done(&notes);
    if (failure)
        lauka_session_done(session);
    return failure;
}
