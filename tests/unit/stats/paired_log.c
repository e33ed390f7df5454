/* Sessions too long for single values, and values in coarse steps. */
#include "stats/means.h"
#include "stats/stats.h"

#include "tests/unit/numbers.h"
#include "tests/unit/pairs.h"

/* ---- paired_log.c ------------------------------------------------------------------------------------ */

static double off(struct lauka_optional one, struct lauka_optional two)
{
    return one.known && two.known ? fabs(one.value - two.value) : 1;
}

static void a_long_session_is_compared_to_within_half_a_bin(void)
{
    enum { MANY = 5000 };
    static uint64_t a[MANY], b[MANY];
    static const struct {
        double factor, half_bin;
    } cases[] = {{1, 0x1p-15}, {1.02, 0x1p-15}, {0.9, 0x1p-15}, {2, 0x1p-11}, {300, 0x1p-8}};
    struct lauka_random random;
    lauka_random_seed(&random, 28);
    for (size_t k = 0; k < COUNT(cases); k++) {
        for (size_t i = 0; i < MANY; i++) {
            a[i] = value_of(TIMES, &random);
            b[i] = (uint64_t)((double)value_of(TIMES, &random) * cases[k].factor);
        }
        struct lauka_comparison kept = comparison_of(a, b, MANY), told = streamed(a, b, MANY);
        EXPECT(off(kept.log_ratio, told.log_ratio) <= cases[k].half_bin);
        EXPECT(off(kept.log_low, told.log_low) <= cases[k].half_bin);
        EXPECT(off(kept.log_high, told.log_high) <= cases[k].half_bin);
        EXPECT(off(kept.p, told.p) <= 0.02);
        EXPECT(same_optional(kept.cohens_d, told.cohens_d));
        EXPECT(same_optional(kept.mean_ratio, told.mean_ratio));
        EXPECT(same_optional(kept.min_ratio, told.min_ratio));
        EXPECT(unknown(told.median_ratio));
        EXPECT(kept.method == told.method && kept.pairs == told.pairs);
    }
}

static void no_ratio_is_too_large_for_a_bin(void)
{
    static const uint64_t values[] = {1, 2, 3, 1000, (uint64_t)1 << 40, UINT64_MAX - 1};
    for (size_t i = 0; i < COUNT(values); i++)
        for (size_t j = 0; j < COUNT(values); j++) {
            struct lauka_comparison told = streamed(&values[i], &values[j], 1);
            /* The median of r, r, r, r / 2, r / 2, 0. */
            double ratio = 0.75 * lauka_contrast_distance(values[i], values[j], true);
            uint64_t a[] = {values[i], values[i], 9}, b[] = {values[j], values[j], 9};
            told = streamed(a, b, 3);
            EXPECT(fabs(told.log_ratio.value - ratio) <= fmax(0x1p-15, fabs(ratio) * 0x1p-9));
        }
}

static void merged_logs_are_one_log(void)
{
    struct lauka_paired_log whole, parts[3];
    struct lauka_random random;
    lauka_random_seed(&random, 29);
    lauka_paired_log_init(&whole);
    for (size_t i = 0; i < 3; i++)
        lauka_paired_log_init(&parts[i]);
    for (size_t i = 0; i < 3000; i++) {
        enum kind kind = i % 7 ? TIMES : ZEROS;
        uint64_t a = value_of(kind, &random), b = value_of(kind, &random);
        lauka_paired_log_add(&whole, a, b);
        lauka_paired_log_add(&parts[i % 3], a, b);
    }
    lauka_paired_log_merge(&parts[1], &parts[2]);
    lauka_paired_log_merge(&parts[0], &parts[1]);
    for (size_t bin = 0; bin < whole.bins.count; bin++)
        EXPECT_UINT(lauka_sparse_at(&parts[0].bins, bin), lauka_sparse_at(&whole.bins, bin));
    EXPECT(whole.count == parts[0].count && whole.zeros == parts[0].zeros && whole.zeros > 0);
    EXPECT(same_moments(&whole.reference, &parts[0].reference));
    EXPECT(same_moments(&whole.other, &parts[0].other));
    lauka_paired_log_done(&whole);
    for (size_t i = 0; i < 3; i++)
        lauka_paired_log_done(&parts[i]);
}

static void a_full_bin_loses_and_says_so(void)
{
    struct lauka_paired_log log, more;
    lauka_paired_log_init(&log);
    lauka_paired_log_add(&log, 7, 7);
    *lauka_sparse_reach(&log.bins, LAUKA_PAIRED_LOG_HALF) = UINT32_MAX;
    log.count = UINT32_MAX;
    lauka_paired_log_add(&log, 7, 7);
    EXPECT_UINT(log.lost, 1);
    lauka_paired_log_init(&more);
    lauka_paired_log_add(&more, 8, 8);
    lauka_paired_log_merge(&log, &more);
    EXPECT_UINT(log.lost, 2);
    EXPECT_UINT(log.count, UINT32_MAX);
    lauka_paired_log_done(&log);
    lauka_paired_log_done(&more);
}

