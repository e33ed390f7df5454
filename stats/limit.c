/* limit: whether something got worse by more than a limit. It fails if the interval lies wholly beyond the
 * limit, passes if it lies wholly within, and is inconclusive otherwise. The point estimate decides
 * nothing. */
#include "stats/stats.h"
#include "stats/crossover.h"
#include "stats/means.h"
#include "stats/units.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* A rise on one scale, and its limit there. */
struct rise {
    bool known, exact; /* exact: low and high are the one value that it always is */
    bool doubted;      /* it holds the limit, but the mean does not */
    double estimate, low, high, limit;
    double confidence; /* 0: as asked for */
    struct lauka_optional p;
};

/* What is judged: whether `other` rose above `reference`; falls are turned into that. */
struct sides {
    const struct lauka_limit *limit;      /* as it was given */
    struct lauka_optional share;          /* of what is the reference here */
    struct lauka_series reference, other; /* owned; only what was measured */
    uint32_t *reference_first;            /* owned; see lauka_turns_select; NULL: not known */
    uint32_t *units;                      /* owned; see lauka_series_marks; NULL: rounds */
    double alpha;
    bool unpaired, exact;
};

/* ---- what is judged ---- */

static int select_turns(struct sides *sides, const struct lauka_series *reference,
                        const struct lauka_series *other)
{
    uint32_t *first = lauka_turns_select(sides->limit->turns, reference, other);
    sides->reference_first = first;
    for (size_t i = 0; first && sides->limit->falls && i < sides->reference.count; i++)
        if (first[i] != LAUKA_TURN_THIRD)
            first[i] = !first[i]; /* the two were exchanged */
    return first ? 0 : ENOMEM;
}

static bool is_constant(const struct lauka_series *series)
{
    for (size_t i = 1; i < series->count; i++)
        if (lauka_series_at(series, i) != lauka_series_at(series, 0))
            return false;
    return series->count > 0;
}

/* Enough equal values count as the constant that it always is; but a few say nothing about a tail. */
static bool is_exact(const struct sides *sides)
{
    uint64_t fewest = sides->limit->counts ? 1 : LAUKA_FEWEST_EXACT;
    bool few = sides->limit->statistic == LAUKA_STATISTIC_QUANTILE && !sides->limit->counts;
    bool counted = sides->limit->counts || sides->limit->grain == LAUKA_GRAIN_COUNT;
    return !few && counted && sides->reference.count >= fewest && sides->other.count >= fewest &&
           is_constant(&sides->reference) && is_constant(&sides->other);
}

/* A fall by the share s is a rise of the reference above the other by s / (1 - s). */
static int sides_open(struct sides *sides, const struct lauka_limit *limit,
                      const struct lauka_series *reference, const struct lauka_series *other,
                      double alpha, bool unpaired)
{
    *sides =
        (struct sides){.limit = limit, .share = limit->share, .alpha = alpha, .unpaired = unpaired};
    if (limit->falls) {
        const struct lauka_series *swapped = reference;
        assert(!limit->share.known || limit->share.value < 1);
        reference = other;
        other = swapped;
        sides->share.value /= 1 - limit->share.value;
    }
    int error = lauka_series_pick(&sides->reference, reference, unpaired ? NULL : other);
    if (!error)
        error = lauka_series_pick(&sides->other, other, unpaired ? NULL : reference);
    if (!error && limit->units && !unpaired) {
        sides->units = lauka_series_marks(reference, other, limit->units->of, 1);
        error = sides->units ? 0 : ENOMEM;
    } else if (!error && limit->turns && !unpaired) {
        error = select_turns(sides, reference, other);
    }
    sides->exact = !error && is_exact(sides);
    return error;
}

static void sides_done(struct sides *sides)
{
    lauka_series_done(&sides->reference);
    lauka_series_done(&sides->other);
    free(sides->reference_first);
    free(sides->units);
}

static size_t fewest(const struct sides *sides)
{
    return sides->reference.count < sides->other.count ? sides->reference.count
                                                       : sides->other.count;
}

/* ---- exact ---- */

static void rise_exactly(const struct sides *sides, struct rise *rise, bool *as_share)
{
    uint64_t from = lauka_series_at(&sides->reference, 0), to = lauka_series_at(&sides->other, 0);
    rise->estimate = lauka_contrast_distance(from, to, false);
    rise->known = rise->exact = true;
    if (*as_share && from > 0)
        rise->estimate /= (double)from;
    if (*as_share && from == 0) { /* any share of nothing is nothing */
        rise->limit = 0;
        *as_share = false;
    }
    rise->low = rise->high = rise->estimate;
}

