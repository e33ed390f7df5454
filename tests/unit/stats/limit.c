/* Limits: whether a metric got worse by more than a limit allows. */
#include "stats/means.h"
#include "stats/stats.h"

#include "tests/unit/numbers.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static const struct lauka_limit two_percent = {.share = {true, 0.02}};

static struct lauka_judgement judgement_of(const struct lauka_limit *limit,
                                           const struct lauka_series *a,
                                           const struct lauka_series *b, bool unpaired)
{
    struct lauka_judgement judgement;
    EXPECT(lauka_limit_judge(limit, a, b, 0.01, unpaired, &judgement) == 0);
    return judgement;
}

/* Lognormal values with a standard deviation of 1 %. The other series has `factor` times as much, with
 * its own noise. */
static void make_pair(size_t count, double factor, uint64_t seed, struct lauka_series *a,
                      struct lauka_series *b)
{
    struct lauka_random random;
    lauka_random_seed(&random, seed);
    *a = *b = (struct lauka_series){0};
    if (lauka_series_reserve(a, count) != 0 || lauka_series_reserve(b, count) != 0)
        abort();
    for (size_t i = 0; i < count; i++) {
        lauka_series_add(a, (uint64_t)(1e7 * exp(0.01 * lauka_random_normal(&random))));
        lauka_series_add(b, (uint64_t)(1e7 * factor * exp(0.01 * lauka_random_normal(&random))));
    }
}

static void pair_done(struct lauka_series *a, struct lauka_series *b)
{
    lauka_series_done(a);
    lauka_series_done(b);
}

static enum lauka_gate verdict_at(const struct lauka_limit *limit, size_t count, double factor,
                                  bool unpaired)
{
    struct lauka_series a, b;
    make_pair(count, factor, 5, &a, &b);
    struct lauka_judgement judgement = judgement_of(limit, &a, &b, unpaired);
    pair_done(&a, &b);
    return judgement.verdict;
}

/* ---- binomial.c ---- */

/* n = 10, p = 1/2: P(X <= 1) = 11/1024, P(X <= 2) = 56/1024. */
static void binomial_probabilities_are_exact(void)
{
    struct lauka_binomial binomial;
    EXPECT(lauka_binomial_init(&binomial, 10, 0.5) == 0);
    EXPECT_NEAR(binomial.up_to[1], 11.0 / 1024, 1e-14);
    EXPECT_NEAR(binomial.up_to[2], 56.0 / 1024, 1e-14);
    EXPECT_NEAR(binomial.from[9], 11.0 / 1024, 1e-14);
    EXPECT_NEAR(binomial.from[0], 1, 1e-14);
    EXPECT_UINT(lauka_binomial_lower(&binomial, 0.025), 2); /* Conover 1999, 3.2 */
    EXPECT_UINT(lauka_binomial_upper(&binomial, 0.025), 9);
    EXPECT_UINT(lauka_binomial_lower(&binomial, 0.0001), 0);
    EXPECT_UINT(lauka_binomial_upper(&binomial, 0.0001), 11);
    lauka_binomial_done(&binomial);
    /* The first weight underflows here. */
    EXPECT(lauka_binomial_init(&binomial, 300000, 0.999) == 0);
    EXPECT_NEAR(binomial.up_to[299700] + binomial.from[299701], 1, 1e-12);
    EXPECT(binomial.up_to[299700] > 0.4 && binomial.up_to[299700] < 0.6);
    lauka_binomial_done(&binomial);
}

/* 0.99^597 <= 0.0025 < 0.99^596; 0.5^9 <= 0.0025. */
static void a_quantile_needs_so_many_values(void)
{
    EXPECT_UINT(lauka_quantile_values_needed(0.99, 0.0025), 597);
    EXPECT_UINT(lauka_quantile_values_needed(0.01, 0.0025), 597);
    EXPECT_UINT(lauka_quantile_values_needed(0.5, 0.0025), 9);
    struct lauka_limit p99 = {.statistic = LAUKA_STATISTIC_QUANTILE, .rank = 990000000};
    EXPECT_UINT(lauka_limit_rounds_needed(&p99, 0.01), 597);
    EXPECT_UINT(lauka_limit_rounds_needed(&two_percent, 0.01), 8);
}

/* ---- mean_ratio.c ---- */

