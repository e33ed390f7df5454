/* shares: of a whole that differs from round to round, as the samples of a function among all samples. */
#include "stats/shares.h"
#include "stats/stats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum { LEAST = 3 };

struct sums {
    double part, whole;
};

struct rounds { /* those that count */
    const struct lauka_shares_side *sides;
    size_t all, count;
};

static bool counts(const struct rounds *rounds, size_t round)
{
    return rounds->sides[0].whole[round] > 0 && rounds->sides[1].whole[round] > 0;
}

static struct sums sums_of(const struct rounds *rounds, int side)
{
    struct sums sums = {0, 0};
    for (size_t r = 0; r < rounds->all; r++) {
        sums.part += counts(rounds, r) ? rounds->sides[side].part[r] : 0;
        sums.whole += counts(rounds, r) ? rounds->sides[side].whole[r] : 0;
    }
    return sums;
}

/* What the round adds to the share, beyond its mean: n (part - share whole) / sum of wholes. */
static double residual(const struct rounds *rounds, int side, struct sums sums, size_t round)
{
    const struct lauka_shares_side *own = &rounds->sides[side];
    double share = sums.part / sums.whole;
    return (own->part[round] - share * own->whole[round]) * (double)rounds->count / sums.whole;
}

/* Of a mean of so many residuals, by the sum of their squares. */
static double error_of(double squares, size_t count)
{
    return sqrt(squares / ((double)count - 1) / (double)count);
}

static struct lauka_share around(double estimate, double error, double t)
{
    return (struct lauka_share){estimate, estimate - t * error, estimate + t * error};
}

static double least_of(double a, double b)
{
    return a < b ? a : b;
}

/* A share is from 0 to 1, whatever its interval would be. */
static struct lauka_share clip(struct lauka_share share)
{
    share.low = share.low > 0 ? share.low : 0;
    share.high = least_of(share.high, 1);
    return share;
}

/* Two-sided. Where no round differs from another, there is nothing to doubt. */
static double student_p(double difference, double error, size_t count)
{
    if (difference == 0)
        return 1;
    return error > 0 ? 2 * lauka_student_cdf(-fabs(difference) / error, count - 1) : 0;
}

static int compare_numbers(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* Of the rounds' own differences, whose signs are as good as thrown where nothing differs. */
static int rank_p(const struct rounds *rounds, double alpha, double *p)
{
    double *values = malloc(rounds->count * sizeof *values);
    struct lauka_location location;
    size_t used = 0;
    if (!values)
        return ENOMEM;
    for (size_t r = 0; r < rounds->all; r++)
        if (counts(rounds, r))
            values[used++] = rounds->sides[1].part[r] / rounds->sides[1].whole[r] -
                             rounds->sides[0].part[r] / rounds->sides[0].whole[r];
    qsort(values, used, sizeof *values, compare_numbers);
    const struct lauka_differences differences = {values, NULL, used};
    int error = lauka_locate_signed_rank(&differences, alpha, &location);
    *p = !error && location.p.known ? location.p.value : 1;
    free(values);
    return error;
}

static void estimate(const struct rounds *rounds, double alpha, struct lauka_share_change *change)
{
    const struct sums sums[2] = {sums_of(rounds, 0), sums_of(rounds, 1)};
    double squares[2] = {0, 0}, paired = 0,
           t = lauka_student_quantile(1 - alpha / 2, rounds->count - 1);
    for (size_t r = 0; r < rounds->all; r++) {
        if (!counts(rounds, r))
            continue;
        double before = residual(rounds, 0, sums[0], r), after = residual(rounds, 1, sums[1], r);
        squares[0] += before * before;
        squares[1] += after * after;
        paired += (after - before) * (after - before);
    }
    double shares[2] = {sums[0].part / sums[0].whole, sums[1].part / sums[1].whole},
           error = error_of(paired, rounds->count);
    change->before = clip(around(shares[0], error_of(squares[0], rounds->count), t));
    change->after = clip(around(shares[1], error_of(squares[1], rounds->count), t));
    change->difference = around(shares[1] - shares[0], error, t);
    change->p = student_p(change->difference.estimate, error, rounds->count);
}

int lauka_shares_compare(const struct lauka_shares_side sides[2], size_t rounds, uint64_t family,
                         double alpha, struct lauka_share_change *change)
{
    struct rounds own = {sides, rounds, 0};
    double ranks = 0;
    for (size_t r = 0; r < rounds; r++)
        own.count += counts(&own, r);
    if (own.count < LEAST)
        return EDOM;
    estimate(&own, alpha, change);
    int error = own.count < lauka_family_rounds(family > 1 ? alpha / (double)family : alpha)
                    ? 0
                    : rank_p(&own, alpha, &ranks);
    change->p = ranks > change->p ? ranks : change->p;
    return error;
}
