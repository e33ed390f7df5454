/* Two series, or two histograms, against each other. */
#include "liblauka/hdr.h"
#include "stats/limit.h"

#include <errno.h>
#include <math.h>

/* Doubles are rounded to this many digits of the greatest of all before they are compared. */
enum { DIGITS = 15 };

static const double default_confidence = 0.95, default_precision = 0.01, gate_confidence = 0.99;

/* ---- options ----------------------------------------------------------------------------------- */

static bool is_share(double value)
{
    return value > 0 && value < 1;
}

/* Fills in the defaults. False if a value is no share. */
static bool complete(const struct lauka_compare_options *given, double confidence,
                     struct lauka_compare_options *options)
{
    *options = given ? *given : (struct lauka_compare_options){0};
    if (options->confidence == 0)
        options->confidence = confidence;
    if (options->precision == 0)
        options->precision = default_precision;
    return is_share(options->confidence) && is_share(options->precision);
}

/* ---- what is told ------------------------------------------------------------------------------ */

static struct lauka_compare_number number(struct lauka_optional value, double unit)
{
    return (struct lauka_compare_number){value.known, value.value / unit};
}

static enum lauka_compare_verdict verdict_of(enum lauka_verdict verdict)
{
    static const enum lauka_compare_verdict verdicts[] = {
        [LAUKA_VERDICT_NONE] = LAUKA_COMPARE_NONE,
        [LAUKA_VERDICT_IDENTICAL] = LAUKA_COMPARE_IDENTICAL,
        [LAUKA_VERDICT_HIGHER] = LAUKA_COMPARE_HIGHER,
        [LAUKA_VERDICT_LOWER] = LAUKA_COMPARE_LOWER,
        [LAUKA_VERDICT_EQUIVALENT] = LAUKA_COMPARE_EQUIVALENT,
        [LAUKA_VERDICT_INCONCLUSIVE] = LAUKA_COMPARE_INCONCLUSIVE,
    };
    return verdicts[verdict];
}

void lauka_compare_publish(const struct lauka_comparison *comparison, double unit,
                           struct lauka_compare_result *result)
{
    const char *method = lauka_method_name(comparison->method);
    *result = (struct lauka_compare_result){
        .verdict = verdict_of(comparison->verdict),
        .pairs = comparison->pairs,
        .ratio = number(comparison->ratio, 1),
        .ratio_low = number(comparison->low, 1),
        .ratio_high = number(comparison->high, 1),
        .difference = number(comparison->difference, unit),
        .difference_low = number(comparison->difference_low, unit),
        .difference_high = number(comparison->difference_high, unit),
        .p = number(comparison->p, 1),
        .confidence = comparison->confidence,
        .method = method ? method : "",
        .reference_mean = comparison->reference_mean / unit,
        .other_mean = comparison->other_mean / unit,
        .cohens_d = number(comparison->cohens_d, 1),
        .hedges_g = number(comparison->hedges_g, 1),
    };
}

const char *lauka_compare_verdict_name(enum lauka_compare_verdict verdict)
{
    static const char *const names[] = {"none",  "identical",  "higher",
                                        "lower", "equivalent", "inconclusive"};
    return verdict < sizeof names / sizeof *names ? names[verdict] : "none";
}

/* ---- series ------------------------------------------------------------------------------------ */

struct sides {
    struct lauka_series of[2]; /* owned: reference and other */
};

static void drop(struct sides *sides)
{
    lauka_series_done(&sides->of[0]);
    lauka_series_done(&sides->of[1]);
}

static int take(struct sides *sides, size_t side, const uint64_t *values, size_t count)
{
    int error = lauka_series_reserve(&sides->of[side], count);
    if (!error)
        lauka_series_add_all(&sides->of[side], values, count);
    return error;
}

/* Both must be released in either case. */
static int take_both(struct sides *sides, const uint64_t *reference, size_t reference_count,
                     const uint64_t *other, size_t other_count)
{
    int error = take(sides, 0, reference, reference_count);
    return error ? error : take(sides, 1, other, other_count);
}

