/* family: many tests at once. Of twenty tests at 95 % one claims too much; together they may not.
 * */
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

/* The smallest p that does not stand yet; `count` where there is none. */
static size_t find_smallest(const struct lauka_optional *p, size_t count, const bool *stands)
{
    size_t smallest = count;
    for (size_t i = 0; i < count; i++)
        if (p[i].known && !stands[i] && (smallest == count || p[i].value < p[smallest].value))
            smallest = i;
    return smallest;
}

uint64_t lauka_family_holm(const struct lauka_optional *p, size_t count, double alpha, bool *stands)
{
    uint64_t tests = count_tests(p, count);
    for (size_t i = 0; i < count; i++)
        stands[i] = false;
    for (uint64_t left = tests; left > 0; left--) {
        size_t next = find_smallest(p, count, stands);
        if (p[next].value > alpha / (double)left)
            break;
        stands[next] = true;
    }
    return tests;
}

static bool claims(const struct lauka_comparison *comparison)
{
    return comparison->verdict == LAUKA_VERDICT_HIGHER ||
           comparison->verdict == LAUKA_VERDICT_LOWER;
}

static void withdraw(struct lauka_comparison *comparison)
{
    comparison->verdict = LAUKA_VERDICT_INCONCLUSIVE;
    comparison->below_precision = false;
    comparison->withdrawn = true;
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
        if (claims(comparisons[i]) && !stands[i])
            withdraw(comparisons[i]);
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
