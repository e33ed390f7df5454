/* Comparisons: properties of any two series. Known answers are in vectors.c. */
#include "stats/crossover.h"
#include "stats/stats.h"

#include "tests/unit/numbers.h"
#include "tests/unit/pairs.h"

static void fill(enum kind kind, struct lauka_random *random, uint64_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        values[i] = value_of(kind, random);
}

/* ---- compare.c: swapping, scaling, permuting --------------------------------------------------------- */

static bool mirrored(struct lauka_optional forth, struct lauka_optional back)
{
    return forth.known == back.known &&
           (forth.known ? same_bits(back.value, 0.0 - forth.value) : same_optional(forth, back));
}

/* Ratios of means are quotients of sums, which round; between 1 and 2^64 they keep few digits. */
static bool close(struct lauka_optional one, struct lauka_optional two, double sign)
{
    return one.known == two.known &&
           fabs(one.value - sign * two.value) <= 1e-9 * fmax(1, fabs(one.value));
}

static enum lauka_verdict opposite(enum lauka_verdict verdict)
{
    if (verdict == LAUKA_VERDICT_HIGHER)
        return LAUKA_VERDICT_LOWER;
    return verdict == LAUKA_VERDICT_LOWER ? LAUKA_VERDICT_HIGHER : verdict;
}

static void expect_mirrored(const struct lauka_comparison *forth,
                            const struct lauka_comparison *back)
{
    if (forth->method == LAUKA_METHOD_MEAN) {
        EXPECT(close(forth->log_ratio, back->log_ratio, -1) && close(forth->p, back->p, 1));
        EXPECT(close(forth->log_low, back->log_high, -1));
        EXPECT(close(forth->log_high, back->log_low, -1));
    } else {
        EXPECT(mirrored(forth->log_ratio, back->log_ratio) && same_optional(forth->p, back->p));
        EXPECT(mirrored(forth->log_low, back->log_high));
        EXPECT(mirrored(forth->log_high, back->log_low));
    }
    EXPECT(mirrored(forth->difference, back->difference));
    EXPECT(mirrored(forth->difference_low, back->difference_high));
    EXPECT(mirrored(forth->difference_high, back->difference_low));
    EXPECT(mirrored(forth->cohens_d, back->cohens_d));
    EXPECT(mirrored(forth->hedges_g, back->hedges_g));
    EXPECT(forth->method == back->method);
    EXPECT(forth->verdict == opposite(back->verdict));
    EXPECT(forth->below_precision == back->below_precision);
    EXPECT(same_bits(forth->reference_mean, back->other_mean));
    if (forth->mean_ratio.known && back->mean_ratio.known)
        EXPECT_NEAR(back->mean_ratio.value, 1 / forth->mean_ratio.value, 1e-15);
}

static void swapping_mirrors_the_comparison(void)
{
    struct lauka_random random;
    lauka_random_seed(&random, 12);
    for (size_t count = 1; count < 260; count += count < 20 ? 1 : 37)
        for (enum kind kind = TIMES; kind < KINDS; kind++) {
            uint64_t a[260], b[260];
            fill(kind, &random, a, count);
            fill(kind, &random, b, count);
            struct lauka_comparison forth = comparison_of(a, b, count);
            struct lauka_comparison back = comparison_of(b, a, count);
            expect_mirrored(&forth, &back);
            size_t more = 1 + (size_t)lauka_random_below(&random, count);
            forth = compared(a, count, b, more, &unpaired);
            back = compared(b, more, a, count, &unpaired);
            expect_mirrored(&forth, &back);
            forth = streamed(a, b, count);
            back = streamed(b, a, count);
            expect_mirrored(&forth, &back);
        }
}

