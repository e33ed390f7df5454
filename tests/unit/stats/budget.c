/* Budgets: the most that one command may cost. */
#include "stats/stats.h"
#include "stats/units.h"

#include "tests/unit/numbers.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static const struct lauka_limit typical = {.most = {true, 0}};
static const struct lauka_limit mean = {.statistic = LAUKA_STATISTIC_MEAN, .most = {true, 0}};

static struct lauka_limit with_limit(struct lauka_limit limit, double most)
{
    limit.most.value = most;
    return limit;
}

static struct lauka_judgement judge(struct lauka_limit limit, double most, double alpha,
                                    const uint64_t *values, size_t count)
{
    struct lauka_series series = {0};
    struct lauka_judgement judgement;
    limit = with_limit(limit, most);
    EXPECT(lauka_series_reserve(&series, count) == 0);
    for (size_t i = 0; i < count; i++)
        lauka_series_add(&series, values[i]);
    EXPECT(lauka_budget_judge(&limit, &series, alpha, &judgement) == 0);
    lauka_series_done(&series);
    return judgement;
}

static const uint64_t one_to_twenty[] = {20, 1,  19, 2, 18, 3, 17, 4, 16, 5,
                                         15, 14, 13, 6, 12, 7, 11, 8, 10, 9};

/* The 6th and the 15th of 20 values enclose the median with 95 % confidence: P(X <= 5) = 21700 / 2^20
 * (Conover 1999, 3.2). */
static void a_typical_value_is_the_median_with_an_interval_by_order(void)
{
    struct lauka_judgement judgement = judge(typical, 5, 0.05, one_to_twenty, 20);
    EXPECT_NEAR(judgement.value.value, 10.5, 1e-12);
    EXPECT_NEAR(judgement.value_low.value, 6, 1e-12);
    EXPECT_NEAR(judgement.value_high.value, 15, 1e-12);
    EXPECT_NEAR(judgement.p.value, 21700.0 / 1048576, 1e-12);
    EXPECT(judgement.verdict == LAUKA_GATE_FAIL && judgement.undecided == LAUKA_UNDECIDED_NOT);
    EXPECT_NEAR(judgement.confidence, 0.95, 1e-12);
    EXPECT_UINT(judgement.pairs, 20);
}

static void what_lies_at_the_limit_is_within_it(void)
{
    EXPECT(judge(typical, 15, 0.05, one_to_twenty, 20).verdict == LAUKA_GATE_PASS);
    EXPECT(judge(typical, 14, 0.05, one_to_twenty, 20).undecided == LAUKA_UNDECIDED_AROUND);
    EXPECT(judge(typical, 6, 0.05, one_to_twenty, 20).undecided == LAUKA_UNDECIDED_AROUND);
    EXPECT(judge(typical, 5.9, 0.05, one_to_twenty, 20).verdict == LAUKA_GATE_FAIL);
}

/* t(0.975, 19) = 2.0930241; neighbours differ more than others do, so 20 values are worth 20. */
static void a_mean_has_students_interval(void)
{
    struct lauka_judgement judgement = judge(mean, 7, 0.05, one_to_twenty, 20);
    double reach = 2.0930240544083087 * sqrt(35.0 / 20);
    EXPECT_NEAR(judgement.value.value, 10.5, 1e-12);
    EXPECT_NEAR(judgement.value_low.value, 10.5 - reach, 1e-9);
    EXPECT_NEAR(judgement.value_high.value, 10.5 + reach, 1e-9);
    EXPECT_NEAR(judgement.effective, 20, 1e-12);
    EXPECT(judgement.verdict == LAUKA_GATE_FAIL && judgement.p.value < 0.025);
    EXPECT(judge(mean, 10.5 + reach + 1e-6, 0.05, one_to_twenty, 20).verdict == LAUKA_GATE_PASS);
    judgement = judge(mean, 100, 0.05, one_to_twenty, 19);
    EXPECT(judgement.undecided == LAUKA_UNDECIDED_FEW && judgement.value_high.known);
}

