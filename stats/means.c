/* means: two sides compared by them, and where that is better: for values in coarse steps, as of a clock that ticks, of
 * a text with two decimals, or of a histogram. The median of their differences is 0 as long as most are equal, and so
 * are both ends of its interval, although one side may take a step far more often. */
#include "stats/means.h"
#include "stats/loops.h"
#include "stats/units.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* Shares of equal pairs: where spreading them begins (times the root of the number of values), and means. */
static const double share_to_spread = 0.8, share_to_average = 0.15;

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a < b ? b - a : a - b;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b > 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The greatest common divisor of all distances from `origin` and of *divisor; ends where it is fine, or 1, which it
 * stays. */
static void add_distances(const struct lauka_series *series, uint64_t origin, double fine,
                          uint64_t *divisor)
{
    for (size_t i = 0; i < series->count; i++) {
        uint64_t away = distance(lauka_series_at(series, i), origin);
        if (*divisor == 0 || away % *divisor != 0)
            *divisor = common_divisor(away, *divisor);
        if (*divisor == 1 || (*divisor > 0 && (double)*divisor < fine))
            return;
    }
}

/* Of both, in one order: ascending; every `stride`-th value. The caller frees it; NULL without memory. */
static uint64_t *pool(const struct lauka_series *first, const struct lauka_series *second,
                      size_t stride, size_t *count)
{
    size_t most = (first->count + second->count) / stride + 2;
    uint64_t *values = malloc(most * sizeof *values);
    *count = 0;
    if (!values)
        return NULL;
    for (size_t i = 0; i < first->count; i += stride)
        values[(*count)++] = lauka_series_at(first, i);
    for (size_t i = 0; i < second->count; i += stride)
        values[(*count)++] = lauka_series_at(second, i);
    if (lauka_sort_integers(values, *count) == 0)
        return values;
    free(values);
    return NULL;
}

/* How probable it is that two of the values are equal, and how many are not the most frequent one. */
static double tied_share(const uint64_t *sorted, size_t count, uint64_t *changed)
{
    double pairs = 0;
    size_t most = 0;
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i; end < count && sorted[end] == sorted[i]; end++)
            ;
        pairs += (double)(end - i) * (double)(end - i - 1);
        most = end - i > most ? end - i : most;
    }
    *changed = count - most;
    return count > 1 ? pairs / ((double)count * (double)(count - 1)) : 0;
}

/* Whether values are either 0, as one in ten at least, or large, with nothing between. The kernel divides CPU time
 * between user and system by the ticks that it saw, and a run in which it saw one or two has all of it on one side. */
static bool is_all_or_nothing(const uint64_t *sorted, size_t count, double mean)
{
    size_t i = 0;
    while (i < count && sorted[i] == 0)
        i++;
    return 10 * i >= count && i < count && (double)sorted[i] > mean / 8;
}

/* An octave has 1 / (2 bins) of them; the finest hold one whole number each. */
static double width_of_bin(double value, double bins)
{
    int exponent;
    frexp(value, &exponent);
    return value > 0 ? fmax(1, ldexp(2 * bins, exponent - 1)) : 1;
}

double lauka_steps_rounding(const uint64_t *sorted, size_t count, double width)
{
    struct lauka_robust robust = lauka_robust_of(sorted, count);
    double near = fmax(3 * 1.4826 * robust.mad, 1.5 * width), mean = 0, squares = 0;
    size_t levels = 0, upper = 0, from = 0, end = count;
    while (robust.median - (double)sorted[from] > near)
        from++;
    while ((double)sorted[end - 1] - robust.median > near)
        end--;
    for (size_t i = from; i < end; i++) {
        bool next = i == from || sorted[i] != sorted[i - 1];
        levels += next;
        upper = next ? 1 : upper + 1;
        mean += (double)sorted[i] / (double)(end - from);
    }
    if (levels == 1)
        return width / 2;
    if (levels == 2)
        return width * fabs((double)upper / (double)(end - from) - 0.5);
    for (size_t i = from; i < end; i++)
        squares += ((double)sorted[i] - mean) * ((double)sorted[i] - mean);
    double variance = fmax(0, squares / (double)(end - from - 1) - width * width / 12);
    const double pi = 3.14159265358979323846;
    return width / 2 * exp(-2 * pi * pi * variance / (width * width));
}

