/* Metrics that are not there: which one may have been meant. */
#include "runner/metrics/metrics.h"
#include "pmu/events/events.h"
#include "report/result/result.h"
#include "runner/base/base.h"

#include <string.h>
#include <stdio.h>

/* The one that differs least, or NULL where none is near. */
static const char *nearest_metric(const struct lauka_result *result, const char *typed)
{
    char name[64];
    const char *nearest = NULL;

    snprintf(name, sizeof name, "%.*s", (int)strcspn(typed, "."), typed); /* of a gate: NAME.STAT */
    size_t least = 1 + strlen(name) / 4;
    for (size_t m = 0; m < result->metric_count; m++) {
        size_t far = lauka_name_distance(name, result->metrics[m].name);
        if (far > least || (nearest && far == least))
            continue;
        least = far;
        nearest = result->metrics[m].name;
    }
    return nearest;
}

bool lauka_outline_refuse(const struct lauka_result *result, const char *option, const char *asked,
                          size_t length, const char *advice, struct lauka_error *error)
{
    char typed[64], known[500] = "";

    snprintf(typed, sizeof typed, "%.*s", (int)(length < 60 ? length : 60), asked);
    const char *nearest = nearest_metric(result, typed);
    for (size_t m = 0, used = 0; m < result->metric_count && used < sizeof known - 100; m++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%.90s", m > 0 ? ", " : "",
                                 result->metrics[m].name);
    return lauka_fail(error, LAUKA_EXIT_USAGE, "--%s: there is no metric \"%s\"%s%s%s%s", option,
                      typed, nearest ? " (did you mean " : "; there are ",
                      nearest ? nearest : known, nearest ? "?)" : "", advice);
}