/* How many they count as is checked in vectors.c. */
static void runs_that_resemble_their_neighbours_count_as_fewer(void)
{
    double values[64], room[64];
    uint64_t slow[64];
    for (size_t i = 0; i < 64; i++) {
        values[i] = (double)(i % 16) + (double)(i * i % 7) / 4;
        slow[i] = 1000 + 4 * (i % 16) + i * i % 7;
    }
    EXPECT(lauka_effective_number(values, 64, room) < 5);
    EXPECT_NEAR(lauka_effective_number(values, 9, room), 0, 0);
    EXPECT(judge(typical, 1005, 0.01, slow, 64).undecided == LAUKA_UNDECIDED_AROUND);
    EXPECT(judge(typical, 1005, 0.01, slow, 64).effective < 10);
    EXPECT(judge(typical, 800, 0.01, slow, 64).verdict == LAUKA_GATE_FAIL);
    EXPECT(judge(typical, 1200, 0.01, slow, 64).verdict == LAUKA_GATE_PASS);
}

/* 0.9^73 <= 0.0005 < 0.9^72. */
static void too_few_rounds_are_said_to_be_too_few(void)
{
    struct lauka_limit p90 = {
        .statistic = LAUKA_STATISTIC_QUANTILE, .rank = 900000000, .most = {true, 30}};
    EXPECT_UINT(lauka_budget_rounds_needed(&typical, 0.01), LAUKA_FEWEST_BUDGET);
    EXPECT_UINT(lauka_limit_rounds_needed(&typical, 0.001), LAUKA_FEWEST_BUDGET);
    EXPECT_UINT(lauka_budget_rounds_needed(&p90, 0.001), 73);
    EXPECT_UINT(lauka_budget_rounds_needed(&mean, 0.001), LAUKA_FEWEST_BUDGET);
    EXPECT(judge(typical, 30, 0.01, one_to_twenty, 20).verdict == LAUKA_GATE_PASS);
    EXPECT(judge(typical, 30, 0.01, one_to_twenty, 19).undecided == LAUKA_UNDECIDED_FEW);
    EXPECT(judge(p90, 30, 0.01, one_to_twenty, 20).undecided == LAUKA_UNDECIDED_FEW);
    EXPECT(judge(typical, 30, 0.01, one_to_twenty, 0).undecided == LAUKA_UNDECIDED_UNKNOWN);
}

static void a_constant_is_known_exactly(void)
{
    static const uint64_t values[] = {7, 7, 7, 7};
    struct lauka_limit counts = {.most = {true, 0}, .counts = true};
    struct lauka_judgement judgement = judge(typical, 7, 0.01, values, 4);
    EXPECT(judgement.exact && judgement.verdict == LAUKA_GATE_PASS && !judgement.p.known);
    EXPECT(judge(mean, 6.5, 0.01, values, 4).verdict == LAUKA_GATE_FAIL);
    EXPECT(judge(typical, 7, 0.01, values, 3).undecided == LAUKA_UNDECIDED_FEW);
    EXPECT(judge(mean, 7, 0.01, values, 3).undecided == LAUKA_UNDECIDED_FEW);
    EXPECT(judge(counts, 7, 0.01, values, 1).verdict == LAUKA_GATE_PASS);
    EXPECT(judge(counts, 6, 0.01, values, 1).verdict == LAUKA_GATE_FAIL);
}

static void what_was_not_measured_does_not_count(void)
{
    uint64_t values[23];
    for (size_t i = 0; i < COUNT_OF(values); i++)
        values[i] = i < 20 ? one_to_twenty[i] : LAUKA_MISSING;
    struct lauka_judgement judgement = judge(typical, 15, 0.05, values, COUNT_OF(values));
    EXPECT_UINT(judgement.pairs, 20);
    EXPECT(judgement.verdict == LAUKA_GATE_PASS);
}