/* Differences 1, 2, 3, 4, 5: their mean is 3 and its standard error sqrt(2.5 / 5); t(0.975, 4) =
 * 2.7764451. */
static void the_mean_difference_has_students_interval(void)
{
    static const double a[] = {100, 100, 100, 100, 100}, b[] = {101, 102, 103, 104, 105};
    struct lauka_mean_ratio means;
    double low, high;
    lauka_mean_ratio_paired(a, b, 5, &means);
    lauka_mean_difference_interval(&means, 0.05, &low, &high);
    EXPECT_NEAR(low, 3 - 2.7764451051977987 * sqrt(0.5), 1e-10);
    EXPECT_NEAR(high, 3 + 2.7764451051977987 * sqrt(0.5), 1e-10);
    /* A constant reference is known exactly. */
    EXPECT(lauka_mean_ratio_interval(&means, 0.05, &low, &high));
    EXPECT_NEAR(low, (3 - 2.7764451051977987 * sqrt(0.5)) / 100, 1e-10);
    EXPECT_UINT(means.df, 4);
}

/* At the ends of the interval, the one-sided p is half of alpha: this defines Fieller's interval. */
static void the_ratio_of_means_agrees_with_its_test(void)
{
    static const double a[] = {100, 120, 90, 110, 105, 95}, b[] = {130, 140, 115, 138, 126, 120};
    for (int unpaired = 0; unpaired < 2; unpaired++) {
        struct lauka_mean_ratio means;
        double low, high;
        if (unpaired)
            lauka_mean_ratio_unpaired(a, 6, b, 6, &means);
        else
            lauka_mean_ratio_paired(a, b, 6, &means);
        EXPECT(lauka_mean_ratio_interval(&means, 0.05, &low, &high));
        EXPECT(low < means.difference / means.mean && means.difference / means.mean < high);
        EXPECT_NEAR(lauka_mean_ratio_above(&means, low), 0.025, 1e-9);
        EXPECT_NEAR(lauka_mean_ratio_above(&means, high), 0.975, 1e-9);
    }
}

static void a_reference_that_may_be_zero_has_no_ratio(void)
{
    static const double a[] = {0, 0, 0, 9}, b[] = {5, 6, 7, 8};
    struct lauka_mean_ratio means;
    double low, high;
    lauka_mean_ratio_paired(a, b, 4, &means);
    EXPECT(!lauka_mean_ratio_interval(&means, 0.05, &low, &high));
}

/* ---- limit.c ---- */

static void what_lies_beyond_the_limit_fails_and_what_lies_within_passes(void)
{
    static const enum lauka_statistic statistics[] = {LAUKA_STATISTIC_TYPICAL, LAUKA_STATISTIC_MEAN,
                                                      LAUKA_STATISTIC_QUANTILE};
    for (size_t i = 0; i < COUNT_OF(statistics); i++)
        for (int unpaired = 0; unpaired < 2; unpaired++) {
            struct lauka_limit limit = {
                .statistic = statistics[i], .rank = 900000000, .share = {true, 0.02}};
            EXPECT(verdict_at(&limit, 200, 1.0, unpaired) == LAUKA_GATE_PASS);
            EXPECT(verdict_at(&limit, 200, 1.08, unpaired) == LAUKA_GATE_FAIL);
            EXPECT(verdict_at(&limit, 200, 1.02, unpaired) == LAUKA_GATE_INCONCLUSIVE);
            limit.share.known = false;
            limit.absolute = (struct lauka_optional){true, 200000};
            EXPECT(verdict_at(&limit, 200, 1.0, unpaired) == LAUKA_GATE_PASS);
            EXPECT(verdict_at(&limit, 200, 1.08, unpaired) == LAUKA_GATE_FAIL);
            EXPECT(verdict_at(&limit, 200, 1.02, unpaired) == LAUKA_GATE_INCONCLUSIVE);
        }
}