static void equal_bits(const struct lauka_comparison *one, const struct lauka_comparison *two)
{
    EXPECT(same_optional(one->log_ratio, two->log_ratio));
    if (one->method == LAUKA_METHOD_MEAN) {
        EXPECT(close(one->log_low, two->log_low, 1) && close(one->log_high, two->log_high, 1));
        EXPECT(close(one->p, two->p, 1) && close(one->geomean_ratio, two->geomean_ratio, 1));
    } else {
        EXPECT(same_optional(one->geomean_ratio, two->geomean_ratio));
        EXPECT(same_optional(one->log_low, two->log_low));
        EXPECT(same_optional(one->log_high, two->log_high));
        EXPECT(same_optional(one->p, two->p));
    }
    EXPECT(one->verdict == two->verdict && one->method == two->method);
}

static void a_power_of_two_on_both_sides_changes_nothing(void)
{
    struct lauka_random random;
    lauka_random_seed(&random, 23);
    uint64_t a[40], b[40], more_a[40], more_b[40];
    fill(TIMES, &random, a, 40);
    fill(TIMES, &random, b, 40);
    struct lauka_comparison before = comparison_of(a, b, 40);
    for (int k = 1; k <= 38; k++) {
        for (size_t i = 0; i < 40; i++) {
            more_a[i] = a[i] << k;
            more_b[i] = b[i] << k;
        }
        struct lauka_comparison after = comparison_of(more_a, more_b, 40);
        equal_bits(&before, &after);
    }
}

static void the_order_of_rounds_changes_nothing(void)
{
    struct lauka_random random;
    lauka_random_seed(&random, 24);
    for (enum kind kind = TIMES; kind < KINDS; kind++)
        for (size_t count = 3; count < 60; count = count * 2 + 1) {
            uint64_t a[64], b[64], mixed_a[64], mixed_b[64];
            uint32_t order[64];
            fill(kind, &random, a, count);
            fill(kind, &random, b, count);
            for (uint32_t i = 0; i < count; i++)
                order[i] = i;
            lauka_random_shuffle(&random, order, count);
            for (size_t i = 0; i < count; i++) {
                mixed_a[i] = a[order[i]];
                mixed_b[i] = b[order[i]];
            }
            struct lauka_comparison one = comparison_of(a, b, count);
            struct lauka_comparison two = comparison_of(mixed_a, mixed_b, count);
            equal_bits(&one, &two);
            EXPECT(close(one.difference, two.difference, 1));
        }
}

static bool finite_or_unknown(struct lauka_optional optional)
{
    return optional.known ? isfinite(optional.value) : optional.value == 0;
}

static void expect_finite(const struct lauka_comparison *c)
{
    const struct lauka_optional all[] = {
        c->ratio,           c->low,          c->high,       c->log_ratio,
        c->log_low,         c->log_high,     c->difference, c->difference_low,
        c->difference_high, c->half_width,   c->p,          c->p_above,
        c->mean_ratio,      c->median_ratio, c->min_ratio,  c->geomean_ratio,
        c->cohens_d,        c->hedges_g,
    };
    for (size_t i = 0; i < COUNT(all); i++)
        EXPECT(finite_or_unknown(all[i]));
    EXPECT(isfinite(c->reference_mean) && isfinite(c->other_mean));
    EXPECT(!c->p.known || (c->p.value > 0 && c->p.value <= 1));
    EXPECT(c->low.known == c->high.known && c->low.known == c->log_low.known);
    EXPECT(!(c->ratio.known && c->difference.known));
    if (c->low.known)
        EXPECT(c->low.value <= c->high.value);
}

/* limit: on the rise, as a share. */
static struct lauka_judgement judged(const uint64_t *a, const uint64_t *b, size_t count,
                                     double limit, double alpha)
{
    struct lauka_series reference = series_of(a, count), other = series_of(b, count);
    const struct lauka_limit rise = {.share = {true, limit}};
    struct lauka_judgement judgement;
    EXPECT(lauka_limit_judge(&rise, &reference, &other, alpha, false, &judgement) == 0);
    lauka_series_done(&reference);
    lauka_series_done(&other);
    return judgement;
}