/* ---- the typical rise ---- */

/* On the scale of shares; of differences where there are zeros, or where they were asked for. */
static void take_comparison(const struct lauka_comparison *comparison, double share,
                            struct rise *rise, bool *as_share)
{
    bool asked = !*as_share;
    *as_share = comparison->log_ratio.known;
    rise->p = comparison->p_above;
    rise->confidence = comparison->confidence;
    rise->exact = comparison->method == LAUKA_METHOD_EXACT && comparison->confidence > 0;
    if (*as_share) {
        rise->known = comparison->log_low.known;
        rise->estimate = expm1(comparison->log_ratio.value);
        rise->low = expm1(comparison->log_low.value);
        rise->high = expm1(comparison->log_high.value);
        return;
    }
    rise->known = comparison->difference_low.known;
    rise->estimate = comparison->difference.value;
    rise->low = comparison->difference_low.value;
    rise->high = comparison->difference_high.value;
    if (!asked)
        rise->limit = share * comparison->reference_mean;
}

static int rise_of_typical(const struct sides *sides, struct rise *rise, bool *as_share)
{
    const struct lauka_turns turns = {
        .first = sides->reference_first,
        .stride = 1,
        .reference = LAUKA_TURN_REFERENCE,
        .other = LAUKA_TURN_OTHER,
        .cost = sides->limit->turns ? sides->limit->turns->cost : 0,
    };
    const struct lauka_units units = {sides->units, sides->units ? sides->limit->units->least : 0};
    const struct lauka_comparison_options options = {
        .alpha = sides->alpha,
        .precision = fmax(0.01, *as_share ? sides->share.value : 0),
        .unpaired = sides->unpaired,
        .repeatable = sides->limit->counts,
        .grain = sides->limit->grain,
        .bins = sides->limit->bins,
        .differences = !*as_share,
        .limit = lauka_known(rise->limit),
        .turns = sides->reference_first ? &turns : NULL,
        .units = sides->units ? &units : NULL,
    };
    struct lauka_comparison comparison;
    int error = lauka_compare(&sides->reference, &sides->other, &options, &comparison);
    if (!error)
        take_comparison(&comparison, sides->share.value, rise, as_share);
    return error;
}

static int rise_of_means(const struct sides *sides, bool as_share, struct rise *rise)
{
    struct lauka_mean_ratio means;
    int error =
        lauka_means_find(&sides->reference, &sides->other, sides->units, sides->unpaired, &means);
    if (error || means.df == 0)
        return error;
    rise->known = true;
    rise->estimate = means.difference;
    if (!as_share) {
        lauka_mean_difference_interval(&means, sides->alpha, &rise->low, &rise->high);
        rise->p = lauka_known(lauka_mean_difference_above(&means, rise->limit));
        return 0;
    }
    rise->known = lauka_mean_ratio_interval(&means, sides->alpha, &rise->low, &rise->high);
    rise->estimate = means.mean > 0 ? means.difference / means.mean : 0;
    rise->p = (struct lauka_optional){rise->known, lauka_mean_ratio_above(&means, rise->limit)};
    return 0;
}

/* Whether the mean exceeds the limit: its interval does, or it does and far values are more frequent. */
static int doubt_mean(const struct sides *sides, bool as_share, double limit, bool *doubted)
{
    struct rise mean = {.limit = limit};
    struct sides usual = *sides;
    usual.alpha = LAUKA_ALPHA_FIXED;
    int error = rise_of_means(&usual, as_share, &mean);
    *doubted = !error && mean.known && mean.low > limit;
    if (error || *doubted || !mean.known || mean.estimate <= limit)
        return error;
    return lauka_means_far(&sides->reference, &sides->other, doubted);
}

/* ---- a quantile's rise ---- */

/* Two sides with two ends each share the risk. */
static double risk_of(double alpha)
{
    return alpha / 4;
}

static double quantile_distance(uint64_t from, uint64_t to, bool as_share)
{
    double distance = lauka_contrast_distance(from, to, false);
    if (!as_share)
        return distance;
    return from > 0 ? distance / (double)from : distance > 0 ? HUGE_VAL : distance;
}

/* Ranks are from 1 on. */
struct quantile_sides {
    struct lauka_binomial reference_ranks, other_ranks;
    const uint64_t *reference, *other; /* sorted */
    bool as_share;
};