static int find_off(const struct lauka_series *series, double width, double bins, double *off)
{
    const struct lauka_series none = {0};
    size_t count;
    uint64_t *sorted = pool(series, &none, 1, &count);
    if (!sorted)
        return ENOMEM;
    if (bins > 0)
        width = width_of_bin(lauka_sorted_median(sorted, count), bins);
    *off = lauka_steps_rounding(sorted, count, width);
    free(sorted);
    return 0;
}

void lauka_steps_spread(double *sorted, size_t count, double width, double bins)
{
    for (size_t i = 0, end; i < count; i = end) {
        double middle = sorted[i], wide = bins > 0 ? width_of_bin(middle, bins) : width;
        for (end = i; end < count && sorted[end] == middle; end++)
            ;
        for (size_t k = i; k < end; k++)
            sorted[k] = middle + wide * (((double)(k - i) + 0.5) / (double)(end - i) - 0.5);
    }
}

static enum lauka_zone zone_of(double tied, size_t count)
{
    if (tied >= share_to_average)
        return LAUKA_ZONE_COARSE;
    return tied * sqrt((double)count / 2) >= share_to_spread ? LAUKA_ZONE_SPREAD : LAUKA_ZONE_FINE;
}

/* Sorts the values, which tells the zone; of very many, some tell it as well. */
static int find_zone(const struct lauka_series *reference, const struct lauka_series *other,
                     double mean, struct lauka_steps *steps)
{
    enum { ENOUGH = 200000 };
    size_t count, all = reference->count + other->count, stride = 1 + all / ENOUGH;
    uint64_t *sorted = pool(reference, other, stride, &count);
    if (!sorted)
        return ENOMEM;
    steps->zone = zone_of(tied_share(sorted, count, &steps->changed), all);
    steps->changed *= stride;
    if (is_all_or_nothing(sorted, count, mean))
        steps->zone = LAUKA_ZONE_COARSE;
    free(sorted);
    return 0;
}

int lauka_steps_find(const struct lauka_series *reference, const struct lauka_moments *left,
                     const struct lauka_series *other, const struct lauka_moments *right,
                     const struct lauka_comparison_options *options, struct lauka_steps *steps)
{
    const enum lauka_grain grain = options->grain;
    struct lauka_moments all = *left;
    uint64_t origin = lauka_series_at(reference, 0), divisor = 0;
    int error = 0;
    bool constant = lauka_contrast_is_exact(left, right);
    lauka_moments_merge(&all, right);
    double mean = lauka_moments_mean(&all), fine = all.min > 0 ? options->precision * mean / 10 : 0;
    add_distances(reference, origin, fine, &divisor);
    add_distances(other, origin, fine, &divisor);
    *steps = (struct lauka_steps){.width = constant && grain == LAUKA_GRAIN_TEXT
                                               ? 1 /* of the decimals that all have */
                                               : (double)divisor};
    if (grain == LAUKA_GRAIN_BINS || grain == LAUKA_GRAIN_LOGS) {
        steps->zone = grain == LAUKA_GRAIN_BINS ? LAUKA_ZONE_SPREAD : LAUKA_ZONE_COARSE;
        steps->changed = UINT64_MAX;
    } else if (divisor > 0 && (double)divisor < fine)
        steps->width = fine; /* at most: the search ended there */
    else
        error = find_zone(reference, other, mean, steps);
    bool rounded = options->bins > 0 || (constant && grain == LAUKA_GRAIN_CLOCK) ||
                   (grain == LAUKA_GRAIN_TEXT && steps->zone == LAUKA_ZONE_COARSE);
    if (error || !rounded || !(steps->width > 0 || options->bins > 0))
        return error;
    error = find_off(reference, steps->width, options->bins, &steps->reference_off);
    return error ? error : find_off(other, steps->width, options->bins, &steps->other_off);
}

/* How far one mean lies from another, by Student's t. If the means differ by the share x, b -
 * a - x a is 0 on average; the x that are not rejected form an interval (Fieller 1954). Unlike the
 * difference divided by the reference's mean, it does not treat that mean as known. */

/* What is compared: the values of a series, or one for each of its units. A million values are read in blocks, as
 * a copy of them all takes longer to make than to use. None is missing. */
struct values {
    const struct lauka_series *series;
    const double *own; /* NULL: those of the series */
    size_t count;
};

enum { BLOCK = 512 };

/* Those from `begin` on, BLOCK at most, maybe in `room`. */
LAUKA_UNCHECKED static const double *block_at(const struct values *values, size_t begin,
                                              double *room, size_t *count)
{
    *count = values->count - begin < BLOCK ? values->count - begin : BLOCK;
    if (values->own)
        return values->own + begin;
    const struct lauka_series *series = values->series;
    if (series->wide)
        for (size_t i = 0; i < *count; i++)
            room[i] = (double)series->wide[begin + i];
    else
        for (size_t i = 0; i < *count; i++) /* several at once */
            room[i] = series->narrow[begin + i];
    return room;
}

