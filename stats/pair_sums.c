/* pair_sums: the k-th smallest of all sums of two values, of which there are 5 * 10^11 for a
 * million values; so they are counted and never written down. A count takes one walk along the
 * border between the sums that are too large and those that are not: as many steps as there are
 * values. */
#include "stats.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

/* So many sums, or as many as values, are collected and sorted; more are divided further. */
enum { COLLECT = 2048 };

/* What one walk tells about x. */
struct border {
    uint64_t up_to;      /* how many sums are <= x */
    double below, above; /* the largest of these and the smallest of the others, if any */
};

/* The answer lies between these two sums, ends included. */
struct bracket {
    uint64_t rank;
    double low, high;
    uint64_t before; /* sums < low; fewer than rank */
    uint64_t up_to;  /* sums <= high; rank at least */
};

static uint64_t pairs_of(uint64_t count)
{
    return count * (count + 1) / 2;
}

static uint64_t values_before(const struct lauka_pair_sums *sums, size_t index)
{
    return sums->before ? sums->before[index] : index;
}

uint64_t lauka_pair_sums_count(const struct lauka_pair_sums *sums)
{
    if (sums->with_itself)
        return pairs_of(values_before(sums, sums->left_count));
    return (uint64_t)sums->left_count * sums->right_count;
}

/* right[j - 1] is the largest that does not take left[i] beyond x. Where both are the same values,
 * only the pairs i <= j count. Without branches, as no processor could foresee them. */
static struct border walk(const struct lauka_pair_sums *sums, double x)
{
    const double *left = sums->left, *right = sums->right;
    double lowest = left[0] + right[0];
    double highest = left[sums->left_count - 1] + right[sums->right_count - 1];
    struct border border = {.below = lowest, .above = highest};
    size_t i = 0, j = sums->right_count, both = sums->with_itself ? 1 : 0;
    while (i < sums->left_count && j > i * both) {
        double sum = left[i] + right[j - 1];
        size_t fits = sum <= x;
        border.up_to += (j - i * both) & (0 - fits);
        border.below = fits && sum > border.below ? sum : border.below;
        border.above = !fits && sum < border.above ? sum : border.above;
        i += fits;
        j -= 1 - fits;
    }
    return border;
}

/* The same where an entry may stand for many equal values. */
static struct border walk_weighted(const struct lauka_pair_sums *sums, double x)
{
    const double *values = sums->left;
    const uint64_t *before = sums->before;
    size_t last = sums->left_count - 1;
    struct border border = {.below = 2 * values[0], .above = 2 * values[last]};
    size_t i = 0, j = sums->left_count;
    while (i < j) {
        double sum = values[i] + values[j - 1];
        if (sum <= x) {
            uint64_t here = before[i + 1] - before[i];
            border.up_to += pairs_of(here) + here * (before[j] - before[i + 1]);
            border.below = sum > border.below ? sum : border.below;
            i++;
        } else {
            border.above = sum < border.above ? sum : border.above;
            j--;
        }
    }
    return border;
}

static struct border look(const struct lauka_pair_sums *sums, double x)
{
    return sums->before ? walk_weighted(sums, x) : walk(sums, x);
}

uint64_t lauka_pair_sums_up_to(const struct lauka_pair_sums *sums, double x)
{
    return look(sums, x).up_to;
}

/* ---- dividing ---- */

static void narrow(struct bracket *bracket, double x, const struct border *border)
{
    if (border->up_to >= bracket->rank && x < bracket->high) {
        bracket->high = border->below;
        bracket->up_to = border->up_to;
    } else if (border->up_to < bracket->rank && x >= bracket->low) {
        bracket->low = border->above;
        bracket->before = border->up_to;
    }
}

/* One look serves all ranks that are sought. */
static void divide(const struct lauka_pair_sums *sums, struct bracket *brackets, size_t count,
                   double x)
{
    struct border border = look(sums, x);
    for (size_t i = 0; i < count; i++)
        narrow(&brackets[i], x, &border);
}

/* Where to look next. As if the sums lay evenly in the bracket, but a little to one side of the
 * rank, then to the other: so both ends close in. Every fifth time half way between the two in the
 * order of doubles, so that 64 such steps suffice whatever the sums are. */