/* The kernel counts time in ticks of 4 ms, and the programs take a few ticks: most differences are 0. */
static void values_in_coarse_steps_are_compared_by_their_means(void)
{
    uint64_t some[60] = {0}, more[60] = {0}, faults[60] = {0};
    for (size_t i = 0; i < 60; i++) {
        some[i] = i % 20 == 0 ? 4000000 : 0;
        more[i] = i % 3 == 0 ? 4000000 : 0;
        faults[i] = i % 15 == 0 ? 2 : 0;
    }
    struct lauka_comparison comparison = comparison_of(some, more, 60);
    EXPECT(comparison.method == LAUKA_METHOD_MEAN);
    EXPECT(comparison.verdict == LAUKA_VERDICT_HIGHER);
    EXPECT_NEAR(comparison.difference.value, comparison.other_mean - comparison.reference_mean,
                1e-12);
    EXPECT(comparison.difference_low.value > 0);
    const uint64_t none[60] = {0};
    comparison = comparison_of(faults, none, 60);
    EXPECT(comparison.verdict == LAUKA_VERDICT_INCONCLUSIVE ||
           comparison.verdict == LAUKA_VERDICT_LOWER);
    EXPECT(comparison.difference.value < 0);
}

/* True CPU time that the kernel assigns either to user or to system as a whole: the values differ, and
 * some are 0. */
static void values_that_are_all_or_nothing_are_compared_by_their_means(void)
{
    uint64_t few[40], many[40], small[40];
    for (size_t i = 0; i < 40; i++) {
        few[i] = i % 4 == 0 ? 0 : 700000 + 1000 * i;
        many[i] = i % 4 < 2 ? 0 : 700000 + 1100 * i;
        small[i] = i < 8 ? i : 1000 + i; /* gets to 0 in small steps */
    }
    struct lauka_comparison comparison = comparison_of(few, many, 40);
    EXPECT(comparison.method == LAUKA_METHOD_MEAN);
    EXPECT_NEAR(comparison.difference.value, comparison.other_mean - comparison.reference_mean,
                1e-9);
    EXPECT(comparison.verdict == LAUKA_VERDICT_LOWER);
    EXPECT(comparison_of(small, few, 40).method != LAUKA_METHOD_MEAN);
    EXPECT(comparison_of(few, many, 3).verdict == LAUKA_VERDICT_INCONCLUSIVE);
}

/* Five differences with the same sign may be chance: 2 / 2^5. */
static void few_steps_are_no_difference(void)
{
    uint64_t none[60] = {0}, some[60] = {0};
    for (size_t i = 0; i < 60; i++) {
        none[i] = i == 7 ? 4000000 : 0;
        some[i] = none[i] + (i % 12 == 0 ? 4000000 : 0);
    }
    struct lauka_comparison comparison = comparison_of(none, some, 60);
    EXPECT(comparison.method == LAUKA_METHOD_MEAN);
    EXPECT(comparison.difference.value > 0);
    EXPECT(!comparison.difference_low.known && !comparison.p.known);
    EXPECT(comparison.verdict == LAUKA_VERDICT_INCONCLUSIVE);
    some[1] = 4000000;
    comparison = comparison_of(none, some, 60);
    EXPECT(comparison.difference_low.known && comparison.difference_low.value > 0);
    EXPECT(comparison.verdict == LAUKA_VERDICT_HIGHER);
}

/* Runs of one or two ticks: most rounds are equal, and the median of their ratios is 1. */
static void equal_medians_of_unequal_means_are_not_equivalent(void)
{
    struct lauka_paired_log log;
    uint64_t one[60], two[60], alike[60];
    lauka_paired_log_init(&log);
    for (size_t i = 0; i < 60; i++) {
        one[i] = i % 10 == 0 ? 8000000 : 4000000;
        two[i] = i % 4 == 0 ? 8000000 : 4000000;
        alike[i] = i % 10 == 5 ? 8000000 : 4000000;
        lauka_paired_log_add(&log, one[i], two[i]);
    }
    struct lauka_comparison kept = comparison_of(one, two, 60), streamed;
    const struct lauka_comparison_options options = {.alpha = 0.05, .precision = 0.01};
    EXPECT(lauka_compare_streamed(&log, &options, &streamed) == 0);
    EXPECT(kept.method == LAUKA_METHOD_MEAN && kept.verdict == LAUKA_VERDICT_HIGHER);
    EXPECT(streamed.verdict == LAUKA_VERDICT_INCONCLUSIVE);
    EXPECT(!streamed.low.known && !streamed.p.known);
    EXPECT_NEAR(kept.ratio.value, 5.0 / 4.4, 1e-12);
    kept = comparison_of(one, alike, 60); /* as many ticks on both sides: the means are equal */
    EXPECT_NEAR(kept.ratio.value, 1, 1e-12);
    EXPECT(kept.verdict == LAUKA_VERDICT_INCONCLUSIVE && kept.high.value > 1.05);
    lauka_paired_log_done(&log);
}

