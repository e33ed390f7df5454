/* Where a session's result comes from. */
#include "runner/provenance/provenance.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "runner/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- the service that runs the job, as its environment tells ----------------------------------- */

/* A new one is a row here. */

enum { TEXT_SIZE = 2000 };

struct service {
    const char *name;
    const char *sign, *value; /* a variable that it sets; to this, or NULL: to anything */
    /* Texts in which $NAME is a variable. Of several, separated by blanks, the first whose variables are
     * all set is used. NULL if there is none. */
    const char *job, *url;
};

/* Some services imitate others; an imitated one comes after its imitators. */
static const struct service services[] = {
    {"gitea", "GITEA_ACTIONS", "true", "$GITHUB_JOB", NULL},
    {"github", "GITHUB_ACTIONS", "true", "$GITHUB_JOB",
     "$GITHUB_SERVER_URL/$GITHUB_REPOSITORY/actions/runs/$GITHUB_RUN_ID/attempts/"
     "$GITHUB_RUN_ATTEMPT "
     "$GITHUB_SERVER_URL/$GITHUB_REPOSITORY/actions/runs/$GITHUB_RUN_ID"},
    {"gitlab", "GITLAB_CI", "true", "$CI_JOB_NAME", "$CI_JOB_URL"},
    {"circleci", "CIRCLECI", "true", "$CIRCLE_JOB", "$CIRCLE_BUILD_URL"},
    {"buildkite", "BUILDKITE", "true", "$BUILDKITE_LABEL $BUILDKITE_STEP_KEY",
     "$BUILDKITE_BUILD_URL#$BUILDKITE_JOB_ID $BUILDKITE_BUILD_URL"},
    {"azure", "TF_BUILD", "True", "$SYSTEM_JOBDISPLAYNAME $AGENT_JOBNAME",
     "$SYSTEM_COLLECTIONURI$SYSTEM_TEAMPROJECTID/_build/results?buildId=$BUILD_BUILDID"},
    {"bitbucket", "BITBUCKET_BUILD_NUMBER", NULL, NULL,
     "https://bitbucket.org/$BITBUCKET_REPO_FULL_NAME/pipelines/results/$BITBUCKET_BUILD_NUMBER"},
    {"drone", "DRONE", "true", "$DRONE_STEP_NAME $DRONE_STAGE_NAME", "$DRONE_BUILD_LINK"},
    {"woodpecker", "CI", "woodpecker", "$CI_STEP_NAME $CI_WORKFLOW_NAME",
     "$CI_STEP_URL $CI_PIPELINE_URL"},
    {"travis", "TRAVIS", "true", "$TRAVIS_JOB_NAME $TRAVIS_JOB_NUMBER", "$TRAVIS_JOB_WEB_URL"},
    {"jenkins", "JENKINS_URL", NULL, "$JOB_NAME", "$BUILD_URL"},
};

/* NULL if it is not set, or empty. */
static const char *value_of(const char *name, size_t length)
{
    char own[64];

    if (length >= sizeof own)
        return NULL;
    memcpy(own, name, length);
    own[length] = 0;
    const char *value = getenv(own);
    return value && *value ? value : NULL;
}

static const struct service *find(void)
{
    for (size_t i = 0; i < sizeof services / sizeof *services; i++) {
        const char *value = value_of(services[i].sign, strlen(services[i].sign));
        if (value && (!services[i].value || strcmp(value, services[i].value) == 0))
            return &services[i];
    }
    return NULL;
}

/* Fills in that many bytes of the pattern. False if a variable is not set, or it is too long. */
static bool fill_in(const char *pattern, size_t length, char text[TEXT_SIZE])
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    size_t used = 0;

    for (size_t i = 0; i < length;) {
        const char *from = pattern + i;
        size_t size = 1, name = *from == '$' ? strspn(from + 1, letters) : 0;
        if (name > 0)
            from = value_of(from + 1, name);
        if (from && name > 0)
            size = strlen(from);
        if (!from || used + size >= TEXT_SIZE)
            return false;
        memcpy(text + used, from, size);
        used += size;
        i += 1 + name;
    }
    text[used] = 0;
    return true;
}

