/* Where a session's numbers come from, as JSON: the machine, the time, the state of the sources. */
#include "report/json/parts.h"
#include "report/result/session.h"
#include "stats/stats.h"

#include <string.h>

/* 0 stands for what is not known. */
static void add_known_integer(struct lauka_json_document *document, struct lauka_json_value *object,
                              const char *key, uint64_t value)
{
    if (value > 0)
        lauka_document_add_integer(document, object, key, value);
    else
        lauka_document_add(document, object, key, lauka_document_null(document));
}

struct lauka_json_value *lauka_document_machine(struct lauka_json_document *document,
                                                const struct lauka_result_host *host)
{
    struct lauka_json_value *object = lauka_document_object(document);
    lauka_document_add_text(document, object, "os", host->os);
    lauka_document_add_text(document, object, "kernel", host->kernel);
    lauka_document_add_text(document, object, "arch", host->arch);
    lauka_document_add_text(document, object, "cpu_model", host->cpu_model);
    if (host->cores) /* more than one kind */
        lauka_document_add_text(document, object, "cores", host->cores);
    add_known_integer(document, object, "cpu_count", host->cpu_count);
    add_known_integer(document, object, "memory_bytes", host->memory_bytes);
    lauka_document_add_text(document, object, "governor", host->governor);
    char fingerprint[LAUKA_FINGERPRINT_SIZE];
    bool known = lauka_host_fingerprint(host, fingerprint);
    lauka_document_add_text(document, object, "fingerprint", known ? fingerprint : NULL);
    return object;
}

struct lauka_json_value *lauka_document_job(struct lauka_json_document *document)
{
    const struct lauka_result_job *job = &document->result->provenance.part;
    struct lauka_json_value *object = lauka_document_object(document);
    lauka_document_add_text(document, object, "session", job->session);
    lauka_document_add_integer(document, object, "number", job->number);
    lauka_document_add_integer(document, object, "of", job->of);
    lauka_document_add_integer(document, object, "attempt", job->attempt);
    lauka_document_add_text(document, object, "host", job->host);
    return object;
}

/* ---- provenance ------------------------------------------------------------------------------ */

/* The last value of a name counts, because an object has each key once. */
static struct lauka_json_value *labels_item(struct lauka_json_document *document,
                                            const struct lauka_result_provenance *about)
{
    struct lauka_json_value *object = lauka_document_object(document);
    for (size_t i = 0; i < about->label_count; i++) {
        bool last = true;
        for (size_t k = i + 1; k < about->label_count; k++)
            last &= strcmp(about->labels[i].name, about->labels[k].name) != 0;
        if (last)
            lauka_document_add_bytes(document, object, about->labels[i].name,
                                     about->labels[i].value);
    }
    return object;
}

static bool add_known(struct lauka_json_document *document, struct lauka_json_value *object,
                      const char *key, const char *text)
{
    if (text)
        lauka_document_add_bytes(document, object, key, text);
    return text;
}

struct lauka_json_value *lauka_document_provenance(struct lauka_json_document *document)
{
    const struct lauka_result_provenance *about = &document->result->provenance;
    struct lauka_json_value *object = lauka_document_object(document);
    bool any = add_known(document, object, "begin", about->begin);
    any |= add_known(document, object, "end", about->end);
    any |= add_known(document, object, "version", about->version);
    any |= add_known(document, object, "directory", about->directory);
    any |= add_known(document, object, "commit", about->commit);
    any |= add_known(document, object, "branch", about->branch);
    if (about->dirty.known)
        lauka_document_add_bool(document, object, "dirty", about->dirty.value != 0);
    any |= about->dirty.known;
    any |= add_known(document, object, "ci", about->ci);
    any |= add_known(document, object, "job", about->job);
    any |= add_known(document, object, "url", about->url);
    if (about->label_count > 0)
        lauka_document_add(document, object, "labels", labels_item(document, about));
    if (any || about->label_count > 0)
        return object;
    lauka_document_drop(object);
    return NULL;
}
