/* units: what shares one draw is one value: rounds of a process, parts of a whole, machines. */
#include "stats/units.h"
#include "stats/stats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

int lauka_units_count(const uint32_t *unit, size_t count, uint64_t *units)
{
    *units = 0;
    uint64_t *sorted = malloc((count + 1) * sizeof *sorted);
    if (!sorted)
        return ENOMEM;
    for (size_t i = 0; i < count; i++)
        sorted[i] = unit[i];
    int error = lauka_sort_integers(sorted, count);
    for (size_t i = 0; i < count && !error; i++)
        *units += i == 0 || sorted[i] != sorted[i - 1];
    free(sorted);
    return error;
}

struct entry {
    uint32_t unit;
    double value;
};

static int by_unit_and_value(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    if (a->unit != b->unit)
        return a->unit < b->unit ? -1 : 1;
    return (a->value > b->value) - (a->value < b->value);
}

static double mean_of(const struct entry *entries, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += entries[i].value;
    return sum / (double)count;
}

static double median_of(const struct entry *entries, size_t count)
{
    double upper = entries[count / 2].value;
    return count % 2 ? upper : (entries[count / 2 - 1].value + upper) / 2;
}

/* Sums of squares, as they grow unit by unit. */
struct variance {
    double within, between, squares; /* squares: of the units' numbers of rounds */
    double grand;                    /* mean of all rounds */
};

static void add_unit(struct variance *variance, const struct entry *entries, size_t count)
{
    double mean = mean_of(entries, count), size = (double)count;
    for (size_t i = 0; i < count; i++)
        variance->within += (entries[i].value - mean) * (entries[i].value - mean);
    variance->between += size * (mean - variance->grand) * (mean - variance->grand);
    variance->squares += size * size;
}

static struct lauka_spread spread_of(const struct variance *variance, size_t rounds, size_t units)
{
    struct lauka_spread spread = {0};
    double total = (double)rounds, groups = (double)units;
    if (rounds == units)
        return spread;
    double within = variance->within / (total - groups);
    spread.within = lauka_known(sqrt(within));
    if (units < 2)
        return spread;
    double typical = (total - variance->squares / total) / (groups - 1); /* rounds of a unit */
    double between = (variance->between / (groups - 1) - within) / typical;
    spread.between = lauka_known(sqrt(fmax(0, between)));
    return spread;
}

static size_t collapse(double *values, const struct entry *entries, size_t count, bool by_mean,
                       struct lauka_spread *spread)
{
    struct variance variance = {.grand = mean_of(entries, count)};
    size_t units = 0, from = 0;
    while (from < count) {
        size_t end = from + 1;
        while (end < count && entries[end].unit == entries[from].unit)
            end++;
        add_unit(&variance, entries + from, end - from);
        values[units++] =
            by_mean ? mean_of(entries + from, end - from) : median_of(entries + from, end - from);
        from = end;
    }
    *spread = spread_of(&variance, count, units);
    return units;
}

int lauka_units_collapse(double *values, const uint32_t *unit, bool by_mean, size_t *count,
                         struct lauka_spread *spread)
{
    *spread = (struct lauka_spread){0};
    if (*count == 0)
        return 0;
    struct entry *entries = malloc(*count * sizeof *entries);
    if (!entries)
        return ENOMEM;
    for (size_t i = 0; i < *count; i++)
        entries[i] = (struct entry){unit[i], values[i]};
    qsort(entries, *count, sizeof *entries, by_unit_and_value);
    *count = collapse(values, entries, *count, by_mean, spread);
    free(entries);
    return 0;
}

/* shares: of a whole that differs from round to round, as the samples of a function among all samples. */
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

/* A share is from 0 to 1, whatever its interval would be. */
static struct lauka_share clip(struct lauka_share share)
{
    share.low = fmax(share.low, 0);
    share.high = fmin(share.high, 1);
    return share;
}