/* Two levels leave open what their shares do; of many, nothing is left to tell. */
static void rounding_moves_by_half_a_step_at_most(void)
{
    static const uint64_t one[] = {5, 5, 5, 5}, two[] = {5, 5, 5, 5, 5, 5, 5, 6, 6, 6};
    static const uint64_t many[] = {4, 5, 5, 6, 6, 6, 7, 7, 8, 9};
    double values[] = {10, 10, 20, 20, 20, 20};
    static const double expected[] = {7.5, 12.5, 16.25, 18.75, 21.25, 23.75};
    EXPECT_NEAR(lauka_steps_rounding(one, 4, 1), 0.5, 0);
    EXPECT_NEAR(lauka_steps_rounding(two, 10, 1), 0.2, 1e-15);
    EXPECT(lauka_steps_rounding(many, 10, 1) < 1e-18);
    lauka_steps_spread(values, 6, 10, 0);
    for (size_t i = 0; i < 6; i++)
        EXPECT_NEAR(values[i], expected[i], 1e-12);
}

/* "0.10" and "0.11": 30 and 70 of 100 are the higher one. The truth may lie half a step off on either side. */
static void two_decimals_have_an_interval_with_or_without_pairs(void)
{
    uint64_t a[100], b[100];
    for (size_t i = 0; i < 100; i++) {
        a[i] = i % 10 < 3 ? 11 : 10;
        b[i] = i * 7 % 10 < 7 ? 11 : 10;
    }
    for (int apart = 0; apart < 2; apart++) {
        const struct lauka_comparison_options options = {
            .alpha = 0.05, .precision = 0.01, .unpaired = apart, .grain = LAUKA_GRAIN_TEXT};
        struct lauka_comparison c = compared(a, 100, b, 100, &options);
        EXPECT(c.method == LAUKA_METHOD_MEAN && c.verdict == LAUKA_VERDICT_INCONCLUSIVE);
        EXPECT_NEAR(c.ratio.value, 10.7 / 10.3, 1e-12);
        EXPECT(c.low.value < 1 && c.high.value > 1.07 && c.p.value > 0.05);
        EXPECT(c.mean_low.value > 1.02 && c.mean_high.value < 1.06);
    }
}

/* One run in ten takes twice as long, and the others a little less: what a typical one does is not all. */
static void means_that_differ_are_not_equivalent(void)
{
    struct lauka_random random;
    uint64_t a[500], b[500];
    lauka_random_seed(&random, 5);
    for (size_t i = 0; i < 500; i++) {
        a[i] = (uint64_t)(1e7 * (1 + 0.005 * lauka_random_normal(&random)));
        b[i] = (uint64_t)((i % 10 ? 1e7 : 2e7) * (1 + 0.005 * lauka_random_normal(&random)));
    }
    struct lauka_comparison c = compared(a, 500, b, 500, &unpaired);
    EXPECT(c.mean_low.value > 1.01 && c.means_differ && c.verdict != LAUKA_VERDICT_EQUIVALENT);
    EXPECT(c.mean_doubted == (c.verdict == LAUKA_VERDICT_INCONCLUSIVE));
    EXPECT(compared(a, 500, a, 500, &unpaired).verdict == LAUKA_VERDICT_EQUIVALENT);
}

int main(void)
{
    TEST(rounding_moves_by_half_a_step_at_most);
    TEST(two_decimals_have_an_interval_with_or_without_pairs);
    TEST(means_that_differ_are_not_equivalent);
    TEST(a_long_session_is_compared_to_within_half_a_bin);
    TEST(no_ratio_is_too_large_for_a_bin);
    TEST(merged_logs_are_one_log);
    TEST(a_full_bin_loses_and_says_so);
    TEST(values_in_coarse_steps_are_compared_by_their_means);
    TEST(values_that_are_all_or_nothing_are_compared_by_their_means);
    TEST(few_steps_are_no_difference);
    TEST(equal_medians_of_unequal_means_are_not_equivalent);
    return expect_report("paired_log");
}
