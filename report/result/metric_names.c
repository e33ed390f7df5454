/* Metrics as people call them. */
#include "report/result/result.h"

#include <string.h>

static bool same(const char *name, size_t name_length, const char *asked, size_t length)
{
    if (name_length != length)
        return false;
    for (size_t i = 0; i < length; i++)
        if (name[i] != asked[i] && !(name[i] == '_' && asked[i] == '-'))
            return false;
    return true;
}

/* The name without what may be missing of it. */
static bool is_called(const char *name, const char *asked, size_t length)
{
    static const char time[] = "_time", peak[] = "peak_", user[] = ":u";
    size_t whole = strlen(name), tail = strlen(time);
    if (same(name, whole, asked, length))
        return true;
    if (whole > tail && strcmp(name + whole - tail, time) == 0)
        return same(name, whole - tail, asked, length);
    if (strncmp(name, peak, strlen(peak)) == 0)
        return same(name + strlen(peak), whole - strlen(peak), asked, length);
    tail = strlen(user);
    return whole > tail && strcmp(name + whole - tail, user) == 0 &&
           same(name, whole - tail, asked, length);
}

size_t lauka_result_find_metric(const struct lauka_result *result, const char *name, size_t length)
{
    for (size_t m = 0; m < result->metric_count; m++)
        if (same(result->metrics[m].name, strlen(result->metrics[m].name), name, length))
            return m;
    for (size_t m = 0; m < result->metric_count; m++)
        if (is_called(result->metrics[m].name, name, length))
            return m;
    return result->metric_count;
}