/* Also checks that a difference is claimed exactly when it is significant. */
static void nothing_that_is_not_finite_leaves(void)
{
    const struct lauka_comparison_options options = {
        .alpha = 0.03, .precision = 0.01, .limit = {true, 0.02}};
    struct lauka_random random;
    lauka_random_seed(&random, 25);
    for (size_t count = 0; count < 30; count++)
        for (enum kind left = TIMES; left < KINDS; left++)
            for (enum kind right = TIMES; right < KINDS; right++) {
                uint64_t a[30], b[30];
                fill(left, &random, a, count);
                fill(right, &random, b, count);
                struct lauka_comparison all[] = {
                    compared(a, count, b, count, &options),
                    compared(a, count, b, count / 2, &unpaired),
                    streamed(a, b, count),
                };
                for (size_t i = 0; i < COUNT(all); i++)
                    expect_finite(&all[i]);
                bool claimed =
                    all[0].verdict == LAUKA_VERDICT_HIGHER || all[0].verdict == LAUKA_VERDICT_LOWER;
                bool few = lauka_verdict_needs_more(&all[0]);
                if (all[0].p.known)
                    EXPECT(claimed == (all[0].p.value <= 0.03 && !few));
                bool fails = judged(a, b, count, 0.02, 0.03).verdict == LAUKA_GATE_FAIL;
                if (all[0].p_above.known && !few)
                    EXPECT(fails == (all[0].p_above.value <= 0.015));
            }
}

/* ---- compare.c: cases -------------------------------------------------------------------------------- */

static void a_command_that_takes_more_has_a_positive_d_and_a_ratio_above_one(void)
{
    struct lauka_comparison comparison =
        comparison_of((uint64_t[]){10, 12, 11}, (uint64_t[]){20, 22, 21}, 3);
    EXPECT(exactly(comparison.cohens_d, 10));
    EXPECT_NEAR(comparison.mean_ratio.value, 21.0 / 11, 1e-15);
    EXPECT(exactly(comparison.min_ratio, 2));
}

static void a_series_against_itself_has_d_zero_and_ratio_one(void)
{
    static const uint64_t values[] = {10, 12, 11};
    struct lauka_comparison comparison = comparison_of(values, values, 3);
    EXPECT(exactly(comparison.cohens_d, 0));
    EXPECT(exactly(comparison.hedges_g, 0));
    EXPECT(exactly(comparison.mean_ratio, 1));
}

static void equal_constants_have_d_zero_and_different_ones_have_none(void)
{
    static const uint64_t five[] = {5, 5, 5}, six[] = {6, 6, 6};
    EXPECT(exactly(comparison_of(five, five, 3).cohens_d, 0));
    EXPECT(exactly(comparison_of(five, five, 3).hedges_g, 0));
    EXPECT(unknown(comparison_of(five, six, 3).cohens_d));
    EXPECT(unknown(comparison_of(five, six, 3).hedges_g));
    EXPECT(exactly(comparison_of(five, six, 3).mean_ratio, 6.0 / 5));
}

static void a_ratio_to_zero_is_not_known_and_a_ratio_of_zero_is(void)
{
    static const uint64_t none[] = {0, 0}, some[] = {3, 5};
    struct lauka_comparison comparison = comparison_of(none, some, 2);
    EXPECT(unknown(comparison.mean_ratio));
    EXPECT(unknown(comparison.median_ratio));
    EXPECT(unknown(comparison.min_ratio));
    EXPECT(comparison.cohens_d.known);

    comparison = comparison_of(some, none, 2);
    EXPECT(exactly(comparison.mean_ratio, 0));
    EXPECT(exactly(comparison.median_ratio, 0));
    EXPECT(exactly(comparison.min_ratio, 0));

    EXPECT(unknown(comparison_of(none, none, 2).mean_ratio));
}

static void one_pair_has_ratios_and_no_effect_size(void)
{
    struct lauka_comparison comparison = comparison_of((uint64_t[]){4}, (uint64_t[]){6}, 1);
    EXPECT_UINT(comparison.pairs, 1);
    EXPECT(exactly(comparison.mean_ratio, 1.5));
    EXPECT(unknown(comparison.cohens_d));
    EXPECT(unknown(comparison.hedges_g));
}