/* Ticks of 4 ms: the typical value is 0, but the mean rises by 1.2 ms; or it rises from 4.4 to 5.6 ms. */
static void what_most_rounds_lack_does_not_pass(void)
{
    for (int unpaired = 0; unpaired < 2; unpaired++)
        for (uint64_t least = 0; least <= 4000000; least += 4000000) {
            struct lauka_limit limit = {.absolute = {true, 1000000}};
            struct lauka_series a = {0}, b = {0};
            EXPECT(lauka_series_reserve(&a, 60) == 0 && lauka_series_reserve(&b, 60) == 0);
            for (size_t i = 0; i < 60; i++) {
                lauka_series_add(&a, least + (i % 10 == 0 ? 4000000 : 0));
                lauka_series_add(&b, least + (i % 5 < 2 ? 4000000 : 0));
            }
            EXPECT(judgement_of(&limit, &a, &b, unpaired).verdict == LAUKA_GATE_INCONCLUSIVE);
            limit = (struct lauka_limit){.share = {true, 0.1}};
            EXPECT(judgement_of(&limit, &a, &b, unpaired).verdict != LAUKA_GATE_PASS);
            limit.share.value = 20;
            EXPECT(judgement_of(&limit, &a, &b, unpaired).verdict == LAUKA_GATE_PASS);
            pair_done(&a, &b);
        }
}

/* 8 % of 10 ms is 0.8 ms. */
static void of_two_limits_both_have_to_be_exceeded(void)
{
    struct lauka_limit both = {.share = {true, 0.02}, .absolute = {true, 2e6}};
    EXPECT(verdict_at(&both, 50, 1.08, false) == LAUKA_GATE_PASS);
    EXPECT(verdict_at(&both, 50, 1.4, false) == LAUKA_GATE_FAIL);
    both.absolute.value = 8e5;
    EXPECT(verdict_at(&both, 50, 1.08, false) == LAUKA_GATE_INCONCLUSIVE);
    both.share.value = 0.5;
    EXPECT(verdict_at(&both, 50, 1.4, false) == LAUKA_GATE_PASS);
}

/* A fall by 10 % is a change of -10 %. The result for a metric that falls mirrors that for one that
 * rises. */
static void where_less_is_worse_a_fall_fails(void)
{
    struct lauka_limit falls = {.share = {true, 0.05}, .falls = true};
    EXPECT(verdict_at(&falls, 50, 0.9, false) == LAUKA_GATE_FAIL);
    EXPECT(verdict_at(&falls, 50, 1.1, false) == LAUKA_GATE_PASS);
    EXPECT(verdict_at(&falls, 50, 0.95, false) == LAUKA_GATE_INCONCLUSIVE);
    struct lauka_series a, b;
    make_pair(50, 0.9, 1, &a, &b);
    struct lauka_judgement down = judgement_of(&falls, &a, &b, false);
    struct lauka_judgement up = judgement_of(&two_percent, &a, &b, false);
    EXPECT(down.change_low.value < -0.095 && down.change_high.value < -0.09 + 0.005);
    EXPECT_NEAR(down.change.value, up.change.value, 1e-12);
    EXPECT_NEAR(down.change_low.value, up.change_low.value, 1e-12);
    EXPECT_NEAR(down.change_high.value, up.change_high.value, 1e-12);
    pair_done(&a, &b);
}

/* Whatever the noise, a single comparison fails exactly if p is at most alpha / 2. */
static void failing_agrees_with_p(void)
{
    for (uint64_t seed = 0; seed < 200; seed++) {
        static const enum lauka_statistic statistics[] = {
            LAUKA_STATISTIC_TYPICAL, LAUKA_STATISTIC_MEAN, LAUKA_STATISTIC_QUANTILE};
        struct lauka_limit limit = {.statistic = statistics[seed % 3],
                                    .rank = 500000000,
                                    .share = {seed % 5 != 0, 0.02},
                                    .absolute = {seed % 5 == 0 || seed % 7 == 0, 150000}};
        struct lauka_series a, b;
        make_pair(12 + seed % 40, 1.02 + 0.0004 * (double)(seed % 50), seed, &a, &b);
        struct lauka_judgement judgement = judgement_of(&limit, &a, &b, seed % 2);
        EXPECT(judgement.p.known);
        EXPECT((judgement.verdict == LAUKA_GATE_FAIL) == (judgement.p.value <= 0.005));
        pair_done(&a, &b);
    }
}

