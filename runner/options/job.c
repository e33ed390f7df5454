/* Which job of a session this is, when several machines measure the same: from options, or from the
 * variables of the scheduler that started the job. Every job has its own seed, derived from the session's. */
#include "runner/options/options.h"
#include "runner/options/table.h"
#include "runner/base/base.h"
#include "runner/options.h"
#include "stats/stats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- who starts jobs ------------------------------------------------------------------------------ */

static const struct starter {
    const char *name;
    const char *number, *least, *step; /* variables; NULL: it counts from `from` on, by ones */
    uint64_t from;
    const char *of;
    const char *session[3]; /* the parts of its name; those that are not set are left out */
    const char *again;      /* how often the job was started before; NULL: nobody says so */
} starters[] = {
    {"slurm",
     "SLURM_ARRAY_TASK_ID",
     "SLURM_ARRAY_TASK_MIN",
     "SLURM_ARRAY_TASK_STEP",
     0,
     "SLURM_ARRAY_TASK_COUNT",
     {"SLURM_ARRAY_JOB_ID"},
     "SLURM_RESTART_COUNT"},
    {"gitlab",
     "CI_NODE_INDEX",
     NULL,
     NULL,
     1,
     "CI_NODE_TOTAL",
     {"CI_PIPELINE_ID", "CI_JOB_GROUP_NAME"},
     NULL},
    {"circleci",
     "CIRCLE_NODE_INDEX",
     NULL,
     NULL,
     0,
     "CIRCLE_NODE_TOTAL",
     {"CIRCLE_WORKFLOW_ID", "CIRCLE_JOB"},
     NULL},
    {"buildkite",
     "BUILDKITE_PARALLEL_JOB",
     NULL,
     NULL,
     0,
     "BUILDKITE_PARALLEL_JOB_COUNT",
     {"BUILDKITE_BUILD_ID", "BUILDKITE_STEP_ID"},
     "BUILDKITE_RETRY_COUNT"},
};

static bool read_variable(const char *name, uint64_t *number)
{
    const char *text = name ? getenv(name) : NULL;
    char *end;

    if (!text || *text < '0' || *text > '9')
        return false;
    *number = strtoull(text, &end, 10);
    return !*end && *number < UINT32_MAX;
}

/* A single job is not a session; nor is an array whose numbers have gaps that cannot be known. */
static bool find_number(const struct starter *starter, struct lauka_job *job)
{
    uint64_t number, of, least = starter->from, step = 1;

    if (!read_variable(starter->number, &number) || !read_variable(starter->of, &of) || of < 2 ||
        of > LAUKA_JOBS_MAX || (starter->least && !read_variable(starter->least, &least)))
        return false;
    if (starter->step && (!read_variable(starter->step, &step) || step == 0))
        step = 1;
    if (number < least || (number - least) % step != 0 || (number - least) / step >= of)
        return false;
    job->number = (number - least) / step + 1;
    job->of = of;
    return true;
}

/* Names end up in documents: anything but letters and digits becomes at most one of these. */
static bool is_plain(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           strchr("_.-:/@+", c);
}

static void make_plain(char *text)
{
    for (; *text; text++)
        *text = is_plain(*text) ? *text : '_';
}

static bool find_session(const struct starter *starter, struct lauka_job *job)
{
    size_t used = (size_t)snprintf(job->session, sizeof job->session, "%s", starter->name);
    bool known = getenv(starter->session[0]) != NULL;

    for (size_t i = 0; i < 3 && starter->session[i] && used < sizeof job->session; i++) {
        const char *part = getenv(starter->session[i]);
        if (part && *part)
            used += (size_t)snprintf(job->session + used, sizeof job->session - used, "-%s", part);
    }
    make_plain(job->session);
    return known;
}

