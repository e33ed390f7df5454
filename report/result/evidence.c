/* What one observation of a result is. */
#include "report/result/evidence.h"
#include "report/result/result.h"

#include <stddef.h>
#include <string.h>

const char *lauka_result_observation(const struct lauka_result *result)
{
    const bool stored = result->run.stopped == LAUKA_STOPPED_STORED;
    if (result->run.apart != LAUKA_APART_NOT)
        return result->run.apart == LAUKA_APART_LOGS ? "log" : "session";
    if (stored && result->metric_count > 0 &&
        strcmp(result->metrics[0].source, LAUKA_SOURCE_LOGS) == 0)
        return "log";
    return stored && result->benchmark.units.kind == LAUKA_UNIT_ROUND
               ? "value"
               : lauka_unit_name(result->benchmark.units.kind);
}