static double next_look(const struct bracket *bracket, unsigned step)
{
    double inside = (double)(bracket->up_to - bracket->before), margin = inside / 256;
    double place =
        (double)(bracket->rank - bracket->before) + (step % 5 % 2 == 0 ? margin : -margin);
    double x = bracket->low + (bracket->high - bracket->low) * (place / inside);
    if (step % 5 == 4 || !(x >= bracket->low && x < bracket->high))
        x = lauka_double_between(bracket->low, bracket->high);
    return x;
}

/* Sums of values at equal ranks: most sums lie between those of the second and the third quarter,
 * however far out the first and the last are. */
static void divide_roughly(const struct lauka_pair_sums *sums, struct bracket *brackets,
                           size_t count)
{
    for (size_t eighth = 2; eighth <= 6; eighth += 2) {
        size_t i = sums->left_count / 8 * eighth, j = sums->right_count / 8 * eighth;
        divide(sums, brackets, count, sums->left[i] + sums->right[j]);
    }
}

/* ---- collecting ---- */

/* All sums in low ... high, in no order. */
static size_t collect(const struct lauka_pair_sums *sums, double low, double high, double *found)
{
    const double *left = sums->left, *right = sums->right;
    size_t count = 0, begin = sums->right_count, end = sums->right_count;
    for (size_t i = 0; i < sums->left_count; i++) {
        while (end > 0 && left[i] + right[end - 1] > high)
            end--;
        while (begin > 0 && left[i] + right[begin - 1] >= low)
            begin--;
        size_t first = sums->with_itself && begin < i ? i : begin;
        for (size_t j = first; j < end; j++)
            found[count++] = left[i] + right[j];
    }
    return count;
}

/* Reads the ranks of all brackets that lie within this one off its sums. */
static int settle(const struct lauka_pair_sums *sums, struct bracket *brackets, size_t count,
                  struct bracket within)
{
    size_t inside = (size_t)(within.up_to - within.before);
    double *found = malloc(inside * sizeof *found);
    if (!found)
        return ENOMEM;
    size_t collected = collect(sums, within.low, within.high, found);
    assert(collected == inside);
    int error = lauka_sort_doubles(found, collected);
    for (size_t i = 0; !error && i < count; i++) {
        if (brackets[i].rank <= within.before || brackets[i].rank > within.up_to)
            continue;
        brackets[i].low = brackets[i].high = found[brackets[i].rank - within.before - 1];
    }
    free(found);
    return error;
}

static bool is_small(const struct lauka_pair_sums *sums, const struct bracket *bracket)
{
    size_t values = sums->left_count + sums->right_count;
    size_t most = values / 4 < COLLECT ? COLLECT : values / 4;
    return !sums->before && bracket->up_to - bracket->before <= most;
}

int lauka_pair_sums_select(const struct lauka_pair_sums *sums, const uint64_t *ranks,
                           size_t rank_count, double *selected)
{
    struct bracket brackets[LAUKA_PAIR_SUMS_RANKS];
    assert(rank_count <= LAUKA_PAIR_SUMS_RANKS && sums->left_count > 0 && sums->right_count > 0);
    uint64_t total = lauka_pair_sums_count(sums);
    double low = sums->left[0] + sums->right[0];
    double high = sums->left[sums->left_count - 1] + sums->right[sums->right_count - 1];
    for (size_t i = 0; i < rank_count; i++) {
        assert(ranks[i] >= 1 && ranks[i] <= total);
        brackets[i] = (struct bracket){ranks[i], low, high, 0, total};
    }
    if (rank_count > 0 && !is_small(sums, &brackets[0]))
        divide_roughly(sums, brackets, rank_count);

    for (size_t i = 0; i < rank_count; i++) {
        struct bracket *bracket = &brackets[i];
        for (unsigned step = 0; bracket->low < bracket->high && !is_small(sums, bracket); step++)
            divide(sums, brackets, rank_count, next_look(bracket, step));
        int error = bracket->low < bracket->high ? settle(sums, brackets, rank_count, *bracket) : 0;
        if (error)
            return error;
        selected[i] = bracket->low + 0.0; /* no -0 */
    }
    return 0;
}