/* No digit is lost where all values are large. */
LAUKA_UNCHECKED static double mean_of(const struct values *values)
{
    double room[BLOCK], sum = 0, first = 0;
    for (size_t begin = 0, count; begin < values->count; begin += count) {
        const double *block = block_at(values, begin, room, &count);
        first = begin == 0 ? block[0] : first;
        for (size_t i = 0; i < count; i++)
            sum += block[i] - first;
    }
    return first + sum / (double)values->count;
}

/* Of the mean: sum((x - mean)^2) / (n - 1) / n. */
LAUKA_UNCHECKED static double variance(const struct values *values, double mean)
{
    double room[BLOCK], sum = 0, n = (double)values->count;
    for (size_t begin = 0, count; begin < values->count; begin += count) {
        const double *block = block_at(values, begin, room, &count);
        for (size_t i = 0; i < count; i++)
            sum += (block[i] - mean) * (block[i] - mean);
    }
    return sum / (n - 1) / n;
}

/* Around the means of the reference and of the difference; each by itself, or digits would be lost. */
struct sums {
    double squares, products, distances;
    uint64_t changed;
};

LAUKA_UNCHECKED static struct sums sums_around(const struct values *reference,
                                               const struct values *other, double mean,
                                               double difference)
{
    double rooms[2][BLOCK];
    struct sums sums = {0};
    for (size_t begin = 0, count; begin < reference->count; begin += count) {
        const double *a = block_at(reference, begin, rooms[0], &count);
        const double *b = block_at(other, begin, rooms[1], &count);
        for (size_t i = 0; i < count; i++) {
            double x = a[i] - mean, distance = (b[i] - a[i]) - difference;
            sums.squares += x * x;
            sums.products += x * distance;
            sums.distances += distance * distance;
            sums.changed += b[i] != a[i];
        }
    }
    return sums;
}

static void compare_pairs(const struct values *reference, const struct values *other,
                          struct lauka_mean_ratio *means)
{
    double a = mean_of(reference), b = mean_of(other), n = (double)reference->count;
    const struct sums sums = sums_around(reference, other, a, b - a);
    *means = (struct lauka_mean_ratio){
        .mean = a,
        .difference = b - a,
        .variance = sums.squares / ((n - 1) * n),
        .difference_variance = sums.distances / ((n - 1) * n),
        .covariance = sums.products / ((n - 1) * n),
        .df = reference->count - 1,
        .changed = sums.changed,
    };
}

static void compare_unpaired(const struct values *reference, const struct values *other,
                             struct lauka_mean_ratio *means)
{
    double a = mean_of(reference), b = mean_of(other);
    double var_a = variance(reference, a), var_b = variance(other, b), sum = var_a + var_b;
    double df = sum > 0 ? sum * sum /
                              (var_a * var_a / (double)(reference->count - 1) +
                               var_b * var_b / (double)(other->count - 1))
                        : 1; /* Welch 1947 */
    *means = (struct lauka_mean_ratio){
        .mean = a,
        .difference = b - a,
        .variance = var_a,
        .difference_variance = sum,
        .covariance = -var_a,
        .df = (uint64_t)fmax(1, floor(df)),
        .changed = UINT64_MAX,
    };
}

void lauka_mean_ratio_paired(const double *reference, const double *other, size_t count,
                             struct lauka_mean_ratio *means)
{
    const struct values a = {.own = reference, .count = count}, b = {.own = other, .count = count};
    compare_pairs(&a, &b, means);
}

void lauka_mean_ratio_unpaired(const double *reference, size_t reference_count, const double *other,
                               size_t other_count, struct lauka_mean_ratio *means)
{
    const struct values a = {.own = reference, .count = reference_count};
    const struct values b = {.own = other, .count = other_count};
    compare_unpaired(&a, &b, means);
}

static double p_above(double distance, double variance, uint64_t df)
{
    if (!(variance > 0))
        return distance > 0 ? 0 : 1;
    return lauka_student_cdf(-distance / sqrt(variance), df);
}

static double variance_at(const struct lauka_mean_ratio *means, double share)
{
    return means->difference_variance - 2 * share * means->covariance +
           share * share * means->variance;
}

double lauka_mean_ratio_above(const struct lauka_mean_ratio *means, double share)
{
    return p_above(means->difference - share * means->mean, variance_at(means, share), means->df);
}