/* Three rounds in each of eight units, all above the limit. If rounds counted singly, they would be
 * enough for 2^-24. */
static void rounds_that_share_a_unit_count_as_one(void)
{
    uint64_t values[24];
    uint32_t of[24];
    struct lauka_units units = {of, 4};
    struct lauka_limit limit = {.most = {true, 0}, .units = &units};
    for (uint32_t i = 0; i < 24; i++) {
        values[i] = 100 + i;
        of[i] = i / 3;
    }
    struct lauka_judgement judgement = judge(limit, 50, 0.01, values, 24);
    EXPECT(judgement.verdict == LAUKA_GATE_FAIL);
    EXPECT_UINT(judgement.pairs, 8);
    EXPECT_NEAR(judgement.p.value, 1.0 / 256, 1e-15);
    EXPECT_NEAR(judgement.value_low.value, 101, 1e-12);
    EXPECT(judge(limit, 50, 0.01, values, 21).undecided == LAUKA_UNDECIDED_FEW);
    limit.statistic = LAUKA_STATISTIC_MEAN;
    EXPECT(judge(limit, 50, 0.01, values, 24).undecided == LAUKA_UNDECIDED_UNITS);
}

/* If the true value is exactly the limit, both claims are wrong: that it is kept, and that it is
 * exceeded. Each may happen by chance with a probability of at most alpha / 2. */
static void a_claim_is_wrong_as_seldom_as_it_says(void)
{
    static const struct {
        enum lauka_statistic statistic;
        uint32_t rank;
        double truth;
    } cases[] = {
        {LAUKA_STATISTIC_TYPICAL, 0, 1e6},
        {LAUKA_STATISTIC_QUANTILE, 900000000, 1e6 * 1.8979}, /* exp(0.5 * 1.281552) */
    };
    /* 28 is four standard deviations. */
    enum { SESSIONS = 2000, ROUNDS = 60, MOST = SESSIONS * 25 / 1000 + 28 };
    uint64_t values[ROUNDS];
    struct lauka_random random;
    for (size_t c = 0; c < COUNT_OF(cases); c++) {
        struct lauka_limit limit = {
            .statistic = cases[c].statistic, .rank = cases[c].rank, .most = {true, 0}};
        size_t passes = 0, failures = 0;
        lauka_random_seed(&random, 11 + c);
        for (size_t s = 0; s < SESSIONS; s++) {
            for (size_t i = 0; i < ROUNDS; i++) /* skewed: the mean is 13 % above the median */
                values[i] = (uint64_t)(1e6 * exp(0.5 * lauka_random_normal(&random)));
            struct lauka_judgement judgement = judge(limit, cases[c].truth, 0.05, values, ROUNDS);
            passes += judgement.verdict == LAUKA_GATE_PASS;
            failures += judgement.verdict == LAUKA_GATE_FAIL;
            EXPECT((judgement.verdict == LAUKA_GATE_FAIL) ==
                   (judgement.p.known && judgement.p.value <= 0.025));
        }
        EXPECT(passes <= MOST && failures <= MOST);
        EXPECT(c > 0 ||
               judge(limit, cases[c].truth / 4, 0.05, values, ROUNDS).verdict == LAUKA_GATE_FAIL);
    }
}

int main(void)
{
    TEST(a_typical_value_is_the_median_with_an_interval_by_order);
    TEST(what_lies_at_the_limit_is_within_it);
    TEST(a_mean_has_students_interval);
    TEST(runs_that_resemble_their_neighbours_count_as_fewer);
    TEST(too_few_rounds_are_said_to_be_too_few);
    TEST(a_constant_is_known_exactly);
    TEST(what_was_not_measured_does_not_count);
    TEST(rounds_that_share_a_unit_count_as_one);
    TEST(a_claim_is_wrong_as_seldom_as_it_says);
    return expect_report("budget");
}
