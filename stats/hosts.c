/* hosts: several machines that measured the same, as one answer. */
#include "stats/hosts.h"

#include <math.h>

struct estimates {
    bool as_ratio, exact; /* exact: of all hosts */
    size_t count;
    double mean, deviation;
};

static bool counts(const struct lauka_comparison *host)
{
    return host->confidence > 0 && (host->log_ratio.known || host->difference.known);
}

static double estimate_of(const struct lauka_comparison *host, bool as_ratio)
{
    return as_ratio ? host->log_ratio.value : host->difference.value;
}

static void find_scale(const struct lauka_comparison *const *hosts, size_t count,
                       struct estimates *found)
{
    found->as_ratio = found->exact = true;
    for (size_t h = 0; h < count; h++) {
        if (!counts(hosts[h]))
            continue;
        found->count++;
        found->as_ratio &= hosts[h]->log_ratio.known;
        found->exact &= hosts[h]->method == LAUKA_METHOD_EXACT;
    }
}

static double sum_of(const struct lauka_comparison *const *hosts, size_t count, bool as_ratio,
                     double middle, bool squared)
{
    double sum = 0;
    for (size_t h = 0; h < count; h++) {
        double distance = counts(hosts[h]) ? estimate_of(hosts[h], as_ratio) - middle : 0;
        sum += squared ? distance * distance : distance;
    }
    return sum;
}

static void find_estimates(const struct lauka_comparison *const *hosts, size_t count,
                           struct estimates *found)
{
    find_scale(hosts, count, found);
    if (found->count == 0)
        return;
    const double several = (double)found->count;
    double middle = 0;
    for (size_t h = 0; h < count; h++)
        middle = counts(hosts[h]) ? estimate_of(hosts[h], found->as_ratio) : middle;
    /* from one of them on, so that equal ones have exactly that mean */
    found->mean = middle + sum_of(hosts, count, found->as_ratio, middle, false) / several;
    if (found->count > 1)
        found->deviation =
            sqrt(sum_of(hosts, count, found->as_ratio, found->mean, true) / (several - 1));
}

static struct lauka_location locate(const struct estimates *found, double alpha)
{
    struct lauka_location location = {.estimate = found->mean};
    if (found->count < LAUKA_FEWEST_HOSTS)
        return location;
    const uint64_t df = found->count - 1;
    double error = found->deviation / sqrt((double)found->count);
    double half = error * lauka_student_quantile(1 - alpha / 2, df);
    location.low = lauka_known(found->mean - half);
    location.high = lauka_known(found->mean + half);
    if (!found->exact || error > 0) { /* what never varies is not tested */
        double p = error > 0 ? 2 * lauka_student_cdf(-fabs(found->mean) / error, df)
                             : (double)(found->mean == 0);
        location.p = lauka_known(p);
    }
    return location;
}

void lauka_hosts_pool(const struct lauka_comparison *const *hosts, size_t count, double alpha,
                      double precision, struct lauka_comparison *pooled)
{
    const struct lauka_optional none = {0};
    struct estimates found = {0};
    find_estimates(hosts, count, &found);
    lauka_contrast_unknow(pooled);
    pooled->ratio = pooled->log_ratio = pooled->difference = none;
    pooled->units = found.count;
    pooled->between = (struct lauka_optional){found.count > 1, found.deviation};
    if (found.count > 0) {
        struct lauka_location location = locate(&found, alpha);
        bool exact = found.exact && found.deviation == 0;
        lauka_contrast_put(pooled, &location, exact ? LAUKA_METHOD_EXACT : LAUKA_METHOD_HOSTS,
                           alpha, found.as_ratio);
    }
    lauka_verdict_judge(pooled, precision);
}

enum lauka_gate lauka_hosts_vote(size_t hosts, size_t failed, size_t passed)
{
    const size_t needed = (2 * hosts + 2) / 3;
    if (hosts > 0 && failed >= needed && passed == 0)
        return LAUKA_GATE_FAIL;
    return hosts > 0 && passed >= needed && failed == 0 ? LAUKA_GATE_PASS : LAUKA_GATE_INCONCLUSIVE;
}
