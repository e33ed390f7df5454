/* What several frameworks write alike: JSON with arrays of times. */
#include "runner/suite/suite.h"
#include "report/load/foreign.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <string.h>

const char *lauka_entry_text(const cJSON *entry, const char *name)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(entry, name));

    return text ? text : "";
}

/* Some writers have null in place of NaN. */
static int read_time(const cJSON *item, double unit_ns, struct lauka_inner_answers *answers)
{
    const struct lauka_inner_answer answer = {.cpu_ns = -1, .wall_ns = item->valuedouble * unit_ns};
    const char *fault = lauka_foreign_not_finite(item);

    if (!fault)
        fault = cJSON_IsNumber(item) ? lauka_inner_fault(answer.wall_ns, 0) : "NaN";
    return fault ? lauka_inner_answers_refuse(answers, "time", fault)
                 : lauka_inner_answers_add(answers, &answer);
}

int lauka_times_read(const cJSON *times, const cJSON *counts, double unit_ns,
                     struct lauka_inner_answers *answers)
{
    enum { MOST = 100000 };
    const int size = cJSON_GetArraySize(times);
    const cJSON *count = counts ? counts->child : NULL, *item;
    int error = cJSON_IsArray(times) && size <= MOST ? 0 : EINVAL;

    if (counts && cJSON_GetArraySize(counts) != size)
        error = EINVAL;
    for (item = error ? NULL : times->child; item && !error; item = item->next) {
        const double iterations = counts ? count->valuedouble : 1;
        error = iterations >= 1 && iterations <= 1e18
                    ? read_time(item, unit_ns / iterations, answers)
                    : EINVAL;
        count = count ? count->next : NULL;
    }
    return error;
}