double lauka_mean_ratio_below(const struct lauka_mean_ratio *means, double share)
{
    return p_above(share * means->mean - means->difference, variance_at(means, share), means->df);
}

double lauka_mean_difference_above(const struct lauka_mean_ratio *means, double limit)
{
    return p_above(means->difference - limit, means->difference_variance, means->df);
}

static double mean_difference_below(const struct lauka_mean_ratio *means, double limit)
{
    return p_above(limit - means->difference, means->difference_variance, means->df);
}

bool lauka_mean_ratio_interval(const struct lauka_mean_ratio *means, double alpha, double *low,
                               double *high)
{
    double t = lauka_student_quantile(alpha / 2, means->df), k = t * t;
    double a = means->mean, d = means->difference, va = means->variance;
    double vd = means->difference_variance, c = means->covariance;
    double square = a * a - k * va; /* of x^2; not above 0: the reference itself may be 0 */
    if (!(square > 0))
        return false;
    double root =
        sqrt(fmax(0, k * (a * a * vd - 2 * a * d * c + d * d * va - k * (va * vd - c * c))));
    double middle = a * d - k * c;
    *low = (middle - root) / square;
    *high = (middle + root) / square;
    return true;
}

void lauka_mean_difference_interval(const struct lauka_mean_ratio *means, double alpha, double *low,
                                    double *high)
{
    double reach = -lauka_student_quantile(alpha / 2, means->df) * sqrt(means->difference_variance);
    *low = means->difference - reach;
    *high = means->difference + reach;
}

/* ---- finding them ------------------------------------------------------------------------------- */

/* The mean of each unit, to be freed by the caller. */
static int collapse(struct values *values, const uint32_t *units, double **owned)
{
    struct lauka_spread spread;
    double *own = *owned = malloc((values->count + 1) * sizeof *own);
    for (size_t i = 0; own && i < values->count; i++)
        own[i] = (double)lauka_series_at(values->series, i);
    values->own = own;
    return own ? lauka_units_collapse(own, units, true, &values->count, &spread) : ENOMEM;
}

int lauka_means_find(const struct lauka_series *reference, const struct lauka_series *other,
                     const uint32_t *units, bool unpaired, struct lauka_mean_ratio *means)
{
    struct values a = {.series = reference, .count = reference->count};
    struct values b = {.series = other, .count = other->count};
    double *owned[2] = {NULL, NULL};
    int error = units ? collapse(&a, units, &owned[0]) : 0;
    if (units && !error)
        error = collapse(&b, units, &owned[1]);
    *means = (struct lauka_mean_ratio){0};
    bool enough = a.count >= LAUKA_FEWEST_INTERVAL && b.count >= LAUKA_FEWEST_INTERVAL;
    if (!error && enough && unpaired)
        compare_unpaired(&a, &b, means);
    else if (!error && enough)
        compare_pairs(&a, &b, means);
    free(owned[0]);
    free(owned[1]);
    return error;
}

void lauka_means_enclose(const struct lauka_mean_ratio *means, struct lauka_comparison *comparison)
{
    double low, high;
    bool varies = means->variance > 0 || means->difference_variance > 0;
    if (means->df == 0 || !varies || !comparison->mean_ratio.known ||
        !lauka_mean_ratio_interval(means, LAUKA_ALPHA_FIXED, &low, &high))
        return;
    comparison->mean_low = lauka_known(1 + low);
    comparison->mean_high = lauka_known(1 + high);
}

/* ---- comparing by them ---------------------------------------------------------------------------- */

/* On the scale of logarithms, or of differences, without what rounding adds. */
static bool enclose(const struct lauka_mean_ratio *means, bool as_ratio, double alpha,
                    struct lauka_location *location)
{
    double low, high;
    location->estimate = as_ratio ? log1p(means->difference / means->mean) : means->difference;
    if (as_ratio && (!lauka_mean_ratio_interval(means, alpha, &low, &high) || low <= -1))
        return false;
    if (!as_ratio)
        lauka_mean_difference_interval(means, alpha, &low, &high);
    location->low = lauka_known(as_ratio ? log1p(low) : low);
    location->high = lauka_known(as_ratio ? log1p(high) : high);
    return true;
}

/* Two-sided, of "they differ by what rounding may have added at most". */
static double p_of(const struct lauka_mean_ratio *means, bool as_ratio, double off)
{
    double above = as_ratio ? lauka_mean_ratio_above(means, expm1(off))
                            : lauka_mean_difference_above(means, off);
    double below =
        as_ratio ? lauka_mean_ratio_below(means, expm1(-off)) : mean_difference_below(means, -off);
    return fmin(1, 2 * fmin(above, below));
}