static void too_few_rounds_are_inconclusive_and_say_how_many_it_takes(void)
{
    struct lauka_limit p99 = {
        .statistic = LAUKA_STATISTIC_QUANTILE, .rank = 990000000, .share = {true, 0.05}};
    struct lauka_series a, b;
    make_pair(596, 3, 1, &a, &b);
    struct lauka_judgement judgement = judgement_of(&p99, &a, &b, false);
    EXPECT(judgement.verdict == LAUKA_GATE_INCONCLUSIVE);
    EXPECT(judgement.undecided == LAUKA_UNDECIDED_FEW);
    EXPECT_UINT(judgement.needed, 597);
    pair_done(&a, &b);
    make_pair(597, 3, 1, &a, &b);
    EXPECT(judgement_of(&p99, &a, &b, false).verdict == LAUKA_GATE_FAIL);
    pair_done(&a, &b);
    make_pair(2, 3, 1, &a, &b);
    judgement = judgement_of(&two_percent, &a, &b, false);
    EXPECT(judgement.undecided == LAUKA_UNDECIDED_FEW && judgement.needed == 8);
    pair_done(&a, &b);
    struct lauka_series none = {0};
    EXPECT(judgement_of(&two_percent, &none, &none, false).undecided == LAUKA_UNDECIDED_UNKNOWN);
}

static struct lauka_judgement judgement_of_constants(const struct lauka_limit *limit, uint64_t a,
                                                     uint64_t b, size_t count)
{
    uint64_t left[8], right[8];
    for (size_t i = 0; i < count; i++) {
        left[i] = a;
        right[i] = b;
    }
    struct lauka_series reference = series_of(left, count), other = series_of(right, count);
    struct lauka_judgement judgement = judgement_of(limit, &reference, &other, false);
    pair_done(&reference, &other);
    return judgement;
}

static void what_is_constant_may_be_at_the_limit(void)
{
    struct lauka_judgement at = judgement_of_constants(&two_percent, 100, 102, 5);
    EXPECT(at.verdict == LAUKA_GATE_PASS && at.exact && !at.p.known);
    EXPECT(judgement_of_constants(&two_percent, 100, 103, 5).verdict == LAUKA_GATE_FAIL);
    EXPECT(judgement_of_constants(&two_percent, 0, 0, 5).verdict == LAUKA_GATE_PASS);
    EXPECT(judgement_of_constants(&two_percent, 0, 1, 5).verdict == LAUKA_GATE_FAIL);
    struct lauka_judgement few = judgement_of_constants(&two_percent, 100, 103, 3);
    EXPECT(few.undecided == LAUKA_UNDECIDED_FEW && few.needed == 8);
}

/* Student's t has no interval if the variance is 0, and ranks need 8 pairs at this confidence. */
static void pairs_that_all_differ_alike_need_as_many_as_ranks_do(void)
{
    static const uint64_t values[] = {100, 101, 100, 100, 101, 100, 100, 100};
    for (size_t count = 4; count <= 8; count++) {
        struct lauka_series a = series_of(values, count), b = series_of(values, count);
        struct lauka_judgement judgement = judgement_of(&two_percent, &a, &b, false);
        bool few = judgement.undecided == LAUKA_UNDECIDED_FEW && judgement.needed == 8;
        EXPECT(count < 8 ? few : judgement.verdict == LAUKA_GATE_PASS);
        judgement = judgement_of(&two_percent, &a, &b, true);
        EXPECT(judgement.undecided != LAUKA_UNDECIDED_UNKNOWN);
        pair_done(&a, &b);
    }
}

/* One run is enough for a count that cannot vary, but not for a tail. */
static void counts_that_never_vary_need_one_run(void)
{
    struct lauka_limit counts = {.share = {true, 0.02}, .counts = true};
    EXPECT(judgement_of_constants(&counts, 100, 103, 1).verdict == LAUKA_GATE_FAIL);
    EXPECT(judgement_of_constants(&counts, 100, 102, 1).verdict == LAUKA_GATE_PASS);
    struct lauka_limit p90 = {
        .statistic = LAUKA_STATISTIC_QUANTILE, .rank = 900000000, .share = {true, 0.02}};
    EXPECT(judgement_of_constants(&p90, 100, 200, 8).undecided == LAUKA_UNDECIDED_FEW);
}

