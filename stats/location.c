/* location: where differences lie, with an interval and its test: by ranks (Hodges & Lehmann 1963), or by
 * Student's t if there are too few for ranks. */
#include "stats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The largest negative double: counting the sums up to it counts the negative ones. */
static const double below_zero = -0x1p-1074;

/* The ranks of c, of the middle two (equal if there is one), and of c's mirror; all counted from 1. */
static size_t ranks_of(uint64_t total, uint64_t critical, uint64_t *ranks)
{
    size_t count = 0;
    ranks[count++] = total / 2 + total % 2;
    ranks[count++] = total / 2 + 1;
    if (critical > 0) {
        ranks[count++] = critical;
        ranks[count++] = total + 1 - critical;
    }
    return count;
}

/* scale: the weight of a sum; one half if it is to be an average. */
static int select_location(const struct lauka_pair_sums *sums, double scale,
                           struct lauka_location *location)
{
    uint64_t ranks[LAUKA_PAIR_SUMS_RANKS];
    double selected[LAUKA_PAIR_SUMS_RANKS];
    size_t count = ranks_of(lauka_pair_sums_count(sums), location->critical, ranks);
    int error = lauka_pair_sums_select(sums, ranks, count, selected);
    if (error)
        return error;

    location->estimate = scale * (selected[0] / 2 + selected[1] / 2);
    if (location->critical > 0) {
        location->low = lauka_known(scale * selected[2]);
        location->high = lauka_known(scale * selected[3]);
    }
    return 0;
}

static void count_around_zero(const struct lauka_pair_sums *sums, struct lauka_location *location)
{
    const double ends[] = {0, below_zero};
    uint64_t up_to[2];
    lauka_pair_sums_up_to_each(sums, ends, 2, up_to);
    location->at_most_zero = up_to[0];
    location->at_least_zero = lauka_pair_sums_count(sums) - up_to[1];
}

/* ---- signed ranks ---- */

static struct lauka_pair_sums walsh_sums(const struct lauka_differences *differences)
{
    return (struct lauka_pair_sums){
        .left = differences->values,
        .right = differences->values,
        .left_count = differences->length,
        .right_count = differences->length,
        .before = differences->before,
        .with_itself = true,
    };
}

static uint64_t count_of(const struct lauka_differences *differences)
{
    return differences->before ? differences->before[differences->length] : differences->length;
}

double lauka_signed_rank_above(const struct lauka_differences *differences, double limit)
{
    struct lauka_pair_sums sums = walsh_sums(differences);
    return lauka_signed_rank_cdf(count_of(differences), lauka_pair_sums_up_to(&sums, 2 * limit));
}

/* Each value is kept once if MANY_ALIKE times as many are equal. Sums of counts and of sizes in pages
 * repeat so often that no bracket of them ever gets small. */
enum { MANY = 1 << 14, MANY_ALIKE = 64 };

struct alike {
    double *values;   /* owned */
    uint64_t *before; /* owned */
    size_t length;
};

static void alike_done(struct alike *alike)
{
    free(alike->values);
    free(alike->before);
}

static size_t count_levels(const struct lauka_differences *differences)
{
    size_t levels = 1;
    for (size_t i = 1; i < differences->length; i++)
        levels += differences->values[i] != differences->values[i - 1];
    return levels;
}

static int alike_init(struct alike *alike, const struct lauka_differences *differences)
{
    const double *values = differences->values;
    size_t levels = differences->length < MANY || differences->before ? differences->length
                                                                      : count_levels(differences);
    *alike = (struct alike){0};
    if (levels > differences->length / MANY_ALIKE)
        return 0;
    alike->values = malloc(levels * sizeof *alike->values);
    alike->before = malloc((levels + 1) * sizeof *alike->before);
    if (!alike->values || !alike->before)
        return ENOMEM;
    for (size_t i = 0; i < differences->length; i++) {
        if (i > 0 && values[i] == values[i - 1])
            continue;
        alike->values[alike->length] = values[i];
        alike->before[alike->length++] = i;
    }
    alike->before[alike->length] = differences->length;
    return 0;
}

static int locate(const struct lauka_differences *differences, double alpha,
                  struct lauka_location *location)
{
    struct lauka_pair_sums sums = walsh_sums(differences);
    uint64_t count = count_of(differences);
    location->critical = lauka_signed_rank_critical(count, alpha);
    count_around_zero(&sums, location);
    uint64_t smaller = location->at_most_zero < location->at_least_zero ? location->at_most_zero
                                                                        : location->at_least_zero;
    location->p = lauka_known(fmin(1, 2 * lauka_signed_rank_cdf(count, smaller)));
    return select_location(&sums, 0.5, location);
}