/* The first of the patterns that can be filled in. */
static bool choose(const char *patterns, char text[TEXT_SIZE])
{
    bool found = false;

    while (patterns && *patterns && !found) {
        size_t length = strcspn(patterns, " ");
        found = fill_in(patterns, length, text);
        patterns += length + (patterns[length] == ' ');
    }
    return found;
}

/* Sets ci, job and url, as far as they are known. Returns 0 or ENOMEM. */
static int ci_find(struct lauka_result_provenance *provenance)
{
    const struct service *service = find();
    char text[TEXT_SIZE];

    if (!service)
        return 0;
    if (!(provenance->ci = strdup(service->name)))
        return ENOMEM;
    if (choose(service->job, text) && !(provenance->job = strdup(text)))
        return ENOMEM;
    if (choose(service->url, text) && lauka_text_is_address(text) &&
        !(provenance->url = strdup(text)))
        return ENOMEM;
    return 0;
}

/* ---- provenance -------------------------------------------------------------------------------- */

bool lauka_provenance_is_told(const struct lauka_options *options)
{
    static const enum lauka_document documents[] = {LAUKA_DOCUMENT_JSON, LAUKA_DOCUMENT_HTML,
                                                    LAUKA_DOCUMENT_MARKDOWN,
                                                    LAUKA_DOCUMENT_PR_COMMENT};
    bool told = options->write.github || options->run.history;

    for (size_t i = 0; i < sizeof documents / sizeof *documents; i++)
        told |= options->write.outputs[documents[i]].wanted;
    return told;
}

/* RFC 3339. Owned by the caller; NULL without memory. */
static char *now(void)
{
    char text[LAUKA_DATE_SIZE];

    return lauka_format_time(time(NULL), text) ? strdup(text) : NULL;
}

/* --label KEY=VALUE, each checked when it was read. */
static int add_labels(struct lauka_result_provenance *provenance, const struct lauka_texts *labels)
{
    int failure = 0;

    for (size_t i = 0; i < labels->count && !failure; i++) {
        size_t length = strcspn(labels->texts[i], "=");
        char *key = strndup(labels->texts[i], length);
        failure = !key ? ENOMEM
                       : lauka_parameters_add(&provenance->labels, &provenance->label_count, key,
                                              labels->texts[i] + length + 1);
        free(key);
    }
    return failure;
}

static int add_job(struct lauka_result_job *part, const struct lauka_job *job)
{
    if (job->of == 0)
        return 0;
    *part = (struct lauka_result_job){
        .session = strdup(job->session),
        .host = strdup(job->host),
        .number = job->number,
        .of = job->of,
        .attempt = job->attempt,
    };
    return part->session && part->host ? 0 : ENOMEM;
}

int lauka_provenance_begin(struct lauka_result_provenance *provenance,
                           const struct lauka_options *options)
{
    int failure = add_labels(provenance, &options->write.labels);

    failure = failure ? failure : add_job(&provenance->part, &options->run.job);
    if (failure || options->measure.pretended)
        return failure;
    provenance->begin = now();
    provenance->version = strdup(LAUKA_VERSION);
    provenance->directory = getcwd(NULL, 0); /* NULL where it is gone */
    if (!provenance->begin || !provenance->version)
        return ENOMEM;
    failure = ci_find(provenance);
    if (!failure && lauka_provenance_is_told(options))
        failure = lauka_git_describe(provenance);
    return failure;
}

int lauka_provenance_end(struct lauka_result_provenance *provenance)
{
    if (provenance->begin && !provenance->end && !(provenance->end = now()))
        return ENOMEM;
    return 0;
}
