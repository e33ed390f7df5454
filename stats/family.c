/* family: many tests at once. One of twenty tests at 95 % claims too much; together they may not. */
#include "stats.h"

#include <errno.h>
#include <stdlib.h>

static uint64_t count_tests(const struct lauka_optional *p, size_t count)
{
    uint64_t tests = 0;
    for (size_t i = 0; i < count; i++)
        tests += p[i].known;
    return tests;
}

static uint64_t count_up_to(const struct lauka_optional *p, size_t count, double limit)
{
    uint64_t up_to = 0;
    for (size_t i = 0; i < count; i++)
        up_to += p[i].known && p[i].value <= limit;
    return up_to;
}

/* Holm goes from the smallest p to the greatest and holds each against alpha over the number that are
 * left. His limits only grow, so whatever one limit lets through together is also let through one by one. */
uint64_t lauka_family_holm(const struct lauka_optional *p, size_t count, double alpha, bool *stands)
{
    uint64_t tests = count_tests(p, count), standing, more = 0;
    double limit = 0;
    do {
        standing = more;
        limit = alpha / (double)(tests - standing);
        more = standing < tests ? count_up_to(p, count, limit) : standing;
    } while (more > standing);
    for (size_t i = 0; i < count; i++)
        stands[i] = p[i].known && (standing == tests || p[i].value <= limit);
    return tests;
}

uint64_t lauka_family_rounds(uint64_t family, double alpha)
{
    double own = family > 1 ? alpha / (double)family : alpha;
    uint64_t ranks = (uint64_t)lauka_location_needed(own, false);
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

/* What rests on the order of rounds: not constants, files of values, or hosts. */
static bool has_few_rounds(const struct lauka_comparison *comparison, uint64_t tests, double alpha)
{
    bool by_rounds = comparison->method == LAUKA_METHOD_HODGES_LEHMANN ||
                     comparison->method == LAUKA_METHOD_MEAN;
    return by_rounds && comparison->units < lauka_family_rounds(tests, alpha);
}

static void judge(struct lauka_comparison *const *comparisons, size_t count, double alpha,
                  struct lauka_optional *p, bool *stands)
{
    for (size_t i = 0; i < count; i++)
        p[i] = comparisons[i]->p;
    uint64_t tests = lauka_family_holm(p, count, alpha, stands);
    for (size_t i = 0; i < count; i++) {
        if (!p[i].known)
            continue;
        comparisons[i]->family = tests;
        if (claims(comparisons[i]) && (!stands[i] || has_few_rounds(comparisons[i], tests, alpha)))
            lauka_comparison_withdraw(comparisons[i]);
    }
}

int lauka_family_judge(struct lauka_comparison *const *comparisons, size_t count, double alpha)
{
    struct lauka_optional *p = calloc(count + 1, sizeof *p); /* never of size 0 */
    bool *stands = calloc(count + 1, sizeof *stands);
    int error = p && stands ? 0 : ENOMEM;
    if (!error)
        judge(comparisons, count, alpha, p, stands);
    free(p);
    free(stands);
    return error;
}