/* The smallest risk at which one side's whole interval still lies beyond the limit of the other. */
static double quantile_risk(const struct quantile_sides *sides, double limit)
{
    uint64_t lower = 1, right = sides->other_ranks.count;
    double least = 1;
    for (uint64_t upper = 1; upper <= sides->reference_ranks.count; upper++) {
        uint64_t from = sides->reference[upper - 1];
        while (lower <= right &&
               quantile_distance(from, sides->other[lower - 1], sides->as_share) <= limit)
            lower++;
        if (lower > right)
            break;
        least = fmin(least,
                     fmax(sides->reference_ranks.from[upper], sides->other_ranks.up_to[lower - 1]));
    }
    return least;
}

static void enclose_quantiles(const struct quantile_sides *sides, uint32_t rank, double alpha,
                              struct rise *rise)
{
    uint64_t left = sides->reference_ranks.count, right = sides->other_ranks.count;
    uint64_t a_low = lauka_binomial_lower(&sides->reference_ranks, risk_of(alpha));
    uint64_t a_high = lauka_binomial_upper(&sides->reference_ranks, risk_of(alpha));
    uint64_t b_low = lauka_binomial_lower(&sides->other_ranks, risk_of(alpha));
    uint64_t b_high = lauka_binomial_upper(&sides->other_ranks, risk_of(alpha));
    rise->estimate =
        quantile_distance(lauka_sorted_quantile(sides->reference, left, rank),
                          lauka_sorted_quantile(sides->other, right, rank), sides->as_share);
    rise->known = a_low > 0 && a_high <= left && b_low > 0 && b_high <= right &&
                  (!sides->as_share || sides->reference[a_low - 1] > 0);
    if (!rise->known)
        return;
    rise->low =
        quantile_distance(sides->reference[a_high - 1], sides->other[b_low - 1], sides->as_share);
    rise->high =
        quantile_distance(sides->reference[a_low - 1], sides->other[b_high - 1], sides->as_share);
    rise->p = lauka_known(fmin(1, 2 * quantile_risk(sides, rise->limit)));
}

static int rise_of_quantiles(struct sides *sides, bool as_share, struct rise *rise)
{
    uint32_t rank = sides->limit->rank;
    double p = (double)rank / LAUKA_RANK_WHOLE;
    uint64_t *reference = lauka_series_widen(&sides->reference);
    uint64_t *other = lauka_series_widen(&sides->other);
    struct quantile_sides quantiles = {
        .reference = reference, .other = other, .as_share = as_share};
    int error = lauka_sort_integers(reference, sides->reference.count);
    error = error ? error : lauka_sort_integers(other, sides->other.count);
    if (!error)
        error = lauka_binomial_init(&quantiles.reference_ranks, sides->reference.count, p);
    if (!error)
        error = lauka_binomial_init(&quantiles.other_ranks, sides->other.count, p);
    if (!error)
        enclose_quantiles(&quantiles, rank, sides->alpha, rise);
    lauka_binomial_done(&quantiles.reference_ranks);
    lauka_binomial_done(&quantiles.other_ranks);
    return error;
}

/* ---- the judgement ---- */

/* *as_share: the scale that was asked for; the typical rise has no share if there are zeros. */
static int find_rise(struct sides *sides, bool *as_share, struct rise *rise)
{
    if (sides->exact) {
        rise_exactly(sides, rise, as_share);
        return 0;
    }
    if (sides->units && sides->limit->statistic != LAUKA_STATISTIC_TYPICAL)
        return 0; /* of rounds that share a unit, neither a mean nor a tail has an interval */
    switch (sides->limit->statistic) {
    case LAUKA_STATISTIC_TYPICAL:
        return rise_of_typical(sides, rise, as_share);
    case LAUKA_STATISTIC_MEAN:
        return rise_of_means(sides, *as_share, rise);
    case LAUKA_STATISTIC_QUANTILE:
        break;
    }
    return rise_of_quantiles(sides, *as_share, rise);
}

/* An exact change has no other end: a change equal to the limit is not beyond it. */
static enum lauka_gate verdict_of(const struct rise *rise)
{
    if (!rise->known)
        return LAUKA_GATE_INCONCLUSIVE;
    if (rise->low > rise->limit)
        return LAUKA_GATE_FAIL;
    bool within = rise->exact ? rise->high <= rise->limit : rise->high < rise->limit;
    return within ? LAUKA_GATE_PASS : LAUKA_GATE_INCONCLUSIVE;
}

/* As a share, a rise by x mirrors a fall by x / (1 + x). */
static double mirrored(double value, bool as_share)
{
    return as_share ? -value / (1 + value) : 0 - value;
}

