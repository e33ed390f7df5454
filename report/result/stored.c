/* What is stored of a result as a whole. Records that are parts of it have tables of their own. */
#include "report/result/record.h"
#include "report/result/result.h"

/* ---- what was found ---------------------------------------------------------------------------- */

static bool has_whys(const void *result)
{
    return ((const struct lauka_result *)result)->whys.count > 0;
}

static bool has_sampled(const void *result)
{
    return ((const struct lauka_result *)result)->sampled.count > 0;
}

static const struct lauka_field findings_fields[] = {
    {LAUKA_FIELD_AS(RECORD, lauka_result, whys, "why"), .of = &lauka_whys_record, .known = has_whys,
     .presence = LAUKA_FIELD_IF_KNOWN},
    {LAUKA_FIELD_AS(LIST, lauka_result, calls.commands, "system_calls"),
     LAUKA_ELEMENTS(lauka_result, calls.count, LAUKA_LIST_LONGEST, &lauka_calls_record),
     .presence = LAUKA_FIELD_IF_KNOWN},
    {LAUKA_FIELD(RECORD, lauka_result, sampled), .of = &lauka_sampled_record, .known = has_sampled,
     .presence = LAUKA_FIELD_IF_KNOWN},
};
const struct lauka_record_table lauka_findings_record = {
    LAUKA_RECORD(lauka_result, findings_fields)};
