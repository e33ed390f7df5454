/* family: many tests at once. One of twenty tests at 95 % claims too much; together they may not. */
#include "stats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

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
                     comparison->method == LAUKA_METHOD_MEAN;
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