int lauka_locate_signed_rank(const struct lauka_differences *differences, double alpha,
                             struct lauka_location *location)
{
    struct alike alike;
    *location = (struct lauka_location){0};
    int error = alike_init(&alike, differences);
    const struct lauka_differences once = {alike.values, alike.before, alike.length};
    if (!error)
        error = locate(alike.length > 0 ? &once : differences, alpha, location);
    alike_done(&alike);
    return error;
}

/* ---- rank sums ---- */

static struct lauka_pair_sums differences_of(const double *negated, size_t reference_count,
                                             const double *other, size_t other_count)
{
    return (struct lauka_pair_sums){
        .left = negated,
        .right = other,
        .left_count = reference_count,
        .right_count = other_count,
    };
}

/* The reference with its signs flipped, in ascending order. The caller frees it. */
static double *negate(const double *values, size_t count)
{
    double *negated = malloc(count * sizeof *negated);
    for (size_t i = 0; negated && i < count; i++)
        negated[i] = -values[count - 1 - i];
    return negated;
}

int lauka_rank_sum_above(const double *reference, size_t reference_count, const double *other,
                         size_t other_count, double limit, double *p)
{
    double *negated = negate(reference, reference_count);
    if (!negated)
        return ENOMEM;
    struct lauka_pair_sums sums = differences_of(negated, reference_count, other, other_count);
    *p = lauka_rank_sum_cdf(reference_count, other_count, lauka_pair_sums_up_to(&sums, limit));
    free(negated);
    return 0;
}

int lauka_locate_rank_sum(const double *reference, size_t reference_count, const double *other,
                          size_t other_count, double alpha, struct lauka_location *location)
{
    *location = (struct lauka_location){0};
    double *negated = negate(reference, reference_count);
    if (!negated)
        return ENOMEM;
    struct lauka_mann_whitney test;
    lauka_mann_whitney(reference, reference_count, other, other_count, &test);
    struct lauka_pair_sums sums = differences_of(negated, reference_count, other, other_count);
    location->critical = lauka_rank_sum_critical(reference_count, other_count, alpha);
    count_around_zero(&sums, location);
    location->p = lauka_known(test.p);
    int error = select_location(&sums, 1, location);
    free(negated);
    return error;
}

/* ---- pooled ranks ---- */

/* The values of both sides, as one order of them. */
struct pool {
    const double *reference, *other; /* ascending */
    size_t count;                    /* of each */
    double deviation, excess;        /* of U where rounds are exchanged; its kurtosis less 3 */
};

/* How many of the ascending values lie below x, or up to it. */
static size_t below(const double *values, size_t count, double x, bool up_to)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (values[middle] < x || (up_to && values[middle] == x))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Twice the distance of x's rank from the middle of the pool. */
static double centred(const struct pool *pool, double x)
{
    size_t n = pool->count;
    size_t place = below(pool->reference, n, x, false) + below(pool->reference, n, x, true) +
                   below(pool->other, n, x, false) + below(pool->other, n, x, true);
    return (double)place - 2 * (double)n;
}

/* Sets how U is distributed where the two of each round are exchanged by lot: their ranks' differences then have
 * random signs. Returns the intraclass correlation of ranks of one round, -1 ... 1. */
static double exchange(struct pool *pool, const double *reference, const double *other)
{
    double products = 0, squares = 0, fourths = 0, all = 0;
    for (size_t i = 0; i < pool->count; i++) {
        double a = centred(pool, reference[i]), b = centred(pool, other[i]);
        double square = (b - a) * (b - a);
        products += a * b;
        all += a * a + b * b;
        squares += square;
        fourths += square * square;
    }
    pool->deviation = sqrt(squares) / 4;
    pool->excess = squares > 0 ? -2 * fourths / (squares * squares) : 0;
    return all > 0 ? 2 * products / all : 0;
}

/* P(U <= u), u at most the mean: z is where x = z + excess / 24 (z^3 - 3 z) deviations are (Cornish & Fisher 1938),
 * but never less than all rounds agreeing. */
static double exchanged_cdf(const struct pool *pool, uint64_t u)
{
    double n = (double)pool->count, x = ((double)u + 0.5 - n * n / 2) / pool->deviation;
    double low = -sqrt(fmax(1, 1 - 8 / pool->excess)), high = 0;
    if (x >= 0)
        return lauka_normal_cdf(x);
    for (int i = 0; i < 60; i++) {
        double z = low + (high - low) / 2;
        if (z + pool->excess / 24 * (z * z * z - 3 * z) < x)
            low = z;
        else
            high = z;
    }
    return fmax(lauka_normal_cdf(low), pool->count < 1000 ? ldexp(1, -(int)pool->count) : 0);
}