/* As far as the environment says. */
static void find_job(struct lauka_job *job)
{
    uint64_t again = 0;

    for (size_t i = 0; i < sizeof starters / sizeof *starters; i++) {
        const struct starter *starter = &starters[i];
        struct lauka_job own = *job;
        if (!find_number(starter, &own) || !find_session(starter, &own))
            continue;
        *job = own;
        if (read_variable(starter->again, &again))
            job->attempt = again + 1;
        return;
    }
}

/* ---- what was given ------------------------------------------------------------------------------- */

static bool take_name(const char *option, const char *text, char name[LAUKA_JOB_NAME_SIZE],
                      struct lauka_error *error)
{
    size_t length = strlen(text), plain = 0;

    while (plain < length && is_plain(text[plain]))
        plain++;
    if (length == 0 || length >= LAUKA_JOB_NAME_SIZE || plain < length)
        return lauka_misuse(error, "--%s %.100s: expected letters, digits and _.-:/@+, %d at most",
                            option, text, LAUKA_JOB_NAME_SIZE - 1);
    memcpy(name, text, length + 1);
    return true;
}

/* "3/6" */
static bool take_number(const char *text, struct lauka_job *job, struct lauka_error *error)
{
    char *end = NULL;
    bool good = *text >= '0' && *text <= '9';

    job->number = good ? strtoull(text, &end, 10) : 0;
    good = good && *end == '/' && end[1] >= '0' && end[1] <= '9';
    job->of = good ? strtoull(end + 1, &end, 10) : 0;
    return (good && !*end && job->number > 0 && job->number <= job->of &&
            job->of <= LAUKA_JOBS_MAX) ||
           lauka_misuse(error, "--job %.100s: expected I/N, job I from 1 to N, %d at most", text,
                        LAUKA_JOBS_MAX);
}

static bool take_given(struct lauka_job *job, struct lauka_error *error)
{
    bool numbered = job->of > 0, named = job->session[0] != '\0';

    if ((job->text && !take_number(job->text, job, error)) ||
        (job->session_text && !take_name("session", job->session_text, job->session, error)))
        return false;
    if (job->text && !job->session_text && !named)
        return lauka_misuse(error, "--job needs --session ID, which is the same in all jobs");
    return !job->session_text || job->text || numbered ||
           lauka_misuse(error, "--session needs --job I/N, which job of it this is");
}

static bool name_host(struct lauka_job *job, struct lauka_error *error)
{
    const char *node = getenv("SLURMD_NODENAME");

    if (job->host_text)
        return take_name("host", job->host_text, job->host, error);
    if (node && *node)
        snprintf(job->host, sizeof job->host, "%s", node);
    else if (gethostname(job->host, sizeof job->host - 1) != 0)
        job->host[0] = '\0';
    job->host[sizeof job->host - 1] = '\0';
    make_plain(job->host);
    if (!job->host[0])
        snprintf(job->host, sizeof job->host, "unknown");
    return true;
}

/* ---- its dice ------------------------------------------------------------------------------------- */

/* 32 bits, which can be typed again. */
static uint64_t seed_of(uint64_t session, uint64_t number)
{
    struct lauka_random random;

    lauka_random_seed(&random, session);
    lauka_random_seed(&random, lauka_random_next(&random) + number);
    return lauka_random_next(&random) >> 32;
}

static bool measures(const struct lauka_options *options)
{
    return options->verb == LAUKA_VERB_RUN || options->verb == LAUKA_VERB_NOISE ||
           options->verb == LAUKA_VERB_REVISIONS || options->verb == LAUKA_VERB_SUITE;
}

bool option_take_job(struct lauka_options *options, struct lauka_error *error)
{
    struct lauka_job *job = &options->run.job;

    if (!measures(options))
        return true;
    job->attempt = 1;
    find_job(job);
    if (!take_given(job, error) || !name_host(job, error))
        return false;
    if (job->of > 0)
        options->measure.seed =
            seed_of(lauka_arguments_find(options->arguments, OPTION_SEED)
                        ? options->measure.seed
                        : lauka_hash(LAUKA_HASH, job->session, strlen(job->session)),
                    job->number);
    return true;
}
