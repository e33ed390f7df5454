/* verdict: what is claimed. First what an interval says, in one word. It is the interval that decides, so that what is claimed
 * and what is printed never disagree; but rounds that are too few for ranks claim nothing. */
#include "stats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

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
           (comparison->method == LAUKA_METHOD_HODGES_LEHMANN &&
            comparison->units < LAUKA_FEWEST_ROUNDS) ||
           (comparison->method == LAUKA_METHOD_MEAN && comparison->units < LAUKA_FEWEST_LOGS);
}

void lauka_verdict_judge(struct lauka_comparison *comparison, double precision)
{
    struct span span = span_of(comparison, precision);
    bool exact = comparison->method == LAUKA_METHOD_EXACT;
    bool zeros =
        comparison->reference_mean == 0 && comparison->other_mean == 0; /* none is below 0 */
    bool small = zeros || (span.low >= span.fall && span.high <= span.rise);
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
    case LAUKA_METHOD_POOLED:
        return "hodges_lehmann_pooled";
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

/* family: many tests at once. One of twenty tests at 95 % claims too much; together they may not. */
static uint64_t count_tests(const struct lauka_optional *p, size_t count)
{
    uint64_t tests = 0;
    for (size_t i = 0; i < count; i++)
        tests += p[i].known;
    return tests;
}

static double weight_of(const double *weights, size_t i)
{
    return weights ? weights[i] : 1;
}

/* Of the tests whose p is at most `limit` times their weight, the weights together. */
static double weight_up_to(const struct lauka_optional *p, const double *weights, size_t count,
                           double limit)
{
    double up_to = 0;
    for (size_t i = 0; i < count; i++)
        if (p[i].known && p[i].value <= limit * weight_of(weights, i))
            up_to += weight_of(weights, i);
    return up_to;
}

/* Holm goes from the smallest p / weight to the greatest and holds each against alpha over the weights that are
 * left. His limits only grow, so whatever one limit lets through together is also let through one by one. */
uint64_t lauka_family_holm(const struct lauka_optional *p, const double *weights, size_t count,
                           double alpha, bool *stands)
{
    double all = weight_up_to(p, weights, count, HUGE_VAL), standing, more = 0, limit = 0;
    do {
        standing = more;
        limit = standing < all ? alpha / (all - standing) : HUGE_VAL;
        more = weight_up_to(p, weights, count, limit);
    } while (more > standing);
    for (size_t i = 0; i < count; i++)
        stands[i] = p[i].known && p[i].value <= limit * weight_of(weights, i);
    return count_tests(p, count);
}

uint64_t lauka_family_rounds(double alpha)
{
    uint64_t ranks = (uint64_t)lauka_location_needed(alpha, false);
    return ranks > LAUKA_FEWEST_ROUNDS ? ranks : LAUKA_FEWEST_ROUNDS;
}

static bool claims(const struct lauka_comparison *comparison)
{
    return comparison->verdict == LAUKA_VERDICT_HIGHER ||
           comparison->verdict == LAUKA_VERDICT_LOWER;
}

void lauka_comparison_withdraw(struct lauka_comparison *comparison)
{
    comparison->mean_doubted = comparison->below_precision && comparison->means_differ;
    comparison->verdict = comparison->below_precision && !comparison->means_differ
                              ? LAUKA_VERDICT_EQUIVALENT
                              : LAUKA_VERDICT_INCONCLUSIVE;
    comparison->below_precision = false;
    comparison->withdrawn = true;
}

/* A p that rests on the order of rounds is no smaller than ranks of so many could make it: Student's t of the cost of
 * a place may say otherwise. Constants, files of values and hosts are no matter of rounds. */
static struct lauka_optional p_of(const struct lauka_comparison *comparison)
{
    struct lauka_optional p = comparison->p;
    bool by_rounds = comparison->method == LAUKA_METHOD_HODGES_LEHMANN ||
                     comparison->method == LAUKA_METHOD_POOLED ||
                     (comparison->method == LAUKA_METHOD_MEAN && comparison->paired);
    if (by_rounds && comparison->units < 1000)
        p.value = fmax(p.value, ldexp(1, 1 - (int)comparison->units));
    return p;
}

static void judge(struct lauka_comparison *const *comparisons, const double *weights, size_t count,
                  double alpha, struct lauka_optional *p, bool *stands)
{
    for (size_t i = 0; i < count; i++)
        p[i] = p_of(comparisons[i]);
    uint64_t tests = lauka_family_holm(p, weights, count, alpha, stands);
    for (size_t i = 0; i < count; i++) {
        if (!p[i].known)
            continue;
        comparisons[i]->family = tests;
        if (claims(comparisons[i]) && !stands[i])
            lauka_comparison_withdraw(comparisons[i]);
    }
}

int lauka_family_judge(struct lauka_comparison *const *comparisons, const double *weights,
                       size_t count, double alpha)
{
    struct lauka_optional *p = calloc(count + 1, sizeof *p); /* never of size 0 */
    bool *stands = calloc(count + 1, sizeof *stands);
    int error = p && stands ? 0 : ENOMEM;
    if (!error)
        judge(comparisons, weights, count, alpha, p, stands);
    free(p);
    free(stands);
    return error;
}

/* stopping: when enough is known. Asking for precision, and for an effect of twice the half-width,
 * keeps the promise of the interval; asking for significance at every look would call a third of
 * all equal pairs different. */
uint64_t lauka_stopping_next_look(uint64_t rounds)
{
    uint64_t look = LAUKA_FIRST_LOOK;
    while (look <= rounds)
        look += look / 5 + (look % 5 != 0); /* ceil(1.2 look) in integers */
    return look;
}

/* How far the estimate lies from no change, and half of its interval, in the same unit. */
static bool is_clear(const struct lauka_comparison *comparison)
{
    if (comparison->ratio.known)
        return fabs(comparison->ratio.value - 1) >= comparison->high.value - comparison->low.value;
    return fabs(comparison->difference.value) >=
           comparison->difference_high.value - comparison->difference_low.value;
}

enum lauka_stopping lauka_stopping_reason(const struct lauka_comparison *comparison,
                                          double precision)
{
    bool bounded = comparison->low.known || comparison->difference_low.known;
    if (!(precision > 0) || !bounded)
        return LAUKA_STOPPING_NOT;
    if (comparison->method == LAUKA_METHOD_EXACT && !(comparison->half_width.value > 0))
        return LAUKA_STOPPING_EXACT;
    if (comparison->half_width.known && !(comparison->half_width.value > 0))
        return LAUKA_STOPPING_NOT; /* most values were equal, which is not precise */
    if (comparison->half_width.known && comparison->half_width.value <= precision)
        return LAUKA_STOPPING_PRECISION;
    return is_clear(comparison) ? LAUKA_STOPPING_EFFECT : LAUKA_STOPPING_NOT;
}

enum lauka_stopping lauka_stopping_reason_all(const struct lauka_comparison *const *comparisons,
                                              size_t count, double precision)
{
    enum lauka_stopping strongest = LAUKA_STOPPING_NOT;
    for (size_t i = 0; i < count; i++) {
        enum lauka_stopping reason = lauka_stopping_reason(comparisons[i], precision);
        if (reason == LAUKA_STOPPING_NOT)
            return reason;
        strongest = reason > strongest ? reason : strongest;
    }
    return strongest;
}

struct lauka_optional lauka_stopping_factor(const struct lauka_comparison *const *comparisons,
                                            size_t count, double precision)
{
    struct lauka_optional factor = {.known = count > 0 && precision > 0, .value = 1};
    for (size_t i = 0; factor.known && i < count; i++) {
        double excess = comparisons[i]->half_width.value / precision;
        factor.known = comparisons[i]->half_width.known;
        factor.value = fmax(factor.value, excess * excess);
    }
    return factor.known ? factor : (struct lauka_optional){0};
}
