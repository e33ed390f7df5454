/* verdict: what an interval says, in one word. It is the interval that decides, so that what is claimed
 * and what is printed never disagree; but rounds that are too few for ranks claim nothing. */
#include "stats.h"

#include <math.h>

/* The interval on the scale on which it was made, and what counts as small there: a rise by the
 * share `limit` of the reference is `rise`, a fall by which the reference were higher by that share
 * `fall`. */
struct span {
    bool known;
    double low, high, rise, fall;
};

static struct span span_of(const struct lauka_comparison *comparison, double limit)
{
    if (comparison->log_low.known)
        return (struct span){true, comparison->log_low.value, comparison->log_high.value,
                             log1p(limit), -log1p(limit)};
    return (struct span){comparison->difference_low.known, comparison->difference_low.value,
                         comparison->difference_high.value, limit * comparison->reference_mean,
                         -limit * comparison->other_mean};
}

bool lauka_verdict_needs_more(const struct lauka_comparison *comparison)
{
    return comparison->method == LAUKA_METHOD_PAIRED_T ||
           (comparison->method == LAUKA_METHOD_MEAN && comparison->units < LAUKA_FEWEST_LOGS);
}

void lauka_verdict_judge(struct lauka_comparison *comparison, double precision)
{
    struct span span = span_of(comparison, precision);
    bool exact = comparison->method == LAUKA_METHOD_EXACT;
    bool small = span.low >= span.fall && span.high <= span.rise;
    if (comparison->pairs == 0)
        comparison->verdict = LAUKA_VERDICT_NONE;
    else if (!span.known || lauka_verdict_needs_more(comparison))
        comparison->verdict = LAUKA_VERDICT_INCONCLUSIVE;
    else if (!exact && !(span.high > span.low)) /* nothing is known that precisely */
        comparison->verdict = LAUKA_VERDICT_INCONCLUSIVE;
    else if (exact && span.low == 0 && span.high == 0)
        comparison->verdict = LAUKA_VERDICT_IDENTICAL;
    else if (span.low > 0 || span.high < 0)
        comparison->verdict = span.low > 0 ? LAUKA_VERDICT_HIGHER : LAUKA_VERDICT_LOWER;
    else
        comparison->verdict = small ? LAUKA_VERDICT_EQUIVALENT : LAUKA_VERDICT_INCONCLUSIVE;
    comparison->means_differ |=
        (comparison->mean_low.known && comparison->mean_low.value > 1 + precision) ||
        (comparison->mean_high.known && comparison->mean_high.value < 1 / (1 + precision));
    comparison->mean_doubted =
        comparison->verdict == LAUKA_VERDICT_EQUIVALENT && comparison->means_differ;
    if (comparison->mean_doubted)
        comparison->verdict = LAUKA_VERDICT_INCONCLUSIVE;
    bool differs =
        comparison->verdict == LAUKA_VERDICT_HIGHER || comparison->verdict == LAUKA_VERDICT_LOWER;
    comparison->below_precision = differs && small;
}

const char *lauka_method_name(enum lauka_method method)
{
    switch (method) {
    case LAUKA_METHOD_NONE:
        break;
    case LAUKA_METHOD_HODGES_LEHMANN:
        return "hodges_lehmann";
    case LAUKA_METHOD_PAIRED_T:
        return "paired_t";
    case LAUKA_METHOD_EXACT:
        return "exact";
    case LAUKA_METHOD_UNPAIRED:
        return "hodges_lehmann_unpaired";
    case LAUKA_METHOD_MEAN:
        return "mean";
    case LAUKA_METHOD_HOSTS:
        return "t_over_hosts";
    }
    return NULL;
}

const char *lauka_verdict_name(enum lauka_verdict verdict)
{
    switch (verdict) {
    case LAUKA_VERDICT_NONE:
        break;
    case LAUKA_VERDICT_IDENTICAL:
        return "identical";
    case LAUKA_VERDICT_HIGHER:
        return "higher";
    case LAUKA_VERDICT_LOWER:
        return "lower";
    case LAUKA_VERDICT_EQUIVALENT:
        return "equivalent";
    case LAUKA_VERDICT_INCONCLUSIVE:
        return "inconclusive";
    }
    return NULL;
}

const char *lauka_gate_name(enum lauka_gate gate)
{
    switch (gate) {
    case LAUKA_GATE_INCONCLUSIVE:
        break;
    case LAUKA_GATE_PASS:
        return "pass";
    case LAUKA_GATE_FAIL:
        return "fail";
    }
    return "inconclusive";
}