static void zeros_are_judged_by_their_differences(void)
{
    static const uint64_t a[] = {0, 10, 20, 10, 0, 10, 20, 10, 10, 10};
    uint64_t more[10];
    for (size_t i = 0; i < 10; i++)
        more[i] = a[i] + 5 + i % 2;
    struct lauka_series reference = series_of(a, 10), other = series_of(more, 10);
    struct lauka_judgement judgement = judgement_of(&two_percent, &reference, &other, false);
    EXPECT(judgement.verdict == LAUKA_GATE_FAIL);
    EXPECT(!judgement.change.known && judgement.difference.known);
    pair_done(&reference, &other);
}

static void a_missing_round_is_left_out_of_both(void)
{
    uint64_t a[] = {100, LAUKA_MISSING, 101, 99, 100, 102, 98, 100, 101, 99, 100};
    uint64_t b[] = {110, 500, 111, 109, LAUKA_MISSING, 112, 108, 110, 111, 109, 110};
    struct lauka_series reference = series_of(a, 11), other = series_of(b, 11);
    struct lauka_judgement judgement = judgement_of(&two_percent, &reference, &other, false);
    EXPECT_UINT(judgement.pairs, 9);
    EXPECT(judgement.verdict == LAUKA_GATE_FAIL);
    judgement = judgement_of(&two_percent, &reference, &other, true);
    EXPECT_UINT(judgement.pairs, 10);
    pair_done(&reference, &other);
}

static void among_many_a_failure_has_to_be_clearer(void)
{
    struct lauka_judgement weak = {.verdict = LAUKA_GATE_FAIL, .p = {true, 0.004}};
    struct lauka_judgement strong = {.verdict = LAUKA_GATE_FAIL, .p = {true, 0.0001}};
    struct lauka_judgement exact = {.verdict = LAUKA_GATE_FAIL};
    struct lauka_judgement fine = {.verdict = LAUKA_GATE_PASS, .p = {true, 0.9}};
    struct lauka_judgement near = {.verdict = LAUKA_GATE_INCONCLUSIVE, .p = {true, 0.4}};
    struct lauka_judgement *all[] = {&weak, &strong, &exact, &fine, &fine, &near};
    EXPECT(lauka_limit_judge_family(all, 2, 0.01) == 0);
    EXPECT(weak.verdict == LAUKA_GATE_FAIL && strong.verdict == LAUKA_GATE_FAIL);
    EXPECT(lauka_limit_judge_family(all, 5, 0.01) == 0);
    EXPECT(weak.verdict == LAUKA_GATE_INCONCLUSIVE);
    EXPECT(weak.undecided == LAUKA_UNDECIDED_FAMILY && weak.family == 4);
    EXPECT(strong.verdict == LAUKA_GATE_FAIL);
    EXPECT(exact.verdict == LAUKA_GATE_FAIL && exact.family == 0);
    EXPECT(fine.verdict == LAUKA_GATE_PASS);
}

/* Those that are within their limits by their own estimates count for nothing, and the others pay with twice
 * their p; of one or two rows, none pays. */
static void among_many_that_hold_a_failure_stands_as_if_there_were_few(void)
{
    struct lauka_judgement fails = {.verdict = LAUKA_GATE_FAIL, .p = {true, 0.0024}};
    struct lauka_judgement holds = {.verdict = LAUKA_GATE_PASS, .p = {true, 0.6}};
    struct lauka_judgement near = {.verdict = LAUKA_GATE_INCONCLUSIVE, .p = {true, 0.4}};
    struct lauka_judgement *all[50] = {&fails, &near};
    for (size_t i = 2; i < 50; i++)
        all[i] = &holds;
    EXPECT(lauka_limit_judge_family(all, 2, 0.01) == 0);
    EXPECT(fails.verdict == LAUKA_GATE_FAIL && fails.family == 2);
    all[1] = &holds;
    EXPECT(lauka_limit_judge_family(all, 50, 0.01) == 0);
    EXPECT(fails.verdict == LAUKA_GATE_FAIL && fails.family == 50);
    all[1] = &near;
    EXPECT(lauka_limit_judge_family(all, 50, 0.01) == 0);
    EXPECT(fails.verdict == LAUKA_GATE_INCONCLUSIVE);
}

