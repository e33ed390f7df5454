/* Jobs of one session: which of them count, which are missing, and that they belong together. Nothing depends
 * on the order in which they are given. */
#include "report/load/jobs.h"
#include "report/load/load.h"
#include "report/load/loader.h"
#include "report/result/result.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    char text[700];
    snprintf(text, sizeof text,
             "job %" PRIu64 " of %" PRIu64 " is there twice: attempt %" PRIu64
             " on %.60s counts, attempt %" PRIu64 " on %.60s does not",
             one->number, one->of, one->attempt, one->host, two->attempt, two->host);
    return lauka_result_warn(result, text);
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
    size_t size = strlen(reason) + strlen(job->host) + 80;
    char *text = malloc(size);
    if (text)
        snprintf(text, size, "%s (job %" PRIu64 " of %" PRIu64 ", on %s)", reason, job->number,
                 job->of, job->host);
    return text;
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
    failure = lauka_jobs_put_together(files, choice->counting > 0 ? counting : 1, session, error);
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