static void no_pairs_compare_to_nothing(void)
{
    static const uint64_t left[] = {LAUKA_MISSING, 1}, right[] = {2, LAUKA_MISSING};
    struct lauka_comparison comparison = comparison_of(left, right, 2);
    EXPECT_UINT(comparison.pairs, 0);
    EXPECT(unknown(comparison.mean_ratio));
    EXPECT(unknown(comparison.cohens_d));

    struct lauka_series empty = {0};
    EXPECT(lauka_compare(&empty, &empty, &fixed, &comparison) == 0);
    EXPECT_UINT(comparison.pairs, 0);
}

static void a_round_missing_in_one_series_is_left_out_of_both(void)
{
    static const uint64_t a[] = {10, 1000, 12, 11}, b[] = {20, LAUKA_MISSING, 22, 21};
    struct lauka_comparison comparison = comparison_of(a, b, 4);
    EXPECT_UINT(comparison.pairs, 3);
    EXPECT(exactly(comparison.cohens_d, 10));
}

/* J is computed with libm's lgamma, which loses digits as pairs grow, but not too many for this
 * tolerance. */
static void hedges_correction_is_the_exact_one(void)
{
    for (size_t count = 2; count <= 4096; count = count * 3 / 2 + 1) {
        struct lauka_random random;
        lauka_random_seed(&random, count);
        uint64_t *a = malloc(count * sizeof *a), *b = malloc(count * sizeof *b);
        if (!a || !b)
            abort();
        fill_with_times(&random, a, count);
        fill_with_times(&random, b, count);
        a[0]++; /* two equal pairs would have d = 0 */
        struct lauka_comparison comparison = comparison_of(a, b, count);
        double half = (double)(count - 1);
        double correction = exp(lgamma(half) - lgamma(half - 0.5)) / sqrt(half);
        EXPECT_NEAR(comparison.hedges_g.value, comparison.cohens_d.value * correction, 1e-10);
        free(a);
        free(b);
    }
}

static void too_few_pairs_have_an_estimate_and_no_interval(void)
{
    struct lauka_comparison comparison = comparison_of((uint64_t[]){4, 5}, (uint64_t[]){6, 7}, 2);
    EXPECT(comparison.ratio.known && unknown(comparison.low) && unknown(comparison.high));
    EXPECT(unknown(comparison.p) && unknown(comparison.half_width));
    EXPECT(comparison.confidence == 0);
    EXPECT(lauka_method_name(comparison.method) == NULL);
    EXPECT_TEXT(lauka_verdict_name(comparison.verdict), "inconclusive");
    EXPECT(lauka_verdict_name(comparison_of(NULL, NULL, 0).verdict) == NULL);
}

static void rounds_too_few_for_ranks_have_an_interval_and_no_verdict(void)
{
    static const uint64_t a[] = {1000, 1010, 1005, 1002, 1007, 1001, 1003},
                          b[] = {2000, 2010, 2020, 2015, 2004, 2031, 2017};
    for (size_t count = 3; count <= 7; count++) {
        struct lauka_comparison few = compared(a, count, b, count, &fixed);
        bool ranks = count >= LAUKA_FEWEST_ROUNDS;
        EXPECT(few.p.value < 0.05 && few.low.value > 1.9);
        EXPECT(few.method == (ranks ? LAUKA_METHOD_HODGES_LEHMANN : LAUKA_METHOD_PAIRED_T));
        EXPECT(few.verdict == (ranks ? LAUKA_VERDICT_HIGHER : LAUKA_VERDICT_INCONCLUSIVE));
        EXPECT(lauka_verdict_needs_more(&few) == !ranks);
    }
    EXPECT(judged(a, b, 7, 0.02, 0.01).verdict == LAUKA_GATE_INCONCLUSIVE);
}

