/* pair_sums: the k-th smallest sum of two values. A million values have 5 * 10^11 of them, so sums are
 * counted, never stored. One count is one walk along the border between the sums that are too large and
 * those that are not; it takes as many steps as there are values. */
#include "stats/loops.h"
#include "stats/stats.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    COLLECT = 2048,    /* so many sums are collected and sorted, or one for 16 values */
    LANES = 3,         /* walks at once */
    ROUGH_STEPS = 2,   /* before what lies beside is looked for, too: see count_together */
    SAMPLED = 1 << 14, /* of so many values every ninth tells about where to look */
    SAMPLE_STEP = 9,
    SAMPLE_ERROR = 2, /* see look_by_sample */
    LOOKS = 2 * LAUKA_PAIR_SUMS_RANKS,
};

/* What one walk tells about x. */
struct border {
    uint64_t up_to;      /* how many sums are <= x */
    double below, above; /* the largest of these and the smallest of the others, if any */
};

struct look {
    double x;
    struct border border;
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

/* ---- walking ---- */

/* right[j - 1] is the largest value that does not take left[i] beyond x. If both sides are the same
 * values, only pairs i <= j count. */
struct walk {
    size_t i, j;
    struct border border;
};

static struct walk walk_begin(const struct lauka_pair_sums *sums)
{
    double lowest = sums->left[0] + sums->right[0];
    double highest = sums->left[sums->left_count - 1] + sums->right[sums->right_count - 1];
    return (struct walk){0, sums->right_count, {.below = lowest, .above = highest}};
}

/* Without branches, which no processor could predict here. */
LAUKA_UNCHECKED static inline void walk_step(struct walk *walk, const double *left,
                                             const double *right, size_t both, double x)
{
    double sum = left[walk->i] + right[walk->j - 1];
    size_t fits = sum <= x;
    double below = fits ? sum : walk->border.below, above = fits ? walk->border.above : sum;
    walk->border.up_to += (walk->j - walk->i * both) & (0 - fits);
    walk->border.below = below > walk->border.below ? below : walk->border.below;
    walk->border.above = above < walk->border.above ? above : walk->border.above;
    walk->i += fits;
    walk->j -= 1 - fits;
}

/* At least this many steps are left. */
static size_t walk_left(const struct lauka_pair_sums *sums, const struct walk *walk)
{
    if (sums->with_itself)
        return walk->j > walk->i ? walk->j - walk->i : 0;
    size_t rows = sums->left_count - walk->i;
    return rows < walk->j ? rows : walk->j;
}

LAUKA_UNCHECKED static void walk_to_end(const struct lauka_pair_sums *sums, struct walk *walk,
                                        double x)
{
    for (size_t steps; (steps = walk_left(sums, walk)) > 0;)
        for (; steps > 0; steps--)
            walk_step(walk, sums->left, sums->right, sums->with_itself ? 1 : 0, x);
}

/* Each step waits for the one before it, so several walks take hardly longer than one. They only count;
 * they do not look for the neighbours of x. */
LAUKA_UNCHECKED static void count_together(const struct lauka_pair_sums *sums, struct look *looks)
{
    const double *left = sums->left, *right = sums->right;
    size_t i[LANES] = {0}, j[LANES], up_to[LANES] = {0};
    for (size_t lane = 0; lane < LANES; lane++)
        j[lane] = sums->right_count;
    for (size_t step = 0; step < sums->left_count; step++)
#pragma GCC unroll 3 /* also where the program is compiled to be small */
        for (size_t lane = 0; lane < LANES; lane++) {
            size_t fits = left[i[lane]] + right[j[lane] - 1] <= looks[lane].x;
            up_to[lane] += (j[lane] - i[lane]) & (0 - fits);
            i[lane] += fits;
            j[lane] -= 1 - fits;
        }
    for (size_t lane = 0; lane < LANES; lane++) {
        double x = looks[lane].x;
        looks[lane].border = (struct border){up_to[lane], x, nextafter(x, HUGE_VAL)};
    }
}

/* The same if an entry may stand for many equal values. */
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

static void look_once(const struct lauka_pair_sums *sums, struct look *look)
{
    struct walk walk = walk_begin(sums);
    if (sums->before) {
        look->border = walk_weighted(sums, look->x);
        return;
    }
    walk_to_end(sums, &walk, look->x);
    look->border = walk.border;
}

/* rough: a count is enough. */
static void look_at(const struct lauka_pair_sums *sums, struct look *looks, size_t count,
                    bool rough)
{
    bool together = rough && sums->with_itself && !sums->before;
    for (size_t i = 0, here; i < count; i += here) {
        struct look lanes[LANES];
        here = !together || count - i == 1 ? 1 : count - i < LANES ? count - i : LANES;
        if (here == 1) {
            look_once(sums, &looks[i]);
            continue;
        }
        for (size_t lane = 0; lane < LANES; lane++)
            lanes[lane] = looks[lane < here ? i + lane : i];
        count_together(sums, lanes);
        memcpy(looks + i, lanes, here * sizeof *looks);
    }
}

uint64_t lauka_pair_sums_up_to(const struct lauka_pair_sums *sums, double x)
{
    uint64_t up_to;
    lauka_pair_sums_up_to_each(sums, &x, 1, &up_to);
    return up_to;
}

/* Whether all sums lie on one side of x, as those of differences with one sign lie on one side of 0. */
static bool is_outside(const struct lauka_pair_sums *sums, double x, uint64_t *up_to)
{
    double lowest = sums->left[0] + sums->right[0];
    double highest = sums->left[sums->left_count - 1] + sums->right[sums->right_count - 1];
    *up_to = highest <= x ? lauka_pair_sums_count(sums) : 0;
    return highest <= x || lowest > x;
}

void lauka_pair_sums_up_to_each(const struct lauka_pair_sums *sums, const double *x, size_t count,
                                uint64_t *up_to)
{
    struct look looks[LAUKA_PAIR_SUMS_RANKS];
    size_t places[LAUKA_PAIR_SUMS_RANKS], inside = 0;
    assert(count <= LAUKA_PAIR_SUMS_RANKS);
    for (size_t i = 0; i < count; i++) {
        if (is_outside(sums, x[i], &up_to[i]))
            continue;
        places[inside] = i;
        looks[inside++].x = x[i];
    }
    look_at(sums, looks, inside, true);
    for (size_t i = 0; i < inside; i++)
        up_to[places[i]] = looks[i].border.up_to;
}

/* ---- dividing ---- */

static void narrow(struct bracket *bracket, const struct look *look)
{
    const struct border *border = &look->border;
    if (border->up_to >= bracket->rank && look->x < bracket->high) {
        bracket->high = border->below;
        bracket->up_to = border->up_to;
    } else if (border->up_to < bracket->rank && look->x >= bracket->low) {
        bracket->low = border->above;
        bracket->before = border->up_to;
    }
}

/* Each look serves all ranks that are sought. */
static void divide(const struct lauka_pair_sums *sums, struct bracket *brackets, size_t count,
                   struct look *looks, size_t look_count, bool rough)
{
    look_at(sums, looks, look_count, rough);
    for (size_t l = 0; l < look_count; l++)
        for (size_t i = 0; i < count; i++)
            narrow(&brackets[i], &looks[l]);
}

static size_t most_collected(const struct lauka_pair_sums *sums)
{
    size_t share = (sums->left_count + sums->right_count) / 16;
    return share < COLLECT ? COLLECT : share;
}

static bool is_small(const struct lauka_pair_sums *sums, const struct bracket *bracket)
{
    return !sums->before && bracket->up_to - bracket->before <= most_collected(sums);
}

static bool is_open(const struct lauka_pair_sums *sums, const struct bracket *bracket)
{
    return bracket->low < bracket->high && !is_small(sums, bracket);
}

static bool is_same(const struct bracket *left, const struct bracket *right)
{
    return left->low == right->low && left->high == right->high;
}

/* Where to look next. As if the sums lay evenly in the bracket, but a little to either side of the
 * rank: so both ends close in. Every third time half way between the two in the order of doubles,
 * so that 64 such steps suffice whatever the sums are. */
static size_t next_looks(const struct lauka_pair_sums *sums, const struct bracket *bracket,
                         unsigned step, struct look *looks)
{
    double inside = (double)(bracket->up_to - bracket->before),
           width = bracket->high - bracket->low;
    double rank = (double)(bracket->rank - bracket->before);
    double margin = fmax(inside / 1024, (double)most_collected(sums) / 4);
    size_t count = 0;
    for (int side = -1; step % 3 != 2 && side <= 1; side += 2) {
        double x = bracket->low + width * ((rank + side * margin) / inside);
        if (x >= bracket->low && x < bracket->high)
            looks[count++].x = x;
    }
    if (count == 0)
        looks[count++].x = lauka_double_between(bracket->low, bracket->high);
    return count;
}

static void close_in(const struct lauka_pair_sums *sums, struct bracket *brackets, size_t count)
{
    struct look looks[2 * LOOKS];
    for (unsigned step = 0;; step++) {
        size_t look_count = 0;
        for (size_t i = 0; i < count; i++)
            if (is_open(sums, &brackets[i]) && (i == 0 || !is_same(&brackets[i], &brackets[i - 1])))
                look_count += next_looks(sums, &brackets[i], step, looks + look_count);
        if (look_count == 0)
            return;
        divide(sums, brackets, count, looks, look_count, step < ROUGH_STEPS);
    }
}

/* Uses the sums of values at equal ranks: most sums lie between those of the second and the third quarter,
 * however far out the extremes are. */
static void divide_roughly(const struct lauka_pair_sums *sums, struct bracket *brackets,
                           size_t count)
{
    struct look looks[3];
    for (size_t quarter = 1; quarter <= 3; quarter++) {
        size_t i = sums->left_count / 4 * quarter, j = sums->right_count / 4 * quarter;
        looks[quarter - 1].x = sums->left[i] + sums->right[j];
    }
    divide(sums, brackets, count, looks, 3, true);
}

/* ---- collecting ---- */

/* All sums in low ... high, in no order. */
struct haul {
    double low, high;
    double *found; /* owned */
    size_t count;
};

LAUKA_UNCHECKED static inline void haul_row(struct haul *haul, double left, const double *right,
                                            size_t first, size_t end)
{
    for (size_t k = end; k > first && left + right[k - 1] >= haul->low; k--)
        haul->found[haul->count++] = left + right[k - 1];
}

LAUKA_UNCHECKED static void haul_one(const struct lauka_pair_sums *sums, struct haul *haul)
{
    const double *left = sums->left, *right = sums->right;
    size_t i = 0, j = sums->right_count, both = sums->with_itself ? 1 : 0;
    while (i < sums->left_count && j > i * both) {
        double sum = left[i] + right[j - 1];
        size_t fits = sum <= haul->high;
        if (fits & (sum >= haul->low))
            haul_row(haul, left[i], right, i * both, j);
        i += fits;
        j -= 1 - fits;
    }
}

/* As count_together. */
LAUKA_UNCHECKED static void haul_together(const struct lauka_pair_sums *sums, struct haul *hauls)
{
    const double *left = sums->left, *right = sums->right;
    size_t i[LANES] = {0}, j[LANES];
    for (size_t lane = 0; lane < LANES; lane++)
        j[lane] = sums->right_count;
    for (size_t step = 0; step < sums->left_count; step++)
#pragma GCC unroll 3 /* also where the program is compiled to be small */
        for (size_t lane = 0; lane < LANES; lane++) {
            double sum = left[i[lane]] + right[j[lane] - 1];
            size_t fits = sum <= hauls[lane].high;
            if (fits & (sum >= hauls[lane].low))
                haul_row(&hauls[lane], left[i[lane]], right, i[lane], j[lane]);
            i[lane] += fits;
            j[lane] -= 1 - fits;
        }
}

static void haul_in(const struct lauka_pair_sums *sums, struct haul *hauls, size_t count)
{
    if (count == LANES && sums->with_itself) {
        haul_together(sums, hauls);
        return;
    }
    for (size_t h = 0; h < count; h++)
        haul_one(sums, &hauls[h]);
}

static int haul_init(struct haul *haul, const struct bracket *within)
{
    size_t inside = (size_t)(within->up_to - within->before);
    *haul = (struct haul){.low = within->low, .high = within->high};
    haul->found = malloc(inside * sizeof *haul->found);
    return haul->found ? 0 : ENOMEM;
}

/* Reads the ranks of all brackets within this one from its sums. */
static int settle(struct bracket *brackets, size_t count, struct bracket within,
                  const struct haul *haul)
{
    assert(haul->count == within.up_to - within.before);
    int error = lauka_sort_doubles(haul->found, haul->count);
    for (size_t i = 0; !error && i < count; i++) {
        if (brackets[i].rank <= within.before || brackets[i].rank > within.up_to)
            continue;
        brackets[i].low = brackets[i].high = haul->found[brackets[i].rank - within.before - 1];
    }
    return error;
}

/* Settles every open bracket once: neighbours share their stretch. */
static int settle_all(const struct lauka_pair_sums *sums, struct bracket *brackets, size_t count)
{
    struct haul hauls[LAUKA_PAIR_SUMS_RANKS] = {{0}};
    struct bracket open[LAUKA_PAIR_SUMS_RANKS];
    size_t open_count = 0;
    int error = 0;
    for (size_t i = 0; i < count && !error; i++) {
        if (brackets[i].low >= brackets[i].high ||
            (open_count > 0 && is_same(&brackets[i], &open[open_count - 1])))
            continue;
        open[open_count] = brackets[i];
        error = haul_init(&hauls[open_count++], &brackets[i]);
    }
    if (!error)
        haul_in(sums, hauls, open_count);
    for (size_t h = 0; h < open_count; h++) {
        error = error ? error : settle(brackets, count, open[h], &hauls[h]);
        free(hauls[h].found);
    }
    return error;
}

/* ---- selecting ---- */

static void brackets_open(const struct lauka_pair_sums *sums, const uint64_t *ranks, size_t count,
                          struct bracket *brackets)
{
    uint64_t total = lauka_pair_sums_count(sums);
    double low = sums->left[0] + sums->right[0];
    double high = sums->left[sums->left_count - 1] + sums->right[sums->right_count - 1];
    for (size_t i = 0; i < count; i++) {
        assert(ranks[i] >= 1 && ranks[i] <= total);
        brackets[i] = (struct bracket){ranks[i], low, high, 0, total};
    }
}

/* The rank's place among the sums of fewer values, shifted by `share` of them. */
static uint64_t scale_rank(uint64_t rank, uint64_t total, uint64_t of, double share)
{
    double place = ((double)rank / (double)total + share) * (double)of;
    return place < 1 ? 1 : place > (double)of ? of : (uint64_t)place;
}

/* Assumes that the sums are spread evenly in the bracket. */
static double place_in(const struct bracket *bracket)
{
    double inside = (double)(bracket->up_to - bracket->before);
    double rank = (double)(bracket->rank - bracket->before);
    return bracket->low + (bracket->high - bracket->low) * (rank / inside);
}

/* paired: the brackets belong to neighbouring ranks, so near that their surroundings are searched once. */
static void begin_division(const struct lauka_pair_sums *sums, struct bracket *brackets,
                           size_t count, bool paired);

static void look_around_sample(const struct lauka_pair_sums *sums, struct bracket *brackets,
                               size_t count, bool paired, const struct lauka_pair_sums *sample)
{
    uint64_t total = lauka_pair_sums_count(sums), of = lauka_pair_sums_count(sample);
    double left = (double)sample->left_count, share = 2 * SAMPLE_ERROR / (left * sqrt(left));
    struct look looks[LOOKS];
    struct bracket rough[LOOKS];
    uint64_t ranks[LOOKS];
    size_t look_count = 0, rough_count = paired ? count : 2 * count;
    for (size_t i = 0; i < rough_count; i++)
        ranks[i] = scale_rank(brackets[paired ? i : i / 2].rank, total, of, i % 2 ? share : -share);
    brackets_open(sample, ranks, rough_count, rough);
    begin_division(sample, rough, rough_count, true);
    close_in(sample, rough, rough_count);
    for (size_t i = 0; i < rough_count; i++)
        if (i < 2 || !is_same(&rough[i], &rough[i - 2]))
            looks[look_count++].x = place_in(&rough[i]);
    divide(sums, brackets, count, looks, look_count, true);
}

/* Looks to either side of where the ranks are among the sums of every ninth value. Of m such values, each
 * row's border is up to half a value off, so all m rows are some m^0.5 sums off, of m^2 / 2; SAMPLE_ERROR
 * times that. So the values lie in the middle of those that they stand for, and as many are left out at either end:
 * half a value more would be m sums. Where values are no such even sample, all this only takes longer. False where
 * there is no room for a sample. */
static bool look_by_sample(const struct lauka_pair_sums *sums, struct bracket *brackets,
                           size_t count, bool paired)
{
    size_t size = sums->left_count / SAMPLE_STEP;
    size -= (sums->left_count - size * SAMPLE_STEP) % 2;
    size_t first = (sums->left_count - size * SAMPLE_STEP) / 2 + SAMPLE_STEP / 2;
    double *values = malloc(size * sizeof *values);
    if (!values)
        return false;
    for (size_t i = 0; i < size; i++)
        values[i] = sums->left[first + i * SAMPLE_STEP];
    const struct lauka_pair_sums sample = {.left = values,
                                           .right = values,
                                           .left_count = size,
                                           .right_count = size,
                                           .with_itself = true};
    look_around_sample(sums, brackets, count, paired, &sample);
    free(values);
    return true;
}

static void begin_division(const struct lauka_pair_sums *sums, struct bracket *brackets,
                           size_t count, bool paired)
{
    bool large = sums->with_itself && !sums->before && sums->left_count >= SAMPLED;
    if (!large || !look_by_sample(sums, brackets, count, paired))
        divide_roughly(sums, brackets, count);
}

int lauka_pair_sums_select(const struct lauka_pair_sums *sums, const uint64_t *ranks,
                           size_t rank_count, double *selected)
{
    struct bracket brackets[LAUKA_PAIR_SUMS_RANKS];
    assert(rank_count <= LAUKA_PAIR_SUMS_RANKS && sums->left_count > 0 && sums->right_count > 0);
    brackets_open(sums, ranks, rank_count, brackets);
    if (rank_count > 0 && !is_small(sums, &brackets[0]))
        begin_division(sums, brackets, rank_count, false);
    close_in(sums, brackets, rank_count);
    int error = settle_all(sums, brackets, rank_count);
    for (size_t i = 0; !error && i < rank_count; i++)
        selected[i] = brackets[i].low + 0.0; /* no -0 */
    return error;
}