static void put_rise(const struct rise *rise, bool as_share, bool falls,
                     struct lauka_judgement *judgement)
{
    struct lauka_optional estimate = lauka_known(rise->estimate);
    struct lauka_optional low = {rise->known, rise->low}, high = {rise->known, rise->high};
    if (falls) {
        estimate.value = mirrored(rise->estimate, as_share);
        low.value = mirrored(rise->high, as_share);
        high.value = mirrored(rise->low, as_share);
    }
    if (!isfinite(estimate.value)) /* from nothing to something */
        estimate = (struct lauka_optional){0};
    if (!low.known || !isfinite(low.value) || !isfinite(high.value))
        low = high = (struct lauka_optional){0};
    if (as_share) {
        judgement->change = estimate;
        judgement->change_low = low;
        judgement->change_high = high;
    } else {
        judgement->difference = estimate;
        judgement->difference_low = low;
        judgement->difference_high = high;
    }
}

/* With two limits, both must be exceeded to fail; one that holds is enough to pass. */
static void combine(struct lauka_judgement *judgement, const struct rise *rise, bool first)
{
    enum lauka_gate verdict = rise->doubted ? LAUKA_GATE_INCONCLUSIVE : verdict_of(rise);
    bool pass = verdict == LAUKA_GATE_PASS || (!first && judgement->verdict == LAUKA_GATE_PASS);
    bool fail = verdict == LAUKA_GATE_FAIL && (first || judgement->verdict == LAUKA_GATE_FAIL);
    judgement->verdict = pass ? LAUKA_GATE_PASS : fail ? LAUKA_GATE_FAIL : LAUKA_GATE_INCONCLUSIVE;
    if (first)
        judgement->p = rise->p;
    else if (rise->p.known && (!judgement->p.known || rise->p.value > judgement->p.value))
        judgement->p = rise->p;
    judgement->exact = rise->exact;
    judgement->mean_doubted |= rise->doubted;
    judgement->confidence = rise->confidence;
}

static int judge_sides(struct sides *sides, struct lauka_judgement *judgement)
{
    bool first = true;
    for (int scale = 0; scale < 2; scale++) {
        bool as_share = scale == 0;
        struct lauka_optional limit = as_share ? sides->share : sides->limit->absolute;
        struct rise rise = {.limit = limit.value};
        if (!limit.known)
            continue;
        int error = find_rise(sides, &as_share, &rise);
        if (error)
            return error;
        if (sides->limit->statistic == LAUKA_STATISTIC_TYPICAL && !rise.exact &&
            verdict_of(&rise) == LAUKA_GATE_PASS)
            error = doubt_mean(sides, as_share, rise.limit, &rise.doubted);
        if (error)
            return error;
        combine(judgement, &rise, first);
        put_rise(&rise, as_share, sides->limit->falls, judgement);
        first = false;
    }
    return 0;
}

/* For the typical rise, as many as ranks need: Student's t gives an interval before, but no verdict. */
static uint64_t rounds_needed(const struct lauka_limit *limit, double alpha, bool unpaired)
{
    if (limit->most.known)
        return lauka_budget_rounds_needed(limit, alpha);
    if (limit->counts)
        return 1;
    if (limit->statistic == LAUKA_STATISTIC_QUANTILE)
        return lauka_quantile_values_needed((double)limit->rank / LAUKA_RANK_WHOLE, risk_of(alpha));
    if (limit->statistic == LAUKA_STATISTIC_MEAN)
        return LAUKA_FEWEST_ROUNDS;
    return unpaired ? (uint64_t)lauka_location_needed(alpha, true) : lauka_family_rounds(alpha);
}

static void explain(const struct lauka_limit *limit, double alpha, bool unpaired,
                    struct lauka_judgement *judgement)
{
    bool interval = judgement->change_low.known || judgement->difference_low.known;
    judgement->needed = rounds_needed(limit, alpha, unpaired);
    if (judgement->confidence <= 0 || !interval)
        judgement->confidence = interval ? 1 - alpha : 0;
    if (limit->units && judgement->needed < limit->units->least)
        judgement->needed = limit->units->least;
    bool held_back = interval && !judgement->exact && judgement->pairs < judgement->needed;
    if (held_back)
        judgement->verdict = LAUKA_GATE_INCONCLUSIVE;
    if (judgement->verdict != LAUKA_GATE_INCONCLUSIVE)
        judgement->undecided = LAUKA_UNDECIDED_NOT;
    else if (judgement->pairs == 0)
        judgement->undecided = LAUKA_UNDECIDED_UNKNOWN;
    else if (judgement->mean_doubted && !held_back)
        judgement->undecided = LAUKA_UNDECIDED_MEAN;
    else if (limit->units && limit->statistic != LAUKA_STATISTIC_TYPICAL && !judgement->exact)
        judgement->undecided = LAUKA_UNDECIDED_UNITS;
    else if (interval && !held_back)
        judgement->undecided = LAUKA_UNDECIDED_AROUND;
    else if (judgement->pairs < judgement->needed)
        judgement->undecided = LAUKA_UNDECIDED_FEW;
    else
        judgement->undecided = limit->statistic == LAUKA_STATISTIC_TYPICAL
                                   ? LAUKA_UNDECIDED_STEPS
                                   : LAUKA_UNDECIDED_UNKNOWN;
}