static uint64_t exchanged_critical(const struct pool *pool, double half_alpha)
{
    uint64_t low = 0, high = (uint64_t)pool->count * pool->count / 2;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (exchanged_cdf(pool, middle) <= half_alpha)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int locate_pool(struct pool *pool, double alpha, struct lauka_optional limit,
                       struct lauka_location *location, struct lauka_optional *p_above)
{
    double *negated = negate(pool->reference, pool->count);
    if (!negated)
        return ENOMEM;
    struct lauka_pair_sums sums = differences_of(negated, pool->count, pool->other, pool->count);
    location->critical = exchanged_critical(pool, alpha / 2);
    count_around_zero(&sums, location);
    uint64_t smaller = location->at_most_zero < location->at_least_zero ? location->at_most_zero
                                                                        : location->at_least_zero;
    location->p = lauka_known(fmin(1, 2 * exchanged_cdf(pool, smaller)));
    if (limit.known)
        *p_above = lauka_known(exchanged_cdf(pool, lauka_pair_sums_up_to(&sums, limit.value)));
    int error = select_location(&sums, 1, location);
    free(negated);
    return error;
}

int lauka_locate_pooled(const double *reference, const double *other, size_t count, double alpha,
                        struct lauka_optional limit, struct lauka_location *location,
                        struct lauka_optional *p_above)
{
    const double alike = 0.25; /* from here on, comparing within rounds sees more */
    double *sorted = malloc((2 * count + 1) * sizeof *sorted);
    *location = (struct lauka_location){0};
    if (!sorted)
        return ENOMEM;
    memcpy(sorted, reference, count * sizeof *sorted);
    memcpy(sorted + count, other, count * sizeof *sorted);
    struct pool pool = {.reference = sorted, .other = sorted + count, .count = count};
    int error = lauka_sort_doubles(sorted, count);
    if (!error)
        error = lauka_sort_doubles(sorted + count, count);
    if (!error && fabs(exchange(&pool, reference, other)) < alike && pool.deviation > 0)
        error = locate_pool(&pool, alpha, limit, location, p_above);
    free(sorted);
    return error;
}

/* ---- Student's t ---- */

static double weight(const struct lauka_differences *differences, size_t i)
{
    return differences->before ? (double)(differences->before[i + 1] - differences->before[i]) : 1;
}

/* The sum of (value - center)^power, adding the smallest and the largest first, then the next two. That
 * way values mirrored at 0 give the mirrored sum to the last bit. */
static double power_sum(const struct lauka_differences *differences, double center, bool square)
{
    double sum = 0;
    for (size_t i = 0, j = differences->length; i < j--; i++) {
        double first = differences->values[i] - center, last = differences->values[j] - center;
        first *= weight(differences, i) * (square ? first : 1);
        last *= weight(differences, j) * (square ? last : 1);
        sum += i < j ? first + last : first;
    }
    return sum;
}

double lauka_differences_mean(const struct lauka_differences *differences)
{
    return power_sum(differences, 0, false) / (double)count_of(differences);
}

double lauka_differences_squares(const struct lauka_differences *differences, double center)
{
    return power_sum(differences, center, true);
}

static double standard_error(const struct lauka_differences *differences, double mean)
{
    double n = (double)count_of(differences);
    return sqrt(power_sum(differences, mean, true) / (n - 1) / n);
}

double lauka_paired_t_above(const struct lauka_differences *differences, double limit)
{
    double mean = lauka_differences_mean(differences);
    double error = standard_error(differences, mean);
    return lauka_student_cdf(-(mean - limit) / error, count_of(differences) - 1);
}

bool lauka_locate_paired_t(const struct lauka_differences *differences, double alpha,
                           struct lauka_location *location)
{
    *location = (struct lauka_location){0};
    uint64_t count = count_of(differences);
    if (count < 2)
        return false;
    double mean = lauka_differences_mean(differences);
    double error = standard_error(differences, mean);
    if (!(error > 0))
        return false;
    double reach = -lauka_student_quantile(alpha / 2, count - 1) * error;
    location->estimate = mean;
    location->low = lauka_known(mean - reach);
    location->high = lauka_known(mean + reach);
    location->p = lauka_known(fmin(1, 2 * lauka_student_cdf(-fabs(mean / error), count - 1)));
    return true;
}

/* The most extreme outcome must be rare enough: 1 of 2^n, or of 2n over n, on each side. */
int lauka_location_needed(double alpha, bool unpaired)
{
    double outcomes = 2;
    int count = 1;
    while (2 / outcomes > alpha) {
        count++;
        outcomes *= unpaired ? 4 - 2.0 / count : 2;
    }
    return count;
}