/* At 70 %, ranks need four rounds, which is fewer than any verdict. */
static void however_little_is_asked_for_a_verdict_needs_six_rounds(void)
{
    static const uint64_t a[] = {1000, 1010, 1005, 1002, 1007, 1001},
                          b[] = {2000, 2010, 2020, 2015, 2004, 2031};
    const struct lauka_comparison_options loose = {.alpha = 0.3, .precision = 0.01};
    for (size_t count = 4; count <= LAUKA_FEWEST_ROUNDS; count++) {
        struct lauka_comparison few = compared(a, count, b, count, &loose);
        bool enough = count == LAUKA_FEWEST_ROUNDS;
        EXPECT(few.method == LAUKA_METHOD_HODGES_LEHMANN && few.low.value > 1.9);
        EXPECT(few.verdict == (enough ? LAUKA_VERDICT_HIGHER : LAUKA_VERDICT_INCONCLUSIVE));
    }
}

/* Twelve rounds whose values are alike within each, or not at all. */
static struct lauka_comparison in_rounds(bool alike, size_t count, bool drawn)
{
    static const uint64_t noise[] = {1000, 1061, 1013, 1092, 1007, 1044,
                                     1029, 1083, 1003, 1071, 1019, 1037};
    static const size_t other[] = {6, 5, 9, 11, 7, 4, 3, 1, 8, 10, 0, 2};
    static const uint32_t first[12] = {0, 1, 1, 0, 1, 0, 0, 1, 0, 1, 1, 0};
    const struct lauka_turns turns = {.first = first, .stride = 1, .other = 1};
    const struct lauka_comparison_options options = {
        .alpha = 0.05, .precision = 0.01, .turns = drawn ? &turns : NULL};
    uint64_t a[12], b[12];
    for (size_t i = 0; i < count; i++) {
        a[i] = noise[i];
        b[i] = noise[alike ? i : other[i]] + 3 + i % 3;
    }
    return compared(a, count, b, count, &options);
}

static void values_of_rounds_that_have_little_in_common_are_ranked_together(void)
{
    EXPECT(in_rounds(false, 12, true).method == LAUKA_METHOD_POOLED);
    EXPECT(in_rounds(true, 12, true).method == LAUKA_METHOD_HODGES_LEHMANN);
    EXPECT(in_rounds(false, 12, false).method == LAUKA_METHOD_HODGES_LEHMANN);
    EXPECT(in_rounds(false, LAUKA_FEWEST_POOLED - 1, true).method == LAUKA_METHOD_HODGES_LEHMANN);
    struct lauka_comparison pooled = in_rounds(false, 12, true);
    EXPECT(pooled.low.value < pooled.ratio.value && pooled.ratio.value < pooled.high.value);
    EXPECT_TEXT(lauka_method_name(pooled.method), "hodges_lehmann_pooled");
}

/* For 0.05 / 8, ranks need 9 pairs: with 8, p is at least 2^-7, which is above 0.00625. */
static void among_many_a_claim_needs_more_rounds(void)
{
    static const uint64_t a[] = {1000, 1010, 1005, 1002, 1000, 1003, 1007, 1001, 999},
                          b[] = {1100, 1110, 1120, 1105, 1100, 1103, 1130, 1111, 1102};
    EXPECT_UINT(lauka_family_rounds(0.05 / 8), 9);
    EXPECT_UINT(lauka_family_rounds(0.05), 6);
    EXPECT_UINT(lauka_family_rounds(0.2), LAUKA_FEWEST_ROUNDS);
    for (size_t count = 8; count <= 9; count++) {
        struct lauka_comparison all[8], *pointers[8];
        for (size_t i = 0; i < 8; i++) {
            all[i] = compared(a, count, b, count, &fixed);
            all[i].p.value = 1e-9; /* as by the cost of a place and Student's t */
            pointers[i] = &all[i];
        }
        EXPECT(lauka_family_judge(pointers, NULL, 8, 0.05) == 0);
        EXPECT(all[0].verdict == (count == 9 ? LAUKA_VERDICT_HIGHER : LAUKA_VERDICT_INCONCLUSIVE));
        EXPECT(all[0].withdrawn == (count < 9));
    }
}

