/* Where a result comes from, and which job of a session measured it. */
#include "report/result/record.h"
#include "report/result/result.h"

static const struct lauka_field job_fields[] = {
    {LAUKA_FIELD(TEXT, lauka_result_job, session)},
    {LAUKA_FIELD(INTEGER, lauka_result_job, number), .least = 1, .most = LAUKA_JOBS_MAX},
    {LAUKA_FIELD(INTEGER, lauka_result_job, of), .least = 1, .most = LAUKA_JOBS_MAX},
    {LAUKA_FIELD(INTEGER, lauka_result_job, attempt), .least = 1, .most = LAUKA_JOBS_MAX},
    {LAUKA_FIELD(TEXT, lauka_result_job, host)},
};
const struct lauka_record_table lauka_job_record = {LAUKA_RECORD(lauka_result_job, job_fields)};

static const struct lauka_field provenance_fields[] = {
    {LAUKA_FIELD(TEXT, lauka_result_provenance, begin), LAUKA_IF_KNOWN},
    {LAUKA_FIELD(TEXT, lauka_result_provenance, end), LAUKA_IF_KNOWN},
    {LAUKA_FIELD(TEXT, lauka_result_provenance, version), LAUKA_IF_KNOWN},
    {LAUKA_FIELD(BYTES, lauka_result_provenance, directory), LAUKA_IF_KNOWN},
    {LAUKA_FIELD(TEXT, lauka_result_provenance, commit), LAUKA_IF_KNOWN},
    {LAUKA_FIELD(BYTES, lauka_result_provenance, branch), LAUKA_IF_KNOWN},
    {LAUKA_FIELD(MAYBE, lauka_result_provenance, dirty), LAUKA_IF_KNOWN},
    {LAUKA_FIELD(TEXT, lauka_result_provenance, ci), LAUKA_IF_KNOWN},
    {LAUKA_FIELD(BYTES, lauka_result_provenance, job), LAUKA_IF_KNOWN},
    {LAUKA_FIELD(BYTES, lauka_result_provenance, url), LAUKA_IF_KNOWN},
    {LAUKA_FIELD(PARAMETERS, lauka_result_provenance, labels),
     .count_at = offsetof(struct lauka_result_provenance, label_count), LAUKA_IF_KNOWN},
    {LAUKA_FIELD_AS(RECORD, lauka_result_provenance, part, NULL), .of = &lauka_job_record},
};
const struct lauka_record_table lauka_provenance_record = {
    LAUKA_RECORD(lauka_result_provenance, provenance_fields)};