/* Counts units where rounds share them. */
static int count_pairs(const struct sides *sides, uint64_t *pairs)
{
    *pairs = fewest(sides);
    return sides->units ? lauka_units_count(sides->units, fewest(sides), pairs) : 0;
}

int lauka_limit_judge(const struct lauka_limit *limit, const struct lauka_series *reference,
                      const struct lauka_series *other, double alpha, bool unpaired,
                      struct lauka_judgement *judgement)
{
    assert(alpha > 0 && alpha < 1 && (unpaired || reference->count == other->count));
    *judgement = (struct lauka_judgement){0};
    struct sides sides;
    int error = sides_open(&sides, limit, reference, other, alpha, unpaired);
    if (!error)
        error = count_pairs(&sides, &judgement->pairs);
    if (!error && judgement->pairs > 0)
        error = judge_sides(&sides, judgement);
    if (error)
        *judgement = (struct lauka_judgement){0};
    explain(limit, alpha, unpaired, judgement);
    sides_done(&sides);
    return error;
}

int lauka_limit_judge_streamed(const struct lauka_limit *limit, const struct lauka_paired_log *log,
                               double alpha, struct lauka_judgement *judgement)
{
    const struct lauka_comparison_options options = {
        .alpha = alpha,
        .precision = fmax(0.01, limit->share.value),
        .limit = limit->share,
    };
    struct lauka_comparison comparison;
    *judgement = (struct lauka_judgement){.undecided = LAUKA_UNDECIDED_VALUES};
    if (limit->statistic != LAUKA_STATISTIC_TYPICAL || limit->falls || limit->absolute.known)
        return 0;
    int error = lauka_compare_streamed(log, &options, &comparison);
    if (error)
        return error;
    struct rise rise = {.limit = limit->share.value};
    bool as_share = true;
    take_comparison(&comparison, limit->share.value, &rise, &as_share);
    judgement->pairs = comparison.pairs;
    combine(judgement, &rise, true);
    put_rise(&rise, as_share, false, judgement);
    explain(limit, alpha, false, judgement);
    return 0;
}

/* Within its limit by its own estimate, so that it tells nothing about failures (Ellis, Pecanka & Goeman 2020,
 * with lambda = 1/2): it counts for nothing, and the others pay for that by twice their p. Of one or two that
 * would never help. */
static struct lauka_optional conditional(struct lauka_optional p, uint64_t tests)
{
    if (tests <= 2 || !p.known)
        return p;
    return p.value <= 0.5 ? lauka_known(2 * p.value) : (struct lauka_optional){0};
}

int lauka_limit_judge_family(struct lauka_judgement *const *judgements, size_t count, double alpha)
{
    struct lauka_optional *p = calloc(count + 1, sizeof *p);
    bool *stands = calloc(count + 1, sizeof *stands);
    int error = p && stands ? 0 : ENOMEM;
    uint64_t tests = 0;
    for (size_t i = 0; i < count; i++)
        tests += judgements[i]->p.known;
    for (size_t i = 0; !error && i < count; i++)
        p[i] = conditional(judgements[i]->p, tests);
    if (!error)
        lauka_family_holm(p, NULL, count, alpha / 2, stands);
    for (size_t i = 0; !error && i < count; i++) {
        judgements[i]->family = judgements[i]->p.known ? tests : 0;
        if (judgements[i]->verdict == LAUKA_GATE_FAIL && judgements[i]->p.known && !stands[i]) {
            judgements[i]->verdict = LAUKA_GATE_INCONCLUSIVE;
            judgements[i]->undecided = LAUKA_UNDECIDED_FAMILY;
        }
    }
    free(p);
    free(stands);
    return error;
}

uint64_t lauka_limit_rounds_needed(const struct lauka_limit *limit, double alpha)
{
    return rounds_needed(limit, alpha, false);
}
