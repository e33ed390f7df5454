/* Units: rounds that share something drawn at random count as one value together. */
#include "stats/units.h"
#include "tests/unit/layouts.h"
#include "tests/unit/numbers.h"

/* By hand: medians 0.06, 0.02, 0.03, -0.01; mean squares 4e-4 within and 1.23e-3 between units; 7/3
 * rounds a unit. */
static const double some[] = {0.01, 0.03, 0.02, 0.05, 0.07, 0.00, 0.04, 0.02, 0.06, -0.01};
static const uint32_t units_of_some[] = {2, 2, 2, 0, 0, 5, 5, 5, 5, 9};
enum { SOME = sizeof some / sizeof *some };

static void each_unit_has_one_value(void)
{
    double values[SOME];
    struct lauka_spread spread;
    size_t count = SOME;
    memcpy(values, some, sizeof some);
    EXPECT(lauka_units_collapse(values, units_of_some, false, &count, &spread) == 0);
    EXPECT(count == 4);
    EXPECT_NEAR(values[0], 0.06, 1e-15);
    EXPECT_NEAR(values[1], 0.02, 1e-15);
    EXPECT_NEAR(values[2], 0.03, 1e-15);
    EXPECT_NEAR(values[3], -0.01, 1e-15);
    memcpy(values, some, sizeof some);
    count = SOME;
    EXPECT(lauka_units_collapse(values, units_of_some, true, &count, &spread) == 0);
    EXPECT_NEAR(values[2], 0.03, 1e-15);
}

static void spread_is_that_of_an_analysis_of_variance(void)
{
    double values[SOME];
    struct lauka_spread spread;
    size_t count = SOME;
    memcpy(values, some, sizeof some);
    EXPECT(lauka_units_collapse(values, units_of_some, false, &count, &spread) == 0);
    EXPECT(spread.within.known && spread.between.known);
    EXPECT_NEAR(spread.within.value, 0.02, 1e-15);
    EXPECT_NEAR(spread.between.value, 0.018860389330930732, 1e-15);
}

static void rounds_that_are_units_have_no_spread_within(void)
{
    double values[3] = {3, 1, 2};
    const uint32_t own[3] = {0, 1, 2}, same[3] = {7, 7, 7};
    struct lauka_spread spread;
    size_t count = 3;
    EXPECT(lauka_units_collapse(values, own, false, &count, &spread) == 0 && count == 3);
    EXPECT(!spread.within.known && !spread.between.known);
    EXPECT(values[0] == 3 && values[1] == 1 && values[2] == 2);
    EXPECT(lauka_units_collapse(values, same, false, &count, &spread) == 0 && count == 1);
    EXPECT(values[0] == 2 && spread.within.known && !spread.between.known);
    EXPECT_NEAR(spread.within.value, 1, 1e-15);
    count = 0;
    EXPECT(lauka_units_collapse(values, same, false, &count, &spread) == 0 && count == 0);
}

/* ---- comparisons ------------------------------------------------------------------------------------- */

enum { UNITS = 12, ROUNDS = 6, ALL = UNITS * ROUNDS };

struct drawn {
    uint64_t reference[ALL], other[ALL];
    uint32_t unit[ALL];
};

/* Draws log ratios around `effect` with these standard deviations. */
static void draw(struct lauka_random *random, double between, double within, double effect,
                 struct drawn *drawn)
{
    for (size_t i = 0; i < ALL; i++) {
        static double shift;
        if (i % ROUNDS == 0)
            shift = between * lauka_random_normal(random);
        drawn->unit[i] = (uint32_t)(i / ROUNDS);
        drawn->reference[i] = 10000000;
        drawn->other[i] =
            (uint64_t)(1e7 * exp(effect + shift + within * lauka_random_normal(random)));
    }
}

static struct lauka_comparison compare(const struct drawn *drawn, const struct lauka_units *units)
{
    const struct lauka_comparison_options options = {
        .alpha = 0.05, .precision = 0.01, .limit = {true, 0.02}, .units = units};
    return compared(drawn->reference, ALL, drawn->other, ALL, &options);
}

static void intervals_are_made_of_units(void)
{
    struct lauka_random random;
    struct drawn drawn;
    double medians[ALL];
    struct lauka_spread spread;
    struct lauka_location location;
    size_t count = ALL;
    lauka_random_seed(&random, 1);
    draw(&random, 0.03, 0.01, 0.05, &drawn);
    const struct lauka_units units = {drawn.unit, 8};
    struct lauka_comparison comparison = compare(&drawn, &units);
    for (size_t i = 0; i < ALL; i++)
        medians[i] = lauka_contrast_distance(drawn.reference[i], drawn.other[i], true);
    EXPECT(lauka_units_collapse(medians, drawn.unit, false, &count, &spread) == 0);
    EXPECT(lauka_sort_doubles(medians, count) == 0);
    const struct lauka_differences differences = {.values = medians, .length = count};
    EXPECT(lauka_locate_signed_rank(&differences, 0.05, &location) == 0);
    EXPECT(comparison.pairs == ALL && comparison.units == UNITS);
    EXPECT(comparison.log_ratio.value == location.estimate);
    EXPECT(comparison.log_low.value == location.low.value);
    EXPECT(comparison.log_high.value == location.high.value);
    EXPECT(comparison.p.value == location.p.value);
    EXPECT(comparison.between.known && comparison.within.known);
    EXPECT(comparison.between.value > comparison.within.value);
}