static void constants_are_exact_from_four_pairs_on(void)
{
    static const uint64_t five[] = {5, 5, 5, 5}, six[] = {6, 6, 6, 6}, none[] = {0, 0, 0, 0};
    EXPECT(comparison_of(five, six, 3).verdict == LAUKA_VERDICT_INCONCLUSIVE);
    struct lauka_comparison higher = comparison_of(five, six, 4);
    EXPECT_TEXT(lauka_method_name(higher.method), "exact");
    EXPECT(higher.verdict == LAUKA_VERDICT_HIGHER && unknown(higher.p));
    EXPECT(exactly(higher.low, higher.ratio.value) && exactly(higher.half_width, 0));
    EXPECT_NEAR(higher.ratio.value, 1.2, 1e-15);
    EXPECT(comparison_of(five, five, 4).verdict == LAUKA_VERDICT_IDENTICAL);
    EXPECT(comparison_of(none, none, 4).verdict == LAUKA_VERDICT_IDENTICAL);
    EXPECT(exactly(comparison_of(none, none, 4).difference, 0));
    EXPECT(comparison_of(six, none, 4).verdict == LAUKA_VERDICT_LOWER);
    EXPECT(compared(five, 4, six, 4, &unpaired).method == LAUKA_METHOD_EXACT);
    EXPECT(streamed(none, none, 4).verdict == LAUKA_VERDICT_IDENTICAL);
}

static void a_zero_turns_ratios_into_differences(void)
{
    static const uint64_t a[] = {0, 10, 20, 10, 0, 10, 20, 10},
                          b[] = {5, 15, 26, 16, 7, 17, 28, 18};
    struct lauka_comparison comparison = comparison_of(a, b, COUNT(a));
    EXPECT(unknown(comparison.ratio) && unknown(comparison.log_ratio) && unknown(comparison.low));
    EXPECT(comparison.difference.known && comparison.difference_low.value >= 5);
    EXPECT(comparison.difference_high.value <= 8);
    EXPECT(comparison.verdict == LAUKA_VERDICT_HIGHER);
    EXPECT(judged(a, b, COUNT(a), 0.1, 0.05).verdict == LAUKA_GATE_FAIL); /* the mean is 10 */
    EXPECT(judged(a, b, COUNT(a), 1, 0.05).verdict == LAUKA_GATE_PASS);
    comparison = streamed(a, b, COUNT(a));
    EXPECT(comparison.method == LAUKA_METHOD_NONE && unknown(comparison.difference));
    EXPECT(comparison.verdict == LAUKA_VERDICT_INCONCLUSIVE && comparison.mean_ratio.known);
}

static void small_differences_are_equivalent_or_below_precision(void)
{
    uint64_t a[20], b[20], c[20];
    for (size_t i = 0; i < 20; i++) {
        a[i] = 1000000 + 97 * i;
        b[i] = a[i] + (i % 2 ? 500 : 0) - (i % 2 ? 0 : 500);
        c[i] = a[i] + 3000 + i;
    }
    EXPECT(comparison_of(a, b, 20).verdict == LAUKA_VERDICT_EQUIVALENT);
    struct lauka_comparison higher = comparison_of(a, c, 20);
    EXPECT(higher.verdict == LAUKA_VERDICT_HIGHER && higher.below_precision);
    for (size_t i = 0; i < 20; i++)
        c[i] = a[i] * 2;
    EXPECT(!comparison_of(a, c, 20).below_precision);
}

static void unpaired_series_may_differ_in_length(void)
{
    static const uint64_t a[] = {100, 101, LAUKA_MISSING, 102, 103, 104};
    static const uint64_t b[] = {201, 202, 203, 204, 205, 206, 207, LAUKA_MISSING};
    struct lauka_comparison comparison = compared(a, COUNT(a), b, COUNT(b), &unpaired);
    EXPECT_UINT(comparison.reference_count, 5);
    EXPECT_UINT(comparison.other_count, 7);
    EXPECT_UINT(comparison.pairs, 5);
    EXPECT_TEXT(lauka_method_name(comparison.method), "hodges_lehmann_unpaired");
    EXPECT_NEAR(comparison.p.value, 2.0 / 792, 1e-12); /* choose(12, 5): all of b are larger */
    EXPECT_NEAR(comparison.ratio.value, 2, 1e-3);
    EXPECT(comparison.verdict == LAUKA_VERDICT_HIGHER && unknown(comparison.geomean_ratio));
    EXPECT_NEAR(comparison.cohens_d.value, 102 / sqrt((4 * 2.5 + 6 * (14.0 / 3)) / 10), 1e-12);
}