static int compare(const struct sides *sides, const struct lauka_compare_options *options,
                   double unit, struct lauka_compare_result *result)
{
    const struct lauka_comparison_options how = {
        .alpha = 1 - options->confidence,
        .precision = options->precision,
        .unpaired = options->unpaired != 0,
    };
    struct lauka_comparison comparison = {0};
    int error = 0;
    if (sides->of[0].count > 0 && sides->of[1].count > 0)
        error = lauka_compare(&sides->of[0], &sides->of[1], &how, &comparison);
    if (!error)
        lauka_compare_publish(&comparison, unit, result);
    return error;
}

int lauka_compare_values(const uint64_t *reference, size_t reference_count, const uint64_t *other,
                         size_t other_count, const struct lauka_compare_options *options,
                         struct lauka_compare_result *result)
{
    struct lauka_compare_options all;
    struct sides sides = {0};
    *result = (struct lauka_compare_result){.method = ""};
    if (!complete(options, default_confidence, &all) ||
        (!all.unpaired && reference_count != other_count))
        return EINVAL;
    int error = take_both(&sides, reference, reference_count, other, other_count);
    if (!error)
        error = compare(&sides, &all, 1, result);
    drop(&sides);
    return error;
}

/* ---- doubles ----------------------------------------------------------------------------------- */

/* -1 if one of them cannot be measured. */
static double greatest_of(const double *values, size_t count, double greatest)
{
    for (size_t i = 0; i < count && greatest >= 0; i++)
        if (values[i] < 0 || isinf(values[i]))
            return -1;
        else if (values[i] > greatest)
            greatest = values[i];
    return greatest;
}

static int take_doubles(struct sides *sides, size_t side, const double *values, size_t count,
                        double unit)
{
    int error = lauka_series_reserve(&sides->of[side], count);
    for (size_t i = 0; i < count && !error; i++)
        lauka_series_add(&sides->of[side],
                         isnan(values[i]) ? LAUKA_MISSING : (uint64_t)llround(values[i] * unit));
    return error;
}

int lauka_compare_doubles(const double *reference, size_t reference_count, const double *other,
                          size_t other_count, const struct lauka_compare_options *options,
                          struct lauka_compare_result *result)
{
    struct lauka_compare_options all;
    struct sides sides = {0};
    double greatest = greatest_of(reference, reference_count, 0);
    greatest = greatest < 0 ? greatest : greatest_of(other, other_count, greatest);
    *result = (struct lauka_compare_result){.method = ""};
    if (greatest < 0 || !complete(options, default_confidence, &all) ||
        (!all.unpaired && reference_count != other_count))
        return EINVAL;
    double unit = greatest > 0 ? pow(10, fmin(DIGITS - 1 - floor(log10(greatest)), 300)) : 1;
    int error = take_doubles(&sides, 0, reference, reference_count, unit);
    if (!error)
        error = take_doubles(&sides, 1, other, other_count, unit);
    if (!error)
        error = compare(&sides, &all, unit, result);
    drop(&sides);
    return error;
}

/* ---- percentiles of histograms ----------------------------------------------------------------- */

/* The bucket of the value with this number, counted from 1. */
static struct lauka_bucket bucket_of(const struct lauka_hdr *histogram, uint64_t number)
{
    struct lauka_bucket bucket = {0};
    while (lauka_histogram_next(&histogram->counts, &bucket))
        if (bucket.cumulative >= number)
            break;
    return bucket;
}

static struct lauka_compare_number known(double value)
{
    return (struct lauka_compare_number){1, value};
}

/* The interval of the rank if there are enough values on both sides of it; otherwise the value alone. */
static void find_span(const struct lauka_hdr *histogram, double percent, double alpha,
                      struct lauka_compare_span *span)
{
    uint64_t low, high, total = lauka_hdr_total(histogram);
    *span = (struct lauka_compare_span){0};
    if (total == 0)
        return;
    span->value = known((double)lauka_hdr_percentile(histogram, percent));
    if (!lauka_quantile_interval(total, lauka_hdr_rank(percent), alpha, &low, &high))
        return;
    span->low = known((double)bucket_of(histogram, low).lowest);
    span->high = known((double)bucket_of(histogram, high).highest);
}

static struct lauka_span plain(const struct lauka_compare_span *span)
{
    return (struct lauka_span){span->value.value, span->low.value, span->high.value};
}

