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

bool lauka_provenance_is_told(const struct lauka_options *options)
{
    static const enum lauka_document documents[] = {LAUKA_DOCUMENT_JSON, LAUKA_DOCUMENT_HTML,
                                                    LAUKA_DOCUMENT_MARKDOWN,
                                                    LAUKA_DOCUMENT_PR_COMMENT};
    bool told = options->github;

    for (size_t i = 0; i < sizeof documents / sizeof *documents; i++)
        told |= options->outputs[documents[i]].wanted;
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

static const char *variable(const char *name)
{
    return getenv(name);
}

int lauka_provenance_begin(struct lauka_result_provenance *provenance,
                           const struct lauka_options *options)
{
    int failure = add_labels(provenance, &options->labels);

    failure = failure ? failure : add_job(&provenance->part, &options->job);
    if (failure || options->pretended)
        return failure;
    provenance->begin = now();
    provenance->version = strdup(LAUKA_VERSION);
    provenance->directory = getcwd(NULL, 0); /* NULL where it is gone */
    if (!provenance->begin || !provenance->version)
        return ENOMEM;
    failure = lauka_ci_find(variable, provenance);
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