/* Values are near each other, far apart, or too large for 32 bits. */
static void distances_are_the_same_one_by_one_and_many_at_once(void)
{
    enum { MANY = 3000 };
    static uint64_t a[MANY], b[MANY];
    static double distances[MANY];
    static const uint64_t far[] = {1, 0, 97, 1}, large[] = {0, 0, 0, UINT64_C(1) << 40};
    struct lauka_random random;
    lauka_random_seed(&random, 33);
    for (size_t kind = 0; kind < COUNT(far); kind++) {
        for (size_t i = 0; i < MANY; i++) {
            a[i] = 1 + large[kind] + lauka_random_below(&random, 10000000);
            b[i] = 1 + (far[kind] && i % far[kind] == 0 ? lauka_random_below(&random, 1 << 30)
                                                        : a[i] * 32 / 31);
        }
        struct lauka_series reference = series_of(a, MANY), other = series_of(b, MANY);
        lauka_contrast_distances(&reference, &other, true, distances);
        for (size_t i = 0; i < MANY; i++) {
            EXPECT(distances[i] == lauka_contrast_distance(a[i], b[i], true));
            EXPECT(distances[i] == -lauka_contrast_distance(b[i], a[i], true));
            long double exact = log1pl(((long double)b[i] - (long double)a[i]) / (long double)a[i]);
            long double error = fabsl(exact) < 0.125L
                                    ? 6e-16L
                                    : 1e-14L; /* far apart: the difference of both logs */
            EXPECT(fabsl(distances[i] - exact) <= error * fabsl(exact));
        }
        lauka_series_done(&reference);
        lauka_series_done(&other);
    }
}

static void medians_that_are_known_are_those_that_would_be_found(void)
{
    static const uint64_t a[] = {10, 20, 30, 40, 52}, b[] = {12, 21, 33, 47, 55};
    struct lauka_series reference = series_of(a, COUNT(a)), other = series_of(b, COUNT(b));
    struct lauka_summary here, there;
    EXPECT(lauka_summarize(&reference, &here) == 0 && lauka_summarize(&other, &there) == 0);
    const struct lauka_medians medians = {here.median, there.median};
    struct lauka_comparison_options options = {.alpha = 0.05, .precision = 0.01};
    struct lauka_comparison found, known;
    EXPECT(lauka_compare(&reference, &other, &options, &found) == 0);
    options.medians = &medians;
    EXPECT(lauka_compare(&reference, &other, &options, &known) == 0);
    EXPECT(found.median_ratio.value == known.median_ratio.value);
    /* Known medians are ignored if values are missing: they would belong to other values. */
    lauka_series_set(&reference, 2, LAUKA_MISSING);
    EXPECT(lauka_compare(&reference, &other, &options, &known) == 0);
    EXPECT_NEAR(known.median_ratio.value, 34.0 / 30, 1e-12);
    lauka_series_done(&reference);
    lauka_series_done(&other);
}

static void the_unpaired_estimate_is_the_median_of_all_differences(void)
{
    struct lauka_random random;
    lauka_random_seed(&random, 32);
    for (size_t left = 4; left < 90; left += 17)
        for (size_t right = 4; right < 90; right += 13) {
            uint64_t a[90], b[90];
            double all[90 * 90];
            fill(TIMES, &random, a, left);
            fill(TIMES, &random, b, right);
            size_t count = 0;
            for (size_t i = 0; i < left; i++)
                for (size_t j = 0; j < right; j++)
                    all[count++] = lauka_contrast_distance(a[i], b[j], true);
            qsort(all, count, sizeof *all, ascending);
            struct lauka_comparison comparison = compared(a, left, b, right, &unpaired);
            double median = (all[(count - 1) / 2] + all[count / 2]) / 2;
            EXPECT(fabs(comparison.log_ratio.value - median) < 1e-14);
            uint64_t critical = lauka_rank_sum_critical(left, right, 0.05);
            if (critical == 0)
                continue;
            EXPECT(fabs(comparison.log_low.value - all[critical - 1]) < 1e-14);
            EXPECT(fabs(comparison.log_high.value - all[count - critical]) < 1e-14);
            /* Without ties, the interval and the test agree. */
            bool excluded = comparison.log_low.value > 0 || comparison.log_high.value < 0;
            EXPECT(excluded == (comparison.p.value <= 0.05));
        }
}