static enum lauka_compare_verdict judge(struct lauka_span difference, double most)
{
    if (difference.low > 0)
        return LAUKA_COMPARE_HIGHER;
    if (difference.high < 0)
        return LAUKA_COMPARE_LOWER;
    return difference.low >= -most && difference.high <= most ? LAUKA_COMPARE_EQUIVALENT
                                                              : LAUKA_COMPARE_INCONCLUSIVE;
}

int lauka_compare_percentile(const struct lauka_hdr *reference, const struct lauka_hdr *other,
                             double percent, const struct lauka_compare_options *options,
                             struct lauka_compare_tail *tail)
{
    struct lauka_compare_options all;
    uint32_t rank = lauka_hdr_rank(percent);
    *tail = (struct lauka_compare_tail){.verdict = LAUKA_COMPARE_NONE};
    if (!complete(options, default_confidence, &all) || rank == 0 || rank == LAUKA_RANK_WHOLE)
        return EINVAL;
    find_span(reference, percent, 1 - all.confidence, &tail->reference);
    find_span(other, percent, 1 - all.confidence, &tail->other);
    if (!tail->reference.value.known || !tail->other.value.known)
        return 0;
    struct lauka_span difference =
        lauka_span_difference(plain(&tail->reference), plain(&tail->other));
    tail->difference.value = known(difference.estimate);
    tail->verdict = LAUKA_COMPARE_INCONCLUSIVE;
    if (!tail->reference.low.known || !tail->other.low.known)
        return 0;
    tail->difference.low = known(difference.low);
    tail->difference.high = known(difference.high);
    tail->verdict = judge(difference, all.precision * tail->reference.value.value);
    return 0;
}

/* ---- limits ------------------------------------------------------------------------------------ */

static struct lauka_optional above_zero(double value)
{
    return (struct lauka_optional){value > 0, value > 0 ? value : 0};
}

/* False where it is none. */
static bool limit_of(const struct lauka_compare_limit *given, struct lauka_limit *limit)
{
    uint32_t rank = lauka_hdr_rank(given->percent);
    *limit = (struct lauka_limit){
        .statistic = given->percent > 0 ? LAUKA_STATISTIC_QUANTILE : LAUKA_STATISTIC_TYPICAL,
        .rank = rank,
        .share = above_zero(given->share),
        .absolute = above_zero(given->absolute),
        .falls = given->falls != 0,
    };
    bool is_rank = given->percent == 0 || (rank > 0 && rank < LAUKA_RANK_WHOLE);
    bool is_limit = given->share >= 0 && given->absolute >= 0 && isfinite(given->share) &&
                    isfinite(given->absolute) && (given->share > 0 || given->absolute > 0);
    return is_rank && is_limit && !(given->falls && given->share >= 1);
}

static int judge_limit(const struct sides *sides, const struct lauka_compare_options *options,
                       const struct lauka_limit *limit, enum lauka_compare_judgement *verdict,
                       uint64_t *needed)
{
    struct lauka_judgement judgement = {0};
    int error = lauka_limit_judge(limit, &sides->of[0], &sides->of[1], 1 - options->confidence,
                                  options->unpaired != 0, &judgement);
    if (needed && judgement.needed > 0)
        *needed = judgement.needed;
    if (!error)
        *verdict = judgement.verdict == LAUKA_GATE_PASS   ? LAUKA_COMPARE_PASS
                   : judgement.verdict == LAUKA_GATE_FAIL ? LAUKA_COMPARE_FAIL
                                                          : LAUKA_COMPARE_UNDECIDED;
    return error;
}

int lauka_compare_gate(const uint64_t *reference, size_t reference_count, const uint64_t *other,
                       size_t other_count, const struct lauka_compare_options *options,
                       const struct lauka_compare_limit *limit,
                       enum lauka_compare_judgement *verdict, uint64_t *needed)
{
    struct lauka_compare_options all;
    struct lauka_limit asked;
    struct sides sides = {0};
    *verdict = LAUKA_COMPARE_UNDECIDED;
    if (!complete(options, gate_confidence, &all) || !limit_of(limit, &asked) ||
        (!all.unpaired && reference_count != other_count))
        return EINVAL;
    if (needed)
        *needed = lauka_limit_rounds_needed(&asked, 1 - all.confidence);
    int error = take_both(&sides, reference, reference_count, other, other_count);
    if (!error && reference_count > 0 && other_count > 0)
        error = judge_limit(&sides, &all, &asked, verdict, needed);
    drop(&sides);
    return error;
}
