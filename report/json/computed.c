/* What is computed of a record and written with it. */
#include "report/json/parts.h"
#include "report/result/record.h"
#include "report/result/result.h"
#include "stats/stats.h"

static struct lauka_json_value *fingerprint_item(struct lauka_json_document *document,
                                                 const struct lauka_result_host *host)
{
    char fingerprint[LAUKA_FINGERPRINT_SIZE];
    bool known = lauka_host_fingerprint(host, fingerprint);
    return lauka_document_text(document, known ? fingerprint : NULL);
}

static struct lauka_json_value *verdict_item(struct lauka_json_document *document,
                                             const struct lauka_result_gate *gate)
{
    return lauka_document_text(document, lauka_gate_name(gate->verdict));
}

static struct lauka_json_value *executable_item(struct lauka_json_document *document,
                                                const struct lauka_result_command *command)
{
    struct lauka_json_value *object = lauka_document_object(document);
    lauka_document_add_bytes(document, object, "path", command->path);
    lauka_document_add_fields(document, object, &lauka_executable_record, &command->executable);
    return object;
}

struct lauka_json_value *lauka_document_computed(struct lauka_json_document *document,
                                                 enum lauka_field_computed computed,
                                                 const void *record)
{
    switch (computed) {
    case LAUKA_COMPUTED_FINGERPRINT:
        return fingerprint_item(document, record);
    case LAUKA_COMPUTED_VERDICT:
        return verdict_item(document, record);
    case LAUKA_COMPUTED_LIMITS:
        return lauka_document_limits(document);
    case LAUKA_COMPUTED_ERROR:
        return lauka_document_text(document, lauka_result_error_text(record));
    case LAUKA_COMPUTED_EXECUTABLE:
        return executable_item(document, record);
    case LAUKA_COMPUTED_JOB:
        return lauka_document_record(document, &lauka_job_record,
                                     &document->result->provenance.part);
    case LAUKA_COMPUTED_MERGED:
        return lauka_document_record(document, &lauka_merged_record, &document->result->merged);
    }
    return lauka_document_null(document);
}