/* The rate is the promised one; the bounds are three standard errors away. */
static void equal_commands_are_called_different_at_the_promised_rate(void)
{
    struct lauka_random random;
    lauka_random_seed(&random, 26);
    int claims = 0, unpaired_claims = 0;
    for (int trial = 0; trial < 2000; trial++) {
        uint64_t a[30], b[30];
        fill(TIMES, &random, a, 30);
        fill(TIMES, &random, b, 30);
        claims += comparison_of(a, b, 30).verdict != LAUKA_VERDICT_INCONCLUSIVE;
        unpaired_claims += compared(a, 30, b, 30, &unpaired).verdict != LAUKA_VERDICT_INCONCLUSIVE;
    }
    EXPECT(claims >= 70 && claims <= 130);
    EXPECT(unpaired_claims >= 70 && unpaired_claims <= 130);
}

static void the_interval_holds_the_truth_as_often_as_promised(void)
{
    struct lauka_random random;
    lauka_random_seed(&random, 27);
    int held = 0;
    for (int trial = 0; trial < 2000; trial++) {
        uint64_t a[12], b[12];
        fill(TIMES, &random, a, 12);
        fill(TIMES, &random, b, 12);
        for (size_t i = 0; i < 12; i++)
            b[i] += b[i] / 50;
        struct lauka_comparison comparison = comparison_of(a, b, 12);
        held += comparison.low.value <= 1.02 && comparison.high.value >= 1.02;
    }
    EXPECT(held >= 1870);
}

int main(void)
{
    TEST(swapping_mirrors_the_comparison);
    TEST(a_power_of_two_on_both_sides_changes_nothing);
    TEST(the_order_of_rounds_changes_nothing);
    TEST(nothing_that_is_not_finite_leaves);
    TEST(a_command_that_takes_more_has_a_positive_d_and_a_ratio_above_one);
    TEST(a_series_against_itself_has_d_zero_and_ratio_one);
    TEST(equal_constants_have_d_zero_and_different_ones_have_none);
    TEST(a_ratio_to_zero_is_not_known_and_a_ratio_of_zero_is);
    TEST(one_pair_has_ratios_and_no_effect_size);
    TEST(no_pairs_compare_to_nothing);
    TEST(a_round_missing_in_one_series_is_left_out_of_both);
    TEST(hedges_correction_is_the_exact_one);
    TEST(too_few_pairs_have_an_estimate_and_no_interval);
    TEST(rounds_too_few_for_ranks_have_an_interval_and_no_verdict);
    TEST(however_little_is_asked_for_a_verdict_needs_six_rounds);
    TEST(values_of_rounds_that_have_little_in_common_are_ranked_together);
    TEST(among_many_a_claim_needs_more_rounds);
    TEST(constants_are_exact_from_four_pairs_on);
    TEST(a_zero_turns_ratios_into_differences);
    TEST(small_differences_are_equivalent_or_below_precision);
    TEST(unpaired_series_may_differ_in_length);
    TEST(distances_are_the_same_one_by_one_and_many_at_once);
    TEST(medians_that_are_known_are_those_that_would_be_found);
    TEST(the_unpaired_estimate_is_the_median_of_all_differences);
    TEST(equal_commands_are_called_different_at_the_promised_rate);
    TEST(the_interval_holds_the_truth_as_often_as_promised);
    return expect_report("compare");
}
