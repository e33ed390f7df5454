/* Several machines that measured the same: what is said of all is made of what each has found by itself. */
#include "report/analysis/analysis.h"
#include "report/result/merged.h"
#include "report/result/result.h"
#include "stats/units.h"
#include "stats/stats.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

/* ---- all of them --------------------------------------------------------------------------------- */

/* By what each says of it. Before they are in the result, of no comparison. */
int lauka_hosts_compare(const struct lauka_result *result, size_t command, size_t metric,
                        struct lauka_comparison *comparison)
{
    const size_t count = result->merged.host_count;
    const struct lauka_comparison **hosts = calloc(count, sizeof *hosts);
    if (!hosts)
        return ENOMEM;
    for (size_t h = 0; h < count; h++)
        hosts[h] = lauka_merged_comparison(result, h, command, metric);
    lauka_hosts_pool(hosts, count, lauka_result_alpha(result), lauka_result_precision(result),
                     comparison);
    free(hosts);
    return 0;
}

/* ---- the gate ------------------------------------------------------------------------------------ */

/* The mean of what the hosts found, where all of them found something; on the scale of shares in logarithms. */
static struct lauka_optional mean_of(const struct lauka_result *result, size_t row,
                                     size_t offset_of_value, bool as_share)
{
    const size_t count = result->merged.host_count;
    double sum = 0;
    for (size_t h = 0; h < count; h++) {
        const struct lauka_judgement *own = &result->merged.hosts[h].rows[row].judgement;
        const struct lauka_optional *value =
            (const struct lauka_optional *)(const void *)((const char *)own + offset_of_value);
        if (!value->known)
            return (struct lauka_optional){0};
        sum += as_share ? log1p(fmax(-1, value->value)) : value->value;
    }
    double mean = sum / (double)count;
    return lauka_known(as_share ? expm1(mean) : mean);
}

void lauka_hosts_judge(const struct lauka_result *result, size_t row_index,
                       struct lauka_gate_row *row)
{
    const size_t count = result->merged.host_count;
    row->judgement = (struct lauka_judgement){.pairs = count};
    row->hosts = (struct lauka_gate_hosts){.count = (uint32_t)count};
    for (size_t h = 0; h < count; h++) {
        const struct lauka_gate_row *own = &result->merged.hosts[h].rows[row_index];
        row->hosts.failed += own->judgement.verdict == LAUKA_GATE_FAIL;
        row->hosts.passed += own->judgement.verdict == LAUKA_GATE_PASS;
        row->hidden |= own->hidden;
        row->reference_hidden |= own->reference_hidden;
    }
    row->judgement.verdict = lauka_hosts_vote(count, row->hosts.failed, row->hosts.passed);
    if (row->judgement.verdict == LAUKA_GATE_INCONCLUSIVE)
        row->judgement.undecided = LAUKA_UNDECIDED_VOTES;
    row->judgement.change =
        mean_of(result, row_index, offsetof(struct lauka_judgement, change), true);
    row->judgement.difference =
        mean_of(result, row_index, offsetof(struct lauka_judgement, difference), false);
    row->judgement.value =
        mean_of(result, row_index, offsetof(struct lauka_judgement, value), false);
}

/* ---- whether they agree ---------------------------------------------------------------------------- */

static bool claims(const struct lauka_comparison *comparison, enum lauka_verdict verdict)
{
    return comparison && comparison->verdict == verdict;
}

/* What all are said to do; what most of those that claim something say, where nothing is said of all. */
static enum lauka_verdict direction_of(const struct lauka_result *result, size_t command,
                                       size_t metric)
{
    const struct lauka_comparison *all = lauka_result_comparison(result, command, metric);
    size_t higher = 0, lower = 0;
    if (claims(all, LAUKA_VERDICT_HIGHER) || claims(all, LAUKA_VERDICT_LOWER))
        return all->verdict;
    for (size_t h = 0; h < result->merged.host_count; h++) {
        const struct lauka_comparison *own = lauka_merged_comparison(result, h, command, metric);
        higher += claims(own, LAUKA_VERDICT_HIGHER);
        lower += claims(own, LAUKA_VERDICT_LOWER);
    }
    return higher > lower   ? LAUKA_VERDICT_HIGHER
           : lower > higher ? LAUKA_VERDICT_LOWER
                            : LAUKA_VERDICT_NONE;
}

bool lauka_hosts_disagrees(const struct lauka_result *result, size_t host, size_t command,
                           size_t metric)
{
    const struct lauka_comparison *own = lauka_merged_comparison(result, host, command, metric);
    enum lauka_verdict direction = direction_of(result, command, metric);
    if (direction == LAUKA_VERDICT_NONE) /* as many say the one as the other: all or none do */
        return claims(own, LAUKA_VERDICT_HIGHER) || claims(own, LAUKA_VERDICT_LOWER);
    return claims(own,
                  direction == LAUKA_VERDICT_HIGHER ? LAUKA_VERDICT_LOWER : LAUKA_VERDICT_HIGHER);
}

enum lauka_verdict lauka_hosts_agree(const struct lauka_result *result, size_t command,
                                     size_t metric)
{
    enum lauka_verdict verdict = LAUKA_VERDICT_NONE;
    for (size_t h = 0; h < result->merged.host_count; h++) {
        const struct lauka_comparison *own = lauka_merged_comparison(result, h, command, metric);
        if (!own || own->verdict == LAUKA_VERDICT_INCONCLUSIVE ||
            (h > 0 && own->verdict != verdict))
            return LAUKA_VERDICT_NONE;
        verdict = own->verdict;
    }
    return verdict;
}