static void too_few_units_have_no_interval(void)
{
    struct lauka_random random;
    struct drawn drawn;
    lauka_random_seed(&random, 2);
    draw(&random, 0.01, 0.01, 0.5, &drawn);
    const struct lauka_units units = {drawn.unit, UNITS + 1};
    struct lauka_comparison comparison = compare(&drawn, &units);
    EXPECT(comparison.ratio.known && !comparison.low.known && !comparison.p.known);
    EXPECT(comparison.verdict == LAUKA_VERDICT_INCONCLUSIVE);
    const struct lauka_limit limit = {.share = {true, 0.05}, .units = &units};
    struct lauka_judgement judgement;
    struct lauka_series a = series_of(drawn.reference, ALL), b = series_of(drawn.other, ALL);
    EXPECT(lauka_limit_judge(&limit, &a, &b, 0.01, false, &judgement) == 0);
    EXPECT(judgement.verdict == LAUKA_GATE_INCONCLUSIVE);
    EXPECT(judgement.undecided == LAUKA_UNDECIDED_FEW && judgement.needed == UNITS + 1);
    lauka_series_done(&a);
    lauka_series_done(&b);
}

/* 72 equal rounds of two processes count as two values. Four equal values are needed to call them exact. */
static void constants_of_few_units_are_not_exact(void)
{
    struct drawn drawn;
    for (size_t i = 0; i < ALL; i++) {
        drawn.reference[i] = 1000;
        drawn.other[i] = 1010;
        drawn.unit[i] = i < ALL / 2;
    }
    const struct lauka_units units = {drawn.unit, 2};
    EXPECT(compare(&drawn, &units).verdict == LAUKA_VERDICT_INCONCLUSIVE);
    for (size_t i = 0; i < ALL; i++)
        drawn.unit[i] = i % 4;
    EXPECT(compare(&drawn, &units).method == LAUKA_METHOD_EXACT);
}

/* Of 200 intervals at 95 %, at least 181 contain the truth in 99 of 100 cases. Intervals over rounds
 * contain it far less often. */
static void units_cover_where_rounds_do_not(void)
{
    struct lauka_random random;
    int by_units = 0, by_rounds = 0;
    lauka_random_seed(&random, 3);
    for (int session = 0; session < 200; session++) {
        struct drawn drawn;
        draw(&random, 0.03, 0.01, 0, &drawn);
        const struct lauka_units units = {drawn.unit, 8};
        struct lauka_comparison own = compare(&drawn, &units), naive = compare(&drawn, NULL);
        by_units += own.log_low.value <= 0 && own.log_high.value >= 0;
        by_rounds += naive.log_low.value <= 0 && naive.log_high.value >= 0;
    }
    EXPECT(by_units >= 181);
    EXPECT(by_rounds < 140);
}

static void tails_are_not_judged_over_units(void)
{
    struct lauka_random random;
    struct drawn drawn;
    struct lauka_judgement judgement;
    lauka_random_seed(&random, 4);
    draw(&random, 0.01, 0.01, 0.5, &drawn);
    const struct lauka_units units = {drawn.unit, 8};
    struct lauka_limit limit = {.share = {true, 0.05}, .units = &units};
    struct lauka_series a = series_of(drawn.reference, ALL), b = series_of(drawn.other, ALL);
    EXPECT(lauka_limit_judge(&limit, &a, &b, 0.01, false, &judgement) == 0);
    EXPECT(judgement.verdict == LAUKA_GATE_FAIL && judgement.pairs == UNITS);
    limit.statistic = LAUKA_STATISTIC_MEAN;
    EXPECT(lauka_limit_judge(&limit, &a, &b, 0.01, false, &judgement) == 0);
    EXPECT(judgement.verdict == LAUKA_GATE_INCONCLUSIVE);
    EXPECT(judgement.undecided == LAUKA_UNDECIDED_UNITS);
    lauka_series_done(&a);
    lauka_series_done(&b);
}

static void different_units_are_counted_in_any_order(void)
{
    static const uint32_t unit[] = {7, 3, 7, UINT32_MAX, 3, 0};
    uint64_t units;
    EXPECT(lauka_units_count(unit, 6, &units) == 0);
    EXPECT_UINT(units, 4);
    EXPECT(lauka_units_count(unit, 0, &units) == 0);
    EXPECT_UINT(units, 0);
}

/* ---- drawn layouts ------------------------------------------------------------------------------------ */

/* This test is seeded; tests/bench/layouts.c has the whole table. */
static void an_interval_over_drawn_pairs_holds_the_truth(void)
{
    static const size_t pairs[] = {8, 16, 32};
    static const double between[] = {0, 0.02, 0.04};
    for (size_t p = 0; p < 3; p++)
        for (size_t b = 0; b < 3; b++) {
            const struct layouts_cell cell = {pairs[p], 3, 0.02, between[b], b == 1};
            struct layouts_counts counts = layouts_simulate(&cell, 200);
            EXPECT(counts.held >= 186); /* 93 % */
            EXPECT(between[b] < 0.04 || counts.held_by_rounds < 176);
        }
}

int main(void)
{
    TEST(each_unit_has_one_value);
    TEST(spread_is_that_of_an_analysis_of_variance);
    TEST(rounds_that_are_units_have_no_spread_within);
    TEST(intervals_are_made_of_units);
    TEST(too_few_units_have_no_interval);
    TEST(constants_of_few_units_are_not_exact);
    TEST(units_cover_where_rounds_do_not);
    TEST(tails_are_not_judged_over_units);
    TEST(different_units_are_counted_in_any_order);
    TEST(an_interval_over_drawn_pairs_holds_the_truth);
    return expect_report("units");
}
