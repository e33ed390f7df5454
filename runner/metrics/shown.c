/* What people asked to see: --metrics and --time-unit. */
#include "runner/metrics/metrics.h"
#include "pmu/events/events.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "runner/base/base.h"
#include "runner/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- metrics that are not there: which one may have been meant ----------------------------------- */

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

/* ---- what people asked to see -------------------------------------------------------------------- */

/* hyperfine 2's names of what lauka measures too. */
static const char *const aliases[][2] = {
    {"time_wall_clock", "wall_time"}, {"time_cpu", "cpu_time"},
    {"time_user", "user_time"},       {"time_system", "system_time"},
    {"cpu_cycles", "cycles"},         {"memory_peak_resident", "peak_rss"},
};

static const char *const times[] = {"wall_time", "cpu_time", "user_time", "system_time"};

static size_t find_metric(const struct lauka_result *result, const char *asked, size_t length)
{
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (strlen(aliases[i][0]) == length && strncmp(aliases[i][0], asked, length) == 0)
            return lauka_result_metric_index(result, aliases[i][1]);
    return lauka_result_find_metric(result, asked, length);
}

static bool choose_unit(struct lauka_result_metric *metric, const char *unit, size_t length,
                        struct lauka_error *error)
{
    char name[24];

    snprintf(name, sizeof name, "%.*s", (int)length, unit);
    metric->shown_in = lauka_scale_named(name, metric->unit);
    return metric->shown_in ||
           lauka_fail(
               error, LAUKA_EXIT_USAGE,
               "--metrics %.60s:%s: times are shown in ns, us, ms, s, m or h, sizes in B, KiB, "
               "MiB, GiB or TiB, counts as count, K, M or G",
               metric->name, name);
}

/* NAME[:UNIT] of `length` characters; the answer is about the first one. Names of counters may end in :u
 * or :k. */
static bool show_one(struct lauka_result *result, const char *asked, size_t length, bool is_first,
                     struct lauka_error *error)
{
    size_t m = find_metric(result, asked, length), name_length = length;

    while (m == result->metric_count && name_length > 0 && asked[--name_length] != ':')
        ;
    if (m == result->metric_count && name_length > 0)
        m = find_metric(result, asked, name_length);
    else
        name_length = length;
    if (m == result->metric_count)
        return lauka_outline_refuse(result, "metrics", asked, name_length, "; -e counts others",
                                    error);
    result->metrics[m].detail = false;
    if (is_first)
        for (size_t other = 0; other < result->metric_count; other++)
            result->metrics[other].primary = other == m;
    return name_length == length || choose_unit(&result->metrics[m], asked + name_length + 1,
                                                length - name_length - 1, error);
}

static bool is_word(const char *word, const char *asked, size_t length)
{
    return strlen(word) == length && strncmp(word, asked, length) == 0;
}

/* A name for several metrics. was_detail: metrics that are only shown if asked for. */
static bool show_preset(struct lauka_result *result, const bool *was_detail, const char *asked,
                        size_t length)
{
    bool by_default = is_word("default", asked, length), all = is_word("all", asked, length);

    if (!by_default && !all && !is_word("time", asked, length))
        return false;
    for (size_t m = 0; m < result->metric_count; m++) {
        bool is_time = false;
        for (size_t i = 0; i < sizeof times / sizeof *times; i++)
            is_time |= strcmp(times[i], result->metrics[m].name) == 0;
        if (all || (by_default ? !was_detail[m] : is_time))
            result->metrics[m].detail = false;
    }
    return true;
}

/* The answer is about the first of them; a preset does not change that. */
static bool show_list(struct lauka_result *result, const char *list, const bool *was_detail,
                      bool chooses, struct lauka_error *error)
{
    for (const char *from = list; *from; from += *from == ',') {
        size_t length = strcspn(from, ",");
        if (!show_preset(result, was_detail, from, length) &&
            !show_one(result, from, length, chooses && from == list, error))
            return false;
        from += length;
    }
    return true;
}

static bool show_metrics(struct lauka_result *result, const struct lauka_options *options,
                         struct lauka_error *error)
{
    bool chooses =
        options->judge.primary_follows || strcmp(options->judge.primary, LAUKA_PRIMARY) == 0;
    bool *was_detail = calloc(result->metric_count + 1, sizeof *was_detail);

    if (!was_detail)
        return lauka_fail_memory(error);
    for (size_t m = 0; m < result->metric_count; m++) {
        was_detail[m] = result->metrics[m].detail;
        result->metrics[m].detail = true;
    }
    bool good = show_list(result, options->write.metrics, was_detail, chooses, error);
    free(was_detail);
    return good;
}

bool lauka_shown_choose(struct lauka_result *result, const struct lauka_options *options,
                        struct lauka_error *error)
{
    for (size_t m = 0; options->write.time_unit && m < result->metric_count; m++)
        if (strcmp(result->metrics[m].unit, "ns") == 0)
            result->metrics[m].shown_in = lauka_scale_named(options->write.time_unit, "ns");
    return !options->write.metrics || show_metrics(result, options, error);
}
