/* Comparisons that are judged together: the more are asked at once, the clearer each must be. A family
 * covers all benchmarks of a session, because whoever looks at twenty of them looks for a claim in any. */
#include "report/analysis/analysis.h"
#include "report/analysis/steps.h"
#include "report/result/result.h"
#include "stats/stats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- comparisons in other words ---------------------------------------------------------------- */

/* What a throughput is made of, by its name: wall_time_per_item, cycles_per_item (cycles:u serves, too),
 * megabytes_per_second. As many as there are metrics: nothing. */
static size_t find_whole(const struct lauka_result *result, const char *name)
{
    const char *part = strstr(name, "_per_");
    size_t length = part ? (size_t)(part - name) : 0, m = 0;
    if (!part)
        return result->metric_count;
    if (strcmp(part, "_per_second") == 0) {
        name = "wall_time";
        length = strlen(name);
    }
    while (m < result->metric_count &&
           (!result->metrics[m].counted || strncmp(result->metrics[m].name, name, length) != 0 ||
            (result->metrics[m].name[length] != '\0' && result->metrics[m].name[length] != ':')))
        m++;
    return m;
}

static bool are_close(struct lauka_optional one, struct lauka_optional other, double sign)
{
    static const double rounding = 1e-4; /* values have three decimals */
    return one.known && other.known && fabs(one.value - sign * other.value) <= rounding;
}

static enum lauka_verdict inverse_of(enum lauka_verdict verdict)
{
    return verdict == LAUKA_VERDICT_HIGHER  ? LAUKA_VERDICT_LOWER
           : verdict == LAUKA_VERDICT_LOWER ? LAUKA_VERDICT_HIGHER
                                            : verdict;
}

/* Whether the numbers are the same, or their inverses. They are not where commands get through
 * different amounts, or where rounding took too much. */
static bool says_the_same(const struct lauka_comparison *one, const struct lauka_comparison *other)
{
    bool same = one->verdict == other->verdict && are_close(one->log_low, other->log_low, 1) &&
                are_close(one->log_high, other->log_high, 1);
    bool inverse = one->verdict == inverse_of(other->verdict) &&
                   are_close(one->log_low, other->log_high, -1) &&
                   are_close(one->log_high, other->log_low, -1);
    return same || inverse;
}

/* Runs before anything is judged in its family. A deciding metric never restates one that does not decide;
 * then the whole is the one that says the same in other words. */
void lauka_families_find_restated(struct lauka_result *result)
{
    for (size_t i = 0; i < result->comparison_count; i++)
        result->comparisons[i].restated = result->metric_count;
    for (size_t i = 0; i < result->comparison_count; i++) {
        struct lauka_result_comparison *part = &result->comparisons[i], *whole;
        size_t m = find_whole(result, result->metrics[part->metric].name);
        if (m == result->metric_count || m == part->metric)
            continue;
        whole = part - part->metric + m; /* of the same command */
        if (!says_the_same(&part->values, &whole->values))
            continue;
        if (result->metrics[part->metric].primary && !result->metrics[m].primary)
            whole->restated = part->metric;
        else
            part->restated = m;
    }
}

/* The numbers are the same, so the verdict is copied. The whole comes before its parts. */
void lauka_families_judge_restated(struct lauka_result *result)
{
    for (size_t i = 0; i < result->comparison_count; i++) {
        struct lauka_result_comparison *comparison = &result->comparisons[i];
        if (comparison->restated == result->metric_count)
            continue;
        const struct lauka_comparison *of =
            lauka_result_comparison(result, comparison->command, comparison->restated);
        comparison->values.family = of->family;
        if (of->withdrawn)
            lauka_comparison_withdraw(&comparison->values);
    }
}

/* ---- families ---------------------------------------------------------------------------------- */

enum family { PRIMARY, EXPLORED, DETAILS, FAMILIES };

/* The share of one kind of core (cycles@P) is a detail of the count on all of them. */
static enum family family_of(const struct lauka_result *result, size_t metric)
{
    if (result->metrics[metric].primary)
        return PRIMARY;
    return lauka_result_is_shown(result, metric) && !strchr(result->metrics[metric].name, '@')
               ? EXPLORED
               : DETAILS;
}

static bool belongs(const struct lauka_result *result,
                    const struct lauka_result_comparison *comparison, enum family which)
{
    return family_of(result, comparison->metric) == which &&
           comparison->restated == result->metric_count;
}

struct members {                           /* of one family */
    struct lauka_comparison **comparisons; /* owned */
    double *weights;                       /* owned */
    size_t count;
    double alpha; /* the least of all results' */
};

static bool decides(const struct lauka_result *result, const char *name)
{
    size_t metric = lauka_result_metric_index(result, name);
    return metric < result->metric_count && result->metrics[metric].primary &&
           result->metrics[metric].counted;
}

/* Wall and CPU time mostly say the same: what CPU time costs, wall time would have found. */
double lauka_families_weight(const struct lauka_result *result, size_t metric)
{
    size_t primaries = 0;
    if (!result->metrics[metric].primary)
        return 1;
    for (size_t m = 0; m < result->metric_count; m++)
        primaries += result->metrics[m].primary && result->metrics[m].counted;
    if (primaries != 2 || !decides(result, "wall_time") || !decides(result, "cpu_time"))
        return 1;
    return strcmp(result->metrics[metric].name, "wall_time") == 0 ? 1.6 : 0.4;
}

static void add_members(struct lauka_result *result, enum family which, struct members *members)
{
    for (size_t i = 0; i < result->comparison_count; i++)
        if (belongs(result, &result->comparisons[i], which)) {
            members->weights[members->count] =
                lauka_families_weight(result, result->comparisons[i].metric);
            members->comparisons[members->count++] = &result->comparisons[i].values;
        }
    if (result->comparison_count > 0)
        members->alpha = fmin(members->alpha, lauka_result_alpha(result));
}

static int find_members(struct lauka_result *results, size_t count, enum family which,
                        struct members *members)
{
    size_t most = 1;
    for (size_t r = 0; r < count; r++)
        most += results[r].comparison_count;
    *members = (struct members){.alpha = 1};
    members->comparisons = calloc(most, sizeof *members->comparisons);
    members->weights = calloc(most, sizeof *members->weights);
    if (!members->comparisons || !members->weights)
        return ENOMEM;
    for (size_t r = 0; r < count; r++)
        add_members(&results[r], which, members);
    return 0;
}

static int judge(struct lauka_result *results, size_t count, enum family which)
{
    struct members members;
    int error = find_members(results, count, which, &members);
    if (!error)
        error =
            lauka_family_judge(members.comparisons, members.weights, members.count, members.alpha);
    free(members.comparisons);
    free(members.weights);
    return error;
}

int lauka_families_judge(struct lauka_result *results, size_t count)
{
    int error = 0;
    for (enum family family = PRIMARY; family < FAMILIES && !error; family++)
        error = judge(results, count, family);
    return error;
}