/* Two-sided. Where no round differs from another, there is nothing to doubt. */
static double student_p(double difference, double error, size_t count)
{
    if (difference == 0)
        return 1;
    return error > 0 ? 2 * lauka_student_cdf(-fabs(difference) / error, count - 1) : 0;
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
    const struct lauka_differences differences = {values, NULL, used};
    int error = lauka_sort_doubles(values, used);
    if (!error)
        error = lauka_locate_signed_rank(&differences, alpha, &location);
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

/* hosts: several machines that measured the same, as one answer. */
struct estimates {
    bool as_ratio, exact; /* exact: of all hosts */
    size_t count;
    double mean, deviation;
};

static bool has_say(const struct lauka_comparison *host)
{
    return host->confidence > 0 && (host->log_ratio.known || host->difference.known);
}

static double estimate_of(const struct lauka_comparison *host, bool as_ratio)
{
    return as_ratio ? host->log_ratio.value : host->difference.value;
}

static void find_scale(const struct lauka_comparison *const *hosts, size_t count,
                       struct estimates *found)
{
    found->as_ratio = found->exact = true;
    for (size_t h = 0; h < count; h++) {
        if (!has_say(hosts[h]))
            continue;
        found->count++;
        found->as_ratio &= hosts[h]->log_ratio.known;
        found->exact &= hosts[h]->method == LAUKA_METHOD_EXACT;
    }
}

static double sum_of(const struct lauka_comparison *const *hosts, size_t count, bool as_ratio,
                     double middle, bool squared)
{
    double sum = 0;
    for (size_t h = 0; h < count; h++) {
        double distance = has_say(hosts[h]) ? estimate_of(hosts[h], as_ratio) - middle : 0;
        sum += squared ? distance * distance : distance;
    }
    return sum;
}

static void find_estimates(const struct lauka_comparison *const *hosts, size_t count,
                           struct estimates *found)
{
    find_scale(hosts, count, found);
    if (found->count == 0)
        return;
    const double several = (double)found->count;
    double middle = 0;
    for (size_t h = 0; h < count; h++)
        middle = has_say(hosts[h]) ? estimate_of(hosts[h], found->as_ratio) : middle;
    /* from one of them on, so that equal ones have exactly that mean */
    found->mean = middle + sum_of(hosts, count, found->as_ratio, middle, false) / several;
    if (found->count > 1)
        found->deviation =
            sqrt(sum_of(hosts, count, found->as_ratio, found->mean, true) / (several - 1));
}

static struct lauka_location locate(const struct estimates *found, double alpha)
{
    struct lauka_location location = {.estimate = found->mean};
    if (found->count < LAUKA_FEWEST_HOSTS)
        return location;
    const uint64_t df = found->count - 1;
    double error = found->deviation / sqrt((double)found->count);
    double half = error * lauka_student_quantile(1 - alpha / 2, df);
    location.low = lauka_known(found->mean - half);
    location.high = lauka_known(found->mean + half);
    if (!found->exact || error > 0) { /* what never varies is not tested */
        double p = error > 0 ? 2 * lauka_student_cdf(-fabs(found->mean) / error, df)
                             : (double)(found->mean == 0);
        location.p = lauka_known(p);
    }
    return location;
}

void lauka_hosts_pool(const struct lauka_comparison *const *hosts, size_t count, double alpha,
                      double precision, struct lauka_comparison *pooled)
{
    const struct lauka_optional none = {0};
    struct estimates found = {0};
    find_estimates(hosts, count, &found);
    lauka_contrast_unknow(pooled);
    pooled->ratio = pooled->log_ratio = pooled->difference = none;
    pooled->units = found.count;
    pooled->between = (struct lauka_optional){found.count > 1, found.deviation};
    if (found.count > 0) {
        struct lauka_location location = locate(&found, alpha);
        bool exact = found.exact && found.deviation == 0;
        lauka_contrast_put(pooled, &location, exact ? LAUKA_METHOD_EXACT : LAUKA_METHOD_HOSTS,
                           alpha, found.as_ratio);
    }
    lauka_verdict_judge(pooled, precision);
}

enum lauka_gate lauka_hosts_vote(size_t hosts, size_t failed, size_t passed)
{
    const size_t needed = (2 * hosts + 2) / 3;
    if (hosts > 0 && failed >= needed && passed == 0)
        return LAUKA_GATE_FAIL;
    return hosts > 0 && passed >= needed && failed == 0 ? LAUKA_GATE_PASS : LAUKA_GATE_INCONCLUSIVE;
}