/* With 99 %, ranks need 2^-n <= 0.005: 8 rounds. */
static void rounds_too_few_for_ranks_have_an_interval_and_no_verdict(void)
{
    struct lauka_series a, b;
    make_pair(8, 1.1, 5, &a, &b);
    EXPECT(judgement_of(&two_percent, &a, &b, false).verdict == LAUKA_GATE_FAIL);
    a.count = b.count = 7;
    struct lauka_judgement few = judgement_of(&two_percent, &a, &b, false);
    EXPECT(few.verdict == LAUKA_GATE_INCONCLUSIVE && few.undecided == LAUKA_UNDECIDED_FEW);
    EXPECT(few.change_low.value > 0.02);
    EXPECT_UINT(few.needed, 8);
    pair_done(&a, &b);
}

static void without_single_values_the_typical_share_is_judged(void)
{
    struct lauka_paired_log log;
    struct lauka_series a, b;
    struct lauka_judgement judgement;
    struct lauka_limit mean = {.statistic = LAUKA_STATISTIC_MEAN, .share = {true, 0.02}};
    lauka_paired_log_init(&log);
    make_pair(100, 1.08, 1, &a, &b);
    for (size_t i = 0; i < a.count; i++)
        lauka_paired_log_add(&log, lauka_series_at(&a, i), lauka_series_at(&b, i));
    EXPECT(lauka_limit_judge_streamed(&two_percent, &log, 0.01, &judgement) == 0);
    EXPECT(judgement.verdict == LAUKA_GATE_FAIL && judgement.p.known);
    EXPECT(lauka_limit_judge_streamed(&mean, &log, 0.01, &judgement) == 0);
    EXPECT(judgement.undecided == LAUKA_UNDECIDED_VALUES);
    lauka_paired_log_done(&log);
    pair_done(&a, &b);
}

/* 2,000 made-up sessions exactly at the limit: at most half of alpha fail, within four standard
 * deviations. */
static void at_the_limit_hardly_any_fails(void)
{
    static const enum lauka_statistic statistics[] = {LAUKA_STATISTIC_TYPICAL, LAUKA_STATISTIC_MEAN,
                                                      LAUKA_STATISTIC_QUANTILE};
    for (size_t i = 0; i < COUNT_OF(statistics); i++) {
        struct lauka_limit limit = {
            .statistic = statistics[i], .rank = 500000000, .share = {true, 0.02}};
        int failed = 0;
        for (uint64_t seed = 0; seed < 2000; seed++) {
            struct lauka_series a, b;
            struct lauka_judgement judgement;
            make_pair(30, 1.02, 1000 + seed, &a, &b);
            EXPECT(lauka_limit_judge(&limit, &a, &b, 0.05, false, &judgement) == 0);
            failed += judgement.verdict == LAUKA_GATE_FAIL;
            pair_done(&a, &b);
        }
        EXPECT(failed <= 50 + 28);
        if (limit.statistic != LAUKA_STATISTIC_QUANTILE) /* quantiles err on the safe side */
            EXPECT(failed >= 50 - 28);
    }
}

int main(void)
{
    TEST(binomial_probabilities_are_exact);
    TEST(a_quantile_needs_so_many_values);
    TEST(the_mean_difference_has_students_interval);
    TEST(the_ratio_of_means_agrees_with_its_test);
    TEST(a_reference_that_may_be_zero_has_no_ratio);
    TEST(what_lies_beyond_the_limit_fails_and_what_lies_within_passes);
    TEST(what_most_rounds_lack_does_not_pass);
    TEST(of_two_limits_both_have_to_be_exceeded);
    TEST(where_less_is_worse_a_fall_fails);
    TEST(failing_agrees_with_p);
    TEST(too_few_rounds_are_inconclusive_and_say_how_many_it_takes);
    TEST(what_is_constant_may_be_at_the_limit);
    TEST(pairs_that_all_differ_alike_need_as_many_as_ranks_do);
    TEST(counts_that_never_vary_need_one_run);
    TEST(zeros_are_judged_by_their_differences);
    TEST(a_missing_round_is_left_out_of_both);
    TEST(among_many_a_failure_has_to_be_clearer);
    TEST(among_many_that_hold_a_failure_stands_as_if_there_were_few);
    TEST(rounds_too_few_for_ranks_have_an_interval_and_no_verdict);
    TEST(without_single_values_the_typical_share_is_judged);
    TEST(at_the_limit_hardly_any_fails);
    return expect_report("limit");
}