static double p_beyond(const struct lauka_mean_ratio *means, bool as_ratio, double limit)
{
    return as_ratio ? lauka_mean_ratio_above(means, expm1(limit))
                    : lauka_mean_difference_above(means, limit);
}

static double off_of(const struct lauka_mean_ratio *means, const struct lauka_steps *steps,
                     bool as_ratio)
{
    double a = as_ratio ? means->mean : 1, b = as_ratio ? means->mean + means->difference : 1;
    return steps->reference_off / a + steps->other_off / b;
}

void lauka_means_put(const struct lauka_mean_ratio *means, const struct lauka_steps *steps,
                     bool as_ratio, const struct lauka_comparison_options *options,
                     struct lauka_comparison *comparison)
{
    double a = comparison->reference_mean, b = comparison->other_mean;
    struct lauka_location location = {.estimate = as_ratio ? log(b) - log(a) : b - a};
    double off = means->df > 0 ? off_of(means, steps, as_ratio) : 0;
    uint64_t varying = means->changed < steps->changed ? means->changed : steps->changed;
    bool constant = !(means->variance > 0) && !(means->difference_variance > 0);
    bool enough =
        constant ? off > 0 && comparison->units >= LAUKA_FEWEST_EXACT
                 : off > 0 || varying >= (uint64_t)lauka_location_needed(options->alpha, false);
    if (means->df > 0 && enough && enclose(means, as_ratio, options->alpha, &location)) {
        location.low.value -= off;
        location.high.value += off;
        location.p = lauka_known(p_of(means, as_ratio, off));
        if (options->limit.known)
            comparison->p_above = lauka_known(p_beyond(
                means, as_ratio, lauka_contrast_limit(comparison, options, as_ratio) + off));
    } else if (as_ratio && options->grain == LAUKA_GRAIN_COUNT && !constant &&
               comparison->units >= (uint64_t)lauka_location_needed(options->alpha, false)) {
        double step =
            steps->width / fmin(a, b); /* a count that hardly ever changes does so by less */
        location.low = lauka_known(fmin(0, location.estimate) - step);
        location.high = lauka_known(fmax(0, location.estimate) + step);
        location.p = lauka_known(1);
    } else {
        location.low = location.high = (struct lauka_optional){0};
    }
    if (constant)
        location.p = comparison->p_above = (struct lauka_optional){0}; /* nothing is tested */
    lauka_contrast_put(comparison, &location, constant ? LAUKA_METHOD_EXACT : LAUKA_METHOD_MEAN,
                       options->alpha, as_ratio);
    if (means->df > 0 && !constant)
        comparison->method = LAUKA_METHOD_MEAN;
}

/* ---- far values ------------------------------------------------------------------------------------ */

static uint64_t count_above(const struct lauka_series *series, double limit)
{
    uint64_t above = 0;
    for (size_t i = 0; i < series->count; i++)
        above += (double)lauka_series_at(series, i) > limit;
    return above;
}

static int pooled_limit(const struct lauka_series *reference, const struct lauka_series *other,
                        double *limit)
{
    size_t count;
    uint64_t *sorted = pool(reference, other, 1, &count);
    if (!sorted)
        return ENOMEM;
    struct lauka_robust robust = lauka_robust_of(sorted, count);
    *limit = robust.median + 6 * 1.4826 * robust.scale;
    free(sorted);
    return 0;
}

int lauka_means_far(const struct lauka_series *reference, const struct lauka_series *other,
                    bool *differ)
{
    const double rare = 0.01;
    double limit = 0;
    int error = pooled_limit(reference, other, &limit);
    *differ = false;
    if (error)
        return error;
    uint64_t left = count_above(reference, limit), right = count_above(other, limit);
    struct lauka_moments a, b;
    lauka_moments_of(reference, &a);
    lauka_moments_of(other, &b);
    bool rises = lauka_moments_mean(&b) > lauka_moments_mean(&a);
    uint64_t more = rises ? right : left;
    double share =
        (double)(rises ? other : reference)->count / (double)(reference->count + other->count);
    struct lauka_binomial binomial;
    if (more == 0)
        return 0;
    error = lauka_binomial_init(&binomial, left + right, share);
    if (!error)
        *differ = 2 * binomial.from[more] <= rare;
    lauka_binomial_done(&binomial);
    return error;
}
